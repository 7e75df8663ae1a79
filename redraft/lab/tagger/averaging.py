"""Averages the weights of several checkpoints of a tagger."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from redraft.lab.tagger import folder
from redraft.lab.tagger.folder import TaggerFolder
from redraft.lab.tagger.network import LAYER
from redraft.lab.train.model_writer import average_files, refuse_template, write_average


def is_tagger(path: Path) -> bool:
    return (path / folder.SETTINGS).is_file()


def average_taggers(template: Path, files: Sequence[Path], output: Path) -> TaggerFolder:
    """Writes a tagger with the mean of the weights in several files; all else comes from the folder `template`."""
    refuse_template(template, output)
    tagger = TaggerFolder.open(template)
    weight, bias = (f"{LAYER}.{name}" for name in (folder.WEIGHT, folder.BIAS))
    names = {name for name, _ in tagger.encoder.config.tensors()} | {weight, bias}
    weights = average_files(files, names, template)
    (output / folder.SETTINGS).unlink(missing_ok=True)  # without its settings, a half-written folder is refused
    write_average(tagger.encoder, weights, len(files), output / folder.ENCODER)
    folder.write_layer(output / folder.LAYER, weights[weight].numpy(), weights[bias].numpy())
    shutil.copyfile(template / folder.TAGS, output / folder.TAGS)
    return folder.seal(output, tagger.options)
