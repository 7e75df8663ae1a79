"""Firefox with the extension, driven by its own remote protocol, Marionette."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ADD_ON = "redraft@redraft.invalid"
_NAMES = ("firefox-esr", "firefox")
_SECONDS = 60
_ROOT = "document.querySelector('redraft-overlay')?.shadowRoot"
_PREFERENCES = {
    "marionette.port": 0,
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.server": "",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "extensions.systemAddon.update.enabled": False,
}


class Firefox:
    """A browser window. Each message has four parts: type, number, error or command, result or arguments."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._number = 0
        self._read()  # a greeting
        self.send("WebDriver:NewSession")

    def send(self, command: str, **arguments: Any) -> Any:
        self._number += 1
        message = json.dumps([0, self._number, command, arguments]).encode()
        self._connection.sendall(str(len(message)).encode() + b":" + message)
        _, number, error, result = self._read()
        assert number == self._number
        assert error is None, f"{command}: {error['message']}"
        return result.get("value") if isinstance(result, dict) and set(result) == {"value"} else result

    def _read(self) -> Any:
        size = b""
        while not size.endswith(b":"):
            size += self._connection.recv(1)
        length, data = int(size[:-1]), b""
        while len(data) < length:
            data += self._connection.recv(length - len(data))
        return json.loads(data)

    def go(self, url: str) -> None:
        self.send("WebDriver:Navigate", url=url)

    def evaluate(self, script: str, *arguments: Any) -> Any:
        """The value of an expression in the page."""
        return self.send("WebDriver:ExecuteScript", script=f"return {script}", args=list(arguments), sandbox=None)

    def evaluate_in_browser(self, script: str) -> Any:
        """The value of an expression in the browser itself."""
        self.send("Marionette:SetContext", value="chrome")
        found = self.evaluate(script)
        self.send("Marionette:SetContext", value="content")
        return found

    def wait(self, script: str, accepted: Callable[[Any], bool] = bool) -> Any:
        """The value of an expression in the page, as soon as it is accepted."""
        end = time.monotonic() + _SECONDS
        while not accepted(found := self.evaluate(script)):
            assert time.monotonic() < end, f"{script} is {found!r}"
            time.sleep(0.05)
        return found

    def focus(self, selector: str) -> None:
        """Moves the focus to an element, as soon as the page has it."""
        self.wait(f"document.querySelector({json.dumps(selector)}) !== null")
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")

    def click(self, x: float, y: float) -> None:
        place = {"x": round(x), "y": round(y), "origin": "viewport"}
        actions = [
            {"type": "pointerMove", **place},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._perform({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions})

    def type(self, text: str) -> None:
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self._perform({"type": "key", "id": "keyboard", "actions": actions})

    def chord(self, modifier: str, key: str) -> None:
        """Presses a key while another one is held."""
        held = [("keyDown", modifier), ("keyDown", key), ("keyUp", key), ("keyUp", modifier)]
        self._perform(
            {"type": "key", "id": "keyboard", "actions": [{"type": kind, "value": one} for kind, one in held]}
        )

    def store(self, **settings: Any) -> None:
        """Stores settings of the extension, from its options page."""
        host = self.evaluate_in_browser(f"WebExtensionPolicy.getByID('{ADD_ON}').mozExtensionHostname")
        self.go(f"moz-extension://{host}/options.html")
        self.send(
            "WebDriver:ExecuteAsyncScript",
            script="const [settings, done] = arguments; browser.storage.local.set(settings).then(done)",
            args=[settings],
            sandbox=None,
        )

    def _perform(self, source: dict[str, Any]) -> None:
        self.send("WebDriver:PerformActions", actions=[source])


class FirefoxPage:
    """A page of a site, with the extension."""

    def __init__(self, firefox: Firefox, url: str) -> None:
        self.firefox = firefox
        firefox.go(url)

    def wait_for_underlines(self, number: int) -> list[dict[str, float]]:
        underlines = f"[...({_ROOT})?.querySelectorAll('[part~=underline]') ?? []]"
        boxes = f"{underlines}.map(one => one.getBoundingClientRect().toJSON())"
        found: list[dict[str, float]] = self.firefox.wait(boxes, lambda boxes: len(boxes) == number)
        return found

    def open_card(self, box: dict[str, float]) -> str:
        """Clicks on the word above an underline; the text of its card."""
        self.firefox.click(box["left"] + box["width"] / 2, box["top"] - 5)
        text: str = self.firefox.wait(f"({_ROOT}).querySelector('[part=card]:not([hidden])')?.textContent")
        return text

    def press(self, name: str) -> None:
        """Clicks a button of the card."""
        find = f"[...({_ROOT}).querySelectorAll('button')].find(one => one.textContent === {json.dumps(name)})"
        box = self.firefox.wait(f"({find})?.getBoundingClientRect().toJSON()")
        self.firefox.click(box["left"] + box["width"] / 2, box["top"] + box["height"] / 2)


@contextmanager
def launch(folder: Path, package: Path) -> Iterator[Firefox]:
    """A headless Firefox with the packed extension; skips the test if there is none."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("there is no Firefox here; install it to test the browser extension")
    lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in _PREFERENCES.items())
    profile = folder / "profile"
    profile.mkdir()
    (profile / "user.js").write_text("".join(lines), encoding="utf-8")
    command = [
        found,
        *["--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile"],
        str(profile),
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            env={**os.environ, "HOME": str(folder), "MOZ_HEADLESS_WIDTH": "1000", "MOZ_HEADLESS_HEIGHT": "800"},
        )
    try:
        with socket.create_connection(("127.0.0.1", _wait_for_port(profile, process)), timeout=_SECONDS) as connection:
            firefox = Firefox(connection)
            firefox.send("Addon:Install", path=str(package), temporary=True)
            yield firefox
    finally:
        process.terminate()
        process.wait(timeout=_SECONDS)


def _wait_for_port(profile: Path, process: subprocess.Popen[bytes]) -> int:
    """The port that Firefox has chosen, which it writes to its profile."""
    place = profile / "MarionetteActivePort"
    end = time.monotonic() + _SECONDS
    while not place.exists() or not place.read_text():
        assert process.poll() is None, "Firefox has ended"
        assert time.monotonic() < end, "Firefox does not answer"
        time.sleep(0.05)
    return int(place.read_text())
