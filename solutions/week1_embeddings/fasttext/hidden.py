"""fastText: hidden checks and the metrics that the grader computes itself. Never released."""

import math
import random
import unicodedata
from typing import Any

import numpy as np
import torch
from hypothesis.strategies import (
    DrawFn,
    SearchStrategy,
    booleans,
    composite,
    integers,
    lists,
    permutations,
    sampled_from,
    tuples,
)
from torch.nn.functional import softplus

from etude.embeddings import fasttext
from etude.lesson.checks import close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.world import World
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

WORDS = ["boiled", "커피를", "a", "", "café", "눈", "🙂야", "unfriended", "3잔은", "us", "Us", "internationalisation"]
BUCKETS = 20_000  # as in the notebook


def spellings(longest: int = 6) -> SearchStrategy[str]:
    """Draws words that may hold marks, blanks and joined letters at any place."""
    letters = ["a", "b", "<", ">", " ", "\n", "A", "é", "e", "\u0301", "눈", "🙂", "\x00", "-"]
    return lists(sampled_from(letters[:4]) | sampled_from(letters), max_size=longest).map("".join)


@exercise("char_ngrams")
def test_many_words_agree_with_the_librarys_order(student: Student) -> None:
    for word in [*WORDS, " us", "cafe\u0301", "a<b>c"]:
        for smallest, largest in ((3, 6), (1, 3), (2, 2), (5, 9), (1, 14)):
            expected = fasttext.ngrams(word, smallest, largest)
            equal(
                list(student.char_ngrams(word, smallest, largest)),
                expected,
                given=f"{word!r}, n = {smallest} to {largest}",
            )
    expected = fasttext.ngrams("unfriended", 3, 6)
    equal(list(student.char_ngrams("unfriended")), expected, given="unfriended, n left as they are: 3 to 6")
    long = "internationalisation" * 20
    expected = fasttext.ngrams(long, 3, 6)
    equal(list(student.char_ngrams(long, 3, 6)), expected, given=f"{long[:20]}, 20 times, n = 3 to 6")


@exercise("char_ngrams", points=0.5, needs="test_artificial_has_ten_trigrams")
@for_all(word=spellings(), smallest=integers(1, 4), more=sampled_from([0, 1, 3, 100]))
def test_any_word_has_the_ngrams_of_brute_force(student: Student, word: str, smallest: int, more: int) -> None:
    marked, sizes = f"<{word}>", range(smallest, smallest + more + 1)
    spans = [(start, end) for start in range(len(marked)) for end in range(start + 1, len(marked) + 1)]
    alone = (0, 1), (len(marked) - 1, len(marked))
    expected = [marked[start:end] for start, end in spans if end - start in sizes and (start, end) not in alone]
    equal(student.char_ngrams(word, smallest, smallest + more), expected)


@exercise("fnv1a")
def test_many_words_agree_with_the_published_hash(student: Student) -> None:
    texts = [*WORDS, "<커", "a" * 100, "힣\x7f\x80", " us\n", "cafe\u0301", "a\x00b"]
    equal([student.fnv1a(text) for text in texts], [fasttext.fnv1a(text) for text in texts], given="18 strings")
    ends = ["a\x00", "\x00", "a ", "a\n", "\n", "\ufeffa", "ab>"]
    given = "a byte of 0, a blank, a line break, a byte order mark at an end of the text"
    equal([student.fnv1a(text) for text in ends], [fasttext.fnv1a(text) for text in ends], given=given)
    for text in ("ab" * 3000, "하늘" * 1000):
        equal(student.fnv1a(text), fasttext.fnv1a(text), given=f"{text[:2]}, {len(text) // 2:,} times")


@exercise("fnv1a", points=0.5, needs="test_bytes_from_128_on_are_signed")
@for_all(text=inputs.texts())
def test_any_text_has_the_published_hash(student: Student, text: str) -> None:
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ (byte + (0xFFFFFF00 if byte > 127 else 0))) * 0x01000193 & 0xFFFFFFFF
    equal(student.fnv1a(text), value)


@exercise("subword_rows")
def test_many_words_agree_with_the_library(student: Student) -> None:
    index, asked = {"boiled": 0, "눈": 1, "a": 2, "Us": 3, "cafe\u0301": 4}, [*WORDS, "cafe\u0301"]
    for buckets, (smallest, largest) in ((5, (1, 2)), (2_000_000, (3, 6)), (100, (6, 9))):
        expected = [fasttext.Subwords(index, smallest, largest, buckets).rows(word) for word in asked]
        found = [list(student.subword_rows(word, index, buckets, smallest, largest)) for word in asked]
        equal(found, expected, given=f"13 words, {buckets} buckets, n = {smallest} to {largest}")
    rows = fasttext.Subwords(index, 3, 6, 1000).rows("unfriended")
    equal(list(student.subword_rows("unfriended", index, 1000)), rows, given="unfriended, 1000 buckets, n left: 3 to 6")


KNOWN = ["<ab", "ab", "abc", "", "눈", "b>"]  # some of them look like n-grams


@exercise("subword_rows", points=0.5, needs="test_a_known_word_has_its_own_row_first")
@for_all(
    known=permutations(KNOWN),
    count=integers(0, 6),
    word=sampled_from([*KNOWN, "Ab", " ab", "cab", "눈눈"]),
    buckets=sampled_from([1, 7, 100, 2**33]),
)
def test_any_index_gives_the_rows_of_the_library(
    student: Student, known: list[str], count: int, word: str, buckets: int
) -> None:
    rows = {one: row for row, one in enumerate(known[:count])}
    index = {one: rows[one] for one in sorted(rows)}  # in another order than the rows
    equal(student.subword_rows(word, index, buckets, 2, 4), fasttext.Subwords(index, 2, 4, buckets).rows(word))


def _bags(count: int, rows: int, seed: int) -> list[list[int]]:
    chance = random.Random(seed)
    return [chance.choices(range(rows), k=chance.randint(0 if i % 4 == 0 else 1, 6)) for i in range(count)]


@composite
def bags_of_rows(draw: DrawFn) -> tuple[torch.Tensor, list[list[int]]]:
    """(table (R, d), bags of its rows): bags may be empty, and rows stand in them again and again."""
    rows = draw(integers(1, 5))
    bags = draw(lists(lists(inputs.ids(rows), max_size=5), min_size=1, max_size=12))
    return draw(inputs.tables(rows, draw(integers(1, 4)))), bags


def _vectors(table: torch.Tensor, bags: list[list[int]]) -> torch.Tensor:
    """The sum of each bag's rows, by a matrix that counts how often each bag holds each row."""
    held = torch.tensor([[bag.count(row) for row in range(len(table))] for bag in bags], dtype=torch.float64)
    return held @ table.double()


@exercise("compose", points=0.5)
@for_all(drawn=bags_of_rows(), examples=40)
def test_any_bags_have_the_vectors_of_counted_rows(
    student: Student, drawn: tuple[torch.Tensor, list[list[int]]]
) -> None:
    close(student.compose(*drawn), _vectors(*drawn))


@exercise("compose", points=0.5)
def test_many_bags_agree_with_a_loop(student: Student) -> None:
    generator = torch.Generator().manual_seed(1)
    table, bags = torch.randn(12, 5, generator=generator), [*_bags(15, 12, 1), [*range(12), 3, 3] * 3]
    handle = student.put(table.clone())
    expected = torch.stack([sum((table[row] for row in bag), torch.zeros(5)) for bag in bags])
    close(student.compose(handle, bags), expected, atol=1e-5, given="15 bags of up to 6 rows, and one of 42")
    close(student.compose(table[:, :1], bags), expected[:, :1], atol=1e-5, given="the same bags, vectors of one number")
    close(student.value(handle), table, given="the table, after vectors were made of it")
    close(student.compose(table, [[11]]), table[11:], given="one bag of one row")
    several = [[i % 12] * (i % 3) for i in range(400)]
    expected = torch.stack([(i % 3) * table[i % 12] for i in range(400)])
    close(student.compose(table, several), expected, atol=1e-5, given="400 bags: a row never, once, or twice")


@exercise("compose", points=0.5, needs="test_a_vector_is_the_sum_of_its_rows")
def test_a_small_bag_beside_a_large_one_keeps_its_digits(student: Student) -> None:
    table = torch.tensor([[1e8, -3.0], [0.5, 1e-3], [-0.25, 2e9]])
    for bags in ([[0], [1]], [[1], [0]], [[0, 0], [], [1, 1], [2], [1]], [[0]] * 50 + [[1]]):
        expected = [[sum(float(table[row, column]) for row in bag) for column in (0, 1)] for bag in bags]
        shown = f"{bags[:5]}{' …' if len(bags) > 5 else ''}{f', last {bags[-1]}' if len(bags) > 5 else ''}"
        given = f"the rows 1e8 −3 / 0.5 0.001 / −0.25 2e9, the bags {shown}"
        close(student.compose(table, bags), expected, given=given)


@composite
def batches(
    draw: DrawFn,
) -> tuple[torch.Tensor, torch.Tensor, list[list[int]], torch.Tensor, torch.Tensor, torch.Tensor]:
    """What subword_loss takes: a negative may be the context itself, or the centre."""
    table, bags = draw(bags_of_rows())
    pairs, k, word = draw(integers(1, 3)), draw(integers(1, 7)), inputs.ids(len(bags))
    ids = (torch.tensor(draw(lists(word, min_size=size, max_size=size))) for size in (pairs, pairs, pairs * k))
    center, context, negatives = ids
    contexts = draw(inputs.tables(len(bags), table.shape[1]))
    return table, contexts, bags, center, context, negatives.reshape(pairs, k)


@exercise("subword_loss", points=0.5)
@for_all(batch=batches(), examples=25)
def test_any_batch_agrees_with_a_sum_term_by_term(
    student: Student,
    batch: tuple[torch.Tensor, torch.Tensor, list[list[int]], torch.Tensor, torch.Tensor, torch.Tensor],
) -> None:
    table, contexts, bags, center, context, negatives = batch
    scores = (_vectors(table, bags) @ contexts.double().T).tolist()
    costs = [np.logaddexp(0, -scores[word][real]) for word, real in zip(center.tolist(), context.tolist(), strict=True)]
    for word, noise in zip(center.tolist(), negatives.tolist(), strict=True):
        costs += [np.logaddexp(0, scores[word][one]) for one in noise]
    close(student.subword_loss(*batch), math.fsum(costs) / len(center))


@exercise("subword_loss", points=0.5)
def test_random_batches_agree_with_a_sum_term_by_term(student: Student) -> None:
    generator = torch.Generator().manual_seed(2)
    table, contexts = torch.randn(9, 4, generator=generator), torch.randn(5, 4, generator=generator)
    bags = [bag or [0] for bag in _bags(5, 9, 2)]
    center, context = torch.randint(5, (2, 7), generator=generator)
    for number in (3, 1, 8):
        negatives = torch.randint(5, (7, number), generator=generator)
        total = 0.0
        for pair in range(7):
            vector = sum((table[row] for row in bags[center[pair]]), torch.zeros(4))
            terms = [(context[pair], 1.0), *((word, -1.0) for word in negatives[pair])]
            total += sum(math.log1p(math.exp(-sign * float(vector @ contexts[word]))) for word, sign in terms)
        close(
            student.subword_loss(table, contexts, bags, center, context, negatives),
            total / 7,
            rtol=1e-3,
            given=f"7 pairs, negatives of each: {number}",
        )
    many = center.repeat(60), context.repeat(60), negatives.repeat(60, 1)
    close(
        student.subword_loss(table, contexts, bags, *many),
        total / 7,
        rtol=1e-3,
        given="the same 7 pairs, 60 times over, 8 negatives of each",
    )
    loss = student.subword_loss(table, contexts, [[]] * 5, center, context, negatives)
    close(loss, 9 * math.log(2), given="five words whose bags are empty, 8 negatives of each pair")


@exercise("subword_loss", points=0.5, needs="test_the_mean_is_over_pairs_and_the_sum_over_negatives")
def test_gradients_agree_with_a_sum_term_by_term(student: Student) -> None:
    bags = [[0, 4, 4], [1], [], [4, 2, 0, 3], [3]]
    negatives = torch.tensor([[1, 1], [3, 4], [2, 0], [1, 3], [0, 0]])
    ids = torch.tensor([0, 3, 3, 1, 2]), torch.tensor([3, 0, 1, 1, 4]), negatives

    def loss(table: torch.Tensor, contexts: torch.Tensor, *_: object) -> torch.Tensor:
        total = torch.zeros(())
        for word, real, noise in zip(*(part.tolist() for part in ids), strict=True):
            vector = sum((table[row] for row in bags[word]), torch.zeros(table.shape[1]))
            total = total + softplus(-vector @ contexts[real]) + sum(softplus(vector @ contexts[one]) for one in noise)
        return total / 5

    generator = torch.Generator().manual_seed(6)
    tables = {
        "the table of rows": torch.randn(6, 3, generator=generator),
        "the table of contexts": torch.randn(5, 3, generator=generator),
    }
    close_gradients(student, "subword_loss", loss, tables, bags, *ids, given="5 pairs, 2 negatives of each")
    for score in (200.0, -200.0):
        far = {"the table of rows": torch.tensor([[score]]), "the table of contexts": torch.tensor([[1.0], [-1.0]])}

        def loss_far(table: torch.Tensor, contexts: torch.Tensor, *_: object) -> torch.Tensor:
            return softplus(-table[0] @ contexts[0]) + softplus(table[0] @ contexts[1])

        pair = [[0], [0]], torch.tensor([0]), torch.tensor([0]), torch.tensor([[1]])
        given = f"a real context with score {score:g}, a negative with score {-score:g}"
        close_gradients(student, "subword_loss", loss_far, far, *pair, given=given)


@exercise("subword_loss", points=0.5)
def test_large_scores_stay_as_they_are(student: Student) -> None:
    table, contexts = torch.tensor([[40.0]]), torch.tensor([[1.0], [-1.0]])
    loss = student.subword_loss(table, contexts, [[0]], torch.tensor([0]), torch.tensor([1]), torch.tensor([[0]]))
    close(loss, 80.0, given="a real context with score −40, a negative with score 40")
    for score in (100.0, 200.0, 5000.0):  # in float32 the sigmoid is 0 from −104 down, and 1 from 17 up
        table, ids = torch.tensor([[score]]), [torch.tensor(0)[None], torch.tensor(1)[None], torch.tensor([[0]])]
        given = f"a real context with score −{score:g}, a negative with score {score:g}"
        close(student.subword_loss(table, contexts, [[0]], *ids), 2 * score, given=given)
        ids = [torch.tensor(0)[None], torch.tensor(0)[None], torch.tensor([[1]])]
        given = f"a real context with score {score:g}, a negative with score −{score:g}"
        close(student.subword_loss(table, contexts, [[0]], *ids), 0.0, given=given)


@composite
def courses(draw: DrawFn) -> tuple[torch.Tensor, int, list[list[int]], dict[str, Any]]:
    """(pairs (N, 2), the one word of noise, which is no context, bags, settings): two epochs of one batch."""
    size = draw(integers(2, 5))
    noise = draw(integers(0, size - 1))
    contexts = [word for word in range(size) if word != noise]
    pairs = draw(lists(tuples(inputs.ids(size), sampled_from(contexts)), min_size=1, max_size=6))
    rows = draw(integers(1, 6))
    bags = draw(lists(lists(inputs.ids(rows), max_size=3), min_size=size, max_size=size))
    settings = {
        "rows": rows,
        "dim": draw(integers(1, 3)),
        "negatives": draw(integers(2, 4)),
        "epochs": 2,
        "lr": 0.01,
        "batch": 16,
        "seed": draw(integers(0, 99)),
    }
    return torch.tensor(pairs), noise, bags, settings


@exercise("train_subwords", points=0.5)
@for_all(course=courses(), examples=15)
def test_the_rows_of_any_centre_move_against_their_gradient_and_no_others(
    student: Student, course: tuple[torch.Tensor, int, list[list[int]], dict[str, Any]]
) -> None:
    # The contexts begin at 0 and move first, by a step that is the same for all their numbers; the rows follow in the second epoch.
    pairs, noise, bags, settings = course
    counts, lr = torch.zeros(len(bags), dtype=torch.int64), settings["lr"]
    counts[noise] = 3
    start = torch.rand(settings["rows"], settings["dim"], generator=torch.Generator().manual_seed(settings["seed"]))
    start = (start - 0.5) / settings["dim"]
    table, contexts = start.double().requires_grad_(), torch.zeros(len(bags), settings["dim"]).double().requires_grad_()

    def loss(contexts: torch.Tensor) -> torch.Tensor:
        held = torch.tensor([[bag.count(row) for row in range(len(table))] for bag in bags]).double()
        vectors = (held @ table)[pairs[:, 0]]
        real, false = (vectors * contexts[pairs[:, 1]]).sum(dim=1), vectors @ contexts[noise]
        cost: torch.Tensor = softplus(-real).sum() + settings["negatives"] * softplus(false).sum()
        return cost

    moved = -lr * torch.autograd.grad(loss(contexts), contexts)[0].sign()
    way = -torch.autograd.grad(loss(moved), table)[0].sign()
    steps = student.train_subwords(pairs, counts, bags, **settings).detach() - start
    close(steps.sign() * (steps.abs() > lr / 100), way)


@exercise("train_subwords", points=0.5)
def test_training_lowers_the_loss_of_what_was_seen(student: Student) -> None:
    generator = torch.Generator().manual_seed(3)
    groups = torch.randint(3, (600,), generator=generator)
    pairs = torch.stack([groups * 4 + torch.randint(4, (600,), generator=generator) for _ in range(2)], dim=1)
    bags = [[word, 12 + word % 4] for word in range(12)]
    table = student.train_subwords(pairs, torch.ones(12), bags, 16, dim=8, epochs=25, lr=0.03, batch=64, seed=4)
    table = table.detach()
    vectors = torch.nn.functional.normalize(table[:12] + table[12:].repeat(3, 1), dim=1)
    likeness = vectors @ vectors.T
    inside = torch.block_diag(*[torch.ones(4, 4)] * 3).bool() & ~torch.eye(12, dtype=torch.bool)
    outside = torch.block_diag(*[torch.ones(4, 4)] * 3) == 0
    gap = float(likeness[inside].mean() - likeness[outside].mean())
    true(
        gap > 0.5,
        "words that keep the same company are more alike (cosine) by more than 0.5",
        given="12 words in 3 groups",
        actual=round(gap, 3),
    )


@exercise("train_subwords", points=0.5, needs="test_training_brings_real_pairs_together")
def test_two_epochs_move_the_row_of_every_centre(student: Student) -> None:
    # In the first batch all contexts are zeros, so no centre moves before the second epoch can be counted on.
    pairs, bags = torch.tensor([(i, i ^ 1) for i in range(100)]), [[i] for i in range(100)]
    before, after = (
        student.train_subwords(pairs, torch.ones(100), bags, 100, dim=4, epochs=epochs, batch=80, seed=3).detach()
        for epochs in (0, 2)
    )
    still = int((before == after).all(dim=1).sum())
    true(
        still == 0,
        f"after two epochs {still} of 100 rows stand where they started",
        given="100 words, each a centre once; batches of 80 of the 100 pairs",
        actual=still,
    )


@exercise("train_subwords", points=0.5, needs="test_the_table_has_its_shape_and_no_gradient")
def test_a_rest_of_one_pair_is_a_batch_too(student: Student) -> None:
    pairs = torch.tensor([[0, 1], [1, 0], [2, 1]])
    for some, given in ((pairs, "3 pairs in batches of 2"), (pairs[:1], "one pair")):
        for negatives in (1, 2):
            settings = {"dim": 1, "negatives": negatives, "epochs": 2, "batch": 2}
            table = student.train_subwords(some, torch.tensor([2, 3, 1]), [[0], [1, 3], []], 4, **settings)
            equal(list(table.shape), [4, 1], given=f"{given}, negatives of each: {negatives}, vectors of one number")
            true(bool(table.isfinite().all()), "finite numbers were expected", given=given, actual=table)


@exercise("train_subwords", points=0.5, needs="test_training_brings_real_pairs_together")
def test_rows_of_no_word_stay_where_they_start(student: Student) -> None:
    pairs = torch.tensor([[0, 1], [1, 0]] * 20)
    table = student.train_subwords(pairs, torch.ones(2), [[0], [1]], 5, dim=4, epochs=3, lr=0.05, batch=8, seed=1)
    true(
        bool((table[2:].abs() <= 0.5 / 4 + 1e-6).all()),
        "rows that no word holds are as they were drawn",
        given="5 rows, of which words hold 2",
        actual=table,
    )
    true(
        bool((table[:2].abs() > 0.5 / 4 + 1e-3).any()),
        "rows of words move",
        given="5 rows, of which words hold 2",
        actual=table,
    )


@exercise("train_subwords", points=0.5)
def test_every_pair_has_negatives_of_its_own(student: Student) -> None:
    # After one batch every coordinate of a context that moved is lr or −lr: Adam's first step. A centre's step in the second has the sign
    # of the sum of its two negatives less its context, an odd number of such terms, so never 0. Centres of one context whose negatives
    # are the same take the same signs.
    pairs, bags = torch.tensor([(i, 0) for i in range(200)]), [[i] for i in range(200)]
    settings = {"dim": 4, "negatives": 2, "lr": 0.01, "batch": 200, "seed": 5}
    before, after = (
        student.train_subwords(pairs, torch.ones(200), bags, 200, epochs=epochs, **settings).detach()
        for epochs in (0, 2)
    )
    ways = len((after > before).int().unique(dim=0))
    true(
        ways > 1,
        f"200 centres of the same context have moved in {ways} of 16 directions: do they share their negatives?",
        given="200 words beside one and the same; two negatives; batches of 200, two epochs",
        actual=ways,
    )


@exercise("train_subwords", points=0.5, needs="test_training_brings_real_pairs_together")
def test_every_batch_has_negatives_of_its_own(student: Student) -> None:
    pairs = torch.cartesian_prod(torch.arange(20), torch.arange(20)).repeat(2, 1)
    settings = {"dim": 4, "negatives": 1, "epochs": 6, "lr": 0.02, "batch": 10}
    table = student.train_subwords(pairs, torch.ones(20), [[word] for word in range(20)], 20, **settings).detach()
    length = float(table.norm(dim=1).mean())
    # Real and drawn contexts are equally frequent, so u·v tends to 0 and vectors stay short: 0.2 to 0.4 over seeds. Words that
    # are never drawn, because each batch draws the same ten, grow beyond 1.5.
    true(
        length < 0.8,
        f"the vectors have length {length:.2f} on average, expected less than 0.8: are the same negatives drawn for each batch?",
        given="20 words of which each stands beside all equally often; one negative, batches of 10 pairs",
        actual=round(length, 1),
    )


@exercise("overlaps")
def test_many_words_agree_with_sets(student: Student) -> None:
    def pieces(word: str) -> set[str]:
        return set(fasttext.ngrams(word, 2, 4))

    asked = [*WORDS, WORDS[0]]
    expected = [[len(pieces(a) & pieces(b)) / max(1, len(pieces(a) | pieces(b))) for b in WORDS[::-1]] for a in asked]
    close(
        student.overlaps(asked, WORDS[::-1], 2, 4),
        expected,
        given="12 words, the first of them again, with the same 12, n = 2 to 4",
    )
    nowhere = student.overlaps(["a"], ["b", "c"], 5, 6)
    given = "a with b and c, n = 5 and 6: no n-grams"
    true(nowhere.is_floating_point(), "a float tensor was expected", given=given, actual=str(nowhere.dtype))
    found = student.overlaps(["boil"], ["boils", "boiled"])
    close(found, [[6 / 18, 6 / 22]], given="boil with boils and boiled, n left as they are: 3 to 6")
    found = student.overlaps(["cafe\u0301"], ["café", "cafe\u0301"], 3, 3)
    close(found, [[2 / 7, 1]], given="cafe and an accent apart with café, in one character, and with itself, n = 3")
    kind, given = student.overlaps([""], ["", "abc"], 3, 3).dtype, "the empty word with itself and abc, n = 3; the type"
    true(kind.is_floating_point, "a float tensor was expected", given=given, actual=str(kind))


@exercise("overlaps", points=0.5, needs="test_the_overlap_is_shared_pieces_over_all_pieces")
@for_all(
    words=lists(spellings(4), min_size=1, max_size=3),
    others=lists(spellings(4), min_size=1, max_size=3),
    smallest=integers(1, 3),
    more=sampled_from([0, 1, 3]),
)
def test_any_words_overlap_as_their_sets_do(
    student: Student, words: list[str], others: list[str], smallest: int, more: int
) -> None:
    left, right = ([set(fasttext.ngrams(word, smallest, smallest + more)) for word in some] for some in (words, others))
    expected = [[len(a & b) / max(1, len(a | b)) for b in right] for a in left]
    close(student.overlaps(words, others, smallest, smallest + more), expected)


@composite
def races(draw: DrawFn) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(scores, allowed, right), each (Q, V): ties are frequent, also with candidates that are not allowed."""
    queries, words = draw(integers(1, 12)), draw(integers(1, 5))
    size = queries * words
    kind = draw(sampled_from([torch.float32, torch.float64]))
    levels = sampled_from([0.0, 0.0, 1.0, -1.0, 0.25, 0.125, -2.5, -1e9, -1e30])
    scores = torch.tensor(draw(lists(levels, min_size=size, max_size=size)), dtype=kind)
    allowed, right = (torch.tensor(draw(lists(booleans(), min_size=size, max_size=size))) for _ in range(2))
    allowed = allowed.reshape(queries, words)
    for row in allowed:
        row[draw(integers(0, words - 1))] = True
    return scores.reshape(queries, words), allowed, right.reshape(queries, words)


@exercise("neighbour_accuracy", points=0.5)
@for_all(race=races())
def test_any_queries_have_the_accuracy_of_a_loop(
    student: Student, race: tuple[torch.Tensor, torch.Tensor, torch.Tensor]
) -> None:
    shares = []
    for row in zip(*(part.tolist() for part in race), strict=True):
        candidates = [(score, good) for score, may, good in zip(*row, strict=True) if may]
        best = [good for score, good in candidates if score == max(candidates)[0]]
        shares.append(best.count(True) / len(best))
    close(student.neighbour_accuracy(*race), math.fsum(shares) / len(shares))


@exercise("neighbour_accuracy", points=0.5)
def test_many_queries_agree_with_a_loop(student: Student) -> None:
    generator = torch.Generator().manual_seed(5)
    scores = torch.randint(-3, 3, (20, 8), generator=generator).float()
    scores[10:] = 1000 * scores[10:] - 5000
    scores[:5] *= 1e-4
    allowed = torch.rand(20, 8, generator=generator) < 0.6
    allowed[:, 0] = True
    right = torch.rand(20, 8, generator=generator) < 0.4
    total = 0.0
    for query in range(20):
        top = max(float(scores[query, i]) for i in range(8) if allowed[query, i])
        best = [i for i in range(8) if allowed[query, i] and float(scores[query, i]) == top]
        total += sum(bool(right[query, i]) for i in best) / len(best)
    handle = student.put(scores.clone())
    found = student.neighbour_accuracy(handle, allowed, right)
    given = "20 queries with ties, half of them with scores of −3,000 and less, some a ten-thousandth apart"
    close(found, total / 20, given=given)
    true(isinstance(plain(found), float), "a float was expected", given=given, actual=found)
    close(student.value(handle), scores, given="the scores, after the accuracy was asked for")


@exercise("neighbour_accuracy", points=0.5, needs="test_many_queries_agree_with_a_loop")
def test_scores_that_are_only_close_are_no_ties(student: Student) -> None:
    allowed, right = torch.ones(1, 3).bool(), torch.tensor([[False, True, False]])
    for top in (1.0, 3e-6, -2.0, 1e5, 1e-30):
        below = torch.nextafter(torch.tensor(top), torch.tensor(-torch.inf))  # the next number of float32
        scores = torch.stack([below, torch.tensor(top), below])[None]
        given = f"one query, float32 scores {top:g} and twice the next number below it; the greater one is right"
        close(student.neighbour_accuracy(scores, allowed, right), 1.0, given=given)
    scores = torch.tensor([[1.0, 1.0 + 1e-12, 1.0]], dtype=torch.float64)
    given = "one query, float64 scores 1, 1 + 10⁻¹² and 1; the greater one is right"
    close(student.neighbour_accuracy(scores, allowed, right), 1.0, given=given)


@exercise("neighbour_accuracy", points=0.5, needs="test_many_queries_agree_with_a_loop")
def test_very_low_scores_and_many_queries_count(student: Student) -> None:
    scores = torch.tensor([[-1e30, -2e30, 5.0], [-2e30, -1e30, 5.0], [3.0, 3.0, 5.0]]).repeat(100, 1)
    allowed, right = torch.tensor([[True, True, False]] * 300), torch.tensor([[True, False, True]] * 300)
    given = "300 queries, the third candidate not allowed: scores −1e30 −2e30, −2e30 −1e30 and 3 3, again and again"
    close(student.neighbour_accuracy(scores, allowed, right), 0.5, given=given)
    alone = torch.tensor([[-2e30, 1.0, 1.0]]), torch.tensor([[True, False, False]])
    close(
        student.neighbour_accuracy(*alone, alone[1]), 1.0, given="scores −2e30 1 1, of which the first alone is allowed"
    )
    one = student.neighbour_accuracy(torch.tensor([[-2.0]]), torch.tensor([[True]]), torch.tensor([[True]]))
    close(one, 1.0, given="one query with one candidate, which is right")


@exercise("to_jamo")
def test_every_syllable_agrees_with_unicodes_decomposition(student: Student) -> None:
    syllables = "".join(map(chr, range(0xAC00, 0xD7A4)))
    equal(student.to_jamo(syllables), unicodedata.normalize("NFD", syllables), given="all 11,172 syllables")


@exercise("to_jamo", points=0.5, needs="test_syllables_fall_into_their_letters")
@for_all(
    text=lists(
        sampled_from(["가", "힣", "눈", "a"])
        | sampled_from([*inputs.LETTERS, *inputs.BETWEEN, "ㄱ", "\u3164", "\u1113", "ﬁ"]),
        max_size=8,
    ).map("".join)
)
def test_in_any_text_only_syllables_fall_apart(student: Student, text: str) -> None:
    equal(student.to_jamo(text), "".join(unicodedata.normalize("NFD", c) if "가" <= c <= "힣" else c for c in text))


@exercise("to_jamo", points=0.5)
def test_case_and_blanks_stay_as_they_are(student: Student) -> None:
    equal(student.to_jamo(" 눈 Snow\n"), " \u1102\u116e\u11ab Snow\n", given="눈 Snow between a blank and a line break")


@exercise("to_jamo", points=0.5, needs="test_syllables_fall_into_their_letters")
def test_neighbours_of_the_syllables_and_parts_of_letters_stay(student: Student) -> None:
    text = "\uabff\ud7a4e\u0301\u1112\u1161"
    equal(student.to_jamo(text), text, given="the characters before 가 and behind 힣, e with an accent apart, two jamo")


# Metrics.


@metric("unseen_topic")
def unseen_topic(artifacts: Artifacts) -> float:
    """The share of unseen English forms whose nearest word of another stem is on their topic, by the recorded table."""
    table, words, unseen = artifacts.tensor("table", ndim=2), artifacts.strings("words"), artifacts.strings("unseen")
    if len(table) != len(words) + BUCKETS:
        raise BadArtifact(f"the table has {len(table)} rows, expected {len(words)} words and {BUCKETS} buckets")
    if set(words) & set(unseen):
        raise BadArtifact("forms that are asked about stand in the vocabulary: they are not unseen")
    known = _meanings(World("en", seed=artifacts.seed))
    if len(set(unseen)) < 50 or not set(unseen) <= set(known):
        raise BadArtifact(f"{len(set(unseen))} unseen forms were recorded, expected at least 50 forms of the world")
    subwords = fasttext.Subwords({word: i for i, word in enumerate(words)}, 3, 6, BUCKETS)
    vectors, asked = (
        torch.nn.functional.normalize(torch.stack([table[subwords.rows(word)].sum(dim=0) for word in some]), dim=1)
        for some in (words, unseen)
    )
    hits = 0
    for form, scores in zip(unseen, asked @ vectors.T, strict=True):
        stem, topic = known[form]
        others = [i for i, word in enumerate(words) if word in known and known[word] != (stem, topic)]
        hits += known[words[max(others, key=lambda i: float(scores[i]))]][1] == topic
    return hits / len(unseen)


def _meanings(world: World) -> dict[str, tuple[str, str]]:
    found: dict[str, set[tuple[str, str | None]]] = {}
    for document in world.documents(25_000):
        for sentence in document.sentences:
            for word in sentence:
                found.setdefault(word.surface, set()).add((word.morphemes[0], word.topic))
    single = {form: next(iter(senses)) for form, senses in found.items() if len(senses) == 1}
    return {form: (stem, topic) for form, (stem, topic) in single.items() if topic}
