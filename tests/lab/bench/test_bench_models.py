from __future__ import annotations

import pytest
import torch
from shapes import SHAPES
from tiny import PAIRS

from redraft.decode.stepper import Feed
from redraft.engines.onnx import OnnxEngine
from redraft.engines.torch import TorchEngine
from redraft.errors import ConfigError
from redraft.lab.bench.models import write_sinusoidal, write_untrained
from redraft.model.config import preset
from redraft.model.folder import GRAPHS
from redraft.tokens.tokenizer import Tokenizer


@pytest.mark.parametrize("shape", SHAPES)
def test_an_untrained_model_of_any_shape_runs(tmp_path, tiny_model, shape):
    config = preset("tiny", vocabulary=tiny_model.config.vocabulary, **SHAPES[shape])
    folder = write_untrained(tmp_path / "model", config, tiny_model.tokenizer)
    assert folder.config == config
    for precision in GRAPHS:
        (answer,) = OnnxEngine(folder, 1, precision).start([[5, 6]]).extend([Feed(0, [1, 5, 6])])
        assert len(answer.ids) == 3
        assert all(value < 0 for value in answer.log_probabilities)


def test_sinusoidal_weights_are_the_same_weights(tmp_path, tiny_model):
    folder = write_sinusoidal(tiny_model, tmp_path / "model")
    assert (tiny_model.config.positions, folder.config.positions) == ("rotary", "sinusoidal")
    ours, theirs = TorchEngine.load(tiny_model).model.weights(), TorchEngine.load(folder).model.weights()
    assert all(torch.equal(theirs[name], weight) for name, weight in ours.items())
    source = Tokenizer.load(folder.tokenizer).encode(PAIRS[0][0])
    feed = [Feed(0, [1, *source])]
    before, after = (OnnxEngine(one, 1, "fp32").start([source]).extend(feed)[0] for one in (tiny_model, folder))
    assert before.log_probabilities != after.log_probabilities


def test_a_network_other_libraries_do_not_have_is_refused(tmp_path, tiny_model):
    config = preset("tiny", vocabulary=tiny_model.config.vocabulary, norm="post")
    folder = write_untrained(tmp_path / "post", config, tiny_model.tokenizer)
    with pytest.raises(ConfigError, match="normalization before"):
        write_sinusoidal(folder, tmp_path / "model")
