"""`redraft serve --install`: the files for systemd and launchd, and the commands that start them."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from redraft.errors import ConfigError
from redraft.server import user_service
from redraft.server.user_service import LaunchdService, ServiceCommand, SystemdService, find_service

Run = Callable[..., Any]
STRANGE = 'a b%h "c" $HOME \\d'


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The commands that would start and stop services: there is no session of a user to start them in."""
    made: list[tuple[str, ...]] = []
    monkeypatch.setattr(user_service, "_run", lambda *command: made.append(command))
    return made


def command(tmp_path: Path, **environment: str) -> ServiceCommand:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return ServiceCommand([str(program), "serve", STRANGE], tmp_path, environment)


def test_systemd(tmp_path: Path, calls: list[tuple[str, ...]]) -> None:
    service = SystemdService(tmp_path / "units" / "redraft.service")
    assert service.install(command(tmp_path, REDRAFT_API_KEY="s%e$cret")) is None
    text = service.path.read_text()
    assert f'ExecStart="{tmp_path}/program" "serve" "a b%%h \\"c\\" $$HOME \\\\d"\n' in text
    assert 'Environment="REDRAFT_API_KEY=s%%e$cret"\n' in text
    assert service.path.stat().st_mode & 0o777 == 0o600
    assert calls == [("systemctl", "--user", "daemon-reload"), ("systemctl", "--user", "enable", "--now", "redraft")]
    service.uninstall()
    assert not service.path.exists()
    assert calls[2] == ("systemctl", "--user", "disable", "--now", "redraft")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_reads_the_unit(tmp_path: Path, calls: list[tuple[str, ...]]) -> None:
    service = SystemdService(tmp_path / "redraft.service")
    service.install(command(tmp_path, REDRAFT_API_KEY="secret"))
    command_line = ["systemd-analyze", "--user", "verify", str(service.path)]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    verified = subprocess.run(command_line, env=environment, capture_output=True, text=True, check=False)
    assert (verified.returncode, str(service.path) in verified.stderr) == (0, False), verified.stderr


def test_launchd(tmp_path: Path, calls: list[tuple[str, ...]]) -> None:
    service = LaunchdService(tmp_path / "agents" / "redraft.plist")
    assert service.install(command(tmp_path, REDRAFT_API_KEY="secret")) is None
    description = plistlib.loads(service.path.read_bytes())
    assert description["ProgramArguments"] == [str(tmp_path / "program"), "serve", STRANGE]
    assert description["EnvironmentVariables"] == {"REDRAFT_API_KEY": "secret"}
    assert [call[:2] for call in calls] == [("launchctl", "bootstrap")]
    service.uninstall()
    assert [call[:2] for call in calls[1:]] == [("launchctl", "bootout")]
    assert not service.path.exists()


def test_other_systems_are_refused() -> None:
    with pytest.raises(ConfigError, match="Linux and macOS"):
        find_service("win32")


def test_control_characters_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="control characters"):
        ServiceCommand(["serve", "a\nExecStart=b"], tmp_path, {})


def test_the_command_installs_its_own_options(
    run: Run, tmp_path: Path, calls: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(user_service.sys, "platform", "linux")
    monkeypatch.setattr("sys.argv", ["redraft", "serve", "--port", "8099", "--install"])
    outcome = run("serve", "--port", "8099", "--install")
    unit = tmp_path / "systemd" / "user" / "redraft.service"
    assert (outcome.code, outcome.err) == (
        0,
        f"redraft: {unit} was written; the service runs now and after each login\n",
    )
    assert '"serve" "--port" "8099"\n' in unit.read_text()
    assert run("serve", "--uninstall").code == 0
    outcome = run("serve", "--uninstall")
    assert (outcome.code, outcome.err) == (2, f"redraft: no service is installed: {unit} does not exist\n")


def test_a_service_that_cannot_be_started_is_reported(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["redraft", "serve", "--install"])
    outcome = run("serve", "--install")
    assert outcome.code == 2
    assert "could not be started: systemctl: No such file or directory" in outcome.err
