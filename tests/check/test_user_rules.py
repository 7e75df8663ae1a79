"""Dictionaries and ignores of a person and of a project."""

from __future__ import annotations

import pytest

from redraft.check.user_rules import UserRulesStore, Words, find_project
from redraft.edits.edit import Edit, Kind
from redraft.errors import InputError
from redraft.text.protect import find_protected
from redraft.text.span import Span

EDIT = Edit(Span(4, 6), "go", "goes", Kind.AGREEMENT)
INSERTED = Edit(Span(4, 4), "", "the ", Kind.ARTICLE)
SENTENCE = "She go to school."


@pytest.fixture
def store(tmp_path) -> UserRulesStore:
    return UserRulesStore(tmp_path / "user", tmp_path / "project")


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


def test_words_of_both_scopes_count(store):
    assert store.add_word("Redraft") and store.add_word("fjord", "project")
    assert not store.add_word(" Redraft ")
    assert store.list_words() == ["fjord", "Redraft"]
    assert store.list_words("project") == ["fjord"]
    assert "Redraft" in store.words and "Fjord" in store.words
    assert store.remove_word("fjord", "project") and not store.remove_word("fjord")
    assert "fjord" not in store.words


@pytest.mark.parametrize("word", ["", "two words", "# remark", "a\nb", "x" * 101, "a\u0000b"])
def test_what_is_no_word_is_refused(store, word):
    with pytest.raises(InputError, match="an entry of a dictionary is one word"):
        store.add_word(word)


def test_once_means_this_edit_in_this_sentence(store):
    assert store.ignore_once(EDIT, SENTENCE) and not store.ignore_once(EDIT, f" {SENTENCE}\n")
    assert not store.allows(EDIT, SENTENCE)
    assert store.allows(EDIT, "They go to school.")
    assert store.allows(Edit(EDIT.span, "go", "went", EDIT.kind), SENTENCE)
    assert "school" not in "".join(store.list_ignores())


@pytest.mark.parametrize("text", ["a #b", "\ud800", "\u2028", '"', "\\", "é 😀"])
def test_any_edit_can_be_ignored_once(store, text):
    edit = Edit(Span(0, len(text)), text, f"{text} {text}")
    store.ignore_once(edit, text)
    assert not store.allows(edit, text) and store.allows(EDIT, text)


def test_a_word_that_would_read_as_a_comment_is_refused(store):
    with pytest.raises(InputError, match="without a comment"):
        store.ignore_word("a #b")


def test_a_word_means_any_edit_of_it(store):
    store.ignore_word(EDIT)
    assert not store.allows(Edit(Span(0, 2), "Go", "Went"), "Go home.")
    assert store.allows(Edit(Span(0, 4), "goes", "went"), SENTENCE)
    store.ignore_word(INSERTED)
    assert not store.allows(INSERTED, SENTENCE)
    assert store.allows(Edit(Span(0, 3), "the", "a"), SENTENCE)
    assert store.list_ignores() == ["word go", "word +the"]


def test_a_kind_means_all_of_it(store):
    store.ignore_kind("article", "project")
    assert not store.allows(INSERTED, SENTENCE) and store.allows(EDIT, SENTENCE)
    assert store.remove_ignore("kind article", "project")
    assert store.allows(INSERTED, SENTENCE)


def test_rules_are_the_same_object_until_a_file_changes(store):
    first = store.current()
    assert store.current() is first
    store.add_word("x")
    assert store.current() is not first


@pytest.mark.parametrize("line", ["nonsense", "kind nosuch", "once go", "word"])
def test_a_line_that_says_nothing_is_named(store, tmp_path, line):
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "ignores.txt").write_text(f"# remark\n{line}\n")
    with pytest.raises(InputError, match=r"ignores\.txt:2: "):
        store.current()


def test_what_the_files_say_of_themselves_can_be_read(store, tmp_path):
    store.ignore_kind("spelling")
    remarks = [
        line[1:].split("  ")[1].strip() for line in (tmp_path / "user" / "ignores.txt").read_text().splitlines()[1:4]
    ]
    (tmp_path / "user" / "ignores.txt").write_text("\n".join(remarks))
    rules = store.current()
    assert Kind.ARTICLE in rules.kinds and "colour" in rules.ignored and len(rules.once) == 1


def test_unknown_scopes_are_refused(tmp_path):
    with pytest.raises(InputError, match="choose user or project"):
        UserRulesStore(tmp_path).add_word("x", "team")
    with pytest.raises(InputError, match="no project"):
        UserRulesStore(tmp_path).add_word("x", "project")


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
    UserRulesStore.open(inner / "a.md").add_word("fjord", "project")
    UserRulesStore.open().add_word("Redraft")
    assert UserRulesStore.open(inner).list_words() == ["fjord", "Redraft"]
    assert (tmp_path / "home" / "words.txt").read_text().endswith("\nRedraft\n")


def test_words_of_a_project_that_leads_elsewhere_are_refused(tmp_path):
    (tmp_path / "private.txt").write_text("secret\n")
    project = tmp_path / "project" / ".redraft"
    project.mkdir(parents=True)
    (project / "words.txt").symlink_to(tmp_path / "private.txt")
    with pytest.raises(InputError, match="outside of the project"):
        UserRulesStore(tmp_path / "home", project).current()
    user = tmp_path / "home"
    user.mkdir()
    (user / "words.txt").symlink_to(tmp_path / "private.txt")
    assert "secret" in UserRulesStore(user).words
