"""Running a notebook in a real kernel: what the report says of good, slow, hostile and dying cells, what is left."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import papermill
import psutil
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from papermill.engines import papermill_engines

from grader.kernels import outputs
from grader.kernels.parameters import with_parameters
from grader.kernels.run_report import RunReport
from grader.kernels.runner import KeepAliveEngine, run_notebook
from grader.kernels.session import KernelSession, connected
from grader.remote.client import KernelGone


def notebook(*sources: str | NotebookNode) -> NotebookNode:
    made: NotebookNode = new_notebook(cells=[new_code_cell(s) if isinstance(s, str) else s for s in sources])
    return made


def tagged(source: str, *tags: Any) -> NotebookNode:
    cell: NotebookNode = new_code_cell(source, metadata={"tags": list(tags)})
    return cell


def run(session: KernelSession, *sources: str | NotebookNode, **options: Any) -> RunReport:
    defaults: dict[str, Any] = {"parameters": {}, "cell_timeout": 30, "notebook_timeout": 60}
    report = run_notebook(notebook(*sources), session, **(defaults | options))
    # The first cell is the injected one.
    assert report.cells.pop(0).status == "ok"
    return report


def texts(report: RunReport, index: int) -> str:
    return "".join(output.get("text", "") for output in report.notebook.cells[report.cells[index].index].outputs)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelSession]:
    """One kernel for the tests that leave it alive."""
    with KernelSession(tmp_path_factory.mktemp("work")) as session:
        yield session
        assert session.alive()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[KernelSession]:
    with KernelSession(tmp_path) as session:
        yield session


def test_the_kernel_outlives_the_run_and_its_functions_can_be_called(session: KernelSession) -> None:
    report = run(session, "def double(x):\n    return 2 * x")
    assert report.alive
    assert report.reason is None
    assert session.student().double(21) == 42


def test_a_notebook_can_be_run_again_after_a_student_was_called(session: KernelSession) -> None:
    run(session, "x = 1")
    student = session.student()
    assert student.x == 1
    assert run(session, "x += 1").cells[0].status == "ok"
    assert session.student().x == 2
    with pytest.raises(KernelGone):
        student.has("x")


def test_the_report_says_what_became_of_each_cell(session: KernelSession) -> None:
    text = new_markdown_cell("Words.")
    report = run(session, text, "1 / 0", "", "import sys; print('a warning', file=sys.stderr)")
    assert [(cell.index, cell.status) for cell in report.cells] == [(2, "error"), (4, "ok")]
    assert report.cells[0].error == "ZeroDivisionError: division by zero"
    assert report.cells[1].error == ""
    assert all(cell.seconds > 0 for cell in report.cells)


def test_without_allow_errors_the_first_error_is_the_last_cell(session: KernelSession) -> None:
    report = run(session, "raise KeyError(1)", "x = 1", allow_errors=False)
    assert [cell.status for cell in report.cells] == ["error", "not run"]
    assert report.notebook.cells[2].metadata.papermill.status == "not run"


def test_progress_is_told_after_each_cell(session: KernelSession) -> None:
    seen: list[tuple[int, int, str]] = []
    run(session, "a = 1", new_markdown_cell("b"), on_cell=lambda i, n, cell: seen.append((i, n, cell.source)))
    assert [(i, n) for i, n, _ in seen] == [(0, 3), (1, 3), (2, 3)]
    assert seen[1][2] == "a = 1"


def test_the_submitted_notebook_is_not_changed(session: KernelSession) -> None:
    nb = notebook("print(1)")
    before = nbformat.writes(nb)
    run_notebook(nb, session, parameters={"seed": 1}, cell_timeout=30, notebook_timeout=60)
    assert nbformat.writes(nb) == before


def test_an_endless_loop_is_interrupted_and_the_next_cell_runs(session: KernelSession) -> None:
    report = run(session, "while True: pass", "y = 5", cell_timeout=0.5)
    assert [cell.status for cell in report.cells] == ["timeout", "ok"]
    assert report.cells[0].error == "the cell ran longer than 0.5 s"


def test_a_flood_of_outputs_does_not_hold_up_the_time_limit(session: KernelSession) -> None:
    report = run(session, "while True: display(1)", "y = 5", cell_timeout=0.5)
    assert [cell.status for cell in report.cells] == ["timeout", "ok"]


def test_cells_after_the_notebooks_time_are_not_run(session: KernelSession) -> None:
    report = run(session, "while True: pass", "y = 5", notebook_timeout=1)
    assert [cell.status for cell in report.cells] == ["timeout", "not run"]
    assert report.alive
    assert report.reason == "the notebook ran longer than 1 s"


def test_sys_exit_is_an_error_and_the_next_cell_runs(session: KernelSession) -> None:
    report = run(session, "import sys; sys.exit(0)", "y = 5")
    assert [cell.status for cell in report.cells] == ["error", "ok"]
    assert report.cells[0].ename == "SystemExit"


def test_a_cell_that_asks_for_input_does_not_wait(session: KernelSession) -> None:
    assert run(session, "input()").cells[0].status == "error"


def test_too_much_output_is_cut_with_a_note(session: KernelSession) -> None:
    report = run(session, "for _ in range(30): print('x' * 1_000_000)", "print('short')")
    assert report.cells[0].status == "ok"
    assert texts(report, 0).endswith(outputs.NOTE)
    assert len(nbformat.writes(report.notebook)) < 1_100_000
    assert texts(report, 1) == "short\n"


def test_many_cells_together_show_no_more_than_a_notebook_may(
    session: KernelSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "MAX_NOTEBOOK", 250_000)
    growing = "from IPython.display import HTML\nfor i in range(9): shown.update(HTML('x' * 40_000 * i))"
    first = "from IPython.display import display\nshown = display('', display_id=True)"
    report = run(session, first, *["print('x' * 100_000)"] * 5, growing)
    assert [len(texts(report, i)) for i in range(1, 4)] == [100_001, 100_001, pytest.approx(50_000, abs=1000)]
    assert [texts(report, i) for i in (4, 5)] == [outputs.NOTE] * 2
    assert len(nbformat.writes(report.notebook)) < 270_000


def test_outputs_that_are_replaced_again_and_again_are_not_cut(session: KernelSession) -> None:
    report = run(
        session,
        "from IPython.display import clear_output, display, HTML\n"
        "for i in range(30):\n    clear_output(wait=True)\n    print('x' * 90_000, i)",
        "shown = display(HTML('start'), display_id=True)\n"
        "for i in range(30): shown.update(HTML('x' * 90_000 + str(i)))",
        "for _ in range(3): shown.update(HTML('x' * 2_000_000))",
    )
    assert texts(report, 0).endswith(" 29\n")
    assert report.notebook.cells[report.cells[1].index].outputs[0].data["text/html"].endswith("x29")
    assert len(nbformat.writes(report.notebook)) < 300_000


def test_a_widget_that_says_nothing_of_itself_is_ignored(session: KernelSession) -> None:
    report = run(session, "import comm; comm.create_comm(target_name='jupyter.widget', data={})", "y = 5")
    assert [cell.status for cell in report.cells] == ["ok", "ok"]


def test_a_cell_that_ignores_interrupts_is_killed(fresh: KernelSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.kernels.papermill_engine.BETWEEN_INTERRUPTS", 0.2)
    stubborn = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    report = run(fresh, stubborn, "y = 5", cell_timeout=0.3)
    assert [cell.status for cell in report.cells] == ["timeout", "not run"]
    assert not report.alive
    assert report.reason == "a cell ran too long and could not be interrupted"


def test_a_kernel_that_ends_itself_is_reported_with_its_exit_status(fresh: KernelSession) -> None:
    report = run(fresh, "import os; os._exit(3)", "y = 5")
    assert [cell.status for cell in report.cells] == ["error", "not run"]
    assert not report.alive
    assert report.reason == "its process ended by itself with exit status 3"
    assert "exit status 3" in report.cells[0].error
    with pytest.raises(KernelGone, match="exit status 3"):
        fresh.student()


def test_a_kernel_that_sends_nonsense_is_ended(fresh: KernelSession) -> None:
    forge = "get_ipython().kernel.session.send(get_ipython().kernel.iopub_socket, 'stream', {}, parent="
    report = run(fresh, forge + "get_ipython().kernel.get_parent('shell'))\nimport time; time.sleep(1)", "y = 5")
    assert [cell.status for cell in report.cells] == ["error", "not run"]
    assert report.reason is not None
    assert "messages that are not a kernel's" in report.reason


def test_closing_leaves_no_process_and_no_file(tmp_path: Path) -> None:
    with KernelSession(tmp_path) as session:
        run(session, "import subprocess, os\nchild = subprocess.Popen(['sleep', '1000']).pid\npid = os.getpid()")
        student = session.student()
        pids = [student.child, student.pid]
        private = session._private
    assert private is not None
    assert not private.exists()
    gone = [not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE for pid in pids]
    assert gone == [True, True]
    assert not session.alive()


def test_a_kernel_killed_from_outside_is_reported_with_the_signal(fresh: KernelSession) -> None:
    run(fresh, "import os\npid = os.getpid()")
    student = fresh.student()
    os.kill(student.pid, signal.SIGKILL)
    with pytest.raises(KernelGone, match="signal 9"):
        student.has("x")


def test_the_environment_and_the_folder_are_the_kernels(tmp_path: Path) -> None:
    with KernelSession(tmp_path, env={"ETUDE_TEST": "yes"}) as session:
        run(session, "import os\nwhere, flag = os.getcwd(), os.environ['ETUDE_TEST']")
        assert session.student().where == str(tmp_path)
        assert session.student().flag == "yes"


def test_limits_for_a_kernel_that_keeps_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="keeps no limits"), KernelSession(tmp_path, limits={"memory": 1}):
        pass


def test_a_link_in_the_place_of_the_line_is_not_followed(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(tmp_path / "other"))
        other.listen(1)
        (tmp_path / "line").symlink_to(tmp_path / "other")
        with pytest.raises(OSError, match="refused"):
            connected(tmp_path / "line")
        connected(tmp_path / "other").close()


def test_serving_calls_leaves_no_name_in_the_notebook(session: KernelSession) -> None:
    run(session, "before = set(globals())")
    session.student().has("x")
    assert run(session, "after = set(globals())").alive
    student = session.student()
    new = {name for name in student.after - student.before if not name.startswith("_")}
    assert new == {"before"}


# ---- parameters


def order(nb: NotebookNode) -> list[str]:
    return [cell.source.splitlines()[-1] for cell in nb.cells]


def test_parameters_stand_after_the_first_parameters_cell() -> None:
    nb = notebook("a = 0", tagged("seed = 0", "parameters"), "b = 0", tagged("seed = 9", "parameters"))
    assert order(with_parameters(nb, {"seed": 1})) == ["a = 0", "seed = 0", "seed = 1", "b = 0", "seed = 9"]


def test_parameters_stand_first_in_a_notebook_without_a_parameters_cell() -> None:
    assert order(with_parameters(notebook("a = 0"), {"seed": 1})) == ["seed = 1", "a = 0"]


def test_a_students_injected_cell_neither_moves_nor_outlives_the_parameters() -> None:
    stale = tagged("seed = 7", "injected-parameters")
    nb = notebook(tagged("seed = 0", "parameters"), stale, "b = 0", tagged("seed = 8", "injected-parameters"))
    result = with_parameters(nb, {"seed": 1})
    assert order(result) == ["seed = 0", "seed = 7", "seed = 1", "b = 0", "seed = 8"]
    assert [cell.metadata.tags for cell in result.cells] == [["parameters"], [], ["injected-parameters"], [], []]


def test_tags_that_steer_papermill_are_removed_whatever_their_form() -> None:
    nb = notebook("a = 0", "b = 0")
    nb.cells[0].metadata["tags"] = ["papermill-error-cell-tag", "kept", 3]
    nb.cells[1].metadata["tags"] = None
    assert [cell.metadata.tags for cell in with_parameters(nb, {}).cells[1:]] == [["kept"], []]


@pytest.mark.parametrize("parameters", [{"a b": 1}, {"if": 1}, {"x": float("nan")}, {"x": object()}, {"x": [Path()]}])
def test_what_is_no_parameter_is_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is no parameter"):
        with_parameters(notebook(), parameters)


def test_the_graders_parameters_hold_in_the_run(session: KernelSession) -> None:
    values = {"seed": 3, "rates": [0.1, -2], "flags": {"a": True, "b": None}, "text": '"q"\\n\'\n한'}
    cell = tagged("seed, text = 0, 'default'", "parameters")
    run_notebook(notebook(cell), session, parameters=values, cell_timeout=9, notebook_timeout=9)
    student = session.student()
    assert {name: student[name] for name in values} == values


# ---- papermill


def test_papermill_itself_can_run_a_notebook_with_the_engine(tmp_path: Path) -> None:
    papermill_engines.register("etude", KeepAliveEngine)
    nb = notebook(tagged("x = 1", "parameters"), "print(x)")
    nb.metadata["kernelspec"] = {"name": "python3", "display_name": "Python", "language": "python"}
    nbformat.write(nb, tmp_path / "in.ipynb")
    done = papermill.execute_notebook(
        str(tmp_path / "in.ipynb"),
        str(tmp_path / "out.ipynb"),
        parameters={"x": 2},
        engine_name="etude",
        progress_bar=False,
        cwd=str(tmp_path),
    )
    assert done.cells[-1].outputs[0].text == "2\n"
