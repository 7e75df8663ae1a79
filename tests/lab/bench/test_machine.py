from __future__ import annotations

import json
import platform

from redraft.lab.bench.machine import count_threads, describe, resident_megabytes


def test_the_description_has_no_host_name():
    description = describe("redraft bench latency")
    assert description["processor"]
    assert description["versions"]["numpy"]
    assert platform.node() not in json.dumps(description).split()


def test_threads_are_counted():
    assert count_threads(3) == 3
    assert count_threads(0) >= 1


def test_memory_is_the_peak():
    before = resident_megabytes()
    block = bytearray(b"x" * 30_000_000)
    assert resident_megabytes() >= before > 1
    assert len(block) == 30_000_000
