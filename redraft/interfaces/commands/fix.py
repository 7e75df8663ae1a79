"""`redraft fix`: text in, corrected text out."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from redraft.edits.edit import Edit
from redraft.errors import InputError, RedraftError
from redraft.interfaces.files import MARK, STDIN, InputText, read, read_lines, replace_text, split_lines
from redraft.interfaces.formats import edit_to_mapping, to_json
from redraft.interfaces.options import ModelOptions, with_model_options
from redraft.interfaces.output import Paint, remark, write
from redraft.interfaces.progress import progress
from redraft.interfaces.proofreader import Proofreader


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be done with the corrected text."""

    diff: bool
    write: bool
    json: bool
    lines: bool

    def __post_init__(self) -> None:
        if self.json and (self.diff or self.write):
            raise InputError("--json goes with neither --diff nor --write")

    @property
    def streams(self) -> bool:
        return self.lines and not (self.diff or self.write)


@dataclass(frozen=True, slots=True)
class Fixed:
    source: InputText
    text: str
    edits: tuple[Edit, ...]

    @property
    def changed(self) -> bool:
        return self.text != self.source.text


@with_model_options()
def fix(
    options: ModelOptions,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT", show_default=False, help="The text; stdin if left out or -. With --file, file names."
        ),
    ] = None,
    file: Annotated[
        bool, typer.Option("--file", "-f", help="The arguments are files; - is stdin.", show_default=False)
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show a unified diff instead of the corrected text.")] = False,
    write: Annotated[bool, typer.Option("--write", "-w", help="Change the files themselves (implies --file).")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for each text, with every edit.")] = False,
    lines: Annotated[
        bool, typer.Option("--lines", help="One sentence a line: as many lines come out, as soon as they come in.")
    ] = False,
) -> None:
    """Correct a text, files or stdin.

    The corrected text goes to stdout; everything but the corrections stays as it was, byte for byte.
    """
    wanted = Wanted(diff, write, json, lines)
    if not texts or texts == [str(STDIN)]:
        if write:
            raise InputError("--write needs files: redraft fix --write FILE…")
        _fix_files(options.open(), [STDIN], wanted)
    elif file or write:
        _fix_files(options.open(), [Path(text) for text in texts], wanted)
    else:
        _fix_argument(options, texts, wanted)


def _fix_argument(options: ModelOptions, texts: list[str], wanted: Wanted) -> None:
    if len(texts) > 1:
        raise InputError("give one text, in quotes; or files, with --file")
    if _is_file(texts[0]):
        raise InputError(f"{texts[0]} is a file: add --file to correct what is in it")
    text = texts[0]
    _show(_correct(options.open(), InputText("<text>", text), wanted.lines), wanted)
    if not (wanted.json or wanted.diff):
        write("\n")


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # longer than a name may be, or with a character no name has
        return False


def _fix_files(proofreader: Proofreader, paths: list[Path], wanted: Wanted) -> None:
    if STDIN in paths and sys.stdin.isatty():
        remark("reading from the terminal; end with Ctrl-D")
    failed = False
    with progress("Correcting", len(paths), writes=wanted.diff or not wanted.write) as advance:
        for path in paths:
            try:
                if wanted.streams:
                    _stream(proofreader, path, wanted)
                else:
                    _fix_file(proofreader, path, wanted)
            except RedraftError as error:
                remark(str(error))
                failed = True
            advance()
    if failed:
        raise typer.Exit(2)


def _fix_file(proofreader: Proofreader, path: Path, wanted: Wanted) -> None:
    source = read(path)
    if wanted.write and path == STDIN:
        raise InputError("--write cannot change stdin; leave --write out to see the corrected text")
    if source.broken:
        remark(f"{source.name}: {source.broken} bytes are not UTF-8; they stay as they are")
    fixed = _correct(proofreader, source, wanted.lines)
    _show(fixed, wanted)
    if wanted.write and fixed.changed:
        replace_text(path, source.mark + fixed.text)
        remark(f"{path}: {len(fixed.edits)} corrections")


def _correct(proofreader: Proofreader, source: InputText, by_line: bool) -> Fixed:
    if not by_line:
        correction = proofreader.correct(source.text)
        return Fixed(source, correction.text, correction.edits)
    texts, edits, offset = [], [], 0
    for correction in proofreader.pipe(split_lines(source.text)):
        texts.append(correction.text)
        edits += [replace(edit, span=edit.span.shift(offset)) for edit in correction.edits]
        offset += len(correction.source)
    return Fixed(source, "".join(texts), tuple(edits))


def _stream(proofreader: Proofreader, path: Path, wanted: Wanted) -> None:
    name = "<stdin>" if path == STDIN else str(path)
    number = broken = 0
    for lines in read_lines(path):
        # A mark before the first word would hide the word from the model.
        marks = [MARK if line.startswith(MARK) else "" for line in lines]
        bare = [line.removeprefix(MARK) for line in lines]
        broken += sum(InputText(name, line).broken for line in lines)
        for mark, correction in zip(marks, proofreader.pipe(bare), strict=True):
            number += 1
            line = {"file": name, "line": number, **_mapping(correction.text, correction.edits)}
            write(f"{to_json(line)}\n" if wanted.json else mark + correction.text)
    if broken:
        remark(f"{name}: {broken} bytes are not UTF-8; they stay as they are")


def _show(fixed: Fixed, wanted: Wanted) -> None:
    if wanted.json:
        write(f"{to_json({'file': fixed.source.name, **_mapping(fixed.text, fixed.edits)})}\n")
    elif wanted.diff:
        paint = Paint(sys.stdout)
        for line in _diff(fixed):
            write(f"{_paint_line(line, paint)}\n")
    elif not wanted.write:
        write(fixed.source.mark + fixed.text)


def _mapping(text: str, edits: tuple[Edit, ...]) -> dict[str, Any]:
    return {"text": text, "edits": [edit_to_mapping(edit) for edit in edits]}


def _diff(fixed: Fixed) -> Iterator[str]:
    name, mark = fixed.source.name, fixed.source.mark
    before, after = split_lines(mark + fixed.source.text), split_lines(mark + fixed.text)
    for line in difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"):
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _paint_line(line: str, paint: Paint) -> str:
    if line.startswith(("---", "+++")):
        return paint(line, bold=True)
    colour = {"-": "red", "+": "green", "@": "cyan"}.get(line[:1])
    return paint(line, fg=colour) if colour else line
