"""From real examples to ids: each piece stands where it was written, windows hold what they say, tags stand at first pieces."""

import random
from itertools import pairwise

import torch
from hypothesis import given
from hypothesis import strategies as st

from etude.corpora.tasks import Choice, Question, Text, Words
from etude.finetuning import encode
from etude.finetuning.encode import Encoder
from etude.models.bert import IGNORED
from etude.tokenizers.wordpiece import MARK, SPECIAL, UNKNOWN, WordPiece, normalize

LETTERS = "abcdeo"
HANGUL = sorted({c for syllable in "하루커피최소잔눈배" for c in normalize(syllable)})
SINGLES = [*LETTERS, *HANGUL, *"0123", "-", "!", "?"]
PIECES = WordPiece([*SPECIAL, *SINGLES, *(MARK + one for one in SINGLES), "cab", "##ed", "bad"])
CASED = WordPiece([*SPECIAL, "하루", "커피", "##가", "최소", "3", "##잔", "눈", "배"], lower=False)


@given(st.text(st.sampled_from([*"abcdeoéÄx0-! \t", "하", "루", "눈", "中", "̈", "​"]), max_size=30))
def test_each_piece_is_what_stands_at_its_place(text: str) -> None:
    pieces = Encoder(PIECES).pieces(text)
    assert [PIECES.vocabulary[piece.id] for piece in pieces] == PIECES.tokenize(text)
    for piece in pieces:
        spelled = PIECES.vocabulary[piece.id]
        written = normalize(text[piece.start : piece.end]).strip()
        assert spelled == UNKNOWN or spelled.removeprefix(MARK) in written
    # A syllable of Hangul may hold several pieces, its jamo; else places do not cross.
    assert all(a.start <= b.start and a.end <= b.end for a, b in pairwise(pieces))


def test_places_are_of_the_text_as_it_was_written() -> None:
    text = "Bad  éa!"
    assert [text[p.start : p.end] for p in Encoder(PIECES).pieces(text)] == ["Bad", "é", "a", "!"]
    text = "Bad — 하루 커피가 최소 3잔"
    assert [text[p.start : p.end] for p in Encoder(CASED).pieces(text)][2:] == ["하루", "커피", "가", "최소", "3", "잔"]


def test_pairs_are_cut_at_the_longer_text() -> None:
    (row,) = Encoder(PIECES, length=8).text(Text("cab cab cab cab cab cab", "bad", 1))
    words = [PIECES.vocabulary[i] for i in row["tokens"]]
    assert words == ["[CLS]", "cab", "cab", "cab", "cab", "[SEP]", "bad", "[SEP]"]
    assert row["segments"] == [0] * 6 + [1] * 2
    assert row["label"] == 1
    (alone,) = Encoder(PIECES, length=8).text(Text("cab", None, 0))
    assert [PIECES.vocabulary[i] for i in alone["tokens"]] == ["[CLS]", "cab", "[SEP]"]


def test_a_words_tag_stands_at_its_first_piece() -> None:
    (row,) = Encoder(PIECES).words(Words(("cabed", "​", "bad"), ("B-X", "O", "I-X")), ["O", "I-X", "B-X"])
    assert [PIECES.vocabulary[i] for i in row["tokens"]] == ["[CLS]", "cab", "##ed", "[UNK]", "bad", "[SEP]"]
    assert row["labels"] == [IGNORED, 2, IGNORED, 0, 1, IGNORED]


@given(st.integers(0, 10_000), st.integers(0, 39), st.integers(1, 3))
def test_windows_cover_the_passage_and_say_where_the_answer_is(seed: int, first: int, size: int) -> None:
    draw = random.Random(seed)
    words = [draw.choice(["cab", "bad", "cabed", "a-b"]) for _ in range(40)]
    passage, answer = " ".join(words), " ".join(words[first : first + size])
    start = len(" ".join(words[:first])) + (first > 0)
    item = Question(passage, "cab bad?", answer, start)
    rows = list(Encoder(PIECES, length=24).windows(item))
    every = {(p.start, p.end) for p in Encoder(PIECES).pieces(passage)}
    assert {place for row in rows for place in row["places"]} == every
    held = [row for row in rows if row["first"]]
    assert held, "half of a window is longer than the answer, so one window holds all of it"
    for row in held:
        places = row["places"]
        assert passage[places[row["first"] - row["begins"]][0] : places[row["last"] - row["begins"]][1]] == answer
    for row in rows:
        assert len(row["tokens"]) == len(row["segments"]) <= 24
        assert sum(row["segments"]) == len(row["places"])


def test_batches_have_the_shapes_that_the_heads_take() -> None:
    maker = Encoder(PIECES)
    labelled = encode.label_batch(maker.text(Text("cab", None, 1)) + maker.text(Text("cab bad", "bad", 0)))
    assert labelled.tokens.shape == (2, 6)
    assert labelled.labels.tolist() == [1, 0]
    assert encode.score_batch(maker.text(Text("cab", "bad", 2.5))).labels.dtype == torch.float32
    choices = encode.choice_batch(maker.choice(Choice("cab", ("bad", "bad bad", "a", "b"), 2)) * 3)
    assert choices.tokens.shape == (3, 4, 6)
    assert choices.labels.tolist() == [2, 2, 2]
    tags = encode.tag_batch(
        maker.words(Words(("cab",), ("O",)), ["O"]) + maker.words(Words(("a", "b"), ("O", "O")), ["O"])
    )
    assert tags.labels.tolist() == [[IGNORED, 0, IGNORED, IGNORED], [IGNORED, 0, 0, IGNORED]]
