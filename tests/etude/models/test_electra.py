"""ELECTRA against transformers' models with the same random weights: logits, checkpoints both ways, sizes; and its training."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as huggingface
from torch.nn import functional

from etude.models.bert import IGNORED, PretrainingBatch
from etude.models.checkpoint_files import CheckpointError
from etude.models.electra import (
    SIZES,
    ElectraConfig,
    ElectraDiscriminator,
    ElectraForPretraining,
    ElectraMaskedLM,
    fill,
    share,
)
from etude.models.electra_checkpoints import load_discriminator, load_masked_lm, save
from etude.models.electra_ladder import AllTokensMLM, ReplaceMLM, copy_loss

transformers: Any = huggingface  # its types are its own
SETTINGS: Any = {
    "vocab_size": 50,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "max_position_embeddings": 20,
}
KINDS = [("ElectraForPreTraining", load_discriminator), ("ElectraForMaskedLM", load_masked_lm)]
SMALL = ElectraConfig(50, 16, 16, 2, 2, 32, "gelu", 0.0, 0.0, 20, initializer_range=0.1)


def theirs(kind: str, embedding: int) -> Any:
    """One of transformers' models with random weights, of which none is the same as another."""
    model = getattr(transformers, kind)(transformers.ElectraConfig(**SETTINGS, embedding_size=embedding))
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    return model.eval()


def batch() -> PretrainingBatch:
    generator = torch.Generator().manual_seed(2)
    tokens = torch.randint(5, 50, (3, 12), generator=generator)
    tokens[1, 8:] = 0
    masked = (torch.rand(3, 12, generator=generator) < 0.3) & (tokens != 0)
    segments = (torch.arange(12) > 5).long().expand(3, 12)
    return PretrainingBatch(tokens.masked_fill(masked, 4), segments, tokens.masked_fill(~masked, IGNORED))


@pytest.mark.parametrize(("kind", "load"), KINDS)
@pytest.mark.parametrize("embedding", [8, 24])
def test_electra_gives_the_logits_of_transformers(kind: str, load: Any, embedding: int, tmp_path: Path) -> None:
    model, given = theirs(kind, embedding), batch()
    model.save_pretrained(tmp_path)
    ours = load(tmp_path)
    words = given.tokens != 0
    expected = model(input_ids=given.tokens, token_type_ids=given.segments, attention_mask=words.long()).logits
    hidden = ours.electra(given.tokens, given.segments)
    found = ours.scores(hidden) if kind == "ElectraForPreTraining" else ours.token_logits(hidden)
    torch.testing.assert_close(found[words], expected[words], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(("kind", "load"), KINDS)
@pytest.mark.parametrize("embedding", [8, 24])
def test_saved_models_are_read_by_transformers_and_by_us(kind: str, load: Any, embedding: int, tmp_path: Path) -> None:
    model = theirs(kind, embedding)
    model.save_pretrained(tmp_path / "theirs")
    ours = load(tmp_path / "theirs")
    save(ours, tmp_path / "ours")
    again = getattr(transformers, kind).from_pretrained(tmp_path / "ours")
    for (name, mine), other in zip(model.named_parameters(), again.parameters(), strict=True):
        assert torch.equal(mine, other), name
    both = zip(ours.parameters(), load(tmp_path / "ours").parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in both)


def test_the_files_of_another_model_are_refused(tmp_path: Path) -> None:
    config = transformers.RobertaConfig(**SETTINGS)
    transformers.RobertaForMaskedLM(config).save_pretrained(tmp_path)
    with pytest.raises(CheckpointError, match="of a 'roberta', not of a 'electra'"):
        load_discriminator(tmp_path)


@pytest.mark.parametrize(("size", "parameters"), [("small", 13_549_057), ("base", 109_483_009), ("large", 335_142_913)])
def test_published_discriminators_have_their_parameters(size: str, parameters: int) -> None:
    with torch.device("meta"):
        model = ElectraDiscriminator(ElectraConfig.of_size(size))
        expected = transformers.ElectraForPreTraining(_published(size))
    assert sum(weight.numel() for weight in expected.parameters()) == parameters
    assert sum(weight.numel() for weight in model.parameters()) == parameters


def _published(size: str) -> Any:
    layers, narrow, width, heads, _ = SIZES[size]
    return transformers.ElectraConfig(
        embedding_size=narrow,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
    )


def test_generator_and_discriminator_share_their_embeddings_whatever_their_widths() -> None:
    model = ElectraForPretraining(SMALL, SMALL.generator(2))
    mine, other = model.generator.electra.input, model.discriminator.electra.input
    for name in ("tokens", "segments", "positions"):
        assert getattr(mine, name).weight is getattr(other, name).weight
    assert mine.norm.weight is not other.norm.weight
    assert model.generator.electra.config.hidden_size == 8
    wide = ElectraMaskedLM(ElectraConfig(50, 12, 16, 2, 2, 32))
    with pytest.raises(ValueError, match="width 12 and 16 cannot be one"):
        share(wide, model.discriminator.electra)


def test_guesses_stand_at_masked_places_alone_and_come_from_the_softmax() -> None:
    torch.manual_seed(0)
    generator, given = ElectraMaskedLM(SMALL).eval(), batch()
    masked = given.labels != IGNORED
    with torch.no_grad():
        generator.bias[7] = 4.0
        logits = generator.token_logits(generator.electra(given.tokens, given.segments)[masked])
        drawn = torch.cat([fill(generator, given).read[masked] for _ in range(400)])
    filled = fill(generator, given)
    assert torch.equal(filled.read[~masked], given.tokens[~masked])
    assert torch.equal(filled.original[masked], given.labels[masked])
    torch.testing.assert_close(filled.loss, functional.cross_entropy(logits, given.labels[masked]))
    expected = float(logits.softmax(dim=1)[:, 7].mean())
    assert float((drawn == 7).double().mean()) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("everywhere", [True, False])
def test_the_loss_is_the_sum_with_lambda_over_real_tokens_or_masked_ones(everywhere: bool) -> None:
    given = batch()
    torch.manual_seed(0)
    model = ElectraForPretraining(SMALL, SMALL.generator(2), weight=3.0, everywhere=everywhere).eval()
    torch.manual_seed(1)
    loss = model(given)
    torch.manual_seed(1)
    filled = fill(model.generator, given)
    places = filled.original != 0 if everywhere else filled.masked
    scores = model.discriminator(filled.read, given.segments)[places]
    signs = torch.where((filled.read != filled.original)[places], -1.0, 1.0)
    torch.testing.assert_close(loss, filled.loss + 3 * functional.softplus(signs * scores).mean())


def test_the_discriminators_loss_reaches_nothing_of_the_generator_but_the_shared_embeddings() -> None:
    torch.manual_seed(0)
    model, given = ElectraForPretraining(SMALL, SMALL.generator(2)), batch()
    judged = model(given) - fill(model.generator, given).loss.detach()
    torch.manual_seed(0)
    filled = fill(model.generator, given)
    scores = model.discriminator(filled.read, given.segments)
    shared = {id(weight) for weight in model.discriminator.parameters()}
    own = [weight for weight in model.generator.parameters() if id(weight) not in shared]
    gradients = torch.autograd.grad(scores.sum(), own, allow_unused=True)
    assert all(gradient is None for gradient in gradients)
    assert any(gradient is not None for gradient in torch.autograd.grad(judged, own, allow_unused=True))


@pytest.mark.parametrize("kind", [ReplaceMLM, AllTokensMLM])
def test_the_steps_between_learn_a_text_by_heart(kind: Any) -> None:
    torch.manual_seed(0)
    model, given = kind(SMALL, SMALL.generator(2)), batch()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = model(given)
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    assert sum(losses[-5:]) < 0.5 * sum(losses[:5])


def test_the_copy_loss_is_that_of_the_mixture() -> None:
    generator = torch.Generator().manual_seed(3)
    logits, copy = torch.randn(4, 6, generator=generator), torch.randn(4, generator=generator)
    read, wanted = torch.tensor([0, 1, 2, 3]), torch.tensor([0, 5, 2, 1])
    d = copy.sigmoid()
    p = (1 - d) * logits.softmax(dim=1)[torch.arange(4), wanted] + d * (read == wanted)
    torch.testing.assert_close(copy_loss(logits, copy, read, wanted), -p.log().mean())
    sure = copy_loss(torch.tensor([[0.0, 900.0]]), torch.tensor([200.0]), torch.tensor([1]), torch.tensor([0]))
    assert float(sure) == pytest.approx(1100.0)
    assert math.isfinite(float(sure))
