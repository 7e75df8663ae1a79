"""The language server, used by an editor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from editor import Start
from lsprotocol import types
from pygls.exceptions import JsonRpcException

pytestmark = pytest.mark.asyncio

SCHOOL = "She go to school every days."
CORRECTED = "She goes to school every day."
FRIEND = "My freind likes music and and tea."


FORMATS = {
    "markdown": f"# Here\n\n- She *go* to school every `x` days.\n- {SCHOOL}\n\n```\n{SCHOOL}\n```\n",
    "latex": f"\\section{{Here}}\n\n{SCHOOL}\n\n\\begin{{verbatim}}\n{SCHOOL}\n\\end{{verbatim}}\n",
    "html": f"<p class='She go'>{SCHOOL}</p>\n<script>\n// {SCHOOL}\n</script>\n",
    "git-commit": f"Here\n\n{SCHOOL}\n\n# {SCHOOL}\n",
    "python": f"# {SCHOOL}\ngo = '{SCHOOL}'\n",
    "plaintext": f"{SCHOOL}\n",
}
"""Texts in which the sentence is checked where it is prose, and skipped where it is code or markup."""


def nothing(diagnostics: list[types.Diagnostic]) -> bool:
    return not diagnostics


def codes(diagnostics: list[types.Diagnostic]) -> list[object]:
    return [diagnostic.code for diagnostic in diagnostics]


async def test_open_fix_undo_fix_all(start: Start) -> None:
    editor = await start()
    letter = editor.open(f"{SCHOOL} He is teacher in our town.\n")
    diagnostics = await letter.shown()
    assert [letter.under(diagnostic) for diagnostic in diagnostics] == ["go", "days", "teacher"]
    first = diagnostics[0]
    assert (first.source, first.code) == ("redraft", "agreement")
    assert first.message.startswith("“go” → “goes”. ")
    assert isinstance(first.data, dict) and 0 < first.data["confidence"] <= 1
    assert first.code_description and first.code_description.href.endswith("kinds.md#agreement")
    assert "**agreement**: “go” → “goes”" in (await letter.hover("go") or "")
    assert await letter.hover("school") is None

    fix = (await letter.actions("go"))["“go” → “goes”"]
    assert fix.is_preferred and fix.kind == "quickfix" and fix.edit
    letter.apply(fix.edit)
    assert letter.text.startswith("She goes to school every days. ")
    assert [letter.under(diagnostic) for diagnostic in await letter.shown()] == ["days", "teacher"]
    letter.undo()
    assert len(await letter.shown(lambda diagnostics: len(diagnostics) == 3)) == 3

    everything = await letter.actions("school", only=["source.fixAll"])
    assert [action.kind for action in everything.values()] == ["source.fixAll.redraft"]
    (fix_all,) = everything.values()
    assert fix_all.edit
    letter.apply(fix_all.edit)
    assert letter.text == f"{CORRECTED} He is a teacher in our town.\n"
    assert await letter.shown(nothing) == []


async def test_actions_are_those_at_the_cursor_even_if_the_editor_sends_all_diagnostics_of_the_line(
    start: Start,
) -> None:
    editor = await start()
    letter = editor.open(f"{SCHOOL} He is teacher in our town.\n")
    diagnostics = await letter.shown()
    at_days = await letter.actions("days", diagnostics=diagnostics)
    assert at_days.keys() == (await letter.actions("days")).keys()
    assert not any("go" in title for title in at_days)
    assert list(await letter.actions("school", diagnostics=diagnostics)) == ["Fix all 3 errors found by Redraft"]
    moved = [evolve(diagnostic, range=letter.range_of("school")) for diagnostic in diagnostics[:1]]
    assert "“go” → “goes”" in await letter.actions("school", diagnostics=moved)


async def test_a_quick_fix_for_each_replacement(start: Start) -> None:
    editor = await start(model="en")
    letter = editor.open("He want a dog.\n")
    await letter.shown()
    fixes = [action for action in (await letter.actions("want", only=["quickfix"])).values() if action.edit]
    found = [(fix.title, fix.is_preferred) for fix in fixes]
    assert found == [("“want” → “wants”", True), ("“want” → “wanted”", False)]
    assert fixes[1].edit
    letter.apply(fixes[1].edit)
    assert letter.text.startswith("He wanted a dog.")


async def test_chinese_is_corrected_after_emoji_and_in_list_items(start: Start) -> None:
    editor = await start(model="zh")
    text = "# 我们的计划\n\n😀😀 今天天汽很好，我对音乐很兴趣。\n\n- 他们都很**努力的**学习\n- 第一项\n"
    note = editor.open(text, "note.md", "markdown")
    diagnostics = await note.shown()
    assert [note.under(diagnostic) for diagnostic in diagnostics] == ["汽", "兴", "的"]
    assert diagnostics[0].range.start == types.Position(2, 8)
    assert "错别字" in diagnostics[0].message
    assert not any("dictionary" in title for title in await note.actions("汽"))
    (fix_all,) = (await note.actions("计划", only=["source.fixAll"])).values()
    assert fix_all.edit
    note.apply(fix_all.edit)
    assert note.text == text.replace("天汽", "天气").replace("很兴趣", "很感兴趣").replace("努力的", "努力地")


async def test_no_new_findings_in_the_sentence_being_typed(start: Start) -> None:
    editor = await start()
    letter = editor.open("")
    letter.type("He have two cat. ")
    assert codes(await letter.shown()) != []  # the sentence is finished, and the caret has left it
    known = len(await letter.shown())
    letter.type("She go to school every days")
    assert len(await letter.shown(lambda diagnostics: len(diagnostics) == known)) == known
    letter.type(".")
    assert len(await letter.shown(lambda diagnostics: len(diagnostics) > known)) == known + 2

    note = editor.open("I look forward to meet you", "note.txt")
    assert codes(await note.shown(lambda _: True)) == codes(await note.shown())  # opening a file is not typing


@pytest.mark.parametrize("how", ["saving", "looking elsewhere"])
async def test_findings_held_back_are_shown_on(start: Start, how: str) -> None:
    editor = await start()
    letter = editor.open("We meet on Monday.\n\n")
    letter.type("He is teacher in our town")
    assert await letter.shown(nothing) == []
    assert await letter.actions("teacher", only=["source.fixAll"]) == {}
    assert await letter.shown(nothing) == []
    if how == "saving":
        letter.save()
    else:
        await letter.actions("Monday")
    assert "article" in codes(await letter.shown())


async def test_unchecked_sentences_are_logged_and_shown_on_hover(start: Start) -> None:
    editor = await start()
    letter = editor.open(f"{SCHOOL}\n\nОна идёт в школу. Он тоже.\n")
    assert len(await letter.shown()) == 2
    assert await letter.hover("идёт") == "not checked: Cyrillic text, but only English is checked"
    (logged,) = [told for told in editor.client.log_messages if "not checked" in told.message]
    assert logged.type == types.MessageType.Info
    assert logged.message == (
        "Redraft: letter.txt:3: 2 sentences were not checked: Cyrillic text, but only English is checked"
    )


async def test_dictionary_and_ignores(start: Start, tmp_path: Path) -> None:
    editor = await start()
    letter = editor.open(f"{FRIEND}\n{SCHOOL}\nHe is teacher in our town.\n")
    other = editor.open(FRIEND, "other.txt")
    await other.shown()
    assert "spelling" in codes(await letter.shown())

    offered = await letter.actions("freind")
    assert sum(bool(action.is_preferred) for action in offered.values()) == 1
    await editor.execute(offered["Add “freind” to your dictionary"].command)
    for buffer in (letter, other):
        assert "spelling" not in codes(await buffer.shown(lambda found: "spelling" not in codes(found)))
    assert "freind" in (tmp_path / "home" / "words.txt").read_text(encoding="utf-8")

    await editor.execute((await letter.actions("go"))["Ignore here: “go” → “goes”"].command)
    assert "agreement" not in codes(await letter.shown(lambda found: "agreement" not in codes(found)))
    again = editor.open(f"Yes. {SCHOOL}", "again.txt")
    assert codes(await again.shown()) == ["noun-number"]  # the same edit in the same sentence, elsewhere

    await editor.execute((await letter.actions("days"))["Ignore “days” everywhere"].command)
    assert "noun-number" not in codes(await letter.shown(lambda found: "noun-number" not in codes(found)))
    assert await again.shown(nothing) == []

    await editor.execute((await letter.actions("teacher"))["Turn off: article"].command)
    assert "article" not in codes(await letter.shown(lambda found: "article" not in codes(found)))


async def test_a_word_of_the_project(start: Start, tmp_path: Path) -> None:
    (tmp_path / ".redraft").mkdir()
    (tmp_path / "inside").mkdir()
    editor = await start()
    letter = editor.open(FRIEND, "inside/letter.txt")
    await letter.shown()
    await editor.execute((await letter.actions("freind"))["Add “freind” to the project’s dictionary"].command)
    await letter.shown(lambda found: "spelling" not in codes(found))
    assert "freind" in (tmp_path / ".redraft" / "words.txt").read_text(encoding="utf-8")
    assert not (tmp_path / "home" / "words.txt").exists()


async def test_the_language_id_decides_the_format(start: Start) -> None:
    editor = await start(settings={"kinds": ["noun-number"]})
    for language_id, text in FORMATS.items():
        buffer = editor.open(text, f"file-of-{language_id}", language_id)
        diagnostics = await buffer.shown()
        places = [buffer.offset(diagnostic.range.start) for diagnostic in diagnostics]
        prose = text.index(SCHOOL) + SCHOOL.index("days")
        assert prose in places, language_id
        assert all(place <= prose for place in places), language_id
    again = editor.open(FORMATS["markdown"], "again", "markdown")
    await again.shown()
    await editor.execute((await again.actions(SCHOOL))["Ignore here: “days” → “day”"].command)
    await again.shown(lambda found: all(again.offset(each.range.start) < again.text.index(SCHOOL) for each in found))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_every_position_encoding(start: Start, encoding: str) -> None:
    editor = await start(encodings=["no-such-encoding", encoding])
    assert editor.capabilities.position_encoding == encoding
    letter = editor.open(f"Yes 😀😀 é. {SCHOOL} 👍🏽 No ü. {FRIEND} 😀\r\n")
    diagnostics = await letter.shown()
    assert [letter.under(diagnostic) for diagnostic in diagnostics][:3] == ["go", "days", "freind"]
    letter.replace(letter.text.index("go"), letter.text.index("go"), "😀 ")
    letter.undo()
    fix = (await letter.actions("days"))["“days” → “day”"]
    assert fix.edit
    letter.apply(fix.edit)
    assert letter.text.startswith("Yes 😀😀 é. She go to school every day. 👍🏽 No ü. ")


async def test_settings_of_the_editor(start: Start) -> None:
    editor = await start(settings={"kinds": ["agreement", "article"], "ignoredKinds": ["article"]})
    letter = editor.open(f"{SCHOOL} He is teacher in our town.")
    assert codes(await letter.shown(lambda found: len(found) == 1)) == ["agreement"]

    async def configure(settings: dict[str, Any]) -> None:
        editor.client.set_configuration(settings, section="redraft")
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))

    await configure({"threshold": 1.0})
    await letter.shown(nothing)
    await configure({"ignoredKinds": []})
    assert len(await letter.shown(lambda found: len(found) == 3)) == 3
    await configure({"formats": {"plaintext": "off"}})
    await letter.shown(nothing)
    await configure({"thresold": 0.5})
    complaint = await editor.client.wait_for_notification(types.WINDOW_SHOW_MESSAGE)
    assert "redraft.thresold is not a known setting; did you mean 'threshold'?" in complaint.message
    await configure({})
    await letter.shown(lambda found: len(found) == 3)


async def test_settings_of_an_editor_that_cannot_be_asked(start: Start) -> None:
    editor = await start(configuration=False, options={"kinds": ["article"]})
    letter = editor.open(f"{SCHOOL} He is teacher in our town.")
    assert codes(await letter.shown()) == ["article"]
    change = types.DidChangeConfigurationParams(settings={"redraft": {"kinds": ["agreement"]}})
    editor.client.workspace_did_change_configuration(change)
    assert codes(await letter.shown(lambda found: codes(found) != ["article"])) == ["agreement"]


async def test_diagnostics_can_be_pulled(start: Start) -> None:
    editor = await start(options={"diagnostics": "pull"}, refresh=True)
    assert editor.capabilities.diagnostic_provider
    letter = editor.open(SCHOOL)

    async def pull() -> list[types.Diagnostic]:
        params = types.DocumentDiagnosticParams(letter.identifier)
        report = await editor.client.text_document_diagnostic_async(params)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return list(report.items)

    assert codes(await pull()) == ["agreement", "noun-number"]
    letter.type(" He is teacher in our town")
    assert len(await pull()) == 2
    before = editor.refreshes
    letter.save()
    await editor.happen(lambda: editor.refreshes > before)
    assert "article" in codes(await pull())
    assert editor.published == []
    letter.type(" And")
    letter.close()
    assert await pull() == []


async def test_the_server_survives_errors(start: Start) -> None:
    editor = await start()
    client = editor.client
    letter = editor.open(FRIEND)
    await letter.shown()

    identifier = types.VersionedTextDocumentIdentifier(uri="file:///never/opened.txt", version=3)
    whole = types.TextDocumentContentChangeWholeDocument("What?")
    client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [whole]))
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier("file:///no.txt")))
    hover = types.HoverParams(types.TextDocumentIdentifier(identifier.uri), types.Position(0, 0))
    assert await client.text_document_hover_async(hover) is None

    for command, arguments in (
        ("redraft.noSuchCommand", []),
        ("redraft.addWord", []),
        ("redraft.ignoreOnce", ["what?"]),
        ("redraft.ignoreKind", [{"uri": letter.uri, "data": {"source": "gone"}}]),
    ):
        with pytest.raises(JsonRpcException):
            await client.workspace_execute_command_async(types.ExecuteCommandParams(command, arguments))

    wild = types.Range(types.Position(7, 4_000_000), types.Position(0, 2))
    nowhere = types.CodeActionParams(letter.identifier, wild, types.CodeActionContext([]))
    assert await client.text_document_code_action_async(nowhere)
    lone = editor.open("\ud83d She go to school every days. \udc00\n", "lone.txt")
    lone.replace(0, 1, "\ude00\ud83d")
    versioned = types.VersionedTextDocumentIdentifier(uri=lone.uri, version=lone.version + 1)
    inside = types.Range(types.Position(0, 1), types.Position(0, 1))
    change = types.TextDocumentContentChangePartial(inside, "x")
    client.text_document_did_change(types.DidChangeTextDocumentParams(versioned, [change]))
    lone.version += 1
    await lone.shown(lambda _: True)

    letter.type(f" {SCHOOL} ")
    assert "agreement" in codes(await letter.shown(lambda found: "agreement" in codes(found)))


async def test_a_long_document_does_not_delay_others(start: Start) -> None:
    editor = await start()
    sentences = (f"This is number {number} of the many lines here.\n\n" for number in range(24_000))
    book = editor.open(f"{FRIEND}\n\n" + "".join(sentences), "book.txt")
    assert len(book.text) > 1_000_000

    def is_told(found: list[types.Diagnostic]) -> bool:
        return any(isinstance(entry.data, dict) and entry.data["source"] == "freind" for entry in found)

    await book.shown(is_told)  # long before the last line is checked
    letter = editor.open(SCHOOL)
    assert len(await letter.shown()) == 2
    fix = next(action for action in (await book.actions("freind")).values() if action.is_preferred)
    assert fix.edit
    book.apply(fix.edit)
    await book.shown(lambda found: not is_told(found))
    book.close()
    await editor.happen(lambda: (editor.published[-1].uri, editor.published[-1].version) == (book.uri, None))
    assert editor.published[-1].diagnostics in ([], ())
    assert await letter.actions("days")


async def test_a_missing_model_is_reported_once(start: Start) -> None:
    editor = await start(model="no-such-model")
    letter = editor.open(SCHOOL)
    await letter.shown(nothing)
    letter.type(" Yes.")
    await letter.shown(nothing)
    assert ["there is no model 'no-such-model'" in told.message for told in editor.client.messages] == [True]


async def test_settings_of_the_project_apply_in_the_editor(start: Start, tmp_path: Path) -> None:
    settled = tmp_path / "redraft.toml"
    settled.write_text('ignore = ["agreement", "REDRAFT_ARTICLE", "days"]', encoding="utf-8")
    editor = await start()
    letter = editor.open(f"{SCHOOL} He is teacher in our town. {FRIEND}")
    assert codes(await letter.shown()) == ["spelling", "redundancy"]
    settled.write_text("kind = 7", encoding="utf-8")
    letter.save()
    told = await editor.client.wait_for_notification(types.WINDOW_SHOW_MESSAGE)
    assert "redraft.toml:1: kind must be a list" in told.message
    settled.unlink()
    letter.save()
    assert "agreement" in codes(await letter.shown(lambda found: "agreement" in codes(found)))
