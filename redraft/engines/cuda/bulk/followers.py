"""`decode.follower.Follower` for all rows of a batch at once."""

from __future__ import annotations

import torch
from torch import Tensor

from redraft.decode.follower import MAX_DISTANCE, MAX_SKIP
from redraft.engines.cuda.bulk.token_table import TokenTable, WordTable

NONE = -1


class Followers:
    """The positions that the targets have reached in their sources: (rows,) each, NONE where the follower has None.

    Copies of the source are pushed many at a time, which is an addition; any other token of each row at once, which is
    the same sequence of rules as `Follower.push`.
    """

    def __init__(self, rows: int, positions: int, tokens: TokenTable) -> None:
        device = tokens.folded.device
        self.tokens = tokens
        self.source = torch.zeros(rows, positions, dtype=torch.int64, device=device)
        """Token ids; 0 behind the end of a source."""
        self.lengths = torch.zeros(rows, dtype=torch.int64, device=device)
        self.words = WordTable.zeros(rows, positions, device)
        self.position = torch.zeros_like(self.lengths)
        self.edit_start = torch.full_like(self.lengths, NONE)
        self.before_jump = torch.full_like(self.lengths, NONE)
        self._place = torch.arange(positions, device=device)

    def begin(self, rows: Tensor, source: Tensor, lengths: Tensor) -> None:
        """Puts new sources into some rows."""
        self.source.index_copy_(0, rows, source)
        self.lengths.index_copy_(0, rows, lengths)
        self.words.store(rows, WordTable.build(source, lengths, self.tokens))
        self.position.index_fill_(0, rows, 0)
        self.edit_start.index_fill_(0, rows, NONE)
        self.before_jump.index_fill_(0, rows, NONE)

    @property
    def in_step(self) -> Tensor:
        return self.edit_start == NONE

    def expected(self, at_end: int) -> Tensor:
        """The source token that a copy goes on with; `at_end` at the end of the source."""
        return torch.where(self.position < self.lengths, self._at(self.source, self.position), at_end)

    def push_copies(self, counts: Tensor) -> None:
        """Pushes the next counts[row] tokens of each source."""
        some = counts > 0
        self.position.add_(counts)
        self.edit_start.masked_fill_(some, NONE)
        self.before_jump.masked_fill_(some, NONE)

    def push(self, token: Tensor, target: Tensor, written: Tensor, active: Tensor) -> None:
        """Pushes a token to each active row; target[row, :written[row]] is what was pushed to it before."""
        jumped = self.before_jump != NONE
        confirmed = jumped & (token == self.expected(NONE))
        position = torch.where(jumped & ~confirmed, self.before_jump, self.position)
        start = torch.where(self.in_step, position, self.edit_start)
        end = (position + MAX_SKIP).minimum(self.lengths)
        found = self._find(token, position, start, end, target, written, active)
        missing, near = found == NONE, (found >= start) & (found < end)

        # A token that copies none of the source.
        counts = self.in_step | self.tokens.starts_word[token]
        replaces = counts & ~self._is_insertion(token, position)
        stepped = torch.where(replaces, self._at(self.words.behind, position), position)

        moved = torch.where(missing, stepped, found + 1)
        edit = torch.where(missing, torch.where(counts, start, self.edit_start), torch.where(near, NONE, start))
        jump = torch.where(missing | near, NONE, position)
        moved = torch.where(confirmed, self.position + 1, moved)
        self.position.copy_(torch.where(active, moved, self.position))
        self.edit_start.copy_(torch.where(active, edit.masked_fill(confirmed, NONE), self.edit_start))
        self.before_jump.copy_(torch.where(active, jump.masked_fill(confirmed, NONE), self.before_jump))

    def _find(
        self,
        token: Tensor,
        position: Tensor,
        start: Tensor,
        end: Tensor,
        target: Tensor,
        written: Tensor,
        active: Tensor,
    ) -> Tensor:
        """The index of the source token that each token copies, or NONE."""
        here = (position < self.lengths) & (self._at(self.source, position) == token)
        # Rows that need no search have no candidates.
        lengths = torch.where(active & ~here, self.lengths, 0)
        unique = find_unique(self.source, lengths, target, written, token)
        previous = self._at(target, (written - 1).clamp(min=0))
        matches = (unique >= 1) & (written >= 1) & (self._at(self.source, (unique - 1).clamp(min=0)) == previous)
        unique_fits = (unique != NONE) & (((unique - position).abs() <= MAX_DISTANCE) | matches)
        nearby = (self._place >= start[:, None]) & (self._place < end[:, None])
        same = self._first(nearby & (self.source == token[:, None]))
        folded = self.tokens.folded
        alike = self._first(nearby & (folded[self.source] == folded[token][:, None]))
        found = torch.where(unique_fits, unique, torch.where(same != NONE, same, alike))
        return torch.where(here, position, found)

    def _is_insertion(self, token: Tensor, position: Tensor) -> Tensor:
        length = self.tokens.core[token]
        differs = (self.tokens.first[token] != self._at(self.words.first, position)) | (
            self.tokens.second[token] != self._at(self.words.second, position)
        )
        return (length <= 4) & (length + 1 < self._at(self.words.length, position)) & differs

    def _first(self, flags: Tensor) -> Tensor:
        """The first true place of each row, or NONE."""
        size = flags.shape[1]
        places = torch.where(flags, self._place, size).amin(1)
        return places.masked_fill(places == size, NONE)

    @staticmethod
    def _at(table: Tensor, places: Tensor) -> Tensor:
        return table.gather(1, places[:, None]).squeeze(1)


def find_unique(source: Tensor, lengths: Tensor, target: Tensor, written: Tensor, token: Tensor) -> Tensor:
    """`decode.follower.find_unique_suffix` of each row: where the shortest suffix of target[:written] and token that
    occurs once in source[:lengths] ends in the source, or NONE."""
    place = torch.arange(source.shape[1], device=source.device).expand_as(source)
    ends = (place < lengths[:, None]) & (source == token[:, None])
    back = 1
    while bool((several := ends.sum(1) > 1).any()):
        before = target.gather(1, (written - back).clamp(min=0)[:, None])
        earlier = source.gather(1, (place - back).clamp(min=0))
        goes_on = (place >= back) & (earlier == before) & (written >= back)[:, None]
        # The start of the sentence counts as a token before the first, on both sides.
        both_begin = (place == back - 1) & (written == back - 1)[:, None]
        ends = torch.where(several[:, None], ends & (goes_on | both_begin), ends)
        back += 1
    first = torch.where(ends, place, source.shape[1]).amin(1)
    return first.masked_fill(~ends.any(1), NONE)
