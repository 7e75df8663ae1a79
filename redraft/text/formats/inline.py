"""Markup inside a Markdown paragraph: code, links, emphasis, formulas, HTML."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape

from redraft.text.formats.masks import BREAK, CITATION, STAND_IN, Mask
from redraft.text.span import Span
from redraft.text.words import word_set

TAG = r"</?[A-Za-z][A-Za-z0-9:-]{0,40}+(?:[\s/][^<>]{0,2000}+)?>"
ENTITY = r"&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
BLOCK_TAGS = word_set(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 head header hr html legend li link main menu meta nav ol optgroup option p picture "
    "pre section select summary table tbody td tfoot th thead title tr ul br"
)
_INLINE_TAGS = word_set(
    "a abbr acronym area audio b base bdi bdo big button canvas cite col colgroup data datalist del dfn em embed font "
    "i iframe img input ins label map mark meter noscript object output param progress q rp rt ruby s slot small "
    "source span strike strong sub sup template time track u video wbr"
)
_ANYTHING_SPECIAL = re.compile(r"[\\`*_~<&\[\]$={:]")
_TOKEN = re.compile(
    rf"""
      (?=[\\`<&$\[\]{{:!*_~=]|(?<!\w)[hfw])(?:  # skips ordinary letters quickly
      (?P<plain>(?:https?|ftp)://[^\s<>()\[\]`*]++|www\.[^\s<>()\[\]`*]++)
    | (?P<escape>\\[!-/:-@\[-`{{-~])
    | (?P<code>`++)
    | (?P<comment><!--)
    | (?P<autolink><(?:[A-Za-z][A-Za-z0-9+.-]{{1,31}}+:[^\s<>]{{0,2000}}+|[^\s<>@]{{1,64}}+@[^\s<>]{{1,255}}+)>)
    | (?P<element><(?P<name>code|kbd|samp|var|math|svg|tt)(?:\s[^<>]{{0,500}}+)?>[^<]{{0,1000}}</(?P=name)>)
    | (?P<tag>{TAG})
    | (?P<entity>{ENTITY})
    | (?P<math>\$\$[^$]{{1,2000}}+\$\$|(?<![\w$\\])\$(?=[^\s$])[^$\n]{{1,300}}+(?<=\S)\$(?!\w))
    | (?P<footnote>\[\^[^\]\s]{{1,100}}+\])
    | (?P<citation>\[[^\[\]@]{{0,60}}+@[^\[\]]{{1,300}}+\])
    | (?P<template>\{{\{{[^{{}}\n]{{0,500}}+\}}\}}|\{{%[^%\n]{{0,500}}+%\}}|\{{@[^{{}}\n]{{0,500}}+\}})
    | (?P<attributes>\{{[:\#.][^{{}}\n]{{0,200}}+\}})
    | (?P<emoji>:[a-z][a-z0-9_+-]{{1,40}}+:)
    | (?P<open>!?\[)
    | (?P<close>\])
    | (?P<emphasis>\*++|_++|~~|==)
      )
    """,
    re.VERBOSE,
)
_TARGET = re.compile(
    r"""
      \(\s*+(?:<[^<>\n]{0,2000}+>|[^\s()<]{0,2000}+(?:\([^\s()]{0,500}+\)[^\s()]{0,500}+){0,8}+)
        (?:\s++(?:"[^"]{0,500}+"|'[^']{0,500}+'|\([^()]{0,500}+\)))?+\s*+\)
    | \[[^\[\]]{0,200}+\]
    """,
    re.VERBOSE,
)
_NEAR = 8
_SHOWN = {
    "autolink": STAND_IN,
    "element": STAND_IN,
    "math": STAND_IN,
    "footnote": "",
    "citation": CITATION,
    "template": STAND_IN,
    "attributes": "",
    "emoji": "",
}


def inline_masks(source: str, span: Span, hidden: Sequence[Mask] = ()) -> list[Mask]:
    """The markup in a span of Markdown, without what is `hidden` already."""
    if not _ANYTHING_SPECIAL.search(source, span.start, span.end):
        return []
    return _Scan(source, span, [mask.start for mask in hidden], [mask.end for mask in hidden]).run()


@dataclass(frozen=True, slots=True)
class _Bracket:
    start: int
    end: int
    masks: int
    """The number of masks found before it."""


@dataclass(slots=True)
class _Scan:
    source: str
    span: Span
    hidden_starts: list[int]
    hidden_ends: list[int]
    masks: list[Mask] = field(default_factory=list)
    brackets: list[_Bracket] = field(default_factory=list)
    ticks: dict[int, list[int]] | None = None
    """Offsets of the rows of backticks, by the length of the row."""
    comments_close: bool = True
    """False once no end of a comment was found: then there is none further on."""

    def run(self) -> list[Mask]:
        position = self.span.start
        while match := _TOKEN.search(self.source, position, self.span.end):
            position = match.end()
            if self._is_hidden(match.start()):
                position = match.start() + 1
            elif match.lastgroup == "code":
                position = self._close_code(match)
            elif match.lastgroup == "comment":
                position = self._close_comment(match)
            elif match.lastgroup == "open":
                self.brackets.append(_Bracket(match.start(), match.end(), len(self.masks)))
            elif match.lastgroup == "close":
                position = self._close_bracket(match)
            elif match.lastgroup != "plain":
                self._mask(match)
        return self.masks

    def _is_hidden(self, position: int) -> bool:
        before = bisect_right(self.hidden_starts, position)
        return before > 0 and position < self.hidden_ends[before - 1]

    def _mask(self, match: re.Match[str]) -> None:
        shown: str | None
        if match.lastgroup == "escape":
            shown = match.group()[1:]
        elif match.lastgroup == "entity":
            shown = unescape(match.group())
        elif match.lastgroup == "tag":
            shown = read_tag(tag_name(match.group()))
        elif match.lastgroup == "emphasis":
            shown = "" if self._is_emphasis(match) else None
        else:
            shown = _SHOWN[match.lastgroup or ""]
        if shown is not None:
            self.masks.append(Mask(match.start(), match.end(), shown))

    def _is_emphasis(self, match: re.Match[str]) -> bool:
        before = self.source[match.start() - 1] if match.start() > self.span.start else " "
        after = self.source[match.end()] if match.end() < self.span.end else " "
        if before.isspace() and after.isspace():
            return False
        joins = before.isalnum() and after.isalnum()
        return not joins or (match.group()[0] == "*" and not (before.isdigit() or after.isdigit()))

    def _close_comment(self, match: re.Match[str]) -> int:
        end = self.source.find("-->", match.end(), self.span.end) if self.comments_close else -1
        self.comments_close = end >= 0
        if end < 0:
            return match.end()
        self.masks.append(Mask(match.start(), end + 3))
        return end + 3

    def _close_code(self, match: re.Match[str]) -> int:
        """Masks a code span. Without a closing row of the same length, the backticks are ordinary characters."""
        if self.ticks is None:
            self.ticks = {}
            for row in re.finditer("`+", self.source[self.span.start : self.span.end]):
                self.ticks.setdefault(len(row.group()), []).append(row.start() + self.span.start)
        places = self.ticks.get(len(match.group()), [])
        index = bisect_right(places, match.start())
        if index == len(places):
            return match.end()
        end = places[index] + len(match.group())
        self.masks.append(Mask(match.start(), end, STAND_IN))
        return end

    def _close_bracket(self, match: re.Match[str]) -> int:
        """Masks the brackets and the target of a link, or a whole picture. Without a target, brackets are text."""
        if not self.brackets:
            return match.end()
        bracket = self.brackets.pop()
        target = _TARGET.match(self.source, match.end(), self.span.end)
        if target is None:
            return match.end()
        if bracket.end - bracket.start > 1:
            del self.masks[bracket.masks :]
            self.masks.append(Mask(bracket.start, target.end(), self._read_picture(bracket.start, target.end())))
        else:
            self.masks += (Mask(bracket.start, bracket.end), Mask(match.start(), target.end()))
        return target.end()

    def _read_picture(self, start: int, end: int) -> str:
        """A stand-in for a picture between words of a sentence; else nothing."""
        before = self.source[max(self.span.start, start - _NEAR) : start].rstrip()[-1:]
        after = self.source[end : min(self.span.end, end + _NEAR)].lstrip()[:1]
        return STAND_IN if before.isalnum() and after.isalnum() else ""


def read_tag(name: str) -> str:
    """What a tag is read as. `<T>` and `<file>` are not HTML and are read as a word."""
    if name in BLOCK_TAGS:
        return BREAK
    return "" if name in _INLINE_TAGS or "-" in name or ":" in name else STAND_IN


def tag_name(tag: str) -> str:
    """`</Div>` → `div`."""
    found = re.match(r"</?([A-Za-z][A-Za-z0-9:-]*)", tag)
    return found[1].lower() if found else ""
