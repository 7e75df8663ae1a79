"""The options of a command, completed by the settings of the project and the rules of the user."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from redraft.check.options import CheckOptions
from redraft.check.session import CheckSession
from redraft.check.user_rules import UserRules, UserRulesStore
from redraft.edits.edit import Kind
from redraft.errors import ConfigError, ModelError
from redraft.files.gitignore import Patterns
from redraft.files.selection import Selection, common_folder
from redraft.files.text_file import STDIN
from redraft.settings import configuration
from redraft.settings.configuration import Configuration
from redraft.settings.options import ModelOptions, TextOptions
from redraft.settings_reader import suggest
from redraft.text.dialects import dialect_of
from redraft.text.language_tags import parse_tag
from redraft.text.scripts import AUTO

_PLAIN = frozenset({".txt", ".text"})
"""Suffixes of plain text files."""
_DOCUMENTS = frozenset({"markdown", "latex", "html"})
"""Formats that are taken from folders besides. Source code is not: its comments are checked only on request."""
_RULE = "REDRAFT_"


@dataclass(frozen=True, slots=True)
class Ignored:
    """What `--ignore` names: kinds, by their names or by the ids of their rules, and words."""

    kinds: frozenset[Kind]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class SessionSetup:
    """What a session is made of; other processes can open it too."""

    model: ModelOptions
    options: CheckOptions

    def open(self) -> CheckSession:
        """Loads the model."""
        return CheckSession(self.model.open(), self.options)


@dataclass(frozen=True)
class Project:
    folder: Path
    """The innermost folder that contains all files of the command."""
    configuration: Configuration
    options: TextOptions
    """The options of the command line, completed by the project's settings."""

    @classmethod
    def open(cls, options: TextOptions, paths: Sequence[Path] = ()) -> Project:
        named = [options.stdin_filename if path == STDIN and options.stdin_filename else path for path in paths]
        folder = common_folder(named) if named else Path.cwd()
        if options.isolated and options.config:
            raise ConfigError("--isolated uses no settings file; leave out --config")
        if options.config:
            settled = replace(configuration.read(options.config), named_by_user=True)
        else:
            settled = Configuration() if options.isolated else configuration.find(folder)
        return cls(folder, settled, settled.fill(options))

    def session(
        self, model: ModelOptions, alternatives: bool = False, possible_errors: bool | None = False
    ) -> CheckSession:
        """A session for the files of the command. If `possible_errors` is None, the project decides."""
        setup = self.setup(model)
        if possible_errors is None:
            possible_errors = bool(self.configuration.possible_errors)
        options = replace(setup.options, alternatives=alternatives, possible_errors=possible_errors)
        return replace(setup, options=options).open()

    def setup(self, model: ModelOptions) -> SessionSetup:
        """Checks all options, without loading a model."""
        language = None if self.options.language == AUTO else self.options.language
        self.configuration.check_model(model.model)
        model = _choose_model(self.configuration.fill(model), language)
        if self.options.input_format:
            _check_format(self.options.input_format)
        ignored = parse_ignored(self.options.ignore or ())
        if self.user_rules:
            self.user_rules.current()  # so that a line that cannot be read is reported first
        options = CheckOptions(
            language=language,
            dialect=dialect_of(language) if language else None,
            consistent=bool(self.options.consistent),
            threshold=model.threshold,
            kinds=frozenset(map(parse_kind, self.options.kind)) if self.options.kind else None,
            ignored_kinds=ignored.kinds,
            dictionary=model.words | ignored.words,
            rules=self.user_rules or UserRules(),
        )
        return SessionSetup(replace(model, dictionary=None), options)

    @cached_property
    def user_rules(self) -> UserRulesStore | None:
        """None where the project is isolated from them."""
        return None if self.options.isolated else UserRulesStore.open(self.folder)

    def selection(self) -> Selection:
        include, exclude = (
            [Patterns.parse(folder, patterns) for folder, patterns in self._patterns(name) if patterns]
            for name in ("include", "exclude")
        )
        return Selection(self._is_document, include, exclude)

    def format_of(self, path: Path) -> str:
        """The format that a file is read in; stdin is read as a file of the name given with --stdin-filename."""
        from redraft.text.markup import format_of

        if self.options.input_format:
            return _check_format(self.options.input_format)
        if path == STDIN:
            if self.options.stdin_filename is None:
                return "plain"
            path = self.options.stdin_filename
        return self._settled_format(path) or format_of(path.name)

    def name_of(self, path: Path) -> str:
        return str(path if path != STDIN else self.options.stdin_filename or "<stdin>")

    def _is_document(self, path: Path) -> bool:
        from redraft.text.markup import format_of

        return path.suffix.lower() in _PLAIN or bool(self._settled_format(path)) or format_of(path.name) in _DOCUMENTS

    def _settled_format(self, path: Path) -> str | None:
        place = path.absolute()
        fitting = [format for patterns, format in self._formats if patterns.verdict(place)]
        return fitting[-1] if fitting else None

    @cached_property
    def _formats(self) -> list[tuple[Patterns, str]]:
        folder = self.configuration.folder or self.folder
        return [
            (Patterns.parse(folder, [pattern]), format) for pattern, format in self.configuration.input_formats.items()
        ]

    def _patterns(self, name: str) -> Iterable[tuple[Path, list[str]]]:
        """Patterns with their folders: that of the settings file, and the current one for the command line."""
        settled: list[str] = self.configuration.settings.get(name) or []
        every: list[str] = getattr(self.options, name) or []
        if every[: len(settled)] != settled:
            settled = []  # the command line has replaced them
        if self.configuration.folder:
            yield self.configuration.folder, settled
        yield Path.cwd(), every[len(settled) :]


def parse_kind(name: str) -> Kind:
    try:
        return Kind(name)
    except ValueError:
        raise ConfigError(f"kind {name!r} is not known{suggest(name, Kind)}") from None


def parse_ignored(names: Iterable[str]) -> Ignored:
    from redraft.edits.categories import rule_of

    known = {str(kind): kind for kind in Kind}
    rules = {rule_of(kind): kind for kind in Kind}
    kinds, words = set(), set()
    for name in names:
        if name.startswith(_RULE) and name not in rules:
            raise ConfigError(f"rule {name!r} is not known{suggest(name, rules)}")
        kind = known.get(name) or rules.get(name)
        if kind:
            kinds.add(kind)
        else:
            words.add(name)
    return Ignored(frozenset(kinds), frozenset(words))


def _check_format(name: str) -> str:
    from redraft.text.markup import FORMATS

    if name not in FORMATS:
        raise ConfigError(f"format {name!r} is not known{suggest(name, FORMATS)}")
    return name


def _choose_model(options: ModelOptions, language: str | None) -> ModelOptions:
    """The installed model for a language, where none is named."""
    if options.model or not language:
        return options
    from redraft.model.catalogue import by_language, installed

    name, known = parse_tag(language).language, by_language(installed())
    if name not in known:
        others = f", only for {', '.join(known)}" if known else ""
        raise ModelError(f"there is no model for {language!r} here{others}; name a model folder with --model")
    return replace(options, model=known[name])
