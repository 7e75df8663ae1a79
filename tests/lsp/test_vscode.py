"""The extension for VS Code, as scripts/vscode packs it, in code-server: VS Code in a browser."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the extension for VS Code is tested with playwright")

from chromium import ARGUMENTS, find_chromium  # noqa: E402

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "editors.md"
SECONDS = 60


@pytest.fixture
def code_server(surroundings: dict[str, str]) -> str:
    found = shutil.which("code-server")
    if found is None:
        pytest.skip("code-server is not installed; see docs/editors.md")
    return found


@pytest.fixture
def package(tmp_path: Path) -> Path:
    subprocess.run([ROOT / "scripts" / "vscode", tmp_path / "dist"], check=True, timeout=300)
    return tmp_path / "dist" / "redraft.vsix"


@contextmanager
def serve(command: list[str], folder: Path, environment: dict[str, str]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--bind-addr", f"127.0.0.1:{port}"]
    with (folder.parent / "log").open("wb") as log:
        process = subprocess.Popen([*command, *options], env=environment, stdout=log, stderr=log)
    try:
        for _ in range(SECONDS * 10):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/?folder={folder}"
    finally:
        process.terminate()
        process.wait(timeout=SECONDS)


def read_line(page: Any) -> str:
    text: str = page.locator(".view-line").first.inner_text()
    return text.replace("\u00a0", " ")


def test_underlines_a_quick_fix_and_fixes_on_save(
    code_server: str, package: Path, surroundings: dict[str, str], tmp_path: Path
) -> None:
    (on_save,) = re.findall(r"^```json\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    settings = tmp_path / "data" / "User" / "settings.json"
    settings.parent.mkdir(parents=True)
    program = shutil.which("redraft", path=surroundings["PATH"])
    own = {"redraft.command": [program, "lsp"], "security.workspace.trust.enabled": False}
    settings.write_text(json.dumps({**own, **json.loads(on_save)}), encoding="utf-8")
    folder = tmp_path / "letters"
    folder.mkdir()
    letter = folder / "letter.txt"
    letter.write_text("She go to school every days.\n", encoding="utf-8")
    command = [code_server, "--user-data-dir", str(tmp_path / "data"), "--extensions-dir", str(tmp_path / "extensions")]
    subprocess.run([*command, "--install-extension", package], env=surroundings, check=True, timeout=SECONDS)
    with serve(command, folder, surroundings) as address, playwright.sync_playwright() as driver:
        found = find_chromium(driver, "the extension for VS Code")
        page = driver.chromium.launch(executable_path=found, args=[*ARGUMENTS]).new_page()
        page.set_default_timeout(SECONDS * 1000)
        page.goto(address)
        page.locator(".monaco-list-row", has_text="letter.txt").dblclick()
        underlines = page.locator(".squiggly-info")
        playwright.expect(underlines).to_have_count(2, timeout=SECONDS * 1000)
        page.locator(".view-line").first.click()
        page.keyboard.press("Control+Home")
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Control+.")
        page.locator(".action-widget", has_text="“go” → “goes”").wait_for()
        page.keyboard.press("Enter")
        playwright.expect(underlines).to_have_count(1, timeout=SECONDS * 1000)
        assert read_line(page) == "She goes to school every days."
        page.keyboard.press("Control+s")
        playwright.expect(underlines).to_have_count(0, timeout=SECONDS * 1000)
        page.locator(".tab:not(.dirty)").wait_for()
    assert letter.read_text(encoding="utf-8") == "She goes to school every day.\n"
