"""Converts TOML tables and JSON objects to dataclasses, and refuses unknown keys and wrong values by name.

Training configs, redraft.toml, editor settings and model configs are all read here. A field's type is its rule: bool,
int, float, str, Path, an Enum, Literal, list, tuple, frozenset, Mapping, another dataclass, or one of these with None.
`Annotated[..., Range(min=1)]` adds limits; a typer option in the same place is understood too, by its min and max.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from redraft.errors import ConfigError, one_line

RENAMED_KEYS = "RENAMED_KEYS"
"""Class attribute of a dataclass: a mapping of old key names to new ones, for the message about an old key."""

Settings = TypeVar("Settings")
Key = tuple[str, ...]
_LONGEST_SHOWN = 60
"""Characters of a name or value that a message shows."""
_NAMES = {str: "a text in quotes", Path: "a path in quotes", int: "a whole number", float: "a number"}
_NAMES |= {bool: "true or false"}


class SettingError(ConfigError):
    """A wrong setting: `key` is its path, such as ("stages", "pretrain", "steps"), `problem` what is wrong with it."""

    def __init__(self, key: Key, problem: str) -> None:
        shown = ".".join(one_line(part, _LONGEST_SHOWN) for part in key)
        super().__init__(f"{shown} {problem}".strip())
        self.key = key
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Range:
    """Limits of a number: `min` and `max` are allowed values, `above` and `below` are not."""

    min: float | None = None
    max: float | None = None
    above: float | None = None
    below: float | None = None


@dataclass(frozen=True, slots=True)
class OneOf:
    """Allowed texts, asked for when a value is read: for lists that are costly to import."""

    names: Callable[[], Iterable[str]]


def suggest(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the known name that is most like it, or else all of them."""
    names = [str(name) for name in known]
    return _nearest(word, names) or f"; there are {', '.join(names)}"


def read_settings(
    cls: type[Settings], values: object, key: Key = (), spell: Callable[[str], str] = lambda name: name
) -> Settings:
    """An instance of a dataclass from a mapping. `key` is the path of the mapping, `spell` turns a field's name into
    its key in the file (min_confidence → min-confidence). A null value counts as left out."""
    dataclass_: Any = cls
    names = {spell(entry.name): entry for entry in fields(dataclass_)}
    hints = _hints(dataclass_)
    old = getattr(cls, RENAMED_KEYS, {})
    found = read_values({name: hints[entry.name] for name, entry in names.items()}, values, key, old)
    for name, entry in names.items():
        if name not in found and entry.default is MISSING and entry.default_factory is MISSING:
            raise SettingError((*key, name), "is missing")
    try:
        return cls(**{names[name].name: value for name, value in found.items()})
    except SettingError as error:
        raise SettingError((*key, *error.key), error.problem) from None
    except ConfigError as error:
        raise SettingError(key, f"is not valid: {error}" if key else str(error)) from None


def plain_values(settings: Any) -> Any:
    """The mapping that `read_settings` makes a dataclass from: tables, lists, texts and numbers alone, which can be
    sent to another process."""
    if is_dataclass(settings):
        values = {entry.name: getattr(settings, entry.name) for entry in fields(settings)}
        return {name: plain_values(value) for name, value in values.items() if value is not None}
    if isinstance(settings, Mapping):
        return {name: plain_values(value) for name, value in settings.items()}
    if isinstance(settings, (list, tuple, AbstractSet)):
        return [plain_values(value) for value in settings]
    if isinstance(settings, Enum):
        return settings.value
    return str(settings) if isinstance(settings, Path) else settings


def read_values(
    hints: Mapping[str, Any], values: object, key: Key = (), renamed: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """The values of a mapping, each converted to the type that `hints` has for its key; only keys that are present."""
    if not isinstance(values, Mapping):
        raise SettingError(key, f"must be a table, not {shorten(values)}")
    for name in values:
        if name in renamed and name not in hints:
            raise SettingError((*key, name), f"is now {renamed[name]}")
        if name not in hints:
            raise SettingError((*key, str(name)), f"is not a known setting{suggest(str(name), hints)}")
    return {name: convert(hints[name], value, (*key, name)) for name, value in values.items() if value is not None}


def convert(hint: Any, value: Any, key: Key) -> Any:
    """A value converted to the type of an annotation. Raises SettingError where it does not fit."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        converted = convert(arguments[0], value, key)
        for rule in arguments[1:]:
            _check(rule, converted, key)
        return converted
    if origin in (Union, UnionType):
        rest = [each for each in arguments if each is not NoneType]
        return None if value is None and len(rest) < len(arguments) else convert(rest[0], value, key)
    if origin is not None:
        return _convert_generic(origin, arguments, value, key)
    if is_dataclass(hint):
        return read_settings(hint, value, key)  # type: ignore[arg-type]
    return value if hint is Any else _convert_scalar(hint, value, key)


def check_ranges(settings: Any) -> None:
    """Checks the limits of all fields: for the `__post_init__` of a dataclass that is made by code too."""
    kind: Any = type(settings)
    for name, hint in _hints(kind).items():
        for rule in get_args(hint)[1:] if get_origin(hint) is Annotated else ():
            _check(rule, getattr(settings, name), (name,))


def shorten(value: object) -> str:
    """A value for a message, cut off where it is long."""
    try:
        return one_line(repr(value), _LONGEST_SHOWN)
    except (RecursionError, ValueError):  # nested deeply, or a whole number of thousands of digits
        return f"{_NAMES.get(type(value), 'a list or table')} that is too large"


def _nearest(word: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches  # here, because it is needed for messages alone and takes time to import

    close = get_close_matches(word[:_LONGEST_SHOWN], names, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


@cache
def _hints(cls: Any) -> dict[str, Any]:
    names = {entry.name for entry in fields(cls)}
    return {name: hint for name, hint in get_type_hints(cls, include_extras=True).items() if name in names}


def _convert_generic(origin: Any, arguments: tuple[Any, ...], value: Any, key: Key) -> Any:
    if origin is Literal:
        return _choose(value, {str(each): each for each in arguments}, key)
    if issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise SettingError(key, f"must be a table, not {shorten(value)}")
        return MappingProxyType({name: convert(arguments[1], each, (*key, name)) for name, each in value.items()})
    return _convert_list(origin, arguments, value, key)


def _convert_list(origin: Any, arguments: tuple[Any, ...], value: Any, key: Key) -> Any:
    if not isinstance(value, (list, tuple, AbstractSet)):
        raise SettingError(key, f"must be a list, not {shorten(value)}")
    fixed = origin is tuple and arguments[-1] is not Ellipsis
    if fixed and len(value) != len(arguments):
        raise SettingError(key, f"must be a list of {len(arguments)} values, not of {len(value)}")
    hints = arguments if fixed else [arguments[0]] * len(value)
    return origin(
        convert(hint, each, (*key, _entry_name(each, place)))
        for place, (hint, each) in enumerate(zip(hints, value, strict=True))
    )


def _entry_name(entry: Any, place: int) -> str:
    """The name an entry of a list has in messages: its own, or else its place."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    return name if isinstance(name, str) and name else str(place)


def _convert_scalar(kind: Any, value: Any, key: Key) -> Any:
    if issubclass(kind, Enum):
        return _choose(value, {str(each.value): each for each in kind}, key)
    if kind is Path and isinstance(value, str):
        return Path(value)
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value):
        return float(value)
    fits = isinstance(value, kind) and kind is not float and (kind is bool or not isinstance(value, bool))
    if not fits:
        raise SettingError(key, f"must be {_NAMES.get(kind, kind.__name__)}, not {shorten(value)}")
    return value


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond the largest float
        return False


def _choose(value: Any, choices: Mapping[str, Any], key: Key) -> Any:
    name = value if isinstance(value, str) else shorten(value)
    if isinstance(value, bool) or name not in choices:
        nearest = _nearest(name, choices)
        raise SettingError(key, f"must be one of {', '.join(choices)}, not {shorten(value)}{nearest}")
    return choices[name]


def _check(rule: Any, value: Any, key: Key) -> None:
    """Whether a value, or each of a list, keeps to a rule: a Range, a OneOf, or anything that has a min and a max."""
    if value is None:
        return
    if isinstance(value, list | tuple | frozenset):
        for each in value:
            _check(rule, each, key)
        return
    if isinstance(rule, OneOf):
        _choose(value, {name: name for name in rule.names()}, key)
        return
    least, most = getattr(rule, "min", None), getattr(rule, "max", None)
    above, below = getattr(rule, "above", None), getattr(rule, "below", None)
    limits = {
        "at least": (least, least is None or value >= least),
        "above": (above, above is None or value > above),
        "at most": (most, most is None or value <= most),
        "below": (below, below is None or value < below),
    }
    if not all(kept for _, kept in limits.values()):
        words = " and ".join(f"{word} {limit}" for word, (limit, _) in limits.items() if limit is not None)
        raise SettingError(key, f"must be {words}, not {shorten(value)}")
