"""bert_pretraining: the public checks. Expected values are counted by hand."""

from etude.lesson.checks import close, exercise
from etude.lesson.interface import Student


@exercise("letter_probabilities")
def test_one_is_added_to_every_count(student: Student) -> None:
    close(student.letter_probabilities("aab", "abc"), [3 / 6, 2 / 6, 1 / 6], given="the text aab, the alphabet abc")


@exercise("letter_probabilities", points=0.5, needs="test_one_is_added_to_every_count")
def test_probabilities_sum_to_one(student: Student) -> None:
    close(sum(student.letter_probabilities("banana", "abn")), 1.0, given="the text banana, the alphabet abn")
