from __future__ import annotations

import pytest

from redraft.check import unchecked
from redraft.check.unchecked import UncheckedReason, find_unchecked, summarize
from redraft.text.span import Span

SPAN = Span(3, 9)


def test_a_sentence_that_no_model_reads() -> None:
    found = find_unchecked("Она идёт в школу.", SPAN, None, ["en", "zh"])
    assert found is not None
    assert (found.span, found.reason) == (SPAN, UncheckedReason.OTHER_LANGUAGE)
    assert found.message == "Cyrillic text, but only English and Chinese are checked"
    assert found.shift(2).span == Span(5, 11)


def test_a_sentence_in_another_language_than_the_only_one_checked() -> None:
    found = find_unchecked("今天天气很好。", SPAN, None, ["en"])
    assert found and found.message == "Chinese text, but only English is checked"


def test_text_without_words_is_not_reported() -> None:
    assert find_unchecked("12345, 67.", SPAN, None, ["en"]) is None


@pytest.mark.parametrize("sentence", ["She goes to school.", "THIS IS A SENTENCE IN CAPITALS.", "CHAPTER ONE"])
def test_a_sentence_that_the_model_read_is_checked(sentence: str) -> None:
    assert find_unchecked(sentence, SPAN, "en", ["en"]) is None


@pytest.mark.parametrize("has_opencc", [True, False])
def test_traditional_characters_need_opencc(has_opencc: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unchecked, "can_simplify", lambda: has_opencc)
    found = find_unchecked("我對音樂很興趣。", SPAN, "zh", ["zh"])
    assert (found.reason if found else None) == (None if has_opencc else UncheckedReason.NEEDS_OPENCC)
    assert find_unchecked("我对音乐很兴趣。", SPAN, "zh", ["zh"]) is None


def test_a_decoding_without_a_usable_result() -> None:
    found = find_unchecked("She goes to school.", SPAN, "en", ["en"], has_result=False)
    assert found and found.reason is UncheckedReason.NO_RESULT


def test_the_summary_counts_sentences_and_names_each_reason_once() -> None:
    assert summarize(1, ["Cyrillic text"]) == "1 sentence was not checked: Cyrillic text"
    assert summarize(3, ["Cyrillic text", "Greek text", "Cyrillic text"]) == (
        "3 sentences were not checked: Cyrillic text; Greek text"
    )
