"""Compares skipped tests with the list in expected_skips.txt."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

EXPECTED = Path(__file__).with_name("expected_skips.txt")


class Skip(NamedTuple):
    file: str
    reason: str


def read_expected(path: Path = EXPECTED) -> list[Skip]:
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        file, colon, reason = line.partition(": ")
        if not colon or not reason.strip():
            raise ValueError(f"{path.name}:{number}: write a file of tests, a colon and a reason")
        found.append(Skip(file.strip(), reason.strip()))
    return found


def find_unexpected(skipped: Iterable[Skip], expected: Iterable[Skip]) -> list[Skip]:
    patterns = list(expected)
    return sorted(
        {
            skip
            for skip in skipped
            if not any(fnmatchcase(skip.file, one.file) and fnmatchcase(skip.reason, one.reason) for one in patterns)
        }
    )
