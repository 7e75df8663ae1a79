"""What a training run is told: one TOML file, read into frozen dataclasses that refuse unknown names and bad values."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from redraft.errors import ConfigError

SourceKind = Literal["clean", "pairs", "shards", "copy", "rare"]
NOISY: tuple[SourceKind, ...] = ("clean", "rare")
"""Kinds that get errors; `rare` does without where there is no error table."""
Schedule = Literal["cosine", "linear", "inverse-sqrt", "constant"]
Compile = Literal["layers", "model", "none"]
Precision = Literal["bf16", "fp32"]
Finish = Literal["ema", "average", "best", "last"]


def _at_least(least: int, config: object, *names: str) -> None:
    for name in names:
        if getattr(config, name) < least:
            raise ConfigError(f"{name} must be at least {least}, not {getattr(config, name)}")


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """What to train on. `clean` gets errors on the fly, `pairs` is source TAB target, `shards` are folders of packed
    ids, `copy` must come out as it is; `rare` gets strange strings that must, and errors in every second sentence."""

    kind: SourceKind
    files: tuple[str, ...]
    """Paths or patterns; .xz files are unpacked into the run's folder first."""

    def __post_init__(self) -> None:
        if not self.files:
            raise ConfigError("a data source needs at least one file")


@dataclass(frozen=True, slots=True)
class DataConfig:
    tokenizer: str
    sources: Mapping[str, SourceConfig]
    errors: str = ""
    """The error table; needed by sources of the kind `clean`."""
    exclude: tuple[str, ...] = ()
    """Text or M2 files whose sentences must not be trained on. Shards were freed of theirs when they were packed."""
    unit: int = 16_384
    """Token slots, on either side, of the packed unit that a worker makes. A batch is one unit or several."""
    longest: int = 128
    """Sentences of more tokens, <bos> or <eos> counted, are left out."""
    lanes: int = 60
    """The data is dealt out to this many independent streams; the order does not depend on the number of workers."""
    workers: int = 0
    """Processes that make batches; 0 for one less than there are cores."""
    seed: int = 1

    def __post_init__(self) -> None:
        _at_least(1, self, "unit", "longest", "lanes")
        _at_least(0, self, "workers", "seed")
        if self.longest > self.unit:
            raise ConfigError(f"data.longest {self.longest} does not fit into data.unit {self.unit}")


@dataclass(frozen=True, slots=True)
class BatchConfig:
    """How many packed units a forward pass takes, up to a point of the stage."""

    units: int
    until: float = 1.0

    def __post_init__(self) -> None:
        _at_least(1, self, "units")


@dataclass(frozen=True, slots=True)
class StageConfig:
    name: str
    mix: Mapping[str, float]
    """Data source to its share of the pairs."""
    minutes: float = 0.0
    steps: int = 0
    """A stage ends after `minutes` or after `steps`, whichever is given; with both, at the earlier."""
    learning_rate: float = 1e-3
    schedule: Schedule = "cosine"
    warmup: float = 0.03
    """Share of the stage in which the learning rate rises from zero."""
    warmup_steps: int = 0
    """The same as a number of steps, for schedules that count them; 0 leaves it to `warmup`."""
    batches: tuple[BatchConfig, ...] = (BatchConfig(1),)
    accumulate: int = 1
    """Forward passes per step, on all processes together."""
    dropout: float = 0.1
    label_smoothing: float = 0.1
    changed_weight: float = 1.0
    """The loss of target tokens that are not copied from the source counts this many times."""
    weight_decay: float = 0.01
    clip: float = 1.0
    ema: float = 0.999
    """Decay, per step, of the running average of the weights; 0 for none."""
    finish: Finish = "last"
    """Which weights the stage leaves behind: the running average, the mean of the last checkpoints, the best on dev, or
    simply the last."""
    patience: int = 0
    """Stop the stage after this many dev evaluations without a better F0.5; 0 never stops early."""
    examine_steps: int = 0
    """Evaluate on dev after so many steps, besides dev.minutes; 0 for no such count."""

    def __post_init__(self) -> None:
        where = f"stage {self.name}"
        if not self.minutes > 0 and not self.steps > 0:
            raise ConfigError(f"{where}: give minutes or steps")
        if not self.mix or min(self.mix.values()) < 0 or not sum(self.mix.values()) > 0:
            raise ConfigError(f"{where}: mix needs shares that are not negative and not all zero")
        if not self.batches or [batch.until for batch in self.batches] != sorted(batch.until for batch in self.batches):
            raise ConfigError(f"{where}: batches must be listed by rising `until`")
        if self.batches[-1].until < 1:
            raise ConfigError(f"{where}: the last of the batches must last until 1.0")
        for name in ("dropout", "label_smoothing", "ema", "warmup"):
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"{where}: {name} must lie between 0 and 1, not {getattr(self, name)}")
        for name in ("learning_rate", "clip", "changed_weight"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{where}: {name} must be above 0, not {getattr(self, name)}")
        if self.finish == "ema" and not self.ema:
            raise ConfigError(f"{where}: finish = 'ema' needs an ema decay")
        _at_least(1, self, "accumulate")


@dataclass(frozen=True, slots=True)
class RunConfig:
    device: str = "auto"
    precision: Precision = "bf16"
    compile: Compile = "layers"
    peak_tflops: float = 990.0
    """What the hardware could do, for the utilization in the progress line."""
    log_steps: int = 50
    profile_after: int = 0
    """After so many steps of a stage a few are profiled, to see where their time goes; 0 for none."""
    progress_seconds: float = 10.0
    checkpoint_minutes: float = 5.0
    checkpoint_steps: int = 0
    """A checkpoint also after so many steps; 0 leaves it to the clock."""
    keep: int = 0
    """Weights of this many checkpoints are kept for averaging, besides the last two checkpoints."""
    spike: float = 3.0
    """Step back when the loss is this many times its running mean, or is not a number."""
    betas: tuple[float, float] = (0.9, 0.98)
    epsilon: float = 1e-8

    def __post_init__(self) -> None:
        _at_least(1, self, "log_steps")
        if self.spike <= 1:
            raise ConfigError("run.spike must be above 1")


@dataclass(frozen=True, slots=True)
class DevConfig:
    """What is decoded now and then to see how good the model is."""

    m2: tuple[str, ...] = ()
    """M2 files; F0.5 by MaxMatch on the first `limit` sentences of each."""
    limit: int = 500
    minutes: float = 0.0
    """Evaluate this often within a stage; 0 for stage ends, and where a stage asks for more."""
    probe: int = 200
    """How many made-up correct sentences full of rare strings are decoded, to see that they are left alone."""
    batch: int = 128


@dataclass(frozen=True, slots=True)
class TrainConfig:
    folder: str
    """Where checkpoints, logs and the finished model go."""
    name: str
    """What the finished model calls itself."""
    language: str
    data: DataConfig
    stages: tuple[StageConfig, ...]
    summary: str = ""
    licence: str = ""
    threshold: float = 0.0
    """These three are handed on to the finished model too."""
    model: Mapping[str, Any] = field(default_factory=dict)
    """A `preset`, and any field of the model config that differs from it; the vocabulary comes from the tokenizer."""
    run: RunConfig = field(default_factory=RunConfig)
    dev: DevConfig = field(default_factory=DevConfig)
    start: str = ""
    """A model folder to start from instead of random weights."""

    def __post_init__(self) -> None:
        if not self.stages:
            raise ConfigError("a training config needs at least one [[stages]]")
        if "preset" not in self.model and not self.start:
            raise ConfigError("[model] needs a preset, or `start` a model folder")
        for stage in self.stages:
            for name in stage.mix:
                if name not in self.data.sources:
                    known = ", ".join(self.data.sources)
                    raise ConfigError(f"stage {stage.name}: no data source is called {name!r}; there are {known}")
                if self.data.sources[name].kind == "clean" and not self.data.errors:
                    raise ConfigError(f"data source {name}: clean text needs data.errors, an error table")
            if stage.finish == "average" and not self.run.keep:
                raise ConfigError(f"stage {stage.name}: finish = 'average' needs run.keep, the checkpoints to average")
        if len({stage.name for stage in self.stages}) != len(self.stages):
            raise ConfigError("two stages have the same name")


def read(path: Path, changes: Sequence[str] = ()) -> TrainConfig:
    """The config in a TOML file, after `key.key=value` changes; the value is TOML, or a bare string."""
    values = _read_toml(path)
    for change in changes:
        _set(values, change)
    try:
        config: TrainConfig = _build(TrainConfig, values, "")
        return config
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def _read_toml(path: Path) -> dict[str, Any]:
    """The tables of a file, laid over those of the file that its key `extends` names."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such config file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    below = values.pop("extends", None)
    return values if below is None else _lay_over(_read_toml(path.parent / str(below)), values)


def _lay_over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        both = isinstance(value, dict) and isinstance(below.get(key), dict)
        merged[key] = _lay_over(below[key], value) if both else value
    return merged


def _set(values: dict[str, Any], change: str) -> None:
    """Sets one dotted key. In a list of tables the next key is a number or the name of an entry."""
    path, equals, text = change.partition("=")
    if not equals:
        raise ConfigError(f"--set takes key=value, not {change!r}")
    keys = path.strip().split(".")
    where: Any = values
    for key in keys[:-1]:
        where = _entry(where, key, path) if isinstance(where, list) else where.setdefault(key, {})
        if not isinstance(where, (dict, list)):
            raise ConfigError(f"--set {path}: {key} is a value, not a table")
    if isinstance(where, list):
        raise ConfigError(f"--set {path}: name a key of an entry of the list")
    where[keys[-1]] = _value(text.strip())


def _entry(entries: list[Any], key: str, path: str) -> Any:
    for index, entry in enumerate(entries):
        if key == str(index) or (isinstance(entry, dict) and entry.get("name") == key):
            return entry
    raise ConfigError(f"--set {path}: the list has no entry {key!r}")


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _build(cls: Any, values: Any, where: str) -> Any:
    if not isinstance(values, Mapping):
        raise ConfigError(f"[{where}] must be a table")
    hints = get_type_hints(cls)
    unknown = sorted(set(values) - set(hints))
    if unknown:
        place = f"[{where}]: " if where else ""
        raise ConfigError(f"{place}unknown key {unknown[0]!r}; known keys: {', '.join(sorted(hints))}")
    made = {name: _convert(hints[name], value, f"{where}.{name}".strip(".")) for name, value in values.items()}
    for entry in fields(cls):
        if entry.name not in made and entry.default is MISSING and entry.default_factory is MISSING:
            raise ConfigError(f"{f'[{where}]: ' if where else ''}{entry.name} is missing")
    return cls(**made)


def _convert(kind: Any, value: Any, where: str) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _build(kind, value, where)
    if origin is Literal:
        if value not in arguments:
            raise ConfigError(f"{where} must be one of {', '.join(map(str, arguments))}, not {value!r}")
        return value
    if origin is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{where} must be a list")
        return tuple(_convert(arguments[0], entry, f"{where}.{index}") for index, entry in enumerate(value))
    if origin is not None:  # Mapping[str, …]
        if not isinstance(value, Mapping):
            raise ConfigError(f"{where} must be a table")
        return MappingProxyType({key: _convert(arguments[1], entry, f"{where}.{key}") for key, entry in value.items()})
    return _convert_scalar(kind, value, where)


def _convert_scalar(kind: Any, value: Any, where: str) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is not Any and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        raise ConfigError(f"{where} must be of type {kind.__name__}, not {value!r}")
    return value
