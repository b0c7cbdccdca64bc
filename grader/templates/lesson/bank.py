"""{{ name }}: classic mistakes and other right ways, for each exercise. Never released."""

from collections import Counter

import torch

from grader.lessons.bank import alternative, mistake


@mistake("letter_probabilities", "no count has one added", "test_one_is_added_to_every_count")
def letter_probabilities(text, alphabet):
    counts = torch.tensor([text.count(letter) for letter in alphabet])
    return counts / len(text)


@mistake(
    "letter_probabilities",
    "what was added to the counts is missing in their total",
    "test_probabilities_sum_to_one",
)
def letter_probabilities(text, alphabet):
    counts = torch.tensor([text.count(letter) for letter in alphabet])
    return (counts + 1) / len(text)


@mistake(
    "letter_probabilities",
    "a letter counts once, however often it stands there",
    "test_one_is_added_to_every_count",
)
def letter_probabilities(text, alphabet):
    counts = torch.tensor([letter in text for letter in alphabet])
    return (counts + 1) / (len(set(text)) + len(alphabet))


@mistake("letter_probabilities", "bits are returned, not probabilities", "test_probabilities_sum_to_one")
def letter_probabilities(text, alphabet):
    counts = torch.tensor([text.count(letter) for letter in alphabet])
    return -((counts + 1) / (len(text) + len(alphabet))).log2()


@alternative("letter_probabilities")
def letter_probabilities(text, alphabet):
    counts = Counter(alphabet)
    counts.update(text)
    return torch.tensor([counts[letter] for letter in alphabet]) / counts.total()


@alternative("letter_probabilities")
def letter_probabilities(text, alphabet):
    ids = torch.tensor([alphabet.index(letter) for letter in text], dtype=torch.long)  # (T,)
    counts = 1.0 + torch.bincount(ids, minlength=len(alphabet))  # (A,)
    return counts / counts.sum()
