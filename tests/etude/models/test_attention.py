"""Multi-head attention against torch's own, in values and gradients, and a cache against computing all at once."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from etude.models.attention import Cache, MultiHeadAttention, causal_mask, padding_mask


def twins(
    heads: int, width: int, dtype: torch.dtype = torch.float64
) -> tuple[MultiHeadAttention, nn.MultiheadAttention]:
    """Our attention and torch's, with the same random weights."""
    ours = MultiHeadAttention(heads * width, heads).to(dtype)
    theirs = nn.MultiheadAttention(heads * width, heads, batch_first=True, dtype=dtype)
    for parameter in ours.parameters():
        nn.init.normal_(parameter, std=0.5)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(ours.project_in.weight)
        theirs.in_proj_bias.copy_(ours.project_in.bias)
        theirs.out_proj.weight.copy_(ours.project_out.weight)
        theirs.out_proj.bias.copy_(ours.project_out.bias)
    return ours, theirs


def draw(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


shapes = st.tuples(st.integers(1, 3), st.integers(1, 6), st.integers(1, 6), st.integers(1, 4), st.integers(1, 5))


@given(shapes, st.booleans())
def test_values_and_gradients_are_those_of_torch(shape: tuple[int, ...], within: bool) -> None:
    batch, queries, keys, heads, width = shape
    ours, theirs = twins(heads, width)
    x, context = draw(batch, queries, heads * width), draw(batch, keys, heads * width)
    around = x if within else context
    mine = ours(x) if within else ours(x, context)
    other = theirs(x, around, around, need_weights=False)[0]
    torch.testing.assert_close(mine, other)
    wanted = [x] if within else [x, context]
    torch.testing.assert_close(
        torch.autograd.grad(mine.square().sum(), wanted), torch.autograd.grad(other.square().sum(), wanted)
    )


@given(shapes)
def test_no_weight_falls_on_padding_and_weights_are_those_of_torch(shape: tuple[int, ...]) -> None:
    batch, queries, keys, heads, width = shape
    ours, theirs = twins(heads, width)
    x, context = draw(batch, queries, heads * width), draw(batch, keys, heads * width)
    tokens = torch.ones(batch, keys, dtype=torch.int64)
    tokens[:, 1:] = torch.randint(0, 2, (batch, keys - 1))
    mask = padding_mask(tokens)
    other, weights = theirs(x, context, context, key_padding_mask=tokens == 0, average_attn_weights=False)
    torch.testing.assert_close(ours(x, context, mask=mask), other)
    mine = ours.weights(x, context, mask=mask)
    torch.testing.assert_close(mine, weights)
    assert mine.masked_select((tokens == 0)[:, None, None, :].expand_as(mine)).eq(0).all()


@given(shapes)
def test_one_position_at_a_time_gives_what_all_at_once_give(shape: tuple[int, ...]) -> None:
    batch, length, _, heads, width = shape
    ours, _ = twins(heads, width)
    x = draw(batch, length, heads * width)
    cache = Cache()
    steps = [ours(x[:, i : i + 1], cache=cache) for i in range(length)]
    whole = ours(x, causal=True)
    torch.testing.assert_close(torch.cat(steps, dim=1), whole)
    torch.testing.assert_close(ours(x, mask=causal_mask(length)), whole)


def test_the_keys_of_a_context_are_computed_once_and_follow_the_beam() -> None:
    ours, _ = twins(2, 4)
    x, context = draw(3, 1, 8), draw(3, 5, 8)
    cache = Cache()
    first = ours(x, context, cache=cache)
    torch.testing.assert_close(ours(x, torch.full_like(context, torch.nan), cache=cache), first)
    rows = torch.tensor([2, 2, 0])
    cache.select(rows)
    torch.testing.assert_close(ours(x[rows], context, cache=cache), first[rows])


def test_heads_must_divide_the_width() -> None:
    with pytest.raises(ValueError, match="3 heads do not divide a width of 8"):
        MultiHeadAttention(8, 3)
