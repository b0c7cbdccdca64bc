"""fastText: hidden checks and the metrics that the grader computes itself. Never released."""

import math
import random
import unicodedata

import torch

from etude.embeddings import fasttext
from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.world import World
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric

WORDS = ["boiled", "커피를", "a", "", "café", "눈", "🙂야", "unfriended", "3잔은", "us", "Us", "internationalisation"]
BUCKETS = 20_000  # as in the notebook


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


@exercise("fnv1a")
def test_many_words_agree_with_the_published_hash(student: Student) -> None:
    texts = [*WORDS, "<커", "a" * 100, "힣\x7f\x80", " us\n", "cafe\u0301", "a\x00b"]
    equal([student.fnv1a(text) for text in texts], [fasttext.fnv1a(text) for text in texts], given="18 strings")


@exercise("subword_rows")
def test_many_words_agree_with_the_library(student: Student) -> None:
    index = {"boiled": 0, "눈": 1, "a": 2, "Us": 3}
    for buckets, (smallest, largest) in ((5, (1, 2)), (2_000_000, (3, 6)), (100, (6, 9))):
        expected = [fasttext.Subwords(index, smallest, largest, buckets).rows(word) for word in WORDS]
        found = [list(student.subword_rows(word, index, buckets, smallest, largest)) for word in WORDS]
        equal(found, expected, given=f"12 words, {buckets} buckets, n = {smallest} to {largest}")


def _bags(count: int, rows: int, seed: int) -> list[list[int]]:
    chance = random.Random(seed)
    return [chance.choices(range(rows), k=chance.randint(0 if i % 4 == 0 else 1, 6)) for i in range(count)]


@exercise("compose")
def test_many_bags_agree_with_a_loop(student: Student) -> None:
    generator = torch.Generator().manual_seed(1)
    table, bags = torch.randn(12, 5, generator=generator), [*_bags(15, 12, 1), [*range(12), 3, 3] * 3]
    handle = student.put(table.clone())
    expected = torch.stack([sum((table[row] for row in bag), torch.zeros(5)) for bag in bags])
    close(student.compose(handle, bags), expected, atol=1e-5, given="15 bags of up to 6 rows, and one of 42")
    close(student.compose(table[:, :1], bags), expected[:, :1], atol=1e-5, given="the same bags, vectors of one number")
    close(student.value(handle), table, given="the table, after vectors were made of it")


@exercise("subword_loss")
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


@exercise("subword_loss", points=0.5)
def test_large_scores_stay_as_they_are(student: Student) -> None:
    table, contexts = torch.tensor([[40.0]]), torch.tensor([[1.0], [-1.0]])
    loss = student.subword_loss(
        table, contexts, [[0]], torch.tensor([0]), torch.tensor([1]), torch.tensor([[0]])
    )
    close(loss, 80.0, given="a real context with score −40, a negative with score 40")
    for score in (100.0, 200.0, 5000.0):  # in float32 the sigmoid is 0 from −104 down, and 1 from 17 up
        table, ids = torch.tensor([[score]]), [torch.tensor(0)[None], torch.tensor(1)[None], torch.tensor([[0]])]
        given = f"a real context with score −{score:g}, a negative with score {score:g}"
        close(student.subword_loss(table, contexts, [[0]], *ids), 2 * score, given=given)
        ids = [torch.tensor(0)[None], torch.tensor(0)[None], torch.tensor([[1]])]
        given = f"a real context with score {score:g}, a negative with score −{score:g}"
        close(student.subword_loss(table, contexts, [[0]], *ids), 0.0, given=given)


@exercise("train_subwords")
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


@exercise("train_subwords", points=0.5)
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


@exercise("train_subwords", points=0.5)
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


@exercise("overlaps")
def test_many_words_agree_with_sets(student: Student) -> None:
    def pieces(word: str) -> set[str]:
        return set(fasttext.ngrams(word, 2, 4))

    asked = [*WORDS, WORDS[0]]
    expected = [[len(pieces(a) & pieces(b)) / max(1, len(pieces(a) | pieces(b))) for b in WORDS[::-1]] for a in asked]
    close(student.overlaps(asked, WORDS[::-1], 2, 4), expected, given="12 words, the first of them again, with the same 12, n = 2 to 4")


@exercise("neighbour_accuracy")
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


@exercise("to_jamo")
def test_every_syllable_agrees_with_unicodes_decomposition(student: Student) -> None:
    syllables = "".join(map(chr, range(0xAC00, 0xD7A4)))
    equal(student.to_jamo(syllables), unicodedata.normalize("NFD", syllables), given="all 11,172 syllables")


@exercise("to_jamo", points=0.5)
def test_case_and_blanks_stay_as_they_are(student: Student) -> None:
    equal(student.to_jamo(" 눈 Snow\n"), " \u1102\u116e\u11ab Snow\n", given="눈 Snow between a blank and a line break")


@exercise("to_jamo", points=0.5)
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
