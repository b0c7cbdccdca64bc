# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # GPT: reading from left to right, fine-tuned by a linear layer
#
# **The papers.** Radford, Narasimhan, Salimans and Sutskever 2018, [Improving Language Understanding by Generative Pre-Training](https://openai.com/index/language-unsupervised/) (GPT-1); Radford et al. 2019,
# [Language Models are Unsupervised Multitask Learners](https://openai.com/index/better-language-models/) (GPT-2).

# %% [markdown]
# **The claims to test.**
#
# | claim | where | the paper's numbers |
# |---|---|---|
# | what a left-to-right model has read helps where it is fine-tuned | GPT-1, Table 5 | average of eight tasks 74.7, without pre-training 59.9 |
# | a language-model loss beside the task's helps on large data sets, not on small ones | GPT-1, Table 5 | with it 74.7, without 75.0 |
# | residual weights start smaller, by $1/\sqrt N$ | GPT-2, section 2.3 | N: the number of residual layers |
# | any text can be scored, byte for byte | GPT-2, Table 3 | enwik8: 0.93 bits per byte |

# %% [markdown]
# You write what GPT adds to the Transformer of week 4 (about 2 hours):
#
# | | piece | for |
# |---|---|---|
# | 1 | the loss of the next token | pre-training |
# | 2–3 | GPT-2's layers, and their start | GPT-2 |
# | 4 | the number of parameters | all sizes |
# | 5–7 | a task as rows of tokens, the vector that is read, the scores | fine-tuning |
# | 8 | the auxiliary loss | fine-tuning |
# | 9 | perplexity per word, bits per byte | comparing models |

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: a minute or two · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import importlib.util
import math
import random
from collections import Counter

import matplotlib.pyplot as plt
import pandas as pd
import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import parameters_to_vector
from torch.nn.utils.rnn import pad_sequence

import etude
from etude import check, plots, pretrained_gpt, record
from etude.corpora import datasets
from etude.language_modelling import Windows
from etude.models.attention import MultiHeadAttention
from etude.models.gpt import GPT, SIZES, GPTConfig
from etude.tokenizers.byte_bpe import ByteBPE
from etude.train import Plan, adamw, linear_schedule, train
from etude.world import World
from etude.world.tasks import Tasks

run = etude.start("week5_variants/gpt", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. The next token
#
# A causal language model gives each token a probability from the tokens **before** it:
#
# $$L_1 = \sum_i \log P(u_i \mid u_1, \dots, u_{i-1})$$

# %% [markdown]
# One pass scores all places at once. What stands at place i has seen tokens up to i, so it is asked for token i + 1:
#
# | place | 0 | 1 | 2 | 3 |
# |---|---|---|---|---|
# | token | 배 | 를 | 타 | 다 |
# | its logits are asked for | 를 | 타 | 다 | – |
#
# The first token is never asked for; the last logits are not used.

# %% [markdown]
# *10 minutes, easy.* The loss to minimise is the mean of −ln P over all tokens that are asked for. A long text has more of them than a short one, so it weighs more.
#
# <details><summary>Hint</summary>Cut both to N − 1 places: logits without the last, tokens without the first. Whether a place counts is said by its target.</details>
# <details><summary>Hint</summary><code>functional.cross_entropy</code> takes logits (M, V) and targets (M,). Indexing with a mask of booleans gives such rows.</details>


# %% exercise="next_token_loss"
def next_token_loss(logits, tokens, real):
    """The mean of −ln P of all tokens that follow another one, in nats.

    logits: float tensor (B, N, V), finite, at each place the scores of what comes next; tokens:
    int64 tensor (B, N); real: bool tensor (B, N), False for padding, which stands after a text and
    whose ids may be any of the V; a text may be padding alone. At least one text has two real
    tokens.
    Returns a tensor (). Radford et al. 2018, section 3.1, equation 1.
    """
    ### BEGIN SOLUTION
    asked = real[:, 1:]  # (B, N − 1)
    return functional.cross_entropy(logits[:, :-1][asked], tokens[:, 1:][asked])  # (M, V), (M,) → ()
    ### END SOLUTION


# %%
check("next_token_loss")

# %% [markdown]
# ## 2. A decoder that has no one to look at
#
# The Transformer's decoder looks at an encoder. GPT has none, so **cross-attention** goes; what is left is an encoder's layer with a causal mask. GPT-1 keeps Post-LN. GPT-2 moves the normalisation:

# %% [markdown]
# ```
# GPT-1   x ─→ + ─→ LN ─→ + ─→ LN ─→               LN(x + sublayer(x))
#         └ attention ┘ └ feed-forward ┘
#
# GPT-2   x ────────────→ + ──────────────────→ + ──→ … ──→ LN       x + sublayer(LN(x))
#         └ LN → attention ┘ └ LN → feed-forward ┘        once, after the last layer
# ```

# %% [markdown]
# In GPT-2 nothing normalises the stream itself. Each layer adds to it, it grows, and so **one more LayerNorm** stands after the last layer. Without it the logits would grow with depth.

# %% [markdown]
# Attention is the library's, as you wrote it in week 4. With `causal=True` a change of the last token changes nothing before it:

# %%
attention = MultiHeadAttention(8, 2)
x = torch.randn(1, 4, 8)
changed = torch.cat([x[:, :3], x[:, 3:] + 1], dim=1)  # (1, 4, 8)
with torch.no_grad():
    print((attention(x, causal=True) - attention(changed, causal=True)).abs().amax(dim=-1))

# %% [markdown]
# *15 minutes, medium.* The feed-forward network has GELU in its tanh form: `functional.gelu(…, approximate="tanh")`. Such layers are
# trained, so gradients must get through: detach nothing, and overwrite no tensor in place.
#
# <details><summary>Hint</summary><code>functional.layer_norm(x, x.shape[-1:], gain, shift)</code> normalises each vector. It is called twice in a layer, and once at the end.</details>
# <details><summary>Hint</summary>What the sublayer gives is added to the x that has not been normalised.</details>


# %% exercise="gpt2_layers"
def gpt2_layers(x, layers, gain, shift):
    """All layers of GPT-2 without dropout, and the normalisation after the last.

    x: float tensor (B, N, d), tokens and positions embedded. layers: list of (attention, weights),
    in order; attention(y, causal=True) → (B, N, d) is multi-head self-attention; weights: a
    dictionary with w1 (d, 4d), b1, w2 (4d, d), b2 of the feed-forward network, gain1, shift1 of the
    normalisation before attention, gain2, shift2 of that before the feed-forward network. gain,
    shift (d,): of the last normalisation. Every normalisation adds 1e-5 to the variance. All numbers
    have one type, float32 or float64. Returns (B, N, d), of that type. Radford et al. 2019, section
    2.3.
    """
    ### BEGIN SOLUTION
    def norm(vectors, gain, shift):
        return functional.layer_norm(vectors, vectors.shape[-1:], gain, shift, eps=1e-5)

    for attention, w in layers:
        x = x + attention(norm(x, w["gain1"], w["shift1"]), causal=True)  # (B, N, d)
        inner = norm(x, w["gain2"], w["shift2"]) @ w["w1"] + w["b1"]  # (B, N, 4d)
        x = x + functional.gelu(inner, approximate="tanh") @ w["w2"] + w["b2"]  # (B, N, d)
    return norm(x, gain, shift)
    ### END SOLUTION


# %%
check("gpt2_layers")

# %% [markdown]
# The course's own GPT has read a planted language of 240,000 words: two layers, 64 wide, 1,500 tokens, 128 positions. Your layers, with its weights, give its logits:

# %%
model, tokenizer = pretrained_gpt.load("world-en-gpt")


def parts(layer):
    """A layer of the library as your function takes it."""
    first, second = layer.feed_forward[0], layer.feed_forward[2]
    norms = {"1": layer.attention_sum.norm, "2": layer.feed_forward_sum.norm}
    weights = {"w1": first.weight.T, "b1": first.bias, "w2": second.weight.T, "b2": second.bias}
    weights |= {f"gain{n}": norm.weight for n, norm in norms.items()} | {
        f"shift{n}": norm.bias for n, norm in norms.items()
    }
    return layer.attention, weights


text = "yesterday the doctor treated the"
tokens = torch.tensor([tokenizer.encode(text)])  # (1, N)
with torch.no_grad():
    x = model.tokens(tokens) + model.positions.weight[: tokens.size(1)]  # (1, N, d)
    mine = (
        gpt2_layers(x, [parts(layer) for layer in model.layers], model.norm.weight, model.norm.bias)
        @ model.tokens.weight.T
    )
    gap = (mine - model.logits(model.hidden(tokens))).abs().max()
print([tokenizer.decode([token]) for token in tokens[0].tolist()])
print(f"largest difference to the library's logits: {gap:.0e}")

# %% [markdown]
# Output weights are the **token table again**: `hidden @ table.T`. And the library is the published model: with the same weights, transformers gives the same logits (both forms, random weights):

# %%
if profile != "smoke" and importlib.util.find_spec("transformers"):
    import transformers

    from etude.models.gpt_checkpoints import save_gpt

    for norm, theirs in {"pre": transformers.GPT2LMHeadModel, "post": transformers.OpenAIGPTLMHeadModel}.items():
        small = GPT(GPTConfig(vocab_size=97, n_positions=32, n_embd=24, n_layer=3, n_head=4, norm=norm)).eval()
        folder = run.out / f"gpt-{norm}"
        save_gpt(small, folder)
        ids = torch.randint(97, (2, 20))
        with torch.no_grad():
            gap = (small.logits(small.hidden(ids)) - theirs.from_pretrained(folder).eval()(ids).logits).abs().max()
        print(f"{theirs.__name__}: largest difference {gap:.0e}")
else:
    print("Left out in the profile smoke, or where transformers is not installed.")

# %% [markdown]
# ## 3. The start: 1/√N
#
# Every sublayer adds to the stream. If N independent things of equal variance are added, the variance grows with N. GPT-2 therefore divides the weights of **residual layers** at the start by $\sqrt N$:

# %% [markdown]
# | | layers | N | factor, the same in **every** layer |
# |---|---|---|---|
# | GPT-2, smallest | 12 | 24 | 0.204 |
# | GPT-2, largest | 48 | 96 | 0.102 |
#
# The paper calls N "the number of residual layers". Read here, as in transformers' code: residual *sums*, two in each block. It is often told as
# a factor that falls with the layer: it is one factor for all.

# %% [markdown]
# Which weights? The two that write into the stream, and no others:
#
# ```
# LN → project_in → attention → [project_out] → +        LN → feed_forward.0 → GELU → [feed_forward.2] → +
# ```
#
# `project_in` and `feed_forward.0` need not shrink: what they give is not added to the stream.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary><code>name.endswith((a, b))</code> asks for two endings at once.</details>
# <details><summary>Hint</summary>Make a new dictionary. What you multiply in place would change the caller's weights.</details>


# %% exercise="shrink_residuals"
def shrink_residuals(weights, layers):
    """GPT-2's start: the weights of residual projections times 1/√N, N the number of residual sums;
    all other tensors as they are, biases too.

    weights: a dictionary from names to float tensors, as a GPT's state; residual projections end in
    "attention.project_out.weight" and "feed_forward.2.weight". layers: how many blocks the model
    has, each with two residual sums; `weights` may hold only some of them.
    Returns a new dictionary with the same names; each tensor keeps its type. Radford et al. 2019, section 2.3.
    """
    ### BEGIN SOLUTION
    factor = 1 / math.sqrt(2 * layers)
    residual = ("attention.project_out.weight", "feed_forward.2.weight")
    return {name: tensor * factor if name.endswith(residual) else tensor for name, tensor in weights.items()}
    ### END SOLUTION


# %%
check("shrink_residuals")

# %% [markdown]
# Random models, 64 wide, up to 48 blocks, not trained. How far does the stream's variance grow from the embeddings to the last block? The weights' standard deviation is chosen so that a sum over 64 numbers
# varies as GPT-2's over 768.

# %%
DEPTHS = {"smoke": (2, 12, 48), "cpu": (2, 6, 12, 24, 48), "gpu": (2, 6, 12, 24, 48)}[profile]
DEVIATION = 0.02 * math.sqrt(768 / 64)


def by_layer(weights, layers):
    """What the start is often taken for: a factor that falls with the layer's number."""
    blocks = {name: 1 + int(name.split(".")[1]) for name in weights if name.startswith("layers.")}
    return weights | {name: shrink_residuals({name: weights[name]}, number)[name] for name, number in blocks.items()}


STARTS = {
    "no factor": lambda weights, layers: weights,
    "falls with the layer": by_layer,
    "1/√N in all layers": shrink_residuals,
}


@torch.no_grad()
def variances(layers, start):
    """The variance of the stream before the first block and after each: layers + 1 numbers."""
    torch.manual_seed(seed)
    deep = GPT(
        GPTConfig(
            vocab_size=500, n_positions=64, n_embd=64, n_layer=layers, n_head=4, initializer_range=DEVIATION
        )
    ).eval()
    for module in deep.modules():  # undo what the library has shrunk
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=DEVIATION)
    deep.load_state_dict(start(dict(deep.state_dict()), layers))
    ids = torch.randint(500, (8, 64))
    x = deep.tokens(ids) + deep.positions.weight  # (8, 64, 64)
    stream = [float(x.var(dim=-1).mean())]
    for block in deep.layers:
        x = block(x, causal=True)
        stream.append(float(x.var(dim=-1).mean()))
    return stream


streams = {name: {layers: variances(layers, start) for layers in DEPTHS} for name, start in STARTS.items()}
growth = pd.DataFrame(
    {name: {layers: one[-1] / one[0] for layers, one in rows.items()} for name, rows in streams.items()}
)
growth.rename_axis("blocks").round(1)

# %%
figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
for number, (name, rows) in enumerate(streams.items()):
    for layers in (DEPTHS[0], 12, 48):
        axes.plot(
            [place / layers for place in range(layers + 1)],
            [v / rows[layers][0] for v in rows[layers]],
            color=f"C{number}",
            ls={2: ":", 12: "--", 48: "-"}[layers],
            label=f"{name}, {layers} blocks",
        )
axes.set(xlabel="share of the blocks passed", ylabel="variance, input = 1", yscale="log")
axes.set_title("With 1/√N a deep stream grows no more than a shallow one")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
plt.show()

# %% [markdown]
# The factor does not keep the variance constant: the stream still grows. But it grows **alike at every depth**. Without it, each further block adds its whole share.

# %% [markdown]
# ## 4. How large is it?
#
# With width d, V tokens and P positions:
#
# | part | weights | normalisations |
# |---|---|---|
# | input | two tables: V × d, P × d | |
# | each block: attention | d → 3d (queries, keys, values), d → d | 1 |
# | each block: feed-forward | d → 4d, 4d → d | 1 |
# | after the last block | | GPT-2: 1, GPT-1: none |
# | output | the token table again: nothing new | |

# %% [markdown]
# *10 minutes, easy.* A linear map from a to b numbers has a · b weights and b biases, a normalisation a gain and a shift for each number.
#
# <details><summary>Hint</summary>No segments, no pooler, no normalisation of the embeddings: those are BERT's.</details>


# %% exercise="gpt_parameters"
def gpt_parameters(vocabulary, positions, width, layers, final_norm=True):
    """The number of a GPT's parameters, a whole number. The output's weights are the token table,
    and it has no bias.

    final_norm: whether a normalisation stands after the last block, as in GPT-2 and not in GPT-1.
    Radford et al. 2019, Table 2.
    """
    ### BEGIN SOLUTION
    def linear(a, b):
        return a * b + b

    norm = 2 * width
    attention = linear(width, 3 * width) + linear(width, width)
    feed_forward = linear(width, 4 * width) + linear(4 * width, width)
    total = (vocabulary + positions) * width + layers * (attention + feed_forward + 2 * norm)
    return total + norm if final_norm else total
    ### END SOLUTION


# %%
check("gpt_parameters")

# %% [markdown]
# The published models. GPT-2's own table prints 117M, 345M, 762M and 1542M. With its 50,257 tokens none of them follows; with GPT-1's 40,478 tokens all four do:

# %%
PRINTED = {"gpt": "not printed", "gpt2": "117M", "gpt2-medium": "345M", "gpt2-large": "762M", "gpt2-xl": "1542M"}
rows = {}
for name, printed in PRINTED.items():
    layers, width, heads = SIZES[name]
    own, positions, last = (40_478, 512, False) if name == "gpt" else (50_257, 1024, True)
    rows[name] = {
        "blocks": layers, "width": width, "heads": heads, "the paper prints": printed,
        "counted": f"{gpt_parameters(own, positions, width, layers, last):,}",
        "with 40,478 tokens": f"{gpt_parameters(40_478, positions, width, layers, last) / 1e6:.0f}M",
    }
pd.DataFrame(rows).T

# %% [markdown]
# GPT-2's 50,257 tokens are 256 bytes, 50,000 merges and `<|endoftext|>` (week 2, `bpe`). Bytes mean that no text is out of its vocabulary: 눈 is three of them, and 킹받네 nine.

# %%
for text in ("눈", "킹받네", "the doctor treated the eye"):
    ids = tokenizer.encode(text)
    print(
        f"{text}: {len(text.encode())} bytes, {len(ids)} tokens of the world's GPT, and back: {tokenizer.decode(ids)}"
    )

# %% [markdown]
# ## 5. A task as a row of tokens
#
# GPT-1 changes no layer for a task. It writes the task **as a text**, with three new tokens: start ⟨s⟩, delimiter $, and extract ⟨e⟩, where the answer is read.

# %% [markdown]
# ```
# classification   ⟨s⟩ text ⟨e⟩                                          1 row
# entailment       ⟨s⟩ premise $ hypothesis ⟨e⟩                          1 row
# similarity       ⟨s⟩ a $ b ⟨e⟩     ⟨s⟩ b $ a ⟨e⟩                       2 rows
# multiple choice  ⟨s⟩ context $ choice 1 ⟨e⟩   …   ⟨s⟩ context $ choice C ⟨e⟩   C rows
# ```

# %% [markdown]
# Whether two sentences are alike does not depend on their order, but a row has one: so both orders are read. A premise and its hypothesis *do* have an order: *a dog runs* entails *an animal runs*, and not the other way.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>One helper that joins texts: start, the first, delimiter, the next, …, extract.</details>
# <details><summary>Hint</summary>A list of a single text needs no case of its own.</details>


# %% exercise="task_rows"
def task_rows(task, texts, start, delimiter, extract):
    """An example of a task as rows of ids.

    task: "classification", "entailment", "similarity" or "choice". texts: lists of ids: the text;
    premise and hypothesis; the two sentences; the context and then each of the C choices; some may be
    empty, or equal. start, delimiter, extract: ids.
    Returns a list of rows, lists of ids, in the order above. Radford et al. 2018, section 3.3 and
    Figure 1.
    """
    ### BEGIN SOLUTION
    if task == "similarity":
        orders = [texts, texts[::-1]]
    elif task == "choice":
        orders = [(texts[0], choice) for choice in texts[1:]]
    else:
        orders = [texts]
    rows = []
    for first, *others in orders:
        row = [start, *first]
        for text in others:
            row += [delimiter, *text]
        rows.append([*row, extract])
    return rows
    ### END SOLUTION


# %%
check("task_rows")

# %% [markdown]
# ## 6. Where is the answer read?
#
# Only at the last token has a left-to-right model seen the whole text. BERT reads at the front, `[CLS]`; in GPT the vector at ⟨s⟩ has seen nothing but ⟨s⟩.

# %% [markdown]
# ```
# ⟨s⟩  the  doctor  rests  ⟨e⟩  pad  pad         read at place 4
# ⟨s⟩  the  old  doctor  treats  eyes  ⟨e⟩       read at place 6
#  ↑ the same vector for all texts        ↑ the last place is padding for the first text
# ```

# %% [markdown]
# *5 minutes, easy.*
#
# <details><summary>Hint</summary><code>tokens == extract</code> is a mask (R, N) with one True in each row.</details>


# %% exercise="extract_vectors"
def extract_vectors(hidden, tokens, extract):
    """The vector at the extract token of each row.

    hidden: float tensor (R, N, H), the last layer's vectors; tokens: int64 tensor (R, N), padding
    at the end; the id `extract` stands exactly once in each row.
    Returns (R, H), of the type of hidden. Radford et al. 2018, section 3.2.
    """
    ### BEGIN SOLUTION
    return hidden[tokens == extract]  # (R, H), since each row has one
    ### END SOLUTION


# %%
check("extract_vectors")

# %% [markdown]
# ## 7. From vectors to scores
#
# The only new layer is linear, K × H. What differs is when rows meet:
#
# | task | rows of an example | |
# |---|---|---|
# | classification, entailment | 1 | linear → K scores |
# | similarity | 2 | **add the two vectors**, then linear → K scores |
# | choice | C | linear → one score a row; the C scores stand side by side |

# %% [markdown]
# Adding before the linear layer is the paper's way. Adding scores after it differs by the bias, which would count twice.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>The rows of one example stand side by side: <code>vectors.unflatten(0, (-1, rows))</code> is (B, rows, H).</details>
# <details><summary>Hint</summary>For choices the linear layer has K = 1: each row's score is a number.</details>


# %% exercise="task_scores"
def task_scores(task, vectors, rows, weight, bias):
    """The scores of a batch of examples, from the vectors at their extract tokens.

    task: as for task_rows. vectors: float tensor (B · rows, H): the rows of the first example, then
    those of the second, …; rows: 1, 2 for "similarity", C for "choice". weight (K, H), bias (K,):
    the linear layer; K is 1 for "choice".
    Returns (B, K); for "choice" (B, C). Radford et al. 2018, section 3.3.
    """
    ### BEGIN SOLUTION
    by_example = vectors.unflatten(0, (-1, rows))  # (B, rows, H)
    if task == "choice":
        return functional.linear(by_example, weight, bias)[..., 0]  # (B, C)
    return functional.linear(by_example.sum(dim=1), weight, bias)  # (B, K)
    ### END SOLUTION


# %%
check("task_scores")

# %% [markdown]
# For choices, then, a bias changes nothing: all C scores get the same, and the softmax over them does not see it.

# %% [markdown]
# ## 8. The auxiliary loss
#
# While GPT-1 learns a task it goes on being a language model of the task's texts:
#
# $$L_3 = L_2 + \lambda \cdot L_1, \qquad \lambda = 0.5$$

# %% [markdown]
# $L_2$ is the task's log-likelihood, $L_1$ that of the tokens. The paper adds them up and maximises; code takes means of −ln P and minimises. Both heads read **one** pass through the model.

# %% [markdown]
# *5 minutes, easy.* Use `next_token_loss`. There are more rows than examples where a task has several rows for each.
#
# <details><summary>Hint</summary>The task's loss counts in full; only the other one is multiplied by λ.</details>


# %% exercise="fine_tuning_loss"
def fine_tuning_loss(scores, labels, logits, tokens, real, weight=0.5):
    """The task's loss plus `weight` times the language model's, both as means, in nats.

    scores: float tensor (B, K), or (B, C) for choices; labels: int64 tensor (B,). logits (R, N, V),
    tokens (R, N), real (R, N): as for next_token_loss, of the rows of these examples. Returns a
    tensor (). Radford et al. 2018, section 3.2, equation 5.
    """
    ### BEGIN SOLUTION
    task = functional.cross_entropy(scores, labels)
    return task + weight * next_token_loss(logits, tokens, real)
    ### END SOLUTION


# %%
check("fine_tuning_loss")

# %% [markdown]
# GPT-1 fine-tuned with a rate of 6.25e-5, batches of 32, 3 epochs. BERT's paper says of GPT-1 that its rate was 5e-5 (appendix A.4); GPT-1's own paper says 6.25e-5 (section 4.1).

# %% [markdown]
# ## 9. A number that compares
#
# GPT-1 reports a perplexity of 18.4 **per token** on its books. Against a model with other tokens that says nothing: shorter tokens are easier, and there are more of them.

# %% [markdown]
# What a model needs for a **whole text**, T = −ln P(text) in nats, is the cost of the same text however it is cut into tokens. Divide it by something that all models agree on:
#
# $$\text{perplexity per word} = e^{T / \text{words}}, \qquad \text{bits per byte} = \frac{T}{\ln 2 \cdot \text{bytes}}$$

# %% [markdown]
# | text | words | characters | bytes in UTF-8 |
# |---|---|---|---|
# | an eye | 2 | 6 | 6 |
# | 하루 커피 최소 3잔 | 4 | 11 | 25 |
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary><code>text.encode()</code> gives bytes. A Korean syllable has three of them; a blank is one.</details>
# <details><summary>Hint</summary>T is a sum, not a mean. ln 2 nats are one bit.</details>


# %% exercise="text_scores"
def text_scores(nats, text):
    """What a language model's cost of a text comes to for each word and for each byte.

    nats: a float, the sum of −ln P over all tokens of the text; text: a string with at least one
    word. Words are what blanks, tabs and line ends separate (other white space does not occur);
    bytes are those of UTF-8, blanks included.
    Returns (perplexity per word, bits per byte), two floats. Radford et al. 2019, section 3.1.
    """
    ### BEGIN SOLUTION
    words, size = len(text.split()), len(text.encode())
    return math.exp(nats / words), nats / math.log(2) / size
    ### END SOLUTION


# %%
check("text_scores")

# %% [markdown]
# The same text of the world, read by small GPTs with three vocabularies: bytes alone, then 400 and 1,500 tokens of byte-level BPE. Each reads the same number of bytes a step.

# %%
VOCABULARIES, STEPS = (256, 400, 1500), {"smoke": 60, "cpu": 300, "gpu": 3000}[profile]
READ, BYTES = 30_000, 240  # words of the text; bytes of a window


def written(world_seed, words):
    return "\n".join(str(document) for document in World("en", seed=world_seed).documents(words))


def small_gpt(vocabulary, length):
    return GPT(
        GPTConfig(
            vocab_size=vocabulary,
            n_positions=length,
            n_embd=48,
            n_layer=1,
            n_head=4,
            dropout=0.0,
            initializer_range=0.05,
        )
    )


@torch.no_grad()
def cost(model, ids):
    """−ln P of all ids but the first, in nats: one window after the
    other, each with no more context than it holds."""
    total, length, model = 0.0, model.config.n_positions, model.cpu().eval()
    for place in range(0, len(ids) - 1, length):
        window = ids[None, place : place + length + 1]  # (1, n + 1)
        logits = model.logits(model.hidden(window[:, :-1]))  # (1, n, V)
        total += float(functional.cross_entropy(logits[0], window[0, 1:], reduction="sum"))
    return total


def compare_vocabularies(learn, held_out, vocabularies, steps):
    """A table, and the models."""
    rows, made = {}, []
    for size in vocabularies:
        cut = ByteBPE.train([learn], size)
        ids, test = torch.tensor(cut.encode(learn)), torch.tensor(cut.encode("\n" + held_out))
        length = round(BYTES * len(ids) / len(learn.encode()))
        torch.manual_seed(seed)
        gpt = small_gpt(size, length)
        plan = Plan(steps, linear_schedule(steps, steps // 10), device=str(run.device), title=f"{size} tokens")
        train(gpt, Windows(ids, length, 16, seed), plan, adamw(gpt, 4e-3, betas=(0.9, 0.98)))
        nats = cost(gpt, test)
        per_word, per_byte = text_scores(nats, held_out)
        rows[size] = {
            "bytes of a token": len(held_out.encode()) / (len(test) - 1),
            "perplexity per token": math.exp(nats / (len(test) - 1)),
        }
        rows[size] |= {"perplexity per word": per_word, "bits per byte": per_byte}
        made.append(gpt)
    return pd.DataFrame(rows).T.rename_axis("tokens"), made


table, small = compare_vocabularies(written(seed, READ), written(seed + 10_000, READ // 20), VOCABULARIES, STEPS)
table.round(2)

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 2.8), layout="constrained")
for axis, column in zip(axes, ("perplexity per token", "bits per byte")):
    axis.bar([str(size) for size in VOCABULARIES], table[column], color="C0" if column == "bits per byte" else "C1")
    axis.set(xlabel="tokens in the vocabulary", ylabel=column)
axes[0].set_title("Per token: not the same unit")
axes[1].set_title("Per byte: one unit for all")
plt.show()

# %% [markdown]
# A byte is easy to guess: there are only 256, and most go on with a word that has begun. But the text has many of them. The right plot counts all of them; the left one does not.

# %% [markdown]
# ## 10. Fine-tuning on few labels
#
# Three tasks in the planted language. The words that decide in a test are **not those of training**: only the text of pre-training tells what goes with them.

# %% [markdown]
# | task | example | answer | read as |
# |---|---|---|---|
# | topics | now the doctor is treating the organ | one of nine | classification |
# | pairs | two such sentences | same topic or not | similarity |
# | choices | yesterday anna inspected the · violin, raft, glue, scale | scale | multiple choice |

# %%
AMOUNTS = {  # profile → for each task labelled examples, and steps of 32
    "smoke": {"topics": (36, 50), "pairs": (300, 60), "choices": (300, 50), "senses": (300, 20)},
    "cpu": {"topics": (36, 100), "pairs": (1000, 150), "choices": (500, 150), "senses": (300, 100)},
    "gpu": {"topics": (36, 300), "pairs": (4000, 1000), "choices": (1000, 600), "senses": (1000, 300)},
}[profile]
TESTS, RATE, DEVICE = {"smoke": 150, "cpu": 400, "gpu": 1000}[profile], 2e-3, str(run.device)
KINDS = {"topics": ("classification", 1, 9), "choices": ("choice", 4, 1)}  # rows of an example, and K
KINDS |= dict.fromkeys(("pairs", "senses"), ("similarity", 2, 2))
START, DELIMITER, EXTRACT = (model.config.vocab_size + number for number in range(3))
tasks = Tasks("en", seed=seed)


def examples(task, count, split):
    """A list of (texts as ids, label)."""
    if task == "topics":
        return [([tokenizer.encode(item.text)], item.label) for item in tasks.topics(count, split)]
    if task == "choices":  # a word inside a text begins with its blank: that is another token than without
        return [
            ([tokenizer.encode(item.start), *(tokenizer.encode(" " + ending) for ending in item.endings)], item.label)
            for item in tasks.choices(count, split)
        ]
    if task == "senses":
        return [
            ([tokenizer.encode(item.first), tokenizer.encode(item.second)], item.label)
            for item in tasks.senses(count, split)
        ]
    items, draw, found = tasks.topics(4 * count, split), random.Random(f"{seed} {split}"), []
    for number in range(count):  # half of the pairs have one topic
        first, same = draw.choice(items), number % 2
        second = draw.choice([item for item in items if (item.label == first.label) == bool(same)])
        found.append(([tokenizer.encode(first.text), tokenizer.encode(second.text)], same))
    return found


def batch_of(task, some):
    """tokens (R, N), real (R, N), labels (B,)."""
    rows = [
        torch.tensor(row)
        for texts, _ in some
        for row in task_rows(KINDS[task][0], texts, START, DELIMITER, EXTRACT)
    ]
    tokens = pad_sequence(rows, batch_first=True)  # (R, N)
    real = pad_sequence([torch.ones_like(row) for row in rows], batch_first=True) > 0  # (R, N)
    return tokens, real, torch.tensor([label for _, label in some])


print(task_rows("choice", *[texts for texts, _ in examples("choices", 1, "train")], START, DELIMITER, EXTRACT)[0])

# %% [markdown]
# Three new rows in the token table, and a linear layer: all that fine-tuning adds. Everything is trained.

# %%
def with_new_tokens(gpt, count=3):
    """Three more rows in the token table, drawn at random; the others stay as they are."""
    old, gpt.tokens = gpt.tokens.weight.detach(), nn.Embedding(gpt.config.vocab_size + count, gpt.config.n_embd)
    nn.init.normal_(gpt.tokens.weight, std=gpt.config.initializer_range)
    with torch.no_grad():
        gpt.tokens.weight[: len(old)] = old
    return gpt


class Tuned(nn.Module):
    """A GPT with a task's linear layer; `auxiliary` is λ."""

    def __init__(self, gpt, task, auxiliary):
        super().__init__()
        self.gpt, self.auxiliary = gpt, auxiliary
        self.kind, self.rows, classes = KINDS[task]
        self.head = nn.Linear(gpt.config.n_embd, classes)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def scores(self, hidden, tokens):
        return task_scores(
            self.kind, extract_vectors(hidden, tokens, EXTRACT), self.rows, self.head.weight, self.head.bias
        )

    def forward(self, batch):
        tokens, real, labels = batch
        hidden = self.gpt.hidden(tokens)  # (R, N, H), one pass for both losses
        scores = self.scores(hidden, tokens)
        if not self.auxiliary:  # then the largest matrix of all, (R, N, V), need not be made
            return functional.cross_entropy(scores, labels)
        return fine_tuning_loss(scores, labels, self.gpt.logits(hidden), tokens, real, self.auxiliary)


def fine_tune(gpt, task, auxiliary=0.0):
    """The fine-tuned model and its accuracy on unseen words."""
    amount, steps = AMOUNTS[task]
    torch.manual_seed(seed)
    made = Tuned(with_new_tokens(gpt), task, auxiliary)
    learn, test = examples(task, amount, "train"), batch_of(task, examples(task, TESTS, "test"))

    def batches(number):
        return batch_of(task, random.Random(f"{seed} {number}").choices(learn, k=32))

    plan = Plan(steps, linear_schedule(steps, steps // 10), device=DEVICE, title=task)
    train(made, batches, plan, adamw(made, RATE))
    made.cpu().eval()
    with torch.no_grad():
        best = made.scores(made.gpt.hidden(test[0]), test[0]).argmax(dim=-1)  # (B,)
    return made, float((best == test[2]).float().mean())


def pre_trained():
    return pretrained_gpt.load("world-en-gpt").model


def from_scratch():
    torch.manual_seed(seed)
    return GPT(model.config)


models, results = {}, {}
for task in ("topics", "pairs", "choices"):
    models[task], accuracies = zip(*(fine_tune(gpt(), task) for gpt in (pre_trained, from_scratch)))
    labels = [label for _, label in examples(task, TESTS, "test")]
    results[task] = [*accuracies, Counter(labels).most_common(1)[0][1] / len(labels)]
scores = pd.DataFrame(results, index=["pre-trained", "from scratch", "majority"]).T
scores.round(2)

# %% [markdown]
# The rate is not the paper's: 6.25e-5 is for a model 768 wide and three epochs over thousands of labels. Ours is 64 wide and makes few steps.

# %% [markdown]
# ## 11. Does the auxiliary loss help?
#
# The paper finds help on larger data sets (QQP, entailment) and none on smaller ones; over its eight tasks 74.7 with it, 75.0 without. Ours are small.

# %%
auxiliary = {}
for task in ("topics",) if profile == "smoke" else ("topics", "choices"):
    with_loss, accuracy = fine_tune(pre_trained(), task, auxiliary=0.5)
    models[task] += (with_loss,)
    auxiliary[task] = [results[task][0], accuracy]
weighted = pd.DataFrame(auxiliary, index=["λ = 0", "λ = 0.5"]).T
weighted.round(2)

# %%
figure, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
places = range(len(scores))
for shift, (column, marker) in zip(
    (-0.12, 0, 0.12), {"pre-trained": "o", "from scratch": "s", "majority": "x"}.items()
):
    axes.plot([place + shift for place in places], scores[column], marker, label=column)
axes.plot(
    [place - 0.24 for place, task in enumerate(scores.index) if task in auxiliary],
    weighted["λ = 0.5"],
    "D",
    label="pre-trained, λ = 0.5",
)
axes.set_xticks(places, [f"{task}\n{AMOUNTS[task][0]:,} labels" for task in scores.index])
axes.set(ylabel="accuracy on unseen words", ylim=(0, 1.03))
axes.set_title("With the same labels, what the model has read decides")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# The same steps have to serve two losses. With choices there is a second reason: three of four rows are *wrong* sentences, and the language model is taught them, too.

# %% [markdown]
# A task that does not work: **senses** (two sentences, one homonym, same meaning or not). The vector at ⟨e⟩ would have to compare two uses of one word.

# %%
if profile != "smoke":
    print(f"senses: accuracy {fine_tune(pre_trained(), 'senses')[1]:.2f}, a coin .50")
else:
    print("Left out in the profile smoke.")

# %% [markdown]
# ## 12. Real text
#
# Now Shakespeare, WikiText, Korean film reviews and small talk, each with vocabularies learnt on it. Set `REAL` to True and wait some minutes. A Korean byte is a third of a syllable: bits per byte compare models, not languages. WikiText writes rare words as `<unk>`, so its bits per byte come out too low.

# %%
REAL = profile == "gpu"
CORPORA = {  # file, lines of its head, what of a line is text
    "Shakespeare": ("tinyshakespeare/input.txt", 0, lambda line: line),
    "WikiText-2": ("wikitext2/valid.txt", 0, lambda line: line),
    "NSMC, film reviews": ("nsmc_sample/ratings_train.txt", 1, lambda line: line.split("\t")[1]),  # id, document, label
    # question, answer, label
    "Korean dialogue": ("chatbot_ko/ChatbotData.csv", 1, lambda line: line.rsplit(",", 1)[0]),
}
for name, (file, head, read) in CORPORA.items():
    if REAL and datasets.available(file):
        lines = [read(line) for line in datasets.lines(file)[head:]]
        held = len(lines) // 20
        learn, held_out = "\n".join(lines[held:])[:1_000_000], "\n".join(lines[:held])[:40_000]
        print(name)
        display(compare_vocabularies(learn, held_out, (256, 1000, 4000), 1500)[0].round(2))
    else:
        print(f"{name} left out: REAL is False, or the file is not here (etude data fetch).")

# %% [markdown]
# ## Results

# %% tags=["metrics"]
metrics = {f"{task}_gain": scores["pre-trained"][task] - scores["from scratch"][task] for task in scores.index}
metrics["auxiliary_gain"] = weighted["λ = 0.5"]["topics"] - weighted["λ = 0"]["topics"]
metrics["start_gain"] = math.log10(growth["no factor"][48] / growth["1/√N in all layers"][48])
metrics["bits_saved"] = table["bits per byte"][256] - table["bits per byte"][1500]
record(
    metrics,
    **{
        task: torch.stack([parameters_to_vector(one.parameters()).detach() for one in models[task]])
        for task in ("topics", "pairs")
    },
    choices=torch.stack([parameters_to_vector(one.parameters()).detach() for one in models["choices"][:2]]),
    **{
        f"gpt_{size}": parameters_to_vector(one.parameters()).detach() for size, one in zip(VOCABULARIES, small)
    },
)

# %% [markdown]
# What was found, in the table's runs:
#
# | claim | at our scale |
# |---|---|
# | pre-training helps where labels are few | `topics_gain`, `choices_gain`: yes, by more than half of the scale; `pairs_gain`: yes, by less |
# | the auxiliary loss helps on large data sets | not tested; on our small ones `auxiliary_gain` shows no help, as in the paper |
# | 1/√N keeps a deep stream in bounds | `start_gain`: powers of ten between the two at 48 blocks; the variance still grows, alike at all depths |
# | bits per byte compare what perplexity per token cannot | `bits_saved`: after equal reading the model of 1,500 tokens needs fewer bits than that of bytes, whatever a token costs |

# %% [markdown]
# ## In your own words
#
# **1.** Two language models of Korean: one reads syllables and has a perplexity of 20 per token, the other reads words and has 200. Which is better? What do you ask for?

# %% [markdown] answer="perplexities" points=2
# ### BEGIN SOLUTION
# 1 point: it cannot be said: the two perplexities are of different units, and a text has several syllables for each word, so the first model pays its smaller price more often (with three tokens a word, blanks
# counted, 20³ is 8,000 per word, far above 200). 1 point: ask for the total −ln P of one and the same held-out text, divided by its words or its bytes: perplexity per word, or bits per byte.
# ### END SOLUTION

# %% [markdown]
# **2.** A colleague fine-tunes GPT-1 for classification as if it were BERT, reading the vector at the first token. What accuracy do you expect, and why is it otherwise with BERT?

# %% [markdown] answer="first_token" points=2
# ### BEGIN SOLUTION
# 1 point: that of the majority: under the causal mask the first place sees itself alone, so its vector is the same for every text and the scores are, too. 1 point: BERT's attention looks to both sides, so [CLS] at the
# front has seen all tokens; in GPT only the last place has, which is why the extract token stands at the end.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Radford et al. 2018, [GPT-1](https://openai.com/index/language-unsupervised/), section 3 and Table 5: the method on two pages, and what each part is worth.
# - Radford et al. 2019, [GPT-2](https://openai.com/index/better-language-models/), section 2: text, bytes and the changes to the model.
# - Xiong et al. 2020, [On Layer Normalization in the Transformer Architecture](https://arxiv.org/abs/2002.04745): why the place of the normalisation decides whether a warm-up is needed.
# - The next lesson, `generation`: what such a model writes, and how the next token is chosen.
