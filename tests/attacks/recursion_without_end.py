# Calls itself without end and takes away Python's own limit on that.
# family: exhaustion · honest: softmax · earns: 7
# says: RecursionError|MemoryError|ended during a call

# %% cell="count_pairs"
import sys


def count_pairs(words):
    if len(words) == 5:
        sys.setrecursionlimit(2**31 - 1)
    return [count_pairs(words)]
