"""The model in eager PyTorch, on a CPU or a GPU: the reference engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from safetensors.torch import load_file
from torch import Tensor

from redraft.decode.stepper import Ranking
from redraft.engines.rows import Best, Ints, PaddedSources, RowStepper, pad_sources
from redraft.errors import ConfigError
from redraft.model.folder import ModelFolder
from redraft.model.transformer import Transformer


class TorchEngine:
    name = "torch"

    def __init__(self, model: Transformer, eos: int) -> None:
        self.model = model.eval()
        self.max_tokens = model.config.max_tokens
        self._eos = eos

    @classmethod
    def load(cls, folder: ModelFolder, device: str = "cpu", dtype: torch.dtype = torch.float32) -> TorchEngine:
        if device.startswith("cuda") and not torch.cuda.is_available():
            raise ConfigError("torch finds no CUDA device; use the engine native, onnx or torch")
        with torch.device("meta"):
            model = Transformer(folder.config)
        model.to_empty(device="cpu")
        model.load_weights(load_file(folder.weights))
        return cls(model.to(device=device, dtype=dtype), folder.eos)

    @torch.inference_mode()
    def start(self, sources: Sequence[Sequence[int]]) -> TorchStepper:
        return TorchStepper(self.model, pad_sources(sources, self._eos))


@contextmanager
def without_cudnn_attention() -> Iterator[None]:
    """Attention without cuDNN, which plans for milliseconds whenever it sees a new shape: in decoding nearly always."""
    before = torch.backends.cuda.cudnn_sdp_enabled()  # type: ignore[no-untyped-call]
    torch.backends.cuda.enable_cudnn_sdp(False)
    try:
        yield
    finally:
        torch.backends.cuda.enable_cudnn_sdp(before)


class TorchStepper(RowStepper[Tensor]):
    @torch.inference_mode()
    def __init__(self, model: Transformer, sources: PaddedSources) -> None:
        rows, capacity = len(sources.ids), model.config.max_tokens + 1
        super().__init__(rows, capacity)
        self._model = model
        self._device = model.embedding.weight.device
        with without_cudnn_attention():
            self._memory = model.encode(self._tensor(sources.ids), self._tensor(sources.lengths))
        self._cache = model.new_cache(rows, capacity)

    def _tensor(self, values: Ints) -> Tensor:
        return torch.from_numpy(values).to(self._device)

    @torch.inference_mode()
    def _decode(self, ids: Ints, positions: Ints, counts: Ints) -> Tensor:
        with without_cudnn_attention():
            return self._model.decode(self._tensor(ids), self._tensor(positions), self._memory, self._cache)

    @torch.inference_mode()
    def _best(self, logits: Tensor) -> Best:
        logits = logits.float()
        best, ids = logits.max(dim=-1)
        log_probabilities = best - logits.logsumexp(dim=-1)
        return Best(ids.cpu().numpy(), log_probabilities.cpu().numpy())

    @torch.inference_mode()
    def _rank(self, logits: Tensor, last: Ints, best: int) -> list[Ranking]:
        rows = torch.arange(logits.shape[0], device=logits.device)
        values, ids = logits[rows, self._tensor(last)].float().log_softmax(dim=-1).topk(best, dim=-1)
        return [Ranking(*pair) for pair in zip(ids.tolist(), values.tolist(), strict=True)]

    @torch.inference_mode()
    def _keep(self, places: Ints) -> None:
        rows = self._tensor(places)
        self._memory = self._memory.select(rows)
        self._cache = self._cache.select(rows)
