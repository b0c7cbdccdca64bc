"""The registry is complete, and the real corpora in it are what it and the readers say; needs a mirror, no network."""

import re
from pathlib import Path

import pytest
from mirror import mirror

from etude import corpora as corpora_of_tokens
from etude.corpora import datasets

needs_corpora = pytest.mark.skipif(mirror() is None, reason="no mirror: set ETUDE_MIRROR to a folder of corpora")


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ETUDE_MIRROR", str(mirror()))
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path)


def test_every_row_of_the_registry_is_complete_and_pinned() -> None:
    table = datasets.registry()
    assert table["name"].is_unique
    assert table["sha256"].str.fullmatch(r"[0-9a-f]{64}").all()
    assert table["packed_sha256"].str.fullmatch(r"[0-9a-f]{64}").all()
    assert (table[["bytes", "packed_bytes"]] > 0).all(axis=None)
    assert (table[["licence", "redistribute", "language", "use", "citation"]] != "").all(axis=None)
    assert (table["name"].str.split("/").str[0] == table["file"].str.split("/").str[0]).all()
    pinned = table["url"].str.contains(r"/[0-9a-f]{40}/")
    explained = table["note"] != ""
    assert (pinned | explained).all()
    assert list(datasets._files()) == list(table["name"])


def test_where_the_address_serves_the_mirrors_file_the_names_agree() -> None:
    for file in datasets._files().values():
        assert not file.url_is_packed or Path(file.file).suffix == Path(file.url).suffix, file.name


@needs_corpora
@pytest.mark.usefixtures("corpora")
def test_every_real_file_unpacks_to_its_hash_and_has_its_count_of_tokens() -> None:
    for name, tokens in datasets.registry().set_index("name")["tokens"].items():
        assert datasets.path(str(name)).is_file()
        assert tokens == "" or len(datasets.text(str(name)).split()) == int(tokens), name


@needs_corpora
@pytest.mark.usefixtures("corpora")
def test_wikitext2_has_its_known_size_and_no_marks_left() -> None:
    paragraphs = datasets.wikitext2()
    tokens = [token for paragraph in paragraphs for token in paragraph]
    assert (len(paragraphs), len(tokens)) == (4026, 442_368)
    assert not [token for token in tokens if re.fullmatch(r"@.@", token) or token != token.lower()]
    assert tokens.count("<unk>") > 20_000


@needs_corpora
@pytest.mark.usefixtures("corpora")
@pytest.mark.parametrize(("language", "first"), [("en", ["love", "sex", 6.77]), ("ko", ["사랑", "섹스", 6.42])])
def test_wordsim353_has_353_pairs_scored_from_0_to_10(language: datasets.Language, first: list[str | float]) -> None:
    pairs = datasets.wordsim353(language)
    assert len(pairs) == 353
    assert list(pairs.iloc[0]) == first
    assert pairs["score"].between(0, 10).all()


@needs_corpora
@pytest.mark.usefixtures("corpora")
@pytest.mark.parametrize(
    ("language", "questions", "sections", "first"),
    [("en", 19_544, 14, "athens greece baghdad iraq"), ("ko", 10_000, 10, "아테네 그리스 바그다드 이라크")],
)
def test_every_analogy_has_four_words(language: datasets.Language, questions: int, sections: int, first: str) -> None:
    table = datasets.analogies(language)
    assert (len(table), table["section"].nunique()) == (questions, sections)
    assert list(table.loc[0, ["a", "b", "c", "d"]]) == first.split()
    assert table.notna().all(axis=None)


@needs_corpora
@pytest.mark.usefixtures("corpora")
def test_archives_and_tables_are_read_into_tokens() -> None:
    reviews, brown = corpora_of_tokens.movie_reviews(), corpora_of_tokens.brown()
    assert reviews[0][:5] == ["plot", ":", "two", "teen", "couples"]
    assert brown[0][:5] == ["The", "Fulton", "County", "Grand", "Jury"]
    assert 1_400_000 < sum(map(len, reviews)) < 1_600_000
    assert 1_100_000 < sum(map(len, brown)) < 1_200_000
    assert not any("/" in token and token.split("/")[1].isupper() for sentence in brown[:1000] for token in sentence)
    assert len(corpora_of_tokens.nsmc()) == 200_000
    train, test = (corpora_of_tokens.nsmc_ratings(part) for part in ("train", "test"))
    assert (len(train), len(test)) == (20_000, 5_000)
    assert train["label"].mean() == test["label"].mean() == 0.5
    assert not set(test["document"]) & set(corpora_of_tokens.nsmc())
