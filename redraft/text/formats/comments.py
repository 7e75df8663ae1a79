"""Comments and docstrings of source code, read much like Markdown; the code itself is not read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from redraft.text.formats.directives import TAG, is_unread
from redraft.text.formats.languages import LANGUAGES, Language
from redraft.text.formats.lines import Line, lines_of
from redraft.text.formats.markdown import Flavour, read_lines
from redraft.text.marked import Placed, Role

_STARS = re.compile(r"[ \t]*+(?:\*(?![*/])[ \t]?+)?")
# A string behind one of these characters is part of an expression, not documentation.
_GOES_ON = frozenset("([{,=+-*/%\\&|<>.")
_LOOK_BACK = 200
"""Characters before a string that decide whether it is documentation."""
_FLAVOUR = Flavour(role=Role.ITEM, wrapped=False, headings=False, item=TAG, is_unread=is_unread)


def reader(language: str) -> Callable[[str], Iterator[Placed]]:
    """A function that reads the comments of a language."""

    def blocks(source: str) -> Iterator[Placed]:
        for lines in _groups(source, LANGUAGES[language]):
            yield from read_lines(source, lines, _FLAVOUR)

    return blocks


@dataclass(frozen=True, slots=True)
class _Comment:
    lines: tuple[Line, ...]
    start: int
    leader: str
    """The sign that opens a line comment; empty for a block comment."""
    column: int
    row_end: int
    """Where the last line ends."""


def _groups(source: str, language: Language) -> Iterator[list[Line]]:
    """The lines of comments. Consecutive line comments with the same sign in the same column are one group."""
    group: list[_Comment] = []
    for comment in _comments(source, language):
        if group and not (comment.leader and _belongs(source, group[-1], comment)):
            yield [line for member in group for line in member.lines]
            group = []
        group.append(comment)
    yield [line for member in group for line in member.lines]


def _belongs(source: str, above: _Comment, below: _Comment) -> bool:
    if (above.leader, above.column) != (below.leader, below.column):
        return False
    between = source[above.row_end : below.start]
    return between.count("\n") == 1 and not between.strip()


def _comments(source: str, language: Language) -> Iterator[_Comment]:
    position = 0
    while match := language.token.search(source, position):
        position = max(match.end(), match.start() + 1)
        if match.lastgroup == "line":
            end = source.find("\n", match.end())
            position = end if end >= 0 else len(source)
            is_shebang = match.start() == 0 and source.startswith("#!")
            if not is_shebang:
                line = _strip_leader(source, match.end(), position)
                column = match.start() - source.rfind("\n", 0, match.start())
                yield _Comment((line,), match.start(), match.group(), column, position)
        elif match.lastgroup == "opening":
            end = source.find(language.closing, match.end())
            position = len(source) if end < 0 else end + len(language.closing)
            lines = _starred_lines(source, match.end(), len(source) if end < 0 else end)
            yield _Comment(lines, match.start(), "", 0, position)
        elif match.lastgroup == "docstring":
            quotes = match.group().lstrip("rRuUbBfF")
            end = _find_quotes(source, quotes, match.end())
            position = end + len(quotes)
            if _documents(source, match.start()):
                yield _Comment(_dedented_lines(source, match.end(), end), match.start(), "", 0, position)


def _strip_leader(source: str, start: int, end: int) -> Line:
    """One space behind the comment sign belongs to the sign."""
    return Line(start + 1 if source.startswith(" ", start, end) else start, end)


def _starred_lines(source: str, start: int, end: int) -> tuple[Line, ...]:
    """The lines of a block comment, without a star at the start of each."""
    first, *rest = lines_of(source, start, end)
    found = [_strip_leader(source, first.start, first.end)]
    for line in rest:
        stars = _STARS.match(source, line.start, line.end)
        found.append(Line(stars.end() if stars else line.start, line.end))
    return tuple(found)


def _dedented_lines(source: str, start: int, end: int) -> tuple[Line, ...]:
    """The lines of a docstring, without their common indentation."""
    first, *rest = lines_of(source, start, end)
    texts = [source[line.start : line.end] for line in rest]
    shared = min((len(text) - len(text.lstrip()) for text in texts if text.strip()), default=0)
    return (first, *(Line(min(line.start + shared, line.end), line.end) for line in rest))


def _documents(source: str, start: int) -> bool:
    """Whether a string is a statement of its own, as a docstring is."""
    before = source[max(0, start - _LOOK_BACK) : start]
    indent = len(before) - (before.rfind("\n") + 1)
    if before[len(before) - indent :].strip() or (indent == len(before) and start > indent):
        return False
    line = start - indent
    above = source[max(0, line - _LOOK_BACK) : line].rstrip()
    return not above or above[-1] not in _GOES_ON


def _find_quotes(source: str, quotes: str, position: int) -> int:
    while (end := source.find(quotes, position)) >= 0:
        escapes = end - len(source[max(position, end - 100) : end].rstrip("\\")) - max(position, end - 100)
        if escapes % 2 == 0:
            return end
        position = end + 1
    return len(source)
