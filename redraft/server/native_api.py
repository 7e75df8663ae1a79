"""Redraft's own API, under /v1, and the routes for running a server: /health, /ready and /metrics."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import asdict
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Send
from starlette.types import Scope as ASGIScope

from redraft import __version__
from redraft.check.document import SentenceCheck
from redraft.check.languages import languages_of
from redraft.check.locked_lines import LONGEST_ENTRY
from redraft.check.options import CheckOptions
from redraft.check.timed_trace import TimedTrace
from redraft.check.user_rules import Scope, UserRulesStore
from redraft.edits.categories import RULES
from redraft.edits.chinese import NAMES as CHINESE_NAMES
from redraft.edits.edit import Edit, Kind
from redraft.json_text import to_json
from redraft.server.responses import RefusedError, json_response, log_failure, reply_response, reply_to_mapping
from redraft.server.schema import (
    ChangeReply,
    CheckReply,
    CheckRequest,
    DoneReply,
    ErrorReply,
    IgnoreKindRequest,
    IgnoreRequest,
    IgnoresReply,
    IgnoreWordRequest,
    InfoReply,
    KindReply,
    LimitsReply,
    ModelReply,
    ReplyBuilder,
    StatusReply,
    TraceReply,
    TraceRequest,
    WordRequest,
    WordsReply,
)
from redraft.server.service import Service, refusals
from redraft.text.chinese_characters import traditionalize
from redraft.text.markup import FORMATS
from redraft.text.span import Span

_T = TypeVar("_T")
_STREAM = "application/x-ndjson"
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorReply, "description": description}
    for status, description in (
        (400, "Invalid JSON or an unknown name"),
        (401, "API key missing or wrong"),
        (403, "Host name or origin not allowed"),
        (408, "Request sent too slowly"),
        (413, "Text or body too long"),
        (422, "Field missing, unknown or out of range"),
        (503, "Too many requests are waiting"),
        (504, "Response took too long"),
    )
}


def create_router(service: Service, parameters: int | None) -> APIRouter:
    router = APIRouter(prefix="/v1", responses=_ERRORS)
    streamed = {_STREAM: {"schema": {"type": "string"}}}

    @router.post("/check", responses={200: {"model": CheckReply, "content": streamed}})
    async def check(request: Request, body: CheckRequest) -> Response:
        """Check a text. With `Accept: application/x-ndjson`, the reply has a line per sentence, as it is checked."""
        language = service.language(body.language, body.text)
        if _STREAM in request.headers.get("accept", ""):
            return await _stream(service, request, body, body.options(language))
        start = time.perf_counter()
        checked = await service.check(request, body.text, body.options(language))
        builder = ReplyBuilder(checked.source, body.offsets)
        return reply_response(builder.reply(checked, language.long_code, _milliseconds_since(start), body.trace))

    @router.post("/correct", responses={200: {"model": CheckReply}})
    async def correct(request: Request, body: CheckRequest) -> Response:
        """Correct a text. Offsets of edits refer to the text before correction."""
        language = service.language(body.language, body.text)
        start = time.perf_counter()
        checked = await service.check(request, body.text, body.options(language))
        builder = ReplyBuilder(checked.source, body.offsets)
        return reply_response(
            builder.reply(checked, language.long_code, _milliseconds_since(start), body.trace, checked.text)
        )

    @router.post("/trace", responses={200: {"model": dict[str, TraceReply]}})
    async def trace(request: Request, body: TraceRequest) -> Response:
        """Decode a sentence with several draft policies and report every decoder call."""
        from redraft.decode.drafts import POLICIES, find_policy

        if not body.sentence.strip():
            raise RefusedError(422, "sentence: must not be empty")
        names = list(POLICIES) if body.policies is None else list(dict.fromkeys(body.policies))
        with refusals():
            for name in names:
                find_policy(name)
        traces = {name: _trace(await service.trace(request, body.sentence, name)) for name in names}
        return json_response({name: asdict(trace) for name, trace in traces.items()})

    @router.get("/info", responses={200: {"model": InfoReply}})
    async def info() -> Response:
        """Version, model, languages, formats, kinds of edits and limits."""
        return reply_response(_describe(service, parameters))

    @router.get("/words", responses={200: {"model": WordsReply}})
    async def words(scope: Scope | None = None) -> Response:
        """List the words of the user's dictionary, the project's, or both."""
        return reply_response(WordsReply(await _in_thread(lambda: service.user_rules.list_words(scope))))

    @router.post("/words", responses={200: {"model": ChangeReply}})
    async def add_word(body: WordRequest) -> Response:
        """Add a word to a dictionary."""
        return reply_response(ChangeReply(await _in_thread(lambda: service.user_rules.add_word(body.word, body.scope))))

    @router.delete("/words", responses={200: {"model": ChangeReply}})
    async def remove_word(
        word: Annotated[str, Query(min_length=1, max_length=100)], scope: Scope = Scope.USER
    ) -> Response:
        """Remove a word from a dictionary."""
        return reply_response(ChangeReply(await _in_thread(lambda: service.user_rules.remove_word(word, scope))))

    @router.get("/ignores", responses={200: {"model": IgnoresReply}})
    async def ignores(scope: Scope | None = None) -> Response:
        """List the ignores, as written in their files."""
        return reply_response(IgnoresReply(await _in_thread(lambda: service.user_rules.list_ignores(scope))))

    @router.post("/ignores", responses={200: {"model": ChangeReply}})
    async def ignore(body: IgnoreRequest) -> Response:
        """Ignore an edit in one sentence, all edits of a word, or all edits of a kind."""
        return reply_response(ChangeReply(await _in_thread(lambda: _ignore(service.user_rules, body))))

    @router.delete("/ignores", responses={200: {"model": ChangeReply}})
    async def remove_ignore(
        entry: Annotated[str, Query(min_length=1, max_length=LONGEST_ENTRY)], scope: Scope = Scope.USER
    ) -> Response:
        """Remove an ignore, given as `GET /v1/ignores` lists it."""
        return reply_response(ChangeReply(await _in_thread(lambda: service.user_rules.remove_ignore(entry, scope))))

    return router


def create_operations_router(service: Service) -> APIRouter:
    router = APIRouter()

    @router.get("/health", responses={200: {"model": StatusReply}})
    async def health() -> Response:
        """Whether the process is alive."""
        return reply_response(StatusReply("ok"))

    @router.get("/ready", responses={200: {"model": StatusReply}, 503: {"model": ErrorReply}})
    async def ready() -> Response:
        """Whether another request would be accepted."""
        if service.is_full:
            raise RefusedError(503, "too many requests are waiting", retry_after="1")
        return reply_response(StatusReply("ready"))

    @router.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> Response:
        """Metrics for Prometheus, without any text of users."""
        return service.metrics.response()

    return router


async def _stream(service: Service, request: Request, body: CheckRequest, options: CheckOptions) -> Response:
    start = time.perf_counter()
    builder = ReplyBuilder(body.text, body.offsets)
    sentences = service.check_stepwise(body.text, options)
    # Wait for the first sentence: a refusal after the response has begun could not set the status.
    first = await anext(sentences, None)

    async def lines() -> AsyncGenerator[str, None]:
        calls, error, sentence = 0, None, first
        try:
            while sentence is not None:
                calls += sentence.trace.total_calls
                yield f"{to_json(reply_to_mapping(builder.step(sentence, body.trace)))}\n"
                sentence = await anext(sentences, None)
        except RefusedError as refused:
            error = refused.message
        except Exception as failure:
            error = log_failure(failure, request.scope).message
        done = DoneReply(error is None, round(_milliseconds_since(start), 2), calls, error)
        yield f"{to_json(reply_to_mapping(done))}\n"

    return _SentenceStream(lines(), sentences)


class _SentenceStream(StreamingResponse):
    """A line for each sentence. However the stream ends, the check ends with it."""

    def __init__(self, lines: AsyncGenerator[str, None], sentences: AsyncGenerator[SentenceCheck, None]) -> None:
        super().__init__(lines, media_type=_STREAM, headers={"cache-control": "no-store"})
        self._generators = lines, sentences

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            for generator in self._generators:
                await generator.aclose()


def _describe(service: Service, parameters: int | None) -> InfoReply:
    from redraft.decode.drafts import POLICIES

    model, thresholds = service.corrector.info, service.corrector.thresholds
    return InfoReply(
        version=__version__,
        model=ModelReply(model.name, model.language, parameters),
        languages=[language.long_code for language in languages_of(*service.corrector.languages)],
        formats=list(FORMATS),
        kinds=[KindReply(kind, rule.name, _names_of(kind), rule.id) for kind, rule in RULES.items()],
        limits=LimitsReply(service.settings.max_text, service.settings.max_body),
        policies=list(POLICIES),
        threshold=thresholds[model.language],
        thresholds=thresholds,
    )


def _trace(timed: TimedTrace) -> TraceReply:
    """Blocks and counts are of the first pass; target and time include the passes that follow a change."""
    sentences = timed.trace.sentences
    blocks = [block for sentence in sentences for block in sentence.to_mapping()["blocks"]]
    return TraceReply(
        source=" ".join(sentence.source for sentence in sentences),
        target=" ".join(sentence.passes[-1].target for sentence in sentences),
        calls=sum(sentence.calls for sentence in sentences),
        tokens=sum(sentence.tokens for sentence in sentences),
        verified=sum(sentence.verified for sentence in sentences),
        milliseconds=round(timed.milliseconds, 2),
        blocks=blocks,
    )


def _ignore(user_rules: UserRulesStore, body: IgnoreRequest) -> bool:
    if isinstance(body, IgnoreKindRequest):
        return user_rules.ignore_kind(body.kind, body.scope)
    if isinstance(body, IgnoreWordRequest):
        return user_rules.ignore_word(body.word, body.scope)
    edit = Edit(Span(0, len(body.source)), body.source, body.replacement)
    return user_rules.ignore_once(edit, body.sentence, body.scope)


async def _in_thread(change: Callable[[], _T]) -> _T:
    """Files are read and written off the event loop, since another program may hold a lock on them."""
    with refusals():
        return await asyncio.to_thread(change)


def _milliseconds_since(start: float) -> float:
    return (time.perf_counter() - start) * 1000


def _names_of(kind: Kind) -> dict[str, str]:
    chinese = CHINESE_NAMES[kind]
    return {"en": RULES[kind].name, "zh": chinese, "zh-Hant": traditionalize(chinese)}
