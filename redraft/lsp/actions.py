"""Code actions: fixes, ignores and additions to the dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from lsprotocol import types

from redraft.check.alternatives import Alternative
from redraft.check.document import Finding
from redraft.check.user_rules import Scope
from redraft.edits.describe import describe
from redraft.edits.edit import Kind
from redraft.lsp.client import Client
from redraft.lsp.diagnostics import to_data, to_diagnostic, to_range
from redraft.lsp.open_document import OpenDocument
from redraft.lsp.tracked_finding import TrackedFinding

FIX_ALL = "source.fixAll.redraft"
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL)

IGNORE_ONCE = "redraft.ignoreOnce"
IGNORE_WORD = "redraft.ignoreWord"
IGNORE_KIND = "redraft.ignoreKind"
ADD_WORD = "redraft.addWord"
"""Commands. Each takes one object: `uri`, and `data` of a diagnostic; `redraft.addWord` also `scope`."""


def code_actions(
    opened: OpenDocument,
    findings: Iterable[TrackedFinding],
    only: Iterable[str] | None,
    client: Client,
    has_project: bool,
    alternatives: Mapping[Finding, Sequence[Alternative]] | None = None,
) -> list[types.CodeAction]:
    """Actions for the findings at one place, and "fix all"; of the kinds in `only`, unless it is None.

    `alternatives` are other replacements for findings: each gets a fix too, after the preferred one.
    """
    wanted = None if only is None else list(only)
    actions: list[types.CodeAction] = []
    if _is_wanted(types.CodeActionKind.QuickFix, wanted):
        for found in findings:
            diagnostic = to_diagnostic(found.finding, opened.text, opened.lines)
            actions.append(_fix(opened, found, diagnostic, client, is_preferred=found.edit.certain))
            for other in (alternatives or {}).get(found.finding, ())[1:]:
                edit = replace(found.edit, replacement=other.replacement, confidence=other.confidence)
                reworded = replace(found, finding=replace(found.finding, edit=edit))
                actions.append(_fix(opened, reworded, diagnostic, client, is_preferred=False))
            actions += _ignore(opened, found, diagnostic, has_project)
        actions = _without_duplicates(actions)
    if _is_wanted(FIX_ALL, wanted) and (fixable := opened.fixable()):
        actions.append(_fix_all(opened, fixable, client))
    return actions


def are_fixes_wanted(only: Iterable[str] | None) -> bool:
    """Whether a client that asks for the kinds in `only` wants fixes of single findings."""
    return _is_wanted(types.CodeActionKind.QuickFix, None if only is None else list(only))


def _is_wanted(kind: str, wanted: list[str] | None) -> bool:
    """Whether a kind is among those asked for. Kinds are hierarchical: `source` includes `source.fixAll.redraft`."""
    return wanted is None or any(not asked or kind == asked or kind.startswith(f"{asked}.") for asked in wanted)


def _fix(
    opened: OpenDocument, found: TrackedFinding, diagnostic: types.Diagnostic, client: Client, is_preferred: bool
) -> types.CodeAction:
    title = describe(found.edit)
    return types.CodeAction(
        title=title[:1].upper() + title[1:],
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        is_preferred=is_preferred,
        edit=_edit(opened, [found], client),
    )


def _fix_all(opened: OpenDocument, findings: list[TrackedFinding], client: Client) -> types.CodeAction:
    count = len(findings)
    return types.CodeAction(
        title=f"Fix all {count} errors found by Redraft" if count > 1 else "Fix the error found by Redraft",
        kind=FIX_ALL,
        edit=_edit(opened, findings, client),
    )


def _ignore(
    opened: OpenDocument, found: TrackedFinding, diagnostic: types.Diagnostic, has_project: bool
) -> Iterator[types.CodeAction]:
    edit = found.edit
    argument = {"uri": opened.uri, "data": to_data(found.finding)}
    word = edit.source.strip()
    choices: list[tuple[str, str, dict[str, object]]] = []
    # Not a single character: in Chinese it is part of many words.
    if edit.kind in (Kind.SPELLING, Kind.DIALECT) and len(word) > 1 and len(word.split()) == 1:
        choices.append((f"Add “{word}” to your dictionary", ADD_WORD, {"scope": Scope.USER.value}))
        if has_project:
            choices.append((f"Add “{word}” to the project’s dictionary", ADD_WORD, {"scope": Scope.PROJECT.value}))
    # Titles must differ: editors merge actions with the same title.
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


def _without_duplicates(actions: Iterable[types.CodeAction]) -> list[types.CodeAction]:
    """Keeps one action for each word or kind that several findings share."""
    kept: list[types.CodeAction] = []
    seen: set[str] = set()
    for action in actions:
        if action.command is None or action.command.command == IGNORE_ONCE:
            kept.append(action)
        elif action.title not in seen:
            seen.add(action.title)
            kept.append(action)
    return kept


def _edit(opened: OpenDocument, findings: list[TrackedFinding], client: Client) -> types.WorkspaceEdit:
    """The edits of the findings as the server knows them; ranges sent back by clients may be wrong."""
    edits = [types.TextEdit(to_range(found.edit.span, opened.lines), found.edit.replacement) for found in findings]
    if not client.versioned_edits:
        return types.WorkspaceEdit(changes={opened.uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=opened.uri, version=opened.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, edits)])
