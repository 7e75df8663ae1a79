"""Redraft corrects grammar while a person types.

>>> import redraft
>>> corrector = redraft.load("en")
>>> corrector.correct("She go to school every days.").text
'She goes to school every day.'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from redraft.check.corrector import Correction, Corrector
    from redraft.check.loading import load
    from redraft.edits.edit import Edit, Kind

__version__ = "0.1.0"
__all__ = ["Correction", "Corrector", "Edit", "Kind", "load"]


def __getattr__(name: str) -> Any:
    """Loads on first use, so that `import redraft` costs nothing and imports no engine."""
    if name in ("Correction", "Corrector"):
        from redraft.check import corrector

        return getattr(corrector, name)
    if name == "load":
        from redraft.check import loading

        return loading.load
    if name in ("Edit", "Kind"):
        from redraft.edits import edit

        return getattr(edit, name)
    raise AttributeError(f"module 'redraft' has no attribute {name!r}")
