# Names and prints what commands a terminal or rich's markup would obey, in messages that a person reads.
# family: display · honest: softmax · earns: 7
# says: \\x1b\]0;owned

# %% cell="count_pairs"
bad = "\x1b]0;owned\x07\x1b[2J\x1bc\x9b31m\u202e[bold red]all passed[/] [link=file:///etc/passwd]\r"
print(bad)


def count_pairs(words):
    raise type(bad, (Exception,), {})(bad)
