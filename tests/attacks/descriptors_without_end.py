# Opens pipes until there are no descriptors left for anybody in its sandbox, and gives back too few of them.
# family: exhaustion · honest: softmax, count_pairs · earns: 11
# says: Too many open files

# %%
import os

opened = []
try:
    while True:
        opened += os.pipe()
finally:
    for descriptor in opened[-60:]:
        os.close(descriptor)
