"""Span correction is the decoding loop where every position is asked, and copies where none is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from greedy import LETTERS, choices, probabilities, sources, thresholds
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import LETTERS as MODEL_LETTERS
from random_models import NATIVE, VOCABULARY, quantized_model
from scripted import EOS, ScriptedEngine, ScriptedStepper, certain, writes

from redraft.decode.drafts import POLICIES
from redraft.decode.follower import Follower
from redraft.decode.loop import Decoded, DecodeOptions, Limits, SourceBatch, decode_batch, decode_sources, length_limit
from redraft.decode.stepper import Feed, Predictions
from redraft.engines.native.engine import NativeEngine
from redraft.lab.detection.labels import edit_starts
from redraft.lab.detection.spans import decode_spans

batches = st.lists(st.lists(st.integers(3, VOCABULARY - 1), max_size=16), min_size=1, max_size=4)


class SelectiveScriptedStepper(ScriptedStepper):
    """Notes the prefixes after which a prediction was asked for."""

    def extend_some(self, feeds: Sequence[Feed], wanted: Sequence[Sequence[int]]) -> list[Predictions]:
        return [
            Predictions(
                [answer.ids[number] for number in numbers], [answer.log_probabilities[number] for number in numbers]
            )
            for answer, numbers in zip(self.extend(feeds), wanted, strict=True)
        ]


def decode(
    engine: ScriptedEngine,
    source: Sequence[int],
    asked: Sequence[bool],
    options: DecodeOptions,
    raised: Limits | None = None,
) -> Decoded:
    stepper = SelectiveScriptedStepper([source], engine.choose, engine.probability)
    batch = SourceBatch([source], LETTERS, options, [raised or {}])
    return decode_spans(stepper, batch, [asked], engine.max_tokens)[0]


def write_asked(
    engine: ScriptedEngine, source: Sequence[int], asked: Sequence[bool], threshold: float
) -> tuple[list[int], bool]:
    """Span correction written out, token by token, without drafts."""
    target: list[int] = []
    follower = Follower(source, LETTERS)
    while True:
        copy = follower.expected(EOS)
        token = copy
        if not follower.in_step or asked[follower.position]:
            token = engine.choose(source, target)
            if engine.probability(source, target) < threshold and (follower.in_step or token == EOS):
                token = copy
        if token == EOS:
            return target, True
        if len(target) == length_limit(source, engine.max_tokens):
            return target, False
        target.append(token)
        follower.push(token)


@settings(max_examples=150, deadline=None)
@given(
    source=sources,
    choose=choices,
    probability=probabilities,
    threshold=thresholds,
    policy=st.sampled_from(list(POLICIES)),
    raised=st.dictionaries(st.integers(0, 20), st.floats(-1, 0), max_size=4),
)
def test_with_every_position_asked_it_is_the_decoding_loop_call_for_call(
    source, choose, probability, threshold, policy, raised
):
    engine = ScriptedEngine(choose, probability=probability)
    options = DecodeOptions(policy=policy, threshold=threshold)
    everywhere = [True] * (len(source) + 1)
    expected = decode_sources(engine, SourceBatch([source], LETTERS, options, [raised]))[0]
    assert decode(engine, source, everywhere, options, raised) == expected


@settings(max_examples=150, deadline=None)
@given(
    source=sources,
    choose=choices,
    probability=probabilities,
    threshold=thresholds,
    data=st.data(),
    max_draft=st.sampled_from([None, 0, 1, 3]),
)
def test_no_draft_changes_the_output(source, choose, probability, threshold, data, max_draft):
    engine = ScriptedEngine(choose, probability=probability)
    asked = data.draw(st.lists(st.booleans(), min_size=len(source) + 1, max_size=len(source) + 1))
    expected = write_asked(engine, source, asked, threshold)
    for policy in POLICIES:
        written = decode(engine, source, asked, DecodeOptions(policy, max_draft, threshold))
        assert (written.ids, written.finished) == expected


@settings(max_examples=50, deadline=None)
@given(source=sources, choose=choices)
def test_without_errors_found_the_source_is_copied_and_the_decoder_does_not_run(source, choose):
    written = decode(ScriptedEngine(choose), source, [False] * (len(source) + 1), DecodeOptions())
    assert (written.ids, written.finished, written.calls) == (source, True, [])


@settings(max_examples=150, deadline=None)
@given(source=sources, target=sources)
def test_asked_where_edits_begin_it_writes_the_target_of_the_model(source, target):
    """Labels are the positions that span correction needs."""
    engine = ScriptedEngine(writes(target), max_tokens=200, probability=certain)
    expected = decode_batch(engine, [source], LETTERS, DecodeOptions())[0]
    starts = edit_starts(source, expected.ids, LETTERS)
    if expected.finished:
        asked = [position in starts for position in range(len(source) + 1)]
        assert decode(engine, source, asked, DecodeOptions()).ids == expected.ids


def test_the_decoder_stops_behind_the_last_position_that_is_asked():
    source = [4, 5, 7, 8, 10, 11, 13, 14]
    engine = ScriptedEngine(writes([4, 5, 20, 8, 10, 11, 13, 14]))
    asked = [position == 2 for position in range(9)]
    stepper = SelectiveScriptedStepper([source], engine.choose)
    (written,) = decode_spans(stepper, SourceBatch.plain([source], LETTERS, DecodeOptions()), [asked], 64)
    assert written.ids == [4, 5, 20, 8, 10, 11, 13, 14]
    assert len(stepper.fed[0]) < len(source)


@pytest.mark.parametrize("variant", NATIVE)
@settings(max_examples=10, deadline=None)
@given(batch=batches, data=st.data())
def test_on_the_native_engine_in_a_batch_and_alone(variant, batch, data):
    engine = NativeEngine(quantized_model("ours"), 1, variant)
    options = DecodeOptions(threshold=0.1)
    everywhere = [[True] * (len(source) + 1) for source in batch]
    plain = SourceBatch.plain(batch, MODEL_LETTERS, options)
    whole = decode_spans(engine.start(batch), plain, everywhere, engine.max_tokens)
    assert whole == decode_batch(engine, batch, MODEL_LETTERS, options)
    asked = [data.draw(st.lists(st.booleans(), min_size=n, max_size=n)) for n in (len(source) + 1 for source in batch)]
    together = decode_spans(engine.start(batch), plain, asked, engine.max_tokens)
    for row, (source, positions, found) in enumerate(zip(batch, asked, together, strict=True)):
        alone = decode_spans(engine.start([source]), plain.select([row]), [positions], engine.max_tokens)
        assert alone == [found]


@pytest.mark.parametrize("variant", NATIVE)
def test_a_prediction_after_a_token_that_is_not_fed_is_refused(variant):
    stepper = NativeEngine(quantized_model("ours"), 1, variant).start([[5, 6], [7]])
    for number in (-1, 2):
        with pytest.raises(ValueError, match="a token that is not fed"):
            stepper.extend_some([Feed(0, [1, 5]), Feed(1, [1, 7])], [[0], [number]])
