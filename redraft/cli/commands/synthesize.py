"""`redraft synthesize`: synthetic pairs from clean text, with the errors of an error table or of a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redraft.cli.extras import needs_extra
from redraft.cli.faults import report_faults
from redraft.cli.source_selection import SOURCE_LIST_HELP, select_sources, write_records
from redraft.errors import ConfigError
from redraft.terminal.output import printable, write
from redraft.terminal.progress import progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redraft.lab.data.readers import Faults, Layout
    from redraft.lab.data.source_record import SourceSelection
    from redraft.lab.data.synthesis import Recipe

COMPARED = 20_000
"""Pairs that are compared: enough for shares to a tenth of a percent."""


def synthesize(
    inputs: Annotated[list[Path], typer.Argument(metavar="FILE", help="Clean text, one sentence per line.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Output: source, tab, target; compressed if it ends in .xz or .gz."
        ),
    ],
    error_table: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Error table, from `redraft error-table`.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Model that writes errors, trained with data.reversed = true; instead of a table."
        ),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="With --model: above 1 more errors, below 1 fewer. Default: 1."),
    ] = None,
    device: Annotated[
        str | None, typer.Option(metavar="DEVICE", help="With --model: cpu or cuda. Default: a GPU, if there is one.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="NUMBER", help="Seed of the random errors.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="NUMBER", help="Number of processes; the output does not depend on it. Default: 1."
        ),
    ] = None,
    engine: Annotated[
        str | None, typer.Option(metavar="processes|ray", help="Local processes (default), or a Ray cluster.")
    ] = None,
    clean: Annotated[
        float | None,
        typer.Option(min=0, max=1, metavar="SHARE", help="Share of sentences without errors. Default: the table's."),
    ] = None,
    mean: Annotated[
        float | None,
        typer.Option(min=0, max=1, metavar="SHARE", help="Mean share of words with an error. Default: the table's."),
    ] = None,
    tokenized: Annotated[
        float | None,
        typer.Option(min=0, max=1, metavar="SHARE", help="Share of tokenized pairs. Default: the table's."),
    ] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SHARE", help="Another noise rate, such as chat=0. May be repeated."),
    ] = None,
    exclude: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="File of sentences to exclude. May be repeated.")
    ] = None,
    source_list: Annotated[str | None, typer.Option(metavar="open|FILE", help=SOURCE_LIST_HELP)] = None,
    compare: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Annotated pairs to compare the errors with, kind by kind. May be repeated."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Bar chart of the comparison, .png or .svg.")
    ] = None,
) -> None:
    """Put errors into clean text: synthetic pairs for training.

    The errors are those of an error table, or of a model that has learnt to write them (back-translation).
    """
    from redraft.lab.data import readers
    from redraft.lab.data.noise_rates import parse_rates
    from redraft.lab.data.synthesis import Engine
    from redraft.lab.data.synthesis import synthesize as make_pairs

    if (error_table is None) == (model is None):
        raise ConfigError("give one of --error-table FILE and --model FOLDER")
    if plot and not compare:
        raise ConfigError("--plot draws a comparison: give --compare FILE too")
    given = {"clean": clean, "mean": mean, "tokenized": tokenized}
    of_table: dict[str, object] = {f"--{name}": value for name, value in given.items()}
    of_table |= {"--rate": rate, "--workers": workers, "--engine": engine}
    _refuse_options({"--temperature": temperature, "--device": device} if model is None else of_table, model is None)
    selection = select_sources(source_list)
    faults = readers.Faults()
    excluded = frozenset(sentence for path in exclude or () for sentence in readers.read_sentences(path, faults))
    if model is not None:
        _use_model(model, inputs, output, selection, faults, excluded, temperature, device or "", seed)
    else:
        assert error_table is not None
        if engine not in (None, *Engine):
            raise ConfigError(f"--engine must be one of {', '.join(Engine)}, got {engine}")
        changes = {name: value for name, value in given.items() if value is not None} | parse_rates(rate or ())
        recipe = _read_recipe(error_table, changes, seed)
        if selection:
            selection.admit(*inputs, error_table)
        with progress("Making errors", len(inputs)) as advance:
            chosen = Engine(engine or Engine.PROCESSES)
            made = make_pairs(inputs, output, recipe, faults, workers or 1, chosen, excluded, advance)
        write(f"{made:,} pairs in {printable(output)}\n")
    write_records(selection, [output])
    if compare:
        _compare(output, compare, plot, faults)
    report_faults(faults)


def _refuse_options(options: Mapping[str, object], with_table: bool) -> None:
    for name, value in options.items():
        if value is not None:
            raise ConfigError(f"{name} is only for {'--model' if with_table else '--error-table'}")


def _read_recipe(error_table: Path, changes: Mapping[str, float], seed: int) -> Recipe:
    from redraft.lab.data.noise_rates import NoiseRates
    from redraft.lab.data.synthesis import Recipe
    from redraft.lab.data.table import ErrorTable

    table = ErrorTable.load(error_table)
    return Recipe(error_table, seed, NoiseRates.of(replace(table, rates={**table.rates, **changes})))


def _use_model(
    model: Path,
    inputs: list[Path],
    output: Path,
    selection: SourceSelection | None,
    faults: Faults,
    excluded: frozenset[str],
    temperature: float | None,
    device: str,
    seed: int,
) -> None:
    with needs_extra("--model", "train"):
        from redraft.lab.train.back_translation import back_translate, open_error_writer
    from redraft.lab.data import readers
    from redraft.model.folder import ModelFolder

    folder = ModelFolder.open(model)
    if selection:
        selection.admit_model(folder.path, folder.info.licence)
        selection.admit(*inputs)
    writer = open_error_writer(folder, device, 1.0 if temperature is None else temperature, seed)
    sentences = (sentence for path in inputs for sentence in readers.read_sentences(path, faults))
    with progress("Writing errors", None) as advance:
        kept = (sentence for sentence in sentences if sentence not in excluded)
        report = back_translate(writer, kept, output, advance)
    write(f"{report}\n{report.written:,} pairs in {printable(output)}\n")


def _compare(synthetic: Path, annotated: list[Path], plot: Path | None, faults: Faults) -> None:
    from redraft.lab.data import comparison, readers

    def count(path: Path, name: str, layout: Layout | None) -> comparison.EditCounts:
        counts = comparison.EditCounts(name)
        counts.add(comparison.draw_sample(readers.read_pairs(path, faults, layout), COMPARED))
        return counts

    own = count(synthetic, "synthetic", readers.Layout.TSV)
    others = [count(path, path.name.partition(".tsv")[0].partition(".m2")[0], None) for path in annotated]
    write(comparison.tabulate(own, others) + "\n")
    if plot:
        with needs_extra("--plot", "plots"):
            comparison.plot(own, others, plot)
