"""The server: Redraft's own API, LanguageTool's, the web page, and what those who run a server want to know."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, FastAPI, Query
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse

from redraft import __version__
from redraft.check.corrector import Corrector
from redraft.check.languages import languages_of
from redraft.check.timed_trace import TimedTrace
from redraft.check.user_rules import Personal, Scope
from redraft.edits.categories import RULES
from redraft.edits.edit import Edit, apply
from redraft.json_text import to_json
from redraft.server import languagetool
from redraft.server.guard import Guard, RefusedError, json_response, report
from redraft.server.metrics import Meter
from redraft.server.schema import (
    ChangeReply,
    CheckReply,
    CheckRequest,
    Clerk,
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
    StatusReply,
    TraceReply,
    TraceRequest,
    WordRequest,
    WordsReply,
)
from redraft.server.service import Service, Wishes, refusals
from redraft.server.settings import ServerSettings
from redraft.text.markup import FORMATS
from redraft.text.span import Span

WEB = Path(__file__).parent.parent / "web"
_T = TypeVar("_T")
_STREAM = "application/x-ndjson"
_NO_JSON = "the body is no valid JSON"
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorReply, "description": description}
    for status, description in (
        (400, "Bad JSON, or a value that cannot be used"),
        (401, "The API key is missing or wrong"),
        (403, "A host or an origin that is not allowed"),
        (408, "The request came too slowly"),
        (413, "The text or the body is too long"),
        (422, "A field is missing, unknown or has a wrong value"),
        (503, "Too many requests are waiting"),
        (504, "The answer took too long"),
    )
}


def create_app(
    corrector: Corrector, personal: Personal, settings: ServerSettings, parameters: int | None = None
) -> FastAPI:
    """The whole server as an ASGI application. `parameters` is the size of the model, for those who ask."""
    service = Service(corrector, personal, settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(service.close)

    app = FastAPI(
        title="Redraft",
        version=__version__,
        summary="Corrects grammar, spelling and punctuation on this machine.",
        lifespan=lifespan,
        docs_url=None,  # the usual page of documentation loads its parts from the web
        redoc_url=None,
    )
    app.include_router(_native(service, parameters))
    app.include_router(_operations(service))
    app.include_router(languagetool.create_router(service))
    _serve_page(app)
    app.add_exception_handler(HTTPException, _refuse_http)
    app.add_exception_handler(RequestValidationError, _refuse_invalid)
    app.add_exception_handler(RefusedError, _refuse)
    if settings.origin:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origin,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["content-type", "x-api-key", "authorization"],
        )
    app.add_middleware(Guard, settings=settings)
    app.add_middleware(Meter, metrics=service.metrics)
    app.state.service = service
    return app


def _native(service: Service, parameters: int | None) -> APIRouter:
    router = APIRouter(prefix="/v1", responses=_ERRORS)
    streamed = {_STREAM: {"schema": {"type": "string"}}}

    @router.post("/check", responses={200: {"model": CheckReply, "content": streamed}})
    async def check(request: Request, body: CheckRequest) -> Response:
        """Finds what is to be mended. With `Accept: application/x-ndjson`, a line for each sentence as it is done."""
        language = service.language(body.language, body.text)
        if _STREAM in request.headers.get("accept", ""):
            return await _stream(service, request, body, body.wishes(language))
        start = time.perf_counter()
        checked = await service.check(request, body.text, body.wishes(language))
        clerk = Clerk(checked.text, body.offsets)
        return _reply(clerk.reply(checked, language.long_code, _since(start), body.trace))

    @router.post("/correct", responses={200: {"model": CheckReply}})
    async def correct(request: Request, body: CheckRequest) -> Response:
        """Mends a text, and says what was changed; offsets are those of the text as it was."""
        language = service.language(body.language, body.text)
        start = time.perf_counter()
        checked = await service.check(request, body.text, body.wishes(language))
        clerk = Clerk(checked.text, body.offsets)
        mended = apply(checked.text, (finding.edit for finding in checked.findings))
        return _reply(clerk.reply(checked, language.long_code, _since(start), body.trace, mended))

    @router.post("/trace", responses={200: {"model": dict[str, TraceReply]}})
    async def trace(request: Request, body: TraceRequest) -> Response:
        """Shows how a sentence is decoded, by one draft policy or several."""
        from redraft.decode.drafts import POLICIES, find_policy

        if not body.sentence.strip():
            raise RefusedError(422, "sentence: there is nothing to trace")
        names = list(POLICIES) if body.policies is None else list(dict.fromkeys(body.policies))
        with refusals():
            for name in names:
                find_policy(name)
        traces = {name: _trace(await service.trace(request, body.sentence, name)) for name in names}
        return json_response({name: asdict(trace) for name, trace in traces.items()})

    @router.get("/info", responses={200: {"model": InfoReply}})
    async def info() -> Response:
        """What the server is, what it can do, and how much it takes."""
        return _reply(_describe(service, parameters))

    @router.get("/words", responses={200: {"model": WordsReply}})
    async def words(scope: Scope | None = None) -> Response:
        """The personal dictionary: of the user, of the project, or of both."""
        return _reply(WordsReply(await _aside(lambda: service.personal.list_words(scope))))

    @router.post("/words", responses={200: {"model": ChangeReply}})
    async def add_word(body: WordRequest) -> Response:
        return _reply(ChangeReply(await _aside(lambda: service.personal.add_word(body.word, body.scope))))

    @router.delete("/words", responses={200: {"model": ChangeReply}})
    async def remove_word(
        word: Annotated[str, Query(min_length=1, max_length=100)], scope: Scope = Scope.USER
    ) -> Response:
        return _reply(ChangeReply(await _aside(lambda: service.personal.remove_word(word, scope))))

    @router.get("/ignores", responses={200: {"model": IgnoresReply}})
    async def ignores(scope: Scope | None = None) -> Response:
        """What is not shown, as it stands in the files."""
        return _reply(IgnoresReply(await _aside(lambda: service.personal.list_ignores(scope))))

    @router.post("/ignores", responses={200: {"model": ChangeReply}})
    async def ignore(body: IgnoreRequest) -> Response:
        """Does not show an edit any more: this one in this sentence, any of this word, or any of this kind."""
        return _reply(ChangeReply(await _aside(lambda: _ignore(service.personal, body))))

    @router.delete("/ignores", responses={200: {"model": ChangeReply}})
    async def remove_ignore(
        entry: Annotated[str, Query(min_length=1, max_length=1000)], scope: Scope = Scope.USER
    ) -> Response:
        return _reply(ChangeReply(await _aside(lambda: service.personal.remove_ignore(entry, scope))))

    return router


def _operations(service: Service) -> APIRouter:
    router = APIRouter()

    @router.get("/health", responses={200: {"model": StatusReply}})
    async def health() -> Response:
        """The process is alive."""
        return _reply(StatusReply("ok"))

    @router.get("/ready", responses={200: {"model": StatusReply}, 503: {"model": ErrorReply}})
    async def ready() -> Response:
        """There is room for another request."""
        if service.is_full:
            raise RefusedError(503, "too many requests are waiting", retry_after="1")
        return _reply(StatusReply("ready"))

    @router.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> Response:
        """Figures for Prometheus. No text is among them."""
        return service.metrics.response()

    return router


async def _stream(service: Service, request: Request, body: CheckRequest, wishes: Wishes) -> Response:
    start = time.perf_counter()
    clerk = Clerk(body.text, body.offsets)
    sentences = service.check_stepwise(body.text, wishes)
    # Whatever refuses the request does so before the first sentence, when there is still a status to say it with.
    first = await anext(sentences, None)

    async def lines() -> AsyncIterator[str]:
        calls, error, sentence = 0, None, first
        try:
            while sentence is not None:
                calls += sentence.trace.calls
                yield f"{to_json(_compact(asdict(clerk.step(sentence, body.trace))))}\n"
                sentence = await anext(sentences, None)
        except RefusedError as refused:
            error = refused.message
        except Exception as failure:
            error = report(failure, request.scope).message
        finally:
            await sentences.aclose()
        done = DoneReply(error is None, round(_since(start), 2), calls, error)
        yield f"{to_json(_compact(asdict(done)))}\n"

    return StreamingResponse(lines(), media_type=_STREAM, headers={"cache-control": "no-store"})


def _describe(service: Service, parameters: int | None) -> InfoReply:
    from redraft.decode.drafts import POLICIES

    model, options = service.corrector.info, service.corrector.options
    others = {other.language: other.threshold for other in options.companions}
    return InfoReply(
        version=__version__,
        model=ModelReply(model.name, model.language, parameters),
        languages=[language.long_code for language in languages_of(*service.corrector.languages)],
        formats=list(FORMATS),
        kinds=[KindReply(kind, rule.name, rule.id) for kind, rule in RULES.items()],
        limits=LimitsReply(service.settings.max_text, service.settings.max_body),
        policies=list(POLICIES),
        threshold=options.threshold,
        thresholds={model.language: options.threshold, **others},
    )


def _trace(timed: TimedTrace) -> TraceReply:
    sentences = timed.trace.sentences
    blocks = [block for sentence in sentences for block in sentence.to_mapping()["blocks"]]
    return TraceReply(
        source=" ".join(sentence.source for sentence in sentences),
        target=" ".join(sentence.target for sentence in sentences),
        calls=timed.trace.calls,
        tokens=sum(sentence.tokens for sentence in sentences),
        verified=timed.trace.verified,
        milliseconds=round(timed.milliseconds, 2),
        blocks=blocks,
    )


def _ignore(personal: Personal, body: IgnoreRequest) -> bool:
    if isinstance(body, IgnoreKindRequest):
        return personal.ignore_kind(body.kind, body.scope)
    if isinstance(body, IgnoreWordRequest):
        return personal.ignore_word(body.word, body.scope)
    edit = Edit(Span(0, len(body.source)), body.source, body.replacement)
    return personal.ignore_once(edit, body.sentence, body.scope)


async def _aside(change: Callable[[], _T]) -> _T:
    """Files are read and written off the event loop: another program may hold them."""
    with refusals():
        return await asyncio.to_thread(change)


def _serve_page(app: FastAPI) -> None:
    """A route for each file of the page: a folder mounted at / would answer for every wrong path."""
    files = {file.relative_to(WEB).as_posix(): file for file in sorted(WEB.rglob("*")) if file.is_file()}
    for name, file in files.items():
        path = "/" if name == "index.html" else f"/{name}"
        app.add_route(path, _hand_out(file), methods=["GET"], include_in_schema=False)
    if "index.html" not in files:
        missing = "This is Redraft. Its web page is not installed; its API is at /v1 and /v2.\n"
        app.add_route("/", lambda request: PlainTextResponse(missing), methods=["GET"], include_in_schema=False)


def _hand_out(file: Path) -> Callable[[Request], Response]:
    return lambda request: FileResponse(file, headers={"cache-control": "no-cache"})


def _reply(reply: Any) -> Response:
    return json_response(_compact(asdict(reply)))


def _compact(mapping: dict[str, Any]) -> dict[str, Any]:
    """Without what was not asked for."""
    return {name: value for name, value in mapping.items() if value is not None or name == "parameters"}


def _since(start: float) -> float:
    return (time.perf_counter() - start) * 1000


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    return error.response(request.url.path)


async def _refuse_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    messages = {400: _NO_JSON, 404: "there is nothing at this path", 405: "this method is not for this path"}
    refused = RefusedError(error.status_code, messages.get(error.status_code, str(error.detail)))
    response = refused.response(request.url.path)
    response.headers.update(error.headers or {})
    return response


async def _refuse_invalid(request: Request, error: Exception) -> Response:
    """One line that names the field; the values, a user's text among them, are not repeated."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return RefusedError(400, _NO_JSON).response(request.url.path)
    if first["loc"] == ("body",):  # another content type, or a list, a number
        message = "send a JSON object, with the header Content-Type: application/json"
        return RefusedError(422, message).response(request.url.path)
    place = ".".join(str(part) for part in first["loc"] if part not in ("body", "query"))
    message = first["msg"].removeprefix("Value error, ")
    return RefusedError(422, f"{place}: {message}" if place else message).response(request.url.path)
