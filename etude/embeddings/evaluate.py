"""How good are word vectors? Analogies by 3CosAdd and word similarity by Spearman's ρ, many questions at once.

Both say how many questions they could answer: a score without its coverage says little. Knows nothing of lessons.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

Question = tuple[str, str, str, str]
BLOCK = 2**24  # cosines held at once


@dataclass(frozen=True)
class Score:
    """`value` over the `covered` of `total` questions whose words all have a vector; NaN if these are too few."""

    value: float
    covered: int
    total: int

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.covered} of {self.total} covered)"


@torch.no_grad()
def analogies(vectors: Tensor, words: Sequence[str], questions: Iterable[Question]) -> Score:
    """Measures the share of questions a : b = c : d that 3CosAdd answers.

    3CosAdd takes the word nearest to b − a + c (unit vectors), other than a, b and c. Levy and Goldberg 2014, eq. 3 (Mikolov
    et al. 2013 rank by the same sum).

    Args:
        vectors: (V, d).
        words: V, those of the vectors, in their order.

    Raises:
        ValueError: there is not one word for each vector, or a vector is not finite: compared with it, every other one loses.
    """
    index = _index(vectors, words)
    asked = list(questions)
    known = [[index[word] for word in question] for question in asked if all(word in index for word in question)]
    if not known:
        return Score(float("nan"), 0, len(asked))
    unit = torch.nn.functional.normalize(vectors.float(), dim=1)
    right = 0
    for block in torch.tensor(known, device=vectors.device).split(max(1, BLOCK // len(unit))):
        a, b, c, d = block.T  # each (Q,)
        cosine = (unit[b] - unit[a] + unit[c]) @ unit.T  # (Q, V), up to a factor for each question
        cosine.scatter_(1, block[:, :3], -torch.inf)
        right += int((cosine.argmax(dim=1) == d).sum())
    return Score(right / len(known), len(known), len(asked))


@torch.no_grad()
def similarity(vectors: Tensor, words: Sequence[str], pairs: Iterable[tuple[str, str, float]]) -> Score:
    """Measures Spearman's ρ between cosine and human (or planted) similarity.

    Only pairs whose two words have a vector count. Finkelstein et al. 2002 (WordSim-353).

    Args:
        vectors: (V, d).
        words: V, those of the vectors, in their order.

    Returns:
        ρ; NaN for fewer than three pairs, and where all cosines or all similarities are equal, which puts nothing in order.

    Raises:
        ValueError: there is not one word for each vector, a vector is not finite, asked about or not, or a similarity is NaN.
    """
    from scipy.stats import spearmanr

    index = _index(vectors, words)
    asked = list(pairs)
    for a, b, score in asked:
        if score != score:
            raise ValueError(
                f"the similarity of {a!r} and {b!r} is NaN, which has no place in an order: leave the pair out"
            )
    known = [(index[a], index[b], score) for a, b, score in asked if a in index and b in index]
    if len(known) < 3:
        return Score(float("nan"), len(known), len(asked))
    unit = torch.nn.functional.normalize(vectors.float(), dim=1)
    left, right = (torch.tensor([pair[side] for pair in known]) for side in (0, 1))
    cosine, truth = (unit[left] * unit[right]).sum(dim=1).tolist(), [score for *_, score in known]  # each (P,)
    ordered = len(set(cosine)) > 1 and len(set(truth)) > 1
    return Score(float(spearmanr(cosine, truth).statistic) if ordered else float("nan"), len(known), len(asked))


def _index(vectors: Tensor, words: Sequence[str]) -> dict[str, int]:
    """Looks up the row of each word; refuses a table that does not fit its words, or is not finite."""
    if len(words) != len(vectors):
        raise ValueError(f"{len(words)} words for {len(vectors)} vectors: give one word for each row, in their order")
    finite = vectors.isfinite().all(dim=1)  # (V,)
    if not finite.all():
        word = words[int(finite.long().argmin())]
        raise ValueError(f"the vector of {word!r} holds NaN or an infinite number: leave the word out, or train anew")
    return {word: i for i, word in enumerate(words)}
