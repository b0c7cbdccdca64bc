"""BERT's pre-training examples: pairs of segments from documents, with tokens masked.

Devlin et al. 2019, section 3.1 and appendix A.2. A batch is a function of its number alone, so a training that is cut goes on with
what it would have read. Shapes: B examples of N tokens. This module must not know any model.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from etude.models.bert import IGNORED, PretrainingBatch
from etude.tokenizers.wordpiece import MARK, WordPiece

Documents = Sequence[Sequence[Sequence[int]]]  # documents of sentences of ids, without special tokens


@dataclass(frozen=True)
class Masking:
    """Which tokens are to be predicted, and what the model reads in their places.

    Attributes:
        rate: the share of tokens that are chosen.
        mask: the share of those that become [MASK].
        random: the share of those that become a random token; the rest stay.
        whole_words: all pieces of a word are chosen together.
    """

    rate: float = 0.15
    mask: float = 0.8
    random: float = 0.1
    whole_words: bool = False


class Vocabulary:
    """What masking must know of a tokenizer: its special tokens, and which pieces go on with a word."""

    def __init__(self, tokenizer: WordPiece) -> None:
        special = tokenizer.special_tokens
        self.size = len(tokenizer.vocabulary)
        self.padding, self.begin, self.separator, self.mask = (
            special[token] for token in ("[PAD]", "[CLS]", "[SEP]", "[MASK]")
        )
        self.special = torch.zeros(self.size, dtype=torch.bool)
        self.special[list(special.values())] = True  # (V,)
        self.continues = torch.tensor([token.startswith(MARK) for token in tokenizer.vocabulary])  # (V,)
        self.words = (~self.special).nonzero().flatten()  # (V - specials,) ids that may stand for a word


def mask_tokens(
    tokens: Tensor, vocabulary: Vocabulary, masking: Masking, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Chooses tokens and hides most of them: (B, N) ids → (what the model reads, labels), both (B, N).

    One draw for each word, or token, decides whether it is chosen and what becomes of it, so the shares are exact. Special
    tokens are never chosen and never put in another's place.
    """
    draw = torch.rand(tokens.shape, generator=generator)  # (B, N)
    if masking.whole_words:  # a piece takes the draw of its word's first piece
        places = torch.arange(tokens.size(1)).expand(tokens.shape)
        first = torch.where(vocabulary.continues[tokens], 0, places).cummax(dim=1).values
        draw = draw.gather(1, first)
    draw = draw.masked_fill(vocabulary.special[tokens], 1.0)
    chosen = draw < masking.rate
    hidden = draw < masking.rate * masking.mask
    swapped = ~hidden & (draw < masking.rate * (masking.mask + masking.random))
    other = vocabulary.words[torch.randint(len(vocabulary.words), tokens.shape, generator=generator)]
    read = torch.where(swapped, other, tokens).masked_fill(hidden, vocabulary.mask)
    return read, tokens.masked_fill(~chosen, IGNORED)


def next_tokens(tokens: Tensor, vocabulary: Vocabulary) -> tuple[Tensor, Tensor]:
    """Asks at each token for the one after it, as a language model does: (B, N) ids → (the same, labels), both (B, N)."""
    labels = torch.full_like(tokens, IGNORED)
    labels[:, :-1] = tokens[:, 1:].masked_fill(tokens[:, 1:] == vocabulary.padding, IGNORED)
    return tokens, labels


@dataclass(frozen=True)
class Examples:
    """Draws batches of pre-training examples from documents: `examples(number)` is the same whenever it is asked for.

    Attributes:
        length: N, of [CLS] A [SEP] B [SEP].
        next_sentence: whether there is a B, which follows A in half of the examples and else stands at the same place
            of another document; without it A alone, and no NSP.
        left_to_right: each token is asked for its next one and none is masked; for a model that cannot look ahead.
    """

    documents: Documents
    vocabulary: Vocabulary
    length: int = 128
    batch_size: int = 32
    masking: Masking = Masking()
    next_sentence: bool = True
    left_to_right: bool = False
    seed: int = 0

    def __call__(self, number: int) -> PretrainingBatch:
        """Draws batch `number`, from 0."""
        draw = random.Random(f"{self.seed} {number}")
        generator = torch.Generator().manual_seed(draw.getrandbits(48))
        pairs = [self._pair(draw) for _ in range(self.batch_size)]
        tokens = torch.full((self.batch_size, self.length), self.vocabulary.padding)
        segments = torch.zeros_like(tokens)
        for row, (first, second, _) in enumerate(pairs):
            begin = [self.vocabulary.begin, *first, self.vocabulary.separator]
            whole = [*begin, *second, self.vocabulary.separator] if self.next_sentence else begin
            tokens[row, : len(whole)] = torch.tensor(whole)
            segments[row, len(begin) : len(whole)] = 1
        longest = int((tokens != self.vocabulary.padding).sum(dim=1).max())
        tokens, segments = tokens[:, :longest], segments[:, :longest]
        if self.left_to_right:
            read, labels = next_tokens(tokens, self.vocabulary)
        else:
            read, labels = mask_tokens(tokens, self.vocabulary, self.masking, generator)
        follows = torch.tensor([label for *_, label in pairs]) if self.next_sentence else None
        return PretrainingBatch(read, segments, labels, follows)

    def _pair(self, draw: random.Random) -> tuple[list[int], list[int], int]:
        """Draws (A, B, label), the label 0 if B follows A; without NSP B is empty."""
        document = self._document(draw, 2 if self.next_sentence else 1)
        if not self.next_sentence:
            return self._segment(document, draw.randrange(len(document)), self.length - 2), [], 0
        start = draw.randrange(len(document) - 1)
        room = self.length - 3
        size = draw.randint(1, (len(document) - start) // 2)  # sentences of A
        first = [token for sentence in document[start : start + size] for token in sentence]
        place = start + size
        label = draw.randrange(2)
        if label == 1:
            document = self._other(document, place, draw)
        second = self._segment(document, place, room)
        while len(first) + len(second) > room:  # as published: the longer one loses its last token
            (first if len(first) > len(second) else second).pop()
        return first, second, label

    def _document(self, draw: random.Random, sentences: int) -> Sequence[Sequence[int]]:
        while len(document := self.documents[draw.randrange(len(self.documents))]) < sentences:
            pass
        return document

    def _other(self, document: Sequence[Sequence[int]], place: int, draw: random.Random) -> Sequence[Sequence[int]]:
        """Draws another document that has a sentence at this place; after fifty that have not, any other one."""
        for tries in range(1000):
            other = self.documents[draw.randrange(len(self.documents))]
            if other is not document and (len(other) > place or tries >= 50):
                return other
        raise ValueError("next sentences need two documents or more: give more text, or set next_sentence=False")

    def _segment(self, document: Sequence[Sequence[int]], place: int, room: int) -> list[int]:
        """Joins sentences from this place on (the last one if there are fewer), as many tokens as there is room."""
        place = min(place, len(document) - 1)
        tokens: list[int] = []
        for sentence in document[place:]:
            tokens += sentence
            if len(tokens) >= room:
                break
        return tokens[:room]
