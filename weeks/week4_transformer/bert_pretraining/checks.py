"""bert_pretraining: the public checks. Expected values come from hand counts, closed forms and torch's own functions."""

import copy
import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from etude.lesson.checks import claim, close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student


def _normal(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _as_lists(pair: Any) -> list[list[int]]:
    """Two lists of numbers, be they lists, tuples, tensors or arrays."""
    return [[int(number) for number in part] for part in pair]


def _fresh(*values: Any) -> tuple[Any, ...]:
    """Copies: in a notebook, a function that changes an argument would change it for all checks that follow."""
    return copy.deepcopy(values)


# gelu


@exercise("gelu")
def test_the_exact_form_is_x_times_the_normal_distribution_function(student: Student) -> None:
    x = [-3.5, -1.0, 0.0, 0.5, 3.0]
    expected = [number * 0.5 * (1 + math.erf(number / math.sqrt(2))) for number in x]
    close(student.gelu(torch.tensor(x)), expected, given="x = −3½, −1, 0, ½, 3; approximate=False", atol=1e-5)


@exercise("gelu")
def test_the_form_with_tanh_has_the_cube_of_x(student: Student) -> None:
    x = [-2.5, -1.0, 0.5, 2.5]
    expected = [n / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (n + 0.044715 * n**3))) for n in x]
    close(
        student.gelu(torch.tensor(x), approximate=True),
        expected,
        given="x = −2½, −1, ½, 2½; approximate=True",
        rtol=1e-5,
    )


@exercise("gelu", points=0.5)
def test_the_exact_form_is_not_the_approximation(student: Student) -> None:
    x = 2.7
    expected = x * 0.5 * (1 + math.erf(x / math.sqrt(2)))
    close(student.gelu(torch.tensor([x])), [expected], given="x = 2.7; approximate=False", rtol=2e-5)


@exercise("gelu", points=0.5)
def test_negative_numbers_get_a_gradient(student: Student) -> None:
    close_gradients(
        student, "gelu", functional.gelu, {"x": torch.tensor([[-1.0, -0.5], [0.0, 2.0]])}, given="x = −1, −½, 0, 2"
    )


# pair_input


@exercise("pair_input")
def test_two_texts_stand_between_three_special_tokens(student: Student) -> None:
    tokens, _ = _as_lists(student.pair_input([5, 6, 7, 8], [9, 10, 11, 12], 512))
    equal(tokens, [2, 5, 6, 7, 8, 3, 9, 10, 11, 12, 3], given="5 6 7 8 and 9 10 11 12, length 512")


@exercise("pair_input")
def test_the_first_separator_belongs_to_segment_0(student: Student) -> None:
    _, segments = _as_lists(student.pair_input([5, 6, 7], [9, 10], 512))
    equal(segments, [0, 0, 0, 0, 0, 1, 1, 1], given="the segments of 5 6 7 and 9 10, length 512")


@exercise("pair_input", points=0.5)
def test_one_text_alone_has_one_separator_and_segment_0(student: Student) -> None:
    equal(
        _as_lists(student.pair_input([7, 8], None, 10)),
        [[2, 7, 8, 3], [0, 0, 0, 0]],
        given="7 8 and no second text, length 10",
    )
    tokens, _ = _as_lists(student.pair_input([7, 8, 9], None, 4))
    equal(tokens, [2, 7, 8, 3], given="7 8 9 and no second text, length 4")


@exercise("pair_input")
def test_the_longer_text_loses_its_last_tokens(student: Student) -> None:
    tokens, segments = _as_lists(student.pair_input([11, 12, 13, 14, 15], [21, 22], 8))
    equal(tokens, [2, 11, 12, 13, 3, 21, 22, 3], given="11 to 15 and 21 22, length 8")
    equal(segments, [0] * 5 + [1] * 3, given="the segments of the same")
    tokens, _ = _as_lists(student.pair_input([11, 12], [21, 22, 23, 24, 25], 7))
    equal(tokens, [2, 11, 12, 3, 21, 22, 3], given="11 12 and 21 to 25, length 7")
    tokens, _ = _as_lists(student.pair_input([11, 12, 13, 14, 15, 16], [21, 22, 23, 24, 25], 9))
    equal(tokens, [2, 11, 12, 13, 3, 21, 22, 23, 3], given="11 to 16 and 21 to 25, length 9: both are cut")


@exercise("pair_input", points=0.5)
def test_of_two_equally_long_texts_the_second_is_cut(student: Student) -> None:
    tokens, _ = _as_lists(student.pair_input([11, 12, 13], [21, 22, 23], 8))
    equal(tokens, [2, 11, 12, 13, 3, 21, 22, 3], given="11 12 13 and 21 22 23, length 8")


@claim("bert-len")
@exercise("pair_input", points=0.5)
def test_509_pieces_fit_into_512_tokens_and_the_510th_is_cut(student: Student) -> None:
    first, second = list(range(1000, 1300)), list(range(2000, 2209))
    tokens, segments = _as_lists(student.pair_input(first, second, 512))
    equal(tokens, [2, *first, 3, *second, 3], given="300 and 209 tokens, length 512")
    equal((len(tokens), len(segments)), (512, 512), given="300 and 209 tokens: how many tokens and segments")
    tokens, _ = _as_lists(student.pair_input(first, [*second, 2999], 512))
    equal(tokens, [2, *first[:-1], 3, *second, 2999, 3], given="300 and 210 tokens, length 512")


# embed_input

TABLES = [_normal(10, 4, seed=1), _normal(2, 4, seed=2), _normal(6, 4, seed=3)]
GAIN, BIAS = torch.tensor([1.0, 2.0, 0.5, -1.0]), torch.tensor([0.0, 1.0, -1.0, 3.0])
TOKENS, SEGMENTS = torch.tensor([[2, 7, 3, 8, 3], [2, 9, 9, 3, 0]]), torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]])


def _embedded(words: Tensor, kinds: Tensor, places: Tensor, gain: Tensor, bias: Tensor, *ids: Any) -> Tensor:
    """The oracle: torch's embedding and layer normalisation."""
    tokens, segments = ids[:2]
    x = functional.embedding(tokens, words) + functional.embedding(segments, kinds)
    x = x + functional.embedding(torch.arange(tokens.shape[1]).expand(tokens.shape), places)
    return functional.layer_norm(x, x.shape[-1:], gain, bias, ids[2] if len(ids) > 2 else 1e-12)


def _one_table(which: int, rows: Tensor) -> list[Tensor]:
    """Tables of zeros, but for one."""
    tables = [torch.zeros(10, 4), torch.zeros(2, 4), torch.zeros(6, 4)]
    tables[which] = rows
    return tables


PLAIN = (torch.ones(4), torch.zeros(4))


@exercise("embed_input", points=0.5)
def test_each_token_gets_the_row_of_its_id(student: Student) -> None:
    tables = _one_table(0, TABLES[0])
    close(
        student.embed_input(*_fresh(*tables, *PLAIN, TOKENS, SEGMENTS)),
        _embedded(*tables, *PLAIN, TOKENS, SEGMENTS),
        given="only the table of tokens is not 0",
        atol=1e-5,
    )


@exercise("embed_input", points=0.5)
def test_segments_have_a_vector_each(student: Student) -> None:
    tables = _one_table(1, TABLES[1])
    close(
        student.embed_input(*_fresh(*tables, *PLAIN, TOKENS, SEGMENTS)),
        _embedded(*tables, *PLAIN, TOKENS, SEGMENTS),
        given="only the table of segments is not 0",
        atol=1e-5,
    )


@exercise("embed_input")
def test_positions_are_counted_from_0_in_every_text(student: Student) -> None:
    tables = _one_table(2, TABLES[2])
    close(
        student.embed_input(*_fresh(*tables, *PLAIN, TOKENS, SEGMENTS)),
        _embedded(*tables, *PLAIN, TOKENS, SEGMENTS),
        given="only the table of positions is not 0; two texts of 5 tokens, 6 positions",
        atol=1e-5,
    )


@claim("bert-input-sum")
@exercise("embed_input")
def test_the_eleven_tokens_of_the_figure_get_the_sum_of_three_vectors(student: Student) -> None:
    # [CLS] my dog is cute [SEP] he likes play ##ing [SEP]. A huge eps makes the normalisation a plain division, so the sum is seen.
    tokens = torch.tensor([[2, 5, 6, 7, 8, 3, 9, 10, 11, 12, 3]])
    segments = torch.tensor([[0] * 6 + [1] * 5])
    words, kinds, places = (_normal(rows, 4, seed=seed) for rows, seed in ((13, 4), (2, 5), (512, 6)))
    summed = torch.stack(
        [words[int(t)] + kinds[int(s)] + places[i] for i, (t, s) in enumerate(zip(tokens[0], segments[0], strict=True))]
    )
    expected = (summed - summed.mean(dim=-1, keepdim=True)) / 1e4  # (11, 4)
    close(
        student.embed_input(words, kinds, places, *_fresh(*PLAIN), tokens, segments, 1e8)[0] * 1e4,
        expected * 1e4,
        given="the paper's Figure 2; eps = 10⁸, so the sum less its mean is divided by 10⁴; all times 10⁴",
        rtol=1e-3,
        atol=1e-4,
    )


@exercise("embed_input")
def test_the_sum_is_normalised_then_stretched_and_moved(student: Student) -> None:
    close(
        student.embed_input(*_fresh(*TABLES, GAIN, BIAS, TOKENS, SEGMENTS)),
        _embedded(*TABLES, GAIN, BIAS, TOKENS, SEGMENTS),
        given="three random tables of width 4; gain 1, 2, ½, −1; bias 0, 1, −1, 3",
        atol=1e-5,
    )


@exercise("embed_input", points=0.5)
def test_eps_is_added_to_the_variance_under_the_root(student: Student) -> None:
    words = torch.tensor([[3.0, -1.0, 1.0, -3.0]])  # mean 0, variance 5
    found = student.embed_input(
        words, torch.zeros(2, 4), torch.zeros(1, 4), *_fresh(*PLAIN), torch.tensor([[0]]), torch.tensor([[0]]), 4.0
    )
    close(
        found,
        [[[1.0, -1 / 3, 1 / 3, -1.0]]],
        given="one token with the vector (3, −1, 1, −3), whose variance is 5; eps = 4",
    )


# count_parameters


@exercise("count_parameters")
def test_a_layer_of_width_1_is_counted_by_hand(student: Student) -> None:
    with_layer = student.count_parameters(1, 1, vocabulary=10, positions=5)
    without = student.count_parameters(0, 1, vocabulary=10, positions=5)
    equal(
        without,
        21,
        given="no layers, width 1, vocabulary 10, 5 positions: tables 10 + 5 + 2, a normalisation 2, pooler 2",
    )
    equal(
        with_layer,
        21 + 25,
        given="1 layer, width 1, vocabulary 10, 5 positions: the layer has 4 × 2 for attention, 8 and 5 for feed-forward, 2 × 2",
    )


@exercise("count_parameters")
def test_base_and_large_have_110_and_335_million(student: Student) -> None:
    equal(student.count_parameters(12, 768), 109_482_240, given="12 layers, width 768")
    equal(student.count_parameters(24, 1024), 335_141_888, given="24 layers, width 1024")


@exercise("count_parameters")
def test_the_heads_have_no_output_weights_of_their_own(student: Student) -> None:
    equal(
        student.count_parameters(0, 1, vocabulary=10, positions=5, heads=True),
        21 + 2 + 2 + 10 + 4,
        given="no layers, width 1, vocabulary 10, 5 positions, with heads: 2 for the map, 2 for its norm, 10 biases, 4 for NSP",
    )


# mask_tokens

SPECIAL = torch.tensor([True, False, True, True, True, False, False, False])  # ordinary: 1, 5, 6, 7
ROW = torch.tensor([[2, 5, 6, 7, 1, 5, 6, 7, 3, 0]])
PICK = torch.zeros(1, 10, dtype=torch.int64)


def _drawn(*numbers: float) -> Tensor:
    return torch.tensor([numbers])


@claim("mlm-15")
@exercise("mask_tokens")
def test_of_a_million_draws_15_percent_are_chosen_and_12_percent_become_mask(student: Student) -> None:
    count = 1_000_000
    draw = ((torch.arange(count, dtype=torch.float64) + 0.5) / count)[None]  # (1, N), evenly spread over [0, 1)
    tokens = torch.full((1, count), 5)
    read, labels = student.mask_tokens(tokens, draw, torch.full((1, count), 2), SPECIAL.clone(), 4)
    shares = {
        "chosen": int((torch.as_tensor(labels) != -100).sum()),
        "[MASK]": int((torch.as_tensor(read) == 4).sum()),
        "swapped": int((torch.as_tensor(read) == 6).sum()),
        "chosen, but left": int(((torch.as_tensor(read) == 5) & (torch.as_tensor(labels) == 5)).sum()),
    }
    expected = {"chosen": 150_000, "[MASK]": 120_000, "swapped": 15_000, "chosen, but left": 15_000}
    equal(shares, expected, given="a million tokens 5, with draws evenly spread from 0 to 1; every swap is for 6")


@exercise("mask_tokens")
def test_one_draw_decides_what_is_read(student: Student) -> None:
    read, _ = student.mask_tokens(
        torch.tensor([[5, 5, 5, 5]]), _drawn(0.11, 0.13, 0.14, 0.16), torch.tensor([[2, 2, 2, 2]]), SPECIAL.clone(), 4
    )
    equal(
        [int(i) for i in read[0]],
        [4, 6, 5, 5],
        given="tokens 5 5 5 5, draws 0.11, 0.13, 0.14, 0.16; [MASK] is 4, and every swap is for 6",
    )


@exercise("mask_tokens")
def test_only_chosen_tokens_have_labels_and_those_that_stay_are_among_them(student: Student) -> None:
    _, labels = student.mask_tokens(
        torch.tensor([[5, 6, 7, 1]]), _drawn(0.11, 0.13, 0.14, 0.16), torch.tensor([[2, 2, 2, 2]]), SPECIAL.clone(), 4
    )
    equal([int(i) for i in labels[0]], [5, 6, 7, -100], given="tokens 5 6 7 1, draws 0.11, 0.13, 0.14, 0.16")


@exercise("mask_tokens")
def test_special_tokens_are_never_chosen(student: Student) -> None:
    read, labels = student.mask_tokens(*_fresh(ROW, torch.zeros(1, 10), PICK, SPECIAL), 4)
    equal(
        [int(i) for i in read[0]],
        [2, 4, 4, 4, 4, 4, 4, 4, 3, 0],
        given="2 5 6 7 1 5 6 7 3 0, all draws 0; 0, 2, 3, 4 are special",
    )
    equal([int(i) for i in labels[0]], [-100, 5, 6, 7, 1, 5, 6, 7, -100, -100], given="the labels of the same")
    read, labels = student.mask_tokens(*_fresh(ROW, torch.full((1, 10), 0.13), PICK, SPECIAL), 4)
    equal([int(i) for i in read[0]], [2, 1, 1, 1, 1, 1, 1, 1, 3, 0], given="the same, all draws 0.13: swapped for 1")
    read, labels = student.mask_tokens(*_fresh(ROW, torch.full((1, 10), 0.75), PICK, SPECIAL), 4, rate=1.0)
    equal(
        [int(i) for i in read[0]],
        [2, 4, 4, 4, 4, 4, 4, 4, 3, 0],
        given="the same, all draws 0.75, rate 1: all but special tokens are chosen",
    )


@exercise("mask_tokens")
def test_no_special_token_takes_the_place_of_another(student: Student) -> None:
    pick = torch.arange(10)[None]
    read, _ = student.mask_tokens(torch.full((1, 10), 5), torch.full((1, 10), 0.13), pick, SPECIAL.clone(), 4)
    equal(
        [int(i) for i in read[0]],
        [1, 5, 6, 7, 1, 5, 6, 7, 1, 5],
        given="ten tokens 5, all draws 0.13, pick 0 to 9; the ordinary ids are 1, 5, 6, 7",
    )


@exercise("mask_tokens", points=0.5)
def test_other_rates_move_the_bounds(student: Student) -> None:
    draws = _drawn(0.125, 0.25, 0.3125, 0.375, 0.4375, 0.5)
    read, labels = student.mask_tokens(
        torch.full((1, 6), 5), draws, torch.full((1, 6), 3), SPECIAL.clone(), 4, rate=0.5, hidden=0.5, swapped=0.25
    )
    equal(
        [[int(i) for i in read[0]], [int(i) for i in labels[0]]],
        [[4, 7, 7, 5, 5, 5], [5, 5, 5, 5, 5, -100]],
        given="six tokens 5; draws ⅛, ¼, 5/16, ⅜, 7/16, ½; rate ½, hidden ½, swapped ¼; every swap is for 7",
    )


# whole_words

PIECES = ["[CLS]", "오늘", "##도", "킹", "##받", "##네", ",", "커피", "[SEP]", "마시", "##자", "[SEP]", "[PAD]"]
# Its words are at 1 2, 3 4 5, 6, 7, 9 10.


@exercise("whole_words")
def test_all_pieces_of_a_word_are_chosen(student: Student) -> None:
    equal(
        [int(i) for i in student.whole_words(list(PIECES), [1, 0, 2, 3, 4], 3)],
        [3, 4, 5],
        given=f"{' '.join(PIECES)}; order 1 0 2 3 4, budget 3",
    )


@exercise("whole_words")
def test_special_tokens_are_no_words(student: Student) -> None:
    equal(
        [int(i) for i in student.whole_words(list(PIECES), [4, 3], 3)],
        [7, 9, 10],
        given=f"{' '.join(PIECES)}; order 4 3, budget 3",
    )
    equal(
        [int(i) for i in student.whole_words(list(PIECES), [0, 1, 2, 3, 4], 99)],
        [1, 2, 3, 4, 5, 6, 7, 9, 10],
        given="the same; order 0 1 2 3 4, budget 99",
    )


@exercise("whole_words")
def test_a_word_that_does_not_fit_is_skipped_and_the_next_is_tried(student: Student) -> None:
    equal(
        [int(i) for i in student.whole_words(list(PIECES), [3, 1, 0, 2, 4], 3)],
        [1, 2, 7],
        given=f"{' '.join(PIECES)}; order 3 1 0 2 4, budget 3",
    )


@exercise("whole_words")
def test_the_budget_counts_pieces(student: Student) -> None:
    equal(
        [int(i) for i in student.whole_words(list(PIECES), [2, 4, 3, 0], 4)],
        [6, 7, 9, 10],
        given=f"{' '.join(PIECES)}; order 2 4 3 0, budget 4",
    )


@exercise("whole_words", points=0.5)
def test_a_piece_with_other_signs_is_a_word(student: Student) -> None:
    pieces = ["[CLS]", "하루", "#", "c##", "[UNK]", "[", "3", "]", "[SEP]"]
    equal(
        [int(i) for i in student.whole_words(list(pieces), [1, 3, 4], 9)],
        [2, 4, 5],
        given=f"{' '.join(pieces)}; order 1 3 4, budget 9; the seven words are the pieces at 1 to 7",
    )


@exercise("whole_words", points=0.5, needs="test_all_pieces_of_a_word_are_chosen")
def test_a_word_longer_than_the_budget_is_never_chosen(student: Student) -> None:
    equal(list(student.whole_words(["play", "##ing"], [0], 1)), [], given="play ##ing, order 0, budget 1")


# next_sentence_pair

DOCUMENTS = [[[1, 2], [3], [4, 5]], [[11], [12, 13], [14], [15]], [[21], [22, 23]]]
WRITTEN = "documents (1 2 | 3 | 4 5), (11 | 12 13 | 14 | 15), (21 | 22 23)"


def _pair(found: Any) -> list[Any]:
    first, second, label = found
    return [*_as_lists((first, second)), int(label)]


@exercise("next_sentence_pair")
def test_the_rest_of_the_document_follows_and_has_label_0(student: Student) -> None:
    equal(
        _pair(student.next_sentence_pair(*_fresh(DOCUMENTS), 0, 1, 0, 0)),
        [[1, 2], [3, 4, 5], 0],
        given=f"{WRITTEN}; number 0, cut 1, coin 0",
    )
    equal(
        _pair(student.next_sentence_pair(*_fresh(DOCUMENTS), 1, 3, 0, 1)),
        [[11, 12, 13, 14], [15], 0],
        given=f"{WRITTEN}; number 1, cut 3, coin 0",
    )


@exercise("next_sentence_pair")
def test_a_false_text_is_of_another_document_and_has_label_1(student: Student) -> None:
    equal(
        _pair(student.next_sentence_pair(*_fresh(DOCUMENTS), 0, 1, 1, 0)),
        [[1, 2], [12, 13, 14, 15], 1],
        given=f"{WRITTEN}; number 0, cut 1, coin 1, other 0",
    )


@exercise("next_sentence_pair")
def test_a_false_text_stands_at_the_place_of_the_true_one(student: Student) -> None:
    equal(
        _pair(student.next_sentence_pair(*_fresh(DOCUMENTS), 0, 2, 1, 0)),
        [[1, 2, 3], [14, 15], 1],
        given=f"{WRITTEN}; number 0, cut 2, coin 1, other 0",
    )


@exercise("next_sentence_pair", points=0.5)
def test_a_document_that_is_too_short_gives_its_last_sentence(student: Student) -> None:
    equal(
        _pair(student.next_sentence_pair(*_fresh(DOCUMENTS), 1, 3, 1, 1)),
        [[11, 12, 13, 14], [22, 23], 1],
        given=f"{WRITTEN}; number 1, cut 3, coin 1, other 1",
    )
    equal(
        _pair(student.next_sentence_pair(*_fresh(DOCUMENTS), 1, 2, 1, 1)),
        [[11, 12, 13], [22, 23], 1],
        given=f"{WRITTEN}; number 1, cut 2, coin 1, other 1",
    )


@exercise("next_sentence_pair")
def test_the_others_are_counted_without_the_documents_own(student: Student) -> None:
    equal(
        _pair(student.next_sentence_pair(*_fresh(DOCUMENTS), 1, 1, 1, 1)),
        [[11], [22, 23], 1],
        given=f"{WRITTEN}; number 1, cut 1, coin 1, other 1",
    )
    equal(
        _pair(student.next_sentence_pair(*_fresh(DOCUMENTS), 1, 1, 1, 4)),
        [[11], [3, 4, 5], 1],
        given=f"{WRITTEN}; number 1, cut 1, coin 1, other 4",
    )


# masked_logits

H, V = 4, 7
HEAD = {
    "hidden": _normal(2, 5, H, seed=10),
    "transform": _normal(H, H, seed=11),
    "transform_bias": _normal(H, seed=12),
    "gain": _normal(H, seed=13) + 1,
    "bias": _normal(H, seed=14),
    "words": _normal(V, H, seed=15),
    "words_bias": _normal(V, seed=16),
}
LABELS = torch.tensor([[-100, 5, -100, -100, 2], [-100, -100, -100, 0, -100]])
NEUTRAL = HEAD | {
    "transform": torch.eye(H),
    "transform_bias": torch.zeros(H),
    "gain": torch.ones(H),
    "bias": torch.zeros(H),
}
NEUTRAL |= {"words": torch.cat([torch.eye(H), torch.zeros(V - H, H)]), "words_bias": torch.zeros(V)}


def _scored(
    hidden: Tensor,
    transform: Tensor,
    transform_bias: Tensor,
    gain: Tensor,
    bias: Tensor,
    words: Tensor,
    words_bias: Tensor,
    *labels: Any,
) -> Tensor:
    """The oracle: scores everywhere, of which those that are asked for are kept."""
    x = functional.gelu(hidden @ transform.T + transform_bias)
    x = functional.layer_norm(x, (hidden.shape[-1],), gain, bias, labels[1] if len(labels) > 1 else 1e-12)
    scores: Tensor = (x @ words.T + words_bias)[labels[0] != -100]
    return scores


@exercise("masked_logits")
def test_only_places_that_are_asked_for_get_scores(student: Student) -> None:
    close(
        student.masked_logits(*_fresh(*NEUTRAL.values(), LABELS)),
        _scored(*NEUTRAL.values(), LABELS),
        given="2 texts of 5 tokens; asked: positions 1 and 4 of the first, 3 of the second; maps that change nothing",
        atol=1e-5,
    )


@exercise("masked_logits")
def test_a_linear_map_and_gelu_come_before_the_normalisation(student: Student) -> None:
    weights = NEUTRAL | {name: HEAD[name] for name in ("transform", "transform_bias")}
    close(
        student.masked_logits(*_fresh(*weights.values(), LABELS)),
        _scored(*weights.values(), LABELS),
        given="random transform and transform_bias; the rest changes nothing",
        atol=1e-5,
    )


@exercise("masked_logits", points=0.5)
def test_gain_and_bias_belong_to_the_normalisation(student: Student) -> None:
    weights = NEUTRAL | {name: HEAD[name] for name in ("gain", "bias")}
    close(
        student.masked_logits(*_fresh(*weights.values(), LABELS)),
        _scored(*weights.values(), LABELS),
        given="random gain and bias; the rest changes nothing",
        atol=1e-5,
    )


@exercise("masked_logits")
def test_output_weights_are_the_token_table_with_a_bias_each(student: Student) -> None:
    weights = NEUTRAL | {name: HEAD[name] for name in ("words", "words_bias")}
    close(
        student.masked_logits(*_fresh(*weights.values(), LABELS)),
        _scored(*weights.values(), LABELS),
        given="random words and words_bias; the rest changes nothing",
        atol=1e-5,
    )


@exercise("masked_logits", points=0.5)
def test_a_token_with_id_0_may_be_asked_for(student: Student) -> None:
    labels = torch.full((2, 5), -100)
    labels[0, 2] = 0
    close(
        student.masked_logits(*_fresh(*HEAD.values(), labels)),
        _scored(*HEAD.values(), labels),
        given="one label of all, and it is 0",
        atol=1e-5,
    )


# pretraining_loss

LOGITS = _normal(3, V, seed=20)
SENTENCE = {
    "pooler": _normal(H, H, seed=21),
    "pooler_bias": _normal(H, seed=22),
    "sentence": _normal(2, H, seed=23),
    "sentence_bias": _normal(2, seed=24),
}
FOLLOWS = torch.tensor([1, 0])
ZERO = {name: torch.zeros_like(value) for name, value in SENTENCE.items()}


def _loss(
    logits: Tensor,
    hidden: Tensor,
    pooler: Tensor,
    pooler_bias: Tensor,
    sentence: Tensor,
    sentence_bias: Tensor,
    *rest: Any,
) -> Tensor:
    """The oracle: minus the logarithm of softmax, term by term."""
    labels, follows = rest
    right = labels[labels != -100]
    guessed = -logits.log_softmax(dim=1)[torch.arange(len(right)), right].mean()
    scores = torch.tanh(hidden[:, 0] @ pooler.T + pooler_bias) @ sentence.T + sentence_bias
    return guessed - scores.log_softmax(dim=1)[torch.arange(len(follows)), follows].mean()


@exercise("pretraining_loss")
def test_who_knows_nothing_pays_log_v_and_log_2(student: Student) -> None:
    loss = student.pretraining_loss(*_fresh(torch.zeros(3, V), HEAD["hidden"], *ZERO.values(), LABELS, FOLLOWS))
    close(loss, math.log(V) + math.log(2), given="all scores 0: ln 7 for a token, ln 2 for a sentence")


@exercise("pretraining_loss")
def test_the_price_is_the_mean_over_hidden_tokens_alone(student: Student) -> None:
    expected = functional.cross_entropy(LOGITS, torch.tensor([5, 2, 0])) + math.log(2)
    close(
        student.pretraining_loss(*_fresh(LOGITS, HEAD["hidden"], *ZERO.values(), LABELS, FOLLOWS)),
        expected,
        given="random scores of 3 tokens among 10 places; scores of sentences all 0",
    )


@exercise("pretraining_loss")
def test_the_pooler_has_a_tanh(student: Student) -> None:
    weights = SENTENCE | {"pooler": 2 * torch.eye(H), "pooler_bias": torch.zeros(H)}
    close(
        student.pretraining_loss(*_fresh(torch.zeros(3, V), HEAD["hidden"], *weights.values(), LABELS, FOLLOWS)),
        _loss(torch.zeros(3, V), HEAD["hidden"], *weights.values(), LABELS, FOLLOWS),
        given="scores of tokens all 0; the pooler doubles, before its tanh",
    )


@exercise("pretraining_loss")
def test_label_0_is_the_first_of_the_two_scores(student: Student) -> None:
    weights = ZERO | {"sentence_bias": torch.tensor([10.0, -10.0])}
    for follows, expected in (([0, 0], 0.0), ([1, 1], 20.0), ([0, 1], 10.0)):
        close(
            student.pretraining_loss(
                *_fresh(torch.zeros(3, V), HEAD["hidden"], *weights.values(), LABELS, torch.tensor(follows))
            )
            - math.log(V),
            expected,
            given=f"scores of sentences 10 and −10, follows {follows}; less ln 7 for the tokens",
            atol=1e-4,
        )


@claim("nsp-loss-sum")
@exercise("pretraining_loss")
def test_the_two_means_are_added_with_equal_weights(student: Student) -> None:
    expected = _loss(LOGITS, HEAD["hidden"], *SENTENCE.values(), LABELS, FOLLOWS)
    nsp = expected - functional.cross_entropy(LOGITS, torch.tensor([5, 2, 0]))
    true(float(nsp) > 0.1, "the control: another weight of the second task would give another sum")
    close(
        student.pretraining_loss(*_fresh(LOGITS, HEAD["hidden"], *SENTENCE.values(), LABELS, FOLLOWS)),
        expected,
        given="random scores and weights, 3 tokens and 2 texts",
    )


@exercise("pretraining_loss", points=0.5)
def test_both_tasks_train_their_weights(student: Student) -> None:
    close_gradients(
        student,
        "pretraining_loss",
        _loss,
        {"token_logits": LOGITS, "hidden": HEAD["hidden"], **SENTENCE},
        LABELS,
        FOLLOWS,
        given="random scores and weights, 3 tokens and 2 texts",
    )
