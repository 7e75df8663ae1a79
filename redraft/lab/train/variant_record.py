"""What a variant was trained with, in a file of its folder: a finished variant is not trained again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from redraft.atomic_write import atomic_write
from redraft.errors import ConfigError, InputError
from redraft.lab.train.checkpoint import Position
from redraft.lab.train.config import TrainConfig, trained_configs
from redraft.settings_reader import plain_values

RECORD = "variant.json"


@dataclass(frozen=True, slots=True)
class VariantRecord:
    last_shared_stage: str
    stages: list[Any]
    """Settings of the variant's own stages."""
    shared_steps: int
    shared_pairs: int
    shared_tokens: int
    """What the weights had seen before the first of these stages."""
    finished: bool = False
    dev: Mapping[str, float] | None = None
    """Dev figures of the final weights."""

    def write(self, folder: Path) -> None:
        with atomic_write(folder / RECORD, durable=True) as partial:
            partial.write_text(json.dumps(asdict(self)), encoding="utf-8")


def new_record(config: TrainConfig, position: Position) -> VariantRecord:
    """The record of a variant that starts at the position of the shared checkpoint."""
    return VariantRecord(
        config.last_shared_stage, _own_stages(config), position.all_steps, position.pairs, position.tokens
    )


def read_record(folder: Path) -> VariantRecord | None:
    try:
        return VariantRecord(**json.loads((folder / RECORD).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise InputError(
            f"{folder / RECORD} is damaged ({error}); delete {folder} to train the variant again"
        ) from None


def check_records(config: TrainConfig, root: Path) -> None:
    """Refuses variants whose settings were changed after they were trained: --resume would use the old weights."""
    for variant, each in zip(config.variants, trained_configs(config), strict=False):  # without variants, none
        folder = root / each.folder
        record = read_record(folder)
        if record is None:
            continue
        if record.last_shared_stage != config.last_shared_stage:
            raise ConfigError(
                f"variants.{variant.name} was started after the stage {record.last_shared_stage!r}, not after"
                f" {config.last_shared_stage!r}; delete {folder} to train it again"
            )
        if record.finished and record.stages != _own_stages(each):
            raise ConfigError(
                f"variants.{variant.name} is finished and was trained with other settings of its stages;"
                f" delete {folder} to train it again"
            )


def _own_stages(config: TrainConfig) -> list[Any]:
    return [plain_values(stage) for stage in config.stages[len(config.shared_stages) :]]
