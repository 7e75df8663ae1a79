"""Cutting a sequence into chunks of equal size or of limited cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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


def group_by_cost(items: Iterable[Item], cost: Callable[[Item], int], most: int) -> Iterator[list[Item]]:
    """Items in order, in groups that cost up to `most` together. An item that costs more is a group of its own."""
    group: list[Item] = []
    spent = 0
    for item in items:
        price = cost(item)
        if group and spent + price > most:
            yield group
            group, spent = [], 0
        group.append(item)
        spent += price
    if group:
        yield group
