"""Draft policies: what the target might go on with. A wrong guess costs time, never a wrong word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from redraft.decode.follower import Follower, find_unique_suffix
from redraft.decode.vocabulary import Vocabulary
from redraft.errors import ConfigError


class Drafter(Protocol):
    """Drafts for one sentence. <eos> is never drafted: it comes as the model's own token, at no cost."""

    def propose(self, target: Sequence[int], follower: Follower) -> Sequence[int]:
        """A guess of what follows `target`; `follower` says where in the source it stands."""
        ...

    def observe(self, start: int, draft: Sequence[int], decided: Sequence[int]) -> None:
        """Called after each decoder call: `draft` was fed from target position `start` on, and greedy decoding writes
        decided[i] after draft[:i]."""
        ...


DraftPolicy = Callable[[Sequence[int], Vocabulary], Drafter]


class Greedy:
    """No draft: one token a call."""

    def __init__(self, source: Sequence[int], vocabulary: Vocabulary) -> None: ...

    def propose(self, target: Sequence[int], follower: Follower) -> Sequence[int]:
        return ()

    def observe(self, start: int, draft: Sequence[int], decided: Sequence[int]) -> None: ...


class Suffix(Greedy):
    """The paper's Algorithm 1: the source behind the shortest unique match of the target's end."""

    def __init__(self, source: Sequence[int], vocabulary: Vocabulary) -> None:
        self._source = source

    def propose(self, target: Sequence[int], follower: Follower) -> Sequence[int]:
        match = find_unique_suffix(self._source, target)
        return () if match is None else self._source[match + 1 :]


class Realign(Suffix):
    """The source from where the follower has come to: a draft in every round."""

    def propose(self, target: Sequence[int], follower: Follower) -> Sequence[int]:
        return self._source[follower.position :]


class Refine(Suffix):
    """Like realign, and with the corrections the model has already asked for.

    A pass over a draft predicts a token at *every* position, also behind the first disagreement. Those predictions are
    not the answer, since they were made behind a wrong token, but they are a good guess: they go into the next draft.
    """

    def __init__(self, source: Sequence[int], vocabulary: Vocabulary) -> None:
        super().__init__(source, vocabulary)
        self._eos = vocabulary.eos
        self._bos = vocabulary.bos
        self._wishes: dict[tuple[int, int], int] = {}
        """(token before, source position) → what the model wrote there in place of the source."""
        self._expected: list[int] = []
        """For each token of the last draft, the source position that was expected there; one more for what follows."""

    def propose(self, target: Sequence[int], follower: Follower) -> Sequence[int]:
        walker = follower.copy()
        draft: list[int] = []
        self._expected = [walker.position]
        before = target[-1] if target else self._bos
        used: set[tuple[int, int]] = set()
        while True:
            place = (before, walker.position)
            end = walker.position >= len(self._source)
            if place in self._wishes and place not in used:
                used.add(place)
                before = self._wishes[place]
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
                self._wishes[before, position] = decided[index + 1]
            else:
                self._wishes.pop((before, position), None)


POLICIES: Mapping[str, DraftPolicy] = {"none": Greedy, "suffix": Suffix, "realign": Realign, "refine": Refine}


def find_policy(name: str) -> DraftPolicy:
    if name not in POLICIES:
        raise ConfigError(f"no draft policy is called {name!r}; there are {', '.join(POLICIES)}")
    return POLICIES[name]
