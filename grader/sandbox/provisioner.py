"""Jupyter's side of the sandbox: two kernel provisioners, found by their entry points.

`etude-sandbox` starts a kernel in a new sandbox; `etude-warm` forks one from the fork server into a new sandbox. Whatever
starts kernels by name (nbclient, papermill, nbgrader, JupyterLab) works with both unchanged. Settings are traitlets:

    c.SandboxProvisioner.limits = {"memory_mb": 2048, "wall_s": 300}
    c.SandboxProvisioner.visible = ["/srv/corpora"]
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.provisioner_base import KernelProvisionerBase
from traitlets import Dict, List, Unicode

from grader.sandbox.bwrap import Layout, student_packages
from grader.sandbox.fork_server import fork_server
from grader.sandbox.kernel import HOLD, SandboxedKernel, SandboxError
from grader.sandbox.limits import MB, Limits
from grader.sandbox.meter import Activity
from grader.sandbox.privileges import give_to_sandbox
from grader.sandbox.transfer import Copied, copy_folder

LONGEST_SOCKET_PATH = 107  # bytes, sun_path in unix(7)
POLL_S = 0.005


class SandboxProvisioner(KernelProvisionerBase):
    """Starts the kernel's command inside a new sandbox."""

    limits = Dict(help="what the kernel may use: see grader.sandbox.limits.Limits").tag(config=True)
    visible = List(Unicode(), help="folders to show inside, read-only, besides the student's library").tag(config=True)
    given = Unicode(help="a folder whose files appear in the kernel's own folder, read-only").tag(config=True)

    sandbox: SandboxedKernel | None = None
    run_folder: Path | None = None
    _released = False

    @property
    def _manager(self) -> Any:
        """The kernel manager that asked for this kernel."""
        return self.parent

    @property
    def has_process(self) -> bool:
        return self.sandbox is not None and not self._released

    @property
    def socket_folder(self) -> Path:
        """A folder for unix sockets, the same path inside and outside: the kernel makes them, the grader connects."""
        return self._run_folder() / "s"

    def _run_folder(self) -> Path:
        if self.run_folder is None:
            self.run_folder = Path(tempfile.mkdtemp(prefix="etude-"))
            self.run_folder.chmod(0o711)  # the sandbox's user passes through
        return self.run_folder

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Makes jupyter talk through unix sockets in our folder.

        Raises:
            LimitsError: a limit makes no sense; nothing has been started then.
            SandboxError: the folder's path is too long for a socket.
        """
        Limits.from_dict(self.limits)
        manager = self._manager
        prefix = str(self.socket_folder / "k")
        if len(os.fsencode(prefix)) + len("-5") > LONGEST_SOCKET_PATH:
            raise SandboxError(f"{prefix} is too long a path for a unix socket: set TMPDIR to a shorter folder")
        manager.transport, manager.ip = "ipc", prefix
        manager.connection_file = str(self._run_folder() / "connection.json")
        manager.write_connection_file()
        give_to_sandbox(Path(manager.connection_file))
        command = manager.format_kernel_cmd(extra_arguments=kwargs.pop("extra_arguments", []))
        return await super().pre_launch(cmd=command, **kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Copies the folder `cwd` (default: the current one) and starts the kernel in a sandbox that holds the copy."""
        limits = Limits.from_dict(self.limits)
        self._discard()
        try:
            submission = self._copied(Path(kwargs.get("cwd") or Path.cwd()), "submission", limits)
            given = self._copied(Path(self.given), "given", limits) if self.given else None
            visible = tuple(Path(path) for path in dict.fromkeys([*student_packages(), *self.visible]))
            layout = Layout(submission, self.socket_folder, Path(self._manager.connection_file), visible, given)
            self.sandbox = self._start(limits, layout, cmd)
        except Exception:
            await self.cleanup()
            raise
        self._released = False
        connection: KernelConnectionInfo = self._manager.get_connection_info()
        return connection

    def _start(self, limits: Limits, layout: Layout, command: list[str]) -> SandboxedKernel:
        return SandboxedKernel(limits, layout, command)

    def _copied(self, source: Path, name: str, limits: Limits) -> Path:
        target = self._run_folder() / name
        shutil.rmtree(target, ignore_errors=True)
        opened = os.open(source, os.O_RDONLY | os.O_DIRECTORY)
        try:
            copied = copy_folder(opened, target, limits.work_mb * MB, limits.files)
        finally:
            os.close(opened)
        if copied.exceeded:
            reasons = "; ".join(f"{name}: {reason}" for name, reason in copied.refused.items())
            raise SandboxError(
                f"{source} does not fit into the sandbox ({reasons}): start the kernel in the lesson's own folder, "
                "or raise work_mb or files"
            )
        for name, reason in copied.refused.items():
            self.log.warning("%s is not in the sandbox's copy of %s: %s", name, source, reason)
        for path in (target, *target.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        return target

    async def poll(self) -> int | None:
        return self.sandbox.status() if self.sandbox else 0

    async def wait(self) -> int | None:
        """Waits until the kernel has ended and nothing of it runs any more. Its results can still be collected."""
        if self.sandbox is None:
            return 0
        while self.sandbox.status() is None:
            await asyncio.sleep(POLL_S)
        status = await asyncio.get_running_loop().run_in_executor(None, self.sandbox.wait_until_gone)
        self._released = True
        return status

    async def send_signal(self, signum: int) -> None:
        if self.sandbox is None or signum == 0:
            return
        if signum == signal.SIGINT:
            self.sandbox.interrupt()
        else:
            self.sandbox.kill()

    async def kill(self, restart: bool = False) -> None:
        if self.sandbox:
            self.sandbox.kill()

    async def terminate(self, restart: bool = False) -> None:
        await self.kill(restart)

    async def cleanup(self, restart: bool = False) -> None:
        if not restart:
            self._discard()
            if self.run_folder:
                shutil.rmtree(self.run_folder, ignore_errors=True)
                self.run_folder = None

    def _discard(self) -> None:
        if self.sandbox:
            self.sandbox.close()

    def activity(self) -> Activity:
        """Measures what the processes inside compute.

        Raises:
            OSError: there are no processes inside.
        """
        if self.sandbox is None:
            raise OSError(errno.ESRCH, os.strerror(errno.ESRCH))
        return self.sandbox.activity()

    def why(self) -> str | None:
        """Tells why the kernel ended, from facts; None while it runs, kept when it is gone.

        Returns:
            A text that begins with "memory: ", "wall time: ", "CPU time: ", "processes: ", "files: ", "output: ", "signal: " or
            "exit: ", or is "stopped: by the grader".
        """
        return self.sandbox.why() if self.sandbox else None

    @property
    def lost(self) -> bool:
        """Whether the kernel ended because a process of the grader's own did: nothing the notebook can do."""
        return self.sandbox is not None and self.sandbox.status() is not None and self.sandbox.lost

    @property
    def most_memory(self) -> int:
        """The most bytes that the processes inside held at a time, as the watchdog saw it; 0 before the start."""
        return self.sandbox.watchdog.most_memory if self.sandbox else 0

    def said(self) -> str:
        """Returns the end of what the kernel's processes wrote past jupyter: a hint for a person, never a fact."""
        return self.sandbox.said() if self.sandbox else ""

    def collect(
        self, destination: Path, subfolder: str = "results", max_bytes: int = 64 * MB, max_files: int = 200
    ) -> Copied:
        """Copies what the notebook wrote into its folder `subfolder` to `destination`, which must be absent or empty.

        Works on a running and on a dead kernel, until jupyter cleans up (shutdown_kernel). Only regular files come out;
        links, devices, FIFOs and what exceeds the limits are named in the answer's `refused`.

        Raises:
            SandboxError: no kernel was started.
            FileExistsError: `destination` has files in it.
        """
        if self.sandbox is None:
            raise SandboxError("no kernel was started, so there is nothing to collect")
        return self.sandbox.collect(destination, subfolder, max_bytes, max_files)


class WarmProvisioner(SandboxProvisioner):
    """Forks the kernel from a process that has imported torch and pandas, into a new sandbox."""

    def _start(self, limits: Limits, layout: Layout, command: list[str]) -> SandboxedKernel:
        source = fork_server(limits.threads)  # before the sandbox's wall clock starts
        sandbox = SandboxedKernel(limits, layout, HOLD)
        try:
            source.enter(sandbox, command[command.index("-f") :])
        except SandboxError:
            sandbox.close()
            raise
        return sandbox
