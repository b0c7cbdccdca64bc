"""Environments that a test runs programs in: this one, and one of its own that a student's pack was installed into."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Environment:
    """A Python and the environment variables that its programs get."""

    python: Path
    variables: dict[str, str]

    def run(self, *words: str, folder: Path, seconds: float = 300) -> subprocess.CompletedProcess[str]:
        """Runs one of its programs, `python` or another, with these words in a folder and waits for its end."""
        command = [str(self.python.with_name(words[0])), *words[1:]]
        return subprocess.run(
            command, cwd=folder, env=self.variables, capture_output=True, text=True, timeout=seconds, check=False
        )


SERVER = ("jupyterlab", "jupyter_server_terminals")  # extensions of Jupyter's server that JupyterLab brings
HERE = Environment(Path(sys.executable), dict(os.environ))


def with_pack(pack: Path, folder: Path) -> Environment:
    """Makes an environment in `folder` that has the libraries of this one, and of the course what an unpacked pack installs."""
    python = folder / "bin" / "python"
    venv.create(folder, with_pip=False)
    [wheel] = pack.glob("*.whl")
    options = ["install", "-q", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), *options], check=True, timeout=120)
    [packages] = (folder / "lib").glob("python*/site-packages")
    # Its own .pth files, which lead to this clone, are not followed from there.
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    for name in SERVER:  # as installing JupyterLab there would
        enabled = Path("etc", "jupyter", "jupyter_server_config.d", f"{name}.json")
        (folder / enabled).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(sys.prefix, enabled), folder / enabled)
    own = {
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "JUPYTERLAB_DIR": f"{sys.prefix}/share/jupyter/lab",  # JupyterLab's own files are beside its library
    }
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("ETUDE", "PYTHON", "VIRTUAL"))}
    return Environment(python, kept | own)
