"""Spans of text that must not be changed: addresses, code, numbers, names of things, words of a dictionary."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from enum import StrEnum

from redraft.text.capitals import is_in_capitals
from redraft.text.patterns import EMAIL, EMOJI, HAN_AND_KANA, HASHTAG, MENTION, URL
from redraft.text.span import Span, SpanSet
from redraft.text.verbatim_lines import LineKind, find_verbatim_lines
from redraft.text.words import words


class Reason(StrEnum):
    """Why a span is protected."""

    URL = "url"
    EMAIL = "email"
    CODE = "code"
    COMMAND = "command"
    CAPITALS = "capitals"
    TAG = "tag"
    PLACEHOLDER = "placeholder"
    PATH = "path"
    VERSION = "version"
    DATE = "date"
    TIME = "time"
    UNIT = "unit"
    NUMBER = "number"
    TELEPHONE = "telephone"
    COLOUR = "colour"
    HASHTAG = "hashtag"
    MENTION = "mention"
    IDENTIFIER = "identifier"
    EMOJI = "emoji"
    DICTIONARY = "dictionary"


@dataclass(frozen=True, slots=True)
class Protected:
    span: Span
    reason: Reason


_EXTENSIONS = (
    "txt|md|rst|pdf|docx?|xlsx?|pptx?|odt|ods|csv|tsv|jsonl?|ya?ml|toml|ini|cfg|conf|xml|html?|s?css|m?jsx?|tsx?|pyi?"
    "|ipynb|java|kt|swift|cs?|h|cc|[ch]pp|rs|go|rb|php|sh|bat|ps1|sql|lua|log|lock|zip|gz|xz|bz2|tar|tgz|7z|rar|exe|dll"
    "|bin|iso|img|dmg|deb|rpm|apk|jar|whl|png|jpe?g|gif|svg|webp|bmp|ico|mp[34]|wav|flac|ogg|avi|mkv|mov|webm|tex|bib"
    "|onnx|safetensors|env"
)
# Symbols, not words: "3 hour" must stay correctable, and "5 in the box" is no length.
_UNITS = (
    "[kcmµμn]?m[²³23]?|km/h|mph|m/s|[kmµμ]?g|lbs?|oz|[mc]?l|L|[GMk]?Hz|[kMG]?W|kWh|[mk]?V|mAh?|[KkMGTP]i?B|[KMG]bps|fps"
    "|dpi|px|r?em|pt|°[CF]?|K|%|‰|h|min|[mnµμ]s|(?<!\\d0)s|[ap]\\.m\\.|[AaPp][Mm]|USD|EUR|GBP|bn|[hk]?Pa|k?cal|k?J|dB|rpm"
)
_CURRENCIES = "[$€£¥₴₹]"
_SPACE = "[ \u00a0\u202f]?"
_NUMBER_START = r"(?<![\w.])(?<!\d[,’'])[+−-]?"
_DIGITS = r"\d++(?:[.,’']\d++)*+"
_NAME = r"[\w.~+-]{1,64}"
_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
# Initials such as D.C are no file of the language C.
_FILE = rf"(?![A-Z]\.[A-Z](?!\w))(?:[\w-]{{1,64}}+\.){{1,6}}(?i:{_EXTENSIONS})(?![\w(])"

# In Chinese, which has no spaces, a hashtag is closed, as in #年度好书#, and a space follows a mention such as @小明.
_CLOSED_HASHTAG = r"#(?=[^\s#]{0,38}、)[^\s#。！？]{1,40}#"
_CLOSED_MENTION = r"(?<![\w@])@[\w、]{1,8}+(?=[\s:：]|$)"

_PATTERNS = {
    Reason.CODE: r"```.*?```|(?<!`)``(?!`)[^\n]*?``|(?<!\w)`[^`\n]++`",
    Reason.URL: rf"{URL}|(?<![\w.])10\.\d{{4,9}}/[\w./()-]{{1,80}}\w",
    Reason.EMAIL: EMAIL,
    Reason.TAG: r"</?[A-Za-z][^<>\n]{0,500}+>|<!--[^<>\n]{0,500}+>|&(?:#\d{1,7}|[A-Za-z]{2,8});",
    Reason.PLACEHOLDER: (
        r"\{\{[^{}\n]{0,80}+\}\}|\$?\{[\w.:!\[\]-]{0,80}+\}|(?<![\w%])%(?:\(\w{1,40}+\)|\d\$)?[sdifrx](?!\w)"
        # [YOUR NAME], %PATH%
        r"|\[[A-Z][A-Z _-]{1,40}\]|(?<![\w%])%[A-Z_]{2,30}%"
    ),
    Reason.PATH: (
        r"(?<![\w:\\])[A-Za-z]:\\[^\s\"<>|?*]*(?<![.,;:)])"
        r"|(?<![\w\\])\\\\[\w.$-]++(?:\\[\w.$-]++)++"
        rf"|(?<![\w./])(?:~|\.\.?)/(?:{_NAME}(?:/{_NAME}){{0,32}}/?)?(?<!\.)"
        rf"|(?<![\w./<])/{_NAME}(?:/{_NAME}){{1,32}}/?(?<!\.)"
        rf"|(?<![\w.-])(?:{_NAME}/){{1,8}}{_FILE}"
        rf"|(?<![\w.-]){_FILE}"
        r"|(?<![\w./])\.[a-z]{0,12}(?:rc|ignore|env|profile)(?!\w)"
        rf"|(?<![\w$])\$[A-Za-z_]\w{{0,40}}(?:/{_NAME}){{1,16}}(?<!\.)|(?<![\w./-])(?:[\w-]{{1,64}}/){{2,16}}(?!\w)"
    ),
    Reason.COLOUR: (
        r"(?<![\w#&])#(?=[a-fA-F]{0,7}\d|[0-9a-fA-F]{6})(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})(?!\w)"
    ),
    Reason.HASHTAG: rf"{_CLOSED_HASHTAG}|{HASHTAG}",
    Reason.MENTION: rf"{_CLOSED_MENTION}|{MENTION}",
    Reason.EMOJI: rf"{EMOJI}|(?<![\w:]):[a-z][a-z0-9_+-]{{1,30}}:(?![\w:])",
    Reason.TELEPHONE: r"(?<![\w+])\+\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d{2,4}(?:[ -]\d{2,4}){1,4}(?!\w)",
    Reason.DATE: (
        r"(?<![\w.])(?:\d{4}(?P<year_first>[./-])\d{1,2}(?P=year_first)\d{1,2}(?:T[\d:.]{2,15}Z?)?"
        r"|\d{1,2}(?P<year_last>[./-])\d{1,2}(?P=year_last)\d{4}|\d{1,2}/\d{1,2}/\d{2})(?!\w|[./-]\d)"
    ),
    Reason.TIME: (
        r"(?<![\w.:])\d{1,2}:\d{2}(?::\d{2})?(?:\.\d{1,6})?"
        rf"(?:{_SPACE}(?:[AaPp][Mm](?!\w)|[ap]\.m\.))?(?!\w|:\d)"
    ),
    Reason.VERSION: (
        r"(?<![\w.])(?:[vV]\d++(?:\.\d++)*+|\d++(?:\.\d++){2,}+)(?:-?(?:alpha|beta|rc|dev)(?:\.?\w{1,20}+)?)?(?!\w)"
    ),
    Reason.UNIT: (
        rf"{_NUMBER_START}(?:{_CURRENCIES}{_SPACE}{_DIGITS}(?:{_SPACE}(?:bn|[kKmM]))?|{_DIGITS}{_SPACE}{_CURRENCIES}"
        rf"|{_DIGITS}{_SPACE}(?:{_UNITS}))(?!\w)"
    ),
    Reason.NUMBER: (
        rf"(?!{_UUID}){_NUMBER_START}{_DIGITS}(?:st|nd|rd|th|s|[eE][+-]?\d++)?+(?:[/:×x–-]\d++){{0,31}}+(?!\w)"
    ),
    Reason.IDENTIFIER: (
        r"(?<![\w-])--[A-Za-z][\w-]*+(?:=[\w./:~-]*\w)?"
        # -v, key=value, std::vector, node->next, os.path.join, \alpha, C++, C#, Ctrl+C, ABC-123
        r"|(?<!\S)-[A-HJ-Za-z](?=\s|$)"
        r"|(?<![\w=])[A-Za-z_]\w{0,40}=(?:[\w./:~-]{0,80}\w|\"[^\"\n]{0,80}\")"
        r"|(?<![\w:])[A-Za-z_]\w{0,40}(?:::~?[A-Za-z_]\w{0,40}){1,8}(?![\w:])"
        r"|(?<![\w>])[A-Za-z_]\w{0,40}->[A-Za-z_]\w{0,40}(?!\w)"
        r"|(?<![\w.])[a-z_]\w{1,40}(?:\.[A-Za-z_]\w{1,40}){2,8}(?![\w.]\w)"
        r"|(?<![\w\\])\\[A-Za-z]{2,30}+"
        r"|(?<!\w)[CF](?:\+\+|\#)(?![\w+#])"
        r"|(?<!\w)(?:Ctrl|Control|Cmd|Command|Alt|Option|Shift|Win|Super|Meta|Fn)(?:\+\w{1,12}){1,4}(?!\w)"
        r"|(?<!\w)[A-Z][A-Z0-9]{1,9}-\d{1,6}(?![\w-])"
        rf"|(?<!\w){_UUID}(?!\w)"
        r"|(?<![\w:])(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}(?![\w:])"
        r"|(?<![\w$])\$[A-Za-z_]\w*+"
        r"|(?<!\w)[^\W\d][\w.]{0,80}\(\)"
        r"|(?<!\w)_*+[^\W_]++(?:_++[^\W_]++)++_*+(?!\w)|(?<!\w)__?[^\W_]++_*+(?!\w)"
        # camelCase, iPhone, iOS, PascalCase, JSONParser; one slipped capital (tHe, THe) is a typing error instead
        r"|(?<!\w)(?:[a-z]{2,}+[A-Z]|[a-z][A-Z][a-z]{2}|[a-z][A-Z]{2,}+|[A-Z][a-z]++[A-Z][a-z]|[A-Z]{4,}+[a-z]{3})"
        r"[^\W_]*+(?!\w)"
        # letters and digits mixed: mp3, H2O
        r"|(?<!\w)(?=[A-Za-z]*+\d)(?=\d*+[A-Za-z])[^\W_]++(?:-[^\W_]++){0,31}+(?!\w)"
    ),
}

# Most words are plain: they are skipped first. Every other word is skipped whole, so that no match starts inside one.
_PLAIN = r"(?<!\w)(?:[A-Z]?[a-z]++|[A-Z]++)(?=[,;:!?]?+(?:\s|$)|\.(?:\s|$))"
_SEARCH = re.compile(
    "|".join((_PLAIN, *(f"(?P<{reason}>{pattern})" for reason, pattern in _PATTERNS.items()), r"\w++")), re.DOTALL
)


_REASON_OF_LINE = {
    LineKind.COMMAND: Reason.COMMAND,
    LineKind.CODE: Reason.CODE,
    LineKind.CAPITALS: Reason.CAPITALS,
}
# Beside these characters no space marks the end of a word; the patterns see a punctuation mark in their place.
_UNSPACED = re.compile(rf"[{HAN_AND_KANA}]")
_STAND_IN = "、"


def find_protected(text: str, dictionary: Container[str] = frozenset()) -> list[Protected]:
    """The protected spans of a text, in order and without overlap.

    `dictionary` holds words of a user or a project that are right, as written or casefolded.
    """
    searched = text if text.isascii() else _UNSPACED.sub(_STAND_IN, text)
    found = [
        Protected(Span(*match.span()), Reason(match.lastgroup))
        for match in _SEARCH.finditer(searched)
        if match.lastgroup
    ]
    found = _add_lines(found, text)
    if not dictionary:
        return found
    if searched != text:
        covered = SpanSet(stretch.span for stretch in found)
        found += [Protected(span, Reason.DICTIONARY) for span in _unspaced_words(text, dictionary, covered)]
        found.sort(key=lambda stretch: stretch.span)
    taken = iter(found)
    next_taken = next(taken, None)
    known: list[Protected] = []
    for word in words(text):
        while next_taken and next_taken.span.end <= word.start:
            next_taken = next(taken, None)
        if next_taken and next_taken.span.overlaps(word):
            continue
        span = _known_part(text, word, dictionary)
        if span:
            known.append(Protected(span, Reason.DICTIONARY))
    return sorted(found + known, key=lambda stretch: stretch.span) if known else found


def _add_lines(found: list[Protected], text: str) -> list[Protected]:
    """Verbatim lines in place of what is protected inside them, except in a code block of several lines."""
    code_blocks = SpanSet(one.span for one in found if one.reason is Reason.CODE and "\n" in one.span.of(text))
    lines = [
        Protected(span, _REASON_OF_LINE[kind])
        for span, kind in find_verbatim_lines(text)
        if not (code_blocks.overlap(span) or (kind is LineKind.CAPITALS and is_in_capitals(span.of(text))))
    ]
    if not lines:
        return found
    covered = SpanSet(line.span for line in lines)
    outside = [one for one in found if not covered.overlap(one.span)]
    return sorted([*outside, *lines], key=lambda one: one.span)


_RUN = re.compile(r"\w++")
_LONGEST_UNSPACED = 16


def _unspaced_words(text: str, dictionary: Container[str], covered: SpanSet) -> Iterator[Span]:
    """Words of the dictionary in text without spaces; the longest one that begins at each offset."""
    for run in _RUN.finditer(text):
        if not _UNSPACED.search(run.group()):
            continue
        start, end = run.span()
        while start < end - 1:
            longest = range(min(end, start + _LONGEST_UNSPACED), start + 1, -1)
            known = (Span(start, stop) for stop in longest if text[start:stop] in dictionary)
            span = next((span for span in known if not covered.overlap(span)), None)
            if span:
                yield span
            start = span.end if span else start + 1


def _known_part(text: str, word: Span, dictionary: Container[str]) -> Span | None:
    """The word, or the word without its possessive ending, if the dictionary has it."""
    written = word.of(text)
    for candidate in (written, re.sub(r"['’][sS]$", "", written)):
        if candidate in dictionary or candidate.casefold() in dictionary:
            return Span(word.start, word.start + len(candidate))
    return None
