"""Parts of a comment that are not prose: documentation tags, directives to tools, commented-out code."""

from __future__ import annotations

import re

_TYPE = r"(?:[ \t]++\{[^{}\n]{0,200}+\})?"
TAG = re.compile(
    # TODO(name):
    r"(?:TODO|FIXME|XXX|HACK|NOTE|BUG|WARNING|SAFETY|OPTIMIZE|REVIEW)(?:\([^()\n]{0,60}+\))?(?::[ \t]*+|[ \t]++|$)"
    # @param {type} name - · \\throws name · @returns {type}
    rf"|[@\\](?:param|arg|argument|property|prop|tparam|throws|exception|template){_TYPE}"
    r"(?:[ \t]++\[?[\w.$=\]-]{1,80}+)?(?:[ \t]++-)?[ \t]*+"
    rf"|[@\\][a-zA-Z]{{2,20}}+{_TYPE}[ \t]*+"
    # :param name: · name (type): · a_name:
    r"|:[a-z]{2,12}+(?:[ \t][\w.*\[\], ]{1,80}+)?:[ \t]*+"
    r"|\*{0,2}[a-z_][\w.]{0,60}+[ \t]?+\([^()\n]{1,80}+\):[ \t]++"
    r"|(?=[a-z][^\W_]*+_)\w++:[ \t]++"
)
"""A tag that may precede the text of an item."""


def _one_of(listing: str) -> str:
    return "|".join(re.escape(word) for word in listing.split())


_DIRECTIVES = _one_of(
    "noqa nosec type: mypy: pyright pylint flake8 ruff fmt: yapf isort pragma coverage: doctest: eslint jshint jslint "
    "prettier- biome- stylelint tslint ts- istanbul webpack clang-format NOLINT IWYU cppcheck swiftlint rubocop "
    "shellcheck hadolint markdownlint cspell codespell spellchecker go: nolint lint: sourceMappingURL endregion "
    "frozen_string_literal encoding: vi: vim: ex: -*- SPDX- Copyright (c) © $Id $Revision yaml-language-server "
    "checkov: tfsec language= noinspection"
)
_DOC_TAGS = _one_of(
    "ts- flow jsx generated license author copyright version since see link type typedef override inheritDoc internal "
    "private public protected module class constructor namespace memberof"
)
_UNREAD = re.compile(rf"(?:{_DIRECTIVES})|@(?:{_DOC_TAGS})|(?:>>>|\.\.\.|\$)[ ]|[-=~^\"'*+./\#<>|_]{{3,}}$")
_STATEMENTS = (
    r"import\s++[\w.{*]++(?:$|\s++as\s|\s*+;|.*\bfrom\b)",
    r"from\s+[\w.]+\s+import\s",
    r"(?:def|class|fn|func|function)\s+\w+\s*[({:<]",
    r"return(?:\s+[\w.]+(?:[(\[].*)?)?;?$",
    r"(?:if|for|while|switch)\s*\(",
    r"\#\s*include",
    r"(?:const|let|var)\s+\w+\s*=",
    r"[\w.\[\]\"']+\s*[-+*/|&]?=\s*\S",
    r"[\w.]+\([^)]*\);?$",
    r"</?\w[^>]*+>$",
    r"[{}\[\]();]+$",
    r"(?:SELECT|INSERT|UPDATE|DELETE|CREATE)\b",
    r"@\w+(?:\(.*\))?$",
)
_STATEMENT = re.compile("|".join(_STATEMENTS))
_PROSE = re.compile(r"(?<![a-z])[a-z]{2,}+,? [a-z]{2,}+,? [a-z]{2}")
_QUOTED_CODE = re.compile(r"`[^`]*+`")
_CODE_SIGNS = frozenset("=(){}[];<>&|+*\\$_")
_CHARACTERS_A_SIGN = 6
"""A line is code if at least one character in this many is a sign of code."""


def is_unread(text: str) -> bool:
    """Whether a line of a comment is not prose."""
    if _UNREAD.match(text) or _STATEMENT.match(text) or text.endswith(("{", "}")):
        return True
    if text.endswith(";") and not _PROSE.search(text):
        return True
    signs = sum(character in _CODE_SIGNS for character in _QUOTED_CODE.sub("", text))
    return signs * _CHARACTERS_A_SIGN > len(text)
