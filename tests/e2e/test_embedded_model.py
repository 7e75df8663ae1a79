"""The embedded English models through the installed command, as a user meets it first."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

MODELS = ("en", "en-open")
COMMAND = Path(sys.executable).parent / "redraft"
CLEAN = "The train leaves at noon, so we should be at the station by half past eleven."
KEPT = "See https://example.org/a_b?c=d or write to ann.lee@example.org about v2.10.3 of `make_tea()` on 2024-05-12."


def redraft(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(COMMAND), *arguments], check=False, input=stdin, capture_output=True, text=True)


def test_an_error_is_corrected() -> None:
    done = redraft("fix", "She go to school every days.")
    assert (done.returncode, done.stdout, done.stderr) == (0, "She goes to school every day.\n", "")


def test_emoji_hide_no_error_and_stay() -> None:
    done = redraft("fix", "This are great 👍, thank you. Click the ⚙️ icon to opens it. I ❤️ you.")
    assert done.stdout == "This is great 👍, thank you. Click the ⚙️ icon to open it. I ❤️ you.\n"


def test_an_error_is_corrected_by_the_open_model() -> None:
    done = redraft("fix", "--model", "en-open", "The attached files contains a error.")
    assert (done.returncode, done.stdout, done.stderr) == (0, "The attached file contains an error.\n", "")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("text", [CLEAN, KEPT], ids=["clean", "protected"])
def test_what_is_right_is_left_alone(text: str, model: str) -> None:
    assert redraft("fix", "--model", model, stdin=text).stdout == text


@pytest.mark.parametrize("model", MODELS)
def test_every_policy_gives_greedy_s_output(tmp_path: Path, model: str) -> None:
    sentences = tmp_path / "sentences.txt"
    sentences.write_text(
        "She go to school every days.\n"
        "I am looking forward to here from you soon .\n"
        "Despite of the rain we was enjoying the walk in park yesterday.\n"
        "In my opinion, the the goverment should to spend more money for public transports.\n"
        f"{CLEAN}\n{KEPT}\n",
        encoding="utf-8",
    )
    done = redraft("bench", "identity", str(sentences), "--json", "--model", model)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["sentences"] == 6
    assert report["policies"]["refine"]["mean_calls"] < report["policies"]["none"]["mean_calls"]


def test_the_models_are_listed_with_their_terms() -> None:
    entries = [json.loads(line) for line in redraft("models", "--json").stdout.splitlines()]
    assert [entry["name"] for entry in entries] == ["en", "en-open", "zh"]
    for entry in entries:
        assert all(entry[fact] for fact in ("language", "parameters", "bytes", "summary", "licence"))
        assert (Path(entry["path"]) / "card.md").is_file()
    assert entries[1]["licence"] == "CC BY-SA 4.0"
    assert entries[2]["bytes"] <= 45_000_000


def test_findings_are_exit_code_one(tmp_path: Path) -> None:
    essay = tmp_path / "essay.txt"
    essay.write_text(f"{CLEAN}\nShe go to school every days.\n", encoding="utf-8")
    done = redraft("check", str(essay))
    assert done.returncode == 1
    assert all(line.startswith(f"{essay}:2:") for line in done.stdout.splitlines())
