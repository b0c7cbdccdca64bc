# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # DistilBERT and TinyBERT: small models that serve
#
# **The papers.** Sanh, Debut, Chaumond and Wolf, [DistilBERT, a distilled version of BERT](https://arxiv.org/abs/1910.01108) (2019). Jiao et al., [TinyBERT: Distilling BERT for Natural Language Understanding](https://arxiv.org/abs/1909.10351) (Findings of EMNLP 2020).
#
# A student may copy more of its teacher than what it says.

# %% [markdown]
# **The claims to test.**
#
# | idea | claim | the paper's number |
# |---|---|---|
# | DistilBERT begins with layers of its teacher | random layers cost 3.69 points of GLUE | Table 4 |
# | its loss is a sum of three | without soft targets −2.96, without the cosine −1.46, without masked words −0.31 | Table 4 |
# | … and the student is small | 40 % smaller, 97 % of the score, 60 % faster | abstract |
# | TinyBERT matches states and attention, too | 7.5 times smaller than BERT base, 96.8 % of its score | abstract |
# | … in two stages | general text first, then the task | section 4.5, Table 2 |

# %% [markdown]
# Soft targets, temperature and T² are those of the lesson `distillation`. New is what else may be matched (about 2½ hours):
#
# | | piece |
# |---|---|
# | 1–2 | DistilBERT: a start from the teacher's layers, the triple loss |
# | 3 | sizes, to the digit |
# | 4–7 | TinyBERT: which layer learns from which, attention, states, the sum |
# | 8 | one byte a number |

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: a minute or two · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import copy
import functools
import time
import warnings
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import parameters_to_vector
from torch.utils.flop_counter import FlopCounterMode

import etude
from etude import check, plots, pretrained, record
from etude.models.bert import Bert, BertConfig, BertForPretraining
from etude.models.bert_heads import BertClassifier, Labelled
from etude.models.distilled import (
    TINYBERTS,
    DistilBert,
    DistilBertConfig,
    DistilBertForMaskedLM,
    Inside,
    inside,
)
from etude.pretraining import Examples, Vocabulary
from etude.train import Plan, adamw, linear_schedule, train
from etude.world import World
from etude.world.tasks import Tasks

run = etude.start(
    "week7_distillation_knowledge/small_models", profile=profile, seed=seed, device=device, out=out
)
plots.style()

# %% [markdown]
# ## 1. A start from the teacher
#
# DistilBERT is as wide as BERT, with half of its layers, without segments and pooler. So a layer of the teacher fits into the student: "one layer out of two" (section 3). The published code takes 0, 2, 4, 7, 9, 11 of twelve.

# %% [markdown]
# ```
# teacher    tokens + segments + positions ─ 0 ─ 1 ─ 2 ─ 3 ─ 4 ─ 5 ─ …  ─ 10 ─ 11 ─ head
#                                            │       │       │                 │
# student    tokens +            positions ─ 0 ───── 1 ───── 2 ─────  …  ───── 5 ─ head
# ```
#
# The published code drops the segments' table. But the teacher added segment 0's vector to *every* token of a single text. Where could it be kept, so that the first layer reads what the teacher's did?

# %% [markdown]
# The library names tensors like this, and "NUMBER" may have two digits:
#
# ```
# bert.input.tokens.weight     bert.input.segments.weight   bert.input.positions.weight   bert.input.norm.weight
# bert.layers.NUMBER.…         bert.pooler.…                next_sentence.…
# transform.weight             norm.weight                  bias
# ```

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>Take the name apart at its dots: <code>bert.layers.1.</code> is not the beginning of <code>bert.layers.11.…</code>, but <code>bert.layers.1</code> is.</details>
# <details><summary>Hint</summary>A sum does not mind in which of its terms a constant stands. <code>+=</code> on a tensor changes the teacher's.</details>


# %% exercise="take_layers"
def take_layers(weights, kept):
    """A DistilBERT's tensors, taken from a BERT's.

    weights: dict from a name, as above, to the teacher's tensor; kept: list of different layer
    numbers, from 0: the student's layer i is the teacher's layer kept[i].
    Returns a dict: kept layers under their new numbers; no other layers, no "bert.pooler.…", no
    "next_sentence.…"; no "bert.input.segments.weight" (S, H), whose row 0 is added to each row of
    "bert.input.positions.weight" (P, H); all else unchanged, dtype too. The dict and the
    tensors that were given stay as they are. Sanh et al. 2019, section 3.
    """
    ### BEGIN SOLUTION
    taken = {}
    for name, tensor in weights.items():
        parts = name.split(".")
        if parts[:2] == ["bert", "layers"]:
            if int(parts[2]) in kept:
                place = kept.index(int(parts[2]))
                taken[".".join([*parts[:2], str(place), *parts[3:]])] = tensor
        elif name == "bert.input.positions.weight":
            taken[name] = tensor + weights["bert.input.segments.weight"][0]
        elif name != "bert.input.segments.weight" and not name.startswith(("bert.pooler.", "next_sentence.")):
            taken[name] = tensor
    return taken
    ### END SOLUTION


# %%
check("take_layers")

# %% [markdown]
# **The teacher** is the course's BERT, `world-en`: 2 layers, 64 wide. With *all* its layers the student must say exactly what it says. And with one, before any training?

# %%
size = {
    "smoke": {
        "words": 30_000,
        "batch": 8,
        "steps": 60,
        "narrow": 160,
        "general": 300,
        "rate": 4e-2,
        "task": 60,
    },
    "cpu": {
        "words": 120_000,
        "batch": 16,
        "steps": 400,
        "narrow": 600,
        "general": 800,
        "rate": 2e-2,
        "task": 100,
    },
    "gpu": {
        "words": 1_000_000,
        "batch": 64,
        "steps": 3000,
        "narrow": 6000,
        "general": 6000,
        "rate": 5e-3,
        "task": 300,
    },
}[profile]
bert, tokenizer = pretrained.load("world-en")
bert.requires_grad_(False).to(run.device)
vocabulary = Vocabulary(tokenizer)


def text_of(seed, words, batch):
    """Masked windows of the planted language's text, a batch from its number."""
    documents = [
        [
            [tokenizer.index[piece] for piece in tokenizer.tokenize(str(sentence))]
            for sentence in document.sentences
        ]
        for document in World("en", seed).documents(words)
    ]
    return Examples(documents, vocabulary, length=32, batch_size=batch, next_sentence=False, seed=seed)


text, held_out = text_of(20_000 + seed, size["words"], size["batch"]), text_of(40_000 + seed, 20_000, 32)


class Shown(NamedTuple):
    """Masked text with what the teacher makes of it."""

    tokens: Tensor  # (B, N)
    labels: Tensor  # (B, N)
    inside: Inside  # states (B, N, H) and scores (B, h, N, N) of its layers
    said: Tensor  # (B, N, V)


@torch.no_grad()
def shown_by_teacher(batch):
    tokens = batch.tokens.to(run.device)
    theirs = inside(bert.bert, tokens)
    return Shown(tokens, batch.labels.to(run.device), theirs, bert.token_logits(theirs.states[-1]))


@functools.lru_cache(maxsize=192 if profile == "smoke" else 0)  # all students read the same batches
def lesson(number):
    return shown_by_teacher(text(number))


tests = [shown_by_teacher(held_out(number)) for number in range(8)]


@torch.no_grad()
def price(model):
    """Nats for a masked token of held-out text, and how often the model's first choice is the teacher's."""
    costs, same = [], []
    for batch in tests:
        asked = batch.labels != -100  # (B, N)
        logits = model.token_logits(model.bert(batch.tokens)[asked])  # (M, V)
        costs.append(functional.cross_entropy(logits, batch.labels[asked], reduction="none"))
        same.append(logits.argmax(dim=1) == batch.said[asked].argmax(dim=1))
    return float(torch.cat(costs).mean()), float(torch.cat(same).float().mean())


def student_of(kept):
    """A DistilBERT with these layers of the teacher."""
    config = {**vars(bert.bert.config), "num_hidden_layers": len(kept), "type_vocab_size": 0}
    student = DistilBertForMaskedLM(DistilBertConfig(**config)).to(run.device)
    student.load_state_dict(take_layers(bert.state_dict(), kept))
    return student


tokens = tests[0].tokens
with torch.no_grad():
    apart = (student_of([0, 1]).bert(tokens) - bert.bert(tokens))[tokens != 0].abs().max()
print(f"all layers: states differ by at most {float(apart):.0e}")
rows = {
    "the teacher": price(bert),
    **{f"layers {kept}": price(student_of(kept)) for kept in ([0, 1], [0], [1], [1, 0])},
}
pd.DataFrame(rows, index=["nats for a masked token", "first choice as the teacher's"]).T.round(3)

# %% [markdown]
# Layers that never stood beside each other say little: a start, no student yet.

# %% [markdown]
# ## 2. The triple loss
#
# Courses often say that DistilBERT's triple loss *is* the distillation loss. It is a **sum of three**, distillation being one:
#
# | term | of what | mean over |
# |---|---|---|
# | soft targets at temperature T, times T² | scores of all words | real tokens |
# | masked words, at temperature 1 | scores of all words | tokens with a label |
# | 1 − cosine | the last states, student's and teacher's | real tokens |

# %% [markdown]
# The published weights are 5, 2, 1, at T = 2. A cosine looks at the states' directions alone; their lengths are free.
#
# ```
#                          last states ──────── scores of words
#  masked text ─▶ teacher      │                      │
#                          1 − cosine            soft, × T²
#  masked text ─▶ student      │                      │
#                          last states ──────── scores of words ─── masked words: the labels
# ```

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>Choose the real tokens first, <code>logits[real]</code>: whatever stands at padding, perhaps ∞, is then gone, from the gradients too.</details>
# <details><summary>Hint</summary>A mean over no label is 0/0. <code>cross_entropy(…, reduction="sum")</code> divided by at least 1 is not.</details>


# %% exercise="triple_loss"
def triple_loss(logits, teacher, labels, own, theirs, real, temperature, weights):
    """DistilBERT's loss in nats: soft targets, masked words and directions of states.

    logits, teacher (B, N, V): the student's scores of words, and its teacher's; labels (B, N)
    int64: the word that was hidden, −100 where none is asked for, as at padding, perhaps
    everywhere; own, theirs (B, N, H): their last states; real (B, N) bool: True at tokens, at least
    one of them, False at padding. What the teacher has at padding may be NaN or ∞, and spoils
    neither the loss nor its gradients; all that is the student's is finite.
    temperature: T, of the soft targets alone; weights: three numbers, for soft, masked, cosine.
    Soft: T² times the cross entropy with the teacher's softmax at T. All that is the teacher's is
    constant: no gradient reaches it. Returns a tensor (): the weighted sum of the three means, of
    which masked is 0 if there is no label. Sanh et al. 2019, section 2.
    """
    ### BEGIN SOLUTION
    targets = (teacher[real].detach() / temperature).softmax(dim=-1)  # (R, V)
    soft = temperature**2 * functional.cross_entropy(logits[real] / temperature, targets)
    asked = labels != -100  # (B, N)
    masked = functional.cross_entropy(logits[asked], labels[asked], reduction="sum") / asked.sum().clamp(min=1)
    cosines = functional.cosine_similarity(own[real], theirs[real].detach(), dim=-1)  # (R,)
    return weights[0] * soft + weights[1] * masked + weights[2] * (1 - cosines).mean()
    ### END SOLUTION


# %%
check("triple_loss")

# %% [markdown]
# ## Experiment I: what is each part worth?
#
# Students of one layer, with the same batches and steps; one thing is left out at a time. **Random layers** keeps the teacher's embeddings and head alone.

# %% [markdown]
# The control has **no teacher**: masked words alone, from random numbers. What begins at random has a higher learning rate, which suits it.

# %%
T, WEIGHTS = 2.0, (5.0, 2.0, 1.0)


class Triple(nn.Module):
    """A student with its loss, which maps a batch to ()."""

    def __init__(self, student, weights):
        super().__init__()
        self.student, self.weights = student, weights

    def forward(self, batch):
        own = self.student.bert(batch.tokens)  # (B, N, H)
        logits = self.student.token_logits(own)  # (B, N, V)
        return triple_loss(
            logits, batch.said, batch.labels, own, batch.inside.states[-1], batch.tokens != 0, T, self.weights
        )


def trained(learner, batches, steps, rate, title):
    plan = Plan(steps, linear_schedule(steps, steps // 10), device=str(run.device), title=title)
    return train(learner, batches, plan, adamw(learner, rate, betas=(0.9, 0.98)))


def distilled(name, start, weights):
    """A student of one layer, trained: all of it from the teacher, its layer at random, or all at random."""
    torch.manual_seed(seed)
    student = student_of([1])
    other = DistilBertForMaskedLM(student.bert.config).to(run.device)
    if start == "layers at random":
        student.bert.layers.load_state_dict(other.bert.layers.state_dict())
    if start == "all at random":
        student = other
    trained(Triple(student, weights), lesson, size["steps"], 3e-3 if start == "teacher" else 1e-2, name)
    return student.eval()


PARTS = {
    "the triple loss": ("teacher", WEIGHTS),
    "without soft targets": ("teacher", (0.0, *WEIGHTS[1:])),
    "without masked words": ("teacher", (WEIGHTS[0], 0.0, WEIGHTS[2])),
    "without the cosine": ("teacher", (*WEIGHTS[:2], 0.0)),
    "random layers": ("layers at random", WEIGHTS),
    "no teacher": ("all at random", (0.0, 1.0, 0.0)),
}
students = {name: distilled(name, *part) for name, part in PARTS.items()}
rows = {"the teacher": bert, **students}
table = pd.DataFrame({name: price(model) for name, model in rows.items()}, index=["nats", "as the teacher"]).T
table["parameters"] = [sum(p.numel() for p in model.parameters()) for model in rows.values()]
table.round(3)

# %%
figure, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
bars = axes.barh(table.index[::-1], table["nats"][::-1], color=["#bbbbbb"] * 2 + ["#0072b2"] * 4 + ["#d55e00"])
axes.bar_label(bars, fmt="%.2f", padding=3)
axes.set(xlabel="nats for a masked token, held out", xlim=(0, table["nats"].max() * 1.12))
gained = table["nats"]["no teacher"] - table["nats"]["the triple loss"]
axes.set_title(f"A teacher and its layers save {gained:.2f} nats at equal size and steps")
plt.show()

# %% [markdown]
# ## 3. Sizes, to the digit
#
# DistilBERT's parameters, at H = 768:
#
# ```
#  words          V · H
#  positions      512 · H
#  LayerNorm      2 · H
#  each layer     12 H² + 13 H  =  7,087,872
# ```

# %% [markdown]
# **DistilKoBERT** has three layers, and 27.8 million parameters. Some tables print 30,522 words for it. Can that be? Which V give a number that rounds to 27.8 million?

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Count what does not depend on V, then see what is left for words of 768 numbers each.</details>
# <details><summary>Hint</summary>In whole numbers: a // b rounds down, and −(−a // b) rounds up. Floats are not exact for large sizes.</details>


# %% exercise="fitting_words"
def fitting_words(low, high, layers):
    """The sizes of the vocabulary that a DistilBERT of a printed size may have.

    low, high: whole numbers: its parameters are at least low and at most high; layers: how many, at
    least 1. The encoder is 768 wide, has 512 positions, no segments, no pooler and no head.
    Returns (smallest, greatest), the whole numbers V of words, from 1 on, that give such a number
    of parameters; None if none does.
    """
    ### BEGIN SOLUTION
    width = 768
    rest = 512 * width + 2 * width + layers * (12 * width**2 + 13 * width)
    smallest = max(1, -((rest - low) // width))
    greatest = (high - rest) // width
    return (smallest, greatest) if smallest <= greatest else None
    ### END SOLUTION


# %%
check("fitting_words")

# %%
print("DistilKoBERT, 27.8 million:", fitting_words(27_750_000, 27_850_000, 3), "words; it has KoBERT's 8,002")


def flops(model, length):
    """FLOPs of one text on its way through an encoder, counted by torch."""
    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        model(torch.ones(1, length, dtype=torch.long))
    return counter.get_total_flops()


with torch.device("meta"):  # shapes without numbers
    published = {
        "BERT base": Bert(BertConfig()),
        "DistilBERT": DistilBert(DistilBertConfig()),
        "TinyBERT, 6 layers": Bert(TINYBERTS[6]),
        "TinyBERT, 4 layers, 312 wide": Bert(TINYBERTS[4]),
        "DistilKoBERT": DistilBert(DistilBertConfig(vocab_size=8002, num_hidden_layers=3)),
        "… with 30,522 words": DistilBert(DistilBertConfig(num_hidden_layers=3)),
    }
sizes = pd.DataFrame(
    {
        name: {
            "parameters": sum(p.numel() for p in model.parameters()),
            "MB": 4 * sum(p.numel() for p in model.parameters()) / 1e6,
            "GFLOP, 128 tokens": flops(model, 128) / 1e9,
        }
        for name, model in published.items()
    }
).T
sizes["of BERT's FLOPs"] = sizes["GFLOP, 128 tokens"] / sizes["GFLOP, 128 tokens"]["BERT base"]
sizes.style.format(
    {"parameters": "{:,.0f}", "MB": "{:.0f}", "GFLOP, 128 tokens": "{:.1f}", "of BERT's FLOPs": "{:.2f}"}
)

# %% [markdown]
# Half of the layers are half of the work, not half of the numbers: the table of words stays. TinyBERT with four layers is printed as 14.5 million; its configuration gives 14,350,248.

# %% [markdown]
# ## 4. Which layer learns from which?
#
# TinyBERT is narrower than its teacher, so no weight fits. It learns to **behave** like it: its layer m looks at the teacher's layer g(m). Number 0 stands for the embeddings, M + 1 for the prediction.
#
# ```
#  teacher, N = 6    embeddings ─ 1 ─ 2 ─ 3 ─ 4 ─ 5 ─ 6 ─ prediction (7)
#                        │                │           │       │
#  student, M = 2    embeddings ───────── 1 ───────── 2 ─ prediction (3)       uniform: g = 0, 3, 6, 7
# ```

# %% [markdown]
# | way | g(m) for layers m = 1 … M | 12 → 4 |
# |---|---|---|
# | uniform (the paper's) | k · m with k = N / M | 0, 3, 6, 9, 12, 13 |
# | top | m + N − M | 0, 9, 10, 11, 12, 13 |
# | bottom | m | 0, 1, 2, 3, 4, 13 |
#
# In all three g(0) = 0 and g(M + 1) = N + 1.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>Three of 12 layers each for 4; what of 5?</details>


# %% exercise="layer_map"
def layer_map(teacher, student, way):
    """Which of the teacher's layers each of the student's learns from.

    teacher: N layers; student: M layers, from 1 to N; way: "uniform", "top" or "bottom".
    Returns the list of M + 2 whole numbers g(0), …, g(M + 1): embeddings, layers, prediction.
    Raises ValueError if the way is uniform and M does not divide N. Jiao et al. 2020, section 3.1
    and Table 4.
    """
    ### BEGIN SOLUTION
    if way == "uniform":
        if teacher % student:
            raise ValueError(f"{teacher} layers cannot be shared out evenly among {student}")
        inner = [teacher // student * m for m in range(1, student + 1)]
    elif way == "top":
        inner = [m + teacher - student for m in range(1, student + 1)]
    else:
        inner = list(range(1, student + 1))
    return [0, *inner, teacher + 1]
    ### END SOLUTION


# %%
check("layer_map")

# %% [markdown]
# ## 5. Attention
#
# The weights $W_Q, W_K, W_V$ cannot be matched, as is often said: 312 × 312 against 768 × 768. The **scores** of each head are N × N in both, if both have as many heads:

# %%
with torch.device("meta"):
    shapes = {
        name: {
            "W_Q, W_K, W_V": tuple(model.layers[0].attention.project_in.weight.chunk(3)[0].shape),
            "states of 7 tokens": tuple(model(torch.ones(1, 7, dtype=torch.long)).shape[1:]),
            "scores of 7 tokens": tuple(inside(model, torch.ones(1, 7, dtype=torch.long)).scores[0].shape[1:]),
        }
        for name, model in ((name, published[name]) for name in ("BERT base", "TinyBERT, 4 layers, 312 wide"))
    }
pd.DataFrame(shapes).T

# %% [markdown]
# The paper fits the scores **before** the softmax (equation 7): it converged faster. For one layer, with h heads:
#
# $$\mathcal L_{\text{attn}} = \frac1h \sum_{i=1}^{h} \operatorname{MSE}(A_i^S, A_i^T), \qquad A = \frac{Q K^\top}{\sqrt{d_k}}$$

# %% [markdown]
# In a batch some tokens are padding. A pair of tokens counts if **both** are real:
#
# ```
#  asks, is asked      a      b     [PAD]
#  a                   ■      ■       ·
#  b                   ■      ■       ·        in each head of each text
#  [PAD]               ·      ·       ·
# ```
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary><code>real[:, None, :, None]</code> is about who asks, <code>real[:, None, None, :]</code> about who is asked.</details>
# <details><summary>Hint</summary>At padding a score may be −∞, and 0 · ∞ is not a number: choose or fill, do not multiply.</details>


# %% exercise="attention_loss"
def attention_loss(own, theirs, real):
    """How far a student's scores of attention are from its teacher's: a mean of squares.

    own, theirs (B, h, N, N): scores before the softmax, of the student and the teacher, whatever
    they may be at padding, −∞ too; real (B, N) bool: True at tokens, at least one, False at padding.
    No gradient reaches the teacher. Returns a tensor (): the mean over all heads and all pairs of
    real tokens of one text, all pairs of the batch alike. Jiao et al. 2020, equation 7.
    """
    ### BEGIN SOLUTION
    pairs = (real[:, None, :, None] & real[:, None, None, :]).expand_as(own)  # (B, h, N, N)
    return functional.mse_loss(own[pairs], theirs[pairs].detach())
    ### END SOLUTION


# %%
check("attention_loss")

# %% [markdown]
# A softmax does not see a number added to a whole row; the scores' loss does:

# %%
scores = inside(bert.bert, tokens).scores[0]  # (B, h, N, N)
shifted = scores + torch.randn(*scores.shape[:3], 1, generator=torch.Generator().manual_seed(seed)).to(scores)
real = tokens != 0
before = float(attention_loss(shifted, scores, real))
after = float(attention_loss(shifted.softmax(dim=-1), scores.softmax(dim=-1), real))
print(f"a number added to each row of scores: {before:.3f} before the softmax, {after:.1e} after it")

# %% [markdown]
# ## 6. Hidden states
#
# The states are d' wide in the student, d in the teacher. A learned matrix brings the **student's** states **up** (equation 8), though it is often told the other way round:
#
# $$\mathcal L_{\text{hidn}} = \operatorname{MSE}(H^S W_h,\ H^T), \qquad W_h \in \mathbb R^{d' \times d}$$
#
# ```
#  student   d' numbers ─ W_h, learned ─▶ d numbers ─┐
#                                                    ├─ MSE
#  teacher   d numbers, constant ────────────────────┘
# ```

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary><code>nn.Linear</code> keeps its weight the other way round, (out, in); here it is (d', d).</details>
# <details><summary>Hint</summary>Real tokens first, then one mean over all their numbers.</details>


# %% exercise="hidden_loss"
def hidden_loss(own, theirs, lift, real):
    """How far a student's states, brought up to the teacher's width, are from the teacher's.

    own (B, N, d'), theirs (B, N, d): states; lift (d', d); real (B, N) bool: True at tokens, at
    least one, False at padding. What stands at padding does not count, whatever it is. No gradient
    reaches the teacher. Returns a tensor (): the mean of squares over real tokens and the d numbers
    of each. Jiao et al. 2020, equations 8 and 9.
    """
    ### BEGIN SOLUTION
    return functional.mse_loss(own[real] @ lift, theirs[real].detach())
    ### END SOLUTION


# %%
check("hidden_loss")

# %% [markdown]
# Why not bring the teacher down, by a learned matrix of d × d'? A matrix of zeros, and a student who says zero, would win without learning anything.

# %%
with torch.no_grad():
    states = bert.bert(tokens)  # (B, N, 64)
wide, narrow = states.shape[-1], 32
silent = torch.zeros(*states.shape[:2], narrow, device=run.device)
down = float((silent - states @ torch.zeros(wide, narrow, device=run.device)).square().mean())
up = float(hidden_loss(silent, states, torch.zeros(narrow, wide, device=run.device), tokens != 0))
print(
    f"a student who says zero: {down:.2f} if the teacher is brought down, {up:.2f} if the student is brought up"
)

# %% [markdown]
# How much of d numbers can d' tell at best? The nearest states of rank d' say it (Eckart and Young, as in the lesson `albert`).

# %%
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
with torch.no_grad():
    layers = inside(bert.bert, tokens).states
for number, one in enumerate(layers):
    squares = torch.linalg.svdvals(one[tokens != 0].double()) ** 2  # (64,)
    left = 1 - squares.cumsum(0) / squares.sum()
    axes.plot(range(1, wide + 1), left.cpu(), label="embeddings" if number == 0 else f"layer {number}")
axes.axvline(narrow, color="#999999", ls="--")
axes.set(xlabel="width d' of the student", ylabel="share of squares that no student reaches", ylim=(0, None))
axes.set_title(
    f"At d' = {narrow} of {wide} a lift can miss as little as {float(left[narrow - 1]):.0%} of the last layer"
)
axes.legend()
plt.show()

# %% [markdown]
# ## 7. The sum
#
# All that TinyBERT matches below the prediction (equations 6 and 11, each weight 1):
#
# ```
# m = 0          embeddings                    hidden_loss of states 0 and 0
# m = 1 … M      layer m and layer g(m)        hidden_loss of states m and g(m)  +  attention_loss of both layers
# ```
#
# States count the embeddings as number 0. Scores do not: the first of the list is layer 1's.

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>Layer g has its states at place g and its scores at place g − 1.</details>
# <details><summary>Hint</summary>The last number of the map is the prediction's, which is not matched here.</details>


# %% exercise="tinybert_loss"
def tinybert_loss(own, own_scores, theirs, their_scores, lifts, real, places):
    """The sum of TinyBERT's losses below the prediction, each with weight 1.

    own: the student's M + 1 states (B, n, d'), embeddings first; own_scores: its M scores
    (B, h, n, n); theirs: the teacher's N + 1 states (B, n, d); their_scores: its N scores; lifts:
    M + 1 tensors (d', d), one for each of the student's states; real (B, n) bool; places: what
    `layer_map` returned, M + 2 whole numbers. The tensors of one kind are a list, a tuple, or
    stacked in one tensor. No gradient reaches the teacher.
    Returns a tensor (). Uses your `hidden_loss` and `attention_loss`. Jiao et al. 2020, equations
    6 and 11.
    """
    ### BEGIN SOLUTION
    total = hidden_loss(own[0], theirs[places[0]], lifts[0], real)
    for m in range(1, len(own)):
        total = total + hidden_loss(own[m], theirs[places[m]], lifts[m], real)
        total = total + attention_loss(own_scores[m - 1], their_scores[places[m] - 1], real)
    return total
    ### END SOLUTION


# %%
check("tinybert_loss")

# %% [markdown]
# ## Experiment II: does the inside help beyond the outputs?
#
# Students of half the width, from a random start, on masked text, with the same steps:
#
# | | masked words | soft targets | your sum |
# |---|---|---|---|
# | masked words | ✓ | | |
# | … and outputs | ✓ | ✓ | |
# | … and the inside | ✓ | ✓ | ✓ |
# | control | ✓ | ✓ | of a teacher that was never trained |

# %%
NARROW = {
    **vars(bert.bert.config),
    "hidden_size": narrow,
    "intermediate_size": 4 * narrow,
    "num_hidden_layers": 1,
}
PLACES = layer_map(len(bert.bert.layers), NARROW["num_hidden_layers"], "uniform")
torch.manual_seed(seed)
untrained = Bert(bert.bert.config).requires_grad_(False).to(run.device)


def lifts_of(student):
    """A matrix for each of the student's states, learned with it."""
    count = student.config.num_hidden_layers + 1
    return nn.ParameterList(
        nn.Parameter(torch.randn(student.config.hidden_size, wide) / 8) for _ in range(count)
    )


def match(student, teacher, lifts, batch):
    """Your sum, for a student and a teacher that read the same tokens."""
    if teacher is bert.bert:
        theirs = batch.inside
    else:
        with torch.no_grad():
            theirs = inside(teacher, batch.tokens)
    own = inside(student, batch.tokens)
    return tinybert_loss(
        own.states, own.scores, theirs.states, theirs.scores, list(lifts), batch.tokens != 0, PLACES
    )


def soft(logits, said, temperature):
    """The cross entropy with soft targets, times T², as in the lesson `distillation`."""
    return temperature**2 * functional.cross_entropy(logits / temperature, (said / temperature).softmax(dim=-1))


class Reader(nn.Module):
    """A narrow student on masked text, which maps a batch to its loss."""

    def __init__(self, outputs, inner):
        super().__init__()
        self.student = BertForPretraining(BertConfig(**NARROW))
        # a list: no part of this module
        self.lifts, self.outputs, self.inner = lifts_of(self.student.bert), outputs, [inner]

    def forward(self, batch):
        tokens, asked = batch.tokens, batch.labels != -100
        logits = self.student.token_logits(self.student.bert(tokens))
        loss = functional.cross_entropy(logits[asked], batch.labels[asked])
        if self.outputs:
            loss = loss + soft(logits[tokens != 0], batch.said[tokens != 0], T)
        if self.inner[0] is not None:
            loss = loss + match(self.student.bert, self.inner[0], self.lifts, batch)
        return loss


WAYS = {
    "masked words": (False, None),
    "… and outputs": (True, None),
    "… and the inside": (True, bert.bert),
    "control: inside of an untrained teacher": (True, untrained),
}
readers = {}
for name, way in WAYS.items():
    torch.manual_seed(seed)
    reader = Reader(*way)
    trained(reader, lesson, size["narrow"], 2e-2, name)
    readers[name] = reader.student.eval()
inner = pd.DataFrame(
    {name: price(model) for name, model in {"the teacher": bert, **readers}.items()},
    index=["nats", "as the teacher"],
).T
inner.round(3)

# %% [markdown]
# ## Experiment III: two stages
#
# TinyBERT learns twice, **general** text first, then the **task**:
#
# ```
#  general     pre-trained teacher ─ its inside, on much text ─────────────▶ student
#  task        fine-tuned teacher  ─ its inside, on the task's sentences ──▶ student
#                                  └ then its predictions, on the same ────▶ student
# ```

# %% [markdown]
# The task is that of `distillation`: nine topics, 90 labels, and a test whose deciding words stand in *no* training sentence. The paper makes twenty times as many of the task's sentences by exchanging words; we do not.

# %%
tasks = Tasks("en", seed)
TOPICS = tasks.topic_names


def encoded(items):
    rows = [torch.tensor(tokenizer.encode(item.text)) for item in items]
    tokens = nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return tokens.to(run.device), torch.tensor([item.label for item in items], device=run.device)


known, unseen = encoded(tasks.topics(90, "train")), encoded(tasks.topics(600, "test"))


def drawn(number):
    """A batch of labelled sentences from its number."""
    rows = torch.randint(
        len(known[0]), (32,), generator=torch.Generator().manual_seed(1_000_003 * seed + number)
    )
    return Labelled(known[0][rows], None, known[1][rows])


@torch.no_grad()
def share_right(model):
    return float((model.logits(unseen[0]).argmax(dim=1) == unseen[1]).float().mean())


torch.manual_seed(seed)
teacher = BertClassifier(pretrained.load("world-en").model.bert, len(TOPICS))
trained(teacher, drawn, 60, 2e-3, "teacher")
teacher = teacher.requires_grad_(False).eval()


class Matcher(nn.Module):
    """A student that learns the inside of a teacher."""

    def __init__(self, student, lifts, teacher):
        super().__init__()
        self.student, self.lifts, self.teacher = student, lifts, [teacher]

    def forward(self, batch):
        return match(self.student, self.teacher[0], self.lifts, batch)


class Asker(nn.Module):
    """A student that learns what a teacher says; without a teacher, labels."""

    def __init__(self, student, teacher):
        super().__init__()
        self.student, self.teacher = student, [teacher]

    def forward(self, batch):
        logits = self.student.logits(batch.tokens)
        if self.teacher[0] is None:
            return functional.cross_entropy(logits, batch.labels)
        return soft(logits, self.teacher[0].logits(batch.tokens), 1.0)


def general(teacher, name):
    """A narrow student of the topics with its lifts, which has
    seen the inside of a teacher on much text, or none."""
    torch.manual_seed(seed)
    student = BertClassifier(Bert(BertConfig(**NARROW)), len(TOPICS))
    lifts = lifts_of(student.bert)
    if teacher is not None:
        trained(Matcher(student.bert, lifts, teacher), lesson, size["general"], size["rate"], name)
    return student, lifts


def task(start, teacher, name):
    """A copy of such a student that has learned the task from a teacher, or from labels if there is none."""
    student, lifts = copy.deepcopy(start)
    if teacher is not None:
        trained(Matcher(student.bert, lifts, teacher.bert), drawn, size["task"], 5e-3, f"{name}: inside")
    trained(Asker(student, teacher), drawn, size["task"], 5e-3, f"{name}: answers")
    return student.eval()


fresh, shown = general(None, ""), general(bert.bert, "general stage")
stages = {
    "no teacher": task(fresh, None, "no teacher"),
    "task stage alone": task(fresh, teacher, "task stage alone"),
    "general stage, then labels": task(shown, None, "general stage, then labels"),
    "both stages": task(shown, teacher, "both stages"),
    "control: general, of an untrained teacher": task(general(untrained, "control"), teacher, "control"),
}
right = {"the teacher": share_right(teacher), **{name: share_right(model) for name, model in stages.items()}}
figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
plots.bars(
    axes,
    right,
    label="share of the test right",
    title=f"Both stages: {right['both stages']:.2f}, no teacher: {right['no teacher']:.2f}",
    chance=1 / len(TOPICS),
)
plt.show()

# %% [markdown]
# ## 8. One byte a number
#
# Coarser numbers make a model smaller. Each **row** of a matrix gets a scale; its weights become whole numbers from −127 to 127, of one byte each:
#
# $$s_i = \frac{\max_j |w_{ij}|}{127}, \qquad q_{ij} = \operatorname{round}(w_{ij} / s_i), \qquad w_{ij} \approx s_i \cdot q_{ij}$$

# %% [markdown]
# Why a scale for each row? One large weight then makes its own row coarse, and no other.
#
# ```
#  row          0.50    −0.20     0.10          s = 0.50 / 127
#  q             127      −51       25          three bytes and s
#  s · q        0.50   −0.201    0.098
# ```
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary><code>.to(torch.int8)</code> cuts off what stands after the point: round first.</details>
# <details><summary>Hint</summary>A row of zeros would be 0/0. Padding's embedding is such a row.</details>


# %% exercise="quantise"
def quantise(weight):
    """A matrix as whole numbers of one byte, with a scale for each row.

    weight: float32 tensor (R, C), each row zeros or with a number of size 1e-30 or more.
    Returns two tensors: int8 (R, C), from −127 to 127, and float32 scales (R,): the greatest of a
    row's absolute values divided by 127, 1 for a row of zeros. Whole numbers are rounded to the
    nearest; of two that are as near either will do.
    """
    ### BEGIN SOLUTION
    greatest = weight.abs().amax(dim=1)  # (R,)
    scales = torch.where(greatest > 0, greatest / 127, torch.ones_like(greatest))
    return (weight / scales[:, None]).round().to(torch.int8), scales
    ### END SOLUTION


# %%
check("quantise")

# %%
matrix = bert.bert.input.tokens.weight.cpu().clone()
matrix[5, 7] = 20.0  # one large weight
whole, scales = quantise(matrix)
single, scale = quantise(matrix.reshape(1, -1))  # one scale for the table
for name, back in {
    "a scale for each row": whole * scales[:, None],
    "one scale": (single * scale[:, None]).reshape(matrix.shape),
}.items():
    print(
        f"{name}: off by {float((back - matrix).abs().mean()):.5f} in the mean, "
        f"weights are {float(matrix.abs().mean()):.3f}"
    )

# %% [markdown]
# ## What would one serve?
#
# Four ways to serve the topics. **int8** keeps your whole numbers and scales, and all vectors (biases, norms) as they are.

# %%
def in_bytes(model):
    """A copy whose matrices are your whole numbers times their scales; the parts; their bytes."""
    small, ints, scales, rest = copy.deepcopy(model).cpu(), [], [], []
    with torch.no_grad():
        for parameter in small.parameters():
            if parameter.dim() == 2:
                whole, scale = quantise(parameter.detach())
                parameter.copy_(whole * scale[:, None])
                ints.append(whole.flatten())
                scales.append(scale)
            else:
                rest.append(parameter.flatten())
    parts = [torch.cat(some) for some in (ints, scales, rest)]
    return small, parts, sum(part.numel() * part.element_size() for part in parts)


best = stages["both stages"].cpu()
byte_student, parts, byte_size = in_bytes(best)
served = {
    "the teacher": teacher.cpu(),
    "student, no teacher": stages["no teacher"].cpu(),
    "student, both stages": best,
    "… in int8": byte_student,
}
unseen = tuple(one.cpu() for one in unseen)
facts = {}
for name, model in served.items():
    count = sum(p.numel() for p in model.parameters())
    facts[name] = {
        "right": share_right(model),
        "parameters": count,
        "kB": (byte_size if "int8" in name else 4 * count) / 1000,
    }
    facts[name]["kFLOP, 16 tokens"] = flops(copy.deepcopy(model.bert).to("meta"), 16) / 1000

# %% [markdown]
# And seconds, of this machine, which nothing checks. torch computes in int8, too: `quantize_dynamic` quantises linear maps and, at each call, their inputs. (Its successor is the package torchao.)

# %%
def by_torch(model):
    """A copy whose linear maps torch computes in int8; None where this torch or this processor cannot."""
    make = getattr(torch.ao.quantization, "quantize_dynamic", None)
    if make is None or torch.backends.quantized.engine == "none":
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(model, {nn.Linear}, dtype=torch.qint8)


@torch.no_grad()
def milliseconds(forward, batch, length, repeats):
    """The median time of a call, the first one not counted."""
    tokens, taken = torch.full((batch, length), 7), []
    for _ in range(1 + repeats):
        started = time.perf_counter()
        forward(tokens)
        taken.append(time.perf_counter() - started)
    return 1000 * float(np.median(taken[1:]))


timed = {**served, "… computed in int8 by torch": by_torch(best)}
del timed["… in int8"]  # computed in float32, so as long as the student
for name, model in timed.items():
    if model is not None:
        facts.setdefault(name, {"right": share_right(model)})
        facts[name] |= {f"ms, batch {batch}": milliseconds(model.logits, batch, 16, 9) for batch in (1, 32)}
pd.DataFrame(facts).T.round(3)

# %%
figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for place, (name, fact) in enumerate((name, fact) for name, fact in facts.items() if "kB" in fact):
    axes.plot(fact["kB"], fact["right"], "osv^"[place], ms=9, label=name)
axes.axhline(1 / len(TOPICS), color="#999999", ls="--")
axes.set(xscale="log", xlabel="kB of weights", ylabel="share of the test right", ylim=(0, 1.03))
axes.set_title(
    f"{facts['the teacher']['kB'] / facts['… in int8']['kB']:.0f} times fewer bytes: "
    f"{right['the teacher']:.2f} → {facts['… in int8']['right']:.2f} right. Dashed: a guess"
)
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# At the published sizes, with random weights:

# %%
if profile != "smoke":
    configs = {
        "BERT base": Bert(BertConfig()),
        "DistilBERT": DistilBert(DistilBertConfig()),
        "TinyBERT, 4 layers, 312 wide": Bert(TINYBERTS[4]),
    }
    rows = {}
    for name, model in configs.items():
        for kind, one in {name: model.eval(), f"{name}, int8": by_torch(model.eval())}.items():
            if one is not None:
                rows[kind] = {f"ms, batch {batch}": milliseconds(one, batch, 32, 3) for batch in (1, 32)}
    print(pd.DataFrame(rows).T.round(0))
else:
    print("Left out in smoke.")

# %% [markdown]
# ## Results

# %% tags=["metrics"]
nats, inner_nats = table["nats"], inner["nats"]
metrics = {
    "teacher_saves": nats["no teacher"] - nats["the triple loss"],
    "layers_save": nats["random layers"] - nats["the triple loss"],
    "soft_saves": nats["without soft targets"] - nats["the triple loss"],
    "masked_saves": nats["without masked words"] - nats["the triple loss"],
    "cosine_saves": nats["without the cosine"] - nats["the triple loss"],
    "outputs_save": inner_nats["masked words"] - inner_nats["… and outputs"],
    "inside_saves": inner_nats["… and outputs"] - inner_nats["… and the inside"],
    "untrained_inside_costs": inner_nats["control: inside of an untrained teacher"]
    - inner_nats["… and the inside"],
    "stages_gain": right["both stages"] - right["no teacher"],
    "general_gain": right["both stages"] - right["task stage alone"],
    "task_gain": right["both stages"] - right["general stage, then labels"],
    "untrained_general_gap": right["both stages"] - right["control: general, of an untrained teacher"],
    "teacher_gap": right["the teacher"] - right["both stages"],
    "bytes_share": facts["… in int8"]["kB"] / facts["the teacher"]["kB"],
    "int8_costs": facts["student, both stages"]["right"] - facts["… in int8"]["right"],
}


def numbers(models):
    return torch.stack([parameters_to_vector(one.parameters()).detach().cpu() for one in models])


record(
    metrics,
    distilled=numbers(students.values()),
    readers=numbers(readers.values()),
    stages=numbers(stages.values()),
    teacher=numbers([teacher]),
    whole_numbers=parts[0],
    scales=parts[1],
    vectors=parts[2],
)

# %% [markdown]
# What was found, in the table's runs:
#
# | claim | here |
# |---|---|
# | layers of the teacher are a good start | `layers_save`: yes; in few steps, those of the smallest profile, by far the most of all; in `cpu` .17 nats, with a spread of .12. The paper has it first |
# | soft targets | `soft_saves`: they help |
# | masked words | `masked_saves`: a little; in `cpu` no less than soft targets |
# | the cosine of states | `cosine_saves`: next to nothing here; of the loss's three terms the paper has it second |
# | … and the whole is worth it | `teacher_saves`: yes, against a student of the same size without a teacher |

# %% [markdown]
# The paper's cosine is worth 1.46 points. Here the student begins as a copy of the teacher's last layer, and its states point nearly where the teacher's do.

# %% [markdown]
# | claim | here |
# |---|---|
# | outputs help a narrow student | `outputs_save`: yes |
# | the inside helps beyond outputs | `inside_saves`: yes, at equal steps |
# | … and not that of an untrained teacher | `untrained_inside_costs`: yes, it helps less or not at all |
# | two stages are better than the task alone | `general_gain`: yes; words of the test stand in text alone |
# | … than the general one with labels | `task_gain`: hardly; 90 labels are enough for a student that knows the words |
# | … since the teacher knows | `untrained_general_gap`: yes |
# | serve a distilled one | `stages_gain` over its own size without a teacher, `teacher_gap` behind the teacher |
# | int8 costs little | `int8_costs`: next to nothing, for under a third of the bytes |

# %% [markdown]
# ## In your own words
#
# **1.** A course says: "TinyBERT's teacher is projected down to the student's width, and $W_Q$, $W_K$, $W_V$ are fitted to the teacher's." Which two things are wrong, and for each: what would go wrong if one tried?

# %% [markdown] answer="up_not_down" points=2
# ### BEGIN SOLUTION
# 1 point: it is the student's states that are brought up, by a learned d' × d matrix; a learned matrix that brings the teacher down could become zero (or choose what is easy), and a student who says zero would have no loss. 1 point: the weights
# have different shapes (312 × 312 and 768 × 768), so they cannot be compared; what is matched are the scores before the softmax, N × N for each head, with as many heads in both, besides embeddings, states and predictions.
# ### END SOLUTION

# %% [markdown]
# **2.** A shop's BERT takes 200 ms a request, and 50 are allowed. Offers: DistilBERT; a TinyBERT of four layers; BERT in int8; a small BERT trained on the shop's labels alone. What would you measure before you choose, and which control decides whether the *teacher* was worth its work?

# %% [markdown] answer="what_to_serve" points=2
# ### BEGIN SOLUTION
# 1 point: on the machine that serves, at the batch sizes that occur (1 above all): median time, memory, and the share right on held-out requests of each; FLOPs tell that DistilBERT halves the work (100 ms: too slow alone, perhaps
# with int8), and that TinyBERT-4 needs a small part of it. 1 point: the small BERT trained on labels alone, of the same size and with as many steps, is the control: only what the student has above it came from the teacher.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Sanh et al. 2019, [DistilBERT](https://arxiv.org/abs/1910.01108): Table 4 leaves each part out.
# - Jiao et al. 2020, [TinyBERT](https://arxiv.org/abs/1909.10351), sections 3 and 4.5; Tables 2 and 3.
# - Wang et al. 2020, [MiniLM](https://arxiv.org/abs/2002.10957): the last layer alone, so no map of layers.

# %% [markdown]
# - Turc et al. 2019, [Well-Read Students Learn Better](https://arxiv.org/abs/1908.08962): a small BERT that is pre-trained first is hard to beat.
# - Dettmers et al. 2022, [LLM.int8()](https://arxiv.org/abs/2208.07339): what large single weights do to int8.
