# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # What BERT knows: probes and their controls
#
# **The paper.** Hewitt and Liang, [Designing and Interpreting Probes with Control Tasks](https://aclanthology.org/D19-1275) (EMNLP 2019).
#
# A **probe** is a small classifier on a frozen model's vectors. If it tells verbs from nouns, does the model know verbs? Or did the probe learn the list?

# %% [markdown]
# ```
#  words      the     chef     roasts     the     bean
#              ▼        ▼         ▼         ▼        ▼
#  BERT       layers 0 to L                                  frozen: not trained here
#                       ▼         ▼                  ▼
#  probe              W x + b, the same for all words        trained on labels
#                       ▼         ▼                  ▼
#  says               agent     verb               thing
# ```

# %% [markdown]
# **The claims to test.**
#
# | paper | claim |
# |---|---|
# | Hewitt and Liang 2019 | a large probe is as accurate as a linear one, and less **selective**; upper layers are more selective than lower ones |
# | Voita and Titov 2020 | accuracy hardly tells a trained model from a random one; the **length of a code** does |
# | Tenney et al. 2019 | what a word is stands in low layers, what a sentence means in high ones |
# | Hewitt and Manning 2019 | distances in the parse tree are squared distances of vectors, after one linear map |
# | Petroni et al. 2019 | a model of text can be asked for facts: BERT-large, 32.3 % right of T-REx's |
# | Kassner and Schütze 2020 | … and it answers the same with a *not* in the question |

# %% [markdown]
# You write the instruments (about 2½ hours) and try them on the course's BERT, whose text is known:
#
# | | piece |
# |---|---|
# | 1–3 | a linear probe, its control task, selectivity |
# | 4–6 | at which layer, in how many bits, along which tree |
# | 7–8 | questions with a gap; is what can be read off also used? |

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: a minute or two · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
import random
from collections import Counter
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from scipy.stats import spearmanr
from torch import nn
from torch.nn import functional
from torch.nn.utils import parameters_to_vector

import etude
from etude import check, cloze, plots, pretrained, probing, record
from etude.models.bert import Bert

run = etude.start("week7_distillation_knowledge/probing", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## The words
#
# In text that the model has not read, four questions on words:
#
# | task | asked at | classes | who could answer |
# |---|---|---|---|
# | kind | content words | agent, place, thing, verb … | a table of words |
# | tense | things | past, present, future | who has seen the sentence's verb |
# | topic | names, *big*, *small* | nine topics | who has seen the other words |
# | sense | homonyms: *bank*, *bat* | nine topics | a table by half; context settles it |

# %%
size = {
    "smoke": {"words": (48_000, 24_000), "tokens": 700, "test": 500, "hidden": 64, "steps": 100, "trees": 200},
    "cpu": {
        "words": (240_000, 90_000),
        "tokens": 2500,
        "test": 1500,
        "hidden": 128,
        "steps": 200,
        "trees": 400,
    },
    "gpu": {
        "words": (1_000_000, 300_000),
        "tokens": 10_000,
        "test": 5000,
        "hidden": 1024,
        "steps": 1000,
        "trees": 3000,
    },
}[profile]
model, tokenizer = pretrained.load("world-en")
torch.manual_seed(seed)
ENCODERS = {"pre-trained": model.bert.eval(), "untrained": Bert(model.bert.config).eval()}
LAYERS = len(model.bert.layers) + 1  # the embeddings are layer 0
texts = {
    part: probing.occurrences("en", number + seed, words)
    for part, number, words in zip(("train", "test"), (10_000, 30_000), size["words"])
}
read = {
    (name, part): probing.word_vectors(encoder, tokenizer, sentences)
    for name, encoder in ENCODERS.items()
    for part, (sentences, _) in texts.items()
}
data = {
    (name, task, part): probing.examples(
        task, texts[part][1], vectors, size["tokens" if part == "train" else "test"]
    )
    for (name, part), vectors in read.items()
    for task in probing.LABELS
}
for task in probing.LABELS:
    some = data["pre-trained", task, "train"]
    told = ", ".join(
        f"{word} → {probing.LABELS[task][label]}" for word, label in zip(some.words[:4], some.labels)
    )
    print(f"{task:6} {len(some.words)} words, {len(set(some.words))} different: {told}")

# %% [markdown]
# ## 1. A linear probe
#
# No training loop: least squares on labels written as rows of 0 and 1, with a penalty λ (**ridge regression**).
#
# $$\min_{W, b}\; \sum_i \lVert W x_i + b - y_i \rVert^2 + \lambda \lVert W \rVert^2$$

# %% [markdown]
# The intercept $b$ is not penalised. Subtract the means, and $b$ is gone; then $(X^\top X + \lambda I)\, W^\top = X^\top Y$. The class is the greatest of the K sums.

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>Centre the vectors and the rows of 0 and 1. At the end the intercept is what carries the mean vector to the mean row.</details>
# <details><summary>Hint</summary>Vectors around 1,000 that differ by 0.01 lose all digits in float32: compute in float64, and turn back at the end.</details>


# %% exercise="linear_probe"
def linear_probe(vectors, labels, classes, penalty):
    """Fits a linear probe: ridge regression on one row of 0 and 1 for each label.

    vectors: float tensor (N, H), N at least 1, H may be more than N; labels (N,) int64, from 0 to
    classes − 1, a class may be missing; classes: K, at least 2; penalty: λ > 0.
    Returns (weight (K, H), bias (K,)) in the vectors' type, which minimise the sum over the N rows
    of |weight x + bias − y|² plus λ times the sum of the weight's squares. The bias is free.
    """
    ### BEGIN SOLUTION
    x, y = vectors.double(), functional.one_hot(labels, classes).double()  # (N, H), (N, K)
    centre, share = x.mean(dim=0), y.mean(dim=0)
    x = x - centre
    squares = x.T @ x + penalty * torch.eye(x.shape[1], dtype=x.dtype)  # (H, H)
    weight = torch.linalg.solve(squares, x.T @ (y - share)).T  # (K, H)
    return weight.to(vectors.dtype), (share - weight @ centre).to(vectors.dtype)
    ### END SOLUTION


# %%
check("linear_probe")

# %% [markdown]
# Accuracy at each layer, beside an **untrained** BERT (the same shape, random weights) and the most frequent class:

# %%
PENALTY = 10.0


def fitted(vectors, labels, task):
    return linear_probe(vectors, labels, len(probing.LABELS[task]), PENALTY)


def said(probe, vectors):
    weight, bias = probe
    return (vectors @ weight.T + bias).argmax(dim=1)  # (N,)


probes, right = {}, {}
for name, task, part in data:
    if part == "train":
        train, test = data[name, task, "train"], data[name, task, "test"]
        for layer in range(LAYERS):
            probes[name, task, layer] = probe = fitted(train.vectors[:, layer], train.labels, task)
            right[name, task, layer] = said(probe, test.vectors[:, layer]) == test.labels  # (N,)
rows = {}
for task in probing.LABELS:
    test = data["pre-trained", task, "test"]
    rows[task] = {"most frequent": float(test.labels.bincount().max()) / len(test.labels)}
    rows[task] |= {
        f"{name}, {layer}": float(right[name, task, layer].float().mean())
        for name in ENCODERS
        for layer in range(LAYERS)
    }
pd.DataFrame(rows).T.round(2)

# %% [markdown]
# Topic and sense are not in the embeddings (layer 0) and come with the layers: that is **context**, and an untrained model has none. Embeddings tell part of the tense, since they hold a word's place.

# %% [markdown]
# But *kind* is read off everything, for most words off an untrained model's random vectors. What has the probe found there?

# %% [markdown]
# ## 2. A control task
#
# Random vectors are as good as names: a probe can learn by heart which word has which label. So give it labels that can *only* be learnt by heart.
#
# ```
# word        chef    roasts   bean    the same word again: chef
# kind        agent   verb     thing                        agent
# control     thing   thing    agent                        thing
# ```

# %% [markdown]
# A **control task** gives each word *type* a random label, drawn with the frequencies of the real ones, and keeps it wherever the word stands, in the test, too (section 2).
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>A draw from the list of all training labels has their frequencies.</details>
# <details><summary>Hint</summary>One dictionary for both texts. Go through the words in an order that does not change from run to run: that of a set of strings does.</details>


# %% exercise="control_labels"
def control_labels(words, labels, others, seed):
    """Labels of a control task: one for each word type, whatever the context.

    words: list of N strings, as in the training text; labels: list of N ints, their real labels, N
    at least 1; others: list of M strings, the test's words, of which some may be new; seed: int, 0
    or more.
    Each different word, of either list, draws one label on its own, with the frequencies that the
    labels have among the N tokens. The same arguments give the same labels, in another run, too.
    Returns two lists of ints: the control labels of words (N) and of others (M). Hewitt and Liang
    2019, section 2.
    """
    ### BEGIN SOLUTION
    draw = random.Random(seed)
    given = {word: draw.choice(labels) for word in sorted({*words, *others})}
    return [given[word] for word in words], [given[word] for word in others]
    ### END SOLUTION


# %%
check("control_labels")

# %%
controls, control_right = {}, {}
for task in probing.LABELS:
    train, test = data["pre-trained", task, "train"], data["pre-trained", task, "test"]
    pair = control_labels(train.words, train.labels.tolist(), test.words, seed)
    controls[task] = [torch.tensor(labels) for labels in pair]
for name, task, layer in probes:
    train, test = (data[name, task, part].vectors[:, layer] for part in ("train", "test"))
    probe = fitted(train, controls[task][0], task)
    control_right[name, task, layer] = said(probe, test) == controls[task][1]
rows = {
    f"{name}, layer {layer}": {
        "kind": float(right[name, "kind", layer].float().mean()),
        "control": float(control_right[name, "kind", layer].float().mean()),
    }
    for name in ENCODERS
    for layer in range(LAYERS)
}
pd.DataFrame(rows).T.round(2)

# %% [markdown]
# It found *which word it is*: untrained, random labels fare nearly as well as kinds. Trained, the two part, and more so in upper layers, where a vector is no longer the word's name.

# %% [markdown]
# ## 3. Selectivity, and how sure it is
#
# **Selectivity** is accuracy minus the control's accuracy: the mean $\bar d$ of $d_i$ = right − control right.
#
# ```
#  token      chef   roasts   bean   chef
#  right        1       1       1      1          accuracy      1
#  control      1       0       1      1          its accuracy  ¾
#  d            0       1       0      0          selectivity   ¼
# ```

# %% [markdown]
# How sure is it? Tokens of one word are not independent: the control drew *one* label for all. So words count, not tokens. A **cluster-robust** standard error adds up within each type $w$ first:
#
# $$\text{se} = \frac{1}{N} \sqrt{\sum_w \Big(\sum_{i \in w} (d_i - \bar d)\Big)^2}$$

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Booleans cannot be subtracted in torch: make numbers of them.</details>
# <details><summary>Hint</summary>Number the types by a dictionary, then <code>index_add</code>, or add up in a dictionary.</details>


# %% exercise="selectivity"
def selectivity(right, control, words):
    """How much more often a probe is right on its task than on the control task.

    right, control: bool tensors (N,), N at least 1: whether the probe of the task, and that of the
    control task, is right at each token; words: list of N strings, the tokens' types.
    Returns two floats: the accuracy minus the control's accuracy, from −1 to 1; and its standard
    error, clustered by type, as in the formula. Hewitt and Liang 2019, section 2.
    """
    ### BEGIN SOLUTION
    apart = right.double() - control.double()  # (N,)
    mean = float(apart.mean())
    sums = Counter()
    for word, one in zip(words, apart.tolist()):
        sums[word] += one - mean
    return mean, math.sqrt(sum(one * one for one in sums.values())) / len(words)
    ### END SOLUTION


# %%
check("selectivity")

# %%
chosen = {
    key: selectivity(right[key], control_right[key], data[key[0], key[1], "test"].words) for key in probes
}  # encoder, task, layer → selectivity, standard error
figure, panels = plt.subplots(1, 4, figsize=(11, 3.2), sharey=True, layout="constrained")
places = range(LAYERS)
for axes, task in zip(panels, probing.LABELS):
    real, control = (
        [float(some["pre-trained", task, layer].float().mean()) for layer in places]
        for some in (right, control_right)
    )
    axes.fill_between(places, control, real, color=plots.COLOURS[0], alpha=0.15, label="selectivity")
    axes.plot(places, real, "o-", color=plots.COLOURS[0], label="pre-trained")
    axes.plot(places, control, "s:", color=plots.COLOURS[1], label="its control task")
    axes.plot(
        places,
        [float(right["untrained", task, layer].float().mean()) for layer in places],
        "x--",
        color="#999999",
        label="untrained",
    )
    value, error = chosen["pre-trained", task, LAYERS - 1]
    axes.set(title=f"{task}: {value:.2f} ± {error:.2f} on top", xlabel="layer", xticks=places, ylim=(0, 1.03))
panels[0].set_ylabel("accuracy on the test")
panels[-1].legend(fontsize=8)
plt.show()

# %% [markdown]
# *Topic* and *sense* ask at a few dozen words: their control is learnt by heart at once, and selectivity is below 0 in the embeddings. It speaks where there are many types, as in *kind*.

# %% [markdown]
# A larger probe learns more by heart: here one with a hidden layer, on *kind*, at the top. In the paper it gains little accuracy and loses selectivity.

# %%
train, test = data["pre-trained", "kind", "train"], data["pre-trained", "kind", "test"]
mlps, hits = {}, {}
for which, (learnt, asked) in {"kind": (train.labels, test.labels), "control": controls["kind"]}.items():
    mlps[which] = probing.mlp_probe(
        train.vectors[:, -1], learnt, len(probing.KINDS), size["hidden"], size["steps"], seed
    )
    hits[which] = mlps[which](test.vectors[:, -1]).argmax(dim=1) == asked
large = selectivity(hits["kind"], hits["control"], test.words)
rows = {
    "linear": [
        float(right["pre-trained", "kind", LAYERS - 1].float().mean()),
        *chosen["pre-trained", "kind", LAYERS - 1],
    ],
    f"{size['hidden']} hidden units": [float(hits["kind"].float().mean()), *large],
}
pd.DataFrame(rows, index=["accuracy", "selectivity", "standard error"]).T.round(3)

# %% [markdown]
# The sense of homonyms in Korean, by the model `world-ko`: 눈 is *snow* and *eye*, 배 is *ship* and *pear*.

# %%
korean, cutter = pretrained.load("world-ko")
parts = {}
for part, number, words in zip(("train", "test"), (10_000, 30_000), size["words"]):
    sentences, found = probing.occurrences("ko", number + seed, words)
    vectors = probing.word_vectors(korean.bert.eval(), cutter, sentences)
    senses = [one for one in found if one.sense is not None]
    parts[part] = sentences, senses, probing.examples("sense", found, vectors, len(senses))
sentences, senses, test = parts["test"]
answers = [
    said(fitted(parts["train"][2].vectors[:, layer], parts["train"][2].labels, "sense"), test.vectors[:, layer])
    for layer in places
]
for layer, answer in enumerate(answers):
    print(
        f"layer {layer}: {float((answer == test.labels).float().mean()):.2f} of {len(senses)} homonyms",
        end=";  ",
    )
shown = {
    (one.word[0], one.sense): (one, answer)
    for one, answer in zip(senses, answers[-1].tolist())
    if one.word[0] in "눈배" and len(one.word) == 2
}
for (_, sense), (one, answer) in sorted(shown.items()):
    print(
        f"\n{one.word}: {sense}, the probe says {probing.TOPICS[answer]}   {' '.join(sentences[one.sentence])}",
        end="",
    )

# %% [markdown]
# ## 4. At which layer?
#
# Tenney et al. answer twice (sections 3.1 and 3.2). A probe reads a learnt **mixture** of layers, $\sum_\ell s_\ell h_\ell$ with $s$ = softmax(scores). Its **centre of gravity** is $\sum_\ell \ell\, s_\ell$.
#
# ```
#  h₂  ─ s₂ = .6 ─┐
#  h₁  ─ s₁ = .3 ─┼─▶ one vector ─▶ probe          centre of gravity  0 · .1 + 1 · .3 + 2 · .6 = 1.5
#  h₀  ─ s₀ = .1 ─┘
# ```

# %% [markdown]
# Or probes read layers 0 … ℓ: each has a **cumulative score** $P_\ell$. Layer ℓ adds $\Delta_\ell = P_\ell - P_{\ell-1}$, and the **expected layer** is
#
# $$\frac{\sum_{\ell=1}^{L} \ell\, \Delta_\ell}{\sum_{\ell=1}^{L} \Delta_\ell}$$

# %% [markdown]
# What the embeddings do alone ($P_0$) is no gain. A layer may add less than nothing; it counts as it is.
#
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>The sum of all differences is the last score minus the first.</details>
# <details><summary>Hint</summary>Where that is exactly 0 there is no expected layer: None.</details>


# %% exercise="layer_centres"
def layer_centres(scores, cumulative):
    """Where in the network a task is solved: the centre of gravity and the expected layer.

    scores: float tensor (L + 1,), finite, of the mixture, before the softmax; the embeddings, layer
    0, first; cumulative: list of L + 1 floats, the accuracy with layers 0 to ℓ; L is at least 1.
    Returns (centre of gravity, expected layer), two floats; in place of the expected layer None if
    the last cumulative score is exactly the first. Tenney et al. 2019, section 3.
    """
    ### BEGIN SOLUTION
    gravity = sum(layer * share for layer, share in enumerate(scores.double().softmax(dim=0).tolist()))
    gains = [after - before for before, after in pairwise(cumulative)]
    whole = cumulative[-1] - cumulative[0]
    if whole == 0:
        return gravity, None
    return gravity, sum(layer * gain for layer, gain in enumerate(gains, start=1)) / whole
    ### END SOLUTION


# %%
check("layer_centres")


# %%
def mixture(task, steps=300):
    """The scores of a mixture of layers, learnt with a linear reader: (L + 1,)."""
    some = data["pre-trained", task, "train"]
    torch.manual_seed(seed)
    scores, reader = (
        nn.Parameter(torch.zeros(LAYERS)),
        nn.Linear(some.vectors.shape[2], len(probing.LABELS[task])),
    )
    optimizer = torch.optim.Adam(
        [{"params": [scores], "lr": 0.05}, {"params": reader.parameters(), "lr": 0.01}]
    )
    for _ in range(steps):
        optimizer.zero_grad()
        mixed = torch.einsum("l,nlh->nh", scores.softmax(dim=0), some.vectors)  # (N, H)
        functional.cross_entropy(reader(mixed), some.labels).backward()
        optimizer.step()
    return scores.detach()


def up_to(task):
    """The accuracy of linear probes that read the layers 0 to ℓ side by side, for each ℓ."""
    train, test = data["pre-trained", task, "train"], data["pre-trained", task, "test"]
    found = []
    for layer in places:
        below = [some.vectors[:, : layer + 1].flatten(1) for some in (train, test)]  # (N, (ℓ + 1) · H)
        found.append(
            float((said(fitted(below[0], train.labels, task), below[1]) == test.labels).float().mean())
        )
    return found


mixes = {task: mixture(task) for task in probing.LABELS}
grown = {task: up_to(task) for task in probing.LABELS}
rows = {}
for task in probing.LABELS:
    shares = {f"s{layer}": share for layer, share in enumerate(mixes[task].softmax(dim=0).tolist())}
    gravity, expected = layer_centres(mixes[task], grown[task])
    rows[task] = shares | {"centre of gravity": gravity, "expected layer": expected}
    rows[task] |= {f"P{layer}": score for layer, score in enumerate(grown[task])}
pd.DataFrame(rows).T.astype(float).round(2)

# %% [markdown]
# Two warnings on *kind*. Its expected layer divides by next to nothing: $P_0$ is near 1. And its centre of gravity is high, though the embeddings tell all of it: a mixture takes the most convenient layer, not the first that would do.

# %% [markdown]
# ## 5. In how many bits?
#
# Voita and Titov ask how many bits *send the labels* to somebody who has the vectors. A short code needs a pattern that is easily found.

# %% [markdown]
# The **online code** sends the labels in blocks. Both sides fit the same probe on all blocks so far; the next block costs what it finds improbable:
#
# ```
# block 1    labels 1 … t₁       no probe yet: log₂ K bits for each
# block 2    … t₂                −log₂ p(y | x), probe fitted on block 1
# block 3    … t₃                −log₂ p(y | x), probe fitted on blocks 1 and 2
# ```

# %% [markdown]
# **Compression** is how many times shorter this is than $N \log_2 K$, the code of who knows nothing.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary><code>cross_entropy</code> gives nats, and their mean unless told otherwise.</details>
# <details><summary>Hint</summary>Whether logits are there is asked by <code>is None</code>: a tensor has no single truth.</details>


# %% exercise="online_code"
def online_code(blocks, classes):
    """The length of an online code for labels, and its compression.

    blocks: list of (logits, labels), at least one block; labels (n,) int64; logits: float tensor
    (n, K), finite, asking for no gradient, what the probe fitted on all earlier blocks gives for
    this one, or None where there is no probe: then each label costs the same. There is at least one
    label, and a block may be empty.
    classes: K, at least 2.
    Returns two floats: the bits of all labels together; N · log2 K divided by these bits, infinite
    if they are 0. Voita and Titov 2020, online code.
    """
    ### BEGIN SOLUTION
    bits, count = 0.0, 0
    for logits, labels in blocks:
        count += len(labels)
        if logits is None:
            bits += len(labels) * math.log2(classes)
        else:
            nats = functional.cross_entropy(logits.double(), labels, reduction="sum")
            bits += float(nats) / math.log(2)
    even = count * math.log2(classes)
    return bits, even / bits if bits else math.inf
    ### END SOLUTION


# %%
check("online_code")

# %%
FRACTIONS = (0, 0.05, 0.1, 0.2, 0.4, 0.7, 1)


def blocks_of(vectors, labels, classes):
    """Blocks of shuffled labels that end at these fractions, each
    with the logits of a softmax probe on all before it."""
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(seed))
    vectors, labels = vectors[order], labels[order]
    ends = [round(fraction * len(labels)) for fraction in FRACTIONS]
    blocks = []
    for start, end in pairwise(ends):
        logits = None
        if start:
            logits = probing.softmax_probe(vectors[:start], labels[:start], classes)(vectors[start:end])
        blocks.append((logits, labels[start:end]))
    return blocks


CODED = {
    "kind": ("pre-trained", "kind", False),
    "kind, untrained": ("untrained", "kind", False),
    "control of kind": ("pre-trained", "kind", True),
    "topic": ("pre-trained", "topic", False),
    "topic, untrained": ("untrained", "topic", False),
}
rows, lengths = {}, {}
for title, (name, task, random_labels) in CODED.items():
    some, classes = data[name, task, "train"], len(probing.LABELS[task])
    labels = controls[task][0] if random_labels else some.labels
    blocks = blocks_of(some.vectors[:, -1], labels, classes)
    lengths[title] = [online_code(blocks[: number + 1], classes)[0] for number in range(len(blocks))]
    bits, compression = online_code(blocks, classes)
    hit = control_right if random_labels else right
    accuracy = float(hit[name, task, LAYERS - 1].float().mean())
    rows[title] = {
        "accuracy": accuracy,
        "bits": bits,
        "bits a label": bits / len(labels),
        "compression": compression,
    }
codes = pd.DataFrame(rows).T
codes.round(2)

# %%
figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
for (title, line), mark in zip(lengths.items(), ("o-", "x--", "s:", "o-", "x--")):
    colour = plots.COLOURS[0 if title.startswith("kind") else 1 if title.startswith("control") else 2]
    axes.plot([100 * fraction for fraction in FRACTIONS[1:]], line, mark, color=colour, label=title)
axes.set(xlabel="labels sent, %", ylabel="bits so far")
times = codes["bits"]["kind, untrained"] / codes["bits"]["kind"]
axes.set_title(f"From untrained vectors the kinds cost {times:.1f} times the bits")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# Accuracy tells trained from untrained here, too: a linear probe of 64 numbers cannot learn hundreds of words by heart. In the paper, with 1,024 numbers and a larger probe, it nearly can; then only the bits tell them apart.

# %% [markdown]
# A compression below 1 says that the probe was misled.

# %% [markdown]
# ## 6. Along which tree?
#
# Two words may stand far apart and be neighbours in the **parse tree**:
#
# ```
#  line    the  chef  of  the  kitchen  is  quiet           chef to quiet: 5 places
#  tree    quiet ─┬─ chef ─┬─ the                           chef to quiet: 1 edge
#                 │        └─ kitchen ─┬─ of
#                 └─ is                └─ the
# ```

# %% [markdown]
# A **structural probe** looks for one linear map B after which squared distances are distances in the tree:
#
# $$d_B(h_i, h_j)^2 = \lVert B (h_i - h_j) \rVert^2$$

# %% [markdown]
# B is trained on this loss (section 2), for $n$ words with distances $d_T$ in their tree:
#
# $$\text{mean over sentences of}\quad \frac{1}{n^2} \sum_{i, j} \big|\, d_T(i, j) - d_B(h_i, h_j)^2 \,\big|$$

# %% [markdown]
# *20 minutes, hard.*
#
# <details><summary>Hint</summary>Map first: B hᵢ − B hⱼ. With two new axes all pairs come at once: (B, N, 1, R) minus (B, 1, N, R).</details>
# <details><summary>Hint</summary>Padding may hold NaN, and NaN times 0 is NaN: <code>masked_fill</code> before you compute. Each sentence is divided by its own n².</details>


# %% exercise="structure_loss"
def structure_loss(vectors, transform, distances, lengths):
    """The loss of a structural probe: how far squared distances are from distances in trees.

    vectors: float tensor (B, N, H); transform (R, H): the map, which is trained; distances (B, N,
    N) float: the edges between any two words; lengths (B,) int64: how many words each sentence has,
    1 to N. What lies beyond them, in vectors and distances, may be anything, NaN too. Vectors may
    all lie far from 0. A word's distance to itself is 0.
    Returns a tensor (): the mean over sentences of the mean over all n² ordered pairs of
    |distance − squared distance after the map|. Hewitt and Manning 2019, section 2.
    """
    ### BEGIN SOLUTION
    real = torch.arange(vectors.shape[1]) < lengths[:, None]  # (B, N)
    both = real[:, :, None] & real[:, None]  # (B, N, N)
    x = vectors.masked_fill(~real[:, :, None], 0) @ transform.T  # (B, N, R)
    squares = (x[:, :, None] - x[:, None]).square().sum(dim=-1)  # (B, N, N)
    apart = (distances.masked_fill(~both, 0) - squares).abs().masked_fill(~both, 0)
    return (apart.sum(dim=(1, 2)) / lengths**2).mean()
    ### END SOLUTION


# %%
check("structure_loss")

# %% [markdown]
# The planted language has fourteen kinds of sentences. Train on nine; test on new sentences of these, and on the **other five**, whose trees differ. The score is Spearman's ρ of true and probed distances.

# %%
RANK, MIDDLE = 16, 1
PARTS = {"train": (1000, False), "kinds it was trained on": (2000, False), "other kinds": (3000, True)}
treebank = {
    part: probing.parsed(size["trees"], number + 10_000 * seed, unseen=unseen)
    for part, (number, unseen) in PARTS.items()
}


def padded(sentences, vectors):
    """vectors (B, N, H), distances (B, N, N), lengths (B,) of sentences with trees."""
    lengths = torch.tensor([len(one.words) for one in sentences])
    longest = int(lengths.max())
    table = torch.zeros(len(sentences), longest, longest)
    for number, one in enumerate(sentences):
        table[number, : len(one.words), : len(one.words)] = probing.tree_distances(one.heads)
    return nn.utils.rnn.pad_sequence(vectors, batch_first=True), table, lengths


def tree_map(sentences, vectors):
    """Trains the map on batches of 40 sentences: (R, H)."""
    x, distances, lengths = padded(sentences, vectors)
    torch.manual_seed(seed)
    transform = nn.Parameter(torch.randn(RANK, x.shape[2]) * 0.05)
    optimizer = torch.optim.Adam([transform], 0.01)
    for step in range(2 * size["steps"]):
        rows = torch.randint(len(x), (40,), generator=torch.Generator().manual_seed(1_000_003 * seed + step))
        optimizer.zero_grad()
        structure_loss(x[rows], transform, distances[rows], lengths[rows]).backward()
        optimizer.step()
    return transform.detach()


def tree_score(sentences, guesses):
    """The mean of Spearman's ρ over sentences: guessed distances (n, n) against those of the tree."""
    found = []
    for one, guess in zip(sentences, guesses):
        pairs = np.triu_indices(len(one.words), 1)
        found.append(
            spearmanr(probing.tree_distances(one.heads).numpy()[pairs], np.asarray(guess)[pairs]).statistic
        )
    return float(np.mean(found))


def probed(vectors, transform):
    return [torch.cdist(x @ transform.T, x @ transform.T).square() for x in vectors]


maps, trees = {}, {"places in the line": {}}
for part in list(PARTS)[1:]:
    lines = [torch.arange(len(one.words)) for one in treebank[part]]
    trees["places in the line"][part] = tree_score(
        treebank[part], [(line[:, None] - line).abs() for line in lines]
    )
for name, layer in [*(("pre-trained", layer) for layer in places), ("untrained", MIDDLE)]:
    vectors = {
        part: [
            x[:, layer] for x in probing.word_vectors(ENCODERS[name], tokenizer, [one.words for one in some])
        ]
        for part, some in treebank.items()
    }
    maps[name, layer] = transform = tree_map(treebank["train"], vectors["train"])
    trees[f"{name}, layer {layer}"] = {
        part: tree_score(treebank[part], probed(vectors[part], transform)) for part in list(PARTS)[1:]
    }
forest = pd.DataFrame(trees).T
forest.round(2)

# %%
figure, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
for shift, part, colour in zip((-0.2, 0.2), forest, plots.COLOURS):
    axes.bar_label(
        axes.bar(np.arange(len(forest)) + shift, forest[part], 0.38, color=colour, label=part),
        fmt="%.2f",
        padding=2,
    )
axes.set_xticks(
    range(len(forest)), [name.replace(", ", ",\n").replace("places ", "places\n") for name in forest.index]
)
axes.set(ylabel="Spearman's ρ with the tree", ylim=(0, 1.1))
axes.set_title(f"In sentences of other kinds layer {MIDDLE} tells no more than places in the line do")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# New sentences of the *same* kinds give a high number: the map has learnt nine trees. What it has of trees in general is the other column, beside a control that knows only places.

# %% [markdown]
# ## 7. Questions with a gap
#
# No probe: ask the model's own head. *The president of korea is near the [MASK].* LAMA calls it knowledge if the right word is its first guess (**P@1**).

# %% [markdown]
# Three rules make scores comparable:
#
# 1. Only **candidates** compete, each one token.
# 2. Other right answers leave them.
# 3. A tie counts against the model: who scores all alike knows nothing.
#
# ```
#  asked for: kimchi     hanbok 3.1      sushi 2.4    kimchi 2.4    taco 0.7     the 9.9
#                        out: right,     a tie: it                               out: no candidate
#                        too             is ahead     rank 2
# ```

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>The rank is 1 plus the number of other candidates that score at least as high as the answer.</details>
# <details><summary>Hint</summary>Candidates are ids, columns of the logits. Each question has its own list of those that do not compete.</details>


# %% exercise="precision_at"
def precision_at(logits, candidates, answers, also, k):
    """P@k: the share of questions whose answer is among the first k candidates.

    logits: float tensor (Q, V), Q at least 1; candidates: list of different ids; answers: list of Q
    ids, each among the candidates; also: list of Q lists of ids, which do not compete in this
    question, wherever they stand (right answers too, perhaps not candidates; never the answer
    itself); k at least 1. A candidate with the answer's own score stands before it; −∞ is a score.
    Returns a float from 0 to 1. Petroni et al. 2019, section 4.
    """
    ### BEGIN SOLUTION
    found = 0
    for row, answer, out in zip(logits, answers, also):
        others = [one for one in candidates if one != answer and one not in out]
        ahead = int((row[others] >= row[answer]).sum())
        found += ahead < k
    return found / len(answers)
    ### END SOLUTION


# %%
check("precision_at")

# %% [markdown]
# | relation | question | what the model has read |
# |---|---|---|
# | custom, country | the flag of korea is near the [MASK] | sentences of this form |
# | capital | the flag of korea … · the mayor of [MASK] … | both in one document, never in one sentence |
# | neighbour | the border of korea is near the border of [MASK] | nothing: true in the world outside, and in no text here |

# %%
relations = cloze.relations()


def precision(which, questions, candidates, k=1):
    """P@k of a model's own head."""
    logits = cloze.mask_logits(which, tokenizer, questions)
    ids = [tokenizer.index[word] for word in candidates]
    answers = [tokenizer.index[one.answer] for one in questions]
    return precision_at(
        logits, ids, answers, [[tokenizer.index[word] for word in one.also] for one in questions], k
    )


torch.manual_seed(seed)
blank = type(model)(model.bert.config).eval()
rows = {}
for name, (questions, candidates) in relations.items():
    by_chance = np.mean([1 / (len(candidates) - len(set(one.also) & set(candidates))) for one in questions])
    row = {"P@1": precision(model, questions, candidates), "P@10": precision(model, questions, candidates, 10)}
    rows[name] = row | {"P@1, untrained": precision(blank, questions, candidates), "P@1 by chance": by_chance}
    rows[name] |= {"questions": len(questions)}
facts = pd.DataFrame(rows).T
facts.round(3)

# %% [markdown]
# What it has read it can say; what no text states it cannot: **context is no help where knowledge is missing**. In `ernie` and `kagnet` models get such facts from a graph.

# %% [markdown]
# Now say *not*: the answer should change. The control puts *zib*, a word without meaning, in its place. And **misprime**: say another nation's custom before the question.

# %% [markdown]
# This language has no *not*; the model has never met the word. BERT has met it millions of times.

# %%
questions, candidates = relations["custom"]
ids = torch.tensor([tokenizer.index[word] for word in candidates])


def nation_guessed(questions):
    """The nation whose custom is the first guess, (Q,): each has two, side by side among the candidates."""
    return cloze.mask_logits(model, tokenizer, questions)[:, ids].argmax(dim=1) // 2


changed = {"as it is": questions}
changed |= {word: cloze.with_word(questions, word) for word in ("not", "zib")} | {
    "misprimed": cloze.misprimed(relations["custom"])
}
rows = {}
for name, some in changed.items():
    same = float((nation_guessed(some) == nation_guessed(questions)).float().mean())
    rows[name] = {
        "example": " · ".join(some[0].sentences),
        "P@1": precision(model, some, candidates),
        "the same nation": same,
    }
primed = pd.DataFrame(rows).T
primed

# %% [markdown]
# ## 8. Is it used?
#
# A probe shows that something *can be read off*. Whether the model uses it, no probe can say. **Amnesic probing** (Elazar et al. 2021) takes it out and looks what breaks:
#
# ```
#  vector at [MASK] ────────────────────────────▶ the model's head ─▶ nats for the hidden word
#                 └─ minus the probe's directions ─▶ the same head ─▶ how many more?
#                 └─ minus as many, at random ─────▶ the same head ─▶ the control
# ```

# %% [markdown]
# A probe with weight W (K, H) looks at K directions. Project the vectors on what is **orthogonal** to all: this probe is blind. Fit another, and go on, until none finds anything: INLP (Ravfogel et al. 2020).

# %% [markdown]
# A shorter way: linear probes find nothing as soon as all classes have the *same mean vector* (Belrose et al. 2023). So take out the directions from the mean of all to the mean of each class.

# %% [markdown]
# The rows of W may depend on one another: those of a ridge probe sum to 0, and so do differences from a mean, weighted. A direction counts if its singular value is above $10^{-5}$ of the greatest.
#
# *20 minutes, hard.*
#
# <details><summary>Hint</summary>Which part of W's singular value decomposition is an orthonormal basis of what its rows span? Take away the projection on it.</details>
# <details><summary>Hint</summary>QR makes a full basis, also of rows that span less: it would cut out directions that the probe does not look at.</details>


# %% exercise="remove_directions"
def remove_directions(vectors, weight):
    """What is left of vectors when all that a linear probe looks at is taken out.

    vectors: float tensor (N, H), N may be 0; weight (K, H): the probe's rows, which may depend on
    one another, or all be 0. Of the weight's singular values those above 1e-5 times the greatest
    count.
    Returns a tensor (N, H) in the vectors' type: each vector's projection on the space orthogonal
    to the rows. Ravfogel et al. 2020, INLP.
    """
    ### BEGIN SOLUTION
    _, values, right = torch.linalg.svd(weight.double(), full_matrices=False)  # (R,), (R, H)
    basis = right[values > 1e-5 * values.max()]
    x = vectors.double()
    return (x - (x @ basis.T) @ basis).to(vectors.dtype)
    ### END SOLUTION


# %%
check("remove_directions")

# %% [markdown]
# Hide a *thing* in its sentence, and take the top layer at [MASK]. Topic and tense can both be read off there. Which does the head need to guess the thing? The controls take out as many random directions.

# %%
hidden, truth = {}, {}
for part, count in (("train", size["tokens"]), ("test", size["test"])):
    sentences, found = texts[part]
    things = [one for one in found if one.kind == "thing" and one.tense and one.word in tokenizer.index]
    some = things[:: max(1, len(things) // count)][:count]
    hidden[part], answers = cloze.masked_vectors(model, tokenizer, sentences, some)
    truth[part] = {
        task: torch.tensor([probing.LABELS[task].index(getattr(one, task)) for one in some])
        for task in ("topic", "tense")
    }
    truth[part]["word"] = answers


def to_means(task):
    """The directions from the mean of all training vectors to that of each class, (K, H)."""
    labels, x = truth["train"][task], hidden["train"]
    return (
        torch.stack([x[labels == label].mean(dim=0) for label in range(len(probing.LABELS[task]))])
        - x.mean(dim=0)
    )


def in_rounds(task, rounds):
    """INLP: the rows of probes, each fitted on what those before it left, (rounds · K, H)."""
    rows = fitted(hidden["train"], truth["train"][task], task)[0]
    for _ in range(rounds - 1):
        rows = torch.cat(
            [rows, fitted(remove_directions(hidden["train"], rows), truth["train"][task], task)[0]]
        )
    return rows


def price(vectors):
    """Nats for the hidden word, by the model's own head."""
    with torch.no_grad():
        return float(functional.cross_entropy(model.token_logits(vectors), truth["test"]["word"]))


def readable(rows, task):
    """What a fresh probe still finds."""
    train, test = (remove_directions(hidden[part], rows) for part in ("train", "test"))
    return float((said(fitted(train, truth["train"][task], task), test) == truth["test"][task]).float().mean())


width = hidden["train"].shape[1]
directions = {"nothing": torch.zeros(1, width)}
for name, some in {
    "tense": to_means("tense"),
    "topic": to_means("topic"),
    "topic, INLP": in_rounds("topic", 3),
}.items():
    rank = int(torch.linalg.matrix_rank(some.double(), rtol=1e-5))
    noise = torch.randn(rank, width, generator=torch.Generator().manual_seed(seed))
    directions |= {name: some, f"as many as {name}, at random": noise}
rows = {}
for name, some in directions.items():
    rows[name] = {
        "directions": int(torch.linalg.matrix_rank(some.double(), rtol=1e-5)),
        "nats": price(remove_directions(hidden["test"], some)),
    }
    rows[name] |= {f"{task} read": readable(some, task) for task in ("topic", "tense")}
forgotten = pd.DataFrame(rows).T
forgotten.round(2)

# %% [markdown]
# What can still be read? Eight directions, those of the class means, leave nothing of the topic. Three probes in a row take three times as many, and leave most of it.

# %%
figure, axes = plt.subplots(figsize=(7, 2.8), layout="constrained")
cost = {task: forgotten["nats"][task] - forgotten["nats"]["nothing"] for task in ("topic", "tense")}
title = f"Without the topic a thing costs {cost['topic']:.1f} nats more, without the tense {cost['tense']:.1f}"
plots.bars(axes, forgotten["nats"].to_dict(), label="nats for the hidden thing", title=title)
plt.show()

# %% [markdown]
# Both are in the vectors. The head needs the topic to guess the thing; the tense is nearly idle there. *Decodable is not used.*

# %% [markdown]
# ## Results


# %% tags=["metrics"]
def stacked(some):
    """Probes as one tensor, (number, 9, H + 1), rows beyond a task's classes 0."""
    return torch.stack(
        [functional.pad(torch.cat([w, b[:, None]], dim=1), (0, 0, 0, 9 - len(b))) for w, b in some]
    )


control_probes = [
    fitted(data["pre-trained", "kind", "train"].vectors[:, layer], controls["kind"][0], "kind")
    for layer in places
]
controlled = dict(zip(data["pre-trained", "kind", "train"].words, controls["kind"][0].tolist()))
top, kind = LAYERS - 1, {layer: chosen["pre-trained", "kind", layer][0] for layer in places}
share = {key: float(hit.float().mean()) for key, hit in right.items()}
gravity = {task: layer_centres(mixes[task], grown[task])[0] for task in probing.LABELS}
costs = {
    task: forgotten["nats"][task] - forgotten["nats"][f"as many as {task}, at random"]
    for task in ("topic", "tense")
}
record(
    {
        "kind_selectivity": kind[top],
        "upper_more_selective": kind[top] - kind[1],
        "linear_more_selective": kind[top] - large[0],
        "sense_by_context": share["pre-trained", "sense", top] - share["pre-trained", "sense", 0],
        "topic_by_context": share["pre-trained", "topic", top] - share["pre-trained", "topic", 0],
        "kind_by_context": share["pre-trained", "kind", top] - share["pre-trained", "kind", 0],
        "topic_untrained": share["pre-trained", "topic", top] - share["untrained", "topic", top],
        "kind_untrained": share["pre-trained", "kind", top] - share["untrained", "kind", top],
        "code_untrained": codes["bits"]["kind, untrained"] / codes["bits"]["kind"],
        "code_control": codes["bits"]["control of kind"] / codes["bits"]["kind"],
        "centre_gap": (gravity["topic"] + gravity["sense"]) / 2 - gravity["tense"],
        "centre_kind": gravity["kind"] - gravity["tense"],
        "tree_gain": forest["other kinds"][f"pre-trained, layer {MIDDLE}"]
        - forest["other kinds"][f"untrained, layer {MIDDLE}"],
        "tree_over_line": forest["other kinds"][f"pre-trained, layer {MIDDLE}"]
        - forest["other kinds"]["places in the line"],
        "tree_seen": forest["kinds it was trained on"][f"pre-trained, layer {MIDDLE}"]
        - forest["kinds it was trained on"]["places in the line"],
        "stated": facts["P@1"]["custom"] - facts["P@1 by chance"]["custom"],
        "in_document": facts["P@1"]["capital"] - facts["P@1 by chance"]["capital"],
        "unstated": facts["P@1"]["neighbour"] - facts["P@1 by chance"]["neighbour"],
        "negated": primed["P@1"]["not"],
        "misprimed_loss": primed["P@1"]["as it is"] - primed["P@1"]["misprimed"],
        "topic_used": costs["topic"],
        "tense_used": costs["tense"],
    },
    probes=stacked(
        [probes[name, task, layer] for name in ENCODERS for task in probing.LABELS for layer in places]
    ),
    control_probes=stacked(control_probes),
    control_words=list(controlled),
    control_labels=torch.tensor(list(controlled.values())),
    mlps=torch.stack([parameters_to_vector(mlp.parameters()) for mlp in mlps.values()]),
    mixes=torch.stack(list(mixes.values())),
    maps=torch.stack([maps["pre-trained", MIDDLE], maps["untrained", MIDDLE]]),
    forget_topic=directions["topic"],
    forget_tense=directions["tense"],
)

# %% [markdown]
# What was found, in the table's runs:
#
# | claim | here |
# |---|---|
# | a larger probe is less selective | yes: `linear_more_selective` |
# | an upper layer is more selective | a trace: `upper_more_selective` |
# | accuracy hardly tells trained from untrained | not here: `kind_untrained`, `topic_untrained` |
# | code lengths do | yes, by a factor: `code_untrained`, `code_control` |
# | meaning stands above form | of tasks that need context, yes: `centre_gap`; but see `centre_kind` |
# | trees are in the vectors | more than in an untrained model (`tree_gain`); not more than places tell (`tree_over_line`), though it looked so (`tree_seen`) |
# | facts can be asked for | yes, if a sentence or a document states them: `stated`, `in_document`; else no: `unstated` |
# | *not* changes nothing | yes: `negated`; this model never met the word |
# | misprimes distract | not here: `misprimed_loss` |
# | what can be read off is used | the topic is (`topic_used`), the tense hardly (`tense_used`) |

# %% [markdown]
# ## In your own words
#
# **1.** A team reports: "Our probe finds the author's age in BERT's vectors with 91 % accuracy. So BERT knows how old an author is, and uses it." Which two controls would you ask for, and which claim does no probe support?

# %% [markdown] answer="decodable_is_not_used" points=2
# ### BEGIN SOLUTION
# 1 point, controls: a control task (random labels for each type, here for each author or word, with the labels' frequencies) for selectivity; the same probe on an untrained encoder or the embeddings alone, and the most frequent
# class; or code lengths in place of accuracy. 1 point: "uses": a probe shows what can be read off; use needs an intervention, as taking the direction out and looking whether the model's own predictions suffer more than with
# random directions taken out.
# ### END SOLUTION

# %% [markdown]
# **2.** Our BERT names Korea's capital and not its neighbours. Someone proposes to make it ten times larger, with the same text. Another one hands it a table of borders at the moment of the question. What will each change, and why?

# %% [markdown] answer="knowledge_or_size" points=2
# ### BEGIN SOLUTION
# 1 point: size changes nothing about neighbours, since no text states them: there is nothing to fit (it may guess by what words look alike in their contexts). It might hold more of what *is* stated. 1 point: a table gives the
# fact itself, in the input or as vectors of entities; the model must learn to read it (or to copy), and then answers for pairs that it never met in text. That is what models with knowledge do.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Hewitt and Liang 2019, [control tasks](https://aclanthology.org/D19-1275); Voita and Titov 2020, [minimum description length](https://aclanthology.org/2020.emnlp-main.14).
# - Tenney et al. 2019, [the NLP pipeline in BERT](https://aclanthology.org/P19-1452); Hewitt and Manning 2019, [a structural probe](https://aclanthology.org/N19-1419).
# - Petroni et al. 2019, [LAMA](https://aclanthology.org/D19-1250); Kassner and Schütze 2020, [negated and misprimed](https://aclanthology.org/2020.acl-main.698).

# %% [markdown]
# - Ettinger 2020, [What BERT Is Not](https://aclanthology.org/2020.tacl-1.3).
# - Ravfogel et al. 2020, [INLP](https://aclanthology.org/2020.acl-main.647); Elazar et al. 2021, [Amnesic Probing](https://aclanthology.org/2021.tacl-1.10); Belinkov 2022, [Probing Classifiers](https://aclanthology.org/2022.cl-1.7).
