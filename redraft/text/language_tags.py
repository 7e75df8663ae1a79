"""Language tags such as `en-GB`, `zh_TW` and `sr-Latn-RS`, in any case."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_SCRIPT = re.compile("[a-z]{4}")
_COUNTRY = re.compile("[a-z]{2}|[0-9]{3}")


@dataclass(frozen=True, slots=True)
class LanguageTag:
    """The parts of a tag that Redraft looks at, in lower case; empty where the tag has none."""

    language: str
    script: str = ""
    country: str = ""


@lru_cache(maxsize=1 << 8)
def parse_tag(tag: str) -> LanguageTag:
    """Parts of an unknown form, such as variants and extensions, are left out."""
    language, *rest = re.split("[-_]", tag.strip().lower())
    script = next((part for part in rest if _SCRIPT.fullmatch(part)), "")
    country = next((part for part in rest if _COUNTRY.fullmatch(part)), "")
    return LanguageTag(language, script, country)
