"""`redraft error-table`: the table of errors and their rates that synthetic pairs are made with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from redraft.cli.extras import needs_extra
from redraft.cli.faults import report_faults
from redraft.cli.source_selection import SOURCE_LIST_HELP, select_sources, write_records
from redraft.errors import ConfigError
from redraft.terminal.output import printable, write


def error_table(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER|PAIRS|TABLE",
            help="en, zh: folder of corpora and lexicons; other languages: file of pairs. Or a table to copy.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Output: the error table, a .json.gz file.")
    ],
    language: Annotated[str, typer.Option(metavar="en|zh|…", help="Language of the table.")] = "en",
    clean: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Clean text of another language than en and zh, one sentence per line. May be repeated.",
        ),
    ] = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SHARE", help="Noise rate of the table, such as chat=0. May be repeated."),
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(metavar="FAMILY=SHARE", help="Share of an error family, such as spelling=0.2. May be repeated."),
    ] = None,
    source_list: Annotated[str | None, typer.Option(metavar="open|FILE", help=SOURCE_LIST_HELP)] = None,
) -> None:
    """Build the error table of `synthesize` and `train`, or copy a table with other noise rates.

    The English table takes some minutes.
    """
    from redraft.lab.data import readers
    from redraft.lab.data.noise_rates import NoiseRates, parse_rates
    from redraft.lab.data.table import ErrorTable

    rates, shares = parse_rates(rate or ()), parse_rates(share or ())
    faults = readers.Faults()
    selection = select_sources(source_list)
    if source.name.endswith(".json.gz"):
        if selection:
            selection.admit(source)
        table = ErrorTable.load(source)
    elif language == "en":
        with needs_extra("the English table", "train"):
            from redraft.lab.data import english_corpus, english_open, english_sources, english_table
        forbidden = english_corpus.collect_forbidden(source / "dev", faults)
        if selection:
            table = english_table.build(english_open.gather(source, selection, forbidden, faults))
        else:
            table = english_table.build(english_sources.gather(source, forbidden, faults))
    elif selection:
        raise ConfigError("--source-list works with the English table only")
    elif language == "zh":
        from redraft.lab.data import chinese_table

        table = chinese_table.build(chinese_table.gather(source, faults))
    else:
        from redraft.lab.data import table_from_pairs

        sentences = (sentence for path in clean or () for sentence in readers.read_sentences(path, faults))
        table = table_from_pairs.build(language, readers.read_pairs(source, faults), sentences)
    table = replace(table, rates={**table.rates, **rates}, shares={**NoiseRates.of(table).named_shares, **shares})
    NoiseRates.of(table)  # refuses wrong rates before they are written
    table.save(output)
    errors = sum(map(len, table.candidates.values()))
    write(f"{printable(output)}: {errors:,} errors of {len(table.candidates):,} words and phrases\n")
    write_records(selection, [output])
    report_faults(faults)
