from __future__ import annotations

from redraft.edits.categories import RULES
from redraft.edits.edit import Kind


def test_every_kind_has_a_rule_of_its_own() -> None:
    assert set(RULES) == set(Kind)
    assert len({rule.id for rule in RULES.values()}) == len({rule.name for rule in RULES.values()}) == len(Kind)


def test_only_spelling_offers_the_dictionary() -> None:
    assert [kind for kind, rule in RULES.items() if rule.id.endswith("_SPELLING_RULE")] == [Kind.SPELLING]


def test_categories_are_those_clients_know() -> None:
    known = {"TYPOS", "GRAMMAR", "CASING", "PUNCTUATION", "TYPOGRAPHY", "CONFUSED_WORDS", "STYLE", "REDUNDANCY", "MISC"}
    known |= {"REGIONALISMS"}
    types = {"misspelling", "grammar", "typographical", "style", "duplication", "whitespace", "uncategorized"}
    types |= {"locale-violation"}
    assert {rule.category.id for rule in RULES.values()} <= known
    assert {rule.category.issue_type for rule in RULES.values()} <= types
