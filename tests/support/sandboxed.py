"""Start a sandboxed kernel by its name and run code in it, for tests."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager
from traitlets.config import Config

from grader.sandbox import check_sandbox, install_kernelspecs
from grader.sandbox.provisioner import SandboxProvisioner

KERNELS = ["etude-sandbox", "etude-warm"]
REPLY_TIMEOUT_S = 60
TRY = """
def attempt(action):
    try:
        return f"done: {action()!r}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
"""


@pytest.fixture(scope="session", autouse=True)
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A machine that can run the sandbox, with the kernels known by name."""
    problems = check_sandbox()
    if problems:
        pytest.fail("; ".join(map(str, problems)), pytrace=False)
    prefix = tmp_path_factory.mktemp("prefix")
    install_kernelspecs(prefix)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(prefix / "share" / "jupyter"))
        yield


@dataclass
class Reply:
    """What one cell printed (`text`), and the name of the error it ended with."""

    text: str = ""
    error: str | None = None
    message: str = ""


@dataclass
class Running:
    manager: KernelManager
    client: Any

    @property
    def provisioner(self) -> SandboxProvisioner:
        assert isinstance(self.manager.provisioner, SandboxProvisioner)
        return self.manager.provisioner

    def run(self, code: str) -> Reply:
        reply = Reply()

        def take(message: dict[str, Any]) -> None:
            content = message["content"]
            if message["msg_type"] == "stream":
                reply.text += content["text"]
            elif message["msg_type"] == "error":
                reply.error, reply.message = content["ename"], content["evalue"]

        self.client.execute_interactive(code, output_hook=take, timeout=REPLY_TIMEOUT_S)
        return reply

    def value(self, expression: str) -> str:
        """What printing the expression prints. Fails the test if the cell raises."""
        reply = self.run(f"print(({expression}))")
        assert reply.error is None, f"{expression}: {reply.error}: {reply.message}"
        return reply.text.strip()

    def run_to_the_end(self, code: str) -> str:
        """Start a cell and wait until the kernel is gone; why it is."""
        self.client.execute(code)
        return self.wait_until_gone()

    def wait_until_gone(self) -> str:
        async def wait() -> None:
            await asyncio.wait_for(self.provisioner.wait(), REPLY_TIMEOUT_S)

        asyncio.run(wait())
        why = self.provisioner.why()
        assert why is not None
        return why


@contextmanager
def kernel(name: str, work: Path, visible: list[str] | None = None, **limits: Any) -> Iterator[Running]:
    """A running kernel named `name`, begun in a copy of `work`."""
    config = Config({"SandboxProvisioner": {"limits": limits, "visible": visible or []}})
    manager = KernelManager(kernel_name=name, config=config)
    manager.start_kernel(cwd=str(work))
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=REPLY_TIMEOUT_S)
        yield Running(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A submission's folder, with a link that leads out of it."""
    folder = tmp_path_factory.mktemp("submission")
    (folder / "data.txt").write_text("handed in")
    (folder / "deeper").mkdir()
    (folder / "deeper" / "more.txt").write_text("as well")
    (folder / "link").symlink_to("/etc/passwd")
    return folder


@pytest.fixture(scope="module", params=KERNELS)
def running(request: pytest.FixtureRequest, work: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A kernel shared by the tests that leave it alive."""
    shown = Path(tempfile.mkdtemp(prefix="shown-"))
    shown.chmod(0o755)
    (shown / "corpus.txt").write_text("shown on purpose")
    with kernel(request.param, work, visible=[str(shown)], tmp_mb=32, work_mb=32, processes=64) as started:
        started.run(TRY + f"shown = {str(shown)!r}")
        yield started
    shutil.rmtree(shown)
