"""Byte-level BPE, as in GPT-2: text as UTF-8 bytes, so that 256 tokens spell anything in any language.

Table, pattern and files are those that Radford et al. 2019 ("Language Models are Unsupervised Multitask Learners",
section 2.2) published with the model. The merges are `etude.tokenizers.bpe`'s; this module adds the way from text to words of bytes
and back, which loses nothing. It knows nothing of models.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Self

import regex

from etude.corpora import datasets
from etude.strings import check_string
from etude.tokenizers import files
from etude.tokenizers.bpe import BPE, Cache
from etude.tokenizers.bpe import train as train_words
from etude.tokenizers.tokenizer import check_special, check_texts, known_ids, special_ids, special_list, whole_words

# GPT-2's words: English endings, then letters, digits or signs, each with the blank before it, then white space.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


def byte_table() -> list[str]:
    """Lists the character that stands for each of the 256 bytes in GPT-2's files.

    A byte that prints as a character of Latin-1 stands for itself; the other 68, in order, for the characters from
    U+0100 on: the blank, byte 32, is Ġ. This is a way of writing bytes without blanks and control characters, not an encoding.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


BYTES = byte_table()
VALUES = {character: byte for byte, character in enumerate(BYTES)}

FILE_STEP = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}  # splitting and spelling, in a file


def split(text: str) -> list[str]:
    """Splits a text into GPT-2's words; joined they are the text.

    Raises:
        ValueError: the text is no string.
    """
    check_string(text, "text")
    return PATTERN.findall(text)


def spell(word: str) -> str:
    """Spells a word's UTF-8 bytes, each as its character of the table: 눈 → ëĪĪ.

    Raises:
        ValueError: the word is no string, or holds half of a surrogate pair, which is no character.
    """
    check_string(word, "word")
    try:
        return "".join([BYTES[byte] for byte in word.encode("utf-8")])
    except UnicodeEncodeError as error:
        raise ValueError(
            f"the word {word!r} holds half of a surrogate pair, {word[error.start]!r}, which has no bytes in UTF-8: "
            "read the text anew with the encoding it was written in"
        ) from None


def train(lines: Iterable[str], size: int, *, special_tokens: Sequence[str] = (), min_count: int = 1) -> ByteBPE:
    """Learns a vocabulary of `size` entries from lines of text: the 256 bytes, then merges.

    `etude.tokenizers.bpe.train` says which pairs are merged.

    Args:
        special_tokens: come last, as <|endoftext|> does in GPT-2, and a word that spells one is not learnt from.
        min_count: a pair that occurs less often is not merged.

    Raises:
        ValueError: the bytes and special tokens alone are more than `size`, the lines are one string, one of them is none or
            holds half of a surrogate pair, a special token is no string, or `min_count` is below 1.
    """
    check_texts(lines)
    special_tokens = special_list(special_tokens)
    check_special(special_tokens, VALUES)
    words = Counter(chain.from_iterable(map(split, lines)))
    spelled = {spell(word): count for word, count in words.items()}
    if special_tokens:
        spelled = {word: count for word, count in spelled.items() if not any(t in word for t in special_tokens)}
    learnt = train_words(spelled, size - len(special_tokens), alphabet=BYTES, min_count=min_count)
    return ByteBPE(BPE([*learnt.vocabulary, *special_tokens], learnt.merges), special_tokens)


def gpt2() -> ByteBPE:
    """Reads GPT-2's own vocabulary of 50,257 entries.

    Raises:
        DataError: as for `datasets.path`.
    """
    return ByteBPE.from_gpt2_files(datasets.path("gpt2_vocab/encoder.json"), datasets.path("gpt2_vocab/vocab.bpe"))


@dataclass(frozen=True)
class ByteBPE:
    """Merges of bytes. Encoding never meets an unknown character; decoding gives back the text, byte for byte.

    Raises ValueError for a special token that is not in the vocabulary, or that a text could be cut into.
    """

    bpe: BPE
    special: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.special:
            check_special(self.special, {*BYTES, *(a + b for a, b in self.bpe.merges)})
            special_ids(self.special, self.bpe.index)

    @classmethod
    def train(
        cls, texts: Iterable[str], size: int, *, special_tokens: Sequence[str] = (), min_count: int = 1
    ) -> ByteBPE:
        """Learns as the function `train` of this module does."""
        return train(texts, size, special_tokens=special_tokens, min_count=min_count)

    @property
    def vocabulary(self) -> Sequence[str]:
        """The tokens in the characters of the table; a token's id is its place."""
        return self.bpe.vocabulary

    @cached_property
    def special_tokens(self) -> dict[str, int]:
        """Special token → id."""
        return special_ids(self.special, self.bpe.index)

    @cached_property
    def cache(self) -> Cache[int]:
        """Word of the text → ids."""
        return Cache(self.encode_word)

    def encode_word(self, word: str) -> list[int]:
        """Encodes one of the words that `split` gives as ids.

        Raises:
            ValueError: the word is no string, or holds half of a surrogate pair, which is no character.
        """
        return self.bpe.encode_word(spell(word))

    def encode(self, text: str) -> list[int]:
        """Encodes a text as ids.

        Raises:
            ValueError: the text is no string, or holds half of a surrogate pair, which is no character.
        """
        return list(chain.from_iterable(map(self.cache.__getitem__, split(text))))

    def encode_iterable(self, chunks: Iterable[str]) -> Iterator[int]:
        """Encodes the chunks joined and gives the ids one by one; a chunk may end within a word.

        Raises:
            ValueError: as for `encode`, of each chunk.
        """
        return chain.from_iterable(map(self.encode, whole_words(chunks)))

    def tokens(self, text: str) -> list[str]:
        """Cuts a text into its tokens, as strings in the characters of the table: Ġ is a blank.

        Raises:
            ValueError: as for `encode`.
        """
        return [self.bpe.vocabulary[i] for i in self.encode(text)]

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Decodes ids to bytes; special tokens have none.

        Raises:
            ValueError: an id is no whole number, or not in the vocabulary.
        """
        return b"".join(map(self._bytes.__getitem__, known_ids(ids, self._bytes)))

    def decode(self, ids: Iterable[int]) -> str:
        """Decodes ids to a text; bytes that are no character, such as a third of a syllable, become U+FFFD.

        Raises:
            ValueError: an id is no whole number, or not in the vocabulary.
        """
        return self.decode_bytes(ids).decode("utf-8", errors="replace")

    @cached_property
    def _bytes(self) -> list[bytes]:
        """The bytes of each id."""
        special = set(self.special)
        return [b"" if token in special else bytes(VALUES[c] for c in token) for token in self.vocabulary]

    def save(self, path: Path) -> None:
        """Writes tokenizer.json, whole or not at all.

        Raises:
            OSError: the file cannot be written.
        """
        files.write(
            path,
            files.bpe_model(self.bpe.index, self.bpe.merges, "", None),
            self.special_tokens,
            pre_tokenizer={**FILE_STEP, "trim_offsets": True},
            post_processor={**FILE_STEP, "trim_offsets": False},
            decoder={**FILE_STEP, "trim_offsets": True},
        )

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads tokenizer.json.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is not of this kind.
        """
        with files.opened(path, "BPE") as file:
            file.expect_bpe("")
            file.expect("normalizer", None)
            file.expect("pre_tokenizer", FILE_STEP)
            file.expect("post_processor.type", None, FILE_STEP["type"])  # counts places in the text, changes no id
            return cls._with_all_bytes(BPE(file.vocabulary, file.merges()), file.special)

    @classmethod
    def from_gpt2_files(cls, encoder: Path, merges: Path) -> Self:
        """Reads GPT-2's two files: encoder.json (token → id) and vocab.bpe (a pair a line, by rank).

        What is no byte and made by no merge is a special token: <|endoftext|>.

        Raises:
            OSError: a file cannot be read.
            ValueError: the files do not belong together.
        """
        index: dict[str, int] = json.loads(encoder.read_text(encoding="utf-8"))
        if sorted(index.values()) != list(range(len(index))):
            raise ValueError(f"the ids in {encoder} are not 0 to {len(index) - 1}, each once: this is no vocabulary")
        lines = merges.read_text(encoding="utf-8").split("\n")
        pairs = [tuple(line.split(" ")) for line in lines if line and not line.startswith("#version")]
        if bad := [pair for pair in pairs if len(pair) != 2]:
            raise ValueError(f"{merges} holds a line that is no pair: {' '.join(bad[0])!r}")
        vocabulary = sorted(index, key=index.__getitem__)
        text_tokens = {*BYTES, *(a + b for a, b in pairs)}
        special = tuple(token for token in vocabulary if token not in text_tokens)
        return cls._with_all_bytes(BPE(vocabulary, [(a, b) for a, b in pairs]), special)

    @classmethod
    def _with_all_bytes(cls, bpe: BPE, special: Sequence[str]) -> Self:
        if lost := [byte for byte, character in enumerate(BYTES) if character not in bpe.index]:
            raise ValueError(f"the vocabulary lacks the byte {lost[0]}, so some text has no ids: train with all 256")
        return cls(bpe, special)
