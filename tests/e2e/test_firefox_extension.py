"""The browser extension in Firefox, loaded as a temporary add-on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the server needs redraft[server]")

from extension_browser import KEY, PAGE, Site, pack
from firefox import Firefox, FirefoxPage, launch
from rich_editors import HEAD, prosemirror_page, quill_page
from served import WRONG, live, make_app, scripted_corrector

pytestmark = pytest.mark.e2e
MISSPELT = "My freind likes tea."
CONTROL = "\ue009"
Open = Callable[..., FirefoxPage]


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    folder = tmp_path_factory.mktemp("firefox")
    with launch(folder, pack(folder) / "redraft-firefox.zip") as firefox:
        yield firefox


@pytest.fixture
def visit(firefox: Firefox, site: Site, tmp_path: Path) -> Iterator[Open]:
    with live(make_app(tmp_path, scripted_corrector(), api_key=KEY)) as port:
        firefox.store(address=f"http://127.0.0.1:{port}", key=KEY, off=[])
        yield lambda body, head=PAGE: FirefoxPage(firefox, site.add("page", body, head))


def test_errors_in_a_text_area_are_underlined_and_corrected(visit: Open, firefox: Firefox) -> None:
    here = visit("<textarea></textarea>")
    firefox.focus("textarea")
    firefox.type(f"{WRONG} ")
    boxes = here.wait_for_underlines(2)
    assert "go → goes" in here.open_card(boxes[0])
    here.press("goes")
    firefox.wait("document.querySelector('textarea').value === 'She goes to school every days. '")
    here.wait_for_underlines(1)
    firefox.chord(CONTROL, "z")
    firefox.wait(f"document.querySelector('textarea').value === '{WRONG} '")


def test_errors_in_an_editable_element_are_corrected_inside_their_elements(visit: Open, firefox: Firefox) -> None:
    here = visit(
        "<div contenteditable><p>My <i>fre</i>ind likes tea.</p><p>She <b>go</b> to school every days.</p></div>"
    )
    firefox.focus("div")
    boxes = here.wait_for_underlines(4)
    here.open_card(boxes[2])
    here.press("goes")
    firefox.wait("document.querySelector('b')?.textContent === 'goes'")
    boxes = here.wait_for_underlines(3)
    here.open_card(boxes[0])
    here.press("friend")
    firefox.wait("document.querySelector('p').textContent", lambda text: text == "My friend likes tea.")
    firefox.chord(CONTROL, "z")
    firefox.wait(f"document.querySelector('p').textContent === '{MISSPELT}'")


@pytest.mark.parametrize("write_page", [quill_page, prosemirror_page], ids=["quill", "prosemirror"])
def test_a_rich_editor_makes_the_change_in_its_model(
    visit: Open, firefox: Firefox, site: Site, write_page: Callable[[Site], str]
) -> None:
    here = visit(write_page(site), HEAD)
    firefox.wait("document.querySelector('[contenteditable=true]')").items()
    firefox.focus("[contenteditable=true]")
    boxes = here.wait_for_underlines(4)
    here.open_card(boxes[2])
    here.press("goes")
    firefox.wait("model()", lambda model: model == [MISSPELT, "She goes to school every days."])
    assert firefox.evaluate("bold()") == ["goes"]
    firefox.evaluate("endUndoStep()")
    boxes = here.wait_for_underlines(3)
    here.open_card(boxes[0])
    here.press("friend")
    firefox.wait("model()", lambda model: model == ["My friend likes tea.", "She goes to school every days."])
    firefox.chord(CONTROL, "z")
    firefox.wait("model()", lambda model: model == [MISSPELT, "She goes to school every days."])
    firefox.chord(CONTROL, "z")
    firefox.wait("model()", lambda model: model == [MISSPELT, WRONG])
    assert firefox.evaluate("bold()") == ["go"]
