"""Teacher forcing for engines: the network computes every pass, but its predictions are replaced by given ones.

An untrained network predicts noise, so the number of its decoder calls would mean nothing. Forced to write the output
of a trained model, or a reference, it does the same work in the same number of calls as a network that writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from redraft.decode.follower import Follower
from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.decode.stepper import BeamStepper, Engine, Feed, Predictions, Ranking
from redraft.tokens.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class TokenPair:
    """Token ids of a source sentence and of the output to force."""

    source: list[int]
    reference: list[int]


class ReferenceStepper:
    """Predicts the tokens of a reference. After a wrong token, a `Follower` finds the place to go on from."""

    def __init__(self, reference: Sequence[int], tokenizer: Tokenizer) -> None:
        self._reference, self._tokenizer = reference, tokenizer
        self._fed: list[int] = []
        self.predictions: list[Predictions] = []

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        follower = Follower(self._reference, self._tokenizer)
        ids = []
        self._fed += feeds[0].ids
        for token in self._fed[1:]:
            ids.append(self._next(follower))
            follower.push(token)
        ids.append(self._next(follower))
        ids = ids[-len(feeds[0].ids) :]
        self.predictions.append(Predictions(ids, [0.0] * len(ids)))
        return self.predictions[-1:]

    def _next(self, follower: Follower) -> int:
        at_end = follower.position >= len(self._reference)
        return self._tokenizer.eos if at_end else self._reference[follower.position]

    def rewind(self, row: int, length: int) -> None:
        del self._fed[length:]

    def rank(self, feeds: Sequence[Feed], best: int) -> list[Ranking]:
        raise NotImplementedError("a reference has one continuation")

    def select(self, rows: Sequence[int]) -> None:
        raise NotImplementedError("a reference has one row")


class ReferenceEngine:
    """An engine without a network that predicts the reference of one sentence."""

    name, max_tokens = "reference", 256

    def __init__(self, pair: TokenPair, tokenizer: Tokenizer) -> None:
        self.stepper = ReferenceStepper(pair.reference, tokenizer)

    def start(self, sources: Sequence[Sequence[int]]) -> BeamStepper:
        return self.stepper


class RecordingEngine:
    """An engine that keeps the predictions it makes for one sentence."""

    name = "recording"

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.max_tokens = engine.max_tokens
        self.predictions: list[Predictions] = []

    def start(self, sources: Sequence[Sequence[int]]) -> BeamStepper:
        return RecordingStepper(self._engine.start(sources), self.predictions)


class RecordingStepper:
    def __init__(self, stepper: BeamStepper, predictions: list[Predictions]) -> None:
        self._stepper, self._predictions = stepper, predictions
        self.rewind, self.rank, self.select = stepper.rewind, stepper.rank, stepper.select

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        predictions = self._stepper.extend(feeds)
        self._predictions += predictions
        return predictions


class ForcedEngine:
    """An engine that computes every pass and returns the given predictions instead of its own, call by call."""

    name = "forced"

    def __init__(self, engine: Engine, predictions: Sequence[Predictions]) -> None:
        self._engine, self._predictions = engine, predictions
        self.max_tokens = engine.max_tokens

    def start(self, sources: Sequence[Sequence[int]]) -> BeamStepper:
        return ForcedStepper(self._engine.start(sources), self._predictions)


class ForcedStepper:
    def __init__(self, stepper: BeamStepper, predictions: Sequence[Predictions]) -> None:
        self._predictions = iter(predictions)
        self._stepper = stepper
        self.rewind, self.rank, self.select = stepper.rewind, stepper.rank, stepper.select

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        self._stepper.extend(feeds)
        return [next(self._predictions)]


PredictionSource = Callable[[TokenPair, DecodeOptions], list[Predictions]]
"""The predictions to force on an engine that decodes a sentence with these options, one for each decoder call."""


def predict_reference(tokenizer: Tokenizer) -> PredictionSource:
    """Predictions that write the reference."""

    def predict(pair: TokenPair, options: DecodeOptions) -> list[Predictions]:
        engine = ReferenceEngine(pair, tokenizer)
        decode_batch(engine, [pair.source], tokenizer, options)
        return engine.stepper.predictions

    return predict


def predict_as_model(engine: Engine, tokenizer: Tokenizer) -> PredictionSource:
    """The predictions of a trained model."""

    def predict(pair: TokenPair, options: DecodeOptions) -> list[Predictions]:
        recording = RecordingEngine(engine)
        decode_batch(recording, [pair.source], tokenizer, options)
        return recording.predictions

    return predict
