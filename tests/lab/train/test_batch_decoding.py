from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st
from scripted import ScriptedEngine, always_agrees

from redraft.decode.loop import Decoded, DecodeOptions, decode_batch
from redraft.lab.train.batch_decoding import decode_sentences
from redraft.tokens.tokenizer import Tokenizer

TOKENIZER = Tokenizer.train_bytes(["a cat sat on the mat"], 262)
LIMIT = 24


@given(st.lists(st.text("abc ", max_size=30), max_size=12), st.integers(1, 5))
def test_batches_have_similar_lengths_and_every_sentence_is_decoded(sentences, batch):
    engine = ScriptedEngine(always_agrees, LIMIT)
    batches: list[list[int]] = []

    def decode(sources: Sequence[Sequence[int]]) -> list[Decoded]:
        batches.append([len(source) for source in sources])
        return decode_batch(engine, sources, TOKENIZER, DecodeOptions())

    found = {
        one.index: one.text for one in decode_sentences(sentences, TOKENIZER, decode, max_tokens=LIMIT, batch=batch)
    }
    lengths = [len(TOKENIZER.encode(sentence)) for sentence in sentences]
    assert found == {place: sentences[place] for place, length in enumerate(lengths) if 0 < length < LIMIT}
    assert list(chain.from_iterable(batches)) == sorted(length for length in lengths if 0 < length < LIMIT)
    assert all(len(one) == batch for one in batches[:-1])
    assert all(0 < len(one) <= batch for one in batches)


def test_a_target_without_an_end_has_no_text():
    def endless(source: Sequence[int], target: Sequence[int]) -> int:
        return source[0]

    engine = ScriptedEngine(endless, LIMIT)
    found = decode_sentences(
        ["cat", "mat"],
        TOKENIZER,
        lambda sources: decode_batch(engine, sources, TOKENIZER, DecodeOptions()),
        max_tokens=LIMIT,
        batch=2,
    )
    assert [(one.index, one.text) for one in found] == [(0, None), (1, None)]
