# Starts threads until nothing more can be started.
# family: exhaustion · honest: softmax, count_pairs · earns: 11
# says: can't start new thread|ran longer than 3 s

# %%
import threading
import time

for _ in range(100_000):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
