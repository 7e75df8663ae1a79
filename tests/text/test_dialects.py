"""American and British spellings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from redraft.errors import ConfigError
from redraft.text.dialects import Dialect, are_variants, dialect_of, find_dialect, respell
from redraft.text.words import word_set

PAIRS = """
colour color, Favourite Favorite, honourable honorable, neighbours neighbors, behavioural behavioral, centre
center, centred centered, kilometres kilometers, travelled traveled, unlabelled unlabeled, analyse analyze, paralysed
paralyzed, defence defense, grey gray, watercolour watercolor, neighbour's neighbor's, self-centred self-centered,
manoeuvring maneuvering, enrol enroll, fulfilment fulfillment, skilful skillful, practising practicing, anaemia anemia,
hyperglycaemic hyperglycemic, haemorrhage hemorrhage, oesophagus esophagus, sceptical skeptical, mouldy moldy, ploughed
plowed, pyjamas pajamas, jewellery jewelry, snowplough snowplow, unfavourably unfavorably, multicoloured multicolored
"""
TO_AMERICAN_ONLY = """
organise organize, realised realized, organisations organizations, tyre tire, cheque check,
storey story, programmes programs, licence license, practise practice, metre meter, judgement judgment, sulphur sulfur,
learnt learned, kerb curb, draught draft
"""
TO_BRITISH_ONLY = "glamour glamor, catalogue catalog, aesthetic esthetic, archaeology archeology, worshipped worshiped"


def split_pairs(text: str) -> list[tuple[str, str]]:
    return [(british, american) for british, american in (pair.split() for pair in text.split(","))]


@pytest.mark.parametrize(("british", "american"), split_pairs(PAIRS))
def test_each_spelling_is_wrong_in_the_other_country(british: str, american: str) -> None:
    assert respell(british, Dialect.AMERICAN) == american
    assert respell(american, Dialect.BRITISH) == british
    assert respell(british, Dialect.BRITISH) is None
    assert respell(american, Dialect.AMERICAN) is None
    assert are_variants(british, american) and are_variants(american, british)


@pytest.mark.parametrize(("british", "american"), split_pairs(TO_AMERICAN_ONLY))
def test_what_britain_writes_in_two_ways_or_means_otherwise_stays_there(british: str, american: str) -> None:
    assert respell(british, Dialect.AMERICAN) == american
    assert respell(american, Dialect.BRITISH) is None


def test_ize_stays_in_a_word_that_britain_spells_differently_otherwise() -> None:
    assert respell("anaesthetise", Dialect.AMERICAN) == "anesthetize"
    assert respell("anesthetize", Dialect.BRITISH) == "anaesthetize"


@pytest.mark.parametrize(("british", "american"), split_pairs(TO_BRITISH_ONLY))
def test_what_america_writes_in_two_ways_stays_there(british: str, american: str) -> None:
    assert respell(american, Dialect.BRITISH) == british
    assert respell(british, Dialect.AMERICAN) is None


@pytest.mark.parametrize(
    "word",
    sorted(
        word_set(
            """
    advise advertising arise clockwise compromise crises despise disabled enterprise exercise expertise fundraiser
    improvisation merchandise noise nondisability otherwise paradise precise premises promising raised revised
    supervisor surprise televised treatise wise schematic mathematics chemotherapy maestro destroy restroom behemoth
    devise revise polymath academia epidemic humorous honorary laboratory coloration vigorous glamorous humorist
    humoral perilous analyses compelled controlled rebelling parallel paralleled contour tour four velour acre
    massacre ogre mediocre parameter diameter barometer dolor paleo
    """
        )
    ),
)
def test_words_that_only_look_like_the_other_spelling_stay(word: str) -> None:
    assert respell(word, Dialect.AMERICAN) is None
    assert respell(word, Dialect.BRITISH) is None


@pytest.mark.parametrize(
    ("word", "expected"), [("Color", "Colour"), ("COLOR", "COLOUR"), ("gray-haired", "grey-haired")]
)
def test_capitals_and_hyphens_are_kept(word: str, expected: str) -> None:
    assert respell(word, Dialect.BRITISH) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("colour", "colour"),
        ("colour", "colors"),
        ("four", "for"),
        ("our", "or"),
        ("caled", "called"),
        ("prise", "prize"),
        ("practice", "practise"),
        ("vice", "vise"),
        ("there", "theer"),
        ("advice", "advise"),
        ("", ""),
    ],
)
def test_errors_are_no_variants(one: str, other: str) -> None:
    assert not are_variants(one, other)


def test_a_spelling_that_is_a_verb_elsewhere_is_a_variant() -> None:
    """“A licence” is right in Britain and “a license” in America; that Britain has “to license” matters less."""
    assert are_variants("licence", "license") and are_variants("Licenses", "Licences")


def test_dialects_of_language_tags() -> None:
    assert dialect_of("EN_gb") is Dialect.BRITISH
    assert dialect_of("en-US") is Dialect.AMERICAN
    assert dialect_of("en") is dialect_of("en-AU") is dialect_of("zh-CN") is dialect_of("") is None
    assert find_dialect("en-gb") is Dialect.BRITISH
    with pytest.raises(ConfigError, match="choose en-US or en-GB"):
        find_dialect("en-MARS")


# Pairs of the list that are not two spellings of one word, by their American word.
OTHER_WORDS = word_set(
    """
    ass asses asshole assholes bookstore bookstores burglarize burglarized burglarizes burglarizing commentor
    commentors deboard deboards deboarded deboarding eggplant fermentor fermentors firetruck firetrucks guaranties
    guaranty impacter impacters junkyard junkyards nearsighted nearsightedly onward oriented pled snuck storefront
    storefronts unflexible untick unticked unticks unticking groyne groynes sideways brokerage greenskeeper burned
    smelled spelled spilled sunburned preterit pretorium microbusses assertible collapsible duplicatable
    uncollectible erodible unextinguishable draftman draftmen
    """
)
# ...and those of which the British spelling is right in America, or the American one in Britain.
RIGHT_IN_AMERICA = word_set(
    """
    acknowledgment acknowledgments analog analogs ax battleax catalog cataloged cataloging catalogs dialog dialogs
    donut donuts drafted drafting drafts eon eons exorcize exorcized exorcizes exorcizing fontanel glamor gypsy
    inquire inquired inquires inquiries inquiring inquiry likable livability livabilities hirable unhirable
    unshakable unlovable reflection reflections vaporware vaporwares vise vises whiskey wooly kibosh kiboshes
    kiboshed kiboshing leukoses leukosis metalize metalized metalizes metalizing licensed licensing sublicensed
    sublicensing enrolled enrolling breathalyzes catalyzes dialyzes electrolyzes hydrolyzes paralyzes
    """
)
RIGHT_IN_BRITAIN = RIGHT_IN_AMERICA | word_set(
    """
    check checks coloration discoloration discolorations curb curbs curbside draft encyclopedia encyclopedias fetal
    fetus fetuses focuses focusing homeopathy homeopathies jail jails judgmental judgmentally learned relearned
    spoiled license licenses sublicense sublicenses math meter meters micrometer micrometers neuron neurons practice
    practices program programs specialty specialties story stories tire tires yogurt backdraft
    """
)


def read_pairs(shared_data: Path) -> list[tuple[str, str]]:
    """American and British words, without pairs that differ in a hyphen, and units that nobody writes as -gramme."""
    lines = (shared_data / "en" / "lexicon" / "lt_en-US-GB.txt").read_text("utf-8").splitlines()
    pairs = [line.split(";") for line in lines if line.strip() and not line.startswith("#")]
    return [
        (american, british)
        for american, british in pairs
        if american not in OTHER_WORDS
        and american.isalpha()
        and british.isalpha()
        and not american.startswith("deka")
        and (american, british) != ("hypokalaemic", "hypokalemic")
    ]


def is_american(word: str) -> bool:
    """Whether a word of the list has a root that is right in both countries: esthetic and archeo-, worshiped."""
    return re.match("esthet|archeo|worship", word) is not None


def with_s(word: str) -> str:
    return re.sub("iz(?=[aei])", "is", word)


def test_coverage_of_british_words(shared_data: Path) -> None:
    pairs = [pair for pair in read_pairs(shared_data) if pair[0] not in RIGHT_IN_AMERICA and not is_american(pair[0])]
    respelled = {british: respell(british, Dialect.AMERICAN) for _, british in pairs}
    found = [american for american, british in pairs if respelled[british] == american]
    wrong = [pair for pair in pairs if respelled[pair[1]] not in (None, pair[0])]
    assert len(pairs) > 4000
    assert len(found) >= 0.97 * len(pairs)
    assert len(wrong) <= 5, wrong


def test_coverage_of_american_words(shared_data: Path) -> None:
    pairs = [
        (american, british)
        for american, british in read_pairs(shared_data)
        if american not in RIGHT_IN_BRITAIN
        and with_s(american) != with_s(british)
        and not american.endswith(("gram", "grams"))
        and "sulf" not in american
    ]
    respelled = {american: respell(american, Dialect.BRITISH) for american, _ in pairs}
    found = [british for american, british in pairs if with_s(respelled[american] or "") == with_s(british)]
    wrong = [pair for pair in pairs if with_s(respelled[pair[0]] or pair[1]) != with_s(pair[1])]
    assert len(pairs) > 500
    assert len(found) >= 0.97 * len(pairs)
    assert len(wrong) <= 5, wrong
