"""ERNIE against a plain version in loops, against BERT where no token has an entity, and against the paper's sizes."""

import math

import pytest
import torch
from torch import Tensor

from etude.lesson.checks import claim
from etude.models.bert import Bert, BertConfig, BertForPretraining
from etude.models.ernie import Aggregator, EntityHead, Ernie, ErnieConfig, start_from

SMALL = ErnieConfig(
    vocab_size=40,
    hidden_size=12,
    num_hidden_layers=1,
    num_attention_heads=3,
    intermediate_size=20,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
    max_position_embeddings=10,
    initializer_range=0.4,
    num_knowledge_layers=2,
    entity_size=6,
    num_entity_heads=2,
)


def drawn(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def batch() -> tuple[Tensor, Tensor, Tensor]:
    """Three sentences of up to seven tokens: two entities, one, and none."""
    tokens = torch.randint(1, 40, (3, 7), generator=torch.Generator().manual_seed(1))
    tokens[1, 5:] = 0
    aligned = torch.zeros(3, 7, dtype=torch.bool)
    aligned[0, 1] = aligned[0, 4] = aligned[1, 2] = True
    return tokens, drawn(3, 7, 6, seed=2), aligned


def model(config: ErnieConfig = SMALL) -> Ernie:
    torch.manual_seed(0)
    made = Ernie(config).eval()
    for number, weight in enumerate(made.parameters()):  # no weight is 0 or 1, so that none can be forgotten
        torch.nn.init.normal_(weight, std=0.3, generator=torch.Generator().manual_seed(number))
    return made


def normalised(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return (x - x.mean()) / torch.sqrt(x.var(unbiased=False) + 1e-12) * weight + bias


def attended(layer: torch.nn.Module, heads: int, rows: Tensor, keys: list[int]) -> Tensor:
    """Multi-head attention of each row to the keys, one row and one head at a time: (N, d)."""
    weights = dict(layer.named_parameters())
    width = rows.size(1)
    made = torch.einsum("nd,od->no", rows, weights["project_in.weight"]) + weights["project_in.bias"]
    query, key, value = made[:, :width], made[:, width : 2 * width], made[:, 2 * width :]
    part, out = width // heads, torch.zeros_like(rows)
    for row in range(len(rows)):
        for head in range(heads):
            mine = slice(head * part, (head + 1) * part)
            scores = torch.stack([query[row, mine] @ key[other, mine] / math.sqrt(part) for other in keys])
            out[row, mine] = sum(p * value[other, mine] for p, other in zip(scores.softmax(dim=0), keys, strict=True))
    return torch.einsum("nd,od->no", out, weights["project_out.weight"]) + weights["project_out.bias"]


def one_by_one(layer: Aggregator, words: Tensor, entities: dict[int, Tensor]) -> tuple[Tensor, dict[int, Tensor]]:
    """Section 3.3 for one sentence without padding, a token at a time; σ inside, residual sums and norms outside."""
    w = dict(layer.named_parameters())
    mixed = attended(layer.attention, 3, words, list(range(len(words))))
    words = torch.stack(
        [
            normalised(a + b, w["attention_sum.norm.weight"], w["attention_sum.norm.bias"])
            for a, b in zip(words, mixed, strict=True)
        ]
    )
    places = sorted(entities)
    if places:
        rows = torch.stack([entities[place] for place in places])
        looked = attended(layer.entity_attention, 2, rows, list(range(len(places))))
        scale, shift = w["entity_attention_sum.norm.weight"], w["entity_attention_sum.norm.bias"]
        entities = {p: normalised(a + b, scale, shift) for p, a, b in zip(places, rows, looked, strict=True)}
    new_words, new_entities = [], {}
    for place, word in enumerate(words):
        inner = w["fusion.tokens_in.weight"] @ word + w["fusion.tokens_in.bias"]
        if place in entities:
            inner = inner + w["fusion.entities_in.weight"] @ entities[place]
        hidden = inner * 0.5 * (1 + torch.erf(inner / math.sqrt(2)))
        out = w["fusion.tokens_out.weight"] @ hidden + w["fusion.tokens_out.bias"]
        new_words.append(normalised(word + out, w["fusion_sum.norm.weight"], w["fusion_sum.norm.bias"]))
        if place in entities:
            out = w["fusion.entities_out.weight"] @ hidden + w["fusion.entities_out.bias"]
            scale, shift = w["entity_fusion_sum.norm.weight"], w["entity_fusion_sum.norm.bias"]
            new_entities[place] = normalised(entities[place] + out, scale, shift)
    return torch.stack(new_words), new_entities


@torch.no_grad()
def test_the_encoder_gives_what_the_equations_give_token_by_token() -> None:
    ernie, (tokens, vectors, aligned) = model(), batch()
    words, entities = ernie(tokens, vectors, aligned)
    for row in range(3):
        length = int((tokens[row] != 0).sum())
        x = ernie.text_layers[0](ernie.input(tokens[row : row + 1, :length]))[0]
        mine = {place: vectors[row, place] for place in range(length) if aligned[row, place]}
        for layer in ernie.knowledge_layers:
            assert isinstance(layer, Aggregator)
            x, mine = one_by_one(layer, x, mine)
        torch.testing.assert_close(words[row, :length], x, atol=1e-4, rtol=1e-4)
        for place in range(7):
            expected = mine.get(place, torch.zeros(6))
            torch.testing.assert_close(entities[row, place], expected, atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_without_entities_it_is_the_bert_that_it_started_from() -> None:
    # With entities the same weights give something else: that is the control.
    torch.manual_seed(3)
    settings = {name: value for name, value in vars(SMALL).items() if name in BertConfig.__dataclass_fields__}
    bert = Bert(BertConfig(**(settings | {"num_hidden_layers": 3}))).eval()
    ernie, (tokens, vectors, aligned) = model(), batch()
    start_from(ernie, bert)
    real = tokens != 0
    expected, nothing = bert(tokens), torch.zeros_like(aligned)
    words, entities = ernie(tokens, vectors, nothing)
    torch.testing.assert_close(words[real], expected[real], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(ernie.pooled(words), bert.pooled(expected), atol=1e-5, rtol=1e-5)
    assert not entities.any()
    fused, _ = ernie(tokens, vectors, aligned)
    assert float((fused - words)[0].abs().max()) > 0.01
    torch.testing.assert_close(fused[2], words[2], atol=1e-5, rtol=1e-5)  # the sentence without an entity


def test_a_bert_of_another_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="a BERT of 2 layers does not fill 1 and 2"):
        start_from(
            Ernie(SMALL), Bert(BertConfig(vocab_size=40, hidden_size=12, num_hidden_layers=2, num_attention_heads=3))
        )


def test_what_stands_where_no_entity_is_reaches_nothing_nor_learns() -> None:
    ernie, (tokens, vectors, aligned) = model(), batch()
    garbage = torch.where(aligned[:, :, None], vectors, torch.tensor(math.nan))
    for one, other in zip(ernie(tokens, vectors, aligned), ernie(tokens, garbage, aligned), strict=True):
        torch.testing.assert_close(one, other)
    leaf = vectors.clone().requires_grad_()
    words, entities = ernie(tokens, leaf, aligned)
    (words.square().sum() + entities.square().sum()).backward()
    assert leaf.grad is not None
    assert not leaf.grad[~aligned].any()
    assert bool((leaf.grad[aligned] != 0).all())
    assert all(weight.grad is None or bool(weight.grad.isfinite().all()) for weight in ernie.parameters())


@claim("ernie-size")
def test_ernie_base_has_114_million_parameters_as_printed() -> None:
    # A BERT of 12 layers with its heads has 110.1 million: that is the control.
    with torch.device("meta"):
        config = ErnieConfig()
        ernie, head, bert = Ernie(config), EntityHead(config), BertForPretraining(BertConfig())

    def size(module: torch.nn.Module) -> int:
        return sum(weight.numel() for weight in module.parameters())

    heads = size(bert) - size(bert.bert)
    by_hand = 6 * (4 * (100 * 100 + 100) + 200 + 100 * 3072 + 3072 * 100 + 100 + 200)  # what a layer has for entities
    assert size(ernie) == size(bert.bert) + by_hand == 113_414_040
    assert size(ernie) + heads + size(head) == 114_115_328
    assert size(bert) == 110_106_428
