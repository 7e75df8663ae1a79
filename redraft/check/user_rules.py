"""User rules: the dictionary of a user and a project, and the edits they do not want to see.

Both are plain text files that people may edit: `words.txt` and `ignores.txt`, in the user's configuration folder and in
a project's folder `.redraft`. Several programs can change them at the same time.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from threading import Lock
from typing import Protocol

from redraft.check.locked_lines import Line, LockedLines
from redraft.edits.edit import Edit, Kind
from redraft.errors import InputError
from redraft.limited_file import project_root

PROJECT_FOLDER = ".redraft"
WORDS, IGNORES = "words.txt", "ignores.txt"
_WORDS_HEADING = "# Words that Redraft leaves alone, one a line. A word in lower case counts in any case."
_IGNORES_HEADING = """\
# Edits that Redraft does not show, one a line:
#   kind article                           no edit of this kind
#   word colour                            no edit of this word; with a + before it, the word is not inserted
#   once "go" -> "goes" in 0123456789abcdef   not this edit in the sentence with this fingerprint"""
_ONCE = re.compile(r'once ("(?:[^"\\]|\\.)*+") -> ("(?:[^"\\]|\\.)*+") in ([0-9a-f]{16})')
_LONGEST_WORD = 100


class Scope(StrEnum):
    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class Words:
    """Words to leave alone. "fjord" counts as Fjord and FJORD too; "Redraft" as REDRAFT, but not as redraft."""

    written: frozenset[str] = frozenset()
    _folded: frozenset[str] = frozenset()

    @classmethod
    def of(cls, words: Iterable[str]) -> Words:
        written = frozenset(words)
        return cls(written, frozenset(word.casefold() for word in written))

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, str) or not self.written:
            return False
        folded = word.casefold()
        return word in self.written or folded in self.written or (word.isupper() and folded in self._folded)

    def __bool__(self) -> bool:
        return bool(self.written)


@dataclass(frozen=True, slots=True)
class UserRules:
    """The words and ignores in force at one moment. As a `UserRulesSource` they never change."""

    words: Words = field(default_factory=Words)
    kinds: frozenset[Kind] = frozenset()
    ignored: frozenset[str] = frozenset()
    """Words that are not to be replaced, casefolded; with a + before them, not to be inserted."""
    once: frozenset[str] = frozenset()
    """Edits that are not to be shown in one sentence, as lines of the file."""

    def current(self) -> UserRules:
        return self

    def with_words(self, words: frozenset[str]) -> UserRules:
        return replace(self, words=Words.of(self.words.written | words)) if words else self

    def allows(self, edit: Edit, sentence: str) -> bool:
        """Whether an edit that was found in this sentence may be shown."""
        if edit.kind in self.kinds or (self.ignored and _word_of(edit).casefold() in self.ignored):
            return False
        return not self.once or _once(edit, sentence) not in self.once


class UserRulesSource(Protocol):
    """Where user rules come from, such as the files of a `UserRulesStore`."""

    def current(self) -> UserRules:
        """The rules in force now: the same object as before unless they changed."""


class UserRulesStore:
    """The files of a user, and those of a project if there is one. A file that changed on disk is read again."""

    def __init__(self, user: Path, project: Path | None = None) -> None:
        """`user` and `project` are folders for the files; neither need exist.

        The files of a project, which may be a stranger's, are used only where they are inside of it.
        """
        folders = {Scope.USER: user} | ({Scope.PROJECT: project} if project else {})
        inside = {Scope.PROJECT: project_root(project.parent)} if project else {}

        def open_files(name: str, heading: str) -> dict[Scope, LockedLines]:
            return {scope: LockedLines(folder / name, heading, inside.get(scope)) for scope, folder in folders.items()}

        self._words = open_files(WORDS, _WORDS_HEADING)
        self._ignores = open_files(IGNORES, _IGNORES_HEADING)
        self._lock = Lock()
        self._read: tuple[tuple[Line, ...], ...] = ()
        self._rules = UserRules()

    @classmethod
    def open(cls, project: Path | None = None) -> UserRulesStore:
        """The files of the user, and of the project that the file or folder `project` belongs to.

        The environment variable REDRAFT_HOME replaces the user's configuration folder.
        """
        import platformdirs  # here, because most imports of this module read no files

        home = os.environ.get("REDRAFT_HOME")
        user = Path(home) if home else platformdirs.user_config_path("redraft", appauthor=False)
        return cls(user, find_project(project) if project else None)

    def current(self) -> UserRules:
        """The rules in force now: the same object as before if no file changed."""
        listings = (*self._words.values(), *self._ignores.values())
        read = tuple(listing.lines() for listing in listings)
        with self._lock:
            if len(read) != len(self._read) or any(new is not old for new, old in zip(read, self._read, strict=True)):
                self._rules = self._gather(read)
                self._read = read
            return self._rules

    @property
    def words(self) -> Words:
        return self.current().words

    def allows(self, edit: Edit, sentence: str) -> bool:
        return self.current().allows(edit, sentence)

    def add_word(self, word: str, scope: str = Scope.USER) -> bool:
        """False if it was there already."""
        return self._listing(self._words, scope).add(_check_word(word))

    def remove_word(self, word: str, scope: str = Scope.USER) -> bool:
        """False if it was not there."""
        return self._listing(self._words, scope).remove(word.strip())

    def list_words(self, scope: str | None = None) -> list[str]:
        """The words as written, of one scope or of all, in order."""
        listings = [self._listing(self._words, scope)] if scope else self._words.values()
        return sorted({line.entry for listing in listings for line in listing.lines()}, key=str.casefold)

    def ignore_once(self, edit: Edit, sentence: str, scope: str = Scope.USER) -> bool:
        """Never shows this edit in this sentence again. The file keeps a fingerprint of the sentence, not its text."""
        return self._listing(self._ignores, scope).add(_once(edit, sentence))

    def ignore_word(self, word: str | Edit, scope: str = Scope.USER) -> bool:
        """Shows no edit of this word, or of the words that an edit replaces or inserts."""
        text = _word_of(word) if isinstance(word, Edit) else " ".join(word.split())
        if not text or len(text) > _LONGEST_WORD:
            raise InputError(
                "only words of 1 to 100 characters can be ignored; ignore this edit in its sentence (once) instead"
            )
        return self._listing(self._ignores, scope).add(f"word {text}")

    def ignore_kind(self, kind: str, scope: str = Scope.USER) -> bool:
        """Shows no edit of this kind."""
        return self._listing(self._ignores, scope).add(f"kind {_kind(kind)}")

    def list_ignores(self, scope: str | None = None) -> list[str]:
        """The lines of the files, without comments."""
        listings = [self._listing(self._ignores, scope)] if scope else self._ignores.values()
        return [line.entry for listing in listings for line in listing.lines()]

    def remove_ignore(self, entry: str, scope: str = Scope.USER) -> bool:
        """Removes an entry that `list_ignores` lists; False if it was not there."""
        return self._listing(self._ignores, scope).remove(entry.strip())

    def _listing(self, listings: dict[Scope, LockedLines], scope: str) -> LockedLines:
        if scope not in tuple(Scope):
            raise InputError(f"scope {scope!r} is not known; choose {' or '.join(Scope)}")
        try:
            return listings[Scope(scope)]
        except KeyError:
            raise InputError("there is no project here; make a folder .redraft, or choose the scope user") from None

    def _gather(self, read: tuple[tuple[Line, ...], ...]) -> UserRules:
        words = Words.of(line.entry for lines in read[: len(self._words)] for line in lines)
        kinds: set[Kind] = set()
        ignored: set[str] = set()
        once: set[str] = set()
        for listing, lines in zip(self._ignores.values(), read[len(self._words) :], strict=True):
            for line in lines:
                what, _, value = line.entry.partition(" ")
                if what == "kind":
                    kinds.add(_kind(value.strip(), f"{listing.path}:{line.number}: "))
                elif what == "word" and value:
                    ignored.add(" ".join(value.split()).casefold())
                elif _ONCE.fullmatch(line.entry):
                    once.add(line.entry)
                else:
                    place = f"{listing.path}:{line.number}"
                    raise InputError(f"{place}: an entry must begin with kind, word or once (docs/formats.md)")
        return UserRules(words, frozenset(kinds), frozenset(ignored), frozenset(once))


def find_project(near: Path) -> Path:
    """The folder .redraft of a file or folder: the nearest in its parent folders, or else at the repository's root."""
    place = near.absolute()
    places = [place, *place.parents] if place.is_dir() else list(place.parents)
    for marker in (PROJECT_FOLDER, ".git"):
        for folder in places:
            if (folder / marker).exists():
                return folder / PROJECT_FOLDER
    return places[0] / PROJECT_FOLDER


def _check_word(word: str) -> str:
    word = word.strip()
    if not word or len(word) > _LONGEST_WORD or len(word.split()) > 1 or word.startswith("#") or not word.isprintable():
        raise InputError("an entry of a dictionary is one word of up to 100 characters, without white space")
    return word


def _kind(name: str, where: str = "") -> Kind:
    try:
        return Kind(name)
    except ValueError:
        raise InputError(f"{where}kind {name!r} is not known; there are {', '.join(Kind)}") from None


def _word_of(edit: Edit) -> str:
    """What "this word" means for an edit: what it replaces, or what it inserts, with a + before it."""
    replaced = " ".join(edit.source.split())
    return replaced or f"+{' '.join(edit.replacement.split())}"


def _quote(text: str) -> str:
    """As a JSON string in ASCII, without the sign that begins a comment."""
    return json.dumps(text).replace("#", "\\u0023")


def _once(edit: Edit, sentence: str) -> str:
    before, after = (_quote(" ".join(text.split())) for text in (edit.source, edit.replacement))
    fingerprint = hashlib.sha256(" ".join(sentence.split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"once {before} -> {after} in {fingerprint}"
