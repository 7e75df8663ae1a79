"""Correctors whose model rewrites each sentence by a function that the test writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from scripted import EOS, ScriptedEngine, ScriptedStepper

from redraft.check.corrector import Corrector
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.model.folder import ModelInfo
from redraft.tokens.tokenizer import Tokenizer

TOKENIZER = Tokenizer.train_bytes(["the cat sat on the mat and the dog ran", "She goes to school every day."], 330)
Rewrite = Callable[[str], str]


def usual_tokens(ids: Sequence[int], tokenizer: Tokenizer = TOKENIZER) -> list[int]:
    """The same text in the tokens that the tokenizer gives."""
    return tokenizer.encode(tokenizer.decode(ids))


SCRIPTED = ModelInfo("scripted", "en")


def chooser(rewrite: Rewrite) -> Callable[[Sequence[int], Sequence[int]], int]:
    """The next token of a model that rewrites each sentence by a function."""

    @cache
    def rewrite_ids(source: tuple[int, ...]) -> list[int]:
        return TOKENIZER.encode(rewrite(TOKENIZER.decode(source)))

    def choose(source: Sequence[int], target: Sequence[int]) -> int:
        expected = rewrite_ids(tuple(source))
        for text in (expected, source):  # it copies where it may not rewrite
            if list(target) == list(text[: len(target)]):
                return [*text, EOS][len(target)]
        return EOS

    return choose


def corrector_that(
    rewrite: Rewrite,
    max_tokens: int = 300,
    stepper: type[ScriptedStepper] = ScriptedStepper,
    info: ModelInfo = SCRIPTED,
    batch_tokens: int = 128,
    **options: object,
) -> Corrector:
    """A corrector whose model rewrites each sentence by a function."""
    engine = ScriptedEngine(chooser(rewrite), max_tokens, stepper)
    solver = SentenceSolver(engine, TOKENIZER, info, SolverOptions(batch_tokens=batch_tokens))
    return Corrector(solver, **options)  # type: ignore[arg-type]
