"""Changes of a config by `key.key=value`, as `--set` and the variants of a config have them."""

from __future__ import annotations

import tomllib
from typing import Any

from redraft.errors import ConfigError


def apply_change(values: dict[str, Any], change: str, option: str = "--set") -> None:
    """Sets one dotted key; the value is TOML, or a text without quotes. In a list of tables, the next key is the number
    or the name of an entry. `option` is where the change comes from, for messages."""
    path, equals, text = change.partition("=")
    if not equals:
        raise ConfigError(f"{option} takes key=value, not {change!r}")
    keys = path.strip().split(".")
    where: Any = values
    for key in keys[:-1]:
        where = _entry(where, key, f"{option} {path}") if isinstance(where, list) else where.setdefault(key, {})
        if not isinstance(where, (dict, list)):
            raise ConfigError(f"{option} {path}: {key} has a value and no settings below it")
    if isinstance(where, list):
        raise ConfigError(f"{option} {path}: name a setting of one entry of the list, such as stages.NAME.steps")
    where[keys[-1]] = _value(text.strip())


def first_key(change: str) -> str:
    """The first part of the key of a change: `stages` of `stages.pretrain.steps=900`."""
    return change.partition("=")[0].strip().partition(".")[0]


def _entry(entries: list[Any], key: str, place: str) -> Any:
    for index, entry in enumerate(entries):
        if key == str(index) or (isinstance(entry, dict) and entry.get("name") == key):
            return entry
    raise ConfigError(f"{place}: the list has no entry {key!r}")


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
