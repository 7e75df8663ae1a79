from __future__ import annotations

from random_models import needs_native
from training_world import sentences

from redraft.lab.tagger.correct import main


@needs_native
def test_the_command_corrects_lines_and_counts_passes(quantized, tmp_path, capsys):
    right = [line for line in sentences(30, seed=7) if "the " in line][:3]
    file = tmp_path / "lines.txt"
    file.write_text("".join(line.replace("the", "teh") + "\n" for line in right), encoding="utf-8")
    for more in ([], ["--one-by-one"]):
        assert main([str(quantized.path), str(file), "--threads", "1", *more]) == 0
        printed = capsys.readouterr()
        assert printed.out.splitlines() == right
        assert printed.err.startswith("3 sentences in") and "3 in 2 passes" in printed.err
    assert main([str(quantized.path), str(file), "--min-probability", "1"]) == 0
    assert "teh" in capsys.readouterr().out
    assert main([str(tmp_path), str(file)]) == 2
