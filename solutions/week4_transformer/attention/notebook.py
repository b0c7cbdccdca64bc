# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Attention: asking, matching, mixing
#
# **The papers.** Bahdanau, Cho and Bengio, [Neural Machine Translation by Jointly Learning to Align and Translate](https://arxiv.org/abs/1409.0473) (ICLR 2015);
# Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762) (NIPS 2017), sections 3.2, 3.5 and 4.
#
# A query asks, keys answer how well they match, and values are mixed accordingly.

# %% [markdown]
# **The claims to test.**
#
# | claim | where | number |
# |---|---|---|
# | one fixed vector is a bottleneck; asking the encoder removes it | Bahdanau, Table 1 | BLEU 17.82 → 26.75 |
# | products grow with $d_k$ and leave the softmax without a gradient: divide by $\sqrt{d_k}$ | section 3.2.1 | variance $d_k$ |
# | one head is worse than several | Table 3 (A) | 24.9 against 25.8 BLEU |
# | positions must be added; fixed sinusoids do as well as learned ones | Table 3 (E) | 25.8 and 25.7 BLEU |
# | a layer of attention costs $O(n^2 d)$ | Table 1 | |
#
# You will write (about 2 hours) a score by sums and one by products, masks, many heads, positions and a count of the cost.
#
# In shapes, B is the batch, N counts queries, M keys, h heads, d is a width.

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: under a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
import time

import matplotlib.pyplot as plt
import pandas as pd
import torch
from torch import nn
from torch.nn import functional

import etude
from etude import check, plots, record
from etude.train import Plan, train

run = etude.start("week4_transformer/attention", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. The decoder asks
#
# The first neural translators wrote from one vector of the whole sentence. Before each word Bahdanau's decoder asks all the encoder's states, and gets their weighted
# mean.
#
# ```text
#                he     read    the    book        one row of weights for each word to be written;
#   그는        ████     ░                         each row sums to 1 (drawn by hand)
#   책을                         ░     ████
#   읽었다       ░      ████
# ```

# %% [markdown]
# How well does the key $k$ match the query $q$? Bahdanau learns a small network: $e = v^\top \tanh(W q + U k)$. The score is *additive*: query and key meet in a sum.

# %% [markdown]
# **Additive scores.** Every query meets every key.
#
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Give the queries an axis for the keys and the keys one for the queries: (…, N, 1, a) + (…, 1, M, a) spreads to (…, N, M, a).
#
# </details>


# %% exercise="additive_scores"
def additive_scores(queries, keys, w_query, w_key, v):
    """The score of each query and each key: v · tanh(w_query q + w_key k).

    queries (…, N, d); keys (…, M, e); w_query (a, d); w_key (a, e); v (a,): float tensors. The
    dimensions before the last two, if there are any, are the same for queries and keys.
    Returns (…, N, M), doubles for doubles. Bahdanau et al. 2015, appendix A.1.2.
    """
    ### BEGIN SOLUTION
    asked = (queries @ w_query.T)[..., :, None, :]  # (…, N, 1, a)
    offered = (keys @ w_key.T)[..., None, :, :]  # (…, 1, M, a)
    return torch.tanh(asked + offered) @ v  # (…, N, M)
    ### END SOLUTION


# %%
check("additive_scores")

# %% [markdown]
# ## 2. Scaled dot products
#
# The Transformer's score is a dot product. All scores are then one matrix product, which is fast.
#
# ```text
#   queries (N, d) ─┐
#                   ├─ q·k / √d ─→ scores (N, M) ─→ softmax over keys ─→ weights (N, M) ─┐
#   keys    (M, d) ─┘                                                                     ├─→ (N, e)
#   values  (M, e) ───────────────────────────────────────────────────────────────────────┘
# ```
#
# $$\operatorname{attention}(Q, K, V) = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d}}\right) V$$

# %% [markdown]
# **Attention.** Equation 1.
#
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# A query shares one unit of weight among the keys: each row of the weights sums to 1. Which axis do the keys have in the scores? And whose width is d?
#
# </details>


# %% exercise="attention"
def attention(queries, keys, values):
    """For each query the mean of the values, weighted by how well their keys match it.

    queries (…, N, d); keys (…, M, d); values (…, M, e): float tensors.
    Returns (…, N, e), doubles for doubles. Vaswani et al. 2017, equation 1.
    """
    ### BEGIN SOLUTION
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.size(-1))  # (…, N, M)
    return scores.softmax(dim=-1) @ values  # (…, N, e)
    ### END SOLUTION


# %%
check("attention")

# %% [markdown]
# Why $\sqrt d$? If the components of $q$ and $k$ are independent with mean 0 and variance 1, then $q \cdot k$ sums $d$ products of variance 1: its variance is $d$.

# %%
draws = torch.Generator().manual_seed(seed)


def normal(*shape):
    return torch.randn(*shape, generator=draws)


def softmax_slope(scores):
    """How much the weights answer to a change of the scores: the
    Jacobian's norm, the mean over rows of (R, M)."""
    weights = scores.softmax(dim=-1)  # (R, M)
    jacobian = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None, :]  # (R, M, M)
    return float(jacobian.norm(dim=(1, 2)).mean())


rows = []
for d in (4, 16, 64, 256, 1024):
    raw = torch.einsum("nd,nmd->nm", normal(500, d), normal(500, 8, d))  # 500 queries with 8 keys each
    for name, scores in (("q·k", raw), ("q·k / √d", raw / math.sqrt(d))):
        largest = float(scores.softmax(dim=-1).amax(dim=-1).mean())
        rows.append((d, name, float(scores.var()), largest, softmax_slope(scores)))
slopes = pd.DataFrame(rows, columns=["d", "score", "variance", "largest weight", "gradient"])
slopes.pivot(index="d", columns="score").round(3)

# %% [markdown]
# Undivided, the largest weight nears 1 as $d$ grows, and the gradient 0. Divided by $\sqrt d$, nothing depends on the width.

# %%
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
for name, part in slopes.groupby("score", sort=False):
    axes.plot(part["d"], part["gradient"], marker="o", label=name)
axes.set(xscale="log", ylim=(0, None), xlabel="width d", ylabel="norm of the softmax's Jacobian")
axes.set_title("Without 1/√d the gradient dies out as the width grows")
axes.legend()
plt.show()

# %% [markdown]
# Scores are **not symmetric**, as $W_Q$ and $W_K$ differ. A head's table of scores, however long the text, has at most **the rank of its width**.

# %%
text = normal(60, 64)  # 60 tokens of width 64
for width in (4, 16):
    w_query, w_key = normal(64, width), normal(64, width)
    scores = (text @ w_query) @ (text @ w_key).T / math.sqrt(64 * 64 * width)  # (60, 60)
    asymmetry = float((scores - scores.T).norm() / scores.norm())
    ranks = [int(torch.linalg.matrix_rank(table.double(), rtol=1e-6)) for table in (scores, scores.softmax(dim=-1))]
    print(
        f"head of width {width:2}: |S − Sᵀ| / |S| = {asymmetry:.2f}, rank of scores {ranks[0]}, of weights {ranks[1]}"
    )

# %% [markdown]
# The softmax raises the rank.

# %% [markdown]
# ## 3. Masks
#
# Short sentences of a batch are filled up with padding, which must not be attended to.
#
# ```text
#   킹받네   ·      ·      ·   ·      lengths 1 and 5      True False False False False
#   하루    커피   최소    3   잔                           True True  True  True  True
# ```

# %% [markdown]
# **Padding mask.** True where there is a token. The two axes of length 1 are for heads and queries.
#
# *5 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Position j holds a token if j is less than the length. Compare (M,) with (B, 1, 1, 1).
#
# </details>


# %% exercise="padding_mask"
def padding_mask(lengths, size):
    """Where a batch of sentences has tokens: True for the first lengths[b] positions of sentence b.

    lengths: int64 tensor (B,), from 0 to size; size: the number M of positions.
    Returns a bool tensor (B, 1, 1, M), on the device of the lengths.
    """
    ### BEGIN SOLUTION
    positions = torch.arange(size, device=lengths.device)  # (M,)
    return positions < lengths[:, None, None, None]  # (B, 1, 1, M)
    ### END SOLUTION


# %%
check("padding_mask")

# %% [markdown]
# A decoder must not see what it has yet to write: position $i$ sees positions 0 to $i$. When a text grows word by word, past keys are kept, and only new positions
# ask:
#
# ```text
#   length 3, past 0      length 2, past 3
#      ■ · ·                 ■ ■ ■ ■ ·
#      ■ ■ ·                 ■ ■ ■ ■ ■
#      ■ ■ ■
# ```

# %% [markdown]
# **Causal mask.** True where a query may look.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Query i stands at position past + i. `torch.tril` has an argument that moves the diagonal.
#
# </details>


# %% exercise="causal_mask"
def causal_mask(length, past=0):
    """Which positions each of `length` new positions may see, after `past` earlier ones: itself and
    all before it.

    Returns a bool tensor (length, past + length), True where query i may attend to key j.
    """
    ### BEGIN SOLUTION
    return torch.ones(length, past + length, dtype=torch.bool).tril(diagonal=past)
    ### END SOLUTION


# %%
check("causal_mask")

# %% [markdown]
# A mask works *before* the softmax: a score of $-\infty$ gets the weight $e^{-\infty} = 0$, and the others still sum to 1. A score of 0 would not do, as $e^0 = 1$.
# What of a row that may see nothing?

# %%
print(torch.full((3,), -torch.inf).softmax(dim=0), "for a row of −∞ alone: 0 / 0")

# %% [markdown]
# The next layer spreads the NaN over the sentence, the next step over the model. PyTorch's attention gives such a row zeros.

# %% [markdown]
# **Masked attention.** Who may see nothing gets zeros.
#
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `masked_fill` puts −∞ where the mask is False. After the softmax a second `masked_fill` can clear the rows that had nothing to see.
#
# </details>
#
# <details><summary>Hint on gradients</summary>
#
# A gradient of NaN · 0 is NaN: filling stops it, adding −∞ and multiplying by 0 do not.
#
# </details>


# %% exercise="masked_attention"
def masked_attention(queries, keys, values, mask):
    """Attention in which a query sees only the keys that the mask allows. A query that may see none
    gets zeros.

    queries (…, N, d); keys (…, M, d); values (…, M, e): float tensors; mask: bool tensor of a shape
    that spreads to (…, N, M), True where the query may attend to the key.
    Returns (…, N, e), doubles for doubles, never NaN; its gradients are never NaN either. Vaswani et al.
    2017, section 3.2.3.
    """
    ### BEGIN SOLUTION
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.size(-1))  # (…, N, M)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
    return weights.masked_fill(~mask, 0) @ values  # (…, N, e)
    ### END SOLUTION


# %%
check("masked_attention")

# %% [markdown]
# Does anything leak? Change the last three of eight tokens, and see. Masks combine with `&`.

# %%
before = normal(1, 1, 8, 16)
after = torch.cat([before[:, :, :5], normal(1, 1, 3, 16)], dim=2)
everyone = torch.ones(8, 8, dtype=torch.bool)
for name, mask in (
    ("no mask", everyone),
    ("causal", causal_mask(8)),
    ("causal & padding", causal_mask(8) & padding_mask(torch.tensor([4]), 8)),
):
    change = (masked_attention(after, after, after, mask) - masked_attention(before, before, before, mask))[
        0, 0
    ]  # (8, 16)
    print(
        f"{name:16}: largest change at positions 0 to 4: {float(change[:5].abs().max()):.3f}, at 5 to 7: {float(change[5:].abs().max()):.3f}"
    )

# %% [markdown]
# ## 4. Many heads
#
# One softmax gives one mean. A token that needs two things at once gets two softmaxes: the width $d$ is cut into $h$ parts of $d / h$, one for each head.
#
# ```text
#   (B, N, d) ─ cut the last axis ─→ (B, N, h, d/h) ─ swap two axes ─→ (B, h, N, d/h)
#
#   each token:  [ 0 1 2 3 | 4 5 6 7 ]      head 0 gets 0 1 2 3 of every token, head 1 gets 4 5 6 7
# ```

# %% [markdown]
# **Split heads.** Nothing is computed, and no number comes to another token.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `view` and `reshape` cut and join neighbouring axes; they never swap any. To swap, `transpose`.
#
# </details>


# %% exercise="split_heads"
def split_heads(x, heads):
    """Gives each head its part of every token; the first head gets the first d / heads numbers.

    x (B, N, d) tensor of any type, which is kept; heads divides d. Returns (B, heads, N, d / heads).
    """
    ### BEGIN SOLUTION
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)  # (B, N, h, d/h) → (B, h, N, d/h)
    ### END SOLUTION


# %%
check("split_heads")

# %% [markdown]
# Three linear maps come before the heads, $q = W_Q x + b_Q$ and so on; a fourth, $W_O$, mixes what the heads found. PyTorch keeps the first three in one matrix:
#
# ```text
#   w_in (3d, d)   ┌ W_Q ┐ rows 0 to d       queries, from x
#                  │ W_K │ rows d to 2d      keys,    from the context (x itself, or the encoder's states)
#                  └ W_V ┘ rows 2d to 3d     values,  from the context
# ```

# %% [markdown]
# **Multi-head attention.** Five steps: project, split, attend, merge, project.
#
# *25 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `functional.linear(x, w, b)` computes $xw^\top + b$. To merge, undo the split: first swap the axes back, then join the last two with `flatten`.
#
# </details>


# %% exercise="multi_head"
def multi_head(x, context, w_in, b_in, w_out, b_out, heads, mask=None):
    """Attention from x to the context with several heads side by side, as
    torch.nn.MultiheadAttention computes it.

    x (B, N, d); context (B, M, d); w_in (3d, d) and b_in (3d,): the maps of queries, keys and
    values, one below the other; w_out (d, d) and b_out (d,): the map of the merged heads; mask:
    bool, of a shape that spreads to (B, heads, N, M), True where a query may attend to a key; None
    if it may to all. Where a query may see nothing, its heads find zeros, and no gradient is NaN.
    Returns (B, N, d). Vaswani et al. 2017, section 3.2.2 (which has no biases).
    """
    ### BEGIN SOLUTION
    w_query, w_key, w_value = w_in.chunk(3)  # (d, d) each
    b_query, b_key, b_value = b_in.chunk(3)  # (d,) each
    queries = split_heads(functional.linear(x, w_query, b_query), heads)  # (B, h, N, d/h)
    keys = split_heads(functional.linear(context, w_key, b_key), heads)  # (B, h, M, d/h)
    values = split_heads(functional.linear(context, w_value, b_value), heads)  # (B, h, M, d/h)
    if mask is None:
        mixed = attention(queries, keys, values)  # (B, h, N, d/h)
    else:
        mixed = masked_attention(queries, keys, values, mask)
    return functional.linear(mixed.transpose(1, 2).flatten(2), w_out, b_out)  # (B, N, d)
    ### END SOLUTION


# %%
check("multi_head")

# %% [markdown]
# Compare PyTorch's layer, with the same weights and a causal mask (True where nobody may look):

# %%
layer = nn.MultiheadAttention(64, 8, batch_first=True)
own = (layer.in_proj_weight, layer.in_proj_bias, layer.out_proj.weight, layer.out_proj.bias)
x = normal(2, 9, 64)
with torch.no_grad():
    theirs, _ = layer(x, x, x, attn_mask=~causal_mask(9))
    ours = multi_head(x, x, *own, 8, causal_mask(9))
    print(f"largest difference from PyTorch's: {float((ours - theirs).abs().max()):.1e}, heads of width {64 // 8}")

# %% [markdown]
# ## 5. Positions
#
# Attention sees a *set*: shuffle the tokens, and each gets the same vector as before. *개가 사람을 물었다* survives that, by its particles; *dog bites man* does not.

# %%
order = torch.randperm(9, generator=draws)
with torch.no_grad():
    straight, shuffled = (multi_head(one, one, *own, 8) for one in (x, x[:, order]))
    print(f"the same vectors in the new order, up to {float((shuffled - straight[:, order]).abs().max()):.1e}")

# %% [markdown]
# So the Transformer adds each position to the token's vector: clock hands, a sine and a cosine for each, every hand slower than the one before.
#
# $$p_{i,\,2j} = \sin\left(i / 10000^{2j/d}\right) \qquad p_{i,\,2j+1} = \cos\left(i / 10000^{2j/d}\right)$$

# %% [markdown]
# **Sinusoids.** Section 3.5; positions count from 0.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Angles first, as a table (length, width/2). Sines go to columns `0::2`, cosines to `1::2`.
#
# </details>


# %% exercise="sinusoids"
def sinusoids(length, width):
    """The encodings of positions 0 to length − 1: sines on even dimensions, cosines on odd ones, in
    pairs of one frequency.

    width: even. Returns a float32 tensor (length, width). Vaswani et al. 2017, section 3.5.
    """
    ### BEGIN SOLUTION
    frequencies = 10_000 ** (-torch.arange(0, width, 2) / width)  # (width/2,)
    angles = torch.arange(length)[:, None] * frequencies  # (length, width/2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)  # (length, width/2, 2) → (length, width)
    ### END SOLUTION


# %%
check("sinusoids")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.4), layout="constrained")
places = sinusoids(100, 64)  # (100, 64)
left.imshow(places.T, aspect="auto", cmap="RdBu", vmin=-1, vmax=1, interpolation="nearest")
left.set(xlabel="position", ylabel="dimension", title="Each pair of dimensions turns more slowly")
products = places @ places.T  # (100, 100)
for start, colour in zip((20, 50, 80), plots.COLOURS):
    right.plot(products[start], color=colour, label=f"position {start}")
right.set(xlabel="position", ylabel="dot product", title="Their product depends on the distance alone")
right.legend()
plt.show()

# %% [markdown]
# Moving on by $k$ turns each pair by a fixed angle. So one matrix leads from any position to the one three further on, and $W_Q$ can learn it.

# %%
angles = 3 * 10_000 ** (-torch.arange(0, 64, 2) / 64)  # (32,)
turns = [torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]) for a in angles.tolist()]
error = (places[:-3] @ torch.block_diag(*turns) - places[3:]).abs().max()
print(f"positions 0 to 96, each pair turned by its angle, are positions 3 to 99 up to {float(error):.1e}")

# %% [markdown]
# ## 6. What it costs
#
# Count the multiplications of one layer on one sentence of $n$ tokens, and the weights that it keeps for the backward pass:
#
# ```text
#   four projections   (n, d) · (d, d)         the scores   (n, d/h) · (d/h, n)  in each head
#                                              the mixture  (n, n) · (n, d/h)    in each head
# ```

# %% [markdown]
# **Cost.** A product of $(a, b)$ and $(b, c)$ takes $abc$ multiplications.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Try one head first. Then see what becomes of $h \cdot n^2 \cdot d / h$.
#
# </details>


# %% exercise="attention_cost"
def attention_cost(length, width, heads):
    """What one layer of self-attention takes for one sequence, counted.

    Returns three whole numbers: multiplications in the projections of queries, keys, values and
    output; multiplications in the scores and the mixture, all heads together; attention weights,
    all heads together. Softmax, scaling and biases are not counted. Vaswani et al. 2017, section 4.
    """
    ### BEGIN SOLUTION
    projections = 4 * length * width**2
    attending = 2 * length**2 * width  # h heads of width d/h
    return projections, attending, heads * length**2
    ### END SOLUTION


# %%
check("attention_cost")


# %%
def seconds(n):
    """How long your attention takes with 8 heads of width 64, the
    paper's base model (d = 512); the mean of three."""
    q = normal(1, 8, n, 64)
    started = time.perf_counter()
    for _ in range(3):
        attention(q, q, q)
    return (time.perf_counter() - started) / 3


measured = {"smoke": 512, "cpu": 2048, "gpu": 4096}[profile]  # the longest that is timed
rows = [
    (n, *attention_cost(n, 512, 8), 1000 * seconds(n) if n <= measured else None)
    for n in (128, 256, 512, 1024, 2048, 4096)
]
costs = pd.DataFrame(rows, columns=["n", "projections", "attending", "weights", "ms, this machine"])
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.4), layout="constrained")
left.loglog(costs["n"], costs["projections"], marker="o", label="projections")
left.loglog(costs["n"], costs["attending"], marker="s", label="scores and mixture")
left.set(ylabel="multiplications", title="From n = 2d on, attending costs more than the projections")
right.loglog(costs["n"], 4 * costs["weights"] / 2**20, marker="o", label="weights, MiB in float32")
right.loglog(costs["n"], costs["ms, this machine"], marker="s", label="attention, ms on this machine")
right.set(ylabel="MiB or ms", title="Twice the length, four times the memory")
for ax in (left, right):
    ax.set_xticks(costs["n"], costs["n"], minor=False)
    ax.set(xlabel="length n, for d = 512 and 8 heads")
    ax.minorticks_off()
    ax.legend()
plt.show()
costs.round(2)

# %% [markdown]
# Memory is counted; the time is one run of your machine, and short lengths are all overhead. A text of 512 tokens at $d = 768$ (BERT) spends more on projections than
# on attending.

# %% [markdown]
# ## 7. Experiment: what attention is good for
#
# Three small tasks, each with a control that lacks one thing. The learned weights go through **your** functions.

# %%
WIDTH = 64
steps, longest, pairs = {"smoke": (300, 16, 8), "cpu": (800, 32, 12), "gpu": (3000, 64, 16)}[profile]
SYMBOLS = 16  # different keys, and as many values


class Heads(nn.Module):
    """Your multi-head attention, with weights that can be trained."""

    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        self.w_in = nn.Parameter(torch.randn(3 * WIDTH, WIDTH) / math.sqrt(WIDTH))
        self.b_in = nn.Parameter(torch.zeros(3 * WIDTH))
        self.w_out = nn.Parameter(torch.randn(WIDTH, WIDTH) / math.sqrt(WIDTH))
        self.b_out = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x, context, mask):
        """(B, N, d), (B, M, d) → (B, N, d)."""
        return multi_head(x, context, self.w_in, self.b_in, self.w_out, self.b_out, self.heads, mask)


def fit(model, batches):
    """Trains on batch 0, 1, …; returns the loss of each step."""
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    return train(model, batches, Plan(steps=steps, device=str(run.device)), optimizer).losses


# %% [markdown]
# **Looking up.** A sentence is a set of pairs, 3 = 7, 1 = 4, … Asked for a key, say its value. The control gets the mean of all pairs, *one vector*, before the
# question. Padding is 0, which is a key too: only your mask keeps it out.


# %%
def questions(number, looks, count=64):
    """Batch of a number: keys (B, M), values (B, M), lengths (B,), the
    keys asked for (B, looks), their values (B, looks)."""
    draws = torch.Generator().manual_seed(1_000_003 * seed + number)
    keys = torch.rand(count, SYMBOLS, generator=draws).argsort(dim=1)[:, :pairs]  # (B, M), no key twice
    values = torch.randint(SYMBOLS, (count, pairs), generator=draws)
    lengths = torch.randint(2, pairs + 1, (count,), generator=draws)
    places = (torch.rand(count, looks, generator=draws) * lengths[:, None]).long()  # (B, looks)
    padding = torch.arange(pairs) >= lengths[:, None]  # (B, M)
    asked, answers = keys.gather(1, places), values.gather(1, places)
    return keys.masked_fill(padding, 0), values.masked_fill(padding, 0), lengths, asked, answers


class Additive(nn.Module):
    """Bahdanau's attention, with your scores."""

    def __init__(self):
        super().__init__()
        self.w_query = nn.Parameter(torch.randn(WIDTH, WIDTH) / math.sqrt(WIDTH))
        self.w_key = nn.Parameter(torch.randn(WIDTH, WIDTH) / math.sqrt(WIDTH))
        self.v = nn.Parameter(torch.randn(WIDTH) / math.sqrt(WIDTH))

    def forward(self, x, context, mask):
        """(B, 1, d), (B, M, d) → (B, 1, d)."""
        scores = additive_scores(x, context, self.w_query, self.w_key, self.v)  # (B, 1, M)
        return scores.masked_fill(~mask[:, 0], -torch.inf).softmax(dim=-1) @ context


class OneVector(nn.Module):
    """The control: the mean of the context, and a network that reads it together with the question."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2 * WIDTH, 4 * WIDTH)
        self.outer = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, context, mask):
        """(B, 1, d), (B, M, d) → (B, 1, d)."""
        here = mask[:, 0].transpose(1, 2)  # (B, M, 1)
        mean = (context * here).sum(dim=1, keepdim=True) / here.sum(dim=1, keepdim=True)  # (B, 1, d)
        return self.outer(self.inner(torch.cat([mean, x], dim=-1)).relu())


class LookUp(nn.Module):
    """Says the values of the keys that are asked for; all that it knows of the pairs comes through `look`."""

    def __init__(self, look, looks=1):
        super().__init__()
        self.look, self.looks = look, looks
        self.keys, self.values = nn.Embedding(SYMBOLS, WIDTH), nn.Embedding(SYMBOLS, WIDTH)
        self.asked = nn.Embedding(looks * SYMBOLS, WIDTH)  # a key has a vector for each place in the question
        self.read = nn.Linear(WIDTH, looks * SYMBOLS)

    def inputs(self, keys, values, lengths, asked):
        """The question (B, 1, d), the pairs (B, M, d), the mask (B, 1, 1, M)."""
        places = torch.arange(self.looks, device=asked.device) * SYMBOLS
        question = self.asked(asked + places).sum(dim=1, keepdim=True)  # (B, looks, d) → (B, 1, d)
        return question, self.keys(keys) + self.values(values), padding_mask(lengths, keys.size(1))

    def answer(self, *asked):
        """Scores of each value at each place of the answer, (B, looks, SYMBOLS)."""
        return self.read(self.look(*self.inputs(*asked))[:, 0]).unflatten(-1, (self.looks, SYMBOLS))

    def forward(self, batch):
        """The mean loss of a batch of questions."""
        *asked, answers = batch
        return functional.cross_entropy(self.answer(*asked).flatten(0, 1), answers.flatten())


def right(model):
    """The share of 2,000 new questions of which all is answered rightly."""
    *asked, answers = (tensor.to(run.device) for tensor in questions(10**6, model.looks, 2_000))
    with torch.no_grad():
        return float((model.answer(*asked).argmax(dim=-1) == answers).all(dim=1).float().mean())


models, losses = {}, {}
for name, look, looks in (("one_vector", OneVector, 1), ("additive", Additive, 1), ("dot", lambda: Heads(1), 1)):
    torch.manual_seed(seed)
    models[name] = LookUp(look(), looks)
    losses[name] = fit(models[name], lambda number: questions(number, 1))
found = {name: right(models[name]) for name in ("one_vector", "additive", "dot")}
print({name: round(share, 3) for name, share in found.items()}, f"chance {1 / SYMBOLS:.3f}")

# %% [markdown]
# **Looking twice.** Two keys are asked for; the answer is their values in that order. One head of width 64 against four of width 16: as many weights.

# %%
for name, heads in (("one_head", 1), ("four_heads", 4)):
    torch.manual_seed(seed)
    models[name] = LookUp(Heads(heads), 2)
    losses[name] = fit(models[name], lambda number: questions(number, 2))
    found[name] = right(models[name])
print(f"both values right: one head {found['one_head']:.3f}, four heads {found['four_heads']:.3f}")


# %%
def weights_of(heads, x, context, mask):
    """How much each query attends to each key, (B, h, N, M):
    your attention, with the unit vectors as values."""
    with torch.no_grad():
        query, key, _ = heads.w_in.chunk(3)
        queries, keys = (
            split_heads(x @ query.T + heads.b_in[:WIDTH], heads.heads),
            split_heads(context @ key.T, heads.heads),
        )
        units = torch.eye(context.size(1), device=x.device).expand(*keys.shape[:2], -1, -1)  # (B, h, M, M)
        return masked_attention(queries, keys, units, mask)


*asked, answers = (tensor.to(run.device) for tensor in questions(10**6, 2, 200))
sample = int(((asked[2] == pairs) & (asked[3][:, 0] != asked[3][:, 1])).nonzero()[0])  # a full one, two different keys
figure, axes = plt.subplots(1, 2, figsize=(11, 2.6), layout="constrained", width_ratios=(1, 1))
for ax, name in zip(axes, ("one_head", "four_heads")):
    seen = weights_of(models[name].look, *models[name].inputs(*asked))[sample, :, 0].cpu()  # (h, M)
    ax.imshow(seen, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    wanted = asked[3][sample].tolist()
    names = [
        f"{key}" + "".join(f"\n({place + 1}.)" for place in (0, 1) if wanted[place] == key)
        for key in asked[0][sample].tolist()
    ]
    ax.set_xticks(range(pairs), names)
    ax.set_yticks(range(len(seen)))
    ax.set(xlabel="keys of the sentence, (1.) and (2.) asked for", ylabel="head")
    ax.set_title(f"{name.replace('_', ' ')}: both right in {found[name]:.0%}")
plt.show()

# %% [markdown]
# **Word order.** Say at each position what stood three places before. The controls: no positions, and a learned vector for each position.

# %%
BACK, TOKENS = 3, 8


def sequences(number, count=48):
    """Batch of a number: (B, N) ids."""
    draws = torch.Generator().manual_seed(1_000_003 * seed + number)
    return torch.randint(TOKENS, (count, longest), generator=draws)


class Echo(nn.Module):
    """Says at each position which token it believes stood BACK places before; sees nothing later."""

    def __init__(self, places):
        super().__init__()
        self.tokens, self.places = nn.Embedding(TOKENS, WIDTH), places
        self.look, self.read = Heads(4), nn.Linear(WIDTH, TOKENS)

    def answer(self, ids):
        """Scores of each token at each position, (B, N, TOKENS)."""
        x = self.tokens(ids) + self.places.to(ids.device)  # (B, N, d)
        return self.read(self.look(x, x, causal_mask(longest).to(ids.device)))

    def forward(self, ids):
        """The mean loss at positions from BACK on."""
        return functional.cross_entropy(self.answer(ids)[:, BACK:].flatten(0, 1), ids[:, :-BACK].flatten())


def tables():
    """What is added to the tokens, (longest, d), under three names."""
    return {
        "no_positions": torch.zeros(longest, WIDTH),
        "sinusoids": sinusoids(longest, WIDTH),
        "learned": nn.Parameter(torch.randn(longest, WIDTH)),
    }


ids = sequences(10**6, 1_000).to(run.device)
for name in tables():
    torch.manual_seed(seed)
    models[name] = Echo(tables()[name])
    losses[name] = fit(models[name], sequences)
    with torch.no_grad():
        hits = models[name].answer(ids).argmax(dim=-1)[:, BACK:] == ids[:, :-BACK]  # (B, N − BACK)
    found[name] = float(hits.float().mean())
    print(
        f"{name}: {found[name]:.3f} of the tokens, {float(hits.all(dim=1).float().mean()):.3f} of the sequences without a mistake"
    )

# %% [markdown]
# A head that has found the rotation shows a line three below the diagonal.

# %%
figure, axes = plt.subplots(1, 4, figsize=(12, 3.2), layout="constrained", sharey=True)
echo = models["sinusoids"]
x = echo.tokens(ids[:1]) + echo.places.to(ids.device)  # (1, N, d)
maps = weights_of(echo.look, x, x, causal_mask(longest).to(ids.device))[0].cpu()  # (4, N, N)
for number, ax in enumerate(axes):
    ax.imshow(maps[number], cmap="Blues", vmin=0, vmax=1)
    behind = float(maps[number].diagonal(-BACK).mean())
    ax.set(xlabel="key", title=f"head {number}: {behind:.0%} on {BACK} back")
axes[0].set_ylabel("query")
plt.show()

# %% [markdown]
# ## Results
#
# Each number is a difference from its control in the share of right answers. The weights are recorded: the grader asks them new questions.

# %% tags=["metrics"]
metrics = {
    "additive_minus_one_vector": found["additive"] - found["one_vector"],
    "dot_minus_one_vector": found["dot"] - found["one_vector"],
    "four_heads_minus_one": found["four_heads"] - found["one_head"],
    "sinusoids_minus_none": found["sinusoids"] - found["no_positions"],
    "learned_minus_none": found["learned"] - found["no_positions"],
}
kept = {f"{name}.{key}": weight for name, model in models.items() for key, weight in model.state_dict().items()}
record(metrics, **kept)

# %%
figure, axes = plt.subplots(1, 3, figsize=(13, 3.6), layout="constrained", sharex=True)
panels = {
    f"Asking finds {found['dot']:.0%}, one vector {found['one_vector']:.0%}": ("one_vector", "additive", "dot"),
    f"Both values right: four heads {found['four_heads']:.0%}, one {found['one_head']:.0%}": ("one_head", "four_heads"),
    f"Tokens right: sinusoids {found['sinusoids']:.0%}, no positions {found['no_positions']:.0%}": (
        "no_positions",
        "learned",
        "sinusoids",
    ),
}
for ax, (title, names) in zip(axes, panels.items()):
    for name in names:
        smooth = pd.Series(losses[name]).rolling(10, min_periods=1).mean()
        ax.plot(smooth, label=name.replace("_", " "))
    ax.set(xlabel="step", ylabel="loss in nats, mean of 10 steps", ylim=(0, None), title=title)
    ax.legend()
plt.show()

# %% [markdown]
# In the table's runs both kinds of attention find nearly every value, one vector about three in ten. Four heads answer both halves; one head mostly fails. Positions
# of either kind solve the order task; without them the model can only guess among the tokens that it has seen. Learned positions are no worse than sinusoids here.

# %% [markdown]
# How much each brings in *translation* is not shown. Bahdanau's 9 BLEU and the Transformer's 0.9 for heads are of real text, where a vector holds more and one head
# fails less.

# %% [markdown]
# ## In your own words
#
# **1.** In *looking twice* one head may put half of its weight on each of the two pairs, so both values are in its output. Why can it still not answer?

# %% [markdown] answer="why_two_heads" points=2
# ### BEGIN SOLUTION
# One softmax gives one mean, ½ v₁ + ½ v₂, which is the same whichever of the two was asked for first: the values are there, their order is not. Unequal weights mark the order, but the linear read-out
# then finds the stronger value at both places. Two heads write into different parts of the output, so that each value has a place of its own.
#
# (1 point: the output is one mean, in which the order of the two is lost. 1 point: heads have outputs of their own, which W_O can tell apart.)
# ### END SOLUTION

# %% [markdown]
# **2.** A friend applies the causal mask *after* the softmax: it multiplies weights of later tokens by 0. Name two things that go wrong when a language model is
# trained so.

# %% [markdown] answer="mask_after_softmax" points=2
# ### BEGIN SOLUTION
# The weights of a row no longer sum to 1: early positions, which lose most, get short vectors. And later tokens still have a say: their scores stand in the softmax's denominator, so what is
# written later changes the weights of what came before. The model can read a trace of the future while it is trained, which is missing when it writes.
#
# (1 point: rows do not sum to 1. 1 point: the future leaks through the denominator. Dividing by the new sum mends both.)
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Jain and Wallace 2019, [Attention is not Explanation](https://arxiv.org/abs/1902.10186), and Wiegreffe and Pinter 2019, [Attention is not not Explanation](https://arxiv.org/abs/1908.04626): what a map of weights proves.
# - Dao et al. 2022, [FlashAttention](https://arxiv.org/abs/2205.14135): the same numbers without keeping the $n^2$ weights.
# - `etude/models/attention.py`: your functions in the course's library. Next: *The Transformer*.
