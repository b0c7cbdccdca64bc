"""The training of the unigram language model: candidates in plenty, then EM and pruning in turn (Kudo 2018, section 3.2).

As in SentencePiece, the M-step is that of a Dirichlet prior (digamma in place of log), and a piece that is expected less
than half a time goes. Unlike there, the loss of a piece is what all other ways to spell it are worth, not the best one
alone; pieces may hold letters beside digits and signs; and candidates are counted in running text, not in the list of
different words, by which a frequent word that is part of no other word could not become a piece. This module knows
words and their counts; it must not know how a text becomes words.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from scipy.special import digamma

from etude.tokenizers.lattices import LONGEST_WORD, Bools, Candidates, Floats
from etude.tokenizers.tokenizer import check_counts

SHRINK = 0.75  # the share of pieces that a round of pruning keeps
SPARE = 1.1  # pruning ends at this multiple of the size asked for; the least probable pieces then make way


def learn(words: Counter[str], size: int, special: int) -> tuple[list[str], list[float]]:
    """Learns pieces and their log-probabilities, the most probable first.

    Every character stays a piece.

    Args:
        words: marked words and their counts.
        size: the most pieces, special ones included.
        special: the number of special pieces, which are not among those learnt.

    Raises:
        ValueError: there are no words, one is no string or occurs less than once, or the characters alone are more than `size`.
    """
    check_counts(words, least=1)
    if not any(words):
        raise ValueError("there are no words to learn from: give at least one text that is not blank")
    stretches = Counter[str]()
    for word, count in words.items():
        for start in range(0, len(word), LONGEST_WORD):
            stretches[word[start : start + LONGEST_WORD]] += count
    candidates = Candidates(stretches)
    pieces, lengths, scores = candidates.pieces, candidates.lengths, candidates.scores
    single = lengths == 1
    if not single.sum() + special <= size:  # so that NaN is refused too
        raise ValueError(
            f"{special} special pieces and {single.sum()} characters do not fit into {size} pieces: ask for more"
        )
    wanted = int(SPARE * (size - special))
    corpus, inside = candidates.corpus(), candidates.inside()
    while True:
        for _ in range(2):
            _, expected = corpus.expected(scores, candidates.counts)
            stay = (expected >= 0.5) | single
            corpus, inside = corpus.without(~stay), inside.without(~stay, ~stay)
            pieces, single, expected = pieces[stay], single[stay], np.maximum(expected[stay], 0.5)
            scores = digamma(expected) - digamma(expected.sum())
        if len(pieces) <= wanted:
            break
        # What the likelihood loses without a piece: each time it is expected, other pieces must spell it.
        loss = np.where(single, np.inf, expected * (scores - inside.log_totals(scores)))
        stay = _largest(loss, max(wanted, int(SHRINK * len(pieces))))
        corpus, inside = corpus.without(~stay), inside.without(~stay, ~stay)
        pieces, single, scores = pieces[stay], single[stay], scores[stay]
    stay = _largest(np.where(single, np.inf, scores), size - special)
    order = np.flatnonzero(stay)[np.argsort(-scores[stay], kind="stable")]
    return pieces[order].tolist(), scores[order].tolist()


def _largest(values: Floats, n: int) -> Bools:
    """Finds where the n largest stand; of equals the first."""
    chosen = np.zeros(len(values), dtype=bool)
    chosen[np.argsort(-values, kind="stable")[:n]] = True
    return chosen
