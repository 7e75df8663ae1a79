from __future__ import annotations

import sys

import pytest

from redraft.errors import ConfigError
from redraft.text.simplified import simplifier


def test_traditional_characters_become_simplified_and_the_rest_stays() -> None:
    pytest.importorskip("opencc")
    assert simplifier()("漢語 and 汉语，2") == "汉语 and 汉语，2"


def test_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opencc", None)
    with pytest.raises(ConfigError, match=r"redraft\[zh\]"):
        simplifier()
