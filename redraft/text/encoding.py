"""UTF-8 bytes of a text."""

from __future__ import annotations


def encode(text: str) -> bytes:
    """UTF-8; bytes that were not valid UTF-8 when the text was read are written as they were."""
    return text.encode("utf-8", errors="surrogateescape")
