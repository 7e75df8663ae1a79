"""When an engine opens bulk decoding, with which sizes, and when it does not."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from random_networks import EOS, LETTERS, VOCABULARY, random_network
from scripted import Letters

from redraft.decode.bulk import BulkEngine
from redraft.decode.loop import DecodeOptions, SourceBatch, decode_sources
from redraft.engines.cuda.bulk import opening
from redraft.engines.cuda.bulk.decoder import BulkDecoder, BulkOptions
from redraft.engines.cuda.bulk.opening import BulkOpening, LockedDecoder, row_bytes
from redraft.engines.cuda.bulk.packed_network import PackedNetwork
from redraft.engines.cuda.engine import BULK, CudaEngine
from redraft.engines.torch import TorchEngine
from redraft.model.catalogue import locate
from redraft.model.folder import ModelFolder
from redraft.tokens.tokenizer import Tokenizer

SMALL = BulkOptions(rows=3, tokens=30, encoder_tokens=30)


class Silent(Letters):
    """A vocabulary with a token that has no text."""

    def text_of(self, index: int, /) -> str:
        return "" if index == 7 else super().text_of(index)


def open_small(options: BulkOptions = SMALL, vocabulary: Letters = LETTERS) -> LockedDecoder | None:
    opened = BulkOpening(random_network("ours"), False, options).open(vocabulary)
    assert opened is None or isinstance(opened, LockedDecoder)
    return opened


def test_the_engine_for_gpus_opens_it_once_and_with_another_vocabulary_again():
    engine = CudaEngine(random_network("ours"), EOS, bulk=SMALL)
    assert isinstance(engine, BulkEngine)
    assert not isinstance(TorchEngine(random_network("ours"), EOS), BulkEngine)
    first = engine.open_bulk(LETTERS)
    assert first is not None and engine.open_bulk(LETTERS) is first
    assert engine.open_bulk(Letters(VOCABULARY)) is not first


def test_a_token_without_text_cannot_be_followed():
    assert open_small(vocabulary=Silent(VOCABULARY)) is None


def test_the_memory_of_a_row_is_that_of_its_keys_and_values():
    model = random_network("ours")
    network = PackedNetwork(model, 4, fused=False)
    held = network.cache.nbytes + network.memory.nbytes
    assert 5 * row_bytes(model.config, torch.float64) == pytest.approx(held, rel=0.05)


def test_large_models_get_fewer_rows_and_the_largest_none(monkeypatch):
    model = random_network("ours")
    one_row = row_bytes(model.config, torch.float64)
    monkeypatch.setattr(opening, "_MOST_BYTES", 2 * one_row)
    monkeypatch.setattr(opening, "_FEWEST_ROWS", 2)
    opened = open_small()
    assert opened is not None and opened._decoder.options.rows == 2
    monkeypatch.setattr(opening, "_MOST_BYTES", 2 * one_row - 1)
    assert open_small() is None


def test_an_encoder_call_has_place_for_the_longest_sentence():
    opened = open_small(BulkOptions(rows=2, tokens=8, encoder_tokens=8))
    assert opened is not None and opened._decoder.options.encoder_tokens == 25


def test_without_memory_on_the_device_it_is_not_opened(monkeypatch):
    def fail(*arguments: object) -> None:
        raise torch.OutOfMemoryError("no memory")

    with monkeypatch.context() as patch:
        patch.setattr(BulkDecoder, "_encode", fail)
        assert open_small() is None
    assert open_small() is not None


@pytest.mark.parametrize("name", ["en", "en-open", "zh"])
def test_the_shipped_models_allow_it(name):
    folder = ModelFolder.open(locate(name), verify=False)
    tokenizer = Tokenizer.load(folder.tokenizer, folder.config.vocabulary)
    assert all(tokenizer.text_of(index) for index in range(folder.config.vocabulary))
    assert opening._MOST_BYTES // row_bytes(folder.config, torch.float16) >= BULK.rows // 2


def test_threads_take_turns():
    model = random_network("ours")
    opened = BulkOpening(model, False, SMALL).open(LETTERS)
    assert opened is not None
    generator = torch.Generator().manual_seed(2)
    sources = [torch.randint(3, VOCABULARY, (9,), generator=generator).tolist() for _ in range(24)]
    batches = [
        SourceBatch.plain(sources[first : first + 6], LETTERS, DecodeOptions(threshold=first / 30))
        for first in range(0, 24, 6)
    ]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(opened, batches))
    for decoded, batch in zip(found, batches, strict=True):
        expected = decode_sources(TorchEngine(model, EOS), batch)
        assert [(one.ids, one.finished) for one in decoded] == [(one.ids, one.finished) for one in expected]
