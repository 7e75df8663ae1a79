"""A server with a scripted model, in this process or on a real port of this machine."""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from threading import Event, Thread
from typing import Any, TypeVar

import httpx
from fastapi import FastAPI
from scripted import EOS, Choose, ScriptedEngine, ScriptedStepper, always_agrees

from redraft.check.corrector import Corrector, OtherModel
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.check.user_rules import UserRulesStore
from redraft.decode.stepper import Feed, Ranking
from redraft.model.folder import ModelInfo
from redraft.server.app import create_app
from redraft.server.http_server import HttpServer
from redraft.server.settings import ServerSettings
from redraft.tokens.tokenizer import Tokenizer

FACE, BOLD = "\U0001f600", "\U0001d41b\U0001d41a\U0001d41d"
"""Characters of two UTF-16 units each: an emoji, and a word in mathematical bold letters."""
PAIRS = {
    "She go to school every days.": "She goes to school every day.",
    "She goes to school every days.": "She goes to school every day.",
    "She go to school every day.": "She goes to school every day.",
    "He is teacher in our town.": "He is a teacher in our town.",
    "My freind likes tea.": "My friend likes tea.",
    "I am agree with you.": "I agree with you.",
    "We goes home.": "We go home.",
    f"I saw a {BOLD} cat.": "I saw a bad cat.",
    "I greet the world": "I greet the world!",
}
"""Sentences and their corrections by the scripted model, also when half corrected; it copies all others."""
COLOUR = "I like this colour."
WRONG = "She go to school every days."
_T = TypeVar("_T")
Talk = Callable[[httpx.AsyncClient], Awaitable[_T]]


@cache
def tokenizer() -> Tokenizer:
    return Tokenizer.train_bytes([text for pair in PAIRS.items() for text in pair], size=330)


def correct_as(pairs: dict[str, str]) -> Choose:
    targets = {tuple(tokenizer().encode(source)): tokenizer().encode(target) for source, target in pairs.items()}

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        wanted = targets.get(tuple(source))
        if wanted is None or list(target) != wanted[: len(target)]:
            return always_agrees(source, target)
        return wanted[len(target)] if len(target) < len(wanted) else EOS

    return choose


OTHER = ("goes", "is")
"""Where the scripted model writes the first, the second is its next choice."""


class RankingStepper(ScriptedStepper):
    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        own, other = (tokenizer().encode(word)[0] for word in OTHER)
        return [
            Ranking([token, other], [math.log(0.7), math.log(0.3)]) if token == own else Ranking([token], [0.0])
            for token in (predicted.ids[-1] for predicted in self.extend(feeds))
        ]


class GatedEngine(ScriptedEngine):
    """An engine that decodes only while its gate is open, and records what it is asked to decode."""

    def __init__(self, choose: Choose) -> None:
        super().__init__(choose, max_tokens=256, stepper=RankingStepper)
        self.gate = Event()
        self.gate.set()
        self.asked = Event()
        self.batches: list[int] = []
        self.sources: list[list[int]] = []
        """All sources decoded, in order."""
        self.error: Exception | None = None

    def start(self, sources: Sequence[Sequence[int]]) -> ScriptedStepper:
        self.batches.append(len(sources))
        self.sources += map(list, sources)
        self.asked.set()
        assert self.gate.wait(timeout=60)
        if self.error:
            raise self.error
        return super().start(sources)


def scripted_corrector(others: Sequence[OtherModel] = (), batch_tokens: int = 128, **options: Any) -> Corrector:
    engine = GatedEngine(correct_as({**PAIRS, COLOUR: "I like this color."}))
    info, solver_options = ModelInfo("scripted", "en"), SolverOptions(batch_tokens=batch_tokens)
    return Corrector(SentenceSolver(engine, tokenizer(), info, solver_options), others, **options)


def gated(corrector: Corrector) -> GatedEngine:
    assert isinstance(corrector.engine, GatedEngine)
    return corrector.engine


def make_app(home: Path, corrector: Corrector | None = None, **settings: Any) -> FastAPI:
    return create_app(corrector or scripted_corrector(), UserRulesStore(home), ServerSettings(**settings), parameters=7)


@asynccontextmanager
async def client_of(app: FastAPI, **options: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client without a network. Leaving the block shuts the application down."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    options = {"base_url": "http://localhost:8081", **options}
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, **options) as client:
        yield client


def converse(home: Path, talk: Talk[_T], corrector: Corrector | None = None, **settings: Any) -> _T:
    """Lets a client talk to a new server, and returns what `talk` does."""

    async def whole() -> _T:
        async with client_of(make_app(home, corrector, **settings)) as client:
            return await talk(client)

    return asyncio.run(whole())


@contextmanager
def live(app: FastAPI, port: int = 0, send_buffer: int | None = None) -> Iterator[int]:
    """Serves on a port of this machine while the block runs; a free one unless it is given.

    `send_buffer` is the size of the system's buffers for what clients have not read yet.
    """
    listening = socket.create_server(("127.0.0.1", port))
    if send_buffer:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    server = HttpServer(app, app.state.service.settings)
    thread = Thread(target=lambda: asyncio.run(server.serve([listening])), daemon=True)
    thread.start()
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=30) as client:
            assert client.get("/health").is_success
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        listening.close()
