"""A word that no text has is corrected with less confidence than other errors."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from rewriting import TOKENIZER, usual_tokens
from scripted import EOS, Choose, CopyingStepper, Probability, ScriptedEngine

from redraft.check.corrector import Corrector
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions
from redraft.model.folder import ModelInfo
from redraft.model.known_words import KnownWords

THRESHOLD = 0.8
KNOWN = KnownWords.build({"siblings", "have", "four", "sausage", "school", "schools", "number"})


def correct(
    source: str, wanted: str, confidence: float, known: KnownWords | None = KNOWN, policy: str = "refine"
) -> str:
    """The correction of a sentence by a model that gives every token of `wanted` one probability where it is no longer
    the source's, and copies where it may not write it."""
    expected = TOKENIZER.encode(wanted)

    class Stepper(CopyingStepper):
        """Reads the text of a source, in whatever tokens."""

        def __init__(self, sources: Sequence[Sequence[int]], choose: Choose, probability: Probability) -> None:
            super().__init__([usual_tokens(ids) for ids in sources], choose, probability)

    def choose(ids: Sequence[int], target: Sequence[int]) -> int:
        for text in (expected, ids):
            if list(target) == list(text[: len(target)]):
                return [*text, EOS][len(target)]
        return EOS

    def probability(ids: Sequence[int], target: Sequence[int]) -> float:
        end = len(target)
        copies = list(target) == list(ids[:end]) and choose(ids, target) == [*ids, EOS][end]
        return confidence if list(target) == expected[:end] and not copies else 1.0

    engine = ScriptedEngine(choose, 300, Stepper, probability)
    options = SolverOptions(DecodeOptions(policy))
    solver = SentenceSolver(engine, TOKENIZER, ModelInfo("scripted", "en"), options, known_words=known)
    return Corrector(solver, threshold=THRESHOLD).correct(source).text


WRONG, RIGHT = "I have four sibblings.", "I have four siblings."


@pytest.mark.parametrize("policy", POLICIES)
def test_an_unknown_word_is_corrected_with_less_confidence(policy: str) -> None:
    assert correct(WRONG, RIGHT, 0.6, policy=policy) == RIGHT
    assert correct(WRONG, RIGHT, 0.5, policy=policy) == WRONG, "the third power of the threshold is 0.512"


def test_without_known_words_it_needs_the_threshold() -> None:
    assert correct(WRONG, RIGHT, 0.79, known=None) == WRONG


def test_a_known_word_is_no_misspelling() -> None:
    known = KnownWords.build({"siblings", "sibblings", "have", "four"})
    assert correct(WRONG, RIGHT, 0.79, known) == WRONG


def test_a_word_with_a_capital_may_be_a_name() -> None:
    assert correct("I have four Sibblings.", "I have four Siblings.", 0.79) == "I have four Sibblings."


def test_an_unknown_word_in_capitals_may_be_a_name() -> None:
    source, target = WRONG.upper(), RIGHT.upper()
    assert correct(source, RIGHT, 0.9) == source
    assert correct(source, RIGHT, 0.99) == target, "the tenth root of the threshold is 0.978"


def test_many_unknown_words_in_capitals_are_codes() -> None:
    row = "SIBBLINGS TSLA MSFT GOOG HAVE FOUR"
    right = "Siblings tsla msft goog have four"
    assert correct(row, right, 0.99) == row
    assert correct(row.replace("GOOG ", ""), right.replace("goog ", ""), 0.99) == "SIBLINGS TSLA MSFT HAVE FOUR"


def test_a_short_word_in_capitals_is_no_name() -> None:
    assert correct("I HAVE A FOUR SIBLINGS.", "I have the four siblings.", 0.9) == "I HAVE THE FOUR SIBLINGS."


def test_an_unknown_word_is_not_replaced_by_another_one() -> None:
    assert correct(WRONG, "I have four sibblinks.", 0.999) == WRONG


def test_a_word_with_many_wrong_letters_needs_more() -> None:
    source = "I have four sossidge."
    assert correct(source, "I have four sausage.", 0.95) == source


def test_other_edits_at_an_unknown_word_need_the_threshold() -> None:
    assert correct(WRONG, "I have four the sibblings.", 0.79) == WRONG
    assert correct(WRONG, "I have four old sibblings.", 0.79) == WRONG
    assert correct("I saw four sibblings.", "I see four sibblings.", 0.79) == "I saw four sibblings."


@pytest.mark.parametrize("part", ["https://sibblings.org", "sibblings/", "@sibblings", "sibblings-four", "sibb_lings"])
def test_parts_of_addresses_and_compounds_are_no_misspellings(part: str) -> None:
    source = f"I have {part} here."
    assert correct(source, source.replace("bb", "b"), 0.79) == source


def test_the_plural_of_a_known_word_is_known() -> None:
    known = KnownWords.build({"sausage", "city", "have", "four", "sausageman"})
    for plural, other in (("sausages", "sausageman"), ("cities", "city")):
        source, wanted = f"I have four {plural}.", f"I have four {other}."
        assert correct(source, wanted, 0.6, known) == source


def test_a_misspelt_word_is_not_redundant() -> None:
    assert correct(WRONG, "I have four.", 0.99) == WRONG
    assert correct("I have four four.", "I have four.", 0.99) == "I have four."
