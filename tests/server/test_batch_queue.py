from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Event

import pytest
from scripted import Choose, ScriptedStepper
from scripted_workers import SharedEngine
from served import PAIRS, WRONG, RankingStepper, correct_as, scripted_corrector, tokenizer

from redraft.check.interpreter import Solution
from redraft.check.requests import SentenceRequest
from redraft.check.solver import SentenceSolver
from redraft.check.stale import Stale, never
from redraft.model.folder import ModelInfo
from redraft.server.batch_queue import BatchQueue
from redraft.server.job import Job
from redraft.server.queue import DecodingQueue

RIGHT = "The soup smells good."
CORRECT = correct_as(PAIRS)


class GatedWorkers(SharedEngine):
    """An engine and its workers, which decode only while their gate is open."""

    def __init__(self, workers: int = 2, choose: Choose = CORRECT) -> None:
        super().__init__(choose, workers, self._enter)
        self.stepper = RankingStepper
        self.gate = Event()
        self.gate.set()
        self.begun: list[int | None] = []
        """The worker of each batch, None for the whole engine."""
        self.error: Exception | None = None

    def start(self, sources: Sequence[Sequence[int]]) -> ScriptedStepper:
        self._enter(None)
        return super().start(sources)

    def _enter(self, worker: int | None) -> None:
        self.begun.append(worker)
        assert self.gate.wait(30)
        if self.error:
            raise self.error


class Count:
    def __init__(self) -> None:
        self.decoded_sentences: list[tuple[int, int]] = []

    def decoded(self, sentences: int, known: int) -> None:
        self.decoded_sentences.append((sentences, known))


class Shared:
    """A queue, and threads that wait for its answers."""

    def __init__(self, workers: int = 2, choose: Choose = CORRECT) -> None:
        self.engine = GatedWorkers(workers, choose)
        self.solver = SentenceSolver(self.engine, tokenizer(), ModelInfo("en", "en"))
        self.count = Count()
        self.queue = BatchQueue(self.solver, self.count)
        self._threads = ThreadPoolExecutor(32)

    def request(self, sentence: str, threshold: float = 0.0) -> SentenceRequest:
        return SentenceRequest(self.solver, sentence, threshold)

    def solve(
        self, *requests: SentenceRequest, is_stale: Callable[[], bool] = never
    ) -> Future[dict[SentenceRequest, Solution]]:
        job = Job(requests, is_stale, {})
        self.queue.add(job)
        return self._threads.submit(job.wait)

    def hold(self) -> Future[dict[SentenceRequest, Solution]]:
        """Lets the engine begin with one sentence, which it cannot finish while the gate is closed."""
        self.engine.gate.clear()
        held = self.solve(self.request("This one comes first."))
        while not self.engine.begun:
            Event().wait(0.001)
        return held

    def close(self) -> None:
        self.engine.gate.set()
        self.queue.close()
        self._threads.shutdown()


@pytest.fixture
def shared() -> Iterator[Shared]:
    shared = Shared()
    yield shared
    shared.close()


def test_one_sentence_has_the_whole_engine(shared: Shared) -> None:
    request = shared.request(WRONG)
    assert shared.solve(request).result(30)[request].suggestions
    assert shared.engine.begun == [None, None]  # the second time to see that the corrected one stays
    assert shared.count.decoded_sentences == [(1, 0)]


def test_sentences_of_many_callers_are_shared_out_between_the_workers(shared: Shared) -> None:
    first = shared.hold()
    requests = [shared.request(f"This is sentence number {number}.") for number in range(10)]
    others = [shared.solve(request) for request in requests]
    assert shared.queue.length == 10
    assert shared.engine.begun == [None]  # no batch beside the whole engine
    shared.engine.gate.set()
    for request, other in zip(requests, others, strict=True):
        assert request in other.result(30)
    first.result(30)
    assert shared.engine.begun[1] in (0, 1)
    sizes = [sentences for sentences, _ in shared.count.decoded_sentences]
    assert (sum(sizes), max(sizes)) == (11, 5)


def test_all_sentences_get_the_answers_of_the_solver_alone(shared: Shared) -> None:
    held = shared.hold()
    requests = [shared.request(sentence) for sentence in (*PAIRS, RIGHT)]
    found = [shared.solve(request) for request in requests]
    shared.engine.gate.set()
    held.result(30)
    alone = scripted_corrector().solver.solve([request.sentence for request in requests], 0.0)
    for request, one in zip(requests, found, strict=True):
        assert one.result(30)[request].suggestions == alone[request.sentence].suggestions


def test_a_sentence_does_not_wait_for_the_second_pass_of_another() -> None:
    corrected, go_on = tokenizer().encode(PAIRS[WRONG]), Event()

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        if list(source) == corrected:
            assert go_on.wait(30)
        return CORRECT(source, target)

    shared = Shared(workers=3, choose=choose)
    try:
        held = shared.hold()
        waiting, done = shared.solve(shared.request(WRONG)), shared.solve(shared.request(RIGHT))
        shared.engine.gate.set()
        held.result(30)
        done.result(30)
        assert shared.count.decoded_sentences == [(1, 0), (2, 0)]
        assert not waiting.done()
        go_on.set()
        waiting.result(30)
    finally:
        go_on.set()
        shared.close()


def test_a_sentence_of_two_callers_is_decoded_once(shared: Shared) -> None:
    held = shared.hold()
    request = shared.request(RIGHT)
    found = [shared.solve(request) for _ in range(3)]
    assert shared.queue.length == 1
    shared.engine.gate.set()
    assert [request in one.result(30) for one in found] == [True] * 3
    held.result(30)
    assert shared.count.decoded_sentences == [(1, 0), (1, 0)]


def test_a_batch_has_one_threshold(shared: Shared) -> None:
    held = shared.hold()
    requests = [shared.request(f"Number {number}.", number % 2 / 2) for number in range(8)]
    found = [shared.solve(request) for request in requests]
    shared.engine.gate.set()
    for request, one in zip(requests, found, strict=True):
        assert list(one.result(30)) == [request]
    held.result(30)
    assert max(sentences for sentences, _ in shared.count.decoded_sentences) <= 4
    assert sum(sentences for sentences, _ in shared.count.decoded_sentences) == 9
    assert all(shared.solver.is_cached(request.sentence, request.threshold) for request in requests)


def test_a_caller_that_went_away_gets_no_answer_and_others_do(shared: Shared) -> None:
    held = shared.hold()
    gone = Event()
    left, both = shared.request("Nobody waits for this."), shared.request(RIGHT)
    leaving = [shared.solve(left, is_stale=gone.is_set), shared.solve(both, is_stale=gone.is_set)]
    staying = shared.solve(both)
    gone.set()
    shared.engine.gate.set()
    for one in leaving:
        with pytest.raises(Stale):
            one.result(30)
    assert both in staying.result(30)
    held.result(30)
    assert not shared.solver.is_cached(*left[1:])


def test_a_failing_batch_fails_those_who_asked_and_no_others(shared: Shared) -> None:
    shared.engine.error = RuntimeError("out of memory")
    request = shared.request(WRONG)
    with pytest.raises(RuntimeError, match="out of memory"):
        shared.solve(request).result(30)
    shared.engine.error = None
    assert shared.solve(request).result(30)[request].suggestions


def test_a_task_has_the_whole_engine_or_a_worker(shared: Shared) -> None:
    given: list[int | None] = []
    done = Event()

    def task(worker: int | None) -> None:
        given.append(worker)
        done.set()

    shared.queue.run(task)
    assert done.wait(30)
    done.clear()
    held = shared.hold()
    waiting = [shared.solve(shared.request(f"Number {number}.")) for number in range(2)]
    shared.queue.run(task)
    assert not done.wait(0.05)
    shared.engine.gate.set()
    assert done.wait(30)
    for one in (held, *waiting):
        one.result(30)
    assert given[0] is None
    assert given[1] in (0, 1)


def test_suggestions_are_reworded_on_an_engine_with_workers() -> None:
    engine = GatedWorkers()
    solver = SentenceSolver(engine, tokenizer(), ModelInfo("en", "en"))
    queue = DecodingQueue(solver)
    try:
        request = SentenceRequest(solver, WRONG, 0.0)
        solution = queue.solve([request])[request]
        reworded = queue.run_task(lambda worker: request.solver.reword(WRONG, 0.0, solution, worker))
    finally:
        queue.close()
    assert [[one.replacement for one in others] for others in reworded] == [["is"], []]
    for worker in range(2):
        alone = SentenceSolver(engine, tokenizer(), ModelInfo("en", "en"))
        assert alone.reword(WRONG, 0.0, solution, worker) == reworded
        assert engine.begun[-1] == worker


def _set(event: Event, worker: object) -> None:
    event.set()


@pytest.mark.parametrize("workers", [2, 5])
def test_many_callers_all_get_their_own_answers(workers: int) -> None:
    """Sentences of one or two passes, shared ones, thresholds, callers that leave, and tasks, in any order."""
    shared = Shared(workers)
    alone = scripted_corrector().solver.solve([*PAIRS, RIGHT], 0.0)

    def call(seed: int) -> None:
        choose = random.Random(seed)
        for _ in range(40):
            if choose.random() < 0.1:
                done = Event()
                shared.queue.run(partial(_set, done))
                assert done.wait(30)
            threshold = choose.choice((0.0, 0.5))
            sentences = choose.sample(list(alone), choose.randint(1, 4))
            requests = [shared.request(sentence, threshold) for sentence in sentences]
            leaves = choose.random() < 0.1
            answer = shared.solve(*requests, is_stale=partial(bool, leaves))
            try:
                found = answer.result(30)
            except Stale:
                assert leaves
                continue
            assert {one.sentence: solution.suggestions for one, solution in found.items()} == {
                sentence: alone[sentence].suggestions for sentence in sentences
            }

    with ThreadPoolExecutor(8) as callers:
        for calling in [callers.submit(call, seed) for seed in range(8)]:
            calling.result(60)
    shared.close()
    assert shared.queue.length == 0
    assert not shared.queue._sentences
    assert shared.queue._tokens == shared.queue._running == 0


def test_closing_finishes_what_was_asked_for_and_refuses_more() -> None:
    shared = Shared()
    held = shared.hold()
    request = shared.request(WRONG)
    waiting = shared.solve(request)
    with ThreadPoolExecutor(1) as threads:
        closing = threads.submit(shared.queue.close)
        while not shared.queue._closed:
            Event().wait(0.001)
        with pytest.raises(Stale):
            shared.solve(shared.request(RIGHT))
        with pytest.raises(Stale):
            shared.queue.run(lambda worker: None)
        shared.engine.gate.set()
        closing.result(30)
    held.result(30)
    assert waiting.result(30)[request].suggestions
    shared.close()
