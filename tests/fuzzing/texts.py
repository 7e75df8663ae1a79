"""Targets: markup, annotated text of LanguageTool's API, and the corrector with a model that rewrites at random."""

from __future__ import annotations

import json
import random
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

from rewriting import corrector_that

from fuzzing.inputs import HOSTILE_TEXTS, SCRIPTS, STRANGE, WORDS, mutate, mutate_value, random_text
from fuzzing.runner import Target
from redraft.check.session import CheckResult, CheckSession, Text
from redraft.edits.edit import apply
from redraft.server.languagetool import _read_text
from redraft.server.responses import RefusedError
from redraft.text.markup import FORMATS, Marked, read
from redraft.text.span import Span

_SOME_MARKUP = r"""
> - * 1. # ## ``` ~~~ ` `` *** __ ~~ [ ] ( ) ]( ![ <b> </b> <p> <!-- --> <script> </script> <code> </code> &amp; &# |
|--| --- === $ $$ \( \) \[ \] \begin{equation} \end{equation} \begin{verbatim} \section{ } { % \cite{a} \item \\ ~ -- //
/* */ /// \' \" --[[ ]] {- -} =begin =end r#" "# ' " @param TODO: : ; [^1]: [a]: +++ https://a.b/c_d_ #!/bin/sh diff
--- +++ @@ a/x b/x Signed-off-by: # ------------------------ >8 ------------------------ {{ }} <? ?> <![CDATA[ ]]>
"""
_MARKUP = tuple(_SOME_MARKUP.split())
_NEST = (">", "> ", "[", "![", "](", "- ", "*", "`", "$", "{", "\\cite{", "<b>", "<", "/*", '"', "|", "\\", "[[")
_SEPARATOR = "\n\x1f\n"
"""Between the name of a format and the text."""


def open_texts(folder: Path) -> list[Target]:
    nested = [piece * 2000 + " a text." for piece in _NEST]
    texts = (*HOSTILE_TEXTS, *nested)
    marked = [
        f"{format}{_SEPARATOR}{text}" for format in ("plain", "markdown", "latex", "html", "commit") for text in texts
    ]
    corrector = _Corrector()
    annotated = [json.dumps({"annotation": [{"text": text}, {"markup": "<b>"}]}) for text in HOSTILE_TEXTS]
    return [
        Target("markup", _check_markup, _make_marked, marked),
        Target("annotations", _check_annotations, _make_annotation, annotated),
        Target("corrector", corrector.check, random_text, HOSTILE_TEXTS),
        Target("session", corrector.check_marked, _make_marked, marked[:: len(texts) // 4]),
    ]


def _make_marked(generator: random.Random) -> str:
    return f"{generator.choice(FORMATS)}{_SEPARATOR}{random_text(generator, _MARKUP)}"


def _check_markup(text: str) -> None:
    format, _, source = text.partition(_SEPARATOR)
    marked = read(source, format)
    assert marked.source == source, "the source is another one"
    end = 0
    for placed in marked.blocks:
        assert placed.start >= end, "blocks overlap"
        end = placed.start + len(placed.block.source)
        assert source[placed.start : end] == placed.block.source, "a block is not at its place"
        assert "".join(part.text for part in placed.block.parts) == placed.block.text, "parts do not add up"
    generator = random.Random(_hash(text))
    for _ in range(5):
        first, second = sorted(generator.randrange(len(marked.text) + 1) for _ in range(2))
        restored = marked.restore(Span(first, second))
        assert restored is None or restored.of(source) == marked.text[first:second], "a span leads elsewhere"


def _make_annotation(generator: random.Random) -> str:
    parts: list[dict[str, Any]] = []
    for _ in range(generator.randrange(6)):
        text = random_text(generator, most=8)
        parts.append({"text": text} if generator.random() < 0.5 else {"markup": text, "interpretAs": "x"})
    value: Any = {"annotation": parts}
    if generator.random() < 0.5:
        value = mutate_value(generator, value)
    written = json.dumps(value)
    return written if generator.random() < 0.8 else mutate(generator, written)


def _check_annotations(text: str) -> None:
    try:
        read = _read_text({"data": text})
    except RefusedError:
        return
    if isinstance(read, Marked):
        parts = json.loads(text)["annotation"]
        assert read.source == "".join(part.get("text", part.get("markup")) for part in parts), "text is lost"


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def rewrite(sentence: str) -> str:
    """The sentence as the scripted model writes it: some changes, by a hash of the sentence."""
    generator = random.Random(_hash(sentence))
    words = sentence.split(" ")
    for _ in range(generator.choice((0, 1, 1, 2, 5))):
        place = generator.randrange(len(words) + 1)
        kind = generator.randrange(8)
        if kind == 0:
            words.insert(place, generator.choice((*WORDS, *SCRIPTS)))
        elif kind == 1:
            del words[place : place + 1]
        elif kind == 2 and words:
            words[place % len(words)] = generator.choice((*WORDS, *STRANGE[:8], ""))
        elif kind == 3 and words:
            words[place % len(words)] = words[place % len(words)].swapcase()
        elif kind == 4:
            words[place:] = reversed(words[place:])
        elif kind == 5 and words:
            words[-1] += generator.choice((".", "!", ",", "s", " ", "\n"))
        elif kind == 6 and words:
            words[place % len(words)] = words[place % len(words)][1:]
        else:
            words = generator.choice((words, words * 2, []))
    # A tokenizer has no lone surrogates.
    return " ".join(words).encode("utf-8", "replace").decode()


class _Corrector:
    def __init__(self) -> None:
        self._corrector = corrector_that(rewrite, max_tokens=120)
        self._session = CheckSession(self._corrector)

    def check(self, text: str) -> None:
        result = self._corrector.correct(text)
        assert apply(text, result.edits) == result.text, "the edits do not give the text"
        _check_order(result.edits)

    def check_marked(self, text: str) -> None:
        format, _, source = text.partition(_SEPARATOR)
        (result,) = self._session.check_many([Text(source, format)])
        assert result.source == source, "the source is another one"
        assert apply(source, result.edits) == result.text
        _check_order(result.edits)
        _check_prose(result, read(source, format))


def _check_order(edits: Any) -> None:
    for first, second in pairwise(edits):
        assert first.span.end <= second.span.start, "edits overlap or are out of order"


def _check_prose(result: CheckResult, marked: Marked) -> None:
    """Edits change prose only: what they replace is text that the format reads as written."""
    prose = bytearray(len(marked.source) + 1)
    for placed in marked.blocks:
        end = placed.start
        for part in placed.block.parts:
            start, end = end, end + len(part.source)
            if part.shown is None:
                prose[start:end] = b"\1" * (end - start)
    for edit in result.edits:
        assert all(prose[edit.span.start : edit.span.end]), "an edit reaches markup"
