"""Possible errors: the model is sure that a word is wrong, but not of what to write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from rewriting import TOKENIZER
from scripted import EOS, engine_with

import redraft
from redraft.check.corrector import Corrector
from redraft.check.interpreter import Interpreter
from redraft.check.options import CheckOptions
from redraft.check.requests import solve_requests
from redraft.check.session import CheckSession
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions
from redraft.edits.edit import Edit, Kind
from redraft.model.folder import ModelInfo
from redraft.text.span import Span
from redraft.tokens.tokenizer import Tokenizer

SOURCE = "She go to school every day."
GOES, WENT = "She goes to school every day.", "She went to school every day."
LIKELY: Mapping[str, float] = {GOES: 0.58, WENT: 0.4}


def doubting(
    likely: Mapping[str, float] = LIKELY, sure: Mapping[str, str] | None = None, policy: str = "refine"
) -> Corrector:
    """A corrector whose model finds some other sentences likely where they begin to differ from the source, and copies
    with the rest of the probability. What `sure` has is rewritten first, with certainty."""
    others = {tuple(TOKENIZER.encode(text)): probability for text, probability in likely.items()}
    rewritten = {tuple(TOKENIZER.encode(one)): TOKENIZER.encode(other) for one, other in (sure or {}).items()}

    def distribution(source: Sequence[int], target: Sequence[int]) -> dict[int, float]:
        place = len(target)
        if tuple(source) in rewritten:
            written = rewritten[tuple(source)]
            return {written[place] if place < len(written) else EOS: 1.0}
        copies = list(source[:place]) == list(target)
        found: dict[int, float] = {}
        for other, probability in others.items():
            if list(other[:place]) == list(target):
                token = [*other, EOS][place]
                differs = copies and token != [*source, EOS][place]
                found[token] = found.get(token, 0.0) + (probability if differs or not copies else 0.0)
        if copies:
            token = [*source, EOS][place]
            found[token] = 1 - sum(share for one, share in found.items() if one != token)
        elif not found:
            found[EOS] = 1.0
        total = sum(found.values())
        return {token: max(share / total, 1e-9) for token, share in found.items()}

    engine = engine_with(distribution)
    options = SolverOptions(DecodeOptions(policy))
    return Corrector(SentenceSolver(engine, TOKENIZER, ModelInfo("scripted", "en"), options), threshold=0.8)


def spans(edits: Sequence[Edit]) -> list[tuple[Span, str, str]]:
    return [(edit.span, edit.source, edit.replacement) for edit in edits]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_word_that_is_surely_wrong_is_a_possible_error(policy: str) -> None:
    corrector = doubting(policy=policy)
    assert corrector.correct(SOURCE).edits == ()
    (edit,) = corrector.possible_errors(SOURCE)
    assert (edit.span, edit.source, edit.replacement) == (Span(4, 6), "go", "goes")
    assert (edit.kind, edit.certain) == (Kind.AGREEMENT, False)
    assert 0.5 < edit.confidence < 0.8


def test_a_word_that_may_be_right_is_none() -> None:
    assert doubting({GOES: 0.5, WENT: 0.4}).possible_errors(SOURCE) == (), "the word has a probability of 0.1"


def test_a_certain_edit_is_none() -> None:
    corrector = doubting({GOES: 0.99})
    assert corrector.correct(SOURCE).text == GOES
    assert corrector.possible_errors(SOURCE) == ()


def test_it_has_its_place_in_the_text_before_other_corrections() -> None:
    source, corrected = "She go to schol every the day.", "She go to school every day."
    corrector = doubting(sure={source: corrected})
    text = f"Look.  {source}"
    assert corrector.correct(text).text == f"Look.  {corrected}"
    assert spans(corrector.possible_errors(text)) == [(Span(11, 13), "go", "goes")]
    late = "She goes every day and go."
    wrong = late.replace("every", "evrey long")
    behind = doubting({late.replace("go.", "goes."): 0.58, late.replace("go.", "went."): 0.41}, {wrong: late})
    (edit,) = behind.possible_errors(wrong)
    assert edit.span.of(wrong) == edit.source


def test_beside_a_certain_edit_there_is_none() -> None:
    corrector = doubting(sure={"Shee go to school every day.": SOURCE, "She goo to school every day.": SOURCE})
    assert corrector.possible_errors("She goo to school every day.") == ()


ARTICLE, RIGHT_ARTICLE = "She goes to a school every day.", "She goes to the school every day."


def test_the_only_edit_of_a_sentence_is_one_if_it_is_not_sure() -> None:
    """The square root of the threshold is 0.894."""
    unsure, sure = doubting({RIGHT_ARTICLE: 0.88}), doubting({RIGHT_ARTICLE: 0.9})
    assert unsure.correct(ARTICLE).text == ARTICLE
    assert sure.correct(ARTICLE).text == RIGHT_ARTICLE
    (edit,) = unsure.possible_errors(ARTICLE)
    assert (edit.source, edit.replacement, edit.kind, edit.certain) == ("a", "the", Kind.ARTICLE, False)
    assert edit.confidence == pytest.approx(0.88)
    assert edit.explanation == sure.correct(ARTICLE).edits[0].explanation
    assert sure.possible_errors(ARTICLE) == ()


def test_the_only_edit_of_a_sentence_in_capitals_is_one_too() -> None:
    corrector = doubting({RIGHT_ARTICLE: 0.88})
    assert corrector.correct(ARTICLE.upper()).edits == ()
    (edit,) = corrector.possible_errors(ARTICLE.upper())
    assert (edit.source, edit.replacement, edit.certain) == ("A", "THE", False)


def test_beside_another_edit_it_is_made() -> None:
    wrong = "She goes to a school every days."
    result = doubting({"She goes to the school every days.": 0.1, RIGHT_ARTICLE: 0.78}).correct(wrong)
    assert result.text == RIGHT_ARTICLE
    assert result.edits[0].confidence == pytest.approx(0.88), "alone it would not be made"


@pytest.mark.parametrize(
    ("source", "right"),
    [("She goes to shcool every day.", "She goes to school every day."), (SOURCE, GOES)],
)
def test_misspellings_and_agreement_are_corrected_by_themselves(source: str, right: str) -> None:
    assert doubting({right: 0.82}).correct(source).text == right


def test_where_tokens_are_characters_every_edit_is_sure() -> None:
    corrector = doubting({RIGHT_ARTICLE: 0.88})
    (piece,) = corrector.cut(ARTICLE)
    (solution,) = corrector.solve([piece])
    assert solution.withheld and not solution.suggestions
    unsure = replace(solution, suggestions=(solution.withheld,), withheld=None)
    characters = Tokenizer.train_characters([ARTICLE], 400)
    assert Interpreter(characters, ModelInfo("scripted", "zh")).withhold(ARTICLE, unsure, 0.8) is unsure
    assert Interpreter(TOKENIZER, ModelInfo("scripted", "en")).withhold(ARTICLE, unsure, 0.8) == solution


def test_words_of_the_dictionary_are_none() -> None:
    assert doubting().possible_errors(SOURCE, {"go"}) == ()


def test_a_session_reports_them_if_it_is_asked_to() -> None:
    corrector = doubting()
    assert CheckSession(corrector).check(SOURCE).findings == ()
    asking = CheckOptions(possible_errors=True, alternatives=True)
    result = CheckSession(corrector, asking).check(SOURCE)
    (finding,) = result.findings
    assert not finding.edit.certain
    assert [one.replacement for one in finding.alternatives] == ["goes", "went"]
    assert result.edits == ()
    assert result.text == SOURCE, "nothing corrects them"
    ignoring = replace(asking, ignored_kinds=frozenset({Kind.AGREEMENT}))
    assert CheckSession(corrector, ignoring).check(SOURCE).findings == ()


def test_without_a_record_of_what_was_kept_they_are_the_same() -> None:
    """Bulk decoding keeps none."""

    def forget(requests, is_stale):  # type: ignore[no-untyped-def]
        return {one: replace(found, kept=None) for one, found in solve_requests(requests, is_stale).items()}

    corrector = doubting()
    assert corrector.with_solve(forget).possible_errors(SOURCE) == corrector.possible_errors(SOURCE) != ()


def test_each_sentence_is_searched_once() -> None:
    corrector = doubting()
    calls: list[int] = []
    start = corrector.engine.start

    def counted(sources: Sequence[Sequence[int]]) -> object:
        calls.append(len(sources))
        return start(sources)

    corrector.engine.start = counted  # type: ignore[method-assign,assignment]
    first = corrector.possible_errors(SOURCE)
    before = len(calls)
    assert corrector.possible_errors(SOURCE) == first
    assert len(calls) == before


@pytest.fixture(scope="module")
def shipped() -> Corrector:
    return redraft.load("en")


@pytest.mark.parametrize("policy", POLICIES)
def test_the_shipped_model_doubts_errors_with_two_corrections(shipped: Corrector, policy: str) -> None:
    corrector = shipped.with_policy(policy)
    text = "I am tired. She make her homework."
    assert spans(corrector.possible_errors(text)) == [(Span(16, 20), "make", "did")]
    assert corrector.correct(text).text == text


def test_what_a_pronoun_refers_to_is_no_possible_error(shipped: Corrector) -> None:
    """The model would write “them”, as in the journal that it learnt the sentence from."""
    assert not shipped.possible_errors("I love it.")
    assert shipped.correct("I love it.").text == "I love it."


def test_the_shipped_model_does_not_doubt_correct_text(shipped: Corrector) -> None:
    text = "The weather was nice, so we walked home along the river. She goes home early."
    assert shipped.possible_errors(text) == ()


def test_predictions_that_are_kept_are_recorded_alike_by_every_policy(shipped: Corrector) -> None:
    sentence = "He don't know, and she go home."
    found = set()
    for policy in POLICIES:
        solver = shipped.with_policy(policy).solver
        found.add(solver.solve([sentence], 0.99)[sentence].kept)
    assert len(found) == 1
    assert found != {()}
