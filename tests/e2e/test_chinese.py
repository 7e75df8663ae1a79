"""Chinese, alone and mixed with English, from text to edits, with real tiny models."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from served import client_of, make_app
from tiny import CHINESE_PAIRS, PAIRS
from typer.testing import CliRunner

import redraft
from redraft.check.corrector import Corrector
from redraft.check.loading import load
from redraft.check.options import CheckOptions
from redraft.check.session import CheckSession
from redraft.cli.main import app
from redraft.edits.edit import Kind, apply
from redraft.lsp.checker import Correctors
from redraft.model import catalogue
from redraft.model.folder import ModelFolder
from redraft.settings.options import ModelOptions


@pytest.fixture(scope="module")
def chinese(chinese_model: ModelFolder) -> Corrector:
    return load(chinese_model.path)


@pytest.fixture
def installed(tmp_path: Path, tiny_model: ModelFolder, chinese_model: ModelFolder, monkeypatch: pytest.MonkeyPatch):
    """Both models, as if they had come with the package."""
    shutil.copytree(tiny_model.path, tmp_path / "en")
    shutil.copytree(chinese_model.path, tmp_path / "zh")
    monkeypatch.setattr(catalogue, "CHECKOUT", tmp_path)
    return tmp_path


def test_sentences_are_corrected_and_correct_ones_stay(chinese: Corrector) -> None:
    text = "".join(wrong for wrong, _ in CHINESE_PAIRS)
    right = "".join(right for _, right in CHINESE_PAIRS)
    result = chinese.correct(text)
    assert result.text == right == apply(text, result.edits)
    assert not chinese.correct(right).edits


@pytest.mark.parametrize("policy", ["none", "suffix", "realign", "refine"])
def test_every_draft_gives_what_greedy_gives(chinese_model: ModelFolder, policy: str) -> None:
    corrector = load(chinese_model.path, draft=policy)
    assert [corrector.correct(wrong).text for wrong, _ in CHINESE_PAIRS] == [right for _, right in CHINESE_PAIRS]


def test_edits_are_explained_in_chinese(chinese: Corrector) -> None:
    found = {edit.source: edit for wrong, _ in CHINESE_PAIRS for edit in chinese.correct(wrong).edits}
    assert found["个"].kind is Kind.AGREEMENT
    assert found["做"].kind is Kind.SPELLING
    assert found["好非常"].kind is Kind.WORD_ORDER
    assert "读音" in found["做"].explanation
    assert found["的"].explanation.startswith("结构助词")


def test_line_ends_and_spaces_stay_where_the_writer_put_them(chinese: Corrector) -> None:
    wrong, right = "学生做飞\n机去 北京。\n\n他高兴 的笑了。", "学生坐飞\n机去 北京。\n\n他高兴 地笑了。"
    assert chinese.correct(wrong).text == right


def test_the_chinese_model_leaves_latin_words_and_numbers_alone(chinese: Corrector) -> None:
    text = "我用 Python 写代码，跑的很快。"
    edits = chinese.correct(text).edits
    assert [(edit.source, edit.replacement) for edit in edits] == [("的", "得")]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text("我的他做飞机 a1,，。！?\n“”…iPhone😀㐀", max_size=40))
def test_edits_make_the_text_whatever_it_is(chinese: Corrector, text: str) -> None:
    result = chinese.correct(text)
    assert apply(text, result.edits) == result.text
    roman = r"[A-Za-z]+"
    assert set(re.findall(roman, result.text)) <= set(re.findall(roman, text))


def test_other_languages_are_left_alone(chinese: Corrector, tiny_model: ModelFolder) -> None:
    assert not chinese.correct("She go to school every days.").edits
    assert not load(tiny_model.path).correct("他高兴的笑了。").edits


def test_each_sentence_goes_to_the_model_of_its_language(installed: Path) -> None:
    text = f"{PAIRS[0][0]} {CHINESE_PAIRS[0][0]}{CHINESE_PAIRS[2][0]} {PAIRS[1][0]}"
    result = redraft.load().correct(text)
    assert result.text == f"{PAIRS[0][1]} {CHINESE_PAIRS[0][1]}{CHINESE_PAIRS[2][1]} {PAIRS[1][1]}"
    assert apply(text, result.edits) == result.text
    assert redraft.load().languages == ("en", "zh")


def test_another_model_is_opened_when_it_is_needed(installed: Path) -> None:
    corrector = redraft.load()
    shutil.rmtree(installed / "zh")
    assert corrector.correct(PAIRS[0][0]).text == PAIRS[0][1]
    with pytest.raises(redraft.errors.ModelError):
        corrector.correct(CHINESE_PAIRS[0][0])


def test_a_language_by_name_is_that_language_alone(installed: Path) -> None:

    assert redraft.load("en").languages == ("en",)
    assert not redraft.load("en").correct(CHINESE_PAIRS[0][0]).edits
    assert not redraft.load("zh").correct(PAIRS[0][0]).edits


def test_the_server_checks_the_language_it_is_asked_for_and_with_auto_each_sentence_in_its_own(
    installed: Path, tmp_path: Path
) -> None:
    text = f"{PAIRS[0][0]} {PAIRS[1][0]} {CHINESE_PAIRS[1][0]}"
    english, chinese = ["goes", "day", "has", "cats"], ["坐"]
    both = english + chinese

    async def ask() -> None:
        async with client_of(make_app(tmp_path / "home", redraft.load())) as client:
            for language, detected, expected in (
                ("en", "en", english),
                ("en-GB", "en-GB", english),
                ("zh", "zh", chinese),
                ("zh-CN", "zh-CN", chinese),
                ("auto", "en", both),
            ):
                answer = (await client.post("/v2/check", data={"language": language, "text": text})).json()
                assert [match["replacements"][0]["value"] for match in answer["matches"]] == expected
                assert answer["language"]["code"] == detected
                assert len(answer["sentenceRanges"]) == 3
                reply = (await client.post("/v1/check", json={"language": language, "text": text})).json()
                assert [edit["replacement"] for edit in reply["edits"]] == expected
            preferred = {"language": "auto", "preferredVariants": "en-GB", "text": text}
            answer = (await client.post("/v2/check", data=preferred)).json()
            assert [match["replacements"][0]["value"] for match in answer["matches"]] == both
            assert answer["language"]["code"] == "en-GB"

    asyncio.run(ask())


def test_an_editor_that_names_a_language_has_that_alone(installed: Path) -> None:
    (english, right_english), (chinese, right_chinese) = PAIRS[0], CHINESE_PAIRS[1]
    correctors = Correctors(ModelOptions(threads=1))
    for language, expected in (
        (None, f"{right_english} {right_chinese}"),
        ("en", f"{right_english} {chinese}"),
        ("zh-CN", f"{english} {right_chinese}"),
    ):
        session = CheckSession(correctors.open(language), CheckOptions(language=language))
        assert session.check(f"{english} {chinese}").text == expected


def test_the_command_line_takes_a_language_or_tells_it_by_itself(installed: Path) -> None:
    wrong, right = CHINESE_PAIRS[1]
    for arguments, expected in (
        (["--language", "zh"], right),
        (["--language", "zh-CN"], right),
        (["--language", "auto"], right),
        ([], right),
        (["--language", "en"], wrong),
    ):
        outcome = CliRunner().invoke(app, ["fix", "--isolated", *arguments], input=wrong)
        assert (outcome.exit_code, outcome.stdout.strip()) == (0, expected)
