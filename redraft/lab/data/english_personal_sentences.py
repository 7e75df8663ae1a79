"""Personal English sentences, as in letters and conversations, which are rare in encyclopedias and manuals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from redraft.lab.data.readers import Faults, read_sentences

PERSONAL = re.compile(r"\b(?:I|you|You|my|My|me|your|Your)\b|n't\b|\?[\"')]?$")
"""First and second person, contractions and questions."""
IMPERSONAL = ("acl_", "elife_", "github_", "k8s_", "mdn", "ms_", "scotus_")
"""Files of papers, manuals and court opinions, whose "I" and "you" are seldom those of a letter or a conversation."""


def is_personal(name: str, sentence: str) -> bool:
    """Whether a sentence of the file with this name has first or second person, a contraction or a question."""
    return PERSONAL.search(sentence) is not None and not name.startswith(IMPERSONAL)


def choose_personal(paths: Iterable[Path], held_out: frozenset[str], faults: Faults) -> Iterator[str]:
    """The personal sentences of the files, without those that are held out."""
    for path in paths:
        if path.name.startswith(IMPERSONAL):
            continue
        for sentence in read_sentences(path, faults):
            if is_personal(path.name, sentence) and sentence not in held_out:
                yield sentence
