from __future__ import annotations

from pathlib import Path

import pytest

from redraft.errors import RedraftError
from redraft.lab.bench.long_files import run, write_text
from redraft.model.folder import ModelFolder


def test_a_process_for_each_text_is_measured(tiny_model: ModelFolder) -> None:
    found = run([0.001, 0.02], ["--model", str(tiny_model.path)])
    assert [one.megabytes for one in found] == [0.001, 0.02]
    assert all(one.seconds > 0 and one.peak_megabytes > 10 for one in found)


def test_a_text_has_the_length_that_was_asked_for(tmp_path: Path) -> None:
    write_text(tmp_path / "text.txt", 10_000)
    assert 10_000 <= (tmp_path / "text.txt").stat().st_size < 11_000


def test_a_process_that_fails_gives_the_reason() -> None:
    with pytest.raises(RedraftError, match=r"redraft fix failed: .*nowhere"):
        run([0.001], ["--model", "nowhere"])
