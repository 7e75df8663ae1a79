"""Writing a file in one step: a reader sees the old file or the whole new one, never a part of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EPERM
from pathlib import Path


@contextmanager
def atomic_write(
    path: Path,
    *,
    temporary: str = "",
    like: Path | None = None,
    keep_owner: bool = False,
    durable: bool = False,
    before_replacing: Callable[[], None] = lambda: None,
) -> Iterator[Path]:
    """Path of a temporary file, which replaces `path` at the end of the block and is removed if the block fails.

    `temporary` is its name, in the folder of `path`; `path` with `.partial` behind it if empty. `like` is a file whose
    permissions and attributes the new file gets, and its owner where that is permitted; with `keep_owner`, a
    PermissionError is raised where it is not, and the old file stays. `durable` writes through to the disk, so that
    the new file survives a power cut. `before_replacing` is called last; an exception from it leaves the old file.
    """
    partial = path.with_name(temporary or f"{path.name}.partial")
    partial.unlink(missing_ok=True)
    # Private until the permissions of `like` are copied: the text may be a private one.
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if like else 0o666))
    try:
        yield partial
        move_into_place(
            partial, path, like=like, keep_owner=keep_owner, durable=durable, before_replacing=before_replacing
        )
    finally:
        partial.unlink(missing_ok=True)


def move_into_place(
    partial: Path,
    path: Path,
    *,
    like: Path | None = None,
    keep_owner: bool = False,
    durable: bool = False,
    before_replacing: Callable[[], None] = lambda: None,
) -> None:
    """The last step of `atomic_write`, for a file in the same folder that was written in another way."""
    if like is not None:
        _copy_attributes(like, partial, keep_owner)
    if durable:
        sync(partial)
    before_replacing()
    partial.replace(path)
    if durable:
        sync(path.parent)


def sync(path: Path) -> None:
    """Write a file, or the names in a folder, through to the disk."""
    if path.is_dir():
        with suppress(OSError):  # some systems cannot open folders
            _sync(path, os.O_RDONLY)
    else:
        _sync(path, os.O_RDWR)  # Windows syncs only what is open for writing


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _copy_attributes(old: Path, new: Path, keep_owner: bool) -> None:
    status, own = old.stat(), new.stat()
    if (status.st_uid, status.st_gid) != (own.st_uid, own.st_gid):
        try:
            os.chown(new, status.st_uid, status.st_gid)
        except (PermissionError, AttributeError) as error:  # only the superuser may, and not on every system
            if keep_owner:
                raise PermissionError(EPERM, "its owner and group could not be kept", str(old)) from error
    shutil.copystat(old, new)
    os.utime(new)  # build tools compare modification times
