"""The browser extension's manifest and package: few permissions, no code from elsewhere, the same bytes every time."""

from __future__ import annotations

import json
import re
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

import redraft

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "editors" / "browser"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
LOCAL = {"http://127.0.0.1/*", "http://localhost/*"}
BROWSERS = ("chromium", "firefox")


def files(*suffixes: str) -> dict[str, str]:
    found = (path for path in FOLDER.rglob("*") if path.suffix in suffixes)
    return {path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in found}


def pack(folder: Path) -> dict[str, bytes]:
    subprocess.run([ROOT / "scripts" / "extension", folder], check=True, capture_output=True)
    return {name: (folder / f"redraft-{name}.zip").read_bytes() for name in BROWSERS}


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packed")
    pack(folder)
    return folder


def test_permissions_are_storage_and_this_machine() -> None:
    assert MANIFEST["manifest_version"] == 3
    assert MANIFEST["permissions"] == ["storage"]
    assert set(MANIFEST["host_permissions"]) == LOCAL
    assert not {key for key in MANIFEST if key.startswith("optional_")}
    assert "externally_connectable" not in MANIFEST
    assert "web_accessible_resources" not in MANIFEST


def test_the_policy_allows_own_scripts_and_connections_to_this_machine_only() -> None:
    policy = dict(part.split(maxsplit=1) for part in MANIFEST["content_security_policy"]["extension_pages"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert set(policy["connect-src"].split()) == {"http://127.0.0.1:*", "http://localhost:*"}


def test_no_code_comes_from_elsewhere() -> None:
    for name, text in files(".js", ".html", ".css").items():
        addresses = set(re.findall(r"\b(?:https?|wss?|data|blob):/*[\w.]*", text))
        assert addresses <= {"http:", "http://127.0.0.1", "http://localhost"}, name
        assert not re.search(r"\beval\b|new Function|importScripts|innerHTML|outerHTML|insertAdjacentHTML", text), name
        assert not re.search(r"\bimport\(", text), name
    for name, text in files(".html").items():
        assert not re.search(r"<script(?! type=\"module\" src=\"\w+\.js\"></script>)", text), name
        assert not re.search(r"\son\w+=", text), name


def test_files_of_the_manifest_exist_and_all_content_scripts_are_listed() -> None:
    [content] = MANIFEST["content_scripts"]
    assert sorted(content["js"]) == sorted(name for name in files(".js") if name.startswith("content/"))
    pages = [
        MANIFEST["action"]["default_popup"],
        MANIFEST["options_ui"]["page"],
        MANIFEST["background"]["service_worker"],
    ]
    assert MANIFEST["background"]["scripts"] == [MANIFEST["background"]["service_worker"]]
    assert all((FOLDER / name).is_file() for name in [*pages, *MANIFEST["icons"].values()])
    assert MANIFEST["version"] == redraft.__version__


def test_the_same_sources_give_the_same_package(packed: Path, tmp_path: Path) -> None:
    assert pack(tmp_path) == {name: (packed / f"redraft-{name}.zip").read_bytes() for name in BROWSERS}


@pytest.mark.parametrize("browser", BROWSERS)
def test_a_package_has_what_its_browser_reads(packed: Path, browser: str) -> None:
    with zipfile.ZipFile(packed / f"redraft-{browser}.zip") as archive:
        names = archive.namelist()
        manifest = json.loads(archive.read("manifest.json"))
    assert sorted(names) == sorted({*files(".js", ".html", ".css"), *MANIFEST["icons"].values(), "manifest.json"})
    key = {"chromium": "service_worker", "firefox": "scripts"}[browser]
    assert set(manifest["background"]) == {key, "type"}
    assert ("browser_specific_settings" in manifest) == (browser == "firefox")
    assert ("minimum_chrome_version" in manifest) == (browser == "chromium")


def test_a_call_without_a_folder_is_refused() -> None:
    result = subprocess.run([ROOT / "scripts" / "extension"], check=False, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (2, "redraft: usage: scripts/extension FOLDER\n")
