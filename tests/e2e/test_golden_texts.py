"""Short texts, corrected by the shipped models: a change of a model or a rule shows as a change of these files.

tests/golden/texts has the texts, tests/golden/approved what comes of them and all findings. `scripts/golden` writes the
latter anew; read the difference before you commit it. Single precision is used, since the results of 8-bit arithmetic
depend on the processor.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.e2e

GOLDEN = Path(__file__).parents[1] / "golden"
TEXTS, APPROVED = GOLDEN / "texts", GOLDEN / "approved"
FINDINGS = "findings.txt"
BRITISH = "british.txt"
"""Checked with the spelling of its country."""
OPTIONS = ("--engine", "onnx", "--precision", "fp32", "--isolated")
WRITE = "REDRAFT_WRITE_GOLDEN"

Run = Callable[..., Any]


def correct(run: Run, folder: Path) -> dict[str, str]:
    """What comes of each text, and the list of findings, by file name."""
    texts = sorted(path for path in TEXTS.iterdir() if path.name != BRITISH)
    groups: list[tuple[list[Path], tuple[str, ...]]] = [(texts, ()), ([TEXTS / BRITISH], ("--language", "en-GB"))]
    found: dict[str, str] = {}
    findings = ""
    for paths, more in groups:
        output = folder / paths[0].stem
        fixed = run("fix", *paths, "--output", output, *OPTIONS, *more)
        assert fixed.code == 0, fixed.err
        checked = run("check", *paths, *OPTIONS, *more)
        assert checked.code == 1, checked.err
        findings += checked.text.replace(f"{TEXTS}{os.sep}", "")
        found |= {path.name: _find(output, path.name).read_text(encoding="utf-8") for path in paths}
    return found | {FINDINGS: findings}


def _find(folder: Path, name: str) -> Path:
    (path,) = folder.rglob(name)
    return path


def test_the_texts_are_corrected_as_approved(run: Run, tmp_path: Path) -> None:
    found = correct(run, tmp_path)
    if os.environ.get(WRITE) == "1":
        shutil.rmtree(APPROVED, ignore_errors=True)
        APPROVED.mkdir()
        for name, text in found.items():
            (APPROVED / name).write_text(text, encoding="utf-8")
    approved = {path.name: path.read_text(encoding="utf-8") for path in APPROVED.iterdir()}
    assert found.keys() == approved.keys()
    difference = [
        line
        for name in sorted(found)
        for line in unified_diff(approved[name].splitlines(), found[name].splitlines(), name, name, lineterm="", n=0)
    ]
    assert not difference, "\n".join([*difference, "", "read these changes, then approve them with scripts/golden"])


def test_a_correct_text_stays_as_it_is() -> None:
    assert (APPROVED / "correct.txt").read_text(encoding="utf-8") == (TEXTS / "correct.txt").read_text(encoding="utf-8")


def test_there_are_twenty_four_texts() -> None:
    assert len(list(TEXTS.iterdir())) == 24
