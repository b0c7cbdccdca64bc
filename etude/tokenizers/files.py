"""Tokenizers as files: tokenizer.json, the format of Hugging Face tokenizers, written whole and read with care.

The format names each step from text to ids (normalizer, pre_tokenizer, model, post_processor) and back (decoder). This
module knows the format; which steps a class takes is said by the class. The decoder is written but not read: a
class has its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from etude.files import write_whole

Json = dict[str, Any]
BPE_AS_PUBLISHED: Json = {"dropout": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False}


# Writing.


def write(path: Path, model: Json, special: Mapping[str, int], **steps: Json) -> None:
    """Writes a model (with its "type" and "vocab"), its special tokens and the steps that it has beside.

    What was at the path stays until the new file is whole.

    Raises:
        OSError: the file cannot be written.
        ValueError: a token holds half of a surrogate pair.
    """
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    content = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": i, "content": token, **flags} for token, i in sorted(special.items(), key=_by_id)],
        **dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder")),
        **steps,
        "model": model,
    }
    text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False).encode("utf-8")
    write_whole(path, text)


def bpe_model(index: Mapping[str, int], merges: Sequence[tuple[str, str]], suffix: str, unknown: str | None) -> Json:
    """Makes the model of both kinds of BPE, as a file has it."""
    marks = {"unk_token": unknown, "continuing_subword_prefix": None, "end_of_word_suffix": suffix or None}
    return {"type": "BPE", **BPE_AS_PUBLISHED, **marks, "vocab": dict(index), "merges": [list(pair) for pair in merges]}


def _by_id(item: tuple[str, int]) -> int:
    return item[1]


# Reading.


@contextmanager
def opened(path: Path, kind: str) -> Iterator[TokenizerFile]:
    """Holds a file with a model of one kind ("BPE", "WordPiece", "Unigram") while the block runs.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not of this kind, or the block refuses it; every ValueError of the block names the file.
    """
    try:
        yield _read(path, kind)
    except ValueError as error:
        raise ValueError(f"{path} cannot be loaded: {error}") from error


@dataclass(frozen=True)
class TokenizerFile:
    """What a tokenizer.json holds.

    Attributes:
        vocabulary: the tokens by id, special ones included.
        scores: of a unigram model's pieces, else empty.
    """

    content: Json
    vocabulary: list[str]
    scores: list[float]
    special: tuple[str, ...]

    def value(self, place: str) -> Any:
        """Returns what stands at a place such as "normalizer.lowercase", None if nothing does."""
        value: Any = self.content
        for key in place.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def expect(self, place: str, *known: Any) -> None:
        """Raises ValueError unless one of the known values stands there; "trim_offsets" does not matter to ids."""
        value = self.value(place)
        if isinstance(value, dict):
            value = {key: part for key, part in value.items() if key != "trim_offsets"}
        if value not in known:
            shown, wanted = (json.dumps(part, ensure_ascii=False)[:300] for part in (value, known[0]))
            raise ValueError(f"its {place} is {shown}, and this class can only {wanted}: use Hugging Face tokenizers")

    def expect_bpe(self, suffix: str) -> None:
        """Raises ValueError unless the merges are used as `etude.tokenizers.bpe` uses them."""
        for key, value in BPE_AS_PUBLISHED.items():
            self.expect(f"model.{key}", value, None)
        self.expect("model.continuing_subword_prefix", None, "")
        self.expect("model.end_of_word_suffix", *((suffix,) if suffix else (None, "")))

    def merges(self) -> list[tuple[str, str]]:
        """Reads the merges of a BPE model by rank; older files write a pair as one string with a blank."""
        rows = self.value("model.merges")
        if not isinstance(rows, list):
            raise ValueError("its model has no list of merges: save the tokenizer again")
        pairs = [row.split(" ") if isinstance(row, str) else row for row in rows]
        for pair in pairs:
            if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
                raise ValueError(f"{pair!r} among its merges is no pair of tokens: save the tokenizer again")
        return [(a, b) for a, b in pairs]


def _read(path: Path, kind: str) -> TokenizerFile:
    try:
        content = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no whole JSON ({error}): save the tokenizer again, or copy the file again") from error
    model = content.get("model") if isinstance(content, dict) else None
    if not isinstance(model, dict):
        raise ValueError('it has no "model", so it is no tokenizer.json: name a file that `save` wrote')
    if model.get("type") != kind:
        raise ValueError(f"its model is of type {model.get('type')!r}, not {kind!r}: use the class for that type")
    vocabulary, scores = _scored(model) if kind == "Unigram" else (_indexed(model), [])
    special = _add_special(content, vocabulary)
    file = TokenizerFile(content, vocabulary, scores, special)
    file.expect("truncation", None)
    file.expect("padding", None)
    return file


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no number of JSON")


def _indexed(model: Json) -> list[str]:
    """Reads the tokens of a vocabulary that is written as token → id."""
    index = model.get("vocab")
    if not isinstance(index, dict) or not all(type(i) is int for i in index.values()):
        raise ValueError("its model has no vocabulary of tokens and ids: save the tokenizer again")
    if sorted(index.values()) != list(range(len(index))):
        raise ValueError(f"its ids are not 0 to {len(index) - 1}, each once: save the tokenizer again")
    return sorted(index, key=index.__getitem__)


def _scored(model: Json) -> tuple[list[str], list[float]]:
    """Reads the pieces and scores of a vocabulary that is written as a list of [piece, score]."""
    rows = model.get("vocab")
    if not isinstance(rows, list):
        raise ValueError("its model has no list of pieces and scores: save the tokenizer again")
    for row in rows:
        match row:
            case [str(), int() | float()]:
                pass
            case _:
                raise ValueError(f"{row!r} in its vocabulary is no piece with its score: save the tokenizer again")
    return [piece for piece, _ in rows], [float(score) for _, score in rows]


def _add_special(content: Json, vocabulary: list[str]) -> tuple[str, ...]:
    """Reads the special tokens by id, and puts those that the model does not have at the end of the vocabulary."""
    rows = content.get("added_tokens")
    if not isinstance(rows, list):
        raise ValueError("it has no list of added_tokens: save the tokenizer again")
    special: list[tuple[int, str]] = []
    for row in rows:
        match row:
            case {"id": int(i), "content": str(token), "special": True}:
                special.append((i, token))
            case _:
                shown = json.dumps(row, ensure_ascii=False)[:300]
                raise ValueError(f"its added token {shown} is not special, which no class here can do: make it special")
    for i, token in sorted(special):
        if i == len(vocabulary):
            vocabulary.append(token)
        elif not 0 <= i < len(vocabulary) or vocabulary[i] != token:
            raise ValueError(f"its special token {token!r} is not what the id {i} stands for: save the tokenizer again")
    return tuple(token for _, token in sorted(special))
