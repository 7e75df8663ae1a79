"""How much noise of which kind a clean sentence gets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated

from redraft.errors import ConfigError
from redraft.lab.data.table import ErrorTable, Family

SHARES: Mapping[Family, float] = {
    Family.PUNCTUATION: 0.15,
    Family.SPELLING: 0.16,
    Family.ARTICLE: 0.12,
    Family.PREPOSITION: 0.09,
    Family.VERB: 0.065,
    Family.VERB_FORM: 0.07,
    Family.NOUN_NUMBER: 0.065,
    Family.AGREEMENT: 0.04,
    Family.WORD_FORM: 0.03,
    Family.CHOICE: 0.05,
    Family.FUNCTION: 0.03,
    Family.PRONOUN: 0.025,
    Family.CASING: 0.04,
    Family.SPACING: 0.035,
    Family.ORDER: 0.025,
    Family.REPEAT: 0.01,
    Family.DROP: 0.005,
    Family.STRETCH: 0.015,
}

Rate = Annotated[float, "a share between 0 and 1"]


@dataclass(frozen=True)
class NoiseRates:
    """Rates of the noise. A table may name any of them; those of the second group are 0 unless it does."""

    clean: Rate = 0.12
    """Share of sentences without errors."""
    mean: Rate = 0.14
    """Mean share of the tokens that get an error, in sentences with errors."""
    most: Rate = 0.5
    """Largest share of the tokens of a sentence that get an error."""
    careless: Rate = 0.01
    """Share of sentences without any capital."""
    tokenized: Rate = 0.3
    """Share of pairs spelled as M2 corpora are."""
    unsplit: Rate = 0.35
    """Share of the tokenized pairs whose hyphens stay inside words, as in CoNLL."""
    typographic: Rate = 0.05
    """Share of the raw pairs with curly quotation marks."""
    joined: Rate = 0.05
    """Share of sentences to which the next sentence of the text is joined, for the sake of comma splices."""

    two_slips: Rate = 0.0
    """Share of the misspelt words of five letters and more that get a second slip."""
    chat: Rate = 0.0
    """Share of sentences written as in a chat: without capitals, apostrophes or the final full stop."""
    fragments: Rate = 0.0
    """Share of pairs that are single words, titles and list items cut from the sentence, most without errors."""
    strange: Rate = 0.0
    """Share of sentences that get a string such as a file name or an identifier, the same on both sides."""
    masked: Rate = 0.0
    """Share of sentences in which words or letters are masked."""
    mask_mean: Rate = 0.15
    """Share of the words of a masked sentence that are masked, whole or by a letter."""
    drills: Rate = 0.0
    """Share of sentences in which a word of a confusion set is replaced by another one of its set."""
    shares: Mapping[Family, float] = field(default_factory=lambda: SHARES)
    """Share of each family in all errors."""

    @classmethod
    def of(cls, table: ErrorTable) -> NoiseRates:
        """The rates that a table asks for, and the defaults for the others."""
        known = [entry.name for entry in fields(cls) if entry.name != "shares"]
        for name in table.rates:
            if name not in known:
                raise ConfigError(f"the error table has an unknown noise rate {name!r}; known: {', '.join(known)}")
        families = [family.value for family in Family]
        for name in table.shares:
            if name not in families:
                raise ConfigError(f"the error table has an unknown family {name!r}; known: {', '.join(families)}")
        shares = {Family(name): share for name, share in table.shares.items()}
        return cls(**table.rates, shares=shares or SHARES)

    @property
    def named_shares(self) -> dict[str, float]:
        """Shares by the names of the families, as in a table."""
        return {family.value: share for family, share in self.shares.items()}

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name != "shares" and not 0 <= value <= 1:
                raise ConfigError(f"the noise rate {entry.name} must be between 0 and 1, got {value}")
        if self.chat + self.fragments + self.strange + self.masked > 1:
            raise ConfigError("the noise rates chat, fragments, strange and masked must not add up to more than 1")
        if any(share < 0 for share in self.shares.values()) or not sum(self.shares.values()):
            raise ConfigError("the shares of the error families must not be negative, nor all zero")


def parse_rates(texts: Iterable[str]) -> dict[str, float]:
    """Rates or shares written as `NAME=NUMBER`."""
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise ConfigError(f"{text!r} must be NAME=NUMBER, such as chat=0.05") from None
    return found
