"""README's table of lessons, made from course.toml: a block between two marks, in the courses whose README has them."""

from __future__ import annotations

from urllib.parse import quote

from etude.files import write_whole
from grader.course import Course, Lesson

BEGIN, END = "<!-- lessons: rendered by grader build -->", "<!-- /lessons -->"
HEAD = ("| week | lesson | paper | expected |", "|---|---|---|---|")


def update(course: Course) -> bool:
    """Writes the table into the course's README where its marks are.

    Returns:
        True if the table was another.
    """
    path = course.root / "README.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        return False
    new = f"{before}{BEGIN}\n\n{rendered(course)}\n\n{END}{after}"
    if new != text:
        write_whole(path, new)
    return new != text


def rendered(course: Course) -> str:
    """Makes the table: a line for each lesson, the week's title in its first."""
    lines = [*HEAD]
    for week in course.file.weeks:
        lessons = course.lessons(week.name) if week.lessons else []
        lines += [_line(lesson, first=number == 0) for number, lesson in enumerate(lessons)]
    return "\n".join(lines)


def _line(lesson: Lesson, first: bool) -> str:
    entry, root = lesson.entry, lesson.course.root
    cells = (
        lesson.week.title if first else "",
        f"[{entry.title}]({lesson.released.relative_to(root).as_posix()})",
        f"[{entry.paper.partition(',')[0]}]({quote(entry.link, safe=':/%?#&=;')})",
        f"[table]({(lesson.source / 'expected.csv').relative_to(root).as_posix()})",
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
