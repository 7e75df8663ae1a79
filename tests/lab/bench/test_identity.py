from __future__ import annotations

from scripted import EOS, ScriptedEngine, ScriptedStepper

from redraft.decode.drafts import POLICIES
from redraft.lab.bench.identity import compare
from redraft.tokens.tokenizer import Tokenizer

TOKENIZER = Tokenizer.train_bytes(["the cat sat on the mat"], 300)


def copies(source, target):
    return source[len(target)] if len(target) < len(source) else EOS


def test_a_report_counts_calls_and_finds_no_difference():
    report = compare(ScriptedEngine(copies), TOKENIZER, ["the cat", "on the mat", "x" * 500])
    assert (report.sentences, report.skipped, report.identical) == (2, 1, True)
    mapping = report.to_mapping()
    assert list(mapping["policies"]) == list(POLICIES)
    assert mapping["policies"]["suffix"]["mean_calls"] == 1
    assert mapping["policies"]["none"]["mean_calls"] > 1
    assert mapping["policies"]["none"]["mean_calls"] == mapping["policies"]["none"]["mean_verified"]


def test_a_broken_engine_is_detected():
    class WithoutRewind(ScriptedStepper):
        def rewind(self, row, length): ...

    def flips(source, target):
        return 70 if target and len(target) % 3 == 0 else copies(source, target)

    report = compare(ScriptedEngine(flips, stepper=WithoutRewind), TOKENIZER, ["the cat sat on the mat"], ["realign"])
    assert not report.identical
    difference = report.policies["realign"].differences[0]
    assert difference.output != difference.greedy


def test_progress_advances_by_sentence():
    seen = []
    compare(ScriptedEngine(copies), TOKENIZER, ["the", "cat"], ["suffix"], advance=lambda: seen.append(1))
    assert len(seen) == 2
