# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # ALBERT: fewer parameters, the same work
#
# **The paper.** Lan, Chen, Goodman, Gimpel, Sharma and Soricut, [ALBERT: A Lite BERT for Self-supervised Learning of Language Representations](https://arxiv.org/abs/1909.11942)
# (ICLR 2020).
#
# BERT grows better as it grows wider, until it no longer fits into memory. ALBERT stores less of it.

# %% [markdown]
# **The claims to test.**
#
# | idea | claim | the paper's number |
# |---|---|---|
# | narrow embeddings | 30,000 × 768 numbers become about a sixth | 128 wide |
# | one layer's weights for all layers | with both, 18 times fewer parameters than BERT-large | 334M → 18M |
# | … and what it costs | average of five tasks, base size, E = 128 | 81.6 → 80.1 |
# | sentence order in place of next sentence | a model of next sentences tells the order like a coin | 52.0 % |
# | "lite" | is it faster? | 1.7 times (large), 0.3 times (xxlarge) |

# %% [markdown]
# The course's `etude.models.albert` has the whole model. You write what differs from BERT (about 2½ hours):
#
# | | piece |
# |---|---|
# | 1–3 | narrow embeddings: how many numbers, of what rank, and where they become wide |
# | 4–6 | shared layers: which tensor is whose, how many parameters, how much arithmetic |
# | 7–8 | sentence order, and what overlapping words give away |
# | 9 | the loss |

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: a minute or two · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import functools
import importlib.util
import json
import math
import random
import re
import time
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.func import functional_call
from torch.nn import functional
from torch.nn.utils import parameters_to_vector
from torch.utils.flop_counter import FlopCounterMode

import etude
from etude import check, plots, pretrained, record
from etude.corpora import datasets
from etude.models.albert import SIZES, Albert, AlbertConfig, AlbertForPretraining
from etude.models.attention import padding_mask
from etude.models.bert import Bert, BertConfig, PretrainingBatch
from etude.models.bert_heads import BertClassifier, Labelled
from etude.pretraining import Masking, Vocabulary, mask_tokens
from etude.train import Plan, adamw, linear_schedule, train
from etude.world import World

run = etude.start("week5_variants/albert", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. Narrow embeddings: how many numbers?
#
# BERT's word table is as wide as its layers: V × H. But a word's own vector knows no context, and needs less room than a vector in a sentence (section 3.1).

# %% [markdown]
# ALBERT's table has width E, much smaller, and one matrix for all words widens it:
#
# ```
#   BERT      V × H                         500 × 100            = 50,000
#   ALBERT    V × E   times   E × H         500 × 15 + 15 × 100  =  7,500 + 1,500 = 9,000
# ```
#
# The two products are **added**. A common slip takes V × E twice, and arrives at 15,000.

# %% [markdown]
# It does not always pay: at E = H there are more numbers than before. Up to which E are there fewer?
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>Solve V·E + E·H &lt; V·H for E.</details>
# <details><summary>Hint</summary>Strictly fewer, in whole numbers: the largest whole x with x · a &lt; b is (b − 1) // a.</details>


# %% exercise="embedding_sizes"
def embedding_sizes(words, width, narrow):
    """How many numbers a word table has, whole and in two factors, and up to which E the factors
    are fewer.

    words: V; width: H; narrow: E; whole numbers from 1 on. Biases are not counted.
    Returns (whole, factors, widest): V × H; what V × E and E × H hold together; and the greatest
    whole E from 0 on whose factors hold strictly fewer numbers than V × H. Lan et al. 2020, section
    3.1.
    """
    ### BEGIN SOLUTION
    whole = words * width
    factors = words * narrow + narrow * width
    widest = (whole - 1) // (words + width)
    return whole, factors, widest
    ### END SOLUTION


# %%
check("embedding_sizes")

# %%
CASES = {
    "a toy": (500, 100, 15),
    "ALBERT base": (30_000, 768, 128),
    "ALBERT xxlarge": (30_000, 4096, 128),
    "this lesson's models": (691, 48, 16),
}
rows = {name: [*case, *embedding_sizes(*case)] for name, case in CASES.items()}
table = pd.DataFrame(rows, index=["V", "H", "E", "V × H", "two factors", "fewer up to E ="]).T
table["times fewer"] = (table["V × H"] / table["two factors"]).round(2)
table

# %% [markdown]
# The gain is large where V is far above H. In a vocabulary as small as ours it is a few thousand numbers.

# %% [markdown]
# ## 2. Low rank
#
# Multiply the two factors, and there is a table V × H again. It is of **low rank**: at most E. All words lie in E dimensions of the H.

# %% [markdown]
# So factorising allows fewer tables than before. How much does that cost? Take a table that was trained whole, and find the nearest one of rank E.
#
# The answer is known since 1936 (Eckart and Young): keep the E greatest singular values of $U \,\mathrm{diag}(s)\, W^\top$.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary><code>torch.linalg.svd(table, full_matrices=False)</code> gives U (V, K), s (K,) from the greatest down, and Wᵀ (K, H).</details>
# <details><summary>Hint</summary>Which factor takes the singular values does not matter, as long as they are taken once.</details>


# %% exercise="factorise"
def factorise(table, narrow):
    """Two factors of width E whose product is as near as possible to a table (least sum of squared
    differences).

    table: float tensor (V, H); narrow: E, from 1 to the smaller of V and H.
    Returns two tensors of the table's type, (V, E) and (E, H). Any two whose product is the nearest will do.
    """
    ### BEGIN SOLUTION
    left, values, right = torch.linalg.svd(table, full_matrices=False)  # (V, K), (K,), (K, H)
    return left[:, :narrow] * values[:narrow], right[:narrow]  # (V, E), (E, H)
    ### END SOLUTION


# %%
check("factorise")

# %% [markdown]
# The course's BERT has a table of 691 × 64, trained whole. Its rank is full. How much of its length is left at each E, and how much of that of a table of random numbers?

# %%
bert, tokenizer = pretrained.load("world-en-no-nsp")
trained = bert.bert.input.tokens.weight.detach()  # (V, H)
noise = torch.randn(trained.shape, generator=torch.Generator().manual_seed(seed))
fig, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
kept = {}
for name, whole in {"trained": trained, "random": noise}.items():
    squares = torch.linalg.svdvals(whole) ** 2  # (H,)
    kept[name] = (squares.cumsum(0) / squares.sum()).tolist()
    axes.plot(range(1, len(squares) + 1), kept[name], label=f"{name}, {len(whole)} × {len(squares)}")
words, widen = factorise(trained, 16)
print(
    "rank of the trained table",
    int(torch.linalg.matrix_rank(trained)),
    "· of the product of two factors, E = 16:",
    end=" ",
)
print(int(torch.linalg.matrix_rank(words @ widen)))
axes.set(xlabel="E", ylabel="share of the squared length", ylim=(0, 1.03))
axes.set_title(f"E = 16 keeps {kept['trained'][15]:.0%} of the trained table, {kept['random'][15]:.0%} of a random one")
axes.legend()
plt.show()

# %% [markdown]
# A trained table is nearer to low rank than chance is. Still, what E cuts off is gone; the model that is *trained* with two factors can choose what to keep.

# %% [markdown]
# ## 3. Where it becomes wide
#
# Once, in the embedding layer, before the first layer:
#
# ```
#  word E ─┐
#  kind E ─┼─ sum ─ LayerNorm over E ─▶ (B, N, E) ─ Linear(E, H) ─▶ (B, N, H) ─ layer 1 ─ layer 2 ─ …
#  place E ┘                                                         H from here on: the residual sums need one width
# ```

# %% [markdown]
# Kinds (segments) and places (positions) are narrow, too, and so is the LayerNorm. In the published model: `Embedding(30000, 128)`, then `Linear(128, 768)`.
#
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>BERT's input (lesson <code>bert_pretraining</code>) at width E, then one line more.</details>
# <details><summary>Hint</summary><code>functional.layer_norm(x, (E,), scale, shift, eps)</code>; <code>functional.linear(x, weight, bias)</code> takes a weight (H, E).</details>


# %% exercise="embed_input"
def embed_input(words, segments, positions, scale, shift, widen, bias, tokens, kinds):
    """ALBERT's embedding layer: three narrow embeddings, summed, normalised, widened.

    words (V, E), segments (2, E), positions (P, E): float tables; scale, shift (E,) of LayerNorm,
    eps 1e-12; widen (H, E) and bias (H,) of the linear map; tokens, kinds (B, N) int64: ids of
    words, and 0 or 1 for the segment; N is at most P.
    Returns a tensor (B, N, H) of the tables' type. Lan et al. 2020, section 3.1.
    """
    ### BEGIN SOLUTION
    x = words[tokens] + segments[kinds] + positions[: tokens.shape[1]]  # (B, N, E)
    x = functional.layer_norm(x, x.shape[-1:], scale, shift, eps=1e-12)
    return functional.linear(x, widen, bias)  # (B, N, H)
    ### END SOLUTION


# %%
check("embed_input")

# %%
torch.manual_seed(seed)
SMALL = AlbertConfig(
    vocab_size=len(tokenizer.vocabulary),
    embedding_size=16,
    hidden_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=192,
    max_position_embeddings=64,
    initializer_range=0.1,
)


def input_of(albert, tokens, segments):
    """Your embedding layer with the weights of the library's."""
    tables = albert.input
    four = (tables.tokens.weight, tables.segments.weight, tables.positions.weight, tables.norm.weight)
    return embed_input(*four, tables.norm.bias, albert.widen.weight, albert.widen.bias, tokens, segments)


albert = Albert(SMALL)
tokens = torch.tensor([tokenizer.encode("now the chef is roasting the bean", "tomorrow the baker will roast the date")])
segments = torch.zeros_like(tokens)
with torch.no_grad():
    yours, library = input_of(albert, tokens, segments), albert.widen(albert.input(tokens, segments))
print(
    f"(B, N, H) = {tuple(yours.shape)}; greatest difference to the library {float((yours - library).abs().max()):.1e}"
)

# %% [markdown]
# ## 4. One layer's weights for all
#
# Each layer has two parts. **Attention** is the three projections in, the projection out $W^O$, and the LayerNorm of its residual sum. The **feed-forward network** is two linear maps and *its* LayerNorm.

# %% [markdown]
# | `what` is shared | attention of layer 7 | feed-forward of layer 7 |
# |---|---|---|
# | `none` | its own | its own |
# | `attention` | layer 0's | its own |
# | `feed_forward` | its own | layer 0's |
# | `all` (ALBERT) | layer 0's | layer 0's |
#
# $W^O$ is sometimes called attention's "output layer". It is not the feed-forward network, and is shared with attention.

# %% [markdown]
# The library calls tensors by names such as these:
#
# ```
# input.tokens.weight
# layers.7.attention.project_in.weight    layers.7.attention.project_out.weight    layers.7.attention_sum.norm.weight
# layers.7.feed_forward.0.weight          layers.7.feed_forward.2.weight           layers.7.feed_forward_sum.norm.weight
# pooler.weight
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Take the name apart at its dots: the word after the number decides which part it is.</details>
# <details><summary>Hint</summary>What is in no layer is never shared. Layer numbers may have two digits.</details>


# %% exercise="owner"
def owner(name, what):
    """The name of the tensor that is used in this one's place.

    name: of a parameter, as above, "layers.NUMBER.PART.…" in a layer, where PART is "attention",
    "attention_sum" (which is attention's), "feed_forward" or "feed_forward_sum" (the feed-forward
    network's); what: "none", "attention", "feed_forward" or "all".
    Returns a string: the name with layer 0's number if its part is shared, else the name as it is.
    Lan et al. 2020, section 3.1.
    """
    ### BEGIN SOLUTION
    place, *rest = name.split(".")
    if place != "layers":
        return name
    part = rest[1].removesuffix("_sum")
    shared = what in ("all", part)
    return ".".join([place, "0", *rest[1:]]) if shared else name
    ### END SOLUTION


# %%
check("owner")

# %% [markdown]
# With that any model without sharing becomes one with sharing: give each name its owner's tensor. The library agrees, and so do the sizes.

# %%
plain = Albert(AlbertConfig(**{**vars(SMALL), "shared": "none"}))
weights = dict(plain.named_parameters())
rows = {}
for what in ("none", "attention", "feed_forward", "all"):
    used = {name: weights[owner(name, what)] for name in weights}
    distinct = sum(tensor.numel() for tensor in {id(tensor): tensor for tensor in used.values()}.values())
    library = Albert(AlbertConfig(**{**vars(SMALL), "shared": what}))
    library.load_state_dict(used)
    with torch.no_grad():
        apart = float((functional_call(plain, used, (tokens,)) - library(tokens)).abs().max())
    rows[what] = {"tensors": len(set(map(id, used.values()))), "numbers": distinct, "difference to the library": apart}
pd.DataFrame(rows).T

# %% [markdown]
# A weight that is used in each of L layers is pulled in L directions at once: its gradient is the sum of what the L layers' own would have been.

# %%
NAME = "layers.{}.feed_forward.0.weight"
gradients = {}
for what in ("none", "all"):
    copies = {name: tensor.detach().clone().requires_grad_() for name, tensor in weights.items()}
    with torch.no_grad():  # all start from layer 0's numbers
        for name in copies:
            copies[name].copy_(weights[owner(name, "all")])
    out_of = functional_call(plain, {name: copies[owner(name, what)] for name in copies}, (tokens,))  # (B, N, H)
    out_of[0, 0, 0].backward()
    gradients[what] = [copies[NAME.format(layer)].grad for layer in range(2)]
apart = (gradients["all"][0] - sum(gradients["none"])).abs().max()
print(f"shared gradient minus the sum of the {len(gradients['none'])}: at most {float(apart):.0e}")
print("lengths:", *(f"layer {n} {float(g.norm()):.3f}" for n, g in enumerate(gradients["none"])), end="; ")
print(f"shared {float(gradients['all'][0].norm()):.3f}")

# %% [markdown]
# ## 5. Parameters, to the digit
#
# The published model, printed:
#
# ```
# embeddings   Embedding(30000, 128)  Embedding(512, 128)  Embedding(2, 128)  LayerNorm(128)
# mapping      Linear(128, 768)
# layer        query, key, value, dense: Linear(768, 768) each   LayerNorm(768)
#              ffn: Linear(768, 3072)   ffn_output: Linear(3072, 768)   LayerNorm(768)
# pooler       Linear(768, 768)
# ```

# %% [markdown]
# A `Linear(a, b)` has a · b weights and b biases; a `LayerNorm(a)` has a scales and a shifts. There is one layer in the print, used 12 times.
#
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>Count attention and feed-forward of one layer, each with its LayerNorm, then say how often each is there.</details>
# <details><summary>Hint</summary>ALBERT base has 11,683,584; without the pooler 11,092,992.</details>


# %% exercise="count_parameters"
def count_parameters(words, narrow, width, layers, what):
    """How many parameters an ALBERT encoder has, its pooler included.

    words: V; narrow: E; width: H; layers: L, at least 1; what is shared: "none", "attention",
    "feed_forward" or "all". There are 512 positions and 2 segments; the feed-forward network is 4H
    wide inside; the map from E to H, with its bias, is always there, also where E = H.
    Returns a whole number. Lan et al. 2020, sections 3.1 and 3.2.
    """
    ### BEGIN SOLUTION
    embeddings = (words + 512 + 2) * narrow + 2 * narrow
    mapping = narrow * width + width
    attention = 4 * (width * width + width) + 2 * width
    feed_forward = (width * 4 * width + 4 * width) + (4 * width * width + width) + 2 * width
    attention *= 1 if what in ("all", "attention") else layers
    feed_forward *= 1 if what in ("all", "feed_forward") else layers
    pooler = width * width + width
    return embeddings + mapping + attention + feed_forward + pooler
    ### END SOLUTION


# %%
check("count_parameters")

# %%
PRINTED = {"base": "12M", "large": "18M", "xlarge": "60M", "xxlarge": "235M"}  # Table 1
rows = {}
for name, (layers, width, _) in SIZES.items():
    with torch.device("meta"):  # shapes without numbers
        library = sum(tensor.numel() for tensor in Albert(AlbertConfig.of_size(name)).parameters())
    counted = count_parameters(30_000, 128, width, layers, "all")
    rows[name] = {"L": layers, "H": width, "yours": f"{counted:,}", "library": f"{library:,}", "printed": PRINTED[name]}
    rows[name]["not shared"] = f"{count_parameters(30_000, 128, width, layers, 'none') / 1e6:,.0f}M"
pd.DataFrame(rows).T

# %% [markdown]
# Three sizes fit, *xlarge* when rounded up. *xxlarge* does not: 222.6 million by its own configuration, 235M in the table, 233M in the text. Printed numbers are worth a recount.

# %%
WHAT = {"all": "all", "attention": "attention alone", "feed_forward": "feed-forward alone", "none": "nothing"}
sizes = {
    f"E = {narrow}": [count_parameters(30_000, narrow, 768, 12, what) / 1e6 for what in WHAT] for narrow in (768, 128)
}
figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
for shift, (name, some) in zip((-0.2, 0.2), sizes.items()):
    bars = axes.barh(np.arange(4) + shift, some, 0.38, label=name)
    axes.bar_label(bars, fmt="%.1f", padding=3)
axes.set_yticks(range(4), WHAT.values())
axes.set(xlabel="million parameters, base size", ylabel="shared", xlim=(0, 130))
axes.set_title("Most of what sharing saves lies in the feed-forward network")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# ## 6. Arithmetic: nothing is saved
#
# The one layer is *used* L times. A shared weight is read again and multiplied again, so each layer costs what it did before. Only its **storage** is shared.

# %% [markdown]
# Count multiplications, each with its addition, of the matrix products for a sequence of N tokens:
#
# | product | shapes | multiplications |
# |---|---|---|
# | widen | (N, E) (E, H) | N · E · H |
# | q, k, v and out, in each layer | (N, H) (H, H) | N · H · H each |
# | scores, over all heads | (N, d) (d, N) for each of H/d heads | N · N · H |
# | weights times values | (N, N) (N, d) for each head | ? |
# | feed-forward, in and out | (N, H) (H, 4H) and back | ? |

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>A product of (a, b) and (b, c) takes a · b · c.</details>
# <details><summary>Hint</summary>Scores do not depend on the number of heads: H/d heads of width d.</details>


# %% exercise="multiply_adds"
def multiply_adds(narrow, width, layers, length):
    """Multiplications in the matrix products of an ALBERT encoder, for one sequence of N tokens
    without padding.

    narrow: E; width: H; layers: L; length: N. The widening of embeddings, and in each layer the
    four projections of attention, scores, weighted values, and the feed-forward network, 4H wide
    inside. Looking up embeddings, softmax, LayerNorm, biases and the pooler do not count.
    Returns a whole number.
    """
    ### BEGIN SOLUTION
    projections = 4 * length * width * width
    scores_and_values = 2 * length * length * width
    feed_forward = 2 * length * width * 4 * width
    return length * narrow * width + layers * (projections + scores_and_values + feed_forward)
    ### END SOLUTION


# %%
check("multiply_adds")

# %% [markdown]
# torch counts as well: a floating-point operation (FLOP) is a multiplication or an addition, so twice as many. BERT-large beside ALBERT's sizes, 128 tokens:

# %%
def flops(model, length):
    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        model(torch.ones(1, length, dtype=torch.long))
    return counter.get_total_flops()


with torch.device("meta"):
    large = Bert(BertConfig.of_size("large", 30_000))
    models = {f"ALBERT {name}": Albert(AlbertConfig.of_size(name)) for name in SIZES}
    models["… large, nothing shared"] = Albert(
        AlbertConfig(**{**vars(AlbertConfig.of_size("large")), "shared": "none"})
    )
rows = {"BERT-large": {"million parameters": sum(p.numel() for p in large.parameters()) / 1e6}}
rows["BERT-large"] |= {"yours, × 2": np.nan, "torch": flops(large, 128) / 1e9}
for name, model in models.items():
    config = model.config
    yours = 2 * multiply_adds(config.embedding_size, config.hidden_size, config.num_hidden_layers, 128)
    rows[name] = {"million parameters": sum(p.numel() for p in model.parameters()) / 1e6}
    rows[name] |= {"yours, × 2": yours / 1e9, "torch": flops(model, 128) / 1e9}
table = pd.DataFrame(rows).T.rename(columns={"yours, × 2": "GFLOP, yours", "torch": "GFLOP, torch"})
table["against BERT-large"] = (table["GFLOP, torch"] / table["GFLOP, torch"]["BERT-large"]).round(2)
table.round(1)

# %% [markdown]
# ALBERT large does BERT-large's work with a 19th of its parameters (the paper says 18 times fewer). The xxlarge model has two thirds of them and does some eight times the work; the paper's Table 2 has it at 0.3 times the speed.

# %% [markdown]
# Then why is ALBERT large 1.7 times as fast in *training* (Table 2)? Many machines trained together, and sent each other gradients: of 18 million numbers in place of 334. On one machine:

# %%
WIDTH, TIMES = {"smoke": (64, 5), "cpu": (256, 9), "gpu": (1024, 20)}[profile]
wide = {"hidden_size": WIDTH, "intermediate_size": 4 * WIDTH, "num_hidden_layers": 6, "embedding_size": 64}
models = [Albert(AlbertConfig(**{**vars(SMALL), **wide, "shared": what})) for what in ("none", "all")]
optimizers, some = [adamw(model, 1e-3) for model in models], torch.ones(8, 32, dtype=torch.long)
taken = np.zeros((TIMES, 2, 2))  # turn, forward or all of a step, model
for turn in range(TIMES):
    for place, (model, optimizer) in enumerate(zip(models, optimizers)):  # in turns, so that both meet the same machine
        started = time.perf_counter()
        result = model(some)  # (8, 32, H)
        taken[turn, 0, place] = time.perf_counter() - started
        optimizer.zero_grad()
        result.square().mean().backward()
        optimizer.step()
        taken[turn, 1, place] = time.perf_counter() - started
milliseconds = 1000 * np.median(taken[1:], axis=0)  # the first turn warms up
figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
for place, label in enumerate(("nothing shared", "all shared")):
    axes.barh(np.arange(2) + 0.4 * place - 0.2, milliseconds[:, place], 0.38, label=label)
axes.set_yticks(range(2), ["forward", "forward, backward, update"])
axes.set(xlabel=f"milliseconds on this processor, 6 layers of width {WIDTH}")
axes.set_title("Forward: {:.1f} ms with nothing shared, {:.1f} with all".format(*milliseconds[0]))
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# Seconds are your machine's, they shake, and nothing checks them. What sharing does spare is the update: the optimizer goes over fewer numbers. A small model's weights may also fit a cache.

# %% [markdown]
# ## 7. Sentence order
#
# BERT's second task asks whether B comes after A or from elsewhere (NSP). ALBERT's asks for the **order** of two consecutive segments of one document (SOP). A segment is often several sentences long.

# %% [markdown]
# ```
#               document      s0  s1  s2  s3  s4  s5
#               segments         [s1  s2][s3]
#
# SOP   label 0   s1 s2 | s3              NSP   label 0   s1 s2 | s3
#       label 1   s3 | s1 s2                    label 1   s1 s2 | a sentence of another document
# ```
#
# Inside a segment nothing moves: it is the segments that are exchanged, not their sentences, not their words.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>Two slices of the document, joined to flat lists, then perhaps exchanged.</details>
# <details><summary>Hint</summary>The document must stay as it is: <code>first += …</code> on one of its own lists would change it.</details>


# %% exercise="order_example"
def order_example(document, start, middle, end, swap):
    """An example of sentence order prediction.

    document: a list of sentences, each a list of words or ids; sentences start to middle − 1 are
    one segment, middle to end − 1 the next one, both with at least one sentence; swap: whether to
    exchange them.
    Returns (first, second, label): two flat lists, and 0 if they stand in their order, 1 if
    exchanged. Lan et al. 2020, section 3.1.
    """
    ### BEGIN SOLUTION
    first = [word for sentence in document[start:middle] for word in sentence]
    second = [word for sentence in document[middle:end] for word in sentence]
    return (second, first, 1) if swap else (first, second, 0)
    ### END SOLUTION


# %%
check("order_example")

# %%
KOREAN = [["눈이", "많이", "왔다"], ["그래서", "배가", "못", "떴다"], ["킹받네"]]
for swap in (False, True):
    first, second, label = order_example(KOREAN, 0, 1, 3, swap)
    print(label, " ".join(first), "|", " ".join(second))

# %% [markdown]
# *그래서*, "therefore", gives it away: it snowed a lot, therefore the ship could not leave. In the other order there is nothing that it could follow from.

# %% [markdown]
# ## 8. What overlap gives away
#
# In NSP a false B comes from another document: other topic, other words. How far does one get without reading, by **shared words** alone? In SOP both orders hold the same words.

# %% [markdown]
# $$\text{overlap}(A, B) = \frac{\text{different words in both}}{\text{different words in A or B}}$$
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>Sets know <code>&amp;</code> and <code>|</code>. A word counts once, however often it stands there.</details>
# <details><summary>Hint</summary>Two empty segments would be 0/0: say 0.</details>


# %% exercise="overlap"
def overlap(first, second):
    """The share of words that two segments have in common (Jaccard's index), a number from 0 to 1.

    first, second: lists of words or ids, perhaps empty.
    Returns how many different words are in both, divided by how many are in at least one; 0 if both
    are empty.
    """
    ### BEGIN SOLUTION
    one, other = set(first), set(second)
    return len(one & other) / len(one | other) if one | other else 0.0
    ### END SOLUTION


# %%
check("overlap")

# %% [markdown]
# Pairs are now drawn from documents. A false B stands at the same place of another document; BERT's code takes any place of it. **Matched** pairs are a control: the other document is on *the same topic*.

# %%
def examples(documents, task, number, count, longest=1):
    """(first, second, label) of examples, the same for the same number; segments have up to
    `longest` sentences.

    documents: (topic, sentences) each. task: "order", "next", or "matched" (next, the false one
    from a document of the same topic).
    """
    chance = random.Random(f"{seed} {number}")
    topics = {}
    for topic, document in documents:
        topics.setdefault(topic, []).append(document)
    made = []
    while len(made) < count:
        topic, document = documents[chance.randrange(len(documents))]
        at, false = chance.randrange(1, len(document)), chance.random() < 0.5
        start, end = max(0, at - longest), min(len(document), at + longest)
        first, second, label = order_example(document, start, at, end, task == "order" and false)
        if task != "order" and false:
            others = topics[topic] if task == "matched" else [one for _, one in documents]
            other = others[chance.randrange(len(others))]
            if other is document or len(other) <= at:
                continue
            second, label = [word for sentence in other[at : at + longest] for word in sentence], 1
        made.append((first, second, label))
    return made


stories = [
    (one.topic, [sentence.tokens() for sentence in one.sentences])
    for one in World("en", seed).documents(40_000)
]
for first, second, label in examples(stories, "next", 0, 3, longest=2):
    print(f"label {label}, overlap {overlap(first, second):.2f}:", " ".join(first), "|", " ".join(second))

# %% [markdown]
# The yardstick is the **area under the curve** (AUC): a true pair and a false pair are drawn, and the one with more overlap is called true. How often is that right? A coin: .5.

# %%
def auc(documents, task):
    """How well overlap tells true pairs from false ones; for order each pair is looked at in both orders."""
    some = examples(documents, task, 0, 1000, longest=4)
    if task == "order":
        some = [
            (*pair, label)
            for first, second, _ in some
            for label, pair in enumerate([(first, second), (second, first)])
        ]
    return roc_auc_score([1 - label for *_, label in some], [overlap(first, second) for first, second, _ in some])


NAMES = {"next": "next sentence", "matched": "next, within a topic or article", "order": "order"}
areas = {"planted world": {task: auc(stories, task) for task in NAMES}}

# %% [markdown]
# And in real text? English and Korean paragraphs from question answering (XQuAD, KorQuAD), a paragraph as a document; matched pairs are from one article.

# %%
REAL = profile != "smoke"
FILES = {"English (XQuAD)": "xquad_en/xquad.en.json", "Korean (KorQuAD)": "korquad1/KorQuAD_v1.0_dev.json"}
for language, name in FILES.items():
    if not REAL or not datasets.available(name):
        print(f"{language} is left out: in smoke, or the file is not here (etude data fetch {name.split('/')[0]}).")
        continue
    paragraphs = []
    for article in json.loads(datasets.text(name))["data"]:
        for paragraph in article["paragraphs"]:
            parts = re.split(r"(?<=[.?!])\s+", paragraph["context"].strip())
            paragraphs.append((article["title"], [re.findall(r"\w+", part.lower()) for part in parts]))
    several = [one for one in paragraphs if len(one[1]) > 1]
    areas[language] = {task: auc(several, task) for task in NAMES}
pd.DataFrame(areas).T.rename(columns=NAMES).round(3)

# %%
figure, axes = plt.subplots(figsize=(8, 2.8), layout="constrained")
for shift, (task, label) in zip((-0.26, 0, 0.26), NAMES.items()):
    heights = [row[task] - 0.5 for row in areas.values()]
    axes.barh(np.arange(len(areas)) + shift, heights, 0.24, left=0.5, label=label)
axes.axvline(0.5, color="#999999", ls="--")
axes.set_yticks(range(len(areas)), areas)
axes.set(xlabel="AUC of overlap alone; .5 is a coin", xlim=(0.45, 1))
axes.set_title("Shared words tell next sentences from others, never their order")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# For order it is a coin by construction: overlap(A, B) = overlap(B, A). Within one topic the clue grows weaker.

# %% [markdown]
# ## 9. The loss
#
# Two questions are asked at once, and their losses are added: the mean over hidden tokens, plus the mean over orders.

# %% [markdown]
# Scores of words come from the narrow table again (tied), so a hidden vector must first become narrow:
#
# ```
# (…, H) ─ Linear(H, E) ─ GELU (tanh form) ─ LayerNorm over E ─ times words (V, E)ᵀ, plus a bias for each word ─▶ (…, V)
# ```

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>Only places whose label is not −100 are asked: choose them before anything is computed, and the mean is over them alone.</details>
# <details><summary>Hint</summary><code>functional.gelu(x, approximate="tanh")</code>; <code>functional.cross_entropy</code> takes logits.</details>


# %% exercise="albert_loss"
def albert_loss(hidden, narrow, narrow_bias, scale, shift, words, bias, labels, order_logits, swapped):
    """ALBERT's loss of pre-training in nats: the mean over hidden tokens plus the mean over orders.

    hidden (B, N, H): what the encoder gives; narrow (E, H), narrow_bias (E,): of the linear map;
    scale, shift (E,): of LayerNorm, eps 1e-12; words (V, E): the table of the input; bias (V,);
    labels (B, N) int64: the token that was hidden, −100 where none is asked for, at least one is;
    order_logits (B, 2); swapped (B,) int64: 0 or 1.
    Returns a tensor () of hidden's type. Lan et al. 2020, section 3.1.
    """
    ### BEGIN SOLUTION
    asked = labels != -100  # (B, N)
    x = functional.gelu(functional.linear(hidden[asked], narrow, narrow_bias), approximate="tanh")  # (M, E)
    x = functional.layer_norm(x, x.shape[-1:], scale, shift, eps=1e-12)
    logits = functional.linear(x, words, bias)  # (M, V)
    return functional.cross_entropy(logits, labels[asked]) + functional.cross_entropy(order_logits, swapped)
    ### END SOLUTION


# %%
check("albert_loss")

# %% [markdown]
# ## Text with an order
#
# The planted language writes a document's sentences in no order at all, so there would be nothing to learn. But many of them name their time:
#
# > *yesterday the chef already roasted …* · *now the chef is roasting …* · *next week john will order …*

# %% [markdown]
# So we take from each document one sentence of the past, one of now, one of the future, in this order. Any two neighbours make an example.

# %%
TIMES_OF = ({"yesterday", "last", "ago", "had"}, {"now", "every", "always", "is"}, {"tomorrow", "next", "soon", "will"})
TIMELESS = {"you", "it"}  # how sentences without a time begin


def diaries(words, seed):
    """(topic, sentences in the order of time, each a list of words) of documents with at least two times."""
    found = []
    for document in World("en", seed).documents(words):
        by_time = {}
        for sentence in document.sentences:
            some = sentence.tokens()
            times = [n for n in (0, 2, 1) if TIMES_OF[n] & set(some)]  # "is" may stand beside others, so it comes last
            if document.topic not in ("nation", "people") and some[0] not in TIMELESS and times:
                by_time.setdefault(times[0], some)
        if len(by_time) > 1:
            found.append((document.topic, [by_time[n] for n in sorted(by_time)]))
    return found


size = {
    "smoke": {"words": 60_000, "steps": 300, "batch": 16, "width": 48, "tuning": 150},
    "cpu": {"words": 240_000, "steps": 800, "batch": 16, "width": 48, "tuning": 300},
    "gpu": {"words": 1_000_000, "steps": 6000, "batch": 64, "width": 128, "tuning": 1000},
}[profile]
documents, held_out = diaries(size["words"], seed), diaries(60_000, seed + 10_000)
print(f"{len(documents)} documents, {len(held_out)} held out, on", *Counter(topic for topic, _ in documents))
print(*(" ".join(sentence) for sentence in documents[0][1]), sep="\n")

# %% [markdown]
# ## The model, whole
#
# The library's layers between your input and your loss.

# %%
vocabulary = Vocabulary(tokenizer)


@functools.cache
def pieces(word):
    return [tokenizer.index[piece] for piece in tokenizer.tokenize(word)]


def ids(words):
    return [number for word in words for number in pieces(word)]


def paired(some):
    """[CLS] first [SEP] second [SEP] for each example, padded: tokens (B, N), segments (B, N), labels (B,)."""
    rows = [([vocabulary.begin, *ids(a), vocabulary.separator], [*ids(b), vocabulary.separator]) for a, b, _ in some]
    longest = max(len(a) + len(b) for a, b in rows)
    tokens = torch.tensor([a + b + [0] * (longest - len(a) - len(b)) for a, b in rows])  # (B, N)
    segments = torch.tensor([[0] * len(a) + [1] * len(b) + [0] * (longest - len(a) - len(b)) for a, b in rows])
    return tokens, segments, torch.tensor([label for *_, label in some])


def masked(documents, number, count):
    """A batch for ALBERT: examples of order, with a share of tokens hidden."""
    tokens, segments, swapped = paired(examples(documents, "order", number, count))
    generator = torch.Generator().manual_seed(1_000_003 * seed + number)
    read, labels = mask_tokens(tokens, vocabulary, Masking(rate=0.3), generator)
    return PretrainingBatch(read, segments, labels, swapped)


class Pretraining(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.parts = AlbertForPretraining(config)

    def forward(self, batch):
        albert, parts = self.parts.albert, self.parts
        x = input_of(albert, batch.tokens, batch.segments)  # (B, N, H)
        mask = padding_mask(batch.tokens, albert.config.pad_token_id)  # (B, 1, 1, N)
        for layer in albert.layers:
            x = layer(x, mask=mask)
        down, norm, table = parts.transform, parts.norm, albert.input.tokens.weight
        tensors = (x, down.weight, down.bias, norm.weight, norm.bias, table, parts.bias)
        return albert_loss(*tensors, batch.labels, parts.order_logits(x), batch.follows)


model, some = Pretraining(SMALL), masked(documents, 0, 8)
with torch.no_grad():
    print(f"your loss {float(model(some)):.4f}, the library's {float(model.parts(some)):.4f}", end="; ")
print(f"who knows nothing pays ln {vocabulary.size} + ln 2 = {math.log(vocabulary.size) + math.log(2):.4f}")

# %% [markdown]
# Is it the *published* ALBERT? With the library `transformers`, if you have it, random weights go through both:

# %%
if profile != "smoke" and importlib.util.find_spec("transformers"):
    import tempfile
    from pathlib import Path

    import transformers

    from etude.models.variant_checkpoints import save_albert

    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        save_albert(model.parts, Path(folder))
        theirs = transformers.AlbertForPreTraining.from_pretrained(folder, attn_implementation="eager").eval()
        seen = (some.tokens != 0).long()
        answer = theirs(some.tokens, attention_mask=seen, token_type_ids=some.segments)
        hidden = model.parts.albert(some.tokens, some.segments)  # (B, N, H)
        apart = (answer.prediction_logits - model.parts.token_logits(hidden))[seen.bool()].abs().max()
        print(f"greatest difference of logits: tokens {float(apart):.1e}", end=", ")
        print(f"order {float((answer.sop_logits - model.parts.order_logits(hidden)).abs().max()):.1e}")
else:
    print("Left out: smoke, or transformers is not installed here.")

# %% [markdown]
# ## Experiment I: what does sharing cost?
#
# The same steps on the same batches, with nothing shared and all shared; in the larger profiles with each part alone, too. Each is judged by its loss on hidden tokens of held-out text.

# %% [markdown]
# Fewer parameters may also be had by a narrower model. So the control is one with nothing shared that is **narrower**, with somewhat fewer parameters than the shared one.

# %%
def price(model, batch):
    """Nats for a hidden token."""
    asked = batch.labels != -100  # (B, N)
    with torch.no_grad():
        hidden = model.parts.albert(batch.tokens, batch.segments)[asked]  # (M, H)
        return float(functional.cross_entropy(model.parts.token_logits(hidden), batch.labels[asked]))


def pretrain(what, width, narrow):
    config = AlbertConfig(
        **{
            **vars(SMALL),
            "hidden_size": width,
            "intermediate_size": 4 * width,
            "embedding_size": narrow,
            "shared": what,
        }
    )
    torch.manual_seed(seed)
    model, steps = Pretraining(config), size["steps"]
    plan = Plan(steps, linear_schedule(steps, steps // 10), device=str(run.device), title=f"{what}, {width} wide")
    train(
        model,
        lambda number: masked(documents, number + 1, size["batch"]),
        plan,
        adamw(model, 6e-3, betas=(0.9, 0.98)),
    )
    return model.cpu().eval()


width = size["width"]
VARIANTS = {"nothing shared": ("none", width, width), "all shared": ("all", width, width)}
if profile != "smoke":
    VARIANTS |= {
        "attention shared": ("attention", width, width),
        "feed-forward shared": ("feed_forward", width, width),
        "narrower, nothing shared": ("none", 3 * width // 4, 3 * width // 4),
        "narrow embeddings (E = H/3)": ("none", width, width // 3),
    }
test = masked(held_out, 0, 400)
alberts = {name: pretrain(*variant) for name, variant in VARIANTS.items()}
rows = {
    name: {"parameters": sum(p.numel() for p in model.parameters()), "nats": price(model, test)}
    for name, model in alberts.items()
}
table = pd.DataFrame(rows).T
table["more than nothing shared"] = table["nats"] - table["nats"]["nothing shared"]
table.round(3)

# %%
figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
for place, (name, row) in enumerate(table.iterrows()):
    axes.plot(row["parameters"] / 1000, row["nats"], "o", color=plots.COLOURS[place % len(plots.COLOURS)], label=name)
axes.set(xlabel="thousand parameters", ylabel="nats for a hidden token, held out")
cost = table["nats"]["all shared"] - table["nats"]["nothing shared"]
axes.set_title(f"Sharing all layers: {cost:+.2f} nats after {size['steps']} steps")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# ## Experiment II: order or next?
#
# Two copies of one encoder, the course's `world-en-no-nsp`, which has read the planted language and has never seen a pair. One is trained on NSP, one on SOP. Both are asked both.

# %%
@torch.no_grad()
def share_right(model, some):
    tokens, segments, labels = paired(some)
    return float((model.logits(tokens, segments).argmax(dim=-1) == labels).float().mean())


def judge_of(task):
    """The encoder with a head, trained on pairs of a task."""

    def batch(number):
        return Labelled(*paired(examples(documents, task, number + 1, 24)))

    torch.manual_seed(seed)
    judge, steps = BertClassifier(pretrained.load("world-en-no-nsp").model.bert, 2), size["tuning"]
    plan = Plan(steps, linear_schedule(steps, steps // 10), device=str(run.device), title=f"trained on {task}")
    train(judge, batch, plan, adamw(judge, 2e-3, betas=(0.9, 0.98)))
    return judge.cpu().eval()


asked = {task: examples(held_out, task, 1, 600) for task in NAMES}
judges, scores = {}, {}
for task in ("next", "order"):
    judges[task] = judge = judge_of(task)
    scores[f"trained on {task}"] = {NAMES[one]: share_right(judge, some) for one, some in asked.items()}
pd.DataFrame(scores).T.round(2)

# %%
figure, axes = plt.subplots(figsize=(7.5, 3.2), layout="constrained")
for shift, (name, row) in zip((-0.2, 0.2), scores.items()):
    bars = axes.bar(np.arange(3) + shift, row.values(), 0.38, label=name)
    axes.bar_label(bars, fmt="%.2f", padding=2)
axes.axhline(0.5, color="#999999", ls="--", label="a coin")
axes.set_xticks(range(3), NAMES.values())
axes.set(ylabel="share right, held out", xlabel="asked for", ylim=(0, 1.12))
own = [scores[f"trained on {task}"][NAMES[task]] for task in ("next", "order")]
axes.set_title(f"On its own task: next {own[0]:.0%}, order {own[1]:.0%}")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# Look at the middle: within a topic the model of next sentences has lost its clue. It has learnt what a topic is, and little of what follows what.

# %% [markdown]
# Our order is the easier task of the two, since one word of time decides it. In real text it is the harder one: there order is written between the lines, and the topic in every word.

# %% [markdown]
# ## Results

# %% tags=["metrics"]
metrics = {
    "all_shared_cost": cost,
    "order_gap": scores["trained on order"]["order"] - scores["trained on next"]["order"],
    "next_gap": scores["trained on next"][NAMES["next"]] - scores["trained on order"][NAMES["next"]],
    "matched_drop": scores["trained on next"][NAMES["next"]] - scores["trained on next"][NAMES["matched"]],
    "overlap_gap": areas["planted world"]["next"] - areas["planted world"]["order"],
}
record(
    metrics,
    nothing_shared=parameters_to_vector(alberts["nothing shared"].parameters()).detach(),
    all_shared=parameters_to_vector(alberts["all shared"].parameters()).detach(),
    judges=torch.stack([parameters_to_vector(judge.parameters()).detach() for judge in judges.values()]),
)

# %% [markdown]
# What was found, in the table's runs:
#
# | claim | here |
# |---|---|
# | narrow embeddings save numbers | yes, to the digit: 3,938,304 for 23,040,000 |
# | shared layers save parameters | yes: 11,683,584 in the base size, with the pooler |
# | … at little cost | `all_shared_cost`: there is a cost at equal steps; how small "little" is depends on the task |
# | fewer parameters are faster | no: the forward pass is the same, and xxlarge multiplies eight times as much as BERT-large |
# | next sentences can be told by topic | `overlap_gap`, `matched_drop`: yes |
# | who learns next sentences does not learn order | `order_gap`: yes |
# | who learns order learns next sentences, too | `next_gap`: not here; the paper has 78.9 % |

# %% [markdown]
# ## In your own words
#
# **1.** A team wants to answer twice as many requests a second on one machine. They plan to replace BERT-large with ALBERT large, "18 times smaller". What will they gain, what not, and what would you ask first?

# %% [markdown] answer="smaller_is_not_faster" points=2
# ### BEGIN SOLUTION
# 1 point: a request costs the same arithmetic, since the shared layer is used in each of 24 layers at the same width; requests a second stay about the same. 1 point: what shrinks is storage: the file, the memory of weights
# (and of the optimizer, and the traffic of gradients between machines in training). Ask what the bottleneck is: if memory for weights, ALBERT helps; if arithmetic, take fewer or narrower layers (or distil).
# ### END SOLUTION

# %% [markdown]
# **2.** Someone builds SOP examples from paragraphs: in order as they are, and for label 1 the two *first sentences* of two different paragraphs are exchanged. The model reaches 95 %. Why is that no evidence that it understands order?

# %% [markdown] answer="is_it_order" points=2
# ### BEGIN SOLUTION
# 1 point: the false pairs hold text of different paragraphs, so topic and overlap tell them from the true ones, as in NSP; both labels must come from the same two segments. 1 point: a control shows it: overlap alone
# (its AUC must be .5 for order), or the same model on pairs that are only exchanged. First sentences also look like introductions, which gives their place away without the other segment.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Lan et al. 2020, [ALBERT](https://arxiv.org/abs/1909.11942), Tables 3 to 5: each idea alone. The authors' [code](https://github.com/google-research/albert).
# - Dehghani et al. 2019, [Universal Transformers](https://arxiv.org/abs/1807.03819): shared layers, and as many of them as a token needs.
# - Jiao et al. 2020, [TinyBERT](https://arxiv.org/abs/1909.10351): fewer and narrower layers, which is faster.
# - Lee et al. 2021, [KoreALBERT](https://arxiv.org/abs/2101.11363): ALBERT for Korean.
