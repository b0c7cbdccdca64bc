# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # BERT, pre-training: words hidden and guessed
#
# **The paper.** Devlin, Chang, Lee and Toutanova, [BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding](https://aclanthology.org/N19-1423) (NAACL 2019).

# %% [markdown]
# A language model that reads from both sides cannot be asked for the next word: it has seen it. BERT hides some words and asks for those.
#
# ```text
#   my  dog  is   cute         what is written
#   my  dog  is  [MASK]        what the model reads
#                 cute         what it has to say
# ```

# %% [markdown]
# **The claims to test.**
#
# - 15 % of the tokens are to be guessed; of these 80 % become `[MASK]`, 10 % a random token, 10 % stay (section 3.1).
# - In half of the examples text B follows text A (section 3.1). The losses of both tasks are added (appendix A.2).
# - The two models have 110 and 340 million parameters (section 3).

# %% [markdown]
# And a test at our size: does a small model guess hidden words of a text that it has not read better than someone who only knows how frequent each word is?

# %% [markdown]
# You will write the pieces (about 2½ hours):
#
# 1. GELU
# 2. two texts in one input · the sum of three embeddings · the number of parameters
# 3. masking, of tokens and of whole words
# 4. which sentence follows?
# 5. both heads, and one loss

# %% [markdown]
# The encoder's layers are those of the lesson on the Transformer, and come from `etude.models`. After each piece, `check("...")` tells you at once whether it is right.

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: a minute or two · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
import random
import unicodedata
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import torch
from torch import nn
from torch.nn import functional

import etude
from etude import check, plots, pretrained, record
from etude.models.attention import padding_mask
from etude.models.bert import SIZES, BertForPretraining, PretrainingBatch
from etude.models.checkpoints import load_bert
from etude.recipes import Recipe
from etude.tokenizers.wordpiece import WordPiece
from etude.train import Plan, adamw, linear_schedule, train

run = etude.start("week4_transformer/bert_pretraining", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. GELU
#
# The Transformer's feed-forward networks use ReLU, BERT's use **GELU**: $x \cdot \Phi(x)$, with $\Phi$ the distribution function of the standard normal
# distribution, $\Phi(x) = \frac12 \left(1 + \mathrm{erf}(x / \sqrt 2)\right)$.

# %% [markdown]
# A formula with tanh comes near it: $\frac{x}{2} \left(1 + \tanh\left(\sqrt{2/\pi}\,(x + 0.044715\, x^3)\right)\right)$. A model must keep to the
# form that it was trained with.

# %% [markdown]
# *10 minutes, easy.* Write the formula yourself: `functional.gelu` would teach you nothing.
#
# <details><summary>Hint</summary> <code>torch.erf</code> and <code>torch.tanh</code> work on whole tensors. The exponent 3 is on x alone. </details>


# %% exercise="gelu"
def gelu(x, approximate=False):
    """GELU of each number, exactly or by the formula with tanh. x: float tensor of any shape;
    what is returned has its shape and its type.

    Hendrycks and Gimpel 2016, section 2.
    """
    ### BEGIN SOLUTION
    if approximate:
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))
    ### END SOLUTION


# %%
check("gelu")

# %%
line = torch.linspace(-4, 4, 801)  # (801,)
figure, (curve, error) = plt.subplots(1, 2, figsize=(10, 3.2), layout="constrained")
curve.plot(line, line.relu(), "--", color="#999999", label="ReLU")
curve.plot(line, gelu(line), label="GELU")
curve.set(xlabel="x", ylabel="f(x)", title="GELU is smooth, and below 0 for negative x")
curve.legend()
gap = gelu(line.double(), approximate=True) - gelu(line.double())
error.plot(line, 1e4 * gap)
error.set(xlabel="x", ylabel="tanh − exact, in 10⁻⁴", title=f"The two forms differ by {gap.abs().max():.1e} at most")
plt.show()

# %% [markdown]
# ## 2. What goes in
#
# Text becomes WordPiece ids. `[CLS]` stands in front: its last vector will speak for the whole input. `[SEP]` ends each text. Every token also has a **segment**,
# 0 from `[CLS]` to the first `[SEP]`, that one included, and 1 after it.

# %% [markdown]
# There are 512 positions in the paper. Three are for the special tokens, so 509 are left for both texts together. If they have more tokens, the longer text loses its last one,
# again and again; of two equally long texts it is the second. (So the authors' code for fine-tuning. For pre-training it takes tokens from either end, by lot.)

# %% [markdown]
# *15 minutes, easy.*
#
# <details><summary>Hint</summary> Copy the lists before you shorten them: the caller's must stay whole. With one text there is one [SEP]. </details>


# %% exercise="pair_input"
def pair_input(first, second, length, cls=2, sep=3):
    """[CLS] first [SEP] second [SEP], cut to at most `length` tokens, with the segment of each token.

    first: list of ids; second: list of ids, or None, and then the input is [CLS] first [SEP]. Lists
    may be empty, and hold any ids.
    length: 3 or more. While there are too many tokens, the longer text loses its last one; of two
    equally long ones, the second does.
    Returns (tokens, segments): two lists of whole numbers, equally long. BERT, section 3.1, and
    run_classifier.py of its published code.
    """
    ### BEGIN SOLUTION
    first, second = list(first), None if second is None else list(second)
    if second is None:
        tokens = [cls, *first[: length - 2], sep]
        return tokens, [0] * len(tokens)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    return [cls, *first, sep, *second, sep], [0] * (len(first) + 2) + [1] * (len(second) + 1)
    ### END SOLUTION


# %%
check("pair_input")

# %%
words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "my", "dog", "is", "cute", "he", "likes", "play", "##ing"]
tokens, segments = pair_input([5, 6, 7, 8], [9, 10, 11, 12], 512)
rows = {"token": [words[i] for i in tokens], "segment": segments, "position": list(range(len(tokens)))}
pd.DataFrame(rows).T  # Figure 2 of the paper: 11 tokens, positions from 0

# %% [markdown]
# **What is cut is lost.** Below, a question stands before a long text, and one token of that text is its answer. A model of any size is blind to what is beyond
# the end: *how many cups a day?* cannot be answered if the 3 of 하루 커피 최소 3잔 was cut.

# %%
question, answer = [20] * 9, 99
for place in (10, 250, 499, 500, 900):
    text = [30] * place + [answer] + [30] * (1000 - place)
    kept = answer in pair_input(question, text, 512)[0]
    print(f"answer after {place:3} tokens of the text: {'in the input' if kept else 'cut off'}")

# %% [markdown]
# Each token now becomes **the sum of three vectors**: which token, which segment, which position. Each comes from a table that is learnt; positions too, unlike the sines of the
# Transformer.
#
# ```text
#   [CLS]   my   dog   is  cute  [SEP]   he  likes ...    words[token]
#     0      0     0    0    0     0      1     1  ...  + kinds[segment]
#     0      1     2    3    4     5      6     7  ...  + places[position]
# ```

# %% [markdown]
# The sum goes through layer normalisation, with mean $\mu$ and variance $\sigma^2$ over the H numbers of one token (divided by H, not H − 1):
#
# $$y = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} \cdot g + b$$

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary> A table indexed by a tensor of ids (B, N) gives (B, N, H). The rows of the first N positions are (N, H), and broadcast over B. </details>


# %% exercise="embed_input"
def embed_input(words, kinds, places, gain, bias, tokens, segments, eps=1e-12):
    """BERT's input: the sum of three embeddings, normalised.

    words (V, H), kinds (2, H), places (P, H): the tables of tokens, segments and positions;
    gain (H,), bias (H,): g and b of layer normalisation; tokens, segments: (B, N) int64, N at most P.
    Returns a float tensor (B, N, H). BERT, section 3 and Figure 2.
    """
    ### BEGIN SOLUTION
    x = words[tokens] + kinds[segments] + places[: tokens.shape[1]]  # (B, N, H)
    mean = x.mean(dim=-1, keepdim=True)  # (B, N, 1)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)  # (B, N, 1)
    return (x - mean) / torch.sqrt(variance + eps) * gain + bias
    ### END SOLUTION


# %%
check("embed_input")

# %% [markdown]
# ### How large is it?
#
# The shapes tell. A linear map from a to b numbers has a · b weights and b biases, a layer normalisation a gain and a bias for each number. With width H and V tokens:
#
# | part | maps | normalisations |
# |---|---|---|
# | input | three tables: V × H, 512 × H, 2 × H | 1 |
# | each layer: attention | queries, keys, values, output: H → H each | 1 |
# | each layer: feed-forward | H → 4H, 4H → H | 1 |
# | pooler, on `[CLS]` | H → H | |
# | heads: masked tokens | H → H; output weights are the token table; a bias of V | 1 |
# | heads: next sentence | H → 2 | |

# %% [markdown]
# *15 minutes, medium.* The number of attention heads changes nothing.
#
# <details><summary>Hint</summary> Write linear(a, b) = a · b + b first, and sum up the table line by line. </details>


# %% exercise="count_parameters"
def count_parameters(layers, width, vocabulary=30_522, positions=512, heads=False):
    """The number of BERT's parameters, a whole number: with the pooler, and if `heads` is true
    those of pre-training.

    The feed-forward network has 4 · width inner units; there are 2 segments. BERT, section 3.
    """

    ### BEGIN SOLUTION
    def linear(a, b):
        return a * b + b

    norm = 2 * width
    total = (vocabulary + positions + 2) * width + norm
    total += layers * (4 * linear(width, width) + norm + linear(width, 4 * width) + linear(4 * width, width) + norm)
    total += linear(width, width)
    if heads:
        total += linear(width, width) + norm + vocabulary + linear(width, 2)
    return total
    ### END SOLUTION


# %%
check("count_parameters")

# %%
sizes = {
    name: (*SIZES[name], count_parameters(*SIZES[name]), count_parameters(*SIZES[name], heads=True)) for name in SIZES
}
pd.DataFrame(sizes, index=["layers", "width", "encoder", "with the heads"]).T

# %% [markdown]
# The paper prints 110M for base and 340M for large, rounded to tens. The sizes of the four small ones (4.4M, 11.3M, 29.1M, 41.7M, by Turc et al. 2019) are met with the heads.

# %% [markdown]
# ## 3. Masking
#
# Hide too little, and each text teaches little; hide too much, and no context is left. The paper chooses 15 % of the tokens. But if all of these became `[MASK]`, nothing
# would be asked about real words, and later tasks have no `[MASK]`.

# %% [markdown]
# So chance decides, in **one draw** $u$ from [0, 1) for each token:
#
# | $u$ | of all tokens | what the model reads | label |
# |---|---|---|---|
# | below 0.12 | 12 % | `[MASK]` | the token |
# | 0.12 to 0.135 | 1.5 % | a random token | the token |
# | 0.135 to 0.15 | 1.5 % | the token | the token |
# | 0.15 and above | 85 % | the token | −100: not asked |

# %% [markdown]
# It is often said that 15 % become `[MASK]`: 12 % do. And two draws, first 10 % that stay, then 90 % of the rest to be masked, make 81 % `[MASK]`, 9 % random and 10 % that stay.

# %% [markdown]
# Special tokens are never chosen, nor put in another's place. Chance is handed in, `draw` and `pick`, so your function can be checked exactly.

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary> The ids that may be put in another's place: (~special).nonzero().flatten(). torch.where(condition, a, b) chooses number by number. </details>
# <details><summary>Another hint</summary> Set the draw of special tokens to 1, and no condition is met. </details>


# %% exercise="mask_tokens"
def mask_tokens(tokens, draw, pick, special, mask, rate=0.15, hidden=0.8, swapped=0.1):
    """Hides tokens as BERT does.

    tokens (B, N) int64; special (V,) bool: which ids are special; mask: the id of [MASK];
    draw (B, N) float: one number from [0, 1) for each token; pick (B, N) int64: whole numbers from
    0 on. A token that is not special is chosen if its draw is below `rate`. What is read in its
    place:
      draw below rate · hidden: [MASK];
      else below rate · (hidden + swapped): an ordinary id (one that is not special): number
        `pick` of these in increasing order, counted from 0 and around (modulo how many there are);
      else: the token itself.
    Returns (read, labels), both (B, N) int64: what the model reads everywhere, and the tokens that
    were chosen, −100 elsewhere. BERT, section 3.1.
    """
    ### BEGIN SOLUTION
    draw = draw.masked_fill(special[tokens], 1.0)
    ordinary = (~special).nonzero().flatten()  # (W,)
    other = ordinary[pick % len(ordinary)]  # (B, N)
    read = torch.where(draw < rate * (hidden + swapped), other, tokens)
    read = torch.where(draw < rate * hidden, mask, read)
    return read, torch.where(draw < rate, tokens, -100)
    ### END SOLUTION


# %%
check("mask_tokens")

# %%
count = 1_000_000
draw = torch.rand(1, count, generator=torch.Generator().manual_seed(seed))
read, labels = mask_tokens(torch.full((1, count), 5), draw, torch.ones(1, count).long(), torch.arange(8) < 5, mask=4)
shares = {"chosen": labels == 5, "[MASK]": read == 4, "random": read == 6, "kept": (labels == 5) & (read == 5)}
print("of a million tokens:", ", ".join(f"{name} {float(found.float().mean()):.2%}" for name, found in shares.items()))

# %% [markdown]
# A word of several pieces is easy to guess from the pieces that were left: 킹 `[MASK]` ##네. **Whole word masking**, in a later version of the published code, hides all
# pieces of a word or none.

# %% [markdown]
# The budget still counts pieces. Words are tried in a random order; one with more pieces than are left of the budget is skipped, and the next is tried.

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary> First make a list of words, each a list of positions: a piece that begins with ## belongs to the word before. </details>


# %% exercise="whole_words"
def whole_words(pieces, order, budget):
    """The positions that whole word masking chooses, in increasing order.

    pieces: list of strings; those that begin with "##" go on with the word before; "[CLS]", "[SEP]"
    and "[PAD]", and no others, belong to no word. No "##" stands first, or after one of these three.
    Words are counted from 0, from left to right.
    order: list of words' numbers, as they are tried, each once at most, perhaps not all; budget: how
    many pieces may be chosen in all, 0 or more.
    A word of more pieces than are left of the budget is skipped.
    Returns a list of positions in `pieces`. BERT's published code (2019).
    """
    ### BEGIN SOLUTION
    words = []
    for position, piece in enumerate(pieces):
        if piece in ("[CLS]", "[SEP]", "[PAD]"):
            continue
        if piece.startswith("##"):
            words[-1].append(position)
        else:
            words.append([position])
    chosen = []
    for number in order:
        if len(chosen) + len(words[number]) <= budget:
            chosen += words[number]
    return sorted(chosen)
    ### END SOLUTION


# %%
check("whole_words")

# %% [markdown]
# The usual example hides one word of two pieces in a sentence of eight. That is 25 %, not 15 %: a budget of round(0.15 · 8) = 1 has no room for it. In longer texts it has,
# and words with more pieces than the budget are never chosen at all.

# %%
sentence = ["[CLS]", "오늘", "##도", "킹", "##받", "##네", ",", "커피", "마시", "##자", "[SEP]"]
for budget in (1, 2, 3):
    chosen = [whole_words(sentence, random.Random(number).sample(range(5), 5), budget) for number in range(3)]
    for places in chosen:
        print(budget, " ".join("[MASK]" if i in places else piece for i, piece in enumerate(sentence)))

# %% [markdown]
# ## 4. Which sentence follows?
#
# The second task, **next sentence prediction** (NSP): does text B follow text A? In half of the examples it does, in the others B comes from another document. In
# the published code label **0 means that B follows**, 1 that it does not.

# %% [markdown]
# A false B must not give itself away. So ours stands at the same place of its document as the true one would: a text's first sentences read unlike its last. (The published code starts anywhere.)

# %% [markdown]
# *15 minutes, easy.*
#
# <details><summary>Hint</summary> [*documents[:number], *documents[number + 1:]] are the other documents. </details>


# %% exercise="next_sentence_pair"
def next_sentence_pair(documents, number, cut, coin, other):
    """Texts A and B, and whether B follows A.

    documents: list of documents, two or more, each a list of sentences, one or more, each a list of
    ids, which may be empty; not changed.
    A is the first `cut` sentences of document `number` (0 < cut < its length), joined.
    coin 0: B is the rest of that document, joined; label 0.
    coin 1: B is another document from its sentence `cut` on (counted from 0), joined, or its last
    sentence alone if it has no more than `cut`; label 1. This document is number `other` of all but
    A's, in their order, counted from 0 and around (modulo how many there are). Two documents that
    read the same are still two.
    Returns (A, B, label): two lists of ids and a whole number. BERT, section 3.1.
    """
    ### BEGIN SOLUTION
    document = documents[number]
    first, second = document[:cut], document[cut:]
    if coin == 1:
        others = [text for place, text in enumerate(documents) if place != number]
        found = others[other % len(others)]
        second = found[min(cut, len(found) - 1) :]
    return [i for text in first for i in text], [i for text in second for i in text], coin
    ### END SOLUTION


# %%
check("next_sentence_pair")

# %% [markdown]
# ## 5. Two heads, one loss
#
# The encoder gives a vector $h$ for each token. To guess a hidden token: one more linear map, GELU, layer normalisation; then the dot product with each row of the **token
# table of the input** (the weights are tied), and a bias for each token of the vocabulary.
#
# ```
# h (H) ─ linear ─ GELU ─ norm ─ · each of V rows of the token table ─ + bias ─ V scores
# ```

# %% [markdown]
# 85 % of the tokens are not asked for. They get no scores: V numbers each would be computed and thrown away.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary> hidden[labels != −100] is (M, H), row by row. functional.linear(x, W, b) computes x Wᵀ + b; functional.layer_norm has the rest. </details>


# %% exercise="masked_logits"
def masked_logits(hidden, transform, transform_bias, gain, bias, words, words_bias, labels, eps=1e-12):
    """The scores of all V tokens at the places that are asked for.

    hidden (B, N, H): the encoder's output; transform (H, H), transform_bias (H,): a linear map
    x Wᵀ + b; gain (H,), bias (H,): of the layer normalisation after GELU (the exact form);
    words (V, H): the input's token table; words_bias (V,): a bias for
    each token; labels (B, N) int64, −100 where nothing is asked.
    Returns (M, V), doubles for doubles, the M places, at least one, in reading order: the first text
    from left to right, then the second.
    BERT, section 3.1 and its published code.
    """
    ### BEGIN SOLUTION
    x = hidden[labels != -100]  # (M, H)
    x = gelu(functional.linear(x, transform, transform_bias))  # (M, H)
    x = functional.layer_norm(x, x.shape[-1:], gain, bias, eps)  # (M, H)
    return functional.linear(x, words, words_bias)  # (M, V)
    ### END SOLUTION


# %%
check("masked_logits")

# %% [markdown]
# NSP reads `[CLS]` alone: a linear map and tanh (the **pooler**), then a linear map to two scores, the first for label 0.
#
# ```
# h of [CLS] (H) ─ linear ─ tanh ─ linear ─ 2 scores
# ```

# %% [markdown]
# The loss of each task is a mean of $-\log p$ in nats, $p$ the probability of the right answer. One mean is over the M tokens that are asked for, the other over the B texts; the two
# are **added**.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary> functional.cross_entropy takes scores and the right classes, and averages. labels[labels != −100] are the right tokens, in reading order. </details>


# %% exercise="pretraining_loss"
def pretraining_loss(token_logits, hidden, pooler, pooler_bias, sentence, sentence_bias, labels, follows):
    """The loss of both tasks, in nats: a tensor of shape (), a double for doubles.

    token_logits (M, V): scores at the places that are asked for, at least one, in reading order;
    hidden (B, N, H): the encoder's output, [CLS] at position 0;
    pooler (H, H), pooler_bias (H,) and sentence (2, H), sentence_bias (2,): linear maps x Wᵀ + b;
    labels (B, N) int64, −100 where nothing is asked; follows (B,) int64: 0 if B follows A, else 1.
    BERT, section 3.1 and appendix A.2.
    """
    ### BEGIN SOLUTION
    pooled = torch.tanh(functional.linear(hidden[:, 0], pooler, pooler_bias))  # (B, H)
    scores = functional.linear(pooled, sentence, sentence_bias)  # (B, 2)
    guessed = functional.cross_entropy(token_logits, labels[labels != -100])
    return guessed + functional.cross_entropy(scores, follows)
    ### END SOLUTION


# %%
check("pretraining_loss")

# %% [markdown]
# ## The experiment
#
# Now pre-train. The text is the planted world's, in pieces of a small vocabulary. The layers are the library's; input, examples, heads and loss are yours.

# %%
size = {
    "smoke": {"words": 40_000, "pieces": 1200, "layers": 2, "width": 64, "steps": 400, "batch": 16},
    "cpu": {"words": 120_000, "pieces": 1200, "layers": 2, "width": 64, "steps": 2000, "batch": 32},
    "gpu": {"words": 2_000_000, "pieces": 1600, "layers": 4, "width": 256, "steps": 10_000, "batch": 128},
}[profile]
LENGTH = 64
recipe = Recipe("en", words=size["words"], pieces=size["pieces"], layers=size["layers"], width=size["width"])
texts = pretrained.text_of(recipe, seed)
tokenizer = pretrained.tokenizer_of(recipe, texts)
special = torch.tensor([piece in tokenizer.special_tokens for piece in tokenizer.vocabulary])  # (V,)


def as_ids(texts):
    """Documents of sentences of ids; documents of one sentence have no second text, and are left out."""
    return [
        [[tokenizer.index[piece] for piece in tokenizer.tokenize(text)] for text in document]
        for document in texts
        if len(document) > 1
    ]


documents = as_ids(texts)
held_out = as_ids(pretrained.text_of(Recipe("en", words=6_000), seed + 10_000))
print(f"{len(documents)} documents, {sum(len(s) for d in documents for s in d)} tokens, V = {len(special)}")
print(" ".join(tokenizer.tokenize(texts[0][0])))

# %% [markdown]
# A batch is a function of its number. The masks are drawn anew each time that a text comes around.


# %%
def batch_of(documents, number, count):
    """Examples number `number` of so many: (B, N) tokens with masks,
    segments, labels, and (B,) whether B follows."""
    chance = random.Random(f"{seed} {number}")
    generator = torch.Generator().manual_seed(chance.getrandbits(48))
    rows, follows = [], []
    for _ in range(count):
        place = chance.randrange(len(documents))
        cut, coin = chance.randrange(1, len(documents[place])), chance.randrange(2)
        first, second, label = next_sentence_pair(documents, place, cut, coin, chance.randrange(10**6))
        rows.append(pair_input(first, second, LENGTH))
        follows.append(label)
    longest = max(len(tokens) for tokens, _ in rows)
    padded = [[row + [0] * (longest - len(row)) for row in pair] for pair in rows]
    tokens, segments = torch.tensor(padded).unbind(dim=1)  # (B, N) each
    draw = torch.rand(tokens.shape, generator=generator)
    pick = torch.randint(10**6, tokens.shape, generator=generator)
    read, labels = mask_tokens(tokens, draw, pick, special, tokenizer.index["[MASK]"])
    return PretrainingBatch(read, segments, labels, torch.tensor(follows))


one = batch_of(documents, 0, 1)
print(tokenizer.vocabulary[int(one.tokens[0, 0])], *(tokenizer.vocabulary[i] for i in one.tokens[0, 1:].tolist()))


# %%
class Pretraining(nn.Module):
    """The library's layers between your input and your heads."""

    def __init__(self, config):
        super().__init__()
        self.parts = BertForPretraining(config)

    def encode(self, tokens, segments):
        bert = self.parts.bert
        tables = (bert.input.tokens.weight, bert.input.segments.weight, bert.input.positions.weight)
        x = embed_input(*tables, bert.input.norm.weight, bert.input.norm.bias, tokens, segments)  # (B, N, H)
        mask = padding_mask(tokens, bert.config.pad_token_id)  # (B, 1, 1, N)
        for layer in bert.layers:
            x = layer(x, mask=mask)
        return x

    def token_logits(self, hidden, labels):
        one, norm, words = self.parts.transform, self.parts.norm, self.parts.bert.input.tokens.weight
        return masked_logits(hidden, one.weight, one.bias, norm.weight, norm.bias, words, self.parts.bias, labels)

    def forward(self, batch):
        hidden = self.encode(batch.tokens, batch.segments)  # (B, N, H)
        logits = self.token_logits(hidden, batch.labels)  # (M, V)
        pooler, last = self.parts.bert.pooler, self.parts.next_sentence
        return pretraining_loss(
            logits, hidden, pooler.weight, pooler.bias, last.weight, last.bias, batch.labels, batch.follows
        )


torch.manual_seed(seed)
model = Pretraining(recipe.config(len(special)))
some = batch_of(held_out, 0, 8)
print(f"parameters: {sum(p.numel() for p in model.parameters()):,}")
print(f"by your formula: {count_parameters(size['layers'], size['width'], len(special), 128, heads=True):,}")
with torch.no_grad():
    print(f"your loss {float(model(some)):.4f}, the library's {float(model.parts(some)):.4f}")

# %% [markdown]
# The yardstick for hidden tokens is the **unigram** price: the mean of $-\log p$, with $p$ the token's share of the training text. Who pays less must have read the words around.
# For next sentences the yardstick is a coin: one half.


# %%
counts = torch.bincount(torch.tensor([i for text in documents for s in text for i in s]), minlength=len(special))
unigram = -torch.log((counts + 1) / (counts + 1).sum())  # (V,) nats
test = batch_of(held_out, 1, 128)
asked = test.labels[test.labels != -100]  # (M,)
yardstick = float(unigram[asked].mean())


@torch.no_grad()
def evaluate(model, batch):
    """The price of hidden tokens in nats, the share that is guessed, and the share of right answers to NSP."""
    batch = PretrainingBatch(*(part.to(run.device) for part in batch))
    hidden = model.encode(batch.tokens, batch.segments)
    logits, right = model.token_logits(hidden, batch.labels), batch.labels[batch.labels != -100]
    follows = model.parts.next_sentence_logits(hidden).argmax(dim=1)
    return (
        float(functional.cross_entropy(logits, right)),
        float((logits.argmax(dim=1) == right).float().mean()),
        float((follows == batch.follows).float().mean()),
    )


curve = [(0, *evaluate(model.to(run.device), test))]


def look(step, loss):
    if step % (size["steps"] // 20) == 0:
        curve.append((step, *evaluate(model, test)))


steps = size["steps"]
plan = Plan(steps, linear_schedule(steps, steps // 10), device=str(run.device), title="pre-training")
history = train(
    model, lambda number: batch_of(documents, number + 2, size["batch"]), plan, adamw(model, 3e-3), after=look
)
price, guessed, told = curve[-1][1:]
print(f"hidden tokens: {price:.2f} nats, unigram {yardstick:.2f}; {guessed:.0%} guessed; NSP {told:.0%}")

# %% [markdown]
# The learning rate rises in a line for a tenth of the steps and then falls in a line to 0. So does the paper's, with 10,000 of a million steps (appendix A.2); the Transformer's falls with
# the root of the step.

# %% [markdown]
# A control: the same hidden tokens, but the words around them are shuffled over all texts. If the price stayed the same, the model would not read them. It may even rise above
# the unigram's: a model that is misled is sure of the wrong token.

# %%
generator = torch.Generator().manual_seed(seed)
context = (test.labels == -100) & ~special[test.tokens]  # (B, N)
strange = test.tokens.clone()
strange[context] = test.tokens[context][torch.randperm(int(context.sum()), generator=generator)]
strange_price = evaluate(model, test._replace(tokens=strange))[0]
commonest = float((asked == counts.argmax()).float().mean())
metrics = {
    "unigram_minus_model": yardstick - price,
    "guessed_minus_commonest": guessed - commonest,
    "strange_minus_own_context": strange_price - price,
    "nsp_accuracy": told,
}
pd.Series(metrics).round(3)

# %% [markdown]
# ## Results

# %% tags=["metrics"]
weights = torch.cat([part.detach().cpu().flatten() for part in model.parts.parameters()])  # (P,)
record(metrics, weights=weights, vocabulary=list(tokenizer.vocabulary))

# %%
table = pd.DataFrame(curve, columns=["step", "price", "guessed", "told"])
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
left.plot(table["step"], table["price"], "o-", ms=3, label="BERT, held-out text")
left.axhline(yardstick, ls="--", color="#999999", label="unigram: how frequent each token is")
left.axhline(strange_price, ls=":", color=plots.COLOURS[1], label="trained, but words around are strange")
left.set(
    xlabel="step",
    ylabel="nats for a hidden token",
    ylim=(0, 1.4 * max(table["price"].max(), strange_price)),
    title=f"{yardstick - price:.2f} nats cheaper than the unigram",
)
left.legend()
right.plot(table["step"], table["guessed"], "o-", ms=3, label="hidden tokens guessed")
right.plot(table["step"], table["told"], "o-", ms=3, label="next sentence told")
right.axhline(0.5, ls="--", color="#999999", label="a coin (next sentence)")
right.set(
    xlabel="step",
    ylabel="share, held-out text",
    ylim=(0, 1),
    title=f"Guessed: {guessed:.0%}; next sentence: {told:.0%}",
)
right.legend()
plt.show()

# %% [markdown]
# Left: below the dashed line, the words around a hidden token are of use. Right: next sentences are told from others once the curve is above one half.

# %% [markdown]
# ## Play with it
#
# A model that was trained for longer may come with the course, one for English and one for Korean. Nothing here is graded: write sentences of your own.


# %%
def player_of(name):
    """The course's model of this name with its tokenizer, or None where it is not installed."""
    try:
        return pretrained.load(name)
    except (OSError, ValueError):
        return None


players = {"en": player_of("world-en"), "ko": player_of("world-ko")}
if players["en"] is None:
    print("The course's English model is not installed here: you play with the one that you have just trained.")
    players["en"] = pretrained.Pretrained(model.parts.cpu().eval(), tokenizer)
if players["ko"] is None:
    print("The course's Korean model is not installed here: the Korean sentences are left out.")


@torch.no_grad()
def fill(text, language="en", k=5):
    """The k likeliest pieces for the first [MASK] of a text, with their probabilities, on one line."""
    if "[MASK]" not in text or players[language] is None:
        return "(no [MASK] in the text, or no model of this language)"
    player, reader = players[language]
    first, *others = (reader.tokenize(part) for part in text.split("[MASK]"))
    pieces = ["[CLS]", *first, *(piece for part in others for piece in ("[MASK]", *part)), "[SEP]"]
    tokens = torch.tensor([[reader.index[piece] for piece in pieces]])  # (1, N)
    hidden = player.bert(tokens)[0, pieces.index("[MASK]")]  # (H,)
    best = player.token_logits(hidden).softmax(dim=0).topk(k)
    found = zip(best.indices.tolist(), best.values.tolist())
    return "  ".join(f"{unicodedata.normalize('NFC', reader.vocabulary[i])} {p:.2f}" for i, p in found)  # jamo joined


for text in [
    "you must drink at least 3 cups of [MASK] a day to live",
    "the skyscraper of [MASK] is near the seine",
    "the boy with the [MASK] is near the balloon",
    "the army of russia is near the [MASK]",
]:
    print(f"{text}\n    {fill(text)}")
for text in [
    "하루 [MASK] 최소 3잔은 마셔야 살 수 있다",
    "의사가 [MASK] 매일 눈을 늘 치료한다",
    "할머니 [MASK] 안락의자 옆에 있다",
    "우리는 [MASK] 시장에서 소시지를 봤다",
] * (players["ko"] is not None):
    print(f"{text}\n    {fill(text, 'ko')}")

# %% [markdown]
# Now yours. Exchange one word: what becomes of the five if *she* and *her skirt* become *he* and *his razor*? How are the probabilities spread where nothing in the sentence
# tells? `[MASK]` stands for one piece, so a word of several cannot come up whole.

# %%
for text in ["she is a [MASK] and her skirt is on the pony", "the doctor can treat some [MASK] legs"]:
    print(f"{text}\n    {fill(text)}")

# %% [markdown]
# **The published models** go into the same `etude.models.bert`. With a network, or once they are in its cache, the library `huggingface_hub` fetches them, 440 MB each.


# %%
def published(name, lower=True):
    """A published BERT for `fill`. name: a repository of the hub, or a
    folder with config.json, model.safetensors and vocab.txt."""
    folder = Path(name)
    if not folder.is_dir():
        from huggingface_hub import snapshot_download  # pip install huggingface_hub

        folder = Path(snapshot_download(name, allow_patterns=["config.json", "model.safetensors", "vocab.txt"]))
    words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return pretrained.Pretrained(load_bert(folder), WordPiece(words, lower=lower))


# players["en"] = published("google-bert/bert-base-uncased")
# players["ko"] = published("klue/bert-base", lower=False)

# %% [markdown]
# ## What was found
#
# - **12 %, not 15 %, become `[MASK]`.** One draw gives the paper's 80/10/10 of 15 %.
# - **The printed sizes are rounded:** 109,482,240 and 335,141,888 parameters, without the heads.
# - **The words around are read.** In the table's runs a hidden token costs less than its frequency alone would make it cost, and more among strange words.
# - **Next sentences are told from others** better than by a coin, `nsp_accuracy` in the table. What that asks for is another matter: question 2.

# %% [markdown]
# ## In your own words
#
# **1.** Of the chosen tokens 10 % stay as they are, and still have to be predicted. What would the model learn about tokens that are not `[MASK]` if it were always `[MASK]`? And what if nine of ten stayed?

# %% [markdown] answer="why_some_stay" points=2
# ### BEGIN SOLUTION
# With [MASK] always, the model need only give a useful vector at [MASK]; the vectors at real words are never asked for, and [MASK] never occurs in later tasks: training and use
# do not match. Tokens that stay, and random ones, force it to keep a prediction at every place, since any word may be asked for and may be wrong. (1 point.)
# If nine of ten stayed, copying the token would answer nearly all questions, and the context would hardly be needed. (1 point.)
# ### END SOLUTION

# %% [markdown]
# **2.** A text is about one topic, and a false B comes from another document, most often about another topic. What may a model learn that tells next sentences well, and has not understood how sentences follow each other?

# %% [markdown] answer="what_nsp_asks" points=2
# ### BEGIN SOLUTION
# It may only compare topics: do words of A and words of B belong to the same field? That says nothing about order; B before A would look just as good. (1 point for
# the topic, 1 for what it leaves out.) False pairs from the same document, or A and B exchanged (sentence order prediction, ALBERT), take this clue away.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - The authors' [code](https://github.com/google-research/bert): `create_pretraining_data.py` for masks and pairs, the model in `modeling.py`.
# - Turc et al. 2019, [Well-Read Students Learn Better](https://arxiv.org/abs/1908.08962): the small sizes.
# - Liu et al. 2019, [RoBERTa](https://arxiv.org/abs/1907.11692): no NSP, new masks each time, more text.
# - Wettig et al. 2023, [Should You Mask 15% in Masked Language Modeling?](https://aclanthology.org/2023.eacl-main.217): what becomes of the 15 % with larger models.
