"""American and British English: which spelling of a word belongs to which country.

British English here allows both -ise and -ize, as its dictionaries do; American English only -ize.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from redraft.errors import ConfigError
from redraft.text.dialect_words import ALWAYS_ISE, FAMILIES, PREFIXES, ROOT_PREFIXES, ROOTS, Family
from redraft.text.language_tags import parse_tag


class Dialect(StrEnum):
    AMERICAN = "en-US"
    BRITISH = "en-GB"

    @property
    def other(self) -> Dialect:
        return Dialect.BRITISH if self is Dialect.AMERICAN else Dialect.AMERICAN


_ISE = re.compile(
    r"(?P<stem>[a-z]{3,}?)is(?P<ending>e|ed|es|er|ers|ing|ings|ingly|able|ably|ability|ation|ations|ational|ationally|ationist|ationists|ator|ators)"
)
_IZE = re.compile(_ISE.pattern.replace(")is(", ")iz("))
_PARTS = re.compile(r"([-‐‑'’\s])")
_ALWAYS_ISE = re.compile("|".join(ALWAYS_ISE))
_ALWAYS_IZE = re.compile("ass|caps|overs|unders|downs|res|outs|sup|[a-z]*[aeou]")
"""capsize, assize, oversized, resize, seize: not words in -ize that could be written with -ise"""
_SHORTEST_STEM = 4
"""A prefix is looked for only before words of this length."""


def dialect_of(language: str) -> Dialect | None:
    """The dialect that a language tag names; None for any other language, and for English of any other country."""
    wanted = parse_tag(language)
    return next((dialect for dialect in Dialect if parse_tag(dialect) == wanted), None)


def find_dialect(name: str) -> Dialect:
    """The same, but an unknown dialect is an error."""
    dialect = dialect_of(name)
    if dialect is None:
        raise ConfigError(f"dialect {name!r} is not known; choose {' or '.join(Dialect)}")
    return dialect


@lru_cache(maxsize=1 << 14)
def respell(word: str, dialect: Dialect) -> str | None:
    """The spelling of a word in a dialect; None if the word is right there as it is.

    The word may have capitals, hyphens and a possessive ending; it is respelled part by part.
    """
    parts = _PARTS.split(word)
    respelled = [_respell_part(part, dialect) for part in parts]
    return None if respelled == parts else "".join(respelled)


def are_variants(one: str, other: str) -> bool:
    """Whether two words differ only in the spelling of a country."""
    parts, other_parts = (_PARTS.split(word.casefold()) for word in (one, other))
    return parts != other_parts and list(map(_canonical, parts)) == list(map(_canonical, other_parts))


def dialect_by_ize(word: str) -> Dialect | None:
    """American for a word in lower case with -ize, British for one with -ise, None for any other.

    It is weak evidence, because -ize is right in Britain too.
    """
    if _ise_to_ize(word) != word:
        return Dialect.BRITISH
    match = _IZE.fullmatch(word)
    return Dialect.AMERICAN if match and not _ALWAYS_IZE.fullmatch(match["stem"]) else None


def _respell_part(part: str, dialect: Dialect) -> str:
    lower = part.lower()
    respelled = _to_american(lower) if dialect is Dialect.AMERICAN else _to_british(lower)
    if respelled == lower:
        return part
    if part.isupper():
        return respelled.upper()
    return respelled[0].upper() + respelled[1:] if part[0].isupper() else respelled


def _to_american(word: str) -> str:
    return _ise_to_ize(_look_up(word, _tables().to_american))


def _to_british(word: str) -> str:
    return _look_up(word, _tables().to_british)


@lru_cache(maxsize=1 << 14)
def _canonical(word: str) -> str:
    """The same string for all spellings of a word: mostly the American one."""
    return _ise_to_ize(_look_up(word, _tables().canonical))


def _ise_to_ize(word: str) -> str:
    match = _ISE.fullmatch(word)
    if match is None or _ALWAYS_ISE.fullmatch(match["stem"]):
        return word
    return f"{match['stem']}iz{match['ending']}"


@dataclass(frozen=True, slots=True)
class _Table:
    """Spellings and what each becomes."""

    words: Mapping[str, str]
    """Words that are written without a prefix."""
    compounds: Mapping[str, str]
    """Words that may have a prefix."""
    roots: re.Pattern[str]
    """A root at the start of a word, or behind a prefix."""
    root_spellings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Tables:
    to_american: _Table
    to_british: _Table
    canonical: _Table


_PREFIX = re.compile("|".join(sorted(PREFIXES, key=len, reverse=True)))


def _look_up(word: str, table: _Table) -> str:
    known = table.words.get(word) or table.compounds.get(word)
    if known:
        return known
    prefix = _PREFIX.match(word)
    if prefix and len(word) - prefix.end() >= _SHORTEST_STEM:
        known = table.compounds.get(word[prefix.end() :])
        if known:
            return prefix.group() + known
    return table.roots.sub(lambda match: match["prefix"] + table.root_spellings[match["root"]], word)


@cache
def _tables() -> _Tables:
    return _Tables(
        to_american=_make_table({"", ">"}, british_first=True),
        to_british=_make_table({"", "<"}, british_first=False),
        canonical=_make_table({"", "<", ">", "="}, british_first=True, only_same_word=True),
    )


def _make_table(directions: set[str], british_first: bool, only_same_word: bool = False) -> _Table:
    words: dict[str, str] = {}
    compounds: dict[str, str] = {}
    for family in FAMILIES:
        if family.direction in directions and (family.same_word or not only_same_word):
            pairs = _list_pairs(family)
            (compounds if family.compounds else words).update(
                pairs if british_first else {american: british for british, american in pairs.items()}
            )
    roots: dict[str, str] = {}
    patterns: list[str] = []
    for origin in ROOTS:
        if origin.direction in directions:
            for british, american in map(_both, origin.spellings.split()):
                root, other = (british, american) if british_first else (american, british)
                roots[root] = other
                patterns.append(f"{root}(?={origin.following})")
    pattern = re.compile(rf"^(?P<prefix>(?:{'|'.join(ROOT_PREFIXES)})?)(?P<root>{'|'.join(patterns)})")
    return _Table(words, compounds, pattern, roots)


def _list_pairs(family: Family) -> dict[str, str]:
    """British spellings with the American ones."""
    return {
        stem_british + british: stem_american + american
        for stem_british, stem_american in map(_both, family.stems.split())
        for british, american in (map(_both, family.endings.split()) if family.endings else [("", "")])
    }


def _both(entry: str) -> tuple[str, str]:
    british, colon, american = entry.partition(":")
    return british, american if colon else british
