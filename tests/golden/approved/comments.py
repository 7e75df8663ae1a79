"""Reads a log file and count the errors in it."""

import re

PATTERN = re.compile(r"ERROR (?P<code>\d+)")


def count_errors(path):
    """Returns how many errors there are in the file at `path`."""
    total = 0
    with open(path) as lines:
        for line in lines:
            # A line can contain more than one error.
            total += len(PATTERN.findall(line))
    return total  # zero if the file doesn't have any errors
