"""`redraft export`: the graphs that ONNX Runtime runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redraft.errors import ConfigError
from redraft.terminal.output import remark


def export(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A model folder, as training leaves it.")],
    int8: Annotated[
        Path | None,
        typer.Option(metavar="NEW", help="Leave FOLDER as it is; write a copy with 8-bit weights into the folder NEW."),
    ] = None,
    lean: Annotated[
        bool, typer.Option("--lean", help="With --int8: embeddings too in one byte a number instead of two.")
    ] = False,
) -> None:
    """Write a model's ONNX graphs, in int8 and in fp32, into its folder.

    The graphs read their weights from the folder's weights file, so they are small. A copy with 8-bit weights has half
    the size and opens much faster: that is what to hand on. Training can start from either.
    """
    try:
        from redraft.lab.export.onnx_graph import export as export_graphs
        from redraft.lab.export.quantized_weights import export_quantized
    except ImportError as error:
        raise ConfigError(f"export needs {error.name}: pip install 'redraft[train]'") from None
    from redraft.model.folder import ModelFolder

    if lean and int8 is None:
        raise ConfigError("--lean is about 8-bit weights: give --int8 NEW with it")
    opened = ModelFolder.open(folder)
    written = export_graphs(opened) if int8 is None else export_quantized(opened, int8, lean=lean)
    remark(f"{written.path} now has its graphs")
