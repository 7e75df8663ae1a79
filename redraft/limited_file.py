"""Reads files that a stranger may have put in a project: regular files of limited size, inside the project."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from redraft.errors import InputError


def project_root(folder: Path) -> Path:
    """The repository that contains a folder, or the folder itself where there is none."""
    place = folder.absolute()
    return next((outer for outer in (place, *place.parents) if (outer / ".git").exists()), place)


def problem_of(status: os.stat_result, most: int) -> str | None:
    """Why a file of this status is not read: it is not a regular file of at most `most` bytes."""
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file"
    return f"has {status.st_size:,} bytes; at most {most:,} are read" if status.st_size > most else None


def check_inside(path: Path, folder: Path) -> None:
    """Refuses a path that leads, through links or `..`, out of a folder. The file need not exist."""
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a link to itself, in Python 3.11 and 3.12
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not inside:
        raise InputError(f"{path} is outside of the project {folder}; put a copy of the file there")


def check_file(path: Path, most: int, inside: Path | None = None) -> int:
    """Size of a regular file of at most `most` bytes. Links are followed, but not out of the folder `inside`.

    Raises FileNotFoundError where there is no file, InputError where it may not be read.
    """
    if inside:
        check_inside(path, inside)
    try:
        status = path.stat()
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if problem := problem_of(status, most):
        raise InputError(f"{path} {problem}")
    return status.st_size


def read_limited(path: Path, most: int, inside: Path | None = None) -> bytes:
    """The contents of such a file."""
    check_file(path, most, inside)
    # Without waiting for a writer, if the file has become a pipe meanwhile.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise InputError(f"{path} has more than {most:,} bytes, the limit for such a file")
    return data
