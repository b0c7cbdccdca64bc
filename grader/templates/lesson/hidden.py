"""{{ name }}: hidden checks and the metrics that the grader computes itself. Never released."""

import random
from collections import Counter

import torch

from etude.lesson.checks import close, exercise
from etude.lesson.interface import Student
from etude.world import World
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric

ALPHABET, WORDS, BEYOND = "abcdefghijklmnopqrstuvwxyz ", 5_000, 10_000  # as in the notebook's experiment


@exercise("letter_probabilities")
def test_a_long_text_agrees_with_a_counter(student: Student) -> None:
    text = "".join(random.Random(1).choices("abcdefgh ", k=500))
    counts = Counter(text)
    expected = [(counts[letter] + 1) / (500 + len(ALPHABET)) for letter in ALPHABET]
    close(student.letter_probabilities(text, ALPHABET), expected, given="500 letters, an alphabet of 27")


@exercise("letter_probabilities", points=0.5, needs="test_one_is_added_to_every_count")
def test_without_a_text_all_letters_are_equally_probable(student: Student) -> None:
    close(student.letter_probabilities("", "abcd"), [1 / 4] * 4, given="an empty text, the alphabet abcd")


@exercise("letter_probabilities", points=0.5, needs="test_one_is_added_to_every_count")
def test_signs_that_look_alike_are_letters_of_their_own(student: Student) -> None:
    given = "a blank, a, A, é, e and U+0301 (é in two code points); the alphabet a, A, blank, é, e, U+0301, b"
    expected = [2 / 13, 2 / 13, 2 / 13, 2 / 13, 2 / 13, 2 / 13, 1 / 13]
    close(student.letter_probabilities(" aA\u00e9e\u0301", "aA \u00e9e\u0301b"), expected, given=given)


@exercise("letter_probabilities", points=0.5, needs="test_one_is_added_to_every_count")
def test_an_alphabet_may_have_one_letter(student: Student) -> None:
    close(student.letter_probabilities("aa", "a"), [1.0], given="the text aa, the alphabet a")


@metric("bits_per_letter")
def bits_per_letter(artifacts: Artifacts) -> float:
    """What the recorded probabilities cost on a text that the notebook has not counted."""
    chances = artifacts.tensor("probabilities", ndim=1).double()  # (27,)
    if len(chances) != len(ALPHABET) or abs(float(chances.sum()) - 1) > 1e-4 or bool((chances < 0).any()):
        raise BadArtifact(f"the tensor 'probabilities' is no distribution over {len(ALPHABET)} letters")
    text = " ".join(word for sentence in World("en", seed=artifacts.seed + BEYOND).corpus(WORDS) for word in sentence)
    ids = torch.tensor([ALPHABET.index(letter) for letter in text if letter in ALPHABET])  # (T,)
    return float(-chances[ids].log2().mean())
