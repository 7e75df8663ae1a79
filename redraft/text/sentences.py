"""Splits a text into sentences, and a sentence that is too long for a model into clauses.

Text is first cut into passages at line ends, then each passage into sentences at its full stops.

A line end cuts if one of these holds:
- the next line is blank, or opens a list item, a heading, a quotation or a table row;
- the line ends with a colon, a list item's usual introduction;
- one of the two lines is a command, code or in capitals (see `verbatim_lines`);
- the paragraph cannot be hard-wrapped: its longest line is longer than a wrapped line ever is, or so short that
  these are titles, verses or an address (then a line that goes on in lower case is still joined);
- the next line's first word would easily have fitted on the line, so that this is no wrapped line.
Every other line end counts as a space, so that a hard-wrapped sentence stays whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from redraft.text.patterns import EMOJI, HAN_AND_KANA, MARKS
from redraft.text.span import Span
from redraft.text.verbatim_lines import line_kind
from redraft.text.words import find_words, word_set

_NARROWEST_WRAP = 40
_WIDEST_WRAP = 160

_BLOCK_OPENING = re.compile(r"(?:[-*+•‣◦▪–—]|\(?(?:\d{1,3}|[A-Za-z])[.)]|[ivxIVX]{1,5}[.)])\s|#{1,6}\s|[>|]")
_ENUMERATOR = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})\.")

_CLOSERS = "\"'”’)\\]}»›」』）】》〉*_"
_OPENERS = "\"'“‘([{«‹「『（【《〈*_¿¡"
_TERMINAL = re.compile(rf"(?:(?<=[{HAN_AND_KANA}])…++|([.!?…؟۔।॥]++)|[。！？；｡]++)[{_CLOSERS}{MARKS}]*+")
_ASCII_TERMINAL = re.compile(r"([.!?]++)[\"')\]}*_]*+")
"""What `_TERMINAL` matches in ASCII, where it takes a third of the time."""
_UNSPACED = re.compile(rf"[{HAN_AND_KANA}]")
_NEXT_WORD = re.compile(rf"\s*+[{_OPENERS}]*+(\w[\w'’]{{0,30}}\.?|\S|)")
_SIGN = rf"(?:{EMOJI}|[\u2022\u2023\u2043\u2190-\u21ff\u25a0-\u25ff])"
_OPENING_SIGNS = re.compile(rf"\s*+(?:{_SIGN}\s*+)++")
_SIGNS = re.compile(rf"(?<!\s)(?:\s*+{_SIGN})++")
# How many characters before a full stop are looked at.
_LOOK_BACK = 40

# A new sentence never follows these (the second set: capitalized as here)...
_NEVER_LAST = word_set("mr mrs ms mx messrs mmes dr drs prof e.g i.e eg ie cf vs viz st a.k.a n.b")
_TITLES = word_set("Rev Hon Gen Col Maj Capt Lt Sgt Gov Sen Rep Pres Mt")
# ...after these it may, when it begins with a word that sentences begin with...
_SELDOM_LAST = word_set(
    "inc ltd co corp plc llc bros jr sr esq phd ph.d m.d b.sc m.sc a.m p.m a.d b.c b.c.e c.e "
    "jan feb apr jun jul aug sept oct nov dec mon tue tues thu thur thurs fri"
)
# ...after these when it does not go on in lower case or with a digit...
_OFTEN_LAST = word_set(
    "etc al approx esp resp incl excl est hr hrs mins secs lb lbs oz ft dept univ assn tel ext avg max min "
    "ed eds ave blvd rd ca"
)
# ...and after these when no number follows.
_NUMBERED = word_set("no nos art op p pp ch vol fig figs eq eqs sec para ref refs")
STARTERS = word_set(
    "the a an this that these those he she it i we they you there here his her its my our their your what when where "
    "why who how if in on at for from with after before as but and or so yet because although while since however "
    "then also moreover therefore thus finally first second one some many most all both no not i'm it's"
)
"""Frequent first words of sentences."""


def split(text: str, wrapped: bool = False) -> Iterator[Span]:
    """The sentences of `text` in order, without surrounding white space; between them is only white space.

    In `wrapped` text, such as Markdown, only a blank line cuts: every other line end counts as a space.
    """
    terminal = _ASCII_TERMINAL if text.isascii() else _TERMINAL
    found = (sentence for passage in _passages(text, wrapped) for sentence in _cut(text, passage, terminal))
    return (sentence for sentence in found if sentence.start < sentence.end)


def _passages(text: str, wrapped: bool) -> Iterator[Span]:
    """Parts of the text that no line end cuts."""
    lines = _lines(text)
    start = None
    width = 0
    for index, line in enumerate(lines):
        if not line:
            start = None
            continue
        if start is None:
            start = line.start
        if index == 0 or not lines[index - 1]:
            width = _paragraph_width(text, lines, index)
        following = lines[index + 1] if index + 1 < len(lines) else Span(line.end, line.end)
        if not following or (not wrapped and _breaks(text, line, following, width)):
            yield Span(start, line.end)
            start = None


def _lines(text: str) -> list[Span]:
    """Each line without the white space around it; a blank line is an empty span."""
    spans: list[Span] = []
    offset = 0
    for line in text.splitlines(keepends=True):
        body = line.strip()
        start = offset + len(line) - len(line.lstrip()) if body else offset
        spans.append(Span(start, start + len(body)))
        offset += len(line)
    return spans


def _paragraph_width(text: str, lines: list[Span], first: int) -> int:
    width = 0
    for index in range(first, len(lines)):
        if not lines[index]:
            break
        width = max(width, _columns(lines[index].of(text)))
    return width


def _columns(line: str) -> int:
    """The width of a line: an ideograph takes two columns."""
    return len(line) if line.isascii() else len(line) + len(_UNSPACED.findall(line))


def _breaks(text: str, line: Span, following: Span, width: int) -> bool:
    if text[line.end - 1] in ":：" or _BLOCK_OPENING.match(text, following.start, following.end):
        return True
    if line_kind(line.of(text)) or line_kind(following.of(text)):
        return True
    if width < _NARROWEST_WRAP:
        return not text[following.start].islower()
    if width > _WIDEST_WRAP:
        return True
    first_word = text[following.start : min(following.end, following.start + _WIDEST_WRAP)].split(maxsplit=1)[0]
    if _UNSPACED.match(first_word):
        first_word = first_word[0]
    return _columns(line.of(text)) + 1 + len(first_word) <= width * 3 // 4


def _cut(text: str, passage: Span, terminal: re.Pattern[str]) -> Iterator[Span]:
    start = passage.start
    for match in terminal.finditer(text, passage.start, passage.end):
        if match.end() < passage.end and _ends_sentence(text, Span(start, passage.end), match):
            yield Span(start, match.end())
            start = match.end()
            while text[start].isspace():
                start += 1
    yield Span(start, passage.end)


def _ends_sentence(text: str, rest: Span, match: re.Match[str]) -> bool:
    """Whether the marks of `match` end the sentence that began at the start of `rest`."""
    marks = match[1]
    if marks is None:
        return True
    if not text[match.end()].isspace():
        # Scripts without spaces have none behind a half-width mark either.
        unspaced = _UNSPACED.match(text, match.end()) is not None
        return unspaced and (marks[-1] in "!?" or _UNSPACED.match(text, match.start() - 1) is not None)
    following = _NEXT_WORD.match(text, match.end(), rest.end)
    next_word = following[1] if following else ""
    closed = len(match[0]) > len(marks)
    lower = next_word[:1].islower() and next_word != "i"
    if marks != ".":
        hesitates = marks.endswith(("...", "…")) or marks == ".."
        return not (lower and (hesitates or closed))
    if closed:
        return not lower
    return _full_stop_ends(text, Span(rest.start, match.start()), next_word)


def _full_stop_ends(text: str, sentence: Span, next_word: str) -> bool:
    """Whether a single full stop after `sentence`, with no closing quote behind it, ends the sentence."""
    if sentence.end - sentence.start <= 6 and _ENUMERATOR.fullmatch(text, sentence.start, sentence.end + 1):
        return False
    before, word = (["", "", *text[max(sentence.start, sentence.end - _LOOK_BACK) : sentence.end].split()])[-2:]
    word = word.lstrip(_OPENERS)
    folded = word.lower()
    if folded in _NEVER_LAST or word in _TITLES:
        return False
    # I is a pronoun more often than an initial, unless another initial precedes it.
    is_name = _is_initials(word) and (word != "I" or (before.endswith(".") and _is_initials(before[:-1])))
    if folded in _SELDOM_LAST or is_name:
        return next_word[:1].isupper() and next_word.lower() in STARTERS
    if folded in _OFTEN_LAST:
        return not (next_word[:1].islower() or next_word[:1].isdigit())
    return not (folded in _NUMBERED and next_word[:1].isdigit())


def _is_initials(word: str) -> bool:
    """J, J.R, U.S.S: single letters with full stops between."""
    return word.isascii() and all(len(part) == 1 and part.isalpha() for part in word.split("."))


_FIRST_PROBE = 64
"""Characters of a sentence that are tried first as a piece."""
_STRONG_PAUSES = frozenset(";:—–。；：")
_PAUSES = frozenset(",，、)）")
_CONJUNCTIONS = word_set(
    "and but or nor so yet because although though while whereas when where which who that if unless until since"
)


@dataclass(frozen=True, slots=True)
class _Boundary:
    """An offset where a sentence may be cut, and how good a cut there is."""

    position: int
    strength: int


def split_clauses(text: str, fits: Callable[[str], bool]) -> Iterator[Span]:
    """Cuts one sentence into pieces that each fit: between clauses, else between words, else between characters.

    If a text fits, every prefix of it should. A single character that does not fit is a piece nevertheless.
    No more text is looked at for a piece than about twice its length, so that the work is linear in the length.
    """
    end = len(text.rstrip())
    start = end - len(text[:end].lstrip())
    following = _boundaries(text, start, end)
    near: list[_Boundary] = []
    while start < end:
        too_far = _find_too_far(text, start, end, fits)
        while not near or near[-1].position <= too_far:
            boundary = next(following, None)
            if boundary is None:
                break
            near.append(boundary)
        cut = _next_cut(text, start, near, too_far, fits)
        yield Span(start, start + len(text[start:cut].rstrip()))
        start = cut
        while start < end and text[start].isspace():
            start += 1
        near = [boundary for boundary in near if boundary.position > start]


def _find_too_far(text: str, start: int, end: int, fits: Callable[[str], bool]) -> int:
    """An offset at most about twice as far from `start` as the last one at which a piece may end."""
    length = _FIRST_PROBE
    while start + length < end and fits(text[start : start + length].rstrip()):
        length *= 2
    return min(start + length, end)


def _next_cut(text: str, start: int, near: Sequence[_Boundary], too_far: int, fits: Callable[[str], bool]) -> int:
    def fits_before(position: int) -> bool:
        return position <= too_far and fits(text[start:position].rstrip())

    longest = _count(len(near), lambda n: fits_before(near[n - 1].position))
    if not longest:
        room = near[0].position - start
        return start + max(1, _count(room, lambda n: fits_before(start + n)))
    # Nothing before the middle: pieces should not get short.
    best = max(range(longest // 2, longest), key=lambda index: (near[index].strength, index))
    cut = near[best].position
    return cut if fits_before(cut) else near[longest - 1].position


def _boundaries(text: str, start: int, end: int) -> Iterator[_Boundary]:
    for left, right in pairwise(span.shift(start) for span in find_words(text[start:end])):
        first = text[right.start]
        if left.end == right.start and not (first.isalnum() or first in _OPENERS):
            continue
        pause = text[left.end - 1]
        if pause in _STRONG_PAUSES:
            strength = 3
        elif pause in _PAUSES:
            strength = 2
        else:
            strength = int(right.of(text).lower() in _CONJUNCTIONS)
        yield _Boundary(right.start, strength)
    yield _Boundary(end, 4)


def _count(limit: int, holds: Callable[[int], bool]) -> int:
    """The greatest n up to `limit` for which `holds` is true; 0 if it is false for 1.

    Steps double before they halve, so that `holds` is never called with an n much greater than the result.
    """
    low, high = 0, 1
    while high <= limit and holds(high):
        low, high = high, high * 2
    high = min(high, limit + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low


def strip_signs(sentence: str) -> Span:
    """The span of a sentence without the emoji, bullets and arrows around it, which are no part of its grammar."""
    if sentence.isascii():
        return Span(0, len(sentence))
    opening = _OPENING_SIGNS.match(sentence)
    start, end = opening.end() if opening else 0, len(sentence)
    last = len(sentence.rstrip())
    for signs in _SIGNS.finditer(sentence, start):
        if signs.end() >= last:
            end = signs.start()
    return Span(start, end)
