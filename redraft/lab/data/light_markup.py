"""Blocks of reStructuredText and AsciiDoc, well enough to find sentences in a passage."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redraft.text.marked import Block, Part, Role

_RST_INLINE = re.compile(
    r"(?P<code>``[^`]+``|:[\w:.+-]+:`[^`<]+`|\|[\w -]+\||\[[\w#*-]+\]_)"
    r"|(?::[\w:.+-]+:)?`(?P<link>[^`<]+?)\s*(?:<[^`>]*>)?`_{0,2}"
    r"|(?<!\w)(?P<mark>\*\*?)(?=\S)|(?<=\S)(?P<end>\*\*?)(?!\w)"
)
_ADOC_INLINE = re.compile(
    r"(?P<code>`[^`]+`|\+[^+\s][^+]*\+|\{[\w-]+\}|(?:image|icon|kbd|btn|menu|footnote|indexterm):\S*?\[[^\]]*\])"
    r"|(?:(?:link|xref|mailto):[^\s\[]+|https?://[^\s\[]+)\[(?P<link>[^\]]*?)\^?\]"
    r"|<<[^>,]+,(?P<reference>[^>]+)>>|(?P<anchor><<[^>]+>>|\[\[[^\]]+\]\])"
    r"|(?<!\w)(?P<mark>[*_]{1,2})(?=\S)|(?<=\S)(?P<end>[*_]{1,2})(?!\w)"
)
_RST_SKIPPED = re.compile(r"\s*(?:\.\. |:[\w -]+:|>>> |\.\.\. |\+[-=+]+\+|\|)|\s*([-=~^\"'`#*+.:_])\1{2,}[-=~ ]*$")
_ADOC_SKIPPED = re.compile(
    r"//|:[\w!-]+:|\[[^\]]*\]\s*$|\w+::\S*\[|\|$|(?:-{2,}|={4,}|\*{4,}|_{4,}|\.{4,}|\+{1,4}|<{3}|\|={3,})\s*$|\|"
)
_RST_ITEM = re.compile(r"\s*(?:[-*+•]|\(?(?:\d{1,3}|#|[a-z])[.)])\s+")
_ADOC_ITEM = re.compile(r"\s*(?:[-*.]{1,5}|\d{1,3}\.|<\d+>)\s+|(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+|\.(?=[A-Z])")
_ADOC_TITLE = re.compile(r"=+\s+")


def blocks(text: str, format: str) -> Iterator[Block]:
    """Paragraphs, list items and titles of a text in the format `rst` or `asciidoc`."""
    skipped, item, inline = (
        (_RST_SKIPPED, _RST_ITEM, _RST_INLINE) if format == "rst" else (_ADOC_SKIPPED, _ADOC_ITEM, _ADOC_INLINE)
    )
    paragraph: list[str] = []
    role = Role.PARAGRAPH
    for line in [*text.split("\n"), ""]:
        opening = item.match(line)
        title = _ADOC_TITLE.match(line) if format == "asciidoc" else None
        underline = (
            format == "rst" and paragraph and len(paragraph) == 1 and re.fullmatch(r"([=~^\"'#*+-])\1{2,}", line)
        )
        if opening or title or not line.strip() or skipped.match(line):
            if paragraph:
                yield Block(tuple(_cut("\n".join(paragraph), inline)), Role.TITLE if underline else role, wrapped=True)
            paragraph, role = [], Role.PARAGRAPH
        if title:
            yield Block(tuple(_cut(line[title.end() :], inline)), Role.TITLE, wrapped=True)
        elif opening:
            paragraph, role = [line[opening.end() :]], Role.ITEM
        elif line.strip() and not skipped.match(line):
            paragraph.append(line.strip())


def _cut(text: str, inline: re.Pattern[str]) -> Iterator[Part]:
    position = 0
    for found in inline.finditer(text):
        if position < found.start():
            yield Part(text[position : found.start()])
        inner = next((name for name in ("link", "reference") if found.groupdict().get(name)), None)
        if inner:
            yield Part(text[found.start() : found.start(inner)], "")
            yield Part(found[inner])
            yield Part(text[found.end(inner) : found.end()], "")
        else:
            code = found.groupdict().get("code") or ""
            yield Part(found.group(), re.sub(r"^:[\w:.+-]+:|[`+{}|]", "", code))
        position = found.end()
    if position < len(text):
        yield Part(text[position:])
