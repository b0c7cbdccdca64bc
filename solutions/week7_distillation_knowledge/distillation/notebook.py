# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Distillation: learn from a teacher
#
# **The paper.** Hinton, Vinyals and Dean, [Distilling the Knowledge in a Neural Network](https://arxiv.org/abs/1503.02531) (2015).
#
# A large model is trained once. A small one then learns to answer as the large one does, and serves.
#
# ```
#  labels ─▶ teacher ─── its answers, stored ───▶ soft part ─┐
#               ▲                                            ├─▶ loss ─▶ student
#             text ─────────────▶ student ─▶ its answers ────┤
#             labels, where there are any ──────▶ hard part ─┘
# ```

# %% [markdown]
# **The claims to test.**
#
# | claim | the paper's number |
# |---|---|
# | a small network learns more from a teacher's outputs than from the labels | MNIST, test errors: 146 → 74; the teacher has 67 |
# | few examples are enough, if their targets are soft | speech, 3 % of the data: 44.5 % → 57.0 % of frames right; all data: 58.9 % |
# | a class may be learnt that the student never sees | 98.6 % of the test's threes |
# | to better a distilled model, train its teacher further | said of distillation in many courses; we ask |

# %% [markdown]
# Before it, [Bucilă, Caruana and Niculescu-Mizil](https://doi.org/10.1145/1150402.1150464) (2006) let large ensembles label data for small networks. [Ba and Caruana](https://arxiv.org/abs/1312.6184) (2014) fitted a teacher's logits.
# [Tang et al.](https://arxiv.org/abs/1903.12136) (2019) taught an LSTM by BERT: SST-2 rose from 86.7 to 90.7.

# %% [markdown]
# You write the pieces (about 2½ hours):
#
# | | piece |
# |---|---|
# | 1–3 | soft targets, asking a teacher, what it says of wrong classes |
# | 4–7 | the loss with its T², its gradient, logits by squares, labels mixed in |
# | 8–9 | two instruments: targets without similarity, a bias for a class that was never seen |

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: a minute or two · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import parameters_to_vector

import etude
from etude import check, plots, pretrained, record
from etude.models.bert import Bert, BertConfig
from etude.models.bert_heads import BertClassifier, Labelled
from etude.models.classifiers import BagClassifier, LstmClassifier
from etude.train import Plan, adamw, linear_schedule, train
from etude.world import World
from etude.world.tasks import Tasks

run = etude.start(
    "week7_distillation_knowledge/distillation", profile=profile, seed=seed, device=device, out=out
)
plots.style()

# %% [markdown]
# ## 1. Soft targets
#
# A label says *cat* and nothing else. A teacher says *cat 70 %, dog 15 %, car 3 %, tree 2 %, fox 10 %*: a cat is more of a dog than of a tree. That is a **soft target**.

# %% [markdown]
# A teacher that is very sure gives wrong classes millionths. Divide the logits $v$ by a **temperature** T before the softmax (equation 1):
#
# $$q_i = \frac{\exp(v_i / T)}{\sum_j \exp(v_j / T)}$$

# %% [markdown]
# | T | what comes out |
# |---|---|
# | → 0 | all for the greatest logit: a hard label |
# | 1 | the teacher's own probabilities |
# | large | nearly even; the order stays |

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>Temperature acts on logits. Softening probabilities that have already become 0 comes too late.</details>
# <details><summary>Hint</summary>In half precision 60 / 0.0005 is infinite, and ∞ − ∞ is not a number. What may be subtracted from a row first, so that nothing can grow?</details>


# %% exercise="soft_targets"
def soft_targets(logits, temperature):
    """The probabilities of the classes at a temperature.

    logits: float tensor (…, K), in any precision, half (float16) too; −∞ marks a class that is not
    offered, at least one of each row is; temperature: T, a number above 0, perhaps 0.0005.
    Returns a tensor of the same shape and type, of which each row sums to 1. Hinton et al. 2015,
    equation 1.
    """
    ### BEGIN SOLUTION
    top = logits.amax(dim=-1, keepdim=True)  # (…, 1)
    return ((logits - top) / temperature).softmax(dim=-1)
    ### END SOLUTION


# %%
check("soft_targets")

# %% [markdown]
# The example at several temperatures. At T = 1 its entropy is .95 nats; it grows to that of an even choice among five, ln 5 = 1.61.

# %%
SAID = {"cat": 0.70, "dog": 0.15, "car": 0.03, "tree": 0.02, "fox": 0.10}
logits = torch.tensor(list(SAID.values())).log()
temperatures = (0.25, 0.5, 1, 2, 5, 20)
rows = {f"T = {t:g}": soft_targets(logits, t) for t in temperatures}
table = pd.DataFrame({name: row.tolist() for name, row in rows.items()}, index=SAID).T
table["entropy, nats"] = [float(torch.special.entr(row).sum()) for row in rows.values()]
table.round(3)

# %% [markdown]
# ## 2. Ask the teacher
#
# The teacher is asked once, before the student begins. Three things go wrong here in silence:
#
# | forgotten | what happens |
# |---|---|
# | evaluation mode | dropout is on: each answer is noisy, and another one next time |
# | no gradients | memory fills with the teacher's graph; worse, the teacher may be trained |
# | batches | all of the text at once does not fit into memory |

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>A module's <code>eval()</code> switches every part of it off, dropout too; its <code>train()</code> switches every part on, also those that were off before.</details>
# <details><summary>Hint</summary><code>teacher.modules()</code> lists the parts; each has its own <code>training</code>.</details>


# %% exercise="ask_teacher"
def ask_teacher(teacher, inputs, size):
    """A teacher's outputs on all inputs, as constants.

    teacher: a torch module that maps a batch of inputs to its logits, (B, K); inputs: a tensor of B
    rows, at least one; size: how many rows go through at a time, at least 1.
    All its parts are in evaluation mode while it answers. Afterwards each is in the mode (training or
    not) in which it was, its parameters ask for gradients if they did, and autograd is on or off as
    it was.
    Returns a tensor (B, K) of the teacher's type, in the order of the inputs, through which no
    gradient flows.
    """
    ### BEGIN SOLUTION
    modes = [(part, part.training) for part in teacher.modules()]
    teacher.eval()
    with torch.no_grad():
        answers = torch.cat([teacher(rows) for rows in inputs.split(size)])  # (B, K)
    for part, mode in modes:
        part.training = mode
    return answers
    ### END SOLUTION


# %%
check("ask_teacher")

# %% [markdown]
# **The task.** Sentences of nine topics. The test's agents, places and verbs stand in *no* training sentence: only who has read other text can know that *to hook* is said at sea.
#
# ```
#  90 labelled sentences  ─▶ the teacher learns
#  unlabelled text        ─▶ the teacher answers ─▶ the student learns
#  600 test sentences     ─▶ both are measured
# ```

# %%
size = {
    "smoke": {"labels": 90, "teacher": 60, "words": 30_000, "width": 16, "steps": 300},
    "cpu": {"labels": 90, "teacher": 60, "words": 120_000, "width": 16, "steps": 600},
    "gpu": {"labels": 90, "teacher": 60, "words": 1_000_000, "width": 32, "steps": 3000},
}[profile]
tasks, (model, tokenizer) = Tasks("en", seed), pretrained.load("world-en")
TOPICS, TESTS = tasks.topic_names, 600
known, unseen = tasks.topics(size["labels"], "train"), tasks.topics(TESTS, "test")


def encoded(texts):
    """Token ids of texts, padded with 0: (B, N)."""
    rows = [torch.tensor(tokenizer.encode(text)) for text in texts]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


labels, truth = (torch.tensor([item.label for item in some]) for some in (known, unseen))
lesson_tokens, test_tokens = (encoded([item.text for item in some]) for some in (known, unseen))
for item in (*known[:2], *unseen[:2]):
    print(f"{TOPICS[item.label]:8}", item.text)

# %% [markdown]
# **The teacher** is the course's BERT, `world-en`, fine-tuned on 90 labels. It is asked about **unlabelled text**: sentences from documents on the nine topics. Which topic is not told.

# %%
class Scores(nn.Module):
    """A classifier as a map from tokens (B, N) to logits (B, K)."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        return self.model.logits(tokens)


def generator_of(number):
    return torch.Generator().manual_seed(1_000_003 * seed + number)


def taught(steps):
    """The course's BERT, fine-tuned on the labels."""

    def batch(number):
        rows = torch.randint(len(labels), (32,), generator=generator_of(number))
        return Labelled(lesson_tokens[rows], None, labels[rows])

    torch.manual_seed(seed)
    teacher = BertClassifier(pretrained.load("world-en").model.bert, len(TOPICS))
    plan = Plan(
        steps, linear_schedule(steps, steps // 10), device=str(run.device), title=f"teacher, {steps} steps"
    )
    train(teacher, batch, plan, adamw(teacher, 2e-3, betas=(0.9, 0.98)))
    return teacher.cpu()


def share_right(model, tokens=test_tokens, of=truth):
    answers = ask_teacher(Scores(model), tokens, 500).argmax(dim=-1)  # (B,)
    return float((answers == of).float().mean())


teacher = taught(size["teacher"])
documents = [one for one in World("en", 20_000 + seed).documents(size["words"]) if one.topic in TOPICS]
sentences = [sentence for document in documents for sentence in document.sentences]
text = encoded([str(sentence) for sentence in sentences])  # (S, N)
said = ask_teacher(Scores(teacher), text, 500)  # (S, K)
print(
    f"teacher: {share_right(teacher):.2f} of {TESTS} test sentences right; asked about {len(text):,} sentences"
)

# %% [markdown]
# The unlabelled text is where the student can meet the test's words:

# %%
words_of = {
    "training": {word for item in known for word in item.text.split()},
    "test": {word for item in unseen for word in item.text.split()},
    "unlabelled": {word for sentence in sentences for word in sentence.tokens()},
}
new = words_of["test"] - words_of["training"]
met = len(new & words_of["unlabelled"]) / len(new)
same = len({item.text for item in unseen} & {str(sentence) for sentence in sentences})
print(f"{len(new)} of the test's {len(words_of['test'])} words stand in no training sentence;", end=" ")
print(f"{met:.0%} of them stand in the unlabelled text, and {same} of the test's {TESTS} sentences.")

# %% [markdown]
# Is dropout off? This checkpoint was trained without, so for once it is set to 10 %. Two answers then differ, unless the teacher is asked properly.

# %%
for part in teacher.modules():
    if isinstance(part, nn.Dropout):
        part.p = 0.1
teacher.train()
careless = [Scores(teacher)(text[:200]).detach() for _ in range(2)]
proper = [ask_teacher(Scores(teacher), text[:200], 50) for _ in range(2)]
for name, (one, other) in {"in training mode": careless, "your ask_teacher": proper}.items():
    print(f"{name}: two answers differ by {float((one - other).abs().max()):.2f} at most")
for part in teacher.modules():
    if isinstance(part, nn.Dropout):
        part.p = 0.0

# %% [markdown]
# ## 3. What it says of wrong classes
#
# **Dark knowledge** is what stands beside the right answer. Take the sentences of one class, leave this class out, and see how the others share the rest:
#
# ```
#               food  weather school
#   logits       9      4      3        the true class is food
#   left          ·      4      3        softmax over the others alone
#   shares        0    0.73   0.27      the mean of such rows is what the teacher says of food
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Dividing the other probabilities by 1 − p fails where p is 1 to seven digits: 0/0. Leave the class out before the softmax.</details>
# <details><summary>Hint</summary><code>scatter</code> and <code>index_add</code> (without the underscore) give new tensors; the logits must stay as they are.</details>


# %% exercise="wrong_classes"
def wrong_classes(logits, labels, temperature):
    """What a teacher says of the wrong classes: for each true class, how it shares the rest.

    logits: finite float tensor (B, K), B at least 1, K at least 2; labels (B,) int64: the true
    classes; temperature: T > 0.
    For each row: the softmax at T over the K − 1 other classes, 0 for the true one.
    Returns a tensor (K, K) of the logits' type: row c is the mean over the rows with label c; all 0 if
    there are none.
    """
    ### BEGIN SOLUTION
    others = logits.scatter(1, labels[:, None], -torch.inf)  # (B, K)
    shares = (others / temperature).softmax(dim=1)
    classes = logits.shape[1]
    table = logits.new_zeros(classes, classes).index_add(0, labels, shares)
    return table / labels.bincount(minlength=classes).clamp(min=1)[:, None]
    ### END SOLUTION


# %%
check("wrong_classes")

# %% [markdown]
# Is it knowledge? The planted language has homonyms: *bat* is played with (sport) and flies (nature). Topics that share a word should be more alike than others.

# %%
T = 2.0
# (S,)
about = torch.tensor([TOPICS.index(document.topic) for document in documents for _ in document.sentences])
alike = wrong_classes(said, about, T)  # (K, K)
shared = torch.zeros_like(alike, dtype=torch.bool)
for pair in World("en").homonyms().values():
    if set(pair) <= set(TOPICS):
        one, other = (TOPICS.index(name) for name in pair)
        shared[one, other] = shared[other, one] = True
apart = ~shared & ~torch.eye(len(TOPICS), dtype=torch.bool)
torch.manual_seed(seed)
stranger = BertClassifier(Bert(model.bert.config), len(TOPICS))  # never trained on anything
blank = ask_teacher(Scores(stranger), text, 500)
nothing = wrong_classes(blank, about, T)
for name, some in {"teacher": alike, "untrained": nothing}.items():
    print(
        f"{name}: topics with a homonym in common get {float(some[shared].mean()):.3f}, "
        f"others {float(some[apart].mean()):.3f}"
    )
figure, axes = plt.subplots(figsize=(5.6, 4.4), layout="constrained")
picture = axes.imshow(alike, cmap="Blues")
axes.set_xticks(range(len(TOPICS)), TOPICS, rotation=45, ha="right")
axes.set_yticks(range(len(TOPICS)), TOPICS)
for row, column in shared.nonzero().tolist():
    axes.text(column, row, "h", ha="center", va="center", color="#d55e00")
axes.set(xlabel="wrong class", ylabel="true topic of the document")
axes.set_title(f"The rest's shares, T = {T:g}; h: a homonym in common")
figure.colorbar(picture, label="share")
plt.show()

# %% [markdown]
# The squares with an h hardly stand out: see both lines of numbers. This teacher has ideas of its own about what is alike. Experiments II and III ask whether they *teach* anything.

# %% [markdown]
# ## 4. The loss, and why T²
#
# The student's logits $z$ are softened by the same T, and pay the **cross entropy** with the teacher's soft targets $q$:
#
# $$C = -\,T^2 \sum_i q_i \ln p_i, \qquad p = \text{softmax}(z / T)$$

# %% [markdown]
# Without T² the gradient shrinks twice:
#
# ```
#  logits  ─ ÷ T ─▶  softmax  ─▶  loss           gradient for the logits
#            1/T     p − q about 1/T             about 1/T², times T²: its size stays
# ```
#
# So whatever it is mixed with keeps its weight (section 2).

# %% [markdown]
# A batch may hold rows that do not count. Their logits may be anything, even NaN, and 0 · NaN is NaN.
#
# *20 minutes, medium.*
#
# <details><summary>Hint</summary>Choose the real rows first; multiply by no mask.</details>
# <details><summary>Hint</summary><code>log_softmax</code> is safe where the logarithm of a softmax is −∞. The teacher's logits are <code>detach</code>ed.</details>
# <details><summary>Hint</summary>This is cross entropy; <code>kl_div</code> is smaller by the teacher's entropy.</details>


# %% exercise="soft_loss"
def soft_loss(student, teacher, temperature, real):
    """T² times the cross entropy of a student with its teacher's soft targets, in nats.

    student, teacher: logits (…, K), finite in the real rows; temperature: T > 0; real (…) bool: the
    rows that count. The others may hold anything, NaN too.
    The teacher's logits are constants: no gradient reaches them.
    Returns a tensor (): the mean over the real rows, 0 if there are none, with a gradient (of zeros)
    or without. Hinton et al. 2015, section 2.
    """
    ### BEGIN SOLUTION
    targets = (teacher[real].detach() / temperature).softmax(dim=-1)  # (M, K)
    logs = (student[real] / temperature).log_softmax(dim=-1)  # (M, K)
    return -(temperature**2) * (targets * logs).sum() / real.sum().clamp(min=1)
    ### END SOLUTION


# %%
check("soft_loss")

# %% [markdown]
# How long is the gradient for the student's logits, without T² and with it?

# %%
generator = generator_of(0)
z, v = (3 * torch.randn(200, 9, generator=generator, dtype=torch.float64) for _ in range(2))
every, temperatures, lengths = torch.ones(200, dtype=torch.bool), [1, 2, 4, 8, 16, 32, 64], []
for t in temperatures:
    asked = z.clone().requires_grad_()
    lengths.append(float(torch.autograd.grad(soft_loss(asked, v, t, every), asked)[0].norm()))
figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
axes.loglog(temperatures, np.array(lengths) / np.square(temperatures), "s--", label="without T²")
axes.loglog(temperatures, lengths, "o-", label="with T²")
axes.set(xlabel="temperature T", ylabel="length of the gradient")
axes.set_title(
    f"From T = 1 to 64: {lengths[0] * 64**2 / lengths[-1]:,.0f} times shorter without T², "
    f"{lengths[0] / lengths[-1]:.1f} times with it"
)
axes.legend()
plt.show()

# %% [markdown]
# ## 5. The gradient, and its limit
#
# The gradient of a softmax with cross entropy is $p - q$. Here a T stands inside and a T² outside (equation 2).

# %% [markdown]
# For a very high T, $e^x \approx 1 + x$ (equations 3 and 4). Only differences of logits are left, each row less its mean:
#
# $$\frac{\partial C}{\partial z_i} \;\longrightarrow\; \frac{1}{K}\big((z_i - \bar z) - (v_i - \bar v)\big)$$
#
# The paper assumes means of 0.

# %% [markdown]
# *20 minutes, hard.*
#
# <details><summary>Hint</summary>d(z/T)/dz is 1/T, and there is T² in front: one T is left.</details>
# <details><summary>Hint</summary>The loss is a mean over B rows. <code>math.isinf(temperature)</code> asks for the limit.</details>


# %% exercise="soft_gradient"
def soft_gradient(student, teacher, temperature):
    """The gradient of the soft loss (all rows real, its T² included) for the student's logits.

    student, teacher: logits (B, K) of the same type; temperature: T > 0, or math.inf for the limit
    as T grows without bound.
    Returns a tensor (B, K) of the same type. Hinton et al. 2015, equations 2 to 4.
    """
    ### BEGIN SOLUTION
    rows, classes = student.shape
    if math.isinf(temperature):
        apart = student - teacher
        return (apart - apart.mean(dim=1, keepdim=True)) / (classes * rows)
    p, q = ((logits / temperature).softmax(dim=1) for logits in (student, teacher))
    return temperature * (p - q) / rows
    ### END SOLUTION


# %%
check("soft_gradient")

# %% [markdown]
# Does it agree with autograd on your loss, and how soon is the limit reached?

# %%
limit = soft_gradient(z, v, math.inf)
rows = {}
for t in (1, 4, 16, 64, 256):
    asked = z.clone().requires_grad_()
    found = torch.autograd.grad(soft_loss(asked, v, t, every), asked)[0]
    yours = soft_gradient(z, v, t)
    rows[f"T = {t}"] = {
        "greatest difference to autograd": f"{float((yours - found).abs().max()):.0e}",
        "distance to the limit, of its length": f"{float((yours - limit).norm() / limit.norm()):.3f}",
    }
pd.DataFrame(rows).T

# %% [markdown]
# ## 6. Logits by squares
#
# Ba and Caruana skip the softmax, and fit the logits themselves. For one row:
#
# $$\tfrac12 \sum_i \big((z_i - \bar z) - (v_i - \bar v)\big)^2$$

# %% [markdown]
# Why less the mean? Add 100 to all logits of a row, and softmax gives the same:
#
# ```
#  teacher                  102    99    99        less its mean     2   −1   −1
#  student                    2    −1    −1        less its mean     2   −1   −1      loss 0
# ```
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>A sum over classes, then a mean over rows: <code>mse_loss</code> averages over both.</details>
# <details><summary>Hint</summary>The teacher is a constant here, too.</details>


# %% exercise="logit_loss"
def logit_loss(student, teacher):
    """Half the squared distance of two sets of logits, each row less its own mean.

    student, teacher: logits (B, K). The teacher's are constants: no gradient reaches them.
    Returns a tensor (): the sum over classes, the mean over rows. Ba and Caruana 2014, equation 1,
    for logits whose mean does not count.
    """
    ### BEGIN SOLUTION
    apart = student - teacher.detach()  # (B, K)
    apart = apart - apart.mean(dim=1, keepdim=True)
    return apart.square().sum(dim=1).mean() / 2
    ### END SOLUTION


# %%
check("logit_loss")

# %% [markdown]
# Its gradient is K times the limit of the last exercise: matching logits *is* distillation at a very high temperature.

# %%
asked = z.clone().requires_grad_()
found = torch.autograd.grad(logit_loss(asked, v), asked)[0]
print(
    f"gradient of the squares minus {z.shape[1]} × the limit: "
    f"at most {float((found - z.shape[1] * limit).abs().max()):.0e}"
)

# %% [markdown]
# A low T hardly looks at logits far below the greatest; they may be noise, or knowledge. Squares look at all alike.

# %% [markdown]
# ## 7. Labels mixed in
#
# Where labels are known, the usual cross entropy with the label may be added, **at T = 1** (section 2).
#
# $$w \cdot T^2 \cdot \text{soft} + (1 - w) \cdot \text{hard}$$
#
# ```
#  teacher's logits ─ ÷ T ─▶ softmax ─┐
#                                     ├─ cross entropy ─▶ × w T²  ─────┐
#                  ┌─ ÷ T ─▶ softmax ─┘                                ├─▶ loss
#  student's logits                                                    │
#                  └───────▶ softmax ─── with the label ─▶ × (1 − w) ──┘
# ```

# %% [markdown]
# | row | soft | hard |
# |---|---|---|
# | labelled | counts | counts |
# | unlabelled, label −100 | counts | does not |
#
# A batch without any label has no hard part: 0, where a mean over nothing is NaN.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>Each part is a mean over its own rows.</details>
# <details><summary>Hint</summary><code>functional.cross_entropy(…, ignore_index=-100, reduction="sum")</code>; 0 is a label like any other.</details>


# %% exercise="mixed_loss"
def mixed_loss(student, teacher, labels, temperature, weight):
    """The loss of distillation: soft targets for all rows, labels for those that have one, in nats.

    student, teacher: logits (B, K), B at least 1; labels (B,) int64: −100 where there is none;
    temperature: T, of the soft part alone; weight: w from 0 to 1, of the soft part, which holds T².
    No gradient reaches the teacher. Returns a tensor (): w × soft + (1 − w) × hard, each the mean
    over its own rows; hard is 0 if no row has a label. Hinton et al. 2015, section 2.
    """
    ### BEGIN SOLUTION
    targets = (teacher.detach() / temperature).softmax(dim=1)  # (B, K)
    soft = temperature**2 * functional.cross_entropy(student / temperature, targets)
    hard = functional.cross_entropy(student, labels, ignore_index=-100, reduction="sum")
    hard = hard / (labels != -100).sum().clamp(min=1)
    return weight * soft + (1 - weight) * hard
    ### END SOLUTION


# %%
check("mixed_loss")

# %% [markdown]
# ## Experiment I: few labels, much text
#
# The student is a **bag of embeddings**: 16 numbers for each piece of a word, their mean, and one linear map. It reads no order, and is fourteen times smaller than its teacher (in `gpu` about seven times).

# %% [markdown]
# All students below have the same size, starting numbers and steps. Only what they learn from differs:
#
# | reads | labels | the teacher's hard labels | its soft targets | controls |
# |---|---|---|---|---|
# | the 90 sentences | ✓ | | ✓ | |
# | unlabelled text | | ✓ | ✓, or squares | an untrained teacher; outputs shuffled |
# | both, mixed | ✓ | | ✓ | |

# %%
class Material(NamedTuple):
    """What a student learns from: sentences, the teacher's logits, labels or −100."""

    tokens: Tensor  # (S, N)
    said: Tensor  # (S, K)
    labels: Tensor  # (S,)


class Learner(nn.Module):
    """A student with its loss, which maps a batch to ()."""

    def __init__(self, net, loss):
        super().__init__()
        self.net, self.loss = net, loss

    def forward(self, batch):
        return self.loss(self.net.logits(batch.tokens), batch)


def by_soft(scores, batch):
    return mixed_loss(scores, batch.said, batch.labels, T, 1.0)


def by_label(scores, batch):
    return mixed_loss(scores, batch.said, batch.labels, T, 0.0)


def by_both(scores, batch):
    return mixed_loss(scores, batch.said, batch.labels, T, 0.5)


def by_logits(scores, batch):
    return logit_loss(scores, batch.said)


def bag(width=size["width"]):
    return BagClassifier(len(tokenizer.vocabulary), width, len(TOPICS))


def learnt(material, loss, steps=size["steps"], make=bag, rate=3e-2):
    """A student, trained."""

    def batch(number):
        rows = torch.randint(len(material.tokens), (64,), generator=generator_of(number))
        return Material(*(part[rows] for part in material))

    torch.manual_seed(seed)
    learner = Learner(make(), loss)
    plan = Plan(steps, linear_schedule(steps, steps // 10), device=str(run.device), title=loss.__name__)
    train(learner, batch, plan, adamw(learner, rate, decay=0.0))
    return learner.net.cpu()


own_words = ask_teacher(Scores(teacher), lesson_tokens, 500)
none = torch.full((len(text),), -100)
longest = max(text.shape[1], lesson_tokens.shape[1])
wide, few = (functional.pad(some, (0, longest - some.shape[1])) for some in (text, lesson_tokens))
times = len(text) // (4 * len(few))  # so that labelled rows are a fifth of all
both = Material(*(torch.cat([one, other.repeat(times, *[1] * (other.dim() - 1))])
                  for one, other in ((wide, few), (said, own_words), (none, labels))))
mixed_up = torch.randperm(len(text), generator=generator_of(1))
lessons = {
    "labels alone": (Material(lesson_tokens, own_words, labels), by_label),
    "the same sentences, soft targets": (Material(lesson_tokens, own_words, labels), by_soft),
    "text, the teacher's labels": (Material(text, said, said.argmax(dim=1)), by_label),
    "text, soft targets": (Material(text, said, none), by_soft),
    "text and labels, mixed": (both, by_both),
    "text, logits by squares": (Material(text, said, none), by_logits),
    "control: an untrained teacher": (Material(text, blank, none), by_soft),
    "control: outputs shuffled": (Material(text, said[mixed_up], none), by_soft),
}
students = {name: learnt(*lesson) for name, lesson in lessons.items()}

# %% [markdown]
# **right**: as the truth is. **as the teacher**: whatever the truth is. **mistakes copied**: where the teacher is wrong, how often the student says the same.

# %%
answers = ask_teacher(Scores(teacher), test_tokens, 500)  # (B, K)


def marks(model):
    scores = ask_teacher(Scores(model), test_tokens, 500)
    own, its = scores.argmax(dim=1), answers.argmax(dim=1)
    wrong = its != truth
    return {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "right": float((own == truth).float().mean()),
        "as the teacher": float((own == its).float().mean()),
        "mistakes copied": float((own == its)[wrong].float().mean()) if wrong.any() else math.nan,
        "nats for the truth": float(functional.cross_entropy(scores, truth)),
    }


table = pd.DataFrame({name: marks(model) for name, model in {"the teacher": teacher, **students}.items()}).T
table.round(2)

# %%
figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
bars = axes.barh(table.index[::-1], table["right"][::-1], color=["#bbbbbb"] * 2 + ["#0072b2"] * 6 + ["#d55e00"])
axes.bar_label(bars, fmt="%.2f", padding=3)
axes.axvline(1 / len(TOPICS), color="#999999", ls="--")
axes.set(xlabel="share of the test right; dashed: a guess", xlim=(0, 1.08))
axes.set_title(
    "Text that the teacher has labelled: "
    f"{table['right']['labels alone']:.2f} → {table['right']['text, soft targets']:.2f}"
)
plt.show()

# %% [markdown]
# Soft targets on the *same* sentences hold the test's words no more than labels do. Text brings them, and the teacher says what they mean.

# %% [markdown]
# ## 8. Is it the similarity?
#
# Three reasons are given why soft targets might beat hard ones. Each needs its own measurement:
#
# | reason | measured by |
# |---|---|
# | similarity of classes (dark knowledge) | the same targets with the wrong classes made even |
# | softness alone, as a regulariser | the same, against hard labels |
# | more data | the amount of text |

# %% [markdown]
# **Targets without similarity** keep how sure the teacher is, and drop what it says of the others:
#
# ```
#                          cat     dog     car     tree     fox
#  soft                    .70     .15     .03     .02      .10
#  without similarity      .70     .075    .075    .075     .075
#  hard                     1       0       0       0        0
# ```
#
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>The others share 1 minus the greatest, in K − 1 equal parts.</details>
# <details><summary>Hint</summary>If two are greatest, the first keeps its share and the other is one of the rest.</details>


# %% exercise="without_similarity"
def without_similarity(targets):
    """Soft targets that say how sure the teacher is, and nothing of the other classes.

    targets: float tensor (B, K), K at least 2, each row a distribution; not changed.
    Returns a tensor of the same shape and type: the greatest of a row (the first, if several are)
    is as it was, and each of the others is the mean of them.
    """
    ### BEGIN SOLUTION
    top, place = targets.max(dim=1, keepdim=True)  # (B, 1) both
    rest = (1 - top) / (targets.shape[1] - 1)
    return rest.expand_as(targets).scatter(1, place, top)
    ### END SOLUTION


# %%
check("without_similarity")

# %% [markdown]
# ## Experiment II: soft, hard, and without similarity, over amounts of text
#
# Two measures: how many answers are right, and how many **nats** the right class costs: does a student know how sure it may be?

# %%
AMOUNTS = {"smoke": (60, 250), "cpu": (30, 60, 120, 250, 1000), "gpu": (100, 1000, 10_000)}[profile]
plainer = T * without_similarity(soft_targets(said, T)).clamp(min=1e-30).log()  # logits with these targets at T
WAYS = {
    "soft targets": (Material(text, said, none), by_soft),
    "without similarity": (Material(text, plainer, none), by_soft),
    "hard labels": (Material(text, said, said.argmax(dim=1)), by_label),
}
whole = {"soft targets": students["text, soft targets"], "hard labels": students["text, the teacher's labels"]}
curves, fewest = {}, {}
for way, (material, loss) in WAYS.items():
    made = [learnt(Material(*(part[:amount] for part in material)), loss) for amount in AMOUNTS]
    fewest[way] = made[0]
    curves[way] = pd.DataFrame(
        [marks(net) for net in (*made, whole.get(way) or learnt(material, loss))], index=[*AMOUNTS, len(text)]
    )
figure, axes = plt.subplots(1, 2, figsize=(11, 3.4), layout="constrained")
for (way, curve), marker in zip(curves.items(), "os^"):
    for axis, column in zip(axes, ("right", "nats for the truth")):
        axis.plot(curve[column], marker + "-", label=way)
axes[0].axhline(table["right"]["the teacher"], color="#999999", ls="--")
axes[1].axhline(math.log(len(TOPICS)), color="#999999", ls="--")
axes[0].set(xscale="log", xlabel="unlabelled sentences", ylabel="share of the test right", ylim=(0, 1.02))
axes[1].set(xscale="log", xlabel="unlabelled sentences", ylabel="nats for the truth", ylim=(0, None))
less, more = (
    np.mean([curve["right"][amount] for curve in curves.values()]) for amount in (AMOUNTS[0], len(text))
)
axes[0].set_title(f"More text: {less:.2f} → {more:.2f} in the mean. Dashed: the teacher")
saved = (
    curves["hard labels"]["nats for the truth"][AMOUNTS[0]]
    - curves["soft targets"]["nats for the truth"][AMOUNTS[0]]
)
axes[1].set_title(f"{AMOUNTS[0]} sentences: soft targets save {saved:.1f} nats. Dashed: a guess")
axes[1].legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()
pd.concat(
    {
        column: pd.DataFrame({way: curve[column] for way, curve in curves.items()})
        for column in ("right", "nats for the truth")
    },
    axis=1,
).round(2)

# %% [markdown]
# Left: the way matters little, the amount of text a lot. Right: few hard labels make a student sure of what is wrong, worse than a guess. Softness alone prevents that, without similarity. With much text hard ones are cheaper.

# %% [markdown]
# And the student's size? The same text for bags of several widths; in larger profiles an LSTM, as in Tang et al., and a small BERT, too.

# %%
def lstm():
    return LstmClassifier(len(tokenizer.vocabulary), 16, 16, len(TOPICS))


def small_bert():
    config = {**vars(model.bert.config), "hidden_size": 32, "num_hidden_layers": 1, "intermediate_size": 128}
    return BertClassifier(Bert(BertConfig(**config)), len(TOPICS))


SIZES = {
    f"bag, {width} wide": (lambda width=width: bag(width), 3e-2)
    for width in ((4,) if profile == "smoke" else (1, 2, 4, 64))
}
if profile != "smoke":
    SIZES |= {"LSTM, 16 cells": (lstm, 1e-2), "BERT, 1 layer, 32 wide": (small_bert, 2e-3)}
rows = {f"bag, {size['width']} wide": (students["labels alone"], students["text, soft targets"])}
for name, (make, rate) in SIZES.items():
    rows[name] = [
        learnt(*lessons[which], make=make, rate=rate) for which in ("labels alone", "text, soft targets")
    ]
sizes = {
    name: {
        "parameters": marks(taught_one)["parameters"],
        "labels alone": marks(alone)["right"],
        "teacher's text": marks(taught_one)["right"],
    }
    for name, (alone, taught_one) in rows.items()
}
pd.DataFrame(sizes).T.sort_values("parameters").round(2)

# %% [markdown]
# ## 9. A class that is never seen
#
# Leave one topic out: all sentences that the teacher gives to it are dropped. No target says "this is sea", but many soft ones say *a little sea*:
#
# ```
#  said of               food    sea    school       the student
#  a sentence of food     .80    .15     .05         learns it: a little sea
#  a sentence of sea      .10    .85     .05         never sees it
# ```

# %% [markdown]
# Such a student says the class too rarely: its bias was learnt where the class never came. In the paper a bias raised by 3.5 brings the errors from 206 to 109, of which 14 are threes.

# %% [markdown]
# There the bias was chosen on the test. Choose it so that the class has, in the mean over unlabelled text, the **share** that the teacher gives it.
#
# *20 minutes, hard.*
#
# <details><summary>Hint</summary>With a bias b the class has the probability σ(m + b), where m is its logit minus the logsumexp of the others.</details>
# <details><summary>Hint</summary>The mean of σ(m + b) grows with b. Where does b surely lie? At ln(share / (1 − share)) less the greatest m, it is too small or just right.</details>


# %% exercise="raise_bias"
def raise_bias(logits, number, share):
    """The bias that gives a class a certain share in the mean.

    logits: float tensor (B, K), K at least 2, of any size, 1e4 too; number: the class, 0 to K − 1;
    share: above 0 and below 1.
    Returns a number b, perhaps negative: with b added to column `number`, the mean over rows of
    the softmax's probability for it is `share`, to four digits at least.
    """
    ### BEGIN SOLUTION
    logits = logits.double()
    others = torch.cat([logits[:, :number], logits[:, number + 1 :]], dim=1)  # (B, K − 1)
    odds = logits[:, number] - others.logsumexp(dim=1)  # (B,)
    wanted = math.log(share / (1 - share))
    low, high = wanted - float(odds.max()), wanted - float(odds.min())
    for _ in range(100):
        middle = (low + high) / 2
        if float((odds + middle).sigmoid().mean()) < share:
            low = middle
        else:
            high = middle
    return high
    ### END SOLUTION


# %%
check("raise_bias")

# %% [markdown]
# ## Experiment III: topics left out, one after the other
#
# Two controls. **Hard labels** never name the class; their bias is raised as well. **Without similarity** is soft, and says no more of this class than of any other.

# %%
LEFT_OUT = range(len(TOPICS)) if profile != "smoke" else (0, 3, 6)
hard = said.argmax(dim=1)


def left_out(number, values, loss):
    """A student that never saw a sentence of the topic; before and after its
    bias is raised, the share of the topic's test sentences it finds."""
    net = learnt(Material(text, values, hard.masked_fill(hard == number, -100)), loss)
    share = float(said.softmax(dim=1)[:, number].mean())
    bias = raise_bias(ask_teacher(Scores(net), text, 500), number, share)
    found = []
    for raised in (0.0, bias):
        scores = ask_teacher(Scores(net), test_tokens, 500)
        scores[:, number] += raised
        right = scores.argmax(dim=1) == truth
        found.append((float(right[truth == number].float().mean()), float(right.float().mean())))
    with torch.no_grad():
        net.head.bias[number] += bias
    return net, found


def by_rest(scores, batch):
    return soft_loss(scores, batch.said, T, batch.labels != -100)


unseen_nets, found = {}, {}
for way, (values, loss) in {
    "soft targets": (said, by_rest),
    "without similarity": (plainer, by_rest),
    "hard labels": (said, by_label),
}.items():
    nets, results = zip(*(left_out(number, values, loss) for number in LEFT_OUT))
    unseen_nets[way] = nets
    found[way] = dict(
        zip(
            ("its own, as trained", "all, as trained", "its own, bias raised", "all, bias raised"),
            np.reshape(results, (len(nets), 4)).mean(axis=0),
        )
    )
pd.DataFrame(found).T.round(2)

# %% [markdown]
# A class is found that was never seen, and similarity has a part in it. Yet hard labels, which never named it, find no fewer: a sentence like nothing seen falls to it, once its bias is raised. The paper has no such control.

# %% [markdown]
# ## Experiment IV: train the teacher further, or the student?
#
# A distilled model is not good enough. Train the **teacher** further and distil again, or go on with the **student**? The usual answer: the teacher, since it sets the accuracy.
#
# ```
#  start        teacher, a third of its steps ─▶ student, all its steps
#  teacher      teacher, three times as many  ─▶ student, all its steps
#  student      teacher, a third of its steps ─▶ student, three times as many
# ```

# %%
THIRD, ALL = size["teacher"] // 3, size["teacher"]
TEACHERS = (THIRD, ALL) if profile == "smoke" else (THIRD // 2, THIRD, ALL, 3 * ALL)
STEPS = (size["steps"] // 10, size["steps"], 3 * size["steps"])
grid, ladder = {}, {}
for some in TEACHERS:
    one = teacher if some == ALL else taught(some)
    told_by = ask_teacher(Scores(one), text, 500)
    ladder[some] = [learnt(Material(text, told_by, none), by_soft, steps) for steps in STEPS]
    grid[f"{some} steps"] = {
        f"student, {steps} steps": share_right(net) for steps, net in zip(STEPS, ladder[some])
    }
    grid[f"{some} steps"]["the teacher itself"] = share_right(one)
start, longer, better = ladder[THIRD][1], ladder[THIRD][2], ladder[ALL][1]
gains = {
    "teacher": share_right(better) - share_right(start),
    "student": share_right(longer) - share_right(start),
}
frame = pd.DataFrame(grid).T
frame.index.name = "teacher fine-tuned for"
print(
    f"three times the steps for the teacher: {gains['teacher']:+.2f}; for the student: {gains['student']:+.2f}"
)
frame.round(2)

# %% [markdown]
# In a row the student climbs towards its teacher and stops there. In a column, what the teacher gains, the student gains. In the first column the student has not caught up: it needs more steps of its own.

# %% [markdown]
# ## Results

# %% tags=["metrics"]
right = table["right"]
metrics = {
    "text_gain": right["text, soft targets"] - right["labels alone"],
    "same_sentences_gain": right["the same sentences, soft targets"] - right["labels alone"],
    "soft_minus_hard": right["text, soft targets"] - right["text, the teacher's labels"],
    "untrained_gap": right["text, soft targets"] - right["control: an untrained teacher"],
    "shuffled_gap": right["text, soft targets"] - right["control: outputs shuffled"],
    "teacher_gap": right["the teacher"] - right["text, soft targets"],
    "squares_gain": right["text, logits by squares"] - right["labels alone"],
    "nats_saved": saved,
    "homonym_gap": float(alike[shared].mean() - alike[apart].mean()),
    "unseen_found": found["soft targets"]["its own, bias raised"],
    "unseen_gain": found["soft targets"]["its own, bias raised"] - found["hard labels"]["its own, bias raised"],
    "unseen_similarity": found["soft targets"]["its own, bias raised"]
    - found["without similarity"]["its own, bias raised"],
    "teacher_over_student": gains["teacher"] - gains["student"],
}


def numbers(*models):
    return torch.stack([parameters_to_vector(one.parameters()).detach() for one in models])


record(
    metrics,
    students=numbers(*students.values()),
    teacher=numbers(teacher),
    unseen_soft=numbers(*unseen_nets["soft targets"]),
    unseen_hard=numbers(*unseen_nets["hard labels"]),
    unseen_plain=numbers(*unseen_nets["without similarity"]),
    left_out=torch.tensor(list(LEFT_OUT)),
    ladder=numbers(start, longer, better),
    fewest=numbers(fewest["soft targets"], fewest["hard labels"]),
)

# %% [markdown]
# What was found, in the table's runs:
#
# | claim | here |
# |---|---|
# | text that a teacher has labelled teaches more than few labels | `text_gain`: yes, from a guess to nearly all |
# | … of a teacher that knows, and said it of this very text | `untrained_gap`, `shuffled_gap`: yes, both controls stay at a guess |
# | logits by squares do as well | `squares_gain`: yes |
# | soft targets help on the labelled sentences themselves | `same_sentences_gain`: no; they hold none of the test's words |
# | soft targets teach more than the teacher's hard labels | `soft_minus_hard`: there is no gap |
# | they keep a student of few examples from overfitting | `nats_saved`: in nats, not in right answers |

# %% [markdown]
# | claim | here |
# |---|---|
# | wrong classes tell which topics share a homonym | `homonym_gap`: next to nothing, .01 of shares of .12 |
# | a class is learnt that was never seen | `unseen_found`: more than half of its sentences, with the bias raised |
# | … since soft targets hold similarity | `unseen_similarity`: it helps; but hard labels find no fewer, `unseen_gain` |
# | train the teacher further rather than the student | `teacher_over_student`: yes, once the student has caught up |

# %% [markdown]
# ## In your own words
#
# **1.** A teacher has .86 right, and its student .85. The team wants .90 and plans to train the student ten times longer, on the same text with the same targets. What do you expect, what would you do, and how would you find out first?

# %% [markdown] answer="which_one_further" points=2
# ### BEGIN SOLUTION
# 1 point: the student has caught up with its teacher (look at how often both agree, and at copied mistakes); more steps bring it nearer to the teacher, mistakes included, not beyond .86 by much. Train or replace the teacher and distil again. 1 point:
# had the student stayed far behind, it would be the other way round: more steps, more unlabelled text or a larger student; so measure the agreement first, and train both a little further as a trial, over several seeds.
# ### END SOLUTION

# %% [markdown]
# **2.** A colleague mixes soft and hard losses half and half, without T². "With T = 1 distillation helps, with T = 10 it does nothing, so high temperatures are useless." What has happened, and what two things should be tried?

# %% [markdown] answer="forgotten_t_squared" points=2
# ### BEGIN SOLUTION
# 1 point: at T = 10 the gradient of the soft part is about a hundred times smaller, so nearly all of the training came from the hard labels: it was not the temperature that was compared, but the weight of the soft part. 1 point: multiply the soft
# part by T² (or look at the length of both gradients and balance them), and compare temperatures at equal balance; with the soft part alone, choose the learning rate for each temperature (Adam hides the factor, plain SGD does not).
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Hinton, Vinyals and Dean 2015, [Distilling the Knowledge in a Neural Network](https://arxiv.org/abs/1503.02531): section 3 has the missing digit, section 6 soft targets as regularisers.
# - Tang et al. 2019, [Distilling Task-Specific Knowledge from BERT into Simple Neural Networks](https://arxiv.org/abs/1903.12136): logits by squares.

# %% [markdown]
# - Furlanello et al. 2018, [Born-Again Neural Networks](https://arxiv.org/abs/1805.04770): students as large as their teacher; wrong classes permuted as a control.
# - Stanton et al. 2021, [Does Knowledge Distillation Really Work?](https://arxiv.org/abs/2106.05945): good students that disagree with their teachers.
