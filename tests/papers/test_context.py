"""How far a model sees, before anything is trained: claims on recurrence, attention and BERT's limit, computed."""

from itertools import product

import torch
from torch import Tensor, nn

from etude import pretrained
from etude.lesson.checks import claim
from etude.models.attention import MultiHeadAttention

LENGTH, WIDTH = 41, 32


def influence(read: nn.Module | object, distances: list[int]) -> list[float]:
    """Measures how much the last vector changes with the input at these distances from it: the gradient's mean norm."""
    norms = torch.zeros(len(distances))
    for seed in range(10):
        x = torch.randn(1, LENGTH, WIDTH, generator=torch.Generator().manual_seed(seed)).requires_grad_()
        last = read(x)[0, -1]  # type: ignore[operator]
        (gradient,) = torch.autograd.grad(last.sum(), x)
        norms += gradient[0, [LENGTH - 1 - distance for distance in distances]].norm(dim=-1)
    return [float(norm) for norm in norms / 10]


@claim("tr-locality")
def test_at_random_weights_an_lstm_hears_near_tokens_and_attention_all_alike() -> None:
    torch.manual_seed(0)
    lstm, attention = nn.LSTM(WIDTH, WIDTH, batch_first=True), MultiHeadAttention(WIDTH, 4)
    near, middle, far = influence(lambda x: lstm(x)[0], [1, 10, 40])
    assert middle < 0.02 * near
    assert far < 1e-4 * near
    near, middle, far = influence(attention, [1, 10, 40])
    assert max(near, middle, far) < 2 * min(near, middle, far)


def best_of_a_linear_probe(features: Tensor, labels: Tensor) -> float:
    """Finds the least squares fit of labels, 0 and 1, by features, (N, F), and a constant; returns its share of right answers."""
    table = torch.cat([features, torch.ones(len(features), 1, dtype=features.dtype)], dim=1)
    weights = torch.linalg.lstsq(table, labels[:, None].to(features.dtype)).solution
    above = (table @ weights)[:, 0] > 0.5 + 1e-9  # where the fit says nothing it gives 0.5, and rounding would decide
    return float((above == labels.bool()).double().mean())


@claim("biconcat-limit")
def test_two_one_way_vectors_side_by_side_cannot_tell_whether_the_neighbours_differ() -> None:
    # a(0) + b(0) and a(1) + b(1) would have to lie below, a(0) + b(1) and a(1) + b(0) above: the sums of both pairs are equal.
    pairs = torch.tensor(list(product((0, 1), repeat=2)) * 25)
    generator = torch.Generator().manual_seed(0)
    forward, backward, both = (torch.randn(n, 16, generator=generator, dtype=torch.float64) for n in (2, 2, 4))
    differ, left = pairs[:, 0] ^ pairs[:, 1], pairs[:, 0]
    side_by_side = torch.cat([forward[pairs[:, 0]], backward[pairs[:, 1]]], dim=1)
    assert best_of_a_linear_probe(side_by_side, left) == 1, "control: one neighbour alone is told"
    assert best_of_a_linear_probe(side_by_side, differ) <= 0.75
    assert best_of_a_linear_probe(both[2 * pairs[:, 0] + pairs[:, 1]], differ) == 1, (
        "a vector that has seen both tells it"
    )


@claim("mcgill-512")
def test_berts_limit_of_512_is_one_of_tokens_not_of_characters() -> None:
    model, tokenizer = pretrained.load("world-en")  # of 128 positions
    positions = model.bert.config.max_position_embeddings
    text = "the grandmother is in the armchair " * 20
    ids = tokenizer.encode(text.strip())
    assert len(ids) < positions + 1 < 5 * positions < len(text)
    with torch.inference_mode():
        assert model.bert(torch.tensor([ids])).shape[1] == len(ids)
