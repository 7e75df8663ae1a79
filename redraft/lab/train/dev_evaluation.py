"""Evaluation during training: F0.5 on dev files, overcorrection of correct sentences, and copying after a shift."""

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
from redraft.lab.train.batch_decoding import decode_sentences
from redraft.lab.train.config import DevConfig
from redraft.lab.train.correct_sentences import make_correct_sentences, shift
from redraft.lab.train.weights import MasterWeights
from redraft.model.transformer import Transformer
from redraft.tokens.tokenizer import Tokenizer

SHIFTS = (1, 2, 4, -1, -2, -4)
SHIFTED = 64
"""Number of correct sentences that are shifted."""


@dataclass(frozen=True, slots=True)
class FileScore:
    precision: float
    recall: float
    f: float


@dataclass(frozen=True, slots=True)
class DevScore:
    files: dict[str, FileScore]
    overcorrected: float
    """Share of the correct sentences that were changed."""
    shifts: dict[int, float]
    """Share of tokens copied right, with the target given, after words were inserted (+) or deleted (-)."""
    seconds: float

    @property
    def f(self) -> float:
        """Mean F0.5 over the files, by which weights are compared; without files, the share of sentences left alone."""
        return sum(score.f for score in self.files.values()) / len(self.files) if self.files else 1 - self.overcorrected

    def describe(self) -> str:
        """The score as one line."""
        files = "  ".join(f"{name} P {s.precision:.3f} R {s.recall:.3f} F {s.f:.4f}" for name, s in self.files.items())
        return f"{files}  overcorrected {self.overcorrected:.1%}  ({self.seconds:.1f} s)".strip()

    def figures(self) -> dict[str, float]:
        values = {
            f"{name}.{key}": getattr(score, key)
            for name, score in self.files.items()
            for key in ("precision", "recall", "f")
        }
        values |= {f"shift{extra:+d}": share for extra, share in self.shifts.items()}
        return {name: round(value, 4) for name, value in values.items()} | {
            "overcorrected": round(self.overcorrected, 4),
            "f": round(self.f, 4),
            "seconds": round(self.seconds, 2),
        }


class DevEvaluator:
    """Decodes dev sentences with a network of its own, because the one in training is compiled for other shapes."""

    def __init__(self, config: DevConfig, tokenizer: Tokenizer, model: Transformer, root: Path) -> None:
        self._config = config
        self._tokenizer = tokenizer
        convert = by_character if tokenizer.by_character else _unchanged
        self._gold = {
            Path(name).stem: [convert(sentence) for sentence in islice(read(root / name), config.limit)]
            for name in config.m2
        }
        self._correct = [each.text for each in make_correct_sentences(config.correct_sentences)]
        weight = model.embedding.weight
        self._model = self.copy_shape(model).to(device=weight.device, dtype=weight.dtype).eval()

    def copy_shape(self, model: Transformer) -> Transformer:
        """A network of the same shape."""
        return Transformer(model.config)

    def evaluate(self, weights: MasterWeights, flat: torch.Tensor | None = None) -> DevScore:
        """Scores the weights in `flat`, or those in training."""
        started = time.monotonic()
        with torch.no_grad():
            for name, tensor in weights.named(flat).items():
                self._model.get_parameter(name).copy_(tensor)
        files = {name: self._score(gold) for name, gold in self._gold.items()}
        outputs = self.decode(self._correct)
        changed = sum(output != sentence for output, sentence in zip(outputs, self._correct, strict=True))
        return DevScore(files, changed / max(1, len(self._correct)), self.measure_shifts(), time.monotonic() - started)

    def measure_shifts(self) -> dict[int, float]:
        """`DevScore.shifts`."""
        return {words: self._copy_accuracy(words) for words in SHIFTS} if self._correct else {}

    def decode(self, sentences: Sequence[str]) -> list[str]:
        """The correction of each sentence; a sentence that is too long, or without an end, is returned unchanged."""
        tokenizer, engine = self._tokenizer, TorchEngine(self._model, self._tokenizer.eos)
        outputs = list(sentences)
        for found in decode_sentences(
            sentences,
            tokenizer,
            lambda sources: decode_batch(engine, sources, tokenizer, DecodeOptions()),
            max_tokens=engine.max_tokens,
            batch=self._config.batch_size,
        ):
            if found.text is not None:
                outputs[found.index] = found.text
        return outputs

    def _score(self, gold: Sequence[M2Sentence]) -> FileScore:
        if self._tokenizer.by_character:
            decoded = self.decode(["".join(sentence.tokens) for sentence in gold])
            outputs = [spell_out(output) for output in decoded]
        else:
            outputs = self.decode([" ".join(sentence.tokens) for sentence in gold])
        report = maxmatch.score(outputs, gold)
        return FileScore(report.precision, report.recall, report.f)

    def _copy_accuracy(self, words: int) -> float:
        """Share of tokens that are predicted right after a shift of the source by some words, with the target given."""
        encode = self._tokenizer.encode
        rows = []
        for sentence in self._correct[:SHIFTED]:
            source, target = encode(shift(sentence, words)), encode(sentence)
            tail = len(encode(" ".join(sentence.split(" ")[max(4, 4 - words) :])))
            if 0 < tail < len(target):
                rows.append(_Shifted(source, target, tail))
        predicted = self._predict(rows)
        right = sum(
            guess == token
            for row, guesses in zip(rows, predicted, strict=True)
            for guess, token in zip(guesses[len(row.target) - row.tail : -1], row.target[-row.tail :], strict=True)
        )
        return right / max(1, sum(row.tail for row in rows))

    @torch.inference_mode()
    def _predict(self, rows: Sequence[_Shifted]) -> list[list[int]]:
        """The predicted token after <bos> and after each token of the given targets."""
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
class _Shifted:
    source: list[int]
    target: list[int]
    tail: int
    """Number of target tokens after the shift."""


def _unchanged(sentence: M2Sentence) -> M2Sentence:
    return sentence


def _pad(rows: Sequence[Sequence[int]], padding: int) -> torch.Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows])
