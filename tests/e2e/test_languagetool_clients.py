"""Published LanguageTool clients, unchanged, against a real port; requests of two that no package index has."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
from served import BOLD, FACE, PAIRS, WRONG, live, make_app

pytestmark = pytest.mark.e2e
CHECKOUT = Path(__file__).parent.parent.parent
ESSAY = f"{FACE} Look. {WRONG} I saw a {BOLD} cat. We {FACE} goes home. He is teacher in our town."
CORRECTED = f"{FACE} Look. {PAIRS[WRONG]} I saw a bad cat. We {FACE} go home. He is a teacher in our town."
YALAFI_PORT = 8081


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    with live(make_app(tmp_path)) as port:
        yield port


def test_language_tool_python(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("language_tool_python")
    monkeypatch.setenv("LTP_PATH", os.devnull)  # no folder to download LanguageTool to
    with client.LanguageTool("en-US", remote_server=f"http://127.0.0.1:{port}") as tool:
        matches = tool.check(ESSAY)
        starts = [ESSAY[match.offset :].split(maxsplit=1)[0].rstrip(".") for match in matches]
        assert starts == ["go", "days", BOLD, "goes", "teacher"]
        assert matches[2].error_length == 2 * len(BOLD)
        assert [match.rule_id for match in matches][:2] == ["REDRAFT_AGREEMENT", "REDRAFT_NOUN_NUMBER"]
        # It counts characters, also with LanguageTool, so that it cannot replace a word of wide characters.
        narrow, corrected = (
            text.replace(f"I saw a {word} cat. ", "") for text, word in ((ESSAY, BOLD), (CORRECTED, "bad"))
        )
        assert tool.correct(narrow) == corrected
        tool.disabled_rules = {"REDRAFT_AGREEMENT"}
        assert [match.matched_text for match in tool.check(WRONG)] == ["days"]
    with client.LanguageTool("en-US", "de", remote_server=f"http://127.0.0.1:{port}") as tool:
        assert [match.matched_text for match in tool.check(WRONG)] == ["go", "days"]


@pytest.mark.filterwarnings("ignore:pkg_resources")
def test_pylanguagetool(port: int) -> None:
    api = pytest.importorskip("pylanguagetool").api
    base = f"http://127.0.0.1:{port}/v2/"
    assert {"en-US", "en-GB"} <= {language["longCode"] for language in api.get_languages(base)}
    answer = api.check(ESSAY, api_url=base, lang="auto", preferred_variants="en-GB", pwl=["tea"])
    assert answer["language"]["detectedLanguage"]["code"] == "en-GB"
    values = [match["replacements"][0]["value"] for match in answer["matches"]]
    assert values == ["goes", "day", "bad", "go", "a teacher"]
    command = [str(Path(sys.executable).parent / "pylanguagetool"), "--api-url", base, "--lang", "en-US", "--no-color"]
    command += ["--rules", "--rule-categories"]
    done = subprocess.run(command, check=False, input=ESSAY, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done.stderr
    assert "REDRAFT_AGREEMENT" in done.stdout
    assert "Grammar" in done.stdout


def test_yalafi(tmp_path: Path) -> None:
    pytest.importorskip("yalafi")
    try:
        socket.create_server(("127.0.0.1", YALAFI_PORT)).close()
    except OSError:
        pytest.skip(f"YaLafi always uses port {YALAFI_PORT}, which is in use")
    emphasized = WRONG.replace("go", "\\emph{go}")
    # YaLafi counts characters, also with LanguageTool: no emoji before the errors.
    source = f"\\section{{On schools}}\nLook. {emphasized} % {WRONG}\nThe end {FACE}.\n"
    letter = tmp_path / "letter.tex"
    letter.write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "yalafi.shell", "--server", "my", "--output", "json", str(letter)]
    with live(make_app(tmp_path), YALAFI_PORT):
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    matches = json.loads(done.stdout)["matches"]
    found = [source[match["offset"] : match["offset"] + match["length"]] for match in matches]
    assert [match["replacements"][0]["value"] for match in matches] == ["goes", "day"]
    assert found == ["go", "days"]


def test_gramma(port: int, tmp_path: Path) -> None:
    places = os.pathsep.join((str(CHECKOUT / "node_modules" / ".bin"), os.environ.get("PATH", os.defpath)))
    gramma = shutil.which("gramma", path=places)
    if gramma is None or shutil.which("node") is None:
        pytest.skip("gramma is not installed: npm install --global gramma")
    config = {"api_url": f"http://127.0.0.1:{port}/v2/check", "language": "en-US", "dictionary": [], "rules": {}}
    (tmp_path / ".gramma.json").write_text(json.dumps(config), encoding="utf-8")
    (tmp_path / "note.md").write_text(f"# Schools {FACE}\n\nLook. **She** go to school every days.\n", encoding="utf-8")
    (tmp_path / "fine.md").write_text("# Schools\n\nAll is well here.\n", encoding="utf-8")

    def run(name: str) -> subprocess.CompletedProcess[str]:
        command = [gramma, "check", "--print", "--markdown", name]
        environment = {**os.environ, "HOME": str(tmp_path), "FORCE_COLOR": "0"}
        return subprocess.run(
            command,
            check=False,
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    wrong = run("note.md")
    assert wrong.returncode == 1, wrong.stderr
    assert "goes" in wrong.stdout
    assert run("fine.md").returncode == 0


MARKED = {"annotation": [{"markup": "\\emph{"}, {"text": WRONG}, {"markup": "}"}]}


def test_a_request_of_ltex_plus(port: int, caplog: pytest.LogCaptureFixture) -> None:
    """It names JSON as the type of a form, and Java's HTTP client offers to go on with HTTP/2."""
    fields = {"language": "en-US", "data": json.dumps(MARKED), "level": "picky", "motherTongue": "de-DE"}
    headers = {
        "Connection": "Upgrade, HTTP2-Settings",
        "Content-Type": "application/json",
        "HTTP2-Settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
        "Upgrade": "h2c",
        "User-Agent": "Java-http-client/21.0.1",
    }
    answer = httpx.post(f"http://127.0.0.1:{port}/v2/check", content=urlencode(fields), headers=headers)
    assert [match["offset"] for match in answer.json()["matches"]] == [10, 29]
    assert caplog.text == ""


def test_a_request_of_the_plugin_for_obsidian(tmp_path: Path) -> None:
    """Obsidian is a browser with an origin of its own, and its plugin may read the answer only if CORS allows it."""
    fields = {"data": json.dumps(MARKED), "language": "auto", "enabledOnly": "false", "level": "default"}
    origin = "app://obsidian.md"
    with live(make_app(tmp_path)) as port:
        refused = httpx.post(f"http://127.0.0.1:{port}/v2/check", data=fields, headers={"Origin": origin})
        assert (refused.status_code, "add the origin with --origin" in refused.text) == (403, True)
    with live(make_app(tmp_path, origin=[origin])) as port:
        answer = httpx.post(f"http://127.0.0.1:{port}/v2/check", data=fields, headers={"Origin": origin})
        assert [match["offset"] for match in answer.json()["matches"]] == [10, 29]
        assert answer.headers["access-control-allow-origin"] == origin
