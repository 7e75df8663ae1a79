from __future__ import annotations

from collections.abc import Sequence

from scripted import EOS, Letters, ScriptedEngine, writes

from redraft.decode.drafts import Realign, Refine, Suffix
from redraft.decode.follower import Follower
from redraft.decode.loop import DecodeOptions, decode_batch

LETTERS = Letters()


def count_calls(engine: ScriptedEngine, source: Sequence[int], policy: str) -> int:
    return len(decode_batch(engine, [source], LETTERS, DecodeOptions(policy=policy))[0].calls)


def place(source: Sequence[int], target: Sequence[int]) -> Follower:
    follower = Follower(source, LETTERS)
    for token in target:
        follower.push(token)
    return follower


def test_the_paper_s_rule_drafts_behind_a_unique_match_only():
    source = [10, 11, 13, 11, 14]
    suffix = Suffix(source, LETTERS)
    assert suffix.propose([], place(source, [])) == source
    assert suffix.propose([10], place(source, [10])) == [11, 13, 11, 14]
    assert suffix.propose([50, 11], place(source, [50, 11])) == ()
    assert suffix.propose([13, 11], place(source, [13, 11])) == [14]


def test_realign_drafts_where_the_paper_s_rule_waits():
    source = [10, 11, 13, 11, 14]
    target = [10, 47]
    assert Suffix(source, LETTERS).propose(target, place(source, target)) == ()
    assert Realign(source, LETTERS).propose(target, place(source, target)) == [13, 11, 14]


def corrects(wrong: dict[int, int]):
    """A model that replaces some tokens wherever they are, whatever was fed before."""

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        if len(target) >= len(source):
            return EOS
        return wrong.get(source[len(target)], source[len(target)])

    return choose


def test_refine_corrects_every_single_token_error_in_two_calls():
    source = [10, 11, 13, 14, 16, 17, 19, 20]
    engine = ScriptedEngine(corrects({11: 41, 14: 44, 17: 47, 20: 50}))
    assert count_calls(engine, source, "refine") == 2
    assert count_calls(engine, source, "realign") == 5
    assert count_calls(engine, source, "suffix") > 5


def test_refine_drafts_earlier_predictions():
    source = [10, 11, 13, 14]
    refine = Refine(source, LETTERS)
    draft = refine.propose([], place(source, []))
    refine.observe(0, draft, [10, 41, 13, 44, EOS])
    assert refine.propose([10, 41], place(source, [10, 41])) == [13, 44]


def test_refine_discards_a_prediction_that_the_model_no_longer_makes():
    source = [10, 11, 13, 14]
    refine = Refine(source, LETTERS)
    refine.observe(0, refine.propose([], place(source, [])), [10, 41, 13, 44, EOS])
    second = refine.propose([10, 41], place(source, [10, 41]))
    refine.observe(2, second, [13, 14, EOS])
    assert refine.propose([10, 41, 13], place(source, [10, 41, 13])) == [14]


def test_insertions_deletions_and_an_early_end_cost_few_calls():
    source = [10, 11, 13, 14, 16, 17]
    for target in ([10, 13, 14, 16, 17], [10, 11, 40, 13, 14, 16, 17], [10, 11, 13], []):
        assert count_calls(ScriptedEngine(writes(target)), source, "realign") <= 3
