"""The config of a training run: one TOML file, read into frozen dataclasses."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from redraft.errors import ConfigError
from redraft.lab.train.config_changes import apply_change, first_key
from redraft.model.config import PARTS, Part
from redraft.settings_reader import Range, check_ranges, plain_values, read_settings, suggest

SourceKind = Literal["clean", "pairs", "shards", "copy", "rare"]
NOISY: tuple[SourceKind, ...] = ("clean", "rare")
"""Kinds into which errors are put; `rare` works without an error table too."""
Schedule = Literal["cosine", "linear", "inverse-sqrt", "constant"]
Compile = Literal["layers", "model", "none"]
Precision = Literal["bf16", "fp32"]
OptimizerName = Literal["adam", "muon"]
FinalWeights = Literal["ema", "average", "best", "last"]
VARIANTS = "variants"
"""Folder with a folder for each variant, in the folder of a run."""

Count = Annotated[int, Range(min=1)]
CountOrZero = Annotated[int, Range(min=0)]
Minutes = Annotated[float, Range(min=0)]
Share = Annotated[float, Range(min=0, below=1)]
Positive = Annotated[float, Range(above=0)]


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """Text to train on. `clean`: sentences into which errors are put; `pairs`: lines of source TAB target; `shards`:
    folders of token ids from `redraft prepare`; `copy`: correct sentences whose target is the source; `rare`: sentences
    into which random strings are put that must be copied, every second sentence with errors too."""

    kind: SourceKind
    files: tuple[str, ...]
    """Paths or patterns. Files that end in .xz are unpacked into the run's folder first."""

    def __post_init__(self) -> None:
        if not self.files:
            raise ConfigError("a data source needs at least one file")


@dataclass(frozen=True, slots=True)
class DataConfig:
    RENAMED_KEYS: ClassVar[Mapping[str, str]] = {
        "errors": "error_table",
        "unit": "pack_tokens",
        "longest": "max_length",
        "lanes": "partitions",
    }
    tokenizer: str
    sources: Mapping[str, SourceConfig]
    error_table: str = ""
    """Needed by sources of the kind `clean`."""
    source_list: str = ""
    """Sources that may be used, `open` or a TOML file: all others are refused. The model's card gives them credit."""
    reversed: bool = False
    """Swap the sides of all pairs: the model learns to write errors, for `redraft synthesize --model`."""
    exclude: tuple[str, ...] = ()
    """Text or M2 files whose sentences must not be trained on. Shards were filtered when they were packed."""
    pack_tokens: Count = 16_384
    """Tokens, on either side, of a pack: the block of sentences that a worker fills. A batch is one pack or several."""
    max_length: Count = 128
    """Sentences of more tokens are left out; <bos> or <eos> counts."""
    partitions: Count = 60
    """The data is divided into this many partitions, each read independently. The order of the pairs depends on this
    number, and not on the number of workers."""
    workers: CountOrZero = 0
    """Processes that fill packs; 0 means one less than the number of cores."""
    seed: CountOrZero = 1

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.max_length > self.pack_tokens:
            raise ConfigError(f"max_length {self.max_length} is more than pack_tokens {self.pack_tokens}")


@dataclass(frozen=True, slots=True)
class BatchConfig:
    """Number of packs per forward pass, until a share of the stage is done."""

    RENAMED_KEYS: ClassVar[Mapping[str, str]] = {"units": "packs"}
    packs: Count
    until: Positive = 1.0

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True)
class StageConfig:
    RENAMED_KEYS: ClassVar[Mapping[str, str]] = {
        "clip": "clip_norm",
        "finish": "final_weights",
        "examine_steps": "evaluation_steps",
    }
    name: str
    mix: Mapping[str, float]
    """Share of the pairs that comes from each data source."""
    minutes: Minutes = 0.0
    steps: CountOrZero = 0
    """A stage ends after `minutes` or `steps`; with both, at whichever comes first."""
    learning_rate: Positive = 1e-3
    optimizer: OptimizerName = "adam"
    """`muon`: Muon for the matrices of the layers, Adam for all other weights."""
    schedule: Schedule = "cosine"
    warmup: Share = 0.03
    """Share of the stage in which the learning rate rises from zero."""
    warmup_steps: CountOrZero = 0
    """The same as a number of steps; 0 means that `warmup` counts."""
    decay_minutes: Minutes = 0.0
    decay_steps: CountOrZero = 0
    """With the schedule `constant`: the learning rate falls linearly to zero over this many minutes or steps at the end
    of the stage."""
    frozen: tuple[Part, ...] = ()
    """Parts of the network whose weights stay as they are in this stage."""
    batches: tuple[BatchConfig, ...] = (BatchConfig(1),)
    accumulate: Count = 1
    """Forward passes per step, over all processes together."""
    dropout: Share = 0.1
    label_smoothing: Share = 0.1
    changed_weight: Positive = 1.0
    """Weight in the loss of target tokens that are not copied from the source; copied tokens have weight 1."""
    subword_dropout: Share = 0.0
    """Share of source tokens that are split at random into smaller tokens; targets and packed ids are not."""
    weight_decay: Annotated[float, Range(min=0)] = 0.01
    clip_norm: Positive = 1.0
    """Longer gradients are scaled down to this norm."""
    ema: Share = 0.999
    """Decay per step of the exponential moving average of the weights; 0 keeps none."""
    final_weights: FinalWeights = "last"
    """The weights that the stage ends with: the moving average, the mean of the last checkpoints, the best on dev, or
    the last."""
    patience: CountOrZero = 0
    """Stop the stage after this many dev evaluations without a better F0.5; 0 never stops early."""
    evaluation_steps: CountOrZero = 0
    """Evaluate on dev after this many steps, in addition to dev.minutes; 0 does not."""
    keep_checkpoint: bool = False
    """Keep the checkpoint from the end of the stage, optimizer included, so that another run can extend the stage."""

    def __post_init__(self) -> None:
        check_ranges(self)
        if not self.minutes and not self.steps:
            raise ConfigError("a stage needs minutes or steps, to know when it ends")
        if not self.mix or min(self.mix.values()) < 0 or not sum(self.mix.values()) > 0:
            raise ConfigError("mix needs shares that are not negative and not all zero")
        if not self.batches or [batch.until for batch in self.batches] != sorted(batch.until for batch in self.batches):
            raise ConfigError("batches must be in the order of rising `until`")
        if self.batches[-1].until < 1:
            raise ConfigError("the last of the batches must have until = 1.0")
        if self.final_weights == "ema" and not self.ema:
            raise ConfigError("final_weights = 'ema' needs an ema above 0")
        if set(self.frozen) == set(PARTS):
            raise ConfigError("frozen names all parts, so there would be nothing to train")
        self._check_decay()

    def _check_decay(self) -> None:
        for decay, end in (("decay_minutes", "minutes"), ("decay_steps", "steps")):
            if getattr(self, decay) > getattr(self, end):
                raise ConfigError(f"{decay} {getattr(self, decay)} is more than {end} {getattr(self, end)}")
            if getattr(self, decay) and self.schedule != "constant":
                raise ConfigError(f"{decay} needs schedule = 'constant', not {self.schedule!r}")


@dataclass(frozen=True, slots=True)
class RunConfig:
    RENAMED_KEYS: ClassVar[Mapping[str, str]] = {"keep": "keep_weights", "spike": "spike_factor"}
    device: str = "auto"
    precision: Precision = "bf16"
    compile: Compile = "layers"
    peak_tflops: Positive = 990.0
    """Peak of the hardware, from which the utilization in the progress line is computed."""
    log_steps: Count = 50
    profile_after: CountOrZero = 0
    """Profile a few steps after this many steps of a stage; 0 does not."""
    progress_seconds: Annotated[float, Range(min=0)] = 10.0
    checkpoint_minutes: Positive = 5.0
    checkpoint_steps: CountOrZero = 0
    """Write a checkpoint after this many steps too; 0 does not."""
    keep_weights: CountOrZero = 0
    """Number of checkpoints whose weights are kept for averaging, in addition to the last two checkpoints."""
    spike_factor: Annotated[float, Range(above=1)] = 3.0
    """Roll back when the loss is this many times its running mean, or is not finite."""
    betas: tuple[float, float] = (0.9, 0.98)
    epsilon: Positive = 1e-8
    variants_at_once: CountOrZero = 0
    """Number of variants that are trained at the same time; 0 means all."""

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True)
class DevConfig:
    """What is decoded to evaluate the model while it trains."""

    RENAMED_KEYS: ClassVar[Mapping[str, str]] = {"probe": "correct_sentences", "batch": "batch_size"}
    m2: tuple[str, ...] = ()
    """M2 files; F0.5 by MaxMatch on the first `limit` sentences of each."""
    limit: Count = 500
    minutes: Minutes = 0.0
    """Evaluate at this interval within a stage; 0 evaluates at the end of a stage, and where a stage asks for more."""
    correct_sentences: CountOrZero = 200
    """Number of generated correct sentences with rare strings that are decoded to measure overcorrection."""
    batch_size: Count = 128

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True)
class TaggerConfig:
    """A tagger instead of a corrector: an encoder that gives each word of the source a tag."""

    tags: str
    """The tag vocabulary, made by `python -m redraft.lab.tagger.vocabulary`."""
    layer: str = ""
    """Folder of another tagger with the same tags, whose linear layer to start from; `start` may have its encoder."""
    min_probability: Annotated[float, Range(min=0, max=1)] = 0.0
    """Less likely tags are not applied."""
    min_error_probability: Annotated[float, Range(min=0, max=1)] = 0.0
    """A sentence is left alone if no word is more likely wrong than this. These two, and `max_passes`, are defaults of
    the finished tagger."""
    max_passes: Annotated[int, Range(min=1, max=10)] = 3

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True, slots=True)
class VariantConfig:
    """One of several runs that go on from the same weights, and whose weights are averaged at the end."""

    name: str
    """Name of the variant, and of its folder in the folder `variants` of the run."""
    set: tuple[str, ...] = ()
    """Changes of the config, `key.key=value` as for --set."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}", self.name):
            raise ConfigError("the name of a variant has letters, digits, _, - and . only, as it names a folder")


@dataclass(frozen=True, slots=True)
class TrainConfig:
    RENAMED_KEYS: ClassVar[Mapping[str, str]] = {"min_confidence": "threshold"}
    folder: str
    """Folder for checkpoints, logs and the finished model."""
    name: str
    """Name of the finished model."""
    language: str
    data: DataConfig
    stages: tuple[StageConfig, ...]
    summary: str = ""
    licence: str = ""
    threshold: Annotated[float, Range(min=0, max=1)] = 0.0
    """These three are written into the finished model."""
    model: Mapping[str, Any] = field(default_factory=dict)
    """A `preset`, and fields of the model config that differ from it. The vocabulary size is the tokenizer's."""
    run: RunConfig = field(default_factory=RunConfig)
    dev: DevConfig = field(default_factory=DevConfig)
    start: str = ""
    """A model folder whose weights to start from, instead of random ones."""
    start_parts: tuple[Part, ...] = PARTS
    """The parts that have the weights of `start`; the others have random ones. A tagger always has the embedding and
    the encoder."""
    tagger: TaggerConfig | None = None
    """Given if a tagger is trained, with `python -m redraft.lab.tagger.train`."""
    last_shared_stage: str = ""
    """The stages up to this one are trained once, and the variants go on from there."""
    variants: tuple[VariantConfig, ...] = ()
    """Runs of the other stages with different settings; the finished model has the mean of their weights."""

    def __post_init__(self) -> None:
        check_ranges(self)
        if not self.stages:
            raise ConfigError("a training config needs at least one [[stages]]")
        if "preset" not in self.model and not self.start:
            raise ConfigError("[model] needs a preset, or `start` a model folder")
        if not self.start_parts:
            raise ConfigError("start_parts names no part; leave `start` out to begin with random weights")
        if self.data.reversed and self.tagger is not None:
            raise ConfigError("data.reversed is for a model that writes errors, which a tagger cannot do")
        if self.data.reversed and self.dev.m2:
            raise ConfigError("data.reversed: dev.m2 has corrections, and this model writes errors; set dev.m2 = []")
        for stage in self.stages:
            for name in stage.mix:
                if name not in self.data.sources:
                    known = suggest(name, self.data.sources)
                    raise ConfigError(f"stages.{stage.name}.mix: no data source is called {name!r}{known}")
                if self.data.sources[name].kind == "clean" and not self.data.error_table:
                    raise ConfigError(f"data.sources.{name}: clean text needs data.error_table")
            if stage.final_weights == "average" and not self.run.keep_weights:
                raise ConfigError(f"stages.{stage.name}: final_weights = 'average' needs run.keep_weights above 0")
        if len({stage.name for stage in self.stages}) != len(self.stages):
            raise ConfigError("two stages have the same name")
        if self.variants:
            self._check_variants()

    def _check_variants(self) -> None:
        names = [variant.name for variant in self.variants]
        for name in names:
            if names.count(name) > 1:
                raise ConfigError(f"two variants have the name {name!r}")
        stages = [stage.name for stage in self.stages]
        if not self.last_shared_stage:
            raise ConfigError("variants need last_shared_stage, the name of the last stage that they have in common")
        if self.last_shared_stage not in stages:
            known = suggest(self.last_shared_stage, stages)
            raise ConfigError(f"last_shared_stage: no stage is called {self.last_shared_stage!r}{known}")
        if self.last_shared_stage == stages[-1]:
            raise ConfigError(
                f"last_shared_stage: no stage comes after {self.last_shared_stage!r}, so there can be no variants"
            )

    @property
    def shared_stages(self) -> tuple[StageConfig, ...]:
        """With variants, the stages that are trained once."""
        names = [stage.name for stage in self.stages]
        return self.stages[: names.index(self.last_shared_stage) + 1]


def read(path: Path, changes: Sequence[str] = ()) -> TrainConfig:
    """The config in a TOML file, with `key.key=value` changes, which also change what a variant sets."""
    values = _read_toml(path)
    for change in changes:
        apply_change(values, change)
    again = tuple(change for change in changes if first_key(change) != "variants")
    try:
        config = read_settings(TrainConfig, values)
        variants = tuple(replace(variant, set=(*variant.set, *again)) for variant in config.variants)
        config = replace(config, variants=variants)
        trained_configs(config)  # refuses what a variant cannot change
        return config
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def trained_configs(config: TrainConfig) -> tuple[TrainConfig, ...]:
    """The configs of the variants, each a run in a folder of its own; without variants, the config itself."""
    return tuple(_vary(config, variant) for variant in config.variants) or (config,)


def _vary(config: TrainConfig, variant: VariantConfig) -> TrainConfig:
    values = plain_values(replace(config, variants=()))
    try:
        for change in variant.set:
            apply_change(values, change, "set")
        varied = read_settings(TrainConfig, values)
        for key in _changed_keys(config, varied):
            raise ConfigError(f"{key} cannot be set for one variant, only for the whole run")
    except ConfigError as error:
        raise ConfigError(f"variants.{variant.name}: {error}") from None
    return replace(varied, folder=f"{config.folder}/{VARIANTS}/{variant.name}")


def _changed_keys(config: TrainConfig, varied: TrainConfig) -> list[str]:
    """Keys that differ although all variants must have them in common: the variants go on from the same weights, read
    the same unpacked text, and end in one model."""
    free = {"data", "run", "dev", "stages", "variants"}
    changed = [
        entry.name
        for entry in fields(TrainConfig)
        if entry.name not in free and getattr(config, entry.name) != getattr(varied, entry.name)
    ]
    for name in ("tokenizer", "source_list", "reversed", "exclude", "sources", "workers"):
        if getattr(config.data, name) != getattr(varied.data, name):
            changed.append(f"data.{name}")
    if config.run.variants_at_once != varied.run.variants_at_once:
        changed.append("run.variants_at_once")
    for place, stage in enumerate(config.shared_stages):
        if varied.stages[place : place + 1] != (stage,):
            changed.append(f"stages.{stage.name}")
    return changed


def _read_toml(path: Path) -> dict[str, Any]:
    """The tables of a file, merged into those of the file that its key `extends` names."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such config file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    parent = values.pop("extends", None)
    return values if parent is None else _merge(_read_toml(path.parent / str(parent)), values)


def _merge(parent: dict[str, Any], child: dict[str, Any]) -> dict[str, Any]:
    merged = dict(parent)
    for key, value in child.items():
        both = isinstance(value, dict) and isinstance(parent.get(key), dict)
        merged[key] = _merge(parent[key], value) if both else value
    return merged
