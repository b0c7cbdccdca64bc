"""Makes this machine compute as another processor would: other instructions, so other last digits.

Libraries choose their instructions by the processor when they are loaded; these variables, set before that, choose others.
What must be the same on every machine is tried under both.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

# For processes that are started with them: torch, MKL, oneDNN and OpenBLAS without wide vectors, numpy with its least.
OTHER_PROCESSOR = {
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_CBWR": "COMPATIBLE",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])),
}


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Sets the variables for processes that are started while the block runs."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
