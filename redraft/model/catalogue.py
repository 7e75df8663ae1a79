"""Where models are: those that come with the package, by name, and any folder, by path."""

from __future__ import annotations

from pathlib import Path

from redraft.errors import ModelError
from redraft.model.folder import MANIFEST

EMBEDDED = Path(__file__).parent.parent / "models"


def embedded() -> dict[str, Path]:
    """The models that came with the package, by name."""
    return {path.parent.name: path.parent for path in sorted(EMBEDDED.glob(f"*/{MANIFEST}"))}


def locate(name: str | Path) -> Path:
    """The folder of an embedded model's name or of a path."""
    known = embedded()
    if isinstance(name, str) and name in known:
        return known[name]
    path = Path(name)
    if path.is_dir():
        return path
    names = f" or one of {', '.join(known)}" if known else ""
    raise ModelError(f"there is no model {str(name)!r}: give the path of a model folder{names}")
