"""Marking abstracts: the public checks. Expected values come from hand counts and closed forms; marks and card are only asked for their form."""

import numpy as np

from etude.lesson.checks import close, exercise, true
from etude.lesson.interface import Student
from etude.papers import abstracts

CHOICES = {
    "problem": ("order", "data", "vocabulary", "memory"),
    "limit": ("constant", "logarithmic", "linear", "quadratic"),
    "method": (
        "attention and recurrence",
        "attention and convolution",
        "attention alone",
        "attention in the encoder alone",
    ),
}
FIGURES = ("bleu", "rival", "devices", "days", "flops")


@exercise("confusion")
def test_rows_are_the_key_and_columns_the_marks(student: Student) -> None:
    key, marks = ["past", "past", "past", "solution"], ["solution", "solution", "past", "solution"]
    close(
        student.confusion(key, marks, ["past", "solution"]),
        [[1, 2], [0, 1]],
        given="key: past past past solution; marks: solution solution past solution",
    )


@exercise("confusion", points=0.5)
def test_a_label_that_nobody_used_has_a_row_and_a_column(student: Student) -> None:
    close(
        student.confusion(["b", "a"], ["b", "b"], ["c", "b", "a"]),
        [[0, 0, 0], [0, 1, 0], [0, 1, 0]],
        given="key: b a; marks: b b; labels: c b a",
    )


@exercise("confusion", points=0.5, needs="test_rows_are_the_key_and_columns_the_marks")
def test_counts_are_a_numpy_array(student: Student) -> None:
    counts = student.confusion(["a"], ["b"], ["a", "b"])
    true(isinstance(counts, np.ndarray), "counts are a numpy array", given="one sentence", actual=counts)


@exercise("agreement")
def test_the_share_on_the_diagonal(student: Student) -> None:
    close(student.agreement(np.array([[3, 1], [2, 4]])), 0.7, given="counts 3 1 / 2 4")


@exercise("agreement", needs="test_the_share_on_the_diagonal")
def test_one_label_that_both_gave_throughout_is_full_agreement(student: Student) -> None:
    close(student.agreement(np.array([[0, 0], [0, 6]])), 1.0, given="counts 0 0 / 0 6")


@exercise("kappa")
def test_what_is_gained_of_what_chance_leaves(student: Student) -> None:
    close(student.kappa(np.array([[20, 5], [10, 15]])), 0.4, given="counts 20 5 / 10 15: observed 0.7, expected 0.5")


@exercise("kappa")
def test_full_agreement_gives_1_and_full_disagreement_on_two_equal_halves_gives_minus_1(student: Student) -> None:
    close(student.kappa(np.array([[4, 0], [0, 9]])), 1.0, given="counts 4 0 / 0 9")
    close(student.kappa(np.array([[0, 5], [5, 0]])), -1.0, given="counts 0 5 / 5 0")


@exercise("kappa", needs="test_what_is_gained_of_what_chance_leaves")
def test_a_reader_who_gives_one_label_to_everything_gains_nothing(student: Student) -> None:
    close(student.kappa(np.array([[18, 0], [2, 0]])), 0.0, given="counts 18 0 / 2 0")


@exercise("kappa", needs="test_what_is_gained_of_what_chance_leaves")
def test_where_chance_gives_full_agreement_it_is_0(student: Student) -> None:
    close(student.kappa(np.array([[7, 0], [0, 0]])), 0.0, given="counts 7 0 / 0 0")


@exercise("by_class")
def test_precision_goes_by_the_marks_and_recall_by_the_key(student: Student) -> None:
    close(
        student.by_class(np.array([[3, 1], [2, 4]])),
        [[3 / 5, 3 / 4, 6 / 9], [4 / 5, 4 / 6, 8 / 11]],
        given="counts 3 1 / 2 4",
    )


@exercise("by_class")
def test_nothing_to_divide_by_gives_0(student: Student) -> None:
    counts = np.array([[2, 0, 0], [1, 0, 0], [0, 0, 0]])
    close(
        student.by_class(counts),
        [[2 / 3, 1, 4 / 5], [0, 0, 0], [0, 0, 0]],
        given="counts 2 0 0 / 1 0 0 / 0 0 0: the second was never marked, the third is nowhere",
    )


@exercise("macro_f1")
def test_every_class_weighs_the_same(student: Student) -> None:
    close(student.macro_f1(np.array([[90, 0], [5, 5]])), (180 / 185 + 10 / 15) / 2, given="counts 90 0 / 5 5")


@exercise("macro_f1")
def test_a_class_that_neither_side_used_is_left_out(student: Student) -> None:
    close(
        student.macro_f1(np.array([[2, 1, 0], [0, 3, 0], [0, 0, 0]])),
        (4 / 5 + 6 / 7) / 2,
        given="2 1 0 / 0 3 0 / 0 0 0",
    )


@exercise("macro_f1")
def test_a_class_that_one_side_used_counts_with_0(student: Student) -> None:
    close(student.macro_f1(np.array([[3, 0], [1, 0]])), (6 / 7) / 2, given="counts 3 0 / 1 0")
    close(
        student.macro_f1(np.array([[3, 1, 0], [0, 0, 0], [0, 0, 2]])),
        (6 / 7 + 1) / 3,
        given="counts 3 1 0 / 0 0 0 / 0 0 2",
    )


@exercise("kappa_interval", needs="test_the_seed_decides_what_is_drawn")
def test_full_agreement_leaves_no_doubt(student: Student) -> None:
    close(
        list(student.kappa_interval(np.array([[30, 0], [0, 30]]), 200, 1)),
        [1.0, 1.0],
        given="counts 30 0 / 0 30, 200 draws",
    )


@exercise("kappa_interval", points=0.5, needs="test_the_seed_decides_what_is_drawn")
def test_one_sentence_drawn_again_is_the_same_sentence(student: Student) -> None:
    close(
        list(student.kappa_interval(np.array([[0, 1], [0, 0]]), 20, 3)), [0.0, 0.0], given="counts 0 1 / 0 0, 20 draws"
    )


@exercise("kappa_interval", points=0.5, needs="test_the_seed_decides_what_is_drawn")
def test_the_interval_of_a_single_draw_has_no_width(student: Student) -> None:
    low, high = student.kappa_interval(np.array([[8, 2], [3, 7]]), 1, 1)
    true(
        low == high,
        "the quantiles of a single kappa are that kappa",
        given="counts 8 2 / 3 7, 1 draw",
        actual=[low, high],
    )


@exercise("kappa_interval")
def test_the_seed_decides_what_is_drawn(student: Student) -> None:
    counts = np.array([[8, 2], [3, 7]])
    one, again, other = (list(student.kappa_interval(counts, 50, seed)) for seed in (1, 1, 2))
    true(one == again, "the same seed gives the same interval", given="counts 8 2 / 3 7, seed 1, twice")
    true(one != other, "another seed gives another interval", given="counts 8 2 / 3 7, seeds 1 and 2", actual=one)


@exercise("marks")
def test_every_sentence_has_one_known_label(student: Student) -> None:
    given = student.marks()
    try:
        abstracts.in_order(given, "graded")
    except abstracts.MarksError as error:
        fault = str(error)
    else:
        fault = ""
    true(not fault, fault)


@exercise("card", points=0.5)
def test_every_field_is_there_and_no_other(student: Student) -> None:
    card = student.card()
    true(isinstance(card, dict), "the card is a dictionary", actual=card)
    missing = [name for name in (*CHOICES, *FIGURES) if name not in card]
    true(not missing, f"the card has no field {', '.join(missing)}")
    extra = [name for name in card if name not in (*CHOICES, *FIGURES)]
    true(not extra, f"the card has a field that is not asked for: {', '.join(map(str, extra))}")


@exercise("card", points=0.5)
def test_choices_are_among_those_offered_and_figures_are_numbers(student: Student) -> None:
    card = student.card()
    for name, offered in CHOICES.items():
        true(card.get(name) in offered, f"{name} is one of {', '.join(offered)}", actual=card.get(name))
    for name in FIGURES:
        try:
            positive = abstracts.number(card.get(name)) > 0
        except ValueError as error:
            positive, fault = False, str(error)
        else:
            fault = "it is above 0"
        true(positive, f"{name}: {fault}", actual=card.get(name))
