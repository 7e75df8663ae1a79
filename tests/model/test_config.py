from __future__ import annotations

import math

import pytest

from redraft.errors import ConfigError
from redraft.model.config import PRESETS, ModelConfig, preset


def test_the_presets_have_their_sizes():
    assert PRESETS["small"].width == 256
    assert (PRESETS["base-12+2"].encoder_layers, PRESETS["base-12+2"].decoder_layers) == (12, 2)
    assert {"tiny", "base-6+6", "base-9+3", "bart-12+2", "bart-12+12"} <= set(PRESETS)
    big = {name.removeprefix("big-") for name in PRESETS if name.startswith("big-")}
    assert big == {"6+6", "3+6", "9+6", "6+3", "6+9", "7+5", "8+4", "9+3", "10+2", "11+1"}
    assert all(PRESETS[f"big-{depths}"].ffn == 4096 for depths in big)


def test_the_base_model_has_50_to_60_million_weights():
    assert 50e6 < sum(math.prod(shape) for _, shape in PRESETS["base-12+2"].tensors()) < 60e6


def test_a_config_is_read_back_from_its_mapping():
    for config in PRESETS.values():
        assert ModelConfig.from_mapping(config.to_mapping()) == config


@pytest.mark.parametrize(
    "changes",
    [
        {"width": 100, "heads": 3},
        {"norm": "middle"},
        {"positions": "guessed"},
        {"encoder_layers": 0},
        {"vocabulary": "many"},
        {"position_offset": -1},
        {"widht": 512},
    ],
)
def test_a_bad_value_or_an_unknown_key_is_refused(changes):
    with pytest.raises(ConfigError):
        preset("tiny", **changes)


def test_an_unknown_preset_is_refused_with_the_names_of_the_known():
    with pytest.raises(ConfigError, match="base-12"):
        preset("gigantic")
