"""What a caller may choose for a check."""

from __future__ import annotations

from dataclasses import dataclass

from redraft.check.user_rules import UserRules, UserRulesSource
from redraft.edits.edit import Edit, Kind
from redraft.errors import ConfigError
from redraft.text.dialects import Dialect


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of one check: the same record for files, requests and open documents."""

    language: str | None = None
    """The only language that is corrected, such as `en`; None to correct each sentence in its own."""
    dialect: Dialect | None = None
    """The accepted spelling of words that differ between dialects; None to accept both."""
    consistent: bool = False
    """Whether to accept, where no dialect is chosen, only the spelling that most words of the document have."""
    threshold: float | None = None
    """The confidence below which the model makes no edit; None for the model's own."""
    kinds: frozenset[Kind] | None = None
    """The kinds of edits to show; None for all."""
    ignored_kinds: frozenset[Kind] = frozenset()
    format: str = "plain"
    """How the text is read: `plain`, `markdown`, `latex`…"""
    dictionary: frozenset[str] = frozenset()
    """Words to leave alone, besides those of the user rules."""
    rules: UserRulesSource = UserRules()  # noqa: RUF009 - immutable
    """The words and ignores of the user and the project."""

    alternatives: bool = False
    """Whether findings have other replacements besides the model's first choice, which take more decoding."""

    possible_errors: bool = False
    """Whether to find possible errors too, which are not certain and which nothing corrects by itself."""

    def __post_init__(self) -> None:
        check_threshold(self.threshold)

    def wants(self, edit: Edit) -> bool:
        return (self.kinds is None or edit.kind in self.kinds) and edit.kind not in self.ignored_kinds


def check_threshold(threshold: float | None) -> None:
    if threshold is not None and not 0 <= threshold <= 1:
        raise ConfigError(f"threshold must be at least 0 and at most 1, not {threshold}")
