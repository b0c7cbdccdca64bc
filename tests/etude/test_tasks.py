"""The world's tasks: the same everywhere, labels that follow from the text, and words in the test that training has not seen."""

import hashlib
from dataclasses import astuple

import pytest

from etude.world.chance import Chance
from etude.world.lexicon import LANGUAGES, Language, load
from etude.world.tasks import Split, Tasks

NAMES = ("topics", "senses", "entities", "questions", "choices")
SPLITS: tuple[Split, ...] = ("train", "test")
both = pytest.mark.parametrize("language", LANGUAGES)
PINNED = {
    "en": "742f0ea1a4f13dc2a8388f4ee29c59fc17370e73889856f169c0cde6b0364ebf",
    "ko": "e91dc9d7a96b4726f65fedbf0f54a8c9b0150cf3017f357fa24c7a3d803c9e23",
}


@both
def test_the_same_seed_gives_the_same_tasks_everywhere(language: Language) -> None:
    tasks = Tasks(language)
    text = "\n".join(
        str(astuple(item)) for name in NAMES for split in SPLITS for item in getattr(tasks, name)(100, split)
    )
    assert hashlib.sha256(text.encode()).hexdigest() == PINNED[language]
    for name in NAMES:
        assert getattr(tasks, name)(20, "train") == getattr(tasks, name)(40, "train")[:20]
        assert getattr(tasks, name)(20, "train") != getattr(Tasks(language, seed=1), name)(20, "train")


@both
def test_no_topic_word_of_the_training_sentences_stands_in_the_test(language: Language) -> None:
    tasks, lexicon = Tasks(language), load(language)
    verbs = {verb.stem for topic in lexicon.topics for verb, _ in topic.verbs}
    stems = {split: " ".join(item.text for item in tasks.topics(1500, split)) for split in SPLITS}
    seen = {stem for stem in verbs if stem in stems["train"].split()}
    assert {item.label for item in tasks.topics(1500, "test")} == set(range(9))
    assert not seen & set(stems["test"].split())
    agents = {topic.agents[0].stem for topic in lexicon.topics}
    assert not agents & set(stems["test"].split())


@both
def test_pairs_hold_one_homonym_and_half_of_them_one_sense(language: Language) -> None:
    tasks = Tasks(language)
    words = {}
    for split in SPLITS:
        pairs = tasks.senses(1000, split)
        assert all(pair.word in pair.first and pair.word in pair.second for pair in pairs)
        assert abs(sum(pair.label for pair in pairs) / 1000 - 0.5) < 0.08
        words[split] = {pair.word for pair in pairs}
    assert not words["train"] & words["test"]


@both
def test_each_name_is_tagged_and_no_name_of_the_training_is_in_the_test(language: Language) -> None:
    tasks, tagged = Tasks(language), {}
    for split in SPLITS:
        items = tasks.entities(1000, split)
        assert all(len(item.words) == len(item.tags) for item in items)
        tagged[split] = {
            (word, tag) for item in items for word, tag in zip(item.words, item.tags, strict=True) if tag != "O"
        }
        assert {tag for _, tag in tagged[split]} == {"B-PER", "B-COU", "B-CAP", "B-LAN"}
    assert not {word for word, _ in tagged["train"]} & {word for word, _ in tagged["test"]}


@both
def test_the_answer_stands_where_it_is_said_to_and_a_share_of_questions_has_none(language: Language) -> None:
    for split in SPLITS:
        questions = Tasks(language).questions(1000, split)
        for item in questions:
            if item.answer is not None and item.start is not None:
                assert item.passage[item.start :].startswith(item.answer)
            assert (item.answer is None) == (item.start is None)
        assert 0.17 < sum(item.answer is None for item in questions) / 1000 < 0.3


@both
def test_only_the_right_ending_is_done_by_the_verb(language: Language) -> None:
    tasks = Tasks(language)
    things = {}  # the verb as it stands in a beginning → what it is done to
    for topic in tasks.lexicon.topics:
        for verb, done in topic.verbs:
            frame = {"person": tasks.lexicon.names[:1], "verb": (verb,)}
            form = tasks._grammar.sentence(("start",), frame, Chance(0)).words[2].surface
            things[form] = {thing.stem for thing in done}
    for split in SPLITS:
        for item in tasks.choices(500, split):
            assert len(item.endings) == 4
            right = [ending in things[item.start.split()[2]] for ending in item.endings]
            assert right == [number == item.label for number in range(4)]


def test_a_split_that_is_none_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="split is 'dev'"):
        Tasks().topics(3, "dev")  # type: ignore[arg-type]


@pytest.mark.parametrize("sentences", [0, 8])
def test_more_events_than_people_are_refused_with_a_sentence(sentences: int) -> None:
    assert len(Tasks("en").questions(20, "train", sentences=7)) == 20
    with pytest.raises(ValueError, match=f"{sentences} sentences: choose 1 to 7"):
        Tasks("en").questions(1, "train", sentences=sentences)
