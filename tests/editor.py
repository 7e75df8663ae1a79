"""A headless editor that runs `redraft lsp` in a process of its own, through pytest-lsp."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Union

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient

_LONGEST_WAIT = 60
"""Seconds after which a test fails."""
COMMAND = [sys.executable, "-P", "-c", "from redraft.cli.main import main; main()", "lsp"]


def make_converter() -> Any:
    """A converter that tells commands from code actions by the type of `command`, which lsprotocol's own does not."""
    converter = default_converter()

    def read(value: Any, _: type) -> types.Command | types.CodeAction:
        bare = isinstance(value.get("command"), str)
        return converter.structure(value, types.Command if bare else types.CodeAction)

    converter.register_structure_hook(Union[types.Command, types.CodeAction], read)  # noqa: UP007 (as it is declared)
    return converter


class Buffer:
    """A document in the editor."""

    def __init__(self, editor: Editor, path: Path, text: str, language_id: str) -> None:
        self.editor = editor
        self.uri = path.as_uri()
        self.text = text
        self.version = 1
        self._before: list[str] = []
        item = types.TextDocumentItem(self.uri, language_id, self.version, text)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    @property
    def identifier(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    def position(self, offset: int) -> types.Position:
        line = self.text.count("\n", 0, offset)
        start = self.text.rfind("\n", 0, offset) + 1
        return types.Position(line, self.editor.units(self.text[start:offset]))

    def offset(self, position: types.Position) -> int:
        lines = self.text.split("\n")
        start = sum(len(line) + 1 for line in lines[: position.line])
        line = lines[position.line]
        ends = (end for end in range(len(line) + 1) if self.editor.units(line[:end]) == position.character)
        return start + next(ends)

    def range_of(self, part: str) -> types.Range:
        start = self.text.index(part)
        return types.Range(self.position(start), self.position(start + len(part)))

    def under(self, diagnostic: types.Diagnostic) -> str:
        """The underlined text."""
        return self.text[self.offset(diagnostic.range.start) : self.offset(diagnostic.range.end)]

    def replace(self, start: int, end: int, new: str) -> None:
        change = types.TextDocumentContentChangePartial(types.Range(self.position(start), self.position(end)), new)
        self._before.append(self.text)
        self.text = self.text[:start] + new + self.text[end:]
        self._send(change)

    def type(self, text: str) -> None:
        """Types at the end, one character at a time."""
        for key in text:
            self.replace(len(self.text), len(self.text), key)

    def apply(self, edit: types.WorkspaceEdit) -> None:
        assert edit.document_changes is not None
        for change in edit.document_changes:
            assert isinstance(change, types.TextDocumentEdit)
            assert (change.text_document.uri, change.text_document.version) == (self.uri, self.version)
            spans = []
            for part in change.edits:
                assert not isinstance(part, types.SnippetTextEdit)
                spans.append((self.offset(part.range.start), self.offset(part.range.end), part.new_text))
            for start, end, new in sorted(spans, reverse=True):
                self.replace(start, end, new)

    def undo(self) -> None:
        """Undoes the last change and sends the whole text, as editors with full synchronization do."""
        self.text = self._before.pop()
        self._send(types.TextDocumentContentChangeWholeDocument(self.text))

    def save(self) -> None:
        self.editor.client.text_document_did_save(types.DidSaveTextDocumentParams(self.identifier))

    def close(self) -> None:
        self.editor.client.text_document_did_close(types.DidCloseTextDocumentParams(self.identifier))

    async def shown(self, wanted: Callable[[list[types.Diagnostic]], bool] = bool) -> list[types.Diagnostic]:
        """Waits until the diagnostics of the current version are as wanted; by default, until there are some."""
        return await self.editor.wait(self, wanted)

    async def actions(
        self, part: str, only: list[str] | None = None, diagnostics: Sequence[types.Diagnostic] = ()
    ) -> dict[str, types.CodeAction]:
        context = types.CodeActionContext(diagnostics, only)
        answer = await self.editor.client.text_document_code_action_async(
            types.CodeActionParams(self.identifier, self.range_of(part), context)
        )
        return {action.title: action for action in answer or [] if isinstance(action, types.CodeAction)}

    async def hover(self, part: str) -> str | None:
        params = types.HoverParams(self.identifier, self.range_of(part).start)
        hover = await self.editor.client.text_document_hover_async(params)
        if hover is None:
            return None
        assert isinstance(hover.contents, types.MarkupContent)
        return hover.contents.value

    def _send(self, change: types.TextDocumentContentChangeEvent) -> None:
        self.version += 1
        identifier = types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        self.editor.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))


class Editor:
    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.encoding = "utf-16"
        self.capabilities = types.ServerCapabilities()
        self.published: list[types.PublishDiagnosticsParams] = []
        self.refreshes = 0
        self._news = asyncio.Condition()

    def units(self, text: str) -> int:
        width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.encoding]
        return len(text.encode(f"{self.encoding}{'' if width == 1 else '-le'}", "surrogatepass")) // width

    def open(self, text: str, name: str = "letter.txt", language_id: str = "plaintext") -> Buffer:
        return Buffer(self, self.folder / name, text, language_id)

    async def receive(self, params: types.PublishDiagnosticsParams) -> None:
        async with self._news:
            self.published.append(params)
            self._news.notify_all()

    async def refresh(self, params: None) -> None:
        async with self._news:
            self.refreshes += 1
            self._news.notify_all()

    async def wait(self, buffer: Buffer, wanted: Callable[[list[types.Diagnostic]], bool]) -> list[types.Diagnostic]:
        def last() -> types.PublishDiagnosticsParams | None:
            return next((params for params in reversed(self.published) if params.uri == buffer.uri), None)

        def is_there() -> bool:
            found = last()
            return found is not None and found.version == buffer.version and wanted(list(found.diagnostics))

        await self.happen(is_there)
        found = last()
        assert found is not None
        return list(found.diagnostics)

    async def happen(self, event: Callable[[], bool]) -> None:
        """Waits until the event is true, looking after each message of the server."""
        async with asyncio.timeout(_LONGEST_WAIT), self._news:
            await self._news.wait_for(event)

    async def execute(self, command: types.Command | None) -> Any:
        assert command is not None
        params = types.ExecuteCommandParams(command.command, command.arguments)
        return await self.client.workspace_execute_command_async(params)


def capabilities(
    encodings: list[str] | None, configuration: bool = True, refresh: bool = False
) -> types.ClientCapabilities:
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=encodings),
        workspace=types.WorkspaceClientCapabilities(
            configuration=configuration,
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            did_change_configuration=types.DidChangeConfigurationClientCapabilities(dynamic_registration=True),
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=refresh),
        ),
        text_document=types.TextDocumentClientCapabilities(
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(version_support=True, data_support=True),
        ),
    )


Start = Callable[..., Awaitable[Editor]]
