"""Real corpora as tokens: what lies in the archives and tables of the registry, read into lists of lists of strings.

Each function says what a token is there. Files come from etude.corpora.datasets, which raises if one cannot be had.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from typing import Literal

import pandas as pd

from etude.corpora import datasets


def movie_reviews() -> list[list[str]]:
    """Reads the lines of 2,000 film reviews in English, 1.5 million lower-cased tokens with punctuation apart.

    Source: Pang and Lee 2004, polarity data set 2.0.

    Raises:
        DataError: as for `datasets.path`.
    """
    return [line.split() for line in _zipped("nltk_movie_reviews/movie_reviews.zip", r".*\.txt") if line.strip()]


def brown() -> list[list[str]]:
    """Reads the sentences of the Brown corpus of American English (1961), 1.2 million tokens as they are written, untagged.

    Source: Francis and Kučera 1979.

    Raises:
        DataError: as for `datasets.path`.
    """
    tagged = _zipped("nltk_brown/brown.zip", r"brown/c[a-r]\d\d")  # word/tag word/tag ...
    return [[token.rpartition("/")[0] for token in line.split()] for line in tagged if line.strip()]


def nsmc() -> list[str]:
    """Reads 200,000 film reviews in Korean, one string each, unlabelled: 1.6 million words between blanks.

    Source: Naver sentiment movie corpus, a sample.

    Raises:
        DataError: as for `datasets.path`.
    """
    return datasets.lines("nsmc_sample/reviews_200k.txt")


def nsmc_ratings(part: Literal["train", "test"]) -> pd.DataFrame:
    """Reads Korean film reviews with labels. The source is that of `nsmc`.

    Returns:
        A table with the columns document and label (1: positive).

    Raises:
        DataError: as for `nsmc`.
    """
    rows = [line.split("\t") for line in datasets.lines(f"nsmc_sample/ratings_{part}.txt")[1:]]
    return pd.DataFrame([(row[1], int(row[2])) for row in rows if row[1].strip()], columns=["document", "label"])


def _zipped(name: str, members: str) -> Iterator[str]:
    """Reads the lines of those members of an archive whose whole name fits the pattern, in the order of their names."""
    with zipfile.ZipFile(datasets.path(name)) as archive:
        for member in sorted(archive.namelist()):
            if re.fullmatch(members, member):
                yield from archive.read(member).decode("utf-8", "replace").splitlines()
