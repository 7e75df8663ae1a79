"""A browser with the extension, and pages to use it on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

# A page that forbids all that an extension could need from it: scripts, connections, style sheets, pictures.
PAGE = """<!doctype html><meta charset="utf-8"><title>A page</title>
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'self'; frame-src 'self'">
<link rel="stylesheet" href="page.css">
"""
SHEET = "body { margin: 40px; font: 16px/1.6 sans-serif } textarea { width: 400px; height: 90px; font: inherit }"
Underline = dict[str, float]


class Site:
    """A web server with pages that tests write."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        (folder / "page.css").write_text(SHEET, encoding="utf-8")

    def add(self, name: str, body: str) -> str:
        (self.folder / f"{name}.html").write_text(PAGE + body, encoding="utf-8")
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
        box = self.boxes()[number]
        self.page.mouse.click(box["left"] + box["width"] / 2, box["top"] - 5)
        self.card.wait_for()

    def press(self, name: str) -> None:
        self.card.get_by_role("button", name=name, exact=True).click()
