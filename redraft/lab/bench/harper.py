"""Comparison with harper.js, a rule-based checker for browsers and editors, on the same sentences."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from redraft.edits.align import align
from redraft.lab.bench.timing import Method, take_turns
from redraft.lab.bench.uncached import load_uncached
from redraft.lab.data.pair import Pair
from redraft.text.span import Span

VERSION = "2.10.0"
SENTENCES = 200
_SCRIPT = Path(__file__).with_name("harper.mjs")
_INSTALLED = Path("node_modules", "harper.js", "package.json")
_INSTALL_TIMEOUT = 300


@dataclass(frozen=True, slots=True)
class Finding:
    """A span of text that a checker reports, and the replacements it suggests."""

    span: Span
    replacements: tuple[str, ...]


class Unavailable(Exception):  # noqa: N818 - not an error: the report says that harper.js was skipped
    """harper.js cannot run here; the message is the reason."""


def install() -> Path:
    """The folder of harper.js in the user's cache. npm downloads it the first time."""
    folder = platformdirs.user_cache_path("redraft") / f"harper.js-{VERSION}"
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        raise Unavailable("node is not installed")
    if not (folder / _INSTALLED).is_file():
        if npm is None:
            raise Unavailable("npm is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", f"harper.js@{VERSION}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"npm did not install it within {_INSTALL_TIMEOUT} seconds") from None
        if done.returncode:
            raise Unavailable("npm could not install it")
    return folder


class Harper:
    """A harper.js process that checks one sentence at a time."""

    def __init__(self, folder: Path, script: Path = _SCRIPT) -> None:
        self._process = subprocess.Popen(
            ["node", str(script), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self.megabytes = 0.0

    def check(self, text: str) -> list[Finding]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"text": text}) + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline())
        except (OSError, ValueError):
            raise Unavailable("the process stopped while checking") from None
        self.megabytes = max(self.megabytes, answer["megabytes"])
        return [
            Finding(Span(found["start"], found["end"]), tuple(found["replacements"])) for found in answer["findings"]
        ]

    def close(self) -> None:
        self._process.communicate()


def run(
    model: str, samples: Sequence[Pair], threads: int = 0, advance: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Times and judges both checkers. If harper.js cannot run, the report has the reason and Redraft alone."""
    corrector = load_uncached(model=model, threads=threads)
    found: dict[str, dict[int, list[Finding]]] = {"redraft": {}}

    def correct(number: int) -> int:
        result = corrector.correct(samples[number].source)
        found["redraft"][number] = [Finding(edit.span, (edit.replacement,)) for edit in result.edits]
        return result.trace.calls

    methods: dict[str, Method] = {"redraft": correct}
    report: dict[str, Any] = {"sentences": len(samples)}
    harper: Harper | None = None
    try:
        harper = Harper(install())
        harper.check("It is ready.")
        found["harper.js"] = {}
        methods["harper.js"] = _check_with(harper, samples, found["harper.js"])
        report["version"] = VERSION
    except Unavailable as reason:
        report["skipped"] = str(reason)
    try:
        timings = take_turns(methods, len(samples), advance)
    finally:
        if harper is not None:
            harper.close()
    report["checkers"] = {
        name: {"timing": timing.to_mapping(), **judge(samples, found[name])} for name, timing in timings.items()
    }
    if harper is not None and "harper.js" in report["checkers"]:
        report["checkers"]["harper.js"]["megabytes"] = round(harper.megabytes, 1)
    return report


def _check_with(harper: Harper, samples: Sequence[Pair], found: dict[int, list[Finding]]) -> Method:
    def check(number: int) -> int:
        found[number] = harper.check(samples[number].source)
        return 0

    return check


def judge(samples: Sequence[Pair], found: Mapping[int, Sequence[Finding]]) -> dict[str, Any]:
    """Gold edits that a checker detected and corrected, and its findings that touch no gold edit."""
    edits = detected = corrected = findings = outside = clean = flagged = 0
    for number, sample in enumerate(samples):
        gold = [
            Finding(change.source, (change.target.of(sample.target),)) for change in align(sample.source, sample.target)
        ]
        edits += len(gold)
        findings += len(found[number])
        detected += _count_detected(gold, found[number])
        corrected += sum(any(_is_same(sample.source, edit, other) for other in found[number]) for edit in gold)
        outside += sum(not any(_touch(edit.span, other.span) for edit in gold) for other in found[number])
        clean += not gold
        flagged += not gold and bool(found[number])
    return {
        "edits": edits,
        "detected": detected,
        "corrected": corrected,
        "findings": findings,
        "outside_gold_edits": outside,
        "clean_sentences": clean,
        "clean_sentences_flagged": flagged,
    }


def _count_detected(gold: Sequence[Finding], found: Sequence[Finding]) -> int:
    """Each finding counts for one edit: a finding that spans the whole sentence does not detect every error in it."""
    left = sorted(found, key=lambda finding: len(finding.span))
    detected = 0
    for edit in gold:
        match = next((other for other in left if _touch(edit.span, other.span)), None)
        if match is not None:
            left.remove(match)
            detected += 1
    return detected


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _is_same(text: str, edit: Finding, other: Finding) -> bool:
    """Whether both lead to the same text, ignoring white space; their spans may differ."""
    expected = _apply(text, edit.span, edit.replacements[0])
    return any(_apply(text, other.span, replacement) == expected for replacement in other.replacements)


def _apply(text: str, span: Span, replacement: str) -> str:
    return " ".join(f"{text[: span.start]}{replacement}{text[span.end :]}".split())
