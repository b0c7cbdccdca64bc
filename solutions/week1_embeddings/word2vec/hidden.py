"""word2vec: hidden checks and the metrics that the grader computes itself. Never released."""

import math
from typing import Any

import numpy as np
import torch
from hypothesis.strategies import DrawFn, booleans, composite, integers, lists, sampled_from, tuples
from torch.nn.functional import softplus

from etude import metrics
from etude.lesson.checks import close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
from etude.world import World
from grader.grading.artifacts import Artifacts
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all


@exercise("skipgram_pairs", points=0.5)
def test_every_window_agrees_with_brute_force(student: Student) -> None:
    for length, window in [(0, 2), (1, 3), (5, 1), (7, 3), (4, 10), (14, 2), (30, 8), (300, 2), (60, 59)]:
        tokens = list(range(length))
        expected = [(a, b) for i, a in enumerate(tokens) for j, b in enumerate(tokens) if 0 < abs(i - j) <= window]
        equal(
            [tuple(pair) for pair in student.skipgram_pairs(tokens, window)],
            expected,
            given=f"the ids from 0 to {length - 1}, window {window}",
        )


@exercise("skipgram_pairs")
def test_a_word_that_stands_twice_is_paired_at_both_places(student: Student) -> None:
    equal(len(student.skipgram_pairs(["so", "so", "so"], 1)), 4, given="so so so, window 1")
    equal(student.skipgram_pairs([" so", "so"], 1), [(" so", "so"), ("so", " so")], given="' so' and so, window 1")
    equal(student.skipgram_pairs(["", "So"], 1), [("", "So"), ("So", "")], given="an empty word and So, window 1")


@exercise("skipgram_pairs", points=0.5)
@for_all(tokens=inputs.sentences(), window=integers(1, 5))
def test_any_sentence_has_the_pairs_of_brute_force(student: Student, tokens: list[str], window: int) -> None:
    places = [(i, j) for i in range(len(tokens)) for j in range(len(tokens)) if 0 < abs(i - j) <= window]
    found = [tuple(pair) for pair in student.skipgram_pairs(tokens, window)]
    equal(found, [(tokens[i], tokens[j]) for i, j in places])


@exercise("cbow_examples", points=0.5)
def test_the_examples_agree_with_brute_force(student: Student) -> None:
    long = [i % 7 for i in range(300)]
    few: list[list[Any]] = [list("abcdefghijklmn"), list(range(20)), [0, 0], [], ["", "a", "", ""], long, long[:60]]
    for tokens, window in zip(few, (3, 8, 1, 2, 2, 2, 59), strict=True):
        near = [[t for j, t in enumerate(tokens) if 0 < abs(i - j) <= window] for i in range(len(tokens))]
        equal(
            [(list(contexts), center) for contexts, center in student.cbow_examples(tokens, window)],
            list(zip(near, tokens, strict=True)),
            given=f"the tokens {tokens}, window {window}",
        )


@exercise("cbow_examples", needs="test_all_contexts_of_a_word_make_one_example")
def test_a_sentence_of_one_word_has_no_example(student: Student) -> None:
    equal(student.cbow_examples(["alone"], 2), [], given="one word, window 2")


@exercise("cbow_examples", points=0.5)
@for_all(tokens=inputs.sentences(), window=integers(1, 5))
def test_any_sentence_has_the_examples_of_brute_force(student: Student, tokens: list[str], window: int) -> None:
    near = [[t for j, t in enumerate(tokens) if 0 < abs(i - j) <= window] for i in range(len(tokens))]
    found = [(list(contexts), center) for contexts, center in student.cbow_examples(tokens, window)]
    equal(found, [(contexts, tokens[i]) for i, contexts in enumerate(near) if contexts])


@exercise("keep_probability", points=0.5)
def test_probabilities_follow_the_formula_at_every_frequency(student: Student) -> None:
    counts = torch.tensor([5000, 700, 200, 90, 9, 1])
    for t in (1e-2, 1e-5):
        expected = np.minimum(1.0, np.sqrt(t * 6000 / counts.numpy()))
        close(student.keep_probability(counts, t), expected, given=f"counts 5000, 700, 200, 90, 9, 1; t = {t:g}")
    close(student.keep_probability(torch.tensor([7]), 0.01), [0.1], given="the count 7 of a single word; t = 0.01")


@exercise("keep_probability", points=0.5, needs="test_a_frequent_word_is_kept_with_probability_sqrt_t_over_f")
def test_counts_of_any_type_and_any_threshold_are_obeyed(student: Student) -> None:
    for kind in (torch.int32, torch.int64, torch.float32, torch.float64):
        for t in (1e-9, 1e-3, 0.3, 2):
            counts = torch.tensor([2_000_000_000, 2_000_000_000, 1_000_000, 1], dtype=kind)
            expected = [min(1.0, math.sqrt(t * 4_001_000_001 / n)) for n in (2e9, 2e9, 1e6, 1)]
            found, given = student.keep_probability(counts, t), f"2·10⁹, 2·10⁹, 10⁶ and 1, of {kind}; t = {t:g}"
            close(found, expected, atol=1e-7, given=given)  # one minus what is dropped has this precision in float32
            true(found.is_floating_point(), "a float tensor was expected", given=given, actual=str(found.dtype))
    expected = [math.sqrt(0.1 * 9 / n) for n in (1.5, 2.75, 4.75)]
    close(student.keep_probability(torch.tensor([1.5, 2.75, 4.75]), 0.1), expected, given="1½, 2¾ and 4¾; t = 0.1")


@exercise("keep_probability", points=0.5)
@for_all(counts=inputs.counts(), t=sampled_from([1.0, 0.3, 0.01]))
def test_any_counts_give_the_formulas_probabilities(student: Student, counts: torch.Tensor, t: float) -> None:
    close(student.keep_probability(counts, t), [min(1.0, math.sqrt(t * sum(counts) / n)) for n in counts.tolist()])


@composite
def occurrences(draw: DrawFn) -> torch.Tensor:
    """Counts (V,) of one of four types, some of them 0, at least one above."""
    kind = draw(sampled_from([torch.int32, torch.int64, torch.float32, torch.float64]))
    whole = lists(sampled_from([0, 1, 1, 2, 7, 1000, 10**9]), max_size=12)
    few = draw(whole if kind in (torch.int32, torch.int64) else whole | lists(integers(0, 40).map(lambda n: n / 8)))
    few.insert(draw(integers(0, len(few))), draw(sampled_from([1, 3, 10**6])))
    return torch.tensor(few, dtype=kind)


@exercise("noise_distribution", points=0.5)
@for_all(counts=occurrences(), power=sampled_from([0.75, 1, 0.5, 2, 0.125]))
def test_any_counts_are_drawn_in_proportion_to_their_powers(
    student: Student, counts: torch.Tensor, power: float
) -> None:
    weights = [float(count) ** power for count in counts.tolist()]
    close(student.noise_distribution(counts, power), [weight / math.fsum(weights) for weight in weights], atol=0)


@exercise("noise_distribution", points=0.5)
def test_another_power_is_obeyed(student: Student) -> None:
    close(
        student.noise_distribution(torch.tensor([1, 4, 9]), power=0.5),
        [1 / 6, 2 / 6, 3 / 6],
        given="counts 1, 4, 9; power ½",
    )
    for power, expected in ((0, [1 / 2, 1 / 2]), (2, [1 / 17, 16 / 17]), (0.5, [1 / 3, 2 / 3])):
        found = student.noise_distribution(torch.tensor([1, 4]), power=power)
        close(found, expected, given=f"counts 1 and 4; power {power}")


@exercise("noise_distribution", points=0.5)
def test_floats_and_zeros_are_counts_too(student: Student) -> None:
    counts = torch.tensor([0.25, 0.0, 2.25])
    handle = student.put(counts.clone())
    close(student.noise_distribution(handle, power=0.5), [0.25, 0, 0.75], given="counts ¼, 0 and 2¼; power ½")
    close(student.value(handle), counts, given="the counts, afterwards")
    found = student.noise_distribution(torch.tensor([3, 0, 1, 5]), power=0)
    close(found, [1 / 4] * 4, given="counts 3, 0, 1 and 5; power 0, where all are drawn equally often")


@exercise("noise_distribution", points=0.5, needs="test_the_weights_are_counts_to_the_power_three_quarters")
def test_large_counts_of_any_type_are_raised_whole(student: Student) -> None:
    for kind in (torch.int32, torch.int64, torch.float32, torch.float64):
        for power in (2, 0.75, 1):
            counts = torch.tensor([10**9, 100_000, 3 * 10**8, 0, 1], dtype=kind)
            weights = np.array([1e9, 1e5, 3e8, 0, 1]) ** power
            given = f"counts 10⁹, 10⁵, 3·10⁸, 0 and 1, of {kind}; power {power}"
            close(student.noise_distribution(counts, power), weights / weights.sum(), atol=0, given=given)


@exercise("noise_distribution", points=0.5, needs="test_the_weights_are_counts_to_the_power_three_quarters")
def test_the_only_word_of_a_vocabulary_is_always_drawn(student: Student) -> None:
    close(student.noise_distribution(torch.tensor([7])), [1.0], given="the count 7 of a single word")


@exercise("sgns_loss", points=1.5)
def test_random_batches_agree_with_the_definition(student: Student) -> None:
    generator = torch.Generator().manual_seed(7)
    for b, k, d in [(1, 1, 1), (4, 7, 6), (6, 2, 3), (1, 6, 2), (70, 20, 2)]:
        center, context, negatives = (torch.randn(*shape, generator=generator) for shape in ((b, d), (b, d), (b, k, d)))
        total = 0.0
        for i in range(b):
            total += math.log1p(math.exp(-float(center[i] @ context[i])))
            total += sum(math.log1p(math.exp(float(center[i] @ negatives[i, j]))) for j in range(k))
        close(
            student.sgns_loss(center, context, negatives), total / b, given=f"random vectors, B = {b}, k = {k}, d = {d}"
        )


@composite
def batches(draw: DrawFn) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(center (B, d), context (B, d), negatives (B, k, d)), B from 1 on."""
    b, k, d = draw(integers(1, 3)), draw(integers(1, 3)), draw(integers(1, 3))
    center, context = draw(inputs.tables(b, d)), draw(inputs.tables(b, d))
    return center, context, draw(inputs.tables(b * k, d)).reshape(b, k, d)


def _softplus(x: float) -> float:
    """log(1 + exp(x)) without overflow: −log σ(−x)."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@exercise("sgns_loss", points=0.5)
@for_all(batch=batches())
def test_any_batch_agrees_with_the_definition(
    student: Student, batch: tuple[torch.Tensor, torch.Tensor, torch.Tensor]
) -> None:
    center, context, negatives = (vectors.double() for vectors in batch)
    total = 0.0
    for v, u, noise in zip(center, context, negatives, strict=True):
        total += _softplus(-float(u @ v)) + sum(_softplus(float(n @ v)) for n in noise)
    close(student.sgns_loss(*batch), total / len(center))


@exercise("sgns_loss", points=0.5, needs="test_random_batches_agree_with_the_definition")
def test_gradients_at_large_scores_and_of_one_pair_are_exact(student: Student) -> None:
    def oracle(center: torch.Tensor, context: torch.Tensor, negatives: torch.Tensor) -> torch.Tensor:
        real, noise = (center * context).sum(dim=1), (center[:, None] * negatives).sum(dim=2)
        return (softplus(-real) + softplus(noise).sum(dim=1)).mean()

    names = ("center", "context", "negatives")
    for score in (200.0, -200.0):
        negatives = torch.tensor([[[-1.0], [1.0]], [[0.0], [3.0]]])
        vectors = torch.tensor([[score], [2.0]]), torch.tensor([[1.0], [0.5]]), negatives
        given = f"two pairs; the first with the real score {score:g} and noise {-score:g} and {score:g}"
        close_gradients(student, "sgns_loss", oracle, dict(zip(names, vectors, strict=True)), given=given)
    single = torch.tensor([[0.5]]), torch.tensor([[-2.0]]), torch.tensor([[[1.5]]])
    close_gradients(student, "sgns_loss", oracle, dict(zip(names, single, strict=True)), given="B = k = d = 1")


@exercise("sgns_gradients", points=0.5)
@for_all(batch=batches())
def test_any_batch_has_the_gradients_of_autograd(
    student: Student, batch: tuple[torch.Tensor, torch.Tensor, torch.Tensor]
) -> None:
    center, context, negatives = (vectors.double().requires_grad_() for vectors in batch)
    real, noise = (center * context).sum(dim=1), (center[:, None] * negatives).sum(dim=2)
    loss = torch.nn.functional.softplus(-real).mean() + torch.nn.functional.softplus(noise).sum() / len(center)
    expected = torch.autograd.grad(loss, (center, context, negatives))
    for mine, right in zip(student.sgns_gradients(*batch), expected, strict=True):
        close(mine, right, atol=1e-4)


@exercise("sgns_gradients", points=0.5, needs="test_the_gradients_are_those_of_autograd")
def test_many_pairs_and_many_negatives_have_gradients(student: Student) -> None:
    generator = torch.Generator().manual_seed(12)
    for b, k, d in ((1, 1, 1), (70, 2, 1), (2, 30, 2), (1, 3, 5)):
        center, context, negatives = (
            torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in ((b, d), (b, d), (b, k, d))
        )
        real = torch.sigmoid((center * context).sum(dim=1, keepdim=True)) - 1
        noise = torch.sigmoid((center[:, None] * negatives).sum(dim=2, keepdim=True))
        expected = real * context + (noise * negatives).sum(dim=1), real * center, noise * center[:, None]
        found = student.sgns_gradients(center, context, negatives)
        for name, mine, right in zip(("center", "context", "negatives"), found, expected, strict=True):
            close(mine, right / b, given=f"random vectors, B = {b}, k = {k}, d = {d}; the gradient of {name}")


@exercise("sgns_gradients", points=2)
def test_the_gradients_agree_with_finite_differences(student: Student) -> None:
    generator = torch.Generator().manual_seed(11)
    shapes = ((2, 3), (2, 3), (2, 7, 3))
    inputs = [torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in shapes]
    inputs[2][1] *= 1e-3  # the noise of the second pair is small

    def loss(center: torch.Tensor, context: torch.Tensor, negatives: torch.Tensor) -> float:
        real, noise = (center * context).sum(1), (center[:, None] * negatives).sum(2)
        return float(torch.log1p(torch.exp(-real)).sum() + torch.log1p(torch.exp(noise)).sum()) / 2

    gradients = student.sgns_gradients(*inputs)
    for place, tensor in enumerate(inputs):
        expected = torch.zeros_like(tensor)
        for i in range(tensor.numel()):
            for sign in (1, -1):
                moved = [x.clone() for x in inputs]
                moved[place].view(-1)[i] += sign * 1e-5
                expected.view(-1)[i] += sign * loss(*moved) / 2e-5
        close(gradients[place], expected, rtol=1e-3, atol=1e-5, given=("center", "context", "negatives")[place])


@composite
def courses(draw: DrawFn) -> tuple[torch.Tensor, torch.Tensor, dict[str, Any]]:
    """(pairs (N, 2), counts (V,), settings) of a training whose noise is one word, which is no context.

    The order of the pairs does not matter: an epoch is one batch, or all pairs are the same.
    """
    size, noise = draw(integers(2, 5)), draw(integers(0, 4))
    noise %= size
    contexts = [word for word in range(size) if word != noise]
    pairs = draw(lists(tuples(inputs.ids(size), sampled_from(contexts)), min_size=1, max_size=6))
    counts = torch.zeros(size, dtype=torch.int64)
    counts[noise] = draw(integers(1, 9))
    if draw(booleans()):
        pairs = pairs[:1] * draw(integers(1, 6))
    settings = {
        "dim": draw(integers(1, 3)),
        "negatives": draw(integers(2, 4)),
        "epochs": draw(integers(1, 3)),
        "lr": draw(sampled_from([0.02, 0.125])),
        "batch": 16 if len(set(pairs)) > 1 else draw(integers(1, 4)),
        "seed": draw(integers(0, 99)),
    }
    return torch.tensor(pairs), counts, settings


def _trained(pairs: torch.Tensor, noise: int, size: int, settings: dict[str, Any]) -> torch.Tensor:
    """The centre vectors (V, dim) where each negative is the word `noise`: Adam in double precision, from the given start."""
    generator = torch.Generator().manual_seed(settings["seed"])
    start = (torch.rand(size, settings["dim"], generator=generator) - 0.5) / settings["dim"]
    centers: torch.Tensor = start.double().requires_grad_()
    contexts = torch.zeros_like(start, dtype=torch.float64).requires_grad_()
    optimizer = torch.optim.Adam([centers, contexts], lr=settings["lr"])
    for rows in pairs.split(settings["batch"]) * settings["epochs"]:
        center, context = centers[rows[:, 0]], contexts[rows[:, 1]]
        costs = softplus(-(center * context).sum(dim=1)) + settings["negatives"] * softplus(center @ contexts[noise])
        optimizer.zero_grad()
        costs.mean().backward()
        optimizer.step()
    return centers.detach()


@exercise("train_sgns", points=0.5)
@for_all(course=courses(), examples=15)
def test_with_a_single_word_of_noise_the_steps_are_those_of_adam(
    student: Student, course: tuple[torch.Tensor, torch.Tensor, dict[str, Any]]
) -> None:
    pairs, counts, settings = course
    expected = _trained(pairs, int(counts.argmax()), len(counts), settings)
    close(student.train_sgns(pairs, counts, **settings), expected, rtol=1e-3, atol=1e-3)


@exercise("train_sgns", points=0.5)
def test_more_epochs_learn_more(student: Student) -> None:
    pairs = torch.tensor([(i, i ^ 1) for i in range(20)]).repeat(
        20, 1
    )  # word 2i and word 2i+1 are each other's only context
    counts = torch.full((20,), 20)

    def gap(epochs: int) -> float:
        vectors = torch.nn.functional.normalize(
            student.train_sgns(pairs, counts, dim=16, epochs=epochs, batch=100, seed=5), dim=1
        )
        return float((vectors - vectors.mean(0)).norm())

    before, after = gap(1), gap(40)
    true(after > before, f"after 40 epochs the vectors differ by {after:.2f}, after one by {before:.2f}")


@exercise("train_sgns", points=0.5)
def test_the_vectors_are_those_of_the_centre_words(student: Student) -> None:
    pairs = torch.tensor([(0, 2), (1, 2), (0, 3), (1, 3), (4, 5), (6, 5), (4, 7), (6, 7)]).repeat(30, 1)
    unit = torch.nn.functional.normalize(
        student.train_sgns(pairs, torch.full((8,), 60), dim=8, epochs=40, batch=60, seed=2), dim=1
    )
    alike, apart = float(unit[0] @ unit[1]), float(unit[0] @ unit[4])
    true(
        alike > apart + 0.5,
        f"two centres with the same contexts have cosine {alike:.2f}, two with other contexts {apart:.2f}",
        given="words 0, 1, 4 and 6 are only ever centres",
    )


@exercise("train_sgns", points=0.5, needs="test_words_that_keep_company_get_similar_vectors")
def test_a_word_that_is_never_a_centre_keeps_its_start(student: Student) -> None:
    pairs = torch.tensor([(0, 2), (1, 2), (0, 3), (1, 3)]).repeat(20, 1)
    vectors = student.train_sgns(pairs, torch.full((4,), 40), dim=8, epochs=20, batch=20, seed=2)
    largest = float(vectors[2:].abs().max())
    true(
        largest <= 0.5 / 8 + 1e-6,
        f"the vector of a word that is only ever a context has grown to {largest:.2f}: centres and contexts have two tables",
        given="words 2 and 3 are only ever contexts",
    )


@exercise("train_sgns", points=0.5, needs="test_words_that_keep_company_get_similar_vectors")
def test_the_inputs_are_left_alone(student: Student) -> None:
    pairs = torch.tensor([(0, 1), (1, 0), (2, 3), (3, 2)]).repeat(8, 1)
    handle = student.put(pairs.clone())
    student.train_sgns(handle, torch.full((4,), 8), dim=4, epochs=1, batch=8, seed=0)
    close(student.value(handle), pairs, given="the pairs, after training on them")


@exercise("train_sgns", points=0.5, needs="test_words_that_keep_company_get_similar_vectors")
def test_every_batch_has_negatives_of_its_own(student: Student) -> None:
    pairs = torch.cartesian_prod(torch.arange(20), torch.arange(20)).repeat(2, 1)
    vectors = student.train_sgns(pairs, torch.ones(20), dim=4, negatives=1, epochs=6, lr=0.02, batch=10)
    length = float(vectors.norm(dim=1).mean())
    # Real and drawn contexts are equally frequent, so u·v tends to 0 and vectors stay short: 0.2 to 0.4 over seeds. Words that
    # are never drawn, because each batch draws the same ten, grow beyond 1.5.
    true(
        length < 0.8,
        f"the vectors have length {length:.2f} on average, expected less than 0.8: are the same negatives drawn for each batch?",
        given="20 words of which each stands beside all equally often; one negative, batches of 10 pairs",
        actual=round(length, 1),
    )


@exercise("train_sgns", points=0.5, needs="test_words_that_keep_company_get_similar_vectors")
def test_more_negatives_push_further(student: Student) -> None:
    pairs = torch.cartesian_prod(torch.arange(6), torch.arange(6)).repeat(10, 1)  # (360, 2)
    vectors = student.train_sgns(pairs, torch.full((6,), 60), dim=4, negatives=16, epochs=20, lr=0.02, batch=60)
    length = float(vectors.norm(dim=1).mean())
    # With k negatives and noise like the text u·v tends to −log k, so each of the two grows to the root of log 16, 1.67.
    true(
        1.45 < length < 1.9,
        f"the vectors have length {length:.2f} on average, expected 1.45 to 1.9: how many negatives has a pair?",
        given="six words of which each stands beside all equally often; 16 negatives",
        actual=round(length),
    )


@exercise("train_sgns", points=0.5, needs="test_words_that_keep_company_get_similar_vectors")
def test_every_pair_has_negatives_of_its_own(student: Student) -> None:
    # After one batch every coordinate of a context that moved is lr or −lr: Adam's first step. A centre's step in the second has the
    # sign of the sum of its two negatives less its context, an odd number of such terms, so never 0. Centres of one context whose
    # negatives are the same take the same signs.
    pairs, settings = torch.tensor([(i, 0) for i in range(200)]), {"dim": 4, "negatives": 2, "lr": 0.01, "batch": 200}
    before, after = (student.train_sgns(pairs, torch.ones(200), epochs=epochs, seed=5, **settings) for epochs in (0, 2))
    ways = len((after > before).int().unique(dim=0))
    true(
        ways > 1,
        f"200 centres of the same context have moved in {ways} of 16 directions: do they share their negatives?",
        given="200 words beside one and the same; two negatives; batches of 200, two epochs",
        actual=ways,
    )


@exercise("train_sgns", points=0.5, needs="test_words_that_keep_company_get_similar_vectors")
def test_a_rest_of_one_pair_is_a_batch_too(student: Student) -> None:
    pairs = torch.tensor([[0, 1], [1, 0], [2, 1]])
    for some, given in ((pairs, "3 pairs in batches of 2"), (pairs[:1], "one pair")):
        for negatives in (1, 2):
            vectors = student.train_sgns(some, torch.tensor([2, 3, 1]), dim=1, negatives=negatives, epochs=2, batch=2)
            equal(list(vectors.shape), [3, 1], given=f"{given}, negatives of each: {negatives}, vectors of one number")
            true(bool(vectors.isfinite().all()), "finite numbers were expected", given=given, actual=vectors)


NAMES = ["us", "Us", "us ", "", "<unk>", "3", "03", "café", "cafe\u0301", "눈", "\u1102\u116e\u11ab", "ß", "ss"]


@composite
def named_vectors(draw: DrawFn, fewest: int) -> tuple[torch.Tensor, list[str]]:
    """(vectors (V, d) without a row of zeros, V different words), V from `fewest` to 12."""
    words = draw(lists(sampled_from(NAMES), min_size=fewest, max_size=12, unique=True))
    vectors = draw(inputs.tables(len(words), draw(integers(1, 4))))
    vectors[(vectors == 0).all(dim=1)] = 1.0
    return vectors, words


def _units(vectors: torch.Tensor) -> np.ndarray:
    rows = vectors.double().numpy()
    return np.asarray(rows / np.sqrt((rows**2).sum(axis=1, keepdims=True)))


@exercise("nearest", points=0.5)
@for_all(named=named_vectors(1), query=integers(0, 11), k=integers(1, 14))
def test_any_words_have_the_neighbours_of_brute_force(
    student: Student, named: tuple[torch.Tensor, list[str]], query: int, k: int
) -> None:
    vectors, words = named
    query %= len(words)
    unit = _units(vectors)
    cosines = {word: float(unit[i] @ unit[query]) for i, word in enumerate(words) if i != query}
    found, expected = student.nearest(vectors, words, words[query], k), sorted(cosines.values(), reverse=True)[:k]
    close([cosine for _, cosine in found], expected, atol=1e-5)
    names = [word for word, _ in found]
    equal(len(set(names)), len(expected))
    close([cosines.get(word, math.nan) for word in names], expected, atol=1e-5)  # words of one cosine come in any order


@exercise("nearest", points=0.5)
def test_the_vectors_are_left_alone_and_the_order_is_that_of_all_cosines(student: Student) -> None:
    generator = torch.Generator().manual_seed(2)
    vectors, words = torch.randn(30, 5, generator=generator), [f"w{i}" for i in range(30)]
    handle = student.put(vectors.clone())
    cosine = (vectors @ vectors[4]) / (vectors.norm(dim=1) * vectors[4].norm())
    expected = [f"w{i}" for i in cosine.argsort(descending=True).tolist() if i != 4][:12]
    equal(
        [word for word, _ in student.nearest(handle, words, "w4", 12)],
        expected,
        given="30 random words; 12 neighbours of w4",
    )
    close(student.value(handle), vectors, given="the vectors, after asking for neighbours")


@exercise("nearest", points=0.5)
def test_twins_of_the_query_and_opposites_are_neighbours(student: Student) -> None:
    vectors = torch.tensor([[2.0, 0.0], [1.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [3.0, 4.0]])
    words = ["twin", "us", "Us", "west", "north"]
    found = student.nearest(vectors, words, "us", 9)
    given = "five words in the plane, 9 neighbours of us"
    equal([word for word, _ in found], ["twin", "Us", "north", "west"], given=given)
    close([cosine for _, cosine in found], [1, math.sqrt(0.5), 0.6, -1], given=given)
    true(all(isinstance(pair, tuple) for pair in found), "a list of tuples was expected", given=given, actual=found)
    vectors = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [1.0, 0.0], [0.0, 1.0]])
    found = student.nearest(vectors, ["a", "b", "c", "d", "e", "f", "g"], "b", 9)
    given = (
        "seven words, a, d and g with one vector, b, c and f with another across it, e opposite a; 9 neighbours of b"
    )
    close([cosine for _, cosine in found], [1, 1, 0, 0, 0, 0], given=given)
    names = [word for word, _ in found]
    equal([sorted(names[:2]), sorted(names[2:])], [["c", "f"], ["a", "d", "e", "g"]], given=f"{given}, in two groups")


@exercise("nearest", points=0.5, needs="test_neighbours_are_ordered_by_cosine_not_by_length")
def test_many_words_and_a_single_one_have_their_neighbours(student: Student) -> None:
    angles = torch.arange(300, dtype=torch.float64) / 100
    lengths = torch.tensor([1e-5, 1.0, 1e5], dtype=torch.float64).repeat(100)
    vectors = (torch.stack([angles.cos(), angles.sin()], dim=1) * lengths[:, None]).float()
    words = [f"w{i}" for i in range(300)]
    for query, k in ((0, 150), (0, 400), (299, 5)):
        given = f"300 words on a half circle, lengths from 1e-5 to 1e5, {k} neighbours of w{query}"
        found = student.nearest(vectors, words, f"w{query}", k)
        expected = [*range(1, 300)][:k] if query == 0 else [*range(298, -1, -1)][:k]
        cosines = [math.cos(abs(i - query) / 100) for i in expected]
        close([cosine for _, cosine in found], cosines, rtol=1e-5, given=given)
        equal([word for word, _ in found], [f"w{i}" for i in expected], given=given)
    equal(list(student.nearest(torch.ones(1, 3), ["us"], "us", 5)), [], given="a single word, 5 neighbours of it")
    found = student.nearest(torch.tensor([[2.0], [-1.0]]), ["a", "b"], "b")
    close([cosine for _, cosine in found], [-1], given="the vectors (2) and (−1)")
    words = ["us ", "us", "US", "café", "cafe\u0301", "u"]
    vectors = torch.tensor([[1.0, 0.1], [1.0, 0.0], [1.0, 0.2], [1.0, 0.3], [1.0, 0.4], [1.0, 0.5]])
    for word, order in (("us", [0, 2, 3, 4, 5]), ("cafe\u0301", [5, 3, 2, 0, 1])):
        found = [name for name, _ in student.nearest(vectors, words, word)]
        equal(found, [words[i] for i in order], given=f"{words}, turned further and further; neighbours of {word!r}")


@exercise("analogy", points=0.5)
def test_long_vectors_weigh_no_more_than_short_ones(student: Student) -> None:
    words = ["a", "b", "c", "d", "e"]
    vectors = torch.tensor([[5.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0.1, 0.0, 0.1], [0.0, 0.1, 0.1], [-9.0, 9.0, 0.5]])
    equal(
        student.analogy(vectors, words, "a", "b", "c"),
        "d",
        given="a : b = c : …, with vectors of very different lengths",
    )


@exercise("analogy")
@for_all(named=named_vectors(4), question=lists(integers(0, 11), min_size=3, max_size=3))
def test_random_questions_agree_with_brute_force(
    student: Student, named: tuple[torch.Tensor, list[str]], question: list[int]
) -> None:
    vectors, words = named
    a, b, c = (place % len(words) for place in question)
    unit = _units(vectors)
    scores = {
        word: float(unit[i] @ (unit[b] - unit[a] + unit[c])) for i, word in enumerate(words) if i not in (a, b, c)
    }
    best = [word for word, score in scores.items() if score > max(scores.values()) - 1e-5]
    found = student.analogy(vectors, words, words[a], words[b], words[c])
    true(found in best, "another word is nearer", actual=found, expected=best)


@exercise("analogy", points=0.5)
def test_any_other_word_may_be_the_answer(student: Student) -> None:
    behind = torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [-1.0, 1.0], [-1.0, 0.0]])
    words = ["a", "b", "c", "e", "d"]
    found = student.analogy(behind, words, "a", "b", "c")
    equal(found, "d", given="a : b = c : …, where all other words lie on the far side")
    twins = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, 3.0], [0.9, 0.2], [2.0, 0.0]])
    words = ["us", "day", "Us", "week", "Day"]
    found = student.analogy(twins, words, "us", "day", "Us")
    equal(found, "Day", given="us : day = Us : …, where Day has the direction of day, and week lies near it")
    words = ["us", "day", "us ", "day ", "week"]
    found = student.analogy(twins[[0, 1, 2, 4, 3]], words, "us", "day", "us ")
    equal(found, "day ", given="us : day = 'us ' : …, where 'day ' has the direction of day, and week lies near it")
    far = torch.cat([torch.eye(3), torch.tensor([[1.0, -1.0, -1.0]]).repeat(296, 1), torch.tensor([[-1.0, 2.0, 1.0]])])
    words = [f"w{i}" for i in range(300)]
    found = student.analogy(far, words, "w0", "w1", "w2")
    equal(found, "w299", given="w0 : w1 = w2 : …, 300 words of which only the last lies near w1 − w0 + w2")


@metric("analogies_en")
def analogies_en(artifacts: Artifacts) -> float:
    return _planted(artifacts, "vectors", "words")


@metric("analogies_shuffled")
def analogies_shuffled(artifacts: Artifacts) -> float:
    return _planted(artifacts, "vectors_shuffled", "words_shuffled")


@metric("similarity_en")
def similarity_en(artifacts: Artifacts) -> float:
    truth = World("en", seed=artifacts.seed).similarities()
    return metrics.similarity(artifacts.tensor("vectors", ndim=2), artifacts.strings("words"), truth).value


def _planted(artifacts: Artifacts, vectors: str, words: str) -> float:
    questions = World("en", seed=artifacts.seed).questions()
    return metrics.analogies(artifacts.tensor(vectors, ndim=2), artifacts.strings(words), questions).value
