"""A warm kernel is one like a cold kernel, only sooner; and its fork server outlives what happens to it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from sandboxed import KERNELS, kernel, machine  # noqa: F401 - machine is a fixture

from grader.sandbox.fork_server import PROGRAM, ForkServer, address, close_fork_servers, fork_server
from grader.sandbox.limits import Limits

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

THREADS = Limits().threads
STEP = """
layer = torch.nn.Linear(2, 2)
optimiser = torch.optim.Adam(layer.parameters())
torch.nn.functional.mse_loss(layer(torch.ones(1, 2)), torch.ones(1, 2)).backward()
optimiser.step()
"""


def test_cold_and_warm_kernels_behave_alike(tmp_path: Path) -> None:
    expressions = [
        "sorted(os.environ.items())",
        "os.getcwd(), os.getuid(), os.getgid(), os.umask(0o022), os.getpgid(0) == os.getpid()",
        "sys.path, sys.flags, sys.executable, sys.prefix, sys.argv[1:] != []",
        "{n: resource.getrlimit(getattr(resource, n)) for n in dir(resource) if n.startswith('RLIMIT_')}",
        "__name__, sorted(n for n in vars(sys.modules['__main__']) if not n.startswith('_'))",
        "torch.get_num_threads(), hash('a string'), sorted(os.listdir('/')), sorted(os.listdir('/dev'))",
        "[line for line in open('/proc/self/status') if line.startswith(('Cap', 'NoNew', 'Seccomp:', 'Sig'))]",
        "sorted(line.split()[4] for line in open('/proc/self/mountinfo') if 'etude-' not in line)",
        "os.readlink('/proc/self/fd/0')",
    ]
    answers = []
    for name in KERNELS:
        with kernel(name, tmp_path) as started:
            started.run("import os, resource, sys, torch")
            answers.append({expression: started.value(expression) for expression in expressions})
    assert answers[0] == answers[1]


def test_cold_and_warm_notebooks_find_their_libraries_alike(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 7\n")
    expressions = [
        "dict(plt.rcParams) == dict(matplotlib.rcParamsOrig, backend=plt.get_backend())",
        "sorted((k, str(v)) for k, v in plt.rcParams.items()), plt.isinteractive(), plt.get_fignums()",
        "matplotlib.get_configdir(), matplotlib.get_cachedir(), matplotlib.matplotlib_fname()",
        "[each.__name__ for each in get_ipython().events.callbacks['post_execute']]",  # shows figures left open
        "os.listdir(matplotlib.get_configdir()), plt.style.USER_LIBRARY_PATHS",
        "sorted(font.fname for font in matplotlib.font_manager.fontManager.ttflist)",
        "[str(kind) for kind in tqdm.auto.tqdm.__mro__], 'jupyter.widget' in get_ipython().kernel.comm_manager.targets",
        "sorted(map(str, warnings.filters)), logging.root.level, logging.root.manager.disable, gc.isenabled()",
        "torch.is_grad_enabled(), torch.get_default_dtype(), np.geterr(), locale.setlocale(locale.LC_ALL)",
        "[str(signal.getsignal(number)) for number in signal.Signals]",
        "[name for name in sys.modules if name.startswith('grader')]",
    ]
    answers = []
    for name in KERNELS:
        with kernel(name, tmp_path) as started:
            started.run("import gc, locale, logging, os, signal, sys, warnings, matplotlib, numpy as np, pandas, torch")
            started.run("import etude, matplotlib.pyplot as plt, scipy.stats, tqdm.auto, ipywidgets")
            started.run("from etude import check, plots, record")
            started.run(STEP)
            answers.append({expression: started.value(expression) for expression in expressions})
            modules = set(started.value("' '.join(sys.modules)").split())
            answers[-1]["the settings beside the notebook"] = started.value("plt.rcParams['lines.linewidth']")
            if name == KERNELS[0]:
                imported = modules
    assert answers[0] == answers[1]
    assert answers[0]["the settings beside the notebook"] == "7.0"
    assert imported <= modules


def test_a_first_step_of_training_and_a_first_figure_import_nothing(tmp_path: Path) -> None:
    with kernel("etude-warm", tmp_path) as started:
        started.run("import sys, torch, matplotlib.pyplot as plt\nbefore = set(sys.modules)")
        assert started.run(STEP).error is None
        assert started.value("set(sys.modules) - before") == "set()"
        assert started.run("plt.plot([0, 1])\nplt.show()").error is None
        assert started.value("{name.split('.')[0] for name in set(sys.modules) - before}") == "{'matplotlib_inline'}"


def test_what_is_collected_as_garbage_is_the_notebooks_own(tmp_path: Path) -> None:
    """Were the fork server's objects looked through as well, each collection would copy most of its memory."""
    with kernel("etude-warm", tmp_path) as started:
        started.run("import gc, torch\nmine = []")
        assert started.value("any(kept is mine for kept in gc.get_objects())") == "True"
        assert started.value("any(kept is torch.nn.Module.__dict__ for kept in gc.get_objects())") == "False"
        assert started.value("gc.get_freeze_count() > len(gc.get_objects())") == "True"


def test_kernels_work_where_the_students_library_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "fork_server_main.py"
    program.write_text(PROGRAM.read_text().replace('STUDENTS = "etude"', 'STUDENTS = "no_such_library"'))
    monkeypatch.setattr("grader.sandbox.fork_server.PROGRAM", program)
    close_fork_servers()
    with kernel("etude-warm", tmp_path) as started:
        assert started.value("'etude' in __import__('sys').modules") == "False"
        assert started.value("__import__('etude').__name__") == "etude"
    close_fork_servers()


def test_two_warm_kernels_draw_different_random_numbers(tmp_path: Path) -> None:
    draws = []
    for _ in range(2):
        with kernel("etude-warm", tmp_path) as started:
            started.run("import random, numpy, torch")
            draws.append([started.value(e) for e in ("random.random()", "numpy.random.rand()", "torch.rand(1).item()")])
    assert all(one != other for one, other in zip(*draws, strict=True))


def test_the_libraries_are_there_before_the_first_cell(tmp_path: Path) -> None:
    with kernel("etude-warm", tmp_path) as started:
        assert (
            started.value(
                "{'torch', 'numpy', 'pandas', 'matplotlib.pyplot', 'etude.embeddings.sgns'} <= set(__import__('sys').modules)"
            )
            == "True"
        )


@pytest.mark.parametrize("threads", [1, 2])
def test_parallel_operations_work_in_a_forked_kernel(tmp_path: Path, threads: int) -> None:
    with kernel("etude-warm", tmp_path, threads=threads) as started:
        started.run(STEP)
        started.run("import torch; a = torch.rand(600, 600); b = torch.rand(1 << 20)")
        assert started.value("torch.allclose(a @ a, (a.double() @ a.double()).float(), rtol=1e-3)") == "True"
        assert started.value("(b.sort().values.diff() >= 0).all().item()") == "True"


def test_the_number_of_threads_is_the_lessons(tmp_path: Path) -> None:
    with kernel("etude-warm", tmp_path, threads=1) as started:
        assert started.value("__import__('torch').get_num_threads()") == "1"


def pid(server: ForkServer) -> int:
    """The process of a fork server that was started here."""
    assert server.process is not None
    return server.process.pid


def test_the_fork_server_survives_a_hostile_kernel(tmp_path: Path) -> None:
    attack = """
import os, signal
for pid in (os.getppid(), 1, *range(2, 100)):
    if pid != os.getpid():
        try: os.kill(pid, signal.SIGKILL)
        except OSError: pass
os.kill(-1, signal.SIGKILL)
os._exit(1)
"""
    with kernel("etude-warm", tmp_path) as started:
        before = pid(fork_server(THREADS))
        started.run_to_the_end(attack)
    with kernel("etude-warm", tmp_path) as started:
        assert started.value("1 + 1") == "2"
    assert pid(fork_server(THREADS)) == before


def test_a_dead_fork_server_is_replaced_at_the_next_launch(tmp_path: Path) -> None:
    with kernel("etude-warm", tmp_path) as started:
        dead = fork_server(THREADS)
        os.kill(pid(dead), signal.SIGKILL)
        assert dead.process is not None
        dead.process.wait()
        assert started.wait_until_gone().startswith("signal: SIGKILL")
    with kernel("etude-warm", tmp_path) as started:
        assert started.value("1 + 1") == "2"


def test_a_forked_grader_has_a_fork_server_of_its_own(tmp_path: Path) -> None:
    parents = pid(fork_server(THREADS))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            own = fork_server(THREADS)
            os.write(write, str(pid(own)).encode())
            own.close()
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as answer:  # noqa: PTH123 - a descriptor, not a path
        assert int(answer.read()) != parents
    os.waitpid(child, 0)
    assert pid(fork_server(THREADS)) == parents


def test_closing_the_fork_servers_ends_their_processes(tmp_path: Path) -> None:
    running = fork_server(THREADS)
    close_fork_servers()
    assert not running.alive
    with pytest.raises(ProcessLookupError):
        os.kill(pid(running), 0)


def test_no_socket_of_the_fork_server_is_open_in_a_kernel(tmp_path: Path) -> None:
    another = ForkServer.join(address(THREADS))
    another.wait()
    look = "[x.fileno() for x in gc.get_objects() if isinstance(x, socket.socket) and x.type == socket.SOCK_SEQPACKET]"
    with kernel("etude-warm", tmp_path) as started:
        started.run("import gc, socket")
        assert started.value(look) == "[-1]"  # the other line's
    another.close()
