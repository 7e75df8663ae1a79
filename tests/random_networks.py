"""Small networks with random weights, for comparisons of token ids."""

from __future__ import annotations

from functools import cache

import torch
from scripted import Letters
from shapes import SHAPES

from redraft.model.config import preset
from redraft.model.transformer import Transformer

EOS = 2
VOCABULARY = 40
LETTERS = Letters(VOCABULARY)


@cache
def random_network(shape: str, max_tokens: int = 24, dtype: torch.dtype = torch.float64) -> Transformer:
    """Weights large enough that the predictions vary; in double precision no tie is decided by rounding."""
    torch.manual_seed(5)
    model = Transformer(preset("tiny", vocabulary=VOCABULARY, max_tokens=max_tokens, **SHAPES[shape]))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.0)
        model.embedding.weight[EOS] *= 1.5
    return model.to(dtype)
