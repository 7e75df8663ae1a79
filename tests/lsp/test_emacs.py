"""Emacs itself, in batch mode, configured as in docs/editors.md."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parent / "emacs.el"
PAGE = Path(__file__).parent.parent.parent / "docs" / "editors.md"


def test_open_fix_undo_type_dictionary_fix_all(emacs: str, surroundings: dict[str, str], tmp_path: Path) -> None:
    (setup,) = re.findall(r"^```elisp\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    paths = {name: tmp_path / name for name in ("setup.el", "letter.txt", "seen.json", "wanted.json")}
    paths["message"] = tmp_path / ".git" / "COMMIT_EDITMSG"
    paths["message"].parent.mkdir()
    paths["message"].write_text(
        "Tell of school\n\nShe go to school every days.\n# He have two cat.\n", encoding="utf-8"
    )
    paths["setup.el"].write_text(setup, encoding="utf-8")
    paths["letter.txt"].write_text("Yes 😀é. She go to school every days.\n", encoding="utf-8")
    wanted = {name.partition(".")[0]: str(path) for name, path in paths.items()}
    paths["wanted.json"].write_text(json.dumps(wanted), encoding="utf-8")
    done = subprocess.run(
        [emacs, "--batch", "--load", str(SCRIPT)],
        env={**surroundings, "REDRAFT_EMACS_TEST": str(paths["wanted.json"])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert paths["seen.json"].exists(), done.stderr
    seen = json.loads(paths["seen.json"].read_text(encoding="utf-8"))
    assert "failure" not in seen, seen["failure"]
    assert [re.findall(r"\[([\w-]+)\]", text) for text in seen["opened"]] == [["agreement"], ["noun-number"]]
    assert seen["fixed"] == "Yes 😀é. She goes to school every days.\n"
    assert seen["undone"] == "Yes 😀é. She go to school every days.\n"
    assert "freind" in (tmp_path / "home" / "words.txt").read_text(encoding="utf-8")
    assert seen["all"] == "Yes 😀é. She goes to school every day.\nMy freind likes music.\n"
    assert paths["letter.txt"].read_text(encoding="utf-8") == seen["all"]
    assert len(seen["message"]) == 2  # and nothing of git's remark
