from __future__ import annotations

import re
import unicodedata

import pytest

from redraft.text.patterns import EMAIL, EMOJI, HAN_AND_KANA, MARKS, MENTION, URL


def test_every_combining_mark_of_the_first_plane_is_a_mark():
    mark = re.compile(f"[{MARKS}]")
    points = (chr(point) for point in range(0x10000) if unicodedata.category(chr(point)) in {"Mn", "Mc", "Me"})
    assert [f"{ord(point):04x}" for point in points if not mark.match(point)] in ([], ["fb1e"])


def test_no_mark_is_a_letter_or_white_space():
    mark = re.compile(f"[{MARKS}]")
    assert not [
        point for point in map(chr, range(0x30000)) if mark.match(point) and (point.isspace() or point.isalpha())
    ]


@pytest.mark.parametrize("character", "中々〇あアーｱ𠮷")
def test_characters_of_scripts_without_spaces(character: str):
    assert re.fullmatch(f"[{HAN_AND_KANA}]", character)


@pytest.mark.parametrize("character", ["한", "a", "。", "、", "я"])
def test_characters_of_scripts_with_spaces(character: str):
    assert not re.fullmatch(f"[{HAN_AND_KANA}]", character)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("see https://a.org/b?c=d#e.", "https://a.org/b?c=d#e"),
        ("(www.a.org/b)", "www.a.org/b"),
        ("on example.com, and", "example.com"),
        ("at example.com/a/b!", "example.com/a/b"),
        ("在http://a.org/x。好", "http://a.org/x"),
        ("“https://a.org”", "https://a.org"),
    ],
)
def test_an_address_ends_before_the_punctuation_of_the_sentence(text: str, url: str):
    found = re.search(URL, text)
    assert found
    assert found[0] == url


@pytest.mark.parametrize("text", ["I like.it is good", "end.Next", "a.b@c.org", "www.", "e.g. this"])
def test_what_is_no_address(text: str):
    assert not re.search(URL, text)


def test_mail_address_and_mention():
    address = re.search(EMAIL, "to a.b+c@mail.example.org.")
    assert address
    assert address[0] == "a.b+c@mail.example.org"
    mention = re.search(MENTION, "ask @ann_b.")
    assert mention
    assert mention[0] == "@ann_b"
    assert not re.search(MENTION, "a@b")


@pytest.mark.parametrize("emoji", ["👍🏽", "🇺🇦", "👩‍👩‍👧‍👦", "1️⃣", "❤️", "☺"])
def test_an_emoji_is_one_whatever_its_parts(emoji: str):
    assert re.fullmatch(EMOJI, emoji)
