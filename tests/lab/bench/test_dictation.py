"""Engines that are told their answers make the calls of whoever gave them."""

from __future__ import annotations

import pytest
from tiny import PAIRS

from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.engines.torch import TorchEngine
from redraft.lab.bench.dictation import Dictated, Pair, Script, teach_model, teach_reference
from redraft.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def engine(tiny_model):
    return TorchEngine.load(tiny_model)


@pytest.fixture(scope="module")
def tokenizer(tiny_model):
    return Tokenizer.load(tiny_model.tokenizer)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_script_writes_its_reference_and_a_model_told_so_writes_it_too(policy, engine, tokenizer):
    options = DecodeOptions(policy=policy)
    for sentence, _ in PAIRS:
        source = tokenizer.encode(sentence)
        pair = Pair(source, source[::-1])  # nothing the model would write itself
        written = decode_batch(Script(pair, tokenizer), [source], tokenizer, options)[0]
        assert written.ids == pair.reference
        dictated = Dictated(engine, teach_reference(tokenizer)(pair, options))
        told = decode_batch(dictated, [source], tokenizer, options)[0]
        assert (told.ids, told.calls) == (written.ids, written.calls)


@pytest.mark.parametrize("policy", POLICIES)
def test_recorded_answers_give_the_recorded_calls(policy, engine, tokenizer):
    options = DecodeOptions(policy=policy)
    source = tokenizer.encode(PAIRS[0][0])
    recorded = teach_model(engine, tokenizer)(Pair(source, []), options)
    again = decode_batch(Dictated(engine, recorded), [source], tokenizer, options)[0]
    assert again.calls == decode_batch(engine, [source], tokenizer, options)[0].calls
