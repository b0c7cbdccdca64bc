"""fastText's n-grams and hashes are the published ones, a step is one of gradient descent, unseen words have vectors."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from gensim.models.fasttext import compute_ngrams_bytes, ft_hash_bytes
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import logsigmoid

from etude.embeddings import fasttext, sgns
from etude.embeddings.fasttext import Subwords, fnv1a, group_means, grouped, ngrams
from etude.embeddings.tiles import TILE, Tiles, bands
from etude.lesson.checks import claim
from etude.world import World

words = st.text(st.characters(codec="utf-8", exclude_characters="<>"), max_size=12)
spans = st.tuples(st.integers(1, 5), st.integers(0, 4)).map(lambda span: (span[0], sum(span)))
SMALL: dict[str, Any] = {"dim": 16, "epochs": 2, "min_count": 1, "buckets": 500, "subsample": 1e-2, "progress": False}


@pytest.fixture(scope="module")
def corpus() -> list[list[str]]:
    return World("en", seed=3).corpus(6_000)


@given(words, spans)
def test_ngrams_are_the_librarys(word: str, span: tuple[int, int]) -> None:
    theirs = [gram.decode("utf-8") for gram in compute_ngrams_bytes(word, *span)]
    assert ngrams(word, *span) == theirs


@claim("fasttext-hash")
@given(words)
def test_hashes_are_the_librarys_also_beyond_ascii(word: str) -> None:
    assert fnv1a(word) == ft_hash_bytes(word.encode("utf-8"))


def test_artificial_has_ten_trigrams() -> None:
    assert ngrams("artificial", 3, 3) == ["<ar", "art", "rti", "tif", "ifi", "fic", "ici", "cia", "ial", "al>"]


def test_a_known_word_has_a_row_of_its_own_and_an_unknown_one_has_not() -> None:
    subwords = Subwords({"ab": 0, "눈": 1}, 3, 4, 100)
    grams = [2 + fnv1a(gram) % 100 for gram in ("<ab", "<ab>", "ab>")]
    assert subwords.rows("ab") == [0, *grams]
    assert subwords.rows("abc") == [2 + fnv1a(gram) % 100 for gram in ngrams("abc", 3, 4)]


@settings(deadline=None)  # the first call waits for torch
@given(st.lists(st.text("aeb눈", min_size=1, max_size=7), min_size=1, max_size=6, unique=True), st.integers(3, 60))
def test_groups_are_the_rows_that_the_same_words_have(known: list[str], buckets: int) -> None:
    """Few letters and few buckets: n-grams occur twice in a word, in several words, and fall together."""
    subwords = Subwords({word: i for i, word in enumerate(known)}, 2, 4, buckets)
    rows = [subwords.rows(word) for word in known]
    found, group, bags = grouped(known, subwords)
    owners = {row: [own.count(row) for own in rows] for row in {row for own in rows for row in own}}
    assert sorted(found.tolist()) == sorted(owners)
    together = dict(zip(found.tolist(), group.tolist(), strict=True))
    for one in owners:
        for other in owners:
            assert (together[one] == together[other]) == (owners[one] == owners[other])
    table = torch.randn(len(known) + buckets, 3, generator=torch.Generator().manual_seed(0))
    chosen = torch.tensor([len(known) - 1, 0])
    vectors = bags.of(chosen).mean(group_means(table, found, group))
    torch.testing.assert_close(vectors, torch.stack([table[rows[i]].mean(dim=0) for i in chosen.tolist()]))


def test_a_step_moves_every_row_of_a_word_by_the_gradient_at_its_vector() -> None:
    """The loss pair by pair and autograd on the words' vectors; each row takes a word's whole gradient, none a share."""
    window, rate = 2, 0.1
    corpus = [["ab", "abc", "눈이", "x", "ab"]] * 3
    taken: list[Tiles] = []

    def keep(part: Tiles, rate: float, measure: bool) -> None:
        taken.append(part)

    vocabulary = sgns.Vocabulary.build(corpus, 1)
    known, subwords = vocabulary.words, Subwords(vocabulary.index, 2, 4, 30)
    generator = torch.Generator().manual_seed(0)
    table = torch.randn(len(known) + 30, 5, generator=generator)
    contexts = torch.randn(len(known), 5, generator=generator)
    sgns.descend(
        keep, contexts, vocabulary, corpus, batch=64, window=window, negatives=3, epochs=1, subsample=0, lr=rate,
        random=torch.Generator().manual_seed(1), progress=False,
    )  # fmt: skip
    (part,) = taken

    vectors = torch.stack([table[subwords.rows(word)].mean(dim=0) for word in known]).requires_grad_()
    free = contexts.clone().requires_grad_()
    loss, pairs = torch.zeros(()), 0
    for ids, outputs, reach, weight in zip(part.inputs, part.outputs, part.reach, part.weight, strict=True):
        for place, word in enumerate(ids):
            left, right = divmod(int(reach[place]) % (window + 1) ** 2, window + 1)
            for step in (*range(-left, 0), *range(1, right + 1)):
                loss = loss - logsigmoid(vectors[word] @ free[outputs[place + window + step]])
                pairs += 1
            for noise in outputs[TILE + 2 * window :]:
                loss = loss - weight[place, 0] * logsigmoid(-vectors[word] @ free[noise])
    loss.backward()
    assert pairs > len(known)  # the text has windows, so the gradients are not those of nothing
    assert vectors.grad is not None
    assert free.grad is not None
    expected_table = table.clone()
    for i, word in enumerate(known):
        for row in subwords.rows(word):
            expected_table[row] -= rate * vectors.grad[i]
    expected_contexts = contexts - rate * free.grad

    rows, group, bags = grouped(known, subwords)
    start = group_means(table, rows, group)
    means = start.clone()
    found = fasttext.update(means, contexts, bags, part, bands(window), rate, measure=True)
    table[rows] += (means - start)[group]
    torch.testing.assert_close(found, loss.detach(), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(table, expected_table, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(contexts, expected_contexts, rtol=1e-4, atol=1e-5)


def test_training_lowers_the_loss_and_is_the_same_for_the_same_seed(corpus: list[list[str]]) -> None:
    one, two = (fasttext.train(corpus, seed=1, **SMALL) for _ in range(2))
    assert one.losses[-1] < one.losses[0] < 6 * float(-logsigmoid(torch.tensor(0.0)))
    assert torch.equal(one.table, two.table)
    assert not torch.equal(one.table, fasttext.train(corpus, seed=2, **SMALL).table)


def test_the_vector_of_a_known_word_is_the_mean_of_its_rows_and_unseen_words_have_one(corpus: list[list[str]]) -> None:
    model = fasttext.train(corpus, seed=1, **SMALL)
    word = model.words[5]
    torch.testing.assert_close(model.vector(word), model.vectors[5])
    torch.testing.assert_close(model.vector(word), model.table[model.subwords.rows(word)].mean(dim=0))
    assert model.vector("unheardof").norm() > 0
    assert model.vector("").norm() == 0  # <> is too short for an n-gram of three


@pytest.mark.parametrize("wrong", [None, b"word", 5, ["word"]])
def test_what_is_no_string_has_no_ngrams_no_hash_and_no_vector(wrong: Any) -> None:
    subwords = Subwords({"word": 0}, 3, 6, 10)
    empty = torch.zeros(0, 2)
    model = fasttext.Embeddings(["word"], empty, empty, [], 0.0, torch.ones(11, 2), subwords)
    assert model.vector("word").tolist() == [1, 1]
    for function in (ngrams, fnv1a, subwords.rows, model.vector):
        with pytest.raises(ValueError, match=f"{re.escape(repr(wrong))} is no string: (give|decode)"):
            function(wrong)


def test_half_of_a_surrogate_pair_has_no_hash_which_is_said() -> None:
    for function in (fnv1a, Subwords({}, 3, 6, 10).rows):
        with pytest.raises(ValueError, match=r"holds half of a surrogate pair, '\\ud800', .* read the text anew"):
            function("a\ud800")


@pytest.mark.parametrize("wrong", [{"smallest": 0}, {"smallest": 4, "largest": 3}, {"buckets": 0}])
def test_sizes_that_make_no_sense_are_refused(corpus: list[list[str]], wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="make no sense"):
        fasttext.train(corpus, **{**SMALL, **wrong})


def test_no_corpus_and_no_sense_are_refused_as_for_word2vec(corpus: list[list[str]]) -> None:
    with pytest.raises(ValueError, match="two are needed"):
        fasttext.train([["a"]], **{**SMALL, "min_count": 2})
    with pytest.raises(ValueError, match="subsample is -1"):
        fasttext.train(corpus, **{**SMALL, "subsample": -1})
