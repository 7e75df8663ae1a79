"""Old names of options and commands: they are refused, and the message gives the new name."""

from __future__ import annotations

from typing import Any

import typer.core

RENAMED_OPTIONS = {
    "--as-is": "--no-simplify",
    "--checked": "--checker-sentences",
    "--errors": "--error-table",
    "--markup": "--input-format",
    "--min-confidence": "--threshold",
    "--no-sounds": "--no-pinyin",
    "--out": "--output",
    "--table": "--error-table",
    "redraft bench document --format": "--input-format",
    "redraft bench identity --limit": "--sentences",
    "redraft bench identity --policies": "--draft",
}
"""Old options, of all commands or of one, to new ones. Looked up only if a command has no option of that name."""
RENAMED_COMMANDS = {"redraft bench restraint": "false-positives", "redraft errors-table": "error-table"}
"""Old commands with the groups they are in, to new names."""


class RenamingGroup(typer.core.TyperGroup):
    """A group of commands that names the new name when an old one is used."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            # Typer does not export NoSuchOption, the only error with this attribute.
            old = getattr(error, "option_name", None)
            place = getattr(error, "ctx", None) or ctx
            new = RENAMED_OPTIONS.get(f"{place.command_path} {old}") or RENAMED_OPTIONS.get(str(old))
            if new is not None:
                place.fail(f"{old} is now called {new}")
            raise

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        old = f"{ctx.command_path} {cmd_name}"
        if found is None and old in RENAMED_COMMANDS:
            ctx.fail(f"`{old}` is now called `{ctx.command_path} {RENAMED_COMMANDS[old]}`")
        return found
