"""What probes are trained on: words with what the world knows of them, trees, vectors, and probes against scikit-learn's."""

import itertools

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from etude import pretrained, probing
from etude.world.english import TOPIC


@pytest.fixture(scope="module")
def text() -> tuple[probing.Sentences, list[probing.Occurrence]]:
    return probing.occurrences("en", 11, 5000)


def test_each_occurrence_is_a_word_of_its_sentence(text: tuple[probing.Sentences, list[probing.Occurrence]]) -> None:
    sentences, found = text
    assert all(sentences[one.sentence][one.place] == one.word for one in found)
    assert len({(one.sentence, one.place) for one in found}) == len(found)


def test_the_kind_of_a_word_is_the_same_wherever_it_stands(
    text: tuple[probing.Sentences, list[probing.Occurrence]],
) -> None:
    kinds: dict[str, set[str | None]] = {}
    for one in text[1]:
        kinds.setdefault(one.word, set()).add(one.kind)
    assert all(len(some) == 1 for some in kinds.values())
    assert {next(iter(some)) for some in kinds.values()} == {*probing.KINDS, None}
    assert (kinds["the"], kinds["boiled"], kinds["eggs"]) == ({None}, {"verb"}, {"thing"})


def test_homonyms_have_two_senses_and_sentences_one_time(
    text: tuple[probing.Sentences, list[probing.Occurrence]],
) -> None:
    sentences, found = text
    assert {one.sense for one in found if one.word in ("bank", "banks")} == {"market", "nature"}
    assert all(one.sense in (None, one.topic) for one in found)
    for one in found:
        times = [name for name, words in probing.TENSES.items() if words & set(sentences[one.sentence])]
        assert ([one.tense] if one.tense else []) == times


def test_korean_homonyms_are_found_behind_their_particles() -> None:
    _, found = probing.occurrences("ko", 11, 5000)
    assert {one.word[0] for one in found if one.sense == "weather"} >= {"눈"}
    assert {one.kind for one in found if one.word.startswith("요리사")} == {"agent"}


@pytest.mark.parametrize("unseen", [False, True])
def test_a_parsed_sentence_has_a_head_for_each_word_and_one_root(unseen: bool) -> None:
    for one in probing.parsed(200, 3, unseen=unseen):
        assert len(one.words) == len(one.heads)
        assert [head for head in one.heads if head < 0] == [-1]
        assert all(-1 <= head < len(one.heads) for head in one.heads)


def test_no_template_that_is_kept_has_the_beginning_of_anothers_tree() -> None:
    assert len(probing.HEADS) == len(TOPIC)
    for kept, other in itertools.product(probing.UNSEEN, range(len(TOPIC))):
        if other not in probing.UNSEEN:
            length = min(len(probing.HEADS[kept]), len(probing.HEADS[other]))
            assert probing.HEADS[kept][:length] != probing.HEADS[other][:length]


def test_distances_in_a_tree_are_those_of_the_shortest_paths() -> None:
    for heads in (*probing.HEADS, (-1,)):
        count = len(heads)
        expected = np.where(np.eye(count) > 0, 0, 99)
        for place, head in enumerate(heads):
            if head >= 0:
                expected[place, head] = expected[head, place] = 1
        for middle in range(count):  # Floyd and Warshall
            expected = np.minimum(expected, expected[:, [middle]] + expected[[middle]])
        assert np.array_equal(probing.tree_distances(heads).numpy(), expected)


def test_vectors_of_words_are_the_encoders_at_first_pieces_whatever_the_batch(
    text: tuple[probing.Sentences, list[probing.Occurrence]],
) -> None:
    model, tokenizer = pretrained.load("world-en")
    sentences = text[0][:7]
    found = probing.word_vectors(model.bert, tokenizer, sentences, size=3)
    for sentence, vectors in zip(sentences, found, strict=True):
        with torch.no_grad():
            layers = model.bert.all_layers(torch.tensor([tokenizer.encode(" ".join(sentence))]))
        place = 1
        for word, vector in zip(sentence, vectors, strict=True):
            expected = torch.stack([layer[0, place] for layer in layers])
            torch.testing.assert_close(vector, expected, atol=1e-5, rtol=1e-4)
            place += len(tokenizer.tokenize(word))


def test_examples_come_evenly_from_what_the_task_asks_about(
    text: tuple[probing.Sentences, list[probing.Occurrence]],
) -> None:
    sentences, found = text
    vectors = [torch.arange(float(len(sentence)))[:, None, None].expand(-1, 3, 2) for sentence in sentences]
    some = probing.examples("tense", found, vectors, 20)
    every = [one for one in found if one.kind == "thing" and one.tense]
    asked = every[:: len(every) // 20][:20]
    assert len(every) > 100
    assert some.words == [one.word for one in asked]
    assert some.labels.tolist() == [list(probing.TENSES).index(str(one.tense)) for one in asked]
    assert some.vectors[:, 0, 0].tolist() == [one.place for one in asked]
    assert some.vectors.shape == (20, 3, 2)
    assert probing.examples("tense", found, vectors, 10**6).words == [one.word for one in every]


def test_the_softmax_probe_is_scikit_learns_logistic_regression() -> None:
    generator = torch.Generator().manual_seed(0)
    vectors = torch.randn(120, 5, generator=generator, dtype=torch.float64)
    labels = (vectors @ torch.randn(5, 3, generator=generator, dtype=torch.float64)).argmax(dim=1)
    labels[::7] = 0
    probe = probing.softmax_probe(vectors, labels, 3, penalty=0.05, steps=300)
    oracle = LogisticRegression(C=1 / (120 * 0.05), tol=1e-8, max_iter=5000).fit(vectors.numpy(), labels.numpy())
    np.testing.assert_allclose(probe(vectors).softmax(dim=1).numpy(), oracle.predict_proba(vectors.numpy()), atol=1e-4)


def test_a_hidden_layer_learns_what_no_linear_probe_can() -> None:
    vectors = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).repeat(10, 1)
    labels = (vectors.sum(dim=1) == 1).long()
    probe = probing.mlp_probe(vectors, labels, 2, hidden=16, steps=200, seed=0)
    assert bool((probe(vectors).argmax(dim=1) == labels).all())
    linear = probing.softmax_probe(vectors, labels, 2)
    assert not bool((linear(vectors).argmax(dim=1) == labels).all())
