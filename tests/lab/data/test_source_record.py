from __future__ import annotations

from pathlib import Path

import pytest

from redraft.errors import InputError
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults
from redraft.lab.data.source_list import Source, SourceList
from redraft.lab.data.source_record import SourceRecord, SourceSelection, list_credits, record_of

LIST = SourceList(
    "CC BY-SA 4.0",
    {
        "books": Source("Books", "CC0", "Their authors", "https://books.example", ("books*.txt",)),
        "history": Source("Histories", "that of each", "All", files=("git_*.tsv",), by_repository=True),
        "words": Source("Words", "MIT", "Ann"),
    },
    {"good/one": "MIT", "Good/two": "CC BY 4.0"},
)


@pytest.fixture
def selection() -> SourceSelection:
    return SourceSelection(LIST)


def test_a_record_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "made.tsv"
    path.write_text("text")
    record = SourceRecord(frozenset({"books", "words"}), frozenset({"good/one"}))
    record.write(path)
    assert SourceRecord.read(path) == record
    assert record_of(path).name == "made.tsv.sources.json"


def test_a_changed_file_has_no_record(tmp_path: Path) -> None:
    path = tmp_path / "made.tsv"
    path.write_text("text")
    SourceRecord().write(path)
    path.write_text("other text")
    with pytest.raises(InputError, match="has changed since"):
        SourceRecord.read(path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sha256": 1}'])
def test_a_damaged_record_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "made.tsv"
    path.write_text("text")
    record_of(path).write_text(text)
    with pytest.raises(InputError, match=r"made\.tsv\.sources\.json: damaged"):
        SourceRecord.read(path)


def test_files_of_other_sources_are_not_chosen(selection: SourceSelection) -> None:
    assert selection.choose([Path("books_1.txt"), Path("wi.train.txt")]) == [Path("books_1.txt")]
    assert selection.record == SourceRecord(frozenset({"books"}))


def test_a_file_is_admitted_by_its_name_or_its_record(selection: SourceSelection, tmp_path: Path) -> None:
    made = tmp_path / "made.tsv"
    made.write_text("text")
    with pytest.raises(InputError, match="it is not known what this file was made from"):
        selection.admit(made)
    SourceRecord(frozenset({"words"}), frozenset({"good/one"})).write(made)
    selection.admit(made)
    selection.admit(tmp_path / "books.txt")
    assert selection.record == SourceRecord(frozenset({"words", "books"}), frozenset({"good/one"}))


def test_a_file_made_from_something_else_is_refused(selection: SourceSelection, tmp_path: Path) -> None:
    made = tmp_path / "made.tsv"
    made.write_text("text")
    for record in (SourceRecord(frozenset({"words", "wi"})), SourceRecord(frozenset(), frozenset({"wi"}))):
        record.write(made)
        with pytest.raises(InputError, match="made from wi, which the source list does not name"):
            selection.admit(made)
    assert selection.record == SourceRecord()


def test_rows_of_repositories_that_are_not_listed_are_left_out(selection: SourceSelection, tmp_path: Path) -> None:
    path = tmp_path / "git_all.tsv"
    path.write_text("a b\ta c\tgood/one\tX\nd\te\tbad/one\nf\tg\nh\ti\tGood/two\n")
    assert list(selection.read_pairs(path, Faults())) == [Pair("a b", "a c"), Pair("h", "i")]
    assert selection.record.repositories == {"good/one", "Good/two"}
    assert selection.left_out == {"bad/one": 1, "no repository": 1}
    with pytest.raises(InputError, match="redraft prepare --source-list"):
        selection.admit(path)


def test_an_unknown_source_cannot_be_used(selection: SourceSelection) -> None:
    selection.use("words")
    with pytest.raises(InputError, match="no source called 'lists'"):
        selection.use("lists")


def test_credits_name_what_was_used_alone() -> None:
    text = list_credits(LIST, SourceRecord(frozenset({"books", "history"}), frozenset({"Good/two"})))
    assert text.splitlines() == [
        "| source | licence | credit |",
        "|---|---|---|",
        "| [Books](https://books.example) | CC0 | Their authors |",
        "| Histories | that of each | All |",
        "",
        "| repository on GitHub | licence of its text; credit: its contributors |",
        "|---|---|",
        "| [Good/two](https://github.com/Good/two) | CC BY 4.0 |",
    ]


def test_a_model_with_another_licence_is_refused(selection: SourceSelection) -> None:
    selection.admit_model(Path("model"), "CC BY-SA 4.0")
    with pytest.raises(
        InputError, match="model: its licence is 'research'; with this source list a model must have 'CC"
    ):
        selection.admit_model(Path("model"), "research")
