"""Many texts on an engine that decodes in bulk: the same corrections, in the same order, as by batches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewriting import TOKENIZER, chooser
from scripted import Choose, Probability, ScriptedEngine, certain
from scripted_bulk import SinglePrecisionStepper, scripted_decoder
from threads import one_thread
from tiny import PAIRS

from redraft.check import solver as solver_module
from redraft.check.corrector import Correction, Corrector, OtherModel
from redraft.check.options import CheckOptions
from redraft.check.requests import solve_requests
from redraft.check.session import CheckSession, Text
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.check.stale import Stale
from redraft.check.unchecked import UncheckedReason
from redraft.decode.bulk import BulkDecode
from redraft.decode.loop import Decoded, DecodeOptions, SourceBatch, decode_sources
from redraft.decode.vocabulary import Vocabulary
from redraft.engines.cuda.bulk.decoder import BulkOptions
from redraft.engines.cuda.engine import CudaEngine
from redraft.engines.torch import TorchEngine
from redraft.model.catalogue import locate
from redraft.model.folder import ModelFolder, ModelInfo
from redraft.tokens.tokenizer import Tokenizer

INFO = ModelInfo("scripted", "en", threshold=0.8)
WORDS = ["bad", "worse", "cat", "the", "sat", "I", "on", "one", "gone", "😀", "www.a.com/bad"]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)


def rewrite(sentence: str) -> str:
    """Two passes for a sentence with "worse", which becomes "bad", and then "right"; "gone" is deleted."""
    changed = re.sub(r"\bworse\b", "bad", sentence)
    changed = re.sub(r" \bgone\b", "", changed)
    return changed if changed != sentence else re.sub(r"\bbad\b", "right", sentence)


def varied(source: Sequence[int], target: Sequence[int]) -> float:
    """A probability for each place, on either side of the threshold and of what the kinds of edits need."""
    return 0.75 + 0.25 * ((7 * len(source) + 5 * len(target) + sum(target[-2:])) % 16) / 15


class BulkScript(ScriptedEngine):
    """A scripted model with batches and with bulk decoding on the CPU."""

    def __init__(self, choose: Choose, probability: Probability = certain, max_tokens: int = 120) -> None:
        super().__init__(choose, max_tokens, SinglePrecisionStepper, probability)
        self.bulk: list[int] = []
        """Sentences of each call of bulk decoding."""
        self.opened = 0

    def open_bulk(self, vocabulary: Vocabulary) -> BulkDecode | None:
        self.opened += 1
        options = BulkOptions(rows=4, tokens=60, encoder_tokens=self.max_tokens + 1)
        decoder = scripted_decoder(self.choose, self.probability, options, vocabulary, self.max_tokens)

        def decode(batch: SourceBatch) -> list[Decoded]:
            self.bulk.append(len(batch.sources))
            return decoder.decode_sources(batch)

        return decode


def corrector_on(engine: ScriptedEngine, batch_tokens: int = 8, **options: Any) -> Corrector:
    solver_options = SolverOptions(batch_tokens=batch_tokens, cached_sentences=0, **options)
    return Corrector(SentenceSolver(engine, TOKENIZER, INFO, solver_options))


def by_batches(corrector: Corrector) -> Corrector:
    """The same corrector without bulk decoding."""
    return corrector.with_solve(lambda requests, is_stale: solve_requests(requests, is_stale))


def content(results: Sequence[Correction]) -> list[object]:
    """All but the traces: bulk decoding has drafts of its own and records no calls."""
    return [
        (one.source, one.text, one.edits, one.sentences, one.unchecked, [trace.tokens for trace in one.trace.sentences])
        for one in results
    ]


def count_passes(results: Sequence[Correction]) -> int:
    """The largest number of decodings of a sentence."""
    return max(len(trace.passes) for one in results for trace in one.trace.sentences)


@settings(max_examples=15, deadline=None)
@given(
    texts=st.lists(st.lists(sentences, max_size=4).map(". ".join), max_size=6),
    threshold=st.sampled_from([None, 0.0, 0.5, 0.95]),
    window=st.integers(1, 6),
    batch_tokens=st.integers(1, 60),
)
def test_bulk_decoding_changes_neither_the_results_nor_their_order(texts, threshold, window, batch_tokens):
    corrector = corrector_on(BulkScript(chooser(rewrite), varied), batch_tokens)
    corrector = corrector.with_options(CheckOptions(threshold=threshold))
    expected = [by_batches(corrector).correct(text) for text in texts]
    assert content(list(corrector.pipe(texts, window=window))) == content(expected)


def test_sentences_are_decoded_again_without_edits_and_until_they_stay_the_same():
    engine = BulkScript(chooser(rewrite), varied)
    corrector = corrector_on(engine)
    texts = [f"I sat on the worse cat {'one ' * (number % 7)}gone the bad" for number in range(30)]
    results = list(corrector.pipe(texts))
    expected = list(by_batches(corrector).pipe(texts))
    assert content(results) == content(expected)
    assert [len(one.passes) for result in results for one in result.trace.sentences] == [
        len(one.passes) for result in expected for one in result.trace.sentences
    ]
    assert count_passes(results) > 3 and len(set(engine.bulk)) > 1
    assert any(edit.confidence < 1 for result in results for edit in result.edits)


def test_words_of_the_dictionary_and_protected_spans_are_left_alone():
    corrector = corrector_on(BulkScript(chooser(rewrite)))
    texts = [f"the bad cat {number} is at www.a.com/bad worse" for number in range(5)]
    dictionary = {"worse"}
    results = list(corrector.pipe(texts, dictionary))
    assert content(results) == content(list(by_batches(corrector).pipe(texts, dictionary)))
    assert results[3].text == "the right cat 3 is at www.a.com/bad worse"


def test_empty_texts_and_long_sentences_come_back_in_their_places():
    engine = BulkScript(chooser(rewrite), max_tokens=30)
    texts = [
        "",
        "the bad cat",
        "\n\n",
        "the bad cat sat, " * 40 + "and that was bad",
        " ",
        "x" * 2000,
        "the cat",
        "worse",
    ]
    corrector = corrector_on(engine)
    results = list(corrector.pipe(texts))
    assert [one.source for one in results] == texts
    assert results[3].text == texts[3].replace("bad", "right")
    assert content(results) == content([by_batches(corrector).correct(text) for text in texts])
    assert engine.bulk


def test_a_sentence_whose_correction_does_not_end_is_reported_as_unchecked():
    corrector = corrector_on(BulkScript(chooser(lambda sentence: f"{sentence} and on" * 20)))
    texts = [f"the cat {number} sat" for number in range(5)]
    results = list(corrector.pipe(texts))
    assert [one.text for one in results] == texts
    assert {found.reason for one in results for found in one.unchecked} == {UncheckedReason.NO_RESULT}


def test_no_more_than_a_window_is_read_ahead():
    taken: list[int] = []

    def endless() -> Iterator[str]:
        for number in count():
            taken.append(number)
            yield f"I see a bad cat {number}"

    engine = BulkScript(chooser(rewrite))
    results = corrector_on(engine).pipe(endless(), window=6)
    assert [one.text for one in islice(results, 8)] == [f"I see a right cat {number}" for number in range(8)]
    assert len(taken) == 12 and engine.bulk
    long = corrector_on(engine).pipe(
        (f"{'the cat sat on the mat. ' * 6000}{number}" for number in endless()), window=99
    )
    next(long)
    assert len(taken) == 12 + 2


@pytest.mark.parametrize(("bulk", "most"), [(True, 1024), (False, 256)])
def test_a_window_for_bulk_decoding_is_larger(bulk, most):
    taken: list[int] = []
    engine = BulkScript(chooser(rewrite)) if bulk else ScriptedEngine(chooser(rewrite), 120)
    results = corrector_on(engine, 1 << 20).pipe(taken.append(number) or "the cat sat" for number in count())  # type: ignore[func-returns-value]
    next(results)
    assert len(taken) == most


def test_an_error_of_the_input_comes_behind_the_results_of_full_windows():
    def failing() -> Iterator[str]:
        for number in range(7):
            yield f"I see a bad cat {number}"
        raise OSError("the disk is gone")

    results = corrector_on(BulkScript(chooser(rewrite))).pipe(failing(), window=3)
    assert [one.text for one in islice(results, 6)] == [f"I see a right cat {number}" for number in range(6)]
    with pytest.raises(OSError, match="the disk is gone"):
        next(results)


def test_an_error_of_the_engine_is_raised_and_later_texts_are_corrected():
    engine = BulkScript(chooser(rewrite))
    corrector = corrector_on(engine)
    texts = [f"I see a bad cat {number}" for number in range(9)]
    broken = iter([True])

    def probability(source: Sequence[int], target: Sequence[int]) -> float:
        if len(target) > 2 and next(broken, False):
            raise OSError("the device is lost")
        return 1.0

    engine.probability = probability
    with pytest.raises(OSError, match="the device is lost"):
        list(corrector.pipe(texts))
    assert [one.text for one in corrector.pipe(texts)] == [f"I see a right cat {number}" for number in range(9)]
    assert engine.opened == 1


def test_a_caller_who_leaves_ends_the_work(monkeypatch):
    monkeypatch.setattr(solver_module, "_BULK_SENTENCES", 4)
    engine = BulkScript(chooser(rewrite))
    solver = corrector_on(engine).solver
    with pytest.raises(Stale):
        solver.solve(
            [f"I see a bad cat {number}" for number in range(20)], 0.0, lambda: len(engine.bulk) > 1, in_bulk=True
        )
    assert engine.bulk == [4, 4]


def test_few_sentences_single_texts_and_functions_of_the_caller_are_not_decoded_in_bulk():
    engine = BulkScript(chooser(rewrite))
    texts = [f"I see a bad cat {number}" for number in range(9)]
    list(corrector_on(engine, 1000).pipe(texts))
    corrector_on(engine).correct(". ".join(texts))
    list(by_batches(corrector_on(engine)).pipe(texts))
    assert not engine.bulk
    list(corrector_on(engine).pipe(texts))
    assert len(engine.bulk) > 0


@pytest.mark.parametrize("asked", [DecodeOptions(policy="realign"), DecodeOptions(max_draft=3)])
def test_drafts_that_were_asked_for_are_used(asked):
    engine = BulkScript(chooser(rewrite))
    results = list(corrector_on(engine, decode=asked).pipe([f"I see a bad cat {number}" for number in range(9)]))
    assert results[8].text == "I see a right cat 8" and results[8].trace.calls > 1
    assert not engine.opened


def test_another_way_to_decode_is_used():
    engine = BulkScript(chooser(rewrite))

    def decode(given: Any, batch: SourceBatch) -> list[Decoded]:
        return decode_sources(given, batch)

    corrector = Corrector(SentenceSolver(engine, TOKENIZER, INFO, SolverOptions(batch_tokens=8), decode))
    assert len(list(corrector.pipe([f"I see a bad cat {number}" for number in range(9)]))) == 9
    assert not engine.opened


def test_an_engine_that_cannot_open_bulk_decoding_decodes_batches():
    class Unable(BulkScript):
        def open_bulk(self, vocabulary: Vocabulary) -> BulkDecode | None:
            self.opened += 1
            return None

    engine = Unable(chooser(rewrite))
    texts = [f"I see a bad cat {number}" for number in range(9)]
    results = list(corrector_on(engine).pipe(texts))
    assert [one.text for one in results] == [f"I see a right cat {number}" for number in range(9)]
    assert results[0].trace.calls and engine.opened == 1


def test_the_model_of_another_language_decodes_in_bulk_too():
    first, second = BulkScript(chooser(rewrite)), BulkScript(chooser(lambda sentence: sentence))
    other = SentenceSolver(second, TOKENIZER, ModelInfo("second", "ru"), SolverOptions(batch_tokens=8))
    corrector = Corrector(corrector_on(first).solver, [OtherModel("ru", lambda: other)])
    texts = [text for number in range(6) for text in (f"I see a bad cat {number}", f"Это наш дом {number}")]
    assert [one.text for one in corrector.pipe(texts)] == [text.replace("bad", "right") for text in texts]
    assert first.bulk and second.bulk


def test_files_are_checked_in_bulk_with_the_same_findings():
    engine = BulkScript(chooser(rewrite), varied)
    session = CheckSession(corrector_on(engine), CheckOptions(dictionary=frozenset({"worse"})))
    texts = [
        Text("\n\n".join(f"I sat on the worse cat {number} gone the bad, {'one ' * file}." for number in range(30)))
        for file in range(4)
    ]
    shares: list[float] = []
    checked = list(session.check_many(texts, shares.append))
    assert engine.bulk and sum(shares) == pytest.approx(4)
    alone = CheckSession(by_batches(session.corrector), session.options)
    for one, other in zip(checked, alone.check_many(texts), strict=True):
        assert (one.source, one.findings, one.unchecked) == (other.source, other.findings, other.unchecked)
    assert sum(len(one.findings) for one in checked) > 20


def bulk_on_cpu(folder: ModelFolder, rows: int, tokens: int, encoder_tokens: int) -> Corrector:
    """A real model on the engine for GPUs, on the CPU in single precision."""
    bulk = BulkOptions(rows=rows, tokens=tokens, encoder_tokens=encoder_tokens)
    engine = CudaEngine(TorchEngine.load(folder).model, folder.eos, bulk=bulk)
    tokenizer = Tokenizer.load(folder.tokenizer, folder.config.vocabulary)
    options = SolverOptions(batch_tokens=64, cached_sentences=0)
    return Corrector(SentenceSolver(engine, tokenizer, folder.info, options))


def compare(results: Sequence[Correction], expected: Sequence[Correction]) -> None:
    """Confidences of other kernels are rounded otherwise."""
    assert [one.source for one in results] == [one.source for one in expected]
    for one, other in zip(results, expected, strict=True):
        assert (one.text, one.sentences, one.unchecked) == (other.text, other.sentences, other.unchecked)
        for edit, same in zip(one.edits, other.edits, strict=True):
            assert (edit.span, edit.replacement, edit.kind) == (same.span, same.replacement, same.kind)
            assert edit.confidence == pytest.approx(same.confidence, abs=1e-4)
        for trace, same_trace in zip(one.trace.sentences, other.trace.sentences, strict=True):
            assert [(run.source, run.target) for run in trace.passes] == [
                (run.source, run.target) for run in same_trace.passes
            ]


def test_a_tiny_network_corrects_the_same_in_bulk(tiny_model):
    corrector = bulk_on_cpu(tiny_model, rows=3, tokens=48, encoder_tokens=129)
    texts = [wrong for wrong, _ in PAIRS] + ["", PAIRS[0][1], " ".join(wrong for wrong, _ in PAIRS)] * 2
    with one_thread():
        results = list(corrector.pipe(texts))
        compare(results, list(by_batches(corrector).pipe(texts)))
    assert not results[0].trace.calls
    assert sum(one.text != one.source for one in results) > 4


SENTENCES = (
    "She go to school every days .",
    "The weather is nice today .",
    "In my opinion , peoples should to be more carefull about they health .",
    "I am looking forward to meet you in the next week , and I hope we can discuss about the project .",
    "My friend Grzegorz Brzeczyszczykiewicz live in Lodz since three years .",
    "Although it was rain , but we have went to the beach for to swim .",
    "how much does it costs ?",
    "The informations that was given to us by the goverment are not enough to making a desicion .",
)


def test_the_embedded_model_corrects_the_same_in_bulk():
    """Among the sentences are some that are decoded again without edits, and some that need several passes."""
    corrector = bulk_on_cpu(ModelFolder.open(locate("en")), rows=4, tokens=96, encoder_tokens=193)
    with one_thread():
        results = list(corrector.pipe(SENTENCES))
        expected = list(by_batches(corrector).pipe(SENTENCES))
    compare(results, expected)
    assert not results[0].trace.calls and expected[0].trace.calls
    assert sum(one.text != one.source for one in results) > 4
    again = [(trace, run) for one in results for trace in one.trace.sentences for run in trace.repeats]
    assert any(run.source == trace.source for trace, run in again)
    assert any(run.source != trace.source and run.target != run.source for trace, run in again)
