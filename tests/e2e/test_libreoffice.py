"""LibreOffice Writer with `redraft serve` as its LanguageTool server: a document, checked through Writer's own API."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from served import WRONG, live, make_app

pytestmark = pytest.mark.e2e
CLIENT = Path(__file__).with_name("libreoffice_client.py")
PYTHON = "/usr/bin/python3"
"""Debian's package of LibreOffice's module is for Debian's own Python."""


@pytest.fixture
def office() -> str:
    program = shutil.which("soffice")
    if not program or not Path(PYTHON).exists() or subprocess.run([PYTHON, "-c", "import uno"], check=False).returncode:
        pytest.skip("LibreOffice Writer and python3-uno are not installed")
    return program


def test_a_document_is_checked(office: str, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [office, "--headless", "--norestore", f"-env:UserInstallation=file://{tmp_path}/profile"]
    command += [f"--accept=socket,host=127.0.0.1,port={port};urp;"]
    with live(make_app(tmp_path)) as server, subprocess.Popen(command, stderr=subprocess.DEVNULL) as running:
        try:
            arguments = [PYTHON, str(CLIENT), str(port), f"http://127.0.0.1:{server}/v2", WRONG]
            done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=120)
        finally:
            running.terminate()
    assert done.returncode == 0, done.stderr
    errors = json.loads(done.stdout)
    assert [error[:2] for error in errors] == [["go", "goes"], ["days", "day"]]
    assert errors[0][2] == "Use “goes” with a singular subject such as he, she or it."
