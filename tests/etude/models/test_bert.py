"""BERT against transformers' BERT with the same random weights: logits, loss, checkpoints both ways, sizes to the digit."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as huggingface
from torch import Tensor
from torch.nn import functional

from etude.models.bert import IGNORED, BertConfig, BertForPretraining, PretrainingBatch
from etude.models.checkpoint_files import CheckpointError
from etude.models.checkpoints import load_bert, save_bert

transformers: Any = huggingface  # its types are its own
SMALL = {"vocab_size": 50, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 40}


@pytest.fixture(scope="module")
def theirs() -> Any:
    """transformers' BERT with random weights, of which none is the same as another."""
    model = transformers.BertForPreTraining(transformers.BertConfig(**SMALL, max_position_embeddings=20)).eval()
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    return model


@pytest.fixture(scope="module")
def folder(theirs: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bert")
    theirs.save_pretrained(path)
    return path


@pytest.fixture
def batch() -> PretrainingBatch:
    generator = torch.Generator().manual_seed(2)
    tokens = torch.randint(5, 50, (3, 12), generator=generator)
    tokens[1, 8:] = 0
    labels = torch.where(torch.rand(3, 12, generator=generator) < 0.3, torch.randint(5, 50, (3, 12)), IGNORED)
    labels = labels.masked_fill(tokens == 0, IGNORED)
    segments = (torch.arange(12) > 5).long().expand(3, 12)
    return PretrainingBatch(tokens, segments, labels, torch.tensor([0, 1, 0]))


def their_output(model: Any, batch: PretrainingBatch, **more: Tensor | None) -> Any:
    mask = (batch.tokens != 0).long()
    return model(input_ids=batch.tokens, token_type_ids=batch.segments, attention_mask=mask, **more)


def test_a_checkpoint_of_transformers_gives_its_logits_and_its_layers(
    theirs: Any, folder: Path, batch: PretrainingBatch
) -> None:
    ours = load_bert(folder)
    with torch.inference_mode():
        expected = their_output(theirs, batch)
        hidden = ours.bert(batch.tokens, batch.segments)
        words = batch.tokens != 0  # what stands at padding is nobody's business
        torch.testing.assert_close(
            ours.token_logits(hidden)[words], expected.prediction_logits[words], atol=1e-4, rtol=1e-4
        )
        torch.testing.assert_close(ours.next_sentence_logits(hidden), expected.seq_relationship_logits)
        layers = theirs.bert(batch.tokens, words.long(), batch.segments, output_hidden_states=True).hidden_states
        for mine, other in zip(ours.bert.all_layers(batch.tokens, batch.segments), layers, strict=True):
            torch.testing.assert_close(mine[words], other[words], atol=1e-4, rtol=1e-4)


def test_loss_and_gradients_are_those_of_all_logits(theirs: Any, folder: Path, batch: PretrainingBatch) -> None:
    ours = load_bert(folder)
    loss = ours(batch)
    expected = their_output(theirs, batch, labels=batch.labels, next_sentence_label=batch.follows).loss
    torch.testing.assert_close(loss, expected)
    (mine,) = torch.autograd.grad(loss, [ours.bert.input.tokens.weight])
    (other,) = torch.autograd.grad(expected, [theirs.bert.embeddings.word_embeddings.weight])
    torch.testing.assert_close(mine, other, atol=1e-4, rtol=1e-3)


def test_without_next_sentences_the_loss_is_that_of_masked_words(folder: Path, batch: PretrainingBatch) -> None:
    ours = load_bert(folder)
    alone = batch._replace(follows=None)
    nsp = functional.cross_entropy(ours.next_sentence_logits(ours.bert(*batch[:2])), torch.tensor([0, 1, 0]))
    torch.testing.assert_close(ours(batch) - ours(alone), nsp, atol=1e-5, rtol=1e-5)


def test_a_decoder_sees_no_later_token_as_in_transformers(theirs: Any, tmp_path: Path, batch: PretrainingBatch) -> None:
    settings = {**theirs.config.to_dict(), "is_decoder": True}
    decoder = transformers.BertForPreTraining(transformers.BertConfig.from_dict(settings)).eval()
    decoder.load_state_dict(theirs.state_dict())
    decoder.save_pretrained(tmp_path)
    ours, words = load_bert(tmp_path), batch.tokens != 0
    with torch.inference_mode():
        expected = their_output(decoder, batch).prediction_logits
        mine = ours.token_logits(ours.bert(batch.tokens, batch.segments))
        torch.testing.assert_close(mine[words], expected[words], atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(ours.bert(batch.tokens)[:, :5], ours.bert(batch.tokens[:, :5]))


def test_a_saved_model_is_read_by_transformers_and_by_us(folder: Path, tmp_path: Path, theirs: Any) -> None:
    save_bert(load_bert(folder), tmp_path)
    again = transformers.BertForPreTraining.from_pretrained(tmp_path)
    for (name, mine), other in zip(theirs.named_parameters(), again.parameters(), strict=True):
        assert torch.equal(mine, other), name
    both = zip(load_bert(folder).parameters(), load_bert(tmp_path).parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in both)


@pytest.mark.parametrize("kind", ["BertModel", "BertForMaskedLM"])
def test_a_checkpoint_without_some_heads_gives_the_encoder(
    kind: str, theirs: Any, folder: Path, tmp_path: Path
) -> None:
    getattr(transformers, kind).from_pretrained(folder).save_pretrained(tmp_path)
    ours, whole = load_bert(tmp_path).bert, load_bert(folder).bert
    tokens = torch.arange(5, 15)[None]
    torch.testing.assert_close(ours(tokens), whole(tokens))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "config.json").unlink(), "no checkpoint that can be read"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"no tensors"), "no checkpoint that can be read"),
        (lambda folder: _replace(folder, '"bert"', '"gpt2"'), "of a 'gpt2', not of a 'bert'"),
        (lambda folder: _replace(folder, '"gelu"', '"relu"'), "asks for 'relu'"),
        (lambda folder: _replace(folder, '"hidden_size": 24', '"hidden_size": 32'), "not of the sizes"),
        (lambda folder: _replace(folder, '"num_hidden_layers": 3', '"num_hidden_layers": 4'), "the model lacks"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused_with_a_sentence(
    change: Any, said: str, folder: Path, tmp_path: Path
) -> None:
    save_bert(load_bert(folder), tmp_path)
    change(tmp_path)
    with pytest.raises(CheckpointError, match=said):
        load_bert(tmp_path)


def _replace(folder: Path, old: str, new: str) -> None:
    path = folder / "config.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("size", "encoder", "with_heads"),
    [
        ("tiny", 4_385_920, 4_433_468),
        ("mini", 11_170_560, 11_267_900),
        ("small", 28_763_648, 29_058_876),
        ("medium", 41_373_184, 41_668_412),
        ("base", 109_482_240, 110_106_428),
        ("large", 335_141_888, 336_226_108),
    ],
)
def test_the_published_sizes_have_their_parameters(size: str, encoder: int, with_heads: int) -> None:
    with torch.device("meta"):
        model = BertForPretraining(BertConfig.of_size(size))
    assert sum(parameter.numel() for parameter in model.bert.parameters()) == encoder
    assert sum(parameter.numel() for parameter in model.parameters()) == with_heads


def test_weights_start_as_published() -> None:
    torch.manual_seed(0)
    state = BertForPretraining(BertConfig.of_size("tiny", 1000)).state_dict()
    for name, tensor in state.items():
        if name.endswith("norm.weight"):
            assert tensor.eq(1).all(), name
        elif name.endswith("bias"):
            assert tensor.eq(0).all(), name
        else:
            assert float(tensor.std()) == pytest.approx(0.02, rel=0.2), name
    assert state["bert.input.tokens.weight"][0].eq(0).all()


def test_more_tokens_than_positions_are_refused_with_a_sentence(folder: Path) -> None:
    with pytest.raises(ValueError, match="21 tokens, and there are 20 positions"):
        load_bert(folder).bert(torch.ones(1, 21, dtype=torch.int64))
