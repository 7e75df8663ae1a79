"""A network of the C library, and how long it may be used."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from redraft.engines.native.library import Functions, Shape, TensorPointers
from redraft.errors import RedraftError
from redraft.fork_lock import ForkLock


class EngineClosedError(RedraftError):
    """The engine is used after it was closed, as by a thread that still runs while the interpreter exits."""


class Network:
    """Memory and threads of the C library. They are freed only while no call runs, and no call runs after that."""

    def __init__(self, functions: Functions, address: int | None) -> None:
        self._functions = functions
        self._lock = ForkLock()
        self._process = os.getpid()
        """The process that the threads run in."""
        self._address = address
        if not address:
            raise MemoryError("not enough memory for the weights")

    @classmethod
    def open(cls, functions: Functions, shape: Shape, tensors: Sequence[TensorPointers]) -> Network:
        """Raises MemoryError if there is not enough memory."""
        return cls(functions, functions.open(shape, (TensorPointers * len(tensors))(*tensors)))

    def share(self) -> Network:
        """A network of one thread with the same weights, to run beside this one. This one must be closed after it."""
        with self._lock:
            self._refuse_when_closed()
            return Network(self._functions, self._functions.share(self._address))

    def call(self, name: str, *arguments: Any) -> int:
        """Calls a function of the library. In a forked process, threads are started first: they are not copied."""
        with self._lock:
            self._refuse_when_closed()
            if self._process != os.getpid():
                if self._functions.restart(self._address):
                    raise MemoryError("not enough memory for the threads of the engine native in a forked process")
                self._process = os.getpid()
            result: int = getattr(self._functions, name)(self._address, *arguments)
            return result

    def _refuse_when_closed(self) -> None:
        if not self._address:
            raise EngineClosedError("the engine native is closed, because the program ends; it corrects no more text")

    def close(self) -> None:
        """Waits for a running call, then frees everything. A forked child that made no call has no threads to stop."""
        with self._lock:
            address, self._address = self._address, None
            if address and self._process == os.getpid():
                self._functions.close(address)
