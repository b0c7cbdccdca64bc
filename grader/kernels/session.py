"""One kernel, from its start to its end: where a notebook runs and where its functions are called afterwards.

The kernel is whatever its kernelspec says: a plain local process, or a sandbox made by a kernel provisioner. Both are
talked to through unix sockets in one private folder (for a sandbox, the only one that both sides write to). This module
starts, watches, interrupts and ends; it must not know about notebooks' cells, values or grading.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path
from queue import Empty
from types import TracebackType
from typing import Any, Self

import zmq
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync

from grader import bounded_json
from grader.remote.client import Student
from grader.remote.connection import Connection, KernelGone
from grader.sandbox.meter import PERIOD, Activity, Meter, of_process

START_SECONDS = (
    300  # for a kernel to answer the first time, on a machine that is slow and busy; one that ends is noticed
)
PATIENCE = 60  # as a meter counts, for an idle main thread to pick the line up
KILL_SECONDS = 5  # for a killed process to be gone
MAX_MESSAGE = 128 << 20  # bytes; libzmq drops the connection before it takes more for one message of the kernel's
MAX_QUEUED = 8  # messages waiting on this side; the rest wait in the kernel's own memory
RECONNECT_MS = 5  # until a starting kernel has made its sockets; libzmq's own is 100
MAX_SOCKET_PATH = 103  # characters: 104 with the closing zero, the least of the systems' limits

_REMOTE = Path(__file__).parents[1] / "remote"


class _BoundedClient(AsyncKernelClient):
    """A client whose memory a kernel cannot fill."""

    def _context_default(self) -> zmq.asyncio.Context:
        context = super()._context_default()
        context.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE)
        context.setsockopt(zmq.RCVHWM, MAX_QUEUED)
        context.setsockopt(zmq.RECONNECT_IVL, RECONNECT_MS)
        return context


class KernelLost(RuntimeError):
    """The kernel ended for a reason on the grader's side, as when memory runs out outside its sandbox."""


class KernelSession:
    """A running kernel, as a context manager that leaves no process and no file behind.

    folder: the kernel's working folder. limits: handed to the kernelspec's provisioner as its `limits`; so is given, a folder
    whose files appear in the working folder, read-only. env: variables for the kernel, beside this process's own.

    Raises KernelGone if the kernel does not start, and at the end KernelLost if it was taken away by a trouble of the
    grader's own.
    """

    def __init__(
        self,
        folder: Path | str,
        kernel_name: str = "python3",
        limits: dict[str, Any] | None = None,
        env: dict[str, str] | None = None,
        given: Path | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.kernel_name = kernel_name
        self._limits = limits
        self._env = env or {}
        self._given = given
        self._private: Path | None = None  # this side's own folder: sockets, connection file, the kernel's first words
        self._manager: AsyncKernelManager | None = None
        self._student: Student | None = None
        self._meter: Meter | None = None
        self._why: str | None = None
        self._exit: int | None = None

    def __enter__(self) -> Self:
        try:
            run_sync(self._start)()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        lost = getattr(self.provisioner, "lost", False)
        self.close()
        if lost:  # whatever came of it says nothing about the notebook
            raise KernelLost(f"the kernel {self.kernel_name!r} was lost: a process of the grader's ended") from error

    async def _start(self) -> None:
        private = self._private = Path(tempfile.mkdtemp(prefix="etude-"))
        manager = self._manager = AsyncKernelManager(kernel_name=self.kernel_name, client_factory=_BoundedClient)
        # A provisioner that makes a sandbox replaces these three by places that exist on both sides.
        manager.transport, manager.ip = "ipc", str(private / "k")
        manager.connection_file = str(private / "connection.json")
        manager.context.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE)
        manager.session.unpack = _unpacked
        provisioner = manager.kernel_spec.metadata.get("kernel_provisioner") if manager.kernel_spec else None
        if self._limits is not None:
            if provisioner is None:
                raise ValueError(f"the kernel {self.kernel_name!r} is a plain process and keeps no limits: pass none")
            provisioner["config"] = {**provisioner.get("config", {}), "limits": self._limits}
            if self._given is not None:
                provisioner["config"]["given"] = str(self._given)
        with (private / "log").open("wb") as log:
            output = {} if provisioner else {"stdout": log, "stderr": log}
            await manager.start_kernel(
                cwd=str(self.folder),
                env={**os.environ, **self._env},
                extra_arguments=["--HistoryManager.hist_file=:memory:"],
                **output,
            )

    async def client(self) -> AsyncKernelClient:
        """Makes a client with open channels to a kernel that is ready; its owner calls stop_channels().

        Raises:
            KernelGone: the kernel did not get ready.
        """
        self._hang_up()
        assert self._manager is not None
        client = self._manager.client()
        client.start_channels(stdin=False, hb=False, control=False)
        if not await self._answers(client):
            client.stop_channels()
            why = self._last_words() or f"it did not answer within {START_SECONDS} s"
            raise KernelGone(f"the kernel {self.kernel_name!r} is not ready: {why}")
        return client

    async def _answers(self, client: AsyncKernelClient) -> bool:
        """Asks until both channels have answered the same question, so that no output of a first cell is missed.

        jupyter_client's wait_for_ready does the same and then listens 0.2 s for more.
        """
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and await self.async_alive():
            asked = client.kernel_info()
            try:
                while await _question(client.get_shell_msg(timeout=1)) != asked:
                    pass
                while await _question(client.get_iopub_msg(timeout=0.05)) != asked:
                    pass
                return True
            except Empty:
                continue
        return False

    def _last_words(self) -> str:
        log = self._private / "log" if self._private else None
        return self.reason or (log.read_text(errors="replace")[-1000:].strip() if log and log.exists() else "")

    @property
    def provisioner(self) -> Any:
        """What runs the process, also after it has ended; None before the start and after close()."""
        return self._manager.provisioner if self._manager is not None else None

    @property
    def meter(self) -> Meter:
        """What the kernel spends, from the first time on that somebody asks."""
        if self._meter is None:
            self._meter = Meter(self._activity)
        return self._meter

    def _activity(self) -> Activity:
        look = getattr(self.provisioner, "activity", None)
        return look() if callable(look) else of_process(getattr(self.provisioner, "pid", None) or -1)

    @property
    def most_memory(self) -> int:
        """The most bytes that a sandboxed kernel held at a time; 0 of a plain process, which nobody watches."""
        return int(getattr(self.provisioner, "most_memory", 0))

    async def async_alive(self) -> bool:
        if self.provisioner is None:
            return False
        code = await self.provisioner.poll()
        if code is not None and self._exit is None:
            self._exit = code
        return code is None

    async def async_interrupt(self) -> None:
        if self._manager is not None and await self.async_alive():
            await self._manager.interrupt_kernel()

    async def async_kill(self, why: str) -> None:
        """Ends the process at once.

        Args:
            why: becomes the reason, unless the process had ended already.
        """
        if not await self.async_alive():
            return
        self._why = why
        await self._kill()

    async def _kill(self) -> None:
        await self.provisioner.kill()
        end = time.monotonic() + KILL_SECONDS
        while await self.async_alive() and time.monotonic() < end:
            await asyncio.sleep(0.01)

    async def async_reason(self) -> str | None:
        if await self.async_alive():
            return None
        why = getattr(self.provisioner, "why", None)
        reason = self._why or (why() if callable(why) else None)
        if reason or self._exit is None:
            return reason
        if self._exit < 0:
            return f"its process was ended by signal {-self._exit} ({signal.strsignal(-self._exit)})"
        return f"its process ended by itself with exit status {self._exit}"

    def alive(self) -> bool:
        return run_sync(self.async_alive)()

    def interrupt(self) -> None:
        """Sends SIGINT: it ends the cell or call that is running, if that does not ignore it."""
        run_sync(self.async_interrupt)()

    def kill(self, why: str = "it was ended by the grader") -> None:
        run_sync(self.async_kill)(why)

    @property
    def reason(self) -> str | None:
        """Why the kernel has ended, from what this side and the provisioner saw; None while it lives."""
        return run_sync(self.async_reason)()

    def close(self) -> None:
        """Kills the kernel and its process group, and removes its private folder."""
        self._hang_up()
        try:
            if self._manager is not None:
                run_sync(self._shut_down)()
        finally:
            self._manager = None
            if self._private is not None:
                shutil.rmtree(self._private, ignore_errors=True)

    async def _shut_down(self) -> None:
        assert self._manager is not None
        if await self.async_alive():
            await self._kill()  # jupyter_client alone would look for the end ten times a second
        await self._manager.shutdown_kernel(now=True)

    # ---- calling

    def student(self, timeout: float = 10, patience: float = PATIENCE) -> Student:
        """Opens a client to the notebook's names. One at a time; the kernel must be idle.

        Args:
            timeout: the meter's seconds for each request.
            patience: the meter's seconds for the kernel to pick the line up.

        Raises:
            KernelGone: the kernel has not picked the line up within `patience`; it has been killed.
            ValueError: the folder's path is too long for a socket.
        """
        self._hang_up()
        assert self._manager is not None
        path = Path(self._manager.ip).parent / f"line-{secrets.token_hex(4)}"
        if len(str(path)) > MAX_SOCKET_PATH:
            raise ValueError(f"{path} is too long for a socket (over {MAX_SOCKET_PATH}): set TMPDIR to a shorter one")
        client = self._manager.blocking_client()
        client.start_channels(iopub=False, stdin=False, hb=False, control=False)
        try:
            client.execute(boot_source(path), silent=True, store_history=False, allow_stdin=False)
            connection = self._connect(path, patience)
        finally:
            client.stop_channels()
        self._student = Student(Connection(connection, self), timeout)
        return self._student

    def _connect(self, path: Path, seconds: float) -> socket.socket:
        """Waits until the kernel listens at the path, which for a sandbox lies in memory of its own."""
        self.meter.resume()
        end, looked = self.meter.charge() + seconds, time.monotonic()
        while self.alive() and self.meter.total < end:
            try:
                return connected(path)
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.002)
                if time.monotonic() - looked > PERIOD:
                    self.meter.charge()
                    looked = time.monotonic()
            except OSError as error:
                self.kill(f"it made something else than a socket where it should listen ({error})")
        self.kill(f"it did not let the grader call its functions within {seconds:g} s")
        raise KernelGone(f"the notebook's process cannot be called: {self.reason}")

    def _hang_up(self) -> None:
        if self._student is not None:
            self._student.close()
            self._student = None


async def _question(coming: Awaitable[dict[str, Any]]) -> Any:
    """Reads the id of the request that a message answers."""
    return (await coming).get("parent_header", {}).get("msg_id")


def _unpacked(part: bytes) -> Any:
    """Reads the JSON of a message's part as jupyter reads it. Raises ValueError for one of too many values."""
    return bounded_json.loads(bytes(part).decode("utf-8", "replace").encode())


def connected(path: Path) -> socket.socket:
    """Connects to the socket at the path, and to nothing that a link there may point to.

    The student can write to this folder: connecting by name could lead this process to any socket of the machine.
    """
    connection = socket.socket(socket.AF_UNIX)
    try:
        if not hasattr(os, "O_PATH"):  # not Linux, so no sandbox either
            connection.connect(str(path))
            return connection
        descriptor = os.open(path, os.O_PATH | os.O_NOFOLLOW)
        try:
            connection.connect(f"/proc/self/fd/{descriptor}")
        finally:
            os.close(descriptor)
    except OSError:
        connection.close()
        raise
    return connection


def boot_source(path: Path) -> str:
    """Writes the cell that makes a kernel serve calls: one expression, so that it leaves no name in the notebook."""
    files = ("tables.py", "codec.py", "by_value.py", "server.py")
    texts = [(f"<grader/{name}>", (_REMOTE / name).read_text(encoding="utf-8")) for name in files]
    return (
        "(lambda builtins, space, names: [builtins.exec(builtins.compile(text, file, 'exec'), space)"
        f" for file, text in {texts!r}] and space['serve']({str(path)!r}, names))"
        "(__import__('builtins'), {'__name__': 'etude_agent'}, get_ipython().user_ns)"
    )
