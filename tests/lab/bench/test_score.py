from __future__ import annotations

import pytest

from redraft.lab.bench import score


def test_the_benchmark_times_a_corpus_and_an_unrelated_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score, "SENTENCES", 5)
    advanced: list[int] = []
    report = score.run(lambda: advanced.append(1))
    assert len(advanced) == report.sentences == 5
    assert (report.source_words, report.hypothesis_words) == (50, 200)
    assert min(report.corpus_seconds, report.unrelated_seconds) > 0
    assert set(report.to_mapping()) >= {"corpus_seconds", "unrelated_seconds", "corpus_processor_seconds"}
