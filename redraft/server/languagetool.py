"""LanguageTool's HTTP API, under /v2, for programs written for LanguageTool. Offsets count UTF-16 units."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from redraft import __version__
from redraft.check.document import Finding
from redraft.check.languages import Language, is_auto, languages_of, mother_tongues
from redraft.check.options import CheckOptions
from redraft.check.session import CheckResult
from redraft.check.unchecked import summarize
from redraft.edits.categories import RULES
from redraft.edits.edit import Kind
from redraft.server.form import read_form
from redraft.server.responses import LANGUAGETOOL, RefusedError, json_response
from redraft.server.service import Service, refusals
from redraft.text.markup import Marked, Part, join
from redraft.text.positions import Positions, Unit
from redraft.text.scripts import is_unspaced
from redraft.text.span import Span

_CONTEXT = 40
"""Characters of context on each side of a match."""
_ELLIPSIS = "..."
_MAX_LIST = 100_000
"""Characters of a list of rules or categories; clients send those that a user turned off in LanguageTool."""
_MODES = ("all", "textLevelOnly", "allButTextLevelOnly")
_PICKY = "picky"
_LEVELS = ("default", _PICKY)
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
class CheckParameters:
    """The parameters of /v2/check."""

    text: str | Marked
    language: Language
    was_detected: bool
    kinds: frozenset[Kind]
    is_compact: bool
    is_picky: bool
    """Whether possible errors are requested too."""
    is_text_level_only: bool
    """Whether only matches across sentences are requested, of which Redraft has none."""


def create_router(service: Service) -> APIRouter:
    """The routes under /v2, which are left out of /openapi.json."""
    router = APIRouter(prefix=LANGUAGETOOL, include_in_schema=False)

    async def read(request: Request) -> Mapping[str, str]:
        return read_form(request.url.query, await request.body())

    @router.api_route("/check", methods=["GET", "POST"])
    async def check(request: Request) -> Response:
        parameters = read_check_parameters(await read(request), service)
        if parameters.is_text_level_only:
            source = parameters.text if isinstance(parameters.text, str) else parameters.text.source
            return json_response(build_answer(CheckResult(source, ()), parameters))
        only = None if parameters.was_detected else parameters.language.code
        options = CheckOptions(
            language=only,
            dialect=parameters.language.dialect,
            kinds=parameters.kinds,
            alternatives=True,
            possible_errors=parameters.is_picky,
        )
        checked = await service.check(request, parameters.text, options)
        return json_response(build_answer(checked, parameters))

    @router.get("/languages")
    async def languages() -> Response:
        checked = service.corrector.languages
        # Clients refuse a mother tongue that is not in this list.
        known = [(one.name, one) for one in languages_of(*checked)]
        known += [(f"{one.name} (mother tongue only)", one) for one in mother_tongues(*checked)]
        return json_response([{"name": name, "code": one.code, "longCode": one.long_code} for name, one in known])

    @router.get("/info")
    async def info() -> Response:
        return json_response({"software": _SOFTWARE})

    @router.api_route("/maxtextlength", methods=["GET", "POST"])
    async def max_text_length() -> Response:
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
            known = await asyncio.to_thread(service.user_rules.list_words)
        return json_response({"words": known[first : first + most]})

    @router.post("/words/add")
    async def add(request: Request) -> Response:
        word = _require(await read(request), "word")
        with refusals():
            return json_response({"added": await asyncio.to_thread(service.user_rules.add_word, word)})

    @router.post("/words/delete")
    async def delete(request: Request) -> Response:
        word = _require(await read(request), "word")
        with refusals():
            return json_response({"deleted": await asyncio.to_thread(service.user_rules.remove_word, word)})

    return router


def read_check_parameters(parameters: Mapping[str, str], service: Service) -> CheckParameters:
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
    level = parameters.get("level", _LEVELS[0])
    if level not in _LEVELS:
        raise RefusedError(400, f"level must be one of {', '.join(_LEVELS)}")
    mode = parameters.get("mode", _MODES[0])
    if mode not in _MODES:
        raise RefusedError(400, f"mode must be one of {', '.join(_MODES)}")
    return CheckParameters(
        text=text,
        language=language,
        was_detected=was_detected,
        kinds=_read_kinds(parameters),
        is_compact=parameters.get("c") == "1",
        is_picky=level == _PICKY,
        is_text_level_only=mode == "textLevelOnly",
    )


def _read_text(parameters: Mapping[str, str]) -> str | Marked:
    if ("text" in parameters) == ("data" in parameters):
        raise RefusedError(400, "send either the parameter text or the parameter data")
    if "text" in parameters:
        return parameters["text"]
    try:
        data = json.loads(parameters["data"])
    except (ValueError, RecursionError):
        raise RefusedError(400, "data is not valid JSON") from None
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
    """The kinds of edits to report, given the enabled and disabled rules and categories."""
    on = _named(_list(parameters, "enabledRules"), _list(parameters, "enabledCategories"))
    off = _named(_list(parameters, "disabledRules"), _list(parameters, "disabledCategories"))
    if parameters.get("enabledOnly", "").lower() not in ("yes", "true"):
        # All rules are enabled by default. A rule has precedence over its category.
        return frozenset(RULES) - off | (_named(_list(parameters, "enabledRules"), []) & off)
    if parameters.get("disabledRules") or parameters.get("disabledCategories"):
        raise RefusedError(400, "enabledOnly cannot be used together with disabledRules or disabledCategories")
    if not (parameters.get("enabledRules") or parameters.get("enabledCategories")):
        raise RefusedError(400, "enabledOnly needs enabledRules or enabledCategories")
    return on


def _named(rules: Iterable[str], categories: Iterable[str]) -> frozenset[Kind]:
    ids, groups = set(rules), set(categories)
    return frozenset(kind for kind, rule in RULES.items() if rule.id in ids or rule.category.id in groups)


def build_answer(checked: CheckResult, parameters: CheckParameters) -> dict[str, Any]:
    """All optional fields are present: some clients fail without them."""
    positions = Positions(checked.source, Unit.UTF_16)
    language = {"name": parameters.language.name, "code": parameters.language.long_code}
    # Languages are detected by script, without a probability, but clients require a number.
    detected = {**language, "confidence": 1.0, "source": "model" if parameters.was_detected else "request"}
    matches = []
    for finding in widen_insertions(checked):
        match = _match(finding, checked.source, positions)
        if parameters.is_compact:
            del match["context"], match["sentence"]
        matches.append(match)
    sentences = [positions.span_to_units(one.span) for one in checked.sentences]
    return {
        **({} if parameters.is_compact else {"software": _SOFTWARE}),
        "warnings": _warnings(checked),
        "language": {**language, "detectedLanguage": detected},
        "matches": matches,
        "sentenceRanges": [[span.start, span.end] for span in sentences],
    }


def _warnings(checked: CheckResult) -> dict[str, Any]:
    unchecked = checked.unchecked
    if not unchecked:
        return {"incompleteResults": False}
    reason = summarize(len(unchecked), (one.message for one in unchecked))
    return {"incompleteResults": True, "incompleteResultsReason": reason}


@dataclass(frozen=True, slots=True)
class Match:
    """A finding with a span of at least one character, if possible: clients cannot underline an empty span."""

    finding: Finding
    span: Span
    replacement: str
    replacements: tuple[str, ...]
    """All replacements for the span, the finding's own first."""


def widen_insertions(checked: CheckResult) -> Iterator[Match]:
    """Extends insertions to a neighbouring word that is not part of another finding."""
    text, findings = checked.source, checked.findings
    floor, ceilings = 0, [*(finding.edit.span.start for finding in findings[1:]), len(text)]
    for finding, ceiling in zip(findings, ceilings, strict=False):
        span, replacement = finding.edit.span, finding.edit.replacement
        if not span:
            before, after = _word_before(text, span.start, floor), _word_after(text, span.start, ceiling)
            # “teacher” becomes “a teacher”, but “Hi” at the end “Hi!”. Chinese is joined to a word, not to a comma.
            joins = is_unspaced(replacement[:1]) and not text[span.start - before : span.start].isalnum()
            precedes_word = replacement[-1:].isspace() or joins or not before
            span = (
                Span(span.start, span.start + after)
                if after and precedes_word
                else Span(span.start - before, span.start)
            )
        start, end = text[span.start : finding.edit.span.start], text[finding.edit.span.end : span.end]
        others = [one.replacement for one in finding.alternatives[1:]]
        widened = tuple(start + one + end for one in (replacement, *others))
        floor = span.end
        yield Match(finding, span, widened[0], widened)


def _word_before(text: str, place: int, floor: int) -> int:
    start = place
    while start > floor and _is_word_character(text[start - 1]):
        start -= 1
    if start == place and place > floor and not text[place - 1].isspace():
        start -= 1
    return place - start


def _word_after(text: str, place: int, ceiling: int) -> int:
    end = place
    while end < ceiling and _is_word_character(text[end]):
        end += 1
    if end == place and place < ceiling and is_unspaced(text[place]):
        end += 1
    return end - place


def _is_word_character(character: str) -> bool:
    """Characters of scripts without spaces are matched one at a time, not as a word."""
    return character.isalnum() and not is_unspaced(character)


def _match(match: Match, text: str, positions: Positions) -> dict[str, Any]:
    edit, rule = match.finding.edit, RULES[match.finding.edit.kind]
    units = positions.span_to_units(match.span)
    return {
        "message": edit.explanation or rule.description,
        "shortMessage": rule.name,
        "replacements": [{"value": replacement} for replacement in match.replacements],
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
    value = parameters.get(name, "")
    if len(value) > _MAX_LIST:
        raise RefusedError(400, f"{name} is longer than {_MAX_LIST:,} characters")
    return [part.strip() for part in value.split(",") if part.strip()]


def _count(parameters: Mapping[str, str], name: str, default: int) -> int:
    value = parameters.get(name, str(default))
    if not value.isdecimal():
        raise RefusedError(400, f"{name} must be a number")
    return int(value[:9])


def _string(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise RefusedError(400, f"{name} must be a string")
    return value
