"""Simplified and traditional Chinese characters."""

from __future__ import annotations

import sys

import pytest

from redraft.errors import ConfigError
from redraft.text.chinese_characters import (
    can_simplify,
    is_traditional,
    restore,
    simplifier,
    simplify,
    traditionalize,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他們都很努力。", True),
        ("他们都很努力。", False),
        ("人山人海", False),
        ("这个词的繁体是後來。", False),
        ("He runs.", False),
        ("", False),
    ],
)
def test_a_text_is_traditional_if_most_of_its_characters_are(text: str, expected: bool) -> None:
    assert is_traditional(text) is expected


@pytest.mark.parametrize("text", ["頭髮很長，發現了問題。", "皇后在公里外", "Ünï 😀𠮷 ｡", ""])
def test_a_character_stays_one_character(text: str) -> None:
    assert len(simplify(text)) == len(traditionalize(text)) == len(text)


def test_simplified_characters_stay() -> None:
    assert simplify("頭髮與头发 hair") == "头发与头发 hair"
    assert simplify("著名的作家") == "著名的作家"


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("地", "的", "地"),
        ("们", "門", "們"),
        ("气", "汽", "氣"),
        ("看着", "看", "看著"),
        ("发头", "頭髮", "髮頭"),
        ("发", "現", None),
        ("但是 OK", "", "但是 OK"),
    ],
)
def test_edits_come_in_traditional_characters_or_not_at_all(text: str, source: str, expected: str | None) -> None:
    assert restore(text, source) == expected


@pytest.mark.usefixtures("without_opencc")
def test_characters_stay_without_opencc() -> None:
    assert not can_simplify()
    assert is_traditional("他們都很努力。")
    assert simplify("頭髮") == "頭髮"
    assert traditionalize("头发") == "头发"


def test_opencc_is_found() -> None:
    assert can_simplify()


def test_traditional_words_become_simplified_and_the_rest_stays() -> None:
    pytest.importorskip("opencc")
    assert simplifier()("漢語 and 汉语，2") == "汉语 and 汉语，2"


def test_the_error_without_opencc_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opencc", None)
    with pytest.raises(ConfigError, match="install the extra 'zh'"):
        simplifier()
