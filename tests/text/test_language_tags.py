from __future__ import annotations

import pytest

from redraft.text.language_tags import LanguageTag, parse_tag


@pytest.mark.parametrize(
    ("tag", "parsed"),
    [
        ("en", LanguageTag("en")),
        ("EN-gb", LanguageTag("en", country="gb")),
        (" en_US ", LanguageTag("en", country="us")),
        ("zh-Hant", LanguageTag("zh", "hant")),
        ("sr-Latn-RS", LanguageTag("sr", "latn", "rs")),
        ("es-419", LanguageTag("es", country="419")),
        ("de-1996-x-private", LanguageTag("de")),
        ("auto", LanguageTag("auto")),
        ("", LanguageTag("")),
    ],
)
def test_tags_in_any_case_and_with_any_separator(tag: str, parsed: LanguageTag) -> None:
    assert parse_tag(tag) == parsed
