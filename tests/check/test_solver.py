"""A sentence is corrected until it stays the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import EOS, ScriptedEngine

from redraft.check.corrector import Corrector
from redraft.check.interpreter import Suggestion, _span_before, apply_suggestions
from redraft.check.passes import MOST_PASSES
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.check.unchecked import UncheckedReason
from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions
from redraft.edits.align import Change, align
from redraft.edits.edit import Kind, apply
from redraft.model.folder import ModelInfo
from redraft.text.span import Span
from redraft.tokens.tokenizer import Tokenizer

TOKENIZER = Tokenizer.train_bytes(["the cat sat on the mat and the dog ran", "She goes to school every day."], 330)
SOURCE = "I know how much does it cost today and why."
STEPS = {
    SOURCE: "I know how much it cost today and why.",
    "I know how much it cost today and why.": "I know how much it costs today and why.",
}
texts = st.text("ab ", max_size=12)


def rewriting(rewrite: Callable[[str], str], confidence: float = 0.9, **options: object) -> Corrector:
    """A corrector whose model rewrites each sentence by a function, with one probability for all tokens."""

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        expected = TOKENIZER.encode(rewrite(TOKENIZER.decode(source)))
        agrees = list(target) == expected[: len(target)]
        return expected[len(target)] if agrees and len(target) < len(expected) else EOS

    engine = ScriptedEngine(choose, 300, probability=lambda source, target: confidence)
    solver = SentenceSolver(engine, TOKENIZER, ModelInfo("scripted", "en"), SolverOptions(**options))  # type: ignore[arg-type]
    return Corrector(solver)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_sentence_is_corrected_until_it_stays_the_same(policy):
    corrector = rewriting(lambda sentence: STEPS.get(sentence, sentence), decode=DecodeOptions(policy=policy))
    result = corrector.correct(SOURCE)
    assert result.text == "I know how much it costs today and why."
    assert [(edit.source, edit.replacement) for edit in result.edits] == [("does ", ""), ("cost", "costs")]
    assert apply(SOURCE, result.edits) == result.text
    assert [len(sentence.passes) for sentence in result.trace.sentences] == [3]
    assert corrector.correct(result.text).text == result.text


@pytest.mark.parametrize("policy", POLICIES)
def test_what_depends_on_an_edit_that_is_left_out_is_not_changed(policy):
    """The model is not sure enough of "goes", and would write "day" only behind it."""
    wrong, right = "She runs to school every days.", "She goes to school every day."
    source, target = TOKENIZER.encode(wrong), TOKENIZER.encode(right)
    start = next(index for index, token in enumerate(target) if token != source[index])

    def choose(given: Sequence[int], written: Sequence[int]) -> int:
        expected = source if list(written[start : start + 1]) == source[start : start + 1] else target
        return [*expected, EOS][min(len(written), len(expected))]

    def probability(given: Sequence[int], written: Sequence[int]) -> float:
        return 0.9 if len(written) == start else 1.0

    engine = ScriptedEngine(choose, 300, probability=probability)
    options = SolverOptions(decode=DecodeOptions(policy=policy))
    solver = SentenceSolver(engine, TOKENIZER, ModelInfo("scripted", "en"), options)
    for threshold, expected in ((0.8, wrong), (0.2, right)):
        result = Corrector(solver, threshold=threshold).correct(wrong)
        assert result.text == expected
        assert [len(sentence.passes) for sentence in result.trace.sentences] == [2]


def test_a_sentence_without_a_usable_result_is_reported_as_unchecked():
    corrector = rewriting(lambda sentence: f"{sentence} and on" * 20)
    result = corrector.correct(SOURCE)
    assert result.text == SOURCE
    assert [found.reason for found in result.unchecked] == [UncheckedReason.NO_RESULT]


def test_an_unchanged_sentence_is_decoded_once():
    result = rewriting(lambda sentence: sentence).correct(SOURCE)
    assert result.trace.calls == 1
    assert result.trace.sentences[0].repeats == ()


def test_all_calls_of_all_passes_are_counted():
    result = rewriting(lambda sentence: STEPS.get(sentence, sentence)).correct(SOURCE)
    (trace,) = result.trace.sentences
    assert result.trace.calls == sum(one.calls for one in trace.passes) > trace.calls
    assert result.trace.verified == sum(one.verified for one in trace.passes)
    assert [one["target"] for one in trace.to_mapping()["repeats"]] == [result.text, result.text]


def test_corrections_that_undo_each_other_end_where_they_began():
    """Else the first pass would suggest what the next check takes back."""
    swap = {"a cat sat.": "the cat sat.", "the cat sat.": "a cat sat."}
    for source in swap:
        result = rewriting(lambda sentence: swap.get(sentence, sentence)).correct(source)
        assert (result.text, result.edits) == (source, ())


def test_corrections_without_end_stop_after_some_passes():
    result = rewriting(lambda sentence: sentence.replace(".", " on.")).correct("the cat sat.")
    assert result.text == "the cat sat" + " on" * MOST_PASSES + "."
    assert len(result.trace.sentences[0].passes) == MOST_PASSES


def test_the_confidence_is_the_lowest_of_the_edits_at_a_place():
    """The second pass is less sure than the first, and changes another place."""

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        expected = TOKENIZER.encode(STEPS.get(TOKENIZER.decode(source), TOKENIZER.decode(source)))
        return expected[len(target)] if len(target) < len(expected) else EOS

    def probability(source: Sequence[int], target: Sequence[int]) -> float:
        return 0.9 if TOKENIZER.decode(source) == SOURCE else 0.7

    engine = ScriptedEngine(choose, 300, probability=probability)
    corrector = Corrector(SentenceSolver(engine, TOKENIZER, ModelInfo("scripted", "en")))
    assert [round(edit.confidence, 6) for edit in corrector.correct(SOURCE).edits] == [0.9, 0.7]


def test_the_corrected_sentence_is_not_decoded_again():
    corrector = rewriting(lambda sentence: STEPS.get(sentence, sentence))
    corrected = corrector.correct(SOURCE).text
    assert corrector.solver.is_cached(corrected, 0.0)
    assert corrector.correct(corrected).text == corrected


def test_a_sentence_that_grows_too_long_is_not_decoded_again():
    source = "the cat sat."
    corrector = rewriting(lambda sentence: sentence.replace(".", " on the mat" * 8 + "."))
    corrector.solver._longest = len(TOKENIZER.encode(source)) + 1
    result = corrector.correct(source)
    assert len(result.trace.sentences[0].passes) == 1


def suggestions_between(source: str, target: str) -> list[Suggestion]:
    changes = align(source, target)
    return [Suggestion(change, change.target.of(target), Kind.SPELLING, 1.0, "") for change in changes]


@given(texts, texts)
def test_applying_all_suggestions_gives_the_target(source, target):
    assert apply_suggestions(source, suggestions_between(source, target)) == target


@given(texts, texts, st.data())
def test_spans_outside_of_edits_are_found_again(source, target, data):
    suggestions = suggestions_between(source, target)
    start = data.draw(st.integers(0, len(target)))
    span = Span(start, data.draw(st.integers(start, len(target))))
    before = _span_before(span, suggestions)
    assert 0 <= before.start <= before.end <= len(source)
    untouched = all(span.end < one.change.target.start or one.change.target.end < span.start for one in suggestions)
    if untouched:
        assert before.of(source) == span.of(target)


def test_the_span_of_a_replacement_is_that_of_what_it_replaced():
    change = Suggestion(Change(Span(2, 4), Span(2, 7)), "abcde", Kind.SPELLING, 1.0, "")
    assert _span_before(Span(3, 5), [change]) == Span(2, 4)
    assert _span_before(Span(7, 9), [change]) == Span(4, 6)
    assert _span_before(Span(0, 2), [change]) == Span(0, 2)
