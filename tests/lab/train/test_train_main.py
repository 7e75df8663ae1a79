from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from redraft.lab.train.__main__ import main
from redraft.lab.train.checkpoint import LAST

ROOT = Path(__file__).parents[3]


def test_a_mistake_is_one_line_and_exit_code_two(tmp_path, capsys):
    assert main([str(tmp_path / "none.toml")]) == 2
    assert capsys.readouterr().err.splitlines() == [f"error: {tmp_path / 'none.toml'}: no such config file"]


def test_index_only_reads_the_text(config_file, tmp_path):
    assert main([str(config_file()), "--index", "--set", "start=nowhere"]) == 0
    assert (tmp_path / "run" / "text" / "clean" / "indexed.json").is_file()
    assert not (tmp_path / "run" / "model").exists()


def test_a_killed_run_goes_on_and_a_terminated_one_saves_first(config_file, tmp_path):
    command = [
        sys.executable,
        "-m",
        "redraft.lab.train",
        str(config_file()),
        "--resume",
        "--set",
        "run.checkpoint_steps=2",
    ]
    endless = [*command, "--set", "stages.first.steps=100000"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 3)):
        (tmp_path / "run" / LAST).unlink(missing_ok=True)
        with subprocess.Popen(endless, env=environment, stderr=subprocess.DEVNULL) as process:
            until = time.monotonic() + 60
            while not (tmp_path / "run" / LAST).exists() and process.poll() is None and time.monotonic() < until:
                time.sleep(0.05)
            process.send_signal(number)
        assert process.returncode == code
    assert subprocess.run(command, env=environment, check=False, capture_output=True).returncode == 0
    assert (tmp_path / "run" / "model" / "manifest.json").exists()


def test_workers_start_without_torch():
    code = "import sys, redraft.lab.train.__main__, redraft.lab.train.workers; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "False"
