from __future__ import annotations

from pathlib import Path

from redraft.lab.data import chinese_table
from redraft.lab.data.noise import Noiser, NoiseRates
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults
from redraft.lab.data.table import ErrorTable, Family

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
    table = chinese_table.build(chinese_table.gather(lay_out(tmp_path), faults))
    wrong = {key: {candidate.wrong for candidate in found} for key, found in table.candidates.items()}
    assert "学" in wrong["家"]
    assert "文" in wrong["中"]
    assert wrong["好"] == {"很"}, "a character that no text has is not written by mistake"
    assert "们 的" not in wrong, "sentences to keep out teach nothing"
    assert wrong["地"] >= {"的", "得"}
    assert "一 个" in wrong["一 辆"]
    assert [fault.reason for fault in faults.first] == ["expected type, origin, source and target between tabs"]
    noiser = Noiser(table, 1)
    pairs = [noiser.pair(SENTENCES[index % 3], index) for index in range(300)]
    assert {pair.target for pair in pairs} == set(SENTENCES)
    assert len({pair.source for pair in pairs}) > 20
    assert not any(" " in pair.source for pair in pairs)


def test_pairs_are_turned_around() -> None:
    inverted = chinese_table.invert_pair(Pair("他再家。", "他在 家里。"))
    assert inverted.tokens == tuple("他在家里。")
    assert [(edit.start, edit.end, edit.wrong) for edit in inverted.edits] == [(1, 2, ("再",)), (3, 4, ())]
    assert inverted.edits[0].family is Family.SPELLING


def test_ranks_are_of_ideographs() -> None:
    assert set(chinese_table.rank({"的": 5, "a": 9, "。": 9, "好": 2})) == {"的", "好"}


def test_words_are_characters_that_keep_together() -> None:
    counts = dict.fromkeys("学习我们的", 100) | {"好": 5_000}
    together = {"学习": 90, "我们": 80, "习我": 1, "我的": 90, "们好": 60}
    assert chinese_table.find_words(counts, together) == {"学习", "我们"}


def test_whole_words_are_dropped_repeated_and_swapped() -> None:
    words = frozenset({"学习", "中文", "老师"})
    table = ErrorTable("zh", "character", ranks=dict.fromkeys("学习中文老师好", 0), words=words)
    noiser = Noiser(
        table, rates=NoiseRates(clean=0, mean=0.01, shares={Family.ORDER: 1, Family.DROP: 1, Family.REPEAT: 1})
    )
    made = {noiser.pair("老师学习中文好", index).source for index in range(2_000)}
    assert {"学习老师中文好", "学习中文好", "老师学习学习中文好"} <= made


def test_what_training_may_not_see(tmp_path: Path) -> None:
    (tmp_path / "mucgec.dev.txt").write_text("1\t今天天气非常好啊。我走了。\t今天的天气非常好。\n", encoding="utf-8")
    forbidden = chinese_table.collect_forbidden(tmp_path, Faults())
    assert forbidden.holds("今天天气非常好啊！")
    assert forbidden.holds("今天的天气非常好。")
    assert not forbidden.holds("我走了。"), "what anybody says"
