"""Pages about the code name files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "docs" / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "docs" / "reliability.md",
    ROOT / "SECURITY.md",
]
FILE = re.compile(r"[`\s]((?:[\w.-]+/)+[\w.-]+\.(?:py|md|toml|txt|json))(?=[`\s])")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_named_file_exists(page: Path) -> None:
    named = set(FILE.findall(page.read_text(encoding="utf-8")))
    assert len(named) > 3
    missing = [name for name in named if not any((base / name).is_file() for base in (ROOT, ROOT / "redraft"))]
    assert missing == []
