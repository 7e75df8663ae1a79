"""Splits a text into lines."""

from __future__ import annotations


def split_lines(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends a line."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
