"""The course's GPTs: made from their recipe, cut and taken up again, read back; a name that is none is refused."""

from itertools import pairwise
from pathlib import Path

import pytest
import torch

from etude import pretrained_gpt
from etude.language_modelling import Windows
from etude.models.gpt_checkpoints import load_gpt
from etude.pretrained_gpt import END, config_of, encode, make, text_of
from etude.recipes_gpt import GPT_RECIPES, GPTRecipe
from etude.tokenizers.byte_bpe import ByteBPE

SMALL = GPTRecipe("ko", words=3000, pieces=300, layers=1, width=16, heads=2, length=24, batch_size=4, steps=6, warmup=2)


def test_a_gpt_is_made_and_read_back(tmp_path: Path) -> None:
    history = make(SMALL, tmp_path / "model", tmp_path / "state.pt")
    assert len(history.losses) == 6
    model, tokenizer = load_gpt(tmp_path / "model"), ByteBPE.load(tmp_path / "model" / "tokenizer.json")
    assert model.config == config_of(SMALL)
    assert len(tokenizer.vocabulary) == SMALL.pieces
    again = make(SMALL, tmp_path / "again")
    assert again.losses == history.losses
    both = zip(model.parameters(), load_gpt(tmp_path / "again").parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in both)


def test_documents_stand_between_ends_and_come_back_as_they_were() -> None:
    texts = text_of(SMALL)
    tokenizer = ByteBPE.train(texts, SMALL.pieces, special_tokens=[END])
    end, ids = tokenizer.special_tokens[END], encode(texts, tokenizer)
    places = (ids == end).nonzero().flatten().tolist()
    assert places[0] == 0
    assert places[-1] == len(ids) - 1
    between = [tokenizer.decode(ids[a + 1 : b].tolist()) for a, b in pairwise(places)]
    assert between == texts


def test_the_text_that_is_held_out_is_another_one() -> None:
    assert not set(text_of(SMALL)) & set(text_of(SMALL, seed=1))


def test_windows_are_pieces_of_the_text_the_same_whenever_they_are_asked_for() -> None:
    windows = Windows(torch.arange(50) * 2, length=8, batch_size=64)
    batch = windows(3)
    assert batch.shape == (64, 9)
    assert torch.equal(batch, windows(3))
    assert not torch.equal(batch, windows(4))
    assert torch.equal(batch - batch[:, :1], (torch.arange(9) * 2).expand(64, 9))
    starts = {int(row[0]) // 2 for number in range(20) for row in windows(number)}
    assert starts == set(range(42)), "every place where a window fits is drawn, the first and the last among them"
    with pytest.raises(ValueError, match="the text has 8 tokens: a window takes 9"):
        Windows(torch.arange(8), length=8)


@pytest.mark.parametrize("name", GPT_RECIPES)
def test_a_released_gpt_has_learnt_the_world(name: str) -> None:
    model, tokenizer = pretrained_gpt.load(name)
    recipe = GPT_RECIPES[name]
    held_out = encode(text_of(GPTRecipe(recipe.language, words=4000), seed=1), tokenizer)
    with torch.inference_mode():
        loss = float(model(Windows(held_out, recipe.length)(0)))
    assert loss < 1.5, "a uniform guess costs 7.3 nats a token, the frequency of each token alone about 5"


def test_a_name_that_is_none_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="no GPT 'world-en': choose one of world-en-gpt, world-ko-gpt"):
        pretrained_gpt.load("world-en")
