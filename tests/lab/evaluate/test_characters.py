from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.edits.m2 import M2Edit, M2Sentence
from redraft.errors import InputError
from redraft.lab.evaluate import maxmatch
from redraft.lab.evaluate.character_similarity import CharacterSimilarity, pinyin, read_confusion_sets
from redraft.lab.evaluate.characters import (
    Extractor,
    Item,
    by_character,
    read_hypotheses,
    read_references,
    score,
    spell_out,
    tokenize,
)
from redraft.text.chinese_characters import simplifier

SHORT = st.text("我他去学校了的。", min_size=1, max_size=8)


def edits(source: str, target: str) -> list[tuple[int, int, str]]:
    return [(edit.start, edit.end, edit.replacement) for edit in Extractor().extract(source, target)]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("我去学校", "我去学校", []),
        ("我去学校", "没有错误", []),
        ("他高兴的笑", "他高兴地笑", [(3, 4, "地")]),
        ("我昨天学校", "我昨天去了学校", [(3, 3, "去了")]),
        ("我我们去", "我们去", [(0, 1, "")]),
        ("我去学校昨天", "我昨天去学校", [(1, 6, "昨天去学校")]),
        ("应该要好好学习", "应好好学习", [(1, 3, "")]),
        ("大家觉的好", "大家认为好", [(2, 4, "认为")]),
    ],
)
def test_edits_of_characters(source: str, target: str, expected: list[tuple[int, int, str]]) -> None:
    assert edits(source, target) == expected


@given(SHORT, SHORT)
def test_the_edits_of_an_only_alignment_make_the_target(source: str, target: str) -> None:
    found = Extractor().extract(source, target)
    if any(later.start < edit.end for edit, later in pairwise(found)):
        return  # several alignments, one after the other
    rebuilt, position = "", 0
    for edit in found:
        assert source[edit.start : edit.end] == edit.source != edit.replacement
        rebuilt += source[position : edit.start] + edit.replacement
        position = edit.end
    assert rebuilt + source[position:] == target or len(found) > 1


def test_the_best_reference_counts() -> None:
    item = Item("他高兴的笑。", ("他开心地笑。", "他高兴地笑。"))
    report = score(["他高兴地笑。"], [item], Extractor())
    assert (report.counts.correct, report.counts.proposed, report.counts.gold) == (1, 1, 1)
    assert report.sentences[0].annotator == 1


def test_unintelligible_sentences_do_not_count() -> None:
    report = score(["天地"], [Item("天天", ("无法标注",))], Extractor())
    assert report.counts.proposed == report.counts.gold == 0


def test_a_missing_part_is_one_token_and_white_space_is_none() -> None:
    assert tokenize("他 去[缺失成分]。") == ("他", "去", "[缺失成分]", "。")


def test_traditional_corrections_are_simplified() -> None:
    pytest.importorskip("opencc")
    assert Extractor(simplify=simplifier()).extract("猫来了", "貓來了") == ()


def test_files_with_and_without_numbers(tmp_path: Path) -> None:
    path = tmp_path / "references.tsv"
    path.write_text("1\t甲\t乙\t丙\n2\t丁\t丁\n", encoding="utf-8")
    expected = [Item("甲", ("乙", "丙")), Item("丁", ("丁",))]
    assert read_references(path) == expected
    path.write_text("甲\t乙\t丙\n丁\t丁\n", encoding="utf-8")
    assert read_references(path) == expected
    path.write_text("1\t甲\t乙\n2\t丁\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"references\.tsv:2"):
        read_references(path)
    path.write_text("1\t甲\t乙\n丙\n", encoding="utf-8")
    assert read_hypotheses(path) == ["乙", "丙"]


def test_gold_in_words_is_gold_in_characters() -> None:
    words = M2Sentence(("我", "昨天", "去", "了", "学校"), (M2Edit(3, 5, "S", ("过 学校",)),))
    split = by_character(words)
    assert split.tokens == tuple("我昨天去了学校")
    assert split.edits == (M2Edit(4, 7, "S", ("过 学 校",)),)
    noop = M2Sentence(("我",), (M2Edit(-1, -1, "noop", ("",)),))
    assert by_character(noop).edits[0].start == -1
    report = maxmatch.score([spell_out("我昨天去过学校")], [split])
    assert (report.precision, report.recall) == (1.0, 1.0)


def test_the_published_example(shared_data: Path) -> None:
    """Published are 1084, 1635 and 3003, with a thesaurus; without one, some alignments that cost the same do not."""
    pytest.importorskip("pypinyin")
    folder = shared_data / "zh"
    simplify = simplifier()
    shapes = read_confusion_sets([folder / "confusion_sighan13_SimilarShape.txt"], simplify)
    extractor = Extractor(CharacterSimilarity(pinyin(), shapes), simplify)
    gold = read_references(folder / "mucgec.dev.txt")
    counts = score(read_hypotheses(folder / "scorer" / "mucgec.dev.example.txt"), gold, extractor).counts
    assert (counts.correct, counts.proposed - counts.correct, counts.gold - counts.correct) == (1085, 1645, 3010)
