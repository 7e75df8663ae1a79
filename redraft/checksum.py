"""SHA-256 of a file."""

from __future__ import annotations

import hashlib
from pathlib import Path

from redraft.errors import InputError


def checksum(path: Path) -> str:
    """In hexadecimal digits. The file is read in chunks, so that a large one takes little memory."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the name") from error
