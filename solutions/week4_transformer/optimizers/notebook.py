# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Training it: Adam, warm-up, and where the norm stands
#
# **The papers.** Xiong et al., [On Layer Normalization in the Transformer Architecture](https://arxiv.org/abs/2002.04745) (ICML 2020); Liu et al.,
# [On the Variance of the Adaptive Learning Rate and Beyond](https://arxiv.org/abs/1908.03265) (ICLR 2020: RAdam).
#
# The Transformer's authors let the learning rate rise for 4,000 of 100,000 steps before it falls. Without that **warm-up** the published model can
# fail to learn. Two papers ask why, and each gives another answer.

# %% [markdown]
# **The claims to test.**
#
# | paper | blames | cure | claim |
# |---|---|---|---|
# | Xiong et al. | Post-LN, the norm *after* each sum | Pre-LN, the norm inside | gradients of the last layer: Post-LN as large at any depth $L$, Pre-LN smaller by $1/\sqrt L$; so Pre-LN needs no warm-up |
# | Liu et al. | Adam's divisor, made of few gradients | RAdam, which waits and rectifies | its variance is too large in the first steps; the paper trusts it from $\rho_t > 4$ on, step 5 at $\beta_2 = 0.999$ |
#
# A third paper comes in at the end: Dong et al., [Attention is not all you need](https://arxiv.org/abs/2103.03404) (2021), on what the sum itself is for.

# %% [markdown]
# You write the update rules and schedules (about 2 hours), then train six layers with them in five ways.

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: about a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

import etude
from etude import check, plots, record
from etude.models.attention import MultiHeadAttention
from etude.models.blocks import Block, BlockConfig
from etude.world import World

run = etude.start("week4_transformer/optimizers", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. All gradients, one length
#
# One batch can have a gradient a hundred times longer than the others. **Clipping** shortens it. The length is that of *all* gradients together, and
# one factor shortens them all: the direction stays.

# %% [markdown]
# | gradients | limit | together | factor | come out as |
# |---|---|---|---|---|
# | (3, 0), (0, 4) | 1 | 5 | 1/5 | (0.6, 0), (0, 0.8) |
# | (3, 0), (0, 4) | 10 | 5 | none | (3, 0), (0, 4) |
# | (3, 0), (0, 4) | ∞ | 5 | none | (3, 0), (0, 4) |

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>The squares of all numbers of all tensors are summed first; the root comes last, once.</details>
# <details><summary>Hint</summary>A factor above 1 would make short gradients longer.</details>


# %% exercise="clip_by_global_norm"
def clip_by_global_norm(gradients, limit):
    """All gradients times one factor, so that together they are at most `limit` long; short ones
    stay as they are.

    gradients: list of one or more float tensors of any shapes, perhaps all zeros; they are not
    changed. limit: a float, 0.1 or more, infinity for none.
    Longer ones come out as long as the limit. (torch adds 1e-6 to the norm before it divides; you may.)
    Returns (list of tensors, norm of all of them together before clipping: float). Pascanu et
    al. 2013, Algorithm 1.
    """
    ### BEGIN SOLUTION
    norm = math.sqrt(sum(float(gradient.square().sum()) for gradient in gradients))
    factor = limit / norm if norm > limit else 1.0
    return [factor * gradient for gradient in gradients], norm
    ### END SOLUTION


# %%
check("clip_by_global_norm")

# %% [markdown]
# ## 2. SGD with momentum
#
# From here on all weights of the model are **one long vector** $w$ of P numbers, and so is its gradient $g$: an equation is then a line of code.
# Each rule gives a *direction* $d$, and $w \leftarrow w - \eta\, d$.

# %% [markdown]
# **Momentum** lets the direction roll on: $u \leftarrow \beta u + g$, and $d = u$. **Nesterov** looks one step ahead: with the new $u$,
# $d = g + \beta u$.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>This velocity is a sum, not a mean: nothing is multiplied by 1 − β. That is torch's form, too.</details>
# <details><summary>Hint</summary>The direction may differ from the velocity; what is kept is always the velocity.</details>


# %% exercise="sgd"
def sgd(gradient, velocity, beta=0.9, nesterov=False):
    """The direction of SGD with momentum.

    gradient, velocity: float tensors (P,); before the first step the velocity is zeros. Neither is
    changed.
    Returns (direction (P,), velocity (P,)). Sutskever et al. 2013, section 2, in torch's form.
    """
    ### BEGIN SOLUTION
    velocity = beta * velocity + gradient  # (P,)
    direction = gradient + beta * velocity if nesterov else velocity  # (P,)
    return direction, velocity
    ### END SOLUTION


# %%
check("sgd")

# %% [markdown]
# ## 3. Adam
#
# Week 3's lesson `families` put Adam into the family tree. Here it is a tool: $d = \hat m / (\sqrt{\hat v} + \varepsilon)$, with running means of $g$ and $g^2$.

# %% [markdown]
# Both means start at 0, so they are too small at first: of the first gradient $m$ holds a tenth and $v$ a thousandth. The **correction** divides by
# the weight that the real gradients have so far, $1 - \beta^t$:
#
# | step | $m$ if all g = 1 | $1 - \beta_1^t$ | $\hat m$ |
# |---|---|---|---|
# | 1 | 0.1 | 0.1 | 1 |
# | 2 | 0.19 | 0.19 | 1 |
# | 3 | 0.271 | 0.271 | 1 |

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>The first step is step 1: count before you correct.</details>
# <details><summary>Hint</summary>What is kept for the next step are m and v as they are, without the correction.</details>


# %% exercise="adam"
def adam(gradient, memory, beta1=0.9, beta2=0.999, eps=1e-8):
    """The direction of Adam, with ε outside the root and added after the correction.

    gradient: float tensor (P,). memory: (t, m, v), how many steps have been made and both running
    means, float tensors (P,); before the first step (0, zeros, zeros). Nothing of it is changed.
    Returns (direction (P,), (t, m, v) after this step). Kingma and Ba 2015, Algorithm 1.
    """
    ### BEGIN SOLUTION
    t, m, v = memory
    t = t + 1
    m = beta1 * m + (1 - beta1) * gradient  # (P,)
    v = beta2 * v + (1 - beta2) * gradient.square()  # (P,)
    mean, square = m / (1 - beta1**t), v / (1 - beta2**t)  # (P,), (P,)
    return mean / (square.sqrt() + eps), (t, m, v)
    ### END SOLUTION


# %%
check("adam")

# %% [markdown]
# ## 4. Two ways to let weights decay
#
# **L2**: a penalty $\frac{\lambda}{2} \lVert w \rVert^2$ in the loss, so $g \leftarrow g + \lambda w$, and Adam divides the penalty with the rest. **AdamW**: $g$ stays, and the weights
# shrink *beside* the step, by $\eta \lambda w$.
#
# ```
# L2       g + λw ──▶ Adam ──▶ d        w ← w − η d
# AdamW    g ───────▶ Adam ──▶ d        w ← w − η d − η λ w
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Call your <code>adam</code> for the direction in both cases; only what goes in or what comes after differs.</details>
# <details><summary>Hint</summary>Both w on the right side are the weights before this step.</details>


# %% exercise="adam_step"
def adam_step(weights, gradient, memory, lr, decay, decoupled=True):
    """One step of AdamW (decoupled), or of Adam with an L2 penalty (not decoupled), with the
    default betas and eps.

    weights, gradient: float tensors (P,); memory: (t, m, v) as for `adam`; lr and decay: η and λ.
    Nothing is changed.
    Returns (weights (P,) after the step, (t, m, v)). Loshchilov and Hutter 2019, Algorithm 2, with
    η multiplying λ as in torch.
    """
    ### BEGIN SOLUTION
    if not decoupled:
        gradient = gradient + decay * weights
    direction, memory = adam(gradient, memory)
    if decoupled:
        direction = direction + decay * weights
    return weights - lr * direction, memory
    ### END SOLUTION


# %%
check("adam_step")

# %% [markdown]
# What is the difference worth? All weights start at 1, and their gradients are pure noise, of four sizes from tiny to large. Nothing is learnt, so what is seen is
# the decay.

# %%
chance = torch.Generator().manual_seed(seed)
scales = torch.tensor([0.01, 0.1, 1.0, 10.0]).repeat_interleave(200)  # (800,): 200 weights for each scale of noise
left = {}
for name, decoupled in {"AdamW": True, "Adam with L2": False}.items():
    weights, memory = torch.ones(800), (0, torch.zeros(800), torch.zeros(800))
    for _ in range(400):
        noise = scales * torch.randn(800, generator=chance)  # (800,)
        weights, memory = adam_step(weights, noise, memory, lr=1e-3, decay=0.5, decoupled=decoupled)
    left[name] = weights.reshape(4, 200).mean(dim=1)  # (4,)
figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
for name, values in left.items():
    axes.semilogx([0.01, 0.1, 1, 10], values, "o-", label=name)
axes.axhline((1 - 1e-3 * 0.5) ** 400, color="#999999", ls="--", label="(1 − ηλ)⁴⁰⁰")
axes.set(xlabel="size of the gradients' noise", ylabel="mean weight after 400 steps, from 1")
axes.set_title("AdamW's decay asks nobody; L2 in Adam spares weights with large gradients")
axes.legend()
plt.show()

# %% [markdown]
# ## 5. The Transformer's schedule
#
# Now the rate. Vaswani et al. multiply it, at step $s$ (the first is 1), by
#
# $$d^{-0.5} \cdot \min(s^{-0.5},\; s \cdot W^{-1.5}).$$
#
# It is a straight line up to step $W$; then it falls as $1/\sqrt{s}$, not in a straight line, though that is often said. People call it Noam, after the second author.

# %% [markdown]
# *5 minutes, easy.*
#
# <details><summary>Hint</summary>Where are the two arguments of min equal? There the rise ends.</details>


# %% exercise="noam"
def noam(step, width, warmup):
    """The learning rate of a step, counted from 1. width: d, of the model; warmup: W, how many
    steps it rises, at least 1.

    Returns a float. Vaswani et al. 2017, equation 3.
    """
    ### BEGIN SOLUTION
    return width**-0.5 * min(step**-0.5, step * warmup**-1.5)
    ### END SOLUTION


# %%
check("noam")

# %% [markdown]
# ## 6. BERT's schedule
#
# BERT's rate rises in a line, too, and then **falls in a line**, to 0 at the last step. It is written as a factor of the highest rate:
#
# ```
# 1          ╱╲
#          ╱     ╲
# 0  0 ─ W ──────── S   steps
# ```

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>The way down is S − W steps long. After step s, S − s of them are left.</details>
# <details><summary>Hint</summary>W = 0 must not divide by 0: then there is the way down alone, from 1.</details>


# %% exercise="linear_decay"
def linear_decay(step, steps, warmup):
    """The factor of the learning rate at a step: in a line from 0 at step 0 to 1 at step `warmup`,
    then in a line to 0 at step `steps`.

    0 ≤ step, 0 ≤ warmup < steps; after the last step it stays 0; without a warm-up it is 1 at step
    0. Returns a float. Devlin et al. 2019, appendix A.2.
    """
    ### BEGIN SOLUTION
    if step < warmup:
        return step / warmup
    return max(0.0, (steps - step) / (steps - warmup))
    ### END SOLUTION


# %%
check("linear_decay")

# %%
figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
at = np.arange(1, 100_001, 100)
peak = noam(4000, 512, 4000)
axes.plot(at, [noam(int(s), 512, 4000) for s in at], label="Noam: d = 512, W = 4,000")
axes.plot(at, [peak * linear_decay(int(s), 100_000, 4000) for s in at], label="linear, with the same peak and warm-up")
axes.set(xlabel="step", ylabel="learning rate", title=f"Both peak at {peak:.2e}; Noam never falls to 0")
axes.legend()
plt.show()

# %% [markdown]
# Noam falls faster at first only: from about step 21,000 on the line is the steeper one.

# %% [markdown]
# ## 7. How many gradients is a running mean made of?
#
# Liu et al. explain the warm-up by $\hat v$. In the first steps it is a mean of very few squares, sometimes tiny by chance, and then Adam's step is huge.

# %% [markdown]
# How few? Compare the mean **age** of the gradients. In a plain mean of the last $\rho$ it is $(\rho - 1)/2$. The $\rho_t$ that is as old as Adam's $\hat v$ is
#
# $$\rho_t = \rho_\infty - \frac{2 t \beta_2^t}{1 - \beta_2^t}, \qquad \rho_\infty = \frac{2}{1 - \beta_2} - 1.$$
#
# The first step has $\rho_1 = 1$: one gradient.

# %% [markdown]
# The paper's approximation of the variance of $1/\sqrt{\hat v}$ is finite only for $\rho_t > 4$. From there on RAdam multiplies the step by
#
# $$r_t = \sqrt{\frac{(\rho_t - 4)(\rho_t - 2)\,\rho_\infty}{(\rho_\infty - 4)(\rho_\infty - 2)\,\rho_t}},$$
#
# which keeps the variance about as large as it is at the end. The paper's threshold is 4; `torch.optim.RAdam` and the authors' code take 5.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Print ρ for the steps 1 to 6 with β₂ = 0.999: it should be nearly the step.</details>
# <details><summary>Hint</summary>Ask for the threshold first: for ρ between 2 and 4 the number under the root is negative.</details>


# %% exercise="rectification"
def rectification(step, beta2=0.999, threshold=5.0):
    """How many gradients the running mean of squares counts for, and the factor of RAdam's step.

    step: t, counted from 1; threshold: at least 4. ρ∞ is above the threshold.
    Returns (ρ_t: float, r_t: float, or None as long as ρ_t is not above the threshold). Liu et al.
    2020, Algorithm 2.
    """
    ### BEGIN SOLUTION
    last = 2 / (1 - beta2) - 1
    rho = last - 2 * step * beta2**step / (1 - beta2**step)
    if rho <= threshold:
        return rho, None
    return rho, math.sqrt((rho - 4) * (rho - 2) * last / ((last - 4) * (last - 2) * rho))
    ### END SOLUTION


# %%
check("rectification")

# %% [markdown]
# With the threshold 4 the first rectified step is step 5, with 5 it is step 6. Before that, RAdam does not divide at all: it is momentum with corrected means.
#
# | | $\rho_t \le$ threshold | above |
# |---|---|---|
# | RAdam's direction | $\hat m$ | $r_t \cdot \hat m / (\sqrt{\hat v} + \varepsilon)$ |

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Your <code>adam</code> gives the second direction, and the memory with which you make the first.</details>
# <details><summary>Hint</summary>m̂ is corrected in the first steps, too.</details>


# %% exercise="radam"
def radam(gradient, memory, beta1=0.9, beta2=0.999, eps=1e-8, threshold=5.0):
    """The direction of RAdam.

    gradient: float tensor (P,); memory: (t, m, v) as for `adam`; threshold as for `rectification`.
    Nothing is changed.
    Returns (direction (P,), (t, m, v) after this step). Liu et al. 2020, Algorithm 2, with Adam's ε.
    """
    ### BEGIN SOLUTION
    direction, (t, m, v) = adam(gradient, memory, beta1, beta2, eps)
    _, factor = rectification(t, beta2, threshold)
    if factor is None:
        return m / (1 - beta1**t), (t, m, v)
    return factor * direction, (t, m, v)
    ### END SOLUTION


# %%
check("radam")

# %% [markdown]
# Is the variance really so large? Let 20,000 weights have gradients that are nothing but noise of size 1. Then $1/\sqrt{\hat v}$ should be 1; see how it spreads over the
# weights, step by step, as it is and rectified.

# %%
STREAMS, LONG = 20_000, {"smoke": 300, "cpu": 1000, "gpu": 4000}[profile]
chance = torch.Generator().manual_seed(seed)
memory = (0, torch.zeros(STREAMS), torch.zeros(STREAMS))
variances = []  # of each step: the variance of 1/√v̂ over the weights
for _ in range(LONG):
    _, memory = adam(torch.randn(STREAMS, generator=chance), memory)
    t, _, v = memory
    variances.append(float((v / (1 - 0.999**t)).rsqrt().var()))
factors = [rectification(t)[1] for t in range(1, LONG + 1)]
rectified = [np.nan if factor is None else factor**2 * var for factor, var in zip(factors, variances)]
metrics = {"variance_falls_lg": math.log10(variances[5] / variances[-1])}

figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
axes.loglog(range(1, LONG + 1), variances, label="Adam: 1/√v̂")
axes.loglog(range(1, LONG + 1), rectified, label="RAdam: r / √v̂, from step 6 on")
axes.set(xlabel="step", ylabel="variance over 20,000 weights")
axes.set_title(
    f"Adam's divisor: at step 6 its variance is {variances[5] / variances[-1]:,.0f} times that of step {LONG}"
)
axes.legend()
plt.show()

# %% [markdown]
# ## 8. The experiment: five ways to train six layers
#
# The task is small and needs attention: read eight morphemes of the planted Korean world, and say them backwards.
#
# ```
# read   눈  이  내리  ㄴ다  배  를  먹  다
# say    다  먹  를  배  ㄴ다  내리  이  눈
# ```

# %% [markdown]
# Six `Block`s of the library, Post-LN or Pre-LN, of width 32. As in the papers' theory: Xavier's initial weights, no dropout. And no clipping, which could hide what
# we look for.

# %%
VOCABULARY, LENGTH, BATCH, WIDTH, LAYERS = 60, 8, 16, 32, 6
STEPS, WARMUP, RATE = {"smoke": (240, 100, 5e-3), "cpu": (480, 200, 5e-3), "gpu": (4000, 1600, 5e-3)}[profile]
DEVICE = run.device


def morphemes(seed):
    """The morphemes of a text of the world, one after another."""
    return [token for words in World("ko", seed=seed).corpus(20_000, "morpheme") for token in words]


names = [name for name, _ in Counter(morphemes(seed)).most_common(VOCABULARY - 1)]
ids = {name: number for number, name in enumerate(names, start=1)}  # 0 is for all rarer ones
text, other = (torch.tensor([ids.get(name, 0) for name in morphemes(s)]) for s in (seed, seed + 100_000))  # (T,) each
held_out = other[: len(other) // LENGTH * LENGTH].reshape(-1, LENGTH)  # (R, N)
shares = text.bincount() / len(text)  # (V,)
guessing = -float(shares @ shares.log())
print(f"{guessing:.2f} nats for one who knows nothing but how frequent each morpheme is")


def xavier(model):
    """Xavier's initial weights for all matrices."""
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)


class Mirror(nn.Module):
    """Reads N tokens and says them backwards; its loss in nats is the mean over all places."""

    def __init__(self, layers, norm, skip=True):
        super().__init__()
        config = BlockConfig(WIDTH, heads=2, inner=2 * WIDTH, dropout=0.0, attention_dropout=0.0, norm=norm)
        self.tokens, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block(config) for _ in range(layers))
        self.last_norm = nn.LayerNorm(WIDTH) if norm == "pre" else nn.Identity()
        self.out = nn.Linear(WIDTH, VOCABULARY)
        self.skip = skip
        xavier(self)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places.weight  # (B, N, d)
        for block in self.blocks:
            if self.skip:
                x = block(x)
            else:  # Pre-LN without the sums
                x = block.attention(block.attention_sum.norm(x))
                x = block.feed_forward(block.feed_forward_sum.norm(x))
        scores = self.out(self.last_norm(x))  # (B, N, V)
        return nn.functional.cross_entropy(scores.flatten(0, 1), tokens.flip(1).flatten())


# %% [markdown]
# The loop is ten lines, and every piece in it is yours.

# %%
def batch(size, chance):
    """Sequences from random places of the text, (size, N)."""
    starts = torch.randint(0, len(text) - LENGTH, (size, 1), generator=chance)
    return text[starts + torch.arange(LENGTH)].to(DEVICE)


def train(model, rule, rate, warmup, steps=STEPS, limit=math.inf):
    """Trains on batches of the text; returns the losses, (steps,), the gradients of the first ten
    steps, (10, P), and the final loss on a text that was not seen."""
    parameters, chance = list(model.to(DEVICE).parameters()), torch.Generator().manual_seed(seed)
    weights = parameters_to_vector(parameters).detach().clone()  # (P,)
    zeros = torch.zeros_like(weights)
    memory = zeros if rule is sgd else (0, zeros, zeros)
    losses, first = [], []
    for step in range(1, steps + 1):
        loss = model(batch(BATCH, chance))
        gradients, _ = clip_by_global_norm(torch.autograd.grad(loss, parameters), limit)
        gradient = torch.cat([one.flatten() for one in gradients])  # (P,)
        direction, memory = rule(gradient, memory)
        weights = weights - rate * linear_decay(step, steps, warmup) * direction
        vector_to_parameters(weights, parameters)
        losses.append(float(loss.detach()))
        first += [gradient.cpu()] if step <= 10 else []
    with torch.no_grad():
        return torch.tensor(losses), torch.stack(first), float(model(held_out.to(DEVICE)))


WAYS = {  # name → where the norm stands, the rule, the steps of warm-up
    "Post-LN, Adam, warm-up": ("post", adam, WARMUP),
    "Post-LN, Adam": ("post", adam, 0),
    "Post-LN, RAdam": ("post", radam, 0),
    "Pre-LN, Adam, warm-up": ("pre", adam, WARMUP),
    "Pre-LN, Adam": ("pre", adam, 0),
}
curves, first_gradients, final, trained = {}, {}, {}, {}
for name, (norm, rule, warmup) in WAYS.items():
    torch.manual_seed(seed)
    model = Mirror(LAYERS, norm)
    curves[name], first_gradients[name], final[name] = train(model, rule, RATE, warmup)
    trained[name] = parameters_to_vector(model.parameters()).detach().cpu()  # (P,)
    print(f"{name}: {final[name]:.2f} nats")
metrics["post_gains_by_warmup"] = final["Post-LN, Adam"] - final["Post-LN, Adam, warm-up"]
metrics["pre_gains_by_warmup"] = final["Pre-LN, Adam"] - final["Pre-LN, Adam, warm-up"]
metrics["radam_minus_adam"] = final["Post-LN, RAdam"] - final["Post-LN, Adam"]

# %%
figure, (left_side, right_side) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
for name, losses in curves.items():
    smooth = losses.unfold(0, 20, 1).mean(dim=1)  # (steps − 19,)
    left_side.plot(range(20, STEPS + 1), smooth, label=name, ls="--" if name.startswith("Pre") else "-")
left_side.axhline(guessing, color="#999999", ls=":", label="guessing by frequency")
left_side.set(
    xlabel="step",
    ylabel="loss in nats, mean of 20 steps",
    title="Post-LN depends on how it starts, Pre-LN does not",
)
left_side.legend(fontsize=8)
for name in ("Post-LN, Adam, warm-up", "Post-LN, Adam"):
    # (3, 10)
    sizes = first_gradients[name].abs().clamp(min=1e-20).log10().quantile(torch.tensor([0.25, 0.5, 0.75]), dim=1)
    right_side.plot(range(1, 11), sizes[1], "o-", label=name)
    right_side.fill_between(range(1, 11), sizes[0], sizes[2], alpha=0.2)
right_side.set(xlabel="step", ylabel="lg of a gradient's size: median, quarters")
right_side.set_title("Without warm-up the gradients of Post-LN shrink in ten steps")
right_side.legend()
plt.show()


def shrinks(name):
    """lg of how many times the median gradient is larger at step 10 than at step 1."""
    medians = first_gradients[name].abs().median(dim=1).values.log10()  # (10,)
    return float(medians[9] - medians[0])


metrics["gradients_shrink_lg"] = shrinks("Post-LN, Adam") - shrinks("Post-LN, Adam, warm-up")

# %% [markdown]
# Without warm-up the published order ends where guessing does, in most of the table's runs, and now and then it escapes by luck. With warm-up the same model learns, some seeds further
# than others. The other order learns both ways.

# %% [markdown]
# RAdam mostly gets further than Adam with the same rate and no warm-up. In few steps (smoke) warm-up gets further still; in twice as many (cpu) RAdam comes close to it.

# %% [markdown]
# Our warm-up is long, two fifths of all steps, because our training is so short. The Transformer's was 4 %, BERT's 1 %.

# %% [markdown]
# ## 9. Where the norm stands
#
# ```
# Post-LN   x ──┬── sublayer ──⊕── norm ──▶        each sum gets variance 1 again
#               └──────────────┘
# Pre-LN    x ──┬── norm ── sublayer ──⊕──▶        the stream grows with each layer …
#               └──────────────────────┘           … and one norm at the very end divides by that
# ```

# %% [markdown]
# So with Pre-LN the last norm divides by about $\sqrt L$, and the gradient of the last layer's weights with it. That is Xiong et al.'s theory: at the *start* of training,
# $O(1)$ for Post-LN, $O(1/\sqrt L)$ for Pre-LN.

# %%
DEPTHS, DRAWS = {"smoke": (2, 4, 8, 16), "cpu": (2, 4, 8, 16, 24), "gpu": (2, 4, 8, 16, 24)}[profile], 4
norms = {}
for norm in ("post", "pre"):
    torch.manual_seed(seed)
    norms[norm] = []
    for depth in DEPTHS:
        found = []
        for _ in range(DRAWS):
            model = Mirror(depth, norm).to(DEVICE)
            loss = model(batch(64, torch.Generator().manual_seed(seed)))
            found.append(float(torch.autograd.grad(loss, model.blocks[-1].feed_forward[2].weight)[0].norm()))
        norms[norm].append(np.mean(found))
slopes = {norm: float(np.polyfit(np.log(DEPTHS), np.log(found), 1)[0]) for norm, found in norms.items()}
metrics["preln_slope"] = slopes["pre"]
metrics["post_minus_pre_slope"] = slopes["post"] - slopes["pre"]

figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
for norm, name in {"post": "Post-LN", "pre": "Pre-LN"}.items():
    axes.loglog(DEPTHS, norms[norm], "o-", label=f"{name}: slope {slopes[norm]:.2f}")
axes.loglog(DEPTHS, norms["pre"][0] * (np.array(DEPTHS) / DEPTHS[0]) ** -0.5, ls="--", color="#999999", label="1 / √L")
axes.set(xlabel="layers L", ylabel="gradient norm, last feed-forward matrix")
axes.set_title("At the start: Pre-LN's last gradient falls with depth, Post-LN's does not")
axes.set_xticks(DEPTHS, [str(depth) for depth in DEPTHS])
axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
axes.legend()
plt.show()

# %% [markdown]
# ## 10. What the sum is for
#
# Each layer *adds* to what it got: $x + f(x)$. Dong et al. take the sum away and find that attention makes all tokens alike, fast: it averages, and averages of averages
# are all the same.

# %% [markdown]
# How alike are they? Take the table of tokens $X$ and the nearest table $\mathbf 1 \bar x^\top$ whose rows are all equal (it has rank 1). What share of the length is left?
#
# $$\frac{\lVert X - \mathbf 1 \bar x^\top \rVert}{\lVert X \rVert}, \qquad \lVert X \rVert = \sqrt{\textstyle\sum_{ij} x_{ij}^2}$$

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>The row that is nearest to all rows, in squares, is their mean.</details>
# <details><summary>Hint</summary>The shares below get as small as 10⁻¹⁵. Take the mean off first and square afterwards: a difference of squares loses
# all that is below 10⁻⁸.</details>


# %% exercise="rank1_residual"
def rank1_residual(x):
    """How far tokens are from being all alike: from 0, all equal, to 1, a mean of zero.

    x: float tensor (N, d), not all zeros: N tokens. Returns a float, or a tensor (). After Dong et
    al. 2021, section 2, with the Frobenius norm.
    """
    ### BEGIN SOLUTION
    rest = x - x.mean(dim=0)  # (N, d)
    return float(rest.norm() / x.norm())
    ### END SOLUTION


# %%
check("rank1_residual")

# %% [markdown]
# Stacks with random weights, on 32 random tokens, in float64. Does the feed-forward layer help, as is often said, or the skip?

# %%
KINDS = {  # name → with a feed-forward network? with the sums?
    "attention": (False, False),
    "attention, feed-forward": (True, False),
    "attention, skip": (False, True),
    "attention, feed-forward, skip": (True, True),
}
residuals = {name: [] for name in KINDS}  # of each stack and layer
for name, (has_feed_forward, skip) in KINDS.items():
    torch.manual_seed(seed)
    for _ in range(5):
        x = torch.randn(1, 32, WIDTH, dtype=torch.float64)  # (1, N, d)
        found = [rank1_residual(x[0])]
        for _ in range(4):
            feed_forward = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.ReLU(), nn.Linear(2 * WIDTH, WIDTH))
            parts = [MultiHeadAttention(WIDTH, 2), *([feed_forward] if has_feed_forward else [])]
            for part in parts:
                xavier(part.double())
                with torch.no_grad():
                    x = part(x) + x if skip else part(x)
            found.append(rank1_residual(x[0]))
        residuals[name].append(found)
# (5,) each
typical = {name: np.exp(np.log(np.maximum(found, 1e-17)).mean(axis=0)) for name, found in residuals.items()}
metrics["collapse_lg"] = math.log10(typical["attention, skip"][2] / typical["attention"][2])
metrics["feed_forward_helps_lg"] = math.log10(typical["attention, feed-forward"][2] / typical["attention"][2])

figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
for (name, values), marker in zip(typical.items(), "osx^"):
    axes.semilogy(range(5), values, f"{marker}-", label=name)
axes.set(xlabel="layers", ylabel="rank-1 residual, geometric mean of 5 stacks", xticks=range(5))
axes.set_title("Without the sum all tokens are alike after a few layers")
axes.legend()
plt.show()

# %% [markdown]
# A straight line down on this scale would be exponential; this one bends down, about doubly exponential, until float64 ends near $10^{-16}$.

# %% [markdown]
# At random weights the feed-forward network does not stop it; the sum does.

# %% [markdown]
# And can a deep stack learn without sums? One layer, where nothing can collapse, is the control.

# %%
deep = {}
for layers in (1, LAYERS):
    for skip in (True, False):
        if skip and layers == LAYERS:
            deep[layers, skip] = final["Pre-LN, Adam, warm-up"]  # the same model
            continue
        torch.manual_seed(seed)
        deep[layers, skip] = train(Mirror(layers, "pre", skip=skip), adam, RATE, WARMUP)[2]
for (layers, skip), loss in deep.items():
    print(f"{layers} layers {'with' if skip else 'without'} sums: {loss:.2f} nats")
metrics["skips_gain_deep"] = deep[LAYERS, False] - deep[LAYERS, True] - (deep[1, False] - deep[1, True])

# %% [markdown]
# ## 11. And plain SGD?
#
# "Tuned well, SGD with clipping can beat Adam", one hears. Give both the same chances: three rates each, two layers of Pre-LN, warm-up, all gradients clipped to a length of 1.

# %%
GRID = {"SGD": (sgd, (0.1, 0.3, 1.0)), "Adam": (adam, (3e-3, 1e-2, 3e-2))}
tuned = {}
for name, (rule, rates) in GRID.items():
    for rate in rates:
        torch.manual_seed(seed)
        tuned[name, rate] = train(Mirror(2, "pre"), rule, rate, WARMUP // 5, steps=STEPS // 2, limit=1.0)[2]
best = {name: min(loss for (other_name, _), loss in tuned.items() if other_name == name) for name in GRID}
metrics["sgd_minus_adam"] = best["SGD"] - best["Adam"]
for (name, rate), loss in tuned.items():
    print(f"{name}, rate {rate:g}: {loss:.2f} nats")

# %% [markdown]
# `sgd_minus_adam` in the expected table says who was ahead over the seeds, and how far they differ. Three rates and a small model prove nothing about large ones.

# %% [markdown]
# ## Results

# %% tags=["metrics"]
record(
    metrics,
    post=torch.stack([trained[name] for name in WAYS if name.startswith("Post")]),
    pre=torch.stack([trained[name] for name in WAYS if name.startswith("Pre")]),
    post_norms=torch.tensor(norms["post"]),
    pre_norms=torch.tensor(norms["pre"]),
    residuals=torch.tensor([residuals["attention"], residuals["attention, skip"]]).clamp(min=1e-17),
)

# %% [markdown]
# What was found, in the table's runs:
#
# | claim | at our scale |
# |---|---|
# | Post-LN needs warm-up | `post_gains_by_warmup`: yes; how many nats depends on the seed |
# | Pre-LN does without | `pre_gains_by_warmup`: yes; it gains a hundredth of a nat or less |
# | Pre-LN's last gradient falls as $1/\sqrt L$ | `preln_slope` near −0.5; Post-LN's higher by `post_minus_pre_slope` |
# | Adam's divisor varies too much at first | `variance_falls_lg`: powers of ten |
# | without warm-up gradients shrink in ten steps | `gradients_shrink_lg`: by powers of ten, beside those with warm-up |
# | RAdam mends that | `radam_minus_adam` mostly below 0; how near it comes to warm-up depends on the steps |
# | without sums tokens become alike, and deep stacks do not learn | `collapse_lg`, `skips_gain_deep`: yes |
# | the feed-forward network prevents that, too | `feed_forward_helps_lg`: no |
# | tuned SGD with clipping beats Adam | `sgd_minus_adam`: not in the mean; in the smallest profile the seeds differ much |

# %% [markdown]
# ## In your own words
#
# **1.** Two papers blame two things for the same failure. Which run of yours speaks against "it is Adam's variance alone", which against "it is Post-LN alone"?

# %% [markdown] answer="two_causes" points=2
# ### BEGIN SOLUTION
# Pre-LN with Adam and no warm-up learns: the same optimiser with the same noisy divisor, so the variance alone does not break training. Post-LN with
# RAdam and no warm-up gets further than Post-LN with Adam: the same model, so the order of the norm alone does not explain all, either. The two work
# together: under Post-LN the first gradients are large and misleading, and Adam's first steps, whose divisor is noisy, are full-sized whatever the gradient;
# warm-up makes exactly these steps short.
# 1 point for each run named with what it keeps fixed.
# ### END SOLUTION

# %% [markdown]
# **2.** A friend adds $\lambda w$ to the gradient and calls it AdamW. For which weights does that decay too little, and why? Take your figure of section 4 as evidence.

# %% [markdown] answer="l2_is_not_adamw" points=2
# ### BEGIN SOLUTION
# For weights whose gradients are large. Adam divides the whole gradient, the penalty with it, by the size of the past gradients: beside a large gradient λw is
# divided by a large number, and the pull to 0 nearly vanishes. In the figure the weights with noise of size 10 hardly shrink, those with small noise shrink far more,
# and AdamW's all shrink alike, by (1 − ηλ) a step. 1 point for which weights, 1 for the divisor as the reason.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Vaswani et al. 2017, [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 5.3: the schedule in two lines.
# - Loshchilov and Hutter 2019, [Decoupled Weight Decay Regularization](https://arxiv.org/abs/1711.05101): section 2 is short and exact.
# - Nguyen and Salazar 2019, [Transformers without Tears](https://arxiv.org/abs/1910.05895): Pre-LN and smaller weights where data are few.
# - Dong, Cordonnier and Loukas 2021, [Attention is not all you need](https://arxiv.org/abs/2103.03404): why the sum matters.
