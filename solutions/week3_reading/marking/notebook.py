# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Reading with a pencil: problem against solution, past against present
#
# Ask two questions of every sentence: *is this from before the paper, or does the paper do it? Is it a problem, or a solution?*

# %% [markdown]
# **The paper.** Kappa measures how well two readers' marks agree beyond chance: Cohen 1960, [A Coefficient of Agreement for Nominal Scales](https://doi.org/10.1177/001316446002000104). You write it, and then it measures you.

# %% [markdown]
# **What you will do** (about 2 hours):
#
# | | piece |
# |---|---|
# | 1 | two questions, four labels |
# | 2 | agreement, without and with the part that chance explains |
# | 3 | class by class: what a reader finds and what she mistakes |
# | 4 | how many sentences tell a good reader from a fair one |
# | 5 | seven abstracts, in English and Korean, marked by you |
# | 6 | a card about a real paper |

# %% tags=["parameters"]
profile = "cpu"  # smoke, cpu and gpu do the same here: nothing is trained
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import etude
from etude import check, plots, record
from etude.papers import abstracts

run = etude.start("week3_reading/marking", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. Two questions, four labels
#
# The abstracts are of this course's papers, in our sentences, not the authors'. Each gets one label:
#
# | | **before** the paper | **in** the paper |
# |---|---|---|
# | what is done | `past`: what was done or known | `solution`: what this paper does |
# | how it goes | `problem`: what is missing, wrong or too costly | `evidence`: what came out when it was measured |

# %% [markdown]
# 1. *Does the sentence tell of what was there before, or of what this paper does and finds?*
# 2. *Does it complain, or report what came out?*
#
# ```
#                   ┌─ before ───────→ complains?         yes: problem     no: past
#   the sentence ───┤
#                   └─ in the paper ─→ what came out?     yes: evidence    no: solution
# ```

# %% [markdown]
# Hard cases, for all readers:
#
# - Two halves: label the half that you would keep. "X is fast but forgets" is a `problem`, "Unlike X, we …" a `solution`.
# - Success of the past is `past`, not `evidence`; so is earlier work by the same authors.
# - A known method explained is `past`; used by this paper it is `solution`.
# - What this paper measured is `evidence`: also a weakness of its *own* model, or a finding about an older one.

# %% [markdown]
# Mark the practice abstracts **before** you look at the key (about 10 minutes).


# %%
def show(table):
    """Prints abstracts, a numbered sentence on each line."""
    for (name, paper), group in table.groupby(["abstract", "paper"], sort=False):
        print(f"{name}: {paper}")
        for number, sentence in zip(group["number"], group["sentence"]):
            print(f"   {number}  {sentence}")


practice = abstracts.sentences("practice")
show(practice)

# %% [markdown]
# This reader goes by cue words, chosen on these very sentences (on the graded abstracts she is hardly better than chance).
# Replace her marks with yours: `mine = {"word2vec": "past problem …", "distilbert": "…", "albert": "…"}`.

# %%
CUES = {  # the first that is found decides; none: past
    "evidence": r"\d",
    "problem": r"\b(slow|hard|cost)|그러나|다만|느리|않는다",
    "solution": r"\b[Ww]e\b|우리",
}


def by_cues(sentence):
    return next((label for label, cue in CUES.items() if re.search(cue, sentence)), "past")


cues = {name: [by_cues(s) for s in group] for name, group in practice.groupby("abstract", sort=False)["sentence"]}
mine = cues  # your marks here

# %% [markdown]
# Where you and the key differ: on the first question or the second?

# %%
key, marked = list(practice["label"]), abstracts.in_order(mine, "practice")
practice.assign(mine=marked)[["abstract", "number", "mine", "label", "reason"]].style.hide(axis="index")

# %% [markdown]
# ## 2. How well do two readers agree?
#
# The **confusion matrix** counts how often a sentence that the key calls $i$ was marked $j$.
#
# *5 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# A dictionary from each label to its place. Rows are the key, columns the marks.
#
# </details>


# %% exercise="confusion"
def confusion(key, marks, labels):
    """How often a sentence of each class of the key was marked as each class.

    key, marks: lists of n labels, perhaps of none, in the same order of sentences; labels: list of C
    different labels, all strings or all whole numbers, every one that occurs among them.
    Returns a numpy array of whole numbers (C, C): row i, column j counts the sentences that are
    labels[i] in the key and labels[j] in the marks.
    """
    ### BEGIN SOLUTION
    place = {label: i for i, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), dtype=int)  # (C, C)
    for one, other in zip(key, marks, strict=True):
        counts[place[one], place[other]] += 1
    return counts
    ### END SOLUTION


# %%
check("confusion")

# %% [markdown]
# The **agreement** is the share of sentences with the same label on both sides.
#
# *5 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# They are counted on the diagonal.
#
# </details>


# %% exercise="agreement"
def agreement(counts):
    """The share of the sentences on which key and marks agree.

    counts: int64 (C, C), C at most 50, as `confusion` gives them, at most a million each and not all 0.
    Returns a float, right up to rounding.
    """
    ### BEGIN SOLUTION
    return float(counts.trace() / counts.sum())
    ### END SOLUTION


# %%
check("agreement")

# %% [markdown]
# Is 0.9 good? A sleeping reader marks 18 `solution` and two `evidence` all as `solution`:

# %%
asleep = np.zeros((4, 4), dtype=int)
asleep[abstracts.LABELS.index("solution"), abstracts.LABELS.index("solution")] = 18
asleep[abstracts.LABELS.index("evidence"), abstracts.LABELS.index("solution")] = 2
print(f"agreement of a sleeping reader: {agreement(asleep)}")

# %% [markdown]
# **Kappa** takes out chance. With nothing but each side's shares of labels, two readers agree with probability $p_e = \sum_c p_c\, q_c$: $p_c$ is label $c$'s share in the key, $q_c$ in the marks.
#
# Kappa is the part gained of what is left to gain ($p_o$: observed agreement):
#
# $$\kappa = \frac{p_o - p_e}{1 - p_e}$$
#
# ```
#   agreement    0 ──────────────── p_e ──────────── p_o ───── 1
#   kappa                            0 ─────────────  κ  ───── 1
#
#   asleep:      p_o = 18/20      p_e = 18/20 · 20/20 + 2/20 · 0/20 = 18/20      κ = 0
# ```

# %% [markdown]
# Below 0 is worse than chance. Where both sides used one and the same label throughout, 0/0 counts as 0: chance explains it all.
#
# *10 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# The key's shares are sums of rows, the marks' shares sums of columns, each divided by all sentences.
#
# </details>


# %% exercise="kappa"
def kappa(counts):
    """Agreement beyond chance (Cohen 1960).

    counts: int64 (C, C), C at most 50, as `confusion` gives them, at most a million each and not all 0.
    Returns a float; 0.0 where chance alone gives full agreement.
    """
    ### BEGIN SOLUTION
    total = counts.sum()
    observed = counts.trace() / total
    expected = counts.sum(axis=1) @ counts.sum(axis=0) / total**2
    return float((observed - expected) / (1 - expected)) if expected < 1 else 0.0
    ### END SOLUTION


# %%
check("kappa")

# %%
counts = confusion(key, marked, abstracts.LABELS)
print(f"asleep  agreement {agreement(asleep):.2f}  kappa {kappa(asleep):.2f}")
print(f"mine    agreement {agreement(counts):.2f}  kappa {kappa(counts):.2f}")

# %% [markdown]
# Kappa depends on how common the labels are: do not compare kappas of different texts.

# %% [markdown]
# ## 3. Class by class
#
# Which labels were mistaken? For each label $c$:
#
# - **precision**: of those marked $c$, how many are $c$ in the key;
# - **recall**: of those that are $c$ in the key, how many were marked so;
# - **F1**, their harmonic mean: $2\,n_{cc} / (\text{marked } c + \text{key } c)$.

# %% [markdown]
# ```
#             marked
#             a  b  c
#   key   a   4  1  0
#         b   2  6  1    → 9 are b in the key     recall of b      6/9
#         c   0  1  5
#                ↓
#                8 are marked b                   precision of b   6/8       F1 of b   12/17
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Three arrays (C,): the diagonal, the sums of rows, the sums of columns.
#
# </details>
# <details><summary>Hint for the zeros</summary>
#
# Where a sum is 0, its hits are 0 as well. What may you divide by there instead?
#
# </details>


# %% exercise="by_class"
def by_class(counts):
    """Precision, recall and F1 of each class.

    counts: int64 (C, C), rows the key, columns the marks, at most a million each. Returns floats
    (C, 3), right up to rounding; 0 wherever there is nothing to divide by.
    """
    ### BEGIN SOLUTION
    hits, true, marked = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)  # (C,) each
    return np.stack([hits / np.maximum(n, 1) for n in (marked, true, (marked + true) / 2)], axis=1)  # (C, 3)
    ### END SOLUTION


# %%
check("by_class")

# %% [markdown]
# **Macro-F1** is the mean of the classes' F1. A label that neither side used is left out; one that a single side used counts with F1 0.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Key and marks together used a label if its row and its column have a sum above 0.
#
# </details>


# %% exercise="macro_f1"
def macro_f1(counts):
    """The mean F1 over the classes that key or marks use.

    counts: int64 (C, C), rows the key, columns the marks, at most a million each and not all 0.
    Returns a float.
    """
    ### BEGIN SOLUTION
    used = counts.sum(axis=0) + counts.sum(axis=1)  # (C,)
    return float((2 * counts.diagonal()[used > 0] / used[used > 0]).mean())
    ### END SOLUTION


# %%
check("macro_f1")

# %%
print(f"macro-F1: asleep {macro_f1(asleep):.2f}, mine {macro_f1(counts):.2f}")
pd.DataFrame(by_class(counts), abstracts.LABELS, ["precision", "recall", "F1"]).style.format("{:.2f}")

# %% [markdown]
# Do you part on the first question?

# %%
first = counts.reshape(2, 2, 2, 2).sum(axis=(1, 3))  # (2, 2): LABELS begins with the two of before
print(f"kappa of the first question alone: {kappa(first):.2f}")

# %% [markdown]
# ## 4. How sure is a kappa?
#
# Other sentences would give another kappa. The **bootstrap** imitates that: draw as many sentences as we have, *with replacement*; compute kappa; repeat.

# %% [markdown]
# ```
#   sentences    1  2  3  4  5     κ
#   draw 1       2  2  5  1  4     κ₁
#   draw 2       3  1  1  5  3     κ₂      …  the middle 95 % of κ₁, κ₂, …
# ```
#
# A sentence keeps both its labels. So draw cells of the table of counts, each as likely as it is full.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `np.random.default_rng(seed)` has a method `multinomial(n, shares, size=…)`: n sentences into cells with these shares, many times.
#
# </details>
# <details><summary>Hint for the shapes</summary>
#
# It wants the C · C shares in one row: `counts.ravel()`. Each drawn row becomes a table again by `reshape`. `np.quantile` takes both quantiles at once.
#
# </details>


# %% exercise="kappa_interval"
def kappa_interval(counts, draws, seed):
    """The 95 % percentile bootstrap interval of kappa, over sentences.

    counts: int64 (C, C), 1 to 1,000 sentences in all; draws: how often they are drawn anew, at least
    once; seed: of the generator, the only source of chance, a whole number from 0 to 2³² − 1. Which
    draws belong to a seed is free.
    Returns (low, high): the quantiles 0.025 and 0.975 of the kappas of `draws` tables, each with as
    many sentences as `counts`.
    """
    ### BEGIN SOLUTION
    total = counts.sum()
    drawn = np.random.default_rng(seed).multinomial(total, counts.ravel() / total, size=draws)  # (draws, C²)
    low, high = np.quantile([kappa(table.reshape(counts.shape)) for table in drawn], [0.025, 0.975])
    return float(low), float(high)
    ### END SOLUTION


# %%
check("kappa_interval")

# %% [markdown]
# Five readers beside you. One looks only at where a sentence stands.

# %%
DRAWS = 1000


def by_position(size):
    problems = (size - 2) // 2
    return ["past", *["problem"] * problems, *["solution"] * (size - 2 - problems), "evidence"]


readers = {
    "mine": marked,
    "by cue words": abstracts.in_order(cues, "practice"),
    "all solution": ["solution"] * len(key),
    "one sentence late": ["past", *key[:-1]],
    "by position": [label for size in practice.groupby("abstract", sort=False).size() for label in by_position(size)],
    "before and now exchanged": [abstracts.LABELS[(abstracts.LABELS.index(label) + 2) % 4] for label in key],
}
tables = {name: confusion(key, marks, abstracts.LABELS) for name, marks in readers.items()}
abstract = np.array(practice["abstract"])
for name in practice["abstract"].unique():
    chosen = np.flatnonzero(abstract == name)
    tables[f"mine, {name} alone"] = confusion([key[i] for i in chosen], [marked[i] for i in chosen], abstracts.LABELS)
values = {name: (kappa(table), *kappa_interval(table, DRAWS, seed)) for name, table in tables.items()}

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained", width_ratios=[2, 3])
image = left.imshow(counts, cmap="Blues", vmin=0)
for i, row in enumerate(counts):
    for j, n in enumerate(row):
        left.text(j, i, n, ha="center", va="center", color="white" if n > counts.max() / 2 else "black")
left.set_xticks(range(4), abstracts.LABELS)
left.set_yticks(range(4), abstracts.LABELS)
left.spines[["left", "bottom"]].set_visible(False)
left.set(xlabel="marked", ylabel="key", title=f"Off the diagonal: what is taken for what ({len(key)} sentences)")
for i, (value, low, high) in enumerate(values.values()):
    colour = plots.COLOURS[i >= len(readers)]
    right.plot([low, high], [i, i], color=colour, lw=2)
    right.plot(value, i, "o", color=colour)
right.axvline(0, color="gray", lw=1)
right.set_yticks(range(len(values)), [f"{name} ({tables[name].sum()})" for name in values])
right.invert_yaxis()
right.set(xlabel="Cohen's kappa, 95 % bootstrap interval", title="One abstract alone leaves its reader's kappa wide open")
plt.show()

# %% [markdown]
# In brackets: how many sentences. How many would one need? Imagine a reader who marks four of five as the key does; her true kappa is known.
#
# How often does the interval hold it (**coverage**, which should be 95 %), and how wide is it?

# %%
SIZES, TEXTS = (20, 80, 320), 200
of_key = np.bincount([abstracts.LABELS.index(label) for label in key])  # (4,)
typical = of_key[:, None] * np.where(np.eye(4, dtype=bool), 12, 1)  # (4, 4): of 15 marks 12 are right, 1 is each other label
truth, chances = kappa(typical), typical / typical.sum()
generator = np.random.default_rng(seed)
rows = []
for n in SIZES:
    texts = generator.multinomial(n, chances.ravel(), size=TEXTS).reshape(TEXTS, 4, 4)
    ends = np.array([kappa_interval(text, 200, seed + i) for i, text in enumerate(texts)])  # (TEXTS, 2)
    covered = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    rows.append((n, covered.mean(), (ends[:, 1] - ends[:, 0]).mean()))
by_chance = np.outer(of_key, of_key) / len(key) ** 2  # (4, 4)
guesses = generator.multinomial(len(key), by_chance.ravel(), size=TEXTS).reshape(TEXTS, 4, 4)
guessed = {name: np.mean([f(table) for table in guesses]) for name, f in (("agreement", agreement), ("kappa", kappa))}
print(f"who guesses with the key's own shares: agreement {guessed['agreement']:.2f}, kappa {guessed['kappa']:+.3f}")
print(f"the imagined reader: kappa {truth:.2f}")
sizes = pd.DataFrame(rows, columns=["sentences", "coverage", "width"])
sizes.style.format({"coverage": "{:.2f}", "width": "{:.2f}"}).hide(axis="index")

# %% [markdown]
# Four times as many sentences halve the width. The percentile bootstrap is an approximation for many: with twenty its interval is too short.

# %% [markdown]
# ## 5. Your marks
#
# Seven abstracts, three in Korean. The grader keeps the key and gives:
#
# - one point for marks that can be read;
# - one each for a kappa of **0.4**, **0.6** and **0.8**;
# - half a point for each label with an F1 of at least **0.7**.
#
# A kappa of 0.8 allows about six differences in 44 sentences.

# %%
show(abstracts.sentences("graded"))

# %% [markdown]
# *25 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Ask the first question of all sentences of an abstract, then the second. Where a sentence stands tells nothing: some abstracts begin with what was found.
#
# </details>
# <details><summary>Hint for doubts</summary>
#
# Look in the list of hard cases of section 1 before you decide by feeling.
#
# </details>


# %% exercise="marks"
def marks():
    """Your marks of the graded abstracts.

    Returns a dictionary from each abstract's name to its labels (past, problem, solution,
    evidence), one for each sentence, in order,
    as one string with blanks between them: {"glove": "past problem …", …}.
    """
    ### BEGIN SOLUTION
    return {
        "glove": "solution solution past problem problem evidence",
        "fasttext": "evidence past problem problem solution solution",
        "bpe": "problem past problem solution evidence solution past",
        "bert": "solution evidence past past problem solution evidence",
        "electra": "problem past problem evidence solution solution",
        "unigram": "past problem solution evidence solution solution",
        "roberta": "solution evidence solution evidence past problem",
    }
    ### END SOLUTION


# %%
check("marks")

# %% [markdown]
# ## 6. A paper card
#
# Fill in a card for Vaswani and others 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762): abstract, introduction, background, tables of results.
#
# Score and cost belong to *one* model. The paper has two, base and big: do not mix their rows.

# %% [markdown]
# | field | what goes in |
# |---|---|
# | `problem` | what keeps earlier models from being trained faster: `"order"` (each step waits for the step before) · `"data"` (too few translated sentences) · `"vocabulary"` (words that are not in the list) · `"memory"` (the parameters do not fit) |
# | `limit` | how the number of operations that relate two positions grows with their distance in ConvS2S: `"constant"` · `"logarithmic"` · `"linear"` · `"quadratic"` |
# | `method` | `"attention and recurrence"` · `"attention and convolution"` · `"attention alone"` · `"attention in the encoder alone"` |
# | `bleu` | the best score of this paper's own models, English to German (newstest2014) |
# | `rival` | the best earlier score beside it in the table, whatever kind of system it is |
# | `devices` | on how many GPUs the model with your `bleu` was trained |
# | `days` | for how many days |
# | `flops` | its training cost as the table prints it, for example `1.5e20` |
#
# Numbers may be strings with a unit ("8 GPUs").

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `problem` is in the introduction, `limit` in the background, the scores and the cost in Table 2.
#
# </details>
# <details><summary>Hint for devices and days</summary>
#
# Section 5.2 gives the time of both models. Which of them has your `bleu`?
#
# </details>


# %% exercise="card"
def card():
    """The card of Attention Is All You Need: a dictionary with the eight fields above.

    Choices are strings, numbers are numbers.
    """
    ### BEGIN SOLUTION
    return {
        "problem": "order",
        "limit": "linear",
        "method": "attention alone",
        "bleu": 28.4,
        "rival": 26.36,
        "devices": 8,
        "days": 3.5,
        "flops": 2.3e19,
    }
    ### END SOLUTION


# %%
check("card")

# %% [markdown]
# The card tests itself. The paper counts *time × devices × a device's rate* (P100: 9.5·10¹² operations a second). If that is far from your `flops`, two fields are from different models.

# %%
numbers = {name: abstracts.number(value) for name, value in card().items() if name not in ("problem", "limit", "method")}
counted = numbers["days"] * 86_400 * numbers["devices"] * 9.5e12
print(f"counted {counted:.2g} operations, printed {numbers['flops']:.2g}")
print(f"{numbers['bleu'] - numbers['rival']:+.2f} BLEU over the best earlier score")

# %% [markdown]
# ## Results
#
# The reference's `mine` are the marks by cue words.

# %% tags=["metrics"]
metrics = {
    "kappa_practice": kappa(counts),
    "agreement_guessing": guessed["agreement"],
    "kappa_guessing": guessed["kappa"],
    "coverage_20": rows[0][1],
    "coverage_320": rows[-1][1],
    "width_20_over_320": rows[0][2] / rows[-1][2],
}
record(metrics)

# %% [markdown]
# **What was found**, in the runs behind the table of expected values:
#
# - Guessing with the key's own shares: agreement 0.26, kappa 0.00.
# - Cue words, on the sentences they were chosen on: kappa 0.73. Position alone, here: 0.46; on the graded abstracts: 0.04.
# - A 95 % interval from 20 sentences holds the truth in about 90 % of the texts, from 320 in about 93 %, and is nearly four times as wide.

# %% [markdown]
# ## In your own words
#
# A person reads and grades both.
#
# **1.** Choose a sentence of the graded abstracts on which you hesitated (name abstract and number). Between which two labels, and what decides? How would you change the rules of section 1, so that the next reader does not hesitate? What might that spoil elsewhere?

# %% [markdown] answer="a_hard_sentence" points=4
# ### BEGIN SOLUTION
# **Rubric: one point for each line that is met.**
#
# | points | the answer |
# |---|---|
# | 1 | names a sentence that is there, and two labels that a reader could really give it |
# | 1 | decides by the two questions or by a hard case of section 1, not by a cue word ("because it says we") |
# | 1 | proposes a rule that another reader could apply to other sentences as well |
# | 1 | names a sentence or a kind of sentence on which the new rule would do harm, or shows that it would not |
#
# Half a point where a line is met in part. Which label is chosen earns nothing: a choice against the key, well argued, has all four points.
#
# *Worth 4:* roberta 2 says that BERT was trained too little: problem or evidence? It speaks of an older model, but this paper found it out, so by the first question it is in the paper, and evidence. I would add: what counts is who measured, not what was measured.
# That might spoil introductions that cite a measurement by others in order to complain: they would have to stay problem, so the rule must say "measured in this paper".
# ### END SOLUTION

# %% [markdown]
# **2.** Your team translates product pages from English to Korean on two rented GPUs. From your card alone: would you propose the model of Vaswani and others? Use evidence *and* cost, say what the card does not tell, and name one measurement of your own that would settle it.

# %% [markdown] answer="would_you_use_it" points=4
# ### BEGIN SOLUTION
# **Rubric: one level for the whole answer.**
#
# | points | the answer |
# |---|---|
# | 4 | weighs score and cost of the *same* model, scales the cost to two GPUs, says that English-Korean, the domain or the amount of data is not on the card, and names a measurement with its baseline |
# | 3 | as above, but one of the four is missing or vague |
# | 2 | uses score and cost, but of different models, or draws no consequence for two GPUs |
# | 1 | an opinion with one fact from the card |
# | 0 | no fact from the card, or nothing written |
#
# *Worth 4:* The big model's 28.4 cost 3.5 days on 8 GPUs, which is two weeks on two, for a pair of languages that is not ours and far more sentences than we have. The base model took 12 hours on 8, two days on two, so I would begin there.
# The card says nothing about Korean, our domain, or the time to translate. I would train the base model and what we use now on the same 100,000 of our sentences and compare BLEU and seconds per page on pages kept aside.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Keshav 2007, [How to Read a Paper](https://doi.org/10.1145/1273445.1273458): three passes.
# - Teufel and Moens 2002, [Summarizing Scientific Articles: Experiments with Relevance and Rhetorical Status](https://aclanthology.org/J02-4002): sentences marked by their part in a paper's argument.
# - Artstein and Poesio 2008, [Inter-Coder Agreement for Computational Linguistics](https://aclanthology.org/J08-4004): when kappa and its relatives mislead.
# - Next: the tables. Do printed claims follow from printed numbers?
