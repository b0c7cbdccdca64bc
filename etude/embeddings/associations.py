"""What word vectors have learnt about groups of words: WEAT, a direction such as gender, and words along it.

Whatever a text says often is in its vectors, prejudices too. WEAT (Caliskan, Bryson and Narayanan 2017, "Semantics derived
automatically from language corpora contain human-like biases", Science 356) asks whether two sets of words lean to two sets of
attributes; Bolukbasi et al. 2016, "Man is to Computer Programmer as Woman is to Homemaker? Debiasing Word Embeddings"
(arXiv 1607.06520), for one direction in which pairs such as he and she differ. Words without a vector are left out, and
every answer names them. This module knows vectors and words only: nothing of files, of lessons, or which words say what.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch
from torch import Tensor

from etude.strings import refuse_string

EXACT = 20_000  # partitions that are all counted, so up to eight words a set; beyond them some are drawn
DRAWS = 10_000
SAME = 1e-9  # of the largest sum: partitions so near the one that was asked about count as equal to it


@dataclass(frozen=True)
class Coverage:
    """Which of the words that were asked for have a vector, each in the order of the question."""

    known: tuple[str, ...]
    missing: tuple[str, ...]

    def __str__(self) -> str:
        rest = f"; missing: {', '.join(self.missing)}" if self.missing else ""
        return f"{len(self.known)} of {len(self.known) + len(self.missing)}{rest}"


@dataclass(frozen=True)
class Scores:
    """One number for each word that has a vector.

    Attributes:
        values: word → its number, in the order of the question.
        coverage: of the words that were asked for; attributes are not among them.
    """

    values: dict[str, float]
    coverage: Coverage


@dataclass(frozen=True)
class Weat:
    """What WEAT finds.

    Attributes:
        effect: d, in standard deviations: above 0 if X is nearer to A than Y is. At most 2 in size for sets of equal size.
        p: the share of partitions of X ∪ Y that are as far apart or farther in the same direction; never 0.
        partitions: how many were looked at, the one that was asked about among them.
        exact: whether these are all; else they were drawn.
        coverage: of X, Y, A and B.
    """

    effect: float
    p: float
    partitions: int
    exact: bool
    coverage: tuple[Coverage, Coverage, Coverage, Coverage]


@dataclass(frozen=True)
class Direction:
    """The direction in which pairs of words differ.

    Attributes:
        vector: (d,) float64, of length 1. It points from the second words of the pairs to the first, on the whole.
        share: of the squared lengths of the pairs' differences, how much lies along it, 1/d to 1.
        coverage: of the pairs, each written "he–she"; a pair has a vector if both of its words have one.
    """

    vector: Tensor
    share: float
    coverage: Coverage


def coverage(words: Iterable[str], asked: Sequence[str]) -> Coverage:
    """Finds out which words that are asked for are among the words of a table.

    Raises:
        ValueError: one string is given for a list of words, or a word is asked for twice.
    """
    refuse_string(asked, "give a list of words")
    if doubled := sorted({word for word in asked if list(asked).count(word) > 1}):
        raise ValueError(f"asked for twice: {', '.join(doubled)}; name each word once")
    held = set(words)
    return Coverage(tuple(w for w in asked if w in held), tuple(w for w in asked if w not in held))


@torch.no_grad()
def association(
    vectors: Tensor, words: Sequence[str], asked: Sequence[str], a: Sequence[str], b: Sequence[str]
) -> Scores:
    """Computes s(w, A, B) of each word: its mean cosine with the words of A minus that with the words of B.

    Caliskan et al. 2017, "Methods". Two words of one vector have the same s; it lies between −2 and 2.

    Args:
        vectors: (V, d).
        words: V, those of the vectors, in their order.
        asked: one word or more.
        a, b: attribute words, two or more in each.

    Raises:
        ValueError: the sets share a word or name one twice; too few words of one have vectors; a vector that is needed is zero
            or not finite; there is not one word for each vector.
    """
    table = _Table(vectors, words)
    sets = table.sets({"the words": asked, "A": a, "B": b}, least=(1, 2, 2))
    return Scores(dict(zip(sets[0].known, _leans(table, *sets).tolist(), strict=True)), sets[0])


@torch.no_grad()
def weat(
    vectors: Tensor,
    words: Sequence[str],
    targets: tuple[Sequence[str], Sequence[str]],
    attributes: tuple[Sequence[str], Sequence[str]],
    seed: int = 0,
) -> Weat:
    """Measures whether the words of X are nearer to A, and those of Y to B, than a partition of the same words by chance.

    Caliskan et al. 2017, "Methods", with s(w, A, B) as in `association`:

        d = (mean of s over X − mean of s over Y) / standard deviation of s over X ∪ Y

    p is one-sided: the share of partitions of X ∪ Y into sets of these sizes whose sum of s over the first set minus that over
    the second is at least the one found. The paper counts what is greater alone, so its p can be 0; here the partition that was
    asked about counts itself, as a test by permutation must to be valid (Phipson and Smyth 2010). All partitions are counted if they
    are 20,000 at most; else that one and 10,000 drawn ones. The paper leaves open which standard deviation is meant: here squares
    are divided by the number of words, so d is 2 at most for sets of one size. The paper's sets are of one size; with words
    missing they may differ, which neither formula minds.

    Args:
        vectors: (V, d).
        words: V, those of the vectors, in their order.
        targets: (X, Y), two or more words in each.
        attributes: (A, B), two or more words in each.
        seed: of the draws.

    Raises:
        ValueError: as in `association`; or all words of X and Y lean alike, so that there is no spread to measure d by.
    """
    table = _Table(vectors, words)
    named = {"X": targets[0], "Y": targets[1], "A": attributes[0], "B": attributes[1]}
    x, y, a, b = table.sets(named, least=(2, 2, 2, 2))
    leans = np.concatenate([_leans(table, side, a, b).numpy() for side in (x, y)])  # (X + Y,)
    first, spread = len(x.known), float(leans.std())
    if spread < 1e-12:
        raise ValueError("all words of X and Y lean alike: there is no spread by which the effect could be measured")
    effect = float(leans[:first].mean() - leans[first:].mean()) / spread
    leans = leans - leans.mean()  # the order of the sums stays as it is
    found, total = leans[:first].sum(), math.comb(len(leans), first)  # Σ over X decides: that over all is the same
    if exact := total <= EXACT:
        sums = leans[np.array(list(combinations(range(len(leans)), first)))].sum(axis=1)  # (total,)
    else:
        drawn = np.random.default_rng(seed).permuted(np.tile(leans, (DRAWS, 1)), axis=1)  # (DRAWS, X + Y)
        sums = np.append(drawn[:, :first].sum(axis=1), found)
    p = float((sums >= found - SAME * np.abs(leans).sum()).mean())
    return Weat(effect, p, len(sums), exact, (x, y, a, b))


@torch.no_grad()
def direction(vectors: Tensor, words: Sequence[str], pairs: Sequence[tuple[str, str]]) -> Direction:
    """Finds the direction in which the words of each pair differ: the first principal component of their differences.

    Bolukbasi et al. 2016, "Identifying the gender subspace" (section 5.1): vectors of length 1, each pair about its own middle, so
    the differences are not centred once more. Its sign, which a principal component leaves open, is that of the differences' sum.

    Args:
        vectors: (V, d).
        words: V, those of the vectors, in their order.
        pairs: two or more pairs such as ("he", "she"); no word in two of them.

    Raises:
        ValueError: fewer than two pairs have vectors; a word is named twice; a vector that is needed is zero or not finite; the
            words of every pair have the same direction; there is not one word for each vector.
    """
    table = _Table(vectors, words)
    members = coverage(words, [word for pair in pairs for word in pair])
    known = [pair for pair in pairs if not set(pair) & set(members.missing)]
    if len(known) < 2:
        raise ValueError(f"{len(known)} of {len(pairs)} pairs have vectors: a direction takes two or more")
    differences = table.unit([one for one, _ in known]) - table.unit([other for _, other in known])  # (P, d)
    _, scales, components = torch.linalg.svd(differences, full_matrices=False)  # (min(P, d),), (min(P, d), d)
    if scales[0] < 1e-6:
        raise ValueError("the two words of every pair have the same direction: there is no difference to find")
    vector = components[0] * (1 if components[0] @ differences.sum(dim=0) >= 0 else -1)  # (d,)
    names = {pair: "–".join(pair) for pair in pairs}
    found = Coverage(tuple(names[p] for p in known), tuple(names[p] for p in pairs if p not in known))
    return Direction(vector, float(scales[0] ** 2 / (scales**2).sum()), found)


@torch.no_grad()
def projections(vectors: Tensor, words: Sequence[str], along: Tensor, asked: Sequence[str]) -> Scores:
    """Projects words on a direction: the cosine of each with it, −1 to 1.

    Bolukbasi et al. 2016, "Direct bias" (section 5.2), which takes its size.

    Args:
        vectors: (V, d).
        words: V, those of the vectors, in their order.
        along: (d,), of any length but 0.
        asked: one word or more.

    Raises:
        ValueError: no word that is asked for has a vector, or one is named twice; a vector that is needed, or `along`, is zero or not
            finite, or `along` has not d numbers; there is not one word for each vector.
    """
    table = _Table(vectors, words)
    if along.shape != vectors.shape[1:]:
        raise ValueError(f"the direction has the shape {tuple(along.shape)}, a vector {tuple(vectors.shape[1:])}")
    (found,) = table.sets({"the words": asked}, least=(1,))
    straight = _unit(along[None], ["the direction"])[0]  # (d,)
    return Scores(dict(zip(found.known, (table.unit(found.known) @ straight).tolist(), strict=True)), found)


@torch.no_grad()
def answers(
    vectors: Tensor, words: Sequence[str], question: tuple[str, str, str], most: int = 3, own_words: bool = False
) -> list[tuple[str, float]]:
    """Answers "a is to b as c is to ?": the words nearest to b − a + c (vectors of length 1), nearest first.

    Analogies are usually answered so that a, b and c cannot come out, which hides how often b itself is nearest and makes what
    comes next look like the answer: Nissim, van Noord and van der Goot 2020, "Fair is Better than Sensational".

    Args:
        vectors: (V, d); those that are zero are never an answer.
        words: V, those of the vectors, in their order.
        question: (a, b, c).
        most: answers wanted.
        own_words: whether a, b and c may be answers too.

    Returns:
        (word, cosine) for each answer.

    Raises:
        ValueError: a, b or c has no vector, or one that is zero; a vector is not finite; b − a + c is zero; there is not one word for
            each vector.
    """
    table = _Table(vectors, words)
    if missing := [word for word in question if word not in table.index]:
        raise ValueError(f"no vector: {', '.join(missing)}")
    a, b, c = table.unit(question)  # (d,) each
    wanted = _unit((b - a + c)[None], ["b − a + c"])[0].to(vectors.dtype)  # (d,)
    cosines = torch.nn.functional.normalize(vectors, dim=1) @ wanted  # (V,)
    if not cosines.isfinite().all():
        raise ValueError(f"the vector of {words[int(cosines.isfinite().long().argmin())]!r} is not finite")
    refused = (vectors == 0).all(dim=1)  # (V,)
    if not own_words:
        refused[[table.index[word] for word in question]] = True
    best = cosines.masked_fill(refused, -torch.inf).topk(min(most, int((~refused).sum())))
    return [(words[i], value) for i, value in zip(best.indices.tolist(), best.values.tolist(), strict=True)]


class _Table:
    """Vectors by their words; directions in float64, of those words alone that are asked for."""

    def __init__(self, vectors: Tensor, words: Sequence[str]) -> None:
        if vectors.dim() != 2 or len(words) != len(vectors):
            raise ValueError(f"{len(words)} words for vectors of the shape {tuple(vectors.shape)}: give one row a word")
        self.vectors, self.index = vectors, {word: i for i, word in enumerate(words)}

    def unit(self, words: Sequence[str]) -> Tensor:
        """Gives the vectors of these words the length 1: (N, d) float64, on the CPU."""
        return _unit(self.vectors[[self.index[word] for word in words]], words)

    def sets(self, named: dict[str, Sequence[str]], least: Sequence[int]) -> list[Coverage]:
        """Covers each set of words, and refuses sets that are too small or share words."""
        found = [coverage(self.index, words) for words in named.values()]
        for (one, first), (other, second) in combinations(named.items(), 2):
            if shared := sorted(set(first) & set(second)):
                raise ValueError(f"{one} and {other} share {', '.join(shared)}: leave each in one set alone")
        for name, covered, number in zip(named, found, least, strict=True):
            if len(covered.known) < number:
                raise ValueError(f"of {name} {covered} have vectors: {number} or more are needed")
        return found


def _leans(table: _Table, asked: Coverage, a: Coverage, b: Coverage) -> Tensor:
    """Computes s(w, A, B): (N,) float64."""
    one, other = (table.unit(side.known).mean(dim=0) for side in (a, b))  # (d,) each: a mean of cosines is one product
    lean: Tensor = table.unit(asked.known) @ (one - other)  # (N,)
    return lean


def _unit(vectors: Tensor, names: Sequence[str]) -> Tensor:
    """Gives vectors (N, d) the length 1, in float64 on the CPU; refuses those that have none."""
    exact = vectors.detach().cpu().double()
    scales = exact.abs().amax(dim=1)  # (N,); so that no square is too small or too large
    for name, scale in zip(names, scales.tolist(), strict=True):
        if not math.isfinite(scale) or scale == 0:
            what = "zero, and has no direction" if scale == 0 else "not finite"
            raise ValueError(f"the vector of {name!r} is {what}: leave the word out")
    exact = exact / scales[:, None]
    unit: Tensor = exact / exact.norm(dim=1, keepdim=True)
    return unit
