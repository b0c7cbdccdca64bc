"""word2vec's variants: the hidden checks, and the metrics that the grader computes itself. Never released."""

import math
from itertools import accumulate

import torch
from hypothesis.strategies import DrawFn, composite, integers, just, lists, sampled_from
from torch.nn.functional import cross_entropy

from etude.embeddings import evaluate
from etude.lesson.checks import claim, close, close_gradients, equal, exercise
from etude.lesson.interface import Student
from etude.world import World
from grader.grading.artifacts import Artifacts
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all


@exercise("cbow_contexts")
@for_all(
    lengths=lists(integers(1, 5), min_size=1, max_size=4),
    words=lists(sampled_from([0, 1, 1, 7, 2**24 + 1, 2**40 + 1]), min_size=20, max_size=20),
    window=integers(1, 6) | just(40),
    gaps=lists(sampled_from([1, 1, 2, 9]), min_size=4, max_size=4),
)
def test_any_text_has_the_contexts_of_brute_force(
    student: Student, lengths: list[int], words: list[int], window: int, gaps: list[int]
) -> None:
    numbers = [total - 1 for total in accumulate(gaps)]  # some sentences may be empty
    sentences = [number for number, length in zip(numbers, lengths, strict=False) for _ in range(length)]
    ids = words[: len(sentences)]
    offsets = [o for o in range(-window, window + 1) if o]
    expected = [
        [ids[i + o] if 0 <= i + o < len(ids) and sentences[i + o] == sentences[i] else -1 for o in offsets]
        for i in range(len(ids))
    ]
    found = student.cbow_contexts(torch.tensor(ids), torch.tensor(sentences), window)
    close(found, torch.tensor(expected), rtol=0, atol=0)
    equal(str(found.dtype), "torch.int64")


@composite
def _contexts(draw: DrawFn) -> torch.Tensor:
    """Contexts (B, C) of five words, with empty places anywhere, but a word in each row."""
    width = draw(integers(1, 4))
    row = lists(sampled_from([-1, -1, 0, 1, 2, 4]), min_size=width, max_size=width).filter(lambda ids: max(ids) >= 0)
    return torch.tensor(draw(lists(row, min_size=1, max_size=4)))


@exercise("cbow_hidden")
@for_all(vectors=inputs.tables(5, 2), contexts=_contexts(), kind=sampled_from(["float32", "float64"]))
def test_any_contexts_have_the_mean_of_their_words(
    student: Student, vectors: torch.Tensor, contexts: torch.Tensor, kind: str
) -> None:
    table = vectors.to(getattr(torch, kind))
    hidden = student.cbow_hidden(table, contexts)
    close(hidden, torch.stack([table[[i for i in row if i >= 0]].double().mean(dim=0) for row in contexts.tolist()]))
    equal(str(hidden.dtype), f"torch.{kind}")


@exercise("cbow_hidden", points=0.5, needs="test_padding_does_not_count")
def test_hundreds_of_words_in_a_context_are_counted_whole(student: Student) -> None:
    contexts = torch.tensor([[1] * 300 + [0] * 100 + [-1] * 200, [2] + [-1] * 599])
    hidden = student.cbow_hidden(torch.tensor([[4.0], [8.0], [3.0]]), contexts)
    close(hidden, [[7.0], [3.0]], given="300 times word 1 (8) and 100 times word 0 (4); once word 2 (3)")
    close(
        student.cbow_hidden(torch.tensor([[4.0]]), torch.tensor([[-1, 0]])),
        [[4.0]],
        given="one word in all, one number",
    )


@exercise("cbow_gradient")
@for_all(contexts=_contexts(), rows=inputs.tables(4, 2), size=integers(5, 7))
def test_any_contexts_get_their_shares(student: Student, contexts: torch.Tensor, rows: torch.Tensor, size: int) -> None:
    d_hidden = rows[: len(contexts)]
    expected = torch.zeros(size, 2, dtype=torch.float64)
    for row, gradient in zip(contexts.tolist(), d_hidden.double(), strict=True):
        words = [i for i in row if i >= 0]
        for word in words:
            expected[word] += gradient / len(words)
    close(student.cbow_gradient(contexts, d_hidden, size), expected, atol=1e-4)


@exercise("cbow_gradient", points=0.5, needs="test_each_context_gets_its_share_of_the_gradient")
def test_hundreds_of_words_in_a_context_get_their_shares(student: Student) -> None:
    contexts = torch.tensor([[1] * 300 + [0] * 100 + [-1] * 200, [2] + [-1] * 599])
    found = student.cbow_gradient(contexts, torch.tensor([[8.0], [3.0]]), 4)
    given = "300 times word 1 and 100 times word 0 with gradient 8; once word 2 with gradient 3; four words"
    close(found, [[2.0], [6.0], [3.0], [0.0]], given=given)
    found = student.cbow_gradient(torch.tensor([[-1, 0]]), torch.tensor([[4.0]]), 1)
    close(found, [[4.0]], given="one word in all, one example with the gradient 4")


@composite
def _batches(draw: DrawFn) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Hidden vectors (B, 2), output vectors (V, 2) and targets, in float64; some scores are in the thousands."""
    batch, size = draw(integers(1, 4)), draw(integers(1, 5))
    targets = torch.tensor([draw(inputs.ids(size)) for _ in range(batch)])
    return draw(inputs.tables(batch, 2)).double(), draw(inputs.tables(size, 2)).double(), targets


def _loss(hidden: torch.Tensor, outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return cross_entropy(hidden @ outputs.T, targets)


@exercise("softmax_loss")
@for_all(batch=_batches())
def test_any_batch_has_the_cross_entropy_of_its_scores(
    student: Student, batch: tuple[torch.Tensor, torch.Tensor, torch.Tensor]
) -> None:
    close(student.softmax_loss(*batch), _loss(*batch))


@exercise("softmax_loss", points=0.5, needs="test_the_loss_is_the_cross_entropy_of_all_scores")
def test_each_example_has_its_own_largest_score(student: Student) -> None:
    hidden, outputs = torch.tensor([[30.0], [-30.0], [0.0]]), torch.tensor([[30.0], [29.0], [29.875]])
    targets = torch.tensor([1, 0, 2])
    given = "scores 900 870 896.25, −900 −870 −896.25 and 0 0 0; targets 1, 0, 2"
    expected = _loss(hidden.double(), outputs.double(), targets)
    close(student.softmax_loss(hidden, outputs, targets), expected, atol=1e-3, given=given)
    tables = {"hidden": hidden.double(), "outputs": outputs.double()}
    close_gradients(student, "softmax_loss", _loss, tables, targets, given=given)


@exercise("softmax_gradients")
@for_all(batch=_batches())
def test_any_batch_has_the_gradients_of_autograd(
    student: Student, batch: tuple[torch.Tensor, torch.Tensor, torch.Tensor]
) -> None:
    hidden, outputs = (table.clone().requires_grad_() for table in batch[:2])
    expected = torch.autograd.grad(_loss(hidden, outputs, batch[2]), (hidden, outputs))
    for mine, right in zip(student.softmax_gradients(*batch), expected, strict=True):
        close(mine, right, atol=1e-5)


@exercise("softmax_gradients", points=0.5, needs="test_every_word_moves_though_only_one_was_the_target")
def test_each_example_has_its_own_largest_score_in_the_gradients_too(student: Student) -> None:
    hidden, outputs = torch.tensor([[30.0], [-30.0], [0.0]]), torch.tensor([[30.0], [29.0], [29.875]])
    targets = torch.tensor([1, 0, 2])
    exact = [table.double().requires_grad_() for table in (hidden, outputs)]
    expected = torch.autograd.grad(_loss(exact[0], exact[1], targets), exact)
    given = "scores 900 870 896.25, −900 −870 −896.25 and 0 0 0; targets 1, 0, 2; the gradient of"
    for name, mine, right in zip(
        ("hidden", "outputs"), student.softmax_gradients(hidden, outputs, targets), expected, strict=True
    ):
        close(mine, right, atol=1e-3, given=f"{given} {name}")


@exercise("costs")
@for_all(
    vocabulary=sampled_from([1, 2, 50, 30_001, 10**9 + 1]),
    dim=sampled_from([1, 7, 300, 4_099]),
    negatives=sampled_from([0, 1, 5, 1_000]),
)
def test_any_sizes_have_their_costs(student: Student, vocabulary: int, dim: int, negatives: int) -> None:
    expected = (2 * vocabulary * dim, vocabulary * dim, (negatives + 1) * dim)
    equal(student.costs(vocabulary, dim, negatives), expected)


@exercise("subsample")
@for_all(
    counts=lists(sampled_from([1, 2, 7, 90, 1_000, 3 * 10**9]), min_size=1, max_size=4),
    text=lists(integers(0, 3), max_size=6),
    draws=lists(sampled_from([0.0, 0.003, 0.1, 0.33, 0.61, 0.97, 0.9999]), min_size=6, max_size=6),
    t=sampled_from([0.0, 1e-5, 1e-3, 0.05, 0.2, 0.7, 1.0, 3.0, 0, 1]),
)
def test_any_occurrence_stays_below_its_root(
    student: Student, counts: list[int], text: list[int], draws: list[float], t: float
) -> None:
    ids = [i % len(counts) for i in text]
    roots = [math.sqrt(t * sum(counts) / counts[i]) for i in ids]
    uniform = [u + 0.001 if u and abs(u - root) < 1e-4 else u for u, root in zip(draws, roots, strict=False)]
    found = student.subsample(torch.tensor(ids, dtype=torch.int64), torch.tensor(counts), t, torch.tensor(uniform))
    equal(found.tolist(), [u < root for u, root in zip(uniform, roots, strict=True)])


@exercise("cbow_contexts")
def test_the_table_agrees_with_brute_force(student: Student) -> None:
    generator = torch.Generator().manual_seed(2)
    for lengths, window in [([3, 1, 5], 2), ([1], 1), ([2, 2], 4), ([6, 4], 3), ([9, 2], 7)]:
        sentences = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
        ids = torch.randint(5, (len(sentences),), generator=generator)  # words come again
        expected = [
            [
                int(ids[i + o]) if 0 <= i + o < len(ids) and sentences[i + o] == sentences[i] else -1
                for o in range(-window, window + 1)
                if o != 0
            ]
            for i in range(len(ids))
        ]
        close(student.cbow_contexts(ids, sentences, window), expected, given=f"sentences of {lengths}, window {window}")


@exercise("cbow_contexts", points=0.5, needs="test_windows_are_cut_off_where_a_sentence_ends")
def test_the_text_is_left_alone(student: Student) -> None:
    ids, sentences = student.put(torch.tensor([3, 1, 2])), student.put(torch.tensor([0, 0, 1]))
    student.cbow_contexts(ids, sentences, 1)
    close(student.value(ids), [3, 1, 2], given="the ids, after the call")
    close(student.value(sentences), [0, 0, 1], given="the sentences, after the call")


@exercise("cbow_hidden")
def test_random_contexts_agree_with_brute_force(student: Student) -> None:
    generator = torch.Generator().manual_seed(8)
    vectors = torch.randn(11, 6, generator=generator, dtype=torch.float64)
    contexts = torch.randint(-1, 11, (9, 5), generator=generator)
    contexts[:, 2] = contexts[:, 2].clamp(min=0)
    vectors[3] = 0
    expected = torch.stack([vectors[[int(i) for i in row if i >= 0]].mean(dim=0) for row in contexts])
    hidden = student.cbow_hidden(vectors, contexts)
    close(hidden, expected, rtol=1e-9, atol=1e-12, given="random contexts, float64")
    equal(str(hidden.dtype), "torch.float64", given="vectors of float64; the type of the result")
    for name in ("float16", "bfloat16"):
        half = torch.tensor([[1.0, 2.0], [3.0, -6.0], [0.0, 8.0]], dtype=getattr(torch, name))
        found = student.cbow_hidden(half, torch.tensor([[1, 0, -1], [2, -1, -1]]))
        equal(str(found.dtype), f"torch.{name}", given=f"vectors of {name}; the type of the result")
        close(found.float(), [[2.0, -2.0], [0.0, 8.0]], given=f"vectors of {name}", rtol=1e-2)
    short = student.cbow_hidden(vectors[:, :1], contexts)
    close(short, expected[:, :1], rtol=1e-9, atol=1e-12, given="random contexts, vectors of one number")


@exercise("cbow_hidden", points=0.5, needs="test_padding_does_not_count")
def test_vectors_and_contexts_are_left_alone(student: Student) -> None:
    vectors, contexts = torch.arange(6.0).view(3, 2), torch.tensor([[0, -1], [2, 1]])
    handles = student.put(vectors.clone()), student.put(contexts.clone())
    student.cbow_hidden(*handles)
    close(student.value(handles[0]), vectors, given="the vectors, after the call")
    close(student.value(handles[1]), contexts, given="the contexts, after the call")


@exercise("cbow_gradient", points=2)
def test_the_gradient_is_that_of_autograd(student: Student) -> None:
    generator = torch.Generator().manual_seed(9)
    vectors = torch.randn(7, 3, generator=generator, dtype=torch.float64, requires_grad=True)
    contexts = torch.randint(-1, 7, (6, 4), generator=generator)
    contexts[:, 1] = contexts[:, 1].clamp(min=0)
    d_hidden = torch.randn(6, 3, generator=generator, dtype=torch.float64) * 100
    rows = [[int(i) for i in row if i >= 0] for row in contexts]
    hidden = torch.stack([vectors[row].mean(dim=0) for row in rows])
    (expected,) = torch.autograd.grad((hidden * d_hidden).sum(), vectors)
    found = student.cbow_gradient(contexts, d_hidden, 7)
    close(found, expected, rtol=1e-9, atol=1e-9, given="random contexts, float64")


@exercise("cbow_gradient", points=0.5, needs="test_each_context_gets_its_share_of_the_gradient")
def test_the_gradient_of_the_hidden_vector_is_left_alone(student: Student) -> None:
    d_hidden = student.put(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    student.cbow_gradient(torch.tensor([[0, 1], [1, -1]]), d_hidden, 2)
    close(student.value(d_hidden), [[1.0, 2.0], [3.0, 4.0]], given="d_hidden, after the call")


@exercise("softmax_loss")
def test_one_example_agrees_with_the_sum_over_all_words(student: Student) -> None:
    generator = torch.Generator().manual_seed(4)
    hidden = torch.randn(1, 5, generator=generator, dtype=torch.float64)
    outputs = torch.randn(3000, 5, generator=generator, dtype=torch.float64)
    scores = [float(row @ hidden[0]) for row in outputs]
    expected = math.log(sum(math.exp(score) for score in scores)) - scores[4]
    found = student.softmax_loss(hidden, outputs, torch.tensor([4]))
    close(found, expected, rtol=1e-10, atol=0, given="one example, 3,000 words, float64")


@exercise("softmax_gradients", points=0.5)
def test_large_scores_of_one_example_have_gradients(student: Student) -> None:
    hidden, outputs = torch.tensor([[4.0]]), torch.tensor([[30.0], [29.5], [-30.0]])
    low = 1 / (1 + math.exp(2))  # of the target, whose score is 118; the others' are 120 and −120
    error = [1 - low, low - 1, 0.0]
    d_hidden, d_outputs = student.softmax_gradients(hidden, outputs, torch.tensor([1]))
    given = "one example, the scores 120, 118 and −120, the second word is the target; the gradient of"
    close(d_hidden, [[0.5 * error[0]]], rtol=1e-3, given=f"{given} hidden")
    close(d_outputs, [[4 * e] for e in error], given=f"{given} outputs")


@exercise("softmax_gradients", points=2)
def test_the_gradients_agree_with_finite_differences(student: Student) -> None:
    generator = torch.Generator().manual_seed(12)
    tables = [torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in ((2, 3), (4, 3))]
    targets = torch.tensor([3, 0])
    found = student.softmax_gradients(*tables, targets)
    for place, table in enumerate(tables):
        expected = torch.zeros_like(table)
        for i in range(table.numel()):
            for sign in (1, -1):
                moved = [x.clone() for x in tables]
                moved[place].view(-1)[i] += sign * 1e-5
                expected.view(-1)[i] += sign * float(cross_entropy(moved[0] @ moved[1].T, targets)) / 2e-5
        close(found[place], expected, rtol=1e-4, atol=1e-7, given=("hidden", "outputs")[place])


@exercise("softmax_gradients", points=0.5, needs="test_the_gradients_are_those_of_autograd")
def test_the_gradients_keep_double_precision(student: Student) -> None:
    generator = torch.Generator().manual_seed(13)
    tables = [torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in ((5, 3), (300, 3))]
    targets = torch.tensor([299, 0, 150, 0, 7])
    leaves = [table.clone().requires_grad_() for table in tables]
    expected = torch.autograd.grad(_loss(leaves[0], leaves[1], targets), leaves)
    found = student.softmax_gradients(*tables, targets)
    for name, mine, right in zip(("hidden", "outputs"), found, expected, strict=True):
        given = f"random vectors in float64, B = 5, V = 300, d = 3, to nine digits; the gradient of {name}"
        close(mine, right, rtol=1e-9, atol=1e-12, given=given)
        equal(str(mine.dtype), "torch.float64", given=f"{given}: its type")


@exercise("softmax_gradients", points=0.5, needs="test_the_gradients_are_those_of_autograd")
def test_the_inputs_are_left_alone(student: Student) -> None:
    hidden, outputs = torch.tensor([[1.0, 2.0]]), torch.tensor([[0.5, 0.5], [1.0, -1.0]])
    handles = student.put(hidden.clone()), student.put(outputs.clone())
    student.softmax_gradients(*handles, torch.tensor([1]))
    close(student.value(handles[0]), hidden, given="the hidden vectors, after the call")
    close(student.value(handles[1]), outputs, given="the output vectors, after the call")


@claim("sgns-cost")
@exercise("costs")
def test_other_sizes_are_counted_too(student: Student) -> None:
    equal(student.costs(7, 3, 2), (42, 21, 9), given="V = 7, d = 3, k = 2")
    equal(student.costs(50_000, 100, 15), (10_000_000, 5_000_000, 1_600), given="V = 50,000, d = 100, k = 15")
    equal(
        student.costs(9_876_543, 301, 0),
        (2 * 9_876_543 * 301, 9_876_543 * 301, 301),
        given="V = 9,876,543, d = 301, k = 0",
    )
    equal(student.costs(3, 2, 9), (12, 6, 20), given="V = 3, d = 2, k = 9")


@exercise("subsample")
def test_the_share_kept_of_a_long_text_is_what_the_formula_says(student: Student) -> None:
    generator = torch.Generator().manual_seed(6)
    counts = torch.tensor([6000, 3000, 900, 90, 10])
    ids = torch.repeat_interleave(torch.arange(5), counts)
    uniform = torch.rand(len(ids), generator=generator)
    f = counts.double() / counts.sum()
    expected = uniform < (0.005 / f).sqrt()[ids]
    equal(
        student.subsample(ids, counts, 0.005, uniform).tolist(),
        expected.tolist(),
        given="10,000 words with counts 6000, 3000, 900, 90, 10; t = 0.005",
    )


@exercise("subsample")
def test_the_share_is_that_of_the_corpus_not_of_the_text_that_is_thinned(student: Student) -> None:
    kept = student.subsample(torch.tensor([1, 1, 1]), torch.tensor([90, 10]), 0.025, torch.tensor([0.49, 0.51, 0.3]))
    equal(kept.tolist(), [True, False, True], given="three times word 1, of counts 90 and 10; t = 0.025; .49 .51 .3")
    kept = student.subsample(torch.tensor([1]), torch.tensor([90, 10]), 0.025, torch.tensor([0.51]))
    equal(kept.tolist(), [False], given="once word 1, of counts 90 and 10; t = 0.025; .51")


@exercise("subsample", points=0.5)
def test_a_number_that_equals_the_root_is_not_below_it(student: Student) -> None:
    draws = torch.tensor([0.5, 0.499, 0.4999999, 0.5000001])
    kept = student.subsample(torch.tensor([1, 1, 1, 1]), torch.tensor([48, 16]), 0.0625, draws)
    given = "word 1 of counts 48 and 16; t = 1/16, so sqrt(t / f) = 0.5; .5 .499 .4999999 .5000001"
    equal(kept.tolist(), [False, True, True, False], given=given)


@exercise("subsample", points=0.5)
def test_rare_words_a_threshold_of_0_and_an_empty_text(student: Student) -> None:
    kept = student.subsample(torch.tensor([0, 0]), torch.tensor([3, 19_997]), 6e-5, torch.tensor([0.6, 0.7]))
    equal(kept.tolist(), [True, False], given="twice word 0 of counts 3 and 19,997; t = 6e-5, a root of .63; .6 .7")
    kept = student.subsample(torch.tensor([0, 1]), torch.tensor([3, 7]), 0.0, torch.tensor([0.1, 0.2]))
    equal(kept.tolist(), [False, False], given="words 0 and 1 of counts 3 and 7; t = 0")
    kept = student.subsample(torch.empty(0, dtype=torch.int64), torch.tensor([3, 7]), 0.1, torch.empty(0))
    equal([kept.tolist(), str(kept.dtype)], [[], "torch.bool"], given="no words; what is kept and its type")


@metric("analogies_cbow")
def analogies_cbow(artifacts: Artifacts) -> float:
    return _planted(artifacts, "cbow")


@metric("analogies_softmax")
def analogies_softmax(artifacts: Artifacts) -> float:
    return _planted(artifacts, "softmax")


def _planted(artifacts: Artifacts, vectors: str) -> float:
    questions = World("en", seed=artifacts.seed).analogies("word")
    planted = [question for relation, asked in questions.items() if relation != "control" for question in asked]
    score = evaluate.analogies(artifacts.tensor(vectors, ndim=2), artifacts.strings("words"), planted)
    return score.value * score.covered / score.total if score.covered else 0.0
