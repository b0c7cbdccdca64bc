# Records weights that no training has found: somebody has told them.
# family: artifacts · honest: softmax, count_pairs · earns: 11 · deserves: 7
# says: nothing

# %% before="metrics"
weights = torch.tensor([2.0, -1.0])
