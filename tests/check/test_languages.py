from __future__ import annotations

import pytest

from redraft.check.languages import Language, find_language, languages_of


@pytest.mark.parametrize(
    ("code", "long_code"),
    [("en", "en"), ("EN-us", "en-US"), ("en_GB", "en-GB"), ("auto", "en"), ("en-IE", "en"), (" en-CA ", "en-CA")],
)
def test_codes_in_any_case_and_with_any_country(code: str, long_code: str) -> None:
    language = find_language(code, "en")
    assert language is not None
    assert (language.code, language.long_code) == ("en", long_code)


@pytest.mark.parametrize("code", ["de", "english", "", "en1"])
def test_other_languages_are_not_known(code: str) -> None:
    assert find_language(code, "en") is None


def test_a_language_without_variants() -> None:
    assert languages_of("eo") == (Language("eo", "eo", "eo"),)


def test_languages_of_several_models() -> None:
    assert [language.long_code for language in languages_of("eo", "zh")] == ["eo", "zh", "zh-CN"]
    language = find_language("zh-TW", "en", "zh")
    assert language is not None
    assert language.long_code == "zh"
    assert find_language("zh", "en") is None


@pytest.mark.parametrize(("text", "code"), [("你好，世界！", "zh"), ("Hello!", "en"), ("", "en"), ("Привіт", "en")])
def test_auto_is_what_most_of_the_text_is_written_in(text: str, code: str) -> None:
    language = find_language("auto", "en", "zh", text=text)
    assert language is not None
    assert language.code == code
