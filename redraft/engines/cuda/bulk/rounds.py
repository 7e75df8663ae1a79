"""The rounds of `decode.loop` for a whole batch: drafts, decisions, acceptance and re-alignment as operations on rows.

The draft is that of the policy `realign`: the rest of the source from the position that the target has reached. So all
accepted tokens of a draft are copies, along which follower and confidences are known without a loop; what remains is
one token of each row and round, the model's own.

All shapes are fixed and nothing waits for the host, so that a round can be captured in a CUDA graph. There is a spare
row behind the others, which padding reads and writes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from redraft.engines.cuda.bulk.followers import NONE, Followers
from redraft.engines.cuda.bulk.packing import Packing
from redraft.engines.cuda.bulk.sentences import round_up
from redraft.engines.cuda.bulk.token_table import TokenTable


@dataclass(frozen=True, slots=True)
class PackedFeed:
    """Tokens for one decoder call."""

    packing: Packing
    ids: Tensor  # (P,)
    positions: Tensor  # (P,), in the target
    starts: Tensor  # (rows,), the position of each row's first token
    keys: Tensor  # (P,), the number of each token's sentence


class Rounds:
    """The state of all rows. `rows` sentences are decoded at a time, `tokens` tokens in a decoder call."""

    def __init__(
        self,
        *,
        rows: int,
        tokens: int,
        max_tokens: int,
        bos: int,
        eos: int,
        threshold: float,
        table: TokenTable,
    ) -> None:
        if tokens < rows:
            raise ValueError(f"a call of {tokens} tokens has no place for {rows} rows")
        self.rows, self.tokens = rows, tokens
        self._max_tokens, self._bos, self._eos = max_tokens, bos, eos
        least = np.array([math.log(threshold) if threshold else -math.inf])
        self._least = float(round_up(least)[0])
        device = table.folded.device
        self.followers = Followers(rows + 1, max_tokens + 1, table)
        whole = torch.zeros(rows + 1, dtype=torch.int64, device=device)
        self.written, self.limit, self.last = (whole.clone() for _ in range(3))
        """Length of the target so far, the longest allowed, and the last token."""
        self.keys = whole.clone()
        """Number of each row's sentence: the noise of a sample depends on it."""
        self.limits = torch.zeros(self.followers.source.shape, dtype=torch.float32, device=device)
        """For each source token and <eos>, the least log-probability of the first token of an edit there."""
        self.done = torch.ones(rows + 1, dtype=torch.bool, device=device)
        """True for rows that are finished or empty."""
        self.finished = torch.zeros_like(self.done)
        # Two more columns than the longest target: for <eos>, and for what is not to be kept.
        self.target = torch.zeros(rows + 1, max_tokens + 2, dtype=torch.int64, device=device)
        self.log_probabilities = torch.zeros(rows + 1, max_tokens + 2, dtype=torch.float32, device=device)
        self.origins = torch.full_like(self.target, NONE)
        """For each target token the index of the one whose probability is its confidence; NONE for a copy."""

    def begin(self, rows: Tensor, packing: Packing, ids: Tensor, keys: Tensor, limits: Tensor) -> None:
        """Puts new sources into rows: packed ids and limits (P,), each source with <eos>. The threshold counts where it
        is higher than a limit. A count of 0 goes to the spare row."""
        width = self.followers.source.shape[1]
        lengths = (packing.counts - 1).clamp(min=0)
        place = torch.arange(width, device=ids.device)
        source = torch.where(place < lengths[:, None], packing.unpack(ids, width), 0)
        self.followers.begin(rows, source, lengths)
        self.written.index_fill_(0, rows, 0)
        self.limit.index_copy_(0, rows, (2 * lengths + 16).clamp(max=self._max_tokens - 1))
        self.last.index_fill_(0, rows, self._bos)
        self.keys.index_copy_(0, rows, keys)
        self.limits.index_copy_(0, rows, packing.unpack(limits.clamp(min=self._least), width))
        self.done.index_copy_(0, rows, packing.counts == 0)
        self.finished.index_fill_(0, rows, False)

    def draft(self) -> PackedFeed:
        """The last token of each unfinished row and the rest of its source, as far as there is place in the call."""
        followers, rows = self.followers, self.rows
        active = ~self.done[:rows]
        rest = (followers.lengths - followers.position).minimum(self.limit - self.written)[:rows]
        rest = torch.where(active, rest.clamp(min=0), 0)
        before = rest.cumsum(0) - rest
        drafts = rest.minimum((self.tokens - rows - before).clamp(min=0))
        packing = Packing.build(torch.where(active, drafts + 1, 0), self.tokens)
        row, index = packing.sentence, packing.index
        copied = followers.source[row, (followers.position[row] + index - 1).clamp(min=0)]
        ids = torch.where(index == 0, self.last[row], copied)
        return PackedFeed(packing, ids, self.written[row] + index, self.written[:rows], self.keys[row])

    def accept(self, feed: PackedFeed, predicted: Tensor, log_probabilities: Tensor) -> None:
        """Accepts what greedy decoding writes: predictions after each token of the feed, (P,) each."""
        followers, packing = self.followers, feed.packing
        row, index = packing.sentence, packing.index
        # The source token that a copy goes on with after each token of the feed.
        reached = followers.position[row] + index
        inside = reached < followers.lengths[row]
        place = reached.clamp(max=followers.source.shape[1] - 1)
        following = followers.source[row, place]
        copy = torch.where(inside, following, self._eos)
        in_step = (index > 0) | followers.in_step[row]
        needed = torch.where(in_step, self.limits[row, place], self.limits[row, followers.lengths[row]])
        begins_edit = in_step | (predicted == self._eos)
        decided = torch.where((log_probabilities < needed) & begins_edit, copy, predicted)

        in_draft = index + 1 < self._per_row(packing.counts)[row]
        disagrees = torch.where(in_draft & (decided == following), self.tokens, index)
        agreed = torch.full_like(self.written, self.tokens).scatter_reduce_(0, row, disagrees, "amin")
        agreed = torch.where(self.done, 0, agreed)
        accepted = index < agreed[row]
        spare = self.target.shape[1] - 1
        place = torch.where(accepted, self.written[row] + index, spare)
        self.target.index_put_((row, place), following)
        self.log_probabilities.index_put_((row, place), log_probabilities)
        self.origins.index_put_((row, place), torch.full_like(following, NONE))
        followers.push_copies(agreed)
        self.written.add_(agreed)

        own = (self._per_row(packing.offsets) + agreed).clamp(max=self.tokens - 1)
        self._write(decided[own], log_probabilities[own])

    def _write(self, token: Tensor, log_probability: Tensor) -> None:
        """Writes one token to each unfinished row, or ends it."""
        followers, active = self.followers, ~self.done
        ends = token == self._eos
        too_long = active & (self.written == self.limit) & ~ends
        writes = active & ~too_long
        here = self.written[:, None]
        before = self.origins.gather(1, (here - 1).clamp(min=0))
        origin = torch.where(followers.in_step | ends, self.written, before.squeeze(1))
        origin = torch.where(token == followers.expected(self._eos), NONE, origin)
        place = torch.where(writes[:, None], here, self.target.shape[1] - 1)
        self.target.scatter_(1, place, token[:, None])
        self.log_probabilities.scatter_(1, place, log_probability[:, None])
        self.origins.scatter_(1, place, origin[:, None])
        goes_on = writes & ~ends
        followers.push(token, self.target, self.written, goes_on)
        self.written.add_(goes_on)
        self.last.copy_(torch.where(goes_on, token, self.last))
        self.finished |= writes & ends
        self.done |= too_long | (writes & ends)

    def _per_row(self, values: Tensor) -> Tensor:
        """Values of all rows but the spare one, with a 0 for it."""
        return torch.cat((values, values.new_zeros(1)))
