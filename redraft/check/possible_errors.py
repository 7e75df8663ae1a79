"""Possible errors: places where the model is sure that something is wrong, but not of what to write there.

“She make her homework” may be corrected to “did” or “does”, and neither reaches the threshold. But the model gives
“make” itself hardly any probability. The same is done for words that no text has, if a known word may be meant, and for
the only edit of a sentence that is not sure enough to be made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from redraft.check.interpreter import Interpreter, Solution, Suggestion, apply_suggestions
from redraft.check.respelling import Respeller
from redraft.decode.continuations import rank_copied_places
from redraft.decode.loop import DecodeOptions, SourceBatch, decode_sources
from redraft.decode.stepper import Engine, Feed
from redraft.edits.align import Change
from redraft.edits.caution import MOST_OF_RULED_OUT
from redraft.edits.explain_forms import quote
from redraft.text.span import Span
from redraft.tokens.tokenizer import Tokenizer

_LEAST_OF_OTHER = 0.25
"""The least probability of the likeliest other token. Below it, anything could be meant."""
_RANKED = 64
"""Tokens that are ranked; one of a probability above 1/64 is always among them."""


def find_possible_errors(
    engine: Engine,
    tokenizer: Tokenizer,
    interpreter: Interpreter,
    respeller: Respeller | None,
    seen: str,
    solution: Solution,
    options: DecodeOptions,
) -> tuple[Suggestion, ...]:
    """The possible errors of a sentence: suggestions that are not certain, where the solution has none.

    They are looked for in the corrected text. `seen` is the text that the model was given, and `options` are those
    that it was decoded with.
    """
    text = apply_suggestions(seen, solution.suggestions)
    doubted = _find_doubted(engine, tokenizer, interpreter, text, solution.kept, options) if solution.kept != () else []
    misspelt = _find_misspelt(engine, respeller, interpreter, text) if respeller else []
    found: tuple[Suggestion, ...] = (replace(solution.withheld, certain=False),) if solution.withheld else ()
    for others in (doubted, misspelt):
        found = merge_suggestions(found, _apart_from(found, others))
    return tuple(moved for one in found if (moved := _move_back(one, solution.suggestions)))


def _apart_from(found: Sequence[Suggestion], others: Sequence[Suggestion]) -> list[Suggestion]:
    """Those of the others that touch none of the suggestions that were found before."""
    changes = [one.change.source for one in found]
    return [one for one in others if not any(one.change.source.touches(change) for change in changes)]


def _find_doubted(
    engine: Engine,
    tokenizer: Tokenizer,
    interpreter: Interpreter,
    text: str,
    known: Sequence[int] | None,
    options: DecodeOptions,
) -> list[Suggestion]:
    """Suggestions for words of a text that the model finds unlikely. `known` is `kept` of the solution."""
    source = tokenizer.encode(text)
    kept = _find_kept(engine, source, tokenizer) if known is None else known
    # Of a word only its first token: behind that, the model has copied the start of the word itself.
    places = [place for place in kept if place < len(source) and tokenizer.starts_word[source[place]]]
    doubtful = _find_doubtful(engine, source, places, tokenizer) if places else []
    if not doubtful:
        return []
    limits = {**dict.fromkeys(kept, math.inf), **dict.fromkeys(doubtful, math.log(_LEAST_OF_OTHER))}
    (decoded,) = decode_sources(engine, SourceBatch([source], tokenizer, options, [limits]))
    pieces = tokenizer.pieces(source)
    spans = [Span(pieces.starts[place], pieces.ends[place]) for place in doubtful]
    return interpreter.find_changes(text, decoded, spans)


def _find_misspelt(engine: Engine, respeller: Respeller, interpreter: Interpreter, text: str) -> list[Suggestion]:
    """Suggestions for the unknown words of a text that the model copies."""
    words = respeller.select(text, interpreter.find_unknown_in_small_letters(text))
    found = interpreter.correct_words(text, respeller.find_possible(engine, text, words)) if words else ()
    return [replace(one, certain=False, explanation=_explain(text, one)) for one in found]


def _explain(text: str, possible: Suggestion) -> str:
    word = quote(possible.change.source.of(text))
    return f"{word} is not a known word; {quote(possible.replacement)} may be meant."


def merge_suggestions(certain: Sequence[Suggestion], possible: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """Both in the order of the text."""
    return tuple(sorted([*certain, *possible], key=lambda one: one.change.source))


def _find_kept(engine: Engine, source: Sequence[int], tokenizer: Tokenizer) -> list[int]:
    """The places at which the likeliest token is not that of the source, if everything before is copied."""
    (predictions,) = engine.start([source]).extend([Feed(0, [tokenizer.bos, *source])])
    return [place for place, (own, token) in enumerate(zip(predictions.ids, source, strict=False)) if own != token]


def _find_doubtful(engine: Engine, source: Sequence[int], places: Sequence[int], tokenizer: Tokenizer) -> list[int]:
    """The places at which the token of the source is unlikely, and another one is not."""
    rankings = rank_copied_places(engine, source, places, tokenizer, _RANKED)
    found = []
    for place, ranking in zip(places, rankings, strict=True):
        likeliest, most = ranking.ids[0], math.exp(ranking.log_probabilities[0])
        ranked = dict(zip(ranking.ids, ranking.log_probabilities, strict=True))
        copied = math.exp(ranked.get(source[place], -math.inf))
        # The end of the sentence would leave out everything behind it.
        if likeliest != tokenizer.eos and most >= _LEAST_OF_OTHER and copied <= MOST_OF_RULED_OUT:
            found.append(place)
    return found


def _move_back(possible: Suggestion, made: Sequence[Suggestion]) -> Suggestion | None:
    """A suggestion for the corrected text as one for the text before it; None beside another suggestion."""
    growth = 0
    span = possible.change.source
    for one in made:
        before = one.change.source
        written = Span(before.start + growth, before.start + growth + len(one.replacement))
        if written.touches(span):
            return None
        if written.start > span.end:
            break
        growth += len(one.replacement) - len(before)
    return replace(possible, change=Change(span.shift(-growth), possible.change.target))
