"""The error table: the wrong forms that people write for a right word or phrase, with rates. A gzipped JSON file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from redraft.atomic_write import atomic_write
from redraft.errors import InputError

FORMAT = 1


class Family(StrEnum):
    """Kind of error. The noise rates give each family a share of all errors."""

    ARTICLE = "article"
    PREPOSITION = "preposition"
    PRONOUN = "pronoun"
    PUNCTUATION = "punctuation"
    VERB = "verb"
    VERB_FORM = "verb-form"
    AGREEMENT = "agreement"
    NOUN_NUMBER = "noun-number"
    WORD_FORM = "word-form"
    CHOICE = "choice"
    FUNCTION = "function"
    SPELLING = "spelling"
    CASING = "casing"
    SPACING = "spacing"
    ORDER = "order"
    REPEAT = "repeat"
    DROP = "drop"
    STRETCH = "stretch"
    INSERTION = "insertion"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A wrong form of a word or phrase.

    `rate` is the number of occurrences in a hundred thousand, before the family's share is applied. `context` has the
    classes of the previous word (see ErrorTable.contexts) that forbid it or, after a leading +, that it needs.
    """

    wrong: str
    family: Family
    rate: float
    context: str = ""


@dataclass(frozen=True, slots=True)
class Drill:
    """Words that are confused with a word or phrase, and how often it is replaced.

    `weight` is the share of its occurrences that are replaced, relative to the noise rate `drills`.
    """

    wrongs: tuple[str, ...]
    weight: float


@dataclass(frozen=True)
class ErrorTable:
    language: str
    unit: str = "word"
    """`word`: tokens with spaces between; `character`: each character is a token, without spaces."""
    candidates: Mapping[str, Sequence[Candidate]] = field(default_factory=dict)
    """Lower-case token, or tokens joined by spaces, to its wrong forms."""
    misspellings: Mapping[str, Sequence[tuple[str, float]]] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)
    """Known words to the order of magnitude of their frequency rank: 0 for the 100 most frequent, then 1, 2, …"""
    contexts: Mapping[str, str] = field(default_factory=dict)
    """A word to the one-letter class of the place after it."""
    function_words: frozenset[str] = frozenset()
    splits: Mapping[str, str] = field(default_factory=dict)
    """A joined word to its two halves: `something` to `some thing`."""
    spelling_rules: Sequence[tuple[str, str]] = ()
    keyboard: Mapping[str, str] = field(default_factory=dict)
    density: Mapping[str, float] = field(default_factory=dict)
    """Sum of the rates of each family per token of clean text."""
    words: frozenset[str] = frozenset()
    """With characters as tokens: words of several characters, which are dropped, repeated and moved as one."""
    insertions: Mapping[str, float] = field(default_factory=dict)
    """Function words that people write where none belongs, with their weights."""
    drills: Mapping[str, Drill] = field(default_factory=dict)
    """Lower-case word, or two words joined by a space, to the other members of its confusion set."""
    rates: Mapping[str, float] = field(default_factory=dict)
    """Noise rates, by the names of `NoiseRates`; its defaults for the others."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """Share of each family in all errors; the defaults of `NoiseRates` if empty."""

    def save(self, path: Path) -> None:
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        fields["candidates"] = {
            key: [[entry.wrong, entry.family, round(entry.rate, 2), entry.context] for entry in entries]
            for key, entries in self.candidates.items()
        }
        fields["drills"] = {key: [*drill.wrongs, round(drill.weight, 4)] for key, drill in self.drills.items()}
        for name in ("function_words", "words"):
            fields[name] = sorted(fields[name])
        text = json.dumps({"format": FORMAT, **fields}, ensure_ascii=False, separators=(",", ":"))
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as partial:
            # No time in the header: the same table always gives the same bytes.
            partial.write_bytes(gzip.compress(text.encode(), mtime=0))

    @classmethod
    def load(cls, path: Path) -> ErrorTable:
        try:
            with gzip.open(path, "rt", encoding="utf-8") as file:
                fields: dict[str, Any] = json.load(file)
            if fields.pop("format") != FORMAT:
                raise ValueError("another format")
            families = {family.value: family for family in Family}
            fields["candidates"] = {
                key: tuple(
                    Candidate(wrong, families[family], rate, context) for wrong, family, rate, context in entries
                )
                for key, entries in fields["candidates"].items()
            }
            fields["misspellings"] = {
                key: tuple((form, weight) for form, weight in forms) for key, forms in fields["misspellings"].items()
            }
            fields["spelling_rules"] = tuple((right, wrong) for right, wrong in fields["spelling_rules"])
            fields["drills"] = {
                key: Drill(tuple(wrongs), weight) for key, (*wrongs, weight) in fields.get("drills", {}).items()
            }
            for name in ("function_words", "words"):
                fields[name] = frozenset(fields.get(name, ()))
            return cls(**fields)
        except FileNotFoundError:
            raise InputError(f"{path}: there is no such error table; build one with `redraft error-table`") from None
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path} is not an error table of format {FORMAT} ({error}); build it again with `redraft error-table`"
            ) from error
