"""What a notebook and the checks on it have spent, as plain numbers that can be kept. Seconds are those of grader.sandbox.meter."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

METRICS = "metrics"  # under this name stands what all metrics together have asked


class CheckUsage(BaseModel):
    """One check: seconds of the notebook's process and of the grader's own, requests, bytes of the largest reply."""

    model_config = ConfigDict(extra="forbid")
    seconds: float = 0.0
    own_seconds: float = 0.0
    requests: int = 0
    reply_bytes: int = 0


class Usage(BaseModel):
    """One run: seconds of each code cell, in order, and what each check used."""

    model_config = ConfigDict(extra="forbid")
    cells: list[float] = []
    checks: dict[str, CheckUsage] = {}

    @property
    def slowest_cell(self) -> float:
        return max(self.cells, default=0.0)

    @property
    def notebook(self) -> float:
        """Seconds of all cells."""
        return sum(self.cells)

    @property
    def all_checks(self) -> float:
        """Seconds of the notebook's process in all checks."""
        return sum(check.seconds for check in self.checks.values())
