"""Words in the spelling of the other country, found in sentences."""

from __future__ import annotations

import lzma
from itertools import islice
from pathlib import Path

import pytest

from redraft.check.dialect_spelling import find_respellings, majority_dialect, respell_words
from redraft.text.dialects import Dialect
from redraft.text.protect import find_protected
from redraft.text.span import SpanSet


def found(sentence: str, dialect: Dialect = Dialect.BRITISH) -> list[tuple[str, str]]:
    respellings = list(find_respellings(sentence, dialect))
    assert all(one.span.of(sentence) == one.word for one in respellings)
    return [(one.word, one.replacement) for one in respellings]


def test_every_word_of_the_other_spelling_is_found() -> None:
    assert found("the color of my neighbor's gray house") == [
        ("color", "colour"),
        ("neighbor", "neighbour"),
        ("gray", "grey"),
    ]
    assert found("Colourful, self-centred travellers.", Dialect.AMERICAN) == [
        ("Colourful", "Colorful"),
        ("self-centred", "self-centered"),
        ("travellers", "travelers"),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "We met on Labor Day at the World Trade Center near Pearl Harbor.",
        "Labor Day is a holiday, and Gray was there.",
        "Gray said no.",
        "The PROGRAM CENTER sent us style.color, a/color, #color and color().",
        "Rigor mortis sets in; it is rigor mortis.",
        "Check the program, the meter, the license, the story and the tire; practice, and draft a check.",
        "We organize, realize and specialize.",
    ],
)
def test_names_code_and_words_that_are_right_in_both_countries_stay(sentence: str) -> None:
    assert found(sentence) == []


def test_a_capital_at_the_start_of_a_later_part_of_a_sentence_is_a_name() -> None:
    assert list(find_respellings("Color is here", Dialect.BRITISH, is_start=False)) == []


def test_words_of_a_sentence_in_capitals_are_no_names() -> None:
    sentence = "THE COLOR OF THE NEIGHBORS IS GRAY; RIGOR MORTIS SETS IN"
    found = {one.word: one.replacement for one in find_respellings(sentence, Dialect.BRITISH)}
    assert found == {"COLOR": "COLOUR", "NEIGHBORS": "NEIGHBOURS"}, "Gray is often a name"


def test_replacements_are_respelled() -> None:
    assert respell_words("the colors of Pearl Harbor are", Dialect.BRITISH) == "the colours of Pearl Harbor are"


@pytest.mark.parametrize(
    ("texts", "dialect"),
    [
        (["The color and the flavor.", "A colour."], Dialect.AMERICAN),
        (["A color.", "The colour and the flavour."], Dialect.BRITISH),
        (["A color, a flavour."], Dialect.AMERICAN),
        (["A flavour, a color."], Dialect.BRITISH),
        (["We organize it and realise it.", "We organize it."], Dialect.AMERICAN),
        (["We organize it and realise it.", "We emphasise it."], Dialect.BRITISH),
        (["We organize and organize the colour."], Dialect.BRITISH),
        (["We organise the color of the neighbor, in a resized, oversized text."], Dialect.AMERICAN),
        (["A colour.", "`color` `color` and https://a.org/color-color"], Dialect.BRITISH),
        (["Pearl Harbor, and a tire."], None),
        ([], None),
    ],
)
def test_the_dialect_of_most_words(texts: list[str], dialect: Dialect | None) -> None:
    assert majority_dialect(texts) is dialect


# Words that the corpora spell as the other country does, or as nobody does: no false alarms.
@pytest.mark.parametrize(
    ("corpus", "dialect", "most"),
    [
        ("sotu_inaugural", Dialect.AMERICAN, 12),
        ("ms_office_business_docs", Dialect.AMERICAN, 12),
        ("onestopenglish", Dialect.BRITISH, 12),
    ],
)
def test_clean_text_has_few_findings(shared_data: Path, corpus: str, dialect: Dialect, most: int) -> None:
    """Findings in 10,000 sentences; nearly all of them are words that do have the other spelling."""
    with lzma.open(shared_data / "en" / "clean" / f"{corpus}.txt.xz", "rt", encoding="utf-8") as file:
        sentences = list(islice((line.strip() for line in file if line.strip()), 10_000))
    count = 0
    for sentence in sentences:
        respellings = list(find_respellings(sentence, dialect))
        if respellings:
            protected = SpanSet(found.span for found in find_protected(sentence))
            count += sum(not protected.overlap(respelling.span) for respelling in respellings)
    assert count <= most
