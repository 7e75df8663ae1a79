from __future__ import annotations

import pytest

from redraft.edits.edit import Kind
from redraft.errors import ConfigError
from redraft.lsp.settings import Settings


def test_null_counts_as_left_out() -> None:
    nulls = dict.fromkeys(("language", "threshold", "kinds", "ignoredKinds", "formats"))
    assert Settings.read(None) == Settings.read({}) == Settings.read(nulls) == Settings()


def test_everything_set() -> None:
    settings = Settings.read(
        {
            "language": "en",
            "threshold": 0.5,
            "kinds": ["spelling", "article"],
            "ignoredKinds": ["article"],
            "formats": {"norg": "markdown"},
            "trace": {"server": "verbose"},
        }
    )
    assert settings == Settings("en", 0.5, frozenset({Kind.SPELLING}), {"norg": "markdown"})


def test_what_means_nothing_in_particular() -> None:
    assert Settings.read({"language": "auto", "kinds": []}) == Settings()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "“redraft” must be an object"),
        ({"kind": ["article"]}, "no setting “redraft.kind”; did you mean “kinds”"),
        ({"zzz": 1}, "there are language, threshold"),
        ({"threshold": 2}, "from 0 to 1, not 2"),
        ({"threshold": True}, "from 0 to 1, not True"),
        ({"threshold": float("nan")}, "from 0 to 1"),
        ({"kinds": "article"}, "must be a list"),
        ({"ignoredKinds": ["artcle"]}, "no kind 'artcle'; did you mean “article”"),
        ({"kinds": [["article"]]}, "no kind ['article']"),
        ({"formats": ["python"]}, "must be an object"),
        ({"formats": {"python": "of"}}, "“redraft.formats.python”: there is no format 'of'; there are plain"),
        ({"language": 3}, "must be a text"),
        ({"language": ["y" * 1000]}, "…"),
    ],
)
def test_what_is_wrong_is_named(values: object, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Settings.read(values)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
