"""The browser extension in Chromium, as scripts/extension packs it, on pages of another origin than the server's."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the browser extension is tested with playwright")
pytest.importorskip("fastapi", reason="the server needs redraft[server]")

from extension_browser import KEY, Extension, Open, Site, visiting  # noqa: E402
from served import WRONG, gated, make_app, scripted_corrector, tokenizer  # noqa: E402

import redraft  # noqa: E402

expect = playwright.expect
pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parent.parent.parent
MISSPELT = "My freind likes tea."


@pytest.fixture
def corrector() -> Any:
    return scripted_corrector()


@pytest.fixture
def visit(extension: Extension, site: Site, corrector: Any, tmp_path: Path) -> Iterator[Open]:
    with visiting(extension, site, make_app(tmp_path, corrector, api_key=KEY)) as open_page:
        yield open_page


def test_errors_in_a_text_area_are_underlined_explained_and_corrected(visit: Any) -> None:
    here = visit("<textarea></textarea>")
    area = here.page.locator("textarea")
    area.click()
    here.page.keyboard.type(WRONG + " ")
    expect(here.underlines).to_have_count(2)
    here.open_card(0)
    expect(here.card).to_contain_text("go → goes")
    expect(here.card.get_by_role("button", name="is", exact=True)).to_be_visible()
    assert area.input_value() == WRONG + " ", "the text changed without a click"
    here.press("goes")
    expect(area).to_have_value("She goes to school every days. ")
    expect(here.underlines).to_have_count(1)
    here.page.keyboard.press("Control+z")
    expect(area).to_have_value(WRONG + " ")
    expect(here.underlines).to_have_count(2)


def test_possible_errors_have_a_thin_underline(extension: Extension, site: Site, tmp_path: Path) -> None:
    app = make_app(tmp_path, redraft.load("en", threads=1), api_key=KEY)
    with visiting(extension, site, app) as open_page:
        here = open_page("<textarea></textarea>")
        here.page.locator("textarea").click()
        here.page.keyboard.type("She make her homework. ")
        expect(here.underlines).to_have_count(1)
        expect(here.underlines).to_have_attribute("part", "underline possible")
        here.open_card(0)
        expect(here.card).to_contain_text("Possible error: word choice")
        expect(here.card.get_by_role("button", name="does")).to_be_visible()


def test_a_slow_click_just_after_typing_opens_the_card(visit: Any) -> None:
    here = visit(f"<textarea>{MISSPELT}</textarea>")
    area = here.page.locator("textarea")
    area.focus()
    area.press("Control+End")
    expect(here.underlines).to_have_count(1)
    box = here.boxes()[0]
    here.page.keyboard.type(" Yes.")
    here.page.mouse.move(box["left"] + box["width"] / 2, box["top"] - 5)
    here.page.mouse.down()
    here.page.wait_for_timeout(500)  # the extension sees the caret at the word, where a person may be typing
    here.page.mouse.up()
    expect(here.card).to_contain_text("freind → friend")


def test_an_open_card_stays_open_when_a_check_finds_the_same_again(visit: Any, corrector: Any) -> None:
    here = visit(f"<textarea>{MISSPELT} {WRONG}</textarea>")
    area = here.page.locator("textarea")
    area.focus()
    expect(here.underlines).to_have_count(3)
    here.open_card(1)
    expect(here.card.get_by_role("button", name="is", exact=True)).to_be_visible()
    engine = gated(corrector)
    engine.gate.clear()
    here.press("goes")
    expect(area).to_have_value(f"{MISSPELT} She goes to school every days.")
    area.press("Control+End")
    here.page.keyboard.type(" We goes home. ")
    here.open_card(1)
    engine.gate.set()
    expect(here.underlines).to_have_count(3)  # the check has found the new one
    expect(here.card).to_contain_text("days → day")
    here.press("day")
    expect(area).to_have_value(f"{MISSPELT} She goes to school every day. We goes home. ")


def test_underlines_follow_scrolling_and_stay_inside_the_field(visit: Any) -> None:
    here = visit(f"<textarea>{MISSPELT}{' It rains.' * 60} {WRONG}</textarea>{'<br>' * 99}")
    area = here.page.locator("textarea")
    area.focus()
    expect(here.underlines).to_have_count(1)
    [first] = here.boxes()
    box = area.bounding_box()
    assert box["x"] < first["left"] < box["x"] + 60
    assert box["y"] < first["top"] < box["y"] + 40
    here.page.evaluate("scrollTo(0, 15)")
    expect(here.underlines).to_have_css("top", f"{first['top'] - 15:g}px")
    area.evaluate("area => area.scrollTop = area.scrollHeight")
    expect(here.underlines).to_have_count(2)
    assert all(box["y"] - 15 < one["top"] < box["y"] + box["height"] - 15 for one in here.boxes())


def test_errors_in_a_rich_editor_are_corrected_inside_their_elements(visit: Any) -> None:
    here = visit(
        "<div contenteditable><h2>My <i>fre</i>ind likes tea.</h2>\n"
        "<p>She <b>go</b> to\n  school <b>every <i>days</i></b>.</p>"
        "<ul><li>He is <code>teacher</code> in our town.<li>He is teacher in our town.</ul></div>"
    )
    editor = here.page.locator("[contenteditable]")
    editor.click()
    expect(here.underlines).to_have_count(5)  # the misspelt word is in two text nodes
    here.page.evaluate("document.querySelector('h2').focus()")
    here.open_card(2)
    here.press("goes")
    expect(editor.locator("p")).to_have_text("She goes to school every days.")
    assert editor.locator("p").inner_html() == "She <b>goes</b> to\n  school <b>every <i>days</i></b>."
    expect(here.underlines).to_have_count(4)
    here.open_card(3)
    here.press("a")
    expect(editor.locator("li").last).to_have_text("He is a teacher in our town.")
    here.page.keyboard.press("Control+z")
    here.page.keyboard.press("Control+z")
    expect(editor.locator("p")).to_have_text("She go to school every days.")
    expect(here.underlines).to_have_count(5)
    here.open_card(0)
    here.press("friend")
    expect(editor.locator("h2")).to_have_text("My friend likes tea.")


def test_a_word_is_ignored_once_or_added_to_the_dictionary(visit: Any) -> None:
    here = visit(f"<div contenteditable>{MISSPELT} {WRONG}</div>")
    here.page.locator("div").click()
    expect(here.underlines).to_have_count(3)
    here.open_card(1)
    expect(here.card.get_by_role("button")).to_have_text(["goes", "is", "Ignore once", "×"])
    here.press("Ignore once")
    expect(here.underlines).to_have_count(2)
    here.open_card(0)
    here.press("Add to dictionary")
    expect(here.underlines).to_have_count(1)
    with httpx.Client(base_url=here.server, headers={"x-api-key": KEY}) as client:
        assert client.get("/v1/words").json() == {"words": ["freind"]}
        [ignored] = client.get("/v1/ignores").json()["ignores"]
    assert "go" in ignored
    here.page.keyboard.type(" ")
    here.page.wait_for_timeout(600)
    expect(here.underlines).to_have_count(1)


def test_cards_are_reached_by_keyboard(visit: Any, extension: Extension) -> None:
    here = visit(f"<textarea>{MISSPELT} {WRONG}</textarea><input value='{MISSPELT}'>")
    area = here.page.locator("textarea")
    area.focus()
    area.press("Control+Home")
    expect(here.underlines).to_have_count(3)
    extension.command(here.page, "next-suggestion")
    expect(here.card.get_by_role("button", name="friend")).to_be_focused()
    extension.command(here.page, "next-suggestion")
    expect(here.card.get_by_role("button", name="goes")).to_be_focused()
    here.page.keyboard.press("Enter")
    expect(area).to_have_value(f"{MISSPELT} She goes to school every days.")
    expect(area).to_be_focused()
    extension.command(here.page, "next-suggestion")
    expect(here.card.get_by_role("button", name="day")).to_be_focused()
    here.page.keyboard.press("Escape")
    expect(here.card).to_be_hidden()
    expect(area).to_be_focused()
    here.page.keyboard.press("Tab")
    expect(here.underlines).to_have_count(1)
    extension.command(here.page, "next-suggestion")
    here.page.keyboard.press("Enter")
    expect(here.page.locator("input")).to_have_value("My friend likes tea.")


def test_scripts_of_the_page_cannot_accept(visit: Any) -> None:
    here = visit(f"<textarea>{MISSPELT}</textarea>")
    here.page.locator("textarea").focus()
    expect(here.underlines).to_have_count(1)
    here.open_card(0)
    here.card.get_by_role("button").first.evaluate("button => button.click()")
    expect(here.card).to_be_visible()
    assert here.page.locator("textarea").input_value() == MISSPELT


def test_only_the_field_with_the_focus_is_sent_and_no_private_one(visit: Any, corrector: Any) -> None:
    here = visit(
        f"<input type='password' value='{WRONG}'><textarea spellcheck='false'>{WRONG}</textarea>"
        f"<div contenteditable>{WRONG}</div><textarea id='last'></textarea>"
    )
    for name in ("input", "textarea[spellcheck]"):
        here.page.locator(name).focus()
        here.page.wait_for_timeout(600)
    here.page.locator("#last").press_sequentially(f"{MISSPELT} ", delay=10)
    expect(here.underlines).to_have_count(1)
    sent = {tokenizer().decode(source) for source in gated(corrector).sources}
    assert MISSPELT in sent
    assert WRONG not in sent
    assert len(sent) < len(MISSPELT) / 2, "the text was sent at every key, not after a pause"


def test_a_site_is_switched_off_and_on_in_the_popup(visit: Any, extension: Extension) -> None:
    here = visit(f"<textarea>{MISSPELT}</textarea>")
    here.page.locator("textarea").focus()
    expect(here.underlines).to_have_count(1)
    popup = extension.open_popup(here.page)
    expect(popup.locator("#server")).to_have_text(f"Connected to {here.server}")
    switch = popup.get_by_role("switch", name="Check texts on localhost")
    expect(switch).to_be_checked()
    switch.click()
    expect(here.underlines).to_have_count(0)
    here.page.reload()
    here.page.locator("textarea").focus()
    here.page.wait_for_timeout(700)
    expect(here.underlines).to_have_count(0)
    switch.click()
    expect(here.underlines).to_have_count(1)
    popup.close()


def test_without_a_server_the_popup_says_so_and_requests_stop(visit: Any, extension: Extension) -> None:
    connections: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"

        def refuse() -> None:
            with suppress(OSError):
                while True:
                    connection, (_, port) = closed.accept()
                    connections.append(port)
                    connection.close()

        Thread(target=refuse, daemon=True).start()
        extension.store(address=address)
        here = visit("<textarea></textarea>")
        area = here.page.locator("textarea")
        for _ in range(2):
            area.press_sequentially(WRONG)
            here.page.wait_for_timeout(500)
        expect(here.underlines).to_have_count(0)
        assert len(connections) <= 2, "the browser itself tries a second time; the extension does not"
        popup = extension.open_popup(here.page)
        expect(popup.locator("#server")).to_have_text(f"No Redraft server at {address}. Start it with: redraft serve")
        popup.close()
        closed.shutdown(socket.SHUT_RDWR)


def test_findings_stay_while_the_server_does_not_answer_and_the_check_is_repeated(
    visit: Any, extension: Extension
) -> None:
    here = visit(f"<textarea>{MISSPELT} </textarea>")
    area = here.page.locator("textarea")
    area.focus()
    expect(here.underlines).to_have_count(1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        closed_port = server.getsockname()[1]
    extension.store(address=f"http://127.0.0.1:{closed_port}")
    area.press("Control+End")
    area.press_sequentially(WRONG)
    here.page.wait_for_timeout(1000)
    expect(here.underlines).to_have_count(1)
    extension.store(address=here.server)
    expect(here.underlines).to_have_count(3)


def test_address_and_key_are_set_in_the_options(visit: Any, extension: Extension) -> None:
    extension.store(key="another")
    here = visit(f"<textarea>{MISSPELT}</textarea>")
    popup = extension.open_popup(here.page)
    expect(popup.locator("#server")).to_have_text("The server needs an API key: set it in the options.")
    popup.goto(f"{extension.address}/options.html")
    message = popup.get_by_role("status")
    popup.get_by_label("Address").fill("https://redraft.example")
    popup.get_by_role("button", name="Save").click()
    expect(message).to_contain_text("must be on this machine")
    popup.get_by_label("Address").fill(f"{here.server}/")
    popup.get_by_label("API key").fill(KEY)
    popup.get_by_role("button", name="Save").click()
    expect(message).to_have_text("Saved. The server answers.")
    popup.close()
    here.page.locator("textarea").focus()
    expect(here.underlines).to_have_count(1)


FIELDS = {
    "<textarea>": True,
    "<input>": True,
    "<input type=search>": True,
    "<div contenteditable><p>": True,
    "<input type=password>": False,
    "<input name=new-password>": False,
    "<input autocomplete=cc-name>": False,
    "<input autocomplete='section-a one-time-code'>": False,
    "<input autocomplete=off>": True,
    "<textarea autocomplete=street-address>": False,
    "<input autocomplete=off name=cardNumber>": False,
    "<label>Card number <input autocomplete=off></label>": False,
    "<input inputmode=numeric>": False,
    "<input type=email>": False,
    "<input readonly>": False,
    "<textarea disabled>": False,
    "<textarea spellcheck=false>": False,
    "<body spellcheck=false><div contenteditable>": False,
    "<div spellcheck=false><textarea spellcheck=true>": True,
    "<div contenteditable data-gramm=false>": False,
    "<div data-gramm=false><textarea>": False,
    "<p>": False,
}


def test_which_fields_may_be_read(extension: Extension) -> None:
    rules = (ROOT / "editors" / "browser" / "content" / "eligibility.js").read_text(encoding="utf-8")
    page = extension.context.new_page()
    read = "const field = fieldAt([...document.querySelectorAll('input, textarea, [contenteditable], p')].at(-1));"
    found = {}
    for field in FIELDS:
        page.set_content(field)
        found[field] = page.evaluate(f"(() => {{ {rules}; {read} return field !== null && mayRead(field) }})()")
    assert found == FIELDS
    page.set_content("<input type=password>")
    shown = f"{rules}; {read} mayRead(field); field.type = 'text'; return mayRead(field)"
    assert page.evaluate(f"(() => {{ {shown} }})()") is False, "a password that the page shows was read"
    page.close()


OWN_MODEL = """editor => {
    window.model = [...editor.querySelectorAll('p')].map(p => p.textContent);
    editor.addEventListener('beforeinput', event => {
        event.preventDefault();
        const {startContainer, startOffset, endOffset} = event.getTargetRanges()[0];
        const place = [...editor.children].findIndex(p => p.contains(startContainer));
        const text = model[place];
        model[place] = text.slice(0, startOffset) + event.dataTransfer.getData('text/plain') + text.slice(endOffset);
        editor.replaceChildren(...model.map(text => Object.assign(document.createElement('p'), {textContent: text})));
    });
}"""
"""Makes an element an editor that keeps the text itself and draws it anew after each change."""


def test_an_editor_with_its_own_model_in_a_frame_makes_the_change_itself(visit: Any, site: Site) -> None:
    frame_page = site.add("frame", f"<div contenteditable><p>{MISSPELT}</p><p>{WRONG}</p></div>")
    here = visit(f"<iframe src='{frame_page}' width='600' height='400'></iframe>")
    frame = here.page.frame_locator("iframe")
    editor = frame.locator("[contenteditable]")
    editor.evaluate(OWN_MODEL)
    editor.click()
    underlines = frame.locator("redraft-overlay [part~=underline]")
    expect(underlines).to_have_count(3)
    box = underlines.nth(1).bounding_box()
    here.page.mouse.click(box["x"] + 4, box["y"] - 5)
    frame.get_by_role("button", name="goes").click()
    expect(editor.locator("p")).to_have_text([MISSPELT, "She goes to school every days."])
    assert editor.evaluate("() => model") == [MISSPELT, "She goes to school every days."]
    expect(underlines).to_have_count(2)


def test_a_field_in_a_modal_dialog_is_reached(visit: Any) -> None:
    here = visit(f"<dialog><textarea>{MISSPELT}</textarea></dialog>")
    here.page.locator("dialog").evaluate("dialog => dialog.showModal()")
    area = here.page.locator("textarea")
    area.focus()
    expect(here.underlines).to_have_count(1)
    here.open_card(0)
    here.press("friend")
    expect(area).to_have_value("My friend likes tea.")


EDITABLE = {
    "She <b>go</b>es.": "She goes.",
    "<p>One.</p>\n  <p>Two\n  words.<br>Three.</p>": "One.\n\nTwo words.\nThree.",
    "<p>A \ufeff<i> b</i>\u00a0 c </p><p></p><ul><li>d<li>e</ul>": "A b c\n\nd\n\ne",
    "a <code>x = 1</code> b<pre>let y</pre><span hidden>no</span><style>p {}</style>": "a x = 1 b",
    "": "",
}
"""Content of an element and its text as it is checked."""


def test_the_text_of_an_editable_element_leads_back_to_the_document(extension: Extension) -> None:
    source = (ROOT / "editors" / "browser" / "content" / "editable_text.js").read_text(encoding="utf-8")
    page = extension.context.new_page()
    walk = """const content = new EditableText(document.querySelector('div'));
        const places = [...content.text].map((unit, at) => !content.isEditable(at, at + 1) ? null :
            [content.range(at, at + 1).toString(), content.textRanges(at, at + 1).join('|'),
             content.offsetOf(content.point(at + 1).node, content.point(at + 1).offset)]);
        return [content.text, places];"""
    for markup, expected in EDITABLE.items():
        page.set_content(f"<div contenteditable>{markup}</div>")
        text, places = page.evaluate(f"(() => {{ {source}; {walk} }})()")
        assert text == expected
        for at, place in enumerate(places):
            if place is None:
                assert text[at] == "\n" or text[at] in "x = 1"
            else:
                assert [" " if found.isspace() else found for found in place[:2]] == [text[at]] * 2
                assert place[2] == at + 1
    page.close()
