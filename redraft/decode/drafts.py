"""Draft policies: guesses of the next target tokens. A wrong guess costs time and never changes the output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from redraft.decode.follower import Follower, find_unique_suffix
from redraft.decode.vocabulary import Vocabulary
from redraft.errors import ConfigError


class Drafter(Protocol):
    """Drafts for one sentence. <eos> is never drafted: the call that accepts the last token also predicts it."""

    def propose(self, target: Sequence[int], follower: Follower) -> Sequence[int]:
        """A guess of what follows `target`; `follower` has its position in the source."""
        ...

    def observe(self, start: int, draft: Sequence[int], decided: Sequence[int]) -> None:
        """Called after each decoder call: `draft` was fed from target position `start` on, and greedy decoding writes
        decided[i] after draft[:i]."""
        ...


DraftPolicy = Callable[[Sequence[int], Vocabulary], Drafter]


class Greedy:
    """No draft: each decoder call gives one token."""

    def __init__(self, source: Sequence[int], vocabulary: Vocabulary) -> None: ...

    def propose(self, target: Sequence[int], follower: Follower) -> Sequence[int]:
        return ()

    def observe(self, start: int, draft: Sequence[int], decided: Sequence[int]) -> None: ...


class Suffix(Greedy):
    """The paper's Algorithm 1: the source after the shortest unique match of the target's end."""

    def __init__(self, source: Sequence[int], vocabulary: Vocabulary) -> None:
        self._source = source

    def propose(self, target: Sequence[int], follower: Follower) -> Sequence[int]:
        match = find_unique_suffix(self._source, target)
        return () if match is None else self._source[match + 1 :]


class Realign(Suffix):
    """The source from the follower's position on: a draft in every round."""

    def propose(self, target: Sequence[int], follower: Follower) -> Sequence[int]:
        return self._source[follower.position :]


class Refine(Suffix):
    """Like realign, with the corrections that the model has already predicted.

    A pass over a draft predicts a token at *every* position, also after the first rejected token. Those predictions are
    not final, since they follow a wrong token, but they are a good guess for the next draft.
    """

    def __init__(self, source: Sequence[int], vocabulary: Vocabulary) -> None:
        super().__init__(source, vocabulary)
        self._eos = vocabulary.eos
        self._bos = vocabulary.bos
        self._replacements: dict[tuple[int, int], int] = {}
        """(token before, source position) → the token predicted there in place of the source token."""
        self._expected: list[int] = []
        """The source position before each token of the last draft, and the one after its last token."""

    def propose(self, target: Sequence[int], follower: Follower) -> Sequence[int]:
        walker = follower.copy()
        draft: list[int] = []
        self._expected = [walker.position]
        before = target[-1] if target else self._bos
        used: set[tuple[int, int]] = set()
        while True:
            place = (before, walker.position)
            end = walker.position >= len(self._source)
            if place in self._replacements and place not in used:
                used.add(place)
                before = self._replacements[place]
            elif end:
                return draft
            else:
                before = self._source[walker.position]
            if before == self._eos:
                return draft
            draft.append(before)
            walker.push(before)
            self._expected.append(walker.position)

    def observe(self, start: int, draft: Sequence[int], decided: Sequence[int]) -> None:
        source = self._source
        for index, before in enumerate(draft):
            position = self._expected[index + 1]
            expected = source[position] if position < len(source) else self._eos
            if decided[index + 1] != expected:
                self._replacements[before, position] = decided[index + 1]
            else:
                self._replacements.pop((before, position), None)


POLICIES: Mapping[str, DraftPolicy] = {"none": Greedy, "suffix": Suffix, "realign": Realign, "refine": Refine}


def find_policy(name: str) -> DraftPolicy:
    if name not in POLICIES:
        raise ConfigError(f"no draft policy is called {name!r}; choose one of {', '.join(POLICIES)}")
    return POLICIES[name]
