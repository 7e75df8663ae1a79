from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.text.formats.plain import blocks
from redraft.text.plain_sections import cut_lines, cut_plain
from redraft.text.sentences import split

SENTENCE = "She goes to school every day, and he stays at home with two old cats and a dog. "
PARAGRAPH = SENTENCE * 4


def pieces_of(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def sections_of(text: str, size: int = 50, least: int = 500) -> list[str]:
    return list(cut_plain(pieces_of(text, size), least))


def starts_of(sections: list[str]) -> set[int]:
    return {sum(map(len, sections[:number])) for number in range(len(sections))}


@given(
    st.lists(st.sampled_from(["One. ", "two ", "\n", "\n\n", "\r\n", "```", "\n```\n", "`", "x" * 30])).map("".join),
    st.integers(1, 40),
    st.integers(1, 40),
)
def test_sections_are_the_text(text: str, size: int, least: int) -> None:
    assert "".join(sections_of(text, size, least)) == text


@pytest.mark.parametrize("cut", [cut_plain, cut_lines])
@given(
    st.lists(st.sampled_from([SENTENCE, "two ", "\n", "\n\n", "```", "x" * 30, "One. Two! "])).map("".join),
    st.integers(1, 400),
    st.integers(1, 400),
    st.integers(0, 9),
)
def test_cutting_may_be_continued_at_any_section(
    cut: Callable[..., Iterator[str]], text: str, size: int, other_size: int, number: int
) -> None:
    sections = list(cut(pieces_of(text, size), 250))
    rest = "".join(sections[number:])
    assert list(cut(pieces_of(rest, other_size), 250)) == sections[number:]


def test_lines_stay_whole() -> None:
    text = "".join(f"{'word ' * (number % 90)}\r\n" for number in range(200))
    sections = list(cut_lines(pieces_of(text, 70), 300))
    assert "".join(sections) == text
    assert len(sections) > 50
    assert all(section.endswith("\r\n") for section in sections)


def test_paragraphs_stay_whole() -> None:
    text = f"  {PARAGRAPH}\n\n" * 20
    sections = sections_of(text)
    assert len(sections) > 10
    assert starts_of(sections) - {0} <= {placed.start for placed in blocks(text)}


@pytest.mark.parametrize("between", ["", "\n"])
def test_a_long_paragraph_is_cut_between_sentences(between: str) -> None:
    text = f"{SENTENCE}{between}" * 60
    sections = sections_of(text)
    assert len(sections) > 5
    assert starts_of(sections) <= {sentence.start for sentence in split(text)}


def test_code_blocks_are_not_cut() -> None:
    code = "```\nlet a = 1. Then.\n\nlet b = 2.\n```\n" * 30
    fence = f"```\n{PARAGRAPH * 10}\n\n{PARAGRAPH}\n```\n"
    text = f"{PARAGRAPH}\n\n{code}{PARAGRAPH * 3}{fence}{PARAGRAPH * 3}\n\n{PARAGRAPH * 5}"
    sections = sections_of(text)
    assert len(sections) >= 4
    assert all(section.count("```") % 2 == 0 for section in sections)


def test_an_unclosed_fence_is_text() -> None:
    text = f"{PARAGRAPH}\n\n``` {PARAGRAPH}\n\n{PARAGRAPH * 9}"
    assert "".join(sections_of(text)) == text


def test_a_sentence_is_never_cut() -> None:
    text = "word " * 1000
    assert sections_of(text) == [text]


@pytest.mark.parametrize("text", [f"{PARAGRAPH}\n\n", PARAGRAPH])
def test_only_a_few_pieces_are_taken_ahead(text: str) -> None:
    taken: list[int] = []

    def endless() -> Iterator[str]:
        for number in count():
            taken.append(number)
            yield text

    assert len(list(islice(cut_plain(endless(), 1000), 20))) == 20
    assert len(text) * len(taken) < 20 * 2 * 1000 + 2000


def test_text_that_cannot_be_cut_is_searched_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []

    def count_characters(text: str) -> int:
        searched.append(len(text))
        return 0

    monkeypatch.setattr("redraft.text.plain_sections._find_end", count_characters)
    text = "x" * 100_000
    assert sections_of(text) == [text]
    assert sum(searched) < 3 * len(text)
