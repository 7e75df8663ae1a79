"""Pieces of hostile text, and random texts made of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

_SOME_WORDS = (
    "the cat sat She go to school every days a an teacher dont color colour 3.5 e.g. Dr. I'm (yes) don't iPhone"
)
WORDS = tuple(_SOME_WORDS.split())
SCRIPTS = (
    "ภาษาไทยไม่มีช่องว่าง",
    "今天天汽很好。",
    "今日は天気がいい。",
    "שלום עולם",
    "مرحبا بالعالم؟",
    "नमस्ते दुनिया।",
    "Привет",
    "한국어",
    "ℂ𝒳𝔻",
    "繁體漢字",
)
STRANGE = (
    "\ufffd",
    "a\u200d",
    "\u200b",
    "\u202e",
    "\ud800",
    "\udcff",
    "\0",
    "\x1b[2J",
    "\x85",
    "\u2028",
    "\ufeff",
    "e\u0301",
    "👩\u200d👩\u200d👧",
    "🇬🇧",
    "ß",
    "İ",
    "ﬁ",
    "\U0010ffff",
    "9" * 400,
)
SPACES = (" ", "  ", "\n", "\r\n", "\r", "\t", "\n\n", "\u00a0", "\u3000", " \n ", "\x0b", "\x0c")
SIGNS = tuple(".,;:!?…-–—'\"“”‘’()[]{}<>/\\|*_~`#@$%^&+=")
HOSTILE_TEXTS = (
    "",
    "\0",
    "\ud800",
    "ภาษาไทยไม่มีช่องว่าง" * 100,
    "\ufffd" * 2000,
    "a\u200d" * 1000,
    "9" * 5000,
    "(" * 3000 + ")" * 3000,
    "." * 5000,
    " " * 5000 + "x",
    "\n" * 3000,
    "a" * 5000,
    "e" + "\u0301" * 3000,
    "Dr. " * 500,
    "I'm " * 500,
    "https://" * 400,
    "the the " * 400,
    "🇬🇧" * 1000,
    "\r\n\ufeff\r\n" * 300,
)
"""Failures that were found once, and texts that are hard to cut into words or sentences."""
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 2**64, 10**400, 0.5, 1e308, -0.0, "", "a", "\ud800", "\0"),
    *(
        "auto",
        "en",
        "en-GB",
        "zh",
        "markdown",
        "9" * 5000,
        [],
        {},
        [[]],
        [None],
        {"": None},
        {"a": {"a": {}}},
        "x" * 2000,
    ),
)
"""Values in place of the ones that a JSON object should have."""


def random_text(generator: random.Random, pieces: Sequence[str] = (), most: int = 40) -> str:
    """Words, signs, scripts and strange characters, and the given pieces; at times one is repeated many times."""
    parts = []
    for _ in range(generator.randrange(most)):
        kind = generator.random()
        if pieces and kind < 0.5:
            part = generator.choice(pieces)
        else:
            part = generator.choice(generator.choice((WORDS, WORDS, SPACES, SIGNS, SCRIPTS, STRANGE)))
        if generator.random() < 0.01:
            part = part[:20] * generator.randrange(300)
        parts.append(part)
        if generator.random() < 0.4:
            parts.append(generator.choice(SPACES[:4]))
    return "".join(parts)


def mutate(generator: random.Random, text: str, pieces: Sequence[str] = ()) -> str:
    """The text with a few random changes."""
    for _ in range(generator.randrange(1, 5)):
        start = generator.randrange(len(text) + 1)
        end = min(len(text), start + generator.choice((0, 0, 1, 2, 10)))
        new = (
            generator.choice(pieces or WORDS)
            if generator.random() < 0.6
            else generator.choice((*SIGNS, *STRANGE, *SPACES))
        )
        text = text[:start] + new * generator.choice((1, 1, 1, 2, 50)) + text[end:]
    return text


def mutate_value(generator: random.Random, value: Any) -> Any:
    """A JSON value with one part of it replaced, removed, or put elsewhere."""
    if isinstance(value, dict) and value and generator.random() < 0.8:
        key = generator.choice(list(value))
        changed = dict(value)
        kind = generator.random()
        if kind < 0.1:
            del changed[key]
        elif kind < 0.2:
            changed[random_text(generator, most=3)] = generator.choice(VALUES)
        else:
            changed[key] = mutate_value(generator, value[key])
        return changed
    if isinstance(value, list) and value and generator.random() < 0.8:
        place = generator.randrange(len(value))
        return [*value[:place], mutate_value(generator, value[place]), *value[place + 1 :]]
    if isinstance(value, str) and generator.random() < 0.5:
        return random_text(generator) if generator.random() < 0.5 else mutate(generator, value)
    return generator.choice(VALUES)
