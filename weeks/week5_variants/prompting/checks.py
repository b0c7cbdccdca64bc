"""prompting: the public checks. Expected values are written out or counted by hand, or come from closed forms."""

import math
from typing import Any

import torch
from torch import Tensor

from etude.lesson.checks import Mismatch, claim, close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain


def numbers(value: Any, given: str) -> list[int]:
    """Whole numbers of the student's in a row, whatever holds them."""
    try:
        found = [plain(one.item() if hasattr(one, "item") else one) for one in value]
    except TypeError:
        raise Mismatch("a row of whole numbers was expected", given=given, actual=value) from None
    true(all(type(one) is int for one in found), "whole numbers were expected", given=given, actual=found)
    return found


# conversation
@exercise("conversation")
def test_a_document_one_turn_and_the_new_question(student: Student) -> None:
    found = student.conversation("Anna lives in Lima.", [("Who lives there?", "Anna")], "Where is it?")
    expected = "Anna lives in Lima.\nQ: Who lives there?\nA: Anna\nQ: Where is it?\nA:"
    equal(found, expected, given="a document, one turn, a question")


@exercise("conversation")
def test_turns_stay_in_their_order(student: Student) -> None:
    found = student.conversation(
        "눈이 온다.", [("뭐가 오나?", "눈"), ("언제?", "지금"), ("왜?", "겨울이라서")], "정말?"
    )
    expected = "눈이 온다.\nQ: 뭐가 오나?\nA: 눈\nQ: 언제?\nA: 지금\nQ: 왜?\nA: 겨울이라서\nQ: 정말?\nA:"
    equal(found, expected, given="a document, three turns, a question")


@exercise("conversation", points=0.5, needs="test_a_document_one_turn_and_the_new_question")
def test_the_first_question_has_no_turns_before_it(student: Student) -> None:
    found = student.conversation("Anna sings.", [], "Who sings?")
    equal(found, "Anna sings.\nQ: Who sings?\nA:", given="a document, no turns, a question")


# few_shot
@exercise("few_shot")
def test_two_examples_stand_between_description_and_question(student: Student) -> None:
    examples = [("sea otter", "loutre de mer"), ("peppermint", "menthe poivrée")]
    found = student.few_shot("Translate English to French:", examples, "cheese", " => ")
    lines = ["Translate English to French:", "sea otter => loutre de mer", "peppermint => menthe poivrée", "cheese =>"]
    equal(found, "\n".join(lines), given="a description, two examples, the question cheese, between them ' => '")


@exercise("few_shot")
def test_without_a_description_the_examples_come_first(student: Student) -> None:
    found = student.few_shot("", [("I see.", "Je vois.")], "I go.", " = ")
    equal(found, "I see. = Je vois.\nI go. =", given="no description, one example, between them ' = '")


@exercise("few_shot")
def test_zero_shots_are_description_and_question(student: Student) -> None:
    found = student.few_shot("Say it in Korean:", [], "snow", ": ")
    equal(found, "Say it in Korean:\nsnow:", given="a description, no example, between them ': '")


@exercise("few_shot", points=0.5, needs="test_two_examples_stand_between_description_and_question")
def test_only_a_blank_may_stand_between(student: Student) -> None:
    found = student.few_shot("owns:", [("ann", "cat")], "ben", " ")
    equal(found, "owns:\nann cat\nben", given="a description, one example, between them one blank")


# answer_scores
def logits_of(*rows: list[float]) -> Tensor:
    """Probabilities at each place as logits, (N, V); another constant is added at each place, which changes nothing."""
    return torch.stack([torch.tensor(row).log() + place - 3.0 for place, row in enumerate(rows)])


@exercise("answer_scores")
def test_a_token_is_scored_at_the_place_before_it(student: Student) -> None:
    logits = logits_of([0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.5, 0.25, 0.25])[None]
    found = student.answer_scores(logits, torch.tensor([[0, 1, 2]]), torch.tensor([2]), torch.tensor([3]))
    given = "the tokens 0, 1, 2, the answer is the last; at the place before it token 2 has probability .6"
    close(found, [math.log(0.6)], given=given)


@exercise("answer_scores")
def test_the_answers_tokens_are_added_and_the_prompts_are_not(student: Student) -> None:
    rows = [[0.5, 0.5], [0.9, 0.1], [0.8, 0.2], [0.25, 0.75], [0.5, 0.5]]
    tokens = torch.tensor([[1, 1, 0, 1, 1]])
    found = student.answer_scores(logits_of(*rows)[None], tokens, torch.tensor([2]), torch.tensor([5]))
    given = "five tokens, the answer has three, with the probabilities .9, .2 and .75"
    close(found, [math.log(0.9 * 0.2 * 0.75)], given=given)


@exercise("answer_scores")
def test_padding_after_an_answer_does_not_count(student: Student) -> None:
    rows = [[0.5, 0.5], [0.9, 0.1], [0.2, 0.8], [0.4, 0.6]]
    logits = torch.stack([logits_of(*rows), logits_of(*rows)])  # (2, 4, 2)
    tokens = torch.tensor([[0, 0, 1, 1], [0, 1, 0, 0]])
    found = student.answer_scores(logits, tokens, torch.tensor([2, 1]), torch.tensor([4, 2]))
    given = "two texts: answers from 2 to 4 (.1 and .8) and from 1 to 2 (.5); the second has padding after it"
    close(found, [math.log(0.1 * 0.8), math.log(0.5)], given=given)


@exercise("answer_scores", points=0.5, needs="test_a_token_is_scored_at_the_place_before_it")
def test_huge_logits_are_no_problem(student: Student) -> None:
    logits = torch.tensor([[[0.0, 1000.0], [1000.0, 0.0], [0.0, 0.0]]])
    found = student.answer_scores(logits, torch.tensor([[0, 1, 1]]), torch.tensor([1]), torch.tensor([3]))
    close(
        found, [-1000.0], given="logits of 0 and 1000; the answer's two tokens have the log-probabilities 0 and −1000"
    )


# pick
SCORES = torch.tensor([[0.2, 0.05, 0.04], [0.01, 0.02, 0.5]]).log()
LENGTHS = torch.tensor([[1, 3, 1], [2, 5, 1]])
ALONE = torch.tensor([[0.5, 0.05, 0.01], [0.1, 0.001, 0.2]]).log()
WHAT = "two questions of three candidates"


@exercise("pick")
def test_by_sum_the_likeliest_answer_wins(student: Student) -> None:
    given = f"{WHAT}, with the probabilities (.2, .05, .04) and (.01, .02, .5), by sum"
    equal(numbers(student.pick(SCORES, LENGTHS, ALONE, "sum"), given), [0, 2], given=given)


@exercise("pick")
def test_by_token_the_mean_of_a_token_counts(student: Student) -> None:
    # log p / n: −1.61, −1.00, −3.22; −2.30, −0.78, −0.69
    given = (
        f"{WHAT}, with the probabilities (.2, .05, .04) and (.01, .02, .5), 1, 3, 1 and 2, 5, 1 tokens long, by token"
    )
    equal(numbers(student.pick(SCORES, LENGTHS, ALONE, "token"), given), [1, 2], given=given)


@exercise("pick")
def test_alone_asks_how_much_likelier_the_prompt_makes_it(student: Student) -> None:
    # ratios: .4, 1, 4; .1, 20, 2.5
    given = f"{WHAT}: (.2, .05, .04) and (.01, .02, .5) after the prompt, (.5, .05, .01) and (.1, .001, .2) without, by alone"
    equal(numbers(student.pick(SCORES, LENGTHS, ALONE, "alone"), given), [2, 1], given=given)


# accuracy_by_shots
def saying(said: list[list[int]], values: int = 9) -> Tensor:
    """Logits (B, N, V) in which the likeliest next token at each place is the one that is said there."""
    return torch.nn.functional.one_hot(torch.tensor(said), values).float() * 4 - 1


@exercise("accuracy_by_shots")
def test_each_number_of_examples_has_its_own_share(student: Student) -> None:
    tokens = torch.tensor([[8, 1, 2, 3, 4, 5, 6]] * 4)  # the answers are 2, 4, 6
    said = [[7, 2, 7, 4, 7, 6, 7], [7, 2, 7, 4, 7, 0, 7], [7, 2, 7, 0, 7, 0, 7], [7, 0, 7, 0, 7, 0, 7]]
    found = student.accuracy_by_shots(saying(said), tokens)
    close(found, [0.75, 0.5, 0.25], given="four texts of three pairs; 3, 2 and 1 of the texts have the answer right")


@exercise("accuracy_by_shots")
def test_an_answer_is_predicted_at_its_question(student: Student) -> None:
    tokens = torch.tensor([[8, 1, 2, 3, 4]])
    given = "one text, 8 1 2 3 4; what is said at places 0 to 4 is"
    close(student.accuracy_by_shots(saying([[1, 2, 3, 4, 0]]), tokens), [1.0, 1.0], given=f"{given} 1 2 3 4 0")
    close(student.accuracy_by_shots(saying([[8, 1, 2, 3, 4]]), tokens), [0.0, 0.0], given=f"{given} 8 1 2 3 4")
    close(student.accuracy_by_shots(saying([[1, 0, 3, 0, 0]]), tokens), [0.0, 0.0], given=f"{given} 1 0 3 0 0")


# ideal_reader
LISTS = torch.tensor([[0, 1, 5], [0, 2, 5], [4, 1, 3], [0, 3, 3]])  # owns, likes, draws, fears: of ann, ben, cleo
NONE = torch.empty(0, dtype=torch.long)
FOUR = "the lists (0, 1, 5), (0, 2, 5), (4, 1, 3), (0, 3, 3)"


@exercise("ideal_reader")
def test_lists_that_contradict_an_example_are_out(student: Student) -> None:
    given = f"{FOUR}; the example 0 → 0, the question 1"
    found = student.ideal_reader(LISTS, torch.tensor([0]), torch.tensor([0]), 1, 6)
    close(found, [0, 1 / 3, 1 / 3, 1 / 3, 0, 0], given=given)


@exercise("ideal_reader")
def test_without_examples_all_lists_count(student: Student) -> None:
    given = f"{FOUR}; no examples, the question 0"
    close(student.ideal_reader(LISTS, NONE, NONE, 0, 6), [3 / 4, 0, 0, 0, 1 / 4, 0], given=given)


@exercise("ideal_reader")
def test_a_list_must_agree_with_every_example(student: Student) -> None:
    given = f"{FOUR}; the examples 0 → 0 and 1 → 1, the question 2"
    found = student.ideal_reader(LISTS, torch.tensor([0, 1]), torch.tensor([0, 1]), 2, 6)
    close(found, [0, 0, 0, 0, 0, 1], given=given)


@exercise("ideal_reader", points=0.5, needs="test_lists_that_contradict_an_example_are_out")
def test_if_no_list_agrees_none_is_ruled_out(student: Student) -> None:
    given = f"{FOUR}; the example 0 → 2, which no list has, the question 2"
    found = student.ideal_reader(LISTS, torch.tensor([0]), torch.tensor([2]), 2, 6)
    close(found, [0, 0, 0, 1 / 2, 0, 1 / 2], given=given)


# web_text
A, B, C = "https://one.example/a", "https://two.example/b", "http://three.example/c"


@exercise("web_text")
def test_three_karma_are_enough_and_two_are_not(student: Student) -> None:
    found = student.web_text([(A, 3), (B, 2), (C, 40)], 3, {"wikipedia.org"})
    equal(list(found), [A, C], given="three pages with 3, 2 and 40 karma; at least 3")


@exercise("web_text")
def test_a_page_is_kept_once(student: Student) -> None:
    found = student.web_text([(A, 5), (B, 9), (A, 7)], 3, {"wikipedia.org"})
    equal(list(found), [A, B], given="a page posted with 5, another with 9, the first again with 7 karma")


@exercise("web_text")
def test_the_posts_of_a_page_are_not_added_up(student: Student) -> None:
    found = student.web_text([(A, 2), (B, 1), (A, 2), (B, 4), (C, 3)], 3, {"wikipedia.org"})
    given = "a page posted twice with 2 karma, one with 1 and then 4, one with 3"
    equal(list(found), [B, C], given=given)


@exercise("web_text")
def test_wikipedia_and_its_parts_are_left_out(student: Student) -> None:
    posts = [("https://en.wikipedia.org/wiki/GPT", 50), (A, 4), ("https://wikipedia.org/", 9)]
    found = student.web_text(posts, 3, {"wikipedia.org"})
    equal(
        list(found), [A], given="en.wikipedia.org/wiki/GPT, one.example/a and wikipedia.org, all with 4 karma or more"
    )


@exercise("web_text", points=0.5, needs="test_wikipedia_and_its_parts_are_left_out")
def test_a_site_that_only_sounds_like_it_is_kept(student: Student) -> None:
    posts = [("https://notwikipedia.org/a", 3), ("https://one.example/why-wikipedia.org", 3)]
    found = student.web_text(posts, 3, {"wikipedia.org"})
    equal(list(found), [address for address, _ in posts], given="notwikipedia.org/a and one.example/why-wikipedia.org")


# training_cost
def cost(student: Student, given: str, *sizes: int) -> tuple[float, float]:
    """The student's parameters and FLOPs, as numbers."""
    found = student.training_cost(*sizes)
    try:
        parameters, flops = found
        return float(parameters), float(flops)
    except (TypeError, ValueError):
        raise Mismatch("two numbers were expected: parameters, FLOPs", given=given, actual=found) from None


@exercise("training_cost")
def test_a_model_of_width_one_counted_by_hand(student: Student) -> None:
    # 5 words and 3 positions: 8; the layer: 4 + 4, 8 + 5, 4: 25; the last norm: 2
    given = "one layer of width 1, 5 words, 3 positions"
    close(cost(student, given, 1, 1, 5, 3, 10)[0], 35.0, given=f"{given}: parameters", rtol=1e-12)
    close(cost(student, given, 2, 1, 5, 3, 10)[0], 60.0, given="the same with two layers: parameters", rtol=1e-12)


@exercise("training_cost")
def test_the_smallest_gpt2_has_124_million(student: Student) -> None:
    given = "12 layers of width 768, 50,257 words, 1,024 positions: parameters"
    close(cost(student, given, 12, 768, 50_257, 1024, 1)[0], 124_439_808.0, given=given, rtol=1e-12)


@exercise("training_cost")
@claim("gpt3-flops")
def test_gpt3_takes_314_sextillion_flops(student: Student) -> None:
    given = "96 layers of width 12,288, 50,257 words, 2,048 positions, 300 billion tokens"
    flops = cost(student, given, 96, 12_288, 50_257, 2048, 300 * 10**9)[1]
    close(flops, 3.14e23, given=f"{given}: FLOPs, to the three digits that the paper prints", rtol=2e-3)
