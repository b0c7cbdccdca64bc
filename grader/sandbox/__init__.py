"""Kernels that run a stranger's notebook: contained by bubblewrap, bounded by limits, started cold or forked warm.

limits.py        what a kernel may use
bwrap.py         what the inside looks like
seccomp.py       which system calls are refused
privileges.py    how root gives up its rights first
preflight.py     what a machine lacks
watchdog.py      what rlimits cannot count
transfer.py      files in and out
kernel.py        one kernel in one sandbox
fork_server.py   a warm process to fork kernels from (fork_server_main.py is its program)
scratch.py       folders that outlive no process
provisioner.py   jupyter's side
kernelspecs.py   the kernels' names
"""

from grader.sandbox.kernel import SandboxError
from grader.sandbox.kernelspecs import install_kernelspecs
from grader.sandbox.limits import Limits, LimitsError
from grader.sandbox.preflight import Problem, check_sandbox

__all__ = ["Limits", "LimitsError", "Problem", "SandboxError", "check_sandbox", "install_kernelspecs"]
