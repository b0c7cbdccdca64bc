# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # ELECTRA: a verdict on every token
#
# **The paper.** Clark, Luong, Le and Manning, [ELECTRA: Pre-training Text Encoders as Discriminators Rather Than Generators](https://arxiv.org/abs/2003.10555) (ICLR 2020).
#
# BERT reads a whole text and is asked for 15 % of it. ELECTRA is asked about every token.

# %% [markdown]
# A small **generator** guesses the masked words. The **discriminator** reads the guesses and says of each token: original or replaced? It alone is fine-tuned afterwards.

# %% [markdown]
# ```
#  text       the    chef    cooked     it
#  masked     the   [MASK]   [MASK]     it      ─▶ generator
#  read       the    chef      ate      it      ─▶ discriminator
#  verdict     o      o      replaced    o         (o: original)
# ```

# %% [markdown]
# **The claims to test.** GLUE scores of models of base size (Table 5):
#
# | reads | is asked for | | GLUE |
# |---|---|---|---|
# | [MASK] | the masked words | BERT | 82.2 |
# | guesses | the masked words | Replace MLM | 82.4 |
# | guesses | original or replaced, at masked places | ELECTRA 15% | 82.4 |
# | guesses | every word | All-Tokens MLM | 84.3 |
# | guesses | original or replaced, everywhere | ELECTRA | 85.0 |

# %% [markdown]
# So most of the gain would come from asking **everywhere**, not from the guesses. And is ELECTRA a GAN, as is often said?

# %% [markdown]
# The models are in `etude.models.electra`. You write what makes an ELECTRA of them, in about 2 hours:
#
# | | piece |
# |---|---|
# | 1–2 | guesses: drawn, and put into the text |
# | 3–4 | the verdict's loss, and the sum of both |
# | 5 | what a GAN would do instead |
# | 6 | the cost of a step |
# | 7–8 | the steps between BERT and ELECTRA |

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: a minute or two · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import io
import math
import random
from contextlib import redirect_stderr
from itertools import chain

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.nn import functional
from torch.nn.utils import parameters_to_vector
from torch.nn.utils.rnn import pad_sequence
from torch.utils.flop_counter import FlopCounterMode

import etude
from etude import check, plots, pretrained, pretrained_electra, record
from etude.models.bert import IGNORED, Bert, BertForPretraining
from etude.models.electra import (
    SIZES,
    ElectraConfig,
    ElectraDiscriminator,
    ElectraForPretraining,
    ElectraMaskedLM,
    share,
)
from etude.pretraining import Examples, Masking, Vocabulary
from etude.recipes import RECIPES, Recipe
from etude.recipes_electra import ELECTRA_RECIPES
from etude.train import Plan, adamw, linear_schedule, train
from etude.world.tasks import Tasks

run = etude.start("week6_objectives/electra", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. A guess is drawn
#
# The generator is a small BERT. At a masked place it scores each word of the vocabulary. A word is **drawn** from the softmax of these scores; the best one is not simply taken.

# %% [markdown]
# To draw, *Gumbel* adds noise to each score $z_v$, made of a uniform number $u_v$ between 0 and 1:
#
# $$\text{word} = \arg\max_v \; \bigl(z_v - \ln(-\ln u_v)\bigr)$$
#
# Word $v$ then wins with exactly the probability $\mathrm{softmax}(z)_v$.
#
# ```
#  word      z       u      −ln(−ln u)     sum
#  meal     2.0     .30       −0.19       1.81
#  soup     1.0     .90        2.25       3.25   ◀ drawn
#  fish     0.0     .60        0.67       0.67
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>The inner logarithm is negative, so its minus makes it positive: the outer one is allowed.</details>
# <details><summary>Hint</summary>A score of −∞ says "never". Nothing more is to be done for it.</details>


# %% exercise="sample_tokens"
def sample_tokens(logits, uniform):
    """One word for each masked place, drawn from the softmax of its scores by Gumbel's noise.

    logits: float tensor (M, V), some perhaps −inf; uniform: float tensor (M, V) of numbers above 0
    and below 1, one for each score, perhaps as near to 0 and 1 as their type goes: the noise of each
    is whole, and the same numbers give the same words. Both float32 or both float64. M may be 0.
    Returns int64 (M,). Clark et al. 2020, section 2: x̂ ~ p_G.
    """
    ### BEGIN SOLUTION
    noise = -torch.log(-torch.log(uniform))  # (M, V)
    return (logits + noise).argmax(dim=-1)  # (M,)
    ### END SOLUTION


# %%
check("sample_tokens")

# %%
draws = torch.rand(20_000, 4, generator=torch.Generator().manual_seed(seed))
wanted = torch.tensor([0.5, 0.3, 0.15, 0.05])
found = sample_tokens(wanted.log().expand(20_000, 4), draws).bincount(minlength=4) / 20_000
pd.DataFrame({"probability": wanted, "drawn": found}, index=["meal", "soup", "fish", "shoe"]).round(3)

# %% [markdown]
# What comes back are **ids**, whole numbers, and these have no derivative: what is computed from them later tells the scores nothing. Section 4 needs that.

# %% [markdown]
# ## 2. Into the text
#
# The guesses take their places, and each token gets its label: was it **replaced**?

# %% [markdown]
# | | the | chef | cooked | the | meal |
# |---|---|---|---|---|---|
# | masked | | ✓ | ✓ | | |
# | guess | | chef | ate | | |
# | read | the | chef | ate | the | meal |
# | replaced | no | **no** | yes | no | no |

# %% [markdown]
# `chef` was masked and guessed right: the original stands there, so its label is *original*.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>The guesses come in reading order: row by row, from left to right. A boolean mask picks places in this order, too.</details>
# <details><summary>Hint</summary>Do not write into <code>tokens</code>: copy first.</details>


# %% exercise="replace_tokens"
def replace_tokens(tokens, chosen, sampled):
    """What the discriminator reads, and which of it was replaced.

    tokens: int64 (B, N), the original text, not changed; chosen: bool (B, N), the places that were
    masked; sampled: int64 (M,), a word for each chosen place, row by row from left to right. M may
    be 0. Returns (read, int64 (B, N); replaced, bool (B, N): True where another word stands than
    before). Clark et al. 2020, section 2.
    """
    ### BEGIN SOLUTION
    read = tokens.clone()
    read[chosen] = sampled
    return read, read != tokens
    ### END SOLUTION


# %%
check("replace_tokens")

# %% [markdown]
# How many guesses are right? A BERT of the course plays the generator. It has read the same text as the ELECTRA below.

# %%
bert, tokenizer = pretrained.load("world-en-no-nsp")
vocabulary = Vocabulary(tokenizer)
recipe = RECIPES["world-en-no-nsp"]
MASKED = Masking(rate=0.15, mask=1.0, random=0.0)


def text_batches(words, number, batch_size, length=64):
    """Batches of masked text of the planted language; `number` is the world's seed."""
    texts = pretrained.text_of(Recipe("en", words=words), number)
    rows = [[[tokenizer.index[piece] for piece in tokenizer.tokenize(line)] for line in text] for text in texts]
    return Examples(rows, vocabulary, length, batch_size, MASKED, next_sentence=False, seed=seed)


def original_of(batch):
    """(tokens, which are masked), both (B, N)."""
    masked = batch.labels != IGNORED
    return torch.where(masked, batch.labels, batch.tokens), masked


def guessed(batch, number):
    """What the discriminator reads if the course's BERT guesses, and what was replaced."""
    tokens, masked = original_of(batch)
    with torch.no_grad():
        logits = bert.token_logits(bert.bert(batch.tokens)[masked])  # (M, V)
    draw = torch.Generator().manual_seed(1_000_003 * seed + number)
    return replace_tokens(tokens, masked, sample_tokens(logits, torch.rand(logits.shape, generator=draw)))


held_out = text_batches(6_000, seed + 10_000, 64)
batch = held_out(0)
tokens, masked = original_of(batch)
read, replaced = guessed(batch, 0)
print(
    f"{int(masked.sum())} masked, {int(replaced.sum())} replaced: "
    f"{1 - float(replaced.sum() / masked.sum()):.0%} were guessed right"
)
some = replaced.any(dim=1).nonzero().flatten()[:3]
for row in some.tolist():
    # words alone
    pairs = [(a, b) for a, b in zip(tokens[row].tolist(), read[row].tolist()) if a > vocabulary.mask]
    words = [tuple(tokenizer.vocabulary[token] for token in pair) for pair in pairs[:20]]
    print(" ".join(f"{a}→{b.upper()}" if a != b else a for a, b in words))

# %% [markdown]
# ## 3. The verdict's loss
#
# The discriminator gives each token one score $s$, above 0 for "replaced": $p = \sigma(s)$. With $y = 1$ for replaced and 0 for original, a token costs
#
# $$-y \ln \sigma(s) - (1 - y) \ln\,(1 - \sigma(s))$$

# %% [markdown]
# The mean runs over **all real tokens** of the batch, masked or not. Padding is no token.
#
# ```
#  original    the    chef    cooked     it     [PAD]
#  read        the    chef      ate      it     [PAD]
#  y            0      0         1       0        –
# ```
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Choose the real places first, then take one mean over all of them. A mean of the rows' means would count short texts more.</details>
# <details><summary>Hint</summary>σ(200) is 1 in floats, and ln(1 − 1) is −∞. torch has a function that takes logits.</details>


# %% exercise="discriminator_loss"
def discriminator_loss(scores, replaced, real):
    """The mean binary cross entropy of verdicts over all real tokens, in nats.

    scores: float (B, N), logits of "replaced"; replaced: bool (B, N); real: bool (B, N), True where
    the text holds a token and not padding, at least once.
    Returns a tensor (). Clark et al. 2020, section 2, L_Disc.
    """
    ### BEGIN SOLUTION
    labels = replaced[real].to(scores.dtype)  # (T,)
    return functional.binary_cross_entropy_with_logits(scores[real], labels)
    ### END SOLUTION


# %%
check("discriminator_loss")

# %% [markdown]
# Most tokens are original: saying "original" everywhere is nearly always right, with nothing learnt. What does it pay?

# %%
real = tokens != vocabulary.padding
share_replaced = float(replaced[real].float().mean())
always = torch.full(read.shape, math.log(share_replaced / (1 - share_replaced)))
print(f"{share_replaced:.1%} are replaced; right by saying original everywhere: {1 - share_replaced:.1%}")
print(f"loss of who knows nothing but this share: {float(discriminator_loss(always, replaced, real)):.3f} nats")

# %% [markdown]
# ## 4. The sum
#
# Both models are trained at once, on the **sum** of their losses:
#
# $$L = L_{\text{MLM}} + \lambda \, L_{\text{Disc}}, \qquad \lambda = 50$$
#
# $L_{\text{MLM}}$ is the generator's: −ln p of the original word, the mean over *masked* places alone.

# %% [markdown]
# ```
#  masked     the   [MASK]   [MASK]     it
#  L_MLM             chef    cooked             generator: the original words, at masked places
#  L_Disc      o      o      replaced    o      discriminator: verdicts, on all real tokens
# ```
#
# λ is large because a verdict among two costs tenths of a nat, and a word among thousands several nats.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>Your <code>discriminator_loss</code>, once.</details>
# <details><summary>Hint</summary>Plus, not minus: nobody plays against anybody.</details>


# %% exercise="electra_loss"
def electra_loss(logits, wanted, scores, replaced, real, weight=50.0):
    """ELECTRA's loss: the generator's mean over masked places, plus λ times the discriminator's.

    logits: float (M, V), the generator's scores at the masked places; wanted: int64 (M,), the
    original words there; M is at least 1. scores, replaced, real: as for `discriminator_loss`;
    weight: λ, a number from 0 on.
    Returns a tensor (), in nats. Uses your `discriminator_loss`. Clark et al. 2020, section 2.
    """
    ### BEGIN SOLUTION
    return functional.cross_entropy(logits, wanted) + weight * discriminator_loss(scores, replaced, real)
    ### END SOLUTION


# %%
check("electra_loss")

# %% [markdown]
# ### No GAN
#
# In a GAN the generator learns to *fool* the discriminator, whose gradient it receives. Does any of it flow here? Ask torch:

# %%
TINY = ElectraConfig(len(tokenizer.vocabulary), 32, 32, 2, 4, 128, "gelu", 0.0, 0.0, 64, initializer_range=0.05)


class Pretraining(nn.Module):
    """The library's two models, your four pieces between them."""

    def __init__(self, config, times):
        super().__init__()
        self.discriminator, self.generator = (
            ElectraDiscriminator(config),
            ElectraMaskedLM(config.generator(times)),
        )
        share(self.generator, self.discriminator.electra)

    def parts(self, batch):
        """All that the loss needs."""
        tokens, masked = original_of(batch)
        logits = self.generator.token_logits(self.generator.electra(batch.tokens)[masked])  # (M, V)
        uniform = torch.rand(logits.shape).clamp(1e-6, 1 - 1e-6).to(logits)
        read, replaced = replace_tokens(tokens, masked, sample_tokens(logits, uniform))
        return logits, tokens[masked], self.discriminator(read), replaced, tokens != vocabulary.padding

    def forward(self, batch):
        return electra_loss(*self.parts(batch))


torch.manual_seed(seed)
model = Pretraining(TINY, 2)
logits, wanted, scores, *rest = model.parts(batch)
groups = {
    "generator's layers and head": [
        *model.generator.electra.layers.parameters(),
        *model.generator.transform.parameters(),
    ],
    "discriminator's layers and head": [
        *model.discriminator.electra.layers.parameters(),
        *model.discriminator.verdict.parameters(),
    ],
    "shared embeddings": [model.discriminator.electra.input.tokens.weight],
}
rows = {}
for name, weights in groups.items():
    for loss, which in (
        (functional.cross_entropy(logits, wanted), "L_MLM"),
        (discriminator_loss(scores, *rest), "L_Disc"),
    ):
        gradients = torch.autograd.grad(loss, weights, retain_graph=True, allow_unused=True)
        known = [float(one.norm()) for one in gradients if one is not None]
        rows.setdefault(name, {})[which] = f"{math.hypot(*known):.4f}" if known else "none"
pd.DataFrame(rows).T

# %% [markdown]
# `none`, not a small number: the guesses are ids, and the chain of derivatives ends there. The generator is trained by **maximum likelihood**.
#
# ```
#  forward     masked text ─▶ generator ─▶ scores ─▶ ids ─▶ discriminator ─▶ verdicts
#  gradient                   generator ◀─ L_MLM      ✕     discriminator ◀─ L_Disc
#                                 └──▶ shared embeddings ◀──────┘
# ```

# %% [markdown]
# One path is left: the **embeddings are shared**. The discriminator moves a table that the generator reads, too, as in multi-task learning. Nobody is fooled.

# %% [markdown]
# ### Why share them?
#
# The generator's softmax touches *every* word in each step. The discriminator moves only the words that it reads (section 3.2).

# %%
table = model.discriminator.electra.input.tokens.weight
both = {
    "generator (softmax)": functional.cross_entropy(logits, wanted),
    "discriminator (reading)": discriminator_loss(scores, *rest),
}
moved = {}
for which, loss in both.items():
    gradient = torch.autograd.grad(loss, table, retain_graph=True)[0]  # (V, E)
    moved[which] = int((gradient.abs().sum(dim=1) > 0).sum())
print(f"rows of {len(table)} that one batch moves:", moved)

# %% [markdown]
# The paper: 83.6 GLUE with nothing shared, 84.3 with embeddings, 84.4 with all weights. But sharing all needs a generator as large as the discriminator.

# %% [markdown]
# ## 5. What a GAN would do
#
# The authors tried that as well (appendix F). As no gradient comes through the guess, they used **REINFORCE**: draw a guess, look at the reward $R$, and make the guess more likely the larger $R$ was.

# %% [markdown]
# The reward is the discriminator's loss at this place. A baseline $b$ is taken off, so that only what is *better than usual* becomes more likely:
#
# $$L_{\text{adv}} = -\frac1M \sum_i (R_i - b)\,\ln p_i(\hat x_i)$$

# %% [markdown]
# Its value measures nothing; its gradient is on average that of $-E[R]$. $R$ is a number here, whatever it was computed from.
#
# ```
#  scores ─▶ draw ─▶ guess ─▶ discriminator ─▶ its loss R      a number: no gradient comes back
#     ▲                │                          │
#     └── gradient ── ln p(guess)  × (R − b) ◀────┘
# ```
#
# *20 minutes, hard.*
#
# <details><summary>Hint</summary><code>rewards.detach()</code> is the number without its past.</details>
# <details><summary>Hint</summary>ln p of the word that was drawn, not of the best one: <code>gather</code>, or <code>cross_entropy(…, reduction="none")</code>.</details>


# %% exercise="adversarial_loss"
def adversarial_loss(logits, sampled, rewards, baseline=0.0):
    """REINFORCE's loss, whose gradient by the generator's scores makes rewarded guesses more likely.

    logits: float (M, V), M at least 1; sampled: int64 (M,), the words that were drawn; rewards:
    float (M,), taken as numbers: no gradient goes to them; baseline: a float, taken off each.
    Returns L_adv, in value too, as a tensor (). Clark et al. 2020, appendix F; Williams 1992.
    """
    ### BEGIN SOLUTION
    chances = logits.log_softmax(dim=-1).gather(1, sampled[:, None])[:, 0]  # (M,)
    return -((rewards - baseline).detach() * chances).mean()
    ### END SOLUTION


# %%
check("adversarial_loss")

# %% [markdown]
# One masked place, "the chef cooked the ___". A generator is eight scores, a discriminator one score for each word. One pair is trained as ELECTRA, one as a GAN.

# %%
TRUTH = {
    "meal": 0.3,
    "soup": 0.2,
    "fish": 0.15,
    "rice": 0.12,
    "bean": 0.09,
    "date": 0.07,
    "crab": 0.04,
    "plum": 0.03,
}
truth = torch.tensor(list(TRUTH.values()))


def duel(adversarial, steps=600, size=64):
    """The generator's scores, (8,), after training."""
    draw = torch.Generator().manual_seed(seed)
    generator, judge = (torch.zeros(8, requires_grad=True) for _ in range(2))
    optimizer, usual = torch.optim.Adam([generator, judge], lr=0.05), 0.0
    for _ in range(steps):
        tokens = torch.multinomial(truth, size, replacement=True, generator=draw)[:, None]  # (B, 1)
        chosen, logits = torch.ones_like(tokens).bool(), generator.expand(size, 8)
        sampled = sample_tokens(logits, torch.rand(size, 8, generator=draw).clamp(1e-6, 1 - 1e-6))
        read, replaced = replace_tokens(tokens, chosen, sampled)
        scores = judge[read]  # (B, 1)
        loss = electra_loss(logits, tokens[:, 0], scores, replaced, chosen)
        if adversarial:
            rewards = functional.binary_cross_entropy_with_logits(
                scores, replaced.float(), reduction="none"
            )[:, 0]  # (B,)
            loss = (
                adversarial_loss(logits, sampled, rewards, usual)
                + discriminator_loss(scores, replaced, chosen)
            )
            usual = 0.9 * usual + 0.1 * float(rewards.detach().mean())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return generator.detach()


def entropy(logits):
    p = logits.double().softmax(dim=-1)
    return float(-(p * p.clamp_min(1e-12).log()).sum())


generators = torch.stack([duel(adversarial) for adversarial in (False, True)])  # (2, 8)
entropies = [entropy(logits) for logits in generators]
fig, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
beliefs = {
    "the language": truth,
    "maximum likelihood": generators[0].softmax(dim=0),
    "adversarial": generators[1].softmax(dim=0),
}
for shift, (name, p) in zip((-0.27, 0, 0.27), beliefs.items()):
    axes.bar(np.arange(8) + shift, p, 0.26, label=name)
axes.set_xticks(range(8), TRUTH)
axes.set(xlabel="the chef cooked the …", ylabel="probability", ylim=(0, 1.05))
axes.set_title("Entropy: {:.2f} nats by maximum likelihood, {:.2f} adversarially".format(*entropies))
axes.legend()
plt.show()

# %% [markdown]
# Why does it collapse? A guess $v$ is *right* with $q(v)$, the language's probability, and right guesses are original. So the best discriminator says "original" with $q(v)$, whatever the generator does.

# %% [markdown]
# It errs most where $q(v)$ is nearest ½, so the adversary says only that word. The paper found low entropy, too, and worse guesses, 58 % against 65 %.

# %% [markdown]
# ## 6. What a step costs
#
# "At equal compute" must count the generator, too. Multiplications of matrix products for one text of N tokens, K of them masked:
#
# | part | multiplications |
# |---|---|
# | layers of an encoder of width w | L · (12 N w² + 2 N² w) |
# | generator's projection from the shared embeddings, if h < H | N · H · h |
# | scores of words, by a model of width w, at one place | w · H + H · V |
# | a verdict, at one place | H² + H |
# | a copy score, at one place (All-Tokens MLM, section 8) | H |

# %% [markdown]
# All embeddings are H wide here, so word scores go from w to H, then to V words:
#
# ```
#  embeddings (V, H) ─┬──────────────▶ model, H wide ─────▶ its head
#                     └─ H → h ──────▶ generator, h wide ─▶ h → H ─▶ H → V      at K places
# ```
#
# A multiplication with its addition is 2 FLOPs; backward costs twice what forward does.

# %% [markdown]
# | objective | generator? | head of the model, at |
# |---|---|---|
# | `mlm` (BERT) | no | word scores, K |
# | `replace-mlm` | yes | word scores, K |
# | `all-tokens-mlm` | yes | word scores and copy scores, N |
# | `electra-15` | yes | verdicts, K |
# | `electra` | yes | verdicts, N |

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>Write small functions for the layers and for word scores: each is used twice, with different widths.</details>
# <details><summary>Hint</summary>The generator scores words at the K masked places alone, whatever the objective.</details>


# %% exercise="step_flops"
def step_flops(objective, tokens, masked, layers, width, small, words):
    """FLOPs of one step of pre-training, forward and backward, on one text.

    objective: a name of the table; tokens: N; masked: K; layers: L, of both models; width: H, of
    the model and of all embeddings; small: h, the generator's width, from 1 to H, without meaning
    for "mlm"; words: V. Whole numbers.
    Returns a whole number. Clark et al. 2020, section 3.1: the generator's FLOPs count, too.
    """
    ### BEGIN SOLUTION
    def encoder(w):
        return layers * (12 * tokens * w**2 + 2 * tokens**2 * w)

    def word_scores(w, places):
        return places * (w * width + width * words)

    if objective == "mlm":
        return 6 * (encoder(width) + word_scores(width, masked))
    generator = encoder(small) + word_scores(small, masked)
    if small < width:
        generator += tokens * width * small
    places = tokens if objective in ("electra", "all-tokens-mlm") else masked
    if objective.startswith("electra"):
        head = places * (width**2 + width)
    else:
        head = word_scores(width, places)
    if objective == "all-tokens-mlm":
        head += places * width
    return 6 * (generator + encoder(width) + head)
    ### END SOLUTION


# %%
check("step_flops")

# %% [markdown]
# How much does a generator of ¼, ½ or all of the width add to the published sizes? The paper's best lie between ¼ and ½.

# %%
def numbers(model):
    """Parameters, each once."""
    return sum(weight.numel() for weight in model.parameters())


rows = {}
with torch.device("meta"):
    for name, (*_, times) in SIZES.items():
        config = ElectraConfig.of_size(name)
        alone = numbers(ElectraDiscriminator(config))
        for part in sorted({1, 2, times}):
            both = numbers(ElectraForPretraining(config, config.generator(part)))
            rows[name, f"1/{part}" + (" (published)" if part == times else "")] = {
                "discriminator, millions": alone / 1e6,
                "generator adds": (both - alone) / 1e6,
            }
pd.DataFrame(rows).T.round(1)

# %%
SETTING = {
    "tokens": 64,
    "masked": 5,
    "layers": recipe.layers,
    "width": recipe.width,
    "words": len(tokenizer.vocabulary),
}
OBJECTIVES = ("mlm", "replace-mlm", "electra-15", "all-tokens-mlm", "electra")
costs = {name: step_flops(name, **SETTING, small=recipe.width // 4) for name in OBJECTIVES}
budget = recipe.steps * costs["mlm"]
rows = {
    name: {
        "million FLOPs a text": cost / 1e6,
        "against BERT": cost / costs["mlm"],
        "steps for BERT's budget": budget / cost,
    }
    for name, cost in costs.items()
}
pd.DataFrame(rows).T.round(2)

# %% [markdown]
# Does torch count the same? BERT forward on one text is a third of a step:

# %%
with torch.device("meta"), FlopCounterMode(display=False) as counter:
    copied = BertForPretraining(bert.bert.config)
    copied.token_logits(copied.bert(torch.ones(1, 64, dtype=torch.long))[:, :5])
print(f"torch {counter.get_total_flops():,}, yours {step_flops('mlm', **SETTING, small=1) // 3:,}")

# %% [markdown]
# ## 7. Between BERT and ELECTRA
#
# ELECTRA differs from BERT in three ways at once. The paper takes them one by one (section 3.5):
#
# | objective | reads at masked places | target | where |
# |---|---|---|---|
# | `mlm` | [MASK] | the original word | masked places |
# | `replace-mlm` | the guess | the original word | masked places |
# | `all-tokens-mlm` | the guess | the original word | all real tokens |
# | `electra-15` | the guess | 1 replaced, 0 original | masked places |
# | `electra` | the guess | 1 replaced, 0 original | all real tokens |

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Your <code>replace_tokens</code> gives two of the three things.</details>
# <details><summary>Hint</summary>Padding is told by the <i>original</i> text. A guess may be any word, even the padding's id.</details>


# %% exercise="ladder"
def ladder(objective, tokens, chosen, sampled, mask, padding):
    """What a model reads, and what it is asked for, on each step from BERT to ELECTRA.

    objective: a name of the table; tokens, chosen, sampled: as for `replace_tokens`, padding is
    never chosen; mask, padding: ids. (BERT's 10 % of other words are left out here.)
    Returns (read, targets), both int64 (B, N); targets are −100 where nothing is asked. Uses your
    `replace_tokens`. Clark et al. 2020, section 3.5.
    """
    ### BEGIN SOLUTION
    read, replaced = replace_tokens(tokens, chosen, sampled)
    if objective == "mlm":
        read = tokens.masked_fill(chosen, mask)
    asked = tokens != padding if objective in ("electra", "all-tokens-mlm") else chosen
    targets = replaced.long() if objective.startswith("electra") else tokens
    return read, targets.masked_fill(~asked, -100)
    ### END SOLUTION


# %%
check("ladder")

# %%
text = torch.tensor([tokenizer.encode("now the chef is roasting the bean")])
places = torch.zeros_like(text).bool()
places[0, [3, 7]] = True  # chef, bean
guesses = torch.tensor([tokenizer.index["chef"], tokenizer.index["date"]])
rows = {}
for name in OBJECTIVES:
    shown, targets = ladder(name, text, places, guesses, vocabulary.mask, vocabulary.padding)
    said = targets[0].tolist()
    if not name.startswith("electra"):
        said = [tokenizer.vocabulary[target] if target >= 0 else target for target in said]
    rows[name, "reads"] = [tokenizer.vocabulary[token] for token in shown[0].tolist()]
    rows[name, "asked"] = ["" if target == IGNORED else target for target in said]
pd.DataFrame(rows).T

# %% [markdown]
# ## 8. Every word, or a copy
#
# All-Tokens MLM asks for each word, and nearly all stand there already. So the paper adds a **copy score** $c$: with $D = \sigma(c)$ the token that is read is copied.
#
# $$p(x) = D \cdot [x = \text{read}] + (1 - D) \cdot \mathrm{softmax}(z)_x$$
#
# ```
#                ┌─ D ──────▶ the token that is read
#  place ─▶ c ─▶ ┤
#                └─ 1 − D ──▶ a word from softmax(z)      perhaps the same one
# ```

# %% [markdown]
# *20 minutes, hard.*
#
# <details><summary>Hint</summary>Where the original is not what is read, only the second part is left.</details>
# <details><summary>Hint</summary>Stay in logarithms, so that nothing underflows: which functions of torch give ln σ(c), and ln(a + b) from ln a and ln b?</details>


# %% exercise="copy_loss"
def copy_loss(logits, copy, read, wanted):
    """The mean of −ln p of the original words, p a mixture of copying and of the model's own words.

    logits: float (T, V), scores of words; copy: float (T,), the logit of D; read: int64 (T,), the
    tokens that the model reads; wanted: int64 (T,), the originals. T is at least 1.
    Returns a tensor (), in nats. Clark et al. 2020, section 3.5, All-Tokens MLM.
    """
    ### BEGIN SOLUTION
    chances = logits.log_softmax(dim=-1).gather(1, wanted[:, None])[:, 0]  # (T,)
    written = functional.logsigmoid(-copy) + chances
    copied = functional.logsigmoid(copy).masked_fill(read != wanted, -math.inf)
    return -torch.logaddexp(written, copied).mean()
    ### END SOLUTION


# %%
check("copy_loss")

# %% [markdown]
# ## Your ELECTRA
#
# From nothing a discriminator needs thousands of steps before it sees anything. The paper tried two stages (section 3.2); joint training did better.

# %% [markdown]
# ```
#  two stages    BERT's task ─▶ generator ─ its weights ─▶ discriminator learns, generator stays
#  joint         generator and discriminator learn at once                   the paper's choice
#  here          the course's BERT ─▶ both, which learn at once              the verdict's head is new
# ```

# %%
size = {
    "smoke": {"steps": 60, "batch": 16, "tuning": 60, "runs": 1, "test": 150},
    "cpu": {"steps": 300, "batch": 32, "tuning": 60, "runs": 5, "test": 300},
    "gpu": {"steps": 1000, "batch": 32, "tuning": 60, "runs": 20, "test": 1000},
}[profile]


def as_electra(encoder):
    """A BERT's encoder in the library's ELECTRA: without the pooler, embeddings as wide as the layers."""
    c = encoder.config
    widths = (
        c.vocab_size,
        c.hidden_size,
        c.hidden_size,
        c.num_hidden_layers,
        c.num_attention_heads,
        c.intermediate_size,
    )
    config = ElectraConfig(*widths, "gelu", 0.0, 0.0, c.max_position_embeddings, initializer_range=0.05)
    return config, {name: weight for name, weight in encoder.state_dict().items() if "pooler" not in name}


config, weights = as_electra(bert.bert)
torch.manual_seed(seed)
yours = Pretraining(config, 1)
for part in (yours.generator, yours.discriminator):
    part.electra.load_state_dict(weights)
for name in ("transform", "norm"):
    getattr(yours.generator, name).load_state_dict(getattr(bert, name).state_dict())
with torch.no_grad():
    yours.generator.bias[:] = bert.bias

# %%
corpus = text_batches(60_000, seed, size["batch"])
plan = Plan(
    size["steps"],
    linear_schedule(size["steps"], size["steps"] // 10),
    device=str(run.device),
    title="your ELECTRA",
)
train(yours, corpus, plan, adamw(yours, 1e-3, betas=(0.9, 0.98)))
yours = yours.cpu().eval()

# %% [markdown]
# How well does it judge new text? Draw a replaced token and an original one: how often has the replaced one the higher score? That is the area under the curve (AUC); a coin has .5.


# %%
def area(discriminator, count=4):
    """The AUC of verdicts on held-out text, where the course's BERT has guessed."""
    scores, truth = [], []
    for number in range(count):
        tokens, _ = original_of(held_out(number))
        read, replaced = guessed(held_out(number), number)
        with torch.no_grad():
            verdicts = discriminator(read)
        scores.append(verdicts[tokens != 0])
        truth.append(replaced[tokens != 0])
    return float(roc_auc_score(torch.cat(truth), torch.cat(scores)))


released = pretrained_electra.load("world-en-electra").model
torch.manual_seed(seed)
areas = {
    "untrained": area(ElectraDiscriminator(config).eval()),
    "yours": area(yours.discriminator),
    "the course's, from nothing": area(released),
}
pd.Series(areas, name="AUC").round(3)

# %% [markdown]
# What does it look at? The darker, the more surely "replaced"; a frame shows what was replaced in truth.

# %%
tokens, _ = original_of(held_out(0))
read, replaced = guessed(held_out(0), 0)
with torch.no_grad():
    belief = released(read).sigmoid()  # (B, N)
fig, axes = plt.subplots(figsize=(11, 2.6), layout="constrained")
for line, row in enumerate(replaced.any(dim=1).nonzero().flatten()[:4].tolist()):
    for place in range(1, min(15, int((tokens[row] != 0).sum()) - 1)):
        edge = plots.COLOURS[1] if replaced[row, place] else "none"
        box = {
            "boxstyle": "round",
            "facecolor": plt.cm.Blues(0.75 * float(belief[row, place])),
            "edgecolor": edge,
            "linewidth": 2,
        }
        axes.text(
            place,
            -line,
            tokenizer.vocabulary[int(read[row, place])],
            ha="center",
            va="center",
            bbox=box,
            fontsize=9,
        )
axes.set(xlim=(0.3, 14.7), ylim=(-3.6, 0.6), yticks=[], xlabel="place in the text")
axes.set_title(f"The course's discriminator on guesses of BERT: AUC {area(released):.2f}")
plt.show()

# %% [markdown]
# ## Experiment: from BERT to ELECTRA at equal cost
#
# The course has trained each step of the ladder once, on the same text, at the cost of BERT's 6,000 steps by torch's count, the generator included. All have two layers, 64 wide.

# %%
LADDER = {
    "BERT": "world-en-no-nsp",
    "Replace MLM": "world-en-replace-mlm",
    "ELECTRA 15%": "world-en-electra-15",
    "All-Tokens MLM": "world-en-all-tokens-mlm",
    "ELECTRA": "world-en-electra",
    "untrained": "",
}


def encoder_of(name):
    """A fresh copy of a model's encoder."""
    if name in ELECTRA_RECIPES:
        return pretrained_electra.load(name).model.electra
    found = pretrained.load("world-en-no-nsp").model.bert
    return found if name else Bert(found.config)  # "": random weights


rows = {}
for name, checkpoint in LADDER.items():
    if checkpoint:
        one = ELECTRA_RECIPES.get(checkpoint)
        steps, cost = (one.steps, costs[one.objective]) if one else (recipe.steps, costs["mlm"])
        rows[name] = {"steps": steps, "cost for BERT's, by your count": steps * cost / budget}
pd.DataFrame(rows).T.round(2)

# %% [markdown]
# Your count is for full texts. In the course's batches 37 of 64 places hold tokens: layers work on padding, heads do not. So All-Tokens MLM cost less than yours says; by torch's count all are within 2 %.

# %% [markdown]
# The judges are two tasks with few labels. Their deciding words stand in no training item: only pre-training can have taught these.
#
# | task | labels | asked |
# |---|---|---|
# | names | 20 sentences | person, country, capital, language or none, for each word: **grammar** tells |
# | topics | 36 sentences | which of nine topics: one must know **what goes with what** |

# %%
TAGS = ("O", "B-PER", "B-COU", "B-CAP", "B-LAN")
BATCH, RATE = 16, 3e-3


def tagged(item):
    """Ids, and for each the number of its tag: a word's tag stands at its first piece, IGNORED elsewhere."""
    pieces = [[tokenizer.index[piece] for piece in tokenizer.tokenize(word)] for word in item.words]
    labels = [[TAGS.index(tag)] + [IGNORED] * (len(ids) - 1) for tag, ids in zip(item.tags, pieces)]
    return [vocabulary.begin, *chain(*pieces), vocabulary.separator], [IGNORED, *chain(*labels), IGNORED]


def topical(item):
    return tokenizer.encode(item.text), [item.label]


TASKS = {"names": (20, len(TAGS), "entities", tagged), "topics": (36, 9, "topics", topical)}


def items_of(task, split, number, count):
    """Items of a task as (ids, labels); `number` is the seed of the draw."""
    _, _, kind, encode = TASKS[task]
    return [encode(item) for item in getattr(Tasks("en", seed=number), kind)(count, split)]


def joined(items):
    """Tokens (B, N), labels (B, N) or (B, 1)."""
    rows = [[torch.tensor(row) for row in rows] for rows in zip(*items)]
    return (
        pad_sequence(rows[0], batch_first=True),
        pad_sequence(rows[1], batch_first=True, padding_value=IGNORED),
    )


class Reader(nn.Module):
    """An encoder and one linear map: on each token for names, on the mean of all for topics."""

    def __init__(self, encoder, task):
        super().__init__()
        self.encoder, self.task = encoder, task
        self.head = nn.Linear(encoder.config.hidden_size, TASKS[task][1])

    def logits(self, tokens):
        x, real = self.encoder(tokens), (tokens != 0)[:, :, None]  # (B, N, H), (B, N, 1)
        if self.task == "topics":
            x = (x * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True)  # (B, 1, H)
        return self.head(x)

    def forward(self, batch):
        tokens, labels = batch
        return functional.cross_entropy(
            self.logits(tokens).flatten(0, 1), labels.flatten(), ignore_index=IGNORED
        )


def tune(name, task, number):
    """What a fine-tuned model says of each test word or sentence, (T,)."""
    known = items_of(task, "train", 1000 * seed + number, TASKS[task][0])
    torch.manual_seed(10_000 * seed + number)
    reader, steps = Reader(encoder_of(name), task), size["tuning"]

    def draw(step):
        return joined(random.Random(f"{seed} {number} {step}").choices(known, k=BATCH))

    with redirect_stderr(io.StringIO()):  # no bar
        train(
            reader,
            draw,
            Plan(steps, linear_schedule(steps, steps // 10), device=str(run.device)),
            adamw(reader, RATE),
        )
    tokens, labels = joined(items_of(task, "test", seed, size["test"]))
    with torch.inference_mode():
        said = reader.cpu().eval().logits(tokens).argmax(dim=-1)  # (B, N) or (B, 1)
    return said[labels != IGNORED]


def score(task, said):
    """Topics: the share that is right. Names: F1, each name being one word."""
    labels = joined(items_of(task, "test", seed, size["test"]))[1]
    gold = labels[labels != IGNORED]
    right = said == gold
    if task == "topics":
        return float(right.float().mean())
    return 2 * int((right & (gold > 0)).sum()) / max(1, int((said > 0).sum() + (gold > 0).sum()))


answers = {
    task: torch.stack(
        [torch.stack([tune(name, task, number) for number in range(size["runs"])]) for name in LADDER.values()]
    )
    for task in TASKS
}  # (S, R, T) each
scores = {
    task: np.array([[score(task, said) for said in runs] for runs in found]) for task, found in answers.items()
}
PRINTED = (82.2, 82.4, 82.4, 84.3, 85.0, np.nan)
shown = pd.DataFrame({task: found.mean(axis=1) for task, found in scores.items()}, index=LADDER).round(2)
shown.assign(**{"GLUE in the paper": PRINTED})

# %%
figure, panels = plt.subplots(1, 2, figsize=(11, 3.4), layout="constrained", sharey=True)
for axes, (task, found) in zip(panels, scores.items()):
    axes.barh(range(len(LADDER)), found.mean(axis=1), xerr=found.std(axis=1), color=plots.COLOURS[0])
    axes.set(yticks=range(len(LADDER)), yticklabels=LADDER, xlim=(0, 1.05))
    axes.set_xlabel("F1 of new names" if task == "names" else "share right")
    axes.set_title(f"{task}: ELECTRA {found[4].mean():.2f}, BERT {found[0].mean():.2f}")
panels[0].invert_yaxis()
plt.show()

# %% [markdown]
# The lines show how far fine-tuning runs differ. Each model was pre-trained **once**: what another pre-training would give, they do not say.

# %% [markdown]
# ## Results

# %% tags=["metrics"]
mean = {task: dict(zip(LADDER, found.mean(axis=1).tolist())) for task, found in scores.items()}
metrics = {
    "verdict_auc": areas["yours"],
    "entropy_gap": entropies[0] - entropies[1],
    "likelihood_gap": float((generators[0].softmax(dim=0) - truth).abs().sum() / 2),
    "electra_minus_bert_names": mean["names"]["ELECTRA"] - mean["names"]["BERT"],
    "electra_minus_bert_topics": mean["topics"]["ELECTRA"] - mean["topics"]["BERT"],
    "everywhere_names": mean["names"]["ELECTRA"] - mean["names"]["ELECTRA 15%"],
    "everywhere_words_names": mean["names"]["All-Tokens MLM"] - mean["names"]["Replace MLM"],
    "guesses_names": mean["names"]["Replace MLM"] - mean["names"]["BERT"],
    "guesses_topics": mean["topics"]["Replace MLM"] - mean["topics"]["BERT"],
    "electra_minus_untrained_names": mean["names"]["ELECTRA"] - mean["names"]["untrained"],
}
record(
    metrics,
    discriminator=parameters_to_vector(yours.discriminator.parameters()).detach(),
    generators=generators,
    names=answers["names"],
    topics=answers["topics"],
)

# %% [markdown]
# What was found (the numbers of your run stand above; the table says how far seeds differ):
#
# | claim | here |
# |---|---|
# | the generator plays against the discriminator | no: the gradient is `none` but for the shared embeddings |
# | an adversarial generator has low entropy | `entropy_gap`: yes, and section 5 says why |
# | verdicts on every token teach judging | `verdict_auc`: yes, within a few dozen steps from a BERT |
# | ELECTRA beats BERT at equal cost | names: `electra_minus_bert_names`, level; topics: `electra_minus_bert_topics`, **no**, by far |
# | asking everywhere is what helps | `everywhere_names`: yes for verdicts, about .26; `everywhere_words_names`: no difference for words |
# | the guesses alone change little | names: `guesses_names`, yes; topics: `guesses_topics`, **no** |

# %% [markdown]
# Why not topics? BERT learns grammar first, and what goes with what only after some thousand steps, all at once. ELECTRA had not come so far at the same cost. Nor had Replace MLM, which is asked for *words*, so the verdicts cannot be the reason.

# %% [markdown]
# Both **read guesses**. A small generator soon knows grammar, and no topics: its words fit the place and blur what goes with what. That is a guess of ours; nothing here has shown it.

# %% [markdown]
# The paper trains for hundreds of thousands of steps, we for five thousand: we see the beginning alone. A generator of half the width with λ = 10 did not learn topics in this budget either.

# %% [markdown]
# ## In your own words
#
# **1.** A blog says: *"ELECTRA is a GAN: the generator learns to write words that fool the discriminator."* What flows from the discriminator to the generator, what does not, and what would go wrong if the generator did learn to fool it?

# %% [markdown] answer="no_gan" points=2
# ### BEGIN SOLUTION
# 1 point: the generator is trained by maximum likelihood on the masked words; the guesses are ids, so the discriminator's loss has no gradient for the generator's layers (torch says None); the two losses are added, not played against each
# other. Only the shared embeddings get gradients from both. 1 point: a generator that fools goes for the words about which the discriminator must be unsure, and puts all its mass there: low entropy (the duel), so the
# discriminator sees few different replacements. And since a right guess counts as original, the surest way to go unnoticed is to be right.
# ### END SOLUTION

# %% [markdown]
# **2.** A team compares ELECTRA with BERT at the same number of *steps*, finds ELECTRA better, and concludes that asking everywhere helps. Name two things that are not equal or not separated here, and the experiment that mends each.

# %% [markdown] answer="equal_what" points=2
# ### BEGIN SOLUTION
# 1 point: a step of ELECTRA costs more, as the generator works, too; compare at equal FLOPs (or time), the generator's counted, as in step_flops. 1 point: ELECTRA differs from BERT in what it reads (no [MASK]), where it is asked
# (everywhere) and what (a verdict); ELECTRA 15% and All-Tokens MLM change one at a time, and only these two tell whether "everywhere" is the reason. More than one pre-training of each would be needed, as well.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Clark et al. 2020, [ELECTRA](https://arxiv.org/abs/2003.10555), section 3.5, appendix F; the authors' [code](https://github.com/google-research/electra).
# - Clark et al. 2020, [Pre-Training Transformers as Energy-Based Models](https://arxiv.org/abs/2012.08561): verdicts and likelihood.

# %% [markdown]
# - He, Gao and Chen 2021, [DeBERTaV3](https://arxiv.org/abs/2111.09543): shared embeddings pull in two directions.
# - Meng et al. 2021, [COCO-LM](https://arxiv.org/abs/2102.08473): verdicts, corrections and whole sequences together.
