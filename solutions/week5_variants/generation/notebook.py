# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Generation: which word comes next
#
# **The papers.** Holtzman et al., [The Curious Case of Neural Text Degeneration](https://arxiv.org/abs/1904.09751) (ICLR 2020);
# Keskar et al. 2019, [CTRL](https://arxiv.org/abs/1909.05858), section 4.1; Welleck et al., [Neural Text Generation with Unlikelihood Training](https://arxiv.org/abs/1908.04319) (ICLR 2020).
#
# A language model gives each token a probability. Which one should be written? The likeliest seems safe, and ends in a loop.

# %% [markdown]
# **The claims to test.**
#
# | claim | where | number |
# |---|---|---|
# | the likeliest text runs into loops, people's does not | Holtzman, Table 1 | greedy 73.66 % of texts, beam search 28.94 %, people 0.28 % |
# | a large share of greedy text's 4-grams has been written before | Welleck, Table 2 | .442, people .006 |
# | people's text is far less likely than what beam search finds | Holtzman, Table 1 | perplexity 12.38 against 1.48 |
# | drawing from the whole distribution goes too far down its tail; top-p does not | Holtzman, Table 1 | perplexity 22.73 and 13.13 |
# | each repetition makes the next one likelier | Holtzman, Figure 4 | |
# | a penalty of about 1.2 stops the loops | CTRL, section 4.1 | 1.2 |

# %% [markdown]
# You will write the pieces (about 2 hours):
#
# 1. temperature and greedy choice
# 2. drawing a token with given noise
# 3. top-k
# 4. top-p
# 5. the repetition penalty
# 6. a cache that reads a prompt at once
# 7. text that appears byte by byte
# 8. a measure of repetition
#
# After each piece, `check("...")` tells you at once whether it is right. In shapes, B texts have N tokens, V is the vocabulary.

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: under a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
import time
from collections import Counter

import matplotlib.pyplot as plt
import pandas as pd
import torch

import etude
from etude import check, plots, pretrained_gpt, record
from etude.models import sampling, search
from etude.world import World

run = etude.start("week5_variants/generation", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# Two small GPT-2s of the course will write: 2 layers of width 64, byte-level BPE with 1,500 tokens, one for each language of the world. Both have
# read 240,000 words.

# %%
END = "<|endoftext|>"
english, english_bpe = pretrained_gpt.load("world-en-gpt")
korean, korean_bpe = pretrained_gpt.load("world-ko-gpt")
english, korean = english.to(run.device).eval(), korean.to(run.device).eval()


@torch.no_grad()
def next_logits(model, bpe, text):
    """What the model scores after a text that opens a document, (1, V)."""
    ids = [bpe.special_tokens[END], *bpe.encode(text)]
    return model.read(torch.tensor([ids], device=run.device), model.start()).cpu()


PROMPT = "every day the singer often"
logits = next_logits(english, english_bpe, PROMPT)
scores, ids = logits[0].topk(6)
pd.DataFrame({"token": [english_bpe.decode([i]) for i in ids.tolist()], "logit": scores.numpy().round(2)})

# %% [markdown]
# ## 1. Temperature
#
# $$p_i = \frac{e^{z_i / T}}{\sum_j e^{z_j / T}}$$
#
# A temperature below 1 favours the likely tokens, one above 1 the unlikely. Towards $T = 0$ all weight goes to the likeliest token: **greedy** choice.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# Nothing can be divided by 0, so write the limit out: where a logit equals the largest of its row there is weight, elsewhere none.
#
# </details>


# %% exercise="next_probabilities"
def next_probabilities(logits, temperature):
    """The probability of each token at a temperature.

    logits (B, V) float, some may be −inf; temperature: a finite number, 0 or more. At 0, the limit,
    the likeliest token has all the weight; tokens that are equally likely share it equally.
    Returns a tensor (B, V) of any float type, rows sum to 1.
    """
    ### BEGIN SOLUTION
    if temperature == 0:
        likeliest = (logits == logits.amax(dim=-1, keepdim=True)).to(logits.dtype)  # (B, V)
        return likeliest / likeliest.sum(dim=-1, keepdim=True)
    return (logits / temperature).softmax(dim=-1)
    ### END SOLUTION


# %%
check("next_probabilities")

# %%
figure, axes = plt.subplots(1, 4, figsize=(12, 2.8), layout="constrained", sharey=True)
order = logits[0].argsort(descending=True)[:8]
names = [english_bpe.decode([i]).strip() for i in order.tolist()]
for ax, temperature in zip(axes, (0, 0.5, 1, 2)):
    ax.bar(names, next_probabilities(logits, temperature)[0, order])
    ax.tick_params(axis="x", rotation=60)
    ax.set(title=f"T = {temperature}", ylim=(0, 1))
axes[0].set_ylabel("probability")
figure.suptitle(
    f"“{PROMPT} …”: the higher the temperature, the flatter the choice", x=0.01, ha="left", fontsize=11
)
plt.show()

# %% [markdown]
# ## 2. Drawing
#
# Lay the probabilities side by side on a line of length 1, and throw a point $u$ on it. Where it falls is the token.
#
# ```text
#   p     .5                   .2       .3
#   sums  0 ─────────────────── .5 ───── .7 ─────────── 1
#                                     ↑ u = .62          token 1
# ```

# %% [markdown]
# **Draw.** The noise is given, so the result is exact.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# How many of the running sums are at most u? That many tokens lie to the left. Then think of a last sum that rounding has left at 0.9999999.
#
# </details>


# %% exercise="draw"
def draw(probabilities, noise):
    """The token of each row in whose stretch of the line the noise falls: the first one at which
    the running sum exceeds it.

    probabilities (B, V) float; noise (B,) float, from 0 to below 1. The sum is taken in the type of
    the probabilities or in float64: either will do. A token of probability 0 is never drawn, also
    where rounding has left the whole sum a little below the noise: then the last token of a
    probability above 0 is.
    Returns (B,) int64.
    """
    ### BEGIN SOLUTION
    left = (probabilities.cumsum(dim=-1) <= noise[:, None]).sum(dim=-1)  # (B, V) → (B,)
    last = probabilities.size(-1) - 1 - (probabilities.flip(-1) > 0).int().argmax(dim=-1)  # (B,)
    return left.minimum(last)
    ### END SOLUTION


# %%
check("draw")

# %%
draws = torch.Generator().manual_seed(seed)
weights = next_probabilities(logits, 1.0)
drawn = draw(weights.expand(2_000, -1), torch.rand(2_000, generator=draws))
for i, count in Counter(drawn.tolist()).most_common(4):
    print(f"{english_bpe.decode([i])!r:12} drawn {count / 2_000:.3f}, probability {float(weights[0, i]):.3f}")
print(f"{len(set(drawn.tolist()))} different tokens in 2,000 draws")

# %% [markdown]
# ## 3. Top-k
#
# Each token of the tail is unlikely; together they are not, and one odd word can spoil a text. **Top-k** draws from the k likeliest. GPT-2's story of the unicorns was drawn so, with k = 40.
#
# ```text
#   logits      3.0   1.0   2.0   2.0   0.5        k = 2
#   left        3.0   −∞    2.0   2.0   −∞         the last place is shared: both stay
# ```

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `topk` gives the k largest in order; the last of them is the least that stays. There may be fewer than k tokens.
#
# </details>


# %% exercise="top_k"
def top_k(logits, k):
    """Shuts out all but the k likeliest tokens of each row; those as likely as the last of them
    stay too.

    logits (B, V) float; k: an int from 1, which may be more than V.
    Returns (B, V): the logits, in their type, −inf where a token is shut out.
    """
    ### BEGIN SOLUTION
    least = logits.topk(min(k, logits.size(-1)), dim=-1).values[:, -1:]  # (B, 1)
    return logits.masked_fill(logits < least, -torch.inf)
    ### END SOLUTION


# %%
check("top_k")

# %% [markdown]
# ## 4. Top-p
#
# But how many tokens are good differs from place to place. **Top-p**, or nucleus sampling, keeps the fewest likeliest tokens that together have probability $p$.
#
# ```text
#   probabilities   .6    .25   .1    .05          p = .8: two tokens, .6 alone is too little
#   probabilities   .97   .01   .01   .01          p = .8: one
#   probabilities   .25   .25   .25   .25          p = .8: all four; p = .5: any two
# ```

# %% [markdown]
# **Top-p.** Holtzman et al., equation 2.
#
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Sort, and look at the sum of all tokens *before* a token: if that is below p, the token is still needed.
#
# </details>
#
# <details><summary>Hint on the way back</summary>
#
# What you know of the sorted tokens has to return to their own places: `scatter` with the order of the sort.
#
# </details>


# %% exercise="top_p"
def top_p(logits, p):
    """Shuts out all but the fewest likeliest tokens of each row whose probabilities sum to p or
    more; one always stays.

    logits (B, V) float, some may be −inf; p: a number from 0 to 1. Of equally likely tokens any may
    stay. Where rounding alone decides if a sum reaches p, as it may at p = 1, either will do.
    Returns (B, V): the logits, in their type, −inf where a token is shut out. Holtzman et al. 2020,
    section 3.1.
    """
    ### BEGIN SOLUTION
    probabilities, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)  # (B, V)
    before = probabilities.cumsum(dim=-1) - probabilities  # (B, V), of all likelier tokens together
    needed = before < p
    needed[:, 0] = True
    return logits.masked_fill(~needed.scatter(1, order, needed), -torch.inf)
    ### END SOLUTION


# %%
check("top_p")


# %% [markdown]
# Now look at a document which the model has not read. How many tokens are in the nucleus at each place?


# %%
def held_out(language, bpe, count, prompt=8, longest=64):
    """The first tokens of documents that no model has read, <|endoftext|> first: (count, prompt + longest)."""
    size = prompt + longest
    written = World(language, seed=10_000 + seed).documents(20_000 + 250 * count)
    rows = [[bpe.special_tokens[END], *bpe.encode(str(document))] for document in written]
    return torch.tensor([row[:size] for row in rows if len(row) >= size][:count], device=run.device)


with torch.no_grad():
    text = held_out("en", english_bpe, 1)  # (1, 72)
    left = top_p(english.logits(english.hidden(text))[0, :-1].cpu(), 0.9).isfinite().sum(dim=-1)  # (71,)
shown = slice(8, 40)
figure, ax = plt.subplots(figsize=(12, 3.2), layout="constrained")
words = [repr(english_bpe.decode([i]))[1:-1] for i in text[0, 1:].tolist()]
ax.bar(range(len(left))[shown], left[shown])
ax.axhline(40, color=plots.COLOURS[1], ls="--", lw=1, label="top-k, k = 40")
ax.set_xticks(range(len(left))[shown], words[shown], rotation=70)
ax.set(xlabel="the token that people wrote there", ylabel="tokens in the nucleus")
ax.set_title(f"p = 0.9 leaves between {int(left.min())} and {int(left.max())} tokens: no single k fits")
ax.legend()
plt.show()

# %% [markdown]
# ## 5. The repetition penalty
#
# CTRL divides the logit of each token that has been written by a penalty θ, about 1.2, then chooses greedily, or nearly so.
#
# ```text
#   logits                   2.0    −2.0     1.0      θ = 2, tokens 0 and 1 written
#   divided, as printed      1.0    −1.0     1.0      token 1 became likelier!
#   as in transformers       1.0    −4.0     1.0
# ```
#
# A logit below 0 is *raised* by a division, and CTRL's own code divides too. The library `transformers` multiplies it instead
# ([issue 2302](https://github.com/huggingface/transformers/issues/2302)), and so do we.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `gather` fetches the logits of the tokens in the text, `scatter` brings back what became of them. A token that was written twice is penalised once.
#
# </details>


# %% exercise="penalize"
def penalize(logits, text, penalty):
    """Lowers the tokens that each text already holds: a logit above 0 is divided by the penalty,
    one below 0 multiplied, once.

    logits (B, V) float; text (B, N) int64, N may be 0; penalty: a number, 1 or more.
    Returns (B, V) of the logits' type; the logits that came in stay as they are. Keskar et al.
    2019, section 4.1.
    """
    ### BEGIN SOLUTION
    scores = logits.gather(1, text)  # (B, N)
    return logits.scatter(1, text, torch.where(scores < 0, scores * penalty, scores / penalty))
    ### END SOLUTION


# %%
check("penalize")

# %% [markdown]
# The course's library holds the same functions, in `etude/models/sampling.py`. Do they agree with yours on the model's logits?

# %%
sample = english.logits(english.hidden(text))[0].detach().cpu()  # (72, V)
pairs = {
    "top-k, 40": (top_k(sample, 40), sampling.top_k(sample, 40)),
    "top-p, 0.9": (top_p(sample, 0.9), sampling.top_p(sample, 0.9)),
    "penalty, 1.2": (
        penalize(sample, text.cpu().expand(72, -1), 1.2),
        sampling.without_repetition(sample, text.cpu().expand(72, -1), 1.2),
    ),
}
for name, (yours, library) in pairs.items():
    print(f"{name:13} differs at {int((~torch.isclose(yours, library)).sum())} of {yours.numel():,} places")

# %% [markdown]
# ## 6. A cache
#
# Writing a token needs the keys and values of all tokens before it, and those never change. In *The Transformer* you kept them while one token was added. Here
# **several** may come at once: first the whole prompt, then token by token.
#
# ```text
#   prompt of 3, nothing kept      then 2 more, 3 kept
#      ■ · ·                         ■ ■ ■ ■ ·
#      ■ ■ ·                         ■ ■ ■ ■ ■
#      ■ ■ ■
# ```

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# New query i stands at place past + i and sees all places up to that. `torch.ones(...).tril(...)` has an argument that moves the diagonal.
#
# </details>


# %% exercise="attend"
def attend(queries, keys, values, past=None):
    """Attention of N new tokens to all that were kept, to the new ones before them, and to themselves.

    queries, keys, values (B, h, N, d), of the new tokens; past: None, or (keys, values) of M tokens
    before, each (B, h, M, d), M from 0. Scores are divided by √d.
    Returns (output (B, h, N, d), (keys, values), each (B, h, M + N, d)); what came in stays as it is.
    """
    ### BEGIN SOLUTION
    if past is not None:
        keys = torch.cat([past[0], keys], dim=2)  # (B, h, M + N, d)
        values = torch.cat([past[1], values], dim=2)
    new, all_ = queries.size(2), keys.size(2)
    seen = torch.ones(new, all_, dtype=torch.bool, device=queries.device).tril(all_ - new)  # (N, M + N)
    scores = queries @ keys.mT / math.sqrt(queries.size(-1))  # (B, h, N, M + N)
    weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)
    return weights @ values, (keys, values)
    ### END SOLUTION


# %%
check("attend")

# %% [markdown]
# The rest of GPT-2 you know from the last lesson, so it is taken as it is. All texts below are written through **your** cache.


# %%
def read(model, tokens, past=None):
    """Reads N new tokens of each text, (B, N): the logits after each of
    them, (B, N, V), and the longer past of each layer."""
    past = past or [None] * len(model.layers)
    start = past[0][0].size(2) if past[0] is not None else 0
    x = model.tokens(tokens) + model.positions.weight[start : start + tokens.size(1)]  # (B, N, H)
    longer = []
    for layer, kept in zip(model.layers, past):
        maps = layer.attention.project_in(layer.attention_sum.norm(x))  # (B, N, 3 H)
        parts = maps.unflatten(-1, (3, model.config.n_head, -1)).permute(2, 0, 3, 1, 4)  # (3, B, h, N, d)
        mixed, kept = attend(*parts, kept)  # (B, h, N, d)
        x = x + layer.attention.project_out(mixed.transpose(1, 2).flatten(2))
        x = x + layer.feed_forward(layer.feed_forward_sum.norm(x))
        longer.append(kept)
    return model.logits(model.norm(x)), longer


@torch.no_grad()
def continued(model, prompt, longest, choose, blocked=None):
    """Writes `longest` tokens after each prompt, (B, N) → (B, N +
    longest); the blocked token is never chosen."""
    text, new, past = prompt, prompt, None
    for _ in range(longest):
        logits, past = read(model, new, past)
        logits = logits[:, -1]  # (B, V)
        if blocked is not None:
            logits = logits.index_fill(1, torch.tensor([blocked], device=logits.device), -torch.inf)
        new = choose(logits, text)[:, None]  # (B, 1)
        text = torch.cat([text, new], dim=1)
    return text


def chooser(temperature=1.0, k=None, p=None, penalty=None, number=seed):
    """Puts your pieces together, in this order: penalty, temperature, top-k, top-p, draw."""
    draws = torch.Generator().manual_seed(number)

    def choose(logits, text):
        if penalty is not None:
            logits = penalize(logits, text, penalty)
        logits = next_probabilities(logits, temperature).log()
        if k is not None:
            logits = top_k(logits, k)
        if p is not None:
            logits = top_p(logits, p)
        return draw(next_probabilities(logits, 1.0), torch.rand(len(logits), generator=draws).to(logits.device))

    return choose


# %% [markdown]
# Is it the same model? The logits of one pass over the text, of the prompt followed by single tokens, and of a cache that forgets its first token:

# %%
with torch.no_grad():
    whole = english.logits(english.hidden(text))  # (1, 72, V)
    for name, forget in (("prompt, then one by one", 0), ("the first token forgotten", 1)):
        found, past = read(english, text[:, :8])
        past = [(keys[:, :, forget:], values[:, :, forget:]) for keys, values in past]
        parts = [found]
        for n in range(8, 72):
            found, past = read(english, text[:, n : n + 1], past)
            parts.append(found)
        gap = float((torch.cat(parts, dim=1) - whole).abs().max())
        print(f"{name:26}: largest difference {gap:.1e}, of logits up to {float(whole.abs().max()):.0f}")

# %% [markdown]
# And what is it worth?

# %%
group, reach = {"smoke": 16, "cpu": 64, "gpu": 256}[profile], 120
tokens = text[:, :1].expand(group, -1).repeat(1, reach)  # (group, 120): what is written does not matter here
times = {"everything again": [], "with a cache": []}
with torch.no_grad():
    past = None
    for n in range(1, reach + 1):
        began = time.perf_counter()
        found, past = read(english, tokens[:, n - 1 : n], past)
        float(found.sum())  # waits for a GPU
        times["with a cache"].append(1000 * (time.perf_counter() - began))
        if n % 6 == 0:
            began = time.perf_counter()
            float(read(english, tokens[:, :n])[0][:, -1].sum())
            times["everything again"].append((n, 1000 * (time.perf_counter() - began)))
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(*zip(*times["everything again"]), marker=".", label="everything again")
# other programs run too
smooth = pd.Series(times["with a cache"]).rolling(9, min_periods=1, center=True).median()
ax.plot(range(1, reach + 1), smooth, label="with a cache, median of 9")
ax.set(xlabel="tokens in the text", ylabel="milliseconds for one more token", yscale="log")
ax.set_title(f"What one more token costs, in {group} texts at once")
ax.legend()
plt.show()

# %% [markdown]
# The time is one run of your machine. Without a cache work grows with the text. With it each step costs the same, apart from attention, which is little at this size.

# %% [markdown]
# ## 7. Letters that are not yet whole
#
# A byte-level token may be a part of a character. 눈 has three bytes in UTF-8, and a word that the tokenizer has not learnt falls to bytes:

# %%
for word in ("눈", "킹받네"):
    ids = korean_bpe.encode(word)
    print(
        f"{word}: {[korean_bpe.decode_bytes([i]) for i in ids]}, "
        f"one by one {''.join(korean_bpe.decode([i]) for i in ids)}"
    )

# %% [markdown]
# To show a text while it is written, print what is whole and **keep the rest** until its bytes have come.
#
# ```text
#   pieces    EB 88      88 20 EB     B0 B0
#   shown     (nothing)  눈␣          배
# ```

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Keep the bytes that are left over, and add the next piece. At most 3 bytes at the end can belong to a character that is not whole: which end decodes? Or look into Python's module `codecs`.
#
# </details>


# %% exercise="complete_text"
def complete_text(pieces):
    """What can be shown after each piece of a text in UTF-8, beyond what was shown before.

    pieces: a list of bytes; joined they are right UTF-8, but the last character may still lack
    bytes: these are not shown. A character is a code point, however it joins others.
    Returns a list of strings, one for each piece; some may be "". Each call begins a new text.
    """
    ### BEGIN SOLUTION
    kept, shown = b"", []
    for piece in pieces:
        kept += piece
        for cut in range(min(4, len(kept) + 1)):  # how many bytes have to wait
            try:
                text = kept[: len(kept) - cut].decode("utf-8")
            except UnicodeDecodeError:
                continue
            shown.append(text)
            kept = kept[len(kept) - cut :]
            break
    return shown
    ### END SOLUTION


# %%
check("complete_text")

# %% [markdown]
# ### Your turn to play
#
# A story from your pieces. Change the prompt, the temperature, `p`, `k`, `penalty` and the number of the draw, and run the cell again. Slashes mark where one token ends.


# %%
def story(model, bpe, prompt, longest=60, **how):
    """Prints a story that goes on from the prompt until its document ends, or `longest` tokens are written."""
    end = bpe.special_tokens[END]
    ids = torch.tensor([[end, *bpe.encode(prompt)]], device=run.device)
    new = continued(model, ids, min(longest, 128 - ids.size(1)), chooser(**how))[0, ids.size(1) :].tolist()
    new = new[: new.index(end)] if end in new else new
    print(
        prompt + "".join(f"/{part}" for part in complete_text([bpe.decode_bytes([i]) for i in new]) if part),
        "\n",
    )


story(english, english_bpe, "the singer of the theater", temperature=1.0, p=0.9, number=seed)
story(korean, korean_bpe, "피아니스트가 극장에서", temperature=1.0, p=0.9, number=seed)
story(korean, korean_bpe, "눈이", temperature=0, number=seed)

# %% [markdown]
# ## 8. Measuring repetition
#
# Count n-grams, the stretches of n tokens. **distinct-n** (Li et al. 2016) is the share of different ones (Li et al. divide by the number of tokens); 1 minus the share, in one text, is the share written before (Welleck's seq-rep-n).
#
# ```text
#   we / saw / a / flag / we / saw / a / map       4-grams: 5, all different → distinct-4 = 1
#                                                  2-grams: 7, 5 different   → distinct-2 = .71
# ```

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# A list can't be in a set, a tuple can. An n-gram never crosses from one text to the next.
#
# </details>


# %% exercise="distinct"
def distinct(texts, n):
    """The share of different n-grams among all n-grams of all texts; 1 where there is none, since
    nothing is repeated.

    texts: a list of lists of tokens (ids or strings); n: an int from 1. Strings are the same token
    only where each of their characters is.
    Returns a float.
    """
    ### BEGIN SOLUTION
    grams = [tuple(text[i : i + n]) for text in texts for i in range(len(text) - n + 1)]
    return len(set(grams)) / len(grams) if grams else 1.0
    ### END SOLUTION


# %%
check("distinct")

# %% [markdown]
# ## 9. The experiment
#
# Take the first 8 tokens of documents that the model has not read, and write 64 more in each way. The control is what the document really says there: the world's own, "human" text. <|endoftext|> is
# blocked, so that all texts are equally long.

# %%
count, searched, beams = {"smoke": (64, 32, 4), "cpu": (256, 64, 8), "gpu": (1024, 512, 16)}[profile]
START, LONGEST = 8, 64
end = english_bpe.special_tokens[END]
human = held_out("en", english_bpe, count)  # (count, 72)
ways = {
    "greedy": {"temperature": 0},
    "greedy, penalty 1.2": {"temperature": 0, "penalty": 1.2},
    "T = 0.7": {"temperature": 0.7},
    "top-k 40": {"k": 40},
    "top-p 0.9": {"p": 0.9},
    "sampling": {},
    "T = 1.3": {"temperature": 1.3},
}
texts = {"human": human}
for name, how in ways.items():
    texts[name] = continued(english, human[:, :START], LONGEST, chooser(**how), end)


# %% [markdown]
# Beam search you have written in *The Transformer*; the library's needs a model with `start` and `step`. It keeps the K likeliest texts at each step.


# %%
class Continuation:
    """A GPT as the library's beam search asks for it: the source is the
    prompt, whose scores are there before the first step."""

    def __init__(self, model, blocked):
        self.model, self.blocked, self.ready = model, blocked, None

    def start(self, prompt):
        state = self.model.start()
        self.ready = self.model.read(prompt, state)  # (B, V)
        return state

    def step(self, tokens, state):
        scores = self.model.read(tokens[:, None], state) if self.ready is None else self.ready
        self.ready = None
        return scores.index_fill(1, torch.tensor([self.blocked], device=scores.device), -torch.inf)


prompts = human[:searched, :START]
found = search.beam_search(
    Continuation(english, end), prompts, begin=end, end=end, longest=LONGEST, beams=beams, alpha=0.0
)
written = torch.tensor([best[0].tokens for best in found], device=run.device)  # (searched, 64)
texts["beam search"] = torch.cat([prompts, written], dim=1)


# %%
@torch.no_grad()
def token_logps(model, text):
    """ln p of each written token, (B, 72) → (B, 64), after all tokens before it, at temperature 1."""
    logps = model.logits(model.hidden(text[:, :-1])).log_softmax(dim=-1)  # (B, 71, V)
    return logps.gather(2, text[:, 1:, None])[:, START - 1 :, 0].cpu()


def repeats(text):
    """The share of 4-grams that a text has written before, the mean over texts (B, 72), prompts left out."""
    return sum(1 - distinct([row], 4) for row in text[:, START:].tolist()) / len(text)


rows = []
for name, text in texts.items():
    grams = [distinct(text[:searched, START:].tolist(), n) for n in (1, 2)]
    rows.append((name, repeats(text), *grams, float(token_logps(english, text).mean())))
table = pd.DataFrame(rows, columns=["way", "4-grams repeated", "distinct-1", "distinct-2", "ln p of a token"])
table = table.set_index("way")
table.round(3)

# %% [markdown]
# distinct-n falls with the amount of text, so it is computed on equally many texts. Each way is one point in the next figure:

# %%
figure, ax = plt.subplots(figsize=(8, 4.4), layout="constrained")
colours = {"human": plots.COLOURS[2], "greedy": plots.COLOURS[1], "beam search": plots.COLOURS[1]}
for place, (name, row) in enumerate(table.sort_values("ln p of a token").iterrows()):
    x, y = row["ln p of a token"], row["4-grams repeated"]
    ax.plot(
        x,
        y,
        marker="*" if name == "human" else "o",
        ms=14 if name == "human" else 7,
        color=colours.get(name, plots.COLOURS[0]),
    )
    side = -1 if place % 2 else 1  # names stand above and below in turn
    ax.annotate(name, (x, y), (0, 16 * side), textcoords="offset points", ha="center", va="center", fontsize=9)
ax.margins(x=0.15, y=0.15)
ax.set(xlabel="mean ln p of a token, to the right: likelier", ylabel="share of 4-grams written before")
ax.set_title("What maximises likelihood is likelier than people's text, and repeats itself")
plt.show()

# %%
row = int(token_logps(english, texts["beam search"]).mean(dim=1).argmax())
figure, ax = plt.subplots(figsize=(11, 3.2), layout="constrained")
for name, colour in (("human", plots.COLOURS[2]), ("beam search", plots.COLOURS[1])):
    ax.plot(token_logps(english, texts[name])[row].exp(), marker=".", lw=1, color=colour, label=name)
ax.set(xlabel="token written after the prompt", ylabel="p of the token")
ax.set_title("People surprise the model again and again, the beam hardly ever")
ax.legend(loc="lower left", ncols=2)
plt.show()
for name in ("human", "beam search"):
    print(f"{name}:\n{english_bpe.decode(texts[name][row].tolist())}\n")

# %% [markdown]
# ### Does a loop feed itself?
#
# Holtzman's Figure 4: write one sentence again and again, and each repetition is likelier than the one before. Here, with the first sentences of held-out documents, eight times each:

# %%
TIMES = 8


@torch.no_grad()
def repeated_logps(model, bpe, language):
    """Mean ln p of a token in each repetition of a sentence, the mean over sentences: (TIMES,)."""
    found = []
    for document in World(language, seed=20_000 + seed).documents(5_000)[:60]:
        ids = bpe.encode(str(document).split("\n")[0] + "\n")
        if TIMES * len(ids) < 128:
            text = torch.tensor([[bpe.special_tokens[END], *ids * TIMES]], device=run.device)
            logps = model.logits(model.hidden(text[:, :-1])).log_softmax(dim=-1)  # (1, TIMES · N, V)
            found.append(logps.gather(2, text[:, 1:, None])[0, :, 0].view(TIMES, -1).mean(dim=1).cpu())
    return torch.stack(found).mean(dim=0)


loops = {
    "English": repeated_logps(english, english_bpe, "en"),
    "Korean": repeated_logps(korean, korean_bpe, "ko"),
}
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
for name, line in loops.items():
    ax.plot(range(1, TIMES + 1), line, marker="o", label=name)
ax.set(xlabel="the sentence for the …th time", ylabel="mean ln p of its tokens")
ax.set_title("What was said once is likelier; more often adds nothing here")
ax.legend()
plt.show()

# %% [markdown]
# ### The tail
#
# What is wrong with sampling from everything? In Korean words are put together of more pieces, so a wrong piece makes a word that does not exist. Count the words that
# are nowhere in the 240,000 that the model has read.

# %%
known = {word for document in World("ko", seed=0).documents(240_000) for word in str(document).split()}


def unknown_words(text):
    """The share of words that the model has never read; the first and the
    last word of a text, which may be cut, left out."""
    words = [word for row in text[:, START:].tolist() for word in korean_bpe.decode(row).split()[1:-1]]
    return (
        sum(word not in known for word in words) / len(words),
        Counter(word for word in words if word not in known),
    )


korean_texts = {"human": held_out("ko", korean_bpe, count)}
for name in ("greedy", "top-p 0.9", "sampling", "T = 1.3"):
    prompts = korean_texts["human"][:, :START]
    korean_texts[name] = continued(
        korean, prompts, LONGEST, chooser(**ways[name]), korean_bpe.special_tokens[END]
    )
rows = []
for name, text in korean_texts.items():
    share, which = unknown_words(text)
    examples = " ".join(word for word, _ in which.most_common(4))
    rows.append((name, repeats(text), float(token_logps(korean, text).mean()), share, examples))
pd.DataFrame(
    rows, columns=["way", "4-grams repeated", "ln p of a token", "unknown words", "such as"]
).set_index("way").round(3)

# %% [markdown]
# ## Results
#
# Each number is a difference from its control. What is recorded are the texts: the grader measures them itself, and looks that they go on from the documents' beginnings.

# %% tags=["metrics"]
logps = {
    name: float(token_logps(english, texts[name][:searched]).mean())
    for name in ("human", "beam search", "sampling")
}
metrics = {
    "greedy_repeats_minus_human": repeats(texts["greedy"]) - repeats(human),
    "beam_repeats_minus_human": repeats(texts["beam search"]) - repeats(human[:searched]),
    "repeats_stopped_by_penalty": repeats(texts["greedy"]) - repeats(texts["greedy, penalty 1.2"]),
    "beam_logp_minus_human": logps["beam search"] - logps["human"],
    "sampling_logp_minus_human": float(
        token_logps(english, texts["sampling"]).mean() - token_logps(english, human).mean()
    ),
    "unknown_words_cut_by_top_p": unknown_words(korean_texts["sampling"])[0]
    - unknown_words(korean_texts["top-p 0.9"])[0],
    "eighth_time_minus_second": float(loops["English"][-1] - loops["English"][1]),
}
record(
    metrics,
    greedy=texts["greedy"],
    beam=texts["beam search"],
    penalty=texts["greedy, penalty 1.2"],
    sampling=texts["sampling"],
    korean_sampling=korean_texts["sampling"],
    korean_top_p=korean_texts["top-p 0.9"],
)
for name, value in metrics.items():
    print(f"{name:28} {value:+.3f}")

# %% [markdown]
# | effect in the paper | at our size, in the table's runs |
# |---|---|
# | greedy and beam search repeat themselves | yes, with 2 layers already |
# | people's text is less likely than the beam's | yes |
# | a penalty of 1.2 stops it | yes |
# | the tail makes mistakes that top-p avoids | yes, seen in words that do not exist |
# | sampling is less likely than people's text | no: it is as likely or a little likelier |
# | each repetition makes the next likelier | only the first one does |

# %% [markdown]
# Why no? A sample's likelihood shows what the model believes of itself. The world's language is small and regular, so this model's tail is nearly right: most of what it draws there could have been written. GPT-2's tail,
# over a vocabulary of 50,257 tokens, is not. And people of the world repeat themselves more: some frames are all that they have.

# %% [markdown]
# ## In your own words
#
# **1.** A model that has learnt its language perfectly is asked for its likeliest text of 100 tokens. Why is this not a typical text? Use a coin that shows heads with probability 0.6, thrown 100 times.

# %% [markdown] answer="why_not_typical" points=2
# ### BEGIN SOLUTION
# The likeliest sequence is 100 heads, with 0.6¹⁰⁰. Yet each typical one has about 60 heads; each of these is far less likely, but there are so many that nearly all probability lies there. So the likeliest
# text is an extreme: never a surprise, though people (and the perfect model's own samples) surprise at the rate of the entropy. No error of the model is needed.
#
# (1 point: all heads is the likeliest. 1 point: typical sequences are each less likely but many, with surprises at the rate of the entropy.)
# ### END SOLUTION

# %% [markdown]
# **2.** A friend sets p = 0.9 *and* temperature 0.7, and applies top-p first. Does the order matter? Say what would be drawn from in each order.

# %% [markdown] answer="order_matters" points=2
# ### BEGIN SOLUTION
# Yes. Top-p first: the nucleus is that of the model's own probabilities, and the temperature then sharpens within it. Temperature first: the distribution is sharper, so fewer tokens are needed to reach 0.9, and
# the nucleus is smaller (never larger, below T = 1). With top-k the order would not matter, since the temperature leaves the ranks as they are.
#
# (1 point: temperature first makes the nucleus smaller. 1 point: the reason, that the nucleus depends on probabilities and not on ranks alone.)
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Meister et al. 2023, [Locally Typical Sampling](https://arxiv.org/abs/2202.00666): choose what is as surprising as expected.
# - Su et al. 2022, [A Contrastive Framework for Neural Text Generation](https://arxiv.org/abs/2202.06417): loops and the vectors behind them.
# - Leviathan et al. 2023, [Fast Inference from Transformers via Speculative Decoding](https://arxiv.org/abs/2211.17192): a small model guesses, a large one checks several tokens at once, with your section 6.
# - `etude/models/sampling.py` and `search.py`: the library's versions. Next: *Zero, one and few shots*.
