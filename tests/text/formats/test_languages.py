"""Comments told from strings."""

from __future__ import annotations

import pytest

from redraft.text.formats.languages import LANGUAGES


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_language_has_comments_that_end(name):
    language = LANGUAGES[name]
    assert language.line or language.opening
    assert bool(language.opening) == bool(language.closing)


@pytest.mark.parametrize(
    ("name", "source", "kinds"),
    [
        ("rust", "fn f<'a>(x: &'a str) // c", ["line"]),
        ("rust", 'r#"// no"# // c', ["string", "line"]),
        ("c", "'\\'' \"\\\"//\" /* */", ["string", "string", "opening"]),
        ("javascript", "a = /'\\/[/]/g; // c", ["string", "line"]),
        ("javascript", "a / b / c // d", ["line"]),
        ("shell", "a=${b#c} $# # c", ["line"]),
        ("python", "f'#' r'''x''' # c", ["string", "docstring", "docstring", "line"]),
    ],
)
def test_tokens(name, source, kinds):
    assert [match.lastgroup for match in LANGUAGES[name].token.finditer(source)] == kinds
