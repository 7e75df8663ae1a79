"""Finds models: installed ones by name, any model folder by path.

A distribution offers a model through an entry point in the group `redraft.models`: the name of the entry point is the
name of the model, its value the package whose folder is the model folder. The folders in redraft/models of a checkout
need no installation. The name of a model is the code of its language, or begins with it and a hyphen: `en`, `en-open`.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from redraft.errors import ModelError
from redraft.model.folder import MANIFEST

GROUP = "redraft.models"
CHECKOUT = Path(__file__).parent.parent / "models"


def installed() -> dict[str, Path]:
    """The folders of all installed models, by name. A model of the checkout goes before an installed one."""
    found: dict[str, Path] = {}
    for entry in entry_points(group=GROUP):
        folder = _folder_of(entry)
        if folder is not None:
            found[entry.name] = folder
    found |= {manifest.parent.name: manifest.parent for manifest in CHECKOUT.glob(f"*/{MANIFEST}")}
    return dict(sorted(found.items()))


def by_language(names: Iterable[str]) -> dict[str, str]:
    """The model to use for each language: the one that is called like the language, or else the first by name."""
    chosen: dict[str, str] = {}
    for name in sorted(names):
        # The name without a hyphen is shorter, so it comes before all others of its language.
        chosen.setdefault(name.partition("-")[0], name)
    return chosen


def locate(name: str | Path) -> Path:
    """The folder of an installed model's name, or of a path."""
    known = installed()
    if isinstance(name, str) and name in known:
        return known[name]
    path = Path(name)
    if path.is_dir():
        return path
    missing = f"there is no model {str(name)!r}"
    if known:
        raise ModelError(f"{missing}: give the path of a model folder or one of {', '.join(known)}")
    raise ModelError(
        f"{missing}, and no model is installed: install redraft-model-en or another model package, or give the "
        "path of a model folder"
    )


def _folder_of(entry: EntryPoint) -> Path | None:
    """The model folder that an entry point names, found without importing its package; None if it has no model."""
    try:
        spec = find_spec(entry.module)
    except (ImportError, ValueError):
        return None
    places = (spec.submodule_search_locations or ()) if spec else ()
    return next((folder for folder in map(Path, places) if (folder / MANIFEST).is_file()), None)
