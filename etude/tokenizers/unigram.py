"""The unigram language model tokenizer: raw text in, pieces out; the most probable way to cut, the n best, or a sample.

The model and its training are those of Kudo 2018 ("Subword Regularization", section 3.2), the white space written as a
character is that of Kudo and Richardson 2018 (SentencePiece), with whose segmentations `Unigram` agrees. Training knows
words and their counts, `Unigram` knows pieces, their log-probabilities and the names of its steps in a file; what is computed
with them is `etude.tokenizers.unigram_cuts`'.
"""

from __future__ import annotations

import math
import random
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Self

from etude.strings import check_string, items
from etude.tokenizers import files
from etude.tokenizers.bpe import Cache
from etude.tokenizers.tokenizer import check_special, check_texts, known_ids, special_list, whole_words
from etude.tokenizers.unigram_cuts import Cuts
from etude.tokenizers.unigram_training import learn

SPACE = "▁"  # U+2581
UNKNOWN = "<unk>"
SPECIAL = (UNKNOWN, "<s>", "</s>")  # stand for no text
UNKNOWN_SHOWN = " ⁇ "  # what an unknown id is decoded to, as in SentencePiece


# From text to words and back.


def mark(text: str) -> str:
    """Marks the words of a text: NFKC, every run of white space one ▁, and a ▁ before the first word ("dummy prefix").

    So "눈  배 " becomes "▁눈▁배". A ▁ of the text itself counts as white space. SentencePiece's nmt_nfkc gives something else
    for 40 of the characters that Python 3.11 knows: it drops 30 control characters, the vertical tab among them, takes six
    zero-width and direction marks and � for blanks, keeps U+0085 and the full-width tilde, and does not compose U+0344; for 99 that
    are newer than Unicode 14; and it leaves combining marks in the order in which they stand, where NFKC sorts them.

    Raises:
        ValueError: the text is no string.
    """
    return "".join(_words(text))


def unmark(pieces: Iterable[str]) -> str:
    """Joins pieces to a text; `unmark(cut(mark(text)))` is the normalised text, however it was cut.

    Raises:
        ValueError: a piece is no string.
    """
    return _joined(pieces, "piece").replace(SPACE, " ").removeprefix(" ")


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Counts the marked words: what `train` learns from.

    Raises:
        ValueError: the texts are one string, or one of them is none.
    """
    check_texts(texts)
    return Counter(word for text in texts for word in _words(text))


def _joined(strings: Iterable[str], name: str) -> str:
    """Joins strings; refuses what is none."""
    listed = [*items(strings, f"{name}s")]
    try:
        return "".join(listed)
    except TypeError:
        for value in listed:
            check_string(value, name)
        raise


def _words(text: str) -> list[str]:
    check_string(text, "text")
    return [SPACE + word for word in unicodedata.normalize("NFKC", text).replace(SPACE, " ").split()]


# The model.


def _check_alpha(alpha: float) -> None:
    if not 0 <= alpha < math.inf:
        raise ValueError(f"alpha is {alpha}: the power of a probability is a finite number of 0 or more")


@dataclass(frozen=True)
class Unigram:
    """Pieces and their log-probabilities; a piece's id is its place. A text's pieces are independent of each other.

    Special pieces stand for no text. In a file, `tokenizers` agrees with the ids but for cuts that are equally probable, and
    for text that spells a special piece with a character that is no piece: there it gives the special piece's id.
    Raises ValueError if there is not one finite score for each piece, if a piece is empty or stands twice, or without "<unk>".
    """

    pieces: Sequence[str]
    scores: Sequence[float]
    special: Sequence[str] = SPECIAL
    index: dict[str, int] = field(init=False, repr=False)  # piece → id
    _ids: dict[str, int] = field(init=False, repr=False)  # piece → id, without special pieces
    _cuts: Cuts = field(init=False, repr=False)  # without special pieces
    _by_word: bool = field(init=False, repr=False)  # whether no piece reaches over a ▁, so that words part

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.pieces):
            raise ValueError(f"{len(self.scores)} scores for {len(self.pieces)} pieces: give one for each")
        index = {piece: i for i, piece in enumerate(self.pieces)}
        if len(index) < len(self.pieces):
            twice = next(piece for piece, count in Counter(self.pieces).items() if count > 1)
            raise ValueError(f"{twice!r} stands among the pieces more than once: an id must be that of one piece")
        if "" in index:
            raise ValueError(f"the piece {index['']} is empty: a piece must hold a character")
        for piece, score in zip(self.pieces, self.scores, strict=True):
            if not math.isfinite(score):
                raise ValueError(f"the score of {piece!r} is {score}: a log-probability must be finite")
        if UNKNOWN not in index:
            raise ValueError(f"the {len(index)} pieces lack {UNKNOWN}: put it first, with score 0")
        if UNKNOWN not in self.special:
            raise ValueError(f"the special pieces lack {UNKNOWN}, which encoding needs: add it")
        check_special(self.special, ())
        ids = {piece: i for piece, i in index.items() if piece not in self.special}
        object.__setattr__(self, "index", index)
        object.__setattr__(self, "_ids", ids)
        object.__setattr__(self, "_cuts", Cuts({piece: self.scores[i] for piece, i in ids.items()}))
        object.__setattr__(self, "_by_word", all(SPACE not in piece[1:] for piece in ids))

    @classmethod
    def train(cls, texts: Iterable[str], size: int, *, special_tokens: Sequence[str] = SPECIAL) -> Unigram:
        """Learns a model from texts: special pieces, then the most probable ones of their words.

        Args:
            special_tokens: must hold <unk>. A word that spells one is not learnt from, so that no piece is one.

        Raises:
            ValueError: `size` is less than single characters need, the texts are one string, one of them is none or all hold no
                words, or the special tokens lack <unk> or are no strings.
        """
        special = special_list(special_tokens, [UNKNOWN])
        words = count_words(texts)
        plain = {word: n for word, n in words.items() if not any(token in word for token in special)}
        return train(Counter(plain), size, special=special)

    @property
    def vocabulary(self) -> Sequence[str]:
        """The pieces, by the name that they have in all tokenizers."""
        return self.pieces

    @cached_property
    def special_tokens(self) -> dict[str, int]:
        """Special piece → id; those that the model lacks do not count."""
        return {piece: self.index[piece] for piece in self.special if piece in self.index}

    def tokenize(self, text: str) -> list[str]:
        """Cuts a text into its most probable pieces (Viterbi); a run of unknown characters is one piece.

        Raises:
            ValueError: the text is no string.
        """
        pieces = list(chain.from_iterable(map(self._known.__getitem__, self._units(text))))
        return pieces if SPACE in self._ids else self._cuts.joined(pieces)  # an unknown ▁ joins unknown words

    def nbest(self, text: str, n: int) -> list[tuple[list[str], float]]:
        """Finds the `n` most probable ways to cut a text with their log-probabilities, the best first.

        Raises:
            ValueError: `n` is below 1, or the text is no string.
        """
        if not n >= 1:
            raise ValueError(f"the {n} most probable ways cannot be found: ask for 1 or more")
        return [(self._cuts.joined(pieces), score) for pieces, score in self._cuts.nbest(mark(text), n)]

    def sample(self, text: str, alpha: float, generator: random.Random) -> list[str]:
        """Draws one way to cut a text, with a chance in proportion to its probability to the power alpha.

        Kudo 2018, section 3.3.

        Args:
            alpha: 0 draws all ways alike, 1 as the model has it; the larger, the more often the best.

        Raises:
            ValueError: `alpha` is below 0, or no finite number, or the text is no string.
        """
        _check_alpha(alpha)
        return self._cuts.joined(self._cuts.sample(mark(text), alpha, generator))

    def log_likelihood(self, text: str, alpha: float = 1.0) -> float:
        """Computes log of the sum, over all ways to cut a text, of their probabilities to the power alpha.

        Kudo 2018, section 3.2.

        Raises:
            ValueError: `alpha` is below 0, or no finite number, or the text is no string.
        """
        _check_alpha(alpha)
        return self._cuts.log_totals(mark(text), alpha)[-1]

    def encode(self, text: str) -> list[int]:
        """Encodes a text as the ids of the pieces that `tokenize` gives.

        Raises:
            ValueError: the text is no string.
        """
        unknown = self.index[UNKNOWN]
        return [self._ids.get(piece, unknown) for piece in self.tokenize(text)]

    def encode_iterable(self, chunks: Iterable[str]) -> Iterator[int]:
        """Encodes the chunks joined and gives the ids one by one; a chunk may end within a word.

        Where pieces reach over blanks, or blanks may be unknown, the chunks are kept until the last one.

        Raises:
            ValueError: a chunk is no string.
        """
        texts = whole_words(chunks) if self._words_part else [_joined(chunks, "chunk")]
        return chain.from_iterable(map(self.encode, texts))

    def decode(self, ids: Iterable[int]) -> str:
        """Decodes ids to a text: an unknown one shows as " ⁇ ", <s> and </s> do not.

        Raises:
            ValueError: an id is no whole number, or not that of a piece.
        """
        silent = {*self.special} - {UNKNOWN}
        known = (self.pieces[i] for i in known_ids(ids, self.pieces))
        return unmark(UNKNOWN_SHOWN if piece == UNKNOWN else piece for piece in known if piece not in silent)

    def save(self, path: Path) -> None:
        """Writes tokenizer.json, whole or not at all.

        `tokenizers` matches special pieces with text too, so they are written as less probable than any spelling of
        theirs in pieces; what agrees is said in `Unigram`.

        Raises:
            OSError: the file cannot be written.
        """
        never = min([-1.0, *self._cuts.scores.values()]) * (2 + max(map(len, self.special)))
        vocabulary = [[piece, self._cuts.scores.get(piece, never)] for piece in self.pieces]
        model = {"type": "Unigram", "unk_id": self.index[UNKNOWN], "vocab": vocabulary, "byte_fallback": False}
        files.write(path, model, self.special_tokens, **_steps(self._words_part), decoder=_metaspace(self._words_part))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads tokenizer.json.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is not of this kind.
        """
        with files.opened(path, "Unigram") as file:
            scores = [*file.scores, *[0.0] * (len(file.vocabulary) - len(file.scores))]
            scores = [0.0 if p in file.special else score for p, score in zip(file.vocabulary, scores, strict=True)]
            model = cls(file.vocabulary, scores, file.special)
            file.expect("model.unk_id", model.index[UNKNOWN])
            file.expect("model.byte_fallback", False, None)
            for step, value in _steps(model._words_part).items():
                file.expect(step, value)
            file.expect("post_processor", None)
            return model

    @property
    def _words_part(self) -> bool:
        """Whether the pieces of a text are those of its words, each cut on its own."""
        return self._by_word and SPACE in self._ids

    def _units(self, text: str) -> list[str]:
        """Splits a text into what can be cut on its own."""
        return _words(text) if self._by_word else [mark(text)]

    @cached_property
    def _known(self) -> Cache[str]:
        """What was cut before → its pieces."""
        return Cache(self._cut)

    def _cut(self, unit: str) -> list[str]:
        return self._cuts.joined(self._cuts.best(unit))


def _steps(words_part: bool) -> dict[str, files.Json]:
    """Writes `mark` as the steps of a file.

    White space goes with \\x1c to \\x1f, as in Python; words part, or are joined to one text first.
    """
    nfkc = {"type": "NFKC"}
    if words_part:
        blanks = {"type": "Replace", "pattern": {"Regex": f"[\\x1c-\\x1f{SPACE}]"}, "content": " "}
        words = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, _metaspace(True)]}
        return {"normalizer": {"type": "Sequence", "normalizers": [nfkc, blanks]}, "pre_tokenizer": words}
    blanks = {"type": "Replace", "pattern": {"Regex": f"[\\s\\x1c-\\x1f{SPACE}]+"}, "content": " "}
    strip = {"type": "Strip", "strip_left": True, "strip_right": True}
    normalizers = {"type": "Sequence", "normalizers": [nfkc, blanks, strip]}
    return {"normalizer": normalizers, "pre_tokenizer": _metaspace(False)}


def _metaspace(split: bool) -> files.Json:
    """Writes the step of a file that puts ▁ for blanks, and one before the first word."""
    return {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": split}


# Training.


def train(words: Counter[str], size: int, *, special: Sequence[str] = SPECIAL) -> Unigram:
    """Learns a model of at most `size` pieces: special ones, then those of `etude.tokenizers.unigram_training.learn`.

    Args:
        words: marked words and their counts (`count_words`).

    Raises:
        ValueError: there are no words, one is no string or occurs less than once, or the characters alone are more than `size`.
    """
    pieces, scores = learn(words, size, len(special))
    return Unigram([*special, *pieces], [0.0] * len(special) + scores, special)
