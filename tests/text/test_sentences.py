from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.text.patterns import EMOJI
from redraft.text.sentences import _ASCII_TERMINAL, _TERMINAL, split, split_clauses, strip_signs
from redraft.text.span import Span

ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.text("aA.!?…。；:\"')( \n\r\t-1\u2029\ud800\u200b")


def sentences(text: str) -> list[str]:
    return [span.of(text) for span in split(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Mr. Hill met Dr. J. R. Jones at 5 p.m. on Monday.",
        "The U.S. Army moved, e.g. to the coast, i.e. north.",
        "See No. 5, Fig. 3 and p. 12 of vol. 2.",
        "It costs 3.50 or 1,000.25 a piece.",
        "I waited... and then I left.",
        "“Why?” he asked.",
        '"Stop!" she cried, "now."',
        "Look at www.a.org/b.html or write to a.b@c.org today.",
        "Version 2.0.1 reads report.final.txt at once.",
        "Yahoo (and others) etc. were there.",
        "Smith et al. found it in approx. five days.",
        "Trooper J. A. Grant met W. B. I. Martin of Washington, D. C. at noon.",
        "a. first",
        "I saw it at the end of the line, where wrapped text\ngoes on without a stop, as it does in many\nletters.",
    ],
)
def test_one_sentence(sentence: str):
    assert sentences(sentence) == [sentence]
    assert sentences(f"Before it. {sentence}")[-1] == sentence


@pytest.mark.parametrize(
    "expected",
    [
        ["One.", "Two!", "Three?", "Four?!", "Five…", "Six"],
        ["i came home.", "it was late.", "we slept!", "all was good"],
        ["He said “no.”", "Then he left.", "(It was late.)", "Good."],
        ["We met in the U.S.", "He was late.", "It was 5 p.m.", "The bus left."],
        ["I chose plan B.", "However, it failed.", "So did I.", "She won."],
        ["I said no.", "She agreed.", "We bought pens, etc.", "Peter paid."],
        ["In 2010 it rained.", "5 people came.", "हम घर गए।", "वह आया।"],
    ],
)
def test_several_sentences(expected: list[str]):
    assert sentences(" ".join(expected)) == expected
    assert sentences("\r\n".join(expected)) == expected


def test_chinese_needs_no_spaces():
    assert sentences("今天很好。我们走吧！你呢？好；走了……再见") == [
        "今天很好。",
        "我们走吧！",
        "你呢？",
        "好；",
        "走了……",
        "再见",
    ]
    assert sentences("他说：“好。”然后走了。") == ["他说：“好。”", "然后走了。"]


def test_lists_headings_and_blank_lines_end_sentences():
    text = "My day\n\n# Plan\n1. Get up early\n2. Eat. Then run\n- a walk\n* a nap\n> quoted words\nBuy this:\nmilk"
    assert sentences(text) == [
        *("My day", "# Plan", "1. Get up early", "2. Eat.", "Then run", "- a walk", "* a nap", "> quoted words"),
        *("Buy this:", "milk"),
    ]


def test_a_short_line_before_a_long_one_was_not_wrapped():
    assert sentences("Dear John\nI am writing to you because of the letter that you sent me.\nYours\nAnn") == [
        "Dear John",
        "I am writing to you because of the letter that you sent me.",
        "Yours",
        "Ann",
    ]


def test_a_line_longer_than_any_wrapped_line_is_a_paragraph():
    line = "word " * 50 + "end"
    assert sentences(f"{line}\n{line}") == [line, line]


@settings(deadline=None)
@given(ANY_TEXT)
def test_sentences_hold_every_character_but_white_space_once(text: str):
    spans = list(split(text))
    position = 0
    for span in spans:
        assert not text[position : span.start].strip()
        assert span.of(text) == span.of(text).strip()
        assert span
        position = span.end
    assert not text[position:].strip()


@pytest.mark.parametrize(
    "unit", ["a", "a. ", ".", "!)", "\n", "a\n", "e.g. ", ". ", "1. \n", "。", "word " * 12 + "\n"]
)
def test_a_long_run_is_read_in_one_pass(unit: str):
    text = unit * 50_000 + "x"
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def pieces(text: str, longest: int) -> list[str]:
    return [span.of(text) for span in split_clauses(text, lambda piece: len(piece) <= longest)]


def test_clauses_end_at_pauses_before_they_end_at_words():
    text = "We came late; the doors were shut, and nobody was there because it had begun to rain very hard"
    assert pieces(text, 40) == [
        "We came late; the doors were shut,",
        "and nobody was there",
        "because it had begun to rain very hard",
    ]
    assert pieces("one two three four", 9) == ["one two", "three", "four"]


def test_a_word_that_does_not_fit_is_cut_too():
    assert pieces("a " + "x" * 25 + " b", 10) == ["a", "x" * 10, "x" * 10, "xxxxx b"]
    assert [len(piece) for piece in pieces("我" * 25, 10)] == [10, 10, 5]


def test_what_fits_is_one_piece_and_what_never_fits_still_ends():
    assert pieces(" all of it ", 50) == ["all of it"]
    assert pieces("  ", 50) == []
    assert [span.of("ab c") for span in split_clauses("ab c", lambda _: False)] == ["a", "b", "c"]


@settings(deadline=None)
@given(ANY_TEXT, st.integers(1, 20))
def test_clauses_fit_and_lose_nothing(text: str, longest: int):
    found = list(split_clauses(text, lambda piece: len(piece) <= longest))
    assert all(0 < len(span) <= longest for span in found)
    position = 0
    for span in found:
        assert not text[position : span.start].strip()
        position = span.end
    assert not text[position:].strip()


def test_a_long_sentence_takes_few_calls():
    asked = 0

    def fits(piece: str) -> bool:
        nonlocal asked
        asked += len(piece)
        return len(piece) <= 300

    text = "word " * 10_000
    found = list(split_clauses(text, fits))
    assert asked < 40 * len(text)
    assert len(found) < 400


def test_chinese_sentences() -> None:
    marked = "他说：“我不去！”|然后走了……|真的吗？|对；|好。|OK!|好的…|就这样。|3.5元.|好.|我走了"
    text = marked.replace("|", "")
    assert "|".join(sentence.of(text) for sentence in split(text)) == marked


def test_a_hard_wrapped_chinese_sentence_stays_whole() -> None:
    line = "这是一个很长的句子写到一行的末尾还没有写完所以它在下一行继续"
    assert len(list(split(f"{line}\n{line}\n{line}。"))) == 1
    assert len(list(split(f"标题\n\n{line}。"))) == 2


@pytest.mark.parametrize(
    "sentence",
    ["😀 {}", "{} 😀", "{}👍🏽", "🎉🎉  {} ❤️\n", "👩‍👩‍👧‍👦 🇩🇪 {}  🇺🇦🇺🇦 ", "• {}", "→ {} ✓", "1️⃣ {} ‼", "{}", " {} "],
)
def test_signs_before_and_behind_a_sentence_are_no_part_of_it(sentence: str) -> None:
    body = "We 😀 go “home”, ok?"
    text = sentence.format(body)
    assert strip_signs(text).of(text).strip() == body


@pytest.mark.parametrize("sentence", ["", " ", "😀", " 😀 ❤️\n"])
def test_signs_alone_are_no_sentence(sentence: str) -> None:
    assert not strip_signs(sentence).of(sentence).strip()


@given(ANY_TEXT | st.text("a😀❤\ufe0f\u200d🇩🇪• \n.1\u20e3"))
def test_nothing_but_signs_is_left_out(text: str) -> None:
    span = strip_signs(text)
    assert not re.sub(
        rf"{EMOJI}|[\s•\u2023\u2043\u2190-\u21ff\u25a0-\u25ff]", "", text[: span.start] + text[span.end :]
    )


def test_many_signs_take_no_longer_than_many_words() -> None:
    text = ("😀 " * 20_000 + " " * 20_000 + "a") * 2
    assert strip_signs(text) == Span(60_000, len(text))


def test_a_command_or_code_is_a_sentence_of_its_own():
    lines = ["To try it, go to the folder and type", "$ make test", "then wait until all of the tests have passed"]
    assert sentences("\n".join(lines)) == lines


@given(st.text(st.characters(max_codepoint=127)) | st.text("aA.!?:\"')]}*_ \n-1"))
def test_the_pattern_for_ascii_matches_what_the_other_does(text):
    found = [(match.span(), match[1]) for match in _ASCII_TERMINAL.finditer(text)]
    assert found == [(match.span(), match[1]) for match in _TERMINAL.finditer(text)]
