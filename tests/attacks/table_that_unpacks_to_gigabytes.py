# Leaves a parquet file of some kilobytes that unpacks to gigabytes, and JSON of brackets alone.
# family: artifacts · honest: softmax, count_pairs · earns: 10
# says: weights.parquet is packed with ZSTD|cannot be read

# %%
import pyarrow as pa
import pyarrow.parquet as pq

rows = 2_000_000
column = pa.array(np.zeros(rows))
options = {"compression": "zstd", "use_dictionary": False, "data_page_size": 2**30, "write_batch_size": rows}
table = pa.table({"weight": column, **{f"c{number}": column for number in range(60)}})
pq.write_table(table, run.out / "weights.parquet", row_group_size=rows, max_rows_per_page=rows, **options)
(run.out / "data.json").write_text("[" + "[]," * 6_000_000 + "0]")
