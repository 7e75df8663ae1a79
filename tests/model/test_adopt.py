from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import foreign
import pytest
import torch
import torch.nn.functional as F
from foreign import HEADS, PAD, WIDTH
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from scripted import Letters
from threads import one_thread
from torch import Tensor

from redraft.decode.drafts import POLICIES
from redraft.decode.loop import DecodeOptions, decode_batch, length_limit
from redraft.decode.stepper import Engine, Feed
from redraft.engines.onnx import OnnxEngine
from redraft.engines.torch import TorchEngine
from redraft.errors import ConfigError, ModelError
from redraft.lab.export.onnx_graph import export
from redraft.model.adopt import Adopted, choose_layers, keep_layers, renumber, write
from redraft.model.folder import TOKENIZER, ModelFolder, ModelInfo, seal
from redraft.model.foreign_model import read
from redraft.model.transformer import Transformer

SOURCES = [[7, 11, 30, 5, 5, 9], [20], [33, 4, 12, 8, 8, 8, 8, 21, 17, 6, 3], [14, 15, 16, 15, 14]]
TARGET = [11, 30, 5, 9, 4, 9]
DEPTHS = {"whole": ([0, 1, 2, 3], [0, 1, 2]), "first": ([0, 1, 2, 3], [0, 1]), "named": ([1, 3], [2])}
MODELS = {
    "bart": foreign.make_bart,
    "bart, relu": lambda: foreign.make_bart(activation_function="relu", scale_embedding=True),
    "marian": foreign.make_marian,
    "marian, relu": lambda: foreign.make_marian(activation_function="relu", scale_embedding=False),
}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


def adopt(source: Path, target: Path, encoder: Sequence[int], decoder: Sequence[int]) -> tuple[ModelFolder, Adopted]:
    adopted = renumber(keep_layers(read(source), encoder, decoder))
    write(target, adopted, ModelInfo("adopted", "en"), "card\n")
    (target / TOKENIZER).write_text("{}")
    return export(seal(target)), adopted


def torch_logits(model: Transformer, source: list[int], target: list[int]) -> Tensor:
    memory = model.encode(torch.tensor([source]), torch.tensor([len(source)]))
    cache = model.new_cache(1, len(target))
    return model.decode(torch.tensor([target]), torch.arange(len(target))[None], memory, cache)[0]


def log_probabilities(engine: Engine, source: Sequence[int], target: list[int], vocabulary: int) -> Tensor:
    stepper, rows = engine.start([source]), []
    for token in target:
        ranking = stepper.rank([Feed(0, [token])], vocabulary)[0]
        rows.append(dict(zip(ranking.ids, ranking.log_probabilities, strict=True)))
    return torch.tensor([[row[index] for index in range(vocabulary)] for row in rows])


def expect_equal(folder: ModelFolder, adopted: Adopted, reference: Any) -> None:
    """`reference` gives logits for a source and a target in the source's own ids, with all special tokens."""
    ours = {theirs: index for index, theirs in reversed(list(enumerate(adopted.order)))}
    start, eos = adopted.order[1:3]
    model, engine = TorchEngine.load(folder).model, OnnxEngine(folder, threads=1, precision="fp32")
    for source in SOURCES:
        theirs = reference([*source, eos], [start, *TARGET])[:, list(adopted.order[2:])]
        ids, target = [ours[token] for token in source], [1, *(ours[token] for token in TARGET)]
        got = torch_logits(model, [*ids, 2], target)
        torch.testing.assert_close(got[:, 2:], theirs, rtol=0, atol=1e-4)
        assert (got[:, :2] < -1000).all()
        onnx = log_probabilities(engine, ids, target, len(adopted.order))
        torch.testing.assert_close(onnx[:, 2:], theirs.log_softmax(-1), rtol=0, atol=1e-4)


@torch.no_grad()
def hugging_face_logits(model: Any, source: list[int], target: list[int]) -> Tensor:
    return model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([target]), use_cache=False).logits[0]


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("kind", MODELS)
def test_a_hugging_face_model_computes_the_same_here(kind, depth, tmp_path):
    model = MODELS[kind]()
    model.save_pretrained(tmp_path / "source")
    encoder, decoder = DEPTHS[depth]
    folder, adopted = adopt(tmp_path / "source", tmp_path / "target", encoder, decoder)
    cut = foreign.cut(model, encoder, decoder)
    expect_equal(folder, adopted, lambda source, target: hugging_face_logits(cut, source, target))


@pytest.mark.parametrize("kind", ["bart", "marian"])
def test_every_draft_policy_gives_the_greedy_output_of_the_source(kind, tmp_path):
    model = MODELS[kind]()
    model.save_pretrained(tmp_path / "source")
    folder, adopted = adopt(tmp_path / "source", tmp_path / "target", *DEPTHS["first"])
    cut = foreign.cut(model, *DEPTHS["first"]).double()
    ours = {theirs: index for index, theirs in reversed(list(enumerate(adopted.order)))}
    encoded = [[ours[token] for token in source] for source in SOURCES]
    expected = [
        [ours[token] for token in greedy(cut, source, adopted, length_limit(source, folder.config.max_tokens))]
        for source in SOURCES
    ]
    assert len({tuple(ids) for ids in expected}) > 1
    letters = Letters(len(adopted.order))
    for engine in (TorchEngine.load(folder, dtype=torch.float64), OnnxEngine(folder, threads=1, precision="fp32")):
        for name in POLICIES:
            options = DecodeOptions(policy=name)
            decoded = [decode_batch(engine, [source], letters, options)[0].ids for source in encoded]
            assert decoded == expected


def greedy(model: Any, source: list[int], adopted: Adopted, limit: int) -> list[int]:
    pad, start, eos = adopted.order[:3]
    target: list[int] = []
    while len(target) < limit:
        logits = hugging_face_logits(model, [*source, eos], [start, *target])[-1]
        logits[pad] = -torch.inf  # its own project never writes it either
        best = int(logits.argmax())
        if best == eos:
            break
        target.append(best)
    return target


@pytest.mark.parametrize("stored", ["pickle", "bare", "half"])
def test_other_ways_to_store_the_same_weights(stored, tmp_path):
    """As a pickle with every tied tensor; without a head, as BART itself was published; in half precision."""
    model = foreign.make_bart()
    model.final_logits_bias.zero_()
    model.save_pretrained(tmp_path / "source")
    weights = tmp_path / "source" / "model.safetensors"
    if stored == "pickle":
        torch.save(model.state_dict(), tmp_path / "source" / "pytorch_model.bin")
        weights.unlink()
    elif stored == "bare":
        tensors = load_file(weights)
        tensors.pop("final_logits_bias")
        save_file({name.removeprefix("model."): tensor for name, tensor in tensors.items()}, weights)
    else:
        save_file({name: tensor.half() for name, tensor in load_file(weights).items()}, weights)
        model = model.half().float()
    folder, adopted = adopt(tmp_path / "source", tmp_path / "target", *DEPTHS["whole"])
    expect_equal(folder, adopted, lambda source, target: hugging_face_logits(model, source, target))
    kinds = {tensor.dtype for name, tensor in folder.tensors.items() if name != "output.bias"}
    assert kinds == {"F16" if stored == "half" else "F32"}


FAIRSEQ: dict[str, dict[str, Any]] = {
    "post": {},
    "pre": {"encoder_normalize_before": True, "decoder_normalize_before": True, "activation_fn": "gelu"},
    "bart": {
        "arch": "bart_large",
        "encoder_learned_pos": True,
        "decoder_learned_pos": True,
        "layernorm_embedding": True,
        "no_scale_embedding": True,
        "activation_fn": "gelu",
        "task": "denoising",
    },
    "untied": {"share_decoder_input_output_embed": False},
}


class FairseqReference:
    """What fairseq computes, written down plainly: one sentence, no cache, layer by layer."""

    def __init__(self, checkpoint: Mapping[str, Any], encoder: Sequence[int], decoder: Sequence[int]) -> None:
        self.tensors, self.settings = checkpoint["model"], vars(checkpoint["args"])
        self.layers = {"encoder": encoder, "decoder": decoder}
        self.pre = bool(self.settings.get("encoder_normalize_before"))

    def __call__(self, source: list[int], target: list[int]) -> Tensor:
        memory = self.stack("encoder", source, None)
        return self.stack("decoder", target, memory) @ self.tensors["decoder.output_projection.weight"].T

    def linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]

    def norm(self, name: str, x: Tensor) -> Tensor:
        centred = x - x.mean(-1, keepdim=True)
        scaled = centred / (x.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt()
        return scaled * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]

    def positions(self, side: str, count: int) -> Tensor:
        places = [PAD + 1 + index for index in range(count)]
        if self.settings.get("encoder_learned_pos"):
            return self.tensors[f"{side}.embed_positions.weight"][places]
        half = WIDTH // 2
        rates = [10_000 ** -(index / (half - 1)) for index in range(half)]
        waves = [
            [math.sin(place * rate) for rate in rates] + [math.cos(place * rate) for rate in rates] for place in places
        ]
        return torch.tensor(waves)

    def attend(self, name: str, x: Tensor, memory: Tensor, causal: bool) -> Tensor:
        queries, keys, values = (
            self.linear(f"{name}.{part}_proj", given).view(len(given), HEADS, -1).transpose(0, 1)
            for part, given in (("q", x), ("k", memory), ("v", memory))
        )
        scores = queries @ keys.transpose(1, 2) / math.sqrt(WIDTH // HEADS)
        if causal:
            scores = scores.masked_fill(torch.ones(len(x), len(memory)).triu(1).bool(), -torch.inf)
        return self.linear(f"{name}.out_proj", (scores.softmax(-1) @ values).transpose(0, 1).reshape(len(x), WIDTH))

    def stack(self, side: str, ids: list[int], memory: Tensor | None) -> Tensor:
        x = self.tensors[f"{side}.embed_tokens.weight"][ids]
        x = x if self.settings.get("no_scale_embedding") else x * math.sqrt(WIDTH)
        x = x + self.positions(side, len(ids))
        if self.settings.get("layernorm_embedding"):
            x = self.norm(f"{side}.layernorm_embedding", x)
        for index in self.layers[side]:
            x = self.layer(f"{side}.layers.{index}", x, memory)
        return self.norm(f"{side}.layer_norm", x) if self.pre else x

    def layer(self, name: str, x: Tensor, memory: Tensor | None) -> Tensor:
        activation = F.gelu if self.settings.get("activation_fn") == "gelu" else F.relu

        def feed_forward(x: Tensor) -> Tensor:
            return self.linear(f"{name}.fc2", activation(self.linear(f"{name}.fc1", x)))

        blocks = [("self_attn_layer_norm", lambda x: self.attend(f"{name}.self_attn", x, x, memory is not None))]
        if memory is not None:
            blocks.append(
                ("encoder_attn_layer_norm", lambda x: self.attend(f"{name}.encoder_attn", x, memory, causal=False))
            )
        for norm, block in [*blocks, ("final_layer_norm", feed_forward)]:
            x = x + block(self.norm(f"{name}.{norm}", x)) if self.pre else self.norm(f"{name}.{norm}", x + block(x))
        return x


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("kind", FAIRSEQ)
def test_a_fairseq_model_computes_the_same_here(kind, depth, tmp_path):
    checkpoint = foreign.make_fairseq(**FAIRSEQ[kind])
    (tmp_path / "source").mkdir()
    torch.save(checkpoint, tmp_path / "source" / "checkpoint_best.pt")
    folder, adopted = adopt(tmp_path / "source", tmp_path / "target", *DEPTHS[depth])
    expect_equal(folder, adopted, FairseqReference(checkpoint, *DEPTHS[depth]))
    assert folder.config.tie_output == (kind != "untied")
    assert (adopted.lead is not None) == (kind == "bart")


def test_an_old_fairseq_checkpoint_has_its_projections_in_one_tensor(tmp_path):
    checkpoint = foreign.make_fairseq()
    expected = FairseqReference({**checkpoint, "model": dict(checkpoint["model"])}, *DEPTHS["whole"])
    tensors = checkpoint["model"]
    for name in [name for name in tensors if ".q_proj." in name]:
        head, kind = name.split(".q_proj.")
        tensors[f"{head}.in_proj_{kind}"] = torch.cat([tensors.pop(f"{head}.{part}_proj.{kind}") for part in "qkv"])
    torch.save({"cfg": {"model": checkpoint["args"]}, "model": tensors}, tmp_path / "old.pt")
    folder, adopted = adopt(tmp_path / "old.pt", tmp_path / "target", *DEPTHS["whole"])
    expect_equal(folder, adopted, expected)


def test_our_ids_come_first_and_every_other_token_stays():
    def source(pad: int, start: int, eos: int) -> tuple[int, ...]:
        model = foreign.make_bart(vocabulary=8, pad_token_id=pad, decoder_start_token_id=start, eos_token_id=eos)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("redraft.model.foreign_model._hugging_face_tensors", lambda _: strip(model.state_dict()))
            patch.setattr("redraft.model.foreign_model._read_json", lambda _: model.config.to_dict())
            patch.setattr(Path, "is_file", lambda _: True)
            return renumber(read(Path("any"))).order

    assert source(1, 2, 2) == (1, 2, 2, 0, 3, 4, 5, 6, 7)
    assert source(7, 7, 0) == (7, 7, 0, 1, 2, 3, 4, 5, 6)
    assert source(1, 0, 2) == (1, 0, 2, 3, 4, 5, 6, 7)


def strip(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix("model."): tensor for name, tensor in tensors.items()}


def test_sentences_begin_as_in_the_source_unless_set_otherwise(tmp_path):
    foreign.make_bart().save_pretrained(tmp_path / "bart")
    foreign.make_marian().save_pretrained(tmp_path / "marian")
    bart, marian = read(tmp_path / "bart"), read(tmp_path / "marian")
    assert renumber(bart).lead == renumber(bart).order.index(0)
    assert renumber(bart, lead=False).lead is None
    assert renumber(marian).lead is None
    with pytest.raises(ConfigError, match="<s>"):
        renumber(marian, lead=True)


@given(available=st.integers(1, 24), data=st.data())
def test_spread_layers_reach_from_the_first_to_the_last(available, data):
    wanted = data.draw(st.integers(1, available))
    kept = choose_layers(wanted, available, "spread")
    assert len(kept) == wanted == len(set(kept))
    assert kept == sorted(kept)
    assert kept[0] == 0
    if wanted > 1:
        assert kept[-1] == available - 1
        step = Fraction(available - 1, wanted - 1)
        assert all(abs(layer - index * step) <= Fraction(1, 2) for index, layer in enumerate(kept))


def test_a_number_means_the_first_layers_and_a_list_those_named():
    assert choose_layers(2, 12) == [0, 1]
    assert choose_layers(None, 3) == [0, 1, 2]
    assert choose_layers([0, 5, 11], 12) == [0, 5, 11]
    assert choose_layers(3, 12, "spread") == [0, 6, 11]


@pytest.mark.parametrize("wanted", [0, 13, [], [3, 1], [2, 2], [-1, 2], [0, 12]])
def test_layers_that_do_not_exist_cannot_be_kept(wanted):
    with pytest.raises(ConfigError):
        choose_layers(wanted, 12)


def test_an_unknown_rule_is_refused():
    with pytest.raises(ConfigError, match="first or spread"):
        choose_layers(2, 12, "last")


def test_a_special_id_outside_the_vocabulary_is_refused(tmp_path):
    foreign.make_bart().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="special ids"):
        renumber(replace(read(tmp_path), pad=40))


def test_a_folder_that_is_not_empty_is_not_written_to(tmp_path):
    foreign.make_bart().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="not empty"):
        write(tmp_path, renumber(read(tmp_path)), ModelInfo("adopted", "en"), "")
