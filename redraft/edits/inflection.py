"""English inflection and derivation, by rules and lists of irregular forms."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from redraft.edits.lexicon import IRREGULAR_ADJECTIVES, IRREGULAR_NOUNS, IRREGULAR_VERBS
from redraft.text.words import word_set


class Form(Enum):
    """An inflected form of a noun, verb or adjective."""

    BASE = auto()
    S = auto()
    """Plural of a noun or third person singular of a verb: the ending -s alone does not show which."""
    PLURAL = auto()
    PAST = auto()
    PARTICIPLE = auto()
    GERUND = auto()
    COMPARATIVE = auto()
    SUPERLATIVE = auto()


@dataclass(frozen=True, slots=True)
class Reading:
    """One analysis of a word: the form `form` of the base `base`."""

    base: str
    form: Form


@dataclass(frozen=True, slots=True)
class Shift:
    """A change from one form of a base to another."""

    base: str
    source: Form
    target: Form


_BE = {
    "am": Form.BASE,
    "are": Form.BASE,
    "is": Form.S,
    "was": Form.PAST,
    "were": Form.PAST,
    "been": Form.PARTICIPLE,
    "being": Form.GERUND,
}
_SIBILANTS = ("s", "x", "z", "ch", "sh", "o")
_VOWELS = "aeiou"


def _irregular_readings() -> dict[str, list[Reading]]:
    readings: dict[str, list[Reading]] = {}

    def note(word: str, base: str, form: Form) -> None:
        readings.setdefault(word, []).append(Reading(base, form))

    for word, form in _BE.items():
        note(word, "be", form)
    note("has", "have", Form.S)
    for base, (past, participle) in IRREGULAR_VERBS.items():
        note(past, base, Form.PAST)
        note(participle, base, Form.PARTICIPLE)
    for singular, plural in IRREGULAR_NOUNS.items():
        note(plural, singular, Form.PLURAL)
    for adjective, (comparative, superlative) in IRREGULAR_ADJECTIVES.items():
        note(comparative, adjective, Form.COMPARATIVE)
        note(superlative, adjective, Form.SUPERLATIVE)
    return readings


_IRREGULAR = _irregular_readings()


def _stems(word: str, ending: str, shortest: int = 2) -> list[str]:
    """Possible bases of a word with an ending such as -ed: walk(ed), mov(e)(ed), stop(p)(ed), stud(y→i)(ed)."""
    if not word.endswith(ending):
        return []
    stem = word[: -len(ending)]
    if len(stem) < shortest or not any(letter in _VOWELS + "y" for letter in stem):
        return []
    stems = [stem, stem + "e"]
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in _VOWELS:
        stems.append(stem[:-1])
    if stem[-1] == "i" and ending != "ing":
        stems.append(stem[:-1] + "y")
    if stem[-1] == "y" and ending == "ing":
        stems.append(stem[:-1] + "ie")
    return stems


def _s_stems(word: str) -> list[str]:
    if len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us")):
        return []
    stems = [word[:-1]]
    if word.endswith("es") and word[:-2].endswith(_SIBILANTS):
        stems.append(word[:-2])
    if word.endswith("ies") and len(word) > 4:
        stems.append(word[:-3] + "y")
    if word.endswith("'s"):
        return []
    return stems


@lru_cache(maxsize=1 << 14)
def readings(word: str) -> frozenset[Reading]:
    """All analyses of a lower-case word; one of them is that it is its own base."""
    found = {Reading(word, Form.BASE), *_IRREGULAR.get(word, ())}
    found |= {Reading(stem, Form.S) for stem in _s_stems(word)}
    for stem in _stems(word, "ed"):
        found |= {Reading(stem, Form.PAST), Reading(stem, Form.PARTICIPLE)}
    found |= {Reading(stem, Form.GERUND) for stem in _stems(word, "ing")}
    found |= {Reading(stem, Form.COMPARATIVE) for stem in _stems(word, "er", 3)}
    found |= {Reading(stem, Form.SUPERLATIVE) for stem in _stems(word, "est", 3)}
    return frozenset(found)


@lru_cache(maxsize=1 << 14)
def shifts(source: str, target: str) -> tuple[Shift, ...]:
    """All analyses of two different lower-case words as forms of the same base."""
    if source == target:
        return ()
    forms: dict[str, list[Form]] = {}
    for reading in readings(target):
        forms.setdefault(reading.base, []).append(reading.form)
    found = [
        Shift(reading.base, reading.form, form) for reading in readings(source) for form in forms.get(reading.base, ())
    ]
    return tuple(sorted(found, key=lambda shift: (shift.base, shift.source.value, shift.target.value)))


# What may follow the common beginning of two words that are derived from each other.
_DERIVATIONAL_ENDINGS = {""} | word_set(
    "able ably age al ally ance ancy ant ar ary ate ated ately ating ation ations ative be bly ble ce ced ces cy de e "
    "ed en ence ency ent ently er ers es ess est ful fully hood ial ible ibility ic ical ically ied ier ies iful ify "
    "ility ily iness ing ingly ion ions ious ise ised ish ising ism ist istic ists ity ive ively ize ized izing le "
    "less ly ment ments nce ness nt nted ntly or ors ory ous ously ry s se sed ship sion sions t te ted th tic tion "
    "tions tive tly ty ual ually ure ural ve ward wards y"
)


@lru_cache(maxsize=1 << 14)
def are_derived(source: str, target: str) -> bool:
    """Whether two lower-case words look derived from each other: success and successful, advice and advise."""
    shared = 0
    for left, right in zip(source, target, strict=False):
        if left != right:
            break
        shared += 1
    if shared < 3 or shared * 2 < min(len(source), len(target)):
        return False
    shorter, longer = sorted((source[shared:], target[shared:]), key=len)
    # A difference of one letter is a misspelling: "realy", "offical", "abou".
    is_slip = len(longer) < 2 or (len(longer) == len(shorter) + 1 and longer.endswith(shorter))
    return not is_slip and shorter in _DERIVATIONAL_ENDINGS and longer in _DERIVATIONAL_ENDINGS
