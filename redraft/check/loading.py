"""Opens models by name or folder, as correctors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from redraft.check.corrector import Corrector, OtherModel
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.decode.loop import DecodeOptions
from redraft.engines.opening import open_engine
from redraft.model.catalogue import by_language, installed, locate
from redraft.model.folder import ModelFolder
from redraft.text.dialects import find_dialect
from redraft.text.scripts import AUTO
from redraft.tokens.tokenizer import Tokenizer

_FIRST = "en"
_CPU_BATCH_TOKENS = SolverOptions().batch_tokens
GPU_BATCH_TOKENS = 4096


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
    """Opens an installed model by name, or a model folder by path; `auto` is English with a model of each other
    language beside it.

    An option that is None has the model's own value or the default of `DecodeOptions`; the engine is then the quickest
    one that this machine has for the model and the precision, int8 or fp32, on its CPU.
    """

    def open_model(name: str | Path) -> SentenceSolver:
        folder = ModelFolder.open(locate(name))
        tokenizer = Tokenizer.load(folder.tokenizer, folder.config.vocabulary)
        decode = DecodeOptions(draft or DecodeOptions().policy, max_draft)
        batch_tokens = GPU_BATCH_TOKENS if engine == "cuda" else _CPU_BATCH_TOKENS
        return SentenceSolver(
            open_engine(folder, engine, threads, precision),
            tokenizer,
            folder.info,
            SolverOptions(decode, batch_tokens),
            known_words=folder.known_words,
        )

    spelling = None if dialect is None else find_dialect(dialect)
    others = _list_by_language() if model == AUTO else {}
    first = _take_first(others) if model == AUTO else model
    return Corrector(
        open_model(first),
        [_open_later(language, folder, open_model) for language, folder in others.items()],
        dialect=spelling,
        consistent=consistent,
        threshold=threshold,
    )


def _list_by_language() -> dict[str, Path]:
    """The folder of one installed model for each language."""
    folders = installed()
    return {language: folders[name] for language, name in by_language(folders).items()}


def _take_first(folders: dict[str, Path]) -> str | Path:
    """Takes the English model, or the first one if there is none, out of those of all languages."""
    name = _FIRST if _FIRST in folders else next(iter(folders), _FIRST)
    return folders.pop(name, name)


def _open_later(language: str, folder: Path, open_model: Callable[[Path], SentenceSolver]) -> OtherModel:
    """The model in a folder that was found before: the folder is not searched for again."""
    return OtherModel(language, partial(open_model, folder), partial(_read_threshold, folder))


def _read_threshold(folder: Path) -> float:
    return ModelFolder.open(folder, verify=False).info.threshold
