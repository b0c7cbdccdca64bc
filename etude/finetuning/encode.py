"""From examples of real tasks to batches of ids for BERT's heads (Devlin et al. 2019, section 4, Figure 4).

Shapes: B examples of N tokens, C endings. Texts longer than `length` tokens are cut, passages are read through windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from etude.corpora.tasks import Choice, Question, Text, Words
from etude.models.bert import IGNORED
from etude.models.bert_heads import Labelled, Spans
from etude.tokenizers.wordpiece import MARK, UNKNOWN, WordPiece, normalize, split

Row = dict[str, Any]  # "tokens", "segments" and what the head is asked for


class Piece(NamedTuple):
    """One piece of a text, and the characters that it stands for: from `start` to before `end`."""

    id: int
    start: int
    end: int


@dataclass(frozen=True)
class Encoder:
    """Makes rows of examples.

    Attributes:
        length: the most tokens of a row, special ones among them.
        question: the most pieces of a question; the rest of the row is a window on the passage.
    """

    tokenizer: WordPiece
    length: int = 128
    question: int = 40

    def text(self, item: Text) -> list[Row]:
        """Makes the row of one text or two."""
        return [{**self._pair(item.first, item.second), "label": item.label}]

    def choice(self, item: Choice) -> list[Row]:
        """Makes one row of all endings, each behind the same beginning."""
        pairs = [self._pair(item.start, ending) for ending in item.endings]
        return [{**{key: [pair[key] for pair in pairs] for key in pairs[0]}, "label": item.label}]

    def words(self, item: Words, tags: Sequence[str]) -> list[Row]:
        """Makes the row of a sentence; a word's tag stands at its first piece, IGNORED at the others (section 5.3)."""
        ids, labels = [self._special("[CLS]")], [IGNORED]
        for word, tag in zip(item.words, item.tags, strict=True):
            pieces = [self.tokenizer.index[piece] for piece in self.tokenizer.tokenize(word) or [UNKNOWN]]
            ids += pieces
            labels += [tags.index(tag), *[IGNORED] * (len(pieces) - 1)]
        ids, labels = ids[: self.length - 1], labels[: self.length - 1]
        return [{"tokens": [*ids, self._special("[SEP]")], "labels": [*labels, IGNORED]}]

    def windows(self, item: Question) -> Iterator[Row]:
        """Makes a row for each window on the passage, [CLS] question [SEP] window [SEP]; each begins halfway into the last one.

        `first` and `last` are the tokens of the answer, 0 ([CLS]) for both where the window does not hold all of it;
        `places` gives the characters of each token of the window, `begins` is where they begin.
        """
        cls, sep = self._special("[CLS]"), self._special("[SEP]")
        asked = [piece.id for piece in self.pieces(item.question)][: self.question]
        passage = self.pieces(item.passage)
        room = self.length - len(asked) - 3
        begins = len(asked) + 2
        end = item.start + len(item.answer)
        start = 0
        while True:
            window = passage[start : start + room]
            inside = [number for number, piece in enumerate(window) if piece.end > item.start and piece.start < end]
            whole = inside and window[inside[0]].start <= item.start and window[inside[-1]].end >= end
            yield {
                "tokens": [cls, *asked, sep, *(piece.id for piece in window), sep],
                "segments": [0] * begins + [1] * len(window) + [0],  # the last [SEP] can be no answer
                "first": begins + inside[0] if whole else 0,
                "last": begins + inside[-1] if whole else 0,
                "begins": begins,
                "places": [(piece.start, piece.end) for piece in window],
            }
            if start + room >= len(passage):
                return
            start += max(1, room // 2)

    def pieces(self, text: str) -> list[Piece]:
        """Cuts a text into pieces and says where in the text, as it was written, each of them stands."""
        tokenizer = self.tokenizer
        written = [(n, place) for place, c in enumerate(text) for n in normalize(c, lower=tokenizer.lower)]
        normal = "".join(n for n, _ in written)
        pieces, at = [], 0
        for word in split(normal):
            at = normal.index(word, at)
            for piece in tokenizer.pieces_of(word):
                size = len(word) if piece == UNKNOWN else len(piece.removeprefix(MARK))
                pieces.append(Piece(tokenizer.index[piece], written[at][1], written[at + size - 1][1] + 1))
                at += size
        return pieces

    def _pair(self, first: str, second: str | None) -> Row:
        """Makes [CLS] first [SEP] or [CLS] first [SEP] second [SEP]; the longer text loses its last pieces."""
        index = self.tokenizer.index
        texts = [
            [index[piece] for piece in self.tokenizer.tokenize(text)] for text in (first, second) if text is not None
        ]
        room = self.length - 1 - len(texts)
        while sum(map(len, texts)) > room:
            max(texts, key=len).pop()
        tokens, segments = [self._special("[CLS]")], [0]
        for number, ids in enumerate(texts):
            tokens += [*ids, self._special("[SEP]")]
            segments += [number] * (len(ids) + 1)
        return {"tokens": tokens, "segments": segments}

    def _special(self, token: str) -> int:
        return self.tokenizer.index[token]


def padded(rows: Sequence[Sequence[int]], value: int = 0) -> Tensor:
    """Puts rows of different lengths into one tensor, (B, N) int64."""
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=value)


def label_batch(rows: Sequence[Row], kind: torch.dtype = torch.int64) -> Labelled:
    """Puts rows of texts into a batch: labels (B,)."""
    return Labelled(
        padded([row["tokens"] for row in rows]),
        padded([row["segments"] for row in rows]),
        torch.tensor([row["label"] for row in rows], dtype=kind),
    )


def score_batch(rows: Sequence[Row]) -> Labelled:
    """Puts rows of texts into a batch whose labels are numbers: (B,) float32."""
    return label_batch(rows, torch.float32)


def tag_batch(rows: Sequence[Row]) -> Labelled:
    """Puts rows of words into a batch: labels (B, N)."""
    return Labelled(padded([row["tokens"] for row in rows]), None, padded([row["labels"] for row in rows], IGNORED))


def choice_batch(rows: Sequence[Row]) -> Labelled:
    """Puts rows of endings into a batch: tokens (B, C, N)."""
    endings = len(rows[0]["tokens"])
    tokens, segments = (padded([ids for row in rows for ids in row[key]]) for key in ("tokens", "segments"))  # (B·C, N)
    labels = torch.tensor([row["label"] for row in rows])
    return Labelled(tokens.unflatten(0, (-1, endings)), segments.unflatten(0, (-1, endings)), labels)


def span_batch(rows: Sequence[Row]) -> Spans:
    """Puts windows into a batch."""
    return Spans(
        padded([row["tokens"] for row in rows]),
        padded([row["segments"] for row in rows]),
        torch.tensor([row["first"] for row in rows]),
        torch.tensor([row["last"] for row in rows]),
    )


Collate = Callable[[Sequence[Row]], Labelled | Spans]
