"""Traditional Chinese characters as simplified ones, by the `opencc` package."""

from __future__ import annotations

from collections.abc import Callable

from redraft.errors import ConfigError


def simplifier() -> Callable[[str], str]:
    """A function that keeps what is simplified already, and every other script."""
    try:
        from opencc import OpenCC
    except ImportError:
        raise ConfigError("simplified characters need OpenCC: install it with pip install 'redraft[zh]'") from None
    convert: Callable[[str], str] = OpenCC("t2s").convert
    return convert
