from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import Letters, ScriptedEngine, sometimes_agrees, writes

from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.trace import Trace, trace_sentence

LETTERS = Letters()


def spell(ids):
    return "".join(chr(0x4E00 + index) for index in ids)


def trace(engine, source, policy):
    decoded = decode_batch(engine, [source], LETTERS, DecodeOptions(policy=policy))[0]
    return trace_sentence(spell(source), spell(decoded.ids), policy, decoded, spell)


@pytest.mark.parametrize("policy", POLICIES)
@given(source=st.lists(st.integers(3, 30), max_size=12), seed=st.integers(0, 1000))
def test_the_blocks_are_the_target_and_count_the_calls(policy, source, seed):
    traced = trace(ScriptedEngine(sometimes_agrees(seed, 0.8)), source, policy)
    assert "".join(block.text for block in traced.blocks) == traced.target
    assert traced.calls == len(traced.blocks)
    assert traced.verified == sum(block.drafted + 1 for block in traced.blocks)
    assert all(len(block.rejected) == block.drafted - block.agreed for block in traced.blocks)
    assert all(block.text.endswith(block.own) for block in traced.blocks)
    assert all(len(block.text) - len(block.own) == block.agreed for block in traced.blocks)


def test_blocks_read_like_the_paper_s_table():
    """A deletion: one parallel block up to the bifurcation, then the rest at once."""
    source, target = [10, 11, 13, 14, 16], [10, 13, 14, 16]
    traced = trace(ScriptedEngine(writes(target)), source, "suffix")
    assert [block.text for block in traced.blocks] == [spell([10, 13]), spell([14, 16])]
    assert [block.parallel for block in traced.blocks] == [True, True]
    greedy = trace(ScriptedEngine(writes(target)), source, "none")
    assert [block.parallel for block in greedy.blocks] == [False] * 5
    assert greedy.calls == greedy.tokens == 5


def test_a_trace_adds_up_and_becomes_json():
    one = trace(ScriptedEngine(writes([10, 13])), [10, 11, 13], "realign")
    assert Trace((one, one)).calls == 2 * one.calls
    assert Trace((one, one)).verified == 2 * one.verified
    mapping = one.to_mapping()
    assert mapping["calls"] == one.calls
    assert mapping["blocks"][0]["parallel"] is one.blocks[0].parallel
