"""The kernels' names: nbclient, papermill, nbgrader and JupyterLab can each ask for `etude-sandbox` or `etude-warm`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

KERNELS = {"etude-sandbox": "Etude (sandbox)", "etude-warm": "Etude (sandbox, warm)"}


def install_kernelspecs(prefix: Path = Path(sys.prefix)) -> list[Path]:
    """Writes both kernel specs below `prefix`/share/jupyter/kernels.

    A kernel and its provisioner have the same name.

    Returns:
        The folders written.
    """
    folders = []
    for name, title in KERNELS.items():
        folder = prefix / "share" / "jupyter" / "kernels" / name
        folder.mkdir(parents=True, exist_ok=True)
        spec = {
            "argv": ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            "display_name": title,
            "language": "python",
            "metadata": {"kernel_provisioner": {"provisioner_name": name, "config": {}}},
        }
        (folder / "kernel.json").write_text(json.dumps(spec, indent=1) + "\n", encoding="utf-8")
        folders.append(folder)
    return folders
