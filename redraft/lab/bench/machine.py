"""Description of the machine of a measurement: processor, versions and date, without host name or paths."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from redraft.engines.cores import usable_cores

PACKAGES = ("redraft", "onnxruntime", "numpy", "tokenizers", "torch", "transformers", "ctranslate2")
_PROCESSORS = Path("/proc/cpuinfo")
_STATUS = Path("/proc/self/status")


def count_threads(threads: int) -> int:
    """The number of threads; 0 means one for each usable core."""
    return threads or usable_cores()


def describe(command: str, *more_packages: str) -> dict[str, Any]:
    """Command, date, processor, versions, and the load average before the measurement."""
    return {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "versions": {"python": platform.python_version(), **_versions((*PACKAGES, *more_packages))},
    }


def _processor() -> str:
    if _PROCESSORS.is_file():
        for line in _PROCESSORS.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def _versions(packages: Sequence[str]) -> dict[str, str]:
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def resident_megabytes() -> float:
    """Peak resident memory of this process.

    Read from /proc where possible: `ru_maxrss` of a new process begins with the value of its parent.
    """
    if _STATUS.is_file():
        rows = dict(line.split(":", 1) for line in _STATUS.read_text(encoding="ascii").splitlines())
        return round(int(rows["VmHWM"].split()[0]) / 1024, 1)
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 1024), 1)
