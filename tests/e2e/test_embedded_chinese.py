"""The embedded Chinese model, with the texts that people really write."""

from __future__ import annotations

import pytest

import redraft
from redraft.check.corrector import Corrector
from redraft.check.options import CheckOptions
from redraft.check.session import CheckSession
from redraft.check.user_rules import Words
from redraft.edits.edit import Kind, apply
from redraft.server.languagetool import widen_insertions

pytestmark = pytest.mark.e2e

SURE = {
    "他们都很努力的学习。": "他们都很努力地学习。",
    "他跑的很快。": "他跑得很快。",
    "今天天汽很好，我门去公园玩。": "今天天气很好，我们去公园玩。",
    "这个电影我看过三次了。": "这部电影我看过三次了。",
    "我对音乐很兴趣。": "我对音乐很感兴趣。",
    "他说：“我门去公园玩。”": "他说：“我们去公园玩。”",
}
TRADITIONAL = {
    "他們都很努力的學習。": "他們都很努力地學習。",
    "今天天汽很好，我門去公園玩。": "今天天氣很好，我們去公園玩。",
    "他說：「我們去公園玩。」然後高興的走了。": "他說：「我們去公園玩。」然後高興地走了。",
    "我對音樂很興趣。": "我對音樂很感興趣。",
}
UNTOUCHED = [
    "頭髮很長，發現了這個問題。",
    "他看著我笑著說。",
    "妳喜歡牠嗎？",
    "他的頭发很長，说话說得很好。",
    "日本語の文章です。彼は学校に行きました。",
    "한국어 문장입니다.",
    "She go to school every days.",
]
MIXED = {
    "😀他们都很努力的学习😀。😀": "😀他们都很努力地学习😀。😀",
    "👨\u200d👩\u200d👧 我门去公园玩👍🏽": "👨\u200d👩\u200d👧 我们去公园玩👍🏽",
    "𠮷野家的饭很好吃，我门去吃。": "𠮷野家的饭很好吃，我们去吃。",
    "我用 GitHub 提交了 pull request，他跑的很快。": "我用 GitHub 提交了 pull request，他跑得很快。",
    "她有１２３本书,很高兴的离开了.": "她有１２３本书,很高兴地离开了.",
    "运行`pip 我门`以后，我门去公园玩。": "运行`pip 我门`以后，我们去公园玩。",
    "@小明 #我门的书# 我门去公园玩。": "@小明 #我门的书# 我们去公园玩。",
    "   他跑的很快。  \r\n\u3000\u3000我门去\n公园玩。\r\n": "   他跑得很快。  \r\n\u3000\u3000我们去\n公园玩。\r\n",
    "他跑的很快\x00。": "他跑得很快\x00。",
    "她说 hello，한국어 也会，我门都喜欢她。": "她说 hello，한국어 也会，我们都喜欢她。",
}


@pytest.fixture(scope="module")
def chinese() -> Corrector:
    return redraft.load("zh", threads=1)


@pytest.mark.parametrize(("text", "expected"), (SURE | TRADITIONAL | MIXED).items())
def test_errors_are_corrected_and_nothing_else_changes(chinese: Corrector, text: str, expected: str) -> None:
    result = chinese.correct(text)
    assert result.text == expected == apply(text, result.edits)


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_is_right_or_not_its_own_stays(chinese: Corrector, text: str) -> None:
    assert chinese.correct(text).text == text


@pytest.mark.usefixtures("without_opencc")
def test_traditional_sentences_stay_where_nothing_can_tell_their_characters() -> None:
    corrector = redraft.load("zh", threads=1, threshold=0)
    assert [result.text for result in corrector.pipe(TRADITIONAL)] == list(TRADITIONAL)
    assert corrector.correct("他跑的很快。").text == "他跑得很快。"


def test_reasons_come_in_the_writer_s_characters(chinese: Corrector) -> None:
    (simple,) = chinese.correct("他跑的很快。").edits
    (traditional,) = chinese.correct("他們跑的很快。").edits
    assert simple.kind is traditional.kind is Kind.WORD_FORM
    assert (simple.explanation[:4], traditional.explanation[:4]) == ("结构助词", "結構助詞")


def test_a_sentence_without_end_loses_nothing(chinese: Corrector) -> None:
    said = (
        "我昨天早上起床以后就去学校上课然后老师让我们写一篇关于家乡的作文我写的很认真但是没有写完同学们都跑的很快去吃饭"
    )
    result = chinese.correct(said * 6)
    assert len(result.sentences) > 1
    assert [edit.replacement for edit in result.edits] == ["得"] * len(result.edits)
    assert len(result.edits) > 8
    assert len(result.text) == len(said) * 6


def test_every_draft_gives_what_greedy_gives() -> None:
    texts = [*SURE, *SURE.values(), *TRADITIONAL, *MIXED]
    written = []
    for policy in ("none", "refine"):
        corrector = redraft.load("zh", draft=policy, threshold=0, threads=1)
        results = list(corrector.pipe(texts))
        written.append([(result.text, [sentence.target for sentence in result.trace.sentences]) for result in results])
    assert written[0] == written[1]
    assert len(texts) >= 20


def test_words_of_several_characters_can_be_vouched_for(chinese: Corrector) -> None:
    text = "今天天汽很好，我门去公园玩。"
    assert chinese.correct(text, Words.of({"天汽", "我门"})).text == text
    assert chinese.correct(text, Words.of({"天汽"})).text == "今天天汽很好，我们去公园玩。"


def test_items_are_corrected_and_titles_get_no_full_stop(chinese: Corrector) -> None:
    text = "# 我喜欢吃的水果有苹果和香蕉\n\n- 他们都很**努力的**学习\n- 我喜欢吃苹果、香蕉和葡萄等水果\n"
    document = CheckSession(chinese, CheckOptions(format="markdown")).open(text)
    assert [(found.edit.source, found.edit.replacement) for found in document.check()] == [("的", "地")]


def test_the_threshold_of_a_model_is_known_before_it_is_open() -> None:
    corrector = redraft.load()
    (chinese,) = corrector.others
    threshold = corrector.thresholds["zh"]
    assert chinese._solver is None
    assert threshold == chinese.solver.info.threshold > 0
    assert redraft.load(threshold=0.9).thresholds == {"en": 0.9, "zh": 0.9}


def test_each_sentence_has_its_model_and_each_draft_policy_its_trace() -> None:
    corrector = redraft.load(threads=1)
    text = "She go to school every days. 他们都很努力的学习。"
    assert corrector.correct(text).text == "She goes to school every day. 他们都很努力地学习。"
    calls = {policy: corrector.with_policy(policy).correct("他跑的很快。").trace.calls for policy in ("none", "refine")}
    assert calls["none"] == 14 > calls["refine"]  # 7 tokens, and again to see that they stay


def test_clients_of_languagetool_underline_no_whole_clause(chinese: Corrector) -> None:
    text = "😀 我对音乐很兴趣。虽然他很穷，他很快乐。"
    matches = list(widen_insertions(CheckSession(chinese).check(text)))
    assert [(match.span.of(text), match.replacement) for match in matches] == [("很", "很感"), ("他", "但是他")]
