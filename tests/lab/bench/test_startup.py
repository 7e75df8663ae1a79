from __future__ import annotations

import pytest

from redraft.errors import RedraftError
from redraft.lab.bench import startup


@pytest.fixture(autouse=True)
def _once(monkeypatch):
    monkeypatch.setattr(startup, "ROUNDS", 1)


def test_a_new_process_is_measured(tiny_model):
    found = startup.measure(model=str(tiny_model.path), engine="onnx", precision="fp32", threads=1)
    assert found.seconds > 0
    assert found.megabytes > 10


def test_a_process_that_fails_gives_the_reason():
    with pytest.raises(RedraftError, match="nowhere"):
        startup.measure(model="nowhere")
