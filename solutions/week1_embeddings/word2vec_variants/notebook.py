# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # word2vec's variants: what each choice costs and gains
#
# **The papers.** Mikolov, Chen, Corrado and Dean, [Efficient Estimation of Word Representations in Vector Space](https://arxiv.org/abs/1301.3781) (2013), has two models, skip-gram and CBOW; Mikolov et al., [Distributed Representations of Words and Phrases](https://arxiv.org/abs/1310.4546) (NIPS 2013), makes them cheap.

# %% [markdown]
# You have written skip-gram with negative sampling. What is said of the choices:
#
# | choice | what is said |
# |---|---|
# | CBOW | trains **faster**; a little better on **frequent** words |
# | skip-gram | better on **rare** words and with **less data** |
# | **full softmax** | costs as many dot products as there are words, negative sampling a few |
# | **subsampling** | makes training shorter and the vectors of rare words better |
# | negatives | 5 to 20 on small data, 2 to 5 on large (NIPS paper, section 2.2) |

# %% [markdown]
# **What you will write** (about 2 hours):
#
# | | piece |
# |---|---|
# | 1 | CBOW: its examples, its hidden vector, its gradient |
# | 2 | the full softmax: its loss, its gradient, its price |
# | 3 | subsampling |
#
# Then each line above is put to the test, with a control. None is a law.

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: about a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
import time
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch.nn.functional import normalize, pad

import etude
from etude import check, plots, record
from etude.embeddings import evaluate, sgns
from etude.world import World, shuffled

run = etude.start("week1_embeddings/word2vec_variants", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. CBOW
#
# Skip-gram guesses each neighbour from the centre. **CBOW** (continuous bag of words) guesses the centre from all its neighbours at once. In 하루 커피 최소 3잔은 마셔야 살 수 있다, window 2, skip-gram has 26 pairs and CBOW 8 examples, such as {커피, 최소, 마셔야, 살} → 3잔은.

# %% [markdown]
# The window counts words on **one** side. (Some texts call all 5 words the window.) Places outside the sentence hold −1, which is no word:
#
# ```
#  ids 7 3 9 4 2, of sentences 0 0 0 1 1; window 2
#
#               before       after
#  word 7:     -1   -1  |   3    9
#  word 3:     -1    7  |   9   -1        4 is in the next sentence
#  word 9:      7    3  |  -1   -1
#  word 4:     -1   -1  |   2   -1
#  word 2:     -1    4  |  -1   -1
# ```

# %% [markdown]
# *25 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Think in columns: the column of offset o holds the id o places further on, from −window to window without 0.
#
# </details>
# <details><summary>Hint for the offsets</summary>
#
# `places = torch.arange(N)[:, None] + offsets` is (N, 2 · window). Which of these places lie inside the text, and in the word's own sentence?
#
# </details>
# <details><summary>Hint for empty places</summary>
#
# Clamp the places into the text before you index, then `torch.where(inside, …, -1)`.
#
# </details>


# %% exercise="cbow_contexts"
def cbow_contexts(ids, sentences, window):
    """The context ids of every word of a text, in the order in which they stand; −1 where a
    sentence has no word.

    ids (N,) int64, the words of all sentences one after the other, N at least 1; sentences (N,)
    int64, the number of the sentence (0, 1, ...) that each word comes from (some numbers may be
    missing: subsampling can leave a sentence empty); window: words on one side, at least 1.
    Returns (N, 2 * window) int64: columns 0 to window − 1 lie before the word, the others after it.
    Mikolov et al. 2013 (Efficient Estimation), section 3.1.
    """
    ### BEGIN SOLUTION
    span = 2 * window + 1
    words = pad(ids, (window, window)).unfold(0, span, 1)  # (N, span)
    home = pad(sentences, (window, window), value=-1).unfold(0, span, 1)  # (N, span)
    words = torch.where(home == sentences[:, None], words, -1)
    return torch.cat([words[:, :window], words[:, window + 1 :]], dim=1)  # (N, 2 * window)
    ### END SOLUTION


# %%
check("cbow_contexts")

# %% [markdown]
# CBOW's **hidden vector** is the mean of the context vectors: $h = \frac{1}{C} \sum_{c} v_c$, where $C$ counts the real words. Keep −1 out: it is also Python's name for the *last* row of a table.

# %% [markdown]
# A mean does not know the order: that is the *bag* in the name. Skip-gram's pairs do not tell the distance either.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `contexts >= 0` marks the real words. As a mask of shape (B, C, 1) it multiplies the looked-up vectors (B, C, d), and sets the others to 0.
#
# </details>


# %% exercise="cbow_hidden"
def cbow_hidden(vectors, contexts):
    """The mean of the context vectors of each example; places that hold −1 do not count.

    vectors (V, d) float; contexts (B, C) int64 with at least one word in each row. A word that
    stands there twice counts twice.
    Returns (B, d), of the vectors' dtype. Mikolov et al. 2013 (Efficient Estimation), section 3.1.
    """
    ### BEGIN SOLUTION
    real = (contexts >= 0)[:, :, None]  # (B, C, 1)
    return (vectors[contexts.clamp(min=0)] * real).sum(dim=1) / real.sum(dim=1)  # (B, d)
    ### END SOLUTION


# %%
check("cbow_hidden")

# %% [markdown]
# **The loss** is that of SGNS, with $h$ in place of the centre vector. The centre word is the real partner, $k$ words are noise. You know $g = \partial \ell / \partial h$; new is the step back to the words.

# %% [markdown]
# An example has the contexts 3, 7 and 3. Derive $\partial \ell / \partial v_3$ and $\partial \ell / \partial v_7$ from $g$ on paper before you open this.
#
# <details><summary>The derivation</summary>
#
# $h = \frac{1}{3} (v_3 + v_7 + v_3)$, so by the chain rule:
#
# ```
#  contexts 3 7 3, so C = 3
#
#  v3 ─┐                                  ┌─→ v3: g/3 ─┐
#  v7 ─┼─ mean ─→ h ─→ loss ─→ g = ∂ℓ/∂h ─┼─→ v7: g/3  ├─ v3 gets 2g/3, the sum of its shares
#  v3 ─┘                                  └─→ v3: g/3 ─┘
# ```
#
# </details>

# %% [markdown]
# The authors' program forgets the $\frac{1}{C}$ of the mean here. Irsoy, Benton and Stratos ([2021](https://arxiv.org/abs/2012.15332)) argue that some of CBOW's bad name comes from that.
#
# *20 minutes, hard.*
#
# <details><summary>Hint</summary>
#
# Make a list of all (word, share) that there are: `contexts[real]` has the words, row by row, so an example's share must be there once for each of its words.
#
# </details>
# <details><summary>Hint for the sum</summary>
#
# `table[ids] += shares` keeps one share of each word. `index_add(0, ids, shares)` on a table of zeros adds them all.
#
# </details>


# %% exercise="cbow_gradient"
def cbow_gradient(contexts, d_hidden, size):
    """The gradient of all word vectors, when `cbow_hidden` made the hidden vectors.

    contexts (B, C) int64, −1 where there is no word, at least one word in each row; d_hidden (B, d)
    float, the loss's gradient with respect to the hidden vectors; size: V, the number of words.
    Returns (V, d) float, zero for words that are in no context.
    """
    ### BEGIN SOLUTION
    real = contexts >= 0  # (B, C)
    count = real.sum(dim=1)  # (B,)
    shares = (d_hidden / count[:, None]).repeat_interleave(count, dim=0)  # (words in all contexts, d)
    return d_hidden.new_zeros(size, d_hidden.shape[1]).index_add(0, contexts[real], shares)  # (V, d)
    ### END SOLUTION


# %%
check("cbow_gradient")

# %% [markdown]
# ## 2. The full softmax
#
# Negative sampling stands in for a model that gives every word $w$ a probability (NIPS paper, eq. 2). The model's loss is $-\log p$ of the word that is really there:
#
# $$ p(w \mid h) = \frac{\exp(u_w \cdot h)}{\sum_{w'=1}^{V} \exp(u_{w'} \cdot h)} $$

# %% [markdown]
# One example gives **one** distribution, however many contexts went into $h$: with 10,000 words the scores of an example are 10,000 numbers, not a table of 10,000 × 4. word2vec has no bias.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# −log p of the target is the `logsumexp` of its row of scores minus the target's own score. `exp` of a large score is infinite; `logsumexp` is not.
#
# </details>


# %% exercise="softmax_loss"
def softmax_loss(hidden, outputs, targets):
    """Mean over the batch of −log p(target), with a softmax over all words and no bias.

    hidden (B, d), outputs (V, d) float: one output vector for each word; targets (B,) int64.
    Returns a scalar tensor; finite for large scores too. Mikolov et al. 2013 (NIPS), eq. 2.
    """
    ### BEGIN SOLUTION
    scores = hidden @ outputs.T  # (B, V)
    return (scores.logsumexp(dim=1) - scores[torch.arange(len(targets)), targets]).mean()
    ### END SOLUTION


# %%
check("softmax_loss")

# %% [markdown]
# Derive on paper, before you open this, the derivative of the target's $-\log p$ by each of the $V$ scores. How many output vectors move at a step?
#
# <details><summary>The derivation</summary>
#
# $-\log p(t) = \log \sum_w e^{s_w} - s_t$. Its derivative by $s_w$ is $e^{s_w} / \sum_{w'} e^{s_{w'}}$, which is $p(w)$, less 1 if $w$ is the target: in short $p - y$, where $y$ is 1 at the target and 0 elsewhere.
#
# So **every** output vector moves at every step; with negative sampling only $k + 1$.
#
# </details>

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# The error p − y is (B, V): a softmax with 1 taken off at each row's target. Divide by B, as the loss is a mean.
#
# </details>
# <details><summary>Hint for the two gradients</summary>
#
# The scores are `hidden @ outputs.T`. Each gradient is a product of the error and the other matrix; the shapes leave one way.
#
# </details>


# %% exercise="softmax_gradients"
def softmax_gradients(hidden, outputs, targets):
    """Gradients of `softmax_loss` (the mean over the batch), by both matrices.

    hidden (B, d), outputs (V, d) float, targets (B,) int64. Returns a tuple (d_hidden (B, d),
    d_outputs (V, d)).
    """
    ### BEGIN SOLUTION
    error = (hidden @ outputs.T).softmax(dim=1)  # (B, V)
    error[torch.arange(len(targets)), targets] -= 1
    error /= len(targets)
    return error @ outputs, error.T @ hidden
    ### END SOLUTION


# %%
check("softmax_gradients")

# %% [markdown]
# What does it cost? Count the weights, and the multiplications for the *scores* of one example, given $h$. Each word has an input and an output vector: with 10,000 words of 300 numbers 300 × 10,000 × 2, six million weights.

# %% [markdown]
# (A third way, the **hierarchical softmax**, makes about $\log_2 V$ yes-or-no decisions down a Huffman tree.)
#
# *5 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# A dot product of two vectors of d numbers takes d multiplications. How many dot products does each model need?
#
# </details>


# %% exercise="costs"
def costs(vocabulary, dim, negatives):
    """What a model costs, in whole numbers: (weights, multiplications of the full softmax,
    multiplications of negative sampling).

    vocabulary: V words; dim: d numbers in a vector; negatives: k. Weights of input and output
    vectors, no bias; multiplications for the scores of one example, the target's among them.
    Returns a tuple of three ints.
    """
    ### BEGIN SOLUTION
    return 2 * vocabulary * dim, vocabulary * dim, (negatives + 1) * dim
    ### END SOLUTION


# %%
check("costs")

# %% [markdown]
# ## 3. Subsampling
#
# An occurrence of a word whose share of the text is $f$ is dropped with probability $1 - \sqrt{t/f}$ (eq. 5), **before** windows are laid. (The authors' program keeps a little more, $\sqrt{t/f} + t/f$.)

# %% [markdown]
# To make the draw repeatable, the random numbers come from outside.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# First √(t / f) for each word, (V,). Indexed with `ids` it is there for each occurrence, (N,). No clamp is needed: every random number is below 1.
#
# </details>


# %% exercise="subsample"
def subsample(ids, counts, t, uniform):
    """Which words of a text are kept: an occurrence stays if its random number is below sqrt(t / f).

    ids (N,) int64, perhaps none; counts (V,) int64, how often each word occurs in the whole corpus, at least
    once; f is a word's share of all counts;
    t: the threshold, at least 0, for example 1e-3; uniform (N,) float, one number from [0, 1) for each
    occurrence. Where float32 and float64 decide differently, either will do.
    Returns a bool tensor (N,). Mikolov et al. 2013 (NIPS), eq. 5.
    """
    ### BEGIN SOLUTION
    share = counts / counts.sum()  # (V,)
    return uniform < (t / share).sqrt()[ids]  # (N,)
    ### END SOLUTION


# %%
check("subsample")

# %% [markdown]
# ## The experiments
#
# ### One loop for all
#
# Skip-gram is CBOW with a single context: a mean of one vector. So one loop trains both, with the same batch, negatives and rate: with Adagrad one rate does for both.

# %%
size = {
    "smoke": {"tokens": 36_000, "epochs": 5, "dim": 32, "batch": 1024, "little": 9_000, "steps": 300},
    "cpu": {"tokens": 90_000, "epochs": 4, "dim": 64, "batch": 1024, "little": 15_000, "steps": 800},
    "gpu": {"tokens": 2_000_000, "epochs": 5, "dim": 100, "batch": 4096, "little": 20_000, "steps": 4_000},
}[profile]
WINDOW, NEGATIVES, T, RATE = 4, 5, 1e-2, 0.3


# %%
def negative_gradients(hidden, outputs, candidates):
    """Gradients of the SGNS loss; candidates (B, k + 1) ids, the target first.

    Returns (B, d) and (B, k + 1, d).
    """
    rows = outputs[candidates]  # (B, k + 1, d)
    error = torch.bmm(rows, hidden[:, :, None])[:, :, 0].sigmoid()  # (B, k + 1)
    error[:, 0] -= 1
    error = error / len(hidden)
    return torch.bmm(error[:, None], rows)[:, 0], error[:, :, None] * hidden[:, None]


def adagrad(table, squares, gradient, rate):
    """One step of Adagrad, in place: each number has a rate of its own, the smaller the more it has moved."""
    squares += gradient**2
    table -= rate * gradient / (squares.sqrt() + 1e-10)


def learn(contexts, targets, counts, steps, negatives=NEGATIVES):
    """(input vectors (V, dim) on the CPU, seconds of one step):
    with the full softmax where `negatives` is None."""
    place, total, batch = run.device, len(targets), size["batch"]
    generator = torch.Generator(place).manual_seed(seed)
    contexts, targets = contexts.to(place), targets.to(place)
    inputs = (  # (V, d)
        torch.rand(len(counts), size["dim"], generator=generator, device=place) * 2 - 1
    ) / size["dim"]
    outputs, squares_in, squares_out = (
        torch.zeros_like(inputs),
        torch.zeros_like(inputs),
        torch.zeros_like(inputs),
    )
    noise = (counts.double() ** 0.75).cumsum(0)
    noise = (noise / noise[-1]).float().to(place)  # (V,) cumulative
    at, started = total, time.perf_counter()
    for step in range(steps):
        if at >= total:  # a new epoch, in a new order
            order, at = torch.randperm(total, generator=generator, device=place), 0
        rows, at = order[at : at + batch], at + batch
        hidden, target = cbow_hidden(inputs, contexts[rows]), targets[rows]
        if negatives is None:
            d_hidden, d_outputs = softmax_gradients(hidden, outputs, target)
        else:
            drawn = torch.rand(len(rows), negatives, generator=generator, device=place)
            drawn = torch.searchsorted(noise, drawn).clamp(max=len(counts) - 1)
            candidates = torch.cat([target[:, None], drawn], dim=1)  # (B, k + 1)
            d_hidden, d_rows = negative_gradients(hidden, outputs, candidates)
            d_outputs = torch.zeros_like(outputs)
            d_outputs.scatter_add_(0, candidates.view(-1, 1).expand(-1, outputs.shape[1]), d_rows.flatten(0, 1))
        d_inputs = cbow_gradient(contexts[rows], d_hidden, len(inputs))
        rate = RATE * (1 - step / steps)
        adagrad(inputs, squares_in, d_inputs, rate)
        adagrad(outputs, squares_out, d_outputs, rate)
    inputs = inputs.cpu()
    return inputs, (time.perf_counter() - started) / max(1, steps)


# %% [markdown]
# ### A text with twins
#
# Who is good on rare words? **Twins** are words whose meaning is certain. Half of the occurrences of each of the 60 most frequent words are renamed (*near* becomes *near~*), and five of each of 120 rarer words.

# %% [markdown]
# ```
#  before   … the chef roasts …    … a chef tastes …
#  after    … the chef~ roasts …   … a chef tastes …
#
#  nearest to chef~:   1. cook   2. chef   3. …       chef has rank 2: 1/2
# ```
#
# A twin's nearest neighbour should be its original. The score is the mean of 1/rank.

# %%
FREQUENT, RARE, OCCURRENCES = 60, 120, 5


def with_twins(corpus):
    """(the corpus with twins, the frequent originals, the rare originals)."""
    draw = np.random.default_rng(seed)
    tally = Counter(token for sentence in corpus for token in sentence)
    ranked = [word for word, _ in tally.most_common()]
    pool = [word for word in ranked[100:] if tally[word] >= 3 * OCCURRENCES]
    often, seldom = ranked[:FREQUENT], [pool[i] for i in draw.permutation(len(pool))[:RARE]]
    renamed = {word: set(draw.permutation(tally[word])[: tally[word] // 2].tolist()) for word in often}
    renamed |= {word: set(draw.permutation(tally[word])[:OCCURRENCES].tolist()) for word in seldom}
    seen, result = Counter(), []
    for sentence in corpus:
        tokens = []
        for word in sentence:
            tokens.append(f"{word}~" if seen[word] in renamed.get(word, ()) else word)
            seen[word] += 1
        result.append(tokens)
    return result, often, seldom


def twins_found(vectors, words, originals):
    """Mean of 1/rank of each original among the neighbours of its twin."""
    index = {word: i for i, word in enumerate(words)}
    unit = normalize(vectors, dim=1)  # (V, d)
    twin, original = (torch.tensor([index[word + mark] for word in originals]) for mark in ("~", ""))
    cosine = unit[twin] @ unit.T  # (P, V)
    cosine[torch.arange(len(twin)), twin] = -2  # nobody is his own neighbour
    rank = 1 + (cosine > cosine[torch.arange(len(twin)), original][:, None]).sum(dim=1)  # (P,)
    return float((1 / rank).mean())


def examples(corpus, t=T):
    """({"skip-gram": (contexts, targets), "CBOW": (contexts,
    targets)}, counts (V,), words, share of words kept)."""
    vocabulary = sgns.Vocabulary.build(corpus, min_count=1)
    ids, sentences = vocabulary.encode(corpus)  # (N,), (N,)
    uniform = torch.rand(len(ids), generator=torch.Generator().manual_seed(seed))
    kept = subsample(ids, vocabulary.counts, t, uniform)
    ids, sentences = ids[kept], sentences[kept]
    contexts = cbow_contexts(ids, sentences, WINDOW)  # (N, 2 * window)
    real = contexts >= 0
    pairs = ids[:, None].expand_as(contexts)[real][:, None], contexts[real]  # (P, 1), (P,)
    some = real.any(dim=1)  # a sentence of one word has no example
    made = {"skip-gram": pairs, "CBOW": (contexts[some], ids[some])}
    return made, vocabulary.counts, vocabulary.words, float(kept.float().mean())


world = World("en", seed=seed)
planted = [q for relation, asked in world.analogies("word").items() if relation != "control" for q in asked]
corpus, often, seldom = with_twins(world.corpus(size["tokens"]))
made, counts, words, kept = examples(corpus)
print(
    f"{len(words)} words; "
    f"skip-gram pairs {len(made['skip-gram'][1]):,}, CBOW examples {len(made['CBOW'][1]):,}"
)


def judged(vectors, words):
    """What we want of vectors: planted analogies answered, rare and frequent twins found."""
    return {
        "analogies": evaluate.analogies(vectors, words, planted).value,
        "rare twins": twins_found(vectors, words, seldom),
        "frequent twins": twins_found(vectors, words, often),
    }


# %% [markdown]
# ### Skip-gram against CBOW
#
# An epoch of skip-gram has five to six times as many examples. Look at both comparisons:
#
# | equal | text read | updates |
# |---|---|---|
# | **epochs** | as often | skip-gram has more |
# | **steps** | CBOW more often | as many |

# %%
epoch = {name: -(-len(targets) // size["batch"]) for name, (_, targets) in made.items()}  # steps in one
many, few = size["epochs"] * epoch["skip-gram"], size["epochs"] * epoch["CBOW"]
runs, seconds = {}, {}
runs["skip-gram"], seconds["skip-gram"] = learn(*made["skip-gram"], counts, many)
runs["CBOW, equal epochs"], seconds["CBOW"] = learn(*made["CBOW"], counts, few)
runs["CBOW, equal steps"], _ = learn(*made["CBOW"], counts, many)
scores = {name: judged(vectors, words) for name, vectors in runs.items()}
made_shuffled, counts_shuffled, words_shuffled, _ = examples(shuffled(corpus, seed))
vectors_shuffled, _ = learn(*made_shuffled["CBOW"], counts_shuffled, few)
scores["CBOW, shuffled text"] = judged(vectors_shuffled, words_shuffled)
cbow_seconds_ratio = seconds["CBOW"] * epoch["CBOW"] / (seconds["skip-gram"] * epoch["skip-gram"])
print(f"seconds per epoch: CBOW takes {cbow_seconds_ratio:.2f} of skip-gram's")
pd.DataFrame(scores).T.round(3)

# %% [markdown]
# **Less data**: the same on a short text. Too few of its words are frequent enough for twins, so the measure is Spearman's ρ with the planted similarities.

# %%
made_little, counts_little, words_little, _ = examples(world.corpus(size["little"]))
# of skip-gram's steps that CBOW makes in an epoch
share = len(made_little["CBOW"][1]) / len(made_little["skip-gram"][1])
likeness = {}
for name, model, steps in [
    ("skip-gram", "skip-gram", size["steps"]),
    ("CBOW, equal epochs", "CBOW", round(share * size["steps"])),
    ("CBOW, equal steps", "CBOW", size["steps"]),
]:
    vectors, _ = learn(*made_little[model], counts_little, steps)
    likeness[name] = evaluate.similarity(vectors, words_little, world.similarities()).value
pd.Series(likeness, name=f"ρ, {size['little']:,} words").round(3).to_frame()

# %% [markdown]
# ### The full softmax against negative sampling
#
# First the quality: CBOW, same steps, with `softmax_gradients` in place of five negatives. Then the time of one batch's gradients while the vocabulary grows.

# %%
runs["CBOW, full softmax"], _ = learn(*made["CBOW"], counts, few, negatives=None)
scores["CBOW, full softmax"] = judged(runs["CBOW, full softmax"], words)
pd.DataFrame(scores).T.round(3)

# %%
SIZES = {"smoke": (1_000, 4_000, 16_000)}.get(profile, (1_000, 2_000, 5_000, 10_000, 20_000))


def milliseconds(gradients, *inputs, repeats=7):
    """The median time of gradients(*inputs), read as a number on the CPU, so that a GPU has finished too."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        float(gradients(*inputs)[0].sum())
        times.append(1000 * (time.perf_counter() - started))
    return float(np.median(times))


generator = torch.Generator().manual_seed(seed)
hidden = torch.randn(256, 64, generator=generator).to(run.device)  # (B, d)
spent = {"full softmax": [], "5 negatives": []}
for many_words in SIZES:
    outputs = torch.randn(many_words, 64, generator=generator).to(run.device)  # (V, d)
    drawn = torch.randint(many_words, (256, 6), generator=generator).to(run.device)  # (B, k + 1)
    spent["full softmax"].append(milliseconds(softmax_gradients, hidden, outputs, drawn[:, 0]))
    spent["5 negatives"].append(milliseconds(negative_gradients, hidden, outputs, drawn))
pd.DataFrame(spent, index=pd.Index(SIZES, name="words")).round(2)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
table = pd.DataFrame(scores).T
places = np.arange(len(table.columns))
for i, (name, row) in enumerate(table.iterrows()):
    left.bar(places + (i - 2) * 0.16, row, width=0.16, label=name)
left.set_xticks(places, table.columns)
left.set(ylabel="share answered · mean of 1/rank", ylim=(0, 1.35))
leads = [
    scores["skip-gram"]["rare twins"] - scores[f"CBOW, equal {budget}"]["rare twins"]
    for budget in ("epochs", "steps")
]
left.set_title("Rare twins: skip-gram {:+.2f} at equal epochs, {:+.2f} at equal steps".format(*leads))
left.legend(ncols=2, fontsize=8, loc="upper left")
for name, line in spent.items():
    right.plot(SIZES, line, "o-", label=name)
growth = spent["full softmax"][-1] / spent["5 negatives"][-1]
right.set(xscale="log", yscale="log", xlabel="words in the vocabulary", ylabel="milliseconds for 256 examples")
right.set_title(f"With {SIZES[-1]:,} words the full softmax takes {growth:.0f} times as long")
right.legend()
plt.show()

# %% [markdown]
# ### Subsampling: gain and cost
#
# Skip-gram twice more, at equal epochs: on the whole text ($t = 1$ keeps everything), and with a stricter threshold. Do the rare words profit, as the paper found?

# %%
STRICT, WHOLE = 1e-3, 1
thinned = {
    T: {**scores["skip-gram"], "words kept": kept, "steps": many, "seconds": many * seconds["skip-gram"]}
}
for t in (STRICT, WHOLE):
    ready, tally, names, share = examples(corpus, t)
    steps = size["epochs"] * -(-len(ready["skip-gram"][1]) // size["batch"])
    vectors, each = learn(*ready["skip-gram"], tally, steps)
    thinned[t] = {**judged(vectors, names), "words kept": share, "steps": steps, "seconds": steps * each}
pd.DataFrame(thinned).rename(columns="t = {}".format).round(3)

# %% [markdown]
# ## 4. The numbers to choose
#
# **Negatives.** Skip-gram on a little text and on more, equal steps; the measure is ρ with the planted similarities. (Except on a GPU, the larger text is small for a *large* one.)

# %%
KS = {"smoke": (1, 10)}.get(profile, (1, 2, 5, 10))
texts = {tokens: examples(world.corpus(tokens)) for tokens in (size["little"], size["tokens"])}
by_k = {
    tokens: [
        evaluate.similarity(
            learn(*ready["skip-gram"], tally, size["steps"], k)[0], names, world.similarities()
        ).value
        for k in KS
    ]
    for tokens, (ready, tally, names, _) in texts.items()
}
k_gain = {tokens: line[-1] - line[0] for tokens, line in by_k.items()}

# %% [markdown]
# **Window and dimension**, with the fast path `etude.embeddings.sgns`: planted analogies answered.

# %%
WINDOWS, DIMS = {"smoke": ((1, 4), (8, 32))}.get(profile, ((1, 2, 4, 8), (8, 32, 128)))
settings = {"min_count": 1, "subsample": T, "lr": 0.05, "epochs": 20, "seed": seed, "device": str(run.device)}
text = world.corpus(min(size["tokens"], 45_000))


def answered(window, dim):
    found = sgns.train(text, window=window, dim=dim, progress=False, **settings)
    return evaluate.analogies(found.vectors, found.words, planted).value


grid = torch.tensor([[answered(window, dim) for dim in DIMS] for window in WINDOWS])  # (windows, dims)
by_window, by_dim = grid[:, DIMS.index(32)].tolist(), grid[WINDOWS.index(WINDOW)].tolist()

# %% [markdown]
# All four choices. Compare scores within a setting only: measures and texts differ.

# %%
effects = [
    ("negatives", f"planted similarity, {tokens:,} words", k, score)
    for tokens, line in by_k.items()
    for k, score in zip(KS, line)
]
effects += [("window", "analogies, dimension 32", window, score) for window, score in zip(WINDOWS, by_window)]
effects += [("dimension", f"analogies, window {WINDOW}", dim, score) for dim, score in zip(DIMS, by_dim)]
effects += [("subsampling t", "rare twins", t, thinned[t]["rare twins"]) for t in sorted(thinned)]
table = pd.DataFrame(effects, columns=["setting", "measure", "value", "score"])
table.assign(value=table["value"].map("{:g}".format)).set_index(["setting", "measure", "value"]).round(3)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
for tokens, line in by_k.items():
    left.plot(KS, line, "o-", label=f"{tokens:,} words")
left.set(xlabel="negatives for each pair", ylabel="ρ with planted similarity")
little, more = k_gain[size["little"]], k_gain[size["tokens"]]
left.set_title(f"From {KS[0]} to {KS[-1]} negatives: {little:+.2f} on little text, {more:+.2f} on more")
left.legend()
right.imshow(grid, cmap="cividis", vmin=0, vmax=1, aspect="auto")
for i in range(len(WINDOWS)):
    for j in range(len(DIMS)):
        share = float(grid[i, j])
        right.text(j, i, f"{share:.0%}", ha="center", va="center", color="white" if share < 0.5 else "black")
right.set_xticks(range(len(DIMS)), DIMS)
right.set_yticks(range(len(WINDOWS)), WINDOWS)
best = np.unravel_index(int(grid.argmax()), grid.shape)
right.set(xlabel="numbers in a vector", ylabel="words on one side of the window")
right.set_title(f"Analogies answered: best with window {WINDOWS[best[0]]}, dimension {DIMS[best[1]]}")
plt.show()

# %% [markdown]
# ## Results
#
# Differences are skip-gram minus CBOW, full softmax minus negatives, with subsampling minus without. `equal_steps`: after as many updates; the others: as many epochs. Times are base-2 logarithms of a ratio: −1 is half the time.

# %% [markdown]
# The expected columns tell how far each varies from seed to seed. A smaller effect in a single run says nothing.

# %% tags=["metrics"]
skipgram, cbow, longer = (scores[name] for name in ("skip-gram", "CBOW, equal epochs", "CBOW, equal steps"))
record(
    {
        "analogies_cbow": cbow["analogies"],
        "analogies_softmax": scores["CBOW, full softmax"]["analogies"],
        "cbow_minus_shuffled": cbow["analogies"] - scores["CBOW, shuffled text"]["analogies"],
        "skipgram_minus_cbow_equal_epochs": skipgram["analogies"] - cbow["analogies"],
        "skipgram_minus_cbow_equal_steps": skipgram["analogies"] - longer["analogies"],
        "skipgram_minus_cbow_rare": skipgram["rare twins"] - cbow["rare twins"],
        "skipgram_minus_cbow_rare_equal_steps": skipgram["rare twins"] - longer["rare twins"],
        "skipgram_minus_cbow_frequent": skipgram["frequent twins"] - cbow["frequent twins"],
        "skipgram_minus_cbow_frequent_equal_steps": skipgram["frequent twins"] - longer["frequent twins"],
        "skipgram_minus_cbow_little": likeness["skip-gram"] - likeness["CBOW, equal epochs"],
        "skipgram_minus_cbow_little_equal_steps": likeness["skip-gram"] - likeness["CBOW, equal steps"],
        "rare_twins_shuffled": scores["CBOW, shuffled text"]["rare twins"],
        "cbow_seconds_log2_ratio": math.log2(cbow_seconds_ratio),
        "softmax_minus_negatives": scores["CBOW, full softmax"]["analogies"] - cbow["analogies"],
        "softmax_seconds_log2_ratio": math.log2(growth),
        "subsampling_gain": thinned[T]["rare twins"] - thinned[WHOLE]["rare twins"],
        "subsampling_gain_strict": thinned[STRICT]["rare twins"] - thinned[WHOLE]["rare twins"],
        "subsampling_gain_analogies": thinned[T]["analogies"] - thinned[WHOLE]["analogies"],
        "subsampling_kept": kept,
        "subsampling_seconds_log2_ratio": math.log2(thinned[T]["seconds"] / thinned[WHOLE]["seconds"]),
        "k_gain_small": little,
        "k_gain_large": more,
        "k_gain_small_minus_large": little - more,
        "window_gain": by_window[WINDOWS.index(WINDOW)] - by_window[0],
        "dimension_gain": by_dim[DIMS.index(32)] - by_dim[0],
    },
    cbow=runs["CBOW, equal epochs"],
    softmax=runs["CBOW, full softmax"],
    words=words,
)

# %% [markdown]
# **What was found**, in the reference's runs of the profile `cpu`, over several seeds. Your own run may differ.
#
# | skip-gram or CBOW | found | |
# |---|---|---|
# | faster | CBOW | an epoch takes a fifth to a third of the time |
# | rare words | skip-gram by about 0.1 at equal epochs, nothing at equal steps | more training, not a better model |
# | less data | skip-gram, at equal epochs and at equal steps | |
# | analogies, frequent words | no lead that could be told from chance, at equal epochs or steps | frequent twins score about 0.9 with both: little room |

# %% [markdown]
# | choice | found | |
# |---|---|---|
# | full softmax | some 0.1 more of the analogies than with negatives | it compares all words, fewer than 900, at every step |
# | subsampling | rare words do **not** gain, in the mean they lose a little | the paper's corpus had a billion words; here there is no text to spare |
# | negatives | more are better on both texts, in the mean *more so* on the larger, against the advice | that text is small by the paper's measure: nothing is refuted |
# | window and dimension | a window of 1, or vectors of 8 numbers, lose most of the analogies that 4 and 32 answer | 128 numbers are better still; a window of 8 is not |

# %% [markdown]
# In the profile `smoke` skip-gram leads in analogies too at equal epochs, and CBOW leads a little on rare words at equal steps.

# %% [markdown]
# ## In your own words
#
# **1.** A colleague writes: *CBOW is worse than skip-gram, I trained both for five epochs.* What would you ask, and what do your two comparisons say?

# %% [markdown] answer="equal_epochs_or_steps" points=2
# ### BEGIN SOLUTION
# In five epochs CBOW has made several times fewer updates, because it makes one example of a word where skip-gram makes one for each neighbour; it also took a fraction of the time.
# So I would ask for the comparison at equal steps or equal time as well, and for the learning rate of each. In my runs (profile cpu) skip-gram's lead on rare words shrinks
# to nothing at equal steps, and for analogies there is none to begin with. So "worse" is mostly a statement about the budget; only on little text does skip-gram lead either way.
# ### END SOLUTION

# %% [markdown]
# **2.** In this small world the full softmax is affordable. When would you use it, and why does the quality with negatives not tell you much about the loss of the softmax?

# %% [markdown] answer="when_the_full_softmax" points=2
# ### BEGIN SOLUTION
# With a few thousand words, or a GPU that hides the cost, it is a fair choice: each step uses every word as a negative, so it learns more from an example. Its cost grows with the
# vocabulary, that of negative sampling does not, so with a hundred thousand words negatives win. Negative sampling optimises another objective, telling real pairs
# from noise; it gives no probabilities over words, and its vectors are judged by what they are used for, not by the softmax's loss.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Irsoy, Benton and Stratos 2021, [Corrected CBOW Performs as well as Skip-gram](https://arxiv.org/abs/2012.15332): the missing $\frac{1}{C}$.
# - Rong 2014, [word2vec Parameter Learning Explained](https://arxiv.org/abs/1411.2738): all of these gradients, and the hierarchical softmax.
# - Goldberg and Levy 2014, [word2vec Explained](https://arxiv.org/abs/1402.3722): what negative sampling optimises.
# - Next: GloVe starts from the counts themselves.
