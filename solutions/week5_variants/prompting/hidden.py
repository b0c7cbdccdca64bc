"""prompting: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import math
from fractions import Fraction
from typing import Any

import torch
from hypothesis.strategies import DrawFn, composite, integers, lists, permutations, sampled_from, tuples
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


def kind(value: Any) -> str:
    """The type of a tensor's numbers, or what else it is."""
    return str(getattr(value, "dtype", type(value).__name__))


# conversation
# Texts with blanks at their ends, signs that templates read, an accent of its own.
AS_GIVEN = [
    "  a  b ",
    "5 %% of {{question}}",
    "a {question}",
    "The QUESTION in the DOCUMENT",
    "Cafe\u0301",
    "A:",
    " ",
    "\t",
    "\n",
    "a\r\n\n b\n",
    "Q: a\nA: b",
]
ENDS = sampled_from(
    ["ann  ", "a", " b", "", " ", "눈 ", "x =", "x = "]
)  # what is lost where more blanks go than should
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


@exercise("conversation", points=0.5, needs="test_a_document_one_turn_and_the_new_question")
def test_texts_stand_as_they_are(student: Student) -> None:
    for text in AS_GIVEN:
        found = student.conversation(text, [(text, text)], text)
        expected = f"{text}\nQ: {text}\nA: {text}\nQ: {text}\nA:"
        equal(found, expected, given=f"a document, one turn, a question, each of them {text!r}")


@exercise("conversation", points=0.5, needs="test_a_document_one_turn_and_the_new_question")
@for_all(
    document=inputs.texts(),
    turns=lists(tuples(inputs.texts(3).filter(len), inputs.texts(3).filter(len)), max_size=3),
    question=inputs.texts(3).filter(len),
)
def test_any_signs_and_an_empty_document_keep_their_place(
    student: Student, document: str, turns: list[tuple[str, str]], question: str
) -> None:
    said = [line for asked, answered in turns for line in (f"Q: {asked}", f"A: {answered}")]
    equal(student.conversation(document, turns, question), "\n".join([document, *said, f"Q: {question}", "A:"]))


@exercise("conversation", points=0.5, needs="test_a_document_one_turn_and_the_new_question")
def test_a_document_keeps_its_paragraphs(student: Student) -> None:
    found = student.conversation("Anna sings.\n\nBen sleeps.", [("Who sings?", "Anna")], "And Ben?")
    expected = "Anna sings.\n\nBen sleeps.\nQ: Who sings?\nA: Anna\nQ: And Ben?\nA:"
    equal(found, expected, given="a document with an empty line, one turn, a question")


@exercise("conversation", points=0.5, needs="test_turns_stay_in_their_order")
def test_a_turn_may_have_an_empty_answer(student: Student) -> None:
    found = student.conversation("Anna sings.", [("Why?", ""), ("Who?", "Anna")], "What?")
    expected = "Anna sings.\nQ: Why?\nA: \nQ: Who?\nA: Anna\nQ: What?\nA:"
    bare = expected.replace("A: \n", "A:\n")
    equal(found, bare if found == bare else expected, given="a document, two turns of which the first has no answer")


@exercise("conversation", points=0.5, needs="test_turns_stay_in_their_order")
def test_a_long_conversation_is_there_whole(student: Student) -> None:
    turns = [(f"Who is {number}?", f"Ben {number}") for number in range(130)]
    lines = "".join(f"Q: Who is {number}?\nA: Ben {number}\n" for number in range(130))
    expected = f"Anna sings.\n{lines}Q: And Ben?\nA:"
    equal(
        student.conversation("Anna sings.", turns, "And Ben?"), expected, given="a document, 130 turns, a question"
    )


@exercise("conversation", points=0.5, needs="test_turns_stay_in_their_order")
def test_what_was_asked_before_may_be_asked_again(student: Student) -> None:
    turns = [("Why?", "so"), ("Why?", "no"), ("Who?", "so"), ("Why?", "so")]
    said = "".join(f"Q: {asked}\nA: {answered}\n" for asked, answered in turns)
    found = student.conversation("Why?", turns, "Why?")
    equal(found, f"Why?\n{said}Q: Why?\nA:", given=f"the document Why?, the turns {turns}, the question Why?")


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


@exercise("few_shot", points=0.5, needs="test_two_examples_stand_between_description_and_question")
def test_descriptions_examples_and_questions_stand_as_they_are(student: Student) -> None:
    for text in AS_GIVEN:
        found = student.few_shot(text, [(text, text)], text, " => ")
        given = f"a description, one example, a question, each of them {text!r}, between them ' => '"
        equal(found, f"{text}\n{text} => {text}\n{text} =>", given=given)
    found = student.few_shot("", [("  a", "b")], "c", " => ")
    equal(found, "  a => b\nc =>", given="no description, one example that begins with blanks, between them ' => '")


@exercise("few_shot", points=0.5, needs="test_two_examples_stand_between_description_and_question")
@for_all(
    shots=lists(tuples(ENDS, ENDS), max_size=2),
    question=ENDS,
    between=sampled_from([" ", "  ", " => ", "", " =>  ", "=> ", "  = "]),
)
def test_any_blanks_but_those_at_the_end_of_between_stay(
    student: Student, shots: list[tuple[str, str]], question: str, between: str
) -> None:
    bare = between
    while bare.endswith(" "):
        bare = bare[:-1]
    lines = [f"{asked}{between}{answered}" for asked, answered in shots]
    equal(student.few_shot("", shots, question, between), "\n".join([*lines, f"{question}{bare}"]))


@exercise("few_shot", points=0.5, needs="test_two_examples_stand_between_description_and_question")
@for_all(
    description=inputs.texts(3) | sampled_from([" ", "\n", "\t "]),
    shots=lists(tuples(inputs.texts(3), inputs.texts(3)), max_size=3),
    question=inputs.texts(3),
    between=sampled_from([" ", " => ", "는 ", "=", "\tis ", "\n= "]),
)
def test_descriptions_of_blanks_take_a_line_and_any_signs_stay(
    student: Student, description: str, shots: list[tuple[str, str]], question: str, between: str
) -> None:
    first = description + "\n" if description != "" else ""
    said = "".join(f"{asked}{between}{answered}\n" for asked, answered in shots)
    bare = between[:-1] if between[-1] == " " else between
    equal(student.few_shot(description, shots, question, between), f"{first}{said}{question}{bare}")


@exercise("few_shot", points=0.5, needs="test_two_examples_stand_between_description_and_question")
def test_any_sign_may_stand_between(student: Student) -> None:
    for sign in (" {{}} ", " {} ", " %s ", r" \1 ", " . "):
        found = student.few_shot("Go on:", [("a", "b")], "c", sign)
        equal(found, f"Go on:\na{sign}b\nc{sign[:-1]}", given=f"a description, one example, between them {sign!r}")


@exercise("few_shot", points=0.5, needs="test_two_examples_stand_between_description_and_question")
def test_a_hundred_and_twenty_examples_all_stand(student: Student) -> None:
    examples = [(str(number), str(-number)) for number in range(120)]
    expected = "".join(f"{number} = {-number}\n" for number in range(120)) + "120 ="
    equal(student.few_shot("", examples, "120", " = "), expected, given="120 examples, between them ' = '")


@exercise("few_shot", points=0.5, needs="test_two_examples_stand_between_description_and_question")
def test_an_example_may_have_an_empty_answer(student: Student) -> None:
    found = student.few_shot("", [("a", ""), ("b", "c")], "d", " => ")
    equal(found, "a => \nb => c\nd =>", given="two examples, the first without an answer, between them ' => '")


@exercise("few_shot", points=0.5, needs="test_two_examples_stand_between_description_and_question")
def test_equal_examples_are_as_many_as_they_are(student: Student) -> None:
    examples = [("a", "b"), ("a", "c"), ("a", "b"), ("d", "b")]
    found = student.few_shot("a", examples, "a", " = ")
    equal(found, "a\na = b\na = c\na = b\nd = b\na =", given=f"the description a, the examples {examples}, the question a")


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


@exercise("answer_scores", points=0.5, needs="test_padding_after_an_answer_does_not_count")
def test_an_answer_that_cannot_come_has_minus_infinity(student: Student) -> None:
    logits = torch.tensor([[[0.0, -math.inf], [0.0, 0.0], [0.0, 0.0]]] * 2)
    found = student.answer_scores(
        logits, torch.tensor([[0, 1, 0], [0, 0, 1]]), torch.tensor([1, 1]), torch.tensor([3, 3])
    )
    given = "two answers of two tokens; the first one's first token has probability 0, the second's have 1 and .5"
    close(found, [-math.inf, math.log(0.5)], given=given)


@exercise("answer_scores", points=0.5, needs="test_the_answers_tokens_are_added_and_the_prompts_are_not")
def test_a_long_answer_counts_to_its_end(student: Student) -> None:
    logits = torch.tensor([[float(place), 0.0] for place in range(12)])[None]
    found = student.answer_scores(logits, torch.ones(1, 12).long(), torch.tensor([2]), torch.tensor([11]))
    expected = sum(-math.log1p(math.exp(place)) for place in range(1, 10))
    close(found, [expected], given="an answer of nine tokens, each less likely than the one before it")


@exercise("answer_scores", points=0.5, needs="test_a_token_is_scored_at_the_place_before_it")
def test_the_scores_are_a_tensor(student: Student) -> None:
    found = student.answer_scores(
        torch.zeros(2, 2, 2), torch.ones(2, 2).long(), torch.ones(2).long(), torch.full((2,), 2)
    )
    true(kind(found).startswith("torch.float"), "a tensor of floats was expected", given="two texts", actual=found)


@exercise("answer_scores", points=0.5, needs="test_the_answers_tokens_are_added_and_the_prompts_are_not")
def test_neither_what_comes_before_nor_after_disturbs_the_answer(student: Student) -> None:
    logits = torch.tensor([[[0.0, 1e8], [0.0, 0.0], [-math.inf, -math.inf], [math.nan, 0.0], [math.inf, math.inf]]])
    found = student.answer_scores(logits, torch.tensor([[0, 0, 1, 0, 1]]), torch.tensor([2]), torch.tensor([3]))
    given = "five tokens; the prompt's has log p −10⁸, the answer's one .5; the logits of what follows are −∞, NaN, ∞"
    close(found, [math.log(0.5)], given=given)


@exercise("answer_scores", points=0.5, needs="test_the_answers_tokens_are_added_and_the_prompts_are_not")
def test_texts_answers_and_vocabularies_may_be_large(student: Student) -> None:
    logits = torch.zeros(2, 700, 2)
    given = "two texts of 700 tokens of two equally likely ones, answers of 690 and 2 tokens"
    found = student.answer_scores(logits, torch.ones(2, 700).long(), torch.tensor([10, 698]), torch.tensor([700, 700]))
    close(found, [-690 * math.log(2), -2 * math.log(2)], given=given)
    logits = torch.zeros(1, 2, 70_000)
    logits[0, 0, 69_999] = 30.0
    found = student.answer_scores(logits, torch.tensor([[0, 69_999]]), torch.tensor([1]), torch.tensor([2]))
    close(found, [0.0], given="70,000 tokens, of which the answer's, 69,999, has a logit of 30, all others 0", atol=1e-4)


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


def chosen(student: Student, rows: list[Any], way: str, expected: int) -> None:
    """One question: rows are scores, lengths, scores alone."""
    scores, lengths, alone = torch.tensor(rows[0]), torch.tensor(rows[1]), torch.tensor(rows[2])
    given = f"one question, scores {rows[0]}, lengths {rows[1]}, alone {rows[2]}, by {way}"
    equal(numbers(student.pick(scores[None], lengths[None], alone[None], way)), [expected], given=given)


@exercise("pick", points=0.5, needs="test_alone_asks_how_much_likelier_the_prompt_makes_it")
def test_probabilities_may_be_too_small_for_the_machine(student: Student) -> None:
    rows = [[-3000.0, -2000.0, -2500.0], [10, 10, 10], [-3100.0, -2300.0, -2700.0]]
    for way in ("sum", "token", "alone"):
        chosen(student, rows, way, 1)


@exercise("pick", points=0.5, needs="test_by_sum_the_likeliest_answer_wins")
def test_what_cannot_come_is_never_chosen(student: Student) -> None:
    for way in ("sum", "token", "alone"):
        chosen(student, [[-math.inf, -5.0, -7.0], [1, 1, 1], [-1.0, -1.0, -1.0]], way, 1)


@exercise("pick", points=0.5, needs="test_by_sum_the_likeliest_answer_wins")
def test_nearly_equal_scores_are_told_apart(student: Student) -> None:
    chosen(student, [[-1.004, -1.001], [1, 1], [-1.0, -1.0]], "sum", 1)
    chosen(student, [[-300.11, -300.02], [1, 1], [-1.0, -1.0]], "sum", 1)
    chosen(student, [[-3e-8, -1e-8], [1, 1], [-1.0, -1.0]], "sum", 1)
    chosen(student, [[-3e-8, -4e-8], [1, 2], [-1.0, -1.0]], "token", 1)
    chosen(student, [[-3e-8, -4e-8], [1, 1], [-5e-8, -9e-8]], "alone", 1)


@exercise("pick", points=0.5, needs="test_by_token_the_mean_of_a_token_counts")
def test_answers_may_have_hundreds_of_tokens(student: Student) -> None:
    chosen(student, [[-2500.0, -3000.0], [200, 300], [-1.0, -1.0]], "token", 1)
    chosen(student, [[-250_000.0, -300_000.0], [40_000, 60_000], [-1.0, -1.0]], "token", 1)


@exercise("pick", points=0.5, needs="test_by_sum_the_likeliest_answer_wins")
def test_questions_may_be_hundreds_and_candidates_one_or_many(student: Student) -> None:
    one = torch.tensor([[-1.0], [-2.0], [-3.0]])
    scores = -((torch.arange(60)[None] * 7 + torch.arange(400)[:, None]) % 61).float() - 1  # (400, 60)
    expected = [max(range(60), key=row.__getitem__) for row in scores.tolist()]
    for way in ("sum", "token", "alone"):
        found = numbers(student.pick(one, one.long().abs(), one / 2, way))
        equal(found, [0, 0, 0], given=f"three questions of one candidate, by {way}")
        found = numbers(student.pick(scores, torch.ones(400, 60).long(), torch.zeros(400, 60), way))
        equal(found, expected, given=f"400 questions of 60 candidates of one token, alone 0, by {way}")


@exercise("pick", points=0.5, needs="test_by_sum_the_likeliest_answer_wins")
def test_there_is_one_int64_for_each_question(student: Student) -> None:
    scores, lengths = torch.tensor([[-2.0, -1.0], [-1.0, -2.0]]), torch.ones(2, 2).long()
    found, given = student.pick(scores, lengths, scores, "sum"), "two questions of two candidates"
    equal(kind(found), "torch.int64", given=f"{given}: the type")
    close(found, [1, 0], given=given)


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


@composite
def scored_lines(draw: DrawFn) -> tuple[list[list[list[int]]], list[list[int]]]:
    """Scores (B, 1 + 2K, V), all different at each place, and tokens (B, 1 + 2K), often of few of the V."""
    texts, places, values = draw(integers(1, 3)), 1 + 2 * draw(integers(1, 3)), draw(sampled_from([2, 3, 6]))
    most = draw(integers(0, values - 1))
    tokens = [[draw(integers(0, most)) for _ in range(places)] for _ in range(texts)]
    return [[draw(permutations(range(values))) for _ in range(places)] for _ in range(texts)], tokens


@exercise("accuracy_by_shots", needs="test_each_number_of_examples_has_its_own_share")
@for_all(drawn=scored_lines(), step=sampled_from([1.0, 0.125, 300.0]), moved=sampled_from([0.0, -40.0, 5000.0]))
def test_all_tokens_compete_and_not_those_of_the_texts_alone(
    student: Student, drawn: tuple[list[list[list[int]]], list[list[int]]], step: float, moved: float
) -> None:
    scores, tokens = drawn
    pairs = range(1, len(tokens[0]), 2)
    rights = [
        [max(scores[b][place]) == scores[b][place][tokens[b][place + 1]] for place in pairs] for b in range(len(tokens))
    ]
    expected = [sum(column) / len(rights) for column in zip(*rights, strict=True)]
    close(student.accuracy_by_shots(torch.tensor(scores).float() * step + moved, torch.tensor(tokens)), expected)


@exercise("accuracy_by_shots", points=0.5, needs="test_each_number_of_examples_has_its_own_share")
def test_texts_and_tokens_may_be_many(student: Student) -> None:
    tokens, logits = torch.zeros(600, 3).long(), torch.zeros(600, 3, 4)
    tokens[:, 2], logits[..., 3] = 2 + torch.arange(600) % 2, 1.0
    given = "600 texts of one pair, the answers 2 and 3 in turn; 3 is always likeliest"
    close(student.accuracy_by_shots(logits, tokens), [0.5], given=given)
    tokens[:599, 2] = 2
    given = "600 texts of one pair, the answer 2 but in the last, where it is 3; 3 is always likeliest"
    close(student.accuracy_by_shots(logits, tokens), [1 / 600], given=given)
    tokens, logits = torch.tensor([[0, 1, 69_999], [0, 1, 4463]]), torch.zeros(2, 3, 70_000)  # 69,999 less 2¹⁶ is 4,463
    logits[..., 69_999] = 1.0
    given = "two texts of one pair, the answers 69,999 and 4,463; the first is always likeliest of 70,000 tokens"
    close(student.accuracy_by_shots(logits, tokens), [0.5], given=given)
    rare, only = torch.full((1, 3, 4), -math.inf), torch.tensor([[0, 1, 2]])
    rare[..., 2] = -3000.0
    close(student.accuracy_by_shots(rare, only), [1.0], given="one text; only its answer has a probability above 0")


@exercise("accuracy_by_shots", points=0.5, needs="test_each_number_of_examples_has_its_own_share")
def test_there_may_be_more_than_seven_pairs(student: Student) -> None:
    tokens = torch.tensor([[5, *[3, 4] * 12]] * 2)  # the answers are 4
    said = torch.full_like(tokens, 4)
    said[0, 1::4] = 0
    found = student.accuracy_by_shots(torch.nn.functional.one_hot(said, 6).float(), tokens)
    close(found, [0.5, 1.0] * 6, given="two texts of twelve pairs; one has every second answer wrong")


@exercise("accuracy_by_shots", points=0.5, needs="test_an_answer_is_predicted_at_its_question")
def test_logits_may_be_huge_or_nearly_equal(student: Student) -> None:
    tokens = torch.tensor([[2, 0, 1]])
    for row in ([500.0, 600.0, 0.0], [100.01, 100.02, 0.0], [-600.0, -500.0, -900.0]):
        found = student.accuracy_by_shots(torch.tensor([[row] * 3]), tokens)
        close(found, [1.0], given=f"one text of one pair; the logits are {row}, the answer is 1")


@exercise("accuracy_by_shots", points=0.5, needs="test_each_number_of_examples_has_its_own_share")
def test_the_shares_are_a_tensor(student: Student) -> None:
    found = student.accuracy_by_shots(torch.zeros(1, 3, 4), torch.zeros(1, 3).long())
    true(kind(found).startswith("torch.float"), "a tensor of floats was expected", given="one text", actual=found)


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


def told(
    student: Student, table: list[list[int]], examples: dict[int, int] | list[tuple[int, int]], question: int
) -> Any:
    """What the reader says of numbers below 4."""
    pairs = list(examples.items()) if isinstance(examples, dict) else examples
    asked, answered = torch.tensor([q for q, _ in pairs]).long(), torch.tensor([a for _, a in pairs]).long()
    return student.ideal_reader(torch.tensor(table), asked, answered, question, 4)


@exercise("ideal_reader", points=0.5, needs="test_a_list_must_agree_with_every_example")
def test_one_contradiction_makes_all_examples_void(student: Student) -> None:
    table, given = [[0, 1, 2], [0, 2, 3], [1, 1, 0]], "the lists (0, 1, 2), (0, 2, 3), (1, 1, 0); the examples"
    expected, asked = [1 / 3, 0, 1 / 3, 1 / 3], "the question 2"
    close(told(student, table, {0: 3, 1: 1}, 2), expected, given=f"{given} 0 → 3, which no list has, 1 → 1; {asked}")
    close(told(student, table, {1: 1, 0: 3}, 2), expected, given=f"{given} 1 → 1, 0 → 3, which no list has; {asked}")
    close(told(student, table, [(0, 0), (0, 1)], 2), expected, given=f"{given} 0 → 0 and 0 → 1; {asked}")


@exercise("ideal_reader", points=0.5, needs="test_without_examples_all_lists_count")
def test_equal_lists_are_as_many_as_they_are(student: Student) -> None:
    table, given = [[0, 1], [0, 1], [0, 2], [1, 3], [1, 3], [0, 1]], "the lists (0, 1) thrice, (0, 2), (1, 3) twice"
    close(told(student, table, {}, 1), [0, 1 / 2, 1 / 6, 1 / 3], given=f"{given}; no examples, the question 1")
    close(told(student, table, {0: 0}, 1), [0, 3 / 4, 1 / 4, 0], given=f"{given}; the example 0 → 0, the question 1")


@exercise("ideal_reader", points=0.5, needs="test_a_list_must_agree_with_every_example")
def test_each_answer_belongs_to_its_question(student: Student) -> None:
    given = "the lists (0, 1, 2), (1, 0, 3); the examples 0 → 0, 1 → 1, the question 2"
    close(told(student, [[0, 1, 2], [1, 0, 3]], {0: 0, 1: 1}, 2), [0, 0, 1, 0], given=given)


@exercise("ideal_reader", points=0.5, needs="test_a_list_must_agree_with_every_example")
def test_lists_examples_and_answers_may_be_hundreds(student: Student) -> None:
    lists_of = torch.zeros(600, 300).long()  # 600 lists of 300 questions, the last two tell them apart
    lists_of[:, 298], lists_of[:, 299] = torch.arange(600) % 2, torch.arange(600) % 3 * 500
    asked = torch.arange(299)
    answered = torch.zeros(299).long()
    expected = torch.zeros(1200).double()
    expected[[0, 500, 1000]] = 1 / 3
    given = "600 lists of 300 questions, of which 298 have one answer; 299 examples, 1,200 answers"
    close(student.ideal_reader(lists_of, asked, answered, 299, 1200), expected, given=given)
    found = student.ideal_reader(torch.arange(700)[:, None], asked[:0], answered[:0], 0, 700)
    close(found, [1 / 700] * 700, given="700 lists of one question, which has another answer in each; no examples, 700 answers")


@exercise("ideal_reader", points=0.5, needs="test_lists_that_contradict_an_example_are_out")
def test_there_may_be_one_list_or_one_question(student: Student) -> None:
    for table, words in (([[2]], "the list (2)"), ([[2], [2], [1]], "the lists (2), (2), (1)")):
        close(told(student, table, {0: 2}, 0), [0, 0, 1, 0], given=f"{words}; the example 0 → 2, the question 0")
    close(told(student, [[2]], {0: 1}, 0), [0, 0, 1, 0], given="the list (2); the example 0 → 1, which it has not; the question 0")
    close(told(student, [[1, 3]], {}, 1), [0, 0, 0, 1], given="the list (1, 3); no examples, the question 1")


@exercise("ideal_reader", points=0.5, needs="test_lists_that_contradict_an_example_are_out")
def test_the_probabilities_are_a_tensor(student: Student) -> None:
    found = told(student, [[0, 1], [1, 1]], {0: 0}, 1)
    given = "the lists (0, 1), (1, 1); the example 0 → 0"
    true(kind(found).startswith("torch.float"), "a tensor of floats was expected", given=given, actual=found)


@exercise("ideal_reader", points=0.5, needs="test_lists_that_contradict_an_example_are_out")
def test_the_only_answer_that_there_is_has_probability_1(student: Student) -> None:
    found = student.ideal_reader(torch.tensor([[0, 0], [0, 0]]), torch.tensor([0]), torch.tensor([0]), 1, 1)
    close(found, [1.0], given="the list (0, 0) twice; the example 0 → 0, the question 1; one value")


# web_text
A = "https://one.example/a"
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
    equal(student.web_text(posts, least, set(removed)), expected)


def kept(student: Student, addresses: list[str], removed: set[str], expected: list[str]) -> None:
    found = student.web_text([(address, 5) for address in addresses], 3, removed)
    equal(list(found), expected, given=f"{', '.join(addresses)}, all with 5 karma; without {', '.join(removed)}")


@exercise("web_text", points=0.5, needs="test_wikipedia_and_its_parts_are_left_out")
def test_parts_of_parts_are_left_out(student: Student) -> None:
    kept(student, ["https://en.m.wikipedia.org/wiki/GPT", "https://a.b.c.wikipedia.org/"], {"wikipedia.org"}, [])


@exercise("web_text", points=0.5, needs="test_wikipedia_and_its_parts_are_left_out")
def test_a_removed_site_may_itself_be_a_part(student: Student) -> None:
    out = ["https://news.one.example/", "https://www.news.one.example/a"]
    rest = [
        "https://one.example/",
        "https://old.one.example/",
        "https://news-one.example/",
        "https://newsxone.example/",
    ]
    kept(student, out + rest, {"news.one.example"}, rest)


@exercise("web_text", points=0.5, needs="test_wikipedia_and_its_parts_are_left_out")
def test_a_hyphen_is_part_of_a_name(student: Student) -> None:
    kept(student, ["https://not-wikipedia.org/"], {"wikipedia.org"}, ["https://not-wikipedia.org/"])


@exercise("web_text", points=0.5, needs="test_wikipedia_and_its_parts_are_left_out")
def test_the_host_ends_before_a_colon_or_a_question_mark(student: Student) -> None:
    kept(student, ["https://wikipedia.org:8080/a", A], {"wikipedia.org"}, [A])
    kept(student, ["https://en.wikipedia.org?search=a", A], {"wikipedia.org"}, [A])
    kept(student, ["https://en.wikipedia.org#a", "http://wikipedia.org", A], {"wikipedia.org"}, [A])
    rest = ["https://one.example?x=.wikipedia.org", "https://one.example#.wikipedia.org", "https://one.example/?a@wikipedia.org"]
    kept(student, rest, {"wikipedia.org"}, rest)


@exercise("web_text", points=0.5, needs="test_a_page_is_kept_once")
def test_a_page_stands_where_its_first_good_post_is(student: Student) -> None:
    one, two, three = (f"https://{name}.example/" for name in ("one", "two", "three"))
    posts = [(one, 2), (two, 5), (three, 1), (one, 4), (two, 1), (three, 3), (one, 9)]
    equal(list(student.web_text(posts, 3, set())), [two, one, three], given=f"the posts {posts}, at least 3, no site removed")


@exercise("web_text", points=0.5, needs="test_a_page_is_kept_once")
def test_addresses_that_are_written_otherwise_are_others(student: Student) -> None:
    ends = ["/ab", "/a", "/A", "/a?p=1", "/a?p=2", "/a#x", "/a/", "/"]
    addresses = [f"https://one.example{end}" for end in ends] + ["http://one.example/a"]
    kept(student, addresses, {"wikipedia.org"}, addresses)


@exercise("web_text", points=0.5, needs="test_wikipedia_and_its_parts_are_left_out")
def test_removed_pages_may_follow_each_other(student: Student) -> None:
    kept(student, [f"https://wikipedia.org/{number}" for number in range(4)] + [A], {"wikipedia.org"}, [A])


@exercise("web_text", points=0.5, needs="test_three_karma_are_enough_and_two_are_not")
def test_nought_and_less_may_be_enough(student: Student) -> None:
    posts = [("https://one.example/a", 0), ("https://one.example/b", -1), ("https://one.example/c", -2)]
    for least in (0, -1):
        found = student.web_text(posts, least, {"wikipedia.org"})
        equal(
            list(found),
            [address for address, karma in posts if karma >= least],
            given=f"0, −1, −2 karma; at least {least}",
        )


@exercise("web_text", points=0.5, needs="test_any_posts_keep_the_pages_of_brute_force")
def test_many_posts_and_many_removed_sites_all_count(student: Student) -> None:
    out, rest = ([f"https://{name}{number}.example/" for number in range(300)] for name in ("spam", "one"))
    removed = {f"spam{number}.example" for number in range(300)}
    found = student.web_text([(address, 5) for address in [*out, *rest]], 3, removed)
    given = "spam0.example to spam299.example, then one0.example to one299.example, all with 5 karma; the first 300 removed"
    equal(list(found), rest, given=given)


# training_cost
@exercise("training_cost")
@for_all(
    layers=integers(1, 3),
    width=sampled_from([1, 2, 4]),
    words=integers(1, 9),
    positions=integers(1, 9),
    tokens=sampled_from([7, 1, 0, 10**6]),
    examples=20,
)
def test_any_model_has_the_parameters_that_are_counted(
    student: Student, layers: int, width: int, words: int, positions: int, tokens: int
) -> None:
    model = GPT(GPTConfig(words, positions, width, layers, 1))
    count = sum(parameter.numel() for parameter in model.parameters())
    found = student.training_cost(layers, width, words, positions, tokens)
    true(len(found) == 2, "two numbers were expected: parameters, FLOPs", actual=found)
    close([float(one) for one in found], [float(count), 6.0 * tokens * count], rtol=1e-9)


def parameters_of(student: Student, layers: int, width: int, words: int, positions: int, given: str) -> int:
    """The student's count of parameters, which is a whole number."""
    found = student.training_cost(layers, width, words, positions, 7)
    true(hasattr(found, "__len__") and len(found) == 2, "two numbers were expected", given=given, actual=found)
    return numbers([found[0]])[0]


@exercise("training_cost", points=0.5, needs="test_the_smallest_gpt2_has_124_million")
def test_the_parameters_of_gpt3_are_a_whole_number(student: Student) -> None:
    width, given = 12_288, "96 layers of width 12,288, 50,257 words, 2,048 positions: parameters"
    with torch.device("meta"):
        layer, norm = torch.nn.TransformerEncoderLayer(width, 1, 4 * width), torch.nn.LayerNorm(width)
    one, last = (sum(parameter.numel() for parameter in module.parameters()) for module in (layer, norm))
    found = parameters_of(student, 96, width, 50_257, 2048, given)
    equal(found, (50_257 + 2048) * width + 96 * one + last, given=given)


@exercise("training_cost", points=0.5, needs="test_a_model_of_width_one_counted_by_hand")
def test_any_width_will_do(student: Student) -> None:
    model, given = GPT(GPTConfig(3, 2, 202, 1, 1)), "one layer of width 202, 3 words, 2 positions: parameters"
    count = sum(parameter.numel() for parameter in model.parameters())
    equal(parameters_of(student, 1, 202, 3, 2, given), count, given=given)


@exercise("training_cost", points=0.5, needs="test_a_model_of_width_one_counted_by_hand")
def test_nothing_stands_for_a_part_of_size_nought(student: Student) -> None:
    given = "no layer, width 2, 5 words, 3 positions: 10 + 6 + 4 parameters"
    equal(parameters_of(student, 0, 2, 5, 3, given), 20, given=given)
    given = "one layer of width 1, 5 words, no positions: 5 + 25 + 2 parameters"
    equal(parameters_of(student, 1, 1, 5, 0, given), 32, given=given)


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
