"""The fork server's own program: make the heavy libraries ready once, then fork kernels into sandboxes on request.

It runs by itself, outside any sandbox, as the unprivileged user, and imports nothing of the grader. Ready means that a
kernel's first training step and its first figure cost what later ones cost. All is done on one thread: a parallel
operation of torch here would leave threads that no fork survives and that forbid entering a namespace.

A request is one JSON message with two descriptors, for the kernel's output and for its exit status. Two processes are
forked for it: the middle one enters the sandbox's namespaces and stays to reap the kernel; its child, born in the
sandbox's pid namespace, gives up all rights, takes on the limits and the seccomp filter, and becomes an ipykernel. The
answer is {"pid": ...} or {"error": ...}.
"""

import atexit
import contextlib
import ctypes
import fcntl
import gc
import importlib
import io
import json
import logging
import os
import pkgutil
import random
import resource
import selectors
import signal
import socket
import struct
import sys
import threading
import traceback
from pathlib import Path
from typing import Any, NoReturn
from unittest import mock

# What notebooks import; what ipykernel would otherwise import at its start; what is imported at the first use of the
# others: torch._dynamo by the first step of an optimiser, the rest by the first figure that is shown.
PRELOADED: tuple[str, ...] = ("torch", "numpy", "pandas", "scipy.sparse.linalg", "scipy.stats")
PRELOADED += ("ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "ipykernel.debugger")
PRELOADED += ("IPython.core.completer", "IPython.core.completerlib", "IPython.core.debugger", "IPython.core.logger")
PRELOADED += ("IPython.core.oinspect", "IPython.extensions.storemagic", "pyarrow.pandas_compat", "psutil")
PRELOADED += ("IPython.core.pylabtools", "sqlite3", "tornado.platform.asyncio", "zmq.asyncio")
PRELOADED += ("torch._dynamo", "matplotlib.pyplot", "matplotlib.backends.backend_agg")
STUDENTS = "etude"  # the library of which every module is imported, if it can be
# While being imported these look for a kernel, which is not here yet: each notebook imports them by itself.
LOOK_FOR_A_KERNEL = ("matplotlib_inline.", "ipywidgets.", "tqdm.auto.", "tqdm.autonotebook.", "tqdm.notebook.")
INLINE = "module://matplotlib_inline.backend_inline"  # what ipykernel sets, and matplotlib reads while being imported
NEW_CGROUP, NEW_IPC, NEW_UTS, NEW_NET = 0x02000000, 0x08000000, 0x04000000, 0x40000000
NEW_PID, NEW_MOUNT, NEW_USER = 0x20000000, 0x00020000, 0x10000000
# In this order: after the mount namespace, this machine's /proc is out of sight.
NAMESPACES = {"cgroup": NEW_CGROUP, "ipc": NEW_IPC, "uts": NEW_UTS, "net": NEW_NET, "pid": NEW_PID, "mnt": NEW_MOUNT}
NS_GET_USERNS = 0xB701
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
SECCOMP_MODE_FILTER, CAPABILITY_VERSION_3 = 2, 0x20080522

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def thread_count() -> int:
    return sum(1 for _ in Path("/proc/self/task").iterdir())


def enter_namespaces(holder: int) -> None:
    """Joins the sandbox of which process `holder` is part; as to the pid namespace, only children will."""
    if (threads := thread_count()) > 1:
        raise RuntimeError(f"a preloaded library left {threads} threads after the fork: no namespace can be entered so")
    opened = {name: os.open(f"/proc/{holder}/ns/{name}", os.O_RDONLY) for name in (*NAMESPACES, "user")}
    # bubblewrap nests two user namespaces, to forbid a third: the outer owns the other namespaces, the inner has the
    # processes.
    outer = fcntl.ioctl(opened["mnt"], NS_GET_USERNS)
    checked(libc.setns(outer, NEW_USER), "cannot enter the sandbox's outer user namespace")
    for name, flag in NAMESPACES.items():
        checked(libc.setns(opened[name], flag), f"cannot enter the sandbox's {name} namespace")
    if os.fstat(outer).st_ino != os.fstat(opened["user"]).st_ino:
        checked(libc.setns(opened["user"], NEW_USER), "cannot enter the sandbox's user namespace")


def give_up_capabilities() -> None:
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
    checked(libc.capset(header, b"\0" * 24), "cannot give up capabilities")
    checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "cannot forbid new privileges")


def load_seccomp(program: bytes) -> None:
    buffer = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer)))
    checked(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0), "cannot load the seccomp filter")


def reseed() -> None:
    """Gives the kernel random states of its own: a fork inherits the fork server's."""
    random.seed()
    sys.modules["numpy"].random.seed()
    sys.modules["torch"].seed()


def settle_matplotlib() -> None:
    """Catches up on what matplotlib does in a notebook's own folders while being imported: makes its own, reads settings."""
    matplotlib = sys.modules["matplotlib"]
    for folder in (matplotlib.get_configdir(), matplotlib.get_cachedir()):
        Path(folder).mkdir(parents=True, exist_ok=True)
    if matplotlib.matplotlib_fname() == "matplotlibrc":  # one lies beside the notebook
        own = {name: value for name, value in matplotlib.rc_params().items() if name != "backend"}
        matplotlib.rcParams.update(own)
        matplotlib.rcParamsOrig.update(own)


def contain(request: dict[str, Any], output: int) -> None:
    """Takes on everything that a process started by bubblewrap would have been given."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    os.chdir(request["cwd"])
    os.umask(0o022)
    os.environ.clear()
    os.environ.update(request["environment"], PWD=request["cwd"])
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # no kernel outlives the process that reaps it
    give_up_capabilities()
    libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # cleared by the change of credentials; without it /proc/self is root's
    for name, bounds in request["rlimits"].items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), tuple(bounds))
    load_seccomp(bytes.fromhex(request["seccomp"]))


def run_kernel(request: dict[str, Any], output: int) -> NoReturn:
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        contain(request, output)
        reseed()
        settle_matplotlib()
        sys.modules["torch"].set_num_threads(request["threads"])
        sys.argv = ["ipykernel_launcher", *request["arguments"]]
        sys.modules["ipykernel.kernelapp"].launch_new_instance(argv=sys.argv[1:])
        status = 0
    except SystemExit as ending:
        status = ending.code if isinstance(ending.code, int) else ending.code is not None
    except BaseException:
        traceback.print_exc()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def hold_kernel(request: dict[str, Any], output: int, status_pipe: int, answer: int) -> NoReturn:
    """Enters the sandbox, forks the kernel, answers with its pid, and reports how it ended. This is the middle process."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        enter_namespaces(request["holder"])
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # after the change of credentials, which clears it
        pid = os.fork()
        if pid == 0:
            run_kernel(request, output)
        os.write(answer, json.dumps({"pid": pid}).encode())
        os.close(answer)
        os.close(output)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with contextlib.suppress(BrokenPipeError):  # the grader has ended
            os.write(status_pipe, str(code if code >= 0 else 128 - code).encode())
        os._exit(0)
    except BaseException as error:
        with contextlib.suppress(OSError):  # it has been answered, or nobody waits for the answer any more
            os.write(answer, json.dumps({"error": f"{type(error).__name__}: {error}"}).encode())
        os._exit(1)


def serve(owner: socket.socket, listener: socket.socket) -> None:
    """Answers requests of the grader and of whoever else connects, until the grader closes its end."""
    ready = selectors.DefaultSelector()
    for end in (owner, listener):
        ready.register(end, selectors.EVENT_READ, end)
    while True:
        for key, _ in ready.select():
            end = key.data
            if end is listener:
                accepted, _ = end.accept()
                greet(accepted)
                ready.register(accepted, selectors.EVENT_READ, accepted)
            elif not answer(end, ready):
                if end is owner:
                    return
                ready.unregister(end)
                end.close()


def greet(control: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it has gone already
        control.send(json.dumps({"threads": thread_count()}).encode())


def hang_up(ready: selectors.BaseSelector) -> None:
    """Closes the fork server's own ends in a forked process: a socket left there would name whatever file gets its number."""
    for key in list(ready.get_map().values()):
        key.data.close()
    ready.close()


def answer(control: socket.socket, ready: selectors.BaseSelector) -> bool:
    """Answers one request.

    Args:
        ready: holds all ends that are open, this one too.

    Returns:
        False when the other side has hung up.
    """
    try:
        message, descriptors, _, _ = socket.recv_fds(control, 1 << 20, 2)
    except OSError:
        return False
    if not message:
        return False
    read_answer, write_answer = os.pipe()
    if os.fork() == 0:
        hang_up(ready)
        os.close(read_answer)
        hold_kernel(json.loads(message), descriptors[0], descriptors[1], write_answer)
    for descriptor in (write_answer, *descriptors):
        os.close(descriptor)
    with open(read_answer, "rb") as pipe:  # noqa: PTH123 - a descriptor, not a path
        words = pipe.read() or b'{"error": "the forked process died before it entered the sandbox"}'
    with contextlib.suppress(OSError):
        control.send(words)
    return True


def reap(*_: object) -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def preload() -> None:
    """Imports all that notebooks need."""
    import_matplotlib()
    for module in PRELOADED:
        importlib.import_module(module)
    with contextlib.suppress(ImportError, OSError):  # a course of another kind, or a folder closed to this user
        for package in pkgutil.walk_packages(importlib.import_module(STUDENTS).__path__, f"{STUDENTS}."):
            importlib.import_module(package.name)
    for name in list(sys.modules):
        if f"{name}.".startswith(LOOK_FOR_A_KERNEL):
            del sys.modules[name]


def import_matplotlib() -> None:
    """Makes matplotlib take the kernel's folders for its own: they exist and can be written, but not here."""
    os.environ["MPLBACKEND"] = INLINE
    there = {"mkdir": mock.DEFAULT, "is_dir": lambda path: True}
    with mock.patch.multiple(Path, **there), mock.patch.object(os, "access", return_value=True):
        importlib.import_module("matplotlib").get_cachedir()
    logging.disable(logging.WARNING)  # it would say that its list of fonts cannot be written there
    importlib.import_module("matplotlib.font_manager")
    logging.disable(logging.NOTSET)


def use_once() -> None:
    """Makes a step of training and a figure: much of torch and matplotlib is made ready by its first use.

    No step beside a GPU, which the step would look for: what CUDA begins survives no fork.
    """
    torch, figure = sys.modules["torch"], sys.modules["matplotlib.figure"].Figure()
    torch.set_num_threads(1)
    if not any(Path("/dev").glob("nvidia*")):
        layer, x = torch.nn.Linear(256, 256), torch.ones(256, 256)
        optimiser = torch.optim.Adam(layer.parameters())
        torch.nn.functional.mse_loss(layer(x), x).backward()
        optimiser.step()
    panel = figure.subplots()
    panel.semilogy([1, 10], label="made once")  # the ticks' powers of ten make the parser of formulas ready
    panel.legend()
    figure.savefig(io.BytesIO(), format="png", bbox_inches="tight")


def main() -> None:
    sys.path = [entry for entry in sys.path if entry]  # the folder it was started in is no place to import from
    owner, listener = (socket.socket(fileno=int(number)) for number in sys.argv[1:])
    gc.disable()  # while so much is imported, collections take a second and find nothing
    preload()
    use_once()
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join()  # matplotlib's, which would say that its list of fonts takes long to make
    signal.signal(signal.SIGCHLD, reap)
    gc.freeze()  # collections in a child would otherwise write to, and so copy, every page
    gc.enable()
    greet(owner)
    serve(owner, listener)


if __name__ == "__main__":
    main()
