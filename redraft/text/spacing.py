"""Normalizes white space, and emoji between words, to single spaces, and maps offsets back to the original.

Between characters of a script without spaces, such as Chinese, white space is removed: there it is mostly a line end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from redraft.text.patterns import EMOJI, HAN_AND_KANA
from redraft.text.span import Span

_RUN = re.compile(r"\s+")
_RUN_WITH_EMOJI = re.compile(rf"\s*+(?:(?:{EMOJI})\s*+)++|\s+")
_CLOSING = re.compile(r"[.,;:!?)\]}…”’]")
# Characters written without spaces beside them: ideographs, kana and full-width punctuation.
_UNSPACED = re.compile(
    rf"[{HAN_AND_KANA}\u3001-\u3003\u3008-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
)
# All emoji and all characters of `_UNSPACED` are among these, and hardly any character of other texts is.
_SPECIAL = re.compile("[\u00a9\u00ae\u203c-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Spaced:
    """Normalized text; `starts[i]` is the offset of its character i in the original, the last item the end."""

    text: str
    starts: Sequence[int]
    gaps: Mapping[int, int] = field(default_factory=dict)
    """For each character i that removed white space preceded: where the character before it ends in the original."""
    hidden: Sequence[Span] = ()
    """Emoji of the original, with the white space around them."""

    @classmethod
    def unchanged(cls, text: str) -> Spaced:
        """A text as it is."""
        return cls(text, range(len(text) + 1))

    def restore(self, span: Span) -> Span:
        """The span of the original for a span of the normalized text."""
        end = self.starts[span.end]
        return Span(self.starts[span.start], self.gaps.get(span.end, end) if span else end)


def normalize(text: str) -> Spaced:
    """Each run of white space and emoji becomes one space, or nothing at the ends and in scripts without spaces.

    An emoji says nothing about the grammar around it, and a model that has seen few of them ignores what follows.
    """
    return Spaced.unchanged(text) if _is_normal(text) else _normalize_runs(text)


_SPACED_MARK = re.compile(r"(?<=\w) (?=[.,;:!?](?:\s|$))")
_ATTACHED_MARK = re.compile(r"\w[.,;:!?](?:\s|$)")


def attaches_marks(text: str) -> bool:
    """Whether full stops, commas and the like follow a word without a space, and none follows a space, as in tokenized
    text: “He goes .” False if a text has no marks."""
    return _ATTACHED_MARK.search(text) is not None and _SPACED_MARK.search(text) is None


def join_marks(text: str) -> Spaced:
    """A text without the spaces before full stops, commas and the like."""
    removed = {match.start() for match in _SPACED_MARK.finditer(text)}
    if not removed:
        return Spaced.unchanged(text)
    starts = [index for index in range(len(text) + 1) if index not in removed]
    gaps = {index: start - 1 for index, start in enumerate(starts) if start - 1 in removed}
    return Spaced("".join(text[start] for start in starts[:-1]), starts, gaps)


def _is_normal(text: str) -> bool:
    """Whether a text stays as it is. False for some texts with special characters that would, too."""
    return " ".join(text.split()) == text and (text.isascii() or not _SPECIAL.search(text))


def _normalize_runs(text: str) -> Spaced:
    end = len(text.rstrip())
    start = first = end - len(text[:end].lstrip())
    kept: list[str] = []
    starts: list[range] = []
    gaps: dict[int, int] = {}
    hidden: list[Span] = []
    length = 0
    for run in (_RUN if text.isascii() else _RUN_WITH_EMOJI).finditer(text, start, end):
        has_emoji = not run.group().isspace()
        at_an_end = run.start() == first or run.end() == end
        joined = _UNSPACED.match(text, run.start() - 1) and _UNSPACED.match(text, run.end())
        spaced = not (at_an_end or joined or (has_emoji and _CLOSING.match(text, run.end())))
        if has_emoji:
            hidden.append(Span(*run.span()))
        kept.append(text[start : run.start()] + " " * spaced)
        starts.append(range(start, run.start() + spaced))
        length += len(kept[-1])
        if not spaced:
            gaps[length] = run.start()
        start = run.end()
    kept.append(text[start:end])
    starts.append(range(start, end + 1))
    places = starts[0] if len(starts) == 1 else list(chain.from_iterable(starts))
    return Spaced("".join(kept), places, gaps, hidden)
