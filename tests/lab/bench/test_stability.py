from __future__ import annotations

from itertools import pairwise

from scripted import EOS, ScriptedEngine

from redraft.check.corrector import Corrector
from redraft.check.passes import MOST_PASSES
from redraft.check.solver import SentenceSolver
from redraft.lab.bench.stability import run
from redraft.model.folder import ModelInfo
from redraft.tokens.tokenizer import Tokenizer

CHAIN = [f"She goes{' on' * number}." for number in range(MOST_PASSES + 2)]
"""Each is corrected to the next, and there are more of them than passes over a sentence."""
SOURCE, FIRST, SECOND = CHAIN[0], CHAIN[MOST_PASSES], CHAIN[-1]
STABLE, CORRECTED = "We goes home.", "We go home."
TOKENIZER = Tokenizer.train_bytes([*CHAIN, STABLE, CORRECTED], 330)
TARGETS = {
    tuple(TOKENIZER.encode(source)): TOKENIZER.encode(target)
    for source, target in (*pairwise(CHAIN), (STABLE, CORRECTED))
}


def choose(source, target):
    output = TARGETS.get(tuple(source), source)
    return output[len(target)] if len(target) < len(output) else EOS


def test_a_correction_that_is_corrected_again_is_counted():
    corrector = Corrector(SentenceSolver(ScriptedEngine(choose), TOKENIZER, ModelInfo("scripted", "en")))
    seen = []
    report = run(corrector, [STABLE, SOURCE, SECOND], lambda: seen.append(1)).to_mapping()
    assert (report["sentences"], report["corrected"], report["changed_again"], len(seen)) == (3, 2, 1, 3)
    assert report["changed_again_share"] == 1 / 3
    assert report["changes"] == [{"source": SOURCE, "first": FIRST, "second": SECOND}]


def test_no_sentence_at_all_is_stable():
    corrector = Corrector(SentenceSolver(ScriptedEngine(choose), TOKENIZER, ModelInfo("scripted", "en")))
    report = run(corrector, []).to_mapping()
    assert (report["sentences"], report["changed_again"], report["changed_again_share"]) == (0, 0, 0)
