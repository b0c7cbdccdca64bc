"""What a check may ask of a notebook's process, and what it has asked: seconds, requests, bytes of a reply.

A check is the grader's own, but what it gets to work with is a student's: an object whose length never ends, an answer of
gigabytes. So each check has limits of its own, whatever it does. This module must not know who sets them.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.sandbox.meter import Meter


class OverBudget(Exception):
    """A check has asked too much, or was answered too much. No built-in error but Exception: no check may expect it."""


@dataclass(frozen=True)
class Budget:
    """What one check may ask for.

    Attributes:
        seconds: as grader.sandbox.meter counts them.
        requests: how many.
        reply_bytes: of the largest reply, header and buffers.
    """

    seconds: float
    requests: int
    reply_bytes: int


@dataclass
class Account:
    """One check's requests so far.

    Attributes:
        budget: None for no limits.
    """

    meter: Meter
    budget: Budget | None = None
    requests: int = 0
    largest_reply: int = 0

    def __post_init__(self) -> None:
        self.meter.resume()
        self._began = self.meter.charge()

    @property
    def until(self) -> float:
        """The meter's total at which the check is late."""
        return self._began + self.seconds

    @property
    def seconds(self) -> float:
        """Seconds that the check may spend."""
        return self.budget.seconds if self.budget else float("inf")

    def request(self) -> None:
        """Counts one request.

        Raises:
            OverBudget: it is one too many.
        """
        self.requests += 1
        if self.budget and self.requests > self.budget.requests:
            raise OverBudget(f"after {self.budget.requests:,} questions to your code there was no end")

    def reply(self, nbytes: int) -> None:
        """Counts a reply's bytes."""
        self.largest_reply = max(self.largest_reply, nbytes)

    @property
    def most_bytes(self) -> int | None:
        """Bytes that a reply may have; None for the wire's own limit."""
        return self.budget.reply_bytes if self.budget else None

    def spent(self) -> float:
        """Returns the seconds that the notebook's process has spent on the check."""
        self.meter.resume()
        return self.meter.charge() - self._began
