"""The grader graded on every lesson's bank."""

import pytest

from grader.audit import audit
from grader.course import Course

LESSONS = [lesson.id for lesson in Course().lessons()]


@pytest.mark.parametrize("lesson", LESSONS)
def test_reference_skeleton_and_bank_come_out_as_they_should(course, lesson):
    found = audit(course.lesson(lesson))
    assert found.faults == []
    assert found.wrong >= 4 * found.exercises
    assert found.right >= 2 * found.exercises


def test_a_wrong_answer_that_passes_is_a_fault(course_copy):
    lesson = course_copy.lesson("word2vec")
    path = lesson.source / "bank.py"
    path.write_text(
        path.read_text(encoding="utf-8")
        + """

@mistake("nearest", "this is no mistake at all")
def nearest(vectors, words, query, k=5):
    unit = normalize(vectors, dim=1)
    cosine = unit @ unit[words.index(query)]
    cosine[words.index(query)] = -math.inf
    values, indices = cosine.topk(k)
    return [(words[i], v) for i, v in zip(indices.tolist(), values.tolist())]
""",
        encoding="utf-8",
    )
    assert any("passes every check" in fault for fault in audit(lesson).faults)


def test_a_right_answer_that_fails_is_a_fault(course_copy):
    lesson = course_copy.lesson("word2vec")
    path = lesson.source / "bank.py"
    path.write_text(
        path.read_text(encoding="utf-8")
        + """

@alternative("noise_distribution")
def noise_distribution(counts, power=0.75):
    return counts / counts.sum()
""",
        encoding="utf-8",
    )
    faults = audit(lesson).faults
    assert any("a right answer, fails" in fault for fault in faults)
    assert any("is named a mistake" in fault for fault in faults)
