"""bert_pretraining: classic mistakes and other right ways, for each exercise. Never released."""

from collections import Counter

import torch

from grader.lessons.bank import alternative, edit, mistake

edit(
    "letter_probabilities",
    "nothing-added",
    {"(counts + 1)": "counts", "len(text) + len(alphabet)": "len(text)"},
    "no count has one added",
    killed_by="test_one_is_added_to_every_count",
)
edit(
    "letter_probabilities",
    "total-of-the-text",
    {"len(text) + len(alphabet)": "len(text)"},
    "what was added to the counts is missing in their total",
    killed_by="test_probabilities_sum_to_one",
)
edit(
    "letter_probabilities",
    "bits",
    {
        "return (counts + 1) / (len(text) + len(alphabet))": "return -((counts + 1) / (len(text) + len(alphabet))).log2()"
    },
    "bits are returned, not probabilities",
    killed_by="test_one_is_added_to_every_count",
)


@mistake(
    "letter_probabilities",
    "each-letter-once",
    "a letter counts once, however often it stands there",
    killed_by="test_one_is_added_to_every_count",
)
def letter_probabilities(text, alphabet):
    present = torch.tensor([letter in text for letter in alphabet])  # (A,)
    return (present + 1) / (len(set(text)) + len(alphabet))


@alternative("letter_probabilities", "counter")
def letter_probabilities(text, alphabet):
    counts = Counter(alphabet)
    counts.update(text)
    return torch.tensor([counts[letter] for letter in alphabet]) / counts.total()


@alternative("letter_probabilities", "bincount")
def letter_probabilities(text, alphabet):
    ids = torch.tensor([alphabet.index(letter) for letter in text], dtype=torch.long)  # (T,)
    counts = 1.0 + torch.bincount(ids, minlength=len(alphabet))  # (A,)
    return counts / counts.sum()
