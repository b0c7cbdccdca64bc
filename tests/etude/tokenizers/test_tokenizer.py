"""All tokenizers do what the protocol says, and Hugging Face tokenizers reads their files and gives the same ids."""

from __future__ import annotations

import json
import math
import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import count, islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from mirror import mirror
from tokenizers import BertWordPieceTokenizer, ByteLevelBPETokenizer, models, processors, trainers
from tokenizers import Tokenizer as Library

from etude.corpora import datasets
from etude.tokenizers import byte_bpe, unigram, word_bpe, wordpiece
from etude.tokenizers.byte_bpe import ByteBPE
from etude.tokenizers.tokenizer import Tokenizer, read_chunks, whole_words
from etude.tokenizers.unigram import Unigram
from etude.tokenizers.word_bpe import WordBPE
from etude.tokenizers.wordpiece import WordPiece

patient = settings(deadline=None)  # the library's threads may have to wait for a core

SPELLED = [
    "<unk>",
    "<s>",
    "</s>",
    "</w>",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "[PAD]",
    "##a",
    "<|endoftext|>",
    "<pad>",
]
WORDS = [
    "the cat's nose",
    "nooo, not the pen!",
    "눈이 온다 한국어",
    "cafe\u0301 한\u1112\u1161\u11ab",
    "🙂🙂 👩\u200d👩",
]
SIGNS = sorted({*"".join(SPELLED + WORDS), *"é.?$019"} - {" "})  # every character is known in every place
TEXTS = [*WORDS * 3, *(f"{sign} {sign}{sign}{sign}" for sign in SIGNS), "a</w>b <unk> <pad>"]

KINDS: dict[str, Callable[..., Tokenizer]] = {
    "byte_bpe": lambda texts, size=360: ByteBPE.train(texts, size, special_tokens=("<|endoftext|>", "<pad>")),
    "word_bpe": lambda texts, size=240: WordBPE.train(texts, size, special_tokens=("<pad>", "<unk>")),
    "wordpiece": lambda texts, size=230: WordPiece.train(texts, size, lower=False),
    "wordpiece, lower": lambda texts, size=230: WordPiece.train(texts, size),
    "unigram": lambda texts, size=140: Unigram.train(texts, size),
}
MODELS = {name: train(TEXTS) for name, train in KINDS.items()}
every_kind = pytest.mark.parametrize("kind", KINDS)

# What each kind leaves of a text.
NORMAL: dict[str, Callable[[str], str]] = {
    "byte_bpe": lambda text: text,
    "word_bpe": lambda text: " ".join(word_bpe.WORD.findall(text)),
    "wordpiece": lambda text: " ".join(wordpiece.split(wordpiece.normalize(text, lower=False))),
    "wordpiece, lower": lambda text: " ".join(wordpiece.split(wordpiece.normalize(text))),
    "unigram": lambda text: unigram.unmark(unigram.mark(text)),
}

# Characters that Python and the library, which were made for different versions of Unicode, take for the same.
OLD = unicodedata.ucd_3_2_0
shared = st.characters(codec="utf-8", exclude_categories=("Cn", "Co"), max_codepoint=0xFFFF).filter(
    lambda c: OLD.category(c) == unicodedata.category(c)
)
blanks = st.sampled_from([" ", "  ", "\n", "\n\n\n", "\t ", "\r\n", "\u3000", "\xa0", "\x0b", "\x85", "\u2028"])
known = st.lists(st.sampled_from([*SIGNS, *SPELLED, *WORDS]) | blanks, max_size=30).map("".join)
texts = st.lists(
    st.sampled_from([*SIGNS, *SPELLED, *WORDS, "▁", "☃", "\x1c", "ﬁ", "Σ", "一"]) | blanks | shared, max_size=30
).map("".join)
anything = st.text(st.characters(codec="utf-8")) | texts


@st.composite
def chunked(draw: st.DrawFn) -> list[str]:
    """A text in chunks, some of them empty."""
    text = draw(anything)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Library]:
    """The library's reading of each model's file."""
    folder = tmp_path_factory.mktemp("saved")
    return {name: read_by_the_library(model, folder / name) for name, model in MODELS.items()}


def read_by_the_library(model: Tokenizer, path: Path) -> Library:
    model.save(path)
    library = Library.from_file(str(path))
    library.encode_special_tokens = True
    return library


# The protocol.


@every_kind
def test_every_kind_is_a_tokenizer(kind: str) -> None:
    assert isinstance(MODELS[kind], Tokenizer)


@every_kind
def test_special_tokens_have_the_first_ids_but_for_gpt2s_which_come_last(kind: str) -> None:
    model = MODELS[kind]
    ids = sorted(model.special_tokens.values())
    n = len(model.vocabulary)
    assert ids == (list(range(n - len(ids), n)) if kind == "byte_bpe" else list(range(len(ids))))
    assert all(model.vocabulary[i] == token for token, i in model.special_tokens.items())


@every_kind
@patient
@given(text=known)
def test_a_text_of_known_characters_comes_back_normalised(kind: str, text: str) -> None:
    model = MODELS[kind]
    if kind == "unigram":  # NFKC makes Á, which is not known, of A and an accent
        assume(set(unigram.mark(text)) <= set(model.vocabulary))
    assert model.decode(model.encode(text)) == NORMAL[kind](text)


@patient
@given(text=anything)
def test_bytes_bring_back_any_text(text: str) -> None:
    model = MODELS["byte_bpe"]
    assert model.decode(model.encode(text)) == text


@every_kind
@patient
@given(chunks=chunked())
@example(chunks=["a ", " b", "\n", "\n c's", "'s", " ", " ", "'s"])
@example(chunks=["a", "\u0301", " e", "\u0301\x0b", "b\u1112", "\u1161"])
def test_chunks_have_the_ids_of_the_text_wherever_it_was_cut(kind: str, chunks: list[str]) -> None:
    model = MODELS[kind]
    assert list(model.encode_iterable(iter(chunks))) == model.encode("".join(chunks))


@every_kind
def test_ids_come_before_the_chunks_end(kind: str) -> None:
    endless = (f"눈이 {n} 온" for n in count())
    assert (
        list(islice(MODELS[kind].encode_iterable(endless), 2000))
        == MODELS[kind].encode("".join(f"눈이 {n} 온" for n in range(2000)))[:2000]
    )


@every_kind
@patient
@given(text=texts)
@example(text="".join(SPELLED))
@example(text=" ".join(SPELLED))
def test_text_that_spells_a_special_token_is_not_given_its_id(kind: str, text: str) -> None:
    for model in (MODELS[kind], KINDS[kind](["한국어 눈이 온다"])):  # the other knows none of the signs
        given_by_the_tokenizer = {model.special_tokens.get(token) for token in ("<unk>", "[UNK]", "[CLS]", "[SEP]")}
        ids = model.encode(text)
        if kind.startswith("wordpiece"):
            assert (ids.count(model.special_tokens["[CLS]"]), ids.count(model.special_tokens["[SEP]"])) == (1, 1)
        assert not set(ids) & (set(model.special_tokens.values()) - given_by_the_tokenizer)


@every_kind
def test_special_tokens_are_not_decoded_but_the_unknown_one(kind: str) -> None:
    model = MODELS[kind]
    silent = [i for token, i in model.special_tokens.items() if token not in ("<unk>", "[UNK]")]
    assert len(silent) > 0
    assert model.decode(silent) == ""


@every_kind
@pytest.mark.parametrize("past", [-1, 0, 10**6])
def test_an_id_that_is_not_in_the_vocabulary_is_refused(kind: str, past: int) -> None:
    size = len(MODELS[kind].vocabulary)
    wrong = past if past < 0 else size + past
    with pytest.raises(ValueError, match=f"the id {wrong} is not in the vocabulary, whose ids are 0 to {size - 1}"):
        MODELS[kind].decode([*MODELS[kind].encode("the"), wrong])


@every_kind
def test_ids_of_an_array_are_decoded_as_those_of_a_list(kind: str) -> None:
    ids = [*MODELS[kind].encode("the cat"), *MODELS[kind].special_tokens.values()]
    assert MODELS[kind].decode(np.array(ids)) == MODELS[kind].decode(torch.tensor(ids)) == MODELS[kind].decode(ids)


@every_kind
@pytest.mark.parametrize("wrong", [1.5, None, "1", True, np.True_, torch.tensor(True), [1], 1j])
def test_an_id_that_is_no_whole_number_is_refused(kind: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=f"the id {re.escape(repr(wrong))} is no whole number"):
        MODELS[kind].decode([1, wrong])


@every_kind
@pytest.mark.parametrize("wrong", [None, 1, b"abc", "abc", "", torch.tensor(1), np.array([True]), torch.tensor([True])])
def test_what_is_no_list_of_ids_is_refused(kind: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"is no list of ids|is a string: give a list of ids|the ids are truth values"):
        MODELS[kind].decode(wrong)


@every_kind
@pytest.mark.parametrize("wrong", [None, b"the cat", 5, ["the cat"], ["t", "h", "e"]])
def test_a_text_that_is_no_string_is_refused(kind: str, wrong: Any) -> None:
    model = MODELS[kind]
    says = (
        f"{re.escape(repr(wrong))} is no string: {'decode bytes first' if type(wrong) is bytes else 'give one string'}"
    )
    with pytest.raises(ValueError, match=f"the text {says}"):
        model.encode(wrong)
    with pytest.raises(ValueError, match=f"the chunk {says}"):
        list(model.encode_iterable(["the ", wrong]))
    with pytest.raises(ValueError, match=f"the text {says}"):
        type(model).train(["the", wrong], 400)


@every_kind
@pytest.mark.parametrize("wrong", [None, 5, b"the cat"])
def test_what_is_no_list_of_texts_or_chunks_is_refused(kind: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=f"{wrong!r} is no list of chunks"):
        list(MODELS[kind].encode_iterable(wrong))
    with pytest.raises(ValueError, match=f"{wrong!r} is no list of texts"):
        type(MODELS[kind]).train(wrong, 400)


@pytest.mark.parametrize("kind", [ByteBPE, WordBPE, WordPiece, Unigram])
def test_one_string_for_a_list_of_texts_is_refused(kind: type[Any]) -> None:
    with pytest.raises(ValueError, match="'the cat' is a string: give a list of texts"):
        kind.train("the cat", 400)
    for counting in (lambda: byte_bpe.train("the cat", 400), lambda: unigram.count_words("the cat")):
        with pytest.raises(ValueError, match="'the cat' is a string"):
            counting()


@every_kind
def test_training_reads_a_generator_once_and_gives_the_same(kind: str) -> None:
    def lines() -> Iterator[str]:
        yield from TEXTS

    assert KINDS[kind](lines()) == MODELS[kind]


@every_kind
def test_training_keeps_to_the_size(kind: str) -> None:
    model = MODELS[kind]
    size = len(model.vocabulary) - 2
    assert len(KINDS[kind](TEXTS, size).vocabulary) == size


@pytest.mark.parametrize(
    ("train", "says"),
    [
        (lambda: ByteBPE.train(TEXTS, 400, special_tokens=("a",)), "'a' is also what a text is cut into"),
        (lambda: ByteBPE.train(TEXTS, 400, special_tokens=("",)), "'' is also"),
        (lambda: ByteBPE.train(TEXTS, 256, special_tokens=("<s>",)), "do not fit"),
        (lambda: WordBPE.train(TEXTS, 400, special_tokens=("<unk>", "☃</w>")), "'☃</w>' is also"),
        (lambda: WordBPE.train(TEXTS, 400, special_tokens=("<s>",)), "lack <unk>"),
        (lambda: WordPiece.train(TEXTS, 400, special_tokens=(*wordpiece.SPECIAL, "pad")), "'pad' is also"),
        (lambda: WordPiece.train(TEXTS, 400, special_tokens=(*wordpiece.SPECIAL, "##pad")), "'##pad' is also"),
        (lambda: WordPiece.train(TEXTS, 400, special_tokens=("[UNK]", "[CLS]")), r"lack \[SEP\]"),
        (lambda: Unigram.train(TEXTS, 400, special_tokens=("<s>",)), "lack <unk>"),
        *(
            (lambda kind=kind, wrong=wrong: kind.train(TEXTS, 400, special_tokens=wrong), says)
            for kind in (ByteBPE, WordBPE, WordPiece, Unigram)
            for wrong, says in (
                (None, "None is no list of special tokens"),
                (b"<unk>", "is no list of special tokens"),
                ("<unk>", "'<unk>' is a string: give a list of special tokens"),
                ([b"<unk>"], "the special token b'<unk>' is no string: decode bytes first"),
                ([None], "the special token None is no string"),
            )
        ),
    ],
)
def test_special_tokens_that_cannot_serve_are_refused(train: Callable[[], Tokenizer], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        train()


def test_a_token_that_words_spell_is_special_where_it_is_named() -> None:
    """Without care, a merge would make it once more, or a text would be given its id."""
    often = ["".join(parts) for parts in product(["pad", "x", "y", "p"], repeat=4)]
    for model in (
        ByteBPE.train(often, 300, special_tokens=("pad",)),
        WordBPE.train(often, 60, special_tokens=("<unk>", "pad")),
        Unigram.train([*often, "p a d"], 16, special_tokens=("<unk>", "pad")),
    ):
        assert model.special_tokens["pad"] not in model.encode("pad padding")
        assert list(model.vocabulary).count("pad") == 1


# Files.


def same_or_as_probable(kind: str, ids: list[int], others: list[int]) -> bool:
    """Whether the ids agree; of a unigram model's cuts that are equally probable, the rounding of sums decides for one."""
    model = MODELS[kind]
    if ids == others or not isinstance(model, Unigram):
        return ids == others
    totals = [sum(model.scores[i] for i in cut) for cut in (ids, others)]
    spelled = ["".join(model.pieces[i] for i in cut) for cut in (ids, others)]
    return math.isclose(*totals, rel_tol=1e-9) and spelled[0] == spelled[1]


@every_kind
@patient
@given(text=texts)
@example(text="".join(SPELLED))
@example(text="☃".join(SPELLED))
def test_the_library_reads_the_file_and_gives_the_same_ids(kind: str, text: str, libraries: dict[str, Library]) -> None:
    ids = MODELS[kind].encode(text)
    assert same_or_as_probable(kind, ids, libraries[kind].encode(text).ids)


@every_kind
def test_the_library_decodes_words_as_we_do(kind: str, libraries: dict[str, Library]) -> None:
    for text in ("the cat nose not pen", "눈이 온다 한국어 눈이"):
        ids = MODELS[kind].encode(text)
        assert libraries[kind].decode(ids) == MODELS[kind].decode(ids)


@every_kind
def test_the_library_knows_the_same_tokens(kind: str, libraries: dict[str, Library]) -> None:
    model = MODELS[kind]
    assert libraries[kind].get_vocab() == {token: i for i, token in enumerate(model.vocabulary)}
    added = libraries[kind].get_added_tokens_decoder()
    assert {token.content: i for i, token in added.items() if token.special} == model.special_tokens


@every_kind
def test_what_was_saved_is_loaded(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "new" / "tokenizer.json"
    MODELS[kind].save(path)
    assert type(MODELS[kind]).load(path) == MODELS[kind]
    assert [file.name for file in path.parent.iterdir()] == ["tokenizer.json"]


@pytest.mark.parametrize("longer", [["▁", "▁눈▁a"], ["▁눈▁a"], ["▁눈"]], ids=["over blanks", "no ▁ too", "no ▁"])
@patient
@given(text=texts)
@example(text="☃ ☃ 눈 a")
def test_unigram_models_whose_words_do_not_part_agree_with_the_library_too(
    longer: list[str], text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pieces = [*unigram.SPECIAL, *longer, *"ab눈<>s/unk"]
    model = Unigram(pieces, [0.0] * 3 + [-2.0 - i for i in range(len(pieces) - 3)])
    path = tmp_path_factory.getbasetemp() / "over.json"
    assert model.encode(text) == read_by_the_library(model, path).encode(text).ids
    assert Unigram.load(path) == model
    assert list(model.encode_iterable(text)) == model.encode(text)


def test_a_file_that_could_not_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tokenizer.json"
    MODELS["unigram"].save(path)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        MODELS["word_bpe"].save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(mirror() is None, reason="no mirror: set ETUDE_MIRROR to a folder of corpora")
def test_gpt2_in_one_file_gives_the_same_ids_and_ends_texts_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ETUDE_MIRROR", str(mirror()))
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path)
    published = byte_bpe.gpt2()
    assert published.special_tokens == {"<|endoftext|>": 50_256}
    library = read_by_the_library(published, tmp_path / "gpt2.json")
    for text in (*TEXTS, "".join(SPELLED)):
        assert published.encode(text) == library.encode(text).ids
        assert published.decode([*published.encode(text), 50_256]) == text
    assert ByteBPE.load(tmp_path / "gpt2.json").vocabulary == published.vocabulary


# Files that the library made.


def test_the_librarys_byte_level_file_is_read(tmp_path: Path) -> None:
    library = ByteLevelBPETokenizer()
    library.train_from_iterator(TEXTS, 400, show_progress=False, special_tokens=["<s>", "<|endoftext|>"])
    library.add_special_tokens(["<late>"])
    agree_with_the_librarys_file(ByteBPE, library, tmp_path)


def test_the_librarys_file_of_words_is_read(tmp_path: Path) -> None:
    library = Library.from_str(as_json(MODELS["word_bpe"], tmp_path))
    special = list(MODELS["word_bpe"].special_tokens)
    trainer = trainers.BpeTrainer(
        vocab_size=240, special_tokens=special, show_progress=False, end_of_word_suffix=word_bpe.END
    )
    library.train_from_iterator([text for text in TEXTS if "</w>" not in text], trainer)
    agree_with_the_librarys_file(WordBPE, library, tmp_path)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("accents", [None, "as lower"])
def test_the_librarys_bert_file_is_read(lower: bool, accents: str | None, tmp_path: Path) -> None:
    index = {token: i for i, token in enumerate(MODELS["wordpiece"].vocabulary)}
    library = BertWordPieceTokenizer(index, lowercase=lower, strip_accents=lower if accents else None)
    library.add_special_tokens(list(wordpiece.SPECIAL))
    agree_with_the_librarys_file(WordPiece, library, tmp_path)


def test_the_template_of_published_models_is_read(tmp_path: Path) -> None:
    library = Library.from_str(as_json(MODELS["wordpiece, lower"], tmp_path))
    ends = [(token, library.token_to_id(token)) for token in wordpiece.ENDS]
    library.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    agree_with_the_librarys_file(WordPiece, library, tmp_path)


def test_the_librarys_unigram_file_is_read(tmp_path: Path) -> None:
    library = Library.from_str(as_json(MODELS["unigram"], tmp_path))
    library.model = models.Unigram()
    trainer = trainers.UnigramTrainer(
        vocab_size=140, show_progress=False, special_tokens=list(unigram.SPECIAL), unk_token=unigram.UNKNOWN
    )
    library.train_from_iterator([text for text in TEXTS if "<" not in text], trainer)
    agree_with_the_librarys_file(Unigram, library, tmp_path)


def test_merges_in_the_older_way_of_writing_are_read(tmp_path: Path) -> None:
    content = json.loads(as_json(MODELS["byte_bpe"], tmp_path))
    content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
    (tmp_path / "old.json").write_text(json.dumps(content), encoding="utf-8")
    assert ByteBPE.load(tmp_path / "old.json") == MODELS["byte_bpe"]


def agree_with_the_librarys_file(cls: type[Any], library: Any, folder: Path) -> None:
    library.save(str(folder / "theirs.json"))
    model, again = cls.load(folder / "theirs.json"), Library.from_file(str(folder / "theirs.json"))
    for text in (*WORDS, "눈이☃ 온다", "", "don't 한국어를  \n the"):
        assert model.encode(text) == again.encode(text).ids
    assert model.special_tokens == {token.content: i for i, token in again.get_added_tokens_decoder().items()}


def as_json(model: Tokenizer, folder: Path) -> str:
    model.save(folder / "ours.json")
    return (folder / "ours.json").read_text(encoding="utf-8")


# Files that cannot be loaded.


def put(place: str, value: Any) -> Callable[[Any], Any]:
    """Changes one value of a file's content; None takes the key away."""

    def change(content: Any) -> Any:
        *path, last = place.split(".")
        inner = content
        for key in path:
            inner = inner[key]
        if value is None:
            del inner[last]
        else:
            inner[last] = value
        return content

    return change


ADDED = {"id": 0, "content": "the", "special": False}
DAMAGE: list[tuple[str, Callable[[Any], Any], str]] = [
    *((kind, put("model", None), 'no "model"') for kind in KINDS),
    *((kind, put("model.vocab", None), "its model has no") for kind in KINDS),
    *((kind, put("added_tokens", None), "no list of added_tokens") for kind in KINDS),
    *((kind, put("added_tokens", [ADDED]), "not special") for kind in KINDS),
    *((kind, put("added_tokens", [{**ADDED, "special": True}]), "not what the id 0 stands for") for kind in KINDS),
    *((kind, put("pre_tokenizer", {"type": "Digits"}), 'its pre_tokenizer is {"type": "Digits"}') for kind in KINDS),
    *((kind, put("normalizer", {"type": "NFD"}), 'its normalizer is {"type": "NFD"}') for kind in KINDS),
    *((kind, put("post_processor", {"type": "Odd"}), "its post_processor") for kind in KINDS),
    *((kind, put("truncation", {"max_length": 5}), "its truncation") for kind in KINDS),
    *((kind, lambda _: [1, 2], 'no "model"') for kind in KINDS),
    ("byte_bpe", put("model.merges", None), "no list of merges"),
    ("byte_bpe", put("model.merges", [["a"]]), "no pair of tokens"),
    ("byte_bpe", put("model.merges", [["a", "☃"]]), "needs '☃'"),
    ("byte_bpe", put("model.dropout", 0.1), "its model.dropout is 0.1"),
    ("byte_bpe", put("model.ignore_merges", True), "its model.ignore_merges"),
    ("byte_bpe", put("model.end_of_word_suffix", "</w>"), "its model.end_of_word_suffix"),
    ("byte_bpe", put("pre_tokenizer.add_prefix_space", True), "its pre_tokenizer"),
    ("byte_bpe", put("model.vocab.a", 7), "ids are not 0 to"),
    ("byte_bpe", put("model.vocab.a", "7"), "no vocabulary of tokens and ids"),
    ("word_bpe", put("model.unk_token", "<pad>"), "its model.unk_token"),
    ("word_bpe", put("model.end_of_word_suffix", None), "its model.end_of_word_suffix"),
    ("wordpiece", put("model.max_input_chars_per_word", 7), "its model.max_input_chars_per_word"),
    ("wordpiece", put("normalizer.strip_accents", True), "its normalizer"),
    ("wordpiece", put("post_processor", None), "its post_processor"),
    ("unigram", put("model.unk_id", 1), "its model.unk_id"),
    ("unigram", put("model.vocab", [["<unk>", "0"]]), "no piece with its score"),
    ("unigram", put("model.byte_fallback", True), "its model.byte_fallback"),
    ("unigram", put("added_tokens", []), "special pieces lack <unk>"),
]


@pytest.mark.parametrize(("kind", "change", "says"), DAMAGE)
def test_a_file_that_the_class_cannot_follow_is_refused_by_name(
    kind: str, change: Callable[[Any], Any], says: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(change(json.loads(as_json(MODELS[kind], tmp_path)))), encoding="utf-8")
    with pytest.raises(ValueError, match=r"bad.json cannot be loaded") as error:
        type(MODELS[kind]).load(path)
    assert says in str(error.value)


@every_kind
def test_a_cut_file_is_refused_wherever_it_ends(kind: str, tmp_path: Path) -> None:
    whole, path = as_json(MODELS[kind], tmp_path).encode(), tmp_path / "cut.json"
    for end in (0, 1, len(whole) // 3, len(whole) // 2, len(whole) - 2):
        path.write_bytes(whole[:end])
        with pytest.raises(ValueError, match=r"cut.json cannot be loaded: it is no whole JSON .* copy the file again"):
            type(MODELS[kind]).load(path)


@pytest.mark.parametrize("content", ["[" * 100_000, '{"model": NaN}', "\udcff"], ids=["deep", "no number", "no UTF-8"])
def test_what_is_no_json_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(content, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(ValueError, match="a cannot be loaded: it is no whole JSON"):
        Unigram.load(tmp_path / "a")


@pytest.mark.parametrize(
    ("kind", "other"), [("byte_bpe", WordPiece), ("wordpiece", Unigram), ("unigram", ByteBPE), ("word_bpe", Unigram)]
)
def test_the_file_of_another_kind_is_refused(kind: str, other: type[Any], tmp_path: Path) -> None:
    MODELS[kind].save(tmp_path / "a")
    with pytest.raises(ValueError, match=r"its model is of type .* use the class for that type"):
        other.load(tmp_path / "a")


@pytest.mark.parametrize(("kind", "other"), [("byte_bpe", WordBPE), ("word_bpe", ByteBPE)])
def test_the_two_kinds_of_bpe_are_told_apart(kind: str, other: type[Any], tmp_path: Path) -> None:
    MODELS[kind].save(tmp_path / "a")
    with pytest.raises(ValueError, match=r"its model.end_of_word_suffix is"):
        other.load(tmp_path / "a")


def test_a_byte_that_is_missing_is_named(tmp_path: Path) -> None:
    content = json.loads(as_json(ByteBPE.train([], 256), tmp_path))
    del content["model"]["vocab"]["ÿ"]
    ids = {token: i for i, token in enumerate(content["model"]["vocab"])}
    content["model"]["vocab"] = ids
    (tmp_path / "a").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match="lacks the byte 255"):
        ByteBPE.load(tmp_path / "a")


# Texts larger than the memory.


@patient
@given(chunks=chunked())
def test_whole_words_are_the_chunks_joined_and_cut_where_words_end(chunks: list[str]) -> None:
    parts = list(whole_words(chunks))
    assert "".join(parts) == "".join(chunks)
    assert all(parts)
    assert all(part[0].isspace() for part in parts[1:])
    assert not any(part[-1].isspace() and part[-1] not in "\x1c\x1d\x1e\x1f" for part in parts[:-1])


def test_no_more_than_a_chunk_and_a_word_is_held() -> None:
    parts = list(whole_words(["눈이 온다 "] * 1000 + ["a"] * 500 + [" b"] * 1000))
    assert max(map(len, parts)) < 510
    assert len(parts) > 1900


def test_a_file_is_read_in_chunks_that_cut_no_character(tmp_path: Path) -> None:
    text = "눈이 온다🙂\r\nthe é\n" * 500
    (tmp_path / "a").write_bytes(text.encode())
    (tmp_path / "b").write_bytes(b"\xef\xbb\xbf" + text.encode())
    chunks = list(read_chunks([tmp_path / "a", tmp_path / "b"], chars=7))
    assert "".join(chunks) == text * 2
    assert max(map(len, chunks)) == 7


def test_a_model_is_trained_and_encodes_from_a_file_larger_than_a_chunk(tmp_path: Path) -> None:
    text = "\n".join(TEXTS * 3)
    (tmp_path / "a").write_bytes(text.encode())
    for kind, train in KINDS.items():
        chunks = read_chunks([tmp_path / "a"], chars=100)
        if kind != "byte_bpe":  # there, the line ends are learnt from too
            assert train(whole_words(chunks)) == train([text])
        ids = MODELS[kind].encode_iterable(read_chunks([tmp_path / "a"], chars=100))
        assert list(ids) == MODELS[kind].encode(text)


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_bytes("눈".encode("cp949"))
    with pytest.raises(ValueError, match=r"old.txt is not UTF-8 .* convert it first"):
        list(read_chunks([tmp_path / "old.txt"]))
