"""The small classifiers: each sentence alone and unpadded gives what a padded batch gives; torch's EmbeddingBag, LSTM cells."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.testing import assert_close

from etude.models.classifiers import BagClassifier, LstmClassifier

TOKENS = torch.tensor([[2, 5, 7, 3, 3], [2, 4, 0, 0, 0], [6, 6, 1, 0, 0]])  # (3, 5), 0 is padding


def sentences() -> list[Tensor]:
    return [row[row != 0] for row in TOKENS]


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(1)


def test_a_bag_is_torchs_embedding_bag_and_a_linear_map() -> None:
    model = BagClassifier(8, 4, 3)
    bag = nn.EmbeddingBag.from_pretrained(model.embedding.weight, mode="mean")
    expected = functional.linear(torch.cat([bag(one[None]) for one in sentences()]), model.head.weight, model.head.bias)
    assert_close(model.logits(TOKENS), expected)


def test_a_bag_knows_no_order() -> None:
    model = BagClassifier(8, 4, 3)
    assert_close(model.logits(TOKENS[:1]), model.logits(TOKENS[:1].flip(1)))


def test_a_bag_without_a_token_scores_the_bias() -> None:
    model = BagClassifier(8, 4, 3)
    assert_close(model.logits(torch.zeros(1, 2, dtype=torch.long))[0], model.head.bias)


def test_an_lstm_reads_each_sentence_from_both_ends_and_no_padding() -> None:
    model = LstmClassifier(8, 4, 5, 3)
    cells = nn.LSTMCell(4, 5), nn.LSTMCell(4, 5)
    for cell, ending in zip(cells, ("l0", "l0_reverse"), strict=True):
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        cell.load_state_dict({name: getattr(model.lstm, f"{name}_{ending}") for name in names})
    rows = []
    for one in sentences():
        states = []
        for cell, order in zip(cells, (one, one.flip(0)), strict=True):
            state = torch.zeros(5), torch.zeros(5)
            for x in model.embedding(order):
                state = cell(x, state)
            states.append(state[0])
        rows.append(model.head(functional.relu(model.hidden(torch.cat(states)))))
    assert_close(model.logits(TOKENS), torch.stack(rows))


@pytest.mark.parametrize("model", [BagClassifier(8, 4, 3), LstmClassifier(8, 4, 5, 3)], ids=["bag", "lstm"])
def test_every_parameter_is_trained(model: BagClassifier | LstmClassifier) -> None:
    model.logits(TOKENS).square().sum().backward()
    assert all(one.grad is not None and bool(one.grad.any()) for one in model.parameters())
