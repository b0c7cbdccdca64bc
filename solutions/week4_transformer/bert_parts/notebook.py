# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # What BERT's parts are worth
#
# **The paper.** Devlin, Chang, Lee and Toutanova, [BERT: Pre-training of Deep Bidirectional Transformers for Language
# Understanding](https://aclanthology.org/N19-1423) (NAACL 2019), section 5 and appendix C: *ablations*, which take one part away and see what is lost.
# %% [markdown]
# **The claims to test.** A task's own score on the development set; GLUE's are accuracies, SQuAD's and NER's are F1.
#
# | part | claim | printed |
# |---|---|---|
# | fine-tuning | frozen features come near it | NER: 96.4; last four layers as features 96.1; embeddings 91.0 |
# | both directions | left to right loses, most on tokens | SQuAD 87.9 (without NSP) → 77.8; + BiLSTM 84.9 |
# | next sentences (NSP) | without it pairs suffer | QNLI 88.4 → 84.9, MNLI 84.4 → 83.9 |
# | 80/10/10 | masks alone hurt frozen features | NER by features 94.9 → 94.0 |
# | long pre-training | a million steps beat 500,000 | MNLI: almost +1.0 |

# %% [markdown]
# The paper gives one number for each, and no spread. Is the difference more than luck, and what is it worth in labels?
# %% [markdown]
# You write eight pieces (about 2 hours). Nine small BERTs are pre-trained on the course's English world, most of them with one part of the recipe changed. Left to
# right goes without NSP, as in the paper.
# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: about a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import io
import math
import random
from collections import Counter
from contextlib import redirect_stderr
from functools import cache
from itertools import chain

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

import etude
from etude import check, plots, pretrained, record
from etude.models.bert import IGNORED, Bert
from etude.models.bert_heads import BertClassifier, BertTagger, Labelled
from etude.recipes import RECIPES
from etude.train import Plan, adamw, linear_schedule, train
from etude.world import World
from etude.world.lexicon import load
from etude.world.tasks import Tasks

run = etude.start("week4_transformer/bert_parts", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## The task
#
# Find the names in a sentence: persons, countries, capitals, languages. The test's names are new: what a new name is, only pre-training can have taught.
# %%
TAGS = ("O", "B-PER", "B-COU", "B-CAP", "B-LAN")
POOL, TEST = 1000, 300  # sentences to take labels from, and to test on
SEEDS, PER_CLASS = {
    "smoke": (1, (1, 4, 16)),
    "cpu": (3, (1, 2, 4, 8, 16, 32)),
    "gpu": (10, (1, 2, 4, 8, 16, 32, 64)),
}[profile]
tasks = Tasks("en", seed=seed)
tokenizer = pretrained.load("world-en").tokenizer
begin, separator = (tokenizer.special_tokens[token] for token in ("[CLS]", "[SEP]"))


def encode(item):
    """Ids, and for each the number of its tag: a word's tag stands at its first piece, IGNORED elsewhere."""
    pieces = [[tokenizer.index[piece] for piece in tokenizer.tokenize(word)] for word in item.words]
    labels = [[TAGS.index(tag)] + [IGNORED] * (len(ids) - 1) for tag, ids in zip(item.tags, pieces)]
    return [begin, *chain(*pieces), separator], [IGNORED, *chain(*labels), IGNORED]


def padded(rows, filler=0):
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=filler)  # (B, N)


def batch_of(rows):
    return Labelled(padded([ids for ids, _ in rows]), None, padded([labels for _, labels in rows], IGNORED))


pool_items, test_items = tasks.entities(POOL, "train"), tasks.entities(TEST, "test")
pool, test = [encode(item) for item in pool_items], batch_of([encode(item) for item in test_items])
for item in (*pool_items[:3], *test_items[:3]):
    print(" ".join(f"[{word} {tag}]" if tag != "O" else word for word, tag in zip(item.words, item.tags)))

# %% [markdown]
# ## 1. Frozen: which layers?
#
# Fine-tuning changes all weights. **Feature-based** use runs the encoder once, keeps its vectors, and trains something small on them. BERT has L + 1 vectors for each
# token: which ones?
# %% [markdown]
# Table 7 tries six ways. For layers $x_0$ (the embeddings), $x_1, …, x_L$:
#
# | way | vector of a token | width |
# |---|---|---|
# | `"embeddings"` | $x_0$ | H |
# | `"second-to-last"` | $x_{L-1}$ | H |
# | `"last"` | $x_L$ | H |
# | `"sum-last-4"` | $\sum_i w_i x_i$ over the last four | H |
# | `"concat-last-4"` | the last four, side by side | 4 H |
# | `"sum-all"` | $\sum_i w_i x_i$ over $x_1, …, x_L$ | H |

# %% [markdown]
# The paper does not say how it weights its sums. As in ELMo, each layer has a learned score, and $w$ is their softmax. A way without a sum ignores scores, if given.
# %% [markdown]
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>Drop the embeddings first; what is left are the L layers. Negative indices count from the last.</details>
# <details><summary>Hint</summary>A slice of the last four of two gives two: no special case.</details>


# %% exercise="combine_layers"
def combine_layers(layers, way, scores=None):
    """One vector for each token, made of several layers.

    layers: list of L + 1 float tensors (B, N, H), the embeddings first, the last layer last; L is
    at least 2.
    way: one of the six names of the table. "Last four" are the L there are if L < 4, and never the
    embeddings. Side by side means lower layers first. scores: float tensor (K,), one for each layer
    that is summed, lower layers first; not read for ways without a sum.
    Returns a float tensor (B, N, H), of "concat-last-4" (B, N, K · H). Devlin et al. 2019, Table 7.
    """
    ### BEGIN SOLUTION
    if way == "embeddings":
        return layers[0]
    if way == "second-to-last":
        return layers[-2]
    if way == "last":
        return layers[-1]
    hidden = layers[1:] if way == "sum-all" else layers[1:][-4:]  # K of (B, N, H)
    if way == "concat-last-4":
        return torch.cat(hidden, dim=-1)  # (B, N, K · H)
    weights = torch.softmax(scores, dim=0)  # (K,)
    return sum(weight * layer for weight, layer in zip(weights, hidden))  # (B, N, H)
    ### END SOLUTION


# %%
check("combine_layers")

# %% [markdown]
# ## 2. Frozen up to where?
#
# Freeze embeddings and lower layers, train the rest.
#
# ```
# first = 0   input  layer 1  layer 2  head       all is trained: fine-tuning
# first = 1   ░░░░░  layer 1  layer 2  head
# first = 2   ░░░░░  ░░░░░░░  layer 2  head
# first = 3   ░░░░░  ░░░░░░░  ░░░░░░░  head       features of the last layer
# ```

# %% [markdown]
# The paper's layer $i$ is named `bert.layers.{i-1}`, since Python counts from 0. What does not begin with `bert.input.` or `bert.layers.` (pooler, head) is always
# trained.
# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Split the name at its dots: the number is the third part. Is "bert.layers.1" the beginning of the name of another layer, too?</details>
# <details><summary>Hint</summary>A tensor of shape (4, 3) has 12 weights: <code>math.prod</code>.</details>


# %% exercise="trainable"
def trainable(shapes, first):
    """Which weights are trained if everything below layer `first` is frozen.

    shapes: dict from a weight's name to its shape, a tuple of ints, such as
    {"bert.input.norm.bias": (64,), "bert.layers.0.feed_forward.0.weight": (256, 64), "head.bias":
    (5,)}. first: 0 for all, 1 for all but the input, 2 for all but the input and the first layer
    (bert.layers.0), and so on.
    Returns (list of the names that are trained, in the order of shapes; how many numbers these
    weights are together).
    """
    ### BEGIN SOLUTION
    names = []
    for name in shapes:
        level = first  # pooler and head
        if name.startswith("bert.input."):
            level = 0
        elif name.startswith("bert.layers."):
            level = 1 + int(name.split(".")[2])
        if level >= first:
            names.append(name)
    return names, sum(math.prod(shapes[name]) for name in names)
    ### END SOLUTION


# %%
check("trainable")

# %% [markdown]
# ## 3. Few labels, fairly drawn
#
# Two rules make 5, 20 and 80 labels comparable: each class has **equally many**, and the larger sample **holds the smaller one**.
# %% [markdown]
# ```
# per_class = 1   a₁ b₁ c₁
# per_class = 2   a₁ b₁ c₁ a₂ b₂ c₂          the first three again
# ```
#
# Without the second rule a curve can fall because the smaller sample was luckier.
# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Shuffle once, by the seed alone. Then the size only decides how far you read.</details>
# <details><summary>Hint</summary>Read the shuffled places in order and count what each class has.</details>


# %% exercise="few_labels"
def few_labels(labels, per_class, seed):
    """Draws a balanced sample: places in `labels`, as many of each class.

    labels: list of classes (ints or strings), at least one, each class at least `per_class` times.
    per_class: 1 or more. seed: an int, 0 to 2**32 − 1; the same seed gives the same sample, in
    another run of Python too (where hash("a") is another), other seeds others, and with one seed a
    larger sample holds every smaller one. Every set of `per_class` places of a class can come.
    Returns a list of different places, in any order, perhaps another order each time.
    """
    ### BEGIN SOLUTION
    order = list(range(len(labels)))
    random.Random(seed).shuffle(order)
    places, taken = [], Counter()
    for place in order:
        if taken[labels[place]] < per_class:
            taken[labels[place]] += 1
            places.append(place)
    return places
    ### END SOLUTION


# %%
check("few_labels")

# %% [markdown]
# Fine-tune from layer `first` on, or train a small head on frozen layers. A sentence's class is the name in it (or O), so five classes.
# %%
classes = [next((tag for tag in item.tags if tag != "O"), "O") for item in pool_items]
STEPS, BATCH, RATE, HEAD_RATE = 50, 16, 3e-3, 1e-2  # a head alone bears a higher rate, and needs more steps
gold = test.labels[test.labels != IGNORED]  # (T,): of every word of the test


def sample(per_class, number=0):
    return [pool[place] for place in few_labels(classes, per_class, 1000 * seed + number)]


def fit(model, items, join, number, rate=RATE, steps=STEPS):
    """Trains a model on random batches of the items; `number` decides the order."""

    def draw(step):
        places = random.Random(f"{seed} {number} {step}").choices(range(len(items)), k=BATCH)
        return join([items[place] for place in places])

    plan = Plan(steps, linear_schedule(steps, steps // 10), device=str(run.device))
    with redirect_stderr(io.StringIO()):  # no bar
        train(model, draw, plan, adamw(model.to(run.device), rate))
    return model.eval()


def encoder_of(name):
    """The encoder of a checkpoint; "scratch" has its size and random weights."""
    found = pretrained.load("world-en" if name == "scratch" else name).model.bert
    return Bert(found.config) if name == "scratch" else found


@cache  # each run is made once
def finetune(name, per_class, number, first):
    """Fine-tunes a checkpoint on a few labels from layer `first` on: the
    predicted tag of every word of the test, (T,)."""
    torch.manual_seed(10_000 * seed + number)
    model = BertTagger(encoder_of(name), len(TAGS))
    names, _ = trainable({key: tuple(weight.shape) for key, weight in model.named_parameters()}, first)
    for key, weight in model.named_parameters():
        weight.requires_grad_(key in names)
    alone = not any(key.startswith("bert.layers") for key in names)
    rate, steps = (HEAD_RATE, 2 * STEPS) if alone else (RATE, STEPS)
    fit(model, sample(per_class, number), batch_of, number, rate, steps)
    with torch.inference_mode():
        scores = model.logits(test.tokens.to(run.device))  # (B, N, K)
    return scores.argmax(dim=-1).cpu()[test.labels != IGNORED]


def finetuned(name, per_class, number=0, first=0):
    return finetune(name, per_class, number, first)


def f1(tags):
    """F1 of the names: each is one word, so it is that of the words that are not O."""
    right = int(((tags == gold) & (gold > 0)).sum())
    return 2 * right / max(1, int((tags > 0).sum()) + int((gold > 0).sum()))


print(Counter(classes))
print(f"80 labels, fine-tuned: F1 {f1(finetuned('world-en', 16)):.3f}; all words O: {f1(torch.zeros_like(gold)):.3f}")

# %% [markdown]
# Our BERT has L = 2, so "the last four" are both layers, and "sum-all" equals "sum-last-4". The paper puts a BiLSTM on them; here one linear layer.
# %%
class Probe(nn.Module):
    """A small head on frozen layers, which it is given as (B, N, L + 1, H)."""

    def __init__(self, way, depth, width, outputs, body=None):
        super().__init__()
        self.way, self.body = way, body
        self.scores = nn.Parameter(torch.zeros(depth))
        inner = width * (depth if way == "concat-last-4" else 1)
        self.head = nn.Linear(inner if body is None else body.width, outputs)

    def logits(self, layers, lengths):
        x = combine_layers(list(layers.unbind(dim=2)), self.way, self.scores)  # (B, N, H) or (B, N, K · H)
        return self.head(x if self.body is None else self.body(x, lengths))  # (B, N, outputs)

    def forward(self, batch):
        layers, lengths, labels = batch
        return nn.functional.cross_entropy(
            self.logits(layers, lengths).flatten(0, 1), labels.flatten(), ignore_index=IGNORED
        )


@cache
def features(name, tokens):
    """All layers of a frozen encoder, (B, N, L + 1, H), and the lengths, (B,)."""
    torch.manual_seed(seed)
    encoder = encoder_of(name).to(run.device).eval()
    with torch.no_grad():
        layers = torch.stack(encoder.all_layers(tokens.to(run.device)), dim=2)
    return layers, (tokens != 0).sum(dim=1).to(run.device)


def probe(name, rows, held_out, way, outputs, number=0, body=None):
    """Trains a probe on rows and predicts on a held-out batch: (B, N)."""
    batch = batch_of(rows)
    layers, lengths = features(name, batch.tokens)
    labels = batch.labels.to(run.device)
    torch.manual_seed(10_000 * seed + number)
    model = Probe(way, layers.size(2) - 1, layers.size(3), outputs, body() if body else None)

    def join(places):
        return layers[places], lengths[places], labels[places]

    fit(model, range(len(rows)), join, number, HEAD_RATE, 2 * STEPS)
    with torch.no_grad():
        return model.logits(*features(name, held_out.tokens)).argmax(dim=-1).cpu()


WAYS = ("embeddings", "second-to-last", "last", "sum-all", "concat-last-4")


@cache
def by_features(name, way, number):
    return probe(name, sample(16, number), test, way, len(TAGS), number)[test.labels != IGNORED]


frozen = {way: [f1(by_features("world-en", way, n)) for n in range(SEEDS)] for way in WAYS}
untrained = {way: f1(by_features("scratch", way, 0)) for way in ("embeddings", "concat-last-4")}
ladder = {first: [f1(finetuned("world-en", 16, n, first)) for n in range(SEEDS)] for first in range(4)}

# %%
figure, (left, right) = plt.subplots(
    1, 2, figsize=(11, 3.6), layout="constrained", gridspec_kw={"width_ratios": [3, 2]}
)
left.barh(
    range(len(WAYS)),
    [np.mean(frozen[way]) for way in WAYS],
    xerr=[np.std(frozen[way]) for way in WAYS],
    color=plots.COLOURS[0],
)
left.plot(
    list(untrained.values()),
    [WAYS.index(way) for way in untrained],
    "x",
    color=plots.COLOURS[1],
    label="untrained encoder",
)
left.axvline(np.mean(ladder[0]), color=plots.COLOURS[2], ls="--", label="fine-tuned")
left.set(yticks=range(len(WAYS)), yticklabels=WAYS, xlabel="F1 on new names, 80 labels", xlim=(0, 1.05))
left.set_title("Frozen layers differ; side by side they come near fine-tuning")
left.invert_yaxis()
left.legend(loc="lower right", fontsize=8, frameon=True)
sizes = {key: tuple(weight.shape) for key, weight in BertTagger(encoder_of("world-en"), len(TAGS)).named_parameters()}
counts = [trainable(sizes, first)[1] for first in ladder]
right.errorbar(
    list(ladder),
    [np.mean(scores) for scores in ladder.values()],
    [np.std(scores) for scores in ladder.values()],
    marker="o",
    capsize=3,
)
right.set(
    xticks=list(ladder),
    xticklabels=[f"{first}\n{count:,}" for first, count in zip(ladder, counts)],
    ylim=(0, 1.05),
)
right.set(xlabel="first layer trained, and weights trained", ylabel="F1", title="A head alone learns least")
plt.show()

# %% [markdown]
# Error bars are the standard deviation over **fine-tuning** runs. Each recipe was pre-trained once: what another pre-training would give, they do not say.
# %% [markdown]
# ## 4. What is pre-training worth, in labels?
#
# Labels are money, so ask: how many labels does the *other* model need for the same score?
# %% [markdown]
# ```
# score   1 ┤            ●───────●
#     target┤┄┄┄┄┄●┄┄┄┄┄┄┄┄┄┄┄○┄┄┄
#           ┤    /           /
#         0 ┤   ●    ○──────○
#           └────┴─────┴─────┴─────┴──▶  labels, each step four times as many
#                5    20    80   320
# ```
#
# The axis is the *logarithm* of the labels; between two points curves are lines **in this picture**.
# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Half way between 5 and 20 on this axis is 10, not 12.5.</details>
# <details><summary>Hint</summary>A curve may cross the target, fall, and cross it again. The first time counts.</details>


# %% exercise="labels_needed"
def labels_needed(counts, scores, target):
    """With how many labels a curve first reaches a score.

    counts: list of positive numbers, rising, at least one; scores: the score at each, as many floats,
    which may be negative; between two points the score is a line over the logarithm of the count.
    Returns a float; the first count if its score is the target or more already; None if it is never
    reached. Scores and target are compared as they are, without a tolerance.
    """
    ### BEGIN SOLUTION
    if scores[0] >= target:
        return float(counts[0])
    for i in range(1, len(counts)):
        if scores[i] >= target:
            share = (target - scores[i - 1]) / (scores[i] - scores[i - 1])
            return counts[i - 1] * (counts[i] / counts[i - 1]) ** share
    return None
    ### END SOLUTION


# %%
check("labels_needed")

# %% [markdown]
# The control: the same encoder from random weights, with the same labels and steps.
# %%
COUNTS = [len(set(classes)) * per_class for per_class in PER_CLASS]
curves = {  # name → (sizes, runs)
    name: np.array([[f1(finetuned(name, per_class, n)) for n in range(SEEDS)] for per_class in PER_CLASS])
    for name in ("world-en", "world-en-1000-steps", "scratch")
}
TARGET = 0.6
needed = {name: labels_needed(COUNTS, list(curve.mean(axis=1)), TARGET) for name, curve in curves.items()}
figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
for (name, curve), marker in zip(curves.items(), "osx"):
    axes.errorbar(COUNTS, curve.mean(axis=1), curve.std(axis=1), marker=marker, capsize=3, label=name)
axes.axhline(TARGET, color="#999999", ls="--", lw=1)
axes.set(
    xscale="log",
    xticks=COUNTS,
    xticklabels=COUNTS,
    xlabel="labelled sentences",
    ylabel="F1 on new names",
    ylim=(-0.03, 1.05),
)
axes.minorticks_off()
axes.set_title("What a few labelled sentences teach depends on the pre-training")
axes.legend()
plt.show()
for name, count in needed.items():
    print(f"{name}: F1 {TARGET} with", f"{count:.0f} labels" if count else f"more than {COUNTS[-1]} labels")

# %% [markdown]
# ## How long must one pre-train?
#
# Grammar tells names: *the mayor of …* takes a capital. A **topic** needs knowledge of what goes with what. The second task: name the topic, of nine, at *every* word.
# %%
def encode_topic(item):
    ids = tokenizer.encode(item.text)
    return ids, [IGNORED, *[item.label] * (len(ids) - 2), IGNORED]


TOPICS = 9
topic_rows = [encode_topic(item) for item in tasks.topics(180, "train")]
topic_test = batch_of([encode_topic(item) for item in tasks.topics(TEST, "test")])
spoken = topic_test.labels != IGNORED  # (B, N)
print(
    tasks.topic_names,
    *(f"{item.text}: {tasks.topic_names[item.label]}" for item in tasks.topics(3, "train")),
    sep="\n",
)

# %% [markdown]
# What do more steps bring? Beside both tasks, see the **loss** on masked words of a new text, and the **neighbours**: is the vector nearest to a *thing*'s of the same
# topic?
# %%
BUDGETS = {
    1000: "world-en-1000-steps",
    2000: "world-en-2000-steps",
    3000: "world-en-3000-steps",
    RECIPES["world-en"].steps: "world-en",
}


def things(lexicon):
    """Each thing of one piece that has one topic alone: id → topic."""
    topics = {}
    for topic in lexicon.topics:
        for _, lexemes in topic.verbs:
            for lexeme in lexemes:
                topics.setdefault(lexeme.stem, set()).add(topic.name)
    return {
        tokenizer.index[stem]: min(names)
        for stem, names in topics.items()
        if len(names) == 1 and stem in tokenizer.index
    }


def same_topic(encoder, topics):
    """The share of things whose nearest neighbour by cosine has the same topic."""
    ids = list(topics)
    unit = nn.functional.normalize(encoder.input.tokens.weight[ids].detach(), dim=1)  # (W, H)
    nearest = (unit @ unit.T).fill_diagonal_(-2).argmax(dim=1)  # (W,)
    return float(np.mean([topics[ids[i]] == topics[ids[j]] for i, j in enumerate(nearest.tolist())]))


told_topics = {}


def topics_told(name):
    """How often a probe on the frozen layers names the topic rightly, of all words of the test."""
    if name not in told_topics:
        told_topics[name] = probe(name, topic_rows, topic_test, "concat-last-4", TOPICS)
    return float((told_topics[name] == topic_test.labels)[spoken].float().mean())


topic_of = things(load("en"))
recipe = RECIPES["world-en"]
unseen = [[str(sentence) for sentence in text.sentences] for text in World("en", seed=seed + 1).documents(6000)]
examples = pretrained.examples_of(recipe, unseen, tokenizer)
rows = []
for steps, name in BUDGETS.items():
    model = pretrained.load(name).model
    with torch.inference_mode():
        loss = np.mean([float(model(examples(number)._replace(follows=None))) for number in range(8)])
    scores = [f1(finetuned(name, 4, n)) for n in range(SEEDS)]
    row = {"steps": steps, "loss": loss, "neighbours": same_topic(model.bert, topic_of), "topics": topics_told(name)}
    rows.append(row | {"F1": np.mean(scores), "sd": np.std(scores)})
steps_table = pd.DataFrame(rows).set_index("steps")

figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
axes.plot(steps_table.index, steps_table["neighbours"], "o-", label="neighbours of the same topic")
axes.plot(steps_table.index, steps_table["topics"], "v-", label="topic named rightly, frozen layers")
axes.errorbar(
    steps_table.index,
    steps_table["F1"],
    steps_table["sd"],
    marker="s",
    capsize=3,
    label="F1 on names, 20 labels",
)
axes.plot(steps_table.index, steps_table["loss"], "x--", color="#999999", label="loss on masked words, nats")
axes.set(xlabel="steps of pre-training", ylabel="share, F1, or nats", xticks=list(BUDGETS), ylim=(0, None))
axes.set_title("Grammar first, topics later")
axes.legend()
plt.show()
steps_table.round(3)

# %% [markdown]
# ## 5. Left to right
#
# A language model predicts the *next* token, and must not see it: labels are the tokens **one place on**, and each token sees itself and those **before** it.
# %% [markdown]
# | | the | violin | is | old |
# |---|---|---|---|---|
# | label | violin | is | old | none |
# | sees | the | the violin | the violin is | the violin is old |

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>If a token did not see itself, the first one would see nothing at all.</details>
# <details><summary>Hint</summary>The last token has no next one: IGNORED (−100), which the loss leaves out.</details>


# %% exercise="left_to_right"
def left_to_right(tokens):
    """What a language model is asked, and what it may see.

    tokens: int64 tensor (B, N), without padding, N at least 1. It is not changed.
    Returns (labels, int64 (B, N), IGNORED where there is no next token; visible, bool (N, N), True
    where the token of the row may see that of the column). Devlin et al. 2019, section 5.1, "LTR".
    """
    ### BEGIN SOLUTION
    labels = torch.full_like(tokens, IGNORED)
    labels[:, :-1] = tokens[:, 1:]
    length = tokens.size(1)
    return labels, torch.ones(length, length).tril().bool()
    ### END SOLUTION


# %%
check("left_to_right")

# %% [markdown]
# ## 6. A BiLSTM on top
#
# The paper tries to mend the left-to-right model by a BiLSTM on its output. Its second direction reads backwards; a plain `flip` begins in the padding.
# %% [markdown]
# ```
# sentence of length 3     a b c · ·
# flip                     · · c b a      three steps of padding come first
# wanted                   c b a · ·
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>In a row of length ℓ, place j takes what stood at ℓ − 1 − j, as long as that is not negative.</details>
# <details><summary>Hint</summary>A loop over the rows is fine. With <code>gather</code> the places need x's shape: <code>[:, :, None].expand_as(x)</code>.</details>


# %% exercise="reverse_padded"
def reverse_padded(x, lengths):
    """Each sequence turned round, its padding left where it is.

    x: float tensor (B, N, d); lengths: int64 tensor (B,), each from 0 to N: how many of the N
    places are not padding. Not changed.
    Returns a float tensor (B, N, d) of the same numbers, through which gradients flow.
    """
    ### BEGIN SOLUTION
    places = torch.arange(x.size(1), device=x.device)  # (N,)
    source = lengths[:, None] - 1 - places  # (B, N)
    source = torch.where(source < 0, places, source)
    return x.gather(1, source[:, :, None].expand_as(x))  # (B, N, d)
    ### END SOLUTION


# %%
check("reverse_padded")

# %%
class BiLSTM(nn.Module):
    """Two LSTMs, one of which reads backwards."""

    def __init__(self, width, inner=32):
        super().__init__()
        self.width = 2 * inner
        self.forwards, self.backwards = (nn.LSTM(width, inner, batch_first=True) for _ in range(2))

    def forward(self, x, lengths):
        ahead, _ = self.forwards(x)  # (B, N, h)
        back, _ = self.backwards(reverse_padded(x, lengths))  # (B, N, h)
        return torch.cat([ahead, reverse_padded(back, lengths)], dim=-1)  # (B, N, 2h)


# %% [markdown]
# *Where* in the sentence is a probe for the topic right? The last word has all to its left; the first, all to its right.
# %%
width = 2 * RECIPES["world-en"].width  # both layers
READERS = {
    "both directions": ("world-en", None),
    "both directions, BiLSTM": ("world-en", lambda: BiLSTM(width)),
    "left to right": ("world-en-left-to-right", None),
    "left to right, BiLSTM": ("world-en-left-to-right", lambda: BiLSTM(width)),
    "untrained, BiLSTM": ("scratch", lambda: BiLSTM(width)),
}
told = {
    name: probe(which, topic_rows, topic_test, "concat-last-4", TOPICS, body=body)
    for name, (which, body) in READERS.items()
}
place = torch.arange(spoken.size(1)).expand(spoken.shape) - 1  # (B, N): 0 is the first word's
share = place / (spoken.sum(dim=1, keepdim=True) - 1)  # (B, N): 0 the first, 1 the last
fifth = (share * 5).long().clamp(0, 4)[spoken]  # (T,)
knows = {name: (tags == topic_test.labels)[spoken] for name, tags in told.items()}  # (T,) each
figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
for (name, right), marker in zip(knows.items(), "osx^v"):
    axes.plot(
        [10, 30, 50, 70, 90],
        [float(right[fifth == part].float().mean()) for part in range(5)],
        f"{marker}-",
        label=name,
    )
axes.axhline(1 / TOPICS, color="#999999", ls="--", lw=1, label="chance")
axes.set(xlabel="place in the sentence, %", ylabel="topic named rightly", xticks=[10, 30, 50, 70, 90], ylim=(0, 1))
axes.set_title("Left to right, the first words cannot know what the sentence is about")
axes.legend(fontsize=8, ncols=2)
plt.show()

# %% [markdown]
# ## 7. Is that more than luck?
#
# Two models, the same N test sentences. If they were equally good, each pair of scores could be swapped. So **swap at random**, and count how often chance does as
# well.
# %% [markdown]
# With $d_i = a_i - b_i$ a swap is a change of sign. For R random rows of signs $s$:
#
# $$p = \frac{1 + \#\{r : \sum_i s_{ri} d_i \ge \sum_i d_i\}}{1 + R}$$
#
# The 1 is the observed outcome, one of the possible ones, so $p$ is never 0.
# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Chance that does <i>exactly</i> as well counts, too.</details>
# <details><summary>Hint</summary>All R sums are one product of a matrix and a vector.</details>


# %% exercise="paired_p_value"
def paired_p_value(a, b, signs):
    """How often chance lets model A lead over B by as much as it does, or more: one-sided.

    a, b: float tensors (N,), the scores of both models on the same N items; signs: float tensor (R,
    N) of 1 and −1, where −1 swaps the two scores of an item; N and R are at least 1. Sums are taken
    in float64, where those of the scores given are exact, so that equal ones are equal; scores may
    differ by very little, so a tolerance of a fixed size would be wrong. Returns a float from 1 /
    (1 + R) to 1. After Fisher 1935; Edgington's +1.
    """
    ### BEGIN SOLUTION
    difference = a.double() - b.double()  # (N,)
    swapped = signs.double() @ difference  # (R,)
    at_least = int((swapped >= difference.sum()).sum())
    return (1 + at_least) / (1 + len(signs))
    ### END SOLUTION


# %%
check("paired_p_value")

# %% [markdown]
# Now all recipes, on sentences that are right *as a whole*. What can 300 test sentences show?
# %%
PARTS = (
    "world-en",
    "world-en-no-nsp",
    "world-en-left-to-right",
    "world-en-mask-only",
    "world-en-mask-40",
    "world-en-narrow",
    "scratch",
)
sentence = torch.arange(TEST)[:, None].expand(test.labels.shape)[test.labels != IGNORED]  # (T,): each word's
signs = torch.randint(2, (2000, TEST), generator=torch.Generator().manual_seed(seed)).float() * 2 - 1  # (R, N)


def whole(tags):
    """1 for each sentence whose tags are all right, else 0: (TEST,)."""
    return torch.ones(TEST).scatter_reduce(0, sentence, (tags == gold).float(), "amin")


rows = []
for name in PARTS:
    tuned = [finetuned(name, 4, n) for n in range(SEEDS)]
    fixed = [by_features(name, "concat-last-4", n) for n in range(SEEDS)]
    ours, theirs = (sum(whole(finetuned(which, 4, n)) for n in range(SEEDS)) for which in ("world-en", name))
    rows.append(
        {
            "recipe": name,
            "F1, 20": np.mean([f1(tags) for tags in tuned]),
            "sd": np.std([f1(tags) for tags in tuned]),
            "F1 of features, 80": np.mean([f1(tags) for tags in fixed]),
            "topics": topics_told(name),
            "neighbours": same_topic(encoder_of(name), topic_of),
            "p, full better": paired_p_value(ours, theirs, signs),
            "p, full worse": paired_p_value(theirs, ours, signs),
        }
    )
parts_table = pd.DataFrame(rows).set_index("recipe")
parts_table.round(3)

# %% [markdown]
# A small $p$ says that *these fine-tuned models* differ on such sentences. It says nothing of another fine-tuning run (`sd` does), nor of another pre-training; the
# *recipes* would need several. The paper has one, too.
# %% [markdown]
# By `neighbours`, some recipes have not come to the topics. Is the recipe worse, or was this *run* late? One run cannot tell: topics come so suddenly that a little
# luck decides.
# %% [markdown]
# Are two sentences on the same topic? A world's document keeps to one, so NSP was trained on nearly that. 40 labels. (The model without NSP has never read two texts
# at once, either.)
# %%
def topic_pairs(count, split):
    """Pairs of sentences, (ids, segments, 1 if both have the same topic else 0), half of them with the same."""
    items, draw = tasks.topics(3 * count, split), random.Random(f"{seed} {split}")
    by_topic = {label: [item for item in items[count:] if item.label == label] for label in range(TOPICS)}
    rows = []
    for item in items[:count]:
        same = draw.randrange(2)
        other = item.label if same else (item.label + 1 + draw.randrange(TOPICS - 1)) % TOPICS
        ids = tokenizer.encode(item.text, draw.choice(by_topic[other]).text)
        first = ids.index(separator) + 1
        rows.append((ids, [0] * first + [1] * (len(ids) - first), same))
    return rows


def batch_of_pairs(rows):
    return Labelled(
        padded([row[0] for row in rows]),
        padded([row[1] for row in rows]),
        torch.tensor([row[2] for row in rows]),
    )


pair_rows, pair_test = topic_pairs(40, "train"), batch_of_pairs(topic_pairs(TEST, "test"))


def judged(name, number=0):
    """Fine-tunes on pairs: the judgement of each pair of the test, (TEST,)."""
    torch.manual_seed(10_000 * seed + number)
    model = fit(BertClassifier(encoder_of(name), 2), pair_rows, batch_of_pairs, number, rate=1e-3)
    with torch.inference_mode():
        return model.logits(pair_test.tokens.to(run.device), pair_test.segments.to(run.device)).argmax(dim=-1).cpu()


PAIRED = ("world-en", "world-en-no-nsp", "scratch")
judgements = {name: [judged(name, n) for n in range(SEEDS)] for name in PAIRED}
for name, found in judgements.items():
    scores = [float((one == pair_test.labels).float().mean()) for one in found]
    print(f"{name}: {np.mean(scores):.3f} ± {np.std(scores):.3f} of the pairs")

# %% [markdown]
# ## 8. The best of five
#
# With few labels the seed matters. The paper fine-tunes BERT_LARGE several times and takes the best on the development set. What would the best of $n$ be, on average?
# %% [markdown]
# From $m$ scores, sorted $v_1 \le … \le v_m$, draw $n$ with replacement. Their best is at most $v_i$ with probability $(i/m)^n$, so it *is* the $i$-th with
#
# $$P_i = \left(\tfrac{i}{m}\right)^n - \left(\tfrac{i-1}{m}\right)^n .$$

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>For n = 1 it is the mean; for very many draws it comes near the best of all.</details>


# %% exercise="expected_best"
def expected_best(scores, n):
    """The mean of the best of n scores that are drawn with replacement.

    scores: list of m floats in any order, not changed; n: how many are drawn, at least 1.
    Returns a float. Dodge et al. 2019, section 3.1.
    """
    ### BEGIN SOLUTION
    m = len(scores)
    return sum(score * ((i / m) ** n - ((i - 1) / m) ** n) for i, score in enumerate(sorted(scores), start=1))
    ### END SOLUTION


# %%
check("expected_best")

# %% [markdown]
# 50 sentences for development, 250 as test; the runs differ in order and labels.
# %%
RUNS = {"smoke": 5, "cpu": 10, "gpu": 50}[profile]
DEV = 50


def f1_within(tags, part):
    right = int(((tags == gold) & (gold > 0) & part).sum())
    return 2 * right / max(1, int(((tags > 0) & part).sum()) + int(((gold > 0) & part).sum()))


tuned = [finetuned("world-en", 4, n) for n in range(RUNS)]
dev, rest = ([f1_within(tags, part) for tags in tuned] for part in (sentence < DEV, sentence >= DEV))
best = int(np.argmax(dev))
figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
axes.plot(range(1, RUNS + 1), [expected_best(dev, n) for n in range(1, RUNS + 1)], "o-", label="expected best on dev")
axes.axhline(np.mean(rest), color=plots.COLOURS[1], ls="--", label="mean on test")
axes.axhline(rest[best], color=plots.COLOURS[2], ls=":", label="the chosen run on test")
axes.set(xlabel="how many runs one may choose from", ylabel="F1 on names, 20 labels", xticks=range(1, RUNS + 1))
axes.set_title("The best on dev rises with every run, and nothing was improved")
axes.legend()
plt.show()
print(
    f"best of {RUNS}: dev {max(dev):.3f}, the same run on test {rest[best]:.3f}; mean of all on dev {np.mean(dev):.3f}, on test {np.mean(rest):.3f}"
)

# %% [markdown]
# ## Results

# %% tags=["metrics"]
SYSTEMS = {
    "full": finetuned("world-en", 4),
    "scratch": finetuned("scratch", 4),
    "3000 steps": finetuned("world-en-3000-steps", 4),
    "no nsp": finetuned("world-en-no-nsp", 4),
    "left to right": finetuned("world-en-left-to-right", 4),
    "mask 40": finetuned("world-en-mask-40", 4),
    "narrow": finetuned("world-en-narrow", 4),
    "full, 80": finetuned("world-en", 16),
    "features": by_features("world-en", "concat-last-4", 0),
    "features, embeddings": by_features("world-en", "embeddings", 0),
    "features, mask only": by_features("world-en-mask-only", "concat-last-4", 0),
    "features, untrained": by_features("scratch", "concat-last-4", 0),
}
score = {name: f1(tags) for name, tags in SYSTEMS.items()}
at = {name: [float(right[fifth == part].float().mean()) for part in (0, 4)] for name, right in knows.items()}
paired = {name: float((found[0] == pair_test.labels).float().mean()) for name, found in judgements.items()}
record(
    {
        "pretrained_gain": score["full"] - score["scratch"],
        "steps_topics": topics_told("world-en") - topics_told("world-en-3000-steps"),
        "steps_names": score["full"] - score["3000 steps"],
        "features_minus_finetuned": score["features"] - score["full, 80"],
        "features_minus_embeddings": score["features"] - score["features, embeddings"],
        "features_minus_untrained": score["features"] - score["features, untrained"],
        "ltr_first_words": at["left to right"][0] - at["both directions"][0],
        "ltr_last_words": at["left to right"][1] - at["both directions"][1],
        "bilstm_repairs": at["left to right, BiLSTM"][0] - at["left to right"][0],
        "bilstm_beside": at["both directions, BiLSTM"][0] - at["left to right, BiLSTM"][0],
        "ltr_names": score["left to right"] - score["full"],
        "no_nsp_pairs": paired["world-en-no-nsp"] - paired["world-en"],
        "no_nsp_names": score["no nsp"] - score["full"],
        "mask_only_features": score["features, mask only"] - score["features"],
        "mask_40": score["mask 40"] - score["full"],
        "narrow": score["narrow"] - score["full"],
        "best_of_five_flatters": expected_best(dev[:5], 5) - float(np.mean(dev[:5])),
    },
    tags=torch.stack(list(SYSTEMS.values())),
    topics=torch.stack([tags[spoken] for tags in told.values()] + [told_topics["world-en-3000-steps"][spoken]]),
    pairs=torch.stack([judgements[name][0] for name in PAIRED]),
    dev=torch.stack(tuned[:5]),
)

# %% [markdown]
# What was found, in the table's runs. Where a row's spread holds 0, the part shows nothing at this size.
#
# | claim | at our scale |
# |---|---|
# | pre-training wins with few labels | `pretrained_gain`: most of what there is to gain |
# | frozen layers come near fine-tuning | `features_minus_finetuned`: yes; embeddings alone are far behind, an untrained encoder is further |
# | longer pre-training helps | `steps_topics`: topics, all at once; names, which are grammar, were there before (`steps_names`) |
# | left to right loses on tokens | `ltr_first_words`: most of the topic at the first words, far less at the last (`ltr_last_words`); `ltr_names`: nothing clear |
# | a BiLSTM repairs a part of that | `bilstm_repairs`: here all of it; `bilstm_beside`: both directions with one are hardly ahead |
# | without NSP pairs suffer | `no_nsp_pairs`: yes, in the very thing that NSP trains; names do not (`no_nsp_names`) |
# | masks alone hurt frozen features | `mask_only_features`: on names within the spread; that model had not come to the topics |
# | 15 % masks are a good choice | `mask_40`: with 40 % nothing clear is lost |
# | larger is better | `narrow`: on names nothing clear; half the width had not come to the topics |
# | the best of five is better | `best_of_five_flatters`: it *looks* better, and no model was improved |

# %% [markdown]
# ## In your own words

# %% [markdown]
# **1.** A friend reads your table: "p = 0.001, so 40 % masks are worse than 15 %." What does the p-value say, what does it not say, and which runs would say more?
# %% [markdown] answer="what_p_says" points=2
# ### BEGIN SOLUTION
# It says that these fine-tuned models differ on sentences drawn like these: if they were equally good, a lead this large would come by chance once in a thousand swaps of the
# test items. It speaks of the items, not of the recipe: each recipe was pre-trained once, and another seed of pre-training might turn the order round. One would pre-train
# several models of each recipe with different seeds (and fine-tune each several times), and compare the means with the spread between pre-trainings. 1 point for the test items
# as what p ranges over, 1 for several pre-trainings of each recipe.
# ### END SOLUTION

# %% [markdown]
# **2.** Left to right, the first words know nothing of the topic, the last nearly all. Why does this hurt SQuAD more (−10.1) than SST-2 (−0.5), and why does a BiLSTM
# help the one and not the other?
# %% [markdown] answer="where_the_right_side_counts" points=2
# ### BEGIN SOLUTION
# SQuAD asks each token whether the answer begins or ends there, so a token needs what comes after it, and left to right it cannot have that. SST-2 asks once for the whole
# sentence: a single vector that has seen all of it (the last token's) is enough. A BiLSTM brings the right side back to each token, as in the figure of section 6, which
# repairs the spans; for a sentence's label there was nothing to repair, and a new random layer costs a little. 1 point for token-level against sentence-level labels, 1 for
# what the BiLSTM adds to each.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Devlin et al. 2019, [BERT](https://aclanthology.org/N19-1423), section 5 and appendix C: all tables of this lesson.
# - Liu et al. 2019, [RoBERTa](https://arxiv.org/abs/1907.11692), section 4: another result for NSP.
# - Dodge et al. 2019, [Show Your Work](https://aclanthology.org/D19-1224): say of how many runs yours was the best.
# - Wettig et al. 2023, [Should You Mask 15% in Masked Language Modeling?](https://aclanthology.org/2023.eacl-main.217): 40 % is better for large models.
