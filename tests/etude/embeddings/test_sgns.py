"""The fast skip-gram trainer against the plain definition: loops over windows, autograd, and what it must learn."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import logsigmoid

from etude.embeddings import sgns
from etude.embeddings.sgns import Embeddings, Vocabulary, train
from etude.embeddings.tiles import NOISE, TILE, WIDEST, Tiles, bands, tiles

Pairs = list[tuple[int, int]]
texts = st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=40), min_size=1, max_size=6)


def cut(text: list[list[int]], window: int, negatives: int, seed: int = 0) -> Tiles:
    ids = torch.tensor([word for sentence in text for word in sentence])
    sentences = torch.tensor([number for number, sentence in enumerate(text) for _ in sentence])
    noise = torch.arange(1, 9) / 8
    random = torch.Generator().manual_seed(seed)
    return tiles(ids, sentences, noise, window=window, negatives=negatives, random=random)


def pairs_of(part: Tiles, window: int) -> list[Pairs]:
    """For each word of the tiles in turn: the (input, context) pairs that the band of its reach lets through."""
    rows = bands(window)[part.reach.reshape(-1)].unflatten(0, part.reach.shape)  # (S, T, H)
    return [
        [(int(part.inputs[s, t]), int(part.outputs[s, column])) for column in rows[s, t].nonzero().flatten()]
        for s in range(rows.shape[0])
        for t in range(rows.shape[1])
    ]


def windows_around(sentence: list[int], position: int, window: int) -> list[Pairs]:
    """The pairs of one word for each reach from 1 to `window`, by the definition."""
    return [
        [
            (sentence[position], sentence[other])
            for other in range(max(0, position - reach), min(len(sentence), position + reach + 1))
            if other != position
        ]
        for reach in range(1, window + 1)
    ]


@given(texts, st.integers(1, 6), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_every_word_pairs_with_a_window_of_its_own_sentence_and_filling_with_nothing(
    text: list[list[int]], window: int, seed: int
) -> None:
    found = pairs_of(cut(text, window, negatives=5, seed=seed), window)
    possible = [windows_around(sentence, i, window) for sentence in text for i in range(len(sentence))]
    assert all(pairs in choices for pairs, choices in zip(found, possible, strict=False))
    assert not any(found[len(possible) :])


def test_each_reach_from_one_to_the_window_is_drawn_about_equally_often() -> None:
    window, words = 4, 40_000
    part = cut([[0] * words], window, negatives=5)
    sizes = torch.tensor([len(pairs) for pairs in pairs_of(part, window)[window:-window]])
    counts = torch.bincount(sizes, minlength=2 * window + 1)[2::2]
    five_sigma = 5 * (words * 0.25 * 0.75) ** 0.5
    assert int(counts.sum()) == len(sizes)
    assert (counts - len(sizes) / window).abs().max() < five_sigma


@given(texts, st.integers(1, 6), st.integers(1, 20))
@settings(max_examples=30, deadline=None)
def test_loss_and_gradients_equal_autograd_on_the_plain_definition(
    text: list[list[int]], window: int, negatives: int
) -> None:
    part = cut(text, window, negatives)
    start = torch.Generator().manual_seed(1)
    vectors, contexts = (torch.randn(8, 5, generator=start, dtype=torch.float64) for _ in range(2))
    d_in, d_out, loss = sgns.gradients(vectors, contexts, as_double(part), bands(window).double(), with_loss=True)
    found_vectors, found_contexts = torch.zeros_like(vectors), torch.zeros_like(contexts)
    sgns.add_rows(found_vectors, part.inputs, d_in)
    sgns.add_rows(found_contexts, part.outputs, d_out)

    vectors.requires_grad_()
    contexts.requires_grad_()
    expected = plain_loss(vectors, contexts, part, window, negatives)
    expected.backward()
    torch.testing.assert_close(loss, expected.detach())
    torch.testing.assert_close(found_vectors, vectors.grad)
    torch.testing.assert_close(found_contexts, contexts.grad)


def as_double(part: Tiles) -> Tiles:
    return Tiles(part.inputs, part.outputs, part.reach, part.weight.double())


def plain_loss(vectors: Tensor, contexts: Tensor, part: Tiles, window: int, negatives: int) -> Tensor:
    """Eq. 4 pair by pair; the mean over the noise words of the pair's tile stands for `negatives` single draws."""
    total = 0 * (vectors.sum() + contexts.sum())  # so that a text without pairs has gradients too
    for number, pairs in enumerate(pairs_of(part, window)):
        noise = contexts[part.outputs[number // TILE, -NOISE:]]  # (K, dim)
        for word, context in pairs:
            total = total - logsigmoid(vectors[word] @ contexts[context])
            total = total - negatives * logsigmoid(-(noise @ vectors[word])).mean()
    return total


def test_noise_words_follow_the_counts_to_the_power_three_quarters() -> None:
    counts = torch.tensor([1000.0, 100.0, 10.0])
    share = counts**0.75 / (counts**0.75).sum()
    part = tiles(
        torch.zeros(160_000, dtype=torch.int64), torch.zeros(160_000, dtype=torch.int64), share.cumsum(0),
        window=2, negatives=5, random=torch.Generator().manual_seed(0),
    )  # fmt: skip
    drawn = part.outputs[:, -NOISE:]
    found = torch.bincount(drawn.flatten(), minlength=3) / drawn.numel()
    assert ((found - share).abs() < 5 * (share * (1 - share) / drawn.numel()).sqrt()).all()


def test_a_row_that_is_named_twice_is_changed_twice() -> None:
    matrix = torch.zeros(3, 2)
    sgns.add_rows(matrix, torch.tensor([2, 0, 2]), torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    assert matrix.tolist() == [[3, 4], [0, 0], [6, 8]]


def test_vocabulary_is_ordered_by_count_then_by_first_occurrence() -> None:
    vocabulary = Vocabulary.build([["b", "a", "c"], ["c", "a", "b", "rare"], ["c"]], min_count=2)
    assert vocabulary.words == ["c", "b", "a"]
    assert vocabulary.counts.tolist() == [3, 2, 2]
    assert vocabulary.index == {"c": 0, "b": 1, "a": 2}


def test_encoding_drops_unknown_words_and_remembers_the_sentence() -> None:
    vocabulary = Vocabulary.build([["a", "a", "b"]], min_count=1)
    ids, sentences = vocabulary.encode([["b", "new", "a"], ["new"], [], ["a"]])
    assert ids.tolist() == [1, 0, 0]
    assert sentences.tolist() == [0, 0, 3]


def test_subsampling_keeps_rare_words_and_thins_frequent_ones_as_the_formula_says() -> None:
    vocabulary = Vocabulary(["often", "seldom"], torch.tensor([9999, 1]), {"often": 0, "seldom": 1})
    ratio = 1e-3 / 0.9999
    assert vocabulary.keep_probability(1e-3).tolist() == pytest.approx([ratio**0.5 + ratio, 1.0])
    assert vocabulary.keep_probability(0).tolist() == [1, 1]


def test_a_batch_shrinks_as_the_most_frequent_word_takes_a_larger_share() -> None:
    sizes = [sgns.batch_size(torch.tensor([share, 1 - share - 0.001, 0.001])) for share in (0.5, 0.9, 0.999)]
    rare = sgns.batch_size(torch.full((10_000,), 1e-4))
    assert sizes == [TILE] * 3
    assert rare == sgns.LARGEST_BATCH


def clusters(sentences: int = 1500) -> list[list[str]]:
    """Sentences of eight words, each from one of two groups of ten words."""
    random = torch.Generator().manual_seed(0)
    draws = torch.randint(10, (sentences, 8), generator=random).tolist()
    return [[f"{'ab'[number % 2]}{word}" for word in draw] for number, draw in enumerate(draws)]


def learnt(**settings: Any) -> Embeddings:
    return train(clusters(), dim=20, subsample=0, progress=False, **settings)


def test_two_planted_clusters_separate_and_the_loss_falls() -> None:
    found = learnt(epochs=8)
    unit = found.vectors / found.vectors.norm(dim=1, keepdim=True)
    cosine = unit @ unit.T
    first = torch.tensor([word[0] == "a" for word in found.words])
    together = first[:, None] == first[None, :]
    assert cosine[together].min() > cosine[~together].max() + 0.2
    assert found.losses[-1] < found.losses[0]


def test_the_same_seed_gives_the_same_vectors_and_another_seed_others() -> None:
    one, same, other = learnt(epochs=2, seed=3), learnt(epochs=2, seed=3), learnt(epochs=2, seed=4)
    assert torch.equal(one.vectors, same.vectors)
    assert torch.equal(one.contexts, same.contexts)
    assert one.losses == same.losses
    assert not torch.equal(one.vectors, other.vectors)


def test_the_result_has_a_row_for_each_word_and_a_loss_for_each_epoch() -> None:
    found = learnt(epochs=3)
    assert found.vectors.shape == found.contexts.shape == (20, 20)
    assert found.vectors.dtype == torch.float32
    assert len(found.losses) == 3
    assert found.words_per_second > 0


def test_training_leaves_torch_with_the_number_of_threads_that_it_found() -> None:
    before = torch.get_num_threads()
    learnt(epochs=1)
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(
    ("corpus", "settings", "message"),
    [
        ([], {}, "the corpus holds no words"),
        ([[], []], {}, "the corpus holds no words"),
        ([["word"] * 10], {}, "1 different words occur at least min_count=5 times"),
        ([["one", "two"]], {}, "0 different words occur at least min_count=5 times"),
        (["one two", "three four"], {}, "'one two' is a string: pass each sentence of the corpus as a list of words"),
        ([["one", None] * 9], {}, "the word None of the corpus is no string"),
        ((sentence for sentence in [["one", "two"]] * 9), {}, r"can be read only once: .* list\(corpus\)"),
        ([iter(["one", "two"])] * 9, {}, "a sentence of it, can be read only once"),
        ([["one", "two"] * 9], {"device": "abacus"}, "device 'abacus' cannot be used here"),
        *(
            ([["one", "two"] * 9], {name: value}, f"{name} is {value}: {advice}")
            for name, values, advice in [
                ("negatives", (0, 1.5, math.nan), "a whole number of at least 1 is needed"),
                ("window", (-1, 2.5), "a whole number of at least 1 is needed"),
                ("dim", (0,), "a whole number of at least 1 is needed"),
                ("epochs", (0,), "a whole number of at least 1 is needed"),
                ("min_count", (0, -1, math.nan), "a whole number of at least 1 is needed"),
                ("window", (WIDEST + 1, 1000), f"choose at most {WIDEST}, as memory grows"),
                ("subsample", (-1, math.nan, math.inf), "choose a share"),
                ("lr", (0, -1, math.nan, math.inf), "choose a number above 0"),
                ("seed", (-1, 0.5, 1 << 64), "choose a whole number from 0"),
            ]
            for value in values
        ),
    ],
)
def test_what_cannot_be_trained_on_is_refused_with_what_to_do(
    corpus: list[list[str]], settings: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        train(corpus, progress=False, **settings)


def test_the_table_of_the_widest_window_is_within_a_gibibyte() -> None:
    sizes = [TILE * (window + 1) ** 2 * (TILE + 2 * window) * 4 for window in (WIDEST, WIDEST + 1)]
    assert sizes[0] <= 1 << 30 < sizes[1]
    assert bands(3).numel() * 4 == TILE * (3 + 1) ** 2 * (TILE + 2 * 3) * 4


def test_numbers_of_numpy_are_taken() -> None:
    found = train([["a", "b", "c"]] * 10, dim=np.int64(4), seed=np.int64(7), epochs=1, progress=False)  # type: ignore[arg-type]
    assert torch.equal(found.vectors, train([["a", "b", "c"]] * 10, dim=4, seed=7, epochs=1, progress=False).vectors)


def test_an_epoch_in_which_subsampling_leaves_no_word_has_no_loss_and_changes_nothing() -> None:
    found = train([["a", "b", "c"]] * 10, dim=4, epochs=2, subsample=1e-12, progress=False)
    assert all(loss != loss for loss in found.losses)
    assert found.contexts.count_nonzero() == 0


def test_a_learning_rate_that_diverges_is_named() -> None:
    corpus = [["a", "b", "c", "d"]] * 400
    with pytest.raises(ValueError, match="lower lr, which is 1e\\+06"):
        train(corpus, dim=8, epochs=3, min_count=1, lr=1e6, subsample=0, progress=False)
