"""Four times the text takes at most five times the steps, for every pattern that reads whole texts."""

from __future__ import annotations

import re

import pytest
from matching_steps import count_steps

from redraft.check import dialect_spelling
from redraft.text import protect, scripts, sentences, spacing, words
from redraft.text.formats import directives, html, inline, latex, markdown, plain
from redraft.text.formats.languages import LANGUAGES

LENGTH = 64
UNITS = [
    "a",
    "ไ",
    "a\u200d",
    "字",
    "e\u0301",
    "😀a",
    "[",
    "](",
    "`",
    "\\`",
    "*a",
    "<a ",
    "&a",
    "_a",
    '\\"',
    "' ",
    " ",
    "\n",
    "$",
    "\\(",
]
PATTERNS = {
    "terminal": sentences._TERMINAL,
    "signs": sentences._SIGNS,
    "spacing": spacing._RUN_WITH_EMOJI,
    "units": scripts._UNIT,
    "plain": plain._PARAGRAPH,
    "inline": inline._TOKEN,
    "html": html._TOKEN,
    "heading end": markdown._HEADING_END,
    "prose": directives._PROSE,
    "shell": LANGUAGES["shell"].token,
    "javascript": LANGUAGES["javascript"].token,
    "yaml": LANGUAGES["yaml"].token,
}


def grows_linearly(pattern: re.Pattern[str], unit: str, end: str = "", start: str = "") -> bool:
    short, long = (count_steps(pattern, start + (unit * length)[:length] + end) for length in (LENGTH, 4 * LENGTH))
    return long <= 5 * short


def test_the_counter_tells_quadratic_patterns_from_linear_ones() -> None:
    assert grows_linearly(re.compile(r"(?<!\w)\w++;|(?=x)(?:a|xy)"), "a")
    assert not grows_linearly(re.compile(r"\w+;"), "a")
    assert not grows_linearly(re.compile(r"\w+?;"), "a")
    assert not grows_linearly(re.compile(r"(?:a|b)++;"), "ab")


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_a_pattern_reads_any_text_in_linear_time(pattern: re.Pattern[str]) -> None:
    assert [unit for unit in UNITS if not grows_linearly(pattern, unit, "!")] == []


@pytest.mark.parametrize("unit", ["1-", "a1-", "1/", "a.", "`", "www.", "a_"])
def test_protected_spans_are_found_in_linear_time(unit: str) -> None:
    assert grows_linearly(protect._SEARCH, unit, "_")


@pytest.mark.parametrize("unit", ["a-", "a'", "a@", "a.", "1,", "ไ", "a\u200d"])
def test_words_are_found_in_linear_time(unit: str) -> None:
    assert grows_linearly(words._pattern(), unit, "_")


@pytest.mark.parametrize("unit", ["abc-", "abc‐"])
def test_respellings_are_found_in_linear_time(unit: str) -> None:
    assert grows_linearly(dialect_spelling._WORD, unit, "_")


@pytest.mark.parametrize("unit", ["\\(", "$a", "{", "\\a{", "%", "~"])
def test_latex_is_read_in_linear_time(unit: str) -> None:
    assert grows_linearly(latex._TOKEN, unit)


@pytest.mark.parametrize(
    ("pattern", "start", "unit"),
    [
        (directives.TAG, "a", "_a"),
        (directives._STATEMENT, "import ", "a"),
        (directives._STATEMENT, "<", "a"),
        (directives._STATEMENT, "", "a"),
        (directives._STATEMENT, "return ", "a("),
        (markdown._RULE, "", "- "),
        (markdown._DELIMITERS, "", "-|"),
    ],
    ids=["tag", "import", "element", "word", "return", "rule", "table"],
)
def test_the_start_of_a_line_is_read_in_linear_time(pattern: re.Pattern[str], start: str, unit: str) -> None:
    anchored = re.compile(rf"\A(?:{pattern.pattern})", pattern.flags & ~re.UNICODE)
    assert grows_linearly(anchored, unit, "!", start)
