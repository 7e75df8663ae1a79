"""A pattern finds a place in a correct sentence and writes an error there that learners of English typically make.

The patterns are tables in the folder `english_pattern_tables`. `find` is a regular expression in which `~` makes a
letter match in both cases, `'` is either apostrophe, a word in capitals between angle brackets is a line of
macros.toml, and `{v:VBG}` is a group called v that matches a form of a word. `write` lists what is written instead:
`{1}` and `{v}` are groups, `{v:VB}` is another form of the word. english_forms.py knows the forms.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from redraft.lab.data.english_forms import change, find_lemma
from redraft.settings_reader import read_settings
from redraft.text.words import word_set

TABLES = Path(__file__).with_name("english_pattern_tables")
LIMIT = 3_000
"""Most pairs of a pattern."""
PHRASE_LIMIT = 600
"""Most pairs of a phrase with a fixed preposition, of which there are many."""

_MACRO = re.compile(r"<([A-Z]+)>")
_GROUP = re.compile(r"\{([a-z]):([A-Z]+)\}")
_FIELD = re.compile(r"\{(\w+)(?::(\w+))?\}")
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Edit:
    """The characters from `start` to `end` of a sentence become `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A pattern as its table has it."""

    group: str
    triggers: str
    """Words of which a sentence must have one to be searched."""
    find: str
    write: tuple[str, ...]
    """Wrong forms, one of which is drawn."""
    right: str = ""
    wrong: str = ""
    """An example, and what may become of it."""
    never: str = ""
    """A sentence with a trigger word that the pattern leaves alone."""
    needs: str = ""
    """What a sentence must have besides."""
    unless: str = ""
    """What a sentence must not have."""
    limit: int = LIMIT


class Pattern:
    """A named kind of error."""

    def __init__(self, name: str, entry: Entry) -> None:
        self.name, self.group, self.limit = name, entry.group, entry.limit
        self.triggers = word_set(entry.triggers)
        self._tags = dict(_GROUP.findall(entry.find))
        self._expression = re.compile(expand(entry.find))
        self._needs = re.compile(expand(entry.needs)) if entry.needs else None
        self._unless = re.compile(expand(entry.unless)) if entry.unless else None
        self._templates = [_parse(template) for template in entry.write]

    def find(self, sentence: str, rng: random.Random) -> Edit | None:
        """The error at one of the places where the pattern fits; None if it fits nowhere."""
        matches = self._match(sentence)
        rng.shuffle(matches)
        for match in matches:
            edit = self._write(match, rng.choice(self._templates))
            if edit is not None:
                return edit
        return None

    def find_all(self, sentence: str) -> list[Edit]:
        """Every error that the pattern can write."""
        written = (self._write(match, template) for match in self._match(sentence) for template in self._templates)
        return [edit for edit in written if edit is not None]

    def _match(self, sentence: str) -> list[re.Match[str]]:
        matches = list(self._expression.finditer(sentence))
        if not matches or (self._needs and not self._needs.search(sentence)):
            return []
        return [] if self._unless and self._unless.search(sentence) else matches

    def _write(self, match: re.Match[str], template: Sequence[tuple[str, str, str]]) -> Edit | None:
        for group, tag in self._tags.items():
            if match[group] is not None and find_lemma(match[group], tag) is None:
                return None
        pieces: list[str] = []
        for literal, group, wanted in template:
            pieces.append(literal)
            if group:
                word = match[int(group) if group.isdigit() else group] or ""
                written = change(word, self._tags.get(group), wanted) if wanted else word
                if written is None:
                    return None
                pieces.append(written)
        text = "".join(pieces)
        old = match[0]
        if old[:1].isupper() and text[:1].islower():
            text = text[0].upper() + text[1:]
        elif old[:1].islower() and text[:1].isupper() and not re.match(r"I\b|[A-Z]\w*[a-z]", text):
            text = text[0].lower() + text[1:]
        return Edit(match.start(), match.end(), text) if text != old else None


def expand(expression: str) -> str:
    """The expression in the notation of `re`."""
    while _MACRO.search(expression):
        expression = _MACRO.sub(lambda match: _read_macros()[match[1]], expression)
    expression = re.sub(r"~([a-z])", lambda match: f"[{match[1].upper()}{match[1]}]", expression)
    expression = _GROUP.sub(_expand_group, expression)
    # An apostrophe is either one, within a class of characters too.
    return re.sub(r"\[[^\]]*\]|'", lambda m: "['’]" if m[0] == "'" else m[0].replace("'", "'’"), expression)


def _expand_group(match: re.Match[str]) -> str:
    ending = "ing" if match[2] == "VBG" else ""
    return rf"(?P<{match[1]}>[a-z]+{ending})(?![\w'-])"


@cache
def _read_macros() -> dict[str, str]:
    return tomllib.loads((TABLES / "macros.toml").read_text(encoding="utf-8"))


def _parse(template: str) -> list[tuple[str, str, str]]:
    """Literal text, group and wanted form of each part."""
    parts, end = [], 0
    for field in _FIELD.finditer(template):
        parts.append((template[end : field.start()], field[1], field[2] or ""))
        end = field.end()
    return [*parts, (template[end:], "", "")]


def read_entries() -> dict[str, Entry]:
    """All patterns by name."""
    entries: dict[str, Entry] = {}
    for name in ("verbs", "prepositions", "nouns", "clauses"):
        table = tomllib.loads((TABLES / f"{name}.toml").read_text(encoding="utf-8"))
        phrases = table.pop("phrases", {})
        entries |= {key: read_settings(Entry, entry, (key,)) for key, entry in table.items()}
        for group, lines in phrases.items():
            entries |= dict(_read_phrase(group, phrase, wrongs) for phrase, wrongs in lines.items())
    return entries


def _read_phrase(group: str, phrase: str, wrongs: str) -> tuple[str, Entry]:
    """Name and entry of a line such as `"aware of" = "about|-"`: the last word is replaced by one of the others, and
    `-` leaves it out. A word must follow."""
    head, _, last = phrase.rpartition(" ")
    entry = Entry(
        group=group,
        triggers=" ".join(_list_triggers(head)),
        find=rf"\b({head}) {last}(?= [a-zA-Z“\"])",
        write=tuple("{1}" if wrong == "-" else "{1} " + wrong for wrong in wrongs.split("|")),
        limit=PHRASE_LIMIT,
    )
    return re.sub(r"\(\?:([^|)]+)[^)]*\)", r"\1", phrase), entry


def _list_triggers(phrase: str) -> list[str]:
    """The forms of the longest word of a phrase such as `(?:pay|paid) attention`."""
    choices = [re.findall(r"[a-z]+", word) for word in re.findall(r"\(\?:[^)]*\)|[a-z]+", phrase)]
    return max(reversed(choices), key=lambda words: min(map(len, words)))


class PatternIndex:
    """Finds the patterns whose trigger words a sentence has."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._by_word: dict[str, list[Pattern]] = {}
        for pattern in patterns:
            for word in sorted(pattern.triggers):
                self._by_word.setdefault(word, []).append(pattern)
        self._words = frozenset(self._by_word)

    def candidates(self, sentence: str) -> list[Pattern]:
        words = self._words.intersection(_WORD.findall(sentence.lower()))
        if not words:
            return []
        return list(dict.fromkeys(pattern for word in sorted(words) for pattern in self._by_word[word]))
