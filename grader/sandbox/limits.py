"""What one sandboxed kernel may use: a validated record of numbers, readable from a lesson's table in course.toml.

It knows nothing of bubblewrap, jupyter or processes; the modules that enforce a limit read it from here.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

MB = 1 << 20
SMALLEST_MEMORY_MB = 1024  # importing torch, pandas and ipykernel needs about half of it
SMALLEST_PROCESS_COUNT = 32  # ipykernel alone runs a dozen threads
ADDRESS_SPACE_MARGIN_MB = 2048  # libraries reserve address space (thread stacks, arenas) that they never fill


class LimitsError(ValueError):
    """A limit that does not exist, or a value that makes no sense for it."""


@dataclass(frozen=True)
class Limits:
    """Upper bounds for one kernel. A name ends in its unit: `_mb` is 2**20 bytes, `_s` is seconds.

    `memory_mb` holds for each process (rlimit) and for all of them together (watchdog). The writable file systems are
    held in memory too and come on top: `work_mb` for the home with the submission, `tmp_mb` for /tmp, and once more for
    /dev/shm. `files` counts what lies in them. `processes` counts processes and threads. `cpu_s` holds for each
    process, `wall_s` for the kernel's whole life.
    `output_mb` bounds the text that processes write past jupyter (descriptors 1 and 2). `threads` is a default
    for OpenMP and BLAS, no bound: with one, sums come out the same on every machine, and kernels that run side by side do
    not fight for cores. `gpu` lets the kernel reach NVIDIA's devices.
    """

    memory_mb: int = 4096
    processes: int = 128
    file_mb: int = 256
    files: int = 20_000
    open_files: int = 1024
    cpu_s: int = 600
    wall_s: int = 900
    tmp_mb: int = 256
    work_mb: int = 256
    output_mb: int = 16
    threads: int = 1
    gpu: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "gpu":
                if not isinstance(value, bool):
                    raise LimitsError(f"gpu = {value!r}: write true or false")
            elif not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 2**31:
                raise LimitsError(f"{field.name} = {value!r}: write a whole number above 0 and below 2**31")
        for name, smallest in (("memory_mb", SMALLEST_MEMORY_MB), ("processes", SMALLEST_PROCESS_COUNT)):
            if getattr(self, name) < smallest:
                raise LimitsError(
                    f"{name} = {getattr(self, name)}: a kernel with torch does not start; write {smallest} or more"
                )
        if self.threads > self.processes:
            raise LimitsError(f"threads = {self.threads}: more than processes = {self.processes}; raise that limit too")

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Limits:
        """Reads the limits in `table`, defaults for the rest.

        Raises:
            LimitsError: a key does not exist.
        """
        known = [field.name for field in fields(cls)]
        for key in table:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"the limits are {', '.join(known)}"
                raise LimitsError(f"{key!r} is not a limit: {hint}")
        return cls(**table)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def rlimits(self) -> dict[str, tuple[int, int]]:
        """Returns (soft, hard) by the kernel's name for it (RLIMIT_...), for everything but the number of processes.

        CUDA reserves far more address space than it uses, so a GPU kernel is bounded by its data alone.
        """
        bounds = {
            "DATA": (self.memory_mb * MB, self.memory_mb * MB),
            "FSIZE": (self.file_mb * MB, self.file_mb * MB),
            "NOFILE": (self.open_files, self.open_files),
            "CPU": (self.cpu_s, self.cpu_s + 5),  # SIGXCPU first; SIGKILL for those who ignore it
            "CORE": (0, 0),
        }
        if not self.gpu:
            address_space = (self.memory_mb + ADDRESS_SPACE_MARGIN_MB) * MB
            bounds["AS"] = (address_space, address_space)
        return bounds
