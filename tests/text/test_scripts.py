from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.text.scripts import (
    _count,
    can_read,
    detect_language,
    foreign_words,
    has_spaces,
    is_chinese,
    script_name,
    scripts_of,
)


@pytest.mark.parametrize(
    ("language", "sentence", "readable"),
    [
        ("en", "Hello world.", True),
        ("en", "1, 2, 3...", False),
        ("en", "", False),
        ("en", "Привіт, світе!", False),
        ("en", "naïve café", True),
        ("en", "I said 你好 to her.", True),
        ("en", "他说 OK。", False),
        ("zh", "他说 OK。", True),
        ("zh", "我用Python写iPhone的App。", True),
        ("zh", "私は学生です", False),
        ("ja", "私は学生です", True),
        ("uk", "Привіт, світе!", True),
        ("sr", "Добар дан", True),
        ("sr-Latn", "Dobar dan", True),
        ("sr-Latn", "Добар дан", False),
        ("ka-Geor", "გამარჯობა", True),
        ("ko", "안녕하세요", True),
    ],
)
def test_a_language_reads_its_script(language: str, sentence: str, readable: bool) -> None:
    assert can_read(language, sentence) is readable


def test_languages_by_their_tags() -> None:
    assert scripts_of("zh-Hant-TW") == scripts_of("zh") != scripts_of("ja")
    assert is_chinese("zh-CN")
    assert not is_chinese("en")
    assert not has_spaces("zh")
    assert has_spaces("uk")


def test_the_language_of_most_of_a_text() -> None:
    assert detect_language("你好，世界。Hello!", ["en", "zh"]) == "zh"
    assert detect_language("Hello, world! 你好", ["en", "zh"]) == "en"
    assert detect_language("Привіт", ["en", "zh"]) is None
    assert detect_language("Guten Tag", ["en", "de"]) == "en"
    assert detect_language("", []) is None


def test_words_of_other_scripts() -> None:
    text = "我用Python写 café，的"
    assert [span.of(text) for span in foreign_words(text, "zh")] == ["Python", "café"]
    english = "The α wave, мир and 𝐛𝐚𝐝"
    assert [span.of(english) for span in foreign_words(english, "en")] == ["α", "мир"]
    assert foreign_words("Plain words.", "en") == []
    assert foreign_words("сир i хліб", "uk") != []
    assert foreign_words("мiст", "uk") == []  # a Latin i inside a word is a typing error


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Она идёт в школу.", "Cyrillic"),
        ("She goes to school.", "Latin"),
        ("今天天气很好。", "Chinese"),
        ("これは本です。", "Japanese"),
        ("안녕하세요 여러분.", "Korean"),
        ("Καλημέρα, says Ana", "Latin"),
        ("12345, 67.", None),
        ("", None),
    ],
)
def test_the_name_of_the_main_script(text: str, name: str | None) -> None:
    assert script_name(text) == name


@given(st.sampled_from(["en", "uk", "zh"]), st.text(st.characters(max_codepoint=127)) | st.text("aЖ中1 ."))
def test_a_sentence_is_readable_if_half_of_its_words_are_in_the_script(language, sentence):
    counts = _count(sentence)
    own, total = sum(counts[script] for script in scripts_of(language)), counts.total()
    assert can_read(language, sentence) == (total > 0 and 2 * own >= total)
