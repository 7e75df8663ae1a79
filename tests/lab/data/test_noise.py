from __future__ import annotations

import random
import re
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redraft.lab.data.actions import MASK
from redraft.lab.data.misspelling import Misspeller
from redraft.lab.data.noise import Noiser
from redraft.lab.data.noise_rates import SHARES, NoiseRates
from redraft.lab.data.table import Candidate, Drill, ErrorTable, Family
from redraft.lab.data.tokenization import tokenize

SENTENCES = (
    "The cats went to the house in 1999, and he goes with them sometimes.",
    "She doesn't believe that something beautiful is in the well-known house.",
    "They receive 3,500 letters from Mr. Jones a day. It is good.",
    "I was not at the house.",
)


def make(table: ErrorTable, rates: NoiseRates, times: int = 300) -> list[tuple[str, str]]:
    noiser = Noiser(table, 1, rates)
    pairs = [noiser.pair(SENTENCES[index % len(SENTENCES)], index) for index in range(times)]
    return [(pair.source, pair.target) for pair in pairs]


def only(family: Family, **others: float) -> NoiseRates:
    return NoiseRates(clean=0, careless=0, tokenized=0, typographic=0, shares={family: 1.0}, **others)


def test_the_draws_depend_on_seed_and_index_alone(table: ErrorTable) -> None:
    first, second = Noiser(table, 7), Noiser(table, 7)
    indexes = list(range(200))
    expected = {index: first.pair(SENTENCES[index % 4], index) for index in indexes}
    random.Random(0).shuffle(indexes)
    assert {index: second.pair(SENTENCES[index % 4], index) for index in indexes} == expected
    other = Noiser(table, 8)
    assert any(other.pair(SENTENCES[index % 4], index) != pair for index, pair in expected.items())


def test_without_errors_both_sides_are_equal(table: ErrorTable) -> None:
    assert all(source == target for source, target in make(table, NoiseRates(clean=1)))


def test_some_sentences_stay_clean_and_most_do_not(table: ErrorTable) -> None:
    same = sum(source == target for source, target in make(table, NoiseRates(clean=0.2), 1000))
    assert 150 < same < 350


def test_more_is_more(table: ErrorTable) -> None:
    def changed(mean: float) -> int:
        pairs = make(table, NoiseRates(clean=0, mean=mean, tokenized=1))
        return sum(len(set(target.split()) - set(source.split())) for source, target in pairs)

    assert changed(0.05) < changed(0.4)


def test_both_spellings_come_up(table: ErrorTable) -> None:
    targets = {target for _, target in make(table, NoiseRates())}
    assert {SENTENCES[0], tokenize(SENTENCES[0])} <= targets
    assert tokenize(SENTENCES[1], split_hyphens=False) in targets
    assert any("’" in target for target in targets)


def test_a_tokenized_pair_is_tokenized_on_both_sides(table: ErrorTable) -> None:
    for source, target in make(table, NoiseRates(tokenized=1, shares={Family.ARTICLE: 1, Family.AGREEMENT: 1})):
        assert source.endswith(" .")
        assert target.endswith(" .")


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        (Family.ARTICLE, "Cats went to the house"),
        (Family.AGREEMENT, "he go with"),
        (Family.NOUN_NUMBER, "The cat went"),
        (Family.PUNCTUATION, "1999 and"),
        (Family.VERB, "The cats go to"),
        (Family.SPACING, "some times"),
        (Family.CASING, "the cats went"),
    ],
)
def test_each_family_makes_its_errors(table: ErrorTable, family: Family, expected: str) -> None:
    assert any(expected in source for source, _ in make(table, only(family), 1500))


def test_context_decides(table: ErrorTable) -> None:
    noiser = Noiser(table, 0, only(Family.VERB_FORM))
    made = {noiser.corrupt("he goes and Tom goes", index) for index in range(200)}
    assert "he going and Tom goes" in made
    assert "he goes and Tom going" not in made


def test_following_sentences_are_joined_and_spliced(table: ErrorTable) -> None:
    noiser = Noiser(table, 0, only(Family.PUNCTUATION, joined=1.0))
    pairs = [noiser.pair("He went.", index, "It was good.") for index in range(100)]
    assert {pair.target for pair in pairs} == {"He went. It was good."}
    assert "He went, it was good." in {pair.source for pair in pairs}


def test_a_family_without_a_share_makes_nothing(table: ErrorTable) -> None:
    shares = {**SHARES, Family.SPELLING: 0.0, Family.CASING: 0.0}
    for source, _ in make(table, NoiseRates(shares=shares, careless=0, typographic=0, tokenized=0)):
        assert "I " in source or not source.startswith("i ")
        assert "recieve" not in source


texts = st.text(st.characters(exclude_categories=["Cs"])) | st.lists(
    st.sampled_from(["the", "cats", "went", "to", ",", "in", "1999", "Anna", "don't", "(the", "well-known", "😀", "."])
).map(" ".join)


@given(text=texts, index=st.integers(0, 2**40))
@example("", 0).via("an empty text")
@example("'s", 3).via("a lone clitic")
def test_any_text_gets_through(table: ErrorTable, text: str, index: int) -> None:
    noiser = Noiser(table, 0, NoiseRates(clean=0, mean=0.5))
    pair = noiser.pair(text, index)
    assert pair == Noiser(table, 0, NoiseRates(clean=0, mean=0.5)).pair(text, index)
    assert "  " not in pair.source
    assert re.findall(r"[0-9]+", pair.source) == re.findall(r"[0-9]+", pair.target), "numbers are left alone"


def test_a_very_long_sentence(table: ErrorTable) -> None:
    text = " ".join(["the cats went to the house"] * 2000)
    assert len(Noiser(table, 0, NoiseRates(clean=0)).corrupt(text, 0).split()) > 8000


def test_a_rare_word_that_may_be_split_lends_its_split_to_no_other() -> None:
    table = ErrorTable("xx", splits={"gubodren": "gubo dren"}, density={Family.SPACING.value: 1.0})
    noiser = Noiser(table, 1, only(Family.SPACING))
    written = {noiser.corrupt("gubodren mirasolt", index) for index in range(50)}
    assert "gubo dren mirasolt" in written
    assert written <= {"gubo dren mirasolt", "gubodren mirasolt", "gubodrenmirasolt"}


def test_density_is_what_the_rates_add_up_to(table: ErrorTable) -> None:
    density = Noiser(table).measure(["the cats", "the dog"])
    assert density[Family.ARTICLE] == pytest.approx((4500 * 2 + 900) / 4)
    assert density[Family.NOUN_NUMBER] == pytest.approx(3000 / 4)


def test_characters_are_a_unit_too() -> None:
    table = ErrorTable(
        language="zh",
        unit="character",
        candidates={"在": (Candidate("再", Family.SPELLING, 1000),), "学 习": (Candidate("学", Family.CHOICE, 1000),)},
        ranks={"在": 0, "家": 0, "学": 0, "习": 0},
    )
    noiser = Noiser(table, 0, NoiseRates(clean=0, careless=0, shares={Family.SPELLING: 1, Family.CHOICE: 1}))
    made = {noiser.corrupt("我在家学习 OK。", index) for index in range(100)}
    assert {"我再家学习 OK。", "我在家学 OK。"} <= made


def make_kind(table: ErrorTable, sentence: str, times: int = 300, **rates: float) -> list[tuple[str, str]]:
    plain: dict[str, Any] = {"clean": 1.0, "careless": 0.0, "tokenized": 0.0, "typographic": 0.0, "joined": 0.0}
    noiser = Noiser(table, 1, NoiseRates(**{**plain, **rates}))
    pairs = [noiser.pair(sentence, index) for index in range(times)]
    return [(pair.source, pair.target) for pair in pairs]


def test_chat_drops_capitals_and_apostrophes_of_the_source_alone(table: ErrorTable) -> None:
    made = make_kind(table, SENTENCES[1], chat=1.0)
    assert {target for _, target in made} == {SENTENCES[1]}
    assert any(source.startswith("she doesnt believe") and not source.endswith(".") for source, _ in made)


def test_fragments_are_cut_from_the_sentence_and_most_stay_as_they_are(table: ErrorTable) -> None:
    made = make_kind(table, SENTENCES[1], fragments=1.0)
    assert all(len(target) < len(SENTENCES[1]) for _, target in made)
    assert 0.6 < sum(source == target for source, target in made) / len(made) < 1
    assert any(source != target and " " not in target for source, target in made), "single words are misspelt too"


def test_a_strange_string_is_on_both_sides_and_errors_are_elsewhere(table: ErrorTable) -> None:
    known = set(re.findall(r"\w+|\S", SENTENCES[0]))
    for source, target in make_kind(table, SENTENCES[0], strange=1.0, clean=0.0, mean=0.3):
        added = " ".join(word for word in target.split() if not set(re.findall(r"\w+|\S", word)) <= known)
        assert added
        assert added.strip("().,") in source
        assert source != target


def test_a_name_gives_way_to_a_strange_one(table: ErrorTable) -> None:
    targets = {target for _, target in make_kind(table, "They saw Jones.", strange=1.0)}
    assert any(re.fullmatch(r"They saw [A-Z][a-z]+\.", target) and "Jones" not in target for target in targets)


def test_words_and_letters_are_masked(table: ErrorTable) -> None:
    made = make_kind(table, SENTENCES[0], masked=1.0, mask_mean=0.3)
    assert {target for _, target in made} == {SENTENCES[0]}
    words = [word for source, _ in made for word in source.split()]
    assert any(word == MASK for word in words)
    assert any(MASK in word and len(word) > 3 for word in words)
    assert 0.2 < sum(MASK in word for word in words) / len(words) < 0.4


def test_drills_replace_words_of_confusion_sets(table: ErrorTable) -> None:
    drills = {"the": Drill(("then",), 0.5), "went to": Drill(("went too",), 100.0), "house": Drill(("horse",), 0.0)}
    made = make_kind(replace(table, drills=drills), SENTENCES[0], drills=1.0)
    sources = [source for source, _ in made]
    assert any(source.startswith("Then cats went too then house") for source in sources)
    assert 0.5 < sum("went too" in source for source in sources) / len(sources) < 0.7, "the largest rate is a limit"
    assert not any("horse" in source for source in sources)
    assert make_kind(replace(table, drills=drills), SENTENCES[0]) == make_kind(table, SENTENCES[0])


def test_function_words_are_inserted(table: ErrorTable) -> None:
    table = replace(table, insertions={"of": 3.0, "the": 1.0})
    noiser = Noiser(table, 1, only(Family.INSERTION))
    written = {noiser.corrupt("Cats went to houses.", index) for index in range(300)}
    assert {"Of cats went to houses.", "Cats of went to houses.", "Cats went to of houses."} <= written
    assert "Cats went to the houses." in written


def test_two_slips_are_further_from_the_word(table: ErrorTable) -> None:
    def count_edits(share: float) -> int:
        misspeller = Misspeller(table, random.Random(1).random, share)
        return sum(distance("believe", misspeller.misspell("believe")) > 1 for _ in range(500))

    assert count_edits(1.0) > 2 * count_edits(0.0)


def distance(one: str, other: str) -> int:
    """Number of letters that one of two words has and the other has not, in order."""
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    same = sum(block.size for block in blocks)
    return max(len(one), len(other)) - same


def test_a_table_without_the_newer_rates_makes_no_further_draws(table: ErrorTable) -> None:
    fuller = replace(table, insertions={"of": 1.0}, drills={"the": Drill(("then",), 1.0)})
    rates = NoiseRates()
    assert make(fuller, rates) == make(table, rates)
