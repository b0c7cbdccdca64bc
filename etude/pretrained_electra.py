"""The course's own ELECTRA, and the steps between BERT and it, made once from the text of its BERTs; `load` reads one.

What is kept is the model that is fine-tuned: the discriminator, or the model that is asked for words. Its generator has done its work.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import torch

from etude.models.electra import ElectraConfig, ElectraDiscriminator, ElectraForPretraining, ElectraMaskedLM
from etude.models.electra_checkpoints import load_discriminator, load_masked_lm, save
from etude.models.electra_ladder import AllTokensMLM, ReplaceMLM
from etude.pretrained import TOKENIZER, examples_of, folder_of, text_of, tokenizer_of
from etude.recipes_electra import ELECTRA_RECIPES, ElectraRecipe
from etude.tokenizers.wordpiece import WordPiece
from etude.train import History, Plan, adamw, linear_schedule, train


class PretrainedElectra(NamedTuple):
    """A model with its head, and the tokenizer whose ids it reads."""

    model: ElectraDiscriminator | ElectraMaskedLM
    tokenizer: WordPiece


def load(name: str) -> PretrainedElectra:
    """Reads one of the course's ELECTRAs or of the steps between BERT and it, a fresh copy each time.

    Raises:
        ValueError: there is none of this name; the error lists those that there are.
    """
    if name not in ELECTRA_RECIPES:
        raise ValueError(f"there is no ELECTRA {name!r}: choose one of {', '.join(ELECTRA_RECIPES)}")
    judges, folder = ELECTRA_RECIPES[name].objective.startswith("electra"), folder_of(name)
    model = load_discriminator(folder) if judges else load_masked_lm(folder)
    return PretrainedElectra(model, WordPiece.load(folder / TOKENIZER))


def make(recipe: ElectraRecipe, folder: Path, state: Path | None = None) -> History:
    """Pre-trains a model by the recipe and writes model and tokenizer, which shows a bar and takes some minutes.

    Args:
        state: where to keep what is done, so that a call that was cut goes on.
    """
    texts = text_of(recipe)
    tokenizer = tokenizer_of(recipe, texts)
    examples = examples_of(recipe, texts, tokenizer)
    torch.manual_seed(recipe.seed)
    both = pair_of(recipe, len(tokenizer.vocabulary))
    schedule = linear_schedule(recipe.steps, recipe.warmup)
    plan = Plan(recipe.steps, schedule, checkpoint=state, title=f"{recipe.objective} on the world ({recipe.language})")
    history = train(both, examples, plan, adamw(both, recipe.rate, betas=(0.9, 0.98)))
    model = both.discriminator if isinstance(both, ElectraForPretraining) else both.model
    save(model.eval(), folder)
    tokenizer.save(folder / TOKENIZER)
    return history


def config_of(recipe: ElectraRecipe, vocabulary: int) -> ElectraConfig:
    """Returns the settings of the model that is kept: those of the course's BERTs, with embeddings as wide as the layers."""
    bert = recipe.config(vocabulary)
    return ElectraConfig(
        vocab_size=vocabulary,
        embedding_size=recipe.width,
        hidden_size=recipe.width,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads,
        intermediate_size=bert.intermediate_size,
        hidden_dropout_prob=bert.hidden_dropout_prob,
        attention_probs_dropout_prob=bert.attention_probs_dropout_prob,
        max_position_embeddings=bert.max_position_embeddings,
        initializer_range=bert.initializer_range,
    )


def pair_of(recipe: ElectraRecipe, vocabulary: int) -> ElectraForPretraining | ReplaceMLM:
    """Makes the untrained model and its generator, which are trained together."""
    config = config_of(recipe, vocabulary)
    generator = config.generator(recipe.times)
    if recipe.objective == "replace-mlm":
        return ReplaceMLM(config, generator)
    if recipe.objective == "all-tokens-mlm":
        return AllTokensMLM(config, generator)
    return ElectraForPretraining(config, generator, everywhere=recipe.objective == "electra")
