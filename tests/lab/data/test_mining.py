from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from git_history import History
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.edits.edit import Kind
from redraft.errors import InputError
from redraft.lab.data.git_repository import Commit, FileChange, open_repository
from redraft.lab.data.mining import COLUMNS, RENAME, Choice, MinedPair, Miner, Origin
from redraft.lab.data.mining_rules import Dropped, Sure
from redraft.lab.data.readers import Faults, read_pairs
from redraft.lab.data.text_output import write_lines

MIT = "MIT License\n\nPermission is hereby granted, free of charge, to any person\nobtaining a copy of this software.\n"
# Words that the repository spells correctly elsewhere, as a real one does.
GLOSSARY = "The necessary words of this text: receive, separate, occurred, necessary, separate, receive, occurred.\n"
GUIDE = """# Guide

The server will recieve the request and send an answer to it.

Every user have a password that nobody else knows.

You can read the the manual before you start the program.

The old sentence says something that is quite hard to understand.

We store all of the data in Fastbase for you and your team.

See [the manual](https://example.org/old) for all of the details.

Run `install --old` in the folder that you have made before.

This works with version 1.2 of the program and not with others.

- The first item is about the weather in the north.
- The second item is about the harbour in the south.

The parts are seperate from each other, so that
a change of one of them has no
effect on the others, and they is easy to test.

```
This code have an error that is of no interest here.
```
"""


@dataclass
class Mined:
    pairs: list[MinedPair]
    miner: Miner

    def sides(self) -> set[tuple[str, str]]:
        return {(pair.source, pair.target) for pair in self.pairs}


def mine(folder: Path, choice: Choice | None = None) -> Mined:
    miner = Miner(choice or Choice())
    with open_repository(folder) as repository:
        return Mined(list(miner.mine(repository, lambda share: None)), miner)


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "project")
    made.commit("Start", {"LICENSE": MIT, "guide.md": GUIDE, "words.txt": GLOSSARY})
    return made


TYPO = (
    "The server will recieve the request and send an answer to it.",
    "The server will receive the request and send an answer to it.",
)
GRAMMAR = ("Every user have a password that nobody else knows.", "Every user has a password that nobody else knows.")
DOUBLED = (
    "You can read the the manual before you start the program.",
    "You can read the manual before you start the program.",
)


def test_corrections_are_found_with_their_origin(history: History) -> None:
    typo = history.replace("Fix typo", "guide.md", "recieve", "receive")
    history.replace("Fix grammar", "guide.md", "user have", "user has")
    history.replace("Update the guide", "guide.md", "the the", "the")
    mined = mine(history.folder)
    assert [(pair.source, pair.target) for pair in mined.pairs] == [DOUBLED, GRAMMAR, TYPO]
    assert mined.pairs[-1] == MinedPair(*TYPO, "project", typo, "MIT", (Kind.SPELLING,), Sure.STRICT)
    assert [pair.kinds for pair in mined.pairs] == [(Kind.REDUNDANCY,), (Kind.AGREEMENT,), (Kind.SPELLING,)]
    assert {pair.sure for pair in mined.pairs} == {Sure.STRICT}


@pytest.mark.parametrize(
    ("message", "old", "new", "reason"),
    [
        ("Fix wording", "says something that is quite hard to", "is one that few people", Dropped.REWRITTEN),
        ("Use the new name", "Fastbase", "Quickbase", Dropped.NAME),
        ("Fix typo", "version 1.2", "version 1.3", Dropped.NUMBER),
        ("Fix typo", "`install --old`", "`install --new`", Dropped.CODE),
        ("Fix spelling", "harbour", "harbor", Dropped.STYLE),
        ("Update", "the north", "the west", Dropped.CONTENT),
        ("Update", "will recieve", "can recieve", Dropped.STYLE),
    ],
)
def test_other_edits_are_dropped_and_counted(
    history: History, message: str, old: str, new: str, reason: Dropped
) -> None:
    history.replace(message, "guide.md", old, new)
    mined = mine(history.folder)
    assert mined.pairs == []
    assert mined.miner.report.dropped == {reason: 1}
    assert str(reason) in mined.miner.report.text()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("https://example.org/old", "https://example.org/new"),
        ("This code have", "This code has"),
        ("so that\na change of one of them has no\neffect", "so that a change of\none of them has no effect"),
        (
            "- The first item is about the weather in the north.\n- The second item is about the harbour in the south.",
            "- The second item is about the harbour in the south.\n- The first item is about the weather in the north.",
        ),
    ],
)
def test_links_code_blocks_line_ends_and_order_are_no_edits_of_sentences(history: History, old: str, new: str) -> None:
    history.replace("Fix typo", "guide.md", old, new)
    mined = mine(history.folder)
    assert mined.pairs == []
    assert not mined.miner.report.dropped.total() - mined.miner.report.dropped[Dropped.REWRITTEN]


def test_a_wrapped_sentence_is_whole_and_its_first_correction_was_not_the_last(history: History) -> None:
    history.replace("Fix typos", "guide.md", "seperate", "separate")
    history.replace("Fix grammar", "guide.md", "they is", "they are")
    rest = "from each other, so that a change of one of them has no effect on the others, and they"
    assert mine(history.folder).sides() == {
        (f"The parts are separate {rest} is easy to test.", f"The parts are separate {rest} are easy to test.")
    }


FORMATS = {
    "page.html": "<html><body><h1>Page</h1>\n<p>{}</p>\n<script>var x = 1;</script></body></html>\n",
    "paper.tex": "\\section{{Paper}}\n\n{} It is \\emph{{short}}.\n\n\\begin{{verbatim}}\nx\n\\end{{verbatim}}\n",
    "manual.rst": "Manual\n======\n\n.. note::\n\n   {} See :ref:`here`.\n\n.. code-block:: c\n\n   int x;\n",
    "manual.adoc": "= Manual\n\n[NOTE]\n====\n{} See <<here,the part>>.\n====\n\n----\ncode\n----\n",
    "README": "{}\n",
    "notes.txt": "Notes\n\n{}\n",
    "list.md": "1. First point of the list.\n\n    {}\n",
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats(history: History, name: str) -> None:
    frame = FORMATS[name]
    history.commit("Write", {name: frame.format(TYPO[0])})
    history.commit("Fix typo", {name: frame.format(TYPO[1])})
    assert mine(history.folder).sides() == {TYPO}


@pytest.mark.parametrize(
    ("name", "frame"),
    [
        ("a.rst", "Text::\n\n   {}\n"),
        ("b.adoc", "----\nfirst\n\n{}\n----\n"),
        ("c.md", "Text.\n\n~~~\nfirst\n\n{}\n~~~\n"),
        ("d.md", "---\ntitle: x\n\ntext: {}\n---\nText.\n"),
        ("e.tex", "\\begin{{verbatim}}\nfirst\n\n{}\n\\end{{verbatim}}\n"),
        ("f.html", "<pre>\nfirst\n\n{}\n</pre>\n"),
        ("g.py", "# {}\n"),
    ],
)
def test_code_is_not_read(history: History, name: str, frame: str) -> None:
    history.commit("Write", {name: frame.format(TYPO[0])})
    history.commit("Fix typo", {name: frame.format(TYPO[1])})
    assert mine(history.folder).pairs == []


def test_a_reverted_correction_and_its_revert_are_dropped(history: History) -> None:
    history.replace("Fix grammar", "guide.md", "user have", "user has")
    history.git("revert", "--no-edit", "HEAD")
    mined = mine(history.folder)
    assert mined.pairs == []
    assert mined.miner.report.dropped == {Dropped.REVERTED: 2}


def test_a_merge_gives_the_pairs_of_its_commits_once(history: History) -> None:
    history.git("checkout", "--quiet", "-b", "side")
    history.replace("Fix typo", "guide.md", "recieve", "receive")
    history.git("checkout", "--quiet", "main")
    history.replace("Fix grammar", "guide.md", "user have", "user has")
    history.git("merge", "--quiet", "--no-edit", "side")
    mined = mine(history.folder)
    assert len(mined.pairs) == 2
    assert mined.sides() == {TYPO, GRAMMAR}


def test_the_same_edit_many_times_is_a_rename(history: History) -> None:
    text = "\n\n".join(f"The {name} of a user are stored on the disk." for name in ("names", "keys", "files", "notes"))
    history.commit("Write", {"many.md": text})
    history.replace("Update", "many.md", "of a user", "of the user")
    mined = mine(history.folder)
    assert mined.pairs == []
    assert mined.miner.report.dropped == {Dropped.RENAMED: 4}


def test_a_term_that_is_replaced_in_many_commits_is_a_rename(history: History) -> None:
    things = ("key", "file", "note", "page", "list", "book")
    text = "\n\n".join(f"The {thing} is shown to all adaptors of it." for thing in things)
    history.commit("Write", {"terms.md": text, "more.md": "The adapters: adapters, adapters and adapters of it.\n"})
    for thing in things:
        history.replace("Update", "terms.md", f"{thing} is shown to all adaptors", f"{thing} is shown to all adapters")
    mined = mine(history.folder)
    assert len(mined.pairs) == RENAME
    assert mined.miner.report.dropped == {Dropped.RENAMED: len(things) - RENAME}


def test_choices(history: History) -> None:
    history.replace("Fix typo", "guide.md", "recieve", "receive")
    history.replace("Update", "guide.md", "user have", "user has")
    assert mine(history.folder).sides() == {TYPO, GRAMMAR}
    assert mine(history.folder, Choice(strict=True)).sides() == {TYPO}
    assert mine(history.folder, Choice(kinds=frozenset({Kind.AGREEMENT}))).sides() == {GRAMMAR}
    assert mine(history.folder, Choice(since="2024-05-01T12:02:30Z")).sides() == {GRAMMAR}


def test_bare_and_shallow_clones(history: History, tmp_path: Path) -> None:
    history.replace("Fix typo", "guide.md", "recieve", "receive")
    history.replace("Fix grammar", "guide.md", "user have", "user has")
    history.git("clone", "--quiet", "--bare", str(history.folder), str(tmp_path / "bare.git"))
    history.git("clone", "--quiet", "--depth=2", f"file://{history.folder}", str(tmp_path / "shallow"))
    assert mine(tmp_path / "bare.git").sides() == {TYPO, GRAMMAR}
    assert mine(tmp_path / "shallow").sides() == {GRAMMAR}


def test_the_configuration_of_a_repository_runs_nothing(history: History, tmp_path: Path) -> None:
    trace = tmp_path / "was-run"
    program = tmp_path / "program"
    program.write_text(f"#!{sys.executable}\nopen({str(trace)!r}, 'w').close()\n", encoding="utf-8")
    program.chmod(0o755)
    history.commit("Attributes", {".gitattributes": "*.md diff=evil filter=evil\n"})
    history.replace("Fix typo", "guide.md", "recieve", "receive")
    (history.folder / ".git" / "info").mkdir(exist_ok=True)
    (history.folder / ".git" / "info" / "attributes").write_text("* diff=evil\n", encoding="utf-8")
    for name in (
        *("diff.evil.textconv", "diff.evil.command", "diff.external", "core.pager", "core.fsmonitor", "gpg.program"),
        *("pager.log", "filter.evil.smudge", "filter.evil.clean", "core.sshCommand", "core.gitProxy"),
    ):
        history.git("config", name, str(program))
    for name, value in (
        ("log.showSignature", "true"),
        ("color.ui", "always"),
        ("diff.noprefix", "true"),
        ("core.hooksPath", str(tmp_path)),
        ("remote.origin.url", "https://user:secret@example.org/owner/name.git"),
        ("remote.origin.promisor", "true"),
    ):
        history.git("config", name, value)
    mined = mine(history.folder)
    assert mined.sides() == {TYPO}
    assert mined.pairs[0].repository == "owner/name"
    assert not trace.exists()


def test_the_textconv_of_the_last_test_would_run_without_care(history: History, tmp_path: Path) -> None:
    trace = tmp_path / "was-run"
    history.commit("Attributes", {".gitattributes": "*.md diff=evil\n"})
    history.git("config", "diff.evil.textconv", f"touch {trace}; cat")
    history.replace("Fix typo", "guide.md", "recieve", "receive")
    history.git("log", "--patch")
    assert trace.exists()


@pytest.mark.parametrize("case", ["missing", "no repository", "inside", "no commits", "no git"])
def test_errors_have_one_line(history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    folder = tmp_path / "other"
    if case == "no repository":
        folder.mkdir()
    elif case == "inside":
        folder = history.folder / "docs"
        folder.mkdir()
    elif case == "no commits":
        History(folder)
    elif case == "no git":
        folder = history.folder
        monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError) as raised:
        mine(folder)
    assert "\n" not in str(raised.value)


def test_the_output_can_be_read_as_pairs(history: History, tmp_path: Path) -> None:
    history.replace("Fix typo", "guide.md", "recieve", "receive")
    rows = [pair.row() for pair in mine(history.folder).pairs]
    assert [len(row.split("\t")) for row in rows] == [len(COLUMNS)]
    write_lines(tmp_path / "git_spell.tsv.xz", rows)
    faults = Faults()
    assert [(pair.source, pair.target) for pair in read_pairs(tmp_path / "git_spell.tsv.xz", faults)] == [TYPO]
    assert not faults.total


def test_a_generator_that_is_closed_ends_git(history: History) -> None:
    for number in range(5):
        history.commit(f"Write {number}", {"a.md": "\n\n".join(f"Line {number} {line}." for line in range(3000))})
    with open_repository(history.folder) as repository:
        changes = repository.changes(["*.md"], None)
        next(changes)
        assert isinstance(changes, Iterator)
        changes.close()  # type: ignore[attr-defined]


WORDS = st.sampled_from(("the", "cat", "cats", "have", "has", "to", "recieve", "receive", "Server", "`x`", "1.2", ","))
SENTENCES = st.lists(WORDS, min_size=5, max_size=14)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(SENTENCES, SENTENCES), max_size=6))
def test_no_pair_has_equal_sides(paragraphs: list[tuple[list[str], list[str]]]) -> None:
    lines: list[bytes] = []
    for old, new in paragraphs:
        lines += (f"-The {' '.join(old)}.".encode(), f"+The {' '.join(new)}.".encode(), b" ")
    miner = Miner(Choice())
    commit = Commit("0" * 40, "Fix typos")
    pairs = list(miner.pairs_of_commit(commit, [FileChange(commit, "a.md", lines)], Origin("a", "MIT", {})))
    assert all(pair.source != pair.target for pair in pairs)
    assert len(pairs) == miner.report.sure.total()
    assert len({(pair.source, pair.target) for pair in pairs}) == len(pairs)


def test_a_clone_that_lacks_a_file_is_read_without_it(history: History) -> None:
    history.replace("Fix typo", "guide.md", "recieve", "receive")
    history.commit("Fix typos", {"lost.md": "Text."})
    name = history.git("rev-parse", "HEAD:lost.md")
    history.commit("Fix typos", {"lost.md": "Another text."})
    history.replace("Fix grammar", "guide.md", "user have", "user has")
    (history.folder / ".git" / "objects" / name[:2] / name[2:]).unlink()
    assert mine(history.folder).sides() == {TYPO, GRAMMAR}
