# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Recurrence and ELMo: a vector for each occurrence
#
# **The paper.** [Peters et al. 2018, Deep Contextualized Word Representations (NAACL)](https://aclanthology.org/N18-1202).
#
# In week 1 눈 had one vector for *eye* and *snow*. A recurrent language model gives it one for each sentence.

# %% [markdown]
# **The claims to test.**
#
# | claim | in the paper |
# |---|---|
# | vectors of a language model tell senses apart | F1 69.0 (second layer), 65.9 for always the first sense (Table 5) |
# | the second layer is better for meaning | 69.0 against 67.4 (Table 5) |
# | the first layer is better for form | 97.3 % against 96.8 % of parts of speech (Table 6) |
# | a learnt mixture of **three** layers does best | section 5.1 |

# %% [markdown]
# You will write (about 2¼ hours) a bigram model, a step of an LSTM, two one-way language models, ELMo's mixture, and a probe for what is in it. `check("...")` tells you at once whether a piece is right.

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: about a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import copy
import math
import random
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn.functional import cross_entropy, layer_norm, one_hot, pad

import etude
from etude import check, plots, record
from etude.models.recurrent import BiLM, RecurrentConfig
from etude.train import Plan, adamw, linear_schedule, train
from etude.world import World

run = etude.start("week4_transformer/elmo", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. A language model that counts
#
# A language model gives each word a probability, given those before. The smallest, a *bigram* model, looks at **one** word before, and counts.

# %% [markdown]
# A pair that never occurred would get 0, and so would its sentence. *Add-k smoothing* adds $k$ to every count. Here k = 0.1:
#
# ```
#   two sentences:  a b a b   a c
#
#   counts       a   b   c    sum         P(next)     a     b     c
#   behind a     0   2   1     3          behind a   .03   .64   .33
#          b     1   0   0     1                 b   .85   .08   .08
#          c     0   0   0     0                 c   .33   .33   .33
# ```

# %% [markdown]
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `pairwise(ids)` gives each token with the next one. Count all pairs first, then add k.
#
# </details>
# <details><summary>Hint for the shares</summary>
#
# A row has V cells, so its total grows by V times k. `keepdim=True` keeps the totals as a column.
#
# </details>


# %% exercise="bigram_probabilities"
def bigram_probabilities(sentences, size, k=0.1):
    """P(b | a) for all tokens a and b: how often b follows a, k added to every count, as a share of
    what follows a.

    sentences: list of lists of ids from 0 to size - 1, none of them empty; no pair reaches from one
    into the next. k > 0.
    Returns a float tensor (V, V) with V = size; row a sums to 1.
    """
    ### BEGIN SOLUTION
    counts = torch.zeros(size, size)  # (V, V)
    for ids in sentences:
        for first, second in pairwise(ids):
            counts[first, second] += 1
    return (counts + k) / (counts.sum(dim=1, keepdim=True) + k * size)  # (V, V)
    ### END SOLUTION


# %%
check("bigram_probabilities")

# %% [markdown]
# How good is it? **Perplexity** on unseen text: among how many equally likely words it hesitates, on a geometric average.
#
# | probabilities of the tokens | perplexity |
# |---|---|
# | 1/8, 1/8, 1/8 | 8 |
# | 1/2, 1/32 | 8 |
# | 1, 1, 1 | 1 |

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# A geometric mean of p is exp of the arithmetic mean of ln p.
#
# </details>
# <details><summary>Hint for the mean</summary>
#
# It is over all tokens, not over sentences. With the sum in its place perplexity would grow with the text.
#
# </details>


# %% exercise="perplexity"
def perplexity(log_probabilities):
    """The perplexity of a text: one over the geometric mean of its tokens' probabilities.

    log_probabilities: for each sentence a list, never empty, of the natural logarithms of its
    tokens' probabilities, each above 0.
    Returns a float.
    """
    ### BEGIN SOLUTION
    logs = [value for sentence in log_probabilities for value in sentence]
    return math.exp(-sum(logs) / len(logs))
    ### END SOLUTION


# %%
check("perplexity")

# %% [markdown]
# Our texts: documents about one topic, from the planted Korean world. Of each word we keep the **stem**: 어제 학생은 사과를 기억했다 → 어제 학생 사과 기억하. The verb comes last: who reads backwards has met it before 사과 (*apple* or *apology*).

# %% [markdown]
# Eleven homonyms are few. So, as Schütze did in 1992, two words of different topics become one **pseudoword**, such as 커피|장기 (*coffee*, *organ*). Which was meant is known.

# %%
lexicon, homonyms = World("ko").lexicon, World("ko").homonyms()
topics = [topic.name for topic in lexicon.topics]
# word → the topics of its two senses
senses = {word: tuple(map(topics.index, pair)) for word, pair in homonyms.items()}
pseudo, numbers = {}, {}  # stem → the pseudoword that it becomes; pseudoword → the number of its verbs, 0 to 2
chance = random.Random(seed)
# each topic has three verbs, and each verb its own things: both senses go with verbs of one number
for number in range(3):
    things = [(topic.name, thing.stem) for topic in lexicon.topics for thing in topic.verbs[number][1]]
    things = [(topic, stem) for topic, stem in things if stem not in homonyms]
    chance.shuffle(things)
    half = len(things) // 2
    for (topic, stem), (other_topic, other) in zip(things[:half], things[half:]):
        if topic != other_topic:
            word = pseudo[stem] = pseudo[other] = f"{stem}|{other}"
            senses[word], numbers[word] = (topics.index(topic), topics.index(other_topic)), number

PADDING, UNKNOWN, BEGIN, END = range(4)
words, steps, other_steps, width = {
    "smoke": (80_000, 400, 200, 48),
    "cpu": (150_000, 2_000, 1_000, 48),
    "gpu": (1_000_000, 10_000, 5_000, 256),
}[profile]


def read(number, words):
    """Documents about a topic, lists of sentences of (stem or pseudoword, its
    topic or None, endings); each number has another text."""
    return [
        [
            [
                (pseudo.get(word.morphemes[0], word.morphemes[0]), word.topic, word.morphemes[1:])
                for word in sentence
            ]
            for sentence in document.sentences
        ]
        for document in World("ko", number).documents(words)
        if document.topic in topics
    ]


def stems(document):
    """<s>, and </s> after each sentence."""
    return ["<s>", *(stem for sentence in document for stem, *_ in [*sentence, ("</s>", None, ())])]


text, other_text, labelled_text = read(seed, words), read(seed + 10_000, 20_000), read(seed + 20_000, 30_000)
vocabulary = ["<pad>", "<unk>", "<s>", "</s>"]
vocabulary += sorted({stem for document in text for stem in stems(document)} - set(vocabulary))
index = {word: i for i, word in enumerate(vocabulary)}
longest = max(len(stems(document)) for document in text + other_text + labelled_text)


def encode(documents):
    """Ids (B, N), then padding."""
    ids = torch.full((len(documents), longest), PADDING)  # (B, N)
    for row, document in zip(ids, documents):
        found = [index.get(stem, UNKNOWN) for stem in stems(document)]
        row[: len(found)] = torch.tensor(found)
    return ids


training, held_out, labelled = encode(text), encode(other_text), encode(labelled_text)  # each (B, N)
print(
    f"{len(vocabulary)} words, {len(senses)} of them with two senses; {len(training):,} documents to learn from"
)
print(" ".join(stems(text[0])))

# %% [markdown]
# With too small a $k$ rare pairs cost too much; with too large a one frequent pairs lose what they have earned.

# %%
metrics = {}  # each part adds what it has measured


def lists(ids):
    """The documents as lists without padding."""
    return [[i for i in row if i != PADDING] for row in ids.tolist()]


tables = {k: bigram_probabilities(lists(training), len(vocabulary), k) for k in (1e-4, 0.1, 1.0)}  # each (V, V)
by_k = {
    k: perplexity([[float(logs[a, b]) for a, b in pairwise(ids)] for ids in lists(held_out)])
    for k, logs in ((k, table.log()) for k, table in tables.items())
}
bigram = tables[0.1]
metrics["perplexity_bigram"] = by_k[0.1]
pd.DataFrame({"k": by_k.keys(), "perplexity of unseen text": by_k.values()})

# %% [markdown]
# ## 2. A model that remembers
#
# The bigram does not see two words back. An **LSTM** (Hochreiter and Schmidhuber 1997; forget gate: Gers et al. 2000) carries a memory $c$; gates, numbers from 0 to 1, say what becomes of it:
#
# ```
#          forget f      input i
#   c ────────×─────────────+────────────┬──────────→  new c
#                           │           tanh
#                     i × tanh(g)        │
#                                        ×─ output o →  new h
# ```

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint 1</summary>
#
# x and h each meet their matrix, and the sum has all four groups, (B, 4 m): `chunk(4, dim=1)` cuts it.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The three gates go through a sigmoid, the candidate g through tanh.
#
# </details>
# <details><summary>Hint 3</summary>
#
# The new h is made from the **new** memory.
#
# </details>


# %% exercise="lstm_step"
def lstm_step(x, h, c, weight_x, weight_h, bias):
    """One step of an LSTM: what it gives out and what it keeps.

    x (B, d) input; h (B, m) last output; c (B, m) memory. weight_x (4 m, d), weight_h (4 m, m),
    bias (4 m,): first the m rows of the input gate i, then those of the forget gate f, the
    candidate g, the output gate o (torch's order).
    Returns (new h, new c), each (B, m).
    """
    ### BEGIN SOLUTION
    gates = x @ weight_x.T + h @ weight_h.T + bias  # (B, 4 m)
    i, f, g, o = gates.chunk(4, dim=1)  # each (B, m)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return h, c
    ### END SOLUTION


# %%
check("lstm_step")

# %% [markdown]
# What gets lost? In the simpler network $h_t = \tanh(W h_{t-1} + U x_t)$, by the chain rule,
#
# $$\frac{\partial h_N}{\partial h_t} = D_N W \; D_{N-1} W \cdots D_{t+1} W, \qquad D_s = \mathrm{diag}(1 - h_s^2).$$

# %% [markdown]
# A product of many matrices mostly vanishes or explodes (Bengio et al. 1994; Pascanu et al. 2013). If each factor stretches every vector alike:
#
# | each factor | after 10 steps | after 30 steps |
# |---|---|---|
# | × 0.7 | 0.028 | 0.00002 |
# | × 1 | 1 | 1 |
# | × 1.3 | 13.8 | 2,620 |

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Begin at the end with the identity, whose norm is 1, and multiply one more factor to its right for each step back.
#
# </details>
# <details><summary>Hint for the factor</summary>
#
# Multiplying by a diagonal matrix from the left scales rows: `d[:, None] * weight`. Step t + 1 uses the state $h_{t+1}$. `torch.linalg.matrix_norm(a, 2)` is the greatest stretch.
#
# </details>


# %% exercise="fading"
def fading(weight, states):
    """How much the last state depends on each: the greatest stretch (spectral norm) of ∂h_N / ∂h_t,
    for t = 1 to N.

    weight (m, m): W of h_t = tanh(W h_{t-1} + U x_t); states (N, m), N at least 1: h_1 to h_N.
    Returns a float tensor (N,); its last number is 1.
    """
    ### BEGIN SOLUTION
    jacobian = torch.eye(len(weight))  # (m, m)
    norms = [weight.new_ones(())]  # that of the identity
    for state in states[1:].flip(0):
        jacobian = jacobian @ ((1 - state**2)[:, None] * weight)  # (m, m)
        norms.append(torch.linalg.matrix_norm(jacobian, 2))
    return torch.stack(norms[::-1])  # (N,)
    ### END SOLUTION


# %%
check("fading")

# %% [markdown]
# Now untrained LSTMs, by autograd. With a bias of 0 the forget gate starts at $\sigma(0) = 0.5$, with 1 (Jozefowicz et al. 2015) at 0.73.


# %%
def normal(*shape, number=0):
    """Normal numbers that depend on the seed alone."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed + number))


@torch.no_grad()
def open_forget_gates(model, bias=1.0):
    """Adds the bias to every forget gate of a model's LSTMs."""
    for name, weights in model.named_parameters():
        if "bias_hh" in name:
            weights[len(weights) // 4 : len(weights) // 2] += bias


def by_autograd(layer, inputs):
    """The norm of the gradient of the last output's sum for each input, over that of the last input: (N,)."""
    x = inputs.clone().requires_grad_()  # (1, N, d)
    layer(x)[0][0, -1].sum().backward()
    norms = x.grad[0].norm(dim=1)  # (N,)
    return norms / norms[-1]


torch.manual_seed(seed)
inputs = normal(1, 31, 32)  # (1, N, d)
rotation = torch.linalg.qr(normal(32, 32, number=1)).Q  # (m, m)
faded = {}
for scale in (0.7, 1.0):
    states = [torch.zeros(32)]
    for x in inputs[0] / 6:
        states.append((scale * rotation @ states[-1] + x).tanh())
    faded[f"tanh, W = {scale} × a rotation"] = fading(scale * rotation, torch.stack(states[1:]))
for bias in (0.0, 1.0, 3.0):
    layer = nn.LSTM(32, 32, batch_first=True)
    open_forget_gates(layer, bias)
    faded[f"LSTM, forget bias {bias:.0f}"] = by_autograd(layer, inputs)
metrics["faded_after_ten"] = float(faded["LSTM, forget bias 1"][-11].log10())
pd.DataFrame(
    {name: norms[[-1, -6, -11, -21, -31]] for name, norms in faded.items()}, index=[0, 5, 10, 20, 30]
).T

# %% [markdown]
# ## 3. Two models that each look one way
#
# The backward model predicts the word **before**. Both targets are the sentence itself, shifted:
#
# | position | 0 | 1 | 2 | 3 |
# |---|---|---|---|---|
# | token | `<s>` | 사과 | 삶 | `</s>` |
# | the forward model predicts | 사과 | 삶 | `</s>` | |
# | the backward model predicts | | `<s>` | 사과 | 삶 |

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Both have the same pairs of neighbours, those whose second one is no padding.
#
# </details>
# <details><summary>Hint for the two losses</summary>
#
# One model predicts the second from the first, the other the first from the second. Index with the mask, then `cross_entropy`.
#
# </details>


# %% exercise="lm_losses"
def lm_losses(forward, backward, tokens, padding=0):
    """The mean loss in nats of the forward and of the backward language model, over all tokens of
    the batch that it predicts.

    forward, backward (B, N, V): each model's logits at each position; tokens (B, N) int64, from 0
    to V − 1, padding too, which stands at the end of a sentence; at least one sentence has two
    tokens. The forward model predicts the token after a position, the backward model the one before
    it. Padding is not predicted, and a position of padding predicts nothing.
    Returns a tensor (2,), forward first. Peters et al. 2018, section 3.1.
    """
    ### BEGIN SOLUTION
    real = tokens[:, 1:] != padding  # (B, N - 1): a token stands here, and one before it
    ahead = cross_entropy(forward[:, :-1][real], tokens[:, 1:][real])
    behind = cross_entropy(backward[:, 1:][real], tokens[:, :-1][real])
    return torch.stack([ahead, behind])  # (2,)
    ### END SOLUTION


# %%
check("lm_losses")

# %% [markdown]
# The library's `BiLM` stacks two LSTMs in each direction over the same embeddings; your losses train it. An untrained copy is the control.


# %%
class Losses(nn.Module):
    """A pair of language models, as a map from tokens (B, N) to the mean of their losses."""

    def __init__(self, lm):
        super().__init__()
        self.lm = lm

    def forward(self, tokens):
        top = self.lm.dropout(self.lm.all_layers(tokens)[-1])  # (B, N, 2 d)
        ahead, behind = (self.lm.output(half) for half in top.chunk(2, dim=-1))  # each (B, N, V)
        return lm_losses(ahead, behind, tokens).mean()


def batch(number):
    """The batch of a step: 16 documents drawn at random, (16, N), N as long as the longest of them."""
    draw = torch.Generator().manual_seed(seed * 100_003 + number)
    ids = training[torch.randint(len(training), (16,), generator=draw)]
    return ids[:, : int((ids != PADDING).sum(dim=1).max())]


def fit(model, steps, title):
    plan = Plan(steps=steps, schedule=linear_schedule(steps + 1, 20), device=str(run.device), title=title)
    train(model, batch, plan, adamw(model.to(run.device), 2e-2))
    return model.eval()


torch.manual_seed(seed)
lm = BiLM(RecurrentConfig(len(vocabulary), width=width, cells=width, layers=2))
open_forget_gates(lm)
untrained = copy.deepcopy(lm).to(run.device).eval()
fit(Losses(lm), steps, "two one-way models")

# %% [markdown]
# torch did the steps. Yours, with the trained weights, must give the same on unseen text.


# %%
@torch.no_grad()
def by_hand(lm, tokens):
    """The forward model's top layer, (B, N, d), by lstm_step."""
    x = lm.embedding(tokens)  # (B, N, d)
    for number, layer in enumerate(lm.forward_lm.layers):
        h = c = torch.zeros_like(x[:, 0])  # (B, d)
        outputs = []
        for position in range(x.shape[1]):
            bias = layer.bias_ih_l0 + layer.bias_hh_l0
            h, c = lstm_step(x[:, position], h, c, layer.weight_ih_l0, layer.weight_hh_l0, bias)
            outputs.append(h)
        given = torch.stack(outputs, dim=1)  # (B, N, d)
        x = given + x if number else given  # a residual connection around the second layer
    return x


few = held_out[:50].to(run.device)  # (B, N)
top = by_hand(lm, few)  # (B, N, d)
real = few[:, 1:] != PADDING  # (B, N - 1)
with torch.no_grad():
    apart = (top - lm.all_layers(few)[-1][..., :width])[few != PADDING].abs().max()
    next_words = lm.output(top[:, :-1][real]).log_softmax(dim=1).cpu()  # (Q, V)
    ahead, behind = lm.losses(held_out.to(run.device))
paid = next_words[torch.arange(len(next_words)), few[:, 1:][real].cpu()]  # (Q,)
metrics["perplexity_lm"] = perplexity([paid.tolist()])
print(f"your steps and torch's differ by {apart:.0e} at most")
print(f"perplexity: bigram {metrics['perplexity_bigram']:.1f}, forward LSTM {metrics['perplexity_lm']:.1f}")
print(f"on all of the unseen text: forward {ahead.exp():.1f}, backward {behind.exp():.1f}")

# %% [markdown]
# Why *two* models? One layer may read both sides and predict the word between. With two such layers each word sees itself, through its neighbours:
#
# ```
#   top layer      ·     ●     ·        predicts b, from the vectors beside it
#                      ↗
#   lower layer    ●     ·     ·        at a: has read b
#                    ↖
#   tokens         a     b     c
# ```

# %% [markdown]
# A vector depends on a token if a path leads down to it.
#
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Begin with "each token has seen itself", and go up: a vector at i has seen j if it reads some k that has seen j.
#
# </details>
# <details><summary>Hint for one layer</summary>
#
# That is a product of matrices, with *or* for *plus*. torch does not multiply bool matrices: compute in float, and ask what is above 0.
#
# </details>


# %% exercise="sight"
def sight(layers):
    """Which tokens the top layer's vectors depend on.

    layers: list of L bool tensors (N, N), L at least 1, the lowest first; [i, k] says that the
    layer's vector at i is computed from the vector below at k (in the lowest layer: from token k).
    Returns a bool tensor (N, N): [i, j] says whether the top vector at i depends on token j.
    """
    ### BEGIN SOLUTION
    seen = torch.eye(len(layers[0]))  # (N, N)
    for reads in layers:
        seen = (reads.float() @ seen > 0).float()  # (N, N)
    return seen.bool()
    ### END SOLUTION


# %%
check("sight")

# %%
everything = torch.ones(6, 6, dtype=torch.bool)  # (N, N)
itself = torch.eye(6, dtype=torch.bool)
so_far, the_one_before, all_others = everything.tril(), itself.roll(1, dims=0).tril(), ~itself
designs = {
    "forward,\ntwo layers": [so_far, so_far, the_one_before],  # word i is predicted from the vector at i - 1
    "two-way,\none layer": [all_others],
    "two-way,\ntwo layers": [everything, all_others],
}
for name, layers in designs.items():
    print(f"{' '.join(name.split())}: {int(sight(layers).diagonal().sum())} of 6 words have seen themselves")

# %% [markdown]
# Does it matter? torch's two-way LSTM predicts each word from the forward vector before it and the backward vector after it.


# %%
class TwoWay(nn.Module):
    """LSTMs of which each layer reads both directions of the one
    below; maps tokens (B, N) to the mean loss of a word."""

    def __init__(self, layers):
        super().__init__()
        self.embedding = nn.Embedding(len(vocabulary), width, padding_idx=PADDING)
        widths = [width, 2 * width][:layers]
        self.layers = nn.ModuleList(
            nn.LSTM(wide, width, batch_first=True, bidirectional=True) for wide in widths
        )
        self.output = nn.Linear(2 * width, len(vocabulary))

    def all_layers(self, tokens):
        x = self.embedding(tokens)  # (B, N, d)
        vectors = [torch.cat([x, x], dim=-1)]  # (B, N, 2 d)
        for layer in self.layers:
            x = layer(x)[0]  # (B, N, 2 d)
            vectors.append(x)
        return vectors

    def forward(self, tokens):
        ahead, behind = self.all_layers(tokens)[-1].chunk(2, dim=-1)  # each (B, N, d)
        between = torch.cat([ahead[:, :-2], behind[:, 2:]], dim=-1)  # (B, N - 2, 2 d)
        real = tokens[:, 2:] != PADDING  # (B, N - 2)
        return cross_entropy(self.output(between[real]), tokens[:, 1:-1][real])


two_way, loss = {}, {}
for layers in (1, 2):
    torch.manual_seed(seed)
    two_way[layers] = TwoWay(layers)
    open_forget_gates(two_way[layers])
    fit(two_way[layers], other_steps, f"two-way, layers: {layers}")
    with torch.no_grad():
        loss[layers] = float(two_way[layers](held_out.to(run.device)))
metrics["leak_loss"] = loss[2]
metrics["leak_gain"] = loss[1] - loss[2]
print(f"nats for a word of unseen text: one layer {loss[1]:.2f}, two layers {loss[2]:.2f}")

# %% [markdown]
# With two layers the loss of *unseen* text falls far below what a reader of all other words pays: it copies.
#
# In ELMo no vector has seen the word that it must **predict**: it is two one-way models, put side by side only afterwards. BERT will hide the words instead.

# %% [markdown]
# ## 4. ELMo
#
# $$\mathrm{ELMo}_i = \gamma \sum_{j=0}^{L} s_j \, h_{ij}, \qquad h_{i0} = [x_i; x_i], \quad h_{ij} = [\overrightarrow{h}_{ij}; \overleftarrow{h}_{ij}],$$
#
# $s$ the softmax of learnt scores. Two layers of LSTM make **three** vectors to mix; the token's own, doubled in width, is the first:
#
# ```
#   layer 2   [ forward | backward ]  × s₂ ─┐
#   layer 1   [ forward | backward ]  × s₁ ─┼─ sum, × γ ─→  ELMo's vector, 2 d wide
#   layer 0   [  token  |  token   ]  × s₀ ─┘
# ```

# %% [markdown]
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Three steps: L + 1 tensors (B, N, 2 d); L + 1 weights that sum to 1; their weighted sum, times γ.
#
# </details>


# %% exercise="elmo"
def elmo(tokens, forward, backward, scores, gamma):
    """ELMo's vectors: γ times the weighted sum of L + 1 layers, whose weights are the softmax of
    the scores.

    tokens (B, N, d): the token layer, which is put beside itself; forward, backward: lists of L
    tensors (B, N, d), the lowest layer first; scores (L + 1,), the token layer's first; gamma ():
    γ. Returns (B, N, 2 d), forward halves before backward ones. Peters et al. 2018, equation 1.
    """
    ### BEGIN SOLUTION
    layers = [torch.cat([tokens, tokens], dim=-1)]  # (B, N, 2 d)
    layers += [torch.cat(pair, dim=-1) for pair in zip(forward, backward)]
    weights = scores.softmax(dim=0)  # (L + 1,)
    return gamma * sum(weight * layer for weight, layer in zip(weights, layers))  # (B, N, 2 d)
    ### END SOLUTION


# %%
check("elmo")

# %% [markdown]
# What is in a vector? A **probe** is a linear map, fitted on labelled vectors by ridge regression: each class is a target of 0 and 1, and $\lambda$ keeps weights small. What so weak a reader finds was plain to see.
#
# $$W = (A^\top A + \lambda I)^{-1} A^\top (T - \bar T), \qquad A = X - \bar X$$

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `one_hot(labels, classes)` makes T, of whole numbers: give it the vectors' type. `torch.linalg.solve(a, b)` is $a^{-1} b$.
#
# </details>
# <details><summary>Hint for new vectors</summary>
#
# They are moved by the *labelled* rows' mean, not by their own. After the map T's mean is added again.
#
# </details>


# %% exercise="probe"
def probe(vectors, labels, new, classes, ridge=1.0):
    """Scores of new vectors for each class, by ridge regression on labelled ones.

    vectors (M, d) float, labels (M,) int64 from 0 to classes - 1, new (Q, d), ridge 0 or more, and
    above 0 where several maps would be as good. Targets are 1 for a vector's class and 0 for all
    others. The map has the least sum of squared errors + ridge · sum of squared weights; a constant
    is fitted too, without penalty. Returns a float tensor (Q, classes).
    """
    ### BEGIN SOLUTION
    targets = one_hot(labels, classes).to(vectors.dtype)  # (M, C)
    middle, shares = vectors.mean(dim=0), targets.mean(dim=0)  # (d,), (C,)
    centred = vectors - middle  # (M, d)
    square = centred.T @ centred + ridge * torch.eye(vectors.shape[1])  # (d, d)
    weights = torch.linalg.solve(square, centred.T @ (targets - shares))  # (d, C)
    return (new - middle) @ weights + shares  # (Q, C)
    ### END SOLUTION


# %%
check("probe")

# %% [markdown]
# First, what can be **read off the last vector**? Untrained LSTMs read random symbols, one of eight at each step; a probe seeks the one $n$ steps back in the last output.


# %%
@torch.no_grad()
def recall(layer, symbols):
    """The share of symbols that are found again, by distance, (N,);
    symbols (M, N), the first half with labels."""
    last = layer(one_hot(symbols, 8).float())[0][:, -1]  # (M, m)
    cut = len(symbols) // 2
    # each (M / 2,)
    guesses = [probe(last[:cut], column[:cut], last[cut:], 8).argmax(dim=1) for column in symbols.T]
    return (torch.stack(guesses, dim=1) == symbols[cut:]).float().mean(dim=0).flip(0)


symbols = torch.randint(8, (4_000, 25), generator=torch.Generator().manual_seed(seed))  # (M, N)
recalled = {}
for units in (16, 64):
    torch.manual_seed(seed)
    layer = nn.LSTM(8, units, batch_first=True)
    open_forget_gates(layer)
    recalled[f"{units} units"] = recall(layer, symbols)
metrics["recall_lost"] = float(recalled["64 units"][1] - recalled["64 units"][16])
distances = [0, 1, 2, 4, 8, 16, 24]
pd.DataFrame({name: shares[distances] for name, shares in recalled.items()}, index=distances).T.round(2)

# %% [markdown]
# A wider vector reaches further, but no vector of fixed size holds a text of any length. Attention, in the next lesson, looks back instead.

# %% [markdown]
# **Now the senses.** The probe scores all topics for an occurrence, and the better one of its word's two is chosen. There are 30 labels, over all words.

# %% [markdown]
# The harder test asks what is *new*. A topic's verbs are numbered 0 to 2; a pseudoword has the number of the verbs that its two words go with:
#
# | | words | beside verbs |
# |---|---|---|
# | labelled, all of them | homonyms, pseudowords 1 and 2 | 1 and 2 |
# | asked for | pseudowords 0 | 0 |


# %%
class Occurrences(NamedTuple):
    """Of M words with two senses: where they stand, their topics (M,), the two in question (M, 2),
    the number of the pseudoword and of the verb (M,), -1 for a homonym, and the ending after the
    word (M,)."""

    rows: list
    columns: list
    topics: torch.Tensor
    pairs: torch.Tensor
    words: torch.Tensor
    verbs: torch.Tensor
    endings: torch.Tensor


verbs = {verb.stem: number for topic in lexicon.topics for number, (verb, _) in enumerate(topic.verbs)}
kinds = {"을": 0, "를": 0, "과": 1, "와": 1}  # object, "and", any other


def occurrences(documents):
    """The words with two senses that stand in a sentence with a verb."""
    found = []
    for row, document in enumerate(documents):
        column = 0  # that of <s>
        for sentence in document:
            verb = next((verbs[stem] for stem, *_ in sentence if stem in verbs), None)
            for stem, topic, endings in sentence:
                column += 1
                if (
                    verb is not None
                    and stem in senses
                    and topic in topics
                    and topics.index(topic) in senses[stem]
                ):
                    ending = kinds.get(endings[0], 2) if endings else 2
                    found.append(
                        (row, column, topics.index(topic), senses[stem], numbers.get(stem, -1), verb, ending)
                    )
            column += 1  # that of </s>
    rows, columns, *others = zip(*found)
    return Occurrences(list(rows), list(columns), *map(torch.tensor, others))


known, asked = occurrences(labelled_text), occurrences(other_text)
true_senses = (asked.pairs[:, 1] == asked.topics).long()  # (Q,)
may_show = (known.words != 0) & (known.verbs != 0)  # (M,)
is_new = (asked.words == 0) & (asked.verbs == 0)  # (Q,)
print(
    f"{len(known.rows)} occurrences may have labels, {len(asked.rows)} are asked for; "
    f"in the harder test {int(is_new.sum())}"
)


# %%
@torch.no_grad()
def parts(model, tokens, places):
    """At these places: the token layer, (1, M, d), and lists of the forward and the backward layers."""
    layers = [
        layer[places.rows, places.columns].cpu()[None] for layer in model.all_layers(tokens.to(run.device))
    ]
    ahead, behind = zip(*(layer.chunk(2, dim=-1) for layer in layers))  # each (1, M, d)
    return ahead[0], ahead[1:], behind[1:]


def alone(found, number):
    """One layer by itself, (M, 2 d): a mixture with all weight on it."""
    return elmo(*found, 100.0 * one_hot(torch.tensor(number), 3), torch.tensor(1.0))[0]


def choose(vectors, new, labelled):
    """The sense, 0 or 1, of each asked occurrence, (Q,); labelled: which of the known ones have labels."""
    scores = probe(vectors[labelled], known.topics[labelled], new, len(topics))  # (Q, C)
    return scores.gather(1, asked.pairs).argmax(dim=1)


def share(right):
    return float(right.float().mean())


draw = torch.Generator().manual_seed(seed)
samples = [torch.randperm(len(known.rows), generator=draw)[:30] for _ in range(8)]
models = {"two one-way models": lm, "untrained": untrained, "two-way, two layers": two_way[2]}
found = {name: (parts(model, labelled, known), parts(model, held_out, asked)) for name, model in models.items()}
chosen, rows = {}, []
for name, (before, after) in found.items():
    for number in range(3):
        old, new = alone(before, number), alone(after, number)  # (M, 2 d), (Q, 2 d)
        chosen[name, number] = torch.stack([choose(old, new, sample) for sample in samples])  # (8, Q)
        harder = choose(old, new, may_show) == true_senses  # (Q,)
        # (8, Q)
        endings = torch.stack([probe(old[i], known.endings[i], new, 3).argmax(dim=1) for i in samples])
        sense = share(chosen[name, number] == true_senses)
        rows.append((name, number, sense, share(harder[is_new]), share(endings == asked.endings)))
columns = ["model", "layer", "sense", "sense, all is new", "ending"]
table = pd.DataFrame(rows, columns=columns).set_index(["model", "layer"])
table.round(3)

# %% [markdown]
# Layer 0 is the token alone, a static vector: no better than a coin. *Ending* is form: 을, 과 or another, which the models have never read. The next control takes, for each word, the sense more frequent in the test itself.

# %%
counts = Counter(zip(map(tuple, asked.pairs.tolist()), true_senses.tolist()))
majority = sum(max(counts[pair, 0], counts[pair, 1]) for pair in set(senses.values())) / len(true_senses)
sense, new, ending = (dict(zip(table.index, table[name])) for name in columns[2:])
TOP = "two one-way models", 2
FIRST = "two one-way models", 1
metrics["sense_accuracy"] = sense[TOP]
metrics["sense_minus_majority"] = sense[TOP] - majority
metrics["sense_minus_untrained"] = sense[TOP] - sense["untrained", 2]
metrics["new_minus_untrained"] = new[TOP] - new["untrained", 2]
metrics["new_minus_leak"] = new[TOP] - new["two-way, two layers", 2]
metrics["meaning_second_minus_first"] = sense[TOP] - sense[FIRST]
metrics["form_first_minus_second"] = ending[FIRST] - ending[TOP]
metrics["form_minus_untrained"] = ending[FIRST] - ending["untrained", 1]
print(f"always the more frequent sense of the two: {majority:.3f}")

# %% [markdown]
# The untrained LSTM is the fair control: its vectors hold the neighbours too.

# %% [markdown]
# Last, the mixture. Scores and $\gamma$ are learnt with a linear reader; the controls read one layer. Layers differ in scale, so every vector is normalised first (in some cases the paper does so too, section 3.2).


# %%
def scaled(layer):
    """Each vector with mean 0 and variance 1, (1, M, d)."""
    return layer_norm(layer, layer.shape[-1:])


def learnt(sample, number=None):
    """The share of right senses, and the layers' weights; of one
    layer if a number is given, else of a learnt mixture."""
    before, after = found[TOP[0]]
    old, new = (
        [scaled(layers[0]), *([scaled(x) for x in half] for half in layers[1:])] for layers in (before, after)
    )
    old = old[0][:, sample], [x[:, sample] for x in old[1]], [x[:, sample] for x in old[2]]
    scores = torch.zeros(3, requires_grad=True) if number is None else 100.0 * one_hot(torch.tensor(number), 3)
    gamma = torch.ones((), requires_grad=True)
    reader = (0.1 * normal(2 * width, len(topics))).requires_grad_()  # (2 d, C)
    groups = [{"params": [gamma, reader]}, *([{"params": [scores], "lr": 0.1}] if number is None else [])]
    optimizer = torch.optim.Adam(groups, lr=0.03)
    for _ in range(150):
        logits = elmo(*old, scores, gamma)[0] @ reader  # (M, C)
        penalised = cross_entropy(logits, known.topics[sample]) + 0.01 * reader.square().sum()
        optimizer.zero_grad()
        penalised.backward()
        optimizer.step()
    with torch.no_grad():
        picked = (elmo(*new, scores, gamma)[0] @ reader).gather(1, asked.pairs).argmax(dim=1)  # (Q,)
        return share(picked == true_senses), scores.softmax(dim=0)


single = [np.median([learnt(sample, number)[0] for sample in samples]) for number in range(3)]
mixed, weights = zip(*(learnt(sample) for sample in samples))
metrics["mix_minus_best"] = float(np.median(mixed) - max(single))
metrics["weight_of_tokens"] = float(np.median([weight[0] for weight in weights]))
print("one layer:", *(f"{accuracy:.3f}" for accuracy in single), f"· learnt mixture: {np.median(mixed):.3f}")
print("weights of the layers, a line for each sample of 30 labels:")
for weight in weights:
    print(*(f"{float(layer):.2f}" for layer in weight))

# %% [markdown]
# Thirty labels can be learnt by heart from tokens too: now and then a mixture settles on layer 0. The median over the samples is not moved by one of them.

# %% [markdown]
# ## Results

# %% tags=["metrics"]
record(
    metrics,
    bigram=bigram,
    next_words=next_words,
    vocabulary=vocabulary,
    chosen=chosen[TOP].to(torch.int8),
    chosen_untrained=chosen["untrained", 2].to(torch.int8),
)

# %%
figure, ((fades, holds), (sees, tells)) = plt.subplots(2, 2, figsize=(12, 8.5), layout="constrained")
for name, norms in faded.items():
    fades.semilogy(norms.flip(0).clamp(min=1e-12), label=name)
fades.set(
    xlabel="steps back",
    ylabel="gradient; 1 at the last step",
    title="Gradients fade on the way back; open forget gates keep them",
)
fades.legend(fontsize=8)
for name, shares in recalled.items():
    holds.plot(shares, "o-", markersize=3, label=name)
holds.axhline(1 / 8, ls="--", color="#999999", label="chance")
holds.set(
    xlabel="steps back",
    ylabel="share of symbols found again",
    title="What came long ago cannot be read off the last vector",
)
holds.legend()
# a gap between two
images = [pad(sight(layers).float(), (0, 1), value=torch.nan) for layers in designs.values()]
sees.imshow(torch.cat(images, dim=1)[:, :-1], cmap="Blues", vmin=0, vmax=1.5)
sees.set(xticks=[2.5, 9.5, 16.5], xticklabels=list(designs), xlabel="words seen", ylabel="word to be predicted")
sees.set(yticks=range(6), title="Two layers that read both ways have seen the word itself")
order = [TOP, FIRST, ("two-way, two layers", 2), ("untrained", 2), ("two one-way models", 0)]
answers = {f"{name}, layer {number}": sense[name, number] for name, number in order}
label = "share of right senses, 30 labels"
plots.bars(tells, answers, label=label, title="Context tells the sense; training makes it plain", chance=0.5)
plt.show()

# %% [markdown]
# ## Its place
#
# | work | what is pre-trained | what it added |
# |---|---|---|
# | Dai and Le 2015 | an LSTM, as language model or autoencoder | the whole network starts from it (IMDB: 7.24 % errors) |
# | TagLM, Peters et al. 2017 | two one-way language models | their top layer goes into a tagger (names: F1 91.93) |
# | CoVe, McCann et al. 2017 | the encoder of a translation system | vectors in context, learnt from pairs of sentences |
# | InferSent, Conneau et al. 2017 | a two-way LSTM, on entailment | one vector for a sentence |
# | ELMo, 2018 | two one-way language models | **all** layers, mixed by each task for itself (names: F1 92.22) |
# | ULMFiT, Howard and Ruder 2018 | a language model | all of it fine-tuned, layer by layer |
#
# TagLM is not ELMo: the same first author a year earlier, one layer of three.

# %% [markdown]
# ## What was found
#
# In the runs behind the table of expected values:
#
# - The LSTM's perplexity is about a third of the bigram's.
# - Ten steps back an untrained LSTM (forget bias 1) keeps about 6 % of the gradient.
# - Training lifts the top layer's senses far above the untrained one's, with new words and verbs too.
# - The model whose words see themselves has the lowest loss, and vectors about as good as untrained ones.
# - First and second layer hardly differ, in meaning or form.
# - The learnt mixture all but drops the token layer, and does about as well as the better layer.

# %% [markdown]
# ## In your own words
#
# **1.** ELMo reads in both directions. Why does no vector of ELMo's see the word that it predicts, and what does it pay for that?

# %% [markdown] answer="why_two_models" points=2
# ### BEGIN SOLUTION
# It is two one-way language models: the forward one predicts a word from those before it alone, the backward one from those after it, in every layer. They are put side by side only
# where nothing is predicted any more. (1 point.) The price: no layer ever combines the two sides, so what depends on both at once, a word before *and* a word after, must be put
# together by the network of the task. (1 point.)
# ### END SOLUTION

# %% [markdown]
# **2.** The *untrained* model tells senses apart better than a static vector. Where does it get that from, and what did training add?

# %% [markdown] answer="what_training_added" points=2
# ### BEGIN SOLUTION
# Its random LSTM still mixes the neighbours into each vector, so a linear probe can find out which verb or place stood near, if a label has shown it that verb or place. (1 point.)
# Training puts words that serve alike, as the verbs of one topic do, near each other, because they keep the same company. So few labels do, and words and verbs that had none are
# placed as well. (1 point.)
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Peters et al. 2018, section 5: which layer serves what.
# - Pascanu, Mikolov and Bengio 2013, [On the difficulty of training recurrent neural networks](https://arxiv.org/abs/1211.5063): when gradients vanish or explode.
# - Hewitt and Liang 2019, [Designing and Interpreting Probes with Control Tasks](https://aclanthology.org/D19-1275): what a probe proves.
# - The next lesson: attention.
