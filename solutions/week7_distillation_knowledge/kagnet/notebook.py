# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # KagNet: reason over a graph of concepts
#
# **The paper.** Lin, Chen, Chen and Ren, [KagNet: Knowledge-Aware Graph Networks for Commonsense Reasoning](https://arxiv.org/abs/1909.02151) (EMNLP 2019).
#
# A model of text knows what texts say. What goes without saying, no text says.

# %% [markdown]
# > 땅을 팠다. *They dug the ground.*
#
# With a **shovel** (삽) to plant flowers, with an **excavator** (굴착기) to build a house. Both tools dig: the question's words alone do not tell which.

# %% [markdown]
# What tells is a path in a **graph of concepts**, such as ConceptNet:
#
# ```
#   to plant flowers ◀─UsedFor── garden ◀─AtLocation── shovel ──UsedFor──▶ to dig ◀─UsedFor── excavator
#                                                                                                  │
#   to build a house ◀─UsedFor── building site ◀──────────────AtLocation──────────────────────────┘
# ```

# %% [markdown]
# **The claims to test.**
#
# | claim | the paper's number |
# |---|---|
# | each question with its answer gets the part of the graph between their concepts | |
# | with these paths a model answers what text alone does not | CommonsenseQA, test: 58.9 |
# | attention over paths shows why | |
#
# On CommonsenseQA, a choice among five, the best model of text had about 56, people 89 (Talmor et al. 2019).

# %% [markdown]
# You write KagNet's pieces (about 3 hours):
#
# | | piece |
# |---|---|
# | 1–4 | the graph: concepts in a text, both directions, paths, the schema graph |
# | 5 | pruning: which paths are likely? |
# | 6–7 | a graph convolution, an LSTM along each path |
# | 8–9 | attention over paths and over pairs; the graph as one vector |

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: a minute or two · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
from collections import defaultdict
from itertools import product

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.nn import functional
from torch.nn.utils import parameters_to_vector

import etude
from etude import check, plots, record
from etude.concept_graph import ConceptWorld, renamed, rewired
from etude.models.kagnet import KagNet, KagNetConfig, TextAlone, collate, train_transe
from etude.train import Plan, adamw, linear_schedule, train

run = etude.start("week7_distillation_knowledge/kagnet", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. Concepts in a text
#
# Concepts have names such as `dig` and `plant_flower`. A text is brought to dictionary forms (*dug* → *dig*, 팠다 → 파다). Then its n-grams are looked up among the names.

# %% [markdown]
# *to plant flowers* holds three names: `plant_flower`, `plant`, `flower`. We take the **longest first**, and use each word once:
#
# | lemmas | they | dig | the | ground | to | plant | flower |
# |---|---|---|---|---|---|---|---|
# | concept | | `dig` | | `ground` | | `plant_flower` | `plant_flower` |
#
# The paper keeps shorter names as well, and prunes later.

# %% [markdown]
# **Stop words** are left out: a name that is made of them alone (`the`, `to_be`) says nothing.
#
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>Go through the sizes from the text's length down to 1, and for each size from left to right. Remember which places are used.</details>
# <details><summary>Hint</summary>What you find first stands anywhere in the text: bring it into the text's order at the end.</details>


# %% exercise="ground"
def ground(lemmas, concepts, stop_words):
    """The concepts that a text mentions.

    lemmas: list of words, perhaps empty, no word with "_" in it; concepts: set of names, the words
    of each joined by "_"; stop_words: set of words. An n-gram matches if its words, joined, are a
    name and not all of them are stop words. The matches of most words are taken first, of equally
    many the left one; a word that is taken is not there for others.
    Returns a list or tuple of names in the order in which they stand in the text, each once (at its
    first place), as they are written. Lin et al. 2019, section 3.1.
    """
    ### BEGIN SOLUTION
    free, found = [True] * len(lemmas), {}
    for size in range(len(lemmas), 0, -1):
        for start in range(len(lemmas) - size + 1):
            words = lemmas[start : start + size]
            if all(free[start : start + size]) and "_".join(words) in concepts and not set(words) <= stop_words:
                found[start] = "_".join(words)
                free[start : start + size] = [False] * size
    return list(dict.fromkeys(found[start] for start in sorted(found)))
    ### END SOLUTION


# %%
check("ground")

# %% [markdown]
# A small graph for the shovel and the excavator, of triples (head, relation, tail):

# %%
TOY = [
    ("shovel", "UsedFor", "dig"),
    ("excavator", "UsedFor", "dig"),
    ("ground", "ReceivesAction", "dig"),
    ("shovel", "AtLocation", "garden"),
    ("excavator", "AtLocation", "building_site"),
    ("garden", "UsedFor", "plant_flower"),
    ("building_site", "UsedFor", "build_house"),
    ("garden", "RelatedTo", "build_house"),
    ("shovel", "MadeOf", "iron"),
    ("excavator", "MadeOf", "iron"),
    ("flower", "AtLocation", "garden"),
]
KOREAN = {
    "삽": "shovel", "굴착기": "excavator", "파다": "dig", "땅": "ground", "정원": "garden", "공사장": "building_site",
    "꽃_심다": "plant_flower", "집_짓다": "build_house", "꽃": "flower", "쇠": "iron",
}  # fmt: skip
STOP = {"they", "the", "to", "what", "do", "use", "무엇", "쓰다"}
NAMES = {name for head, _, tail in TOY for name in (head, tail)}
print(ground(["they", "dig", "the", "ground", "to", "plant", "flower"], NAMES, STOP))
print(ground(["they", "dig", "the", "ground", "to", "build", "house"], NAMES, STOP))
print([KOREAN[name] for name in ground(["꽃", "심다", "땅", "파다"], set(KOREAN), STOP)], "from 꽃을 심으려고 땅을 팠다")

# %% [markdown]
# English and Korean lead to the same concepts: from here on there is no language.

# %% [markdown]
# ## 2. Both directions
#
# A path may walk a triple from tail to head; the relation then gets a star:
#
# | triple | from `shovel` | from `dig` |
# |---|---|---|
# | (shovel, UsedFor, dig) | `UsedFor` to `dig` | `UsedFor*` to `shovel` |

# %% [markdown]
# Without it there is no way from `plant_flower` to `shovel`: both arrows point towards the question.
#
# ```
#  triples    plant_flower ◀─ UsedFor ── garden ◀─ AtLocation ── shovel
#  walked     plant_flower ── UsedFor* ─▶ garden ── AtLocation* ─▶ shovel
# ```
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>Two entries for each triple. A dict with an empty list for each concept, made first, saves asking whether it is there.</details>


# %% exercise="both_directions"
def both_directions(triples):
    """Where one can go from each concept.

    triples: list of (head, relation, tail), strings; some may stand there twice, and some may lead
    from a concept to itself.
    Returns a dict: for each concept that stands in a triple, a list or tuple of its (relation,
    concept), in any order, each once. A relation that is walked from tail to head ends in "*". What leads
    from a concept to itself is left out, so a list may be empty.
    """
    ### BEGIN SOLUTION
    neighbours = {name: [] for head, _, tail in triples for name in (head, tail)}
    for head, relation, tail in dict.fromkeys(triples):
        if head != tail:
            neighbours[head].append((relation, tail))
            neighbours[tail].append((relation + "*", head))
    return neighbours
    ### END SOLUTION


# %%
check("both_directions")

# %%
neighbours = both_directions(TOY)
pd.Series(
    {
        name: ", ".join(f"{relation} {other}" for relation, other in neighbours[name])
        for name in ("dig", "garden", "iron")
    }
)

# %% [markdown]
# ## 3. Paths
#
# A **simple path** meets no concept twice. We want all of up to k steps between two concepts. Two relations between the same concepts make two paths.
#
# ```
#  from dig to garden, at most 3 steps
#  dig ─▶ shovel ─▶ garden                      a path, two steps
#  dig ─▶ shovel ─▶ iron ─▶ excavator           three steps, not there: dropped
#  dig ─▶ shovel ─▶ dig                         dig twice: not simple
# ```

# %% [markdown]
# Why not longer ones? With 20 neighbours each, k steps reach up to 20ᵏ concepts.
#
# *25 minutes, medium.*
#
# <details><summary>Hint</summary>Grow a path step by step: from where it stands, to each neighbour that it has not met. Has it arrived, or is it too long?</details>
# <details><summary>Hint</summary>Remember the concepts of *this* path. A set that all paths share would shut ways that others may still go.</details>


# %% exercise="find_paths"
def find_paths(neighbours, source, target, longest):
    """All simple paths of 1 to `longest` steps from one concept to another.

    neighbours: dict, as `both_directions` gives it; source, target: names, perhaps of concepts
    that are not in it; longest: a whole number from 0 on.
    Returns a list of paths in any order, each a list or tuple of steps (from, relation, to) as they
    are walked, the first from source, the last to target. From a concept to itself there is none.
    Lin et al. 2019, section 3.2.
    """
    ### BEGIN SOLUTION
    found, growing = [], [([], {source})]
    while growing:
        path, met = growing.pop()
        here = path[-1][2] if path else source
        if len(path) < longest:
            for relation, there in neighbours.get(here, []):
                longer = [*path, (here, relation, there)]
                if there == target and target not in met:
                    found.append(longer)
                elif there not in met and len(longer) < longest:
                    growing.append((longer, met | {there}))
    return found
    ### END SOLUTION


# %%
check("find_paths")


# %%
def drawn(path):
    """A path in one line."""
    return path[0][0] + "".join(
        f" ◀─{relation[:-1]}─ {there}" if relation.endswith("*") else f" ─{relation}─▶ {there}"
        for _, relation, there in path
    )


for tool, aim in product(("shovel", "excavator"), ("plant_flower", "build_house")):
    for path in sorted(find_paths(neighbours, aim, tool, 2), key=len):
        print(drawn(path))

# %% [markdown]
# The library networkx finds the same number of paths between any two concepts:

# %%
graph = nx.MultiDiGraph((one, other, relation) for one, some in neighbours.items() for relation, other in some)
differ = [
    (one, other, longest)
    for one, other, longest in product(neighbours, neighbours, range(1, 5))
    if one != other
    and len(find_paths(neighbours, one, other, longest))
    != len(list(nx.all_simple_edge_paths(graph, one, other, cutoff=longest)))
]
print("pairs that differ:", differ)

# %% [markdown]
# The shovel has a path to *building a house*, too: the garden is **related to** it. That a path is there says little; its relations say more.

# %% [markdown]
# ## 4. The schema graph
#
# A question with one of its answers gets its own small graph: all that stands on paths between its concepts and the answer's. Triples directly *among* the question's concepts, and *among* the answer's, are added.
#
# ```
#  question            between          answer
#  ground ── dig ─────────────────────── shovel       paths of at most two steps
#  plant_flower ────── garden ────────── shovel
#                                                     outside: excavator, iron, flower, building_site …
# ```
#
# *25 minutes, medium.*
#
# <details><summary>Hint</summary>Your <code>find_paths</code> for each pair. A step with a star is a triple read backwards: turn it round.</details>
# <details><summary>Hint</summary>Paths of one step give the triples among the question's concepts, and those of the answer's.</details>


# %% exercise="schema_graph"
def schema_graph(neighbours, question, answer, longest):
    """The part of the graph between a question's concepts and an answer's.

    neighbours: dict, as `both_directions` gives it; question, answer: lists of names, each name
    once in its list; longest: the most steps of a path, from 1 on.
    Returns (concepts, triples, paths): the set of names on paths, with all names of question and
    answer; the set of (head, relation, tail), each as it stands in the graph (no star): those on
    paths, and those between two names of the question or two of the answer; a dict from each pair
    (question's name, answer's name) to its list of paths, perhaps empty, as `find_paths` gives it.
    Uses your `find_paths`. Lin et al. 2019, section 3.2.
    """
    ### BEGIN SOLUTION
    paths = {(one, other): find_paths(neighbours, one, other, longest) for one in question for other in answer}
    walked = [step for some in paths.values() for path in some for step in path]
    for names in (question, answer):
        walked += [(one, relation, there) for one in names for relation, there in neighbours.get(one, []) if there in names]
    triples = {(there, relation[:-1], one) if relation.endswith("*") else (one, relation, there) for one, relation, there in walked}
    concepts = {*question, *answer} | {name for head, _, tail in triples for name in (head, tail)}
    return concepts, triples, paths
    ### END SOLUTION


# %%
check("schema_graph")

# %% [markdown]
# Control: another question. What stays in the schema graph of the shovel?

# %%
rows = {}
for aim in ("plant_flower", "build_house"):
    some, triples, paths = schema_graph(neighbours, ["ground", "dig", aim], ["shovel"], 2)
    rows[aim] = {
        "concepts": ", ".join(sorted(some)),
        "triples": len(triples),
        "paths": sum(map(len, paths.values())),
    }
pd.DataFrame(rows).T

# %% [markdown]
# ### A planted world
#
# The experiment's graph nobody can know: which tool lies where, and which place serves what, is drawn anew for each seed.

# %%
LONGEST = 3
world = ConceptWorld(seed)
concept_names = sorted(world.kinds)
relation_names = sorted({relation for _, relation, _ in world.triples})
for split in ("train", "test"):
    for language in ("en", "ko"):
        one = world.questions(split, language)[0]
        print(f"{split:6}", one.text, "|", " · ".join(one.choices), "|", one.choices[one.answer])
print(len(world.triples), "triples,", len(concept_names), "concepts, relations:", *relation_names)

# %% [markdown]
# All four tools are used for the action. In the test no aim, place or tool is one that training asked about.
#
# ```
#  aim ◀─ UsedFor ─── place ◀─ AtLocation ── the right tool
#  aim ── RelatedTo ─ place ◀─ AtLocation ── each of the other three
# ```

# %% [markdown]
# For two questions of nine the deciding fact is missing, and its place is merely related, too. So nobody can be right more often than 7/9 + 2/9 · 1/4 = .83, but by luck.

# %% [markdown]
# The text does not tell, and neither does the *number* of paths:

# %%
neighbours = both_directions(world.triples)
question = world.questions("test")[0]
aim = next(
    name
    for name in ground(list(question.lemmas), set(concept_names), STOP)
    if world.kinds[name] in ("aim", "plan")
)
for place, tool in enumerate(question.choices):
    for path in sorted(find_paths(neighbours, aim, tool, LONGEST), key=len):
        print("right" if place == question.answer else "     ", drawn(path))

# %% [markdown]
# ## 5. Pruning
#
# ConceptNet holds odd triples, and long paths stray. How likely is one? **TransE** gives concepts and relations vectors, with $h + r \approx t$ for what is true.

# %% [markdown]
# A triple's score is near 1 if $t - h$ points where $r$ points, and a path's is the product of its triples':
#
# $$\text{triple} = \tfrac12 \left(1 + \cos(r,\; t - h)\right), \qquad \text{path} = \prod \text{triple}$$
#
# The paper drops paths below a threshold; its code takes .15.

# %% [markdown]
# A step with a star is a triple read backwards: its head is where the step *ends*.
#
# ```
#  plant_flower ── UsedFor* ─▶ garden ── AtLocation* ─▶ shovel
#                    .9      ×             .8                      =  .72    kept, as it is above .15
# ```
#
# *20 minutes, medium.*
#
# <details><summary>Hint</summary><code>functional.cosine_similarity(a, b, dim=-1)</code> gives 0 for a vector of zeros.</details>
# <details><summary>Hint</summary>What pads a short path must be a factor of 1, not of 0.</details>


# %% exercise="path_scores"
def path_scores(concepts, relations, steps, lengths):
    """How likely each path is, by TransE's vectors.

    concepts (V, E), relations (R, E): float vectors; steps (P, L, 3) int64: from, relation, to, as
    walked; a relation from R on is one walked backwards: R + r is relation r from tail to head.
    lengths (P,) int64, from 1 to L: steps beyond it are padding, of any such numbers. P may be 0.
    Returns a tensor (P,) of the vectors' type: the product over a path's steps of (1 +
    cos(r, t − h)) / 2, where a cosine with a vector of zeros is 0. Lin et al. 2019, section 3.3.
    """
    ### BEGIN SOLUTION
    moved = concepts[steps[..., 2]] - concepts[steps[..., 0]]  # (P, L, E)
    backwards = steps[..., 1] >= len(relations)  # (P, L)
    moved = torch.where(backwards[..., None], -moved, moved)
    kinds = relations[steps[..., 1] % len(relations)]  # (P, L, E)
    scores = (1 + functional.cosine_similarity(kinds, moved, dim=-1)) / 2  # (P, L)
    padding = torch.arange(steps.shape[1]) >= lengths[:, None]
    return scores.masked_fill(padding, 1.0).prod(dim=1)
    ### END SOLUTION


# %%
check("path_scores")

# %% [markdown]
# Does the score tell true triples from false ones? The false ones have another tail, drawn at random.

# %%
concept_id = {name: number for number, name in enumerate(concept_names)}
relation_id = {name: number for number, name in enumerate(relation_names)}
relation_id |= {name + "*": number + len(relation_names) for name, number in relation_id.items()}


def vectors_of(triples):
    """Triples as numbers (T, 3), TransE's vectors of concepts (V, E) and of relations (R, E)."""
    numbers = torch.tensor(
        [[concept_id[head], relation_id[relation], concept_id[tail]] for head, relation, tail in triples]
    )
    return numbers, *train_transe(numbers, len(concept_names), len(relation_names), 16, 120, seed)


numbers, vectors, relation_vectors = vectors_of(world.triples)
false = numbers.clone()
false[:, 2] = torch.randint(0, len(concept_names), (len(false),), generator=torch.Generator().manual_seed(seed))
one_step = torch.ones(len(numbers), dtype=torch.long)
true_scores, false_scores = (
    path_scores(vectors, relation_vectors, some[:, None], one_step) for some in (numbers, false)
)
figure, axes = plt.subplots(figsize=(6.5, 3), layout="constrained")
bins = np.linspace(0, 1, 26)
for name, some in {"in the graph": true_scores, "another tail": false_scores}.items():
    axes.hist(some.numpy(), bins, alpha=0.6, label=name)
labels = [1] * len(true_scores) + [0] * len(false_scores)
auc = float(roc_auc_score(labels, torch.cat([true_scores, false_scores])))
axes.set(xlabel="score of a triple", ylabel="triples", title=f"TransE tells true from false: AUC {auc:.2f}")
axes.legend()
plt.show()

# %% [markdown]
# ## 6. A graph convolution
#
# A concept's vector knows nothing of the question. A convolution mixes it with its neighbours in the schema graph (Kipf and Welling 2017, equation 2):
#
# $$X' = \mathrm{ReLU}\!\left(\tilde D^{-1/2} \tilde A\, \tilde D^{-1/2} X W^\top + b\right), \qquad \tilde A = A + I$$

# %% [markdown]
# | | |
# |---|---|
# | $A$ | 1 where a triple joins two concepts, in either direction; two triples count once |
# | $+\,I$ | a concept is its own neighbour, once |
# | $\tilde D$ | the number of neighbours, itself among them |
#
# The paper's own rule has two matrices, one for the concept and one for the mean of its neighbours. Neither sees relations.

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>An entry of the mixing matrix is 1/√(dᵢ dⱼ). Scale the rows of X before and after in place of making it.</details>
# <details><summary>Hint</summary>The bias is added after the mixing: it is not multiplied by anything.</details>


# %% exercise="graph_convolution"
def graph_convolution(x, adjacency, weight, bias):
    """Mixes each concept with its neighbours, on several graphs at once.

    x: float (S, N, H); adjacency: bool (S, N, N), True at [s, i, j] where a triple of graph s goes
    from i to j, perhaps in one direction alone, perhaps from a concept to itself; concepts that
    pad a graph have no triples. weight (F, H), bias (F,), as in nn.Linear.
    Returns (S, N, F), in x's type. Kipf and Welling 2017, equation 2; Lin et al. 2019, section 4.1.
    """
    ### BEGIN SOLUTION
    linked = adjacency | adjacency.mT | torch.eye(x.shape[1], dtype=torch.bool, device=x.device)  # (S, N, N)
    mixing = linked.to(x.dtype)
    scale = mixing.sum(dim=-1).rsqrt()  # (S, N)
    mixing = scale[:, :, None] * mixing * scale[:, None, :]
    return functional.relu(mixing @ x @ weight.T + bias)
    ### END SOLUTION


# %%
check("graph_convolution")

# %% [markdown]
# Only `plant_flower` has a 1 at the start; after each convolution, who has heard of it?

# %%
some, triples, _ = schema_graph(both_directions(TOY), ["ground", "dig", "plant_flower"], ["shovel"], 3)
names = sorted(some)
adjacency = torch.zeros(1, len(names), len(names), dtype=torch.bool)
for head, _, tail in triples:
    adjacency[0, names.index(head), names.index(tail)] = True
x = torch.zeros(1, len(names), 1)
x[0, names.index("plant_flower")] = 1
heard = {"at the start": x[0, :, 0].tolist()}
for number in (1, 2):
    x = graph_convolution(x, adjacency, torch.ones(1, 1), torch.zeros(1))
    heard[f"after {number}"] = x[0, :, 0].tolist()
pd.DataFrame(heard, index=names).T.round(2)

# %% [markdown]
# ## 7. An LSTM along the path
#
# At each step of a path the LSTM reads three vectors side by side. Its state after the last step is the path's vector:
#
# ```
#  [plant_flower; UsedFor*; garden]     [garden; AtLocation*; shovel]      padding
#                 │                                  │                      not read
#  zeros ─▶ state 1 ─────────────────────────▶ state 2 = the path's vector
# ```

# %% [markdown]
# A step of the LSTM, with $\sigma$ on $i$, $f$, $o$ (torch's order of the gates):
#
# $$[i, f, g, o] = W x + U h + b, \qquad c \leftarrow \sigma(f)\, c + \sigma(i) \tanh(g), \qquad h \leftarrow \sigma(o) \tanh(c)$$

# %% [markdown]
# A short path must not read on in the padding.
#
# *25 minutes, medium.*
#
# <details><summary>Hint</summary><code>chunk(4, dim=-1)</code> cuts the four gates apart. State and cell begin as zeros.</details>
# <details><summary>Hint</summary><code>torch.where(real, new, old)</code> keeps the state of those that have arrived.</details>


# %% exercise="encode_paths"
def encode_paths(nodes, relations, steps, lengths, read, recur, bias):
    """A vector for each path: the state of an LSTM after its last step.

    nodes: float (Q, H), concepts; relations: float (R, E), each direction with a row of its own;
    steps (P, L, 3) int64: rows of nodes, relations, nodes; lengths (P,) int64, from 1 to L; what
    stands after a path's length, such rows too, does not count. P may be 0.
    read (4C, H + E + H): W; recur (4C, C): U; bias (4C,): b; gates in the order i, f, g, o.
    Returns (P, C), in the type of nodes. Lin et al. 2019, section 4.2.
    """
    ### BEGIN SOLUTION
    state = cell = nodes.new_zeros(len(steps), recur.shape[1])  # (P, C)
    for place in range(steps.shape[1]):
        here, relation, there = steps[:, place].unbind(dim=1)
        x = torch.cat([nodes[here], relations[relation], nodes[there]], dim=1)  # (P, H + E + H)
        i, f, g, o = (x @ read.T + state @ recur.T + bias).chunk(4, dim=1)
        new_cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        real = (place < lengths)[:, None]
        state = torch.where(real, o.sigmoid() * new_cell.tanh(), state)
        cell = torch.where(real, new_cell, cell)
    return state
    ### END SOLUTION


# %%
check("encode_paths")

# %% [markdown]
# ## 8. Which path, which pair?
#
# A pair of concepts may have a dozen paths, most of them beside the point. And of the pairs, `ground` and `dig` say nothing about the tool; the aim does. So KagNet attends twice:
#
# ```
#  (ground, shovel)           path ─ α ─┐
#                             path ─ α ─┴─▶ R̂₁, T₁ ─ β₁ ─┐
#  (dig, shovel)              path ─ α ───▶ R̂₂, T₂ ─ β₂ ─┼─▶ g ─▶ the answer's score
#  (plant_flower, shovel)     path ─ α ─┬─▶ R̂₃, T₃ ─ β₃ ─┘
#                             path ─ α ─┘
# ```

# %% [markdown]
#
# | | who asks | who answers | weights |
# |---|---|---|---|
# | paths of a pair | $T$, made of the text and the pair's two concepts | each path's vector $p_k$ | $\alpha_k = \mathrm{softmax}_k(T\, W_1\, p_k)$ |
# | pairs of a statement | the text's vector $s$ | each pair's $T_m$ | $\beta_m = \mathrm{softmax}_m(s\, W_2\, T_m)$ |

# %% [markdown]
# Both are one function. Dots in a shape stand for any dimensions before: (S, M) for paths, (S) for pairs. A pair **without any path** has weights of 0; a softmax over nothing would be NaN.
#
# *25 minutes, medium.*
#
# <details><summary>Hint</summary>A score of −∞ for padding gives 0/0 where a row holds nothing else. The lowest finite number does not, and what comes of it there can be made 0.</details>
# <details><summary>Hint</summary>A product's gradient multiplies with the other factor: take inf out of <code>answering</code> before it is multiplied, with <code>masked_fill</code>.</details>
# <details><summary>Hint</summary><code>torch.einsum</code> takes the dots, too.</details>


# %% exercise="attention_weights"
def attention_weights(asking, answering, real, weight):
    """The weights with which one vector attends to several: a softmax of bilinear scores.

    asking: float (…, D); answering: float (…, K, C); real: bool (…, K), False for padding, whatever
    numbers stand there, even inf; weight: float (D, C). The dots are any dimensions, perhaps none.
    Returns (…, K), in asking's type: the softmax over K of asking · weight · answering. They
    sum to 1 over what is real, however low its scores, and are 0 elsewhere; where nothing is real all are 0. No
    gradient is NaN, whatever stands at padding.
    Lin et al. 2019, section 4.3.
    """
    ### BEGIN SOLUTION
    answering = answering.masked_fill(~real.unsqueeze(-1), 0.0)  # inf there would make gradients NaN
    scores = torch.einsum("...d,dc,...kc->...k", asking, weight, answering)
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~real, lowest).softmax(dim=-1) * real
    ### END SOLUTION


# %%
check("attention_weights")

# %% [markdown]
# ## 9. The whole graph in one vector
#
# The paths of each pair are summed, then the pairs; a pair brings its own vector along:
#
# $$\hat R_m = \sum_k \alpha_{mk}\, p_{mk}, \qquad g = \sum_m \beta_m\, [\hat R_m;\, T_m]$$

# %% [markdown]
# A small network makes the answer's score of $g$.
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Two sums, one inside the other. In which dimension does each run?</details>
# <details><summary>Hint</summary>[R̂; T] stand side by side in the last dimension. β weighs both.</details>


# %% exercise="graph_vector"
def graph_vector(paths, alpha, pairs, beta):
    """A vector for each schema graph: its paths, summed by α, beside its pairs, both summed by β.

    paths: float (S, M, K, C), p; alpha (S, M, K); pairs: float (S, M, D), T; beta (S, M). All are
    finite. Weights of padding are 0, and so are all α of a pair without a path.
    Returns (S, C + D), in the type of paths, what comes from them first. Lin et al. 2019, section 4.3.
    """
    ### BEGIN SOLUTION
    pooled = torch.einsum("smk,smkc->smc", alpha, paths)
    return torch.einsum("sm,sme->se", beta, torch.cat([pooled, pairs], dim=-1))
    ### END SOLUTION


# %%
check("graph_vector")

# %% [markdown]
# ## The model, whole
#
# The library's KagNet holds the weights; your pieces do the work.

# %%
class Yours(KagNet):
    def convolve(self, x, adjacency, layer):
        return graph_convolution(x, adjacency, layer.weight, layer.bias)

    def encode(self, nodes, steps, lengths):
        lstm = self.lstm
        bias = lstm.bias_ih_l0 + lstm.bias_hh_l0
        return encode_paths(
            nodes, self.relations.weight, steps, lengths, lstm.weight_ih_l0, lstm.weight_hh_l0, bias
        )

    def weigh(self, asking, answering, real, weight):
        return attention_weights(asking, answering, real, weight)

    def combine(self, paths, alpha, pairs, beta):
        return graph_vector(paths, alpha, pairs, beta)


# %% [markdown]
# From a question to tensors:
#
# ```
#  question ─▶ ground ─▶ schema_graph, for each choice ─▶ paths below .15 dropped ─▶ tensors
# ```

# %%
THRESHOLD = 0.15
size = {
    "smoke": {"questions": 96, "steps": 80, "batch": 24},
    "cpu": {"questions": 288, "steps": 300, "batch": 24},
    "gpu": {"questions": 288, "steps": 2000, "batch": 32},
}[profile]
ENGLISH_OF = {korean: name for name, korean in world.korean.items()}
word_id = {word: number for number, word in enumerate(world.words(), start=1)}


def concepts_of(lemmas, language):
    """The concepts of a text, by their English names."""
    if language == "en":
        return ground(list(lemmas), set(concept_names), STOP)
    return [ENGLISH_OF[name] for name in ground(list(lemmas), set(ENGLISH_OF), STOP)]


def kept(paths, vectors, relation_vectors):
    """The paths that are likely enough."""
    longest, padding = max(map(len, paths), default=1), (0, 0, 0)
    rows = [[(concept_id[a], relation_id[r], concept_id[b]) for a, r, b in path] for path in paths]
    steps = torch.tensor([row + [padding] * (longest - len(row)) for row in rows]).reshape(-1, longest, 3)
    scores = path_scores(vectors, relation_vectors, steps, torch.tensor([len(path) for path in paths]))
    return [path for path, score in zip(paths, scores.tolist()) if score >= THRESHOLD]


class Source:
    """A graph to answer from: where one can go, and TransE's vectors."""

    def __init__(self, triples):
        self.neighbours = both_directions(triples)
        _, self.vectors, self.relations = vectors_of(triples)

    def statements(self, questions, language="en", longest=LONGEST):
        """For each question its choices, ready for `collate`, with
        the names of pairs and paths; and the question."""
        made = []
        for question in questions:
            mentioned, choices = concepts_of(question.lemmas, language), []
            for tool in question.choices:
                answer = concepts_of(tool.split("_"), language)
                some, edges, paths = schema_graph(self.neighbours, mentioned, answer, longest)
                paths = {
                    pair: kept(found, self.vectors, self.relations) if found else []
                    for pair, found in paths.items()
                }
                names = sorted(some)
                at = {name: place for place, name in enumerate(names)}
                choices.append({
                    "words": [word_id[word] for word in (*question.lemmas, tool)],
                    "concepts": [concept_id[name] + 1 for name in names],
                    "edges": [(at[head], at[tail]) for head, _, tail in edges],
                    "pairs": [(at[one], at[other]) for one, other in paths],
                    "paths": [
                        [[(at[a], relation_id[r], at[b]) for a, r, b in path] for path in found]
                        for found in paths.values()
                    ],
                    "names": paths,
                })  # fmt: skip
            made.append((choices, question))
        return made


FIELDS = ("words", "concepts", "edges", "pairs", "paths")


def batch_of(made):
    """(Statements of all choices in a row, answers (B,))."""
    flat = [choice for choices, _ in made for choice in choices]
    return collate(*([choice[field] for choice in flat] for field in FIELDS)), torch.tensor(
        [one.answer for _, one in made]
    )


training = world.questions("train")[: size["questions"]]
tests = {language: world.questions("test", language) for language in ("en", "ko")}
source = Source(world.triples)
prepared, asked = source.statements(training), source.statements(tests["en"])
config = KagNetConfig(len(word_id), len(concept_names), len(relation_names))
torch.manual_seed(seed)
model, (some, _) = Yours(config, source.vectors), batch_of(prepared[:8])
twin = KagNet(config, source.vectors)
twin.load_state_dict(model.state_dict())
with torch.no_grad():
    print(
        "greatest difference of your scores to the library's: "
        f"{float((model(some).scores - twin(some).scores).abs().max()):.1e}"
    )

# %% [markdown]
# ## Experiment: what does the graph bring?
#
# The loss is −ln of the softmax over a question's four scores, at the right one. Three controls get the same questions and steps:
#
# | control | what it has |
# |---|---|
# | text alone | words, no graph |
# | shuffled graph | the same graph with the names of tools, places, … exchanged: same degrees, wrong facts |
# | random graph | as many triples of each relation, ends at random |

# %%
class Answering(nn.Module):
    """A scorer and the loss over choices."""

    def __init__(self, scorer):
        super().__init__()
        self.scorer = scorer

    def forward(self, batch):
        some, answers = batch
        return functional.cross_entropy(self.scorer(some).scores.reshape(len(answers), -1), answers)


def learn(scorer, made, title):
    """Trains a scorer on prepared questions."""
    parts = [batch_of(made[start : start + size["batch"]]) for start in range(0, len(made), size["batch"])]
    steps = size["steps"]
    plan = Plan(steps, linear_schedule(steps, steps // 10), device=str(run.device), title=title)
    train(
        Answering(scorer),
        lambda number: parts[number % len(parts)],
        plan,
        adamw(scorer, 5e-3, betas=(0.9, 0.98)),
    )
    return scorer.cpu().eval()


@torch.no_grad()
def share_right(scorer, made, which=lambda question: True):
    """The share of questions that are answered rightly, of those that `which` chooses."""
    made = [one for one in made if which(one[1])]
    some, answers = batch_of(made)
    return float((scorer(some).scores.reshape(len(answers), -1).argmax(dim=1) == answers).float().mean())


def measured(scorer, own, others):
    """A row of the table below: training, test, and parts of the test."""
    parts = (
        lambda q: True,
        lambda q: q.known and q.steps == 2,
        lambda q: q.known and q.steps == 3,
        lambda q: not q.known,
    )
    return [share_right(scorer, own), *(share_right(scorer, others, which) for which in parts)]


def seeded(make, *arguments):
    torch.manual_seed(seed)
    return make(*arguments)


SOURCES = {
    "KagNet": source,
    "shuffled graph": Source(renamed(world.triples, world.kinds, seed)),
    "random graph": Source(rewired(world.triples, seed)),
}
models, rows = {}, {}
for name, one in SOURCES.items():
    own, others = (
        (prepared, asked) if one is source else (one.statements(training), one.statements(tests["en"]))
    )
    models[name] = learn(seeded(Yours, config, one.vectors), own, name)
    rows[name] = measured(models[name], own, others)
models["text alone"] = learn(seeded(TextAlone, config), prepared, "text alone")
rows["text alone"] = measured(models["text alone"], prepared, asked)
COLUMNS = ("training", "test", "… two steps", "… three steps", "… fact missing")
print(f"an even guess pays {math.log(4):.2f} nats; the training questions cost KagNet", end=" ")
some, answers = batch_of(prepared)
with torch.no_grad():
    print(f"{float(Answering(models['KagNet'])((some, answers))):.2f}")
pd.DataFrame(rows, index=COLUMNS).T.round(2)

# %% [markdown]
# Without learning: take the tool with the most paths to the question's concepts, or the one with the shortest path to the aim.

# %%
def untaught(score):
    """The expected share right of the choice with the greatest score, ties drawn."""
    found = []
    for choices, question in asked:
        values = [score(choice["names"]) for choice in choices]
        best = [place for place, value in enumerate(values) if value == max(values)]
        found.append((question.answer in best) / len(best))
    return float(np.mean(found))


print(f"most paths: {untaught(lambda names: sum(map(len, names.values()))):.2f}", end=", ")
print(
    "shortest path to the aim: "
    f"""{untaught(lambda names: -min(
        (len(p) for (one, _), some in names.items() if '_' in one for p in some), default=9
    )):.2f}"""
)

# %% [markdown]
# Larger profiles take parts out: paths of two steps at most, no convolution, all relations made one.

# %%
if profile != "smoke":
    short = [source.statements(some, longest=2) for some in (training, tests["en"])]
    blind = [
        [
            (
                [
                    {
                        **one,
                        "paths": [[[(a, 0, b) for a, _, b in path] for path in some] for some in one["paths"]],
                    }
                    for one in choices
                ],
                q,
            )
            for choices, q in made
        ]
        for made in (prepared, asked)
    ]  # fmt: skip
    without = KagNetConfig(**{**vars(config), "layers": 0})
    PARTS = {
        "two steps at most": (config, *short),
        "no convolution": (without, prepared, asked),
        "relations made one": (config, *blind),
    }
    for name, (sizes, own, others) in PARTS.items():
        rows[name] = measured(learn(seeded(Yours, sizes, source.vectors), own, name), own, others)
table = pd.DataFrame(rows, index=COLUMNS).T
table.round(2)

# %%
figure, axes = plt.subplots(figsize=(8, 0.6 + 0.45 * len(rows)), layout="constrained")
for shift, (place, label) in zip((-0.2, 0.2), ((0, "training"), (1, "test: concepts never asked about"))):
    axes.barh(np.arange(len(rows)) + shift, [row[place] for row in rows.values()], 0.38, label=label)
axes.axvline(0.25, color="#999999", ls="--", label="a guess")
axes.set(yticks=range(len(rows)), yticklabels=rows, xlabel="share right", xlim=(0, 1.05))
axes.invert_yaxis()
axes.set_title(
    f"With the graph {rows['KagNet'][1]:.2f}, with its names shuffled {rows['shuffled graph'][1]:.2f}"
)
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# What a control knows of its training questions it knows by heart; on others it guesses.

# %% [markdown]
# ## The same model in Korean
#
# It was trained in English. Korean questions lead to the same concepts and paths; only the bag of words meets new words.

# %%
korean = source.statements(tests["ko"], "ko")
right = {"English": share_right(models["KagNet"], asked), "Korean": share_right(models["KagNet"], korean)}
print(tests["ko"][0].text, {language: round(share, 2) for language, share in right.items()})

# %% [markdown]
# ## What does the attention show?
#
# Each path gets β of its pair times its own α. The wider the line, the more of the graph's vector comes from it. Orange is the path that decides.

# %%
def planted(path):
    """Whether a path is the one that decides: from the aim to the
    place that is used for it, to the tool that lies there."""
    relations = [relation for _, relation, _ in path]
    return relations in (["UsedFor*", "AtLocation*"], ["HasSubevent", "UsedFor*", "AtLocation*"])


@torch.no_grad()
def attention(made):
    """For each question the right choice's paths, with α and β."""
    some, answers = batch_of(made)
    found = models["KagNet"](some)
    for row, (choices, question) in enumerate(made):
        at, names = row * len(choices) + question.answer, choices[question.answer]["names"]
        yield (
            question,
            {
                pair: (
                    float(found.beta[at, m]),
                    [(path, float(found.alpha[at, m, k])) for k, path in enumerate(paths)],
                )
                for m, (pair, paths) in enumerate(names.items())
            },
        )


hits, even, on_aim = [], [], []
for _, pairs in attention(asked):
    for (one, _), (beta, paths) in pairs.items():
        if any(planted(path) for path, _ in paths) and len(paths) > 1:
            hits.append(planted(max(paths, key=lambda one: one[1])[0]))
            even.append(1 / len(paths))
        if world.kinds[one] in ("aim", "plan"):
            on_aim.append(beta)
print(
    "of the right answer's paths from the aim the planted one has the most weight: "
    f"{np.mean(hits):.2f} (by chance {np.mean(even):.2f})"
)
print(f"weight of the pair with the aim: {np.mean(on_aim):.2f} (even: 0.33)")

# %%
question, pairs = next(
    (q, p) for q, p in attention(asked) if q.steps == 2 and sum(len(some) for _, some in p.values()) > 6
)
figure, axes = plt.subplots(figsize=(10, 4.6), layout="constrained")
columns = defaultdict(list)
for one, tool in pairs:
    for name, column in ((one, 0), (tool, 3)):
        if name not in columns[column]:
            columns[column].append(name)
ends = {name for some in columns.values() for name in some}
for _, paths in pairs.values():
    for path, _ in paths:
        for place, (_, _, there) in enumerate(path[:-1], start=1):
            if there not in ends and all(there not in some for some in columns.values()):
                columns[place].append(there)
spot = {
    name: (column, (row + 0.5) / len(some)) for column, some in columns.items() for row, name in enumerate(some)
}
for beta, paths in pairs.values():
    for path, alpha in paths:
        for here, relation, there in path:
            (x0, y0), (x1, y1) = spot[here], spot[there]
            colour = plots.COLOURS[1] if planted(path) else plots.COLOURS[0]
            axes.plot([x0, x1], [y0, y1], color=colour, lw=0.5 + 14 * alpha * beta, alpha=0.5, zorder=1)
            axes.text(
                (x0 + x1) / 2, (y0 + y1) / 2, relation, fontsize=7, color="#666666", ha="center", zorder=2
            )
for name, (x, y) in spot.items():
    axes.text(
        x,
        y,
        name,
        ha="center",
        va="center",
        fontsize=9,
        bbox={"boxstyle": "round", "fc": "white", "ec": "#999999"},
        zorder=3,
    )
axes.set(
    xlim=(-0.4, 3.4),
    ylim=(0, 1),
    xticks=range(4),
    xticklabels=["question", "first", "second", "answer"],
    yticks=[],
)
axes.set_title(f"{question.text} {question.choices[question.answer]}: the planted path is orange")
plt.show()

# %% [markdown]
# Attention says where numbers were summed from. Whether the answer would change without them, only taking them away tells.

# %% [markdown]
# ## Results

# %% tags=["metrics"]
metrics = {
    "kagnet_right": rows["KagNet"][1],
    "text_gap": rows["KagNet"][1] - rows["text alone"][1],
    "shuffled_gap": rows["KagNet"][1] - rows["shuffled graph"][1],
    "random_gap": rows["KagNet"][1] - rows["random graph"][1],
    "three_steps_gap": rows["KagNet"][3] - rows["text alone"][3],
    "fact_gap": float(np.mean(rows["KagNet"][2:4])) - rows["KagNet"][4],
    "korean_right": right["Korean"],
    "attention_hits": float(np.mean(hits)) - float(np.mean(even)),
    "pruning_auc": auc,
}
record(
    metrics,
    text=parameters_to_vector(models["text alone"].parameters()).detach(),
    kagnets=torch.stack([parameters_to_vector(models[name].parameters()).detach() for name in SOURCES]),
    relations=source.relations,
)

# %% [markdown]
# What was found, in the table's runs:
#
# | claim | here |
# |---|---|
# | each question and answer gets the graph between their concepts | yes, by construction, and equal to a brute force |
# | paths answer what text does not | `kagnet_right`, `text_gap` |
# | … because the facts are right | `shuffled_gap`, `random_gap`: with other facts it guesses |
# | … over three relations, too | `three_steps_gap` |
# | … where the graph holds the fact | `fact_gap`: elsewhere it guesses |
# | attention shows why | `attention_hits` |
# | TransE's score tells true triples from false ones | `pruning_auc` |

# %% [markdown]
# Our world is made for it: one path decides, and the graph mostly holds it. In CommonsenseQA many questions have no such path in ConceptNet, and the gain over a model of text is a few points.

# %% [markdown]
# ## In your own words
#
# **1.** A team adds ConceptNet to its model and gains 3 points. A colleague runs the same model on a graph with its concepts' names exchanged, and gains 2.8. What has the graph brought, and which controls would you ask for?

# %% [markdown] answer="what_the_graph_brought" points=2
# ### BEGIN SOLUTION
# 1 point: nearly nothing of the gain comes from facts, since wrong facts bring nearly as much: it comes from parameters, structure (number and length of paths, degrees) or noise between seeds. 1 point: controls: several seeds with their
# spread; a random graph; the same parameters without paths; choosing by the number of paths; questions whose concepts were never asked about in training, so that nothing can be learnt by heart.
# ### END SOLUTION

# %% [markdown]
# **2.** "The widest path in the picture is the reason for the answer." What does the attention show, what not, and what would you do to find out?

# %% [markdown] answer="is_attention_a_reason" points=2
# ### BEGIN SOLUTION
# 1 point: α and β say how vectors were weighed in a sum; the vectors hold more than the path (the convolution has mixed in neighbours, T holds the text and the concepts), and a heavy path may be ignored by the layers behind. 1 point: take
# the path (or its triple) out of the graph and look whether the answer changes, against taking out another path of the same length; do it over many questions.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Lin et al. 2019, [KagNet](https://arxiv.org/abs/1909.02151), sections 3 and 4; the authors' [code](https://github.com/INK-USC/KagNet).
# - Speer, Chin and Havasi 2017, [ConceptNet 5.5](https://arxiv.org/abs/1612.03975): the graph.

# %% [markdown]
# - Talmor et al. 2019, [CommonsenseQA](https://arxiv.org/abs/1811.00937): text does not tell.
# - Feng et al. 2020, [MHGRN](https://arxiv.org/abs/2005.00646): many steps without listing paths.
# - Jain and Wallace 2019, [Attention is not Explanation](https://arxiv.org/abs/1902.10186).
