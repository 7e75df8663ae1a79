"""Dictionaries and ignores of a person and of a project."""

from __future__ import annotations

import pytest

from redraft.check.user_rules import Personal, Words, find_project
from redraft.edits.edit import Edit, Kind
from redraft.errors import InputError
from redraft.text.protect import find_protected
from redraft.text.span import Span

EDIT = Edit(Span(4, 6), "go", "goes", Kind.AGREEMENT)
INSERTED = Edit(Span(4, 4), "", "the ", Kind.ARTICLE)
SENTENCE = "She go to school."


@pytest.fixture
def personal(tmp_path) -> Personal:
    return Personal(tmp_path / "user", tmp_path / "project")


@pytest.mark.parametrize(
    ("entry", "word", "known"),
    [
        ("fjord", "fjord", True),
        ("fjord", "Fjord", True),
        ("fjord", "FJORD", True),
        ("Redraft", "Redraft", True),
        ("Redraft", "REDRAFT", True),
        ("Redraft", "redraft", False),
        ("iPhone", "Iphone", False),
        ("fjord", "fjords", False),
        ("Straße", "STRASSE", True),
    ],
)
def test_case(entry, word, known):
    assert (word in Words.of([entry])) is known


def test_a_possessive_is_known_too():
    assert [stretch.span for stretch in find_protected("See Redraft's page", Words.of(["Redraft"]))] == [Span(4, 11)]


def test_words_of_both_scopes_count(personal):
    assert personal.add_word("Redraft") and personal.add_word("fjord", "project")
    assert not personal.add_word(" Redraft ")
    assert personal.list_words() == ["fjord", "Redraft"]
    assert personal.list_words("project") == ["fjord"]
    assert "Redraft" in personal.words and "Fjord" in personal.words
    assert personal.remove_word("fjord", "project") and not personal.remove_word("fjord")
    assert "fjord" not in personal.words


@pytest.mark.parametrize("word", ["", "two words", "# remark", "a\nb", "x" * 101, "a\u0000b"])
def test_what_is_no_word_is_refused(personal, word):
    with pytest.raises(InputError, match="one word at a time"):
        personal.add_word(word)


def test_once_means_this_edit_in_this_sentence(personal):
    assert personal.ignore_once(EDIT, SENTENCE) and not personal.ignore_once(EDIT, f" {SENTENCE}\n")
    assert not personal.allows(EDIT, SENTENCE)
    assert personal.allows(EDIT, "They go to school.")
    assert personal.allows(Edit(EDIT.span, "go", "went", EDIT.kind), SENTENCE)
    assert "school" not in "".join(personal.list_ignores())


@pytest.mark.parametrize("text", ["a #b", "\ud800", "\u2028", '"', "\\", "é 😀"])
def test_any_edit_can_be_ignored_once(personal, text):
    edit = Edit(Span(0, len(text)), text, f"{text} {text}")
    personal.ignore_once(edit, text)
    assert not personal.allows(edit, text) and personal.allows(EDIT, text)


def test_a_word_that_would_read_as_a_remark_is_refused(personal):
    with pytest.raises(InputError, match="without # behind a space"):
        personal.ignore_word("a #b")


def test_a_word_means_any_edit_of_it(personal):
    personal.ignore_word(EDIT)
    assert not personal.allows(Edit(Span(0, 2), "Go", "Went"), "Go home.")
    assert personal.allows(Edit(Span(0, 4), "goes", "went"), SENTENCE)
    personal.ignore_word(INSERTED)
    assert not personal.allows(INSERTED, SENTENCE)
    assert personal.allows(Edit(Span(0, 3), "the", "a"), SENTENCE)
    assert personal.list_ignores() == ["word go", "word +the"]


def test_a_kind_means_all_of_it(personal):
    personal.ignore_kind("article", "project")
    assert not personal.allows(INSERTED, SENTENCE) and personal.allows(EDIT, SENTENCE)
    assert personal.remove_ignore("kind article", "project")
    assert personal.allows(INSERTED, SENTENCE)


def test_choices_are_the_same_object_until_a_file_changes(personal):
    first = personal.choices()
    assert personal.choices() is first
    personal.add_word("x")
    assert personal.choices() is not first


@pytest.mark.parametrize("line", ["nonsense", "kind nosuch", "once go", "word"])
def test_a_line_that_says_nothing_is_named(personal, tmp_path, line):
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "ignores.txt").write_text(f"# remark\n{line}\n")
    with pytest.raises(InputError, match=r"ignores\.txt:2: "):
        personal.choices()


def test_what_the_files_say_of_themselves_can_be_read(personal, tmp_path):
    personal.ignore_kind("spelling")
    remarks = [
        line[1:].split("  ")[1].strip() for line in (tmp_path / "user" / "ignores.txt").read_text().splitlines()[1:4]
    ]
    (tmp_path / "user" / "ignores.txt").write_text("\n".join(remarks))
    choices = personal.choices()
    assert Kind.ARTICLE in choices.kinds and "colour" in choices.ignored and len(choices.once) == 1


def test_unknown_scopes_are_refused(tmp_path):
    with pytest.raises(InputError, match="there are user, project"):
        Personal(tmp_path).add_word("x", "team")
    with pytest.raises(InputError, match="no project"):
        Personal(tmp_path).add_word("x", "project")


def test_a_project_is_found_upwards(tmp_path, monkeypatch):
    monkeypatch.setenv("REDRAFT_HOME", str(tmp_path / "home"))
    inner = tmp_path / "repository" / "docs" / "deep"
    inner.mkdir(parents=True)
    (inner / "a.md").touch()
    assert find_project(inner / "a.md") == inner / ".redraft"
    (tmp_path / "repository" / ".git").mkdir()
    assert find_project(inner / "a.md") == tmp_path / "repository" / ".redraft"
    (tmp_path / "repository" / "docs" / ".redraft").mkdir()
    assert find_project(inner) == tmp_path / "repository" / "docs" / ".redraft"
    Personal.open(inner / "a.md").add_word("fjord", "project")
    Personal.open().add_word("Redraft")
    assert Personal.open(inner).list_words() == ["fjord", "Redraft"]
    assert (tmp_path / "home" / "words.txt").read_text().endswith("\nRedraft\n")
