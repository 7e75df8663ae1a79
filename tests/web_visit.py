"""The web page in Chromium, as a visitor uses it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the web page is tested with playwright")
pytest.importorskip("fastapi", reason="the server needs redraft[server]")

from chromium import ARGUMENTS, be_patient, find_chromium  # noqa: E402
from served import PAIRS, WRONG, RankingStepper, tokenizer  # noqa: E402

from redraft.decode.stepper import Feed, Predictions  # noqa: E402

expect = playwright.expect
RIGHT = PAIRS[WRONG]
MISSPELT = "My freind likes tea."
DOUBTED = "friend"
"""The word to which the scripted model gives a confidence of nine tenths."""
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}


class Doubtful(RankingStepper):
    """A model with low confidence in one word."""

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        doubted = set(tokenizer().encode(f"My {DOUBTED}")) - set(tokenizer().encode("My "))
        return [
            Predictions(answer.ids, [math.log(0.9) if token in doubted else 0.0 for token in answer.ids])
            for answer in super().extend(feeds)
        ]


@contextmanager
def launch() -> Iterator[Any]:
    """A browser; skips the test if there is none."""
    with playwright.sync_playwright() as driver:
        found = find_chromium(driver, "the web page")
        browser = driver.chromium.launch(executable_path=found, args=[*ARGUMENTS])
        yield browser
        browser.close()


class Visit:
    """A browser tab with the page."""

    def __init__(self, page: Any, port: int) -> None:
        self.page = page
        self.url = f"http://127.0.0.1:{port}/"
        self.errors: list[str] = []
        self.checks = 0
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._listen)
        page.on("request", self._count)
        page.goto(self.url)
        self.editor = page.get_by_role("textbox", name="Your text")
        self.findings = page.locator(".cm-content .finding, .cm-content .insertion")
        self.cards = page.locator("#cards > li.card")
        """The list beside the text."""
        self.card = page.locator("#card")
        """The open card, at its word."""
        self.undo = page.locator("#toast").get_by_role("button", name="Undo")

    def _listen(self, message: Any) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.errors.append(message.text)

    def _count(self, request: Any) -> None:
        self.checks += request.url.endswith("/v1/check")

    @property
    def text(self) -> str:
        lines = self.page.locator(".cm-line").evaluate_all("lines => lines.map(line => line.textContent)")
        return "\n".join(lines)

    def type(self, text: str) -> None:
        self.editor.click()
        self.page.keyboard.type(text)

    def fill(self, text: str) -> None:
        self.editor.fill(text)
        self.settle()

    def settle(self) -> None:
        self.page.locator("body[data-status=checked]").wait_for()

    def press(self, keys: str) -> None:
        self.page.keyboard.press(keys)

    def wait_until_stored(self) -> None:
        for _ in range(100):
            if self.stored() == self.text:
                return
            self.page.wait_for_timeout(100)
        raise AssertionError("the browser keeps no copy of the text")

    def stored(self) -> str | None:
        return self.page.evaluate("localStorage.getItem('redraft.text')")


Open = Callable[..., Visit]


@contextmanager
def visiting(browser: Any) -> Iterator[Open]:
    contexts = []
    visits = []

    def open_page(port: int, **options: Any) -> Visit:
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options}))
        be_patient(contexts[-1])
        visits.append(Visit(contexts[-1].new_page(), port))
        return visits[-1]

    yield open_page
    for context in contexts:
        context.close()
    assert [error for visit in visits for error in visit.errors] == [], (
        "the page logged errors or violated the Content-Security-Policy"
    )
