"""Writes the folder of a trained tagger."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor

from redraft.lab.tagger import folder
from redraft.lab.tagger.folder import TaggerFolder, TaggerOptions
from redraft.lab.tagger.network import LAYER
from redraft.lab.tagger.vocabulary import TagVocabulary
from redraft.lab.train.model_writer import write_model
from redraft.model.config import ModelConfig
from redraft.model.folder import ModelInfo


def write_tagger(
    path: Path,
    weights: Mapping[str, Tensor],
    config: ModelConfig,
    tokenizer: Path,
    info: ModelInfo,
    card: str,
    vocabulary: TagVocabulary,
    options: TaggerOptions,
) -> TaggerFolder:
    """Writes a tagger with float16 weights, and opens it to check that it is complete.

    `weights` and `config` are those of a `TaggerNetwork`; `info` has name, language and licence. Without its settings,
    which are written last, a half-written folder is refused.
    """
    (path / folder.SETTINGS).unlink(missing_ok=True)
    info = ModelInfo(info.name, info.language, "Encoder of a tagger; its decoder is empty", info.licence)
    write_model(path / folder.ENCODER, weights, config, tokenizer, info, card)
    weight, bias = (weights[f"{LAYER}.{name}"].detach().cpu().numpy() for name in (folder.WEIGHT, folder.BIAS))
    folder.write_layer(path / folder.LAYER, weight, bias)
    vocabulary.write(path / folder.TAGS)
    return folder.seal(path, options)
