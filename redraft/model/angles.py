"""Angles of rotary and sinusoidal positions, for engines without torch."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Angles = npt.NDArray[np.float32]


def angular_frequencies(size: int) -> Angles:
    """size/2 frequencies, from 1 radian per position down to 1/10,000."""
    exponents = np.arange(0, size, 2, dtype=np.float32) * np.float32(-math.log(10_000.0) / size)
    frequencies: Angles = np.exp(exponents)
    return frequencies


def angles_of(positions: int, size: int) -> Angles:
    """Angles of positions 0, 1, …, (positions, size/2)."""
    return np.arange(positions, dtype=np.float32)[:, None] * angular_frequencies(size)
