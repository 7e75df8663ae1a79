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
            "consistent": True,
            "trace": {"server": "verbose"},
        }
    )
    assert settings == Settings(
        "en", 0.5, frozenset({Kind.SPELLING, Kind.ARTICLE}), frozenset({Kind.ARTICLE}), {"norg": "markdown"}, True
    )
    assert settings.shown_kinds == {Kind.SPELLING}


def test_what_means_nothing_in_particular() -> None:
    assert Settings.read({"language": "auto", "kinds": []}) == Settings.read({"language": ""}) == Settings()
    assert Settings().shown_kinds == set(Kind)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "redraft must be a table, not []"),
        ({"kind": ["article"]}, "redraft.kind is not a known setting; did you mean 'kinds'?"),
        ({"zzz": 1}, "there are language, threshold"),
        ({"threshold": 2}, "redraft.threshold must be at least 0 and at most 1, not 2"),
        ({"threshold": True}, "redraft.threshold must be a number, not True"),
        ({"threshold": float("nan")}, "must be a number, not nan"),
        ({"minConfidence": 0.5}, "redraft.minConfidence is now threshold"),
        ({"kinds": "article"}, "must be a list"),
        ({"ignoredKinds": ["artcle"]}, "not 'artcle'; did you mean 'article'?"),
        ({"kinds": [["article"]]}, "not ['article']"),
        ({"formats": ["python"]}, "redraft.formats must be a table"),
        ({"formats": {"python": "of"}}, "redraft.formats.python must be one of plain, "),
        ({"language": 3}, "must be a text"),
        ({"consistent": 1}, "redraft.consistent must be true or false, not 1"),
        ({"language": ["y" * 1000]}, "…"),
    ],
)
def test_what_is_wrong_is_named(values: object, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Settings.read(values)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
