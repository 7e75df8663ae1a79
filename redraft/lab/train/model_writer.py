"""Writes trained weights as a finished model folder."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

import torch
from torch import Tensor

from redraft.errors import InputError
from redraft.lab.train.averaging import average
from redraft.lab.train.checkpoint import Position, read_tensors, write_tensors
from redraft.lab.train.config import TrainConfig
from redraft.model import folder
from redraft.model.config import ModelConfig
from redraft.model.folder import ModelFolder, ModelInfo


def write_model(
    path: Path,
    weights: Mapping[str, Tensor],
    config: ModelConfig,
    tokenizer: Path,
    info: ModelInfo,
    card: str,
    words: Path | None = None,
) -> ModelFolder:
    """Writes a model folder with float16 weights, and opens it to check that it is complete. `words` is a file of known
    words to copy."""
    path.mkdir(parents=True, exist_ok=True)
    (path / folder.MANIFEST).unlink(missing_ok=True)  # without a manifest, a half-written folder is refused
    halves = {name: weights[name].to(torch.float16) for name, _ in config.tensors()}
    write_tensors(path / folder.WEIGHTS, halves, {})
    shutil.copyfile(tokenizer, path / folder.TOKENIZER)
    if words is not None:
        shutil.copyfile(words, path / folder.WORDS)
    folder.write_config(path, info, config)
    (path / folder.CARD).write_text(card, encoding="utf-8")
    return folder.seal(path)


def write_card(config: TrainConfig, position: Position, source_credits: str = "", remark: str = "") -> str:
    """The card of a trained model; with a source list, `source_credits` has licence and credit of each source. `remark`
    says more about the training, such as that the weights are a mean."""
    sources = "\n".join(
        f"- {name} ({source.kind}): {', '.join(Path(file).name for file in source.files)}"
        for name, source in config.data.sources.items()
    )
    head = (
        f"# {config.name}\n\n"
        f"Trained by Redraft in {position.all_steps:,} steps on {position.pairs:,} pairs "
        f"({position.tokens:,} target tokens).\n\n"
    )
    head += f"{remark}\n\n" if remark else ""
    if not source_credits:
        return f"{head}Text:\n\n{sources}\n\nThe terms of these texts apply to the model.\n"
    start = f"It continues from {config.start}, whose card lists further sources.\n\n" if config.start else ""
    return (
        f"{head}{start}## Terms\n\nLicence of the model: {config.licence}.\n\n## Sources\n\n"
        "All text, word lists and corrections that the model was trained on. The texts were changed: they were cut "
        f"into sentences and filtered, and errors were put in.\n\n{source_credits}\nFiles:\n\n{sources}\n"
    )


def average_models(template: Path, files: Sequence[Path], output: Path) -> ModelFolder:
    """Writes a model with the mean of the weights in several files; all else comes from the folder `template`."""
    refuse_template(template, output)
    model = ModelFolder.open(template)
    weights = average_files(files, {name for name, _ in model.config.tensors()}, template)
    return write_average(model, weights, len(files), output)


def refuse_template(template: Path, output: Path) -> None:
    """Refuses to write an average into the folder that all but the weights comes from."""
    if output.resolve() == template.resolve():
        raise InputError(
            f"{output} is the folder that all but the weights comes from; write the average to another folder"
        )


def average_files(files: Sequence[Path], names: Set[str], template: Path) -> dict[str, Tensor]:
    """The mean of the weights in several files, which must have the `names` of the folder `template`."""
    weights = average([read_weights(path) for path in files])
    if weights.keys() != names:
        raise InputError(
            f"{files[0]} has other weights than {template}: see the tensor {sorted(weights.keys() ^ names)[0]}"
        )
    return weights


def write_average(model: ModelFolder, weights: Mapping[str, Tensor], count: int, output: Path) -> ModelFolder:
    """Writes a model folder like `model` with the mean weights of `count` checkpoints."""
    card = model.card.read_text(encoding="utf-8") + f"\nThe weights are the mean of {count} checkpoints.\n"
    words = model.path / folder.WORDS if folder.WORDS in model.files else None
    return write_model(output, weights, model.config, model.tokenizer, model.info, card, words)


def read_weights(path: Path) -> dict[str, Tensor]:
    """The weights in a weights file, in a model folder or in a checkpoint (not its moving average)."""
    tensors = read_tensors(path / folder.WEIGHTS if path.is_dir() else path)
    marked = {name.removeprefix("weights."): tensor for name, tensor in tensors.items() if name.startswith("weights.")}
    return marked or tensors
