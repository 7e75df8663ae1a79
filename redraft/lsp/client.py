"""Capabilities of the editor."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types


@dataclass(frozen=True, slots=True)
class Client:
    """The capabilities of the editor that matter here."""

    versioned_edits: bool = False
    """Accepts edits that name the version of the document."""
    markdown: bool = False
    """Shows Markdown in hovers."""
    configuration: bool = False
    """Answers requests for settings."""
    registers_configuration: bool = False
    """Reports changed settings only after a registration."""
    refreshes: bool = False
    """Accepts requests to pull diagnostics again."""

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> Client:
        workspace, text = capabilities.workspace, capabilities.text_document
        edits = workspace.workspace_edit if workspace else None
        changes = workspace.did_change_configuration if workspace else None
        pulls = workspace.diagnostics if workspace else None
        hover = text.hover if text else None
        return cls(
            versioned_edits=bool(edits and edits.document_changes),
            markdown=types.MarkupKind.Markdown in ((hover and hover.content_format) or ()),
            configuration=bool(workspace and workspace.configuration),
            registers_configuration=bool(changes and changes.dynamic_registration),
            refreshes=bool(pulls and pulls.refresh_support),
        )
