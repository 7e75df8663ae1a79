"""Sampling from a model with noise that is fixed for each sentence, position and token.

The likeliest token after Gumbel noise is added to the logits is a sample of the model's distribution. Here the noise is
no stream of random numbers but a hash of seed, sentence, position in the target and token. So a prediction depends on
the source and the tokens before it alone, as without noise: the loop samples exactly what sampling one token at a time
samples, whatever is drafted and whichever sentences share a call.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from redraft.errors import ConfigError

_MASK = 0xFFFFFFFF
_SPREAD = 0x9E3779B9
_FACTORS = (0x7FEB352D, 0x846CA68B)


@dataclass(frozen=True, slots=True)
class Sampling:
    temperature: float = 1.0
    """Divisor of the logits; log-probabilities and the threshold are of the distribution that it gives."""
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise ConfigError(f"temperature must be above 0, not {self.temperature}; leave sampling out for greedy")


def hash_places(seed: int, keys: Tensor, positions: Tensor) -> Tensor:
    """32 bits for each place: of the number of its sentence and its position in the target."""
    return _mix(_mix(_mix(torch.full_like(keys, seed & _MASK)) ^ (keys & _MASK)) + positions)


def sample(logits: Tensor, hashes: Tensor, temperature: float, out: Tensor) -> None:
    """Writes a sampled id for each place to out[0] and the bits of its log-probability to out[1]: (2, P) of int32.

    Logits are (P, vocabulary); hashes (P,) are those of `hash_places`.
    """
    values = (logits.float() if logits.dtype.itemsize < 4 else logits) / temperature
    tokens = torch.arange(logits.shape[-1], device=logits.device)
    bits = _mix((tokens * _SPREAD & _MASK) ^ hashes[:, None])
    # Halves between 23-bit numbers: exact in single precision, and neither 0 nor 1.
    uniform = ((bits >> 9).to(values.dtype) + 0.5) * 2.0**-23
    ids = (values - (-uniform.log()).log()).argmax(dim=-1)
    chosen = values.gather(-1, ids[:, None]).squeeze(-1)
    out[0].copy_(ids)
    out[1].copy_((chosen - values.logsumexp(dim=-1)).float().view(torch.int32))


def _mix(bits: Tensor) -> Tensor:
    """A hash of 32 bits, each of which depends on all: shifts and products, computed in 64."""
    bits = bits & _MASK
    bits = (bits ^ (bits >> 16)) * _FACTORS[0] & _MASK
    bits = (bits ^ (bits >> 15)) * _FACTORS[1] & _MASK
    return bits ^ (bits >> 16)
