"""Byte pair encoding of words: merges learnt from counts, words encoded by merge rank.

The algorithm is that of Gage 1994 ("A New Algorithm for Data Compression"), turned on words by Sennrich, Haddow and
Birch 2016 (arXiv:1508.07909, algorithm 1). `train_naive` is the algorithm as it is told, `train` gives the same merges and
keeps the counts of pairs up to date instead of counting anew. This module knows words and counts only: how a text is split
into words, bytes (`etude.tokenizers.byte_bpe`) and files are none of its business.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import TypeVar

CACHED = 1 << 17  # words whose ids are kept: the memory of a long text stays bounded

Pair = tuple[int, int]
Symbol = TypeVar("Symbol")
GONE = -1  # in the place of an id that was merged into its left neighbour


def train(
    words: Mapping[str, int],
    size: int,
    *,
    suffix: str = "",
    unknown: str | None = None,
    alphabet: Iterable[str] = (),
    min_count: int = 1,
) -> BPE:
    """Merges the most frequent pair of neighbouring tokens until the vocabulary has `size` entries.

    Of pairs with the same count the one with the smaller ids is merged (the first token's id decides, then the second's),
    which is the rule of Hugging Face tokenizers. Ids: `unknown`, then all characters in the order of their code points,
    then the characters that carry the suffix, then the merges in the order in which they are made.

    Args:
        words: how often each word occurs.
        suffix: marks the last character of a word ("</w>" in the paper), none if empty.
        unknown: the token for characters that do not occur here.
        alphabet: characters to have beside those that occur.
        min_count: a pair that occurs less often is not merged, so there may be fewer than `size` entries.

    Raises:
        ValueError: the characters alone are more than `size`, or a word holds one of the marks.
    """
    vocabulary, spelled, counts = _spell(words, size, suffix, unknown, alphabet)
    pairs = _Pairs(spelled, counts)
    merges: list[tuple[str, str]] = []
    while len(vocabulary) < size and (best := pairs.best(min_count)) is not None:
        pairs.merge(best, len(vocabulary))
        merges.append((vocabulary[best[0]], vocabulary[best[1]]))
        vocabulary.append("".join(merges[-1]))
    return BPE(vocabulary, merges, suffix, unknown)


def train_naive(
    words: Mapping[str, int],
    size: int,
    *,
    suffix: str = "",
    unknown: str | None = None,
    alphabet: Iterable[str] = (),
    min_count: int = 1,
) -> BPE:
    """Learns what `train` learns, by counting all pairs of all words anew before each merge."""
    vocabulary, spelled, counts = _spell(words, size, suffix, unknown, alphabet)
    merges: list[tuple[str, str]] = []
    while len(vocabulary) < size:
        pairs = count_pairs(spelled, counts)
        best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
        if best is None or pairs[best] < min_count:
            break
        spelled = [merged(word, best, len(vocabulary)) for word in spelled]
        merges.append((vocabulary[best[0]], vocabulary[best[1]]))
        vocabulary.append("".join(merges[-1]))
    return BPE(vocabulary, merges, suffix, unknown)


def count_pairs(spelled: Iterable[Sequence[int]], counts: Iterable[int]) -> Counter[Pair]:
    """Counts each pair of neighbours in the words; "aaa" holds the pair (a, a) twice."""
    pairs: Counter[Pair] = Counter()
    for ids, count in zip(spelled, counts, strict=True):
        for pair in pairwise(ids):
            pairs[pair] += count
    return pairs


def merged(ids: Sequence[Symbol], pair: tuple[Symbol, Symbol], new: Symbol) -> list[Symbol]:
    """Copies `ids` with `new` for each occurrence of the pair, from left to right and without overlap: aaa becomes (aa)a."""
    out: list[Symbol] = []
    i = 0
    while i < len(ids):
        if i + 1 < len(ids) and (ids[i], ids[i + 1]) == pair:
            out.append(new)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out


def _spell(
    words: Mapping[str, int], size: int, suffix: str, unknown: str | None, alphabet: Iterable[str]
) -> tuple[list[str], list[list[int]], list[int]]:
    """Spells words as ids; empty words are left out.

    Returns (the vocabulary before the first merge, each word as ids, each word's count).
    """
    words = {word: count for word, count in words.items() if word and count > 0}
    for mark in filter(None, (suffix, unknown)):
        if bad := next((word for word in words if mark in word), None):
            raise ValueError(
                f"the word {bad!r} holds the mark {mark!r}: choose one that no word holds, or leave the word out"
            )
    vocabulary = sorted({*alphabet, *chain.from_iterable(words)})
    if suffix:
        vocabulary += sorted({word[-1] + suffix for word in words})
    if unknown is not None:
        vocabulary.insert(0, unknown)
    if len(vocabulary) > size:
        raise ValueError(f"{len(vocabulary)} characters and marks do not fit into {size} entries: ask for more")
    index = {token: i for i, token in enumerate(vocabulary)}
    spelled = [[index[symbol] for symbol in symbols(word, suffix)] for word in words]
    return vocabulary, spelled, list(words.values())


def symbols(word: str, suffix: str = "") -> list[str]:
    """Splits a word into its characters, the last one with the suffix: low → l o w</w>."""
    return [*word[:-1], word[-1] + suffix] if word else []


class _Pairs:
    """Words as ids and the count of each pair of neighbours, kept up to date while pairs are merged.

    The heap holds (−count, pair) and may be late: an entry that overstates its count is put back with the count of now.
    None can understate it, because the only counts that grow are those of pairs with the newest id, which are pushed
    after the merge that made them.
    """

    def __init__(self, spelled: list[list[int]], counts: list[int]) -> None:
        self.spelled, self.weights = spelled, counts
        self.counts: defaultdict[Pair, int] = defaultdict(int)
        self.words: defaultdict[Pair, set[int]] = defaultdict(set)  # pair → words that hold it, or have held it
        for word, ids in enumerate(spelled):
            for pair in pairwise(ids):
                self.counts[pair] += counts[word]
                self.words[pair].add(word)
        self.heap = [(-count, pair) for pair, count in self.counts.items()]
        heapq.heapify(self.heap)

    def best(self, min_count: int) -> Pair | None:
        """Finds the most frequent pair, of equals that with the smaller ids; None if none occurs often enough."""
        while self.heap:
            late, pair = self.heap[0]
            count = self.counts.get(pair, 0)
            if count < max(min_count, 1):
                heapq.heappop(self.heap)  # it will never be more again
            elif count < -late:
                heapq.heapreplace(self.heap, (-count, pair))
            else:
                return pair
        return None

    def merge(self, pair: Pair, new: int) -> None:
        """Puts `new` for the pair in all words, from left to right; only the counts of its neighbours change."""
        first, second = pair
        counts, words = self.counts, self.words
        fresh: set[Pair] = set()
        for word in words.pop(pair):
            ids, weight = self.spelled[word], self.weights[word]
            i = _find(ids, first, second, 0)
            while i >= 0:
                ids[i : i + 2] = [new]
                if i > 0:
                    before = (ids[i - 1], new)
                    counts[ids[i - 1], first] -= weight
                    counts[before] += weight
                    words[before].add(word)
                    fresh.add(before)
                if i + 1 < len(ids):
                    after = (new, ids[i + 1])
                    counts[second, ids[i + 1]] -= weight
                    counts[after] += weight
                    words[after].add(word)
                    fresh.add(after)
                i = _find(ids, first, second, i + 1)
        del counts[pair]
        for made in fresh:
            heapq.heappush(self.heap, (-counts[made], made))


def _find(ids: list[int], first: int, second: int, start: int) -> int:
    """Finds where the pair stands next at or after `start`, −1 if nowhere."""
    try:
        i = ids.index(first, start)
        while ids[i + 1] != second:
            i = ids.index(first, i + 1)
    except (ValueError, IndexError):  # no more of `first`, or it is the last
        return -1
    return i


@dataclass(frozen=True)
class BPE:
    """A vocabulary, its ids being the places in the list, and the merges in the order of their rank.

    Raises ValueError for a token that stands twice and for a merge of tokens that are not in the vocabulary.
    """

    vocabulary: Sequence[str]
    merges: Sequence[tuple[str, str]]
    suffix: str = ""
    unknown: str | None = None

    def __post_init__(self) -> None:
        if len(self.index) < len(self.vocabulary):
            twice = next(token for token, count in Counter(self.vocabulary).items() if count > 1)
            raise ValueError(f"{twice!r} stands in the vocabulary more than once: an id must be that of one token")
        for a, b in self.merges:
            if lost := [token for token in (a, b, a + b) if token not in self.index]:
                raise ValueError(f"the merge of {a!r} and {b!r} needs {lost[0]!r}, which is not in the vocabulary")
        if self.unknown is not None and self.unknown not in self.index:
            raise ValueError(f"the unknown token {self.unknown!r} is not in the vocabulary")

    @cached_property
    def index(self) -> dict[str, int]:
        """Token → id."""
        return {token: i for i, token in enumerate(self.vocabulary)}

    @cached_property
    def ranks(self) -> dict[Pair, tuple[int, int]]:
        """Pair of ids → (rank of the merge, id of what it makes)."""
        return {(self.index[a], self.index[b]): (rank, self.index[a + b]) for rank, (a, b) in enumerate(self.merges)}

    @cached_property
    def cache(self) -> Cache:
        """Word → ids; words that are not in it are encoded when they are asked for."""
        return Cache(self.encode_word)

    def encode(self, words: Iterable[str]) -> list[int]:
        """Encodes words as ids, one word after the other.

        Raises:
            ValueError: a character has no id, and there is no unknown token.
        """
        return list(chain.from_iterable(map(self.cache.__getitem__, words)))

    def encode_word(self, word: str) -> list[int]:
        """Encodes one word as ids: of all merges that apply, that of the lowest rank first, until none applies."""
        spelled = symbols(word, self.suffix)
        ids = [self.index.get(symbol, -1) for symbol in spelled]
        if -1 in ids:
            if self.unknown is None:
                lost = spelled[ids.index(-1)]
                raise ValueError(
                    f"{lost!r} in {word!r} is not in the vocabulary: train with it, or with an unknown token"
                )
            ids = [self.index[self.unknown] if i == -1 else i for i in ids]
        return join(ids, self.ranks)

    def tokens(self, word: str) -> list[str]:
        """Cuts one word into its tokens, as strings."""
        return [self.vocabulary[i] for i in self.cache[word]]

    def decode(self, ids: Iterable[int]) -> str:
        """Decodes ids to a text: words with blanks between them where a suffix marks their ends, else without."""
        text = "".join(self.vocabulary[i] for i in ids)
        return text.replace(self.suffix, " ").removesuffix(" ") if self.suffix else text


class Cache(dict[str, list[int]]):
    """Word → ids, by `encode` where the word is new; it stops to grow at `CACHED` words."""

    def __init__(self, encode: Callable[[str], list[int]]) -> None:
        self.encode = encode

    def __missing__(self, word: str) -> list[int]:
        ids = self.encode(word)
        if len(self) < CACHED:
            self[word] = ids
        return ids


def join(ids: list[int], ranks: Mapping[Pair, tuple[int, int]]) -> list[int]:
    """Merges the pair of the lowest rank, of equals the leftmost, until no neighbours have a rank; (n log n) steps.

    Args:
        ids: of single symbols, changed in place.
        ranks: pair → (rank, new id).
    """
    end = len(ids)
    left, right = list(range(-1, end - 1)), list(range(1, end + 1))  # neighbours, past those that were merged away
    heap = [(*ranks[pair], i, pair) for i, pair in enumerate(pairwise(ids)) if pair in ranks]
    heapq.heapify(heap)
    while heap:
        _, new, i, (a, b) = heapq.heappop(heap)
        j = right[i]
        if ids[i] != a or j == end or ids[j] != b:
            continue  # one of the two has been merged with its other neighbour
        ids[i], ids[j] = new, GONE
        right[i] = k = right[j]
        if k < end:
            left[k] = i
            if (pair := (new, ids[k])) in ranks:
                heapq.heappush(heap, (*ranks[pair], i, pair))
        if (h := left[i]) >= 0 and (pair := (ids[h], new)) in ranks:
            heapq.heappush(heap, (*ranks[pair], h, pair))
    return [i for i in ids if i != GONE]
