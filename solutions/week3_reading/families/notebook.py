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
# **The papers.** More than forty, from [Robbins and Monro 1951](https://doi.org/10.1214/aoms/1177729586) to [KR-BERT](https://arxiv.org/abs/2008.03979) (2020), as a tree: who descends from whom, what was taken, what was changed.

# %% [markdown]
# **The claims.** "Adam combines AdaGrad and RMSProp", "BERT is the Transformer's encoder". What optimisers took can be *computed*; of models you read and decide.

# %% [markdown]
# **What you will write** (about 2 hours):
#
# | | piece |
# |---|---|
# | 1 | a family tree as a graph: parents, edges against time, ancestors, an order to read in |
# | 2 | one function that is SGD, momentum, AdaGrad, RMSProp, Adam and AdamW |
# | 3 | when a way of predicting tokens is *autoregressive* |
# | 4 | a card for each of sixteen Transformers, and the edges of the models' tree |

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
# Thirteen optimisers, and what each builds on (the oldest in today's form):

# %%
optimisers = families.optimisers()
dates = dict(zip(optimisers["name"], optimisers["date"]))
optimisers[["name", "date", "builds_on", "momentum", "scale", "correction", "decay", "other"]]

# %% [markdown]
# A paper can have several parents, so this "tree" is a **directed graph**: a dictionary from each name to the set of its parents. A parent without a row is a misprint and must not pass.
#
# *5 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `"".split(";")` is `[""]`, not `[]`. A parent may stand in a later row, so look for misprints when all rows are read.
#
# </details>


# %% exercise="parents"
def parents(rows):
    """The graph of a table.

    rows: list of (name, builds_on), two strings; builds_on is empty, or names separated by ";";
    inside a name, not at its ends, blanks and all other signs may stand. There may be no rows.
    Returns {name: set of the names of its parents}, in the order of the rows.
    Raises ValueError, which says the parent's name, if a parent has no row of its own.
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
# An edge from a later to an earlier paper is a mistake, in the dates or in the edge. Some dates are known by the year alone:
#
# | parent | child | certainly later? |
# |---|---|---|
# | 2013 | 2012-12 | yes |
# | 2012-12 | 2012 | nobody knows |
# | 2012 | 2012-12 | nobody knows |

# %% [markdown]
# *10 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Strings of one length compare as dates do. Of a longer date, only as much counts as the other one has.
#
# </details>


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
# Parents, their parents, and so on are the **ancestors**. A graph with a mistake may have a circle (a *cycle*), on which a walk never ends.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Keep a set of those found and a list of those waiting. Who has been found need not wait again.
#
# </details>


# %% exercise="ancestors"
def ancestors(graph, name):
    """All that a name descends from: its parents, their parents, and so on.

    graph: {name: set of parents}; not changed; no line from child to parent has more than a
    hundred names. Returns a set; `name` itself is in it only if it lies on a circle.
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
# What do Nadam and LARS have in common? Of all common ancestors the **nearest** are those from which no other common one descends. There can be several.
#
# ```
#   SGD ──→ Momentum ──→ Nesterov ──→ Nadam      (Nadam's other parent, Adam, is left out)
#              │
#              └───────→ LARS
#
#   in common: SGD and Momentum        the nearest: Momentum
# ```

# %% [markdown]
# *10 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# A set for each: its ancestors and itself. What is in both?
#
# </details>
# <details><summary>Hint for the nearest</summary>
#
# Take away every name that is an ancestor of another name in both.
#
# </details>


# %% exercise="common_ancestors"
def common_ancestors(graph, one, other):
    """The nearest common ancestors of two names.

    graph: {name: set of parents}, without circles. A name counts among its own ancestors here, so
    if `one` descends from `other`, that is {other}. Returns a set, without any name that is an
    ancestor of another name of it.
    """
    ### BEGIN SOLUTION
    both = (ancestors(graph, one) | {one}) & (ancestors(graph, other) | {other})
    return both - {above for name in both for above in ancestors(graph, name)}
    ### END SOLUTION


# %%
check("common_ancestors")

# %% [markdown]
# In which order to *read* them? Parents before children, otherwise the oldest first (a *topological order*). It exists exactly if there is no circle.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# At each step some names are free: none of their parents is left. `min` with a key of date and name takes the right one of them.
#
# </details>
# <details><summary>Hint for the circle</summary>
#
# If names are left and none is free, there is a circle.
#
# </details>


# %% exercise="reading_order"
def reading_order(graph, dates):
    """All names in an order in which every parent stands before its children.

    At each step the next is the one with the earliest date (compared as strings) of those whose
    parents all stand already; if dates are equal, the first name, compared as strings too.
    graph: {name: set of parents}, not changed; dates: {name: string}, of these names and perhaps of
    others.
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
# Weights $w$, gradient $g$, step $t$ (the first is 1). Four parts, each with a switch, all by coordinate:
#
# | part | equation | switch |
# |---|---|---|
# | momentum | $m \leftarrow g$; &nbsp; $m \leftarrow \beta_1 m + g$; &nbsp; $m \leftarrow \beta_1 m + (1 - \beta_1)\, g$ | `none`, `sum` (Polyak), `mean` (Adam) |
# | scale | nothing is divided; &nbsp; $v \leftarrow v + g^2$; &nbsp; $v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2$ | `none`, `sum` (AdaGrad), `mean` (RMSProp, Adam) |
# | correction | $\hat m = m / (1 - \beta_1^t)$ and $\hat v = v / (1 - \beta_2^t)$, of running means only | `correct` |
# | decay of strength $\lambda$ | $g \leftarrow g + \lambda w$ before all else; or $w \leftarrow w - \eta \lambda w$ beside the step | `coupled`, `decoupled` (AdamW) |

# %% [markdown]
# Then $w \leftarrow w - \eta\, \hat m / (\sqrt{\hat v} + \varepsilon)$, without the division if there is no scale. Memories start at 0; $\varepsilon$ stands as in `torch.optim`.
#
# ```
#                          ┌→ momentum m → correction ────────────────────┐
#   g → coupled decay → g ─┤                                              ÷ → × η → taken from w
#       (adds λw)          └→ scale v → correction → square root + ε ─────┘              ↑
#                                                                   decoupled decay takes ηλw as well
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Go through the drawing from left to right. Change nothing in place: `m = beta1 * m + …` makes a new tensor, `m *= beta1` does not.
#
# </details>
# <details><summary>Hint for the correction</summary>
#
# $t$ counts this step already. A running mean is corrected, a sum never is; momentum and scale are judged one by one.
#
# </details>


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

    weights, gradient: tensors (d,), not changed. state: (t, m, v), the number of steps made so far
    and both memories, tensors (d,); before the first step (0, zeros, zeros). momentum, scale: none,
    sum or mean; decay: none, coupled or decoupled.
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
# Six papers, six rows of switches, race on a bowl $\frac12 \sum_i \lambda_i x_i^2$, a thousand times steeper in one direction than in another: once along the axes, once turned.
#
# - SGD and momentum use sums of gradients only. Turning the ground only turns their paths.
# - A scale *for each coordinate* is bound to the axes. It can undo steepness along them only.

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
    ax.set(
        xlabel="steps", title=f"the bowl lies {kind}" if kind.startswith("along") else "the same bowl, turned"
    )
axes[0].set_ylabel("height above the ground")
axes[1].legend(ncols=2)
figure.suptitle("A scale for each coordinate helps most along the axes; momentum does not care")
plt.show()

# %% [markdown]
# The *speed* is how many powers of ten the height falls by in all steps.
#
# | recorded | |
# |---|---|
# | `log_speed_…` | log10 of the speed along the axes |
# | `turning_costs_…` | that minus the same on the turned bowl: at 0.3 the turn halves the speed |

# %% [markdown]
# The race does not say which is best: rates were not tuned, the speed depends on the start, and AdamW's decay pulls towards the bottom. It says whom a turn harms.

# %% [markdown]
# ### Likeness is not descent
#
# A computer can propose the parent: the earlier optimiser that shares most parts. Of several, one true parent is enough.

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
# AdaDelta looks like RMSProp, but its paper, of the same year, starts from AdaGrad. LAMB looks like AdamW; its paper joins Adam and LARS.

# %% [markdown]
# ## 3. Autoregressive or autoencoding: who may see whom
#
# An **autoregressive** (AR) model gives each token a probability from those before it; their product is the probability of the text (the *chain rule*). An **autoencoding** (AE) model restores a corrupted text: it predicts some tokens, all at once.

# %% [markdown]
# "Before" need not mean "to the left". Which *true* tokens each prediction may use is a graph again, of tokens:
#
# ```
#   left to right           1 → 2 → 3      each may use all before it     AR
#   order 3, 1, 2           3 → 1 → 2      so it may here                 AR
#   each from all others    1 ⇄ 2, …       a circle                       AE
#   2 alone, from 1 and 3   1 → 2 ← 3      1 and 3 are not predicted      AE
# ```

# %% [markdown]
# The product is a probability of the text if **all** tokens are predicted and there is **no circle**, on which words would tell each other the answer.
#
# *10 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# You have a function that finds circles. A token that may use itself is a circle of one.
#
# </details>
# <details><summary>Hint for the call</summary>
#
# `reading_order` raises ValueError at a circle. It wants a date for each name, and equal dates will do. Count first: if not all tokens are predicted, the answer is known.
#
# </details>


# %% exercise="reading"
def reading(length, sees):
    """ "AR" if the predictions multiply to a probability of the whole text, "AE" if not.

    length: number of tokens, at positions 0 to length − 1. sees: {position that is predicted: set
    of the positions whose true tokens this prediction may use}. It may use its own if that is among
    them, as when a text is judged and not guessed.
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
        xlim=(0.5, 4.5),
        ylim=(4.5, 0.5),
        aspect="equal",
        xticks=range(1, 5),
        yticks=range(1, 5),
        xlabel="may use token",
    )
    ax.set_title(f"{name}: {reading(4, sees)}", fontsize=10)
axes[0].set_ylabel("prediction of token")
figure.suptitle("Blue: may be used. Grey: not predicted at all")
plt.show()

# %% [markdown]
# The second uses tokens on both sides, and is autoregressive all the same. The last is why nobody simply trains a deep language model in both directions.

# %% [markdown]
# ## 4. The models
#
# Thirty-one. The papers' abstracts and figures are enough.

# %%
models = families.models()
model_dates = dict(zip(models["name"], models["date"]))
taken, facts = {}, {}  # your edges and your cards, once they are written
models.style.hide(axis="index").format({"link": lambda link: f'<a href="{link}">paper</a>'})

# %% [markdown]
# ### Cards of the Transformers
#
# Three facts for each of the sixteen "Transformers", in these words:

# %%
for title, words in (("half", families.HALVES), ("reading", families.READINGS), ("tasks", families.TASKS)):
    display(pd.DataFrame({title: words.keys(), "meaning": words.values()}).style.hide(axis="index"))

# %% [markdown]
# `half`: the part of the Transformer it is made of. `tasks`: all that its loss is a sum of in *pre-training* (for the Transformer, in training). For XLNet any half is accepted: its attention is masked, but by a drawn order.

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Ask of each model what goes in and what comes out. A corrupted text in and its tokens out at once: encoder, AE. The next token: decoder, AR.
#
# </details>
# <details><summary>Hint for the tasks</summary>
#
# BERT's loss has two parts. Look in each descendant's abstract which of them it keeps, drops or replaces.
#
# </details>


# %% exercise="cards"
def cards():
    """{model: (half, reading, set of tasks)} for the sixteen models of the family "Transformers" in
    families.models().

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
# The check looks at the form, and whether your facts agree. Whether they are *true* is graded later:
#
# | graded | points |
# |---|---|
# | 36, 42 and 46 of the 48 facts right | 1 each |
# | some facts often got wrong | ½ each |
# | groups of models with cards wholly right | ½ each |

# %% [markdown]
# ### The edges
#
# An edge says: the child's paper starts from the parent. Name what was **taken** and what was **changed**, with the word that says most:

# %%
for title, words in (("taken", families.TOOK), ("changed", families.CHANGED)):
    display(pd.DataFrame({title: words.keys(), "meaning": words.values()}).style.hide(axis="index"))

# %% [markdown]
# Expected edges:
#
# - to each model that is not among the first of its line: from those whose architecture, weights or idea it starts from. Only direct parents: GPT-2 is GPT-3's, the Transformer is not;
# - of tokenizers: what SentencePiece was put together from, and whose pieces GNMT, BERT, GPT-2, T5 and KoBERT read.

# %% [markdown]
# The key has 30 expected edges and more that are accepted.
#
# | graded | points |
# |---|---|
# | F1 of the edges of 0.6, 0.75 and 0.9 (precision: of yours, those expected or accepted; recall: of the expected, yours) | 1 each |
# | 30 and 45 right of the 60 words on the expected edges | 1 each |
# | some edges and words often got wrong | ½ each |

# %% [markdown]
# *25 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Begin with the line of the GPTs, then BERT's descendants. "We build on X" or "our model is X with …" in a paper's introduction names the parent.
#
# </details>
# <details><summary>Hint for the words</summary>
#
# Of a tokenizer that is read as it is, nothing is changed. Of a Korean model, look at what it was trained on.
#
# </details>


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
# Your functions on your tree:

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
# Lanes and colours are your cards, arrows your edges. Where the picture looks odd, check your facts.

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
# The grader computes how right your cards and edges are.

# %% tags=["metrics"]
record(
    metrics,
    paths=torch.stack([paths[name, "along the axes"] for name in SWITCHES]),  # (6, STEPS, d)
    edges=[f"{parent} → {child}: {', '.join(words)}" for (parent, child), words in taken.items()],
    cards=[f"{name}: {half}, {way}, {' + '.join(sorted(tasks))}" for name, (half, way, tasks) in facts.items()],
)

# %% [markdown]
# **What was found**, in the runs behind the table of expected values:
#
# - On the turned bowl SGD and momentum are as fast as along the axes, AdaGrad and Adam about a third as fast.
# - Momentum is faster than SGD, by 0.25 in log10.
# - For ten of twelve optimisers one of those nearest by parts is a parent by the paper. For two not: likeness is not descent.
# - 17 of the 31 models descend from the Transformer.

# %% [markdown]
# ## In your own words
#
# **1.** A paper (made up): "**KoSpanLite** is pre-trained on Korean text cut by a unigram model. Its twelve layers share one set of weights and let every position see all others. Runs of tokens are cut out; a small network, trained along with it by maximum likelihood, fills them with other words. KoSpanLite says for every token whether it is the original.
# It has a fifth of the weights of KoELECTRA, and answers as fast."

# %% [markdown]
# Place it in the tree: which parents, what was taken from each, what was changed; half, reading, tasks. Which sentence of the abstract would you check first, and how?

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
# - Kingma and Ba 2015, [Adam](https://arxiv.org/abs/1412.6980), section 5: how a paper draws the lines to its relatives.
# - Phuong and Hutter 2022, [Formal Algorithms for Transformers](https://arxiv.org/abs/2207.09238): encoder, decoder and both, in pseudocode.
# - The coming weeks build the models of this tree.
