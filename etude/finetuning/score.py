"""The metrics of real tasks, by kind of answer: each through its library where there is one."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy.stats import pearsonr, spearmanr
from seqeval.metrics import f1_score as entity_f1
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

Scores = dict[str, float]
MAIN = {"label": "accuracy", "score": "Spearman", "tags": "F1 of names", "answer": "F1", "choice": "accuracy"}


def of_labels(truth: Sequence[int], answers: Sequence[int]) -> Scores:
    """Scores classes: accuracy; the mean of all classes' F1; Matthews' correlation."""
    return {
        "accuracy": float(accuracy_score(truth, answers)),
        "macro F1": float(f1_score(truth, answers, average="macro", zero_division=0)),
        "Matthews": float(matthews_corrcoef(truth, answers)),
    }


def of_scores(truth: Sequence[float], answers: Sequence[float]) -> Scores:
    """Scores numbers: Pearson's and Spearman's correlation, 0 where all answers are the same."""
    if np.ptp(answers) == 0:
        return {"Pearson": 0.0, "Spearman": 0.0}
    return {"Pearson": float(pearsonr(truth, answers)[0]), "Spearman": float(spearmanr(truth, answers)[0])}


def of_tags(truth: Sequence[Sequence[str]], answers: Sequence[Sequence[str]]) -> Scores:
    """Scores names, each as a whole, and, for what it hides, the accuracy of tags."""
    pairs = [(a, b) for row, other in zip(truth, answers, strict=True) for a, b in zip(row, other, strict=True)]
    return {
        "F1 of names": float(entity_f1(list(map(list, truth)), list(map(list, answers)), zero_division=0)),
        "accuracy of tags": sum(a == b for a, b in pairs) / len(pairs),
    }


def of_answers(truth: Sequence[str], answers: Sequence[str], unit: Literal["word", "character"]) -> Scores:
    """Scores answers from a passage: exact match, and F1 of their words (SQuAD) or characters (KorQuAD)."""
    pairs = [(_parts(a, unit), _parts(b, unit)) for a, b in zip(truth, answers, strict=True)]
    return {
        "exact match": sum(a == b for a, b in pairs) / len(pairs),
        "F1": sum(_overlap(a, b) for a, b in pairs) / len(pairs),
    }


def of_choices(truth: Sequence[int], answers: Sequence[int]) -> Scores:
    """Scores the endings that were chosen."""
    return {"accuracy": float(accuracy_score(truth, answers))}


def _parts(answer: str, unit: Literal["word", "character"]) -> list[str]:
    """Cuts an answer into words, or characters, without case, punctuation and English articles (Rajpurkar et al. 2016, section 6.1)."""
    plain = "".join(" " if c in string.punctuation and unit == "character" else c for c in answer.lower())
    plain = "".join(c for c in plain if c not in string.punctuation)
    words = re.sub(r"\b(a|an|the)\b", " ", plain).split() if unit == "word" else plain.split()
    return words if unit == "word" else list("".join(words))


def _overlap(truth: list[str], answer: list[str]) -> float:
    """Computes F1 of two bags of parts."""
    common = sum((Counter(truth) & Counter(answer)).values())
    return 2 * common / (len(truth) + len(answer)) if common else float(truth == answer)
