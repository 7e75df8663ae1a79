"""`redraft bench`: measurements of speed and correctness."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from redraft.cli.extras import needs_extra
from redraft.cli.renamed import RenamingGroup
from redraft.files.text_file import read
from redraft.json_text import to_json
from redraft.settings.options import DraftModelOptions, ModelOptions, OneModelOptions, with_options
from redraft.terminal.output import write
from redraft.terminal.progress import progress

app = typer.Typer(cls=RenamingGroup, no_args_is_help=True, help="Measure speed and correctness.")

Sentences = Annotated[Path, typer.Argument(metavar="FILE", help="File of sentences, one a line; - is stdin.")]
Samples = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="M2 file; lines of source, tab and reference; or plain lines. Default: built-in English sentences.",
    ),
]
Count = Annotated[
    int | None,
    typer.Option("--sentences", min=1, metavar="NUMBER", help="Number of sentences, evenly spaced in the file."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
_DEFAULT_MODEL = "en"
_MODEL_AND_THREADS = ("engine", "precision", "draft", "max_draft", "threshold", "dictionary")
"""Options left out where a measurement chooses them itself: all of a model but its name and the threads."""


@app.command()
@with_options(OneModelOptions, left_out=("draft", "dictionary"))
def identity(
    options: ModelOptions,
    file: Sentences,
    draft: Annotated[
        list[str] | None,
        typer.Option(metavar="none|suffix|realign|refine", help="Draft policy. May be repeated. Default: all of them."),
    ] = None,
    sentences: Count = None,
    json: Json = False,
) -> None:
    """Compare every draft policy with greedy decoding.

    Their output must be the same, token for token, at the same confidence threshold. Exits with 0 if every output
    is identical, with 1 otherwise.
    """
    from redraft.decode.drafts import POLICIES, find_policy
    from redraft.lab.bench.identity import compare
    from redraft.lab.bench.samples import spread

    policies = draft or list(POLICIES)
    for name in policies:
        find_policy(name)
    lines = _read_sentences(file)
    lines = spread(lines, sentences or len(lines))
    corrector = replace(options, model=_model(options)).open()
    threshold = corrector.thresholds[corrector.info.language]
    decode = replace(corrector.solver.options.decode, threshold=threshold)
    with progress("Comparing", len(lines)) as advance:
        report = compare(corrector.engine, corrector.tokenizer, lines, policies, decode, advance)
    _print(report.to_mapping(), json)
    if not report.identical:
        raise typer.Exit(1)


@app.command("false-positives")
@with_options(DraftModelOptions, left_out=("dictionary",))
def false_positives(
    options: ModelOptions,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of correct sentences, one a line; - is stdin.")],
    probes: Annotated[
        int,
        typer.Option(
            min=0, metavar="NUMBER", help="Number of generated sentences with strings to copy: names, numbers, URLs."
        ),
    ] = 5000,
    json: Json = False,
) -> None:
    """Show what is changed in text that is correct already.

    Reports the share of sentences changed, the kinds of edits, and the share of names, rare words, numbers and
    addresses in generated sentences that are not copied as they are.
    """
    from redraft.lab.bench.false_positives import run
    from redraft.lab.train.correct_sentences import make_correct_sentences

    sentences = _read_sentences(file)
    corrector = options.open()
    with progress("Correcting", len(sentences) + probes) as advance:
        report = run(corrector, sentences, make_correct_sentences(probes), advance)
    _print(report.to_mapping(), json)


@app.command()
@with_options(DraftModelOptions, left_out=("dictionary",))
def stability(options: ModelOptions, file: Sentences, json: Json = False) -> None:
    """Count corrected sentences that change a second time."""
    from redraft.lab.bench.stability import run

    sentences = _read_sentences(file)
    corrector = options.open()
    with progress("Correcting", len(sentences)) as advance:
        report = run(corrector, sentences, advance)
    _print(report.to_mapping(), json)


@app.command()
def score(json: Json = False) -> None:
    """Time the MaxMatch scorer on generated text.

    Reports wall-clock and processor seconds.
    """
    from redraft.lab.bench.score import SENTENCES, run

    with progress("Scoring", SENTENCES) as advance:
        report = run(advance)
    _print(report.to_mapping(), json)


@app.command()
def server(
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of a running `redraft serve` on this machine.")],
    file: Sentences,
    clients: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            max=1000,
            metavar="NUMBER",
            help="Number of concurrent clients. May be repeated. Default: 1, 8 and 64.",
        ),
    ] = None,
    requests: Annotated[
        int | None,
        typer.Option(
            min=1, max=100_000, metavar="NUMBER", help="Number of requests of all clients together. Default: 1000."
        ),
    ] = None,
    bulk_clients: Annotated[
        int,
        typer.Option(
            min=0,
            max=1000,
            metavar="NUMBER",
            help="Other clients that send long texts; each level is measured without and with them.",
        ),
    ] = 0,
    pipe_threads: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="NUMBER",
            help="Threads of Corrector.pipe, which corrects the same sentences after each level; 0 for none.",
        ),
    ] = 0,
    languagetool: Annotated[
        bool,
        typer.Option("--languagetool", help="Use LanguageTool's API; the file needs a sentence for each request."),
    ] = False,
    json: Json = False,
) -> None:
    """Put a running server under load.

    Each client sends its next request as soon as it has its answer. Exits with 0 if every request was answered,
    with 1 otherwise.
    """
    from redraft.lab.bench.server_load import CLIENTS, REQUESTS, run

    levels, each = clients or list(CLIENTS), requests or REQUESTS
    sentences = _read_sentences(file)
    with progress("Requesting", len(levels) * each * (2 if bulk_clients else 1)) as advance:
        pipe = _open_pipe(pipe_threads)
        report = run(url, sentences, advance, levels, each, bulk_clients, pipe, languagetool)
    _print(report.to_mapping(), json)
    if report.errors:
        raise typer.Exit(1)


@app.command()
@with_options(DraftModelOptions, left_out=("dictionary",))
def document(
    options: ModelOptions,
    input_format: Annotated[
        str, typer.Option(metavar="FORMAT", help="Format of the document: plain, markdown, latex…")
    ] = "plain",
    json: Json = False,
) -> None:
    """Time the check after one keystroke in a long document.

    The document has 3,000 words. Reports medians in milliseconds, beside a check of the whole document and of the
    changed sentence alone.
    """
    from redraft.lab.bench.document import ROUNDS, run

    corrector = options.open()
    with progress("Typing", ROUNDS) as advance:
        report = run(corrector, input_format, advance=advance)
    _print(report.to_mapping(), json)


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
            help="Engine to time: native/int8, onnx/int8, onnx/fp32 or torch. May be repeated. "
            "Default: native/int8 and onnx with all precisions of the model.",
        ),
    ] = None,
    sentences: Count = None,
    json: Json = False,
) -> None:
    """Time single sentences on several engines.

    Reports times by length and number of edits, start-up time, memory, and the least time the hardware allows.
    Engines take turns at every sentence.
    """
    from redraft.lab.bench.latency import SENTENCES, find_setups, run
    from redraft.lab.bench.samples import read_samples

    machine, model = _describe(context), _model(options)
    samples = read_samples(file, sentences or SENTENCES)
    setups = find_setups(model, setup or [])
    with needs_extra("this measurement", "bench"), progress("Correcting", len(samples)) as advance:
        figures = run(model, setups, samples, options.threads or 0, advance)
    _print({"machine": machine, "latency": figures}, json)


@app.command()
@with_options(OneModelOptions, left_out=_MODEL_AND_THREADS)
def peers(
    options: ModelOptions,
    context: typer.Context,
    file: Samples = None,
    sentences: Count = None,
    checker_sentences: Annotated[
        int | None,
        typer.Option(min=1, metavar="NUMBER", help="Number of sentences for harper.js. Default: 200."),
    ] = None,
    json: Json = False,
) -> None:
    """Compare with transformers, CTranslate2 and harper.js.

    Hugging Face transformers and CTranslate2 run the same network; harper.js is a checker with rules.

    npm installs harper.js once into the user's cache; without npm it is left out, and the report says so.
    """
    with needs_extra("this measurement", "bench"):
        from redraft.lab.bench import harper, peers
    from redraft.lab.bench.samples import read_samples

    machine, model, threads = _describe(context), _model(options), options.threads or 0
    samples = read_samples(file, sentences or peers.SENTENCES)
    judged = read_samples(file, checker_sentences or harper.SENTENCES)
    with needs_extra("this measurement", "bench"), progress("Comparing", len(samples) + len(judged)) as advance:
        figures = peers.run(model, samples, threads, advance)
        checkers = harper.run(model, judged, threads, advance)
    checkers["source"] = "built-in sentences" if file is None else file.name
    _print({"machine": machine, "peers": figures, "checkers": checkers}, json)


@app.command()
@with_options(OneModelOptions, left_out=(*_MODEL_AND_THREADS, "threads"))
def paper(
    options: ModelOptions,
    context: typer.Context,
    file: Samples = None,
    sentences: Count = None,
    depth_sentences: Annotated[
        int | None,
        typer.Option(min=1, metavar="NUMBER", help="Number of sentences for the models of ten depths. Default: 20."),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(
            min=16, metavar="NUMBER", help="Width of the models of ten depths; 1024 in the paper. Default: 512."
        ),
    ] = None,
    threads: Annotated[
        list[int] | None,
        typer.Option(min=1, metavar="NUMBER", help="Number of CPU threads. May be repeated. Default: 1 and 2."),
    ] = None,
    chinese: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File of Chinese lines of source, tab and reference, for the Chinese table."),
    ] = None,
    json: Json = False,
) -> None:
    """Measure the tables of the paper on this machine.

    The paper is the one that the method comes from: Instantaneous Grammatical Error Correction with Shallow Aggressive
    Decoding (ACL 2021). Redraft's draft policies are measured beside the paper's.

    With an M2 file, such as CoNLL-13 in the paper, outputs are scored too.
    """
    with needs_extra("this measurement", "bench"):
        from redraft.lab.bench.paper import Plan, run

    given = {"sentences": sentences, "depth_sentences": depth_sentences, "width": width, "threads": threads}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    machine, plan = _describe(context), Plan(_model(options), file, chinese, **chosen)
    with progress("Decoding", plan.steps) as advance:
        figures = run(plan, advance)
    _print({"machine": machine, "paper": figures}, json)


@app.command()
@with_options(OneModelOptions, left_out=set(_MODEL_AND_THREADS) - {"precision"})
def throughput(
    options: ModelOptions,
    context: typer.Context,
    file: Samples = None,
    sentences: Count = None,
    batch_tokens: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="Tokens in a batch. May be repeated. Default: 1 and powers of 2 from 128 to 4096.",
        ),
    ] = None,
    peers: Annotated[
        bool,
        typer.Option(
            "--peers",
            help="Compare with CTranslate2 and transformers, with one thread and with all, in place of batch sizes.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Time a long text, by the size of the batches.

    Reports sentences a second for each number of tokens in a batch. Exits with 0 if the output is the same for all
    batch sizes, with 1 otherwise.
    """
    from redraft.lab.bench.samples import read_samples
    from redraft.lab.bench.throughput import BATCH_TOKENS, ROUNDS, SENTENCES, run

    machine = _describe(context)
    samples = [pair.source for pair in read_samples(file, sentences or SENTENCES)]
    if peers:
        _compare_in_bulk(options, samples, machine, json)
        return
    sizes = batch_tokens or list(BATCH_TOKENS)
    with progress("Correcting", ROUNDS * len(sizes)) as advance:
        figures = run(_model(options), samples, options.threads or 0, options.precision, sizes, advance)
    _print({"machine": machine, "throughput": figures}, json)
    if not figures["same_output"]:
        raise typer.Exit(1)


def _compare_in_bulk(options: ModelOptions, samples: list[str], machine: Mapping[str, Any], json: bool) -> None:
    threads = options.threads or 0
    with needs_extra("this measurement", "bench"):
        from redraft.lab.bench.bulk_peers import count_steps, run

        with progress("Correcting", count_steps(threads)) as advance:
            figures = run(_model(options), samples, threads, advance)
    _print({"machine": machine, "throughput": figures}, json)


def _model(options: ModelOptions) -> str:
    return options.model or _DEFAULT_MODEL


def _open_pipe(threads: int) -> Callable[[Sequence[str]], object] | None:
    """Corrects sentences with `Corrector.pipe` on this number of threads; None for 0."""
    if not threads:
        return None
    from collections import deque

    from redraft.lab.bench.uncached import load_uncached

    corrector = load_uncached(threads=threads)
    return lambda sentences: deque(corrector.pipe(sentences), 0)


def _read_sentences(file: Path) -> list[str]:
    lines = (line.strip() for line in read(file).text.split("\n"))
    return [line for line in lines if line]


def _print(report: Mapping[str, Any], json: bool) -> None:
    from redraft.lab.bench.text_report import render

    write(f"{to_json(report)}\n" if json else render(report))


def _describe(context: typer.Context) -> dict[str, Any]:
    """The machine and the command. Called before the measurement, which raises the machine's load average."""
    from redraft.lab.bench.machine import describe

    return describe(_command(context))


def _command(context: typer.Context) -> str:
    """The command line, with names of files and folders instead of paths."""
    words = [f"redraft bench {context.info_name}"]
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if value in (None, (), []) or parameter.name == "json":
            continue
        option = "" if parameter.param_type_name == "argument" else f"{parameter.opts[-1]} "
        words += [f"{option}{Path(str(one)).name if _is_path(one) else one}" for one in _as_list(value)]
    return " ".join(words)


def _is_path(value: Any) -> bool:
    return isinstance(value, Path) or (isinstance(value, str) and Path(value).is_dir())


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
