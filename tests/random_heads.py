"""Heads for error detection with random weights."""

from __future__ import annotations

import numpy as np

from redraft.lab.detection.heads import Floats, Heads


def random_heads(layer: int, width: int, seed: int = 0) -> Heads:
    draw = np.random.default_rng(seed)

    def numbers(*shape: int) -> Floats:
        return draw.standard_normal(shape, dtype=np.float32)

    return Heads(layer, numbers(width), numbers(1)[0], numbers(2 * width), numbers(1)[0])
