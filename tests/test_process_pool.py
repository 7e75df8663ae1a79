from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from redraft.process_pool import open_pool

PROGRAM = """
import os, time
from redraft.process_pool import open_pool

if __name__ == "__main__":
    pool = open_pool(1)
    print(pool.submit(os.getpid).result(), flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert is_running(worker)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        deadline = time.monotonic() + 20
        while is_running(worker) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not is_running(worker)


def is_running(process: int) -> bool:
    """False also for a process that has ended and that its new parent has not waited for."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_workers_are_prepared() -> None:
    with open_pool(1, sys.setrecursionlimit, 1234) as pool:
        assert pool.submit(sys.getrecursionlimit).result() == 1234
