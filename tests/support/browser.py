"""A real browser and a real JupyterLab, for tests: each is started with folders of its own and is gone at the end."""

from __future__ import annotations

import json
import queue
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import urllib3
from environments import HERE, Environment
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

CHROMIUM = ["chromium", "chromium-browser", "google-chrome"]
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT_S = 60
LISTENS_SOON = urllib3.Retry(connect=12, backoff_factor=0.01)  # tries, over some 40 s

# The ratio of luminances (WCAG 2, 1.4.3) between a text and what lies behind it, for each element that holds text.
CONTRASTS = """root => {
  const rgb = colour => {
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    context.fillStyle = colour; context.fillRect(0, 0, 1, 1);
    return context.getImageData(0, 0, 1, 1).data;
  };
  const luminance = colour => {
    const [r, g, b] = [...rgb(colour)].map(x => x / 255)
      .map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = node => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if (rgb(colour)[3] === 255) return colour;
    }
    return 'white';
  };
  const holdsText = node => [...node.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim());
  return [root, ...root.querySelectorAll('*')].filter(holdsText).map(node => {
    const [dark, light] = [luminance(getComputedStyle(node).color), luminance(behind(node))].sort((a, b) => a - b);
    return [node.textContent.trim(), (light + 0.05) / (dark + 0.05)];
  });
}"""


def contrasts(place: Locator) -> dict[str, float]:
    """Text → its contrast with the background, from 1 (cannot be seen) to 21 (black on white)."""
    return dict(place.evaluate(CONTRASTS))


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium with a new, empty profile. Fails the test where there is none."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        pytest.fail("Chromium is missing: run ci/apt.sh", pytrace=False)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=QUIET)
        try:
            yield running
        finally:
            running.close()


@contextmanager
def jupyterlab(root: Path, private: Path, environment: Environment = HERE) -> Iterator[str]:
    """JupyterLab of an environment on the notebooks below `root`, with settings below `private`; its address."""
    notifications = private / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    notifications.parent.mkdir(parents=True)
    notifications.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}), encoding="utf-8")
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    variables = {**environment.variables, **{name: str(private / folder) for name, folder in folders.items()}}
    command = [
        str(environment.python),
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=0",
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={root}",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.extension_manager=readonly",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    server = subprocess.Popen(
        command,
        cwd=root,
        env=variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield _address(server)
    finally:
        started = [psutil.Process(server.pid), *psutil.Process(server.pid).children(recursive=True)]  # kernels too
        server.terminate()
        for survivor in psutil.wait_procs(started, timeout=10)[1]:
            survivor.kill()


def _address(server: subprocess.Popen[str]) -> str:
    """Where the server says that it listens. Goes on reading what it says, so that it never waits for a reader."""
    found: queue.Queue[str] = queue.Queue()

    def read() -> None:
        assert server.stderr is not None
        said = []
        for line in server.stderr:
            said.append(line)
            if match := re.search(r"http://127\.0\.0\.1:\d+(?=/lab)", line):
                found.put(match[0])
        found.put("it ended: " + "".join(said[-20:]))

    threading.Thread(target=read, daemon=True).start()
    address = found.get(timeout=WAIT_S)
    assert address.startswith("http"), f"JupyterLab did not start; {address}"
    urllib3.request("GET", f"{address}/api", retries=LISTENS_SOON)  # it says so a little before it listens
    return address


class LabNotebook:
    """One notebook open in JupyterLab: a student writes into cells and runs them. Cells go by nbgrader's grade_id."""

    def __init__(self, page: Page, address: str, path: str) -> None:
        self.page = page
        page.goto(f"{address}/lab/tree/{path}")
        page.wait_for_function("window.jupyterapp?.shell?.currentWidget?.sessionContext !== undefined")
        self._evaluate("Promise.all([panel.context.ready, panel.sessionContext.ready])")

    def write(self, cell: str, code: str) -> None:
        """Puts `code` in the place of the cell's text."""
        self._select(cell)
        self._evaluate("panel.content.activeCell.model.sharedModel.setSource(given)", code)

    def run(self, *cells: str) -> None:
        """Runs the cells, each to its end."""
        for cell in cells:
            self._select(cell)
            self._evaluate("app.commands.execute('notebook:run-cell')")

    def outputs(self, cell: str, count: int) -> list[Locator]:
        """What is drawn below the cell: `count` outputs."""
        self._select(cell)
        outputs = self.page.locator(".jp-Notebook .jp-Cell.jp-mod-active .jp-OutputArea-output")
        expect(outputs).to_have_count(count)
        return outputs.all()

    def save(self) -> None:
        """Saves the notebook to its file."""
        self._evaluate("app.commands.execute('docmanager:save')")

    def terminal(self, *commands: str) -> None:
        """Opens a terminal beside the notebook and types commands."""
        self._evaluate("app.commands.execute('terminal:create-new').then(() => null)")
        self.page.locator(".jp-Terminal .xterm-helper-textarea").wait_for(state="attached")
        self.page.locator(".jp-Terminal").click()
        for command in commands:
            self.page.keyboard.type(f"{command}\n")

    def theme(self, name: str) -> None:
        self._evaluate("app.commands.execute('apputils:change-theme', {theme: given})", name)
        expect(self.page.locator("body")).to_have_attribute("data-jp-theme-name", name)
        expect(self.page.locator("#jupyterlab-splash")).to_have_count(0)

    def _select(self, cell: str) -> None:
        index = self._evaluate(
            "panel.content.widgets.findIndex(cell => cell.model.getMetadata('nbgrader')?.grade_id === given)", cell
        )
        assert index >= 0, f"the notebook has no cell {cell!r}"
        self._evaluate("panel.content.activeCellIndex = given", index)
        self._evaluate("panel.content.scrollToItem(given, 'center')", index)

    def _evaluate(self, expression: str, given: Any = None) -> Any:
        """The value of a JavaScript expression of `given`, `app` (JupyterLab) and `panel` (the open notebook).

        A promise is waited for; the test fails if it takes longer than WAIT_S.
        """
        late = f"new Promise((_, fail) => setTimeout(() => fail(Error('no answer in {WAIT_S} s')), {WAIT_S * 1000}))"
        return self.page.evaluate(
            f"given => {{ const app = window.jupyterapp, panel = app.shell.currentWidget;"
            f" return Promise.race([{expression}, {late}]); }}",
            given,
        )
