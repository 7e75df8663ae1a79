"""`redraft bench`: the promises, measured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from redraft.errors import ConfigError
from redraft.files.text_file import read
from redraft.json_text import to_json
from redraft.settings.options import ModelOptions, OneModelOptions, with_model_options, with_options
from redraft.terminal.output import write
from redraft.terminal.progress import progress

app = typer.Typer(no_args_is_help=True, help="Measure what Redraft promises.")

Samples = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE", help="M2, source and reference with a tab, or plain lines; built-in sentences if left out."
    ),
]
Sentences = Annotated[
    int | None, typer.Option(min=1, metavar="NUMBER", help="So many of them, at even distances; some minutes' worth.")
]
Report = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Keep the figures there, and write benchmarks.md with plots from all of them."),
]
_MAIN = "en"
"""The model whose figures lead the page; those of others stand beside them."""
_MODEL_AND_THREADS = ("engine", "precision", "draft", "max_draft", "copy_bias", "threshold", "dictionary")
"""What these measurements choose themselves: all options of a model but its name and the threads."""


@app.command()
@with_options(OneModelOptions, left_out=("draft", "threshold", "dictionary"))
def identity(
    options: ModelOptions,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Sentences, one a line; - is stdin.")],
    policies: Annotated[
        list[str] | None, typer.Option("--policies", metavar="POLICY", help="Only these; may be given several times.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, metavar="NUMBER", help="Only the first sentences.")] = None,
) -> None:
    """Compare every draft policy with greedy decoding, sentence by sentence.

    Prints one JSON object. Exits with 0 if every output is identical, with 1 if one is not.
    """
    from redraft.decode.drafts import POLICIES, find_policy
    from redraft.lab.bench.identity import compare

    names = policies or list(POLICIES)
    for name in names:
        find_policy(name)
    lines = (line.strip() for line in read(file).text.split("\n"))
    sentences = list(islice((line for line in lines if line), limit))
    corrector = replace(options, model=_model(options)).open().corrector
    with progress("Comparing", len(sentences)) as advance:
        report = compare(corrector.engine, corrector.tokenizer, sentences, names, corrector.options.decode, advance)
    write(f"{to_json(report.to_mapping())}\n")
    if not report.identical:
        raise typer.Exit(1)


@app.command()
@with_model_options("dictionary")
def restraint(
    options: ModelOptions,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Sentences that are right, one a line; - is stdin.")],
    probes: Annotated[
        int, typer.Option(min=0, metavar="NUMBER", help="Made-up sentences full of strange strings, besides.")
    ] = 5000,
) -> None:
    """See what is changed in text that is right, and whether strange names, words, numbers and addresses survive.

    Prints one JSON object: shares, kinds of edits, and every change, to be judged by a reader.
    """
    from redraft.lab.bench.restraint import run
    from redraft.lab.train.probe import make_probes

    sentences = [line.strip() for line in read(file).text.split("\n") if line.strip()]
    corrector = options.open().corrector
    with progress("Reading", len(sentences) + probes) as advance:
        report = run(corrector, sentences, make_probes(probes), advance)
    write(f"{to_json(report.to_mapping())}\n")


@app.command()
def score() -> None:
    """Time MaxMatch on a made-up test set and on a sentence that shares nothing with its source.

    Prints one JSON object with seconds by the clock and of the processor.
    """
    from redraft.lab.bench.score import SENTENCES, run

    with progress("Scoring", SENTENCES) as advance:
        report = run(advance)
    write(f"{to_json(report.to_mapping())}\n")


@app.command()
def server(
    url: Annotated[str, typer.Argument(metavar="URL", help="A running `redraft serve` on this machine.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Sentences, one a line; - is stdin.")],
    clients: Annotated[
        list[int] | None,
        typer.Option(min=1, max=1000, metavar="NUMBER", help="Clients at once; may be given several times."),
    ] = None,
    requests: Annotated[
        int | None, typer.Option(min=1, max=100_000, metavar="NUMBER", help="Requests of all clients together.")
    ] = None,
) -> None:
    """Put a server under load: 1, 8 and 64 clients, each asking again as soon as it is answered.

    Prints one JSON object. Exits with 0 if every request was answered, with 1 if one was not.
    """
    from redraft.lab.bench.load import CLIENTS, REQUESTS, run

    levels, each = clients or list(CLIENTS), requests or REQUESTS
    sentences = [line.strip() for line in read(file).text.split("\n") if line.strip()]
    with progress("Asking", len(levels) * each) as advance:
        report = run(url, sentences, advance, levels, each)
    write(f"{to_json(report.to_mapping())}\n")
    if report.errors:
        raise typer.Exit(1)


@app.command()
@with_model_options("dictionary")
def document(
    options: ModelOptions,
    format: Annotated[str, typer.Option("--format", metavar="FORMAT", help="Read the text as this.")] = "plain",
) -> None:
    """Time one keystroke in a document of 3,000 words against a check of the whole and of its sentence alone.

    Prints one JSON object: medians in milliseconds, of turns taken one after another, and whole / keystroke.
    """
    from redraft.lab.bench.document import ROUNDS, run

    corrector = options.open().corrector
    with progress("Typing", ROUNDS) as advance:
        report = run(corrector, format, advance=advance)
    write(f"{to_json(report.to_mapping())}\n")


@app.command()
@with_options(OneModelOptions, left_out=_MODEL_AND_THREADS)
def latency(
    options: ModelOptions,
    context: typer.Context,
    file: Samples = None,
    setup: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ENGINE/PRECISION",
            help="native/int8, onnx/int8, onnx/fp32, torch. May be given several times.",
        ),
    ] = None,
    sentences: Sentences = None,
    report: Report = None,
) -> None:
    """Time single sentences by length and edits; the start, memory, and the share of what the hardware allows.

    Prints one JSON object. Engines take turns sentence by sentence.
    """
    from redraft.lab.bench.latency import SENTENCES, find_setups, run
    from redraft.lab.bench.samples import read_samples

    machine, model = _describe(context), _model(options)
    samples = read_samples(file, sentences or SENTENCES)
    setups = find_setups(model, setup or [])
    with _needs_extra(), progress("Correcting", len(samples)) as advance:
        figures = run(model, setups, samples, options.threads or 0, advance)
    _show({"latency": figures}, machine, report, model)


@app.command()
@with_options(OneModelOptions, left_out=_MODEL_AND_THREADS)
def peers(
    options: ModelOptions,
    context: typer.Context,
    file: Samples = None,
    sentences: Sentences = None,
    checked: Annotated[
        int | None,
        typer.Option(min=1, metavar="NUMBER", help="Sentences for harper.js; 200 if left out."),
    ] = None,
    report: Report = None,
) -> None:
    """Compare with Hugging Face transformers and CTranslate2 on one network, and with harper.js on what it catches.

    Prints one JSON object. harper.js comes from npm, once, into your cache; without npm it is left out, with a word.
    """
    with _needs_extra():
        from redraft.lab.bench import harper, peers
    from redraft.lab.bench.samples import read_samples

    machine, model, threads = _describe(context), _model(options), options.threads or 0
    samples = read_samples(file, sentences or peers.SENTENCES)
    judged = read_samples(file, checked or harper.SENTENCES)
    with _needs_extra(), progress("Comparing", len(samples) + len(judged)) as advance:
        figures = peers.run(model, samples, threads, advance)
        checkers = harper.run(model, judged, threads, advance)
    checkers["source"] = "written for this purpose" if file is None else file.name
    _show({"peers": figures, "checkers": checkers}, machine, report, model)


@app.command()
@with_options(OneModelOptions, left_out=(*_MODEL_AND_THREADS, "threads"))
def paper(
    options: ModelOptions,
    context: typer.Context,
    file: Samples = None,
    sentences: Sentences = None,
    depth_sentences: Annotated[
        int | None, typer.Option(min=1, metavar="NUMBER", help="Sentences for models of ten depths; 20 if left out.")
    ] = None,
    width: Annotated[
        int | None, typer.Option(min=16, metavar="NUMBER", help="Of those models; 512 if left out, 1024 in the paper.")
    ] = None,
    threads: Annotated[
        list[int] | None, typer.Option(min=1, metavar="NUMBER", help="May be given several times; 1 and 2 if left out.")
    ] = None,
    chinese: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Chinese pairs with a tab, for the table in Chinese.")
    ] = None,
    report: Report = None,
) -> None:
    """Measure every table of the paper, and its figure, on this machine, with our drafts beside the paper's rule.

    Prints one JSON object. With an M2 file, CoNLL-13 in the paper, outputs are scored too.
    """
    with _needs_extra():
        from redraft.lab.bench.paper import Plan, run

    given = {"sentences": sentences, "depth_sentences": depth_sentences, "width": width, "threads": threads}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    machine, plan = _describe(context), Plan(_model(options), file, chinese, **chosen)
    with progress("Decoding", plan.steps) as advance:
        figures = run(plan, advance)
    _show({"paper": figures}, machine, report)


@app.command()
@with_options(OneModelOptions, left_out=set(_MODEL_AND_THREADS) - {"precision"})
def throughput(
    options: ModelOptions,
    context: typer.Context,
    file: Samples = None,
    sentences: Sentences = None,
    batch_tokens: Annotated[
        list[int] | None,
        typer.Option(min=1, metavar="TOKENS", help="Decoded side by side; may be given several times."),
    ] = None,
    report: Report = None,
) -> None:
    """Count sentences a second of a long text, by the number of tokens decoded side by side.

    Prints one JSON object. Exits with 1 if the output is not the same for all of them.
    """
    from redraft.lab.bench.samples import read_samples
    from redraft.lab.bench.throughput import BATCH_TOKENS, ROUNDS, SENTENCES, run

    machine = _describe(context)
    samples = [pair.source for pair in read_samples(file, sentences or SENTENCES)]
    sizes = batch_tokens or list(BATCH_TOKENS)
    with progress("Correcting", ROUNDS * len(sizes)) as advance:
        figures = run(_model(options), samples, options.threads or 0, options.precision, sizes, advance)
    _show({"throughput": figures}, machine, report, _model(options))
    if not figures["same_output"]:
        raise typer.Exit(1)


@app.command()
def page(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where `--report` has kept figures.")],
) -> None:
    """Write benchmarks.md and its plots anew from the figures that are there."""
    from redraft.lab.bench import report

    report.write(folder)


@contextmanager
def _needs_extra() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise ConfigError(f"this measurement needs {error.name}: pip install 'redraft[bench]'") from None


def _model(options: ModelOptions) -> str:
    return options.model or _MAIN


def _describe(context: typer.Context) -> dict[str, Any]:
    """Called before anything is measured: afterwards, the machine is busy with that."""
    from redraft.lab.bench.machine import describe

    return describe(_command(context))


def _show(measured: dict[str, Any], machine: dict[str, Any], folder: Path | None, model: str = _MAIN) -> None:
    from redraft.lab.bench.report import save

    for name, figures in measured.items():
        if folder is not None:
            save(folder, name, machine, figures, "" if model == _MAIN else Path(model).name)
    write(f"{to_json({'machine': machine, **measured})}\n")


def _command(context: typer.Context) -> str:
    """What was asked for, without the folders of whoever asked."""
    words = [f"redraft bench {context.info_name}"]
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if value in (None, (), []) or parameter.name == "report":
            continue
        option = "" if parameter.param_type_name == "argument" else f"{parameter.opts[-1]} "
        words += [f"{option}{Path(str(one)).name if _is_path(one) else one}" for one in _several(value)]
    return " ".join(words)


def _is_path(value: Any) -> bool:
    return isinstance(value, Path) or (isinstance(value, str) and Path(value).is_dir())


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
