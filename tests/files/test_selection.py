from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from redraft.files.gitignore import Patterns
from redraft.files.selection import Selection, common_folder
from redraft.files.text_file import STDIN


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("b.md", "a.txt", "c.xyz", "sub/d.md", "sub/deep/e.md", "sub/deep/f.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def select(*arguments: str, selection: Selection | None = None) -> list[str]:
    chosen = selection or Selection(lambda path: path.suffix != ".xyz")
    return [path.as_posix() for path in chosen.files(map(Path, arguments))]


def test_a_named_file_is_taken_whatever_it_is(here: Path) -> None:
    assert select("c.xyz", "missing.txt", "-") == ["c.xyz", "missing.txt", "-"]


def test_a_folder_means_its_files_in_order(here: Path) -> None:
    for own in (".redraft-journal.jsonl", ".redraft-0123456789ab.partial", ".redraft-0123456789ab-01234567"):
        (here / own).touch()
    selection = Selection(lambda path: path.suffix != ".xyz")
    assert select(".", selection=selection) == ["a.txt", "b.md", "sub/d.md", "sub/deep/e.md", "sub/deep/f.txt"]
    assert selection.others == 1


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.md", ["b.md"]),
        ("**/*.md", ["b.md", "sub/d.md", "sub/deep/e.md"]),
        ("sub/*/*.md", ["sub/deep/e.md"]),
        ("sub/**/[ef].*", ["sub/deep/e.md", "sub/deep/f.txt"]),
        ("./sub/*.md", ["sub/d.md"]),
        ("?.xyz", ["c.xyz"]),
        ("*.rst", ["*.rst"]),
        ("nowhere/*.md", ["nowhere/*.md"]),
    ],
)
def test_a_pattern_means_the_files_that_fit(here: Path, pattern: str, names: list[str]) -> None:
    assert select(pattern) == names


def test_a_file_may_have_the_name_of_a_pattern(here: Path) -> None:
    (here / "[a].txt").write_text("x")
    assert select("[a].txt") == ["[a].txt"]


def test_each_file_comes_once(here: Path) -> None:
    (here / "link.txt").symlink_to("a.txt")
    assert select("a.txt", "./a.txt", "link.txt", "sub/../a.txt", "*.txt", "-", "-") == ["a.txt", "-"]


def test_links_in_folders_are_not_followed(here: Path) -> None:
    (here / "sub" / "loop").symlink_to(here)
    (here / "sub" / "far.md").symlink_to(here / "b.md")
    assert select("sub") == ["sub/d.md", "sub/deep/e.md", "sub/deep/f.txt"]


def test_inclusion_replaces_the_documents(here: Path) -> None:
    selection = Selection(lambda path: True, include=[Patterns.parse(here, ["*.xyz", "/sub/*.md"])])
    assert select(".", "a.txt", selection=selection) == ["c.xyz", "sub/d.md", "a.txt"]


def test_exclusion_holds_for_named_files_too(here: Path) -> None:
    selection = Selection(lambda path: True, exclude=[Patterns.parse(here, ["deep/", "a.*"])])
    assert select(".", "a.txt", "sub/deep/e.md", "sub/deep", selection=selection) == ["b.md", "c.xyz", "sub/d.md"]
    assert selection.excluded == [Path("a.txt"), Path("sub/deep/e.md"), Path("sub/deep")]


def test_a_folder_that_cannot_be_read_is_handed_on(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = os.scandir

    def refuse(path: Path) -> Iterator[os.DirEntry[str]]:
        if Path(path).name == "deep":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr("os.scandir", refuse)
    assert select("sub") == ["sub/d.md", "sub/deep"]


def test_a_name_that_cannot_be_is_handed_on(here: Path) -> None:
    assert select("a\0b", "x" * 5000) == ["a\0b", "x" * 5000]


def test_folders_deeper_than_the_stack_are_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path
    for _ in range(150):
        place = place / "d"
    place.mkdir(parents=True)
    (place / "x.txt").touch()
    assert len(select(str(tmp_path))) == 1


def test_the_common_folder_holds_all(here: Path) -> None:
    assert common_folder([Path("sub/d.md"), Path("sub/deep/e.md")]) == here / "sub"
    assert common_folder([Path("sub/deep")]) == here / "sub" / "deep"
    assert common_folder([Path("sub/*.md"), STDIN]) == here / "sub"
    assert common_folder([STDIN]) == here
    assert common_folder([]) == here
