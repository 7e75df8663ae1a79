"""Converts another project's byte-level BPE to a tokenizer of ours, with the ids in the order of the adopted weights.

It reads Hugging Face's tokenizer.json, or vocab.json and merges.txt, and fairseq's dict.txt with GPT-2's encoder.json
and vocab.bpe. SentencePiece and subword-nmt are refused: they cannot decode every text exactly, as our tokenizers must.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from redraft.errors import InputError
from redraft.tokens.tokenizer import SPECIALS, Tokenizer
from redraft.tokens.tokenizer_file import check_parts, template

_FAIRSEQ_SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")
_PLAIN = {
    ("normalizer",): None,
    ("pre_tokenizer", "type"): "ByteLevel",
    ("pre_tokenizer", "use_regex"): True,
    ("decoder", "type"): "ByteLevel",
    ("model", "type"): "BPE",
    ("model", "dropout"): None,
    ("model", "ignore_merges"): False,
}
"""Values that a tokenizer.json must have where it has the key."""


@dataclass(frozen=True, slots=True)
class BytePairs:
    """Byte-level BPE with the ids of the source."""

    tokens: Mapping[int, str]
    merges: list[tuple[str, str]]
    prefix_space: bool
    """Whether a space is put before every text."""


def adopt_tokenizer(folder: Path, order: Sequence[int], lead: int | None) -> Tokenizer:
    """The tokenizer in a folder with our ids: `order` lists the folder's id of each of ours.

    `lead` is our id of the token that every sentence begins with, if any.
    """
    pairs = read_pairs(folder)
    known = set(order)
    strange = sorted(set(pairs.tokens) - known)
    if strange:
        raise InputError(f"{folder}: {pairs.tokens[strange[0]]!r} is token {strange[0]}, which the weights do not have")
    rest = [pairs.tokens.get(index, f"<unused{index}>") for index in order[len(SPECIALS) :]]
    vocabulary = {token: index for index, token in enumerate([*SPECIALS, *rest])}
    if len(vocabulary) != len(order):
        raise InputError(f"{folder}: two of the tokens have the same name")
    _check_alphabet(folder, vocabulary)
    # fairseq may have left out rare tokens; merges that lead to them are left out.
    merges = [pair for pair in pairs.merges if {*pair, "".join(pair)} <= vocabulary.keys()]
    inner = tokenizers.Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=pairs.prefix_space)
    inner.decoder = decoders.ByteLevel()
    if lead is not None:
        token = [*SPECIALS, *rest][lead]
        inner.post_processor = template(token, lead)
    return Tokenizer(inner)


def read_pairs(folder: Path) -> BytePairs:
    names = {path.name for path in folder.iterdir()}
    if "tokenizer.json" in names:
        return _read_tokenizer_file(folder / "tokenizer.json")
    if {"vocab.json", "merges.txt"} <= names:
        settings = _read_json(folder / "tokenizer_config.json") if "tokenizer_config.json" in names else {}
        vocabulary = _read_json(folder / "vocab.json")
        tokens = {index: token for token, index in vocabulary.items()}
        return BytePairs(tokens, _read_merges(folder / "merges.txt"), bool(settings.get("add_prefix_space")))
    dictionaries = sorted(folder / name for name in names if name.startswith("dict.") and name.endswith(".txt"))
    if dictionaries and {"encoder.json", "vocab.bpe"} <= names:
        return _read_fairseq(dictionaries, folder)
    raise InputError(
        f"{folder} has no byte-level BPE (tokenizer.json, vocab.json with merges.txt, or dict.txt with encoder.json "
        "and vocab.bpe); other kinds, such as SentencePiece, cannot decode every text exactly"
    )


def _read_tokenizer_file(path: Path) -> BytePairs:
    description = _read_json(path)
    try:
        check_parts(description, _PLAIN)
    except ValueError as error:
        raise InputError(f"{path} is not plain byte-level BPE: {error}") from None
    model = description["model"]
    tokens = {index: token for token, index in model["vocab"].items()}
    tokens |= {added["id"]: added["content"] for added in description.get("added_tokens", ())}
    merges = [tuple(pair.split(" ") if isinstance(pair, str) else pair) for pair in model["merges"]]
    return BytePairs(tokens, merges, bool(description["pre_tokenizer"].get("add_prefix_space")))


def _read_fairseq(dictionaries: Sequence[Path], folder: Path) -> BytePairs:
    """The tokens of a dictionary are GPT-2's ids, and a few words that fill it up."""
    lines = {path.read_text(encoding="utf-8") for path in dictionaries}
    if len(lines) > 1:
        raise InputError(f"{folder}: source and target have different dictionaries; only a shared one is supported")
    names = {str(index): token for token, index in _read_json(folder / "encoder.json").items()}
    entries = [line.split(" ")[0] for line in lines.pop().splitlines()]
    if not names.keys() & set(entries):
        raise InputError(f"{dictionaries[0]} does not list the ids of {folder / 'encoder.json'}")
    tokens = [*_FAIRSEQ_SPECIALS, *(names.get(entry, entry) for entry in entries)]
    return BytePairs(dict(enumerate(tokens)), _read_merges(folder / "vocab.bpe"), prefix_space=False)


def _read_merges(path: Path) -> list[tuple[str, str]]:
    merges: list[tuple[str, str]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line or (number == 1 and line.startswith("#version")):
            continue
        left, _, right = line.rstrip("\r").partition(" ")
        if not right or " " in right:
            raise InputError(f"{path}:{number}: a merge is two tokens with a space between them")
        merges.append((left, right))
    return merges


def _check_alphabet(folder: Path, vocabulary: Mapping[str, int]) -> None:
    alphabet = set(pre_tokenizers.ByteLevel.alphabet())
    missing = sorted(alphabet - vocabulary.keys())
    if missing:
        raise InputError(f"{folder}: {len(missing)} of the 256 bytes have no token, so not every text could be encoded")
    strange = [token for token in vocabulary if not set(token) <= alphabet]
    if strange:
        raise InputError(f"{folder}: the token {strange[0]!r} is not written in the alphabet of byte-level BPE")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(values, dict):
        raise InputError(f"{path} must hold a JSON object")
    return values
