"""Cutting a sequence into chunks of equal size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def chunks(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """Tuples of `size` items in order, the last one shorter where they do not come out even."""
    if size < 1:
        raise ValueError(f"a chunk has at least one item, not {size}")
    remaining = iter(items)
    while chunk := tuple(islice(remaining, size)):
        yield chunk
