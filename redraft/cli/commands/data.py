"""`redraft prepare`, `synthesize` and `errors-table`: from corpora to what training reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redraft.errors import ConfigError, InputError
from redraft.terminal.output import remark, write
from redraft.terminal.progress import progress

if TYPE_CHECKING:
    from redraft.lab.data.filters import Filter
    from redraft.lab.data.pair import Pair
    from redraft.lab.data.readers import Faults, Layout

SPELLINGS = ("as-is", "raw", "tokenized")
COMPARED = 20_000  # pairs: enough for shares to a tenth of a percent


def prepare(
    inputs: Annotated[list[Path], typer.Argument(metavar="INPUT…", help="Files or folders with pairs of sentences.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "--output", "-o", help="A .tsv file (also .tsv.xz, .tsv.gz), or a folder with --tokenizer."
        ),
    ],
    layout: Annotated[
        str | None,
        typer.Option(metavar="m2|tsv|parallel|bea19|jfleg", help="How the inputs are laid out; seen from their names."),
    ] = None,
    first_annotator: Annotated[
        bool, typer.Option("--first-annotator", help="Of several corrections of a sentence take only the first.")
    ] = False,
    exclude: Annotated[
        list[Path] | None, typer.Option(help="A file or folder of sentences that must stay out, such as a dev set.")
    ] = None,
    near: Annotated[
        bool, typer.Option("--near", help="Keep out what is nearly one of the excluded sentences too.")
    ] = False,
    changed: Annotated[bool, typer.Option("--changed", help="Only pairs whose sides differ.")] = False,
    min_words: Annotated[int, typer.Option(min=0, help="Fewest words of either side.")] = 1,
    max_words: Annotated[int, typer.Option(min=1, help="Most words of either side.")] = 150,
    max_ratio: Annotated[
        float | None, typer.Option(min=1, help="Drop pairs whose one side is more than so many times as long.")
    ] = None,
    min_kept: Annotated[
        float | None, typer.Option(min=0, max=1, help="Drop pairs less than this part of whose words is the same.")
    ] = None,
    script: Annotated[
        str | None, typer.Option(metavar="LATIN|CJK|CYRILLIC|…", help="Drop pairs mostly in other letters.")
    ] = None,
    spelling: Annotated[
        str, typer.Option(metavar="as-is|raw|tokenized", help="Write `He doesn't go.` or `He does n't go .`")
    ] = "as-is",
    dev: Annotated[
        Path | None, typer.Option(metavar="FILE.m2", help="Hold the last pairs out, as gold edits to score against.")
    ] = None,
    dev_pairs: Annotated[int, typer.Option(min=1, help="How many --dev holds out.")] = 1000,
    tokenizer: Annotated[
        Path | None, typer.Option(help="A tokenizer file: write packed token ids instead of text.")
    ] = None,
    english: Annotated[
        bool,
        typer.Option("--english", help="INPUT is a folder with clean/, pairs/ and dev/: make all English files of it."),
    ] = False,
    chinese: Annotated[
        bool,
        typer.Option(
            "--chinese", help="INPUT is a folder with clean_*, pairs.tsv and mucgec.*: make all Chinese files."
        ),
    ] = False,
) -> None:
    """Read pairs of any layout, drop what is unfit, and write what training reads.

    Says what each filter dropped, and which lines could not be read.
    """
    from redraft.lab.data import filters, readers

    faults = readers.Faults()
    if english:
        _prepare_english(inputs, out, faults)
        return
    if chinese:
        _prepare_chinese(inputs, out, faults)
        return
    if spelling not in SPELLINGS:
        raise ConfigError(f"--spelling must be one of {', '.join(SPELLINGS)}, got {spelling}")
    chosen = _find_layout(layout)
    steps: dict[str, Filter | None] = {
        "too short or too long": filters.has_length(min_words, max_words),
        "unchanged": filters.is_changed if changed else None,
        "lengths too far apart": None if max_ratio is None else filters.has_ratio(max_ratio),
        "rewritten": None if min_kept is None else filters.keeps_words(min_kept),
        "another script": None if script is None else filters.is_script(script.upper()),
        "excluded": _exclude(exclude, near, faults) if exclude else None,
        "duplicate": filters.is_new(),
    }
    sieve = filters.Sieve({name: passes for name, passes in steps.items() if passes})
    with progress("Reading", len(inputs)) as advance:

        def read() -> Iterator[Pair]:
            for path in inputs:
                yield from readers.read_pairs(path, faults, chosen, not first_annotator)
                advance()

        kept: Iterable[Pair] = sieve.sift(_respell(read(), spelling))
        if dev:
            kept = _hold_out(kept, dev, dev_pairs)
        _write_pairs(kept, out, tokenizer)
    write(sieve.report() + "\n")
    _show(faults)


def synthesize(
    inputs: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Clean text, one sentence a line.")],
    table: Annotated[Path, typer.Option(help="An error table, made by `redraft errors-table`.")],
    out: Annotated[
        Path, typer.Option("--out", "--output", "-o", help="Source, tab, target; packed if it ends .xz or .gz.")
    ],
    seed: Annotated[int, typer.Option(min=0, help="Another seed makes other errors.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes. The output does not depend on it.")] = 1,
    engine: Annotated[
        str, typer.Option(metavar="processes|ray", help="ray spreads the work over a cluster.")
    ] = "processes",
    clean: Annotated[float | None, typer.Option(min=0, max=1, help="Share of sentences left without errors.")] = None,
    mean: Annotated[float | None, typer.Option(min=0, max=1, help="Mean share of words that get an error.")] = None,
    tokenized: Annotated[float | None, typer.Option(min=0, max=1, help="Share of pairs spelled tokenized.")] = None,
    exclude: Annotated[list[Path] | None, typer.Option(help="A file of sentences to leave out.")] = None,
    compare: Annotated[
        Path | None, typer.Option(help="Real pairs: show how the made errors compare with theirs, kind by kind.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="With --compare: a picture of the comparison.")] = None,
) -> None:
    """Make sentences wrong in the ways people do: pairs to train on, from clean text."""
    from redraft.lab.data import readers
    from redraft.lab.data.noise import NoiseRates
    from redraft.lab.data.synthesis import Engine, Recipe
    from redraft.lab.data.synthesis import synthesize as make_pairs
    from redraft.lab.data.table import ErrorTable

    if engine not in list(Engine):
        raise ConfigError(f"--engine must be one of {', '.join(Engine)}, got {engine}")
    if plot and not compare:
        raise ConfigError("--plot shows a comparison: give --compare FILE as well")
    faults = readers.Faults()
    usual = NoiseRates.of(ErrorTable.load(table))
    rates = replace(
        usual,
        clean=usual.clean if clean is None else clean,
        mean=usual.mean if mean is None else mean,
        tokenized=usual.tokenized if tokenized is None else tokenized,
    )
    excluded = frozenset(sentence for path in exclude or () for sentence in readers.read_sentences(path, faults))
    with progress("Making errors", len(inputs)) as advance:
        recipe = Recipe(table, seed, rates)
        made = make_pairs(inputs, out, recipe, faults, workers, Engine(engine), excluded, advance)
    write(f"{made:,} pairs in {out}\n")
    if compare:
        _compare(out, compare, plot, faults)
    _show(faults)


def errors_table(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER|PAIRS",
            help="For en and zh corpora and lexicons, laid out as docs/data.md says; for other languages pairs.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "--output", "-o", help="The table, a .json.gz file.")],
    language: Annotated[str, typer.Option(metavar="en|zh|…", help="The language.")] = "en",
    clean: Annotated[
        list[Path] | None, typer.Option(help="Clean text of another language, one sentence a line, to know its words.")
    ] = None,
) -> None:
    """Build the table of errors that `synthesize` and training draw from. Takes some minutes."""
    from redraft.lab.data import readers

    faults = readers.Faults()
    if language == "en":
        try:
            from redraft.lab.data import english, english_corpus, english_sources
        except ImportError as error:
            raise ConfigError(f"the English table needs {error.name}: pip install 'redraft[train]'") from None
        forbidden = english_corpus.collect_forbidden(folder / "dev", faults)
        table = english.build(english_sources.gather(folder, forbidden, faults))
    elif language == "zh":
        from redraft.lab.data import chinese

        table = chinese.build(chinese.gather(folder, faults))
    else:
        from redraft.lab.data import learnt

        sentences = (sentence for path in clean or () for sentence in readers.read_sentences(path, faults))
        table = learnt.build(language, readers.read_pairs(folder, faults), sentences)
    table.save(out)
    errors = sum(map(len, table.candidates.values()))
    write(f"{out}: {errors:,} errors of {len(table.candidates):,} words and phrases\n")
    _show(faults)


def _hold_out(pairs: Iterable[Pair], dev: Path, count: int) -> list[Pair]:
    from redraft.lab.data.development import hold_out, write_gold

    every = list(pairs)
    parts = hold_out(every, count)
    write_gold(dev, parts.dev)
    shared = len(every) - len(parts.dev) - len(parts.training)
    write(
        f"{len(parts.dev):,} pairs for development in {dev}; {shared:,} more were dropped, "
        f"which share a sentence with them; {len(parts.training):,} are left of those below\n"
    )
    return parts.training


def _exclude(paths: list[Path], near: bool, faults: Faults) -> Filter:
    from redraft.lab.data import filters, readers

    return filters.Overlap(text for path in paths for text in readers.read_every_side(path, faults)).excludes(near)


def _prepare_english(inputs: list[Path], out: Path, faults: Faults) -> None:
    from redraft.lab.data.english_corpus import assemble

    if len(inputs) != 1 or not inputs[0].is_dir():
        raise InputError("--english takes one folder with clean/, pairs/ and dev/")
    made = assemble(inputs[0], out, faults)
    for name, report in made.reports.items():
        write(f"{name}\n{report}\n")
    write(f"{made.all_pairs:,} pairs, {made.changed_pairs:,} of them changed, {made.held_out:,} held-out sentences\n")
    _show(faults)


def _prepare_chinese(inputs: list[Path], out: Path, faults: Faults) -> None:
    from redraft.lab.data.chinese_corpus import assemble

    if len(inputs) != 1 or not inputs[0].is_dir():
        raise InputError("--chinese takes one folder with clean_*, pairs.tsv and mucgec.*")
    made = assemble(inputs[0], out, faults)
    for name, report in made.reports.items():
        write(f"{name}\n{report}\n")
    write(
        f"{made.all_pairs:,} pairs, {made.grammar_pairs:,} of them of grammar; {made.clean:,} clean sentences, "
        f"{made.copy:,} of them well edited; {made.held_out:,} held out; {made.dev:,} for development\n"
    )
    _show(faults)


def _find_layout(name: str | None) -> Layout | None:
    from redraft.lab.data.readers import Layout

    if name is None:
        return None
    if name not in list(Layout):
        raise ConfigError(f"--layout must be one of {', '.join(Layout)}, got {name}")
    return Layout(name)


def _respell(pairs: Iterable[Pair], spelling: str) -> Iterable[Pair]:
    from redraft.lab.data.english_corpus import respell

    return pairs if spelling == "as-is" else respell(pairs, spelling == "tokenized")


def _write_pairs(pairs: Iterable[Pair], out: Path, tokenizer: Path | None) -> None:
    from redraft.lab.data import shards, text_output

    if tokenizer is not None:
        shards.pack(out, pairs, tokenizer)
    elif ".tsv" in out.suffixes:
        text_output.write_lines(out, (f"{pair.source}\t{pair.target}" for pair in pairs))
    else:
        raise ConfigError(f"{out}: name a .tsv file, or give --tokenizer to write packed ids into a folder")


def _compare(made: Path, real: Path, plot: Path | None, faults: Faults) -> None:
    from redraft.lab.data import readers, report

    censuses = {"made": report.Census("made"), "real": report.Census("real")}
    for census, path in zip(censuses.values(), (made, real), strict=True):
        pairs = readers.read_pairs(path, faults, None if path is real else readers.Layout.TSV)
        census.add(report.draw_sample(pairs, COMPARED))
    write(report.tabulate(censuses["made"], censuses["real"]) + "\n")
    if plot:
        try:
            report.plot(censuses["made"], censuses["real"], plot)
        except ImportError as error:
            raise ConfigError(f"--plot needs {error.name}: pip install 'redraft[plots]'") from None


def _show(faults: Faults) -> None:
    for line in faults.report().splitlines():
        remark(line)
