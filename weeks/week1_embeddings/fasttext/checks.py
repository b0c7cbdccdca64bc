"""fastText: the public checks. Expected values come from hand counts, the published hash, closed forms, and autograd for gradients."""

import math
import unicodedata
from typing import Any

import torch
from torch.nn.functional import softplus

from etude.lesson.checks import claim, close, close_gradients, equal, exercise, true
from etude.lesson.interface import Student

SOFTPLUS = [math.log1p(math.exp(x)) for x in (0.0, 1.0, -1.0)]  # −log σ(−x)


@claim("fasttext-ngram")
@exercise("char_ngrams")
def test_artificial_has_ten_trigrams(student: Student) -> None:
    expected = ["<ar", "art", "rti", "tif", "ifi", "fic", "ici", "cia", "ial", "al>"]
    equal(student.char_ngrams("artificial", 3, 3), expected, given="artificial, n = 3")


@exercise("char_ngrams")
def test_lengths_come_from_short_to_long_at_each_start(student: Student) -> None:
    equal(list(student.char_ngrams("커피", 3, 4)), ["<커피", "<커피>", "커피>"], given="커피, n = 3 to 4")
    equal(
        list(student.char_ngrams("abc", 2, 3)), ["<a", "<ab", "ab", "abc", "bc", "bc>", "c>"], given="abc, n = 2 to 3"
    )


@exercise("char_ngrams")
def test_the_marks_alone_are_no_ngrams(student: Student) -> None:
    equal(list(student.char_ngrams("ab", 1, 2)), ["<a", "a", "ab", "b", "b>"], given="ab, n = 1 to 2")


@exercise("char_ngrams")
def test_a_short_word_is_an_ngram_as_a_whole(student: Student) -> None:
    equal(list(student.char_ngrams("살", 3, 6)), ["<살>"], given="살, n = 3 to 6")
    equal(list(student.char_ngrams("", 3, 6)), [], given="the empty word, n = 3 to 6")


@exercise("fnv1a")
def test_ascii_has_the_values_of_plain_fnv1a(student: Student) -> None:
    equal(
        [student.fnv1a(text) for text in ("", "a", "foobar")],
        [0x811C9DC5, 0xE40C292C, 0xBF9CF968],
        given="'', 'a' and 'foobar'",
    )


@exercise("fnv1a")
def test_bytes_from_128_on_are_signed(student: Student) -> None:
    # ÿ is the bytes C3 BF: two steps by hand.
    value = 0x811C9DC5
    for byte in (0xFFFFFFC3, 0xFFFFFFBF):
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    equal(student.fnv1a("ÿ"), value, given="ÿ, the bytes C3 BF")


@exercise("subword_rows")
def test_a_known_word_has_its_own_row_first(student: Student) -> None:
    expected = [1] + [3 + student.fnv1a(gram) % 10 for gram in ("<ab", "<ab>", "ab>")]
    equal(
        student.subword_rows("ab", {"x": 0, "ab": 1, "y": 2}, 10, 3, 4),
        expected,
        given="ab, the second of 3 words, 10 buckets, n = 3 to 4",
    )


@exercise("subword_rows")
def test_an_unknown_word_has_its_ngrams_alone(student: Student) -> None:
    expected = [2 + student.fnv1a(gram) % 7 for gram in ("<커", "커피", "피>")]
    equal(
        list(student.subword_rows("커피", {"x": 0, "y": 1}, 7, 2, 2)),
        expected,
        given="커피, not among 2 words, 7 buckets, n = 2",
    )


@exercise("subword_rows")
def test_rows_that_occur_twice_are_listed_twice(student: Student) -> None:
    equal(list(student.subword_rows("abc", {"abc": 0}, 1, 3, 3)), [0, 1, 1, 1], given="abc, 1 bucket, n = 3")


@exercise("compose")
def test_a_vector_is_the_sum_of_its_rows(student: Student) -> None:
    table = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    close(
        student.compose(table, [[0, 2], [1], [2, 2]]),
        [[4, 3], [0, 2], [6, 6]],
        given="rows 0 and 2, row 1, row 2 twice",
    )


@exercise("compose", points=0.5)
def test_an_empty_bag_is_zero(student: Student) -> None:
    table = torch.tensor([[1.0, 5.0], [2.0, 6.0]])
    close(student.compose(table, [[], [1], []]), [[0, 0], [2, 6], [0, 0]], given="an empty bag, row 1, an empty bag")
    close(student.compose(table, [[]]), [[0, 0]], given="an empty bag")


@exercise("compose", points=0.5)
def test_gradients_can_flow_back_into_the_table(student: Student) -> None:
    def sums(rows: torch.Tensor, bags: list[list[int]]) -> torch.Tensor:
        return torch.stack([rows[bag].sum(dim=0) for bag in bags])

    table, bags = {"the table": torch.ones(3, 2)}, [[0, 2, 2], [2]]
    close_gradients(student, "compose", sums, table, bags, given="a table of ones; the bags 0 2 2 and 2")


@exercise("subword_loss", points=0.5)
def test_zero_contexts_give_one_ln_2_for_each_term(student: Student) -> None:
    loss = student.subword_loss(
        torch.ones(4, 3),
        torch.zeros(2, 3),
        [[0, 1], [2]],
        torch.tensor([0, 1]),
        torch.tensor([1, 0]),
        torch.tensor([[1, 1, 0], [0, 0, 1]]),
    )
    close(loss, 4 * math.log(2), given="contexts of zeros, 3 negatives")


@exercise("subword_loss")
def test_real_contexts_are_drawn_near_and_negatives_pushed_away(student: Student) -> None:
    # The centre's vector is 1 + 1 = 2 in one dimension, its context 0.5, its negatives 0.5: scores 1, 1, 1.
    loss = student.subword_loss(
        torch.tensor([[1.0]]),
        torch.tensor([[0.5], [-0.5]]),
        [[0, 0]],
        torch.tensor([0]),
        torch.tensor([0]),
        torch.tensor([[0, 0]]),
    )
    close(loss, SOFTPLUS[2] + 2 * SOFTPLUS[1], given="scores 1 (real), 1 and 1 (negatives)")


@exercise("subword_loss")
def test_the_mean_is_over_pairs_and_the_sum_over_negatives(student: Student) -> None:
    table, contexts = torch.tensor([[1.0], [0.0]]), torch.tensor([[1.0], [0.0]])
    loss = student.subword_loss(
        table, contexts, [[0], [1]], torch.tensor([0, 1]), torch.tensor([0, 0]), torch.tensor([[0, 0], [0, 0]])
    )
    close(loss, (SOFTPLUS[2] + 2 * SOFTPLUS[1] + 3 * SOFTPLUS[0]) / 2, given="two pairs: scores 1, 1, 1 and 0, 0, 0")


@exercise("subword_loss", points=0.5)
def test_the_loss_is_a_scalar_tensor_that_both_tables_learn_from(student: Student) -> None:
    def loss(table: torch.Tensor, contexts: torch.Tensor, *pair: object) -> torch.Tensor:
        scores = contexts @ table[0]  # (2,), of the word 0, whose bag is row 0
        return softplus(-scores[1]) + softplus(scores[0]) + softplus(scores[1])

    tables = {"the table of rows": torch.ones(2, 3), "the table of contexts": torch.ones(2, 3)}
    pair = [[0], [0, 1]], torch.tensor([0]), torch.tensor([1]), torch.tensor([[0, 1]])
    found = student.subword_loss(*tables.values(), *pair)
    true(isinstance(found, torch.Tensor) and found.shape == (), "no scalar tensor", given="one pair", actual=found)
    close_gradients(student, "subword_loss", loss, tables, *pair, given="one pair")


def _tiny(student: Student, **changes: float) -> Any:
    pairs = torch.tensor([[0, 1], [1, 0], [2, 3], [3, 2]] * 30)
    settings = {"dim": 8, "epochs": 12, "lr": 0.05, "batch": 16, "seed": 1} | changes
    bags = [[0, 4], [1, 4], [2, 5], [3, 5]]
    return student.train_subwords(pairs, torch.tensor([30, 30, 30, 30]), bags, 6, **settings)


@exercise("train_subwords")
def test_training_brings_real_pairs_together(student: Student) -> None:
    table = _tiny(student).detach()
    true(
        bool(table.abs().max() > 0.3),
        "12 epochs move the table well beyond where it starts (at most 1/16)",
        actual=float(table.abs().max()),
    )
    true(
        bool((table[4] - table[5]).norm() > 0.3),
        "pieces of words that keep other company part",
        actual=float((table[4] - table[5]).norm()),
    )


@exercise("train_subwords")
def test_the_table_has_its_shape_and_no_gradient(student: Student) -> None:
    table = _tiny(student, epochs=1)
    equal(list(table.shape), [6, 8], given="6 rows of 8 dimensions")
    true(not table.requires_grad, "the table comes back without gradient")


@exercise("train_subwords", points=0.5)
def test_company_with_everybody_alike_teaches_little(student: Student) -> None:
    share = torch.tensor([40] + [1] * 40)  # one frequent word among rare ones
    table = torch.outer(share, share)  # (41, 41): centre and context are independent
    pairs = torch.cartesian_prod(torch.arange(41), torch.arange(41)).repeat_interleave(table.flatten(), dim=0)
    found = student.train_subwords(
        pairs, table.sum(dim=1), [[word] for word in range(41)], 41, dim=4, negatives=1, epochs=6, lr=0.02, batch=300
    )
    length = float(found.detach().norm(dim=1).mean())
    # With one negative u·v tends to log(P(context) / noise(context)): short vectors if noise is close to the counts, shorter still if it is the
    # same. Over 30 seeds right answers give 0.61 to 0.72, plain counts at most 0.30, the power 3/4 twice at least 0.88, uniform noise 1.36.
    true(
        0.45 < length < 0.8,
        f"the vectors have length {length:.2f} on average, expected 0.45 to 0.8: what is drawn as noise, and how often?",
        given="41 words of which each stands beside all in proportion to their counts; one negative",
        actual=round(length),
    )


@exercise("train_subwords", points=0.5, needs="test_training_brings_real_pairs_together")
def test_more_negatives_push_further(student: Student) -> None:
    pairs = torch.cartesian_prod(torch.arange(6), torch.arange(6)).repeat(10, 1)  # (360, 2)
    found = student.train_subwords(
        pairs, torch.full((6,), 60), [[word] for word in range(6)], 6, dim=4, negatives=16, epochs=20, lr=0.02, batch=60
    )
    length = float(found.detach().norm(dim=1).mean())
    # With k negatives and noise like the text u·v tends to −log k, so each of the two grows to the root of log 16, 1.67.
    true(
        1.45 < length < 1.9,
        f"the vectors have length {length:.2f} on average, expected 1.45 to 1.9: how many negatives has a pair?",
        given="six words of which each stands beside all equally often; 16 negatives",
        actual=round(length),
    )


@exercise("train_subwords", points=0.5)
def test_the_first_word_of_a_pair_is_the_centre(student: Student) -> None:
    pairs = torch.tensor([[0, 2], [1, 2], [0, 3], [1, 3]] * 10)
    settings = {"dim": 4, "lr": 0.05, "batch": 8, "seed": 1}
    start, after = (
        student.train_subwords(pairs, torch.full((4,), 20), [[0], [1], [2], [3]], 4, epochs=epochs, **settings)
        for epochs in (0, 3)
    )
    moved = [not torch.allclose(one, other) for one, other in zip(start.detach(), after.detach(), strict=True)]
    equal(
        moved,
        [True, True, False, False],
        given="words 0 and 1 only as centres, 2 and 3 only as contexts; which rows have moved after three epochs",
    )


@exercise("train_subwords", points=0.5)
def test_the_seed_decides(student: Student) -> None:
    one, same, other = (_tiny(student, epochs=2, seed=seed) for seed in (1, 1, 2))
    true(torch.allclose(same, one), "the same seed gives the same table", given="seed 1, twice")
    true(not torch.allclose(one, other), "another seed gives another table", given="seeds 1 and 2")


@exercise("overlaps")
def test_the_overlap_is_shared_pieces_over_all_pieces(student: Student) -> None:
    # <ab, ab> and <ab, abc, bc>: one of four.
    found = student.overlaps(["ab", "x"], ["abc", "ab", "x"], 3, 3)
    true(torch.is_tensor(found), "a tensor was expected", actual=str(type(found)))
    close(found, [[1 / 4, 1, 0], [0, 0, 1]], given="ab and x with abc, ab and x, n = 3")


@exercise("overlaps")
def test_pieces_that_stand_twice_count_once(student: Student) -> None:
    # aaaa: <aa aaa aa>; aaa: the same three.
    close(student.overlaps(["aaaa"], ["aaa"], 3, 3), [[1.0]], given="aaaa with aaa, n = 3")


@exercise("overlaps")
def test_words_without_pieces_overlap_with_nothing(student: Student) -> None:
    close(student.overlaps([""], ["", "abc"], 3, 3), [[0, 0]], given="the empty word with itself and abc, n = 3")


@exercise("neighbour_accuracy")
def test_the_best_allowed_word_counts(student: Student) -> None:
    scores = torch.tensor([[0.9, 0.5, 0.1], [0.2, 0.3, 0.8]])
    allowed = torch.tensor([[False, True, True], [True, True, True]])
    right = torch.tensor([[False, True, False], [True, False, False]])
    close(
        student.neighbour_accuracy(scores, allowed, right),
        0.5,
        given="two queries; the first one's best word is not allowed",
    )


@exercise("neighbour_accuracy")
def test_a_tie_counts_by_its_share(student: Student) -> None:
    right = torch.tensor([[True, False, False, True]])
    allowed = torch.tensor([[True, True, True, False]])
    close(
        student.neighbour_accuracy(torch.zeros(1, 4), allowed, right),
        1 / 3,
        given="four equal scores, three words allowed, one of them right",
    )


@exercise("neighbour_accuracy", needs="test_the_best_allowed_word_counts")
def test_scores_below_zero_are_scores(student: Student) -> None:
    scores, allowed = torch.tensor([[-0.9, -0.5, -0.1]]), torch.tensor([[True, True, False]])
    right = torch.tensor([[False, True, False]])
    close(
        student.neighbour_accuracy(scores, allowed, right),
        1.0,
        given="scores −0.9, −0.5, −0.1; the last word not allowed",
    )


@exercise("to_jamo")
def test_syllables_fall_into_their_letters(student: Student) -> None:
    equal(student.to_jamo("눈"), "\u1102\u116e\u11ab", given="눈")
    equal(student.to_jamo("배"), "\u1107\u1162", given="배, which has no final")


@exercise("to_jamo")
def test_the_first_and_the_last_syllable(student: Student) -> None:
    equal(student.to_jamo("가힣"), "\u1100\u1161\u1112\u1175\u11c2", given="가힣")


@exercise("to_jamo")
def test_all_else_stays_as_it_is(student: Student) -> None:
    text = "a1 é ㅋ漢"
    equal(student.to_jamo(text), text, given=f"{text}: no syllable among them")
    equal(student.to_jamo("킹받네!"), unicodedata.normalize("NFD", "킹받네!"), given="킹받네!")
