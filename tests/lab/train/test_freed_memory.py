from __future__ import annotations

import platform

import pytest

from redraft.lab.train.freed_memory import keep_freed_memory


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_glibc_can_keep_freed_memory():
    assert keep_freed_memory()


def test_other_systems_are_left_as_they_are(monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    assert not keep_freed_memory()
