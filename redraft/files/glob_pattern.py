"""Patterns of a .gitignore file, matched as git does, in time proportional to the pattern and to the path.

Regular expressions that have a repetition for each `*` take time that grows with a power of the length of a name, and
anyone may have written the patterns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_LONGEST_NAME = 1000
"""No system has longer names of files and folders."""
_CLASSES = {
    **{"alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9"},
    **{"graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@\\[-`{-~", "space": "\\s", "upper": "A-Z"},
    "xdigit": "0-9a-fA-F",
}


@dataclass(frozen=True, slots=True)
class GlobPattern:
    parts: tuple[re.Pattern[str] | None, ...]
    """One for each part of a path; None stands for any number of folders (`**`)."""
    negated: bool = False
    only_folders: bool = False
    anywhere: bool = False
    """The pattern has one part, which the last part of a path must match."""

    def matches(self, names: Sequence[str], is_folder: bool) -> bool:
        """Whether the pattern matches a path, given by its parts, that is a folder or not."""
        if not names or (self.only_folders and not is_folder):
            return False
        if self.anywhere:
            (part,) = self.parts
            return part is not None and bool(part.fullmatch(names[-1]))
        reached = {0}  # how many of the names the parts so far can have matched
        for place, part in enumerate(self.parts):
            if part is None:
                # At the end, it matches what is in a folder, but not the folder.
                reached = set(range(min(reached) + (place == len(self.parts) - 1), len(names) + 1))
            else:
                reached = {at + 1 for at in reached if at < len(names) and part.fullmatch(names[at])}
            if not reached:
                return False
        return len(names) in reached


def parse_pattern(line: str) -> GlobPattern | None:
    """The pattern of a line; None for an empty line, a comment, and a pattern that can match nothing."""
    text = _strip_spaces(line)
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text.removeprefix("!") if negated else text
    only_folders = text.endswith("/")
    text = text.removesuffix("/")
    is_anchored = "/" in text
    words = _split(text)
    parts: list[re.Pattern[str] | None] = []
    for word in words:
        if is_anchored and len(word) > 1 and not word.strip("*"):
            if parts[-1:] != [None]:
                parts.append(None)
            continue
        part = _translate(word)
        if part is None:
            return None
        parts.append(part)
    return GlobPattern(tuple(parts), negated, only_folders, not is_anchored) if parts else None


def _split(text: str) -> list[str]:
    """The parts of a pattern. A slash in brackets does not end a part; one at the start is left out."""
    words = [""]
    place = 0
    while place < len(text):
        end = place + 1
        if text[place] == "\\":
            end += 1
        elif text[place] == "[":
            found = _translate_class(text, end)
            end = found[1] if found else len(text)
        if text[place:end] in ("/", "\\/"):
            words.append("")
        else:
            words[-1] += text[place:end]
        place = end
    return words[1:] if text.startswith("/") else words


def _strip_spaces(line: str) -> str:
    """Without spaces at the end, but for one behind a backslash."""
    stripped = line.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + " " if backslashes % 2 and len(stripped) < len(line) else stripped


def _translate(word: str) -> re.Pattern[str] | None:
    """A regular expression for one part of a pattern; None if it can match nothing.

    What lies between two `*` has a fixed length, so its first occurrence is as good as any other, and the atomic groups
    look for no other.
    """
    pieces = [""]
    place = length = 0
    while place < len(word):
        sign = word[place]
        place += 1
        length += sign != "*"
        if length > _LONGEST_NAME:
            return None
        if sign == "*":
            if pieces[-1] or len(pieces) == 1:
                pieces.append("")
        elif sign == "?":
            pieces[-1] += "."
        elif sign == "[":
            found = _translate_class(word, place)
            if found is None:
                return None
            characters, place = found
            pieces[-1] += characters
        elif sign == "\\":
            if place == len(word):
                return None
            pieces[-1] += re.escape(word[place])
            place += 1
        else:
            pieces[-1] += re.escape(sign)
    first, *middle = pieces
    if not middle:
        return re.compile(first, re.DOTALL)
    *middle, last = middle
    return re.compile(f"{first}{''.join(f'(?>.*?{piece})' for piece in middle)}.*{last}", re.DOTALL)


def _translate_class(word: str, place: int) -> tuple[str, int] | None:
    """The regular expression for the characters in brackets, and the place behind the closing one."""
    negated = word[place : place + 1] in ("!", "^")
    place += negated
    found = ""
    is_first = True
    while True:
        sign = word[place : place + 1]
        if not sign:
            return None
        if sign == "]" and not is_first:
            break
        is_first = False
        if word.startswith("[:", place) and word[(end := word.find("]", place)) - 1] == ":" and end > place + 2:
            name = word[place + 2 : end - 1]
            if name not in _CLASSES:
                return None
            found += _CLASSES[name]
            place = end + 1
            continue
        start, place = _read_character(word, place)
        found += re.escape(start)
        if word[place : place + 1] == "-" and word[place + 1 : place + 2] not in ("]", ""):
            stop, place = _read_character(word, place + 1)
            if start <= stop:
                found += f"{re.escape(start)}-{re.escape(stop)}"
    if not found:
        return ("." if negated else "(?!)"), place + 1
    return f"[{'^' * negated}{found}]", place + 1


def _read_character(word: str, place: int) -> tuple[str, int]:
    if word[place : place + 1] == "\\" and place + 1 < len(word):
        place += 1
    return word[place : place + 1], place + 1
