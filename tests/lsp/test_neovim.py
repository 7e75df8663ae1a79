"""Neovim itself, headless."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from editor import COMMAND

from redraft.model.folder import ModelFolder

SCRIPT = Path(__file__).parent / "neovim.lua"
PAGE = Path(__file__).parent.parent.parent / "docs" / "editors.md"


def test_open_fix_undo_type_dictionary(neovim: str, tiny_model: ModelFolder, tmp_path: Path) -> None:
    letter, wanted, seen = (tmp_path / name for name in ("letter.txt", "wanted.json", "seen.json"))
    letter.write_text("Yes 😀é. She go to school every days.\n", encoding="utf-8")
    command = [*COMMAND, "--model", str(tiny_model.path)]
    wanted.write_text(json.dumps({"command": command, "file": str(letter), "seen": str(seen)}), encoding="utf-8")
    home = tmp_path / "home"
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "OMP_NUM_THREADS": "1",
        "REDRAFT_HOME": str(home),
        "REDRAFT_NEOVIM_TEST": str(wanted),
    }
    # Swap files and user settings stay out of it: --clean, -n.
    done = subprocess.run(
        [neovim, "--headless", "--clean", "-n", "-c", f"luafile {SCRIPT}"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert seen.exists(), done.stderr
    result = json.loads(seen.read_text(encoding="utf-8"))
    assert "failure" not in result, result["failure"]
    assert result["opened"] == ["agreement", "noun-number"]
    assert result["fixed"] == "Yes 😀é. She goes to school every days."
    assert result["undone"] == "Yes 😀é. She go to school every days."
    assert "spelling" not in result["left"]
    assert "freind" in (home / "words.txt").read_text(encoding="utf-8")


def test_the_configuration_in_the_documentation(neovim: str, surroundings: dict[str, str], tmp_path: Path) -> None:
    new, old = re.findall(
        r"^```lua\n(vim\.lsp\.config.*?|local .*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S
    )
    for name, text in {"new.lua": new, "old.lua": old, "letter.txt": "She go to school every days.\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "init.lua").write_text(
        'dofile(vim.fn.has("nvim-0.11") == 1 and "new.lua" or "old.lua")\n', encoding="utf-8"
    )
    wait = "lua found = vim.wait(60000, function() return #vim.diagnostic.get(0) == 2 end, 20)"
    tell = "lua vim.fn.writefile({ tostring(found) }, 'seen')"
    subprocess.run(
        [neovim, "--headless", "--clean", "-n", "-u", "init.lua", "letter.txt", "-c", wait, "-c", tell, "-c", "qall!"],
        env=surroundings,
        cwd=tmp_path,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert (tmp_path / "seen").read_text(encoding="utf-8") == "true\n"
