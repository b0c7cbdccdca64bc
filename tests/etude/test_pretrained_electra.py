"""The course's ELECTRA and the steps between BERT and it: made from their recipe, read back, of equal cost."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from etude import pretrained, pretrained_electra
from etude.models.bert import BertForPretraining
from etude.models.electra import ElectraDiscriminator
from etude.pretrained import examples_of, text_of, tokenizer_of
from etude.pretrained_electra import config_of, make, pair_of
from etude.recipes import RECIPES
from etude.recipes_electra import ELECTRA_RECIPES, ElectraRecipe

SMALL = ElectraRecipe(
    "ko", words=3000, pieces=400, layers=2, width=16, heads=2, length=32, batch_size=16, steps=40, warmup=3, rate=1e-2
)
OBJECTIVES = ("electra", "electra-15", "replace-mlm", "all-tokens-mlm")


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_small_recipe_trains_and_what_is_read_back_is_what_was_trained(
    objective: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = replace(SMALL, objective=objective)  # type: ignore[arg-type]
    history = make(recipe, tmp_path / "small", tmp_path / "state.pt")
    assert sum(history.losses[-5:]) < 0.95 * sum(history.losses[:5])
    monkeypatch.setattr(pretrained_electra, "ELECTRA_RECIPES", {"small": recipe, "again": recipe})
    monkeypatch.setattr(pretrained_electra, "folder_of", lambda name: tmp_path / name)
    model, tokenizer = pretrained_electra.load("small")
    assert not model.training
    assert model.electra.config == config_of(recipe, len(tokenizer.vocabulary))
    assert make(recipe, tmp_path / "again").losses == history.losses
    other = pretrained_electra.load("again").model
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), other.parameters(), strict=True))


@pytest.mark.parametrize("name", ELECTRA_RECIPES)
def test_a_recipe_costs_what_6000_steps_of_bert_do(name: str) -> None:
    recipe, bert = ELECTRA_RECIPES[name], RECIPES["world-en-no-nsp"]
    assert recipe.warmup == pytest.approx(0.1 * recipe.steps, abs=1)
    assert (recipe.language, recipe.words, recipe.pieces, recipe.width) == (
        bert.language,
        bert.words,
        bert.pieces,
        bert.width,
    )
    words = replace(bert, words=20_000)
    tokenizer = pretrained.load("world-en-no-nsp").tokenizer
    examples, size = examples_of(words, text_of(words), tokenizer), len(tokenizer.vocabulary)
    costs = []
    for model in (pair_of(recipe, size), BertForPretraining(bert.config(size))):
        with FlopCounterMode(display=False) as counter:
            for number in range(5):
                model(examples(number)).backward()
        costs.append(counter.get_total_flops())
    assert recipe.steps * costs[0] == pytest.approx(bert.steps * costs[1], rel=0.02)


def test_the_tokens_are_those_of_the_bert_beside_them() -> None:
    recipe = replace(ELECTRA_RECIPES["world-en-electra"], words=20_000)
    bert = replace(RECIPES["world-en-no-nsp"], words=20_000)
    assert tokenizer_of(recipe, text_of(recipe)).vocabulary == tokenizer_of(bert, text_of(bert)).vocabulary


@pytest.mark.parametrize("name", ELECTRA_RECIPES)
def test_a_released_model_has_learnt_the_world(name: str) -> None:
    model, tokenizer = pretrained_electra.load(name)
    assert tokenizer.vocabulary == pretrained.load("world-en-no-nsp").tokenizer.vocabulary
    recipe = replace(ELECTRA_RECIPES[name], words=4000)
    batch = examples_of(recipe, text_of(recipe, seed=1), tokenizer)(0)
    masked, generator = batch.labels >= 0, torch.Generator().manual_seed(0)
    original = torch.where(masked, batch.labels, batch.tokens)
    other = torch.randint(5, len(tokenizer.vocabulary), original.shape, generator=generator)
    read = torch.where(masked, other, original)
    with torch.inference_mode():
        hidden = model.electra(read)
        if isinstance(model, ElectraDiscriminator):
            scores = model.scores(hidden)
            assert float(scores[masked].mean() - scores[~masked & (original != 0)].mean()) > 3
        else:
            loss = torch.nn.functional.cross_entropy(model.token_logits(hidden[masked]), original[masked])
            assert float(loss) < 3.0, "a uniform guess costs 6.5 nats"


def test_a_name_that_is_none_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="no ELECTRA 'world-en': choose one of world-en-electra, world-en-electra-15"):
        pretrained_electra.load("world-en")
