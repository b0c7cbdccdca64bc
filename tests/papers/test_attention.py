"""What papers say of attention that follows from its definition, on torch's own layers with random weights."""

from math import sqrt

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from etude.lesson.checks import claim


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def attention(width: int = 32, heads: int = 4) -> torch.nn.MultiheadAttention:
    return torch.nn.MultiheadAttention(width, heads, batch_first=True, dtype=torch.float64)


def normal(*sizes: int) -> torch.Tensor:
    return torch.randn(*sizes, dtype=torch.float64)


@claim("tr-shapes")
def test_cross_attention_gives_one_vector_a_query_and_one_weight_a_query_and_key() -> None:
    queries, keys = normal(2, 5, 32), normal(2, 9, 32)  # (b, n, d), (b, m, d)
    values, weights = attention()(queries, keys, keys, average_attn_weights=False)
    assert values.shape == (2, 5, 32)
    assert weights.shape == (2, 4, 5, 9)  # (b, h, n, m)


@claim("tr-memory")
@pytest.mark.parametrize("length", [8, 16, 32])
def test_self_attention_keeps_heads_times_length_squared_weights(length: int) -> None:
    states = normal(3, length, 32)
    _, weights = attention()(states, states, states, average_attn_weights=False)
    assert weights.numel() == 3 * 4 * length**2


@claim("tr-perm")
def test_without_positions_a_permuted_input_gives_the_same_output_permuted() -> None:
    layer, states, order = attention(), normal(1, 10, 32), torch.randperm(10)
    output, _ = layer(states, states, states)
    permuted, _ = layer(states[:, order], states[:, order], states[:, order])
    torch.testing.assert_close(permuted, output[:, order], rtol=0, atol=1e-12)
    placed = states + normal(1, 10, 32)
    moved, _ = layer(placed, placed, placed)
    assert (moved - output).abs().max() > 1e-3


@claim("tr-mask-inf")
def test_minus_infinity_before_the_softmax_gives_a_weight_of_0_and_nothing_of_the_future() -> None:
    layer, states = attention(), normal(1, 8, 32)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(8, dtype=torch.float64)
    output, weights = layer(states, states, states, attn_mask=mask)
    assert torch.equal(weights.triu(1), torch.zeros_like(weights))
    torch.testing.assert_close(weights.sum(-1), torch.ones(1, 8, dtype=torch.float64))
    changed = torch.cat([states[:, :5], normal(1, 3, 32)], dim=1)
    torch.testing.assert_close(layer(changed, changed, changed, attn_mask=mask)[0][:, :5], output[:, :5])
    assert (layer(changed, changed, changed)[0][:, :5] - layer(states, states, states)[0][:, :5]).abs().max() > 1e-3


@claim("tr-asym")
def test_the_scores_of_self_attention_are_not_symmetric_unless_queries_and_keys_share_their_weights() -> None:
    states, queries, keys = normal(20, 64), normal(64, 64), normal(64, 64)

    def asymmetry(scores: torch.Tensor) -> float:
        return float((scores - scores.T).norm() / scores.norm())

    assert asymmetry((states @ queries) @ (states @ keys).T) > 1
    assert asymmetry((states @ queries) @ (states @ queries).T) < 1e-12


@claim("tr-scale")
@pytest.mark.parametrize("width", [16, 64, 256, 1024])
def test_scores_have_the_variance_of_the_width_and_of_one_after_the_division_by_its_root(width: int) -> None:
    samples = 4_000
    scores = (normal(samples, width) * normal(samples, width)).sum(-1)
    five_sigma = 5 * sqrt((2 + 6 / width) / samples)  # of the variance of such a sum, as a share of it
    assert abs(scores.var().item() / width - 1) < five_sigma
    assert abs((scores / sqrt(width)).var().item() - 1) < five_sigma


@claim("tr-ln-axes")
@settings(deadline=None)
@given(width=st.integers(2, 64), scale=st.floats(1, 100), shift=st.floats(-100, 100))
def test_layer_norm_takes_mean_and_variance_of_each_token_and_has_a_scale_and_a_shift_a_dimension(
    width: int, scale: float, shift: float
) -> None:
    layer = torch.nn.LayerNorm(width, eps=1e-12, dtype=torch.float64)
    states = scale * torch.linspace(-1, 1, 3 * width, dtype=torch.float64).reshape(3, width) ** 3 + shift
    normed = layer(states)
    torch.testing.assert_close(normed.mean(-1), torch.zeros(3, dtype=torch.float64), rtol=0, atol=1e-6)
    torch.testing.assert_close(normed.var(-1, unbiased=False), torch.ones(3, dtype=torch.float64), rtol=0, atol=1e-4)
    assert layer.weight.shape == layer.bias.shape == (width,)


@claim("tr-lowrank")
@pytest.mark.parametrize("width", [4, 16])
def test_the_scores_of_a_head_have_at_most_the_rank_of_its_width(width: int) -> None:
    states, queries, keys = normal(128, 64), normal(64, width), normal(64, width)
    assert torch.linalg.matrix_rank((states @ queries) @ (states @ keys).T) == width


@claim("preln-eqs")
def test_post_ln_and_pre_ln_are_the_equations_of_the_paper_on_torchs_layer() -> None:
    states = normal(2, 6, 32)
    for first in (False, True):
        layer = torch.nn.TransformerEncoderLayer(
            32, 4, 64, dropout=0.0, batch_first=True, norm_first=first, dtype=torch.float64
        )

        def attend(x: torch.Tensor, layer: torch.nn.TransformerEncoderLayer = layer) -> torch.Tensor:
            looked: torch.Tensor = layer.self_attn(x, x, x)[0]
            return looked

        def think(x: torch.Tensor, layer: torch.nn.TransformerEncoderLayer = layer) -> torch.Tensor:
            thought: torch.Tensor = layer.linear2(torch.relu(layer.linear1(x)))
            return thought

        if first:
            middle = states + attend(layer.norm1(states))
            expected = middle + think(layer.norm2(middle))
        else:
            middle = layer.norm1(states + attend(states))
            expected = layer.norm2(middle + think(middle))
        torch.testing.assert_close(layer(states), expected)


def test_the_decoder_asks_the_encoders_states_and_adds_the_answer_to_its_own_masked_self_attention() -> None:
    layer = torch.nn.TransformerDecoderLayer(32, 4, 64, dropout=0.0, batch_first=True, dtype=torch.float64)
    states, encoded = normal(2, 5, 32), normal(2, 9, 32)  # (b, n, d), (b, m, d)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.float64)
    looked = layer.norm1(states + layer.self_attn(states, states, states, attn_mask=mask)[0])  # (b, n, d)

    def rest(asked: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """The layer from here on, with these keys and values and this residual stream."""
        middle = layer.norm2(kept + layer.multihead_attn(looked, asked, asked)[0])
        after: torch.Tensor = layer.norm3(middle + layer.linear2(torch.relu(layer.linear1(middle))))
        return after

    output = layer(states, encoded, tgt_mask=mask)
    torch.testing.assert_close(output, rest(encoded, looked))
    assert output.shape == states.shape
    for wrong in (rest(looked, looked), rest(encoded, states)):  # keys of the decoder's own; the layer's input added
        assert (wrong - output).abs().max() > 0.1


def test_a_dot_product_grows_with_the_query_and_bahdanaus_additive_score_is_bounded() -> None:
    query, key, weigh = normal(64), normal(64), normal(64)
    of_query, of_key = normal(64, 64), normal(64, 64)

    def additive(scale: float) -> torch.Tensor:
        """Bahdanau et al. 2015, appendix A.1.2."""
        return weigh @ torch.tanh(of_query @ (scale * query) + of_key @ key)

    assert ((1e6 * query) @ key).abs() > 1e5 * additive(1e6).abs()
    assert additive(1e6).abs() <= weigh.abs().sum()
    torch.testing.assert_close((3 * query) @ key, 3 * (query @ key))
    assert (additive(3) - 3 * additive(1)).abs() > 1


def spread(skip: bool, think: bool, depth: int = 12) -> float:
    """The share of a stack's output that differs between tokens; random weights, 16 tokens of width 64."""
    states = normal(16, 64)
    for _ in range(depth):
        layer = torch.nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True, dtype=torch.float64)
        looked = layer.self_attn(states[None], states[None], states[None])[0][0]
        states = states + looked if skip else looked
        if think:
            thought = layer.linear2(torch.relu(layer.linear1(states)))
            states = states + thought if skip else thought
    return float((states - states.mean(0)).norm() / states.norm())


@pytest.mark.parametrize("think", [False, True])
def test_without_skips_all_tokens_become_alike_and_feed_forward_layers_do_not_stop_it(think: bool) -> None:
    with torch.no_grad():
        assert spread(skip=False, think=think) < 1e-9
        assert spread(skip=True, think=think) > 0.5
