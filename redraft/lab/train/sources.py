"""From the config's data section to what the workers read."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

from redraft.errors import InputError
from redraft.lab.data.shards import Shards
from redraft.lab.train.batches import Layout
from redraft.lab.train.config import NOISY, DataConfig, StageConfig, TrainConfig
from redraft.lab.train.corpus import Gathered, expand, gather, read_excluded
from redraft.lab.train.group import Group
from redraft.lab.train.journal import Journal
from redraft.lab.train.workers import FeedPlan, Stream


def gather_streams(config: TrainConfig, root: Path, group: Group, journal: Journal) -> dict[str, Stream]:
    """Unpacks and indexes all text the stages ask for. The first process does it and tells the others."""
    data = config.data
    wanted = {name for stage in config.stages for name, share in stage.mix.items() if share > 0}
    found: dict[str, Gathered] = {}
    if group.first:
        excluded = read_excluded(expand(data.exclude, root)) if data.exclude else frozenset()
        for name in sorted(wanted):
            started = time.monotonic()
            files = expand(data.sources[name].files, root)
            if data.sources[name].kind == "shards":
                found[name] = _open_shards(files, root / data.tokenizer)
            else:
                found[name] = gather(files, root / config.folder / "text" / name, excluded, os.cpu_count() or 1)
            kept, left_out = found[name].lines - found[name].excluded, found[name].excluded
            journal.record("gathered", source=name, kept=kept, left_out=left_out)
            journal.say(f"{name}: {kept:,} lines, {left_out:,} left out, in {time.monotonic() - started:.1f} s")
    found = group.gather(found)[0]
    return {name: Stream(data.sources[name].kind, gathered.files, share=0.0) for name, gathered in found.items()}


def _open_shards(folders: list[Path], tokenizer: Path) -> Gathered:
    """Packed ids are mapped where they lie; they must be the ids of the tokenizer in use."""
    shards = Shards(*folders)
    shards.refuse_other_tokenizers(tokenizer)
    if not shards:
        raise InputError(f"{folders[0]}: no pair is left to train on")
    return Gathered(tuple(folders), len(shards), 0)


def plan_feed(data: DataConfig, stage: StageConfig, number: int, streams: dict[str, Stream], root: Path) -> FeedPlan:
    """What the workers of the stage of that number do."""
    chosen = tuple(replace(streams[name], share=share) for name, share in stage.mix.items() if share > 0)
    return FeedPlan(
        streams=chosen,
        layout=Layout(data.unit, data.longest),
        lanes=data.lanes,
        seed=data.seed * 100 + number,
        tokenizer=root / data.tokenizer,
        errors=root / data.errors if data.errors and any(stream.kind in NOISY for stream in chosen) else None,
        changed_weight=stage.changed_weight,
    )


def count_workers(data: DataConfig, group: Group) -> int:
    return data.workers or max(1, ((os.cpu_count() or 2) - 1) // group.size)
