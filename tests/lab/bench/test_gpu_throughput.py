"""The measurements of bulk decoding, tried on the CPU with a tiny model."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from threads import one_thread
from tiny import PAIRS

from redraft.engines.cuda.engine import BULK
from redraft.lab.bench import gpu_throughput


@pytest.fixture
def sentences(tmp_path):
    path = tmp_path / "sentences.txt"
    path.write_text("".join(f"{source}\n" for source, _ in PAIRS))
    return path


@pytest.fixture
def run(monkeypatch, tmp_path, capsys, tiny_model):
    def run(*arguments):
        output = tmp_path / "figures.json"
        flags = ["--tiny", "--no-peers", "--model", str(tiny_model.path), "--json", str(output)]
        monkeypatch.setattr(sys, "argv", ["gpu_throughput", *map(str, arguments), *flags])
        monkeypatch.setattr("redraft.lab.train.bulk_teacher.count_workers", lambda: 0)
        with one_thread():
            gpu_throughput.main()
        return json.loads(output.read_text())["figures"], capsys.readouterr().out

    return run


def test_all_parts_are_measured_and_nothing_differs(run, sentences):
    figures, written = run(sentences)
    parts = figures["parts"]
    assert [name for name, found in parts.items() if "error" in found] == []
    differences = parts["differences within bulk"] | parts["differences from other engines"]
    assert {name: count for name, count in differences.items() if name not in ("sentences", "seconds")} == {
        "bulk, one at a time": 0,
        "bulk, in reverse order": 0,
        "bulk in single precision": 0,
        "decode_batch on cuda, one at a time": 0,
        "greedy on cuda, one at a time": 0,
        "numbers unlike bulk one at a time": 0,
    }
    bulk = parts["bulk (8, 256, 256)"]
    assert bulk["sentences"] == 8 and bulk["rounds"] >= bulk["encoder_calls"] >= 1
    assert parts["floor (8, 256, 256)"]["share_of_floor"] == 1
    labelling = parts["labelling, from text to text"]
    assert (labelling["sentences"], labelling["written"]) == (8, 8)
    pipe = parts["pipe, from text to edits"]
    assert pipe["sentences"] == 8 and pipe["in_bulk"]
    assert parts["differences of pipe"]["correct, one at a time"] == 0
    assert parts["bulk, sampling"]["sentences"] == 8
    assert "decode_batch cuda, 512 in a batch" in written


def test_pipe_is_measured_with_the_sizes_of_the_engine():
    assert gpu_throughput.SIZES[0] == (BULK.rows, BULK.tokens, BULK.encoder_tokens)


def test_a_part_that_fails_does_not_stop_the_others(monkeypatch, run, sentences):
    def fails(*_: object) -> None:
        raise MemoryError("too little")

    monkeypatch.setattr(gpu_throughput, "measure_bulk", fails)
    figures, written = run(sentences)
    assert "MemoryError: too little" in figures["parts"]["bulk (8, 256, 256)"]["error"]
    assert figures["parts"]["differences within bulk"]["bulk, one at a time"] == 0
    assert "MemoryError" in written


def test_only_the_chosen_parts_are_measured(run, sentences):
    figures, _ = run(sentences, "--part", "labelling", "--part", "within")
    assert list(figures["parts"]) == ["labelling, from text to text", "differences within bulk"]


def test_a_part_that_does_not_exist_is_refused(run, sentences):
    with pytest.raises(SystemExit, match="no part has 'labeling' in its name"):
        run(sentences, "--part", "labeling")


def test_a_file_without_a_usable_sentence_is_refused(monkeypatch, run, tmp_path):
    empty = tmp_path / "empty.txt"
    empty.write_text("\n")
    with pytest.raises(SystemExit, match="no sentence in it"):
        run(empty)


def test_the_benchmark_needs_no_package_of_the_command_line():
    code = (
        "import sys, redraft.lab.bench.gpu_throughput, redraft.engines.cuda.bulk.decoder;"
        "print([name for name in ('typer', 'onnxruntime', 'starlette') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
