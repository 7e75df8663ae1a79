"""Converts models of other projects to ours, with all layers or some.

Two things differ besides the names of tensors, which `foreign_model` translates. Our first ids are <pad>, <bos> and
<eos>, so the rows of the vocabulary are put into that order. And our targets begin with <bos>, so <bos> gets the row of
the token that the source's decoder begins with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from redraft.errors import ConfigError, ModelError
from redraft.model import folder
from redraft.model.config import ModelConfig
from redraft.model.foreign_model import Source

KEEPS = ("first", "spread")
Layers = int | Sequence[int] | None
"""Number of layers to keep, or which ones, or None for all."""

NEVER = -10_000.0
"""Output bias of <pad> and <bos>, so that they are never predicted: one of them has a copy of the row of </s>, and
would tie with it. float16 can hold the number."""


@dataclass(frozen=True, slots=True)
class Adopted:
    """A model with our names and token ids."""

    config: ModelConfig
    tensors: Mapping[str, Tensor]
    order: tuple[int, ...]
    """The source's id of each of our ids."""
    lead: int | None
    """Our id of the token that every sentence begins with, if any."""


def choose_layers(wanted: Layers, available: int, keep: str = "first") -> list[int]:
    """The layers to keep of `available`: all, the first n, n evenly spread ones, or those in a list."""
    if keep not in KEEPS:
        raise ConfigError(f"--keep must be {' or '.join(KEEPS)}, not {keep!r}")
    if wanted is None:
        return list(range(available))
    if not isinstance(wanted, int):
        if not wanted or sorted(set(wanted)) != list(wanted) or not 0 <= wanted[0] <= wanted[-1] < available:
            raise ConfigError(f"the layers to keep must be numbers from 0 to {available - 1} in rising order")
        return list(wanted)
    if not 1 <= wanted <= available:
        raise ConfigError(f"cannot keep {wanted} layers of {available}; give a number from 1 to {available}")
    if keep == "first" or wanted == 1:
        return list(range(wanted))
    return [(2 * index * (available - 1) + wanted - 1) // (2 * (wanted - 1)) for index in range(wanted)]


def keep_layers(source: Source, encoder: Sequence[int], decoder: Sequence[int]) -> Source:
    """The source with these layers alone, renumbered."""
    config = replace(source.config, encoder_layers=len(encoder), decoder_layers=len(decoder))
    kept = {"encoder": encoder, "decoder": decoder}

    def original(name: str) -> str:
        side, *rest = name.split(".")
        if rest[0] != "layers":
            return name
        return ".".join([side, "layers", str(kept[side][int(rest[1])]), *rest[2:]])

    tensors = {name: source.tensors[original(name)] for name, _ in config.tensors()}
    return replace(source, config=config, tensors=tensors)


def renumber(source: Source, lead: bool | None = None) -> Adopted:
    """Puts the rows of the vocabulary into our order, and sets an output bias with which <pad> and <bos> are never
    predicted. `lead` says whether every sentence begins with the source's <s>; None does as the source."""
    wanted = source.leads if lead is None else lead
    if wanted and source.bos is None:
        raise ConfigError("the source has no <s> that its sentences could begin with; leave out --lead")
    special = [source.pad, source.start, source.eos]
    if max(*special, source.bos or 0) >= source.config.vocabulary:
        raise ModelError(f"the source has {source.config.vocabulary} tokens, but one of its special ids is larger")
    order = [*special, *(index for index in range(source.config.vocabulary) if index not in special)]
    config = replace(source.config, vocabulary=len(order), output_bias=True)
    tensors = dict(source.tensors)
    bias = tensors.get("output.bias", torch.zeros(source.config.vocabulary))
    rows = torch.tensor(order)
    tensors["output.bias"] = bias[rows]
    tensors["output.bias"][:2] = NEVER
    for name in {"embedding.weight", "output.weight"} & tensors.keys():
        tensors[name] = tensors[name][rows]
    return Adopted(
        config, tensors, tuple(order), order.index(source.bos) if wanted and source.bos is not None else None
    )


def write(path: Path, adopted: Adopted, info: folder.ModelInfo, card: str) -> None:
    """Writes a model folder without its tokenizer; weights keep their precision."""
    path.mkdir(parents=True, exist_ok=True)
    if any(path.iterdir()):
        raise ModelError(f"{path} is not empty; name a new folder")
    save_file({name: adopted.tensors[name].contiguous() for name, _ in adopted.config.tensors()}, path / folder.WEIGHTS)
    folder.write_config(path, info, adopted.config)
    (path / folder.CARD).write_text(card, encoding="utf-8")
