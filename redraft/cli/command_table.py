"""The commands by name. The module of a command is imported only when the command is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer.main

from redraft.cli.renamed import RenamingGroup

SECTIONS = {
    "Commands for text": {
        "fix": ("fix:fix", "Correct a text, files or stdin."),
        "check": ("check:check", "List errors (findings) in files, without changing the files."),
        "trace": ("trace:trace", "Show how the model corrects a sentence, step by step."),
        "words": ("words:app", "Show and change the dictionary: words that are left alone."),
        "ignore": ("ignore:app", "Hide findings that you do not want to see."),
    },
    "Servers": {
        "serve": ("serve:serve", "Serve Redraft's API, LanguageTool's API and a web page."),
        "lsp": ("lsp:lsp", "Run the language server on stdin and stdout."),
    },
    "Models": {
        "models": ("models:models", "List the installed models."),
        "adopt": ("adopt:adopt", "Convert a BART, Marian or fairseq model."),
        "known-words": ("known_words:known_words", "Give a model the words by which it knows misspellings."),
        "export": ("export:export", "Prepare a trained model for use: ONNX graphs, 8-bit weights."),
        "package": ("package:package", "Make a package of a model, to be installed with pip."),
    },
    "Measurements": {
        "score": ("score:app", "Score corrections against gold edits or references."),
        "bench": ("bench:app", "Measure speed and correctness."),
    },
    "Training": {
        "tokenizer": ("tokenizer:tokenizer", "Train a tokenizer, which turns text into token ids."),
        "mine": ("mine:mine", "Find real corrections in the history of git repositories."),
        "prepare": ("prepare:prepare", "Read pairs, filter them, and write them for training."),
        "error-table": (
            "error_table:error_table",
            "Build a table of the errors that people make, for synthesize and train.",
        ),
        "synthesize": ("synthesize:synthesize", "Put errors into clean text: synthetic pairs."),
        "train": ("train:train", "Train a model from a config file."),
        "average": ("train:average", "Average the weights of several checkpoints of one run."),
        "split-checkpoint": ("train:split_checkpoint", "Write a checkpoint as small files in 16 bits."),
        "distill": ("distill:distill", "Correct text with a large model, to train a small one."),
    },
}
"""Sections of the help, with the commands in them: the name, the module and the function or app in it, a summary."""
_PLACES = {name: place for commands in SECTIONS.values() for name, (place, _) in commands.items()}


_WIDTH = max(map(len, _PLACES))


class CommandTable(RenamingGroup):
    """The group of all commands. Its help lists them without importing them."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_PLACES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # For a name that is not there, the group suggests a similar one of those imported.
        for name in [cmd_name] if cmd_name in _PLACES else _PLACES:
            if name not in self.commands:
                self.commands[name] = _import_command(name)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(_WIDTH), summary) for name, (_, summary) in commands.items()])


def _import_command(name: str) -> Any:
    module, _, attribute = _PLACES[name].partition(":")
    found = getattr(import_module(f"redraft.cli.commands.{module}"), attribute)
    group = typer.Typer(rich_markup_mode=None)
    if isinstance(found, typer.Typer):
        group.add_typer(found, name=name)
    else:
        group.command(name)(found)
    command = typer.main.get_group(group).commands[name]
    _simplify_arguments(command)
    return command


def _simplify_arguments(command: Any) -> None:
    """Shows arguments in the help as `FILE...`, without braces and Python types, which Typer adds."""
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            name = parameter.metavar if parameter.required else f"[{parameter.metavar}]"
            parameter.get_usage_pieces = lambda ctx, name=name, many=parameter.nargs != 1: [name + "..." * many]
            parameter.display_type_rich = lambda ctx: None
    for inner in getattr(command, "commands", {}).values():
        _simplify_arguments(inner)
