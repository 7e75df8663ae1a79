from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest
import typer

from redraft.errors import ConfigError
from redraft.settings_reader import (
    OneOf,
    Range,
    SettingError,
    check_ranges,
    plain_values,
    read_settings,
    read_values,
    suggest,
)


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


@dataclass(frozen=True)
class Wheel:
    RENAMED_KEYS: ClassVar[Mapping[str, str]] = {"diameter": "size"}
    name: str
    size: Annotated[int, Range(min=1)] = 20
    share: Annotated[float, Range(min=0, below=1)] = 0.0

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.name == "square":
            raise ConfigError("a square wheel does not turn")


@dataclass(frozen=True)
class Bicycle:
    wheels: tuple[Wheel, ...]
    colours: frozenset[Colour] = frozenset()
    gear: Literal["low", "high"] = "low"
    limits: tuple[float, float] = (0.0, 1.0)
    notes: Mapping[str, str] = field(default_factory=dict)
    lists: Annotated[list[str] | None, OneOf(lambda: ["here", "there"])] = None
    max_speed: Annotated[float | None, typer.Option(min=1.0, max=99.0)] = None
    manual: Path | None = None
    electric: bool = False
    rest: Any = None


WHEELS = [{"name": "front"}, {"name": "rear", "size": 28, "share": 0}]


def read(**values: Any) -> Bicycle:
    return read_settings(Bicycle, {"wheels": WHEELS, **values})


def test_every_kind_of_value_is_converted() -> None:
    bicycle = read(
        colours=["red"],
        gear="high",
        limits=[1, 2.5],
        notes={"a": "b"},
        lists=["here"],
        max_speed=5,
        manual="a/b",
        rest=[1],
    )
    assert bicycle == Bicycle(
        wheels=(Wheel("front"), Wheel("rear", 28, 0.0)),
        colours=frozenset({Colour.RED}),
        gear="high",
        limits=(1.0, 2.5),
        notes={"a": "b"},
        lists=["here"],
        max_speed=5.0,
        manual=Path("a/b"),
        rest=[1],
    )
    assert isinstance(bicycle.max_speed, float)


def test_plain_values_can_be_sent_as_json_and_read_again() -> None:
    bicycle = read(colours=["red"], limits=[1, 2.5], notes={"a": "b"}, lists=["here"], manual="a/b", rest=[1])
    assert read_settings(Bicycle, json.loads(json.dumps(plain_values(bicycle)))) == bicycle


def test_null_counts_as_left_out() -> None:
    assert read(gear=None, max_speed=None) == read()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"geer": "low"}, "geer is not a known setting; did you mean 'gear'?"),
        ({"gear": "hihg"}, "gear must be one of low, high, not 'hihg'; did you mean 'high'?"),
        ({"gear": True}, "gear must be one of low, high, not True"),
        ({"wheels": [{"name": "front", "size": 0}]}, "wheels.front.size must be at least 1, not 0"),
        ({"wheels": [{"name": "front", "size": "big"}]}, "wheels.front.size must be a whole number, not 'big'"),
        ({"wheels": [{"name": "front", "size": True}]}, "wheels.front.size must be a whole number, not True"),
        ({"wheels": [{"name": "front", "diameter": 3}]}, "wheels.front.diameter is now size"),
        ({"wheels": [{"name": "front", "share": 1}]}, "wheels.front.share must be at least 0 and below 1, not 1.0"),
        ({"wheels": [{"size": 3}]}, "wheels.0.name is missing"),
        ({"wheels": [3]}, "wheels.0 must be a table, not 3"),
        ({"wheels": "front"}, "wheels must be a list, not 'front'"),
        ({"wheels": [{"name": "square"}]}, "wheels.square is not valid: a square wheel does not turn"),
        ({"colours": ["bleu"]}, "colours.0 must be one of red, green, not 'bleu'"),
        ({"limits": [1.0]}, "limits must be a list of 2 values, not of 1"),
        ({"notes": {"a": 1}}, "notes.a must be a text in quotes, not 1"),
        ({"notes": []}, "notes must be a table, not []"),
        ({"lists": ["nowhere"]}, "lists must be one of here, there, not 'nowhere'; did you mean 'here'?"),
        ({"max_speed": 100}, "max_speed must be at least 1.0 and at most 99.0, not 100.0"),
        ({"max_speed": float("nan")}, "max_speed must be a number, not nan"),
        ({"max_speed": 10**400}, f"max_speed must be a number, not 1{'0' * 58}…"),
        ({"manual": 3}, "manual must be a path in quotes, not 3"),
        ({"electric": 1}, "electric must be true or false, not 1"),
    ],
)
def test_a_wrong_value_is_refused_by_its_key(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError) as failure:
        read(**values)
    assert str(failure.value) == message


def test_an_error_knows_its_key() -> None:
    with pytest.raises(SettingError) as failure:
        read_settings(Wheel, {"name": "front", "size": 0}, key=("wheel",))
    assert failure.value.key == ("wheel", "size")
    assert failure.value.problem == "must be at least 1, not 0"


def test_limits_hold_for_code_too() -> None:
    with pytest.raises(SettingError, match="size must be at least 1"):
        Wheel("front", size=0)


def test_keys_may_be_spelt_otherwise_than_fields() -> None:
    dashed = {"wheels": [], "max-speed": 3}
    assert read_settings(Bicycle, dashed, spell=lambda name: name.replace("_", "-")).max_speed == 3.0
    with pytest.raises(SettingError, match="max_speed is not a known setting; did you mean 'max-speed'"):
        read_settings(Bicycle, {"max_speed": 3}, spell=lambda name: name.replace("_", "-"))


def test_values_without_a_dataclass() -> None:
    assert read_values({"a": int, "b": str}, {"a": 1}) == {"a": 1}
    with pytest.raises(SettingError, match="top must be a table, not 3"):
        read_values({}, 3, ("top",))


def test_a_suggestion_is_the_nearest_name_or_all_names() -> None:
    assert suggest("colour", ["color", "gear"]) == "; did you mean 'color'?"
    assert suggest("xyz", ["color", "gear"]) == "; there are color, gear"
