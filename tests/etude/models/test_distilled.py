"""DistilBERT against transformers' with the same random weights: logits, loss, gradients, checkpoints, sizes; and a look inside."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as huggingface
from torch import Tensor

from etude.models.bert import IGNORED, Bert, BertConfig, PretrainingBatch
from etude.models.bert_heads import BertClassifier
from etude.models.checkpoint_files import CheckpointError
from etude.models.distilled import TINYBERTS, DistilBert, DistilBertConfig, DistilBertForMaskedLM, inside
from etude.models.distilled_checkpoints import load_distilbert, save_distilbert

transformers: Any = huggingface  # its types are its own
SMALL: Any = {"vocab_size": 50, "dim": 24, "n_layers": 3, "n_heads": 4, "hidden_dim": 40, "max_position_embeddings": 20}


@pytest.fixture(scope="module")
def theirs() -> Any:
    model = transformers.DistilBertForMaskedLM(transformers.DistilBertConfig(**SMALL))
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    return model.eval()


def batch() -> PretrainingBatch:
    generator = torch.Generator().manual_seed(2)
    tokens = torch.randint(5, 50, (3, 12), generator=generator)
    tokens[1, 8:] = 0
    asked = (torch.rand(3, 12, generator=generator) < 0.4) & (tokens != 0)
    return PretrainingBatch(tokens.masked_fill(asked, 4), None, tokens.masked_fill(~asked, IGNORED))


def size(model: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def test_distilbert_gives_the_logits_the_loss_and_the_gradients_of_transformers(theirs: Any, tmp_path: Path) -> None:
    theirs.save_pretrained(tmp_path)
    ours, given = load_distilbert(tmp_path), batch()
    words = given.tokens != 0
    expected = theirs(given.tokens, attention_mask=words.long(), labels=given.labels)
    logits = ours.token_logits(ours.bert(given.tokens))
    torch.testing.assert_close(logits[words], expected.logits[words], atol=1e-4, rtol=1e-4)
    loss = ours(given)
    torch.testing.assert_close(loss, expected.loss)
    encoder: Any = ours.bert
    other = theirs.distilbert
    pairs: list[tuple[Tensor, Tensor]] = [
        (encoder.input.tokens.weight, other.embeddings.word_embeddings.weight),
        (encoder.input.positions.weight, other.embeddings.position_embeddings.weight),
        (encoder.layers[1].feed_forward[0].weight, other.transformer.layer[1].ffn.lin1.weight),
        (encoder.layers[2].attention.project_out.weight, other.transformer.layer[2].attention.out_lin.weight),
        (ours.transform.weight, theirs.vocab_transform.weight),
    ]
    mine = torch.autograd.grad(loss, [one for one, _ in pairs])
    wanted = torch.autograd.grad(expected.loss, [one for _, one in pairs])
    for one, another in zip(mine, wanted, strict=True):
        torch.testing.assert_close(one, another, atol=1e-4, rtol=1e-3)


def test_saved_models_are_read_by_transformers_and_by_us(theirs: Any, tmp_path: Path) -> None:
    theirs.save_pretrained(tmp_path / "theirs")
    ours = load_distilbert(tmp_path / "theirs")
    save_distilbert(ours, tmp_path / "ours")
    again = transformers.DistilBertForMaskedLM.from_pretrained(tmp_path / "ours")
    for (name, mine), other in zip(theirs.named_parameters(), again.named_parameters(), strict=True):
        assert name == other[0]
        assert torch.equal(mine, other[1]), name
    both = zip(ours.parameters(), load_distilbert(tmp_path / "ours").parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in both)
    assert load_distilbert(tmp_path / "ours").bert.config == ours.bert.config


def test_published_sizes_have_their_parameters() -> None:
    with torch.device("meta"):
        whole = DistilBertForMaskedLM(DistilBertConfig())
        korean = DistilBert(DistilBertConfig(vocab_size=8002, num_hidden_layers=3))
        tiny = {layers: size(Bert(config)) for layers, config in TINYBERTS.items()}
        one = transformers.DistilBertForMaskedLM(transformers.DistilBertConfig())
    assert (size(whole.bert), size(whole), size(korean)) == (66_362_880, 66_985_530, 27_803_904)
    assert tiny == {4: 14_350_248, 6: 66_955_008}
    assert size(one) == size(whole)


def test_it_knows_no_segments_and_no_text_that_is_too_long() -> None:
    model = DistilBert(DistilBertConfig(50, 24, 1, 4, 40, max_position_embeddings=20))
    tokens = torch.full((2, 20), 7)
    assert model(tokens).shape == (2, 20, 24)
    with pytest.raises(ValueError, match="knows no segments"):
        model(tokens, torch.zeros_like(tokens))
    with pytest.raises(ValueError, match="21 tokens, and there are 20 positions"):
        model(torch.full((2, 21), 7))


def test_a_classifier_reads_the_first_token_as_it_comes_out() -> None:
    model = BertClassifier(DistilBert(DistilBertConfig(50, 24, 1, 4, 40)), 3).eval()
    tokens = batch().tokens
    torch.testing.assert_close(model.logits(tokens), model.head(model.bert(tokens)[:, 0]))


def test_a_checkpoint_of_another_model_is_refused_with_a_sentence(theirs: Any, tmp_path: Path) -> None:
    theirs.save_pretrained(tmp_path)
    config = tmp_path / "config.json"
    text = config.read_text()
    config.write_text(text.replace('"gelu"', '"relu"'))
    with pytest.raises(CheckpointError, match="asks for 'relu', and distilbert knows 'gelu' alone"):
        load_distilbert(tmp_path)
    config.write_text(text.replace('"model_type": "distilbert"', '"model_type": "bert"'))
    with pytest.raises(CheckpointError, match="of a 'bert', not of a 'distilbert'"):
        load_distilbert(tmp_path)


def test_inside_are_the_states_of_transformers_and_the_scores_whose_softmax_is_its_attention(
    theirs: Any, tmp_path: Path
) -> None:
    theirs.save_pretrained(tmp_path)
    eager = transformers.DistilBertModel.from_pretrained(tmp_path, attn_implementation="eager").eval()
    tokens = batch().tokens
    words = tokens != 0
    expected = eager(tokens, attention_mask=words.long(), output_hidden_states=True, output_attentions=True)
    found = inside(load_distilbert(tmp_path).bert, tokens)
    assert (len(found.states), len(found.scores)) == (4, 3)
    for mine, state in zip(found.states, expected.hidden_states, strict=True):
        torch.testing.assert_close(mine[words], state[words], atol=1e-4, rtol=1e-4)
    for scores, weights in zip(found.scores, expected.attentions, strict=True):
        mine = scores.masked_fill(~words[:, None, None, :], -torch.inf).softmax(dim=-1)
        torch.testing.assert_close(mine, weights, atol=1e-4, rtol=1e-4)


def test_inside_a_bert_are_all_its_layers() -> None:
    torch.manual_seed(3)
    model = Bert(BertConfig(50, 24, 2, 4, 40, initializer_range=0.3)).eval()
    tokens = batch().tokens
    for mine, state in zip(inside(model, tokens).states, model.all_layers(tokens), strict=True):
        torch.testing.assert_close(mine, state, atol=1e-5, rtol=1e-4)
