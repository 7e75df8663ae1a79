from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from redraft.files.gitignore import Ignored
from redraft.files.glob_pattern import parse_pattern

NAMES = ("a", "b", "ab", "aab", "a.md", "b.md", "a b", "a ", "[", "]", "-", "!a", "#a", "\\", "A", "9")
PIECES = (
    *(
        "a",
        "b",
        ".md",
        "*",
        "**",
        "?",
        "/",
        "/**/",
        "**/",
        "/**",
        "[ab]",
        "[!a]",
        "[a-c]",
        "[^b-]",
        "[]a]",
        "[[:digit:]]",
    ),
    *("[a", "\\", "\\*", " ", "\\ ", "!", "#", "[[:alpha:]-]", "[", "]", "é", "A", "[b-a]", "[\\]]", "-", "[[:a]"),
)


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.md", "docs/a.md", True),
        ("/*.md", "docs/a.md", False),
        ("docs", "docs/deep/a.md", False),
        ("docs/", "docs", False),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**", "a", False),
        ("a/***/b", "a/x/b", True),
        ("a\\/b", "a/b", True),
        ("[a/b]", "a", True),
        ("a/**", "a/b/c", True),
        ("**/b", "b", True),
        ("a*b*c", "axbxxc", True),
        ("a*b*c", "axbxxd", False),
        ("*ab*ab", "abab", True),
        ("*ab*ab", "aab", False),
        ("[!a-c]x", "dx", True),
        ("[]x]", "]", True),
        ("a\\", "a\\", False),
        ("[a", "[a", False),
    ],
)
def test_patterns(pattern: str, path: str, matches: bool) -> None:
    found = parse_pattern(pattern)
    assert (found is not None and found.matches(path.split("/"), is_folder=False)) is matches


@pytest.mark.parametrize(
    "pattern",
    ["a*" * 400 + "b", "**/" * 5000 + "b", "*a" * 200_000, "[a-" * 5000, "?*" * 400 + "b", "[" * 5000, "\\" * 9999],
)
def test_no_pattern_takes_long(pattern: str) -> None:
    """With a repetition for each star, these would take longer than the universe exists."""
    found = parse_pattern(pattern)
    names = [*["a" * 255] * 8, "a" * 255 + "c"]
    assert found is None or not found.matches(names, is_folder=False)


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_random_patterns_match_what_git_matches(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    generator = random.Random(1)
    expected: set[str] = set()
    every: list[str] = []
    for number in range(400):
        folder = tmp_path / str(number)
        folder.mkdir()
        lines = [
            "".join(generator.choices(PIECES, k=generator.randrange(1, 5))) for _ in range(generator.randrange(1, 4))
        ]
        (folder / ".gitignore").write_text("\n".join(lines) + "\n", encoding="utf-8")
        ignored = Ignored().entering(folder)
        for _ in range(20):
            names = generator.choices(NAMES, k=generator.randrange(1, 4))
            path = "/".join([str(number), *names])
            every.append(path)
            folders = [folder.joinpath(*names[:depth]) for depth in range(1, len(names))]
            if any(ignored.holds(each, is_folder=True) for each in folders) or ignored.holds(folder.joinpath(*names)):
                expected.add(path)
    command = ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "-z", "--stdin"]
    answer = subprocess.run(command, check=False, input="\0".join(every).encode(), capture_output=True)
    found = set(answer.stdout.decode().split("\0")) - {""}
    shown = {path: (tmp_path / path.split("/")[0] / ".gitignore").read_text() for path in found ^ expected}
    assert shown == {}
    assert len(found) > 1000
