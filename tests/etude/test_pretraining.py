"""BERT's examples: shares to within chance, nothing special masked, words masked whole, negatives from the same place elsewhere."""

from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from etude.models.bert import IGNORED
from etude.pretraining import Examples, Masking, Vocabulary, mask_tokens, next_tokens
from etude.tokenizers.wordpiece import SPECIAL, WordPiece

PIECES = [*SPECIAL, *(f"w{i}" for i in range(200)), *(f"##c{i}" for i in range(100))]
VOCABULARY = Vocabulary(WordPiece(PIECES))
WORDS, FIRST = range(5, 205), 5  # ids of pieces that begin a word


def masked(tokens: torch.Tensor, seed: int = 0, **masking: float) -> tuple[torch.Tensor, torch.Tensor]:
    return mask_tokens(tokens, VOCABULARY, Masking(**masking), torch.Generator().manual_seed(seed))  # type: ignore[arg-type]


def test_of_all_tokens_12_percent_become_mask_and_15_in_1000_another_and_as_many_stay() -> None:
    tokens = torch.randint(FIRST, len(PIECES), (1000, 1000), generator=torch.Generator().manual_seed(1))
    read, labels = masked(tokens)
    chosen = labels != IGNORED
    shares = {
        "mask": read == 4,
        "stays": chosen & (read == tokens),
        "another": chosen & (read != tokens) & (read != 4),
    }
    expected = {"mask": 0.12, "stays": 0.015 + 0.015 / 300, "another": 0.015 - 0.015 / 300}
    for name, where in shares.items():
        error = (expected[name] / tokens.numel()) ** 0.5
        assert float(where.double().mean()) == pytest.approx(expected[name], abs=5 * error), name
    assert torch.equal(labels[chosen], tokens[chosen])
    assert torch.equal(read[~chosen], tokens[~chosen])


@given(st.integers(0, 1000), st.booleans())
def test_special_tokens_are_never_chosen_and_never_stand_for_a_word(seed: int, whole: bool) -> None:
    tokens = torch.randint(0, len(PIECES), (8, 30), generator=torch.Generator().manual_seed(seed))
    read, labels = masked(tokens, seed, rate=0.9, mask=0.4, random=0.4, whole_words=whole)
    special = tokens < FIRST
    assert torch.equal(read[special], tokens[special])
    assert labels[special].eq(IGNORED).all()
    assert read[~special & (read != 4)].ge(FIRST).all()


def test_a_language_model_is_asked_for_the_next_token_and_never_for_padding() -> None:
    tokens = torch.tensor([[2, 7, 8, 3, 0, 0], [2, 9, 10, 11, 12, 3]])
    read, labels = next_tokens(tokens, VOCABULARY)
    assert torch.equal(read, tokens)
    assert labels.tolist() == [[7, 8, 3, *[IGNORED] * 3], [9, 10, 11, 12, 3, IGNORED]]


def test_all_pieces_of_a_word_share_its_fate() -> None:
    pieces = torch.tensor([[2, 5, 205, 206, 6, 7, 207, 3, 8, 208, 209, 210, 3, 0, 0]]).repeat(4000, 1)
    words = torch.tensor([0, 1, 1, 1, 2, 3, 3, 4, 5, 5, 5, 5, 6, 7, 8])
    read, labels = masked(pieces, whole_words=True)
    chosen, hidden = labels != IGNORED, read == 4
    for word in words.unique():
        for what in (chosen, hidden):
            assert what[:, words == word].sum(dim=1).remainder(int((words == word).sum())).eq(0).all()
    share = float(chosen[:, [1, 4, 5, 8]].double().mean())
    assert share == pytest.approx(0.15, abs=5 * (0.15 / 16_000) ** 0.5)


DOCUMENTS = [[[FIRST + document * 20 + sentence] * (sentence + 1) for sentence in range(6)] for document in range(9)]


def examples(**settings: object) -> Examples:
    return Examples(DOCUMENTS, VOCABULARY, masking=Masking(rate=0.0), **{"length": 24, "batch_size": 500, **settings})  # type: ignore[arg-type]


def test_half_of_the_second_segments_follow_and_the_others_stand_at_the_same_place_elsewhere() -> None:
    batch = examples()(0)
    assert batch.follows is not None
    assert batch.segments is not None
    assert abs(float(batch.follows.double().mean()) - 0.5) < 5 * 0.5 / 500**0.5
    rows = zip(batch.tokens.tolist(), batch.segments.tolist(), batch.follows.tolist(), strict=True)
    for tokens, segments, label in rows:
        first = [t - FIRST for t, s in zip(tokens, segments, strict=True) if s == 0 and t >= FIRST]
        second = [t - FIRST for t, s in zip(tokens, segments, strict=True) if s == 1 and t >= FIRST]
        assert (first[-1] // 20 != second[0] // 20) == bool(label)
        assert second[0] % 20 - first[-1] % 20 in (0, 1)  # the next sentence, or this one if it lost its end
        assert Counter(tokens)[3] == 2
        assert tokens[0] == 2


def test_a_batch_depends_on_its_number_and_the_seed_alone() -> None:
    drawn = examples()
    assert torch.equal(drawn(3).tokens, drawn(3).tokens)
    assert not torch.equal(drawn(3).tokens[:, :8], drawn(4).tokens[:, :8])
    assert not torch.equal(drawn(3).tokens[:, :8], examples(seed=1)(3).tokens[:, :8])


@pytest.mark.parametrize("length", [8, 12, 24])
def test_no_example_is_longer_than_asked_for(length: int) -> None:
    assert examples(length=length)(0).tokens.size(1) <= length
    alone = examples(length=length, next_sentence=False)(0)
    assert alone.tokens.size(1) <= length
    assert alone.follows is None


def test_next_sentences_of_one_document_are_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="two documents or more"):
        Examples(DOCUMENTS[:1], VOCABULARY, length=24, batch_size=20)(0)
