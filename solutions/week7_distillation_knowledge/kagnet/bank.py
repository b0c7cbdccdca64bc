"""kagnet: classic mistakes and other right ways, for each exercise. Never released."""

from collections import defaultdict
from itertools import product

import networkx as nx
import torch
from torch import nn
from torch.nn import functional

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# ground
@alternative("ground", "best-span-again-and-again")
def ground(lemmas, concepts, stop_words):
    free, found = set(range(len(lemmas))), []
    spans = [(a, b) for a in range(len(lemmas)) for b in range(a + 1, len(lemmas) + 1)]
    for a, b in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        name = "_".join(lemmas[a:b])
        if name in concepts and set(range(a, b)) <= free and any(word not in stop_words for word in lemmas[a:b]):
            free -= set(range(a, b))
            found.append((a, name))
    names = []
    for _, name in sorted(found):
        if name not in names:
            names.append(name)
    return names


@alternative("ground", "recursive")
def ground(lemmas, concepts, stop_words):
    def cut(words):
        for size in range(len(words), 0, -1):
            for start in range(len(words) - size + 1):
                part = words[start : start + size]
                if "_".join(part) in concepts and not all(word in stop_words for word in part):
                    return [*cut(words[:start]), "_".join(part), *cut(words[start + size :])]
        return []

    return tuple(dict.fromkeys(cut(lemmas)))


edit("ground", "shortest-first", {"range(len(lemmas), 0, -1)": "range(1, len(lemmas) + 1)"},
     "the shortest matches are taken first: plant and flower in place of plant_flower", killed_by="test_the_longest_match_takes_its_words")
edit("ground", "all-of-them", {"all(free[start : start + size]) and ": ""},
     "a word is taken more than once", killed_by="test_the_longest_match_takes_its_words")
edit("ground", "order-of-finding", {"found[start] for start in sorted(found)": "found[start] for start in found"},
     "names come in the order in which they were found, the longest first: the text's order was asked for",
     killed_by="test_concepts_in_another_length_keep_the_texts_order")
edit("ground", "alphabetical", {"dict.fromkeys(found[start] for start in sorted(found))": "sorted(set(found.values()))"},
     "names come in the order of the alphabet: the text's order was asked for", killed_by="test_concepts_in_another_length_keep_the_texts_order")
edit("ground", "any-stop-word", {"not set(words) <= stop_words": "not set(words) & set(stop_words)"},
     "a name falls away as soon as one of its words is a stop word: only if all of them are", killed_by="test_stop_words_alone_are_no_concept")
edit("ground", "no-stop-words", {" and not set(words) <= stop_words": ""},
     "stop words are matched", killed_by="test_stop_words_alone_are_no_concept")
edit("ground", "stop-words-taken-out-first", {"    free, found": "    lemmas = [word for word in lemmas if word not in stop_words]\n    free, found"},
     "stop words are taken out of the text first, so that names which hold one are lost and others join over the gap", killed_by="test_stop_words_alone_are_no_concept")
edit("ground", "twice", {"list(dict.fromkeys(found[start] for start in sorted(found)))": "[found[start] for start in sorted(found)]"},
     "a concept that stands twice is given twice", killed_by="test_a_concept_counts_once_and_nothing_gives_nothing")
edit("ground", "single-words", {"range(len(lemmas), 0, -1)": "(1,)"},
     "single words alone are looked up", killed_by="test_the_longest_match_takes_its_words")
edit("ground", "by-spaces", {'if all(free[start : start + size]) and "_".join(words)': 'if all(free[start : start + size]) and " ".join(words)'},
     "words are joined by blanks: names have underscores", killed_by="test_the_longest_match_takes_its_words")
edit("ground", "up-to-five", {"range(len(lemmas), 0, -1)": "range(min(5, len(lemmas)), 0, -1)"},
     "names of more than five words are never found", killed_by="test_long_texts_and_long_names_are_grounded_whole")


@mistake("ground", "left-to-right", "from left to right, at each place the longest: a longer match that begins further right should go first",
         killed_by="test_a_longer_match_further_right_goes_before_a_shorter_one")
def ground(lemmas, concepts, stop_words):
    found, start = [], 0
    while start < len(lemmas):
        for size in range(len(lemmas) - start, 0, -1):
            words = lemmas[start : start + size]
            if "_".join(words) in concepts and not set(words) <= set(stop_words):
                found.append("_".join(words))
                start += size - 1
                break
        start += 1
    return list(dict.fromkeys(found))


@mistake("ground", "taken-by-word", "a word that is taken once is taken wherever it stands: places are taken, not words",
         killed_by="test_words_are_told_apart_by_their_places")
def ground(lemmas, concepts, stop_words):
    taken, found = set(), {}
    for size in range(len(lemmas), 0, -1):
        for start in range(len(lemmas) - size + 1):
            words = set(lemmas[start : start + size])
            if "_".join(lemmas[start : start + size]) in concepts and not taken & words and not words <= stop_words:
                taken |= words
                found[start] = "_".join(lemmas[start : start + size])
    return list(dict.fromkeys(found[start] for start in sorted(found)))


edit("ground", "place-of-the-first-word", {"list(dict.fromkeys(found[start] for start in sorted(found)))": 'sorted(dict.fromkeys(found.values()), key=lambda name: lemmas.index(name.split("_")[0]))'},
     "a name's place is looked up by its first word, which may stand earlier by itself", killed_by="test_words_are_told_apart_by_their_places")
@mistake("ground", "most-letters", "the name with the most letters is taken first: the one with the most words",
         killed_by="test_the_longest_has_the_most_words_not_letters")
def ground(lemmas, concepts, stop_words):
    free, found = set(range(len(lemmas))), {}
    spans = [(a, b) for a in range(len(lemmas)) for b in range(a + 1, len(lemmas) + 1)]
    for a, b in sorted(spans, key=lambda span: (-len("_".join(lemmas[span[0] : span[1]])), span[0])):
        name = "_".join(lemmas[a:b])
        if name in concepts and set(range(a, b)) <= free and not set(lemmas[a:b]) <= set(stop_words):
            free -= set(range(a, b))
            found[a] = name
    return list(dict.fromkeys(found[a] for a in sorted(found)))


edit("ground", "known-names-take-no-words", {"if all(free[start : start + size]) and": 'if all(free[start : start + size]) and "_".join(words) not in found.values() and'},
     "a name that comes again takes no words, so shorter names are found in them", killed_by="test_words_are_told_apart_by_their_places")
edit("ground", "lower-case", {"    free, found": "    lemmas = [word.lower() for word in lemmas]\n    free, found"},
     "lemmas are made lower case: names are looked up as they are written", killed_by="test_capital_letters_are_other_letters")


# both_directions
@alternative("both_directions", "defaultdict-and-sets")
def both_directions(triples):
    found = defaultdict(set)
    for head, relation, tail in triples:
        found[head], found[tail]
        if head != tail:
            found[head] |= {(relation, tail)}
            found[tail] |= {(f"{relation}*", head)}
    return {name: sorted(some) for name, some in found.items()}


@alternative("both_directions", "networkx")
def both_directions(triples):
    graph = nx.MultiDiGraph()
    for head, relation, tail in triples:
        graph.add_node(head)
        graph.add_node(tail)
        if head != tail:
            graph.add_edge(head, tail, key=relation)
            graph.add_edge(tail, head, key=relation + "*")
    return {name: [(relation, tail) for _, tail, relation in graph.out_edges(name, keys=True)] for name in graph}


edit("both_directions", "forwards-alone", {'            neighbours[tail].append((relation + "*", head))\n': ""},
     "triples are walked forwards alone", killed_by="test_each_triple_is_walked_both_ways")
edit("both_directions", "no-star", {'relation + "*"': "relation"},
     "the way back has the same name: it takes a star", killed_by="test_each_triple_is_walked_both_ways")
edit("both_directions", "star-before", {'relation + "*"': '"*" + relation'},
     "the star stands before the relation: it belongs behind it", killed_by="test_each_triple_is_walked_both_ways")
edit("both_directions", "twice", {"dict.fromkeys(triples)": "triples"},
     "a triple that stands twice is listed twice", killed_by="test_a_triple_that_stands_twice_counts_once")
edit("both_directions", "loops", {"        if head != tail:\n            neighbours[head].append((relation, tail))\n            neighbours[tail]": "        if True:\n            neighbours[head].append((relation, tail))\n            neighbours[tail]"},
     "a triple from a concept to itself is listed", killed_by="test_what_leads_to_itself_leads_nowhere")
edit("both_directions", "concept-first", {"append((relation, tail))": "append((tail, relation))", 'append((relation + "*", head))': 'append((head, relation + "*"))'},
     "(concept, relation) in place of (relation, concept)", killed_by="test_each_triple_is_walked_both_ways")
edit("both_directions", "back-only-if-new", {'            neighbours[tail].append((relation + "*", head))': '            if (relation, head) not in neighbours[tail] and (relation, tail, head) not in [(r, a, b) for a, r, b in triples]:\n                neighbours[tail].append((relation + "*", head))'},
     "the way back is left out where a triple leads that way already: the two are not the same", killed_by="test_a_triple_that_stands_twice_counts_once")


edit("both_directions", "sets", {"    return neighbours": "    return {name: set(some) for name, some in neighbours.items()}"},
     "sets in place of lists: their order changes from run to run", killed_by="test_each_triple_is_walked_both_ways")
edit("both_directions", "symmetric-relations", {'relation + "*"': 'relation + "*" * (relation != "RelatedTo")'},
     "RelatedTo gets no star on the way back: every relation does", killed_by="test_names_and_relations_are_taken_as_they_stand")
edit("both_directions", "part-of-a-name", {"if head != tail": "if head not in tail"},
     "a concept counts as itself if its name is part of the other's", killed_by="test_names_and_relations_are_taken_as_they_stand")
edit("both_directions", "blanks-at-the-ends", {"if head != tail": "if head.strip() != tail.strip()"},
     "names that differ in blanks at their ends count as one concept", killed_by="test_names_and_relations_are_taken_as_they_stand")
edit("both_directions", "lower-case", {"if head != tail": "if head.lower() != tail.lower()"},
     "names that differ in capital letters count as one concept", killed_by="test_names_and_relations_are_taken_as_they_stand")


@mistake("both_directions", "one-relation-a-pair", "of several relations between two concepts the last one alone is kept",
         killed_by="test_a_triple_that_stands_twice_counts_once")
def both_directions(triples):
    found = {name: {} for head, _, tail in triples for name in (head, tail)}
    for head, relation, tail in triples:
        if head != tail:
            found[head][tail] = relation
            found[tail][head] = relation + "*"
    return {name: [(relation, other) for other, relation in some.items()] for name, some in found.items()}


@mistake("both_directions", "heads-only", "some concepts of the triples have no entry", killed_by="test_what_leads_to_itself_leads_nowhere")
def both_directions(triples):
    found = {}
    for head, relation, tail in dict.fromkeys(triples):
        if head != tail:
            found.setdefault(head, []).append((relation, tail))
            found.setdefault(tail, []).append((relation + "*", head))
    return found


# find_paths
@alternative("find_paths", "recursive")
def find_paths(neighbours, source, target, longest):
    def grow(path, met):
        here = path[-1][2] if path else source
        if len(path) == longest:
            return
        for relation, there in neighbours.get(here, ()):
            if there in met:
                continue
            step = [*path, (here, relation, there)]
            if there == target:
                yield step
            else:
                yield from grow(step, met | {there})

    return list(grow([], {source}))


@alternative("find_paths", "networkx")
def find_paths(neighbours, source, target, longest):
    graph = nx.MultiDiGraph()
    graph.add_nodes_from([source, target])
    for name, some in neighbours.items():
        for relation, other in some:
            graph.add_edge(name, other, key=relation)
    if source == target or longest < 1:
        return []
    paths = nx.all_simple_edge_paths(graph, source, target, cutoff=longest)
    return [tuple((a, relation, b) for a, b, relation in path) for path in paths]


@alternative("find_paths", "level-by-level")
def find_paths(neighbours, source, target, longest):
    level, found = [()], []
    for _ in range(longest):
        following = []
        for path in level:
            here = path[-1][2] if path else source
            met = {source} | {step[2] for step in path}
            following += [(*path, (here, relation, there)) for relation, there in neighbours.get(here, []) if there not in met]
        found += [list(path) for path in following if path[-1][2] == target]
        level = [path for path in following if path[-1][2] != target]
    return found


edit("find_paths", "one-step-more", {"if len(path) < longest:": "if len(path) <= longest:", "len(longer) < longest": "len(longer) <= longest"},
     "paths of one step more are found", killed_by="test_no_path_is_longer_than_asked_for")
edit("find_paths", "one-step-fewer", {"if len(path) < longest:": "if len(path) < longest - 1:"},
     "paths of the full length are missing: k counts steps, not concepts", killed_by="test_a_path_may_walk_triples_backwards")
edit("find_paths", "met-for-all", {"growing.append((longer, met | {there}))": "met.add(there)\n                    growing.append((longer, met))"},
     "all paths share one set of concepts met: a concept that one path has met is shut for the others", killed_by="test_no_concept_is_met_twice_on_a_path_but_other_paths_may_meet_it")
edit("find_paths", "circles", {"there not in met and len(longer)": "len(longer)", "there == target and target not in met": "there == target"},
     "a path may meet a concept twice", killed_by="test_to_itself_from_nowhere_and_in_no_steps_there_is_no_path")
edit("find_paths", "back-through-the-source", {"growing = [], [([], {source})]": "growing = [], [([], set())]"},
     "a path may come back to where it began", killed_by="test_to_itself_from_nowhere_and_in_no_steps_there_is_no_path")
edit("find_paths", "first-path-alone", {"    return found": "    return found[:1]"},
     "one path is given: all of them were asked for", killed_by="test_two_relations_between_the_same_concepts_are_two_paths")
edit("find_paths", "names-alone", {"found.append(longer)": "found.append([source, *(step[2] for step in longer)])"},
     "the path's concepts without its relations", killed_by="test_a_path_may_walk_triples_backwards")
edit("find_paths", "known-concepts-only", {"neighbours.get(here, [])": "neighbours[here]"},
     "a concept that the graph does not hold ends in a KeyError", killed_by="test_to_itself_from_nowhere_and_in_no_steps_there_is_no_path")


@mistake("find_paths", "relation-for-concept", "a concept is looked up in whole steps, where a relation may have its name",
         killed_by="test_concepts_are_told_apart_by_their_whole_names")
def find_paths(neighbours, source, target, longest):
    found, growing = [], [[]] if source != target else []
    while growing:
        path = growing.pop()
        here = path[-1][2] if path else source
        for relation, there in neighbours.get(here, []) if len(path) < longest else []:
            if there != source and not any(there in step for step in path):
                (found if there == target else growing).append([*path, (here, relation, there)])
    return found


@mistake("find_paths", "names-in-one-text", "the concepts met are joined in one text, in which parts of names are found, too",
         killed_by="test_concepts_are_told_apart_by_their_whole_names")
def find_paths(neighbours, source, target, longest):
    found, growing = [], [([], source)] if source != target else []
    while growing:
        path, met = growing.pop()
        here = path[-1][2] if path else source
        for relation, there in neighbours.get(here, []) if len(path) < longest else []:
            longer = [*path, (here, relation, there)]
            if there == target:
                found.append(longer)
            elif there not in met:
                growing.append((longer, f"{met} {there}"))
    return found


@mistake("find_paths", "shortest-alone", "the shortest paths alone: all of up to k steps were asked for",
         killed_by="test_no_path_is_longer_than_asked_for")
def find_paths(neighbours, source, target, longest):
    level = [([], {source})]
    for _ in range(longest):
        level = [([*path, (path[-1][2] if path else source, relation, there)], met | {there}) for path, met in level
                 for relation, there in neighbours.get(path[-1][2] if path else source, []) if there not in met]
        found = [path for path, _ in level if path[-1][2] == target]
        if found:
            return found
    return []


@mistake("find_paths", "one-relation-a-step", "of several relations between two concepts one alone is walked",
         killed_by="test_two_relations_between_the_same_concepts_are_two_paths")
def find_paths(neighbours, source, target, longest):
    graph, relation_of = nx.DiGraph(), {}
    graph.add_nodes_from([source, target])
    for name, some in neighbours.items():
        for relation, other in some:
            graph.add_edge(name, other)
            relation_of[name, other] = relation
    if source == target or longest < 1:
        return []
    paths = nx.all_simple_paths(graph, source, target, cutoff=longest)
    return [[(a, relation_of[a, b], b) for a, b in zip(path, path[1:])] for path in paths]  # noqa: RUF007


# schema_graph
@alternative("schema_graph", "step-by-step")
def schema_graph(neighbours, question, answer, longest):
    concepts, triples, paths = set(question) | set(answer), set(), {}

    def add(here, relation, there):
        concepts.update([here, there])
        if relation[-1] == "*":
            here, relation, there = there, relation[:-1], here
        triples.add((here, relation, there))

    for one in question:
        for other in answer:
            paths[one, other] = find_paths(neighbours, one, other, longest)
            for path in paths[one, other]:
                for step in path:
                    add(*step)
    for names in (question, answer):
        for one, other in product(names, names):
            for path in find_paths(neighbours, one, other, 1):
                add(*path[0])
    return concepts, triples, paths


@alternative("schema_graph", "forward-triples-of-the-inside")
def schema_graph(neighbours, question, answer, longest):
    paths = {pair: find_paths(neighbours, *pair, longest) for pair in product(question, answer)}
    steps = {tuple(step) for some in paths.values() for path in some for step in path}
    steps |= {(here, relation, there) for names in (set(question), set(answer)) for here in names & set(neighbours)
              for relation, there in neighbours[here] if there in names}
    triples = frozenset((b, r.rstrip("*"), a) if "*" in r else (a, r, b) for a, r, b in steps)
    concepts = set(question).union(answer, *({a, b} for a, _, b in triples))
    return [concepts, set(triples), paths]


edit("schema_graph", "stars-stay", {'triples = {(there, relation[:-1], one) if relation.endswith("*") else (one, relation, there) for one, relation, there in walked}':
     "triples = set(walked)"}, "steps are given as they are walked: triples stand in the graph without a star", killed_by="test_it_holds_what_stands_on_paths_and_nothing_else")
edit("schema_graph", "star-cut-not-turned", {'(there, relation[:-1], one) if relation': '(one, relation[:-1], there) if relation'},
     "the star is cut off and the triple is not turned round: it says the opposite", killed_by="test_it_holds_what_stands_on_paths_and_nothing_else")
edit("schema_graph", "nothing-within", {"    for names in (question, answer):\n        walked += [(one, relation, there) for one in names for relation, there in neighbours.get(one, []) if there in names]\n": ""},
     "triples among the question's concepts, and among the answer's, are missing", killed_by="test_triples_among_the_questions_concepts_belong_to_it")
edit("schema_graph", "answer-not-within", {"for names in (question, answer):": "for names in (question,):"},
     "triples among the answer's concepts are missing", killed_by="test_triples_among_the_questions_concepts_belong_to_it")
edit("schema_graph", "all-neighbours", {" if there in names]": "]"},
     "all neighbours of the concepts are taken in: those on paths belong to it, and triples among the given concepts", killed_by="test_it_holds_what_stands_on_paths_and_nothing_else")
edit("schema_graph", "detours-within", {"for one in names for relation, there in neighbours.get(one, []) if there in names]": "for a in names for b in names for path in find_paths(neighbours, a, b, longest) for one, relation, there in path]"},
     "paths among the question's concepts are taken in: triples from one to another alone belong to it", killed_by="test_detours_within_the_question_and_across_paths_stay_outside")
edit("schema_graph", "across-paths", {"    return concepts, triples, paths": '    triples = {(a, r, b) for a in concepts for r, b in neighbours.get(a, []) if b in concepts and not r.endswith("*")}\n    return concepts, triples, paths'},
     "all triples between two of the concepts: those on paths alone, and those among question or answer", killed_by="test_detours_within_the_question_and_across_paths_stay_outside")
edit("schema_graph", "lists-for-sets", {"    return concepts, triples, paths": "    return sorted(concepts), sorted(triples), paths"},
     "lists in place of sets", killed_by="test_it_holds_what_stands_on_paths_and_nothing_else")
edit("schema_graph", "connected-concepts-only", {"{*question, *answer} | {name": "{name"},
     "concepts of question and answer without a path are missing", killed_by="test_another_question_gets_another_graph")
edit("schema_graph", "pairs-with-paths-only", {"    return concepts, triples, paths": "    return concepts, triples, {pair: some for pair, some in paths.items() if some}"},
     "pairs without a path are missing: their list is empty", killed_by="test_each_pair_has_its_paths")
edit("schema_graph", "answer-first", {"paths = {(one, other): find_paths(neighbours, one, other, longest)": "paths = {(other, one): find_paths(neighbours, one, other, longest)"},
     "pairs are (answer, question): the question's concept stands first", killed_by="test_each_pair_has_its_paths")
edit("schema_graph", "from-the-answer", {"find_paths(neighbours, one, other, longest)": "find_paths(neighbours, other, one, longest)"},
     "paths run from the answer to the question", killed_by="test_each_pair_has_its_paths")
edit("schema_graph", "first-pair", {"for one in question for other in answer}": "for one, other in zip(question, answer)}"},
     "the first concept goes with the first, the second with the second: each with each", killed_by="test_each_pair_has_its_paths")
edit("schema_graph", "one-step-more", {"find_paths(neighbours, one, other, longest)": "find_paths(neighbours, one, other, longest + 1)"},
     "paths of one step more are taken", killed_by="test_any_question_and_answer_get_the_graph_between_their_concepts")


# path_scores
@alternative("path_scores", "path-by-path")
def path_scores(concepts, relations, steps, lengths):
    found = []
    for path, length in zip(steps, lengths.tolist()):
        score = concepts.new_ones(())
        for here, relation, there in path[:length].tolist():
            backwards, which = divmod(relation, len(relations))
            head, tail = (there, here) if backwards else (here, there)
            score = score * (1 + torch.cosine_similarity(relations[which], concepts[tail] - concepts[head], dim=0)) / 2
        found.append(score)
    return torch.stack(found) if found else concepts.new_zeros(0)


@alternative("path_scores", "negative-relations")
def path_scores(concepts, relations, steps, lengths):
    unit = torch.cat([relations, -relations])
    r = functional.normalize(unit, dim=1)[steps[:, :, 1]]
    t = functional.normalize(concepts[steps[:, :, 2]] - concepts[steps[:, :, 0]], dim=-1)
    scores = ((r * t).sum(dim=-1) + 1) * 0.5
    here = torch.arange(steps.size(1)).expand(len(steps), -1) < lengths.unsqueeze(1)
    return torch.where(here, scores, torch.ones_like(scores)).prod(dim=-1)


edit("path_scores", "no-direction", {"torch.where(backwards[..., None], -moved, moved)": "moved"},
     "a step with a star is scored as if it were walked forwards: its head is where it ends", killed_by="test_a_step_with_a_star_is_its_triple_read_backwards")
edit("path_scores", "tail-to-head", {"concepts[steps[..., 2]] - concepts[steps[..., 0]]": "concepts[steps[..., 0]] - concepts[steps[..., 2]]"},
     "h − t in place of t − h", killed_by="test_a_step_that_points_as_its_relation_does_scores_1")
edit("path_scores", "plain-cosine", {"(1 + functional.cosine_similarity(kinds, moved, dim=-1)) / 2": "functional.cosine_similarity(kinds, moved, dim=-1)"},
     "the cosine itself: (1 + cos) / 2 lies between 0 and 1", killed_by="test_a_step_that_points_as_its_relation_does_scores_1")
edit("path_scores", "distance", {"(1 + functional.cosine_similarity(kinds, moved, dim=-1)) / 2": "(-(kinds - moved).norm(dim=-1)).exp()"},
     "a score of distances: TransE is trained on them, but the path's score takes the cosine", killed_by="test_a_step_that_points_as_its_relation_does_scores_1")
edit("path_scores", "mean", {"masked_fill(padding, 1.0).prod(dim=1)": "masked_fill(padding, 0.0).sum(dim=1) / lengths"},
     "the mean of the steps: their product was asked for", killed_by="test_a_path_is_the_product_of_its_steps")
edit("path_scores", "padding-is-0", {"masked_fill(padding, 1.0)": "masked_fill(padding, 0.0)"},
     "padding is a factor of 0, so short paths score 0", killed_by="test_padding_is_a_factor_of_1")
edit("path_scores", "padding-counts", {".masked_fill(padding, 1.0)": ""},
     "padding is scored as if it were steps", killed_by="test_padding_is_a_factor_of_1")
edit("path_scores", "one-step-early", {">= lengths[:, None]": ">= lengths[:, None] - 1"},
     "the last step of each path is left out", killed_by="test_a_step_that_points_as_its_relation_does_scores_1")
edit("path_scores", "own-cosine", {"functional.cosine_similarity(kinds, moved, dim=-1)": "((kinds * moved).sum(dim=-1) / (kinds.norm(dim=-1) * moved.norm(dim=-1)))"},
     "0/0 where a vector is 0: that cosine is to be 0", killed_by="test_vectors_of_zeros_are_half_likely")
edit("path_scores", "very-small-added", {"functional.cosine_similarity(kinds, moved, dim=-1)": "((kinds * moved).sum(dim=-1) / (kinds.norm(dim=-1) * moved.norm(dim=-1) + 1e-12))"},
     "a very small number is added below the fraction, which is not small beside the product of two short vectors", killed_by="test_only_directions_count_and_no_path_gives_no_score")
edit("path_scores", "small-added", {"functional.cosine_similarity(kinds, moved, dim=-1)": "((kinds * moved).sum(dim=-1) / (kinds.norm(dim=-1) * moved.norm(dim=-1) + 1e-6))"},
     "a small number is added below the fraction, which is not small beside short vectors", killed_by="test_only_directions_count_and_no_path_gives_no_score")


# graph_convolution
@alternative("graph_convolution", "matrix-of-roots")
def graph_convolution(x, adjacency, weight, bias):
    graphs = []
    for one, arrows in zip(x, adjacency):
        a = ((arrows.int() + arrows.int().T + torch.eye(len(one), dtype=torch.int32)) > 0).to(one.dtype)
        root = torch.diag(a.sum(dim=0) ** -0.5)
        graphs.append(torch.clamp(root @ a @ root @ one @ weight.T + bias, min=0))
    return torch.stack(graphs)


@alternative("graph_convolution", "scaled-before-and-after")
def graph_convolution(x, adjacency, weight, bias):
    near = (adjacency | adjacency.transpose(1, 2)).to(x.dtype)
    near = torch.maximum(near, torch.eye(x.size(1), dtype=x.dtype).expand_as(near))
    root = near.sum(dim=2, keepdim=True).sqrt()
    return functional.relu(torch.bmm(near, functional.linear(x, weight) / root) / root + bias)


@alternative("graph_convolution", "edges")
def graph_convolution(x, adjacency, weight, bias):
    linked = (adjacency | adjacency.mT).logical_or(torch.eye(x.shape[1]).bool())
    degree = linked.sum(dim=-1)
    s, i, j = linked.nonzero(as_tuple=True)
    messages = x[s, j] / (degree[s, i] * degree[s, j]).to(x.dtype).sqrt()[:, None]
    mixed = torch.zeros_like(x).index_put((s, i), messages, accumulate=True)
    return nn.functional.linear(mixed, weight, bias).relu()


equivalent("attention_weights", "1: answering.masked_fill(~real.unsqueeze(-1), 0.0) → answering.masked_fill(~real.unsqueeze(-1), 1.0)",
           "any finite number does: the score of padding is masked")
equivalent("graph_convolution", "1: torch.eye(x.shape[1], dtype=torch.bool, device=x.device) → torch.eye(x.shape[1], dtype=torch.bool)", "the checks run on a CPU")
edit("graph_convolution", "no-self", {" | torch.eye(x.shape[1], dtype=torch.bool, device=x.device)": ""},
     "a concept is not its own neighbour: A + I", killed_by="test_a_concept_alone_keeps_its_vector")
edit("graph_convolution", "arrows-as-they-are", {"adjacency | adjacency.mT | torch": "adjacency | torch"},
     "only one direction of each triple is mixed", killed_by="test_an_arrow_mixes_both_ways_and_two_count_once")
edit("graph_convolution", "no-degrees", {"    mixing = scale[:, :, None] * mixing * scale[:, None, :]\n": ""},
     "neighbours are summed: divided by the roots of both degrees", killed_by="test_a_chain_is_mixed_by_the_roots_of_both_degrees")
edit("graph_convolution", "mean", {"mixing.sum(dim=-1).rsqrt()": "1 / mixing.sum(dim=-1)", "scale[:, :, None] * mixing * scale[:, None, :]": "scale[:, :, None] * mixing"},
     "the mean of the neighbours, D⁻¹A: half of the division belongs to the neighbour's degree", killed_by="test_a_chain_is_mixed_by_the_roots_of_both_degrees")
edit("graph_convolution", "counted-twice", {"linked = adjacency | adjacency.mT | torch.eye(x.shape[1], dtype=torch.bool, device=x.device)": "linked = adjacency.int() + adjacency.mT.int() + torch.eye(x.shape[1], dtype=torch.int)"},
     "two triples between the same concepts count twice, and a concept that leads to itself three times", killed_by="test_an_arrow_mixes_both_ways_and_two_count_once")
edit("graph_convolution", "degrees-without-self", {"mixing.sum(dim=-1).rsqrt()": "(mixing.sum(dim=-1) - 1).clamp(min=1).rsqrt()"},
     "degrees are counted without the concept itself", killed_by="test_a_chain_is_mixed_by_the_roots_of_both_degrees")
edit("graph_convolution", "bias-mixed", {"mixing @ x @ weight.T + bias": "mixing @ (x @ weight.T + bias)"},
     "the bias is mixed, too: it is added behind", killed_by="test_any_graph_is_mixed_concept_by_concept")
edit("graph_convolution", "no-relu", {"functional.relu(mixing @ x @ weight.T + bias)": "mixing @ x @ weight.T + bias"},
     "the ReLU is missing", killed_by="test_weight_bias_and_relu_come_behind_the_mixing")
edit("graph_convolution", "no-bias", {"weight.T + bias": "weight.T"},
     "the bias is missing", killed_by="test_weight_bias_and_relu_come_behind_the_mixing")
edit("graph_convolution", "relu-before-bias", {"functional.relu(mixing @ x @ weight.T + bias)": "functional.relu(mixing @ x @ weight.T) + bias"},
     "the bias is added behind the ReLU", killed_by="test_weight_bias_and_relu_come_behind_the_mixing")
edit("graph_convolution", "constants", {"mixing @ x @": "mixing @ x.detach() @"},
     "vectors are taken as constants, so nothing before is trained", killed_by="test_vectors_weight_and_bias_learn")
edit("graph_convolution", "always-float32", {"return functional.relu(mixing @ x @ weight.T + bias)": "return functional.relu(mixing @ x @ weight.T + bias).float()"},
     "the result is float32, whatever comes in", killed_by="test_the_convolution_keeps_double_precision")


# encode_paths
@alternative("encode_paths", "torchs-lstm")
def encode_paths(nodes, relations, steps, lengths, read, recur, bias):
    x = torch.cat([nodes[steps[..., 0]], relations[steps[..., 1]], nodes[steps[..., 2]]], dim=-1)
    cells = recur.shape[1]
    states, h = [], (nodes.new_zeros(len(steps), cells), nodes.new_zeros(len(steps), cells))
    for place in range(steps.shape[1]):
        h = torch._VF.lstm_cell(x[:, place], h, read, recur, bias, torch.zeros_like(bias))
        states.append(h[0])
    return torch.stack(states, dim=1)[torch.arange(len(steps)), lengths - 1]


@alternative("encode_paths", "path-by-path", slow="a loop over the paths and their steps, in each step of the training")
def encode_paths(nodes, relations, steps, lengths, read, recur, bias):
    cells, found = recur.shape[1], []
    for path, length in zip(steps.tolist(), lengths.tolist()):
        h = c = nodes.new_zeros(cells)
        for a, r, b in path[:length]:
            gates = read @ torch.cat([nodes[a], relations[r], nodes[b]]) + recur @ h + bias
            i, f, o = (torch.sigmoid(gates[n * cells : (n + 1) * cells]) for n in (0, 1, 3))
            c = f * c + i * torch.tanh(gates[2 * cells : 3 * cells])
            h = o * torch.tanh(c)
        found.append(h)
    return torch.stack(found) if found else nodes.new_zeros(0, cells)


edit("encode_paths", "reads-the-padding", {"real = (place < lengths)[:, None]": "real = (lengths > 0)[:, None]"},
     "short paths go on reading in the padding", killed_by="test_a_short_path_does_not_read_its_padding")
edit("encode_paths", "one-step-too-few", {"place < lengths": "place < lengths - 1"},
     "the last step is not read", killed_by="test_one_step_counted_by_hand")
edit("encode_paths", "one-step-too-many", {"place < lengths": "place <= lengths"},
     "one step behind a path's end is read", killed_by="test_a_short_path_does_not_read_its_padding")
edit("encode_paths", "relation-last", {"[nodes[here], relations[relation], nodes[there]]": "[nodes[here], nodes[there], relations[relation]]"},
     "from, to, relation: the relation stands in the middle", killed_by="test_one_step_counted_by_hand")
edit("encode_paths", "other-gates", {"i, f, g, o =": "i, f, o, g ="},
     "the gates are in another order: i, f, g, o", killed_by="test_one_step_counted_by_hand")
edit("encode_paths", "cell-given-back", {"    return state": "    return cell"},
     "the cell is given: the state was asked for", killed_by="test_one_step_counted_by_hand")
edit("encode_paths", "no-tanh", {"o.sigmoid() * new_cell.tanh()": "o.sigmoid() * new_cell"},
     "the cell's tanh is missing on the way to the state", killed_by="test_one_step_counted_by_hand")
edit("encode_paths", "no-recurrence", {" + state @ recur.T": ""},
     "the state of the step before is not read", killed_by="test_three_paths_of_one_length_are_torchs")
edit("encode_paths", "no-bias", {" + bias).chunk": ").chunk"},
     "the bias is missing", killed_by="test_three_paths_of_one_length_are_torchs")
edit("encode_paths", "backwards", {"for place in range(steps.shape[1]):": "for place in reversed(range(steps.shape[1])):"},
     "paths are read from their end", killed_by="test_three_paths_of_one_length_are_torchs")
edit("encode_paths", "cell-forgotten", {"f.sigmoid() * cell + i": "i"},
     "the old cell is not kept: f · c is missing", killed_by="test_three_paths_of_one_length_are_torchs")
edit("encode_paths", "constants", {"x = torch.cat([nodes[here]": "x = torch.cat([nodes.detach()[here]"},
     "concepts are taken as constants, so the convolution is never trained by where paths begin", killed_by="test_concepts_relations_and_weights_learn")
edit("encode_paths", "state-of-the-end-alone", {"        state = torch.where(real, o.sigmoid() * new_cell.tanh(), state)\n": "        state = torch.where(real, o.sigmoid() * new_cell.tanh(), 0.0 * state)\n"},
     "the state of a path that has ended is set to 0", killed_by="test_a_short_path_does_not_read_its_padding")


@mistake("encode_paths", "mean-of-steps", "the mean of all states: the last one was asked for", killed_by="test_three_paths_of_one_length_are_torchs")
def encode_paths(nodes, relations, steps, lengths, read, recur, bias):
    state = cell = nodes.new_zeros(len(steps), recur.shape[1])
    total = state
    for place in range(steps.shape[1]):
        here, relation, there = steps[:, place].unbind(dim=1)
        x = torch.cat([nodes[here], relations[relation], nodes[there]], dim=1)
        i, f, g, o = (x @ read.T + state @ recur.T + bias).chunk(4, dim=1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        state = o.sigmoid() * cell.tanh()
        total = total + state * (place < lengths)[:, None]
    return total / lengths[:, None]


# attention_weights
@alternative("attention_weights", "row-by-row")
def attention_weights(asking, answering, real, weight):
    count = answering.shape[-2]
    found = []
    for one, own, some in zip(asking.reshape(-1, asking.shape[-1]), answering.reshape(-1, *answering.shape[-2:]), real.reshape(-1, count)):
        scores = torch.where(some.unsqueeze(-1), own, 0.0) @ (one @ weight)
        top = scores[some].max() if some.any() else scores.max()
        powers = torch.where(some, (torch.where(some, scores, top) - top).exp(), 0.0)
        found.append(powers / powers.sum().clamp(min=1e-30))
    return torch.stack(found).reshape(real.shape)


@alternative("attention_weights", "nan-replaced")
def attention_weights(asking, answering, real, weight):
    known = answering.where(real[..., None], torch.zeros_like(answering))
    scores = torch.matmul(known, (asking @ weight).unsqueeze(-1)).squeeze(-1)
    return scores.masked_fill(~real, -torch.inf).softmax(dim=-1).nan_to_num(0.0)


@alternative("attention_weights", "infinity-where-something-is-real")
def attention_weights(asking, answering, real, weight):
    answering = torch.where(real.unsqueeze(-1), answering, torch.zeros(()).to(answering))
    scores = ((asking @ weight).unsqueeze(-2) * answering).sum(dim=-1)
    some = real.any(dim=-1, keepdim=True)
    scores = torch.where(real | ~some, scores, -torch.inf)
    return torch.softmax(scores, dim=-1).masked_fill(~some, 0.0)


edit("attention_weights", "infinity", {"scores.masked_fill(~real, lowest).softmax(dim=-1) * real": "scores.masked_fill(~real, -torch.inf).softmax(dim=-1)"},
     "the softmax over nothing but −∞ is NaN", killed_by="test_where_there_is_nothing_there_are_zeros")
edit("attention_weights", "even-over-nothing", {".softmax(dim=-1) * real": ".softmax(dim=-1)"},
     "where nothing is real the weights are even: they are 0", killed_by="test_where_there_is_nothing_there_are_zeros")
edit("attention_weights", "masked-afterwards", {"scores.masked_fill(~real, lowest).softmax": "scores.softmax"},
     "padding takes part in the softmax and is cut off afterwards, so the rest no longer sums to 1", killed_by="test_padding_has_no_weight_whatever_stands_there")
edit("attention_weights", "scores-of-0", {"masked_fill(~real, lowest)": "masked_fill(~real, 0.0)"},
     "padding gets the score 0: exp(0) is 1, not 0", killed_by="test_padding_has_no_weight_whatever_stands_there")
edit("attention_weights", "not-far-enough", {"masked_fill(~real, lowest)": "masked_fill(~real, -1000.0)"},
     "−1000 is taken for −∞: scores may lie below it", killed_by="test_scores_far_from_zero_weigh_as_others_do")
edit("attention_weights", "ten-thousand", {"masked_fill(~real, lowest)": "masked_fill(~real, -1e4)"},
     "−10,000 is taken for −∞: scores may lie below it", killed_by="test_scores_far_from_zero_weigh_as_others_do")
edit("attention_weights", "lowest-of-float32", {"torch.finfo(scores.dtype).min": "torch.finfo(torch.float32).min"},
     "the lowest number of float32 is taken for all types: float64 goes further down", killed_by="test_scores_far_from_zero_weigh_as_others_do")
edit("attention_weights", "scores-alone-masked", {"    answering = answering.masked_fill(~real.unsqueeze(-1), 0.0)  # inf there would make gradients NaN\n": ""},
     "only scores are masked: the gradients of asking and weight multiply with what stands at padding, and are NaN where that is inf",
     killed_by="test_inf_at_padding_reaches_neither_weights_nor_gradients")
edit("attention_weights", "masked-by-a-product", {"scores.masked_fill(~real, lowest)": "(scores * real + ~real * -1e30)"},
     "padding is multiplied by 0: an infinite score stays NaN", killed_by="test_scores_far_from_zero_weigh_as_others_do")
edit("attention_weights", "unmasked", {"scores.masked_fill(~real, lowest).softmax(dim=-1) * real": "scores.softmax(dim=-1)"},
     "padding gets weights", killed_by="test_padding_has_no_weight_whatever_stands_there")
edit("attention_weights", "over-the-pairs", {"softmax(dim=-1)": "softmax(dim=0)"},
     "the softmax runs over the first dimension: over what answers, the last one", killed_by="test_three_paths_weigh_as_the_softmax_of_their_scores")
edit("attention_weights", "scaled", {'"...d,dc,...kc->...k", asking, weight, answering)': '"...d,dc,...kc->...k", asking, weight, answering) / math.sqrt(answering.shape[-1])'},
     "scores are divided by √C, as in a Transformer: here they are not", killed_by="test_three_paths_weigh_as_the_softmax_of_their_scores")
edit("attention_weights", "sigmoid", {"masked_fill(~real, lowest).softmax(dim=-1)": "sigmoid()"},
     "a sigmoid for each: the weights are to sum to 1", killed_by="test_three_paths_weigh_as_the_softmax_of_their_scores")
edit("attention_weights", "shares-of-exp", {"scores.masked_fill(~real, lowest).softmax(dim=-1) * real": "(scores.exp() * real) / (scores.exp() * real).sum(dim=-1, keepdim=True).clamp(min=1e-30)"},
     "exp of a large score is infinite: the greatest is to be taken off first", killed_by="test_scores_far_from_zero_weigh_as_others_do")
edit("attention_weights", "constants", {"asking, weight, answering)": "asking, weight, answering).detach()"},
     "the scores are taken as constants: attention is never trained", killed_by="test_no_gradient_is_lost_or_not_a_number")


@mistake("attention_weights", "a-small-sum-raised", "the sum is taken for at least 1e-3 before the greatest is taken off: very low scores no longer sum to 1",
         killed_by="test_scores_far_from_zero_weigh_as_others_do")
def attention_weights(asking, answering, real, weight):
    known = answering.masked_fill(~real.unsqueeze(-1), 0.0)
    scores = torch.einsum("...d,dc,...kc->...k", asking, weight, known)
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp() * real
    return powers / powers.sum(dim=-1, keepdim=True).clamp(min=1e-3)


# graph_vector
@alternative("graph_vector", "broadcast")
def graph_vector(paths, alpha, pairs, beta):
    pooled = (alpha.unsqueeze(-1) * paths).sum(dim=2)
    return torch.cat([(beta.unsqueeze(-1) * some).sum(dim=1) for some in (pooled, pairs)], dim=1)


@alternative("graph_vector", "all-weights-at-once")
def graph_vector(paths, alpha, pairs, beta):
    both = alpha * beta[:, :, None]
    first = torch.einsum("smk,smkc->sc", both, paths)
    return torch.hstack([first, torch.bmm(beta[:, None], pairs)[:, 0]])


edit("graph_vector", "pairs-first", {"[pooled, pairs]": "[pairs, pooled]"},
     "T stands before R̂: what comes from the paths is first", killed_by="test_the_paths_of_one_pair_are_summed_by_alpha")
edit("graph_vector", "paths-alone", {"torch.cat([pooled, pairs], dim=-1)": "pooled"},
     "the pairs' own vectors T are left out", killed_by="test_the_paths_of_one_pair_are_summed_by_alpha")
edit("graph_vector", "beta-on-paths-alone", {'torch.einsum("sm,sme->se", beta, torch.cat([pooled, pairs], dim=-1))': 'torch.cat([torch.einsum("sm,sme->se", beta, pooled), pairs.mean(dim=1)], dim=-1)'},
     "T is averaged: β weighs both parts", killed_by="test_pairs_are_summed_by_beta_with_their_own_vectors")
edit("graph_vector", "mean-of-paths", {'torch.einsum("smk,smkc->smc", alpha, paths)': "paths.mean(dim=2)"},
     "paths are averaged without α", killed_by="test_the_paths_of_one_pair_are_summed_by_alpha")
edit("graph_vector", "mean-of-pairs", {'torch.einsum("sm,sme->se", beta, torch.cat([pooled, pairs], dim=-1))': "torch.cat([pooled, pairs], dim=-1).mean(dim=1)"},
     "pairs are averaged without β", killed_by="test_pairs_are_summed_by_beta_with_their_own_vectors")
edit("graph_vector", "best-path", {'torch.einsum("smk,smkc->smc", alpha, paths)': "paths.gather(2, alpha.argmax(dim=2)[:, :, None, None].expand(-1, -1, 1, paths.shape[3]))[:, :, 0]"},
     "the path with the most weight alone", killed_by="test_the_paths_of_one_pair_are_summed_by_alpha")
edit("graph_vector", "small-weights-dropped", {"    pooled =": "    alpha, beta = alpha * (alpha >= 0.01), beta * (beta >= 0.01)\n    pooled ="},
     "weights below 0.01 count as 0: all are summed", killed_by="test_small_weights_count_as_well")
edit("graph_vector", "over-all-pairs", {'torch.einsum("smk,smkc->smc", alpha, paths)': 'torch.einsum("smk,snkc->smc", alpha, paths)'},
     "each pair sums the paths of all pairs", killed_by="test_pairs_are_summed_by_beta_with_their_own_vectors")
edit("graph_vector", "pairs-without-paths-dropped", {"    return torch.einsum": "    beta = beta * (alpha.sum(dim=2) > 0)\n    return torch.einsum"},
     "a pair without a path is left out altogether: its T stays", killed_by="test_a_pair_without_a_path_brings_its_own_vector_alone")
edit("graph_vector", "constants", {"beta, torch.cat": "beta.detach(), torch.cat"},
     "β is taken as a constant: the attention over pairs is never trained", killed_by="test_all_that_is_summed_learns")
edit("graph_vector", "always-float32", {"torch.cat([pooled, pairs], dim=-1))": "torch.cat([pooled, pairs], dim=-1)).float()"},
     "the result is float32, whatever comes in", killed_by="test_one_pair_of_one_path_keeps_its_dimensions_and_precision")


# Mutants that nothing can tell from a right answer.
equivalent("ground", '2: range(len(lemmas), 0, -1) → range(len(lemmas) + 1, 0, -1)',
           "no n-gram is longer than the text")
equivalent("ground", '2: range(len(lemmas), 0, -1) → range(len(lemmas), -1, -1)',
           "all words of an n-gram of none are stop words, so it never matches")
equivalent("ground", '6: found[start] → found[start + 1]',
           "the places are compared with each other alone")
equivalent("ground", '6: found[start] → found[start - 1]',
           "the places are compared with each other alone")
equivalent("both_directions", '1: (head, tail) → (tail, head)',
           "lists are made for both, in any order")
equivalent("both_directions", "1: (head, tail) → __import__('itertools').islice((head, tail), 10)",
           "there are two of them")
equivalent("find_paths", '6: neighbours.get(here, []) → neighbours.get(here) or []',
           "an empty list for an empty list")
equivalent("find_paths", '10: len(longer) < longest → len(longer) <= longest',
           "a path of the full length is looked at once more and does not grow")
equivalent("schema_graph", '3: (question, answer) → (answer, question)',
           "what is gathered becomes a set")
equivalent("schema_graph", "3: (question, answer) → __import__('itertools').islice((question, answer), 10)",
           "there are two of them")
equivalent("schema_graph", '4: neighbours.get(one, []) → neighbours.get(one) or []',
           "an empty list for an empty list")
equivalent("schema_graph", '6: (head, tail) → (tail, head)',
           "both become members of a set")
equivalent("schema_graph", "6: (head, tail) → __import__('itertools').islice((head, tail), 10)",
           "there are two of them")
equivalent("path_scores", '5: functional.cosine_similarity(kinds, moved, dim=-1) → functional.cosine_similarity(moved, kinds, dim=-1)',
           "a cosine is symmetric")
equivalent("graph_convolution", '3: mixing.sum(dim=-1) → mixing.sum(dim=1)',
           "the matrix is symmetric")
equivalent("graph_convolution", '3: mixing.sum(dim=-1) → mixing.sum(dim=-2)',
           "the matrix is symmetric")
