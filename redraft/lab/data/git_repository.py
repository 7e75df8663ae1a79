"""Reads commits and files of a git repository that is not trusted.

Git runs in an empty repository of its own, which borrows the objects of the one to read. So the configuration, hooks,
attributes and remotes of that repository have no effect: no command of theirs runs, and nothing is fetched.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from redraft.errors import InputError, one_line

LARGEST_FILE = 1_000_000
"""In bytes. Larger files are no prose; git shows no differences of them."""
_WHOLE_FILE = "--unified=1000000"
_MOST_FAILURES = 200
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_REMOTE_NAME = re.compile(r"([\w.-]+/[\w.-]+?)(?:\.git)?/*$")


@dataclass(frozen=True, slots=True)
class Commit:
    name: str
    message: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """All lines of a file before and after a commit; each begins with a space, `-` or `+`."""

    commit: Commit
    path: str
    lines: list[bytes]


@dataclass(frozen=True, slots=True)
class GitRepository:
    """An open repository: its name, its newest commit, and how git is called to read it."""

    name: str
    newest: str
    command: tuple[str, ...]
    environment: dict[str, str]

    def read(self, *arguments: str) -> bytes:
        """The output of a git command that writes little."""
        return _run((*self.command, *arguments), self.environment, self.name)

    def count_commits(self, paths: Sequence[str], since: str | None) -> int:
        return int(self.read("rev-list", "--count", *self._selection(since), "--", *paths))

    def changes(self, paths: Sequence[str], since: str | None) -> Iterator[FileChange | Commit]:
        """Each commit but merges, newest first, and behind it its changes of files that match the patterns.

        Where the clone lacks a file, git fails; the rest of that commit is left out.
        """
        read = before = 0
        for _ in range(_MOST_FAILURES):
            try:
                for item in self._log(paths, since, read):
                    read += isinstance(item, Commit)
                    yield item
                return
            except InputError:
                if read == before:  # no commit could be read
                    raise
                before = read
        raise InputError(f"{self.name}: the clone lacks too many files; make a full clone")

    def _log(self, paths: Sequence[str], since: str | None, skipped: int) -> Iterator[FileChange | Commit]:
        arguments = (
            *("log", "--patch", _WHOLE_FILE, "--format=%x00%H%n%B%x00", "--encoding=UTF-8", "--no-renames"),
            *("--no-ext-diff", "--no-textconv", "--no-color", "--no-show-signature", "--no-decorate", "--no-mailmap"),
            *(
                "--src-prefix=a/",
                "--dst-prefix=b/",
                "--submodule=short",
                f"--skip={skipped}",
                *self._selection(since),
                "--",
                *paths,
            ),
        )
        with _stream((*self.command, *arguments), self.environment, self.name) as output:
            yield from _parse_log(output)

    def files(self) -> Iterator[tuple[str, str, int]]:
        """Path, object and size in bytes of each file of the newest commit."""
        for row in self.read("ls-tree", "-r", "-l", "-z", "--full-tree", self.newest).split(b"\0"):
            described, _, path = row.decode("utf-8", "replace").partition("\t")
            fields = described.split()
            if len(fields) == 4 and fields[1] == "blob" and fields[3].isdigit():
                yield path, fields[2], int(fields[3])

    def contents(self, objects: Sequence[str]) -> Iterator[bytes]:
        """Contents of files, in order; empty for one that the clone does not have."""
        if not objects:
            return
        with tempfile.TemporaryFile() as names:
            names.write("".join(f"{name}\n" for name in objects).encode())
            names.seek(0)
            with _stream((*self.command, "cat-file", "--batch"), self.environment, self.name, names) as output:
                for header in output:
                    fields = header.split()
                    if len(fields) == 3:
                        yield output.read(int(fields[2]))
                        output.read(1)
                    else:  # "NAME missing"
                        yield b""

    def _selection(self, since: str | None) -> tuple[str, ...]:
        return ("--no-merges", *([f"--since={since}"] if since else []), self.newest)


@contextmanager
def open_repository(path: Path) -> Iterator[GitRepository]:
    """Opens a clone: a folder with `.git`, or a bare repository."""
    git = shutil.which("git")
    if git is None:
        raise InputError("git was not found; install it to read the history of a repository")
    if not path.is_dir():
        raise InputError(f"{path}: no such folder; name a local clone of a git repository")
    environment = _environment(path)
    own = (git, "-C", str(path))
    try:
        found = _run((*own, "rev-parse", "--git-common-dir", "--show-object-format"), environment, str(path))
    except InputError as error:
        if "dubious ownership" in str(error):
            raise InputError(f"{path}: git refuses a repository of another user; make a copy that is yours") from None
        raise InputError(f"{path}: no git repository; name the top folder of a local clone") from None
    folder, object_format = found.decode("utf-8", "surrogateescape").splitlines()
    source = (path / folder).resolve()
    newest = _newest_commit(own, environment, path)
    with tempfile.TemporaryDirectory(prefix="redraft-mine-") as temporary:
        _run(
            (git, "init", "--quiet", "--bare", "--template=", f"--object-format={object_format}", temporary),
            environment,
            str(path),
        )
        if (source / "shallow").is_file():
            shutil.copyfile(source / "shallow", Path(temporary, "shallow"))
        command = (git, "-c", f"core.bigFileThreshold={LARGEST_FILE}", "-c", "core.quotePath=false", "--no-pager")
        borrowed = {"GIT_DIR": temporary, "GIT_OBJECT_DIRECTORY": str(source / "objects")}
        yield GitRepository(_find_name(own, environment, path), newest, command, environment | borrowed)


def _environment(path: Path) -> dict[str, str]:
    """Variables for git: no settings of the user or the machine, no network, no questions."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(path.resolve().parent),
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _newest_commit(own: tuple[str, ...], environment: dict[str, str], path: Path) -> str:
    """The commit of HEAD or, where HEAD names no commit, the newest of any branch."""
    for arguments in (
        ("rev-parse", "--verify", "--quiet", "HEAD^{commit}"),
        ("for-each-ref", "--sort=-committerdate", "--count=1", "--format=%(objectname)", "refs/heads", "refs/remotes"),
    ):
        try:
            found = _run((*own, *arguments), environment, str(path)).decode().strip()
        except InputError:
            continue
        if found:
            return found
    raise InputError(f"{path}: the repository has no commits")


def _find_name(own: tuple[str, ...], environment: dict[str, str], path: Path) -> str:
    """`owner/name` of the address it was cloned from; the name of the folder if there is none."""
    try:
        address = _run((*own, "config", "--get", "remote.origin.url"), environment, str(path)).decode(
            "utf-8", "replace"
        )
    except InputError:
        address = ""
    matched = _REMOTE_NAME.search(address.strip().replace(":", "/")) if "://" in address or "@" in address else None
    return matched[1] if matched else one_line(path.resolve().name.removesuffix(".git"))


def _run(command: tuple[str, ...], environment: dict[str, str], name: str) -> bytes:
    with _stream(command, environment, name) as output:
        return output.read()


@contextmanager
def _stream(
    command: tuple[str, ...], environment: dict[str, str], name: str, stdin: IO[bytes] | None = None
) -> Iterator[IO[bytes]]:
    """The output of a process, which is ended when the block is left before its end."""
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            command, stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=messages, env=environment
        )
        assert process.stdout is not None
        try:
            yield process.stdout
            at_the_end = not process.stdout.read(1)
        except BaseException:
            process.kill()
            raise
        finally:
            process.stdout.close()
            failed = process.wait()
        if failed and at_the_end:
            messages.seek(0)
            reasons = messages.read().decode("utf-8", "replace").strip().splitlines()
            raise InputError(f"{name}: git failed: {one_line(reasons[0]) if reasons else f'exit code {failed}'}")


def _parse_log(output: IO[bytes]) -> Iterator[FileChange | Commit]:
    commit = Commit("", "")
    path = ""
    for line in output:
        if line.startswith(b"\0"):
            commit = _parse_commit(line, output)
            yield commit
        elif line.startswith(b"+++ "):
            path = line[4:].decode("utf-8", "replace").strip().strip('"').removeprefix("b/")
        elif hunk := _HUNK.match(line):
            yield FileChange(commit, path, _read_hunk(output, *(int(count or 1) for count in hunk.groups())))


def _parse_commit(line: bytes, output: IO[bytes]) -> Commit:
    name = line.strip(b"\0\n").decode()
    message: list[bytes] = []
    for following in output:
        message.append(following.rstrip(b"\0\n"))
        if following.endswith(b"\0\n"):
            break
    return Commit(name, b"\n".join(message).decode("utf-8", "replace").strip())


def _read_hunk(output: IO[bytes], old: int, new: int) -> list[bytes]:
    """The lines of a hunk; the numbers of its header say where it ends."""
    lines: list[bytes] = []
    while (old > 0 or new > 0) and (line := output.readline()):
        if line.startswith(b"\\"):  # "\ No newline at end of file"
            continue
        old -= not line.startswith(b"+")
        new -= not line.startswith(b"-")
        lines.append(line.rstrip(b"\r\n") or b" ")
    return lines
