"""Bulk decoding with the embedded English model gives what the loop gives."""

from __future__ import annotations

import pytest
from threads import one_thread

from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.engines.cuda.bulk.decoder import BulkDecoder, BulkOptions
from redraft.engines.torch import TorchEngine
from redraft.model.catalogue import locate
from redraft.model.folder import ModelFolder
from redraft.tokens.tokenizer import Tokenizer

SENTENCES = (
    "She go to school every days .",
    "The weather is nice today .",
    "In my opinion , peoples should to be more carefull about they health .",
)


def test_real_sentences_get_the_same_corrections():
    folder = ModelFolder.open(locate("en"))
    tokenizer = Tokenizer.load(folder.tokenizer)
    sources = tokenizer.encode_batch(SENTENCES)
    with one_thread():
        engine = TorchEngine.load(folder)
        expected = decode_batch(engine, sources, tokenizer, DecodeOptions(threshold=folder.info.threshold))
        options = BulkOptions(folder.info.threshold, rows=2, tokens=48, encoder_tokens=folder.config.max_tokens + 1)
        got = BulkDecoder.open(engine.model, tokenizer, options).decode(sources)
    assert [(one.ids, one.finished) for one in got] == [(one.ids, one.finished) for one in expected]
    assert sum(one.ids != source for one, source in zip(got, sources, strict=True)) >= 2
    for one, other in zip(got, expected, strict=True):
        assert one.log_probabilities == pytest.approx(other.log_probabilities, abs=1e-4)
        assert one.confidences == pytest.approx(other.confidences, abs=1e-4)
