"""What every tokenizer of this package can do, and how texts larger than the memory are read for it.

A tokenizer is trained on texts, turns text into ids and ids into text, and is kept in one file. This module knows
characters and words between blanks; it must not know how any tokenizer cuts them.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Sized
from operator import index
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

import regex

from etude.strings import check_string, items, refuse_string

# The white space at which all tokenizers part words. They differ in the rest: to BERT, a vertical tab is nothing at all.
WORD_END = regex.compile(r"(?<=\S)(?=[\t\n\r\p{Zs}\p{Zl}\p{Zp}])", regex.REVERSE)


@runtime_checkable
class Tokenizer(Protocol):
    """Text to ids and back, with a vocabulary that was learnt from texts.

    Special tokens (a text's end, padding) stand for no text. `encode` never gives the id of one for a text that spells it:
    else whoever writes a text could end the document in the middle, and a page about "</s>" could not be read. Only
    the tokenizer itself puts them in: the unknown token for what it cannot spell, and BERT's marks around a text.
    """

    @property
    def vocabulary(self) -> Sequence[str]:
        """The tokens; a token's id is its place."""

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Special token → id."""

    @classmethod
    def train(cls, texts: Iterable[str], size: int, *, special_tokens: Sequence[str] = ...) -> Self:
        """Learns at most `size` tokens, special ones included, from texts such as lines of a file.

        The texts are read once and only the counts of their words are kept, so a generator will do.

        Args:
            special_tokens: get the first ids (byte-level BPE: the last, as in GPT-2).

        Raises:
            ValueError: `size` is less than single characters need, the texts are one string, or one of them is none.
        """

    def encode(self, text: str) -> list[int]:
        """Encodes a text as ids.

        Raises:
            ValueError: the text is no string.
        """

    def encode_iterable(self, chunks: Iterable[str]) -> Iterator[int]:
        """Encodes the chunks joined and gives the ids one by one; a chunk may end within a word.

        No more than a chunk and a word is kept.

        Raises:
            ValueError: a chunk is no string.
        """

    def decode(self, ids: Iterable[int]) -> str:
        """Decodes ids to a text, without special tokens; an unknown token shows as a sign.

        Raises:
            ValueError: an id is no whole number, or not in the vocabulary.
        """

    def save(self, path: Path) -> None:
        """Writes one file in the format of Hugging Face tokenizers, whole or not at all.

        `tokenizers.Tokenizer.from_file` reads it and gives the same ids, if its `encode_special_tokens` is set to True.

        Raises:
            OSError: the file cannot be written.
        """

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads what `save` or Hugging Face tokenizers wrote.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file asks for what the class cannot do.
        """


def read_chunks(paths: Iterable[Path], chars: int = 1 << 20) -> Iterator[str]:
    """Reads the texts of UTF-8 files in chunks of at most `chars` characters.

    One file follows the other with nothing between. Line ends stay as they are, a byte order mark goes.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is not UTF-8.
    """
    for path in paths:
        with path.open(encoding="utf-8-sig", newline="") as file:
            try:
                while chunk := file.read(chars):
                    yield chunk
            except UnicodeDecodeError as error:
                raise ValueError(f"{path} is not UTF-8 ({error}): convert it first") from error


def whole_words(chunks: Iterable[str]) -> Iterator[str]:
    """Joins the chunks and cuts them anew, so that no cut is within a word.

    Each part but the first begins with white space. For training on `read_chunks`, and for encoding: every tokenizer gives
    the parts together the ids of the whole text.

    Raises:
        ValueError: a chunk is no string.
    """
    held: list[str] = []  # what has come since the last cut
    last = ""  # its last character
    for chunk in items(chunks, "chunks"):
        check_string(chunk, "chunk")
        if not chunk:
            continue
        if match := WORD_END.search(last + chunk):
            cut = match.start() - len(last)
            yield "".join([*held, chunk[:cut]])
            held = [chunk[cut:]]
        else:
            held.append(chunk)
        last = chunk[-1]
    if held:
        yield "".join(held)


def check_special(special: Iterable[str], text_tokens: Container[str]) -> None:
    """Raises ValueError for a special token that is empty, or among the tokens that a text can be cut into."""
    for token in special:
        if not token or token in text_tokens:
            raise ValueError(f"the special token {token!r} is also what a text is cut into: choose one like '<|name|>'")


def special_list(special: Iterable[str], needed: Iterable[str] = ()) -> tuple[str, ...]:
    """Returns the special tokens to train with.

    Raises:
        ValueError: they are one string or no list, one of them is no string, or one that encoding needs is missing.
    """
    refuse_string(special, "give a list of special tokens, or its letters would be taken for them")
    tokens = tuple(items(special, "special tokens"))
    for token in tokens:
        check_string(token, "special token")
    if lost := [token for token in needed if token not in tokens]:
        raise ValueError(f"the special tokens lack {lost[0]}, which encoding needs: add it")
    return tokens


def special_ids(special: Iterable[str], index: Mapping[str, int]) -> dict[str, int]:
    """Looks up the ids of special tokens: token → id.

    Raises:
        ValueError: a special token is not in the vocabulary.
    """
    if lost := [token for token in special if token not in index]:
        raise ValueError(f"the special token {lost[0]!r} is not in the vocabulary: add it, or do not name it")
    return {token: index[token] for token in special}


def check_texts(texts: Iterable[str]) -> None:
    """Raises ValueError if the texts to learn from are one string, or no list at all; each of them is checked where it is read."""
    refuse_string(texts, "give a list of texts, or its letters would be taken for them")
    items(texts, "texts")


def check_counts(words: Mapping[str, float], least: int = 0) -> None:
    """Raises ValueError for a word that is no string, or occurs less often than `least`, or not a finite number of times."""
    if not isinstance(words, Mapping):
        raise ValueError(
            f"{repr(words)[:40]} says not how often each word occurs: give counts, e.g. Counter(text.split())"
        )
    for word, count in words.items():
        check_string(word, "word")
        if not least <= count < math.inf:
            raise ValueError(f"the word {word!r} occurs {count} times: give finite counts of {least} or more")


def check_min_count(min_count: float) -> None:
    """Raises ValueError unless a pair must occur at least once to be merged."""
    if not min_count >= 1:
        raise ValueError(f"min_count is {min_count}: a pair must occur at least once to be merged, so give 1 or more")


def known_ids(ids: Iterable[int], vocabulary: Sized) -> Iterator[int]:
    """Yields the ids as whole numbers.

    Raises:
        ValueError: an id is no whole number, or not that of an entry of the vocabulary; Python would take −1 for the last one.
    """
    refuse_string(ids, "give a list of ids")
    if _is_truth(ids):  # a mask, most likely
        raise ValueError("the ids are truth values: give whole numbers")
    size = len(vocabulary)
    for i in items(ids, "ids"):
        if type(i) is not int:
            i = _whole(i)
        if not 0 <= i < size:
            raise ValueError(f"the id {i} is not in the vocabulary, whose ids are 0 to {size - 1}")
        yield i


def _whole(value: object) -> int:
    """Converts numpy's and torch's whole numbers to Python's; True is none, though Python and torch take it for 1."""
    try:
        if not _is_truth(value):
            return index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise ValueError(f"the id {repr(value)[:40]} is no whole number")


def _is_truth(value: object) -> bool:
    """Tells whether it is a truth value, or an array or a tensor of them."""
    return isinstance(value, bool) or str(getattr(value, "dtype", "")).endswith("bool")
