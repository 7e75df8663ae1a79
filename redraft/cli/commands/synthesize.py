"""`redraft synthesize`: synthetic pairs from clean text and an error table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redraft.cli.extras import needs_extra
from redraft.cli.faults import report_faults
from redraft.errors import ConfigError
from redraft.terminal.output import printable, write
from redraft.terminal.progress import progress

if TYPE_CHECKING:
    from redraft.lab.data.readers import Faults, Layout

COMPARED = 20_000
"""Pairs that are compared: enough for shares to a tenth of a percent."""


def synthesize(
    inputs: Annotated[list[Path], typer.Argument(metavar="FILE", help="Clean text, one sentence per line.")],
    error_table: Annotated[Path, typer.Option(metavar="FILE", help="Error table, from `redraft error-table`.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Output: source, tab, target; compressed if it ends in .xz or .gz."
        ),
    ],
    seed: Annotated[int, typer.Option(min=0, metavar="NUMBER", help="Seed of the random errors.")] = 0,
    workers: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="Number of processes; the output does not depend on it.")
    ] = 1,
    engine: Annotated[
        str, typer.Option(metavar="processes|ray", help="Local processes, or a Ray cluster.")
    ] = "processes",
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
    compare: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Annotated pairs to compare the errors with, kind by kind. May be repeated."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Bar chart of the comparison, .png or .svg.")
    ] = None,
) -> None:
    """Put errors into clean text: synthetic pairs for training."""
    from redraft.lab.data import readers
    from redraft.lab.data.noise_rates import NoiseRates, parse_rates
    from redraft.lab.data.synthesis import Engine, Recipe
    from redraft.lab.data.synthesis import synthesize as make_pairs
    from redraft.lab.data.table import ErrorTable

    if engine not in list(Engine):
        raise ConfigError(f"--engine must be one of {', '.join(Engine)}, got {engine}")
    if plot and not compare:
        raise ConfigError("--plot draws a comparison: give --compare FILE too")
    faults = readers.Faults()
    given = {"clean": clean, "mean": mean, "tokenized": tokenized}
    changes = {name: value for name, value in given.items() if value is not None} | parse_rates(rate or ())
    table = ErrorTable.load(error_table)
    rates = NoiseRates.of(replace(table, rates={**table.rates, **changes}))
    excluded = frozenset(sentence for path in exclude or () for sentence in readers.read_sentences(path, faults))
    with progress("Making errors", len(inputs)) as advance:
        recipe = Recipe(error_table, seed, rates)
        made = make_pairs(inputs, output, recipe, faults, workers, Engine(engine), excluded, advance)
    write(f"{made:,} pairs in {printable(output)}\n")
    if compare:
        _compare(output, compare, plot, faults)
    report_faults(faults)


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
