"""The course's checkpoints: made from their recipe, cut and taken up again, read back; a name that is none is refused."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from etude import pretrained
from etude.models.bert import IGNORED
from etude.models.checkpoints import load_bert
from etude.pretrained import examples_of, make, text_of, tokenizer_of
from etude.recipes import RECIPES, Recipe
from etude.tokenizers.wordpiece import WordPiece

SMALL = Recipe("en", words=3000, pieces=400, layers=1, width=16, heads=2, length=24, batch_size=4, steps=6, warmup=2)


def test_a_checkpoint_is_made_and_read_back(tmp_path: Path) -> None:
    history = make(SMALL, tmp_path / "model", tmp_path / "state.pt")
    assert len(history.losses) == 6
    model, tokenizer = load_bert(tmp_path / "model"), WordPiece.load(tmp_path / "model" / "tokenizer.json")
    assert model.bert.config == SMALL.config(len(tokenizer.vocabulary))
    again = make(SMALL, tmp_path / "again")
    assert again.losses == history.losses
    both = zip(model.parameters(), load_bert(tmp_path / "again").parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in both)


def test_the_text_that_is_held_out_is_another_one() -> None:
    own, held = text_of(SMALL), text_of(SMALL, seed=1)
    assert own != held
    assert len({sentence for document in own for sentence in document} & {s for d in held for s in d}) < 0.3 * len(held)


@pytest.mark.parametrize("name", RECIPES)
def test_frequent_words_are_whole_and_no_word_is_unknown(name: str) -> None:
    recipe = replace(RECIPES[name], words=20_000)
    texts = text_of(recipe)
    tokenizer = tokenizer_of(recipe, texts)
    pieces = [piece for document in texts for sentence in document for piece in tokenizer.tokenize(sentence)]
    words = sum(len(sentence.split()) for document in texts for sentence in document)
    assert "[UNK]" not in pieces
    assert len(pieces) < 2 * words
    batch = examples_of(recipe, texts, tokenizer)(0)
    assert batch.tokens.shape[1] <= recipe.length
    asked = batch.labels != IGNORED
    share = float(asked.sum() / ((batch.tokens > 3) | asked).sum())
    assert share == pytest.approx(1.0 if recipe.left_to_right else recipe.masking.rate, abs=0.05)


def test_a_name_that_is_none_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="no checkpoint 'bert-large': choose one of world-en"):
        pretrained.load("bert-large")
