"""Skip-gram with negative sampling, fast, in plain torch.

Trains word vectors as in Mikolov et al. 2013, "Distributed Representations of Words and Phrases and their
Compositionality" (below: the paper): the objective is its equation 4 (section 2.2), frequent words are thinned as in
section 2.3. The text runs through in tiles of consecutive words, so that scores, errors and gradients of all pairs of a
tile are three small matrix products and no autograd is needed. This module knows words and counts only: nothing of
files, of tokenisation or of how vectors are judged.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus
from tqdm import tqdm

from etude.embeddings.tiles import NOISE, TILE, WIDEST, Tiles, bands, tiles
from etude.strings import refuse_string

LARGEST_BATCH = 512  # B: words between two updates, where the vocabulary allows it (see batch_size)
REPEATS = 8  # how often the most frequent word may be expected within one batch
LOSS_EVERY = 16  # the loss is reported from every 16th batch: the gradients do not need it
LAST_RATE = 1e-4  # the learning rate falls linearly to this value, as in the authors' program


@dataclass(frozen=True)
class Vocabulary:
    """The words of a corpus, most frequent first (ties: the word that came first), with their counts, (V,) int64."""

    words: list[str]
    counts: Tensor
    index: dict[str, int]

    @classmethod
    def build(cls, corpus: list[list[str]], min_count: int = 5) -> Vocabulary:
        """Counts the words of tokenised sentences and keeps those that occur at least `min_count` times."""
        frequencies = Counter(word for sentence in corpus for word in sentence)
        kept = [(word, count) for word, count in frequencies.most_common() if count >= min_count]  # a stable sort
        words = [word for word, _ in kept]
        counts = torch.tensor([count for _, count in kept], dtype=torch.int64)
        return cls(words, counts, {word: i for i, word in enumerate(words)})

    def encode(self, corpus: list[list[str]]) -> tuple[Tensor, Tensor]:
        """Encodes all known words of the corpus: their ids, (N,), and the number of the sentence that each comes from, (N,)."""
        ids = np.fromiter((self.index.get(word, -1) for sentence in corpus for word in sentence), np.int64)
        sentences = np.repeat(np.arange(len(corpus)), [len(sentence) for sentence in corpus])
        known = ids >= 0
        return torch.from_numpy(ids[known]), torch.from_numpy(sentences[known])

    def keep_probability(self, subsample: float) -> Tensor:
        """Computes the probability that an occurrence survives subsampling, (V,): sqrt(t/f) + t/f, as in the authors' program.

        The paper's section 2.3 prints sqrt(t/f) alone; the program and gensim keep a little more. 0 keeps all.
        """
        if subsample == 0:
            return torch.ones(len(self.words))
        ratio = subsample * self.counts.sum() / self.counts
        return (ratio.sqrt() + ratio).clamp(max=1).float()

    def share(self, subsample: float) -> Tensor:
        """Computes each word's share of the subsampled text, (V,) float64."""
        kept = self.counts * self.keep_probability(subsample).double()
        return kept / kept.sum()


@dataclass(frozen=True)
class Embeddings:
    """What training gives: row i of `vectors` and `contexts`, both (V, dim) float32 on the CPU, belongs to words[i].

    `losses` holds one number for each epoch: eq. 4 with its sign changed, mean over pairs, in nats (nan where
    subsampling left no pair). `words_per_second` counts words of the corpus before subsampling, while training.
    """

    words: list[str]
    vectors: Tensor
    contexts: Tensor
    losses: list[float]
    words_per_second: float


def gradients(
    vectors: Tensor, contexts: Tensor, part: Tiles, band: Tensor, *, with_loss: bool = False
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Computes the gradients of the paper's eq. 4 (sign changed, summed over the pairs of S tiles) in closed form.

    With s = v_in . v'_out the loss is -log sigmoid(s) for each pair in a window and w * -log sigmoid(-s) for each noise
    word, so the error dloss/ds is sigmoid(s) - 1 and w * sigmoid(s).

    Returns:
        A gradient for each id of part.inputs, (S * T, dim), and of part.outputs, (S * (H + K), dim), and the loss where
        asked for.
    """
    (s, t), dim, h = part.inputs.shape, vectors.shape[1], band.shape[1]
    v_in = vectors.index_select(0, part.inputs.reshape(-1)).view(s, t, dim)
    v_out = contexts.index_select(0, part.outputs.reshape(-1)).view(s, -1, dim)  # (S, H + K, dim)
    pair = band.index_select(0, part.reach.reshape(-1)).view(s, t, h)  # (S, T, H) 1 where the context is in the window
    scores = torch.bmm(v_in, v_out.mT)  # (S, T, H + K)
    loss = None
    if with_loss:
        loss = (softplus(-scores[..., :h]) * pair).sum() + (softplus(scores[..., h:]) * part.weight).sum()
    error = scores.sigmoid_()
    error[..., :h].sub_(1).mul_(pair)
    error[..., h:].mul_(part.weight)
    return torch.bmm(error, v_out).view(-1, dim), torch.bmm(error.mT, v_in).view(-1, dim), loss


def add_rows(matrix: Tensor, rows: Tensor, change: Tensor) -> None:
    """Adds to rows of the matrix: matrix[rows[i]] += change[i], where a row that is named twice is changed twice.

    scatter_add_ on a repeated index takes torch's sorted path: three times as fast on one CPU thread as index_add_.
    """
    matrix.scatter_add_(0, rows.reshape(-1, 1).expand(-1, matrix.shape[1]), change)


def batch_size(share: Tensor) -> int:
    """Chooses the number of words in a batch, a multiple of T.

    All gradients of a batch are taken at the same point and summed, so a word's step grows with its occurrences. Up to
    about a dozen of them this trains as well as single updates do; at twenty-five, frequent words overshoot and
    diverge. Hence the most frequent word is expected REPEATS times in a batch, and the paper's plain SGD stays.

    Args:
        share: each word's share of the subsampled text, (V,).
    """
    words = min(LARGEST_BATCH, REPEATS / float(share.max()))
    return max(1, int(words) // TILE) * TILE


@contextmanager
def one_thread() -> Iterator[None]:
    """Keeps torch on one thread while the block runs.

    Products of this size are done before a second core is awake; that core prepares the next epoch instead.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def checked(
    corpus: list[list[str]], *, dim: int, window: int, negatives: int, epochs: int, min_count: int, subsample: float,
    lr: float, seed: int, device: str,
) -> tuple[Vocabulary, torch.device, torch.Generator]:  # fmt: skip
    """Returns the vocabulary, the device and its random numbers, or says what is wrong with the corpus or a value.

    Raises:
        ValueError: the corpus is no list of lists of words or holds too few of them, a value is out of its range, or the
            device cannot be used here.
    """
    sizes = {"dim": dim, "window": window, "negatives": negatives, "epochs": epochs, "min_count": min_count}
    for name, size in sizes.items():
        if not isinstance(size, Integral) or size < 1:
            raise ValueError(f"{name} is {size}: a whole number of at least 1 is needed")
    if window > WIDEST:
        raise ValueError(f"window is {window}: choose at most {WIDEST}, as memory grows with its third power")
    if not 0 <= subsample < math.inf:
        raise ValueError(f"subsample is {subsample}: choose a share such as 1e-3, or 0 to keep all words")
    if not 0 < lr < math.inf:
        raise ValueError(f"lr is {lr}: choose a number above 0, such as 0.025")
    if not isinstance(seed, Integral) or not 0 <= seed < 1 << 64:
        raise ValueError(f"seed is {seed}: choose a whole number from 0 to 2**64 - 1")
    check_corpus(corpus)
    vocabulary = Vocabulary.build(corpus, min_count)
    if strange := [word for word in vocabulary.words if not isinstance(word, str)]:
        raise ValueError(f"the word {strange[0]!r} of the corpus is no string: leave it out, or write it as one")
    if len(vocabulary.words) < 2:
        raise ValueError(
            f"{len(vocabulary.words)} different words occur at least min_count={min_count} times, two are needed: "
            "pass more text or lower min_count"
        )
    try:
        place = torch.empty(0, device=device).device
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"device {device!r} cannot be used here, choose 'cpu' ({error})") from error
    return vocabulary, place, torch.Generator(place).manual_seed(int(seed))


def check_corpus(corpus: list[list[str]]) -> None:
    """Raises ValueError unless the corpus is a list of lists that can be read again in each epoch, with a word in one."""
    advice = "pass a list of sentences, each a list of words"
    if isinstance(corpus, Iterator) or any(isinstance(sentence, Iterator) for sentence in corpus):
        raise ValueError(f"the corpus, or a sentence of it, can be read only once: {advice}, e.g. list(corpus)")
    for sentence in corpus:
        refuse_string(sentence, "pass each sentence of the corpus as a list of words, e.g. sentence.split()")
    if not any(len(sentence) for sentence in corpus):
        raise ValueError(f"the corpus holds no words: {advice}")


def starting_vectors(rows: int, dim: int, random: torch.Generator) -> Tensor:
    """Draws the first vectors, (rows, dim), uniform within ±1/dim, as in gensim.

    From the authors' range, half of that, small corpora are still at the start when epochs end (100,000 words of the
    embedded world: a third fewer analogies answered).
    """
    return torch.rand(rows, dim, generator=random, device=random.device).mul_(2).sub_(1).div_(dim)


def descend(
    step: Callable[[Tiles, float, bool], Tensor | None], trained: Tensor, vocabulary: Vocabulary,
    corpus: list[list[str]], *, batch: int, window: int, negatives: int, epochs: int, subsample: float, lr: float,
    random: torch.Generator, progress: bool,
) -> tuple[list[float], float]:  # fmt: skip
    """Runs through the text, batch by batch, in each epoch anew.

    Args:
        step: `step(tiles, rate, measure)` updates `trained` by one batch; where `measure` is true, it returns the batch's loss.
        batch: words in a batch.

    Returns:
        A loss for each epoch and the words per second, as in Embeddings.

    Raises:
        ValueError: `trained` is no longer finite.
    """
    place = random.device
    ids, sentences = (part.to(place) for part in vocabulary.encode(corpus))
    cumulative = vocabulary.counts.double().pow(0.75).cumsum(0)
    noise, keep = (cumulative / cumulative[-1]).float().to(place), vocabulary.keep_probability(subsample).to(place)

    def next_epoch() -> Tiles:
        kept = torch.rand(len(ids), generator=random, device=place) < keep[ids]
        return tiles(ids[kept], sentences[kept], noise, window=window, negatives=negatives, random=random)

    losses: list[float] = []
    words = epochs * len(ids)
    bar = tqdm(total=words, unit=" words", unit_scale=True, disable=not progress)
    started = time.perf_counter()
    with bar, one_thread(), ThreadPoolExecutor(max_workers=1) as ahead:
        pending = ahead.submit(next_epoch)
        for epoch in range(epochs):
            text = pending.result()
            if epoch + 1 < epochs:
                pending = ahead.submit(next_epoch)
            starts = range(0, len(text.inputs), batch // TILE)
            loss, pairs = torch.zeros((), device=place), torch.zeros((), device=place)
            for number, start in enumerate(starts):
                part = text[start : start + batch // TILE]
                rate = lr - (lr - LAST_RATE) * (epoch + number / len(starts)) / epochs
                batch_loss = step(part, rate, number % LOSS_EVERY == 0)
                if batch_loss is not None:
                    loss += batch_loss
                    pairs += part.weight.sum() * (NOISE / negatives)
                    bar.update(int(len(ids) * (epoch + number / len(starts))) - bar.n)
            losses.append(float(loss / pairs))
            if not bool(trained.isfinite().all()):
                raise ValueError(f"training diverged in epoch {epoch + 1} of {epochs}: lower lr, which is {lr:g}")
            bar.set_postfix(loss=f"{losses[-1]:.3f}")
        bar.update(words - bar.n)
    return losses, epochs * len(ids) / (time.perf_counter() - started)


def train(
    corpus: list[list[str]], *, dim: int = 100, window: int = 5, negatives: int = 5, epochs: int = 5,
    min_count: int = 5, subsample: float = 1e-3, lr: float = 0.025, seed: int = 0, device: str = "cpu",
    progress: bool = True,
) -> Embeddings:  # fmt: skip
    """Trains word vectors on tokenised sentences; the settings are the defaults of the authors' program for skip-gram.

    Noise words follow count^0.75 (section 2.2); a noise word that happens to be the true context stays in, as in eq. 4.
    The same seed gives the same vectors on the same machine's CPU (on a GPU up to the order of sums). Takes up to 400 bytes or so
    for each word of the corpus, beside the corpus.

    Args:
        corpus: read several times, so a generator will not do.

    Raises:
        ValueError: a value, the corpus or the device cannot be used, or training diverges.
    """
    vocabulary, place, random = checked(
        corpus, dim=dim, window=window, negatives=negatives, epochs=epochs, min_count=min_count, subsample=subsample,
        lr=lr, seed=seed, device=device,
    )  # fmt: skip
    vectors = starting_vectors(len(vocabulary.words), dim, random)  # (V, dim)
    contexts, band = torch.zeros_like(vectors), bands(window).to(place)

    def step(part: Tiles, rate: float, measure: bool) -> Tensor | None:
        d_in, d_out, loss = gradients(vectors, contexts, part, band, with_loss=measure)
        add_rows(vectors, part.inputs, d_in.mul_(-rate))
        add_rows(contexts, part.outputs, d_out.mul_(-rate))
        return loss

    losses, speed = descend(
        step, vectors, vocabulary, corpus, batch=batch_size(vocabulary.share(subsample)), window=window,
        negatives=negatives, epochs=epochs, subsample=subsample, lr=lr, random=random, progress=progress,
    )  # fmt: skip
    return Embeddings(vocabulary.words, vectors.cpu(), contexts.cpu(), losses, speed)
