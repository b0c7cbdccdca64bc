"""Answers to the lesson that is attacked. @SECRET@"""

from grader.lessons.bank import alternative, mistake


@mistake(
    "softmax",
    "over-the-rows",
    "the sum runs over the rows in place of the scores of a row",
    killed_by="test_equal_scores_share_equally",
)
def softmax(scores):
    return scores.exp() / scores.exp().sum(dim=0, keepdim=True)


@alternative("softmax", "log-sum-exp")
def softmax(scores):
    return (scores - scores.logsumexp(dim=1, keepdim=True)).exp()


@mistake(
    "count_pairs",
    "both-directions",
    "each pair is counted in both directions",
    killed_by="test_the_pairs_of_a_short_sentence",
)
def count_pairs(words):
    return Counter(zip(words, words[1:])) + Counter(zip(words[1:], words))


@alternative("count_pairs", "dictionary")
def count_pairs(words):
    counts = {}
    for i in range(len(words) - 1):
        counts[words[i], words[i + 1]] = counts.get((words[i], words[i + 1]), 0) + 1
    return counts
