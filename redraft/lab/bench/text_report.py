"""A report of figures as Markdown: lists of single figures, tables of those with the same names."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any


def render(figures: Mapping[str, Any]) -> str:
    """The report as text. Lists of numbers, such as the points of a plot, are left out; JSON has them."""
    return "\n\n".join(_sections(figures, ())) + "\n"


def print_report(figures: Mapping[str, Any], as_json: bool) -> None:
    """Writes a report to standard output, as text or as JSON."""
    sys.stdout.write(json.dumps(figures, indent=2) + "\n" if as_json else render(figures))


def _sections(figures: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    single = {name: value for name, value in figures.items() if _is_single(value)}
    heading = [f"## {', '.join(path)}"] if path else []
    if single:
        yield "\n\n".join([*heading, _list(single)])
        heading = []
    rows = {name: value for name, value in figures.items() if _is_row(value)}
    if len(rows) > 1:
        yield "\n\n".join([*heading, write_table(rows)])
    for name, value in figures.items():
        if isinstance(value, Mapping) and not (len(rows) > 1 and name in rows):
            yield from _sections(value, (*path, _plain(name)))
        elif isinstance(value, list | tuple) and value:
            items = [_list(item) for item in value if isinstance(item, Mapping)]
            items += [f"- {item}" for item in value if isinstance(item, str)]
            if items:
                yield "\n\n".join([f"## {', '.join((*path, _plain(name)))}", *items])


def write_table(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """A Markdown table with a row for each name; a figure that a row does not have is an empty cell."""
    columns = list(dict.fromkeys(column for row in rows.values() for column in row if _is_single(row[column])))
    lines = [["", *map(_plain, columns)], ["---"] * (len(columns) + 1)]
    for name, row in rows.items():
        lines.append([_plain(name), *(_show(row[column]) if column in row else "" for column in columns)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _list(figures: Mapping[str, Any]) -> str:
    return "\n".join(f"- {_plain(name)}: {_show(value)}" for name, value in figures.items())


def _is_single(value: Any) -> bool:
    return not isinstance(value, Mapping | list | tuple)


def _is_row(value: Any) -> bool:
    return (
        isinstance(value, Mapping) and any(map(_is_single, value.values())) and not any(map(_is_group, value.values()))
    )


def _is_group(value: Any) -> bool:
    """Whether a value has figures or items of its own; an empty list has none."""
    return not _is_single(value) and bool(value)


def _plain(name: str) -> str:
    return str(name).replace("_", " ")


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_show, value))
    return "none" if value is None else str(value)
