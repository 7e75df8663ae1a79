"""Sentences of a text in several threads: the same results in the same order, and errors that end all of them."""

from __future__ import annotations

import re
import threading
from collections.abc import Generator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewriting import TOKENIZER, chooser
from scripted import ScriptedEngine
from scripted_workers import SharedEngine

from redraft.check.corrector import Corrector
from redraft.check.interpreter import Interpreter
from redraft.check.passes import Passes, PassQueue
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.check.stale import Stale
from redraft.decode.stepper import Engine
from redraft.model.folder import ModelInfo

WORDS = ["bad", "worse", "cat", "the", "sat", "I", "on", "one"]
INFO = ModelInfo("scripted", "en")
sentences = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join), max_size=6)


def rewrite(sentence: str) -> str:
    """Two passes for a sentence with "worse", which becomes "bad", and then "right"."""
    changed = re.sub(r"\bworse\b", "bad", sentence)
    return changed if changed != sentence else re.sub(r"\bbad\b", "right", sentence)


choose = chooser(rewrite)


def corrector_on(engine: Engine, batch_tokens: int = 8) -> Corrector:
    options = SolverOptions(batch_tokens=batch_tokens, cached_sentences=0)
    return Corrector(SentenceSolver(engine, TOKENIZER, INFO, options))


@settings(max_examples=8, deadline=None)
@given(texts=st.lists(sentences.map(". ".join), max_size=6), workers=st.integers(1, 4), window=st.integers(1, 6))
def test_threads_change_neither_the_results_nor_their_order(texts, workers, window):
    alone = corrector_on(ScriptedEngine(choose, 300))
    together = corrector_on(SharedEngine(choose, workers))
    assert list(together.pipe(texts, window=window)) == [alone.correct(text) for text in texts]


def test_all_workers_decode_at_the_same_time():
    everyone = threading.Barrier(3, timeout=10)
    # The first batch of each worker waits for those of the others.
    first: set[int] = set()

    def wait(number: int) -> None:
        if number not in first:
            first.add(number)
            everyone.wait()

    corrector = corrector_on(SharedEngine(choose, 3, wait))
    found = corrector.solver.solve([f"the {'bad ' * number}cat" for number in range(20)], 0.0)
    assert len(found) == 20 and first == {0, 1, 2}


def test_a_short_text_uses_all_threads_of_the_engine_at_once():
    engine = SharedEngine(choose, 2)
    assert corrector_on(engine, batch_tokens=128).correct("I sat on the bad cat.").text == "I sat on the right cat."
    assert engine.batches == [0, 0]


@pytest.mark.parametrize("failing", [0, 1])
def test_an_error_in_one_thread_ends_all_and_is_raised(failing):
    def fail(number: int) -> None:
        if number == failing:
            raise MemoryError("no memory")

    corrector = corrector_on(SharedEngine(choose, 2, fail))
    before = threading.active_count()
    with pytest.raises(MemoryError, match="no memory"):
        list(corrector.pipe([f"the bad cat {'sat ' * number}" for number in range(40)]))
    assert threading.active_count() == before


def test_a_caller_who_leaves_ends_the_threads():
    engine = SharedEngine(choose, 2)
    corrector = corrector_on(engine)
    before = threading.active_count()
    texts = [f"the {'bad ' * number}cat" for number in range(40)]
    with pytest.raises(Stale):
        corrector.solver.solve(texts, 0.0, lambda: sum(engine.batches) > 3)
    assert sum(engine.batches) <= 5
    results = corrector.pipe((f"I see a bad cat {number}" for number in range(1000)), window=8)
    assert next(results).text == "I see a right cat 0"
    assert isinstance(results, Generator)
    results.close()
    assert threading.active_count() == before


def test_half_a_window_is_solved_ahead_and_no_more_is_read():
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield "I see a bad cat"

    results = corrector_on(SharedEngine(choose, 2)).pipe(endless(), window=6)
    assert next(results).text == "I see a right cat"
    assert len(taken) == 6


def queue_of(sizes: Sequence[int], batch_tokens: int, threads: int) -> PassQueue:
    interpreter = Interpreter(TOKENIZER, INFO)
    waiting = []
    for size in sizes:
        passes = Passes(interpreter.read(f"a cat {size}"))
        passes.ids = [5] * (size - 1)
        waiting.append(passes)
    return PassQueue(waiting, batch_tokens, threads)


def test_a_queue_gives_long_sentences_first_and_smaller_batches_near_the_end():
    queue = queue_of([10] * 100 + [50, 40], batch_tokens=64, threads=2)
    sizes = []
    while batch := queue.take():
        sizes.append([passes.size for passes in batch])
        queue.put_back([], len(batch))
    assert sizes[0] == [50, 40, *[10] * 4]  # a quarter of what each thread has to do, at most 4 · 64 tokens
    totals = [sum(batch) for batch in sizes]
    assert totals == sorted(totals, reverse=True) and sum(totals) == 1090
    assert all(total <= 64 for total in totals[-10:]) and totals[-1] < 30


def test_a_sentence_that_changed_is_taken_again():
    queue = queue_of([5, 6], batch_tokens=64, threads=1)
    batch = queue.take()
    queue.put_back(batch[:1], 1)
    again = queue.take()
    assert again == batch[:1]
    queue.put_back([], 1)
    assert queue.take() == []
