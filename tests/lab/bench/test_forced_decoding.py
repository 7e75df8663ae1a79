"""A model forced to write an output makes the decoder calls that writing it takes."""

from __future__ import annotations

import pytest
from tiny import PAIRS

from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.engines.onnx import OnnxEngine
from redraft.errors import InputError
from redraft.lab.bench.forced_decoding import BEAMS, ForcedDecoding, encode, read_pairs
from redraft.lab.bench.samples import Pair
from redraft.tokens.tokenizer import Tokenizer

SAMPLES = [Pair(*pair) for pair in PAIRS]


@pytest.fixture(scope="module")
def engine(tiny_model):
    return OnnxEngine(tiny_model, 1, "fp32")


@pytest.fixture(scope="module")
def tokenizer(tiny_model):
    return Tokenizer.load(tiny_model.tokenizer)


@pytest.mark.parametrize("policy", POLICIES)
def test_forcing_a_model_s_output_takes_its_calls(policy, engine, tokenizer):
    options = DecodeOptions(policy=policy)
    forced = ForcedDecoding.from_model(engine, tokenizer, SAMPLES)
    decode = forced.decoding_method(engine, options)
    for number, pair in enumerate(forced.pairs):
        expected = decode_batch(engine, [pair.source], tokenizer, options)[0]
        assert pair.reference == expected.ids
        assert decode(number) == len(expected.calls)
        assert decode(number) == len(expected.calls)  # a second time as well


def test_greedy_takes_a_call_for_each_token_of_a_reference(engine, tokenizer):
    forced = ForcedDecoding.from_references(
        tokenizer, [Pair("He have two cat.", "I agree with you.")], engine.max_tokens
    )
    (pair,) = forced.pairs
    assert forced.decoding_method(engine, DecodeOptions(policy="none"))(0) == len(pair.reference) + 1


def test_without_forced_predictions_a_model_uses_its_own(engine, tokenizer):
    forced = ForcedDecoding(encode(SAMPLES, tokenizer, engine.max_tokens), tokenizer)
    methods = forced.decoding_methods("own", engine, ("none", "refine"))
    assert list(methods) == ["own greedy", "own refine"]
    for number, pair in enumerate(forced.pairs):
        for policy, method in zip(("none", "refine"), methods.values(), strict=True):
            expected = decode_batch(engine, [pair.source], tokenizer, DecodeOptions(policy=policy))[0]
            assert method(number) == len(expected.calls)


class Counting:
    """The engine, with the number of rows of each step of a search."""

    def __init__(self, engine):
        self.engine, self.name, self.max_tokens, self.rows = engine, "counting", engine.max_tokens, []

    def start(self, sources):
        stepper, rank = self.engine.start(sources), self.engine.start(sources).rank

        def counted(feeds, best):
            self.rows.append(len(feeds))
            return rank(feeds, best)

        rank = stepper.rank
        stepper.rank = counted
        return stepper


def test_a_search_does_the_work_of_five_beams_to_the_end(engine, tokenizer):
    counting = Counting(engine)
    forced = ForcedDecoding.from_references(tokenizer, SAMPLES[:1], engine.max_tokens)
    steps = len(forced.pairs[0].reference) + 1
    assert forced.beam_search_method(counting)(0) == steps
    assert counting.rows == [1, *([BEAMS] * (steps - 1))]


def test_sentences_too_long_or_empty_are_left_out(engine, tokenizer):
    long = "two cat " * 200
    assert encode([Pair(long, "He has."), Pair("He.", long), Pair("He.", ""), Pair("", "He.")], tokenizer, 64) == []
    with pytest.raises(InputError, match="none of the sentences"):
        ForcedDecoding.from_model(engine, tokenizer, [Pair(long, long)])


def test_a_line_without_a_reference_is_refused(tmp_path, tokenizer):
    path = tmp_path / "pairs"
    path.write_text("one\ttwo\nthree\n")
    with pytest.raises(InputError, match="pairs:2"):
        read_pairs(path, tokenizer, 64)
    path.write_text("one\ttwo\n")
    assert read_pairs(path, tokenizer, 64) == encode([Pair("one", "two")], tokenizer, 64)
    path.write_text("\t\n")
    with pytest.raises(InputError, match="no sentence"):
        read_pairs(path, tokenizer, 64)
