"""Requests and replies of Redraft's own API: validated pydantic models, and plain dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema

from redraft.check.document import Finding, SentenceCheck
from redraft.check.languages import Language, is_auto
from redraft.check.options import CheckOptions
from redraft.check.session import CheckResult
from redraft.check.unchecked import Unchecked, UncheckedReason
from redraft.check.user_rules import Scope
from redraft.edits.edit import Kind
from redraft.text.markup import FORMATS
from redraft.text.positions import Positions, Unit
from redraft.text.scripts import AUTO
from redraft.text.span import Span

EXAMPLE = "She go to school every days."
_EDIT, _SENTENCE = 400, 20_000
"""Most characters of an edit that is ignored, so that its line in the file is not too long, and of its sentence."""


def _accept_text(value: object) -> str:
    """Accepts any string. Pydantic refuses lone surrogates, which texts from editors may contain."""
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def _accept_format(value: object) -> str:
    if value not in FORMATS:
        raise ValueError(f"must be one of {', '.join(FORMATS)}")
    return str(value)


Text = Annotated[str, PlainValidator(_accept_text), WithJsonSchema({"type": "string"})]
Format = Annotated[str, PlainValidator(_accept_format), WithJsonSchema({"type": "string", "enum": list(FORMATS)})]


class _Body(BaseModel):
    """Refuses unknown keys: a misspelt one would be silently ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CheckRequest(_Body):
    text: Annotated[Text, Field(examples=[EXAMPLE])]
    format: Annotated[Format, Field(description="Format of the text.")] = "plain"
    language: Annotated[
        str,
        Field(description="Code of the only language to check; auto to detect it.", max_length=35),
    ] = AUTO
    consistent: Annotated[
        bool,
        Field(
            description="Whether to accept, for a language without a country, only the American or British spelling "
            "that most words of the text have."
        ),
    ] = False
    threshold: Annotated[
        float | None,
        Field(ge=0, le=1, description="Minimum confidence of an edit; set by the model by default."),
    ] = None
    kinds: Annotated[frozenset[Kind] | None, Field(description="Kinds of edits to report; all by default.")] = None
    ignored_kinds: Annotated[frozenset[Kind], Field(description="Kinds of edits to leave out.")] = frozenset()
    offsets: Annotated[Unit, Field(description="Unit of offsets.")] = Unit.UTF_16
    trace: Annotated[bool, Field(description="Whether to report how each sentence was decoded.")] = False
    alternatives: Annotated[
        bool, Field(description="Whether to report up to three replacements for each edit, which takes longer.")
    ] = False

    possible_errors: Annotated[
        bool,
        Field(
            description="Whether to report also places where something is probably wrong but the correction is not "
            "certain. Their edits have `certain` false, and are not made by /v1/correct."
        ),
    ] = False

    def options(self, language: Language) -> CheckOptions:
        only = None if is_auto(self.language) else language.code
        return CheckOptions(
            language=only,
            dialect=language.dialect,
            consistent=self.consistent,
            threshold=self.threshold,
            kinds=self.kinds,
            ignored_kinds=self.ignored_kinds,
            format=self.format,
            alternatives=self.alternatives,
            possible_errors=self.possible_errors,
        )


class TraceRequest(_Body):
    sentence: Annotated[Text, Field(examples=[EXAMPLE])]
    policies: Annotated[
        tuple[str, ...] | None,
        Field(max_length=8, description="Draft policies to compare; all by default.", examples=[["refine", "none"]]),
    ] = None


class WordRequest(_Body):
    word: Annotated[str, Field(min_length=1, max_length=100, examples=["fjord"])]
    scope: Scope = Scope.USER


class IgnoreKindRequest(_Body):
    ignore: Literal["kind"]
    kind: Kind
    scope: Scope = Scope.USER


class IgnoreWordRequest(_Body):
    ignore: Literal["word"]
    word: Annotated[str, Field(min_length=1, max_length=100)]
    scope: Scope = Scope.USER


class IgnoreOnceRequest(_Body):
    ignore: Literal["once"]
    source: Annotated[Text, Field(description="Text that the edit replaces.", max_length=_EDIT, examples=["go"])]
    replacement: Annotated[Text, Field(max_length=_EDIT, examples=["goes"])]
    sentence: Annotated[
        Text,
        Field(description="Text of the sentence, as reported by /v1/check.", max_length=_SENTENCE, examples=[EXAMPLE]),
    ]
    scope: Scope = Scope.USER


IgnoreRequest = Annotated[IgnoreKindRequest | IgnoreWordRequest | IgnoreOnceRequest, Field(discriminator="ignore")]


@dataclass(frozen=True, slots=True)
class AlternativeReply:
    replacement: str
    confidence: float


@dataclass(frozen=True, slots=True)
class EditReply:
    start: int
    end: int
    source: str
    replacement: str
    kind: Kind
    rule: str
    confidence: float
    explanation: str
    alternatives: list[AlternativeReply] | None = None
    """Replacements for the same span, that of the edit first; only if the request asks for them."""
    certain: bool | None = None
    """False for a possible error, which is only reported if the request asks for it; else left out."""


@dataclass(frozen=True, slots=True)
class SentenceReply:
    start: int
    end: int
    text: str
    """The text given to the model: without markup, one space between words."""


@dataclass(frozen=True, slots=True)
class UncheckedReply:
    """A sentence that was not checked."""

    start: int
    end: int
    reason: UncheckedReason
    message: str


@dataclass(frozen=True, slots=True)
class CheckReply:
    language: str
    edits: list[EditReply]
    sentences: list[SentenceReply]
    unchecked: list[UncheckedReply]
    """The sentences that were not checked, with the reason. The others without edits have no errors that were found."""
    milliseconds: float
    calls: int
    """Decoder calls, including those of sentences found in the cache."""
    trace: list[dict[str, Any]] | None = None
    text: str | None = None
    """The corrected text, from /v1/correct."""


@dataclass(frozen=True, slots=True)
class StepReply:
    sentence: SentenceReply
    edits: list[EditReply]
    unchecked: UncheckedReply | None = None
    trace: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class DoneReply:
    """The last line of a stream, with `error` if the check failed midway."""

    done: bool
    milliseconds: float
    calls: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class TraceReply:
    source: str
    target: str
    calls: int
    tokens: int
    verified: int
    milliseconds: float
    blocks: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class KindReply:
    id: Kind
    name: str
    names: dict[str, str]
    """Language → name in that language."""
    rule: str


@dataclass(frozen=True, slots=True)
class ModelReply:
    name: str
    language: str
    parameters: int | None


@dataclass(frozen=True, slots=True)
class LimitsReply:
    text: int
    body: int


@dataclass(frozen=True, slots=True)
class InfoReply:
    version: str
    model: ModelReply
    languages: list[str]
    formats: list[str]
    kinds: list[KindReply]
    limits: LimitsReply
    policies: list[str]
    threshold: float
    """Default threshold of the first model."""
    thresholds: dict[str, float]
    """Language → default threshold of its model."""


@dataclass(frozen=True, slots=True)
class WordsReply:
    words: list[str]


@dataclass(frozen=True, slots=True)
class IgnoresReply:
    ignores: list[str]


@dataclass(frozen=True, slots=True)
class ChangeReply:
    changed: bool
    """False if there was nothing to change."""


@dataclass(frozen=True, slots=True)
class StatusReply:
    status: str


@dataclass(frozen=True, slots=True)
class ErrorReply:
    error: str


class ReplyBuilder:
    """Builds replies about one text, with offsets in the requested unit."""

    def __init__(self, text: str, unit: Unit) -> None:
        self._positions = Positions(text, unit)

    def edit(self, finding: Finding) -> EditReply:
        edit, span = finding.edit, self._positions.span_to_units(finding.edit.span)
        return EditReply(
            span.start,
            span.end,
            edit.source,
            edit.replacement,
            edit.kind,
            finding.rule,
            round(edit.confidence, 4),
            edit.explanation,
            [AlternativeReply(one.replacement, round(one.confidence, 4)) for one in finding.alternatives] or None,
            None if edit.certain else False,
        )

    def sentence(self, sentence: SentenceCheck) -> SentenceReply:
        span: Span = self._positions.span_to_units(sentence.span)
        return SentenceReply(span.start, span.end, sentence.text)

    def unchecked(self, unchecked: Unchecked) -> UncheckedReply:
        span = self._positions.span_to_units(unchecked.span)
        return UncheckedReply(span.start, span.end, unchecked.reason, unchecked.message)

    def step(self, sentence: SentenceCheck, trace: bool) -> StepReply:
        edits = [self.edit(finding) for finding in sentence.findings]
        unchecked = self.unchecked(sentence.unchecked) if sentence.unchecked else None
        return StepReply(self.sentence(sentence), edits, unchecked, sentence.trace.to_mapping() if trace else None)

    def reply(
        self, checked: CheckResult, language: str, milliseconds: float, trace: bool, corrected: str | None = None
    ) -> CheckReply:
        return CheckReply(
            language,
            [self.edit(finding) for finding in checked.findings],
            [self.sentence(sentence) for sentence in checked.sentences],
            [self.unchecked(unchecked) for unchecked in checked.unchecked],
            round(milliseconds, 2),
            checked.calls,
            [sentence.trace.to_mapping() for sentence in checked.sentences] if trace else None,
            corrected,
        )
