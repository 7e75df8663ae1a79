"""Verbs that the model rules out agree with their subject afterwards, though it cannot decide between tenses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from scripted import EOS, engine_with

import redraft
from redraft.check.corrector import Corrector
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.decode.drafts import POLICIES
from redraft.decode.loop import Decoded, DecodeOptions, SourceBatch, decode_sources
from redraft.decode.stepper import Engine
from redraft.edits.edit import Kind
from redraft.model.folder import ModelInfo
from redraft.tokens.tokenizer import Tokenizer

WORDS = "The dog go goes went gone home run runs ran is are now"
TOKENIZER = Tokenizer.train_bytes([WORDS] * 3, 340)
"""Each of these words is one token."""
SOURCE = "The dog go home now."


def choosing(
    likely: Mapping[str, float],
    source: str = SOURCE,
    language: str = "en",
    forgets: bool = False,
    policy: str = "refine",
    threshold: float = 0.8,
) -> Corrector:
    """A corrector whose model finds some words likely in the place of the third one of a sentence, and copies it with
    the rest of the probability. Everything else is copied."""
    words = source.split(" ")
    ids = TOKENIZER.encode(source)
    place = len(TOKENIZER.encode(" ".join(words[:2])))
    others = {TOKENIZER.encode(f"{words[0]} {words[1]} {word}")[place]: share for word, share in likely.items()}

    def distribution(given: Sequence[int], target: Sequence[int]) -> dict[int, float]:
        copied = [*given, EOS][min(len(target), len(given))]
        if len(target) != place or list(given) != ids:
            return {copied: 1.0}
        return others | {copied: max(1e-9, 1 - sum(others.values()))}

    def decode(engine: Engine, batch: SourceBatch) -> list[Decoded]:
        """Bulk decoding does not record where the threshold kept a word."""
        return [replace(one, kept=None) for one in decode_sources(engine, batch)]

    engine = engine_with(distribution)
    options = SolverOptions(DecodeOptions(policy))
    info = ModelInfo("scripted", language)
    solver = SentenceSolver(engine, TOKENIZER, info, options, decode if forgets else decode_sources)
    return Corrector(solver, threshold=threshold)


@pytest.mark.parametrize("forgets", [False, True])
@pytest.mark.parametrize("policy", POLICIES)
def test_the_form_of_the_present_is_taken(policy: str, forgets: bool) -> None:
    result = choosing({"went": 0.55, "goes": 0.43}, policy=policy, forgets=forgets).correct(SOURCE)
    assert result.text == "The dog goes home now."
    (edit,) = result.edits
    assert (edit.source, edit.replacement, edit.kind) == ("go", "goes", Kind.AGREEMENT)
    assert edit.confidence == pytest.approx(0.98), "of all forms together"


@pytest.mark.parametrize(
    "likely",
    [
        {"went": 0.5, "goes": 0.43},  # “go” has 0.07
        {"went": 0.75, "goes": 0.09, "gone": 0.12},  # the form that agrees is too unlikely
        {"went": 0.3, "goes": 0.4, "ran": 0.28},  # it may be another verb
        {"went": 0.5, "gone": 0.48},
    ],
)
def test_where_it_is_not_certain_the_verb_stays(likely: Mapping[str, float]) -> None:
    assert choosing(likely).correct(SOURCE).text == SOURCE


def test_the_threshold_is_for_all_forms_together() -> None:
    unsure = {"went": 0.3, "goes": 0.55, "ran": 0.13}
    assert choosing(unsure, threshold=0.84).correct(SOURCE).text == "The dog goes home now."
    assert choosing(unsure, threshold=0.86).correct(SOURCE).text == SOURCE


def test_only_verbs_in_the_present_are_corrected() -> None:
    past = "The dog went home now."
    assert choosing({"goes": 0.5, "go": 0.48}, past).correct(past).text == past


def test_only_english_is_corrected() -> None:
    assert choosing({"went": 0.55, "goes": 0.43}, language="uk").correct(SOURCE).text == SOURCE


@pytest.fixture(scope="module")
def shipped() -> Corrector:
    return redraft.load("en")


@pytest.mark.parametrize("policy", POLICIES)
def test_the_shipped_model_corrects_agreement(shipped: Corrector, policy: str) -> None:
    corrector = shipped.with_policy(policy)
    assert corrector.correct("She go home. It make me happy.").text == "She goes home. It makes me happy."
    assert corrector.correct("They was late yesterday.").text == "They were late yesterday."
    right = "They go home, and she goes there too. The cats make me happy."
    assert corrector.correct(right).text == right
