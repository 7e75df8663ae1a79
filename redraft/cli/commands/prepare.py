"""`redraft prepare`: pairs of sentences in any layout, filtered, as training data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redraft.cli.extras import needs_extra
from redraft.cli.faults import report_faults
from redraft.cli.source_selection import SOURCE_LIST_HELP, select_sources, write_records
from redraft.errors import ConfigError, InputError
from redraft.terminal.output import printable, write
from redraft.terminal.progress import progress

if TYPE_CHECKING:
    from redraft.lab.data.filters import Filter
    from redraft.lab.data.pair import Pair
    from redraft.lab.data.readers import Faults, Layout
    from redraft.lab.data.source_record import SourceSelection
    from redraft.lab.train.agreement import AgreementFilter

SPELLINGS = ("as-is", "raw", "tokenized")


def prepare(
    inputs: Annotated[list[Path], typer.Argument(metavar="INPUT", help="Files or folders with pairs of sentences.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Output: a .tsv, .tsv.xz or .tsv.gz file, or a folder with --tokenizer.",
        ),
    ],
    layout: Annotated[
        str | None,
        typer.Option(metavar="m2|tsv|parallel|bea19|jfleg", help="Layout of the inputs. Default: from their names."),
    ] = None,
    first_annotator: Annotated[
        bool, typer.Option("--first-annotator", help="Only the first of several corrections of a sentence.")
    ] = False,
    exclude: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE|FOLDER", help="File or folder of sentences to exclude, such as a dev set. May be repeated."
        ),
    ] = None,
    near: Annotated[
        bool, typer.Option("--near", help="With --exclude: also sentences that are nearly equal to excluded ones.")
    ] = False,
    changed: Annotated[bool, typer.Option("--changed", help="Only pairs whose sides differ.")] = False,
    min_words: Annotated[int, typer.Option(min=0, metavar="NUMBER", help="Minimum number of words of each side.")] = 1,
    max_words: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="Maximum number of words of each side.")
    ] = 150,
    max_ratio: Annotated[
        float | None,
        typer.Option(min=1, metavar="NUMBER", help="Maximum ratio of the lengths of the sides. Default: no limit."),
    ] = None,
    min_kept: Annotated[
        float | None,
        typer.Option(min=0, max=1, metavar="SHARE", help="Minimum share of unchanged words. Default: no limit."),
    ] = None,
    script: Annotated[
        str | None, typer.Option(metavar="LATIN|CJK|CYRILLIC|…", help="Script of most letters. Default: any.")
    ] = None,
    spelling: Annotated[
        str,
        typer.Option(
            metavar="as-is|raw|tokenized",
            help="Spelling to write: raw (He doesn't go.), tokenized (He does n't go .) or as it is.",
        ),
    ] = "as-is",
    dev: Annotated[
        Path | None, typer.Option(metavar="FILE.m2", help="Dev set to write: the last pairs, left out of the output.")
    ] = None,
    dev_pairs: Annotated[int, typer.Option(min=1, metavar="NUMBER", help="Number of pairs in the dev set.")] = 1000,
    tokenizer: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Tokenizer file; writes packed token ids instead of text.")
    ] = None,
    english: Annotated[
        bool,
        typer.Option("--english", help="All English training files from a folder with clean/, pairs/ and dev/."),
    ] = False,
    chinese: Annotated[
        bool,
        typer.Option("--chinese", help="All Chinese training files from a folder with clean_*, pairs.tsv, mucgec.*"),
    ] = False,
    source_list: Annotated[str | None, typer.Option(metavar="open|FILE", help=SOURCE_LIST_HELP)] = None,
    agrees_with: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Model that must agree with the correction. Default: no such filter."),
    ] = None,
    min_preference: Annotated[
        float | None, typer.Option(metavar="NATS", help="Minimum preference for --agrees-with, in nats. Default: 2.")
    ] = None,
    min_gain: Annotated[
        float | None,
        typer.Option(metavar="NATS", help="Minimum gain for --agrees-with, in nats, instead of a preference."),
    ] = None,
) -> None:
    """Read pairs in any layout, filter them, and write training data.

    Prints how many pairs each filter dropped, and which lines could not be read.
    """
    from redraft.lab.data import filters, readers

    faults = readers.Faults()
    selection = select_sources(source_list)
    if agrees_with and (english or chinese):
        raise ConfigError("--agrees-with filters pairs; it does not work with --english or --chinese")
    if english:
        _prepare_english(inputs, output, faults, selection)
        return
    if selection and (chinese or tokenizer):
        raise ConfigError("--source-list works with --english and with .tsv output, not with --chinese or --tokenizer")
    if chinese:
        _prepare_chinese(inputs, output, faults)
        return
    if spelling not in SPELLINGS:
        raise ConfigError(f"--spelling must be one of {', '.join(SPELLINGS)}, got {spelling}")
    if agrees_with is None and (min_preference is not None or min_gain is not None):
        raise ConfigError("--min-preference and --min-gain need --agrees-with, the model that measures pairs")
    if min_preference is not None and min_gain is not None:
        raise ConfigError("--min-preference and --min-gain exclude each other; leave one of them out")
    agreement = _open_agreement(agrees_with, min_preference, min_gain, selection)
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
    chain = filters.FilterChain({name: passes for name, passes in steps.items() if passes})
    with progress("Reading", len(inputs)) as advance:

        def read() -> Iterator[Pair]:
            for path in inputs:
                if selection and selection.choose([path]):
                    yield from selection.read_pairs(path, faults)
                else:
                    if selection:
                        selection.admit(path)
                    yield from readers.read_pairs(path, faults, chosen, not first_annotator)
                advance()

        kept: Iterable[Pair] = chain.apply(_respell(read(), spelling))
        if agreement:
            scored = list(kept)
            advance.restart("Scoring", len(scored))
            kept = agreement.apply(scored, advance)
        if dev:
            kept = _hold_out(kept, dev, dev_pairs)
        _write_pairs(kept, output, tokenizer)
    write(chain.report() + "\n")
    if agreement:
        write(agreement.report() + "\n")
    write_records(selection, [output])
    report_faults(faults)


def _find_layout(name: str | None) -> Layout | None:
    from redraft.lab.data.readers import Layout

    if name is None:
        return None
    if name not in list(Layout):
        raise ConfigError(f"--layout must be one of {', '.join(Layout)}, got {name}")
    return Layout(name)


def _exclude(paths: list[Path], near: bool, faults: Faults) -> Filter:
    from redraft.lab.data import filters, readers

    return filters.Overlap(text for path in paths for text in readers.read_every_side(path, faults)).excludes(near)


def _open_agreement(
    model: str | None, min_preference: float | None, min_gain: float | None, selection: SourceSelection | None
) -> AgreementFilter | None:
    if model is None:
        return None
    with needs_extra("--agrees-with", "train"):
        from redraft.lab.train.agreement import AgreementFilter, choose_measure
    from redraft.model.catalogue import locate
    from redraft.model.folder import ModelFolder

    folder = ModelFolder.open(locate(model))
    if selection:
        selection.admit_model(folder.path, folder.info.licence)
    least, measure = choose_measure(min_preference, min_gain)
    return AgreementFilter.open(folder, least=least, measure=measure)


def _respell(pairs: Iterable[Pair], spelling: str) -> Iterable[Pair]:
    from redraft.lab.data.pair_sifter import respell

    return pairs if spelling == "as-is" else respell(pairs, spelling == "tokenized")


def _hold_out(pairs: Iterable[Pair], dev: Path, count: int) -> list[Pair]:
    from redraft.lab.data.dev_set import hold_out, write_gold

    every = list(pairs)
    parts = hold_out(every, count)
    write_gold(dev, parts.dev)
    shared = len(every) - len(parts.dev) - len(parts.training)
    write(
        f"{len(parts.dev):,} pairs in the dev set {printable(dev)}; of the pairs kept below, "
        f"{shared:,} more were left out, which share a sentence with it, and {len(parts.training):,} remain\n"
    )
    return parts.training


def _write_pairs(pairs: Iterable[Pair], output: Path, tokenizer: Path | None) -> None:
    from redraft.lab.data import shards, text_output

    if tokenizer is not None:
        shards.pack(output, pairs, tokenizer)
    elif ".tsv" in output.suffixes:
        text_output.write_lines(output, (f"{pair.source}\t{pair.target}" for pair in pairs))
    else:
        raise ConfigError(f"{output}: name a .tsv file, or give --tokenizer to write packed ids into a folder")


def _prepare_english(inputs: list[Path], output: Path, faults: Faults, selection: SourceSelection | None) -> None:
    with needs_extra("--english", "train"):
        import lemminflect  # noqa: F401 - the error patterns need it
    from redraft.lab.data.english_corpus import assemble

    folder = _only_folder(inputs, "--english takes one folder with clean/, pairs/ and dev/")
    if selection:
        _prepare_open_english(folder, output, faults, selection)
        return
    made = assemble(folder, output, faults)
    _write_reports(made.reports)
    write(
        f"{made.all_pairs:,} annotated pairs, {made.changed_pairs:,} of them changed; {made.mined_pairs:,} mined; "
        f"{made.pattern_pairs:,} by error patterns; "
        f"{made.llm_pairs:,} corrected by an LLM, {made.published_pairs:,} of published text; "
        f"{made.corrected:,} corrected and {made.personal:,} personal sentences; {made.held_out:,} held out\n"
    )
    report_faults(faults)


def _prepare_open_english(folder: Path, output: Path, faults: Faults, selection: SourceSelection) -> None:
    from redraft.lab.data.english_open import assemble

    made = assemble(folder, selection, output, faults)
    _write_reports(made.reports)
    write_records(selection, made.files)
    write(
        f"{made.mined_pairs:,} mined pairs, {made.loose_pairs:,} loose ones; {made.pattern_pairs:,} by error patterns; "
        f"{made.personal:,} personal sentences; {made.held_out:,} held out\n"
    )
    report_faults(faults)


def _prepare_chinese(inputs: list[Path], output: Path, faults: Faults) -> None:
    from redraft.lab.data.chinese_corpus import assemble

    folder = _only_folder(inputs, "--chinese takes one folder with clean_*, pairs.tsv and mucgec.*")
    made = assemble(folder, output, faults)
    _write_reports(made.reports)
    write(
        f"{made.all_pairs:,} pairs, {made.grammar_pairs:,} of them of grammar; {made.clean:,} clean sentences, "
        f"{made.copy:,} of them well edited; {made.held_out:,} held out; {made.dev:,} for development\n"
    )
    report_faults(faults)


def _only_folder(inputs: list[Path], message: str) -> Path:
    if len(inputs) != 1 or not inputs[0].is_dir():
        raise InputError(message)
    return inputs[0]


def _write_reports(reports: Mapping[str, object]) -> None:
    for name, report in reports.items():
        write(f"{name}\n{report}\n")
