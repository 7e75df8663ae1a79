"""`redraft export`: the graphs that ONNX Runtime runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from redraft.errors import ConfigError
from redraft.interfaces.output import remark


def export(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A model folder, as training leaves it.")],
) -> None:
    """Write a model's ONNX graphs into its folder.

    The graphs read their weights from the folder's weights file, so they are small.
    """
    try:
        from redraft.export.onnx_graph import export as export_graphs
    except ImportError as error:
        raise ConfigError(f"export needs {error.name}: pip install 'redraft[train]'") from None
    from redraft.model.folder import ModelFolder

    written = export_graphs(ModelFolder.open(folder))
    remark(f"{written.path} now has its graphs")
