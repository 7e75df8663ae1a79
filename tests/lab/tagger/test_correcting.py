from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_models import needs_native
from training_world import sentences

from redraft.lab.tagger.correcting import Tagger
from redraft.lab.tagger.evaluation import TorchScorer
from redraft.lab.tagger.folder import TaggerFolder, TaggerOptions
from redraft.lab.tagger.network import TaggerNetwork
from redraft.lab.tagger.tags import KEEP, Action, Tag
from redraft.lab.train.checkpoint import read_tensors
from redraft.tokens.tokenizer import Tokenizer

RIGHT = [line for line in sentences(60, seed=5) if "the " in line][:20]
WRONG = [line.replace("the", "teh") for line in RIGHT]
THE = Tag(Action.REPLACE, "the")


def torch_tagger(folder: TaggerFolder) -> Tagger:
    import torch

    model = TaggerNetwork(folder.encoder.config, len(folder.vocabulary.tags)).eval()
    layer = {"tag_layer.weight": folder.layer.weight, "tag_layer.bias": folder.layer.bias}
    tensors = {name: torch.from_numpy(array) for name, array in layer.items()}
    model.load_state_dict({**model.state_dict(), **tensors})
    model.load_encoder(read_tensors(folder.encoder.weights))
    tokenizer = Tokenizer.load(folder.encoder.tokenizer)
    return Tagger(folder.vocabulary, tokenizer, TorchScorer(model), folder.options)


@needs_native
def test_the_native_engine_gives_the_tags_of_the_torch_network(trained, quantized):
    native = Tagger.open(quantized.path, threads=1)
    expected = torch_tagger(trained).find_tags([*WRONG, *RIGHT])
    assert native.find_tags([*WRONG, *RIGHT]) == expected
    assert any(THE in tags for tags in expected)


@needs_native
def test_a_tagger_corrects_what_it_has_learnt(quantized):
    tagger = Tagger.open(quantized.path, threads=1)
    assert tagger.correct_lines([*WRONG, *RIGHT]) == [*RIGHT, *RIGHT]


@needs_native
def test_a_line_does_not_depend_on_the_others(quantized):
    tagger = Tagger.open(quantized.path, threads=1)
    lines = [*WRONG, "teh", "The sea is teh sea ."]
    together = tagger.correct(lines)
    assert [tagger.correct([line])[0] for line in lines] == together


@needs_native
def test_passes_are_counted(quantized):
    tagger = Tagger.open(quantized.path, threads=1)
    right, wrong, empty, long = tagger.correct([RIGHT[0], WRONG[0], "", "teh " * 100])
    assert (right.passes, wrong.passes) == (1, 2), "the second pass finds nothing more"
    assert (empty.passes, empty.text) == (0, "")
    assert (long.passes, long.text) == (0, "teh " * 100), "it has more tokens than the encoder takes"
    once = Tagger.open(quantized.path, 1, replace(tagger.options, max_passes=1))
    assert once.correct([WRONG[0]])[0] == replace(wrong, passes=1)


@needs_native
@pytest.mark.parametrize(
    ("strict", "low"),
    [
        (TaggerOptions(min_probability=1.0), TaggerOptions(min_probability=0.01)),
        (TaggerOptions(min_error_probability=1.0), TaggerOptions(min_error_probability=0.01)),
    ],
)
def test_nothing_is_certain_enough_for_a_threshold_of_one(quantized, strict, low):
    assert Tagger.open(quantized.path, 1, strict).correct_lines(WRONG) == WRONG
    assert Tagger.open(quantized.path, 1, low).correct_lines(WRONG) == RIGHT


class LoopingScorer:
    """Replaces "the" by "goes" and "goes" by "the"."""

    max_tokens = 100

    def __init__(self, numbers: dict[Tag, int], tokenizer: Tokenizer) -> None:
        self.numbers, self.tokenizer = numbers, tokenizer

    def score(self, sources, slots):
        found = []
        for source, chosen in zip(sources, slots, strict=True):
            logits = np.zeros((len(chosen), len(self.numbers)), dtype=np.float32)
            other = "the" if self.tokenizer.decode(source) != "the" else "goes"
            logits[:, 0], logits[1:, self.numbers[Tag(Action.REPLACE, other)]] = 5, 9
            found.append(logits)
        return found


def test_a_text_that_comes_back_ends_the_passes(trained):
    tokenizer = Tokenizer.load(trained.encoder.tokenizer)
    scorer = LoopingScorer(trained.vocabulary.numbers, tokenizer)
    looping = Tagger(trained.vocabulary, tokenizer, scorer, TaggerOptions(max_passes=10))
    assert looping.correct(["the"])[0].passes == 2
    assert looping.find_tags(["the"]) == [[KEEP, Tag(Action.REPLACE, "goes")]]
