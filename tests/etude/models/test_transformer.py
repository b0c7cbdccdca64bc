"""The Transformer against torch's own layers, its parameters to the digit, and writing token by token against all at once."""

import math

import pytest
import torch
from torch import Tensor, nn

from etude.models.blocks import Block, BlockConfig, Norm, sinusoids
from etude.models.transformer import Transformer, TransformerConfig

SMALL = TransformerConfig(11, layers=2, width=16, inner=24, heads=4, dropout=0.0, label_smoothing=0.0)


def copied(block: Block, theirs: nn.Module) -> None:
    """Gives torch's layer our layer's weights."""
    names = {
        "self_attn.in_proj_": "attention.project_in.",
        "self_attn.out_proj.": "attention.project_out.",
        "multihead_attn.in_proj_": "cross.project_in.",
        "multihead_attn.out_proj.": "cross.project_out.",
        "linear1.": "feed_forward.0.",
        "linear2.": "feed_forward.2.",
    }
    norms = ["attention_sum.norm.", *(["cross_sum.norm."] if block.cross else []), "feed_forward_sum.norm."]
    names |= {f"norm{number}.": norm for number, norm in enumerate(norms, 1)}
    ours = block.state_dict()
    theirs.load_state_dict(
        {
            name + kind: ours[mine + kind]
            for name, mine in names.items()
            for kind in ("weight", "bias")
            if mine + kind in ours
        }
    )


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_a_layer_is_that_of_torch(norm: Norm, activation: str) -> None:
    config = BlockConfig(16, 4, 24, dropout=0.0, attention_dropout=0.0, activation=activation, norm=norm)
    options = {"dropout": 0.0, "activation": activation, "batch_first": True, "norm_first": norm == "pre"}
    x, memory = torch.randn(3, 5, 16), torch.randn(3, 7, 16)
    hidden = torch.zeros(3, 5, dtype=torch.bool)
    hidden[1, 3:] = True
    block, layer = Block(config), nn.TransformerEncoderLayer(16, 4, 24, **options)  # type: ignore[arg-type]
    copied(block, layer)
    torch.testing.assert_close(block(x, mask=~hidden[:, None, None]), layer(x, src_key_padding_mask=hidden))
    decoder, theirs = Block(config, cross=True), nn.TransformerDecoderLayer(16, 4, 24, **options)  # type: ignore[arg-type]
    copied(decoder, theirs)
    future = nn.Transformer.generate_square_subsequent_mask(5)
    torch.testing.assert_close(
        decoder(x, causal=True, memory=memory), theirs(x, memory, tgt_mask=future, tgt_is_causal=True)
    )


def test_positions_are_sines_and_cosines_of_the_papers_frequencies() -> None:
    expected = [
        [(math.sin if i % 2 == 0 else math.cos)(place / 10_000 ** ((i - i % 2) / 10)) for i in range(10)]
        for place in range(40)
    ]
    torch.testing.assert_close(sinusoids(40, 10), torch.tensor(expected), atol=1e-5, rtol=0)


def parameters(config: TransformerConfig) -> int:
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in Transformer(config).parameters())


def by_hand(vocabulary: int, layers: int, d: int, inner: int) -> int:
    attention, feed_forward, norm = 4 * (d * d + d), 2 * d * inner + inner + d, 2 * d
    return vocabulary * d + layers * (3 * attention + 2 * feed_forward + 5 * norm)


def test_base_and_big_have_as_many_parameters_as_a_count_by_hand() -> None:
    assert parameters(TransformerConfig.base()) == by_hand(37_000, 6, 512, 2048) == 63_082_496
    assert parameters(TransformerConfig.big()) == by_hand(37_000, 6, 1024, 4096) == 214_245_376


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "none"])
def test_token_by_token_gives_what_all_at_once_give(norm: Norm, positions: str) -> None:
    model = Transformer(TransformerConfig(**{**vars(SMALL), "norm": norm, "positions": positions})).eval()
    source = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]])
    target = torch.tensor([[1, 3, 9, 4, 5], [1, 8, 8, 7, 3]])
    whole = model.decode(target, *model.encode(source))
    state = model.start(source)
    steps = torch.stack([model.step(tokens, state) for tokens in target.T], dim=1)
    torch.testing.assert_close(steps, whole)


def test_the_loss_asks_for_the_next_token_and_for_no_padding() -> None:
    model = Transformer(SMALL).eval()
    source, target = torch.tensor([[3, 4], [5, 6]]), torch.tensor([[1, 3, 9, 2], [1, 8, 2, 0]])
    logp = model.decode(target[:, :-1], *model.encode(source)).log_softmax(dim=-1)
    asked = [(0, 0, 3), (0, 1, 9), (0, 2, 2), (1, 0, 8), (1, 1, 2)]
    torch.testing.assert_close(model(source, target), -torch.stack([logp[place] for place in asked]).mean())


def test_no_source_word_behind_the_padding_and_no_later_target_word_is_seen() -> None:
    model = Transformer(SMALL).eval()

    def scores(source: list[int], target: list[int]) -> Tensor:
        memory = model.encode(torch.tensor([source]))
        return model.decode(torch.tensor([target]), *memory)

    whole = scores([3, 4, 5], [1, 6, 7])
    torch.testing.assert_close(scores([3, 4, 5, 0, 0], [1, 6, 7]), whole)
    torch.testing.assert_close(scores([3, 4, 5], [1, 6, 9])[:, :2], whole[:, :2])


def test_a_text_longer_than_the_positions_is_refused_with_a_sentence() -> None:
    model = Transformer(TransformerConfig(**{**vars(SMALL), "longest": 4}))
    with pytest.raises(ValueError, match="5 tokens, and there are 4 positions"):
        model.encode(torch.ones(1, 5, dtype=torch.int64))
