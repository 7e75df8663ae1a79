"""Compiles redraft/engines/native when a wheel is built, or an editable installation.

Without a C compiler, or on a processor that the C code does not support, the package is built without it, and the
engine `onnx` is used. CC and CFLAGS are taken from the environment. REDRAFT_PURE=1 builds the wheel for any platform,
without compiled code.
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
VARIANTS: dict[str, dict[str, tuple[str, ...]]] = {
    "x86_64": {
        "avx512": ("-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vnni", "-mfma"),
        "avxvnni": ("-mavx2", "-mfma", "-DREDRAFT_VNNI"),
        "avx2": ("-mavx2", "-mfma"),
    },
    "aarch64": {"neon": ("-march=armv8.2-a+dotprod",)},
}
"""Instruction sets that network.c is compiled for. A compiler may be too old for one of them."""
OTHER_NAMES = {"amd64": "x86_64", "arm64": "aarch64"}


class NativeHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        folder = Path(self.root) / "redraft" / "engines" / "native"
        library = folder / "libredraft.so"
        library.unlink(missing_ok=True)
        if os.environ.get("REDRAFT_PURE") == "1":
            return
        failure = compile_library(folder, library)
        if failure:
            self.app.display_warning(f"redraft is built without its native engine: {failure}")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def compile_library(folder: Path, library: Path) -> str | None:
    """Compiles the library. Returns the reason if it cannot be done."""
    machine = platform.machine().lower()
    variants = VARIANTS.get(OTHER_NAMES.get(machine, machine))
    if variants is None or sys.platform == "win32":
        return f"the C code supports x86-64 and ARM on Unix, not {machine} on {sys.platform}"
    compiler = shlex.split(os.environ.get("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        return f"no C compiler {compiler[0]!r}"
    command = [*compiler, *FLAGS, *shlex.split(os.environ.get("CFLAGS", "")), "-c"]
    with tempfile.TemporaryDirectory() as place:
        objects, failures = [], []
        for variant, flags in variants.items():
            name = f"{place}/{variant}.o"
            failure = _run([*command, *flags, f"-DREDRAFT_VARIANT={variant}", str(folder / "network.c"), "-o", name])
            if failure:
                failures.append(failure)
            else:
                objects.append(name)
        if not objects:
            return failures[0]
        built = f" {' '.join(Path(name).stem for name in objects)} "
        support = f"{place}/support.o"
        return _run([*command, f'-DBUILT="{built}"', str(folder / "support.c"), "-o", support]) or _run(
            [*compiler, "-shared", "-pthread", support, *objects, "-lm", "-o", str(library)]
        )


def _run(command: list[str]) -> str | None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return f"{shlex.join(command)} failed: {done.stderr.strip()}" if done.returncode else None
