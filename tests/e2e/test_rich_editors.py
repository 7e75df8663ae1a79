"""The browser extension in Chromium, in rich editors with a document model of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the browser extension is tested with playwright")
pytest.importorskip("fastapi", reason="the server needs redraft[server]")

from extension_browser import KEY, Extension, Open, Site, visiting  # noqa: E402
from rich_editors import HEAD, prosemirror_page, quill_page  # noqa: E402
from served import WRONG, make_app, scripted_corrector  # noqa: E402

expect = playwright.expect
pytestmark = pytest.mark.e2e
MISSPELT = "My freind likes tea."


@pytest.fixture
def visit(extension: Extension, site: Site, tmp_path: Path) -> Iterator[Open]:
    with visiting(extension, site, make_app(tmp_path, scripted_corrector(), api_key=KEY)) as open_page:
        yield open_page


EDITORS = pytest.mark.parametrize("write_page", [quill_page, prosemirror_page], ids=["quill", "prosemirror"])


@EDITORS
def test_a_rich_editor_makes_the_change_in_its_model_and_takes_it_back(
    visit: Open, site: Site, write_page: Callable[[Site], str]
) -> None:
    here = visit(write_page(site), HEAD)
    before = [MISSPELT, WRONG]
    editor = here.page.locator("[contenteditable=true]")
    editor.locator("p").last.click()
    expect(here.underlines).to_have_count(4)  # the misspelt word is in two text nodes
    assert here.page.evaluate("model()") == before
    here.open_card(2)
    expect(here.card).to_contain_text("go → goes")
    here.press("goes")
    expect(editor.locator("p").last).to_have_text("She goes to school every days.")
    assert here.page.evaluate("model()") == [MISSPELT, "She goes to school every days."]
    assert here.page.evaluate("bold()") == ["goes"]
    here.page.evaluate("endUndoStep()")
    expect(here.underlines).to_have_count(3)
    here.open_card(0)
    here.press("friend")
    expect(editor.locator("p").first).to_have_text("My friend likes tea.")
    assert here.page.evaluate("model()") == ["My friend likes tea.", "She goes to school every days."]
    here.page.keyboard.press("Control+z")
    expect(editor.locator("p").first).to_have_text(MISSPELT)
    here.page.keyboard.press("Control+z")
    expect(editor.locator("p").last).to_have_text(WRONG)
    assert here.page.evaluate("model()") == before
    assert here.page.evaluate("bold()") == ["go"]
    expect(here.underlines).to_have_count(4)
    # The editor goes on where its model says.
    here.page.keyboard.press("Control+End")
    here.page.keyboard.type(" Yes.")
    assert here.page.evaluate("model()") == [MISSPELT, f"{WRONG} Yes."]


@EDITORS
def test_words_are_added_and_removed_in_typed_text(visit: Open, site: Site, write_page: Callable[[Site], str]) -> None:
    here = visit(write_page(site), HEAD)
    editor = here.page.locator("[contenteditable=true]")
    editor.click()
    here.page.keyboard.press("Control+a")
    here.page.keyboard.type("He is teacher in our town.")
    here.page.keyboard.press("Enter")
    here.page.keyboard.type("I am agree with you. ")
    expect(here.underlines).to_have_count(2)
    here.open_card(0)
    here.press("a")
    expect(editor.locator("p").first).to_have_text("He is a teacher in our town.")
    expect(here.underlines).to_have_count(1)
    here.open_card(0)
    here.press("Remove “am”")
    expect(editor.locator("p").last).to_have_text("I agree with you. ")
    assert here.page.evaluate("model()[0]") == "He is a teacher in our town."
    assert here.page.evaluate("model()[1]").rstrip() == "I agree with you."
    expect(here.underlines).to_have_count(0)
