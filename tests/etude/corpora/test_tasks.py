"""Real tasks: what each corpus holds, and that what is tested on was not trained on."""

from collections import Counter
from pathlib import Path

import pytest
from mirror import mirror

from etude.corpora import datasets, tasks
from etude.corpora.tasks import Split, Text

needs_corpora = pytest.mark.skipif(mirror() is None, reason="no mirror: set ETUDE_MIRROR to a folder of corpora")
SIZES = {  # train, test; those of the publishers where the corpus has both parts
    "sst2": (6920, 1821),
    "polarity": (8530, 2132),
    "nsmc": (20_000, 5000),
    "stsb": (5749, 1379),
    "korsts": (5749, 1379),
    "klue_sts": (416, 103),
    "kornli": (2490, 5010),
    "klue_nli": (2400, 600),
    "boolq": (3665, 1404),
    "wnut17": (3394, 1287),
    "klue_ner": (4000, 1000),
    "xquad": (991, 199),
    "korquad": (4387, 1387),
    "codah": (2221, 555),
    "hellaswag": (2029, 500),
    "copa": (3076, 1000),
}


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ETUDE_MIRROR", str(mirror()))
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path)


def test_all_tasks_are_counted_here() -> None:
    assert set(SIZES) == set(tasks.TASKS)


@needs_corpora
@pytest.mark.usefixtures("corpora")
@pytest.mark.parametrize("name", SIZES)
def test_a_task_is_whole_and_its_parts_are_apart(name: str) -> None:
    task, split = tasks.task(name), tasks.load(name)
    assert (len(split.train), len(split.test)) == SIZES[name]
    for item in [*split.train, *split.test]:
        if task.kind == "label":
            assert item.label in range(len(task.classes))
            assert item.first.strip()
        elif task.kind == "score":
            assert 0 <= item.label <= 5
            assert item.first.strip()
            assert item.second.strip()
        elif task.kind == "tags":
            assert all(tag == "O" or tag[:2] in ("B-", "I-") for tag in item.tags)
            assert all(word.strip() for word in item.words)
        elif task.kind == "answer":
            assert item.passage[item.start : item.start + len(item.answer)] == item.answer != ""
        else:
            assert item.label in range(len(item.endings))
            assert len(item.endings) == (2 if name == "copa" else 4)
    if task.kind == "answer":
        assert not {item.passage for item in split.train} & {item.passage for item in split.test}
    if task.kind == "label":
        classes = Counter(item.label for item in split.test)
        assert min(classes.values()) > 0.8 * len(split.test) / len(classes), "every class is as frequent as the others"


@needs_corpora
@pytest.mark.usefixtures("corpora")
def test_klues_premises_stand_on_one_side() -> None:
    split = tasks.load("klue_nli")
    assert not {item.first for item in split.train} & {item.first for item in split.test}


def test_a_sample_is_drawn_from_all() -> None:
    split = Split([Text(str(n), None, n) for n in range(100)], [Text(str(n), None, n) for n in range(50)])
    some = tasks.sample(split, 10, 60)
    assert len(some.train) == 10
    assert {item.label for item in some.test} == set(range(50))
    assert max(item.label for item in some.train) > 50
    assert some == tasks.sample(split, 10, 60)


def test_a_name_that_is_none_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(datasets.UnknownName, match="no task 'sst': choose one of sst2, polarity"):
        tasks.load("sst")
