"""Benchmark of etude.sgns against gensim's Word2Vec: the same text, settings, epochs and two cores, in one run.

Both train from a list of sentences in memory, in turn, seed by seed; a time is the whole call, from sentences to
vectors. Corpora come through etude.data (ETUDE_MIRROR names a folder that has them). It knows nothing of lessons.
"""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # a waiting thread must not take a core from what is being timed

import json
import platform
import shlex
import statistics
import sys
import time
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import gensim.models
import torch
import typer
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from etude import data, evaluate, sgns
from etude.world import World

CORES = 2
LATEST = Path("build/bench/sgns.json")
WORLDS = (100_000, 1_000_000)  # tokens: one where analogies are half learnt, one where similarities are all but learnt
Corpus = list[list[str]]
Vectors = tuple[list[str], torch.Tensor]  # V words, (V, dim)


@dataclass(frozen=True)
class Task:
    """A corpus and what is asked of the vectors learnt from it."""

    name: str
    corpus: Corpus
    pairs: dict[str, list[tuple[str, str, float]]]
    questions: dict[str, list[tuple[str, str, str, str]]]

    def scores(self, words: list[str], vectors: torch.Tensor) -> dict[str, evaluate.Score]:
        correlations = {name: evaluate.similarity(vectors, words, pairs) for name, pairs in self.pairs.items()}
        shares = {name: evaluate.analogies(vectors, words, asked) for name, asked in self.questions.items()}
        return correlations | shares


def alphabetic(tokens: Iterable[str]) -> list[str]:
    return [token for token in tokens if token.isalpha()]


def zipped_lines(name: str, wanted: Callable[[str], bool]) -> list[str]:
    """The lower-cased lines of an archive's members, in the order of their names."""
    with zipfile.ZipFile(data.path(name)) as archive:
        members = sorted(filter(wanted, archive.namelist()))
        return [line for member in members for line in archive.read(member).decode().lower().splitlines()]


def real_text() -> Task:
    """WikiText-2 (validation, test), movie reviews and Brown: lower-cased alphabetic tokens, a sentence a line."""
    wiki = [line.lower() for part in ("valid", "test") for line in data.lines(f"wikitext2/{part}.txt")]
    reviews = zipped_lines("nltk_movie_reviews/movie_reviews.zip", lambda member: member.endswith(".txt"))
    brown = zipped_lines("nltk_brown/brown.zip", lambda member: len(member) == len("brown/ca01"))  # word/TAG
    sentences = [alphabetic(line.split()) for line in wiki + reviews]
    sentences += [alphabetic(token.rpartition("/")[0] for token in line.split()) for line in brown]
    simlex = [line.split("\t") for line in data.lines("word_eval_en/simlex999.txt") if not line.startswith("#")]
    pairs = {
        "WordSim-353": list(data.wordsim353().itertuples(index=False, name=None)),
        "SimLex-999": [(first, second, float(score)) for first, second, score in simlex],
    }
    return Task("real text", [sentence for sentence in sentences if sentence], pairs, {})


def embedded_world(tokens: int) -> Task:
    """The English world; its relation "control" has no answer in the text and is not asked."""
    world = World("en")
    questions = [question for name, asked in world.analogies("word").items() if name != "control" for question in asked]
    pairs = {"planted similarities": world.similarities("word")}
    return Task(f"world, {tokens:,} tokens", world.corpus(tokens), pairs, {"planted analogies": questions})


def ours(corpus: Corpus, epochs: int, seed: int) -> Vectors:
    found = sgns.train(corpus, epochs=epochs, seed=seed, progress=False)
    return found.words, found.vectors


def gensims(corpus: Corpus, epochs: int, seed: int) -> Vectors:
    """gensim's compiled skip-gram with the settings that are the defaults of sgns.train."""
    model = gensim.models.Word2Vec(
        corpus, sg=1, vector_size=100, window=5, negative=5, min_count=5, sample=1e-3, alpha=0.025, epochs=epochs,
        workers=CORES, seed=seed,
    )  # fmt: skip
    return list(model.wv.index_to_key), torch.from_numpy(model.wv.vectors)


SYSTEMS: dict[str, Callable[[Corpus, int, int], Vectors]] = {"ours": ours, "gensim": gensims}


def measure(task: Task, seeds: list[int], epochs: int) -> list[dict]:
    """One row for each seed and system; the system that goes first alternates."""
    known = sgns.Vocabulary.build(task.corpus)
    words = int(known.counts.sum()) * epochs
    rows = []
    for turn, seed in enumerate(tqdm(seeds, desc=task.name, unit="seed")):
        for name in sorted(SYSTEMS, reverse=turn % 2 == 0):
            started = time.perf_counter()
            vectors = SYSTEMS[name](task.corpus, epochs, seed)
            seconds = time.perf_counter() - started
            scores = {question: vars(score) for question, score in task.scores(*vectors).items()}
            rows.append({"system": name, "seed": seed, "words_per_second": words / seconds, "scores": scores})
    return rows


def spread(values: list[float], style: str) -> str:
    mean = f"{statistics.mean(values):{style}}"
    return f"{mean} ± {statistics.stdev(values):{style}}" if len(values) > 1 else mean


def table(results: dict[str, list[dict]]) -> Table:
    """Mean ± standard deviation over seeds; a ratio is ours to gensim's."""
    shown = Table("task", "measure", *SYSTEMS, "ratio", title="Skip-gram with negative sampling, mean ± sd over seeds")
    for task, rows in results.items():
        speeds = {name: [row["words_per_second"] for row in rows if row["system"] == name] for name in SYSTEMS}
        ratio = statistics.mean(speeds["ours"]) / statistics.mean(speeds["gensim"])
        shown.add_row(task, "words/s", *(spread(values, ",.0f") for values in speeds.values()), f"{ratio:.2f}")
        ratio = max(speeds["ours"]) / max(speeds["gensim"])  # whatever else runs on a machine only slows a run down
        shown.add_row(
            "", "words/s, fastest run", *(f"{max(values):,.0f}" for values in speeds.values()), f"{ratio:.2f}"
        )
        for name, score in rows[0]["scores"].items():
            found = [
                spread([row["scores"][name]["value"] for row in rows if row["system"] == system], ".3f")
                for system in SYSTEMS
            ]
            shown.add_row("", f"{name} ({score['covered']} of {score['total']})", *found)
    return shown


def processor() -> str:
    """The processor's name; Linux keeps it where Python does not look."""
    described = Path("/proc/cpuinfo")
    names = [line for line in described.read_text().splitlines() if "model name" in line] if described.exists() else []
    return names[0].partition(":")[2].strip() if names else platform.processor()


def main(
    seeds: Annotated[str, typer.Option(help="Seeds, separated by commas.")] = "1,2,3,4,5",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over each corpus.")] = 5,
    out: Annotated[Path | None, typer.Option(help=f"A second place for the results, beside {LATEST}.")] = None,
) -> None:
    """Compare etude.sgns with gensim's Word2Vec in speed and quality, on real text and on the embedded world.

    Examples:

    python ci/bench_sgns.py                        (five seeds, about five minutes on two cores)

    python ci/bench_sgns.py --seeds 7 --epochs 1   (a quick look)

    python ci/bench_sgns.py --out results.json     (keep the figures)
    """
    try:
        chosen = [int(seed) for seed in seeds.split(",")]
    except ValueError as error:
        message = f"{seeds!r} is not a list of whole numbers such as 1,2,3"
        raise typer.BadParameter(message, param_hint="seeds") from error
    torch.set_num_threads(CORES)
    results = {task.name: measure(task, chosen, epochs) for task in (real_text(), *map(embedded_world, WORLDS))}
    Console().print(table(results))
    report = {
        "command": shlex.join([Path(sys.executable).name, *sys.argv]),
        "hardware": {"processor": processor(), "cores": os.cpu_count(), "system": platform.platform()},
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("torch", "numpy", "gensim")},
        "wait_policy": os.environ["OMP_WAIT_POLICY"],
        "results": results,
    }
    for place in filter(None, (LATEST, out)):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        typer.echo(f"Written: {place}")


if __name__ == "__main__":
    typer.run(main)
