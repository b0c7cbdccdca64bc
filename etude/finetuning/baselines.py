"""What stands beside every number of a fine-tuned model: the majority, and what counted words alone reach."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from etude.corpora.tasks import Split, Task
from etude.finetuning import score
from etude.finetuning.score import Scores


def majority(task: Task, split: Split[Any]) -> Scores:
    """Gives all test examples the answer that is the commonest in training; in passages their first words."""
    test = split.test
    if task.kind == "label":
        commonest = Counter(item.label for item in split.train).most_common(1)[0][0]
        return score.of_labels([item.label for item in test], [commonest] * len(test))
    if task.kind == "score":
        return score.of_scores([item.label for item in test], [0.0] * len(test))
    if task.kind == "choice":
        commonest = Counter(item.label for item in split.train).most_common(1)[0][0]
        return score.of_choices([item.label for item in test], [commonest] * len(test))
    if task.kind == "tags":
        return score.of_tags([item.tags for item in test], [["O"] * len(item.tags) for item in test])
    firsts = [" ".join(item.passage.split()[:3]) for item in test]
    return score.of_answers([item.answer for item in test], firsts, task.unit)


def counted_words(task: Task, split: Split[Any]) -> Scores:
    """Answers by counted words alone, of which tf-idf is taken (of one to three characters in Korean).

    Classes by logistic regression, likeness by the cosine, endings by their cosine with the beginning, answers by the sentence
    nearest to the question; tags by each word's commonest one in training.
    """
    test = split.test
    if task.kind == "tags":
        return score.of_tags([item.tags for item in test], _commonest_tags(split.train, test))
    vectors = TfidfVectorizer(
        **({"analyzer": "char", "ngram_range": (1, 3)} if task.language == "ko" else {"ngram_range": (1, 2)})
    )
    known = vectors.fit_transform([_joined(item) for item in split.train])
    if task.kind == "label":
        model = LogisticRegression(max_iter=1000).fit(known, [item.label for item in split.train])
        given = model.predict(vectors.transform([_joined(item) for item in test]))
        return score.of_labels([item.label for item in test], given.tolist())
    if task.kind == "score":
        pairs = [(item.first, item.second) for item in test]
        return score.of_scores([item.label for item in test], _cosines(vectors, pairs))
    if task.kind == "choice":
        nearest = [_nearest(vectors, item.start, item.endings) for item in test]
        return score.of_choices([item.label for item in test], nearest)
    answers = []
    for item in test:
        sentences = re.split(r"(?<=[.?!])\s+", item.passage)
        answers.append(sentences[_nearest(vectors, item.question, sentences)])
    return score.of_answers([item.answer for item in test], answers, task.unit)


def _joined(item: Any) -> str:
    """Writes all texts of an example one after another."""
    return "\n".join(part for field in item for part in ([field] if isinstance(field, str) else []))


def _cosines(vectors: TfidfVectorizer, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Computes the cosine of each pair of texts."""
    first, second = (vectors.transform([pair[side] for pair in pairs]) for side in (0, 1))
    return [float(value) for value in np.asarray(first.multiply(second).sum(axis=1)).ravel()]


def _nearest(vectors: TfidfVectorizer, text: str, others: Sequence[str]) -> int:
    """Chooses the other text that is nearest to this one and returns its place; of equals the first."""
    return int(np.argmax(_cosines(vectors, [(text, other) for other in others])))


def _commonest_tags(train: Sequence[Any], test: Sequence[Any]) -> list[list[str]]:
    counts: dict[str, Counter[str]] = {}
    for item in train:
        for word, tag in zip(item.words, item.tags, strict=True):
            counts.setdefault(word, Counter())[tag] += 1
    commonest = {word: tags.most_common(1)[0][0] for word, tags in counts.items()}
    return [[commonest.get(word, "O") for word in item.words] for item in test]
