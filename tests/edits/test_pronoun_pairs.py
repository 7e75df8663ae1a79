from __future__ import annotations

import pytest

from redraft.edits.pronoun_pairs import find_wrong_pairs


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        ("Me and him went home.", "I and I went home.", ["I and I"]),
        ("Me and him went home.", "I and him went home.", ["I and him"]),
        ("She asked him and us.", "She asked him or he.", ["him or he"]),
        ("Me and him went home.", "He and I went home.", []),
        ("Me and you went home.", "You and I went home.", []),
        ("Her and I went home.", "She and me went home.", []),  # it was wrong before
        ("They said you and you only.", "They say you and you only.", []),
        ("The theme and him.", "The theme and they.", []),
    ],
)
def test_pairs_of_pronouns_that_an_edit_makes_wrong(source: str, target: str, found: list[str]) -> None:
    assert [span.of(target) for span in find_wrong_pairs(source, target)] == found
