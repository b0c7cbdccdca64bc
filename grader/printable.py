"""Text from a student's side, safe to print: a terminal obeys some characters, and others hide what stands there."""

from __future__ import annotations


def printable(text: str) -> str:
    """Escapes the characters that do something to a terminal or turn the reading direction; leaves the others."""
    return "".join(c if c.isprintable() or c in "\n\t\u3000\xa0" else ascii(c)[1:-1] for c in text)
