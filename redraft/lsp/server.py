"""The language server: handlers of the protocol's requests and notifications."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from redraft import __version__
from redraft.check.alternatives import Alternative
from redraft.check.document import Finding
from redraft.check.options import CheckOptions
from redraft.check.unchecked import Unchecked, summarize
from redraft.check.user_rules import Scope, UserRulesStore
from redraft.errors import ConfigError, RedraftError
from redraft.lsp import actions
from redraft.lsp.checker import Checker, Correctors
from redraft.lsp.client import Client
from redraft.lsp.diagnostics import to_diagnostics, to_hover, to_offset, to_span, to_unchecked_hover
from redraft.lsp.document_options import document_options
from redraft.lsp.message_reader import MessageReader
from redraft.lsp.open_document import OpenDocument
from redraft.lsp.settings import OFF, SECTION, Settings
from redraft.lsp.tracked_finding import TrackedFinding
from redraft.settings.options import ModelOptions
from redraft.text.positions import Unit
from redraft.text.span import Span

_DEBOUNCE_SECONDS = 0.1
"""Time without a keystroke before a check."""
_MAX_DIAGNOSTICS = 1000
"""For one document."""
_MAX_WAIT_SECONDS = 2.0
"""Time that hovers and code actions wait for the check of the last change."""
_MOST_REWORDED = 8
"""Findings at one place for which other replacements are looked up."""


@dataclass(slots=True)
class _DocumentState:
    """An open document and the state of its check."""

    opened: OpenDocument
    path: Path | None
    options: CheckOptions | None = None
    """None before the first check, and after a change of settings or files."""
    task: asyncio.Task[None] | None = None
    awaited: asyncio.Event = field(default_factory=asyncio.Event)
    """A request waits for the check: skip the debounce."""
    checked: asyncio.Event = field(default_factory=asyncio.Event)
    """The findings are those of the current text."""
    pulls: int = 0
    """Number of requests that wait for its diagnostics."""
    pulled: list[types.Diagnostic] = field(default_factory=list)
    """The diagnostics sent in reply to the last of them."""
    unchecked: tuple[Unchecked, ...] = ()
    """Sentences that no model could check, in the text of the last complete check."""


@dataclass(frozen=True, slots=True)
class _CommandTarget:
    """The finding that a command is about."""

    user_rules: UserRulesStore
    found: TrackedFinding
    scope: str


class RedraftServer(LanguageServer):
    """All handlers run in the event loop; models are used in the checker's thread."""

    def __init__(self, options: ModelOptions) -> None:
        super().__init__("redraft", __version__)
        self._checker = Checker(Correctors(options))
        self._settings = Settings()
        self._client = Client()
        self._documents: dict[str, _DocumentState] = {}
        self._user_rules: dict[Path | None, UserRulesStore] = {}
        self._warnings: dict[str, str] = {}
        self._pulled = False
        self._register()

    def _register(self) -> None:
        # pygls would keep a second copy of each text, and split lines at characters that the protocol does not.
        for method in (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE):
            del self.protocol.fm.builtin_features[method]
        features: dict[str, Callable[..., object]] = {
            types.INITIALIZE: self._initialize,
            types.INITIALIZED: self._initialized,
            types.SHUTDOWN: self._shut_down,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self._configure,
            types.TEXT_DOCUMENT_DID_OPEN: self._open,
            types.TEXT_DOCUMENT_DID_CHANGE: self._change,
            types.TEXT_DOCUMENT_DID_SAVE: self._save,
            types.TEXT_DOCUMENT_DID_CLOSE: self._close,
            types.TEXT_DOCUMENT_HOVER: self._hover,
            types.TEXT_DOCUMENT_CODE_ACTION: self._code_actions,
        }
        options = {
            types.TEXT_DOCUMENT_DID_SAVE: types.SaveOptions(include_text=False),
            types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(code_action_kinds=list(actions.KINDS)),
        }
        commands: dict[str, Callable[..., object]] = {
            actions.IGNORE_ONCE: self._ignore_once,
            actions.IGNORE_WORD: self._ignore_word,
            actions.IGNORE_KIND: self._ignore_kind,
            actions.ADD_WORD: self._add_word,
        }
        # pygls sets attributes on handlers, which bound methods do not allow.
        for name, feature in features.items():
            self.feature(name, options.get(name))(partial(feature))
        for name, command in commands.items():
            self.command(name)(partial(command))

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Logs the type of an unexpected error, not its message, which may quote the user's text."""
        if source is not FeatureRequestError:  # a failed request is answered with an error
            self._log(f"{type(error).__name__} in the server; your text is not affected")

    def _initialize(self, params: types.InitializeParams) -> None:
        self._client = Client.of(params.capabilities)
        options = params.initialization_options
        if isinstance(options, Mapping) and isinstance(inner := options.get(SECTION, options), Mapping):
            given = dict(inner)
            self._pulled = given.pop("diagnostics", "push") == "pull"
            self._apply_settings(given)
        if self._pulled:
            provided = types.DiagnosticOptions(
                inter_file_dependencies=False, workspace_diagnostics=False, identifier="redraft"
            )
            self.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, provided)(partial(self._diagnose))

    async def _initialized(self, params: types.InitializedParams) -> None:
        if self._client.registers_configuration:
            registration = types.Registration(
                id="redraft-configuration",
                method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                register_options={"section": SECTION},
            )
            with suppress(JsonRpcException):  # the editor may report changes without a registration
                await self.client_register_capability_async(types.RegistrationParams([registration]))
        await self._request_settings()

    def _shut_down(self, params: None) -> None:
        for state in self._documents.values():
            self._cancel(state)
        self._checker.stop()

    async def _configure(self, params: types.DidChangeConfigurationParams) -> None:
        if self._client.configuration:
            await self._request_settings()
        elif isinstance(params.settings, Mapping):
            self._apply_settings(params.settings.get(SECTION, params.settings))

    async def _request_settings(self) -> None:
        if self._client.configuration:
            params = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
            with suppress(JsonRpcException):  # an editor without settings for this server
                answer = await self.workspace_configuration_async(params)
                if answer and answer[0] is not None:
                    self._apply_settings(answer[0])

    def _apply_settings(self, values: object) -> None:
        try:
            settings = Settings.read(values)
        except ConfigError as error:
            self._warn(SECTION, f"{error} (the previous settings are kept)")
            return
        self._warnings.pop(SECTION, None)
        if settings != self._settings:
            self._settings = settings
            self._recheck()

    def _open(self, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        self._drop(item.uri)
        path = to_fs_path(item.uri) if item.uri.startswith("file:") else None
        unit = Unit(self.workspace.position_encoding or Unit.UTF_16)
        opened = OpenDocument(item.uri, item.language_id, item.version, item.text, unit)
        self._documents[item.uri] = state = _DocumentState(opened, Path(path) if path else None)
        self._start(state, delay=0)

    def _change(self, params: types.DidChangeTextDocumentParams) -> None:
        state = self._documents.get(params.text_document.uri)
        if state:
            state.opened.change(params.content_changes, params.text_document.version, time.monotonic())
            self._start(state, delay=_DEBOUNCE_SECONDS)

    def _save(self, params: types.DidSaveTextDocumentParams) -> None:
        state = self._documents.get(params.text_document.uri)
        if state:
            state.opened.stop_typing()
            state.options = None
            self._start(state, delay=0)

    def _close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._drop(params.text_document.uri)

    def _drop(self, uri: str) -> None:
        state = self._documents.pop(uri, None)
        if state:
            self._cancel(state)
            state.checked.set()  # ends requests that wait for the check
            self._checker.forget(uri)
            self._warnings.pop(uri, None)
            if not self._pulled:
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _recheck(self) -> None:
        for state in self._documents.values():
            state.options = None
            self._start(state, delay=0)

    def _start(self, state: _DocumentState, delay: float) -> None:
        """Starts a check of the current text and cancels an older one."""
        self._cancel(state)
        state.checked.clear()
        state.task = asyncio.get_running_loop().create_task(self._check_and_publish(state, delay))

    def _cancel(self, state: _DocumentState) -> None:
        if state.task:
            state.task.cancel()

    async def _check_and_publish(self, state: _DocumentState, delay: float) -> None:
        if delay:
            await _wait(state.awaited, delay)
        try:
            await self._check(state)
            self._warnings.pop(state.opened.uri, None)
        except (RedraftError, OSError) as error:
            self._warn(state.opened.uri, str(error))
        except Exception as error:
            self.report_server_error(error, type(error))
        state.awaited.clear()
        state.checked.set()
        self._publish(state)
        while (moment := state.opened.next_show()) is not None:
            await asyncio.sleep(max(0.0, moment - time.monotonic()))
            self._publish(state)

    async def _check(self, state: _DocumentState) -> None:
        opened = state.opened
        options = state.options = state.options or document_options(
            self._settings, opened.language_id, state.path, self._user_rules_of(state.path)
        )
        if options.format == OFF:
            opened.set_findings((), len(opened.text) + 1)
            return
        async for progress in self._checker.check(opened.uri, opened.text, options):
            opened.set_findings(progress.findings, progress.reached)
            if progress.reached <= len(opened.text):
                self._publish(state)
            else:
                self._log_unchecked(state, progress.unchecked)

    def _publish(self, state: _DocumentState) -> None:
        opened = state.opened
        diagnostics = self._diagnostics(opened)
        if not self._pulled:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(opened.uri, diagnostics, opened.version)
            )
        elif self._client.refreshes and not state.pulls and diagnostics != state.pulled:
            self.workspace_diagnostic_refresh(None)

    def _diagnostics(self, opened: OpenDocument) -> list[types.Diagnostic]:
        shown = [found.finding for found in opened.show(time.monotonic())]
        return to_diagnostics(shown, opened.text, opened.lines, _MAX_DIAGNOSTICS)

    async def _diagnose(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        state = self._documents.get(params.text_document.uri)
        if state is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        state.pulls += 1
        try:
            await self._wait_for_check(state, None)
        finally:
            state.pulls -= 1
        state.pulled = self._diagnostics(state.opened)
        return types.RelatedFullDocumentDiagnosticReport(items=state.pulled)

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        state = await self._when_checked(params.text_document.uri)
        if state is None:
            return None
        opened = state.opened
        offset = to_offset(params.position, opened.lines)
        findings = self._findings_at(state, Span(offset, offset))
        if findings:
            return to_hover(findings[0].finding, opened.text, opened.lines, self._client.markdown)
        unchecked = state.unchecked if state.checked.is_set() else ()
        found = next((one for one in unchecked if one.span.start <= offset < one.span.end), None)
        return to_unchecked_hover(found, opened.lines) if found else None

    async def _code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        state = await self._when_checked(params.text_document.uri)
        if state is None:
            return []
        lines = state.opened.lines
        place = to_span(params.range, lines)
        findings = self._findings_at(state, place)
        # Also the findings of the given diagnostics: their ranges may differ from those that the server sent. Some
        # editors send all diagnostics of the line: only those at the cursor or in the selection count.
        for diagnostic in params.context.diagnostics:
            found = state.opened.find(diagnostic.data) if to_span(diagnostic.range, lines).touches(place) else None
            if found and found not in findings:
                findings.append(found)
        others: dict[Finding, tuple[Alternative, ...]] = {}
        # A selection of many findings is a request to fix all of them, not to choose replacements one by one.
        if actions.are_fixes_wanted(params.context.only) and 0 < len(findings) <= _MOST_REWORDED:
            others = await self._alternatives(state.opened.uri, [found.finding for found in findings])
            # The text may have changed meanwhile.
            current = {found.finding for found in state.opened.findings}
            findings = [found for found in findings if found.finding in current]
        has_project = state.path is not None
        return actions.code_actions(state.opened, findings, params.context.only, self._client, has_project, others)

    async def _alternatives(self, uri: str, findings: list[Finding]) -> dict[Finding, tuple[Alternative, ...]]:
        """Other replacements; none if the checker is busy with other documents for too long."""
        try:
            return await asyncio.wait_for(self._checker.alternatives(uri, findings), _MAX_WAIT_SECONDS)
        except TimeoutError:
            return {}

    def _findings_at(self, state: _DocumentState, span: Span) -> list[TrackedFinding]:
        if state.opened.look_at(span):
            self._publish(state)
        return state.opened.at(span)

    async def _when_checked(self, uri: str) -> _DocumentState | None:
        """The document once its last change is checked, or after a short wait."""
        state = self._documents.get(uri)
        if state:
            await self._wait_for_check(state, _MAX_WAIT_SECONDS)
        return self._documents.get(uri)

    async def _wait_for_check(self, state: _DocumentState, seconds: float | None) -> None:
        if not state.checked.is_set():
            state.awaited.set()
            await _wait(state.checked, seconds)

    async def _ignore_once(self, *arguments: object) -> None:
        target = self._target_of(arguments)
        await self._write_rules(lambda: target.user_rules.ignore_once(target.found.edit, target.found.sentence))

    async def _ignore_word(self, *arguments: object) -> None:
        target = self._target_of(arguments)
        await self._write_rules(lambda: target.user_rules.ignore_word(target.found.edit))

    async def _ignore_kind(self, *arguments: object) -> None:
        target = self._target_of(arguments)
        await self._write_rules(lambda: target.user_rules.ignore_kind(target.found.edit.kind))

    async def _add_word(self, *arguments: object) -> None:
        target = self._target_of(arguments)
        await self._write_rules(lambda: target.user_rules.add_word(target.found.edit.source, target.scope))

    def _target_of(self, arguments: Sequence[object]) -> _CommandTarget:
        """The finding that the argument of a command refers to."""
        argument = arguments[0] if arguments else None
        if not isinstance(argument, Mapping):
            raise JsonRpcInvalidParams("the command needs one object with uri and data, as in the code action")
        state = self._documents.get(str(argument.get("uri")))
        found = state.opened.find(argument.get("data")) if state else None
        if state is None or found is None:
            raise JsonRpcInvalidParams("there is no such finding; the text has changed or the document is closed")
        return _CommandTarget(self._user_rules_of(state.path), found, str(argument.get("scope") or Scope.USER.value))

    async def _write_rules(self, write: Callable[[], bool]) -> None:
        """Writes to the user's files, off the event loop, and checks all documents again."""
        try:
            await asyncio.to_thread(write)
        except (RedraftError, OSError) as error:
            self._warn("", str(error))
            return
        self._warnings.pop("", None)
        self._recheck()

    def _user_rules_of(self, path: Path | None) -> UserRulesStore:
        folder = path.parent if path else None
        if folder not in self._user_rules:
            self._user_rules[folder] = UserRulesStore.open(folder)
        return self._user_rules[folder]

    def _warn(self, about: str, message: str) -> None:
        """Shows a message to the user, once until the problem is solved."""
        is_known = message in self._warnings.values()
        self._warnings[about] = message
        if not is_known:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"Redraft: {message}"))

    def _log_unchecked(self, state: _DocumentState, unchecked: tuple[Unchecked, ...]) -> None:
        """Logs how many sentences no model could check, when that number or the reasons change."""
        before, state.unchecked = state.unchecked, unchecked
        summary = summarize(len(unchecked), (one.message for one in unchecked))
        if unchecked and summary != summarize(len(before), (one.message for one in before)):
            line = state.opened.lines.place_of(unchecked[0].span.start).line + 1
            name = state.path.name if state.path else state.opened.uri
            self._log(f"{name}:{line}: {summary}", types.MessageType.Info)

    def _log(self, message: str, level: types.MessageType = types.MessageType.Error) -> None:
        self.window_log_message(types.LogMessageParams(level, f"Redraft: {message}"))


async def _wait(event: asyncio.Event, seconds: float | None) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)


def serve(options: ModelOptions, report: Callable[[str], None]) -> None:
    """Serves an editor on stdin and stdout until it disconnects; `report` is called with problems of its messages."""
    # pygls logs whole messages, which contain the user's text.
    logger = logging.getLogger("pygls")
    logger.propagate = False
    logger.addHandler(logging.NullHandler())
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    with redirect_stdout(sys.stderr):  # anything else on stdout would break the protocol
        RedraftServer(options).start_io(cast(BinaryIO, MessageReader(stdin, report)), stdout)
