# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # T5: every task is text
#
# **The paper.** Raffel, Shazeer, Roberts, Lee, Narang, Matena, Zhou, Li and Liu, [Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer](https://arxiv.org/abs/1910.10683)
# (JMLR 21, 2020).
#
# BERT gets a head for each task. T5 reads and writes text, so all tasks share model, loss and settings. (The paper's scores are of one copy for each task,
# fine-tuned.)
# %% [markdown]
# **The claims to test.**
#
# | idea | claim | the paper's number |
# |---|---|---|
# | text to text | one model, one loss, one set of hyper-parameters for all tasks | section 2.4 |
# | two stacks | T5-Base has twice the parameters of BERT-base | 220M, 110M |
# | five sizes | all follow from their configurations | 60M 220M 770M 2.8B 11B |
# | spans | 15 % of the tokens hidden, in spans of 3 | section 3.3.4 |
# | stacks | encoder–decoder, prefix and causal language model at equal operations | GLUE 83.28, 81.82, 74.70 (Table 2) |

# %% [markdown]
# You write what is T5's own (about 2 hours); `etude.models.t5` has the whole model.
#
# | | piece |
# |---|---|
# | 1–3 | the model: RMSNorm, numbers for distances, attention |
# | 4 | the parameters of all five sizes |
# | 5–6 | span corruption: which tokens are hidden, and what is read and written then |
# | 7 | a number as text |
#
# Three experiments use pieces 1–3 and 5–6.
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
import pandas as pd
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector

import etude
from etude import check, plots, record
from etude.models.search import greedy
from etude.models.t5 import SIZES, T5, RMSNorm, T5Attention, T5Config
from etude.train import Plan, adamw, linear_schedule, train
from etude.world.lexicon import load
from etude.world.tasks import Tasks

run = etude.start("week6_objectives/t5", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. RMSNorm
#
# LayerNorm subtracts the mean, divides by the standard deviation, scales and shifts. T5 only **divides**, by the root of the mean square, and **scales**.
# %% [markdown]
# $$\text{RMSNorm}(x) = g \odot \frac{x}{\sqrt{\frac{1}{d}\sum_i x_i^2 + \varepsilon}}$$
#
# ε stands inside the root. The paper calls it a simplified layer normalization.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>The mean runs over the last dimension; <code>keepdim=True</code> keeps it, so that the division spreads.</details>


# %% exercise="rms_norm"
def rms_norm(x, weight, eps):
    """Divides each vector by the root of its mean square and scales it.

    x: float tensor (…, d); weight: (d,), the scale g, of x's type; eps: a small number, perhaps 0
    where no vector is all zeros, added inside the root.
    Returns a float tensor (…, d) of x's type, computed in that type. Raffel et al. 2020, section 2.1.
    """
    ### BEGIN SOLUTION
    return weight * x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    ### END SOLUTION


# %%
check("rms_norm")

# %%
x = torch.tensor([[1.0, 3.0], [11.0, 13.0]])  # the second row is the first, shifted by 10
print("RMSNorm  ", rms_norm(x, torch.ones(2), 1e-6).tolist())
print("LayerNorm", nn.functional.layer_norm(x, (2,)).tolist())
print("library  ", RMSNorm(2, 1e-6)(x).tolist())

# %% [markdown]
# LayerNorm cannot tell the two rows apart; RMSNorm can.

# %% [markdown]
# ## 2. Numbers for distances
#
# T5 has no position embeddings. Each head learns 32 numbers and adds one to each score, by the distance from query to key.
# %% [markdown]
# Near distances have a number each; far ones share, in steps that grow like a logarithm. From distance 128 on all share the last.
#
# ```
#  encoder (both sides)     0 … 15 for keys at the query and before it, 16 … 31 for keys after it
#     distance to the left  0 1 2 … 7 | 8–11  12–15  16–22  23–31  32–45  46–63  64–90  91 and more
#     number                0 1 2 … 7 |  8     9      10     11     12     13     14      15
#  decoder                  0 … 31, keys after the query count as distance 0
# ```

# %% [markdown]
# Of `half` numbers for one side, `near = half / 2` distances have their own. Beyond, distance $r$ has
#
# $$\text{near} + \left\lfloor \frac{\ln (r / \text{near})}{\ln (128 / \text{near})} \cdot (\text{half} - \text{near}) \right\rfloor, \text{ at most half} - 1.$$

# %% [markdown]
# *25 minutes, medium.*
#
# <details><summary>Hint</summary>Encoder: half = 16, near = 8. Decoder: half = 32, near = 16. After the query, the encoder adds 16.</details>
# <details><summary>Hint</summary>ln 0 is −∞: compute the far numbers of <code>r.clamp(min=1)</code>, and choose with <code>torch.where</code>.</details>


# %% exercise="distance_buckets"
def distance_buckets(distances, both):
    """Which of 32 numbers belongs to each distance.

    distances: int64 tensor of any shape, the key's position minus the query's; both: True in the
    encoder, False in the decoder.
    Returns an int64 tensor of the same shape, from 0 to 31. At distances of exactly 16, 32 and 64
    the logarithm is a whole number, and rounding may decide: either neighbour is right there.
    Raffel et al. 2020, section 2.1, and its code.
    """
    ### BEGIN SOLUTION
    half = 16 if both else 32
    near = half // 2
    far = distances.abs() if both else (-distances).clamp(min=0)
    steps = (far.clamp(min=1) / near).log() / math.log(128 / near) * (half - near)
    numbers = torch.where(far < near, far, (near + steps.long()).clamp(max=half - 1))
    return torch.where(distances > 0, numbers + half, numbers) if both else numbers
    ### END SOLUTION


# %%
check("distance_buckets")

# %%
some = torch.tensor([-500, -100, -50, -20, -10, -3, -1, 0, 1, 3, 10, 20, 50, 100, 500])
pd.DataFrame({"encoder": distance_buckets(some, True), "decoder": distance_buckets(some, False)}, index=some.tolist()).T

# %% [markdown]
# ## 3. Attention, T5's way
#
# | | Transformer of 2017 | T5 |
# |---|---|---|
# | a score | q · k / √d | q · k |
# | position | added to the embeddings, once | a number added to the score, in each layer |

# %% [markdown]
# In place of 1/√d, T5 draws the start values of the query matrix smaller by that factor.
#
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>What a query must not see gets the score −∞, after the distances are added.</details>


# %% exercise="attend"
def attend(queries, keys, values, worth, mask):
    """Attention whose scores are not divided, with a number for each distance.

    queries (B, h, N, k), keys and values (B, h, M, k): float tensors; worth (h, N, M): added to the
    scores; mask: bool, (N, M) or whatever spreads to (B, h, N, M), True where a query may look, at one
    key at least.
    Returns a float tensor (B, h, N, k) of the queries' type. Raffel et al. 2020, section 2.1.
    """
    ### BEGIN SOLUTION
    scores = queries @ keys.transpose(-1, -2) + worth  # (B, h, N, M)
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1) @ values
    ### END SOLUTION


# %%
check("attend")

# %% [markdown]
# Your pieces against the library's layer, with the same weights:
# %%
torch.manual_seed(seed)
config = T5Config(vocab_size=10, d_model=8, d_kv=3, num_heads=2, dropout_rate=0.0)
layer, table, x = T5Attention(config), torch.randn(32, 2), torch.randn(1, 5, 8)
places = torch.arange(5)
worth = table[distance_buckets(places - places[:, None], False)].permute(2, 0, 1)  # (h, N, N)
mask = torch.ones(5, 5, dtype=torch.bool).tril()
with torch.no_grad():
    parts = [layer._split(one(x)) for one in (layer.query, layer.key, layer.value)]
    yours = layer.out(attend(*parts, worth, mask).transpose(1, 2).flatten(2))
    library = layer(x, added=worth.masked_fill(~mask, -torch.inf))
print(f"greatest difference {float((yours - library).abs().max()):.1e}")

# %% [markdown]
# The mask decides the kind of model (section 3.2.1):
#
# | mask | who sees what | model |
# |---|---|---|
# | fully visible | all see all | encoder, BERT |
# | causal | each sees itself and what stands before | decoder, GPT |
# | prefix | the first M see each other, the rest is causal | prefix LM |

# %% [markdown]
# ## 4. Parameters, to the digit
#
# One table of words serves encoder, decoder and output. No map has a bias.
#
# | part | holds |
# |---|---|
# | encoder layer | attention, feed-forward network, 2 RMSNorms |
# | decoder layer | 2 attentions, feed-forward network, 3 RMSNorms |
# | each stack | a last RMSNorm, and 32 numbers for each head (all its layers share them) |

# %% [markdown]
# An attention has four matrices, width × (heads · k); h · k need not be the width. A feed-forward network has two, width × inner.
#
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>An RMSNorm has as many numbers as the vector is wide.</details>


# %% exercise="count_parameters"
def count_parameters(words, layers, width, inner, heads, of_head):
    """How many parameters T5 has.

    words: V; layers: of each of the two stacks; width: d; inner: of the feed-forward network;
    heads: h; of_head: k. Whole numbers.
    Returns a whole number. Raffel et al. 2020, sections 2.1 and 3.7.
    """
    ### BEGIN SOLUTION
    attention = 4 * width * heads * of_head
    feed_forward = 2 * width * inner
    encoder = layers * (attention + feed_forward + 2 * width)
    decoder = layers * (2 * attention + feed_forward + 3 * width)
    return words * width + encoder + decoder + 2 * (width + 32 * heads)
    ### END SOLUTION


# %%
check("count_parameters")

# %%
BERT_BASE = 109_482_240
rows = {name: {"parameters": count_parameters(32_128, *size)} for name, size in SIZES.items()}
for (name, row), printed in zip(rows.items(), ("60M", "220M", "770M", "2.8B", "11B")):
    rows[name] = row | {"printed": printed, "times BERT-base": round(row["parameters"] / BERT_BASE, 2)}
pd.DataFrame(rows).T

# %% [markdown]
# "T5 has twice BERT's parameters" is true of T5-Base alone. Large has 738M where the paper prints 770M.
# %% [markdown]
# ## 5. Which spans are hidden
#
# 15 % of the tokens are hidden, in spans of 3 on average. Only cuts are drawn:
#
# 1. hidden tokens: `round(length · rate)`, at least 1 and at most length − 1; spans: `round(hidden / mean)`, at least 1;
# 2. cut the hidden tokens into that many parts, each at least 1, all ways equally likely;
# 3. cut the others into as many, in the same way;
# 4. lay them in turn: kept, hidden, …

# %% [markdown]
# So no two spans touch, the first token is kept, and the last is hidden, as in the authors' code.
#
# *25 minutes, medium.*
#
# <details><summary>Hint</summary>To cut n into p parts, choose p − 1 of the n − 1 places between the tokens: <code>random.Random(seed).sample(range(1, n), p − 1)</code>, sorted.</details>


# %% exercise="noise_spans"
def noise_spans(length, rate, mean, seed):
    """Draws the spans of a text that are hidden.

    length: of the text, at least 2; rate: share to hide; mean: tokens in a span; seed: a whole
    number from 0 to 2**32 − 1, from which alone the draw comes (other seeds, other spans); the
    global generators of Python and torch stay as they are. round is Python's. There are never more
    spans than tokens kept.
    Returns a list of (start, end), from left to right; end is the place after the last hidden
    token. Raffel et al. 2020, section 3.3.4, and its code.
    """
    ### BEGIN SOLUTION
    chance = random.Random(seed)
    hidden = min(max(round(length * rate), 1), length - 1)
    count = max(round(hidden / mean), 1)

    def parts(total):
        cuts = [0, *sorted(chance.sample(range(1, total), count - 1)), total]
        return [end - start for start, end in pairwise(cuts)]

    spans, place = [], 0
    for kept, lost in zip(parts(length - hidden), parts(hidden)):
        spans.append((place + kept, place + kept + lost))
        place += kept + lost
    return spans
    ### END SOLUTION


# %%
check("noise_spans")

# %%
for number in range(4):
    spans = noise_spans(60, 0.15, 3, number)
    print("".join("█" if any(start <= n < end for start, end in spans) else "·" for n in range(60)), spans)

# %% [markdown]
# ## 6. Read and write
#
# Each span is replaced by one **sentinel**. The target tells what stood there:
#
# ```
# text    Thank you for inviting me to your party last week .
# read    Thank you <0> me to your party <1> week .
# write   <0> for inviting <1> last <2>
# ```

# %% [markdown]
# The last sentinel says that nothing more follows.
#
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>Remember where the last span ended.</details>


# %% exercise="corrupt"
def corrupt(tokens, spans):
    """What T5 reads and writes in pre-training.

    tokens: a list of strings; spans: a list of (start, end), from left to right, that do not touch.
    Returns two lists of strings: the text with the sentinel "<0>", "<1>", … in place of each span;
    and each sentinel with its span, with one more sentinel at the end. Raffel et al. 2020,
    Figure 2.
    """
    ### BEGIN SOLUTION
    read, write, place = [], [], 0
    for number, (start, end) in enumerate(spans):
        read += [*tokens[place:start], f"<{number}>"]
        write += [f"<{number}>", *tokens[start:end]]
        place = end
    return [*read, *tokens[place:]], [*write, f"<{len(spans)}>"]
    ### END SOLUTION


# %%
check("corrupt")

# %%
text = "Thank you for inviting me to your party last week ."
for part in corrupt(text.split(), [(2, 4), (8, 9)]):
    print(" ".join(part))

# %% [markdown]
# ## 7. A number as text
#
# STS-B asks how alike two sentences are, from 0 to 5 (the paper says 1 to 5, and counts 21 strings). T5 writes a string, rounded to steps of 0.2: "2.6". So
# regression becomes classification.
# %% [markdown]
# Any other text counts as wrong. 19 · 0.2 prints "3.8000000000000003": a label has **one digit** after the point.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>How many steps of 0.2 is it? <code>round(5 · score)</code>.</details>


# %% exercise="score_text"
def score_text(score):
    """A score as text: rounded to the nearest step of 0.2, with one digit after the point.

    score: a number, from 0 to 5. In the middle between two steps the even number of steps wins, as
    Python's round has it: 2.5 is 12.5 steps, so "2.4". (A float holds 0.3 only nearly: there, either
    neighbour is right.)
    Returns a string such as "2.6". Raffel et al. 2020, section 2.4.
    """
    ### BEGIN SOLUTION
    return f"{round(5 * score) / 5:.1f}"
    ### END SOLUTION


# %%
check("score_text")

# %%
print(*(f"{score} → {score_text(score)!r}" for score in (1, 2.57, 3.75, 3.8, 2.5, 5)), sep="\n")

# %% [markdown]
# ## Experiment I: one model or three?
#
# Three tasks on one-sentence stories of the planted world. The **prefix** says which is asked:
#
# | read | write |
# |---|---|
# | topic: tom inspected the scale in the mall | market |
# | who: tom inspected the scale in the mall | tom |
# | where: tom inspected the scale in the mall | mall |

# %%
size = {
    "smoke": {"steps": 80, "events": 400, "layers": 1, "batch": 16},
    "cpu": {"steps": 200, "events": 800, "layers": 2, "batch": 32},
    "gpu": {"steps": 1000, "events": 2000, "layers": 4, "batch": 64},
}[profile]
NAMES = ("topic", "who", "where")
TOPIC_OF = {place.stem: topic.name for topic in load("en").topics for place in topic.places}


def events(count, split, seed, sentences=1):
    """Sentences such as "tom inspected the scale in the mall", or
    stories of several, with " . " between them."""
    return [one.passage for one in Tasks("en", seed).questions(count, split, sentences=sentences, unanswerable=0)]


def answer_of(task, event):
    words = event.split()
    return {"topic": TOPIC_OF[words[-1]], "who": words[0], "where": words[-1]}[task]


words = {word for split in ("train", "test") for event in events(2000, split, 0) for word in event.split()}
SENTINELS = [f"<{number}>" for number in range(10)]
vocabulary = ["<pad>", "</s>", *sorted(words | {*TOPIC_OF.values()} | {f"{name}:" for name in NAMES}), ".", *SENTINELS]
index = {word: number for number, word in enumerate(vocabulary)}
train_events, test_events = events(size["events"], "train", seed), events(200, "test", seed + 10_000)
print(len(vocabulary), "words;", len(set(test_events) & set(train_events)), "sentences are in both parts")

# %% [markdown]
# Training and test use different halves of the things (scale, pearl, …): no test sentence was ever read.
# %%
def ids(texts):
    """Rows of ids, each with its end, padded: (B, N)."""
    rows = [[index[word] for word in text.split()] + [1] for text in texts]
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


def asked(task, event, prefix):
    return f"{task}: {event}" if prefix else event


class TextToText(nn.Module):
    """T5 of your pieces, whose batches are pairs of what is read and what is to be written."""

    def __init__(self, layers=size["layers"]):
        super().__init__()
        self.t5 = T5(T5Config(len(vocabulary), 64, 16, 128, layers, 4, dropout_rate=0.0))

    @staticmethod
    def batch(sources, targets):
        return ids(sources), ids(targets)

    def attention(self, layer, x, context, worth, mask):
        """From x, (B, N, d), to the context, (B, M, d): (B, N, d)."""
        parts = [
            layer._split(one(some))
            for one, some in ((layer.query, x), (layer.key, context), (layer.value, context))
        ]
        return layer.out(attend(*parts, worth, mask).transpose(1, 2).flatten(2))

    def stack(self, stack, x, mask, memory=None, seen=None):
        """The encoder, or the decoder with a memory, (B, M, d), and
        where it holds words, (B, 1, 1, M): (B, N, d)."""
        places = torch.arange(x.shape[1], device=x.device)
        worth = stack.distances(distance_buckets(places - places[:, None], stack.both)).permute(2, 0, 1)  # (h, N, N)
        for layer in stack.layers:
            normed = rms_norm(x, layer.attention_norm.weight, layer.attention_norm.eps)
            x = x + self.attention(layer.attention, normed, normed, worth, mask)
            if memory is not None:
                normed = rms_norm(x, layer.cross_norm.weight, layer.cross_norm.eps)
                nothing = x.new_zeros(len(worth), x.shape[1], memory.shape[1])  # no distances between two texts
                x = x + self.attention(layer.cross, normed, memory, nothing, seen)
            x = x + layer.feed_forward(rms_norm(x, layer.feed_forward_norm.weight, layer.feed_forward_norm.eps))
        return rms_norm(x, stack.norm.weight, stack.norm.eps)

    def forward(self, batch):
        """The loss in nats, (), of sources (B, M) and targets (B, N)."""
        source, target = batch
        seen = (source != 0)[:, None, None]  # (B, 1, 1, M)
        memory = self.stack(self.t5.encoder, self.t5.tokens(source), seen)
        later = nn.functional.pad(target[:, :-1], (1, 0))  # padding, then what is written, one place later
        causal = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool, device=target.device).tril()
        hidden = self.stack(self.t5.decoder, self.t5.tokens(later), causal, memory, seen)
        logits = hidden * self.t5.config.d_model**-0.5 @ self.t5.tokens.weight.T  # (B, N, V)
        return nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)


torch.manual_seed(seed)
some = train_events[:3]
batch = ids([asked("topic", event, True) for event in some]), ids([answer_of("topic", event) for event in some])
model = TextToText()
with torch.no_grad():
    print(
        f"loss of your model {float(model(batch)):.6f}, of the library's with the same weights {float(model.t5(*batch)):.6f}"
    )

# %% [markdown]
# Your model learns; the library's, with your model's weights, then writes the answers.

# %%
def learn(title, pairs, steps, kind=TextToText, layers=size["layers"]):
    """Trains a model; `pairs(number, chance)` draws the texts of
    a batch: what is read, what is to be written."""

    def batch(number):
        return kind.batch(*pairs(number, random.Random(1_000_003 * seed + number)))

    torch.manual_seed(seed)
    model = kind(layers)
    plan = Plan(steps, linear_schedule(steps, steps // 10), device=str(run.device), title=title)
    train(model, batch, plan, adamw(model, 4e-3, betas=(0.9, 0.98)))
    return model.cpu().eval()


def learn_tasks(tasks, prefix=True):
    """Trains a model on batches of one task after the other: the same steps for each task."""

    def pairs(number, chance):
        task, some = tasks[number % len(tasks)], [chance.choice(train_events) for _ in range(size["batch"])]
        return [asked(task, event, prefix) for event in some], [answer_of(task, event) for event in some]

    return learn(" ".join(tasks), pairs, size["steps"] * len(tasks))


def share_right(model, task, prefix=True):
    """Share of test events whose answer is written word for word."""
    written = greedy(model.t5, ids([asked(task, event, prefix) for event in test_events]), begin=0, end=1, longest=3)
    texts = [" ".join(vocabulary[number] for number in row) for row in written]
    return sum(text == answer_of(task, event) for text, event in zip(texts, test_events)) / len(texts)


# %% [markdown]
# One model learns all three, each for as many steps as a model of its own. The control reads no prefix.
# %%
one, without = learn_tasks(NAMES), learn_tasks(NAMES, prefix=False)
three = {name: learn_tasks((name,)) for name in NAMES}
table = pd.DataFrame(
    {
        "three models": {name: share_right(three[name], name) for name in NAMES},
        "one model": {name: share_right(one, name) for name in NAMES},
        "one model, no prefix": {name: share_right(without, name, prefix=False) for name in NAMES},
    }
)
table.loc["mean"] = table.mean()
table.round(3)

# %% [markdown]
# Without a prefix a text has three right answers, and the model writes one: a third on average at most.
# %% [markdown]
# ## Experiment II: fill in what is hidden
#
# T5's pre-training, in small: stories of four sentences, 15 % hidden in spans of 3, other ones each time. The model writes what your `corrupt` says.
# %%
def stories(count, seed):
    return events(count, "train", seed, sentences=4)


def hidden_in(texts, chance):
    """What is read and what is written, with spans drawn anew: two lists of texts."""
    pairs = []
    for tokens in map(str.split, texts):
        pairs.append(
            [
                " ".join(part)
                for part in corrupt(tokens, noise_spans(len(tokens), 0.15, 3, chance.randrange(10**9)))
            ]
        )
    return tuple(zip(*pairs))


read_stories, other_stories = stories(size["events"], seed), stories(200, seed + 10_000)
filler = learn(
    "spans",
    lambda number, chance: hidden_in([chance.choice(read_stories) for _ in range(size["batch"])], chance),
    3 * size["steps"],
)
sources, targets = hidden_in(other_stories, random.Random(seed))
print(sources[0], targets[0], sep="\n")

# %% [markdown]
# A token costs −ln of its probability. Before you run it: what will a name cost, and what a sentinel?
# %%
source, target = ids(sources), ids(targets)
with torch.no_grad():
    later = nn.functional.pad(target[:, :-1], (1, 0))
    # (B, N)
    costs = nn.functional.cross_entropy(filler.t5.decode(later, *filler.t5.encode(source)).mT, target, reduction="none")
fill_nats = float(costs[target != 0].mean())
kind_of = {"</s>": "end"} | dict.fromkeys(("the", "in", "."), "the, in, .") | dict.fromkeys(SENTINELS, "sentinel")
for sentence in " . ".join(read_stories + other_stories).split(" . "):
    name, verb, _, thing, _, _, place = sentence.split()
    kind_of |= {name: "name", verb: "verb", thing: "thing", place: "place"}
words = [vocabulary[number] for number in target[target != 0].tolist()]
spent = pd.DataFrame({"kind": [kind_of[word] for word in words], "nats": costs[target != 0]})
often = Counter(
    word for text in hidden_in(read_stories, random.Random(seed + 1))[1] for word in [*text.split(), "</s>"]
)
guess = sum(math.log((often.total() + len(vocabulary)) / (often[word] + 1)) for word in words) / len(words)
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
title = f"{fill_nats:.2f} nats a token; who knows only how often each comes pays {guess:.2f} (dashed)"
plots.bars(
    axes,
    dict(spent.groupby("kind")["nats"].mean().sort_values()),
    label="nats for each token written",
    title=title,
)
axes.axvline(guess, color=plots.COLOURS[1], ls="--", lw=1)
plt.show()

# %% [markdown]
# The form comes first: the end, the sentinels, the small words. A sentinel is not free, as the length of a span is unknown. Which name was hidden nobody can
# know.
# %% [markdown]
# Others hide spans, share a model, or repair a text:
#
# | | what is read | what is written | for each task |
# |---|---|---|---|
# | SpanBERT | spans of 3.8 words on average are masked | each masked word, guessed once more from the span's two borders | a head |
# | BART | a span becomes one mask, of whatever length | the whole text | a head, or the text |
# | MT-DNN | sentences, as BERT reads them | nothing: BERT's encoder is shared by all tasks | a head |
# | T5 | a span becomes one sentinel | the hidden words alone | a prefix |

# %% [markdown]
# ## Experiment III: two stacks or one?
#
# In a **language model** one stack reads the source and goes on with the target; the loss counts the target alone. Two masks (section 3.2.1):
#
# | | the source's tokens see | parameters of the layers |
# |---|---|---|
# | encoder–decoder, L + L layers | all of the source | more than twice as many |
# | causal language model, L layers | what stands before | |
# | prefix language model, L layers | all of the source | |

# %% [markdown]
# L against L + L is fair: each token passes through L layers, the source's in the encoder, the target's in the decoder. Attention differs a little, so steps are
# chosen for **equal operations**.
#
# L is at least 2 here. Why would one layer not tell the two masks apart?
#
# <details><summary>Answer</summary>A target's token looks at what the layer below says of the source. Below the first layer there are embeddings, which have seen nothing yet.</details>

# %%
def operations(read, written, stacks):
    """Multiplications of one pair forward, for each layer, of texts of so many tokens (section 3.2.2)."""
    config = T5Config(len(vocabulary), 64, 16, 128, num_heads=4)
    inner = config.num_heads * config.d_kv

    def attention(queries, keys):
        return 2 * config.d_model * inner * (queries + keys) + 2 * queries * keys * inner

    tokens = 2 * config.d_model * config.d_ff * (read + written)
    if stacks == 1:
        return tokens + attention(read + written, read + written)
    return tokens + attention(read, read) + attention(written, written) + attention(written, read)


long = [sum(len(text.split()) + 1 for text in texts) / len(texts) for texts in (sources, targets)]
costs = {"encoder–decoder": operations(*long, 2), "one stack": operations(*long, 1)}
steps_of_one = round(3 * size["steps"] * costs["encoder–decoder"] / costs["one stack"])
print(
    f"{long[0]:.0f} tokens read, {long[1]:.0f} written; {costs}; {3 * size['steps']} steps, for one stack {steps_of_one}"
)

# %%
class OneStack(TextToText):
    """A causal language model of your pieces; it uses the encoder's layers alone."""

    prefix = False

    @staticmethod
    def batch(sources, targets):
        """Rows of both texts, (B, N), and how many of their tokens are read, (B,)."""
        both = ids([f"{source} </s> {target}" for source, target in zip(sources, targets)])
        return both, torch.tensor([len(source.split()) + 1 for source in sources])

    def forward(self, batch):
        both, read = batch
        places = torch.arange(both.shape[1] - 1, device=both.device)
        mask = places <= places[:, None]  # (N − 1, N − 1)
        if self.prefix:
            mask = mask | (places < read[:, None])[:, None, None]  # (B, 1, N − 1, N − 1)
        hidden = self.stack(self.t5.encoder, self.t5.tokens(both[:, :-1]), mask)
        logits = hidden * self.t5.config.d_model**-0.5 @ self.t5.tokens.weight.T  # (B, N − 1, V)
        written = both[:, 1:].masked_fill(places + 1 < read[:, None], 0)  # what was read is no target
        return nn.functional.cross_entropy(logits.flatten(0, 1), written.flatten(), ignore_index=0)


class PrefixStack(OneStack):
    """The same with one mask exchanged: what is read sees all of itself."""

    prefix = True


# %% [markdown]
# Before you run it: which model knows what stands **after** a gap when it reads what stands before it?
# %%
def hidden_spans(number, chance):
    return hidden_in([chance.choice(read_stories) for _ in range(size["batch"])], chance)


depth = max(2, size["layers"])
all_steps = {TextToText: 3 * size["steps"], PrefixStack: steps_of_one, OneStack: steps_of_one}
fillers = {kind: learn(kind.__name__, hidden_spans, steps, kind, depth) for kind, steps in all_steps.items()}
with torch.no_grad():
    pays = {kind: float(model(kind.batch(sources, targets))) for kind, model in fillers.items()}
figure, axes = plt.subplots(figsize=(7, 2.4), layout="constrained")
bars = dict(zip(("encoder–decoder", "prefix, one stack", "causal, one stack"), pays.values()))
more = {kind: pays[kind] - pays[TextToText] for kind in (PrefixStack, OneStack)}
title = f"Equal operations: one stack pays {more[PrefixStack]:+.2f} nats a token, a causal one {more[OneStack]:+.2f}"
plots.bars(axes, bars, label="nats for each token written", title=title)
plt.show()

# %% [markdown]
# In the paper (Table 2) the order is encoder–decoder, prefix, causal. Runs this small differ by chance as much as masks do.
# %% [markdown]
# ## Results

# %% tags=["metrics"]
mean = table.loc["mean"]
metrics = {
    "one_model": mean["one model"],
    "one_minus_three": mean["one model"] - mean["three models"],
    "prefix_gap": mean["one model"] - mean["one model, no prefix"],
    "fill_nats": fill_nats,
    "one_stack_costs": pays[PrefixStack] - pays[TextToText],
    "causal_costs": pays[OneStack] - pays[PrefixStack],
}
record(
    metrics,
    one=parameters_to_vector(one.parameters()).detach(),
    without=parameters_to_vector(without.parameters()).detach(),
    three=torch.stack([parameters_to_vector(three[name].parameters()).detach() for name in NAMES]),
    filler=parameters_to_vector(filler.parameters()).detach(),
    fillers=torch.stack([parameters_to_vector(model.parameters()).detach() for model in fillers.values()]),
)

# %% [markdown]
# | claim | here |
# |---|---|
# | one model serves all tasks | yes: in the smallest profile 0.94 right, 0.02 less than three models (12 seeds, spread 0.05), in `cpu` all, as three do; the tasks are easy, and a ceiling hides small differences |
# | the prefix tells the task | yes: `prefix_gap` is 0.62 in the smallest profile, 0.66 in `cpu`; without prefixes a third is right |
# | hidden spans can be filled in | `fill_nats`: 1.6 nats a token in the smallest profile, where frequencies alone give 3.2; words are still guesses |
# | two stacks do better than one of as many operations | `one_stack_costs`: by 0.10 nats a token in the smallest profile (12 seeds, spread 0.06), by −0.12 in `cpu` (5 seeds, 0.08): not at this size |
# | what is read had better see all of itself | `causal_costs`: no difference here (−0.03, spread 0.06; in `cpu` 0.04, 0.05) |
# | T5-Base has twice BERT's parameters | 2.04 times, and no other size |
# | all sizes as printed | not Large (738M, printed 770M) and not 3B (2.85B, printed 2.8B) |

# %% [markdown]
# ## In your own words
#
# **1.** A T5 for STS-B writes "2.6" where the label is "2.8", and for another pair "hamburger". What does the loss make of both, and what does the score of the task? What would a regression head do?

# %% [markdown] answer="number_as_text" points=2
# ### BEGIN SOLUTION
# 1 point: the loss is cross-entropy over tokens: "2.6" is as wrong as any other string with as little probability for the right one; it knows no distance between numbers. The score (a correlation) counts 2.6 as near,
# and what is no number as wrong. 1 point: a regression head always gives a number and is punished by distance, but it needs its own head and loss: it is not text to text.
# ### END SOLUTION

# %% [markdown]
# **2.** A friend trains one model on three tasks for as many steps **in all** as each of three models, and finds it worse. Does that show that tasks disturb each
# other? Which control is missing?
# %% [markdown] answer="equal_steps" points=2
# ### BEGIN SOLUTION
# 1 point: no: each task had a third of the steps, so the one model has simply learnt less of each. 1 point: give the one model as many steps for each task as its own model has (three times in all),
# or the three models a third; then also compare over several seeds. Size counts, too: three models have three times the parameters.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Raffel et al. 2020, [T5](https://arxiv.org/abs/1910.10683), section 3: what was tried, and what made no difference.
# - Zhang and Sennrich 2019, [Root Mean Square Layer Normalization](https://arxiv.org/abs/1910.07467).
# - Lewis et al. 2020, [BART](https://arxiv.org/abs/1910.13461): repairs a text.
# - Joshi et al. 2020, [SpanBERT](https://arxiv.org/abs/1907.10529), and Liu et al. 2019, [MT-DNN](https://arxiv.org/abs/1901.11504).
# - Xue et al. 2021, [mT5](https://arxiv.org/abs/2010.11934): 101 languages, Korean among them.
