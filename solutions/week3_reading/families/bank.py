"""Family trees: classic mistakes and other right ways, for each exercise. Never released."""

import pandas as pd
import torch

from etude.papers import families
from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# parents
@alternative("parents", "one-loop")
def parents(rows):
    names = [name for name, _ in rows]
    graph = {name: set() for name in names}
    for name, text in rows:
        if text == "":
            continue
        for parent in text.split(";"):
            if parent not in names:
                raise ValueError("no row for " + parent)
            graph[name].add(parent)
    return graph


@alternative("parents", "pandas")
def parents(rows):
    table = pd.DataFrame(rows, columns=["name", "builds_on"])
    graph = dict(zip(table["name"], table["builds_on"].map(lambda text: set(text.split(";")) - {""})))
    unknown = set().union(*graph.values()) - set(graph)
    if unknown:
        raise ValueError(f"unknown parents: {', '.join(sorted(unknown))}")
    return graph


edit("parents", "turned-round",
     {"return graph": "return {name: {child for child, above in graph.items() if name in above} for name in graph}"},
     "the edges are turned round: to each name belong its parents, not its children",
     killed_by="test_each_name_has_the_set_of_its_parents")
edit("parents", "empty-name", {" if parent}": "}", "if parent not in graph": "if parent and parent not in graph"},
     "an empty text splits into one empty name: who builds on nobody has no parents",
     killed_by="test_each_name_has_the_set_of_its_parents")
edit("parents", "not-split", {'{parent for parent in text.split(";") if parent}': "{text} if text else set()",
     'raise ValueError(f"{name} builds on {parent}, which has no row")': "pass"},
     "several parents are taken for one name: they are separated by ;",
     killed_by="test_each_name_has_the_set_of_its_parents")
edit("parents", "unknown-passes", {'raise ValueError(f"{name} builds on {parent}, which has no row")': "pass"},
     "a parent without a row passes: a misprint must be reported",
     killed_by="test_a_parent_without_a_row_is_reported_by_name")


@mistake("parents", "further-down-unknown",
         "a parent that stands further down in the table is taken for unknown: look when all rows are read",
         killed_by="test_names_stand_in_the_order_of_the_rows_and_a_parent_may_stand_below")
def parents(rows):
    graph = {}
    for name, text in rows:
        graph[name] = {parent for parent in text.split(";") if parent}
        for parent in graph[name]:
            if parent not in graph:
                raise ValueError(f"{name} builds on {parent}, which has no row")
    return graph


edit("parents", "rootless-left-out", {"return graph": "return {name: above for name, above in graph.items() if above}"},
     "those without parents are left out of the graph", killed_by="test_each_name_has_the_set_of_its_parents")

edit("parents", "cut-at-blanks", {"text.split(\";\") if parent": "text.replace(\";\", \" \").split() if parent"},
     "names were cut at blanks: only \";\" separates them", killed_by="test_names_are_taken_as_they_are")



edit("parents", "cut-at-commas", {'text.split(";") if parent': 'text.replace(",", ";").split(";") if parent'},
     'names were cut at commas: only ";" separates them', killed_by="test_any_table_has_its_graph_or_a_name_without_a_row")


# against_time
@alternative("against_time", "first-and-last-month")
def against_time(dates, graph):
    def last_and_first(parent, child):
        months = (dates[parent] + "-01")[:7], (dates[child] + "-12")[:7]
        return months

    edges = [(parent, child) for child in graph for parent in graph[child]]
    return sorted(edge for edge in edges if last_and_first(*edge)[0] > last_and_first(*edge)[1])


@alternative("against_time", "numbers-of-dates")
def against_time(dates, graph):
    parts = {name: [int(part) for part in date.split("-")] for name, date in dates.items()}
    late = []
    for child in sorted(graph):
        for parent in graph[child]:
            pairs = list(zip(parts[parent], parts[child]))
            if [a for a, _ in pairs] > [b for _, b in pairs]:
                late.append((parent, child))
    return sorted(late)


edit("against_time", "same-month-reported",
     {"dates[parent][:known] > dates[child]": "dates[parent][:known] >= dates[child][: len(dates[parent])]"},
     "an edge within one month is reported: a month holds more than one paper",
     killed_by="test_papers_of_the_same_month_may_build_on_each_other")
edit("against_time", "months-against-years", {"dates[parent][:known]": "dates[parent]"},
     "2012-12 is taken for later than 2012: where the month of one is not known, only the years can be compared",
     killed_by="test_a_date_without_a_month_is_compared_by_the_year")
edit("against_time", "forward-edges",
     {"dates[parent][:known] > dates[child]": "dates[parent][:known] < dates[child][: len(dates[parent])]"},
     "these are the edges that run forward", killed_by="test_a_parent_that_is_later_than_its_child_is_reported")
edit("against_time", "only-years", {"dates[parent][:known] > dates[child]": "dates[parent][:4] > dates[child][:4]"},
     "only years are compared: within one year the months count, where both are known",
     killed_by="test_a_parent_that_is_later_than_its_child_is_reported")
edit("against_time", "exchanged", {"(parent, child) for": "(child, parent) for"},
     "the edges are given as (child, parent)", killed_by="test_a_parent_that_is_later_than_its_child_is_reported")


# ancestors
@alternative("ancestors", "fixed-point")
def ancestors(graph, name):
    found = set(graph[name])
    while True:
        more = found.union(*(graph[one] for one in found))
        if more == found:
            return found
        found = more


@alternative("ancestors", "matrix-closure")
def ancestors(graph, name):
    import numpy as np

    names = list(graph)
    reach = np.array([[parent in graph[child] for parent in names] for child in names], dtype=int)
    for _ in names:
        reach = ((reach + reach @ reach) > 0).astype(int)
    return {parent for parent, yes in zip(names, reach[names.index(name)]) if yes}


@alternative("ancestors", "recursive")
def ancestors(graph, name):
    found = set()

    def climb(one):
        for parent in graph[one]:
            if parent not in found:
                found.add(parent)
                climb(parent)

    climb(name)
    return found


edit("ancestors", "parents-only", {"waiting.extend(graph[one])": ""},
     "only the parents: their parents are ancestors too", killed_by="test_parents_of_parents_are_ancestors")
edit("ancestors", "itself-included", {"list(graph[name])": "[name]"},
     "the name itself is among its ancestors", killed_by="test_who_has_no_parents_has_no_ancestors")
edit("ancestors", "descendants", {"list(graph[name])": "[child for child in graph if name in graph[child]]",
     "graph[one]": "child for child in graph if one in graph[child]"},
     "these are the descendants: the way down, not up", killed_by="test_parents_of_parents_are_ancestors")


@mistake("ancestors", "two-generations", "only parents and grandparents",
         killed_by="test_parents_of_parents_are_ancestors")
def ancestors(graph, name):
    return set(graph[name]).union(*(graph[parent] for parent in graph[name]))


@mistake("ancestors", "circle-walked-forever",
         "a circle is walked forever: go on only from names that were not met before",
         killed_by="test_a_circle_is_walked_once")
def ancestors(graph, name):
    found = set()
    for parent in graph[name]:
        found |= {parent} | ancestors(graph, parent)
    return found


edit("ancestors", "graph-changed", {"found = set(graph[name])": "found = graph[name]", "found = more": "found |= more"},
     "the graph is changed: its set of parents was taken for one's own",
     killed_by="test_larger_graphs_agree_with_networkx", of="fixed-point")

@mistake("ancestors", "ten-generations", "the search stopped after ten generations: a line may be longer",
         killed_by="test_a_long_line_and_a_name_that_is_its_own_parent")
def ancestors(graph, name):
    found = set(graph[name])
    for _ in range(10):
        found = found.union(*(graph[one] for one in found))
    return found



# common_ancestors
@alternative("common_ancestors", "recursive-lines")
def common_ancestors(graph, one, other):
    def line(name):
        return set().union({name}, *(line(parent) for parent in graph[name]))

    both = line(one) & line(other)
    return {name for name in both if all(name == low or name not in line(low) for low in both)}


@alternative("common_ancestors", "difference-update")
def common_ancestors(graph, one, other):
    both = (ancestors(graph, one) | {one}).intersection(ancestors(graph, other) | {other})
    nearest = set(both)
    for name in both:
        nearest.difference_update(ancestors(graph, name))
    return nearest


edit("common_ancestors", "all-common", {"both - {above for name in both for above in ancestors(graph, name)}": "both"},
     "all common ancestors: only those are asked for from which no other one descends",
     killed_by="test_the_nearest_of_one_and_its_own_ancestor_is_that_ancestor")
edit("common_ancestors", "itself-left-out", {"(ancestors(graph, one) | {one}) & (ancestors(graph, other) | {other})":
     "ancestors(graph, one) & ancestors(graph, other)"},
     "a name counts among its own ancestors here: of BERT and RoBERTa it is BERT",
     killed_by="test_the_nearest_of_one_and_its_own_ancestor_is_that_ancestor")
edit("common_ancestors", "farthest", {"both - {above for name in both for above in ancestors(graph, name)}":
     "{name for name in both if not ancestors(graph, name) & both}"},
     "the farthest ones: take away the ancestors of others, not those that have some",
     killed_by="test_all_pairs_agree_with_networkx")
edit("common_ancestors", "parents-only",
     {"both - {above for name in both for above in ancestors(graph, name)}": "graph[one] & graph[other]"},
     "only common parents: the nearest common ancestor may be further up",
     killed_by="test_the_nearest_of_one_and_its_own_ancestor_is_that_ancestor")
edit("common_ancestors", "one-of-several", {"both - {above for name in both for above in ancestors(graph, name)}":
     "set(sorted(both - {above for name in both for above in ancestors(graph, name)})[:1])"},
     "only one of several nearest ones is given", killed_by="test_there_may_be_two_nearest_ones_or_none")


# reading_order
@alternative("reading_order", "heap")
def reading_order(graph, dates):
    import heapq

    waits = {name: len(above) for name, above in graph.items()}
    free = [(dates[name], name) for name, count in waits.items() if count == 0]
    heapq.heapify(free)
    found = []
    while free:
        _, name = heapq.heappop(free)
        found.append(name)
        for child, above in graph.items():
            if name in above:
                waits[child] -= 1
                if waits[child] == 0:
                    heapq.heappush(free, (dates[child], child))
    if len(found) < len(graph):
        raise ValueError("there is a circle")
    return found


@alternative("reading_order", "first-free-by-age")
def reading_order(graph, dates):
    by_age, found = sorted(graph, key=lambda name: (dates[name], name)), []
    while len(found) < len(by_age):
        found.append(next((n for n in by_age if n not in found and graph[n] <= set(found)), None))
        if found[-1] is None:
            raise ValueError("there is a circle")
    return found


@mistake("reading_order", "by-date-alone", "sorted by date alone: a child must wait for its parents",
         killed_by="test_a_child_waits_for_its_parents_whatever_its_date")
def reading_order(graph, dates):
    if any(name in ancestors(graph, name) for name in graph):
        raise ValueError("a circle")
    return sorted(graph, key=lambda name: (dates[name], name))


edit("reading_order", "alphabet-first", {"f\"a circle among {', '.join(map(str, left))}\"": '"a circle"',
     "free, key=lambda name: (dates[name], name)": "free"},
     "the alphabet goes before the date", killed_by="test_the_earliest_comes_first_and_then_the_alphabet")
edit("reading_order", "ties-by-table", {"set(graph), []": "list(graph), []",
     "graph[name] & left": "graph[name] & set(left)", "(dates[name], name)": "dates[name]"},
     "of equal dates the first in the alphabet is asked for, not the first in the table",
     killed_by="test_the_earliest_comes_first_and_then_the_alphabet")
edit("reading_order", "children-first", {"graph[name] & left": "any(name in graph[other] for other in left)"},
     "children stand before their parents", killed_by="test_a_child_waits_for_its_parents_whatever_its_date")
edit("reading_order", "circle-passed-over",
     {"raise ValueError(f\"a circle among {', '.join(map(str, left))}\")": "break"},
     "a circle is passed over in silence: what stands on it is missing", killed_by="test_in_a_circle_there_is_no_order")
edit("reading_order", "whole-generations", {"found.append(min(free, key=lambda name: (dates[name], name)))":
     "found += sorted(free, key=lambda name: (dates[name], name))", "left.remove(found[-1])": "left -= set(free)"},
     "whole generations are taken at once: after each name, look anew who is free",
     killed_by="test_larger_graphs_agree_with_networkx_order")

edit("reading_order", "year-at-its-end", {"(dates[name], name)": "(dates[name] if \"-\" in dates[name] else dates[name] + \"-12\", name)"},
     "a year alone was taken for its end: dates are compared as strings, and \"2018\" stands before \"2018-03\"",
     killed_by="test_dates_are_compared_as_strings")



edit("reading_order", "dates-for-names", {"left, found = set(graph), []": "left, found = set(dates), []", "graph[name] & left": "graph.get(name, set()) & left"},
     "all names with a date were put in order: the graph says which are asked for", killed_by="test_any_graph_has_its_order_or_a_circle")
edit("reading_order", "twenty-rounds", {"while left:": "for _ in range(20):\n        if not left:\n            break"},
     "after twenty names the search stops: there may be more", killed_by="test_long_lines_and_large_circles")


# step
@alternative("step", "torch-operations")
def step(weights, gradient, state, *, lr, strength=0.0, beta1=0.9, beta2=0.999, eps=1e-8, **parts):
    momentum, scale, decay, correct = (parts.get(name, "none") for name in ("momentum", "scale", "decay", "correct"))
    t, m, v = state
    t += 1
    g = torch.add(gradient, weights, alpha=strength) if decay == "coupled" else gradient
    if momentum == "sum":
        m = m.mul(beta1).add(g)
    elif momentum == "mean":
        m = torch.lerp(m, g, 1 - beta1)
    else:
        m = g
    if scale == "sum":
        v = torch.addcmul(v, g, g)
    elif scale == "mean":
        v = v.mul(beta2).addcmul(g, g, value=1 - beta2)
    rate = lr / (1 - beta1**t) if correct is True and momentum == "mean" else lr
    kept = 1 - lr * strength if decay == "decoupled" else 1
    if scale == "none":
        return weights.mul(kept).sub(m, alpha=rate), (t, m, v)
    root = v.sqrt() / ((1 - beta2**t) ** 0.5 if correct is True and scale == "mean" else 1)
    return torch.addcdiv(weights.mul(kept), m, root.add(eps), value=-rate), (t, m, v)


@alternative("step", "numpy")
def step(weights, gradient, state, *, lr, strength=0.0, beta1=0.9, beta2=0.999, eps=1e-8, **parts):
    momentum, scale, decay, correct = (parts.get(name, "none") for name in ("momentum", "scale", "decay", "correct"))
    import numpy as np

    t, *memories = state
    t, (m, v) = t + 1, (np.asarray(memory, dtype=float) for memory in memories)
    w, g = np.array(weights, dtype=float), np.array(gradient, dtype=float)
    g = g + (strength if decay == "coupled" else 0) * w
    old, new = {"none": (0, 1), "sum": (beta1, 1), "mean": (beta1, 1 - beta1)}[momentum]
    m = old * m + new * g
    old, new = {"none": (1, 0), "sum": (1, 1), "mean": (beta2, 1 - beta2)}[scale]
    v = old * v + new * g * g
    first = m / (1 - beta1**t) if correct is True and momentum == "mean" else m
    second = v / (1 - beta2**t) if correct is True and scale == "mean" else v
    divisor = 1.0 if scale == "none" else np.sqrt(second) + eps
    w = w - lr * (strength * w if decay == "decoupled" else 0) - lr * first / divisor
    return torch.from_numpy(w), (t, torch.from_numpy(m), torch.from_numpy(np.array(v)))


edit("step", "decay-always-coupled", {'decay == "coupled"': 'decay != "none"',
     "weights = weights - lr * strength * weights": "pass"},
     "weight decay was added to the gradient in both cases: decoupled, it stands beside the step and is not scaled",
     killed_by="test_with_decoupled_decay_it_is_torchs_adamw")
edit("step", "steps-from-zero", {"t = t + 1": "",
     "return weights - lr * direction, (t, m, v)": "return weights - lr * direction, (t + 1, m, v)"},
     "the count of steps begins at 0, so the first correction divides by 0: the first step is 1",
     killed_by="test_both_means_with_correction_are_torchs_adam")
edit("step", "no-correction", {"t, m, v = state": "t, m, v = state\n    correct = False"},
     "no correction: at first the means are too near to 0, where they began",
     killed_by="test_both_means_with_correction_are_torchs_adam")
edit("step", "corrected-kept",
     {"return weights - lr * direction, (t, m, v)":
     ('m = direction * (square.sqrt() + eps) if scale != "none" else direction\n'
      "    return weights - lr * direction, (t, m, square)")},
     "the corrected means are kept as memories: the correction is for this step only",
     killed_by="test_both_means_with_correction_are_torchs_adam")
edit("step", "epsilon-under-root", {"(square.sqrt() + eps)": "(square + eps).sqrt()"},
     "ε stands under the root: here it is added to the root", killed_by="test_a_mean_of_squares_is_torchs_rmsprop")
edit("step", "root-missing", {"square.sqrt()": "square"},
     "the root is missing: a coordinate is divided by the root of its mean square",
     killed_by="test_a_mean_of_squares_is_torchs_rmsprop")
edit("step", "mean-for-sum", {'"sum": beta1 * m + gradient': '"sum": beta1 * m + (1 - beta1) * gradient'},
     "a running mean in place of the sum: Polyak's momentum adds the whole gradient",
     killed_by="test_momentum_is_torchs")
edit("step", "adagrad-forgets", {'"sum": v + gradient**2': '"sum": beta2 * v + gradient**2'},
     "AdaGrad's sum forgets: all squares count the same, however old",
     killed_by="test_a_sum_of_squares_is_torchs_adagrad")
edit("step", "decay-without-rate", {"lr * strength": "strength"},
     "decoupled decay without the rate: it is λ times the weights, times the rate",
     killed_by="test_with_decoupled_decay_it_is_torchs_adamw")
edit("step", "decays-exchanged", {'decay == "coupled"': 'decay == "decoupled"',
     'decay == "decoupled"': 'decay == "coupled"'},
     "the two decays are exchanged", killed_by="test_with_decoupled_decay_it_is_torchs_adamw")
edit("step", "uphill", {"weights - lr * direction": "weights + lr * direction"},
     "the step goes uphill: the direction is subtracted", killed_by="test_without_parts_it_is_sgd")
edit("step", "changed-in-place",
     {"return weights - lr * direction, (t, m, v)": "weights.sub_(lr * direction)\n    return weights, (t, m, v)"},
     "the weights are changed in place", killed_by="test_weights_gradient_and_memories_are_not_changed_in_place")

edit("step", "counted-when-corrected", {"t = t + 1": "t = t + 1 if correct else t"},
     "the step was counted only where the correction is on", killed_by="test_every_step_counts_and_memories_roll_on")



edit("step", "correction-of-a-hundred-steps", {"(1 - beta1**t)": "(1 - beta1 ** min(t, 100))", "(1 - beta2**t)": "(1 - beta2 ** min(t, 100))"},
     "from the hundredth step on the correction stays the same: it goes on, for beta2 far longer", killed_by="test_adam_goes_on_after_many_steps")
edit("step", "scale-only-where-there-is-one", {"(square.sqrt() + eps)": "torch.where(square > 1e-20, square.sqrt() + eps, 1.0)"},
     "where the scale is small nothing was divided: ε is added, and all is divided", killed_by="test_where_the_gradient_is_0_a_scale_moves_nothing")
edit("step", "still-where-the-scale-is-0",
     {"direction / (square.sqrt() + eps)": "torch.where(square > 0, direction / (square.sqrt() + eps), 0.0)"},
     "where the scale is 0 the weights stayed: a momentum that is left there is divided by ε",
     killed_by="test_any_steps_from_any_state_agree_with_sums_over_all_gradients")


# reading
@alternative("reading", "by-ancestors")
def reading(length, sees):
    if set(sees) != set(range(length)):
        return "AE"
    return "AE" if any(i in ancestors(sees, i) for i in sees) else "AR"


@alternative("reading", "by-elimination")
def reading(length, sees):
    if len(sees) != length:
        return "AE"
    told = set()
    for _ in range(length):
        told |= {i for i, seen in sees.items() if set(seen) <= told}
    return "AR" if len(told) == length else "AE"


@alternative("reading", "matrix-power")
def reading(length, sees):
    if len(sees) != length:
        return "AE"
    matrix = torch.zeros(length, length)
    for i, seen in sees.items():
        matrix[i, list(seen)] = 1
    return "AE" if torch.linalg.matrix_power(matrix, length).any() else "AR"


@mistake("reading", "first-token-free", "the first token need not be predicted: all of them must be",
         killed_by="test_a_text_of_which_not_all_is_predicted_is_autoencoding")
def reading(length, sees):
    if not set(range(1, length)) <= set(sees):
        return "AE"
    graph = {i: set(sees.get(i, ())) for i in range(length)}
    try:
        reading_order(graph, dict.fromkeys(graph, ""))
    except ValueError:
        return "AE"
    return "AR"


edit("reading", "any-order-refused", {'reading_order(sees, dict.fromkeys(sees, ""))':
     'if any(j >= i for i, seen in sees.items() for j in seen):\n            return "AE"'},
     "who uses tokens on both sides is taken for autoencoding: any order will do, not only from left to right",
     killed_by="test_a_drawn_order_is_autoregressive_though_it_uses_both_sides")
edit("reading", "partial-prediction",
     {'if len(sees) < length:\n        return "AE"': "full = {i: sees.get(i, set()) for i in range(length)}",
     'sees, dict.fromkeys(sees, "")': 'full, dict.fromkeys(full, "")'},
     "a text of which only some tokens are predicted has no probability: all must be predicted",
     killed_by="test_left_to_right_is_autoregressive_and_hidden_tokens_are_not")
edit("reading", "circles-not-looked-for", {'reading_order(sees, dict.fromkeys(sees, ""))': "pass"},
     "circles are not looked for: two tokens that see each other are told the answer",
     killed_by="test_tokens_that_see_each_other_are_no_probability_of_the_text")
edit("reading", "self-loop-only", {'reading_order(sees, dict.fromkeys(sees, ""))':
     'if any(i in seen for i, seen in sees.items()):\n            return "AE"'},
     "only a token that sees itself is found: a circle may be longer",
     killed_by="test_tokens_that_see_each_other_are_no_probability_of_the_text")
edit("reading", "exchanged", {'return "AE"\n    try': 'return "AR"\n    try',
     'ValueError:\n        return "AE"': 'ValueError:\n        return "AR"', '    return "AR"': '    return "AE"'},
     "the two words are exchanged", killed_by="test_left_to_right_is_autoregressive_and_hidden_tokens_are_not")
edit("reading", "pairs-only", {'reading_order(sees, dict.fromkeys(sees, ""))':
     'if any(i != j and i in sees[j] for i, seen in sees.items() for j in seen):\n            return "AE"'},
     "only pairs that see each other are found: a circle may be longer, or a single token",
     killed_by="test_tokens_that_see_each_other_are_no_probability_of_the_text")


edit("reading", "circles-of-three", {'reading_order(sees, dict.fromkeys(sees, ""))':
     'if any(i in {i_ for j in sees[i] for k in sees[j] for i_ in (j, k, *sees[k])} for i in sees):\n            return "AE"'},
     "only circles of up to three tokens are found: they may be longer", killed_by="test_a_circle_may_have_any_length_and_lie_anywhere")


# cards: written line by line
@alternative("cards", "lines")
def cards():
    lines = """
    Transformer: both, AR, translation | GPT: decoder, AR, next token | BERT: encoder, AE, masked tokens + next sentence |
    Transformer-XL: decoder, AR, next token | GPT-2: decoder, AR, next token | XLNet: encoder, AR, permuted order |
    RoBERTa: encoder, AE, masked tokens | TinyBERT: encoder, AE, teacher |
    ALBERT: encoder, AE, masked tokens + sentence order | DistilBERT: encoder, AE, masked tokens + teacher |
    T5: both, both, masked spans | KoBERT: encoder, AE, masked tokens + next sentence |
    ELECTRA: encoder, AE, replaced tokens | KoELECTRA: encoder, AE, masked tokens + replaced tokens |
    GPT-3: decoder, AR, next token | KR-BERT: encoder, AE, masked tokens + next sentence
    """
    rows = (line.strip().split(": ") for line in lines.split("|"))
    facts = ((name, *rest.split(", ")) for name, rest in rows)
    return {name: (half, way, set(tasks.split(" + "))) for name, half, way, tasks in facts}


@alternative("cards", "by-family")
def cards():
    bert = frozenset({"masked tokens", "next sentence"})
    left = frozenset({"next token"})
    found = dict.fromkeys(("GPT", "GPT-2", "GPT-3", "Transformer-XL"), ("decoder", "AR", left))
    found |= dict.fromkeys(("BERT", "KoBERT", "KR-BERT"), ("encoder", "AE", bert))
    found |= dict.fromkeys(("ELECTRA", "KoELECTRA"), ("encoder", "AE", {"replaced tokens"}))
    for name, tasks in (
        ("RoBERTa", {"masked tokens"}),
        ("ALBERT", {"masked tokens", "sentence order"}),
        ("DistilBERT", {"masked tokens", "teacher"}),
        ("TinyBERT", {"teacher"}),
    ):
        found[name] = ("encoder", "AE", tasks)
    found["XLNet"] = ("both", "AR", {"permuted order"})
    found["T5"] = ("both", "both", {"masked spans"})
    found["Transformer"] = ("both", "AR", {"translation"})
    return found


edit("cards", "bert-as-decoder", {"return {": "cards = {",
     '"KR-BERT": ("encoder", "AE", {"masked tokens", "next sentence"}),\n    }':
     ('"KR-BERT": ("encoder", "AE", {"masked tokens", "next sentence"}),\n'
      "    }\n"
      '    return {name: ("decoder" if way == "AE" else half, way, tasks) for name, (half, way, tasks) in cards.items()}')},
     "BERT and its children are taken for the decoder: every position of theirs sees all others",
     killed_by="test_halves_readings_and_tasks_agree")
edit("cards", "gpt-as-encoder", {'"GPT": ("decoder"': '"GPT": ("encoder"', '"GPT-2": ("decoder"': '"GPT-2": ("encoder"',
     '"GPT-3": ("decoder"': '"GPT-3": ("encoder"'},
     "the GPTs are taken for encoders: each position sees those before it only",
     killed_by="test_halves_readings_and_tasks_agree")
edit("cards", "xlnet-autoencoding", {'"XLNet": ("decoder", "AR"': '"XLNet": ("encoder", "AE"'},
     "XLNet is taken for autoencoding: it predicts one token after another, in an order that is drawn",
     killed_by="test_halves_readings_and_tasks_agree")
edit("cards", "electra-as-gan", {'"ELECTRA": ("encoder", "AE", {"masked tokens", "replaced tokens"})':
     '"ELECTRA": ("encoder", "AE", {"adversarial"})',
     '"KoELECTRA": ("encoder", "AE", {"masked tokens", "replaced tokens"})':
     '"KoELECTRA": ("encoder", "AE", {"adversarial"})'},
     "ELECTRA is taken for a GAN: its generator is trained by maximum likelihood, and nothing misleads",
     killed_by="test_electra_is_no_gan")
edit("cards", "roberta-next-sentence", {'"RoBERTa": ("encoder", "AE", {"masked tokens"})':
     '"RoBERTa": ("encoder", "AE", {"masked tokens", "next sentence"})'},
     "RoBERTa keeps predicting the next sentence: it dropped that",
     killed_by="test_the_second_task_of_bert_roberta_and_albert")
edit("cards", "albert-next-sentence", {'"sentence order"': '"next sentence"'},
     "ALBERT is given BERT's next sentences: it asks for the order of two consecutive segments",
     killed_by="test_the_second_task_of_bert_roberta_and_albert")
edit("cards", "t5-as-encoder", {'"T5": ("both", "both"': '"T5": ("encoder", "AE"'},
     "T5 is taken for an encoder: it reads with one half and writes with the other",
     killed_by="test_distilled_models_have_a_teacher_and_t5_both_halves")
edit("cards", "distillation-missing",
     {'"TinyBERT": ("encoder", "AE", {"teacher"})': '"TinyBERT": ("encoder", "AE", {"masked tokens"})',
     ', "teacher"}': "}"},
     "DistilBERT and TinyBERT learn from a teacher",
     killed_by="test_distilled_models_have_a_teacher_and_t5_both_halves")


edit("cards", "transformer-next-token", {'{"translation"}': '{"next token"}'},
     "the Transformer was trained for translation", killed_by="test_the_cards_of_the_transformer_t5_and_transformer_xl")
edit("cards", "albert-without-masks", {'{"masked tokens", "sentence order"}': '{"sentence order"}'},
     "ALBERT keeps the masked tokens beside the order of sentences", killed_by="test_the_cards_of_bert_roberta_albert_and_electra")
edit("cards", "tinybert-as-decoder", {'"TinyBERT": ("encoder", "AE"': '"TinyBERT": ("decoder", "AR"'},
     "TinyBERT is a smaller BERT, so an encoder", killed_by="test_the_cards_of_small_and_of_korean_models")


# tree: written line by line
@alternative("tree", "tokenizers-too")
def tree():
    lines = """
    LSA: counts, objective: GloVe | word2vec: model, units: fastText | LSTM: model, architecture: seq2seq |
    LSTM: model, objective: ELMo | attention: model, size: GNMT | WordPiece: tokenizer, nothing: GNMT, BERT, ELECTRA |
    attention: attention, architecture: Transformer | BPE: tokenizer, nothing: SentencePiece |
    unigram LM: tokenizer, nothing: SentencePiece | Transformer: decoder, objective: GPT |
    Transformer: encoder, objective: BERT | Transformer: decoder, architecture: Transformer-XL |
    Transformer: encoder and decoder, objective: T5 | SentencePiece: tokenizer, nothing: T5, KoBERT, ALBERT |
    GPT: model, size: GPT-2 | BPE: tokenizer, units: GPT-2 | GPT-2: model, size: GPT-3 |
    Transformer-XL: model, objective: XLNet | BERT: encoder, objective: RoBERTa | BERT: model, objective: ALBERT, ELECTRA |
    BERT: model, distillation: DistilBERT, TinyBERT | BERT: model, knowledge: ERNIE, KagNet |
    BERT: model, language: KoBERT, KR-BERT | ELECTRA: model, language: KoELECTRA | word2vec: model, objective: GloVe |
    GPT: model, objective: BERT | ELMo: model, architecture: BERT
    """
    rows = [line.strip().split(": ") for line in lines.split("|")]
    return {(parent, child): tuple(words.split(", ")) for parent, words, young in rows for child in young.split(", ")}


@alternative("tree", "direct-models")
def tree():
    lines = """
    LSA: counts, objective: GloVe | word2vec: model, units: fastText | LSTM: model, architecture: seq2seq |
    LSTM: model, objective: ELMo | attention: model, size: GNMT | WordPiece: tokenizer, nothing: GNMT, BERT |
    attention: attention, architecture: Transformer | unigram LM: tokenizer, nothing: SentencePiece |
    Transformer: decoder, objective: GPT | Transformer: encoder, objective: BERT |
    Transformer: decoder, architecture: Transformer-XL | Transformer: encoder and decoder, objective: T5 |
    SentencePiece: tokenizer, nothing: T5 | GPT: model, size: GPT-2 | BPE: tokenizer, units: GPT-2 |
    GPT-2: model, size: GPT-3 | Transformer-XL: model, objective: XLNet | BERT: model, training: RoBERTa |
    BERT: model, sharing: ALBERT | BERT: model, objective: ELECTRA | BERT: model, distillation: DistilBERT, TinyBERT |
    BERT: model, knowledge: ERNIE, KagNet | BERT: model, language: KoBERT, KR-BERT | ELECTRA: model, language: KoELECTRA
    """
    rows = [line.strip().split(": ") for line in lines.split("|")]
    return {(parent, child): tuple(words.split(", ")) for parent, words, young in rows for child in young.split(", ")}


edit("tree", "turned-round", {"return {": "edges = {",
     '("ELECTRA", "KoELECTRA"): ("model", "language"),\n    }':
     ('("ELECTRA", "KoELECTRA"): ("model", "language"),\n'
      "    }\n"
      "    return {(child, parent): words for (parent, child), words in edges.items()}")},
     "the edges are turned round: an edge is (parent, child)", killed_by="test_no_parent_is_later_than_its_child")
edit("tree", "halves-exchanged", {'("Transformer", "GPT"): ("decoder"': '("Transformer", "GPT"): ("encoder"',
     '("Transformer", "BERT"): ("encoder"': '("Transformer", "BERT"): ("decoder"'},
     "BERT took the encoder and GPT the decoder, not the other way round",
     killed_by="test_who_took_which_half_of_the_transformer")


@mistake("tree", "all-from-transformer", "everything is hung on the Transformer: direct parents are asked for",
         killed_by="test_f1_of_the_edges_is_at_least_0_60")
def tree():
    lines = """
    LSA: counts, objective: GloVe | word2vec: model, units: fastText | LSTM: model, architecture: seq2seq |
    LSTM: model, objective: ELMo | attention: model, size: GNMT | WordPiece: tokenizer, nothing: GNMT, BERT |
    BPE: tokenizer, nothing: SentencePiece | unigram LM: tokenizer, nothing: SentencePiece |
    SentencePiece: tokenizer, nothing: T5, KoBERT | BPE: tokenizer, units: GPT-2 |
    attention: attention, architecture: Transformer |
    Transformer: model, objective: GPT, BERT, Transformer-XL, GPT-2, ERNIE, XLNet, RoBERTa, KagNet, TinyBERT, ALBERT, DistilBERT, T5, KoBERT, ELECTRA, KoELECTRA, GPT-3, KR-BERT
    """
    rows = [line.strip().split(": ") for line in lines.split("|")]
    return {(parent, child): tuple(words.split(", ")) for parent, words, young in rows for child in young.split(", ")}


edit("tree", "distillation-as-size",
     {'("BERT", "DistilBERT"): ("model", "distillation")': '("BERT", "DistilBERT"): ("model", "size")',
     '("BERT", "TinyBERT"): ("model", "distillation")': '("BERT", "TinyBERT"): ("model", "size")'},
     "DistilBERT and TinyBERT are taken for other sizes: they learn from their parent",
     killed_by="test_small_is_made_by_teaching_or_by_sharing")
edit("tree", "xlnet-from-bert", {'("Transformer-XL", "XLNet")': '("BERT", "XLNet")'},
     "XLNet starts from Transformer-XL: BERT is what it compares itself with",
     killed_by="test_gpt_2_starts_from_gpt_and_xlnet_from_transformer_xl")
edit("tree", "gpt2-from-bert", {'("GPT", "GPT-2")': '("BERT", "GPT-2")'},
     "GPT-2 starts from GPT, not from BERT, which came between them",
     killed_by="test_gpt_2_starts_from_gpt_and_xlnet_from_transformer_xl")
edit("tree", "koelectra-from-kobert", {'("ELECTRA", "KoELECTRA")': '("KoBERT", "KoELECTRA")'},
     "KoELECTRA is hung on KoBERT by its language: it is an ELECTRA",
     killed_by="test_the_korean_models_and_their_parents")
edit("tree", "tokenizers-left-out", {"return {": "edges = {",
     '("ELECTRA", "KoELECTRA"): ("model", "language"),\n    }':
     ('("ELECTRA", "KoELECTRA"): ("model", "language"),\n'
      "    }\n"
      '    return {edge: words for edge, words in edges.items() if words[0] != "tokenizer"}')},
     "the tokenizers are left out", killed_by="test_every_model_of_the_table_is_in_the_tree")
edit("tree", "words-exchanged", {"return {": "edges = {",
     '("ELECTRA", "KoELECTRA"): ("model", "language"),\n    }':
     ('("ELECTRA", "KoELECTRA"): ("model", "language"),\n'
      "    }\n"
      "    return {edge: words[::-1] for edge, words in edges.items()}")},
     "the words are exchanged: (taken, changed)", killed_by="test_edges_have_known_names_and_words")


@mistake("tree", "one-before-in-table",
         "of all models the one before in the table is the parent: likeness in time is no descent",
         killed_by="test_f1_of_the_edges_is_at_least_0_60")
def tree():
    from itertools import pairwise

    names = list(families.models()["name"])
    order = [name for name in names if name not in ("KoBERT", "KoELECTRA")]
    found = dict.fromkeys(pairwise(order), ("model", "objective"))
    return found | {("BERT", "KoBERT"): ("model", "language"), ("ELECTRA", "KoELECTRA"): ("model", "language")}


edit("tree", "transformer-to-gpt3", {'("GPT-2", "GPT-3"): ("model", "size"),': '("GPT-2", "GPT-3"): ("model", "size"),\n        ("Transformer", "GPT-3"): ("decoder", "size"),'},
     "GPT-3 has an edge from the Transformer: only direct parents are asked for", killed_by="test_only_direct_parents_have_an_edge")
edit("tree", "roberta-as-size", {'("BERT", "RoBERTa"): ("model", "training")': '("BERT", "RoBERTa"): ("model", "size")'},
     "RoBERTa is no larger BERT: it is trained longer, on more", killed_by="test_what_bert_gpt_t5_and_their_children_changed")
edit("tree", "fasttext-as-objective", {'("word2vec", "fastText"): ("model", "units")': '("word2vec", "fastText"): ("model", "objective")'},
     "fastText keeps word2vec's objective: it works on pieces of words", killed_by="test_the_words_of_pieces_and_of_languages")


# What no check can tell from a right answer.

equivalent(
    "parents", "1: text.split(';') → text.strip().split(';')", "no name in a table begins or ends with a blank"
)
