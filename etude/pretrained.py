"""The course's own pre-trained BERTs, made once from the world's text and shared by lessons, seeds and tables.

What `make` has written lies among the course's data and comes with the
package; `load` reads it. Whether it is still what the recipe and the code would give is for the grader to say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import torch

from etude.models.bert import BertForPretraining
from etude.models.checkpoints import load_bert, save_bert
from etude.pretraining import Documents, Examples, Vocabulary
from etude.recipes import RECIPES, Recipe
from etude.tokenizers import bpe
from etude.tokenizers.wordpiece import MARK, SPECIAL, WordPiece, normalize, split
from etude.train import History, Plan, adamw, linear_schedule, train
from etude.world import World

TOKENIZER = "tokenizer.json"


class Pretrained(NamedTuple):
    """A BERT with its pre-training heads, and the tokenizer whose ids it reads."""

    model: BertForPretraining
    tokenizer: WordPiece


def load(name: str) -> Pretrained:
    """Reads one of the course's checkpoints, a fresh copy each time.

    Raises:
        ValueError: there is no checkpoint of this name; the error lists those that there are.
    """
    if name not in RECIPES:
        raise ValueError(f"there is no checkpoint {name!r}: choose one of {', '.join(RECIPES)}")
    folder = folder_of(name)
    return Pretrained(load_bert(folder), WordPiece.load(folder / TOKENIZER))


def folder_of(name: str) -> Path:
    """Names the folder of a checkpoint among the course's data."""
    return Path(str(files("etude_data"))) / "models" / name


def make(recipe: Recipe, folder: Path, state: Path | None = None) -> History:
    """Pre-trains a model by the recipe and writes model and tokenizer, which shows a bar and takes some minutes.

    Args:
        state: where to keep what is done, so that a call that was cut goes on.
    """
    texts = text_of(recipe)
    tokenizer = tokenizer_of(recipe, texts)
    examples = examples_of(recipe, texts, tokenizer)
    torch.manual_seed(recipe.seed)
    model = BertForPretraining(recipe.config(len(tokenizer.vocabulary)))
    schedule = linear_schedule(recipe.steps, recipe.warmup)
    plan = Plan(recipe.steps, schedule, checkpoint=state, title=f"pre-training on the world ({recipe.language})")
    history = train(model, examples, plan, adamw(model, recipe.rate, betas=(0.9, 0.98)))
    save_bert(model.eval(), folder)
    tokenizer.save(folder / TOKENIZER)
    return history


def text_of(recipe: Recipe, seed: int = 0) -> list[list[str]]:
    """Writes the world's text as documents of sentences; seed 0 is what models are trained on, others are held out."""
    documents = World(recipe.language, seed=seed).documents(recipe.words)
    return [[str(sentence) for sentence in document.sentences] for document in documents]


def tokenizer_of(recipe: Recipe, texts: Iterable[Iterable[str]]) -> WordPiece:
    """Makes a WordPiece vocabulary of the pieces into which BPE cuts the words: what is frequent stays whole.

    WordPiece's own rule merges rare pieces first, so a vocabulary as small as this would spell "the" in letters. Published
    vocabularies for Korean count as BPE does, too.
    """
    sentences = chain.from_iterable(texts)
    words = Counter(chain.from_iterable(split(normalize(sentence)) for sentence in sentences))
    merges = bpe.train(words, recipe.pieces)
    characters = sorted({character for word in words for character in word})
    pieces = {MARK * (place > 0) + piece for word in words for place, piece in enumerate(merges.tokens(word))}
    singles = [*characters, *(MARK + character for character in characters)]
    return WordPiece([*SPECIAL, *singles, *sorted(pieces - set(singles))])


def examples_of(recipe: Recipe, texts: Iterable[Iterable[str]], tokenizer: WordPiece) -> Examples:
    """Cuts documents into ids, from which batches of examples are drawn."""
    documents: Documents = [
        [[tokenizer.index[piece] for piece in tokenizer.tokenize(sentence)] for sentence in document]
        for document in texts
    ]
    return Examples(
        documents,
        Vocabulary(tokenizer),
        length=recipe.length,
        batch_size=recipe.batch_size,
        masking=recipe.masking,
        next_sentence=recipe.next_sentence,
        left_to_right=recipe.left_to_right,
        seed=recipe.seed,
    )
