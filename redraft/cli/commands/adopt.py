"""`redraft adopt`: converts another project's model to a model folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from redraft.cli.extras import needs_extra
from redraft.errors import ConfigError, InputError, ModelError
from redraft.terminal.output import remark


def adopt(
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="Hugging Face folder of BART or Marian, or fairseq checkpoint.")
    ],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Model folder to write.")],
    encoder_layers: Annotated[
        str | None,
        typer.Option(metavar="NUMBER|LIST", help="Encoder layers to keep: a number, or a list (0,2,4). Default: all."),
    ] = None,
    decoder_layers: Annotated[
        str | None, typer.Option(metavar="NUMBER|LIST", help="Decoder layers to keep. Default: all.")
    ] = None,
    keep: Annotated[
        str, typer.Option(metavar="first|spread", help="Layers that a number means: the first, or evenly spread ones.")
    ] = "first",
    lead: Annotated[
        bool | None,
        typer.Option("--lead/--no-lead", help="Begin every sentence with BART's <s>. Default: as the source."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the model. Default: that of TARGET.")
    ] = None,
    language: Annotated[str, typer.Option(metavar="CODE", help="Language of the model.")] = "en",
    licence: Annotated[str, typer.Option(metavar="TEXT", help="Licence of the source.")] = "",
) -> None:
    """Convert a BART, Marian or fairseq model to a model folder, with all its layers or some.

    The folder computes what the source computes. Unless the source is a corrector already, fine-tune it with
    `redraft train`.
    """
    with needs_extra("adopting", "train"):
        from redraft.model import adopt as model
        from redraft.model.foreign_model import read
    from redraft.model.folder import TOKENIZER, ModelInfo, seal
    from redraft.tokens.adopt import adopt_tokenizer

    found = read(source)
    depth = found.config.encoder_layers, found.config.decoder_layers
    encoder = model.choose_layers(_parse_layers("--encoder-layers", encoder_layers), depth[0], keep)
    decoder = model.choose_layers(_parse_layers("--decoder-layers", decoder_layers), depth[1], keep)
    adopted = model.renumber(model.keep_layers(found, encoder, decoder), lead)
    origin = f"{found.family}, encoder {_describe(encoder, depth[0])}, decoder {_describe(decoder, depth[1])}"
    title = name or target.resolve().name
    info = ModelInfo(title, language, f"Adopted from {origin}.", licence)
    adopted_from = f"Adopted from {source.resolve().name}: {origin}."
    card = f"# {title}\n\n{adopted_from}\n\nThe licence of the source applies to the model.\n"
    model.write(target, adopted, info, card)
    try:
        tokenizer = adopt_tokenizer(source if source.is_dir() else source.parent, adopted.order, adopted.lead)
    except InputError as error:
        raise ModelError(
            f"{target} has its weights, but no {TOKENIZER}, and is not a complete model: {error}"
        ) from error
    tokenizer.save(target / TOKENIZER)
    seal(target)
    remark(f"{target} is {origin}; write its graphs with `redraft export {target}`")


def _parse_layers(option: str, text: str | None) -> int | list[int] | None:
    """`4` is a number of layers; `0,2,4` and `3,` are lists of layers."""
    if text is None:
        return None
    try:
        return [int(word) for word in text.split(",") if word] if "," in text else int(text)
    except ValueError:
        raise ConfigError(f"{option} must be a number or a list like 0,2,4, not {text!r}") from None


def _describe(kept: Sequence[int], available: int) -> str:
    if len(kept) == available:
        return f"with all {available} layers"
    return f"with layers {', '.join(map(str, kept))} of {available}"
