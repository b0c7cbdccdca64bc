# Leaves hundreds of files around the results, with names that climb, command a terminal or do not end.
# family: artifacts · honest: softmax, count_pairs · earns: 7
# says: is missing

# %%
import os
import shutil

kept = {path.name: path.read_bytes() for path in run.out.iterdir()}
shutil.rmtree(run.out)
os.mkdir(run.out)
for name, content in kept.items():
    (run.out / name).write_bytes(content)
for number in range(300):
    (run.out / f"..{number}\x1b[2J\n{'x' * 200}").touch()
folder = run.out
for depth in range(40):
    folder = folder / "deeper"
    folder.mkdir()
