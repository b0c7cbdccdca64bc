"""bert_finetuning: classic mistakes and other right ways, for each exercise. Never released."""

import math
import re
import string
from collections import Counter

import numpy as np
import torch
from torch.nn import functional

from etude.models.bert import IGNORED
from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# matthews
@alternative("matthews", "square-of-chi")
def matthews(table):
    cells = np.array(table, dtype=object)  # whole numbers of Python, which do not overflow
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    below = float(rows[0] * rows[1] * columns[0] * columns[1])
    if below == 0:
        return 0.0
    return float(cells[0][0] * cells[1][1] - cells[0][1] * cells[1][0]) / below**0.5


@alternative("matthews", "covariances")
def matthews(table):
    (tn, fp), (fn, tp) = table
    count = tn + fp + fn + tp
    truth, answer = (fn + tp) / count, (fp + tp) / count
    spread = math.sqrt(truth * (1 - truth) * answer * (1 - answer))
    return (tp / count - truth * answer) / spread if spread > 0 else 0.0


@alternative("matthews", "four-roots")
def matthews(table):
    tn, fp, fn, tp = (float(n) for row in table for n in row)
    sums = (tp + fp, tp + fn, tn + fp, tn + fn)
    if 0 in sums:
        return 0.0
    return (tp * tn - fp * fn) / math.prod(math.sqrt(s) for s in sums)


edit("matthews", "accuracy", {"(tp * tn - fp * fn) / math.sqrt(product) if product else 0.0": "(tp + tn) / (tn + fp + fn + tp)"},
     "this is the accuracy, which .70 of yes reach by chance", killed_by="test_a_table_counted_by_hand")
edit("matthews", "no-root", {"math.sqrt(product)": "product"}, "the root below the line is missing",
     killed_by="test_a_table_counted_by_hand")
edit("matthews", "division-by-zero", {" if product else 0.0": ""},
     "an empty row or column divides by 0: the score is then 0", killed_by="test_who_always_says_the_same_has_zero")
edit("matthews", "positive-first", {"(tn, fp), (fn, tp) = table": "(tp, fp), (fn, tn) = table",
     "return (tp * tn - fp * fn) / math.sqrt(product) if product else 0.0":
     "return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.0"},
     "this is F1 of class 0: Matthews counts all four cells", killed_by="test_a_table_counted_by_hand")
edit("matthews", "f1", {"(tp * tn - fp * fn) / math.sqrt(product) if product else 0.0": "2 * tp / max(1, 2 * tp + fp + fn)"},
     "this is F1, which does not count what was rightly left out", killed_by="test_a_table_counted_by_hand")
edit("matthews", "youden", {"(tp * tn - fp * fn) / math.sqrt(product) if product else 0.0":
     "tp / (tp + fn) + tn / (tn + fp) - 1 if product else 0.0"},
     "this is recall plus recall minus 1: the columns' sums belong below the line, too", killed_by="test_a_table_counted_by_hand")
edit("matthews", "absolute", {"(tp * tn - fp * fn)": "abs(tp * tn - fp * fn)"},
     "the sign is lost: answers that are all wrong have −1", killed_by="test_all_right_is_one_and_all_wrong_is_minus_one")
edit("matthews", "int32", {"(tn, fp), (fn, tp) = table": "(tn, fp), (fn, tp) = np.array(table, dtype=np.int32)",
     "math.sqrt(product)": "math.sqrt(abs(float(product)))"},
     "the product of large counts runs over: use Python's whole numbers or floats",
     killed_by="test_millions_of_answers_are_no_problem")
edit("matthews", "chi-square", {"(tp * tn - fp * fn) / math.sqrt(product) if product else 0.0":
     "(tp * tn - fp * fn) ** 2 / product if product else 0.0"},
     "this is the square of the correlation", killed_by="test_a_table_counted_by_hand")
edit("matthews", "one-column", {"(tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)": "(tp + fp) * (tp + fn) * (tp + fp) * (tp + fn)"},
     "the sums of class 0 are missing below the line", killed_by="test_a_table_counted_by_hand")


edit("matthews", "int64", {"(tn, fp), (fn, tp) = table": "(tn, fp), (fn, tp) = np.array(table, dtype=np.int64)",
     "math.sqrt(product)": "math.sqrt(abs(float(product)))"},
     "64 bits do not hold the product of four large sums", killed_by="test_the_correlation_is_a_float_of_any_counts")
edit("matthews", "whole-zero", {"else 0.0": "else 0"}, "an empty row or column gives the whole number 0: a float was asked for",
     killed_by="test_the_correlation_is_a_float_of_any_counts")


# first_pieces
@alternative("first_pieces", "pairs-of-lists")
def first_pieces(words, tags):
    rows = [("[CLS]", IGNORED)]
    for i in range(len(words)):
        for j, piece in enumerate(words[i]):
            rows.append((piece, IGNORED if j else tags[i]))
    rows.append(("[SEP]", IGNORED))
    return [piece for piece, _ in rows], [label for _, label in rows]


@alternative("first_pieces", "write-over")
def first_pieces(words, tags):
    pieces = ["[CLS]"] + [piece for word in words for piece in word] + ["[SEP]"]
    labels, place = [IGNORED] * len(pieces), 1
    for word, tag in zip(words, tags):
        if word:
            labels[place] = tag
        place += len(word)
    return pieces, labels


@alternative("first_pieces", "sums-and-tensor")
def first_pieces(words, tags):
    labels = [([tag] + [-100] * (len(word) - 1))[: len(word)] for word, tag in zip(words, tags)]
    pieces = [piece for word in words for piece in word]
    flat = [label for some in labels for label in some]
    return ["[CLS]", *pieces, "[SEP]"], torch.tensor([-100, *flat, -100])


edit("first_pieces", "every-piece", {"[tag if place == 0 else IGNORED for place in range(len(word))]": "[tag] * len(word)"},
     "every piece has its word's label: only the first is asked", killed_by="test_the_label_stands_at_the_first_piece_alone")
edit("first_pieces", "last-piece", {"tag if place == 0": "tag if place == len(word) - 1"},
     "the label stands at the last piece", killed_by="test_the_label_stands_at_the_first_piece_alone")
edit("first_pieces", "others-are-o", {"[tag if place == 0 else IGNORED for": "[tag if place == 0 else 0 for"},
     "the other pieces have label 0, O, and the loss asks for it: they are ignored",
     killed_by="test_the_label_stands_at_the_first_piece_alone")
edit("first_pieces", "empty-word", {"[tag if place == 0 else IGNORED for place in range(len(word))]":
     "[tag] + [IGNORED] * (len(word) - 1)"},
     "a word without pieces leaves a label behind, and all that follow stand one place too late",
     killed_by="test_a_word_without_pieces_takes_no_place")
edit("first_pieces", "no-cls", {'pieces, labels = ["[CLS]"], [IGNORED]': 'pieces, labels = ["[CLS]"], []'},
     "[CLS] has no label: all stand one place too early", killed_by="test_the_label_stands_at_the_first_piece_alone")
edit("first_pieces", "no-sep", {'[*pieces, "[SEP]"], [*labels, IGNORED]': 'pieces, labels'},
     "[SEP] at the end is missing", killed_by="test_the_pieces_stand_between_cls_and_sep")
edit("first_pieces", "ends-are-o", {'["[CLS]"], [IGNORED]': '["[CLS]"], [0]', "[*labels, IGNORED]": "[*labels, 0]"},
     "[CLS] and [SEP] have label 0, O: they are ignored", killed_by="test_the_label_stands_at_the_first_piece_alone")
edit("first_pieces", "one-label-a-word", {"[tag if place == 0 else IGNORED for place in range(len(word))]": "[tag]"},
     "there is one label for each word: there must be one for each piece",
     killed_by="test_the_label_stands_at_the_first_piece_alone")
edit("first_pieces", "minus-one", {"[tag if place == 0 else IGNORED for": "[tag if place == 0 else -1 for"},
     "what is ignored has the label −1: cross_entropy leaves out −100", killed_by="test_the_label_stands_at_the_first_piece_alone")


edit("first_pieces", "unknown-not-asked", {"tag if place == 0 else": 'tag if place == 0 and word[0] != "[UNK]" else'},
     "[UNK] has no label: a word is asked for, known or not", killed_by="test_an_unknown_word_keeps_its_label")


@mistake("first_pieces", "sep-after-each-word", "[SEP] stands after each word: once, at the end",
         killed_by="test_the_pieces_stand_between_cls_and_sep")
def first_pieces(words, tags):
    pieces, labels = ["[CLS]"], [IGNORED]
    for word, tag in zip(words, tags):
        pieces += [*word, "[SEP]"]
        labels += [tag if place == 0 else IGNORED for place in range(len(word))] + [IGNORED]
    return pieces, labels


edit("first_pieces", "special-by-letters", {"tag if place == 0 else": 'tag if place == 0 and word[0] not in ("[CLS]", "[SEP]", "[PAD]") else'},
     "a word that reads like a special token has no label: only the ends have none", killed_by="test_a_piece_says_nothing_by_its_letters")
edit("first_pieces", "512-pieces", {"[*pieces, \"[SEP]\"], [*labels, IGNORED]": "[*pieces[:511], \"[SEP]\"], [*labels[:511], IGNORED]"},
     "the sentence is cut at 512 pieces: nobody asked for that", killed_by="test_a_sentence_may_be_longer_than_512")


# choice_loss
@alternative("choice_loss", "logsumexp")
def choice_loss(scores, labels):
    rows = scores.view(labels.shape[0], scores.numel() // labels.shape[0])
    right = rows.gather(1, labels[:, None])[:, 0]
    return (rows.logsumexp(dim=1) - right).mean()


@alternative("choice_loss", "loop")
def choice_loss(scores, labels):
    count = len(scores) // len(labels)
    total = 0.0
    for number, label in enumerate(labels):
        total = total - scores[number * count:(number + 1) * count].log_softmax(dim=0)[label]
    return total / len(labels)


@alternative("choice_loss", "one-hot")
def choice_loss(scores, labels):
    rows = torch.stack(scores.chunk(len(labels)))
    wanted = functional.one_hot(labels, rows.shape[1]).to(rows.dtype)
    return -(wanted * functional.log_softmax(rows, dim=1)).sum(dim=1).mean()


edit("choice_loss", "softmax-over-batch", {"scores.reshape(len(labels), -1)  # (B, C)\n    return functional.cross_entropy(by_question, labels)":
     "scores.reshape(len(labels), -1).log_softmax(dim=0)\n    return -by_question[torch.arange(len(labels)), labels].mean()"},
     "the softmax runs over the questions: it runs over one question's choices", killed_by="test_equal_scores_cost_the_logarithm_of_the_choices")
edit("choice_loss", "choices-first", {"scores.reshape(len(labels), -1)": "scores.reshape(-1, len(labels)).t()"},
     "the scores of one question stand side by side: this takes them from all questions",
     killed_by="test_the_choices_of_one_question_stand_side_by_side")
edit("choice_loss", "sum", {"cross_entropy(by_question, labels)": 'cross_entropy(by_question, labels, reduction="sum")'},
     "the losses of the questions are summed: the mean is asked for", killed_by="test_equal_scores_cost_the_logarithm_of_the_choices")
edit("choice_loss", "softmax-twice", {"functional.cross_entropy(by_question, labels)":
     "functional.cross_entropy(by_question.softmax(dim=-1), labels)"},
     "cross_entropy takes scores and makes the softmax itself: here it is made twice",
     killed_by="test_each_question_has_its_own_softmax")
edit("choice_loss", "yes-or-no", {"functional.cross_entropy(by_question, labels)":
     "functional.binary_cross_entropy_with_logits(by_question, functional.one_hot(labels, by_question.shape[1]).to(scores.dtype))"},
     "each choice is judged alone, yes or no: one softmax over a question's choices was asked for",
     killed_by="test_equal_scores_cost_the_logarithm_of_the_choices")
edit("choice_loss", "four-choices", {"scores.reshape(len(labels), -1)": "scores.reshape(-1, 4)"},
     "there are not always four choices: count the labels", killed_by="test_each_question_has_its_own_softmax")
edit("choice_loss", "one-softmax-for-all", {"functional.cross_entropy(by_question, labels)":
     "-scores.log_softmax(dim=0).reshape(len(labels), -1)[torch.arange(len(labels)), labels].mean()"},
     "one softmax runs over all texts of the batch: each question has its own",
     killed_by="test_equal_scores_cost_the_logarithm_of_the_choices")
edit("choice_loss", "probability", {"functional.cross_entropy(by_question, labels)":
     "-by_question.softmax(dim=-1)[torch.arange(len(labels)), labels].mean()"},
     "the logarithm is missing: this is the mean probability", killed_by="test_equal_scores_cost_the_logarithm_of_the_choices")
edit("choice_loss", "no-gradient", {"functional.cross_entropy(by_question, labels)":
     "torch.tensor(float(functional.cross_entropy(by_question, labels)))"},
     "the loss is a plain number that knows nothing of the scores: nothing can be trained with it",
     killed_by="test_the_gradients_are_those_of_the_mean_over_questions")
edit("choice_loss", "accuracy", {"functional.cross_entropy(by_question, labels)":
     "1 - (by_question.argmax(dim=-1) == labels).float().mean()"},
     "this is the share of wrong choices, which has no gradient", killed_by="test_equal_scores_cost_the_logarithm_of_the_choices")


edit("choice_loss", "log-of-softmax", {"functional.cross_entropy(by_question, labels)":
     "-by_question.softmax(dim=-1)[torch.arange(len(labels)), labels].log().mean()"},
     "a small probability is rounded to 0, and its logarithm is −∞: log_softmax knows better", killed_by="test_great_scores_cost_a_number")
edit("choice_loss", "nought-times-infinity", {"functional.cross_entropy(by_question, labels)":
     "-(by_question.softmax(dim=-1).log() * functional.one_hot(labels, by_question.size(1))).sum(dim=-1).mean()"},
     "0 times −∞ is no number: take the right choice's logarithm alone", killed_by="test_great_scores_cost_a_number")
edit("choice_loss", "exponentials-overflow", {"functional.cross_entropy(by_question, labels)":
     "(by_question.exp().sum(dim=-1).log() - by_question[torch.arange(len(labels)), labels]).mean()"},
     "the exponential of a great score is infinite: logsumexp takes the maximum off first", killed_by="test_great_scores_cost_a_number")
edit("choice_loss", "maximum-of-all", {"functional.cross_entropy(by_question, labels)":
     "((by_question - by_question.max()).exp().sum(dim=-1).log() + by_question.max()"
     " - by_question[torch.arange(len(labels)), labels]).mean()"},
     "one maximum is taken off all questions, and of another nothing is left: each has its own",
     killed_by="test_the_scores_of_one_question_may_be_far_below_those_of_another")
edit("choice_loss", "squeezed", {"scores.reshape(len(labels), -1)": "scores.reshape(len(labels), -1).squeeze()"},
     "a single question, or a single choice, loses its axis", killed_by="test_one_question_one_choice_and_many_questions")
edit("choice_loss", "squeezed-choices", {"scores.reshape(len(labels), -1)": "scores.reshape(len(labels), -1).squeeze(1)"},
     "a single choice loses its axis", killed_by="test_one_question_one_choice_and_many_questions")


equivalent("choice_loss", "2: functional.cross_entropy(by_question, labels) → functional.cross_entropy(by_question, labels).squeeze()", "a mean has no dimension")


# answer_tokens
@alternative("answer_tokens", "loop")
def answer_tokens(spans, start, end):
    first = last = None
    for i, (left, right) in enumerate(spans):
        if right <= start or left >= end:
            continue
        if first is None:
            first = i
        last = i
    return None if first is None else (first, last)


@alternative("answer_tokens", "sets-of-characters")
def answer_tokens(spans, start, end):
    places = [i for i, span in enumerate(spans) if set(range(*span)) & set(range(start, end))]
    if not places:
        return None
    return [min(places), max(places)]


@alternative("answer_tokens", "array")
def answer_tokens(spans, start, end):
    bounds = np.array(spans)
    places = np.flatnonzero((np.minimum(bounds[:, 1], end) - np.maximum(bounds[:, 0], start)) > 0)
    return (int(places[0]), int(places[-1])) if len(places) else None


edit("answer_tokens", "whole-tokens-alone", {"left < end and right > start": "left >= start and right <= end"},
     "a token that is longer than the answer is left out: one shared character is enough",
     killed_by="test_a_token_counts_if_a_part_of_it_is_in_the_answer")
edit("answer_tokens", "exact-edges", {"shared = [place for place, (left, right) in enumerate(spans) if left < end and right > start]":
     "shared = [place for place, (left, right) in enumerate(spans) if left == start or right == end]"},
     "only tokens that begin or end where the answer does are found", killed_by="test_a_token_counts_if_a_part_of_it_is_in_the_answer")
edit("answer_tokens", "touching-after", {"left < end": "left <= end"},
     "the token right after the answer is counted: end is the first character that is not the answer's",
     killed_by="test_an_answer_of_whole_tokens")
edit("answer_tokens", "touching-before", {"right > start": "right >= start"},
     "the token right before the answer is counted: it ends where the answer begins",
     killed_by="test_an_answer_of_whole_tokens")
edit("answer_tokens", "cls-for-none", {" if shared else None": " if shared else (0, 0)"},
     "an answer outside of the window is None here: (0, 0) is its first token",
     killed_by="test_a_window_that_holds_half_of_the_answer_or_nothing_of_it")
edit("answer_tokens", "last-is-open", {"(shared[0], shared[-1])": "(shared[0], shared[-1] + 1)"},
     "the second number is the place behind the last token: the last token's is asked for",
     killed_by="test_an_answer_of_whole_tokens")
edit("answer_tokens", "empty-raises", {" if shared else None": ""},
     "a window without the answer ends in an error: say None",
     killed_by="test_a_window_that_holds_half_of_the_answer_or_nothing_of_it")
edit("answer_tokens", "half-is-none", {"(shared[0], shared[-1]) if shared else None":
     "(shared[0], shared[-1]) if shared and spans[shared[0]][0] <= start and spans[shared[-1]][1] >= end else None"},
     "half of an answer is said to be none: the tokens that are left were asked for",
     killed_by="test_a_window_that_holds_half_of_the_answer_or_nothing_of_it")
edit("answer_tokens", "first-token-twice", {"(shared[0], shared[-1])": "(shared[0], shared[0])"},
     "the answer ends with its first token", killed_by="test_an_answer_of_whole_tokens")


edit("answer_tokens", "places-by-value", {"shared = [place for place, (left, right)": "shared = [spans.index((left, right)) for place, (left, right)"},
     "the token is looked up by its characters: two tokens may be parts of one character",
     killed_by="test_two_tokens_may_be_parts_of_one_character")


edit("answer_tokens", "512-tokens", {"enumerate(spans)": "enumerate(spans[:512])"},
     "only the first 512 tokens are looked at", killed_by="test_a_text_may_have_more_than_512_tokens")


@mistake("answer_tokens", "characters-as-tokens", "characters are taken for tokens: look up which token holds them",
         killed_by="test_an_answer_of_whole_tokens")
def answer_tokens(spans, start, end):
    if start >= spans[-1][1] or end <= spans[0][0]:
        return None
    return start, end - 1


@mistake("answer_tokens", "begins-inside", "only tokens that begin inside the answer are found: the first may begin before it",
         killed_by="test_a_token_counts_if_a_part_of_it_is_in_the_answer")
def answer_tokens(spans, start, end):
    shared = [place for place, (left, right) in enumerate(spans) if start <= left < end]
    return (shared[0], shared[-1]) if shared else None


# best_span
@alternative("best_span", "two-loops")
def best_span(starts, ends, allowed, longest):
    best = None
    for i in range(len(starts)):
        for j in range(i, min(i + longest, len(ends))):
            if allowed[i] and allowed[j]:
                score = float(starts[i] + ends[j])
                if best is None or score > best[2]:
                    best = (i, j, score)
    return best


@alternative("best_span", "for-each-start-the-best-end")
def best_span(starts, ends, allowed, longest):
    starts, ends = starts.masked_fill(~allowed, -math.inf), ends.masked_fill(~allowed, -math.inf)
    found = []
    for i in allowed.nonzero().flatten().tolist():
        reach = ends[i:i + longest]
        found.append((i, i + int(reach.argmax()), float(starts[i] + reach.max())))
    return max(found, key=lambda span: span[2])


@alternative("best_span", "distances")
def best_span(starts, ends, allowed, longest):
    n = starts.shape[0]
    distance = torch.arange(n)[None, :] - torch.arange(n)[:, None]
    fits = (distance >= 0) & (distance < longest) & allowed.outer(allowed)
    table = torch.where(fits, starts.view(-1, 1) + ends.view(1, -1), torch.tensor(float("-inf")).to(starts))
    value, place = table.flatten().max(dim=0)
    return place // n, place % n, value


edit("best_span", "two-maxima", {"scores = scores.masked_fill(~fits, -torch.inf)\n    first, last = divmod(int(scores.argmax()), len(scores))":
     "first, last = (int(one.masked_fill(~allowed, -torch.inf).argmax()) for one in (starts, ends))"},
     "start and end are chosen apart: the pair with the greatest sum is asked for, and it must not end before it begins",
     killed_by="test_it_never_ends_before_it_begins")
edit("best_span", "end-before-start", {".triu().tril(longest - 1)": ".tril(longest - 1)"},
     "a span may end before it begins", killed_by="test_it_never_ends_before_it_begins")
edit("best_span", "one-too-long", {"tril(longest - 1)": "tril(longest)"},
     "spans may be one token too long: i to i has one token", killed_by="test_it_has_at_most_so_many_tokens")
edit("best_span", "one-too-short", {"tril(longest - 1)": "tril(max(0, longest - 2))"},
     "spans are one token too short: i to j has j − i + 1 tokens", killed_by="test_it_has_at_most_so_many_tokens")
edit("best_span", "any-length", {".tril(longest - 1)": ""},
     "spans may have any length", killed_by="test_it_has_at_most_so_many_tokens")
edit("best_span", "question-too", {" & allowed[:, None] & allowed[None, :]": ""},
     "the answer may lie in the question: only allowed tokens may begin or end it",
     killed_by="test_it_begins_and_ends_inside_the_passage")
edit("best_span", "starts-alone-allowed", {" & allowed[None, :]": ""},
     "an end outside of the passage is allowed", killed_by="test_it_begins_and_ends_inside_the_passage")
edit("best_span", "zero-for-masked", {"scores = scores.masked_fill(~fits, -torch.inf)": "scores = scores * fits"},
     "what is not allowed has the score 0, which beats scores below it: use −∞",
     killed_by="test_scores_below_zero_are_scores_too")
edit("best_span", "product", {"starts[:, None] + ends[None, :]": "starts[:, None] * ends[None, :]"},
     "scores are multiplied: they are logarithms, and are added", killed_by="test_start_and_end_are_added")
edit("best_span", "rows-are-ends", {"first, last = divmod": "last, first = divmod"},
     "rows and columns are exchanged: the rows are starts", killed_by="test_start_and_end_are_added")


edit("best_span", "ten-thousand-for-masked", {"masked_fill(~fits, -torch.inf)": "masked_fill(~fits, -1e4)"},
     "what is not allowed has −10,000: a span that is allowed may have less", killed_by="test_scores_of_millions_are_scores_too")
edit("best_span", "ten-thousand-taken-off", {"scores.masked_fill(~fits, -torch.inf)": "scores - 1e4 * ~fits"},
     "10,000 is taken off what is not allowed, which may have had more", killed_by="test_scores_of_millions_are_scores_too")
edit("best_span", "product-of-probabilities", {
     "scores = scores.masked_fill(~fits, -torch.inf)": "chances = (starts.softmax(0)[:, None] * ends.softmax(0)).masked_fill(~fits, -1)",
     "divmod(int(scores.argmax())": "divmod(int(chances.argmax())"},
     "small probabilities are rounded to 0 and all alike: compare the scores", killed_by="test_scores_of_millions_are_scores_too")
edit("best_span", "from-first-to-last-allowed", {"allowed[:, None] & allowed[None, :]":
     "(allowed.cumsum(0)[:, None] > 0) & (allowed.flip(0).cumsum(0).flip(0) > 0)"},
     "what is not allowed is taken where it lies between tokens that are",
     killed_by="test_what_lies_between_start_and_end_need_not_be_allowed")


edit("best_span", "384-tokens", {"scores = starts[:, None] + ends[None, :]  # (N, N)": "starts, ends, allowed = starts[:384], ends[:384], allowed[:384]\n    scores = starts[:, None] + ends[None, :]"},
     "only the first 384 tokens are looked at, as in BERT's code", killed_by="test_one_token_and_hundreds_of_tokens")
edit("best_span", "squeezed", {"scores = starts[:, None] + ends[None, :]  # (N, N)": "scores = (starts[:, None] + ends[None, :]).squeeze()"},
     "a single token loses its axes", killed_by="test_one_token_and_hundreds_of_tokens")
edit("best_span", "rounded", {"divmod(int(scores.argmax())": "divmod(int((scores * 1e4).round().argmax())"},
     "sums that differ by less than a ten-thousandth are taken for equal", killed_by="test_scores_may_be_very_small")


@mistake("best_span", "all-between-allowed", "all tokens of the span must be allowed here: its first and its last must",
         killed_by="test_what_lies_between_start_and_end_need_not_be_allowed")
def best_span(starts, ends, allowed, longest):
    scores = {(i, j): float(starts[i] + ends[j]) for i in range(len(starts)) for j in range(i, min(i + longest, len(starts)))
              if allowed[i:j + 1].all()}
    first, last = max(scores, key=scores.get)
    return first, last, scores[first, last]


@mistake("best_span", "places-in-the-passage", "places are counted among the allowed tokens, and the first one's place is added",
         killed_by="test_what_lies_between_start_and_end_need_not_be_allowed")
def best_span(starts, ends, allowed, longest):
    before, scores = int(allowed.long().argmax()), starts[allowed][:, None] + ends[allowed]
    scores = scores.masked_fill(~torch.ones_like(scores, dtype=torch.bool).triu().tril(longest - 1), -torch.inf)
    first, last = divmod(int(scores.argmax()), len(scores))
    return before + first, before + last, float(scores[first, last])


@mistake("best_span", "twenty-best", "only the twenty best starts and ends are tried: the best span may have others",
         killed_by="test_neither_start_nor_end_need_be_among_the_best_twenty")
def best_span(starts, ends, allowed, longest):
    tops = [one.masked_fill(~allowed, -torch.inf).topk(min(20, len(one))).indices.tolist() for one in (starts, ends)]
    spans = [(float(starts[i] + ends[j]), i, j) for i in tops[0] for j in tops[1]
             if allowed[i] and allowed[j] and i <= j < i + longest]
    score, first, last = max(spans, default=(-math.inf, 0, 0))
    return first, last, score


@mistake("best_span", "end-after-best-start", "the best start is chosen first, then an end for it: another start may have a better sum",
         killed_by="test_the_best_start_need_not_be_in_the_best_span")
def best_span(starts, ends, allowed, longest):
    starts, ends = starts.masked_fill(~allowed, -torch.inf), ends.masked_fill(~allowed, -torch.inf)
    first = int(starts.argmax())
    last = first + int(ends[first:first + longest].argmax())
    return first, last, float(starts[first] + ends[last])


@mistake("best_span", "swapped-if-turned", "where the end comes first the two are exchanged: that is no span the model has scored so",
         killed_by="test_it_never_ends_before_it_begins")
def best_span(starts, ends, allowed, longest):
    first, last = (int(one.masked_fill(~allowed, -torch.inf).argmax()) for one in (starts, ends))
    if last < first:
        first, last = last, first
    last = min(last, first + longest - 1)
    return first, last, float(starts[first] + ends[last])


# choose_threshold
@alternative("choose_threshold", "between-margins")
def choose_threshold(margins, answered, silent):
    values = sorted(set(margins))
    cuts = [values[0] - 1.0] + [(values[i] + values[i + 1]) / 2 for i in range(len(values) - 1)] + [values[-1] + 1.0]
    best, most = None, -math.inf
    for cut in cuts:
        total = 0.0
        for i, margin in enumerate(margins):
            total += answered[i] if margin > cut else silent[i]
        if total > most:
            best, most = cut, total
    return best


@alternative("choose_threshold", "sorted-sweep")
def choose_threshold(margins, answered, silent):
    rows = sorted(zip(margins, answered, silent))
    total = sum(answered)
    best, most = -math.inf, total
    for place, (margin, gives, gives_not) in enumerate(rows):
        total += gives_not - gives
        last_of_equals = place + 1 == len(rows) or rows[place + 1][0] > margin
        if last_of_equals and total > most + 1e-9:
            best, most = margin, total
    return best


@alternative("choose_threshold", "table-of-all")
def choose_threshold(margins, answered, silent):
    m, a, s = (torch.tensor(column, dtype=torch.float64) for column in (margins, answered, silent))
    cuts = torch.cat([m.min()[None] - 1, m])  # (Q + 1,)
    earned = torch.where(m[None, :] > cuts[:, None], a, s).sum(dim=1)  # (Q + 1,)
    return float(cuts[earned.argmax()])


edit("choose_threshold", "between-equal-margins", {"last_of_equals and total": "total"},
     "of questions with one margin some are answered and some are not: no threshold does that",
     killed_by="test_equal_margins_are_answered_all_or_none", of="sorted-sweep")
edit("choose_threshold", "zero", {"return max([-math.inf, *margins], key=earned)": "return 0.0"},
     "the threshold is 0: it is chosen on these questions", killed_by="test_it_lies_where_most_is_earned")
edit("choose_threshold", "never-answers-all", {"[-math.inf, *margins]": "margins"},
     "no threshold below all margins is tried: it may be best to answer all", killed_by="test_it_may_be_best_to_answer_all_or_none")
edit("choose_threshold", "turned-round", {"a if margin > threshold else s": "a if margin <= threshold else s"},
     "questions below the threshold are answered: those above it are", killed_by="test_it_lies_where_most_is_earned")
edit("choose_threshold", "equal-is-answered", {"margin > threshold": "margin >= threshold"},
     "a margin equal to the threshold is answered: it must be greater",
     killed_by="test_a_question_whose_margin_is_the_threshold_is_not_answered")
edit("choose_threshold", "answered-alone", {"a if margin > threshold else s for": "a if margin > threshold else 0.0 for"},
     "silence earns nothing here: it is right where there is no answer", killed_by="test_it_lies_where_most_is_earned")
edit("choose_threshold", "worst", {"return max(": "return min("},
     "this is the threshold that earns least", killed_by="test_it_lies_where_most_is_earned")
edit("choose_threshold", "what-is-earned", {"return max([-math.inf, *margins], key=earned)":
     "return max(earned(one) for one in [-math.inf, *margins])"},
     "this is what the best threshold earns: the threshold itself is asked for", killed_by="test_it_lies_where_most_is_earned")
edit("choose_threshold", "whole-numbers-near-zero", {"[-math.inf, *margins]": "range(-1, 2)"},
     "a few fixed thresholds are tried: the margins say which can differ", killed_by="test_it_may_be_best_to_answer_all_or_none")
edit("choose_threshold", "right-or-not", {"a if margin > threshold else s for": "(a == 1) if margin > threshold else (s == 1) for"},
     "a part of the score counts nothing: F1 may be .5", killed_by="test_no_threshold_earns_more")


edit("choose_threshold", "rounded", {"return max([-math.inf, *margins], key=earned)":
     "best = max([-math.inf, *margins], key=earned)\n    return round(best, 2) if best > -math.inf else best"},
     "the threshold is rounded, and may fall on the other side of a margin", killed_by="test_margins_may_be_close_together_and_far_from_zero")
edit("choose_threshold", "grid-near-zero", {"[-math.inf, *margins]": "np.linspace(-10, 10, 2001).tolist()"},
     "a grid from −10 to 10 is tried: margins may be greater, and closer together",
     killed_by="test_margins_may_be_close_together_and_far_from_zero")
edit("choose_threshold", "grid-from-least-to-greatest", {"[-math.inf, *margins]": "np.linspace(min(margins) - 1, max(margins) + 1, 1001).tolist()"},
     "a grid between the margins is tried: two margins may lie closer than its steps",
     killed_by="test_margins_may_be_close_together_and_far_from_zero")


edit("choose_threshold", "never-below-0", {"    return max([-math.inf, *margins], key=earned)":
     "    best, most = None, 0.0\n    for one in [-math.inf, *margins]:\n        if earned(one) > most:\n            best, most = one, earned(one)\n    return best"},
     "what is earned is compared with 0: it may be 0, or below", killed_by="test_what_is_earned_may_be_nothing_little_or_below_zero")
edit("choose_threshold", "first-hundred", {"[-math.inf, *margins]": "[-math.inf, *margins[:100]]"},
     "only a hundred thresholds are tried", killed_by="test_questions_may_be_hundreds_and_margins_huge")
edit("choose_threshold", "a-billion-for-infinity", {"-math.inf": "-1e9"},
     "−10⁹ is taken for −∞: a margin may lie below it", killed_by="test_questions_may_be_hundreds_and_margins_huge")


@mistake("choose_threshold", "float32", "the margins are rounded to 32 bits: one may then be greater than the threshold that was to be equal to it",
         killed_by="test_the_threshold_is_not_rounded_below_a_margin")
def choose_threshold(margins, answered, silent):
    m, a, s = (torch.tensor(row) for row in (margins, answered, silent))
    thresholds = torch.cat([torch.tensor([-math.inf]), m])
    return float(thresholds[torch.where(m > thresholds[:, None], a, s).sum(dim=1).argmax()])


@mistake("choose_threshold", "mean-margin", "the mean margin is taken, whatever is earned with it",
         killed_by="test_it_may_be_best_to_answer_all_or_none")
def choose_threshold(margins, answered, silent):
    return sum(margins) / len(margins)


@mistake("choose_threshold", "smallest-answerable", "the smallest margin of a question with an answer is taken: count what others lose by it",
         killed_by="test_no_threshold_earns_more")
def choose_threshold(margins, answered, silent):
    good = [margin for margin, a, s in zip(margins, answered, silent) if a > s]
    return min(good) - 1e-6 if good else max(margins)

@mistake("choose_threshold", "thousandth-below", "a thousandth below a margin another margin may lie: take the margins themselves, or places between two",
         killed_by="test_margins_may_be_close_together_and_far_from_zero")
def choose_threshold(margins, answered, silent):
    candidates = [math.inf, *(margin - 1e-3 for margin in margins)]
    return max(candidates, key=lambda tau: sum(a if m > tau else s for m, a, s in zip(margins, answered, silent)))


# answer_scores
@alternative("answer_scores", "regular-expressions")
def answer_scores(answer, truths):
    def normal(text):
        text = text.lower().translate(str.maketrans("", "", string.punctuation))
        return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())

    def f1(first, second):
        one, two = first.split(), second.split()
        if not one or not two:
            return float(one == two)
        same = sum((Counter(one) & Counter(two)).values())
        if same == 0:
            return 0.0
        precision, recall = same / len(one), same / len(two)
        return 2 * precision * recall / (precision + recall)

    exact = max(normal(answer) == normal(truth) for truth in truths)
    return float(exact), max(f1(normal(answer), normal(truth)) for truth in truths)


@alternative("answer_scores", "lists-crossed-out")
def answer_scores(answer, truths):
    def words(text):
        for sign in string.punctuation:
            text = text.replace(sign, "")
        return [w for w in text.lower().split() if w not in {"a", "an", "the"}]

    mine, results = words(answer), []
    for truth in truths:
        left, shared = words(truth), 0
        size = len(left)
        same = mine == left
        for word in mine:
            if word in left:
                left.remove(word)
                shared += 1
        results.append((same, 1.0 if same else 2 * shared / (len(mine) + size)))
    return float(any(same for same, _ in results)), max(f1 for _, f1 in results)


edit("answer_scores", "sets", {"sum((Counter(given) & Counter(wanted)).values())": "len(set(given) & set(wanted))"},
     "a word that both have twice is counted once: bags are asked for, not sets",
     killed_by="test_any_answer_scores_as_in_the_official_script")
edit("answer_scores", "shared-from-one-side", {"sum((Counter(given) & Counter(wanted)).values())":
     "sum(word in wanted for word in given)"},
     "a word counts as often as both have it: not once for all, nor as often as one of them has it", killed_by="test_any_answer_scores_as_in_the_official_script")
edit("answer_scores", "characters", {"Counter(given) & Counter(wanted)": 'Counter("".join(given)) & Counter("".join(wanted))',
     "2 * shared / (len(given) + len(wanted)) if": 'shared * 2 / (len("".join(given)) + len("".join(wanted))) if'},
     "characters are counted, as for Korean: SQuAD counts words", killed_by="test_f1_counts_the_words_that_both_have")
edit("answer_scores", "no-articles-dropped", {' if word not in ("a", "an", "the")': ""},
     "a, an and the are counted", killed_by="test_case_punctuation_and_articles_do_not_count")
edit("answer_scores", "articles-in-words", {' for c in text.lower() if c not in string.punctuation)':
     ' for c in re.sub("the|an|a", "", text.lower()) if c not in string.punctuation)'},
     "letters inside words are dropped for articles: theatre is one word",
     killed_by="test_case_punctuation_and_articles_do_not_count")
edit("answer_scores", "case", {"text.lower()": "text"}, "upper and lower case differ",
     killed_by="test_case_punctuation_and_articles_do_not_count")
edit("answer_scores", "punctuation-counts", {" if c not in string.punctuation": ""},
     "punctuation is counted", killed_by="test_case_punctuation_and_articles_do_not_count")
edit("answer_scores", "punctuation-to-blank", {'"".join(c for c in text.lower() if c not in string.punctuation)':
     '"".join(" " if c in string.punctuation else c for c in text.lower())'},
     "a sign becomes a blank and cuts words in two: it is deleted", killed_by="test_every_sign_of_punctuation_is_deleted_without_a_gap")
edit("answer_scores", "articles-before-punctuation", {
     'kept = "".join(c for c in text.lower() if c not in string.punctuation)\n        return [word for word in kept.split() if word not in ("a", "an", "the")]':
     'kept = [word for word in text.lower().split() if word not in ("a", "an", "the")]\n'
     '        return "".join(c for c in " ".join(kept) if c not in string.punctuation).split()'},
     "articles are dropped before punctuation: a. is an article, too", killed_by="test_every_sign_of_punctuation_is_deleted_without_a_gap")
edit("answer_scores", "first-truth", {"for wanted in map(words, truths):": "for wanted in map(words, truths[:1]):"},
     "only the first truth is asked", killed_by="test_the_best_of_several_truths_counts")
edit("answer_scores", "last-truth", {"exact = max(exact, float(given == wanted))": "exact = float(given == wanted)",
     "f1 = max(f1, 2 * shared / (len(given) + len(wanted)) if given or wanted else 1.0)":
     "f1 = 2 * shared / (len(given) + len(wanted)) if given or wanted else 1.0"},
     "only the last truth counts: the best one does", killed_by="test_the_best_of_several_truths_counts")
edit("answer_scores", "nothing-is-wrong", {" if given or wanted else 1.0": " if given or wanted else 0.0"},
     "no answer where there is none has F1 0: it is right", killed_by="test_no_answer_is_right_only_where_there_is_none")
edit("answer_scores", "nothing-divides", {" if given or wanted else 1.0": ""},
     "no answer where there is none divides by 0", killed_by="test_no_answer_is_right_only_where_there_is_none")
edit("answer_scores", "precision", {"2 * shared / (len(given) + len(wanted)) if given or wanted else 1.0":
     "shared / max(1, len(given)) if given or wanted else 1.0"},
     "this is the precision alone", killed_by="test_f1_counts_the_words_that_both_have")
edit("answer_scores", "recall", {"2 * shared / (len(given) + len(wanted)) if given or wanted else 1.0":
     "shared / max(1, len(wanted)) if given or wanted else 1.0"},
     "this is the recall alone", killed_by="test_f1_counts_the_words_that_both_have")
edit("answer_scores", "nothing-before-normalising", {" if given or wanted else 1.0": " if given or wanted else float(answer in truths)"},
     "it is asked before the normalisation whether both are empty: the against a leaves nothing of either",
     killed_by="test_exact_match_and_f1_may_come_from_any_truth")
edit("answer_scores", "exact-before-normalising", {"float(given == wanted)": "float(answer in truths)"},
     "exact match compares the strings as they are: both are normalised first",
     killed_by="test_case_punctuation_and_articles_do_not_count")
edit("answer_scores", "exact-as-bags", {"float(given == wanted)": "float(Counter(given) == Counter(wanted))"},
     "exact match ignores the order of words", killed_by="test_exact_match_asks_for_the_order_and_f1_does_not")

edit("answer_scores", "blanks-alone", {"for word in kept.split() if word not in": 'for word in kept.split(" ") if word and word not in'},
     "words are cut at blanks alone: a tab and a line's end are blanks, too", killed_by="test_tabs_and_line_ends_are_blanks_too")
edit("answer_scores", "all-of-unicode", {"if c not in string.punctuation": 'if c not in string.punctuation and c not in "–—‘’“”…·«»¿¡"'},
     "signs beyond the 32 are deleted", killed_by="test_nothing_else_is_made_alike")
edit("answer_scores", "accents", {"for c in text.lower() if": 'for c in unicodedata.normalize("NFD", text.lower()) if "\\u0300" > c or c > "\\u036f" if'},
     "accents are lost: é is no e", killed_by="test_nothing_else_is_made_alike")
edit("answer_scores", "of-the-best-truth", {"        exact = max(exact, float(given == wanted))\n        f1 = max(f1, 2 * shared / (len(given) + len(wanted)) if given or wanted else 1.0)":
     "        now = 2 * shared / (len(given) + len(wanted)) if given or wanted else 1.0\n        exact, f1 = (float(given == wanted), now) if now > f1 else (exact, f1)"},
     "both come from the first truth with the best F1: another with the same words may match exactly",
     killed_by="test_exact_match_and_f1_may_come_from_any_truth")
edit("answer_scores", "casefold", {"text.lower()": "text.casefold()"},
     "casefold makes ss of ß: lower does not", killed_by="test_nothing_else_is_made_alike")
edit("answer_scores", "exact-without-blanks", {"float(given == wanted)": 'float("".join(given) == "".join(wanted))'},
     "blanks are left out, and bath room is bathroom", killed_by="test_nothing_else_is_made_alike")


edit("answer_scores", "rounded", {"return exact, f1": "return exact, round(f1, 3)"}, "F1 is rounded to three places",
     killed_by="test_long_answers_and_many_truths_count_whole")
edit("answer_scores", "true-or-false", {"exact = max(exact, float(given == wanted))": "exact = bool(exact) or given == wanted"},
     "exact match is True or False: a float was asked for", killed_by="test_both_scores_are_floats")
edit("answer_scores", "composed-letters", {"for c in text.lower() if": 'for c in unicodedata.normalize("NFC", text.lower()) if'},
     "letters are composed first: only case, punctuation and articles are made alike", killed_by="test_nothing_else_is_made_alike")


for order in ("('an', 'a', 'the')", "('a', 'the', 'an')"):
    equivalent("answer_scores", f"3: ('a', 'an', 'the') → {order}", "the three words are only looked up, in any order")
equivalent("answer_scores", "2: text.lower() → text.lower().lower()", "a text in lower case stays as it is")
equivalent("answer_scores", "2: text.lower() → text.strip().lower()", "split drops the blanks at both ends in any case")
equivalent("answer_scores", "3: [word for word in kept.split() if word not in ('a', 'an', 'the')] → [word.lower() for word in kept.split() if word not in ('a', 'an', 'the')]", "the words are in lower case already")


edit("answer_scores", "articles-inside-words", {'kept = "".join(c for c in text.lower() if c not in string.punctuation)':
     'kept = re.sub(r"\\ban|\\ba\\b|the", " ", "".join(c for c in text.lower() if c not in string.punctuation))'},
     "articles are deleted inside of words, too: another is one word",
     killed_by="test_nothing_else_is_made_alike")


# windows
@alternative("windows", "counted-beforehand")
def windows(length, size, stride):
    more = max(0, math.ceil((length - size) / stride))
    return [(i * stride, min(i * stride + size, length)) for i in range(more + 1)]


@alternative("windows", "berts-loop")
def windows(length, size, stride):
    found, start = [], 0
    while start < length:
        taken = min(length - start, size)
        found.append([start, start + taken])
        if start + taken == length:
            break
        start += min(taken, stride)
    return found


@alternative("windows", "range")
def windows(length, size, stride):
    starts = range(0, max(length - size + stride, 1), stride)
    return [(start, length if start + size > length else start + size) for start in starts]


edit("windows", "overlap", {"starts.append(starts[-1] + stride)": "starts.append(starts[-1] + max(1, size - stride))"},
     "the stride is taken for the overlap, as in Hugging Face's tokenizers: here it is the step",
     killed_by="test_they_follow_each_other_by_the_stride")
edit("windows", "no-overlap", {"starts.append(starts[-1] + stride)": "starts.append(starts[-1] + size)"},
     "the windows do not overlap: each next one begins a stride later", killed_by="test_they_follow_each_other_by_the_stride")
edit("windows", "useless-last", {"starts[-1] + size < length": "starts[-1] + stride < length"},
     "windows go on after the text's end has been reached", killed_by="test_the_first_that_reaches_the_end_is_the_last")
edit("windows", "empty-last", {"starts[-1] + size < length": "starts[-1] + size <= length"},
     "a window more than needed where one ends with the text", killed_by="test_the_first_that_reaches_the_end_is_the_last")
edit("windows", "past-the-end", {"min(start + size, length)": "start + size"},
     "the last window reaches behind the text's end", killed_by="test_a_short_text_is_one_window")
edit("windows", "closed-end", {"min(start + size, length))": "min(start + size, length) - 1)"},
     "the second number is the last token: the place behind it is asked for", killed_by="test_they_follow_each_other_by_the_stride")
edit("windows", "tail-lost", {"while starts[-1] + size < length:": "while starts[-1] + stride + size <= length:"},
     "what does not fill a whole window is lost", killed_by="test_they_follow_each_other_by_the_stride")
edit("windows", "start-and-size", {"(start, min(start + size, length))": "(start, min(size, length - start))"},
     "start and length are returned: start and end are asked for", killed_by="test_they_follow_each_other_by_the_stride")


@mistake("windows", "last-shifted-back", "the last window is shifted back to full size: it begins a stride later, and is shorter",
         killed_by="test_they_follow_each_other_by_the_stride")
def windows(length, size, stride):
    starts = [0]
    while starts[-1] + size < length:
        starts.append(starts[-1] + stride)
    return [(max(0, min(start, length - size)), min(start + size, length)) for start in starts]


@mistake("windows", "truncated", "there is one window, and what is behind it is lost",
         killed_by="test_they_follow_each_other_by_the_stride")
def windows(length, size, stride):
    return [(0, min(size, length))]


edit("windows", "a-hundred-windows", {"while starts[-1] + size < length:": "while starts[-1] + size < length and len(starts) < 100:"},
     "there are at most a hundred windows", killed_by="test_a_text_may_have_thousands_of_tokens")


# most_context
@alternative("most_context", "loop")
def most_context(spans, length):
    owners = []
    for token in range(length):
        best, owner = -1, None
        for number, (start, end) in enumerate(spans):
            if start <= token < end:
                smaller = min(token - start, end - token - 1)
                if smaller > best:
                    best, owner = smaller, number
        owners.append(owner)
    return owners


@alternative("most_context", "table")
def most_context(spans, length):
    starts, ends = torch.tensor(spans).T[:, :, None]  # (W, 1) each
    token = torch.arange(length)  # (N,)
    return torch.minimum(token - starts, ends - 1 - token).numpy().argmax(axis=0).tolist()


@alternative("most_context", "as-in-berts-code")
def most_context(spans, length):
    def score(token, start, end):
        if not start <= token < end:
            return -1.0
        return min(token - start, end - 1 - token)

    return [int(np.argmax([score(token, *span) for span in spans])) for token in range(length)]


edit("most_context", "larger-side", {"return min(token": "return max(token"},
     "the larger side decides: at an edge it is long, and the other is missing", killed_by="test_the_smaller_side_counts")
edit("most_context", "both-sides", {"min(token - start, end - 1 - token)": "(end - 1 - start if start <= token < end else -1)"},
     "both sides are added: that is the window's length, wherever the token stands", killed_by="test_the_smaller_side_counts")
edit("most_context", "left-alone", {"min(token - start, end - 1 - token)": "token - start if token < end else -1"},
     "only what stands to the left counts", killed_by="test_the_smaller_side_counts")
edit("most_context", "right-alone", {"min(token - start, end - 1 - token)": "end - 1 - token if token >= start else -1"},
     "only what stands to the right counts", killed_by="test_the_smaller_side_counts")
edit("most_context", "end-counted", {"end - 1 - token": "end - token"},
     "the right side is one too long: the last token is end − 1", killed_by="test_the_smaller_side_counts")
edit("most_context", "last-of-equals", {"max(range(len(spans)), key=": "max(reversed(range(len(spans))), key="},
     "of equally good windows the last is taken", killed_by="test_of_equally_good_windows_the_first")
edit("most_context", "how-much", {"max(range(len(spans)), key=lambda window: context(token, window))":
     "max(context(token, window) for window in range(len(spans)))"},
     "this is how much context there is: the window's number is asked for", killed_by="test_the_smaller_side_counts")
edit("most_context", "the-window-itself", {"[max(range(len(spans)), key=lambda window: context(token, window))":
     "[spans[max(range(len(spans)), key=lambda window: context(token, window))][0]"},
     "this is where the window begins: its number is asked for", killed_by="test_the_smaller_side_counts")


edit("most_context", "product-of-sides", {"min(token - start, end - 1 - token)":
     "(token - start) * (end - 1 - token) if start <= token < end else -1"},
     "the two sides are multiplied: a long one makes up for one that is missing",
     killed_by="test_neither_the_other_side_nor_the_length_counts")
edit("most_context", "larger-side-next", {"min(token - start, end - 1 - token)": "sorted((token - start, end - 1 - token))"},
     "where the smaller sides are equal the larger ones decide: the first of the windows does",
     killed_by="test_neither_the_other_side_nor_the_length_counts")
edit("most_context", "bonus-for-length", {"min(token - start, end - 1 - token)":
     "min(token - start, end - 1 - token) + 0.01 * (end - start if start <= token < end else -10**6)"},
     "longer windows have a bonus, as in BERT's code: here the smaller side alone counts",
     killed_by="test_neither_the_other_side_nor_the_length_counts")


edit("most_context", "512-tokens", {"for token in range(length)]": "for token in range(min(length, 512))]"},
     "only the first 512 tokens are judged", killed_by="test_windows_may_be_many_equal_and_inside_each_other")


@mistake("most_context", "first-that-holds-it", "each token is judged in the first window that holds it, even at its edge",
         killed_by="test_the_smaller_side_counts")
def most_context(spans, length):
    return [next(i for i, (start, end) in enumerate(spans) if start <= token < end) for token in range(length)]


@mistake("most_context", "last-that-holds-it", "each token is judged in the last window that holds it, even at its edge",
         killed_by="test_the_smaller_side_counts")
def most_context(spans, length):
    return [max(i for i, (start, end) in enumerate(spans) if start <= token < end) for token in range(length)]


@mistake("most_context", "nearest-middle", "the window whose middle is nearest is taken: a short last window has its middle near, and less context",
         killed_by="test_any_windows_give_each_token_its_place_of_most_context")
def most_context(spans, length):
    def distance(token, span):
        return abs(2 * token - span[0] - span[1] + 1) if span[0] <= token < span[1] else 10**9

    return [min(range(len(spans)), key=lambda i: distance(token, spans[i])) for token in range(length)]
