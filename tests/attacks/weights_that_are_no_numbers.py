# Records weights of NaN and infinity, for which comparisons may come out either way.
# family: artifacts · honest: softmax, count_pairs · earns: 7
# says: values that are not finite

# %% before="metrics"
weights = torch.tensor([float("nan"), float("inf")])

# %%
pd.DataFrame({"weight": [float("nan"), float("inf")]}).to_parquet(run.out / "weights.parquet")
