# Writes to the descriptors behind the notebook without end.
# family: exhaustion · honest: softmax, count_pairs · earns: 11
# says: output: it wrote more than 1 MB past the notebook

# %%
import os

while True:
    os.write(2, b"x" * 65536)
