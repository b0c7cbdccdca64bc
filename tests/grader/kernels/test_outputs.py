"""How much a cell may say: texts, many small values and many lines are all cut where their memory would grow."""

from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, output_from_msg

from grader.kernels.outputs import MAX_OUTPUT, NOTE, BoundedOutputs


class Client:
    """What nbclient does with a message, without a kernel."""

    def __init__(self) -> None:
        self.nb = new_notebook(cells=[new_code_cell("")])
        self.clear_before_next_output = False
        self._display_id_map: dict[str, Any] = {}

    def output(self, outs: list[NotebookNode], msg: dict[str, Any], display_id: str | None, cell_index: int) -> None:
        outs.append(output_from_msg(msg))


class Bounded(BoundedOutputs, Client):
    pass


def display(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "msg_type": "display_data",
        "header": {"msg_type": "display_data"},
        "content": {"data": data, "metadata": {}},
    }


def shown(data: dict[str, Any], times: int = 1) -> list[NotebookNode]:
    client = Bounded()
    outs: list[NotebookNode] = []
    for _ in range(times):
        client.output(outs, display(data), None, 0)
    return outs


@pytest.mark.parametrize(
    "data",
    [
        {"text/plain": "x" * (MAX_OUTPUT + 1)},
        {"application/json": [{}] * 100_000},
        {"application/json": [[0] * 300] * 300},
        {"text/plain": "\n" * 100_000},
    ],
)
def test_what_takes_too_much_memory_is_cut_whatever_it_is_made_of(data: dict[str, Any]) -> None:
    [only] = shown(data)
    assert only.text == NOTE


def test_many_small_outputs_are_cut() -> None:
    assert len(shown({"text/plain": "x"}, times=100_000)) < 10_000


@pytest.mark.parametrize(
    "data",
    [
        {"image/png": "iVBORw0KGgo=" * 80_000, "text/plain": "<Figure size 640x480 with 1 Axes>"},
        {"text/plain": "a line of a table of results\n" * 20_000},
        {"application/vnd.plotly.v1+json": {"x": list(range(5000)), "y": [0.5] * 5000}},
    ],
)
def test_pictures_tables_and_plots_are_kept(data: dict[str, Any]) -> None:
    [only] = shown(data)
    assert only.data == data
