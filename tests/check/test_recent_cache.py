from __future__ import annotations

from redraft.check.recent_cache import RecentCache


def test_the_entry_that_was_not_used_for_the_longest_time_goes_first() -> None:
    cache = RecentCache[str, int](2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)
    assert len(cache) == 2 and "a" in cache and "b" not in cache


def test_an_entry_that_is_written_again_is_recent() -> None:
    cache = RecentCache[str, int](2)
    for key, value in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
        cache.put(key, value)
    assert (cache.get("a"), cache.get("b")) == (3, None)


def test_a_cache_of_no_entries_keeps_nothing() -> None:
    cache = RecentCache[str, int](0)
    cache.put("a", 1)
    assert cache.get("a") is None and len(cache) == 0
