"""Renders docs/benchmarks.md from the recorded runs in benchmarks/results: no figure on that page is typed by hand."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from etude import plots

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"


def load(name: str) -> dict[str, Any] | None:
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def origin(result: dict[str, Any]) -> str:
    """Command, hardware and versions of a recorded run, in one line."""
    hardware = result["hardware"]
    machine = hardware if isinstance(hardware, str) else f"{hardware['processor']}, {hardware['cores']} cores"
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    return f"`{result['command']}`; {machine}; {versions}; commit {result.get('commit', 'not recorded')}."


def main_job(result: dict[str, Any]) -> list[str]:
    rows = [f"| demo: all lessons re-run, a sample class graded | {result['demo_seconds']} | |"]
    for profile, weeks in result["week_seconds"].items():
        for week, seconds in weeks.items():
            rows.append(f"| **{week}**, {profile} | {seconds} | under {result['goals'][profile][week]} |")
            lessons = result["lesson_seconds"][profile].items()
            rows += [f"| {name} | {s} | |" for name, s in lessons if name.startswith(f"{week}/")]
    text = "A week's lessons run side by side, one on each core, so that a week takes less than the sum of its lessons."
    return ["## The main job", "", text, "", "| | seconds | goal |", "|---|---|---|", *rows, "", origin(result), ""]


def embeddings(result: dict[str, Any]) -> list[str]:
    lines = [
        "## Word vectors against gensim with two workers",
        "",
        "Training goes in batches, in which a frequent word may occur about a dozen times only. In the small vocabulary of the embedded",
        "world, whose words share their n-grams, batches are therefore small; fastText trains rows that the same words have as one.",
        "",
        "| model, corpus | figure | Etude | gensim | ratio | goal |",
        "|---|---|---|---|---|---|",
    ]
    for corpus, runs in result["results"].items():
        both = [[run for run in runs if run["system"] == system] for system in ("ours", "gensim")]
        speeds = [[run["words_per_second"] for run in side] for side in both]
        seeds = f"{len(both[0])} seeds"
        lines.append(
            f"| {corpus} | words/s, median of {seeds} | "
            + " | ".join(f"{statistics.median(s):,.0f}" for s in speeds)
            + f" | {statistics.median(speeds[0]) / statistics.median(speeds[1]):.2f} | at least 1 |"
        )
        fastest = [max(s) for s in speeds]
        lines.append(
            f"| | words/s, fastest run | {fastest[0]:,.0f} | {fastest[1]:,.0f} | {fastest[0] / fastest[1]:.2f} | |"
        )
        for score, first in both[0][0]["scores"].items():
            values = [[run["scores"][score]["value"] for run in side] for side in both]
            cells = [
                f"{statistics.mean(v):.3f} ± {statistics.stdev(v):.3f}" if len(v) > 1 else f"{v[0]:.3f}" for v in values
            ]
            lines.append(
                f"| | {score} ({first['covered']} of {first['total']} covered) | {cells[0]} | {cells[1]} | | |"
            )
    lines += ["", "GloVe and LSA, the lessons' reference solutions, from sentences to vectors:", ""]
    lines += ["| model, corpus | seconds | planted similarities | planted analogies |", "|---|---|---|---|"]
    for corpus, models in result["alone"].items():
        for model, run in models.items():
            scores = " | ".join(f"{score['value']:.3f}" for score in run["scores"].values())
            lines.append(f"| {model}, {corpus} | {run['seconds']:.1f} | {scores} |")
    return [*lines, "", "Mean ± standard deviation over seeds. " + origin(result), ""]


def _median(runs: list[float] | None) -> str:
    return f"{statistics.median(runs):.2f}" if runs else ""


def tokenizers(result: dict[str, Any]) -> list[str]:
    words = sum(result["words"].values())
    lines = [f"## Tokenizers: {result['size']:,} pieces from {words:,} words", ""]
    lines += ["| | Etude | tokenizers | sentencepiece | ratio | goal |", "|---|---|---|---|---|---|"]
    sections = result["sections"]
    for name, section in sections.items():
        runs = section.get("seconds") or section.get("megabytes_per_second")
        if runs is None:
            continue
        unit = "s" if "seconds" in section else "MB/s"
        parts = runs.items() if "ours" not in runs else [("", runs)]
        for part, systems in parts:
            title = f"{name.replace('_', ' ')}{', ' * bool(part)}{part}, {unit}"
            cells = [_median(systems.get(system)) for system in ("ours", "tokenizers", "sentencepiece")]
            decides = name in result["goals"] and part in ("", "two cores")
            sign = "at most" if unit == "s" else "at least"
            goal = [f"{section['figure']:.2f}", f"{sign} {result['goals'][name]:g}"] if decides else ["", ""]
            lines.append(f"| {' | '.join([title, *cells, *goal])} |")
    if held := sections.get("unigram_training"):
        nats = [
            f"{held['held_out_nats_per_character'][system]:.3f}" for system in ("ours", "tokenizers", "sentencepiece")
        ]
        lines.append(f"| unigram, held-out nats per character | {' | '.join(nats)} | | |")
    if growth := sections.get("bpe_growth"):
        draw_growth(growth["points"], PAGE.parent / "images" / "bpe_growth.png")
        lines += ["", "Naive BPE counts every pair anew before each merge; the fast way keeps the counts:", ""]
        lines += ["![Seconds of naive and fast BPE training as words and merges grow](images/bpe_growth.png)"]
    agree = all(section["agree"] for section in sections.values())
    return [*lines, "", f"All results agree: {'yes' if agree else 'no'}. " + origin(result), ""]


def draw_growth(points: list[dict[str, Any]], path: Path) -> None:
    """Seconds of both algorithms, as the words grow at 100 merges, and as the merges grow at 2,000 words."""
    plots.style()
    figure, panels = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", sharey=True)
    for ax, grows, fixed, at in zip(panels, ("words", "merges"), ("merges", "words"), (100, 2000), strict=True):
        some = sorted((point for point in points if point[fixed] == at), key=lambda point: point[grows])
        for system in ("naive", "fast"):
            ax.loglog([point[grows] for point in some], [point[system] for point in some], "o-", label=system)
        ax.set_xticks([point[grows] for point in some], [f"{point[grows]:,}" for point in some])
        ax.minorticks_off()
        ax.set(xlabel=f"{'distinct ' * (grows == 'words')}{grows} ({at:,} {fixed})")
    panels[0].set(ylabel="seconds", title="Training BPE")
    panels[0].legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)


# figure → (its title, how it is written, how its goal is)
GRADING = {
    "speedup": ("submissions a minute, times nbgrader's", "{:.2f}", "at least {:g}"),
    "over_floor": ("the grader's time / that of the cells alone", "{:.2f}", "at most {:g}"),
    "warm_over_cold": ("first reply, warm / cold", "{:.2f}", "at most {:.2f}"),
    "own_memory_mb": ("own memory of a running kernel, MB", "{:.0f}", "at most {:g}"),
}


def grading(result: dict[str, Any]) -> list[str]:
    seconds, rates = result["seconds"], result["submissions_per_minute"]
    rows = [(f"submissions a minute, {name}", f"{rate:.1f}", "") for name, rate in rates.items()]
    rows += [(f"{name.replace('_', ' ')}, s", f"{value:.1f}", "") for name, value in seconds.items()]
    rows += [
        (title, written.format(result["figures"][name]), goal.format(result["goals"][name]))
        for name, (title, written, goal) in GRADING.items()
        if name in result["figures"]
    ]
    rows.append(("all scores agree", "yes" if result["scores_agree"] else "no", "yes"))
    return [
        f"## Grading {result['submissions']} submissions of plain nbgrader notebooks, {result['jobs']} at a time",
        "",
        "The floor under any grader is the time that the cells alone take, in as many plain processes as there are jobs, which",
        "have imported everything and used an optimiser before.",
        "",
        "| | measured | goal |",
        "|---|---|---|",
        *(f"| {a} | {b} | {c} |" for a, b, c in rows),
        "",
        origin(result),
        "",
    ]


MODELS = {
    "tiny": "BERT, L=2 H=128, V=8,000",
    "mini": "BERT, L=4 H=256, V=8,000",
    "tiny_full": "BERT, L=2 H=128, V=30,522",
    "mini_full": "BERT, L=4 H=256, V=30,522",
    "beam_search": "beam search to 128 tokens, cache against recomputation",
}
DISTILLED = {"distilled_1": "one text, ms", "distilled_32": "32 texts at a time, ms"}
ELECTRAS = {
    "mini": "L=4 H=256, V=8,000",
    "mini_full": "L=4 H=256, V=30,522",
    "small": "the published small: L=12 H=256, V=30,522",
}
TRAINING = [
    "| | Etude, tokens/s | transformers | its head on masked tokens alone | ratio | goal | ratio to the fourth column |",
    "|---|---|---|---|---|---|---|",
]


def training_row(title: str, section: dict[str, Any], goal: float) -> str:
    speeds = [f"{statistics.median(runs):,.0f}" for runs in section["tokens_per_second"].values()]
    ratios = [f"{section['figure']:.2f}", f"at least {goal:g}", f"{section['figure_masked_alone']:.2f}"]
    return f"| {' | '.join([title, *speeds, *ratios])} |"


def agreement(result: dict[str, Any]) -> list[str]:
    agree = all(section["agree"] for section in result["sections"].values())
    return ["", f"All results agree: {'yes' if agree else 'no'}. " + origin(result), ""]


def distilled(result: dict[str, Any]) -> list[str]:
    lines = [
        "",
        f"A distilled student beside its teacher, texts of {result['length']} tokens, the course's own models; a text's time is the",
        "batch's, and memory that of the weights in float32.",
        "",
        "| | DistilBERT | BERT base | ratio | goal |",
        "|---|---|---|---|---|",
    ]
    for name, title in DISTILLED.items():
        section, goal = result["sections"][name], result["goals"][name]
        times = [f"{1000 * statistics.median(runs):,.0f}" for runs in section["seconds"].values()]
        lines.append(f"| {title} | {' | '.join(times)} | {section['figure']:.2f} | at least {goal:g} |")
    student, teacher = section["megabytes"].values()
    return [*lines, f"| weights, MB | {student:.0f} | {teacher:.0f} | {teacher / student:.2f} | |"]


def models(result: dict[str, Any]) -> list[str]:
    lines = [
        f"## BERT's pre-training against transformers, {result['batch']} sequences of {result['length']} tokens",
        "",
        "Both start from the same weights and read the same batches; without dropout their losses agree step by step. transformers'",
        "BertForMaskedLM scores every token, ours the masked ones alone; in the fourth column the peer's head does so too.",
        "",
        *TRAINING,
    ]
    for name, title in MODELS.items():
        section, goal = result["sections"][name], result["goals"][name]
        if "tokens_per_second" in section:
            lines.append(training_row(title, section, goal))
        else:
            times = [f"{statistics.median(runs):.1f} s" for runs in section["seconds"].values()]
            lines.append(f"| {' | '.join([title, *times, ''])} | {section['figure']:.2f} | at least {goal:g} |  |")
    return [*lines, *distilled(result), *agreement(result)]


def electra(result: dict[str, Any]) -> list[str]:
    rows = [training_row(title, result["sections"][name], result["goal"]) for name, title in ELECTRAS.items()]
    return [
        f"## ELECTRA's pre-training against transformers, {result['batch']} sequences of {result['length']} tokens",
        "",
        "A generator a quarter as wide and a discriminator, with shared embeddings. transformers has both models and no joint",
        "training: its side puts them together. All sides start from the same weights, read the same batches and draw the same",
        "words; without dropout their losses agree step by step. As it comes the peer's generator scores every token; in the fourth column",
        "its head is given the masked ones alone, as ours is, and then both are equally fast.",
        "",
        *TRAINING,
        *rows,
        *agreement(result),
    ]


GPTS = {
    "tiny": "training, L=2 H=128: Etude, transformers, plain",
    "mini": "training, L=4 H=256: Etude, transformers, plain",
    "writing_1": "one text: cache, recomputed, transformers' generate",
    "writing_16": "16 texts: cache, recomputed, transformers' generate",
}


def gpt(result: dict[str, Any]) -> list[str]:
    lines = [
        f"## GPT against transformers and a plain GPT-2, V={result['vocabulary']:,}",
        "",
        f"Training on {result['batch']} sequences of {result['length']} tokens from the same weights; without dropout the losses",
        "agree step by step. The plain one is the shortest code that trains. Texts are written greedily to 256 tokens, and are the same.",
        "",
        "| | Etude | peer | another peer | times the peer | goal | times the other |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, section in result["sections"].items():
        goal = f"at least {result['goals'][name]:g}"
        if "tokens_per_second" in section:
            figures = [f"{statistics.median(runs):,.0f} tokens/s" for runs in section["tokens_per_second"].values()]
            other = section["figure_plain"]
        else:
            figures = [f"{statistics.median(runs):.2f} s" for runs in section["seconds"].values()]
            other = section["figure_transformers"]
        ratios = [f"{section['figure']:.2f}", goal, f"{other:.2f}"]
        lines.append(f"| {' | '.join([GPTS[name], *figures, *ratios])} |")
    return [*lines, *agreement(result)]


def machines(result: dict[str, Any]) -> list[str]:
    alone = result["alone"]
    rows = []
    for name, run in result.items():
        unlike = sum(run["points"].get(who) != points for who, points in alone["points"].items())
        status = f"{run['status']}, {len(run['files_changed'])} committed files changed"
        rows.append(f"| {name} | {run['seconds']:.0f} | {status} | {unlike} of {len(alone['points'])} |")
    return [
        "## The main job on unlike machines",
        "",
        "The same commit from an empty build folder. Limits are multiples of what the reference spends on the same machine, in",
        "processor time, so a slow or busy machine takes longer and gives the same points. Other work ran beside these runs: the",
        "points count here, the seconds do not.",
        "",
        "| machine | seconds | status | submissions whose points differ |",
        "|---|---|---|---|",
        *rows,
        "",
        origin(alone | {"command": "python benchmarks/bench_machines.py"}),
        "",
    ]


def report(result: dict[str, Any]) -> list[str]:
    pages = {name: size for name, size in result["mb"].items() if name.endswith(".html")}
    rows = [
        f"| processor time, s | {result['seconds']:.1f} | under {result['goals']['seconds']:g} |",
        f"| the two pages together, MB | {sum(pages.values()):.2f} | under {result['goals']['mb']:g} |",
        *(f"| {name}, MB | {size:.2f} | |" for name, size in result["mb"].items()),
    ]
    return [
        f"## The report of a class of {result['students']}, {result['lessons']} lessons",
        "",
        "The class is made from verdicts, nothing is graded: `grader report` reads them, compares what was handed in and writes all",
        f"pages. Other work ran beside, so processor time counts; by the clock it was {result['seconds_by_the_clock']:.0f} s.",
        "",
        "| | measured | goal |",
        "|---|---|---|",
        *rows,
        "",
        origin(result),
        "",
    ]


def main() -> None:
    sections = {
        "run": main_job,
        "machines": machines,
        "embeddings": embeddings,
        "tokenizers": tokenizers,
        "tokenizers_encoding": tokenizers,
        "grading": grading,
        "report": report,
        "models": models,
        "electra": electra,
        "gpt": gpt,
    }
    lines = [
        "# Benchmarks",
        "",
        "Rendered by `python tools/render_benchmarks.py` from the recorded runs in benchmarks/results. Commands are as they were",
        "recorded: the scripts of benchmarks lay in ci before.",
        "",
    ]
    for name, section in sections.items():
        if (result := load(name)) is not None:
            lines += section(result)
    PAGE.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
