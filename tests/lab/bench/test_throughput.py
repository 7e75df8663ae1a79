from __future__ import annotations

from tiny import PAIRS

from redraft.lab.bench.throughput import ROUNDS, run


def test_every_size_gives_the_same_output(tiny_model):
    steps: list[None] = []
    sentences = [source for source, _ in PAIRS]
    report = run(str(tiny_model.path), sentences, 1, "fp32", (1, 40, 400), lambda: steps.append(None))
    assert len(steps) == 3 * ROUNDS
    assert report["same_output"]
    assert list(report["sizes"]) == ["1", "40", "400"]
    assert all(size["sentences_per_second"] > 0 for size in report["sizes"].values())
