"""The course's own ALBERTs, RoBERTas and ELMos, made once from the text of its BERTs; `load` reads one.

- ALBERT: narrow embeddings, one layer's weights for all layers, and in place of the next sentence the order of two segments. The
  world writes a document's sentences in no order, so this second question has no answer in its text.
- RoBERTa: a byte-level vocabulary, full sentences without pairs, new masks whenever a row is drawn.
- ELMo: two LSTMs in each direction. The paper's read characters; these read BERT's pieces of words, and sentences of one document
  between [CLS] and [SEP].
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from etude.models import checkpoint_files
from etude.models.albert import AlbertConfig, AlbertForPretraining
from etude.models.bert import PretrainingBatch
from etude.models.checkpoint_files import CheckpointError
from etude.models.recurrent import BiLM, RecurrentConfig
from etude.models.roberta import RobertaConfig, RobertaForMaskedLM
from etude.models.variant_checkpoints import load_albert, load_roberta, save_albert, save_roberta
from etude.pretrained import TOKENIZER, examples_of, folder_of, text_of, tokenizer_of
from etude.pretraining import Documents, Examples, Masking, Vocabulary, mask_tokens
from etude.recipes import Recipe
from etude.recipes_variants import VARIANT_RECIPES, AlbertRecipe, RobertaRecipe, VariantRecipe
from etude.tokenizers.bpe import BPE
from etude.tokenizers.byte_bpe import ByteBPE
from etude.tokenizers.wordpiece import WordPiece
from etude.train import History, Plan, adamw, linear_schedule, train

BEGIN, PADDING, END, UNKNOWN, MASK = SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
Model = AlbertForPretraining | RobertaForMaskedLM | BiLM


class PretrainedVariant(NamedTuple):
    """A model with what it was pre-trained by, and the tokenizer whose ids it reads."""

    model: Model
    tokenizer: WordPiece | ByteBPE


def load(name: str) -> PretrainedVariant:
    """Reads one of the course's ALBERTs, RoBERTas and ELMos, a fresh copy each time.

    Raises:
        ValueError: there is none of this name; the error lists those that there are.
    """
    if name not in VARIANT_RECIPES:
        raise ValueError(f"there is no variant {name!r}: choose one of {', '.join(VARIANT_RECIPES)}")
    recipe, folder = VARIANT_RECIPES[name], folder_of(name)
    if isinstance(recipe, RobertaRecipe):
        return PretrainedVariant(load_roberta(folder), ByteBPE.load(folder / TOKENIZER))
    model = load_albert(folder) if isinstance(recipe, AlbertRecipe) else load_elmo(folder)
    return PretrainedVariant(model, WordPiece.load(folder / TOKENIZER))


def make(recipe: VariantRecipe, folder: Path, state: Path | None = None) -> History:
    """Pre-trains a model by the recipe and writes model and tokenizer, which shows a bar and takes some minutes.

    Args:
        state: where to keep what is done, so that a call that was cut goes on.
    """
    texts = text_of(recipe)
    cut = bytes_of if isinstance(recipe, RobertaRecipe) else tokenizer_of
    tokenizer: Any = cut(recipe, texts)
    batches = batches_of(recipe, texts, tokenizer)
    torch.manual_seed(recipe.seed)
    model = model_of(recipe, len(tokenizer.vocabulary))
    schedule = linear_schedule(recipe.steps, recipe.warmup)
    kind = type(recipe).__name__.removesuffix("Recipe")
    plan = Plan(recipe.steps, schedule, checkpoint=state, title=f"{kind} on the world ({recipe.language})")
    history = train(model, batches, plan, adamw(model, recipe.rate, betas=(0.9, 0.98)))
    save(model.eval(), folder)
    tokenizer.save(folder / TOKENIZER)
    return history


def model_of(recipe: VariantRecipe, vocabulary: int) -> Model:
    """Makes the untrained model, of BERT's depth. So small a model learns faster from wider start values and without dropout."""
    shape: dict[str, Any] = {
        "vocab_size": vocabulary,
        "hidden_size": recipe.width,
        "num_hidden_layers": recipe.layers,
        "num_attention_heads": recipe.heads,
        "intermediate_size": 4 * recipe.width,
        "max_position_embeddings": 128,
        "initializer_range": 0.05,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
    }
    if isinstance(recipe, AlbertRecipe):
        return AlbertForPretraining(AlbertConfig(**shape, embedding_size=recipe.embedding))
    if isinstance(recipe, RobertaRecipe):
        return RobertaForMaskedLM(RobertaConfig(**shape | {"max_position_embeddings": 130}))
    model = BiLM(RecurrentConfig(vocabulary, recipe.width, recipe.width, recipe.layers, dropout=0.0))
    for name, values in model.named_parameters():
        if ".bias_hh" in name:  # rows of the input gate, then of the forget gate, which begins open
            values.data[recipe.width : 2 * recipe.width] += 1.0
    return model


def batches_of(recipe: VariantRecipe, texts: Iterable[Iterable[str]], tokenizer: Any) -> Callable[[int], Any]:
    """Says what the model reads: from a batch's number to the batch."""
    if isinstance(recipe, RobertaRecipe):
        ids = [[tokenizer.encode(sentence) for sentence in document] for document in texts]
        known = ByteVocabulary(tokenizer)
        rows = full_sentences(ids, recipe.length, known)
        return FullSentences(rows, known, recipe.batch_size, recipe.masking, recipe.seed)
    examples = examples_of(recipe, texts, tokenizer)
    if isinstance(recipe, AlbertRecipe):
        return Orders(**vars(examples))
    return lambda number: examples(number).tokens


class Orders(Examples):
    """Draws pairs of neighbouring segments, label 0 in their order and 1 swapped.

    Both are of whole sentences, cut anywhere between two, so that neither a length nor an end gives the order away.
    """

    def _pair(self, draw: random.Random) -> tuple[list[int], list[int], int]:
        document, room = self._document(draw, 2), self.length - 3
        start = draw.randrange(len(document) - 1)
        end = start + 2
        while end < len(document) and sum(map(len, document[start : end + 1])) <= room:
            end += 1
        middle = draw.randrange(start + 1, end)
        first, second = (list(chain.from_iterable(part)) for part in (document[start:middle], document[middle:end]))
        while len(first) + len(second) > room:  # two sentences that are too long: the longer one loses its last token
            (first if len(first) > len(second) else second).pop()
        return (second, first, 1) if draw.randrange(2) else (first, second, 0)


def bytes_of(recipe: Recipe, texts: Iterable[Iterable[str]]) -> ByteBPE:
    """Learns a byte-level vocabulary, with special tokens where RoBERTa has them: four first, <mask> last."""
    learnt = ByteBPE.train(chain.from_iterable(texts), recipe.pieces - len(SPECIAL))
    return ByteBPE(BPE([*SPECIAL[:-1], *learnt.vocabulary, MASK], learnt.bpe.merges), SPECIAL)


class ByteVocabulary(Vocabulary):
    """What masking must know of a byte-level vocabulary; whole words are not asked for."""

    def __init__(self, tokenizer: ByteBPE) -> None:
        special = tokenizer.special_tokens
        self.size = len(tokenizer.vocabulary)
        self.padding, self.begin, self.separator, self.mask = (special[t] for t in (PADDING, BEGIN, END, MASK))
        self.special = torch.zeros(self.size, dtype=torch.bool)
        self.special[list(special.values())] = True  # (V,)
        self.continues = torch.zeros(self.size, dtype=torch.bool)  # (V,)
        self.words = (~self.special).nonzero().flatten()  # (V - 5,)


def full_sentences(documents: Documents, length: int, vocabulary: Vocabulary) -> Tensor:
    """Packs whole sentences into rows, over the ends of documents, which one more separator marks: (R, N), padded at the end.

    A sentence that has no room begins the next row; one that is longer than a row loses its end (Liu et al. 2019, section 4.2).
    """
    rows, row, room = list[list[int]](), list[int](), length - 2
    for document in documents:
        separator = [vocabulary.separator]
        for sentence in document:
            between = separator if row else []
            if len(row) + len(between) + len(sentence) > room and row:
                rows.append(row)
                row, between = [], []
            row = [*row, *between, *sentence[:room]]
            separator = []
    packed = torch.full((len(rows) + bool(row), length), vocabulary.padding)
    for place, tokens in enumerate([*rows, row] if row else rows):
        packed[place, : len(tokens) + 2] = torch.tensor([vocabulary.begin, *tokens, vocabulary.separator])
    return packed


@dataclass(frozen=True)
class FullSentences:
    """Draws rows at random and masks them anew each time; `batches(number)` is the same whenever it is asked for.

    Attributes:
        rows: (R, N) int64, padded at the end.
    """

    rows: Tensor
    vocabulary: Vocabulary
    batch_size: int
    masking: Masking
    seed: int

    def __call__(self, number: int) -> PretrainingBatch:
        """Draws batch `number`, from 0."""
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + number)
        tokens = self.rows[torch.randint(len(self.rows), (self.batch_size,), generator=generator)]
        tokens = tokens[:, : int((tokens != self.vocabulary.padding).sum(dim=1).max())]
        read, labels = mask_tokens(tokens, self.vocabulary, self.masking, generator)
        return PretrainingBatch(read, None, labels)


def save(model: Model, folder: Path) -> None:
    """Writes a checkpoint: an ALBERT or a RoBERTa as transformers reads it, an ELMo as `load_elmo` does."""
    if isinstance(model, AlbertForPretraining):
        save_albert(model, folder)
    elif isinstance(model, RobertaForMaskedLM):
        save_roberta(model, folder)
    else:
        tensors = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
        checkpoint_files.write(folder, {"model_type": "elmo", **asdict(model.config)}, tensors)


def load_elmo(folder: Path) -> BiLM:
    """Reads an ELMo that `save` wrote.

    Raises:
        CheckpointError: a file is missing or broken, or the settings are of another model.
    """
    settings, tensors = checkpoint_files.read(folder)
    if settings.get("model_type") != "elmo":
        raise CheckpointError(f"config.json is of a {settings.get('model_type')!r}, not of an 'elmo'")
    names = [field.name for field in fields(RecurrentConfig)]
    model = BiLM(RecurrentConfig(**{name: settings[name] for name in names if name in settings}))
    checkpoint_files.fill(model, tensors, folder)
    return model
