# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # The limit: one vector for a word
#
# **The papers.** [Arora et al. 2018, Linear Algebraic Structure of Word Senses, with Applications to Polysemy (TACL)](https://aclanthology.org/Q18-1034); [Schütze 1998, Automatic Word Sense Discrimination](https://aclanthology.org/J98-1004).
#
# 눈 is *eye* and *snow*; 배 is *pear*, *ship* and *belly*. Skip-gram, GloVe and fastText keep **one** vector for each form. What is in it?

# %% [markdown]
# **The claims to test.** Arora et al.: a word's vector is close to a weighted sum of the vectors that its senses would have.

# %% [markdown]
# A [post](http://www.offconvex.org/2016/07/10/embeddingspolysemy/) (July 2016) gives numbers, for two random words merged into one:
#
# - cosine with the best rebuild from the two: 0.97 ± 0.02;
# - weight of the more frequent word: about 1;
# - weight of one $r$ times rarer: $1 - c \lg r$, $c$ about 0.5 (lg: base 10).

# %% [markdown]
# Schütze: a word's *contexts*, each summed up in one vector, fall into groups, which are its senses. In the planted **world** each occurrence's sense is known.

# %% [markdown]
# **What you will write** (about 1½ hours):
#
# 1. a static model is a table
# 2. what stands near a homonym
# 3. where its vector lies
# 4. a vector for each occurrence
# 5. grouping occurrences: k-means and purity
# 6. choosing a sense in a sentence

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: about half a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
from collections import Counter
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch.nn.functional import cosine_similarity, normalize

import etude
from etude import check, plots, record
from etude.embeddings import sgns
from etude.world import World

run = etude.start("week1_embeddings/polysemy", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. A static model is a table
#
# Training leaves a table, one row for each word. To embed a sentence, look up its words:
#
# ```
#  눈 (snow)  ─┐
#              ├→  the row of 눈  →  the same vector
#  눈 (eye)   ─┘
# ```

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# A dictionary from word to row makes each look-up cheap. Begin with `torch.zeros(len(tokens), d)` and fill in the rows of known tokens: this covers the empty sentence too.
#
# </details>


# %% exercise="embed"
def embed(vectors, words, tokens):
    """The vector of each token of a sentence, from the table; a token that is not in the table gets
    zeros.

    vectors (V, d) tensor, its rows those of `words`, a list of V strings; tokens: list of N strings.
    Returns a float tensor (N, d); (0, d) for an empty sentence.
    """
    ### BEGIN SOLUTION
    index = {word: i for i, word in enumerate(words)}
    rows = torch.zeros(len(tokens), vectors.shape[1])  # (N, d)
    for place, token in enumerate(tokens):
        if token in index:
            rows[place] = vectors[index[token]]
    return rows
    ### END SOLUTION


# %%
check("embed")

# %% [markdown]
# Each document is about one topic; stems and endings are taken apart (눈 + 을). Each token has the topic of its word: 눈 is *snow* under weather, *eye* under health.

# %%
size, epochs, dim = {"smoke": (36_000, 12, 64), "cpu": (120_000, 12, 64), "gpu": (2_000_000, 10, 100)}[profile]
settings = {"dim": dim, "window": 4, "epochs": epochs, "min_count": 1, "subsample": 1e-2, "lr": 0.05}
settings |= {"seed": seed, "device": str(run.device)}


def read(world):
    """The documents as (topic, sentences); a sentence is a list of (token, topic of its word)."""
    return [
        (text.topic, [[(token, word.topic) for word in words for token in word.morphemes] for words in text.sentences])
        for text in world.documents(size)
    ]


worlds = {language: World(language, seed=seed) for language in ("en", "ko")}
homonyms = {language: world.homonyms() for language, world in worlds.items()}  # word → the topics of its two senses
documents = {language: read(world) for language, world in worlds.items()}
sentences = {language: [words for _, text in found for words in text] for language, found in documents.items()}
static = {
    language: sgns.train([[token for token, _ in words] for words in found], **settings)
    for language, found in sentences.items()
}
homonyms["ko"]

# %%
snow, eye = (
    next(
        [token for token, _ in words]
        for about, text in documents["ko"]
        if about == sense
        for words in text
        if ("눈", sense) in words
    )
    for sense in homonyms["ko"]["눈"]
)
here, there = (embed(static["ko"].vectors, static["ko"].words, tokens)[tokens.index("눈")] for tokens in (snow, eye))
print(" ".join(snow), " ".join(eye), f"distance of the two vectors of 눈: {float((here - there).norm())}", sep="\n")

# %% [markdown]
# The distance is exactly 0, whatever the sentences: a table can do nothing else.

# %% [markdown]
# ## 2. What stands near a homonym
#
# Take the five nearest nouns that are no homonyms. An ordinary word's should mostly be of one topic, a homonym's of two.
#
# **Entropy** in bits measures how mixed a list is: $H = -\sum_i p_i \log_2 p_i$, with $p_i$ the share of topic $i$.
#
# | topics of five neighbours | shares | bits |
# |---|---|---|
# | a a a a a | 1 | 0 |
# | a a a a b | 0.8, 0.2 | 0.72 |
# | a a a b b | 0.6, 0.4 | 0.97 |

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `Counter(topics)` counts them; a share is a count divided by the length. Sum over the topics that occur: then no share is 0, and an empty list gives 0.0 by itself.
#
# </details>


# %% exercise="topic_entropy"
def topic_entropy(topics):
    """The entropy in bits of the shares of the topics in a list; 0.0 for an empty list.

    topics: list of strings. Returns a float, at least 0, exactly 0.0 for a single topic.
    Shannon 1948, section 6.
    """
    ### BEGIN SOLUTION
    entropy = 0.0
    for count in Counter(topics).values():
        share = count / len(topics)
        entropy -= share * math.log2(share)
    return entropy
    ### END SOLUTION


# %%
check("topic_entropy")

# %%
metrics = {}  # each part adds what it has measured


def mean(values):
    return float(np.mean(list(values)))


ordinary = {}  # word → its topic, for the things that are no homonyms; homonyms are things too, so like is compared with like
for language, world in worlds.items():
    things = [thing for topic in world.lexicon.topics for _, named in topic.verbs for thing in named]
    clear = {thing.stem: thing.topic for thing in things if thing.stem not in homonyms[language]}
    ordinary[language] = {word: topic for word, topic in clear.items() if word in static[language].words}


def neighbour_topics(language, word, k=5):
    """The topics of the k nearest ordinary things."""
    model, topics = static[language], ordinary[language]
    unit = normalize(model.vectors, dim=1)  # (V, d)
    order = (unit @ unit[model.words.index(word)]).argsort(descending=True).tolist()
    return [topics[model.words[i]] for i in order if model.words[i] in topics and model.words[i] != word][:k]


near = {
    kind: [topic_entropy(neighbour_topics(language, word)) for language in words for word in words[language]]
    for kind, words in {"homonyms": homonyms, "other things": ordinary}.items()
}
one_topic = {kind: mean(bits == 0 for bits in found) for kind, found in near.items()}
metrics["entropy_minus_ordinary"] = mean(near["homonyms"]) - mean(near["other things"])
metrics["one_topic_minus_ordinary"] = one_topic["homonyms"] - one_topic["other things"]
for kind, found in near.items():
    print(f"{kind}: {mean(found):.2f} bits; all five neighbours are of one topic for {one_topic[kind]:.0%}")
pd.DataFrame({word: neighbour_topics("ko", word) for word in ["눈", "배", "말", "국수"]})

# %% [markdown]
# Single lists are noisy, even that of 국수 (*noodle*), no homonym. Over all words, homonyms' lists are more mixed: their vectors must lie between topics.

# %% [markdown]
# ## 3. Where the vector lies
#
# Arora et al.: $v_{눈} \approx \alpha\, v_{snow} + \beta\, v_{eye}$, if the senses had vectors.
#
# We give them some: write the sense on each homonym, and train on both versions of its sentences. So 눈, 눈|weather and 눈|health get vectors in one space.

# %% [markdown]
# Then find the best weights by **least squares**. The cosine of the vector and its reconstruction tells how much they explain.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `torch.linalg.lstsq(A, b).solution` gives the x that brings A x nearest to b. The senses are the columns of A (d, K); b is a column too, (d, 1).
#
# </details>
# <details><summary>Hint for the cosine</summary>
#
# The reconstruction is `weights @ senses`, (d,). Return the cosine as a Python float.
#
# </details>


# %% exercise="mixture"
def mixture(vector, senses):
    """The weights w that bring w[0] senses[0] + w[1] senses[1] + … nearest to the vector, and how
    near that is.

    vector (d,) float tensor; senses (K, d) float tensor of K < d rows, none of which is a
    sum of multiples of others, nor nearly so. Nearest: the least squared distance.
    Returns (weights: float tensor (K,), cosine between the vector and its reconstruction: float).
    Arora et al. 2018, the Linearity Assertion (there with nonnegative weights).
    """
    ### BEGIN SOLUTION
    weights = torch.linalg.lstsq(senses.T, vector[:, None]).solution[:, 0]  # (K,)
    rebuilt = weights @ senses  # (d,)
    return weights, float(cosine_similarity(rebuilt, vector, dim=0))
    ### END SOLUTION


# %%
check("mixture")

# %% [markdown]
# Both senses are about equally frequent in the world, so equal weights would prove little. We keep one sense up to eight times as often. Control: a stranger, the best rebuild from *another* homonym's senses.


# %%
def with_senses(language):
    """Sentences in which senses are unequally frequent; those with a
    homonym twice, as they are and with senses written on it."""
    draw, names, corpus = np.random.default_rng(seed), homonyms[language], []
    ratios = dict(zip(names, 2 ** draw.permutation(np.linspace(-3, 3, len(names)))))  # first sense : second sense
    for words in sentences[language]:
        here = [(token, topic) for token, topic in words if topic in names.get(token, ())]
        odds = [ratios[token] if topic == names[token][0] else 1 / ratios[token] for token, topic in here]
        if all(draw.random() < odd for odd in odds):
            corpus.append([token for token, _ in words])
            if here:
                corpus.append([f"{token}|{topic}" if (token, topic) in here else token for token, topic in words])
    return corpus


rows = []
for language, names in homonyms.items():
    corpus = with_senses(language)
    counts = Counter(token for tokens in corpus for token in tokens)
    model = sgns.train(corpus, **settings)
    marked = {word: [f"{word}|{topic}" for topic in topics] for word, topics in names.items()}
    own = {word: embed(model.vectors, model.words, pair) for word, pair in marked.items() if all(map(counts.get, pair))}
    for place, word in enumerate(own):
        vector = embed(model.vectors, model.words, [word])[0]
        first, second = map(counts.get, marked[word])
        share = torch.tensor([first, second]) / (first + second)
        weights, fit = mixture(vector, own[word])
        alpha, beta = weights if first >= second else weights.flip(0)  # of the more frequent sense, of the rarer one
        rows.append(
            {
                "word": word,
                "occurrences": f"{first} : {second}",
                "weights": f"{weights[0]:.2f} : {weights[1]:.2f}",
                "share of sense 1": float(share[0]),
                "its share of the weights": float(weights[0] / weights.sum()),
                "r": max(first, second) / min(first, second),
                "β / α": float(beta / alpha),
                "own senses": fit,
                "a stranger's": mixture(vector, own[list(own)[place - 1]])[1],
                "weights = shares": float(cosine_similarity(share @ own[word], vector, dim=0)),
                "equal weights": float(cosine_similarity(own[word].sum(dim=0), vector, dim=0)),
            }
        )
mixtures = pd.DataFrame(rows)
slope, offset = np.polyfit(mixtures["share of sense 1"], mixtures["its share of the weights"], 1)
decade, start = np.polyfit(np.log10(mixtures["r"]), mixtures["β / α"], 1)
metrics["mixture_cosine"] = float(mixtures["own senses"].mean())
metrics["mixture_minus_stranger"] = float((mixtures["own senses"] - mixtures["a stranger's"]).mean())
metrics["shares_minus_equal"] = float((mixtures["weights = shares"] - mixtures["equal weights"]).mean())
metrics["weight_slope"] = float(slope)
metrics["rare_weight_per_decade"] = float(decade)
print(f"rebuilt from its own senses: cosine {metrics['mixture_cosine']:.2f} ± {mixtures['own senses'].std():.2f}")
print(f"weight of the rarer sense: β / α = {start:.2f} − {-decade:.2f} lg r; share of the weights: slope {slope:.2f}")
mixtures.round(3)

# %% [markdown]
# Two senses explain nearly the whole vector, as in the post; a stranger's do not.
#
# Do the weights follow the frequencies? Here $\alpha$, the more frequent sense's weight, is mostly below 1 and grows with $r$, so compare $\beta / \alpha$ with two rules:
#
# | the rarer sense is $r$ times rarer | 1 | 2 | 4 | 8 | 10 |
# |---|---|---|---|---|---|
# | the post, $1 - 0.5 \lg r$ | 1 | 0.85 | 0.70 | 0.55 | 0.50 |
# | a plain average of occurrences, $1 / r$ | 1 | 0.50 | 0.25 | 0.13 | 0.10 |

# %% [markdown]
# It falls with $\lg r$, by `rare_weight_per_decade` for each factor of ten. Most words lie between the rules. (At these few ratios a power of $r$ would fit about as well.)

# %% [markdown]
# The same by shares, of occurrences and of weights: the line's slope is 0 if weights do not follow, 1 for a plain average. `weight_slope` lies between: a rare sense keeps more than its share. (In part because rarer words get shorter vectors.)

# %% [markdown]
# ## 4. A vector for each occurrence
#
# What tells the sense are the words around:
#
# ```
#  window 2        a   b   c   눈  d   e   f
#                      └───┴───────┴───┘
#                      the weighted mean of b, c, d and e
# ```

# %% [markdown]
# Schütze's **context vector** is the sum of the neighbours' vectors, weighed by how rare they are; we divide by the sum of the weights. His window holds 50 words.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Two slices of `ids`, before and after the position. A negative start would count from the end: use `max(0, position - window)`.
#
# </details>
# <details><summary>Hint for the mean</summary>
#
# `weights[around] @ vectors[around]` is the weighted sum, (d,). If the weights sum to 0, return zeros.
#
# </details>


# %% exercise="context_vector"
def context_vector(vectors, weights, ids, position, window):
    """The weighted mean of the vectors of the words around one position, without the word at that
    position itself.

    vectors (V, d); weights (V,), one for each word of the vocabulary, not negative; ids: list of
    the N word ids of a text; position from 0 to N − 1; window: words on each side, 0 or more, cut off at the
    edges of the text.
    Returns (d,); zeros if there is no neighbour or all weigh nothing. After Schütze 1998, context
    vectors.
    """
    ### BEGIN SOLUTION
    around = ids[max(0, position - window) : position] + ids[position + 1 : position + window + 1]
    total = weights[around].sum()
    if total == 0:
        return torch.zeros(vectors.shape[1])
    return weights[around] @ vectors[around] / total  # (d,)
    ### END SOLUTION


# %%
check("context_vector")

# %% [markdown]
# The weight of a word is its **inverse document frequency** $\log(N / n_i)$, where $n_i$ of $N$ documents hold it. A word of every document weighs nothing.
#
# As planted noise, some homonyms stand in documents about something else; no reader could tell their sense. So we look at documents **on one of the word's two topics**.


# %%
class Occurrences(NamedTuple):
    """Of one word: the contexts (N, d), the senses (N,) as 0 or 1, the numbers of their documents (N,)."""

    contexts: torch.Tensor
    senses: torch.Tensor
    documents: torch.Tensor


index = {language: {word: i for i, word in enumerate(model.words)} for language, model in static.items()}
idf, places = {}, {}  # language → a weight for each word (V,); language → homonym or ordinary thing → where it stands
for language, found in documents.items():
    texts = [[pair for words in text for pair in words] for _, text in found]
    spread = Counter(token for text in texts for token in {token for token, _ in text})
    idf[language] = torch.tensor([math.log(len(texts) / spread[word]) for word in static[language].words])
    places[language] = {}
    for number, text in enumerate(texts):
        ids = [index[language][token] for token, _ in text]
        for position, (token, topic) in enumerate(text):
            if token in homonyms[language] or token in ordinary[language]:
                places[language].setdefault(token, []).append((number, ids, position, topic))


def occurrences(language, word, topics):
    """The occurrences of a word with one of the topics, in documents on one of the topics."""
    model, rows = static[language], []
    for number, ids, position, topic in places[language][word]:
        if topic in topics and documents[language][number][0] in topics:
            rows.append((context_vector(model.vectors, idf[language], ids, position, 25), topics.index(topic), number))
    contexts, senses, numbers = zip(*rows)
    return Occurrences(torch.stack(contexts), torch.tensor(senses), torch.tensor(numbers))


seen = {
    (language, word): occurrences(language, word, topics)
    for language, names in homonyms.items()
    for word, topics in names.items()
}


def gap(found):
    """Mean cosine distance of two contexts of different senses, minus that of two contexts of one sense."""
    unit = normalize(found.contexts, dim=1)  # (N, d)
    distance = 1 - unit @ unit.T  # (N, N)
    same = found.senses[:, None] == found.senses[None, :]
    return float(distance[~same].mean() - distance[same & ~torch.eye(len(unit), dtype=torch.bool)].mean())


metrics["contextual_gap"] = mean(gap(found) for found in seen.values())
print(f"contexts of different senses are further apart by {metrics['contextual_gap']:.3f} (static vectors: by 0)")

# %% [markdown]
# ## 5. Grouping occurrences
#
# Real texts have no senses written on them. **k-means** groups points without them. Start with k centroids; then, again and again:
#
# 1. label each point with the nearest centroid;
# 2. move each centroid to the mean of its points.

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `points[:, None, :] - centroids[None, :, :]` is (N, K, d): square, sum over d, `argmin` over K. `argmin` takes the first of equals.
#
# </details>
# <details><summary>Hint for the inputs</summary>
#
# Work on `centroids.clone()`. The mean of no points is nan, so move only centroids that have points.
#
# </details>


# %% exercise="kmeans"
def kmeans(points, centroids, steps=50):
    """`steps` rounds of k-means: label every point, then move every centroid.

    points (N, d); centroids (K, d), where to start; steps: at least 1. A point's label is the
    number of the nearest centroid (Euclidean distance; of equally near ones the first). A
    centroid without points stays where it is.
    Returns (centroids: tensor (K, d) after the last move, labels: int64 tensor (N,) of the last
    round). The inputs stay as they are. Lloyd 1982.
    """
    ### BEGIN SOLUTION
    centroids = centroids.clone()
    for _ in range(steps):
        labels = (points[:, None, :] - centroids[None, :, :]).square().sum(dim=2).argmin(dim=1)  # (N,)
        for k in range(len(centroids)):
            if (labels == k).any():
                centroids[k] = points[labels == k].mean(dim=0)
    return centroids, labels
    ### END SOLUTION


# %%
check("kmeans")

# %% [markdown]
# Give each group the sense that most of its members have. **Purity** is the share of occurrences that then have the right one:
#
# ```
#  group 0:  snow snow snow eye     3 of 4 right
#  group 1:  eye eye snow           2 of 3 right      purity 5 / 7 = 0.71
# ```

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Collect the senses of each group in a dictionary of lists; `int(label)` makes numbers of a tensor's elements. Of each group only the largest count matters.
#
# </details>


# %% exercise="purity"
def purity(labels, senses):
    """The share of items whose sense is the most frequent one of their group.

    labels: N group numbers; senses: the N senses (lists or tensors of whole numbers, N at least 1).
    Returns a float between 0 and 1. Manning, Raghavan and Schütze 2008, section 16.3.
    """
    ### BEGIN SOLUTION
    groups = {}
    for label, sense in zip(labels, senses):
        groups.setdefault(int(label), []).append(int(sense))
    return sum(max(Counter(group).values()) for group in groups.values()) / len(labels)
    ### END SOLUTION


# %%
check("purity")

# %% [markdown]
# Two groups are always at least half right. So words of one sense are the control: a coin tossed for each document gives them two "senses".


# %%
def cluster(contexts, starts=5):
    """The labels (N,) of the best of five k-means with two groups: the least squared distance."""
    generator = torch.Generator().manual_seed(seed)
    points = normalize(contexts, dim=1)  # (N, d)
    best, least = None, math.inf
    for _ in range(starts):
        centroids, labels = kmeans(points, points[torch.randperm(len(points), generator=generator)[:2]], steps=20)
        inside = float((points - centroids[labels]).square().sum())
        if inside < least:
            best, least = labels, inside
    return best


def tossed(found):
    """A sense (N,) for each occurrence, by tossing a coin for each document."""
    coins = torch.randint(0, 2, (int(found.documents.max()) + 1,), generator=torch.Generator().manual_seed(seed))
    return coins[found.documents]


clusters = {key: cluster(found.contexts) for key, found in seen.items()}
pure = mean(purity(clusters[key], found.senses) for key, found in seen.items())
single = [
    occurrences(language, word, (topic,))
    for language in ordinary
    for word, topic in list(ordinary[language].items())[::6]
]
pure_tossed = mean(purity(cluster(found.contexts), tossed(found)) for found in single)
metrics["purity_senses"] = pure
metrics["purity_minus_tossed"] = pure - pure_tossed
print(f"purity: homonyms {pure:.3f}, words of one sense with tossed ones {pure_tossed:.3f}")

# %% [markdown]
# ## 6. Choosing a sense in a sentence
#
# If senses *are* written on some occurrences, a sense's centroid is the mean of its contexts. A new occurrence gets the nearest by cosine: a very small **contextual** model.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `contexts[senses == k].mean(dim=0)` is the centroid of sense k. With all rows normalised, a matrix product gives the cosines (M, K).
#
# </details>


# %% exercise="choose_senses"
def choose_senses(contexts, senses, new):
    """For each new context the sense whose centroid is nearest by cosine.

    contexts (N, d) float tensor with their senses, (N,) int64, in which each of 0 … K − 1 occurs;
    new (M, d) float tensor, M at least 0. The centroid of a sense is the mean of its
    contexts. Returns an int64 tensor (M,). After Schütze 1998, sense vectors.
    """
    ### BEGIN SOLUTION
    count = int(senses.max()) + 1
    centroids = torch.stack([contexts[senses == k].mean(dim=0) for k in range(count)])  # (K, d)
    return (normalize(new, dim=1) @ normalize(centroids, dim=1).T).argmax(dim=1)  # (M,)
    ### END SOLUTION


# %%
check("choose_senses")

# %% [markdown]
# Every second document is for learning, the others for testing. Two controls:
#
# - the static vector: one answer for all occurrences, at best the more frequent sense in the test;
# - the same contexts, shuffled among the word's occurrences.

# %%
chosen, right, single_answer, right_shuffled = {}, [], [], []
for key, found in seen.items():
    learning = found.documents % 2 == 0
    senses, truth = found.senses[learning], found.senses[~learning]
    chosen[key] = choose_senses(found.contexts[learning], senses, found.contexts[~learning])
    right.append(mean(chosen[key] == truth))
    single_answer.append(float(truth.bincount().max() / len(truth)))
    mixed = found.contexts[torch.randperm(len(truth) + len(senses), generator=torch.Generator().manual_seed(seed))]
    right_shuffled.append(mean(choose_senses(mixed[learning], senses, mixed[~learning]) == truth))
metrics["sense_accuracy"] = mean(right)
metrics["accuracy_minus_static"] = mean(right) - mean(single_answer)
metrics["accuracy_minus_shuffled"] = mean(right) - mean(right_shuffled)
for name, shares in {"context": right, "static": single_answer, "shuffled contexts": right_shuffled}.items():
    print(f"{name}: the right sense for {mean(shares):.3f}")

# %% [markdown]
# ## 7. What it still cannot do
#
# A context vector is a bag: the order of neighbours does not count.
#
# In 눈이 눈에 들어갔다 (*snow got into the eye*) both senses stand in one text. If the window holds it whole, both have the same bag and the same answer: one is wrong.

# %%
both, where = snow + eye, (snow.index("눈"), len(snow) + eye.index("눈"))
ids = [index["ko"][token] for token in both]
bags = torch.stack([context_vector(static["ko"].vectors, idf["ko"], ids, place, len(both)) for place in where])
print(" ".join(both), f"distance of the two contexts: {float((bags[0] - bags[1]).norm()):.6f}", sep="\n")

# %% [markdown]
# ## Results

# %% tags=["metrics"]
record(metrics, clusters=torch.cat(list(clusters.values())), chosen=torch.cat(list(chosen.values())))

# %%
figure, ((contexts, answers), (ratios, shares)) = plt.subplots(2, 2, figsize=(12, 9), layout="constrained")
found = seen["ko", "눈"]
points = plots.plane(normalize(found.contexts, dim=1))
for sense, (topic, meaning) in enumerate(zip(homonyms["ko"]["눈"], ["snow", "eye"])):
    contexts.plot(*points[found.senses == sense].T, "os"[sense], alpha=0.6, label=f"눈 in {topic} ({meaning})")
contexts.set(title="The contexts of 눈 form two groups")
contexts.set(xlabel="first principal direction", ylabel="second principal direction")
contexts.legend()
r = np.geomspace(1, mixtures["r"].max())
ratios.semilogx(mixtures["r"], mixtures["β / α"], "o", label="homonyms")
ratios.semilogx(r, start + decade * np.log10(r), label=f"fitted: {start:.2f} − {-decade:.2f} lg r")
ratios.semilogx(r, 1 - 0.5 * np.log10(r), ":", label="Arora et al.: 1 − 0.5 lg r")
ratios.semilogx(r, 1 / r, "--", color="#999999", label="1 / r: an average of occurrences")
ratios.set(
    xlabel="r: how many times rarer the rarer sense is",
    ylabel="its weight for 1 of the other's, β / α",
    title="A rarer sense weighs less, but more than 1 / r",
)
ratios.legend()
shares.plot(mixtures["share of sense 1"], mixtures["its share of the weights"], "o", label="homonyms")
ends = np.array([0, 1])
shares.plot(ends, ends, "--", color="#999999", label="slope 1: an average of occurrences")
shares.plot(ends, offset + slope * ends, label=f"fitted slope {slope:.2f}")
shares.set(
    xlabel="share of the occurrences that have sense 1",
    ylabel="share of the weights that sense 1 has",
    title=f"A rare sense keeps more than its share (slope {slope:.2f})",
)
shares.legend()
plots.bars(
    answers,
    {
        "centroids of senses": mean(right),
        "k-means": pure,
        "static vector, at best": mean(single_answer),
        "centroids, contexts shuffled": mean(right_shuffled),
        "k-means, senses tossed": pure_tossed,
    },
    label="share of occurrences with the right sense",
    title="Only the context tells the sense",
)
plt.show()

# %% [markdown]
# **What was found**, in the runs behind the expected values:
#
# - A homonym's neighbours are more mixed in topic than an ordinary noun's.
# - Its vector is nearly a weighted sum of its own senses (cosine 0.97, as in the post), not of a stranger's.
# - A rarer sense weighs less, but more than its share.
# - Contexts tell nearly every occurrence's sense; the controls do far worse.
# - In the world the sense nearly always goes with the document's topic: easier than real text.

# %% [markdown]
# ## In your own words
#
# **1.** The vector of 눈 is nearly $\alpha\, v_{snow} + \beta\, v_{eye}$. If the two senses can be rebuilt from the vector, why is one vector not enough?

# %% [markdown] answer="why_one_vector_is_not_enough" points=2
# ### BEGIN SOLUTION
# The sum holds both senses at once and is the same in every sentence, so it cannot say which one is meant here: whatever reads it gets snow and eye in
# the same proportion each time, and similarity to either is weakened by the other. The choice depends on the sentence, and the sentence is not in the
# table. (Besides, rebuilding needs the sense vectors, or something like Arora's atoms, which the table alone does not name.)
# ### END SOLUTION

# %% [markdown]
# **2.** The context vector fails when both senses stand in a text. What would a model need that the bag lacks?

# %% [markdown] answer="beyond_the_bag" points=2
# ### BEGIN SOLUTION
# It would have to weigh each neighbour by its place and by its relation to this occurrence (which verb governs it, which particle stands on it), so
# that two occurrences in one text can attend to different words, or differently to the same words. A mean gives each neighbour the same say for
# every position. Recurrent and attention models compute a vector for each position from the ordered sentence; week 4 builds them.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Arora 2016, [Linear algebraic structure of word meanings](http://www.offconvex.org/2016/07/10/embeddingspolysemy/): the post, and how senses are found unwritten.
# - Reisinger and Mooney 2010, [Multi-Prototype Vector-Space Models of Word Meaning](https://aclanthology.org/N10-1013): several vectors for a word.
# - Peters et al. 2018, [Deep contextualized word representations](https://arxiv.org/abs/1802.05365) (ELMo). (TagLM, of 2017 and with the same first author, came before it and is sometimes cited as ELMo.)
# - Ethayarajh 2019, [How Contextual are Contextualized Word Representations?](https://aclanthology.org/D19-1006): how far such vectors move.
