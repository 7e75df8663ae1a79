"""What holds for one document: the editor's settings, and the project's where the editor says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from redraft.edits.edit import Kind
from redraft.files.text_file import read_words
from redraft.lsp.settings import Settings
from redraft.settings.options import ModelOptions, TextOptions
from redraft.settings.project import Project, parse_ignored, parse_kind
from redraft.text.markup import format_of
from redraft.text.scripts import AUTO

_PLAIN = format_of("")


@dataclass(frozen=True, slots=True)
class Rules:
    format: str
    """`settings.OFF` where the document is not to be checked."""
    language: str | None = None
    draft: str | None = None
    threshold: float | None = None
    kinds: frozenset[Kind] = frozenset(Kind)
    """Those that neither side leaves out."""
    words: frozenset[str] = frozenset()
    """To leave alone, besides those of the dictionaries that people add to."""

    @classmethod
    def of(cls, settings: Settings, language_id: str, path: Path | None = None) -> Rules:
        """Raises a `ConfigError` where the project's settings cannot be read."""
        project = Project.open(TextOptions(), [path] if path else [])
        text, model = project.options, project.configuration.fill(ModelOptions())
        ignoring = parse_ignored(text.ignore or ())
        kinds = frozenset(map(parse_kind, text.kind)) if text.kind else frozenset(Kind)
        language = text.language if text.language != AUTO else None
        return cls(
            format=_choose_format(settings, language_id, path, project),
            language=settings.language or language,
            draft=settings.draft or model.draft,
            threshold=model.threshold if settings.threshold is None else settings.threshold,
            kinds=(settings.kinds & kinds) - ignoring.kinds,
            words=ignoring.words.union(*(read_words(dictionary) for dictionary in model.dictionary or ())),
        )


def _choose_format(settings: Settings, language_id: str, path: Path | None, project: Project) -> str:
    """The editor's settings, the project's, the language id, the name of the file: the first that says something.

    An editor that knows no language for a file calls it plain text: then the file's name may tell more.
    """
    chosen = settings.formats.get(language_id)
    if chosen:
        return chosen
    named = project.format_of(path) if path else _PLAIN
    known = format_of(language_id)
    is_settled = path is not None and named != format_of(path.name)
    return named if is_settled or known == _PLAIN else known
