"""The web page in Chromium, against a real port."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the web page is tested with playwright")
pytest.importorskip("fastapi", reason="the server needs redraft[server]")

from chromium import ARGUMENTS, find_chromium  # noqa: E402
from served import FACE, PAIRS, WRONG, RankingStepper, gated, live, make_app, scripted_corrector, tokenizer  # noqa: E402

import redraft  # noqa: E402
from redraft.decode.stepper import Feed, Predictions  # noqa: E402
from redraft.server.page import WEB  # noqa: E402

expect = playwright.expect
pytestmark = pytest.mark.e2e
SOURCES = Path(__file__).parent.parent.parent / "web"
RIGHT = PAIRS[WRONG]
MISSPELT = "My freind likes tea."
DOUBTED = "friend"
"""The word to which the scripted model gives a confidence of a third."""
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}


class Doubtful(RankingStepper):
    """A model with low confidence in one word."""

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        doubted = set(tokenizer().encode(f"My {DOUBTED}")) - set(tokenizer().encode("My "))
        return [
            Predictions(answer.ids, [math.log(1 / 3) if token in doubted else 0.0 for token in answer.ids])
            for answer in super().extend(feeds)
        ]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
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
        self.page.locator("body[data-status=checked]").wait_for(timeout=60_000)

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
        contexts[-1].set_default_timeout(20_000)
        visits.append(Visit(contexts[-1].new_page(), port))
        return visits[-1]

    yield open_page
    for context in contexts:
        context.close()
    assert [error for visit in visits for error in visit.errors] == [], (
        "the page logged errors or violated the Content-Security-Policy"
    )


@pytest.fixture
def open_page(browser: Any) -> Iterator[Open]:
    with visiting(browser) as open_page:
        yield open_page


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    corrector = scripted_corrector(threshold=0.25)
    gated(corrector).stepper = Doubtful
    with live(make_app(tmp_path, corrector)) as port:
        yield port


@pytest.fixture
def visit(open_page: Open, port: int) -> Visit:
    return open_page(port)


def test_what_is_typed_is_underlined_and_corrected_by_keyboard(visit: Visit) -> None:
    visit.type(WRONG)
    expect(visit.findings).to_have_text(["go", "days"])
    expect(visit.page.locator("#found")).to_have_text("2 suggestions")
    visit.press("Alt+ArrowDown")
    expect(visit.page.locator("#announcer")).to_contain_text("1 of 2. Agreement: “go” becomes “goes”.")
    visit.press("Alt+Enter")
    assert visit.text == WRONG.replace("go ", "goes ")
    visit.press("Alt+ArrowDown")
    visit.press("Alt+Enter")
    assert visit.text == RIGHT
    expect(visit.findings).to_have_count(0)
    visit.press("Control+z")
    assert visit.text == WRONG.replace("go ", "goes ")
    visit.press("Control+z")
    assert visit.text == WRONG
    visit.press("Control+Shift+Z")
    assert visit.text == WRONG.replace("go ", "goes ")


def test_a_word_is_not_marked_while_it_is_typed(visit: Visit) -> None:
    visit.fill(WRONG)
    expect(visit.findings).to_have_count(2)
    visit.editor.click()
    visit.press("Control+End")
    visit.page.keyboard.type(" I greet the world")
    visit.settle()
    assert visit.findings.count() == 2, "the missing mark at the caret was shown at once"
    expect(visit.findings).to_have_count(3)


def test_the_heading_says_what_to_do_and_whether_the_text_was_checked(open_page: Open, tmp_path: Path) -> None:
    corrector = scripted_corrector()
    with live(make_app(tmp_path, corrector)) as port:
        visit = open_page(port)
        heading = visit.page.locator("#found")
        expect(heading).to_have_text("Suggestions appear here")
        gated(corrector).gate.clear()
        visit.editor.fill(RIGHT)
        expect(heading).to_have_text("Checking…")
        gated(corrector).gate.set()
        expect(heading).to_have_text("No suggestions")
        visit.editor.fill("")
        expect(heading).to_have_text("Suggestions appear here")
    visit.editor.fill(WRONG)
    expect(heading).to_have_text("Not checked")


def test_sentences_that_were_not_checked_are_counted_with_the_reason(visit: Visit) -> None:
    unchecked = visit.page.locator("#unchecked")
    visit.fill(f"{WRONG}\n\nОна идёт в школу. Он тоже.")
    expect(visit.page.locator("#found")).to_have_text("2 suggestions")
    expect(unchecked).to_have_text("2 sentences were not checked: Cyrillic text, but only English is checked.")
    expect(visit.page.locator(".cm-content .unchecked")).to_have_count(2)
    visit.fill("Она идёт в школу.")
    expect(visit.page.locator("#found")).to_have_text("Not checked")
    visit.fill(RIGHT)
    expect(visit.page.locator("#found")).to_have_text("No suggestions")
    expect(unchecked).to_be_hidden()


def test_figures_count_words_sentences_time_and_calls(visit: Visit) -> None:
    visit.fill(f"{WRONG} {MISSPELT}")
    expect(visit.page.locator("#words-count")).to_have_text("10 words")
    expect(visit.page.locator("#sentences-count")).to_have_text("2 sentences")
    expect(visit.page.locator("#state")).to_have_text(re.compile(r"^Checked in [\d.]+ ms, \d+ decoder calls$"))


def test_a_card_explains_and_corrects_by_mouse(visit: Visit) -> None:
    visit.fill(f"{WRONG} {MISSPELT}")
    visit.page.locator(".cm-content .finding", has_text="freind").click()
    card = visit.card
    expect(card).to_contain_text("freind → friend")
    expect(card.locator(".kind")).to_have_text("Spelling")
    expect(card.locator(".why")).to_contain_text("friend")
    expect(card.locator(".sure")).to_have_text("33% sure")
    card.get_by_role("button", name="Accept", exact=True).click()
    assert visit.text == f"{WRONG} {PAIRS[MISSPELT]}"
    visit.page.get_by_role("button", name="Undo").first.click()
    assert visit.text == f"{WRONG} {MISSPELT}"


def test_the_card_opens_at_its_word(visit: Visit) -> None:
    visit.fill(f"{WRONG} {MISSPELT}")
    word = visit.page.locator(".cm-content .finding", has_text="freind")
    word.click()
    expect(visit.card).to_be_visible()
    expect(visit.card).to_have_role("dialog")
    place, card = word.bounding_box(), visit.card.bounding_box()
    assert 0 <= card["y"] - (place["y"] + place["height"]) < 20
    assert card["x"] <= place["x"] <= card["x"] + card["width"]
    visit.press("Escape")
    expect(visit.card).to_be_hidden()
    expect(visit.editor).to_be_focused()
    word.click()
    visit.page.locator("h1").click()
    expect(visit.card).to_be_hidden()


def test_at_the_lower_edge_the_card_opens_above_its_word(visit: Visit) -> None:
    visit.fill("\n".join([*["A line of text."] * 40, MISSPELT]))
    visit.editor.click()
    visit.press("Alt+ArrowDown")
    expect(visit.card).to_be_visible()
    visit.page.wait_for_function(
        "() => document.querySelector('#card').getBoundingClientRect().bottom"
        " < document.querySelector('.finding').getBoundingClientRect().top + 8"
    )


def test_moving_the_caret_through_the_text_opens_no_card(visit: Visit) -> None:
    visit.fill(WRONG)
    visit.editor.click()
    visit.press("Control+Home")
    for _ in range(5):
        visit.press("ArrowRight")
    expect(visit.cards.first).to_have_class(re.compile("active"))
    expect(visit.card).to_be_hidden()


@pytest.mark.parametrize("back", ["text", "list"])
def test_the_keyboard_reaches_the_card_and_escape_gives_the_focus_back(visit: Visit, back: str) -> None:
    visit.fill(WRONG)
    visit.editor.click()
    visit.press("Control+Home")
    if back == "text":
        visit.press("Alt+ArrowDown")
        visit.press("Tab")
    else:
        visit.press("Control+.")
        visit.press("Enter")
    accept = visit.card.get_by_role("button", name="Accept", exact=True)
    expect(accept).to_be_focused()
    visit.press("Escape")
    expect(visit.card).to_be_hidden()
    expect(visit.editor if back == "text" else visit.cards.first.locator(".head")).to_be_focused()


def test_other_replacements_are_chips_made_when_a_card_opens(visit: Visit) -> None:
    asked: list[str] = []
    visit.page.on("request", lambda request: asked.append(request.post_data or ""))
    visit.fill(f"Look here. {WRONG}")
    assert not any("alternatives" in body for body in asked)
    visit.editor.click()
    visit.press("Control+Home")
    visit.press("Alt+ArrowDown")
    chip = visit.card.locator(".chip")
    expect(chip).to_have_text(["is"])
    expect(chip).to_have_attribute("title", "30% sure")
    assert [body for body in asked if "alternatives" in body and "Look here" not in body]
    visit.press("Tab")
    chip.focus()
    visit.press("Enter")
    assert visit.text == f"Look here. {WRONG.replace('go ', 'is ')}"
    expect(visit.editor).to_be_focused()


def test_the_list_follows_the_text_in_view(visit: Visit) -> None:
    visit.fill("\n\n".join([*[MISSPELT] * 40, WRONG]))
    expect(visit.cards).to_have_count(42)
    last = visit.cards.last
    visit.page.evaluate("scrollTo(0, 0)")
    expect(last).not_to_be_in_viewport()
    visit.page.locator(".cm-line", has_text=WRONG).scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
    visit.page.evaluate("scrollTo(0, 0)")
    expect(visit.cards.first).to_be_in_viewport()
    expect(last).not_to_be_in_viewport()


def test_an_ignored_suggestion_stays_ignored_when_its_sentence_changes_elsewhere(visit: Visit) -> None:
    visit.fill(WRONG)
    visit.page.locator(".cm-content .finding", has_text="days").click()
    visit.card.get_by_role("button", name="Ignore once").click()
    expect(visit.findings).to_have_text(["go"])
    visit.undo.wait_for()
    visit.page.get_by_role("button", name="Accept all").click()
    visit.settle()
    visit.page.wait_for_timeout(300)
    expect(visit.findings).to_have_count(0)
    assert visit.text == RIGHT.replace("day", "days")
    visit.wait_until_stored()
    visit.page.reload()
    visit.settle()
    expect(visit.findings).to_have_count(0)
    visit.page.get_by_role("button", name="Dictionary", exact=True).click()
    visit.page.locator("#ignores").get_by_role("button", name="Remove").click()
    visit.press("Escape")
    expect(visit.findings).to_have_text(["days"])


def test_pasted_code_is_left_alone(visit: Visit) -> None:
    visit.fill(f"{WRONG}\n\ndef go(days):\n    return freind(days)\n\n$ git comit --amend\n\n{MISSPELT}")
    expect(visit.findings).to_have_text(["go", "days", "freind"])


def test_statistics_on_demand(visit: Visit) -> None:
    long = f"This sentence {'goes on and ' * 12}ends."
    visit.fill(f"{RIGHT} {long}\n\n{PAIRS[MISSPELT]}")
    visit.page.get_by_role("button", name="Statistics").click()
    figures = dict(
        zip(
            visit.page.locator("#figures dt").all_text_contents(),
            visit.page.locator("#figures dd").all_text_contents(),
            strict=True,
        )
    )
    assert figures["Words"] == "49"
    assert (figures["Sentences"], figures["Paragraphs"]) == ("3", "2")
    assert figures["Mean length of a sentence"] == "16.3 words"
    assert figures["Reading time"] == "less than a minute"
    assert re.fullmatch(r"[a-z ]+ \(Flesch reading ease \d+\)", figures["Readability"])
    expect(visit.page.locator("#long-title")).to_have_text("Sentences of more than 30 words: 1")
    visit.page.locator("#long button").click()
    expect(visit.page.locator("#statistics")).to_be_hidden()
    expect(visit.editor).to_be_focused()
    assert visit.page.evaluate("getSelection().toString()") == long


def test_all_are_accepted_and_undone_in_one_step(visit: Visit) -> None:
    visit.fill(f"{WRONG} {MISSPELT}")
    expect(visit.cards).to_have_count(3)
    visit.page.get_by_role("button", name="Accept all").click()
    assert visit.text == f"{RIGHT} {PAIRS[MISSPELT]}"
    visit.undo.click()
    assert visit.text == f"{WRONG} {MISSPELT}"


def test_the_toast_undoes_its_action_and_nothing_else(visit: Visit) -> None:
    visit.fill(f"{WRONG} {MISSPELT}")
    visit.editor.click()
    visit.press("Alt+Shift+Enter")
    assert visit.text == f"{RIGHT} {PAIRS[MISSPELT]}"
    visit.press("Control+End")
    visit.page.keyboard.type(" Hello there.")
    visit.press("Control+Home")
    visit.page.keyboard.type("Yes. ")
    visit.undo.click()
    assert visit.text == f"Yes. {WRONG} {MISSPELT} Hello there."
    expect(visit.undo).to_have_count(0)
    expect(visit.editor).to_be_focused()


def test_a_toast_offers_no_undo_of_what_was_undone_already(visit: Visit) -> None:
    visit.fill(WRONG)
    visit.page.get_by_role("button", name="Accept all").click()
    expect(visit.undo).to_be_visible()
    visit.editor.focus()
    visit.press("Control+z")
    assert visit.text == WRONG
    expect(visit.undo).to_have_count(0)


def test_the_toast_covers_nothing(visit: Visit) -> None:
    visit.fill("\n".join([f"{WRONG}"] * 60))
    visit.page.get_by_role("button", name="Accept all").click()
    visit.page.mouse.wheel(0, 600)
    expect(visit.undo).to_be_in_viewport()
    boxes = visit.page.locator("#tools button, #toast p").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect())"
    )
    ordered = sorted(boxes, key=lambda box: box["left"])
    assert all(one["right"] <= other["left"] for one, other in pairwise(ordered))
    assert max(box["bottom"] for box in boxes) - min(box["top"] for box in boxes) < 60, "the row of buttons grew"


def test_an_insertion_has_a_mark_of_its_own(visit: Visit) -> None:
    visit.fill("He is teacher in our town.")
    expect(visit.page.locator(".cm-content .insertion")).to_have_count(1)
    visit.press("Alt+ArrowDown")
    expect(visit.card.locator(".change")).to_have_text("is a teacher")
    visit.press("Alt+Enter")
    assert visit.text == "He is a teacher in our town."


def test_offsets_count_as_the_browser_does(visit: Visit) -> None:
    visit.fill(f"{FACE}{FACE} Look.\n\nWe {FACE} goes home. {WRONG}")
    expect(visit.findings).to_have_text(["goes", "go", "days"])
    visit.editor.click()
    visit.press("Alt+Shift+Enter")
    assert visit.text == f"{FACE}{FACE} Look.\n\nWe {FACE} go home. {RIGHT}"


@pytest.mark.parametrize(
    ("key", "file", "line", "left"),
    [
        ("i", "ignores.txt", 'once "go" -> "goes" in ', ["days"]),
        ("w", "ignores.txt", "word go", ["days"]),
        ("k", "ignores.txt", "kind agreement", ["days"]),
        ("d", "words.txt", "go", ["days"]),
    ],
)
def test_ignores_made_by_keyboard_are_saved_and_can_be_undone(
    visit: Visit, tmp_path: Path, key: str, file: str, line: str, left: list[str]
) -> None:
    visit.fill(WRONG)
    visit.editor.click()
    visit.press("Control+Home")
    visit.press("Control+.")
    expect(visit.cards.first.locator(".head")).to_be_focused()
    visit.press(key)
    expect(visit.findings).to_have_text(left)
    expect(visit.cards.first.locator(".head")).to_be_focused()
    visit.undo.wait_for()
    kept = (tmp_path / file).read_text(encoding="utf-8").splitlines()
    assert any(entry.startswith(line) for entry in kept)
    visit.press("Escape")
    expect(visit.editor).to_be_focused()
    visit.undo.click()
    expect(visit.findings).to_have_text(["go", "days"])
    expect(visit.editor).to_be_focused()


def test_tab_reaches_one_card_and_arrows_move_through_the_list(visit: Visit) -> None:
    visit.fill(f"{WRONG} {MISSPELT}")
    visit.editor.click()
    visit.press("Control+Home")
    heads = visit.cards.locator(".head")
    expect(heads).to_have_count(3)
    visit.press("Tab")
    expect(visit.page.get_by_role("button", name="Statistics")).to_be_focused()
    visit.press("Tab")
    expect(visit.page.get_by_role("button", name="Accept all")).to_be_focused()
    visit.press("Tab")
    expect(heads.nth(0)).to_be_focused()
    visit.press("Tab")
    expect(visit.page.locator("#threshold")).to_be_focused()
    visit.press("Shift+Tab")
    visit.press("ArrowDown")
    expect(heads.nth(1)).to_be_focused()
    expect(heads.nth(1)).to_have_attribute("aria-current", "true")
    expect(visit.card.locator("del")).to_have_text("days")
    visit.press("a")
    expect(heads).to_have_count(2)
    expect(heads.nth(1)).to_be_focused()


def test_the_dialog_lists_words_and_ignores(visit: Visit) -> None:
    visit.fill(WRONG)
    visit.page.get_by_role("button", name="Dictionary", exact=True).click()
    visit.page.get_by_placeholder("Add a word").fill("days")
    visit.press("Enter")
    expect(visit.page.locator("#words")).to_contain_text("days")
    expect(visit.findings).to_have_text(["go"])
    visit.page.get_by_role("button", name="Remove days").click()
    expect(visit.findings).to_have_text(["go", "days"])
    visit.page.get_by_role("button", name="Close").click()


def test_a_new_threshold_needs_no_new_check(visit: Visit) -> None:
    visit.fill(f"{WRONG} {MISSPELT}")
    expect(visit.page.locator("#threshold-value")).to_have_text("25%")
    expect(visit.findings).to_have_text(["go", "days", "freind"])
    checks = visit.checks
    visit.page.locator("#threshold").fill("60")
    expect(visit.findings).to_have_text(["go", "days"])
    visit.page.locator("#threshold").fill("0")
    expect(visit.findings).to_have_text(["go", "days", "freind"])
    assert visit.checks == checks


def test_the_decoding_view_shows_every_call(visit: Visit) -> None:
    visit.fill(f"{MISSPELT} {WRONG}")
    visit.editor.click()
    visit.press("Control+End")
    visit.press("Control+/")
    columns = visit.page.locator(".policy")
    expect(columns.locator("h3")).to_have_text(["Redraft", "The paper", "Greedy"])
    expect(visit.page.locator("#same")).to_have_text(f"All three produce the same text: {RIGHT}")
    calls = [columns.nth(place).locator(".calls > li") for place in range(3)]
    tokens = len(tokenizer().encode(RIGHT)) + 1
    assert calls[2].count() == tokens
    assert calls[0].count() <= calls[1].count() < tokens
    for place in range(3):
        assert columns.nth(place).locator(".cost b").inner_text() == str(calls[place].count())
        parts = columns.nth(place).locator(".accepted, .own:not(.end)").all_text_contents()
        assert "".join(parts) == RIGHT
    first = calls[0].first
    draft = first.locator(".accepted").text_content() + first.locator(".rejected").text_content()
    assert draft == WRONG
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.page.get_by_role("button", name="Copy as text").click()
    expect(visit.page.locator("#toast")).to_contain_text("copied")
    copied = visit.page.evaluate("navigator.clipboard.readText()")
    assert f"Sentence: {WRONG}\nResult:   {RIGHT}\n" in copied
    assert f"Greedy: {tokens} calls\n" in copied
    with visit.page.expect_download() as download:
        visit.page.get_by_role("button", name="Save as HTML").click()
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    assert WRONG in saved and f"Greedy: {tokens} calls" in saved
    assert not re.search(r"<script|src=|href=|url\(", saved)
    visit.editor.focus()
    visit.press("Control+Home")
    expect(visit.page.locator("#same")).to_contain_text(PAIRS[MISSPELT])
    visit.page.get_by_role("button", name="Close", exact=True).click()
    expect(visit.page.locator("#decoding")).to_be_hidden()


def test_only_what_changed_is_decoded_again(open_page: Open, tmp_path: Path) -> None:
    corrector = scripted_corrector()
    with live(make_app(tmp_path, corrector)) as port:
        visit = open_page(port)
        visit.fill(f"{WRONG} {MISSPELT}")
        before = len(gated(corrector).sources)
        visit.editor.click()
        visit.press("Control+End")
        visit.page.keyboard.type(" I am agree with you.")
        expect(visit.findings).to_have_count(4)
        again = [tokenizer().decode(source) for source in gated(corrector).sources[before:]]
        assert again
        assert not {WRONG, MISSPELT} & set(again)


def test_an_outdated_answer_is_not_shown(open_page: Open, tmp_path: Path) -> None:
    corrector = scripted_corrector()
    with live(make_app(tmp_path, corrector)) as port:
        visit = open_page(port)
        gated(corrector).gate.clear()
        visit.editor.fill(WRONG)
        assert gated(corrector).asked.wait(timeout=20)
        visit.editor.fill(f"Look here. {MISSPELT}")
        gated(corrector).gate.set()
        visit.settle()
        expect(visit.findings).to_have_text(["freind"])


def test_colours_follow_the_system_until_one_is_chosen(open_page: Open, port: int) -> None:
    visit = open_page(port, color_scheme="dark")

    def is_dark() -> bool:
        colour = visit.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3])) < 200

    assert is_dark()
    visit.page.get_by_role("button", name="Light").click()
    assert not is_dark()
    visit.page.reload()
    assert not is_dark()
    visit.page.get_by_role("button", name="Dark").click()
    visit.page.reload()
    assert is_dark()


def test_a_phone_shows_the_card_at_the_lower_edge(open_page: Open, port: int) -> None:
    visit = open_page(port, **PHONE)
    visit.fill(f"{WRONG} {MISSPELT}")
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visit.page.locator(".cm-content .finding", has_text="days").tap()
    box = visit.card.bounding_box()
    assert box["y"] + box["height"] == pytest.approx(PHONE["viewport"]["height"], abs=1)
    visit.page.get_by_role("button", name="Close this suggestion").tap()
    expect(visit.card).to_be_hidden()
    visit.page.locator(".cm-content .finding", has_text="days").tap()
    visit.card.get_by_role("button", name="Accept", exact=True).tap()
    assert visit.text == f"{WRONG.replace('days', 'day')} {MISSPELT}"


def test_on_a_phone_the_card_does_not_cover_its_word(open_page: Open, port: int) -> None:
    visit = open_page(port, **PHONE)
    visit.fill("\n".join([*["A line of text."] * 14, MISSPELT]))
    visit.page.locator(".cm-content .finding").tap()
    card = visit.card
    expect(card).to_be_visible()
    for _ in range(50):
        word, top = visit.findings.bounding_box(), card.bounding_box()["y"]
        if word["y"] + word["height"] <= top:
            return
        visit.page.wait_for_timeout(100)
    raise AssertionError("the card lies over the word it is about")


def test_text_survives_a_stopped_server_and_a_reload(open_page: Open, tmp_path: Path) -> None:
    with live(make_app(tmp_path)) as port:
        visit = open_page(port)
        visit.fill(WRONG)
        visit.wait_until_stored()
    visit.editor.click()
    visit.press("Control+End")
    visit.page.keyboard.type(f" {MISSPELT}")
    expect(visit.page.get_by_role("alert")).to_contain_text("Redraft does not answer.")
    assert visit.text == f"{WRONG} {MISSPELT}"
    with live(make_app(tmp_path), port):
        expect(visit.page.get_by_role("alert")).to_be_hidden(timeout=20_000)
        expect(visit.findings).to_have_text(["go", "days", "freind"])
        visit.page.reload()
        expect(visit.findings).to_have_text(["go", "days", "freind"])
        assert visit.text == f"{WRONG} {MISSPELT}"


def test_deleting_the_text_removes_the_stored_copy(visit: Visit) -> None:
    visit.fill(WRONG)
    visit.wait_until_stored()
    visit.page.get_by_role("button", name="Delete the text and the copy").click()
    assert visit.stored() is None
    visit.page.reload()
    expect(visit.page.locator("#words-count")).to_have_text("0 words")
    assert visit.stored() is None


def test_a_server_with_a_key_asks_for_it(open_page: Open, tmp_path: Path) -> None:
    with live(make_app(tmp_path, api_key="sesame")) as port:
        visit = open_page(port)
        visit.editor.fill(WRONG)
        visit.page.get_by_label("API key").fill("sesame")
        visit.page.get_by_role("button", name="Use this key").click()
        expect(visit.findings).to_have_text(["go", "days"])


def test_a_text_that_is_too_long_is_reported_and_kept(open_page: Open, tmp_path: Path) -> None:
    with live(make_app(tmp_path, max_text=40)) as port:
        visit = open_page(port)
        visit.editor.fill(f"{WRONG} {MISSPELT}")
        expect(visit.page.get_by_role("alert")).to_contain_text("the server takes up to 40")
        visit.fill(WRONG)
        expect(visit.page.get_by_role("alert")).to_be_hidden()
        expect(visit.findings).to_have_text(["go", "days"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_page: Open, port: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    visit = open_page(port, color_scheme=scheme)
    visit.fill(f"{WRONG} {MISSPELT} He is teacher in our town.")
    visit.editor.click()
    visit.press("Control+Home")
    visit.press("Alt+ArrowDown")
    visit.press("Control+/")
    visit.page.locator(".policy").first.wait_for()
    visit.card.locator(".chip").wait_for()
    found = axe.run(visit.page).response["violations"]
    visit.page.get_by_role("button", name="Accept all").click()
    visit.undo.wait_for()
    found += axe.run(visit.page).response["violations"]
    for name in ("Dictionary", "Statistics"):
        visit.page.get_by_role("button", name=name, exact=True).click()
        found += axe.run(visit.page).response["violations"]
        visit.press("Escape")
    serious = [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found if rule["impact"] != "minor"]
    assert serious == []


def test_the_embedded_model_corrects_the_example(open_page: Open, tmp_path: Path) -> None:
    with live(make_app(tmp_path, redraft.load("en", threads=1))) as port:
        visit = open_page(port)
        visit.page.get_by_role("button", name="Example").click()
        visit.settle()
        before = visit.text
        assert visit.cards.count() >= 10
        visit.page.get_by_role("button", name="Accept all").click()
        assert visit.text != before
        assert "https://example.org/library, or write to Ines Vauquelin." in visit.text
        visit.page.locator("#undo").click()
        assert visit.text == before


def test_chinese_beside_english(open_page: Open, tmp_path: Path) -> None:
    with live(make_app(tmp_path, redraft.load(threads=1))) as port:
        visit = open_page(port)
        visit.fill(f"{FACE} 今天天汽很好，我对音乐很兴趣。\n\n{WRONG}")
        expect(visit.cards.locator(".change")).to_have_text(
            ["汽 → 气", "好，我对音乐很感兴趣。", "go → goes", "days → day"]
        )
        expect(visit.page.locator("#words-count")).to_have_text("19 字")
        expect(visit.page.locator("#found")).to_have_text("4 条建议")
        expect(visit.page.locator("#threshold-value")).to_have_text("set by each model")
        expect(visit.editor).to_have_attribute("lang", "zh")
        visit.findings.first.click()
        expect(visit.card.locator(".why")).to_contain_text("错别字")
        expect(visit.card.locator(".kind")).to_have_text("错别字")
        expect(visit.card.get_by_role("button", name="接受")).to_be_visible()
        expect(visit.card.get_by_role("button", name="加入词典")).to_have_count(0)
        visit.press("Escape")
        visit.findings.nth(2).click()
        expect(visit.card.locator(".kind")).to_have_text("Agreement")
        expect(visit.card.get_by_role("button", name="Accept", exact=True)).to_be_visible()
        menu = visit.page.get_by_label("Language")
        codes = menu.locator("option").evaluate_all("options => options.map(option => option.value)")
        assert {"auto", "en", "en-US", "en-GB", "zh"} <= set(codes)
        assert "zh-CN" not in codes
        menu.select_option("Chinese")
        expect(visit.cards).to_have_count(2)
        menu.select_option("British English")
        expect(visit.cards).to_have_count(2)
        expect(visit.cards.locator("del")).to_have_text(["go", "days"])
        visit.page.reload()
        expect(menu).to_have_value("en-GB")


def test_the_bundle_is_small_self_contained_and_up_to_date() -> None:
    files = {path.name: path for path in WEB.iterdir()}
    assert sum(path.stat().st_size for path in files.values()) < 600_000
    assert not [name for name in files if name.endswith(".map")]
    for name in ("index.html", "redraft.js", "redraft.css"):
        content = files[name].read_text(encoding="utf-8")
        assert not re.search(r"sourceMappingURL|(?:src|href)=[\"']?(?:https?:)?//|url\([\"']?(?:https?:)?//", content)
    assert not re.search(r"<style|style=|<script>|\son\w+=", files["index.html"].read_text(encoding="utf-8"))
    if not SOURCES.is_dir():
        pytest.skip("the sources of the page are not here")
    digest = hashlib.sha256()
    for path in sorted((SOURCES / "src").iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    digest.update((SOURCES / "package-lock.json").read_bytes())
    mark = digest.hexdigest()[:16]
    assert f"sources {mark}" in files["redraft.js"].read_text(encoding="utf-8"), "run npm run build in web/"
