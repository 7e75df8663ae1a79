"""Whole sentences with their edits, kinds and explanations, as a reader would see them.

The file tests/golden/edits.txt holds the pairs and what is found for each. After a change of behaviour that is meant,
write it anew with `REDRAFT_UPDATE_GOLDEN=1 pytest tests/edits/test_golden_edits.py` and read the difference. To add a
pair, append its two lines, `- source` and `+ target`, after a blank line, and do the same.
"""

from __future__ import annotations

import os
from pathlib import Path

from redraft.edits.align import align
from redraft.edits.classify import classify
from redraft.edits.explain import explain

GOLDEN = Path(__file__).parent.parent / "golden" / "edits.txt"


def render(source: str, target: str) -> str:
    lines = [f"- {source}", f"+ {target}"]
    for change in align(source, target):
        old, new = change.source.of(source), change.target.of(target)
        kind = classify(source, target, change)
        reason = explain(kind, old, new, "en", target[: change.target.start], target[change.target.end :])
        lines.append(f"  {change.source.start}-{change.source.end} {kind}: [{old}] → [{new}]  {reason}")
    return "\n".join(lines)


def test_golden_edits():
    written = GOLDEN.read_text(encoding="utf-8")
    pairs = [entry.split("\n")[:2] for entry in written.strip().split("\n\n")]
    found = "\n\n".join(render(source[2:], target[2:]) for source, target in pairs) + "\n"
    if os.environ.get("REDRAFT_UPDATE_GOLDEN"):
        GOLDEN.write_text(found, encoding="utf-8")
    assert len(pairs) >= 60
    assert found == GOLDEN.read_text(encoding="utf-8")
