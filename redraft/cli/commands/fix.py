"""`redraft fix`: text in, corrected text out."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from redraft import __version__
from redraft.check.session import CheckResult, CheckSession, Text
from redraft.edits.describe import edit_to_mapping
from redraft.errors import InputError
from redraft.files.corrected_files import CorrectedFiles
from redraft.files.destination import Destination
from redraft.files.journal import JOURNAL, Journal
from redraft.files.reviewer import FailedFile, FileReader, FileReviewer, ReviewedFile
from redraft.files.saver import FileSaver, remark_broken
from redraft.files.sections import FilePlace
from redraft.files.settings_checksum import identify
from redraft.files.text_file import MARK, STDIN, InputText, read_lines, real_path
from redraft.files.unchecked_count import UncheckedCount
from redraft.json_text import to_json
from redraft.settings.options import ModelOptions, SpreadModelOptions, TextOptions, with_options
from redraft.settings.project import Project, SessionSetup
from redraft.terminal.output import Paint, count, printable, remark, write
from redraft.terminal.progress import Bar, progress
from redraft.text.encoding import encode
from redraft.text.lines import split_lines

RAY = "ray"
"""Runs another engine on a cluster: onnx, or the one behind a colon, as in ray:cuda."""


@dataclass(frozen=True, slots=True)
class FixOptions:
    """What to do with the corrected text."""

    diff: bool
    write: bool
    json: bool
    lines: bool
    output: Path | None
    resume: bool
    journal: Path | None

    def __post_init__(self) -> None:
        if self.json and (self.diff or self.write):
            raise InputError("--json cannot be combined with --diff or --write")
        if self.output and (self.json or self.diff or self.write):
            raise InputError("--output cannot be combined with --json, --diff or --write")
        if self.resume and (self.diff or not self.saves):
            raise InputError("--resume continues writing files: it needs --write or --output FOLDER, without --diff")
        if self.journal and (self.diff or not self.saves):
            raise InputError("--journal records written files: it needs --write or --output FOLDER, without --diff")

    @property
    def saves(self) -> bool:
        """Whether files are written."""
        return self.write or self.output is not None

    @property
    def needs_whole_files(self) -> bool:
        """Whether the output for a file is known only when the whole file was checked."""
        return self.diff or (self.json and not self.lines)


@with_options(SpreadModelOptions, TextOptions)
def fix(
    model: ModelOptions,
    text: TextOptions,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT", show_default=False, help="Text to correct; stdin if left out or -. With --file, file names."
        ),
    ] = None,
    file: Annotated[
        bool,
        typer.Option(
            "--file", "-f", help="Take the arguments as files, folders or patterns; - is stdin.", show_default=False
        ),
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Print a unified diff instead of the corrected text.")] = False,
    write: Annotated[
        bool, typer.Option("--write", "-w", help="Write the corrections to the files (implies --file).")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder for the corrected files, instead of stdout (implies --file)."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each text, with all edits.")] = False,
    lines: Annotated[
        bool, typer.Option("--lines", help="Take every line as a text of its own, and print it as soon as it is read.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="Number of workers, with --engine ray. Default: one per processor; with ray:cuda, one per GPU. More "
            "workers than GPUs share them.",
        ),
    ] = None,
    journal: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Record of corrected files, which later runs leave out. Default: none; with --engine ray, "
            "one beside the written files.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue long files where a run with --write or --output was interrupted."),
    ] = False,
) -> None:
    """Correct a text, files or stdin.

    The corrected text goes to stdout; everything but the corrections stays as it was, byte for byte.

    --engine ray corrects files and folders on a Ray cluster, with --write or --output. If it is interrupted, the same
    command continues the work.
    """
    options = FixOptions(diff, write, json, lines, output, resume, journal)
    if lines and text.input_format:
        raise InputError("--lines reads every line as plain text; leave out --input-format")
    from_stdin = not texts or texts == [str(STDIN)]
    if from_stdin and options.saves:
        raise InputError(f"--{'write' if write else 'output'} needs files: redraft fix --write FILE…")
    paths = [STDIN] if from_stdin else [Path(text) for text in texts or ()]
    place, _, engine = (model.engine or "").partition(":")
    if place == RAY:
        project = Project.open(text, paths)
        _fix_on_cluster(project, replace(model, engine=engine or None), paths, options, workers)
    elif workers:
        raise InputError("--workers needs --engine ray")
    elif from_stdin or file or options.saves:
        project = Project.open(text, paths)
        _fix_files(project, project.setup(model), paths, options)
    else:
        _fix_argument(model, Project.open(text), texts or [], options)


def _fix_argument(model: ModelOptions, project: Project, texts: list[str], options: FixOptions) -> None:
    if len(texts) > 1:
        raise InputError("give one text, in quotes; or files, with --file")
    text = texts[0]
    if _is_path(text, options):
        raise InputError(f"{text} is a file or folder: add --file to correct what is in it")
    source = InputText("<text>", text)
    (result,) = project.session(model).check_many([Text(text, project.format_of(STDIN), options.lines)])
    _show(ReviewedFile(STDIN, source.name, source, result), options)
    if not (options.json or options.diff):
        write("\n")
    unchecked = UncheckedCount()
    unchecked.add(source.name, result, FilePlace())
    unchecked.report()


def _is_path(text: str, options: FixOptions) -> bool:
    """A single word may also be the name of a folder: it is taken for one if a diff is asked for."""
    try:
        return Path(text).is_file() or (("/" in text or options.diff) and Path(text).is_dir())
    except (OSError, ValueError):  # longer than a name may be, or with a character no name has
        return False


def _fix_files(project: Project, setup: SessionSetup, arguments: list[Path], options: FixOptions) -> None:
    session = setup.open()
    reviewer = FileReviewer(project, session, options.lines)
    destination = Destination(project.folder, options.output)
    paths = [path for path in reviewer.select(arguments) if not destination.holds(path)]
    with progress("Correcting", len(paths), shown=not reviewer.awaits_typing(paths)) as bar:
        if options.needs_whole_files:
            for file in reviewer.review(paths, bar):
                if isinstance(file, ReviewedFile):
                    with bar.hidden():
                        _finish(file, reviewer, options, destination)
        elif options.saves:
            _save(project, setup, reviewer, destination, paths, options, bar)
        elif options.lines:
            _stream_lines(project, session, reviewer, paths, options, bar)
        else:
            _stream_sections(reviewer, paths, bar)
    reviewer.report()
    if reviewer.failed:
        raise typer.Exit(2)


def _save(
    project: Project,
    setup: SessionSetup,
    reviewer: FileReviewer,
    destination: Destination,
    paths: list[Path],
    options: FixOptions,
    bar: Bar,
) -> None:
    settings = identify(setup, project, options.lines)
    with ExitStack() as stack:
        corrected = None
        if options.journal:
            journal = stack.enter_context(Journal(options.journal))
            corrected = CorrectedFiles(journal, destination, settings)
            paths = [path for path in paths if real_path(path) != real_path(journal.path)]
        # What is half done is continued only by the same version.
        saver = FileSaver(project, reviewer, destination, f"{__version__} {settings}", options.resume, corrected)
        with saver:
            saver.save(paths, bar)
    _remark_known(saver.known)


def _remark_known(number: int) -> None:
    if number:
        remark(f"{count(number, 'file')} {'was' if number == 1 else 'were'} done before")


def _fix_on_cluster(
    project: Project, model: ModelOptions, arguments: list[Path], options: FixOptions, workers: int | None
) -> None:
    if not options.saves or options.diff or STDIN in arguments:
        raise InputError("--engine ray corrects files: redraft fix FOLDER --engine ray --write, or --output FOLDER")
    from redraft.files.bulk import Bulk
    from redraft.files.cluster import open_cluster

    reader, destination = FileReader(project), Destination(project.folder, options.output)
    setup = project.setup(model)
    if setup.options.consistent:
        raise InputError("--consistent needs whole texts, and --engine ray divides them; leave out one of the two")
    settings = identify(setup, project, options.lines)
    with Journal(options.journal or (options.output or project.folder) / JOURNAL) as journal:
        own = real_path(journal.path)
        paths = [path for path in reader.select(arguments) if not destination.holds(path) and real_path(path) != own]
        bulk = Bulk(project, reader, journal, destination, settings, options.lines)
        with progress("Correcting", len(paths)) as bar:
            bulk.correct(paths, lambda: open_cluster(setup, workers), bar)
    _remark_known(bulk.known)
    if bulk.deaths:
        remark(f"{count(bulk.deaths, 'worker')} died; others did the work")
    reader.report()
    if reader.failed:
        raise typer.Exit(2)


def _finish(file: ReviewedFile, reviewer: FileReviewer, options: FixOptions, destination: Destination) -> None:
    try:
        if options.saves and file.path == STDIN:
            raise InputError("--write cannot change stdin; leave --write out to see the corrected text")
        remark_broken(file.name, file.source.broken)
        _show(file, options)
        if options.saves:
            destination.write(file.path, file.source, file.result.text)
            if file.result.text != file.source.text:
                remark(f"{file.path}: {count(len(file.result.edits), 'correction')}")
    except InputError as error:
        reviewer.fail(file.name, error)


def _stream_sections(reviewer: FileReviewer, paths: list[Path], bar: Bar) -> None:
    """Writes each section of the files as soon as it is corrected."""
    broken = 0
    for reviewed in reviewer.review_sections(paths, bar):
        if isinstance(reviewed, FailedFile):
            continue
        section = reviewed.section
        broken += InputText(reviewed.name, section.text.source).broken
        _write_text(section.mark + reviewed.result.text, bar)
        if section.is_last:
            remark_broken(reviewed.name, broken)
            broken = 0


def _write_text(text: str, bar: Bar) -> None:
    # Behind a line without a line end the bar would overwrite the line.
    with bar.hidden(comes_back=text.endswith("\n")):
        write(text)


def _stream_lines(
    project: Project, session: CheckSession, reviewer: FileReviewer, paths: list[Path], options: FixOptions, bar: Bar
) -> None:
    for path in paths:
        try:
            _stream_file(session, reviewer.unchecked, path, project.name_of(path), options, bar)
        except InputError as error:
            reviewer.fail(project.name_of(path), error)


def _stream_file(
    session: CheckSession, unchecked: UncheckedCount, path: Path, name: str, options: FixOptions, bar: Bar
) -> None:
    number = broken = 0
    size = path.stat().st_size if path != STDIN and path.is_file() else 0
    for lines in read_lines(path):
        # The model would not know a word with a byte order mark before it.
        marks = [MARK if line.startswith(MARK) else "" for line in lines]
        bare = [Text(line.removeprefix(MARK)) for line in lines]
        broken += sum(InputText(name, line).broken for line in lines)
        for mark, result in zip(marks, session.check_many(bare), strict=True):
            number += 1
            unchecked.add(name, result, FilePlace(number))
            line = {"file": name, "line": number, **_mapping(result)}
            _write_text(f"{to_json(line)}\n" if options.json else mark + result.text, bar)
        bar(sum(len(encode(line)) for line in lines) / size if size else 0)
    remark_broken(name, broken)


def _show(file: ReviewedFile, options: FixOptions) -> None:
    if options.json:
        write(f"{to_json({'file': file.name, **_mapping(file.result)})}\n")
    elif options.diff:
        paint = Paint(sys.stdout)
        for line in _diff(file):
            # In a file or a pipe, the lines are for `patch` and stay as they are.
            shown = printable(line) if sys.stdout.isatty() else line
            write(f"{_paint_line(shown, paint)}\n")
    elif not options.saves:
        write(file.source.mark + file.result.text)


def _mapping(result: CheckResult) -> dict[str, Any]:
    return {"text": result.text, "edits": [edit_to_mapping(edit) for edit in result.edits]}


def _diff(file: ReviewedFile) -> Iterator[str]:
    name, mark = file.name.lstrip("/"), file.source.mark
    before, after = split_lines(mark + file.source.text), split_lines(mark + file.result.text)
    for line in difflib.unified_diff(before, after, _quote_name(f"a/{name}"), _quote_name(f"b/{name}")):
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _quote_name(name: str) -> str:
    """A file name for the head of a diff: in quotes and with octal numbers for control characters, as git writes it."""
    if not any(character < " " or character == "\x7f" for character in name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub("[\x00-\x1f\x7f]", lambda found: f"\\{ord(found.group()):03o}", escaped) + '"'


def _paint_line(line: str, paint: Paint) -> str:
    if line.startswith(("---", "+++")):
        return paint(line, bold=True)
    colour = {"-": "red", "+": "green", "@": "cyan"}.get(line[:1])
    return paint(line, fg=colour) if colour else line
