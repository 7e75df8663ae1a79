"""`redraft serve` as a service of the user: a systemd unit on Linux, a launchd agent on macOS."""

from __future__ import annotations

import os
import plistlib
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from redraft.atomic_write import atomic_write
from redraft.errors import ConfigError

NAME = "redraft"
_LABEL = "org.redraft.serve"
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class ServiceCommand:
    """What the service runs."""

    arguments: Sequence[str]
    folder: Path
    """The folder it runs in: relative paths among the arguments are relative to it."""
    environment: Mapping[str, str]
    """Variables that only the user may read, such as the API key."""

    def __post_init__(self) -> None:
        for text in (*self.arguments, str(self.folder), *self.environment.values()):
            if _UNPRINTABLE.search(text):
                raise ConfigError(f"a service cannot have control characters in its options: {text!r}")


class UserService(Protocol):
    """A service manager of the user's session."""

    @property
    def path(self) -> Path:
        """The file that describes the service."""
        ...

    def install(self, command: ServiceCommand) -> str | None:
        """Writes the file and starts the service, now and at each login; the reason if it could not be started."""
        ...

    def uninstall(self) -> None:
        """Stops the service and removes the file."""
        ...


def find_service(platform: str = sys.platform) -> UserService:
    if platform == "darwin":
        return LaunchdService(Path.home() / "Library" / "LaunchAgents" / f"{_LABEL}.plist")
    if platform.startswith("linux"):
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        return SystemdService(settings / "systemd" / "user" / f"{NAME}.service")
    raise ConfigError("a service can be installed on Linux and macOS; elsewhere, start `redraft serve` at login")


@dataclass(frozen=True, slots=True)
class SystemdService:
    path: Path

    def install(self, command: ServiceCommand) -> str | None:
        lines = [
            "[Unit]",
            "Description=Redraft, grammatical error correction",
            "",
            "[Service]",
            # In a command, unlike in a variable, systemd replaces $ too.
            f"ExecStart={' '.join(_quote(argument).replace('$', '$$') for argument in command.arguments)}",
            f"WorkingDirectory={str(command.folder).replace('%', '%%')}",
            *(f"Environment={_quote(f'{name}={value}')}" for name, value in command.environment.items()),
            "Restart=on-failure",
            "NoNewPrivileges=true",
            "",
            "[Install]",
            "WantedBy=default.target",
        ]
        _write(self.path, "\n".join(lines).encode() + b"\n")
        return _run("systemctl", "--user", "daemon-reload") or _run("systemctl", "--user", "enable", "--now", NAME)

    def uninstall(self) -> None:
        _run("systemctl", "--user", "disable", "--now", NAME)
        self.path.unlink()
        _run("systemctl", "--user", "daemon-reload")


@dataclass(frozen=True, slots=True)
class LaunchdService:
    path: Path

    def install(self, command: ServiceCommand) -> str | None:
        description = {
            "Label": _LABEL,
            "ProgramArguments": list(command.arguments),
            "WorkingDirectory": str(command.folder),
            "EnvironmentVariables": dict(command.environment),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
        }
        if self.path.exists():  # a service that is loaded is not loaded again
            _run("launchctl", "bootout", self._target)
        _write(self.path, plistlib.dumps(description))
        return _run("launchctl", "bootstrap", f"gui/{os.getuid()}", str(self.path))

    def uninstall(self) -> None:
        _run("launchctl", "bootout", self._target)
        self.path.unlink()

    @property
    def _target(self) -> str:
        return f"gui/{os.getuid()}/{_LABEL}"


def _quote(argument: str) -> str:
    """A word of a unit file: systemd replaces %, and reads backslashes and quotes."""
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as partial:
        partial.chmod(0o600)  # it may contain the API key
        partial.write_bytes(data)


def _run(*command: str) -> str | None:
    """Runs a command; the reason if it failed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{command[0]}: {error.strerror if isinstance(error, OSError) else 'no answer within a minute'}"
    if done.returncode:
        return (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1]
    return None
