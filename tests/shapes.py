"""Shapes of models that differ in everything a model config can say."""

from __future__ import annotations

from typing import Any

SHAPES: dict[str, dict[str, Any]] = {
    "ours": {},
    "bart": {"norm": "post", "positions": "learned", "norm_embedding": True, "position_offset": 2},
    "marian": {
        "norm": "post",
        "positions": "sinusoidal",
        "scale_embedding": True,
        "output_bias": True,
        "activation": "swish",
    },
    "untied": {"positions": "sinusoidal", "activation": "relu", "tie_output": False},
}
