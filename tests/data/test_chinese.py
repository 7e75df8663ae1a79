from __future__ import annotations

from pathlib import Path

from redraft.data import chinese
from redraft.data.noise import Noiser
from redraft.data.pair import Pair
from redraft.data.readers import Faults
from redraft.data.table import Family

SENTENCES = ["他在家学习中文。", "我们的老师很好。", "在这里我们学习。"]


def lay_out(folder: Path) -> Path:
    (folder / "clean_a.txt").write_text("\n".join(SENTENCES * 20))
    pair = "grammar\torigin\t他再家学习中文。\t他在家学习中文。\n"
    excluded = "grammar\torigin\t我们老师很好。\t我们的老师很好。\n"
    (folder / "pairs.tsv").write_text(pair * 3 + excluded * 3 + "bad line\n")
    (folder / "mucgec.filter.txt").write_text("我们老师很好。\n")
    (folder / "confusion_pycorrector_same_pinyin.txt").write_text("#汉字\t同音同调\t同音异调\n家\t学\t\n")
    (folder / "confusion_sighan13_SimilarPronunciation.txt").write_text("漢字\t同音同調\n")
    (folder / "confusion_pycorrector_same_stroke.txt").write_text("中\t文\n")
    (folder / "confusion_sighan13_SimilarShape.txt").write_text("好,很龘\n")
    return folder


def test_a_table_from_a_folder(tmp_path: Path) -> None:
    faults = Faults()
    table = chinese.build(chinese.gather(lay_out(tmp_path), faults))
    wrong = {key: {candidate.wrong for candidate in found} for key, found in table.candidates.items()}
    assert "学" in wrong["家"]
    assert "文" in wrong["中"]
    assert wrong["好"] == {"很"}, "a character that no text has is not written by mistake"
    assert "的" not in wrong, "sentences to keep out teach nothing"
    assert [fault.reason for fault in faults.first] == ["expected type, origin, source and target between tabs"]
    noiser = Noiser(table, 1, chinese.RATES)
    pairs = [noiser.pair(SENTENCES[index % 3], index) for index in range(300)]
    assert {pair.target for pair in pairs} == set(SENTENCES)
    assert len({pair.source for pair in pairs}) > 20
    assert not any(" " in pair.source for pair in pairs)


def test_pairs_are_turned_around() -> None:
    inverted = chinese.invert_pair(Pair("他再家。", "他在 家里。"))
    assert inverted.tokens == tuple("他在家里。")
    assert [(edit.start, edit.end, edit.wrong) for edit in inverted.edits] == [(1, 2, ("再",)), (3, 4, ())]
    assert inverted.edits[0].family is Family.SPELLING


def test_ranks_are_of_ideographs() -> None:
    assert set(chinese.rank({"的": 5, "a": 9, "。": 9, "好": 2})) == {"的", "好"}
