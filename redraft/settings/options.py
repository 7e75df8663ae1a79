"""Command-line options that several commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, fields
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from redraft.edits.edit import Kind
from redraft.files.text_file import read_words

if TYPE_CHECKING:
    from redraft.check.corrector import Corrector


def _list_kinds() -> list[str]:
    return list(Kind)


def _list_formats() -> list[str]:
    from redraft.text.markup import FORMATS

    return list(FORMATS)


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model to use and how. What is left out comes from the model or from the library's defaults."""

    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FOLDER",
            help="A model by name, or a model folder; auto if left out: English, and the others for their languages.",
        ),
    ] = None
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="native|onnx|torch|cuda",
            help="What computes; native if left out, or onnx where that cannot run. torch and cuda need torch.",
        ),
    ] = None
    precision: Annotated[
        str | None,
        typer.Option(metavar="int8|fp32", help="int8 if left out. fp32 is slower and stricter, and onnx computes it."),
    ] = None
    threshold: Annotated[
        float | None, typer.Option(min=0, max=1, metavar="0…1", help="Leave out edits the model is less sure of.")
    ] = None
    threads: Annotated[
        int | None,
        typer.Option(min=0, metavar="NUMBER", help="CPU threads; one on each core, eight at most, if left out."),
    ] = None
    dictionary: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Words to leave alone, one a line. May be given several times."),
    ] = None

    @property
    def words(self) -> frozenset[str]:
        """Those of the dictionaries."""
        return frozenset[str]().union(*map(read_words, self.dictionary or ()))

    def open(self) -> Corrector:
        """Loads the model. The dictionaries are not read: they belong to the options of a check."""
        from redraft.check.loading import load

        chosen = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "dictionary"}
        return load(**{name: value for name, value in chosen.items() if value is not None})


@dataclass(frozen=True, slots=True)
class DraftModelOptions(ModelOptions):
    """The same where decoding itself is looked at or measured."""

    draft: Annotated[
        str | None,
        typer.Option(
            metavar="none|suffix|realign|refine",
            help="Draft policy; changes the speed, never the result. refine if left out.",
        ),
    ] = None
    max_draft: Annotated[
        int | None, typer.Option(min=0, metavar="TOKENS", help="Longest draft; no limit if left out.")
    ] = None


@dataclass(frozen=True, slots=True)
class OneModelOptions(DraftModelOptions):
    """The same where a single model is measured."""

    model: Annotated[
        str | None, typer.Option(metavar="NAME|FOLDER", help="A model by name, or a model folder; English if left out.")
    ] = None


@dataclass(frozen=True, slots=True)
class SpreadModelOptions(ModelOptions):
    """The same where a cluster may do the work."""

    engine: Annotated[
        str | None,
        typer.Option(
            metavar="native|onnx|torch|cuda|ray",
            help="What computes; native if left out, or onnx where that cannot run. torch and cuda need torch; ray and "
            "ray:cuda are a cluster's.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class TextOptions:
    """Which findings are wanted, and how files are chosen and read. What is left out comes from the project."""

    language: Annotated[
        str | None,
        typer.Option(
            metavar="en|en-GB|zh|…",
            help="This language alone; with a country, its spelling too, else either. All of them if left out.",
        ),
    ] = None
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="Only findings of this kind, such as spelling. May be given several times.",
            autocompletion=_list_kinds,
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND|RULE|WORD",
            help="No findings of this kind or rule, or in this word. Likewise.",
            autocompletion=_list_kinds,
        ),
    ] = None
    markup: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Read the text as plain, markdown, latex…; seen from names if left out.",
            autocompletion=_list_formats,
        ),
    ] = None
    include: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Of folders take the files that fit, instead of documents."),
    ] = None
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Leave out files that fit, written as in .gitignore.")
    ] = None
    stdin_filename: Annotated[
        Path | None,
        typer.Option(metavar="NAME", help="The name of what comes from stdin: for its format and findings."),
    ] = None
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The project's settings; found upwards if left out.")
    ] = None
    isolated: Annotated[
        bool, typer.Option("--isolated", help="Without the project's settings, and without anyone's words and ignores.")
    ] = False


def with_model_options(*left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command whose first parameter is a `ModelOptions` an option for each of its fields.

    Those `left_out` mean nothing to the command.
    """
    return with_options(ModelOptions, left_out=left_out)


def with_options(*groups: type, left_out: Container[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command whose first parameters are `groups` an option for each of their fields."""
    common = {group: [option for option in _options(group) if option.name not in left_out] for group in groups}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        parameters = list(inspect.signature(command).parameters.values())
        kept = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
            for parameter in parameters[len(groups) :]
        ]
        every = [*kept, *chain.from_iterable(common.values())]

        @wraps(command)
        def run(**values: Any) -> None:
            taken = [group(**{option.name: values.pop(option.name) for option in common[group]}) for group in groups]
            command(*taken, **values)

        run.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
        return run

    return decorate


def _options(group: type) -> Iterator[inspect.Parameter]:
    types = get_type_hints(group, include_extras=True)
    for field in fields(group):
        yield inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=types[field.name]
        )
