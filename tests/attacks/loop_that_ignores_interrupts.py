# Loops for ever and ignores every interrupt.
# family: exhaustion · honest: softmax, count_pairs · earns: 7
# says: could not be interrupted|CPU time

# %% before="metrics"
import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    pass
