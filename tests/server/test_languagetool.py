from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from served import BOLD, FACE, WRONG, converse

import redraft
from redraft.check.document import Finding, SentenceCheck
from redraft.check.session import CheckResult
from redraft.decode.trace import SentenceTrace
from redraft.edits.categories import rule_of
from redraft.edits.edit import Edit, Kind, apply
from redraft.server.languagetool import widen_insertions
from redraft.text.span import Span

Ask = Callable[..., httpx.Response]
ESSAY = f"{FACE} Look. {WRONG} I saw a {BOLD} cat. We {FACE} goes home."


@pytest.fixture
def check(ask: Ask) -> Callable[..., Any]:
    def check(text: str | None = None, **parameters: str) -> Any:
        given = {"language": "en-US", **({} if text is None else {"text": text}), **parameters}
        response = ask("POST", "/v2/check", data=given)
        assert response.status_code == 200, response.text
        return response.json()

    return check


def utf16(text: str, offset: int, length: int) -> str:
    return text.encode("utf-16-le")[2 * offset : 2 * (offset + length)].decode("utf-16-le")


def found(answer: Any, text: str) -> list[tuple[str, str]]:
    return [
        (utf16(text, match["offset"], match["length"]), match["replacements"][0]["value"])
        for match in answer["matches"]
    ]


def test_offsets_count_utf16_units(check: Callable[..., Any]) -> None:
    answer = check(ESSAY)
    assert found(answer, ESSAY) == [("go", "goes"), ("days", "day"), (BOLD, "bad"), ("goes", "go")]
    for match in answer["matches"]:
        context = match["context"]
        shown = utf16(context["text"], context["offset"], context["length"])
        assert shown == utf16(ESSAY, match["offset"], match["length"])
    ranges = [utf16(ESSAY, start, end - start).strip() for start, end in answer["sentenceRanges"]]
    assert ranges == ["Look.", WRONG, f"I saw a {BOLD} cat.", f"We {FACE} goes home."]


def test_every_optional_field_is_present(check: Callable[..., Any]) -> None:
    answer = check("My freind likes tea.")
    assert set(answer) == {"software", "warnings", "language", "matches", "sentenceRanges"}
    assert answer["software"]["apiVersion"] == 1
    assert answer["warnings"] == {"incompleteResults": False}
    assert answer["language"]["code"] == answer["language"]["detectedLanguage"]["code"] == "en-US"
    assert set(answer["language"]["detectedLanguage"]) == {"name", "code", "confidence", "source"}
    (match,) = answer["matches"]
    assert match["rule"] == {
        "id": "REDRAFT_SPELLING_RULE",
        "description": "A misspelt word",
        "issueType": "misspelling",
        "urls": [],
        "category": {"id": "TYPOS", "name": "Possible Typo"},
        "isPremium": False,
    }
    assert match["type"] == {"typeName": "UnknownWord"}
    assert match["sentence"] == "My freind likes tea."
    assert match["message"]
    assert match["shortMessage"] == "Spelling"
    assert match["ignoreForIncompleteSentence"] is False
    assert isinstance(match["contextForSureMatch"], int)


def test_unchecked_sentences_make_results_incomplete(check: Callable[..., Any]) -> None:
    answer = check(f"{WRONG} Она идёт в школу. Look.")
    assert answer["warnings"] == {
        "incompleteResults": True,
        "incompleteResultsReason": "1 sentence was not checked: Cyrillic text, but only English is checked",
    }
    assert (len(answer["sentenceRanges"]), len(answer["matches"])) == (3, 2)


def test_context_is_cut_at_forty_characters_and_has_no_line_ends(check: Callable[..., Any]) -> None:
    text = f"{'Word ' * 20}ends.\r\n{WRONG}\n{'And more ' * 20}."
    context = check(text)["matches"][0]["context"]
    assert context["text"].startswith("...")
    assert context["text"].endswith("...")
    assert len(context["text"]) == 3 + 40 + 2 + 40 + 3
    assert not set("\r\n") & set(context["text"])
    assert context["text"][context["offset"] : context["offset"] + context["length"]] == "go"


def test_compact_answers_leave_out_what_repeats_the_text(check: Callable[..., Any]) -> None:
    answer = check(WRONG, c="1")
    assert "software" not in answer
    assert not {"context", "sentence"} & set(answer["matches"][0])


def test_the_partial_modes(check: Callable[..., Any]) -> None:
    assert check(WRONG, mode="textLevelOnly")["matches"] == []
    assert len(check(WRONG, mode="allButTextLevelOnly")["matches"]) == 2


def test_insertions_cover_a_word(check: Callable[..., Any]) -> None:
    text = "He is teacher in our town."
    assert found(check(text), text) == [("teacher", "a teacher")]
    assert found(check("I greet the world"), "I greet the world") == [("world", "world!")]


def test_annotated_text_counts_its_markup(check: Callable[..., Any]) -> None:
    parts: list[dict[str, Any]] = [
        {"markup": f"<p title='{FACE}'>", "unknown": 1},
        {"text": "She "},
        {"markup": "<b>"},
        {"text": "go"},
        {"markup": "</b>"},
        {"text": " to school every days."},
        {"markup": "<br>", "interpretAs": "\n\n"},
        {"text": "My freind likes tea."},
        {"markup": "</p>"},
    ]
    source = "".join(part.get("text", part.get("markup", "")) for part in parts)
    answer = check(data=json.dumps({"annotation": parts, "more": 1}))
    assert found(answer, source) == [("go", "goes"), ("days", "day"), ("freind", "friend")]
    plain = check(data=json.dumps({"text": WRONG}))
    assert found(plain, WRONG) == [("go", "goes"), ("days", "day")]


def test_lone_surrogates_are_answered(check: Callable[..., Any]) -> None:
    answer = check(data='{"text": "\\ud83d Look. My freind likes tea."}')
    assert [match["offset"] for match in answer["matches"]] == [11]


@pytest.mark.parametrize(
    ("parameters", "rules"),
    [
        ({"disabledRules": "REDRAFT_AGREEMENT, OTHER"}, ["REDRAFT_NOUN_NUMBER"]),
        ({"disabledCategories": "GRAMMAR"}, []),
        ({"disabledCategories": "GRAMMAR", "enabledRules": "REDRAFT_AGREEMENT"}, ["REDRAFT_AGREEMENT"]),
        ({"enabledRules": "REDRAFT_AGREEMENT", "enabledOnly": "yes"}, ["REDRAFT_AGREEMENT"]),
        ({"enabledCategories": "TYPOS", "enabledOnly": "true"}, []),
        ({"enabledRules": "REDRAFT_AGREEMENT"}, ["REDRAFT_AGREEMENT", "REDRAFT_NOUN_NUMBER"]),
        (
            {"level": "picky", "motherTongue": "de", "username": "x", "v": "1"},
            ["REDRAFT_AGREEMENT", "REDRAFT_NOUN_NUMBER"],
        ),
    ],
)
def test_rules_and_categories_are_turned_on_and_off(
    check: Callable[..., Any], parameters: dict[str, str], rules: list[str]
) -> None:
    assert [match["rule"]["id"] for match in check(WRONG, **parameters)["matches"]] == rules


@pytest.mark.parametrize(
    "parameters",
    [
        {"text": "Hi."},
        {"language": "en"},
        {"language": "en", "text": "Hi.", "data": "{}"},
        {"language": "en", "data": "{"},
        {"language": "en", "data": "[" * 100_000},
        {"language": "en", "data": "[]"},
        {"language": "en", "data": '{"annotation": 1}'},
        {"language": "en", "data": '{"annotation": [{"text": "a", "markup": "b"}]}'},
        {"language": "en", "data": '{"annotation": [{"markup": 1}]}'},
        {"language": "tlh", "text": "Hi."},
        {"language": "en", "text": "Hi.", "level": "high"},
        {"language": "en", "text": "Hi.", "mode": "some"},
        {"language": "en", "text": "Hi.", "preferredVariants": "en-GB"},
        {"language": "en", "text": "Hi.", "enabledOnly": "yes"},
        {"language": "en", "text": "Hi.", "enabledOnly": "yes", "enabledRules": "A", "disabledRules": "B"},
        {"language": "en", "text": "Hi.", "disabledRules": "A," * 50_001},
    ],
    ids=lambda parameters: "-".join(f"{name}={value[:25]}" for name, value in parameters.items()),
)
def test_errors_are_plain_text(ask: Ask, parameters: dict[str, str]) -> None:
    response = ask("POST", "/v2/check", data=parameters)
    assert response.status_code == 400
    assert response.text.startswith("Error: ")
    assert response.headers["content-type"].startswith("text/plain")


def test_other_refusals_are_plain_text_too(ask: Ask) -> None:
    long = ask("POST", "/v2/check", data={"language": "en", "text": "x" * 11}, settings={"max_text": 10})
    assert (long.status_code, long.text[:7]) == (413, "Error: ")
    assert ask("POST", "/v2/nothing").status_code == 404
    assert ask("POST", "/v2/nothing").text.startswith("Error: ")
    assert ask("POST", "/v2/languages").status_code == 405
    assert ask("POST", "/v2/check", content=b"language=en&text=%ff").status_code == 400
    assert ask("POST", "/v2/check", content=b"language=en&text=\xff").status_code == 400
    assert ask("POST", "/v2/check", content=b"&".join(b"a=1" for _ in range(2000))).status_code == 400


@pytest.mark.parametrize("kind", [None, "application/x-www-form-urlencoded; charset=UTF-8", "text/plain"])
def test_the_content_type_is_ignored(ask: Ask, kind: str | None) -> None:
    headers = {"content-type": kind} if kind else {}
    body = urlencode({"language": "en-GB", "text": WRONG}).encode()
    assert len(ask("POST", "/v2/check", content=body, headers=headers).json()["matches"]) == 2


def test_the_query_has_precedence_and_get_works(ask: Ask) -> None:
    posted = ask("POST", "/v2/check", params={"text": WRONG}, data={"language": "auto", "text": "Fine."})
    assert len(posted.json()["matches"]) == 2
    got = ask("GET", "/v2/check", params={"text": WRONG, "language": "auto", "preferredVariants": "de-DE,en-GB"})
    assert got.json()["language"]["code"] == "en-GB"
    assert len(got.json()["matches"]) == 2


def test_languages_info_and_health(ask: Ask) -> None:
    languages = ask("GET", "/v2/languages").json()
    assert {"name": "English (US)", "code": "en", "longCode": "en-US"} in languages
    assert {"name": "German (mother tongue only)", "code": "de", "longCode": "de"} in languages
    assert [language["longCode"] for language in languages].count("en") == 1
    assert ask("POST", "/v2/check", data={"text": "Er gehen.", "language": "de"}).status_code == 400
    assert ask("GET", "/v2/info").json()["software"]["apiVersion"] == 1
    assert ask("POST", "/v2/maxtextlength", settings={"max_text": 99}).text == "99"
    rules = ask("GET", "/v2/configinfo", params={"language": "en"}).json()["rules"]
    assert {"REDRAFT_SPELLING_RULE", "REDRAFT_OTHER"} <= {rule["ruleId"] for rule in rules}
    assert ask("GET", "/v2/healthcheck").text == "OK"
    assert ask("HEAD", "/v2/healthcheck").status_code == 200


def test_words_are_added_used_and_deleted(ask: Ask) -> None:
    form = {"language": "en", "text": "My freind likes tea."}
    assert ask("GET", "/v2/words").json() == {"words": []}
    assert ask("POST", "/v2/words/add", data={"word": "freind"}).json() == {"added": True}
    assert ask("POST", "/v2/words/add", data={"word": "freind"}).json() == {"added": False}
    assert ask("GET", "/v2/words").json() == {"words": ["freind"]}
    assert ask("GET", "/v2/words", params={"offset": "1"}).json() == {"words": []}
    assert ask("POST", "/v2/check", data=form).json()["matches"] == []
    assert ask("POST", "/v2/words/delete", data={"word": "freind"}).json() == {"deleted": True}
    assert ask("POST", "/v2/words/delete", data={"word": "freind"}).json() == {"deleted": False}
    assert len(ask("POST", "/v2/check", data=form).json()["matches"]) == 1
    for bad in ({"word": "two words"}, {}):
        assert ask("POST", "/v2/words/add", data=bad).status_code == 400


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3), st.text("ab! ", max_size=3))))
def test_widened_insertions_never_overlap_and_give_the_same_text(text: str, places: list[tuple[int, int, str]]) -> None:
    edits: list[Edit] = []
    for start, length, replacement in sorted(places):
        span = Span(min(start, len(text)), min(start + length, len(text)))
        floor = edits[-1].span if edits else Span(0, 0)
        if span.of(text) != replacement and span.start >= floor.end and (span.start > floor.start or not edits):
            edits.append(Edit(span, span.of(text), replacement, Kind.OTHER))
    whole = Span(0, len(text))
    findings = tuple(Finding(edit, whole, rule_of(edit.kind)) for edit in edits)
    checked = CheckResult(text, (SentenceCheck(whole, text, findings, SentenceTrace("", "", "none", (), 0, 0)),))
    matches = list(widen_insertions(checked))
    widened = [Edit(match.span, match.span.of(text), match.replacement) for match in matches]
    assert apply(text, widened) == apply(text, edits)


def test_the_level_picky_has_possible_errors_too(tmp_path: Path) -> None:
    async def talk(client: httpx.AsyncClient) -> list[Any]:
        data = {"language": "en-US", "text": "She make her homework."}
        levels = [data, {**data, "level": "picky"}]
        return [(await client.post("/v2/check", data=one)).json()["matches"] for one in levels]

    plain, picky = converse(tmp_path, talk, redraft.load("en", threads=1))
    assert plain == []
    (match,) = picky
    assert [one["value"] for one in match["replacements"]] == ["did", "do", "does"]
