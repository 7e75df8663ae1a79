"""For callers that no longer wait for an answer."""

from __future__ import annotations


class Stale(Exception):  # noqa: N818 - nothing went wrong
    """The caller no longer waits for the answer, or the text has changed."""


def never() -> bool:
    """For callers that always wait for the answer."""
    return False
