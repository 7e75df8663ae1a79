"""Unknown words that the model copies become known words that it finds likelier there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from rewriting import TOKENIZER
from scripted import EOS, ScriptedEngine, ScriptedStepper

import redraft
from redraft.check.corrector import Corrector
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions
from redraft.decode.stepper import Feed, Ranking
from redraft.edits.edit import Kind, apply
from redraft.model.folder import ModelInfo
from redraft.model.known_words import KnownWords

KNOWN = KnownWords.build({"weekend", "weakened", "knees", "knives", "have", "nice", "hurt", "both"})
SOURCE, RIGHT = "Have a nice weckend now.", "Have a nice weekend now."


def copying(
    others: Mapping[str, float], threshold: float = 0.8, known: KnownWords = KNOWN, policy: str = "refine"
) -> Corrector:
    """A corrector whose model copies every sentence, and gives other sentences some probability where they begin to
    differ; the copied token has the rest."""
    ids = {tuple(TOKENIZER.encode(text)): probability for text, probability in others.items()}

    class Stepper(ScriptedStepper):
        def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
            self.extend(feeds)
            return [self._rank(self.sources[feed.row], self.fed[feed.row][1:]) for feed in feeds]

        def _rank(self, source: Sequence[int], target: Sequence[int]) -> Ranking:
            found: dict[int, float] = {}
            for other, probability in ids.items():
                if list(other[: len(target)]) == list(target):
                    token = [*other, EOS][len(target)]
                    copied = list(source[: len(target) + 1]) == [*target, token]
                    branches = list(source[: len(target)]) == list(target) and not copied
                    found[token] = max(found.get(token, 0.0), probability if branches else 1.0)
            if list(source[: len(target)]) == list(target):
                token = [*source, EOS][len(target)]
                found[token] = max(1e-9, 1 - sum(share for one, share in found.items() if one != token))
            return Ranking(list(found), [math.log(share) for share in found.values()])

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        return [*source, EOS][min(len(target), len(source))]

    engine = ScriptedEngine(choose, 300, Stepper)
    options = SolverOptions(DecodeOptions(policy))
    solver = SentenceSolver(engine, TOKENIZER, ModelInfo("scripted", "en"), options, known_words=known)
    return Corrector(solver, threshold=threshold)


def test_the_known_word_needs_the_threshold_as_its_share() -> None:
    assert copying({RIGHT: 0.9}).correct(SOURCE).text == RIGHT
    assert copying({RIGHT: 0.7}).correct(SOURCE).text == SOURCE
    assert copying({RIGHT: 0.7}, threshold=0.6).correct(SOURCE).text == RIGHT


def test_with_a_threshold_of_zero_it_must_be_likelier_than_all_others() -> None:
    assert copying({RIGHT: 0.4}, threshold=0.0).correct(SOURCE).text == SOURCE


def test_two_likely_words_leave_it_as_it_is() -> None:
    source = "Both knies hurt."
    assert copying({"Both knees hurt.": 0.95}).correct(source).text == "Both knees hurt."
    assert copying({"Both knees hurt.": 0.5, "Both knives hurt.": 0.45}).correct(source).text == source


def test_the_edit_has_its_place_kind_and_confidence() -> None:
    result = copying({RIGHT: 0.9}).correct(SOURCE)
    (edit,) = result.edits
    assert (edit.source, edit.replacement, edit.kind) == ("weckend", "weekend", Kind.SPELLING)
    assert 0.8 <= edit.confidence <= 1
    assert apply(SOURCE, result.edits) == result.text
    assert len(result.trace.sentences[0].passes) == 2, "the corrected sentence is read again"


@pytest.mark.parametrize(
    "sentence",
    [
        "Have a nice Weckend now.",  # may be a name
        "Have a nice weckend-trip now.",
        "Have a nice weckend/knies now.",
        "Have a nice knots now.",  # no known word is near
        "Have a nice week now.",  # none is near either
    ],
)
def test_names_compounds_and_words_without_neighbours_stay(sentence: str) -> None:
    right = sentence.replace("eck", "eek").replace("Weck", "Week").replace("knots", "knees")
    assert copying({right: 0.99}).correct(sentence).text == sentence


def test_the_first_word_may_have_a_capital() -> None:
    source, right = "Weckend now.", "Weekend now."
    assert copying({right: 0.9}).correct(source).text == right


def test_a_known_word_is_not_compared() -> None:
    known = KnownWords.build({"weckend", "weekend"})
    assert copying({RIGHT: 0.99}, known=known).correct(SOURCE).text == SOURCE


def test_a_sentence_of_unknown_words_is_left_alone() -> None:
    """It is in another language, or full of names."""
    source = "weckend weckand weckund weckind weckond"
    assert copying({source.replace("weckend", "weekend"): 0.99}).correct(source).text == source


@pytest.fixture(scope="module")
def shipped() -> Corrector:
    return redraft.load("en")


MISSPELT = [
    ("It was an acsident.", "It was an accident."),
    ("See you on the weckend.", "See you on the weekend."),
    ("She gave me an acurate answer.", "She gave me an accurate answer."),
]


@pytest.mark.parametrize("policy", POLICIES)
def test_the_shipped_model_chooses_known_words(shipped: Corrector, policy: str) -> None:
    corrector = shipped.with_policy(policy)
    for wrong, right in MISSPELT:
        assert corrector.correct(wrong).text == right
    assert [found.text for found in corrector.pipe(wrong for wrong, _ in MISSPELT)] == [right for _, right in MISSPELT]


@pytest.mark.parametrize("sentence", ["All locksmiths are busy today.", "He is cooking a stew of nopales and epazote."])
def test_rare_words_stay(shipped: Corrector, sentence: str) -> None:
    assert shipped.correct(sentence).text == sentence


def possible(corrector: Corrector, text: str) -> list[tuple[str, str]]:
    """The possible errors of a text, none of which is corrected."""
    assert corrector.correct(text).edits == ()
    return [(edit.source, edit.replacement) for edit in corrector.possible_errors(text)]


def test_a_known_word_that_is_hardly_likely_is_a_possible_error() -> None:
    assert possible(copying({RIGHT: 0.003}), SOURCE) == [("weckend", "weekend")]
    assert possible(copying({RIGHT: 0.002}), SOURCE) == []
    (edit,) = copying({RIGHT: 0.003}).possible_errors(SOURCE)
    assert not edit.certain and edit.kind is Kind.SPELLING
    assert edit.explanation == "“weckend” is not a known word; “weekend” may be meant."


def test_of_two_likely_words_the_likelier_is_shown() -> None:
    others = {"Both knees hurt.": 0.5, "Both knives hurt.": 0.45}
    assert possible(copying(others), "Both knies hurt.") == [("knies", "knees")]


@pytest.mark.parametrize("source", ["Have a nice weekends now.", "Have a nice weekenn now."])
def test_another_form_of_a_known_word_is_no_possible_error(source: str) -> None:
    assert possible(copying({RIGHT: 0.4}), source) == []


def test_words_that_may_be_names_are_no_possible_errors() -> None:
    assert possible(copying({"Weekend now.": 0.4}), "Weckend now.") == []
    assert possible(copying({RIGHT: 0.4}), SOURCE.upper()) == []


def test_words_of_the_dictionary_are_no_possible_errors() -> None:
    corrector = copying({RIGHT: 0.4})
    assert corrector.possible_errors(SOURCE) and not corrector.possible_errors(SOURCE, {"weckend"})


def test_possible_misspellings_have_their_places_beside_corrections() -> None:
    source = "Have a nice weckend and both knies hurt."
    corrected = source.replace("weckend", "weekend")
    others = {corrected: 0.9, source.replace("knies", "knees"): 0.4, corrected.replace("knies", "knees"): 0.4}
    corrector = copying(others)
    assert corrector.correct(source).text == corrected
    (edit,) = corrector.possible_errors(source)
    assert (edit.source, edit.replacement, edit.span.of(source)) == ("knies", "knees", "knies")
