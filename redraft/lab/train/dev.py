"""How good the model is right now: F0.5 on dev files, and how much correct text it spoils."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch

from redraft.decode.loop import DecodeOptions, decode_batch
from redraft.edits.m2 import M2Sentence, read
from redraft.engines.torch import TorchEngine
from redraft.lab.evaluate import maxmatch
from redraft.lab.evaluate.characters import by_character, spell_out
from redraft.lab.train.answers import answer
from redraft.lab.train.config import DevConfig
from redraft.lab.train.probe import make_sentences, shift
from redraft.lab.train.weights import Weights
from redraft.model.transformer import Transformer
from redraft.tokens.tokenizer import Tokenizer

SHIFTS = (1, 2, 4, -1, -2, -4)
FOLLOWED = 64
"""Sentences of the probe that are shifted."""


@dataclass(frozen=True, slots=True)
class FileScore:
    precision: float
    recall: float
    f: float


@dataclass(frozen=True, slots=True)
class DevScore:
    files: dict[str, FileScore]
    spoiled: float
    """Share of the probe's correct sentences that were changed."""
    shifts: dict[int, float]
    """Share of tokens still copied right, teacher-forced, behind words put in (+) or taken out (-)."""
    seconds: float

    @property
    def f(self) -> float:
        """The mean over files: what decides which weights are best."""
        return sum(score.f for score in self.files.values()) / len(self.files) if self.files else 1 - self.spoiled

    def facts(self) -> dict[str, float]:
        values = {
            f"{name}.{key}": getattr(score, key)
            for name, score in self.files.items()
            for key in ("precision", "recall", "f")
        }
        values |= {f"shift{extra:+d}": share for extra, share in self.shifts.items()}
        return {name: round(value, 4) for name, value in values.items()} | {
            "spoiled": round(self.spoiled, 4),
            "f": round(self.f, 4),
            "seconds": round(self.seconds, 2),
        }


class Examiner:
    """Holds the dev sentences, and a network of its own: the one in training is compiled for other shapes."""

    def __init__(self, config: DevConfig, tokenizer: Tokenizer, model: Transformer, root: Path) -> None:
        self._config = config
        self._tokenizer = tokenizer
        unit = by_character if tokenizer.by_character else _as_it_is
        self._gold = {
            Path(name).stem: [unit(sentence) for sentence in islice(read(root / name), config.limit)]
            for name in config.m2
        }
        self._probe = make_sentences(config.probe)
        weight = model.embedding.weight
        self._model = Transformer(model.config).to(device=weight.device, dtype=weight.dtype).eval()

    def examine(self, weights: Weights, row: torch.Tensor | None = None) -> DevScore:
        """Decodes with the given weights, or with those in training."""
        started = time.monotonic()
        with torch.no_grad():
            for name, tensor in weights.named(row).items():
                self._model.get_parameter(name).copy_(tensor)
        files = {name: self._score(gold) for name, gold in self._gold.items()}
        outputs = self.greedy_batch(self._probe)
        changed = sum(output != sentence for output, sentence in zip(outputs, self._probe, strict=True))
        shifts = {extra: self._follow(extra) for extra in SHIFTS} if self._probe else {}
        return DevScore(files, changed / max(1, len(self._probe)), shifts, time.monotonic() - started)

    def greedy_batch(self, sentences: Sequence[str]) -> list[str]:
        """The model's answer to each sentence; one too long, or unanswered within the limit, comes back as it was."""
        tokenizer, engine = self._tokenizer, TorchEngine(self._model, self._tokenizer.eos)
        outputs = list(sentences)
        for found in answer(
            sentences,
            tokenizer,
            lambda sources: decode_batch(engine, sources, tokenizer, DecodeOptions()),
            max_tokens=engine.max_tokens,
            batch=self._config.batch,
        ):
            if found.text is not None:
                outputs[found.place] = found.text
        return outputs

    def _score(self, gold: Sequence[M2Sentence]) -> FileScore:
        if self._tokenizer.by_character:
            written = self.greedy_batch(["".join(sentence.tokens) for sentence in gold])
            outputs = [spell_out(output) for output in written]
        else:
            outputs = self.greedy_batch([" ".join(sentence.tokens) for sentence in gold])
        report = maxmatch.score(outputs, gold)
        return FileScore(report.precision, report.recall, report.f)

    def _follow(self, extra: int) -> float:
        """Copying behind a shift: the source has moved, the target is given, and each next token is asked for."""
        encode = self._tokenizer.encode
        rows = []
        for sentence in self._probe[:FOLLOWED]:
            source, target = encode(shift(sentence, extra)), encode(sentence)
            tail = len(encode(" ".join(sentence.split(" ")[max(4, 4 - extra) :])))
            if 0 < tail < len(target):
                rows.append(_Row(source, target, tail))
        predicted = self._predict(rows)
        right = sum(
            guess == token
            for row, guesses in zip(rows, predicted, strict=True)
            for guess, token in zip(guesses[len(row.target) - row.tail : -1], row.target[-row.tail :], strict=True)
        )
        return right / max(1, sum(row.tail for row in rows))

    @torch.inference_mode()
    def _predict(self, rows: Sequence[_Row]) -> list[list[int]]:
        """What the model would write after each token of the given targets, and after <bos>."""
        if not rows:
            return []
        model, tokenizer, device = self._model, self._tokenizer, self._model.embedding.weight.device
        sources = _pad([[*row.source, tokenizer.eos] for row in rows], tokenizer.pad).to(device)
        targets = _pad([[tokenizer.bos, *row.target] for row in rows], tokenizer.pad).to(device)
        lengths = torch.tensor([len(row.source) + 1 for row in rows], device=device)
        positions = torch.arange(targets.shape[1], device=device).expand_as(targets)
        cache = model.new_cache(*targets.shape)
        logits = model.decode(targets, positions, model.encode(sources, lengths), cache)
        return [ids[: len(row.target) + 1] for row, ids in zip(rows, logits.argmax(-1).tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class _Row:
    source: list[int]
    target: list[int]
    tail: int
    """Tokens at the end of the target that lie behind the shift."""


def _as_it_is(sentence: M2Sentence) -> M2Sentence:
    return sentence


def _pad(rows: Sequence[Sequence[int]], padding: int) -> torch.Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows])
