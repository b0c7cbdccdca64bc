"""T5 against transformers' T5ForConditionalGeneration with the same random weights: logits, loss, writing, checkpoints, sizes."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as huggingface

from etude.models.checkpoint_files import CheckpointError
from etude.models.search import beam_search, greedy
from etude.models.t5 import T5, T5Config, buckets
from etude.models.t5_checkpoints import load_t5, save_t5

transformers: Any = huggingface  # its types are its own
SMALL: Any = {"vocab_size": 40, "d_model": 24, "d_kv": 5, "d_ff": 36, "num_layers": 3, "num_heads": 4}
SMALL |= {"relative_attention_num_buckets": 8, "relative_attention_max_distance": 12}


@pytest.fixture(scope="module")
def theirs() -> Any:
    config = transformers.T5Config(**SMALL, decoder_start_token_id=0, tie_word_embeddings=True)
    model = transformers.T5ForConditionalGeneration(config)
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    return model.eval()


@pytest.fixture(scope="module")
def ours(theirs: Any, tmp_path_factory: pytest.TempPathFactory) -> T5:
    folder = tmp_path_factory.mktemp("t5")
    theirs.save_pretrained(folder)
    return load_t5(folder)


@pytest.fixture(scope="module")
def pairs() -> tuple[torch.Tensor, torch.Tensor]:
    """Source (3, 17) and target (3, 9), both padded in the second row."""
    generator = torch.Generator().manual_seed(2)
    source, target = (torch.randint(2, 40, (3, length), generator=generator) for length in (17, 9))
    source[1, 11:], target[1, 5:] = 0, 0
    target[0, -1], target[1, 4], target[2, -1] = 1, 1, 1
    return source, target


def test_loss_and_gradients_are_those_of_transformers(ours: T5, theirs: Any, pairs: Any) -> None:
    source, target = pairs
    expected = theirs(
        input_ids=source, attention_mask=(source != 0).long(), labels=target.masked_fill(target == 0, -100)
    )
    loss = ours(source, target)
    torch.testing.assert_close(loss, expected.loss)
    (mine,) = torch.autograd.grad(loss, [ours.decoder.distances.weight])
    bias = theirs.decoder.block[0].layer[0].SelfAttention.relative_attention_bias.weight
    (other,) = torch.autograd.grad(expected.loss, [bias])
    torch.testing.assert_close(mine, other, atol=1e-5, rtol=1e-3)


def test_logits_are_those_of_transformers(ours: T5, theirs: Any, pairs: Any) -> None:
    source, target = pairs
    with torch.no_grad():
        expected = theirs(input_ids=source, attention_mask=(source != 0).long(), decoder_input_ids=target).logits
        torch.testing.assert_close(ours.decode(target, *ours.encode(source)), expected, atol=1e-4, rtol=1e-4)


def test_token_by_token_gives_the_same_scores(ours: T5, pairs: Any) -> None:
    source, target = pairs
    with torch.no_grad():
        whole = ours.decode(target, *ours.encode(source))  # (B, N, V)
        state = ours.start(source)
        steps = torch.stack([ours.step(tokens, state) for tokens in target.T], dim=1)
    torch.testing.assert_close(steps, whole, atol=1e-5, rtol=1e-5)


def test_it_writes_what_transformers_writes(ours: T5, theirs: Any, pairs: Any) -> None:
    source, _ = pairs
    written = greedy(ours, source, begin=0, end=1, longest=8)
    expected = theirs.generate(source, attention_mask=(source != 0).long(), max_new_tokens=8, do_sample=False)[:, 1:]
    for mine, row in zip(written, expected.tolist(), strict=True):
        assert mine == (row[: row.index(1)] if 1 in row else row)
    best = beam_search(ours, source, begin=0, end=1, longest=8, beams=3)
    assert all(len(found) == 3 for found in best)


def test_a_saved_model_is_read_by_transformers_and_by_us(ours: T5, theirs: Any, tmp_path: Path) -> None:
    save_t5(ours, tmp_path)
    again = transformers.T5ForConditionalGeneration.from_pretrained(tmp_path)
    for (name, mine), other in zip(theirs.named_parameters(), again.parameters(), strict=True):
        assert torch.equal(mine, other), name
    assert all(
        torch.equal(one, two) for one, two in zip(ours.parameters(), load_t5(tmp_path).parameters(), strict=True)
    )


@pytest.mark.parametrize("settings", [{"model_type": "bert"}, {"feed_forward_proj": "gated-gelu"}])
def test_other_models_are_refused(ours: T5, settings: dict[str, str], tmp_path: Path) -> None:
    save_t5(ours, tmp_path)
    config = tmp_path / "config.json"
    config.write_text(config.read_text().replace('"t5"', f'"{settings.get("model_type", "t5")}"'))
    config.write_text(config.read_text().replace('"relu"', f'"{settings.get("feed_forward_proj", "relu")}"'))
    with pytest.raises(CheckpointError, match=r"bert|gated"):
        load_t5(tmp_path)


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize(("count", "farthest"), [(32, 128), (8, 12), (16, 100)])
def test_distances_have_the_numbers_of_transformers(both: bool, count: int, farthest: int) -> None:
    distances = torch.arange(-300, 301)
    attention = transformers.models.t5.modeling_t5.T5Attention
    expected = attention._relative_position_bucket(distances, both, count, farthest)
    assert torch.equal(buckets(distances, both=both, count=count, farthest=farthest), expected)


@pytest.mark.parametrize(
    ("size", "parameters"),
    [
        ("small", 60_506_624),
        ("base", 222_903_552),
        ("large", 737_668_096),
        ("3b", 2_851_598_336),
        ("11b", 11_307_321_344),
    ],
)
def test_published_t5s_have_their_parameters(size: str, parameters: int) -> None:
    with torch.device("meta"):
        model = T5(T5Config.of_size(size))
    assert sum(parameter.numel() for parameter in model.parameters()) == parameters


def test_scores_start_at_a_moderate_size() -> None:
    torch.manual_seed(0)
    model = T5(T5Config(vocab_size=100, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4))
    source = torch.randint(2, 100, (4, 12))
    with torch.no_grad():
        logits = model.eval().decode(source, *model.encode(source))
    assert 0.1 < float(logits.std()) < 3
