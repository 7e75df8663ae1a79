from __future__ import annotations

import json

import torch

from redraft.lab.train.run_log import LOG, RunLog
from redraft.lab.train.step_profiler import IDLE, REST, STEPS, StepProfiler, sum_by_kind


def test_kernels_are_told_apart_by_their_names():
    found = sum_by_kind({"nvjet_hsh_128x256": 3.0, "_window_backward": 2.0, "triton_poi_fused_gelu_3": 1.0, "odd": 0.5})
    assert found == {"matrix products": 3.0, "attention": 2.0, "fused by the compiler": 1.0, REST: 0.5}


def test_a_few_steps_are_watched_once_and_put_on_record(tmp_path):
    with RunLog(tmp_path) as log:
        watch = StepProfiler(2, torch.device("cpu"), log)
        for step in range(1, 2 * STEPS):
            torch.ones(64, 64) @ torch.ones(64, 64)
            watch.step_ended(step)
    (entry,) = [json.loads(line) for line in (tmp_path / LOG).read_text().splitlines()]
    assert entry["event"] == "profile" and entry["milliseconds"]["matrix products"] > 0
    assert sum(entry["milliseconds"].values()) >= entry["wall"] > 0 and IDLE in entry["milliseconds"]


def test_without_a_number_nothing_is_watched(tmp_path):
    with RunLog(tmp_path) as log:
        watch = StepProfiler(0, torch.device("cpu"), log)
        for step in range(10):
            watch.step_ended(step)
    assert not (tmp_path / LOG).read_text()
