from __future__ import annotations

from redraft.lab.bench.timing import Timing, Turn, processor_ratio, ratio, take_turns


def test_methods_take_turns_and_the_first_one_changes():
    order: list[tuple[str, int]] = []

    def method(name):
        def work(number):
            order.append((name, number))
            return number

        return work

    steps: list[None] = []
    timings = take_turns({name: method(name) for name in "abc"}, 4, lambda: steps.append(None))
    assert order[:3] == [("a", 0), ("b", 0), ("c", 0)]  # to warm up
    assert [number for _, number in order[3:]] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [name for name, _ in order[3:]] == [*"abc", *"bca", *"cab", *"abc"]
    assert timings["b"].calls == [0, 1, 2, 3]
    assert len(steps) == 4


def test_some_sentences_may_be_chosen_and_repeated():
    assert take_turns({"a": lambda number: number}, [5, 7, 5])["a"].calls == [5, 7, 5]
    assert take_turns({"a": lambda number: number}, 0)["a"].to_mapping() == {"sentences": 0}


def test_slow_methods_are_timed_in_some_turns():
    timings = take_turns({"quick": lambda number: number, "slow": lambda number: 1}, 10, seldom=["slow"], every=5)
    assert list(timings["quick"].turns) == list(range(10))
    assert list(timings["slow"].turns) == [0, 5]
    assert timings["quick"].calls == list(range(10))


def test_a_turn_begun_before_the_time_limit_is_finished():
    timings = take_turns({"a": lambda number: 1, "b": lambda number: 1}, 9, seconds=0)
    assert [list(timing.turns) for timing in timings.values()] == [[0], [0]]


def make(*turns):
    return Timing(dict(enumerate(Turn(*turn) for turn in turns)))


def test_figures_are_of_the_turns_selected():
    figures = make((10.0, 1.0, 1), (20.0, 2.0, 2), (30.0, 3.0, 3)).select([0, 2]).to_mapping()
    assert (figures["sentences"], figures["mean"], figures["p50"], figures["calls"]) == (2, 20.0, 20.0, 2.0)
    assert figures["seconds"] == 0.04


def test_ratios_are_of_sums():
    slow, fast = make((30.0, 9.0, 1), (10.0, 3.0, 1)), make((5.0, 2.0, 1), (5.0, 2.0, 1))
    assert ratio(slow, fast) == 4.0
    assert processor_ratio(slow, fast) == 3.0


def test_ratios_are_over_the_turns_that_both_had():
    every = make((4.0, 1.0, 1), (100.0, 90.0, 1), (6.0, 2.0, 1))
    some = make((1.0, 1.0, 1), (50.0, 1.0, 1), (1.0, 2.0, 1)).select([0, 2])
    assert ratio(every, some) == 5.0
    assert processor_ratio(some, every) == 1.0
