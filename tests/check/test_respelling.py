"""Unknown words that the model copies become known words that it finds likelier there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from rewriting import usual_tokens
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
from redraft.tokens.tokenizer import Tokenizer

TOKENIZER = Tokenizer.train_bytes(["weck wick kni oft every school steamshipcompany"] * 3, 350)
"""These words are one token each; other words begin with them."""
KNOWN = KnownWords.build({"weekend", "weakened", "knees", "knives", "have", "nice", "hurt", "both", "afternoon"})
SOURCE, RIGHT = "Have a nice weckend now.", "Have a nice weekend now."


def copying(
    others: Mapping[str, float],
    threshold: float = 0.8,
    known: KnownWords = KNOWN,
    policy: str = "refine",
    in_short_tokens: Mapping[str, float] | None = None,
    max_tokens: int = 300,
) -> Corrector:
    """A corrector whose model copies every sentence, and gives other sentences some probability where they begin to
    differ; the copied token has the rest.

    `in_short_tokens` are the other sentences for a source in other tokens than usual, the same ones if not given. The
    likeliest of them is written then, if it is likelier than the source.
    """
    usual = {tuple(TOKENIZER.encode(text)): probability for text, probability in others.items()}
    short = usual
    if in_short_tokens is not None:
        short = {tuple(TOKENIZER.encode(text)): probability for text, probability in in_short_tokens.items()}

    def rank(given: Sequence[int], target: Sequence[int]) -> dict[int, float]:
        source = usual_tokens(given, TOKENIZER)
        found: dict[int, float] = {}
        for other, probability in (usual if list(given) == source else short).items():
            if list(other[: len(target)]) == list(target):
                token = [*other, EOS][len(target)]
                copied = source[: len(target) + 1] == [*target, token]
                branches = source[: len(target)] == list(target) and not copied
                found[token] = max(found.get(token, 0.0), probability if branches else 1.0)
        if source[: len(target)] == list(target):
            token = [*source, EOS][len(target)]
            found[token] = max(1e-9, 1 - sum(share for one, share in found.items() if one != token))
        return found

    class Stepper(ScriptedStepper):
        def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
            self.extend(feeds)
            found = [rank(self.sources[feed.row], self.fed[feed.row][1:]) for feed in feeds]
            return [Ranking(list(one), [math.log(share) for share in one.values()]) for one in found]

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        if list(source) == usual_tokens(source, TOKENIZER):
            return [*source, EOS][min(len(target), len(source))]
        ranked = rank(source, target)
        return max(ranked, key=lambda token: ranked[token]) if ranked else EOS

    engine = ScriptedEngine(choose, max_tokens, Stepper)
    options = SolverOptions(DecodeOptions(policy))
    solver = SentenceSolver(engine, TOKENIZER, ModelInfo("scripted", "en"), options, known_words=known)
    return Corrector(solver, threshold=threshold)


def test_a_word_one_letter_away_needs_the_power_of_four_and_a_half() -> None:
    """0.37 of the weights; one of seven letters is wrong."""
    assert copying({RIGHT: 0.47}).correct(SOURCE).text == RIGHT
    assert copying({RIGHT: 0.45}).correct(SOURCE).text == SOURCE
    assert copying({RIGHT: 0.45}, threshold=0.79).correct(SOURCE).text == RIGHT


def test_a_first_word_with_a_capital_needs_the_square() -> None:
    assert copying({"Weekend now.": 0.94}).correct("Weckend now.").text == "Weekend now."
    assert copying({"Weekend now.": 0.92}).correct("Weckend now.").text == "Weckend now."


def test_the_mean_of_four_readings_is_compared() -> None:
    """In the usual tokens and in three kinds of shorter ones."""
    assert copying({}, in_short_tokens={RIGHT: 0.63}).correct(SOURCE).text == RIGHT, "three quarters of it are 0.47"
    assert copying({}, in_short_tokens={RIGHT: 0.60}).correct(SOURCE).text == SOURCE
    assert copying({RIGHT: 0.99}, in_short_tokens={}).correct(SOURCE).text == SOURCE, "a quarter of it is 0.25"


def test_of_two_words_the_likelier_by_all_readings_is_taken() -> None:
    source = "Both knies hurt."
    knees, knives = "Both knees hurt.", "Both knives hurt."
    assert copying({knees: 0.99}).correct(source).text == knees
    assert copying({knees: 0.99}, in_short_tokens={knives: 0.99}).correct(source).text == knives


def test_in_shorter_tokens_the_model_proposes_words() -> None:
    source, right = "Have a nice ofternuon now.", "Have a nice afternoon now."
    assert copying({right: 0.9}).correct(source).text == right, "two letters are wrong"
    assert copying({}, in_short_tokens={right: 0.4}).correct(source).text == source, "the model would not write it"
    unknown = KnownWords.build({"have", "nice"})
    assert copying({right: 0.9}, known=unknown).correct(source).text == source


@pytest.mark.parametrize(("max_tokens", "is_read"), [(36, True), (30, False)])
def test_a_sentence_that_becomes_too_long_is_read_in_the_usual_tokens_alone(max_tokens: int, is_read: bool) -> None:
    source = f"{'weck ' * 12}steamshipcompanyw."
    right = source.replace("companyw", "companys")
    known = KnownWords.build({"weck", "steamshipcompanys"})
    corrector = copying({}, known=known, in_short_tokens={right: 0.99}, max_tokens=max_tokens)
    assert corrector.correct(source).text == (right if is_read else source)


def test_more_wrong_letters_need_the_third_power() -> None:
    """0.51 of the weights; two of seven letters are wrong."""
    source = "Have a nice wickend now."
    assert copying({RIGHT: 0.94}).correct(source).text == RIGHT
    assert copying({RIGHT: 0.91}).correct(source).text == source, "enough for one wrong letter"


def test_beside_another_unknown_word_it_needs_the_square() -> None:
    source = "Have a nice weckend now, qzqzq."
    right = source.replace("weckend", "weekend")
    assert copying({right: 0.94}).correct(source).text == right
    assert copying({right: 0.92}).correct(source).text == source


def test_words_without_their_apostrophe_stay() -> None:
    known = KnownWords.build({"went", "have"})
    source = "Have werent now."
    assert copying({source.replace("werent", "went"): 0.99}, known=known).correct(source).text == "Have weren't now."


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("weckxyzd", "weekend"),  # too many letters differ
        ("weekendish", "weekend"),  # derived from it
    ],
)
def test_what_is_no_misspelling_stays(word: str, other: str) -> None:
    source = f"Have a nice {word} now."
    assert copying({}, in_short_tokens={f"Have a nice {other} now.": 0.99}).correct(source).text == source


def test_compounds_of_common_words_stay() -> None:
    known = KnownWords.build({"every", "school", "evenschools", "have"})
    source = "Have every everyschool now."
    model = copying({}, known=known, in_short_tokens={"Have every evenschools now.": 0.99})
    assert model.correct(source).text == source


def test_with_a_threshold_of_zero_it_needs_a_quarter() -> None:
    assert copying({RIGHT: 0.20}, threshold=0.0).correct(SOURCE).text == RIGHT
    assert copying({RIGHT: 0.17}, threshold=0.0).correct(SOURCE).text == SOURCE


def test_two_likely_words_need_more() -> None:
    source = "Both knies hurt."
    assert copying({"Both knees hurt.": 0.6}).correct(source).text == "Both knees hurt."
    assert copying({"Both knees hurt.": 0.45, "Both knives hurt.": 0.44}).correct(source).text == source


def test_the_edit_has_its_place_kind_and_confidence() -> None:
    result = copying({RIGHT: 0.9}).correct(SOURCE)
    (edit,) = result.edits
    assert (edit.source, edit.replacement, edit.kind) == ("weckend", "weekend", Kind.SPELLING)
    assert edit.confidence == pytest.approx(0.597, abs=0.01), "its share of the weights"
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
    assert copying({right: 0.95}).correct(source).text == right


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


def test_a_share_of_a_tenth_is_a_possible_error() -> None:
    assert possible(copying({RIGHT: 0.015}), SOURCE) == [("weckend", "weekend")]
    assert possible(copying({RIGHT: 0.012}), SOURCE) == []
    (edit,) = copying({RIGHT: 0.015}).possible_errors(SOURCE)
    assert not edit.certain and edit.kind is Kind.SPELLING
    assert edit.explanation == "“weckend” is not a known word; “weekend” may be meant."


def test_of_two_likely_words_the_likelier_is_shown() -> None:
    others = {"Both knees hurt.": 0.3, "Both knives hurt.": 0.29}
    assert possible(copying(others), "Both knies hurt.") == [("knies", "knees")]


@pytest.mark.parametrize("source", ["Have a nice weekends now.", "Have a nice weekenn now."])
def test_another_form_of_a_known_word_is_no_possible_error(source: str) -> None:
    assert possible(copying({RIGHT: 0.2}), source) == []


def test_words_that_may_be_names_are_no_possible_errors() -> None:
    assert possible(copying({"Weekend now.": 0.4}), "Weckend now.") == []
    assert possible(copying({RIGHT: 0.4}), SOURCE.upper()) == []


def test_words_of_the_dictionary_are_no_possible_errors() -> None:
    corrector = copying({RIGHT: 0.15})
    assert corrector.possible_errors(SOURCE) and not corrector.possible_errors(SOURCE, {"weckend"})


def test_possible_misspellings_have_their_places_beside_corrections() -> None:
    source = "Have a nice weckend and both knies hurt."
    corrected = source.replace("weckend", "weekend")
    others = {corrected: 0.95, source.replace("knies", "knees"): 0.15, corrected.replace("knies", "knees"): 0.15}
    corrector = copying(others)
    assert corrector.correct(source).text == corrected
    (edit,) = corrector.possible_errors(source)
    assert (edit.source, edit.replacement, edit.span.of(source)) == ("knies", "knees", "knies")
