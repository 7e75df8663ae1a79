"""The configurations in docs/editors.md and editors/."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path

from redraft.edits.edit import Kind
from redraft.lsp import actions
from redraft.lsp.settings import SECTION, Settings, to_camel_case

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
PACKAGE = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text(encoding="utf-8"))
PROPERTIES = PACKAGE["contributes"]["configuration"]["properties"]
TABLE = re.findall(r"^\| `(\w+)` \|", PAGE, re.M)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)


def test_code_blocks_of_the_page_can_be_parsed() -> None:
    assert len([tomllib.loads(block) for block in blocks("toml")]) == 3
    assert [json.loads(block) for block in blocks("json")]


def test_settings_for_helix_are_valid() -> None:
    helix = tomllib.loads(blocks("toml")[0])
    assert Settings.read(helix["language-server"]["redraft"]["config"][SECTION]) == Settings()


def test_vs_code_has_every_setting_of_the_page() -> None:
    assert (
        set(TABLE)
        == {to_camel_case(field.name) for field in fields(Settings)}
        <= {name.split(".")[1] for name in PROPERTIES}
    )
    assert PROPERTIES["redraft.kinds"]["items"]["enum"] == [kind.value for kind in Kind]
    assert PROPERTIES["redraft.ignoredKinds"]["items"] == PROPERTIES["redraft.kinds"]["items"]


def test_the_defaults_of_vs_code_are_the_defaults_of_the_server() -> None:
    sent = {name.split(".")[1]: schema["default"] for name, schema in PROPERTIES.items()}
    assert Settings.read(sent) == Settings()


def test_every_command_is_documented() -> None:
    commands = {actions.IGNORE_ONCE, actions.IGNORE_WORD, actions.IGNORE_KIND, actions.ADD_WORD}
    assert commands == set(re.findall(r"^\| `(redraft\.\w+)` \|", PAGE, re.M))
