"""polysemy: hidden checks and the metrics that the grader computes itself. Never released."""

import functools
import math
import random
from collections import Counter

import numpy as np
import scipy.stats
import torch
from hypothesis.strategies import DrawFn, composite, integers, lists, sampled_from
from sklearn.cluster import KMeans
from sklearn.metrics.cluster import contingency_matrix

from etude.lesson.checks import close, equal, exercise, true
from etude.lesson.interface import Student
from etude.lesson.values import plain
from etude.world import World
from grader.grading.artifacts import Artifacts
from grader.grading.metrics import metric
from grader.lessons import inputs
from grader.lessons.generated import for_all

ALIKE = ["us", "Us", "US", " us", "us ", "us.", "", "3", "03", "ﬁ", "fi", "ß", "ss", "café", "cafe\u0301", "눈", "\u1102\u116e\u11ab", "[UNK]", "<unk>", "\n", "us,3"]  # fmt: skip
TOKENS = (36_000, 120_000, 2_000_000)  # of the profiles


def _normal(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@exercise("embed")
def test_a_large_table_agrees_with_torch(student: Student) -> None:
    words, table = [f"w{i}" for i in range(40)], _normal(40, 5, seed=1)
    ids = torch.randint(0, 40, (60,), generator=torch.Generator().manual_seed(2))
    handle = student.put(table.clone())
    close(
        student.embed(handle, words, [f"w{i}" for i in ids.tolist()]),
        torch.nn.functional.embedding(ids, table),
        given="60 tokens of a table of 40 words",
    )
    close(student.value(handle), table, given="the table, after looking up 60 tokens")


@exercise("embed")
@for_all(
    words=lists(sampled_from(ALIKE), min_size=1, max_size=6, unique=True),
    tokens=lists(sampled_from(ALIKE), max_size=6),
    table=inputs.tables(6, 2),
)
def test_any_tokens_have_the_rows_of_brute_force(
    student: Student, words: list[str], tokens: list[str], table: torch.Tensor
) -> None:
    rows = [[table[words.index(t), c].item() if t in words else 0.0 for c in range(2)] for t in tokens]
    close(student.embed(table[: len(words)], words, tokens), np.array(rows).reshape(len(tokens), 2))


@exercise("embed", points=0.5)
def test_the_last_of_many_words_has_its_row(student: Student) -> None:
    words = [f"w{i}" for i in range(700)]
    found = student.embed(torch.arange(1400.0).reshape(700, 2), words, ["w699", "w256", "w0", "w700"])
    close(found, [[1398, 1399], [512, 513], [0, 1], [0, 0]], given="w699 w256 w0 w700 in a table of w0 … w699")


@exercise("embed", points=0.5)
def test_an_empty_sentence_has_no_rows_but_all_columns(student: Student) -> None:
    close(student.embed(torch.ones(3, 4), ["a", "b", "c"], []), torch.zeros(0, 4), given="no tokens; a table of 3 × 4")


@exercise("embed", points=0.5)
def test_words_that_differ_in_one_sign_have_rows_of_their_own(student: Student) -> None:
    table, words = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), ["us", "Us"]
    close(student.embed(table, words, ["Us"]), [[3.0, 4.0]], given="the words us and Us; the token Us")
    close(
        student.embed(table, words, ["US", "us"]),
        [[0.0, 0.0], [1.0, 2.0]],
        given="the words us and Us; the tokens US us",
    )
    near = ["us", " us", "", "café", "cafe\u0301"]
    close(
        student.embed(torch.eye(5), near, near),
        torch.eye(5),
        given="us, ' us', '' and café with é as one sign and as two",
    )
    table, words = torch.tensor([[1.0], [2.0], [3.0], [4.0]]), ["[UNK]", "<unk>", "<pad>", "눈"]
    found = student.embed(table, words, ["배", "<unk>", "[UNK]", "눈"])
    close(
        found,
        [[0.0], [2.0], [1.0], [4.0]],
        given="the words [UNK] <unk> <pad> 눈, vectors of one number; 배 <unk> [UNK] 눈",
    )
    close(student.embed(table, words, ["눈"]), [[4.0]], given="the same words; the token 눈 alone")


@exercise("topic_entropy")
def test_random_lists_agree_with_scipy(student: Student) -> None:
    draw = random.Random(4)
    for size, letters in ((3, "abcdef"), (10, "abcdef"), (57, "abcdef"), (90, "abcdefghijklmnop")):
        topics = [draw.choice(letters) for _ in range(size)]
        shares = np.unique(topics, return_counts=True)[1] / size
        close(student.topic_entropy(topics), scipy.stats.entropy(shares, base=2), given=" ".join(topics))


@exercise("topic_entropy")
@for_all(topics=lists(sampled_from(ALIKE[:4]) | sampled_from(ALIKE), max_size=12))
def test_any_list_has_the_entropy_of_its_shares(student: Student, topics: list[str]) -> None:
    shares = [topics.count(topic) / len(topics) for topic in set(topics)]
    close(student.topic_entropy(topics), -sum(share * math.log2(share) for share in shares))


@exercise("topic_entropy", points=0.5)
def test_many_topics_and_very_unequal_shares_have_an_entropy(student: Student) -> None:
    close(student.topic_entropy([str(i) for i in range(256)]), 8.0, given="256 different topics")
    expected = 1e-4 * math.log2(1e4) - 0.9999 * math.log2(0.9999)
    close(student.topic_entropy(["a"] * 9_999 + ["b"]), expected, given="9,999 times a and once b")
    expected = 1e-5 * math.log2(1e5) - 0.99999 * math.log2(0.99999)
    found = student.topic_entropy(["a"] * 50_000 + ["b"] + ["a"] * 49_999)
    close(found, expected, given="99,999 times a, once b among them", rtol=1e-3, atol=0)


@exercise("topic_entropy", points=0.5, needs="test_unequal_shares_follow_the_formula")
def test_an_empty_list_has_no_entropy(student: Student) -> None:
    close(student.topic_entropy([]), 0.0, given="an empty list")


@exercise("topic_entropy", points=0.5)
def test_topics_that_differ_in_one_sign_are_different_topics(student: Student) -> None:
    given = "sea, Sea, ' sea' and an empty topic"
    close(student.topic_entropy(["sea", "Sea", " sea", ""]), 2.0, given=given)


@exercise("mixture", points=2)
def test_random_mixtures_agree_with_numpy(student: Student) -> None:
    for senses, seed in ((1, 0), (2, 1), (4, 2)):
        rows, vector = _normal(senses, 9, seed=seed), _normal(9, seed=seed + 10)
        expected = np.linalg.lstsq(rows.T.double().numpy(), vector.double().numpy(), rcond=None)[0]
        rebuilt = expected @ rows.double().numpy()
        cosine = rebuilt @ vector.double().numpy() / np.linalg.norm(rebuilt) / float(vector.double().norm())
        weights, found = student.mixture(vector, rows)
        close(weights, expected, rtol=1e-3, atol=1e-5, given=f"a random vector of 9 numbers and {senses} random senses")
        close(found, cosine, rtol=1e-3, given="the cosine of the same")


@exercise("mixture")
@for_all(
    seed=integers(0, 10**6),
    size=integers(1, 4),
    more=integers(1, 3),
    long=sampled_from([1.0, 1e-4, 1e3]),
    far=sampled_from([1.0, -1.0, 1e-3, 1e3]),
    examples=40,
)
def test_any_mixture_agrees_with_numpy_however_long_its_rows(
    student: Student, seed: int, size: int, more: int, long: float, far: float
) -> None:
    rows = torch.eye(size, size + more) * 2 + _normal(size, size + more, seed=seed).clamp(-2, 2) / 2
    rows, vector = rows * long, _normal(size + more, seed=seed + 1) * far
    exact = rows.double().numpy()
    expected = np.linalg.lstsq(exact.T, vector.double().numpy(), rcond=None)[0]
    rebuilt = expected @ exact
    share = np.linalg.norm(rebuilt) / float(vector.double().norm())
    if np.linalg.cond(exact) > 20 or share < 0.1:
        return  # of what is nearly lost in rounding nothing is asked
    weights, found = student.mixture(vector, rows)
    close(weights, expected, rtol=1e-3, atol=1e-3 * float(np.abs(expected).max()))
    close(found, share, atol=1e-3)


@exercise("mixture", points=0.5)
def test_the_cosine_is_a_plain_number(student: Student) -> None:
    _, cosine = student.mixture(torch.tensor([1.0, 2.0]), torch.tensor([[1.0, 0.0]]))
    true(
        isinstance(plain(cosine), float), "a float was expected", given="vector (1, 2), one sense (1, 0)", actual=cosine
    )


@exercise("context_vector", points=2)
def test_random_texts_agree_with_brute_force(student: Student) -> None:
    vectors, weights = _normal(12, 4, seed=3), torch.rand(12, generator=torch.Generator().manual_seed(4))
    ids = torch.randint(0, 12, (15,), generator=torch.Generator().manual_seed(5)).tolist()
    for position, window in [(0, 1), (1, 3), (7, 5), (14, 4), (13, 40)]:
        total, norm = np.zeros(4), 0.0
        for place, word in enumerate(ids):
            if 0 < abs(place - position) <= window:
                total += float(weights[word]) * vectors[word].numpy()
                norm += float(weights[word])
        close(
            student.context_vector(vectors, weights, ids, position, window),
            total / norm,
            rtol=1e-3,
            atol=1e-5,
            given=f"15 random words, position {position}, window {window}",
        )
    close(
        student.context_vector(torch.tensor([[2.0], [5.0]]), torch.ones(2), [0, 1, 1], 1, 1),
        [3.5],
        given="vectors of one number, 2 and 5; ids 0 1 1, position 1, window 1",
    )


@exercise("context_vector")
@for_all(
    vectors=inputs.tables(4, 2),
    weights=lists(sampled_from([0.0, 0.125, 0.5, 1.0, 2.0]), min_size=4, max_size=4),
    ids=lists(sampled_from([0, 0, 1, 2, 3]), min_size=1, max_size=8),
    where=integers(0, 7),
    window=integers(0, 8),
)
def test_any_text_agrees_with_brute_force(
    student: Student, vectors: torch.Tensor, weights: list[float], ids: list[int], where: int, window: int
) -> None:
    position = where % len(ids)
    around = [word for place, word in enumerate(ids) if 0 < abs(place - position) <= window]
    total = sum(weights[word] for word in around)
    mean = sum((weights[word] * vectors[word].double().numpy() for word in around), np.zeros(2)) / (total or 1)
    close(student.context_vector(vectors, torch.tensor(weights), ids, position, window), mean, atol=1e-5)


@exercise("context_vector", points=0.5)
def test_wide_windows_no_window_and_tiny_weights(student: Student) -> None:
    ids = [0] * 60 + [1] + [2] * 20
    expected = [0.75, 0, 0.25]
    weights = torch.full((3,), 1e-6)
    given = "60 times word 0, then 1, then 20 times 2; all weights 1e-6; position 60"
    close(student.context_vector(torch.eye(3), weights, ids, 60, 100), expected, given=f"{given}, window 100")
    close(student.context_vector(torch.eye(3), weights, ids, 60, 0), [0, 0, 0], given=f"{given}, window 0")


@exercise("context_vector", points=0.5)
def test_neighbours_that_weigh_nothing_give_zeros(student: Student) -> None:
    weights = torch.tensor([0.0, 1.0])
    close(
        student.context_vector(torch.ones(2, 3), weights, [0, 1, 0], 1, 2),
        [0.0, 0.0, 0.0],
        given="ids 0 1 0, position 1; word 0 weighs nothing",
    )
    close(
        student.context_vector(torch.ones(2, 1), weights, [0, 1, 0], 1, 2),
        [0.0],
        given="the same with vectors of one number",
    )


@exercise("context_vector", points=0.5, needs="test_each_neighbour_weighs_what_its_word_weighs")
def test_the_table_and_the_text_are_left_alone(student: Student) -> None:
    vectors, ids = _normal(5, 3, seed=8), [0, 1, 2, 3, 4]
    table, text = student.put(vectors.clone()), student.put(list(ids))
    student.context_vector(table, torch.ones(5), text, 2, 2)
    close(student.value(table), vectors, given="the vectors, after a context of position 2")
    equal(student.value(text), ids, given="the ids, after a context of position 2")


@exercise("kmeans", points=1.5)
def test_random_points_agree_with_scikit_learn(student: Student) -> None:
    for shape, k, seed in (((60, 3), 2, 0), ((60, 3), 3, 1), ((60, 3), 5, 2), ((90, 2), 12, 16)):  # the last: 13 rounds
        points = _normal(*shape, seed=seed)
        start = points[:k].clone()
        oracle = KMeans(k, init=start.numpy(), n_init=1, max_iter=300, tol=0, algorithm="lloyd").fit(points.numpy())
        centroids, labels = student.kmeans(points, start, steps=100)
        equal(
            [int(label) for label in labels], oracle.labels_.tolist(), given=f"{shape[0]} random points, {k} centroids"
        )
        close(centroids, oracle.cluster_centers_, rtol=1e-3, atol=1e-5, given="the centroids of the same")


def lloyd(points: np.ndarray, centroids: np.ndarray, steps: int) -> tuple[np.ndarray, list[int], bool]:
    """(centroids, labels, safe) by brute force; safe: from the second round on no two centroids were nearly as near."""
    centroids, labels, safe = centroids.copy(), [], True
    for step in range(steps):
        squared = ((points[:, None] - centroids[None]) ** 2).sum(axis=2)  # (N, K)
        labels = [int(row.argmin()) for row in squared]
        for row in squared:
            nearest = np.sort(row)[:2]
            safe &= step == 0 or len(nearest) < 2 or nearest[1] - nearest[0] > 1e-3 * max(nearest[1], 1e-3)
        for k in set(labels):
            centroids[k] = points[[label == k for label in labels]].mean(axis=0)
    return centroids, labels, bool(safe)


@composite
def _clouds(draw: DrawFn) -> tuple[torch.Tensor, torch.Tensor]:
    """Points (N, 2) and where centroids start (K, 2), in eighths: ties, equal points, equal centroids, more centroids than points."""
    pairs = [(0, 0), (1, 0), (2, 0), (4, 0), (0, 4), (3, 5), (-6, 1), (16, -2), (-1, -1)]
    points = draw(lists(sampled_from(pairs), min_size=1, max_size=9))
    start = draw(lists(sampled_from(pairs), min_size=1, max_size=4))
    return torch.tensor(points) / 8, torch.tensor(start) / 8


@exercise("kmeans")
@for_all(cloud=_clouds(), steps=integers(1, 6))
def test_any_points_agree_with_brute_force(
    student: Student, cloud: tuple[torch.Tensor, torch.Tensor], steps: int
) -> None:
    points, start = cloud
    centroids, labels, safe = lloyd(points.double().numpy(), start.double().numpy(), steps)
    if not safe:
        return  # rounding would decide
    found, chosen = student.kmeans(points, start, steps=steps)
    equal([int(label) for label in chosen], labels)
    close(found, centroids, rtol=1e-3, atol=1e-5)


def _creeping(between: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Two crowds of 300 with so many points between them, and where two centroids start."""
    single = np.zeros(between)
    for _ in range(50):
        borders = [
            (np.mean([-5.0] * 300 + list(single[:k])) + np.mean([5.0] * 300 + list(single[k:]))) / 2
            for k in range(between + 1)
        ]
        single = np.array([borders[0] - 0.005, *(np.add(borders[: between - 1], borders[1:between]) / 2)])
    points = torch.tensor([[x] for x in (*[-5.0] * 300, *[5.0] * 300, *single.tolist())])
    return points, torch.tensor([[-5.0], [5.0 + 2 * float(borders[0])]])


@exercise("kmeans", needs="test_two_groups_on_a_line_are_found")
def test_centroids_that_creep_are_followed_to_the_end(student: Student) -> None:
    # Two crowds of 300 and single points between them, so placed that the left centroid wins one in each round.
    points, start = _creeping(12)
    for scale in (1.0, 2.0**-10, 2.0**-30):
        centroids, labels, _ = lloyd(points.double().numpy(), start.double().numpy(), 20)
        found, chosen = student.kmeans(points * scale, start * scale, steps=20)
        equal([int(label) for label in chosen], labels, given=f"two crowds, times {scale:g}")
        close(found / scale, centroids, rtol=1e-4, given="the centroids")
    points, start = _creeping(70)
    centroids, labels, safe = lloyd(points.double().numpy(), start.double().numpy(), 50)
    assert safe, "rounding would decide"
    found, chosen = student.kmeans(points, start)
    given = "two crowds and 70 points between them, of which one goes over in each round; steps not said, so 50"
    equal([int(label) for label in chosen], labels, given=given)
    close(found, centroids, rtol=1e-4, atol=1e-4, given=f"{given}: the centroids")


@exercise("kmeans")
def test_two_rounds_agree_with_brute_force(student: Student) -> None:
    points = _normal(30, 2, seed=6)
    centroids = [points[i].numpy() for i in (3, 4, 5)]
    for _ in range(2):
        labels = [min(range(3), key=lambda k: float(((p.numpy() - centroids[k]) ** 2).sum())) for p in points]
        centroids = [points[[i for i, label in enumerate(labels) if label == k]].numpy().mean(axis=0) for k in range(3)]
    found, chosen = student.kmeans(points, points[3:6].clone(), steps=2)
    equal(
        [int(label) for label in chosen],
        labels,
        given="30 random points, centroids start at points 3, 4 and 5; 2 steps",
    )
    close(found, np.stack(centroids), rtol=1e-3, atol=1e-5, given="the centroids after 2 steps")


@exercise("kmeans", points=0.5)
def test_near_points_far_from_the_origin_are_told_apart(student: Student) -> None:
    points = torch.tensor([[100_000.0], [100_000.5], [100_002.0], [100_020.0]])
    centroids, labels = student.kmeans(points, torch.tensor([[100_002.5], [100_000.0], [100_019.0]]), steps=2)
    given = "points 100,000 plus 0, ½, 2 and 20; centroids start at 100,000 plus 2½, 0 and 19; 2 steps"
    equal([int(label) for label in labels], [1, 1, 0, 2], given=given)
    close(centroids, [[100_002], [100_000.25], [100_020]], rtol=1e-6, given=f"the centroids of {given}")
    points, start = points.double() + 1e9 - 1e5, torch.tensor([[1e9 + 2.5], [1e9], [1e9 + 19]], dtype=torch.float64)
    centroids, labels = student.kmeans(points, start, steps=2)
    given = "the same in float64 with 1,000,000,000 in place of 100,000"
    equal([int(label) for label in labels], [1, 1, 0, 2], given=given)
    close(centroids, [[1e9 + 2], [1e9 + 0.25], [1e9 + 20]], rtol=1e-12, atol=0.01, given=f"the centroids of {given}")


@exercise("purity")
@for_all(
    pairs=lists(
        lists(sampled_from([0, 0, 1, -1, -2, 7, 300, 2**24, 2**24 + 1, 2**40]), min_size=2, max_size=2),
        min_size=1,
        max_size=10,
    ),
    form=sampled_from(["lists", "tensors"]),
)
def test_any_groups_agree_with_counting(student: Student, pairs: list[list[int]], form: str) -> None:
    labels, senses = [a for a, _ in pairs], [b for _, b in pairs]
    right = sum(
        max(Counter(s for g, s in zip(labels, senses, strict=True) if g == group).values()) for group in set(labels)
    )
    given = (labels, senses) if form == "lists" else (torch.tensor(labels), torch.tensor(senses))
    close(student.purity(*given), right / len(pairs))


@exercise("purity", points=0.5, needs="test_each_group_counts_its_most_frequent_sense")
def test_hundreds_of_items_in_a_group_are_counted_whole(student: Student) -> None:
    labels, senses = [0] * 700 + [1] * 300, [1] * 400 + [0] * 300 + [0] * 299 + [1]
    close(student.purity(labels, senses), 0.699, given="group 0: 400 ones, 300 zeros; group 1: 299 zeros, a one")
    labels, senses = [0, 1, 0, 10, 1, 0], [1000, 0, 10, 0, 10**9, 100]
    close(student.purity(labels, senses), 0.5, given=f"groups {labels}, senses {senses}")
    labels, senses = [2**24, 2**24 + 1] * 2, [2**24 + 1, 2**24, 2**24, 2**24 + 1]
    close(
        student.purity(torch.tensor(labels), torch.tensor(senses)),
        0.5,
        given=f"tensors: groups {labels}, senses {senses}",
    )


@exercise("purity")
def test_random_groups_agree_with_the_table_of_scikit_learn(student: Student) -> None:
    draw = random.Random(1)
    for size, groups in ((1, 3), (9, 3), (40, 3), (90, 15)):
        labels, senses = ([draw.randrange(groups) for _ in range(size)] for _ in range(2))
        expected = contingency_matrix(senses, labels).max(axis=0).sum() / size
        close(student.purity(labels, senses), expected, given=f"groups {labels}, senses {senses}")


@exercise("purity")
def test_tensors_do_as_well_as_lists(student: Student) -> None:
    labels, senses = torch.tensor([0, 0, 1, 1, 1]), torch.tensor([1, 1, 0, 0, 1])
    found = student.purity(labels, senses)
    close(found, 0.8, given="tensors: groups 0 0 1 1 1, senses 1 1 0 0 1")
    true(isinstance(plain(found), float), "a float was expected", given="the same tensors", actual=found)
    found = student.purity([-1, -1, 0, 0], [5, 5, 5, 7])
    close(found, 0.75, given="groups −1 −1 0 0, senses 5 5 5 7")


@exercise("choose_senses")
@for_all(
    contexts=inputs.tables(6, 3),
    labels=lists(integers(0, 2), min_size=6, max_size=6),
    new=integers(0, 4).flatmap(lambda rows: inputs.tables(rows, 3)),
)
def test_any_contexts_choose_as_by_brute_force(
    student: Student, contexts: torch.Tensor, labels: list[int], new: torch.Tensor
) -> None:
    names = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    senses = torch.tensor([names[label] for label in labels])
    centroids = [contexts[senses == k].double().numpy().mean(axis=0) for k in range(len(names))]
    if any(np.linalg.norm(centroid) < 1e-3 for centroid in centroids):
        return  # no direction, no cosine
    rows = new.double().numpy()
    cosines = [
        [float(row @ c) / np.linalg.norm(row) / np.linalg.norm(c) for c in centroids] for row in rows if row.any()
    ]
    if any(len(row) > 1 and np.diff(sorted(row))[-1] < 1e-4 for row in cosines):
        return  # rounding would decide
    chosen = student.choose_senses(contexts, senses, new)
    equal([list(chosen.shape), str(chosen.dtype)], [[len(new)], "torch.int64"])
    found = [int(sense) for sense, row in zip(chosen, rows, strict=True) if row.any()]
    equal(found, [int(np.argmax(row)) for row in cosines])


@exercise("choose_senses", points=2)
def test_three_senses_agree_with_brute_force(student: Student) -> None:
    senses = torch.tensor([0, 1, 2, 2, 1, 0, 1, 2, 2, 0])
    contexts, new = _normal(10, 4, seed=9) * torch.linspace(0.5, 4, 10)[:, None], _normal(25, 4, seed=10)
    centroids = [contexts[senses == k].double().numpy().mean(axis=0) for k in range(3)]

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / math.sqrt(a @ a) / math.sqrt(b @ b))

    expected = [max(range(3), key=lambda k: cosine(one, centroids[k])) for one in new.double().numpy()]
    chosen = student.choose_senses(contexts, senses, new)
    equal([int(sense) for sense in chosen], expected, given="10 random contexts of 3 senses, 25 new ones")


@exercise("choose_senses", points=0.5)
def test_a_sense_is_chosen_on_the_far_side_by_short_contexts_and_for_none(student: Student) -> None:
    contexts, senses = torch.tensor([[0.003, 0.004], [4.0, 0.0]]), torch.tensor([0, 1])
    far, north = torch.tensor([[-1.0, -0.1]]), torch.tensor([[1.0, 0.6]])
    given = "sense 0 at (0.003, 0.004), sense 1 at (4, 0); new:"
    equal([int(sense) for sense in student.choose_senses(contexts, senses, far)], [0], given=f"{given} (−1, −0.1)")
    equal([int(sense) for sense in student.choose_senses(contexts, senses, north)], [0], given=f"{given} (1, 0.6)")
    short, new = torch.tensor([[3e-6, 4e-6], [4.0, 0.0]]), torch.tensor([[1.0, 0.6], [1e-4, 6e-5]])
    found = [int(sense) for sense in student.choose_senses(short, senses, new)]
    equal(found, [0, 0], given="sense 0 at (3e-6, 4e-6), sense 1 at (4, 0); new: (1, 0.6) and (1e-4, 6e-5)")
    none = student.choose_senses(contexts, senses, torch.empty(0, 2))
    equal([list(none.shape), str(none.dtype)], [[0], "torch.int64"], given=f"{given} none; shape and type")


@exercise("choose_senses", points=0.5)
def test_twelve_senses_are_told_apart(student: Student) -> None:
    senses = torch.arange(12).flip(0)
    chosen = student.choose_senses(torch.eye(12), senses, 2 * torch.eye(12) + 0.1)
    equal(
        [int(sense) for sense in chosen],
        senses.tolist(),
        given="contexts along twelve axes, of senses 11 … 0; new ones near the axes, in the same order",
    )


@exercise("choose_senses", points=0.5)
def test_senses_come_as_whole_numbers_and_the_contexts_stay(student: Student) -> None:
    contexts = torch.tensor([[3.0, 0.0], [0.0, 5.0]])
    handle = student.put(contexts.clone())
    chosen = student.choose_senses(handle, torch.tensor([1, 0]), torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]]))
    close(chosen, [1, 0, 1], given="sense 1 at (3, 0), sense 0 at (0, 5); new: east, north, (2, 1)")
    true("int64" in str(getattr(chosen, "dtype", "")), "an int64 tensor was expected", actual=chosen)
    close(student.value(handle), contexts, given="the contexts, after choosing")


@metric("purity_senses")
def purity_senses(artifacts: Artifacts) -> float:
    labels = artifacts.tensor("clusters", ndim=1)
    words = _planted(artifacts.seed, len(labels), testing=False)
    return float(np.mean([_purity(part, senses) for part, senses in _split(labels, words)]))


@metric("sense_accuracy")
def sense_accuracy(artifacts: Artifacts) -> float:
    chosen = artifacts.tensor("chosen", ndim=1)
    words = _planted(artifacts.seed, len(chosen), testing=True)
    return float(np.mean([np.mean(part == senses) for part, senses in _split(chosen, words)]))


def _split(values: torch.Tensor, words: list[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The part of the values that belongs to each word, with the planted senses."""
    ends = np.cumsum([len(senses) for senses in words])[:-1]
    return list(zip(np.split(values.numpy(), ends), words, strict=True))


def _purity(labels: np.ndarray, senses: np.ndarray) -> float:
    return float(contingency_matrix(senses, labels).max(axis=0).sum() / len(labels))


def _planted(seed: int, count: int, testing: bool) -> list[np.ndarray]:
    """The planted senses, word by word, of the text in whose documents on its topics the homonyms occur `count` times."""
    for tokens in TOKENS:
        words = _senses(seed, tokens, testing)
        if sum(map(len, words)) == count:
            return words
    raise ValueError(f"{count} senses were recorded, and no profile's text has as many")


@functools.lru_cache(maxsize=8)
def _senses(seed: int, tokens: int, testing: bool) -> list[np.ndarray]:
    """For each homonym, English first, its planted senses (0 or 1) in documents on its topics; testing: odd documents only."""
    found = []
    for language in ("en", "ko"):
        world = World(language, seed=seed)
        homonyms = world.homonyms()
        senses: dict[str, list[int]] = {word: [] for word in homonyms}
        for number, document in enumerate(world.documents(tokens)):
            if testing and number % 2 == 0:
                continue
            for sentence in document.sentences:
                for word in sentence:
                    for morpheme in word.morphemes:
                        topics = homonyms.get(morpheme, ())
                        if word.topic in topics and document.topic in topics:
                            senses[morpheme].append(topics.index(word.topic))
        found += [np.array(each) for each in senses.values()]
    return found
