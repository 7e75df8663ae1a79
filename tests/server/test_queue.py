from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event

import pytest
from served import PAIRS, WRONG, GatedEngine, correct_as, gated, scripted_corrector, tokenizer

from redraft.check.corrector import Companion, Corrector, Stale
from redraft.model.folder import ModelInfo
from redraft.server.queue import OverloadedError, SharedCorrector, Workload


class Count:
    def __init__(self) -> None:
        self.turns: list[tuple[int, int]] = []

    def decoded(self, sentences: int, known: int) -> None:
        self.turns.append((sentences, known))


@pytest.fixture
def count() -> Count:
    return Count()


@pytest.fixture
def shared(count: Count) -> Iterator[SharedCorrector]:
    corrector = SharedCorrector(scripted_corrector(), count)
    yield corrector
    gated(corrector).gate.set()
    corrector.close()


def test_it_corrects_as_a_corrector_does(shared: SharedCorrector) -> None:
    text = " ".join(PAIRS)
    assert shared.correct(text) == scripted_corrector().correct(text)
    assert shared.solve([]) == {}


def test_sentences_of_several_callers_are_decoded_together(shared: SharedCorrector, count: Count) -> None:
    engine = gated(shared)
    engine.gate.clear()
    with ThreadPoolExecutor(16) as threads:
        first = threads.submit(shared.correct, "This one comes first.")
        assert engine.asked.wait(30)
        others = [threads.submit(shared.correct, text) for text in PAIRS]
        while len(shared._wanted) < len(PAIRS):
            Event().wait(0.001)
        engine.gate.set()
        assert [other.result(30).text for other in others] == list(PAIRS.values())
        assert first.result(30).edits == ()
    assert engine.batches == [1, len(PAIRS)]
    assert count.turns == [(1, 0), (len(PAIRS), 0)]


def test_a_short_text_does_not_wait_for_a_long_one(count: Count) -> None:
    corrector = SharedCorrector(scripted_corrector(batch_tokens=64), count)
    engine = gated(corrector)
    engine.gate.clear()
    try:
        with ThreadPoolExecutor(16) as threads:
            long = threads.submit(corrector.solve, [f"This is sentence number {number}." for number in range(200)])
            assert engine.asked.wait(30)
            short = threads.submit(corrector.solve, [WRONG])
            while len(corrector._wanted) < 2:
                Event().wait(0.001)
            engine.gate.set()
            short.result(30)
            long.result(30)
    finally:
        corrector.close()
    first, *_ = count.turns[0]
    assert first < 50
    # In the second turn: behind what the first had taken, before what came later of the long text.
    assert first <= engine.sources.index(tokenizer().encode(WRONG)) < 2 * first


def test_what_was_decoded_before_is_remembered(shared: SharedCorrector, count: Count) -> None:
    for _ in range(2):
        shared.correct(WRONG)
    assert count.turns == [(1, 0), (1, 1)]
    assert gated(shared).batches == [1]


def test_a_caller_that_went_away_gets_no_turn(shared: SharedCorrector) -> None:
    engine = gated(shared)
    engine.gate.clear()
    gone = Event()
    with ThreadPoolExecutor(16) as threads:
        first = threads.submit(shared.solve, ["This one comes first."])
        assert engine.asked.wait(30)
        second = threads.submit(shared.solve, [WRONG], gone.is_set)
        while not shared._wanted:
            Event().wait(0.001)
        gone.set()
        engine.gate.set()
        with pytest.raises(Stale):
            second.result(30)
        first.result(30)
    assert engine.batches == [1]


@pytest.fixture
def polyglot(count: Count) -> Iterator[SharedCorrector]:
    """English, with German and Russian beside it."""

    def open_model(language: str, pairs: dict[str, str]) -> Corrector:
        return Corrector(GatedEngine(correct_as(pairs)), tokenizer(), ModelInfo(language, language))

    mended = {"de": {"Er gehen.": "Er geht.", WRONG: "Sie gehen zur Schule."}, "ru": {"Он идут.": "Он идёт."}}
    companions = tuple(Companion(name, partial(open_model, name, pairs)) for name, pairs in mended.items())
    corrector = SharedCorrector(scripted_corrector(companions=companions), count)
    yield corrector
    gated(corrector).gate.set()
    corrector.close()


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (None, f"{PAIRS[WRONG]} Er gehen. Он идёт. 12."),
        ("en", f"{PAIRS[WRONG]} Er gehen. Он идут. 12."),
        ("de", "Sie gehen zur Schule. Er geht. Он идут. 12."),
        ("ru", f"{WRONG} Er gehen. Он идёт. 12."),
    ],
)
def test_a_language_that_is_named_is_the_only_one_corrected(
    polyglot: SharedCorrector, language: str | None, expected: str
) -> None:
    speaking = polyglot.speaking(language, None)
    assert speaking.correct(f"{WRONG} Er gehen. Он идут. 12.").text == expected


def test_one_sentence_may_be_asked_in_two_languages_at_once(polyglot: SharedCorrector, count: Count) -> None:
    engine = gated(polyglot)
    engine.gate.clear()
    with ThreadPoolExecutor(16) as threads:
        first = threads.submit(polyglot.correct, "This one comes first.")
        assert engine.asked.wait(30)
        asked = [threads.submit(polyglot.speaking(name, None).correct, WRONG) for name in (None, "en", "de")]
        while len(polyglot._wanted) < len(asked):
            Event().wait(0.001)
        engine.gate.set()
        assert [one.result(30).text for one in asked] == [PAIRS[WRONG], PAIRS[WRONG], "Sie gehen zur Schule."]
        first.result(30)
    assert count.turns == [(1, 0), (2, 0)]  # English is decoded for both who asked for it
    polyglot.speaking("de", None).correct(WRONG)
    assert count.turns[-1] == (1, 1)


def test_a_companion_decodes_in_the_thread_of_the_engine(polyglot: SharedCorrector) -> None:
    engine = gated(polyglot)
    engine.gate.clear()
    with ThreadPoolExecutor(16) as threads:
        first = threads.submit(polyglot.correct, "This one comes first.")
        assert engine.asked.wait(30)
        german = gated(polyglot.options.companions[0].corrector)
        second = threads.submit(polyglot.speaking("de", None).correct, "Er gehen.")
        while not polyglot._wanted:
            Event().wait(0.001)
        assert not german.asked.is_set()
        engine.gate.set()
        assert (first.result(30).edits, second.result(30).text) == ((), "Er geht.")
    assert german.asked.is_set()


def test_a_failing_engine_fails_those_who_asked_and_no_others(shared: SharedCorrector) -> None:
    engine = gated(shared)
    engine.error = RuntimeError("out of memory")
    with pytest.raises(RuntimeError, match="out of memory"):
        shared.correct(" ".join(PAIRS))
    engine.error = None
    assert shared.correct(WRONG).text == PAIRS[WRONG]


def test_other_work_has_its_turn_in_the_same_thread(shared: SharedCorrector) -> None:
    from threading import current_thread

    assert shared.run(lambda: current_thread().name) == "redraft-engine"
    with pytest.raises(ZeroDivisionError):
        shared.run(lambda: 1 // 0)
    assert shared.correct(WRONG).text == PAIRS[WRONG]


def test_closing_finishes_what_was_asked_for_and_refuses_more() -> None:
    shared = SharedCorrector(scripted_corrector())
    engine = gated(shared)
    engine.gate.clear()
    with ThreadPoolExecutor(16) as threads:
        asked = threads.submit(shared.correct, WRONG)
        assert engine.asked.wait(30)
        closing = threads.submit(shared.close)
        while not shared._closed:
            Event().wait(0.001)
        with pytest.raises(Stale):
            shared.solve([WRONG])
        engine.gate.set()
        closing.result(30)
        assert asked.result(30).text == PAIRS[WRONG]


def test_more_requests_than_the_limit_are_refused_at_once() -> None:
    async def ask() -> None:
        workload = Workload(limit=2)
        release = Event()

        def wait(is_stale: Callable[[], bool]) -> bool:
            return release.wait(30)

        waiting = [asyncio.create_task(workload.run(wait)) for _ in range(2)]
        await asyncio.sleep(0)
        assert workload.length == 2
        with pytest.raises(OverloadedError):
            await workload.run(lambda is_stale: None)
        with pytest.raises(OverloadedError):
            await anext(workload.stream(lambda is_stale: iter(())))
        release.set()
        assert await asyncio.gather(*waiting) == [True, True]
        assert workload.length == 0
        assert await workload.run(lambda is_stale: "room again") == "room again"
        workload.close()

    asyncio.run(ask())


def test_a_cancelled_request_learns_that_nobody_waits() -> None:
    async def ask() -> None:
        workload = Workload(limit=2)
        begun, learnt = Event(), Event()

        def work(is_stale: Callable[[], bool]) -> None:
            begun.set()
            while not is_stale():
                Event().wait(0.001)
            learnt.set()

        task = asyncio.create_task(workload.run(work))
        assert await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(learnt.wait, 30)
        assert workload.length == 0
        workload.close()

    asyncio.run(ask())


def test_a_stream_gives_each_item_when_it_is_there_and_stops_when_nobody_asks() -> None:
    async def ask() -> None:
        workload = Workload(limit=1)
        go_on, ended = Event(), Event()

        def work(is_stale: Callable[[], bool]) -> Iterator[int]:
            try:
                yield 1
                assert go_on.wait(30)
                yield 2
                while not is_stale():
                    Event().wait(0.001)
                raise Stale
            finally:
                ended.set()

        items = workload.stream(work)
        assert await anext(items) == 1
        go_on.set()
        assert await anext(items) == 2
        await items.aclose()
        assert await asyncio.to_thread(ended.wait, 30)
        assert workload.length == 0
        workload.close()

    asyncio.run(ask())


def test_a_stream_of_what_is_there_already_lets_others_have_their_turn() -> None:
    async def ask() -> list[int]:
        workload = Workload(limit=1)
        turns = 0

        async def take_turns() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        other = asyncio.create_task(take_turns())
        seen = [turns async for _ in workload.stream(lambda is_stale: iter(range(50)))]
        other.cancel()
        workload.close()
        return seen

    seen = asyncio.run(ask())
    assert len(set(seen)) == len(seen) == 50


def test_a_stream_that_fails_says_so() -> None:
    async def ask() -> None:
        workload = Workload(limit=1)

        def work(is_stale: Callable[[], bool]) -> Iterator[int]:
            yield 1
            raise ValueError("no more")

        items = workload.stream(work)
        assert await anext(items) == 1
        with pytest.raises(ValueError, match="no more"):
            await anext(items)
        assert workload.length == 0
        workload.close()

    asyncio.run(ask())
