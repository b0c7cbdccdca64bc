"""prompting: classic mistakes and other right ways, for each exercise. Never released."""

from urllib.parse import urlsplit

import torch

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)

# conversation
edit("conversation", "blank-at-the-end", {'"A:"])': '"A: "])'},
     "the prompt ends with a blank: the next token brings its own", killed_by="test_a_document_one_turn_and_the_new_question")
edit("conversation", "no-open-answer", {', "A:"])': "])"},
     "the last line A: is missing, so the model may go on with anything", killed_by="test_a_document_one_turn_and_the_new_question")
edit("conversation", "question-alone", {"for asked, answered in turns:": "for asked, answered in []:"},
     "the turns before are missing: without them a later question cannot be understood",
     killed_by="test_a_document_one_turn_and_the_new_question")
edit("conversation", "no-document", {"lines = [document]": "lines = []"},
     "the document is missing", killed_by="test_a_document_one_turn_and_the_new_question")
edit("conversation", "last-turn-first", {"in turns:": "in turns[::-1]:"},
     "the turns stand in reverse order", killed_by="test_turns_stay_in_their_order")
edit("conversation", "last-turn-alone", {"in turns:": "in turns[-1:]:"},
     "only the last turn is in the prompt: all are", killed_by="test_turns_stay_in_their_order")
edit("conversation", "questions-alone", {'[f"Q: {asked}", f"A: {answered}"]': '[f"Q: {asked}"]'},
     "the answers of the turns are missing", killed_by="test_a_document_one_turn_and_the_new_question")
edit("conversation", "line-break-at-the-end", {'"A:"])': '"A:", ""])'},
     "a line break follows the last colon: nothing does", killed_by="test_a_document_one_turn_and_the_new_question")
edit("conversation", "one-line", {'"\\n".join': '" ".join'},
     "all stands in one line: each part has its own", killed_by="test_a_document_one_turn_and_the_new_question")


@mistake("conversation", "document-last", "the document stands after the turns: it comes first",
         killed_by="test_a_document_one_turn_and_the_new_question")
def conversation(document, turns, question):
    lines = [f"Q: {q}\nA: {a}" for q, a in turns]
    return "\n".join([*lines, document, f"Q: {question}", "A:"])


edit("conversation", "document-stripped", {"lines = [document]": "lines = [document.strip()]"},
     "blanks at the document's ends are cut: texts stand as they are", killed_by="test_texts_stand_as_they_are")
edit("conversation", "turns-stripped", {'f"Q: {asked}", f"A: {answered}"': 'f"Q: {asked.strip()}", f"A: {answered.strip()}"'},
     "blanks at the ends of questions and answers are cut: texts stand as they are", killed_by="test_texts_stand_as_they_are")
edit("conversation", "answers-stripped", {"{answered}": "{answered.rstrip()}"},
     "blanks at an answer's end are cut: texts stand as they are", killed_by="test_texts_stand_as_they_are")
edit("conversation", "new-question-stripped", {"{question}": "{question.strip()}"},
     "blanks at the new question's ends are cut: texts stand as they are", killed_by="test_texts_stand_as_they_are")
edit("conversation", "prompt-stripped", {'"A:"])': '"A:"]).strip()'},
     "the whole prompt is stripped, and with it the document's first blanks", killed_by="test_texts_stand_as_they_are")
edit("conversation", "no-line-for-an-empty-answer", {'lines += [f"Q: {asked}", f"A: {answered}"]': 'lines += [f"Q: {asked}"] + [f"A: {answered}"] * bool(answered)'},
     "an empty answer has no line: each turn has two", killed_by="test_a_turn_may_have_an_empty_answer")
edit("conversation", "answered-turns-alone", {"in turns:": "in [turn for turn in turns if turn[1]]:"},
     "a turn with an empty answer is left out", killed_by="test_a_turn_may_have_an_empty_answer")
edit("conversation", "paragraphs-joined", {'"A:"])': '"A:"]).replace("\\n\\n", "\\n")'},
     "empty lines of the document are taken out: it stands as it is", killed_by="test_a_document_keeps_its_paragraphs")
edit("conversation", "composed-letters", {'    return "\\n".join([*lines, f"Q: {question}", "A:"])':
     '    import unicodedata\n    return unicodedata.normalize("NFC", "\\n".join([*lines, f"Q: {question}", "A:"]))'},
     "letters and their accents are joined: texts stand as they are", killed_by="test_texts_stand_as_they_are")
edit("conversation", "document-as-a-template", {'[*lines, f"Q: {question}", "A:"])': '[*lines, "Q: {question}", "A:"]).format(question=question)'},
     "the document is read as a template: braces in it are signs like others", killed_by="test_texts_stand_as_they_are")
edit("conversation", "document-with-percents", {'[*lines, f"Q: {question}", "A:"])': '[*lines, "Q: %s", "A:"]) % question'},
     "the document is read as a template: a percent sign in it is a sign like others", killed_by="test_texts_stand_as_they_are")
edit("conversation", "words-replaced", {'return "\\n".join([*lines, f"Q: {question}", "A:"])':
     'return "\\n".join([*lines, "Q: QUESTION", "A:"]).replace("QUESTION", question)'},
     "the question takes the place of a word, also where a text holds that word", killed_by="test_texts_stand_as_they_are")
edit("conversation", "placeholders-replaced", {'[*lines, f"Q: {question}", "A:"])': '[*lines, "Q: {question}", "A:"]).replace("{question}", question)'},
     "a text that holds the name of a placeholder is replaced as well", killed_by="test_texts_stand_as_they_are")

edit("conversation", "no-line-for-an-empty-document", {"lines = [document]": "lines = [document] if document else []"},
     "an empty document takes no line: its line is there and empty", killed_by="test_any_signs_and_an_empty_document_keep_their_place")
edit("conversation", "no-line-for-a-document-of-blanks", {"lines = [document]": "lines = [document] if document.strip() else []"},
     "a document of blanks alone takes no line", killed_by="test_any_signs_and_an_empty_document_keep_their_place")
edit("conversation", "lines-of-the-document-anew", {"lines = [document]": "lines = document.splitlines()"},
     "the document is cut into lines and joined anew: its own ends of lines are lost",
     killed_by="test_any_signs_and_an_empty_document_keep_their_place")


edit("conversation", "turns-in-a-dict", {"in turns:": "in dict(turns).items():"},
     "a question that was asked twice is kept once", killed_by="test_what_was_asked_before_may_be_asked_again")


@alternative("conversation", "string")
def conversation(document, turns, question):
    text = document + "\n"
    for q, a in turns:
        text += "Q: " + q + "\n" + "A: " + a + "\n"
    return text + "Q: " + question + "\nA:"


@alternative("conversation", "open-turn")
def conversation(document, turns, question):
    every = list(turns) + [(question, None)]
    return document + "".join(f"\nQ: {q}\nA:" + ("" if a is None else f" {a}") for q, a in every)


# few_shot
edit("few_shot", "blank-at-the-end", {"between.rstrip()": "between"},
     "the prompt ends with a blank: the next token brings its own",
     killed_by="test_two_examples_stand_between_description_and_question")
edit("few_shot", "between-stripped-everywhere", {"asked + between + answered": "asked + between.strip() + answered", "between.rstrip()": "between.strip()"},
     "the blanks around the sign are gone everywhere: only those at the prompt's end go",
     killed_by="test_two_examples_stand_between_description_and_question")
edit("few_shot", "empty-first-line", {"[description] if description else []": "[description]"},
     "without a description the prompt begins with an empty line", killed_by="test_without_a_description_the_examples_come_first")
edit("few_shot", "nothing-open", {"question + between.rstrip()": "question"},
     "the sign after the open question is missing: it is what asks for an answer",
     killed_by="test_two_examples_stand_between_description_and_question")
edit("few_shot", "one-shot", {"in examples]": "in examples[:1]]"},
     "only the first example is in the prompt", killed_by="test_two_examples_stand_between_description_and_question")
edit("few_shot", "description-last", {"lines = [description] if description else []\n": "lines = []\n", "[*lines, question": "[*lines, *([description] if description else []), question"},
     "the description stands after the examples: it comes first",
     killed_by="test_two_examples_stand_between_description_and_question")
edit("few_shot", "arrow-in-the-code", {"asked + between + answered": 'asked + " => " + answered', "between.rstrip()": '" =>"'},
     "the sign is always =>: it is an argument", killed_by="test_without_a_description_the_examples_come_first")
edit("few_shot", "both-ends", {"between.rstrip()": "between.strip()"},
     "the blank before the last sign is gone too: it stands in every example",
     killed_by="test_two_examples_stand_between_description_and_question")
edit("few_shot", "answers-first", {"asked + between + answered": "answered + between + asked"},
     "the answer stands before its question", killed_by="test_two_examples_stand_between_description_and_question")
edit("few_shot", "blank-lines", {'"\\n".join': '"\\n\\n".join'},
     "there is an empty line between the lines", killed_by="test_two_examples_stand_between_description_and_question")


edit("few_shot", "description-stripped", {"lines = [description] if": "lines = [description.strip()] if"},
     "blanks at the description's ends are cut: it stands as it is", killed_by="test_descriptions_examples_and_questions_stand_as_they_are")
edit("few_shot", "examples-stripped", {"asked + between + answered": "asked.strip() + between + answered.strip()"},
     "blanks at the ends of examples are cut: they stand as they are", killed_by="test_descriptions_examples_and_questions_stand_as_they_are")
edit("few_shot", "question-stripped", {"question + between.rstrip()": "question.strip() + between.rstrip()"},
     "blanks at the question's ends are cut: it stands as it is", killed_by="test_descriptions_examples_and_questions_stand_as_they_are")
edit("few_shot", "end-of-the-question-stripped", {"question + between.rstrip()": "question.rstrip() + between.rstrip()"},
     "blanks at the question's end are cut: only those of `between` go", killed_by="test_descriptions_examples_and_questions_stand_as_they_are")
edit("few_shot", "question-and-between-stripped-together", {"question + between.rstrip()": "(question + between).rstrip()"},
     "blanks are cut where `between` has none but blanks, too: the question's own stay",
     killed_by="test_any_blanks_but_those_at_the_end_of_between_stay")
edit("few_shot", "as-many-blanks-as-between", {"question + between.rstrip()": "(question + between.rstrip()).rstrip() if not between.strip() else question + between.rstrip()"},
     "with blanks alone between, the question's own are cut", killed_by="test_any_blanks_but_those_at_the_end_of_between_stay")
edit("few_shot", "prompt-stripped", {"between.rstrip()])": "between]).strip()"},
     "blanks at the prompt's beginning are cut: only those at its end go", killed_by="test_descriptions_examples_and_questions_stand_as_they_are")
edit("few_shot", "missing-line-stripped", {"[description] if description else []": "[description]", "between.rstrip()])": "between.rstrip()]).lstrip()"},
     "with the missing description the first example's blanks are cut", killed_by="test_descriptions_examples_and_questions_stand_as_they_are")
edit("few_shot", "sign-as-a-template", {"asked + between + answered": '("{}" + between + "{}").format(asked, answered)'},
     "the sign is read as a template: braces in it are signs like others", killed_by="test_any_sign_may_stand_between")
edit("few_shot", "hundred-examples", {"in examples]": "in examples[:100]]"},
     "only the first 100 examples are in the prompt: all are", killed_by="test_a_hundred_and_twenty_examples_all_stand")
edit("few_shot", "ten-examples", {"in examples]": "in examples[:10]]"},
     "only the first ten examples are in the prompt: all are", killed_by="test_a_hundred_and_twenty_examples_all_stand")
edit("few_shot", "answered-examples-alone", {"in examples]": "in examples if answered]"},
     "an example with an empty answer is left out", killed_by="test_an_example_may_have_an_empty_answer")

edit("few_shot", "no-line-for-blanks", {"[description] if description else []": "[description] if description.strip() else []"},
     'a description of blanks alone takes no line: only "" takes none',
     killed_by="test_descriptions_of_blanks_take_a_line_and_any_signs_stay")


edit("few_shot", "equal-examples-once", {"in examples]": "in dict.fromkeys(examples)]"},
     "equal examples are kept once", killed_by="test_equal_examples_are_as_many_as_they_are")


@alternative("few_shot", "string")
def few_shot(description, examples, question, between):
    text = ""
    if description != "":
        text += description + "\n"
    for q, a in examples:
        text += f"{q}{between}{a}\n"
    return f"{text}{question}" + between.rstrip(" ")


@alternative("few_shot", "filter")
def few_shot(description, examples, question, between):
    parts = [description] * bool(description) + [between.join(pair) for pair in examples]
    parts.append(question + between.rstrip(" "))
    return "\n".join(parts)


# answer_scores
edit("answer_scores", "same-place", {"logits[:, :-1].log_softmax(dim=-1)": "logits[:, 1:].log_softmax(dim=-1)"},
     "a token is scored at its own place, where the model has already read it: read the place before",
     killed_by="test_a_token_is_scored_at_the_place_before_it")
edit("answer_scores", "one-early", {"torch.arange(1, tokens.size(1), device": "torch.arange(tokens.size(1) - 1, device"},
     "the answer is taken one token too late: entry i of the log-probabilities belongs to token i + 1",
     killed_by="test_a_token_is_scored_at_the_place_before_it")
edit("answer_scores", "prompt-too", {"(places >= starts[:, None]) & ": ""},
     "the prompt's tokens are counted: only the answer's are", killed_by="test_a_token_is_scored_at_the_place_before_it")
edit("answer_scores", "padding-too", {" & (places < ends[:, None])": ""},
     "what stands after the answer is counted: it is padding", killed_by="test_padding_after_an_answer_does_not_count")
edit("answer_scores", "end-included", {"places < ends": "places <= ends"},
     "one token too many is counted: the answer ends before `ends`", killed_by="test_padding_after_an_answer_does_not_count")
edit("answer_scores", "first-token-alone", {"places < ends[:, None]": "places < starts[:, None] + 1"},
     "only the answer's first token is counted", killed_by="test_the_answers_tokens_are_added_and_the_prompts_are_not")
edit("answer_scores", "mean", {".sum(dim=1)": ".sum(dim=1) / (ends - starts)"},
     "the mean of a token is returned: the sum is asked for", killed_by="test_the_answers_tokens_are_added_and_the_prompts_are_not")
edit("answer_scores", "no-softmax", {".log_softmax(dim=-1)": ""},
     "logits are added up: they are no log-probabilities yet", killed_by="test_a_token_is_scored_at_the_place_before_it")
edit("answer_scores", "softmax-over-places", {"log_softmax(dim=-1)": "log_softmax(dim=1)"},
     "the softmax runs over the places: it runs over the vocabulary", killed_by="test_a_token_is_scored_at_the_place_before_it")
edit("answer_scores", "probabilities", {"log_softmax": "softmax"},
     "probabilities are added up: their logarithms are", killed_by="test_a_token_is_scored_at_the_place_before_it")
edit("answer_scores", "log-of-softmax", {"log_softmax(dim=-1)": "softmax(dim=-1).log()"},
     "the logarithm of a softmax is −∞ where a probability is too small for the machine: log_softmax is not",
     killed_by="test_huge_logits_are_no_problem")
edit("answer_scores", "masked-by-product", {"each.masked_fill(~asked, 0)": "(each * asked)"},
     "what is not asked is multiplied by 0, and −∞ · 0 is not a number: fill it with 0",
     killed_by="test_a_token_that_cannot_come_in_the_prompt_does_no_harm")
edit("answer_scores", "first-texts-answer", {"starts[:, None]": "starts[0]", "ends[:, None]": "ends[0]"},
     "all texts are given the first one's answer: each has its own", killed_by="test_padding_after_an_answer_does_not_count")
edit("answer_scores", "whole-batch", {"sum(dim=1)": "sum()"},
     "all texts are added up: each has its own score", killed_by="test_padding_after_an_answer_does_not_count")


edit("answer_scores", "least-float-for-infinity", {"each.masked_fill(~asked, 0).sum(dim=1)": "(each * asked).nan_to_num().sum(dim=1)"},
     "an answer that cannot come gets the least number of the machine: its log-probability is −∞",
     killed_by="test_an_answer_that_cannot_come_has_minus_infinity")
edit("answer_scores", "infinity-hidden", {".sum(dim=1)": ".nan_to_num().sum(dim=1)"},
     "an answer that cannot come gets the least number of the machine: its log-probability is −∞",
     killed_by="test_an_answer_that_cannot_come_has_minus_infinity")
edit("answer_scores", "cut-at-a-billion", {"log_softmax(dim=-1)": "log_softmax(dim=-1).clamp(min=-1e9)"},
     "log-probabilities are cut off below: that of an answer that cannot come is −∞",
     killed_by="test_an_answer_that_cannot_come_has_minus_infinity")
edit("answer_scores", "cut-at-ten-thousand", {"log_softmax(dim=-1)": "log_softmax(dim=-1).clamp(min=-1e4)"},
     "log-probabilities are cut off below: that of an answer that cannot come is −∞",
     killed_by="test_an_answer_that_cannot_come_has_minus_infinity")
edit("answer_scores", "infinity-as-nought", {"masked_fill(~asked, 0)": "masked_fill(~asked | each.isinf(), 0)"},
     "a token that cannot come counts 0, as if it were certain: the answer's score is −∞",
     killed_by="test_an_answer_that_cannot_come_has_minus_infinity")
edit("answer_scores", "three-tokens", {"places < ends[:, None]": "places < ends.minimum(starts + 3)[:, None]"},
     "only three tokens of an answer are counted", killed_by="test_a_long_answer_counts_to_its_end")
edit("answer_scores", "as-a-list", {".sum(dim=1)": ".sum(dim=1).tolist()"},
     "a list comes back: a tensor is asked for", killed_by="test_the_scores_are_a_tensor")
edit("answer_scores", "as-an-array", {".sum(dim=1)": ".sum(dim=1).detach().numpy()"},
     "a numpy array comes back: a tensor is asked for", killed_by="test_the_scores_are_a_tensor")


edit("answer_scores", "difference-of-running-sums", {"each.masked_fill(~asked, 0).sum(dim=1)":
     "(each.cumsum(dim=1).gather(1, ends[:, None] - 2) - torch.cat([torch.zeros_like(each[:, :1]), each.cumsum(dim=1)], dim=1).gather(1, starts[:, None] - 1))[:, 0]"},
     "running sums are subtracted: behind a very unlikely token of the prompt nothing is left of the answer",
     killed_by="test_neither_what_comes_before_nor_after_disturbs_the_answer")
edit("answer_scores", "512-tokens", {"places < ends[:, None]": "places < ends.clamp(max=512)[:, None]"},
     "only the first 512 tokens of a text count", killed_by="test_texts_answers_and_vocabularies_may_be_large")


@alternative("answer_scores", "loop")
def answer_scores(logits, tokens, starts, ends):
    scores = []
    for text in range(len(tokens)):
        log_p = torch.nn.functional.log_softmax(logits[text], dim=-1)
        scores.append(sum(log_p[i - 1, tokens[text, i]] for i in range(int(starts[text]), int(ends[text]))))
    return torch.stack(scores)


@alternative("answer_scores", "cross-entropy")
def answer_scores(logits, tokens, starts, ends):
    places = torch.arange(tokens.size(1))[None]
    labels = tokens.masked_fill((places < starts[:, None]) | (places >= ends[:, None]), -100)
    losses = torch.nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), labels[:, 1:], reduction="none")
    return -losses.sum(dim=1)


@alternative("answer_scores", "logsumexp")
def answer_scores(logits, tokens, starts, ends):
    taken = logits[:, :-1].gather(2, tokens[:, 1:].unsqueeze(-1)).squeeze(-1) - logits[:, :-1].logsumexp(-1)
    zero = torch.zeros_like(taken)
    at = torch.arange(taken.shape[1]) + 1
    inside = torch.logical_and(at >= starts.unsqueeze(1), at < ends.unsqueeze(1))
    return torch.where(inside, taken, zero).sum(-1)


# pick
edit("pick", "least", {".argmax(dim=1)": ".argmin(dim=1)"},
     "the worst candidate is chosen", killed_by="test_by_sum_the_likeliest_answer_wins")
edit("pick", "always-by-sum", {"ways[way]": 'ways["sum"]'},
     "the sum decides, whatever the way", killed_by="test_by_token_the_mean_of_a_token_counts")
edit("pick", "always-by-token", {"ways[way]": 'ways["token"]'},
     "the mean of a token decides, whatever the way", killed_by="test_by_sum_the_likeliest_answer_wins")
edit("pick", "times-length", {"scores / lengths": "scores * lengths"},
     "scores are multiplied by the lengths: they are divided", killed_by="test_by_token_the_mean_of_a_token_counts")
edit("pick", "ratio-of-logarithms", {"scores - alone": "scores / alone"},
     "logarithms are divided: a ratio of probabilities is a difference of logarithms",
     killed_by="test_alone_asks_how_much_likelier_the_prompt_makes_it")
edit("pick", "sum-of-both", {"scores - alone": "scores + alone"},
     "the score without the prompt is added: it is taken off", killed_by="test_alone_asks_how_much_likelier_the_prompt_makes_it")
edit("pick", "other-way-round", {"scores - alone": "alone - scores"},
     "the difference is the wrong way round: it finds what the prompt makes less likely",
     killed_by="test_alone_asks_how_much_likelier_the_prompt_makes_it")
edit("pick", "over-questions", {"argmax(dim=1)": "argmax(dim=0)"},
     "the best question of each candidate is chosen: the best candidate of each question is asked for",
     killed_by="test_by_sum_the_likeliest_answer_wins")
edit("pick", "alone-by-token", {"scores - alone": "(scores - alone) / lengths"},
     "the difference is divided by the length as well: it stands as it is",
     killed_by="test_any_choice_is_a_best_one")
edit("pick", "root-of-length", {"scores / lengths": "scores / lengths.sqrt()"},
     "scores are divided by the root of the length: by the length itself",
     killed_by="test_by_token_the_mean_of_a_token_counts")


edit("pick", "ratio-of-tiny-probabilities", {"scores - alone": "scores.exp() / alone.exp()"},
     "probabilities are divided that may be 0 for the machine: subtract their logarithms",
     killed_by="test_probabilities_may_be_too_small_for_the_machine")
edit("pick", "ratio-with-epsilon", {"scores - alone": "scores.exp() / (alone.exp() + 1e-9)"},
     "probabilities are divided that may be 0 for the machine: subtract their logarithms",
     killed_by="test_probabilities_may_be_too_small_for_the_machine")
edit("pick", "exp-of-the-difference", {"scores - alone": "(scores - alone).exp()"},
     "a ratio may be too large for the machine: compare its logarithm",
     killed_by="test_probabilities_may_be_too_small_for_the_machine")
edit("pick", "root-of-a-probability", {"scores / lengths": "scores.exp() ** (1 / lengths)"},
     "a probability may be 0 for the machine before its root is drawn: divide its logarithm",
     killed_by="test_probabilities_may_be_too_small_for_the_machine")
edit("pick", "perplexity", {"scores / lengths": "-(-scores / lengths).exp()"},
     "a perplexity may be too large for the machine: compare its logarithm",
     killed_by="test_probabilities_may_be_too_small_for_the_machine")
edit("pick", "exp-at-the-end", {"ways[way].argmax": "ways[way].exp().argmax"},
     "probabilities are compared that may all be 0 for the machine: compare their logarithms",
     killed_by="test_probabilities_may_be_too_small_for_the_machine")
edit("pick", "half-precision", {"ways[way].argmax": "ways[way].half().argmax"},
     "scores are rounded to half precision, so near ones seem equal", killed_by="test_nearly_equal_scores_are_told_apart")
edit("pick", "rounded", {"ways[way].argmax": "(ways[way] * 100).round().argmax"},
     "scores are rounded, so near ones seem equal", killed_by="test_nearly_equal_scores_are_told_apart")
edit("pick", "infinity-as-nought", {"ways[way].argmax": "ways[way].masked_fill(ways[way].isinf(), 0).argmax"},
     "a candidate that cannot come counts 0, and wins", killed_by="test_what_cannot_come_is_never_chosen")
edit("pick", "cut-at-minus-100", {"ways[way].argmax": "ways[way].clamp(min=-100).argmax"},
     "scores are cut off at −100, so less likely ones seem equal", killed_by="test_probabilities_may_be_too_small_for_the_machine")
edit("pick", "short-lengths", {"scores / lengths": "scores / lengths.to(torch.int8)"},
     "lengths are held in eight bits: an answer may have more than 127 tokens", killed_by="test_answers_may_have_hundreds_of_tokens")
edit("pick", "a-column", {"argmax(dim=1)": "argmax(dim=1, keepdim=True)"},
     "the places stand in a column, (Q, 1): (Q,) is asked for", killed_by="test_there_is_one_int64_for_each_question")
edit("pick", "as-a-list", {"argmax(dim=1)": "argmax(dim=1).tolist()"},
     "a list comes back: a tensor is asked for", killed_by="test_there_is_one_int64_for_each_question")
edit("pick", "as-an-array", {"argmax(dim=1)": "argmax(dim=1).numpy()"},
     "a numpy array comes back: a tensor is asked for", killed_by="test_there_is_one_int64_for_each_question")
edit("pick", "int32", {"argmax(dim=1)": "argmax(dim=1).int()"},
     "the places are int32: int64 is asked for", killed_by="test_there_is_one_int64_for_each_question")


edit("pick", "squeezed", {"argmax(dim=1)": "squeeze().argmax(dim=-1)"},
     "a single candidate loses its axis", killed_by="test_questions_may_be_hundreds_and_candidates_one_or_many")
edit("pick", "within-a-millionth", {"ways[way].argmax(dim=1)": "(ways[way] >= ways[way].amax(dim=1, keepdim=True) - 1e-6).long().argmax(dim=1)"},
     "the first within a millionth of the best is chosen", killed_by="test_nearly_equal_scores_are_told_apart")


@mistake("pick", "best-from-minus-1000", "the best so far begins at −1000: a score may be lower, so begin with the first one or with −∞",
         killed_by="test_probabilities_may_be_too_small_for_the_machine")
def pick(scores, lengths, alone, way):
    values = scores / lengths if way == "token" else scores - alone if way == "alone" else scores
    chosen = []
    for row in values.tolist():
        best, place = -1000.0, 0
        for number, value in enumerate(row):
            if value > best:
                best, place = value, number
        chosen.append(place)
    return torch.tensor(chosen)


@alternative("pick", "loop")
def pick(scores, lengths, alone, way):
    chosen = []
    for row in range(scores.size(0)):
        if way == "sum":
            values = [float(s) for s in scores[row]]
        elif way == "token":
            values = [float(s) / int(n) for s, n in zip(scores[row], lengths[row])]
        else:
            values = [float(s) - float(a) for s, a in zip(scores[row], alone[row])]
        chosen.append(values.index(max(values)))
    return torch.tensor(chosen)


@alternative("pick", "sorted")
def pick(scores, lengths, alone, way):
    if way == "token":
        scores = scores.div(lengths)
    if way == "alone":
        scores = scores.sub(alone)
    return torch.sort(scores, dim=-1, descending=True).indices[:, 0]


@alternative("pick", "last-of-equals")
def pick(scores, lengths, alone, way):
    values = scores / lengths if way == "token" else scores - alone if way == "alone" else scores
    return values.size(1) - 1 - values.flip(1).argmax(dim=1)


# accuracy_by_shots
edit("accuracy_by_shots", "at-the-answer", {"logits[:, 1::2]": "logits[:, 2::2]"},
     "the prediction is read at the answer, which the model has then seen: read it at the question",
     killed_by="test_an_answer_is_predicted_at_its_question")
edit("accuracy_by_shots", "questions-guessed", {"logits[:, 1::2]": "logits[:, :-1:2]", "tokens[:, 2::2]": "tokens[:, 1::2]"},
     "the questions are predicted, not the answers", killed_by="test_each_number_of_examples_has_its_own_share")
edit("accuracy_by_shots", "one-number", {".mean(dim=0)": ".mean()"},
     "all numbers of examples are averaged into one", killed_by="test_each_number_of_examples_has_its_own_share")
edit("accuracy_by_shots", "over-examples", {".mean(dim=0)": ".mean(dim=1)"},
     "the mean runs over the numbers of examples: it runs over the texts",
     killed_by="test_each_number_of_examples_has_its_own_share")
edit("accuracy_by_shots", "counts", {".mean(dim=0)": ".sum(dim=0)"},
     "right answers are counted: their share is asked for", killed_by="test_each_number_of_examples_has_its_own_share")
edit("accuracy_by_shots", "no-zero-shot", {".mean(dim=0)": ".mean(dim=0)[1:]"},
     "the answer after no example is left out", killed_by="test_each_number_of_examples_has_its_own_share")
edit("accuracy_by_shots", "all-answers-so-far",
     {"(best == tokens[:, 2::2]).float()": "(best == tokens[:, 2::2]).float().cumprod(dim=1)"},
     "an answer counts only if all before it are right: each is judged alone",
     killed_by="test_any_lines_are_counted_pair_by_pair")
edit("accuracy_by_shots", "running-mean", {".mean(dim=0)  # (K,)": ".mean(dim=0).cumsum(dim=0) / torch.arange(1, best.size(1) + 1)"},
     "each entry averages all answers so far: it stands for one number of examples",
     killed_by="test_each_number_of_examples_has_its_own_share")


edit("accuracy_by_shots", "seven-at-most", {".mean(dim=0)  # (K,)": ".mean(dim=0)[:7]"},
     "only seven answers are counted: a text may have more", killed_by="test_there_may_be_more_than_seven_pairs")
edit("accuracy_by_shots", "half-precision", {"logits[:, 1::2].argmax": "logits[:, 1::2].half().argmax"},
     "logits are rounded to half precision, so near ones seem equal", killed_by="test_logits_may_be_huge_or_nearly_equal")
edit("accuracy_by_shots", "exp-overflows", {"logits[:, 1::2].argmax": "logits[:, 1::2].exp().argmax"},
     "the exponential of a large logit is infinite, so large ones seem equal", killed_by="test_logits_may_be_huge_or_nearly_equal")
edit("accuracy_by_shots", "as-a-list", {".mean(dim=0)  # (K,)": ".mean(dim=0).tolist()"},
     "a list comes back: a tensor is asked for", killed_by="test_the_shares_are_a_tensor")
edit("accuracy_by_shots", "as-an-array", {".mean(dim=0)  # (K,)": ".mean(dim=0).numpy()"},
     "a numpy array comes back: a tensor is asked for", killed_by="test_the_shares_are_a_tensor")

edit("accuracy_by_shots", "rounded", {".mean(dim=0)  # (K,)": ".mean(dim=0).mul(1e4).round() / 1e4"},
     "the shares are rounded to four places", killed_by="test_texts_and_tokens_may_be_many")


edit("accuracy_by_shots", "ids-of-the-texts-alone", {"logits[:, 1::2]": "logits[:, 1::2, : int(tokens.max()) + 1]"},
     "only tokens up to the greatest id of the texts compete: all of the vocabulary do",
     killed_by="test_all_tokens_compete_and_not_those_of_the_texts_alone")
edit("accuracy_by_shots", "answers-alone-compete", {"    best = logits": "    ids = tokens[:, 2::2].unique()\n    best = ids[logits", "[:, 1::2].argmax(dim=-1)": "[:, 1::2, ids].argmax(dim=-1)]"},
     "only the texts' answers compete: all of the vocabulary do",
     killed_by="test_all_tokens_compete_and_not_those_of_the_texts_alone")


@alternative("accuracy_by_shots", "loop")
def accuracy_by_shots(logits, tokens):
    shares = []
    for place in range(1, tokens.size(1), 2):
        right = [int(logits[b, place].argmax()) == int(tokens[b, place + 1]) for b in range(len(tokens))]
        shares.append(sum(right) / len(right))
    return torch.tensor(shares)


@alternative("accuracy_by_shots", "reshaped")
def accuracy_by_shots(logits, tokens):
    said = torch.argmax(logits, dim=2)[:, 1:].reshape(len(tokens), -1, 2)[..., 0]  # (B, K)
    wanted = tokens[:, 1:].reshape(len(tokens), -1, 2)[..., 1]
    return said.eq(wanted).double().mean(0)


# ideal_reader
edit("ideal_reader", "any-example", {".all(dim=1)": ".any(dim=1)"},
     "a list stays if one example agrees: all must", killed_by="test_a_list_must_agree_with_every_example")
edit("ideal_reader", "last-example-alone", {"(lists[:, questions] == answers).all": "(lists[:, questions[-1:]] == answers[-1:]).all"},
     "only the last example is looked at", killed_by="test_any_examples_leave_the_lists_of_brute_force")
edit("ideal_reader", "different-answers", {"return torch.bincount(left, minlength=values) / len(left)":
     "counts = (torch.bincount(left, minlength=values) > 0).float()\n    return counts / counts.sum()"},
     "each answer counts once: it counts as often as lists give it", killed_by="test_without_examples_all_lists_count")
edit("ideal_reader", "most-frequent", {"return torch.bincount(left, minlength=values) / len(left)":
     "return torch.nn.functional.one_hot(torch.bincount(left, minlength=values).argmax(), values).float()"},
     "the most frequent answer has all the probability", killed_by="test_lists_that_contradict_an_example_are_out")
edit("ideal_reader", "counts", {" / len(left)": ""},
     "counts are returned: they do not sum to 1", killed_by="test_lists_that_contradict_an_example_are_out")
edit("ideal_reader", "shares-of-all-lists", {" / len(left)": " / len(lists)"},
     "counts are divided by all lists, also those that are out", killed_by="test_lists_that_contradict_an_example_are_out")
edit("ideal_reader", "nothing-left", {"lists[fits, question] if fits.any() else lists[:, question]": "lists[fits, question]"},
     "where no list agrees 0 is divided by 0", killed_by="test_if_no_list_agrees_none_is_ruled_out")
edit("ideal_reader", "examples-ignored", {"lists[fits, question] if fits.any() else lists[:, question]": "lists[:, question]"},
     "the examples rule nothing out", killed_by="test_lists_that_contradict_an_example_are_out")
edit("ideal_reader", "uniform-if-none", {"    left = lists[fits":
     "    if not fits.any():\n        return torch.full((values,), 1 / values)\n    left = lists[fits"},
     "where no list agrees every answer gets the same: all lists count again",
     killed_by="test_if_no_list_agrees_none_is_ruled_out")
edit("ideal_reader", "too-short", {", minlength=values": ""},
     "answers after the largest that occurs are missing: there are always `values` of them",
     killed_by="test_lists_that_contradict_an_example_are_out")


@mistake("ideal_reader", "votes-by-agreement", "a list that agrees with some examples keeps some weight: one contradiction rules it out",
         killed_by="test_lists_that_contradict_an_example_are_out")
def ideal_reader(lists, questions, answers, question, values):
    weight = (lists[:, questions] == answers).sum(dim=1) + 1.0
    chances = torch.zeros(values).index_add(0, lists[:, question], weight)
    return chances / chances.sum()


edit("ideal_reader", "answers-of-anybody", {"lists[:, questions] == answers)": "lists[:, questions].sort(dim=1).values == answers.sort().values)"},
     "answers are compared whoever has them: each belongs to its question", killed_by="test_each_answer_belongs_to_its_question")
edit("ideal_reader", "four-lists", {"    fits": "    lists = lists[:4]\n    fits"},
     "only the first four lists are read: there may be more", killed_by="test_equal_lists_are_as_many_as_they_are")
edit("ideal_reader", "equal-lists-once", {"    fits": "    lists = lists.unique(dim=0)\n    fits"},
     "equal lists count once: all lists are equally likely, however alike", killed_by="test_equal_lists_are_as_many_as_they_are")
edit("ideal_reader", "as-a-list", {" / len(left)": " / len(left)).tolist()", "return torch.bincount": "return (torch.bincount"},
     "a list comes back: a tensor is asked for", killed_by="test_the_probabilities_are_a_tensor")
edit("ideal_reader", "as-an-array", {" / len(left)": " / len(left)).numpy()", "return torch.bincount": "return (torch.bincount"},
     "a numpy array comes back: a tensor is asked for", killed_by="test_the_probabilities_are_a_tensor")


edit("ideal_reader", "smoothed", {" / len(left)": ".add(1e-3).div(len(left) + 1e-3 * values)"},
     "every answer keeps a little probability: what no list says has none", killed_by="test_lists_that_contradict_an_example_are_out")
edit("ideal_reader", "squeezed", {"(lists[:, questions] == answers).all": "(lists[:, questions].squeeze(0) == answers).all"},
     "a single list loses its axis", killed_by="test_there_may_be_one_list_or_one_question")


@mistake("ideal_reader", "equal-left-once", "equal lists that are left count once: all lists are equally likely, however alike",
         killed_by="test_equal_lists_are_as_many_as_they_are")
def ideal_reader(lists, questions, answers, question, values):
    left = lists[(lists[:, questions] == answers).all(dim=1)]
    left = (left if len(left) else lists).unique(dim=0)
    return torch.bincount(left[:, question], minlength=values) / len(left)


@mistake("ideal_reader", "lists-in-a-set", "lists are held in a set, where equal ones count once: all lists are equally likely",
         killed_by="test_equal_lists_are_as_many_as_they_are")
def ideal_reader(lists, questions, answers, question, values):
    examples = list(zip(questions.tolist(), answers.tolist()))
    every = {tuple(row) for row in lists.tolist()}
    left = {row for row in every if all(row[q] == a for q, a in examples)} or every
    return torch.tensor([sum(row[question] == value for row in left) / len(left) for value in range(values)])


@mistake("ideal_reader", "examples-in-a-dict", "of two examples of one question the last is taken: where they contradict each other, no list agrees",
         killed_by="test_one_contradiction_makes_all_examples_void")
def ideal_reader(lists, questions, answers, question, values):
    known = dict(zip(questions.tolist(), answers.tolist()))
    left = [row for row in lists.tolist() if all(row[q] == a for q, a in known.items())] or lists.tolist()
    return torch.tensor([sum(row[question] == value for row in left) / len(left) for value in range(values)])


@mistake("ideal_reader", "begins-anew", "after a contradiction the later examples rule lists out again: if no list agrees with all, none is",
         killed_by="test_one_contradiction_makes_all_examples_void")
def ideal_reader(lists, questions, answers, question, values):
    left = lists
    for q, a in zip(questions.tolist(), answers.tolist()):
        left = left[left[:, q] == a]
        if len(left) == 0:
            left = lists
    return torch.bincount(left[:, question], minlength=values) / len(left)


@alternative("ideal_reader", "loop")
def ideal_reader(lists, questions, answers, question, values):
    examples = list(zip(questions.tolist(), answers.tolist()))
    rows = [row for row in lists.tolist() if all(row[q] == a for q, a in examples)] or lists.tolist()
    given = [row[question] for row in rows]
    return torch.tensor([given.count(value) / len(given) for value in range(values)])


@alternative("ideal_reader", "weights")
def ideal_reader(lists, questions, answers, question, values):
    weight = torch.ones(len(lists), dtype=torch.float64)
    for q, a in zip(questions, answers):
        weight = weight * (lists[:, q] == a)
    if weight.sum() == 0:
        weight = torch.ones_like(weight)
    weight = weight / weight.sum()
    return torch.nn.functional.one_hot(lists[:, question], values).double().T @ weight


# web_text
edit("web_text", "more-than", {"karma >= least": "karma > least"},
     "a page with exactly `least` karma is left out: at least so many are asked for",
     killed_by="test_three_karma_are_enough_and_two_are_not")
edit("web_text", "all-pages", {"karma >= least and ": ""},
     "karma is not looked at", killed_by="test_three_karma_are_enough_and_two_are_not")
edit("web_text", "three-in-the-code", {"karma >= least": "karma >= 3"},
     "the least karma is always 3: it is an argument", killed_by="test_any_posts_keep_the_pages_of_brute_force")
edit("web_text", "wikipedia-kept", {" and not blocked": ""},
     "removed sites are kept", killed_by="test_wikipedia_and_its_parts_are_left_out")
edit("web_text", "wikipedia-alone", {"not blocked": "blocked"},
     "the removed sites alone are kept", killed_by="test_three_karma_are_enough_and_two_are_not")
edit("web_text", "ends-alike", {'host.endswith("." + site)': "host.endswith(site)"},
     "a site that merely ends alike is left out: a point or the host's beginning must stand before the name",
     killed_by="test_a_site_that_only_sounds_like_it_is_kept")
edit("web_text", "somewhere-in-the-address", {'host.endswith("." + site)': "site in address"},
     "the site's name is looked for in the whole address: only the host counts",
     killed_by="test_a_site_that_only_sounds_like_it_is_kept")
edit("web_text", "the-very-host", {'host.endswith("." + site)': 'host == "." + site'},
     "parts of a site such as en.wikipedia.org are kept", killed_by="test_wikipedia_and_its_parts_are_left_out")
edit("web_text", "parts-alone", {'host = "." + ': "host = "},
     "the site itself is kept, only its parts are left out", killed_by="test_wikipedia_and_its_parts_are_left_out")


@mistake("web_text", "repeats", "a page that is posted twice is kept twice", killed_by="test_a_page_is_kept_once")
def web_text(posts, least, removed):
    def out(address):
        host = urlsplit(address).hostname
        return any(host == site or host.endswith("." + site) for site in removed)

    return [address for address, karma in posts if karma >= least and not out(address)]


@mistake("web_text", "karma-added-up", "the karma of a page's posts is added up: one post must have enough",
         killed_by="test_the_posts_of_a_page_are_not_added_up")
def web_text(posts, least, removed):
    total = {}
    for address, karma in posts:
        total[address] = total.get(address, 0) + karma
    hosts = {address: "." + urlsplit(address).hostname for address in total}
    return [a for a in total if total[a] >= least and not any(hosts[a].endswith("." + site) for site in removed)]


@mistake("web_text", "first-post-decides", "a page's first post decides: any of its posts may have enough karma",
         killed_by="test_the_posts_of_a_page_are_not_added_up")
def web_text(posts, least, removed):
    first = {}
    for address, karma in posts:
        first.setdefault(address, karma)
    hosts = {address: "." + urlsplit(address).hostname for address in first}
    return [a for a in first if first[a] >= least and not any(hosts[a].endswith("." + site) for site in removed)]


@mistake("web_text", "sorted", "the addresses are sorted: they stand in the order of their posts",
         killed_by="test_three_karma_are_enough_and_two_are_not")
def web_text(posts, least, removed):
    kept = {a for a, karma in posts if karma >= least}
    return sorted(a for a in kept if not any(("." + urlsplit(a).hostname).endswith("." + site) for site in removed))


edit("web_text", "nought-taken-for-none", {"karma >= least": "karma and karma >= least"},
     "0 karma is never enough: it is where no more is asked for", killed_by="test_nought_and_less_may_be_enough")
edit("web_text", "never-below-one", {"karma >= least": "karma > 0 and karma >= least"},
     "0 karma and less are never enough: they are where no more is asked for", killed_by="test_nought_and_less_may_be_enough")
edit("web_text", "least-is-one", {"karma >= least": "karma >= max(least, 1)"},
     "at least 1 karma is asked for, whatever `least` is", killed_by="test_nought_and_less_may_be_enough")
edit("web_text", "host-with-its-port", {"hostname": "netloc"},
     "the host is taken with its port: a site has pages on every port", killed_by="test_the_host_ends_before_a_colon_or_a_question_mark")
edit("web_text", "host-up-to-a-slash", {'(urlsplit(address).hostname or "")': 'address.split("//")[1].split("/")[0]'},
     "the host is taken to end at a slash: a colon or a question mark ends it too",
     killed_by="test_the_host_ends_before_a_colon_or_a_question_mark")
edit("web_text", "host-up-to-a-colon", {'(urlsplit(address).hostname or "")': 'address.split("//")[1].split("/")[0].split(":")[0]'},
     "the host is taken to end at a slash or a colon: a question mark ends it too",
     killed_by="test_the_host_ends_before_a_colon_or_a_question_mark")
edit("web_text", "last-two-names", {'any(host.endswith("." + site) for site in removed)': '".".join(host.split(".")[-2:]) in removed'},
     "the host's last two names are compared: a site may have three", killed_by="test_a_removed_site_may_itself_be_a_part")
edit("web_text", "all-or-last-two-names",
     {'any(host.endswith("." + site) for site in removed)': 'host[1:] in removed or ".".join(host.split(".")[-2:]) in removed'},
     "the host or its last two names are compared: a site of three names has parts as well",
     killed_by="test_a_removed_site_may_itself_be_a_part")
edit("web_text", "one-name-off", {'any(host.endswith("." + site) for site in removed)': 'host[1:] in removed or host[1:].split(".", 1)[-1] in removed'},
     "only one name is taken off the host: en.m.wikipedia.org has two before the site", killed_by="test_parts_of_parts_are_left_out")
edit("web_text", "parents-too", {'host.endswith("." + site)': 'host.endswith("." + site) or ("." + site).endswith(host)'},
     "with a part of a site the site itself is left out", killed_by="test_a_removed_site_may_itself_be_a_part")
edit("web_text", "same-page-in-small-letters", {"address not in kept": "address.lower() not in [one.lower() for one in kept]"},
     "addresses that differ in capitals count as one", killed_by="test_addresses_that_are_written_otherwise_are_others")
edit("web_text", "same-page-by-http", {"address not in kept": 'address.split("://")[1] not in [one.split("://")[1] for one in kept]'},
     "http and https count as one address", killed_by="test_addresses_that_are_written_otherwise_are_others")
edit("web_text", "same-page-by-path", {"address not in kept": "urlsplit(address)[1:3] not in [urlsplit(one)[1:3] for one in kept]"},
     "addresses that differ in what follows the question mark count as one",
     killed_by="test_addresses_that_are_written_otherwise_are_others")
edit("web_text", "same-page-by-beginning", {"address not in kept": 'address not in " ".join(kept)'},
     "an address that is part of another one counts as the same", killed_by="test_addresses_that_are_written_otherwise_are_others")
edit("web_text", "without-the-fragment", {'        host = "." + ': '        address = address.split("#")[0]\n        host = "." + '},
     "what follows the sign # is cut: addresses are kept as they are", killed_by="test_addresses_that_are_written_otherwise_are_others")
edit("web_text", "as-a-tuple", {"return kept": "return tuple(kept)"},
     "a tuple comes back: a list is asked for", killed_by="test_any_posts_keep_the_pages_of_brute_force")
edit("web_text", "as-keys", {"return kept": "return dict.fromkeys(kept).keys()"},
     "the keys of a dictionary come back: a list is asked for", killed_by="test_any_posts_keep_the_pages_of_brute_force")


edit("web_text", "in-the-order-of-any-post", {"return kept": "return [one for one in dict.fromkeys(address for address, _ in posts) if one in kept]"},
     "pages stand where their first post is: where the first with enough karma is",
     killed_by="test_a_page_stands_where_its_first_good_post_is")
edit("web_text", "first-hundred-posts", {"in posts:": "in posts[:100]:"},
     "only the first hundred posts are read", killed_by="test_many_posts_and_many_removed_sites_all_count")


@mistake("web_text", "best-karma-from-nought", "the most karma of a page begins at 0, which is then never enough",
         killed_by="test_nought_and_less_may_be_enough")
def web_text(posts, least, removed):
    best = {}
    for address, karma in posts:
        if karma >= least:
            best[address] = max(karma, best.get(address, 0))
    hosts = {address: "." + urlsplit(address).hostname for address in best}
    return [a for a in best if best[a] and not any(hosts[a].endswith("." + site) for site in removed)]


@mistake("web_text", "pattern", "in a pattern a dot stands for any letter: write it as \\.",
         killed_by="test_a_removed_site_may_itself_be_a_part")
def web_text(posts, least, removed):
    import re

    def out(address):
        return any(re.search(r"(^|\.)" + site + "$", urlsplit(address).hostname) for site in removed)

    return list(dict.fromkeys(address for address, karma in posts if karma >= least and not out(address)))


@mistake("web_text", "word-boundary", "a hyphen bounds words as well: not-wikipedia.org is another site",
         killed_by="test_a_hyphen_is_part_of_a_name")
def web_text(posts, least, removed):
    import re

    def out(address):
        return any(re.search(r"\b" + re.escape(site) + "$", urlsplit(address).hostname) for site in removed)

    return list(dict.fromkeys(address for address, karma in posts if karma >= least and not out(address)))


@mistake("web_text", "removed-while-read", "the list is changed while it is read, so the page after a removed one is not looked at",
         killed_by="test_removed_pages_may_follow_each_other")
def web_text(posts, least, removed):
    kept = list(dict.fromkeys(address for address, karma in posts if karma >= least))
    for address in kept:
        if any(("." + urlsplit(address).hostname).endswith("." + site) for site in removed):
            kept.remove(address)
    return kept


@alternative("web_text", "parts-of-the-host")
def web_text(posts, least, removed):
    kept = []
    for address, karma in posts:
        parts = urlsplit(address).hostname.split(".")
        blocked = any(".".join(parts[i:]) in removed for i in range(len(parts)))
        if karma < least or blocked or address in kept:
            continue
        kept.append(address)
    return kept


@alternative("web_text", "dict-of-good-posts")
def web_text(posts, least, removed):
    def blocked(address):
        host = address.split("://", 1)[1]
        for sign in "/?#:":
            host = host.split(sign, 1)[0]
        return any(host == site or host.endswith(f".{site}") for site in removed)

    return list(dict.fromkeys(a for a, k in posts if k >= least and not blocked(a)))


# training_cost
edit("training_cost", "no-biases", {" + 13 * width": ""},
     "biases and normalisations are missing in the layers", killed_by="test_a_model_of_width_one_counted_by_hand")
edit("training_cost", "no-norms", {"13 * width": "9 * width"},
     "the two normalisations of a layer are missing: 4·d", killed_by="test_a_model_of_width_one_counted_by_hand")
edit("training_cost", "no-last-norm", {" + 2 * width": ""},
     "the normalisation at the end is missing: 2·d", killed_by="test_a_model_of_width_one_counted_by_hand")
edit("training_cost", "output-counted-again", {"(words + positions) * width": "(2 * words + positions) * width"},
     "the words' matrix is counted twice: input and output share it", killed_by="test_a_model_of_width_one_counted_by_hand")
edit("training_cost", "no-positions", {"(words + positions)": "words"},
     "the positions' vectors are missing", killed_by="test_a_model_of_width_one_counted_by_hand")
edit("training_cost", "six-d-squared", {"12 * width**2": "6 * width**2"},
     "a layer has 12·d² weights: 4·d² in attention, 8·d² after it", killed_by="test_a_model_of_width_one_counted_by_hand")
edit("training_cost", "forward-alone", {"6 * parameters * tokens": "2 * parameters * tokens"},
     "the way back is missing: it costs twice the way forward", killed_by="test_gpt3_takes_314_sextillion_flops")
edit("training_cost", "layers-alone", {"6 * parameters * tokens": "6 * layers * each * tokens"},
     "FLOPs are counted for the layers alone: for all parameters", killed_by="test_any_model_has_the_parameters_that_are_counted")
edit("training_cost", "flops-of-one-token", {"6 * parameters * tokens": "6 * parameters"},
     "this is what one token costs", killed_by="test_gpt3_takes_314_sextillion_flops")
edit("training_cost", "norms-once", {"layers * each + 2 * width": "layers * (each - 2 * width) + 2 * width"},
     "a layer has two normalisations, of 2·d each", killed_by="test_a_model_of_width_one_counted_by_hand")


edit("training_cost", "as-a-float", {"return parameters,": "return float(parameters),"},
     "the number of parameters is a float: it is a whole number", killed_by="test_the_parameters_of_gpt3_are_a_whole_number")
edit("training_cost", "float-power", {"width**2": "width**2.0"},
     "a power of 2.0 makes the number of parameters a float: it is a whole number",
     killed_by="test_the_parameters_of_gpt3_are_a_whole_number")
edit("training_cost", "thirteen-twelfths", {"12 * width**2 + 13 * width": "12 * width * (width + 13 / 12)"},
     "a division makes the number of parameters a float: it is a whole number",
     killed_by="test_the_parameters_of_gpt3_are_a_whole_number")
edit("training_cost", "float32", {"return parameters,": "return int(torch.tensor(parameters, dtype=torch.float32)),"},
     "the number of parameters is rounded to float32: it has more digits", killed_by="test_the_parameters_of_gpt3_are_a_whole_number")
edit("training_cost", "one-layer-at-least", {"layers * each": "max(layers, 1) * each"},
     "a model without layers is counted with one", killed_by="test_nothing_stands_for_a_part_of_size_nought")
edit("training_cost", "twelve-layers-for-none", {"layers * each": "(layers or 12) * each"},
     "a model without layers is counted with twelve: 0 is a number", killed_by="test_nothing_stands_for_a_part_of_size_nought")
edit("training_cost", "positions-for-none", {"(words + positions)": "(words + (positions or 1024))"},
     "a model without positions is counted with 1,024: 0 is a number", killed_by="test_nothing_stands_for_a_part_of_size_nought")
edit("training_cost", "heads-of-64", {"    each =": "    heads = max(width // 64, 1)\n    width -= width % heads\n    each ="},
     "heads of 64 are cut off the width, which need not be a multiple of them: heads do not occur", killed_by="test_any_width_will_do")


@alternative("training_cost", "part-by-part")
def training_cost(layers, width, words, positions, tokens):
    attention = 4 * (width * width + width)
    feed_forward = (width * 4 * width + 4 * width) + (4 * width * width + width)
    norm = 2 * width
    total = words * width + positions * width + layers * (attention + feed_forward + 2 * norm) + norm
    return total, 6.0 * total * tokens


@alternative("training_cost", "three-passes")
def training_cost(layers, width, words, positions, tokens):
    shapes = [(3 * width, width), (3 * width,), (width, width), (width,)]
    shapes += [(4 * width, width), (4 * width,), (width, 4 * width), (width,)] + [(width,)] * 4
    total = layers * sum(torch.Size(shape).numel() for shape in shapes) + 2 * width + words * width + positions * width
    return [total, 3 * 2 * total * tokens]


equivalent("answer_scores", "1: logits[:, :-1] → logits[:, :]", "gather takes as many places as there are tokens after the first: what follows the last is left over")
equivalent("answer_scores", "2: log_p.gather(2, tokens[:, 1:, None])[..., 0] → log_p.gather(2, tokens[:, 1:, None])[..., -1]",
           "the last axis has one entry, which is the first and the last")
equivalent("answer_scores", "3: torch.arange(1, tokens.size(1), device=tokens.device) → torch.arange(1, tokens.size(1))",
           "on a machine without a GPU all tensors are in one place")
