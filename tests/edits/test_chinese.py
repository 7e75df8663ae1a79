from __future__ import annotations

import pytest

from redraft.edits.align import align
from redraft.edits.chinese import NAMES, classify, explain, sound_alike
from redraft.edits.edit import Kind


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("的", "地", Kind.WORD_FORM),
        ("的", "", Kind.WORD_FORM),
        ("着", "了", Kind.VERB_FORM),
        ("", "过", Kind.VERB_FORM),
        ("个", "辆", Kind.AGREEMENT),
        ("做", "坐", Kind.SPELLING),
        ("在接再励", "再接再厉", Kind.SPELLING),
        ("他", "她", Kind.PRONOUN),
        ("", "对于", Kind.PREPOSITION),
        ("，", "。", Kind.PUNCTUATION),
        ("", "、", Kind.PUNCTUATION),
        ("去学校昨天", "昨天去学校", Kind.WORD_ORDER),
        ("", "能", Kind.MISSING_WORD),
        ("学习", "", Kind.REDUNDANCY),
        ("大概", "一般", Kind.WORD_CHOICE),
        ("你 好", "你好", Kind.SPACING),
        ("app", "App", Kind.CASING),
    ],
)
def test_kinds(old: str, new: str, kind: Kind) -> None:
    assert classify(old, new) is kind
    assert explain(kind, old, new).endswith("。")


def test_every_kind_has_a_name_and_an_explanation() -> None:
    assert set(NAMES) == set(Kind)
    for kind in Kind:
        for old, new in (("甲", "乙"), ("甲", ""), ("", "乙"), ("甲" * 99, "乙" * 99)):
            assert "\n" not in explain(kind, old, new)
            assert len(explain(kind, old, new)) < 100


def test_characters_that_sound_alike() -> None:
    assert sound_alike("做", "坐")
    assert sound_alike("行", "航")
    assert not sound_alike("人", "山")
    assert not sound_alike("a", "a")


@pytest.mark.parametrize(
    ("source", "target", "changes"),
    [
        ("学生大概做飞机。", "学生一般坐飞机。", [("大概做", "一般坐")]),
        ("我去学校昨天。", "我昨天去学校。", [("去学校昨天", "昨天去学校")]),
        ("我看书了一本", "我看了一本书", [("书了一本", "了一本书")]),
        ("我用 Python 写的快", "我用 Python 写得快", [("的", "得")]),
    ],
)
def test_changes_that_a_reader_sees_as_one(source: str, target: str, changes: list[tuple[str, str]]) -> None:
    found = align(source, target)
    assert [(change.source.of(source), change.target.of(target)) for change in found] == changes
