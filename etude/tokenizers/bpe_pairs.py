"""Where pairs of neighbouring tokens stand and how often they occur, kept up to date as pairs are merged: BPE's training.

This module knows words as ids and their counts; it must not know what the ids stand for.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from itertools import pairwise

Pair = tuple[int, int]
GONE = -1  # in a cell that is within a token, or between words


class Pairs:
    """Words as ids, the count of each pair of neighbours and the places where it stands.

    All words lie in one row of cells, a cell for each symbol that they were spelled in. A token that was merged of several
    has its id in its first cell and in its last, so that its neighbours are found from either side, and a merge costs what
    it changes, however long the word is.

    The heap holds (−count, pair) and may be late: an entry that overstates its count is put back with the count of now.
    None can understate it, because the only counts that grow are those of pairs with the newest id, which are pushed
    after the merge that made them. Hence the places of a pair are noted within one merge, in their order; some
    of them may have been changed since.
    """

    def __init__(self, spelled: list[list[int]], counts: list[int], symbols: int) -> None:
        """Counts all pairs.

        Args:
            spelled: each word as ids below `symbols`.
            counts: each word's count.
        """
        self.cells, self.weights = [GONE], [0]  # a word's count in each of its cells
        self.widths = [1] * symbols  # id → cells
        self.counts: defaultdict[Pair, int] = defaultdict(int)
        self.places: defaultdict[Pair, list[int]] = defaultdict(list)  # pair → first cells
        for ids, count in zip(spelled, counts, strict=True):
            for place, pair in enumerate(pairwise(ids), len(self.cells)):
                self.counts[pair] += count
                self.places[pair].append(place)
            self.cells += [*ids, GONE]
            self.weights += [count] * (len(ids) + 1)
        self.heap = [(-count, pair) for pair, count in self.counts.items()]
        heapq.heapify(self.heap)

    def best(self, min_count: float) -> Pair | None:
        """Finds the most frequent pair, of equals that with the smaller ids; None if none occurs often enough."""
        while self.heap:
            late, pair = self.heap[0]
            count = self.counts.get(pair, 0)
            if count < min_count:
                heapq.heappop(self.heap)  # it will never be more again
            elif count < -late:
                heapq.heapreplace(self.heap, (-count, pair))
            else:
                return pair
        return None

    def merge(self, pair: Pair, new: int) -> None:
        """Puts `new`, the next id, for the pair in all words, from left to right; only the counts of its neighbours change."""
        first, second = pair
        cells, counts, places = self.cells, self.counts, self.places
        width = self.widths[first]
        whole = width + self.widths[second]
        self.widths.append(whole)
        fresh: set[Pair] = set()
        for start in places.pop(pair):
            middle, end = start + width, start + whole
            if cells[start] != first or cells[middle] != second:
                continue  # one of the two has been merged with its other neighbour
            weight = self.weights[start]
            cells[middle - 1] = cells[middle] = GONE
            cells[start] = cells[end - 1] = new
            if (left := cells[start - 1]) != GONE:
                before = (left, new)
                counts[left, first] -= weight
                counts[before] += weight
                places[before].append(start - self.widths[left])
                fresh.add(before)
            if (right := cells[end]) != GONE:
                after = (new, right)
                counts[second, right] -= weight
                counts[after] += weight
                places[after].append(start)
                fresh.add(after)
        del counts[pair]
        for made in fresh:
            heapq.heappush(self.heap, (-counts[made], made))
