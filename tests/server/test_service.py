from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from served import COLOUR, PAIRS, WRONG, gated, scripted_corrector
from starlette.requests import Request
from starlette.types import Message

from redraft.check.options import CheckOptions
from redraft.check.user_rules import UserRulesStore
from redraft.edits.edit import Kind
from redraft.server.responses import ClientGoneError, RefusedError
from redraft.server.service import Service
from redraft.server.settings import ServerSettings
from redraft.text.dialects import Dialect
from redraft.text.markup import Part, join

_T = TypeVar("_T")


class Client:
    """A client that stays until it leaves."""

    def __init__(self) -> None:
        self._left = asyncio.Event()
        self.request = Request({"type": "http", "headers": []}, self._receive)

    def leave(self) -> None:
        self._left.set()

    async def _receive(self) -> Message:
        await self._left.wait()
        return {"type": "http.disconnect"}


def serve(home: Path, talk: Callable[[Service, Client], Awaitable[_T]], **settings: float) -> _T:
    async def whole() -> _T:
        service = Service(scripted_corrector(), UserRulesStore(home), ServerSettings(**settings))  # type: ignore[arg-type]
        try:
            return await talk(service, Client())
        finally:
            gated(service.corrector).gate.set()
            await asyncio.to_thread(service.close)

    return asyncio.run(whole())


def test_a_text_is_checked_with_the_options_of_the_request(tmp_path: Path) -> None:
    async def talk(service: Service, client: Client) -> None:
        checked = await service.check(client.request, WRONG, CheckOptions(kinds=frozenset({Kind.AGREEMENT})))
        assert [finding.edit.replacement for finding in checked.findings] == ["goes"]
        trace = checked.sentences[0].trace
        assert checked.calls == trace.calls + sum(repeat.calls for repeat in trace.repeats) > trace.calls > 0
        marked = join([Part("<p>", ""), Part(WRONG), Part("</p>", "")])
        found = (await service.check(client.request, marked, CheckOptions())).findings
        assert [finding.edit.span.start for finding in found] == [7, 26]

    serve(tmp_path, talk)


def test_a_dialect_prefers_its_spellings(tmp_path: Path) -> None:
    async def talk(service: Service, client: Client) -> list[int]:
        return [
            len((await service.check(client.request, COLOUR, CheckOptions(dialect=dialect))).findings)
            for dialect in (None, Dialect.AMERICAN, Dialect.BRITISH)
        ]

    assert serve(tmp_path, talk) == [0, 1, 0]


def test_a_client_that_leaves_ends_the_work(tmp_path: Path) -> None:
    async def talk(service: Service, client: Client) -> None:
        gated(service.corrector).gate.clear()
        checking = asyncio.create_task(service.check(client.request, WRONG, CheckOptions()))
        assert await asyncio.to_thread(gated(service.corrector).asked.wait, 30)
        assert not service.is_idle
        client.leave()
        with pytest.raises(ClientGoneError):
            await checking
        assert service.is_idle

    serve(tmp_path, talk)


def test_time_and_room_have_limits(tmp_path: Path) -> None:
    async def talk(service: Service, client: Client) -> None:
        gated(service.corrector).gate.clear()
        with pytest.raises(RefusedError) as slow:
            await service.check(client.request, WRONG, CheckOptions())
        assert slow.value.status == 504
        with pytest.raises(RefusedError) as long:
            await service.check(client.request, "x" * 101, CheckOptions())
        assert (long.value.status, str(long.value)) == (413, "the text has 101 characters; the server takes up to 100")
        with pytest.raises(RefusedError) as steps:
            await anext(service.check_stepwise(WRONG, CheckOptions()))
        assert steps.value.status == 504
        assert service.is_idle

    serve(tmp_path, talk, request_seconds=0.02, max_text=100)


def test_wrong_options_are_reported(tmp_path: Path) -> None:
    async def talk(service: Service, client: Client) -> None:
        with pytest.raises(RefusedError, match="no format is called 'docx'") as refused:
            await service.check(client.request, WRONG, CheckOptions(format="docx"))
        assert refused.value.status == 400
        with pytest.raises(RefusedError, match="'de' is not a language of this server"):
            service.language("de")

    serve(tmp_path, talk)


def test_a_trace_leaves_nothing_behind(tmp_path: Path) -> None:
    async def talk(service: Service, client: Client) -> None:
        for policy in ("none", "refine"):
            timed = await service.trace(client.request, WRONG, policy)
            assert timed.trace.sentences[0].policy == policy
            assert timed.trace.sentences[0].target == PAIRS[WRONG]
            assert timed.milliseconds > 0
        assert not service.corrector.solver._solutions

    serve(tmp_path, talk)


def test_a_closed_service_refuses(tmp_path: Path) -> None:
    async def talk(service: Service, client: Client) -> None:
        service._queue.close()
        with pytest.raises(RefusedError, match="being stopped") as refused:
            await service.check(client.request, WRONG, CheckOptions())
        assert refused.value.status == 503

    serve(tmp_path, talk)
