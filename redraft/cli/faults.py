"""Reports the lines of training data that could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redraft.terminal.output import remark

if TYPE_CHECKING:
    from redraft.lab.data.readers import Faults


def report_faults(faults: Faults) -> None:
    for line in faults.report().splitlines():
        remark(line)
