"""Files that are whole or absent, whatever happens while they are written: a kill, a full disk, a power cut."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Puts the content at the path in one step; what was there before stays until then.

    Raises:
        OSError: it could not be written; then nothing of it is left.
    """
    if isinstance(content, str):
        content = content.encode("utf-8", errors="replace")  # outputs of notebooks may hold lone surrogates
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # or a power cut could leave an empty file under the new name
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
