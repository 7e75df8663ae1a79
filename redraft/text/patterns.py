"""Regular-expression fragments for words, addresses and emoji.

Quantifiers that could match far ahead and then fail are possessive or bounded, so that a scan takes linear time.
"""

from __future__ import annotations

import unicodedata


def _ranges(points: list[int]) -> str:
    """The body of a character class for sorted code points."""
    body: list[str] = []
    first = previous = points[0]
    for point in [*points[1:], -1]:
        if point != previous + 1:
            body.append(f"\\U{first:08x}-\\U{previous:08x}")
            first = point
        previous = point
    return "".join(body)


_MARK_BLOCKS = (range(0x300, 0x3100), range(0xA660, 0xAC00), range(0xFE00, 0xFE30))

MARKS = (
    _ranges([point for block in _MARK_BLOCKS for point in block if unicodedata.category(chr(point))[0] == "M"])
    + "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0020-\U000e007f\U000e0100-\U000e01ef"
)
"""Characters that extend the one before: combining marks, variation selectors and invisible format characters."""

HAN_AND_KANA = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3041-\u3098\u309b-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Characters of scripts without spaces between words; each counts as a word of its own."""

LETTERS = rf"[^\W{HAN_AND_KANA}]++(?:[{MARKS}]++[^\W{HAN_AND_KANA}]*+)*+"

_URL_STOP = rf"\s<>\"“”«»‘’`|…\u3001-\u3003\u3008-\u301f\uff01-\uff0f\uff1a-\uff1f{HAN_AND_KANA}"
# Top-level domains that are English words (it, in, us, ...) are left out: "I like.it" only lacks a space.
_TOP_DOMAINS = "com|org|net|edu|gov|info|io|dev|ai|uk|eu|ca|de|fr|nl|ua|ru|cn|jp|kr|br"
_BARE_DOMAIN = rf"(?<![\w.@-])(?:[A-Za-z0-9-]{{1,63}}+\.){{1,6}}(?:{_TOP_DOMAINS})(?![\w-]|\.\w)"

URL = (
    rf"(?:(?i:(?:https?|ftp|file)://|www\.)|{_BARE_DOMAIN}(?::\d{{1,5}})?(?=/))[^{_URL_STOP}]*(?<![.,;:!?'()\[\]{{}}*])"
    rf"|{_BARE_DOMAIN}"
)

EMAIL = r"[A-Za-z0-9._%+-]{1,64}+@(?:[A-Za-z0-9-]{1,63}+\.){1,8}[A-Za-z]{2,24}+"

# In a script without spaces the end of a name cannot be found.
_NAME = rf"[^\W{HAN_AND_KANA}]"
MENTION = rf"(?<![\w@])@{_NAME}(?:{_NAME}|[.-]){{0,62}}{_NAME}(?!{_NAME})|(?<![\w@])@{_NAME}++"
HASHTAG = rf"(?<![\w#&])#{_NAME}(?:{_NAME}|[{MARKS}])*+"

_PICTURE = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001faff"
)
_PICTURE_PARTS = "\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"

EMOJI = (
    "[\U0001f1e6-\U0001f1ff]{2}"
    "|[0-9#*]\ufe0f?+\u20e3"
    f"|[{_PICTURE}][{_PICTURE_PARTS}]*+(?:\u200d[{_PICTURE}][{_PICTURE_PARTS}]*+)*+"
)
