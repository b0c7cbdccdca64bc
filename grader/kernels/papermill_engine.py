"""papermill's engine `etude`: its client, with time limits that hold, outputs that end, and a kernel that stays.

Where papermill and nbclient say more than happened (a cell never run is "completed"; a cell that ignores interrupts is
interrupted for ever), this module keeps its own account in a RunReport. To be imported through grader.kernels.runner only.
"""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path
from typing import Any

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_core.utils import run_sync
from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_output
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import Engine, NotebookExecutionManager

from grader.kernels.outputs import BoundedOutputs
from grader.kernels.run_report import CellRun, OnCell, RunReport
from grader.kernels.session import KernelSession
from grader.printable import printable
from grader.sandbox.meter import PERIOD

NOTICE_SECONDS = 10  # for nbclient, which looks once a second, to notice that a process has ended
INTERRUPTS = 3  # tries to interrupt a cell before its kernel is killed
BETWEEN_INTERRUPTS = 2.0  # seconds; all of them together outlast nbclient's wait for outputs after a cell has ended

# Seconds are the meter's, but for those that nbclient counts.

_quiet = logging.getLogger(__name__)  # what nbclient logs, the report says
_quiet.addHandler(logging.NullHandler())


class KeepAliveEngine(Engine):
    """papermill's engine `etude`. A session that is passed in outlives the run; one that is made here does not."""

    @classmethod
    def execute_managed_notebook(
        cls,
        nb_man: NotebookExecutionManager,
        kernel_name: str,
        session: KernelSession | None = None,
        cell_timeout: float | None = None,
        notebook_timeout: float | None = None,
        execution_timeout: float | None = None,
        on_cell: OnCell | None = None,
        allow_errors: bool = False,
        report: RunReport | None = None,
        **papermill_options: Any,
    ) -> None:
        report = report or RunReport(nb_man.nb)
        cell_timeout = cell_timeout or execution_timeout or float("inf")
        limits = cell_timeout, notebook_timeout or float("inf")
        if session is not None:
            run_sync(_run)(nb_man, session, report, limits, on_cell, allow_errors)
            return
        with KernelSession(Path.cwd(), kernel_name) as own:  # papermill has changed to the folder to run in
            run_sync(_run)(nb_man, own, report, limits, on_cell, allow_errors)


async def _run(
    nb_man: NotebookExecutionManager,
    session: KernelSession,
    report: RunReport,
    limits: tuple[float, float],
    on_cell: OnCell | None,
    allow_errors: bool,
) -> None:
    """Runs the manager's notebook and fills in the report. limits: seconds for a cell, seconds for all, as metered."""
    cells = nb_man.nb.cells
    runs = {i: CellRun(i) for i, cell in enumerate(cells) if cell.cell_type == "code" and cell.source.strip()}
    report.cells = list(runs.values())
    client = _Client(nb_man, session, await session.client())
    end = session.meter.charge() + limits[1]
    try:
        for index, cell in enumerate(cells):
            left = end - session.meter.total
            if left <= 0:
                report.reason = f"the notebook ran longer than {limits[1]:g} s"
                break
            if run := runs.get(index):
                nb_man.cell_start(cell, index)
                what, most = ("cell", limits[0]) if limits[0] <= left else ("notebook", limits[1])
                await client.run_cell(cell, run, min(limits[0], left), f"the {what} ran longer than {most:g} s")
                if run.status != "ok":
                    nb_man.cell_exception(cell, cell_index=index)
                nb_man.cell_complete(cell, cell_index=index)
            if on_cell is not None:
                on_cell(index, len(cells), cell)
            if not await session.async_alive() or (run and run.status != "ok" and not allow_errors):
                break
    finally:
        client.kc.stop_channels()
        for run in report.cells:
            if run.status == "not run":
                cells[run.index].metadata.papermill["status"] = "not run"  # papermill would call it completed
    report.alive = await session.async_alive()
    report.reason = report.reason if report.alive else await session.async_reason()


class _Client(BoundedOutputs, PapermillNotebookClient):
    """papermill's client, with time limits that hold and outputs that end."""

    def __init__(self, nb_man: NotebookExecutionManager, session: KernelSession, kc: AsyncKernelClient) -> None:
        # nbclient's own time limit is not used: it interrupts a cell that ignores interrupts for ever.
        super().__init__(nb_man, timeout=None, raise_on_iopub_timeout=False, allow_errors=True, log=_quiet)
        self.kc: AsyncKernelClient = kc
        self.on_cell_executed = self._keep_reply
        self.session = session
        self.reply: dict[str, str] = {}  # status, and name and text of the error, of the cell that ran last
        self.leaves = False  # whether that cell has called exit()

    def _keep_reply(self, cell: NotebookNode, cell_index: int, execute_reply: Any) -> None:
        content = execute_reply["content"]
        self.reply = {key: printable(str(content.get(key, ""))[:1000]) for key in ("status", "ename", "evalue")}
        self.leaves = _asks_to_exit(content.get("payload"))

    async def run_cell(self, cell: NotebookNode, run: CellRun, seconds: float, too_long: str) -> None:
        """Runs one cell, and writes into `run` whatever the kernel made of it."""
        self.reply = {}
        started, before = time.monotonic(), self.session.meter.total
        task = asyncio.ensure_future(self.async_execute_cell(cell, run.index))
        in_time = await self._ends(task, seconds)
        if not in_time:
            await self._interrupt_or_kill(task)
        trouble = await self._trouble(task)
        run.seconds, run.spent = time.monotonic() - started, self.session.meter.charge() - before
        if in_time and not trouble:
            run.status = "ok" if self.reply["status"] == "ok" else "error"
            run.ename, run.message = self.reply["ename"], self.reply["evalue"]
            if self.leaves:  # the kernel would go a little later, after the next cell or before it
                await self.session.async_kill("a cell has called exit()")
            return
        run.status, run.ename, run.message = ("error", "DeadKernel", trouble) if in_time else ("timeout", "", too_long)
        cell.outputs.append(new_output("error", ename=run.ename, evalue=run.message, traceback=[run.error]))

    async def _ends(self, task: asyncio.Task[Any], seconds: float) -> bool:
        """Tells whether the task ends before the kernel has spent so many seconds."""
        meter = self.session.meter
        meter.resume()
        until = meter.total + seconds
        while not task.done() and meter.total < until:
            await asyncio.wait({task}, timeout=PERIOD)
            meter.charge()
        return task.done()

    async def _interrupt_or_kill(self, task: asyncio.Task[Any]) -> None:
        for _ in range(INTERRUPTS):
            await self.session.async_interrupt()
            if await self._ends(task, BETWEEN_INTERRUPTS):
                return
        await self.session.async_kill("a cell ran too long and could not be interrupted")

    async def _trouble(self, task: asyncio.Task[Any]) -> str:
        """Says why there is no reply to read, once the task has ended; empty if there is one."""
        try:
            await asyncio.wait_for(task, NOTICE_SECONDS)
            return "" if self.reply else "the kernel gave no reply"
        except DeadKernelError:
            pass
        except Exception as error:  # messages that no kernel sends, and that nbclient stumbles over
            await self.session.async_kill(f"it sent messages that are not a kernel's ({type(error).__name__})")
        return f"the notebook's process has ended: {await self.session.async_reason()}"


def _asks_to_exit(payload: Any) -> bool:
    """Tells whether a cell has asked its frontend to shut the kernel down, in what a reply says beside its status."""
    asked = {"source": "ask_exit", "keepkernel": False}
    return isinstance(payload, list) and asked in payload
