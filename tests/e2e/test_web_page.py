"""The web page in Chromium, against a real port."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from served import FACE, PAIRS, WRONG, gated, live, make_app, scripted_corrector, tokenizer
from web_visit import MISSPELT, RIGHT, Open, Visit, expect

import redraft
from redraft.server.page import WEB

pytestmark = pytest.mark.e2e
SOURCES = Path(__file__).parent.parent.parent / "web"


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


def test_offsets_count_as_the_browser_does(visit: Visit) -> None:
    visit.fill(f"{FACE}{FACE} Look.\n\nWe {FACE} goes home. {WRONG}")
    expect(visit.findings).to_have_text(["goes", "go", "days"])
    visit.editor.click()
    visit.press("Alt+Shift+Enter")
    assert visit.text == f"{FACE}{FACE} Look.\n\nWe {FACE} go home. {RIGHT}"


def test_the_text_is_checked_with_the_threshold_that_is_chosen(visit: Visit) -> None:
    visit.fill(f"{WRONG} {MISSPELT}")
    expect(visit.page.locator("#threshold-value")).to_have_text("25%")
    expect(visit.findings).to_have_text(["go", "days", "freind"])
    visit.page.locator("#threshold").fill("60")
    expect(visit.page.locator("#threshold-value")).to_have_text("60%")
    expect(visit.findings).to_have_text(["go", "days"])
    visit.page.reload()
    expect(visit.findings).to_have_text(["go", "days"])
    visit.page.locator("#threshold").fill("0")
    expect(visit.findings).to_have_text(["go", "days", "freind"])


def test_the_decoding_view_shows_every_call(visit: Visit) -> None:
    visit.fill(f"{MISSPELT} {WRONG}")
    visit.editor.click()
    visit.press("Control+End")
    visit.press("Control+/")
    columns = visit.page.locator(".policy")
    expect(columns.locator("h3")).to_have_text(["Redraft", "The paper’s rule", "Greedy decoding"])
    expect(visit.page.locator("#same")).to_have_text(f"All three produce the same text in the end: {RIGHT}")
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
    assert f"Greedy decoding: {tokens} calls\n" in copied
    with visit.page.expect_download() as download:
        visit.page.get_by_role("button", name="Save as HTML").click()
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    assert WRONG in saved and f"Greedy decoding: {tokens} calls" in saved
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
        assert gated(corrector).asked.wait(timeout=60)
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
        expect(visit.page.get_by_role("alert")).to_be_hidden()
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


def test_possible_errors_are_shown_and_left_to_the_writer(open_page: Open, tmp_path: Path) -> None:
    with live(make_app(tmp_path, redraft.load("en", threads=1))) as port:
        visit = open_page(port)
        visit.fill("She make her homework. He have two cats.")
        expect(visit.findings).to_have_text(["make", "have"])
        expect(visit.page.locator(".cm-content .finding.possible")).to_have_text("make")
        expect(visit.cards.first).to_contain_text("Possible error: word choice")
        visit.page.get_by_role("button", name="Accept all").click()
        assert visit.text == "She make her homework. He has two cats."
        visit.settle()
        expect(visit.page.get_by_role("button", name="Accept all")).to_be_hidden()
        visit.findings.first.click()
        visit.card.get_by_role("button", name="does").click()
        assert visit.text == "She does her homework. He has two cats."


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
        before = visit.text
        visit.fill("我們今天學習。")
        expect(visit.editor).to_have_attribute("lang", "zh-Hant")
        expect(visit.page.locator("#found")).to_have_text(re.compile("建議|未檢查"))
        visit.fill(before)
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
