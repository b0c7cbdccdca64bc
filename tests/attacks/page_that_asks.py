# Asks whoever runs the notebook to type something, and waits.
# family: display · honest: softmax, count_pairs · earns: 11
# says: StdinNotImplementedError

# %%
import getpass

try:
    input("The password of the grader: ")
finally:
    getpass.getpass("Again: ")
