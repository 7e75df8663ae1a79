from __future__ import annotations

from pathlib import Path

import pytest
from skips import EXPECTED, Skip, find_unexpected, read_expected

LISTED = [Skip("tests/text/*", "no data*"), Skip("tests/lsp/test_emacs.py", "emacs is not installed")]


def test_a_listed_skip_is_expected() -> None:
    assert find_unexpected([Skip("tests/text/test_words.py", "no data here"), LISTED[1]], LISTED) == []


@pytest.mark.parametrize(
    "skip",
    [
        Skip("tests/lsp/test_neovim.py", "emacs is not installed"),
        Skip("tests/lsp/test_emacs.py", "emacs is too old"),
        Skip("tests/edits/test_align.py", "no data here"),
    ],
)
def test_another_file_or_reason_is_not(skip: Skip) -> None:
    assert find_unexpected([LISTED[1], skip, skip], LISTED) == [skip]


def test_the_list_can_be_read_and_names_files_that_exist() -> None:
    root = Path(__file__).parents[1]
    for skip in read_expected():
        assert list(root.glob(skip.file)), f"{EXPECTED.name}: there is no {skip.file}"


def test_a_line_without_a_reason_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "expected.txt"
    path.write_text("# a remark\n\ntests/test_skips.py\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"expected\.txt:3"):
        read_expected(path)
