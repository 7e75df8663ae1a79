"""A corrector as a user has set it up: with a dictionary, and careful with bytes that are no text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from redraft.edits.edit import Edit, apply
from redraft.interfaces.files import BROKEN

if TYPE_CHECKING:
    from redraft.corrector import Correction, Corrector

_UNKNOWN = "\ufffd"


@dataclass(frozen=True, slots=True)
class Proofreader:
    corrector: Corrector
    dictionary: frozenset[str] = frozenset()

    def correct(self, text: str) -> Correction:
        return _spare_broken(self.corrector.correct(text, self.dictionary))

    def pipe(self, texts: Iterable[str]) -> Iterator[Correction]:
        return map(_spare_broken, self.corrector.pipe(texts, self.dictionary))


def _spare_broken(correction: Correction) -> Correction:
    """Leaves out edits that would replace a byte that is not UTF-8 by a guess."""
    if not BROKEN.search(correction.source):
        return correction
    edits = tuple(edit for edit in correction.edits if not _touches_broken(edit))
    return replace(correction, edits=edits, text=apply(correction.source, edits))


def _touches_broken(edit: Edit) -> bool:
    return bool(BROKEN.search(edit.source)) or (_UNKNOWN in edit.replacement and _UNKNOWN not in edit.source)
