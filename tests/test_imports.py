"""Who may import whom: the rules of docs/ARCHITECTURE.md, read off the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "redraft"
MODULES = sorted(PACKAGE.rglob("*.py"))

CORE = {"text", "tokens", "model", "edits", "decode", "engines", "errors"}
MAY_IMPORT = {
    "errors": set(),
    "checksum": {"errors"},
    "settings_reader": {"errors"},
    "limited_file": {"errors"},
    "strict_json": {"limited_file", "errors"},
    "atomic_write": set(),
    "partial_output": {"atomic_write", "errors"},
    "fork_lock": set(),
    "process_pool": set(),
    "chunks": set(),
    "text": {"text", "errors"},
    "tokens": {"tokens", "strict_json", "errors"},
    "model": {"model", "atomic_write", "checksum", "settings_reader", "strict_json", "errors"},
    "edits": {"edits", "text", "errors"},
    "decode": {"decode", "errors"},
    "engines": {"engines", "decode", "model", "chunks", "fork_lock", "errors"},
    "check": {
        *(
            "check",
            "engines",
            "decode",
            "edits",
            "model.folder",
            "model.catalogue",
            "model.known_words",
            "text",
            "tokens",
        ),
        *("atomic_write", "chunks", "fork_lock", "limited_file", "errors"),
    },
    "json_text": set(),
    "terminal": {"terminal", "text", "errors"},
    "files": {
        "files.text_file",
        "files.gitignore",
        "files.glob_pattern",
        "files.journal",
        "text",
        "atomic_write",
        "limited_file",
        "errors",
    },
    "settings": {
        *("settings", "settings_reader", "check", "edits", "text", "limited_file", "errors"),
        *("files.text_file", "files.gitignore", "files.selection"),
    },
    "files.reviewer": {"files", "settings", "check", "terminal", "errors"},
    "files.sections": {"files", "check", "text"},
    "files.unchecked_count": {"files", "check", "terminal"},
    "files.settings_checksum": {"settings", "text"},
    "files.long_output": {"files", "check", "atomic_write", "checksum", "partial_output", "text", "errors"},
    "files.saver": {"files", "settings", "terminal", "checksum", "errors"},
    "files.corrected_files": {"files", "checksum", "errors"},
    "files.bulk": {"files", "settings", "check", "terminal", "edits", "text", "errors"},
    "files.cluster": {"files", "settings", "check", "terminal", "edits", "text", "errors"},
    "server": {"server", "check", "atomic_write", "json_text", "edits", "text", "errors", ""},
    "lsp": {"lsp", "settings", "settings_reader", "check", "edits", "text", "errors", ""},
    "cli": {
        "cli",
        "atomic_write",
        "server.settings",
        "files",
        "settings",
        "check",
        "terminal",
        "json_text",
        "edits",
        "text",
        "checksum",
        "errors",
        "",
    },
    "lab": CORE | {"lab", "check", "atomic_write", "checksum", "chunks", "process_pool", ""},
    "lab.bench": CORE
    | {"lab", "check", "files", "settings", "terminal", "atomic_write", "checksum", "chunks", "process_pool", ""},
    "lab.data": {
        *("lab.data", "text", "tokens", "edits", "model.known_words", "atomic_write", "checksum", "chunks"),
        *("process_pool", "settings_reader", "errors"),
    },
    "lab.evaluate": {"lab.evaluate", "text", "edits", "checksum", "process_pool", "errors"},
    "lab.train": {
        *("lab.train", "lab.data", "lab.evaluate", "tokens", "model", "decode", "engines", "edits", "checksum"),
        *("atomic_write", "chunks", "partial_output", "process_pool", "settings_reader", "errors"),
    },
    "lab.tagger": {
        *("lab.tagger", "lab.train", "lab.data", "lab.evaluate", "lab.export", "tokens", "model", "engines", "edits"),
        *("atomic_write", "checksum", "settings_reader", "strict_json", "errors"),
    },
    "lab.detection": {
        *("lab.detection", "lab.data", "lab.train.module_command", "lab.bench.text_report"),
        *("tokens", "model", "decode", "engines", "errors"),
    },
    "lab.export": {"lab.export", "model", "decode", "engines", "errors"},
    "": {"check", "edits"},
}
"""Module or package → what it may import; the longest name that fits counts. The empty name is `redraft` itself."""
IN_FUNCTION_BODIES = {
    "cli": {"lab", "lsp", "server", "decode", "model", "tokens", "engines"},
    "files": {"model"},
    "settings": {"model.catalogue"},
    "server": {"decode", "model.catalogue", "model.folder"},
    "lsp": {"model.catalogue"},
}
"""What the modules of a package may import besides, inside functions: it is loaded only when it is used."""
MAY_IMPORT_TORCH = (
    "model.transformer",
    "model.adopt",
    "model.foreign_model",
    "model.window_kernel",
    "model.windows",
    "engines.torch",
    "engines.cuda",
    "lab.train",
    "lab.export",
    "lab.tagger.network",
    "lab.tagger.evaluation",
    "lab.tagger.frozen",
    "lab.tagger.tagger_writer",
    "lab.tagger.training_run",
)
TORCH_WHEN_CALLED = ("engines.opening", "lab.bench")
"""Those that may import torch inside functions."""


@dataclass(frozen=True)
class Import:
    module: str
    line: int
    delayed: bool
    """Inside a function or for the type checker alone, so not when the module is imported."""


def name_of(path: Path) -> str:
    """`redraft/text/span.py` → `text.span`."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> Iterator[Import]:
    def walk(node: ast.AST, delayed: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from (Import(alias.name, child.lineno, delayed) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path}:{child.lineno}: relative import"
                for alias in child.names:
                    whole = f"{child.module}.{alias.name}"
                    yield Import(whole if is_module(whole) else str(child.module), child.lineno, delayed)
            else:
                inner = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) or is_type_checking(child)
                yield from walk(child, delayed or inner)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), delayed=False)


def is_module(name: str) -> bool:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return name.startswith("redraft") and (path.is_dir() or path.with_suffix(".py").is_file())


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def covers(rule: str, module: str) -> bool:
    return module == rule or (rule != "" and module.startswith(f"{rule}."))


def allowed(module: str) -> set[str]:
    return MAY_IMPORT[max((rule for rule in MAY_IMPORT if covers(rule, module)), key=len)]


def breaches(path: Path) -> Iterator[str]:
    module = name_of(path)
    for found in imports_of(path):
        where = f"{path.relative_to(PACKAGE.parent)}:{found.line} imports {found.module}"
        if found.module.split(".")[0] == "torch":
            early = any(covers(rule, module) for rule in MAY_IMPORT_TORCH)
            late = found.delayed and any(covers(rule, module) for rule in TORCH_WHEN_CALLED)
            if not (early or late):
                yield where
        elif found.module.split(".")[0] == "redraft":
            target = found.module.partition(".")[2]
            rules = allowed(module)
            if found.delayed:
                rules = rules | IN_FUNCTION_BODIES.get(module.split(".")[0], set())
            if not any(covers(rule, target) for rule in rules):
                yield where


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_what_it_may(path: Path) -> None:
    assert list(breaches(path)) == []


def test_a_breach_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "redraft"
    (package / "text").mkdir(parents=True)
    (package / "text" / "words.py").write_text("def f():\n    import torch\nfrom redraft.edits.edit import Edit\n")
    monkeypatch.setattr(f"{__name__}.PACKAGE", package)
    assert list(breaches(package / "text" / "words.py")) == [
        "redraft/text/words.py:2 imports torch",
        "redraft/text/words.py:3 imports redraft.edits.edit",
    ]


@pytest.mark.parametrize(
    "code",
    [
        "import redraft",
        "from redraft.cli.main import app; app(['--help'], standalone_mode=False)",
        "from redraft.cli.main import app; app(['fix', '--help'], standalone_mode=False)",
    ],
)
def test_a_quick_start_loads_no_engine(code: str) -> None:
    heavy = "{'torch', 'onnxruntime', 'tokenizers', 'numpy'}"
    check = f"import sys; print(*sorted({heavy} & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", f"{code}; {check}"], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""


def test_correcting_loads_no_torch() -> None:
    modules = "redraft.check.corrector, redraft.check.loading, redraft.engines.onnx"
    code = f"import {modules}, sys; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_training_needs_four_packages_besides_the_standard_library() -> None:
    """GPU machines often have no others. Imports inside functions are left to what is used there. torch needs filelock
    itself."""
    allowed = {"torch", "filelock", "numpy", "tokenizers", "safetensors", "triton", "redraft"} | sys.stdlib_module_names
    open_modules, seen, found = ["redraft.lab.train.__main__", "redraft.lab.train.training_run"], set[str](), set[str]()
    open_modules += ["redraft.lab.train.workers", "redraft.lab.train.checkpoint_parts"]
    open_modules += ["redraft.lab.tagger.train", "redraft.lab.tagger.training_run", "redraft.lab.tagger.labels"]
    while open_modules:
        module = open_modules.pop()
        if module in seen:
            continue
        seen.add(module)
        path = PACKAGE.parent.joinpath(*module.split("."))
        source = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
        for each in imports_of(source):
            if not each.delayed:
                found.add(each.module.split(".")[0])
                open_modules += [each.module] if each.module.startswith("redraft.") else []
    assert found - allowed == set()
    assert {"torch", "numpy", "tokenizers", "safetensors"} <= found
