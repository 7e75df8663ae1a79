"""Markdown: paragraphs, headings, list items and table cells are blocks; code, HTML and link targets are not read.

Each line is read once, from top to bottom. In doubt, a line is taken for code and not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from redraft.text.formats.inline import inline_masks
from redraft.text.formats.lines import Line, lines_of
from redraft.text.formats.masks import BREAK, Mask, cut_block
from redraft.text.marked import Placed, Role
from redraft.text.span import Span

_CODE_INDENT = 4
_QUOTES = re.compile(r"(?:[ ]{0,3}>[ ]?)++")
_INDENT = re.compile(r"[ \t]*+")
_BULLET = re.compile(r"(?:[-*+•]|(?P<number>\d{1,9})[.)])(?:[ \t]++|$)")
_TASK = re.compile(r"\[[ xX]\][ \t]++")
_FENCE = re.compile(r"(?P<row>`{3,}+(?=[^`]*+$)|~{3,}+)")
_RULE = re.compile(r"(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$")
_UNDERLINE = re.compile(r"(?:=++|-++)[ \t\r]*+$")
_HEADING = re.compile(r"#{1,6}(?:[ \t]++|(?=\r?$))")
_HEADING_END = re.compile(r"(?<![ \t])(?:[ \t]++\#++)?+[ \t]*+$")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,100}+\]:[ \t]*+")
_DEFINITION = re.compile(r"\[[^\]]{1,300}+\]:[ \t]*+\S|\*\[[^\]]{1,100}+\]:")
_EXPLANATION = re.compile(r":[ \t]++")
_DELIMITERS = re.compile(r"[ \t]*+\|?+[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?+[ \t\r]*+$")
_CELL = re.compile(r"(?:\\.|`[^`|]{0,500}+`|[^|\\])++", re.DOTALL)
# Lines that are markup as a whole: containers, template statements, admonitions, imports of MDX.
_MARKUP_LINE = re.compile(
    r":{3,}|!!!\s|\?\?\?\+?\s|\{%|(?:import|export)\s.*(?:from\s+['\"]|[;{])|\.\.\s\w+::|\[(?i:toc)\]"
)
_RAW = re.compile(r"<(?:(?P<comment>!--)|(?P<name>(?i:script|style|pre|textarea|svg|math|code))[\s>]|[?!])")
_FRONT_MATTER = re.compile(
    r"(?:---[ \t]*\r?\n.*?\n(?:---|\.\.\.)|\+\+\+[ \t]*\r?\n.*?\n\+\+\+)[ \t]*\r?(?:\n|\Z)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Flavour:
    """How a format that is similar to Markdown differs from it."""

    role: Role = Role.PARAGRAPH
    """The role of paragraphs."""
    wrapped: bool = True
    headings: bool = True
    item: re.Pattern[str] | None = None
    """What else opens a list item; it is not read itself."""
    is_unread: Callable[[str], bool] | None = None
    """Whether a line is not read."""


MARKDOWN = Flavour()


def blocks(source: str) -> Iterator[Placed]:
    front = _FRONT_MATTER.match(source) if source.startswith(("---", "+++")) else None
    return read_lines(source, lines_of(source, front.end() if front else 0))


def read_lines(source: str, lines: Iterable[Line], flavour: Flavour = MARKDOWN) -> Iterator[Placed]:
    """The blocks of lines whose prefixes are cut off already."""
    reader = _Reader(source, list(lines), flavour)
    while reader.index < len(reader.lines):
        yield from reader.read_line()
    yield from reader.flush()


@dataclass(slots=True)
class _Reader:
    source: str
    lines: Sequence[Line]
    flavour: Flavour
    index: int = 0
    pending: list[Span] = field(default_factory=list)
    """The lines of the current paragraph, without their prefixes."""
    role: Role | None = None
    indents: list[int] = field(default_factory=list)
    """Indentation of the text of each open list item."""
    loose: bool = True
    """Whether the line is below a blank line or below code."""
    below_code: bool = False
    """Whether code or a formula is the last thing above the current paragraph."""

    def read_line(self) -> Iterator[Placed]:
        line = self.lines[self.index]
        self.index += 1
        quotes = _QUOTES.match(self.source, line.start, line.end)
        start = quotes.end() if quotes else line.start
        text = self.source[start : line.end].strip()
        if not text or (self.flavour.is_unread and self.flavour.is_unread(text)):
            yield from self.flush()
            self.loose = True
            return
        indent = _INDENT.match(self.source, start, line.end)
        at = indent.end() if indent else start
        column = len(self.source[start:at].expandtabs(_CODE_INDENT))
        if self.loose:
            while self.indents and column < self.indents[-1]:
                self.indents.pop()
            if not self.pending and column >= (self.indents[-1] if self.indents else 0) + _CODE_INDENT:
                self.below_code = True
                return
        at, item = self._pass_bullets(start, at, line.end)
        if item:
            yield from self.flush()
            self.role = Role.ITEM
        yield from self._read_text(at, line)
        self.loose = False

    def _pass_bullets(self, start: int, at: int, end: int) -> tuple[int, bool]:
        """The offset behind the bullets, numbers and check boxes that open a line, and whether there are any."""
        first = at
        rule = _rule_start(self.source, at, end)
        while at < end and not (at >= rule and _RULE.match(self.source, at, end)):
            bullet = _BULLET.match(self.source, at, end) or (
                self.flavour.item and self.flavour.item.match(self.source, at, end)
            )
            # "… in\n1986. It was" is not a list item, unless it continues a list.
            if not bullet or (
                self.pending and not self.indents and bullet.groupdict().get("number") not in (None, "1")
            ):
                break
            column = at - start
            if at == first:
                while self.indents and column < self.indents[-1]:
                    self.indents.pop()
            task = _TASK.match(self.source, bullet.end(), end)
            at = task.end() if task else bullet.end()
            self.indents.append(bullet.end() - start)
            quotes = _QUOTES.match(self.source, at, end)
            at = quotes.end() if quotes else at
        return at, at > first

    def _read_text(self, at: int, line: Line) -> Iterator[Placed]:
        """Reads a line from `at` on, behind prefixes, bullets and indentation."""
        source, end = self.source, line.end
        if fence := _FENCE.match(source, at, end):
            yield from self.flush()
            self._skip_fence(fence["row"])
            self.below_code = True
        elif source.startswith("<", at) and (raw := _RAW.match(source, at, end)):
            yield from self.flush()
            self._skip_raw(raw, end)
        elif source.startswith("$$", at) and source.find("$$", at + 2, end) < 0:
            yield from self.flush()
            self._skip_until("$$")
            self.below_code = True
        elif self.pending and self.flavour.headings and _UNDERLINE.match(source, at, end):
            self.role = Role.TITLE
            yield from self.flush()
        elif _RULE.match(source, at, end) or _MARKUP_LINE.match(source, at, end):
            yield from self.flush()
        elif self.flavour.headings and (heading := _HEADING.match(source, at, end)):
            yield from self.flush()
            tail = _HEADING_END.search(source, heading.end(), end)
            yield from self._cut(Span(heading.end(), tail.start() if tail else end), (), Role.TITLE)
        elif self._opens_table(at, end):
            yield from self.flush()
            yield from self._read_table(Line(at, end))
        elif footnote := _FOOTNOTE.match(source, at, end) or _EXPLANATION.match(source, at, end):
            yield from self.flush()
            self.role = Role.ITEM
            self.pending.append(Span(footnote.end(), end))
        elif self.pending or not _DEFINITION.match(source, at, end):
            self.pending.append(Span(at, end))

    def flush(self) -> Iterator[Placed]:
        """Ends the current paragraph."""
        if self.pending:
            masks: list[Mask] = []
            for above, below in zip(self.pending, self.pending[1:], strict=False):
                if hard := _hard_break(self.source, above):
                    masks.append(Mask(hard, below.start, BREAK))
                elif below.start > above.end + 1:
                    masks.append(Mask(above.end, below.start, "\n"))
            span = Span(self.pending[0].start, self.pending[-1].end)
            # In lower case, it continues the sentence above the code.
            continues = self.below_code and self.source[span.start : span.start + 1].islower()
            yield from self._cut(span, masks, self.role or (Role.ITEM if continues else self.flavour.role))
            self.below_code = False
        self.pending = []
        self.role = None

    def _cut(self, span: Span, masks: Sequence[Mask], role: Role) -> Iterator[Placed]:
        masks = [*masks, *inline_masks(self.source, span, masks)]
        block = cut_block(self.source, span, masks, role, self.flavour.wrapped)
        if block:
            yield block

    def _opens_table(self, at: int, end: int) -> bool:
        if "|" not in self.source[at:end] or self.index == len(self.lines):
            return False
        below = self.lines[self.index]
        quotes = _QUOTES.match(self.source, below.start, below.end)
        return _DELIMITERS.match(self.source, quotes.end() if quotes else below.start, below.end) is not None

    def _read_table(self, line: Line) -> Iterator[Placed]:
        while "|" in self.source[line.start : line.end]:
            if not _DELIMITERS.match(self.source, line.start, line.end):
                for cell in _CELL.finditer(self.source, line.start, line.end):
                    yield from self._cut(Span(*cell.span()), (), Role.CELL)
            if self.index == len(self.lines):
                return
            line = self.lines[self.index]
            quotes = _QUOTES.match(self.source, line.start, line.end)
            line = Line(quotes.end() if quotes else line.start, line.end)
            if "|" in self.source[line.start : line.end]:
                self.index += 1

    def _skip_fence(self, row: str) -> None:
        closing = re.compile(rf"[ \t>]*+{re.escape(row)}{re.escape(row[0])}*+[ \t\r]*+$")
        while self.index < len(self.lines):
            line = self.lines[self.index]
            self.index += 1
            if closing.match(self.source, line.start, line.end):
                return

    def _skip_raw(self, raw: re.Match[str], end: int) -> None:
        """Skips HTML without prose, up to its end tag or the end of the comment or declaration."""
        name = raw["name"]
        closing = "-->" if raw["comment"] else f"</{name.lower()}" if name else ">"
        if closing not in self.source[raw.end() : end].lower():
            self._skip_until(closing)

    def _skip_until(self, closing: str) -> None:
        while self.index < len(self.lines):
            line = self.lines[self.index]
            self.index += 1
            if closing in self.source[line.start : line.end].lower():
                return


def _rule_start(source: str, start: int, end: int) -> int:
    """Where the row of equal signs and blanks begins that ends a line: a rule can begin nowhere before it."""
    text = source[start:end].rstrip(" \t")
    return start + len(text.rstrip(f" \t{text[-1:]}"))


def _hard_break(source: str, line: Span) -> int | None:
    """The offset of a hard line break at the end of a line; None if there is none."""
    text = line.of(source).rstrip("\r")
    if text.endswith("\\"):
        return line.start + len(text) - 1
    return line.start + len(text.rstrip()) if text.endswith("  ") else None
