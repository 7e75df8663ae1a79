"""Commands that are run with `python -m`, on machines without the packages of the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable

from redraft.errors import RedraftError


def run_command(work: Callable[[], int]) -> int:
    """The exit code of `work`, or 2 after one line on standard error if its input is wrong."""
    try:
        return work()
    except RedraftError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2
