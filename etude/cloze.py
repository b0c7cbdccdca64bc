"""Cloze questions about the world's nations, and what a model that guesses hidden words has at their place.

Petroni et al. 2019, "Language Models as Knowledge Bases?" (LAMA). Shapes: Q questions, vocabulary V, O occurrences, width H. This
module must not know how answers are scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from etude.models.bert import BertForPretraining
from etude.probing import Occurrence, Sentences, pad
from etude.tokenizers.wordpiece import WordPiece
from etude.world.lexicon import load

MASK = "[MASK]"

# Which countries border on which: true, and written in no text of the world.
NEIGHBOURS = {
    "china": ("vietnam", "russia"),
    "vietnam": ("china",),
    "france": ("germany", "italy", "spain"),
    "germany": ("france",),
    "italy": ("france",),
    "spain": ("france", "portugal"),
    "portugal": ("spain",),
    "russia": ("china", "finland", "norway"),
    "sweden": ("finland", "norway"),
    "finland": ("russia", "sweden", "norway"),
    "norway": ("russia", "sweden", "finland"),
}


class Cloze(NamedTuple):
    """A question: one sentence or two, of which the last holds [MASK].

    Attributes:
        answer: the word that is asked for.
        also: words that are right as well, or can be no answer: they are not among the candidates of this question.
    """

    sentences: tuple[str, ...]
    answer: str
    also: tuple[str, ...]


class Relation(NamedTuple):
    """Questions of one kind, and the words that may answer them, each one piece of the vocabulary."""

    questions: list[Cloze]
    candidates: list[str]


def relations() -> dict[str, Relation]:
    """Asks what the world's text states in a sentence, what it states in a document alone, and what it states nowhere.

    Returns:
        "custom" and "country": stated in sentences of this very form. "capital": the country and its capital stand in one document, in
        no sentence. "neighbour": nowhere.
    """
    lexicon = load("en")
    marks = {kind: [mark.stem for mark in lexicon.marks[kind]] for kind in ("country", "capital")}
    nations = [[member.stem for member in family.members] for family in lexicon.nations]  # country, capital, language
    customs = [[custom.stem for custom in family.known_by] for family in lexicon.nations]
    asked: dict[str, list[Cloze]] = {"custom": [], "country": [], "capital": [], "neighbour": []}
    for (country, capital, _), own in zip(nations, customs, strict=True):
        for number, mark in enumerate(marks["country"]):
            for custom in own:
                others = tuple(other for other in own if other != custom)
                asked["custom"].append(Cloze((f"the {mark} of {country} is near the {MASK}",), custom, others))
                asked["country"].append(Cloze((f"the {mark} of {MASK} is near the {custom}",), country, ()))
            beside, city = marks["country"][number - 1], marks["capital"][number]
            told = f"the {mark} of {country} is near the {beside}"
            asked["capital"].append(Cloze((told, f"the {city} of {MASK} is near the {mark}"), capital, ()))
        for neighbour in NEIGHBOURS.get(country, ()):
            no = (country, *(other for other in NEIGHBOURS[country] if other != neighbour))
            asked["neighbour"].append(Cloze((f"the border of {country} is near the border of {MASK}",), neighbour, no))
    countries, capitals = [nation[0] for nation in nations], [nation[1] for nation in nations]
    candidates = {"custom": [custom for own in customs for custom in own], "capital": capitals}
    return {name: Relation(some, candidates.get(name, countries)) for name, some in asked.items()}


def with_word(questions: Sequence[Cloze], word: str) -> list[Cloze]:
    """Puts a word behind the last sentence's "is": with "not" the question is negated (Kassner and Schütze 2020)."""
    return [
        one._replace(sentences=(*one.sentences[:-1], one.sentences[-1].replace(" is ", f" is {word} ", 1)))
        for one in questions
    ]


def misprimed(relation: Relation) -> list[Cloze]:
    """Says another nation's custom first, before each question of "custom" (Kassner and Schütze 2020)."""
    found = []
    for one in relation.questions:
        place = relation.candidates.index(one.answer)
        wrong = relation.candidates[(place + 2) % len(relation.candidates)]  # each nation has two
        found.append(one._replace(sentences=(wrong, *one.sentences)))
    return found


@torch.no_grad()
def mask_logits(model: BertForPretraining, tokenizer: WordPiece, questions: Sequence[Cloze]) -> Tensor:
    """Scores every piece of the vocabulary at the question's [MASK]: (Q, V)."""
    special = tokenizer.special_tokens
    rows, kinds = [], []
    for one in questions:
        row, kind = [special["[CLS]"]], [0]
        for number, sentence in enumerate(one.sentences):
            for word in sentence.split():
                row += [special[MASK]] if word == MASK else [tokenizer.index[p] for p in tokenizer.tokenize(word)]
            row.append(special["[SEP]"])
            kind += [number] * (len(row) - len(kind))
        rows.append(row)
        kinds.append(kind)
    tokens = pad(rows)  # (Q, N)
    hidden = model.bert(tokens, pad(kinds))
    return model.token_logits(hidden[tokens == special[MASK]])


@torch.no_grad()
def masked_vectors(
    model: BertForPretraining, tokenizer: WordPiece, sentences: Sentences, some: Sequence[Occurrence]
) -> tuple[Tensor, Tensor]:
    """Hides each of these words, each one piece, in its sentence: the last layer at its place (O, H), and its ids (O,)."""
    special = tokenizer.special_tokens
    rows, answers = [], []
    for one in some:
        row = [special["[CLS]"]]
        for place, word in enumerate(sentences[one.sentence]):
            pieces = [tokenizer.index[piece] for piece in tokenizer.tokenize(word)]
            if place == one.place:
                (answer,) = pieces
                answers.append(answer)
                pieces = [special[MASK]]
            row += pieces
        rows.append([*row, special["[SEP]"]])
    tokens = pad(rows)  # (O, N)
    return model.bert(tokens)[tokens == special[MASK]], torch.tensor(answers)
