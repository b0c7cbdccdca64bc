"""transformer: the public checks. Expected values come from torch's own layers, closed forms and hand counts."""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student

ONES, ZEROS = torch.ones(4), torch.zeros(4)


def normal(*shape: int, seed: int) -> Tensor:
    """Draws from the standard normal distribution; the same seed gives the same tensor."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def shaken(layer: nn.Module, seed: int) -> nn.Module:
    """The layer with every weight drawn at random: no gain is 1, no shift and no bias is 0."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(0.5 * torch.randn(parameter.shape, generator=generator))
    return layer.eval()


def weights_of(layer: nn.Module, norms: int) -> dict[str, Tensor]:
    """The dictionary of weights that the exercises take, from torch's own layer."""
    state = layer.state_dict()
    weights = {f"w{i}": state[f"linear{i}.weight"].T.clone() for i in (1, 2)}
    weights |= {f"b{i}": state[f"linear{i}.bias"].clone() for i in (1, 2)}
    for i in range(1, norms + 1):
        weights |= {f"gain{i}": state[f"norm{i}.weight"].clone(), f"shift{i}": state[f"norm{i}.bias"].clone()}
    return weights


def attention_of(student: Student, attention: nn.MultiheadAttention) -> Any:
    """The lesson's attention, on the student's side, with the weights of torch's."""
    made = student.MultiHeadAttention(attention.embed_dim, attention.num_heads)
    state: dict[str, Tensor] = {
        "project_in.weight": attention.in_proj_weight,
        "project_in.bias": attention.in_proj_bias,
    }
    state |= {"project_out.weight": attention.out_proj.weight, "project_out.bias": attention.out_proj.bias}
    made.load_state_dict({name: weight.detach().clone() for name, weight in state.items()})
    made.requires_grad_(False)
    return made


def encoder_of(width: int = 8, heads: int = 2, inner: int = 12, seed: int = 0) -> Any:
    return shaken(nn.TransformerEncoderLayer(width, heads, inner, dropout=0.0, batch_first=True), seed)


def decoder_of(width: int = 8, heads: int = 2, inner: int = 12, seed: int = 0) -> Any:
    return shaken(nn.TransformerDecoderLayer(width, heads, inner, dropout=0.0, batch_first=True), seed)


def encoded(layer: Any, x: Tensor, mask: Tensor) -> Tensor:
    """What torch's encoder layer makes of x, (B, N, d), with the keys that the mask, (B, 1, 1, N), lets through."""
    with torch.no_grad():
        attended = layer.self_attn(x, x, x, key_padding_mask=~mask[:, 0, 0])[0]
        x = layer.norm1(x + attended)
        out: Tensor = layer.norm2(x + layer.linear2(torch.relu(layer.linear1(x))))
    return out


def decoded(layer: Any, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
    """What torch's decoder layer makes of x, (B, N, d), and the memory, (B, M, d), of which the mask shows a part."""
    causal = nn.Transformer.generate_square_subsequent_mask(x.size(1))
    with torch.no_grad():
        out: Tensor = layer(x, memory, tgt_mask=causal, memory_key_padding_mask=(~mask[:, 0, 0]).float().mul(-1e9))
    return out


def everything(batch: int, length: int) -> Tensor:
    return torch.ones(batch, 1, 1, length, dtype=torch.bool)


# layer_norm
@exercise("layer_norm")
def test_four_numbers_by_hand(student: Student) -> None:
    close(
        student.layer_norm(torch.tensor([[1.0, 3.0, 5.0, 7.0]]), ONES, ZEROS, 0.0),
        torch.tensor([[-3.0, -1.0, 1.0, 3.0]]) / math.sqrt(5),
        given="1 3 5 7: mean 4, variance 5; gain 1, shift 0, eps 0",
    )


@exercise("layer_norm")
def test_each_token_has_its_own_mean_and_variance(student: Student) -> None:
    x = torch.tensor([[[1.0, 3.0, 5.0, 7.0], [10.0, 10.0, 20.0, 20.0]], [[-1.0, 1.0, -1.0, 1.0], [0.0, 8.0, 0.0, 0.0]]])
    close(
        student.layer_norm(x, ONES, ZEROS),
        functional.layer_norm(x, (4,)),
        given="2 sentences of 2 tokens, d = 4; gain 1, shift 0",
    )


@exercise("layer_norm")
def test_eps_is_added_to_the_variance_inside_the_root(student: Student) -> None:
    close(
        student.layer_norm(torch.tensor([[1.0, -1.0, 1.0, -1.0]]), ONES, ZEROS, 3.0),
        [[0.5, -0.5, 0.5, -0.5]],
        given="1 −1 1 −1: variance 1; eps 3, so the root of 4",
    )


@exercise("layer_norm", points=0.5)
def test_gain_and_shift_belong_to_the_dimensions(student: Student) -> None:
    gain, shift = torch.tensor([1.0, 10.0, 0.0, -2.0]), torch.tensor([0.0, 1.0, 7.0, 100.0])
    x = torch.tensor([[1.0, -1.0, 1.0, -1.0], [2.0, 2.0, -2.0, -2.0], [3.0, -3.0, -3.0, 3.0], [0.0, 1.0, 2.0, 3.0]])
    close(
        student.layer_norm(x, gain, shift, 0.0),
        functional.layer_norm(x, (4,), gain, shift, 0.0),
        given="4 tokens, d = 4; gain 1 10 0 −2, shift 0 1 7 100, eps 0",
    )


@exercise("layer_norm", points=0.5)
def test_a_vector_of_equal_numbers_becomes_the_shift(student: Student) -> None:
    close(
        student.layer_norm(torch.full((1, 4), 5.0), ONES, torch.arange(4.0)),
        [[0.0, 1.0, 2.0, 3.0]],
        given="5 5 5 5; gain 1, shift 0 1 2 3, eps 1e-5",
    )


@exercise("layer_norm", points=0.5, needs="test_four_numbers_by_hand")
def test_the_result_has_the_type_of_x(student: Student) -> None:
    for dtype in (torch.float32, torch.float64):
        x = torch.tensor([[1.0, 3.0, 5.0, 7.0]], dtype=dtype)
        found = student.layer_norm(x, ONES.to(dtype), ZEROS.to(dtype))
        equal(str(getattr(found, "dtype", type(found))), str(dtype), given=f"1 3 5 7, gain and shift of {dtype}; the result's type")


# feed_forward
EYE = torch.eye(3)


@exercise("feed_forward")
def test_negative_numbers_stop_between_the_matrices(student: Student) -> None:
    close(
        student.feed_forward(torch.tensor([[1.0, -2.0, 3.0]]), EYE, torch.zeros(3), EYE, torch.zeros(3)),
        [[1.0, 0.0, 3.0]],
        given="1 −2 3; both matrices the identity, no biases",
    )


@exercise("feed_forward")
def test_biases_are_added_before_the_relu_and_at_the_end(student: Student) -> None:
    close(
        student.feed_forward(torch.tensor([[1.0, -2.0, 3.0]]), EYE, torch.tensor([-5.0, 5.0, 0.0]), EYE, -10 * torch.ones(3)),
        [[-10.0, -7.0, -7.0]],
        given="1 −2 3; identities; b1 = −5 5 0, b2 = −10 −10 −10",
    )


@exercise("feed_forward")
def test_two_random_matrices_agree_with_torch(student: Student) -> None:
    x, w1, b1, w2, b2 = (normal(*s, seed=i) for i, s in enumerate([(2, 3, 4), (4, 6), (6,), (6, 4), (4,)]))
    expected = functional.linear(functional.relu(functional.linear(x, w1.T, b1)), w2.T, b2)
    close(student.feed_forward(x, w1, b1, w2, b2), expected, given="random x (2, 3, 4), d = 4, f = 6")


# embed
TABLE = torch.tensor([[0.0, 0, 0, 0], [1, 2, 3, 4], [-1, 0, 1, 0], [5, 5, 5, 5]])
PLACES = torch.tensor([[0.0, 0, 0, 0], [10, 0, 0, 0], [20, 0, 0, 0], [30, 1, 2, 3], [40, 0, 0, 0]])


@exercise("embed")
def test_rows_are_multiplied_by_the_root_of_the_width(student: Student) -> None:
    close(
        student.embed(torch.tensor([[1, 3], [2, 2]]), TABLE, torch.zeros(5, 4)),
        2 * TABLE[torch.tensor([[1, 3], [2, 2]])],
        given="d = 4; positions all 0; tokens 1 3 and 2 2",
    )


@exercise("embed")
def test_each_place_has_its_position_added(student: Student) -> None:
    close(
        student.embed(torch.tensor([[0, 0, 0], [0, 0, 0]]), TABLE, PLACES),
        PLACES[:3].expand(2, 3, 4),
        given="a table row of zeros, three times in two texts; positions 0, 10, 20, … in the first dimension",
    )


@exercise("embed")
def test_a_later_token_stands_at_a_later_place(student: Student) -> None:
    close(
        student.embed(torch.tensor([[1], [0]]), TABLE, PLACES, 3),
        torch.stack([2 * TABLE[1] + PLACES[3], PLACES[3]])[:, None],
        given="one new token in each of two texts, first = 3",
    )


# encoder_layer
@exercise("encoder_layer")
def test_a_layer_agrees_with_torchs(student: Student) -> None:
    layer, x, mask = encoder_of(seed=1), normal(2, 5, 8, seed=2), everything(2, 5)
    close(
        student.encoder_layer(x, mask, attention_of(student, layer.self_attn), weights_of(layer, 2)),
        encoded(layer, x, mask),
        given="2 sentences of 5 tokens, d = 8, 2 heads, inner width 12, random weights; no padding",
        rtol=1e-3,
        atol=1e-4,
    )


@exercise("encoder_layer")
def test_where_sublayers_give_nothing_the_input_is_normalised(student: Student) -> None:
    layer = encoder_of(seed=3)
    weights = weights_of(layer, 2)
    with torch.no_grad():
        for part in (layer.self_attn.out_proj, layer.linear2):
            part.weight.zero_()
            part.bias.zero_()
    weights |= {"w2": torch.zeros(12, 8), "b2": torch.zeros(8), "gain1": torch.ones(8), "shift1": torch.zeros(8)}
    weights |= {"gain2": torch.arange(1.0, 9.0), "shift2": torch.ones(8)}
    x = normal(1, 3, 8, seed=4)
    close(
        student.encoder_layer(x, everything(1, 3), attention_of(student, layer.self_attn), weights),
        functional.layer_norm(x, (8,)) * weights["gain2"] + 1,
        given="attention and feed-forward give 0; gain1 1, shift1 0; gain2 1 2 … 8, shift2 1",
        rtol=1e-3,
        atol=1e-4,
    )


@exercise("encoder_layer")
def test_padding_is_not_attended_to(student: Student) -> None:
    layer, x, mask = encoder_of(seed=5), normal(1, 4, 8, seed=6), everything(1, 4)
    mask[..., 2:] = False
    out = student.encoder_layer(x, mask, attention_of(student, layer.self_attn), weights_of(layer, 2))
    close(
        out[:, :2],
        encoded(layer, x[:, :2], everything(1, 2)),
        given="4 tokens, of which the last two are padding; the first two, beside those of a text of 2",
        rtol=1e-3,
        atol=1e-4,
    )


# decoder_layer
@exercise("decoder_layer")
def test_a_decoder_layer_agrees_with_torchs(student: Student) -> None:
    layer, x, memory, mask = decoder_of(seed=7), normal(2, 4, 8, seed=8), normal(2, 6, 8, seed=9), everything(2, 6)
    parts = (attention_of(student, layer.self_attn), attention_of(student, layer.multihead_attn), weights_of(layer, 3))
    close(
        student.decoder_layer(x, memory, mask, *parts),
        decoded(layer, x, memory, mask),
        given="2 texts of 4 tokens, 2 sources of 6, d = 8, 2 heads, inner width 12, random weights; no padding",
        rtol=1e-3,
        atol=1e-4,
    )


@exercise("decoder_layer")
def test_a_later_token_changes_nothing_before_it(student: Student) -> None:
    layer, memory = decoder_of(seed=10), normal(1, 3, 8, seed=11)
    parts = (attention_of(student, layer.self_attn), attention_of(student, layer.multihead_attn), weights_of(layer, 3))
    x, other = normal(1, 5, 8, seed=12), normal(1, 5, 8, seed=13)
    changed = torch.cat([x[:, :3], other[:, 3:]], dim=1)
    close(
        student.decoder_layer(changed, memory, everything(1, 3), *parts)[:, :3],
        decoded(layer, x[:, :3], memory, everything(1, 3)),
        given="5 tokens; the first three, whatever the last two are",
        rtol=1e-3,
        atol=1e-4,
    )


@exercise("decoder_layer")
def test_keys_and_values_are_the_memorys(student: Student) -> None:
    layer = decoder_of(seed=14)
    parts = (attention_of(student, layer.self_attn), attention_of(student, layer.multihead_attn), weights_of(layer, 3))
    x, memory = normal(1, 2, 8, seed=15), normal(1, 4, 8, seed=16)
    first = student.decoder_layer(x, memory, everything(1, 4), *parts)
    second = student.decoder_layer(x, -memory, everything(1, 4), *parts)
    gap = decoded(layer, x, memory, everything(1, 4)) - decoded(layer, x, -memory, everything(1, 4))
    close(first - second, gap, given="one target, two sources: how far the outputs are apart", rtol=1e-3, atol=1e-4)


@exercise("decoder_layer", points=0.5)
def test_the_sources_padding_is_not_read(student: Student) -> None:
    layer = decoder_of(seed=17)
    parts = (attention_of(student, layer.self_attn), attention_of(student, layer.multihead_attn), weights_of(layer, 3))
    x, memory, mask = normal(1, 3, 8, seed=18), normal(1, 5, 8, seed=19), everything(1, 5)
    mask[..., 3:] = False
    close(
        student.decoder_layer(x, memory, mask, *parts),
        decoded(layer, x, memory[:, :3], everything(1, 3)),
        given="a source of 5, of which the last two are padding; 3 tokens of the target",
        rtol=1e-3,
        atol=1e-4,
    )


# shift
def both(found: Any) -> list[Any]:
    fed, asked = found
    return [fed.tolist() if isinstance(fed, Tensor) else fed, asked.tolist() if isinstance(asked, Tensor) else asked]


@exercise("shift")
def test_one_text_is_fed_from_begin_and_asked_to_the_end(student: Student) -> None:
    equal(
        both(student.shift([[7, 8, 9]], 1, 2)),
        [[[1, 7, 8, 9]], [[7, 8, 9, 2]]],
        given="one text, 7 8 9; begin 1, end 2",
    )


@exercise("shift")
def test_a_shorter_text_is_filled_behind_its_end(student: Student) -> None:
    equal(
        both(student.shift([[7, 8, 9], [5]], 1, 2)),
        [[[1, 7, 8, 9], [1, 5, 0, 0]], [[7, 8, 9, 2], [5, 2, 0, 0]]],
        given="the texts 7 8 9 and 5; begin 1, end 2, padding 0",
    )


@exercise("shift", points=0.5)
def test_begin_end_and_padding_are_those_that_are_given(student: Student) -> None:
    equal(
        both(student.shift([[4, 4], [6]], 11, 12, 13)),
        [[[11, 4, 4], [11, 6, 13]], [[4, 4, 12], [6, 12, 13]]],
        given="the texts 4 4 and 6; begin 11, end 12, padding 13",
    )


@exercise("shift", points=0.5)
def test_an_empty_text_is_asked_for_its_end_alone(student: Student) -> None:
    equal(both(student.shift([[], [3]], 1, 2)), [[[1, 0], [1, 3]], [[2, 0], [3, 2]]], given="an empty text, and 3")


# smoothed_loss
LOGITS = torch.tensor([[[2.0, 0.0, -1.0, 0.5], [0.0, 3.0, 0.0, 0.0], [1.0, -1.0, 2.0, 0.0]]])


@exercise("smoothed_loss")
def test_without_smoothing_it_is_cross_entropy(student: Student) -> None:
    asked = torch.tensor([[2, 1, 3]])
    close(
        student.smoothed_loss(LOGITS, asked, 0.0),
        functional.cross_entropy(LOGITS[0], asked[0]),
        given="three places, four words, no padding; ε = 0",
    )


@exercise("smoothed_loss")
def test_the_right_word_keeps_its_share_of_what_is_spread(student: Student) -> None:
    asked = torch.tensor([[1]])
    logits = torch.tensor([[[0.0, math.log(5.0), 0.0, 0.0]]])  # probabilities 1/8, 5/8, 1/8, 1/8
    close(
        student.smoothed_loss(logits, asked, 0.4),
        -(0.7 * math.log(5 / 8) + 0.3 * math.log(1 / 8)),
        given="probabilities 1/8 5/8 1/8 1/8, the second is right; ε = 0.4, so the targets are 0.1 0.7 0.1 0.1",
    )


@exercise("smoothed_loss")
def test_places_of_padding_do_not_count(student: Student) -> None:
    asked = torch.tensor([[2, 0, 0]])
    close(
        student.smoothed_loss(LOGITS, asked, 0.3),
        functional.cross_entropy(LOGITS[0, :1], asked[0, :1], label_smoothing=0.3),
        given="three places, of which the last two are padding; ε = 0.3",
    )


@exercise("smoothed_loss")
def test_every_word_of_the_batch_counts_the_same(student: Student) -> None:
    logits = torch.cat([LOGITS, 2 * LOGITS.flip(1)])
    asked = torch.tensor([[1, 2, 3], [3, 0, 0]])
    close(
        student.smoothed_loss(logits, asked, 0.1),
        functional.cross_entropy(logits.flatten(0, 1), asked.flatten(), ignore_index=0, label_smoothing=0.1),
        given="a text of three words and one of a single word; ε = 0.1",
    )


@exercise("smoothed_loss", points=0.5)
def test_the_padding_is_the_id_that_is_given(student: Student) -> None:
    asked = torch.tensor([[0, 3, 3]])
    close(
        student.smoothed_loss(LOGITS, asked, 0.2, 3),
        functional.cross_entropy(LOGITS[0, :1], asked[0, :1], label_smoothing=0.2),
        given="asked for 0 3 3, padding is 3; ε = 0.2",
    )


# attend_next
def heads(*shape: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    query, key, value = (normal(*shape, seed=3 * seed + i) for i in range(3))
    return query, key, value


@exercise("attend_next")
def test_the_first_token_sees_itself_alone(student: Student) -> None:
    query, key, value = heads(2, 2, 1, 4, seed=1)
    output, (keys, values) = student.attend_next(query, key, value)
    close(output, value, given="no past: the output is the token's own value")
    close(keys, key, given="no past: the keys that are kept")
    close(values, value, given="no past: the values that are kept")


@exercise("attend_next")
def test_the_last_query_of_torchs_attention_gets_the_same(student: Student) -> None:
    query, key, value = heads(2, 3, 5, 4, seed=2)
    output, _ = student.attend_next(
        query[:, :, -1:], key[:, :, -1:], value[:, :, -1:], (key[:, :, :-1].clone(), value[:, :, :-1].clone())
    )
    close(
        output,
        functional.scaled_dot_product_attention(query[:, :, -1:], key, value),
        given="2 texts, 3 heads, 4 earlier tokens, heads of width 4",
        rtol=1e-3,
        atol=1e-5,
    )


@exercise("attend_next")
def test_the_new_token_is_kept_behind_the_others(student: Student) -> None:
    _, key, value = heads(1, 2, 3, 4, seed=3)
    query = torch.zeros(1, 2, 1, 4)
    _, (keys, values) = student.attend_next(
        query, key[:, :, 2:], value[:, :, 2:], (key[:, :, :2].clone(), value[:, :, :2].clone())
    )
    close(keys, key, given="the keys, two earlier tokens and the new one")
    close(values, value, given="the values, two earlier tokens and the new one")


@exercise("attend_next", points=0.5, needs="test_the_new_token_is_kept_behind_the_others")
def test_the_past_stays_as_it_was(student: Student) -> None:
    query, key, value = heads(1, 1, 1, 2, seed=4)
    kept = (normal(1, 1, 2, 2, seed=5), normal(1, 1, 2, 2, seed=6))
    handles = tuple(student.put(tensor.clone()) for tensor in kept)
    student.attend_next(query, key, value, handles)
    for handle, tensor in zip(handles, kept, strict=True):
        close(student.value(handle), tensor, given="the cache that was handed in, after the call")


# beam_search
def chain(student: Student, rows: list[list[float]]) -> Any:
    """A model on the student's side that knows the last word alone; rows of the probabilities of the next one."""
    return student.torch.nn.Embedding.from_pretrained(torch.tensor(rows).clamp(min=1e-9).log())


# begin 0, end 1; the 2 is likely at first, and leads nowhere; the 3 leads to a 4
TRAP = [
    [0.0, 0.0, 0.55, 0.45, 0.0],
    [0.0, 1.0, 0.0, 0.0, 0.0],
    [0.0, 0.2, 0.3, 0.26, 0.24],
    [0.0, 0.1, 0.0, 0.0, 0.9],
    [0.0, 0.95, 0.05, 0.0, 0.0],
]


def first(found: Any) -> tuple[float, list[int]]:
    score, words = next(iter(found))
    return float(score), [int(word) for word in words]


@exercise("beam_search")
def test_one_beam_takes_the_best_word_each_time(student: Student) -> None:
    score, words = first(student.beam_search(chain(student, TRAP), 0, 1, 3, 1, 0.0))
    equal(words, [2, 2, 2], given="probabilities after begin .55 .45, after the first .2 .3 .26 .24; 3 words, 1 beam")
    close(score, math.log(0.55 * 0.3 * 0.3), given="the same; its score, α = 0")


@exercise("beam_search")
def test_two_beams_find_the_better_text(student: Student) -> None:
    score, words = first(student.beam_search(chain(student, TRAP), 0, 1, 5, 2, 0.0))
    equal(words, [3, 4], given="after begin .55 for 2, .45 for 3; 3 is followed by 4, 4 by the end; 2 beams, α = 0")
    close(score, math.log(0.45 * 0.9 * 0.95), given="the same; its score")


@exercise("beam_search")
def test_the_penalty_counts_the_end(student: Student) -> None:
    score, words = first(student.beam_search(chain(student, TRAP), 0, 1, 5, 2, 0.6))
    close(
        score,
        math.log(0.45 * 0.9 * 0.95) / ((5 + 3) / 6) ** 0.6,
        given="two words and the end: length 3; α = 0.6",
    )
    equal(words, [3, 4], given="the same; its words")


# after begin the end has .4 and a 2 has .6; the 2 goes on for three more words, .85 each
SHORT = [[0.0, 0.4, 0.6], [0.0, 1.0, 0.0], [0.0, 0.15, 0.85]]


@exercise("beam_search")
def test_without_a_penalty_short_texts_win_and_with_it_long_ones(student: Student) -> None:
    model = chain(student, SHORT)
    equal(first(student.beam_search(model, 0, 1, 4, 3, 0.0))[1], [], given="end .4, else 2 .6, then .85 each; α = 0")
    equal(first(student.beam_search(model, 0, 1, 4, 3, 2.0))[1], [2, 2, 2, 2], given="the same; α = 2, at most 4 words")


@exercise("beam_search")
def test_finished_texts_come_the_best_first(student: Student) -> None:
    found = student.beam_search(chain(student, SHORT), 0, 1, 2, 2, 0.0)
    texts = [[int(word) for word in words] for _, words in found]
    equal(texts, [[2, 2], [], [2]], given="end .4, else 2 .6, then end .15 or 2 .85; 2 words at most, 2 beams, α = 0")
    scores = [float(score) for score, _ in found]
    close(scores, [math.log(0.6 * 0.85), math.log(0.4), math.log(0.6 * 0.15)], given="the same; their scores")
    true(len(texts) == 3, "three texts were expected", given="the same", actual=texts)
