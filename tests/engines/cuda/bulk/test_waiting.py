"""What a CUDA graph captures asks the host for nothing: no number is read back, and no shape depends on numbers."""

from __future__ import annotations

from typing import Any

import torch
from random_networks import LETTERS, random_network
from torch.utils._python_dispatch import TorchDispatchMode

from redraft.engines.cuda.bulk.decoder import BulkDecoder, BulkOptions
from redraft.engines.cuda.bulk.packed_network import PackedNetwork

WAITING = (
    "_local_scalar_dense",
    "item",
    "nonzero",
    "masked_select",
    "unique",
    "bincount",
    "equal.default",
    "is_nonzero",
)


class Operations(TorchDispatchMode):
    """Records the names of all operations, and of those that index with flags, which counts them on the host."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, operation: Any, types: Any, arguments: Any = (), options: Any = None) -> Any:
        self.names.append(str(operation))
        if "index" in str(operation):
            indices = arguments[1] if isinstance(arguments[1], list | tuple) else ()
            self.names += ["nonzero" for index in indices if index is not None and index.dtype == torch.bool]
        return operation(*arguments, **(options or {}))

    @property
    def waiting(self) -> set[str]:
        return {name for name in self.names if any(word in name for word in WAITING)}


def test_encoder_and_round_do_not_wait_for_the_host():
    decoder = BulkDecoder.open(random_network("ours"), LETTERS, BulkOptions(0.3, 4, 64, 64))
    decoder.decode([[3, 4, 5], [6, 7, 8, 9]])
    rounds, network = decoder._rounds, decoder._network
    assert isinstance(network, PackedNetwork)
    with torch.inference_mode(), Operations() as operations:
        decoder._encode()
        feed = rounds.draft()
        network.decode_packed(feed, rounds.followers.lengths[: rounds.rows] + 1)
    assert len(operations.names) > 100
    assert not operations.waiting


def test_waiting_would_be_noticed():
    numbers = torch.arange(3)
    with Operations() as operations:
        int(numbers.sum())
        numbers[numbers > 1]
    assert {name.split(".")[-2] if "." in name else name for name in operations.waiting} == {
        "_local_scalar_dense",
        "nonzero",
    }
