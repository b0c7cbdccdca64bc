"""How good are word vectors? Analogies by 3CosAdd and word similarity by Spearman's ρ, all questions at once.

Both say how many questions they could answer: a score without its coverage says little.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

Question = tuple[str, str, str, str]


@dataclass(frozen=True)
class Score:
    """`value` over the `covered` of `total` questions whose words all have a vector; NaN if none has."""

    value: float
    covered: int
    total: int

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.covered} of {self.total} covered)"


def analogies(vectors: Tensor, words: Sequence[str], questions: Iterable[Question]) -> Score:
    """Share of questions a : b = c : d answered by 3CosAdd, the nearest word to b − a + c of unit vectors, a, b, c excluded.

    vectors (V, d), words V. Levy and Goldberg 2014, eq. 3 (Mikolov et al. 2013 rank by the same sum).
    """
    index = {word: i for i, word in enumerate(words)}
    asked = list(questions)
    known = [[index[word] for word in question] for question in asked if all(word in index for word in question)]
    if not known:
        return Score(float("nan"), 0, len(asked))
    unit = torch.nn.functional.normalize(vectors.float(), dim=1)
    a, b, c, d = torch.tensor(known, device=vectors.device).T  # each (Q,)
    similarity = (unit[b] - unit[a] + unit[c]) @ unit.T  # (Q, V)
    rows = torch.arange(len(known), device=vectors.device)
    for given in (a, b, c):
        similarity[rows, given] = -torch.inf
    return Score((similarity.argmax(dim=1) == d).float().mean().item(), len(known), len(asked))


def similarity(vectors: Tensor, words: Sequence[str], pairs: Iterable[tuple[str, str, float]]) -> Score:
    """Spearman's ρ between cosine and human (or planted) similarity over the pairs whose two words have a vector.

    vectors (V, d), words V. Finkelstein et al. 2002 (WordSim-353).
    """
    from scipy.stats import spearmanr

    index = {word: i for i, word in enumerate(words)}
    asked = list(pairs)
    known = [(index[a], index[b], score) for a, b, score in asked if a in index and b in index]
    if len(known) < 3:
        return Score(float("nan"), len(known), len(asked))
    unit = torch.nn.functional.normalize(vectors.float(), dim=1)
    left, right = (torch.tensor([pair[side] for pair in known]) for side in (0, 1))
    cosine = (unit[left] * unit[right]).sum(dim=1)  # (P,)
    return Score(float(spearmanr(cosine.cpu().numpy(), [pair[2] for pair in known]).statistic), len(known), len(asked))
