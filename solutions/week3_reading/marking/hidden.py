"""Marking abstracts: hidden checks, and the key of the graded abstracts, which stands nowhere else. Never released."""

import itertools
import math
from fractions import Fraction

import numpy as np
from hypothesis.strategies import DrawFn, composite, integers, lists, sampled_from, tuples

from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student
from etude.papers import abstracts
from grader.lessons import inputs
from grader.lessons.generated import for_all

KEY = {
    "glove": "solution solution past problem problem evidence",
    "fasttext": "evidence past problem problem solution solution",
    "bpe": "problem past problem solution evidence solution past",
    "bert": "solution evidence past past problem solution evidence",
    "electra": "problem past problem evidence solution solution",
    "unigram": "past problem solution evidence solution solution",
    "roberta": "solution evidence solution evidence past problem",
}
FAIR_F1 = 0.7  # of a class, from which on it counts as told from the others

LARGE = np.array([[60_000, 5_000], [7_000, 50_000]])


def _tables() -> list[np.ndarray]:
    """Random tables of counts (C, C), among them lopsided ones."""
    draw = np.random.default_rng(1)
    return [draw.poisson(draw.gamma(0.6, 6.0, size=(c, c))) + np.eye(c, dtype=int) for c in (1, 2, 3, 4, 4, 5)]


@composite
def _drawn(draw: DrawFn, empty: bool = False) -> np.ndarray:
    """Tables of counts (C, C); many cells are 0, so that classes are used by one side, by both or by none."""
    c = draw(integers(1, 4))
    some = [0, 0, 1, 2, 7] if draw(sampled_from([True, True, False])) else [0, 0, 1, 40, 300]
    cells = draw(lists(sampled_from(some), min_size=c * c, max_size=c * c).filter(lambda cells: empty or any(cells)))
    return np.array(cells).reshape(c, c)


def _scores(counts: np.ndarray) -> list[list[Fraction]]:
    """Precision, recall and F1 of each class, in exact arithmetic."""
    rows = []
    for c in range(len(counts)):
        hits, marked, true_ones = int(counts[c, c]), int(counts[:, c].sum()), int(counts[c].sum())
        rows.append(
            [
                Fraction(a, b) if b else Fraction(0)
                for a, b in ((hits, marked), (hits, true_ones), (2 * hits, marked + true_ones))
            ]
        )
    return rows


def _kappa(counts: np.ndarray) -> float:
    """Cohen's kappa by going through the labels, in exact arithmetic."""
    counts = np.asarray(counts)
    n, c = int(counts.sum()), len(counts)
    observed = Fraction(sum(int(counts[i, i]) for i in range(c)), n)
    expected = sum(Fraction(int(counts[i].sum()), n) * Fraction(int(counts[:, i].sum()), n) for i in range(c))
    return float((observed - expected) / (1 - expected)) if expected != 1 else 0.0


# The measures.


@exercise("confusion")
def test_many_marks_agree_with_counting_pairs(student: Student) -> None:
    draw = np.random.default_rng(2)
    for n, kinds in ((0, 4), (1, 4), (40, 4), (5, 1), (80, 13), (1200, 2)):
        labels = [*"눈배말밤abcdABCDE"][:kinds]
        key, marks = ([labels[i] for i in draw.integers(0, max(kinds - 1, 1), size=n)] for _ in range(2))
        expected = [[sum((a, b) == pair for pair in zip(key, marks, strict=True)) for b in labels] for a in labels]
        close(student.confusion(key, marks, labels), expected, given=f"{n} sentences, {kinds} labels")
    key, marks = [7, 0, 7, 0, 3], [0, 0, 7, 7, 3]
    close(
        student.confusion(key, marks, [7, 3, 0]),
        [[1, 0, 1], [0, 1, 0], [1, 0, 1]],
        given="key: 7 0 7 0 3; marks: 0 0 7 7 3; labels: 7 3 0",
    )
    found = student.confusion(ALIKE, [*ALIKE[1:], ALIKE[0]], ALIKE)
    further = np.roll(np.eye(len(ALIKE), dtype=int), 1, axis=1)
    close(found, further, given=f"key and labels: {ALIKE}; marks: the same, one further on")
    labels = ["evidence", "past", "solution", "problem"]
    found = student.confusion(["past", "past"], ["problem", "past"], labels)
    expected = [[0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    close(found, expected, given=f"key: past past; marks: problem past; labels: {' '.join(labels)}")


ALIKE = ["past", "Past", "past ", " past", "", "눈", "\u1102\u116e\u11ab", "é", "e\u0301", "ß", "ss", *inputs.WORDS[:4]]  # fmt: skip


@composite
def _marked(draw: DrawFn) -> tuple[list[str], list[str], list[str]]:
    some = sampled_from(ALIKE[:4]) | sampled_from(ALIKE)
    labels = draw(lists(some, min_size=1, max_size=5, unique=True))
    n = draw(integers(0, 8))
    key, marks = (draw(lists(sampled_from(labels), min_size=n, max_size=n)) for _ in range(2))
    return key, marks, labels


@exercise("confusion")
@for_all(drawn=_marked())
def test_any_marks_agree_with_counting_pairs(student: Student, drawn: tuple[list[str], list[str], list[str]]) -> None:
    key, marks, labels = drawn
    pairs = list(zip(key, marks, strict=True))
    counts = student.confusion(key, marks, labels)
    close(counts, [[pairs.count((a, b)) for b in labels] for a in labels])
    true(np.asarray(counts).dtype.kind in "iu", "counts are whole numbers", actual=str(np.asarray(counts).dtype))


@exercise("confusion", points=0.5, needs="test_rows_are_the_key_and_columns_the_marks")
def test_very_many_marks_are_counted_whole(student: Student) -> None:
    key, marks = ["b"] * 70_000 + ["a"] * 300, ["a"] * 70_000 + ["a"] * 299 + ["b"]
    close(student.confusion(key, marks, ["a", "b"]), [[299, 1], [70_000, 0]], rtol=0, atol=0, given="70,300 sentences")


@exercise("confusion", points=0.5, needs="test_rows_are_the_key_and_columns_the_marks")
def test_counts_are_whole_numbers(student: Student) -> None:
    kind = np.asarray(student.confusion(["a"], ["a"], ["a", "b"])).dtype.kind
    true(kind in "iu", "counts are whole numbers", given="one sentence", actual=kind)


@exercise("agreement")
def test_larger_tables_agree_with_the_trace(student: Student) -> None:
    for counts in _tables():
        expected = sum(int(counts[i, i]) for i in range(len(counts))) / int(counts.sum())
        close(student.agreement(counts), expected, given=f"a random table of {counts.sum()} sentences")


@exercise("agreement")
@for_all(counts=_drawn())
def test_any_table_has_the_share_on_its_diagonal(student: Student, counts: np.ndarray) -> None:
    close(student.agreement(counts), sum(int(counts[i, i]) for i in range(len(counts))) / int(counts.sum()))


@exercise("agreement", points=0.5, needs="test_the_share_on_the_diagonal")
def test_millions_of_sentences_have_an_agreement(student: Student) -> None:
    counts = np.full((50, 50), 1_000_000)
    close(student.agreement(counts), 0.02, given="a million in each of 50 × 50 cells")
    close(student.agreement(np.array([[0, 1_000_000], [0, 0]])), 0.0, given="counts 0 1000000 / 0 0")
    rare = np.array([[1, 1_000_000], [1_000_000, 0]])
    close(student.agreement(rare), 1 / 2_000_001, atol=0, given="counts 1 1000000 / 1000000 0")


@exercise("kappa")
@for_all(counts=_drawn())
def test_any_table_agrees_with_exact_arithmetic(student: Student, counts: np.ndarray) -> None:
    close(student.kappa(counts), _kappa(counts))


@exercise("kappa", points=0.5, needs="test_what_is_gained_of_what_chance_leaves")
def test_nearly_full_agreement_by_chance_is_not_full(student: Student) -> None:
    for table in (
        [[300_000, 0], [0, 1]],
        [[0, 0, 0], [0, 9_000, 1], [0, 0, 0]],
        [[9_000, 1], [1, 0]],
        [[1, 0], [0, 99]],
    ):
        close(student.kappa(np.array(table)), _kappa(np.array(table)), given=f"counts {table}")
    counts = np.full((50, 50), 50) + 450 * np.eye(50, dtype=int)
    close(student.kappa(counts), _kappa(counts), given="50 × 50 cells, 500 on the diagonal, 50 elsewhere")


@exercise("kappa", points=2)
def test_random_tables_agree_with_exact_arithmetic(student: Student) -> None:
    for counts in _tables():
        handle = student.put(counts.copy())
        close(student.kappa(handle), _kappa(counts), given=f"a random table of {counts.sum()} sentences")
        close(student.value(handle), counts, given="the counts, after kappa was asked for")
    for counts in (LARGE, np.array([[60_000, 3], [2, 1]])):
        close(student.kappa(counts), _kappa(counts), given=f"counts {counts.tolist()}")


@exercise("by_class")
@for_all(counts=_drawn(empty=True))
def test_any_table_has_the_scores_of_its_classes(student: Student, counts: np.ndarray) -> None:
    close(student.by_class(counts), np.array(_scores(counts), dtype=float))


@exercise("by_class", points=2)
def test_random_tables_agree_with_going_through_the_sentences(student: Student) -> None:
    for counts in _tables():
        rows = []
        for c in range(len(counts)):
            hits = int(counts[c, c])
            precision = Fraction(hits, int(counts[:, c].sum())) if counts[:, c].any() else Fraction(0)
            recall = Fraction(hits, int(counts[c].sum())) if counts[c].any() else Fraction(0)
            f1 = 2 * precision * recall / (precision + recall) if hits else Fraction(0)
            rows.append([float(precision), float(recall), float(f1)])
        handle = student.put(counts.copy())
        close(student.by_class(handle), rows, given=f"a random table of {counts.sum()} sentences")
        close(student.value(handle), counts, given="the counts, after the classes were asked for")
    expected = [[60 / 67, 60 / 65, 120 / 132], [50 / 55, 50 / 57, 100 / 112]]
    close(student.by_class(LARGE), expected, given=f"counts {LARGE.tolist()}")
    counts = np.full((50, 50), 500_000) + 500_000 * np.eye(50, dtype=int)
    given = "50 × 50 cells, a million on the diagonal, half a million elsewhere"
    close(student.by_class(counts), np.full((50, 3), 1 / 25.5), given=given)
    rare = np.array([[1, 1_000_000, 1_000_000], [0, 5, 0], [0, 0, 7]])
    given = "counts 1 1000000 1000000 / 0 5 0 / 0 0 7"
    close(student.by_class(rare), np.array(_scores(rare), dtype=float), atol=0, given=given)


@exercise("macro_f1")
@for_all(counts=_drawn())
def test_any_table_has_the_mean_of_the_classes_in_use(student: Student, counts: np.ndarray) -> None:
    used = [row[2] for c, row in enumerate(_scores(counts)) if counts[c].any() or counts[:, c].any()]
    close(student.macro_f1(counts), float(sum(used, Fraction(0)) / len(used)))


@exercise("macro_f1", points=0.5, needs="test_every_class_weighs_the_same")
def test_millions_of_sentences_have_a_macro_f1(student: Student) -> None:
    counts = np.array([[900_000, 100_000, 0], [300_000, 1_000_000, 0], [0, 0, 1]])
    close(student.macro_f1(counts), (18 / 22 + 20 / 24 + 1) / 3, given=f"counts {counts.tolist()}")
    counts = np.diag(np.arange(1, 41))
    counts[-1] = counts[-1, ::-1]  # the last of forty classes is always taken for the first
    close(student.macro_f1(counts), (38 + 2 / 42) / 40, given="40 classes, of which the last is always taken for the first")
    rare = np.array([[1, 1_000_000], [0, 0]])
    close(student.macro_f1(rare), 1 / 1_000_002, atol=0, given="counts 1 1000000 / 0 0")


@exercise("macro_f1")
def test_random_tables_agree_with_the_mean_over_the_classes_that_are_used(student: Student) -> None:
    for counts in _tables():
        padded = np.pad(counts, (1, 2))  # three classes that nobody uses
        both = [int(counts[c].sum() + counts[:, c].sum()) for c in range(len(counts))]
        expected = sum(Fraction(2 * int(counts[c, c]), both[c]) for c in range(len(counts))) / len(counts)
        close(student.macro_f1(padded), float(expected), given=f"a random table of {counts.sum()} sentences, padded")
    close(student.macro_f1(np.array([[0, 5], [5, 0]])), 0.0, given="counts 0 5 / 5 0")


@exercise("kappa_interval")
def test_the_ends_are_those_of_drawing_sentences_with_replacement(student: Student) -> None:
    counts = np.array([[15, 5, 2], [3, 13, 2], [2, 3, 18]])
    sentences = np.repeat(np.arange(counts.size), counts.ravel())  # the cell of each sentence
    drawn = np.random.default_rng(4).choice(sentences, size=(20_000, len(sentences)))
    tables = np.stack([(drawn == cell).sum(axis=1) for cell in range(counts.size)], axis=1).reshape(-1, *counts.shape)
    expected = np.einsum("ni,ni->n", tables.sum(axis=2), tables.sum(axis=1)) / len(sentences) ** 2
    kappas = (np.einsum("nii->n", tables) / len(sentences) - expected) / (1 - expected)
    # The kappas spread by 0.09. An end of 10,000 of them, against one of 20,000, has an error of 0.033 spreads: five of those.
    close(
        list(student.kappa_interval(counts, 10_000, 5)),
        np.quantile(kappas, [0.025, 0.975]),
        rtol=0,
        atol=0.015,
        given=f"a table of {counts.sum()} sentences, 10,000 draws",
    )


@composite
def _few_sentences(draw: DrawFn) -> np.ndarray:
    """Draws tables of counts (C, C) of one to six sentences."""
    c = draw(integers(1, 3))
    label = integers(0, c - 1)
    counts = np.zeros((c, c), dtype=int)
    for key, mark in draw(lists(tuples(label, label), min_size=1, max_size=6)):
        counts[key, mark] += 1
    return counts


def _kappas(counts: np.ndarray) -> list[tuple[float, Fraction]]:
    """Lists the kappas of all tables that can be drawn, in order, each with the chance of one up to it."""
    n, sizes = int(counts.sum()), counts.ravel().tolist()
    chances: dict[float, Fraction] = {}
    for drawn in itertools.combinations_with_replacement(np.flatnonzero(counts), n):
        table = np.bincount(drawn, minlength=counts.size)
        orders = math.factorial(n) // math.prod(math.factorial(k) for k in table.tolist())
        chance = orders * math.prod(Fraction(size, n) ** k for size, k in zip(sizes, table.tolist(), strict=True))
        kappa = _kappa(table.reshape(counts.shape))
        chances[kappa] = chances.get(kappa, Fraction(0)) + chance
    ordered = sorted(chances)
    return list(zip(ordered, itertools.accumulate(chances[one] for one in ordered), strict=True))


@exercise("kappa_interval")
@for_all(counts=_few_sentences(), seed=integers(0, 2**32 - 1), examples=15)
def test_any_few_sentences_have_the_ends_of_all_tables_that_can_be_drawn(
    student: Student, counts: np.ndarray, seed: int
) -> None:
    kappas, ends = _kappas(counts), list(student.kappa_interval(counts, 2_000, seed))
    true(len(ends) == 2, "two numbers (low, high) were expected", actual=ends)
    # Of 2,000 draws 50 lie below the lower end. Among the lowest 0.8 % are 16 of them, give or take 4, and among the
    # lowest 6 % are 120, give or take 11: so an end outside of what is allowed here comes once in 10^10 times.
    for end, least, most in ((ends[0], 0.008, 0.06), (ends[1], 0.94, 0.992)):
        low, high = (next(one for one, upto in kappas if upto > share) for share in (least, most))
        true(
            low - 1e-6 <= end <= high + 1e-6,
            f"this end lies from {low:.4f} to {high:.4f}: "
            f"so all tables say that can be drawn from the {counts.sum()} sentences",
            actual=ends,
        )


@exercise("kappa_interval", points=0.5)
def test_two_and_four_sentences_are_drawn_whole(student: Student) -> None:
    # Two sentences, on both of which the readers part: drawn are both (kappa -1), or one of them twice (0).
    counts = np.array([[0, 1], [1, 0]])
    ends = [low for low, _ in (student.kappa_interval(counts, 1, seed) for seed in range(30))]
    equal(
        sorted({round(float(end), 6) + 0.0 for end in ends}), [-1.0, 0.0], given="counts 0 1 / 1 0, one draw, 30 seeds"
    )
    # Of four, two and two are drawn 3 times in 8 (kappa -1), four of one kind once in 8 (0).
    found = list(student.kappa_interval(2 * counts, 2_000, 1))
    close(found, [-1.0, 0.0], given="counts 0 2 / 2 0, 2,000 draws")
    # Of three alike and another, the three alone are drawn 32 times in 100, whose kappa is 0: chance explains all.
    found = list(student.kappa_interval(np.array([[3, 0], [0, 1]]), 2_000, 1))
    close(found, [0.0, 1.0], given="counts 3 0 / 0 1, 2,000 draws")


@exercise("kappa_interval", points=0.5, needs="test_the_seed_decides_what_is_drawn")
def test_every_seed_decides_also_0_and_in_any_order_of_calls(student: Student) -> None:
    counts = np.array(
        [[150, 51, 23], [37, 131, 29], [22, 31, 187]]
    )  # some hundreds of sentences: two draws are hardly ever alike
    seeds = (0, 7, 1, 42, 1234, 256, 2**16, 2**31, 2**32 - 1)
    found = {seed: list(student.kappa_interval(counts, 8, seed)) for seed in seeds}
    for seed in (0, 2**32 - 1, 7, 0):
        again = list(student.kappa_interval(counts, 8, seed))
        true(again == found[seed], "the same seed gives the same interval", given=f"8 draws, seed {seed}, once more")
    alike = [seed for seed in seeds[1:] if found[seed] == found[0]]
    true(not alike, "another seed gives another interval", given=f"8 draws, seed 0 and the seeds {seeds[1:]}")


@exercise("kappa_interval", points=0.5, needs="test_the_seed_decides_what_is_drawn")
def test_tables_of_one_class_and_of_one_sentence_have_no_width(student: Student) -> None:
    for table, end in (([[9]], 0.0), ([[0, 0], [0, 12]], 0.0), ([[0, 4], [0, 0]], 0.0), ([[0, 0], [0, 1]], 0.0)):
        for seed in (0, 1):
            close(
                list(student.kappa_interval(np.array(table), 30, seed)),
                [end, end],
                given=f"counts {table}, 30 draws, seed {seed}",
            )


@exercise("kappa_interval", points=0.5, needs="test_the_ends_are_those_of_drawing_sentences_with_replacement")
def test_the_counts_are_left_alone(student: Student) -> None:
    counts = np.array([[8, 2], [3, 7]])
    handle = student.put(counts.copy())
    student.kappa_interval(handle, 5, 0)
    close(student.value(handle), counts, given="the counts, after the interval was asked for")


# The marks.


def _against_the_key(student: Student) -> np.ndarray:
    """The table of counts (4, 4) of the student's marks, rows the key."""
    key, marks = (abstracts.in_order(given, "graded") for given in (KEY, student.marks()))
    counts = np.zeros((4, 4), dtype=int)
    for one, other in zip(key, marks, strict=True):
        counts[abstracts.LABELS.index(one), abstracts.LABELS.index(other)] += 1
    return counts


def _reaches(student: Student, bound: float) -> None:
    counts = _against_the_key(student)
    true(_kappa(counts) >= bound, f"kappa is below {bound}", actual=counts.tolist())


def _tells(student: Student, label: str) -> None:
    counts, c = _against_the_key(student), abstracts.LABELS.index(label)
    f1 = 2 * counts[c, c] / (counts[c].sum() + counts[:, c].sum())
    true(f1 >= FAIR_F1, f"the F1 of {label} is below {FAIR_F1}", actual=counts.tolist())


@exercise("marks")
def test_kappa_with_the_key_is_at_least_2_fifths(student: Student) -> None:
    _reaches(student, 0.4)


@exercise("marks")
def test_kappa_with_the_key_is_at_least_3_fifths(student: Student) -> None:
    _reaches(student, 0.6)


@exercise("marks")
def test_kappa_with_the_key_is_at_least_4_fifths(student: Student) -> None:
    _reaches(student, 0.8)


@exercise("marks", points=0.5)
def test_what_was_done_and_known_before_is_marked_as_past(student: Student) -> None:
    _tells(student, "past")


@exercise("marks", points=0.5)
def test_complaints_about_the_past_are_marked_as_problem(student: Student) -> None:
    _tells(student, "problem")


@exercise("marks", points=0.5)
def test_what_the_paper_does_is_marked_as_solution(student: Student) -> None:
    _tells(student, "solution")


@exercise("marks", points=0.5)
def test_what_came_out_is_marked_as_evidence(student: Student) -> None:
    _tells(student, "evidence")


# The card: Vaswani et al. 2017, sections 1 and 2, Table 2, section 5.2.


def _chosen(student: Student, field: str, expected: object) -> None:
    equal(student.card()[field], expected, given=f"the field {field}")


def _printed(student: Student, field: str, expected: float, within: float) -> None:
    close(abstracts.number(student.card()[field]), expected, rtol=0, atol=within, given=f"the field {field}")


@exercise("card", points=0.5)
def test_the_problem_is_what_keeps_recurrent_models_from_working_in_parallel(student: Student) -> None:
    _chosen(student, "problem", "order")


@exercise("card", points=0.5)
def test_the_limit_is_that_of_convs2s_and_not_of_another_model_of_the_past(student: Student) -> None:
    _chosen(student, "limit", "linear")


@exercise("card", points=0.5)
def test_the_method_is_what_the_title_says(student: Student) -> None:
    _chosen(student, "method", "attention alone")


@exercise("card")
def test_the_score_is_the_best_of_this_papers_models_from_english_to_german(student: Student) -> None:
    _printed(student, "bleu", 28.4, within=0.05)


@exercise("card")
def test_the_rival_is_the_best_earlier_score_ensembles_included(student: Student) -> None:
    _printed(student, "rival", 26.36, within=0.01)


@exercise("card", points=0.5)
def test_the_devices_are_the_gpus_of_one_machine(student: Student) -> None:
    _printed(student, "devices", 8, within=0)


@exercise("card")
def test_the_days_are_those_of_the_model_whose_score_stands_on_the_card(student: Student) -> None:
    _printed(student, "days", 3.5, within=0.05)


@exercise("card")
def test_the_training_cost_is_that_of_the_model_whose_score_stands_on_the_card(student: Student) -> None:
    _printed(student, "flops", 2.3e19, within=0.05e19)
