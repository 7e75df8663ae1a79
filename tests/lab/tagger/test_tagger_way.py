from __future__ import annotations

from random_models import needs_native
from training_world import sentences

from redraft.lab.bench.tagger_way import TaggerWay


@needs_native
def test_a_tagger_corrects_and_counts_its_passes(quantized):
    right = [line for line in sentences(30, seed=7) if "the " in line][:3]
    way = TaggerWay(quantized.path)
    assert way.correct([line.replace("the", "teh") for line in right]) == right
    assert way.passes == 6
    assert way.count_calls(right[0]) == way.stopped == 0
    assert way.passes == 7
