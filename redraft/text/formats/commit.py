"""Commit messages: a subject line and a body much like Markdown; comments, trailers and the diff are not read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redraft.text.formats.inline import inline_masks
from redraft.text.formats.lines import Line, lines_of
from redraft.text.formats.markdown import Flavour, read_lines
from redraft.text.formats.masks import cut_block
from redraft.text.marked import Placed, Role
from redraft.text.span import Span

_SCISSORS = re.compile(r"^# -+ >8 -+.*|^diff --git .*", re.MULTILINE | re.DOTALL)
_TRAILER = re.compile(
    r"[A-Za-z][A-Za-z0-9-]*(?: \([^)\n]*\))?:[ \t]|\(cherry picked from commit |(?:[A-Za-z-]+ )?#\d+$|[ \t]+\S"
)
_TRAILER_KEY = re.compile(
    r"(?:[A-Z][a-z]+(?:-[A-Za-z]+)+|BREAKING[ -]CHANGE|Fixes|Closes|Refs?|Resolves|Issue|Bug|Link|Cc|See|PR):[ \t]"
    r"|\(cherry picked from commit "
)
_GENERATED_BY_GIT = re.compile(r"(?:Merge (?:branch|tag|pull request|remote-tracking branch|commit)|Revert \")")
# feat(parser)!: · fixup! · [JIRA-12] · docs/api:
_LABEL = re.compile(
    r"(?:(?:fixup|squash|amend)! )*+(?:\[[^\]\n]{1,40}+\] ?)*+(?:[\w./-]{1,40}+(?:\([^()\n]{0,60}+\))?!?:[ \t]++)?+"
)
_COMMENT = "#"
_FLAVOUR = Flavour(headings=False, wrapped=False)


def blocks(source: str) -> Iterator[Placed]:
    scissors = _SCISSORS.search(source)
    # A comment line counts as a blank line.
    lines = [
        Line(line.end, line.end) if source.startswith(_COMMENT, line.start) else line
        for line in lines_of(source, end=scissors.start() if scissors else None)
    ]
    filled = [index for index, line in enumerate(lines) if source[line.start : line.end].strip()]
    if not filled:
        return
    subject = lines[filled[0]]
    yield from _read_subject(source, subject)
    body = lines[filled[0] + 1 :]
    yield from read_lines(source, body[: _before_trailers(source, body)], _FLAVOUR)


def _read_subject(source: str, line: Line) -> Iterator[Placed]:
    if _GENERATED_BY_GIT.match(source, line.start, line.end):
        return
    label = _LABEL.match(source, line.start, line.end)
    span = Span(label.end() if label else line.start, line.end)
    block = cut_block(source, span, inline_masks(source, span), Role.TITLE)
    if block:
        yield block


def _before_trailers(source: str, body: list[Line]) -> int:
    """The number of lines before the trailers; all of them if the last paragraph has no trailers."""
    end = len(body)
    while end and not source[body[end - 1].start : body[end - 1].end].strip():
        end -= 1
    start = end
    found = False
    while start and (text := source[body[start - 1].start : body[start - 1].end]).strip():
        if not _TRAILER.match(text):
            return len(body)
        found = found or _TRAILER_KEY.match(text) is not None
        start -= 1
    return start if found else len(body)
