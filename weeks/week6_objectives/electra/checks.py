"""electra: the public checks. Expected values come from hand counts, closed forms, and torch on shapes."""

import math
from typing import Any

import numpy as np
import torch

from etude.lesson.checks import Mismatch, claim, close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain

NOT = -100  # the label that no loss asks for
OBJECTIVES = ("mlm", "replace-mlm", "all-tokens-mlm", "electra-15", "electra")


def number(value: Any, given: str) -> int:
    """A whole number of the student's, whatever holds it."""
    found = plain(value.item() if hasattr(value, "item") else value)
    true(type(found) is int, "a whole number was expected", given=given, actual=found)
    return int(found)


def tensors(found: Any, given: str, *kinds: str) -> list[torch.Tensor]:
    """As many tensors as there are kinds, of these types."""
    parts = [found] if isinstance(found, torch.Tensor) else found
    if not isinstance(parts, tuple | list) or not all(isinstance(part, torch.Tensor) for part in parts):
        raise Mismatch(f"{len(kinds)} tensors were expected", given=given, actual=found)
    equal([str(part.dtype).removeprefix("torch.") for part in parts], list(kinds), given=f"{given}: the types")
    return list(parts)


def uniform(rows: int, words: int, seed: int) -> torch.Tensor:
    """Numbers above 0 and below 1."""
    return torch.rand(rows, words, generator=torch.Generator().manual_seed(seed)).clamp(1e-4, 1 - 1e-4)


# sample_tokens
@exercise("sample_tokens")
def test_the_word_with_the_largest_score_and_noise_wins(student: Student) -> None:
    # −ln(−ln u): u = 1/e gives 0, u = e^(−1/e²) gives 2, u = e^(−e) gives −1.
    nought, two, minus = math.exp(-1), math.exp(-math.exp(-2)), math.exp(-math.e)
    logits = torch.tensor([[1.0, 0.0, 0.0], [1.0, 0.0, 3.5], [0.0, 1.5, 0.0]])
    draws = torch.tensor([[nought, two, nought], [nought, two, minus], [two, nought, nought]])
    given = "scores with the noise 0, 2, 0 · 0, 2, −1 · 2, 0, 0, so that (1, 2, 0), (1, 2, 2.5) and (2, 1.5, 0) decide"
    (found,) = tensors(student.sample_tokens(logits, draws), given, "int64")
    equal(found.tolist(), [1, 2, 0], given=given)


@exercise("sample_tokens")
def test_words_come_as_often_as_their_softmax_says(student: Student) -> None:
    wanted = torch.tensor([0.6, 0.25, 0.1, 0.05])
    given = "8,000 times the scores ln .6, ln .25, ln .1, ln .05, moved by 7: how often each word came"
    (found,) = tensors(student.sample_tokens((wanted.log() + 7).expand(8000, 4), uniform(8000, 4, 1)), given, "int64")
    equal(list(found.shape), [8000], given=f"{given}; the shape")
    close(found.bincount(minlength=4) / 8000, wanted, given=given, rtol=0, atol=0.03)


@exercise("sample_tokens", points=0.5, needs="test_words_come_as_often_as_their_softmax_says")
def test_a_word_that_can_never_come_never_comes(student: Student) -> None:
    for score in (0.0, -1e6):
        logits = torch.tensor([[-math.inf, score, -math.inf]]).expand(50, 3)
        given = f"50 times the scores −inf, {score:g}, −inf"
        (found,) = tensors(student.sample_tokens(logits, uniform(50, 3, 2)), given, "int64")
        equal(found.tolist(), [1] * 50, given=given)


# replace_tokens
@exercise("replace_tokens")
def test_guesses_take_their_places_and_what_differs_is_replaced(student: Student) -> None:
    tokens = torch.tensor([[5, 6, 7, 8], [9, 5, 6, 0]])
    chosen = torch.tensor([[False, True, False, True], [True, False, False, False]])
    given = "the tokens (5, 6, 7, 8) and (9, 5, 6, 0), of which 6, 8 and 9 are guessed as 3, 4 and 2"
    read, replaced = tensors(student.replace_tokens(tokens, chosen, torch.tensor([3, 4, 2])), given, "int64", "bool")
    equal(read.tolist(), [[5, 3, 7, 4], [2, 5, 6, 0]], given=f"{given}: what is read")
    equal(replaced.tolist(), chosen.tolist(), given=f"{given}: what was replaced")


@claim("electra-correct-is-real")
@exercise("replace_tokens")
def test_a_guess_that_is_right_is_original(student: Student) -> None:
    # By position alone both places would be "replaced": that is the control.
    tokens, chosen = torch.tensor([[5, 6, 7]]), torch.tensor([[True, False, True]])
    given = "the tokens (5, 6, 7), of which 5 and 7 are guessed as 5 and 4"
    read, replaced = tensors(student.replace_tokens(tokens, chosen, torch.tensor([5, 4])), given, "int64", "bool")
    equal(read.tolist(), [[5, 6, 4]], given=f"{given}: what is read")
    equal(replaced.tolist(), [[False, False, True]], given=f"{given}: what was replaced")
    true(replaced.tolist() != chosen.tolist(), "labels by position alone are the control", given=given)


@exercise("replace_tokens", points=0.5, needs="test_guesses_take_their_places_and_what_differs_is_replaced")
def test_without_a_masked_place_the_text_is_as_it_was(student: Student) -> None:
    tokens, chosen = torch.tensor([[5, 6]]), torch.tensor([[False, False]])
    given = "the tokens (5, 6), none of them masked"
    read, replaced = tensors(
        student.replace_tokens(tokens, chosen, torch.zeros(0, dtype=torch.long)), given, "int64", "bool"
    )
    equal([read.tolist(), replaced.tolist()], [[[5, 6]], [[False, False]]], given=given)


# discriminator_loss
@exercise("discriminator_loss")
def test_who_knows_nothing_pays_ln_2_for_every_token(student: Student) -> None:
    replaced, real = torch.tensor([[True, False, False]]), torch.ones(1, 3).bool()
    given = "three scores of 0, the first token replaced"
    close(student.discriminator_loss(torch.zeros(1, 3), replaced, real), math.log(2), given=given)


@exercise("discriminator_loss")
def test_a_score_above_0_says_replaced(student: Student) -> None:
    # σ(ln 3) = 3/4, σ(ln 7) = 7/8.
    scores = torch.tensor([[math.log(3), math.log(7)]])
    given = "the scores ln 3 and ln 7, of which the first token was replaced: −ln 3/4 and −ln 1/8"
    found = student.discriminator_loss(scores, torch.tensor([[True, False]]), torch.ones(1, 2).bool())
    close(found, (math.log(4 / 3) + math.log(8)) / 2, given=given)


@exercise("discriminator_loss")
def test_the_mean_is_over_all_real_tokens_and_no_padding(student: Student) -> None:
    # Row 1 has three tokens at ln 4, row 2 one at ln 4/3 and padding, which would cost 9.
    third = math.log(3)
    scores = torch.tensor([[third, third, -third], [-third, 9.0, 9.0]])
    replaced = torch.tensor([[False, False, True], [False, False, False]])
    real = torch.tensor([[True, True, True], [True, False, False]])
    given = "three tokens that cost ln 4, then one that costs ln 4/3 and two places of padding"
    close(student.discriminator_loss(scores, replaced, real), (3 * math.log(4) + math.log(4 / 3)) / 4, given=given)


@exercise("discriminator_loss", points=0.5, needs="test_a_score_above_0_says_replaced")
def test_sure_verdicts_that_are_wrong_cost_what_they_say(student: Student) -> None:
    # One that is right costs 0, and is a token like any other.
    scores, real = torch.tensor([[200.0, -300.0, -200.0]]), torch.ones(1, 3).bool()
    given = "the scores 200 for an original token, −300 for a replaced one, −200 for an original one"
    close(student.discriminator_loss(scores, torch.tensor([[False, True, False]]), real), 500 / 3, given=given)


# electra_loss
FLAT = torch.zeros(1, 2)  # scores that say nothing: ln 2 a token
HALF, BOTH = torch.tensor([[True, False]]), torch.tensor([[True, True]])


@claim("electra-loss-sum")
@exercise("electra_loss")
def test_the_two_means_are_summed_with_lambda(student: Student) -> None:
    # λ = 1 differs: that is the control.
    logits, wanted = torch.zeros(3, 8), torch.tensor([0, 4, 7])
    given = "three masked words at ln 8 each, two verdicts at ln 2 each"
    for weight in (50.0, 1.0, 0.5):
        found = student.electra_loss(logits, wanted, FLAT, HALF, BOTH, weight)
        close(found, math.log(8) + weight * math.log(2), given=f"{given}, λ = {weight:g}")


@exercise("electra_loss", points=0.5)
def test_lambda_is_50_if_nobody_says_otherwise(student: Student) -> None:
    found = student.electra_loss(torch.zeros(1, 4), torch.tensor([2]), FLAT, HALF, BOTH)
    close(found, math.log(4) + 50 * math.log(2), given="one masked word at ln 4, two verdicts at ln 2 each, λ not said")


@exercise("electra_loss")
def test_each_masked_word_is_scored_by_its_own_row(student: Student) -> None:
    logits = torch.tensor([[math.log(3), 0.0], [0.0, math.log(7)]])
    given = "masked words of probability 3/4 and 1/8, verdicts at ln 2 each, λ = 2"
    found = student.electra_loss(logits, torch.tensor([0, 0]), FLAT, HALF, BOTH, 2.0)
    close(found, (math.log(4 / 3) + math.log(8)) / 2 + 2 * math.log(2), given=given)


@claim("electra-adversarial")
@exercise("electra_loss")
def test_the_generators_gradient_is_that_of_maximum_likelihood_whatever_lambda(student: Student) -> None:
    # softmax − one-hot, over M: no λ in it. The verdicts' gradient has the λ.
    logits = torch.tensor([[0.5, -1.0, 0.25], [2.0, 0.0, -0.5]], dtype=torch.float64)
    wanted, scores = torch.tensor([2, 0]), torch.tensor([[0.75, -0.5]], dtype=torch.float64)
    likelihood = (logits.softmax(dim=1) - torch.eye(3, dtype=torch.float64)[wanted]) / 2
    verdicts = (scores.sigmoid() - HALF.double()) / 2
    for weight in (0.0, 50.0):
        leaves = [logits.clone().requires_grad_(), wanted, scores.clone().requires_grad_(), HALF, BOTH, weight]
        found = student.gradients("electra_loss", *leaves)
        given = f"two masked words, two verdicts, λ = {weight:g}: the gradient for "
        true(found[0] is not None, "the loss knows nothing of the generator's scores", given=f"{given}the generator's scores")
        close(found[0], likelihood, given=f"{given}the generator's scores")
        if weight:
            true(found[1] is not None, "the loss knows nothing of the verdicts", given=f"{given}the verdicts")
            close(found[1], weight * verdicts, given=f"{given}the verdicts")


# adversarial_loss
@exercise("adversarial_loss")
def test_rewarded_guesses_become_more_likely(student: Student) -> None:
    # −(R − b) (one-hot − p) / M.
    logits = torch.zeros(2, 4)
    given = "two places with four equal scores, the guesses 1 and 3, the rewards 2 and −1: the gradient for the scores"
    found = student.gradients("adversarial_loss", logits.requires_grad_(), torch.tensor([1, 3]), torch.tensor([2.0, -1.0]))
    true(found[0] is not None, "the loss knows nothing of the generator's scores", given=given)
    close(found[0], [[0.25, -0.75, 0.25, 0.25], [-0.125, -0.125, -0.125, 0.375]], given=given)


@exercise("adversarial_loss")
def test_on_average_the_gradient_is_that_of_the_expected_reward(student: Student) -> None:
    # All three words in turn, each as heavy as it is probable: Σ p ∇(−R ln p) = −∇ Σ p R.
    logits, rewards = torch.tensor([0.0, 1.0, -0.5], dtype=torch.float64), torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    p = logits.softmax(dim=0)
    expected = -p * (rewards - (p * rewards).sum())
    for baseline in (0.0, 0.75):
        found = torch.zeros(3, dtype=torch.float64)
        given = f"the scores 0, 1, −.5 with the rewards 1, −2, .5, baseline {baseline}: the gradient over all guesses"
        for word in range(3):
            leaf, sampled = logits[None].clone().requires_grad_(), torch.tensor([word])
            one = student.gradients("adversarial_loss", leaf, sampled, rewards[word : word + 1], baseline)[0]
            true(one is not None, "the loss knows nothing of the generator's scores", given=given)
            found += p[word] * torch.as_tensor(np.asarray(one)).reshape(3)
        close(found, expected, given=given)


@exercise("adversarial_loss")
def test_its_value_is_the_mean_of_reward_times_minus_ln_p(student: Student) -> None:
    logits, sampled, rewards = torch.zeros(2, 8), torch.tensor([0, 5]), torch.tensor([3.0, 1.0])
    given = "two guesses of probability 1/8, the rewards 3 and 1, baseline "
    close(student.adversarial_loss(logits, sampled, rewards), 2 * math.log(8), given=f"{given}not said")
    close(student.adversarial_loss(logits, sampled, rewards, 0.5), 1.5 * math.log(8), given=f"{given}.5")


# step_flops
SMALL = {"tokens": 5, "masked": 2, "layers": 1, "width": 4, "small": 2, "words": 10}
# Layers of width 4: 12·5·16 + 2·25·4 = 1,160; of width 2: 12·5·4 + 2·25·2 = 340. Word scores 4: 16 + 40; 2: 8 + 40. Verdict 20.
GENERATOR = 340 + 5 * 4 * 2 + 2 * 48
HAND = {
    "mlm": 1160 + 2 * 56,
    "replace-mlm": GENERATOR + 1160 + 2 * 56,
    "all-tokens-mlm": GENERATOR + 1160 + 5 * 56 + 5 * 4,
    "electra-15": GENERATOR + 1160 + 2 * 20,
    "electra": GENERATOR + 1160 + 5 * 20,
}


def counted(student: Student, objective: str, sizes: dict[str, int], multiplications: int) -> None:
    given = f"{objective}, " + ", ".join(f"{name} {size:,}" for name, size in sizes.items())
    equal(number(student.step_flops(objective, *sizes.values()), given), 6 * multiplications, given=given)


@exercise("step_flops")
def test_bert_has_no_generator_and_scores_words_at_masked_places(student: Student) -> None:
    counted(student, "mlm", SMALL, HAND["mlm"])


@exercise("step_flops")
def test_electra_pays_for_its_generator_and_judges_everywhere(student: Student) -> None:
    counted(student, "electra", SMALL, HAND["electra"])
    counted(student, "electra-15", SMALL, HAND["electra-15"])


@exercise("step_flops")
def test_the_steps_between_counted_by_hand(student: Student) -> None:
    counted(student, "replace-mlm", SMALL, HAND["replace-mlm"])
    counted(student, "all-tokens-mlm", SMALL, HAND["all-tokens-mlm"])


@exercise("step_flops", points=0.5, needs="test_electra_pays_for_its_generator_and_judges_everywhere")
def test_a_generator_as_wide_as_the_model_needs_no_projection(student: Student) -> None:
    counted(student, "electra", SMALL | {"small": 4}, 1160 + 2 * 56 + 1160 + 5 * 20)


# ladder
TEXT, CHOSEN = torch.tensor([[7, 5, 6, 8], [7, 9, 8, 0]]), torch.tensor([[False, True, True, False], [False, True, False, False]])
GUESSES = torch.tensor([5, 4, 3])  # the first is right
GIVEN = "the texts (7, 5, 6, 8) and (7, 9, 8, padding 0), of which 5, 6 and 9 are masked and guessed as 5, 4 and 3; [MASK] is 1"


def laddered(student: Student, objective: str, read: list[list[int]], targets: list[list[int]]) -> None:
    found = tensors(student.ladder(objective, TEXT, CHOSEN, GUESSES, 1, 0), f"{GIVEN}; {objective}", "int64", "int64")
    equal(found[0].tolist(), read, given=f"{GIVEN}; {objective}: what is read")
    equal(found[1].tolist(), targets, given=f"{GIVEN}; {objective}: the targets")


@exercise("ladder")
def test_bert_reads_masks_and_is_asked_for_masked_words(student: Student) -> None:
    laddered(student, "mlm", [[7, 1, 1, 8], [7, 1, 8, 0]], [[NOT, 5, 6, NOT], [NOT, 9, NOT, NOT]])


@exercise("ladder")
def test_replace_mlm_reads_guesses_and_is_asked_for_masked_words(student: Student) -> None:
    laddered(student, "replace-mlm", [[7, 5, 4, 8], [7, 3, 8, 0]], [[NOT, 5, 6, NOT], [NOT, 9, NOT, NOT]])


@exercise("ladder")
def test_all_tokens_mlm_is_asked_for_every_word_but_padding(student: Student) -> None:
    laddered(student, "all-tokens-mlm", [[7, 5, 4, 8], [7, 3, 8, 0]], [[7, 5, 6, 8], [7, 9, 8, NOT]])


@exercise("ladder")
def test_electra_is_asked_for_verdicts_everywhere_or_at_masked_places(student: Student) -> None:
    laddered(student, "electra", [[7, 5, 4, 8], [7, 3, 8, 0]], [[0, 0, 1, 0], [0, 1, 0, NOT]])
    laddered(student, "electra-15", [[7, 5, 4, 8], [7, 3, 8, 0]], [[NOT, 0, 1, NOT], [NOT, 1, NOT, NOT]])


# copy_loss
@exercise("copy_loss")
def test_a_token_that_stands_there_may_be_copied_or_written(student: Student) -> None:
    # D = 3/4, and 1/4 of the words' 1/8.
    logits, copy = torch.zeros(1, 8), torch.tensor([math.log(3)])
    given = "D = 3/4, eight equal words, the original is what is read: p = 3/4 + 1/4 · 1/8"
    close(student.copy_loss(logits, copy, torch.tensor([5]), torch.tensor([5])), -math.log(25 / 32), given=given)


@exercise("copy_loss")
def test_a_replaced_token_must_be_written(student: Student) -> None:
    logits, copy = torch.zeros(1, 8), torch.tensor([math.log(3)])
    given = "D = 3/4, eight equal words, the original is not what is read: p = 1/4 · 1/8"
    close(student.copy_loss(logits, copy, torch.tensor([2]), torch.tensor([5])), math.log(32), given=given)


@exercise("copy_loss")
def test_the_mean_is_over_all_tokens(student: Student) -> None:
    logits = torch.tensor([[0.0, 0.0], [0.0, math.log(3)], [0.0, 0.0]])
    copy = torch.tensor([0.0, 0.0, -math.log(3)])
    read, wanted = torch.tensor([0, 0, 1]), torch.tensor([0, 1, 1])
    given = "three tokens: D = 1/2, 1/2, 1/4; p = 1/2 + 1/4, 1/2 · 3/4, 1/4 + 3/4 · 1/2"
    expected = -(math.log(3 / 4) + math.log(3 / 8) + math.log(5 / 8)) / 3
    close(student.copy_loss(logits, copy, read, wanted), expected, given=given)


@exercise("copy_loss", points=0.5, needs="test_a_token_that_stands_there_may_be_copied_or_written")
def test_gradients_reach_words_and_copy(student: Student) -> None:
    def oracle(logits: torch.Tensor, copy: torch.Tensor, read: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        d = copy.sigmoid()
        p = (1 - d) * logits.softmax(dim=1)[torch.arange(len(wanted)), wanted] + d * (read == wanted)
        return -p.log().mean()

    generator = torch.Generator().manual_seed(3)
    leaves = {
        "logits": torch.randn(4, 5, generator=generator, dtype=torch.float64),
        "copy": torch.randn(4, generator=generator, dtype=torch.float64),
    }
    read, wanted = torch.tensor([0, 1, 2, 3]), torch.tensor([0, 4, 2, 1])
    close_gradients(student, "copy_loss", oracle, leaves, read, wanted, given="four tokens, two of them replaced, V = 5")
