"""prompting: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import math
from fractions import Fraction
from typing import Any

import torch
from hypothesis.strategies import DrawFn, composite, integers, lists, sampled_from, tuples
from torch import Tensor
from torch.nn.utils import vector_to_parameters

from etude.lesson.checks import Mismatch, close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.models.gpt import GPT, GPTConfig
from etude.world import World
from grader.grading.artifacts import Artifacts, BadArtifact
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all


def numbers(value: Any) -> list[int]:
    """Whole numbers of the student's in a row, whatever holds them."""
    try:
        found = [plain(one.item() if hasattr(one, "item") else one) for one in value]
    except TypeError:
        raise Mismatch("a row of whole numbers was expected", actual=value) from None
    true(all(type(one) is int for one in found), "whole numbers were expected", actual=found)
    return found


# conversation
LINES = sampled_from(["Anna", "Who?", "눈이 온다.", "a  b", "Q: x", "3"])


@exercise("conversation", points=0.5)
@for_all(document=LINES, turns=lists(tuples(LINES, LINES), max_size=4), question=LINES)
def test_any_conversation_has_its_lines(
    student: Student, document: str, turns: list[tuple[str, str]], question: str
) -> None:
    text = document
    for asked, answered in turns:
        text += "\nQ: " + asked + "\nA: " + answered
    equal(student.conversation(document, turns, question), text + "\nQ: " + question + "\nA:")


# few_shot
@exercise("few_shot", points=0.5)
@for_all(
    description=sampled_from(["", "owns:", "Say it:  so"]),
    shots=lists(tuples(LINES, LINES), max_size=4),
    question=LINES,
    between=sampled_from([" ", " => ", " = ", ": ", "=", "   ", " is a  ", "는 "]),
)
def test_any_prompt_has_its_lines(
    student: Student, description: str, shots: list[tuple[str, str]], question: str, between: str
) -> None:
    text = description + "\n" if description else ""
    for asked, answered in shots:
        text += asked + between + answered + "\n"
    bare = between
    while bare.endswith(" "):
        bare = bare[:-1]
    equal(student.few_shot(description, shots, question, between), text + question + bare)


# answer_scores
@composite
def answers(draw: DrawFn) -> tuple[Tensor, Tensor, list[int], list[int]]:
    """Logits (B, N, 3), tokens (B, N), and where each answer starts and ends."""
    texts, places = draw(integers(1, 2)), draw(integers(2, 4))
    logits = draw(inputs.tables(texts * places, 3)).view(texts, places, 3)
    tokens = torch.tensor(draw(lists(integers(0, 2), min_size=texts * places, max_size=texts * places)))
    starts = [draw(integers(1, places - 1)) for _ in range(texts)]
    return logits, tokens.view(texts, places), starts, [draw(integers(start + 1, places)) for start in starts]


def log_p(row: list[float], token: int) -> float:
    most = max(row)
    return row[token] - most - math.log(sum(math.exp(value - most) for value in row))


@exercise("answer_scores")
@for_all(drawn=answers(), examples=30)
def test_any_answers_score_as_token_by_token(
    student: Student, drawn: tuple[Tensor, Tensor, list[int], list[int]]
) -> None:
    logits, tokens, starts, ends = drawn
    expected = [
        sum(log_p(text[place - 1].tolist(), int(row[place])) for place in range(start, end))
        for text, row, start, end in zip(logits.double(), tokens, starts, ends, strict=True)
    ]
    found = student.answer_scores(logits.double(), tokens, torch.tensor(starts), torch.tensor(ends))
    close(found, expected)


@exercise("answer_scores", points=0.5, needs="test_the_answers_tokens_are_added_and_the_prompts_are_not")
def test_a_token_that_cannot_come_in_the_prompt_does_no_harm(student: Student) -> None:
    logits = torch.tensor([[[0.0, -math.inf], [0.0, 0.0], [-math.inf, 0.0], [0.0, 0.0]]])
    found = student.answer_scores(logits, torch.tensor([[0, 1, 1, 0]]), torch.tensor([2]), torch.tensor([3]))
    given = (
        "the tokens 0, 1, 1, 0; the token at place 1 and the padding at 3 have probability 0; the answer at 2 has .5"
    )
    close(found, [math.log(0.5)], given=given)


@exercise("answer_scores", points=0.5, needs="test_a_token_is_scored_at_the_place_before_it")
def test_it_need_not_be_a_whole_batch_of_texts(student: Student) -> None:
    logits = torch.tensor([[[1.0, 0.0, 2.0], [0.5, 0.0, 0.0]]], dtype=torch.float64)
    found = student.answer_scores(logits, torch.tensor([[0, 2]]), torch.tensor([1]), torch.tensor([2]))
    close(found, [2 - math.log(math.e + 1 + math.e**2)], given="one text of two tokens, float64")


# pick
@composite
def candidates(draw: DrawFn) -> tuple[Tensor, Tensor, Tensor]:
    """Scores, lengths, scores alone: (Q, C) each; ties are frequent."""
    questions, choices = draw(integers(1, 3)), draw(integers(1, 4))
    size = questions * choices

    def table(least: int, most: int) -> Tensor:
        return torch.tensor(draw(lists(integers(least, most), min_size=size, max_size=size))).view(questions, choices)

    return table(-24, 0) / 8, table(1, 4), table(-24, 0) / 8


@exercise("pick")
@for_all(drawn=candidates())
def test_any_choice_is_a_best_one(student: Student, drawn: tuple[Tensor, Tensor, Tensor]) -> None:
    scores, lengths, alone = drawn
    for way in ("sum", "token", "alone"):
        found = numbers(student.pick(scores, lengths, alone, way))
        equal(len(found), len(scores))
        for row, place in enumerate(found):
            true(0 <= place < scores.size(1), "a candidate's place was expected", actual=found)
            by = [
                Fraction(s) if way == "sum" else Fraction(s) / n if way == "token" else Fraction(s) - Fraction(a)
                for s, n, a in zip(scores[row].tolist(), lengths[row].tolist(), alone[row].tolist(), strict=True)
            ]
            true(float(max(by) - by[place]) < 1e-6, f"by {way} another candidate is better", actual=found)


# accuracy_by_shots
@composite
def lines(draw: DrawFn) -> tuple[Tensor, Tensor]:
    """What is said at each place and the tokens, (B, 1 + 2K) both."""
    texts, pairs = draw(integers(1, 3)), draw(integers(1, 4))
    size = texts * (1 + 2 * pairs)
    drawn = [torch.tensor(draw(lists(integers(0, 2), min_size=size, max_size=size))).view(texts, -1) for _ in range(2)]
    return drawn[0], drawn[1]


@exercise("accuracy_by_shots")
@for_all(drawn=lines())
def test_any_lines_are_counted_pair_by_pair(student: Student, drawn: tuple[Tensor, Tensor]) -> None:
    said, tokens = drawn
    expected = [
        sum(int(said[text, place] == tokens[text, place + 1]) for text in range(len(said))) / len(said)
        for place in range(1, said.size(1), 2)
    ]
    logits = torch.nn.functional.one_hot(said, 3).double() * 2 - 5
    close(student.accuracy_by_shots(logits, tokens), expected)


# ideal_reader
@composite
def relations(draw: DrawFn) -> tuple[list[list[int]], list[int], list[int], int]:
    """Lists with collisions, examples that are mostly from one of them, and a question."""
    rows, entities = draw(integers(1, 4)), draw(integers(1, 4))
    table = [[draw(integers(0, 2)) for _ in range(entities)] for _ in range(rows)]
    asked = draw(lists(integers(0, entities - 1), max_size=3))
    true_list = draw(integers(0, rows - 1))
    answered = [draw(sampled_from([table[true_list][one]] * 3 + [0])) for one in asked]
    return table, asked, answered, draw(integers(0, entities - 1))


@exercise("ideal_reader")
@for_all(drawn=relations())
def test_any_examples_leave_the_lists_of_brute_force(
    student: Student, drawn: tuple[list[list[int]], list[int], list[int], int]
) -> None:
    table, asked, answered, question = drawn
    left = [row for row in table if all(row[q] == a for q, a in zip(asked, answered, strict=True))] or table
    expected = [sum(row[question] == value for row in left) / len(left) for value in range(4)]
    examples = [torch.tensor(one, dtype=torch.long) for one in (asked, answered)]
    close(student.ideal_reader(torch.tensor(table), *examples, question, 4), expected)


# web_text
ADDRESSES = [
    "https://one.example/a",
    "https://one.example/b",
    "https://wikipedia.org/",
    "http://ko.wikipedia.org/wiki/GPT",
    "https://notwikipedia.org/",
    "https://wikipedia.org.example/",
    "https://one.example/wikipedia.org/",
    "https://one.example/?from=https://wikipedia.org",
    "https://www.spam.example/x",
]


@exercise("web_text")
@for_all(
    posts=lists(tuples(sampled_from(ADDRESSES), integers(-1, 5)), max_size=6),
    least=sampled_from([3, 1, 0]),
    removed=sampled_from([("wikipedia.org",), (), ("spam.example", "wikipedia.org")]),
)
def test_any_posts_keep_the_pages_of_brute_force(
    student: Student, posts: list[tuple[str, int]], least: int, removed: tuple[str, ...]
) -> None:
    expected: list[str] = []
    for address, karma in posts:
        parts = address.split("/")[2].split(".")
        ends = {".".join(parts[start:]) for start in range(len(parts))}
        if karma >= least and not ends & set(removed) and address not in expected:
            expected.append(address)
    equal(list(student.web_text(posts, least, set(removed))), expected)


# training_cost
@exercise("training_cost")
@for_all(
    layers=integers(1, 3), width=sampled_from([1, 2, 4]), words=integers(1, 9), positions=integers(1, 9), examples=20
)
def test_any_model_has_the_parameters_that_are_counted(
    student: Student, layers: int, width: int, words: int, positions: int
) -> None:
    model = GPT(GPTConfig(words, positions, width, layers, 1))
    count = sum(parameter.numel() for parameter in model.parameters())
    found = student.training_cost(layers, width, words, positions, 7)
    true(len(found) == 2, "two numbers were expected: parameters, FLOPs", actual=found)
    close([float(one) for one in found], [float(count), 42.0 * count], rtol=1e-9)


# metrics
BEYOND = 70_000  # added to the run's seed: other lines than the notebook's
TESTS = 1000
SHOTS = 7
PEOPLE, THINGS, NAMES, SUMMED = 9, 25, 5, 41  # the first id of each kind
LIST, TLDR, SOURCE, START, END = range(5)
WORDS = 41 + 10 + 8 + 48  # the rest: words of summaries, sources, words of articles
TOPICS = [
    "public health", "public school", "winter sport", "winter weather", "music", "space", "food", "money",
]  # fmt: skip
TURNS = torch.tensor([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0], [0, 1, 2, 3]])  # (group, list)
WIDTHS = ((8, 32), (8, 64))


def _weights(artifacts: Artifacts, name: str, model: GPT) -> Tensor:
    vector, size = artifacts.tensor(name, ndim=1), sum(parameter.numel() for parameter in model.parameters())
    if len(vector) != size:
        raise BadArtifact(f"the tensor {name!r} has {len(vector)} numbers, expected {size}")
    return vector.float()


def _language_model(artifacts: Artifacts, name: str) -> GPT:
    """The recorded language model "small" or "large"."""
    widths = tuple(int(one) for one in artifacts.tensor("widths", ndim=1))
    if widths not in WIDTHS:
        raise BadArtifact(f"the widths are {widths}: one of {WIDTHS} was expected")
    model = GPT(GPTConfig(WORDS, 32, widths[name in ("large", "untouched", "tuned")], n_layer=2, n_head=2, dropout=0.0))
    vector_to_parameters(_weights(artifacts, name, model), model.parameters())
    return model.eval()


def _lists(seed: int) -> Tensor:
    draws = torch.Generator().manual_seed(seed)
    people, things = (torch.randperm(16, generator=draws).view(4, 4) for _ in range(2))
    found = torch.empty(4, 16, dtype=torch.long)
    for one in range(4):
        for group in range(4):
            found[one, people[group]] = things[group].roll(int(TURNS[group, one]))
    return found


def _lines(artifacts: Artifacts, named: bool) -> Tensor:
    """New lines of pairs from the run's lists, (TESTS, 1 + 2 · SHOTS)."""
    draws, planted = torch.Generator().manual_seed(artifacts.seed + BEYOND), _lists(artifacts.seed)
    which = torch.randint(4, (TESTS,), generator=draws)
    people = torch.rand(TESTS, 16, generator=draws).argsort(dim=1)[:, :SHOTS]
    things = planted[which].gather(1, people)
    first = NAMES + which if named else torch.full_like(which, LIST)
    pairs = torch.stack([people + PEOPLE, things + THINGS], dim=-1).flatten(1)
    return torch.cat([first[:, None], pairs], dim=1)


@torch.no_grad()
def _shots(model: GPT, rows: Tensor) -> list[float]:
    """The share of right answers after 0, 1, 2, … examples."""
    best = model.logits(model.hidden(rows))[:, 1:-1:2].argmax(dim=-1)
    shares: list[float] = (best == rows[:, 2::2]).double().mean(dim=0).tolist()
    return shares


@metric("name_gain")
def name_gain(artifacts: Artifacts) -> float:
    """Zero-shot accuracy with the list's name in front, minus without."""
    model = _language_model(artifacts, "large")
    return _shots(model, _lines(artifacts, True))[0] - _shots(model, _lines(artifacts, False))[0]


@metric("tldr_gain")
def tldr_gain(artifacts: Artifacts) -> float:
    """The share of exact summaries after TL;DR:, minus after Source:. A text is written greedily as it stands if each of its tokens is likeliest."""
    model = _language_model(artifacts, "large")
    draws = torch.Generator().manual_seed(artifacts.seed + BEYOND)
    summed = sorted({word for topic in TOPICS for word in topic.split()})
    summaries = torch.tensor(
        [([SUMMED + summed.index(word) for word in topic.split()] + [END, END])[:3] for topic in TOPICS]
    )  # (8, 3)
    topics = torch.randint(8, (TESTS,), generator=draws)
    own = 6 * topics[:, None] + torch.randint(6, (TESTS, 10), generator=draws)
    other = torch.randint(48, (TESTS, 10), generator=draws)
    words = WORDS - 48 + torch.where(torch.rand(TESTS, 10, generator=draws) < 0.6, own, other)
    start, shares = torch.full((TESTS, 1), START), []
    for mark in (TLDR, SOURCE):
        rows = torch.cat([start, words, torch.full((TESTS, 1), mark), summaries[topics]], dim=1)  # (TESTS, 15)
        with torch.no_grad():
            best = model.logits(model.hidden(rows))[:, 11:14].argmax(dim=-1)  # (TESTS, 3)
        after = (rows[:, 12:14] == END).cummax(dim=1).values  # nothing counts after <end>
        ended = torch.cat([start == END, after], dim=1)  # (TESTS, 3)
        shares.append(float(((best == rows[:, 12:]) | ended).all(dim=1).double().mean()))
    return shares[0] - shares[1]


def _gain(model: GPT, rows: Tensor) -> float:
    shares = _shots(model, rows)
    return shares[-1] - shares[0]


@metric("shots_gain")
def shots_gain(artifacts: Artifacts) -> float:
    """Accuracy after six examples minus after none."""
    return _gain(_language_model(artifacts, "large"), _lines(artifacts, False))


@metric("right_examples_gain")
def right_examples_gain(artifacts: Artifacts) -> float:
    """Accuracy after six right examples minus after six with random things."""
    model, rows = _language_model(artifacts, "large"), _lines(artifacts, False)
    wrong, draws = rows.clone(), torch.Generator().manual_seed(artifacts.seed + BEYOND + 1)
    wrong[:, 2:-1:2] = THINGS + torch.randint(16, (TESTS, SHOTS - 1), generator=draws)
    return _shots(model, rows)[-1] - _shots(model, wrong)[-1]


@metric("size_gain")
def size_gain(artifacts: Artifacts) -> float:
    """What six examples add to the large model minus what they add to the small one."""
    rows = _lines(artifacts, False)
    return _gain(_language_model(artifacts, "large"), rows) - _gain(_language_model(artifacts, "small"), rows)


@metric("moved_by_tuning")
def moved_by_tuning(artifacts: Artifacts) -> float:
    """The share of weights that one step of training moves minus the share that all prompts together move."""
    before = _weights(artifacts, "untouched", _language_model(artifacts, "large"))
    prompted, tuned = artifacts.tensor("large", ndim=1).float(), artifacts.tensor("tuned", ndim=1).float()
    if len(tuned) != len(before):
        raise BadArtifact(f"the tensor 'tuned' has {len(tuned)} numbers, expected {len(before)}")
    return float((tuned != before).double().mean() - (prompted != before).double().mean())


@functools.cache
def _vocabulary() -> dict[str, int]:
    words = sorted({word for sentence in World("en", seed=0).corpus(40_000) for word in sentence})
    return {word: number for number, word in enumerate([*words, "."], start=1)}


@metric("karma_gain")
def karma_gain(artifacts: Artifacts) -> float:
    """Loss on clean text of the reader of a random part, minus that of the reader of what the votes kept."""
    rows, place = artifacts.tensor("readers", ndim=2), _vocabulary()
    documents = World("en", seed=artifacts.seed + BEYOND).documents(6000)
    ids = [place.get(word, 0) for one in documents for sentence in one.sentences for word in (*sentence.tokens(), ".")]
    text = torch.tensor(ids[: len(ids) // 24 * 24]).view(-1, 24)  # (texts, 24)
    losses = []
    for row in rows:
        model = GPT(GPTConfig(len(place) + 1, 24, 32, n_layer=1, n_head=2, dropout=0.0))
        expected = sum(parameter.numel() for parameter in model.parameters())
        if tuple(rows.shape) != (2, expected):
            raise BadArtifact(f"the tensor 'readers' has shape {tuple(rows.shape)}, expected {(2, expected)}")
        vector_to_parameters(row.float(), model.parameters())
        with torch.no_grad():
            losses.append(float(model.eval()(text)))
    return losses[1] - losses[0]
