from __future__ import annotations

import pytest

from redraft.edits.inflection import Form, Reading, are_derived, readings, shifts


@pytest.mark.parametrize(
    ("word", "base", "form"),
    [
        ("goes", "go", Form.S),
        ("tries", "try", Form.S),
        ("boxes", "box", Form.S),
        ("makes", "make", Form.S),
        ("has", "have", Form.S),
        ("is", "be", Form.S),
        ("were", "be", Form.PAST),
        ("went", "go", Form.PAST),
        ("gone", "go", Form.PARTICIPLE),
        ("stopped", "stop", Form.PAST),
        ("studied", "study", Form.PARTICIPLE),
        ("moving", "move", Form.GERUND),
        ("lying", "lie", Form.GERUND),
        ("children", "child", Form.PLURAL),
        ("bigger", "big", Form.COMPARATIVE),
        ("happiest", "happy", Form.SUPERLATIVE),
        ("worse", "bad", Form.COMPARATIVE),
        ("anything", "anything", Form.BASE),
    ],
)
def test_readings(word: str, base: str, form: Form):
    assert Reading(base, form) in readings(word)


@pytest.mark.parametrize(
    ("source", "target", "pair"),
    [
        ("go", "goes", (Form.BASE, Form.S)),
        ("goes", "went", (Form.S, Form.PAST)),
        ("goed", "went", (Form.PAST, Form.PAST)),
        ("childs", "children", (Form.S, Form.PLURAL)),
        ("is", "are", (Form.S, Form.BASE)),
        ("good", "best", (Form.BASE, Form.SUPERLATIVE)),
    ],
)
def test_shifts(source: str, target: str, pair: tuple[Form, Form]):
    assert pair in [(shift.source, shift.target) for shift in shifts(source, target)]


@pytest.mark.parametrize(
    "pair", [("go", "go"), ("dog", "cat"), ("his", "hi's"), ("ring", "r"), ("bus", "bu"), ("red", "r")]
)
def test_no_shift(pair: tuple[str, str]):
    assert shifts(*pair) == ()


@pytest.mark.parametrize(
    "pair",
    ["success/successful", "advice/advise", "different/difference", "quick/quickly", "safe/safety", "happy/happiness"],
)
def test_relatives(pair: str):
    one, other = pair.split("/")
    assert are_derived(one, other)
    assert are_derived(other, one)


@pytest.mark.parametrize("pair", ["realy/really", "abou/about", "offical/official", "dog/cat", "goverment/government"])
def test_no_relatives(pair: str):
    assert not are_derived(*pair.split("/"))
