"""An edit as a short phrase and as a JSON object."""

from __future__ import annotations

from typing import Any

from redraft.edits.edit import Edit


def edit_to_mapping(edit: Edit) -> dict[str, Any]:
    """The edit as a JSON object; offsets count code points, and the end is exclusive."""
    return {
        "start": edit.span.start,
        "end": edit.span.end,
        "source": edit.source,
        "replacement": edit.replacement,
        "kind": edit.kind.value,
        "confidence": round(edit.confidence, 4),
        "explanation": edit.explanation,
        **({} if edit.certain else {"certain": False}),
    }


def describe(edit: Edit) -> str:
    """The edit in one short phrase. White space is made visible if nothing else changes."""
    source, replacement = edit.source.strip(), edit.replacement.strip()
    if source == replacement:
        return f"“{_show_spaces(edit.source)}” → “{_show_spaces(edit.replacement)}”"
    if not source:
        return f"add “{replacement}”"
    return f"“{source}” → “{replacement}”" if replacement else f"drop “{source}”"


def explain_edit(edit: Edit) -> str:
    """The edit and its explanation in one line, which says so if it is not certain."""
    possible = "" if edit.certain else "possible error: "
    return f"{possible}{describe(edit)}. {edit.explanation}".rstrip()


def _show_spaces(text: str) -> str:
    return text.replace(" ", "␣").replace("\t", "⇥").replace("\r", "␍").replace("\n", "␊")
