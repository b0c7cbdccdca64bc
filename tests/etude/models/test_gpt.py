"""GPT against transformers' GPT-1 and GPT-2 with the same random weights, with and without a cache; sizes to the digit."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as huggingface

from etude.models.bert import IGNORED
from etude.models.checkpoint_files import CheckpointError
from etude.models.gpt import GPT, GPTConfig
from etude.models.gpt_checkpoints import load_gpt, save_gpt
from etude.models.sampling import most_likely, write

transformers: Any = huggingface  # its types are its own
SMALL = {"vocab_size": 50, "n_embd": 24, "n_layer": 3, "n_head": 4, "n_positions": 20}
TOKENS = torch.randint(50, (3, 12), generator=torch.Generator().manual_seed(1))
KINDS = {"gpt2": ("GPT2Config", "GPT2LMHeadModel"), "openai-gpt": ("OpenAIGPTConfig", "OpenAIGPTLMHeadModel")}


@pytest.fixture(params=KINDS)
def theirs(request: pytest.FixtureRequest) -> Any:
    """transformers' GPT with random weights, of which none is the same as another."""
    config, model = (getattr(transformers, name) for name in KINDS[request.param])
    made = model(config(**SMALL, bos_token_id=None, eos_token_id=None)).eval()
    generator = torch.Generator().manual_seed(2)
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    return made


@pytest.fixture
def ours(theirs: Any, tmp_path: Path) -> GPT:
    theirs.save_pretrained(tmp_path / "theirs")
    return load_gpt(tmp_path / "theirs")


def test_logits_loss_and_gradients_are_those_of_transformers(ours: GPT, theirs: Any) -> None:
    expected = theirs(TOKENS, labels=TOKENS)
    torch.testing.assert_close(ours.logits(ours.hidden(TOKENS)), expected.logits, atol=1e-4, rtol=1e-4)
    loss = ours(TOKENS)
    torch.testing.assert_close(loss, expected.loss)
    (mine,) = torch.autograd.grad(loss, [ours.tokens.weight])
    embedding = theirs.get_input_embeddings().weight
    (other,) = torch.autograd.grad(expected.loss, [embedding])
    torch.testing.assert_close(mine, other, atol=1e-4, rtol=1e-3)


def test_tokens_that_are_not_asked_for_cost_nothing(ours: GPT) -> None:
    labels = torch.full_like(TOKENS, IGNORED)
    labels[0, 4] = 7
    expected = -ours.logits(ours.hidden(TOKENS))[0, 4].log_softmax(-1)[7]
    torch.testing.assert_close(ours(TOKENS, labels), expected)


@pytest.mark.parametrize("parts", [[12], [1] * 12, [5, 1, 1, 5], [3, 4, 5]])
@torch.inference_mode()
def test_read_in_parts_a_text_gives_what_it_gives_at_once(ours: GPT, parts: list[int]) -> None:
    state, first = ours.start(), 0
    whole = ours.logits(ours.hidden(TOKENS))
    for size in parts:
        scores = ours.read(TOKENS[:, first : first + size], state)
        first += size
        torch.testing.assert_close(scores, whole[:, first - 1], atol=1e-4, rtol=1e-4)
    state.select(torch.tensor([2, 0]))
    more = torch.tensor([[1], [2]])
    again = torch.cat([TOKENS[[2, 0]], more], dim=1)
    torch.testing.assert_close(ours.read(more, state), ours.logits(ours.hidden(again))[:, -1], atol=1e-4, rtol=1e-4)


def test_greedy_text_is_that_of_transformers(ours: GPT, theirs: Any) -> None:
    expected = theirs.generate(
        TOKENS, attention_mask=torch.ones_like(TOKENS), max_new_tokens=6, do_sample=False, pad_token_id=0
    )
    assert torch.equal(write(ours, TOKENS, 6, most_likely), expected)


def test_a_saved_model_is_read_by_transformers_and_by_us(ours: GPT, theirs: Any, tmp_path: Path) -> None:
    save_gpt(ours, tmp_path / "ours")
    again = type(theirs).from_pretrained(tmp_path / "ours").eval()
    torch.testing.assert_close(again(TOKENS).logits, theirs(TOKENS).logits)
    both = zip(ours.parameters(), load_gpt(tmp_path / "ours").parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in both)


def test_a_text_longer_than_the_positions_is_refused(ours: GPT) -> None:
    with pytest.raises(ValueError, match="21 tokens, and there are 20 positions"):
        ours.hidden(torch.zeros(1, 21, dtype=torch.int64))


def test_at_the_start_residual_projections_of_gpt2_are_smaller() -> None:
    config = GPTConfig(100, 16, 256, 8, 4)
    torch.manual_seed(0)
    layer: Any = GPT(config).layers[0]
    assert float(layer.feed_forward[2].weight.detach().std()) == pytest.approx(0.02 / math.sqrt(16), rel=0.02)
    assert float(layer.attention.project_out.weight.detach().std()) == pytest.approx(0.02 / math.sqrt(16), rel=0.02)
    assert float(layer.feed_forward[0].weight.detach().std()) == pytest.approx(0.02, rel=0.02)
    old: Any = GPT(GPTConfig(100, 16, 256, 8, 4, norm="post")).layers[0]
    assert float(old.feed_forward[2].weight.detach().std()) == pytest.approx(0.02, rel=0.02)


@pytest.mark.parametrize(
    ("size", "parameters"),
    [
        ("gpt", 116_534_784),
        ("gpt2", 124_439_808),
        ("gpt2-medium", 354_823_168),
        ("gpt2-large", 774_030_080),
        ("gpt2-xl", 1_557_611_200),
        ("gpt3", 174_604_259_328),
    ],
)
def test_published_sizes_have_their_parameters(size: str, parameters: int) -> None:
    with torch.device("meta"):
        model = GPT(GPTConfig.of_size(size))
    assert sum(parameter.numel() for parameter in model.parameters()) == parameters


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('"n_embd": 24', '"n_embd": 28'), "not of the sizes"),
        (('"n_layer": 3', '"n_layer": 4'), "the model lacks"),
        (('"model_type": "gpt2"', '"model_type": "bert"'), "of a 'bert', not of a 'gpt2'"),
        (('"model_type": "gpt2"', '"activation_function": "relu", "model_type": "gpt2"'), "asks for 'relu'"),
        (("{", "{{"), "no checkpoint that can be read"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused_with_a_sentence(
    change: tuple[str, str], said: str, tmp_path: Path
) -> None:
    save_gpt(GPT(GPTConfig(50, 20, 24, 3, 4)), tmp_path)
    path = tmp_path / "config.json"
    text = path.read_text(encoding="utf-8")
    assert change[0] in text
    path.write_text(text.replace(*change, 1), encoding="utf-8")
    with pytest.raises(CheckpointError, match=said):
        load_gpt(tmp_path)
