"""Networks of the same shapes in Hugging Face transformers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from redraft.chunks import chunks
from redraft.lab.bench.forced_decoding import BEAMS
from redraft.lab.bench.teacher_forcing import TokenPair
from redraft.lab.bench.timing import Method
from redraft.model.config import ModelConfig

if TYPE_CHECKING:
    import torch

_POSITIONS = 512


def describe_shape(config: ModelConfig) -> dict[str, Any]:
    """The shape as keyword arguments of BartConfig and PegasusConfig."""
    return {
        "vocab_size": config.vocabulary,
        "d_model": config.width,
        "encoder_layers": config.encoder_layers,
        "decoder_layers": config.decoder_layers,
        "encoder_attention_heads": config.heads,
        "decoder_attention_heads": config.heads,
        "encoder_ffn_dim": config.ffn,
        "decoder_ffn_dim": config.ffn,
    }


def _open_untrained(config: ModelConfig, device: str, dtype: torch.dtype) -> Any:
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    with torch.device(device):
        network = BartForConditionalGeneration(BartConfig(**describe_shape(config), max_position_embeddings=_POSITIONS))
    return network.to(device=device, dtype=dtype).eval()


def generate_untrained(
    config: ModelConfig, pairs: Sequence[TokenPair], eos: int, device: str, dtype: torch.dtype
) -> dict[str, Method]:
    """An untrained BART, forced to write as many tokens as each reference has; its output is noise."""
    import torch

    network = _open_untrained(config, device, dtype)

    def generate(beams: int) -> Method:
        @torch.inference_mode()
        def decode(number: int) -> int:
            ids = torch.tensor([[*pairs[number].source, eos]], device=device)
            tokens = len(pairs[number].reference) + 1
            written = network.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                num_beams=beams,
                do_sample=False,
                min_new_tokens=tokens,
                max_new_tokens=tokens,
                early_stopping=False,
            )
            return int(written.cpu().shape[1]) - 1

        return decode

    return {f"HF beam {BEAMS}": generate(BEAMS), "HF greedy": generate(1)}


def generate_in_batches(
    config: ModelConfig, eos: int, batch: int, device: str, dtype: torch.dtype
) -> Callable[[Sequence[Sequence[int]]], int]:
    """An untrained BART that decodes sentences greedily in batches, in their order, and writes as many tokens as the
    longest source of a batch has; its output is noise. Calls return the number of tokens written."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    network = _open_untrained(config, device, dtype)
    padding = network.config.pad_token_id

    @torch.inference_mode()
    def generate(sources: Sequence[Sequence[int]]) -> int:
        tokens = 0
        for part in chunks(sources, batch):
            longest = max(map(len, part)) + 1
            rows = [[*source, eos, *[padding] * (longest - 1 - len(source))] for source in part]
            mask = [[1] * (len(source) + 1) + [0] * (longest - 1 - len(source)) for source in part]
            # The attention of cuDNN makes a plan for every new shape, and here every step has one.
            with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
                written = network.generate(
                    torch.tensor(rows, device=device),
                    attention_mask=torch.tensor(mask, device=device),
                    num_beams=1,
                    do_sample=False,
                    min_new_tokens=longest,
                    max_new_tokens=longest,
                )
            tokens += written.cpu()[:, 1:].numel()
        return tokens

    return generate
