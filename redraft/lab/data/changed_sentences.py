"""Pairs of sentences that a commit changed, from passages of both versions of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from redraft.lab.data import light_markup
from redraft.lab.data.changed_passages import Passage
from redraft.text import markup, sentences
from redraft.text.marked import Block, Part, Role
from redraft.text.spacing import normalize
from redraft.text.span import Span

_SIMILAR = 0.5
"""Share of common words of two sentences that are versions of one."""
_CODE_MARKS = ("`", "<code>", "\\texttt{", "\\code{")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with single spaces, and its place in the block it was read from."""

    text: str
    span: Span
    block: Block

    def has_markup(self, span: Span) -> bool:
        """Whether the span of the text has a character that was read from markup, such as code."""
        place = normalize(self.span.of(self.block.text)).restore(span).shift(self.span.start)
        return any(map(self.block.is_markup, range(place.start, place.end)))


@dataclass(frozen=True, slots=True)
class SentencePair:
    old: Sentence
    new: Sentence


@dataclass(frozen=True, slots=True)
class Comparison:
    """The changed sentences of a passage: pairs, and the number of old ones without a similar new one."""

    pairs: list[SentencePair]
    rewritten: int


def is_rewritten(passage: Passage) -> bool:
    """Whether most words of a passage changed, which a glance at them shows. Reading its sentences takes far longer."""
    old, new = (Counter(text.split()) for text in (passage.old, passage.new))
    return (old & new).total() < _SIMILAR * max(old.total(), new.total())


def compare(passage: Passage) -> Comparison:
    """Pairs each sentence that is only in the old version with a similar one that is only in the new version."""
    if passage.old.split() == passage.new.split():  # only wrapped in another way
        return Comparison([], 0)
    old, new = (_read(text, passage.format) for text in (passage.old, passage.new))
    kept = Counter(sentence.text for sentence in new) & Counter(sentence.text for sentence in old)
    matcher = SequenceMatcher(None, [one.text for one in old], [one.text for one in new], autojunk=False)
    pairs: list[SentencePair] = []
    rewritten = 0
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag in ("equal", "insert"):
            continue
        # A sentence that both versions have was moved.
        before = [one for one in old[start:end] if one.text not in kept]
        after = [one for one in new[new_start:new_end] if one.text not in kept]
        found = list(_pair(before, after))
        pairs += found
        rewritten += len(before) - len(found)
    return Comparison(pairs, rewritten)


def _pair(old: Sequence[Sentence], new: Sequence[Sentence]) -> Iterator[SentencePair]:
    """Similar sentences of both sides, in order."""
    first = 0
    for sentence in old:
        words = Counter(sentence.text.split())
        for place in range(first, len(new)):
            others = Counter(new[place].text.split())
            if (words & others).total() >= _SIMILAR * max(words.total(), others.total()):
                yield SentencePair(sentence, new[place])
                first = place + 1
                break


def _read(text: str, format: str) -> list[Sentence]:
    found: list[Sentence] = []
    for block in _read_blocks(text, format):
        if block.role in (Role.TITLE, Role.CELL):
            continue
        for span in sentences.split(block.text, block.wrapped):
            found.append(Sentence(_space(span.of(block.text)), span, block))
    return found


def _space(text: str) -> str:
    """The text of `normalize`, without its offsets where they are not needed."""
    return " ".join(text.split()) if text.isascii() else normalize(text).text


def _read_blocks(text: str, format: str) -> Iterator[Block]:
    if format in ("rst", "asciidoc"):
        yield from light_markup.blocks(text, format)
        return
    for placed in markup.read(text, format).blocks:
        block = placed.block
        yield Block(tuple(map(_show_code, block.parts)), block.role, block.wrapped)


def _show_code(part: Part) -> Part:
    """Code as it is written: the reader of a format replaces it by a letter."""
    mark = next((mark for mark in _CODE_MARKS if part.shown and part.source.startswith(mark)), None)
    if mark is None:
        return part
    return Part(part.source, part.source[len(mark) :].strip("`}").removesuffix("</code>").strip() or part.shown)
