"""Engines that compute everything and are told what they have predicted, and where such answers come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from redraft.decode.follower import Follower
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.stepper import BeamStepper, Engine, Feed, Predictions, Ranking
from redraft.tokens.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Pair:
    source: list[int]
    reference: list[int]


class ScriptedStepper:
    """Writes a reference. Off its path it goes on from where a `Follower` says that what was fed stands in it."""

    def __init__(self, reference: Sequence[int], tokenizer: Tokenizer) -> None:
        self._reference, self._tokenizer = reference, tokenizer
        self._fed: list[int] = []
        self.answers: list[Predictions] = []

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        follower = Follower(self._reference, self._tokenizer)
        ids = []
        self._fed += feeds[0].ids
        for token in self._fed[1:]:
            ids.append(self._next(follower))
            follower.push(token)
        ids.append(self._next(follower))
        ids = ids[-len(feeds[0].ids) :]
        self.answers.append(Predictions(ids, [0.0] * len(ids)))
        return self.answers[-1:]

    def _next(self, follower: Follower) -> int:
        at_end = follower.position >= len(self._reference)
        return self._tokenizer.eos if at_end else self._reference[follower.position]

    def rewind(self, row: int, length: int) -> None:
        del self._fed[length:]

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        raise NotImplementedError("a script has one continuation")

    def select(self, rows: Sequence[int]) -> None:
        raise NotImplementedError("a script has one row")


class Script:
    """An engine without a model, for one sentence."""

    name, max_tokens = "script", 256

    def __init__(self, pair: Pair, tokenizer: Tokenizer) -> None:
        self.stepper = ScriptedStepper(pair.reference, tokenizer)

    def start(self, sources: Sequence[Sequence[int]]) -> BeamStepper:
        return self.stepper


class Recorder:
    """A real engine whose answers, for one sentence, are kept."""

    name = "recorder"

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.max_tokens = engine.max_tokens
        self.answers: list[Predictions] = []

    def start(self, sources: Sequence[Sequence[int]]) -> BeamStepper:
        return RecordingStepper(self._engine.start(sources), self.answers)


class RecordingStepper:
    def __init__(self, stepper: BeamStepper, answers: list[Predictions]) -> None:
        self._stepper, self._answers = stepper, answers
        self.rewind, self.rank, self.select = stepper.rewind, stepper.rank, stepper.select

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        predictions = self._stepper.extend(feeds)
        self._answers += predictions
        return predictions


class Dictated:
    """A real engine that computes everything and is told what it has predicted."""

    name = "dictated"

    def __init__(self, engine: Engine, answers: Sequence[Predictions]) -> None:
        self._engine, self._answers = engine, answers
        self.max_tokens = engine.max_tokens

    def start(self, sources: Sequence[Sequence[int]]) -> BeamStepper:
        return DictatedStepper(self._engine.start(sources), self._answers)


class DictatedStepper:
    def __init__(self, stepper: BeamStepper, answers: Sequence[Predictions]) -> None:
        self._answers = iter(answers)
        self._stepper = stepper
        self.rewind, self.rank, self.select = stepper.rewind, stepper.rank, stepper.select

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        self._stepper.extend(feeds)
        return [next(self._answers)]


Teacher = Callable[[Pair, DecodeOptions], list[Predictions]]
"""What to answer when a sentence is decoded so, call by call."""


def teach_reference(tokenizer: Tokenizer) -> Teacher:
    """Answers that write the reference."""

    def teach(pair: Pair, options: DecodeOptions) -> list[Predictions]:
        script = Script(pair, tokenizer)
        decode_batch(script, [pair.source], tokenizer, options)
        return script.stepper.answers

    return teach


def teach_model(engine: Engine, tokenizer: Tokenizer) -> Teacher:
    """The answers of another model."""

    def teach(pair: Pair, options: DecodeOptions) -> list[Predictions]:
        recorder = Recorder(engine)
        decode_batch(recorder, [pair.source], tokenizer, options)
        return recorder.answers

    return teach
