"""No command but `serve` opens a socket: texts stay on this machine, whatever network code dependencies have."""

from __future__ import annotations

import json
import platform
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import hostile
import pytest
import typer.main

from redraft.cli.main import app
from redraft.lab.data.table import ErrorTable

WITH_A_NETWORK = {
    "serve": "it is a server",
    "lsp": "it has a test of its own below; its event loop wakes itself through a pair of sockets",
    "bench": "`bench server` starts a server, and `bench peers` fetches a checker to compare with",
    "train": "processes on several machines train together",
    "average": "it is tested with training: it opens a model and writes another",
    "split-checkpoint": "it is tested with training: it copies files",
    "adopt": "it is tested with models: it reads one folder and writes another",
    "export": "it is tested with models: it reads one folder and writes another",
    "package": "it is tested with models: it writes two files into a folder",
}
"""Commands that are not run here, and why."""
WRAPPER = """
import ctypes, os, platform, struct, sys

def refuse_sockets():
    # The kernel ends the process if it, or native code in it, opens a socket that is not local (seccomp).
    number = {"x86_64": 41, "aarch64": 198}.get(platform.machine())
    if sys.platform != "linux" or number is None:
        return
    steps = [
        (0x20, 0, 0, 0),             # load the number of the system call
        (0x15, 0, 3, number),        # another one than socket: allow
        (0x20, 0, 0, 16),            # load its first argument
        (0x15, 1, 0, 1),             # AF_UNIX: allow
        (0x06, 0, 0, 0x80000000),    # kill the process
        (0x06, 0, 0, 0x7FFF0000),    # allow
    ]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    filter = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, filter, 0, 0) == 0, os.strerror(ctypes.get_errno())

events = []

def note(event, arguments):
    if event.startswith("socket."):
        events.append((event, *map(str, arguments[1:3])))

sys.addaudithook(note)
refuse_sockets()
if sys.argv[1] == "open a socket":
    import socket
    socket.socket()
import json
from redraft.cli.main import main

codes = {}
for command in json.loads(sys.argv[1]):
    sys.argv = ["redraft", *command]
    try:
        main()
    except SystemExit as end:
        codes[" ".join(command[:2])] = end.code
loaded = [name for name in ("huggingface_hub", "hf_xet", "requests", "httpx") if name in sys.modules]
sys.stderr.write("\\n" + json.dumps({"codes": codes, "events": events, "loaded": loaded}))
"""


def run(commands: list[list[str]], folder: Path, stdin: str = "") -> dict[str, object]:
    """Exit codes of the commands, and what they did with sockets. All run in one process."""
    command = [sys.executable, "-P", "-c", WRAPPER, json.dumps(commands)]
    answer = subprocess.run(command, check=False, cwd=folder, input=stdin, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return dict(json.loads(answer.stderr.splitlines()[-1]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    hostile.write_good_folder(tmp_path / "model")
    (tmp_path / "text.txt").write_text("We meet on monday.\n")
    (tmp_path / "pairs.tsv").write_text("He go home.\tHe goes home.\n" * 20)
    (tmp_path / "gold.m2").write_text("S He have it .\nA 1 2|||R|||has|||REQUIRED|||-NONE-|||0\n\n")
    ErrorTable("en").save(tmp_path / "table.json.gz")
    (tmp_path / "frequent.txt").write_text("He often writes letters.\n" * 5)
    (tmp_path / "has.txt").write_text("He has it .\n")
    (tmp_path / "have.txt").write_text("He have it .\n")
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b.c"]
    for arguments in (
        ["init", "--quiet", "repository"],
        ["-C", "repository", "commit", "--quiet", "--allow-empty", "-mA"],
    ):
        subprocess.run([*git, *arguments], cwd=tmp_path, check=True)
    return tmp_path


def test_no_command_opens_a_socket(folder: Path) -> None:
    model = ["--model", "model"]
    commands = [
        ["--version"],
        ["--help"],
        ["fix", "She go to school.", *model],
        ["fix", "--write", "text.txt", *model],
        ["check", "text.txt", "--format", "sarif", *model],
        ["trace", "She go to school.", *model],
        ["distill", "model", "text.txt", "-o", "distilled.tsv"],
        ["models"],
        ["words", "add", "fjord"],
        ["words", "list"],
        ["ignore", "kind", "article"],
        ["ignore", "list"],
        ["score", "m2", "has.txt", "gold.m2"],
        ["score", "gleu", "has.txt", "--source", "have.txt", "--reference", "has.txt"],
        ["known-words", "model", "frequent.txt"],
        ["tokenizer", "text.txt", "--output", "tokenizer.json", "--size", "260"],
        ["prepare", "pairs.tsv", "-o", "out.tsv"],
        ["error-table", "table.json.gz", "-o", "errors.json.gz"],
        ["mine", "repository", "-o", "mined.tsv"],
        ["synthesize", "text.txt", "-o", "made.tsv", "--error-table", "errors.json.gz"],
    ]
    group: Any = typer.main.get_command(app)
    every = set(group.list_commands(typer.Context(group)))
    assert {command[0] for command in commands[2:]} | set(WITH_A_NETWORK) == every
    outcome = run(commands, folder)
    assert outcome["events"] == []
    assert outcome["loaded"] == []
    codes = outcome["codes"]
    assert isinstance(codes, dict)
    assert {name: code for name, code in codes.items() if code not in (0, None, 1)} == {}
    assert len(codes) == len({" ".join(command[:2]) for command in commands})


def test_the_language_server_talks_through_stdin_and_stdout_alone(folder: Path) -> None:
    pytest.importorskip("pygls", reason="pygls is not installed (the extra redraft[lsp])")
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}},
        {"jsonrpc": "2.0", "id": 2, "method": "shutdown"},
        {"jsonrpc": "2.0", "method": "exit"},
    ]
    bodies = [json.dumps(message) for message in messages]
    stdin = "".join(f"Content-Length: {len(body)}\r\n\r\n{body}" for body in bodies)
    outcome = run([["lsp", "--model", "model"]], folder, stdin)
    assert outcome["codes"] == {"lsp --model": 0}
    assert outcome["loaded"] == []
    events = outcome["events"]
    assert isinstance(events, list)
    opened = [event for event in events if event[0] != "socket.__new__" or int(event[1]) != socket.AF_UNIX]
    assert opened == []


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"), reason="only Linux can refuse sockets"
)
def test_a_socket_would_be_found() -> None:
    answer = subprocess.run([sys.executable, "-P", "-c", WRAPPER, "open a socket"], check=False, capture_output=True)
    assert answer.returncode < 0
