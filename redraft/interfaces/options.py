"""The options that every command with a model has, said once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from redraft.interfaces.files import read_words
from redraft.interfaces.proofreader import Proofreader


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model to use and how. What is left out comes from the model or from the library's defaults."""

    model: Annotated[
        str | None, typer.Option(metavar="NAME|FOLDER", help="A model by name, or a model folder; English if left out.")
    ] = None
    engine: Annotated[
        str | None,
        typer.Option(metavar="onnx|torch|cuda", help="What computes; onnx if left out. torch and cuda need torch."),
    ] = None
    draft: Annotated[
        str | None,
        typer.Option(
            metavar="none|suffix|realign|refine", help="How to guess ahead; changes the speed, never the result."
        ),
    ] = None
    max_draft: Annotated[
        int | None, typer.Option(min=0, metavar="TOKENS", help="The longest guess; no limit if left out.")
    ] = None
    copy_bias: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="More than 0 changes less, less than 0 changes more."),
    ] = None
    min_confidence: Annotated[
        float | None, typer.Option(min=0, max=1, metavar="0…1", help="Leave out edits the model is less sure of.")
    ] = None
    threads: Annotated[
        int | None, typer.Option(min=0, metavar="NUMBER", help="CPU threads; one on each core if left out.")
    ] = None
    dictionary: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Words to leave alone, one a line. May be given several times."),
    ] = None

    def open(self) -> Proofreader:
        dictionaries = [read_words(path) for path in self.dictionary or ()]
        from redraft.corrector import load

        chosen = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "dictionary"}
        corrector = load(**{name: value for name, value in chosen.items() if value is not None})
        return Proofreader(corrector, frozenset().union(*dictionaries))


def with_model_options(*left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command whose first parameter is a `ModelOptions` an option for each of its fields.

    Those `left_out` mean nothing to the command.
    """
    types = get_type_hints(ModelOptions, include_extras=True)
    common = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=types[name])
        for name in types
        if name not in left_out
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        taken, *own = inspect.signature(command).parameters.values()
        kept = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
            for parameter in own
        ]

        @wraps(command)
        def run(**values: Any) -> None:
            options = ModelOptions(**{parameter.name: values.pop(parameter.name) for parameter in common})
            command(**{taken.name: options}, **values)

        run.__signature__ = inspect.Signature([*kept, *common])  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*kept, *common)}
        return run

    return decorate
