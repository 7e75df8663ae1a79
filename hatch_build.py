"""Compiles redraft/engines/native when a wheel is made, or an editable installation.

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
VARIANTS = {
    "x86_64": {
        "avx512": ("-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vnni", "-mfma"),
        "avxvnni": ("-mavx2", "-mfma", "-DREDRAFT_VNNI"),
        "avx2": ("-mavx2", "-mfma"),
    },
    "aarch64": {"neon": ("-march=armv8.2-a+dotprod",)},
}
"""The kinds of processors that network.c is compiled for. A compiler may be too old for one of them."""
OTHER_NAMES = {"amd64": "x86_64", "arm64": "aarch64"}


class NativeHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        folder = Path(self.root) / "redraft" / "engines" / "native"
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
    machine = platform.machine().lower()
    variants = VARIANTS.get(OTHER_NAMES.get(machine, machine))
    if variants is None or sys.platform == "win32":
        return f"it is written for x86-64, ARM and Unix, not for {machine} and {sys.platform}"
    compiler = shlex.split(os.environ.get("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        return f"there is no C compiler {compiler[0]!r}"
    command = [*compiler, *FLAGS, *shlex.split(os.environ.get("CFLAGS", "")), "-c"]
    with tempfile.TemporaryDirectory() as place:
        objects, troubles = [], []
        for variant, flags in variants.items():
            name = f"{place}/{variant}.o"
            trouble = _run([*command, *flags, f"-DREDRAFT_VARIANT={variant}", str(folder / "network.c"), "-o", name])
            if trouble:
                troubles.append(trouble)
            else:
                objects.append(name)
        if not objects:
            return troubles[0]
        built = f" {' '.join(Path(name).stem for name in objects)} "
        support = f"{place}/support.o"
        return _run([*command, f'-DBUILT="{built}"', str(folder / "support.c"), "-o", support]) or _run(
            [*compiler, "-shared", "-pthread", support, *objects, "-lm", "-o", str(library)]
        )


def _run(command: list[str]) -> str | None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return f"{shlex.join(command)} said: {done.stderr.strip()}" if done.returncode else None
