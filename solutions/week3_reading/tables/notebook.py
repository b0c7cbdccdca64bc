# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Auditing tables: does the claim follow from the numbers?
#
# **The papers.** Twelve of them, with their printed tables as data:
#
# | on | papers |
# |---|---|
# | vectors | [GloVe](https://aclanthology.org/D14-1162) |
# | translation | [GNMT](https://arxiv.org/abs/1609.08144), [ConvS2S](https://arxiv.org/abs/1705.03122), the [Transformer](https://arxiv.org/abs/1706.03762) |
# | GPT | [GPT-2](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), [GPT-3](https://arxiv.org/abs/2005.14165) |
# | BERT | [BERT](https://arxiv.org/abs/1810.04805) in two versions, its [miniatures](https://arxiv.org/abs/1908.08962), [RoBERTa](https://arxiv.org/abs/1907.11692), [ALBERT](https://arxiv.org/abs/1909.11942), [DistilBERT](https://arxiv.org/abs/1910.01108), [TinyBERT](https://arxiv.org/abs/1909.10351) |
#
# Also the pages of Korean models' makers.

# %% [markdown]
# **The claims** are the papers' own: averages, costs, sizes, sentences. Can they be computed from the numbers printed beside them?

# %% [markdown]
# Three rules for an auditor:
#
# - **A printed number is an interval**: 28.4 is anything from 28.35 to 28.45.
# - **"Does not follow" is not "is wrong".** The authors may have had more digits, another rule or version.
# - **"Can follow" is not "is right".** Rounding hides small slips.

# %% [markdown]
# **What you will write** (about 2 hours):
#
# | | piece |
# |---|---|
# | 1 | a printed number as an interval |
# | 2 | what a formula can give |
# | 3 | whether a claim follows |
# | 4 | averages with pandas |
# | 5 | training cost |
# | 6 | parameter counts |
# | 7 | rank correlation |
# | 8 | the interval of a share |
# | 9 | a hunt for misprints |

# %% tags=["parameters"]
profile = "cpu"  # smoke, cpu and gpu do the same here: there is nothing to train
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import itertools
import math
from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import etude
from etude import check, plots, record
from etude.papers import tables

run = etude.start("week3_reading/tables", profile=profile, seed=seed, device=device, out=out)
plots.style()
pd.set_option("display.max_rows", 200)

# %% [markdown]
# The cells are text: as a number, 37.90 would lose its last digit.

# %%
tables.table("glove_table1")

# %% [markdown]
# ## 1. A printed number is an interval
#
# The true number lies at most half a unit of the last printed digit away:
#
# ```
#               28.35          28.40          28.45
#  "28.4"         ├──────────────┼──────────────┤       half a unit: 0.05
#  "28.40"                     ├─┼─┤                    half a unit: 0.005, 28.395 to 28.405
# ```
#
# In 2.3e19 the last digit stands for 1e18. Take the zeros of "340" as printed digits.

# %% [markdown]
# A float holds only a neighbour of 28.35, and at a border that decides. Compute in `Decimal`, from the text: `Decimal("28.4")`, not `Decimal(28.4)`.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `Decimal("28.4").as_tuple().exponent` is −1: the last digit counts tenths.
#
# </details>
# <details><summary>Hint for the half</summary>
#
# Half a unit is a 5, one place further right. `Decimal(7).scaleb(-3)` is 0.007.
#
# </details>


# %% exercise="interval"
def interval(printed):
    """All numbers that may have been rounded to this text: half a unit of its last digit to both sides.

    printed: string, a decimal number of at most 20 digits as Decimal reads it, without blanks: "28.4",
    "-0.50", "340", "2.3e19".
    Returns (low, high), exact: two Decimals (or Fractions, which do not mix with Decimals). "28.4"
    → (28.35, 28.45).
    """
    ### BEGIN SOLUTION
    value = Decimal(printed)
    half = Decimal(5).scaleb(value.as_tuple().exponent - 1)
    return value - half, value + half
    ### END SOLUTION


# %%
check("interval")

# %% [markdown]
# ## 2. What a formula can give
#
# What is computed from intervals is an interval (*interval arithmetic*). If a formula always rises, or always falls, with each number, its extremes lie at the **corners**: each number at one of its ends.

# %% [markdown]
# $n$ numbers have $2^n$ corners. For "5.0" − "3.0":
#
# ```
#                 5.0 at 4.95     5.0 at 5.05
#   3.0 at 2.95       2.00            2.10  ← greatest
#   3.0 at 3.05       1.90 ← least    2.00
# ```
#
# A number that stands twice is the same both times: for (a − b) / a do not divide the interval of a − b by that of a.

# %% [markdown]
# *10 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `itertools.product(["a", "b"], ["c", "d"])` gives all four choices of one from each.
#
# </details>
# <details><summary>Hint for the call</summary>
#
# One `interval` for each printed number, and `*` before a list hands its items over as arguments.
#
# </details>


# %% exercise="spread"
def spread(formula, *printed):
    """The least and the greatest value of a formula of printed numbers, at the corners of their
    intervals.

    formula: function of as many Decimals as numbers are given, monotone in each of them; printed:
    strings, any number of them from 1 on.
    Returns (low, high), as exact as the formula. spread(operator.sub, "5.0", "3.0") → (1.90, 2.10).
    """
    ### BEGIN SOLUTION
    values = [formula(*corner) for corner in itertools.product(*map(interval, printed))]
    return min(values), max(values)
    ### END SOLUTION


# %%
check("spread")

# %% [markdown]
# ## 3. Does the claim follow?
#
# The claim is one interval, what can be computed another. It **can follow** if they share a number. Both ends count: a half may be rounded either way.

# %% [markdown]
# Some cut digits off (truncate): 87.72 becomes 87.
#
# ```
#               86.5       87        87.5       88
#   rounded       ├────────────────────┤                 both ends belong to it
#   cut off                 ├────────────────────┤       87 belongs to it, 88 does not
# ```

# %% [markdown]
# *10 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# Two intervals meet if each begins before the other ends, or just there.
#
# </details>
# <details><summary>Hint for cut off</summary>
#
# It is the rounded claim's interval, moved up by half its width. At one end `<=` becomes `<`.
#
# </details>


# %% exercise="follows"
def follows(claimed, possible, cut=False):
    """Whether a printed number can come from an interval of possible values.

    claimed: string, a decimal number, not negative; possible: (low, high), two Decimals, low ≤
    high, both ends included.
    cut: False if the claim was rounded; True if its further digits were cut off.
    Returns True or False.
    """
    ### BEGIN SOLUTION
    low, high = interval(claimed)
    if cut:
        half = (high - low) / 2
        return low + half <= possible[1] and possible[0] < high + half
    return low <= possible[1] and possible[0] <= high
    ### END SOLUTION


# %%
check("follows")

# %% [markdown]
# Every claim examined goes into one list, the audit.

# %%
audit = []


def exactly(ends):
    """Both ends as Decimals, whatever numbers they were computed
    in, so that all in the audit are of one kind."""
    return tuple(Decimal(above) / below for above, below in (end.as_integer_ratio() for end in ends))


def examine(claim, printed, possible):
    """One claim for the audit; returns the verdict."""
    possible = exactly(possible)
    verdict = follows(printed, possible)
    audit.append((claim, printed, *possible, bool(verdict)))
    return verdict


for _, row in tables.table("glove_table1").iterrows():
    examine(f"GloVe: ratio of {row.word}", row.ratio, spread(lambda a, b: a / b, row.p_ice, row.p_steam))

# %% [markdown]
# GNMT's Table 10: the way from the old system to a human translator that the new one went, (GNMT − PBMT) / (human − PBMT), in percent.


# %%
def gap_closed(old, new, best):
    """Percent."""
    return 100 * (new - old) / (best - old)


gnmt = tables.table("gnmt_table10").set_index("pair")
lines = []
for pair, row in gnmt.iterrows():
    possible = exactly(spread(gap_closed, row.pbmt, row.gnmt, row.human))
    rounded = examine(f"GNMT: {pair}", row.improvement, possible)
    cut = follows(row.improvement, possible, cut=True)
    lines.append((pair, row.improvement, *(round(end, 2) for end in possible), rounded, cut))
pd.DataFrame(lines, columns=["pair", "printed", "low", "high", "rounded", "cut off"])

# %% [markdown]
# Two of six do not follow if rounded; all six follow if cut off.
#
# The abstract's "60 % fewer errors on average" is another measure: this column's mean is 69.

# %% [markdown]
# ## 4. Averages
#
# BERT was published twice, in 2018 and 2019; four QNLI scores and two averages changed. Are these means of nine columns, or of eight tasks, MNLI's two columns averaged first?
#
# Write the mean of *groups* of columns: within each group, then over the groups (a *macro-average*).
#
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# `table.map(function)` applies a function to every cell. A table of intervals is two tables of numbers: the low ends and the high ends.
#
# </details>
# <details><summary>Hint for the mean</summary>
#
# `numbers[group].sum(axis=1) / len(group)` is one group's mean in each row, exact in Decimals. The groups' means are averaged in the same way.
#
# </details>


# %% exercise="average"
def average(table, groups):
    """For each row, the interval of the mean over groups, where a group counts by the mean of its
    columns.

    table: DataFrame of printed numbers (strings), rows named by its index; groups: list of lists of
    columns, none empty, no column twice.
    Returns a dictionary from the row's name to (low, high), two numbers such as `interval` gives,
    or floats.
    [["a"], ["b"]] is the mean of two columns; [["a", "b"], ["c"]] is (mean of a and b, and c) / 2.
    """
    ### BEGIN SOLUTION
    cells = table.map(interval)

    def mean(end):
        numbers = cells.map(lambda pair: pair[end])
        return sum(numbers[group].sum(axis=1) / len(group) for group in groups) / len(groups)

    return dict(zip(table.index, zip(mean(0), mean(1))))
    ### END SOLUTION


# %%
check("average")

# %%
glue = tables.table("bert_glue")
nine = [[column] for column in glue.columns[2:-1]]
eight = [["mnli_m", "mnli_mm"], *nine[2:]]
lines = []
for version, table in glue.groupby("version", sort=False):
    table = table.set_index("system")
    scores = table.drop(columns=["version", "average"])
    by_columns, by_tasks = average(scores, nine), average(scores, eight)
    for system, printed in table["average"].items():
        low, high = exactly(by_columns[system])
        can = examine(f"BERT, {version} version: average of {system}", printed, (low, high))
        can_by_tasks = follows(printed, exactly(by_tasks[system]))
        lines.append((version, system, round((low + high) / 2, 3), printed, can, can_by_tasks))
pd.DataFrame(lines, columns=["version", "system", "mean of 9", "printed", "can follow (9)", "can follow (8)"])

# %% [markdown]
# The rule is the mean of nine columns; by tasks no row follows.

# %% [markdown]
# | BiLSTM+ELMo+Attn | QNLI | average | does it follow? |
# |---|---|---|---|
# | first version | 79.9 | 71.0 | yes |
# | final version | 79.8 | 71.0 | the scores' mean is 70.944: within rounding it can, but if the GLUE server reports one digit, it is 70.9 |

# %% [markdown]
# A true claim need not follow from the table beside it. The abstract's GLUE score is 80.5, the table's average 82.1, without WNLI.

# %% [markdown]
# ## 5. What did it cost to train?
#
# The Transformer paper estimates floating point operations: time × number of devices × what one device sustains, 9.5 TFLOPS for a P100 (1 TFLOPS: $10^{12}$ operations a second).
#
# The number of devices is exact; time and rate were rounded.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `time.split()` gives number and unit. An hour has 3600 seconds, exactly.
#
# </details>
# <details><summary>Hint for the interval</summary>
#
# `spread` of a formula of two printed numbers. What is exact stands inside the formula.
#
# </details>


# %% exercise="training_flops"
def training_flops(time, devices, teraflops):
    """The interval of the operations of a training (Vaswani et al. 2017, section 6.1 and footnote).

    time: a printed number and its unit, "12 hours" or "3.5 days"; devices: int, exact; teraflops:
    printed, 10¹² operations a second sustained by one device.
    Returns (low, high), two numbers such as `interval` gives, or floats.
    """
    ### BEGIN SOLUTION
    number, unit = time.split()
    seconds = {"hours": 3600, "days": 24 * 3600}[unit]
    return spread(lambda duration, rate: duration * seconds * devices * rate * 10**12, number, teraflops)
    ### END SOLUTION


# %%
check("training_flops")

# %%
training = tables.table("transformer_training").set_index("model")
for model, row in training.iterrows():
    possible = training_flops(f"{row.time} {row.unit}", int(row.devices), row.teraflops)
    examine(f"Transformer: FLOPs of {model}", row.flops, possible)

costs = tables.table("transformer_table2").set_index("system")
for single in ("Deep-Att + PosUnk", "GNMT + RL", "ConvS2S"):
    for column in ("flops_en_de", "flops_en_fr"):
        one, many = costs.loc[single, column], costs.loc[f"{single} Ensemble", column]
        if one:
            examine(
                f"Transformer: {single} Ensemble is 8 models ({column})", many, spread(lambda x: 8 * x, one)
            )

big, others = Decimal(costs.loc["Transformer (big)", "flops_en_de"]), costs.query("group == 'single'")
for column in ("flops_en_de", "flops_en_fr"):
    ratios = {system: f"{big / Decimal(cost):.2f}" for system, cost in others[column].items() if cost}
    print(f"{column}: cost of the big Transformer over that of one", ratios)

# %% [markdown]
# The arithmetic holds: every ensemble was charged as eight single models.
#
# "A small fraction" of earlier models' cost, says the abstract of English-French: it follows, less than a quarter of any. For English-German it does not: the big model cost 2.4 times what ConvS2S did.

# %% [markdown]
# ## 6. How many parameters?
#
# A configuration gives the size exactly. Count for width $H$ (`hidden`), $F$ (`feed_forward`), $L$ layers:
#
# | part | numbers |
# |---|---|
# | embeddings | $E$ for each token, position and segment |
# | projection, where $E \neq H$ (ALBERT) | a matrix with bias from $E$ to $H$ |
# | layer norm outside the layers | gain and bias, of width $E$ |
# | each layer (shared ones are stored once) | four $H \times H$ matrices with biases (query, key, value, output); two feed-forward matrices with biases ($H$ to $F$ and back); two layer norms |
# | pooler, if there is one | an $H \times H$ matrix with bias |

# %% [markdown]
# BERT_BASE, with $E = H = 768$, $F = 3072$, $L = 12$:
#
# ```
#   embeddings          (30,522 + 512 + 2) × 768        23,835,648
#   layer norm                                               1,536
#   a layer    attention                   2,362,368
#              feed-forward                4,722,432
#              two layer norms                 3,072
#                                          7,087,872
#   twelve layers                                       85,054,464
#   pooler                                                 590,592
#   together                                           109,482,240
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# A matrix with bias from $a$ to $b$ has $ab + b$ numbers. The table above shows which part is off.
#
# </details>
# <details><summary>Hint for ALBERT</summary>
#
# `embedding=None` means $E = H$, and no projection. `shared` multiplies the layer by 1, not by $L$.
#
# </details>


# %% exercise="parameter_count"
def parameter_count(
    layers, hidden, feed_forward, vocabulary, positions, segments=0, embedding=None, shared=False, pooler=False
):
    """How many numbers a Transformer of the BERT and GPT families learns (sizes as above; embedding
    None: as hidden; shared only with layers of at least 1).

    Returns an int. BERT_BASE: parameter_count(12, 768, 3072, 30522, 512, segments=2, pooler=True) →
    109482240.
    """
    ### BEGIN SOLUTION
    width = hidden if embedding is None else embedding
    count = (vocabulary + positions + segments) * width + 2 * width
    if width != hidden:
        count += width * hidden + hidden
    attention = 4 * (hidden * hidden + hidden)
    forward = hidden * feed_forward + feed_forward + feed_forward * hidden + hidden
    count += (1 if shared else layers) * (attention + forward + 4 * hidden)
    return count + (hidden * hidden + hidden if pooler else 0)
    ### END SOLUTION


# %%
check("parameter_count")

# %% [markdown]
# 110M is written 110e6. Some authors also count BERT's two heads of pre-training: either count will do.
#
# Models with other parts or no printed configuration are left out; see `docs/claims.md`.


# %%
def counted(row, **changes):
    """The parameters of a row of configurations.csv, without the heads of pre-training."""
    sizes = {name: int(row[name] or 0) for name in ("layers", "hidden", "vocabulary", "positions", "segments")}
    sizes["feed_forward"] = int(row.feed_forward or 4 * sizes["hidden"])
    sizes["embedding"] = int(row.embedding) if row.embedding else None
    return parameter_count(
        **sizes | changes, shared=row.family == "albert", pooler=row.family in ("bert", "albert")
    )


def with_heads(row):
    """The same with the heads of pre-training."""
    hidden = int(row.hidden)
    return counted(row) + hidden * hidden + hidden + 2 * hidden + int(row.vocabulary) + 2 * hidden + 2


def plain(printed):
    """110M → 110e6."""
    return printed.replace("M", "e6").replace("B", "e9")


models = (
    pd.concat([tables.table("configurations"), tables.table("korean_models")]).fillna("").set_index("model")
)
models = models.query(
    "family in ('bert', 'albert', 'distilbert', 'gpt') and parameters != '' and assumed == ''"
)
lines = []
for model, row in models.iterrows():
    counts = [counted(row), with_heads(row)] if row.family == "bert" else [counted(row)]
    fitting = [count for count in counts if follows(plain(row.parameters), (Decimal(count), Decimal(count)))]
    chosen = Decimal(fitting[0] if fitting else counts[0])
    can = examine(f"Parameters: {model}", plain(row.parameters), (chosen, chosen))
    shown = [f"{count:,}" for count in counts]
    lines.append((model, row.parameters, shown[0], shown[1] if len(shown) > 1 else "", can))
sizes = pd.DataFrame(lines, columns=["model", "printed", "counted", "with heads", "follows"])
sizes[~sizes["follows"]]

# %% [markdown]
# | printed | how it may have come |
# |---|---|
# | 340M for 335M, 60M for 58.7M | rounded to tens |
# | 175.0B | rounded first, given a digit later |
# | GPT-3 Medium's 350M, for 356M | no rounding gives it |
# | KR-BERT's page: mBERT | the uncased model's count |
# | KR-BERT's page: KorBERT | the count of the model of morphemes, with heads |
# | ALBERT xxlarge's 235M, elsewhere 233M | it has 222.6M |

# %% [markdown]
# All four rows of GPT-2 are off. Its authors later wrote that the counts were wrong. How?


# %%
def possible_vocabulary(row):
    """The sizes of the vocabulary with which the printed count of a
    GPT follows: each word costs `hidden` numbers."""
    rest = counted(row, vocabulary=0)
    low, high = ((end - rest) / int(row.hidden) for end in interval(plain(row.parameters)))
    return math.ceil(low), math.floor(high)


gpt2 = models[models.index.str.startswith("GPT-2")]
possible = pd.DataFrame(
    {model: possible_vocabulary(row) for model, row in gpt2.iterrows()}, index=["at least", "at most"]
).T
print(
    f"All four: {possible['at least'].max()} to {possible['at most'].min()}. "
    "GPT-2 has 50257 words, GPT-1 had 40478."
)
possible

# %% [markdown]
# All four follow if the vocabulary is GPT-1's, and hardly any other size would do. That is no proof, but one guess explains four numbers.
#
# In GPT-3's table some widths are not heads × width of a head. These were counted, not rounded:

# %%
gpt3 = tables.table("configurations").query("model.str.startswith('GPT-3')").set_index("model")
gpt3 = gpt3[["hidden", "heads", "head_width"]].astype(int)
gpt3[gpt3["heads"] * gpt3["head_width"] != gpt3["hidden"]]

# %% [markdown]
# ## 7. "Large helps most where data are few"
#
# Large beats base on all tasks, says BERT's paper, especially where training data are very few. **Spearman's rank correlation** tests this: it is Pearson's correlation of the ranks.
#
# Equal numbers (*ties*) share their mean rank: 1, 5, 5, 9 has the ranks 1, 2.5, 2.5, 4. The shortcut $1 - 6\sum d^2 / (n^3 - n)$ is only right without ties.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# A pandas Series can rank itself; by default ties get their mean rank.
#
# </details>


# %% exercise="spearman"
def spearman(x, y):
    """Spearman's rank correlation, equal numbers sharing their mean rank.

    x, y: lists of n numbers each, n ≥ 2, not all equal.
    Returns a float from −1 to 1.
    """
    ### BEGIN SOLUTION
    return float(pd.Series(x).rank().corr(pd.Series(y).rank()))
    ### END SOLUTION


# %%
check("spearman")

# %% [markdown]
# ## 8. A hundred questions
#
# On SWAG, BERT_LARGE scores 86.3 and a human expert 85.0. The expert answered 100 questions: how uncertain is a share of $k$ of $n$?

# %% [markdown]
# **Wilson's interval** holds the true shares $p$ for which $k/n$ lies within $z$ standard errors $\sqrt{p(1-p)/n}$ of $p$. With $\hat p = k/n$:
#
# $$\frac{\hat p + z^2/2n \;\pm\; z\sqrt{\hat p(1-\hat p)/n + z^2/4n^2}}{1 + z^2/n}$$

# %% [markdown]
# For a confidence of 95 %, $z$ = 1.96: 2.5 % are left out on either side.
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>
#
# `NormalDist().inv_cdf(q)` gives the z below which a share q lies. For 95 % in the middle, what share lies below the upper end?
#
# </details>


# %% exercise="wilson"
def wilson(successes, trials, confidence=0.95):
    """Wilson's interval of a share (Wilson 1927).

    successes, trials: ints, 0 ≤ successes ≤ trials, trials ≥ 1; confidence: float between 0 and 1,
    both sides together.
    Returns (low, high), floats, the formula's up to rounding.
    """
    ### BEGIN SOLUTION
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    centre = share + z**2 / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    return (centre - half) / (1 + z**2 / trials), (centre + half) / (1 + z**2 / trials)
    ### END SOLUTION


# %%
check("wilson")

# %%
final = glue.query("version == 'final'").set_index("system").drop(columns=["version", "average"]).astype(float)
gain = final.loc["BERT_LARGE"] - final.loc["BERT_BASE"]
gain = gain.round(1)  # differences of numbers with one digit, without the floats' dust
trained = tables.table("glue_sizes").set_index("task")["train_thousands"].astype(float)[gain.index]
rho = spearman(gain.tolist(), trained.tolist())

swag = tables.table("bert_swag").set_index("system")
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
left.scatter(trained, gain, color=plots.COLOURS[0])
for task in gain.index:
    left.annotate(task, (trained[task], gain[task]), (4, 4), textcoords="offset points", fontsize=9)
left.set(xscale="log", xlabel="training examples (thousands)", ylabel="BERT_LARGE − BERT_BASE (points)")
left.set_title(f"Two small tasks gain most, two small ones hardly: ρ = {rho:+.2f}")
for place, (system, row) in enumerate(swag.query("test != ''").iterrows()):
    score = float(row.test)
    if row.samples:
        low, high = (100 * end for end in wilson(round(score * int(row.samples) / 100), int(row.samples)))
        right.plot([low, high], [place, place], color=plots.COLOURS[1], lw=3)
        print(f"{system}: {score} of 100 samples, 95 % interval {low:.1f} to {high:.1f}")
    right.plot(score, place, "o", color=plots.COLOURS[1 if row.samples else 0])
    right.annotate(system, (score, place), (0, 8), textcoords="offset points", ha="center", fontsize=9)
right.axvline(float(swag.loc["BERT_LARGE", "test"]), color="gray", lw=1, ls="--")
right.margins(x=0.15, y=0.15)
right.set(yticks=[], xlabel="accuracy on SWAG (%)", title="BERT_LARGE lies inside the intervals of the people")
plt.show()

# %% [markdown]
# CoLA and RTE gain most, MRPC and STS-B, as small, least. ρ = +0.10, with the sign against the sentence. (With nine columns, only |ρ| above about 0.7 would be a surprise.)
#
# 100 questions do not settle whether BERT exceeds the expert.

# %% [markdown]
# ## 9. A hunt for misprints
#
# Given a table, the column that claims, its parts and the rule: which rows cannot follow? A row with a missing number is not accused.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>
#
# A dictionary from each rule to its formula. `lambda *numbers: …` takes any number of arguments, as `spread` hands them over.
#
# </details>
# <details><summary>Hint for the rows</summary>
#
# `for name, row in table.iterrows()`. What is missing is "", which counts as false; it may be missing in the claimed column or in a part.
#
# </details>


# %% exercise="misprints"
def misprints(table, claimed, rule, parts):
    """The rows whose claimed number cannot follow from the parts, within the rounding of all of them.

    table: DataFrame of printed numbers (strings; "" where nothing was printed), rows named by its
    index.
    claimed: the column that was computed; parts: list of the columns that it was computed from, in
    order.
    rule: "sum", "mean", "difference" (first − second) or "ratio" (first / second; both positive).
    A mean is the exact sum divided once; a border of an interval belongs to it.
    Returns the names of the rows, a list in the order of the table.
    """
    ### BEGIN SOLUTION
    formula = {
        "sum": lambda *numbers: sum(numbers),
        "mean": lambda *numbers: sum(numbers) / len(numbers),
        "difference": lambda first, second: first - second,
        "ratio": lambda first, second: first / second,
    }[rule]
    accused = []
    for name, row in table.iterrows():
        numbers = [row[part] for part in parts]
        if row[claimed] and all(numbers) and not follows(row[claimed], spread(formula, *numbers)):
            accused.append(name)
    return accused
    ### END SOLUTION


# %%
check("misprints")

# %% [markdown]
# How good is it? In planted tables the misprints are known: of three digits after the point one or two are printed, and a quarter of the rows have a slip (a wrong digit, or two neighbours exchanged).
#
# The control takes printed numbers as exact: it accuses rows that do not come out to the digit.

# %%
TABLES = 150
planted = [tables.planted(seed * TABLES + i) for i in range(TABLES)]
hunted = [list(misprints(one.table, one.claimed, one.rule, one.parts)) for one in planted]


def to_the_digit(one):
    """The rows that do not come out to the last digit when the printed parts are taken as exact."""
    accused = []
    for name, row in one.table.iterrows():
        result = tables.RULES[one.rule]([Fraction(row[part]) for part in one.parts])
        exact = Decimal(result.numerator) / result.denominator
        if not follows(row[one.claimed], (exact, exact)):
            accused.append(name)
    return accused


def score(accused):
    """Precision, recall and F1 over all tables together."""
    hits = sum(len(one.misprints & set(rows)) for one, rows in zip(planted, accused))
    made, true = sum(map(len, accused)), sum(len(one.misprints) for one in planted)
    return hits / made if made else 0.0, hits / true, 2 * hits / (made + true)


precision, found, f1 = score(hunted)
naive = score([to_the_digit(one) for one in planted])
innocent = sum(len(one.table) - len(one.misprints) for one in planted)
wronged = sum(len(set(rows) - one.misprints) for one, rows in zip(planted, hunted)) / innocent
pd.DataFrame(
    [(precision, found, f1), naive], index=["intervals", "to the digit"], columns=["precision", "recall", "F1"]
).round(3)

# %% [markdown]
# Where the rule is known, intervals never accuse wrongly. To the digit a few more are found, and innocents accused. Which slips does rounding hide?

# %%
missed = pd.DataFrame(
    [(one.rule, len(one.misprints), len(one.misprints - set(rows))) for one, rows in zip(planted, hunted)],
    columns=["rule", "misprints", "missed by intervals"],
)
missed.groupby("rule").sum()

# %% [markdown]
# | rule | what rounding hides |
# |---|---|
# | sum, difference | few slips, nearly all a last digit off by little |
# | mean | larger ones too: it divides a slip |
# | ratio | larger ones too: it may move by less than its last digit |

# %% [markdown]
# Now real ones: differences that papers state in the text.

# %%
stated = pd.DataFrame(
    [
        ("BERT abstract, first version: MNLI above GPT", "86.7", "82.1", "5.6"),
        ("BERT abstract, final version: MNLI above GPT", "86.7", "82.1", "4.6"),
        ("BERT section 4.1: GLUE average of BASE above GPT", "79.6", "75.1", "4.5"),
        ("BERT section 4.1: GLUE average of LARGE above GPT", "82.1", "75.1", "7.0"),
        ("BERT section 4.2: SQuAD 1.1 F1 above nlnet", "93.2", "91.7", "1.5"),
        ("the same with nlnet's F1 as a lecture note copied it", "93.2", "90.5", "1.5"),
        ("BERT section 4.3: SQuAD 2.0 F1 above MIR-MRC", "83.1", "78.0", "5.1"),
        ("BERT section 4.4: SWAG above ESIM+ELMo", "86.3", "59.2", "27.1"),
        ("BERT section 4.4: SWAG above GPT", "86.3", "78.0", "8.3"),
        ("BERT section 5.3: NER F1 by fine-tuning above the best features", "96.4", "96.1", "0.3"),
        ("ConvS2S section 1: English-Romanian above the best before", "30.02", "28.1", "1.9"),
        ("ConvS2S section 1: English-German above GNMT", "25.16", "24.61", "0.5"),
        ("ConvS2S section 1: English-French above GNMT", "40.51", "38.95", "1.6"),
    ],
    columns=["claim", "new", "old", "stated"],
).set_index("claim")
for claim, row in stated.iterrows():
    examine(claim, row.stated, spread(lambda a, b: a - b, row.new, row.old))
misprints(stated, "stated", "difference", ["new", "old"])

# %% [markdown]
# The first is a real slip, "5.6 % absolute", corrected in the second version. Ask for the *relative* improvement, in a cell of your own:
#
# `spread(lambda new, old: 100 * (new - old) / old, "86.7", "82.1")`
#
# It lies from 5.48 to 5.73: a 5.6 can follow, and only its name was wrong. In the other row nlnet's F1 was copied as 90.5; BERT's table has 91.7.

# %% [markdown]
# Sometimes a *word* is in doubt. Without next sentence prediction, says BERT's section 5.1, MNLI, QNLI and SQuAD fall "significantly". RoBERTa asked the same of runs of its own:

# %%
without = {
    "BERT Table 5": ("bert_tasks", "BERT_BASE", "No NSP"),
    "RoBERTa Table 2": ("roberta_nsp", "SEGMENT-PAIR", "DOC-SENTENCES"),
}
lines = []
for where, (name, before, after) in without.items():
    table = tables.table(name).set_index("model").drop(columns="group", errors="ignore")
    for column in table:
        least, most = exactly(spread(lambda a, b: a - b, table.loc[after, column], table.loc[before, column]))
        lines.append((where, column, table.loc[before, column], table.loc[after, column], least, most))
pd.DataFrame(lines, columns=["table", "score", "with", "without", "change at least", "at most"])

# %% [markdown]
# In BERT's table every score falls, only QNLI by more than a point; in RoBERTa's all but SST-2 rise. How much is noise? One model stands in two of BERT's tables:

# %%
columns = ["mnli_m", "mrpc", "sst2"]
small = tables.table("bert_tasks").query("model == 'BERT_BASE'")[columns]
same = tables.table("bert_sizes").query("layers == '12' and hidden == '768'")[columns]
pd.concat([small, same]).set_axis(["BERT_BASE in Table 5", "BERT_BASE in Table 6"])

# %% [markdown]
# SST-2 is 92.7 or 92.9, a mean of five runs. So tenths are in doubt, QNLI's 3.5 points hardly.

# %% [markdown]
# ALBERT's averages are means of five tasks, where SQuAD counts by the mean of F1 and EM:

# %%
five = [["squad11_f1", "squad11_em"], ["squad20_f1", "squad20_em"], ["mnli"], ["sst2"], ["race"]]
lines = []
for name in ("albert_embedding", "albert_sharing", "albert_order"):
    table = tables.table(name)
    table.index = (
        table[[table.columns[0], "embedding"]].agg(" ".join, axis=1) if "embedding" in table else table["task"]
    )
    for row, possible in average(table[list(itertools.chain(*five))], five).items():
        possible = exactly(possible)
        can = examine(f"ALBERT, {name}: average of {row}", table.loc[row, "average"], possible)
        lines.append(
            (name, row, table.loc[row, "mnli"], round(sum(possible) / 2, 2), table.loc[row, "average"], can)
        )
albert = pd.DataFrame(lines, columns=["table", "row", "mnli", "mean", "printed", "can follow"])
albert[albert["row"].isin(["all-shared 128", "not-shared 128", "sop"]) | ~albert["can follow"]]

# %% [markdown]
# All averages can follow. But all-shared 128, trained with SOP, stands in three tables: MNLI is 81.6 in one, 82.0 in the others, under one average. Only one can be what was measured.

# %% [markdown]
# Some rules are inequalities. An exact match is a partial match too: neither mean partial match nor F1 can be below the share of exact matches.

# %%
squad = pd.concat([tables.table("bert_squad11"), tables.table("bert_squad20")]).set_index("system")
for part in ("dev", "test"):
    whole = squad[(squad[f"{part}_em"] != "") & (squad[f"{part}_f1"] != "")]
    below = whole[whole[f"{part}_f1"].map(Decimal) < whole[f"{part}_em"].map(Decimal)]
    print(f"BERT's SQuAD tables, {part}: {len(whole)} rows with both, F1 below exact match in {len(below)}")
poster = tables.table("figures").query("paper.str.startswith('McGill') and figure.str.contains('match')")
poster[["where", "figure", "value", "unit"]]

# %% [markdown]
# A poster on BERT and SQuAD (McGill) says 63.4 percent of partial match in its text, 0.434 in the output beside it, less than its exact matches. Only the text's is possible.
#
# A product needs no table: a factorised embedding (ALBERT) of 500 words, 15 and 100 wide, has 500 × 15 + 15 × 100 = 9,000 numbers, not 15,000.

# %% [markdown]
# ## The audit
#
# 0 is the printed number, grey (−1 to 1) what rounds to it, a bar what the table's own numbers allow. A bar that misses the grey does not follow.

# %%
verdicts = pd.DataFrame(audit, columns=["claim", "printed", "low", "high", "follows"])
halves = verdicts["printed"].map(lambda text: (interval(text)[1] - interval(text)[0]) / 2).astype(float)
printed = verdicts["printed"].map(Decimal)
low, high = ((verdicts[end] - printed).astype(float) / halves for end in ("low", "high"))
doubtful = verdicts.index[~verdicts["follows"]]
sound = verdicts.index[verdicts["follows"]]
figure, axes = plt.subplots(figsize=(11, 3 + 0.24 * len(doubtful)), layout="constrained")
axes.axvspan(-1, 1, color="#DDDDDD")
for rows, places, colour in (
    (doubtful, np.arange(len(doubtful)), plots.COLOURS[1]),
    (sound, len(doubtful) + 1 + 6 * np.arange(len(sound)) / max(len(sound), 1), plots.COLOURS[0]),
):
    axes.hlines(places, low[rows], high[rows], color=colour, lw=1)
    axes.plot((low + high)[rows] / 2, places, ".", color=colour)
axes.set_yticks(
    [*range(len(doubtful)), len(doubtful) + 4],
    [*verdicts["claim"][doubtful], f"{len(sound)} claims that can follow"],
    fontsize=8,
)
axes.margins(x=0.04)
axes.set(xscale="symlog", xlabel="recomputed − printed (half units of the last printed digit)")
axes.set_title(f"{len(doubtful)} of {len(verdicts)} claims do not follow from the numbers beside them")
axes.invert_yaxis()
plt.show()

# %%
shown = verdicts.assign(low=verdicts["low"].map("{:.6g}".format), high=verdicts["high"].map("{:.6g}".format))
shown[~shown["follows"]]

# %% [markdown]
# The whole list:

# %%
shown

# %% [markdown]
# ## Results

# %% tags=["metrics"]
metrics = {
    "misprints_f1": f1,
    "misprints_found": found,
    "wrongly_accused": wronged,
    "misprints_f1_to_the_digit": naive[2],
    "intervals_minus_to_the_digit": f1 - naive[2],
    "spearman_gain_size": rho,
}
record(
    metrics,
    accused=[f"{i} {row}" for i, rows in enumerate(hunted) for row in rows],
    doubtful=verdicts["claim"][doubtful].tolist(),
)

# %% [markdown]
# **What was found**, in the runs behind the table of expected values:
#
# | planted tables | by intervals | to the digit |
# |---|---|---|
# | F1 | 0.95 | 0.75 |
# | misprints found | 0.91 | a few more |
# | right rows accused | none | some |
#
# Rounding hides the other 0.09: "can follow" is not "is right".
#
# BERT's gain of large over base hardly goes with the size of the training data: ρ = +0.10.

# %% [markdown]
# ## In your own words
#
# **1.** You find that a paper's average does not follow from its columns. Name three explanations other than a misprint. What would you look up for each?

# %% [markdown] answer="why_it_may_not_follow" points=2
# ### BEGIN SOLUTION
# One point for two explanations, two for three, each with a place to look.
# Another rule: the columns are weighted, or grouped first, or a column is left out (GLUE without WNLI); read the caption and the benchmark's own definition. Unrounded inputs: the authors averaged numbers with more digits; compute the interval, or look for the scores in an appendix, a log or on
# the server. Another version: one cell was changed and the total was not; compare arXiv's versions. Others that count: another set (dev for test), the mean over runs of each average, cutting off in place of rounding.
# ### END SOLUTION

# %% [markdown]
# **2.** "BERT_LARGE beats human experts on SWAG (86.3 against 85.0)." Rewrite the sentence so that it says what the table shows, and no more.

# %% [markdown] answer="beats_humans" points=2
# ### BEGIN SOLUTION
# One point for the uncertainty of the human number, one for a sentence that claims no difference.
# For example: on SWAG's test set BERT_LARGE reaches 86.3 %; one expert, asked about 100 questions, reached 85 % (95 % interval 77 to 91 %), and five annotators together 88 % (80 to 93 %). The data do not show which of them is better on these questions; and "human" means these people on these 100 questions.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Brown and Heathers 2017, [The GRIM Test](https://doi.org/10.1177/1948550616673876): a mean of whole numbers can only have certain digits.
# - Dodge and others 2019, [Show Your Work](https://arxiv.org/abs/1909.03004): what a table of results should say.
# - Card and others 2020, [With Little Power Comes Great Responsibility](https://arxiv.org/abs/2010.06595): which differences exceed their uncertainty.
# - Next: the family trees of papers.
