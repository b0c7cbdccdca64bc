"""Pre-trains BERT-small on the real text of the course, as fast as one GPU goes, and prints the FLOPs that it makes use of.

    OUT=results python tools/pretrain_real.py
    python tools/pretrain_real.py --language ko --size tiny --device cpu --steps 2000      (without a GPU)

bfloat16, fused AdamW, compiled layers, examples drawn by other processes. It stops after --minutes; called again it goes on. Each
call adds a row to bert.csv: loss, tokens a second, model FLOPs utilisation. The folder bert-SIZE-LANGUAGE holds the model, which
tools/finetune_real.py fine-tunes. It needs torch and what tools/gpu.py needs; run it from the repository's root.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import re
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import torch
from torch.utils.data import DataLoader
from tqdm import tqdm

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from etude.corpora import datasets  # noqa: E402
from etude.files import write_whole  # noqa: E402
from etude.models.bert import BertConfig, BertForPretraining, PretrainingBatch  # noqa: E402
from etude.models.checkpoints import save_bert  # noqa: E402
from etude.pretraining import Documents, Examples, Masking, Vocabulary  # noqa: E402
from etude.tokenizers.wordpiece import WordPiece  # noqa: E402
from etude.train import Plan, adamw, linear_schedule, train  # noqa: E402

LENGTH = 128  # tokens of a sequence
PART = 200  # steps, after which the state is saved and the clock looked at
# FLOPs a second of bfloat16 products without sparsity, from NVIDIA's data sheets.
PEAK = {"H100": 989.4e12, "H200": 989.4e12, "A100": 312e12}


VOCABULARY = {"en": "bert_vocab/vocab.txt", "ko": "koelectra_vocab/vocab.txt"}


def korean() -> Iterator[list[str]]:
    """Yields documents of sentences: film reviews that are not in NSMC's test, news, talk, about one and a half million words."""
    lines = datasets.text("nsmc_sample/reviews_200k.txt").splitlines()
    lines += [line.split("\t")[1] for line in datasets.text("tatoeba_koen/kor.txt").splitlines() if "\t" in line]
    for part in ("dev", "test"):
        lines += datasets.text(f"korean_english_news/korean-english-park.{part}.ko").splitlines()
    for start in range(0, len(lines), 20):
        yield lines[start : start + 20]


def english() -> Iterator[list[str]]:
    """Yields documents of sentences: articles, reviews, news and novels, about two and a half million words."""
    for name in ("wikitext2/valid.txt", "wikitext2/test.txt"):
        for article in re.split(r"^ = [^=].*$", datasets.text(name), flags=re.MULTILINE):
            yield re.findall(r"[^.]+\.", article)
    with zipfile.ZipFile(datasets.path("nltk_movie_reviews/movie_reviews.zip")) as reviews:
        for name in sorted(name for name in reviews.namelist() if name.endswith(".txt")):
            yield reviews.read(name).decode("latin-1").splitlines()
    with zipfile.ZipFile(datasets.path("nltk_brown/brown.zip")) as brown:
        for name in sorted(name for name in brown.namelist() if re.fullmatch(r"brown/c\w\d\d", name)):
            lines = brown.read(name).decode().split("\n")
            yield [" ".join(word.rpartition("/")[0] for word in line.split()) for line in lines]  # without the tags
    for name in ("tinyshakespeare/input.txt", "the_verdict/the-verdict.txt", "sentencepiece/botchan.txt"):
        paragraphs = datasets.text(name).split("\n\n")
        for start in range(0, len(paragraphs), 20):
            yield paragraphs[start : start + 20]


def as_ids(texts: Iterator[list[str]], tokenizer: WordPiece, kept: Path) -> Documents:
    """Cuts all documents into ids, a minute or two, and keeps them in a file for the next call."""
    if kept.is_file():
        documents: Documents = torch.load(kept, weights_only=True)
        return documents
    index = tokenizer.index
    made = []
    for sentences in tqdm(list(texts), desc="cutting text into pieces", unit="document"):
        ids = [[index[piece] for piece in tokenizer.tokenize(sentence)] for sentence in sentences if sentence.strip()]
        if len(ids) > 1:
            made.append(ids)
    torch.save(made, kept)
    return made


class Prefetched:
    """Hands out batches in the order of their numbers, which other processes have drawn meanwhile."""

    def __init__(self, examples: Examples, workers: int) -> None:
        self.examples, self.workers = examples, workers
        self.batches: Iterator[PretrainingBatch] | None = None

    def __call__(self, number: int) -> PretrainingBatch:
        if self.batches is None:  # where a cut training goes on
            numbers = range(number, 1_000_000_000)
            self.batches = iter(
                DataLoader(_Numbered(self.examples, numbers), batch_size=None, num_workers=self.workers)
            )
        return next(self.batches)


class _Numbered(torch.utils.data.Dataset[PretrainingBatch]):
    def __init__(self, examples: Examples, numbers: range) -> None:
        self.examples, self.numbers = examples, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, place: int) -> PretrainingBatch:
        return self.examples(self.numbers[place])


def flops_per_token(config: BertConfig, length: int, masked: float) -> float:
    """Counts the multiplications and additions of one training step for each token, forward and twice that backward."""
    width, layers = config.hidden_size, config.num_hidden_layers
    projections = 2 * layers * (4 * width * width + 2 * width * config.intermediate_size)
    attention = 2 * layers * 2 * length * width
    head = 2 * masked * (width * width + width * config.vocab_size)
    return 3 * (projections + attention + head)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="small", help="tiny, mini, small, medium, base or large")
    parser.add_argument("--language", default="en", choices=["en", "ko"])
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=128, help="sequences of a batch")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--minutes", type=float, default=8, help="stop after the part that is then being done")
    parser.add_argument(
        "--out", type=Path, default=Path(os.environ.get("OUT", "build/gpu")), help="default: $OUT, else build/gpu"
    )
    options = parser.parse_args()
    started, on_gpu = time.monotonic(), options.device == "cuda"
    options.out.mkdir(parents=True, exist_ok=True)
    language, name = options.language, f"bert-{options.size}-{options.language}"
    tokenizer = WordPiece(datasets.text(VOCABULARY[language]).splitlines(), lower=language == "en")
    texts = english() if language == "en" else korean()
    documents = as_ids(texts, tokenizer, options.out / f"documents-{language}.pt")
    # Reviews one after another have nothing to do with each other, so in Korean there are no next sentences to tell.
    examples = Examples(
        documents, Vocabulary(tokenizer), LENGTH, options.batch, Masking(), next_sentence=language == "en"
    )
    config = BertConfig.of_size(options.size, len(tokenizer.vocabulary))
    torch.manual_seed(0)
    model = BertForPretraining(config).to(options.device)
    if on_gpu:
        for layer in model.bert.layers:
            layer.compile(dynamic=True)  # in place: the names of the weights stay

    plan = Plan(
        0,
        linear_schedule(options.steps, options.steps // 10),
        device=options.device,
        precision=torch.bfloat16 if on_gpu else torch.float32,
        checkpoint=options.out / f"{name}.pt",
        title=name,
    )
    batches = Prefetched(examples, workers=max(1, (os.cpu_count() or 2) - 1))
    history = train(model, batches, plan)  # no step; takes up what an earlier call has done
    while len(history.losses) < options.steps and time.monotonic() - started < 60 * options.minutes:
        part = replace(plan, steps=min(options.steps, len(history.losses) + PART))
        history = train(model, batches, part, adamw(model, 5e-4))  # its state is that of the last part, from the file
    save_bert(model.eval().cpu(), options.out / name)
    write_whole(options.out / name / "vocab.txt", "\n".join(tokenizer.vocabulary) + "\n")
    hardware = torch.cuda.get_device_name() if on_gpu else platform.machine()
    used = history.tokens_per_second * flops_per_token(config, LENGTH, 0.15)
    peak = next((peak for card, peak in PEAK.items() if card in hardware), None)
    row = {
        "model": name,
        "steps": len(history.losses),
        "loss": round(sum(history.losses[-100:]) / len(history.losses[-100:]), 4),
        "tokens_per_second": round(history.tokens_per_second),
        "tflops": round(used / 1e12, 3),
        "mfu": round(used / peak, 4) if peak else "",
        "hardware": hardware,
        "torch": torch.__version__,
        "words": sum(len(ids) for ids in chain.from_iterable(documents)),
    }
    table = options.out / "bert.csv"
    new = not table.is_file()
    with table.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, row)
        if new:
            writer.writeheader()
        writer.writerow(row)
    print(", ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
