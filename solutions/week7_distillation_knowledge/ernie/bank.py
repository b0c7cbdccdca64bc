"""ernie: classic mistakes and other right ways, for each exercise. Never released."""

import math

import numpy as np
import torch
from torch.nn import functional

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# transe_loss
@alternative("transe_loss", "loop")
def transe_loss(entities, relations, facts, corrupted, margin):
    total = 0 * (entities.sum() + relations.sum())  # with no facts both have a gradient, of 0
    for true, false in zip(facts.tolist(), corrupted.tolist()):
        gaps = [torch.linalg.norm(entities[h] + relations[r] - entities[t]) for h, r, t in (true, false)]
        total = total + (margin + gaps[0] - gaps[1]).clamp(min=0)
    return total


@alternative("transe_loss", "torch-norm")
def transe_loss(entities, relations, facts, corrupted, margin):
    h, r, t = torch.cat([facts, corrupted]).unbind(dim=1)
    far = (entities[h] + relations[r] - entities[t]).norm(p=2, dim=-1)
    near, off = far.split([len(facts), len(corrupted)])
    return torch.clamp_min(near - off + margin, 0).sum()


@alternative("transe_loss", "ranking-loss-of-torch")
def transe_loss(entities, relations, facts, corrupted, margin):
    def score(x):
        return -torch.linalg.vector_norm(entities[x[:, 0]] + relations[x[:, 1]] - entities[x[:, 2]], dim=-1)

    ones = torch.ones(len(facts), dtype=entities.dtype)
    return functional.margin_ranking_loss(score(facts), score(corrupted), ones, margin=margin, reduction="sum")


edit("transe_loss", "mean", {"distance(corrupted)).sum()": "distance(corrupted)).mean()"},
     "the pairs are averaged: they are summed", killed_by="test_pairs_are_summed_and_heads_and_relations_count")
edit("transe_loss", "no-margin", {"margin + distance(facts)": "distance(facts)"},
     "the margin is left out: then all vectors at one point cost nothing", killed_by="test_a_pair_within_the_margin_costs_what_is_missing")
edit("transe_loss", "upside-down", {"margin + distance(facts) - distance(corrupted)": "margin + distance(corrupted) - distance(facts)"},
     "the corrupted fact is pulled together and the true one apart", killed_by="test_a_pair_within_the_margin_costs_what_is_missing")
edit("transe_loss", "negative-pairs", {"functional.relu(margin + distance(facts) - distance(corrupted)).sum()": "(margin + distance(facts) - distance(corrupted)).sum()"},
     "pairs that keep the margin are paid for: the least is 0", killed_by="test_a_pair_that_keeps_the_margin_costs_nothing")
edit("transe_loss", "relu-of-the-sum", {"functional.relu(margin + distance(facts) - distance(corrupted)).sum()": "functional.relu((margin + distance(facts) - distance(corrupted)).sum())"},
     "the maximum with 0 is taken of the whole sum: of each pair", killed_by="test_any_pairs_cost_what_they_cost_one_by_one")
edit("transe_loss", "squared", {"torch.linalg.vector_norm(step, dim=1)": "(step**2).sum(dim=1)"},
     "the distance is squared: it is the length itself", killed_by="test_a_pair_within_the_margin_costs_what_is_missing")
edit("transe_loss", "city-blocks", {"vector_norm(step, dim=1)": "vector_norm(step, ord=1, dim=1)"},
     "absolute values are summed: the distance asked for is Euclidean", killed_by="test_a_pair_within_the_margin_costs_what_is_missing")
edit("transe_loss", "no-relation", {" + relations[triples[:, 1]]": ""},
     "the relation is left out: head and tail would have to be one point", killed_by="test_a_pair_within_the_margin_costs_what_is_missing")
edit("transe_loss", "relation-taken-off", {"+ relations[triples": "- relations[triples"},
     "the relation's arrow is taken off: it is added to the head", killed_by="test_a_pair_within_the_margin_costs_what_is_missing")
edit("transe_loss", "root-by-hand", {"torch.linalg.vector_norm(step, dim=1)": "(step**2).sum(dim=1).sqrt()"},
     "the root has no derivative at 0: a fact that fits exactly makes every vector NaN", killed_by="test_a_fact_that_fits_exactly_has_a_gradient_that_is_a_number")
edit("transe_loss", "small-number-in-the-root", {"torch.linalg.vector_norm(step, dim=1)": "((step**2).sum(dim=1) + 1e-3).sqrt()"},
     "a small number in the root makes exact facts cost something", killed_by="test_a_pair_within_the_margin_costs_what_is_missing")
edit("transe_loss", "smaller-number-in-the-root", {"torch.linalg.vector_norm(step, dim=1)": "((step**2).sum(dim=1) + 1e-12).sqrt()"},
     "a small number in the root is not small beside the squares of short distances", killed_by="test_a_pair_that_keeps_the_margin_moves_nothing_and_all_others_do")
edit("transe_loss", "corrupted-detached", {"- distance(corrupted)": "- distance(corrupted).detach()"},
     "the corrupted facts are taken as constants: nothing pushes them away", killed_by="test_a_pair_that_keeps_the_margin_moves_nothing_and_all_others_do")
edit("transe_loss", "softplus", {"functional.relu(": "functional.softplus("},
     "softplus costs something even where the margin is kept", killed_by="test_a_pair_that_keeps_the_margin_costs_nothing")


@mistake("transe_loss", "number-for-no-pair", "without pairs the number 0 comes back: a tensor was asked for", killed_by="test_no_pair_costs_nothing")
def transe_loss(entities, relations, facts, corrupted, margin):
    total = 0
    for true, false in zip(facts.tolist(), corrupted.tolist()):
        gaps = [torch.linalg.norm(entities[h] + relations[r] - entities[t]) for h, r, t in (true, false)]
        total = total + (margin + gaps[0] - gaps[1]).clamp(min=0)
    return total


# corrupt
@alternative("corrupt", "tensors")
def corrupt(facts, heads, candidates, known):
    made = facts[:, None, :].repeat(1, candidates.shape[1], 1)  # (M, K, 3)
    made[:, :, 0] = torch.where(heads[:, None], candidates, made[:, :, 0])
    made[:, :, 2] = torch.where(heads[:, None], made[:, :, 2], candidates)
    true = (made[:, :, None, :] == known[None, None]).all(dim=-1).any(dim=-1)  # (M, K)
    first = (~true).long().argmax(dim=1)
    return made[torch.arange(len(facts)), first]


@alternative("corrupt", "one-by-one")
def corrupt(facts, heads, candidates, known):
    made, all_known = facts.clone(), known.tolist()
    for i in range(len(facts)):
        column = 0 if heads[i] else 2
        for candidate in candidates[i]:
            made[i, column] = candidate
            if made[i].tolist() not in all_known:
                break
    return made


edit("corrupt", "first-candidate", {" if triple not in true": ""},
     "the first candidate is taken even where it makes a known fact", killed_by="test_a_candidate_that_makes_a_known_fact_is_skipped")
edit("corrupt", "both-ends", {"(other, relation, tail) if at_head": "(other, relation, other) if at_head"},
     "head and tail are replaced: one of the two is", killed_by="test_the_head_or_the_tail_is_replaced_and_never_both")
edit("corrupt", "wrong-end", {"if at_head else": "if not at_head else"},
     "the tail is replaced where the head was to be, and the other way round", killed_by="test_the_head_or_the_tail_is_replaced_and_never_both")
edit("corrupt", "always-tails", {"(other, relation, tail) if at_head else (head, relation, other)": "(head, relation, other)"},
     "only tails are replaced", killed_by="test_the_head_or_the_tail_is_replaced_and_never_both")
edit("corrupt", "unlike-the-fact-alone", {" if triple not in true": " if triple != (head, relation, tail)"},
     "only the fact itself is skipped: every known fact is", killed_by="test_a_candidate_that_makes_a_known_fact_is_skipped")
edit("corrupt", "known-but-itself", {" if triple not in true": " if triple not in true or triple == (head, relation, tail)"},
     "the fact itself is taken for corrupted", killed_by="test_the_fact_itself_is_known_too")
edit("corrupt", "last-candidate", {"for other in tried)": "for other in reversed(tried))"},
     "the candidates are tried from the end", killed_by="test_the_head_or_the_tail_is_replaced_and_never_both")
edit("corrupt", "known-in-the-batch", {"map(tuple, known.tolist())": "map(tuple, facts.tolist())"},
     "only facts of the batch are skipped: all known ones are", killed_by="test_a_candidate_that_makes_a_known_fact_is_skipped")
edit("corrupt", "through-float32", {"map(tuple, known.tolist())": "map(tuple, known.float().tolist())", " if triple not in true": " if tuple(torch.tensor(triple).float().tolist()) not in true"},
     "triples are compared in float32, where 2²⁴ + 1 is 2²⁴", killed_by="test_triples_are_told_apart_however_large_their_numbers_are")
edit("corrupt", "no-rows-no-shape", {".reshape(-1, 3)": ""},
     "no fact at all comes back without its second dimension", killed_by="test_no_fact_and_one_fact_keep_their_two_dimensions")


@mistake("corrupt", "entity-in-any-fact", "a candidate is skipped if it stands in any fact: only what makes a known triple is known",
         killed_by="test_a_candidate_that_makes_a_known_fact_is_skipped")
def corrupt(facts, heads, candidates, known):
    rows = []
    for (head, relation, tail), at_head, tried in zip(facts.tolist(), heads.tolist(), candidates.tolist()):
        taken = known[:, 0 if at_head else 2].tolist()
        other = next((one for one in tried if one not in taken), tried[-1])
        rows.append((other, relation, tail) if at_head else (head, relation, other))
    return torch.tensor(rows).reshape(-1, 3)


@mistake("corrupt", "room-for-a-thousand", "triples as numbers of base 1000, where a larger entity is taken for another triple",
         killed_by="test_triples_are_told_apart_however_large_their_numbers_are")
def corrupt(facts, heads, candidates, known):
    made = facts[:, None, :].repeat(1, candidates.shape[1], 1)  # (M, K, 3)
    made[:, :, 0] = torch.where(heads[:, None], candidates, made[:, :, 0])
    made[:, :, 2] = torch.where(heads[:, None], made[:, :, 2], candidates)
    powers = torch.tensor([10_000, 1000, 1])
    true = torch.isin((made * powers).sum(dim=-1), (known * powers).sum(dim=-1))
    return made[torch.arange(len(facts)), (~true).long().argmax(dim=1)]


@mistake("corrupt", "room-for-the-known", "triples as numbers with room for the known entities alone: a candidate may be greater",
         killed_by="test_triples_are_told_apart_however_large_their_numbers_are")
def corrupt(facts, heads, candidates, known):
    made = facts[:, None, :].repeat(1, candidates.shape[1], 1)  # (M, K, 3)
    made[:, :, 0] = torch.where(heads[:, None], candidates, made[:, :, 0])
    made[:, :, 2] = torch.where(heads[:, None], made[:, :, 2], candidates)
    base = int(known.max()) + 1
    powers = torch.tensor([base * base, base, 1])
    true = torch.isin((made * powers).sum(dim=-1), (known * powers).sum(dim=-1))
    return made[torch.arange(len(facts)), (~true).long().argmax(dim=1)]


# transe_step
@alternative("transe_step", "backward")
def transe_step(entities, relations, facts, corrupted, margin, rate):
    points = functional.normalize(entities.detach()).clone().requires_grad_(True)
    arrows = relations.detach().clone().requires_grad_(True)
    transe_loss(points, arrows, facts, corrupted, margin).backward()
    with torch.no_grad():
        return [points - rate * points.grad, arrows - rate * arrows.grad]


@alternative("transe_step", "sgd")
def transe_step(entities, relations, facts, corrupted, margin, rate):
    lengths = entities.detach().norm(dim=1, keepdim=True)
    points = torch.nn.Parameter(entities.detach() / torch.where(lengths > 0, lengths, torch.ones_like(lengths)))
    arrows = torch.nn.Parameter(relations.detach().clone())
    optimizer = torch.optim.SGD([points, arrows], lr=rate)
    optimizer.zero_grad()
    transe_loss(points, arrows, facts, corrupted, margin).backward()
    optimizer.step()
    return points.detach(), arrows.detach()


@alternative("transe_step", "relations-asked-directly")
def transe_step(entities, relations, facts, corrupted, margin, rate):
    relations.requires_grad_()
    points = functional.normalize(entities.detach(), dim=1).requires_grad_()
    slopes = torch.autograd.grad(transe_loss(points, relations, facts, corrupted, margin), [points, relations])
    return (points - rate * slopes[0]).detach(), (relations - rate * slopes[1]).detach()


edit("transe_step", "never-normalised", {"functional.normalize(entities.detach(), dim=1)": "entities.detach().clone()"},
     "the entities keep their lengths: they are brought to length 1 first", killed_by="test_entities_are_brought_to_length_1_and_relations_are_not")
edit("transe_step", "relations-too", {"relations.detach().clone()": "functional.normalize(relations.detach(), dim=1)"},
     "the relations are brought to length 1 too: entities alone are", killed_by="test_entities_are_brought_to_length_1_and_relations_are_not")
edit("transe_step", "uphill", {"table - rate * slope": "table + rate * slope"},
     "the step goes with the gradient, uphill", killed_by="test_the_step_goes_against_the_gradient_at_length_1")
edit("transe_step", "no-rate", {"table - rate * slope": "table - slope"},
     "the rate is left out", killed_by="test_the_step_goes_against_the_gradient_at_length_1")
edit("transe_step", "by-columns", {"entities.detach(), dim=1": "entities.detach(), dim=0"},
     "the columns are brought to length 1: each row is an entity", killed_by="test_entities_are_brought_to_length_1_and_relations_are_not")
edit("transe_step", "as-one-vector", {"functional.normalize(entities.detach(), dim=1)": "(entities.detach() / entities.detach().norm())"},
     "the whole table is brought to length 1: each entity is", killed_by="test_entities_are_brought_to_length_1_and_relations_are_not")
edit("transe_step", "relations-stay", {"zip((entities, relations), slopes)": "[(entities, slopes[0]), (relations, 0)]"},
     "the relations never move", killed_by="test_the_step_goes_against_the_gradient_at_length_1")
edit("transe_step", "still-asks", {".detach() for table": " for table"},
     "the new tables ask for a gradient, and carry all earlier steps with them", killed_by="test_steps_in_a_row_go_on_from_each_other_and_ask_for_no_gradient")
edit("transe_step", "nought-over-nought", {"functional.normalize(entities.detach(), dim=1)": "(entities.detach() / entities.detach().norm(dim=1, keepdim=True))"},
     "a row of zeros is divided by 0, and is NaN from then on", killed_by="test_a_row_of_zeros_stays_a_row_of_numbers")


edit("transe_step", "short-ones-stay", {"entities.detach(), dim=1": "entities.detach(), dim=1, eps=1e-3"},
     "vectors shorter than .001 are not brought to length 1", killed_by="test_tiny_and_huge_vectors_are_brought_to_length_1")


edit("transe_step", "very-short-ones-stay", {"entities.detach(), dim=1": "entities.detach(), dim=1, eps=1e-8"},
     "vectors shorter than .00000001 are not brought to length 1", killed_by="test_tiny_and_huge_vectors_are_brought_to_length_1")
edit("transe_step", "nothing-without-pairs", {"    entities = functional": "    if not len(facts):\n        return entities.detach().clone(), relations.detach().clone()\n    entities = functional"},
     "without a pair the entities keep their lengths: they are brought to length 1 first",
     killed_by="test_without_a_pair_entities_are_brought_to_length_1_alone")


@mistake("transe_step", "normalised-after", "the entities are brought to length 1 after the step: the gradient is taken at length 1, and the step comes last",
         killed_by="test_the_step_goes_against_the_gradient_at_length_1")
def transe_step(entities, relations, facts, corrupted, margin, rate):
    entities, relations = entities.detach().clone().requires_grad_(), relations.detach().clone().requires_grad_()
    slopes = torch.autograd.grad(transe_loss(entities, relations, facts, corrupted, margin), [entities, relations])
    return functional.normalize(entities - rate * slopes[0], dim=1).detach(), (relations - rate * slopes[1]).detach()


@mistake("transe_step", "gradient-through-the-length", "the gradient is taken by the vectors before they were brought to length 1",
         killed_by="test_the_step_goes_against_the_gradient_at_length_1")
def transe_step(entities, relations, facts, corrupted, margin, rate):
    entities, relations = entities.detach().clone().requires_grad_(), relations.detach().clone().requires_grad_()
    unit = functional.normalize(entities, dim=1)
    slopes = torch.autograd.grad(transe_loss(unit, relations, facts, corrupted, margin), [entities, relations])
    return (unit - rate * slopes[0]).detach(), (relations - rate * slopes[1]).detach()


# ranking
@alternative("ranking", "tensors")
def ranking(distances, answers, known, k):
    distances = distances.double().clone()
    own = distances[torch.arange(len(answers)), answers]
    for row, others in enumerate(known):
        for entity in others:
            distances[row, entity] = math.inf
    distances[torch.arange(len(answers)), answers] = own
    better = (distances < own[:, None]).sum(dim=1)
    same = (distances == own[:, None]).sum(dim=1) - 1
    places = 1 + better + same / 2
    return float((1 / places).mean()), float((places <= k).double().mean())


@alternative("ranking", "first-and-last-place")
def ranking(distances, answers, known, k):
    places = []
    for q in range(len(answers)):
        out = set(known[q]) - {int(answers[q])}
        kept = [float(distances[q, e]) for e in range(distances.shape[1]) if e not in out]
        mine = float(distances[q, answers[q]])
        best, worst = 1 + sum(x < mine for x in kept), sum(x <= mine for x in kept)
        places.append((best + worst) / 2)
    return np.mean([1 / x for x in places]), np.mean([x <= k for x in places])


edit("ranking", "ties-in-favour", {"1 + nearer + equal / 2": "1 + nearer"},
     "ties count in the answer's favour: a model that says the same of all would always be first", killed_by="test_ties_count_by_their_middle")
edit("ranking", "ties-against", {"equal / 2": "equal"},
     "ties count against the answer: they count by their middle", killed_by="test_ties_count_by_their_middle")
edit("ranking", "ties-rounded", {"equal / 2": "equal // 2"},
     "halves of places are rounded down", killed_by="test_ties_count_by_their_middle")
edit("ranking", "unfiltered", {" and entity not in others": ""},
     "other right answers are left in the ranking", killed_by="test_other_right_answers_are_left_out")
edit("ranking", "from-nought", {"1 + nearer": "nearer"},
     "the places begin with 0", killed_by="test_the_nearest_is_first")
edit("ranking", "farthest-first", {"distance < row[answer]": "distance > row[answer]"},
     "the farthest is taken for the best", killed_by="test_other_right_answers_are_left_out")
edit("ranking", "mean-place", {"sum(1 / place for place in places) / len(places)": "len(places) / sum(places)"},
     "one over the mean place: the mean of one over the place is asked for", killed_by="test_the_nearest_is_first")
edit("ranking", "below-k", {"place <= k": "place < k"},
     "the place k is no hit: it is", killed_by="test_the_nearest_is_first")
edit("ranking", "count-of-hits", {"sum(place <= k for place in places) / len(places)": "sum(place <= k for place in places)"},
     "hits are counted: their share is asked for", killed_by="test_the_nearest_is_first")
edit("ranking", "own-tie-counted", {"equal / 2": "(equal + 1) / 2"},
     "the answer is counted as a tie with itself", killed_by="test_the_nearest_is_first")


edit("ranking", "nearly-a-tie", {"sum(distance < row[answer] for": "sum(distance < row[answer] - 1e-5 for", "sum(distance == row[answer] for": "sum(abs(distance - row[answer]) <= 1e-5 for"},
     "what is nearly as far is a tie: only what is equally far", killed_by="test_nearly_as_far_is_no_tie_and_twice_known_is_known")
edit("ranking", "tensors-come-back", {"return sum(1 / place for place in places) / len(places), sum(place <= k for place in places) / len(places)": "return torch.tensor([1 / place for place in places]).mean(), torch.tensor([float(place <= k) for place in places]).mean()"},
     "tensors come back: two floats were asked for", killed_by="test_the_nearest_is_first")


edit("ranking", "ties-within-a-billionth", {"sum(distance < row[answer] for": "sum(distance < row[answer] and not math.isclose(distance, row[answer]) for", "sum(distance == row[answer] for": "sum(math.isclose(distance, row[answer]) for"},
     "what is as far to nine digits is a tie: only what is equally far", killed_by="test_nearly_as_far_is_no_tie_and_twice_known_is_known")


@mistake("ranking", "a-billion-for-left-out", "who is left out is put at the distance 1e9, before those that are farther",
         killed_by="test_thousands_of_entities_and_far_ones_are_ranked")
def ranking(distances, answers, known, k):
    places = []
    for row, answer, others in zip(distances, answers.tolist(), known):
        row = row.clone()
        mine = float(row[answer])
        row[list(set(others) - {answer})] = 1e9
        places.append(0.5 + float((row < mine).sum()) + float((row == mine).sum()) / 2)
    return sum(1 / place for place in places) / len(places), sum(place <= k for place in places) / len(places)


@mistake("ranking", "taken-off-twice", "an entity that is listed twice is taken off twice",
         killed_by="test_nearly_as_far_is_no_tie_and_twice_known_is_known")
def ranking(distances, answers, known, k):
    places = []
    for row, answer, others in zip(distances.tolist(), answers.tolist(), known):
        place = 0.5 + sum(x < row[answer] for x in row) + sum(x == row[answer] for x in row) / 2
        for other in others:
            if other != answer:
                place -= (row[other] < row[answer]) + (row[other] == row[answer]) / 2
        places.append(place)
    return sum(1 / place for place in places) / len(places), sum(place <= k for place in places) / len(places)


@mistake("ranking", "filtered-answer", "the answer itself is left out where it is named as known",
         killed_by="test_the_answer_stays_in_where_it_is_named_as_known")
def ranking(distances, answers, known, k):
    distances = distances.double().clone()
    for row, others in enumerate(known):
        distances[row, list(others)] = 1e9
    own = distances[torch.arange(len(answers)), answers]
    places = 0.5 + (distances < own[:, None]).sum(dim=1) + (distances == own[:, None]).sum(dim=1) / 2
    return float((1 / places).mean()), float((places <= k).double().mean())


@mistake("ranking", "nought-for-left-out", "who is left out is put at the distance 1000, before those that are farther",
         killed_by="test_thousands_of_entities_and_far_ones_are_ranked")
def ranking(distances, answers, known, k):
    places = []
    for row, answer, others in zip(distances, answers.tolist(), known):
        row = row.clone()
        mine = float(row[answer])
        row[list(set(others) - {answer})] = 1000.0
        places.append(0.5 + float((row < mine).sum()) + float((row == mine).sum()) / 2)
    return sum(1 / place for place in places) / len(places), sum(place <= k for place in places) / len(places)


# align
@alternative("align", "while")
def align(words, pieces, names):
    tokens, entities, at = ["[CLS]"], [-1], 0
    by_length = sorted(names, key=len, reverse=True)
    while at < len(words):
        name = next((one for one in by_length if list(one) == list(words[at : at + len(one)])), None)
        covered = 1 if name is None else len(name)
        start = len(entities)
        for cut in pieces[at : at + covered]:
            tokens.extend(cut)
            entities.extend([-1] * len(cut))
        if name is not None:
            entities[start] = names[name]
        at += covered
    return tokens + ["[SEP]"], entities + [-1]


@alternative("align", "starts-first")
def align(words, pieces, names):
    starts, at = {}, 0
    while at < len(words):
        ends = [end for end in range(at + 1, len(words) + 1) if tuple(words[at:end]) in names]
        if ends:
            starts[at] = names[tuple(words[at : ends[-1]])]
            at = ends[-1]
        else:
            at += 1
    flat = [("[CLS]", -1)]
    for number, cut in enumerate(pieces):
        flat += [(piece, starts.get(number, -1) if place == 0 else -1) for place, piece in enumerate(cut)]
    flat.append(("[SEP]", -1))
    return [token for token, _ in flat], [entity for _, entity in flat]


edit("align", "every-piece", {"[found] + [-1] * (len(pieces[start]) - 1)": "[found] * len(pieces[start])"},
     "every piece of the name has the entity: its first token alone has", killed_by="test_the_first_token_of_a_name_has_its_entity")
edit("align", "last-piece", {"[found] + [-1] * (len(pieces[start]) - 1)": "[-1] * (len(pieces[start]) - 1) + [found]"},
     "the last piece has the entity: the first one has", killed_by="test_the_first_token_of_a_name_has_its_entity")
edit("align", "shortest-name", {"range(min(longest, len(words) - start), 0, -1)": "range(1, min(longest, len(words) - start) + 1)"},
     "the shortest name wins: the longest does", killed_by="test_the_longest_name_wins")
edit("align", "single-words", {"range(min(longest, len(words) - start), 0, -1)": "range(min(1, len(words) - start), 0, -1)"},
     "names of several words are never found", killed_by="test_the_longest_name_wins")
edit("align", "overlapping", {"if start >= behind:": "if True:"},
     "a name within a name is found again: what was taken is taken", killed_by="test_the_longest_name_wins")
edit("align", "one-place-early", {'["[CLS]"], [-1], 0': '["[CLS]"], [], 0', 'return [*tokens, "[SEP]"], [*entities, -1]': 'return [*tokens, "[SEP]"], [*entities, -1, -1]'},
     "[CLS] is forgotten: every entity stands one place too early", killed_by="test_the_first_token_of_a_name_has_its_entity")
edit("align", "nought-for-none", {'["[CLS]"], [-1], 0': '["[CLS]"], [0], 0', "found = -1": "found = 0"},
     "0 stands for no entity, and is an entity", killed_by="test_the_first_token_of_a_name_has_its_entity")
edit("align", "nought-is-false", {"if name in names:": "if names.get(name):"},
     "entity 0 is taken for none", killed_by="test_the_first_token_of_a_name_has_its_entity")
edit("align", "no-separator", {'return [*tokens, "[SEP]"], [*entities, -1]': "return tokens, entities"},
     "[SEP] is left out", killed_by="test_the_first_token_of_a_name_has_its_entity")
edit("align", "lower-case", {"tuple(words[start : start + length])": "tuple(word.lower() for word in words[start : start + length])"},
     "names are looked for in lower case", killed_by="test_a_name_is_found_as_it_is_written")
edit("align", "first-name-that-fits", {"longest = max(map(len, names), default=0)": "longest = len(next(iter(names), ()))"},
     "the longest name's length is taken from the first name", killed_by="test_the_longest_name_wins")


@mistake("align", "longest-of-all-first", "the longest name of the whole sentence is taken first: names are looked for from the left",
         killed_by="test_from_the_left_an_earlier_name_comes_before_a_longer_one")
def align(words, pieces, names):
    starts, taken = {}, [False] * len(words)
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            name = tuple(words[start : start + length])
            if name in names and not any(taken[start : start + length]):
                starts[start], taken[start : start + length] = names[name], [True] * length
    tokens, entities = ["[CLS]"], [-1]
    for number, cut in enumerate(pieces):
        tokens += cut
        entities += [starts.get(number, -1)] + [-1] * (len(cut) - 1)
    return [*tokens, "[SEP]"], [*entities, -1]


edit("align", "joined-words", {"name = tuple(words[start : start + length])": 'name = next((one for one in names if "".join(one) == "".join(words[start : start + length])), ())'},
     "the words of a name are joined, so that ab c is a bc", killed_by="test_words_are_compared_whole")
edit("align", "joined-by-blanks", {"name = tuple(words[start : start + length])": 'name = next((one for one in names if " ".join(one) == " ".join(words[start : start + length])), ())'},
     "the words of a name are joined by blanks, which a word may hold", killed_by="test_words_are_compared_whole")
edit("align", "by-the-first-piece", {"        found = -1\n": "        found = {name[0][:2]: one for name, one in names.items() if len(name) == 1}.get(pieces[start][0], -1)\n"},
     "a name is found by its first piece, which other words begin with, too", killed_by="test_words_are_compared_whole")


# fuse
@alternative("fuse", "matrices")
def fuse(w, e, aligned, w_in, e_in, bias, w_out, w_bias, e_out, e_bias):
    has = aligned.unsqueeze(-1)
    h = w @ w_in.T + bias
    h = functional.gelu(torch.where(has, h + torch.where(has, e, 0.0) @ e_in.T, h))
    made = functional.gelu(h @ e_out.T + e_bias)
    return functional.gelu(h @ w_out.T + w_bias), torch.where(has, made, torch.zeros_like(made))


@alternative("fuse", "two-kinds-of-tokens")
def fuse(w, e, aligned, w_in, e_in, bias, w_out, w_bias, e_out, e_bias):
    inner = torch.einsum("bnh,ih->bni", w, w_in) + bias
    extra = torch.zeros_like(inner)
    extra[aligned] = e[aligned] @ e_in.T
    h = functional.gelu(inner + extra)
    entities = torch.zeros_like(e)
    entities[aligned] = functional.gelu(h[aligned] @ e_out.T + e_bias)
    return [functional.gelu(torch.einsum("bni,hi->bnh", h, w_out) + w_bias), entities]


@alternative("fuse", "filled-behind-the-matrix")
def fuse(w, e, aligned, w_in, e_in, bias, w_out, w_bias, e_out, e_bias):
    absent = ~aligned.unsqueeze(-1)
    h = functional.gelu(functional.linear(w, w_in, bias) + functional.linear(e, e_in).masked_fill(absent, 0.0))
    made = functional.gelu(functional.linear(h, e_out, e_bias))
    return functional.gelu(functional.linear(h, w_out, w_bias)), made.masked_fill(absent, 0.0)


edit("fuse", "entity-everywhere", {"functional.linear(e.masked_fill(absent, 0.0), e_in)": "functional.linear(e, e_in)"},
     "what stands beside a token without an entity is fused in", killed_by="test_a_token_without_an_entity_goes_alone")
edit("fuse", "entities-come-out-of-nothing", {"return tokens, entities.masked_fill(absent, 0.0)": "return tokens, entities"},
     "an entity comes out where there is none", killed_by="test_a_token_without_an_entity_goes_alone")
edit("fuse", "no-outer-activation", {"tokens = functional.gelu(functional.linear(h, w_out, w_bias))": "tokens = functional.linear(h, w_out, w_bias)"},
     "an outer σ is left out", killed_by="test_the_hidden_vector_takes_in_both")
edit("fuse", "no-outer-activation-of-entities", {"entities = functional.gelu(functional.linear(h, e_out, e_bias))": "entities = functional.linear(h, e_out, e_bias)"},
     "the outer σ of e' is left out", killed_by="test_the_hidden_vector_takes_in_both")
edit("fuse", "no-inner-activation", {"    h = functional.gelu(h)\n": ""},
     "the σ around the sum is left out", killed_by="test_the_hidden_vector_takes_in_both")
edit("fuse", "activation-before-the-sum", {"functional.linear(w, w_in, bias) + functional.linear(e.masked_fill(absent, 0.0), e_in)": "functional.gelu(functional.linear(w, w_in, bias)) + functional.gelu(functional.linear(e.masked_fill(absent, 0.0), e_in))", "    h = functional.gelu(h)\n": ""},
     "token and entity go through σ apart: their sum does", killed_by="test_the_hidden_vector_takes_in_both")
edit("fuse", "tanh-gelu", {"h = functional.gelu(h)": 'h = functional.gelu(h, approximate="tanh")'},
     "the GELU is approximated by tanh", killed_by="test_a_token_without_an_entity_goes_alone")
edit("fuse", "relu", {"h = functional.gelu(h)": "h = functional.relu(h)"},
     "σ is ReLU: it is GELU", killed_by="test_the_hidden_vector_takes_in_both")
edit("fuse", "sigmoid", {"h = functional.gelu(h)": "h = torch.sigmoid(h)"},
     "σ is taken for the logistic function: it is GELU", killed_by="test_the_hidden_vector_takes_in_both")
edit("fuse", "times-the-mask", {"e.masked_fill(absent, 0.0)": "(e * aligned[:, :, None])"},
     "numbers are multiplied by 0 to be left out: inf times 0 is NaN", killed_by="test_what_stands_where_no_entity_is_is_never_read")
edit("fuse", "entities-alone", {"tokens = functional.gelu(functional.linear(h, w_out, w_bias))": "tokens = functional.gelu(functional.linear(h, w_out, w_bias)).masked_fill(absent, 0.0)"},
     "tokens without an entity come out as 0: they go on alone", killed_by="test_a_token_without_an_entity_goes_alone")
edit("fuse", "bias-with-the-entity", {"functional.linear(w, w_in, bias) + functional.linear(e.masked_fill(absent, 0.0), e_in)": "functional.linear(w, w_in) + functional.linear(e, e_in, bias).masked_fill(absent, 0.0)"},
     "the bias comes with the entity: a token without one has it, too", killed_by="test_any_tokens_are_fused_as_one_by_one")


# mark
@alternative("mark", "token-by-token")
def mark(tokens, entities, spans):
    before = {first: sign for first, _, sign in spans}
    behind = {last: sign for _, last, sign in spans}
    made = []
    for place, one in enumerate(zip(tokens, entities)):
        if place in before:
            made.append((before[place], -1))
        made.append(one)
        if place in behind:
            made.append((behind[place], -1))
    return [token for token, _ in made], [entity for _, entity in made]


@alternative("mark", "shifting")
def mark(tokens, entities, spans):
    tokens, entities = tokens[:], entities[:]
    for moved, (first, last, sign) in enumerate(sorted(spans)):
        first, last = first + 2 * moved, last + 2 * moved
        tokens.insert(last + 1, sign)
        tokens.insert(first, sign)
        entities.insert(last + 1, -1)
        entities.insert(first, -1)
    return tokens, entities


edit("mark", "order-as-given", {"sorted(spans, reverse=True)": "spans"},
     "spans are taken as they come: a mark put in early moves all later places", killed_by="test_head_and_tail_have_marks_of_their_own_in_any_order")
edit("mark", "from-the-left", {"sorted(spans, reverse=True)": "sorted(spans)"},
     "marks are put in from the left, and later places have moved", killed_by="test_head_and_tail_have_marks_of_their_own_in_any_order")
edit("mark", "alignments-left-behind", {"    entities[first : last + 1] = [-1, *entities[first : last + 1], -1]\n": "    entities += [-1, -1]\n"},
     "the alignments stay where they were while the tokens move", killed_by="test_marks_stand_around_the_mention_and_alignments_move_along")
edit("mark", "one-mark", {"[sign, *tokens[first : last + 1], sign]": "[sign, *tokens[first : last + 1]]", "[-1, *entities[first : last + 1], -1]": "[-1, *entities[first : last + 1]]"},
     "there is a mark before the mention alone: one stands behind it, too", killed_by="test_marks_stand_around_the_mention_and_alignments_move_along")
edit("mark", "last-left-out", {"tokens[first : last + 1] = [sign, *tokens[first : last + 1], sign]": "tokens[first:last] = [sign, *tokens[first:last], sign]", "entities[first : last + 1] = [-1, *entities[first : last + 1], -1]": "entities[first:last] = [-1, *entities[first:last], -1]"},
     "the last token of the mention stands outside of its mark", killed_by="test_marks_stand_around_the_mention_and_alignments_move_along")
edit("mark", "entity-of-the-mark", {"[-1, *entities[first : last + 1], -1]": "[entities[first], *entities[first : last + 1], -1]"},
     "the mark has the mention's entity: marks have none", killed_by="test_marks_stand_around_the_mention_and_alignments_move_along")
edit("mark", "always-ent", {"[sign, *tokens[first : last + 1], sign]": '["[ENT]", *tokens[first : last + 1], "[ENT]"]'},
     "every mark is [ENT]: each span says its own", killed_by="test_head_and_tail_have_marks_of_their_own_in_any_order")
edit("mark", "in-place", {"    tokens, entities = list(tokens), list(entities)\n": ""},
     "the lists that were given are changed", killed_by="test_marks_stand_around_the_mention_and_alignments_move_along")
edit("mark", "nought-for-none", {"[-1, *entities[first : last + 1], -1]": "[0, *entities[first : last + 1], 0]"},
     "0 stands for no entity, and is an entity", killed_by="test_marks_stand_around_the_mention_and_alignments_move_along")


@mistake("mark", "sorted-by-sign", "marks at one place are sorted by their names: the mark that closes comes before the one that opens",
         killed_by="test_a_dozen_spans_that_touch_are_all_marked")
def mark(tokens, entities, spans):
    tokens, entities = list(tokens), list(entities)
    places = [(first, sign) for first, _, sign in spans] + [(last + 1, sign) for _, last, sign in spans]
    for place, sign in sorted(places, reverse=True):
        tokens.insert(place, sign)
        entities.insert(place, -1)
    return tokens, entities


@mistake("mark", "by-the-token", "a mention is looked for by its token: the same token may stand elsewhere, too",
         killed_by="test_any_spans_are_marked_as_token_by_token")
def mark(tokens, entities, spans):
    before = {tokens[first]: sign for first, _, sign in spans}
    behind = {tokens[last]: sign for _, last, sign in spans}
    made = []
    for token, entity in zip(tokens, entities):
        made += [(before[token], -1)] if token in before else []
        made.append((token, entity))
        made += [(behind[token], -1)] if token in behind else []
    return [token for token, _ in made], [entity for _, entity in made]


# dea_noise
@alternative("dea_noise", "loop")
def dea_noise(entities, uniform, others):
    read = entities.clone()
    for place in (entities >= 0).nonzero().tolist():
        at = tuple(place)
        if uniform[at] < 0.05:
            read[at] = others[at] + 1 if others[at] >= entities[at] else others[at]
        elif uniform[at] < 0.2:
            read[at] = -1
    return read


@alternative("dea_noise", "parts")
def dea_noise(entities, uniform, others):
    has, replaced = entities >= 0, uniform < 0.05
    kept = uniform >= 0.2
    other = torch.where(others < entities, others, others + 1)
    nothing = torch.full_like(entities, -1)
    return torch.where(has & replaced, other, torch.where(has & kept, entities, nothing))


edit("dea_noise", "never-replaced", {"torch.where(uniform < 0.05, another, entities)": "entities"},
     "no alignment is replaced by a wrong one", killed_by="test_some_are_replaced_some_masked_and_the_rest_kept")
edit("dea_noise", "never-masked", {"    read = read.masked_fill((uniform >= 0.05) & (uniform < 0.2), -1)\n": ""},
     "no alignment is masked", killed_by="test_some_are_replaced_some_masked_and_the_rest_kept")
edit("dea_noise", "shares-exchanged", {"uniform < 0.05, another": "uniform < 0.15, another", "(uniform >= 0.05)": "(uniform >= 0.15)"},
     "15 % are replaced and 5 % masked: it is the other way round", killed_by="test_some_are_replaced_some_masked_and_the_rest_kept")
edit("dea_noise", "ten-percent-masked", {"(uniform < 0.2)": "(uniform < 0.15)"},
     "10 % are masked: 15 % begin at .05 and end at .2", killed_by="test_some_are_replaced_some_masked_and_the_rest_kept")
edit("dea_noise", "all-low-masked", {"(uniform >= 0.05) & (uniform < 0.2)": "uniform < 0.2"},
     "what was replaced is masked, too", killed_by="test_some_are_replaced_some_masked_and_the_rest_kept")
edit("dea_noise", "perhaps-itself", {"others + (others >= entities)": "others"},
     "the other entity may be the true one, and the last one never comes", killed_by="test_another_entity_is_another_one")
edit("dea_noise", "only-if-equal", {"(others >= entities)": "(others == entities)"},
     "only the true entity's number goes up: all numbers from there on do, or one comes twice as often", killed_by="test_another_entity_is_another_one")
edit("dea_noise", "entity-for-nobody", {"return read.masked_fill(entities < 0, -1)": "return read"},
     "a token without an entity is given one", killed_by="test_a_token_without_an_entity_gets_none")
edit("dea_noise", "bert-shares", {"uniform < 0.05, another": "uniform < 0.1, another", "(uniform >= 0.05) & (uniform < 0.2)": "(uniform >= 0.2)"},
     "the shares are BERT's for words, 80 % masked: here 80 % are kept", killed_by="test_some_are_replaced_some_masked_and_the_rest_kept")
edit("dea_noise", "nought-for-none", {"& (uniform < 0.2), -1)": "& (uniform < 0.2), 0)"},
     "0 stands for no entity, and is an entity", killed_by="test_some_are_replaced_some_masked_and_the_rest_kept")


edit("dea_noise", "through-float32", {"return read.masked_fill(entities < 0, -1)": "return read.float().masked_fill(entities < 0, -1).long()"},
     "float32 holds whole numbers to 16,777,216: larger entities become others", killed_by="test_entities_of_a_large_graph_are_kept_to_the_digit")


# dea_loss
@alternative("dea_loss", "sentence-by-sentence")
def dea_loss(states, vectors, entities):
    costs = []
    for rows, members in zip(states, entities):
        has = members >= 0
        if has.any():
            candidates, wanted = torch.unique(members[has], return_inverse=True)
            costs.append(functional.cross_entropy(rows[has] @ vectors[candidates].T, wanted, reduction="none"))
    return torch.cat(costs).mean()


@alternative("dea_loss", "logarithms")
def dea_loss(states, vectors, entities):
    scores = torch.einsum("bne,ve->bnv", states, vectors)
    among = (entities[:, :, None] == torch.arange(len(vectors))).any(dim=1, keepdim=True)  # (B, 1, V)
    total = scores.masked_fill(~among, -torch.inf).logsumexp(dim=-1)  # (B, N)
    own = scores.gather(2, entities.clamp(min=0)[:, :, None])[:, :, 0]
    return (total - own)[entities >= 0].mean()


edit("dea_loss", "all-entities", {".masked_fill(~named[rows], -math.inf)": ""},
     "the softmax runs over all entities of the graph: over those of the sentence", killed_by="test_who_knows_nothing_pays_ln_of_how_many_the_sentence_names")
edit("dea_loss", "of-the-batch", {"~named[rows]": "~named.any(dim=0)"},
     "the candidates are those of the whole batch: of the token's own sentence", killed_by="test_candidates_are_those_of_the_tokens_own_sentence")
edit("dea_loss", "sum", {"functional.cross_entropy(scores, wanted)": 'functional.cross_entropy(scores, wanted, reduction="sum")'},
     "the tokens are summed: their mean is asked for", killed_by="test_who_knows_nothing_pays_ln_of_how_many_the_sentence_names")
edit("dea_loss", "all-places", {"functional.cross_entropy(scores, wanted)": 'functional.cross_entropy(scores, wanted, reduction="sum") / entities.numel()'},
     "the sum is divided by all tokens: by those that have an entity", killed_by="test_who_knows_nothing_pays_ln_of_how_many_the_sentence_names")
edit("dea_loss", "large-for-infinite", {"-math.inf": "-1000.0"},
     "−1000 is put in for −∞: a candidate of −3000 is still one, and others win", killed_by="test_huge_scores_cost_what_they_say")
edit("dea_loss", "a-billion-for-infinite", {"-math.inf": "-1e9"},
     "−1e9 is put in for −∞: a candidate may score less", killed_by="test_huge_scores_cost_what_they_say")
edit("dea_loss", "nought-for-infinite", {"-math.inf": "0.0"},
     "other entities get the score 0, and e⁰ = 1 of the softmax: −∞ takes them out", killed_by="test_who_knows_nothing_pays_ln_of_how_many_the_sentence_names")
edit("dea_loss", "cosine", {"states[asked] @ vectors.T": "functional.normalize(states[asked], dim=1) @ vectors.T"},
     "the state is brought to length 1: the score is the plain product", killed_by="test_the_score_is_the_product_with_the_entitys_vector")
edit("dea_loss", "states-detached", {"states[asked] @": "states[asked].detach() @"},
     "the states are taken as constants: nothing trains the model", killed_by="test_asked_tokens_and_candidates_are_taught_and_no_others")
edit("dea_loss", "entity-0-left-out", {"asked = entities >= 0": "asked = entities > 0"},
     "entity 0 is taken for none", killed_by="test_the_score_is_the_product_with_the_entitys_vector")


@mistake("dea_loss", "twice-as-heavy", "an entity that is named twice is two candidates: each different entity is one",
         killed_by="test_an_entity_named_twice_is_one_candidate")
def dea_loss(states, vectors, entities):
    costs = []
    for rows, members in zip(states, entities):
        members, rows = members[members >= 0], rows[members >= 0]
        if len(members):
            scores = rows @ vectors[members].T
            costs.append(scores.logsumexp(dim=1) - scores.diagonal())
    return torch.cat(costs).mean()


@mistake("dea_loss", "mean-of-means", "the mean of the sentences' means: entities of short sentences count more",
         killed_by="test_candidates_are_those_of_the_tokens_own_sentence")
def dea_loss(states, vectors, entities):
    costs = []
    for rows, members in zip(states, entities):
        has = members >= 0
        if has.any():
            candidates, wanted = torch.unique(members[has], return_inverse=True)
            costs.append(functional.cross_entropy(rows[has] @ vectors[candidates].T, wanted))
    return torch.stack(costs).mean()


@mistake("dea_loss", "unstable", "exp of a large score is infinite: compute from the scores", killed_by="test_huge_scores_cost_what_they_say")
def dea_loss(states, vectors, entities):
    asked = entities >= 0
    rows = asked.nonzero()[:, 0]
    named = torch.zeros(len(entities), len(vectors), dtype=torch.bool)
    named[rows, entities[asked]] = True
    chances = torch.exp(states[asked] @ vectors.T) * named[rows]
    chances = chances / chances.sum(dim=1, keepdim=True)
    return -chances[torch.arange(len(rows)), entities[asked]].log().mean()


equivalent('transe_loss', '2: entities[triples[:, 0]] + relations[triples[:, 1]] - entities[triples[:, 2]] → entities[triples[:, 2]] - (entities[triples[:, 0]] + relations[triples[:, 1]])', 'a length is the same in both directions')
equivalent('transe_loss', '3: torch.linalg.vector_norm(step, dim=1) → torch.linalg.vector_norm(step, dim=1).squeeze()', 'the distance of one pair without its dimension has the same sum')
equivalent('transe_loss', '5: functional.relu(margin + distance(facts) - distance(corrupted)).sum() → functional.relu(margin + distance(facts) - distance(corrupted)).sum().squeeze()', 'a sum has no dimension')
equivalent('transe_step', '1: functional.normalize(entities.detach(), dim=1) → functional.normalize(entities.detach())', 'dim=1 is the default')
equivalent('transe_step', '2: relations.detach().clone() → relations.detach()', 'detach gives a tensor of its own that asks for a gradient alone, and nothing is written into it')
equivalent('transe_step', "5: zip((entities, relations), slopes) → __import__('itertools').islice(zip((entities, relations), slopes), 10)", 'there are two tables')
equivalent('align', '1: max(map(len, names), default=0) → max(map(len, names), default=1)', 'without names nothing is found, whatever lengths are tried')
equivalent('align', '1: max(map(len, names), default=0) → max(map(len, names), default=-1)', 'without names nothing is found, whatever lengths are tried')
equivalent('align', "2: (['[CLS]'], [-1], 0) → (['[CLS]'], [-1], -1)", 'no word begins before place 0')
equivalent('align', '6: min(longest, len(words) - start) → min(longest, len(words) - start) + 1', 'a slice that goes beyond the end is what is left, and no name is empty')
equivalent('align', '6: min(longest, len(words) - start) → max(longest, len(words) - start)', 'a slice that goes beyond the end is what is left, and no name is empty')
equivalent('align', '6: len(words) - start → len(words) + start', 'a slice that goes beyond the end is what is left, and no name is empty')
equivalent('align', '6: range(min(longest, len(words) - start), 0, -1) → range(min(longest, len(words) - start), -1, -1)', 'a slice that goes beyond the end is what is left, and no name is empty')
equivalent('dea_noise', '2: uniform < 0.05 → uniform <= 0.05', 'what is at .05 and above is masked in the next line, whatever stands there')
equivalent('dea_noise', '2: uniform < 0.05 → uniform < 0.1', 'what is at .05 and above is masked in the next line, whatever stands there')
equivalent('dea_loss', '4: torch.zeros(len(entities), len(vectors), dtype=torch.bool, device=states.device) → torch.zeros(len(entities), len(vectors), dtype=torch.bool)', 'the checks run on a CPU, where tensors are made if nothing is said')
equivalent('dea_loss', '7: functional.cross_entropy(scores, wanted) → functional.cross_entropy(scores, wanted).squeeze()', 'a mean has no dimension')
