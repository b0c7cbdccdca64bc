"""Benchmark of etude.sgns against gensim's Word2Vec: the same text, settings, epochs and two cores, in one run.

Both systems train from a list of sentences in memory, in turn, seed by seed; a time is the whole call, from sentences to
vectors. Reads corpora through etude.data (ETUDE_MIRROR names a folder that has them) and knows nothing of lessons.
"""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # waiting threads must not take a core from the system being timed

import json
import platform
import shlex
import statistics
import sys
import time
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import torch
import typer
from gensim.models import Word2Vec
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from etude import data, evaluate, sgns
from etude.world import World

CORES = 2
DEFAULT_OUT = Path("build/bench/sgns.json")
Corpus = list[list[str]]
Model = tuple[list[str], torch.Tensor]  # words, vectors (V, dim)


@dataclass(frozen=True)
class Task:
    """A corpus and what to ask of vectors trained on it: a score for each name."""

    name: str
    corpus: Corpus
    pairs: dict[str, list[tuple[str, str, float]]]
    questions: list[tuple[str, str, str, str]]

    def scores(self, words: list[str], vectors: torch.Tensor) -> dict[str, evaluate.Score]:
        found = {name: evaluate.similarity(vectors, words, pairs) for name, pairs in self.pairs.items()}
        if self.questions:
            found["planted analogies"] = evaluate.analogies(vectors, words, self.questions)
        return found


def real_text() -> Task:
    """WikiText-2 (validation and test), movie reviews and Brown: lower-cased alphabetic tokens, a sentence a line."""
    wiki = [line for part in ("valid", "test") for line in data.lines(f"wikitext2/{part}.txt")]
    reviews = zipped_lines("nltk_movie_reviews/movie_reviews.zip", suffix=".txt")
    brown = zipped_lines("nltk_brown/brown.zip", prefix="brown/c", length=len("brown/ca01"))
    plain = (line.rpartition("/")[0] for line in brown for line in line.split())  # word/TAG
    del plain
    sentences = [alphabetic(line.split()) for line in [*wiki, *reviews]]
    sentences += [alphabetic(token.rpartition("/")[0] for token in line.split()) for line in brown]
    rows = [line.split("\t") for line in data.lines("word_eval_en/simlex999.txt") if not line.startswith("#")]
    pairs = {
        "WordSim-353": list(data.wordsim353().itertuples(index=False, name=None)),
        "SimLex-999": [(first, second, float(score)) for first, second, score in rows],
    }
    return Task("real text", [sentence for sentence in sentences if sentence], pairs, [])
