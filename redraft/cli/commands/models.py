"""`redraft models`: lists the installed models."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from redraft.json_text import to_json
from redraft.terminal.output import remark, write


@dataclass(frozen=True, slots=True)
class ModelEntry:
    name: str
    licence: str
    language: str
    parameters: int
    bytes: int
    summary: str
    precisions: tuple[str, ...]
    engine: str
    """The default engine."""
    path: str


def models(json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each model.")] = False) -> None:
    """List the installed models, with licence, size and folder."""
    from redraft.engines.native.library import absence
    from redraft.model.catalogue import installed

    entries = [describe(name, path) for name, path in installed().items()]
    for entry in entries:
        write(f"{to_json(asdict(entry))}\n" if json else _render(entry))
    if not entries:
        remark("this installation has no model; use --model FOLDER")
    elif (why := absence()) is not None and not json:
        remark(f"the engine native, which is faster, cannot be used: {why}")


def describe(name: str, path: Path) -> ModelEntry:
    from redraft.engines.opening import quickest_engine
    from redraft.model.folder import ModelFolder

    # A list needs no checksums; they are compared when a model is loaded.
    folder = ModelFolder.open(path, verify=False)
    size = sum(file.stat().st_size for file in path.iterdir() if file.is_file())
    info = folder.info
    return ModelEntry(
        name,
        info.licence,
        info.language,
        folder.parameters,
        size,
        info.summary,
        folder.precisions,
        quickest_engine(folder),
        str(path),
    )


def _render(entry: ModelEntry) -> str:
    figures = f"{entry.parameters / 1e6:.1f} million parameters, {entry.bytes / 1e6:.1f} MB"
    facts = (
        ("licence", entry.licence or "not stated"),
        ("language", entry.language),
        ("size", figures),
        ("precision", ", ".join(entry.precisions)),
        ("engine", entry.engine),
        ("folder", entry.path),
    )
    return f"{entry.name}  {entry.summary}\n" + "".join(f"    {fact:<9} {value}\n" for fact, value in facts if value)
