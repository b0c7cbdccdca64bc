"""Byte pair encoding of words: merges learnt from counts, words encoded by merge rank.

The algorithm is that of Gage 1994 ("A New Algorithm for Data Compression"), turned on words by Sennrich, Haddow and
Birch 2016 (arXiv:1508.07909, algorithm 1). `train_naive` is the algorithm as it is told, `train` gives the same merges and
keeps the counts of pairs up to date (`etude.tokenizers.bpe_pairs`) instead of counting anew. This module knows words and
counts only: how a text is split into words, bytes (`etude.tokenizers.byte_bpe`) and files are none of its business.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Generic, TypeVar

from etude.strings import check_string, items, refuse_string
from etude.tokenizers.bpe_pairs import GONE, Pair, Pairs
from etude.tokenizers.tokenizer import check_counts, check_min_count, known_ids

CACHED = 1 << 17  # words whose ids are kept: the memory of a long text stays bounded

Symbol = TypeVar("Symbol")
Piece = TypeVar("Piece")


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
        ValueError: the characters alone are more than `size`, a word is no string, holds one of the marks or occurs less than
            0 times, or `min_count` is below 1.
    """
    check_counts(words)
    check_min_count(min_count)
    vocabulary, spelled, counts = _spell(words, size, suffix, unknown, alphabet)
    pairs = Pairs(spelled, counts, len(vocabulary))
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
    check_counts(words)
    check_min_count(min_count)
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
    if not len(vocabulary) <= size:  # so that NaN is refused too
        raise ValueError(f"{len(vocabulary)} characters and marks do not fit into {size} entries: ask for more")
    index = {token: i for i, token in enumerate(vocabulary)}
    spelled = [[index[symbol] for symbol in symbols(word, suffix)] for word in words]
    return vocabulary, spelled, list(words.values())


def symbols(word: str, suffix: str = "") -> list[str]:
    """Splits a word into its characters, the last one with the suffix: low → l o w</w>.

    Raises:
        ValueError: the word is no string.
    """
    check_string(word, "word")
    return [*word[:-1], word[-1] + suffix] if word else []


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
    def cache(self) -> Cache[int]:
        """Word → ids; words that are not in it are encoded when they are asked for."""
        return Cache(self.encode_word)

    def encode(self, words: Iterable[str]) -> list[int]:
        """Encodes words as ids, one word after the other.

        Raises:
            ValueError: a character has no id, and there is no unknown token; or the words are one string, or one of them is none.
        """
        refuse_string(words, "give a list of words, e.g. text.split()")
        listed = words if isinstance(words, list) else [*items(words, "words")]
        try:
            return list(chain.from_iterable(map(self.cache.__getitem__, listed)))
        except TypeError:  # a word such as a list, for which the cache cannot be asked
            for word in listed:
                check_string(word, "word")
            raise

    def encode_word(self, word: str) -> list[int]:
        """Encodes one word as ids: of all merges that apply, that of the lowest rank first, until none applies.

        Raises:
            ValueError: a character has no id, and there is no unknown token; or the word is no string.
        """
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
        """Cuts one word into its tokens, as strings.

        Raises:
            ValueError: as for `encode_word`.
        """
        check_string(word, "word")
        return [self.vocabulary[i] for i in self.cache[word]]

    def decode(self, ids: Iterable[int]) -> str:
        """Decodes ids to a text: words with blanks between them where a suffix marks their ends, else without.

        Raises:
            ValueError: an id is no whole number, or not in the vocabulary.
        """
        text = "".join(self.vocabulary[i] for i in known_ids(ids, self.vocabulary))
        return text.replace(self.suffix, " ").removesuffix(" ") if self.suffix else text


class Cache(dict[str, list[Piece]], Generic[Piece]):
    """Word → its ids or pieces, by `cut` where the word is new; it stops to grow at `CACHED` words."""

    def __init__(self, cut: Callable[[str], list[Piece]]) -> None:
        self.cut = cut

    def __missing__(self, word: str) -> list[Piece]:
        pieces = self.cut(word)
        if len(self) < CACHED:
            self[word] = pieces
        return pieces


def join(ids: list[int], ranks: Mapping[Pair, tuple[int, int]]) -> list[int]:
    """Merges the pair of the lowest rank, of equals the leftmost, until no neighbours have a rank; (n log n) steps.

    Args:
        ids: of single symbols, changed in place.
        ranks: pair → (rank, new id).
    """
    end, rank_of = len(ids), ranks.get
    heap = [ranks[pair][0] * end + i for i, pair in enumerate(pairwise(ids)) if pair in ranks]  # by rank, then by place
    heapq.heapify(heap)
    right = [*range(1, end + 1)]  # neighbours, past those that were merged away
    left = [-1, 0, *right][:end]
    while heap:
        entry = heapq.heappop(heap)
        i = entry % end
        j = right[i]
        merge = rank_of((ids[i], ids[j])) if j < end else None
        if merge is None or merge[0] != entry // end:
            continue  # one of the two has been merged with its other neighbour
        new = merge[1]
        ids[i], ids[j] = new, GONE
        right[i] = k = right[j]
        if k < end:
            left[k] = i
            if after := rank_of((new, ids[k])):
                heapq.heappush(heap, after[0] * end + i)
        h = left[i]
        if h >= 0 and (before := rank_of((ids[h], new))):
            heapq.heappush(heap, before[0] * end + h)
    return [i for i in ids if i != GONE]
