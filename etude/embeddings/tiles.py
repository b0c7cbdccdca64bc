"""A text cut into tiles of consecutive words, so that the scores of all pairs of a tile are one small matrix product.

For each tile: its words, the words around them and the noise, and how far each word reaches. This module knows ids of words
and of sentences only: nothing of vectors, nor of what is learnt from pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

TILE = 16  # T: consecutive words whose pairs are scored in one product; more words waste more of the band's corners
# K: noise words drawn for a tile, shared by its T words and weighted so that the expectation is eq. 4's. Fewer draws
# weigh more each: K = T costs planted similarities two points of rank correlation, K = 3 T gains nothing over 2 T.
NOISE = 32
WIDEST = 199  # the largest window: the table of `bands` grows with its third power, here to 1 GiB


@dataclass(frozen=True)
class Tiles:
    """A stretch of text, cut into S tiles of T words; H = T + 2 * window positions see a tile's windows whole."""

    inputs: Tensor  # (S, T) ids of the words that predict
    outputs: Tensor  # (S, H + K) ids of the words that are predicted: the tile with a halo of `window`, then the noise
    reach: Tensor  # (S, T) the window of each word as a row of the table that `bands` makes
    weight: Tensor  # (S, T, 1) what one noise word counts for this input: pairs * negatives / K

    def __getitem__(self, part: slice) -> Tiles:
        return Tiles(self.inputs[part], self.outputs[part], self.reach[part], self.weight[part])


def bands(window: int) -> Tensor:
    """Makes the 0/1 row of context positions for word t of a tile that reaches `left` words back and `right` words on.

    Returns:
        (T * (window + 1)^2, H) float32, row (t * (window + 1) + left) * (window + 1) + right; the word itself, at position
        t + window, is never its own context.
    """
    side = torch.arange(window + 1)
    axes = torch.arange(TILE), side, side, torch.arange(TILE + 2 * window)
    word, left, right, position = torch.meshgrid(*axes, indexing="ij")
    offset = position - window - word  # (T, window + 1, window + 1, H)
    return ((-left <= offset) & (offset <= right) & (offset != 0)).float().flatten(0, 2)


def tiles(
    ids: Tensor, sentences: Tensor, noise: Tensor, *, window: int, negatives: int, random: torch.Generator
) -> Tiles:
    """Cuts one epoch's words, (N,), into tiles.

    Each word draws its reach from 1..window; no window leaves its sentence.

    Args:
        noise: the cumulative noise distribution over the vocabulary, (V,).
    """
    n, device = len(ids), ids.device
    _, lengths = torch.unique_consecutive(sentences, return_counts=True)
    last = (lengths.cumsum(0) - 1).repeat_interleave(lengths)  # (N,) the last position of each word's sentence
    first = last + 1 - lengths.repeat_interleave(lengths)
    position = torch.arange(n, device=device)
    drawn = torch.randint(1, window + 1, (n,), generator=random, device=device)
    left = torch.minimum(drawn, position - first)
    right = torch.minimum(drawn, last - position)

    count = max(1, -(-n // TILE))  # S; the last tile is filled up with words that reach nowhere
    fill = count * TILE - n
    text = torch.nn.functional.pad(ids, (window, window + fill))
    left, right = (torch.nn.functional.pad(side, (0, fill)).view(count, TILE) for side in (left, right))
    uniform = torch.rand(count, NOISE, generator=random, device=device)
    drawn_noise = torch.searchsorted(noise, uniform).clamp(max=len(noise) - 1)
    halo = text.unfold(0, TILE + 2 * window, TILE)  # (S, H)
    word = torch.arange(TILE, device=device)
    return Tiles(
        inputs=text[window : window + count * TILE].view(count, TILE),
        outputs=torch.cat([halo, drawn_noise], dim=1),
        reach=(word * (window + 1) + left) * (window + 1) + right,
        weight=((left + right) * (negatives / NOISE)).unsqueeze(2),
    )
