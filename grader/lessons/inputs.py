"""Inputs drawn for the course's checks, as strategies of hypothesis, with what answers trip over.

Texts repeat themselves, mix scripts and cases, and hold marks that join the letter before them; ids lie at the edges;
tensors have rows that are zero, equal or very long, and batches of one; tables have ties and gaps. Numbers are eighths, so
that sums of a few are exact. What is drawn gets smaller towards the first of each list. Knows no exercise.
"""

from __future__ import annotations

import torch
from hypothesis.strategies import DrawFn, SearchStrategy, composite, dictionaries, integers, lists, sampled_from
from torch import Tensor

WORDS = ["a", "b", "the", "The", "THE", "눈", "하늘", "cafe", "café", "cafe\u0301", "ß", "Ёлка", "漢字", "🙂", "3"]
LETTERS = ["a", "b", "c", "A", "é", "e", "\u0301", "눈", "\u1112", "\u1161", "\u11ab", "Ё", "漢", "🙂"]
BETWEEN = [" ", "  ", "\n", "\t", "\xa0", "\u3000", "'", ".", ",", "\u200d", "\x00", "\xad", "½"]
COUNTS = [1, 2, 3, 7, 1000]  # ties are frequent, and so are gaps
LARGE = 64.0  # of a number in a long row: a product of two is far beyond what exp can take


def sentences(longest: int = 7) -> SearchStrategy[list[str]]:
    """Draws lists of words, none up to `longest`, with repeats."""
    few = lists(sampled_from(WORDS[:3]), max_size=longest)
    return few | lists(sampled_from(WORDS), max_size=longest)


def texts(longest: int = 12) -> SearchStrategy[str]:
    """Draws texts of up to `longest` pieces: letters of several scripts, marks, blanks of all kinds."""
    some = lists(sampled_from([*LETTERS[:2], " "]), max_size=longest)
    return (some | lists(sampled_from(LETTERS + BETWEEN), max_size=longest)).map("".join)


def words(longest: int = 6, letters: int = len(LETTERS)) -> SearchStrategy[str]:
    """Draws words of up to `longest` characters, of the first so many letters; the empty word too."""
    return lists(sampled_from(LETTERS[:letters]), max_size=longest).map("".join)


def word_counts(longest: int = 6, letters: int = 3) -> SearchStrategy[dict[str, int]]:
    """Draws counted words of few letters: pairs of them are often equally frequent."""
    return dictionaries(words(longest, letters).filter(len), sampled_from(COUNTS), min_size=1, max_size=5)


def counts(most: int = 6) -> SearchStrategy[Tensor]:
    """Draws how often each of some words occurs, (V,), each at least once."""
    return lists(sampled_from(COUNTS), min_size=1, max_size=most).map(torch.tensor)


def ids(size: int) -> SearchStrategy[int]:
    """Draws row numbers of a table of this size, often the first or the last."""
    return sampled_from([0, size - 1]) | integers(0, size - 1)


def numbers() -> SearchStrategy[float]:
    """Draws eighths from −2 to 2."""
    return integers(-16, 16).map(lambda n: n / 8)


@composite
def tables(draw: DrawFn, rows: int, columns: int) -> Tensor:
    """Draws tensors (rows, columns), float32; some rows are zero, equal to the row before, or very long."""
    made: list[list[float]] = []
    for _ in range(rows):
        kind = draw(sampled_from(["plain", "zero", "equal", "long"]))
        if kind == "equal" and made:
            made.append(made[-1])
        elif kind == "long":
            made.append([LARGE * draw(sampled_from([1, -1])) for _ in range(columns)])
        else:
            made.append([0.0 if kind == "zero" else draw(numbers()) for _ in range(columns)])
    return torch.tensor(made, dtype=torch.float32).reshape(rows, columns)
