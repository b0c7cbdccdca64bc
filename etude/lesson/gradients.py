"""Gradients as numbers: what autograd finds for the tensors that a function was given. Knows nothing of lessons."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


def gradients(function: Callable[..., Any], *args: Any) -> list[Tensor | None]:
    """Differentiates the sum of what the function returns, by each argument that is a tensor and asks for a gradient.

    Returns:
        A gradient for each of these tensors; None where what came back does not depend on the tensor, or is no tensor that
        can be differentiated.
    """
    import torch

    tensors = [arg for arg in args if isinstance(arg, torch.Tensor) and arg.requires_grad]
    value = function(*args)
    if not isinstance(value, torch.Tensor) or not value.requires_grad:
        return [None] * len(tensors)
    return list(torch.autograd.grad(value.sum(), tensors, allow_unused=True))
