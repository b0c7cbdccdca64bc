"""WordPiece: merges by likelihood, words cut by the longest match, and BERT's way from text to words.

The merging criterion is that of Schuster and Nakajima 2012 ("Japanese and Korean Voice Search", section 3) as it is
usually written, count(st) / (count(s) · count(t)); cutting, marks and special tokens are those of Devlin et al. 2019
(BERT), whose trainer was never published. This module knows text, counts and the names of its steps in a file: nothing of models.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Self

from etude.strings import check_string
from etude.tokenizers import files
from etude.tokenizers.tokenizer import (
    check_counts,
    check_min_count,
    check_special,
    check_texts,
    known_ids,
    special_ids,
    special_list,
    whole_words,
)
from etude.tokenizers.wordpiece_pairs import Pairs

MARK = "##"  # before a piece that continues a word
UNKNOWN = "[UNK]"
ENDS = ("[CLS]", "[SEP]")  # before and after a text
SPECIAL = ("[PAD]", UNKNOWN, *ENDS, "[MASK]")
LONGEST_WORD = 100  # characters; longer words are unknown, as in BERT

# Characters that BERT takes as words of their own (CJK ideographs; Hangul and kana are not among them).
IDEOGRAPHS = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


# From text to words.


def normalize(text: str, *, lower: bool = True) -> str:
    """Cleans a text as BERT does: control characters out, white space to blanks, ideographs apart.

    What Unicode has not assigned stays, and so becomes [UNK]: an emoji newer than Python's tables does not vanish. The tables
    of Python and of Hugging Face tokenizers are of different versions, so words still differ from the library's where
    one table knows a character and the other does not, or not as the same kind: some hundred punctuation marks and signs without
    a shape, and with `lower` some four hundred combining marks and newer capitals (measured on Unicode 14). None is in everyday use.

    Args:
        lower: lower case *and* no accents: text is decomposed (NFD) and its combining marks are dropped. That takes é to e,
            and Hangul syllables to their jamo (눈 to three characters), as the uncased BERT models do.

    Raises:
        ValueError: the text is no string.
    """
    check_string(text, "text")
    kept = (" " if c.isspace() and c not in "\x1c\x1d\x1e\x1f\x85\x0b\x0c" else c for c in text if not _dropped(c))
    text = "".join(f" {c} " if _is_ideograph(c) else c for c in kept)
    if not lower:
        return text
    marked = unicodedata.normalize("NFD", text)
    return "".join(c.lower() for c in marked if unicodedata.category(c) != "Mn")  # character by character: Σ is σ


def split(text: str) -> list[str]:
    """Splits a text into words: what stands between blanks, with every punctuation mark a word of its own.

    Raises:
        ValueError: the text is no string.
    """
    check_string(text, "text")
    return "".join(f" {c} " if _is_punctuation(c) else c for c in text).split()


def _dropped(c: str) -> bool:
    return c == "\ufffd" or (c not in "\t\n\r" and unicodedata.category(c) in ("Cc", "Cf", "Co"))


def _is_ideograph(c: str) -> bool:
    return any(first <= ord(c) <= last for first, last in IDEOGRAPHS)


def _is_punctuation(c: str) -> bool:
    """Tells whether the character is Unicode's punctuation, or a sign of ASCII ($ and ^ are symbols to Unicode)."""
    return (c.isascii() and c.isprintable() and not c.isalnum() and c != " ") or unicodedata.category(c)[0] == "P"


# Cutting words by a vocabulary.


@dataclass(frozen=True)
class WordPiece:
    """A vocabulary, its ids being the places in the list.

    Raises ValueError without [UNK], for a piece that stands twice, and for a special token that a text could be cut into: it
    must hold a sign beside something else, as [UNK] does, and so be no word. Those that the vocabulary lacks do not count.
    """

    vocabulary: Sequence[str]
    lower: bool = True
    special: Sequence[str] = SPECIAL
    index: dict[str, int] = field(init=False, repr=False)  # piece → id

    def __post_init__(self) -> None:
        index = {piece: i for i, piece in enumerate(self.vocabulary)}
        if len(index) < len(self.vocabulary):
            twice = next(piece for piece, count in Counter(self.vocabulary).items() if count > 1)
            raise ValueError(f"{twice!r} stands in the vocabulary more than once: an id must be that of one piece")
        if UNKNOWN not in index:
            raise ValueError(f"the vocabulary of {len(index)} pieces lacks {UNKNOWN}: put it among the special tokens")
        check_special(self.special, {token for token in self.special if len(split(token.removeprefix(MARK))) < 2})
        object.__setattr__(self, "index", index)

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        size: int,
        *,
        special_tokens: Sequence[str] = SPECIAL,
        lower: bool = True,
        min_count: int = 2,
    ) -> Self:
        """Learns a vocabulary: special tokens, characters, then merges of the words of the texts.

        `etude.tokenizers.wordpiece.train` says which pairs are merged.

        Args:
            special_tokens: must hold [UNK], [CLS] and [SEP].
            lower: in lower case and without accents (`normalize`).

        Raises:
            ValueError: `size` is less than single characters need, the texts are one string or one of them is none, a special
                token is missing or no string, or `min_count` is below 1.
        """
        check_texts(texts)
        special = special_list(special_tokens, [UNKNOWN, *ENDS])
        words = Counter(chain.from_iterable(split(normalize(text, lower=lower)) for text in texts))
        return cls(train(words, size, min_count=min_count, special=special), lower, special)

    @cached_property
    def special_tokens(self) -> dict[str, int]:
        """Special token → id."""
        return {token: self.index[token] for token in self.special if token in self.index}

    def pieces_of(self, word: str) -> list[str]:
        """Cuts a word: the longest piece that starts it, then the longest that goes on, and so on; [UNK] if one is missing.

        One character that is not in the vocabulary makes the whole word unknown.

        Raises:
            ValueError: the word is no string.
        """
        check_string(word, "word")
        if len(word) > LONGEST_WORD:
            return [UNKNOWN]
        pieces, start = [], 0
        while start < len(word):
            mark = MARK if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self.index), None)
            if end is None:
                return [UNKNOWN]
            pieces.append(mark + word[start:end])
            start = end
        return pieces

    def tokenize(self, text: str) -> list[str]:
        """Cuts a text into pieces, without special tokens.

        Raises:
            ValueError: the text is no string.
        """
        return [piece for word in split(normalize(text, lower=self.lower)) for piece in self.pieces_of(word)]

    def encode(self, text: str, other: str | None = None) -> list[int]:
        """Encodes texts as the ids of [CLS] text [SEP], or of [CLS] text [SEP] other [SEP] (BERT, section 3.1).

        Raises:
            ValueError: a text is no string, or the vocabulary lacks [CLS] or [SEP].
        """
        first, last = special_ids(ENDS, self.index)
        pieces = [first, *self.tokenize(text), last]
        if other is not None:
            pieces += [*self.tokenize(other), last]
        return [self.index[piece] for piece in pieces]

    def encode_iterable(self, chunks: Iterable[str]) -> Iterator[int]:
        """Encodes [CLS], the chunks joined, [SEP], and gives the ids one by one; a chunk may end within a word.

        Raises:
            ValueError: a chunk is no string, or the vocabulary lacks [CLS] or [SEP].
        """
        first, last = special_ids(ENDS, self.index)
        yield self.index[first]
        for text in whole_words(chunks):
            yield from map(self.index.__getitem__, self.tokenize(text))
        yield self.index[last]

    def decode(self, ids: Iterable[int]) -> str:
        """Decodes ids to words with blanks between them; blanks around punctuation, case and accents do not come back.

        Raises:
            ValueError: an id is no whole number, or not in the vocabulary.
        """
        known = (self.vocabulary[i] for i in known_ids(ids, self.vocabulary))
        pieces = [piece for piece in known if piece not in self.special or piece == UNKNOWN]
        return " ".join(pieces).replace(f" {MARK}", "")

    def save(self, path: Path) -> None:
        """Writes tokenizer.json, whole or not at all.

        Raises:
            OSError: the file cannot be written.
            ValueError: the vocabulary lacks [CLS] or [SEP].
        """
        ends = special_ids(ENDS, self.index)
        model = {
            "type": "WordPiece",
            "unk_token": UNKNOWN,
            "continuing_subword_prefix": MARK,
            "max_input_chars_per_word": LONGEST_WORD,
            "vocab": self.index,
        }
        files.write(
            path,
            model,
            self.special_tokens,
            normalizer=_normalizer(self.lower),
            pre_tokenizer={"type": "BertPreTokenizer"},
            post_processor=_post_processor(ends),
            decoder={"type": "WordPiece", "prefix": MARK, "cleanup": False},
        )

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads tokenizer.json.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is not of this kind.
        """
        with files.opened(path, "WordPiece") as file:
            file.expect("model.unk_token", UNKNOWN)
            file.expect("model.continuing_subword_prefix", MARK)
            file.expect("model.max_input_chars_per_word", LONGEST_WORD)
            lower = bool(file.value("normalizer.lowercase"))
            file.expect("normalizer", _normalizer(lower), {**_normalizer(lower), "strip_accents": None})
            file.expect("pre_tokenizer", {"type": "BertPreTokenizer"})
            model = cls(file.vocabulary, lower, file.special)
            ends = special_ids(ENDS, model.special_tokens)
            file.expect("post_processor", _post_processor(ends), _template(ends))
            return model


def _normalizer(lower: bool) -> files.Json:
    """Writes `normalize` as a step of a file."""
    return {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": lower,
        "lowercase": lower,
    }


def _post_processor(ends: dict[str, int]) -> files.Json:
    """Writes [CLS] and [SEP] around texts as a step of a file."""
    first, last = ENDS
    return {"type": "BertProcessing", "sep": [last, ends[last]], "cls": [first, ends[first]]}


def _template(ends: dict[str, int]) -> files.Json:
    """Writes the same step as published models of BERT do."""
    first, last = ({"SpecialToken": {"id": token, "type_id": 0}} for token in ENDS)
    text, other = {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}
    return {
        "type": "TemplateProcessing",
        "single": [first, text, last],
        "pair": [first, text, last, other, {"SpecialToken": {"id": ENDS[1], "type_id": 1}}],
        "special_tokens": {token: {"id": token, "ids": [i], "tokens": [token]} for token, i in ends.items()},
    }


# Training.


def train(words: Counter[str], size: int, *, min_count: int = 2, special: Sequence[str] = SPECIAL) -> list[str]:
    """Learns a vocabulary of at most `size` pieces: special tokens, characters, then merges in the order they are made.

    Each step merges the pair with the largest count(st) / (count(s) · count(t)) among those that occur at least
    `min_count` times, of equals the one that is first in the alphabet: without that bound, pieces that occur once, and
    then together, win. A word of more than LONGEST_WORD characters teaches nothing, not even its characters: `pieces_of` never
    cuts one.

    Raises:
        ValueError: the special tokens and characters alone are more than `size`, a word is no string or occurs less than 0
            times, or `min_count` is below 1.
    """
    check_counts(words)
    check_min_count(min_count)
    words = Counter({word: count for word, count in words.items() if len(word) <= LONGEST_WORD})
    spelled = [[c if i == 0 else MARK + c for i, c in enumerate(word)] for word in words]
    vocabulary = [*special, *sorted({piece for pieces in spelled for piece in pieces})]
    if not len(vocabulary) <= size:  # so that NaN is refused too
        raise ValueError(f"{len(vocabulary)} special tokens and characters do not fit into {size} pieces: ask for more")
    table = Pairs(spelled, list(words.values()))
    known = set(vocabulary)
    while len(vocabulary) < size and (pair := table.best(min_count)) is not None:
        merged = pair[0] + pair[1].removeprefix(MARK)
        table.merge(pair, merged)
        if merged not in known:  # the same piece can come from two pairs
            known.add(merged)
            vocabulary.append(merged)
    return vocabulary
