"""Exit, fork and changed files while the native engine runs. Each case has a process of its own, which may crash."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from random_models import needs_native, quantized_model

from redraft.engines.native.engine import NativeEngine
from redraft.engines.native.network import EngineClosedError
from redraft.errors import ModelError
from redraft.model.folder import ModelFolder

SOURCES = [[3 + (row + place) % 30 for place in range(20)] for row in range(64)]
OPENING = f"""
import os, sys, threading
from pathlib import Path
from redraft.decode.stepper import Feed
from redraft.model.folder import ModelFolder
from redraft.engines.{{engine}} import {{name}}

engine = {{name}}(ModelFolder.open(Path(sys.argv[1])), 2)
sources = {SOURCES}
began = threading.Event()

def decode(count=1):
    for _ in range(count):
        stepper = engine.start(sources)
        found = [prediction.ids for prediction in stepper.extend([Feed(row, [1, 5, 6]) for row in range(len(sources))])]
        began.set()
    return found

expected = decode()
began.clear()
thread = threading.Thread(target=decode, args=(10_000,), daemon=True)
"""
NATIVE = OPENING.format(engine="native.engine", name="NativeEngine")
ONNX = OPENING.format(engine="onnx", name="OnnxEngine")
FORKS = """
import signal, time
thread.start()
began.wait()
for turn in range(12):
    time.sleep(0.003 * turn)
    child = os.fork()
    if not child:
        signal.alarm(10)
        os._exit(0 if decode() == expected else 1)
    assert os.waitpid(child, 0)[1] == 0, turn
"""


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", program, str(folder)], capture_output=True, text=True, timeout=60, check=False
    )


@needs_native
def test_the_interpreter_exits_while_a_daemon_thread_decodes() -> None:
    for _ in range(3):
        done = run(NATIVE + "thread.start(); began.wait()", quantized_model("ours").path)
        assert done.returncode == 0, done.stderr


@needs_native
def test_a_forked_process_decodes_while_a_thread_of_its_parent_does() -> None:
    done = run(NATIVE + FORKS, quantized_model("ours").path)
    assert done.returncode == 0, done.stderr


def test_onnx_refuses_a_forked_process() -> None:
    program = """
child = os.fork()
if not child:
    try:
        decode()
    except Exception as error:
        print(error, flush=True)
        os._exit(7)
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    done = run(ONNX + program, quantized_model("ours").path)
    assert done.returncode == 0, done.stderr
    assert "forked process; open the model in that process" in done.stdout


@needs_native
def test_the_weights_file_may_be_cut_while_the_model_is_used(tmp_path: Path) -> None:
    folder = shutil.copytree(quantized_model("ours").path, tmp_path / "model")
    program = 'os.truncate(Path(sys.argv[1]) / "weights.safetensors", 0)\nassert decode() == expected'
    done = run(NATIVE + program, folder)
    assert done.returncode == 0, done.stderr


@needs_native
def test_a_weights_file_that_is_cut_before_it_is_read_is_refused(tmp_path: Path) -> None:
    folder = ModelFolder.open(shutil.copytree(quantized_model("ours").path, tmp_path / "model"))
    with folder.weights.open("r+b") as file:
        file.truncate(folder.weights.stat().st_size - 1)
    with pytest.raises(ModelError, match="too short"):
        NativeEngine(folder, 1)


@needs_native
def test_a_network_is_closed_only_when_no_call_runs() -> None:
    engine = NativeEngine(quantized_model("ours"), 1)
    network = engine._network
    network._lock.__enter__()  # as a running call holds it
    closing = threading.Thread(target=network.close)
    closing.start()
    closing.join(0.05)
    assert closing.is_alive()
    network._lock.__exit__(None, None, None)
    closing.join()
    with pytest.raises(EngineClosedError, match="is closed"):
        engine.start([[3, 4]])
