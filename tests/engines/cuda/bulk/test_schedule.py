"""Which sentence is in which row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.engines.cuda.bulk.schedule import Group, Schedule
from redraft.engines.cuda.bulk.sentences import SourceSentences

EOS = 2


def schedule(lengths: list[int], rows: int = 4, encoder_tokens: int = 12, batch: int = 3) -> Schedule:
    """Sentences of these lengths; the tokens of sentence i are i + 3."""

    def batches() -> Iterator[SourceSentences]:
        for first in range(0, len(lengths), batch):
            sources = [[first + index + 3] * length for index, length in enumerate(lengths[first : first + batch])]
            yield SourceSentences.build(sources, EOS, first)

    return Schedule(batches(), rows=rows, encoder_tokens=encoder_tokens, max_tokens=11, eos=EOS)


def take(plan: Schedule, number: int) -> Group:
    group = plan.next_group(number)
    assert group is not None
    return group


def flags(*rows: int, size: int = 4) -> np.typing.NDArray[np.bool_]:
    done = np.zeros(size, dtype=bool)
    done[list(rows)] = True
    return done


@given(lengths=st.lists(st.integers(0, 11), max_size=20), rows=st.integers(1, 5), batch=st.integers(1, 4))
def test_every_sentence_gets_a_row_once_and_no_group_is_too_large(lengths, rows, batch):
    plan = schedule(lengths, rows, batch=batch)
    seen: list[int] = []
    for number in range(100):
        group = plan.next_group(number)
        if group is None:
            assert not plan.busy or seen
            break
        assert len(group.sentences.ids) <= 12
        for index, key in enumerate(group.sentences.keys.tolist()):
            part = group.sentences.part(index, index + 1)
            assert part.ids.tolist() == [key + 3] * lengths[key] + [EOS]
        seen += plan.collect(np.ones(rows, dtype=bool), number).keys.tolist()
    assert sorted(seen) == list(range(len(lengths)))
    assert not plan.busy


def test_a_group_waits_until_it_fills_an_encoder_call():
    plan = schedule([3] * 9)
    assert take(plan, 0).rows.tolist() == [0, 1, 2]
    assert plan.next_group(1) is None
    plan.collect(flags(1), 1)
    assert take(plan, 2).rows.tolist() == [1, 3]


def test_flags_from_before_a_row_got_its_sentence_do_not_finish_it():
    plan = schedule([3] * 6)
    take(plan, 0)
    assert plan.collect(flags(0, 1, 2), 0).keys.tolist() == [0, 1, 2]
    assert take(plan, 2).rows.tolist() == [0, 1, 2]
    assert plan.collect(flags(0, 1, 2), 1).keys.tolist() == []
    assert plan.collect(flags(0, 1, 2), 2).keys.tolist() == [3, 4, 5]


def test_wrong_sources_are_refused():
    with pytest.raises(ValueError, match="has 12 tokens"):
        schedule([12]).next_group(0)
