"""Optional packages: what to install when a command needs one that is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from redraft.errors import ConfigError

_MODULES = {
    "bench": frozenset({"ctranslate2", "onnx", "torch", "transformers"}),
    "lsp": frozenset({"lsprotocol", "pygls"}),
    "plots": frozenset({"matplotlib"}),
    "server": frozenset({"fastapi", "prometheus_client", "pydantic", "starlette", "uvicorn"}),
    "train": frozenset({"lemminflect", "onnx", "tensorboard", "torch", "zstandard"}),
}
"""For each extra, the modules that Redraft imports from its packages."""


@contextmanager
def needs_extra(purpose: str, extra: str) -> Iterator[None]:
    """Advises to install an extra where one of its modules is missing; `purpose` is the subject of the message.

    Any other failed import is a defect of the installation or of Redraft, which the extra would not remove.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _MODULES[extra]:
            raise
        raise ConfigError(f"{purpose} needs {error.name}; install the extra '{extra}' of redraft") from None
