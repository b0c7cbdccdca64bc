# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # SentencePiece: raw text in, pieces out
#
# **The papers.** Kudo, [Subword Regularization](https://arxiv.org/abs/1804.10959) (ACL 2018): the unigram language model. Kudo and Richardson,
# [SentencePiece](https://arxiv.org/abs/1808.06226) (EMNLP 2018, demonstrations): the program.

# %% [markdown]
# Two ideas, often taken for one:
#
# | | is | idea |
# |---|---|---|
# | SentencePiece | a *program* | it writes the blank (space) as one more character, ▁ (the *meta symbol*), so pieces (*subword tokens*) join back to the text |
# | the *unigram model* | one of its two algorithms, beside BPE | it starts from far too many pieces, each with a probability, and removes those that the text can do without |

# %% [markdown]
# **The claims to reproduce.**
#
# - Decoding always gives back the normalised text (Kudo and Richardson, section 3.1: *lossless tokenization*).
# - Viterbi finds the best way to cut (*segmentation*); others can be drawn with their probabilities (Kudo, sections 3.2 and 3.3). That this improves a translator (Table 3) is not tried here.
# - Pieces can be learnt from text without blanks.

# %% [markdown]
# **What you will write** (about 2 hours):
#
# | | piece |
# |---|---|
# | 1 | ▁ and back |
# | 2 | the best way to cut: Viterbi |
# | 3 | all ways at once: forward sums, expected counts, the M-step |
# | 4 | what a piece is worth: pruning |
# | 5 | other ways to cut: sampling with α |

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: about a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import importlib.util
import io
import math
import unicodedata
import zlib
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch

import etude
from etude import check, corpora, plots, record
from etude.corpora import datasets
from etude.tokenizers import unigram
from etude.world import World

run = etude.start("week2_tokenizers/sentencepiece", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. ▁ and back
#
# A tokenizer that splits at blanks first (*pre-tokenization*) loses where they were: `good !` and `good!` become the same two tokens. SentencePiece writes each blank as ▁ (U+2581, not the underscore), and one before the first word (the *dummy prefix*): 커피 is the same piece everywhere.

# %% [markdown]
# Before that, bring Unicode to one form (*normalization*). Use NFKC, nearly the program's rules: ① becomes 1, ﬁ becomes fi, and a decomposed 한 (ㅎ + ㅏ + ㄴ) one character.

# %% [markdown]
# ```
#   good !   → ▁good▁!   → ▁good  ▁!    → good !
#   good!    → ▁good!    → ▁good  !     → good!
#             mark         cut            unmark
# ```

# %% [markdown]
# *5 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `unicodedata.normalize("NFKC", text)`, and `split()` knows white space of every kind.
#
# </details>


# %% exercise="mark"
def mark(text):
    """The text as SentencePiece cuts it: NFKC, each run of white space one ▁, and one ▁ before the
    first word.

    text: string without ▁. Blanks at its ends leave nothing behind; a text without words becomes "".
    Kudo and Richardson 2018, sections 3.1 and 3.4.
    """
    ### BEGIN SOLUTION
    words = unicodedata.normalize("NFKC", text).split()
    return "".join("▁" + word for word in words)
    ### END SOLUTION


# %%
check("mark")

# %% [markdown]
# *5 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Join, and turn each ▁ back. Which blank was not in the text?
#
# </details>


# %% exercise="unmark"
def unmark(pieces):
    """The text that pieces were cut from: unmark(any way to cut mark(text)) is the normalised text.

    pieces: list of strings, the first of which begins with ▁; or an empty list. In what they join to
    no ▁ stands at the end or beside another.
    Kudo and Richardson 2018, section 3.1 ("Decode(Encode(Normalize(text))) = Normalize(text)").
    """
    ### BEGIN SOLUTION
    return "".join(pieces).replace("▁", " ")[1:]
    ### END SOLUTION


# %%
check("unmark")

# %% [markdown]
# WordPiece writes 킹받네 as 킹 ##받 ##네: `##` says *a word goes on*. SentencePiece says the opposite, *a word starts here*, and says it with a ▁, which stands for the blank: ▁킹 받 네. Only this joins back to the text without further rules.

# %%
for text in ["하루 커피 최소 3잔은 마셔야 살 수 있다", "모닝 커피   좋아", "킹받네", "good !", "good!"]:
    print(f"{text!r:32} {mark(text)!r:36} {unmark(list(mark(text)))!r}")

# %% [markdown]
# ## 2. The best way to cut
#
# Each piece $x$ has a probability $p(x)$, independent of the others. The probability of a way to cut is the product of its pieces'; its logarithm is the sum of their *scores*.
#
# ```
#   ▁커피를 as a lattice, a position before each character
#
#   0 ── ▁ .2 ──→ 1 ── 커 .1 ──→ 2 ── 피 .1 ──→ 3 ── 를 .1 ──→ 4
#   0 ───────── ▁커 .1 ────────→ 2 ───────── 피를 .02 ───────→ 4
#   0 ──────────────── ▁커피 .2 ──────────────→ 3
#
#   best to here:     .2             .1             .2             .02
# ```

# %% [markdown]
# A word of $n$ characters has up to $2^{n-1}$ ways. But the best way to a position is a last piece after the best way to its start, so one pass is enough (*dynamic programming*):
#
# $$ \mathrm{best}(j) = \max_{i < j} \; \mathrm{best}(i) + \log p(x_{i:j}) $$

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Note for each position the best score, and where its last piece starts. What is no piece has the score −∞: `scores.get(piece, -math.inf)`.
#
# </details>
# <details><summary>Hint for the pieces</summary>
#
# Walk back from the end: the note says where the last piece starts, and so on to 0. If the end's score is −∞, nothing spells the text.
#
# </details>


# %% exercise="viterbi"
def viterbi(text, scores):
    """The most probable way to cut a text, and its log-probability.

    text: string of at most 300 characters; scores: dictionary from piece to log-probability (natural
    logarithm), each finite.
    Returns (pieces, score): a list of strings that join to the text, and a float; ([], 0.0) for "".
    Of equally probable ways any one. Raises ValueError if the pieces cannot spell the text.
    Kudo 2018, section 3.2.
    """
    ### BEGIN SOLUTION
    best, back = [0.0], {}
    for end in range(1, len(text) + 1):
        ways = [(best[start] + scores.get(text[start:end], -math.inf), start) for start in range(end)]
        score, back[end] = max(ways)
        best.append(score)
    if best[-1] == -math.inf:
        raise ValueError(f"the pieces cannot spell {text!r}")
    pieces, end = [], len(text)
    while end > 0:
        pieces.insert(0, text[back[end] : end])
        end = back[end]
    return pieces, best[-1]
    ### END SOLUTION


# %%
check("viterbi")

# %% [markdown]
# The longest piece need not win, as it does in WordPiece.

# %%
scores = {
    piece: math.log(p)
    for piece, p in {"▁": 0.2, "커": 0.1, "피": 0.1, "를": 0.1, "▁커피": 0.2, "피를": 0.02, "▁커": 0.1}.items()
}
print(viterbi("▁커피를", scores))

# %% [markdown]
# ## 3. All ways to cut at once
#
# The probability of a text is the sum over *all* ways to cut it: the same pass, with a sum for the maximum. In the lattice above:
#
# ```
#   ▁커피 를    .2 × .1      = .02    ← the best        position      0    1     2     3      4
#   ▁커 피를    .1 × .02     = .002                     sum of ways   1   .2   .12   .212   .0236
#   ▁커 피 를   .1 × .1 × .1 = .001
#   ▁ 커 피를                  .0004
#   ▁ 커 피 를                 .0002   together .0236
# ```

# %% [markdown]
# Probabilities of long texts are too small for floats, so keep logarithms:
#
# $$ \alpha(j) = \log \sum_{i < j} \exp\big(\alpha(i) + \log p(x_{i:j})\big), \qquad \alpha(0) = 0 $$
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `np.logaddexp(a, b)` is $\log(e^a + e^b)$; `np.logaddexp.reduce` does it for a list.
#
# </details>


# %% exercise="forward"
def forward(text, scores):
    """For each position, the log of the summed probability of all ways to cut the text up to there.

    text: string of n characters; scores: dictionary from piece to log-probability, each finite.
    Returns an array (n + 1,): 0 first, the text's log-probability last, -inf where no way leads.
    Kudo 2018, section 3.2.
    """
    ### BEGIN SOLUTION
    alpha = np.zeros(len(text) + 1)  # (n + 1,)
    for end in range(1, len(text) + 1):
        ways = [alpha[start] + scores.get(text[start:end], -math.inf) for start in range(end)]
        alpha[end] = np.logaddexp.reduce(ways)
    return alpha
    ### END SOLUTION


# %%
check("forward")

# %% [markdown]
# Nobody says which pieces a text is made of: use EM. **E-step**: how often is each piece expected to be used, with the present scores?

# %% [markdown]
# With $\beta(j)$, the log of the sum over the ways from $j$ to the end:
#
# $$ P(x_{i:j} \text{ is used}) = \exp\big(\alpha(i) + \log p(x_{i:j}) + \beta(j) - \alpha(n)\big) $$
#
# The first three terms reach the piece, take it, and go on from its end. In the lattice 를 has .212 × .1 / .0236 = .90.

# %% [markdown]
# *25 minutes, hard.*
#
# <details><summary>Hint</summary>
#
# You need no second pass: $\beta$ is the $\alpha$ of the text read backwards, with pieces read backwards. `"abc"[::-1]` is "cba".
#
# </details>
# <details><summary>Hint for the places</summary>
#
# The backward sums begin at the text's end: turn the array round, and its entry j is $\beta(j)$. A piece may fit in several places of a word; all add up, times the word's count.
#
# </details>


# %% exercise="expected_counts"
def expected_counts(words, scores):
    """How often each piece is expected to be used: the E-step.

    words: dictionary from word to how often it occurs; every word can be spelled.
    scores: dictionary from piece to log-probability.
    Returns a dictionary from every piece of `scores` to a float, 0.0 if it fits nowhere.
    Kudo 2018, section 3.2.
    """
    ### BEGIN SOLUTION
    backwards = {piece[::-1]: score for piece, score in scores.items()}
    expected = dict.fromkeys(scores, 0.0)
    for word, count in words.items():
        alpha, beta = forward(word, scores), forward(word[::-1], backwards)[::-1]  # (n + 1,), (n + 1,)
        for end in range(1, len(word) + 1):
            for start in range(end):
                piece = word[start:end]
                if piece in scores:
                    used = math.exp(alpha[start] + scores[piece] + beta[end] - alpha[-1])
                    expected[piece] += count * used
    return expected
    ### END SOLUTION


# %%
check("expected_counts")

# %% [markdown]
# **M-step**: the best scores for these counts are the logarithms of their shares. As in SentencePiece, a piece expected less than half a time goes. A single character stays (it counts as 0.5 at least), or some words could not be spelled.
#
# (The program also lowers rare pieces a little.)
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# First choose what is kept, with which count; then divide by the sum of what is left.
#
# </details>


# %% exercise="m_step"
def m_step(expected, least=0.5):
    """New scores from expected counts: the log of each piece's share of all counts.

    expected: dictionary from piece to expected count. A character is one of Python's, a code point.
    Pieces of two and more characters with less than `least` are left out; single characters with
    less count as `least`. Shares are of what is left, so that the probabilities sum to 1.
    Returns a dictionary from piece to log-probability.
    """
    ### BEGIN SOLUTION
    kept = {piece: max(count, least) for piece, count in expected.items() if count >= least or len(piece) == 1}
    total = sum(kept.values())
    return {piece: math.log(count / total) for piece, count in kept.items()}
    ### END SOLUTION


# %%
check("m_step")

# %% [markdown]
# ## 4. What a piece is worth
#
# Without $x$, other pieces must spell it. About this much log-likelihood is lost, with the expected count $c(x)$:
#
# $$ \mathrm{loss}(x) = c(x) \big( \log p(x) - \log p(\text{best way to spell } x \text{ without it}) \big) $$

# %% [markdown]
# ▁커피 (.2) would be spelled ▁커 피 (.1 × .1 = .01): each use costs ln(.2 / .01) = 3.0 nats. Keep pieces that are frequent or expensive to spell.
#
# (The program's $c(x)$ counts $x$ in the best cuts of the training text, by Viterbi.)
#
# *10 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `viterbi` of the piece, with a copy of the scores that lacks it.
#
# </details>


# %% exercise="pruning_losses"
def pruning_losses(expected, scores):
    """How much log-likelihood is lost, about, without each piece of two or more characters.

    Characters are Python's; ▁ is one like the others.
    expected: dictionary from piece to expected count; scores: dictionary from piece to log-probability,
    with all single characters. Both have the same pieces.
    Returns a dictionary from piece to loss; single characters, which never go, are not in it.
    Kudo 2018, section 3.2.
    """
    ### BEGIN SOLUTION
    losses = {}
    for piece, count in expected.items():
        if len(piece) > 1:
            others = dict(scores)
            del others[piece]
            losses[piece] = count * (scores[piece] - viterbi(piece, others)[1])
    return losses
    ### END SOLUTION


# %%
check("pruning_losses")

# %% [markdown]
# ## 5. Other ways to cut
#
# **Subword regularization** draws another way to cut each time, with the chance
# $P(\mathbf{x})^\alpha / \sum_{\mathbf{x}'} P(\mathbf{x}')^\alpha$. With $\alpha = 0$ all ways are drawn alike, with a large $\alpha$ nearly always the best.

# %% [markdown]
# Kudo draws from the $l$ best ways (section 3.3), or from all (*l = ∞*), as you do: compute forward sums with scores $\alpha \log p$, then walk from the end to the start (*forward filtering, backward sampling*).

# %% [markdown]
# At position $j$ the last piece started at $i$ with the chance $\exp(\alpha(i) + \alpha \log p(x_{i:j}) - \alpha(j))$. Here $\alpha$ is the exponent, $\alpha(i)$ a forward sum.
#
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# A dictionary of new scores, each times `alpha`. Then `forward` does the sums.
#
# </details>
# <details><summary>Hint for the walk</summary>
#
# At each end compute the chances of all starts, and let `generator.choice(end, p=chances)` draw one. Go on there, until 0.
#
# </details>


# %% exercise="sample"
def sample(text, scores, alpha, count, seed):
    """Ways to cut a text, drawn in proportion to their probabilities to the power alpha.

    text: string that the pieces can spell; scores: dictionary from piece to log-probability, each
    finite; alpha: 0 or more; count: how many ways to draw, independently of each other.
    Returns a list of `count` lists of pieces; the same for the same seed.
    Kudo 2018, section 3.3, with l = infinity.
    """
    generator = np.random.default_rng(seed)
    ### BEGIN SOLUTION
    sharper = {piece: alpha * score for piece, score in scores.items()}
    total = forward(text, sharper)  # (n + 1,)
    drawn = []
    for _ in range(count):
        pieces, end = [], len(text)
        while end > 0:
            chances = [
                np.exp(total[start] + sharper.get(text[start:end], -math.inf) - total[end]) for start in range(end)
            ]
            start = generator.choice(end, p=chances)
            pieces.insert(0, text[start:end])
            end = start
        drawn.append(pieces)
    return drawn
    ### END SOLUTION


# %%
check("sample")

# %%
for alpha in (0.0, 0.2, 1.0, 5.0):
    drawn = Counter(" ".join(pieces) for pieces in sample("▁커피를", scores, alpha, 400, seed))
    print(f"α = {alpha:<4}", " · ".join(f"{way} {times / 400:.2f}" for way, times in drawn.most_common(4)))

# %% [markdown]
# ## The experiment
#
# On the planted world. One word form in five is kept out of training: 버섯을 was never seen, though 버섯과 and 커피를 were.

# %%
size = {
    "smoke": {"tokens": 12_000, "candidates": 1_500, "pieces": {"en": 300, "ko": 800}, "unspaced": 12_000},
    "cpu": {"tokens": 60_000, "candidates": 3_000, "pieces": {"en": 300, "ko": 800}, "unspaced": 60_000},
    "gpu": {"tokens": 400_000, "candidates": 10_000, "pieces": {"en": 300, "ko": 800}, "unspaced": 400_000},
}[profile]
LONGEST = 8  # characters of a piece
OTHER, MEASURED = 10_000, 6_000  # the distance of the other text's seed, its words
metrics = {}


def unseen(word):
    """Whether a word form is kept for testing."""
    return zlib.crc32(word.encode()) % 5 == 0


def word_counts(language, seed, keep):
    """Marked words of the world and how often they occur, of the forms for which keep(form) holds."""
    tokens = Counter(token for sentence in World(language, seed).corpus(size["tokens"]) for token in sentence)
    return {mark(token): count for token, count in tokens.items() if keep(token)}


def candidates(words, limit):
    """The pieces to start from: all characters, and the substrings with the most count × length."""
    counts = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + LONGEST) + 1):
                counts[word[start:end]] += count
    weight = {piece: count * len(piece) for piece, count in counts.items() if count > 1 or len(piece) == 1}
    ranked = sorted(weight, key=lambda piece: (len(piece) > 1, -weight[piece], piece))[:limit]
    return m_step({piece: weight[piece] for piece in ranked})


def log_likelihood(words, scores):
    return sum(count * forward(word, scores)[-1] for word, count in words.items())


def train(words, pieces, limit):
    """(scores, history): EM and pruning in turn, 20 % a round; history holds (pieces, nats per character)."""
    scores, history = candidates(words, limit), []
    characters = sum(len(word) * count for word, count in words.items())
    while True:
        for _ in range(2):
            history.append((len(scores), -log_likelihood(words, scores) / characters))
            expected = expected_counts(words, scores)
            scores = m_step(expected)
        if len(scores) <= pieces:
            return scores, history
        losses = pruning_losses({piece: expected[piece] for piece in scores}, scores)
        room = max(pieces, int(0.8 * len(scores))) - (len(scores) - len(losses))
        chosen = set(sorted(losses, key=losses.get, reverse=True)[:room])
        scores = {piece: score for piece, score in scores.items() if len(piece) == 1 or piece in chosen}


models, histories, seen = {}, {}, {}
for language in ("en", "ko"):
    seen[language] = word_counts(language, seed, lambda token: not unseen(token))
    models[language], histories[language] = train(seen[language], size["pieces"][language], size["candidates"])
    best = sorted(models[language], key=models[language].get, reverse=True)
    print(
        f"{language}: {len(seen[language]):,} word forms, "
        f"{size['candidates']:,} candidates, {len(best)} pieces:"
    )
    print("   ", *[piece for piece in best if len(piece) > 2][:24])

# %% [markdown]
# Measured on another text of the same world:
#
# | measure | of | control |
# |---|---|---|
# | **nats per character** (less is better) | all words, and those kept out, which cannot be remembered: how well a model explains them | single characters alone |
# | **F₁** | words kept out: how many cuts fall on **boundaries** of planted morphemes | as many cuts *at random* |
#
# From F₁, contracted words (마시 + 었 + 다 to 마셨다) are left out.


# %%
def boundaries(pieces):
    """The places between pieces, counted in characters."""
    return set(np.cumsum([len(piece) for piece in pieces])[:-1].tolist())


def f1(cut_and_truth):
    """(F₁ of cuts, F₁ of as many random cuts) from (length, cuts, true boundaries, how often) of each word."""
    hits = chance = everything = 0
    for length, cuts, truth, count in cut_and_truth:
        hits += count * len(cuts & truth)
        chance += count * len(cuts) * len(truth) / max(length - 1, 1)
        everything += count * (len(cuts) + len(truth))
    return 2 * hits / everything, 2 * chance / everything


def on_another_text(language, scores):
    """nats per character and tokens per word, nats per character of
    unseen words, F₁ of their cuts and of random ones."""
    model = unigram.Unigram([*unigram.SPECIAL, *scores], [0.0] * len(unigram.SPECIAL) + list(scores.values()))
    world = World(language, seed + OTHER)
    words = Counter(w for d in world.documents(MEASURED) for s in d.sentences for w in s)
    cut = {word: model.tokenize(word.surface) for word in words}
    nats = {word: -model.log_likelihood(word.surface) for word in words}

    def per_character(some):
        length = sum(words[word] * len(mark(word.surface)) for word in some)
        return sum(words[word] * nats[word] for word in some) / length

    new = [word for word in words if unseen(word.surface)]
    planted = [
        (len(w.surface), {place - 1 for place in boundaries(cut[w])} - {0}, boundaries(w.morphemes), words[w])
        for w in new
        if "".join(w.morphemes) == w.surface
    ]
    return {
        "nats": per_character(words),
        "tokens": sum(count * len(cut[word]) for word, count in words.items()) / sum(words.values()),
        "nats, unseen": per_character(new),
        **dict(zip(("F1, unseen", "F1, random"), f1(planted))),
    }


rows = {}
for language, scores in models.items():
    letters = Counter()
    for word, count in seen[language].items():
        letters.update({c: word.count(c) * count for c in word})
    rows[language] = one = on_another_text(language, scores)
    rows[f"{language}, characters alone"] = other = on_another_text(language, m_step(letters))
    metrics[f"nats_{language}"] = one["nats"]
    metrics[f"tokens_per_word_{language}"] = one["tokens"]
    metrics[f"nats_minus_characters_{language}"] = one["nats"] - other["nats"]
    metrics[f"unseen_nats_minus_characters_{language}"] = one["nats, unseen"] - other["nats, unseen"]
    metrics[f"f1_minus_random_{language}"] = one["F1, unseen"] - one["F1, random"]
pd.DataFrame(rows).T.round(3)

# %% [markdown]
# On another text pieces explain far more than characters do, because words come again. On unseen words they explain *less*: a piece such as ▁읽었다 has taken the probability that its characters would need.

# %% [markdown]
# ### Without blanks
#
# Korean writers leave blanks out (커피좋아), Japanese and Chinese have none. Do the cuts fall where the blanks were?

# %%
LEARNT = 1_000  # pieces


def unspaced(seed, tokens):
    """Sentences of the Korean world as lists of words."""
    return World("ko", seed).corpus(tokens)


model = unigram.train(unigram.count_words("".join(words) for words in unspaced(seed, size["unspaced"])), LEARNT)
cut_and_truth = []
for words in unspaced(seed + OTHER, 4_000):
    pieces = model.tokenize("".join(words))
    cuts = {place - 1 for place in boundaries(pieces)} - {0}
    cut_and_truth.append((len("".join(words)), cuts, boundaries(words), 1))
found, random_cuts = f1(cut_and_truth)
metrics["unspaced_f1_minus_random"] = found - random_cuts
print(f"blanks found again: F₁ {found:.3f}, as many random cuts {random_cuts:.3f}")
for words in unspaced(seed + OTHER, 20)[:3]:
    print("".join(words), "→", " ".join(model.tokenize("".join(words))), "  (written:", " ".join(words) + ")")

# %% [markdown]
# ### BPE mode
#
# "SentencePiece" alone does not say which algorithm was used. Here are both, if the library is installed (not graded).

# %%
if importlib.util.find_spec("sentencepiece") is None:
    print("The library sentencepiece is not installed here: this cell shows nothing.")
else:
    import sentencepiece

    lines = [" ".join(sentence) for sentence in World("ko", seed).corpus(size["tokens"])]
    for mode in ("unigram", "bpe"):
        written = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=written, vocab_size=700, model_type=mode, minloglevel=2
        )
        library = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
        for text in ("요리사는 부엌에서 계란을 삶았다", "킹받네"):
            print(f"{mode:8}", " ".join(library.encode(text, out_type=str)))

# %% [markdown]
# ### Real text
#
# Film reviews, one in ten held out (profiles cpu and gpu). 킹받네 was hardly written yet when these were.

# %%
needed = "nsmc_sample/reviews_200k.txt"
if profile == "smoke" or not datasets.available(needed):
    print(f"Left out in the profile smoke, and where {needed} is missing (`etude data fetch {needed}`).")
else:
    reviews = corpora.nsmc()[: {"cpu": 20_000, "gpu": 200_000}[profile]]
    held, learnt = reviews[::10], [review for i, review in enumerate(reviews) if i % 10]
    real = unigram.train(unigram.count_words(learnt), 8_000)
    words = sum(len(review.split()) for review in held)
    characters = sum(len(unigram.mark(review)) for review in held)
    metrics["tokens_per_word_reviews"] = sum(len(real.tokenize(review)) for review in held) / words
    metrics["nats_reviews"] = -sum(map(real.log_likelihood, held)) / characters
    print(
        f"{metrics['tokens_per_word_reviews']:.2f} tokens a word, "
        f"{metrics['nats_reviews']:.2f} nats a character"
    )
    for text in ("킹받네", "하루 커피 최소 3잔은 마셔야 살 수 있다", "이 영화 진짜 재미있어요"):
        print(
            " ".join(real.tokenize(text)),
            "·",
            " · ".join(" ".join(way) for way, _ in real.nbest(text, 3)[1:]),
        )

# %% [markdown]
# ## Results
#
# The grader measures your two models again on unseen words.

# %% tags=["metrics"]
record(
    metrics,
    pieces_en=list(models["en"]),
    scores_en=torch.tensor(list(models["en"].values())),
    pieces_ko=list(models["ko"]),
    scores_ko=torch.tensor(list(models["ko"].values())),
)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
for language, history in histories.items():
    left.plot(*zip(*history), ".-", label={"en": "English", "ko": "Korean"}[language])
left.set(xlabel="pieces (training goes from left to right)", ylabel="nats per character, training words")
left.set_title("EM lowers what a text costs, pruning raises it")
left.invert_xaxis()
left.legend()
plots.bars(
    right,
    {
        "English words, unseen": rows["en"]["F1, unseen"],
        "English, random cuts": rows["en"]["F1, random"],
        "Korean words, unseen": rows["ko"]["F1, unseen"],
        "Korean, random cuts": rows["ko"]["F1, random"],
        "Korean without blanks": found,
        "without blanks, random cuts": random_cuts,
    },
    label="F₁ of cuts against planted boundaries",
    title="Cuts on planted boundaries, beside as many random cuts",
)
plt.show()

# %% [markdown]
# **What was found**, in the runs behind the table of expected values (profile cpu):
#
# | | Korean | English |
# |---|---|---|
# | nats per character, minus characters alone: another text | −1.8 | −1.3 |
# | the same on unseen words | +1.2 | +0.7 |
# | F₁ of cuts of unseen words, minus random | +0.09 | +0.02 |
# | F₁ of blanks found again, minus random | +0.36 | |

# %% [markdown]
# ## In your own words
#
# **1.** Someone shows 킹 ##받 ##네 as the output of SentencePiece. What is wrong with it, and why does the difference matter when text is generated?

# %% [markdown] answer="whose_mark" points=2
# ### BEGIN SOLUTION
# `##` is WordPiece's mark for a piece that continues a word; SentencePiece writes ▁ for the blank, so it would be ▁킹 받 네 (or ▁ 킹 받 네). With ▁, joining the pieces and turning ▁ into blanks gives the normalised text back, whatever the language;
# with ## one knows where words were split, but not whether there was a blank before a piece without ## (punctuation was split off too), so the text must be guessed by rules.
# ### END SOLUTION

# %% [markdown]
# **2.** As long as no piece goes, EM never lowers the likelihood, and pruning nearly always does. So why prune at all, and not stop with all the candidates?

# %% [markdown] answer="why_prune" points=2
# ### BEGIN SOLUTION
# The likelihood of the training words grows with the number of pieces: with every word as a piece of its own it is highest, and such a model says nothing about unseen words, which is what subwords are for. And each piece costs a row in the embedding matrix and in the softmax, of which
# the rare ones would hardly be trained. The size is chosen from outside; the loss says only which pieces to give up first.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Bostrom and Durrett 2020, [Byte Pair Encoding is Suboptimal for Language Model Pretraining](https://arxiv.org/abs/2004.03720): the lesson *comparison* tries it.
# - Provilkov and others 2020, [BPE-Dropout](https://arxiv.org/abs/1910.13267): sampling for BPE, by leaving merges out.
# - The candidates: SentencePiece counts substrings in *distinct* words, `etude.tokenizers.unigram` in running text.
