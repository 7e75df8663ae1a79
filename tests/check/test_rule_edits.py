from __future__ import annotations

import lzma
import re
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from rewriting import corrector_that

import redraft
from redraft.check.corrector import Corrector
from redraft.check.options import CheckOptions
from redraft.check.session import CheckSession
from redraft.edits.edit import Kind

CONTRACTIONS = Path(__file__).parent.parent / "golden" / "contractions.txt"

COPYING = corrector_that(str)


@pytest.fixture(scope="module")
def shipped() -> Corrector:
    return redraft.load("en")


def test_a_certain_error_is_corrected_where_the_model_sees_none():
    correction = COPYING.correct("I dont know.\nIt is the the end of a hour.")
    assert correction.text == "I don't know.\nIt is the end of an hour."
    assert [edit.kind for edit in correction.edits] == [Kind.PUNCTUATION, Kind.REDUNDANCY, Kind.ARTICLE]
    assert all(edit.confidence == 1 and edit.explanation for edit in correction.edits)


def test_the_model_goes_before_a_rule():
    """A rule is left out where the model changes the word or one that the rule was decided by."""
    model = corrector_that(lambda sentence: sentence.replace("hour.", "hours.").replace("dont", "do not"))
    assert model.correct("I dont have a hour.").text == "I do not have a hours."


@pytest.mark.parametrize("word", ["listens to", "hears"])
def test_a_rule_for_a_phrase_is_left_out_where_the_model_changes_the_phrase(word: str):
    model = corrector_that(lambda sentence: sentence.replace("listens", word))
    assert model.correct("She listens music here.").text == f"She {word} music here."
    inserting = corrector_that(lambda sentence: sentence.replace("music", "to music"))
    assert inserting.correct("She listens music here.").text == "She listens to music here."


def test_a_capital_does_not_depend_on_the_words_beside_it():
    model = corrector_that(lambda sentence: sentence.replace(" have went", " went"))
    assert model.correct("Yesterday i have went there.").text == "Yesterday I went there."


def test_an_edit_of_the_model_that_brings_in_an_error_is_refused():
    model = corrector_that(lambda sentence: sentence.replace("wake", "woke"))
    assert model.correct("I used to wake up early.").text == "I used to wake up early."
    assert model.correct("Then I wake up early.").text == "Then I woke up early."


def test_a_possible_error_gives_way_to_a_rule(shipped: Corrector):
    options = CheckOptions(possible_errors=True)
    text = "We was promised a sea view but we only can see the car park."
    findings = CheckSession(shipped, options).check(text).findings
    assert [finding.edit.certain for finding in findings if finding.edit.source == "was"] == [True]
    # A possible error between the words that decided is another way to correct the same: “That is why”.
    findings = CheckSession(shipped, options).check("I love it. That why I am here.").findings
    assert [(finding.edit.replacement, finding.edit.certain) for finding in findings] == [("That's", True)]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("I went to the shop. it was closed.", "I went to the shop. It was closed."),
        ("We failed again.  when i came here, i learned more.", "We failed again.  When I came here, I learned more."),
        ("Perfect. that works. thanks.", "Perfect. That works. thanks."),
    ],
)
def test_a_sentence_behind_another_begins_with_a_capital(text: str, written: str):
    assert COPYING.correct(text).text == written


@pytest.mark.parametrize(
    "text",
    [
        "the first sentence of a line may be a part of one.",
        "I like it.\nand this is another line of the text.",
        "Lo! he came, and why? because of them.",
        "We met at 5 p.m. and left, etc. and so on. eBay opened it.",
        "The species spp. and the hon. and gallant gentleman are here.",
        "See example.txt. then-and-now is a file. `the` code is here.",
        "It ends here.) and goes on here.",
        "Je vais à la gare. on y va avec eux.",
    ],
)
def test_other_small_letters_at_the_start_are_left_alone(text: str):
    assert COPYING.correct(text).text == text


def test_the_model_decides_on_a_first_word_that_it_changes():
    model = corrector_that(lambda sentence: sentence.replace("it was", "They were"))
    assert model.correct("I saw them. it was there.").text == "I saw them. They were there."


def test_rules_leave_protected_text_and_dictionary_words_alone():
    assert COPYING.correct("I use `a hour` and `dont` here.").edits == ()
    assert COPYING.correct("I dont know.", dictionary={"dont"}).edits == ()
    assert COPYING.correct("See http://dont.example.org/dont for the rest.").edits == ()


def test_rules_are_for_english_alone():
    assert COPYING.correct("Voici le livre dont je parle.").edits == ()
    assert COPYING.correct("Im Haus ist es warm, und das ist gut.").edits == ()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("school", "school school"),
        ("the", ""),
        ("number", "Number"),
        ("Dear Mr Robertson", "Dear Mr Robertson,"),
        ("Hotel near beach", "A hotel near the beach."),
        ("installation of the new version", "Installation of the new version"),
    ],
)
def test_a_fragment_is_not_completed(text: str, written: str):
    assert corrector_that(lambda _: written).correct(text).edits == ()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("my freind", "my friend"),
        ("He go home", "He goes home"),
        ("She have a cat.", "She has a cat."),
        ("two cat are here", "two cats are here"),
    ],
)
def test_fragments_get_spelling_and_sentences_get_everything(text: str, written: str):
    assert corrector_that(lambda _: written).correct(text).text == written


def test_a_colon_before_code_stays_a_colon():
    model = corrector_that(lambda sentence: sentence.replace("command:", "command."))
    text = "You have to run this command:\n\n```\nmake\n```\n"
    assert CheckSession(model, CheckOptions(format="markdown")).open(text).check() == ()
    assert model.correct("You have to run this command:").edits == ()


def test_contractions_are_corrected(shipped: Corrector):
    sentences = CONTRACTIONS.read_text(encoding="utf-8").splitlines()
    corrected = [found.text for found in shipped.pipe(sentence.replace("'", "") for sentence in sentences)]
    assert sum(found == sentence for found, sentence in zip(corrected, sentences, strict=True)) >= 93


def test_frequent_words_alone_on_a_line_stay_as_they_are(shipped: Corrector, shared_data: Path):
    counts: Counter[str] = Counter()
    with lzma.open(shared_data / "en" / "clean" / "wikipedia_00.txt.xz", "rt", encoding="utf-8") as stream:
        for line in islice(stream, 5000):
            counts.update(re.findall(r"\b[a-z]{2,}\b", line))
    words = [word for word, _ in counts.most_common(600)]
    assert [word for word, found in zip(words, shipped.pipe(words), strict=True) if found.text != word] == []
