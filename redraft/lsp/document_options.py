"""The options of an open document: the editor's settings, and the project's where the editor sets nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from redraft.check.options import CheckOptions
from redraft.check.user_rules import UserRulesSource
from redraft.edits.edit import Kind
from redraft.lsp.settings import Settings
from redraft.settings.options import ModelOptions, TextOptions
from redraft.settings.project import Project, parse_ignored, parse_kind
from redraft.text.dialects import dialect_of
from redraft.text.markup import format_of
from redraft.text.scripts import AUTO

_PLAIN = format_of("")


def document_options(
    settings: Settings, language_id: str, path: Path | None = None, rules: UserRulesSource | None = None
) -> CheckOptions:
    """The format is `settings.OFF` where the document is not to be checked.

    Raises a `ConfigError` where the project's settings cannot be read.
    """
    project = Project.open(TextOptions(), [path] if path else [])
    text, model = project.options, project.configuration.fill(ModelOptions())
    ignored = parse_ignored(text.ignore or ())
    kinds = frozenset(map(parse_kind, text.kind)) if text.kind else frozenset(Kind)
    language = settings.language or (text.language if text.language != AUTO else None)
    threshold = model.threshold if settings.threshold is None else settings.threshold
    possible = project.configuration.possible_errors if settings.possible_errors is None else settings.possible_errors
    options = CheckOptions(
        language=language,
        dialect=dialect_of(language) if language else None,
        consistent=bool(text.consistent if settings.consistent is None else settings.consistent),
        threshold=threshold,
        kinds=(settings.shown_kinds & kinds) - ignored.kinds,
        format=_choose_format(settings, language_id, path, project),
        dictionary=ignored.words | model.words,
        possible_errors=threshold is None if possible is None else possible,
    )
    return replace(options, rules=rules) if rules else options


def _choose_format(settings: Settings, language_id: str, path: Path | None, project: Project) -> str:
    """The first of these that names one: the editor's settings, the project's, the language id, the file name.

    An editor that knows no language for a file calls it plain text: then the file name may tell more.
    """
    chosen = settings.formats.get(language_id)
    if chosen:
        return chosen
    named = project.format_of(path) if path else _PLAIN
    known = format_of(language_id)
    is_settled = path is not None and named != format_of(path.name)
    return named if is_settled or known == _PLAIN else known
