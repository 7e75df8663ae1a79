"""Strings and comments of programming languages: just enough syntax to find the comments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_QUOTED = r'"(?:[^"\\\n]|\\.)*+"?'
_APOSTROPHES = r"'(?:[^'\\\n]|\\.)*+'?"
# Rust's lifetimes and Haskell's primes do not open strings.
_CHARACTER = r"'(?:[^'\\\n]|\\.[^\n']{0,8})'"
# Not behind a backslash: else each of many escaped signs without a closing one would be read up to the end.
_BACKTICKS = r"(?<!\\)`(?:[^`\\]|\\.)*+`"
_REGULAR_EXPRESSION = (
    r"(?<=[=(,:\[!&|?{};])[ \t]*+/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}+\]){1,500}+/\w*+"
)


@dataclass(frozen=True, slots=True)
class Language:
    line: str = ""
    """A pattern of what opens a line comment."""
    opening: str = ""
    """A pattern of what opens a block comment; `closing` ends it."""
    closing: str = ""
    strings: tuple[str, ...] = ()
    """Patterns of strings, in which a comment sign opens no comment."""
    docstrings: bool = False
    token: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        alternatives = [rf"(?P<opening>{self.opening})"] if self.opening else []
        alternatives += [rf"(?P<line>{self.line})"] if self.line else []
        alternatives += [r"(?P<docstring>[rRuUbBfF]{0,2}(?:\"{3}|'{3}))"] if self.docstrings else []
        alternatives += [rf"(?P<string>{'|'.join(self.strings)})"] if self.strings else []
        object.__setattr__(self, "token", re.compile("|".join(alternatives), re.DOTALL | re.MULTILINE))


_C = Language(r"///?!?|//!", r"/\*[*!]?+(?!/)", r"*/", (_QUOTED, _CHARACTER))
_HASH = r"(?:^|(?<=[\s;]))\#++!?+"

LANGUAGES = {
    "python": Language(r"\#++[:!]?+", strings=(_QUOTED, _APOSTROPHES), docstrings=True),
    "c": _C,
    "java": _C,
    "javascript": Language(r"///?+", r"/\*[*!]?+(?!/)", "*/", (_QUOTED, _APOSTROPHES, _BACKTICKS, _REGULAR_EXPRESSION)),
    "go": Language(r"//", r"/\*", "*/", (_QUOTED, _CHARACTER, r"`[^`]*+`")),
    "rust": Language(
        r"//[/!]?+", r"/\*[*!]?+(?!/)", "*/", (r"r(?P<hashes>\#++)\".*?(?:\"(?P=hashes)|\Z)", _QUOTED, _CHARACTER)
    ),
    "shell": Language(_HASH, strings=(r'(?<!\\)"(?:[^"\\]|\\.)*+"', r"'[^']*+'")),
    "ruby": Language(_HASH, r"^=begin\b", "\n=end", (_QUOTED, _APOSTROPHES)),
    "lua": Language(r"--(?!\[=*\[)-?+", r"--\[\[", "]]", (_QUOTED, _APOSTROPHES, r"\[\[.*?(?:\]\]|\Z)")),
    "sql": Language(r"--", r"/\*", "*/", (r"'[^']*+'", r'"[^"]*+"')),
    "haskell": Language(r"--+(?:[ ]?[|^*])?(?=\s|$|\w)", r"\{-(?!\#)(?:[ ]?[|^])?", "-}", (_QUOTED, _CHARACTER)),
    "xml": Language("", r"<!--", "-->"),
    "toml": Language(_HASH, strings=(r'"{3}.*?"{3}', r"'{3}.*?'{3}", _QUOTED, r"'[^'\n]*+'")),
    "yaml": Language(_HASH, strings=(r'(?<=[\s:,\[{-])"(?:[^"\\]|\\.)*+"', r"(?<=[\s:,\[{-])'[^']*+'")),
}
