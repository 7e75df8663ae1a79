"""What the editor at the other end can do."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types


@dataclass(frozen=True, slots=True)
class Client:
    versioned_edits: bool = False
    """Can an edit say which version of the document it is for?"""
    markdown: bool = False
    """In hovers."""
    configuration: bool = False
    """Can it be asked for settings?"""
    registers_configuration: bool = False
    """Does it tell that settings changed only if it was asked to?"""
    refreshes: bool = False
    """Can a client that pulls diagnostics be told to pull again?"""

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
