"""`Rounds.accept` in one kernel: a program for each row.

In plain torch it is 160 launches on small tensors, which take longer than the decoder's layers. Functions that triton
compiles have no type annotations, because it rejects names that it does not know.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from redraft.decode.follower import MAX_DISTANCE, MAX_SKIP
from redraft.engines.cuda.bulk.rounds import PackedFeed, Rounds


class FusedRounds(Rounds):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._starts_word = settings["table"].starts_word.to(torch.int32)

    def accept(self, feed: PackedFeed, predicted: Tensor, log_probabilities: Tensor) -> None:
        followers, packing = self.followers, feed.packing
        words, tokens = followers.words, followers.tokens
        _accept[(self.rows,)](
            *(predicted, log_probabilities, packing.counts, packing.offsets, self.limits),
            *(followers.source, followers.lengths, followers.position, followers.edit_start, followers.before_jump),
            *(words.behind, words.length, words.first, words.second),
            *(self._starts_word, tokens.folded, tokens.core, tokens.first, tokens.second),
            *(self.target, self.log_probabilities, self.origins, self.written, self.limit, self.last),
            *(self.done, self.finished, followers.source.stride(0), self.target.stride(0), self._eos),
            SKIP=MAX_SKIP,
            DISTANCE=MAX_DISTANCE,
            BLOCK=triton.next_power_of_2(self.target.shape[1]),
        )


@triton.jit  # type: ignore[untyped-decorator]
def _accept(  # type: ignore[no-untyped-def]  # noqa: PLR0915
    predicted,
    predicted_log,
    counts,
    offsets,
    needed,
    source,
    lengths,
    positions,
    edit_starts,
    jumps,
    word_behind,
    word_length,
    word_first,
    word_second,
    starts_word,
    folded,
    core,
    first,
    second,
    target,
    log_probabilities,
    origins,
    written,
    limits,
    lasts,
    done,
    finished,
    source_row,
    target_row,
    eos,
    SKIP: tl.constexpr,
    DISTANCE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The steps of `Rounds.accept` and `Followers.push`, in their order. What this program stores it does not load
    again: another of its threads may not have stored it yet."""
    row = tl.program_id(0)
    count = tl.load(counts + row)
    if count > 0:
        place = tl.arange(0, BLOCK)
        line = source + row * source_row
        words = row * source_row
        length = tl.load(lengths + row)
        position = tl.load(positions + row)
        edit = tl.load(edit_starts + row)
        jump = tl.load(jumps + row)
        before = tl.load(written + row)

        # Decisions along the draft, and how much of it is accepted.
        fed = place < count
        offset = tl.load(offsets + row)
        reached = position + place
        inside = reached < length
        following = tl.load(line + reached, mask=fed & inside, other=0)
        copy = tl.where(inside, following, eos)
        token_after = tl.load(predicted + offset + place, mask=fed, other=0).to(tl.int64)
        log_after = tl.load(predicted_log + offset + place, mask=fed, other=0.0)
        copies_before = (place > 0) | (edit == -1)
        least = tl.load(needed + words + reached, mask=fed & (reached <= length), other=0.0)
        least = tl.where(copies_before, least, tl.load(needed + words + length))
        begins_edit = copies_before | (token_after == eos)
        decided = tl.where((log_after < least) & begins_edit, copy, token_after)
        agrees = (place + 1 < count) & (decided == following)
        agreed = tl.min(tl.where(agrees, BLOCK, place), axis=0)
        kept = row * target_row + before + place
        tl.store(target + kept, following, mask=place < agreed)
        tl.store(log_probabilities + kept, log_after, mask=place < agreed)
        tl.store(origins + kept, tl.full((BLOCK,), -1, tl.int64), mask=place < agreed)
        token = tl.sum(tl.where(place == agreed, decided, 0), axis=0)
        log_probability = tl.sum(tl.where(place == agreed, log_after, 0.0), axis=0)

        # The model's own token.
        position += agreed
        edit = tl.where(agreed > 0, -1, edit)
        jump = tl.where(agreed > 0, -1, jump)
        here = before + agreed
        in_step = edit == -1
        ends = token == eos
        too_long = (here == tl.load(limits + row)) & (token != eos)
        expected = tl.load(line + position, mask=position < length, other=-1)
        copied = token == tl.where(position < length, expected, eos)
        # An edit is under way only where no copy was accepted, so the origin before is one from an earlier round.
        under_way = tl.load(origins + row * target_row + here - 1, mask=(agreed == 0) & (here > 0), other=-1)
        origin = tl.where(in_step | ends, here, under_way)
        slot = row * target_row + here
        writes = too_long == 0
        tl.store(target + slot, token, mask=writes)
        tl.store(log_probabilities + slot, log_probability, mask=writes)
        tl.store(origins + slot, tl.where(copied, -1, origin), mask=writes)
        goes_on = writes & (token != eos)

        # The follower.
        jumped = jump != -1
        confirmed = jumped & (token == expected)
        origin_place = tl.where(jumped & (confirmed == 0), jump, position)
        start = tl.where(in_step, origin_place, edit)
        end = tl.minimum(origin_place + SKIP, length)
        at_place = tl.load(line + origin_place, mask=origin_place < length, other=-1)
        is_here = at_place == token
        known = place < length
        tokens = tl.load(line + place, mask=known, other=-1)
        candidates = tl.where(known & (tokens == token) & goes_on & (is_here == 0), 1, 0)
        number = tl.sum(candidates, axis=0)
        back = 1
        while number > 1:
            earlier = tl.load(line + place - back, mask=known & (place >= back), other=-1)
            from_copies = tl.load(line + position - back, mask=back <= agreed, other=-2)
            older = (back > agreed) & (back <= here)
            from_target = tl.load(target + row * target_row + here - back, mask=older, other=-2)
            earlier_target = tl.where(back <= agreed, from_copies, from_target)
            both_begin = (place == back - 1) & (here == back - 1)
            candidates = tl.where((earlier == earlier_target) | both_begin, candidates, 0)
            number = tl.sum(candidates, axis=0)
            back += 1
        unique = tl.where(number == 1, tl.min(tl.where(candidates > 0, place, BLOCK), axis=0), -1)
        copied_before = tl.load(line + position - 1, mask=agreed > 0, other=-2)
        written_before = tl.load(target + slot - 1, mask=(agreed == 0) & (here > 0), other=-2)
        previous = tl.where(agreed > 0, copied_before, written_before)
        matches = tl.load(line + unique - 1, mask=unique >= 1, other=-3) == previous
        distance = tl.where(unique > origin_place, unique - origin_place, origin_place - unique)
        unique_fits = (unique != -1) & ((distance <= DISTANCE) | matches)
        nearby = (place >= start) & (place < end)
        same = tl.min(tl.where(nearby & (tokens == token), place, BLOCK), axis=0)
        folds = tl.load(folded + tokens, mask=known, other=-1)
        alike = tl.min(tl.where(nearby & (folds == tl.load(folded + token)), place, BLOCK), axis=0)
        near_match = tl.where(same < BLOCK, same, tl.where(alike < BLOCK, alike, -1))
        found = tl.where(unique_fits, unique, near_match)
        found = tl.where(is_here, origin_place, found)
        missing = found == -1
        near = (found >= start) & (found < end)
        steps_over = in_step | (tl.load(starts_word + token) != 0)
        size = tl.load(core + token)
        unlike = tl.load(first + token) != tl.load(word_first + words + origin_place)
        unlike = unlike | (tl.load(second + token) != tl.load(word_second + words + origin_place))
        insertion = (size <= 4) & (size + 1 < tl.load(word_length + words + origin_place)) & unlike
        behind = tl.load(word_behind + words + origin_place)
        stepped = tl.where(steps_over & (insertion == 0), behind, origin_place)
        moved = tl.where(missing, stepped, found + 1)
        moved = tl.where(confirmed, position + 1, moved)
        new_edit = tl.where(missing, tl.where(steps_over, start, edit), tl.where(near, -1, start))
        new_edit = tl.where(confirmed, -1, new_edit)
        new_jump = tl.where(missing | near | confirmed, -1, origin_place)

        tl.store(positions + row, tl.where(goes_on, moved, position))
        tl.store(edit_starts + row, tl.where(goes_on, new_edit, edit))
        tl.store(jumps + row, tl.where(goes_on, new_jump, jump))
        tl.store(written + row, here + tl.where(goes_on, 1, 0))
        tl.store(lasts + row, token, mask=goes_on)
        tl.store(finished + row, writes & ends)
        tl.store(done + row, too_long | ends)
