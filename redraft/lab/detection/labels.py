"""Where edits begin: what the heads learn to predict."""

from __future__ import annotations

from collections.abc import Sequence

from redraft.decode.follower import Follower
from redraft.decode.vocabulary import Vocabulary


def edit_starts(source: Sequence[int], target: Sequence[int], vocabulary: Vocabulary) -> list[int]:
    """The source positions where the target stops to copy the source; the length of the source stands for its end.

    They are the positions where a decoder that writes this target must not copy. Everywhere else it copies, or is
    within an edit.
    """
    follower = Follower(source, vocabulary)
    starts = []
    for token in (*target, vocabulary.eos):
        if follower.in_step and token != follower.expected(vocabulary.eos):
            starts.append(follower.position)
        if token != vocabulary.eos:
            follower.push(token)
    return starts
