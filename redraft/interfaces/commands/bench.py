"""`redraft bench`: the promises, measured."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from redraft.interfaces.files import read
from redraft.interfaces.formats import to_json
from redraft.interfaces.options import ModelOptions, with_model_options
from redraft.interfaces.output import write
from redraft.interfaces.progress import progress

app = typer.Typer(no_args_is_help=True, help="Measure what Redraft promises.")


@app.command()
@with_model_options("draft", "min_confidence", "dictionary")
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
    from redraft.bench.identity import compare
    from redraft.decode.drafts import POLICIES, find_policy

    names = policies or list(POLICIES)
    for name in names:
        find_policy(name)
    lines = (line.strip() for line in read(file).text.split("\n"))
    sentences = list(islice((line for line in lines if line), limit))
    corrector = options.open().corrector
    with progress("Comparing", len(sentences)) as advance:
        report = compare(corrector.engine, corrector.tokenizer, sentences, names, corrector.options.decode, advance)
    write(f"{to_json(report.to_mapping())}\n")
    if not report.identical:
        raise typer.Exit(1)


@app.command()
def score() -> None:
    """Time MaxMatch on a made-up test set and on a sentence that shares nothing with its source.

    Prints one JSON object with seconds by the clock and of the processor.
    """
    from redraft.bench.score import SENTENCES, run

    with progress("Scoring", SENTENCES) as advance:
        report = run(advance)
    write(f"{to_json(report.to_mapping())}\n")
