"""Marking abstracts: classic mistakes and other right ways, for each exercise. Never released."""

import numpy as np
import pandas as pd

from grader.lessons.bank import alternative, equivalent, mistake

# confusion


@mistake(
    "confusion",
    "rows and columns are exchanged: rows are the key, columns the marks",
    "test_rows_are_the_key_and_columns_the_marks",
)
def confusion(key, marks, labels):
    place = {label: i for i, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    for one, other in zip(key, marks):
        counts[place[other], place[one]] += 1
    return counts


@mistake(
    "confusion",
    "a cell is set to 1 in place of being counted up",
    "test_rows_are_the_key_and_columns_the_marks",
)
def confusion(key, marks, labels):
    place = {label: i for i, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    counts[[place[one] for one in key], [place[other] for other in marks]] += 1
    return counts


@mistake(
    "confusion",
    "labels that nobody used have lost their row and column",
    "test_a_label_that_nobody_used_has_a_row_and_a_column",
)
def confusion(key, marks, labels):
    used = [label for label in labels if label in key or label in marks]
    counts = np.zeros((len(used), len(used)), dtype=int)
    for one, other in zip(key, marks):
        counts[used.index(one), used.index(other)] += 1
    return counts


@mistake(
    "confusion",
    "the labels are in alphabetical order: keep the order that is given",
    "test_a_label_that_nobody_used_has_a_row_and_a_column",
)
def confusion(key, marks, labels):
    labels = sorted(labels)
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    for one, other in zip(key, marks):
        counts[labels.index(one), labels.index(other)] += 1
    return counts


@mistake("confusion", "these are shares, not counts", "test_rows_are_the_key_and_columns_the_marks")
def confusion(key, marks, labels):
    counts = np.zeros((len(labels), len(labels)))
    for one, other in zip(key, marks):
        counts[labels.index(one), labels.index(other)] += 1 / len(key)
    return counts


@mistake("confusion", "the counts are floats: whole numbers are asked for", "test_counts_are_whole_numbers")
def confusion(key, marks, labels):
    counts = np.zeros((len(labels), len(labels)))
    for one, other in zip(key, marks):
        counts[labels.index(one), labels.index(other)] += 1
    return counts


@mistake(
    "confusion",
    "lists of lists have no sums and no diagonal: make them a numpy array",
    "test_counts_are_a_numpy_array",
)
def confusion(key, marks, labels):
    pairs = list(zip(key, marks))
    return [[pairs.count((a, b)) for b in labels] for a in labels]


@alternative("confusion")
def confusion(key, marks, labels):
    from collections import Counter

    pairs = Counter(zip(key, marks))
    return np.array([[pairs[a, b] for b in labels] for a in labels])


@alternative("confusion")
def confusion(key, marks, labels):
    rows = pd.Categorical(key, labels).codes.astype(int)
    columns = pd.Categorical(marks, labels).codes.astype(int)
    c = len(labels)
    return np.bincount(rows * c + columns, minlength=c * c).reshape(c, c)


@alternative("confusion")
def confusion(key, marks, labels):
    import torch

    one = torch.tensor([[label == x for label in labels] for x in key], dtype=torch.long).reshape(-1, len(labels))
    other = torch.tensor([[label == x for label in labels] for x in marks], dtype=torch.long).reshape(-1, len(labels))
    return (one.T @ other).numpy()


# agreement


@mistake(
    "agreement",
    "the mean over the classes of the share that was found: agreement counts sentences",
    "test_the_share_on_the_diagonal",
)
def agreement(counts):
    return float(np.mean(counts.diagonal() / np.maximum(counts.sum(axis=1), 1)))


@mistake("agreement", "this is the number of agreements, not their share", "test_the_share_on_the_diagonal")
def agreement(counts):
    return float(counts.trace())


@mistake("agreement", "this is the share on which they do not agree", "test_the_share_on_the_diagonal")
def agreement(counts):
    return float(1 - counts.trace() / counts.sum())


@mistake("agreement", "cut off to a whole number by //", "test_the_share_on_the_diagonal")
def agreement(counts):
    return float(counts.trace() // counts.sum())


@mistake("agreement", "divided by the number of cells, not of sentences", "test_the_share_on_the_diagonal")
def agreement(counts):
    return float(counts.trace() / counts.size)


@alternative("agreement")
def agreement(counts):
    return sum(counts[i][i] for i in range(len(counts))) / sum(map(sum, counts))


@alternative("agreement")
def agreement(counts):
    return float(np.einsum("ii", counts) / np.einsum("ij->", counts))


# kappa


@mistake("kappa", "this is the agreement: chance is not taken out", "test_what_is_gained_of_what_chance_leaves")
def kappa(counts):
    return float(counts.trace() / counts.sum())


@mistake(
    "kappa",
    "chance is taken to be 1/C: it follows from how often each side used each label",
    "test_a_reader_who_gives_one_label_to_everything_gains_nothing",
)
def kappa(counts):
    expected = 1 / len(counts)
    observed = counts.trace() / counts.sum()
    return float((observed - expected) / (1 - expected)) if expected < 1 else 0.0


@mistake(
    "kappa",
    "the shares of both sides are averaged first: that is Scott's pi; Cohen multiplies each side's own",
    "test_what_is_gained_of_what_chance_leaves",
)
def kappa(counts):
    total = counts.sum()
    observed = counts.trace() / total
    shares = (counts.sum(axis=0) + counts.sum(axis=1)) / (2 * total)
    expected = shares @ shares
    return float((observed - expected) / (1 - expected)) if expected < 1 else 0.0


@mistake(
    "kappa",
    "the difference from chance is not divided by what is left to gain, 1 − expected",
    "test_what_is_gained_of_what_chance_leaves",
)
def kappa(counts):
    total = counts.sum()
    return float(counts.trace() / total - counts.sum(axis=1) @ counts.sum(axis=0) / total**2)


@mistake(
    "kappa",
    "0/0 where both sides used one label alone: kappa is 0 there",
    "test_where_chance_gives_full_agreement_it_is_0",
)
def kappa(counts):
    total = counts.sum()
    observed = counts.trace() / total
    expected = counts.sum(axis=1) @ counts.sum(axis=0) / total**2
    with np.errstate(all="ignore"):
        return float((observed - expected) / (1 - expected))


@mistake(
    "kappa",
    "1 where both sides used one label alone: chance explains that agreement, so it is 0",
    "test_where_chance_gives_full_agreement_it_is_0",
)
def kappa(counts):
    total = counts.sum()
    observed = counts.trace() / total
    expected = counts.sum(axis=1) @ counts.sum(axis=0) / total**2
    return float((observed - expected) / (1 - expected)) if expected < 1 else 1.0


@mistake(
    "kappa",
    "values below 0 are cut off: worse than chance is possible",
    "test_full_agreement_gives_1_and_full_disagreement_on_two_equal_halves_gives_minus_1",
)
def kappa(counts):
    total = counts.sum()
    observed = counts.trace() / total
    expected = counts.sum(axis=1) @ counts.sum(axis=0) / total**2
    return max(0.0, float((observed - expected) / (1 - expected))) if expected < 1 else 0.0


@mistake(
    "kappa",
    "the counts are divided in place, so the caller's table is gone",
    "test_random_tables_agree_with_exact_arithmetic",
)
def kappa(counts):
    shares = counts.astype(float)
    shares /= shares.sum()
    counts -= counts
    observed, expected = shares.trace(), shares.sum(axis=1) @ shares.sum(axis=0)
    return float((observed - expected) / (1 - expected)) if expected < 1 - 1e-12 else 0.0


@alternative("kappa")
def kappa(counts):
    rows, columns = [sum(row) for row in counts], [sum(column) for column in zip(*counts)]
    n = sum(rows)
    hits = sum(counts[i][i] for i in range(len(rows)))
    chance = sum(a * b for a, b in zip(rows, columns))
    return float((n * hits - chance) / (n * n - chance)) if n * n > chance else 0.0


@alternative("kappa")
def kappa(counts):
    total = counts.sum()
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    apart = 1 - np.eye(len(counts))  # Cohen 1968: one minus weighted disagreement, here with weights 0 and 1
    return float(1 - (apart * counts).sum() / (apart * expected).sum()) if (apart * expected).any() else 0.0


@alternative("kappa", slow="spells out every sentence of a count, in each of thousands of tables")
def kappa(counts):
    from sklearn.metrics import cohen_kappa_score

    cells = [(i, j) for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]  # one a sentence
    key, marks = zip(*cells)
    return float(cohen_kappa_score(key, marks)) if len({*key, *marks}) > 1 else 0.0


@alternative("kappa")
def kappa(counts):
    from fractions import Fraction

    n = int(counts.sum())
    observed = Fraction(int(counts.trace()), n)
    expected = sum(Fraction(int(row.sum()) * int(column.sum()), n * n) for row, column in zip(counts, counts.T))
    return float((observed - expected) / (1 - expected)) if expected < 1 else 0.0


# by_class


@mistake(
    "by_class",
    "precision and recall are exchanged: precision is of the sentences that were marked so",
    "test_precision_goes_by_the_marks_and_recall_by_the_key",
)
def by_class(counts):
    hits, true, marked = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    return np.stack([hits / np.maximum(n, 1) for n in (true, marked, (marked + true) / 2)], axis=1)


@mistake(
    "by_class",
    "the arithmetic mean of the two: F1 is the harmonic mean",
    "test_precision_goes_by_the_marks_and_recall_by_the_key",
)
def by_class(counts):
    hits, true, marked = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    precision, recall = hits / np.maximum(marked, 1), hits / np.maximum(true, 1)
    return np.stack([precision, recall, (precision + recall) / 2], axis=1)


@mistake("by_class", "0/0 for a class that was never marked: the number is 0", "test_nothing_to_divide_by_gives_0")
def by_class(counts):
    hits, true, marked = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    with np.errstate(all="ignore"):
        precision, recall = hits / marked, hits / true
        return np.stack([precision, recall, 2 * precision * recall / (precision + recall)], axis=1)


@mistake(
    "by_class",
    "the share of all sentences, one class against the rest: precision asks only about what was marked so",
    "test_precision_goes_by_the_marks_and_recall_by_the_key",
)
def by_class(counts):
    hits, true, marked = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    right = (counts.sum() - true - marked + 2 * hits) / counts.sum()
    f1 = 2 * hits / np.maximum(true + marked, 1)
    return np.stack([right, hits / np.maximum(true, 1), f1], axis=1)


@mistake(
    "by_class",
    "the table lies on its side: one row for each class, one column for each measure",
    "test_precision_goes_by_the_marks_and_recall_by_the_key",
)
def by_class(counts):
    hits, true, marked = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    return np.stack([hits / np.maximum(n, 1) for n in (marked, true, (marked + true) / 2)])


@mistake("by_class", "empty classes are given 1: the number is 0", "test_nothing_to_divide_by_gives_0")
def by_class(counts):
    hits, true, marked = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    parts = [np.where(n > 0, hits / np.maximum(n, 1), 1.0) for n in (marked, true, (marked + true) / 2)]
    return np.stack(parts, axis=1)


@alternative("by_class")
def by_class(counts):
    rows = []
    for c in range(len(counts)):
        hits, marked, true = counts[c][c], sum(row[c] for row in counts), sum(counts[c])
        precision, recall = hits / marked if marked else 0.0, hits / true if true else 0.0
        rows.append([precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0])
    return rows


@alternative("by_class")
def by_class(counts):
    import torch

    table = torch.tensor(counts, dtype=torch.float64)
    hits = table.diagonal()
    precision = torch.nan_to_num(hits / table.sum(0))
    recall = torch.nan_to_num(hits / table.sum(1))
    return torch.stack([precision, recall, torch.nan_to_num(2 * precision * recall / (precision + recall))], dim=1)


# macro_f1


@mistake(
    "macro_f1",
    "F1 over all sentences together (micro), which is the agreement: each class counts the same",
    "test_every_class_weighs_the_same",
)
def macro_f1(counts):
    return float(counts.trace() / counts.sum())


@mistake(
    "macro_f1",
    "the classes are weighted by how common they are in the key",
    "test_every_class_weighs_the_same",
)
def macro_f1(counts):
    true, marked = counts.sum(axis=1), counts.sum(axis=0)
    f1 = 2 * counts.diagonal() / np.maximum(true + marked, 1)
    return float(f1 @ true / true.sum())


@mistake(
    "macro_f1",
    "a class that neither side used counts with 0: it is left out",
    "test_a_class_that_neither_side_used_is_left_out",
)
def macro_f1(counts):
    return float((2 * counts.diagonal() / np.maximum(counts.sum(axis=1) + counts.sum(axis=0), 1)).mean())


@mistake(
    "macro_f1",
    "a class that was never marked is left out: its F1 is 0 and counts",
    "test_a_class_that_one_side_used_counts_with_0",
)
def macro_f1(counts):
    true, marked = counts.sum(axis=1), counts.sum(axis=0)
    f1 = 2 * counts.diagonal() / np.maximum(true + marked, 1)
    return float(f1[marked > 0].mean())


@mistake(
    "macro_f1",
    "a class that is not in the key is left out: whoever marked it made an error, and its F1 of 0 counts",
    "test_a_class_that_one_side_used_counts_with_0",
)
def macro_f1(counts):
    true, marked = counts.sum(axis=1), counts.sum(axis=0)
    f1 = 2 * counts.diagonal() / np.maximum(true + marked, 1)
    return float(f1[true > 0].mean())


@mistake(
    "macro_f1",
    "the harmonic mean of mean precision and mean recall: it is the mean of the classes' F1",
    "test_every_class_weighs_the_same",
)
def macro_f1(counts):
    true, marked = counts.sum(axis=1), counts.sum(axis=0)
    used = true + marked > 0
    precision = (counts.diagonal() / np.maximum(marked, 1))[used].mean()
    recall = (counts.diagonal() / np.maximum(true, 1))[used].mean()
    return float(2 * precision * recall / (precision + recall)) if precision + recall else 0.0


@alternative("macro_f1")
def macro_f1(counts):
    used = [c for c in range(len(counts)) if counts[c].any() or counts[:, c].any()]
    return float(np.mean([by_class(counts)[c][2] for c in used]))


@alternative("macro_f1")
def macro_f1(counts):
    found = []
    for c in range(len(counts)):
        missed, wrong = sum(counts[c]) - counts[c][c], sum(row[c] for row in counts) - counts[c][c]
        if counts[c][c] + missed + wrong:
            found.append(counts[c][c] / (counts[c][c] + (missed + wrong) / 2))
    return sum(found) / len(found)


# kappa_interval


@mistake(
    "kappa_interval",
    "the middle 90 %: the ends of the middle 95 % are the quantiles 0.025 and 0.975",
    "test_the_ends_are_those_of_drawing_sentences_with_replacement",
)
def kappa_interval(counts, draws, seed):
    drawn = np.random.default_rng(seed).multinomial(counts.sum(), counts.ravel() / counts.sum(), size=draws)
    low, high = np.quantile([kappa(table.reshape(counts.shape)) for table in drawn], [0.05, 0.95])
    return float(low), float(high)


@mistake(
    "kappa_interval",
    "the key's labels and the marks are drawn apart, so nothing but chance is left: a sentence keeps both its labels",
    "test_full_agreement_leaves_no_doubt",
)
def kappa_interval(counts, draws, seed):
    generator, total = np.random.default_rng(seed), counts.sum()
    apart = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total**2
    drawn = generator.multinomial(total, apart.ravel(), size=draws)
    low, high = np.quantile([kappa(table.reshape(counts.shape)) for table in drawn], [0.025, 0.975])
    return float(low), float(high)


@mistake(
    "kappa_interval",
    "drawn without replacement, which gives the same sentences each time: the interval has no width",
    "test_the_seed_decides_what_is_drawn",
)
def kappa_interval(counts, draws, seed):
    generator = np.random.default_rng(seed)
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    kappas = []
    for _ in range(draws):
        drawn = generator.permutation(cells)
        kappas.append(kappa(np.bincount(drawn, minlength=counts.size).reshape(counts.shape)))
    low, high = np.quantile(kappas, [0.025, 0.975])
    return float(low), float(high)


@mistake(
    "kappa_interval",
    "the standard error of the mean over the draws: the spread of the draws itself is the answer, whatever their number",
    "test_the_ends_are_those_of_drawing_sentences_with_replacement",
)
def kappa_interval(counts, draws, seed):
    drawn = np.random.default_rng(seed).multinomial(counts.sum(), counts.ravel() / counts.sum(), size=draws)
    kappas = np.array([kappa(table.reshape(counts.shape)) for table in drawn])
    half = 1.96 * kappas.std() / np.sqrt(draws)
    return float(kappas.mean() - half), float(kappas.mean() + half)


@mistake(
    "kappa_interval",
    "the seed is not used, so no two calls give the same interval",
    "test_the_seed_decides_what_is_drawn",
)
def kappa_interval(counts, draws, seed):
    kappa_interval.calls = getattr(kappa_interval, "calls", 0) + 1  # no seed, yet what it does can be told again
    drawn = np.random.default_rng(kappa_interval.calls).multinomial(
        counts.sum(), counts.ravel() / counts.sum(), size=draws
    )
    low, high = np.quantile([kappa(table.reshape(counts.shape)) for table in drawn], [0.025, 0.975])
    return float(low), float(high)


@mistake(
    "kappa_interval",
    "this is the interval of the agreement, not of kappa",
    "test_the_ends_are_those_of_drawing_sentences_with_replacement",
)
def kappa_interval(counts, draws, seed):
    drawn = np.random.default_rng(seed).multinomial(counts.sum(), counts.ravel() / counts.sum(), size=draws)
    low, high = np.quantile([agreement(table.reshape(counts.shape)) for table in drawn], [0.025, 0.975])
    return float(low), float(high)


@mistake(
    "kappa_interval",
    "`draws` is not used: it says how often the sentences are drawn anew",
    "test_the_interval_of_a_single_draw_has_no_width",
)
def kappa_interval(counts, draws, seed):
    drawn = np.random.default_rng(seed).multinomial(counts.sum(), counts.ravel() / counts.sum(), size=1000)
    low, high = np.quantile([kappa(table.reshape(counts.shape)) for table in drawn], [0.025, 0.975])
    return float(low), float(high)


@alternative("kappa_interval")
def kappa_interval(counts, draws, seed):
    generator = np.random.default_rng(seed)
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    kappas = []
    for _ in range(draws):
        drawn = generator.choice(cells, size=len(cells))
        kappas.append(kappa(np.bincount(drawn, minlength=counts.size).reshape(counts.shape)))
    return tuple(np.percentile(kappas, [2.5, 97.5]).tolist())


@alternative("kappa_interval")
def kappa_interval(counts, draws, seed):
    import torch

    torch.manual_seed(seed)
    shares = torch.tensor(counts / counts.sum()).flatten()
    sentences = (
        torch.distributions.Multinomial(int(counts.sum()), shares).sample((draws,)).reshape(draws, *counts.shape)
    )
    kappas = torch.tensor([kappa(table.numpy()) for table in sentences], dtype=torch.float64)
    return [float(end) for end in kappas.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64))]


# marks


@mistake(
    "marks",
    "past and present are exchanged: ask first whether the paper does it or it was there before",
    "test_kappa_with_the_key_is_at_least_2_fifths",
)
def marks():
    return {
        "glove": "solution evidence evidence past past problem",
        "fasttext": "solution evidence evidence past past problem",
        "bpe": "solution evidence solution evidence past past problem",
        "bert": "solution solution evidence past past problem problem",
        "electra": "solution evidence evidence past past problem",
        "unigram": "solution evidence past past past problem",
        "roberta": "solution evidence past past problem problem",
    }


@mistake(
    "marks",
    "results are marked as solutions: what came out when it was measured is evidence",
    "test_what_came_out_is_marked_as_evidence",
)
def marks():
    return {
        "glove": "past problem problem solution solution solution",
        "fasttext": "past problem problem solution solution solution",
        "bpe": "past problem past problem solution solution solution",
        "bert": "past past problem solution solution solution solution",
        "electra": "past problem problem solution solution solution",
        "unigram": "past problem solution solution solution solution",
        "roberta": "past problem solution solution solution solution",
    }


@mistake(
    "marks",
    "everything has one label, which agrees as often as that label is common, and no more",
    "test_kappa_with_the_key_is_at_least_2_fifths",
)
def marks():
    counts = {"glove": 6, "fasttext": 6, "bpe": 7, "bert": 7, "electra": 6, "unigram": 6, "roberta": 6}
    return {name: ["solution"] * n for name, n in counts.items()}


@mistake(
    "marks",
    "the marks are one sentence late: the first label belongs to the first sentence",
    "test_kappa_with_the_key_is_at_least_2_fifths",
)
def marks():
    return {
        "glove": "past past problem problem solution solution",
        "fasttext": "past past problem problem solution solution",
        "bpe": "past past problem past problem solution solution",
        "bert": "past past past problem solution solution evidence",
        "electra": "past past problem problem solution solution",
        "unigram": "past past problem solution solution solution",
        "roberta": "past past problem solution solution evidence",
    }


@mistake(
    "marks",
    "what was merely done before is marked as a problem too: a problem is a sentence that complains",
    "test_what_was_done_and_known_before_is_marked_as_past",
)
def marks():
    return {
        "glove": "problem problem problem solution solution evidence",
        "fasttext": "problem problem problem solution solution evidence",
        "bpe": "problem problem problem problem solution solution evidence",
        "bert": "problem problem problem solution solution evidence evidence",
        "electra": "problem problem problem solution solution evidence",
        "unigram": "problem problem solution solution solution evidence",
        "roberta": "problem problem solution solution evidence evidence",
    }


@mistake(
    "marks",
    "complaints about older methods are marked as past: the second question is whether the sentence complains",
    "test_complaints_about_the_past_are_marked_as_problem",
)
def marks():
    return {
        "glove": "past past past solution solution evidence",
        "fasttext": "past past past solution solution evidence",
        "bpe": "past past past past solution solution evidence",
        "bert": "past past past solution solution evidence evidence",
        "electra": "past past past solution solution evidence",
        "unigram": "past past solution solution solution evidence",
        "roberta": "past past solution solution evidence evidence",
    }


@mistake(
    "marks",
    "marked by cue words: 'we' for a solution, a figure for evidence, 'but' for a problem",
    "test_kappa_with_the_key_is_at_least_2_fifths",
)
def marks():
    return {
        "glove": "past past past past past evidence",
        "fasttext": "evidence past past past past past",
        "bpe": "past past past past solution past past",
        "bert": "past past past evidence past evidence evidence",
        "electra": "past evidence problem solution past past",
        "unigram": "past past past past past past",
        "roberta": "past past evidence past past past",
    }


@mistake("marks", "a sentence has no label: each needs one, in order", "test_every_sentence_has_one_known_label")
def marks():
    return {
        "glove": "past problem problem solution solution evidence",
        "fasttext": "past problem problem solution solution evidence",
        "bpe": "past problem past problem solution solution evidence",
        "bert": "past past problem solution solution evidence",
        "electra": "past problem problem solution solution evidence",
        "unigram": "past problem solution solution solution evidence",
        "roberta": "past problem solution solution evidence evidence",
    }


@mistake("marks", "an abstract has no line", "test_every_sentence_has_one_known_label")
def marks():
    return {
        "glove": "past problem problem solution solution evidence",
        "fasttext": "past problem problem solution solution evidence",
        "bpe": "past problem past problem solution solution evidence",
        "bert": "past past problem solution solution evidence evidence",
        "electra": "past problem problem solution solution evidence",
        "unigram": "past problem solution solution solution evidence",
    }


@alternative("marks")
def marks():  # another order, and lists
    lines = """
        roberta   past problem solution solution evidence evidence
        unigram   past problem solution solution solution evidence
        electra   past problem problem solution solution evidence
        bert      past past problem solution solution evidence evidence
        bpe       past problem past problem solution solution evidence
        fasttext  past problem problem solution solution evidence
        glove     past problem problem solution solution evidence
    """
    return {name: labels for name, *labels in map(str.split, lines.strip().splitlines())}


@alternative("marks")
def marks():  # four sentences marked otherwise, each for a reason that can be given
    return {
        "glove": "past problem past solution solution evidence",
        "fasttext": "past problem problem solution solution evidence",
        "bpe": "past problem past problem solution past evidence",
        "bert": "past past past solution solution evidence evidence",
        "electra": "past problem problem solution solution evidence",
        "unigram": "past problem solution solution solution evidence",
        "roberta": "past problem solution solution problem evidence",
    }


# card


@mistake(
    "card",
    "the big model's score with the base model's days: 12 hours are the base model's",
    "test_the_days_are_those_of_the_model_whose_score_stands_on_the_card",
)
def card():
    return {
        "problem": "order",
        "limit": "linear",
        "method": "attention alone",
        "bleu": 28.4,
        "rival": 26.36,
        "devices": 8,
        "days": 0.5,
        "flops": 2.3e19,
    }


@mistake(
    "card",
    "the big model's score with the base model's cost: 3.3e18 operations in half a day are the base model's",
    "test_the_training_cost_is_that_of_the_model_whose_score_stands_on_the_card",
)
def card():
    return {
        "problem": "order",
        "limit": "linear",
        "method": "attention alone",
        "bleu": 28.4,
        "rival": 26.36,
        "devices": 8,
        "days": 0.5,
        "flops": 3.3e18,
    }


@mistake(
    "card",
    "the base model throughout: the card asks for the best of the paper's own scores, which is the big model's",
    "test_the_score_is_the_best_of_this_papers_models_from_english_to_german",
)
def card():
    return {
        "problem": "order",
        "limit": "linear",
        "method": "attention alone",
        "bleu": 27.3,
        "rival": 26.36,
        "devices": 8,
        "days": 0.5,
        "flops": 3.3e18,
    }


@mistake(
    "card",
    "the score is that of English to French: the card asks for German",
    "test_the_score_is_the_best_of_this_papers_models_from_english_to_german",
)
def card():
    return {
        "problem": "order",
        "limit": "linear",
        "method": "attention alone",
        "bleu": 41.8,
        "rival": 26.36,
        "devices": 8,
        "days": 3.5,
        "flops": 2.3e19,
    }


@mistake(
    "card",
    "the rival is the best single model: the best earlier score is that of an ensemble",
    "test_the_rival_is_the_best_earlier_score_ensembles_included",
)
def card():
    return {
        "problem": "order",
        "limit": "linear",
        "method": "attention alone",
        "bleu": 28.4,
        "rival": 26.03,
        "devices": 8,
        "days": 3.5,
        "flops": 2.3e19,
    }


@mistake(
    "card",
    "the rival is GNMT's ensemble: the one of ConvS2S is a little better",
    "test_the_rival_is_the_best_earlier_score_ensembles_included",
)
def card():
    return {
        "problem": "order",
        "limit": "linear",
        "method": "attention alone",
        "bleu": 28.4,
        "rival": 26.30,
        "devices": 8,
        "days": 3.5,
        "flops": 2.3e19,
    }


@mistake(
    "card",
    "one machine was counted: it has eight GPUs",
    "test_the_devices_are_the_gpus_of_one_machine",
)
def card():
    return {
        "problem": "order",
        "limit": "linear",
        "method": "attention alone",
        "bleu": 28.4,
        "rival": 26.36,
        "devices": "1 machine",
        "days": "3.5 days",
        "flops": 2.3e19,
    }


@mistake(
    "card",
    "the limit is ByteNet's: the operations of ConvS2S grow linearly with the distance",
    "test_the_limit_is_that_of_convs2s_and_not_of_another_model_of_the_past",
)
def card():
    return {
        "problem": "order",
        "limit": "logarithmic",
        "method": "attention alone",
        "bleu": 28.4,
        "rival": 26.36,
        "devices": 8,
        "days": 3.5,
        "flops": 2.3e19,
    }


@mistake(
    "card",
    "attention beside recurrence is what there was before: this paper leaves recurrence out",
    "test_the_method_is_what_the_title_says",
)
def card():
    return {
        "problem": "order",
        "limit": "linear",
        "method": "attention and recurrence",
        "bleu": 28.4,
        "rival": 26.36,
        "devices": 8,
        "days": 3.5,
        "flops": 2.3e19,
    }


@mistake(
    "card",
    "unknown words are the problem of another paper: here it is that each step waits for the step before",
    "test_the_problem_is_what_keeps_recurrent_models_from_working_in_parallel",
)
def card():
    return {
        "problem": "vocabulary",
        "limit": "linear",
        "method": "attention alone",
        "bleu": 28.4,
        "rival": 26.36,
        "devices": 8,
        "days": 3.5,
        "flops": 2.3e19,
    }


@mistake("card", "a line of the card is missing: what did it cost?", "test_every_field_is_there_and_no_other")
def card():
    return {"problem": "order", "limit": "linear", "method": "attention alone", "bleu": 28.4, "rival": 26.36}


@mistake(
    "card",
    "the figures are in words: give numbers, or strings that begin with one",
    "test_choices_are_among_those_offered_and_figures_are_numbers",
)
def card():
    return {
        "problem": "order",
        "limit": "linear",
        "method": "attention alone",
        "bleu": 28.4,
        "rival": 26.36,
        "devices": "eight P100",
        "days": "three and a half",
        "flops": 2.3e19,
    }


@alternative("card")
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


@alternative("card")
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


# What no check can tell from a right answer.

EQUAL = "the two lists are equally long by the contract"
equivalent("confusion", "3: zip(key, marks, strict=True) → zip(key, marks)", EQUAL)
equivalent("confusion", "3: zip(key, marks, strict=True) → zip(key, marks, strict=False)", EQUAL)
equivalent(
    "kappa",
    "3: counts.sum(axis=1) @ counts.sum(axis=0) → counts.sum(axis=0) @ counts.sum(axis=1)",
    "a dot product is symmetric",
)
equivalent("by_class", "2: np.maximum(n, 1) → np.maximum(1, n)", "a maximum does not depend on the order")
