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


@alternative("few_shot", "string")
def few_shot(description, examples, question, between):
    text = ""
    if description != "":
        text += description + "\n"
    for q, a in examples:
        text += f"{q}{between}{a}\n"
    return f"{text}{question}{between}".rstrip(" ")


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


@alternative("web_text", "parts-of-the-host")
def web_text(posts, least, removed):
    kept = []
    for address, karma in posts:
        parts = urlsplit(address).netloc.split(".")
        blocked = any(".".join(parts[i:]) in removed for i in range(len(parts)))
        if karma < least or blocked or address in kept:
            continue
        kept.append(address)
    return kept


@alternative("web_text", "dict-of-good-posts")
def web_text(posts, least, removed):
    def blocked(address):
        host = address.split("://", 1)[1].split("/", 1)[0]
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
