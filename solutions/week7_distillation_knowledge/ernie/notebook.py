# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # ERNIE: text with entities
#
# **The paper.** Zhang, Han, Liu, Jiang, Sun and Liu, [ERNIE: Enhanced Language Representation with Informative Entities](https://arxiv.org/abs/1905.07129) (ACL 2019).
#
# *"Yesterday Mirelo met Dorun."* In which country does Mirelo live? The sentence does not say. A table of facts may.

# %% [markdown]
# ERNIE brings such a table into BERT: a **knowledge graph** gives each entity a vector, which the upper layers read beside the tokens.

# %% [markdown]
# ```
#  facts        (mirelo, lives in, town) (town, lies in, land) …  ─ TransE ─▶  a vector for each entity
#                                                                                  │
#  text         yesterday  mi  ##re  ##lo  met …  ─▶ T-Encoder ─▶ K-Encoder ◀──────┘   (at "mi", where the name begins)
#                             (BERT's lower layers)      └─▶ [CLS]: which land?
# ```

# %% [markdown]
# **The claims to test.** F1 on FewRel, where a model names the relation between two marked entities (tables of relation classification and of the ablation):
#
# | | F1 |
# |---|---|
# | BERT | 84.89 |
# | ERNIE without entities | 85.79 |
# | ERNIE without its new task, dEA | 85.62 |
# | ERNIE | 88.32 |

# %% [markdown]
# Real text tells some facts. Ours tells **none**: people, towns and lands are invented, and whom a sentence names is drawn without a look at the graph. So it shows cleanly what the vectors bring.

# %% [markdown]
# The model is in `etude.models.ernie`, the graph in `etude.entity_graph`. You write the rest, in about 2½ hours:
#
# | | piece |
# |---|---|
# | 1–3 | TransE: vectors from facts |
# | 4 | how well do they tell facts that were left out? |
# | 5–6 | which token has which entity, and the fusion of both |
# | 7 | marks that say what is asked |
# | 8–9 | the denoising entity auto-encoder, dEA |

# %% [markdown]
# Two models have this name. **Baidu's** ERNIE (Sun et al. 2019) hides whole phrases and entities of its text and reads no vectors. This one is from Tsinghua University (THU).
#
# ```
#  text       the   road   to   port      mirelo
#  BERT       the   road   to   [MASK]    mirelo         pieces, each on its own
#  Baidu      the   road   to   [MASK]    [MASK]         a name is hidden whole
#  THU        the   road   to   port      mirelo         beside "port": the town's vector
# ```

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: a minute or two · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import io
import math
import random
from contextlib import redirect_stderr

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from sklearn.linear_model import LogisticRegression
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

import etude
from etude import check, entity_graph, plots, record
from etude.entity_graph import LIES_IN, LIVES_IN, OFFICIAL, RELATIONS, SPEAKS, TEMPLATES, WORKS_AS
from etude.models.bert import Bert, BertConfig, BertForPretraining
from etude.models.ernie import EntityHead, Ernie, ErnieConfig, Fusion, start_from
from etude.train import Plan, adamw, linear_schedule, train

run = etude.start("week7_distillation_knowledge/ernie", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## The graph
#
# A fact is a triple: head, relation, tail.
#
# ```
#  person ── lives in ──▶ town ── lies in ──▶ land ── official language ──▶ language
#    │                      └───────────────── speaks ──────────────────────────▲
#    └── works as ──▶ craft
# ```

# %%
graph = entity_graph.draw(seed)


def name_of(entity):
    return " ".join(graph.entities[entity].name)


someone = graph.of_kind("person")[0]
home = graph.tail(someone, LIVES_IN)
land = graph.tail(home, LIES_IN)
story = [(someone, LIVES_IN), (someone, WORKS_AS), (home, LIES_IN), (home, SPEAKS), (land, OFFICIAL)]
rows = [(name_of(head), RELATIONS[relation], name_of(graph.tail(head, relation))) for head, relation in story]
print(f"{len(graph.entities)} entities, {len(graph.facts)} facts, {len(graph.held_out)} more left out")
pd.DataFrame(rows, columns=["head", "relation", "tail"])

# %% [markdown]
# No fact says in which **land** a person lives: that takes two steps. This will be the question.

# %%
for sentence in entity_graph.sentences(graph, 5, seed):
    print(" ".join(sentence.words))

# %% [markdown]
# ## 1. TransE: a relation is a step
#
# TransE (Bordes et al. 2013) gives each entity a point, and each relation **one arrow** for all its facts: head + relation should end at the tail.
#
# ```
#  town a  •──── lies in ────▶ ·  • land 1       the distance d: from the arrow's end to the tail
#  town b  •──── lies in ────▶ ·  • land 2       one arrow, wherever it starts
# ```

# %% [markdown]
# $$d(h, r, t) = \lVert h + r - t \rVert_2$$
#
# Beside a fact stands a **corrupted** one, with another head or tail, which should be farther off by a margin γ:
#
# $$L = \sum \max\bigl(0,\; \gamma + d(\text{fact}) - d(\text{corrupted})\bigr)$$

# %% [markdown]
# A pair that keeps the margin costs nothing and moves nothing.
#
# *15 minutes, easy.*
#
# <details><summary>Hint</summary>Look the rows up: <code>entities[facts[:, 0]]</code> are the heads, (M, d).</details>
# <details><summary>Hint</summary>The root of a sum of squares has no derivative at 0, where a fact fits exactly: autograd then gives NaN. <code>torch.linalg.vector_norm</code> gives 0.</details>


# %% exercise="transe_loss"
def transe_loss(entities, relations, facts, corrupted, margin):
    """TransE's margin ranking loss, summed over pairs of a fact and a corrupted fact.

    entities: float (E, d); relations: float (R, d); facts, corrupted: int64 (M, 3), a row being
    head, relation, tail, and row i of one standing against row i of the other; margin: γ, a number
    above 0. M may be 0.
    Returns a tensor (). The distance is Euclidean, not squared. Where it is 0 its gradient is 0.
    Bordes et al. 2013, equation 1.
    """
    ### BEGIN SOLUTION
    def distance(triples):
        step = entities[triples[:, 0]] + relations[triples[:, 1]] - entities[triples[:, 2]]  # (M, d)
        return torch.linalg.vector_norm(step, dim=1)  # (M,)

    return functional.relu(margin + distance(facts) - distance(corrupted)).sum()
    ### END SOLUTION


# %%
check("transe_loss")

# %% [markdown]
# ## 2. What is false?
#
# What is false must be made up: replace the head **or** the tail by a random entity, never both. Chance may hit something true, as eight people live in each town. So several candidates are drawn, and the first that makes no known fact is taken:
#
# ```
#  fact          (mirelo, lives in, town a)          replace the head
#  candidates    mirelo      the fact itself: known
#                dorun       lives in town a, too: known
#                sevan       lives in town b              ─▶ (sevan, lives in, town a)
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>A Python set of tuples tells quickly whether a triple is known: <code>set(map(tuple, known.tolist()))</code>.</details>
# <details><summary>Hint</summary>The fact itself is known, too, so a candidate that changes nothing is skipped like any other.</details>


# %% exercise="corrupt"
def corrupt(facts, heads, candidates, known):
    """A false triple for each fact: head or tail replaced by the first candidate that makes no known fact.

    facts: int64 (M, 3), head, relation, tail; heads: bool (M,), True where the head is replaced, else
    the tail; candidates: int64 (M, K), entities, for each fact its own, to be tried from left to
    right: at least one of each row makes no known fact; known: int64 (T, 3), all known facts, those
    of `facts` among them.
    Returns int64 (M, 3). Bordes et al. 2013, equation 2, with known facts left out.
    """
    ### BEGIN SOLUTION
    true, rows = set(map(tuple, known.tolist())), []
    for (head, relation, tail), at_head, tried in zip(facts.tolist(), heads.tolist(), candidates.tolist()):
        made = ((other, relation, tail) if at_head else (head, relation, other) for other in tried)
        rows.append(next(triple for triple in made if triple not in true))
    return torch.tensor(rows, dtype=torch.int64).reshape(-1, 3)
    ### END SOLUTION


# %%
check("corrupt")

# %% [markdown]
# ## 3. A step, and why points stay on a sphere
#
# The loss has a cheap way down: make all vectors ten times longer. Every gap becomes ten times wider, and no order has changed. So each step begins with every **entity** brought back to length 1. Relations keep their lengths.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Normalise first, then take the gradient by the normalised vectors: <code>torch.autograd.grad</code> wants tensors that ask for it.</details>
# <details><summary>Hint</summary><code>functional.normalize</code> leaves a vector of zeros as it is. The step comes after it, so the result need not have length 1.</details>


# %% exercise="transe_step"
def transe_step(entities, relations, facts, corrupted, margin, rate):
    """One step of gradient descent on `transe_loss`, from entity vectors of length 1.

    All rows of entities are first divided by their Euclidean lengths (a row of zeros stays, others
    are at least 1e-10 long), those of relations are not. Then both tables move against the loss's
    gradient there, times the rate. Arguments as for `transe_loss`; rate: a number from 0 on. The
    tables that were given keep their numbers.
    Returns (entities, relations) as new float tensors that ask for no gradient: a row of entities has
    length 1 if nothing moved it. Uses your `transe_loss`. Bordes et al. 2013, Algorithm 1.
    """
    ### BEGIN SOLUTION
    entities = functional.normalize(entities.detach(), dim=1).requires_grad_()
    relations = relations.detach().clone().requires_grad_()
    loss = transe_loss(entities, relations, facts, corrupted, margin)
    slopes = torch.autograd.grad(loss, [entities, relations])
    return tuple((table - rate * slope).detach() for table, slope in zip((entities, relations), slopes))
    ### END SOLUTION


# %%
check("transe_step")

# %%
size = {
    "smoke": {"width": 16, "transe": 800, "pretraining": 150, "tuning": 200, "runs": 1, "test": 600},
    "cpu": {"width": 16, "transe": 2000, "pretraining": 600, "tuning": 400, "runs": 3, "test": 600},
    "gpu": {"width": 32, "transe": 5000, "pretraining": 3000, "tuning": 1000, "runs": 10, "test": 1200},
}[profile]
MARGIN, RATE, BATCH = 2.0, 0.05, 128


def embed(which, steps=size["transe"]):
    """Vectors of entities, (E, d), of length 1, and of relations, (R,
    d), by your TransE; losses of the last batch."""
    draw = torch.Generator().manual_seed(seed)
    known, count = torch.tensor(which.facts), len(which.entities)
    entities = torch.randn(count, size["width"], generator=draw)
    relations = functional.normalize(torch.randn(len(RELATIONS), size["width"], generator=draw), dim=1)
    for _ in range(steps):
        facts = known[torch.randint(len(known), (BATCH,), generator=draw)]
        heads = torch.rand(BATCH, generator=draw) < 0.5
        candidates = torch.randint(count, (BATCH, 8), generator=draw)
        corrupted = corrupt(facts, heads, candidates, known)
        entities, relations = transe_step(entities, relations, facts, corrupted, MARGIN, RATE)
    return functional.normalize(entities, dim=1), relations, (facts, corrupted)


vectors, arrows, last = embed(graph)
losses = {
    times: float(transe_loss(times * vectors, times * arrows, *last, MARGIN)) / BATCH for times in (1, 2, 10)
}
print(
    "loss of a pair, all vectors so many times longer:",
    {times: round(loss, 3) for times, loss in losses.items()},
)

# %% [markdown]
# In two dimensions (PCA) each arrow is a fact, from a town to its land or from a land to its language.

# %%
towns, lands, languages = (graph.of_kind(kind) for kind in ("town", "land", "language"))
shown = [*towns, *lands, *languages]
flat = dict(zip(shown, plots.plane(vectors[shown]).tolist()))
fig, axes = plt.subplots(figsize=(8, 5), layout="constrained")
for relation, colour in ((LIES_IN, plots.COLOURS[5]), (OFFICIAL, plots.COLOURS[4])):
    for fact in graph.facts:
        if fact.relation == relation:
            axes.annotate(
                "", flat[fact.tail], flat[fact.head], arrowprops={"arrowstyle": "->", "color": colour}
            )
    axes.plot([], [], color=colour, label=RELATIONS[relation])
for kind, members, colour in (
    ("town", towns, plots.COLOURS[5]),
    ("land", lands, plots.COLOURS[0]),
    ("language", languages, plots.COLOURS[1]),
):
    axes.scatter(*np.array([flat[entity] for entity in members]).T, color=colour, s=22, label=kind, zorder=3)
for entity in lands:
    axes.annotate(name_of(entity), flat[entity], (5, 4), textcoords="offset points", fontsize=9)
axes.set(xlabel="first principal direction", ylabel="second principal direction")
axes.set_title("A relation is one arrow: towns of a land lie together, one step before it")
axes.legend()
plt.show()

# %% [markdown]
# The four towns of a land are drawn to one point: each must be the same step before the land. N-to-1 relations are TransE's known weakness.

# %% [markdown]
# ## 4. How good are they?
#
# Take a fact that was left out and hide its tail. Rank **all** entities by distance: at which place is the true one? Two measures:
#
# - **MRR**, the mean of 1 / place;
# - **Hits@k**, the share of questions with a place of at most k.
#
# *Filtered*: other right answers leave the ranking, for it is no error to put them first.

# %% [markdown]
# And **ties**? A model that gives every entity the same distance must not be first. So equally near ones share the middle:
#
# place = 1 + (how many are nearer) + ½ (how many others are equally near)
#
# ```
#  distance    0.2    0.3    0.5    0.5    0.9
#              a      b      c      true   e          place 1 + 2 + ½ = 3.5
#              a      known  c      true   e          filtered, b is right as well: 1 + 1 + ½ = 2.5
# ```

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>Who is left out is neither nearer nor equally near. The answer itself is never left out, even where <code>known</code> names it.</details>
# <details><summary>Hint</summary>Places may be halves: 1.5 is no hit at 1.</details>


# %% exercise="ranking"
def ranking(distances, answers, known, k):
    """Filtered MRR and Hits@k, ties counted by their middle.

    distances: finite float (Q, E), of each entity in each question, the smaller the better, a tie only
    where they are equal; answers: int64 (Q,), the true entity; known: a list of Q lists of entities
    that are right answers as well, to be left out (the answer may stand among them, and stays in; one
    may be listed twice); k: a whole number from 1 on. Q is at least 1.
    Returns (mrr, hits), two floats, no tensors. Bordes et al. 2013, section 4.2, "filtered".
    """
    ### BEGIN SOLUTION
    places = []
    for row, answer, others in zip(distances.tolist(), answers.tolist(), known):
        rivals = [distance for entity, distance in enumerate(row) if entity != answer and entity not in others]
        nearer = sum(distance < row[answer] for distance in rivals)
        equal = sum(distance == row[answer] for distance in rivals)
        places.append(1 + nearer + equal / 2)
    return sum(1 / place for place in places) / len(places), sum(place <= k for place in places) / len(places)
    ### END SOLUTION


# %%
check("ranking")

# %% [markdown]
# Two kinds of facts were left out. What eight towns **speak** follows from their land and its language. Which **craft** a person has follows from nothing: the control.

# %%
def left_out(relation, entities, relations):
    """MRR and Hits@3 of the tails that were left out."""
    asked = torch.tensor([fact for fact in graph.held_out if fact.relation == relation])
    distances = torch.cdist(entities[asked[:, 0]] + relations[asked[:, 1]], entities)  # (Q, E)
    return ranking(distances, asked[:, 2], [[] for _ in asked], 3)


draw = torch.Generator().manual_seed(seed + 1)
guess = functional.normalize(torch.randn(vectors.shape, generator=draw), dim=1)
wrong_vectors, wrong_arrows, _ = embed(graph.shuffled(seed))
tables = {
    "TransE": (vectors, arrows),
    "shuffled graph": (wrong_vectors, wrong_arrows),
    "random vectors": (guess, arrows),
}
rows = {}
for name, table in tables.items():
    for relation in (SPEAKS, WORKS_AS):
        rows.setdefault(name, {}).update(
            zip([(RELATIONS[relation], "MRR"), (RELATIONS[relation], "Hits@3")], left_out(relation, *table))
        )
pd.DataFrame(rows).T.round(3)

# %% [markdown]
# The towns' language is found: *lies in* and then *official language* is the same step as *speaks*. Arrows **add up**, so they can answer a question of two steps.

# %% [markdown]
# The craft is no better than a guess among sixteen crafts, an MRR of .21: the model knows the *kind* of the answer. A guess among eight languages has .34.

# %% [markdown]
# ## 5. Which token has which entity?
#
# A program finds names in the text (the authors took TagMe). A name gives its entity to its **first** token; all others have none (section 3.1).

# %% [markdown]
# | token | [CLS] | the | road | to | port | mi | ##re | ##lo | … | [SEP] |
# |---|---|---|---|---|---|---|---|---|---|---|
# | entity | – | – | – | – | the town | – | – | – | | – |

# %% [markdown]
# Here `mirelo` alone would be a person. *Port mirelo* is longer and wins. In Korean a name is one morpheme of its word: 서울 + 에서, and 서울 has the entity.

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>Go through the words from the left. At each one try the longest name first; after a name go on with what follows it.</details>
# <details><summary>Hint</summary>Entity 0 is an entity. Do not ask whether a number is "true".</details>


# %% exercise="align"
def align(words, pieces, names):
    """The tokens of a sentence, and for each the entity whose name begins there.

    words: a list of strings; pieces: a list of lists of strings, the tokens of each word, at least
    one a word; names: a dict from tuples of words to entities, whole numbers from 0 on. Names are
    looked for from left to right, the longest first, and do not overlap.
    Returns (tokens, entities): two lists of one length, tokens with "[CLS]" before and "[SEP]" after
    the sentence's, entities with −1 where a token has none. Zhang et al. 2019, section 3.1.
    """
    ### BEGIN SOLUTION
    longest = max(map(len, names), default=0)
    tokens, entities, behind = ["[CLS]"], [-1], 0  # behind: the first word after the last name
    for start in range(len(words)):
        found = -1
        if start >= behind:
            for length in range(min(longest, len(words) - start), 0, -1):
                name = tuple(words[start : start + length])
                if name in names:
                    found, behind = names[name], start + length
                    break
        tokens += pieces[start]
        entities += [found] + [-1] * (len(pieces[start]) - 1)
    return [*tokens, "[SEP]"], [*entities, -1]
    ### END SOLUTION


# %%
check("align")

# %%
names = graph.names()
index = {token: number for number, token in enumerate(entity_graph.vocabulary())}


def aligned_tokens(sentence):
    return align(list(sentence.words), [entity_graph.pieces(word) for word in sentence.words], names)


some = next(one for one in entity_graph.sentences(graph, 500, seed) if "port" in one.words)
tokens, entities = aligned_tokens(some)
pd.DataFrame(
    [tokens, [name_of(entity) if entity >= 0 else "" for entity in entities]], index=["token", "entity"]
)

# %% [markdown]
# ## 6. Fusion
#
# ERNIE's lower half, the **T-Encoder**, is BERT. A layer of the upper half, the **K-Encoder**, has two attentions; then, token by token, the two are fused (section 3.3):
#
# ```
#  tokens    ─▶ attention among tokens    ─▶ w ─┐           ┌─▶ w'
#                                               ├─▶ h, GELU ┤
#  entities  ─▶ attention among entities  ─▶ e ─┘           └─▶ e'      where the token has an entity
# ```

# %% [markdown]
# With $w$ the token's vector, $e$ its entity's, and σ the GELU:
#
# $$h = \sigma(W_t w + W_e e + b) \qquad w' = \sigma(W_t' h + b_t) \qquad e' = \sigma(W_e' h + b_e)$$

# %% [markdown]
# Without an entity $h = \sigma(W_t w + b)$, and only $w'$ comes out.

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary><code>functional.linear(x, weight, bias)</code> takes weights (out, in), as <code>nn.Linear</code> keeps them.</details>
# <details><summary>Hint</summary>Where there is no entity, <code>e</code> may hold anything, even inf. Zero times inf is NaN: put zeros in with <code>masked_fill</code> or <code>where</code>, best before the matrix, whose gradient multiplies, too.</details>


# %% exercise="fuse"
def fuse(w, e, aligned, w_in, e_in, bias, w_out, w_bias, e_out, e_bias):
    """Information fusion of tokens with their entities.

    w: float (B, N, H), tokens; e: float (B, N, E), entities; where a token has none, any numbers
    may stand, even inf, and must not change the result (gradients may then be inf);
    aligned: bool (B, N), True where the token has an entity. Weights as in nn.Linear: w_in (I, H), e_in
    (I, E), bias (I,); w_out (H, I), w_bias (H,); e_out (E, I), e_bias (E,).
    Returns (w', (B, N, H); e', (B, N, E), 0 where there is no entity). The activation is the exact
    GELU. Zhang et al. 2019, section 3.3.
    """
    ### BEGIN SOLUTION
    absent = ~aligned[:, :, None]  # (B, N, 1)
    h = functional.linear(w, w_in, bias) + functional.linear(e.masked_fill(absent, 0.0), e_in)  # (B, N, I)
    h = functional.gelu(h)
    tokens = functional.gelu(functional.linear(h, w_out, w_bias))  # (B, N, H)
    entities = functional.gelu(functional.linear(h, e_out, e_bias))  # (B, N, E)
    return tokens, entities.masked_fill(absent, 0.0)
    ### END SOLUTION


# %%
check("fuse")

# %% [markdown]
# The fusion stands in the place of BERT's feed-forward network, $W_2\,\sigma(W_1 w + b_1) + b_2$, and has one σ more. The authors' **code** leaves out the outer σ as well, and adds residual sums and normalisation.

# %% [markdown]
# Then a layer without an entity is exactly a layer of BERT, and a trained BERT can be put in. So it is in the library. Does it hold?

# %%
torch.manual_seed(seed)
settings = {
    "vocab_size": len(index),
    "hidden_size": 32,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "initializer_range": 0.1,
    "max_position_embeddings": 32,
}
bert, ernie = (
    Bert(BertConfig(num_hidden_layers=3, **settings)),
    Ernie(ErnieConfig(num_hidden_layers=1, num_knowledge_layers=2, entity_size=16, **settings)),
)
start_from(ernie.eval(), bert.eval())
ids, has = torch.tensor([[index[token] for token in tokens]]), torch.tensor([entities]) >= 0
given = vectors[torch.tensor([entities]).clamp(min=0), :16]
with torch.no_grad():
    expected = bert(ids)
    for name, which in {"no token has an entity": torch.zeros_like(has), "one has": has}.items():
        print(
            f"{name}: greatest difference from BERT "
            f"{float((ernie(ids, given, which)[0] - expected).abs().max()):.1e}"
        )

# %% [markdown]
# And the size? The paper says "about 114M", for 6 + 6 layers, H = 768 with 12 heads, E = 100 with 4.

# %%
with torch.device("meta"):
    config = ErnieConfig()
    whole = {
        "encoder": Ernie(config),
        "entity head": EntityHead(config),
        "BERT and its heads": BertForPretraining(BertConfig()),
    }
counts = {name: sum(weight.numel() for weight in part.parameters()) for name, part in whole.items()}
heads_of_bert = counts["BERT and its heads"] - sum(
    weight.numel() for weight in whole["BERT and its heads"].bert.parameters()
)
total = counts["encoder"] + counts["entity head"] + heads_of_bert
print(f"{total:,} parameters; BERT has {counts['BERT and its heads']:,}; entity vectors are not counted")

# %% [markdown]
# Five million entities with 100 numbers each are half a billion numbers more, in a table that is read, not trained.

# %% [markdown]
# ## 7. What is asked? Marks say so
#
# Of two people, whose land is asked? Fine-tuning puts **marks** around mentions, and reads the answer off [CLS] (section 3.5):
#
# | task | marked text |
# |---|---|
# | relation of two entities | [HD] mirelo [HD] sold a small boat to [TL] dorun [TL] |
# | type of one entity | [ENT] mirelo [ENT] sold a small boat to dorun |

# %% [markdown]
# Marks are tokens without an entity. All that follows moves on, and so must its alignments:
#
# ```
#  tokens      [CLS]   mi   ##re   ##lo   met …      ─▶    [CLS]   [ENT]   mi   ##re   ##lo   [ENT]   met …
#  entities      –      7    –      –      –                 –       –      7    –      –       –      –
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Put marks in from the right end to the left; then earlier places are still those that were said.</details>
# <details><summary>Hint</summary><code>last</code> is the last token <i>of</i> the mention: its mark stands after it.</details>


# %% exercise="mark"
def mark(tokens, entities, spans):
    """Puts marks around mentions, with the alignments moved along.

    tokens: a list of strings; entities: a list of whole numbers as long, −1 where a token has none;
    spans: a list of (first, last, mark), places in `tokens`, last among them, in any order; spans do
    not overlap, and may touch.
    Returns (tokens, entities): two new lists, with each span's mark before its first and after its
    last token; marks have no entity (−1). The lists that were given stay as they are.
    Zhang et al. 2019, section 3.5 and Figure 3.
    """
    ### BEGIN SOLUTION
    tokens, entities = list(tokens), list(entities)
    for first, last, sign in sorted(spans, reverse=True):
        tokens[first : last + 1] = [sign, *tokens[first : last + 1], sign]
        entities[first : last + 1] = [-1, *entities[first : last + 1], -1]
    return tokens, entities
    ### END SOLUTION


# %%
check("mark")

# %%
def asked_about(sentence, place, sign="[ENT]"):
    """Tokens and entities of a sentence whose mention number
    `place` is marked, and the entity that is marked."""
    tokens, entities = aligned_tokens(sentence)
    mention = sentence.mentions[place]
    first = entities.index(mention.entity)
    length = sum(len(entity_graph.pieces(word)) for word in sentence.words[mention.first : mention.last + 1])
    return *mark(tokens, entities, [(first, first + length - 1, sign)]), mention.entity


tokens, entities, asked = asked_about(some, 0)
print(" ".join(tokens))

# %% [markdown]
# ## 8. dEA: alignments that lie
#
# A new task teaches the model to use what it is given, and not blindly: the **denoising entity auto-encoder** (section 3.4). Of the alignments in the text,
#
# | share | what the model reads | it learns |
# |---|---|---|
# | 5 % | another entity, any of the graph | to doubt a wrong link |
# | 15 % | no entity | to do without, where the linker found none |
# | 80 % | the entity | to take it in |

# %% [markdown]
# Another entity must be *another* one. A number $x$ drawn from 0 to E − 2 stays if it is below the true entity's number, and goes up by one if not:
#
# ```
#  E = 5, the true entity is 2       x          0   1   2   3
#                                    becomes    0   1   3   4       all equally likely
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Below .05: replaced. From .05 and below .2: masked. Else kept.</details>
# <details><summary>Hint</summary>A token without an entity gets none, whatever was drawn for it.</details>


# %% exercise="dea_noise"
def dea_noise(entities, uniform, others):
    """The alignments that the model reads: 5 % replaced by another entity, 15 % masked, the rest kept.

    entities: int64 (B, N), −1 where a token has none; uniform: float (B, N) from 0 to below 1: below
    0.05 the entity is replaced, from there and below 0.2 masked; others: int64 (B, N) from 0 to E − 2,
    of E entities: which other one, the true one left out in counting.
    Returns int64 (B, N), −1 where masked or where there was none; a new tensor. Zhang et al. 2019,
    section 3.4.
    """
    ### BEGIN SOLUTION
    another = others + (others >= entities)  # (B, N)
    read = torch.where(uniform < 0.05, another, entities)
    read = read.masked_fill((uniform >= 0.05) & (uniform < 0.2), -1)
    return read.masked_fill(entities < 0, -1)
    ### END SOLUTION


# %%
check("dea_noise")

# %% [markdown]
# ## 9. dEA: which entity of this sentence?
#
# A softmax over millions of entities is too dear. The model chooses among those **of the sentence** alone, $e_1 \dots e_m$ (section 3.4):
#
# $$p(e_j \mid w_i) = \frac{\exp(s_i \cdot e_j)}{\sum_{k=1}^m \exp(s_i \cdot e_k)}, \qquad s_i = \mathrm{linear}(w_i)$$
#
# Each different entity is one candidate, however often it is named. Asked are the tokens that have an entity in truth, whatever was read there.

# %% [markdown]
# ```
#  truth         mirelo          dorun
#  read          –  (masked)     sevan  (replaced)
#  asked         mirelo or       mirelo or
#                dorun?          dorun?            among the true entities of the sentence
# ```

# %% [markdown]
# *20 minutes, hard.*
#
# <details><summary>Hint</summary>Scores for all entities, (B, N, V), then −∞ for those that the sentence does not name. The sentence of a token tells, not the batch.</details>
# <details><summary>Hint</summary>−1 as an index is the last row in Python. Choose the aligned tokens before you look anything up.</details>


# %% exercise="dea_loss"
def dea_loss(states, vectors, entities):
    """The mean of −ln p of the true entities among those of their own sentence.

    states: float (B, N, E), s of each token; vectors: float (V, E), of all entities of the graph;
    entities: int64 (B, N), the true alignments, −1 where a token has none; at least one token of the
    batch has one.
    Returns a tensor (), in nats: the mean over all tokens that have an entity.
    Zhang et al. 2019, section 3.4.
    """
    ### BEGIN SOLUTION
    asked = entities >= 0
    rows, _ = asked.nonzero(as_tuple=True)  # (M,), the sentence of each asked token
    wanted = entities[asked]  # (M,)
    named = torch.zeros(len(entities), len(vectors), dtype=torch.bool, device=states.device)
    named[rows, wanted] = True
    scores = (states[asked] @ vectors.T).masked_fill(~named[rows], -math.inf)  # (M, V)
    return functional.cross_entropy(scores, wanted)
    ### END SOLUTION


# %%
check("dea_loss")

# %% [markdown]
# What does knowing nothing cost? With one entity in a sentence, nothing; with two, ln 2.

# %%
for members in ([3], [3, 7], [3, 7, 9], [3, 7, 3]):
    cost = float(dea_loss(torch.zeros(1, len(members), size["width"]), vectors, torch.tensor([members])))
    print(f"entities {members}: {cost:.3f} nats for who knows nothing")

# %% [markdown]
# ## Pre-training
#
# A small ERNIE: one layer of tokens, two of **your** fusion, 32 wide. It learns dEA on sentences that name anybody and state no fact. (The paper trains BERT's two tasks with it.)

# %% [markdown]
# What all vectors have in common tells nobody from anybody. So each of their numbers is brought to mean 0 and deviation 1 over all entities before the model reads it: a step of ours.

# %%
def evened(table):
    """Vectors of entities, (V, E), each of their numbers with mean 0 and standard deviation 1."""
    return (table - table.mean(dim=0)) / table.std(dim=0)


CONFIG = ErnieConfig(
    num_hidden_layers=1, num_knowledge_layers=2, entity_size=size["width"], num_entity_heads=2,
    hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, **settings,
)  # fmt: skip


class YourFusion(Fusion):
    """The library's weights, your equations."""

    def forward(self, tokens, entities, aligned):
        weights = (self.tokens_in.weight, self.entities_in.weight, self.tokens_in.bias)
        out = (self.tokens_out.weight, self.tokens_out.bias, self.entities_out.weight, self.entities_out.bias)
        return fuse(tokens, entities, aligned, *weights, *out)


class Reader(nn.Module):
    """An ERNIE over fixed entity vectors, (V, E), with a head that answers from [CLS]."""

    def __init__(self, table):
        super().__init__()
        self.ernie, self.answer = Ernie(CONFIG), nn.Linear(CONFIG.hidden_size, len(lands))
        for layer in self.ernie.knowledge_layers:
            layer.fusion = YourFusion(CONFIG)
            layer.fusion.apply(self.ernie._initialize)
        self.register_buffer("table", table)

    def encode(self, tokens, entities):
        """Ids of tokens and of entities, (B, N) each → token vectors (B, N, H)."""
        return self.ernie(tokens, self.table[entities.clamp(min=0)], entities >= 0)[0]

    def logits(self, tokens, entities):
        return self.answer(self.encode(tokens, entities)[:, 0])  # (B, lands)

    def forward(self, batch):
        tokens, entities, labels = batch
        return functional.cross_entropy(self.logits(tokens, entities), labels)


def padded(items):
    """Lists of tokens and of entities as two tensors, (B, N) each."""
    tokens = pad_sequence(
        [torch.tensor([index[token] for token in item[0]]) for item in items], batch_first=True
    )
    entities = pad_sequence([torch.tensor(item[1]) for item in items], batch_first=True, padding_value=-1)
    return tokens, entities


class EntityGuesser(nn.Module):
    """A reader that is asked which entity of the sentence a token has."""

    def __init__(self, reader):
        super().__init__()
        self.reader, self.head = reader, EntityHead(CONFIG)

    def states(self, tokens, read):
        return self.head(self.reader.encode(tokens, read))  # (B, N, E)

    def forward(self, batch):
        tokens, entities, read = batch
        return dea_loss(self.states(tokens, read), self.reader.table, entities)


text = padded(
    [aligned_tokens(one) for one in entity_graph.sentences(graph, 3000, seed + 1) if len(one.mentions) > 1]
)


def noisy(step):
    """A batch for dEA: tokens, true entities, those that are read."""
    draw = torch.Generator().manual_seed(1_000_003 * seed + step)
    chosen = torch.randint(len(text[0]), (32,), generator=draw)
    tokens, entities = (part[chosen] for part in text)
    others = torch.randint(len(graph.entities) - 1, entities.shape, generator=draw)
    return tokens, entities, dea_noise(entities, torch.rand(entities.shape, generator=draw), others)


def quietly(model, batches, steps, rate):
    with redirect_stderr(io.StringIO()):  # no bar
        train(
            model,
            batches,
            Plan(steps, linear_schedule(steps, steps // 10), device=str(run.device)),
            adamw(model, rate),
        )
    return model.cpu().eval()


torch.manual_seed(seed)
guesser = quietly(EntityGuesser(Reader(evened(vectors))), noisy, size["pretraining"], 5e-3)

# %% [markdown]
# How often is the true entity the first of its sentence? New sentences, each alignment kept, masked, or replaced.

# %%
fresh = [aligned_tokens(one) for one in entity_graph.sentences(graph, 400, seed + 2) if len(one.mentions) > 1]
tokens, entities = padded(fresh)
asked = entities >= 0
draw = torch.Generator().manual_seed(seed)
others = torch.randint(len(graph.entities) - 1, entities.shape, generator=draw)
judged = {}
for kind, level in {"kept": 0.9, "masked": 0.1, "replaced": 0.0}.items():
    read = dea_noise(entities, torch.full(entities.shape, level), others)
    with torch.no_grad():
        scores = guesser.states(tokens, read) @ guesser.reader.table.T  # (B, N, V)
    right = []
    for row, place in asked.nonzero().tolist():
        members = entities[row][asked[row]]
        right.append(float(scores[row, place, entities[row, place]] >= scores[row, place, members].max()))
    judged[kind] = float(np.mean(right))
chance = float(
    np.mean(
        [1 / len(one.mentions) for one in entity_graph.sentences(graph, 400, seed + 2) if len(one.mentions) > 1]
    )
)
pd.Series(judged | {"chance": chance}, name="share right").round(3)

# %% [markdown]
# ## Experiment: a question of two steps
#
# *"[ENT] mirelo [ENT] met dorun in the garden"*: in which of eight lands does the marked person live?

# %% [markdown]
# Fine-tuning sees half of the people of three towns in each land. The test asks about three groups:
#
# | group | the person | their town's people |
# |---|---|---|
# | seen | was in fine-tuning | were, too |
# | unseen | was not | some were |
# | unseen town | was not | none was |

# %%
LEFT_TOWNS = {max(town for town in towns if graph.tail(town, LIES_IN) == land) for land in lands}
GROUPS = ("seen", "unseen", "unseen town")


def group_of(person):
    if graph.tail(person, LIVES_IN) in LEFT_TOWNS:
        return "unseen town"
    return "seen" if person % 2 == 0 else "unseen"


def questions(count, number):
    """Items (tokens, entities, person), the first and the second person asked in turn."""
    found = entity_graph.sentences(graph, count, number, TEMPLATES[:6])
    return [asked_about(sentence, place % 2) for place, sentence in enumerate(found)]


known = [item for item in questions(4000, seed + 3) if group_of(item[2]) == "seen"]
test = questions(size["test"], seed + 4)
known_tokens, known_entities = padded(known)
test_tokens, test_entities = padded(test)
labels = torch.tensor([graph.land_of(person) for *_, person in known])
truth = torch.tensor([graph.land_of(person) for *_, person in test])
group = [group_of(person) for *_, person in test]
print(
    f"{len(known)} questions about {len({person for *_, person in known})} people to learn from; asked:",
    pd.Series(group).value_counts().to_dict(),
)

# %% [markdown]
# One model, one budget; only the entity vectors differ:
#
# | system | entity vectors |
# |---|---|
# | text | none: no token has an entity |
# | random | random numbers |
# | shuffled | TransE's, given to the wrong people |
# | shuffled graph | TransE of a graph whose tails were dealt anew |
# | ERNIE | TransE's |
# | ERNIE, dEA | TransE's, and the model starts from the pre-training above |

# %%
people = graph.of_kind("person")
dealt = list(people)
random.Random(seed).shuffle(dealt)
swapped = vectors.clone()
swapped[people] = vectors[dealt]
SYSTEMS = {
    "text": vectors,
    "random": guess,
    "shuffled": swapped,
    "shuffled graph": wrong_vectors,
    "ERNIE": vectors,
    "ERNIE, dEA": vectors,
}


def linked(name, entities):
    """The alignments that a system reads."""
    return torch.full_like(entities, -1) if name == "text" else entities


def tune(name, number):
    """What a fine-tuned system says of each test question, (T,)."""
    torch.manual_seed(1000 * seed + number)
    reader = Reader(evened(SYSTEMS[name]))
    if name == "ERNIE, dEA":
        reader.ernie.load_state_dict(guesser.reader.ernie.state_dict())

    def batch(step):
        draw = torch.Generator().manual_seed(1_000_003 * seed + 1009 * number + step)
        chosen = torch.randint(len(labels), (16,), generator=draw)
        return known_tokens[chosen], linked(name, known_entities[chosen]), labels[chosen]

    reader = quietly(reader, batch, size["tuning"], 6e-3)
    with torch.inference_mode():
        return reader.logits(test_tokens, linked(name, test_entities)).argmax(dim=1)


# (S, R, T)
answers = torch.stack([torch.stack([tune(name, number) for number in range(size["runs"])]) for name in SYSTEMS])
right = (answers == truth).float().mean(dim=1)  # (S, T)
mean = {
    name: {which: float(right[row][[one == which for one in group]].mean()) for which in GROUPS}
    for row, name in enumerate(SYSTEMS)
}
pd.DataFrame(mean).T.round(3)

# %%
fig, panels = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained", sharey=True)
for axes, which in zip(panels, GROUPS):
    plots.bars(
        axes,
        {name: mean[name][which] for name in SYSTEMS},
        label="share right",
        title=which,
        chance=1 / len(lands),
    )
    axes.set_xlim(0, 1.15)
panels[0].invert_yaxis()  # the panels share it, and each has turned it
fig.suptitle(
    f"Unseen people: ERNIE {mean['ERNIE']['unseen']:.2f}, "
    f"text {mean['text']['unseen']:.2f}, shuffled {mean['shuffled']['unseen']:.2f}"
)
plt.show()

# %% [markdown]
# Of the *seen* people every system learns many by heart, by name or by any vector. Only the true vectors say something of new people.

# %% [markdown]
# How much is in the vectors themselves? A linear classifier on the person's vector, without any text:

# %%
train_people = sorted({person for *_, person in known})
linear = LogisticRegression(max_iter=1000, C=100.0).fit(
    vectors[train_people].numpy(), [graph.land_of(person) for person in train_people]
)
alone = linear.predict(vectors[[person for *_, person in test]].numpy()) == truth.numpy()
alone = {which: float(alone[[one == which for one in group]].mean()) for which in GROUPS}
pd.DataFrame({"vector alone": alone, "ERNIE": mean["ERNIE"]}).T.round(3)

# %% [markdown]
# ## Results

# %% tags=["metrics"]
speaks_mrr, works_mrr = left_out(SPEAKS, vectors, arrows)[0], left_out(WORKS_AS, vectors, arrows)[0]
metrics = {
    "mrr_that_follows": speaks_mrr,
    "mrr_that_does_not": works_mrr,
    "mrr_gain_over_shuffled_graph": speaks_mrr - left_out(SPEAKS, wrong_vectors, wrong_arrows)[0],
    "text_on_seen": mean["text"]["seen"],
    "text_over_chance": mean["text"]["unseen"] - 1 / len(lands),
    "vectors_minus_text": mean["ERNIE"]["unseen"] - mean["text"]["unseen"],
    "ernie_minus_random": mean["ERNIE"]["unseen"] - mean["random"]["unseen"],
    "ernie_minus_shuffled": mean["ERNIE"]["unseen"] - mean["shuffled"]["unseen"],
    "ernie_minus_shuffled_graph": mean["ERNIE"]["unseen"] - mean["shuffled graph"]["unseen"],
    "ernie_on_unseen_towns": mean["ERNIE"]["unseen town"],
    "dea_gain": mean["ERNIE, dEA"]["unseen"] - mean["ERNIE"]["unseen"],
}
record(
    metrics,
    vectors=vectors,
    arrows=arrows,
    wrong_vectors=wrong_vectors,
    wrong_arrows=wrong_arrows,
    answers=answers,
)

# %% [markdown]
# What was found (the numbers of your run stand above; the table says how far seeds differ):
#
# | claim | here |
# |---|---|
# | arrows of TransE add up | `mrr_that_follows` against `mrr_that_does_not` and a shuffled graph: yes |
# | text alone cannot know | `text_over_chance`: about 0, while `text_on_seen` is far above chance |
# | fused vectors bring the facts in | `vectors_minus_text`: yes |
# | … and it is the facts, not more numbers | `ernie_minus_random`, `ernie_minus_shuffled`, `ernie_minus_shuffled_graph`: yes |
# | it takes both steps, from people of towns nobody was asked about | `ernie_on_unseen_towns`, chance .125: yes, in part |
# | dEA helps | `dea_gain`: about 0 in the smallest profile (12 seeds), +.06 in `cpu` (5 seeds, spread .04) |

# %% [markdown]
# The contrast is larger than the paper's 3 points of F1: our text tells nothing, while Wikipedia, which BERT has read, states many of the facts.

# %% [markdown]
# A classifier on the vector alone does better than ERNIE, which has to find the marked person and carry the vector to [CLS], and learns that from about a hundred people.

# %% [markdown]
# ### Other ways to the same end
#
# | model | how the knowledge comes in |
# |---|---|
# | ERNIE of Baidu (Sun et al. 2019) | no vectors: whole phrases and entities of the text are masked |
# | KnowBERT (Peters et al. 2019) | entity vectors enter between layers; a linker is learnt within the model |
# | K-BERT (Liu et al. 2020) | facts are written into the sentence as words, and a mask limits who sees them |
# | LUKE (Yamada et al. 2020) | entities are tokens of their own, with vectors learnt in pre-training |

# %% [markdown]
# ## In your own words
#
# **1.** A colleague compares BERT with ERNIE, finds ERNIE better, and says: *"the knowledge graph did it."* ERNIE also has more parameters, more training and an input more. Which controls of this lesson answer which objection, and which objection is left?

# %% [markdown] answer="controls" points=2
# ### BEGIN SOLUTION
# 1 point: random vectors have the same parameters, the same input and as much training, so a gain over them is not size; shuffled vectors have TransE's own distribution as well, so it is not their shape; the shuffled graph went through the
# same TransE, so it is the facts and not the method. 1 point: left is, for example, that the linking was perfect here and the text told nothing, so the gain on real text may be smaller; or that the extra pre-training (dEA, more text) was not
# given to BERT, for which BERT would have to be trained on the same text as long.
# ### END SOLUTION

# %% [markdown]
# **2.** TransE holds a relation for one arrow, and our four towns of a land are drawn to one point. Why? Name a relation for which that is a loss, and what it means for a question about people of the same town.

# %% [markdown] answer="one_arrow" points=2
# ### BEGIN SOLUTION
# 1 point: each town must satisfy town + r = land with the same r and the same land, so town = land − r for all four; whatever distinguishes them only costs (other facts, the margin and length 1 keep them apart a little). 1 point: any N-to-1 or
# 1-to-N relation loses what distinguishes the heads: people of one town get nearly one vector, so who is asked cannot be told from a neighbour by the vector, as in "who is older"; symmetric relations press r to 0. For the question of the
# land it is a help: neighbours have the same answer.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Zhang et al. 2019, [ERNIE](https://arxiv.org/abs/1905.07129), sections 3.3 to 3.5, and the authors' [code](https://github.com/thunlp/ERNIE).
# - Bordes et al. 2013, [Translating Embeddings for Modeling Multi-relational Data](https://papers.nips.cc/paper/5071-translating-embeddings-for-modeling-multi-relational-data).

# %% [markdown]
# - Sun et al. 2020, [A Re-evaluation of Knowledge Graph Completion Methods](https://arxiv.org/abs/1911.03903): ties in the ranking.
# - Poerner et al. 2020, [E-BERT](https://arxiv.org/abs/1911.03681): entity vectors in BERT's space, without training.
