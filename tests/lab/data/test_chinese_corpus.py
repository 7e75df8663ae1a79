from __future__ import annotations

from pathlib import Path

from redraft.edits import m2
from redraft.lab.data.chinese_corpus import assemble, find_edits
from redraft.lab.data.readers import Faults, read_sentences
from redraft.lab.data.text_output import write_lines

NEWS = [f"今天是第{number}天，天气非常好。" for number in "一二三四五六七八九"]


def lay_out(folder: Path) -> Path:
    write_lines(folder / "clean_xwlb_news.txt.xz", NEWS)
    write_lines(folder / "clean_laws.txt", ["本法自公布之日起施行。", "没有句号的标题", "我昨天去学校了，很高兴。"])
    pairs = ["grammar\ta\t他高兴的笑了。\t他高兴地笑了。", "spell\tb\t我门去学校。\t我们去学校。"]
    forbidden = "grammar\ta\t我昨天去学校了很高兴。\t我昨天去了学校，很高兴。"
    write_lines(folder / "pairs.tsv", [*pairs, pairs[0], forbidden])
    write_lines(folder / "mucgec.filter.txt", ["我昨天去学校了，很高兴！"])
    write_lines(folder / "mucgec.dev.txt", ["1\t我喜欢的吃饭。\t我喜欢吃饭。\t没有错误", "2\t天地。\t无法标注"])
    return folder


def test_everything_that_training_reads(tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = assemble(lay_out(tmp_path / "in"), out, Faults())
    assert (made.all_pairs, made.grammar_pairs, made.dev) == (2, 1, 1)
    held_out = set(read_sentences(out / "heldout.txt", Faults()))
    clean = set(read_sentences(out / "clean" / "clean.txt.xz", Faults()))
    assert held_out == set(NEWS), "of so few, all"
    assert clean == {"本法自公布之日起施行。"}, "whole sentences that are neither held out nor forbidden"


def test_gold_of_characters() -> None:
    sentence = find_edits("我喜欢的 吃饭。", ["我喜欢吃饭。", "没有错误", "我很喜欢吃米饭。"])
    assert sentence.tokens == tuple("我喜欢的吃饭。")
    assert ["".join(sentence.corrected(annotator)) for annotator in range(3)] == [
        "我喜欢吃饭。",
        "我喜欢的吃饭。",
        "我很喜欢吃米饭。",
    ]
    assert list(m2.read([*m2.write([sentence])])) == [sentence]
