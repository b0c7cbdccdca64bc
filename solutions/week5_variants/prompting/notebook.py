# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Zero, one and few shots: tasks told in words
#
# **The papers.** Radford, Wu, Child, Luan, Amodei and Sutskever,
# [Language Models are Unsupervised Multitask Learners](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf) (2019): GPT-2.
# Brown and others, [Language Models are Few-Shot Learners](https://arxiv.org/abs/2005.14165) (NeurIPS 2020): GPT-3.

# %% [markdown]
# BERT needs labels, a head and new weights for each task. GPT-2 and GPT-3 are given a text that *tells* the task, a **prompt**, and continue it. No head, no weight changed; labels, if any, stand in the prompt.

# %% [markdown]
# **The claims to test.**
#
# | claim | number | here |
# |---|---|---|
# | a language model does tasks that nobody trained it for | 55 F1 on CoQA, no training example | sections 4, 5 |
# | `TL;DR:` makes it summarise | 21.40 mean ROUGE, 15.03 without | section 5 |
# | one example beats none, several beat one | GPT-3, Figure 1.2 | section 6 |
# | examples help larger models more | GPT-3, Figure 1.3 | section 7 |
# | readers' votes filter text | 3 karma: 45 million links, 8 million documents | section 8 |
# | 175 billion parameters | 3.14 · 10²³ FLOPs | section 9 |

# %% [markdown]
# **What you write** (about two hours): two kinds of prompts, the score of an answer, the choice among answers, accuracy by the number of examples, the best possible reader, WebText's filter, GPT-3's cost.
# The model comes from `etude.models.gpt`: you built it two lessons ago.

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: a minute or two · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import copy
import hashlib
import random
from urllib.parse import urlsplit

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch.nn.utils import parameters_to_vector

import etude
from etude import check, plots, record
from etude.models.gpt import GPT, SIZES, GPTConfig
from etude.models.sampling import write
from etude.train import Plan, adamw, linear_schedule, train
from etude.world import World

run = etude.start("week5_variants/prompting", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## 1. A task is a text
#
# decaNLP (McCann et al. 2018) wrote ten tasks as questions about a text. GPT-2 goes one step further: the task, what is given and the answer are *one* text, and its last part is missing.

# %% [markdown]
# | task | GPT-2's prompt ends with | the answer is |
# |---|---|---|
# | questions about a document (CoQA) | `… A:` | what it writes, greedily |
# | summary (CNN, Daily Mail) | `… TL;DR:` | the first three sentences of 100 tokens |
# | translation | `english sentence = french sentence`, some pairs, then `english sentence =` | the first sentence |
#
# *TL;DR* is "too long; didn't read": on the web, a summary tends to follow.

# %% [markdown]
# CoQA is a conversation: a later question (*and where did **he** go?*) cannot be understood without the earlier ones. So the prompt holds the document, then what was asked and answered, then the new question. Each text stands in it as it is, blanks and empty lines too.
#
# ```
# Anna bought a piano. She lives in Lima.
# Q: Who bought a piano?
# A: Anna
# Q: Where does she live?
# A:
# ```

# %% [markdown]
# **No blank after `A:`.** The model's tokens begin with their blank: ` Lima` is one token. A blank at the prompt's end makes it search for a word that starts without one.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>Collect the lines in a list, and join them with line breaks at the end.</details>


# %% exercise="conversation"
def conversation(document, turns, question):
    """GPT-2's prompt for CoQA: a document, what was asked and answered so far, the new question,
    and A: for the model to go on.

    document, question: strings; turns: list of (question, answer), in their order, perhaps none. An
    answer may be empty; a blank behind its "A:" is then left or not.
    Returns a string: the document (an empty one leaves its line empty), for each turn a line "Q: …"
    and a line "A: …", the line "Q: …" of the new question, and a last line that is just "A:". Lines
    are parted by one line break; nothing follows the last colon. Radford et al. 2019, section 3.5.
    """
    ### BEGIN SOLUTION
    lines = [document]
    for asked, answered in turns:
        lines += [f"Q: {asked}", f"A: {answered}"]
    return "\n".join([*lines, f"Q: {question}", "A:"])
    ### END SOLUTION


# %%
check("conversation")

# %%
print(conversation("유나는 눈을 치료하러 병원에 갔다.", [("누가 병원에 갔나?", "유나")], "왜 갔나?"))

# %% [markdown]
# A language model must decide from the text alone which 눈 this is, *eye* or *snow*: 치료, *to treat*, stands in it.

# %% [markdown]
# ## 2. Examples in the prompt
#
# GPT-3 counts the solved examples, the **shots**, that stand before the question:
#
# ```
#                 Translate English to French:          a description of the task
# zero-shot       cheese =>                             the question
# ```
# ```
#                 Translate English to French:
# few-shot        sea otter => loutre de mer            K examples (one-shot: K = 1)
#                 peppermint => menthe poivrée
#                 cheese =>                             the question
# ```
#
# GPT-3's window has 2,048 tokens; typically 10 to 100 examples fit.

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary><code>rstrip</code> takes blanks off the end of a string.</details>
# <details><summary>Hint</summary>Only the blanks at the end of <code>between</code> go. Those of questions, answers and descriptions are not yours to change.</details>


# %% exercise="few_shot"
def few_shot(description, examples, question, between):
    """A prompt with a description of the task, solved examples and a question that is still open.

    description: string; "" means none and takes no line, " " takes one; examples: list of
    (question, answer), perhaps none; between: what stands between question and answer, as " => " or
    " = ", without a tab or line break at its end. Each example is one line, the open question is
    the last one: it is followed by `between` without the blanks at its end, and keeps its own.
    Returns a string, lines parted by one line break. Brown et al. 2020, Figure 2.1; Radford et al.
    2019, section 3.7.
    """
    ### BEGIN SOLUTION
    lines = [description] if description else []
    lines += [asked + between + answered for asked, answered in examples]
    return "\n".join([*lines, question + between.rstrip()])
    ### END SOLUTION


# %%
check("few_shot")

# %%
print(few_shot("Say it with numbers:", [("하루 커피 두 잔", "하루 커피 2잔")], "하루 커피 최소 세 잔", " => "))
print()
print(few_shot("", [("I have a cat.", "J'ai un chat.")], "I see the ship.", " = "))

# %% [markdown]
# The second is GPT-2's translation prompt. It has no description, so only its examples tell the task.

# %% [markdown]
# ## 3. Reading the answer off
#
# Free text is written token by token (the lesson before). But if the answer is one of several **candidates**, nothing need be written: the model says how likely each is *after this prompt*.

# %% [markdown]
# $$\log p(\text{answer} \mid \text{prompt}) = \sum_{i \,\in\, \text{answer}} \log p(t_i \mid t_0 \dots t_{i-1})$$
#
# ```
# place        0      1      2        3        4       5
# token        nurse  fever  TL;DR:   public   health  <end>
# log p of            fever  TL;DR:   public   health  <end>     read at the place before it
# counted                             ──────────────             start 3, end 5: two tokens
# ```

# %% [markdown]
# Logits at place i score the token at place **i + 1**. Tokens of the prompt are not counted: all candidates share them. Nor is padding.

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary><code>log_softmax</code> over the vocabulary, then <code>gather</code> the log-probability of each next token: (B, N − 1).</details>
# <details><summary>Hint</summary>A token outside of the answer may have probability 0, and −∞ · 0 is not 0: leave it out with <code>masked_fill</code> or <code>where</code>.</details>


# %% exercise="answer_scores"
def answer_scores(logits, tokens, starts, ends):
    """The log-probability of each text's answer, given all that stands before it.

    logits (B, N, V): at each place the scores of what comes after it; tokens (B, N) int64; starts,
    ends (B,) int64: the answer of text b is tokens[b, starts[b]:ends[b]], at least one token, never
    the text's first. What stands after an answer is padding.
    Returns (B,): the sum over the answer's tokens, in nats.
    """
    ### BEGIN SOLUTION
    log_p = logits[:, :-1].log_softmax(dim=-1)  # (B, N − 1, V)
    each = log_p.gather(2, tokens[:, 1:, None])[..., 0]  # (B, N − 1), of the tokens 1 to N − 1
    places = torch.arange(1, tokens.size(1), device=tokens.device)  # (N − 1,)
    asked = (places >= starts[:, None]) & (places < ends[:, None])  # (B, N − 1)
    return each.masked_fill(~asked, 0).sum(dim=1)
    ### END SOLUTION


# %%
check("answer_scores")

# %% [markdown]
# Every further token makes a sum smaller, so short candidates win. The plain sum, and GPT-3's two ways to mend that (section 2.4):
#
# | way | score of a candidate | used for |
# |---|---|---|
# | `"sum"` | log p(answer given prompt) | |
# | `"token"` | that, divided by its number of tokens | most tasks of choice |
# | `"alone"` | log p(answer given prompt) − log p(answer given `Answer:`) | ARC, OpenBookQA, RACE |

# %% [markdown]
# The third asks how much *likelier* the prompt has made it. A rare word is rare after any prompt, and should not lose for that.

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>A ratio of probabilities is a difference of logarithms.</details>


# %% exercise="pick"
def pick(scores, lengths, alone, way):
    """Which candidate is chosen for each question.

    scores (Q, C): log p of each candidate after the question's prompt, summed over its tokens;
    lengths (Q, C) int64: how many tokens it has;
    alone (Q, C): log p of the same candidate after a prompt without any question, never −∞; way:
    "sum", "token" or "alone", see the table. No tensor is changed.
    Returns (Q,) int64, places among the candidates; of equals any. Brown et al. 2020, section 2.4.
    """
    ### BEGIN SOLUTION
    ways = {"sum": scores, "token": scores / lengths, "alone": scores - alone}  # (Q, C) each
    return ways[way].argmax(dim=1)
    ### END SOLUTION


# %%
check("pick")

# %%
log_p = torch.tensor([[0.10, 0.05, 0.04]]).log()
lengths, by_itself = torch.tensor([[1, 3, 1]]), torch.tensor([[0.50, 0.05, 0.01]]).log()
candidates = ["yes", "in the hospital", "유나"]
for way in ("sum", "token", "alone"):
    print(f"{way:6s}", candidates[int(pick(log_p, lengths, by_itself, way))])

# %% [markdown]
# Three ways, three answers, the same model. Who reports a zero-shot accuracy must say which way it was.

# %% [markdown]
# ## 4. A text that happens to hold tasks
#
# WebText was not made for any task, yet people write *"…", which is French for …* in it. Here is a small text of that kind: lists of pairs, and articles.

# %% [markdown]
# | the text holds | example |
# |---|---|
# | lists with their name, one in four | `owns:` ann cat ben owl cleo ox … |
# | lists without | `list:` ann cat ben owl cleo ox … |
# | articles with a summary | … rain goal medal snow `TL;DR:` winter sport `<end>` |
# | articles with a source | … rain goal medal snow `Source:` Herald `<end>` |

# %% [markdown]
# Four lists, 16 people. People come in four groups of four, and each list gives a group its things in one of four turns (shifted by 0 to 3 places). The turns **collide**, so one example often leaves two lists open:

# %%
PEOPLE = ["ann", "ben", "cleo", "dan", "eve", "flo", "gus", "hal", "ida", "jo", "kai", "lea", "max", "nat", "oz", "pia"]
THINGS = ["cat", "owl", "ox", "hen", "fox", "bee", "ant", "elk", "cow", "bat", "yak", "eel", "pig", "ram", "dog", "emu"]
LISTS = ["owns:", "likes:", "draws:", "fears:"]
TURNS = torch.tensor([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0], [0, 1, 2, 3]])  # (group, list)
TOPICS = {
    "public health": "nurse fever pill doctor pain clinic",
    "public school": "pupil exam lesson chalk desk class",
    "winter sport": "sled goal coach race medal team",
    "winter weather": "snow ice frost storm cloud wind",
    "music": "song drum choir violin chord concert",
    "space": "moon rocket planet comet orbit star",
    "food": "bread soup rice apple salt oven",
    "money": "bank price tax loan coin market",
}
SOURCES = ["Herald", "Times", "Mirror", "Globe", "Courier", "Tribune", "Gazette", "Echo"]
MARKS = ["list:", "TL;DR:", "Source:", "<start>", "<end>"]
SUMMARIES = [topic.split() for topic in TOPICS]
ARTICLE_WORDS = [word for words in TOPICS.values() for word in words.split()]  # 8 topics · 6 words
SUMMARY_WORDS = sorted({word for words in SUMMARIES for word in words})
WORDS = MARKS + LISTS + PEOPLE + THINGS + SUMMARY_WORDS + SOURCES + ARTICLE_WORDS
INDEX = {word: number for number, word in enumerate(WORDS)}
END, PERSON, THING = INDEX["<end>"], INDEX[PEOPLE[0]], INDEX[THINGS[0]]


def planted_lists(seed, turns=TURNS):
    """The four lists of a world, (4, 16): which thing each person has in them."""
    draws = torch.Generator().manual_seed(seed)
    people, things = (torch.randperm(16, generator=draws).view(4, 4) for _ in range(2))
    lists = torch.empty(4, 16, dtype=torch.long)
    for one in range(4):
        for group in range(4):
            lists[one, people[group]] = things[group].roll(int(turns[group, one]))
    return lists


lists = planted_lists(seed)
pd.DataFrame([[THINGS[i] for i in row] for row in lists], index=LISTS, columns=PEOPLE)

# %% [markdown]
# For each line of text it is drawn anew which of the four lists, which seven people, and in which order. Nobody marks them as a task.

# %%
SHOTS = 7  # pairs in a line: 0 to 6 examples, and a question


def pair_lines(count, draws, named, lists=lists):
    """Lines of pairs, (count, 1 + 2 · SHOTS) ids, and the number of each one's
    list; named: the share that begins with its list's name."""
    which = torch.randint(4, (count,), generator=draws)
    people = torch.rand(count, 16, generator=draws).argsort(dim=1)[:, :SHOTS]  # (count, SHOTS), all different
    things = lists[which].gather(1, people)  # (count, SHOTS)
    pairs = torch.stack([people + PERSON, things + THING], dim=-1).flatten(1)  # (count, 2 · SHOTS)
    first = torch.where(torch.rand(count, generator=draws) < named, INDEX[LISTS[0]] + which, INDEX["list:"])
    return torch.cat([first[:, None], pairs], dim=1), which


def articles(count, draws, mark=None):
    """Articles of ten words, a mark and what follows it, as rows of 15
    ids, and the topic of each; mark: None for either one."""
    topics = torch.randint(8, (count,), generator=draws)
    own = 6 * topics[:, None] + torch.randint(6, (count, 10), generator=draws)
    other = torch.randint(48, (count, 10), generator=draws)
    on_topic = torch.rand(count, 10, generator=draws) < 0.6
    words = INDEX[ARTICLE_WORDS[0]] + torch.where(on_topic, own, other)  # (count, 10)
    coins = torch.randint(2, (count,), generator=draws).tolist()
    sources = torch.randint(8, (count,), generator=draws).tolist()
    rows = []
    for row, topic, coin, source in zip(words.tolist(), topics.tolist(), coins, sources):
        sign = mark or ("TL;DR:", "Source:")[coin]
        told = SUMMARIES[topic] if sign == "TL;DR:" else [SOURCES[source]]
        after = [INDEX[word] for word in (sign, *told, "<end>", "<end>")]
        rows.append([INDEX["<start>"], *row, *after][:15])
    return torch.tensor(rows), topics


shown = torch.Generator().manual_seed(seed)
for rows in (pair_lines(2, shown, 0.5)[0], articles(2, shown)[0]):
    print(*(" ".join(WORDS[i] for i in row) for row in rows), sep="\n")

# %% [markdown]
# Language models of several widths learn to predict **the next word** of that text, and nothing else. They are GPTs of two layers, trained for the same steps.

# %%
WIDTHS = {"smoke": (8, 32), "cpu": (8, 16, 32), "gpu": (8, 16, 32, 64)}[profile]
STEPS = {"smoke": 800, "cpu": 2000, "gpu": 6000}[profile]
DEVICE = str(run.device)


def language_model(width):
    return GPT(GPTConfig(len(WORDS), 32, width, n_layer=2, n_head=2, dropout=0.0, initializer_range=0.1))


def text_of_step(step):
    """32 lines of pairs and 8 articles: the same for each model."""
    draws = torch.Generator().manual_seed(1_000_003 * (seed + 1) + step)
    return torch.cat([pair_lines(32, draws, 0.25)[0], articles(8, draws)[0]])


models = {}
for width in WIDTHS:
    torch.manual_seed(seed)
    models[width] = language_model(width)
    plan = Plan(STEPS, linear_schedule(STEPS, STEPS // 20), device=DEVICE, title=f"width {width}")
    history = train(models[width], text_of_step, plan, adamw(models[width], 1e-2))
    models[width].cpu().eval()
    size = sum(parameter.numel() for parameter in models[width].parameters())
    print(f"width {width}: {size:,} parameters, loss of the last 50 steps {np.mean(history.losses[-50:]):.3f}")
large, small = models[WIDTHS[-1]], models[WIDTHS[0]]

# %% [markdown]
# "Nothing is trained from here on" should be a fact. A **fingerprint** of all weights: if one bit changes, so does it.


# %%
def fingerprint(model):
    """SHA-256 of all weights with their names."""
    digest = hashlib.sha256()
    for name, weight in model.state_dict().items():
        digest.update(name.encode() + weight.cpu().numpy().tobytes())
    return digest.hexdigest()


before, untouched = fingerprint(large), parameters_to_vector(large.parameters()).detach().clone()
print(before[:16], "…")

# %% [markdown]
# Keeping `model.state_dict()` itself would prove nothing: it holds the very tensors that training changes, so it always equals "after".

# %% [markdown]
# ## 5. Zero shots: the task in words
#
# No example. The prompt is the list's name and a person, `owns: ben`. Controls: no name (`list: ben`), and the name of another list.


# %%
def ids_of(prompt):
    """A prompt's words as ids, (1, N)."""
    return torch.tensor([[INDEX[word] for word in prompt.split()]])


person = PEOPLE[1]
for name in [*LISTS, "list:"]:
    prompt = few_shot(name, [], person, " ")
    said = WORDS[write(large, ids_of(prompt), 1)[0, -1]]
    planted = "" if name == "list:" else f"planted: {THINGS[lists[LISTS.index(name), 1]]}"
    print(f"{prompt!r:16} → {said:6}", planted)


# %%
@torch.no_grad()
def right_at(model, rows, place):
    """The share of rows whose token at a place the model finds likeliest."""
    best = model.logits(model.hidden(rows[:, :place])[:, -1]).argmax(dim=-1)  # (B,)
    return float((best == rows[:, place]).float().mean())


TESTS = {"smoke": 1000, "cpu": 2000, "gpu": 4000}[profile]
draws = torch.Generator().manual_seed(seed + 50_000)
told, which = pair_lines(TESTS, draws, 1.0)
untold, wrong = told.clone(), told.clone()
untold[:, 0] = INDEX["list:"]
wrong[:, 0] = INDEX[LISTS[0]] + (which + 1) % 4
zero = {
    f"width {width}": {
        "the list's name": right_at(model, told, 2),
        "no name": right_at(model, untold, 2),
        "another list's name": right_at(model, wrong, 2),
    }
    for width, model in models.items()
}
pd.DataFrame(zero).T.round(2)

# %% [markdown]
# One word in front, and the same weights give another answer. The model was never *asked* to look anything up: it predicts next words, and the text had names before lists.

# %% [markdown]
# Now `TL;DR:`. The model writes until `<end>`, and **only what it wrote** counts. Controls: another mark after the same articles, and none.


# %%
def written_after(model, rows, stop, longest=3):
    """What the model writes after the first `stop` tokens of each
    row, greedily, up to <end>: a list of words each."""
    new = write(model, rows[:, :stop], longest, end=END)[:, stop:].tolist()
    return [[WORDS[i] for i in row[: row.index(END) if END in row else longest]] for row in new]


summaries, topic = articles(TESTS, draws, "TL;DR:")
other = summaries.clone()
other[:, 11] = INDEX["Source:"]
share = {}
for width, model in models.items():
    ways = {"TL;DR:": (summaries, 12), "Source:": (other, 12), "no mark": (summaries, 11)}
    share[f"width {width}"] = {
        mark: np.mean([words == SUMMARIES[t] for words, t in zip(written_after(model, rows, stop), topic.tolist())])
        for mark, (rows, stop) in ways.items()
    }
    if model is large:
        for row, words in zip(summaries[:3], written_after(model, summaries[:3], 12)):
            print(" ".join(WORDS[i] for i in row[1:12]), "→", *words)
pd.DataFrame(share).T.round(2)

# %% [markdown]
# And by choice: the eight summaries are candidates of one or two words. Without a topic in sight (`<start> TL;DR:`) a model has its favourites, which `"alone"` takes out.


# %%
@torch.no_grad()
def scores_of(model, prompts):
    """log p of each summary after each prompt, (Q, N) → (Q, 8), and the summaries' lengths."""
    sizes = torch.tensor([len(words) for words in SUMMARIES])  # (8,)
    answers = torch.tensor([[INDEX[word] for word in (*words, "<end>")[:2]] for words in SUMMARIES])  # (8, 2)
    texts = torch.cat([prompts.repeat_interleave(8, dim=0), answers.repeat(len(prompts), 1)], dim=1)  # (8 · Q, N + 2)
    starts = torch.full((len(texts),), prompts.size(1))  # (8 · Q,)
    scores = answer_scores(model.logits(model.hidden(texts)), texts, starts, starts + sizes.repeat(len(prompts)))
    return scores.view(len(prompts), 8), sizes.expand(len(prompts), 8)


asked = summaries[:200, :12]
after, sizes = scores_of(large, asked)
neutral = scores_of(large, ids_of("<start> TL;DR:"))[0].expand(len(asked), 8)
by_choice = {
    way: float((pick(after, sizes, neutral, way) == topic[:200]).float().mean()) for way in ("sum", "token", "alone")
}
print({way: round(value, 3) for way, value in by_choice.items()})

# %% [markdown]
# Per token the score of a two-word summary is halved, which helps it: see which way suits your candidates.

# %% [markdown]
# ## 6. Few shots: the task in examples
#
# Now no name at all, only pairs: `list: ann cat ben owl cleo …`. A line of seven pairs is seven tests in one: the first thing is predicted after 0 examples, the second after 1, and so on.

# %% [markdown]
# ```
# place          0      1     2     3     4     5      6
# token          list:  ann   cat   ben   owl   cleo   ox
# predicts              ▲cat        ▲owl        ▲ox
# examples seen         0           1           2
# ```

# %% [markdown]
# *15 minutes, medium.*
#
# <details><summary>Hint</summary>A slice with a step: <code>x[:, 1::2]</code> takes the places 1, 3, 5, …</details>
# <details><summary>Hint</summary>The mean runs over the texts, not over the numbers of examples.</details>


# %% exercise="accuracy_by_shots"
def accuracy_by_shots(logits, tokens):
    """How often the likeliest token is the right answer, after 0, 1, 2, … examples.

    tokens (B, 1 + 2K) int64: a first token, then K times a question and its answer; logits (B, 1 +
    2K, V): at each place the scores of what comes after it, of all V tokens, whether they occur in
    the texts or not; of equally likely ones any will do. Returns a float tensor (K,): entry k is
    the share of the B texts whose answer number k, counted from 0, is right.
    """
    ### BEGIN SOLUTION
    best = logits[:, 1::2].argmax(dim=-1)  # (B, K), at the questions
    return (best == tokens[:, 2::2]).float().mean(dim=0)  # (K,)
    ### END SOLUTION


# %%
check("accuracy_by_shots")

# %% [markdown]
# How good could it be? The **ideal reader** knows the four lists and reasons without fault: lists that contradict an example are out, those that are left are equally likely.

# %% [markdown]
# ```
# owns:   ann cat   ben owl        examples: ann cat       ben ?
# likes:  ann cat   ben hen        left: owns, likes, fears
# draws:  ann ox    ben owl        → owl ⅓, hen ⅓, fox ⅓
# fears:  ann cat   ben fox
# ```

# %% [markdown]
# *20 minutes, medium.*
#
# <details><summary>Hint</summary><code>lists[:, questions]</code> is (R, k): what each list says about the k questions of the examples.</details>
# <details><summary>Hint</summary><code>torch.bincount(x, minlength=n)</code> counts how often each number below n occurs.</details>


# %% exercise="ideal_reader"
def ideal_reader(lists, questions, answers, question, values):
    """The probabilities of a question's answers for one who knows all lists, but not which of them
    the examples are from.

    lists (R, E) int64: what each list answers to each of E questions; before the first example all
    lists are equally likely. questions, answers (k,) int64: the examples, perhaps none; question: a
    whole number below E; values: how many answers there are, they are 0 to values − 1.
    Returns a float tensor (values,) that sums to 1. If no list agrees with all examples, no list
    is ruled out.
    """
    ### BEGIN SOLUTION
    fits = (lists[:, questions] == answers).all(dim=1)  # (R,)
    left = lists[fits, question] if fits.any() else lists[:, question]  # (number of lists left,)
    return torch.bincount(left, minlength=values) / len(left)
    ### END SOLUTION


# %%
check("ideal_reader")

# %%
line = torch.tensor([PEOPLE.index(name) for name in ("ann", "ben", "cleo", "dan")])
for shots in range(4):
    known = line[:shots]
    chances = ideal_reader(lists, known, lists[0, known], int(line[shots]), 16)
    print(shots, "examples:", {THINGS[i]: round(float(chances[i]), 2) for i in chances.nonzero()[:, 0]})

# %% [markdown]
# The experiment: new lines without a name. Beside model and ideal reader stand three **controls**, in which the six examples are wrong:
#
# - *of another list*: the question is asked of `owns:`, the examples are from `likes:`.
# - *with random things*: the people are there, and things, but not theirs.
# - *shuffled*: the right things, each beside somebody else.


# %%
@torch.no_grad()
def curve(model, rows):
    return accuracy_by_shots(model.logits(model.hidden(rows)), rows).tolist()


rows, which = pair_lines(TESTS, draws, 0.0)
people = rows[:, 1::2] - PERSON  # (TESTS, SHOTS)
of_another, at_random, shuffled = rows.clone(), rows.clone(), rows.clone()
switched = (which + torch.randint(1, 4, which.shape, generator=draws)) % 4
of_another[:, 2:-1:2] = lists[switched].gather(1, people)[:, :-1] + THING
at_random[:, 2:-1:2] = torch.randint(16, (TESTS, SHOTS - 1), generator=draws) + THING
order = torch.rand(TESTS, SHOTS - 1, generator=draws).argsort(dim=1)
shuffled[:, 2:-1:2] = rows[:, 2:-1:2].gather(1, order)  # the right things, each at some example

curves = {f"width {width}": curve(model, rows) for width, model in models.items()}
best = []
for shots in range(SHOTS):
    chances = [
        ideal_reader(lists, row[:shots], lists[one, row[:shots]], int(row[shots]), 16).max()
        for row, one in zip(people[:300], which[:300].tolist())
    ]
    best.append(float(torch.stack(chances).mean()))
curves["ideal reader"] = best
controls = {
    "examples of another list": curve(large, of_another)[-1],
    "examples with random things": curve(large, at_random)[-1],
    "the things shuffled among the examples": curve(large, shuffled)[-1],
}
pd.DataFrame(curves).T.round(2)

# %%
figure, axes = plt.subplots(figsize=(8.5, 3.8), layout="constrained")
for (name, values), colour in zip(curves.items(), plots.COLOURS[1:]):
    axes.plot(range(SHOTS), values, "--" if name == "ideal reader" else "o-", color=colour, label=name)
for (name, value), mark in zip(controls.items(), "xv^"):
    axes.plot(SHOTS - 1, value, mark, color="#666666", ms=8, label=f"width {WIDTHS[-1]}: {name}")
axes.set(xlabel="examples in the prompt", ylabel="share of right answers", ylim=(0, 1.03))
axes.set_title("Right examples help, and the larger model more")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Was anything trained? The fingerprint says. As a control, *one* step of fine-tuning on a single line:

# %%
tuned = copy.deepcopy(large).to(DEVICE)
train(tuned, lambda step: rows[:1], Plan(1, device=DEVICE), adamw(tuned, 1e-2))
tuned.cpu()
print("after", len(rows), "prompts:", "the same weights" if fingerprint(large) == before else "other weights")
print("after one step of training:", "the same weights" if fingerprint(tuned) == before else "other weights")

# %% [markdown]
# Shuffling is a surprising control: each person stands beside somebody else's thing, and the answers often stay right. *Which* things occur betrays the list, whoever has them.

# %% [markdown]
# Min et al. 2022 found the like for GPT-3: random labels in the examples cost little in classification, since the labels' words and the form of the text are told all the same. A control must
# take away what it claims to.

# %% [markdown]
# **Learned, or recognised?** Four new lists for the same people: the same groups and things in other turns, so that no line of the text agrees with them. Examples should help as much, if the model
# *learns from them*.

# %%
NEW = torch.tensor([[2, 3, 2, 3], [2, 2, 3, 3], [3, 2, 2, 3], [1, 0, 3, 2]])  # (group, list)
unseen = pair_lines(TESTS, draws, 0.0, planted_lists(seed, NEW))[0]
pd.DataFrame({"lists of the text": curve(large, rows), "new lists": curve(large, unseen)}).T.round(2)

# %% [markdown]
# In our runs they help little: this model *recognises* lists that it knows. The GPT-3 paper leaves the question open for itself (section 5): does it learn at the time of asking, or recognise what training held?

# %% [markdown]
# ## 7. Examples and size
#
# GPT-3's Figure 1.3 averages 42 tasks: zero-shot rises steadily with size, few-shot faster. What do six examples add to each of our models?

# %%
gains = {f"width {width}": curves[f"width {width}"][-1] - curves[f"width {width}"][0] for width in WIDTHS}
figure, axes = plt.subplots(figsize=(7, 2.2), layout="constrained")
plots.bars(axes, gains, label="gain", title="What six examples add")
axes.set(xlabel="share right after 6 examples minus after 0", ylabel="model")
plt.show()

# %% [markdown]
# All models saw the same text for the same steps. So "larger" is here also "better trained": at equal *loss* the difference may be smaller, which this experiment does not separate.

# %% [markdown]
# ## 8. Whose text? Votes as a filter
#
# Common Crawl is nearly without end, and much of it is hardly readable. WebText took only pages that a Reddit post linked to and readers gave **at least 3 karma**: people as a filter.

# %% [markdown]
# ```
# 45 million links ── at least 3 karma, each page once, cleaned ──▶ slightly over 8 million documents, 40 GB
#                     └─ pages of Wikipedia out: many test sets are made of it
# ```
#
# The 8 million are what is **left**. It is often told as "8 million Wikipedia documents were removed"; that is wrong.

# %% [markdown]
# A page may be posted twice. It stays if *one* of its posts has enough karma; two posts with 2 each are no post with 3 (the paper does not say: this is our reading).

# %% [markdown]
# *15 minutes, easy.*
#
# <details><summary>Hint</summary><code>urlsplit(url).hostname</code> is the host: for <code>https://en.wikipedia.org/wiki/GPT</code> it is <code>en.wikipedia.org</code>.</details>
# <details><summary>Hint</summary><code>notwikipedia.org</code> ends with <code>wikipedia.org</code>, and is another site.</details>


# %% exercise="web_text"
def web_text(posts, least, removed):
    """The addresses that WebText's filter keeps.

    posts: list of (address, karma), karma a whole number, perhaps negative; an address may occur
    several times. removed: set of sites, such as "wikipedia.org", in small letters as all hosts
    here: nothing of the site and of its parts (en.wikipedia.org) is kept.
    Returns a list: each address with a post of `least` karma or more, once, in the order of the
    first such posts. Radford et al. 2019, section 2.1.
    """
    ### BEGIN SOLUTION
    kept = []
    for address, karma in posts:
        host = "." + (urlsplit(address).hostname or "")
        blocked = any(host.endswith("." + site) for site in removed)
        if karma >= least and not blocked and address not in kept:
            kept.append(address)
    return kept
    ### END SOLUTION


# %%
check("web_text")

# %% [markdown]
# Does it help? Documents of the planted language, half of them spoiled (their words shuffled). Five readers vote for each document: a clean one gets a vote with probability .7, a spoiled one with .35.
# Votes are right in the mean, not each time.

# %%
DOCUMENT_WORDS = {"smoke": 30_000, "cpu": 60_000, "gpu": 200_000}[profile]
PAGE_STEPS = {"smoke": 150, "cpu": 400, "gpu": 2000}[profile]
VOCABULARY = [*sorted({word for sentence in World("en", seed=0).corpus(40_000) for word in sentence}), "."]
PLACE = {word: number for number, word in enumerate(VOCABULARY, start=1)}  # 0: any other word


def pages_of(seed, words):
    """Documents as lists of words, a full stop after each sentence."""
    documents = World("en", seed=seed).documents(words)
    return [[word for sentence in one.sentences for word in (*sentence.tokens(), ".")] for one in documents]


chance = random.Random(seed)
pages = {}
for number, words in enumerate(pages_of(seed, DOCUMENT_WORDS)):
    clean = chance.random() < 0.5
    if not clean:
        chance.shuffle(words)
    karma = sum(chance.random() < (0.7 if clean else 0.35) for _ in range(5))
    pages[f"https://pages.example/{number}"] = (words, clean, karma)
kept = web_text([(address, karma) for address, (_, _, karma) in pages.items()], 3, {"wikipedia.org"})
samples = {"3 karma or more": kept, "as many at random": chance.sample(list(pages), len(kept))}
for name, addresses in samples.items():
    clean = np.mean([pages[address][1] for address in addresses])
    print(f"{name}: {len(addresses)} of {len(pages)} pages, {clean:.0%} of them clean")

# %% [markdown]
# Two GPTs of one layer, the same steps; one reads what was kept, the other a **random part of equal size**. Both are tested on clean text that neither has seen.

# %%
held_out = torch.tensor([PLACE.get(word, 0) for page in pages_of(seed + 10_000, 6000) for word in page])
held_out = held_out[: len(held_out) // 24 * 24].view(-1, 24)  # (texts, 24)


def reader_of(name, addresses):
    """A language model of these pages."""
    stream = torch.tensor([PLACE.get(word, 0) for address in addresses for word in pages[address][0]])  # (T,)

    def pieces(step):
        draws = torch.Generator().manual_seed(1_000_003 * (seed + 1) + step)
        return stream[torch.randint(len(stream) - 24, (32, 1), generator=draws) + torch.arange(24)]  # (32, 24)

    torch.manual_seed(seed)
    reader = GPT(GPTConfig(len(VOCABULARY) + 1, 24, 32, n_layer=1, n_head=2, dropout=0.0, initializer_range=0.1))
    plan = Plan(PAGE_STEPS, linear_schedule(PAGE_STEPS, PAGE_STEPS // 20), device=DEVICE, title=name)
    train(reader, pieces, plan, adamw(reader, 6e-3))
    return reader.cpu().eval()


readers = {name: reader_of(name, addresses) for name, addresses in samples.items()}
with torch.no_grad():
    losses = {name: float(reader(held_out)) for name, reader in readers.items()}
pd.Series(losses, name="loss on clean text, nats a word").round(3)

# %% [markdown]
# Noisy votes are enough here, as "noise" is drastic: shuffled words. On the real web it is subtler, and karma also selects topics and readers.

# %% [markdown]
# ## 9. 175 billion, to the digit
#
# A pre-norm GPT with L layers of width d, V words and P positions has
#
# | part | parameters |
# |---|---|
# | words (input and output share them), positions | V·d + P·d |
# | each layer: queries, keys, values, output | 4·d² + 4·d |
# | each layer: d → 4d → d | 8·d² + 5·d |
# | each layer: two normalisations, scale and shift | 4·d |
# | the last normalisation | 2·d |

# %% [markdown]
# **Cost.** A token takes one multiplication and one addition for each weight on the way forward, and twice that on the way back: about **6 FLOPs for each parameter and token** (GPT-3, appendix D).

# %% [markdown]
# *10 minutes, easy.*
#
# <details><summary>Hint</summary>The number of heads does not occur: heads share out the width.</details>


# %% exercise="training_cost"
def training_cost(layers, width, words, positions, tokens):
    """Parameters of a GPT as in GPT-2 and GPT-3, with all biases, and the FLOPs of training it on
    so many tokens: 6 for each parameter and token.

    All arguments are whole numbers. Returns (parameters, FLOPs): an int, and an int or a float.
    Brown et al. 2020, Table 2.1 and appendix D.
    """
    ### BEGIN SOLUTION
    each = 12 * width**2 + 13 * width
    parameters = (words + positions) * width + layers * each + 2 * width
    return parameters, 6 * parameters * tokens
    ### END SOLUTION


# %%
check("training_cost")

# %%
TOKENS, BATCH = 300_000_000_000, 3_200_000
rows_of_table = {}
for name in ("gpt2-xl", "gpt3"):
    layers, width, _ = SIZES[name]
    count, flops = training_cost(layers, width, 50_257, GPTConfig.of_size(name).n_positions, TOKENS)
    rows_of_table[name] = {"parameters": f"{count:,}", "FLOPs for 300B tokens": f"{flops:.3g}"}
print(f"{TOKENS / BATCH:,.0f} steps of 3.2 million tokens; {flops / 1e15 / 86_400:,.0f} petaflop/s-days")
print(f"one H100 at 4·10¹⁴ FLOP/s: {flops / 4e14 / 86_400 / 365:.0f} years")
pd.DataFrame(rows_of_table).T

# %% [markdown]
# The paper prints 175.0B, 3.14 · 10²³ FLOPs and 3,640 petaflop/s-days. The last digit of 175.0B does not follow: the table gives 174.6.

# %% [markdown]
# Attention's own products (queries times keys) are left out: at 2,048 positions and this width they would add a few percent.

# %% [markdown]
# ## 10. What the published numbers say
#
# | task | GPT-2 without training | beside it |
# |---|---|---|
# | CoQA, F1 | 55 | people 89; fine-tuned BERT is *near* them |
# | English to French, BLEU | 5 | slightly below replacing word by word with an inferred lexicon |
# | French to English, BLEU | 11.5 | |
# | summary, mean ROUGE | 21.40 | 15.03 without `TL;DR:`; 20.98 three sentences at random |

# %% [markdown]
# Two slips are common. The 89 are people's, not BERT's. And the 5 BLEU are GPT-2's own: word by word is a little *better*. WebText had nearly no French: a filter had removed it, and 10 MB slipped through.

# %% [markdown]
# And 21.40 beside 20.98: a hint clearly works (+6.37 ROUGE), and the summary is hardly better than three random sentences (+0.42). Without the second control we would know half.

# %% [markdown]
# ## Results

# %% tags=["metrics"]
first, last = f"width {WIDTHS[0]}", f"width {WIDTHS[-1]}"
metrics = {
    "name_gain": zero[last]["the list's name"] - zero[last]["no name"],
    "tldr_gain": share[last]["TL;DR:"] - share[last]["Source:"],
    "shots_gain": gains[last],
    "right_examples_gain": curves[last][-1] - controls["examples with random things"],
    "size_gain": gains[last] - gains[first],
    "moved_by_tuning": float((parameters_to_vector(tuned.parameters()) != untouched).float().mean()),
    "karma_gain": losses["as many at random"] - losses["3 karma or more"],
}
record(
    metrics,
    widths=torch.tensor([WIDTHS[0], WIDTHS[-1]]),
    small=parameters_to_vector(small.parameters()).detach(),
    large=parameters_to_vector(large.parameters()).detach(),
    untouched=untouched,
    tuned=parameters_to_vector(tuned.parameters()).detach(),
    readers=torch.stack([parameters_to_vector(one.parameters()).detach() for one in readers.values()]),
)
pd.Series(metrics).round(3)

# %% [markdown]
# What was found, in the table's runs:
#
# | claim | at our scale |
# |---|---|
# | a task told in words is done without training for it | `name_gain`: yes; the text held names before lists |
# | `TL;DR:` makes it summarise | `tldr_gain`: yes, and another mark does not |
# | several examples beat none | `shots_gain`: yes, if they are right ones (`right_examples_gain`) |
# | no weight changes while examples are read | `moved_by_tuning`: yes; one step of fine-tuning moves nearly all |
# | examples help larger models more | `size_gain`: yes, at equal steps |
# | … by learning a new task on the spot | no: see your run's new lists in section 6, which gain little; the model recognises known ones |
# | votes filter text | `karma_gain`: yes, beside a random part of equal size |

# %% [markdown]
# ## In your own words
#
# **1.** Somebody shows that a model answers much better with eight examples, and concludes: "it learns the task from the examples." Which two controls do you ask for, and what would each outcome mean?

# %% [markdown] answer="learned_or_recognised" points=2
# ### BEGIN SOLUTION
# 1 point: examples with wrong answers (of another task, or random ones) in the same form. If they help as much, the model takes only the form and the set of answers from the examples, not what goes with what.
# 1 point: examples of a task that training cannot have held (a mapping drawn anew). If right examples help there, it is learned on the spot; if only for known tasks, it is recognised. (Also good: zero-shot with a
# description, the same number of tokens of other text.)
# ### END SOLUTION

# %% [markdown]
# **2.** In a zero-shot test with candidates "yes" and "no, in the hospital", the model always says "yes". Name the likely reason, and what you change. Why can that change be wrong as well?

# %% [markdown] answer="long_candidates" points=2
# ### BEGIN SOLUTION
# 1 point: scores are sums of log-probabilities, and each further token makes the sum smaller, so the short candidate wins; divide by the number of tokens, or subtract log p of the candidate after a neutral prompt.
# 1 point: per token, a long candidate with words that are sure once it has begun gets too much, as its easy tokens count as much as the one that decides; subtracting the neutral score depends on the neutral prompt
# chosen, and makes rare candidates win. The way has to be chosen on other questions than the test's, and reported.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Radford et al. 2019, [Language Models are Unsupervised Multitask Learners](https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf), section 2: how tasks become text.
# - Brown et al. 2020, [Language Models are Few-Shot Learners](https://arxiv.org/abs/2005.14165), sections 2 and 5, and appendix G: every prompt in full.
# - Min et al. 2022, [Rethinking the Role of Demonstrations](https://arxiv.org/abs/2202.12837): what examples tell, if not the labels.
# - McCann et al. 2018, [The Natural Language Decathlon](https://arxiv.org/abs/1806.08730): ten tasks as questions.
