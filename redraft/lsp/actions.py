"""What an editor offers to do about findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from redraft.check.user_rules import Scope
from redraft.edits.describe import describe
from redraft.edits.edit import Kind
from redraft.lsp.client import Client
from redraft.lsp.diagnostics import to_data, to_diagnostic, to_range
from redraft.lsp.notes import Note
from redraft.lsp.opened import OpenDocument

FIX_ALL = "source.fixAll.redraft"
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL)

IGNORE_ONCE = "redraft.ignoreOnce"
IGNORE_WORD = "redraft.ignoreWord"
IGNORE_KIND = "redraft.ignoreKind"
ADD_WORD = "redraft.addWord"
"""Commands. Each takes one object: `uri`, and `data` of a diagnostic; `redraft.addWord` also `scope`."""


def offer(
    opened: OpenDocument, notes: Iterable[Note], only: Iterable[str] | None, client: Client, has_project: bool
) -> list[types.CodeAction]:
    """Actions for findings at one place, and for all of the document; `only` of some kinds, if it is given."""
    wanted = None if only is None else list(only)
    actions: list[types.CodeAction] = []
    if _is_wanted(types.CodeActionKind.QuickFix, wanted):
        for note in notes:
            diagnostic = to_diagnostic(note.finding, opened.text, opened.lines)
            actions.append(_fix(opened, note, diagnostic, client))
            actions += _leave_alone(opened, note, diagnostic, has_project)
        actions = _without_repeats(actions)
    if _is_wanted(FIX_ALL, wanted) and (mendable := opened.mendable()):
        actions.append(_fix_all(opened, mendable, client))
    return actions


def _is_wanted(kind: str, wanted: list[str] | None) -> bool:
    """Kinds are hierarchical: who asks for `source.fixAll` gets `source.fixAll.redraft` too."""
    return wanted is None or any(not asked or kind == asked or kind.startswith(f"{asked}.") for asked in wanted)


def _fix(opened: OpenDocument, note: Note, diagnostic: types.Diagnostic, client: Client) -> types.CodeAction:
    title = describe(note.edit)
    return types.CodeAction(
        title=title[:1].upper() + title[1:],
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        is_preferred=True,
        edit=_edit(opened, [note], client),
    )


def _fix_all(opened: OpenDocument, notes: list[Note], client: Client) -> types.CodeAction:
    return types.CodeAction(
        title=f"Fix all {len(notes)} that Redraft found" if len(notes) > 1 else "Fix what Redraft found",
        kind=FIX_ALL,
        edit=_edit(opened, notes, client),
    )


def _leave_alone(
    opened: OpenDocument, note: Note, diagnostic: types.Diagnostic, has_project: bool
) -> Iterator[types.CodeAction]:
    edit = note.edit
    argument = {"uri": opened.uri, "data": to_data(note.finding)}
    word = edit.source.strip()
    choices: list[tuple[str, str, dict[str, object]]] = []
    # One character is no word that anybody vouches for; in Chinese it is a part of many.
    if edit.kind in (Kind.SPELLING, Kind.DIALECT) and len(word) > 1 and len(word.split()) == 1:
        choices.append((f"Add “{word}” to your dictionary", ADD_WORD, {"scope": Scope.USER.value}))
        if has_project:
            choices.append((f"Add “{word}” to the project’s dictionary", ADD_WORD, {"scope": Scope.PROJECT.value}))
    # Each title says what it is about: editors take actions of one title for one action.
    choices.append((f"Ignore here: {describe(edit)}", IGNORE_ONCE, {}))
    if word:
        choices.append((f"Ignore “{' '.join(word.split())}” everywhere", IGNORE_WORD, {}))
    choices.append((f"Turn off: {edit.kind.value.replace('-', ' ')}", IGNORE_KIND, {}))
    for title, command, more in choices:
        yield types.CodeAction(
            title=title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic],
            command=types.Command(title=title, command=command, arguments=[{**argument, **more}]),
        )


def _without_repeats(actions: Iterable[types.CodeAction]) -> list[types.CodeAction]:
    """Findings at one place may be of the same word or kind, about which one action is enough."""
    kept: list[types.CodeAction] = []
    seen: set[str] = set()
    for action in actions:
        if action.command is None or action.command.command == IGNORE_ONCE:
            kept.append(action)
        elif action.title not in seen:
            seen.add(action.title)
            kept.append(action)
    return kept


def _edit(opened: OpenDocument, notes: list[Note], client: Client) -> types.WorkspaceEdit:
    """Made from the findings as the server knows them, never from ranges that a client sends back."""
    edits = [types.TextEdit(to_range(note.edit.span, opened.lines), note.edit.replacement) for note in notes]
    if not client.versioned_edits:
        return types.WorkspaceEdit(changes={opened.uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=opened.uri, version=opened.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, edits)])
