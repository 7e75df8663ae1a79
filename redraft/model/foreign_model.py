"""Reads models of other projects: BART and Marian as Hugging Face stores them, and fairseq checkpoints.

Their tensors get our names; token ids stay theirs. fairseq's sinusoids differ a little from the usual ones, so they are
read as a table of learned positions.
"""

from __future__ import annotations

import json
import math
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from redraft.errors import ModelError
from redraft.model import folder
from redraft.model.config import Activation, ModelConfig
from redraft.model.transformer import sinusoids

_ACTIVATIONS: Mapping[str, Activation] = {"gelu": "gelu", "relu": "relu", "swish": "swish", "silu": "swish"}
_POSITION_OFFSET = 2
_FAIRSEQ_BOS, _FAIRSEQ_PAD, _FAIRSEQ_EOS = 0, 1, 2
_FAIRSEQ_POSITIONS = 1024
_SIDES = ("encoder", "decoder")
_TABLES = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
_OUTPUTS = ("lm_head.weight", "decoder.output_projection.weight", "decoder.embed_out")
_KINDS = {torch.float16, torch.bfloat16, torch.float32}
_NO_WEIGHTS = re.compile(
    r"(encoder|decoder)\.(version|embed_positions\._float_tensor)|classification_heads?\..*|final_logits_bias"
)
"""Tensors that are not weights, or were read before."""
_PARTS = {
    "self_norm": ["self_attn_layer_norm"],
    "self_attention.qkv": ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
    "self_attention.out": ["self_attn.out_proj"],
    "cross_norm": ["encoder_attn_layer_norm"],
    "cross_attention.query": ["encoder_attn.q_proj"],
    "cross_attention.key_value": ["encoder_attn.k_proj", "encoder_attn.v_proj"],
    "cross_attention.out": ["encoder_attn.out_proj"],
    "ffn_norm": ["final_layer_norm"],
    "ffn.up": ["fc1"],
    "ffn.down": ["fc2"],
    "positions": ["embed_positions"],
    "embedding_norm": ["layernorm_embedding"],
    "norm": ["layer_norm"],
}
"""Our name of a part of a layer or stack → theirs; the rows of several are concatenated in ours."""


@dataclass(frozen=True, slots=True)
class Source:
    """Another project's model, with our names of its tensors and its own token ids."""

    family: str
    config: ModelConfig
    tensors: Mapping[str, Tensor]
    pad: int
    start: int
    """Token that its decoder begins with."""
    eos: int
    bos: int | None
    """Token that sentences, source or target, may begin with: BART's <s>, unless its decoder begins with it anyway."""
    leads: bool
    """Whether every sentence began with `bos` when the source was trained."""


def read(path: Path) -> Source:
    """Reads a Hugging Face folder, a fairseq checkpoint, or a folder with one fairseq checkpoint in it."""
    if (path / folder.CONFIG).is_file():
        return _read_hugging_face(path)
    if path.is_file():
        return _read_fairseq(path)
    checkpoints = sorted(path.glob("*.pt"))
    if len(checkpoints) == 1:
        return _read_fairseq(checkpoints[0])
    found = f"has {len(checkpoints)} checkpoints; name one of them" if checkpoints else "has no config.json and no .pt"
    raise ModelError(f"{path} {found}" if path.is_dir() else f"{path}: no such file or folder")


def _read_hugging_face(path: Path) -> Source:
    settings = {**_read_json(path / "generation_config.json"), **_read_json(path / folder.CONFIG)}
    kind = settings.get("model_type")
    if kind not in ("bart", "marian"):
        raise ModelError(f"{path} is a Hugging Face model of the type {kind!r}; supported are bart and marian")
    checkpoint = _Checkpoint(path, _hugging_face_tensors(path), settings)
    bias = checkpoint.tensors.get("final_logits_bias")
    config = ModelConfig(
        **checkpoint.shape("d_model", "encoder_ffn_dim", "decoder_ffn_dim"),
        norm="post",
        activation=checkpoint.activation("activation_function"),
        positions="learned" if kind == "bart" else "sinusoidal",
        max_tokens=checkpoint.number("max_position_embeddings") - 1,
        scale_embedding=bool(settings.get("scale_embedding")),
        norm_embedding=kind == "bart",
        tie_output=settings.get("tie_word_embeddings") is not False,
        output_bias=bias is not None,
        position_offset=_POSITION_OFFSET if kind == "bart" else 0,
    )
    if kind == "marian":
        checkpoint.check_sinusoids(config)
    tensors = checkpoint.translate(config, None if bias is None else bias.flatten())
    eos, pad = checkpoint.number("eos_token_id"), checkpoint.number("pad_token_id")
    start = checkpoint.number("decoder_start_token_id")
    bos = settings.get("bos_token_id") if kind == "bart" else None
    leads = bos not in (None, start)
    family = "BART" if kind == "bart" else "Marian"
    return Source(family, config, tensors, pad, start, eos, bos if leads else None, leads)


def _read_fairseq(path: Path) -> Source:
    state = _unpickle(path)
    settings = _fairseq_settings(path, state)
    arch = str(settings.get("arch") or settings.get("_name") or "transformer")
    if not arch.startswith(("bart", "transformer")):
        raise ModelError(f"{path} is a fairseq model of the architecture {arch!r}; supported are transformer and bart")
    if settings.get("no_token_positional_embeddings"):
        raise ModelError(f"{path} was trained without positions, which is not supported")
    checkpoint = _Checkpoint(path, dict(state["model"]), settings)
    norms = [bool(settings.get(f"{side}_normalize_before")) for side in _SIDES]
    learned = [bool(settings.get(f"{side}_learned_pos")) for side in _SIDES]
    if len(set(norms)) > 1 or len(set(learned)) > 1:
        raise ModelError(
            f"{path}: encoder and decoder differ in the place of their norms or the kind of their positions"
        )
    width = checkpoint.number("encoder_embed_dim")
    limit = min(int(settings.get(f"max_{side}_positions") or _FAIRSEQ_POSITIONS) for side in ("source", "target"))
    if learned[0]:
        checkpoint.cut_positions(limit + _POSITION_OFFSET)
    else:
        checkpoint.tensors |= {f"{side}.embed_positions.weight": fairseq_sinusoids(limit, width) for side in _SIDES}
    config = ModelConfig(
        **checkpoint.shape("encoder_embed_dim", "encoder_ffn_embed_dim", "decoder_ffn_embed_dim"),
        norm="pre" if norms[0] else "post",
        activation=checkpoint.activation("activation_fn", "relu"),
        positions="learned",
        max_tokens=limit - 1,
        scale_embedding=not settings.get("no_scale_embedding"),
        norm_embedding=bool(settings.get("layernorm_embedding")),
        tie_output=checkpoint.is_tied(),
        position_offset=_POSITION_OFFSET if learned[0] else 0,
    )
    # Denoising, BART's pretraining, puts <s> before every sentence; translation, its fine-tuning, does not.
    leads = settings.get("task") == "denoising" or bool(settings.get("prepend_bos"))
    tensors = checkpoint.translate(config)
    return Source("fairseq", config, tensors, _FAIRSEQ_PAD, _FAIRSEQ_EOS, _FAIRSEQ_EOS, _FAIRSEQ_BOS, leads)


def fairseq_sinusoids(count: int, width: int) -> Tensor:
    """fairseq's table of `count` positions: it counts from its <pad> id + 1, and its frequencies differ a little."""
    half = width // 2
    frequencies = torch.exp(torch.arange(half) * (-math.log(10_000.0) / (half - 1)))
    angles = (torch.arange(count) + _FAIRSEQ_PAD + 1)[:, None] * frequencies
    return torch.cat((angles.sin(), angles.cos()), dim=-1)


class _Checkpoint:
    """Tensors by the source's names, and its settings."""

    def __init__(self, path: Path, tensors: dict[str, Tensor], settings: Mapping[str, Any]) -> None:
        self.path = path
        self.settings = settings
        self.tensors = dict(_split_projections(tensors))
        tables = [self.tensors.pop(name) for name in _TABLES if name in self.tensors]
        if not tables:
            raise ModelError(f"{path} has no embeddings, so it is not an encoder-decoder model")
        if any(not torch.equal(table, tables[0]) for table in tables):
            raise ModelError(f"{path}: encoder and decoder have different embeddings; only a shared table is supported")
        self.embedding = tables[0]
        outputs = [self.tensors.pop(name) for name in _OUTPUTS if name in self.tensors]
        self.output = outputs[0] if outputs else None

    def number(self, name: str) -> int:
        value = self.settings.get(name)
        if not isinstance(value, int):
            raise ModelError(f"{self.path}: the setting {name} must be a whole number, not {value!r}")
        return value

    def is_tied(self) -> bool:
        return self.output is None or torch.equal(self.output, self.embedding)

    def activation(self, name: str, default: str | None = None) -> Activation:
        value = self.settings.get(name, default)
        if value not in _ACTIVATIONS:
            raise ModelError(
                f"{self.path}: the activation {value!r} is not supported; there are {', '.join(_ACTIVATIONS)}"
            )
        return _ACTIVATIONS[value]

    def shape(self, width: str, *ffn: str) -> dict[str, Any]:
        heads = {self.number(f"{side}_attention_heads") for side in _SIDES}
        inner = {self.number(name) for name in ffn}
        if len(heads) > 1 or len(inner) > 1:
            raise ModelError(f"{self.path}: encoder and decoder have different numbers of heads or inner widths")
        return {
            "vocabulary": self.embedding.shape[0],
            "width": self.number(width),
            "ffn": inner.pop(),
            "heads": heads.pop(),
            "encoder_layers": self._depth("encoder"),
            "decoder_layers": self._depth("decoder"),
        }

    def _depth(self, side: str) -> int:
        numbers = [int(name.split(".")[2]) for name in self.tensors if name.startswith(f"{side}.layers.")]
        return max(numbers, default=-1) + 1

    def cut_positions(self, rows: int) -> None:
        for side in _SIDES:
            name = f"{side}.embed_positions.weight"
            if name in self.tensors:
                self.tensors[name] = self.tensors[name][:rows]

    def check_sinusoids(self, config: ModelConfig) -> None:
        """Checks that Marian's table of positions, where it is stored, is the one that the network computes."""
        for side in _SIDES:
            table = self.tensors.pop(f"{side}.embed_positions.weight", None)
            if table is None:
                continue
            expected = sinusoids(torch.arange(table.shape[0]), config.width)
            if table.shape != expected.shape or not torch.allclose(table.float(), expected, atol=1e-3):
                raise ModelError(f"{self.path}: the positions of the {side} are not the sinusoids of Marian")

    def translate(self, config: ModelConfig, bias: Tensor | None = None) -> dict[str, Tensor]:
        """All tensors of the config, by our names. Refuses missing tensors and unknown ones."""
        known = {"embedding.weight": self.embedding, "output.weight": self.output, "output.bias": bias}
        tensors = {}
        for name, shape in config.tensors():
            tensor = known[name] if name in known else self._join(name)
            if tensor is None:
                raise ModelError(f"{self.path} has no output layer, although its settings say that it is not tied")
            if tensor.shape != shape:
                raise ModelError(f"{self.path}: {name} has the shape {tuple(tensor.shape)} instead of {shape}")
            tensors[name] = tensor if tensor.dtype in _KINDS else tensor.float()
        left = [name for name in self.tensors if not _NO_WEIGHTS.fullmatch(name)]
        if left:
            raise ModelError(f"{self.path} has an unknown tensor {sorted(left)[0]!r}")
        return tensors

    def _join(self, name: str) -> Tensor:
        place, part, kind = _split_name(name)
        theirs = [f"{place}.{their}.{kind}" for their in _PARTS[part]]
        missing = [their for their in theirs if their not in self.tensors]
        if missing:
            raise ModelError(f"{self.path} has no tensor {missing[0]!r}")
        return torch.cat([self.tensors.pop(their) for their in theirs])


def _split_name(name: str) -> tuple[str, str, str]:
    """`decoder.layers.1.ffn.up.weight` → `decoder.layers.1`, `ffn.up`, `weight`."""
    words = name.split(".")
    depth = 3 if words[1] == "layers" else 1
    return ".".join(words[:depth]), ".".join(words[depth:-1]), words[-1]


def _split_projections(tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Splits the projections of queries, keys and values, which old versions of fairseq store in one tensor."""
    for name, tensor in tensors.items():
        head, joined, kind = name.partition(".in_proj_")
        if joined:
            yield from ((f"{head}.{part}_proj.{kind}", rows) for part, rows in zip("qkv", tensor.chunk(3), strict=True))
        else:
            yield name, tensor


def _hugging_face_tensors(path: Path) -> dict[str, Tensor]:
    safe, pickled = path / "model.safetensors", path / "pytorch_model.bin"
    if safe.is_file():
        try:
            tensors = load_file(safe)
        except SafetensorError as error:
            raise ModelError(f"{safe} is not a safetensors file: {error}") from error
    elif pickled.is_file():
        tensors = _unpickle(pickled)
    else:
        raise ModelError(f"{path} has neither {safe.name} nor {pickled.name}")
    return {name.removeprefix("model."): tensor for name, tensor in tensors.items()}


def _unpickle(path: Path) -> dict[str, Any]:
    """Opens a pickle that holds only tensors, plain values and fairseq's Namespace of arguments."""
    try:
        with torch.serialization.safe_globals([Namespace]):
            state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except OSError:
        raise
    except Exception as error:  # torch raises many kinds for a file that is damaged or holds other objects
        raise ModelError(
            f"{path} is damaged, or holds more than tensors and plain values, and such a pickle could run code; if you "
            "trust it, save it again with tensors and plain values alone (docs/adopting.md)"
        ) from error
    if not isinstance(state, dict):
        raise ModelError(f"{path} is a pickle without named tensors")
    return state


def _fairseq_settings(path: Path, state: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(state.get("model"), Mapping):
        raise ModelError(f"{path} has no 'model', so it is not a fairseq checkpoint")
    config = state.get("cfg")
    arguments = state.get("args") or (config.get("model") if isinstance(config, Mapping) else config)
    settings = vars(arguments) if isinstance(arguments, Namespace) else arguments
    if not isinstance(settings, Mapping):
        raise ModelError(f"{path} has neither 'args' nor 'cfg' with a 'model', so its settings are unknown")
    return settings


def _read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ModelError(f"{path} is not JSON: {error}") from error
    return {name: value for name, value in values.items() if value is not None} if isinstance(values, dict) else {}
