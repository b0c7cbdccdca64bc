"""The metrics of word vectors that are graded, in one place for notebook and grader: what you see is what is graded.

Each counts what it could not ask: a good score on a few chosen words is none. The plain measures, which leave such words
out and say how many there were, are in `etude.embeddings.evaluate`. Knows no lesson.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from torch import Tensor

from etude.embeddings import evaluate
from etude.embeddings.evaluate import Question, Score

LEAST_SHARE = 0.5  # of the pairs must be covered, and more, for their ρ to count


def analogies(vectors: Tensor, words: Sequence[str], questions: Iterable[Question]) -> Score:
    """Measures the share of all questions that 3CosAdd answers. One with a word that has no vector is not answered.

    Args:
        vectors: (V, d).
        words: V, those of the vectors, in their order.

    Raises:
        ValueError: there is not one word for each vector, or a vector is not finite.
    """
    score = evaluate.analogies(vectors, words, questions)
    share = score.value * score.covered / score.total if score.covered else 0.0
    return Score(share, score.covered, score.total)


def similarity(vectors: Tensor, words: Sequence[str], pairs: Iterable[tuple[str, str, float]]) -> Score:
    """Measures Spearman's ρ between cosine and true similarity; 0 unless more than half of the pairs have two vectors.

    Args:
        vectors: (V, d).
        words: V, those of the vectors, in their order.

    Raises:
        ValueError: there is not one word for each vector, a vector is not finite, or a similarity is NaN.
    """
    score = evaluate.similarity(vectors, words, pairs)
    return score if score.covered > LEAST_SHARE * score.total else Score(0.0, score.covered, score.total)
