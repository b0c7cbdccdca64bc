"""KagNet against loops that know one path, one concept and one pair at a time, and torch's LSTM on single paths."""

import random
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from etude.models.kagnet import KagNet, KagNetConfig, Statements, TextAlone, collate, train_transe

CONFIG = KagNetConfig(words=9, concepts=7, relations=3, concept_size=4, word_size=5, hidden_size=6)


def drawn(seed: int) -> tuple[Any, ...]:
    """Three statements as lists; the second has a pair without a path, the third no pair at all."""
    draw = random.Random(seed)

    def path(size: int) -> list[tuple[int, int, int]]:
        return [(draw.randrange(size), draw.randrange(6), draw.randrange(size)) for _ in range(draw.randint(1, 3))]

    sizes, counts = (4, 3, 2), ((2, 1), (0, 3), ())
    return (
        [[draw.randint(1, 9) for _ in range(draw.randint(1, 5))] for _ in sizes],
        [draw.sample(range(1, 8), size) for size in sizes],
        [[(draw.randrange(size), draw.randrange(size)) for _ in range(3)] for size in sizes],
        [
            [(draw.randrange(size), draw.randrange(size)) for _ in some]
            for size, some in zip(sizes, counts, strict=True)
        ],
        [[[path(size) for _ in range(count)] for count in some] for size, some in zip(sizes, counts, strict=True)],
    )


@pytest.fixture
def model() -> KagNet:
    torch.manual_seed(0)
    made = KagNet(CONFIG, torch.randn(7, 4))
    for parameter in made.parameters():
        if parameter.requires_grad:
            torch.nn.init.normal_(parameter, std=0.5)
    torch.nn.init.zeros_(made.text.embedding.weight[0])  # padding
    return made.double()


def score(model: KagNet, words: Any, concepts: Any, edges: Any, pairs: Any, paths: Any) -> tuple[Tensor, list[Tensor]]:
    """One statement by itself: its score, and each pair's weights of its paths."""
    text = torch.tanh(model.text.map(torch.stack([model.text.embedding.weight[word] for word in words]).mean(dim=0)))
    x = [model.start(model.concepts.weight[concept]) for concept in concepts]
    near = [{i} | {b for a, b in edges if a == i} | {a for a, b in edges if b == i} for i in range(len(x))]
    for layer in model.layers:
        mixed = [sum(x[j] / (len(near[i]) * len(near[j])) ** 0.5 for j in near[i]) for i in range(len(x))]
        x = [functional.relu(layer(one)) for one in mixed]
    total, scores, parts, alphas = torch.zeros(12, dtype=torch.float64), [], [], []
    for (one, other), own in zip(pairs, paths, strict=True):
        asks = model.pair(torch.cat([text, x[one], x[other]]))
        read = [
            model.lstm(torch.stack([torch.cat([x[a], model.relations.weight[r], x[b]]) for a, r, b in path])[None])[1][
                0
            ][0, 0]
            for path in own
        ]
        alpha = (
            torch.stack([asks @ model.to_paths @ state for state in read]).softmax(dim=0) if read else torch.zeros(0)
        )
        pooled = sum(
            (weight * state for weight, state in zip(alpha, read, strict=True)), torch.zeros(6, dtype=torch.float64)
        )
        scores.append(text @ model.to_pairs @ asks)
        parts.append(torch.cat([pooled, asks]))
        alphas.append(alpha)
    if parts:
        total = torch.stack(scores).softmax(dim=0) @ torch.stack(parts)
    return model.score(functional.relu(model.hidden(total)))[0], alphas


@pytest.mark.parametrize("seed", range(5))
def test_scores_and_weights_are_those_of_a_loop(model: KagNet, seed: int) -> None:
    lists = drawn(seed)
    found = model(collate(*lists))
    for row, statement in enumerate(zip(*lists, strict=True)):
        expected, alphas = score(model, *statement)
        torch.testing.assert_close(found.scores[row], expected)
        for place, alpha in enumerate(alphas):
            torch.testing.assert_close(found.alpha[row, place, : len(alpha)], alpha.to(torch.float64))
    assert found.alpha[1, 0].tolist() == [0.0] * found.alpha.shape[2]  # a pair without a path
    assert found.beta[2].tolist() == [0.0] * found.beta.shape[1]  # a statement without a pair


def test_gradients_are_numbers_where_a_pair_has_no_path(model: KagNet) -> None:
    model(collate(*drawn(1))).scores.sum().backward()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    assert all(bool(parameter.grad.isfinite().all()) for parameter in trained if parameter.grad is not None)
    assert model.concepts.weight.grad is None


def test_a_batch_without_any_path_is_scored(model: KagNet) -> None:
    batch: Statements = collate([[1], [2]], [[1], [2, 3]], [[], []], [[], [(0, 1)]], [[], [[]]])
    assert model(batch).scores.shape == (2,)


def test_text_alone_sees_no_graph() -> None:
    torch.manual_seed(1)
    reader, (words, *rest), (_, *others) = TextAlone(CONFIG), drawn(2), drawn(3)
    torch.testing.assert_close(reader(collate(words, *rest)).scores, reader(collate(words, *others)).scores)


def test_transe_puts_tails_where_head_and_relation_point() -> None:
    # A chain of ten: relation 0 leads to the next concept, relation 1 to the one after it.
    triples = torch.tensor([(i, step, i + step + 1) for step in (0, 1) for i in range(9 - step)])
    nodes, kinds = train_transe(triples, 10, 2, 8, 300, 0)
    again, _ = train_transe(triples, 10, 2, 8, 300, 0)
    torch.testing.assert_close(nodes, again)
    torch.testing.assert_close(nodes.norm(dim=1), torch.ones(10))
    head, relation, tail = triples.T
    apart = (nodes[head] + kinds[relation])[:, None] - nodes[None]  # (T, 10, 8)
    rank = (apart.norm(dim=2) < apart.norm(dim=2).gather(1, tail[:, None])).sum(dim=1)
    assert rank.float().mean() < 1.5  # of 10: 4.5 by chance
