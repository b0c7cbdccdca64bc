"""Marking abstracts: classic mistakes and other right ways, for each exercise. Never released."""

import numpy as np
import pandas as pd

from grader.lessons.bank import alternative, edit, equivalent, mistake

# fmt: off  (an edit reads best in two lines: what is changed, and what that means)


# confusion
@alternative("confusion", "counter")
def confusion(key, marks, labels):
    from collections import Counter

    pairs = Counter(zip(key, marks))
    return np.array([[pairs[a, b] for b in labels] for a in labels])


@alternative("confusion", "pandas-bincount")
def confusion(key, marks, labels):
    rows = pd.Categorical(key, labels).codes.astype(int)
    columns = pd.Categorical(marks, labels).codes.astype(int)
    c = len(labels)
    return np.bincount(rows * c + columns, minlength=c * c).reshape(c, c)


@alternative("confusion", "torch-one-hot")
def confusion(key, marks, labels):
    import torch

    one = torch.tensor([[label == x for label in labels] for x in key], dtype=torch.long).reshape(-1, len(labels))
    other = torch.tensor([[label == x for label in labels] for x in marks], dtype=torch.long).reshape(-1, len(labels))
    return (one.T @ other).numpy()


edit("confusion", "transposed", {"marks, strict=True": "marks", "place[one], place[other]": "place[other], place[one]"},
     "rows and columns are exchanged: rows are the key, columns the marks",
     killed_by="test_rows_are_the_key_and_columns_the_marks")
edit("confusion", "set-to-one",
     {"for one, other in zip(key, marks, strict=True):\n        counts[place[one], place[other]] += 1":
     "counts[[place[one] for one in key], [place[other] for other in marks]] += 1"},
     "a cell is set to 1 in place of being counted up", killed_by="test_rows_are_the_key_and_columns_the_marks")
edit("confusion", "unused-labels-lost",
     {"place = {": "labels = [label for label in labels if label in key or label in marks]\n    place = {"},
     "labels that nobody used have lost their row and column",
     killed_by="test_a_label_that_nobody_used_has_a_row_and_a_column")
edit("confusion", "alphabetical", {"place = {": "labels = sorted(labels)\n    place = {"},
     "the labels are in alphabetical order: keep the order that is given",
     killed_by="test_a_label_that_nobody_used_has_a_row_and_a_column")
edit("confusion", "shares", {"dtype=int": "dtype=float", "+= 1": "+= 1 / len(key)"},
     "these are shares, not counts", killed_by="test_rows_are_the_key_and_columns_the_marks")
edit("confusion", "floats", {", dtype=int": ""},
     "the counts are floats: whole numbers are asked for", killed_by="test_counts_are_whole_numbers")
edit("confusion", "list-of-lists", {"return counts": "return counts.tolist()"},
     "lists of lists have no sums and no diagonal: make them a numpy array", killed_by="test_counts_are_a_numpy_array")

PAIRS = "test_many_marks_agree_with_counting_pairs"
edit("confusion", "blanks-cut-off", {"place = {": "labels = [str(label).strip() for label in labels]\n    key, marks = ([str(x).strip() for x in side] for side in (key, marks))\n    place = {"},
     "labels that differ in blanks alone are counted as one", killed_by=PAIRS)
edit("confusion", "order-of-the-course", {"enumerate(labels)":
     'enumerate(sorted(labels, key=["past", "problem", "solution", "evidence"].index) if "past" in labels else labels)'},
     "rows and columns are in the order of the course: it is that of `labels`", killed_by=PAIRS)
edit("confusion", "int16", {"dtype=int": "dtype=np.int16"},
     "counts of 16 bits end at 32,767", killed_by="test_very_many_marks_are_counted_whole")
edit("confusion", "uint8", {"dtype=int": "dtype=np.uint8"},
     "counts of 8 bits end at 255", killed_by=PAIRS)


# agreement
@alternative("agreement", "one-line")
def agreement(counts):
    return sum(counts[i][i] for i in range(len(counts))) / sum(map(sum, counts))


@alternative("agreement", "einsum")
def agreement(counts):
    return float(np.einsum("ii", counts) / np.einsum("ij->", counts))


edit("agreement", "mean-over-classes",
     {"counts.trace() / counts.sum()": "np.mean(counts.diagonal() / np.maximum(counts.sum(axis=1), 1))"},
     "the mean over the classes of the share that was found: agreement counts sentences",
     killed_by="test_the_share_on_the_diagonal")
edit("agreement", "number-returned", {"counts.trace() / counts.sum()": "counts.trace()"},
     "this is the number of agreements, not their share", killed_by="test_the_share_on_the_diagonal")
edit("agreement", "disagreement", {"counts.trace() / counts.sum()": "1 - counts.trace() / counts.sum()"},
     "this is the share on which they do not agree", killed_by="test_the_share_on_the_diagonal")
edit("agreement", "whole-division", {"counts.trace() / counts.sum()": "counts.trace() // counts.sum()"},
     "cut off to a whole number by //", killed_by="test_the_share_on_the_diagonal")
edit("agreement", "one-sided-classes-dropped", {"return float(": (
     "used = (counts.sum(axis=0) > 0) & (counts.sum(axis=1) > 0)\n"
     "    counts = counts[np.ix_(used, used)] if used.any() else counts\n    return 1.0 * float(")},
     "classes that only one side used are dropped with their disagreements",
     killed_by="test_any_table_has_the_share_on_its_diagonal")
edit("agreement", "divided-by-cells", {"counts.sum()": "counts.size"},
     "divided by the number of cells, not of sentences", killed_by="test_the_share_on_the_diagonal")


# kappa
@alternative("kappa", "whole-counts")
def kappa(counts):
    rows, columns = [sum(row) for row in counts], [sum(column) for column in zip(*counts)]
    n = sum(rows)
    hits = sum(counts[i][i] for i in range(len(rows)))
    chance = sum(a * b for a, b in zip(rows, columns))
    return float((n * hits - chance) / (n * n - chance)) if n * n > chance else 0.0


@alternative("kappa", "weighted-disagreement")
def kappa(counts):
    total = counts.sum()
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    apart = 1 - np.eye(len(counts))  # Cohen 1968: one minus weighted disagreement, here with weights 0 and 1
    return float(1 - (apart * counts).sum() / (apart * expected).sum()) if (apart * expected).any() else 0.0


@alternative("kappa", "scikit-learn", slow="spells out every sentence of a count, in each of thousands of tables")
def kappa(counts):
    from sklearn.metrics import cohen_kappa_score

    cells = [(i, j) for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]  # one a sentence
    key, marks = zip(*cells)
    return float(cohen_kappa_score(key, marks)) if len({*key, *marks}) > 1 else 0.0


@alternative("kappa", "fractions")
def kappa(counts):
    from fractions import Fraction

    n = int(counts.sum())
    observed = Fraction(int(counts.trace()), n)
    expected = sum(Fraction(int(row.sum()) * int(column.sum()), n * n) for row, column in zip(counts, counts.T))
    return float((observed - expected) / (1 - expected)) if expected < 1 else 0.0


edit("kappa", "agreement-returned",
     {"float((observed - expected) / (1 - expected)) if expected < 1 else 0.0": "float(observed)"},
     "this is the agreement: chance is not taken out", killed_by="test_what_is_gained_of_what_chance_leaves")
edit("kappa", "uniform-chance", {"counts.sum(axis=1) @ counts.sum(axis=0) / total**2": "1 / len(counts)"},
     "chance is taken to be 1/C: it follows from how often each side used each label",
     killed_by="test_a_reader_who_gives_one_label_to_everything_gains_nothing")
edit("kappa", "scotts-pi", {"expected = counts.sum(axis=1) @ counts.sum(axis=0) / total**2":
     "shares = (counts.sum(axis=0) + counts.sum(axis=1)) / (2 * total)\n    expected = shares @ shares"},
     "the shares of both sides are averaged first: that is Scott's pi; Cohen multiplies each side's own",
     killed_by="test_what_is_gained_of_what_chance_leaves")
edit("kappa", "not-divided",
     {"float((observed - expected) / (1 - expected)) if expected < 1 else 0.0": "float(observed - expected)"},
     "the difference from chance is not divided by what is left to gain, 1 − expected",
     killed_by="test_what_is_gained_of_what_chance_leaves")
edit("kappa", "zero-by-zero", {"return float((observed - expected) / (1 - expected)) if expected < 1 else 0.0":
     'with np.errstate(all="ignore"):\n        return float((observed - expected) / (1 - expected))'},
     "0/0 where both sides used one label alone: kappa is 0 there",
     killed_by="test_where_chance_gives_full_agreement_it_is_0")
edit("kappa", "one-label-as-one", {"float((observed - expected) / (1 - expected)) if expected < 1 else 0.0":
     "float((observed - expected) / (1 - expected)) if expected < 1 else 1.0"},
     "1 where both sides used one label alone: chance explains that agreement, so it is 0",
     killed_by="test_where_chance_gives_full_agreement_it_is_0")
edit("kappa", "negatives-cut-off",
     {"float((observed - expected) / (1 - expected))": "max(0.0, float((observed - expected) / (1 - expected)))"},
     "values below 0 are cut off: worse than chance is possible",
     killed_by="test_full_agreement_gives_1_and_full_disagreement_on_two_equal_halves_gives_minus_1")
edit("kappa", "input-changed", {"return float(": "counts -= counts\n    return float("},
     "the counts are divided in place, so the caller's table is gone",
     killed_by="test_random_tables_agree_with_exact_arithmetic")

EXACT = "test_random_tables_agree_with_exact_arithmetic"
edit("kappa", "int32", {"counts.sum(axis=1) @ counts.sum(axis=0) / total**2":
     "int(np.multiply(*(counts.sum(axis=i).astype(np.int32) for i in (0, 1))).sum(dtype=np.int32)) / int(total) ** 2"},
     "products of 32 bits: those of large counts do not fit in", killed_by=EXACT)
edit("kappa", "close-to-1-as-1", {"if expected < 1": "if not np.isclose(expected, 1)"},
     "0 where chance is near full agreement: only where it is full",
     killed_by="test_nearly_full_agreement_by_chance_is_not_full")
edit("kappa", "nearly-1-as-1", {"if expected < 1": "if expected < 0.99"},
     "0 where little is left to gain: only where nothing is", killed_by=EXACT)


# by_class
@alternative("by_class", "one-loop")
def by_class(counts):
    rows = []
    for c in range(len(counts)):
        hits, marked, true = counts[c][c], sum(row[c] for row in counts), sum(counts[c])
        precision, recall = hits / marked if marked else 0.0, hits / true if true else 0.0
        rows.append([precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0])
    return rows


@alternative("by_class", "torch")
def by_class(counts):
    import torch

    table = torch.tensor(counts, dtype=torch.float64)
    hits = table.diagonal()
    precision = torch.nan_to_num(hits / table.sum(0))
    recall = torch.nan_to_num(hits / table.sum(1))
    return torch.stack([precision, recall, torch.nan_to_num(2 * precision * recall / (precision + recall))], dim=1)


edit("by_class", "exchanged", {"marked, true": "true, marked"},
     "precision and recall are exchanged: precision is of the sentences that were marked so",
     killed_by="test_precision_goes_by_the_marks_and_recall_by_the_key")


@mistake("by_class", "arithmetic-mean", "the arithmetic mean of the two: F1 is the harmonic mean",
         killed_by="test_precision_goes_by_the_marks_and_recall_by_the_key")
def by_class(counts):
    hits, true, marked = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    precision, recall = hits / np.maximum(marked, 1), hits / np.maximum(true, 1)
    return np.stack([precision, recall, (precision + recall) / 2], axis=1)


@mistake("by_class", "zero-by-zero", "0/0 for a class that was never marked: the number is 0",
         killed_by="test_nothing_to_divide_by_gives_0")
def by_class(counts):
    hits, true, marked = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    with np.errstate(all="ignore"):
        precision, recall = hits / marked, hits / true
        return np.stack([precision, recall, 2 * precision * recall / (precision + recall)], axis=1)


@mistake("by_class", "one-against-rest",
         "the share of all sentences, one class against the rest: precision asks only about what was marked so",
         killed_by="test_precision_goes_by_the_marks_and_recall_by_the_key")
def by_class(counts):
    hits, true, marked = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    right = (counts.sum() - true - marked + 2 * hits) / counts.sum()
    f1 = 2 * hits / np.maximum(true + marked, 1)
    return np.stack([right, hits / np.maximum(true, 1), f1], axis=1)


edit("by_class", "transposed", {"[hits / np.maximum(n, 1) for n in (marked, true, (marked + true) / 2)], axis=1":
     "[hits / np.maximum(n, 1) for n in (marked, true, (marked + true) / 2)]"},
     "the table lies on its side: one row for each class, one column for each measure",
     killed_by="test_precision_goes_by_the_marks_and_recall_by_the_key")
edit("by_class", "empty-as-one", {"hits / np.maximum(n, 1)": "np.where(n > 0, hits / np.maximum(n, 1), 1.0)"},
     "empty classes are given 1: the number is 0", killed_by="test_nothing_to_divide_by_gives_0")

@mistake("by_class", "int8", "twice the hits in 8 bits: those of a large table do not fit in",
         killed_by="test_random_tables_agree_with_going_through_the_sentences")
def by_class(counts):
    hits, key, marked = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    both = (2 * hits).astype(np.int8)
    return np.stack([hits / np.maximum(marked, 1), hits / np.maximum(key, 1), both / np.maximum(marked + key, 1)], axis=1)


# macro_f1
@alternative("macro_f1", "used-classes")
def macro_f1(counts):
    used = [c for c in range(len(counts)) if counts[c].any() or counts[:, c].any()]
    return float(np.mean([by_class(counts)[c][2] for c in used]))


@alternative("macro_f1", "from-errors")
def macro_f1(counts):
    found = []
    for c in range(len(counts)):
        missed, wrong = sum(counts[c]) - counts[c][c], sum(row[c] for row in counts) - counts[c][c]
        if counts[c][c] + missed + wrong:
            found.append(counts[c][c] / (counts[c][c] + (missed + wrong) / 2))
    return sum(found) / len(found)


edit("macro_f1", "micro",
     {"(2 * counts.diagonal()[used > 0] / used[used > 0]).mean()": "counts.trace() / counts.sum()"},
     "F1 over all sentences together (micro), which is the agreement: each class counts the same",
     killed_by="test_every_class_weighs_the_same")
edit("macro_f1", "weighted-by-key", {"(2 * counts.diagonal()[used > 0] / used[used > 0]).mean()":
     "2 * counts.diagonal() / np.maximum(used, 1) @ counts.sum(axis=1) / counts.sum()"},
     "the classes are weighted by how common they are in the key", killed_by="test_every_class_weighs_the_same")
edit("macro_f1", "unused-as-zero",
     {"counts.diagonal()[used > 0] / used[used > 0]": "counts.diagonal() / np.maximum(used, 1)"},
     "a class that neither side used counts with 0: it is left out",
     killed_by="test_a_class_that_neither_side_used_is_left_out")
edit("macro_f1", "unmarked-left-out", {"return float((2 * counts.diagonal()[used > 0] / used[used > 0]).mean())":
     "marked = counts.sum(axis=0) > 0\n    return float((2 * counts.diagonal()[marked] / used[marked]).mean())"},
     "a class that one side never used is left out: its F1 is 0 and counts",
     killed_by="test_a_class_that_one_side_used_counts_with_0")
edit("macro_f1", "unkeyed-left-out", {"return float((2 * counts.diagonal()[used > 0] / used[used > 0]).mean())":
     "true = counts.sum(axis=1) > 0\n    return float((2 * counts.diagonal()[true] / used[true]).mean())"},
     "a class that is not in the key is left out: whoever marked it made an error, and its F1 of 0 counts",
     killed_by="test_a_class_that_one_side_used_counts_with_0")


@mistake("macro_f1", "mean-precision-and-recall",
         "the harmonic mean of mean precision and mean recall: it is the mean of the classes' F1",
         killed_by="test_every_class_weighs_the_same")
def macro_f1(counts):
    true, marked = counts.sum(axis=1), counts.sum(axis=0)
    used = true + marked > 0
    precision = (counts.diagonal() / np.maximum(marked, 1))[used].mean()
    recall = (counts.diagonal() / np.maximum(true, 1))[used].mean()
    return float(2 * precision * recall / (precision + recall)) if precision + recall else 0.0

edit("macro_f1", "ten-classes", {"used[used > 0]).mean()": "used[used > 0])[:10].mean()"},
     "the mean of no more than ten classes", killed_by="test_millions_of_sentences_have_a_macro_f1")
edit("macro_f1", "something-added", {"used[used > 0]).mean()": "(used[used > 0] + 1e-6) + 1e-6).mean()"},
     "something is added to each F1, which a rare class does not forgive",
     killed_by="test_millions_of_sentences_have_a_macro_f1")
edit("macro_f1", "nan-for-nothing", {"return float(": "if not counts.trace():\n        return float('nan')\n    return float("},
     "not a number where nothing agrees: each F1 is 0, and so is their mean",
     killed_by="test_random_tables_agree_with_the_mean_over_the_classes_that_are_used")


# kappa_interval
@alternative("kappa_interval", "resampled-cells")
def kappa_interval(counts, draws, seed):
    generator = np.random.default_rng(seed)
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    kappas = []
    for _ in range(draws):
        drawn = generator.choice(cells, size=len(cells))
        kappas.append(kappa(np.bincount(drawn, minlength=counts.size).reshape(counts.shape)))
    return tuple(np.percentile(kappas, [2.5, 97.5]).tolist())


@alternative("kappa_interval", "torch-multinomial")
def kappa_interval(counts, draws, seed):
    import torch

    torch.manual_seed(seed)
    shares = torch.tensor(counts / counts.sum()).flatten()
    sentences = (
        torch.distributions.Multinomial(int(counts.sum()), shares).sample((draws,)).reshape(draws, *counts.shape)
    )
    kappas = torch.tensor([kappa(table.numpy()) for table in sentences], dtype=torch.float64)
    return [float(end) for end in kappas.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64))]


edit("kappa_interval", "ninety-percent", {"0.025, 0.975": "0.05, 0.95"},
     "the middle 90 %: the ends of the middle 95 % are the quantiles 0.025 and 0.975",
     killed_by="test_the_ends_are_those_of_drawing_sentences_with_replacement")
edit("kappa_interval", "drawn-apart",
     {"counts.ravel() / total": "np.outer(counts.sum(axis=1), counts.sum(axis=0)).ravel() / total**2"},
     "the key's labels and the marks are drawn apart, so nothing but chance is left: a sentence keeps both its labels",
     killed_by="test_full_agreement_leaves_no_doubt")
edit("kappa_interval", "without-replacement",
     {"generator.choice(cells, size=len(cells))": "generator.permutation(cells)"},
     "drawn without replacement, which gives the same sentences each time: the interval has no width",
     killed_by="test_the_seed_decides_what_is_drawn", of="resampled-cells")
edit("kappa_interval", "standard-error",
     {"low, high = np.quantile([kappa(table.reshape(counts.shape)) for table in drawn], [0.025, 0.975])":
     ("kappas = np.array([kappa(table.reshape(counts.shape)) for table in drawn])\n"
      "    half = 1.96 * kappas.std() / np.sqrt(draws)\n"
      "    low, high = kappas.mean() - half, kappas.mean() + half")},
     "the standard error of the mean over the draws: the spread of the draws itself is the answer, whatever their number",
     killed_by="test_the_ends_are_those_of_drawing_sentences_with_replacement")
edit("kappa_interval", "seed-unused", {"total = counts.sum()":
     'total, kappa_interval.calls = counts.sum(), getattr(kappa_interval, "calls", 0) + 1  # can be told again',
     "default_rng(seed)": "default_rng(kappa_interval.calls)"},
     "the seed is not used, so no two calls give the same interval", killed_by="test_the_seed_decides_what_is_drawn")
edit("kappa_interval", "seed-0-as-none", {"default_rng(seed)": "default_rng(seed or None)"},
     "the seed 0 is taken for no seed, so two calls with it differ",
     killed_by="test_every_seed_decides_also_0_and_in_any_order_of_calls")
edit("kappa_interval", "seed-0-as-another", {"default_rng(seed)": "default_rng(seed or 42)"},
     "the seed 0 is taken for no seed, and another one put in its place",
     killed_by="test_every_seed_decides_also_0_and_in_any_order_of_calls")
edit("kappa_interval", "seed-in-a-byte", {"default_rng(seed)": "default_rng(seed % 256)"},
     "of the seed only its last eight bits count", killed_by="test_every_seed_decides_also_0_and_in_any_order_of_calls")
edit("kappa_interval", "interval-of-agreement", {"kappa(table": "agreement(table"},
     "this is the interval of the agreement, not of kappa",
     killed_by="test_the_ends_are_those_of_drawing_sentences_with_replacement")
edit("kappa_interval", "draws-unused", {"size=draws": "size=1000"},
     "`draws` is not used: it says how often the sentences are drawn anew",
     killed_by="test_the_interval_of_a_single_draw_has_no_width")

WHOLE = "test_two_and_four_sentences_are_drawn_whole"
DRAWN = "kappa(table.reshape(counts.shape))"
edit("kappa_interval", "mean-and-spread", {f"np.quantile([{DRAWN} for table in drawn], [0.025, 0.975])":
     f"(lambda k: (np.mean(k) - 1.96 * np.std(k), np.mean(k) + 1.96 * np.std(k)))([{DRAWN} for table in drawn])"},
     "mean and 1.96 standard deviations: the quantiles are asked for", killed_by=WHOLE)
edit("kappa_interval", "poisson", {"multinomial(total, counts.ravel() / total, size=draws)":
     "poisson(counts.ravel(), size=(draws, counts.size))", "for table in drawn]": "for table in drawn if table.sum()] or [0.0]"},
     "each cell is drawn by itself, so the number of sentences changes: it stays", killed_by=WHOLE)
edit("kappa_interval", "no-kappa-below-0", {DRAWN: f"max(0.0, {DRAWN})"},
     "kappas below 0 are put to 0", killed_by=WHOLE)
edit("kappa_interval", "chance-left-out", {"for table in drawn]": "for table in drawn if np.count_nonzero(table) > 1] or [0.0]"},
     "draws of one cell alone, which chance explains, are left out: their kappa is 0", killed_by=WHOLE)
edit("kappa_interval", "one-sentence-fewer", {"multinomial(total,": "multinomial(max(1, total - 1),"},
     "one sentence fewer is drawn: as many as there are", killed_by=WHOLE)


# marks
@alternative("marks", "lines")
def marks():  # another order, and lists
    lines = """
        roberta   solution evidence solution evidence past problem
        unigram   past problem solution evidence solution solution
        electra   problem past problem evidence solution solution
        bert      solution evidence past past problem solution evidence
        bpe       problem past problem solution evidence solution past
        fasttext  evidence past problem problem solution solution
        glove     solution solution past problem problem evidence
    """
    return {name: labels for name, *labels in map(str.split, lines.strip().splitlines())}


@alternative("marks", "other-reading")
def marks():  # four sentences marked otherwise, each for a reason that can be given
    return {
        "glove": "solution solution past problem past evidence",
        "fasttext": "evidence past problem problem solution solution",
        "bpe": "problem past problem solution evidence past past",
        "bert": "solution evidence past past past solution evidence",
        "electra": "problem past problem evidence solution solution",
        "unigram": "past problem solution evidence solution solution",
        "roberta": "solution problem solution evidence past problem",
    }


edit("marks", "past-present-exchanged", {"{name: labels for":
     '{name: [{"past": "solution", "problem": "evidence", "solution": "past", "evidence": "problem"}[x] for x in labels] for'},
     "past and present are exchanged: ask first whether the paper does it or it was there before",
     killed_by="test_kappa_with_the_key_is_at_least_2_fifths", of="lines")
edit("marks", "results-as-solutions",
     {"{name: labels for": '{name: ["solution" if x == "evidence" else x for x in labels] for'},
     "results are marked as solutions: what came out when it was measured is evidence",
     killed_by="test_what_came_out_is_marked_as_evidence", of="lines")
edit("marks", "all-one-label", {"{name: labels for": '{name: ["solution" for _ in labels] for'},
     "everything has one label, which agrees as often as that label is common, and no more",
     killed_by="test_kappa_with_the_key_is_at_least_2_fifths", of="lines")
edit("marks", "one-sentence-late", {"{name: labels for": '{name: ["past", *labels[:-1]] for'},
     "the marks are one sentence late: the first label belongs to the first sentence",
     killed_by="test_kappa_with_the_key_is_at_least_2_fifths", of="lines")
edit("marks", "merely-done-as-problem",
     {"{name: labels for": '{name: ["problem" if x == "past" else x for x in labels] for'},
     "what was merely done before is marked as a problem too: a problem is a sentence that complains",
     killed_by="test_what_was_done_and_known_before_is_marked_as_past", of="lines")
edit("marks", "complaints-as-past",
     {"{name: labels for": '{name: ["past" if x == "problem" else x for x in labels] for'},
     "complaints about older methods are marked as past: the second question is whether the sentence complains",
     killed_by="test_complaints_about_the_past_are_marked_as_problem", of="lines")


@mistake("marks", "cue-words", "marked by cue words: 'we' for a solution, a figure for evidence, 'but' for a problem",
         killed_by="test_kappa_with_the_key_is_at_least_2_fifths")
def marks():
    return {
        "glove": "solution past past past past evidence",
        "fasttext": "past evidence past past past past",
        "bpe": "past past past solution past past evidence",
        "bert": "evidence evidence past past past past evidence",
        "electra": "evidence past problem past solution past",
        "unigram": "past past past past past past",
        "roberta": "evidence past past past past past",
    }


edit("marks", "label-missing",
     {'"solution evidence past past problem solution evidence"': '"solution evidence past past problem solution"'},
     "a sentence has no label: each needs one, in order", killed_by="test_every_sentence_has_one_known_label")
edit("marks", "abstract-missing", {'"roberta": "solution evidence solution evidence past problem",': ""},
     "an abstract has no line", killed_by="test_every_sentence_has_one_known_label")


# card
@alternative("card", "strings")
def card():
    return {
        "method": "attention alone",
        "problem": "order",
        "limit": "linear",
        "bleu": "28.4 BLEU",
        "rival": "26.36 (ConvS2S, ensemble)",
        "devices": "8 P100",
        "days": "3.5 days",
        "flops": "2.3e19",
    }


@alternative("card", "computed-cost")
def card():
    hours, devices = 84, 8
    rate = 9.5e12  # operations in a second, the paper's footnote
    return {
        "problem": "order",
        "limit": "linear",
        "method": "attention alone",
        "bleu": 28.4,
        "rival": 26.36,
        "devices": devices,
        "days": hours / 24,
        "flops": hours * 3600 * devices * rate,
    }


edit("card", "base-models-days", {"3.5": "0.5"},
     "the big model's score with the base model's days: 12 hours are the base model's",
     killed_by="test_the_days_are_those_of_the_model_whose_score_stands_on_the_card")
edit("card", "base-models-cost", {"3.5": "0.5", "2.3e19": "3.3e18"},
     "the big model's score with the base model's cost: 3.3e18 operations in half a day are the base model's",
     killed_by="test_the_training_cost_is_that_of_the_model_whose_score_stands_on_the_card")
edit("card", "base-model-throughout", {"28.4": "27.3", "3.5": "0.5", "2.3e19": "3.3e18"},
     "the base model throughout: the card asks for the best of the paper's own scores, which is the big model's",
     killed_by="test_the_score_is_the_best_of_this_papers_models_from_english_to_german")
edit("card", "english-to-french", {"28.4": "41.8"},
     "the score is that of English to French: the card asks for German",
     killed_by="test_the_score_is_the_best_of_this_papers_models_from_english_to_german")
edit("card", "best-single-model", {"26.36": "26.03"},
     "the rival is the best single model: the best earlier score is that of an ensemble",
     killed_by="test_the_rival_is_the_best_earlier_score_ensembles_included")
edit("card", "gnmt-ensemble", {"26.36": "26.30"},
     "the rival is GNMT's ensemble: the one of ConvS2S is a little better",
     killed_by="test_the_rival_is_the_best_earlier_score_ensembles_included")
edit("card", "one-machine", {'"devices": 8': '"devices": "1 machine"', '"days": 3.5': '"days": "3.5 days"'},
     "one machine was counted: it has eight GPUs", killed_by="test_the_devices_are_the_gpus_of_one_machine")
edit("card", "bytenets-limit", {'"linear"': '"logarithmic"'},
     "the limit is ByteNet's: the operations of ConvS2S grow linearly with the distance",
     killed_by="test_the_limit_is_that_of_convs2s_and_not_of_another_model_of_the_past")
edit("card", "attention-beside-recurrence", {'"attention alone"': '"attention and recurrence"'},
     "attention beside recurrence is what there was before: this paper leaves recurrence out",
     killed_by="test_the_method_is_what_the_title_says")
edit("card", "unknown-words", {'"order"': '"vocabulary"'},
     "unknown words are the problem of another paper: here it is that each step waits for the step before",
     killed_by="test_the_problem_is_what_keeps_recurrent_models_from_working_in_parallel")
edit("card", "line-missing", {'"devices": 8,\n        "days": 3.5,\n        "flops": 2.3e19,': ""},
     "a line of the card is missing: what did it cost?", killed_by="test_every_field_is_there_and_no_other")
edit("card", "figures-in-words", {'"devices": 8': '"devices": "eight P100"',
     '"days": 3.5': '"days": "three and a half"'},
     "the figures are in words: give numbers, or strings that begin with one",
     killed_by="test_choices_are_among_those_offered_and_figures_are_numbers")


# What no check can tell from a right answer.

EQUAL = "the two lists are equally long by the contract"
equivalent("confusion", "3: zip(key, marks, strict=True) → zip(key, marks)", EQUAL)
equivalent("confusion", "3: zip(key, marks, strict=True) → zip(key, marks, strict=False)", EQUAL)
equivalent(
    "confusion",
    "1: enumerate(labels) → [(labels.index(item), item) for item in labels]",
    "labels are different, so the first place of each is its place",
)
equivalent(
    "kappa",
    "3: counts.sum(axis=1) @ counts.sum(axis=0) → counts.sum(axis=0) @ counts.sum(axis=1)",
    "a dot product is symmetric",
)
equivalent("by_class", "2: np.maximum(n, 1) → np.maximum(1, n)", "a maximum does not depend on the order")
equivalent(
    "by_class",
    "2: (marked, true, (marked + true) / 2) → __import__('itertools').islice((marked, true, (marked + true) / 2), 10)",
    "there are three measures",
)
