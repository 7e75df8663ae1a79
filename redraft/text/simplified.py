"""Chinese characters of one form as those of the other, by the `opencc` package."""

from __future__ import annotations

from collections.abc import Callable

from redraft.errors import ConfigError

Convert = Callable[[str], str]
TO_SIMPLIFIED, TO_TRADITIONAL = "t2s", "s2t"


def simplifier() -> Convert:
    """A function that keeps what is simplified already, and every other script."""
    convert = converter(TO_SIMPLIFIED)
    if convert is None:
        raise ConfigError("simplified characters need OpenCC: install it with pip install 'redraft[zh]'")
    return convert


def converter(way: str) -> Convert | None:
    """None where the package is not installed."""
    try:
        from opencc import OpenCC
    except ImportError:
        return None
    convert: Convert = OpenCC(way).convert
    return convert
