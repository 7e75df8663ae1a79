"""Git repositories that tests write commit by commit."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


class History:
    """A repository in a folder. Each commit is a minute later than the one before."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._minute = 0
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        date = f"2024-05-01T12:{self._minute:02}:00Z"
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            env={**os.environ, **_ENVIRONMENT, **dates},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(self, message: str, files: dict[str, str]) -> str:
        """Writes the files and commits them; returns the name of the commit."""
        self._minute += 1
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def replace(self, message: str, name: str, old: str, new: str) -> str:
        """Commits a file in which `old` is replaced by `new` wherever it occurs."""
        text = (self.folder / name).read_text(encoding="utf-8")
        assert old in text
        return self.commit(message, {name: text.replace(old, new)})
