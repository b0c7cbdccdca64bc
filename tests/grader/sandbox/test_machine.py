"""What a sandboxed kernel needs of the machine and what is said if it is missing; who can start it by its name."""

# ruff: noqa: F401, F811 - fixtures are imported by name

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import nbformat
import papermill
import pytest
from nbclient import NotebookClient
from sandboxed import KERNELS, kernel, machine, work

from grader.sandbox import check_sandbox, preflight
from grader.sandbox.bwrap import interpreter_paths
from grader.sandbox.kernel import SandboxError
from grader.sandbox.limits import MB
from grader.sandbox.privileges import as_unprivileged, first_closed_folder

pytestmark = pytest.mark.sandbox

# Who can use it by name.


@pytest.mark.parametrize("name", KERNELS)
def test_nbclient_and_papermill_run_a_notebook_by_the_kernels_name(name: str, tmp_path: Path) -> None:
    cells = [nbformat.v4.new_code_cell("import os; os.getuid()")]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": name, "display_name": name}})
    nbformat.write(notebook, tmp_path / "in.ipynb")
    done = papermill.execute_notebook(tmp_path / "in.ipynb", None, kernel_name=name, cwd=tmp_path, progress_bar=False)
    assert done.cells[0].outputs[0]["data"]["text/plain"] == "1000"
    client = NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}})
    assert client.execute().cells[0].outputs[0]["data"]["text/plain"] == "1000"


# What it says when it cannot work.


@pytest.fixture
def without_bubblewrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in preflight.TOOLS.keys() - {"bwrap"}:
        (tools / tool).symlink_to(shutil.which(tool) or "")
    monkeypatch.setenv("PATH", str(tools))


@pytest.mark.usefixtures("without_bubblewrap")
def test_a_machine_without_bubblewrap_is_told_how_to_get_it() -> None:
    assert [str(p) for p in check_sandbox()] == [
        "bubblewrap is not installed (no bwrap on PATH): apt-get install bubblewrap"
    ]


@pytest.mark.usefixtures("without_bubblewrap")
def test_a_kernel_never_starts_without_its_sandbox(work: Path) -> None:
    with pytest.raises(SandboxError, match="apt-get install bubblewrap"), kernel("etude-sandbox", work):
        pass


def test_a_folder_too_large_for_the_sandbox_is_named_with_the_remedy(tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(5 * MB)
    small = kernel("etude-sandbox", tmp_path, work_mb=4)
    with pytest.raises(SandboxError, match="start the kernel in the lesson's own folder"), small:
        pass


def test_an_unreadable_interpreter_is_a_problem_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, "attempt", lambda command: "Permission denied")
    problem = preflight.check_interpreter()
    assert problem is not None
    assert "run the grader as an ordinary user" in problem.remedy


# Root's way down.


def test_the_outermost_closed_folder_is_found() -> None:
    with tempfile.TemporaryDirectory() as name:
        outer = Path(name)
        inner = outer / "open" / "closed" / "leaf"
        inner.mkdir(parents=True)
        outer.chmod(0o755)
        (outer / "open" / "closed").chmod(0o700)
        assert first_closed_folder(inner) == outer / "open" / "closed"
        assert first_closed_folder(outer / "open") is None


def test_a_needed_path_in_a_closed_folder_can_be_read_and_for_root_its_neighbours_cannot() -> None:
    with tempfile.TemporaryDirectory() as name:
        closed = Path(name)  # made with mode 700
        (closed / "needed").mkdir()
        for path in (closed / "needed" / "file", closed / "neighbour"):
            path.write_text("words")
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700
        needed = [*interpreter_paths(), closed / "needed"]
        read = [
            subprocess.run(as_unprivileged(["cat", str(path)], needed), capture_output=True, text=True, cwd="/").stdout
            for path in (closed / "needed" / "file", closed / "neighbour")
        ]
        assert read == ["words", "" if os.getuid() == 0 else "words"]
        assert (closed / "neighbour").read_text() == "words"


def test_root_becomes_another_user() -> None:
    done = subprocess.run(as_unprivileged(["id", "-u"], []), capture_output=True, text=True, cwd="/")
    assert int(done.stdout) == (41000 if os.getuid() == 0 else os.getuid())
