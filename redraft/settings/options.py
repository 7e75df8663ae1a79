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


def list_formats() -> list[str]:
    from redraft.text.markup import FORMATS

    return list(FORMATS)


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The model and how it runs. An option that is left out has the model's value or the library's default."""

    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FOLDER",
            help="Name of a model, or a model folder. Default: auto, the model of each sentence's language.",
        ),
    ] = None
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="native|onnx|torch|cuda",
            help="Inference engine. Default: native, or onnx where native cannot run. torch and cuda need PyTorch.",
        ),
    ] = None
    precision: Annotated[
        str | None,
        typer.Option(
            metavar="int8|fp32",
            help="Precision of the weights. Default: int8. fp32 is slower and needs the engine onnx.",
        ),
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            metavar="0…1",
            help="Confidence threshold: edits of lower confidence are not made. Default: the model's own.",
        ),
    ] = None
    threads: Annotated[
        int | None,
        typer.Option(min=0, max=1024, metavar="NUMBER", help="CPU threads. Default: one on each core, at most eight."),
    ] = None
    dictionary: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="File of words to leave alone, one per line. May be repeated."),
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
    """The same for commands that show or measure decoding itself."""

    draft: Annotated[
        str | None,
        typer.Option(
            metavar="none|suffix|realign|refine",
            help="Draft policy: how the corrected text is guessed. Changes the speed, never the result. "
            "Default: refine.",
        ),
    ] = None
    max_draft: Annotated[
        int | None, typer.Option(min=0, metavar="TOKENS", help="Longest draft. Default: no limit.")
    ] = None


@dataclass(frozen=True, slots=True)
class OneModelOptions(DraftModelOptions):
    """The same for commands that measure a single model."""

    model: Annotated[
        str | None, typer.Option(metavar="NAME|FOLDER", help="Name of a model, or a model folder. Default: en.")
    ] = None


@dataclass(frozen=True, slots=True)
class SpreadModelOptions(ModelOptions):
    """The same for commands that can run on a cluster."""

    engine: Annotated[
        str | None,
        typer.Option(
            metavar="native|onnx|torch|cuda|ray",
            help="Inference engine. Default: native, or onnx where native cannot run. torch and cuda need PyTorch. ray "
            "and ray:cuda run on a Ray cluster.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class TextOptions:
    """Which findings are shown, and how files are selected and read. What is left out comes from the project."""

    language: Annotated[
        str | None,
        typer.Option(
            metavar="en|en-GB|zh|…",
            help="The only language to correct; with a country, its spelling too. Default: each sentence's own.",
        ),
    ] = None
    consistent: Annotated[
        bool | None,
        typer.Option(
            "--consistent/--no-consistent",
            help="Accept only the American or British spelling that most words of a text have. Default: the spelling "
            "of the country in --language, or both.",
            show_default=False,
        ),
    ] = None
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="Kind of errors to look for, such as spelling. May be repeated. Default: all.",
            autocompletion=_list_kinds,
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND|RULE|WORD",
            help="Kind, rule or word to leave alone. May be repeated.",
            autocompletion=_list_kinds,
        ),
    ] = None
    input_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Format to read the text in: plain, markdown, latex… Default: by the file name.",
            autocompletion=list_formats,
        ),
    ] = None
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="Files to take from folders, as in .gitignore. May be repeated. Default: documents."
        ),
    ] = None
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Files to leave out, as in .gitignore. May be repeated.")
    ] = None
    stdin_filename: Annotated[
        Path | None,
        typer.Option(
            metavar="NAME", help="Name of the text from stdin: decides its format, and is shown in the report."
        ),
    ] = None
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Settings file. Default: redraft.toml or pyproject.toml, searched for in parent folders.",
        ),
    ] = None
    isolated: Annotated[
        bool, typer.Option("--isolated", help="Use no settings file, dictionary or ignores of the project or the user.")
    ] = False


def with_model_options(*left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command whose first parameter is a `ModelOptions` an option for each of its fields but those left out."""
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
