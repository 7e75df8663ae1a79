"""A checksum of the settings of a run, by which a later run knows whether its results would be the same."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

from redraft.settings.project import Project, SessionSetup
from redraft.text.scripts import AUTO


def identify(setup: SessionSetup, project: Project, by_line: bool = False) -> str:
    """A checksum of everything besides its source that a corrected text depends on."""
    options, rules = setup.options, setup.options.rules.current().with_words(setup.options.dictionary)
    without_effect = {"threads", "dictionary"}  # the words of the dictionary are among the rules
    described: dict[str, Any] = {
        "models": _identify_models(setup.model.model),
        "model options": {
            name: value for name, value in asdict(setup.model).items() if name not in {*without_effect, "model"}
        },
        "language": [options.language, options.dialect, options.consistent],
        "threshold": options.threshold,
        "kinds": None if options.kinds is None else sorted(options.kinds),
        "ignored kinds": sorted(options.ignored_kinds),
        "rules": [sorted(part) for part in (rules.words.written, rules.kinds, rules.ignored, rules.once)],
        "input format": [project.options.input_format, list(project.configuration.input_formats.items())],
        "by_line": by_line,
    }
    return _checksum(json.dumps(described, sort_keys=True).encode())[:16]


def _identify_models(name: str | None) -> list[str]:
    """Checksums of the named model, or of all installed ones."""
    from redraft.model.catalogue import installed, locate
    from redraft.model.folder import MANIFEST

    folders = installed().values() if name in (None, AUTO) else [locate(str(name))]
    return [_checksum((folder / MANIFEST).read_bytes()) for folder in folders]


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
