"""Finds and prepares the files that a training config names, and plans the work of the data workers."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from redraft.errors import InputError, RedraftError
from redraft.lab.data.shards import Shards
from redraft.lab.data.source_list import OPEN, read_source_list
from redraft.lab.data.source_record import SourceSelection, list_credits, record_of
from redraft.lab.train.config import NOISY, DataConfig, StageConfig, TrainConfig, trained_configs
from redraft.lab.train.corpus import IndexedText, expand_patterns, index_files, read_excluded
from redraft.lab.train.packing import Layout
from redraft.lab.train.process_group import ProcessGroup
from redraft.lab.train.run_log import RunLog
from redraft.lab.train.workers import MixSource, WorkerPlan
from redraft.model import folder
from redraft.model.folder import ModelFolder

TOKENIZER_KEY = "data.tokenizer"


def check_files(config: TrainConfig, root: Path) -> None:
    """Refuses a config that names files which do not exist, and lists all of them: a run on a GPU should not start, and
    fail on the first, then on the second."""
    named = dict.fromkeys(entry for each in trained_configs(config) for entry in _named_files(each))
    missing = [f"{key}: {name}" for key, name in named if not expand_patterns(name, root)]
    if missing:
        raise InputError("the config names files that do not exist:\n" + "\n".join(f"  {line}" for line in missing))


def _named_files(config: TrainConfig) -> Iterator[tuple[str, str]]:
    """The key and the path or pattern of every file that the run will read."""
    data = config.data
    yield TOKENIZER_KEY, data.tokenizer
    if data.error_table:
        yield "data.error_table", data.error_table
    if data.source_list and data.source_list != OPEN:
        yield "data.source_list", data.source_list
    if config.start:
        yield "start", config.start
    if config.tagger is not None:
        yield "tagger.tags", config.tagger.tags
        if config.tagger.layer:
            yield "tagger.layer", config.tagger.layer
    yield from (("data.exclude", name) for name in data.exclude)
    yield from (("dev.m2", name) for name in config.dev.m2)
    for source in sorted(_used_sources(config)):
        yield from ((f"data.sources.{source}.files", name) for name in data.sources[source].files)


def _used_sources(*configs: TrainConfig) -> set[str]:
    stages = (stage for config in configs for stage in config.stages)
    return {name for stage in stages for name, share in stage.mix.items() if share > 0}


def check_licences(config: TrainConfig, root: Path) -> str:
    """Refuses files that the config's source list does not allow, and lists all of them. Returns the credits of those
    that are used, for the card of the model; empty without a source list."""
    data = config.data
    if not data.source_list:
        return ""
    selection = SourceSelection(read_source_list(OPEN if data.source_list == OPEN else root / data.source_list))
    refused = []
    if config.licence != selection.allowed.licence:
        refused.append(f"licence: must be {selection.allowed.licence!r}, not {config.licence!r}")
    for key, path in dict.fromkeys(entry for each in trained_configs(config) for entry in _training_files(each, root)):
        try:
            if key == TOKENIZER_KEY and _is_of_model(path, selection):
                _admit_model(path.parent, selection)
            else:
                selection.admit(path)
        except RedraftError as error:
            refused.append(f"{key}: {error}")
    if config.start:
        try:
            _admit_model(root / config.start, selection)
        except RedraftError as error:
            refused.append(f"start: {error}")
    if refused:
        lines = "\n".join(f"  {line}" for line in refused)
        raise InputError(f"the source list {data.source_list} does not allow all that the config names:\n{lines}")
    source_credits = list_credits(selection.allowed, selection.record)
    if not config.start and _is_of_model(root / data.tokenizer, selection):
        source_credits += (
            f"\nThe tokenizer is that of {Path(data.tokenizer).parent}, whose card lists further sources.\n"
        )
    return source_credits


def _is_of_model(tokenizer: Path, selection: SourceSelection) -> bool:
    """Whether the licence of a model decides about a tokenizer: it is a file of a model folder, and neither the source
    list nor a record beside it says what it was made from."""
    return (
        tokenizer.name == folder.TOKENIZER
        and (tokenizer.parent / folder.MANIFEST).is_file()
        and selection.allowed.find(tokenizer) is None
        and not record_of(tokenizer).is_file()
    )


def _admit_model(path: Path, selection: SourceSelection) -> None:
    """Refuses a model folder whose files are damaged, or with a licence that the source list does not allow."""
    model = ModelFolder.open(path)
    selection.admit_model(model.path, model.info.licence)


def _training_files(config: TrainConfig, root: Path) -> Iterator[tuple[str, Path]]:
    """The key and path of every file that the weights depend on. Excluded sentences and dev sets are none."""
    data = config.data
    yield TOKENIZER_KEY, root / data.tokenizer
    if data.error_table:
        yield "data.error_table", root / data.error_table
    if config.tagger is not None:
        yield "tagger.tags", root / config.tagger.tags
    for source in sorted(_used_sources(config)):
        yield from ((f"data.sources.{source}.files", path) for path in _find(data.sources[source].files, root))


def prepare_sources(config: TrainConfig, root: Path, group: ProcessGroup, log: RunLog) -> dict[str, MixSource]:
    """Unpacks and indexes all text that the stages use, those of all variants too, in the first process. The shares are
    set by `plan_workers`."""
    data = config.data
    found: dict[str, IndexedText] = {}
    if group.is_first:
        excluded = read_excluded(_find(data.exclude, root))
        for name in sorted(_used_sources(*trained_configs(config))):
            found[name] = _index_source(config, name, excluded, root, log)
    found = group.gather(found)[0]
    return {name: MixSource(data.sources[name].kind, text.files, share=0.0) for name, text in found.items()}


def index_text(config: TrainConfig, root: Path = Path()) -> None:
    """Unpacks and indexes the text of a run that comes later, and needs no device. Sources some of whose files are not
    there yet are left to the run itself."""
    with RunLog(root / config.folder) as log:
        excluded = read_excluded(_find(config.data.exclude, root))
        for name in sorted(_used_sources(*trained_configs(config))):
            source = config.data.sources[name]
            missing = [pattern for pattern in source.files if not expand_patterns(pattern, root)]
            if missing:
                log.print(f"{name}: not indexed, because {missing[0]} does not exist")
            elif source.kind != "shards":
                _index_source(config, name, excluded, root, log)


def _index_source(config: TrainConfig, name: str, excluded: frozenset[int], root: Path, log: RunLog) -> IndexedText:
    started = time.monotonic()
    source = config.data.sources[name]
    files = _find(source.files, root)
    if source.kind == "shards":
        found = _open_shards(files, root / config.data.tokenizer)
    else:
        found = index_files(files, root / config.folder / "text" / name, excluded, os.cpu_count() or 1)
    kept, left_out = found.lines - found.excluded, found.excluded
    log.record("source", source=name, kept=kept, left_out=left_out)
    log.print(f"{name}: {kept:,} lines, {left_out:,} left out, in {time.monotonic() - started:.1f} s")
    return found


def _find(patterns: tuple[str, ...], root: Path) -> list[Path]:
    files = [path for pattern in patterns for path in expand_patterns(pattern, root)]
    if patterns and not files:
        raise InputError(f"no training file matches {patterns[0]}")
    return files


def _open_shards(folders: list[Path], tokenizer: Path) -> IndexedText:
    """Shards are read where they are; they must have been encoded with the tokenizer of this run."""
    shards = Shards(*folders)
    shards.refuse_other_tokenizers(tokenizer)
    if not shards:
        raise InputError(f"{folders[0]}: no pair is left to train on")
    return IndexedText(tuple(folders), len(shards), 0)


def plan_workers(
    data: DataConfig, stage: StageConfig, number: int, sources: dict[str, MixSource], root: Path
) -> WorkerPlan:
    """What the workers of stage `number` do."""
    chosen = tuple(replace(sources[name], share=share) for name, share in stage.mix.items() if share > 0)
    noisy = data.error_table and any(source.kind in NOISY for source in chosen)
    return WorkerPlan(
        sources=chosen,
        layout=Layout(data.pack_tokens, data.max_length),
        partitions=data.partitions,
        seed=data.seed * 100 + number,
        tokenizer=root / data.tokenizer,
        error_table=root / data.error_table if noisy else None,
        changed_weight=stage.changed_weight,
        subword_dropout=stage.subword_dropout,
        reversed=data.reversed,
    )


def count_workers(data: DataConfig, group: ProcessGroup) -> int:
    return data.workers or max(1, ((os.cpu_count() or 2) - 1) // group.size)
