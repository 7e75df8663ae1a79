"""The same network in Hugging Face transformers, CTranslate2 and Redraft, timed on the same sentences.

The two other libraries have no rotary positions in cross-attention. So all three run the model's weights with
sinusoidal positions added to the embeddings (`models.write_sinusoidal`). The output of that network makes no sense, so
the output of the original model is forced on it, and Redraft makes the decoder calls of the original model.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from redraft.decode.stepper import Feed
from redraft.engines.onnx import OnnxEngine
from redraft.engines.opening import open_engine
from redraft.errors import ConfigError
from redraft.lab.bench.forced_decoding import BEAMS, ForcedDecoding
from redraft.lab.bench.hugging_face import describe_shape
from redraft.lab.bench.identity import GREEDY
from redraft.lab.bench.machine import count_threads
from redraft.lab.bench.models import write_sinusoidal
from redraft.lab.bench.teacher_forcing import TokenPair
from redraft.lab.bench.timing import Method, processor_ratio, ratio, take_turns
from redraft.lab.data.pair import Pair
from redraft.model.catalogue import locate
from redraft.model.folder import GRAPHS, ModelFolder
from redraft.tokens.tokenizer import BOS, Tokenizer

if TYPE_CHECKING:
    import torch

SENTENCES = 40
PAPER, OURS = "suffix", "refine"
BASELINE = f"redraft int8 {OURS}"
_CERTAIN = 1e4
"""Added to the score of the token to force."""
_COMPARED_SENTENCES = 4
Tensors = Mapping[str, npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Peer:
    """A library that has loaded the model."""

    methods: dict[str, Method]
    score: Callable[[TokenPair], list[float]]
    """The log-probability of each token of the forced output and of its end."""


def run(
    model: str, samples: Sequence[Pair], threads: int = 0, advance: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Times every library on every sentence. `advance` is called after each sentence."""
    threads = count_threads(threads)
    trained = ModelFolder.open(locate(model), verify=False)
    with tempfile.TemporaryDirectory() as place:
        forced = ForcedDecoding.from_model(
            open_engine(trained, threads=threads), Tokenizer.load(trained.tokenizer), samples
        )
        folder = write_sinusoidal(trained, Path(place) / "model")
        weights = read_weights(folder)
        peers = {
            "redraft": open_redraft(folder, forced, threads),
            "transformers": open_transformers(folder, weights, forced.pairs, threads),
            "ctranslate2": open_ctranslate2(folder, weights, forced.pairs, threads, Path(place) / "ctranslate2"),
        }
        differences = _compare(peers, forced.pairs[:_COMPARED_SENTENCES])
        methods = {name: method for peer in peers.values() for name, method in peer.methods.items()}
        timings = take_turns(methods, len(forced.pairs), advance)
    return {
        "sentences": len(forced.pairs),
        "shape": folder.config.to_mapping(),
        "methods": {name: timing.to_mapping() for name, timing in timings.items()},
        "relative_time": {name: ratio(timing, timings[BASELINE]) for name, timing in timings.items()},
        "relative_processor_time": {
            name: processor_ratio(timing, timings[BASELINE]) for name, timing in timings.items()
        },
        "log_probability_difference": differences,
    }


def open_redraft(folder: ModelFolder, forced: ForcedDecoding, threads: int) -> Peer:
    """Redraft in both precisions on its fastest engine, and on ONNX Runtime if that is another one."""
    engines = {precision: open_engine(folder, threads=threads, precision=precision) for precision in GRAPHS}
    methods: dict[str, Method] = {}
    for precision, engine in engines.items():
        methods |= forced.decoding_methods(f"redraft {precision}", engine, (GREEDY, PAPER, OURS))
    if not isinstance(engines["int8"], OnnxEngine):
        methods |= forced.decoding_methods("redraft onnx int8", OnnxEngine(folder, threads, "int8"), (GREEDY, OURS))
    methods[f"redraft int8 beam {BEAMS}"] = forced.beam_search_method(engines["int8"])

    def score(pair: TokenPair) -> list[float]:
        """The full ranking of every step contains the log-probability of the forced token."""
        stepper = engines["fp32"].start([pair.source])
        found = []
        for before, token in zip([BOS, *pair.reference], [*pair.reference, folder.eos], strict=True):
            (ranking,) = stepper.rank([Feed(0, [before])], folder.config.vocabulary)
            found.append(ranking.log_probabilities[list(ranking.ids).index(token)])
        return found

    return Peer(methods, score)


def read_weights(folder: ModelFolder) -> Tensors:
    """All weights in single precision, as both libraries take them."""
    from safetensors.torch import load_file

    from redraft.model.transformer import dequantize

    return {name: weight.float().numpy() for name, weight in dequantize(load_file(folder.weights)).items()}


def _positions(folder: ModelFolder) -> npt.NDArray[np.float32]:
    import torch

    from redraft.model.transformer import sinusoids

    return sinusoids(torch.arange(folder.config.table_rows), folder.config.width).numpy()


def load_pegasus(folder: ModelFolder, weights: Tensors, threads: int) -> Any:
    """The network in Hugging Face transformers. Pegasus has the same architecture: pre-norm layers, added positions."""
    import torch
    from transformers import PegasusConfig, PegasusForConditionalGeneration

    config = folder.config
    shape = PegasusConfig(
        **describe_shape(config),
        max_position_embeddings=config.table_rows,
        activation_function=config.activation,
        scale_embedding=config.scale_embedding,
        bos_token_id=BOS,
        eos_token_id=folder.eos,
        decoder_start_token_id=BOS,
        forced_eos_token_id=None,
    )
    torch.set_num_threads(threads)
    network = PegasusForConditionalGeneration(shape).eval()
    given = {name: torch.from_numpy(weight) for name, weight in _rename(folder, weights).items()}
    missing, unknown = network.load_state_dict(given, strict=False)
    # The output layer is the embedding table, and its bias is initialized with zeros.
    known = ("embed_tokens.weight", "lm_head.weight", "final_logits_bias")
    if unknown or any(not name.endswith(known) for name in missing):
        raise ConfigError(f"this version of transformers has other weights: {(*unknown, *missing)[0]}")
    return network


def open_transformers(folder: ModelFolder, weights: Tensors, pairs: Sequence[TokenPair], threads: int) -> Peer:
    """Hugging Face transformers, forced to write the output."""
    import torch
    from transformers import LogitsProcessor, LogitsProcessorList

    bos, eos = BOS, folder.eos
    network = load_pegasus(folder, weights, threads)

    class ForcedTokens(LogitsProcessor):  # type: ignore[misc]
        def __init__(self, output: Sequence[int]) -> None:
            self._output = output

        def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
            scores[:, self._output[input_ids.shape[1] - 1]] += _CERTAIN
            return scores

    def generate(beams: int) -> Method:
        @torch.inference_mode()
        def decode(number: int) -> int:
            source, output = [*pairs[number].source, eos], [*pairs[number].reference, eos]
            written = network.generate(
                torch.tensor([source]),
                num_beams=beams,
                do_sample=False,
                max_new_tokens=len(output),
                logits_processor=LogitsProcessorList([ForcedTokens(output)]),
            )[0, 1:].tolist()
            if written[: len(output)] != output:
                raise ConfigError("transformers did not write the forced output; install another version of it")
            return len(output)

        return decode

    @torch.inference_mode()
    def score(pair: TokenPair) -> list[float]:
        source, target = torch.tensor([[*pair.source, eos]]), torch.tensor([[bos, *pair.reference]])
        logits = network(input_ids=source, decoder_input_ids=target).logits[0].log_softmax(-1)
        return [float(row[token]) for row, token in zip(logits, [*pair.reference, eos], strict=True)]

    return Peer({"transformers greedy": generate(1), f"transformers beam {BEAMS}": generate(BEAMS)}, score)


def _rename(folder: ModelFolder, weights: Tensors) -> dict[str, npt.NDArray[np.float32]]:
    """The tensors under the names that Pegasus has for them."""
    renamed = {"model.shared.weight": weights["embedding.weight"]}
    single = {
        "self_attention.out": "self_attn.out_proj",
        "self_norm": "self_attn_layer_norm",
        "cross_attention.query": "encoder_attn.q_proj",
        "cross_attention.out": "encoder_attn.out_proj",
        "cross_norm": "encoder_attn_layer_norm",
        "ffn.up": "fc1",
        "ffn.down": "fc2",
        "ffn_norm": "final_layer_norm",
    }
    joined = {"self_attention.qkv": ("self_attn", "qkv"), "cross_attention.key_value": ("encoder_attn", "kv")}
    for name, weight in weights.items():
        stem, _, kind = name.rpartition(".")
        side, _, inner = stem.partition(".")
        if inner == "norm":
            renamed[f"model.{side}.layer_norm.{kind}"] = weight
        if not inner.startswith("layers."):
            continue
        _, index, part = inner.split(".", 2)
        if part in single:
            renamed[f"model.{side}.layers.{index}.{single[part]}.{kind}"] = weight
        else:
            block, letters = joined[part]
            for letter, piece in zip(letters, np.split(weight, len(letters)), strict=True):
                renamed[f"model.{side}.layers.{index}.{block}.{letter}_proj.{kind}"] = piece
    table = _positions(folder)
    return {**renamed, **{f"model.{side}.embed_positions.weight": table for side in ("encoder", "decoder")}}


def open_ctranslate2(
    folder: ModelFolder, weights: Tensors, pairs: Sequence[TokenPair], threads: int, path: Path
) -> Peer:
    """CTranslate2 in 8-bit integers, its fastest mode on a CPU.

    It skips computation when tokens are forced. So it decodes freely, but must write as many tokens as the others.
    """
    import ctranslate2

    write_ctranslate(folder, weights, path)
    translator = ctranslate2.Translator(
        str(path), device="cpu", compute_type="int8", inter_threads=1, intra_threads=threads
    )

    def translate(beams: int) -> Method:
        def decode(number: int) -> int:
            tokens = [token_name(index) for index in (*pairs[number].source, folder.eos)]
            length = len(pairs[number].reference)
            # It may skip the step for the end of the sentence, which the others make: a slight advantage for it.
            translator.translate_batch(
                [tokens], beam_size=beams, min_decoding_length=length, max_decoding_length=length
            )
            return length + 1

        return decode

    def score(pair: TokenPair) -> list[float]:
        source = [token_name(index) for index in (*pair.source, folder.eos)]
        (scored,) = translator.score_batch([source], [[token_name(index) for index in pair.reference]])
        return list(scored.log_probs)

    return Peer({"ctranslate2 int8 greedy": translate(1), f"ctranslate2 int8 beam {BEAMS}": translate(BEAMS)}, score)


def token_name(index: int) -> str:
    return f"token{index}"


def write_ctranslate(folder: ModelFolder, weights: Tensors, path: Path) -> None:
    from ctranslate2.specs import TransformerSpec, common_spec

    config = folder.config
    activations = {
        "relu": common_spec.Activation.RELU,
        "gelu": common_spec.Activation.GELU,
        "swish": common_spec.Activation.SWISH,
    }
    spec = TransformerSpec.from_config(
        (config.encoder_layers, config.decoder_layers),
        config.heads,
        pre_norm=True,
        activation=activations[config.activation],
    )

    def fill(part: Any, name: str) -> None:
        part.weight, part.bias = weights[f"{name}.weight"], weights[f"{name}.bias"]

    def fill_norm(part: Any, name: str) -> None:
        part.gamma, part.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]

    def fill_attention(part: Any, norm: str, *names: str) -> None:
        fill_norm(part.layer_norm, norm)
        for linear, name in zip(part.linear, names, strict=True):
            fill(linear, name)

    for side, stack in (("encoder", spec.encoder), ("decoder", spec.decoder)):
        stack.scale_embeddings = config.scale_embedding
        embeddings = stack.embeddings[0] if isinstance(stack.embeddings, list) else stack.embeddings
        embeddings.weight = weights["embedding.weight"]
        stack.position_encodings.encodings = _positions(folder)
        fill_norm(stack.layer_norm, f"{side}.norm")
        for index, layer in enumerate(stack.layer):
            name = f"{side}.layers.{index}"
            own, cross = f"{name}.self_attention", f"{name}.cross_attention"
            fill_attention(layer.self_attention, f"{name}.self_norm", f"{own}.qkv", f"{own}.out")
            if side == "decoder":
                names = (f"{cross}.query", f"{cross}.key_value", f"{cross}.out")
                fill_attention(layer.attention, f"{name}.cross_norm", *names)
            fill_norm(layer.ffn.layer_norm, f"{name}.ffn_norm")
            fill(layer.ffn.linear_0, f"{name}.ffn.up")
            fill(layer.ffn.linear_1, f"{name}.ffn.down")
    spec.decoder.projection.weight = weights["embedding.weight"]
    vocabulary = [token_name(index) for index in range(config.vocabulary)]
    spec.register_source_vocabulary(vocabulary)
    spec.register_target_vocabulary(vocabulary)
    spec.config.bos_token = spec.config.decoder_start_token = token_name(BOS)
    spec.config.eos_token, spec.config.unk_token = token_name(folder.eos), token_name(0)
    spec.config.add_source_eos = False
    spec.validate()
    spec.optimize(quantization="int8")
    path.mkdir()
    spec.save(str(path))


def _compare(peers: Mapping[str, Peer], pairs: Sequence[TokenPair]) -> dict[str, Any]:
    """Differences of the log-probabilities of the forced output from Redraft's in single precision.

    They show that it is the same network.
    """
    ours = [peers["redraft"].score(pair) for pair in pairs]
    report = {}
    for name, peer in peers.items():
        theirs = [peer.score(pair) for pair in pairs]
        differences = np.abs(np.concatenate(ours) - np.concatenate(theirs))
        report[name] = {"mean": round(float(differences.mean()), 5), "largest": round(float(differences.max()), 5)}
    return report
