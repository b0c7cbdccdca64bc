"""BPE as Sennrich, Haddow and Birch 2016 use it (arXiv:1508.07909): words between blanks, with a mark at their ends.

The merges are `etude.tokenizers.bpe`'s, which knows words alone. This module adds the way from text to words and back,
and the file. A text comes back with one blank between words: what byte-level BPE does not lose is lost here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Self

import regex

from etude.strings import check_string
from etude.tokenizers import bpe, files
from etude.tokenizers.tokenizer import check_special, check_texts, known_ids, special_ids, special_list, whole_words

WORD = regex.compile(r"\S+")  # not str.split: to that, \x1c to \x1f are white space, and to Unicode they are not
END = "</w>"
UNKNOWN = "<unk>"


def _split(text: str) -> list[str]:
    """Splits a text into the words between its blanks; refuses what is no string."""
    check_string(text, "text")
    return WORD.findall(text)


@dataclass(frozen=True)
class WordBPE:
    """Merges of characters within words. Without the mark, "low" in "lower" and the word "low" would be one token.

    Raises ValueError unless the merges have the mark </w> and the unknown token <unk>, and for a special token that is not
    in the vocabulary, or that a text could be cut into.
    """

    merging: bpe.BPE
    special: Sequence[str] = (UNKNOWN,)

    def __post_init__(self) -> None:
        if (self.merging.suffix, self.merging.unknown) != (END, UNKNOWN):
            raise ValueError(
                f"words end with {END!r} and unknown characters are {UNKNOWN!r} here: train with these marks"
            )
        merged = {a + b for a, b in self.merging.merges}
        check_special(self.special, {*merged, *(t for t in self.special if len(t.removesuffix(END)) == 1)})
        special_ids(self.special, self.merging.index)

    @classmethod
    def train(
        cls, texts: Iterable[str], size: int, *, special_tokens: Sequence[str] = (UNKNOWN,), min_count: int = 1
    ) -> Self:
        """Learns a vocabulary: special tokens, characters, characters at a word's end, then merges.

        `etude.tokenizers.bpe.train` says which pairs are merged. A word that spells </w> or a special token is not learnt from,
        so that no merge makes one.

        Args:
            special_tokens: must hold <unk>.
            min_count: a pair that occurs less often is not merged.

        Raises:
            ValueError: `size` is less than single characters need, the texts are one string or one of them is none, the
                special tokens lack <unk> or are no strings, or `min_count` is below 1.
        """
        check_texts(texts)
        special = special_list(special_tokens, [UNKNOWN])
        marks = (END, *special)
        words = Counter(chain.from_iterable(map(_split, texts)))
        plain = {word: count for word, count in words.items() if not any(mark in word for mark in marks)}
        learnt = bpe.train(plain, size - len(special), suffix=END, min_count=min_count)
        vocabulary = [*special, *learnt.vocabulary]
        return cls(bpe.BPE(vocabulary, learnt.merges, END, UNKNOWN), special)

    @property
    def vocabulary(self) -> Sequence[str]:
        """The tokens; a token's id is its place."""
        return self.merging.vocabulary

    @cached_property
    def special_tokens(self) -> dict[str, int]:
        """Special token → id."""
        return special_ids(self.special, self.merging.index)

    def encode(self, text: str) -> list[int]:
        """Encodes a text's words as ids; a character that is not in the vocabulary is <unk>.

        Raises:
            ValueError: the text is no string.
        """
        return self.merging.encode(_split(text))

    def encode_iterable(self, chunks: Iterable[str]) -> Iterator[int]:
        """Encodes the chunks joined and gives the ids one by one; a chunk may end within a word.

        Raises:
            ValueError: a chunk is no string.
        """
        return chain.from_iterable(map(self.encode, whole_words(chunks)))

    def decode(self, ids: Iterable[int]) -> str:
        """Decodes ids to words with a blank between them; an unknown character at a word's end takes the blank with it.

        Raises:
            ValueError: an id is no whole number, or not in the vocabulary.
        """
        silent = {i for token, i in self.special_tokens.items() if token != UNKNOWN}
        tokens = [self.vocabulary[i] for i in known_ids(ids, self.vocabulary) if i not in silent]
        words = [f"{token.removesuffix(END)} " if token.endswith(END) else token for token in tokens]
        return "".join(words).removesuffix(" ")

    def save(self, path: Path) -> None:
        """Writes tokenizer.json, whole or not at all.

        Raises:
            OSError: the file cannot be written.
        """
        merging = self.merging
        files.write(
            path,
            files.bpe_model(merging.index, merging.merges, END, UNKNOWN),
            self.special_tokens,
            pre_tokenizer={"type": "WhitespaceSplit"},
            decoder={"type": "BPEDecoder", "suffix": END},
        )

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads tokenizer.json.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is not of this kind.
        """
        with files.opened(path, "BPE") as file:
            file.expect_bpe(END)
            file.expect("model.unk_token", UNKNOWN)
            file.expect("normalizer", None)
            file.expect("pre_tokenizer", {"type": "WhitespaceSplit"})
            file.expect("post_processor", None)
            return cls(bpe.BPE(file.vocabulary, file.merges(), END, UNKNOWN), file.special)
