"""Targets: small parsers."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fuzzing.inputs import HOSTILE_TEXTS, mutate, random_text
from fuzzing.runner import Target
from redraft.edits import m2
from redraft.errors import RedraftError
from redraft.files.gitignore import Patterns
from redraft.settings.configuration import find, read
from redraft.settings.options import ModelOptions, TextOptions
from redraft.settings.project import Project
from redraft.strict_json import parse_object
from redraft.text.dialects import dialect_of
from redraft.text.language_tags import parse_tag

_TOML = (
    *("model", "engine", "threshold", "threads", "dictionary", "language", "kind", "ignore", "include", "exclude"),
    *(
        " = ",
        "=",
        ".",
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        ",",
        '"',
        "'",
        '"""',
        "'''",
        "\n",
        "#",
        "\\",
        "\\u0000",
        "\\ud800",
    ),
    *("1", "-1", "1.5", "inf", "nan", "true", "0xFF", "0o7", "1979-05-27", "[input-format]", '"*.md" = "markdown"'),
    *("consistent", "spelling", '"spelling"', "9" * 5000, "0x" + "F" * 5000, "a." * 200, "[" * 500, "{a=" * 200),
)
_TOML_SEEDS = (
    'threshold = 0.8\nignore = ["spacing"]\ndictionary = ["words.txt"]\n[input-format]\n"*.txt" = "markdown"\n',
    "threads = 0x" + "F" * 5000,
    "threads = " + "9" * 5000,
    "ignore = " + "[" * 100_000,
    "a." * 50_000 + "a = 1",
    'dictionary = ["/dev/zero"]',
    'dictionary = ["a\\u0000b"]',
    f'model = "{"a" * 100_000}"',
    "[tool]\nredraft = 1",
)
_JSON = (
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    '"',
    '"a"',
    "1",
    "1e999",
    "NaN",
    "Infinity",
    "null",
    "true",
    "\\u",
    "9" * 5000,
    "[" * 500,
)
_JSON_SEEDS = ('{"a": [1, 2.5, null, true, "\\u00e9"]}', '{"a":' * 100_000, "[" * 100_000, '{"a": ' + "9" * 5000 + "}")
_TAGS = ("en", "zh", "GB", "US", "Hant", "Latn", "001", "-", "_", "x", "auto", "\u0130")
_IGNORES = (
    "*",
    "**",
    "/",
    "!",
    "\\",
    "?",
    "[",
    "]",
    "[a-z]",
    "[!",
    "a",
    ".md",
    " ",
    "\n",
    "\r\n",
    "#",
    "**/",
    "/**",
    "[[:alpha:]]",
)
_IGNORE_SEEDS = (
    "*.log\n!keep.log\n/build/\n\\#hash\nvendor/*\n!vendor/own/\n",
    "a*" * 40 + "b",
    "**/" * 40 + "b",
    "*a" * 100,
    "[" * 1000,
    "[a-" * 100,
    "!" * 1000,
    "\\" * 1001,
)
_M2 = ("S ", "A ", "\n", "|||", "1 2", "-1 -1", "noop", "-NONE-", "REQUIRED", "0", "R:VERB", "||", "9" * 5000, "I ")
_M2_SEEDS = (
    "S He have it .\nA 1 2|||R|||has|||REQUIRED|||-NONE-|||0\n\n",
    "S a\nA 0 " + "9" * 5000 + "|||R|||b|||REQUIRED|||-NONE-|||0\n",
)


def open_parsers(folder: Path) -> list[Target]:
    (folder / "words.txt").write_text("fjord\n")
    return [
        Target("settings", partial(_check_settings, folder), _maker(_TOML, _TOML_SEEDS), _TOML_SEEDS),
        Target("json", _check_json, _maker(_JSON, _JSON_SEEDS[:1]), _JSON_SEEDS),
        Target("tags", _check_tag, _maker(_TAGS, ("en-GB", "zh_Hant_TW")), HOSTILE_TEXTS),
        Target("gitignore", _check_gitignore, _maker(_IGNORES, _IGNORE_SEEDS), _IGNORE_SEEDS),
        Target("m2", _check_m2, _maker(_M2, _M2_SEEDS[:1]), _M2_SEEDS),
    ]


def _maker(pieces: tuple[str, ...], seeds: tuple[str, ...]) -> Callable[[random.Random], str]:
    def make(generator: random.Random) -> str:
        if generator.random() < 0.5:
            return mutate(generator, generator.choice(seeds)[:5000], pieces)
        return random_text(generator, pieces)

    return make


def check_message(error: Exception) -> None:
    """An error of the user is one line, and not a long one, without control characters."""
    assert str(error).isprintable(), "the message is not printable"
    assert len(str(error)) < 2000, "the message is long"


def _check_settings(folder: Path, text: str) -> None:
    path = folder / "redraft.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        read(path)
        found = find(folder)
        found.fill(ModelOptions())
        project = Project(folder, found, found.fill(TextOptions()))
        project.selection().excludes(folder / "a.md")
        project.format_of(folder / "a.md")
    except RedraftError as error:
        check_message(error)


def _check_json(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    try:
        found = parse_object(data)
    except ValueError as error:
        assert len(str(error)) < 2000
        return
    assert found == json.loads(data)


def _check_tag(text: str) -> None:
    tag = parse_tag(text)
    assert tag.language == tag.language.lower()
    dialect_of(text)


def _check_gitignore(text: str) -> None:
    folder = Path("/project")
    patterns = Patterns.parse(folder, text.split("\n"))
    for name in ("a.md", "docs/" + "a" * 200, "a/" * 50 + "b.md", "keep.log", " ", "\u00e9\udcff"):
        assert patterns.verdict(folder / name) in (True, False, None)
        assert patterns.verdict(folder / name, is_folder=True) in (True, False, None)


def _check_m2(text: str) -> None:
    try:
        sentences = list(m2.read(text.split("\n")))
    except RedraftError:
        return
    for sentence in sentences:
        for annotator in sentence.annotations:
            sentence.corrected(annotator)
    fields = [field for sentence in sentences for edit in sentence.edits for field in (*edit.corrections, edit.kind)]
    if not any("|" in field for field in fields):  # bars at the end of a field and those between fields run together
        assert list(m2.read("".join(m2.write(sentences)).split("\n"))) == sentences
