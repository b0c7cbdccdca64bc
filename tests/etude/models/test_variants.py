"""ALBERT and RoBERTa against transformers' models with the same random weights: logits, loss, checkpoints both ways, sizes."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as huggingface

from etude.models.albert import Albert, AlbertConfig, AlbertForPretraining, Shared
from etude.models.bert import IGNORED, Bert, PretrainingBatch
from etude.models.checkpoint_files import CheckpointError
from etude.models.roberta import RobertaConfig, RobertaForMaskedLM
from etude.models.variant_checkpoints import load_albert, load_roberta, save_albert, save_roberta

transformers: Any = huggingface  # its types are its own
SMALL: Any = {
    "vocab_size": 50,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 40,
}


def filled(model: Any) -> Any:
    """The model with random weights, of which none is the same as another."""
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    return model.eval()


@pytest.fixture(scope="module")
def albert() -> Any:
    return filled(
        transformers.AlbertForPreTraining(
            transformers.AlbertConfig(**SMALL, embedding_size=8, max_position_embeddings=20)
        )
    )


@pytest.fixture(scope="module")
def roberta() -> Any:
    config = transformers.RobertaConfig(**SMALL, max_position_embeddings=22, type_vocab_size=1, layer_norm_eps=1e-5)
    return filled(transformers.RobertaForMaskedLM(config))


def batch(padding: int) -> PretrainingBatch:
    generator = torch.Generator().manual_seed(2)
    tokens = torch.randint(5, 50, (3, 12), generator=generator)
    tokens[1, 8:] = padding
    labels = torch.where(torch.rand(3, 12, generator=generator) < 0.3, torch.randint(5, 50, (3, 12)), IGNORED)
    segments = (torch.arange(12) > 5).long().expand(3, 12)
    return PretrainingBatch(tokens, segments, labels.masked_fill(tokens == padding, IGNORED), torch.tensor([0, 1, 0]))


def test_albert_gives_the_logits_and_the_loss_of_transformers(albert: Any, tmp_path: Path) -> None:
    albert.save_pretrained(tmp_path)
    ours, given = load_albert(tmp_path), batch(0)
    words = given.tokens != 0
    expected = albert(
        input_ids=given.tokens,
        token_type_ids=given.segments,
        attention_mask=words.long(),
        labels=given.labels,
        sentence_order_label=given.follows,
    )
    hidden = ours.albert(given.tokens, given.segments)
    torch.testing.assert_close(
        ours.token_logits(hidden)[words], expected.prediction_logits[words], atol=1e-4, rtol=1e-4
    )
    torch.testing.assert_close(ours.order_logits(hidden), expected.sop_logits, atol=1e-5, rtol=1e-4)
    loss = ours(given)
    torch.testing.assert_close(loss, expected.loss)
    (mine,) = torch.autograd.grad(loss, [ours.albert.widen.weight])
    (other,) = torch.autograd.grad(expected.loss, [albert.albert.encoder.embedding_hidden_mapping_in.weight])
    torch.testing.assert_close(mine, other, atol=1e-4, rtol=1e-3)


def test_roberta_gives_the_logits_and_the_loss_of_transformers(roberta: Any, tmp_path: Path) -> None:
    roberta.save_pretrained(tmp_path)
    ours, given = load_roberta(tmp_path), batch(1)._replace(segments=None, follows=None)
    words = given.tokens != 1
    expected = roberta(input_ids=given.tokens, attention_mask=words.long(), labels=given.labels)
    logits = ours.token_logits(ours.bert(given.tokens))
    torch.testing.assert_close(logits[words], expected.logits[words], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(ours(given), expected.loss)


def test_saved_models_are_read_by_transformers_and_by_us(albert: Any, roberta: Any, tmp_path: Path) -> None:
    for model, load, save in ((albert, load_albert, save_albert), (roberta, load_roberta, save_roberta)):
        model.save_pretrained(tmp_path / "theirs")
        ours: Any = load(tmp_path / "theirs")
        save(ours, tmp_path / "ours")
        again = type(model).from_pretrained(tmp_path / "ours")
        for (name, mine), other in zip(model.named_parameters(), again.parameters(), strict=True):
            assert torch.equal(mine, other), name
        both = zip(ours.parameters(), load(tmp_path / "ours").parameters(), strict=True)
        assert all(torch.equal(one, other) for one, other in both)


@pytest.mark.parametrize(
    ("size", "parameters"),
    [("base", 11_683_584), ("large", 17_683_968), ("xlarge", 58_724_864), ("xxlarge", 222_595_584)],
)
def test_published_alberts_have_their_parameters(size: str, parameters: int) -> None:
    with torch.device("meta"):
        model = Albert(AlbertConfig.of_size(size))
    assert sum(parameter.numel() for parameter in model.parameters()) == parameters


@pytest.mark.parametrize(
    ("shared", "layers"), [("all", (1, 1)), ("attention", (1, 12)), ("feed_forward", (12, 1)), ("none", (12, 12))]
)
def test_what_is_shared_is_counted_once(shared: Shared, layers: tuple[int, int]) -> None:
    attention, feed_forward = 4 * 768 * 768 + 6 * 768, 2 * 768 * 3072 + 3072 + 3 * 768
    rest = 30_000 * 128 + 512 * 128 + 2 * 128 + 2 * 128 + 129 * 768 + 769 * 768
    with torch.device("meta"):
        model = Albert(AlbertConfig(shared=shared))
    parameters = sum(parameter.numel() for parameter in model.parameters())
    assert parameters == rest + layers[0] * attention + layers[1] * feed_forward


def test_roberta_base_has_its_parameters_and_refuses_texts_that_are_too_long() -> None:
    with torch.device("meta"):
        base = Bert(RobertaConfig())
    assert sum(parameter.numel() for parameter in base.parameters()) == 124_645_632
    small = RobertaForMaskedLM(RobertaConfig(**SMALL, max_position_embeddings=22))
    assert small.bert(torch.full((1, 20), 7)).shape == (1, 20, 24)
    with pytest.raises(ValueError, match="21 tokens, and there are 20 positions"):
        small.bert(torch.full((1, 21), 7))


def test_a_checkpoint_that_does_not_fit_is_refused_with_a_sentence(albert: Any, roberta: Any, tmp_path: Path) -> None:
    roberta.save_pretrained(tmp_path / "roberta")
    with pytest.raises(CheckpointError, match="of a 'roberta', not of a 'albert'"):
        load_albert(tmp_path / "roberta")
    albert.save_pretrained(tmp_path / "albert")
    config = tmp_path / "albert" / "config.json"
    config.write_text(config.read_text().replace('"num_hidden_groups": 1', '"num_hidden_groups": 3'))
    with pytest.raises(CheckpointError, match="several groups of layers"):
        load_albert(tmp_path / "albert")
    with pytest.raises(ValueError, match="the layers share 'none'"):
        save_albert(AlbertForPretraining(AlbertConfig(**SMALL, embedding_size=8, shared="none")), tmp_path)
