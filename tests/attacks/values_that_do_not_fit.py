# Answers with values made to hurt whoever reads them: deep, colliding, too long, of a terabyte that is one number expanded.
# family: talking on the line · honest: nothing · earns: 4
# says: CodecError: .*(too deep|same hash|too large)

# %% cell="softmax"
def softmax(scores):
    return torch.full(scores.shape, float("nan"))


# %% cell="count_pairs"
import itertools


def deep():
    value = []
    for _ in range(10_000):
        value = [value]
    return value


values = itertools.cycle(
    [
        lambda: 10**3000,
        deep,
        lambda: {i * (2**61 - 1): 0 for i in range(5_000)},
        lambda: torch.zeros(1).expand(2**40),
        lambda: [0] * 10_000_000,
        lambda: "\ud800" * 10_000_000,
        lambda: {float("nan"): 1, float("inf"): 2},
    ]
)


def count_pairs(words):
    return next(values)()
