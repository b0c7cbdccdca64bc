"""Cloze questions: what the text states, what it does not, and a model's scores at the gap."""

import pytest
import torch

from etude import cloze, pretrained, probing
from etude.world import World


@pytest.fixture(scope="module")
def relations() -> dict[str, cloze.Relation]:
    return cloze.relations()


def test_each_answer_is_a_candidate_of_one_piece_and_not_out(relations: dict[str, cloze.Relation]) -> None:
    index = pretrained.load("world-en").tokenizer.index
    assert {name: len(some.questions) for name, some in relations.items()} == {
        "custom": 128,
        "country": 128,
        "capital": 64,
        "neighbour": 22,
    }
    for questions, candidates in relations.values():
        assert len(set(candidates)) == len(candidates)
        assert set(candidates) <= set(index)
        for one in questions:
            assert one.answer in candidates
            assert one.answer not in one.also
            assert one.sentences[-1].split().count(cloze.MASK) == 1


def test_what_is_stated_stands_in_the_text_and_what_is_not_does_not(relations: dict[str, cloze.Relation]) -> None:
    sentences = [set(sentence) for sentence in World("en", 0).corpus(240_000)]

    def together(question: cloze.Cloze) -> bool:
        asked = {word for word in " ".join(question.sentences).split() if word in countries} | {question.answer}
        return any(asked <= sentence for sentence in sentences)

    countries = set(relations["country"].candidates)
    assert all(map(together, relations["custom"].questions))
    assert not any(map(together, relations["capital"].questions + relations["neighbour"].questions))


def test_neighbours_are_each_others() -> None:
    for country, others in cloze.NEIGHBOURS.items():
        assert all(country in cloze.NEIGHBOURS[other] for other in others)


def test_a_word_is_put_behind_is_and_a_misprime_before(relations: dict[str, cloze.Relation]) -> None:
    questions = relations["custom"].questions
    assert questions[0].sentences == ("the president of korea is near the [MASK]",)
    assert cloze.with_word(questions, "not")[0].sentences == ("the president of korea is not near the [MASK]",)
    primed = cloze.misprimed(relations["custom"])
    assert all(one.sentences[0] not in (one.answer, *one.also) for one in primed)
    assert all(one.sentences[0] in relations["custom"].candidates for one in primed)


def test_scores_are_those_of_the_model_at_the_gap(relations: dict[str, cloze.Relation]) -> None:
    model, tokenizer = pretrained.load("world-en")
    some = [relations[name].questions[5] for name in ("custom", "capital", "country")]
    found = cloze.mask_logits(model, tokenizer, some)
    for one, logits in zip(some, found, strict=True):
        ids = tokenizer.encode(*(sentence.replace(cloze.MASK, "the") for sentence in one.sentences))
        place = [0, *" [SEP] ".join(one.sentences).split()].index(cloze.MASK)  # every word of these is one piece
        ids[place] = tokenizer.special_tokens[cloze.MASK]
        first = ids.index(tokenizer.special_tokens["[SEP]"]) + 1
        segments = torch.tensor([[0] * first + [1] * (len(ids) - first)])
        with torch.no_grad():
            expected = model.token_logits(model.bert(torch.tensor([ids]), segments)[0, place])
        torch.testing.assert_close(logits, expected, atol=1e-4, rtol=1e-4)


def test_a_hidden_word_is_hidden_at_its_place() -> None:
    model, tokenizer = pretrained.load("world-en")
    sentences, found = probing.occurrences("en", 11, 2000)
    some = [one for one in found if one.kind == "thing" and one.word in tokenizer.index][:9]
    vectors, answers = cloze.masked_vectors(model, tokenizer, sentences, some)
    assert vectors.shape == (9, model.bert.config.hidden_size)
    assert [tokenizer.vocabulary[number] for number in answers.tolist()] == [one.word for one in some]
    one = some[4]
    words = [*sentences[one.sentence]]
    words[one.place] = cloze.MASK
    expected = cloze.mask_logits(model, tokenizer, [cloze.Cloze((" ".join(words),), one.word, ())])[0]
    with torch.no_grad():
        torch.testing.assert_close(model.token_logits(vectors[4]), expected, atol=1e-4, rtol=1e-4)
