# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # The big picture: family trees of optimisers and of models
#
# **The papers.** More than forty, from [Robbins and Monro 1951](https://doi.org/10.1214/aoms/1177729586) to [KR-BERT](https://arxiv.org/abs/2008.03979) (2020). Nobody keeps forty papers apart in the head. What one keeps is a tree: who descends from whom, what was taken, what was changed.
# The paper that you read next gets its place in it, and most of what it says is then familiar.
#
# **The claim to be checked.** "Adam combines AdaGrad and RMSProp", "BERT is the Transformer's encoder": sentences of this kind are said of every paper. Some are exact. Optimisers are sums of parts, so there you can *compute* what was taken. For models you have to read, and to decide.
#
# You will write (about 2 hours):
#
# 1. a family tree as a graph, from a table: parents, ancestors, common ancestors, an order in time, edges that run backwards
# 2. one function that is SGD, momentum, AdaGrad, RMSProp, Adam and AdamW, as its switches say
# 3. when a way of predicting tokens is *autoregressive*: who may see whom
# 4. a card for each of sixteen Transformers, and the edges of the models' tree, which are then drawn

# %% tags=["parameters"]
profile = "cpu"  # smoke, cpu and gpu do the same here: nothing is trained
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import matplotlib.pyplot as plt
import pandas as pd
import torch

import etude
from etude import check, plots, record
from etude.papers import families

run = etude.start("week3_reading/families", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. A tree as a graph
#
# Thirteen optimisers, with what each builds on. (The oldest papers did not know that they would become optimisers of networks; for these the table says what the equations used today start from.)

# %%
optimisers = families.optimisers()
dates = dict(zip(optimisers["name"], optimisers["date"]))
optimisers[["name", "date", "builds_on", "momentum", "scale", "correction", "decay", "other"]]

# %% [markdown]
# A "family tree" of papers is no tree: a paper can have several parents. It is a **directed graph**, here a dictionary from each name to the set of its parents. Tables are written by people, so a parent that is no name of the table is a misprint and must not pass.


# %% exercise="parents"
def parents(rows):
    """The graph of a table.

    rows: list of (name, builds_on), two strings; builds_on is empty, or names separated by ";".
    Returns {name: set of the names of its parents}, in the order of the rows.
    Raises ValueError, which says the name, if a parent has no row of its own.
    """
    ### BEGIN SOLUTION
    graph = {name: {parent for parent in text.split(";") if parent} for name, text in rows}
    for name, above in graph.items():
        for parent in above:
            if parent not in graph:
                raise ValueError(f"{name} builds on {parent}, which has no row")
    return graph
    ### END SOLUTION


# %%
check("parents")

# %% [markdown]
# Nobody builds on a paper of the future. So an edge from a later to an earlier paper is a mistake, in the dates or in the edge. Dates are strings, `2014-12` or, where no month is known, `2012`: of `2012` and `2012-12` nobody knows which was first, and no edge between them can be called wrong.


# %% exercise="against_time"
def against_time(dates, graph):
    """The edges whose parent is certainly later than the child.

    dates: {name: "YYYY-MM" or "YYYY"}; two dates are compared as far as both are known.
    graph: {name: set of parents}, as from `parents`.
    Returns a sorted list of (parent, child).
    """
    ### BEGIN SOLUTION
    found = []
    for child, above in graph.items():
        known = len(dates[child])  # of a longer date of the parent, only as much counts
        found += [(parent, child) for parent in above if dates[parent][:known] > dates[child]]
    return sorted(found)
    ### END SOLUTION


# %%
check("against_time")

# %% [markdown]
# Parents of parents of parents: the **ancestors**. Mind two things. A name can be reached on many ways, and in a graph with a mistake in it there may be a circle, on which one walks forever.


# %% exercise="ancestors"
def ancestors(graph, name):
    """All that a name descends from: its parents, their parents, and so on.

    graph: {name: set of parents}; not changed. Returns a set; `name` itself is in it only if it lies on a circle.
    """
    ### BEGIN SOLUTION
    found, waiting = set(), list(graph[name])
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting.extend(graph[one])
    return found
    ### END SOLUTION


# %%
check("ancestors")

# %% [markdown]
# What do AdamW and LARS have in common? All their common ancestors would be too long a list: SGD is one of everything. The **nearest** ones are those from which no other common ancestor descends. Where there is more than one parent, there can be several of them.


# %% exercise="common_ancestors"
def common_ancestors(graph, one, other):
    """The nearest common ancestors of two names.

    graph: {name: set of parents}, without circles. A name counts among its own ancestors here, so if `one` descends from
    `other`, that is {other}. Returns a set, without any name that is an ancestor of another name of it.
    """
    ### BEGIN SOLUTION
    both = (ancestors(graph, one) | {one}) & (ancestors(graph, other) | {other})
    return both - {above for name in both for above in ancestors(graph, name)}
    ### END SOLUTION


# %%
check("common_ancestors")

# %% [markdown]
# In which order should one *read* them? Parents before children, and otherwise the oldest first. Such an order exists exactly if there is no circle; so the same function tells whether the graph is one of descent at all.


# %% exercise="reading_order"
def reading_order(graph, dates):
    """All names in an order in which every parent stands before its children.

    At each step the next is the one with the earliest date (compared as strings) of those whose parents all stand already;
    if dates are equal, the first in the alphabet. graph: {name: set of parents}, not changed; dates: {name: string}.
    Returns a list. Raises ValueError, with the word "circle", if there is one.
    """
    ### BEGIN SOLUTION
    left, found = set(graph), []
    while left:
        free = [name for name in left if not graph[name] & left]
        if not free:
            raise ValueError(f"a circle among {', '.join(map(str, left))}")
        found.append(min(free, key=lambda name: (dates[name], name)))
        left.remove(found[-1])
    return found
    ### END SOLUTION


# %%
check("reading_order")

# %%
graph = parents(list(zip(optimisers["name"], optimisers["builds_on"])))
print("edges against time:", against_time(dates, graph))
print("to be read in this order:", ", ".join(reading_order(graph, dates)))
print("LAMB descends from:", ", ".join(sorted(ancestors(graph, "LAMB"))))
print("AdamW and LARS have in common:", common_ancestors(graph, "AdamW", "LARS"))


REMEMBERED = {"mean": "running means", "sum": "sums of all steps", "signs": "the last sign and step length"}
lanes, memory = {}, {}
for _, row in optimisers.iterrows():
    parts = [part for part in ("momentum", "scale") if row[part] != "none"]
    lanes[row["name"]] = " and ".join(parts) or "neither"
    kinds = {row["momentum"], row["scale"]}
    memory[row["name"]] = next((text for kind, text in REMEMBERED.items() if kind in kinds), "nothing")
families.timeline(
    dates,
    [(parent, child) for child, above in graph.items() for parent in above],
    lanes,
    memory,
    order=["neither", "momentum", "momentum and scale", "scale"],
    title="Adam joins momentum to a scale, though its paper starts from two scales. Colour: what is remembered",
)
plt.show()

# %% [markdown]
# ## 2. An optimiser is the sum of its parts
#
# Weights $w$, gradient $g$, step $t$ (the first is 1). Four parts, each of which can be switched (all operations by coordinate):
#
# | part | equation | switch |
# |---|---|---|
# | momentum | $m \leftarrow g$; &nbsp; $m \leftarrow \beta_1 m + g$; &nbsp; $m \leftarrow \beta_1 m + (1 - \beta_1)\, g$ | `none`, `sum` (Polyak), `mean` (Adam) |
# | scale | nothing is divided; &nbsp; $v \leftarrow v + g^2$; &nbsp; $v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2$ | `none`, `sum` (AdaGrad), `mean` (RMSProp, Adam) |
# | correction | $\hat m = m / (1 - \beta_1^t)$ and $\hat v = v / (1 - \beta_2^t)$, of running means only | `correct` |
# | decay of strength $\lambda$ | $g \leftarrow g + \lambda w$ before all else; or $w \leftarrow w - \eta \lambda w$ beside the step | `coupled`, `decoupled` (AdamW) |
#
# and then $w \leftarrow w - \eta\, \hat m / (\sqrt{\hat v} + \varepsilon)$, without the division if there is no scale. Memories start at 0. (Where $\varepsilon$ stands is not the same in all papers; here as in `torch.optim`, which is the oracle of the checks.)


# %% exercise="step"
def step(
    weights,
    gradient,
    state,
    *,
    lr,
    momentum="none",
    scale="none",
    correct=False,
    decay="none",
    strength=0.0,
    beta1=0.9,
    beta2=0.999,
    eps=1e-8,
):
    """One step of an optimiser that is put together from parts, as in the table above.

    weights, gradient: tensors (d,), not changed. state: (t, m, v), the number of steps made so far and both memories,
    tensors (d,); before the first step (0, zeros, zeros). momentum, scale: none, sum or mean; decay: none, coupled or decoupled.
    Returns (weights, (t, m, v)) after the step. A memory that is switched off may hold anything.
    Kingma and Ba 2015, Algorithm 1; Loshchilov and Hutter 2019, Algorithm 2.
    """
    ### BEGIN SOLUTION
    t, m, v = state
    t = t + 1
    if decay == "coupled":
        gradient = gradient + strength * weights
    m = {"none": gradient, "sum": beta1 * m + gradient, "mean": beta1 * m + (1 - beta1) * gradient}[momentum]
    v = {"none": v, "sum": v + gradient**2, "mean": beta2 * v + (1 - beta2) * gradient**2}[scale]
    direction, square = m, v  # (d,), (d,)
    if correct and momentum == "mean":
        direction = direction / (1 - beta1**t)
    if correct and scale == "mean":
        square = square / (1 - beta2**t)
    if scale != "none":
        direction = direction / (square.sqrt() + eps)
    if decay == "decoupled":
        weights = weights - lr * strength * weights
    return weights - lr * direction, (t, m, v)
    ### END SOLUTION


# %%
check("step")

# %% [markdown]
# So six papers are six rows of switches. Now a race, of which two things are known beforehand. The ground is a bowl $\frac12 \sum_i \lambda_i x_i^2$ that is a thousand times steeper in one direction than in another; once along the axes, once turned.
#
# - SGD and momentum use sums of gradients only, so a turn of the ground turns their paths and changes nothing else.
# - A scale *for each coordinate* is bound to the axes. It can undo the steepness of a bowl that lies along them. Turned, it cannot.

# %%
SWITCHES = {
    "SGD": {"lr": 1e-3},
    "Momentum": {"lr": 1e-3, "momentum": "sum"},
    "AdaGrad": {"lr": 0.2, "scale": "sum"},
    "RMSProp": {"lr": 0.02, "scale": "mean", "beta2": 0.99},
    "Adam": {"lr": 0.05, "momentum": "mean", "scale": "mean", "correct": True},
    "AdamW": {
        "lr": 0.05,
        "momentum": "mean",
        "scale": "mean",
        "correct": True,
        "decay": "decoupled",
        "strength": 0.1,
    },
}
WIDTH, STEPS = 8, 150
chance = torch.Generator().manual_seed(seed)
start = torch.randn(WIDTH, generator=chance, dtype=torch.float64)
turn, _ = torch.linalg.qr(torch.randn(WIDTH, WIDTH, generator=chance, dtype=torch.float64))
steepness = torch.logspace(0, 3, WIDTH, dtype=torch.float64)
grounds = {"along the axes": torch.diag(steepness), "turned": turn @ torch.diag(steepness) @ turn.T}
begins = {"along the axes": start, "turned": turn @ start}  # the same place of the bowl


def path(ground, begin, switches):
    """The weights after each step, (STEPS, d)."""
    weights, state, found = begin, (0, torch.zeros_like(begin), torch.zeros_like(begin)), []
    for _ in range(STEPS):
        weights, state = step(weights, ground @ weights, state, **switches)
        found.append(weights)
    return torch.stack(found)


paths = {
    (name, kind): path(ground, begins[kind], switches)
    for name, switches in SWITCHES.items()
    for kind, ground in grounds.items()
}
losses = {key: ((found @ grounds[key[1]]) * found).sum(dim=1) / 2 for key, found in paths.items()}  # (STEPS,)
highest = steepness @ start**2 / 2  # where all begin


def log_speed(name, kind):
    """log10 of how many powers of ten the height falls by in all steps."""
    return (highest / losses[name, kind][-1]).log10().log10().item()


metrics = {f"log_speed_{name.lower()}": log_speed(name, "along the axes") for name in SWITCHES}
for name in ("SGD", "Momentum", "AdaGrad", "Adam"):
    cost = metrics[f"log_speed_{name.lower()}"] - log_speed(name, "turned")
    metrics[f"turning_costs_{name.lower()}"] = round(cost, 6)  # what is smaller is rounding
metrics["momentum_minus_sgd"] = metrics["log_speed_momentum"] - metrics["log_speed_sgd"]

figure, axes = plt.subplots(1, 2, figsize=(12, 3.8), layout="constrained", sharey=True)
for ax, kind in zip(axes, grounds):
    for name in SWITCHES:
        ax.semilogy(losses[name, kind], label=name)
    ax.set(xlabel="steps", title=f"the bowl lies {kind}" if kind.startswith("along") else "the same bowl, turned")
axes[0].set_ylabel("height above the ground")
axes[1].legend(ncols=2)
figure.suptitle("A scale for each coordinate helps most along the axes; momentum does not care")
plt.show()

# %% [markdown]
# With each step the height falls by about the same factor, so a path is nearly a straight line where the axis is in powers of ten, and its slope is its *speed*: how many powers of ten the height falls by in all steps. How steep the line is depends on the start, by factors (AdaGrad divides by what it has come along, so a start twice as far is half as fast).
# What differs by factors is compared by its logarithm: `log_speed_…` is log10 of the speed along the axes, `turning_costs_…` is that minus the same on the turned bowl. 0 means that the turn changes nothing, 0.3 that the turned bowl is descended half as fast.
#
# The decay of AdamW pulls the weights towards 0, which happens to be the bottom here: what it gains by that is no merit. Do not read the race as "which is best": the rates were not tuned. Read what a turn of the ground changes, and for whom.
#
# ### Likeness is not descent
#
# With parts in a table, a computer can propose the parent: the earlier optimiser that shares most parts. Where several share as many, all of them are proposed, and one parent among them is agreement enough. Where is there none?

# %%
PARTS = ["momentum", "scale", "correction", "decay", "other"]
by_name = optimisers.set_index("name")
rows = []
for name in by_name.index[1:]:
    older = by_name.loc[:name, PARTS].iloc[:-1]
    differences = (older != by_name.loc[name, PARTS]).sum(axis=1)
    nearest = list(differences.index[differences == differences.min()])
    rows.append((name, ", ".join(nearest), ", ".join(sorted(graph[name])), bool(graph[name] & set(nearest))))
proposed = pd.DataFrame(rows, columns=["optimiser", "nearest by parts", "builds on, by its paper", "agree"])
metrics["likeness_is_descent"] = proposed["agree"].mean()
proposed

# %% [markdown]
# AdaDelta looks like RMSProp, but its paper starts from AdaGrad: two people had the same thought in the same year. LAMB looks like AdamW with a rate for each layer; its paper puts Adam and LARS together. And where they agree, the parts need not have decided: RMSProp is one part away from SGD, from Rprop and from AdaGrad; that its author came from Rprop, he said.
# All of these are facts about *people* that no equation holds. For those one reads.
#
# ## 3. Autoregressive or autoencoding: who may see whom
#
# Now the models. Two words are used for how they are trained. An **autoregressive** (AR) model gives each token a probability from those before it; the product over all tokens is the probability of the text, by the chain rule. An **autoencoding** (AE) model gets a text
# back from a corrupted version: it predicts some tokens, all at once.
#
# "Before" need not mean "to the left". Write down for each token that is predicted which *true* tokens its prediction may use. That is a graph again, with tokens in place of papers! The product of the predictions is a probability of the whole text if every token is predicted, and if there is *some* order in which each
# uses only tokens before it. In other words: all are predicted, and there is no circle. If two words could see each other, each would be told the answer by the other.


# %% exercise="reading"
def reading(length, sees):
    """ "AR" if the predictions multiply to a probability of the whole text, "AE" if not.

    length: number of tokens, at positions 0 to length − 1. sees: {position that is predicted: set of the positions whose true
    tokens this prediction may use}. It may use its own if that is among them, as when a text is judged and not guessed.
    """
    ### BEGIN SOLUTION
    if len(sees) < length:
        return "AE"
    try:
        reading_order(sees, dict.fromkeys(sees, ""))
    except ValueError:
        return "AE"
    return "AR"
    ### END SOLUTION


# %%
check("reading")

# %% [markdown]
# Four ways, on four tokens:

# %%
ways = {
    "left to right": {0: set(), 1: {0}, 2: {0, 1}, 3: {0, 1, 2}},
    "order 3, 2, 4, 1": {2: set(), 1: {2}, 3: {1, 2}, 0: {1, 2, 3}},
    "tokens 2 and 3 hidden": {1: {0, 3}, 2: {0, 3}},
    "each from all others": {i: set(range(4)) - {i} for i in range(4)},
}
figure, axes = plt.subplots(1, 4, figsize=(12, 3), layout="constrained")
for ax, (name, sees) in zip(axes, ways.items()):
    for i in range(4):
        for j in range(4):
            shown = "#dddddd" if i not in sees else plots.COLOURS[0] if j in sees[i] else "white"
            ax.add_patch(plt.Rectangle((j + 0.54, i + 0.54), 0.92, 0.92, facecolor=shown, edgecolor="#888888"))
    ax.set(
        xlim=(0.5, 4.5), ylim=(4.5, 0.5), aspect="equal", xticks=range(1, 5), yticks=range(1, 5), xlabel="may use token"
    )
    ax.set_title(f"{name}: {reading(4, sees)}", fontsize=10)
axes[0].set_ylabel("prediction of token")
figure.suptitle("Blue: may be used. Grey: not predicted at all")
plt.show()

# %% [markdown]
# The second one uses tokens on *both* sides, and is autoregressive all the same. The last one is why nobody simply trains a deep language model in both directions.
#
# ## 4. The models
#
# Thirty-one of them. The table has dates and links; the rest you find in the papers (their abstracts and figures are enough), and in what you know already.

# %%
models = families.models()
model_dates = dict(zip(models["name"], models["date"]))
taken, facts = {}, {}  # your edges and your cards, once they are written
models.style.hide(axis="index").format({"link": lambda link: f'<a href="{link}">paper</a>'})

# %% [markdown]
# ### Cards of the Transformers
#
# For each of the sixteen models of the family "Transformers", three facts, in these words:

# %%
for title, words in (("half", families.HALVES), ("reading", families.READINGS), ("tasks", families.TASKS)):
    display(pd.DataFrame({title: words.keys(), "meaning": words.values()}).style.hide(axis="index"))

# %% [markdown]
# `half`: which part of the Transformer it is made of. `tasks`: all that its loss is a sum of while it is *pre-trained* (of the Transformer itself: what it was trained for). Not every word is needed. For XLNet any half is accepted: its attention is masked, but by a drawn order.


# %% exercise="cards"
def cards():
    """{model: (half, reading, set of tasks)} for the sixteen models of the family "Transformers" in families.models().

    half, reading and tasks are keys of families.HALVES, families.READINGS and families.TASKS.
    """
    ### BEGIN SOLUTION
    return {
        "Transformer": ("both", "AR", {"translation"}),
        "GPT": ("decoder", "AR", {"next token"}),
        "BERT": ("encoder", "AE", {"masked tokens", "next sentence"}),
        "Transformer-XL": ("decoder", "AR", {"next token"}),
        "GPT-2": ("decoder", "AR", {"next token"}),
        "XLNet": ("decoder", "AR", {"permuted order"}),
        "RoBERTa": ("encoder", "AE", {"masked tokens"}),
        "TinyBERT": ("encoder", "AE", {"teacher"}),
        "ALBERT": ("encoder", "AE", {"masked tokens", "sentence order"}),
        "DistilBERT": ("encoder", "AE", {"masked tokens", "teacher"}),
        "T5": ("both", "both", {"masked spans"}),
        "KoBERT": ("encoder", "AE", {"masked tokens"}),
        "ELECTRA": ("encoder", "AE", {"masked tokens", "replaced tokens"}),
        "KoELECTRA": ("encoder", "AE", {"masked tokens", "replaced tokens"}),
        "GPT-3": ("decoder", "AR", {"next token"}),
        "KR-BERT": ("encoder", "AE", {"masked tokens", "next sentence"}),
    }
    ### END SOLUTION


# %%
check("cards")

# %% [markdown]
# The check looks at the form, and whether your facts agree with each other. Whether they are *true* is graded later, against a key: one point each for 36, 42 and 46 of the 48 facts, and half a point for each of some that are often got wrong.
#
# ### The edges
#
# Now the tree. An edge says: the child's paper starts from the parent. For each edge, what was **taken** and what was **changed**, in these words (the one that says most):

# %%
for title, words in (("taken", families.TOOK), ("changed", families.CHANGED)):
    display(pd.DataFrame({title: words.keys(), "meaning": words.values()}).style.hide(axis="index"))

# %% [markdown]
# What is expected:
#
# - for each model that is not among the first of its line, the model or models whose architecture, weights or idea it starts from. Only direct parents: GPT-3 starts from GPT-2 (and so, by way of it, from the Transformer);
# - of tokenizers: what SentencePiece was put together from, and whose pieces GNMT, BERT, GPT-2, T5 and KoBERT read. Others are welcome, and not needed.
#
# The key has 30 edges that are expected and more that are accepted. Graded is F1 of the edges (precision: how many of yours are among the expected or accepted; recall: how many of the expected you have), one point each for F1 of at least 0.6, 0.75 and 0.9;
# and of the 60 words on the expected edges those that are right (often more than one word is): one point each for 30 and 45. Half a point each for some edges that are often got wrong.


# %% exercise="tree"
def tree():
    """{(parent, child): (taken, changed)}, names as in families.models().

    taken and changed are keys of families.TOOK and families.CHANGED. No parent is later than its child.
    """
    ### BEGIN SOLUTION
    return {
        ("LSA", "GloVe"): ("counts", "objective"),
        ("word2vec", "fastText"): ("model", "units"),
        ("LSTM", "seq2seq"): ("model", "architecture"),
        ("LSTM", "ELMo"): ("model", "objective"),
        ("attention", "GNMT"): ("model", "size"),
        ("WordPiece", "GNMT"): ("tokenizer", "nothing"),
        ("attention", "Transformer"): ("attention", "architecture"),
        ("BPE", "SentencePiece"): ("tokenizer", "nothing"),
        ("unigram LM", "SentencePiece"): ("tokenizer", "nothing"),
        ("Transformer", "GPT"): ("decoder", "objective"),
        ("Transformer", "BERT"): ("encoder", "objective"),
        ("WordPiece", "BERT"): ("tokenizer", "nothing"),
        ("Transformer", "Transformer-XL"): ("decoder", "architecture"),
        ("Transformer", "T5"): ("encoder and decoder", "objective"),
        ("SentencePiece", "T5"): ("tokenizer", "nothing"),
        ("GPT", "GPT-2"): ("model", "size"),
        ("BPE", "GPT-2"): ("tokenizer", "units"),
        ("GPT-2", "GPT-3"): ("model", "size"),
        ("Transformer-XL", "XLNet"): ("model", "objective"),
        ("BERT", "RoBERTa"): ("model", "training"),
        ("BERT", "ALBERT"): ("model", "sharing"),
        ("BERT", "ELECTRA"): ("model", "objective"),
        ("BERT", "DistilBERT"): ("model", "distillation"),
        ("BERT", "TinyBERT"): ("model", "distillation"),
        ("BERT", "ERNIE"): ("model", "knowledge"),
        ("BERT", "KagNet"): ("model", "knowledge"),
        ("BERT", "KoBERT"): ("model", "language"),
        ("SentencePiece", "KoBERT"): ("tokenizer", "nothing"),
        ("BERT", "KR-BERT"): ("model", "language"),
        ("ELECTRA", "KoELECTRA"): ("model", "language"),
    }
    ### END SOLUTION


# %%
check("tree")

# %% [markdown]
# Your functions from above work on your tree too:

# %%
taken, facts = tree(), cards()
grown = parents([(name, ";".join(a for a, b in taken if b == name)) for name in model_dates])
print("edges against time:", against_time(model_dates, grown))
print("GPT-3 descends from:", ", ".join(sorted(ancestors(grown, "GPT-3"))))
print("KoELECTRA descends from:", ", ".join(sorted(ancestors(grown, "KoELECTRA"))))
for pair in (("ELECTRA", "GPT-3"), ("ALBERT", "KagNet"), ("T5", "KoBERT"), ("GloVe", "GPT")):
    print(" and ".join(pair), "have in common:", ", ".join(sorted(common_ancestors(grown, *pair))) or "nothing")
print("to be read in this order:", ", ".join(reading_order(grown, model_dates)))
metrics |= {
    "models_in_the_tree": len({name for edge in taken for name in edge}),
    "descend_from_the_transformer": sum("Transformer" in ancestors(grown, name) for name in grown),
}

# %% [markdown]
# And this is the picture that you made: lanes and colours are your cards, arrows are your edges. Where it looks odd, one of your facts may be. (What is dated by the year alone stands in its middle.)

# %%
COLOURED = [
    "translation",
    "next token",
    "permuted order",
    "replaced tokens",
    "teacher",
    "masked tokens",
    "masked spans",
]


def colour(name):
    """The task that tells most about a model, as a group of the picture."""
    tasks = facts[name][2] if name in facts else ()
    task = next((task for task in COLOURED if task in tasks), "none of these")
    return "masked tokens or spans" if task.startswith("masked") else task


family = dict(zip(models["name"], models["family"]))
groups = {name: colour(name) for name in sorted(model_dates, key=lambda name: colour(name) == "none of these")}
families.timeline(
    model_dates,
    taken,
    {name: facts[name][0] if name in facts else family[name] for name in model_dates},
    groups,
    order=["static vectors", "tokenizers", "recurrent", "decoder", "both", "encoder", "knowledge"],
    title="GPT takes the decoder, BERT the encoder, T5 both. Colour: what it is trained on",
)
plt.show()

# %% [markdown]
# ## Results
#
# `record` keeps the numbers, the paths of the race, your cards and your edges, and shows the table. How right your cards and edges are, the grader computes.

# %% tags=["metrics"]
record(
    metrics,
    paths=torch.stack([paths[name, "along the axes"] for name in SWITCHES]),  # (6, STEPS, d)
    edges=[f"{parent} → {child}: {', '.join(words)}" for (parent, child), words in taken.items()],
    cards=[f"{name}: {half}, {way}, {' + '.join(sorted(tasks))}" for name, (half, way, tasks) in facts.items()],
)

# %% [markdown]
# ## In your own words
#
# **1.** A new paper. "**KoSpanLite** is pre-trained on Korean text cut by a unigram model. Its twelve layers share one set of weights and let every position see all others. Runs of tokens are cut out of the text; a small network, trained along with it by maximum likelihood, fills them with other words, and KoSpanLite says for every token whether it is the original.
# It has a fifth of the weights of KoELECTRA, and answers as fast." (The paper is made up.) Place it in the tree: which parents, what was taken from each, what was changed; half, reading, tasks. Which sentence of the abstract would you check first, and how?

# %% [markdown] answer="place_a_paper" points=4
# ### BEGIN SOLUTION
# One point each:
#
# - **Parents, with what was taken**: KoELECTRA (or ELECTRA): the model and the detection of replaced tokens; ALBERT: one set of weights for all layers. The unigram model, perhaps by way of SentencePiece: the tokenizer. (T5 is no parent: spans are cut out, but nothing is generated.)
# - **Card**: encoder, AE; replaced tokens, and for the small network masked spans. Not adversarial: the small network is trained by maximum likelihood, and a word that it guesses rightly counts as original.
# - **What is changed**: the weights are shared, and spans are replaced in place of single tokens. The language is no change against KoELECTRA, but one against ELECTRA.
# - **What to check first**: "answers as fast". Shared weights make the model smaller, not the computation: twelve layers are computed all the same, so one would expect the same speed and must not read it as a gain; count the operations, or time both on the same machine with the same batch. (Also good: a fifth of the weights, counted from the
#   configuration with the table of embeddings; the scores against KoELECTRA with the same text and steps, over several seeds.)
# ### END SOLUTION

# %% [markdown]
# **2.** "AdaDelta descends from RMSProp: just compare the equations." What do you answer, and what would you look at to decide such a question?

# %% [markdown] answer="likeness" points=2
# ### BEGIN SOLUTION
# Likeness of the equations shows that one *could* have come from the other; two people can have the same thought (1 point). I would look at the dates of both, at what the paper cites and which sentence introduces the idea, and at earlier versions and talks. AdaDelta's paper starts from AdaGrad, and RMSProp
# was known from slides of the same year (1 point).
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Kingma and Ba 2015, [Adam](https://arxiv.org/abs/1412.6980), section 5: how a paper itself draws the lines to its relatives.
# - Phuong and Hutter 2022, [Formal Algorithms for Transformers](https://arxiv.org/abs/2207.09238): encoder, decoder and both, in pseudocode that can be compared line by line.
# - The coming weeks build the models of this tree, one after another.
