"""The config of a network: its type and size; and presets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Literal

from redraft.errors import ConfigError
from redraft.settings_reader import Range, check_ranges, read_settings, suggest

Norm = Literal["pre", "post"]
Activation = Literal["relu", "gelu", "swish"]
Positions = Literal["rotary", "sinusoidal", "learned"]
Part = Literal["embedding", "encoder", "decoder"]
PARTS: tuple[Part, ...] = ("embedding", "encoder", "decoder")
"""The parts of a network, by which the names of their tensors begin. An output layer of its own belongs to none."""
LOWEST_OUTPUT: Mapping[Activation, float] = {"relu": 0.0, "gelu": -0.17, "swish": -0.2785}
"""Lower bound of the output of each activation function."""
Layers = Annotated[int, Range(min=1, max=200)]
"""The native engine has memory for the steps of 200 layers."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Type and size of an encoder-decoder Transformer.

    The limits are far above the sizes of useful models. They keep products of sizes in range: a sum of `ffn` products
    of bytes fits into 32 bits. The least `max_tokens` leaves space for the tokens that are put around a text.
    """

    vocabulary: Annotated[int, Range(min=4, max=1_048_576)]
    width: Annotated[int, Range(min=1, max=8192)] = 512
    ffn: Annotated[int, Range(min=1, max=32_768)] = 2048
    heads: Annotated[int, Range(min=1, max=256)] = 8
    encoder_layers: Layers = 12
    decoder_layers: Layers = 2
    norm: Norm = "pre"
    activation: Activation = "gelu"
    positions: Positions = "rotary"
    max_tokens: Annotated[int, Range(min=8, max=8192)] = 256
    """Length of the longest source and of the longest target, without <bos> and <eos>."""
    scale_embedding: bool = False
    """Multiply embeddings by the square root of the width, as in the original Transformer."""
    norm_embedding: bool = False
    """Normalize the sum of embedding and position, as in BART."""
    tie_output: bool = True
    """Use the embedding table as the output layer."""
    output_bias: bool = False
    position_offset: Annotated[int, Range(min=0, max=1024)] = 0
    """Unused rows at the start of a table of learned positions (2 in BART)."""

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.width % self.heads:
            raise ConfigError(f"width {self.width} is not a multiple of heads {self.heads}")
        if self.positions == "rotary" and self.head_width % 2:
            raise ConfigError(f"rotary positions need an even head width, not {self.head_width}")

    @property
    def head_width(self) -> int:
        return self.width // self.heads

    @property
    def table_rows(self) -> int:
        """Rows of a position table: the longest sequence with <bos> or <eos>, and the unused rows."""
        return self.max_tokens + 1 + self.position_offset

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> ModelConfig:
        try:
            return read_settings(cls, values)
        except ConfigError as error:
            raise ConfigError(f"model config: {error}") from None

    def to_mapping(self) -> dict[str, Any]:
        return asdict(self)

    def tensors(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Name and shape of every weight of the network; linear weights are (out, in)."""
        d = self.width
        yield "embedding.weight", (self.vocabulary, d)
        for side, depth in (("encoder", self.encoder_layers), ("decoder", self.decoder_layers)):
            if self.positions == "learned":
                yield f"{side}.positions.weight", (self.table_rows, d)
            if self.norm_embedding:
                yield from _vectors(f"{side}.embedding_norm", d)
            for index in range(depth):
                yield from self._layer(f"{side}.layers.{index}", cross=side == "decoder")
            if self.norm == "pre":
                yield from _vectors(f"{side}.norm", d)
        if not self.tie_output:
            yield "output.weight", (self.vocabulary, d)
        if self.output_bias:
            yield "output.bias", (self.vocabulary,)

    def _layer(self, prefix: str, cross: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
        d = self.width
        yield from _vectors(f"{prefix}.self_norm", d)
        yield from _linear(f"{prefix}.self_attention.qkv", 3 * d, d)
        yield from _linear(f"{prefix}.self_attention.out", d, d)
        if cross:
            yield from _vectors(f"{prefix}.cross_norm", d)
            yield from _linear(f"{prefix}.cross_attention.query", d, d)
            yield from _linear(f"{prefix}.cross_attention.key_value", 2 * d, d)
            yield from _linear(f"{prefix}.cross_attention.out", d, d)
        yield from _vectors(f"{prefix}.ffn_norm", d)
        yield from _linear(f"{prefix}.ffn.up", self.ffn, d)
        yield from _linear(f"{prefix}.ffn.down", d, self.ffn)


def _vectors(prefix: str, size: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{prefix}.weight", (size,)
    yield f"{prefix}.bias", (size,)


def _linear(prefix: str, out: int, into: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{prefix}.weight", (out, into)
    yield f"{prefix}.bias", (out,)


def _make_presets() -> dict[str, ModelConfig]:
    tiny = ModelConfig(vocabulary=1000, width=64, ffn=128, heads=4, encoder_layers=2, decoder_layers=1, max_tokens=128)
    small = ModelConfig(vocabulary=16_000, width=256, ffn=1024, heads=4, encoder_layers=6, decoder_layers=2)
    base = ModelConfig(vocabulary=16_000)
    big = ModelConfig(vocabulary=32_000, width=1024, ffn=4096, heads=16)
    bart = ModelConfig(
        vocabulary=50_265,
        width=1024,
        ffn=4096,
        heads=16,
        norm="post",
        positions="learned",
        max_tokens=1023,
        norm_embedding=True,
        position_offset=2,
    )
    depths = {
        "base": (base, ((6, 6), (9, 3), (12, 2))),
        "big": (big, ((6, 6), (3, 6), (9, 6), (6, 3), (6, 9), (7, 5), (8, 4), (9, 3), (10, 2), (11, 1))),
        "bart": (bart, ((12, 2), (12, 12))),
    }
    named = {"tiny": tiny, "small": small}
    for family, (shape, pairs) in depths.items():
        for encoder, decoder in pairs:
            named[f"{family}-{encoder}+{decoder}"] = replace(shape, encoder_layers=encoder, decoder_layers=decoder)
    return named


PRESETS: Mapping[str, ModelConfig] = _make_presets()


def preset(name: str, **changes: Any) -> ModelConfig:
    """The config of a name, with some of its fields changed."""
    if name not in PRESETS:
        raise ConfigError(f"no preset is called {name!r}{suggest(name, PRESETS)}")
    return ModelConfig.from_mapping({**PRESETS[name].to_mapping(), **changes})
