from __future__ import annotations

from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.lab.evaluate.character_similarity import CharacterSimilarity, pinyin, read_confusion_sets, read_thesaurus


def readings(character: str) -> frozenset[str]:
    return frozenset({"做": ["zuo"], "坐": ["zuo"], "走": ["zou"]}.get(character, [character]))


def test_similar_in_reading_shape_or_meaning_costs_less() -> None:
    plain, read = CharacterSimilarity(), CharacterSimilarity(readings)
    assert read.cost("做", "坐") < plain.cost("做", "坐") == read.cost("做", "走")
    confused = CharacterSimilarity(confusion_sets={"未": frozenset("末")})
    assert confused.cost("未", "末") == confused.cost("末", "未") < plain.cost("未", "末")
    thesaurus = {"看": ("F", "c", "04"), "瞧": ("F", "c", "04"), "听": ("F", "c", "05"), "山": ("B", "e", "04")}
    meant = CharacterSimilarity(thesaurus=thesaurus)
    assert meant.cost("看", "瞧") < meant.cost("看", "听") < meant.cost("看", "山")


def test_punctuation_for_punctuation_is_cheaper_than_for_a_character() -> None:
    plain = CharacterSimilarity()
    assert plain.cost("，", "、") < plain.cost("的", "地") < plain.cost("，", "的")


def test_readings_without_tones() -> None:
    pytest.importorskip("pypinyin")
    assert pinyin()("行") & pinyin()("航")
    assert not pinyin()("人") & pinyin()("山")


def test_confusion_sets_with_any_separator(tmp_path: Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("#汉字\t同音\n未\t末\t本\n", encoding="utf-8")
    second.write_text("己,已巳\n", encoding="utf-8")
    assert read_confusion_sets([first, second]) == {"未": frozenset("末本"), "己": frozenset("已巳")}


def test_a_thesaurus_and_a_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("Aa01A01= 人 人物\nBe04A01= 山\n", encoding="utf-8")
    assert read_thesaurus(path) == {"人": ("A", "a", "01"), "山": ("B", "e", "04")}
    path.write_text("人 山\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"words\.txt:1"):
        read_thesaurus(path)
