from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event, get_native_id

import pytest
from scripted_workers import SharedEngine
from served import PAIRS, WRONG, GatedEngine, correct_as, gated, scripted_corrector, tokenizer

from redraft.check.corrector import Corrector, OtherModel
from redraft.check.options import CheckOptions
from redraft.check.requests import SentenceRequest
from redraft.check.solver import SentenceSolver
from redraft.check.stale import Stale, never
from redraft.model.folder import ModelInfo
from redraft.server.queue import DecodingQueue
from redraft.server.thread_priority import lower_priority


class Count:
    def __init__(self) -> None:
        self.turns: list[tuple[int, int]] = []

    def decoded(self, sentences: int, known: int) -> None:
        self.turns.append((sentences, known))


class Shared:
    """A corrector whose sentences go through a queue."""

    def __init__(self, corrector: Corrector, observer: Count | None = None) -> None:
        self.queue = DecodingQueue(corrector.solver, observer)
        self.corrector = corrector.with_solve(self.queue.solve)
        self.correct = self.corrector.correct

    @property
    def engine(self) -> GatedEngine:
        return gated(self.corrector)

    def solve(self, sentences: list[str], is_stale: Callable[[], bool] = never) -> None:
        self.queue.solve([SentenceRequest(self.corrector.solver, sentence, 0.0) for sentence in sentences], is_stale)

    def close(self) -> None:
        self.engine.gate.set()
        self.queue.close()


@pytest.fixture
def count() -> Count:
    return Count()


@pytest.fixture
def shared(count: Count) -> Iterator[Shared]:
    shared = Shared(scripted_corrector(), count)
    yield shared
    shared.close()


def test_it_corrects_as_a_corrector_does(shared: Shared) -> None:
    text = " ".join(PAIRS)
    assert shared.correct(text) == scripted_corrector().correct(text)
    assert shared.queue.solve([]) == {}


def test_sentences_of_several_callers_are_decoded_together(shared: Shared, count: Count) -> None:
    engine = shared.engine
    engine.gate.clear()
    with ThreadPoolExecutor(16) as threads:
        first = threads.submit(shared.correct, "This one comes first.")
        assert engine.asked.wait(30)
        others = [threads.submit(shared.correct, text) for text in PAIRS]
        while shared.queue.length < len(PAIRS):
            Event().wait(0.001)
        engine.gate.set()
        assert [other.result(30).text for other in others] == list(PAIRS.values())
        assert first.result(30).edits == ()
    assert engine.batches == [1, len(PAIRS), len(PAIRS)]  # the last time to see that the corrected ones stay
    assert count.turns == [(1, 0), (len(PAIRS), 0)]


def test_a_short_text_does_not_wait_for_a_long_one(count: Count) -> None:
    shared = Shared(scripted_corrector(batch_tokens=64), count)
    engine = shared.engine
    engine.gate.clear()
    try:
        with ThreadPoolExecutor(16) as threads:
            long = threads.submit(shared.solve, [f"This is sentence number {number}." for number in range(200)])
            assert engine.asked.wait(30)
            short = threads.submit(shared.solve, [WRONG])
            while shared.queue.length < 2:
                Event().wait(0.001)
            engine.gate.set()
            short.result(30)
            long.result(30)
    finally:
        shared.close()
    first, *_ = count.turns[0]
    assert first < 50
    # In the second turn: behind what the first had taken, before what came later of the long text.
    assert first <= engine.sources.index(tokenizer().encode(WRONG)) < 2 * first


def test_an_engine_with_workers_decodes_short_texts_beside_long_ones() -> None:
    """The workers hold back the sentences of the long text until the short one is done."""
    gate = Event()
    engine = SharedEngine(correct_as(PAIRS), 2, lambda number: gate.wait(30))
    solver = SentenceSolver(engine, tokenizer(), ModelInfo("en", "en"))
    queue = DecodingQueue(solver)
    try:
        with ThreadPoolExecutor(2) as threads:
            texts = [f"This is sentence number {number}." for number in range(40)]
            long = threads.submit(queue.solve, [SentenceRequest(solver, text, 0.0) for text in texts])
            while not sum(engine.batches):
                Event().wait(0.001)
            short = queue.solve([SentenceRequest(solver, WRONG, 0.0)])
            assert not long.done()
            gate.set()
            assert len(long.result(30)) == 40
    finally:
        gate.set()
        queue.close()
    (found,) = short.values()
    assert found.suggestions
    assert sum(engine.batches) >= 2


def test_a_text_of_which_most_is_known_counts_as_short() -> None:
    gate = Event()
    gate.set()
    engine = SharedEngine(correct_as(PAIRS), 2, lambda number: gate.wait(30))
    solver = SentenceSolver(engine, tokenizer(), ModelInfo("en", "en"))
    queue = DecodingQueue(solver)
    requests = [SentenceRequest(solver, f"This is sentence number {number}.", 0.0) for number in range(40)]
    try:
        queue.solve(requests)
        gate.clear()
        batches = sum(engine.batches)
        assert len(queue.solve([*requests, SentenceRequest(solver, WRONG, 0.0)])) == 41
        assert sum(engine.batches) == batches
    finally:
        gate.set()
        queue.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a priority for each thread")
def test_a_thread_with_low_priority_changes_no_other_one() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, get_native_id())

    def lower() -> list[int]:
        lower_priority()
        with ThreadPoolExecutor(1) as started:
            return [niceness(), started.submit(niceness).result()]

    before = niceness()
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(lower).result() == [min(19, before + 10)] * 2
    assert niceness() == before


def test_what_was_decoded_before_is_remembered(shared: Shared, count: Count) -> None:
    for _ in range(2):
        shared.correct(WRONG)
    assert count.turns == [(1, 0), (1, 1)]
    assert shared.engine.batches == [1, 1]  # once, and once more to see that the corrected sentence stays


def test_a_caller_that_went_away_gets_no_turn(shared: Shared) -> None:
    engine = shared.engine
    engine.gate.clear()
    gone = Event()
    with ThreadPoolExecutor(16) as threads:
        first = threads.submit(shared.solve, ["This one comes first."])
        assert engine.asked.wait(30)
        second = threads.submit(shared.solve, [WRONG], gone.is_set)
        while not shared.queue.length:
            Event().wait(0.001)
        gone.set()
        engine.gate.set()
        with pytest.raises(Stale):
            second.result(30)
        first.result(30)
    assert engine.batches == [1]


@pytest.fixture
def polyglot(count: Count) -> Iterator[Shared]:
    """English, with German and Russian beside it."""

    def open_model(language: str, pairs: dict[str, str]) -> SentenceSolver:
        return SentenceSolver(GatedEngine(correct_as(pairs)), tokenizer(), ModelInfo(language, language))

    corrections = {"de": {"Er gehen.": "Er geht.", WRONG: "Sie gehen zur Schule."}, "ru": {"Он идут.": "Он идёт."}}
    others = [OtherModel(name, partial(open_model, name, pairs)) for name, pairs in corrections.items()]
    shared = Shared(scripted_corrector(others), count)
    yield shared
    shared.close()


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
    polyglot: Shared, language: str | None, expected: str
) -> None:
    corrector = polyglot.corrector.with_options(CheckOptions(language=language))
    assert corrector.correct(f"{WRONG} Er gehen. Он идут. 12.").text == expected


def test_one_sentence_may_be_asked_in_two_languages_at_once(polyglot: Shared, count: Count) -> None:
    engine = polyglot.engine
    engine.gate.clear()
    with ThreadPoolExecutor(16) as threads:
        first = threads.submit(polyglot.correct, "This one comes first.")
        assert engine.asked.wait(30)
        asked = [
            threads.submit(polyglot.corrector.with_options(CheckOptions(language=name)).correct, WRONG)
            for name in (None, "en", "de")
        ]
        while polyglot.queue.length < len(asked):
            Event().wait(0.001)
        engine.gate.set()
        assert [one.result(30).text for one in asked] == [PAIRS[WRONG], PAIRS[WRONG], "Sie gehen zur Schule."]
        first.result(30)
    assert count.turns == [(1, 0), (2, 0)]  # English is decoded for both who asked for it
    polyglot.corrector.for_language("de").correct(WRONG)
    assert count.turns[-1] == (1, 1)


def test_a_companion_decodes_in_the_thread_of_the_engine(polyglot: Shared) -> None:
    engine = polyglot.engine
    engine.gate.clear()
    with ThreadPoolExecutor(16) as threads:
        first = threads.submit(polyglot.correct, "This one comes first.")
        assert engine.asked.wait(30)
        german = polyglot.corrector.others[0].solver.engine
        assert isinstance(german, GatedEngine)
        second = threads.submit(polyglot.corrector.for_language("de").correct, "Er gehen.")
        while not polyglot.queue.length:
            Event().wait(0.001)
        assert not german.asked.is_set()
        engine.gate.set()
        assert (first.result(30).edits, second.result(30).text) == ((), "Er geht.")
    assert german.asked.is_set()


def test_a_failing_engine_fails_those_who_asked_and_no_others(shared: Shared) -> None:
    engine = shared.engine
    engine.error = RuntimeError("out of memory")
    with pytest.raises(RuntimeError, match="out of memory"):
        shared.correct(" ".join(PAIRS))
    engine.error = None
    assert shared.correct(WRONG).text == PAIRS[WRONG]


def test_other_work_has_its_turn_in_the_same_thread(shared: Shared) -> None:
    from threading import current_thread

    assert shared.queue.run(lambda: current_thread().name) == "redraft-engine"
    with pytest.raises(ZeroDivisionError):
        shared.queue.run(lambda: 1 // 0)
    assert shared.correct(WRONG).text == PAIRS[WRONG]


def test_closing_finishes_what_was_asked_for_and_refuses_more() -> None:
    shared = Shared(scripted_corrector())
    engine = shared.engine
    engine.gate.clear()
    with ThreadPoolExecutor(16) as threads:
        asked = threads.submit(shared.correct, WRONG)
        assert engine.asked.wait(30)
        closing = threads.submit(shared.queue.close)
        while not shared.queue._closed:
            Event().wait(0.001)
        with pytest.raises(Stale):
            shared.solve([WRONG])
        engine.gate.set()
        closing.result(30)
        assert asked.result(30).text == PAIRS[WRONG]
