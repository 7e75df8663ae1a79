"""Lines of a text that are no prose: shell commands, code, diffs, logs, stack traces, and lines in capital letters.

Text that a person pastes between paragraphs has no markup around it. A pattern is here only if prose hardly ever
matches it; a line it misses is read as prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from redraft.text.span import Span


class LineKind(StrEnum):
    COMMAND = "command"
    CODE = "code"
    CAPITALS = "capitals"


_FEWEST_CAPITALS = 6
_LONGEST = 400
"""Longer lines are prose; the limit also bounds the time that a pattern takes."""
_COMMANDS = (
    # A prompt: $ make · >>> f(x) · In [3]: x · user@host:~$ ls · C:\> dir · PS C:\> dir
    r"\$ (?=[a-z./~_])|>>> |In \[\d+\]: |Out\[\d+\]: ",
    r"[\w.-]+@[\w.-]+[: ][^\s$#]{0,80}[$#] ",
    r"(?:PS )?[A-Z]:\\[^>\n]{0,80}> ?\S",
    # A known program with an option, or with the name of a package; of English words only right before the option
    r"(?:sudo|git|npm|npx|yarn|pip3?|python3?|docker|kubectl|apt|apt-get|cargo|conda|curl|wget|ssh|scp|tar|chmod|mkdir|cp"
    r"|mv|rm|ls|grep|sed|awk)(?: [^\s.!?]\S*){0,6} --?[A-Za-z][\w-]*(?:[= ]|$)",
    r"(?:make|find|cat|echo|node|brew)(?: [./~$]\S*)? --?[A-Za-z][\w-]*(?:[= ]|$)",
    r"(?:sudo )?(?:npm|yarn|pip3?|brew|apt|apt-get|cargo|conda|docker)"
    r" (?:add|build|install|remove|run|uninstall|update) [\w@./:=<>\[\]-]+$",
)
_STATEMENTS = (
    r"from [\w.]+ import \S|import \w+(?:\.\w+)*(?: as \w+)?;?$|import [{*\"'].*",
    r"(?:async )?def \w+\(.*\).*:$|class \w+(?:\([\w., =]*\))?:$|(?:else|try|finally|while True):$|@\w[\w.]*\(.*\)$",
    r"(?:el)?if .*(?:[=<>]=|\w\(|\w\[).*:$|(?:for|with) .*(?:\w\(|\w\[).*:$|return\b.*;$",
    r"(?:export |async |public |private |protected |static )*"
    r"(?:function|func|fn|class|interface|struct|enum|void)\b.*\{$",
    r"(?:const|let|var|val|int|long|float|double|char|bool|String)\s+[\w<>\[\]*&]+(?:: ?\w+)?\s*(?:=|;$)",
    r"\#\s*(?:include\s*[<\"]|define \w|ifdef \w|ifndef \w|endif\b)",
    r"[\w.]+(?:\[[^\]\n]{0,40}\])? (?:[-+*/%|&:]?=|=>) \S",
    r"[A-Za-z_][\w.]*\([^()\n]+(?:\([^()\n]*\)[^()\n]*)*\);?$",
    r"[\]})]+[;,]?$|.*\)\s*\{$|[\w.]+\(.*\);$|.*\}\);$",
    r"\"[\w .-]{1,60}\"\s*:\s*(?:[\"\[{\d-]|true\b|false\b|null\b)",
    r"//\s|/\*|.*\*/$",
    r"SELECT\s.*\sFROM\s|INSERT INTO \w|UPDATE \w+ SET |DELETE FROM \w"
    r"|(?:CREATE|ALTER|DROP) (?:TABLE|INDEX|VIEW|DATABASE) ",
)
_RECORDS = (
    # diffs
    r"@@ -\d+|(?:\+\+\+|---) [ab]/|diff --git |index [0-9a-f]{7}",
    # stack traces
    r"Traceback \(most recent call last\):|File \"[^\"\n]+\", line \d+|at [\w$.<>]+\(.*\)$|Caused by: [\w.]+"
    r"|(?:[a-z]\w*\.)*[A-Z]\w*(?:Error|Exception)(?::\s|$)",
    # logs
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d.{0,40}\b(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b",
)
_COMMAND = re.compile("|".join(_COMMANDS))
_CODE = re.compile("|".join((*_STATEMENTS, *_RECORDS)))
_MAYBE = re.compile(
    r"[=(){}\[\]<>;:$@\"'#/*+-]|^(?:import|from|index|sudo|npm|yarn|pip3?|brew|apt|cargo|conda|docker) "
)
"""What a line must have to be a command or code; most lines of prose have none of it."""


def line_kind(line: str) -> LineKind | None:
    """What kind of verbatim line a line without white space around it is; None for prose."""
    if line.isupper():
        is_code = len(line) <= _LONGEST and _CODE.match(line)
        return LineKind.CODE if is_code else LineKind.CAPITALS if _is_capitals(line) else None
    if len(line) > _LONGEST or not _MAYBE.search(line):
        return None
    if _COMMAND.match(line):
        return LineKind.COMMAND
    return LineKind.CODE if _CODE.match(line) else None


def find_verbatim_lines(text: str) -> Iterator[tuple[Span, LineKind]]:
    """The verbatim lines of a text, without the white space around them; behind code also what is indented deeper."""
    offset = 0
    code_indent: int | None = None
    for line in text.splitlines(keepends=True):
        body = line.strip()
        indent = len(line) - len(line.lstrip())
        if body:
            kind = line_kind(body)
            if kind is None and code_indent is not None and indent > code_indent:
                kind = LineKind.CODE
            elif kind is LineKind.CODE:
                code_indent = indent if code_indent is None else min(indent, code_indent)
            else:
                code_indent = None
            if kind:
                yield Span(offset + indent, offset + indent + len(body)), kind
        else:
            code_indent = None
        offset += len(line)


def _is_capitals(line: str) -> bool:
    """Whether a line in capitals has at least two words; an abbreviation alone is an ordinary word."""
    words = [word for word in line.split() if any(map(str.isalpha, word))]
    letters = [character for character in line if character.isalpha()]
    return len(words) > 1 and len(letters) >= _FEWEST_CAPITALS and all(map(str.isupper, letters))
