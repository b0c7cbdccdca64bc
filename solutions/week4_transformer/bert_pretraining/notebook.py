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
# **The paper.** [Devlin et al. 2019, BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding (NAACL)](https://aclanthology.org/N19-1423).
#
# How much does the next letter of a text tell? Shannon measured it in bits: a letter that was sure to come tells nothing, a rare one
# tells much.
#
# **The claim to reproduce.** Who knows nothing needs $\log_2 27 = 4.75$ bits for each of 26 letters and the blank; who knows how
# often each of them occurs in English needs 4.03 (the paper's $F_1$). You count letters in a small planted language and see what
# that is worth on a text which you have not counted.
#
# After the piece that you write, `check("...")` tells you at once whether it is right.

# %% tags=["parameters"]
profile = "cpu"  # smoke: seconds · cpu: about a minute · gpu: full size
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
import math
from collections import Counter

import matplotlib.pyplot as plt
import torch

import etude
from etude import check, plots, record
from etude.world import World

run = etude.start("week4_transformer/bert_pretraining", profile=profile, seed=seed, device=device, out=out)
plots.style()

# %% [markdown]
# ## How often is each letter?
#
# A letter that the text happens not to hold is rare, not impossible: with probability 0 it would cost infinitely many bits where it comes
# after all. So **one is added to every count** (Laplace's rule).


# %% exercise="letter_probabilities"
def letter_probabilities(text, alphabet):
    """The probability of each letter of the alphabet, one added to every count.

    text: a string of letters of the alphabet; alphabet: a string of A different letters.
    Returns a float tensor (A,) that sums to 1.
    """
    ### BEGIN SOLUTION
    counts = torch.tensor([text.count(letter) for letter in alphabet])  # (A,)
    return (counts + 1) / (len(text) + len(alphabet))
    ### END SOLUTION


# %%
check("letter_probabilities")

# %% [markdown]
# ## The experiment
#
# Count in one text of the language, pay for each letter of another: $-\log_2 p$ bits. The control knows no text, so it takes all letters for
# equally probable.

# %%
ALPHABET = "abcdefghijklmnopqrstuvwxyz "
size = {"smoke": 5_000, "cpu": 100_000, "gpu": 1_000_000}[profile]


def text_of(seed, words):
    """A text of the planted language as a string of letters and blanks."""
    written = " ".join(word for sentence in World("en", seed=seed).corpus(words) for word in sentence)
    return "".join(letter for letter in written if letter in ALPHABET)


def bits_per_letter(probabilities, text):
    """The mean of −log₂ p over the letters of a text; probabilities (A,)."""
    ids = torch.tensor([ALPHABET.index(letter) for letter in text])  # (T,)
    return float(-probabilities[ids].log2().mean())


probabilities = letter_probabilities(text_of(seed, size), ALPHABET)  # (27,)
other = text_of(seed + 10_000, 5_000)
bits = bits_per_letter(probabilities, other)
print(f"{bits:.3f} bits a letter, {math.log2(len(ALPHABET)):.3f} without counting")

# %% [markdown]
# ## Results

# %% tags=["metrics"]
record({"bits_per_letter": bits}, probabilities=probabilities)

# %%
figure, axes = plt.subplots(figsize=(10, 4), layout="constrained")
order = probabilities.argsort(descending=True).tolist()
axes.bar([ALPHABET[i].replace(" ", "␣") for i in order], [float(probabilities[i]) for i in order])
axes.set(
    xlabel="letter", ylabel="probability", title=f"Letters are far from equally frequent: {bits:.2f} bits, not 4.75"
)
plt.show()

# %% [markdown]
# ## In your own words
#
# **1.** Shannon needs fewer bits if he may look at the letters before. Why can more letters before it never cost bits, if the probabilities are true?

# %% [markdown] answer="why_context_helps" points=1
# ### BEGIN SOLUTION
# Who knows more may always disregard it and be as well off as before. Averaged over what comes before, true conditional probabilities give
# an entropy of at most that without them: conditioning never raises it, and leaves it alone only if the letters are independent.
# ### END SOLUTION

# %% [markdown]
# ## What to read next
#
# - Shannon 1948, [A Mathematical Theory of Communication](https://doi.org/10.1002/j.1538-7305.1948.tb01338.x): where the bit comes from.
