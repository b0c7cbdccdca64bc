"""XLNet against transformers' model with the same random weights: both streams, memory, segments, loss, checkpoints, its size."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as huggingface
from torch import Tensor
from torch.nn import functional

from etude.lesson.checks import claim
from etude.models.checkpoint_files import CheckpointError
from etude.models.xlnet import Asked, XLNet, XLNetConfig, XLNetForPermutationLM, by_distance, distance_vectors
from etude.models.xlnet_checkpoints import load_xlnet, save_xlnet

transformers: Any = huggingface  # its types are its own
SMALL: Any = {"vocab_size": 30, "d_model": 24, "n_layer": 3, "n_head": 4, "d_inner": 40}
TEXTS, LENGTH = 3, 7
ORDERS = torch.tensor([[2, 0, 3, 6, 1, 5, 4], [0, 1, 2, 3, 4, 5, 6], [6, 5, 3, 4, 2, 0, 1]])
ASKED = ORDERS[:, -3:]  # (B, T)


@pytest.fixture(scope="module")
def theirs() -> Any:
    """A model with random weights, of which none is the same as another; it keeps all of its memory."""
    model = transformers.XLNetLMHeadModel(transformers.XLNetConfig(**SMALL, mem_len=None, use_mems_eval=True))
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    return model.eval()


@pytest.fixture(scope="module")
def ours(theirs: Any, tmp_path_factory: pytest.TempPathFactory) -> XLNetForPermutationLM:
    folder = tmp_path_factory.mktemp("xlnet")
    theirs.save_pretrained(folder)
    return load_xlnet(folder)


def text(seed: int) -> Tensor:
    return torch.randint(0, 30, (TEXTS, LENGTH), generator=torch.Generator().manual_seed(seed))


def visible() -> Tensor:
    """What comes strictly before each place in its text's order, (B, N, N)."""
    turn = ORDERS.argsort(dim=1)
    return turn[:, None, :] < turn[:, :, None]


def asked_of(model: Any, tokens: Tensor, sees: Tensor, **more: Any) -> Any:
    """Asks transformers' model, whose mask is 1 where a place may not see."""
    return model(tokens, perm_mask=(~sees).float(), target_mapping=functional.one_hot(ASKED, LENGTH).float(), **more)


def test_the_query_stream_gives_the_logits_of_transformers(theirs: Any, ours: XLNetForPermutationLM) -> None:
    # All asked places see something: of a row that sees nothing transformers makes the mean of everything.
    expected = asked_of(theirs, text(2), visible()).logits
    query = ours.xlnet(text(2), visible(), ASKED).query
    assert query is not None
    torch.testing.assert_close(ours.logits(query), expected, atol=1e-4, rtol=1e-4)


def test_the_content_stream_gives_the_hidden_states_of_transformers(theirs: Any, ours: XLNetForPermutationLM) -> None:
    streams = ours.xlnet(text(3))
    torch.testing.assert_close(streams.content, theirs.transformer(text(3)).last_hidden_state, atol=1e-4, rtol=1e-4)
    assert streams.query is None
    tokens, causal = text(3), visible()
    expected = theirs.transformer(tokens, perm_mask=(~causal).float()).last_hidden_state
    torch.testing.assert_close(ours.xlnet(tokens, causal).content, expected, atol=1e-4, rtol=1e-4)


def test_memory_and_segments_are_those_of_transformers(theirs: Any, ours: XLNetForPermutationLM) -> None:
    kinds = (torch.arange(LENGTH) > 2).long().expand(TEXTS, -1)
    first = asked_of(theirs, text(4), visible())
    then = asked_of(theirs, text(5), visible(), mems=first.mems, token_type_ids=kinds)
    memory = ours.xlnet(text(4), visible(), ASKED).memory
    streams = ours.xlnet(text(5), visible(), ASKED, memory, kinds)
    assert streams.query is not None
    torch.testing.assert_close(ours.logits(streams.query), then.logits, atol=1e-4, rtol=1e-4)
    for mine, other in zip(streams.memory, then.mems, strict=True):
        assert mine.shape == (TEXTS, 2 * LENGTH, 24)
        torch.testing.assert_close(mine, other.transpose(0, 1), atol=1e-4, rtol=1e-4)


def test_the_loss_and_its_gradients_are_those_of_transformers(theirs: Any, ours: XLNetForPermutationLM) -> None:
    tokens = text(6)
    expected = asked_of(theirs, tokens, visible(), labels=tokens.gather(1, ASKED).contiguous()).loss
    loss = ours(Asked(tokens, visible(), ASKED))
    torch.testing.assert_close(loss, expected)
    layer: Any = ours.xlnet.layers[1]
    attention, other = layer.attention, theirs.transformer.layer[1].rel_attn
    mine = [attention.content_bias, attention.distance_bias, ours.xlnet.start]
    wanted = [other.r_w_bias, other.r_r_bias, theirs.transformer.mask_emb]
    for one, another in zip(torch.autograd.grad(loss, mine), torch.autograd.grad(expected, wanted), strict=True):
        torch.testing.assert_close(one, another.reshape(one.shape), atol=1e-4, rtol=1e-3)


def test_a_saved_model_is_read_by_transformers_and_by_us(
    theirs: Any, ours: XLNetForPermutationLM, tmp_path: Path
) -> None:
    save_xlnet(ours, tmp_path)
    again = transformers.XLNetLMHeadModel.from_pretrained(tmp_path)
    for (name, mine), other in zip(theirs.named_parameters(), again.parameters(), strict=True):
        assert torch.equal(mine, other), name
    both = zip(ours.parameters(), load_xlnet(tmp_path).parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in both)


@claim("xlnet-two-streams")
def test_no_prediction_knows_its_own_token_and_the_first_of_an_order_knows_none(ours: XLNetForPermutationLM) -> None:
    embedded = ours.xlnet.tokens(text(7)).detach().requires_grad_()
    handle = ours.xlnet.tokens.register_forward_hook(lambda module, given, result: embedded)
    query = ours.xlnet(text(7), visible(), ORDERS).query  # all are asked for
    handle.remove()
    assert query is not None
    for turn in range(LENGTH):
        (gradient,) = torch.autograd.grad(query[:, turn].square().sum(), embedded, retain_graph=True)
        known = gradient.abs().amax(dim=-1) > 0  # (B, N)
        assert torch.equal(known, visible()[torch.arange(TEXTS), ORDERS[:, turn]])


def test_memory_keeps_the_last_places_without_a_gradient() -> None:
    model = XLNet(XLNetConfig(**SMALL, mem_len=5)).eval()
    first = model(text(8)).memory
    assert [tuple(kept.shape) for kept in first] == [(TEXTS, 5, 24)] * 3
    second = model(text(9), memory=first).memory
    assert not any(kept.requires_grad for kept in second)
    assert torch.equal(second[0], model.tokens(text(9))[:, -5:])


def test_two_parts_with_memory_are_one_text_from_left_to_right(ours: XLNetForPermutationLM) -> None:
    tokens, before = text(10), torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril(-1).expand(TEXTS, -1, -1)
    whole = ours.xlnet(tokens, before).content
    memory = ours.xlnet(tokens[:, :4], before[:, :4, :4]).memory
    parts = ours.xlnet(tokens[:, 4:], before[:, 4:, 4:], memory=memory).content
    torch.testing.assert_close(parts, whole[:, 4:], atol=1e-5, rtol=1e-4)


def test_a_row_takes_the_scores_of_its_distances() -> None:
    scores = torch.tensor([2.0, 1.0, 0.0, -1.0, -2.0]).expand(1, 1, 2, 5)  # the distances themselves
    assert by_distance(scores, torch.tensor([[0, 2]])).tolist() == [[[[0.0, -1.0, -2.0], [2.0, 1.0, 0.0]]]]
    vectors = distance_vectors(3, 4)
    assert vectors.shape == (5, 4)
    torch.testing.assert_close(vectors[2], torch.tensor([0.0, 0.0, 1.0, 1.0]))  # the distance 0
    first = [math.sin(2.0), math.sin(0.02), math.cos(2.0), math.cos(0.02)]  # the distance 2, to the left
    torch.testing.assert_close(vectors[0], torch.tensor(first))


def test_xlnet_base_has_116718336_parameters() -> None:
    with torch.device("meta"):
        model = XLNet(XLNetConfig())
    assert sum(parameter.numel() for parameter in model.parameters()) == 116_718_336


def test_what_cannot_be_is_refused_with_a_sentence(theirs: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="5 heads do not divide a width of 24"):
        XLNet(XLNetConfig(**SMALL | {"n_head": 5}))
    theirs.save_pretrained(tmp_path)
    config = tmp_path / "config.json"
    whole = config.read_text()
    config.write_text(whole.replace('"attn_type": "bi"', '"attn_type": "uni"'))
    with pytest.raises(CheckpointError, match="attn_type = 'uni', and here it is 'bi' alone"):
        load_xlnet(tmp_path)
    config.write_text(whole.replace('"model_type": "xlnet"', '"model_type": "bert"'))
    with pytest.raises(CheckpointError, match="of a 'bert', not of a 'xlnet'"):
        load_xlnet(tmp_path)
