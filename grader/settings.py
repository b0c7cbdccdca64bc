"""How a submission is graded: profile, seed, device and the kernel it runs in. Light to import: no torch, no jupyter."""

from __future__ import annotations

from dataclasses import dataclass

WARM = "etude-warm"  # forked into a new sandbox from a process that has imported torch and pandas
COLD = "etude-sandbox"
PLAIN = "python3"  # contains nothing


@dataclass(frozen=True)
class Settings:
    """The settings of one grading. All of them are part of a verdict's hash."""

    profile: str = "smoke"
    seed: int = 0
    device: str = "cpu"
    kernel: str = WARM

    @property
    def sandbox(self) -> str:
        """What a verdict says of its containment."""
        return (
            "none: it ran as a plain process of the grader's user"
            if self.kernel == PLAIN
            else f"bubblewrap ({self.kernel})"
        )


def ready(settings: Settings) -> list[str]:
    """Says what is missing for these settings on this machine, a line each with how to get it; empty if all is there."""
    if settings.kernel == PLAIN:
        return []
    from jupyter_client.kernelspec import KernelSpecManager

    from grader.sandbox import check_sandbox, install_kernelspecs

    if settings.kernel not in KernelSpecManager().find_kernel_specs():
        install_kernelspecs()
    return [str(problem) for problem in check_sandbox()]
