"""`redraft adopt`: another project's model as a model folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from redraft.errors import ConfigError, InputError, ModelError
from redraft.terminal.output import remark


def adopt(
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="A Hugging Face BART or Marian folder, or a fairseq checkpoint.")
    ],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The model folder to write.")],
    encoder_layers: Annotated[
        str | None, typer.Option(metavar="NUMBER|LIST", help="How many to keep, or which (0,2,4); all if left out.")
    ] = None,
    decoder_layers: Annotated[str | None, typer.Option(metavar="NUMBER|LIST", help="Likewise, of the decoder.")] = None,
    keep: Annotated[
        str, typer.Option(metavar="first|spread", help="Which layers a number means: the first, or evenly spread ones.")
    ] = "first",
    lead: Annotated[
        bool | None,
        typer.Option("--lead/--no-lead", help="Begin every sentence with BART's <s>; as the source if left out."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="The model's name; that of TARGET if left out.")] = None,
    language: Annotated[str, typer.Option(help="The language it corrects.")] = "en",
    licence: Annotated[str, typer.Option(help="The terms the source is under.")] = "",
) -> None:
    """Turn a BART, Marian or fairseq model into a model folder, with all its layers or some.

    The folder computes what the source computes. Corrections come from fine-tuning it with `redraft train`, unless
    the source is a corrector already.
    """
    try:
        from redraft.model import adopt as model
    except ImportError as error:
        raise ConfigError(f"adopting needs {error.name}: pip install 'redraft[train]'") from None
    from redraft.model.folder import TOKENIZER, ModelInfo, seal
    from redraft.tokens.adopt import adopt_tokenizer

    whole = model.read(source)
    depth = whole.config.encoder_layers, whole.config.decoder_layers
    encoder = model.choose_layers(_parse_layers("--encoder-layers", encoder_layers), depth[0], keep)
    decoder = model.choose_layers(_parse_layers("--decoder-layers", decoder_layers), depth[1], keep)
    adopted = model.renumber(model.keep_layers(whole, encoder, decoder), lead)
    origin = f"{whole.family}, encoder {_tell(encoder, depth[0])}, decoder {_tell(decoder, depth[1])}"
    title = name or target.resolve().name
    info = ModelInfo(title, language, f"Adopted from {origin}.", licence)
    card = (
        f"# {title}\n\nAdopted from {source.resolve().name}: {origin}.\n\nThe terms of the source apply to the model.\n"
    )
    model.write(target, adopted, info, card)
    try:
        tokenizer = adopt_tokenizer(source if source.is_dir() else source.parent, adopted.order, adopted.lead)
    except InputError as error:
        raise ModelError(f"{target} has its weights, but no {TOKENIZER}, and is no complete model: {error}") from error
    tokenizer.save(target / TOKENIZER)
    seal(target)
    remark(f"{target} is {origin}; `redraft export {target}` makes its graphs")


def _parse_layers(option: str, text: str | None) -> int | list[int] | None:
    """`4` is a number of layers, `0,2,4` and `3,` are lists of them."""
    if text is None:
        return None
    try:
        return [int(word) for word in text.split(",") if word] if "," in text else int(text)
    except ValueError:
        raise ConfigError(f"{option} must be a number or a list like 0,2,4, not {text!r}") from None


def _tell(kept: Sequence[int], available: int) -> str:
    if len(kept) == available:
        return f"with all {available} layers"
    return f"with layers {', '.join(map(str, kept))} of {available}"
