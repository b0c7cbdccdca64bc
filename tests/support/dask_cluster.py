"""A Dask scheduler and workers in processes of their own, for tests; perhaps each worker in a network namespace of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from uuid import uuid4

import psutil
from distributed import Client

SUPPORT = Path(__file__).parent


@dataclass
class Cluster:
    """Starts what a test asks for and ends it with the test. A context manager.

    Attributes:
        folder: where logs and the workers' own files go.
        course: the working folder of the workers, whose course they find there.
    """

    folder: Path
    course: Path
    host: str = "127.0.0.1"
    environment: dict[str, str] = field(default_factory=dict)
    address: str = ""
    scheduler: subprocess.Popen[bytes] | None = None
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        for process in [*self.workers.values(), *filter(None, [self.scheduler])]:
            kill(process)

    def start_scheduler(self, *words: str) -> str:
        """Starts the scheduler, anew at the same address if there was one. Returns its address."""
        told = self.folder / "scheduler.json"
        told.unlink(missing_ok=True)
        port = self.address.rpartition(":")[2] or "0"
        command = ["scheduler", "--host", self.host, "--port", port, "--no-dashboard", "--scheduler-file", str(told)]
        self.scheduler = self._start("scheduler", [*words, *command])
        while True:
            assert self.scheduler.poll() is None, self.log("scheduler")
            with suppress(OSError, ValueError):  # not written yet, or not whole
                self.address = json.loads(told.read_text())["address"]
                return self.address
            time.sleep(0.05)

    def start_worker(
        self,
        name: str,
        *words: str,
        threads: int = 1,
        nanny: bool = False,
        namespace: str = "",
        course: Path | None = None,
        **environment: str,
    ) -> None:
        """Starts a worker, which joins in its own time.

        Args:
            words: what is run in place of dask's own program, before its arguments.
            course: the working folder, if it is another than the others'.
            environment: variables of its own.
        """
        command = [
            "worker",
            self.address,
            "--nanny" if nanny else "--no-nanny",
            "--no-dashboard",
            "--memory-limit",
            "0",
            "--name",
            name,
        ]
        command += ["--nthreads", str(threads), "--local-directory", str(self.folder / name)]
        self.workers[name] = self._start(name, [*words, *command], namespace, course, environment)

    def wait_for_workers(self, count: int) -> None:
        """Waits until so many have joined the scheduler."""
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count)

    def kill_worker(self, name: str) -> None:
        kill(self.workers.pop(name))

    def kill_scheduler(self) -> None:
        assert self.scheduler is not None
        kill(self.scheduler)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def _start(
        self,
        name: str,
        words: list[str],
        namespace: str = "",
        course: Path | None = None,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> subprocess.Popen[bytes]:
        inside = ["ip", "netns", "exec", namespace] if namespace else []
        program = [] if words[0].endswith(".py") else ["-m", "dask"]
        paths = os.pathsep.join([str(SUPPORT), os.environ.get("PYTHONPATH", "")])
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                [*inside, sys.executable, *program, *words],
                cwd=course or self.course,
                env={**os.environ, "PYTHONPATH": paths, **self.environment, **environment},
                stdout=log,
                stderr=subprocess.STDOUT,
            )


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kills a process as a power cut would: its children notice by themselves."""
    with suppress(psutil.NoSuchProcess):
        psutil.Process(process.pid).kill()
    process.wait()


@contextmanager
def namespaces(count: int) -> Iterator[tuple[str, list[str]]]:
    """Network namespaces that reach this machine by a wire each, and one another not at all.

    Gives:
        The address of this machine that all of them reach, and their names.

    Raises:
        OSError, subprocess.CalledProcessError: none can be made here.
    """
    mark = uuid4().hex[:6]
    subnet = f"10.213.{int(mark[:2], 16)}"  # it leads nowhere else
    with ExitStack() as undo:
        names = []
        for number in range(count):
            name, near, far = f"etude{mark}{number}", f"n{mark}{number}", f"f{mark}{number}"
            ip("netns", "add", name)
            undo.callback(ip, "netns", "del", name)
            ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", name)
            own = f"{subnet}.{16 + 2 * number}"
            ip("addr", "add", f"{subnet}.1/32", "dev", near)  # the same on each of these wires
            ip("link", "set", near, "up")
            ip("route", "add", f"{own}/32", "dev", near)
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "addr", "add", f"{own}/32", "dev", far)
            ip("-n", name, "link", "set", far, "up")
            ip("-n", name, "route", "add", f"{subnet}.1/32", "dev", far)
            names.append(name)
        yield f"{subnet}.1", names


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
