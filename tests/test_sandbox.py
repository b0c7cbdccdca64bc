"""A sandboxed kernel, cold or warm, does a student's honest work and contains everything else."""

from __future__ import annotations

import errno
import os
import select
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import papermill
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbclient import NotebookClient
from sandboxed import KERNELS, Running, kernel, machine  # noqa: F401 - machine is a fixture

import grader
from grader.sandbox import Limits, LimitsError, check_sandbox, preflight, seccomp
from grader.sandbox.bwrap import interpreter_paths
from grader.sandbox.kernel import SandboxError
from grader.sandbox.limits import MB
from grader.sandbox.privileges import as_unprivileged, first_closed_folder
from grader.sandbox.transfer import copy_folder, open_subfolder

REPOSITORY = Path(grader.__file__).resolve().parents[1]
TRY = """
def attempt(action):
    try:
        return f"done: {action()!r}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
"""


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


# What an honest notebook needs.


def test_a_normal_cell_works_with_torch_and_the_students_library(running: Running) -> None:
    assert running.run("import torch, numpy, pandas, etude").error is None
    assert running.value("torch.arange(4).sum().item()") == "6"


def test_the_student_is_told_that_there_is_no_network(running: Running) -> None:
    assert running.value("__import__('os').environ['ETUDE_OFFLINE']") == "1"


def test_the_submission_is_there_and_may_be_written_without_changing_the_original(running: Running, work: Path) -> None:
    assert running.value("open('data.txt').read(), open('deeper/more.txt').read()") == "('handed in', 'as well')"
    assert running.run("open('data.txt', 'w').write('changed')").error is None
    assert (work / "data.txt").read_text() == "handed in"


def test_a_folder_named_visible_can_be_read_and_not_written(running: Running) -> None:
    assert running.value("open(shown + '/corpus.txt').read()") == "shown on purpose"
    assert "Read-only" in running.value("attempt(lambda: open(shown + '/new', 'w'))")


def test_worker_processes_and_threads_work_within_the_limit(running: Running) -> None:
    assert running.run("import torch.utils.data as d, torch").error is None
    assert running.value("len(list(d.DataLoader(d.TensorDataset(torch.zeros(8, 2)), num_workers=2)))") == "8"


# What it cannot reach.


def test_the_network_is_not_there(running: Running) -> None:
    running.run("import socket")
    assert "unreachable" in running.value("attempt(lambda: socket.create_connection(('1.1.1.1', 53), 2))")
    assert "gaierror" in running.value("attempt(lambda: socket.getaddrinfo('example.org', 80))")
    assert running.value("[name for _, name in socket.if_nameindex()]") == "['lo']"


def test_links_in_the_submission_do_not_lead_out_of_it(running: Running) -> None:
    assert running.value("__import__('os').path.lexists('link')") == "False"


def test_the_grader_and_its_solutions_are_not_there(running: Running) -> None:
    running.run("import os, sys")
    assert running.value("attempt(lambda: __import__('grader'))").startswith("ModuleNotFoundError")
    for name in ("solutions", "grader", "tests", ".git"):
        assert running.value(f"os.path.exists({str(REPOSITORY / name)!r})") == "False"


def test_a_grader_installed_beside_the_students_library_is_covered(work: Path) -> None:
    with kernel("etude-warm", work, visible=[str(REPOSITORY)]) as started:
        assert started.value(f"__import__('os').listdir({str(REPOSITORY / 'grader')!r})") == "[]"


def test_homes_and_other_peoples_files_are_not_there(running: Running) -> None:
    running.run("import os")
    for path in ("/root/.bashrc", "/root/.ssh", "/etc/passwd", "/etc/shadow", "/home/root", "/var", "/run", "/sys"):
        assert running.value(f"os.path.exists({path!r})") == "False", path
    assert running.value("os.listdir('/home')") == "['student']"


def test_nothing_outside_its_own_folders_can_be_written(running: Running) -> None:
    running.run("import os, sys, etude")
    for path in ("'/new'", "'/usr/new'", "'/etc/new'", "'/dev/new'", "sys.prefix + '/new'", "etude.__file__"):
        assert running.value(f"attempt(lambda: open({path}, 'a'))").startswith(("OSError", "PermissionError")), path
    assert "Read-only" in running.value("attempt(lambda: open('/submission/new', 'w'))")
    assert "Error" in running.value("attempt(lambda: open('/proc/sys/kernel/core_pattern', 'w'))")


def test_it_is_not_root_and_has_no_capabilities(running: Running) -> None:
    running.run("import os, ctypes; status = open('/proc/self/status').read()")
    assert running.value("os.getuid(), os.geteuid(), os.getgid()") == "(1000, 1000, 1000)"
    for field in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert running.value(f"int(status.split('{field}:')[1].split()[0], 16)") == "0"
    assert running.value("[status.split(f + ':')[1].split()[0] for f in ('NoNewPrivs', 'Seccomp')]") == "['1', '2']"
    assert "Error" in running.value("attempt(lambda: os.setuid(0))")


@pytest.mark.parametrize("call", ["ptrace", "io_uring_setup", "keyctl", "unshare", "mount", "memfd_create", "bpf"])
def test_dangerous_system_calls_are_refused(running: Running, call: str) -> None:
    number = seccomp.DENIED[call][list(seccomp.AUDIT_ARCH).index(seccomp.architecture())]
    running.run("import ctypes, errno; libc = ctypes.CDLL(None, use_errno=True)")
    assert (
        running.value(f"libc.syscall({number}, 0, 0, 0, 0, 0), errno.errorcode[ctypes.get_errno()]") == "(-1, 'EPERM')"
    )


def test_odd_socket_families_are_refused(running: Running) -> None:
    running.run("import socket")
    for family in ("AF_VSOCK", "AF_PACKET", "AF_ALG"):
        assert "OSError" in running.value(f"attempt(lambda: socket.socket(socket.{family}, socket.SOCK_DGRAM))")


@pytest.mark.parametrize("name", KERNELS)
def test_no_process_inside_holds_the_graders_environment(
    name: str, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "open sesame")
    with kernel(name, work) as started:
        started.run("import os; pids = [name for name in os.listdir('/proc') if name.isdecimal()]")
        held = started.value("[open(f'/proc/{pid}/environ').read() for pid in pids] + [str(os.environ)]")
    assert "USER" in held
    assert "sesame" not in held


def test_no_other_process_can_be_seen(running: Running) -> None:
    names = running.value(
        "sorted({open(f'/proc/{p}/comm').read().strip() for p in __import__('os').listdir('/proc') if p.isdigit()})"
    )
    assert set(eval(names)) <= {"bwrap", "sleep", "python", "python3", "python3.11"} | {
        f"python3.{n}" for n in range(30)
    }


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


def test_a_socket_made_inside_is_reached_from_outside_under_the_same_path(running: Running) -> None:
    import socket

    path = running.provisioner.socket_folder / "rpc"
    running.run(f"import socket; server = socket.socket(socket.AF_UNIX); server.bind({str(path)!r}); server.listen()")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(b"hello")
        assert running.value("server.accept()[0].recv(5)") == "b'hello'"


# How it ends.


@pytest.mark.parametrize(("name", "wall_s"), [("etude-sandbox", 6), ("etude-warm", 3)])
def test_a_loop_that_ignores_interrupts_ends_with_the_wall_time(name: str, wall_s: int, work: Path) -> None:
    with kernel(name, work, wall_s=wall_s) as started:
        started.run("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)")
        started.client.execute("while True: pass")
        started.manager.interrupt_kernel()
        assert started.wait_until_gone() == f"wall time: it ran longer than {wall_s} s"


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


def test_a_bomb_of_bombs_ends_with_its_sandbox(work: Path) -> None:
    with kernel("etude-warm", work, wall_s=3, processes=64) as started:
        why = started.run_to_the_end("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass")
        assert why.split(":")[0] in ("wall time", "processes", "signal")


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
sys.path.insert(0, {str(Path(__file__).parent)!r})
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


def test_two_kernels_do_not_see_each_other(work: Path) -> None:
    with kernel("etude-warm", work) as one, kernel("etude-warm", work) as other:
        places = "('/tmp/note', 'note', '/dev/shm/note')"
        one.run(f"for place in {places}: open(place, 'w').write('x')")
        one.run("import socket; server = socket.socket(socket.AF_UNIX); server.bind('\\0abstract'); server.listen()")
        other.run("import os, socket\n" + TRY)
        assert other.value(f"[os.path.exists(place) for place in {places}]") == "[False, False, False]"
        connect = "attempt(lambda: socket.socket(socket.AF_UNIX).connect('\\0abstract'))"
        assert "ConnectionRefusedError" in other.value(connect)
        first, second = one.provisioner.run_folder, other.provisioner.run_folder
        assert other.value(f"os.path.exists({str(first)!r}), os.path.exists({str(second)!r})") == "(False, True)"


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_can_be_restarted(name: str, work: Path) -> None:
    with kernel(name, work) as started:
        started.run("x = 1; open('note', 'w').write('x')")
        started.manager.restart_kernel(now=True)
        started.client.wait_for_ready(timeout=60)
        started.run("import os\n" + TRY)
        assert started.value("'x' in globals(), os.path.exists('note')") == "(False, False)"


# Its results.


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


# Who can use it by name.


@pytest.mark.parametrize("name", KERNELS)
def test_nbclient_and_papermill_run_a_notebook_by_the_kernels_name(name: str, tmp_path: Path) -> None:
    cells = [nbformat.v4.new_code_cell("import os; os.getuid()")]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": name, "display_name": name}})
    nbformat.write(notebook, tmp_path / "in.ipynb")
    done = papermill.execute_notebook(tmp_path / "in.ipynb", None, kernel_name=name, cwd=tmp_path, progress_bar=False)
    assert done.cells[0].outputs[0]["data"]["text/plain"] == "1000"
    client = NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}})
    assert client.execute().cells[0].outputs[0]["data"]["text/plain"] == "1000"


# What it says when it cannot work.


@pytest.fixture
def without_bubblewrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in preflight.TOOLS.keys() - {"bwrap"}:
        (tools / tool).symlink_to(shutil.which(tool) or "")
    monkeypatch.setenv("PATH", str(tools))


@pytest.mark.usefixtures("without_bubblewrap")
def test_a_machine_without_bubblewrap_is_told_how_to_get_it() -> None:
    assert [str(p) for p in check_sandbox()] == [
        "bubblewrap is not installed (no bwrap on PATH): apt-get install bubblewrap"
    ]


@pytest.mark.usefixtures("without_bubblewrap")
def test_a_kernel_never_starts_without_its_sandbox(work: Path) -> None:
    with pytest.raises(SandboxError, match="apt-get install bubblewrap"), kernel("etude-sandbox", work):
        pass


def test_a_folder_too_large_for_the_sandbox_is_named_with_the_remedy(tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(5 * MB)
    small = kernel("etude-sandbox", tmp_path, work_mb=4)
    with pytest.raises(SandboxError, match="start the kernel in the lesson's own folder"), small:
        pass


def test_an_unreadable_interpreter_is_a_problem_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, "attempt", lambda command: "Permission denied")
    problem = preflight.check_interpreter()
    assert problem is not None
    assert "run the grader as an ordinary user" in problem.remedy


# Root's way down.


def test_the_outermost_closed_folder_is_found() -> None:
    with tempfile.TemporaryDirectory() as name:
        outer = Path(name)
        inner = outer / "open" / "closed" / "leaf"
        inner.mkdir(parents=True)
        outer.chmod(0o755)
        (outer / "open" / "closed").chmod(0o700)
        assert first_closed_folder(inner) == outer / "open" / "closed"
        assert first_closed_folder(outer / "open") is None


def test_a_needed_path_in_a_closed_folder_can_be_read_and_for_root_its_neighbours_cannot() -> None:
    with tempfile.TemporaryDirectory() as name:
        closed = Path(name)  # made with mode 700
        (closed / "needed").mkdir()
        for path in (closed / "needed" / "file", closed / "neighbour"):
            path.write_text("words")
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700
        needed = [*interpreter_paths(), closed / "needed"]
        read = [
            subprocess.run(as_unprivileged(["cat", str(path)], needed), capture_output=True, text=True, cwd="/").stdout
            for path in (closed / "needed" / "file", closed / "neighbour")
        ]
        assert read == ["words", "" if os.getuid() == 0 else "words"]
        assert (closed / "neighbour").read_text() == "words"


def test_root_becomes_another_user() -> None:
    done = subprocess.run(as_unprivileged(["id", "-u"], []), capture_output=True, text=True, cwd="/")
    assert int(done.stdout) == (41000 if os.getuid() == 0 else os.getuid())


# The limits and the filter.


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


def verdict(program: bytes, number: int, architecture: int, argument: int = 0) -> int:
    """What the filter returns for one call: an interpreter of the five BPF instructions it is made of."""
    code = list(struct.iter_unpack("=HBBI", program))
    data = {seccomp.NUMBER: number, seccomp.ARCHITECTURE: architecture, seccomp.FIRST_ARGUMENT: argument}
    accumulator, at = 0, 0
    while True:
        opcode, if_true, if_false, constant = code[at]
        at += 1
        if opcode == seccomp.LOAD:
            accumulator = data[constant]
        elif opcode == seccomp.RETURN:
            return constant
        else:
            holds = {
                seccomp.JUMP_EQUAL: accumulator == constant,
                seccomp.JUMP_GREATER_OR_EQUAL: accumulator >= constant,
                seccomp.JUMP_ANY_BIT: bool(accumulator & constant),
            }[opcode]
            at += if_true if holds else if_false


architectures = st.sampled_from(sorted(seccomp.AUDIT_ARCH))


@given(architecture=architectures, number=st.integers(0, 600), argument=st.integers(0, 2**32 - 1))
def test_the_filter_refuses_the_listed_calls_and_no_other_on_either_architecture(
    architecture: str, number: int, argument: int
) -> None:
    column = list(seccomp.AUDIT_ARCH).index(architecture)
    denied = {numbers[column] for numbers in seccomp.DENIED.values()}
    expected = seccomp.ALLOW
    if number in denied or (number == seccomp.CLONE[column] and argument & seccomp.NEW_NAMESPACES):
        expected = seccomp.FAIL_WITH | errno.EPERM
    elif number == seccomp.CLONE3[column]:
        expected = seccomp.FAIL_WITH | errno.ENOSYS
    elif number == seccomp.SOCKET[column] and argument not in seccomp.SOCKET_FAMILIES:
        expected = seccomp.FAIL_WITH | errno.EAFNOSUPPORT
    assert verdict(seccomp.program(architecture), number, seccomp.AUDIT_ARCH[architecture], argument) == expected


@given(architecture=architectures, argument=st.integers(0, 50))
def test_the_filter_knows_which_socket_families_may_be_used(architecture: str, argument: int) -> None:
    number = seccomp.SOCKET[list(seccomp.AUDIT_ARCH).index(architecture)]
    allowed = (
        verdict(seccomp.program(architecture), number, seccomp.AUDIT_ARCH[architecture], argument) == seccomp.ALLOW
    )
    assert allowed == (argument in seccomp.SOCKET_FAMILIES)


@given(number=st.integers(0, 2**32 - 1), other=st.integers(0, 2**32 - 1))
def test_calls_by_another_table_of_numbers_are_refused(number: int, other: int) -> None:
    program = seccomp.program("x86_64")
    own = seccomp.AUDIT_ARCH["x86_64"]
    x32 = number | seccomp.X32_CALLS
    assert verdict(program, x32, own) == seccomp.FAIL_WITH | errno.ENOSYS
    if other != own:
        assert verdict(program, number, other) == seccomp.KILL_PROCESS
