"""Real tasks with labels, in English and in Korean: what BERT is fine-tuned on outside the planted world.

`load("nsmc")` gives examples to train on and to test on. A corpus that comes without a test part is parted by the number of
its document (passage, premise), one in five for the test, so that no text stands in both. This module knows files and
formats; it must not know models, tokenizers or metrics.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from etude.corpora import datasets

Kind = Literal["label", "score", "tags", "answer", "choice"]
Item = TypeVar("Item")
TEST_SHARE = 5  # one document in so many is of the test


class Text(NamedTuple):
    """One text or two, and its class, or how alike they are."""

    first: str
    second: str | None
    label: int | float


class Words(NamedTuple):
    """Words (or characters) in order, and for each its tag: B-, I- and a kind of name, or O."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


class Question(NamedTuple):
    """A question on a passage; the answer stands there from character `start` on."""

    passage: str
    question: str
    answer: str
    start: int


class Choice(NamedTuple):
    """The beginning of a text, some ways to go on, and the number of the right one."""

    start: str
    endings: tuple[str, ...]
    label: int


class Split(NamedTuple, Generic[Item]):
    """The examples to train on, and those to test on."""

    train: list[Item]
    test: list[Item]


@dataclass(frozen=True)
class Task:
    """What is known of a task before it is read.

    Attributes:
        kind: what is answered: a class, a score from 0 to 5, a tag for each word, a place in a passage, one of some endings.
        classes: the names of the classes.
        files: names in the registry.
        unit: "word" or "character": what tags stand at, and what F1 of answers counts.
    """

    name: str
    title: str
    language: datasets.Language
    kind: Kind
    files: tuple[str, ...]
    read: Callable[[Sequence[str]], Split[Any]]
    classes: tuple[str, ...] = ()
    unit: Literal["word", "character"] = "word"


def load(name: str) -> Split[Any]:
    """Reads a task's examples.

    Raises:
        DataError: there is no task of this name, or a file of it cannot be had.
    """
    return task(name).read([datasets.text(file) for file in task(name).files])


def task(name: str) -> Task:
    """Finds a task by name.

    Raises:
        UnknownName: there is no task of this name; the error lists those that there are.
    """
    if name not in TASKS:
        raise datasets.UnknownName(f"There is no task {name!r}: choose one of {', '.join(TASKS)}.")
    return TASKS[name]


def sample(split: Split[Item], train: int, test: int, seed: int = 0) -> Split[Item]:
    """Draws at most so many examples of each part: corpora are often sorted, so the first ones are not like the rest."""
    draw = random.Random(seed)
    return Split(*(draw.sample(part, min(count, len(part))) for part, count in zip(split, (train, test), strict=True)))


def _parted(items: Iterable[tuple[int, Item]]) -> Split[Item]:
    """Parts (number of the document, example) into train and test."""
    split: Split[Item] = Split([], [])
    for document, item in items:
        (split.test if document % TEST_SHARE == TEST_SHARE - 1 else split.train).append(item)
    return split


def _rows(text: str, delimiter: str = "\t", header: bool = True) -> list[list[str]]:
    """Reads a table. In tables with tabs a quotation mark is a character like any other."""
    quoting: Any = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter, quoting=quoting) if row]
    return rows[1:] if header else rows


def _sst2(texts: Sequence[str]) -> Split[Text]:
    return Split(*([Text(row[0], None, int(row[1])) for row in _rows(text, header=False)] for text in texts))


def _polarity(texts: Sequence[str]) -> Split[Text]:
    return _parted(
        (number, Text(line.strip(), None, label))
        for label, text in enumerate(texts)  # bad first, then good
        for number, line in enumerate(text.strip().split("\n"))
    )


def _nsmc(texts: Sequence[str]) -> Split[Text]:
    return Split(*([Text(row[1], None, int(row[2])) for row in _rows(text) if row[1]] for text in texts))


def _stsb(texts: Sequence[str]) -> Split[Text]:
    return Split(*([Text(row[0], row[1], float(row[2])) for row in _rows(text, ",", False)] for text in texts))


def _korsts(texts: Sequence[str]) -> Split[Text]:
    return Split(*([Text(row[5], row[6], float(row[4])) for row in _rows(text)] for text in texts))


def _klue_sts(texts: Sequence[str]) -> Split[Text]:
    items = json.loads(texts[0])
    return _parted(
        (number, Text(item["sentence1"], item["sentence2"], float(item["labels"]["label"])))
        for number, item in enumerate(items)
    )


NLI = ("entailment", "neutral", "contradiction")


def _kornli(texts: Sequence[str]) -> Split[Text]:
    return Split(*([Text(row[0], row[1], NLI.index(row[2])) for row in _rows(text)] for text in texts))


def _klue_nli(texts: Sequence[str]) -> Split[Text]:
    items = json.loads(texts[0])
    numbers: dict[str, int] = {}  # premise → its number: each has several hypotheses
    return _parted(
        (
            numbers.setdefault(item["premise"], len(numbers)),
            Text(item["premise"], item["hypothesis"], NLI.index(item["gold_label"])),
        )
        for item in items
    )


def _boolq(texts: Sequence[str]) -> Split[Text]:
    return Split(*([Text(row[2], row[1], int(row[3].upper() == "TRUE")) for row in _rows(text)] for text in texts))


def _conll(text: str) -> list[Words]:
    """Reads blocks of lines "word, tab, tag" with a blank line between sentences; comments begin with ##."""
    sentences = []
    for block in re.split(r"\n\s*\n", text):
        rows = [line.rsplit("\t", 1) for line in block.split("\n") if "\t" in line and not line.startswith("## ")]
        marked = [(word, tag.strip()) for word, tag in rows if word.strip()]
        if marked:
            words, tags = zip(*marked, strict=True)
            sentences.append(Words(words, tags))
    return sentences


def _wnut(texts: Sequence[str]) -> Split[Words]:
    return Split(*map(_conll, texts))


def _klue_ner(texts: Sequence[str]) -> Split[Words]:
    return _parted(enumerate(_conll(texts[0])))


def _squad(texts: Sequence[str]) -> Split[Question]:
    return _parted(
        (
            number,
            Question(
                paragraph["context"],
                asked["question"],
                asked["answers"][0]["text"],
                asked["answers"][0]["answer_start"],
            ),
        )
        for number, article in enumerate(json.loads(texts[0])["data"])
        for paragraph in article["paragraphs"]
        for asked in paragraph["qas"]
    )


def _codah(texts: Sequence[str]) -> Split[Choice]:
    rows = _rows(texts[0], header=False)
    return _parted((number, Choice(row[1], tuple(row[2:6]), int(row[6]))) for number, row in enumerate(rows))


def _hellaswag(texts: Sequence[str]) -> Split[Choice]:
    return Split(*([Choice(row[0], tuple(row[1:5]), int(row[5])) for row in _rows(text)] for text in texts))


def _copa(texts: Sequence[str]) -> Split[Choice]:
    """Reads a sentence with "결과" (what came of it?) or "원인" (what caused it?) as the beginning."""
    return Split(
        *([Choice(f"{row[1]} {row[2]}", (row[3], row[4]), int(row[5]) - 1) for row in _rows(text)] for text in texts)
    )


def _files(folder: str, *files: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{file}" for file in files)


GOOD = ("bad", "good")
TASKS = {
    task.name: task
    for task in (
        Task("sst2", "SST-2, film reviews", "en", "label", _files("sst2", "train.tsv", "test.tsv"), _sst2, GOOD),
        Task(
            "polarity",
            "sentence polarity, film reviews",
            "en",
            "label",
            _files("nltk_sentence_polarity", "rt-polarity.neg", "rt-polarity.pos"),
            _polarity,
            GOOD,
        ),
        Task(
            "nsmc",
            "NSMC, film reviews",
            "ko",
            "label",
            _files("nsmc_sample", "ratings_train.txt", "ratings_test.txt"),
            _nsmc,
            GOOD,
        ),
        Task(
            "stsb",
            "STS-B, likeness",
            "en",
            "score",
            _files("stsb_en", "stsb-en-train.csv", "stsb-en-test.csv"),
            _stsb,
        ),
        Task("korsts", "KorSTS, likeness", "ko", "score", _files("korsts", "sts-train.tsv", "sts-test.tsv"), _korsts),
        Task("klue_sts", "KLUE-STS, likeness", "ko", "score", _files("klue", "klue-sts-v1.1_dev.json"), _klue_sts),
        Task(
            "kornli",
            "KorNLI (XNLI), inference",
            "ko",
            "label",
            _files("kornli", "xnli.dev.ko.tsv", "xnli.test.ko.tsv"),
            _kornli,
            NLI,
        ),
        Task(
            "klue_nli", "KLUE-NLI, inference", "ko", "label", _files("klue", "klue-nli-v1.1_dev.json"), _klue_nli, NLI
        ),
        Task(
            "boolq",
            "KoBEST BoolQ, yes or no",
            "ko",
            "label",
            _files("kobest", "BoolQ_train.tsv", "BoolQ_test.tsv"),
            _boolq,
            ("no", "yes"),
        ),
        Task(
            "wnut17",
            "WNUT-17, names in posts of several sites",
            "en",
            "tags",
            _files("wnut17", "wnut17train.conll", "emerging.test.annotated"),
            _wnut,
        ),
        Task(
            "klue_ner",
            "KLUE-NER, names, by character",
            "ko",
            "tags",
            _files("klue", "klue-ner-v1.1_dev.tsv"),
            _klue_ner,
            unit="character",
        ),
        Task("xquad", "XQuAD, questions", "en", "answer", _files("xquad_en", "xquad.en.json"), _squad),
        Task(
            "korquad",
            "KorQuAD 1.0, questions",
            "ko",
            "answer",
            _files("korquad1", "KorQuAD_v1.0_dev.json"),
            _squad,
            unit="character",
        ),
        Task("codah", "CODAH, endings", "en", "choice", _files("codah", "full_data.tsv"), _codah),
        Task(
            "hellaswag",
            "KoBEST HellaSwag, endings",
            "ko",
            "choice",
            _files("kobest", "HellaSwag_train.tsv", "HellaSwag_test.tsv"),
            _hellaswag,
        ),
        Task(
            "copa",
            "KoBEST COPA, cause and effect",
            "ko",
            "choice",
            _files("kobest", "COPA_train.tsv", "COPA_test.tsv"),
            _copa,
        ),
    )
}
