from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from redraft.decode.drafts import POLICIES
from redraft.model.folder import ModelFolder

Run = Callable[..., Any]
WRONG, RIGHT = "She go to school every days.", "She goes to school every day."


def test_the_blocks_make_the_target(redraft: Run) -> None:
    (answer,) = redraft("trace", WRONG, "--json").objects
    (sentence,) = answer["sentences"]
    assert (sentence["source"], sentence["target"]) == (WRONG, RIGHT)
    assert "".join(block["text"] for block in sentence["blocks"]) == RIGHT
    (repeat,) = sentence["repeats"]
    assert (repeat["source"], repeat["target"]) == (RIGHT, RIGHT)
    blocks = [*sentence["blocks"], *repeat["blocks"]]
    assert answer["calls"] == len(blocks)
    assert answer["verified"] == sum(block["drafted"] + 1 for block in blocks)


def test_all_policies_agree_and_greedy_takes_a_call_a_token(redraft: Run) -> None:
    answers = redraft("trace", WRONG, "--all", "--json").objects
    assert [answer["policy"] for answer in answers] == list(POLICIES)
    assert {answer["sentences"][0]["target"] for answer in answers} == {RIGHT}
    greedy, *aggressive = answers
    assert greedy["calls"] == greedy["tokens"]
    assert all(answer["calls"] < greedy["calls"] for answer in aggressive)


def test_a_person_sees_blocks_with_the_numbers_of_their_calls(redraft: Run) -> None:
    outcome = redraft("trace", WRONG, "--draft", "realign")
    assert outcome.code == 0
    title, blocks, *rejected = outcome.text.splitlines()
    assert title.startswith("realign: ")
    assert blocks.translate(str.maketrans("", "", "⁰¹²³⁴⁵⁶⁷⁸⁹∎")).strip() == RIGHT
    assert rejected
    assert "\x1b" not in outcome.text


def test_blocks_and_single_steps_differ_in_colour(redraft: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[33m" in redraft("trace", WRONG, "--draft", "none").text
    assert "\x1b[32m" in redraft("trace", RIGHT).text


@pytest.mark.parametrize("draft", ["none", "suffix", "realign", "refine"])
def test_no_draft_changes_the_target(redraft: Run, draft: str) -> None:
    (answer,) = redraft("trace", WRONG, "--draft", draft, "--max-draft", 3, "--json").objects
    assert answer["sentences"][0]["target"] == RIGHT


def test_an_unknown_draft_policy_is_refused(redraft: Run) -> None:
    outcome = redraft("trace", WRONG, "--draft", "best")
    assert outcome.code == 2
    assert "'best'" in outcome.err


def test_nothing_cannot_be_traced(redraft: Run) -> None:
    outcome = redraft("trace", "  ")
    assert (outcome.code, outcome.err) == (2, "redraft: the sentence is empty; give one in quotes\n")


def test_the_model_of_the_project_is_traced(
    run: Run, tiny_model: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redraft.model.catalogue.CHECKOUT", tiny_model.path.parent)
    (tmp_path / "redraft.toml").write_text("model = 'tiny'\n")
    monkeypatch.chdir(tmp_path)
    (answer,) = run("trace", WRONG, "--draft", "suffix", "--json").objects
    assert (answer["policy"], answer["sentences"][0]["target"]) == ("suffix", RIGHT)


def test_a_model_folder_of_the_project_is_refused(
    run: Run, tiny_model: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "redraft.toml").write_text(f"model = '{tiny_model.path}'\n")
    monkeypatch.chdir(tmp_path)
    refused = run("trace", WRONG)
    assert (refused.code, refused.out) == (2, b"")
    assert f"add --model {tiny_model.path}" in refused.err
    assert run("trace", WRONG, "--model", tiny_model.path).code == 0
