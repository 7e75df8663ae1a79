"""Angles of positions, for engines that compute without torch."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Angles = npt.NDArray[np.float32]


def angular_speeds(size: int) -> Angles:
    """size/2 of them, from one radian a position down to a ten-thousandth."""
    exponents = np.arange(0, size, 2, dtype=np.float32) * np.float32(-math.log(10_000.0) / size)
    speeds: Angles = np.exp(exponents)
    return speeds


def angles_of(positions: int, size: int) -> Angles:
    """(positions, size/2)"""
    return np.arange(positions, dtype=np.float32)[:, None] * angular_speeds(size)
