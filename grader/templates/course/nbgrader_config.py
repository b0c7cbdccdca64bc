"""nbgrader's configuration: its own commands work from this folder, for example

nbgrader generate_assignment week1_embeddings
nbgrader autograde week1_embeddings --student ada
nbgrader formgrader (in JupyterLab's menu)

nbgrader's source folder is made from solutions/; it is made here when it is not there yet.
"""

from pathlib import Path

from grader.course import Course
from grader.nbgrader.config import configuration
from grader.release.build import write_master

c = get_config()  # noqa: F821  (given by nbgrader)
course = Course(Path(__file__).parent)
c.merge(configuration(course))
for lesson in course.lessons():
    if not lesson.master.is_file():
        write_master(lesson)
