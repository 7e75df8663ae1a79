from __future__ import annotations

import pytest
from rewriting import corrector_that

from redraft.check.options import CheckOptions
from redraft.check.reading import Form, Reading
from redraft.edits.edit import Edit, apply

SENTENCE = "SHE GO TO SCHOOL WITH HIS FRIEND"


def edit_in(source: str, rewrite: dict[str, str]) -> tuple[str, tuple[Edit, ...]]:
    """The corrected text and its edits, where the model replaces words of the text that it is given."""

    def correct(sentence: str) -> str:
        for old, new in rewrite.items():
            sentence = sentence.replace(old, new)
        return sentence

    result = corrector_that(correct).correct(source)
    assert apply(source, result.edits) == result.text
    return result.text, result.edits


def test_a_usual_sentence_is_read_as_it_is() -> None:
    reading = Reading.of("She goes to school.", "en")
    assert (reading.seen, reading.form, reading.is_converted) == ("She goes to school.", Form.USUAL, False)
    assert reading.restore("went", "goes") == reading.convert("went") == "went"


def test_a_sentence_in_capitals_is_read_in_small_letters() -> None:
    reading = Reading.of(SENTENCE, "en")
    assert (reading.seen, reading.form) == ("She go to school with his friend", Form.CAPITALS)
    assert (reading.convert("GOES"), reading.restore("goes", "GO")) == ("goes", "GOES")
    assert reading.restore_explanation("Use “goes” with “she”.") == "Use “GOES” with “SHE”."


def test_corrections_of_a_sentence_in_capitals_are_in_capitals() -> None:
    text, edits = edit_in(SENTENCE, {"She go ": "She goes ", "his": "her"})
    assert text == "SHE GOES TO SCHOOL WITH HER FRIEND"
    assert [(one.source, one.replacement) for one in edits] == [("GO", "GOES"), ("HIS", "HER")]
    assert "“GOES”" in edits[0].explanation


def test_a_change_of_capitals_alone_is_none() -> None:
    text = "NOBODY IN LONDON KNOWS HIM"
    assert edit_in(text, {"london": "London"}) == (text, ())
    changed, edits = edit_in(text, {"london": "London", "knows": "knew"})
    assert (changed, len(edits)) == ("NOBODY IN LONDON KNEW HIM", 1)


def test_no_full_stop_is_added_to_a_title() -> None:
    title = "HE WRITE THE HISTORY OF THE CITY"
    close = corrector_that(lambda sentence: f"{sentence.replace('write', 'wrote').rstrip('.')}.")
    assert close.correct(title).text == "HE WROTE THE HISTORY OF THE CITY"
    assert close.correct("He write the history").text == "He wrote the history."


def test_titles_of_few_words_stay() -> None:
    assert edit_in("TERMS OF USES", {"uses": "use", "USES": "USE"})[0] == "TERMS OF USES"


@pytest.mark.parametrize(
    ("rest", "corrected"), [("It is bad.", "It is good."), ("IT IS VERY BAD.", "IT IS VERY GOOD.")]
)
def test_sentences_of_both_kinds_in_one_text(rest: str, corrected: str) -> None:
    assert edit_in(f"{SENTENCE}.\n{rest}", {"She go ": "She goes ", "bad": "good"})[0] == (
        f"{SENTENCE.replace('GO', 'GOES')}.\n{corrected}"
    )


def test_other_replacements_are_in_capitals_too() -> None:
    corrector = corrector_that(lambda sentence: sentence.replace("his", "her"))
    (edit,) = corrector.correct(SENTENCE).edits
    assert all(one.replacement.isupper() for one in corrector.alternatives(SENTENCE, edit))


def test_there_are_no_possible_errors_in_capitals() -> None:
    corrector = corrector_that(lambda sentence: sentence).with_options(CheckOptions(possible_errors=True))
    assert corrector.possible_errors(SENTENCE) == ()
