"""Fine-tuning a BERT on a real task, and its scores on the test (Devlin et al. 2019, section 4 and appendix A.3).

Shapes: B examples of N tokens, C endings, K classes or tags.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from etude.corpora.tasks import Question, Split, Task
from etude.finetuning import encode, score
from etude.finetuning.encode import Collate, Encoder, Row
from etude.finetuning.score import Scores
from etude.models.bert import IGNORED, Bert
from etude.models.bert_heads import BertChooser, BertClassifier, BertReader, BertTagger
from etude.tokenizers.wordpiece import WordPiece
from etude.train import Plan, adamw, linear_schedule, train

LONGEST_ANSWER = 20  # tokens
TEST_BATCH = 64


@dataclass(frozen=True)
class Setting:
    """How a model is fine-tuned.

    Attributes:
        rate: the highest learning rate, reached after a tenth of the steps.
        length: the most tokens of a text or a window.
    """

    steps: int = 600
    batch_size: int = 32
    rate: float = 5e-4
    length: int = 128
    seed: int = 0
    device: str = "cpu"


def finetune(task: Task, split: Split[Any], encoder: Bert, tokenizer: WordPiece, setting: Setting) -> Scores:
    """Trains the encoder and a new head on a task and scores it on the test."""
    torch.manual_seed(setting.seed)
    rows_of = Encoder(tokenizer, setting.length)
    if task.kind == "tags":
        return _tags(split, encoder, rows_of, setting)
    if task.kind == "answer":
        return _answers(task, split, encoder, rows_of, setting)
    model: Any
    row_of: Any
    if task.kind == "choice":
        model, row_of, collate = BertChooser(encoder), rows_of.choice, encode.choice_batch
    elif task.kind == "score":
        model, row_of, collate = BertClassifier(encoder, 1), rows_of.text, encode.score_batch
    else:
        model, row_of, collate = BertClassifier(encoder, len(task.classes)), rows_of.text, encode.label_batch
    learn(model, [row for item in split.train for row in row_of(item)], collate, setting)
    rows = [row for item in split.test for row in row_of(item)]
    logits = torch.cat(list(_logits(model, rows, collate, setting)))  # (items, K), of endings (items, C)
    truth = [item.label for item in split.test]
    if task.kind == "score":
        return score.of_scores(truth, logits[:, 0].tolist())
    best = logits.argmax(dim=-1).tolist()
    return score.of_labels(truth, best) if task.kind == "label" else score.of_choices(truth, best)


def learn(model: nn.Module, rows: Sequence[Row], collate: Collate, setting: Setting) -> None:
    """Trains a model on rows drawn from all of them; the same batch at the same step whatever was done before."""

    def batches(number: int) -> Any:
        draw = random.Random(f"{setting.seed} {number}")
        return collate(draw.choices(rows, k=setting.batch_size))

    schedule = linear_schedule(setting.steps, setting.steps // 10)
    train(model, batches, Plan(setting.steps, schedule, device=setting.device), adamw(model, setting.rate))
    model.eval()


def _tags(split: Split[Any], encoder: Bert, rows_of: Encoder, setting: Setting) -> Scores:
    """Tags words; one that was cut off has the tag O."""
    tags = sorted({tag for item in split.train for tag in item.tags}, reverse=True)  # O first
    seen = [item for item in split.test if set(item.tags) <= set(tags)]
    model = BertTagger(encoder, len(tags))
    learn(model, [rows_of.words(item, tags)[0] for item in split.train], encode.tag_batch, setting)
    rows = [rows_of.words(item, tags)[0] for item in seen]
    answers = []
    for part, logits in zip(_parts(rows), _logits(model, rows, encode.tag_batch, setting, segments=False), strict=True):
        for row, best in zip(part, logits.argmax(dim=-1).tolist(), strict=True):
            firsts = [place for place, label in enumerate(row["labels"]) if label != IGNORED]
            answers.append([tags[best[place]] for place in firsts])
    padded = [[*found, *["O"] * (len(item.words) - len(found))] for item, found in zip(seen, answers, strict=True)]
    return score.of_tags([item.tags for item in seen], padded)


def _answers(task: Task, split: Split[Any], encoder: Bert, rows_of: Encoder, setting: Setting) -> Scores:
    model = BertReader(encoder)
    learn(model, [row for item in split.train for row in rows_of.windows(item)], encode.span_batch, setting)
    found = [read(model, item, rows_of, setting.device) for item in split.test]
    return score.of_answers([item.answer for item in split.test], found, task.unit)


@torch.inference_mode()
def read(model: BertReader, item: Question, rows_of: Encoder, device: str) -> str:
    """Finds the best answer of all windows: the span with the largest sum of its start's and its end's score."""
    rows = list(rows_of.windows(item))
    batch = encode.span_batch(rows)
    starts, ends = model.logits(batch.tokens.to(device), batch.segments.to(device))  # (W, N) each
    best, where = float("-inf"), (0, 0)
    for row, start, end in zip(rows, starts.cpu(), ends.cpu(), strict=True):
        size = len(row["places"])
        inside = slice(row["begins"], row["begins"] + size)
        sums = start[inside, None] + end[None, inside]  # (M, M)
        sums = sums.masked_fill(~torch.ones(size, size, dtype=torch.bool).triu().tril(LONGEST_ANSWER - 1), -torch.inf)
        place = int(sums.argmax())
        if float(sums.flatten()[place]) > best:
            best = float(sums.flatten()[place])
            where = row["places"][place // size][0], row["places"][place % size][1]
    return item.passage[where[0] : where[1]]


def _parts(rows: Sequence[Row]) -> list[Sequence[Row]]:
    return [rows[start : start + TEST_BATCH] for start in range(0, len(rows), TEST_BATCH)]


@torch.inference_mode()
def _logits(
    model: Any, rows: Sequence[Row], collate: Callable[..., Any], setting: Setting, *, segments: bool = True
) -> Iterator[torch.Tensor]:
    for part in _parts(rows):
        batch = collate(part)
        given = [batch.tokens, batch.segments] if segments else [batch.tokens]
        yield model.logits(*(tensor.to(setting.device) for tensor in given)).cpu()
