"""An engine with forced predictions makes the decoder calls of the engine they come from."""

from __future__ import annotations

import pytest
from tiny import PAIRS

from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.engines.torch import TorchEngine
from redraft.lab.bench.teacher_forcing import (
    ForcedEngine,
    ReferenceEngine,
    TokenPair,
    predict_as_model,
    predict_reference,
)
from redraft.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def engine(tiny_model):
    return TorchEngine.load(tiny_model)


@pytest.fixture(scope="module")
def tokenizer(tiny_model):
    return Tokenizer.load(tiny_model.tokenizer)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_reference_engine_and_a_forced_model_write_the_reference(policy, engine, tokenizer):
    options = DecodeOptions(policy=policy)
    for sentence, _ in PAIRS:
        source = tokenizer.encode(sentence)
        pair = TokenPair(source, source[::-1])  # nothing the model would write itself
        written = decode_batch(ReferenceEngine(pair, tokenizer), [source], tokenizer, options)[0]
        assert written.ids == pair.reference
        engine_forced = ForcedEngine(engine, predict_reference(tokenizer)(pair, options))
        forced = decode_batch(engine_forced, [source], tokenizer, options)[0]
        assert (forced.ids, forced.calls) == (written.ids, written.calls)


@pytest.mark.parametrize("policy", POLICIES)
def test_recorded_predictions_give_the_recorded_calls(policy, engine, tokenizer):
    options = DecodeOptions(policy=policy)
    source = tokenizer.encode(PAIRS[0][0])
    recorded = predict_as_model(engine, tokenizer)(TokenPair(source, []), options)
    again = decode_batch(ForcedEngine(engine, recorded), [source], tokenizer, options)[0]
    assert again.calls == decode_batch(engine, [source], tokenizer, options)[0].calls
