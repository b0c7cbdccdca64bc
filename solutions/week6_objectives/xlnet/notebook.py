# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # XLNet: every order at once
#
# **The papers.** Yang, Dai, Yang, Carbonell, Salakhutdinov and Le 2019, [XLNet: Generalized Autoregressive Pretraining for Language Understanding](https://arxiv.org/abs/1906.08237) (NeurIPS);
# Dai et al. 2019, [Transformer-XL](https://arxiv.org/abs/1901.02860) (ACL), for attention and memory.

# %% [markdown]
# GPT predicts each token from those on its **left**. BERT sees **both sides**, but guesses hidden tokens as if they had nothing to do with each other. XLNet wants both sides *and* the dependence.

# %% [markdown]
# **The claims to test.**
#
# | claim | where | here |
# |---|---|---|
# | a text's probability may be multiplied together in any order | equation 3 | exact, all 24 orders of four tokens |
# | masked tokens are predicted as if independent | section 2.1 | brackets that always agree |
# | over all orders a token gets context from both sides | section 2.2 | signs that depend on both neighbours |
# | ordinary attention cannot do it: two streams are needed | section 2.3 | a leak, as a number |

# %% [markdown]
# You write what makes it work (about 2½ hours):
#
# | | piece |
# |---|---|
# | 1–2 | an order as masks; all orders of a text |
# | 3 | what independence costs |
# | 4 | partial prediction |
# | 5–7 | Transformer-XL's attention: distances, two biases, a row that sees nothing |
# | 8–9 | two streams, and memory |

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: a minute or two · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import importlib.util
import itertools
import math
import random

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch.nn import functional
from torch.nn.utils import parameters_to_vector

import etude
from etude import check, plots, record
from etude.models.xlnet import Asked, RelativeAttention, XLNet, XLNetConfig, XLNetForPermutationLM, XLNetLayer
from etude.train import Plan, adamw, linear_schedule, train

run = etude.start("week6_objectives/xlnet", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. An order is a mask
#
# The chain rule allows any order. In the order 3, 2, 4, 1:
#
# $$P(x_1 x_2 x_3 x_4) = P(x_3)\; P(x_2 \mid x_3)\; P(x_4 \mid x_3 x_2)\; P(x_1 \mid x_3 x_2 x_4)$$

# %% [markdown]
# It is often told that XLNet **shuffles its input**. It does not: every token keeps its place. Only who may see whom follows the order, and that is a mask:
#
# | place | order 3, 2, 4, 1: it sees | order 2, 4, 3, 1: it sees |
# |---|---|---|
# | 1 | 3, 2, 4 | 2, 4, 3 |
# | 2 | 3 | nothing |
# | 3 | nothing | 2, 4 |
# | 4 | 3, 2 | 2 |

# %% [markdown]
# There are two masks. The **query mask** is for predicting: strictly what comes before. The **content mask** is for what others read off a place: its own token, too.
#
# ```
#  order 3, 2, 4, 1         query mask       content mask
#  sees place               1  2  3  4       1  2  3  4
#  place 1, fourth turn     ·  ■  ■  ■       ■  ■  ■  ■
#  place 2, second turn     ·  ·  ■  ·       ·  ■  ■  ·
#  place 3, first turn      ·  ·  ·  ·       ·  ·  ■  ·
#  place 4, third turn      ·  ■  ■  ·       ·  ■  ■  ■
# ```
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>The order lists places. You need the converse: for each place, when its turn is. That is the inverse of a permutation.</details>
# <details><summary>Hint</summary>Compare the turns of all pairs of places at once, by broadcasting.</details>


# %% exercise="order_masks"
def order_masks(order):
    """Who may see whom, if tokens are predicted in this order.

    order: int64 tensor (N,), the places 0 to N − 1, each once; order[0] is predicted first.
    Returns (content, query), two bool tensors (N, N): [i, j] is True where place i may see place j.
    content: the place itself and all that come before it in the order; query: only those before it.
    Yang et al. 2019, section 2.3.
    """
    ### BEGIN SOLUTION
    turn = order.argsort()  # (N,): when each place's turn is
    return turn[None, :] <= turn[:, None], turn[None, :] < turn[:, None]  # (N, N) each
    ### END SOLUTION


# %%
check("order_masks")

# %%
ORDERS = {"left to right": [0, 1, 2, 3], "3, 2, 4, 1": [2, 1, 3, 0], "2, 4, 3, 1": [1, 3, 2, 0]}
figure, axes = plt.subplots(1, 3, figsize=(8, 2.9), layout="constrained")
for plot, (name, order) in zip(axes, ORDERS.items()):
    content, query = order_masks(torch.tensor(order))
    plot.imshow(content.long() + query.long(), cmap="Blues", vmin=0, vmax=3)
    for i, j in itertools.product(range(4), range(4)):
        plot.text(
            j,
            i,
            "both" if query[i, j] else "content" if content[i, j] else "",
            ha="center",
            va="center",
            fontsize=7,
        )
    plot.set_xticks(range(4), range(1, 5))
    plot.set_yticks(range(4), range(1, 5))
    plot.set(title=name, xlabel="place that is seen")
    plot.grid(False)
axes[0].set_ylabel("place that sees")
plt.show()

# %% [markdown]
# GPT is the first plot: one order of the N!. No order goes in a circle: a later token never helps an earlier one, so the product is a probability.

# %%
four = [order_masks(torch.tensor(order))[1] for order in itertools.permutations(range(4))]
print(f"{len(four)} orders; each place sees each other one in this many of them:")
print(torch.stack(four).sum(dim=0))

# %% [markdown]
# ## 2. All orders of one text
#
# XLNet maximises the mean over all orders (equation 3). All share **one set of weights**: each place learns to be predicted from any set of the others.
#
# $$\frac{1}{N!} \sum_{z} \sum_{t=1}^{N} \ln P(x_{z_t} \mid x_{z_1} \dots x_{z_{t-1}})$$

# %% [markdown]
# What a model says of one text fits into a table: a row for each place, a column for each **set** S of visible places, read as a binary number.
#
# | column | 0 | 1 | 2 | 3 | 4 | 5 | … |
# |---|---|---|---|---|---|---|---|
# | binary | 000 | 001 | 010 | 011 | 100 | 101 | … |
# | visible places, counted from 0 | none | 0 | 1 | 0, 1 | 2 | 0, 2 | … |
#
# An order is a walk through the table, one place more each time:
#
# ```
#  order 1, 0, 2     column 000          column 010          column 011
#                    ln P(x₁)         +  ln P(x₀ | x₁)    +  ln P(x₂ | x₀ x₁)
#                    row 1               row 0               row 2
# ```

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary><code>itertools.permutations(range(n))</code> gives the orders. In each, start from the empty set and add a place after it was predicted: <code>seen | 1 &lt;&lt; place</code>.</details>
# <details><summary>Hint</summary>There are many orders and few sets: N · 2ᴺ⁻¹ numbers of the table are used. A set of k places comes before place i in k! (N − 1 − k)! orders.</details>


# %% exercise="over_all_orders"
def over_all_orders(table):
    """The log-likelihood of one text in all orders: the mean, the lowest and the highest.

    table: float tensor (N, 2**N), N from 1 to 6: [i, S] is ln P(token i | the tokens in S), where
    token j is in S if bit j of S, of value 2**j, is 1. Where i itself is in S stands NaN.
    Returns three numbers, floats or tensors (), in nats. Yang et al. 2019, equation 3.
    """
    ### BEGIN SOLUTION
    numbers, sums = table.tolist(), []
    for order in itertools.permutations(range(len(numbers))):
        seen, total = 0, 0.0
        for place in order:
            total += numbers[place][seen]
            seen |= 1 << place
        sums.append(total)
    return sum(sums) / len(sums), min(sums), max(sums)
    ### END SOLUTION


# %%
check("over_all_orders")

# %% [markdown]
# With the true conditionals of a distribution all 24 orders give ln P of the text. Spoil the table a little, as any trained model does, and they no longer agree.

# %%
def conditionals(joint, tokens):
    """The table of a joint distribution, (V,) * N, for one text."""
    n = len(tokens)
    table = torch.full((n, 2**n), torch.nan, dtype=joint.dtype)

    def probability(seen):
        return joint[
            tuple(token if seen >> place & 1 else slice(None) for place, token in enumerate(tokens))
        ].sum()

    for place, seen in itertools.product(range(n), range(2**n)):
        if not seen >> place & 1:
            table[place, seen] = (probability(seen | 1 << place) / probability(seen)).log()
    return table


generator = torch.Generator().manual_seed(seed)
joint = torch.rand(3, 3, 3, 3, dtype=torch.float64, generator=generator) ** 3
joint = joint / joint.sum()
table = conditionals(joint, [0, 2, 1, 1])
spoilt = table + 0.1 * torch.randn(table.shape, generator=generator, dtype=torch.float64)
names = ["mean", "lowest", "highest"]
print(f"ln P of the text: {float(joint[0, 2, 1, 1].log()):.4f}")
pd.DataFrame({"true": over_all_orders(table), "spoilt": over_all_orders(spoilt)}, index=names).T.round(4)

# %% [markdown]
# ## 3. What independence costs
#
# BERT hides several tokens, predicts each from the **visible** ones alone, and multiplies (section 2.1):
#
# $$P_\text{masked} = \prod_{i \text{ hidden}} P(x_i \mid \text{visible}) \qquad P_\text{chain} = P(\text{hidden} \mid \text{visible})$$

# %% [markdown]
# Hide both words of *New York is a city*. "New" may go with "Delhi", "Los" with "Angeles": masked, *Los York* gets a good share.
#
# ```
#  masked    is a city ─▶ word 1              chain    is a city ─▶ word 1
#            is a city ─▶ word 2                       is a city, word 1 ─▶ word 2
# ```

# %% [markdown]
# *20 minutes, medium.* Let the model know the whole joint distribution. What does each of the two pay?
#
# <details><summary>Hint</summary>Fix the visible tokens by indexing, <code>slice(None)</code> at the hidden ones. What is left, divided by its sum, is P(hidden | visible).</details>
# <details><summary>Hint</summary>Sum over all axes but one: the distribution of one hidden token.</details>


# %% exercise="masked_and_chained"
def masked_and_chained(joint, tokens, hidden):
    """The log-likelihood of hidden tokens: each by itself, and all together.

    joint: float64 tensor with N dimensions of V each, the probability of each text; tokens: list of
    the N ids; hidden: list of the hidden places, in increasing order, at least one. What is
    visible has a probability above 0.
    Returns (masked, chain), in nats, floats or tensors (): the sum of ln P(x_i | visible) over
    hidden i, and ln P(all hidden | visible); −inf where that is 0. Yang et al. 2019, section 2.1.
    """
    ### BEGIN SOLUTION
    left = joint[tuple(slice(None) if place in hidden else token for place, token in enumerate(tokens))]
    left = left / left.sum()  # as many dimensions as there are hidden places
    masked = 0.0
    for axis, place in enumerate(hidden):
        others = [other for other in range(len(hidden)) if other != axis]
        alone = left.sum(dim=others) if others else left  # (V,)
        masked += float(alone[tokens[place]].log())
    return masked, float(left[tuple(tokens[place] for place in hidden)].log())
    ### END SOLUTION


# %%
check("masked_and_chained")

# %% [markdown]
# This lesson's planted language has a bracket that closes as it opened, a sign between two digits, and a Korean noun with the topic particle that its last sound asks for (눈**은**, 배**는**).

# %%
OPENING, CLOSING, DIGITS, SIGNS = "([{«", ")]}»", "123", "<=>"
CLOSED, OPEN = ["눈", "밤", "산"], ["배", "차", "비"]  # nouns that end in a consonant, and in a vowel
WORDS = ["⟨s⟩", *OPENING, *CLOSING, *DIGITS, *SIGNS, *CLOSED, *OPEN, "은", "는"]
INDEX = {word: number for number, word in enumerate(WORDS)}
LENGTH = 8


def sentence(chance):
    """⟨s⟩ ( 3 = 3 눈 은 ), or with the two phrases exchanged."""
    kind, first, second = chance.randrange(4), chance.choice(DIGITS), chance.choice(DIGITS)
    noun = chance.choice(CLOSED + OPEN)
    sign = "<" if first < second else ">" if first > second else "="
    phrases = [[first, sign, second], [noun, "은" if noun in CLOSED else "는"]]
    one, other = phrases if chance.random() < 0.5 else phrases[::-1]
    return ["⟨s⟩", OPENING[kind], *one, *other, CLOSING[kind]]


def sentences(number, count):
    """Sentences as ids (count, 8), the same for the same number."""
    chance = random.Random(f"{seed} {number}")
    return torch.tensor([[INDEX[word] for word in sentence(chance)] for _ in range(count)])


for row in sentences(0, 4).tolist():
    print(*(WORDS[token] for token in row))

# %% [markdown]
# | token | depends on | a model that reads from the left |
# |---|---|---|
# | closing bracket | the opening one, six places before | sees it |
# | sign: <, = or > | **both** neighbours; the left digit alone is right 5 times of 9 at best | misses the right one |
# | particle | the left neighbour | sees it |

# %% [markdown]
# A text of two brackets: four pairs of equal probability.

# %%
brackets = torch.zeros(8, 8, dtype=torch.float64)
for kind in range(4):
    brackets[kind, 4 + kind] = 1 / 4
rows = {}
for text, tokens in {"( )": [0, 4], "( ]": [0, 5]}.items():
    for name, hidden in {"both hidden": [0, 1], "the second hidden": [1]}.items():
        masked, chain = masked_and_chained(brackets, tokens, hidden)
        rows[f"{text}, {name}"] = {"P masked": math.exp(masked), "P chain": math.exp(chain)}
pd.DataFrame(rows).T.round(4)

# %% [markdown]
# The masked model gives each of the sixteen pairs a sixteenth. It loses ln 4 nats, and three of four sampled pairs do not exist in the language. With **one visible** nothing is lost.

# %% [markdown]
# ## 4. Partial prediction
#
# The first tokens of an order have next to nothing to go by, and learning from them is slow. So XLNet asks only for the **last** 1/K or so, K = 6. The rest is context.

# %% [markdown]
# The authors' code goes further: what is not asked for needs no order, so all context tokens see each other.
#
# ```
#  order    0   5   2   7   4   1     6   3        N = 8, K = 4: two are asked for, 6 before 3
#           └───── context ─────┘     asked
# ```
#
# | | sees the context | sees asked tokens |
# |---|---|---|
# | context token | all of it | none |
# | asked token | all of it | those before it in the order |

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Give each place a turn: 0 for all of the context, 1, 2, … for asked ones. Then compare turns as in exercise 1.</details>
# <details><summary>Hint</summary><code>order[-0:]</code> is everything. At least one place is asked for.</details>


# %% exercise="partial_prediction"
def partial_prediction(order, k):
    """Which places are asked for, and who may see whom.

    order: int64 tensor (N,), the places in the order of prediction; k: a whole number from 1 on.
    Asked for are the last N/k of the order, rounded down, but one at least.
    Returns (asked, content, query): asked, int64 (T,), places in the order of prediction; content,
    bool (N, N): what each place may see, itself included; query, bool (T, N): row t is what place
    asked[t] may see when it is predicted. Yang et al. 2019, section 2.3.
    """
    ### BEGIN SOLUTION
    asked = order[-max(1, len(order) // k) :]  # (T,)
    turn = torch.zeros_like(order)
    turn[asked] = torch.arange(1, len(asked) + 1)
    return asked, turn[None, :] <= turn[:, None], turn[None, :] < turn[asked][:, None]
    ### END SOLUTION


# %%
check("partial_prediction")

# %%
order = torch.tensor([0, 5, 2, 7, 4, 1, 6, 3])
figure, axes = plt.subplots(1, 3, figsize=(8.5, 3), layout="constrained")
for plot, k in zip(axes, (1, 2, 6)):
    asked, content, query = partial_prediction(order, k)
    shown = content.float()
    shown[asked] += query
    plot.imshow(shown, cmap="Blues", vmin=0, vmax=3)
    plot.set(title=f"K = {k}: {len(asked)} of 8 asked for", xlabel="place that is seen")
    plot.grid(False)
axes[0].set_ylabel("place that sees")
plt.show()

# %% [markdown]
# Darker: the query sees it, too. With K = 1 all are asked for. If no asked token saw another one, this would be a **masked model**: the comparison below.

# %% [markdown]
# ## 5. Distances
#
# No vector says where a token stands. Attention is told **how far** a key is from the row that looks, by a vector for each distance from K − 1 (far left) to 1 − K (far right), K keys in all.

# %% [markdown]
# Transformer-XL looks back alone: its distances begin at 0. XLNet's orders look ahead as well, so half of its distances are negative.
#
# ```
# K = 3 keys         column    0   1   2   3   4
#                    distance  2   1   0  −1  −2
# row at place 0 takes                 0  −1  −2      columns 2 3 4
# row at place 1 takes             1   0  −1          columns 1 2 3
# row at place 2 takes         2   1   0              columns 0 1 2
# ```

# %% [markdown]
# All rows are scored against all distances in one product; then each row takes its own K columns: the **relative shift**.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Row at place p, key j: the distance is p − j, and stands in column K − 1 − (p − j).</details>
# <details><summary>Hint</summary><code>scores.gather(-1, columns)</code> wants columns of the shape of its result: <code>expand</code> them.</details>


# %% exercise="by_distance"
def by_distance(scores, places):
    """Takes for each row and each key the score of their distance.

    scores: float tensor (B, h, N, 2K − 1); column c is of the distance K − 1 − c. places: int64
    tensor (B, N) or (1, N): where each row stands among the K keys, from 0 to K − 1.
    Returns (B, h, N, K): [b, h, i, j] is the score of the distance places[b, i] − j, how far key j
    is to the left of the row. Dai et al. 2019, appendix B.
    """
    ### BEGIN SOLUTION
    keys = (scores.shape[-1] + 1) // 2
    columns = (keys - 1 - places)[:, None, :, None] + torch.arange(keys, device=places.device)  # (B, 1, N, K)
    return scores.gather(-1, columns.expand(*scores.shape[:3], keys))
    ### END SOLUTION


# %%
check("by_distance")

# %% [markdown]
# Where rows are all places in turn, Transformer-XL's code needs no index: it adds a column and reads the same numbers off in rows of another length. Hence the name.

# %%
scores = torch.arange(15.0).reshape(1, 1, 3, 5)
shifted = functional.pad(scores, (0, 1)).flatten(2)[..., 2:-1].unflatten(-1, (3, 5))[..., :3]
print(scores[0, 0], shifted[0, 0], sep="\n")
print("the same as yours:", torch.equal(shifted, by_distance(scores, torch.arange(3)[None])))

# %% [markdown]
# ## 6. Two biases
#
# With absolute positions a score is (content + position) times (content + position): four products. Transformer-XL keeps four, without the **row's own position** (section 3.3):
#
# | | key: its content | key: its distance |
# |---|---|---|
# | row: its content | $q_i \cdot k_j$ | $q_i \cdot r_{i-j}$ |
# | row: nothing of its own | $u \cdot k_j$ | $v \cdot r_{i-j}$ |

# %% [markdown]
# In its place stand two learnt vectors, the same for all rows: $u$ looks for contents, $v$ for distances. Together $(q_i + u) \cdot k_j + (q_i + v) \cdot r_{i-j}$, all over $\sqrt d$.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Two products; the second has 2K − 1 columns and goes through <code>by_distance</code>.</details>
# <details><summary>Hint</summary>u is (h, d) and queries are (B, h, N, d): <code>u[:, None]</code> is (h, 1, d).</details>


# %% exercise="relative_scores"
def relative_scores(queries, keys, distances, u, v, places):
    """The scores of attention by content and distance, before the softmax.

    queries (B, h, N, d); keys (B, h, K, d); distances (h, 2K − 1, d): a vector for each distance from
    K − 1 down to 1 − K; u, v (h, d): the biases for contents and for distances; places (B, N) or
    (1, N): where rows stand among the keys, as by_distance takes them.
    Returns (B, h, N, K). Both parts are divided by √d. Dai et al. 2019, section 3.3.
    """
    ### BEGIN SOLUTION
    content = (queries + u[:, None]) @ keys.transpose(-1, -2)  # (B, h, N, K)
    distance = (queries + v[:, None]) @ distances.transpose(-1, -2)  # (B, h, N, 2K − 1)
    return (content + by_distance(distance, places)) / math.sqrt(queries.shape[-1])
    ### END SOLUTION


# %%
check("relative_scores")

# %% [markdown]
# ## 7. A row that sees nothing
#
# The first place of an order sees nothing, and a softmax over nothing is 0/0. It should get a vector of zeros.

# %% [markdown]
# Masking by a large negative number does something else. If **all** scores of a row are −10³⁰, they are equal, and the row gets the mean of the very tokens that are hidden from it:
#
# ```
#  scores          0.3     −1.2      2.0
#  all masked    −10³⁰    −10³⁰    −10³⁰     ─▶ softmax    ⅓   ⅓   ⅓      wanted    0   0   0
# ```

# %%
hidden = torch.tensor([0.3, -1.2, 2.0]) - 1e30  # as in the authors' code and in transformers
print("weights of a row that may see nothing:", hidden.softmax(dim=-1))

# %% [markdown]
# XLNet gets away with it, since the first places of an order are not asked for. You will be asked.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>−inf gives NaN in such a row, and NaN × 0 is NaN. With a finite number there is none; set the weights of what is hidden to 0 afterwards.</details>
# <details><summary>Hint</summary><code>torch.finfo(scores.dtype).min</code> is the lowest number of a type.</details>


# %% exercise="mix"
def mix(scores, values, sees):
    """The mean of the values that a row sees, weighted by the softmax of its scores.

    scores: float tensor (B, h, N, K), finite; values (B, h, K, d); sees: bool tensor (B, N, K) or
    (1, N, K), True where a row may see a key, the same for all heads.
    Returns (B, h, N, d). A row that sees nothing gets zeros; gradients are finite there, too.
    """
    ### BEGIN SOLUTION
    hidden = ~sees[:, None]  # (B or 1, 1, N, K)
    weights = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights.masked_fill(hidden, 0.0) @ values
    ### END SOLUTION


# %%
check("mix")

# %% [markdown]
# With these three pieces a layer of the library becomes yours:

# %%
class YourAttention(RelativeAttention):
    def attend(self, queries, keys, values, distances, places, sees, other):
        scores = relative_scores(queries, keys, distances, self.content_bias, self.distance_bias, places)
        return mix(scores, values, sees)  # (B, h, N, d)


def config_of(words, **more):
    sizes = {"d_model": 48, "n_layer": 2, "n_head": 4, "d_inner": 96, "dropout": 0.0, "initializer_range": 0.15}
    return XLNetConfig(vocab_size=words, **(sizes | more))


torch.manual_seed(seed)
library = XLNetLayer(config_of(1)).eval()
yours = XLNetLayer(config_of(1)).eval()
yours.attention = YourAttention(config_of(1))
yours.load_state_dict(library.state_dict())
x, places = torch.randn(1, 6, 48), torch.arange(6)[None]
some = order_masks(torch.randperm(6))[1][None]  # (1, 6, 6)
with torch.no_grad():
    apart = (yours(x, x, places, some) - library(x, x, places, some)).abs().max()
print(f"greatest difference to the library's layer: {float(apart):.0e}")

# %% [markdown]
# ## 8. Two streams
#
# A Transformer has one vector for each place. Here it would have to be two things at once (section 2.3):
#
# - to predict the token at place i, it may know **where** i is, not the token;
# - to help others, it must know the token.

# %% [markdown]
# So a place has two vectors:
#
# | stream | starts from | sees | is used for |
# |---|---|---|---|
# | content h | the token | content mask | keys and values of **both** streams |
# | query g | one vector w, the same everywhere | query mask | the prediction, and nothing else |
#
# A query at place 5 differs from one at place 2 by its distances alone.

# %% [markdown]
# ```
# layer m+1     h₁  h₂  h₃  h₄      g₂                g takes the place of the row, h is what is looked at:
#                ↑   ↑   ↑   ↑      ↑                     g ← layer(g, keys and values: h of layer m)
# layer m       h₁  h₂  h₃  h₄      g₂                     h ← layer(h, keys and values: h of layer m)
# start         x₁  x₂  x₃  x₄      w                 the same weights for both
# ```

# %% [markdown]
# *25 minutes, hard.* A layer of the library is called as `layer(rows, context, places, sees)`. Each layer has a **memory** of its own from the text before: its vectors stand left of the text's, and every row may see them.
#
# <details><summary>Hint</summary>Both streams look at the same context, <code>torch.cat([kept, h], dim=1)</code>, with the h that came into the layer.</details>
# <details><summary>Hint</summary>M vectors of memory shift all places by M, and the masks get M columns of True on the left: <code>functional.pad(mask, (M, 0), value=True)</code>.</details>


# %% exercise="two_streams"
def two_streams(layers, h, g, memory, asked, content, query):
    """The query stream after the last layer, from which the asked tokens are predicted.

    layers: L layers; layer(rows, context, places, sees) maps rows (B, R, H) that look at a context
    (B, K, H) to (B, R, H), with places int64 (B or 1, R) of the rows among the K and sees bool
    (B or 1, R, K). h (B, N, H), g (B, T, H): what the streams start from. memory: L tensors
    (B, M, H), M from 0 on, left of the text; every row sees all of it. asked (B, T) int64: the
    places of g in the text. content (B, N, N), query (B, T, N): bool masks, without the memory.
    Returns (B, T, H). Yang et al. 2019, section 2.3.
    """
    ### BEGIN SOLUTION
    for layer, kept in zip(layers, memory):
        before = kept.shape[1]  # M
        context = torch.cat([kept, h], dim=1)  # (B, M + N, H)
        places = before + torch.arange(h.shape[1], device=h.device)[None]  # (1, N)
        g = layer(g, context, before + asked, functional.pad(query, (before, 0), value=True))  # (B, T, H)
        h = layer(h, context, places, functional.pad(content, (before, 0), value=True))  # (B, N, H)
    return g
    ### END SOLUTION


# %%
check("two_streams")

# %% [markdown]
# The model, whole: the library's embeddings and scores around your streams, your attention in each layer.

# %%
class Model(XLNetForPermutationLM):
    def __init__(self, config):
        super().__init__(config)
        for layer in self.xlnet.layers:
            yours = YourAttention(config)
            yours.load_state_dict(layer.attention.state_dict())
            layer.attention = yours

    def predicted(self, embedded, asked, content, query):
        """Scores of the asked tokens, (B, T, V), from embedded ones,
        (B, N, H); an order may be the same for all texts."""
        asked = asked.expand(len(embedded), -1)  # (B, T)
        # (B, N, N), (B, T, N)
        content, query = (mask.expand(len(embedded), -1, -1) for mask in (content, query))
        layers, memory = self.xlnet.layers, [embedded[:, :0]] * len(self.xlnet.layers)  # none
        g = self.xlnet.start.expand(len(embedded), asked.shape[1], -1)  # (B, T, H)
        return self.logits(two_streams(layers, embedded, g, memory, asked, content, query))

    def forward(self, batch):
        tokens, asked, content, query = batch
        logits = self.predicted(self.xlnet.tokens(tokens), asked, content, query)  # (B, T, V)
        return functional.cross_entropy(logits.flatten(0, 1), tokens.gather(1, asked).flatten())


torch.manual_seed(seed)
model, tokens = Model(config_of(len(WORDS))), sentences(0, 5)
reference = XLNetForPermutationLM(model.xlnet.config)
reference.load_state_dict(model.state_dict())
asked, content, query = (part.expand(5, *part.shape) for part in partial_prediction(order, 2))
with torch.no_grad():
    # the library takes one mask, without the places themselves
    sees = content & ~torch.eye(LENGTH, dtype=torch.bool)
    library = float(reference(Asked(tokens, sees, asked)))
    print(f"your loss {float(model((tokens, asked, content, query))):.5f}, the library's {library:.5f}")

# %% [markdown]
# Is it the *published* XLNet? With the library `transformers`, if you have it, the same random weights:

# %%
if profile != "smoke" and importlib.util.find_spec("transformers"):
    import transformers

    from etude.models.xlnet_checkpoints import save_xlnet

    save_xlnet(model, run.out / "xlnet")
    theirs = transformers.XLNetLMHeadModel.from_pretrained(run.out / "xlnet").eval()
    with torch.no_grad():
        logits = model.predicted(model.xlnet.tokens(tokens), asked, content, query)
        mapping = functional.one_hot(asked, LENGTH).float()
        hidden = (~sees).float()  # theirs: 1 where a place may not see
        apart = logits - theirs(tokens, perm_mask=hidden, target_mapping=mapping).logits
    print(f"greatest difference of logits: {float(apart.abs().max()):.0e}")
    with torch.device("meta"):
        print(f"XLNet base: {sum(p.numel() for p in XLNet(XLNetConfig()).parameters()):,} parameters")
else:
    print("Left out: smoke, or transformers is not installed here.")

# %% [markdown]
# ### What leaks
#
# Does a prediction know its own token? **Differentiate**: how much do the scores at an asked place change with the embedding of its own token?

# %%
def own_token(model, content, query):
    """The length of the gradient of an asked place's scores by the embedding of its own token, in the mean."""
    embedded = model.xlnet.tokens(tokens).detach().requires_grad_()  # (B, N, H)
    logits, lengths = model.predicted(embedded, asked, content, query), []
    weights = torch.randn(logits.shape[-1], generator=torch.Generator().manual_seed(0))
    for t in range(asked.shape[1]):
        # (B, N, H)
        gradient = torch.autograd.grad((logits[:, t] @ weights).sum(), embedded, retain_graph=True)[0]
        lengths.append(gradient[torch.arange(len(tokens)), asked[:, t]].norm(dim=-1).mean())
    return float(torch.stack(lengths).mean())


own = functional.one_hot(asked, LENGTH).bool()  # (B, T, N)
leaks = {
    "as it should be": own_token(model, content, query),
    "the query sees its own token": own_token(model, content, query | own),
    "the content of all sees all": own_token(model, torch.ones_like(content), query),
}
pd.Series(leaks).round(4)

# %% [markdown]
# The third row is the treacherous one: the query mask is right, but the *content* that a query looks at has looked at its token, one layer before.
#
# ```
#  layer 1     x₂ ─▶ h₁          the content of place 1 looks at token 2
#  layer 2           h₁ ─▶ g₂    the query of place 2 may look at place 1, and gets its own token back
# ```

# %% [markdown]
# ## 9. Memory
#
# A long text is read in parts. Transformer-XL keeps what came into each layer for the last part, and looks at it from the next. Distances make that possible: with absolute positions both parts would begin at place 0.
#
# ```
#  part 1     x₁ x₂ x₃ x₄ x₅
#                   └──┬───┘    kept: constants, no gradient
#  part 2       memory m₁ m₂ m₃ │ x₆ x₇ x₈      x₆ sees m₁ m₂ m₃ at distances 3, 2, 1
# ```

# %% [markdown]
# Nothing is trained through the memory, or a step would reach back through the whole book.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary><code>detach()</code> cuts a tensor off from what it was computed from.</details>
# <details><summary>Hint</summary><code>x[:, -0:]</code> is everything, and a memory of length 0 is empty.</details>


# %% exercise="remember"
def remember(memory, hidden, length):
    """What one layer's memory holds after a part of the text.

    memory: float tensor (B, M, H), M from 0 on, what it held before, or None at the beginning;
    hidden: (B, N, H), what came into the layer for this part; length: how many places it keeps at
    most, from 0 on. Returns the last ones of memory and hidden together, (B, at most length, H);
    no gradient goes back through it. Dai et al. 2019, section 3.2.
    """
    ### BEGIN SOLUTION
    both = hidden if memory is None else torch.cat([memory, hidden], dim=1)  # (B, M + N, H)
    return both[:, max(0, both.shape[1] - length) :].detach()
    ### END SOLUTION


# %%
check("remember")

# %% [markdown]
# From left to right a text in two parts, with memory, is the same computation as in one; without, another one. What the gradient loses is the first part:

# %%
def in_two_parts(model, embedded, cut, keep):
    """The last place's scores, (B, V), of a text that is read up to
    `cut`, and from there with a memory of `keep` places."""
    first, second = embedded[:, :cut], embedded[:, cut:]
    before, _ = order_masks(torch.arange(cut))
    memory, h, places = [], first, torch.arange(cut)[None]
    for layer in model.xlnet.layers:
        memory.append(remember(None, h, keep))
        h = layer(h, h, places, before[None])
    length = second.shape[1]
    content, query = (mask.expand(len(second), -1, -1) for mask in order_masks(torch.arange(length)))
    last = torch.full((len(second), 1), length - 1)
    g = model.xlnet.start.expand(len(second), 1, -1)
    return model.logits(two_streams(model.xlnet.layers, second, g, memory, last, content, query[:, -1:]))[:, 0]


embedded = model.xlnet.tokens(tokens).detach().requires_grad_()  # (B, N, H)
content, query = order_masks(torch.arange(LENGTH))
last = torch.full((len(tokens), 1), LENGTH - 1)
whole = model.predicted(embedded, last, content[None], query[None, -1:])[:, 0]  # (B, V)
rows = {}
for keep in (0, 2, 5):
    parts = in_two_parts(model, embedded, 5, keep)
    gradient = torch.autograd.grad(parts.square().sum(), embedded)[0].norm(dim=-1).mean(dim=0)  # (N,)
    rows[f"memory of {keep}"] = {
        "difference to the whole text": float((parts - whole).detach().abs().max()),
        "gradient, first part": float(gradient[:5].sum()),
        "gradient, second part": float(gradient[5:].sum()),
    }
pd.DataFrame(rows).T.round(5)

# %% [markdown]
# ## Experiment: three objectives, one network
#
# Network, sentences and steps are the same. What differs is the mask:
#
# | objective | asked for | an asked token sees |
# |---|---|---|
# | permutation, K = 2 | four places, drawn anew | context, and asked ones before it |
# | masked | the same four | context |
# | left to right | all but ⟨s⟩ | what is on its left |

# %% [markdown]
# ⟨s⟩ is context in every order. The query stream stands where BERT would put [MASK], so that nothing else differs.

# %%
size = {
    "smoke": {"steps": 220, "batch": 64, "leaking": 60},
    "cpu": {"steps": 1500, "batch": 64, "leaking": 200},
    "gpu": {"steps": 6000, "batch": 256, "leaking": 400},
}[profile]
POOL = 1024  # drawn orders; a batch takes one for each sentence
chance = torch.Generator().manual_seed(seed)
begin = torch.tensor([0])  # ⟨s⟩
orders = [torch.cat([begin, 1 + torch.randperm(LENGTH - 1, generator=chance)]) for _ in range(POOL)]
asked, content, query = (
    torch.stack(parts) for parts in zip(*(partial_prediction(order, 2) for order in orders))
)
alone = query & ~functional.one_hot(asked, LENGTH).bool().any(dim=1)[:, None]  # no asked token sees another one
left, before = order_masks(torch.arange(LENGTH))
MASKS = {
    "permutation": (asked, content, query),
    "masked": (asked, content, alone),
    "left to right": tuple(
        part.expand(POOL, *part.shape) for part in (torch.arange(1, LENGTH), left, before[1:])
    ),
    "leaking": (asked, content, query | functional.one_hot(asked, LENGTH).bool()),
}


def train_on(objective, steps):
    def batch(number):
        rows = torch.randint(
            POOL, (size["batch"],), generator=torch.Generator().manual_seed(1_000_003 * seed + number)
        )
        return sentences(number + 1, size["batch"]), *(part[rows] for part in MASKS[objective])

    torch.manual_seed(seed)
    model = Model(config_of(len(WORDS)))
    plan = Plan(steps, linear_schedule(steps, steps // 10), title=objective)
    history = train(model, batch, plan, adamw(model, 1e-2, betas=(0.9, 0.98)))
    return model.eval(), history.losses


models, losses = {}, {}
for objective in ("permutation", "masked", "left to right"):
    models[objective], losses[objective] = train_on(objective, size["steps"])

# %% [markdown]
# ### First: is the loss honest?
#
# The planted language has an entropy, which no honest model gets below. A query stream that sees its own token does:

# %%
FLOOR = math.log(4 * 2 * 3 * 3 * 6)  # nats of a sentence: brackets, which phrase first, two digits, a noun
_, leaking = train_on("leaking", size["leaking"])
figure, axes = plt.subplots(figsize=(7.5, 3.2), layout="constrained")
for name, some in {**losses, "leaking": leaking}.items():
    axes.plot(np.convolve(some, np.ones(10) / 10, mode="valid"), label=name)
axes.axhline(FLOOR / (LENGTH - 1), color="#999999", ls="--", label="entropy, left to right")
axes.set(xlabel="step", ylabel="nats for an asked token", ylim=(0, 3.5), xscale="log")
axes.set_title(f"A leak looks like success: {np.mean(leaking[-10:]):.2f} nats after {size['leaking']} steps")
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# Do not compare the other three curves: they are asked different questions. Below, all are asked the same.

# %% [markdown]
# ### Two brackets that always agree
#
# Both brackets are hidden, nothing else. The permutation model predicts one, then the other; the masked model both at once. The control: one of the two is visible.

# %%
@torch.no_grad()
def log_probabilities(model, tokens, asked, sees):
    """ln P of every token at one asked place, (B, V); sees: which of the places are visible, bool (B, N)."""
    hidden = ~sees
    content = (sees[:, None] & sees[:, :, None]) | torch.eye(LENGTH, dtype=torch.bool)
    assert hidden[torch.arange(len(tokens)), asked].all()
    logits = model.predicted(model.xlnet.tokens(tokens), asked[:, None], content, sees[:, None])
    return logits[:, 0].log_softmax(dim=-1)


def visible(tokens, *hidden):
    """Everything but some places, bool (B, N)."""
    sees = torch.ones_like(tokens, dtype=torch.bool)
    sees[:, list(hidden)] = False
    return sees


def of(scores, tokens):
    return scores.gather(1, tokens[:, None])[:, 0]  # (B,)


test, FIRST, LAST = sentences(-1, 400), 1, LENGTH - 1
at = {place: torch.full((len(test),), place) for place in (FIRST, LAST)}
both = visible(test, FIRST, LAST)
rows, agree = {}, {}
for name in ("permutation", "masked"):
    model = models[name]
    opening = log_probabilities(model, test, at[FIRST], both)  # (B, V)
    closing = log_probabilities(model, test, at[LAST], visible(test, LAST) if name == "permutation" else both)
    control = log_probabilities(model, test, at[LAST], visible(test, LAST))
    rows[name] = {
        "both hidden": float((of(opening, test[:, FIRST]) + of(closing, test[:, LAST])).mean()),
        "one visible": float(of(control, test[:, LAST]).mean()),
    }
    agree[name] = 0.0
    for one, other in zip(OPENING, CLOSING):  # the probability that a sampled pair agrees
        said = test.clone()
        said[:, FIRST] = INDEX[one]
        after = (
            log_probabilities(model, said, at[LAST], visible(said, LAST)) if name == "permutation" else closing
        )
        agree[name] += float((opening[:, INDEX[one]] + after[:, INDEX[other]]).exp().mean())
table = pd.DataFrame(rows).T
table.loc["perfect chain"], table.loc["perfect product"] = [-math.log(4), 0.0], [-2 * math.log(4), 0.0]
table["sampled pairs agree"] = pd.Series(agree)
table.round(3)

# %%
figure, axes = plt.subplots(figsize=(7.5, 2.8), layout="constrained")
for shift, name in zip((-0.2, 0.2), rows):
    bars = axes.barh(np.arange(2) + shift, [-value for value in rows[name].values()], 0.38, label=name)
    axes.bar_label(bars, fmt="%.2f", padding=3)
for count, label in ((1, "ln 4"), (2, "2 ln 4")):
    axes.axvline(count * math.log(4), color="#999999", ls="--")
    axes.text(count * math.log(4), 1.55, label, ha="center", fontsize=8)
axes.set_yticks(range(2), ["both brackets", "the closing one"])
axes.set(xlabel="nats", ylabel="hidden", xlim=(0, 3.4))
axes.set_title(
    "Both hidden: a chain pays {:.2f} nats, a product {:.2f}".format(*-table["both hidden"].iloc[:2]), pad=18
)
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# ### A sign that depends on both neighbours
#
# One token is hidden: the sign (both neighbours decide) or the particle (the left one does: the control). The left-to-right model sees what is on the left.

# %%
def place_of(tokens, words):
    """Where one of some words stands in each text: (B,)."""
    wanted = torch.tensor([INDEX[word] for word in words])
    return torch.isin(tokens, wanted).long().argmax(dim=1)


def right(name, words):
    asked = place_of(test, words)
    sees = torch.arange(LENGTH) != asked[:, None]
    if name == "left to right":
        sees = torch.arange(LENGTH) < asked[:, None]
    best = log_probabilities_of(name, asked, sees).argmax(dim=-1)
    return float((best == test.gather(1, asked[:, None])[:, 0]).float().mean())


@torch.no_grad()
def log_probabilities_of(name, asked, sees):
    model = models[name]
    if name != "left to right":
        return log_probabilities(model, test, asked, sees)
    # content: from the left
    logits = model.predicted(model.xlnet.tokens(test), asked[:, None], left[None], sees[:, None])
    return logits[:, 0].log_softmax(dim=-1)


TAGS = {"sign (both neighbours)": SIGNS, "particle (left neighbour)": ["은", "는"]}
accuracy = {name: {tag: right(name, words) for tag, words in TAGS.items()} for name in models}
pd.DataFrame(accuracy).T.round(3)

# %% [markdown]
# Does the left-to-right model not *know* how signs work? It does. Put in each sign in turn and let it score the **whole sentence**: the digit after it tells which is likelier.

# %%
@torch.no_grad()
def whole_sentence(model, tokens):
    """ln P of each text from left to right, (B,)."""
    asked = torch.arange(1, LENGTH).expand(len(tokens), -1)
    logits = model.predicted(model.xlnet.tokens(tokens), asked, left[None], before[None, 1:])  # (B, N − 1, V)
    return logits.log_softmax(dim=-1).gather(2, tokens[:, 1:, None])[..., 0].sum(dim=1)


asked, filled = place_of(test, SIGNS), []
for sign in SIGNS:
    said = test.clone()
    said[torch.arange(len(test)), asked] = INDEX[sign]
    filled.append(whole_sentence(models["left to right"], said))
best = torch.tensor([INDEX[sign] for sign in SIGNS])[torch.stack(filled).argmax(dim=0)]
enumerated = float((best == test[torch.arange(len(test)), asked]).float().mean())
one_pass = accuracy["left to right"]["sign (both neighbours)"]
print(f"left to right, one pass: {one_pass:.3f}; by scoring whole sentences: {enumerated:.3f}")

# %% [markdown]
# So **one pass** of a left-to-right model cannot use what follows. Its distribution of whole texts lacks nothing, but asking it costs a pass for each candidate.

# %% [markdown]
# ### 24 orders of one sentence
#
# Hide four places (the brackets, the first digit, the sign), and ask the permutation model in every order. A perfect model says the same in all.

# %%
def table_of(model, text, places):
    """The table of exercise 2 for some places of one text, everything else visible."""
    n = len(places)
    table = torch.full((n, 2**n), torch.nan, dtype=torch.float64)
    for seen in range(2**n):
        sees = torch.ones(1, LENGTH, dtype=torch.bool)
        sees[0, [place for bit, place in enumerate(places) if not seen >> bit & 1]] = False
        for bit, place in enumerate(places):
            if not seen >> bit & 1:
                scores = log_probabilities(model, text[None], torch.tensor([place]), sees)
                table[bit, seen] = float(scores[0, text[place]])
    return table


torch.manual_seed(seed)
untrained = Model(config_of(len(WORDS))).eval()
rows = {}
for number, text in enumerate(test[:6]):
    start = int(place_of(text[None], DIGITS)[0])
    places = [FIRST, start, start + 1, LAST]
    for name, some in {"untrained": untrained, "trained": models["permutation"]}.items():
        rows[name, number] = over_all_orders(table_of(some, text, places))
ranges = pd.DataFrame(rows, index=["mean", "low", "high"]).T
spread = (ranges["high"] - ranges["low"]).groupby(level=0).mean()
figure, axes = plt.subplots(figsize=(7.5, 3), layout="constrained")
for shift, name in ((-0.1, "untrained"), (0.1, "trained")):
    some = ranges.loc[name].to_numpy()  # (6, 3)
    errors = np.abs(some[:, 1:] - some[:, :1]).T
    axes.errorbar(np.arange(len(some)) + shift, some[:, 0], yerr=errors, fmt="o", capsize=4, label=name)
axes.set(xlabel="sentence", ylabel="ln P of four hidden tokens")
axes.set_title(
    f"Mean and range of 24 orders: from {spread['untrained']:.2f} to {spread['trained']:.2f} nats apart"
)
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# ## Results

# %% tags=["metrics"]
sign, particle = TAGS
metrics = {
    "pair_gap": table["both hidden"]["permutation"] - table["both hidden"]["masked"],
    "pair_gap_one_visible": table["one visible"]["permutation"] - table["one visible"]["masked"],
    "agreement_gap": agree["permutation"] - agree["masked"],
    "both_sides_gap": accuracy["permutation"][sign] - accuracy["left to right"][sign],
    "left_side_gap": accuracy["permutation"][particle] - accuracy["left to right"][particle],
}
record(
    metrics,
    permutation=parameters_to_vector(models["permutation"].parameters()).detach(),
    masked=parameters_to_vector(models["masked"].parameters()).detach(),
    left_to_right=parameters_to_vector(models["left to right"].parameters()).detach(),
)

# %% [markdown]
# What was found, in the table's runs:
#
# | claim | here |
# |---|---|
# | any order multiplies to the text's probability | yes, exactly, for true conditionals; a trained model's orders still differ |
# | masked tokens are taken as independent | `pair_gap`: yes, near ln 4 = 1.39 nats, what a perfect product must lose |
# | … and only where two are hidden | `pair_gap_one_visible`: no difference with one visible |
# | every order gives context from both sides | `both_sides_gap`: yes, in one pass |
# | … and that is what helps | `left_side_gap`: where the left neighbour decides, left to right is as good |
# | a query must not see its own token, hence two streams | yes: seeing it, a model pays almost nothing and has learnt to copy |

# %% [markdown]
# Our brackets are the extreme case: the second is certain, given the first. In real text hidden tokens depend on each other less, and BERT hides only 15 %.

# %% [markdown]
# ## In your own words
#
# **1.** A colleague explains: "XLNet shuffles the words of a sentence and reads them from left to right. That is how it sees both sides." What is wrong, and how would you show it with one mask and one number?

# %% [markdown] answer="shuffled" points=2
# ### BEGIN SOLUTION
# 1 point: no token is moved; each keeps its place and its distances to the others, and only who may see whom follows the drawn order, as an attention mask. A shuffled input would lose the word order: "dog bites man" and "man bites dog" would look alike.
# 1 point: for example the mask of 3, 2, 4, 1, in which row 1 sees 2, 3 and 4 in their places; and a number: exchange two visible tokens, and the prediction changes (their distances do); or under the order 1, 2, 3, 4 the model is exactly a left-to-right one.
# ### END SOLUTION

# %% [markdown]
# **2.** Someone trains a two-stream model and is glad of a loss of 0.02 nats after 100 steps. On new text it fills gaps worse than a table of word frequencies. What do you suspect, which two masks do you look at, and which number settles it?

# %% [markdown] answer="too_good" points=2
# ### BEGIN SOLUTION
# 1 point: a leak: the query sees its own token, by a query mask that has the diagonal (≤ for <), or through content: a content mask by which tokens before it have seen it, one layer earlier. A loss below the entropy of the text is the sign.
# 1 point: the gradient of an asked place's scores by the embedding of its own token: it must be exactly 0 in every layer; or change that token, and the scores must not move.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Yang et al. 2019, [XLNet](https://arxiv.org/abs/1906.08237), section 2; the authors' [code](https://github.com/zihangdai/xlnet), `data_utils.py`.
# - Dai et al. 2019, [Transformer-XL](https://arxiv.org/abs/1901.02860): section 3, and appendix B for the shift.

# %% [markdown]
# - Song et al. 2020, [MPNet](https://arxiv.org/abs/2004.09297): permuted prediction, all positions known.
# - Uria et al. 2014, [A Deep and Tractable Density Estimator](https://arxiv.org/abs/1310.1757): all orders, one network.
