"""What probes are trained on: words of the world's sentences with what the world knows of them, and an encoder's vectors there.

Beside them two probes of other papers: a softmax regression and a network with one hidden layer. Shapes: O occurrences of words, S
sentences, L layers above the embeddings, width H, K classes. This module must not know any lesson.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from etude.models.bert import Bert
from etude.tokenizers.wordpiece import WordPiece
from etude.world import World
from etude.world.chance import Chance
from etude.world.english import ENGLISH, TOPIC
from etude.world.grammar import Frame, Grammar
from etude.world.lexicon import Language, load

Sentences = list[list[str]]
KINDS = ("agent", "place", "quality", "thing", "verb", "opposite", "person")
TENSES = {
    "past": {"yesterday", "last", "ago"},
    "present": {"every", "always", "now", "still"},
    "future": {"tomorrow", "next", "soon"},
}

TOPICS = tuple(topic.name for topic in load("en").topics)
LABELS = {"kind": KINDS, "tense": tuple(TENSES), "topic": TOPICS, "sense": TOPICS}  # of each task

# Of each English template on a topic, in their order: the place of each word's head, −1 for the root.
HEADS = (
    (4, 2, 4, 4, -1, 6, 4, 9, 9, 4),
    (1, 3, 3, -1, 6, 6, 3),
    (1, 2, 5, 4, 5, -1, 8, 8, 5, 11, 11, 8),
    (3, 3, 3, -1, 6, 6, 3, 3),
    (4, 2, 4, 4, -1, 6, 4, 9, 9, 4),
    (1, 4, 4, 4, -1, 7, 7, 4),
    (4, 2, 4, 4, -1, 7, 7, 4, 10, 10, 7),
    (3, 3, 3, -1, 6, 6, 3, 3),
    (1, 5, 3, 5, 5, -1, 7, 5, 10, 10, 5),
    (2, 2, -1, 4, 2, 7, 7, 2),
    (4, 2, 4, 4, -1, 6, 4, 9, 9, 4),
    (3, 3, 3, -1, 6, 6, 3),
    (1, 6, 4, 4, 1, 6, -1, 8, 6),
    (6, 6, 6, 6, 5, 3, -1, 9, 9, 6),
)
UNSEEN = (2, 5, 8, 9, 12)  # templates that are kept for the test: no other has the same tree


class Occurrence(NamedTuple):
    """A word in a sentence of a document on a topic, and what the world knows of it there.

    Attributes:
        sentence: the number of its sentence.
        place: its place in the sentence, in words.
        word: as written.
        kind: one of KINDS; None for function words.
        sense: of a homonym the topic of the sense that is meant, else None.
        topic: of its document.
        tense: of an English sentence with a time, else None.
    """

    sentence: int
    place: int
    word: str
    kind: str | None
    sense: str | None
    topic: str
    tense: str | None


class Examples(NamedTuple):
    """Occurrences that a task asks about: their words, labels (O,) int64, and vectors of all layers (O, L + 1, H)."""

    words: list[str]
    labels: Tensor
    vectors: Tensor


class Parsed(NamedTuple):
    """A sentence with its tree: the place of each word's head, −1 for the root."""

    words: list[str]
    heads: tuple[int, ...]


def occurrences(language: Language, seed: int, words: int) -> tuple[Sentences, list[Occurrence]]:
    """Writes `words` words of the world's text and keeps the sentences on topics, with all their words.

    A word from another topic, one of the text's slips, is in its sentence, but not in the list.
    """
    world = World(language, seed)
    kinds = {lexeme.morphemes: lexeme.kind for lexeme in world.lexicon.lexemes() if lexeme.kind in KINDS}
    homonyms = world.homonyms()
    sentences: Sentences = []
    found = []
    for document in world.documents(words):
        if document.topic in ("nation", "people"):
            continue
        for sentence in document.sentences:
            written = sentence.tokens()
            tense = next((name for name, times in TENSES.items() if times & set(written)), None)
            for place, word in enumerate(sentence):
                if word.topic in (None, document.topic):
                    length = next((n for n in (2, 1) if word.morphemes[:n] in kinds), 0)
                    kind = kinds.get(word.morphemes[:length])
                    sense = word.topic if word.morphemes[0] in homonyms else None
                    found.append(Occurrence(len(sentences), place, word.surface, kind, sense, document.topic, tense))
            sentences.append(written)
    return sentences, found


def parsed(count: int, seed: int, *, unseen: bool) -> list[Parsed]:
    """Writes English sentences with their trees, from the templates that are kept for the test or from all others."""
    lexicon, chance = load("en"), Chance(seed)
    own: dict[str, tuple[str, ...]] = {str(number): (template,) for number, template in enumerate(TOPIC)}
    grammar = Grammar(replace(ENGLISH, templates=own), lexicon, noise=0.0)
    numbers = [number for number in range(len(TOPIC)) if (number in UNSEEN) == unseen]
    found = []
    for _ in range(count):
        number, topic = chance.pick(numbers), chance.pick(lexicon.topics)
        verb, things = chance.pick(topic.verbs)
        frame: Frame = {"agent": topic.agents, "place": topic.places, "quality": topic.qualities, "verb": (verb,)}
        opposites = tuple(word for pair in lexicon.opposites for word in pair)
        frame |= {"thing": things, "person": lexicon.names, "opposite": opposites}
        found.append(Parsed(grammar.sentence((str(number),), frame, chance).tokens(), HEADS[number]))
    return found


def tree_distances(heads: Sequence[int]) -> Tensor:
    """Counts the edges between any two words of a tree: N heads → (N, N) int64."""
    paths = []
    for place in range(len(heads)):
        path = [place]
        while heads[path[-1]] >= 0:
            path.append(heads[path[-1]])
        paths.append(path)
    return torch.tensor([[len(set(one) ^ set(other)) for other in paths] for one in paths])


def pad(rows: Sequence[Sequence[int]]) -> Tensor:
    """Pads rows of ids with 0 at the end: (B, N) int64."""
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)


@torch.no_grad()
def word_vectors(encoder: Bert, tokenizer: WordPiece, sentences: Sentences, size: int = 500) -> list[Tensor]:
    """Encodes each sentence alone and reads all layers at each word's first piece: S tensors (words, L + 1, H).

    Args:
        size: how many sentences go through at a time.
    """
    begin, end = tokenizer.special_tokens["[CLS]"], tokenizer.special_tokens["[SEP]"]
    pieces = {word: [tokenizer.index[piece] for piece in tokenizer.tokenize(word)] for s in sentences for word in s}
    found: list[Tensor] = []
    for start in range(0, len(sentences), size):
        rows, firsts = [], []
        for sentence in sentences[start : start + size]:
            row, first = [begin], []
            for word in sentence:
                first.append(len(row))
                row += pieces[word]
            rows.append([*row, end])
            firsts.append(first)
        layers = torch.stack(encoder.all_layers(pad(rows)), dim=2)  # (B, N, L + 1, H)
        found += [layers[number, first] for number, first in enumerate(firsts)]
    return found


def label_of(task: str, one: Occurrence) -> int | None:
    """Finds the number of an occurrence's label in LABELS[task]; None where the task does not ask.

    kind: what a word is. tense: of the sentence, asked at its things. topic: of the document, asked at names and opposites, which
    have none. sense: of a homonym.
    """
    asked = {"tense": ("thing",), "topic": ("person", "opposite")}
    value: str | None = getattr(one, task)
    if value is None or (task in asked and one.kind not in asked[task]):
        return None
    return LABELS[task].index(value)


def examples(task: str, found: Sequence[Occurrence], vectors: Sequence[Tensor], count: int) -> Examples:
    """Takes `count` of the occurrences that the task asks about, evenly from the text, with what `word_vectors` read there.

    All of them if there are fewer.
    """
    asked = [(one, label) for one in found if (label := label_of(task, one)) is not None]
    some = asked[:: max(1, len(asked) // count)][:count]
    return Examples(
        [one.word for one, _ in some],
        torch.tensor([label for _, label in some]),
        torch.stack([vectors[one.sentence][one.place] for one, _ in some]),
    )


def softmax_probe(vectors: Tensor, labels: Tensor, classes: int, penalty: float = 1e-2, steps: int = 100) -> nn.Linear:
    """Fits a softmax regression: the least mean cross entropy plus penalty/2 times the squares of the weights, not of the biases.

    Args:
        vectors: (O, H) float.
        labels: (O,) int64.
        steps: of L-BFGS, at most.
    """
    probe = nn.Linear(vectors.shape[1], classes, dtype=vectors.dtype)
    nn.init.zeros_(probe.weight)
    nn.init.zeros_(probe.bias)
    optimizer = torch.optim.LBFGS(probe.parameters(), max_iter=steps, line_search_fn="strong_wolfe")

    def loss() -> float:
        optimizer.zero_grad()
        value = functional.cross_entropy(probe(vectors), labels) + penalty / 2 * probe.weight.square().sum()
        value.backward()
        return float(value.detach())

    optimizer.step(loss)
    return probe.requires_grad_(False)


def mlp_probe(
    vectors: Tensor, labels: Tensor, classes: int, hidden: int, steps: int, seed: int, rate: float = 1e-2
) -> nn.Sequential:
    """Trains a network with one hidden layer on all of (O, H) at each step, by Adam from weights drawn from `seed`."""
    torch.manual_seed(seed)
    probe = nn.Sequential(nn.Linear(vectors.shape[1], hidden), nn.ReLU(), nn.Linear(hidden, classes))
    optimizer = torch.optim.Adam(probe.parameters(), rate)
    for _ in range(steps):
        optimizer.zero_grad()
        functional.cross_entropy(probe(vectors), labels).backward()
        optimizer.step()
    return probe.requires_grad_(False)
