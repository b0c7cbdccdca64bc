"""Byte-level BPE, as in GPT-2: text as UTF-8 bytes, so that 256 tokens spell anything in any language.

Table, pattern and files are those that Radford et al. 2019 ("Language Models are Unsupervised Multitask Learners",
section 2.2) published with the model. The merges are `etude.tokenizers.bpe`'s; this module adds the way from text to words of bytes
and back, which loses nothing. It knows nothing of models.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import regex

from etude.corpora import datasets
from etude.tokenizers.bpe import BPE, Cache
from etude.tokenizers.bpe import train as train_words

# GPT-2's words: English endings, then letters, digits or signs, each with the blank before it, then white space.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


def byte_table() -> list[str]:
    """The character that stands for each of the 256 bytes in GPT-2's files.

    A byte that prints as a character of Latin-1 stands for itself; the other 68, in order, for the characters from
    U+0100 on: the blank, byte 32, is Ġ. This is a way of writing bytes without blanks and control characters, not an encoding.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


BYTES = byte_table()
VALUES = {character: byte for byte, character in enumerate(BYTES)}


def split(text: str) -> list[str]:
    """GPT-2's words; joined they are the text."""
    return PATTERN.findall(text)


def spell(word: str) -> str:
    """A word's UTF-8 bytes, each as its character of the table: 눈 → ëĪĪ. Raises UnicodeEncodeError for a lone surrogate."""
    return "".join([BYTES[byte] for byte in word.encode("utf-8")])


def train(lines: Iterable[str], size: int, *, min_count: int = 1) -> ByteBPE:
    """A vocabulary of `size` entries from lines of text: the 256 bytes, then merges (`etude.tokenizers.bpe.train` says which)."""
    words = Counter(chain.from_iterable(map(PATTERN.findall, lines)))
    spelled = {spell(word): count for word, count in words.items()}
    return ByteBPE(train_words(spelled, size, alphabet=BYTES, min_count=min_count))


def load(encoder: Path, merges: Path) -> ByteBPE:
    """A vocabulary in GPT-2's two files: encoder.json (token → id) and vocab.bpe (a pair a line, by rank).

    Raises ValueError if they do not belong together.
    """
    index: dict[str, int] = json.loads(encoder.read_text(encoding="utf-8"))
    if sorted(index.values()) != list(range(len(index))):
        raise ValueError(f"the ids in {encoder} are not 0 to {len(index) - 1}, each once: this is no vocabulary")
    lines = merges.read_text(encoding="utf-8").split("\n")
    pairs = [tuple(line.split(" ")) for line in lines if line and not line.startswith("#version")]
    if bad := [pair for pair in pairs if len(pair) != 2]:
        raise ValueError(f"{merges} holds a line that is no pair: {' '.join(bad[0])!r}")
    return ByteBPE(BPE(sorted(index, key=index.__getitem__), [(a, b) for a, b in pairs]))


def gpt2() -> ByteBPE:
    """GPT-2's own vocabulary of 50,257 entries. Raises like `data.path`."""
    return load(datasets.path("gpt2_vocab/encoder.json"), datasets.path("gpt2_vocab/vocab.bpe"))


@dataclass(frozen=True)
class ByteBPE:
    """Merges of bytes. Encoding never meets an unknown character; decoding gives back the text, byte for byte."""

    bpe: BPE

    @cached_property
    def cache(self) -> Cache:
        """Word of the text → ids."""
        return Cache(self.encode_word)

    def encode_word(self, word: str) -> list[int]:
        """The ids of one of the words that `split` gives. Raises UnicodeEncodeError for half of a surrogate pair."""
        return self.bpe.encode_word(spell(word))

    def encode(self, text: str) -> list[int]:
        """The ids of a text. Raises ValueError for half of a surrogate pair, which is no character."""
        try:
            return list(chain.from_iterable(map(self.cache.__getitem__, PATTERN.findall(text))))
        except UnicodeEncodeError:
            place = next(i for i, c in enumerate(text) if "\ud800" <= c <= "\udfff")
            raise ValueError(
                f"character {place} of the text, {text[place]!r}, is half of a surrogate pair and has no bytes in UTF-8: "
                "read the text anew with the encoding it was written in"
            ) from None

    def tokens(self, text: str) -> list[str]:
        """The same as strings, in the characters of the table: Ġ is a blank."""
        return [self.bpe.vocabulary[i] for i in self.encode(text)]

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of some ids."""
        return bytes(VALUES[c] for i in ids for c in self.bpe.vocabulary[i])

    def decode(self, ids: Iterable[int]) -> str:
        """The text of some ids; bytes that are no character, such as a third of a syllable, become U+FFFD."""
        return self.decode_bytes(ids).decode("utf-8", errors="replace")
