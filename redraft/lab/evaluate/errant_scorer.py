"""ERRANT: edits by the `errant` package and a spaCy model, counted as its own scorer counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from redraft.edits.m2 import ALTERNATIVE, M2Sentence
from redraft.errors import InputError
from redraft.lab.evaluate.score import Report, TokenEdit, check_lengths
from redraft.lab.evaluate.spans import Options, count

VERSION = "1"
SPACY_MODEL = "en_core_web_sm"


def score(
    hypotheses: Sequence[str],
    gold: Sequence[M2Sentence],
    options: Options | None = None,
    *,
    spacy_model: str = SPACY_MODEL,
    advance: Callable[[], None] = lambda: None,
) -> Report:
    """Scores one tokenized line for each gold sentence; `advance` is called after each."""
    check_lengths(hypotheses, "hypotheses", gold, "the gold")
    annotator = load_annotator(spacy_model)
    return count(_annotate(annotator, hypotheses, gold), _literal(gold), options, advance=advance)


def score_annotated(
    hypotheses: Sequence[M2Sentence],
    gold: Sequence[M2Sentence],
    options: Options | None = None,
    *,
    name: str = "hypotheses",
    advance: Callable[[], None] = lambda: None,
) -> Report:
    """Scores edits that ERRANT has written to an M2 file; needs neither errant nor spaCy."""
    check_lengths(hypotheses, name, gold, "the gold")
    for number, (ours, theirs) in enumerate(zip(hypotheses, gold, strict=True), start=1):
        if ours.tokens != theirs.tokens:
            raise InputError(f"{name}: sentence {number} differs from that of the gold; annotate the same sentences")
    proposals = (
        tuple(
            TokenEdit(
                edit.start,
                edit.end,
                " ".join(sentence.tokens[edit.start : edit.end]),
                ALTERNATIVE.join(edit.corrections),
                edit.kind,
            )
            for edit in next(iter(sentence.annotations.values()))
            if edit.kind != "UNK"
        )
        for sentence in hypotheses
    )
    return count(proposals, _literal(gold), options, advance=advance)


def load_annotator(spacy_model: str = SPACY_MODEL) -> Any:
    """An ERRANT annotator; if it is not installed, the error says what to install."""
    try:
        import errant
        import spacy
    except ImportError as error:
        raise InputError(
            "ERRANT is missing; install the extra 'errant' of redraft, or score an M2 file of errant_parallel; "
            "`redraft score spans` needs nothing extra"
        ) from error
    try:
        pipeline = spacy.load(spacy_model, disable=["ner"])
    except OSError as error:
        raise InputError(
            f"the spaCy model {spacy_model} is not installed: python -m spacy download {SPACY_MODEL}, or name one "
            "with --spacy-model; `redraft score spans` needs nothing extra"
        ) from error
    return errant.load("en", pipeline)


def describe_tools(spacy_model: str = SPACY_MODEL) -> str:
    """Versions that the figures depend on, as part of a signature."""
    versions = []
    for package in ("errant", spacy_model):
        try:
            versions.append(f"{package}-{version(package)}")
        except PackageNotFoundError:
            versions.append(f"{package}-none")
    return "+".join(versions)


def _annotate(annotator: Any, hypotheses: Sequence[str], gold: Sequence[M2Sentence]) -> Iterator[tuple[TokenEdit, ...]]:
    for line, sentence in zip(hypotheses, gold, strict=True):
        source = " ".join(sentence.tokens)
        if line.strip() == source or not source:
            yield ()
            continue
        edits = annotator.annotate(annotator.parse(source), annotator.parse(line))
        yield tuple(
            TokenEdit(edit.o_start, edit.o_end, edit.o_str, " ".join(token.text for token in edit.c_toks), edit.type)
            for edit in edits
        )


def _literal(gold: Sequence[M2Sentence]) -> Iterator[M2Sentence]:
    """Gold with alternative corrections as one string, since ERRANT does not split them."""
    for sentence in gold:
        edits = (replace(edit, corrections=(ALTERNATIVE.join(edit.corrections),)) for edit in sentence.edits)
        yield M2Sentence(sentence.tokens, tuple(edits))
