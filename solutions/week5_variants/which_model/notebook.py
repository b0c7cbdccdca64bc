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
# So here is one table over weeks 1 to 5: word counts, word2vec, ELMo, BERT, ALBERT, RoBERTa, GPT, all of the same 240,000 words. You write what makes such a table honest (about 1½ hours):
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
from torch.nn.utils.rnn import pad_sequence

import etude
from etude import check, plots, pretrained, pretrained_gpt, pretrained_variants, record
from etude.embeddings import sgns
from etude.models.attention import padding_mask
from etude.models.bert import Bert
from etude.tokenizers.byte_bpe import ByteBPE
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
# $t_{n-1}$ leaves 2.5 % on each side: 12.7 for two scores, 2.78 for five, 1.96 for very many. From few scores the spread is known badly; a larger t makes up for that.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary><code>stats.t.ppf(0.975, 4)</code> is the t of five scores.</details>
# <details><summary>Hint</summary>numpy divides by n unless it is told <code>ddof=1</code>; <code>statistics.stdev</code> divides by n − 1.</details>


# %% exercise="interval"
def interval(scores):
    """The 95 % interval of a mean, by Student's t.

    scores: list of n floats of any sign, 0 or of a size from 1e-10 to 1e7, n at least 2. Returns
    (low, high), floats; both are the mean if all scores are the same. Student 1908, The Probable
    Error of a Mean.
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
# draw     1    2    3         A: .45 to .95   B: .48 to .98   they overlap
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
# Parameters do not occur! ALBERT shares one layer's weights among all twelve: a twelfth of the layers' weights, and not one multiplication less.

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
    Returns a whole number, exact at any size. Vaswani et al. 2017, section 3; Kaplan et al. 2020,
    Table 1, counts alike, but half as much for scores and mixing.
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
    Returns a whole number of bytes, exact; it is below 2⁶³.
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
# 0.954 is *pounds* of CO₂ equivalent for each kWh, the mean of the USA then. Elsewhere, and today, it is another number: where power comes from rivers it is far smaller.

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
found_energy = {}  # paper's row → kWh
PRINTED = {  # watts of all together, hours, printed kWh, printed lb
    "Transformer base": (1415.78, 12, 27, 26),
    "Transformer big": (1515.43, 84, 201, 192),
    "ELMo": (517.66, 336, 275, 262),
    "BERT base": (12_041.51, 79, 1507, 1438),
}
for name, (watts, hours, *printed) in PRINTED.items():
    found_energy[name], lb = energy(hours, watts, 0)
    print(f"{name:16} {found_energy[name]:7.1f} kWh, {lb:7.1f} lb; printed {printed[0]:,} and {printed[1]:,}")

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

    models: dict from a name to (cost, quality), floats, which may be negative. Lower costs and
    higher qualities are better, by however little.
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
    is not known; a fact may be missing, too. Numbers are ints or floats of either sign.
    needs: list of (fact, "at least" or "at most", number); the cost may be among the facts, and one
    fact more than once. cost: the fact that is to be small; who has no cost is not taken.
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

# %% [markdown]
# | | reads | layers | trained on |
# |---|---|---|---|
# | ELMo | pieces, once from the left, once from the right | 2 LSTMs each way | the next piece, the one before |
# | BERT | pieces | 2 | masks, next sentences |
# | ALBERT | pieces, vectors half as wide | 1, used twice | masks, order of sentences |
# | RoBERTa | pieces of bytes | 2 | masks alone, full rows |
# | GPT | pieces of bytes | 2 | the next piece |

# %% [markdown]
# The planted world writes a document's sentences in no order, so ALBERT's second question has no answer here. BERT's has one: sentences of one document share a topic.

# %%
LANGUAGE, DRAWS, TESTS = (
    "en",
    {"smoke": 4, "cpu": 10, "gpu": 30}[profile],
    {"smoke": 100, "cpu": 300, "gpu": 1000}[profile],
)
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

    def words(self, *sentences):
        """(T, 64), 0 for a word that it has not met."""
        words = chain(*sentences)
        return torch.stack(
            [self.table[self.index[word]] if word in self.index else torch.zeros(64) for word in words]
        )

    def sentences(self, texts):
        return torch.stack([self.mean(text) for text in texts]).numpy()

    def mean(self, text):
        return self.words(text.split()).mean(dim=0)  # (64,)

    def goes_on(self, items):
        """(T, 4): how near each ending is to the beginning."""
        return torch.stack(
            [
                torch.stack([self.mean(item.start) @ self.mean(ending) for ending in item.endings])
                for item in items
            ]
        )

    def flops(self, text):
        return 0


# %% [markdown]
# The others cut words into pieces and read many texts in one batch. An ending's score is the mean log-probability of its pieces: each masked in turn, or each after those before it.


# %%
MARKS = {False: ("[PAD]", "[CLS]", "[SEP]", "[MASK]"), True: ("<pad>", "<s>", "</s>", "<mask>")}


class Frozen:
    """A pre-trained model with frozen layers."""

    last, untrained = False, False  # last: a word's vector is that of its last piece, not of its first

    def __init__(self, load, checkpoint):
        self.model, self.tokenizer = load(checkpoint)
        self.bytes = isinstance(self.tokenizer, ByteBPE)
        if load is not pretrained_gpt.load:
            self.padding, begin, end, self.mask = (
                self.tokenizer.special_tokens[mark] for mark in MARKS[self.bytes]
            )
            self.begin, self.end = [begin], [end]

    @property
    def parameters(self):
        return sum(weight.numel() for weight in self.body.parameters())

    def cut(self, words, inside=False):
        """Each word's ids; in bytes a word holds the blank before it, unless it begins the text."""
        if self.bytes:
            return [
                self.tokenizer.encode(f" {word}" if number or inside else word)
                for number, word in enumerate(words)
            ]
        return [[self.tokenizer.index[piece] for piece in self.tokenizer.tokenize(word)] for word in words]

    def row(self, text):
        return [*self.begin, *chain(*self.cut(text.split())), *self.end]

    def read(self, rows):
        """The vectors of each row's tokens, (N, d) each."""
        # (B, N)
        ids = pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=self.padding)
        return [x[: len(row)] for x, row in zip(self.vectors(ids), rows)]

    def sentences(self, texts):
        return torch.stack([x.mean(dim=0) for x in self.read([self.row(text) for text in texts])]).numpy()

    def words(self, *sentences):
        """The vectors of all words of the sentences, (T, d)."""
        found = []
        for words, x in zip(sentences, self.read([self.row(" ".join(words)) for words in sentences])):
            ends = np.cumsum([len(self.begin), *map(len, self.cut(words))])
            found.append(x[ends[1:] - 1] if self.last else x[ends[:-1]])
        return torch.cat(found)

    def goes_on(self, items):
        """(T, 4): the mean log-probability of each ending's pieces."""
        asked = [self.questions(item.start, ending) for item in items for ending in item.endings]
        rows, places, pieces = zip(*chain(*asked))
        hidden = torch.stack([x[place] for x, place in zip(self.read(rows), places)])  # (Q, d)
        logs = self.scores(hidden).log_softmax(dim=-1)[torch.arange(len(pieces)), torch.tensor(pieces)]  # (Q,)
        return torch.stack([part.mean() for part in logs.split([len(some) for some in asked])]).view(
            len(items), -1
        )

    def questions(self, start, ending):
        """(row, place that tells it, piece) for each piece of the ending, by those before it."""
        before, pieces = (
            self.row(start)[: -len(self.end) or None],
            list(chain(*self.cut(ending.split(), inside=True))),
        )
        return [([*before, *pieces[:n]], len(before) + n - 1, piece) for n, piece in enumerate(pieces)]

    def flops(self, text):
        return self.cost(len(self.row(text)))


class Encoder(Frozen):
    """A BERT, ALBERT or RoBERTa: both layers of a token side by side."""

    def __init__(self, load, checkpoint, untrained=False):
        super().__init__(load, checkpoint)
        self.untrained = untrained
        if untrained:
            torch.manual_seed(seed)
            self.model.bert = Bert(self.model.bert.config).eval()
        self.body = self.model.albert if hasattr(self.model, "albert") else self.model.bert
        self.config, self.width = self.body.config, self.body.config.hidden_size

    def vectors(self, ids):
        x, states = self.body.input(ids), []
        x = self.body.widen(x) if hasattr(self.body, "widen") else x
        for layer in self.body.layers:
            x = layer(x, mask=padding_mask(ids, self.padding))
            states.append(x)
        return torch.cat(states, dim=-1)  # (B, N, 2 H)

    def scores(self, hidden):
        return self.model.token_logits(hidden[:, -self.width :])

    def questions(self, start, ending):
        """As above, with the piece masked in the whole ending."""
        before, pieces = self.row(start)[:-1], list(chain(*self.cut(ending.split(), inside=True)))
        hidden = [[*before, *pieces[:n], self.mask, *pieces[n + 1 :], *self.end] for n in range(len(pieces))]
        return [(row, len(before) + n, piece) for n, (row, piece) in enumerate(zip(hidden, pieces))]

    def cost(self, tokens, scored=0):
        c = self.config
        narrow = getattr(c, "embedding_size", None)
        if narrow:  # ALBERT's tokens are widened once, its words scored by narrow vectors
            layers = forward_flops(tokens, c.num_hidden_layers, self.width, c.intermediate_size)
            return layers + 2 * narrow * (tokens * self.width + scored * c.vocab_size)
        return forward_flops(tokens, c.num_hidden_layers, self.width, c.intermediate_size, c.vocab_size, scored)


class Elmo(Frozen):
    """ELMo's LSTMs, both layers of both directions side by side.

    Endings are scored by the forward direction alone.
    """

    def __init__(self, load, checkpoint):
        super().__init__(load, checkpoint)
        self.width = self.model.config.width
        self.body = torch.nn.ModuleList([self.model.embedding, self.model.forward_lm, self.model.backward_lm])

    def vectors(self, ids):
        return torch.cat(self.model.all_layers(ids)[1:], dim=-1)  # (B, N, 4 d)

    def scores(self, hidden):
        return self.model.output(hidden[:, 2 * self.width : 3 * self.width])

    def cost(self, tokens, scored=0):
        """Four gates, in two layers of two directions, each from an input and the last output."""
        return 2 * self.width * (tokens * 4 * 4 * 2 * self.width + scored * self.model.config.vocabulary)


class Writer(Frozen):
    """A GPT: the last layer's vectors.

    A word's is that of its last piece, which alone has read all of the word.
    """

    last = True

    def __init__(self, load, checkpoint):
        super().__init__(load, checkpoint)
        # padding stands behind, where no piece looks
        self.body, self.config, self.padding = self.model, self.model.config, 0
        self.begin, self.end = [self.tokenizer.special_tokens[pretrained_gpt.END]], []

    def vectors(self, ids):
        return self.model.hidden(ids)  # (B, N, H)

    def scores(self, hidden):
        return self.model.logits(hidden)

    def cost(self, tokens, scored=0):
        c = self.config
        return forward_flops(tokens, c.n_layer, c.n_embd, 4 * c.n_embd, c.vocab_size, scored)


CHECKPOINTS = {
    "en": {
        "ELMo": "world-en-elmo",
        "BERT, half as wide": "world-en-narrow",
        "BERT": "world-en",
        "ALBERT": "world-en-albert",
        "RoBERTa": "world-en-roberta",
        "GPT": "world-en-gpt",
    },
    "ko": {
        "ELMo": "world-ko-elmo",
        "BERT": "world-ko",
        "ALBERT": "world-ko-albert",
        "RoBERTa": "world-ko-roberta",
        "GPT": "world-ko-gpt",
    },
}
LOAD = {"GPT": pretrained_gpt.load, **dict.fromkeys(("ELMo", "ALBERT", "RoBERTa"), pretrained_variants.load)}


def all_models(language):
    models = {"word counts": Counts(), "word2vec": Static(language)}
    for name, checkpoint in CHECKPOINTS[language].items():
        kind = {"ELMo": Elmo, "GPT": Writer}.get(name, Encoder)
        models[name] = kind(LOAD.get(name, pretrained.load), checkpoint)
    return models | {"BERT, untrained": Encoder(pretrained.load, CHECKPOINTS[language]["BERT"], untrained=True)}


models = all_models(LANGUAGE)
pd.Series({name: f"{model.parameters:,}" for name, model in models.items()}, name="parameters")

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
    """The tag that the model gives each word of the test, (T,);
    word counts know no word in its place, so None."""
    if not hasattr(model, "words"):
        return None
    known, asked = tasks.entities(LABELLED, "train"), tasks.entities(TESTS, "test")
    vectors = [model.words(*(item.words for item in items)).numpy() for items in (known, asked)]
    return classify(vectors[0], [TAGS.index(tag) for item in known for tag in item.tags], vectors[1])


@torch.inference_mode()
def endings(model, tasks):
    """The ending that the model chooses for each test question, (TESTS,)."""
    if not hasattr(model, "goes_on") or getattr(model, "untrained", False):
        return None
    return model.goes_on(tasks.choices(TESTS, "test")).argmax(dim=1).numpy()


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
figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained", sharey=True)
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
axes[0].invert_yaxis()
figure.suptitle(f"{DRAWS} draws of labels, their mean and its 95 % interval; dashed: chance")
plt.show()

# %% [markdown]
# Look at word2vec. Where the *words* decide, a table of 621 rows, trained in seconds, keeps up with BERT. The untrained BERT says how much is learnt at all.

# %% [markdown]
# RoBERTa has BERT's layers and does better on topics and endings. Its rows are fuller (60 tokens of 64, not 45), its vocabulary is bytes, its only task is masks: which of these helps, one table cannot tell.

# %% [markdown]
# ALBERT has half of the weights and as many steps. The figure shows what it knows of names; which thing goes with which verb it does not know well yet, and topics and endings ask for that.

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
    return {
        name: value / math.log(2) / sum(len(text.encode()) + 1 for text in texts)
        for name, value in nats.items()
    }


@torch.inference_mode()
def written(model, texts):
    """Bits per byte of a GPT, which also has to say where each document ends."""
    nats = 0.0
    for text in texts:
        ids = torch.tensor([[*model.begin, *model.tokenizer.encode(text), *model.begin]])[
            :, : model.config.n_positions + 1
        ]
        nats += float(model.model(ids)) * (ids.size(1) - 1)
    return nats / math.log(2) / sum(len(text.encode()) + 1 for text in texts)


texts = [
    text
    for text in held_out(LANGUAGE)
    if len(models["GPT"].tokenizer.encode(text)) < models["GPT"].config.n_positions
]
bits = counted(LANGUAGE, texts) | {"GPT": written(models["GPT"], texts)}
print({name: round(value, 3) for name, value in bits.items()}, "bits per byte")

# %% [markdown]
# ## Cost
#
# Your pieces: FLOPs and seconds for one sentence, memory for sixteen texts of 128 tokens at once, and the FLOPs that training took, three times forwards for each step.

# %%
SENTENCE = Tasks(LANGUAGE, seed=seed).topics(1, "test")[0].text
ENCODERS = ("BERT", "BERT, half as wide", "ALBERT", "RoBERTa")
TRAINED = {  # texts, tokens of each, places at which all pieces are scored
    **dict.fromkeys(ENCODERS, (6000 * 32, 64, int(0.15 * 64))),
    "ELMo": (3000 * 64, 64, 2 * 64),
    "GPT": (3000 * 16, 128, 128),
}
WATTS = 10  # of one core with its memory: an assumption, read your machine's


def training_flops(name, model):
    if name not in TRAINED:
        return 0
    count, length, scored = TRAINED[name]
    return 3 * count * model.cost(length, scored)


def readings(work, repeats=12, calls=10):
    """What the processor's clock says before and after a call: of ten
    in a row a tenth, for some clocks tick every 4 ms."""
    found = []
    for _ in range(1 + repeats):
        before = time.process_time()
        for _ in range(calls):
            work()
        found.append((before, before + (time.process_time() - before) / calls))
    return found


facts, clock = {}, {}
with torch.inference_mode():
    for name, model in models.items():
        clock[name] = readings(partial(model.sentences, [SENTENCE]))
        seconds = seconds_of(clock[name])
        config = getattr(model, "config", None)
        cached = (config.n_layer, config.n_embd, 128, 16) if name == "GPT" else (0, 0, 0, 0)
        facts[name] = {
            "parameters": model.parameters,
            "FLOPs": model.flops(SENTENCE),
            "milliseconds": 1000 * seconds,
            "MB": serving_bytes(model.parameters, *cached, 4) / 1e6,
            "training FLOPs": training_flops(name, model),
            "kWh for a million": energy(1e6 * seconds / 3600, WATTS, 0)[0],
            **{job: statistics.mean(found[name]) for job, found in scores.items() if name in found},
            "bits per byte": bits.get(name),
        }
table = pd.DataFrame(facts).T
table.style.format(precision=3, thousands=",", na_rep="")

# %% [markdown]
# ALBERT: half of BERT's weights, and as many FLOPs. ELMo: as many FLOPs too, but an LSTM takes one token after the other, which no FLOP tells.

# %%
def cost_and_quality(job, cost):
    """Model → (cost, mean score), as `pareto_front` takes them."""
    return {name: (facts[name][cost], statistics.mean(own)) for name, own in scores[job].items()}


figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained", sharex=True)
for ax, job in zip(axes, scores):
    points = cost_and_quality(job, "milliseconds")
    front = pareto_front(points)
    ax.plot(*zip(*(points[name] for name in front)), "-", color="#999999", zorder=1)
    for number, (name, marker) in enumerate(zip(models, "osvD^<>Px")):
        if name in points:
            colour = plots.COLOURS[number % len(plots.COLOURS)]
            ax.plot(
                *points[name],
                marker,
                ms=8,
                color=colour,
                mfc=colour if name in front else "white",
                label=name,
                zorder=2,
            )
    ax.set(title=job, xlabel="milliseconds for a sentence", xscale="log", xlim=(0.003, 3), ylim=(-0.05, 1.05))
axes[0].set_ylabel("quality")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=8)
figure.suptitle("Filled: nobody is better and cheaper")
plt.show()

# %% [markdown]
# ## The decision page

# %%
QUESTIONS = {
    "sort sentences by topic": [("topics", "at least", 0.7)],
    "find names": [("names", "at least", 0.8)],
    "write text": [("bits per byte", "at most", 1.0)],
    "all of them with one model": [
        ("topics", "at least", 0.5),
        ("names", "at least", 0.5),
        ("bits per byte", "at most", 1.0),
    ],
    "anything, in 1 MB": [("MB", "at most", 1.0), ("topics", "at least", 0.5), ("names", "at least", 0.5)],
}
chosen = {job: choose(facts, needs, "milliseconds") for job, needs in QUESTIONS.items()}
for job, needs in QUESTIONS.items():
    told = ", ".join(f"{fact} {bound} {number:g}" for fact, bound, number in needs)
    print(f"{job} ({told}): {chosen[job] or 'none of these'}")

# %% [markdown]
# ## Korean
#
# Now in Korean, where a word carries its particles: 의사가, 의사는, 의사를 are three words to word2vec.

# %%
korean = all_models("ko")
korean_answers, korean_scores = measure(korean, "ko")
pd.DataFrame(
    {job: {name: statistics.mean(own) for name, own in found.items()} for job, found in korean_scores.items()}
).round(3)

# %%
for job, found in korean_scores.items():
    print(f"{job}: not told from the best: {', '.join(tied_with_best(found))}")

# %% [markdown]
# ## Computed twice
#
# A table that decides something is worth computing twice: your pieces beside scipy's paired t-test, numpy's median, a search over all pairs, and models asked in order.


# %%
def farther_end(own):
    """How far the interval's farther end is from the mean, in standard errors."""
    return max(abs(end - statistics.mean(own)) for end in interval(own)) / stats.sem(own)


def by_t_test(found):
    """The models that scipy's paired t-test cannot tell from the best."""
    best = found[max(found, key=lambda name: statistics.mean(found[name]))]
    return [name for name, own in found.items() if own == best or stats.ttest_rel(best, own).pvalue > 0.05]


def by_search(points):
    """The Pareto front, every model against every other."""
    def loses(a, b):
        return b[0] <= a[0] and b[1] >= a[1] and b != a

    return sorted(
        (name for name, own in points.items() if not any(loses(own, other) for other in points.values())),
        key=lambda name: points[name][0],
    )


def by_order(needs):
    """The first model that meets all needs, the fastest asked first."""
    for name in sorted(facts, key=lambda name: facts[name]["milliseconds"]):
        values = [(facts[name].get(fact), bound, number) for fact, bound, number in needs]
        if all(
            value is not None and (value >= number if bound == "at least" else value <= number)
            for value, bound, number in values
        ):
            return name
    return None


def places(front):
    """Each model's place on the front, from 0; −1 if it is not there."""
    return [front.index(name) if name in front else -1 for name in models]


def agreement(yours, other):
    return float(np.mean(np.array(yours) == np.array(other)))


LANGUAGES = {"en": scores, "ko": korean_scores}
tied = [
    [[name in tied_with_best(found[job]) for name in models] for job in JOBS] for found in LANGUAGES.values()
]
fronts = [places(pareto_front(cost_and_quality(job, "FLOPs"))) for job in JOBS]
twice = {
    "ties_right": agreement(
        tied,
        [[[name in by_t_test(found[job]) for name in models] for job in JOBS] for found in LANGUAGES.values()],
    ),
    "seconds_right": agreement(
        [
            math.isclose(facts[name]["milliseconds"] / 1000, np.median(np.diff(clock[name][1:])), abs_tol=1e-9)
            for name in models
        ],
        True,
    ),
    "fronts_right": agreement(fronts, [places(by_search(cost_and_quality(job, "FLOPs"))) for job in JOBS]),
    "choices_right": agreement(
        [chosen[job] or "" for job in QUESTIONS], [by_order(needs) or "" for needs in QUESTIONS.values()]
    ),
    "interval_in_standard_errors": statistics.mean(
        farther_end(own) for found in scores.values() for own in found.values() if len(set(own)) > 1
    ),
}
print(
    f"{twice['ties_right']:.0%} of ties, {twice['fronts_right']:.0%} of fronts, "
    f"{twice['choices_right']:.0%} of choices agree"
)
print(
    f"intervals reach {twice['interval_in_standard_errors']:.3f} standard errors far: "
    f"t for {DRAWS} scores is {stats.t.ppf(0.975, DRAWS - 1):.3f}"
)

# %% [markdown]
# ## Results

# %% tags=["metrics"]
def lead(found, better, worse):
    return statistics.mean(found[better]) - statistics.mean(found[worse])


def all_answers(found):
    """(M, all answers of all draws), −1 where a model gives none."""
    size = len(np.concatenate(found["BERT"]))
    return torch.tensor(
        np.stack([np.concatenate(found[name]) if found.get(name) else np.full(size, -1) for name in models])
    )


FACTS = ("topics", "names", "bits per byte", "MB", "milliseconds")
record(
    {
        "topics_word2vec_minus_counts": lead(scores["topics"], "word2vec", "word counts"),
        "topics_bert_minus_word2vec": lead(scores["topics"], "BERT", "word2vec"),
        "topics_bert_minus_gpt": lead(scores["topics"], "BERT", "GPT"),
        "topics_bert_minus_elmo": lead(scores["topics"], "BERT", "ELMo"),
        "topics_bert_minus_albert": lead(scores["topics"], "BERT", "ALBERT"),
        "topics_roberta_minus_bert": lead(scores["topics"], "RoBERTa", "BERT"),
        "names_gpt_minus_bert": lead(scores["names"], "GPT", "BERT"),
        "endings_gpt_minus_bert": lead(scores["endings"], "GPT", "BERT"),
        "endings_roberta_minus_bert": lead(scores["endings"], "RoBERTa", "BERT"),
        "topics_korean_bert_minus_word2vec": lead(korean_scores["topics"], "BERT", "word2vec"),
        "names_korean_bert_minus_word2vec": lead(korean_scores["names"], "BERT", "word2vec"),
        "topics_bert_minus_untrained": lead(scores["topics"], "BERT", "BERT, untrained"),
        "bits_bigrams_minus_gpt": bits["bigrams"] - bits["GPT"],
        **twice,
        "teraflops_to_train_bert": facts["BERT"]["training FLOPs"] / 1e12,
        "megabytes_to_write_with_gpt": facts["GPT"]["MB"],
        "kwh_to_train_elmo": found_energy["ELMo"],
    },
    models=list(models),
    **{f"{job}_en": all_answers(answers[job]) for job in JOBS},
    **{f"{job}_ko": all_answers(korean_answers[job]) for job in JOBS},
    bits=torch.tensor([bits["unigrams"], bits["bigrams"], bits["GPT"]]),
    intervals=torch.tensor(
        [
            [interval(scores[job][name]) if name in scores[job] else (0.0, 0.0) for name in models]
            for job in JOBS
        ],
        dtype=torch.float64,
    ),
    tied=torch.tensor(tied).long(),
    clock=torch.tensor([clock[name] for name in models], dtype=torch.float64),
    facts=torch.tensor(
        [[-1.0 if (value := facts[name].get(fact)) is None else value for fact in FACTS] for name in models],
        dtype=torch.float64,
    ),
    flops=torch.tensor(
        [[facts[name]["FLOPs"], facts[name]["training FLOPs"]] for name in models], dtype=torch.float64
    ),
    fronts=torch.tensor(fronts),
    chosen=torch.tensor([list(models).index(name) if name else -1 for name in chosen.values()]),
    kwh=torch.tensor(list(found_energy.values()), dtype=torch.float64),
)

# %% [markdown]
# What was found, in the table's runs. Each model was pre-trained once, so intervals tell of labels, not of luck in pre-training.
#
# | question | at our scale |
# |---|---|
# | does a Transformer beat a table of vectors? | on English topics hardly (`topics_bert_minus_word2vec`); in Korean, where words carry particles, by far (`…_korean_…`) |
# | are word counts enough? | not with 36 labels and other words in the test: they are at chance (`topics_word2vec_minus_counts`) |
# | BERT or GPT, as frozen vectors? | sentences: BERT (`topics_bert_minus_gpt`); names: GPT is no worse (`names_gpt_minus_bert`), what stands before a name tells it |
# | which word goes on? | GPT, trained for just that, and RoBERTa; both more often than BERT (`endings_…_minus_bert`) |
# | what of BERT's relatives? | RoBERTa leads BERT (`topics_roberta_minus_bert`); ELMo is behind (`topics_bert_minus_elmo`), ALBERT far behind (`topics_bert_minus_albert`) |
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
