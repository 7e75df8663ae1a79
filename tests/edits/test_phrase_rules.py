from __future__ import annotations

import re

import pytest

from redraft.edits.edit import Kind, apply
from redraft.edits.lexicon import COMMON_VERBS, NOUNS_AND_VERBS
from redraft.edits.pattern import find_all
from redraft.edits.phrase_rules import PHRASE_RULES
from redraft.edits.rules import find_errors, find_new_errors


def corrected(sentence: str) -> str:
    return apply(sentence, [match.edit for match in find_errors(sentence)])


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("She should have went, but it hasn't began.", "She should have gone, but it hasn't begun."),
        ("We've already ate, and I have never did it.", "We've already eaten, and I have never done it."),
        ("He didn't went there. I want to brought it.", "He didn't go there. I want to bring it."),
        ("I am agree with you, and they’re not agree.", "I agree with you, and they don’t agree."),
        ("I am totally agree, but we are not agree.", "I totally agree, but we do not agree."),
        ("I like listening music and listen the radio.", "I like listening to music and listen to the radio."),
        ("I have not seen him since two weeks.", "I have not seen him for two weeks."),
        ("Since more than five years I live here.", "For more than five years I live here."),
        ("He works very hardly. I tried hardly to win.", "He works very hard. I tried hard to win."),
        ("I made it by my own, and by their own.", "I made it on my own, and on their own."),
        ("He told that he was busy.", "He said that he was busy."),
        ("How does your house look like?", "What does your house look like?"),
        ("Please find attach the file.", "Please find attached the file."),
        ("I'm used to wake up early.", "I'm used to waking up early."),
        ("Can you tell me what time is it?", "Can you tell me what time it is?"),
        ("I don't know where is the station.", "I don't know where the station is."),
        ("What you are doing?", "What are you doing?"),
        ("How many books you have read?", "How many books have you read?"),
        ("Where you live in Spain?", "Where do you live in Spain?"),
        ("I not like it, because he no understand.", "I don't like it, because he doesn't understand."),
        ("They what to be here.", "They want to be here."),
        ("He is a friend of me.", "He is a friend of mine."),
        ("I prefer tea than coffee.", "I prefer tea to coffee."),
    ],
)
def test_phrases_are_corrected(sentence: str, expected: str):
    assert corrected(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "She had a rose, and they have saw blades and have found it.",
        "We have become friends, and I had rather gone than come.",
        "They are agreed, and we are to agree. You're agreeable.",
        "It is the most listened radio station, and easy-listening music.",
        "Since two years ago it works, and since three weeks have passed, we go.",
        "It hardly works, and he worked hardly at all.",
        "Do not judge others by your own.",
        "He told that story, and was he told that it was late?",
        "How do you like it, and how does it look?",
        "Find attach points. Please find attached the file.",
        "It is used to wake people. I used to wake up early. I am used to milk.",
        "What time is it, and where is the station?",
        "What you are is what you do?",
        "When you are ready, will you call me?",
        "How many of you are coming?",
        "How many do you need?",
        "How many would you like?",
        "What you see is what you get?",
        "They not only work, and I no longer know.",
        "She made a friend of him, and a friend of her mother called.",
        "I prefer riskier choices than they do, and I would prefer more than one.",
        "I know what to do, and you showed them what to say.",
    ],
)
def test_correct_phrases_are_left_alone(sentence: str):
    assert corrected(sentence) == sentence


def test_every_rule_has_a_part_of_what_it_matches():
    """Sentences without the parts of a rule are not searched, so a wrong part would switch the rule off."""
    sentences = [
        "They haven't ate.", "He’s here, and I’ve went.", "You don’t brought it.", "I disagree, and I am disagree.",
        "Why they are here?", "We no go.", "It looks good, but how will he looks like?", "How did they look like?",
    ]  # fmt: skip
    for sentence in sentences:
        for rule in PHRASE_RULES:
            if rule.pattern.search(sentence):
                assert rule.may_match(sentence, re.findall("[a-z]+", sentence.lower())), (rule, sentence)


@pytest.mark.parametrize("verb", sorted(COMMON_VERBS - NOUNS_AND_VERBS - {"must"}))
def test_verbs_behind_used_to_get_their_ing_form(verb: str):
    (match,) = find_all(PHRASE_RULES, f"I am used to {verb} here.", ())
    assert match.replacement.endswith("ing") and match.kind is Kind.VERB_FORM
    assert (match.replacement[0] == verb[0] and not match.replacement.endswith("eing")) or verb in {
        "be",
        "agree",
        "disagree",
        "see",
    }


def test_new_errors_are_those_that_the_sentence_did_not_have():
    assert find_new_errors("I am used to wake.", "I used to woke.")[0].of("I used to woke.") == "woke"
    assert find_new_errors("I have went there often.", "I have went there.") == []
    assert find_new_errors("It is fine.", "It was fine.") == []
