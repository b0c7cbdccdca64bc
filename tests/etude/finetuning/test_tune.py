"""A small BERT learns each kind of answer on examples where a word decides it."""

from typing import Any

import pytest
import torch

from etude.corpora.tasks import Choice, Question, Split, Text, Words, task
from etude.finetuning.tune import Setting, finetune
from etude.models.bert import Bert, BertConfig
from etude.tokenizers.wordpiece import SPECIAL, WordPiece

WORDS = ["red", "blue", "is", "the", "a", "what", "north", "south"]
TOKENIZER = WordPiece([*SPECIAL, *WORDS])
SMALL = BertConfig(
    vocab_size=len(TOKENIZER.vocabulary),
    hidden_size=16,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=32,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
    initializer_range=0.2,
)
SETTING = Setting(steps=150, batch_size=16, rate=1e-2, length=16)
FILL = [f"{a} {b}" for a in ("is", "the", "a") for b in ("is", "the", "a", "what")]
PASSAGES = [f"{a} north {b} {side}" for a in FILL for b in ("is", "the") for side in ("red", "blue")]


@pytest.mark.parametrize(
    ("name", "items", "metric"),
    [
        ("sst2", [Text(f"{fill} {c}", None, c == "red") for fill in FILL for c in ("red", "blue")], "accuracy"),
        ("stsb", [Text(fill, c, 5.0 * (c == "red")) for fill in FILL for c in ("red", "blue")], "Pearson"),
        ("wnut17", [Words((*fill.split(), "red"), ("O", "O", "B-person")) for fill in FILL], "F1 of names"),
        (
            "codah",
            [
                Choice(fill, tuple("red" if n == place else "blue" for n in range(4)), place)
                for fill in FILL
                for place in range(4)
            ],
            "accuracy",
        ),
        (
            "xquad",
            [Question(text, "what", text.split()[-1], text.rindex(" ") + 1) for text in PASSAGES],
            "exact match",
        ),
    ],
)
def test_what_one_word_decides_is_learnt(name: str, items: list[Any], metric: str) -> None:
    torch.manual_seed(0)
    scores = finetune(task(name), Split(items, items), Bert(SMALL), TOKENIZER, SETTING)
    assert scores[metric] > 0.95


def test_tags_that_training_never_had_are_left_out_of_the_test() -> None:
    train = [Words(("the", "red"), ("O", "B-person"))]
    test = [*train, Words(("blue",), ("B-group",))]
    torch.manual_seed(0)
    assert finetune(task("wnut17"), Split(train, test), Bert(SMALL), TOKENIZER, SETTING)["F1 of names"] == 1
