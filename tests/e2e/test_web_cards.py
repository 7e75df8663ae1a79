"""Suggestions on the web page: cards at the word, the list beside the text, ignores, undo."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from served import PAIRS, WRONG
from web_visit import MISSPELT, PHONE, RIGHT, Open, Visit, expect

pytestmark = pytest.mark.e2e


def test_a_card_explains_and_corrects_by_mouse(visit: Visit) -> None:
    visit.fill(f"{WRONG} {MISSPELT}")
    visit.page.locator(".cm-content .finding", has_text="freind").click()
    card = visit.card
    expect(card).to_contain_text("freind → friend")
    expect(card.locator(".kind")).to_have_text("Spelling")
    expect(card.locator(".why")).to_contain_text("friend")
    expect(card.locator(".sure")).to_have_text("90% sure")
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
    visit.page.wait_for_function(
        """() => {
            const word = document.querySelector(".cm-content .finding.active").getBoundingClientRect();
            const card = document.querySelector("#card").getBoundingClientRect();
            const gap = card.top - word.bottom;
            return 0 <= gap && gap < 20 && card.left <= word.left && word.left <= card.right;
        }"""
    )
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


def test_an_insertion_has_a_mark_of_its_own(visit: Visit) -> None:
    visit.fill("He is teacher in our town.")
    expect(visit.page.locator(".cm-content .insertion")).to_have_count(1)
    visit.press("Alt+ArrowDown")
    expect(visit.card.locator(".change")).to_have_text("is a teacher")
    visit.press("Alt+Enter")
    assert visit.text == "He is a teacher in our town."


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


def test_undoing_an_ignore_keeps_the_other_ignores(visit: Visit) -> None:
    visit.fill(f"{WRONG}\n\nLook. {WRONG.replace('days', 'day')}")
    expect(visit.findings).to_have_text(["go", "days", "go"])
    for place, left in ((0, ["days", "go"]), (1, ["days"])):
        visit.findings.nth(place).click()
        visit.card.get_by_role("button", name="Ignore once").click()
        expect(visit.findings).to_have_text(left)
        visit.undo.wait_for()
    expect(visit.page.locator("#toast")).to_have_text("Ignored here.Undo")
    visit.page.locator("body[data-status=checked]").wait_for()
    visit.undo.click()
    expect(visit.findings).to_have_text(["days", "go"])
    visit.findings.first.click()
    visit.card.get_by_role("button", name="Accept", exact=True).click()
    visit.settle()
    visit.page.wait_for_timeout(300)
    expect(visit.findings).to_have_text(["go"])
    assert visit.text.startswith("She go to school every day.")


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
