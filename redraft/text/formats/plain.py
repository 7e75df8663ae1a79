"""Plain text: paragraphs with blank lines between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redraft.text.marked import Block, Part, Placed

# A blank line ends a paragraph, but not inside a fenced code block.
_LINE_END = r"(?>\r\n|[\n\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029])"
_PARAGRAPH = re.compile(rf"(?=\S)(?:```.*?```|(?!{_LINE_END}\s*?{_LINE_END}).)++", re.DOTALL)


def blocks(source: str) -> Iterator[Placed]:
    for match in _PARAGRAPH.finditer(source):
        yield Placed(Block((Part(match.group()),)), match.start())
