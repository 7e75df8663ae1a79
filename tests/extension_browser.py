"""A browser with the extension, and pages to use it on."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from chromium import ARGUMENTS, be_patient, find_chromium

# A page that forbids all that an extension could need from it: scripts, connections, style sheets, pictures.
PAGE = """<!doctype html><meta charset="utf-8"><title>A page</title>
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'self'; frame-src 'self'">
<link rel="stylesheet" href="page.css">
"""
SHEET = "body { margin: 40px; font: 16px/1.6 sans-serif } textarea { width: 400px; height: 90px; font: inherit }"
KEY = "a key"
"""The API key of the server."""
ROOT = Path(__file__).parent.parent
Underline = dict[str, float]


class Site:
    """A web server with pages that tests write."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        (folder / "page.css").write_text(SHEET, encoding="utf-8")

    def add(self, name: str, body: str, head: str = PAGE) -> str:
        (self.folder / f"{name}.html").write_text(head + body, encoding="utf-8")
        return f"http://localhost:{self.port}/{name}.html"


class Extension:
    """A browser with the extension."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.worker = context.service_workers[0] if context.service_workers else context.wait_for_event("serviceworker")
        self.address = self.worker.url.rpartition("/")[0]

    def store(self, **settings: Any) -> None:
        self.worker.evaluate("settings => chrome.storage.local.set(settings)", settings)

    def open_popup(self, page: Any) -> Any:
        """Opens the popup in a tab of its own, for the page in another one: no test can reach the real one."""
        page.bring_to_front()
        tab = self.worker.evaluate("async () => (await chrome.tabs.query({active: true}))[0].id")
        popup = self.context.new_page()
        popup.add_init_script(f"chrome.tabs.query = async () => [{{id: {tab}}}]")
        popup.goto(f"{self.address}/popup.html")
        return popup

    def command(self, page: Any, name: str) -> None:
        """Does what the browser does when the keys of a command are pressed, which no page sees."""
        page.bring_to_front()
        self.worker.evaluate(
            "async type => chrome.tabs.sendMessage((await chrome.tabs.query({active: true}))[0].id, {type})", name
        )


class Visit:
    """A tab with a page of the site."""

    def __init__(self, extension: Extension, url: str, server: str) -> None:
        self.server = server
        self.errors: list[str] = []
        self.page = extension.context.new_page()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(url)
        self.underlines = self.page.locator("redraft-overlay [part~=underline]")
        self.card = self.page.locator("redraft-overlay [part=card]")

    def boxes(self) -> list[Underline]:
        found: list[Underline] = self.underlines.evaluate_all(
            "all => all.map(one => one.getBoundingClientRect().toJSON())"
        )
        return found

    def open_card(self, number: int) -> None:
        """Clicks on the word above an underline."""
        from playwright.sync_api import TimeoutError as CardTimeout

        before = self.boxes()
        box = before[number]
        self.page.mouse.click(box["left"] + box["width"] / 2, box["top"] - 5)
        try:
            self.card.wait_for()
        except CardTimeout as error:
            raise AssertionError(f"no card; underlined were {before}, and now {self.boxes()}") from error

    def press(self, name: str) -> None:
        self.card.get_by_role("button", name=name, exact=True).click()


Open = Callable[..., Visit]
"""Opens a page with a body, and with a head other than `PAGE` if it is given."""


@contextmanager
def serve(folder: Path) -> Iterator[Site]:
    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: Any) -> None:
            pass

        def end_headers(self) -> None:
            # Tests write other pages under the same name, some within the second that a time of change counts.
            self.send_header("Cache-Control", "no-store")
            super().end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield Site(folder, server.server_port)
        server.shutdown()


def pack(folder: Path) -> Path:
    """Packs the extension into a folder."""
    subprocess.run([ROOT / "scripts" / "extension", folder], check=True, capture_output=True)
    return folder


@contextmanager
def launch(folder: Path) -> Iterator[Extension]:
    """Chromium with the extension; skips the test if there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser extension is tested with playwright")
    unpacked = pack(folder) / "unpacked"
    zipfile.ZipFile(folder / "redraft-chromium.zip").extractall(unpacked)
    arguments = [*ARGUMENTS, f"--disable-extensions-except={unpacked}", f"--load-extension={unpacked}"]
    with playwright.sync_playwright() as driver:
        found = find_chromium(driver, "the browser extension")
        context = driver.chromium.launch_persistent_context(
            folder / "profile", executable_path=found, args=arguments, viewport={"width": 1000, "height": 700}
        )
        be_patient(context)
        yield Extension(context)
        context.close()


@contextmanager
def visiting(extension: Extension, site: Site, app: Any) -> Iterator[Open]:
    """Opens pages while a server runs; afterwards no page may have reported an error."""
    from served import live

    visits: list[Visit] = []
    with live(app) as port:
        server = f"http://127.0.0.1:{port}"

        def open_page(body: str, head: str = PAGE) -> Visit:
            visits.append(Visit(extension, site.add("page", body, head), server))
            return visits[-1]

        extension.store(address=server, key=KEY, off=[])
        yield open_page
    for one in visits:
        one.page.close()
    assert [error for one in visits for error in one.errors] == []
