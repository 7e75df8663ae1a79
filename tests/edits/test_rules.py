from __future__ import annotations

import lzma
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.edits import rules
from redraft.edits.edit import Kind, apply
from redraft.edits.rules import find_errors
from redraft.text.protect import find_protected
from redraft.text.span import SpanSet
from redraft.text.words import word_set

CONTRACTIONS = Path(__file__).parent.parent / "golden" / "contractions.txt"


def corrected(sentence: str) -> str:
    return apply(sentence, [match.edit for match in find_errors(sentence)])


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I dont know.", "I don't know."),
        ("Dont do that to me.", "Don't do that to me."),
        ("You cant be serious.", "You can't be serious."),
        ("It wont take long.", "It won't take long."),
        ("Lets go to the park.", "Let's go to the park."),
        ("Its a good idea.", "It's a good idea."),
        ("Im sorry that Ive been late.", "I'm sorry that I've been late."),
        ("I waited for a hour.", "I waited for an hour."),
        ("He goes to an university.", "He goes to a university."),
        ("This is an one way street.", "This is a one way street."),
        ("He is an European citizen.", "He is a European citizen."),
        ("She is a FBI agent.", "She is an FBI agent."),
        ("Open an URL of the UN.", "Open a URL of the UN."),
        ("This is a open door.", "This is an open door."),
        ("I went to the the shop.", "I went to the shop."),
        ("I went to the\nthe shop.", "I went to the\nshop."),
        ("The weather is is fine.", "The weather is fine."),
        ("I and I I think so.", "I and I think so."),
        ("We will will see.", "We will see."),
        ("He has has many friends.", "He has many friends."),
        ("There is a problem with with the car.", "There is a problem with the car."),
        ("It is better than than the other.", "It is better than the other."),
        ("They was late, but she don’t know why.", "They were late, but she doesn’t know why."),
        ("Doesn't they know? Where do he live?", "Don't they know? Where does he live?"),
        ("I study english on mondays.", "I study English on Mondays."),
        ("Thanks a lot for you quick reply.", "Thanks a lot for your quick reply."),
        ("We are grateful for you help, and for you.", "We are grateful for your help, and for you."),
    ],
)
def test_certain_errors_are_corrected(sentence: str, expected: str):
    assert corrected(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        # words that look like contractions
        "It is as is his wont to do.",
        "The cant of thieves is known.",
        "This lets you do it.",
        "The dog wagged its tail.",
        "Its time complexity is high, and I know the hows and whys.",
        "They were well and she was ill.",
        "Jony Ive said so to the press.",
        "Im Haus ist es warm.",
        "Le livre dont je parle est là.",
        "I know Mr Dont from the office.",
        "Is the word “dont” in the list?",
        "Use dont_care or --dont for this.",
        # articles
        "It is an honest mistake of a European.",
        "That was an historic day, a united front, a one-off.",
        "An FBI agent sent a URL to the UN.",
        "Is vitamin a absorbed? Vitamin a is good, and a and b are letters.",
        "The a element and a elements are links.",
        "You use a instead of the.",
        "This is an svg image and an x-ray.",
        # repeated words
        "He had had it, and I know that that was very very good.",
        "Bye bye! That is New New York to you.",
        "What it is is a cat, and what I look at at night is the sky.",
        "This is the man that I talk to to learn English, and who I work with with pleasure.",
        "It has AND and OR gates.",
        "She gave her her book, and he can can fish.",
        "It is as good as they are are the others.",
        "The The is a band.",
        # agreement
        "I wish he were here, and she and I have time.",
        "What did he do, and why don't they know?",
        "What we like is they sing.",
        # thanks
        "Thank you, but help for you is on its way, and time for you both.",
        "It was done for you with help from us.",
        # capitals
        "We march in may, and polish the french fries.",
        "Run build-english or load english.json.",
        # tokenized text
        "He goes to school , and she is here .",
    ],
)
def test_correct_sentences_are_left_alone(sentence: str):
    assert corrected(sentence) == sentence


@pytest.mark.parametrize(
    ("sentence", "evidence"),
    [
        ("I waited for a hour there.", "for a hour"),
        ("Then they was late.", "they was"),
        ("Where was they then?", "was they"),
        ("I like english food.", "english"),
    ],
)
def test_a_rule_looks_at_the_words_that_decide(sentence: str, evidence: str):
    """An edit of the model beside other words does not keep the rule from its own."""
    (match,) = find_errors(sentence)
    assert match.evidence.of(sentence) == evidence


def test_a_match_has_a_kind_an_explanation_and_full_confidence():
    kinds = [match.edit.kind for match in find_errors("I dont like the the taste of a orange.")]
    assert kinds == [Kind.PUNCTUATION, Kind.REDUNDANCY, Kind.ARTICLE]
    for match in find_errors("I dont like the the taste of a orange."):
        assert match.edit.explanation.endswith(".")
        assert match.edit.confidence == 1
        assert match.evidence.contains(match.edit.span)


@given(st.text("aIdont'’. the“”-", max_size=40) | st.text())
def test_matches_fit_any_text(text: str):
    edits = [match.edit for match in find_errors(text)]
    apply(text, edits)
    assert all(edit.source != edit.replacement for edit in edits)


def test_most_contractions_are_certain():
    sentences = CONTRACTIONS.read_text(encoding="utf-8").splitlines()
    assert len(sentences) == 100
    assert sum(corrected(sentence.replace("'", "")) == sentence for sentence in sentences) >= 95


def test_correct_text_has_hardly_any_match(shared_data: Path):
    """Matches are mostly true errors of the texts; read them when this fails."""
    sentences, found = 0, []
    for path in sorted((shared_data / "en" / "clean").glob("*.txt.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as stream:
            for line in islice(stream, 500):
                sentences += 1
                matches = find_errors(line)
                protected = SpanSet(stretch.span for stretch in find_protected(line)) if matches else SpanSet(())
                found += [match.edit for match in matches if not protected.overlap(match.edit.span)]
    assert sentences > 15_000
    assert len(found) / sentences < 1.5 / 1000, found


class EveryWord:
    """In place of the words that rules may match."""

    def __contains__(self, word: object) -> bool:
        return True

    def isdisjoint(self, words: object) -> bool:
        return False


WRITTEN = sorted(
    word_set(
        "the The a an An is was I i what it Its its dont Don don't im im’ hour user European FBI e_a a. “a” you’re "
        "cant le and and, and-and A1 hes going İ é² one 's ' - \u0301 apple go"
    )
    | rules._RULE_WORDS
)


@given(st.lists(st.sampled_from(WRITTEN), max_size=9).map(" ".join))
def test_words_that_are_passed_over_match_no_rule(sentence):
    found = find_errors(sentence)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "_RULE_WORDS", EveryWord())
        assert find_errors(sentence) == found
