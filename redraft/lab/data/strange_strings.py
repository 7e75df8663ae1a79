"""Strings that no correction should change: identifiers, file names, addresses, versions, codes, made-up names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")

_ENDINGS = ("py", "txt", "json", "md", "csv", "pdf", "docx", "xlsx", "html", "js", "yaml", "png", "exe", "log")
_DOMAINS = ("com", "org", "net", "io", "de", "co.uk", "edu", "info")
_ONSETS = ("br", "ch", "dr", "gr", "kr", "sz", *"bdfghjklmnprstvz")
_VOWELS = ("a", "e", "i", "o", "u", "ei", "ou", "y")
_CODAS = ("", "", "", "n", "l", "r", "s", "k", "tz", "ng", "ck")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SYMBOLS = "→×≥≤±∞€£©™🙂😀👍🎉✅"


class StrangeStrings:
    """Makes strings from known words and random letters. `draw` gives numbers in [0, 1), as `random.random` does."""

    def __init__(self, words: Sequence[str], draw: Callable[[], float]) -> None:
        self._words = words or ("item", "name", "value")
        self._draw = draw
        self._kinds: tuple[Callable[[], str], ...] = (
            self.make_name,
            self._make_identifier,
            self._make_file_name,
            self._make_address,
            self._make_code,
            self._make_version,
            self._make_tag,
            self._make_call,
            self._make_symbols,
        )

    def make(self) -> str:
        """A string of any kind, without white space."""
        return self._choose(self._kinds)()

    def make_name(self) -> str:
        """A made-up proper name of two or three syllables."""
        parts = (_ONSETS, _VOWELS, _CODAS) * self._count(2, 3)
        return "".join(map(self._choose, parts)).capitalize()

    def _choose(self, items: Sequence[Item]) -> Item:
        return items[int(self._draw() * len(items))]

    def _count(self, least: int, most: int) -> int:
        return least + int(self._draw() * (most - least + 1))

    def _pick_words(self, least: int, most: int) -> list[str]:
        return [self._choose(self._words) for _ in range(self._count(least, most))]

    def _make_identifier(self) -> str:
        words = self._pick_words(2, 3)
        if self._draw() < 0.5:
            return "_".join(words)
        camel = "".join(word.capitalize() for word in words)
        return camel if self._draw() < 0.5 else camel[0].lower() + camel[1:]

    def _make_file_name(self) -> str:
        folder = "/".join(self._pick_words(1, 2)) + "/" if self._draw() < 0.3 else ""
        return f"{folder}{self._choose('-_').join(self._pick_words(1, 2))}.{self._choose(_ENDINGS)}"

    def _make_address(self) -> str:
        name, domain = self._choose(self._words), f"{self._choose(self._words)}.{self._choose(_DOMAINS)}"
        if self._draw() < 0.4:
            return f"{name}@{domain}"
        return f"{'https://' if self._draw() < 0.6 else 'www.'}{domain}/{name}"

    def _make_code(self) -> str:
        letters = "".join(self._choose(_LETTERS) for _ in range(self._count(1, 4)))
        digits = "".join(self._choose("0123456789") for _ in range(self._count(1, 5)))
        return letters + self._choose(("", "-", "")) + digits

    def _make_version(self) -> str:
        numbers = [str(self._count(0, 30)) for _ in range(self._count(2, 3))]
        return self._choose(("v", "", "")) + ".".join(numbers)

    def _make_tag(self) -> str:
        return self._choose("#@") + "".join(self._pick_words(1, 2))

    def _make_call(self) -> str:
        name = "_".join(self._pick_words(1, 2))
        shape = self._choose(("{}()", "`{}`", "--{}", "<{}>", "{}=1", "${}"))
        return shape.format(name)

    def _make_symbols(self) -> str:
        return "".join(self._choose(_SYMBOLS) for _ in range(self._count(1, 2)))
