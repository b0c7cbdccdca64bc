"""The sandboxed kernels by name in a real Jupyter server, through its REST and websocket interfaces, as JupyterLab uses them."""

# ruff: noqa: F401 - the fixture machine is imported by name

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
import requests
import websocket
from browser import WAIT_S, jupyterlab
from jupyter_client.session import Session
from sandboxed import KERNELS, machine

pytestmark = pytest.mark.sandbox

SECRET = "the reference solution"
LEAVE_S = 10  # for an ended process to be gone


@dataclass
class Server:
    """A Jupyter server on a course: a week that students have, and the solutions beside it."""

    address: str
    root: Path
    http: requests.Session = field(default_factory=requests.Session)

    def __post_init__(self) -> None:
        self.http.get(f"{self.address}/lab", timeout=WAIT_S)
        self.http.headers["X-XSRFToken"] = self.http.cookies["_xsrf"]

    def ask(self, method: str, what: str, **content: Any) -> Any:
        answer = self.http.request(method, f"{self.address}/api/kernels{what}", json=content or None, timeout=WAIT_S)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def processes(self) -> set[psutil.Process]:
        """All processes below the server's own."""
        [own] = [child for child in psutil.Process().children() if "jupyterlab" in child.cmdline()]
        return set(own.children(recursive=True))


@dataclass
class Kernel:
    """A kernel of the server, and a websocket to it."""

    server: Server
    id: str
    session: Session = field(default_factory=Session)

    def __post_init__(self) -> None:
        address = f"ws{self.server.address.removeprefix('http')}/api/kernels/{self.id}/channels"
        self.line = websocket.create_connection(address, WAIT_S)

    def interrupt(self) -> None:
        self.server.ask("POST", f"/{self.id}/interrupt")

    def restart(self) -> None:
        """As JupyterLab does it: what the kernel says to a websocket from before may be lost."""
        self.server.ask("POST", f"/{self.id}/restart")
        self.line.close()
        self.__post_init__()

    def begin(self, code: str) -> str:
        """Starts a cell; the id of its messages."""
        request = self.session.msg("execute_request", {"code": code, "silent": False, "stop_on_error": False})
        self.line.send(json.dumps({**request, "channel": "shell"}, default=str))
        return str(request["header"]["msg_id"])

    def messages(self, cell: str) -> Iterator[dict[str, Any]]:
        """What the kernel says of the cell, until it is idle again."""
        end = time.monotonic() + WAIT_S
        while True:
            kind, data = self.line.recv_data(control_frame=True)  # pings as well, so that silence ends here
            assert time.monotonic() < end, f"the kernel did not answer within {WAIT_S} s"
            if kind != websocket.ABNF.OPCODE_TEXT:
                continue
            message = json.loads(data)
            if message["parent_header"].get("msg_id") == cell and message["channel"] == "iopub":
                yield message
                if message["content"].get("execution_state") == "idle":
                    return

    def run(self, code: str) -> str:
        """The cell's result as text, or the error that it ended with."""
        said = ""
        for message in self.messages(self.begin(code)):
            content = message["content"]
            if message["msg_type"] == "execute_result":
                said = content["data"]["text/plain"]
            elif message["msg_type"] == "error":
                said = f"{content['ename']}: {content['evalue']}"
        return said


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("jupyter")
    root = folder / "course"
    for path, text in {"week/data.txt": "handed out", "solutions/week/lesson.py": SECRET}.items():
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(text)
    with jupyterlab(root, folder / "private") as address:
        yield Server(address, root)


@contextmanager
def started(server: Server, name: str) -> Iterator[Kernel]:
    """A kernel begun in the week's folder, as for a notebook there."""
    id = server.ask("POST", "", name=name, path="week")["id"]
    try:
        kernel = Kernel(server, id)
        yield kernel
        kernel.line.close()
    finally:
        server.ask("DELETE", f"/{id}")


@pytest.fixture(scope="module", params=KERNELS)
def kernel(request: pytest.FixtureRequest, server: Server) -> Iterator[Kernel]:
    with started(server, request.param) as running:
        yield running


def test_a_cell_runs_with_torch(kernel: Kernel) -> None:
    assert kernel.run("import torch; 1 + 1") == "2"
    assert kernel.run("open('data.txt').read()") == "'handed out'"


def test_nothing_is_reached_through_the_network_not_even_the_server(kernel: Kernel) -> None:
    port = urlsplit(kernel.server.address).port
    kernel.run("import socket")
    assert kernel.run(f"socket.create_connection(('127.0.0.1', {port}), 5)").startswith("ConnectionRefusedError")
    assert "unreachable" in kernel.run("socket.create_connection(('1.1.1.1', 53), 5)")
    assert kernel.run("[name for _, name in socket.if_nameindex()]") == "['lo']"


def test_the_solutions_cannot_be_read(kernel: Kernel) -> None:
    path = kernel.server.root / "solutions" / "week" / "lesson.py"
    assert path.read_text() == SECRET
    for name in (path, "../solutions/week/lesson.py", f"/proc/1/root{path}"):
        assert kernel.run(f"open({str(name)!r}).read()").startswith(("FileNotFoundError", "PermissionError"))


def test_an_endless_cell_is_interrupted_and_the_kernel_goes_on(kernel: Kernel) -> None:
    kernel.run("kept = 1")
    cell = kernel.begin("print('begun', flush=True)\nwhile True: pass")
    ended_with = None
    for message in kernel.messages(cell):
        if message["msg_type"] == "stream":
            kernel.interrupt()
        elif message["msg_type"] == "error":
            ended_with = message["content"]["ename"]
    assert ended_with == "KeyboardInterrupt"
    assert kernel.run("kept") == "1"


def test_a_restarted_kernel_has_forgotten_everything(kernel: Kernel) -> None:
    kernel.run("forgotten = 1")
    kernel.restart()
    assert kernel.run("forgotten").startswith("NameError")
    assert kernel.run("open('data.txt').read()") == "'handed out'"


@pytest.mark.parametrize("restarts", [0, 1])
def test_a_kernel_that_is_shut_down_leaves_no_process_behind(kernel: Kernel, restarts: int) -> None:
    server = kernel.server  # whose fork server, if it needs one, runs for the kernel that is already there
    before = server.processes()
    name = server.ask("GET", f"/{kernel.id}")["name"]
    with started(server, name) as other:
        other.run("import subprocess; child = subprocess.Popen(['sleep', 'infinity'], start_new_session=True)")
        for _ in range(restarts):
            other.restart()
        others = server.processes() - before
        inside = other.run("import os; os.readlink('/proc/self/ns/pid')").strip("'")
        assert others
        assert in_namespace(inside)
    assert psutil.wait_procs(others, LEAVE_S)[1] == []
    assert in_namespace(inside) == []


def in_namespace(name: str) -> list[int]:
    """The machine's processes in the namespace of processes of this name."""
    found = []
    for pid in psutil.pids():
        try:
            if os.readlink(f"/proc/{pid}/ns/pid") == name:  # noqa: PTH115 - no path, a name in brackets
                found.append(pid)
        except OSError:
            continue  # it has ended, or is another user's
    return found
