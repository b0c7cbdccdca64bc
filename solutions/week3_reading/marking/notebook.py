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
# **Why.** A new method is a paper first, then code, then a course: who waits for the course is late. Engineers read in a loop: a paper appears; read it, look at its code, try it on your own data or change its objective; the next paper appears.
#
# **How.** Not from the first word to the last. The first reading asks two questions of every sentence: *is this from before the paper, or does the paper do it? Is it a problem, or a solution?* With a pencil in two colours that takes ten minutes for an abstract and an introduction,
# and what is left on the page is the paper's argument: this was done, that was wrong with it, so we did this, and that came out.
#
# **Can such marks be right or wrong?** They can be compared: with another reader's, or with a key. How well two readers agree beyond chance is what Jacob Cohen's kappa measures: Cohen 1960, [A Coefficient of Agreement for Nominal Scales](https://doi.org/10.1177/001316446002000104).
# You write it here, and then it measures you.
#
# You will (about 2 hours):
#
# 1. count how two readers' marks meet, and measure their agreement, without and with the part that chance explains
# 2. see class by class what a reader finds and what she mistakes
# 3. find out how many sentences it takes to tell a good reader from a fair one
# 4. mark seven abstracts, in English and Korean, which are compared with a key
# 5. fill in a card about a real paper: problem, limits of the past, method, evidence, cost

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
# The abstracts are written for this course, about papers that it reads; the sentences are ours, not the authors'. Each sentence gets one label, by two questions:
#
# | | **before** the paper | **in** the paper |
# |---|---|---|
# | what is done | `past`: what was done or known | `solution`: what this paper does |
# | how it goes | `problem`: what is missing, wrong or too costly | `evidence`: what came out when it was measured |
#
# 1. *Does the sentence tell of what was there before, or of what this paper does and finds?*
# 2. If before: does it complain? Yes: `problem`. No: `past`. If in the paper: does it report what came out? Yes: `evidence`. No: `solution`.
#
# Hard cases are decided once, for all readers:
#
# - A sentence with two halves gets the label of what it is *for*: the half that you would keep if you had to shorten it. "X is fast but forgets" is a `problem`. "Unlike X, we …" is a `solution`.
# - Success of the past is `past`, not `evidence`. Earlier work by the same authors is `past` too.
# - A known method explained is `past`; the same method put to use by this paper is `solution`.
# - A weakness of the paper's *own* model that was measured is `evidence`; so is a finding about an older model, if this paper found it.
#
# Read the practice abstracts and mark them **before** you look at the key.


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
# Here is a reader who understands nothing and goes by cue words. Her cues were chosen by looking at these very sentences, so she does well on them; on the graded abstracts of section 5 the same cues reach a kappa below 0.2. Put your own marks in the place of hers: `mine = {"word2vec": "past problem …", "distilbert": "…", "albert": "…"}`.

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
# The key, with reasons. Where you differ, find the question on which you part: the first (before, or in the paper?) or the second.

# %%
key, marked = list(practice["label"]), abstracts.in_order(mine, "practice")
practice.assign(mine=marked)[["abstract", "number", "mine", "label", "reason"]].style.hide(axis="index")

# %% [markdown]
# ## 2. How well do two readers agree?
#
# All that follows comes from one table of counts, the **confusion matrix**: how often a sentence that the key calls $i$ was marked $j$.


# %% exercise="confusion"
def confusion(key, marks, labels):
    """How often a sentence of each class of the key was marked as each class.

    key, marks: lists of n labels, in the same order of sentences; labels: list of C different labels.
    Returns a numpy array of whole numbers (C, C): row i, column j counts the sentences that are labels[i] in the key and labels[j] in the marks.
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


# %% exercise="agreement"
def agreement(counts):
    """The share of the sentences on which key and marks agree.

    counts: whole numbers (C, C), as `confusion` gives them, not all 0. Returns a float.
    """
    ### BEGIN SOLUTION
    return float(counts.trace() / counts.sum())
    ### END SOLUTION


# %%
check("agreement")

# %% [markdown]
# Is 0.9 good? Take a section on a method, where 18 of 20 sentences are `solution` and two are `evidence`, and a reader who sleeps and marks everything as `solution`:

# %%
asleep = np.zeros((4, 4), dtype=int)
asleep[abstracts.LABELS.index("solution"), abstracts.LABELS.index("solution")] = 18
asleep[abstracts.LABELS.index("evidence"), abstracts.LABELS.index("solution")] = 2
print(f"agreement of a sleeping reader: {agreement(asleep)}")

# %% [markdown]
# **Kappa** takes out what chance would give. If the two readers knew nothing of each other and only kept to their own shares of labels, they would agree on a sentence with probability $p_e = \sum_c p_c\, q_c$,
# where $p_c$ and $q_c$ are the shares of label $c$ in the key and in the marks. Of what is left to gain, kappa is the part that was gained:
#
# $$\kappa = \frac{p_o - p_e}{1 - p_e}$$
#
# with $p_o$ the agreement that was observed. 1 is full agreement, 0 is what chance gives, below 0 is worse than chance. Where $p_e = 1$, both sides used one and the same label throughout, and there is nothing left to gain: the quotient is 0/0. We say 0, since chance explains it all.


# %% exercise="kappa"
def kappa(counts):
    """Agreement beyond chance (Cohen 1960).

    counts: whole numbers (C, C), as `confusion` gives them, not all 0. Returns a float; 0.0 where chance alone gives full agreement.
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
# Two words of warning. Kappa depends on how common the labels are, so kappas of different texts do not compare well. And the names that people give to its values ("substantial" from 0.6 on, "almost perfect" from 0.8 on: Landis and Koch 1977) are a convention, no law.
#
# ## 3. Class by class
#
# One number does not say *what* was mistaken. For each label $c$:
#
# - **precision**: of the sentences marked $c$, how many are $c$ in the key;
# - **recall**: of the sentences that are $c$ in the key, how many were marked so;
# - **F1**, their harmonic mean, which is $2\,n_{cc} / (\text{marked } c + \text{key } c)$.
#
# Where there is nothing to divide by, the number is 0.


# %% exercise="by_class"
def by_class(counts):
    """Precision, recall and F1 of each class.

    counts: whole numbers (C, C), rows the key, columns the marks. Returns floats (C, 3); 0 wherever there is nothing to divide by.
    """
    ### BEGIN SOLUTION
    hits, true, marked = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)  # (C,) each
    return np.stack([hits / np.maximum(n, 1) for n in (marked, true, (marked + true) / 2)], axis=1)  # (C, 3)
    ### END SOLUTION


# %%
check("by_class")

# %% [markdown]
# **Macro-F1** is the plain mean of the classes' F1, so that a rare label weighs as much as a common one. A label that neither side used says nothing about anybody and is left out; one that a single side used counts with its F1 of 0.


# %% exercise="macro_f1"
def macro_f1(counts):
    """The mean F1 over the classes that key or marks use.

    counts: whole numbers (C, C), rows the key, columns the marks, not all 0. Returns a float.
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
# And by question: merged into before (`past`, `problem`) and in the paper (`solution`, `evidence`), the same marks tell whether you part on the first question. A reader with a high kappa here and a low one above knows when things were done, but not what is said about them.

# %%
first = counts.reshape(2, 2, 2, 2).sum(axis=(1, 3))  # (2, 2): LABELS begins with the two of before
print(f"kappa of the first question alone: {kappa(first):.2f}")

# %% [markdown]
# ## 4. How sure is a kappa?
#
# Twenty sentences are few. Had other sentences been drawn, kappa would have come out otherwise. The **bootstrap** imitates that: draw as many sentences as there are, *with replacement*, from those that we have; compute kappa; do it often. The middle 95 % of these values are an interval.
# A sentence is drawn with both its labels, so drawing sentences is drawing cells of the table of counts, each as likely as it is full.


# %% exercise="kappa_interval"
def kappa_interval(counts, draws, seed):
    """The 95 % percentile bootstrap interval of kappa, over sentences.

    counts: whole numbers (C, C), not all 0; draws: how often the sentences are drawn anew; seed: of the generator, the only source of chance.
    Returns (low, high): the quantiles 0.025 and 0.975 of the kappas of `draws` tables, each with as many sentences as `counts`.
    """
    ### BEGIN SOLUTION
    total = counts.sum()
    drawn = np.random.default_rng(seed).multinomial(total, counts.ravel() / total, size=draws)  # (draws, C²)
    low, high = np.quantile([kappa(table.reshape(counts.shape)) for table in drawn], [0.025, 0.975])
    return float(low), float(high)
    ### END SOLUTION


# %%
check("kappa_interval")

# %%
DRAWS = 1000
readers = {
    "mine": marked,
    "by cue words": abstracts.in_order(cues, "practice"),
    "all solution": ["solution"] * len(key),
    "one sentence late": ["past", *key[:-1]],
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
# In brackets: how many sentences. How many would one need? Imagine a reader who marks four sentences of five as the key does and the fifth as any other label. Her true kappa is known; so one can draw texts of $n$ sentences, compute the interval of each, and count how often it holds
# the truth (its **coverage**, which should be 95 %) and how wide it is.

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
# Four times as many sentences make the interval half as wide. With twenty, it is too short to keep its promise: the percentile bootstrap is an approximation for many sentences.
#
# ## 5. Your marks
#
# Seven abstracts, three of them in Korean. Their key is not here: it stays with the grader, which compares your marks with it. You get one point for marks that can be read, three for kappa (one each from **0.4**, **0.6** and **0.8** on) and half a point for each label with an F1 of at least **0.7**.
# 0.8 is within reach of a careful reader: it allows for about six sentences out of 44 on which you and the key differ.

# %%
show(abstracts.sentences("graded"))


# %% exercise="marks"
def marks():
    """Your marks of the graded abstracts.

    Returns a dictionary from each abstract's name to its labels (past, problem, solution, evidence), one for each sentence, in order,
    as one string with blanks between them: {"glove": "past problem …", …}.
    """
    ### BEGIN SOLUTION
    return {
        "glove": "past problem problem solution solution evidence",
        "fasttext": "past problem problem solution solution evidence",
        "bpe": "past problem past problem solution solution evidence",
        "bert": "past past problem solution solution evidence evidence",
        "electra": "past problem problem solution solution evidence",
        "unigram": "past problem solution solution solution evidence",
        "roberta": "past problem solution solution evidence evidence",
    }
    ### END SOLUTION


# %%
check("marks")

# %% [markdown]
# ## 6. A paper card
#
# What remains of a paper after a month is what you wrote down. A card has five lines: the problem, the limits of the past, the method, the evidence, the cost. Fill one in for Vaswani and others 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762): abstract, introduction, background, and the tables with results.
#
# A score and a cost belong to *one* model. This paper has two, a base model and a big one, and its results are compared with single models and with ensembles. Numbers from different rows on one card are the most common error of all.
#
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
# Numbers may be strings with their unit behind ("8 GPUs").


# %% exercise="card"
def card():
    """The card of Attention Is All You Need: a dictionary with the eight fields above, choices as strings, numbers as numbers."""
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
# Let the card be tested by its own numbers: the paper says how it counts a training run, *time × devices × the rate that one device keeps up* (9.5·10¹² operations in a second for a P100, in a footnote). If that is far from your `flops`, two of your fields are from different models.

# %%
numbers = {name: abstracts.number(value) for name, value in card().items() if name not in ("problem", "limit", "method")}
counted = numbers["days"] * 86_400 * numbers["devices"] * 9.5e12
print(f"counted {counted:.2g} operations, printed {numbers['flops']:.2g}")
print(f"{numbers['bleu'] - numbers['rival']:+.2f} BLEU over the best earlier score")

# %% [markdown]
# ## Results
#
# `record` keeps the numbers and shows yours beside those of the reference, whose `mine` are the marks by cue words.

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
# ## In your own words
#
# These two are read and graded by a person.
#
# **1.** Choose a sentence of the graded abstracts on which you hesitated (name abstract and number). Between which two labels, and what decides? Then say how you would change the rules of section 1, so that the next reader does not hesitate, and what that change might spoil elsewhere.

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
# *Worth 4:* roberta 5 says that BERT was trained too little: problem or evidence? It speaks of an older model, but this paper found it out, so by the first question it is in the paper, and evidence. I would add: what counts is who measured, not what was measured.
# That might spoil introductions that cite a measurement by others in order to complain: they would have to stay problem, so the rule must say "measured in this paper".
# ### END SOLUTION

# %% [markdown]
# **2.** Your team translates product pages from English to Korean on two rented GPUs. From your card alone: would you propose the model of Vaswani and others? Use the evidence *and* the cost, say what the card does not tell you, and name one measurement of your own that would settle it.

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
# - Keshav 2007, [How to Read a Paper](https://doi.org/10.1145/1273445.1273458): three passes, each with its own question.
# - Teufel and Moens 2002, [Summarizing Scientific Articles: Experiments with Relevance and Rhetorical Status](https://aclanthology.org/J02-4002): sentences of papers marked by their part in the argument, with kappa between people and a classifier.
# - Artstein and Poesio 2008, [Inter-Coder Agreement for Computational Linguistics](https://aclanthology.org/J08-4004): kappa and its relatives, and when each misleads.
# - Next lesson: the tables. Do the printed claims follow from the printed numbers?
