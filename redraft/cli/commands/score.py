"""`redraft score`: scores corrections by MaxMatch, ERRANT, Redraft's own edits, edits of characters, or GLEU."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from redraft.json_text import to_json
from redraft.settings.options import with_options
from redraft.terminal.output import write, write_line
from redraft.terminal.progress import progress

if TYPE_CHECKING:
    from redraft.edits.m2 import M2Sentence
    from redraft.lab.evaluate.score import Comparison, Interval, Report, Resampling, SentenceScore, Tally

app = typer.Typer(no_args_is_help=True, help="Score corrections against gold edits or references.")

Hypotheses = Annotated[
    Path, typer.Argument(metavar="HYP", help="Output of the system, tokenized, one sentence a line.")
]
Gold = Annotated[Path, typer.Argument(metavar="GOLD", help="M2 file of source sentences and gold edits.")]
Beta = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", help="Weight of recall in F; below 1 precision counts more. Default: 0.5."),
]
Jobs = Annotated[int, typer.Option(metavar="NUMBER", help="Number of processes; 0 chooses by the number of sentences.")]

SENTENCES_PER_PROCESS = 500  # starting a process takes as long as scoring some hundreds

Scorer = Callable[[Path, Callable[[], None]], "Report"]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Options for the output of every scorer."""

    against: Annotated[
        Path | None,
        typer.Option(metavar="HYP", help="Output of another system, for a significance test of the difference."),
    ] = None
    kinds: Annotated[bool, typer.Option("--kinds", help="Show recall and precision by kind of edit.")] = False
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every sentence and its edits.")] = False
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False
    samples: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Number of resamples for the interval and the test. Default: 1000."),
    ] = None
    seed: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Random seed of the resamples. Default: 12345.")
    ] = None

    @property
    def resampling(self) -> Resampling:
        from redraft.lab.evaluate.score import Resampling

        return Resampling(**_given(samples=self.samples, seed=self.seed))


@app.command()
@with_options(ReportOptions)
def m2(
    output: ReportOptions,
    hypotheses: Hypotheses,
    gold: Gold,
    beta: Beta = None,
    max_unchanged_words: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Number of unchanged words allowed in an edit. Default: 2.")
    ] = None,
    ignore_whitespace_casing: Annotated[
        bool | None, typer.Option("--ignore-whitespace-casing", help="Ignore edits that change only spacing and case.")
    ] = None,
    chars: Annotated[bool, typer.Option("--chars", help="Characters as tokens, as is usual for Chinese.")] = False,
    jobs: Jobs = 0,
) -> None:
    """MaxMatch, the official score of CoNLL-2013 and CoNLL-2014."""
    from redraft.lab.evaluate import maxmatch
    from redraft.lab.evaluate.characters import by_character, spell_out
    from redraft.lab.evaluate.score import sign

    given = _given(
        beta=beta, max_unchanged_words=max_unchanged_words, ignore_whitespace_casing=ignore_whitespace_casing
    )
    options = maxmatch.Options(**given)
    sentences = [by_character(sentence) for sentence in _read_gold(gold)] if chars else _read_gold(gold)

    def score(path: Path, advance: Callable[[], None]) -> Report:
        lines = _read_hypotheses(path, sentences, gold)
        lines = [spell_out(line) for line in lines] if chars else lines
        processes = jobs or _choose_jobs(len(lines))
        return maxmatch.score(lines, sentences, options, name=str(path), jobs=processes, advance=advance)

    signature = sign("m2-chars" if chars else "m2", maxmatch.VERSION, options, {"gold": [gold], "hyp": [hypotheses]})
    _score_edits(score, hypotheses, output, sentences, signature)


@app.command()
@with_options(ReportOptions)
def errant(
    output: ReportOptions,
    hypotheses: Annotated[
        Path, typer.Argument(metavar="HYP", help="Output of the system, or an M2 file by errant_parallel.")
    ],
    gold: Gold,
    beta: Beta = None,
    spacy_model: Annotated[
        str | None, typer.Option(metavar="NAME", help="spaCy model for ERRANT. Default: en_core_web_sm.")
    ] = None,
) -> None:
    """ERRANT, the official score of BEA-2019.

    Needs the extra `errant` of redraft and a spaCy model, or output that is annotated already.
    """
    from redraft.edits import m2 as m2_file
    from redraft.lab.evaluate import errant_scorer
    from redraft.lab.evaluate.score import check_lengths, sign
    from redraft.lab.evaluate.spans import Options

    options = Options(**_given(beta=beta))
    sentences = _read_gold(gold)

    def score(path: Path, advance: Callable[[], None]) -> Report:
        if _is_m2(path):
            annotated = list(m2_file.read(path))
            check_lengths(annotated, str(path), sentences, str(gold))
            return errant_scorer.score_annotated(annotated, sentences, options, name=str(path), advance=advance)
        lines = _read_hypotheses(path, sentences, gold)
        return errant_scorer.score(lines, sentences, options, **_given(spacy_model=spacy_model), advance=advance)

    tools = "annotated" if _is_m2(hypotheses) else errant_scorer.describe_tools(**_given(spacy_model=spacy_model))
    signature = sign("errant", f"{errant_scorer.VERSION}|edits:{tools}", options, {"gold": [gold], "hyp": [hypotheses]})
    _score_edits(score, hypotheses, output, sentences, signature)


@app.command()
@with_options(ReportOptions)
def spans(
    output: ReportOptions,
    hypotheses: Hypotheses,
    gold: Gold,
    beta: Beta = None,
) -> None:
    """Redraft's own edits against gold edits.

    Close to the figures of ERRANT, and needs nothing extra.
    """
    from redraft.lab.evaluate import spans as redraft_spans
    from redraft.lab.evaluate.score import sign

    options = redraft_spans.Options(**_given(beta=beta))
    sentences = _read_gold(gold)

    def score(path: Path, advance: Callable[[], None]) -> Report:
        return redraft_spans.score(_read_hypotheses(path, sentences, gold), sentences, options, advance=advance)

    signature = sign("redraft-spans", redraft_spans.VERSION, options, {"gold": [gold], "hyp": [hypotheses]})
    _score_edits(score, hypotheses, output, sentences, signature)


@app.command()
@with_options(ReportOptions)
def characters(
    output: ReportOptions,
    hypotheses: Annotated[
        Path,
        typer.Argument(metavar="HYP", help="Output of the system, one sentence a line, or number, source, output."),
    ],
    references: Annotated[
        Path,
        typer.Argument(
            metavar="REFERENCES",
            help="Lines of source and references separated by tabs, with or without a leading number.",
        ),
    ],
    beta: Beta = None,
    confusion: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="File of confusion sets, one a line. May be repeated."),
    ] = None,
    thesaurus: Annotated[Path | None, typer.Option(metavar="FILE", help="Thesaurus in the format of Cilin.")] = None,
    no_pinyin: Annotated[
        bool, typer.Option("--no-pinyin", help="Ignore the readings of characters; pypinyin is not needed then.")
    ] = False,
    no_simplify: Annotated[
        bool, typer.Option("--no-simplify", help="Keep traditional characters; OpenCC is not needed then.")
    ] = False,
) -> None:
    """Edits of Chinese characters, the official score of MuCGEC.

    Compares with whole corrected sentences, and counts edits as ChERRANT does.
    """
    from redraft.edits.m2 import M2Sentence
    from redraft.lab.evaluate import character_similarity
    from redraft.lab.evaluate import characters as scorer
    from redraft.lab.evaluate.score import check_lengths, sign
    from redraft.lab.evaluate.spans import Options
    from redraft.text.chinese_characters import simplifier

    options = Options(**_given(beta=beta))
    simplify = str if no_simplify else simplifier()
    similarity = character_similarity.CharacterSimilarity(
        character_similarity.no_readings if no_pinyin else character_similarity.pinyin(),
        character_similarity.read_confusion_sets(confusion or (), simplify),
        character_similarity.read_thesaurus(thesaurus) if thesaurus else {},
    )
    extractor = scorer.Extractor(similarity, simplify)
    items = scorer.read_references(references)

    def score(path: Path, advance: Callable[[], None]) -> Report:
        lines = scorer.read_hypotheses(path)
        check_lengths(lines, str(path), items, str(references))
        return scorer.score(lines, items, extractor, options, advance=advance)

    settings = f"sounds:{'no' if no_pinyin else 'pinyin'}|characters:{'as-is' if no_simplify else 'simplified'}"
    data = {"confusion": confusion or [], "thesaurus": [thesaurus] if thesaurus else [], "gold": [references]}
    signature = sign("characters", f"{scorer.VERSION}|{settings}", options, {**data, "hyp": [hypotheses]})
    _score_edits(score, hypotheses, output, [M2Sentence(scorer.tokenize(item.source)) for item in items], signature)


@app.command()
@with_options(ReportOptions, left_out=("kinds",))
def gleu(
    output: ReportOptions,
    hypotheses: Hypotheses,
    source: Annotated[Path, typer.Option(metavar="FILE", help="File of the source sentences, one a line.")],
    reference: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="File of corrected sentences, one a line. May be repeated."),
    ],
    draws: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Number of draws of references that are averaged. Default: 500."),
    ] = None,
) -> None:
    """GLEU, the official score of JFLEG.

    Compares with one or more references: corrected sentences.
    """
    from redraft.lab.evaluate import gleu as gleu_scorer
    from redraft.lab.evaluate.score import bootstrap, check_lengths, compare, read_sentences, sign

    options = gleu_scorer.Options(**_given(draws=draws))
    sources = read_sentences(source)
    references = [read_sentences(path) for path in reference]

    def score(path: Path, advance: Callable[[], None]) -> gleu_scorer.GleuReport:
        lines = read_sentences(path)
        for other, other_path in zip([sources, *references], [source, *reference], strict=True):
            check_lengths(lines, str(path), other, str(other_path))
        return gleu_scorer.score(lines, sources, references, options, advance=advance)

    resampling = output.resampling
    comparison = None
    with progress("scoring", len(sources) * (2 if output.against else 1)) as advance:
        report = score(hypotheses, advance)
        if output.against:
            theirs = score(output.against, advance).statistics
            comparison = compare(report.statistics, theirs, gleu_scorer.metric, resampling)
    interval = bootstrap(report.statistics, gleu_scorer.metric, resampling)
    data = {"source": [source], "references": reference, "hyp": [hypotheses]}
    signature = sign("gleu", gleu_scorer.VERSION, options, data)
    if output.as_json:
        mapping = report.to_mapping() | ({"sentences": list(report.sentences)} if output.verbose else {})
        _print_json(mapping, interval, comparison, signature)
        return
    if output.verbose:
        for number, value in enumerate(report.sentences, start=1):
            write(f"{number}\t{value:.4f}\n")
    write_line(f"GLEU       {report.gleu:.4f}  {_describe_interval(interval)}")
    write_line("by n-gram  " + "  ".join(f"{order}: {share:.4f}" for order, share in enumerate(report.precisions, 1)))
    _print_comparison(comparison, output.against)
    write_line(signature)


def _given(**values: Any) -> dict[str, Any]:
    """The options that were given; the others keep the defaults of their dataclass."""
    return {name: value for name, value in values.items() if value is not None}


def _is_m2(path: Path) -> bool:
    return ".m2" in path.suffixes


def _choose_jobs(sentences: int) -> int:
    return max(1, min(os.cpu_count() or 1, sentences // SENTENCES_PER_PROCESS))


def _read_gold(path: Path) -> list[M2Sentence]:
    from redraft.edits import m2 as m2_file

    return list(m2_file.read(path))


def _read_hypotheses(path: Path, gold: Sequence[M2Sentence], gold_path: Path) -> list[str]:
    from redraft.lab.evaluate.score import check_lengths, read_sentences

    lines = read_sentences(path)
    check_lengths(lines, str(path), gold, str(gold_path))
    return lines


def _score_edits(
    score: Scorer, hypotheses: Path, output: ReportOptions, gold: Sequence[M2Sentence], signature: str
) -> None:
    from redraft.lab.evaluate.score import bootstrap, compare

    comparison = None
    with progress("scoring", len(gold) * (2 if output.against else 1)) as advance:
        report = score(hypotheses, advance)
        if output.against:
            theirs = score(output.against, advance)
            comparison = compare(report.statistics(), theirs.statistics(), report.metric, output.resampling)
    interval = bootstrap(report.statistics(), report.metric, output.resampling)
    if output.as_json:
        mapping = report.to_mapping()
        if output.verbose:
            mapping["sentences"] = [asdict(sentence) for sentence in report.sentences]
        _print_json(mapping, interval, comparison, signature)
        return
    if output.verbose:
        for number, (sentence, outcome) in enumerate(zip(gold, report.sentences, strict=True), start=1):
            _print_sentence(number, sentence, outcome)
    if output.kinds:
        _print_kinds("gold edits found", report.recall_by_kind())
        _print_kinds("proposed edits right", report.precision_by_kind())
    counts = report.counts
    write_line(f"Precision  {report.precision:.4f}  {counts.correct} right of {counts.proposed} proposed")
    write_line(f"Recall     {report.recall:.4f}  {counts.correct} found of {counts.gold} gold")
    write_line(f"{f'F{report.beta:g}':<9}  {report.f:.4f}  {_describe_interval(interval)}")
    _print_comparison(comparison, output.against)
    write_line(signature)


def _print_json(mapping: dict[str, Any], interval: Interval, comparison: Comparison | None, signature: str) -> None:
    whole = mapping | {"interval": asdict(interval), "signature": signature}
    if comparison:
        whole["comparison"] = asdict(comparison)
    write(f"{to_json(whole)}\n")


def _print_comparison(comparison: Comparison | None, against: Path | None) -> None:
    if comparison:
        write_line(
            f"Difference {comparison.difference:+.4f} to {against}  {_describe_interval(comparison.interval)}  "
            f"p = {comparison.p_value:.4f}"
        )


def _describe_interval(interval: Interval) -> str:
    return f"{interval.level:.0%} interval {interval.low:.4f} to {interval.high:.4f}"


def _print_sentence(number: int, sentence: M2Sentence, outcome: SentenceScore) -> None:
    write_line(f"{number}  {' '.join(sentence.tokens)}")
    for edit, right in zip(outcome.proposed, outcome.right, strict=True):
        mark, shown = ("right", edit) if right else ("wrong", edit.trimmed())
        place = f"{shown.start}-{shown.end}"
        write_line(f"  {mark:<6} {place} [{shown.source}] → [{shown.replacement}] {shown.kind}".rstrip())
    for wanted, found in zip(outcome.gold, outcome.found, strict=True):
        if not found:
            source = " ".join(sentence.tokens[wanted.start : wanted.end])
            corrections = "] or [".join(wanted.corrections)
            write_line(f"  missed {wanted.start}-{wanted.end} [{source}] → [{corrections}] {wanted.kind}")
    counts = outcome.counts
    write_line(
        f"  annotator {outcome.annotator}: {counts.correct} right, {counts.proposed} proposed, {counts.gold} gold"
    )


def _print_kinds(title: str, tallies: dict[str, Tally]) -> None:
    if tallies:
        width = max(len(title), *(len(kind) for kind in tallies))
        write_line(f"{title:<{width}}   share  correct  total")
        for kind, tally in tallies.items():
            write_line(f"{kind:<{width}}  {tally.share:.4f}  {tally.correct:>7}  {tally.total:>5}")
