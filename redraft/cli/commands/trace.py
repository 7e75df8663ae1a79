"""`redraft trace`: shows how a sentence is decoded, call by call."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redraft.check.timed_trace import TimedTrace, time_trace
from redraft.errors import InputError
from redraft.json_text import to_json
from redraft.settings.configuration import find
from redraft.settings.options import DraftModelOptions, with_options
from redraft.terminal.output import Paint, count, printable, write

if TYPE_CHECKING:
    from redraft.decode.trace import SentenceTrace

_PARALLEL, _SINGLE = "green", "yellow"
_END = "∎"
"""Shown for a call that wrote no text: the end of the sentence, or a part of a character."""
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@with_options(DraftModelOptions, left_out=("threshold", "dictionary"))
def trace(
    options: DraftModelOptions,
    sentence: Annotated[str, typer.Argument(metavar="SENTENCE", help="Sentence, in quotes.")],
    every: Annotated[bool, typer.Option("--all", help="Use every draft policy, one after another.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each policy.")] = False,
) -> None:
    """Show how the model corrects a sentence, step by step.

    Redraft guesses what the model will write (a draft), and one decoder call verifies the whole guess. Every call has a
    number. A block from an accepted draft is green, a token that the model wrote by itself is yellow, and the rejected
    part of a draft is struck out; ∎ is a call that wrote no text, such as the end of the sentence.

    A corrected sentence is decoded again until it stays the same: one line of text for each pass.
    """
    if not sentence.strip():
        raise InputError("the sentence is empty; give one in quotes")
    project = find(Path.cwd())
    project.check_model(options.model)
    corrector = project.fill(options).open()
    policies = _policies() if every else [corrector.solver.options.decode.policy]
    paint = Paint(sys.stdout)
    for place, policy in enumerate(policies):
        timed = time_trace(corrector, policy, sentence)
        if json:
            write(f"{to_json(timed.to_mapping())}\n")
            continue
        write("\n" * (place > 0))
        for line in _render(timed, paint):
            write(f"{line}\n")


def _policies() -> list[str]:
    from redraft.decode.drafts import POLICIES

    return list(POLICIES)


def _render(timed: TimedTrace, paint: Paint) -> Iterator[str]:
    counts = timed.to_mapping()
    yield paint(
        f"{timed.policy}: {count(counts['calls'], 'decoder call')} for {count(counts['tokens'], 'token')}, "
        f"{counts['verified']} verified, {timed.milliseconds:.1f} ms",
        bold=True,
    )
    for sentence in chain.from_iterable(sentence.passes for sentence in timed.trace.sentences):
        yield "  " + _blocks(sentence, paint)
        for number, block in enumerate(sentence.blocks, start=1):
            if block.rejected:
                drafted = f"{block.agreed} of {block.drafted} drafted tokens accepted; rejected:"
                wrong = paint(printable(block.rejected.strip()), dim=True, strikethrough=True)
                yield f"  {paint(f'{number:>3}', dim=True)}  {paint(drafted, dim=True)} {wrong}"


def _blocks(sentence: SentenceTrace, paint: Paint) -> str:
    """The target, with the number of each call behind what it added."""
    pieces = []
    for number, block in enumerate(sentence.blocks, start=1):
        colour = _PARALLEL if block.parallel else _SINGLE
        pieces.append(paint(printable(block.text) or _END, fg=colour) + paint(str(number).translate(_RAISED), dim=True))
    return "".join(pieces)
