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


FOLDER, LIBRARY = "redraft/engines/native", "libredraft.so"


class NativeHook(BuildHookInterface[Any]):
    _built: Path | None = None
    """The folder of a library that goes into a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        if os.environ.get("REDRAFT_PURE") == "1":
            return
        folder = Path(self.root) / FOLDER
        # Only an editable installation uses the library of the checkout. A wheel gets one of its own.
        self._built = None if version == "editable" else Path(tempfile.mkdtemp())
        failure = compile_library(folder, (self._built or folder) / LIBRARY)
        if failure:
            self.app.display_warning(f"the native engine of redraft was not compiled: {failure}")
            return
        if self._built:
            build_data["force_include"][str(self._built / LIBRARY)] = f"{FOLDER}/{LIBRARY}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self._built:
            shutil.rmtree(self._built, ignore_errors=True)


def compile_library(folder: Path, library: Path) -> str | None:
    """Compiles the library. Returns the reason if it cannot be done; then an older library stays as it was."""
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
        support, linked = f"{place}/support.o", f"{place}/{LIBRARY}"
        failure = _run([*command, f'-DBUILT="{built}"', str(folder / "support.c"), "-o", support]) or _run(
            [*compiler, "-shared", "-pthread", support, *objects, "-lm", "-o", linked]
        )
        if not failure:
            # In one step: a process may be using the older library.
            new = library.with_name(f".{library.name}.{os.getpid()}")
            shutil.copy(linked, new)
            new.replace(library)
        return failure


def _run(command: list[str]) -> str | None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return f"{shlex.join(command)} failed: {done.stderr.strip()}" if done.returncode else None
