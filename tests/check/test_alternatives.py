"""Other replacements for edits, with a model whose choices the tests write, and with a real tiny one."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from scripted import EOS, ScriptedEngine, ScriptedStepper
from tiny import PAIRS

import redraft
from redraft.check import alternatives
from redraft.check.alternatives import Alternative
from redraft.check.corrector import Corrector
from redraft.check.options import CheckOptions
from redraft.check.session import CheckSession
from redraft.check.solver import SentenceSolver
from redraft.check.user_rules import UserRules
from redraft.decode.stepper import Feed, Ranking
from redraft.edits.edit import Edit, apply
from redraft.lab.export.quantized_weights import export_quantized
from redraft.model.folder import ModelFolder, ModelInfo
from redraft.text.dialects import Dialect
from redraft.tokens.tokenizer import Tokenizer

TOKENIZER = Tokenizer.train_bytes(["the cat sat on a mat and the dog ran", "It is good, right or wrong colour."], 330)
CHOICES = {
    "bad": ("right", "good", "wrong", "old"),
    "gone ": ("", "the "),
    "one": ("one two", "one a"),
    "wrng": ("wrong",),
}
"""What the model writes for a word, its first choice first."""
PROBABILITIES = (0.6, 0.2, 0.1, 0.05)
ERROR = re.compile("|".join(rf"\b{word}(?! two\b)" for word in CHOICES))


@cache
def rewrites(sentence: str) -> list[tuple[list[int], float]]:
    """The targets that the model thinks possible, the likeliest first."""
    return [(TOKENIZER.encode(text), share) for text, share in sorted(_write(sentence), key=lambda one: -one[1])]


def _write(sentence: str) -> list[tuple[str, float]]:
    error = ERROR.search(sentence)
    if error is None:
        return [(sentence, 1.0)]
    return [
        (sentence[: error.start()] + choice + rest, probability * share)
        for choice, probability in zip(CHOICES[error.group()], PROBABILITIES, strict=False)
        for rest, share in _write(sentence[error.end() :])
    ]


class Stepper(ScriptedStepper):
    ranked = 0

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        self.extend(feeds)
        type(self).ranked += 1
        return [self._rank(self.sources[feed.row], self.fed[feed.row][1:]) for feed in feeds]

    def _rank(self, source: Sequence[int], target: Sequence[int]) -> Ranking:
        shares: dict[int, float] = {}
        for ids, share in rewrites(TOKENIZER.decode(source)):
            if ids[: len(target)] == list(target) and len(target) < len(ids):
                token = ids[len(target)]
                shares[token] = shares.get(token, 0.0) + share
        total = sum(shares.values())
        return Ranking(list(shares), [math.log(share / total) for share in shares.values()])


def choose(source: Sequence[int], target: Sequence[int]) -> int:
    for ids, _ in rewrites(TOKENIZER.decode(source)):
        if ids[: len(target)] == list(target) and len(target) < len(ids):
            return ids[len(target)]
    return EOS


def corrector(language: str = "en") -> Corrector:
    Stepper.ranked = 0
    return Corrector(SentenceSolver(ScriptedEngine(choose, 300, Stepper), TOKENIZER, ModelInfo("scripted", language)))


def replacements(found: Sequence[Alternative]) -> list[str]:
    return [one.replacement for one in found]


def test_the_own_replacement_comes_first_and_then_the_next_likeliest() -> None:
    model = corrector()
    text = "The cat is bad and old."
    [edit] = model.correct(text).edits
    found = model.alternatives(text, edit)
    assert replacements(found) == ["right", "good", "wrong"]
    assert found[0].confidence == edit.confidence
    assert found[1].confidence > found[2].confidence > 0.02


def test_a_deletion_and_an_insertion_have_alternatives_too() -> None:
    model = corrector()
    for text, expected in (("The gone cat sat.", "The the cat sat."), ("It is one cat.", "It is one a cat.")):
        [edit] = model.correct(text).edits
        other = model.alternatives(text, edit)[1]
        assert apply(text, [Edit(edit.span, edit.source, other.replacement)]) == expected


def test_each_error_of_a_sentence_has_its_own() -> None:
    text = "The bad cat and one dog ran, bad or not. It is wrng."
    model = CheckSession(corrector(), CheckOptions(alternatives=True))
    found = [replacements(finding.alternatives) for finding in model.check(text).findings]
    assert found == [["right", "good", "wrong"], [" two", " a"], ["right", "good", "wrong"], ["wrong"]]


def test_findings_have_alternatives_only_when_they_are_asked_for() -> None:
    text = "The cat is bad."
    model = corrector()
    plain = CheckSession(model).check(text)
    assert Stepper.ranked == 0
    assert [finding.alternatives for finding in plain.findings] == [()]
    assert CheckSession(model, CheckOptions(alternatives=True)).check(text).edits == plain.edits


def test_a_document_gives_those_of_one_finding_and_decodes_once() -> None:
    document = CheckSession(corrector()).open("It is right.\n\nThe cat is bad. A dog ran, bad.")
    first, second = document.check()
    assert replacements(document.alternatives(first)) == ["right", "good", "wrong"]
    assert Stepper.ranked == 1
    assert document.alternatives(first) == document.alternatives(first)
    assert Stepper.ranked == 1
    assert replacements(document.alternatives(second)) == ["right", "good", "wrong"]
    document.replace_all("It is right.")
    assert replacements(document.alternatives(first)) == ["right"]


def test_alternatives_that_the_user_ignores_are_left_out() -> None:
    class Ignoring(UserRules):
        def allows(self, edit: Edit, sentence: str) -> bool:
            return edit.replacement != "good"

    session = CheckSession(corrector(), CheckOptions(alternatives=True, rules=Ignoring()))
    [finding] = session.check("The cat is bad.").findings
    assert replacements(finding.alternatives) == ["right", "wrong", "old"]


def test_an_edit_by_a_rule_has_one_replacement() -> None:
    session = CheckSession(corrector(), CheckOptions(alternatives=True, dialect=Dialect.AMERICAN))
    first, second = session.check("The colour is bad.").findings
    assert replacements(first.alternatives) == ["color"]
    assert len(second.alternatives) == 3


def test_alternatives_are_in_the_source_of_a_format() -> None:
    source = "# A title\n\n- The **bad** cat *is [bad](link)*."
    session = CheckSession(corrector(), CheckOptions(alternatives=True, format="markdown"))
    for finding in session.check(source).findings:
        assert finding.edit.span.of(source) == "bad"
        assert replacements(finding.alternatives) == ["right", "good", "wrong"]


@pytest.mark.parametrize("engine", ["onnx", "native", "torch"])
def test_a_real_model_gives_alternatives_on_every_engine(
    tiny_model: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.setattr(alternatives, "_FLOOR", 1e-6)  # the tiny model is sure of all it has learnt
    folder = export_quantized(tiny_model, tmp_path / "int8") if engine == "native" else tiny_model
    model = redraft.load(folder.path, engine=engine)
    others = 0
    for source, _ in PAIRS:
        before = model.correct(source)
        for edit in before.edits:
            first, *more = model.alternatives(source, edit)
            assert first == Alternative(edit.replacement, edit.confidence)
            assert len(more) <= 2
            assert edit.source not in replacements(more)
            others += len(more)
        assert model.correct(source) == before
    assert others > 0
