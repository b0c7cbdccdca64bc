"""What an honest notebook finds in a sandboxed kernel, cold or warm, and what no notebook can reach from it."""

# ruff: noqa: F401, F811 - fixtures are imported by name

from __future__ import annotations

import errno
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sandboxed import KERNELS, TRY, Running, kernel, machine, running, work

import grader
from grader.sandbox import seccomp

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

REPOSITORY = Path(grader.__file__).resolve().parents[1]


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


def test_a_socket_made_inside_is_reached_from_outside_under_the_same_path(running: Running) -> None:
    import socket

    path = running.provisioner.socket_folder / "rpc"
    running.run(f"import socket; server = socket.socket(socket.AF_UNIX); server.bind({str(path)!r}); server.listen()")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(b"hello")
        assert running.value("server.accept()[0].recv(5)") == "b'hello'"


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


# The filter of system calls.


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
            action: int = constant
            return action
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
