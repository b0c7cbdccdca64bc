"""What a sandboxed kernel can use up before it meets its limits, how it ends, and that nothing of it is left."""

# ruff: noqa: F401, F811 - fixtures are imported by name

from __future__ import annotations

import errno
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest
import sandboxed
from sandboxed import KERNELS, TRY, Running, kernel, machine, running, work

from grader.sandbox import Limits, LimitsError

pytestmark = [pytest.mark.grading_path, pytest.mark.sandbox, pytest.mark.slow]

# What it can use up.


def test_a_fork_bomb_meets_its_limit_and_the_kernel_lives(running: Running) -> None:
    bomb = """
import os, signal
children = []
try:
    while True:
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
except BlockingIOError:
    print(len(children) < 64)
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""
    reply = running.run(bomb)
    assert (reply.text.strip(), reply.error) == ("True", None)


def test_a_thread_bomb_meets_its_limit_and_the_kernel_lives(running: Running) -> None:
    bomb = """
import threading
end, count = threading.Event(), 0
try:
    while True:
        threading.Thread(target=end.wait).start()
        count += 1
except RuntimeError:
    print(count < 64)
end.set()
"""
    assert running.run(bomb).text.strip() == "True"


def test_an_allocation_of_20_gib_is_refused_and_the_kernel_lives(running: Running) -> None:
    running.run("import mmap, torch")
    assert "MemoryError" in running.value("attempt(lambda: bytearray(20 << 30))")
    assert "Error" in running.value("attempt(lambda: torch.empty(20 << 30, dtype=torch.uint8))")
    assert "OSError" in running.value("attempt(lambda: mmap.mmap(-1, 20 << 30))")


@pytest.mark.parametrize("folder", ["/home/student/work", "/home/student", "/tmp", "/dev/shm"])
def test_a_file_of_10_gib_is_refused_and_the_kernel_lives(running: Running, folder: str) -> None:
    fill = f"""
import os
block = bytes(1 << 20)
try:
    with open({folder!r} + '/big', 'wb') as file:
        for _ in range(10 << 10):
            file.write(block)
except OSError as error:
    print(error.errno, os.path.getsize({folder!r} + '/big') <= 32 << 20)
os.remove({folder!r} + '/big')
"""
    assert running.run(fill).text.strip() in (f"{errno.ENOSPC} True", f"{errno.EFBIG} True")


def test_the_folder_for_sockets_is_no_way_to_fill_the_disk(running: Running) -> None:
    folder = running.provisioner.socket_folder
    fill = f"""
import os
path = {str(folder)!r} + '/big'
try:
    with open(path, 'wb', buffering=0) as file:
        while True:
            file.write(bytes(1 << 16))
except OSError as error:
    print(error.errno, os.path.getsize(path) <= 1 << 20)
os.remove(path)
"""
    assert running.run(fill).text.strip() == f"{errno.ENOSPC} True"


# How it ends.


@pytest.mark.parametrize(("name", "wall_s"), [("etude-sandbox", 6), ("etude-warm", 3)])
def test_a_loop_that_ignores_interrupts_ends_with_the_wall_time(name: str, wall_s: int, work: Path) -> None:
    with kernel(name, work, wall_s=wall_s) as started:
        started.run("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)")
        started.client.execute("while True: pass")
        started.manager.interrupt_kernel()
        assert started.wait_until_gone() == f"wall time: it ran longer than {wall_s} s"


def test_a_segmentation_fault_is_named(work: Path) -> None:
    with kernel("etude-warm", work) as started:
        assert started.run_to_the_end("import ctypes; ctypes.string_at(0)").startswith("signal: SIGSEGV")


def test_the_last_words_past_the_notebook_are_kept(work: Path) -> None:
    with kernel("etude-warm", work) as started:
        started.run("import os, sys; past_the_notebook = sys.stderr._original_stdstream_copy")
        started.run_to_the_end("os.write(past_the_notebook, b'last words'); os._exit(1)")
        assert started.provisioner.said().endswith("last words")


def test_cpu_time_is_bounded(work: Path) -> None:
    with kernel("etude-warm", work, cpu_s=1) as started:
        assert started.run_to_the_end("while True: pass") == "CPU time: a process used more than 1 s"


FILL_SHARED_MEMORY = """
import mmap
held = mmap.mmap(-1, 1100 << 20)
for start in range(0, 1100 << 20, 1 << 20):
    held[start:start + (1 << 20)] = b'x' * (1 << 20)
while True: pass
"""


def test_memory_shared_between_processes_is_counted_by_the_watchdog(work: Path) -> None:
    with kernel("etude-warm", work, memory_mb=1024) as started:
        why = started.run_to_the_end(FILL_SHARED_MEMORY)
    assert why.startswith("memory: its processes held ")


def test_memory_that_a_process_hides_is_counted_all_the_same(work: Path) -> None:
    hide = "import ctypes; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: nobody may read its smaps"
    with kernel("etude-warm", work, memory_mb=1024) as started:
        assert started.run_to_the_end(hide + FILL_SHARED_MEMORY).startswith("memory: ")


def test_a_flood_of_empty_files_is_stopped(work: Path) -> None:
    with kernel("etude-warm", work, files=500) as started:
        why = started.run_to_the_end("for i in range(10 ** 9): open(f'/tmp/{i}', 'w').close()")
        assert why.startswith("files: it made ")


def test_a_flood_of_output_past_the_notebook_is_stopped(work: Path) -> None:
    with kernel("etude-warm", work, output_mb=1) as started:
        why = started.run_to_the_end("import os\nwhile True: os.write(1, b'x' * 65536)")
        assert why == "output: it wrote more than 1 MB past the notebook"


MESSAGE_OF_MANY_FRAMES = """
frame = bytes(1 << 24)
thread = get_ipython().kernel.iopub_thread
thread.schedule(lambda: thread.socket.send_multipart([b'stream.stdout', *[frame] * 400], copy=False))
while True: pass
"""


def test_a_message_of_many_frames_that_fills_the_graders_memory_ends_its_kernel(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.sandbox.watchdog.MOST_HELD_MB", 256)
    with kernel("etude-warm", work) as started:
        why = started.run_to_the_end(MESSAGE_OF_MANY_FRAMES)
    assert why.startswith("memory: the grader came to hold ")


def test_a_bomb_of_bombs_ends_with_its_sandbox(work: Path) -> None:
    with kernel("etude-warm", work, wall_s=3, processes=64) as started:
        why = started.run_to_the_end("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass")
        assert why.split(":")[0] in ("wall time", "processes", "signal")


def test_sessions_of_its_own_give_nobody_more_of_the_processors(work: Path) -> None:
    opened = "import subprocess\nfor _ in range({}): subprocess.Popen(['sleep', '1000'], start_new_session=True)"
    with kernel("etude-warm", work) as started:
        started.run(opened.format(2))
        assert started.value("1 + 1") == "2"
        assert started.run_to_the_end(opened.format(20)).startswith("processes: it opened ")


@pytest.mark.parametrize("name", KERNELS)
def test_no_process_and_no_file_is_left_behind(name: str, work: Path) -> None:
    with kernel(name, work) as started:
        sandbox = started.provisioner.sandbox
        assert sandbox is not None
        namespace = Path(f"/proc/{sandbox.first_pid}/ns/pid").stat().st_ino
        run_folder = started.provisioner.run_folder
        assert run_folder is not None
        started.run("import subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True)")
        assert count_processes(namespace) > 2
    assert count_processes(namespace) == 0
    assert not run_folder.exists()


def count_processes(namespace: int) -> int:
    """Processes of this machine in the pid namespace with this number."""
    count = 0
    for entry in Path("/proc").iterdir():
        try:
            count += entry.name.isdecimal() and (entry / "ns" / "pid").stat().st_ino == namespace
        except OSError:
            continue
    return count


@pytest.mark.parametrize("name", KERNELS)
def test_everything_ends_with_the_grader(name: str, work: Path, tmp_path: Path) -> None:
    grade = f"""
import sys
sys.path.insert(0, {str(Path(sandboxed.__file__).parent)!r})
from pathlib import Path
from sandboxed import kernel
with kernel({name!r}, Path({str(work)!r})) as started:
    print(started.provisioner.sandbox.first_pid, flush=True)
    sys.stdin.read()
"""
    command, environment = [sys.executable, "-c", grade], {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as grader_process:
        assert grader_process.stdout is not None
        inside = os.pidfd_open(int(grader_process.stdout.readline()))
        grader_process.kill()
    ended, _, _ = select.select([inside], [], [], 30)
    os.close(inside)
    assert ended


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_can_be_restarted(name: str, work: Path) -> None:
    with kernel(name, work) as started:
        started.run("x = 1; open('note', 'w').write('x')")
        started.manager.restart_kernel(now=True)
        started.client.wait_for_ready(timeout=60)
        started.run("import os\n" + TRY)
        assert started.value("'x' in globals(), os.path.exists('note')") == "(False, False)"


# The table of limits.


def test_limits_are_read_from_a_table_with_defaults_for_the_rest() -> None:
    limits = Limits.from_dict({"memory_mb": 2048, "gpu": True})
    assert (limits.memory_mb, limits.gpu, limits.wall_s) == (2048, True, Limits().wall_s)
    assert Limits.from_dict(limits.as_dict()) == limits


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"memory": 2048}, "did you mean 'memory_mb'"),
        ({"colour": 1}, "the limits are memory_mb, "),
        ({"wall_s": 0}, "wall_s = 0: write a whole number above 0"),
        ({"wall_s": -5}, "above 0"),
        ({"cpu_s": 1.5}, "whole number"),
        ({"cpu_s": "600"}, "whole number"),
        ({"threads": True}, "whole number"),
        ({"gpu": 1}, "true or false"),
        ({"memory_mb": 64}, "write 1024 or more"),
        ({"processes": 4}, "write 32 or more"),
        ({"threads": 500}, "more than processes"),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused_with_its_value(table: dict[str, object], message: str) -> None:
    with pytest.raises(LimitsError, match=message):
        Limits.from_dict(table)


def test_a_wrong_limit_keeps_the_kernel_from_starting(work: Path) -> None:
    with pytest.raises(LimitsError, match="did you mean 'memory_mb'"), kernel("etude-warm", work, memory=1):
        pass


def test_a_gpu_kernel_is_bounded_by_its_data_and_not_by_its_address_space() -> None:
    assert "AS" in Limits().rlimits()
    assert "AS" not in Limits(gpu=True).rlimits()
    assert Limits(gpu=True).rlimits()["DATA"] == Limits().rlimits()["DATA"]
