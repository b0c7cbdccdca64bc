"""Recurrent language models against torch's bidirectional LSTM, and what each direction may see."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from etude.models.recurrent import BiLM, RecurrentConfig, ScalarMix

SMALL = RecurrentConfig(12, width=6, cells=8, layers=2, dropout=0.0)


def test_one_layer_is_torchs_bidirectional_lstm() -> None:
    config = RecurrentConfig(12, width=6, cells=6, layers=1, dropout=0.0)
    ours, theirs = BiLM(config), nn.LSTM(6, 6, batch_first=True, bidirectional=True)
    forward, backward = ours.forward_lm.layers[0].state_dict(), ours.backward_lm.layers[0].state_dict()
    theirs.load_state_dict({**forward, **{f"{name}_reverse": tensor for name, tensor in backward.items()}})
    tokens = torch.tensor([[3, 4, 5, 6, 7], [8, 9, 10, 0, 0]])
    packed = nn.utils.rnn.pack_padded_sequence(ours.embedding(tokens), torch.tensor([5, 3]), batch_first=True)
    expected, _ = nn.utils.rnn.pad_packed_sequence(theirs(packed)[0], batch_first=True)
    words = tokens != 0
    torch.testing.assert_close(ours.all_layers(tokens)[-1][words], expected[words])


@given(st.integers(0, 5), st.integers(2, 6))
def test_no_direction_sees_the_token_that_it_predicts(place: int, length: int) -> None:
    model = BiLM(SMALL)
    place = min(place, length - 1)
    tokens = torch.arange(3, 3 + length)[None]
    changed = tokens.clone()
    changed[0, place] = 11
    for before, after in zip(model.all_layers(tokens)[1:], model.all_layers(changed)[1:], strict=True):
        same = (before == after)[0]  # (N, 2 d)
        assert same[:place, :6].all(), "a forward state sees a later token"
        assert same[place + 1 :, 6:].all(), "a backward state sees an earlier token"
        assert not same[place].all()


def test_the_loss_counts_words_alone_and_padding_changes_nothing() -> None:
    model = BiLM(SMALL)
    short = torch.tensor([[3, 4, 5]])
    padded = torch.tensor([[3, 4, 5, 0, 0]])
    torch.testing.assert_close(model.losses(short), model.losses(padded))
    forward = model.output(model.all_layers(short)[-1][0, :2, :6]).log_softmax(dim=-1)
    backward = model.output(model.all_layers(short)[-1][0, 1:, 6:]).log_softmax(dim=-1)
    expected = -(forward[0, 4] + forward[1, 5]) / 2, -(backward[0, 3] + backward[1, 4]) / 2
    torch.testing.assert_close(model.losses(short), expected)


def test_a_layer_is_projected_and_goes_around_itself() -> None:
    model = BiLM(SMALL)
    embedded, first, second = model.all_layers(torch.tensor([[3, 4, 5]]))
    assert embedded.shape == first.shape == second.shape == (1, 3, 12)
    torch.testing.assert_close(embedded[..., :6], embedded[..., 6:])
    read = model.forward_lm.layers[1](first[..., :6])[0]
    torch.testing.assert_close(second[..., :6], read + first[..., :6])


def test_the_mix_is_weighted_by_a_softmax_and_scaled() -> None:
    mix = ScalarMix(3)
    layers = [torch.randn(2, 4, 5) for _ in range(3)]
    torch.testing.assert_close(mix(layers), torch.stack(layers).mean(dim=0))
    with torch.no_grad():
        mix.scores.copy_(torch.tensor([0.0, 1.0, -2.0]))
        mix.factor.fill_(2.5)
    weights = torch.tensor([1.0, 2.718281828, 0.1353352832]) / (1 + 2.718281828 + 0.1353352832)
    torch.testing.assert_close(mix(layers), 2.5 * sum(w * layer for w, layer in zip(weights, layers, strict=True)))
