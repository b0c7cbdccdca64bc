"""A string where a list of strings is asked for: to Python that is a list of letters, and nothing would be said.

This module must not know what the strings are for.
"""

from __future__ import annotations


def refuse_string(value: object, advice: str) -> None:
    """Raises ValueError with the advice if the value is one string, which would be taken for a list of its letters."""
    if isinstance(value, str):
        raise ValueError(f"{value[:40]!r} is a string: {advice}")
