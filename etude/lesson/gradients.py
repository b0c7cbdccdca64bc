"""Gradients as numbers: what autograd finds for the tensors that a function was given. Knows nothing of lessons."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

WEIGHTS = 7  # as many different ones; eighths, so that they are exact in every float type
WEIGHTED = ", of what comes back times 1, 1⅛, 1¼, … 1¾, 1, 1⅛, … in order, added up"  # behind "the gradient for x"


def scalar(value: Tensor) -> Tensor:
    """Makes one number of what a function returned: its numbers in order, times 1, 1⅛, … 1¾, 1, 1⅛, …, added up.

    The plain sum would be blind: of a softmax it is 1, whatever the scores, so that a wrong gradient would be 0 as the right one is.
    One number alone stays as it is.
    """
    import torch

    weights = 1 + torch.arange(value.numel(), device=value.device) % WEIGHTS / 8
    return (value.flatten() * weights.to(value.dtype)).sum()


def gradients(function: Callable[..., Any], *args: Any) -> list[Tensor | None]:
    """Differentiates what the function returns, made one number by `scalar`, by each argument that is a tensor and asks for a gradient.

    Returns:
        A gradient for each of these tensors; None where what came back does not depend on the tensor, or is no tensor that
        can be differentiated.
    """
    import torch

    tensors = [arg for arg in args if isinstance(arg, torch.Tensor) and arg.requires_grad]
    value = function(*args)
    if not isinstance(value, torch.Tensor) or not value.requires_grad:
        return [None] * len(tensors)
    return list(torch.autograd.grad(scalar(value), tensors, allow_unused=True))
