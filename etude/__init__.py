"""Etude, the student's library: what a course notebook imports.

    import etude
    from etude import check, record

`etude.start` opens a lesson, `check` tries an exercise, `record` keeps what an experiment measured.
Heavy modules are imported by the notebooks that need them, so that `import etude` stays quick.
"""

from etude.lesson.check import check
from etude.lesson.record import record
from etude.lesson.run import Run, start

__all__ = ["Run", "check", "record", "start"]
