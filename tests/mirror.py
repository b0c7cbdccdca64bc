"""Where tests find real corpora: the folder of ETUDE_MIRROR, else shared/data beside the repository, else nowhere."""

import os
from pathlib import Path


def mirror() -> Path | None:
    """The folder with packed corpora as in data/registry.csv, None if this machine has none."""
    folder = Path(os.environ.get("ETUDE_MIRROR") or Path(__file__).resolve().parents[2] / "shared" / "data")
    return folder if folder.is_dir() else None
