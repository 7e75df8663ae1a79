"""`redraft export`: writes the ONNX graphs of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redraft.cli.extras import needs_extra
from redraft.errors import ConfigError
from redraft.terminal.output import remark


def export(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Model folder, as training writes it.")],
    int8: Annotated[
        Path | None,
        typer.Option(metavar="NEW", help="New folder for a copy with 8-bit weights; FOLDER stays as it is."),
    ] = None,
    lean: Annotated[
        bool, typer.Option("--lean", help="With --int8: one byte a weight in the embeddings too, instead of two.")
    ] = False,
) -> None:
    """Prepare a trained model for use: write its ONNX graphs, in int8 and in fp32, into its folder.

    The engine onnx runs these graphs, which are small, since they read their weights from the folder's weights file.
    The engine native, which is faster, needs 8-bit weights: --int8 writes a copy with such weights. The copy has half
    the size and opens much faster, so it is the one to publish. Training can start from either.
    """
    with needs_extra("export", "train"):
        from redraft.lab.export.onnx_graph import export as export_graphs
        from redraft.lab.export.quantized_weights import export_quantized
    from redraft.model.folder import ModelFolder

    if lean and int8 is None:
        raise ConfigError("--lean needs 8-bit weights; add --int8 NEW")
    opened = ModelFolder.open(folder)
    written = export_graphs(opened) if int8 is None else export_quantized(opened, int8, lean=lean)
    remark(f"wrote the graphs into {written.path}")
