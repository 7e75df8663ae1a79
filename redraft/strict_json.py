"""Reads JSON objects from files that anyone may have written, within limits.

The file must be a regular file of limited size. Duplicate keys, NaN and Infinity, whole numbers of more than 20 digits,
and nesting deeper than the interpreter reads are refused. Each problem is one line.
"""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from typing import Any

from redraft.errors import ModelError, one_line
from redraft.limited_file import problem_of

_MOST_DIGITS = 20
_LONG_NUMBER = re.compile(rb"[0-9]{20}")


def file_size(path: Path, most: int) -> int:
    """Size of a regular file in bytes, of at most `most`. Links, folders, pipes and devices are refused."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        raise ModelError(f"{path} is missing") from None
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from None
    if stat.S_ISLNK(found.st_mode):
        raise ModelError(f"{path} is a symbolic link; put a copy of the file in its place")
    if problem := problem_of(found, most):
        raise ModelError(f"{path} {problem}")
    return found.st_size


def read_object(path: Path, most: int) -> dict[str, Any]:
    """The JSON object in a file of at most `most` bytes."""
    file_size(path, most)
    try:
        return parse_object(path.read_bytes())
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ModelError(f"{path} cannot be read: {one_line(error)}") from None


def parse_object(data: bytes) -> dict[str, Any]:
    """A JSON object. Raises ValueError with the problem."""
    # A function that is called for each number takes a third of the time, and hardly any file has long numbers.
    parse_int = _whole_number if _LONG_NUMBER.search(data) else None
    try:
        value = json.loads(
            data.decode("utf-8"), object_pairs_hook=_object, parse_int=parse_int, parse_constant=_refuse_constant
        )
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("it must hold a JSON object")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        double = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"it has the key {double[:60]!r} twice")
    return values


def _whole_number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"it has a number of {len(digits):,} digits")
    return int(digits)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it has the value {name}, which is not JSON")
