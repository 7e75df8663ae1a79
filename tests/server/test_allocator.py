from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

PROGRAM = """
import sys
from ctypes import CDLL, Structure, c_size_t
from pathlib import Path
from threading import Barrier, Thread

if sys.argv[1] == "set":
    from redraft.server.allocator import return_free_memory
    return_free_memory()

class Information(Structure):
    _fields_ = [(name, c_size_t) for name in "arena ordblks smblks hblks hblkhd more1 more2 more3 more4 more5".split()]

mallinfo = CDLL(None).mallinfo2
mallinfo.restype = Information
bytearray(20_000_000)  # freed at once
before = mallinfo().hblkhd
kept = bytearray(10_000_000)
mapped = mallinfo().hblkhd - before

barrier = Barrier(16)
def work():
    held = [bytearray(1000) for _ in range(1000)]
    barrier.wait()
threads = [Thread(target=work) for _ in range(16)]
for thread in threads: thread.start()
starts = [int(line.split("-")[0], 16) for line in Path("/proc/self/maps").read_text().splitlines()]
for thread in threads: thread.join()
print(mapped >= 10_000_000, sum(start % (1 << 26) == 0 for start in starts))
"""


def run(argument: str) -> tuple[bool, int]:
    command = [sys.executable, "-c", PROGRAM, argument]
    mapped, arenas = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split()
    return mapped == "True", int(arenas)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="needs glibc 2.33")
def test_large_blocks_are_given_back_and_threads_share_arenas() -> None:
    mapped, arenas = run("set")
    _, arenas_by_default = run("default")
    assert mapped
    assert arenas <= 2 < arenas_by_default
