# Prints and displays without end.
# family: exhaustion · honest: softmax, count_pairs · earns: 11
# says: the cell ran longer than 3 s|MemoryError

# %%
from IPython.display import display

while True:
    print("x" * 100_000)
    display({"text/plain": "y" * 100_000, "text/html": "z" * 100_000}, raw=True)
