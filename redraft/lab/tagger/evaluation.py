"""Evaluation of a tagger in training: the same figures as for a corrector, without those of copying."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from redraft.lab.tagger.correcting import Tagger
from redraft.lab.tagger.folder import Floats, TaggerOptions
from redraft.lab.tagger.network import TaggerNetwork
from redraft.lab.tagger.vocabulary import TagVocabulary
from redraft.lab.train.config import DevConfig
from redraft.lab.train.dev_evaluation import DevEvaluator
from redraft.model.transformer import Transformer
from redraft.tokens.tokenizer import EOS, PAD, Tokenizer


class TorchScorer:
    """The network in PyTorch."""

    def __init__(self, model: TaggerNetwork) -> None:
        self._model = model

    @property
    def max_tokens(self) -> int:
        return self._model.config.max_tokens

    @torch.inference_mode()
    def score(self, sources: Sequence[Sequence[int]], slots: Sequence[Sequence[int]]) -> list[Floats]:
        device = self._model.embedding.weight.device
        longest = max(map(len, sources)) + 1
        padded = [[*source, EOS, *[PAD] * (longest - 1 - len(source))] for source in sources]
        lengths = torch.tensor([len(source) + 1 for source in sources], device=device)
        logits = self._model.tag_padded(torch.tensor(padded, device=device), lengths)
        # Only the rows that are needed leave the device.
        return [rows[list(chosen)].float().cpu().numpy() for rows, chosen in zip(logits, slots, strict=True)]


class TagEvaluator(DevEvaluator):
    """Corrects dev sentences with the options that the finished tagger will have."""

    def __init__(
        self,
        config: DevConfig,
        tokenizer: Tokenizer,
        model: TaggerNetwork,
        root: Path,
        vocabulary: TagVocabulary,
        options: TaggerOptions,
    ) -> None:
        super().__init__(config, tokenizer, model, root)
        assert isinstance(self._model, TaggerNetwork)
        self._tagger = Tagger(vocabulary, tokenizer, TorchScorer(self._model), options)

    def copy_shape(self, model: Transformer) -> TaggerNetwork:
        assert isinstance(model, TaggerNetwork)
        return TaggerNetwork(model.config, model.tags)

    def decode(self, sentences: Sequence[str]) -> list[str]:
        return self._tagger.correct_lines(sentences)

    def measure_shifts(self) -> dict[int, float]:
        return {}
