"""Opens models by name or folder, as correctors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from redraft.check.corrector import Corrector, OtherModel
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.decode.loop import DecodeOptions
from redraft.engines.opening import open_engine
from redraft.model.catalogue import installed, locate
from redraft.model.folder import ModelFolder
from redraft.text.dialects import find_dialect
from redraft.text.scripts import AUTO
from redraft.tokens.tokenizer import Tokenizer

_FIRST = "en"
_CPU_BATCH_TOKENS = SolverOptions().batch_tokens
_GPU_BATCH_TOKENS = 4096


def load(
    model: str | Path = AUTO,
    *,
    engine: str | None = None,
    draft: str | None = None,
    max_draft: int | None = None,
    threshold: float | None = None,
    threads: int = 0,
    precision: str | None = None,
    dialect: str | None = None,
    consistent: bool = False,
) -> Corrector:
    """Opens an installed model by name, or a model folder by path; `auto` is English with all others beside it.

    An option that is None has the model's own value or the default of `DecodeOptions`; the engine is then the quickest
    one that this machine has for the model and the precision, int8 or fp32, on its CPU.
    """

    def open_model(name: str | Path) -> SentenceSolver:
        folder = ModelFolder.open(locate(name))
        tokenizer = Tokenizer.load(folder.tokenizer, folder.config.vocabulary)
        decode = DecodeOptions(draft or DecodeOptions().policy, max_draft)
        batch_tokens = _GPU_BATCH_TOKENS if engine == "cuda" else _CPU_BATCH_TOKENS
        return SentenceSolver(
            open_engine(folder, engine, threads, precision),
            tokenizer,
            folder.info,
            SolverOptions(decode, batch_tokens),
        )

    spelling = None if dialect is None else find_dialect(dialect)
    first, *others = _names() if model == AUTO else [model]
    return Corrector(
        open_model(first),
        [_open_later(str(name), open_model) for name in others],
        dialect=spelling,
        consistent=consistent,
        threshold=threshold,
    )


def _names() -> list[str]:
    """The installed models, English first."""
    return sorted(installed(), key=lambda name: name != _FIRST) or [_FIRST]


def _open_later(name: str, open_model: Callable[[str], SentenceSolver]) -> OtherModel:
    return OtherModel(name, partial(open_model, name), partial(_read_threshold, name))


def _read_threshold(name: str) -> float:
    return ModelFolder.open(locate(name), verify=False).info.threshold
