from __future__ import annotations

import pytest

from redraft.lab.data.commit_message import Purpose, find_purpose


@pytest.mark.parametrize(
    ("message", "purpose"),
    [
        ("Fix typo in README", Purpose.CORRECTION),
        ("docs: grammar", Purpose.CORRECTION),
        ("Spelling corrections (#12)", Purpose.CORRECTION),
        ("Update guide.md\n\nFixes a misspelling.", Purpose.CORRECTION),
        ("Reword the introduction", Purpose.WORDING),
        ("Minor edits", Purpose.WORDING),
        ("Rename Foo to Bar", Purpose.STYLE),
        ("Follow the style guide", Purpose.STYLE),
        ("Add a chapter", Purpose.UNKNOWN),
        ("", Purpose.UNKNOWN),
        ('Revert "Fix typo"', Purpose.REVERT),
        ("Undo\n\nThis reverts commit 0123456.", Purpose.REVERT),
    ],
)
def test_purpose(message: str, purpose: Purpose) -> None:
    assert find_purpose(message) is purpose
