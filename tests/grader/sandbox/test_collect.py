"""What comes out of a sandbox: regular files within an allowance, and nothing that a link or a trap leads to."""

# ruff: noqa: F401, F811 - fixtures are imported by name

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandboxed import KERNELS, kernel, machine, work

from grader.sandbox.limits import MB
from grader.sandbox.transfer import copy_folder, open_subfolder

pytestmark = pytest.mark.sandbox


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_that_exits_is_reported_with_its_status_and_its_results_can_still_be_collected(
    name: str, work: Path, tmp_path: Path
) -> None:
    with kernel(name, work) as started:
        assert started.provisioner.why() is None
        started.run("import os; os.mkdir('results'); open('results/table.csv', 'w').write('a,b')")
        why = started.run_to_the_end("os._exit(3)")
        assert why.startswith("exit: status 3")
        assert started.provisioner.collect(tmp_path / "out").files == ["table.csv"]
    assert (tmp_path / "out" / "table.csv").read_text() == "a,b"


def test_traps_among_the_results_are_refused_and_named(work: Path, tmp_path: Path) -> None:
    lay = """
import os
os.makedirs('results/deep')
for name in ('good.csv', 'deep/good.csv', 'new\\nline'):
    open('results/' + name, 'w').write('1')
os.symlink('/etc/passwd', 'results/link')
os.symlink('/', 'results/folder')
os.mkfifo('results/fifo')
import socket; socket.socket(socket.AF_UNIX).bind('results/socket')
with open('results/sparse', 'wb') as file: file.truncate(100 << 20)
"""
    with kernel("etude-warm", work) as started:
        assert started.run(lay).error is None
        done = started.provisioner.collect(tmp_path / "out", max_bytes=1 * MB)
    assert sorted(done.files) == ["deep/good.csv", "good.csv"]
    assert set(done.refused) == {"link", "folder", "fifo", "socket", "sparse", "'new\\nline'"}
    assert sorted(p.name for p in (tmp_path / "out").rglob("*") if p.is_file()) == ["good.csv", "good.csv"]


def test_results_behind_a_link_are_refused(work: Path, tmp_path: Path) -> None:
    with kernel("etude-warm", work) as started:
        started.run("import os; os.symlink('/usr', 'results')")
        done = started.provisioner.collect(tmp_path / "out")
        assert done.files == []
        assert set(done.refused) == {"results"}
        with pytest.raises(ValueError, match=r"without '\.\.'"):
            started.provisioner.collect(tmp_path / "out", subfolder="../../etc")


@given(
    files=st.dictionaries(st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3}){0,2}\.txt", fullmatch=True), st.binary(max_size=60)),
    max_bytes=st.integers(0, 200),
    max_files=st.integers(0, 12),
)
def test_a_copy_is_exact_and_never_exceeds_its_allowance(
    files: dict[str, bytes], max_bytes: int, max_files: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name, "source"), Path(name, "target")
        source.mkdir()
        for path, content in files.items():
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            (source / path).write_bytes(content)
        descriptor = os.open(source, os.O_RDONLY)
        done = copy_folder(descriptor, target, max_bytes, max_files)
        os.close(descriptor)
        copied = {str(p.relative_to(target)): p.read_bytes() for p in target.rglob("*") if p.is_file()}
    assert copied == {path: files[path] for path in done.files}
    assert sum(map(len, copied.values())) == done.bytes <= max_bytes
    assert len(copied) <= max_files
    assert done.exceeded or copied == files


def test_a_subfolder_is_opened_without_following_a_link(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    folder = os.open(tmp_path, os.O_RDONLY)
    opened = open_subfolder(folder, "a/b")
    assert os.fstat(opened).st_ino == (tmp_path / "a" / "b").stat().st_ino
    for name in ("link/b", "link", "absent"):
        with pytest.raises(OSError, match=r"directory|symbolic"):
            open_subfolder(folder, name)
    os.close(opened)
    os.close(folder)
