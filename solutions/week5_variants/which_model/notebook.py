# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Which model for which job
#
# **The paper.** Strubell, Ganesh and McCallum, [Energy and Policy Considerations for Deep Learning in NLP](https://aclanthology.org/P19-1355) (ACL 2019). It asks what
# papers leave out: what does a model *cost*?

# %% [markdown]
# **The claims to test.** Training once, on cloud machines of the USA:
#
# | model | hardware | power | hours | energy | CO₂ equivalent |
# |---|---|---|---|---|---|
# | Transformer base | 8 P100 | 1,416 W | 12 | 27 kWh | 26 lb |
# | Transformer big | 8 P100 | 1,515 W | 84 | 201 kWh | 192 lb |
# | ELMo | 3 P100 | 518 W | 336 | 275 kWh | 262 lb |
# | BERT base | 64 V100 | 12,042 W | 79 | 1,507 kWh | 1,438 lb |
#
# Its advice: report cost beside quality, and prefer what is efficient.

# %% [markdown]
# So here is one table over weeks 1 to 5: word counts, word2vec, BERT, GPT, all of the same 240,000 words. You write what makes such a table honest (about 1½ hours):
#
# | | piece | answers |
# |---|---|---|
# | 1–2 | an interval for a mean; who is as good as the best | is it better, or was it lucky? |
# | 3–5 | seconds; multiplications; bytes | what does one use cost? |
# | 6 | energy | what did training cost? |
# | 7–8 | Pareto front; a choice by needs | which one, then? |

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: about a minute · gpu: the same, more often
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
import statistics
import time
from collections import Counter
from functools import partial
from itertools import chain, pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from scipy import stats
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import etude
from etude import check, plots, pretrained, pretrained_gpt, record
from etude.embeddings import sgns
from etude.models.bert import Bert
from etude.world import World
from etude.world.tasks import Tasks

run = etude.start("week5_variants/which_model", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. A mean needs its interval
#
# Scores differ with the labels that were drawn, so a score is a mean over a few draws. How far may that mean be from the mean of *all* draws? For n scores with mean $m$ and
# standard deviation $s$ (of a sample, dividing by n − 1):
#
# $$m \pm t_{n-1} \cdot \frac{s}{\sqrt n}$$

# %% [markdown]
# $t_{n-1}$ leaves 2.5 % on each side: 12.7 for two scores, 2.78 for five, 1.96 for very many. Few scores know little of their own spread, and Student's t pays for it.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary><code>stats.t.ppf(0.975, 4)</code> is the t of five scores.</details>
# <details><summary>Hint</summary>numpy divides by n unless it is told <code>ddof=1</code>; <code>statistics.stdev</code> divides by n − 1.</details>


# %% exercise="interval"
def interval(scores):
    """The 95 % interval of a mean, by Student's t.

    scores: list of n floats, n at least 2. Returns (low, high), floats; both are the mean if all
    scores are the same. Student 1908, The Probable Error of a Mean.
    """
    ### BEGIN SOLUTION
    half = stats.t.ppf(0.975, len(scores) - 1) * statistics.stdev(scores) / math.sqrt(len(scores))
    return statistics.mean(scores) - half, statistics.mean(scores) + half
    ### END SOLUTION


# %%
check("interval")

# %% [markdown]
# ## 2. As good as the best
#
# Two intervals may overlap and yet one model be better every single time: a draw that is hard for one is hard for all. So compare **draw by draw**, and look at the interval
# of the *differences*.
#
# ```
# draw     1    2    3         A: .60 to .80   B: .63 to .83   they overlap
# A      .60  .70  .80
# B      .63  .73  .83         B − A: .03 .03 .03              always better
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>First the best: the highest mean. Then, for each model, the list of best − model.</details>
# <details><summary>Hint</summary>A difference of exactly 0 in every draw has the interval (0, 0), and 0 is in it.</details>


# %% exercise="tied_with_best"
def tied_with_best(scores):
    """Which models cannot be told from the one with the highest mean.

    scores: dict from a model's name to its list of n scores, n at least 2; place i of every list
    belongs to draw i. Of equal means the first is the best. A model is tied if the 95 % interval of
    (best − model), draw by draw, holds 0.
    Returns the list of the tied models' names in the dict's order, the best among them. Uses your
    `interval`.
    """
    ### BEGIN SOLUTION
    best = scores[max(scores, key=lambda name: statistics.mean(scores[name]))]
    tied = []
    for name, own in scores.items():
        low, high = interval([a - b for a, b in zip(best, own)])
        if low <= 0 <= high:
            tied.append(name)
    return tied
    ### END SOLUTION


# %%
check("tied_with_best")

# %% [markdown]
# ## 3. Seconds
#
# A first call is slow: it loads, allocates, compiles. And one call in ten meets another program. So the first call is **not counted**, and of the others the **median** is taken.

# %% [markdown]
# *5 minutes, easy.*
#
# <details><summary>Hint</summary>The mean would be moved by the one slow call.</details>


# %% exercise="seconds_of"
def seconds_of(readings):
    """How long one call takes: the median of all calls but the first.

    readings: list of (before, after), what a clock said around each call, in seconds; the first
    call, which does not count, is the first pair; at least one more follows. The median of an even
    number of calls is the mean of the two in the middle.
    Returns a float, in seconds.
    """
    ### BEGIN SOLUTION
    return statistics.median([after - before for before, after in readings[1:]])
    ### END SOLUTION


# %%
check("seconds_of")

# %% [markdown]
# ## 4. Multiplications
#
# Seconds belong to a machine. What a model *must* compute does not. One text of N tokens through L layers of width H with an inner width of F, each product of matrices counted
# as multiplications and additions, **2 FLOPs** for each pair:

# %% [markdown]
# | where | pairs |
# |---|---|
# | queries, keys, values, and the way out | 4 N H² in each layer |
# | scores, and mixing the values | 2 N² H in each layer |
# | feed-forward, in and out | 2 N H F in each layer |
# | scores for V words, at K places | K H V |

# %% [markdown]
# Parameters do not occur! ALBERT shares one layer's weights among all twelve: a twelfth of the weights, and not one multiplication less.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>Embeddings are looked up, not multiplied.</details>


# %% exercise="forward_flops"
def forward_flops(tokens, layers, width, inner, vocabulary=0, scored=0):
    """The FLOPs of one text on its way through a Transformer, forwards: products of matrices alone,
    with all N² scores.

    tokens: N. layers: L. width: H. inner: F. vocabulary: V and scored: K, the places at which all
    words are scored.
    Returns a whole number. Vaswani et al. 2017, section 3; Kaplan et al. 2020, Table 1, counts the
    same way.
    """
    ### BEGIN SOLUTION
    layer = 4 * tokens * width**2 + 2 * tokens**2 * width + 2 * tokens * width * inner
    return 2 * (layers * layer + scored * width * vocabulary)
    ### END SOLUTION


# %%
check("forward_flops")

# %% [markdown]
# ## 5. Bytes
#
# Who serves a model keeps its weights in memory. Who *writes* with one keeps, for each text, the keys and values of all tokens so far: the **cache** of the lesson on generation.

# %% [markdown]
# ```
# cache: texts × layers × tokens × (H keys + H values)
# ```
#
# For GPT-3 in 2 bytes a number, one text of 2,048 tokens has a cache of 9.7 GB. Its weights have 350.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>All heads together are H numbers wide.</details>


# %% exercise="serving_bytes"
def serving_bytes(parameters, layers, width, tokens, texts, number_bytes):
    """The memory for weights and caches when `texts` texts of `tokens` tokens each are written at once.

    parameters: how many weights. layers: L. width: H. number_bytes: of one number, 4 for float32, 2
    for bfloat16.
    Returns a whole number of bytes.
    """
    ### BEGIN SOLUTION
    return number_bytes * (parameters + texts * layers * tokens * 2 * width)
    ### END SOLUTION


# %%
check("serving_bytes")

# %% [markdown]
# ## 6. Energy
#
# The paper measures the power of processors ($p_c$), memory ($p_r$) and each of $g$ GPUs ($p_g$), in watts. A data centre needs 1.58 times what its machines draw, for cooling
# above all:
#
# $$\text{kWh} = \frac{1.58 \cdot t \cdot (p_c + p_r + g \cdot p_g)}{1000} \qquad \text{CO}_2\text{e} = 0.954 \cdot \text{kWh}$$

# %% [markdown]
# 0.954 is *pounds* of CO₂ equivalent for each kWh, the mean of the USA then. Elsewhere, and today, it is another number: where the rivers give the current it is a small part of it.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>The factor 1.58 is on the whole sum.</details>


# %% exercise="energy"
def energy(hours, cpu, memory, gpu=0.0, gpus=0, overhead=1.58, pounds=0.954):
    """What a training takes from the grid, and what that leaves in the air.

    hours: t. cpu, memory: watts of all processors, of all memory. gpu: watts of one GPU; gpus: how
    many there are. overhead: of the data centre. pounds: of CO₂ equivalent for each kWh. Returns
    (kWh, pounds of CO₂ equivalent), floats.
    Strubell et al. 2019, equation 1 and section 2.
    """
    ### BEGIN SOLUTION
    kwh = overhead * hours * (cpu + memory + gpus * gpu) / 1000
    return kwh, pounds * kwh
    ### END SOLUTION


# %%
check("energy")

# %% [markdown]
# The paper's rows from its own watts and hours:

# %%
PRINTED = {  # watts of all together, hours, printed kWh, printed lb
    "Transformer base": (1415.78, 12, 27, 26),
    "Transformer big": (1515.43, 84, 201, 192),
    "ELMo": (517.66, 336, 275, 262),
    "BERT base": (12_041.51, 79, 1507, 1438),
}
for name, (watts, hours, *printed) in PRINTED.items():
    kwh, lb = energy(hours, watts, 0)
    print(f"{name:16} {kwh:7.1f} kWh, {lb:7.1f} lb; printed {printed[0]:,} and {printed[1]:,}")

# %% [markdown]
# Three rows follow. BERT's would need 79.2 hours: the printed 79 are rounded.

# %% [markdown]
# ## 7. The Pareto front
#
# Model A is **dominated** if another is at least as good *and* at most as dear, and better in one of the two. Nobody has a reason to take A. What is left is the front.

# %% [markdown]
# ```
# quality
#    │            ● C
#    │    ● B          ○ D      D costs more than C and is worse: dominated
#    │ ● A
#    └──────────────────── cost
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Two models with the same cost and the same quality do not dominate each other.</details>


# %% exercise="pareto_front"
def pareto_front(models):
    """The models that no other dominates.

    models: dict from a name to (cost, quality), floats. Lower costs and higher qualities are better.
    Returns the list of names, cheapest first; of equal costs in the dict's order.
    """
    ### BEGIN SOLUTION
    front = []
    for name, (cost, quality) in models.items():
        others = (other for other in models.values() if other != (cost, quality))
        if not any(price <= cost and value >= quality for price, value in others):
            front.append(name)
    return sorted(front, key=lambda name: models[name][0])
    ### END SOLUTION


# %%
check("pareto_front")

# %% [markdown]
# ## 8. A choice
#
# A front does not choose. **Needs** do: "at least .9 on names, at most 5 ms, and it must write." Of those that meet all needs, the cheapest.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>What was not measured is <code>None</code>, and meets no need. 0 is a number like any other.</details>


# %% exercise="choose"
def choose(models, needs, cost):
    """The cheapest model that meets all needs.

    models: dict from a name to its facts, a dict from a fact's name to a number, or None where it
    is not known; a fact may be missing, too.
    needs: list of (fact, "at least" or "at most", number). cost: the fact that is to be small; who
    has no cost is not taken.
    Returns a name, of equally cheap ones the first of the dict; None if no model meets all needs.
    """
    ### BEGIN SOLUTION
    def meets(facts):
        for fact, bound, number in needs:
            value = facts.get(fact)
            if value is None or (value < number if bound == "at least" else value > number):
                return False
        return facts.get(cost) is not None

    good = [name for name, facts in models.items() if meets(facts)]
    return min(good, key=lambda name: models[name][cost], default=None)
    ### END SOLUTION


# %%
check("choose")

# %% [markdown]
# ## The models
#
# All have read the same 240,000 words of the planted world. word2vec is trained here, in seconds; the others are the course's checkpoints, minutes each.

# %%
LANGUAGE, DRAWS, TESTS = "en", {"smoke": 4, "cpu": 10, "gpu": 30}[profile], {"smoke": 100, "cpu": 300, "gpu": 1000}[profile]
WORDS, LABELLED = 240_000, 36


class Counts:
    """Words counted and weighted by tf-idf: no training but that of the classifier."""

    parameters = 0

    def fit(self, texts):
        self.vectorizer = TfidfVectorizer(token_pattern=r"\S+").fit(texts)

    def sentences(self, texts):
        return self.vectorizer.transform(texts).toarray()

    def flops(self, text):
        return 0


class Static:
    """word2vec: one vector for each word, the mean of them for a sentence."""

    def __init__(self, language):
        corpus = World(language, seed=0).corpus(WORDS)
        found = sgns.train(corpus, dim=64, epochs=20, window=4, seed=seed, progress=False)
        self.index = {word: row for row, word in enumerate(found.words)}
        self.table = torch.nn.functional.normalize(found.vectors, dim=1)  # (V, 64)
        self.parameters = self.table.numel()

    def words(self, words):
        """(N, 64), 0 for a word that it has not met."""
        return torch.stack([self.table[self.index[word]] if word in self.index else torch.zeros(64) for word in words])

    def sentences(self, texts):
        return torch.stack([self.words(text.split()).mean(dim=0) for text in texts]).numpy()

    def goes_on(self, start, ending):
        return float(self.words(start.split()).mean(dim=0) @ self.words(ending.split()).mean(dim=0))

    def flops(self, text):
        return 0


class Encoder:
    """A BERT with frozen layers: both layers of a token side by side."""

    def __init__(self, checkpoint, untrained=False):
        self.model, self.tokenizer = pretrained.load(checkpoint)
        if untrained:
            torch.manual_seed(seed)
            self.model.bert = Bert(self.model.bert.config).eval()
        self.config = self.model.bert.config
        self.parameters = sum(weight.numel() for weight in self.model.bert.parameters())
        self.untrained = untrained

    def layers(self, text):
        ids = torch.tensor([self.tokenizer.encode(text)])
        return torch.cat(self.model.bert.all_layers(ids)[1:], dim=-1)[0]  # (N, 2 H)

    def words(self, words):
        sizes = [len(self.tokenizer.tokenize(word)) for word in words]
        firsts = np.cumsum([1, *sizes])[:-1]  # behind [CLS]
        return self.layers(" ".join(words))[firsts]

    def sentences(self, texts):
        return torch.stack([self.layers(text).mean(dim=0) for text in texts]).numpy()

    def goes_on(self, start, ending):
        """The mean log-probability of the ending's pieces, each masked in turn."""
        if self.untrained:
            return None
        index = self.tokenizer.index
        before = self.tokenizer.encode(start)[:-1]
        pieces = [index[piece] for piece in self.tokenizer.tokenize(ending)]
        rows = torch.tensor([[*before, *pieces, index["[SEP]"]]] * len(pieces))  # (M, N)
        places = len(before) + torch.arange(len(pieces))
        rows[torch.arange(len(pieces)), places] = index["[MASK]"]
        hidden = self.model.bert(rows)[torch.arange(len(pieces)), places]  # (M, H)
        scores = self.model.token_logits(hidden).log_softmax(dim=-1)
        return float(scores[torch.arange(len(pieces)), torch.tensor(pieces)].mean())

    def flops(self, text):
        config = self.config
        return forward_flops(
            len(self.tokenizer.encode(text)), config.num_hidden_layers, config.hidden_size, config.intermediate_size
        )


class Writer:
    """A GPT with frozen layers: the last layer's vectors."""

    def __init__(self, checkpoint):
        self.model, self.tokenizer = pretrained_gpt.load(checkpoint)
        self.config = self.model.config
        self.end = self.tokenizer.special_tokens[pretrained_gpt.END]
        self.parameters = sum(weight.numel() for weight in self.model.parameters())

    def words(self, words):
        """The vector of each word's last token: it alone has read all of the word."""
        ids, lasts = [self.end], []
        for number, word in enumerate(words):
            ids += self.tokenizer.encode(f" {word}" if number else word)
            lasts.append(len(ids) - 1)
        return self.model.hidden(torch.tensor([ids]))[0, lasts]  # (N, H)

    def sentences(self, texts):
        return torch.stack([self.model.hidden(torch.tensor([[self.end, *self.tokenizer.encode(text)]]))[0].mean(dim=0) for text in texts]).numpy()

    def goes_on(self, start, ending):
        """The mean log-probability of the ending's tokens."""
        before, after = [self.end, *self.tokenizer.encode(start)], self.tokenizer.encode(f" {ending}")
        hidden = self.model.hidden(torch.tensor([before + after]))[0, len(before) - 1 : -1]  # (M, H)
        scores = self.model.logits(hidden).log_softmax(dim=-1)
        return float(scores[torch.arange(len(after)), torch.tensor(after)].mean())

    def flops(self, text):
        config = self.config
        return forward_flops(1 + len(self.tokenizer.encode(text)), config.n_layer, config.n_embd, 4 * config.n_embd)


def all_models(language):
    models = {"word counts": Counts(), "word2vec": Static(language)}
    if language == "en":
        models["BERT, half as wide"] = Encoder("world-en-narrow")
    models |= {"BERT": Encoder({"en": "world-en", "ko": "world-ko"}[language])}
    models["GPT"] = Writer({"en": "world-en-gpt", "ko": "world-ko-gpt"}[language])
    models["BERT, untrained"] = Encoder({"en": "world-en", "ko": "world-ko"}[language], untrained=True)
    return models


models = all_models(LANGUAGE)
print({name: f"{model.parameters:,}" for name, model in models.items()})

# %% [markdown]
# ## Quality
#
# Three jobs. Nothing is fine-tuned: on all models' vectors sits the same logistic regression, so that the *models* are compared and not the effort.
#
# | job | given | asked |
# |---|---|---|
# | topics | 36 labelled sentences | the topic of sentences about other words |
# | names | 36 labelled sentences | person, country, capital, language or none, for each word |
# | endings | nothing | which of four words goes on with the sentence |

# %%
TAGS = ("O", "B-PER", "B-COU", "B-CAP", "B-LAN")


def classify(known, labels, asked):
    """What a logistic regression says: vectors are brought to mean 0 and spread 1 first."""
    mean, spread = known.mean(axis=0), known.std(axis=0) + 1e-6
    model = LogisticRegression(C=1.0, max_iter=2000).fit((known - mean) / spread, labels)
    return model.predict((asked - mean) / spread)


@torch.inference_mode()
def topics(model, tasks):
    """The topic that the model gives each test sentence, (TESTS,)."""
    known, asked = tasks.topics(LABELLED, "train"), tasks.topics(TESTS, "test")
    if hasattr(model, "fit"):
        model.fit([item.text for item in known])
    vectors = [model.sentences([item.text for item in items]) for items in (known, asked)]
    return classify(vectors[0], [item.label for item in known], vectors[1])


@torch.inference_mode()
def names(model, tasks):
    """The tag that the model gives each word of the test, (T,); word counts know no word in its place, so None."""
    if not hasattr(model, "words"):
        return None
    known, asked = tasks.entities(LABELLED, "train"), tasks.entities(TESTS, "test")
    vectors = [torch.cat([model.words(item.words) for item in items]).numpy() for items in (known, asked)]
    return classify(vectors[0], [TAGS.index(tag) for item in known for tag in item.tags], vectors[1])


@torch.inference_mode()
def endings(model, tasks):
    """The ending that the model chooses for each test question, (TESTS,)."""
    if not hasattr(model, "goes_on") or getattr(model, "untrained", False):
        return None
    return np.array([int(np.argmax([model.goes_on(item.start, ending) for ending in item.endings])) for item in tasks.choices(TESTS, "test")])


def f1(tags, gold):
    return 2 * ((tags == gold) & (gold > 0)).sum() / max(1, (tags > 0).sum() + (gold > 0).sum())


def truths(tasks):
    return {
        "topics": np.array([item.label for item in tasks.topics(TESTS, "test")]),
        "names": np.array([TAGS.index(tag) for item in tasks.entities(TESTS, "test") for tag in item.tags]),
        "endings": np.array([item.label for item in tasks.choices(TESTS, "test")]),
    }


JOBS = {"topics": topics, "names": names, "endings": endings}


def measure(models, language):
    """Job → model → its answers in each draw of labels, and job → model → its scores."""
    answers, scores = {job: {name: [] for name in models} for job in JOBS}, {job: {} for job in JOBS}
    draws = [Tasks(language, seed=DRAWS * seed + number) for number in range(DRAWS)]
    gold = [truths(tasks) for tasks in draws]
    for job, work in JOBS.items():
        for name, model in models.items():
            found = [work(model, tasks) for tasks in draws]
            if found[0] is not None:
                answers[job][name] = found
                score = f1 if job == "names" else lambda given, truth: float((given == truth).mean())
                scores[job][name] = [float(score(given, truth[job])) for given, truth in zip(found, gold)]
    return answers, scores


answers, scores = measure(models, LANGUAGE)
for job, found in scores.items():
    print(f"{job}: not told from the best: {', '.join(tied_with_best(found))}")

# %%
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", sharey=True)
for ax, (job, found) in zip(axes, scores.items()):
    for name, own in found.items():
        low, high = interval(own)
        row = list(models).index(name)
        ax.plot([low, high], [row, row], color=plots.COLOURS[0], lw=3, alpha=0.4)
        ax.plot(own, [row] * len(own), ".", color=plots.COLOURS[0])
        ax.plot(statistics.mean(own), row, "|", color="black", ms=12)
    ax.axvline({"topics": 1 / 9, "names": 0, "endings": 1 / 4}[job], color="#999999", ls="--", lw=1)
    ax.set(title=job, xlabel="F1" if job == "names" else "accuracy", xlim=(-0.05, 1.05))
axes[0].set_yticks(range(len(models)), list(models))
figure.suptitle(f"{DRAWS} draws of labels, their mean and its 95 % interval; dashed: chance")
plt.show()

# %% [markdown]
# Look at word2vec. Where the *words* decide, a table of 621 rows, trained in seconds, keeps up with a Transformer. The untrained BERT says how much is learnt at all.

# %% [markdown]
# ## Writing
#
# Only a language model can write, or say how surprising a text is. In **bits per byte**, so that tokens of any size compare: all nats of the text, over its bytes and ln 2.

# %%
def held_out(language, words=4000):
    return [str(document) for document in World(language, seed=1 + seed).documents(words)]


def counted(language, texts):
    """Bits per byte of unigrams and bigrams of words and line ends, with 0.1 added to each count."""
    def tokens(text):
        return ["\n", *chain.from_iterable([*line.split(" "), "\n"] for line in text.split("\n"))]

    known = [tokens(str(document)) for document in World(language, seed=0).documents(WORDS)]
    single, pairs = Counter(chain.from_iterable(known)), Counter(chain.from_iterable(map(pairwise, known)))
    size, total, nats = len(single) + 1, sum(single.values()), {"unigrams": 0.0, "bigrams": 0.0}
    for text in map(tokens, texts):
        for before, word in pairwise(text):
            nats["unigrams"] -= math.log((single[word] + 0.1) / (total + 0.1 * size))
            nats["bigrams"] -= math.log((pairs[before, word] + 0.1) / (single[before] + 0.1 * size))
    return {name: value / math.log(2) / sum(len(text.encode()) + 1 for text in texts) for name, value in nats.items()}


@torch.inference_mode()
def written(model, texts):
    """Bits per byte of a GPT, which also has to say where each document ends."""
    nats = 0.0
    for text in texts:
        ids = torch.tensor([[model.end, *model.tokenizer.encode(text), model.end]])[:, : model.config.n_positions + 1]
        nats += float(model.model(ids)) * (ids.size(1) - 1)
    return nats / math.log(2) / sum(len(text.encode()) + 1 for text in texts)


texts = [text for text in held_out(LANGUAGE) if len(models["GPT"].tokenizer.encode(text)) < models["GPT"].config.n_positions]
bits = counted(LANGUAGE, texts) | {"GPT": written(models["GPT"], texts)}
print({name: round(value, 3) for name, value in bits.items()}, "bits per byte")

# %% [markdown]
# ## Cost
#
# Your pieces: FLOPs and seconds for one sentence, memory for sixteen texts of 128 tokens at once, and the FLOPs that training took, three times forwards for each step.

# %%
SENTENCE = Tasks(LANGUAGE, seed=seed).topics(1, "test")[0].text
TRAINED = {"BERT": (6000 * 32, 64), "BERT, half as wide": (6000 * 32, 64), "GPT": (3000 * 16, 128)}  # texts, tokens of each
WATTS = 10  # of one core with its memory: an assumption, read your machine's


def training_flops(name, model):
    if name not in TRAINED:
        return 0
    count, length = TRAINED[name]
    config = model.config
    if name == "GPT":
        one = forward_flops(length, config.n_layer, config.n_embd, 4 * config.n_embd, config.vocab_size, length)
    else:
        one = forward_flops(length, 2, config.hidden_size, config.intermediate_size, config.vocab_size, int(0.15 * length))
    return 3 * count * one


def readings(work, repeats=21):
    """What the processor's clock says before and after each call; the first call is one more."""
    return [(time.process_time(), work(), time.process_time())[::2] for _ in range(1 + repeats)]


facts = {}
with torch.inference_mode():
    for name, model in models.items():
        seconds = seconds_of(readings(partial(model.sentences, [SENTENCE])))
        config = getattr(model, "config", None)
        layers, width = (0, 0) if config is None else (2, getattr(config, "n_embd", None) or config.hidden_size)
        facts[name] = {
            "parameters": model.parameters,
            "FLOPs": model.flops(SENTENCE),
            "milliseconds": 1000 * seconds,
            "MB": serving_bytes(model.parameters, layers, width, 128, 16 if name == "GPT" else 0, 4) / 1e6,
            "training FLOPs": training_flops(name, model),
            "kWh for a million": energy(1e6 * seconds / 3600, WATTS, 0)[0],
            **{job: statistics.mean(found[name]) for job, found in scores.items() if name in found},
            "bits per byte": bits.get(name),
        }
table = pd.DataFrame(facts).T
table.style.format(precision=3, thousands=",", na_rep="")

# %%
MARKERS = dict(zip(models, "osvD^P"))
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", sharex=True)
for ax, (job, found) in zip(axes, scores.items()):
    points = {name: (facts[name]["milliseconds"], statistics.mean(own)) for name, own in found.items()}
    front = pareto_front(points)
    ax.plot(*zip(*(points[name] for name in front)), "-", color="#999999", zorder=1)
    for (name, marker), colour in zip(MARKERS.items(), plots.COLOURS):
        if name in points:
            ax.plot(*points[name], marker, ms=8, color=colour, mfc=colour if name in front else "white", label=name, zorder=2)
    ax.set(title=job, xlabel="milliseconds for a sentence", xscale="log", xlim=(0.003, 3), ylim=(-0.15, 1.15))
axes[0].set_ylabel("quality")
axes[0].legend(loc="center left", fontsize=7)
figure.suptitle("Filled: nobody is better and cheaper")
plt.show()

# %% [markdown]
# ## The decision page

# %%
QUESTIONS = {
    "sort sentences by topic": [("topics", "at least", 0.7)],
    "find names": [("names", "at least", 0.8)],
    "write text": [("bits per byte", "at most", 1.0)],
    "all of them with one model": [("topics", "at least", 0.5), ("names", "at least", 0.5), ("bits per byte", "at most", 1.0)],
    "anything, in 1 MB": [("MB", "at most", 1.0), ("topics", "at least", 0.5), ("names", "at least", 0.5)],
}
for job, needs in QUESTIONS.items():
    told = ", ".join(f"{fact} {bound} {number:g}" for fact, bound, number in needs)
    print(f"{job} ({told}): {choose(facts, needs, 'milliseconds') or 'none of these'}")

# %% [markdown]
# ## Korean
#
# Now in Korean, where a word carries its particles: 의사가, 의사는, 의사를 are three words to word2vec.

# %%
korean = all_models("ko")
korean_answers, korean_scores = measure(korean, "ko")
pd.DataFrame({job: {name: statistics.mean(own) for name, own in found.items()} for job, found in korean_scores.items()}).round(3)

# %%
for job, found in korean_scores.items():
    print(f"{job}: not told from the best: {', '.join(tied_with_best(found))}")

# %% [markdown]
# ## Results

# %% tags=["metrics"]
def lead(found, better, worse):
    return statistics.mean(found[better]) - statistics.mean(found[worse])


COMPARED = ("word2vec", "BERT", "GPT")
record(
    {
        "topics_word2vec_minus_counts": lead(scores["topics"], "word2vec", "word counts"),
        "topics_bert_minus_word2vec": lead(scores["topics"], "BERT", "word2vec"),
        "topics_bert_minus_gpt": lead(scores["topics"], "BERT", "GPT"),
        "names_gpt_minus_bert": lead(scores["names"], "GPT", "BERT"),
        "endings_gpt_minus_bert": lead(scores["endings"], "GPT", "BERT"),
        "topics_korean_bert_minus_word2vec": lead(korean_scores["topics"], "BERT", "word2vec"),
        "names_korean_bert_minus_word2vec": lead(korean_scores["names"], "BERT", "word2vec"),
        "topics_bert_minus_untrained": lead(scores["topics"], "BERT", "BERT, untrained"),
        "bits_bigrams_minus_gpt": bits["bigrams"] - bits["GPT"],
    },
    counts=torch.tensor(np.stack(answers["topics"]["word counts"])),
    untrained=torch.tensor(np.stack(answers["topics"]["BERT, untrained"])),
    **{f"{job}_{name}": torch.tensor(np.concatenate(answers[job][name])) for job in JOBS for name in COMPARED},
    **{f"korean_{job}_{name}": torch.tensor(np.concatenate(korean_answers[job][name])) for job in JOBS for name in COMPARED},
    bits=torch.tensor([bits["unigrams"], bits["bigrams"], bits["GPT"]]),
    front=pareto_front({name: (facts[name]["FLOPs"], statistics.mean(own)) for name, own in scores["topics"].items()}),
)

# %% [markdown]
# What was found, in the table's runs:
#
# | question | at our scale |
# |---|---|
# | does a Transformer beat a table of vectors? | on English topics hardly (`topics_bert_minus_word2vec`); in Korean, where words carry particles, by far (`…_korean_…`) |
# | are word counts enough? | not with 36 labels and other words in the test: they are at chance (`topics_word2vec_minus_counts`) |
# | BERT or GPT, as frozen vectors? | sentences: BERT (`topics_bert_minus_gpt`); names: GPT is no worse (`names_gpt_minus_bert`), what stands before a name tells it |
# | which word goes on? | GPT, which was trained for just that (`endings_gpt_minus_bert`) |
# | is it learnt, or the architecture? | learnt: an untrained BERT is near chance (`topics_bert_minus_untrained`) |
# | what writes? | GPT, far below bigrams in bits per byte (`bits_bigrams_minus_gpt`) |

# %% [markdown]
# ## In your own words

# %% [markdown]
# **1.** A shop wants to sort 200 kinds of mail, in English and Korean, on one CPU, 50 letters a second. It has 20 labelled letters of each kind. Which two models would you try first,
# in which order, and what number would make you stop at the first?

# %% [markdown] answer="shop" points=2
# ### BEGIN SOLUTION
# 1 point: begin with the cheapest that can work (word counts with 20 labels of each kind, or word2vec), then a small pre-trained encoder such as BERT, above all for Korean, where words carry particles and
# static vectors lost much. 1 point: stop at the first if the paired interval of (second − first), over several draws of labels on held-out letters, holds 0 or is smaller than what a wrongly sorted letter costs; and
# the time bound, 20 ms a letter, must hold for either.
# ### END SOLUTION

# %% [markdown]
# **2.** "ALBERT-xxlarge has fewer parameters than BERT-large (235 against 334 million), so it is the cheaper model." Which costs are lower, which are higher, and which table tells you?

# %% [markdown] answer="albert" points=2
# ### BEGIN SOLUTION
# 1 point: lower are the bytes of the weights: on disk, in memory, sent over a network, and, when training on several machines, the gradients that they exchange. 1 point: higher is everything that is
# computed, since shared weights are multiplied in every layer: forward_flops does not know parameters, and 12 layers of width 4,096 take many times those of 24 layers of width 1,024; so seconds and energy rise. The paper's
# own Table 2 prints 0.3 times BERT-large's speed.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Strubell et al. 2019, [Energy and Policy Considerations](https://aclanthology.org/P19-1355): six pages.
# - Schwartz et al. 2020, [Green AI](https://arxiv.org/abs/1907.10597): report FLOPs beside accuracy.
# - Patterson et al. 2021, [Carbon Emissions and Large Neural Network Training](https://arxiv.org/abs/2104.10350): why some of these estimates were far too high.
# - Dehghani et al. 2022, [The Efficiency Misnomer](https://arxiv.org/abs/2110.12894): parameters, FLOPs and seconds disagree, and which paper shows which.
