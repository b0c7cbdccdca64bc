"""ERNIE: a BERT that reads vectors of entities beside its tokens, and fuses the two in its upper layers.

Zhang et al. 2019, "ERNIE: Enhanced Language Representation with Informative Entities", section 3 (below: the paper). Shapes: B
sequences of N tokens, width H, entity vectors of width E, inner width I, C candidates.

The paper's equations have a σ around each output of the fusion. The authors' code has none there, but residual sums and
layer normalisation as in BERT, so that a token without an entity goes through a layer of BERT; here it is as in the code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from etude.models.attention import MultiHeadAttention, padding_mask
from etude.models.bert import Bert, BertConfig, BertInput
from etude.models.blocks import ACTIVATIONS, Block, BlockConfig, Residual


@dataclass(frozen=True)
class ErnieConfig(BertConfig):
    """BERT's settings and those of the entities; the defaults are those of its base model.

    Attributes:
        num_hidden_layers: of the T-Encoder, which reads tokens alone.
        num_knowledge_layers: of the K-Encoder above it, which reads entities too.
        entity_size: E.
    """

    num_hidden_layers: int = 6
    num_knowledge_layers: int = 6
    entity_size: int = 100
    num_entity_heads: int = 4

    @property
    def entity_block(self) -> BlockConfig:
        """Settings of the entities' attention and residual sums."""
        return replace(self.block, width=self.entity_size, heads=self.num_entity_heads)


class Fusion(nn.Module):
    """Information fusion: one hidden vector of a token and its entity, and from it a new vector for each (section 3.3)."""

    def __init__(self, config: ErnieConfig) -> None:
        super().__init__()
        self.tokens_in = nn.Linear(config.hidden_size, config.intermediate_size)
        self.entities_in = nn.Linear(config.entity_size, config.intermediate_size, bias=False)
        self.activation = ACTIVATIONS[config.hidden_act]()
        self.tokens_out = nn.Linear(config.intermediate_size, config.hidden_size)
        self.entities_out = nn.Linear(config.intermediate_size, config.entity_size)

    def forward(self, tokens: Tensor, entities: Tensor, aligned: Tensor) -> tuple[Tensor, Tensor]:
        """Fuses (B, N, H) with (B, N, E) where `aligned`, (B, N) bool, says that there is an entity; elsewhere tokens go alone.

        Returns:
            (B, N, H) and (B, N, E), the second with 0 where there is no entity.
        """
        absent = ~aligned[:, :, None]  # (B, N, 1)
        hidden = self.tokens_in(tokens) + self.entities_in(entities).masked_fill(absent, 0.0)  # (B, N, I)
        hidden = self.activation(hidden)
        return self.tokens_out(hidden), self.entities_out(hidden).masked_fill(absent, 0.0)


class Aggregator(nn.Module):
    """A layer of the K-Encoder: attention among tokens, attention among entities, and their fusion (section 3.3)."""

    def __init__(self, config: ErnieConfig) -> None:
        super().__init__()
        block, entity = config.block, config.entity_block
        self.attention = MultiHeadAttention(block.width, block.heads, dropout=block.attention_dropout)
        self.entity_attention = MultiHeadAttention(entity.width, entity.heads, dropout=entity.attention_dropout)
        self.attention_sum, self.entity_attention_sum = Residual(block), Residual(entity)
        self.fusion = Fusion(config)
        self.fusion_sum, self.entity_fusion_sum = Residual(block), Residual(entity)

    def forward(self, tokens: Tensor, entities: Tensor, aligned: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Maps tokens, (B, N, H), and entities, (B, N, E), to the same shapes.

        Args:
            aligned: where there is an entity, (B, N) bool.
            mask: which tokens may be attended to, (B, 1, 1, N) bool.
        """
        # Entities attend to entities. A sequence that has none attends to all: what comes of it is left out below.
        among = (aligned | ~aligned.any(dim=1, keepdim=True))[:, None, None, :]  # (B, 1, 1, N)
        tokens = self.attention_sum(tokens, lambda x: self.attention(x, mask=mask))
        entities = self.entity_attention_sum(entities, lambda x: self.entity_attention(x, mask=among))
        new_tokens, new_entities = self.fusion(tokens, entities, aligned)
        tokens = self.fusion_sum(tokens, lambda _: new_tokens)
        entities = self.entity_fusion_sum(entities, lambda _: new_entities)
        return tokens, entities.masked_fill(~aligned[:, :, None], 0.0)


class Ernie(nn.Module):
    """The encoder: T-Encoder below, K-Encoder above (Figure 2)."""

    def __init__(self, config: ErnieConfig) -> None:
        super().__init__()
        self.config = config
        self.input = BertInput(config)
        self.text_layers = nn.ModuleList(Block(config.block) for _ in range(config.num_hidden_layers))
        self.knowledge_layers = nn.ModuleList(Aggregator(config) for _ in range(config.num_knowledge_layers))
        self.pooler = nn.Linear(config.hidden_size, config.hidden_size)
        self.apply(self._initialize)

    def forward(
        self, tokens: Tensor, vectors: Tensor, aligned: Tensor, segments: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Encodes ids, (B, N), padded at the end, beside entity vectors.

        Args:
            vectors: (B, N, E), that of the entity whose mention begins at this token; any numbers where there is none.
            aligned: (B, N) bool, where there is one.

        Returns:
            Vectors of tokens, (B, N, H), and of entities, (B, N, E), 0 where there is none.
        """
        mask = padding_mask(tokens, self.config.pad_token_id)  # (B, 1, 1, N)
        x = self.input(tokens, segments)
        for layer in self.text_layers:
            x = layer(x, mask=mask)
        entities = vectors.masked_fill(~aligned[:, :, None], 0.0)
        for layer in self.knowledge_layers:
            x, entities = layer(x, entities, aligned, mask)
        return x, entities

    def pooled(self, hidden: Tensor) -> Tensor:
        """Reads the sequence's vector off [CLS], the first token: (B, N, H) → (B, H)."""
        return torch.tanh(self.pooler(hidden[:, 0]))

    def _initialize(self, module: nn.Module) -> None:
        """Draws weights from a normal distribution; biases and the padding's embedding start at 0."""
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=self.config.initializer_range)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            nn.init.zeros_(module.weight[module.padding_idx])


class EntityHead(nn.Module):
    """Scores entities by a token's vector, for the denoising entity auto-encoder (section 3.4)."""

    def __init__(self, config: ErnieConfig) -> None:
        super().__init__()
        self.transform = nn.Linear(config.hidden_size, config.entity_size)
        self.activation = ACTIVATIONS[config.hidden_act]()
        self.norm = nn.LayerNorm(config.entity_size, eps=config.layer_norm_eps)

    def forward(self, hidden: Tensor) -> Tensor:
        """Maps token vectors to where entity vectors are, (…, H) → (…, E): a product with an entity's vector is its score."""
        x: Tensor = self.norm(self.activation(self.transform(hidden)))
        return x


def start_from(ernie: Ernie, bert: Bert) -> None:
    """Copies a BERT into an ERNIE of as many layers: the lower ones into the T-Encoder, the upper ones into the K-Encoder.

    What reads and makes entities stays as it was drawn.

    Raises:
        ValueError: they have not equally many layers.
    """
    below, above = len(ernie.text_layers), len(ernie.knowledge_layers)
    if len(bert.layers) != below + above:
        raise ValueError(f"a BERT of {len(bert.layers)} layers does not fill {below} and {above}: they must be as many")
    ernie.input.load_state_dict(bert.input.state_dict())
    ernie.pooler.load_state_dict(bert.pooler.state_dict())
    for mine, theirs in zip(ernie.text_layers, bert.layers, strict=False):
        mine.load_state_dict(theirs.state_dict())
    for layer, block in zip(ernie.knowledge_layers, bert.layers[below:], strict=True):
        assert isinstance(layer, Aggregator)
        pairs = {
            "attention": layer.attention,
            "attention_sum": layer.attention_sum,
            "feed_forward.0": layer.fusion.tokens_in,
            "feed_forward.2": layer.fusion.tokens_out,
            "feed_forward_sum": layer.fusion_sum,
        }
        for name, part in pairs.items():
            part.load_state_dict(block.get_submodule(name).state_dict())
