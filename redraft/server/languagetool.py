"""LanguageTool's HTTP API, so that its clients work with Redraft. All its offsets count UTF-16 units."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from redraft import __version__
from redraft.check.document import Finding
from redraft.check.languages import Language, is_auto, languages_of
from redraft.edits.categories import RULES
from redraft.edits.edit import Kind
from redraft.server.guard import LANGUAGETOOL, RefusedError, allow_key, json_response
from redraft.server.service import Checked, Service, Wishes, refusals
from redraft.text.markup import Marked, Part, join
from redraft.text.positions import Positions, Unit
from redraft.text.scripts import is_unspaced
from redraft.text.span import Span

_CONTEXT = 40
"""Characters of context on each side of a match."""
_ELLIPSIS = "..."
_MOST_FIELDS = 1000
_MODES = ("all", "textLevelOnly", "allButTextLevelOnly")
_LEVELS = ("default", "picky")
_SOFTWARE = {
    "name": "Redraft",
    "version": __version__,
    "buildDate": "",
    "apiVersion": 1,
    "premium": False,
    "premiumHint": "",
    "status": "",
}


@dataclass(frozen=True, slots=True)
class Question:
    """The parameters of a check."""

    text: str | Marked
    language: Language
    was_detected: bool
    kinds: frozenset[Kind]
    is_compact: bool
    is_partial: bool
    """Asked for what concerns the text as a whole alone: Redraft looks at sentences and finds nothing there."""


def create_router(service: Service) -> APIRouter:
    """The routes under /v2. They are no part of Redraft's own description of its API."""
    router = APIRouter(prefix=LANGUAGETOOL, include_in_schema=False)

    async def read(request: Request) -> Mapping[str, str]:
        parameters = read_parameters(request.url.query, await request.body())
        given = parameters.get("apiKey") or request.headers.get("x-api-key")
        if not allow_key(given, service.settings.api_key):
            raise RefusedError(403, "give the API key as the parameter apiKey or in the header X-API-Key")
        return parameters

    @router.api_route("/check", methods=["GET", "POST"])
    async def check(request: Request) -> Response:
        question = read_question(await read(request), service)
        if question.is_partial:
            source = question.text if isinstance(question.text, str) else question.text.source
            return json_response(answer(Checked(source, ()), question))
        only = None if question.was_detected else question.language.code
        wishes = Wishes(language=only, dialect=question.language.dialect, kinds=question.kinds)
        checked = await service.check(request, question.text, wishes)
        return json_response(answer(checked, question))

    @router.get("/languages")
    async def languages() -> Response:
        known = languages_of(*service.corrector.languages)
        return json_response([{"name": one.name, "code": one.code, "longCode": one.long_code} for one in known])

    @router.get("/info")
    async def info() -> Response:
        return json_response({"software": _SOFTWARE})

    @router.api_route("/maxtextlength", methods=["GET", "POST"])
    async def longest() -> Response:
        return PlainTextResponse(str(service.settings.max_text))

    @router.get("/configinfo")
    async def configuration() -> Response:
        return json_response(
            {
                "software": _SOFTWARE,
                "parameter": {"maxTextLength": service.settings.max_text},
                "rules": [_describe_rule(kind) for kind in RULES],
            }
        )

    @router.api_route("/healthcheck", methods=["GET", "HEAD"])
    async def health() -> Response:
        return PlainTextResponse("OK")

    @router.get("/words")
    async def words(request: Request) -> Response:
        parameters = await read(request)
        first, most = _count(parameters, "offset", 0), _count(parameters, "limit", 10)
        with refusals():
            known = await asyncio.to_thread(service.personal.list_words)
        return json_response({"words": known[first : first + most]})

    @router.post("/words/add")
    async def add(request: Request) -> Response:
        word = _require(await read(request), "word")
        with refusals():
            return json_response({"added": await asyncio.to_thread(service.personal.add_word, word)})

    @router.post("/words/delete")
    async def delete(request: Request) -> Response:
        word = _require(await read(request), "word")
        with refusals():
            return json_response({"deleted": await asyncio.to_thread(service.personal.remove_word, word)})

    return router


def read_parameters(query: str, body: bytes) -> dict[str, str]:
    """What came as a form, and what came in the address, which wins. The content type does not matter."""
    try:
        fields = [*_parse(body.decode("utf-8")), *_parse(query)]
    except UnicodeDecodeError:
        raise RefusedError(400, "the parameters are not UTF-8") from None
    except ValueError:
        raise RefusedError(400, f"there are more than {_MOST_FIELDS} parameters") from None
    return dict(fields)


def _parse(form: str) -> list[tuple[str, str]]:
    return parse_qsl(form, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)


def read_question(parameters: Mapping[str, str], service: Service) -> Question:
    code = _require(parameters, "language")
    text = _read_text(parameters)
    language = service.language(code, text if isinstance(text, str) else text.source)
    was_detected = is_auto(code)
    if "preferredVariants" in parameters:
        if not was_detected:
            raise RefusedError(400, "preferredVariants is for language=auto only")
        variants = [variant for variant in languages_of(language.code) if variant.long_code != language.code]
        preferred = _list(parameters, "preferredVariants")
        language = next((variant for variant in variants if variant.long_code in preferred), language)
    if parameters.get("level", _LEVELS[0]) not in _LEVELS:
        raise RefusedError(400, f"level must be one of {', '.join(_LEVELS)}")
    mode = parameters.get("mode", _MODES[0])
    if mode not in _MODES:
        raise RefusedError(400, f"mode must be one of {', '.join(_MODES)}")
    return Question(
        text=text,
        language=language,
        was_detected=was_detected,
        kinds=_read_kinds(parameters),
        is_compact=parameters.get("c") == "1",
        is_partial=mode == "textLevelOnly",
    )


def _read_text(parameters: Mapping[str, str]) -> str | Marked:
    if ("text" in parameters) == ("data" in parameters):
        raise RefusedError(400, "give either the parameter text or the parameter data")
    if "text" in parameters:
        return parameters["text"]
    try:
        data = json.loads(parameters["data"])
    except (ValueError, RecursionError):
        raise RefusedError(400, "data is no valid JSON") from None
    if not isinstance(data, dict) or ("text" in data) == ("annotation" in data):
        raise RefusedError(400, "data must be an object with either text or annotation")
    if "text" in data:
        return _string(data["text"], "data.text")
    if not isinstance(data["annotation"], list):
        raise RefusedError(400, "data.annotation must be a list")
    return join([_read_part(part) for part in data["annotation"]])


def _read_part(part: object) -> Part:
    if not isinstance(part, dict) or ("text" in part) == ("markup" in part):
        raise RefusedError(400, "each part of data.annotation must have either text or markup")
    if "text" in part:
        return Part(_string(part["text"], "text"))
    shown = part.get("interpretAs")
    return Part(_string(part["markup"], "markup"), "" if shown is None else _string(shown, "interpretAs"))


def _read_kinds(parameters: Mapping[str, str]) -> frozenset[Kind]:
    """The kinds of edits that rules and categories, turned on and off, leave."""
    on = _named(_list(parameters, "enabledRules"), _list(parameters, "enabledCategories"))
    off = _named(_list(parameters, "disabledRules"), _list(parameters, "disabledCategories"))
    if parameters.get("enabledOnly", "").lower() not in ("yes", "true"):
        # Nothing is off to begin with. A rule that is named counts more than the category it is in.
        return frozenset(RULES) - off | (_named(_list(parameters, "enabledRules"), []) & off)
    if parameters.get("disabledRules") or parameters.get("disabledCategories"):
        raise RefusedError(400, "enabledOnly cannot be used together with disabledRules or disabledCategories")
    if not (parameters.get("enabledRules") or parameters.get("enabledCategories")):
        raise RefusedError(400, "enabledOnly needs enabledRules or enabledCategories")
    return on


def _named(rules: Iterable[str], categories: Iterable[str]) -> frozenset[Kind]:
    ids, groups = set(rules), set(categories)
    return frozenset(kind for kind, rule in RULES.items() if rule.id in ids or rule.category.id in groups)


def answer(checked: Checked, question: Question) -> dict[str, Any]:
    """Every optional scalar is there: clients fail without them."""
    positions = Positions(checked.text, Unit.UTF_16)
    language = {"name": question.language.name, "code": question.language.long_code}
    # A script tells which model's language it is; how sure that is nobody can say, but clients want to see a number.
    detected = {**language, "confidence": 1.0, "source": "model" if question.was_detected else "request"}
    matches = []
    for finding in widen(checked):
        match = _match(finding, checked.text, positions)
        if question.is_compact:
            del match["context"], match["sentence"]
        matches.append(match)
    sentences = [positions.span_to_units(sentence.span) for sentence in checked.sentences]
    return {
        **({} if question.is_compact else {"software": _SOFTWARE}),
        "warnings": {"incompleteResults": False},
        "language": {**language, "detectedLanguage": detected},
        "matches": matches,
        "sentenceRanges": [[span.start, span.end] for span in sentences],
    }


@dataclass(frozen=True, slots=True)
class Match:
    """A finding that covers at least one character, where there is one: clients cannot underline nothing."""

    finding: Finding
    span: Span
    replacement: str


def widen(checked: Checked) -> Iterator[Match]:
    """Lets insertions take in a neighbouring word, unless another finding has it already."""
    text, findings = checked.text, checked.findings
    floor, ceilings = 0, [*(finding.edit.span.start for finding in findings[1:]), len(text)]
    for finding, ceiling in zip(findings, ceilings, strict=False):
        span, replacement = finding.edit.span, finding.edit.replacement
        if not span:
            before, after = _word_before(text, span.start, floor), _word_after(text, span.start, ceiling)
            # “teacher” becomes “a teacher”, but “Hi” at the end becomes “Hi!”; and no comma takes in a Chinese word.
            joins = is_unspaced(replacement[:1]) and not text[span.start - before : span.start].isalnum()
            belongs_behind = replacement[-1:].isspace() or joins or not before
            span = (
                Span(span.start, span.start + after)
                if after and belongs_behind
                else Span(span.start - before, span.start)
            )
            replacement = (
                text[span.start : finding.edit.span.start] + replacement + text[finding.edit.span.end : span.end]
            )
        floor = span.end
        yield Match(finding, span, replacement)


def _word_before(text: str, place: int, floor: int) -> int:
    start = place
    while start > floor and _is_of_word(text[start - 1]):
        start -= 1
    if start == place and place > floor and not text[place - 1].isspace():
        start -= 1
    return place - start


def _word_after(text: str, place: int, ceiling: int) -> int:
    end = place
    while end < ceiling and _is_of_word(text[end]):
        end += 1
    if end == place and place < ceiling and is_unspaced(text[place]):
        end += 1
    return end - place


def _is_of_word(character: str) -> bool:
    """Where words have no spaces between them, one character is enough to underline."""
    return character.isalnum() and not is_unspaced(character)


def _match(match: Match, text: str, positions: Positions) -> dict[str, Any]:
    edit, rule = match.finding.edit, RULES[match.finding.edit.kind]
    units = positions.span_to_units(match.span)
    return {
        "message": edit.explanation or rule.description,
        "shortMessage": rule.name,
        "replacements": [{"value": match.replacement}],
        "offset": units.start,
        "length": len(units),
        "context": _context(text, match.span),
        "sentence": match.finding.sentence.of(text).strip(),
        "type": {"typeName": "UnknownWord" if edit.kind is Kind.SPELLING else "Other"},
        "rule": {
            "id": rule.id,
            "description": rule.description,
            "issueType": rule.category.issue_type,
            "urls": [],
            "category": {"id": rule.category.id, "name": rule.category.name},
            "isPremium": False,
        },
        "ignoreForIncompleteSentence": False,
        "contextForSureMatch": -1,
    }


def _context(text: str, span: Span) -> dict[str, Any]:
    start, end = max(span.start - _CONTEXT, 0), min(span.end + _CONTEXT, len(text))
    opening, closing = _ELLIPSIS * (start > 0), _ELLIPSIS * (end < len(text))
    shown = opening + "".join(" " if one in "\r\n" else one for one in text[start:end]) + closing
    units = Positions(shown, Unit.UTF_16).span_to_units(span.shift(len(opening) - start))
    return {"text": shown, "offset": units.start, "length": len(units)}


def _describe_rule(kind: Kind) -> dict[str, Any]:
    rule = RULES[kind]
    return {
        "ruleId": rule.id,
        "description": rule.description,
        "categoryId": rule.category.id,
        "categoryName": rule.category.name,
    }


def _require(parameters: Mapping[str, str], name: str) -> str:
    value = parameters.get(name, "")
    if not value.strip():
        raise RefusedError(400, f"the parameter {name} is missing")
    return value


def _list(parameters: Mapping[str, str], name: str) -> list[str]:
    return [part.strip() for part in parameters.get(name, "").split(",") if part.strip()]


def _count(parameters: Mapping[str, str], name: str, default: int) -> int:
    value = parameters.get(name, str(default))
    if not value.isdecimal():
        raise RefusedError(400, f"{name} must be a number")
    return int(value[:9])


def _string(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise RefusedError(400, f"{name} must be a string")
    return value
