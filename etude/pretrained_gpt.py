"""The course's own GPTs, made once from the world's text as `etude.pretrained` makes the BERTs; `load` reads one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import torch

from etude.language_modelling import Windows
from etude.models.gpt import GPT, GPTConfig
from etude.models.gpt_checkpoints import load_gpt, save_gpt
from etude.pretrained import TOKENIZER, folder_of
from etude.recipes_gpt import GPT_RECIPES, GPTRecipe
from etude.tokenizers.byte_bpe import ByteBPE
from etude.train import History, Plan, adamw, linear_schedule, train
from etude.world import World

END = "<|endoftext|>"


class PretrainedGPT(NamedTuple):
    """A GPT and the tokenizer whose ids it reads."""

    model: GPT
    tokenizer: ByteBPE


def load(name: str) -> PretrainedGPT:
    """Reads one of the course's GPTs, a fresh copy each time.

    Raises:
        ValueError: there is no GPT of this name; the error lists those that there are.
    """
    if name not in GPT_RECIPES:
        raise ValueError(f"there is no GPT {name!r}: choose one of {', '.join(GPT_RECIPES)}")
    folder = folder_of(name)
    return PretrainedGPT(load_gpt(folder), ByteBPE.load(folder / TOKENIZER))


def make(recipe: GPTRecipe, folder: Path, state: Path | None = None) -> History:
    """Trains a model by the recipe and writes model and tokenizer, which shows a bar and takes some minutes.

    Args:
        state: where to keep what is done, so that a call that was cut goes on.
    """
    texts = text_of(recipe)
    tokenizer = ByteBPE.train(texts, recipe.pieces, special_tokens=[END])
    windows = Windows(encode(texts, tokenizer), recipe.length, recipe.batch_size, recipe.seed)
    torch.manual_seed(recipe.seed)
    model = GPT(config_of(recipe))
    schedule = linear_schedule(recipe.steps, recipe.warmup)
    plan = Plan(recipe.steps, schedule, checkpoint=state, title=f"a GPT on the world ({recipe.language})")
    history = train(model, windows, plan, adamw(model, recipe.rate, betas=(0.9, 0.98)))
    save_gpt(model.eval(), folder)
    tokenizer.save(folder / TOKENIZER)
    return history


def config_of(recipe: GPTRecipe) -> GPTConfig:
    """Returns the model's settings. So small a model learns faster from wider start values and without dropout."""
    return GPTConfig(
        vocab_size=recipe.pieces,
        n_positions=recipe.length,
        n_embd=recipe.width,
        n_layer=recipe.layers,
        n_head=recipe.heads,
        dropout=0.0,
        initializer_range=0.05,
    )


def text_of(recipe: GPTRecipe, seed: int = 0) -> list[str]:
    """Writes the world's documents, a sentence a line; seed 0 is what models are trained on, others are held out."""
    return [str(document) for document in World(recipe.language, seed=seed).documents(recipe.words)]


def encode(texts: Iterable[str], tokenizer: ByteBPE) -> torch.Tensor:
    """Joins documents into one row of ids, (T,) int64, <|endoftext|> before each and after the last."""
    end = tokenizer.special_tokens[END]
    ids = [end]
    for text in texts:
        ids += [*tokenizer.encode(text), end]
    return torch.tensor(ids)
