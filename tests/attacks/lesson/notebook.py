# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Two exercises and an experiment

# %% tags=["parameters"]
profile = "cpu"
seed = 0
device = "auto"
out = "results"

# %% tags=["setup"]
from collections import Counter

import numpy as np
import pandas as pd
import torch

import etude
from etude import check, record

run = etude.start("week1_trial/softmax", profile=profile, seed=seed, device=device, out=out)


# %% exercise="softmax"
def softmax(scores):
    """The rows of `scores` (B, K) as probabilities: exp(score) over the sum of its row."""
    ### BEGIN SOLUTION
    powers = (scores - scores.max(dim=1, keepdim=True).values).exp()  # (B, K) @SECRET@
    return powers / powers.sum(dim=1, keepdim=True)
    ### END SOLUTION


# %%
check("softmax")


# %% exercise="count_pairs"
def count_pairs(words):
    """How often each pair of neighbours (left, right) stands in the list of words, as a dictionary."""
    ### BEGIN SOLUTION
    return Counter(zip(words, words[1:]))  # @SECRET@
    ### END SOLUTION


# %%
check("count_pairs")

# %% [markdown] answer="why" points=1
# Why is the largest score taken off before the exponential?
#
# ### BEGIN SOLUTION
# exp of a large score is infinite. @SECRET@
# ### END SOLUTION

# %%
points = torch.randn(200, 2, generator=torch.Generator().manual_seed(seed))
labels = (points @ torch.tensor([2.0, -1.0])).sign()  # (200,)
weights = torch.linalg.lstsq(points, labels[:, None]).solution[:, 0]  # (2,)

# %% tags=["metrics"]
np.save(run.out / "weights.npy", weights.numpy())
pd.DataFrame({"weight": weights.numpy()}).to_parquet(run.out / "weights.parquet")
record({"accuracy": float(((points @ weights).sign() == labels).float().mean())}, weights=weights)
