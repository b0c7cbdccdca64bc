"""word2vec's variants: the hidden checks, and the metrics that the grader computes itself. Never released."""

import math

import torch
from torch.nn.functional import cross_entropy

from etude.embeddings import evaluate
from etude.lesson.checks import claim, close, equal, exercise
from etude.lesson.interface import Student
from etude.world import World
from grader.grading.artifacts import Artifacts
from grader.grading.metrics import metric


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


@exercise("cbow_contexts", points=0.5)
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
    close(hidden, expected, rtol=1e-9, given="random contexts, float64")
    equal(str(hidden.dtype), "torch.float64", given="vectors of float64; the type of the result")
    short = student.cbow_hidden(vectors[:, :1], contexts)
    close(short, expected[:, :1], rtol=1e-9, given="random contexts, vectors of one number")


@exercise("cbow_hidden", points=0.5)
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


@exercise("cbow_gradient", points=0.5)
def test_the_gradient_of_the_hidden_vector_is_left_alone(student: Student) -> None:
    d_hidden = student.put(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    student.cbow_gradient(torch.tensor([[0, 1], [1, -1]]), d_hidden, 2)
    close(student.value(d_hidden), [[1.0, 2.0], [3.0, 4.0]], given="d_hidden, after the call")


@exercise("softmax_loss")
def test_one_example_agrees_with_the_sum_over_all_words(student: Student) -> None:
    generator = torch.Generator().manual_seed(4)
    hidden = torch.randn(1, 5, generator=generator, dtype=torch.float64)
    outputs = torch.randn(150, 5, generator=generator, dtype=torch.float64)
    scores = [float(row @ hidden[0]) for row in outputs]
    expected = math.log(sum(math.exp(score) for score in scores)) - scores[4]
    close(student.softmax_loss(hidden, outputs, torch.tensor([4])), expected, rtol=1e-9, given="one example, float64")


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


@exercise("softmax_gradients", points=0.5)
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
    kept = student.subsample(torch.tensor([1, 1]), torch.tensor([48, 16]), 0.0625, torch.tensor([0.5, 0.499]))
    equal(kept.tolist(), [False, True], given="word 1 of counts 48 and 16; t = 1/16, so sqrt(t / f) = 0.5; .5 .499")


@exercise("subsample", points=0.5)
def test_rare_words_a_threshold_of_0_and_an_empty_text(student: Student) -> None:
    kept = student.subsample(torch.tensor([0, 0]), torch.tensor([3, 19_997]), 6e-5, torch.tensor([0.6, 0.7]))
    equal(kept.tolist(), [True, False], given="twice word 0 of counts 3 and 19,997; t = 6e-5, a root of .63; .6 .7")
    kept = student.subsample(torch.tensor([0, 1]), torch.tensor([3, 7]), 0.0, torch.tensor([0.1, 0.2]))
    equal(kept.tolist(), [False, False], given="words 0 and 1 of counts 3 and 7; t = 0")
    kept = student.subsample(torch.empty(0, dtype=torch.int64), torch.tensor([3, 7]), 0.1, torch.empty(0))
    equal(kept.tolist(), [], given="no words")


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
