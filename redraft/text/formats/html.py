"""HTML: the text between the tags, without scripts, styles and code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from redraft.text.formats.inline import BLOCK_TAGS, ENTITY, TAG, tag_name
from redraft.text.formats.masks import BREAK, STAND_IN, Mask, cut_block
from redraft.text.marked import Placed, Role
from redraft.text.span import Span
from redraft.text.words import word_set

_TOKEN = re.compile(rf"(?P<comment><!--)|(?P<tag>{TAG})|(?P<declaration><[!?][^<>]{{0,2000}}+>)|(?P<entity>{ENTITY})")
# The content of these is not read; that of the second set is read as a word of the sentence around it.
_UNREAD = word_set("script style pre textarea template svg math object iframe head noscript")
_CODE = word_set("code kbd samp var tt")
_ITEMS = word_set("li dt dd option label button figcaption caption summary legend")
_CELLS = word_set("td th")
_TITLES = word_set("h1 h2 h3 h4 h5 h6 title")
_CLOSING_NAME = re.compile(r"</([A-Za-z][A-Za-z0-9]*)")


def blocks(source: str) -> Iterator[Placed]:
    ends = _end_tags(source)
    start = position = 0
    masks: list[Mask] = []
    role = Role.PARAGRAPH
    while match := _TOKEN.search(source, position):
        position = match.end()
        name = tag_name(match.group()) if match.lastgroup == "tag" else ""
        opens = name and not match.group().startswith("</")
        if match.lastgroup == "comment":
            end = source.find("-->", position)
            position = len(source) if end < 0 else end + 3
            masks.append(Mask(match.start(), position))
        elif match.lastgroup == "entity":
            masks.append(Mask(match.start(), position, unescape(match.group())))
        elif opens and name in _CODE:
            position = _pass(source, ends, name, position)
            masks.append(Mask(match.start(), position, STAND_IN))
        elif name == "br":
            masks.append(Mask(match.start(), position, BREAK))
        elif name in BLOCK_TAGS or (opens and name in _UNREAD) or match.lastgroup == "declaration":
            yield from _cut(source, Span(start, match.start()), masks, role)
            if opens and name in _UNREAD and not match.group().endswith("/>"):
                position = _pass(source, ends, name, position)
            start, masks = position, []
            role = _role(name) if opens else Role.PARAGRAPH
        else:
            masks.append(Mask(match.start(), position))
    yield from _cut(source, Span(start, len(source)), masks, role)


def _role(name: str) -> Role:
    if name in _TITLES:
        return Role.TITLE
    if name in _CELLS:
        return Role.CELL
    return Role.ITEM if name in _ITEMS else Role.PARAGRAPH


def _cut(source: str, span: Span, masks: list[Mask], role: Role) -> Iterator[Placed]:
    block = cut_block(source, span, masks, role, wrapped=True)
    if block:
        yield block


def _end_tags(source: str) -> dict[str, list[int]]:
    """The offsets of the end tags of each name, the last first."""
    found: dict[str, list[int]] = {}
    for match in _CLOSING_NAME.finditer(source):
        found.setdefault(match[1].lower(), []).append(match.start())
    for places in found.values():
        places.reverse()
    return found


def _pass(source: str, ends: dict[str, list[int]], name: str, position: int) -> int:
    """The offset behind the next end tag of this name; `position` if there is none."""
    places = ends.get(name, [])
    while places and places[-1] < position:
        places.pop()
    if not places:
        return position
    end = source.find(">", places[-1])
    return len(source) if end < 0 else end + 1
