"""WEAT, directions and analogies by brute force and in closed form; and the section of GloVe's lesson that shows them."""

import itertools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from gensim.models import KeyedVectors
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from etude.embeddings import associations
from etude.embeddings.associations import answers, association, coverage, direction, projections, weat
from etude.world import World
from grader.course import Course
from grader.lessons import source

WORDS = [f"w{i}" for i in range(16)]
seeds = st.integers(0, 10**6)
Sets = tuple[list[str], list[str], list[str], list[str]]


def space(seed: int, d: int = 5) -> torch.Tensor:
    """Random vectors (16, d) of lengths between 0.01 and 100."""
    generator = torch.Generator().manual_seed(seed)
    lengths = 10 ** (4 * torch.rand(len(WORDS), 1, generator=generator) - 2)
    return lengths * torch.nn.functional.normalize(torch.randn(len(WORDS), d, generator=generator), dim=1)


@st.composite
def sets(draw: st.DrawFn) -> Sets:
    """Draws X, Y, A and B, two to four words each, none in two of them."""
    order, sizes = draw(st.permutations(WORDS)), [draw(st.integers(2, 4)) for _ in range(4)]
    ends = list(itertools.accumulate(sizes, initial=0))
    x, y, a, b = (list(order[start:end]) for start, end in itertools.pairwise(ends))
    return x, y, a, b


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / math.sqrt((one @ one) * (other @ other)))


def lean(points: dict[str, np.ndarray], word: str, a: list[str], b: list[str]) -> float:
    """s(w, A, B), a cosine at a time."""
    near, far = ([cosine(points[word], points[other]) for other in side] for side in (a, b))
    return sum(near) / len(near) - sum(far) / len(far)


@given(seeds, sets())
def test_weat_is_that_of_brute_force(seed: int, drawn: Sets) -> None:
    vectors, (x, y, a, b) = space(seed), drawn
    points = dict(zip(WORDS, vectors.double().numpy(), strict=True))
    s = {word: lean(points, word, a, b) for word in x + y}
    sd = math.sqrt(sum((value - sum(s.values()) / len(s)) ** 2 for value in s.values()) / len(s))
    effect = (sum(s[w] for w in x) / len(x) - sum(s[w] for w in y) / len(y)) / sd
    statistic = sum(s[w] for w in x) - sum(s[w] for w in y)
    apart = [
        sum(s[w] for w in side) - sum(s[w] for w in s if w not in side) for side in itertools.combinations(s, len(x))
    ]
    found = weat(vectors, WORDS, (x, y), (a, b))
    assert found.effect == pytest.approx(effect, abs=1e-9)
    assert found.p == pytest.approx(np.mean([one >= statistic - 1e-9 for one in apart]))
    assert (found.partitions, found.exact) == (len(apart), True)
    assert association(vectors, WORDS, x + y, a, b).values == pytest.approx(s, abs=1e-9)


@given(seeds, sets())
def test_swapping_either_pair_of_sets_turns_the_effect_round(seed: int, drawn: Sets) -> None:
    vectors, (x, y, a, b) = space(seed), drawn
    effect = weat(vectors, WORDS, (x, y), (a, b)).effect
    assert weat(vectors, WORDS, (y, x), (a, b)).effect == pytest.approx(-effect, abs=1e-9)
    assert weat(vectors, WORDS, (x, y), (b, a)).effect == pytest.approx(-effect, abs=1e-9)
    assert abs(effect) <= (len(x) + len(y)) / math.sqrt(len(x) * len(y)) + 1e-9  # 2 for sets of one size


@pytest.mark.parametrize("n", [2, 3, 6])
def test_two_sets_at_opposite_ends_have_effect_2_and_one_partition_of_all(n: int) -> None:
    angles = torch.tensor([0.1] * 2 + [-0.1] * 2 + [0.1] * n + [-0.1] * n)
    vectors = torch.stack([angles.cos(), angles.sin()], dim=1)  # (4 + 2n, 2)
    names = [f"w{i}" for i in range(len(vectors))]
    a, b, x, y = names[:2], names[2:4], names[4 : 4 + n], names[4 + n :]
    found = weat(vectors, names, (x, y), (a, b))
    assert found.effect == pytest.approx(2)
    assert found.p == pytest.approx(1 / math.comb(2 * n, n))
    assert association(vectors, names, [x[0]], a, b).values[x[0]] == pytest.approx(1 - math.cos(0.2), rel=1e-6)
    assert weat(vectors, names, (y, x), (a, b)).p == 1


def test_equal_leans_count_as_ties_whatever_the_rounding() -> None:
    same, other = [1.0, 0.1], [0.1, 1.0]
    vectors = torch.tensor([[1.0, 0], [1, 0.2], [0, 1], [0.2, 1], same, same, other, same, same, other])
    found = weat(vectors, WORDS[:10], (WORDS[4:7], WORDS[7:]), (WORDS[:2], WORDS[2:4]))
    assert found.effect == pytest.approx(0, abs=1e-9)
    sides = itertools.combinations([1, 1, 0, 1, 1, 0], 3)
    assert found.p == pytest.approx(np.mean([sum(side) >= 2 for side in sides]))


def test_drawn_partitions_come_near_to_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, names = torch.randn(24, 4, generator=torch.Generator().manual_seed(3)), [f"w{i}" for i in range(24)]
    asked = (names[:7], names[7:14]), (names[14:19], names[19:])
    every = weat(vectors, names, *asked)
    monkeypatch.setattr(associations, "EXACT", 100)
    some = weat(vectors, names, *asked)
    assert (every.exact, every.partitions) == (True, math.comb(14, 7))
    assert (some.exact, some.partitions, some.effect) == (False, associations.DRAWS + 1, every.effect)
    sd = math.sqrt(every.p * (1 - every.p) / associations.DRAWS)
    assert 0 < abs(some.p - every.p) < 5 * sd
    assert weat(vectors, names, *asked) == some
    assert weat(vectors, names, *asked, seed=1).p != some.p


@given(seeds, st.integers(2, 7))
def test_the_direction_is_the_first_component_of_the_differences_both_ways(seed: int, count: int) -> None:
    vectors = space(seed)
    pairs = [(WORDS[2 * i], WORDS[2 * i + 1]) for i in range(count)]
    unit = torch.nn.functional.normalize(vectors.double(), dim=1)
    differences = (unit[0 : 2 * count : 2] - unit[1 : 2 * count : 2]).numpy()  # (P, d)
    fitted = PCA().fit(np.concatenate([differences, -differences]))  # its centre is 0
    assume(fitted.explained_variance_ratio_[0] - fitted.explained_variance_ratio_[1] > 1e-3)
    found = direction(vectors, WORDS, pairs)
    assert found.share == pytest.approx(fitted.explained_variance_ratio_[0])
    assert abs(found.vector.numpy() @ fitted.components_[0]) == pytest.approx(1)
    assert (differences @ found.vector.numpy()).sum() >= -1e-9
    scores = projections(vectors, WORDS, found.vector, WORDS).values
    expected = [cosine(point, found.vector.numpy()) for point in vectors.double().numpy()]
    assert list(scores.values()) == pytest.approx(expected, abs=1e-9)


@given(seeds, st.permutations(WORDS).map(lambda order: order[:3]))
def test_gensim_answers_the_same_where_own_words_are_forbidden(seed: int, question: list[str]) -> None:
    vectors, (a, b, c) = space(seed), question
    model = KeyedVectors(vectors.shape[1])
    model.add_vectors(WORDS, vectors.numpy())
    expected = model.most_similar(positive=[b, c], negative=[a], topn=4)
    found = answers(vectors, WORDS, (a, b, c), most=4)
    assert [value for _, value in found] == pytest.approx([value for _, value in expected], abs=1e-5)
    allowed = answers(vectors, WORDS, (a, b, c), most=len(WORDS), own_words=True)
    assert [word for word, _ in allowed if word not in question][:4] == [word for word, _ in found]
    assert {word for word, _ in allowed} == set(WORDS)


def test_missing_words_are_left_out_and_named() -> None:
    vectors = space(0)
    found = weat(vectors, WORDS, (["w0", "nobody", "w1"], ["w2", "w3"]), (["w4", "w5"], ["w6", "w7", "nowhere"]))
    without = weat(vectors, WORDS, (["w0", "w1"], ["w2", "w3"]), (["w4", "w5"], ["w6", "w7"]))
    assert (found.effect, found.p) == (without.effect, without.p)
    assert [str(side) for side in found.coverage] == [
        "2 of 3; missing: nobody",
        "2 of 2",
        "2 of 2",
        "2 of 3; missing: nowhere",
    ]
    along = direction(vectors, WORDS, [("w0", "w1"), ("nobody", "w2"), ("w3", "w4")])
    assert str(along.coverage) == "2 of 3; missing: nobody–w2"
    assert projections(vectors, WORDS, along.vector, ["w9", "nobody"]).coverage.missing == ("nobody",)


def refused(vectors: torch.Tensor, x: Any, y: Any, a: Any, b: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        weat(vectors, WORDS, (x, y), (a, b))


def test_sets_that_say_nothing_are_refused() -> None:
    vectors = space(0)
    x, y, a, b = WORDS[:2], WORDS[2:4], WORDS[4:6], WORDS[6:8]
    refused(vectors, x[:1], y, a, b, "of X 1 of 1 have vectors: 2 or more are needed")
    refused(vectors, x, y, a, ["w6", "nobody"], "of B 1 of 2; missing: nobody have vectors")
    refused(vectors, x, ["w1", "w2"], a, b, "X and Y share w1: leave each in one set alone")
    refused(vectors, x, y, a, ["w0", "w6"], "X and B share w0")
    refused(vectors, ["w0", "w0"], y, a, b, "asked for twice: w0")
    refused(vectors, "w0", y, a, b, "'w0' is a string: give a list of words")
    refused(vectors[:4], x, y, a, b, "16 words for vectors of the shape")
    refused(torch.ones(16, 3), x, y, a, b, "all words of X and Y lean alike")


@pytest.mark.parametrize(
    ("value", "says"), [(0.0, "zero, and has no direction"), (math.nan, "not finite"), (math.inf, "not finite")]
)
def test_vectors_without_a_direction_are_refused_where_they_are_needed(value: float, says: str) -> None:
    vectors = space(0)
    vectors[3] = value
    refused(vectors, WORDS[:2], WORDS[2:4], WORDS[4:6], WORDS[6:8], f"the vector of 'w3' is {says}")
    assert weat(vectors, WORDS, (WORDS[:2], WORDS[8:10]), (WORDS[4:6], WORDS[6:8])).exact
    with pytest.raises(ValueError, match=says):
        direction(vectors, WORDS, [("w0", "w1"), ("w2", "w3")])
    with pytest.raises(ValueError, match=says):
        projections(space(0), WORDS, torch.full((5,), value), ["w0"])


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_very_short_and_very_long_vectors_have_their_direction(scale: float) -> None:
    asked = (WORDS[:3], WORDS[3:6]), (WORDS[6:8], WORDS[8:10])
    expected = weat(space(0), WORDS, *asked)
    assert weat(space(0) * scale, WORDS, *asked).effect == pytest.approx(expected.effect, rel=1e-4)


def test_directions_and_answers_that_there_are_none_of_are_refused() -> None:
    vectors = space(0)
    with pytest.raises(ValueError, match="1 of 2 pairs have vectors"):
        direction(vectors, WORDS, [("w0", "w1"), ("w2", "nobody")])
    with pytest.raises(ValueError, match="same direction"):
        direction(torch.ones(16, 3), WORDS, [("w0", "w1"), ("w2", "w3")])
    with pytest.raises(ValueError, match="asked for twice: w1"):
        direction(vectors, WORDS, [("w0", "w1"), ("w1", "w2")])
    with pytest.raises(ValueError, match=r"the direction has the shape \(3,\), a vector \(5,\)"):
        projections(vectors, WORDS, torch.ones(3), ["w0"])
    with pytest.raises(ValueError, match="of the words 0 of 1; missing: nobody have vectors"):
        projections(vectors, WORDS, torch.ones(5), ["nobody"])
    with pytest.raises(ValueError, match="no vector: nobody"):
        answers(vectors, WORDS, ("w0", "nobody", "w1"))
    vectors[5] = math.nan
    with pytest.raises(ValueError, match="'w5' is not finite"):
        answers(vectors, WORDS, ("w0", "w1", "w2"))


def test_a_zero_vector_is_no_answer() -> None:
    vectors = torch.cat([space(0)[:6], torch.zeros(10, 5)])
    assert {word for word, _ in answers(vectors, WORDS, ("w0", "w1", "w2"), most=9)} == {"w3", "w4", "w5"}


def test_coverage_keeps_the_order_of_the_question() -> None:
    assert coverage(["b", "a"], ["a", "c", "b", "d"]) == associations.Coverage(("a", "b"), ("c", "d"))


# The section of the lesson, run on a small table with a planted lean.

LESSON = Course().lesson("week1_embeddings/glove")
TITLE, NEXT = "## What else a table learns", "## What to read next"
LEAN = {"captain": 0.9, "engineer": 0.6, "doctor": 0.2, "teacher": -0.2, "librarian": -0.5, "nurse": -0.9}
PAIRS = [
    ("he", "she"), ("his", "her"), ("man", "woman"), ("boy", "girl"), ("father", "mother"), ("john", "mary"),
]  # fmt: skip
CAREER = ["executive", "management", "office", "salary"]
FAMILY = ["home", "parents", "children", "wedding"]
MEN, WOMEN = ["paul", "mike", "kevin", "steve"], ["amy", "joan", "lisa", "sarah"]


def planted_table(path: Path) -> None:
    """Writes vectors (V, 24) in GloVe's format whose first number is gender, the second career or family, the rest the word's own."""
    lean = LEAN | {he: 1.0 for he, _ in PAIRS} | {she: -1.0 for _, she in PAIRS}
    work = dict.fromkeys([*CAREER, *MEN], 1.0) | dict.fromkeys([*FAMILY, *WOMEN], -1.0)
    generator = np.random.default_rng(0)
    lines = []
    for word in [*lean, *work]:
        own = generator.normal(size=22)
        own *= math.sqrt(max(0.09, 1 - lean.get(word, work.get(word, 0)) ** 2)) / np.linalg.norm(own)
        row = [lean.get(word, 0.0), work.get(word, 0.0), *own]
        lines.append(" ".join([word, *(f"{value:.6f}" for value in row)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def section() -> list[str]:
    """Collects the code cells of the section, in their order."""
    inside, cells = False, []
    for cell in source.read(LESSON).cells:
        if cell.cell_type == "markdown":
            inside = TITLE in cell.source or (inside and NEXT not in cell.source)
        elif inside:
            cells.append(cell.source)
    return cells


@pytest.fixture
def lesson(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The names that the section finds: the lesson's functions, its world, and small vectors with a gender where words have one."""
    names = dict(source.namespace(LESSON))
    world = World("en", seed=0)
    couples = [tuple(member.stem for member in family.members) for family in world.lexicon.couples]
    marks = [[mark.stem for mark in world.lexicon.marks[kind]] for kind in ("he", "she")]
    words = sorted({lexeme.stem for lexeme in world.lexicon.lexemes()})
    leans = {word: (1.0, -1.0)[side] for couple in couples for side, word in enumerate(couple)}
    leans |= {word: (1.0, -1.0)[side] for side, marked in enumerate(marks) for word in marked}
    plain = torch.randn(len(words), 16, generator=torch.Generator().manual_seed(0))  # (V, d)
    gendered = plain.clone()
    gendered[:, 0] = torch.tensor([8 * leans.get(word, 0.0) for word in words])
    shown: list[Any] = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.gcf()))
    monkeypatch.delenv("ETUDE_VECTORS", raising=False)
    names |= {"seed": 0, "world": world, "words": words, "model": (plain,), "model_mixed": (plain,)}
    yield names | {"model_zeros": (gendered,), "display": shown.append, "shown": shown}
    plt.close("all")


def run(names: dict[str, Any]) -> None:
    for number, cell in enumerate(section()):
        exec(compile(cell, f"<section, cell {number}>", "exec"), names)


def test_without_a_table_the_section_says_in_a_sentence_how_to_give_one(
    lesson: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(lesson)
    assert capsys.readouterr().out.count("Left out, no table named: set ETUDE_VECTORS") == 1
    assert len(lesson["shown"]) == 1
    monkeypatch.setenv("ETUDE_VECTORS", "nowhere.txt")
    run(lesson)
    assert "Left out, no table at nowhere.txt" in capsys.readouterr().out


def test_the_section_finds_what_is_planted_in_the_world_and_nothing_where_words_are_dealt_anew(
    lesson: dict[str, Any],
) -> None:
    run(lesson)
    rows = {name: lesson["leaning"](lesson[model][0]) for name, model in (("told", "model_zeros"), ("plain", "model"))}
    assert rows["told"]["d, his and her things"] > 1.9
    assert rows["told"]["p"] == pytest.approx(1 / math.comb(8, 4))
    assert rows["told"]["other couples right"] == 1
    assert rows["told"]["share in one direction"] > 0.8 > 0.5 > rows["plain"]["share in one direction"]
    assert rows["plain"]["p"] > 0.05
    assert abs(np.mean(lesson["by_chance"])) < 0.3


def test_on_a_table_with_a_planted_lean_the_plot_shows_it_and_coverage_is_said(
    lesson: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "vectors.txt"
    planted_table(path)
    monkeypatch.setenv("ETUDE_VECTORS", str(path))
    run(lesson)
    told = capsys.readouterr().out
    total = len(LEAN) + 2 * len(PAIRS) + len(CAREER + FAMILY + MEN + WOMEN)
    assert f"6 of 20 occupations are among the first {total} words" in told
    assert "missing: architect, artist, banker" in told
    assert "pairs: 6 of 10; missing: himself–herself" in told
    figure = lesson["shown"][1]
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("cosine with the direction", "job")
    bars = dict(zip([label.get_text() for label in axes.get_yticklabels()], axes.patches, strict=True))
    assert list(bars) == sorted(LEAN, key=lambda job: LEAN[job])
    widths = {job: bar.get_width() for job, bar in bars.items()}
    assert widths["captain"] > widths["engineer"] > 0 > widths["librarian"] > widths["nurse"]
    assert lesson["real_weat"].effect > 1.5
    assert lesson["real_weat"].p < 0.05
    table = lesson["shown"][2]
    assert set(table.index) == set(LEAN)
    assert not any(job in table.loc[job, "own words forbidden"] for job in LEAN)


def test_the_section_has_no_graded_cell() -> None:
    assert section()
    assert not [cell for cell in section() if cell.startswith("check(") or "record(" in cell]
