"""Skip-gram with subword information, fast, in plain torch.

Trains word vectors as in Bojanowski, Grave, Joulin and Mikolov 2017, "Enriching Word Vectors with Subword Information"
(below: the paper): a word is made of a row of its own and of the rows of its character n-grams, which are found by
hashing, so words that were never seen have vectors too. N-grams, hash, layout of the table and update are those of the
authors' program; text, windows, noise and loss are those of etude.embeddings.sgns. This module knows words and counts only:
nothing of files, of tokenisation or of how vectors are judged.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, fields

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from etude.embeddings import sgns
from etude.embeddings.tiles import Tiles, bands
from etude.strings import check_string


def ngrams(word: str, smallest: int = 3, largest: int = 6) -> list[str]:
    """Lists the character n-grams of `<word>`, n = smallest..largest, in the authors' order: by start, then by length.

    Characters are Unicode's, not bytes. The whole `<word>` is among them where it is short enough; the marks alone
    never are. The paper's section 3.2.

    Raises:
        ValueError: the word is no string.
    """
    check_string(word, "word")
    marked = f"<{word}>"
    return [
        marked[start : start + n]
        for start in range(len(marked))
        for n in range(smallest, min(largest, len(marked) - start) + 1)
        if n > 1 or 0 < start < len(marked) - 1
    ]


def fnv1a(text: str) -> int:
    """Hashes the UTF-8 bytes by 32-bit FNV-1a, each byte taken as a signed number, as in the authors' program.

    The sign matters for bytes from 128 on, so for all that is not ASCII: plain FNV-1a gives other numbers there.

    Raises:
        ValueError: the text is no string, or holds half of a surrogate pair, which is no character.
    """
    check_string(text, "text")
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"the text {text!r} holds half of a surrogate pair, {text[error.start]!r}, which has no bytes in UTF-8: "
            "read the text anew with the encoding it was written in"
        ) from None
    value = 2166136261
    for byte in encoded:
        signed = byte if byte < 128 else byte | 0xFFFFFF00  # the sign fills the upper 24 bits
        value = ((value ^ signed) * 16777619) & 0xFFFFFFFF
    return value


@dataclass(frozen=True)
class Subwords:
    """Which rows of the table make a word: row i for the word i of V, then V + hash for each of its n-grams."""

    index: dict[str, int]  # word → i
    smallest: int
    largest: int
    buckets: int

    def rows(self, word: str) -> list[int]:
        """Lists the rows of any word; one that is not in the vocabulary has no row of its own, only n-grams.

        Raises:
            ValueError: the word is no string, or holds half of a surrogate pair, which is no character.
        """
        check_string(word, "word")
        own = [self.index[word]] if word in self.index else []
        first = len(self.index)
        return own + [first + fnv1a(gram) % self.buckets for gram in ngrams(word, self.smallest, self.largest)]


@dataclass(frozen=True)
class Embeddings(sgns.Embeddings):
    """What training gives: beside the vectors of the words, the table, (V + buckets, dim), they are the means of."""

    table: Tensor
    subwords: Subwords

    def vector(self, word: str) -> Tensor:
        """Computes the vector of any word, (dim,): the mean of its rows (in the paper the sum, which points the same way).

        A word without any n-gram (shorter than `smallest`) that is not in the vocabulary has the vector 0.

        Raises:
            ValueError: the word is no string, or holds half of a surrogate pair, which is no character.
        """
        rows = self.subwords.rows(word)
        return self.table[rows].mean(dim=0) if rows else torch.zeros(self.table.shape[1])


@dataclass(frozen=True)
class Bags:
    """The groups of all words end to end, (R,): those of word i are groups[first[i] : first[i] + size[i]]."""

    groups: Tensor  # (R,) 0..G-1
    weight: Tensor  # (R,) float32: which part of the word's rows is in the group
    first: Tensor  # (V,)
    size: Tensor  # (V,)

    def to(self, device: torch.device) -> Bags:
        return Bags(*(getattr(self, field.name).to(device) for field in fields(self)))

    def of(self, words: Tensor) -> Bags:
        """Picks the bags of some words, (U,) ids, in their order."""
        size = self.size.index_select(0, words)
        first = size.cumsum(0) - size
        shift = (self.first.index_select(0, words) - first).repeat_interleave(size)
        place = shift.add_(torch.arange(len(shift), device=words.device))
        return Bags(self.groups.index_select(0, place), self.weight.index_select(0, place), first, size)

    def mean(self, table: Tensor) -> Tensor:
        """Computes the mean of each word's rows, (U, dim), where `table`, (G, dim), holds the mean of each group's."""
        return embedding_bag(self.groups, table, self.first, mode="sum", per_sample_weights=self.weight)

    def spread(self, change: Tensor) -> Tensor:
        """Hands a change for each word, (U, dim), to each of its groups, (R, dim)."""
        return change.repeat_interleave(self.size, dim=0)


def grouped(words: list[str], subwords: Subwords) -> tuple[Tensor, Tensor, Bags]:
    """Groups the rows that any word has.

    Two rows are in one group if the same words have them, equally often. A word's whole gradient goes to each of its
    rows (see `update`), so the rows of a group always move together, and training their mean gives the same vectors
    with fewer rows to fetch and to change in each step: in short texts, where many n-grams stand in one word only, with
    several times fewer.

    Returns:
        The rows that any word has, (N,), the group of each, (N,), and the words' bags of groups.
    """
    owners: dict[int, list[int]] = defaultdict(list)  # row → its words, each as often as it has the row
    rows = [subwords.rows(word) for word in words]
    for word, own in enumerate(rows):
        for row in own:
            owners[row].append(word)
    number: dict[tuple[int, ...], int] = {}  # the words of a group → its number
    group = torch.tensor([number.setdefault(tuple(having), len(number)) for having in owners.values()])
    bags: list[list[int]] = [[] for _ in words]
    for having, group_id in number.items():
        for word in having:
            bags[word].append(group_id)
    groups, size = (
        torch.tensor([group_id for bag in bags for group_id in bag]),
        torch.tensor([len(bag) for bag in bags]),
    )
    weight = group.bincount()[groups] / torch.tensor([len(own) for own in rows]).repeat_interleave(size)
    return torch.tensor(list(owners)), group, Bags(groups, weight, size.cumsum(0) - size, size)


def group_means(table: Tensor, rows: Tensor, group: Tensor) -> Tensor:
    """Computes the mean of each group's rows of `table`, (G, dim); `rows` and `group`, (N,), are those of `grouped`."""
    members = group.bincount()[:, None]
    return torch.zeros(len(members), table.shape[1], device=table.device).index_add_(0, group, table[rows]) / members


def shared(share: Tensor, bags: Bags) -> Tensor:
    """Computes how far a word's vector moves with the average occurrence of any word, (V,), next to its own.

    An occurrence moves every word by the part of that word's rows that the two have in common: the whole for the word
    itself, so that this is `share`, (V,), for words that have nothing in common.
    """
    used = torch.zeros(int(bags.groups.max()) + 1).index_add_(0, bags.groups, bags.spread(share).float())
    return bags.mean(used[:, None])[:, 0]


def update(
    means: Tensor, contexts: Tensor, bags: Bags, part: Tiles, band: Tensor, rate: float, *, measure: bool
) -> Tensor | None:
    """Takes one step of gradient descent on S tiles, in place.

    Every row of a word takes the word's whole gradient, as in the authors' program: then the mean of its rows moves as far
    as its vector in word2vec would. (The gradient of a mean of n rows would be an n-th of it.)

    Args:
        means: (G, dim), the mean of each group of rows.
        measure: whether to compute the loss.

    Returns:
        The tiles' loss where asked for.
    """
    words, inputs = part.inputs.unique(return_inverse=True)  # (U,), (S, T)
    used = bags.of(words)
    vectors = used.mean(means)  # (U, dim)
    local = Tiles(inputs, part.outputs, part.reach, part.weight)
    d_in, d_out, loss = sgns.gradients(vectors, contexts, local, band, with_loss=measure)
    d_words = torch.zeros_like(vectors)
    sgns.add_rows(d_words, inputs, d_in)
    sgns.add_rows(means, used.groups, used.spread(d_words.mul_(-rate)))
    sgns.add_rows(contexts, part.outputs, d_out.mul_(-rate))
    return loss


def train(
    corpus: list[list[str]], *, dim: int = 100, window: int = 5, negatives: int = 5, epochs: int = 5,
    min_count: int = 5, subsample: float = 1e-3, lr: float = 0.025, smallest: int = 3, largest: int = 6,
    buckets: int = 2_000_000, seed: int = 0, device: str = "cpu", progress: bool = True,
) -> Embeddings:  # fmt: skip
    """Trains word vectors with subword information on tokenised sentences.

    Everything else than the n-grams is as in `sgns.train`, the same seed's same vectors too.

    Args:
        smallest: characters of the shortest n-grams.
        largest: characters of the longest n-grams.
        buckets: rows of 4 * dim bytes that the n-grams share, by default as many as in the paper.

    Raises:
        ValueError: a value, the corpus or the device cannot be used, a word holds half of a surrogate pair, or training
            diverges.
    """
    if not 1 <= smallest <= largest or buckets < 1:
        raise ValueError(
            f"n-grams of {smallest} to {largest} characters in {buckets} buckets make no sense: "
            "smallest must be at least 1, largest not below it, and one bucket is needed"
        )
    vocabulary, place, random = sgns.checked(
        corpus, dim=dim, window=window, negatives=negatives, epochs=epochs, min_count=min_count, subsample=subsample,
        lr=lr, seed=seed, device=device,
    )  # fmt: skip
    subwords = Subwords(vocabulary.index, smallest, largest, buckets)
    rows, group, bags = grouped(vocabulary.words, subwords)
    batch = sgns.batch_size(shared(vocabulary.share(subsample), bags))
    rows, group, band = (part.to(place) for part in (rows, group, bands(window)))
    bags = bags.to(place)
    table = sgns.starting_vectors(len(vocabulary.words) + buckets, dim, random)  # (V + buckets, dim)
    start = group_means(table, rows, group)  # (G, dim)
    means = start.clone()
    contexts = torch.zeros(len(vocabulary.words), dim, device=place)  # (V, dim)

    def step(part: Tiles, rate: float, measure: bool) -> Tensor | None:
        return update(means, contexts, bags, part, band, rate, measure=measure)

    losses, speed = sgns.descend(
        step, contexts, vocabulary, corpus, batch=batch, window=window, negatives=negatives, epochs=epochs,
        subsample=subsample, lr=lr, random=random, progress=progress,
    )  # fmt: skip
    table[rows] += (means - start)[group]
    return Embeddings(vocabulary.words, bags.mean(means).cpu(), contexts.cpu(), losses, speed, table.cpu(), subwords)
