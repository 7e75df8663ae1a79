"""Compiles redraft/native when a wheel is made, or an editable installation.

Without a C compiler, or on a processor it was not written for, the package is made without it: the engine onnx does the
same work more slowly. CC and CFLAGS are those of the environment.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FLAGS = ("-O3", "-std=gnu11", "-fPIC", "-pthread", "-ffp-contract=off", "-fno-math-errno", "-Wall", "-Wextra")
VECTORS = ("-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vnni", "-mfma")
SOURCES = {"support.c": (), "network.c": VECTORS}
"""Each file with the instructions it may use."""


class NativeHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        folder = Path(self.root) / "redraft" / "native"
        library = folder / "libredraft.so"
        library.unlink(missing_ok=True)
        trouble = compile_library(folder, library)
        if trouble:
            self.app.display_warning(f"redraft is made without its native engine: {trouble}")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def compile_library(folder: Path, library: Path) -> str | None:
    """Why it could not be done; None if it was."""
    if platform.machine().lower() not in ("x86_64", "amd64") or sys.platform == "win32":
        return f"it is written for x86-64 and Unix, not for {platform.machine()} and {sys.platform}"
    compiler = shlex.split(os.environ.get("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        return f"there is no C compiler {compiler[0]!r}"
    more = shlex.split(os.environ.get("CFLAGS", ""))
    with tempfile.TemporaryDirectory() as place:
        objects = []
        for source, vectors in SOURCES.items():
            objects.append(f"{place}/{source}.o")
            trouble = _run([*compiler, *FLAGS, *vectors, *more, "-c", str(folder / source), "-o", objects[-1]])
            if trouble:
                return trouble
        return _run([*compiler, "-shared", "-pthread", *objects, "-lm", "-o", str(library)])


def _run(command: list[str]) -> str | None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return f"{shlex.join(command)} said: {done.stderr.strip()}" if done.returncode else None
