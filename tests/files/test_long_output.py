"""Long files that are written section by section, by runs that are really killed."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from killing import KILL_AT_STEP

from redraft.check.document import Finding, SentenceCheck
from redraft.check.session import CheckResult
from redraft.check.unchecked import Unchecked, UncheckedReason
from redraft.decode.trace import SentenceTrace
from redraft.edits.edit import Edit
from redraft.errors import ConfigError, InputError
from redraft.files.destination import Destination
from redraft.files.long_output import LongOutput
from redraft.files.sections import FileSection, SectionStart, read_sections
from redraft.files.text_file import MARK
from redraft.text.span import Span

TEXT = f"{MARK}{'One sentence is here. Another sentence, é😀, is there.' * 6}\n\n" * 8
RIGHT = TEXT.upper()


@pytest.fixture(autouse=True)
def short_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redraft.files.sections._SECTION_CHARACTERS", 500)
    monkeypatch.setattr("redraft.files.long_output._INTERVAL", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "text.txt"
    path.parent.mkdir()
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(params=[True, False], ids=["in place", "to a folder"])
def destination(request: pytest.FixtureRequest, path: Path, tmp_path: Path) -> Destination:
    return Destination(path.parent, None if request.param else tmp_path / "out")


def begin(path: Path, destination: Destination, settings: str = "settings") -> LongOutput:
    return LongOutput(path, path.name, destination, settings)


def sections(path: Path, start: SectionStart | None = None) -> Iterator[FileSection]:
    return read_sections(path, "plain", start=start)


def in_capitals(section: FileSection) -> CheckResult:
    """Every section is one sentence with one correction, and was left unchecked for a reason."""
    text = section.text.source
    span = Span(0, len(text))
    finding = Finding(Edit(span, text, text.upper()), span, "RULE")
    unchecked = Unchecked(span, UncheckedReason.NO_RESULT, "reason")
    trace = SentenceTrace("", "", "none", (), 0, 0)
    return CheckResult(text, (SentenceCheck(span, text, (finding,), trace, unchecked),))


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def write_some(output: LongOutput, number: int) -> None:
    output.begin()
    for section, _ in zip(sections(output.path), range(number), strict=False):
        output.add(section, in_capitals(section))
    assert output.close()


def write_rest(output: LongOutput) -> bool:
    for section in sections(output.path, output.progress.start):
        output.add(section, in_capitals(section))
    return output.finish()


@pytest.mark.parametrize("interval", [0, 1e9])
@pytest.mark.parametrize("number", [1, 3, 99])
def test_a_continued_text_is_that_of_one_run(
    path: Path, destination: Destination, number: int, interval: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redraft.files.long_output._INTERVAL", interval)
    path.chmod(0o640)
    count = len(list(sections(path)))
    assert count > 5
    first = begin(path, destination)
    write_some(first, number)
    hidden = list(destination.place(path).parent.glob(".redraft-*.partial"))
    assert [file.stat().st_mode & 0o777 for file in hidden] == [0o600]
    with hidden[0].open("ab") as file:
        file.write(b"written after the last record")
    assert path.read_text(encoding="utf-8") == TEXT
    output = begin(path, destination)
    assert output.was_begun
    assert output.resume()
    assert output.progress == first.progress
    assert write_rest(output)
    written = destination.place(path)
    assert written.read_text(encoding="utf-8") == RIGHT
    assert written.stat().st_mode & 0o777 == 0o640
    assert names(written.parent) == {"text.txt"}
    # Behind the last section an empty one is read, so that the end is found.
    more = number > count
    assert output.progress.corrections == output.progress.unchecked.sentences == count + more
    assert output.progress.unchecked.first == "text.txt:1:1"
    assert output.progress.read == len(TEXT.encode())


def test_a_text_without_corrections_is_replaced_by_nothing(path: Path) -> None:
    destination = Destination(path.parent)
    before = path.stat()
    output = begin(path, destination)
    output.begin()
    for section in sections(path):
        output.add(section, CheckResult(section.text.source, ()))
    assert not output.finish()
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    assert names(path.parent) == {"text.txt"}


def test_another_source_or_settings_are_refused_and_nothing_is_lost(path: Path, destination: Destination) -> None:
    write_some(begin(path, destination), 3)
    left = names(destination.place(path).parent)
    with pytest.raises(ConfigError, match="another model or other options; use the same ones, or start again"):
        begin(path, destination, "other settings").resume()
    path.write_text("A" + TEXT[1:], encoding="utf-8")
    with pytest.raises(InputError, match="has changed since the interrupted run; start again without --resume"):
        begin(path, destination).resume()
    path.write_text("short", encoding="utf-8")
    with pytest.raises(InputError, match="has changed since the interrupted run"):
        begin(path, destination).resume()
    assert names(destination.place(path).parent) == left
    # What comes later in the file may change: it was not read yet.
    path.write_text(f"{TEXT}more", encoding="utf-8")
    output = begin(path, destination)
    assert output.resume()
    write_rest(output)
    assert destination.place(path).read_text(encoding="utf-8") == f"{RIGHT}MORE"


@pytest.mark.parametrize(
    "record", ["{}", '{"settings": 1, "other": 2}', '{"settings": "settings", "read": "x"}', '{"place": 5}']
)
def test_a_damaged_record_is_named(path: Path, destination: Destination, record: str) -> None:
    write_some(begin(path, destination), 1)
    (file,) = destination.place(path).parent.glob("*.progress")
    file.write_text(record)
    with pytest.raises(InputError, match="damaged"):
        begin(path, destination).resume()


def test_a_file_that_changes_while_it_is_corrected_stays(path: Path, destination: Destination) -> None:
    output = begin(path, destination)
    output.begin()
    for section in list(sections(path)):
        output.add(section, in_capitals(section))
    path.write_text("changed")
    with pytest.raises(InputError, match="was changed by another program meanwhile"):
        output.finish()
    assert path.read_text() == "changed"
    assert names(path.parent) == {"text.txt"}
    assert names(destination.place(path).parent) == ({"text.txt"} if destination.output is None else set())


def test_only_one_run_writes_at_a_time(path: Path, destination: Destination) -> None:
    output = begin(path, destination)
    output.begin()
    output.add(next(sections(path)), in_capitals(next(sections(path))))
    for attempt in (LongOutput.begin, LongOutput.resume, LongOutput.discard_earlier):
        with pytest.raises(InputError, match=r"text\.txt: another run is correcting it; wait for it, or stop it"):
            attempt(begin(path, destination))
    assert output.close()
    begin(path, destination).discard_earlier()
    assert names(destination.place(path).parent) == ({"text.txt"} if destination.output is None else set())


def test_a_file_that_cannot_be_replaced_is_refused_before_the_work(path: Path) -> None:
    (path.parent / "other.txt").hardlink_to(path)
    with pytest.raises(InputError, match="it has 2 hard links"):
        begin(path, Destination(path.parent)).begin()
    assert names(path.parent) == {"text.txt", "other.txt"}


def test_after_a_full_disk_the_work_goes_on(path: Path, destination: Destination) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    output = begin(path, destination)
    output.begin()
    parts = list(sections(path))
    for part in parts[:3]:
        output.add(part, in_capitals(part))
    # Python ignores the signal, so a write fails midway.
    resource.setrlimit(resource.RLIMIT_FSIZE, (output.progress.written + 100, limits[1]))
    try:
        with pytest.raises(InputError, match="cannot be used: File too large"):
            output.add(parts[3], in_capitals(parts[3]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert output.close()
    again = begin(path, destination)
    assert again.resume()
    assert again.progress.read == sum(len(part.data) for part in parts[:3])
    write_rest(again)
    assert destination.place(path).read_text(encoding="utf-8") == RIGHT


KILLED_AT_EVERY_STEP = f"""{KILL_AT_STEP}
from pathlib import Path
from redraft.check.session import CheckResult
from redraft.files import long_output, sections
from redraft.files.destination import Destination
from redraft.files.long_output import LongOutput
import filelock  # so that its import is no step
import redraft.check.document

path, output = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None
target = output / path.name if output else path
sections._SECTION_CHARACTERS = 100
long_output._INTERVAL = 0
old = "One sentence is here. And another one.\\n\\n" * 6
right = old.upper()

class Capitals(CheckResult):
    text = property(lambda self: self.source.upper())

def correct():
    long = LongOutput(path, path.name, Destination(path.parent, output), "settings")
    if not long.was_begun:
        if target.exists() and target.read_text() == right:
            return
        long.begin()
    elif not long.resume():
        return
    for section in sections.read_sections(path, "plain", start=long.progress.start):
        long.add(section, Capitals(section.text.source, ()))
    long.finish()

def run(kill_at):
    child = os.fork()
    if not child:
        try:
            at_step(kill_at)
            correct()
        except BaseException as error:
            print(kill_at, repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]

kills = 0
for number in itertools.count():
    path.write_text(old)
    if output:
        target.unlink(missing_ok=True)
    status = run(number)
    killed = os.WIFSIGNALED(status)
    assert killed or status == 0, number
    if output:
        assert path.read_text() == old
        assert not target.exists() or target.read_text() == right, number
    else:
        assert path.read_text() in (old, right), number
    for other in (3, 11):  # killed again, soon and later
        assert run(other) in (0, signal.SIGKILL)
    assert run(-1) == 0, number
    assert target.read_text() == right, number
    assert os.listdir(target.parent) == [target.name], (number, os.listdir(target.parent))
    kills += killed
    if not killed:
        break
print(kills)
"""


@pytest.mark.parametrize("in_place", [True, False])
def test_a_run_may_be_killed_at_every_step(tmp_path: Path, in_place: bool) -> None:
    path = tmp_path / "in" / "text.txt"
    path.parent.mkdir()
    more = [] if in_place else [str(tmp_path / "out")]
    command = [sys.executable, "-P", "-c", KILLED_AT_EVERY_STEP, str(path), *more]
    answer = subprocess.run(command, check=False, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert int(answer.stdout) > 30
