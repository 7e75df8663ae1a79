"""A scripted model for the bulk decoder: the same choices as `scripted.ScriptedEngine`, through packed calls."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from scripted import Choose, Probability, ScriptedStepper
from torch import Tensor

from redraft.decode.stepper import Feed, Predictions
from redraft.decode.vocabulary import Vocabulary
from redraft.engines.cuda.bulk.decoder import BulkDecoder, BulkOptions
from redraft.engines.cuda.bulk.packing import Packing
from redraft.engines.cuda.bulk.rounds import PackedFeed
from redraft.engines.cuda.bulk.token_table import TokenTable


class ScriptedNetwork:
    """Keeps what was fed to each row, at its position, so that a wrong position shows."""

    def __init__(self, choose: Choose, probability: Probability) -> None:
        self.choose, self.probability = choose, probability
        self.sources: dict[int, list[int]] = {}
        self.fed: dict[int, list[int]] = {}
        self.most = 0
        """The largest number of tokens in a call."""

    def encode_packed(self, packing: Packing, ids: Tensor, rows: Tensor) -> None:
        for row, count, offset in zip(rows.tolist(), packing.counts.tolist(), packing.offsets.tolist(), strict=True):
            if count:
                self.sources[row], self.fed[row] = ids[offset : offset + count - 1].tolist(), []

    def predict_packed(self, feed: PackedFeed, lengths: Tensor, out: Tensor) -> None:
        packing = feed.packing
        log_probabilities = torch.zeros(out.shape[1])
        tokens = zip(packing.sentence.tolist(), feed.ids.tolist(), feed.positions.tolist(), strict=True)
        self.most = max(self.most, int(packing.counts.sum()))
        for place, (row, token, position) in enumerate(tokens):
            if row == len(packing.counts):
                continue
            fed, source = self.fed[row], self.sources[row]
            assert position <= len(fed) and lengths[row] == len(source) + 1
            self.fed[row] = fed = [*fed[:position], token]
            out[0, place] = self.choose(source, fed[1:])
            log_probabilities[place] = math.log(self.probability(source, fed[1:]))
        out[1] = log_probabilities.view(torch.int32)


def scripted_decoder(
    choose: Choose, probability: Probability, options: BulkOptions, vocabulary: Vocabulary, max_tokens: int = 64
) -> BulkDecoder:
    table = TokenTable.build(vocabulary, len(vocabulary.starts_word), torch.device("cpu"))
    return BulkDecoder(ScriptedNetwork(choose, probability), table, vocabulary, max_tokens, options)


class SinglePrecisionStepper(ScriptedStepper):
    """Log-probabilities in single precision, as a device computes them."""

    def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
        return [
            Predictions(found.ids, torch.tensor(found.log_probabilities, dtype=torch.float32).tolist())
            for found in super().extend(feeds)
        ]
