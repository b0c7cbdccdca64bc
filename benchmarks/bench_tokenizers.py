"""Benchmark of the course's tokenizers against the Rust library Hugging Face tokenizers, on one corpus of real texts.

Each section is a function of the corpus's lines that knows nothing of the others and returns its figures. Whatever is
timed is also compared: a section says whether both sides gave the same result.
"""

from __future__ import annotations

import io
import json
import math
import multiprocessing
import os
import shlex
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, islice
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Annotated, Any, TypeVar, TypeVarTuple

import sentencepiece
import typer
from rich.console import Console
from rich.table import Table
from tokenizers import ByteLevelBPETokenizer, Tokenizer, models, normalizers, pre_tokenizers, trainers

from etude import corpora
from etude.corpora import datasets
from etude.tokenizers import bpe, byte_bpe, unigram
from grader.provenance import head

Given = TypeVarTuple("Given")
Result = TypeVar("Result")

LATEST = Path("build/bench/tokenizers.json")
REPEATS = 3
CORES = 2
GOALS = {
    "bpe_training": 4.0,
    "bpe_encoding": 0.5,
    "unigram_training": 1.0,
}  # at most that many times Rust's time; at least that share of its speed

console = Console()


# The corpus.


def corpus(words: int) -> tuple[list[str], dict[str, int]]:
    """(lines, words of each source) of different real lines, up to `words` words in all; fewer if fewer are there."""
    lines: dict[str, None] = {}
    sizes: dict[str, int] = {}
    for name, source in SOURCES.items():
        sizes[name] = 0
        for line in source():
            found = line.split()
            if line in lines or not found:
                continue
            room = words - sum(sizes.values())
            if room <= 0:
                break
            lines[line if len(found) <= room else " ".join(found[:room])] = None
            sizes[name] += min(len(found), room)
    return list(lines), sizes


def reviews() -> Iterator[str]:
    for part in ("train", "test"):
        yield from corpora.nsmc_ratings(part)["document"]


SOURCES: dict[str, Callable[[], Iterator[str]]] = {
    "wikitext2": lambda: map(" ".join, datasets.wikitext2()),
    "nsmc_sample": reviews,
    "nltk_brown": lambda: map(" ".join, corpora.brown()),
    "nltk_movie_reviews": lambda: map(" ".join, corpora.movie_reviews()),
}


# Sections.


def bpe_training(lines: list[str], size: int) -> dict[str, Any]:
    """Lines to merges, words split at blanks: ours counts and merges in Python, theirs in Rust on all cores."""

    def ours() -> list[tuple[str, str]]:
        return list(bpe.train(Counter(chain.from_iterable(map(str.split, lines))), size).merges)

    def theirs() -> list[tuple[str, str]]:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=size, show_progress=False))
        return [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]

    seconds: dict[str, list[float]] = {"ours": [], "tokenizers": []}
    for _ in range(REPEATS):  # in turn, so that a busy machine is as busy for both
        mine, spent = timed(ours)
        seconds["ours"].append(spent)
        library, spent = timed(theirs)
        seconds["tokenizers"].append(spent)
    return {
        "seconds": seconds,
        "figure": statistics.median(seconds["ours"]) / statistics.median(seconds["tokenizers"]),
        "distinct_words": len(Counter(chain.from_iterable(map(str.split, lines)))),
        "merges": len(mine),
        "agree": mine == library,
    }


def bpe_growth(lines: list[str], size: int) -> dict[str, Any]:
    """Seconds of the naive algorithm and of the fast one, by the number of distinct words and by the number of merges."""
    counts = Counter(chain.from_iterable(map(str.split, lines)))
    points, agree = [], True
    for words, merges in [*((n, 100) for n in (1000, 2000, 4000, 8000)), *((2000, n) for n in (50, 200, 400, 800))]:
        some = dict(islice(counts.items(), words))
        total = len(set().union(*some)) + merges
        naive, naive_seconds = timed(bpe.train_naive, some, total)
        fast, fast_seconds = timed(bpe.train, some, total)
        agree &= naive == fast
        points.append({"words": words, "merges": merges, "naive": naive_seconds, "fast": fast_seconds})
    return {"points": points, "agree": agree}


def bpe_encoding(lines: list[str], size: int) -> dict[str, Any]:
    """Byte-level encoding, one line at a time, from an empty cache: alone, and with two threads against two processes."""
    megabytes = sum(len(line.encode()) for line in lines) / 1e6
    ours = byte_bpe.train(lines, size)
    merges = [(a, b) for a, b in ours.bpe.merges]

    def theirs() -> ByteLevelBPETokenizer:
        return ByteLevelBPETokenizer(ours.bpe.index, merges)  # a new one has an empty cache too

    alone: dict[str, list[float]] = {"ours": [], "tokenizers": []}
    both: dict[str, list[float]] = {"ours": [], "tokenizers": []}
    chunks = [lines[i : i + 1000] for i in range(0, len(lines), 1000)]  # all at once would take gigabytes
    context = multiprocessing.get_context("spawn")
    with context.Pool(CORES, _receive, (ours, lines, context.Barrier(CORES))) as pool:
        pool.map(_ready, range(CORES), chunksize=1)
        for _ in range(REPEATS):
            fresh, library = byte_bpe.ByteBPE(ours.bpe), theirs()
            ids, spent = timed(lambda fresh: [fresh.encode(line) for line in lines], fresh)
            alone["ours"].append(megabytes / spent)
            agree, spent = timed(lambda library: [library.encode(line).ids for line in lines], library)
            alone["tokenizers"].append(megabytes / spent)
            _, spent = timed(lambda: pool.map(_encode_share, range(CORES), chunksize=1))
            both["ours"].append(megabytes / spent)
            library = theirs()
            _, spent = timed(
                lambda library: [[e.ids for e in library.encode_batch(chunk)] for chunk in chunks], library
            )
            both["tokenizers"].append(megabytes / spent)
    words = sum(len(line.split()) for line in lines)
    tokens = sum(map(len, ids))
    return {
        "megabytes_per_second": {"one core": alone, "two cores": both},
        "figure": statistics.median(both["ours"]) / statistics.median(both["tokenizers"]),
        "figure_one_core": statistics.median(alone["ours"]) / statistics.median(alone["tokenizers"]),
        "megabytes": megabytes,
        "tokens": tokens,
        "tokens_per_word": tokens / words,
        "bytes_per_token": 1e6 * megabytes / tokens,
        "words_in_cache": len(fresh.cache),
        "vocabulary_bytes": sum(len(ours.decode_bytes([i])) for i in range(size)),
        "agree": ids == agree,
    }


# A worker's own.
_tokenizer: byte_bpe.ByteBPE
_lines: list[str]
_barrier: Barrier


def _receive(tokenizer: byte_bpe.ByteBPE, lines: list[str], barrier: Barrier) -> None:
    """A worker's tokenizer and lines, there before the clock starts."""
    global _tokenizer, _lines, _barrier
    _tokenizer, _lines, _barrier = tokenizer, lines, barrier


def _ready(_: int) -> None:
    """Waits for the other workers, so that each takes one call."""
    _barrier.wait()


def _encode_share(share: int) -> int:
    _barrier.wait()
    fresh = byte_bpe.ByteBPE(_tokenizer.bpe)
    return sum(len(fresh.encode(line)) for line in _lines[share::CORES])


def unigram_training(lines: list[str], size: int) -> dict[str, Any]:
    """Lines to a unigram model: ours on one core, the libraries on all; every twentieth line is held out to compare them.

    "Agree" means that ours explains the held-out lines at least as well as either library, to 0.01 nats a character.
    """
    lines = [line.replace(unigram.UNKNOWN, "") for line in lines]  # a word of WikiText-2, a sign to the libraries
    held = lines[::20]
    learnt = [line for i, line in enumerate(lines) if i % 20]

    def ours() -> unigram.Unigram:
        return unigram.train(unigram.count_words(learnt), size)

    def tokenizers() -> unigram.Unigram:
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
        )
        special = list(unigram.SPECIAL)
        trainer = trainers.UnigramTrainer(
            vocab_size=size, show_progress=False, special_tokens=special, unk_token=unigram.UNKNOWN
        )
        tokenizer.train_from_iterator(learnt, trainer)
        return unigram.Unigram(*zip(*json.loads(tokenizer.to_str())["model"]["vocab"], strict=True))

    def sentencepieces() -> unigram.Unigram:
        return _same_model(_sentencepiece(learnt, size))

    systems = {"ours": ours, "tokenizers": tokenizers, "sentencepiece": sentencepieces}
    seconds: dict[str, list[float]] = {name: [] for name in systems}
    found: dict[str, unigram.Unigram] = {}
    for _ in range(REPEATS):  # in turn, so that a busy machine is as busy for all
        for name, system in systems.items():
            found[name], spent = timed(system)
            seconds[name].append(spent)
    characters = sum(len(unigram.mark(line)) for line in held)
    words = sum(len(line.split()) for line in held)
    nats = {name: -sum(map(model.log_likelihood, held)) / characters for name, model in found.items()}
    return {
        "seconds": seconds,
        "figure": statistics.median(seconds["ours"]) / statistics.median(seconds["tokenizers"]),
        "figure_sentencepiece": statistics.median(seconds["ours"]) / statistics.median(seconds["sentencepiece"]),
        "pieces": {name: len(model.pieces) for name, model in found.items()},
        "held_out_nats_per_character": nats,
        "held_out_tokens_per_word": {
            name: sum(len(model.tokenize(line)) for line in held) / words for name, model in found.items()
        },
        "agree": nats["ours"] <= min(nats.values()) + 0.01,
    }


def unigram_encoding(lines: list[str], size: int) -> dict[str, Any]:
    """SentencePiece's own model, one line at a time on one core, from an empty cache: do both give the same ids?

    Where two cuts are equally probable (oo oo o, oo o oo) either is right, and the rounding of sums decides for one. A few
    characters are normalised otherwise there: see `unigram.mark`.
    """
    megabytes = sum(len(line.encode()) for line in lines) / 1e6
    library = _sentencepiece(lines, size)
    speeds: dict[str, list[float]] = {"ours": [], "sentencepiece": []}
    for _ in range(REPEATS):
        fresh = _same_model(library)
        ids, spent = timed(lambda fresh: [fresh.encode(line) for line in lines], fresh)
        speeds["ours"].append(megabytes / spent)
        agree, spent = timed(lambda: [library.encode(line) for line in lines])
        speeds["sentencepiece"].append(megabytes / spent)
    score = fresh.scores.__getitem__
    other = [(line, a, b) for line, a, b in zip(lines, ids, agree, strict=True) if a != b]
    otherwise = [unigram.mark(line) != library.normalize(line) for line, *_ in other]
    ties = [math.isclose(sum(map(score, a)), sum(map(score, b)), rel_tol=1e-6) for _, a, b in other]
    return {
        "megabytes_per_second": speeds,
        "figure": statistics.median(speeds["ours"]) / statistics.median(speeds["sentencepiece"]),
        "megabytes": megabytes,
        "lines_cut_otherwise": len(other),
        "of_these_as_probable": sum(ties),
        "of_these_normalised_otherwise": sum(otherwise),
        "agree": all(tie or changed for tie, changed in zip(ties, otherwise, strict=True)),
    }


def _sentencepiece(lines: list[str], size: int) -> sentencepiece.SentencePieceProcessor:
    """A model that SentencePiece learns by our rules: every character is kept, and a piece may hold letters beside signs."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=size, num_threads=CORES, character_coverage=1.0,
        split_by_unicode_script=False, split_by_number=False, max_sentence_length=1_000_000, minloglevel=2,
    )  # fmt: skip
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def _same_model(library: sentencepiece.SentencePieceProcessor) -> unigram.Unigram:
    ids = range(library.get_piece_size())
    return unigram.Unigram([library.id_to_piece(i) for i in ids], [library.get_score(i) for i in ids])


SECTIONS: dict[str, Callable[[list[str], int], dict[str, Any]]] = {
    "bpe_training": bpe_training,
    "bpe_growth": bpe_growth,
    "bpe_encoding": bpe_encoding,
    "unigram_training": unigram_training,
    "unigram_encoding": unigram_encoding,
}


# The report.


def timed(call: Callable[[*Given], Result], *given: *Given) -> tuple[Result, float]:
    """(what the call returned, seconds)."""
    started = time.perf_counter()
    result = call(*given)
    return result, time.perf_counter() - started


def main(
    words: Annotated[int, typer.Option(min=1000, help="Words of the corpus, at most.")] = 2_000_000,
    size: Annotated[int, typer.Option(min=500, help="Entries of each vocabulary.")] = 8000,
    only: Annotated[list[str] | None, typer.Option(help=f"A section; repeat it: {', '.join(SECTIONS)}.")] = None,
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = LATEST,
) -> None:
    """Train and encode with the course's tokenizers and with the Rust library, and compare.

    \b
    python benchmarks/bench_tokenizers.py                                   (some minutes; build/bench/tokenizers.json)
    python benchmarks/bench_tokenizers.py --words 100000 --only bpe_training  (a quick look)
    """
    asked = only or list(SECTIONS)
    if unknown := [name for name in asked if name not in SECTIONS]:
        raise typer.BadParameter(f"there is no section {unknown[0]!r}; there are {', '.join(SECTIONS)}")
    os.environ["RAYON_NUM_THREADS"] = str(CORES)  # read when Rust's threads start
    os.environ["TOKENIZERS_PARALLELISM"] = "true"
    lines, sources = corpus(words)
    console.print(f"{sum(sources.values()):,} words of {words:,} asked for: {sources}")
    report: dict[str, Any] = {
        **head(shlex.join(["python", *sys.argv]), "tokenizers", "sentencepiece", "regex"),
        "load": os.getloadavg()[0],
        "words": sources,
        "lines": len(lines),
        "size": size,
        "sections": {},
    }
    for name in asked:
        found, spent = timed(SECTIONS[name], lines, size)
        report["sections"][name] = found
        console.print(f"{name}: {spent:.0f} s")
    report["goals"] = GOALS
    report["met"] = {name: _met(name, report["sections"][name]["figure"]) for name in GOALS if name in asked}
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    show(report)
    if not all(section["agree"] for section in report["sections"].values()):
        raise typer.Exit(1)


def _met(name: str, figure: float) -> bool:
    return figure <= GOALS[name] if name.endswith("training") else figure >= GOALS[name]


def show(report: dict[str, Any]) -> None:
    table = Table("section", "figure", "goal", "met", "same results")
    for name, section in report["sections"].items():
        goal = f"{'<=' if name.endswith('training') else '>='} {GOALS[name]:.1f}" if name in GOALS else ""
        figure = f"{section['figure']:.2f}" if "figure" in section else ""
        met = {True: "yes", False: "no", None: ""}[report["met"].get(name)]
        table.add_row(name, figure, goal, met, "yes" if section["agree"] else "no")
    console.print(table)
    console.print("training: seconds over Rust's; encoding: megabytes a second over Rust's, both on two cores")


if __name__ == "__main__":
    typer.run(main)
