"""The properties of tokens that drafting and decoding use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Vocabulary(Protocol):
    @property
    def bos(self) -> int: ...
    @property
    def eos(self) -> int: ...
    @property
    def starts_word(self) -> Sequence[bool]: ...
    def text_of(self, index: int, /) -> str: ...
