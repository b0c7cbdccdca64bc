"""electra: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import math
from typing import Any

import numpy as np
import torch
from hypothesis.strategies import integers, just, sampled_from
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch.nn import functional
from torch.nn.utils import vector_to_parameters
from torch.utils.flop_counter import FlopCounterMode

from etude import pretrained
from etude.lesson.checks import Mismatch, close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.models.electra import ElectraConfig, ElectraDiscriminator
from etude.pretraining import Examples, Masking, Vocabulary
from etude.recipes import Recipe
from etude.world.tasks import Tasks
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons.generated import for_all

NOT = -100  # the label that no loss asks for
OBJECTIVES = ("mlm", "replace-mlm", "all-tokens-mlm", "electra-15", "electra")


def tensors(found: Any, *kinds: str) -> list[Tensor]:
    """As many tensors as there are kinds, of these types."""
    parts = [found] if isinstance(found, Tensor) else found
    if not isinstance(parts, tuple | list) or not all(isinstance(part, Tensor) for part in parts):
        raise Mismatch(f"{len(kinds)} tensors were expected", actual=found)
    equal([str(part.dtype).removeprefix("torch.") for part in parts], list(kinds))
    return list(parts)


def drawn(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


# sample_tokens
@exercise("sample_tokens")
@for_all(places=integers(1, 4), words=integers(1, 6), shift=integers(0, 10**6))
def test_any_place_has_the_winner_of_the_race(student: Student, places: int, words: int, shift: int) -> None:
    # The same draw as a race: −ln u / e^z is exponential, and the least one wins.
    logits = torch.randint(-24, 25, (places, words), generator=drawn(shift)).float() / 8
    uniform = torch.rand(places, words, generator=drawn(shift + 1)).clamp(1e-4, 1 - 1e-4)
    race = -np.log(uniform.double().numpy()) / np.exp(logits.double().numpy())
    (found,) = tensors(student.sample_tokens(logits, uniform), "int64")
    equal(found.tolist(), race.argmin(axis=1).tolist())


@exercise("sample_tokens", points=0.5, needs="test_any_place_has_the_winner_of_the_race")
def test_huge_scores_draw_as_others_do(student: Student) -> None:
    logits = torch.tensor([[2000.0, 2001.0, 0.0], [-2000.0, -2001.0, -9000.0]]).repeat(3000, 1)
    uniform = torch.rand(6000, 3, generator=drawn(5)).clamp(1e-4, 1 - 1e-4)
    given = "6,000 places with the scores 2000, 2001, 0 or −2000, −2001, −9000: how often each word came"
    (found,) = tensors(student.sample_tokens(logits, uniform), "int64")
    shares = [found[start::2].bincount(minlength=3).double() / 3000 for start in (0, 1)]
    one = 1 / (1 + math.e)
    close(shares[0], [one, 1 - one, 0.0], given=given, rtol=0, atol=0.04)
    close(shares[1], [1 - one, one, 0.0], given=given, rtol=0, atol=0.04)


@exercise("sample_tokens", points=0.5, needs="test_any_place_has_the_winner_of_the_race")
def test_numbers_near_0_and_1_make_their_whole_noise(student: Student) -> None:
    # −ln(−ln u) for u = 1e-30: −4.24; 1/e: 0; 1 − 2⁻²⁴: 16.64; in float64 1 − 1e-12: 27.6, 1e-300: −6.54, 1 − 2⁻⁵³: 36.7.
    logits = torch.tensor([[0.0, -4.0], [0.0, 15.0], [0.0, 27.0], [0.0, 30.0], [0.0, -6.0], [0.0, 36.0]], dtype=torch.float64)
    numbers = [1e-30, 1 - 2**-24, 1 - 1e-12, 1 - 1e-12, 1e-300, 1 - 2**-53]
    draws = torch.tensor([[number, math.exp(-1)] for number in numbers], dtype=torch.float64)
    given = "the numbers 1e-30, 1 − 2⁻²⁴ and (float64) 1 − 1e-12 twice, whose noise is −4.2, 16.6, 27.6, against −4, 15, 27, 30; "
    (found,) = tensors(student.sample_tokens(logits[:2].float(), draws[:2].float()), "int64")
    (more,) = tensors(student.sample_tokens(logits[2:], draws[2:]), "int64")
    given += "(float64) 1e-300 and 1 − 2⁻⁵³, −6.5 and 36.7, against −6 and 36"
    equal(found.tolist() + more.tolist(), [1, 0, 0, 1, 1, 0], given=given)


@exercise("sample_tokens", points=0.5, needs="test_any_place_has_the_winner_of_the_race")
def test_scores_of_any_size_and_number_are_looked_at(student: Student) -> None:
    logits = torch.tensor([[-math.inf, -1e30, -math.inf], [-1e38, -math.inf, -1e30]])
    (found,) = tensors(student.sample_tokens(logits, torch.full((2, 3), 0.5)), "int64")
    equal(found.tolist(), [1, 2], given="the scores −inf, −1e30, −inf, then −1e38, −inf, −1e30")
    logits = torch.tensor([[1e9, 1e9 + 3.0]], dtype=torch.float64)
    (found,) = tensors(student.sample_tokens(logits, torch.full((1, 2), 0.5, dtype=torch.float64)), "int64")
    equal(found.tolist(), [1], given="the scores 1e9 and 1e9 + 3 in float64, equal numbers")
    logits = torch.zeros(2, 70_000)
    logits[0, 69_999], logits[1, 40_000] = 9.0, 9.0
    (found,) = tensors(student.sample_tokens(logits, torch.full((2, 70_000), 0.5)), "int64")
    equal(found.tolist(), [69_999, 40_000], given="two places, 70,000 words, equal numbers; the last and word 40,000 score 9, others 0")


@exercise("sample_tokens", points=0.5, needs="test_any_place_has_the_winner_of_the_race")
def test_one_place_and_none_keep_their_dimension(student: Student) -> None:
    (found,) = tensors(student.sample_tokens(torch.tensor([[0.0, 9.0]]), torch.tensor([[0.5, 0.5]])), "int64")
    equal(found.tolist(), [1], given="one place with the scores 0 and 9")
    (found,) = tensors(student.sample_tokens(torch.zeros(0, 4), torch.zeros(0, 4)), "int64")
    equal(list(found.shape), [0], given="no place at all")


# replace_tokens
@exercise("replace_tokens")
@for_all(
    batch=integers(1, 4),
    length=integers(1, 6) | just(70),
    words=integers(1, 4),
    first=sampled_from([0, 2**24, 2**31, 2**60]),
    shift=integers(0, 10**6),
)
def test_any_text_is_read_place_by_place(
    student: Student, batch: int, length: int, words: int, first: int, shift: int
) -> None:
    # The ids are those from `first` on: float32 cannot tell 2²⁴ from 2²⁴ + 1, int32 ends below 2³¹, and float64 cannot tell 2⁶⁰.
    tokens = first + torch.randint(0, words, (batch, length), generator=drawn(shift))
    chosen = torch.rand(batch, length, generator=drawn(shift + 1)) < 0.5
    sampled = first + torch.randint(0, words, (int(chosen.sum()),), generator=drawn(shift + 2))
    queue, read = sampled.tolist(), tokens.tolist()
    for row in range(batch):
        for place in range(length):
            if chosen[row, place]:
                read[row][place] = queue.pop(0)
    differs = [[a != b for a, b in zip(one, other, strict=True)] for one, other in zip(read, tokens.tolist(), strict=True)]
    found = tensors(student.replace_tokens(tokens, chosen, sampled), "int64", "bool")
    equal([part.tolist() for part in found], [read, differs])


@exercise("replace_tokens", points=0.5, needs="test_guesses_take_their_places_and_what_differs_is_replaced")
def test_word_0_is_a_guess_like_any_other(student: Student) -> None:
    tokens, chosen = torch.tensor([[5, 0, 6]]), torch.tensor([[True, True, False]])
    found = tensors(student.replace_tokens(tokens, chosen, torch.tensor([0, 0])), "int64", "bool")
    given = "the tokens (5, 0, 6), of which 5 and 0 are guessed as 0 and 0"
    equal([part.tolist() for part in found], [[[0, 0, 6]], [[True, False, False]]], given=given)


# discriminator_loss
def token_by_token(scores: Tensor, replaced: Tensor, real: Tensor) -> Tensor:
    """Each token by itself: ln(1 + e^(±s))."""
    costs = [
        functional.softplus(-scores[row, place] if replaced[row, place] else scores[row, place])
        for row, place in real.nonzero().tolist()
    ]
    return torch.stack(costs).mean()


@exercise("discriminator_loss")
@for_all(batch=integers(1, 4), length=integers(1, 5), shift=integers(0, 10**6))
def test_any_batch_costs_what_its_tokens_cost_one_by_one(student: Student, batch: int, length: int, shift: int) -> None:
    scores = torch.randint(-32, 33, (batch, length), generator=drawn(shift)).double() / 8
    replaced = torch.rand(batch, length, generator=drawn(shift + 1)) < 0.4
    real = torch.rand(batch, length, generator=drawn(shift + 2)) < 0.7
    real[0, 0] = True
    found = student.discriminator_loss(scores, replaced, real)
    close(found, token_by_token(scores, replaced, real), atol=1e-5)


@exercise("discriminator_loss", points=0.5, needs="test_any_batch_costs_what_its_tokens_cost_one_by_one")
def test_every_real_token_is_taught_and_padding_is_not(student: Student) -> None:
    scores = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, 0.0]], dtype=torch.float64)
    replaced = torch.tensor([[True, False, False], [False, True, False]])
    real = torch.tensor([[True, True, True], [True, True, False]])
    given = "two texts, the last place padding, float64"
    close_gradients(student, "discriminator_loss", token_by_token, {"scores": scores}, replaced, real, given=given)
    scores = torch.tensor([[1000.0, -1000.0, 1000.0], [-1000.0, 1000.0, -1000.0]], dtype=torch.float64)
    given = "the same texts with the scores 1000 and −1000 in turn, float64"
    close_gradients(student, "discriminator_loss", token_by_token, {"scores": scores}, replaced, real, given=given)


@exercise("discriminator_loss", points=0.5, needs="test_any_batch_costs_what_its_tokens_cost_one_by_one")
def test_the_verdicts_loss_keeps_double_precision(student: Student) -> None:
    scores = torch.tensor([[0.1, -0.7, 1.3]], dtype=torch.float64)
    replaced, real = torch.tensor([[True, False, True]]), torch.ones(1, 3).bool()
    found = student.discriminator_loss(scores, replaced, real)
    given = "three scores in float64, to ten digits"
    close(found, token_by_token(scores, replaced, real), given=given, rtol=1e-10, atol=0)


# electra_loss
def both(logits: Tensor, wanted: Tensor, scores: Tensor, replaced: Tensor, real: Tensor, weight: float = 50.0) -> Tensor:
    costs = [row.logsumexp(dim=0) - row[word] for row, word in zip(logits, wanted.tolist(), strict=True)]
    return torch.stack(costs).mean() + weight * token_by_token(scores, replaced, real)


@exercise("electra_loss")
@for_all(places=integers(1, 4), words=integers(1, 5), weight=sampled_from([0, 0.5, 1, 50, 1000]), shift=integers(0, 10**6))
def test_any_two_losses_are_summed(student: Student, places: int, words: int, weight: float, shift: int) -> None:
    logits = torch.randint(-16, 17, (places, words), generator=drawn(shift)).double() / 8
    wanted = torch.randint(0, words, (places,), generator=drawn(shift + 1))
    scores = torch.randint(-16, 17, (2, 3), generator=drawn(shift + 2)).double() / 8
    replaced = torch.rand(2, 3, generator=drawn(shift + 3)) < 0.4
    real = torch.tensor([[True, True, True], [True, shift % 2 == 0, False]])
    found = student.electra_loss(logits, wanted, scores, replaced, real, weight)
    close(found, both(logits, wanted, scores, replaced, real, weight), atol=1e-5)


@exercise("electra_loss", points=0.5, needs="test_any_two_losses_are_summed")
def test_huge_scores_cost_no_infinity(student: Student) -> None:
    logits, wanted = torch.tensor([[500.0, -500.0], [0.0, 800.0]]), torch.tensor([1, 1])
    scores, replaced = torch.tensor([[400.0, -400.0]]), torch.tensor([[False, False]])
    found = student.electra_loss(logits, wanted, scores, replaced, torch.ones(1, 2).bool(), 2.0)
    close(found, 500.0 + 2 * 200.0, given="a masked word 1,000 below the other, a verdict of 400 that is wrong, λ = 2")


@exercise("electra_loss", points=0.5, needs="test_any_two_losses_are_summed")
def test_the_sum_keeps_double_precision(student: Student) -> None:
    logits = torch.randn(3, 4, generator=drawn(4), dtype=torch.float64)
    wanted, scores = torch.tensor([0, 3, 1]), torch.tensor([[0.1, -0.7]], dtype=torch.float64)
    replaced, real = torch.tensor([[True, False]]), torch.ones(1, 2).bool()
    found = student.electra_loss(logits, wanted, scores, replaced, real, 50.0)
    given = "three masked words, two verdicts, float64, to ten digits"
    close(found, both(logits, wanted, scores, replaced, real), given=given, rtol=1e-10, atol=0)


# adversarial_loss
def reinforce(logits: Tensor, sampled: Tensor, rewards: Tensor, baseline: float = 0.0) -> Tensor:
    costs = [
        (float(reward) - baseline) * (row.logsumexp(dim=0) - row[word])
        for row, word, reward in zip(logits, sampled.tolist(), rewards, strict=True)
    ]
    return torch.stack(costs).mean()


@exercise("adversarial_loss")
@for_all(places=integers(1, 4), words=integers(1, 5), baseline=sampled_from([0.0, 0.5, -1.0]), shift=integers(0, 10**6))
def test_any_guesses_are_rewarded_one_by_one(
    student: Student, places: int, words: int, baseline: float, shift: int
) -> None:
    logits = torch.randint(-16, 17, (places, words), generator=drawn(shift)).double() / 8
    sampled = torch.randint(0, words, (places,), generator=drawn(shift + 1))
    rewards = torch.randint(-16, 17, (places,), generator=drawn(shift + 2)).double() / 8
    close(student.adversarial_loss(logits, sampled, rewards, baseline), reinforce(logits, sampled, rewards, baseline), atol=1e-5)


@exercise("adversarial_loss", needs="test_any_guesses_are_rewarded_one_by_one")
def test_no_gradient_goes_to_the_rewards(student: Student) -> None:
    logits = torch.tensor([[0.5, -1.0], [0.0, 2.0]], dtype=torch.float64)
    rewards, sampled = torch.tensor([1.5, -0.5], dtype=torch.float64), torch.tensor([0, 1])
    leaves = [logits.clone().requires_grad_(), sampled, rewards.clone().requires_grad_(), 0.25]
    found = student.gradients("adversarial_loss", *leaves)
    given = "two guesses, rewards that ask for a gradient: the gradient for "
    leaf = logits.clone().requires_grad_()
    (expected,) = torch.autograd.grad(reinforce(leaf, sampled, rewards, 0.25), leaf)
    true(found[0] is not None, "the loss knows nothing of the generator's scores", given=f"{given}the scores")
    close(found[0], expected, given=f"{given}the scores")
    if found[1] is not None:
        close(found[1], [0.0, 0.0], given=f"{given}the rewards")


@exercise("adversarial_loss", points=0.5, needs="test_any_guesses_are_rewarded_one_by_one")
def test_an_unlikely_guess_costs_no_infinity(student: Student) -> None:
    logits, rewards = torch.tensor([[900.0, 0.0]]), torch.tensor([2.0])
    found = student.adversarial_loss(logits, torch.tensor([1]), rewards)
    close(found, 1800.0, given="a guess 900 below the other word, the reward 2")


@exercise("adversarial_loss", points=0.5, needs="test_any_guesses_are_rewarded_one_by_one")
def test_reinforce_keeps_double_precision(student: Student) -> None:
    logits = torch.randn(5, 4, generator=drawn(6), dtype=torch.float64)
    sampled, rewards = torch.tensor([0, 3, 1, 3, 2]), torch.tensor([0.1, 1.7, -0.3, 0.9, 0.0], dtype=torch.float64)
    found = student.adversarial_loss(logits, sampled, rewards, 0.7)
    given = "five guesses among four words, baseline .7, float64, to ten digits"
    close(found, reinforce(logits, sampled, rewards, 0.7), given=given, rtol=1e-10, atol=0)


# step_flops
@exercise("step_flops")
@for_all(
    objective=sampled_from(OBJECTIVES),
    tokens=integers(1, 6),
    masked=integers(1, 6),
    layers=integers(1, 3),
    width=integers(1, 5),
    narrower=integers(0, 4),
    words=integers(1, 7),
    examples=40,
)
def test_any_step_costs_what_torch_counts(
    student: Student, objective: str, tokens: int, masked: int, layers: int, width: int, narrower: int, words: int
) -> None:
    masked, small = min(masked, tokens), max(1, width - narrower)
    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        encoded(tokens, layers, width)
        if objective != "mlm":
            if small != width:
                _ = torch.empty(tokens, width) @ torch.empty(width, small)
            encoded(tokens, layers, small)
            worded(masked, small, width, words)
        if objective in ("mlm", "replace-mlm"):
            worded(masked, width, width, words)
        elif objective == "all-tokens-mlm":
            worded(tokens, width, width, words)
            _ = torch.empty(tokens, width) @ torch.empty(width, 1)
        else:
            places = tokens if objective == "electra" else masked
            _ = torch.empty(places, width) @ torch.empty(width, width) @ torch.empty(width, 1)
    found = student.step_flops(objective, tokens, masked, layers, width, small, words)
    equal(whole(found), 3 * counter.get_total_flops())


def encoded(tokens: int, layers: int, width: int) -> None:
    for _ in range(layers):
        x = torch.empty(tokens, width)
        q, k, v = (x @ torch.empty(width, width) for _ in range(3))
        x = (q @ k.T) @ v @ torch.empty(width, width)
        x = x @ torch.empty(width, 4 * width) @ torch.empty(4 * width, width)


def worded(places: int, width: int, embedding: int, words: int) -> None:
    _ = torch.empty(places, width) @ torch.empty(width, embedding) @ torch.empty(embedding, words)


def whole(value: Any) -> int:
    found = plain(value.item() if hasattr(value, "item") else value)
    true(type(found) is int, "a whole number was expected", actual=found)
    return int(found)


@exercise("step_flops", points=0.5, needs="test_any_step_costs_what_torch_counts")
def test_costs_beyond_what_floats_hold_are_counted_to_the_digit(student: Student) -> None:
    size = 100_003
    layer = 12 * size**3 + 2 * size**3
    given = f"mlm, N = K = H = V = {size:,}, 3 layers"
    expected = 6 * (3 * layer + size * (size**2 + size**2))
    equal(whole(student.step_flops("mlm", size, size, 3, size, 1, size)), expected, given=given)
    size, half = 280_001, 140_001  # even the smallest part is beyond 2⁵³, and the whole is below 2⁶³
    given = f"N = K = H = V = {size:,}, h = {half:,}, 3 layers"
    layer = 14 * size**3 + 12 * size * half**2 + 2 * size**2 * half
    shared = 3 * layer + size**2 * half + size * (half * size + size**2)
    for objective, head in (("replace-mlm", 2 * size**3), ("all-tokens-mlm", 2 * size**3 + size**2), ("electra", size**3 + size**2)):
        found = whole(student.step_flops(objective, size, size, 3, size, half, size))
        equal(found, 6 * (shared + head), given=f"{objective}, {given}")


@exercise("step_flops", points=0.5, needs="test_any_step_costs_what_torch_counts")
def test_a_text_without_masked_tokens_costs_its_layers(student: Student) -> None:
    layer = 12 * 3 * 4 + 2 * 9 * 2
    given = "N = 3, K = 0, one layer of width 2, a generator of width 1, V = 5"
    small = 12 * 3 + 2 * 9
    equal(whole(student.step_flops("mlm", 3, 0, 1, 2, 1, 5)), 6 * layer, given=f"mlm, {given}")
    heads = {"replace-mlm": 0, "electra-15": 0, "electra": 3 * (4 + 2), "all-tokens-mlm": 3 * (4 + 10) + 3 * 2}
    for objective, head in heads.items():
        expected = 6 * (layer + small + 3 * 2 + head)
        equal(whole(student.step_flops(objective, 3, 0, 1, 2, 1, 5)), expected, given=f"{objective}, {given}")


# ladder
@exercise("ladder")
@for_all(
    objective=sampled_from(OBJECTIVES),
    batch=integers(1, 3),
    length=integers(1, 6),
    special=sampled_from([(4, 2), (0, 4), (1, 0), (3, 1)]),
    first=sampled_from([0, 2**24, 2**31]),
    shift=integers(0, 10**6),
)
def test_any_text_is_read_and_asked_place_by_place(
    student: Student, objective: str, batch: int, length: int, special: tuple[int, int], first: int, shift: int
) -> None:
    # Five ids from `first` on, of which `special` are [MASK] and padding; [MASK] may stand in the text; guesses may be any.
    mask, padding = (first + one for one in special)
    tokens = first + torch.randint(0, 5, (batch, length), generator=drawn(shift))
    chosen = (torch.rand(batch, length, generator=drawn(shift + 1)) < 0.4) & (tokens != padding)
    sampled = first + torch.randint(0, 5, (int(chosen.sum()),), generator=drawn(shift + 2))
    queue, reads, asks = sampled.tolist(), [], []
    for row, picked in zip(tokens.tolist(), chosen.tolist(), strict=True):
        read, asked = [], []
        for token, masked in zip(row, picked, strict=True):
            guess = queue.pop(0) if masked else token
            word = token if "mlm" in objective else int(guess != token)
            everywhere = objective in ("electra", "all-tokens-mlm") and token != padding
            read.append(mask if masked and objective == "mlm" else guess)
            asked.append(word if masked or everywhere else NOT)
        reads.append(read)
        asks.append(asked)
    found = tensors(student.ladder(objective, tokens, chosen, sampled, mask, padding), "int64", "int64")
    equal([part.tolist() for part in found], [reads, asks])


@exercise("ladder", points=0.5, needs="test_any_text_is_read_and_asked_place_by_place")
def test_mask_and_padding_may_have_any_ids(student: Student) -> None:
    tokens, chosen = torch.tensor([[5, 0, 6, 9], [0, 7, 9, 9]]), torch.tensor([[True, False, True, False], [True, False, False, False]])
    sampled, given = torch.tensor([0, 9, 9]), "the texts (5, 0, 6, 9) and (0, 7, 9, 9), [MASK] is 0, padding 9; 5, 6 and the last 0 are masked"
    expected = {
        "mlm": [[[0, 0, 0, 9], [0, 7, 9, 9]], [[5, NOT, 6, NOT], [0, NOT, NOT, NOT]]],
        "electra": [[[0, 0, 9, 9], [9, 7, 9, 9]], [[1, 0, 1, NOT], [1, 0, NOT, NOT]]],
        "all-tokens-mlm": [[[0, 0, 9, 9], [9, 7, 9, 9]], [[5, 0, 6, NOT], [0, 7, NOT, NOT]]],
    }
    for objective, wanted in expected.items():
        found = tensors(student.ladder(objective, tokens, chosen, sampled, 0, 9), "int64", "int64")
        equal([part.tolist() for part in found], wanted, given=f"{given}, guessed as 0, 9, 9; {objective}")


# copy_loss
def mixed(logits: Tensor, copy: Tensor, read: Tensor, wanted: Tensor) -> Tensor:
    """Token by token, each probability written out."""
    costs = []
    for row, score, there, word in zip(logits, copy, read.tolist(), wanted.tolist(), strict=True):
        p = (1 - score.sigmoid()) * row.softmax(dim=0)[word] + score.sigmoid() * (there == word)
        costs.append(-p.log())
    return torch.stack(costs).mean()


@exercise("copy_loss")
@for_all(count=integers(1, 5), words=integers(1, 5), shift=integers(0, 10**6))
def test_any_tokens_cost_what_their_mixture_says(student: Student, count: int, words: int, shift: int) -> None:
    logits = torch.randint(-24, 25, (count, words), generator=drawn(shift)).double() / 8
    copy = torch.randint(-24, 25, (count,), generator=drawn(shift + 1)).double() / 8
    read, wanted = (torch.randint(0, words, (count,), generator=drawn(shift + number)) for number in (2, 3))
    close(student.copy_loss(logits, copy, read, wanted), mixed(logits, copy, read, wanted), atol=1e-5)


@exercise("copy_loss", points=0.5, needs="test_any_tokens_cost_what_their_mixture_says")
def test_nothing_underflows(student: Student) -> None:
    logits = torch.tensor([[0.0, 900.0], [0.0, 900.0]])
    read, wanted = torch.tensor([0, 1]), torch.tensor([0, 0])
    given = "the original 900 below the other word; D by the logit −400 where it is read, 300 where it is not"
    # −ln σ(−400) = 400, as writing costs 900 more; then 300 for not copying and 900 for the word.
    found = student.copy_loss(logits, torch.tensor([-400.0, 300.0]), read, wanted)
    close(found, (400.0 + 1200.0) / 2, given=given)
    found = student.copy_loss(torch.tensor([[0.0, 1e12]]), torch.tensor([0.0]), torch.tensor([1]), torch.tensor([0]))
    close(found, 1e12, given="the original 1e12 below the other word, which is read; D = 1/2")


@exercise("copy_loss", points=0.5, needs="test_any_tokens_cost_what_their_mixture_says")
def test_the_mixture_keeps_double_precision(student: Student) -> None:
    logits = torch.randn(4, 5, generator=drawn(8), dtype=torch.float64)
    copy = torch.tensor([0.1, -0.7, 1.3, 0.0], dtype=torch.float64)
    read, wanted = torch.tensor([0, 1, 4, 2]), torch.tensor([0, 4, 4, 3])
    given = "four tokens, two of them replaced, V = 5, float64, to ten digits"
    close(student.copy_loss(logits, copy, read, wanted), mixed(logits, copy, read, wanted), given=given, rtol=1e-10, atol=0)


@exercise("copy_loss", points=0.5, needs="test_any_tokens_cost_what_their_mixture_says")
def test_sure_copies_cost_next_to_nothing(student: Student) -> None:
    logits = torch.zeros(1, 2, dtype=torch.float64)
    found = student.copy_loss(logits, torch.tensor([20.0], dtype=torch.float64), torch.tensor([1]), torch.tensor([1]))
    given = "D by the logit 20, two equal words, float64: half of 1 − D"
    close(found, math.exp(-20) / 2, given=given, rtol=1e-3, atol=0)


@exercise("copy_loss", points=0.5, needs="test_any_tokens_cost_what_their_mixture_says")
def test_gradients_are_numbers_even_where_nothing_can_be_copied(student: Student) -> None:
    logits = torch.randn(3, 4, generator=drawn(7), dtype=torch.float64)
    copy = torch.tensor([0.5, -60.0, 60.0], dtype=torch.float64)
    read, wanted = torch.tensor([0, 1, 2]), torch.tensor([3, 1, 0])

    def oracle(logits: Tensor, copy: Tensor, read: Tensor, wanted: Tensor) -> Tensor:
        words = logits.log_softmax(dim=1)[torch.arange(3), wanted] - functional.softplus(copy)
        copied = -functional.softplus(-copy)
        return -torch.stack([words[0], torch.logaddexp(words[1], copied[1]), words[2]]).mean()

    tensors_of = {"logits": logits, "copy": copy}
    given = "three tokens, the first and the last replaced, copy scores .5, −60, 60, float64"
    close_gradients(student, "copy_loss", oracle, tensors_of, read, wanted, given=given)


# metrics
BEYOND = 50_000  # added to the run's seed: other text than the notebook's
TEST = {150, 300, 1000}  # how many sentences a profile tests on
SYSTEMS = ("BERT", "Replace MLM", "ELECTRA 15%", "All-Tokens MLM", "ELECTRA", "untrained")
TAGS = ("O", "B-PER", "B-COU", "B-CAP", "B-LAN")
TOPICS = 9
TRUTH = (0.3, 0.2, 0.15, 0.12, 0.09, 0.07, 0.04, 0.03)


@functools.lru_cache(maxsize=1)
def _guessed(seed: int) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Text that the notebook has not chosen, in which the course's BERT has guessed: (read, replaced, real), (B, N) each."""
    model, tokenizer = pretrained.load("world-en-no-nsp")
    texts = pretrained.text_of(Recipe("en", words=6_000), seed + BEYOND)
    rows = [[[tokenizer.index[piece] for piece in tokenizer.tokenize(line)] for line in text] for text in texts]
    masking = Masking(rate=0.15, mask=1.0, random=0.0)
    batches = Examples(rows, Vocabulary(tokenizer), 64, 64, masking, next_sentence=False, seed=seed)
    found, draw = [], drawn(seed)
    for number in range(4):
        batch = batches(number)
        masked = batch.labels != NOT
        with torch.no_grad():
            logits = model.token_logits(model.bert(batch.tokens)[masked])  # (M, V)
        guess = torch.multinomial(logits.softmax(dim=-1), 1, generator=draw)[:, 0]  # (M,)
        tokens = torch.where(masked, batch.labels, batch.tokens)
        read = tokens.masked_scatter(masked, guess)
        found.append((read, read != tokens, tokens != 0))
    return found


@metric("verdict_auc")
def verdict_auc(artifacts: Artifacts) -> float:
    """How well the student's discriminator tells replaced tokens from original ones."""
    c = pretrained.load("world-en-no-nsp").model.bert.config
    widths = (c.vocab_size, c.hidden_size, c.hidden_size, c.num_hidden_layers, c.num_attention_heads)
    model = ElectraDiscriminator(
        ElectraConfig(*widths, c.intermediate_size, "gelu", 0.0, 0.0, c.max_position_embeddings)
    )
    numbers, expected = artifacts.tensor("discriminator", ndim=1), sum(one.numel() for one in model.parameters())
    if len(numbers) != expected:
        raise BadArtifact(f"'discriminator' holds {len(numbers)} numbers, and the model has {expected} parameters")
    vector_to_parameters(numbers.float(), model.parameters())
    scores, truth = [], []
    for read, replaced, real in _guessed(artifacts.seed):
        with torch.no_grad():
            scores.append(model.eval()(read)[real])
        truth.append(replaced[real])
    return float(roc_auc_score(torch.cat(truth), torch.cat(scores)))


def _generators(artifacts: Artifacts) -> Tensor:
    """What the two generators of the duel believe, (2, 8)."""
    found = artifacts.tensor("generators", ndim=2)
    if tuple(found.shape) != (2, len(TRUTH)):
        raise BadArtifact(f"the tensor 'generators' has shape {tuple(found.shape)}, expected {(2, len(TRUTH))}")
    return found.double().softmax(dim=1)


@metric("entropy_gap")
def entropy_gap(artifacts: Artifacts) -> float:
    p = _generators(artifacts)
    entropies = -(p * p.clamp_min(1e-12).log()).sum(dim=1)
    return float(entropies[0] - entropies[1])


@metric("likelihood_gap")
def likelihood_gap(artifacts: Artifacts) -> float:
    return float((_generators(artifacts)[0] - torch.tensor(TRUTH).double()).abs().sum() / 2)


@functools.lru_cache(maxsize=4)
def _gold(task: str, seed: int, count: int) -> Tensor:
    """The truth of each word or sentence of the test, (T,)."""
    tasks = Tasks("en", seed=seed)
    if task == "topics":
        return torch.tensor([item.label for item in tasks.topics(count, "test")])
    return torch.tensor([TAGS.index(tag) for item in tasks.entities(count, "test") for tag in item.tags])


def _scores(artifacts: Artifacts, task: str) -> dict[str, float]:
    """The mean score of each system over its runs: the share of topics that is right, or the F1 of names."""
    found, classes = artifacts.tensor(task, ndim=3), TOPICS if task == "topics" else len(TAGS)
    sizes = {len(_gold(task, artifacts.seed, count)): count for count in TEST}
    if len(found) != len(SYSTEMS) or not found.size(1) or found.size(2) not in sizes:
        raise BadArtifact(f"the tensor {task!r} has shape {tuple(found.shape)}, expected {len(SYSTEMS)} systems, runs, answers")
    if found.is_floating_point() or bool(((found < 0) | (found >= classes)).any()):
        raise BadArtifact(f"the tensor {task!r} does not hold whole numbers from 0 to {classes - 1}")
    gold = _gold(task, artifacts.seed, sizes[found.size(2)])
    right = found == gold  # (S, R, T)
    if task == "topics":
        each = right.double().mean(dim=2)
    else:
        said = (found > 0).sum(dim=2) + (gold > 0).sum()
        each = 2 * (right & (gold > 0)).sum(dim=2).double() / said.clamp_min(1)
    return dict(zip(SYSTEMS, each.mean(dim=1).tolist(), strict=True))


def _gap(artifacts: Artifacts, task: str, one: str, other: str) -> float:
    scores = _scores(artifacts, task)
    return scores[one] - scores[other]


@metric("electra_minus_bert_names")
def electra_minus_bert_names(artifacts: Artifacts) -> float:
    return _gap(artifacts, "names", "ELECTRA", "BERT")


@metric("electra_minus_bert_topics")
def electra_minus_bert_topics(artifacts: Artifacts) -> float:
    return _gap(artifacts, "topics", "ELECTRA", "BERT")


@metric("everywhere_names")
def everywhere_names(artifacts: Artifacts) -> float:
    return _gap(artifacts, "names", "ELECTRA", "ELECTRA 15%")


@metric("everywhere_words_names")
def everywhere_words_names(artifacts: Artifacts) -> float:
    return _gap(artifacts, "names", "All-Tokens MLM", "Replace MLM")


@metric("guesses_names")
def guesses_names(artifacts: Artifacts) -> float:
    return _gap(artifacts, "names", "Replace MLM", "BERT")


@metric("guesses_topics")
def guesses_topics(artifacts: Artifacts) -> float:
    return _gap(artifacts, "topics", "Replace MLM", "BERT")


@metric("electra_minus_untrained_names")
def electra_minus_untrained_names(artifacts: Artifacts) -> float:
    return _gap(artifacts, "names", "ELECTRA", "untrained")
