"""Generates correct sentences with strings that no model has seen: names, numbers, addresses, other scripts.

A corrector must copy them unchanged. They measure overcorrection, which an ordinary dev set hardly shows.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

_ONSETS = [
    "b",
    "br",
    "c",
    "ch",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "j",
    "k",
    "kl",
    "l",
    "m",
    "n",
    "p",
    "pr",
    "qu",
    "r",
    "s",
    "sh",
    "st",
    "t",
    "th",
    "v",
    "w",
    "z",
]
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "ou"]
_CODAS = ["", "n", "r", "s", "l", "m", "nd", "rt", "x", "sk"]
_SCRIPTS = [
    "Москва",
    "東京",
    "Αθήνα",
    "서울",
    "القاهرة",
    "तरकारी",
    "Łódź",
    "İzmir",
    "São Tomé",
    "Ørsted",
    "Ængus",
    "ไทย",
]
_SUFFIXES = ["", "son", "ova", "escu", "ides", "mann", "ström", "ez"]
_TEMPLATES = (
    "{Name} met {Name} in {City} on {Day} March {year}.",
    "The village of {City} has {number} inhabitants.",
    "You can read more about it at https://www.{word}.org/{word}/{number}.",
    "Please write to {word}.{word}@{word}.com before {clock}.",
    "Dr. {Name} described the {word}ine enzyme in {year}.",
    "The file {word}_{word}.py has {number} lines.",
    "They sell {word} and {word} for ${price} each.",
    "My friend {Name} comes from {script}.",
    "The word {script} appears on page {number} of the book.",
    "{Name}, {Name} and {Name} won the match by {digit} to {digit}.",
    "We measured {price} kg of {word}ite at {digit}.{digit} bar.",
    "{Company} bought {Company} for {number} million dollars in {year}.",
    "She ran `{word} --{word}={number}` and waited.",
    "The {Name} {Name} Library opens at {clock} and closes at {clock}.",
    "His number is +{number} {number}, and hers ends in {number}.",
    "{City} lies {number} km north of {City}.",
)


@dataclass(frozen=True, slots=True)
class CorrectSentence:
    """A correct sentence, and the generated strings in it."""

    text: str
    strings: tuple[str, ...]


def make_correct_sentences(count: int, seed: int = 0) -> list[CorrectSentence]:
    draw = random.Random(seed)
    return [_fill(draw.choice(_TEMPLATES), draw) for _ in range(count)]


def shift(sentence: str, count: int, place: int = 3) -> str:
    """The sentence with `count` words repeated at a place, or deleted if `count` is negative, so that the rest has
    moved."""
    words = sentence.split(" ")
    place = min(place, len(words) - 1)
    if count < 0:
        return " ".join(words[:place] + words[place - count :])
    return " ".join(words[:place] + (words[:place] * count)[:count] + words[place:])


def _fill(template: str, draw: random.Random) -> CorrectSentence:
    makers: dict[str, Callable[[], str]] = {
        "{Name}": lambda: _coin(draw).capitalize() + draw.choice(_SUFFIXES),
        "{City}": lambda: _coin(draw).capitalize(),
        "{Company}": lambda: _coin(draw, 1).upper() + " " + _coin(draw).capitalize(),
        "{word}": lambda: _coin(draw),
        "{script}": lambda: draw.choice(_SCRIPTS),
        "{number}": lambda: str(draw.randrange(100, 10 ** draw.randrange(3, 7))),
        "{digit}": lambda: str(draw.randrange(2, 10)),
        "{Day}": lambda: str(draw.randrange(2, 29)),
        "{year}": lambda: str(draw.randrange(1850, 2030)),
        "{price}": lambda: f"{draw.randrange(3, 500)}.{draw.randrange(10, 100)}",
        "{clock}": lambda: f"{draw.randrange(1, 13)}:{draw.randrange(10, 60)} p.m.",
    }
    text, strings = template, []
    for place, make in makers.items():
        while place in text:
            strings.append(make())
            text = text.replace(place, strings[-1], 1)
    return CorrectSentence(text.removesuffix(".") if text.endswith("..") else text, tuple(strings))


def _coin(draw: random.Random, least: int = 2) -> str:
    """A word that can be pronounced but is in no dictionary."""
    syllables = draw.randrange(least, least + 2)
    return "".join(draw.choice(_ONSETS) + draw.choice(_VOWELS) for _ in range(syllables)) + draw.choice(_CODAS)
