"""The language server: what the protocol asks, and who answers it."""

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

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from redraft import __version__
from redraft.check.options import CheckOptions
from redraft.check.user_rules import Scope, UserRulesStore
from redraft.errors import ConfigError, RedraftError
from redraft.lsp import actions
from redraft.lsp.checker import Checker, Correctors
from redraft.lsp.client import Client
from redraft.lsp.diagnostics import to_diagnostic, to_hover, to_offset, to_span
from redraft.lsp.document_options import document_options
from redraft.lsp.notes import Note
from redraft.lsp.opened import OpenDocument
from redraft.lsp.settings import OFF, SECTION, Settings
from redraft.settings.options import ModelOptions
from redraft.text.positions import Unit
from redraft.text.span import Span

_DEBOUNCE_SECONDS = 0.1
"""How long to wait for the next keystroke before a check."""
_MOST_DIAGNOSTICS = 1000
"""More of them in one document no editor shows, nor does anybody read."""
_PATIENCE_SECONDS = 2.0
"""How long a request about findings waits for the check of what was typed last."""


@dataclass(slots=True)
class _Review:
    """An open document and the work on it."""

    opened: OpenDocument
    path: Path | None
    options: CheckOptions | None = None
    """None until they are needed, and after something may have changed them."""
    task: asyncio.Task[None] | None = None
    awaited: asyncio.Event = field(default_factory=asyncio.Event)
    """Somebody waits: check at once."""
    checked: asyncio.Event = field(default_factory=asyncio.Event)
    """The findings are those of the text as it stands."""
    pulls: int = 0
    """How many requests wait for its diagnostics."""
    pulled: list[types.Diagnostic] = field(default_factory=list)
    """What the last of them was answered."""


@dataclass(frozen=True, slots=True)
class _Meant:
    """What a command is about."""

    user_rules: UserRulesStore
    note: Note
    scope: str


class RedraftServer(LanguageServer):
    """Everything here runs on the event loop; models and documents live on the checker's thread."""

    def __init__(self, options: ModelOptions) -> None:
        super().__init__("redraft", __version__)
        self._checker = Checker(Correctors(options))
        self._settings = Settings()
        self._client = Client()
        self._reviews: dict[str, _Review] = {}
        self._user_rules: dict[Path | None, UserRulesStore] = {}
        self._complaints: dict[str, str] = {}
        self._pulled = False
        self._register()

    def _register(self) -> None:
        # pygls would keep a second copy of each text, cut into lines where the protocol sees none.
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
            types.TEXT_DOCUMENT_CODE_ACTION: self._act,
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
        # pygls puts its marks on what it is given, and a bound method takes none.
        for name, feature in features.items():
            self.feature(name, options.get(name))(partial(feature))
        for name, command in commands.items():
            self.command(name)(partial(command))

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Says that something failed, but not what it was about: that may be the user's text."""
        if source is not FeatureRequestError:  # a request has its own answer
            self._log(f"{type(error).__name__} in the server; what you write is not affected")

    def _initialize(self, params: types.InitializeParams) -> None:
        self._client = Client.of(params.capabilities)
        options = params.initialization_options
        if isinstance(options, Mapping) and isinstance(inner := options.get(SECTION, options), Mapping):
            given = dict(inner)
            self._pulled = given.pop("diagnostics", "push") == "pull"
            self._take(given)
        if self._pulled:
            provided = types.DiagnosticOptions(
                inter_file_dependencies=False, workspace_diagnostics=False, identifier="redraft"
            )
            self.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, provided)(partial(self._diagnose))

    async def _initialized(self, params: types.InitializedParams) -> None:
        if self._client.registers_configuration:
            wish = types.Registration(
                id="redraft-configuration",
                method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                register_options={"section": SECTION},
            )
            with suppress(JsonRpcException):  # then it tells of changes without, or never
                await self.client_register_capability_async(types.RegistrationParams([wish]))
        await self._ask_for_settings()

    def _shut_down(self, params: None) -> None:
        for review in self._reviews.values():
            self._cancel(review)
        self._checker.stop()

    async def _configure(self, params: types.DidChangeConfigurationParams) -> None:
        if self._client.configuration:
            await self._ask_for_settings()
        elif isinstance(params.settings, Mapping):
            self._take(params.settings.get(SECTION, params.settings))

    async def _ask_for_settings(self) -> None:
        if self._client.configuration:
            wish = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
            with suppress(JsonRpcException):  # an editor that keeps its settings to itself
                answer = await self.workspace_configuration_async(wish)
                if answer and answer[0] is not None:
                    self._take(answer[0])

    def _take(self, values: object) -> None:
        try:
            settings = Settings.read(values)
        except ConfigError as error:
            self._complain(SECTION, f"{error} (the settings stay as they were)")
            return
        self._complaints.pop(SECTION, None)
        if settings != self._settings:
            self._settings = settings
            self._recheck()

    def _open(self, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        self._drop(item.uri)
        path = to_fs_path(item.uri) if item.uri.startswith("file:") else None
        unit = Unit(self.workspace.position_encoding or Unit.UTF_16)
        opened = OpenDocument(item.uri, item.language_id, item.version, item.text, unit)
        self._reviews[item.uri] = review = _Review(opened, Path(path) if path else None)
        self._start(review, delay=0)

    def _change(self, params: types.DidChangeTextDocumentParams) -> None:
        review = self._reviews.get(params.text_document.uri)
        if review:
            review.opened.change(params.content_changes, params.text_document.version, time.monotonic())
            self._start(review, delay=_DEBOUNCE_SECONDS)

    def _save(self, params: types.DidSaveTextDocumentParams) -> None:
        review = self._reviews.get(params.text_document.uri)
        if review:
            review.opened.leave()
            review.options = None
            self._start(review, delay=0)

    def _close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._drop(params.text_document.uri)

    def _drop(self, uri: str) -> None:
        review = self._reviews.pop(uri, None)
        if review:
            self._cancel(review)
            review.checked.set()  # nobody need wait any longer
            self._checker.forget(uri)
            self._complaints.pop(uri, None)
            if not self._pulled:
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _recheck(self) -> None:
        for review in self._reviews.values():
            review.options = None
            self._start(review, delay=0)

    def _start(self, review: _Review, delay: float) -> None:
        """Begins a check of the text as it stands; an older one is given up."""
        self._cancel(review)
        review.checked.clear()
        review.task = asyncio.get_running_loop().create_task(self._work(review, delay))

    def _cancel(self, review: _Review) -> None:
        if review.task:
            review.task.cancel()

    async def _work(self, review: _Review, delay: float) -> None:
        if delay:
            await _wait(review.awaited, delay)
        try:
            await self._check(review)
            self._complaints.pop(review.opened.uri, None)
        except (RedraftError, OSError) as error:
            self._complain(review.opened.uri, str(error))
        except Exception as error:
            self.report_server_error(error, type(error))
        review.awaited.clear()
        review.checked.set()
        self._publish(review)
        while (moment := review.opened.next_show()) is not None:
            await asyncio.sleep(max(0.0, moment - time.monotonic()))
            self._publish(review)

    async def _check(self, review: _Review) -> None:
        opened = review.opened
        options = review.options = review.options or document_options(
            self._settings, opened.language_id, review.path, self._user_rules_of(review.path)
        )
        if options.format == OFF:
            opened.found((), len(opened.text) + 1)
            return
        async for progress in self._checker.check(opened.uri, opened.text, options):
            opened.found(progress.notes, progress.reached)
            if progress.reached <= len(opened.text):
                self._publish(review)

    def _publish(self, review: _Review) -> None:
        opened = review.opened
        diagnostics = self._diagnostics(opened)
        if not self._pulled:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(opened.uri, diagnostics, opened.version)
            )
        elif self._client.refreshes and not review.pulls and diagnostics != review.pulled:
            self.workspace_diagnostic_refresh(None)

    def _diagnostics(self, opened: OpenDocument) -> list[types.Diagnostic]:
        shown = opened.show(time.monotonic())[:_MOST_DIAGNOSTICS]
        return [to_diagnostic(note.finding, opened.text, opened.lines) for note in shown]

    async def _diagnose(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        review = self._reviews.get(params.text_document.uri)
        if review is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        review.pulls += 1
        try:
            await self._settle(review, None)
        finally:
            review.pulls -= 1
        review.pulled = self._diagnostics(review.opened)
        return types.RelatedFullDocumentDiagnosticReport(items=review.pulled)

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        review = await self._settled(params.text_document.uri)
        if review is None:
            return None
        opened = review.opened
        offset = to_offset(params.position, opened.lines)
        notes = self._look(review, Span(offset, offset))
        return to_hover(notes[0].finding, opened.text, opened.lines, self._client.markdown) if notes else None

    async def _act(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        review = await self._settled(params.text_document.uri)
        if review is None:
            return []
        notes = self._look(review, to_span(params.range, review.opened.lines))
        # The diagnostics themselves tell more surely than a range what is meant.
        for diagnostic in params.context.diagnostics:
            note = review.opened.find(diagnostic.data)
            if note and note not in notes:
                notes.append(note)
        has_project = review.path is not None
        return actions.offer(review.opened, notes, params.context.only, self._client, has_project)

    def _look(self, review: _Review, span: Span) -> list[Note]:
        if review.opened.look_at(span):
            self._publish(review)
        return review.opened.at(span)

    async def _settled(self, uri: str) -> _Review | None:
        """The document once its last change is checked. A long check is not waited for: what is known must do."""
        review = self._reviews.get(uri)
        if review:
            await self._settle(review, _PATIENCE_SECONDS)
        return self._reviews.get(uri)

    async def _settle(self, review: _Review, seconds: float | None) -> None:
        if not review.checked.is_set():
            review.awaited.set()
            await _wait(review.checked, seconds)

    async def _ignore_once(self, *arguments: object) -> None:
        meant = self._meant(arguments)
        await self._remember(lambda: meant.user_rules.ignore_once(meant.note.edit, meant.note.sentence))

    async def _ignore_word(self, *arguments: object) -> None:
        meant = self._meant(arguments)
        await self._remember(lambda: meant.user_rules.ignore_word(meant.note.edit))

    async def _ignore_kind(self, *arguments: object) -> None:
        meant = self._meant(arguments)
        await self._remember(lambda: meant.user_rules.ignore_kind(meant.note.edit.kind))

    async def _add_word(self, *arguments: object) -> None:
        meant = self._meant(arguments)
        await self._remember(lambda: meant.user_rules.add_word(meant.note.edit.source, meant.scope))

    def _meant(self, arguments: Sequence[object]) -> _Meant:
        """What a command is about, as its argument tells."""
        argument = arguments[0] if arguments else None
        if not isinstance(argument, Mapping):
            raise JsonRpcInvalidParams("the command takes one object with uri and data, as the code action gives it")
        review = self._reviews.get(str(argument.get("uri")))
        note = review.opened.find(argument.get("data")) if review else None
        if review is None or note is None:
            raise JsonRpcInvalidParams("this is not found any more; the text has changed, or the document is closed")
        return _Meant(self._user_rules_of(review.path), note, str(argument.get("scope") or Scope.USER.value))

    async def _remember(self, write: Callable[[], bool]) -> None:
        """Writes to the user's files, off the event loop, and checks anew what they change."""
        try:
            await asyncio.to_thread(write)
        except (RedraftError, OSError) as error:
            self._complain("", str(error))
            return
        self._complaints.pop("", None)
        self._recheck()

    def _user_rules_of(self, path: Path | None) -> UserRulesStore:
        folder = path.parent if path else None
        if folder not in self._user_rules:
            self._user_rules[folder] = UserRulesStore.open(folder)
        return self._user_rules[folder]

    def _complain(self, about: str, message: str) -> None:
        """Tells the user what to mend; not again as long as it is not mended."""
        is_known = message in self._complaints.values()
        self._complaints[about] = message
        if not is_known:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"Redraft: {message}"))

    def _log(self, message: str) -> None:
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"Redraft: {message}"))


async def _wait(event: asyncio.Event, seconds: float | None) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)


def serve(options: ModelOptions) -> None:
    """Talks to the editor on stdin and stdout until it says goodbye."""
    # pygls writes whole messages to its log, and with them the user's text.
    logger = logging.getLogger("pygls")
    logger.propagate = False
    logger.addHandler(logging.NullHandler())
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    with redirect_stdout(sys.stderr):  # a stray word on stdout would break the protocol
        RedraftServer(options).start_io(stdin, stdout)
