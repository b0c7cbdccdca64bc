"""Counts of which words stand near which: the table that PPMI, LSA and GloVe start from, sparse and fast.

Knows tokenised sentences and a list of words only: nothing of how the words were chosen or what becomes of the counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

import numpy as np
import torch
from scipy.sparse import coo_array, csr_array
from torch import Tensor

from etude.strings import refuse_string

Weighting = Literal["flat", "harmonic"]


def cooccurrence(
    sentences: Iterable[Sequence[str]], vocabulary: Sequence[str], window: int, weighting: Weighting = "flat"
) -> Tensor:
    """Counts how often word j of the vocabulary stands within `window` words, on either side, of word i.

    Words outside the vocabulary are taken out first, so what stood on their two sides moves together, as in GloVe's
    program.

    Args:
        vocabulary: V different words; row and column i belong to vocabulary[i].
        window: words on one side, at least 1; it never leaves its sentence, so one that is too large is the sentence.
        weighting: "flat": each pair counts 1; "harmonic": a pair d words apart counts 1/d (Pennington et al. 2014,
            section 4.2).

    Returns:
        A coalesced, symmetric sparse COO tensor (V, V), float64, on the CPU.

    Raises:
        ValueError: the values make no sense: a window below 1, another weighting, a word of the vocabulary that stands
            twice, or a sentence that is a string.
    """
    if weighting not in get_args(Weighting):
        raise ValueError(f"weighting is {weighting!r}: choose 'flat' or 'harmonic'")
    if window < 1:
        raise ValueError(f"window is {window}: give the number of words on one side, 1 or more")
    ids, sentence = _encode(sentences, vocabulary)
    size = len(vocabulary)
    ahead = csr_array((size, size), dtype=np.float64)  # (V, V) word i, then word j further on
    longest = int(np.bincount(sentence).max(initial=0))
    for distance in range(1, min(window + 1, longest)):
        together = sentence[distance:] == sentence[:-distance]
        before, after = ids[:-distance][together], ids[distance:][together]
        weight = 1.0 if weighting == "flat" else 1.0 / distance
        ahead = ahead + coo_array((np.full(len(before), weight), (before, after)), (size, size)).tocsr()
    counts = (ahead + ahead.T).tocoo()
    indices = torch.from_numpy(np.stack([counts.row, counts.col]).astype(np.int64))  # (2, N)
    return torch.sparse_coo_tensor(
        indices, torch.from_numpy(counts.data), (size, size), check_invariants=True
    ).coalesce()


def _encode(sentences: Iterable[Sequence[str]], vocabulary: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Encodes the known words of the text: their ids, (N,), and the number of the sentence that each stands in, (N,)."""
    index = {word: i for i, word in enumerate(vocabulary)}
    if len(index) != len(vocabulary):
        twice = next(word for i, word in enumerate(vocabulary) if index[word] != i)
        raise ValueError(f"the vocabulary holds {twice!r} twice: each word has one row")
    ids: list[int] = []
    lengths: list[int] = []
    for tokens in sentences:
        refuse_string(tokens, "give a sentence as a list of words, e.g. sentence.split()")
        known = [index[token] for token in tokens if token in index]
        ids += known
        lengths.append(len(known))
    return np.array(ids, dtype=np.int64), np.repeat(np.arange(len(lengths)), lengths)
