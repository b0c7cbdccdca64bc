"""Benchmark of word vectors against gensim: word2vec and fastText on the same text, settings, epochs and two cores, in one run.

Both sides train from a list of sentences in memory, in turn, seed by seed; a time is the whole call, from sentences to
vectors. GloVe and LSA, which gensim has not or not for words, are timed alone, with the lessons' reference solutions.
Corpora come through etude.corpora (ETUDE_MIRROR names a folder that has them).
"""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # a waiting thread must not take a core from what is being timed

import json
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import gensim.models
import torch
import typer
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from etude import corpora
from etude.corpora import datasets
from etude.embeddings import evaluate, fasttext, sgns
from etude.embeddings.cooccurrence import cooccurrence
from etude.world import World
from grader.course import Course
from grader.lessons import source
from grader.provenance import head

CORES = 2
LATEST = Path("build/bench/embeddings.json")
BUCKETS = 200_000  # of fastText, on both sides
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
        shares = {name: evaluate.analogies(vectors, words, some) for name, some in self.questions.items()}
        return correlations | shares


def alphabetic(tokens: Iterable[str]) -> list[str]:
    return [token for token in tokens if token.isalpha()]


def english() -> Task:
    """WikiText-2 (validation, test), movie reviews and Brown: lower-cased alphabetic tokens, a sentence a line."""
    wiki = [line.split() for part in ("valid", "test") for line in datasets.lines(f"wikitext2/{part}.txt")]
    texts = [*wiki, *corpora.movie_reviews(), *corpora.brown()]
    simlex = [line.split("\t") for line in datasets.lines("word_eval_en/simlex999.txt") if not line.startswith("#")]
    pairs = {
        "WordSim-353": list(datasets.wordsim353().itertuples(index=False, name=None)),
        "SimLex-999": [(first, second, float(score)) for first, second, score in simlex],
    }
    sentences = [alphabetic(token.lower() for token in tokens) for tokens in texts]
    return Task("English text", [*filter(None, sentences)], pairs, {"Google's analogies": asked("en")})


def korean() -> Task:
    """200,000 film reviews, words between blanks that are letters alone; particles stay on their nouns."""
    pairs = {"WordSim-353 in Korean": list(datasets.wordsim353("ko").itertuples(index=False, name=None))}
    sentences = [alphabetic(review.split()) for review in corpora.nsmc()]
    return Task("Korean text", [*filter(None, sentences)], pairs, {"Korean analogies": asked("ko")})


def asked(language: datasets.Language) -> list[tuple[str, str, str, str]]:
    return list(datasets.analogies(language)[["a", "b", "c", "d"]].itertuples(index=False, name=None))


def embedded_world(tokens: int) -> Task:
    """The English world; its relation "control" has no answer in the text and is not asked."""
    world = World("en")
    questions = [question for name, some in world.analogies("word").items() if name != "control" for question in some]
    pairs = {"planted similarities": world.similarities("word")}
    return Task(f"world, {tokens:,} tokens", world.corpus(tokens), pairs, {"planted analogies": questions})


SETTINGS = {
    "sg": 1, "vector_size": 100, "window": 5, "negative": 5, "min_count": 5, "sample": 1e-3, "alpha": 0.025,
    "workers": CORES,
}  # fmt: skip  # gensim's names for the defaults of sgns.train and fasttext.train


def word2vec_ours(corpus: Corpus, epochs: int, seed: int) -> Vectors:
    found = sgns.train(corpus, epochs=epochs, seed=seed, progress=False)
    return found.words, found.vectors


def word2vec_gensim(corpus: Corpus, epochs: int, seed: int) -> Vectors:
    model = gensim.models.Word2Vec(corpus, epochs=epochs, seed=seed, **SETTINGS)
    return list(model.wv.index_to_key), torch.from_numpy(model.wv.vectors)


def fasttext_ours(corpus: Corpus, epochs: int, seed: int) -> Vectors:
    found = fasttext.train(corpus, epochs=epochs, seed=seed, buckets=BUCKETS, progress=False)
    return found.words, found.vectors


def fasttext_gensim(corpus: Corpus, epochs: int, seed: int) -> Vectors:
    model = gensim.models.FastText(corpus, epochs=epochs, seed=seed, bucket=BUCKETS, min_n=3, max_n=6, **SETTINGS)
    return list(model.wv.index_to_key), torch.from_numpy(model.wv.vectors)


Train = Callable[[Corpus, int, int], Vectors]
MODELS: dict[str, dict[str, Train]] = {
    "word2vec": {"ours": word2vec_ours, "gensim": word2vec_gensim},
    "fastText": {"ours": fasttext_ours, "gensim": fasttext_gensim},
}


def measure(model: str, task: Task, seeds: list[int], epochs: int) -> list[dict[str, Any]]:
    """One row for each seed and system; the system that goes first alternates."""
    known = sgns.Vocabulary.build(task.corpus)
    words = int(known.counts.sum()) * epochs
    rows = []
    for turn, seed in enumerate(tqdm(seeds, desc=f"{model}, {task.name}", unit="seed")):
        for name in sorted(MODELS[model], reverse=turn % 2 == 0):
            started = time.perf_counter()
            vectors = MODELS[model][name](task.corpus, epochs, seed)
            seconds = time.perf_counter() - started
            scores = {question: vars(score) for question, score in task.scores(*vectors).items()}
            rows.append({"system": name, "seed": seed, "words_per_second": words / seconds, "scores": scores})
    return rows


def counted(task: Task) -> dict[str, dict[str, Any]]:
    """Seconds and scores of GloVe and LSA, each from the sentences on, as the lessons' reference solutions have them."""
    words = sgns.Vocabulary.build(task.corpus).words
    references = {name: source.namespace(Course().lesson(name)) for name in ("glove", "sparse")}
    found = {}
    for name, fit in (("GloVe", _glove), ("LSA", _lsa)):
        started = time.perf_counter()
        vectors = fit(task.corpus, words, references)
        seconds = time.perf_counter() - started
        found[name] = {
            "seconds": seconds,
            "scores": {key: vars(score) for key, score in task.scores(words, vectors).items()},
        }
    return found


def _glove(corpus: Corpus, words: list[str], references: dict[str, dict[str, Any]]) -> torch.Tensor:
    table = cooccurrence(corpus, words, 5, "harmonic")
    vectors, contexts, *_ = references["glove"]["train_glove"](table.indices(), table.values().float(), len(words))
    total: torch.Tensor = vectors + contexts
    return total


def _lsa(corpus: Corpus, words: list[str], references: dict[str, dict[str, Any]]) -> torch.Tensor:
    table = cooccurrence(corpus, words, 5).to_dense()
    vectors: torch.Tensor = references["sparse"]["lsa"](references["sparse"]["ppmi"](table), 64)
    return vectors


def spread(values: list[float], style: str) -> str:
    mean = f"{statistics.mean(values):{style}}"
    return f"{mean} ± {statistics.stdev(values):{style}}" if len(values) > 1 else mean


def table(results: dict[str, list[dict[str, Any]]]) -> Table:
    """Mean ± standard deviation over seeds; a ratio is ours to gensim's."""
    systems = ("ours", "gensim")
    shown = Table("task", "measure", *systems, "ratio", title="Word vectors, mean ± sd over seeds")
    for task, rows in results.items():
        speeds = {name: [row["words_per_second"] for row in rows if row["system"] == name] for name in systems}
        ratio = statistics.mean(speeds["ours"]) / statistics.mean(speeds["gensim"])
        shown.add_row(task, "words/s", *(spread(values, ",.0f") for values in speeds.values()), f"{ratio:.2f}")
        ratio = max(speeds["ours"]) / max(speeds["gensim"])  # whatever else runs on a machine only slows a run down
        shown.add_row(
            "", "words/s, fastest run", *(f"{max(values):,.0f}" for values in speeds.values()), f"{ratio:.2f}"
        )
        for name, score in rows[0]["scores"].items():
            found = [
                spread([row["scores"][name]["value"] for row in rows if row["system"] == system], ".3f")
                for system in systems
            ]
            shown.add_row("", f"{name} ({score['covered']} of {score['total']})", *found)
    return shown


def main(
    seeds: Annotated[str, typer.Option(help="Seeds, separated by commas.")] = "1,2,3",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over each corpus.")] = 5,
    out: Annotated[Path | None, typer.Option(help=f"A second place for the results, beside {LATEST}.")] = None,
) -> None:
    """Compare word2vec and fastText with gensim's in speed and quality, on real text and on the embedded world.

    Examples:

    python benchmarks/bench_embeddings.py                        (three seeds, about sixteen minutes on two cores)

    python benchmarks/bench_embeddings.py --seeds 7 --epochs 1   (a quick look)

    python benchmarks/bench_embeddings.py --out results.json     (keep the figures)
    """
    try:
        chosen = [int(seed) for seed in seeds.split(",")]
    except ValueError as error:
        message = f"{seeds!r} is not a list of whole numbers such as 1,2,3"
        raise typer.BadParameter(message, param_hint="seeds") from error
    torch.set_num_threads(CORES)
    tasks = (english(), korean(), *map(embedded_world, WORLDS))
    results = {f"{model}, {task.name}": measure(model, task, chosen, epochs) for model in MODELS for task in tasks}
    Console().print(table(results))
    alone = {task.name: counted(task) for task in tasks[2:]}
    report = {
        **head(shlex.join([Path(sys.executable).name, *sys.argv]), "gensim"),
        "wait_policy": os.environ["OMP_WAIT_POLICY"],
        "results": results,
        "alone": alone,
    }
    for place in filter(None, (LATEST, out)):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        typer.echo(f"Written: {place}")


if __name__ == "__main__":
    typer.run(main)
