"""Small random models and a tokenizer as other projects store them."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from torch import Tensor, nn

transformers = pytest.importorskip("transformers", reason="transformers, which the development group names, is missing")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

BART_SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
TEXT = ["She goes to school every day, doesn't she?", "Many a café serves naïve coffee; 24 of them do.", "the the cat"]
WIDTH, INNER, HEADS, POSITIONS, VOCABULARY, PAD = 16, 24, 2, 30, 40, 1
"""Shape of the fairseq checkpoint."""
SHAPE = {
    "d_model": 16,
    "encoder_layers": 4,
    "decoder_layers": 3,
    "encoder_ffn_dim": 24,
    "decoder_ffn_dim": 24,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "max_position_embeddings": 30,
    "init_std": 0.2,
}


def make_bart(vocabulary: int = 40, **changes: Any) -> Any:
    return _make(
        transformers.BartForConditionalGeneration,
        transformers.BartConfig(vocab_size=vocabulary, **{**SHAPE, **changes}),
    )


def make_marian(vocabulary: int = 40, **changes: Any) -> Any:
    pad = vocabulary - 1
    ids = {"pad_token_id": pad, "eos_token_id": 0, "decoder_start_token_id": pad}
    style = {"activation_function": "swish", "scale_embedding": True}
    config = transformers.MarianConfig(vocab_size=vocabulary, **{**SHAPE, **ids, **style, **changes})
    return _make(transformers.MarianMTModel, config)


def _make(kind: Any, config: Any) -> Any:
    """No number stays at the zero or one it is born with, or a tensor in the wrong place would go unnoticed."""
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(3)
        model = kind(config)
        for value in (*filter(lambda value: value.requires_grad, model.parameters()), model.final_logits_bias):
            value.add_(0.2 * torch.randn(value.shape))
    return model.eval()


def make_fairseq(**changes: Any) -> dict[str, Any]:
    """A checkpoint of a random Transformer, with these settings changed."""
    settings = {
        "arch": "transformer_wmt_en_de_big",
        "encoder_embed_dim": WIDTH,
        "encoder_ffn_embed_dim": INNER,
        "decoder_ffn_embed_dim": INNER,
        "encoder_attention_heads": HEADS,
        "decoder_attention_heads": HEADS,
        "max_source_positions": POSITIONS,
        "max_target_positions": POSITIONS,
        "share_decoder_input_output_embed": True,
        **changes,
    }
    draw = torch.Generator().manual_seed(8)
    tensors: dict[str, Tensor] = {}

    def add(name: str, *shape: int) -> None:
        tensors[f"{name}.weight"] = 0.4 * torch.randn(shape, generator=draw)
        if not name.endswith(("embed_tokens", "embed_positions", "output_projection")):
            tensors[f"{name}.bias"] = 0.4 * torch.randn(shape[0], generator=draw)

    for side, depth in (("encoder", 4), ("decoder", 3)):
        add(f"{side}.embed_tokens", VOCABULARY, WIDTH)
        tensors[f"{side}.version"] = torch.tensor([3.0])
        if settings.get("encoder_learned_pos"):
            add(f"{side}.embed_positions", POSITIONS + PAD + 1, WIDTH)
        else:
            tensors[f"{side}.embed_positions._float_tensor"] = torch.zeros(1)
        if settings.get("layernorm_embedding"):
            add(f"{side}.layernorm_embedding", WIDTH)
        if settings.get("encoder_normalize_before"):
            add(f"{side}.layer_norm", WIDTH)
        for index in range(depth):
            layer = f"{side}.layers.{index}"
            for attention in ("self_attn", "encoder_attn")[: 1 if side == "encoder" else 2]:
                for part in "qkv":
                    add(f"{layer}.{attention}.{part}_proj", WIDTH, WIDTH)
                add(f"{layer}.{attention}.out_proj", WIDTH, WIDTH)
                add(f"{layer}.{attention}_layer_norm", WIDTH)
            add(f"{layer}.fc1", INNER, WIDTH)
            add(f"{layer}.fc2", WIDTH, INNER)
            add(f"{layer}.final_layer_norm", WIDTH)
    tensors["decoder.embed_tokens.weight"] = tensors["encoder.embed_tokens.weight"]
    tensors["decoder.output_projection.weight"] = tensors["encoder.embed_tokens.weight"]
    if not settings["share_decoder_input_output_embed"]:
        add("decoder.output_projection", VOCABULARY, WIDTH)
    return {"args": Namespace(**settings), "model": tensors, "extra_state": {"epoch": 3}}


def cut(model: Any, encoder: list[int], decoder: list[int]) -> Any:
    """The same model with some of its layers, as its own project would run it."""
    for stack, kept in ((model.model.encoder, encoder), (model.model.decoder, decoder)):
        stack.layers = nn.ModuleList([stack.layers[index] for index in kept])
    return model


def train_bytes(specials: list[str], size: int = 320) -> Tokenizer:
    """Byte-level BPE as GPT-2, BART and RoBERTa have it."""
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=specials,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    inner.train_from_iterator(TEXT * 3, trainer)
    return inner


def write_bart_tokenizer(folder: Path) -> Tokenizer:
    """Writes tokenizer.json, with BART's <mask> behind all else, and returns the tokenizer."""
    inner = train_bytes(BART_SPECIALS)
    inner.add_special_tokens(["<mask>"])
    inner.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    folder.mkdir(parents=True, exist_ok=True)
    inner.save(str(folder / "tokenizer.json"))
    return inner


def write_vocabulary(inner: Tokenizer, vocabulary: Path, merges: Path) -> None:
    """The two files that came before tokenizer.json."""
    description = json.loads(inner.to_str())
    vocabulary.write_text(json.dumps(inner.get_vocab()), encoding="utf-8")
    lines = ["#version: 0.2", *(" ".join(pair) for pair in description["model"]["merges"])]
    merges.write_text("\n".join(lines) + "\n", encoding="utf-8")
