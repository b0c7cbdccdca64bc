# Takes memory until there is none, in many processes at once and in shared memory.
# family: exhaustion · honest: softmax, count_pairs · earns: 11
# says: memory: its processes held|MemoryError|SIGKILL|ran longer than 3 s

# %%
import os

for _ in range(2):
    os.fork()
kept = []
while True:
    kept.append(b"x" * 2**27)
