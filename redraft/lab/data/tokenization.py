"""The two spellings of a sentence: raw (`He doesn't go.`) and tokenized (`He does n't go .`), as in M2 corpora."""

from __future__ import annotations

import re
from functools import lru_cache

from redraft.text.words import word_set

OPENING = frozenset("([{<“‘«¿¡$£€#")
CLOSING = frozenset(")]}>”’»,.;:!?…%")

_ABBREVIATIONS = word_set(
    "mr. mrs. ms. dr. prof. st. jr. sr. inc. ltd. co. corp. vs. e.g. i.e. a.m. p.m. ph.d. cf. viz. gen. col. capt. "
    "lt. sgt. gov. sen. rep. rev. hon. mt. ft. approx. dept. univ. est. fig. vol. pp. ed. eds. jan. feb. mar. apr. "
    "jun. jul. aug. sep. sept. oct. nov. dec. c. ca. no."
)
_WHOLE = re.compile(
    r"(?:https?://|www\.)\S*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:[A-Za-z]\.){2,}|o'clock|[:;]-?[)(DP](?!\w)"
    r"|\d+(?:[.,:/]\d+)+(?:%|[a-z]{1,2}\b)?|\d+%",
    re.IGNORECASE,
)
_CONTRACTION = re.compile(r"(?i)(.+)(n['’]t|['’](?:s|m|d|ll|ve|re))$")
_JOINED = re.compile(r"(?i)(can)(not)$|(gon|wan)(na)$|(got)(ta)$|(do|did|does|wo|is|was)(nt)$")
_PIECE = re.compile(r"\.{2,}|-{2,}|\w[\w.'’&+_]*[\w+]|\w|\s+|[^\w\s]")
_HYPHEN = re.compile(r"(?<=[^\W_])-(?=[^\W_])")


@lru_cache(maxsize=1 << 17)
def split_chunk(chunk: str, split_hyphens: bool = True) -> tuple[str, ...]:
    """Tokens of a text without white space; joined, they are the text."""
    if chunk.isalpha():
        return tuple(_split_word(chunk))
    front: list[str] = []
    back: list[str] = []
    while chunk and (chunk[0] in OPENING or chunk[0] in "\"'" or chunk[0] == "`"):
        if chunk[0] == "#" and chunk[1:2].isalnum():
            break
        if chunk[0] == "'" and chunk.lower() in {"'s", "'m", "'d", "'ll", "'ve", "'re", "'cause", "'em"}:
            break
        front.append(chunk[0])
        chunk = chunk[1:]
    while chunk:
        lower = chunk.lower()
        if (
            lower in _ABBREVIATIONS
            or _WHOLE.fullmatch(chunk)
            or (len(chunk) == 2 and chunk[1] == "." and chunk[0].isupper())
        ):
            break
        last = chunk[-1]
        if last in ".-" and chunk.endswith(2 * last):
            stem = chunk.rstrip(last)
            back.append(chunk[len(stem) :])
            chunk = stem
        elif (last in CLOSING or last in "\"'`-/") and not (last == "%" and chunk[:1].isdigit()):
            back.append(last)
            chunk = chunk[:-1]
        else:
            break
    return (*front, *_split_core(chunk, split_hyphens), *reversed(back))


def _split_word(word: str) -> list[str]:
    joined = _JOINED.match(word)
    return [part for part in joined.groups() if part] if joined else [word]


def _split_core(core: str, split_hyphens: bool) -> list[str]:
    if not core:
        return []
    if (
        core.isalnum()
        or _WHOLE.fullmatch(core)
        or core.lower() in _ABBREVIATIONS
        or (len(core) == 2 and core[1] == ".")
    ):
        return _split_word(core)
    contraction = _CONTRACTION.match(core)
    if contraction:
        return [*_split_core(contraction[1], split_hyphens), contraction[2]]
    parts: list[str] = []
    for index, part in enumerate(_HYPHEN.split(core)):
        pieces = _PIECE.findall(part) if not part.isalnum() else [part]
        if index == 0:
            parts += pieces
        elif split_hyphens and part[:1].isdigit() == parts[-1][-1:].isdigit():
            parts += ["-", *pieces]
        else:
            parts[-1] += "-" + pieces[0]
            parts += pieces[1:]
    return parts


def tokenize(text: str, split_hyphens: bool = True) -> str:
    """Tokenize a raw sentence as M2 corpora do. BEA-2019 splits hyphens between letters, CoNLL does not."""
    return " ".join(token for chunk in text.split() for token in split_chunk(chunk, split_hyphens))


CLITICS = re.compile(r"(?i)^(?:n['’]t|['’](?:s|m|d|ll|ve|re))$")
NO_SPACE_BEFORE = frozenset([*CLOSING, "...", "..", "...."])
_SECOND_HALVES = {"not": ("can",), "na": ("gon", "wan"), "ta": ("got",), "nt": ("do", "did", "does", "wo", "is", "was")}


def detokenize(text: str) -> str:
    """Raw spelling of a tokenized sentence. Straight quotes are taken as pairs, which is not always right."""
    tokens = text.split()
    written: list[str] = []
    glue_next = True
    open_quotes: set[str] = set()
    for index, token in enumerate(tokens):
        glue = glue_next or token in NO_SPACE_BEFORE or CLITICS.match(token) is not None
        glue_next = token in OPENING
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        if token in {'"', "'"}:
            if token in open_quotes:
                open_quotes.discard(token)
                glue = True
            elif token == "'" and "'" not in tokens[index + 1 :]:
                glue = True
            else:
                open_quotes.add(token)
                glue_next = True
        elif token == "/" or (token == "-" and written and written[-1].isalpha() and following.isalpha()):
            glue = glue_next = True
        elif written and written[-1].lower() in _SECOND_HALVES.get(token.lower(), ()):
            glue = True
        if not glue:
            written.append(" ")
        written.append(token)
    return "".join(written)


def curl(text: str) -> str:
    """The text with curly quotation marks and apostrophes."""
    text = _OPENING_QUOTE.sub(lambda match: match[1] + ("“" if match[2] == '"' else "‘"), text)
    return text.replace('"', "”").replace("'", "’")


_OPENING_QUOTE = re.compile(r"(^|[\s(\[{—–-])([\"'])(?=\S)")
