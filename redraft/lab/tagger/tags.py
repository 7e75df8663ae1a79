"""Tags: one for each word of a sentence and one for its start, each an instruction that changes its word.

A tag changes the word, the space before it, or what follows it. What one pass of tags cannot express, the next pass
does: the tags of a pair are those of its first pass, and applying them brings the source closer to the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from redraft.lab.tagger.alignment import align
from redraft.lab.tagger.forms import FormTable
from redraft.lab.tagger.words import bare, join_words, split_words

LONGEST_PHRASE = 3
"""Most words that one tag writes."""


class Action(StrEnum):
    KEEP = "KEEP"
    DELETE = "DELETE"
    OTHER = "OTHER"
    """An error that no tag of the vocabulary corrects; nothing is changed."""
    REPLACE = "REPLACE"
    """Write other words instead. In lower case they take on the case of the word that they replace."""
    APPEND = "APPEND"
    """Write words after this one, with or without a space between."""
    JOIN = "JOIN"
    """Remove the space before the word."""
    SPACE = "SPACE"
    """Write a space before the word."""
    SPLIT = "SPLIT"
    """Write a space after this number of characters."""
    CAPITALIZE = "CAPITALIZE"
    LOWER = "LOWER"
    UPPER = "UPPER"
    FORM = "FORM"
    """Another form of the word: plural, past, comparative and so on."""


@dataclass(frozen=True, slots=True)
class Tag:
    action: Action
    text: str = ""

    def __str__(self) -> str:
        """The tag as it is stored: the action and, behind a space, its text, which may begin with a space."""
        return f"{self.action} {self.text}" if self.text else str(self.action)

    @classmethod
    def parse(cls, text: str) -> Tag:
        """Raises ValueError if the text is no tag."""
        action, _, rest = text.partition(" ")
        tag = cls(Action(action), rest)
        has_text = tag.action in {Action.REPLACE, Action.APPEND, Action.SPLIT, Action.FORM}
        if has_text != bool(rest) or (tag.action is Action.SPLIT and not rest.isdecimal()):
            raise ValueError(f"{text!r} is no tag")
        return tag


KEEP, DELETE, OTHER = Tag(Action.KEEP), Tag(Action.DELETE), Tag(Action.OTHER)
Choose = Callable[[Sequence[Tag]], Tag]
"""Chooses among tags that bring a word closer to its target, the best first."""


def choose_first(candidates: Sequence[Tag]) -> Tag:
    """The choice with an unlimited vocabulary."""
    return candidates[0]


def render(tag: Tag, word: str, forms: FormTable) -> str:
    """What a word becomes. A tag that does not fit the word leaves it as it is."""
    text = bare(word)
    space = word[: len(word) - len(text)]
    if tag.action is Action.FORM:
        return space + match_case(forms.find(text.lower(), tag.text) or text, text)
    return _RENDERERS[tag.action](space, text, tag.text)


def _split(space: str, text: str, count: str) -> str:
    cut = int(count)
    return f"{space}{text[:cut]} {text[cut:]}" if cut < len(text) else space + text


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def match_case(text: str, model: str) -> str:
    """A lower-case text in the case of the word that it replaces; any other text as it is."""
    if not model[:1].isupper() or text != text.lower():
        return text
    return text.upper() if len(model) > 1 and model.isupper() else _capitalize(text)


_CASES: Mapping[Action, Callable[[str], str]] = {
    Action.CAPITALIZE: _capitalize,
    Action.LOWER: str.lower,
    Action.UPPER: str.upper,
}
_RENDERERS: Mapping[Action, Callable[[str, str, str], str]] = {
    Action.KEEP: lambda space, text, _: space + text,
    Action.OTHER: lambda space, text, _: space + text,
    Action.DELETE: lambda _space, _text, _: "",
    Action.REPLACE: lambda space, text, new: space + match_case(new, text),
    Action.APPEND: lambda space, text, new: space + text + new,
    Action.JOIN: lambda _, text, __: text,
    Action.SPACE: lambda _, text, __: f" {text}",
    Action.SPLIT: _split,
    Action.CAPITALIZE: lambda space, text, _: space + _capitalize(text),
    Action.LOWER: lambda space, text, _: space + text.lower(),
    Action.UPPER: lambda space, text, _: space + text.upper(),
}
"""What becomes of the space before a word, the word and the text of the tag."""


def apply_tags(words: Sequence[str], tags: Sequence[Tag], forms: FormTable) -> str:
    """The text that the tags make: the first is for the start of the sentence, the others are for the words."""
    first, *others = tags
    head = first.text if first.action is Action.APPEND else ""
    return join_words([head, *(render(tag, word, forms) for tag, word in zip(others, words, strict=True))])


def find_tags(source: str, target: str, forms: FormTable, choose: Choose = choose_first) -> list[Tag]:
    """The tags of the first pass from a source to its target: for the start of the sentence, then for each word."""
    words, wanted = split_words(source), split_words(target)
    tags = [KEEP] * (len(words) + 1)
    inserted: dict[int, list[str]] = {}
    for step in align(words, wanted):
        new = wanted[step.target_start : step.target_end]
        if step.start == step.end:
            inserted.setdefault(step.start, []).extend(new)
        elif not new:
            tags[step.end] = choose([DELETE])
        elif step.end - step.start > 1:
            joined = choose([Tag(Action.JOIN)])
            tags[step.start + 2 : step.end + 1] = [joined] * (step.end - step.start - 1)
        else:
            tags[step.end] = choose(list(_list_changes(words[step.start], new, forms)))
    for place, new in inserted.items():
        kept = next(before for before in range(place, -1, -1) if tags[before] != DELETE)
        if tags[kept] == KEEP:  # otherwise the insertion waits for the next pass
            tags[kept] = choose(list(_list_insertions(new)))
    return tags


def _list_changes(word: str, new: Sequence[str], forms: FormTable) -> Iterator[Tag]:
    """Tags that turn a word into new words, then those that make a part of the change. There is always one."""
    text, phrase = bare(word), "".join(new)
    if len(new) > 1:
        if phrase.replace(" ", "") == text and phrase.count(" ", 1) == 1:
            yield Tag(Action.SPLIT, str(phrase.index(" ", 1) - 1))
        if len(new) <= LONGEST_PHRASE:
            yield _replacement(bare(phrase), text)
    new_text = bare(new[0])
    if text == new_text:
        if len(new) > 1:
            yield from _list_insertions(new[1:])
        else:
            yield Tag(Action.SPACE if word == text else Action.JOIN)
        return
    for form in forms.list_forms(text.lower()):
        tag = Tag(Action.FORM, form)
        if bare(render(tag, word, forms)) == new_text:
            yield tag
    yield from (Tag(case) for case, change in _CASES.items() if change(text) == new_text)
    yield _replacement(new_text, text)


def _replacement(new: str, old: str) -> Tag:
    """In lower case where the case of the old word gives that of the new one."""
    lower = new.lower()
    return Tag(Action.REPLACE, lower if match_case(lower, old) == new else new)


def _list_insertions(new: Sequence[str]) -> Iterator[Tag]:
    for size in range(min(len(new), LONGEST_PHRASE), 0, -1):
        yield Tag(Action.APPEND, "".join(new[:size]))


def list_candidates(source: str, target: str, forms: FormTable) -> list[Tag]:
    """Every tag but KEEP that the first pass from a source to its target may use."""
    found: list[Tag] = []

    def note(candidates: Sequence[Tag]) -> Tag:
        found.extend(candidates)
        return candidates[0]

    find_tags(source, target, forms, note)
    return found


def list_passes(source: str, target: str, forms: FormTable, choose: Choose = choose_first) -> Iterator[str]:
    """The text after each pass, to the target, or to where no tag brings it closer."""
    text = source
    while True:
        after = apply_tags(split_words(text), find_tags(text, target, forms, choose), forms)
        if after == text:
            return
        text = after
        yield text


def after_passes(source: str, target: str, forms: FormTable, choose: Choose, most: int) -> str:
    """The text after at most this number of passes."""
    text = source
    for text in islice(list_passes(source, target, forms, choose), most):  # noqa: B007
        pass
    return text
