from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.files.gitignore import MOST_BYTES, Ignored, Patterns
from redraft.files.selection import Selection

FILES = (
    "readme.md",
    "notes.log",
    "keep.log",
    "a b.txt",
    "build/out.md",
    "build/keep.md",
    "docs/build/page.md",
    "docs/draft.md",
    "docs/final.md",
    "docs/deep/draft.md",
    "docs/deep/er/x.txt",
    "site/index.html",
    "site/private/secret.txt",
    "site/private/open.txt",
    "vendor/lib/readme.md",
    "vendor/own/readme.md",
    "#hash.md",
    "!bang.md",
    "local.md",
)
IGNORES = {
    ".gitignore": "*.log\n!keep.log\n/build/\n# a remark\n\\#hash.md\n\\!bang.md\na\\ b.txt\nvendor/*\n!vendor/own/\n",
    "docs/.gitignore": "\ufeffdraft.md\r\n!/deep/draft.md\r\n**/er/\r\n",
    "site/.gitignore": "private/*\n!private/open.txt\n",
    ".git/info/exclude": "local.md\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Text.\n")
    for name, text in IGNORES.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    return tmp_path


def chosen(folder: Path) -> set[str]:
    files = Selection(lambda path: path.name != ".gitignore").files([folder])
    return {path.relative_to(folder).as_posix() for path in files}


def git_sees(folder: Path) -> set[str]:
    command: list[str | Path] = ["git", "-C", folder, "ls-files", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return {name for name in listed if name and not name.endswith(".gitignore")}


@pytest.mark.parametrize("folder", [".", "docs", "site", "vendor/own"])
def test_git_ignores_the_same(repository: Path, folder: str) -> None:
    seen = git_sees(repository / folder)
    assert chosen(repository / folder) == seen
    assert seen


def test_an_ignored_folder_that_is_named_is_wanted(repository: Path) -> None:
    assert chosen(repository / "build") == {"out.md", "keep.md"}
    assert chosen(repository / "vendor" / "lib") == {"readme.md"}


def test_without_a_repository_the_files_count_all_the_same(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "a.log").touch()
    (tmp_path / "a.txt").touch()
    assert chosen(tmp_path) == {"a.txt"}


@pytest.mark.parametrize("name", [".git", ".hg", ".redraft"])
def test_what_tools_keep_for_themselves_is_never_looked_at(tmp_path: Path, name: str) -> None:
    assert Ignored().holds(tmp_path / name, is_folder=True)
    assert not Ignored().holds(tmp_path / name)


def test_a_gitignore_that_cannot_be_read_ignores_nothing(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").mkdir()
    assert Ignored.above(tmp_path) == Ignored()


def test_patterns_fit_outside_their_folder_by_name(tmp_path: Path) -> None:
    patterns = Patterns.parse(tmp_path / "here", ["*.log", "/top.md"])
    assert patterns.verdict(tmp_path / "there" / "x.log")
    assert patterns.verdict(tmp_path / "there" / "top.md") is None


def test_a_pattern_of_a_folder_matches_what_is_in_it(tmp_path: Path) -> None:
    patterns = Patterns.parse(tmp_path, ["docs/", "!docs/old/", "docs/old/x.md"])
    found = {
        name: patterns.verdict(tmp_path / name) for name in ("docs/a/b.md", "docs/old/a.md", "docs/old/x.md", "x.md")
    }
    assert found == {"docs/a/b.md": True, "docs/old/a.md": False, "docs/old/x.md": True, "x.md": None}
    assert patterns.verdict_alone(tmp_path / "docs" / "a" / "b.md") is None


def test_a_gitignore_is_a_regular_file_of_limited_size(tmp_path: Path) -> None:
    (tmp_path / "patterns").write_text("*.md\n")
    (tmp_path / "readme.md").touch()
    (tmp_path / ".gitignore").symlink_to("/dev/zero")
    assert not Ignored.above(tmp_path).holds(tmp_path / "readme.md")
    (tmp_path / ".gitignore").unlink()
    (tmp_path / ".gitignore").symlink_to("patterns")
    assert not Ignored.above(tmp_path).holds(tmp_path / "readme.md")  # as in git
    (tmp_path / ".gitignore").unlink()
    (tmp_path / ".gitignore").touch()
    os.truncate(tmp_path / ".gitignore", MOST_BYTES + 1)
    with pytest.raises(InputError, match=r"\.gitignore has 1,048,577 bytes; at most 1,048,576 are read"):
        Ignored.above(tmp_path)
