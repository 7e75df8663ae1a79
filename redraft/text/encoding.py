"""Text as bytes."""

from __future__ import annotations


def encode(text: str) -> bytes:
    """UTF-8; bytes that were none when the text was read come back as they were."""
    return text.encode("utf-8", errors="surrogateescape")
