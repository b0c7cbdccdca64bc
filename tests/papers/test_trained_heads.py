"""What the heads of a trained encoder have in common: the directions that their query-key products read."""

from statistics import mean

import pytest
import torch
from torch import Tensor, nn

from etude import pretrained
from etude.lesson.checks import claim
from etude.models.attention import MultiHeadAttention
from etude.models.bert import BertForPretraining


def directions(product: Tensor, share: float = 0.9) -> int:
    """Counts the directions that hold this share of a matrix's squared length."""
    squares = torch.linalg.svdvals(product.double()).square()
    return int((squares.cumsum(0) < share * squares.sum()).sum()) + 1


def query_key_products(layer: nn.Module) -> Tensor:
    """Computes W_Qᵀ W_K of each head of a layer: (h, d, d)."""
    attention = layer.get_submodule("attention")
    assert isinstance(attention, MultiHeadAttention)
    queries, keys, _ = attention.project_in.weight.detach().chunk(3)  # (d, d) each
    heads = (attention.heads, -1, attention.width)
    return queries.view(heads).transpose(1, 2) @ keys.view(heads)


def together_over_alone(products: Tensor) -> float:
    """Divides the directions of all heads together by those of one head, in the mean."""
    return directions(products.sum(0)) / mean(directions(head) for head in products)


@claim("tr-lowrank-trained")
@pytest.mark.parametrize("name", ["world-en", "world-ko"])
def test_trained_heads_share_their_directions_and_random_heads_do_not(name: str) -> None:
    trained = pretrained.load(name)[0]
    torch.manual_seed(0)
    untrained = BertForPretraining(trained.bert.config)
    for layer, fresh in zip(trained.bert.layers, untrained.bert.layers, strict=True):
        products, random = query_key_products(layer), query_key_products(fresh)
        assert directions(products.sum(0)) < 0.5 * directions(random.sum(0))
        assert together_over_alone(products) < 1.9, "four heads need hardly more directions than one"
        assert together_over_alone(random) > 1.9, "control: the directions of random heads add up"
