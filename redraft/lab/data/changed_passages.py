"""The passages of a file that a commit changed: the changed lines with the paragraphs around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from redraft.lab.data.git_repository import FileChange
from redraft.text.markup import format_of

_OWN_FORMATS = {"rst": "rst", "rest": "rst", "adoc": "asciidoc", "asciidoc": "asciidoc", "asc": "asciidoc"}
_EXTENSIONS = ("md", "markdown", "mdx", "mkd", "qmd", "rmd", "tex", "ltx", "html", "htm", "xhtml", "txt", "text")
PATHS = (
    *(f":(icase)*.{extension}" for extension in (*_EXTENSIONS, *_OWN_FORMATS)),
    ":(icase)*README",
    ":(exclude,icase)*CMakeLists.txt",
    ":(exclude,icase)*requirements*.txt",
    ":(exclude,icase)*robots.txt",
    ":(exclude,icase)*licen[cs]e*",
)
"""Pathspecs of git for files of prose."""

MOST_LINES = 80
"""Longest passage: a longer one is new or rewritten text, or no prose."""
_BULLET = re.compile(rb"\s*(?:[-*+]|\d{1,3}[.)]|#\.)\s|\s*[-*.]{2,5}\s")
_PROSE_DIRECTIVE = re.compile(
    rb"\s*\.\. (?:\w+:)?(?:note|tip|hint|warning|caution|danger|important|attention|error|admonition|seealso|topic|"
    rb"versionadded|versionchanged|deprecated|function|method|class|attribute|describe|option|glossary|epigraph)::"
)
# What opens a part that is not read, and what closes it.
_REGIONS: dict[str, tuple[tuple[re.Pattern[bytes], str], ...]] = {
    "markdown": (
        (re.compile(rb"\s*(?:[-*+>]\s+|\d+\.\s+)?(`{3,}|~{3,})"), r"\s*(?:>\s*)?{0}"),
        (re.compile(rb"\s*<(pre|script|style|!--)"), r".*(?:</{0}|-->)"),
    ),
    "html": ((re.compile(rb"\s*<(pre|script|style|code)\b(?!.*</\1)"), r".*</{0}"),),
    "latex": (
        (re.compile(rb"\s*\\begin\{(verbatim|lstlisting|minted|equation|align|tabular|figure)\*?"), r".*\\end\{{{0}"),
    ),
    "asciidoc": ((re.compile(rb"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,}|\|={3,})\s*$"), r"{0}\s*$"),),
    "rst": (),
    "plain": ((re.compile(rb"\s*(`{3,}|~{3,})"), r"\s*{0}"),),
}


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a file before and after a commit, in whole paragraphs."""

    old: str
    new: str
    format: str


def file_format(path: str) -> str:
    """`markdown`, `html`, `latex`, `rst`, `asciidoc` or `plain`."""
    own = _OWN_FORMATS.get(path.casefold().rpartition(".")[2])
    return own or format_of(path)


def changed_passages(change: FileChange) -> Iterator[Passage]:
    """Passages in which lines were removed and others added, outside of code blocks and front matter."""
    format = file_format(change.path)
    lines = change.lines
    unread = None
    for start, end in _windows(lines):
        window = lines[start:end]
        if end - start > MOST_LINES or {line[:1] for line in window} < {b"-", b"+"}:
            continue
        if unread is None:
            unread = _find_unread([line[1:] for line in lines], format)
        if any(unread[place] for place in range(start, end) if lines[place][:1] != b" "):
            continue
        if format in ("markdown", "rst", "asciidoc", "plain"):
            window = _dedent(lines, start, end, format)
        sides = (b"\n".join(line[1:] for line in window if line[:1] != other) for other in (b"+", b"-"))
        try:
            old, new = (side.decode("utf-8") for side in sides)
        except UnicodeDecodeError:
            continue
        yield Passage(old, new, format)


def _windows(lines: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Ranges of lines from one unchanged blank line to the next that have changes."""
    start = 0
    changed = False
    for place, line in enumerate(lines):
        if line[:1] != b" ":
            changed = True
        elif not line.strip():
            if changed:
                yield start, place
            start, changed = place + 1, False
    if changed:
        yield start, len(lines)


def _find_unread(lines: Sequence[bytes], format: str) -> list[bool]:
    """Whether each line is in a code block, in front matter or the like. Both sides of a change are looked at in turn,
    which differs from either only where a commit changes the lines that open and close such parts."""
    regions = _REGIONS.get(format, ())
    unread: list[bool] = []
    closing: re.Pattern[bytes] | None = None
    if format == "markdown" and lines and lines[0].rstrip() in (b"---", b"+++"):
        closing = re.compile(rb"(?:---|\+\+\+|\.\.\.)\s*$")
    for place, line in enumerate(lines):
        if closing is not None:
            unread.append(True)
            if place and closing.match(line):
                closing = None
            continue
        for opening, ending in regions:
            if found := opening.match(line):
                mark = re.escape(found[1].decode("ascii"))
                closes = re.compile(ending.format(mark).encode())
                if not closes.match(line, found.end()):
                    closing = closes
                break
        unread.append(closing is not None)
    return unread


def _dedent(lines: Sequence[bytes], start: int, end: int, format: str) -> list[bytes]:
    """The lines without their common indent, if that is the indent of a list item and not of code; none for code."""
    window = [line[:1] + line[1:].expandtabs(4) for line in lines[start:end]]
    indent = min((len(line) - 1 - len(line[1:].lstrip()) for line in window if line[1:].strip()), default=0)
    if not indent:
        return window
    for above in reversed(lines[max(0, start - 200) : start]):
        text = above[1:].expandtabs(4)
        if text.strip() and len(text) - len(text.lstrip()) < indent:
            is_item = bool(_BULLET.match(text))
            if format == "rst":
                is_code = not _PROSE_DIRECTIVE.match(text) and (b"::" in text or text.lstrip().startswith(b".."))
            else:
                is_code = not is_item and indent >= 4
            break
    else:
        is_code = indent >= 4
    return [] if is_code else [line[:1] + line[1 + indent :] for line in window]
