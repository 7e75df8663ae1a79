from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.text.positions import Lines, Place, Positions, Unit
from redraft.text.span import Span

FACE, FAMILY = "\U0001f600", "\U0001f469\u200d\U0001f467"
CODECS = {Unit.UTF_8: ("utf-8", 1), Unit.UTF_16: ("utf-16-le", 2), Unit.UTF_32: ("utf-32-le", 4)}
texts = st.text(st.sampled_from("ab é€\r\n" + FACE + "\U0001f469\u200d\ud800"), max_size=30) | st.text(max_size=30)
units = st.sampled_from(list(CODECS))


def count(text: str, unit: Unit) -> int:
    codec, width = CODECS[unit]
    return len(text.encode(codec, errors="surrogatepass")) // width


@given(texts, units)
def test_every_offset_counts_what_the_codec_writes_and_comes_back(text: str, unit: Unit) -> None:
    positions = Positions(text, unit)
    for offset in range(len(text) + 1):
        assert positions.to_units(offset) == count(text[:offset], unit)
        assert positions.to_code_points(positions.to_units(offset)) == offset


@given(texts, units)
def test_an_offset_inside_a_character_is_its_beginning(text: str, unit: Unit) -> None:
    positions = Positions(text, unit)
    starts = [count(text[:offset], unit) for offset in range(len(text))]
    for number in range(count(text, unit)):
        expected = max(offset for offset, start in enumerate(starts) if start <= number)
        assert positions.to_code_points(number) == expected


def test_an_offset_outside_the_text_is_the_nearer_end() -> None:
    positions = Positions(f"a{FACE}", Unit.UTF_16)
    assert positions.to_code_points(99) == 2
    assert positions.to_code_points(-5) == 0


@pytest.mark.parametrize(
    ("unit", "expected"),
    [(Unit.UTF_16, Span(3, 8)), (Unit.UTF_8, Span(5, 16)), (Unit.CODE_POINTS, Span(2, 5)), (Unit.UTF_32, Span(2, 5))],
)
def test_emoji_before_and_inside_a_span(unit: Unit, expected: Span) -> None:
    positions = Positions(f"{FACE} {FAMILY} x", unit)
    assert positions.span_to_units(Span(2, 5)) == expected
    assert positions.span_to_code_points(expected) == Span(2, 5)


@given(texts, units)
def test_places_come_back_outside_of_line_ends(text: str, unit: Unit) -> None:
    lines = Lines(text, unit)
    for offset in range(len(text) + 1):
        found = lines.offset_of(lines.place_of(offset))
        inside = text[max(offset - 1, 0) : offset + 1] == "\r\n"
        assert found == (offset - 1 if inside else offset)


def test_three_kinds_of_line_end() -> None:
    text = f"one\r\n{FACE}two\rthree\nfour"
    lines = Lines(text, Unit.UTF_16)
    assert lines.place_of(text.index("two")) == Place(1, 2)
    assert lines.place_of(text.index("three")) == Place(2, 0)
    assert lines.place_of(len(text)) == Place(3, 4)
    assert lines.offset_of(Place(1, 1)) == text.index(FACE)


@pytest.mark.parametrize(("place", "offset"), [(Place(0, 99), 3), (Place(9, 0), 7), (Place(-1, 0), 0)])
def test_a_place_outside_the_text_is_the_nearest_inside(place: Place, offset: int) -> None:
    assert Lines("one\ntwo", Unit.UTF_8).offset_of(place) == offset
