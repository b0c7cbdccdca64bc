"""The course's ALBERTs, RoBERTas and ELMos: made from their recipe, read back; their batches; a name that is none is refused."""

import json
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from etude import pretrained_variants
from etude.models.bert import IGNORED, PretrainingBatch
from etude.models.checkpoint_files import CheckpointError
from etude.models.recurrent import BiLM
from etude.pretrained import text_of, tokenizer_of
from etude.pretrained_variants import SPECIAL, batches_of, bytes_of, full_sentences, load_elmo, make, model_of
from etude.pretraining import Vocabulary
from etude.recipes_variants import VARIANT_RECIPES, AlbertRecipe, ElmoRecipe, RobertaRecipe, VariantRecipe

SMALL: tuple[VariantRecipe, ...] = tuple(
    kind(
        "ko",
        words=3000,
        pieces=400,
        layers=2,
        width=16,
        heads=2,
        length=32,
        batch_size=16,
        steps=40,
        warmup=3,
        rate=1e-2,
    )
    for kind in (AlbertRecipe, RobertaRecipe, ElmoRecipe)
)
TEXTS = text_of(SMALL[0])


def kind_of(recipe: VariantRecipe) -> str:
    return type(recipe).__name__


@pytest.mark.parametrize("recipe", SMALL, ids=kind_of)
def test_a_small_recipe_trains_and_what_is_read_back_is_what_was_trained(
    recipe: VariantRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = make(recipe, tmp_path / "small", tmp_path / "state.pt")
    assert sum(history.losses[-5:]) < 0.95 * sum(history.losses[:5])
    monkeypatch.setattr(pretrained_variants, "VARIANT_RECIPES", {"small": recipe})
    monkeypatch.setattr(pretrained_variants, "folder_of", lambda name: tmp_path / name)
    model, tokenizer = pretrained_variants.load("small")
    assert not model.training
    again = make(recipe, tmp_path / "again")
    assert again.losses == history.losses
    monkeypatch.setattr(pretrained_variants, "VARIANT_RECIPES", {"again": recipe})
    other = pretrained_variants.load("again").model
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), other.parameters(), strict=True))
    text = TEXTS[0][0]
    assert unicodedata.normalize("NFC", tokenizer.decode(tokenizer.encode(text))) == text


@pytest.mark.parametrize("recipe", SMALL, ids=kind_of)
def test_a_batch_is_the_same_whenever_it_is_asked_for_and_no_longer_than_a_row(recipe: VariantRecipe) -> None:
    cut = bytes_of if isinstance(recipe, RobertaRecipe) else tokenizer_of
    tokenizer = cut(recipe, TEXTS)
    batches = batches_of(recipe, TEXTS, tokenizer)
    again = batches_of(recipe, TEXTS, tokenizer)
    one, two, other = (tokens_of(some) for some in (batches(3), again(3), batches(4)))
    assert one.shape[0] == recipe.batch_size
    assert one.shape[1] <= recipe.length
    assert torch.equal(one, two)
    assert one.shape != other.shape or not torch.equal(one, other)
    loss = model_of(recipe, len(tokenizer.vocabulary))(batches(3))
    assert loss.shape == ()


def tokens_of(batch: torch.Tensor | PretrainingBatch) -> torch.Tensor:
    return batch.tokens if isinstance(batch, PretrainingBatch) else batch


def test_albert_reads_neighbouring_segments_in_both_orders_and_no_length_gives_the_order_away() -> None:
    recipe = replace(SMALL[0], length=64, batch_size=64)
    tokenizer = tokenizer_of(recipe, TEXTS)
    batches, unmasked = batches_of(recipe, TEXTS, tokenizer), replace(recipe.masking, rate=0.0)
    orders = replace(batches, masking=unmasked)  # type: ignore[type-var]
    documents = ["|".join(tokenizer.decode(tokenizer.encode(text)) for text in document) for document in TEXTS]
    swapped, longer = 0, [0, 0]
    for number in range(4):
        batch = orders(number)
        for tokens, label in zip(batch.tokens.tolist(), batch.follows.tolist(), strict=True):
            ends = [place for place, token in enumerate(tokens) if token == tokenizer.index["[SEP]"]]
            parts = tokens[1 : ends[0]], tokens[ends[0] + 1 : ends[1]]
            first, second = (tokenizer.decode(part) for part in parts)
            before, behind = (second, first) if label else (first, second)
            assert any(
                before + behind in text.replace("|", "") or f"{before} {behind}" in text.replace("|", " ")
                for text in documents
            )
            swapped += label
            longer[label] += len(parts[0]) > len(parts[1])
    assert 96 < swapped < 160
    assert abs(longer[0] / (256 - swapped) - longer[1] / swapped) < 0.25


def test_roberta_packs_whole_sentences_over_the_ends_of_documents() -> None:
    recipe = SMALL[1]
    tokenizer = bytes_of(recipe, TEXTS)
    assert [tokenizer.special_tokens[token] for token in SPECIAL] == [0, 1, 2, 3, len(tokenizer.vocabulary) - 1]
    assert len(tokenizer.vocabulary) <= recipe.pieces
    known = pretrained_variants.ByteVocabulary(tokenizer)
    a, b, c, d = [11] * 4, [12] * 3, [13] * 2, [14] * 6
    rows = full_sentences([[a, b], [], [c, d, [15] * 20]], 12, known).tolist()
    assert rows == [
        [0, 11, 11, 11, 11, 12, 12, 12, 2, 13, 13, 2],
        [0, 14, 14, 14, 14, 14, 14, 2, 1, 1, 1, 1],
        [0, *[15] * 10, 2],
    ]


def test_roberta_is_asked_for_other_tokens_each_time_and_never_for_a_special_one() -> None:
    recipe = replace(SMALL[1], batch_size=64)
    batches = batches_of(recipe, TEXTS, tokenizer := bytes_of(recipe, TEXTS))
    batch = batches(0)
    asked = batch.labels != IGNORED
    assert batch.segments is None
    assert batch.follows is None
    assert set(batch.labels[asked].tolist()).isdisjoint(tokenizer.special_tokens.values())
    assert float(asked.sum() / (batch.tokens > 2).sum()) == pytest.approx(0.15, abs=0.05)


def test_elmo_reads_what_is_not_masked_between_its_marks() -> None:
    recipe = SMALL[2]
    tokenizer = tokenizer_of(recipe, TEXTS)
    known, tokens = Vocabulary(tokenizer), batches_of(recipe, TEXTS, tokenizer)(0)
    assert not (tokens == known.mask).any()
    assert set(tokens[:, 0].tolist()) == {known.begin}
    assert ((tokens == known.separator).sum(dim=1) == 1).all()


def test_an_elmo_is_not_read_from_other_files(tmp_path: Path) -> None:
    model = model_of(SMALL[2], 50)
    assert isinstance(model, BiLM)
    pretrained_variants.save(model, tmp_path)
    assert load_elmo(tmp_path).config == model.config
    settings = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "config.json").write_text(json.dumps(settings | {"model_type": "bert"}), encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"config\.json is of a 'bert', not of an 'elmo'"):
        load_elmo(tmp_path)


@pytest.mark.parametrize("name", VARIANT_RECIPES)
def test_a_released_model_has_learnt_the_world(name: str) -> None:
    recipe = VARIANT_RECIPES[name]
    model, tokenizer = pretrained_variants.load(name)
    held_out = text_of(replace(recipe, words=4000), seed=1)
    with torch.inference_mode():
        loss = float(model(batches_of(recipe, held_out, tokenizer)(0)))
    assert loss < 3.0, "a uniform guess costs 6.5 nats a token and more, ALBERT's question of order 0.69 beside"


def test_a_name_that_is_none_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="no variant 'world-en': choose one of world-en-albert, world-ko-albert"):
        pretrained_variants.load("world-en")
