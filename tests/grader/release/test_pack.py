"""The pack that students get: nothing of the instructor's in it, and it works in an environment of its own."""

import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import nbformat
import pytest
from environments import with_pack

from grader.course import Course, CourseError
from grader.lessons import source
from grader.release.leak_checks import Leak
from grader.release.pack import pack, prove

pytestmark = pytest.mark.slow

WEEK = "week3_reading"


def course_in(folder: Path) -> Course:
    """This course, what it builds in a folder of its own."""
    course = Course()
    course.build = folder
    return course


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pack(course_in(tmp_path_factory.mktemp("packed")), WEEK)


def test_it_holds_notebooks_checks_the_library_and_how_to_install_it(packed: Path) -> None:
    names = {name.removeprefix(f"{WEEK}/") for name in zipfile.ZipFile(packed).namelist()}
    [wheel] = [name for name in names if name.endswith(".whl")]
    assert {"README.md", "requirements.txt", "environment.yml", ".devcontainer/devcontainer.json"} <= names
    for lesson in Course().lessons(WEEK):
        assert {
            f"{lesson.name}.ipynb",
            *(f"{lesson.name}/{name}" for name in ("checks.py", "expected.csv", "mistakes.json")),
        } <= names
    texts = {
        name: zipfile.ZipFile(packed).read(f"{WEEK}/{name}").decode() for name in names if not name.endswith(".whl")
    }
    assert texts["requirements.txt"] == f"./{wheel}[lab]\n"
    assert wheel in texts["environment.yml"]
    assert re.fullmatch(r"etude-0\.1\.0\+week3\.reading\.[0-9a-f]{8}-py3-none-any\.whl", wheel)
    assert "Colab" not in texts["README.md"].replace("In Colab run", ""), "no link where the course names no repository"


def test_equal_contents_give_the_same_bytes(packed: Path, tmp_path: Path) -> None:
    assert pack(course_in(tmp_path), WEEK).read_bytes() == packed.read_bytes()


def test_links_to_colab_and_binder_lead_into_the_repository(tmp_path: Path) -> None:
    course = course_in(tmp_path)
    course.file.repository = "someone/nlp-course"
    page = zipfile.ZipFile(pack(course, WEEK)).read(f"{WEEK}/README.md").decode()
    assert f"github/someone/nlp-course/blob/main/{WEEK}/marking.ipynb" in page
    assert f"gh/someone/nlp-course/main?urlpath=lab/tree/{WEEK}/marking.ipynb" in page


def test_a_week_that_is_not_built_is_refused(tmp_path: Path) -> None:
    course = Course(tmp_path)
    shutil.copy(Course().root / "course.toml", tmp_path)
    with pytest.raises(CourseError, match=f"run `grader build {WEEK}`"):
        pack(course, WEEK)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("week/hidden.py", "", "hidden.py must not be released"),
        ("week/solutions/one.py", "", "must not be released"),
        ("week/notes.md", "see {hidden} for more", "names {hidden}, a hidden check"),
    ],
)
def test_what_is_the_instructors_is_found(tmp_path: Path, name: str, content: str, told: str) -> None:
    lessons = Course().lessons(WEEK)
    hidden = next(check.name for check in source.checks(lessons[0]) if check.hidden)
    with zipfile.ZipFile(tmp_path / "pack.zip", "w") as archive:
        archive.writestr(name, content.format(hidden=hidden))
    with pytest.raises(Leak, match=told.format(hidden=hidden)):
        prove(tmp_path / "pack.zip", lessons)


def test_a_package_of_the_graders_in_the_wheel_is_found(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "etude-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tools/gpu.py", "")
    with zipfile.ZipFile(tmp_path / "pack.zip", "w") as archive:
        archive.write(tmp_path / "etude-1-py3-none-any.whl", "week/etude-1-py3-none-any.whl")
    with pytest.raises(Leak, match=r"the wheel holds tools/gpu\.py"):
        prove(tmp_path / "pack.zip", Course().lessons(WEEK))


def test_it_installs_and_runs_in_an_environment_of_its_own(packed: Path, tmp_path: Path) -> None:
    """The environment has the libraries of this one, and of the course what is in the pack alone."""
    zipfile.ZipFile(packed).extractall(tmp_path)
    folder = tmp_path / WEEK
    environment = with_pack(folder, tmp_path / "env")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return environment.run("python", *words, folder=folder)

    where = run("-c", "import etude, etude.models.gpt, etude_weeks; print(etude.__file__)")
    assert where.stdout.startswith(str(tmp_path / "env")), where.stderr
    assert "No module named 'grader'" in run("-c", "import grader").stderr
    done = run(
        "-m", "nbconvert", "--to", "notebook", "--execute", "--allow-errors", "--output", "done", "families.ipynb"
    )
    assert done.returncode == 0, done.stderr[-2000:]
    outputs = [
        output
        for cell in nbformat.read(folder / "done.ipynb", as_version=4).cells
        for output in cell.get("outputs", [])
    ]
    assert any("week3_reading/families · profile cpu" in output.get("text", "") for output in outputs)
    errors = {output.ename for output in outputs if output.output_type == "error"}
    assert "CheckFailed" in errors, "nothing is written yet"
    assert not errors & {"ModuleNotFoundError", "ImportError", "FileNotFoundError", "LessonError"}
