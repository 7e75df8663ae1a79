from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from killing import KILL_AT_STEP

from redraft.errors import InputError
from redraft.files.text_file import (
    MARK,
    STDIN,
    InputText,
    _temporary_prefix,
    read,
    read_lines,
    read_words,
    replace_text,
    sweep,
)
from redraft.text.encoding import encode


@given(st.binary())
def test_any_bytes_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(data)
    source = read(path)
    assert encode(source.mark + source.text) == data
    assert encode("".join(line for lines in read_lines(path) for line in lines)) == data


def test_a_byte_order_mark_is_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "marked.txt"
    path.write_text(f"{MARK}Hello", encoding="utf-8")
    assert (read(path).mark, read(path).text) == (MARK, "Hello")


def test_bytes_that_are_not_utf8_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("Café, naïve".encode("latin-1"))
    assert read(path).broken == 2


def test_lines_come_as_soon_as_they_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            return super().read1(5)

    monkeypatch.setattr("sys.stdin", TextIOWrapper(Slow(b"one\ntwo\nthree, four")))
    assert list(read_lines(STDIN)) == [["one\n"], ["two\n"], ["three, four"]]


def test_utf16_is_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "wide.txt"
    path.write_text("Hello", encoding="utf-16")
    with pytest.raises(InputError, match="save it as UTF-8"):
        read(path)
    with pytest.raises(InputError, match="save it as UTF-8"):
        list(read_lines(path))


@pytest.mark.parametrize(("make", "message"), [(False, "there is no file"), (True, "is a folder")])
def test_what_is_no_file_is_named(tmp_path: Path, make: bool, message: str) -> None:
    path = tmp_path / "x"
    if make:
        path.mkdir()
    with pytest.raises(InputError, match=message):
        read(path)


def test_a_name_with_a_null_is_an_error_of_one_line() -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read(Path("a\0b"))


def test_a_dictionary_has_one_word_a_line(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("# ours\r\nRedraft\r\n\r\n  teh  \r\n", encoding="utf-8")
    assert read_words(path) == {"Redraft", "teh"}


@pytest.mark.parametrize(
    ("data", "binary"), [(b"text\n", False), (b"PNG\0", True), (b"a" * 9000 + b"\0", False), (b"", False)]
)
def test_a_null_near_the_start_tells_a_binary_file(tmp_path: Path, data: bytes, binary: bool) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    assert read(path).is_binary == binary


def test_replacing_keeps_permissions_and_links(tmp_path: Path) -> None:
    path, link = tmp_path / "text.txt", tmp_path / "link.txt"
    path.write_bytes(f"{MARK}old\r\nno line end".encode())
    path.chmod(0o640)
    link.symlink_to(path)
    replace_text(link, read(link), "new\r\nno line end")
    assert path.read_bytes() == f"{MARK}new\r\nno line end".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert link.is_symlink()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link.txt", "text.txt"]


def test_replacing_keeps_owner_and_attributes(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("old", encoding="utf-8")
    os.utime(path, (1, 1))
    if os.geteuid() == 0:
        os.chown(path, 1234, 1234)
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        attributes = []
    else:
        attributes = ["user.note"]
    owner = path.stat().st_uid
    replace_text(path, read(path), "new")
    assert path.stat().st_uid == owner
    assert [name for name in os.listxattr(path) if name.startswith("user.")] == attributes
    assert path.stat().st_mtime > 1


def test_a_failed_replacement_leaves_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "text.txt"
    path.write_text("old", encoding="utf-8")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(InputError, match="cannot be written: No space left"):
        replace_text(path, read(path), "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["text.txt"]


def test_what_somebody_else_wrote_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("old", encoding="utf-8")
    source = read(path)
    path.write_text("theirs", encoding="utf-8")
    with pytest.raises(InputError, match="was changed by another program"):
        replace_text(path, source, "new")
    assert path.read_text(encoding="utf-8") == "theirs"
    assert [file.name for file in tmp_path.iterdir()] == ["text.txt"]


def test_what_is_no_ordinary_file_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="not an ordinary file"):
        replace_text(pipe, InputText("pipe", "old"), "new")
    assert pipe.is_fifo()


def test_only_what_a_killed_writer_left_is_swept_away(tmp_path: Path) -> None:
    own, other = (_temporary_prefix(tmp_path / name) for name in ("a.txt", "b.txt"))
    kept = {f"{own}abcdefab": "other text", f"{own}new": "new", f"{other}abcdefab": "new", "a.txt": "new"}
    left = {f"{own}01234567": "new te", f"{own}aaaaaaaa": "", f"{own}bbbbbbbb": "new text"}
    for name, text in (kept | left).items():
        (tmp_path / name).write_text(text)
    sweep(tmp_path / "a.txt", InputText("a.txt", "new text"))
    assert {path.name for path in tmp_path.iterdir()} == set(kept)


@pytest.mark.parametrize("name", ["a" * 255, "é" * 127])
def test_a_file_of_the_longest_name_is_replaced(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("old")
    replace_text(path, read(path), "new")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [(name, "new")]


def test_a_file_with_several_hard_links_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    (tmp_path / "b.txt").hardlink_to(path)
    with pytest.raises(InputError, match="2 hard links"):
        replace_text(path, read(path), "new")
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"a.txt": "old", "b.txt": "old"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_a_file_whose_owner_cannot_be_kept_is_left_alone() -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        path = folder / "a.txt"
        path.write_text("old")
        path.chmod(0o666)
        source = read(path)
        os.seteuid(65534)
        try:
            with pytest.raises(InputError, match="cannot be written: its owner and group could not be kept"):
                replace_text(path, source, "new")
        finally:
            os.seteuid(0)
        assert [(file.name, file.read_text()) for file in folder.iterdir()] == [("a.txt", "old")]
        assert path.stat().st_uid == 0


KILLED_AT_EVERY_STEP = f"""{KILL_AT_STEP}
from pathlib import Path
from redraft.files.text_file import InputText, read, replace_text, sweep

folder = Path(sys.argv[1])
path = folder / "text.txt"
old, new = "old text " * 1000, "the new text " * 1000
found = set()

for number in itertools.count():
    path.write_text(old)
    source = read(path)
    child = os.fork()
    if not child:
        at_step(number)
        replace_text(path, source, new)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    text = path.read_text()
    assert text in (old, new), (number, text[:50])
    found.add((text == new, len(list(folder.iterdir())) > 1))
    replace_text(path, read(path), new + ".")  # what was left is in nobody's way
    sweep(path, InputText("text.txt", new))
    assert os.listdir(folder) == ["text.txt"], number
    if status == 0:
        break
print(number, sorted(found))
"""


def test_a_writer_may_be_killed_at_every_step(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-c", KILLED_AT_EVERY_STEP, str(tmp_path)]
    answer = subprocess.run(command, check=False, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    number, _, found = answer.stdout.partition(" ")
    assert int(number) > 8
    # Before and after the replacement, with and without a temporary file.
    assert found.strip() == "[(False, False), (False, True), (True, False)]"


def test_a_disk_that_fills_up_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("old" * 1000)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))  # Python ignores the signal, so a write fails midway
    try:
        with pytest.raises(InputError, match="cannot be written: File too large"):
            replace_text(path, read(path), "new" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("text.txt", "old" * 1000)]
