"""Reads tokenizer.json files in which text and ids map to each other exactly, and refuses all others.

Two kinds are known: byte-level BPE, and characters with byte fallback. Parts that would change the mapping (normalizer,
added tokens, truncation, padding, dropout, unknown tokens, other pre-tokenizers) are refused. The tokenizer is built
from the vocabulary and the merges that were checked here, not from the file as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import decoders, models, pre_tokenizers, processors

from redraft.errors import ModelError, one_line
from redraft.strict_json import read_object

MOST_BYTES = 1 << 24
BYTE_TOKENS = tuple(f"<0x{byte:02X}>" for byte in range(256))
"""Tokens of single bytes, in a tokenizer of characters."""
LONGEST_TOKEN = 1024
"""In characters."""
_BYTE_LEVEL = {"type": "ByteLevel", "trim_offsets": True, "use_regex": True}
_DIGITS = {"type": "Digits", "individual_digits": True}
_CHARACTER_DECODER = {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}
_COMMON: dict[tuple[str, ...], Any] = {
    ("version",): "1.0",
    ("truncation",): None,
    ("padding",): None,
    ("added_tokens",): [],
    ("normalizer",): None,
    ("model", "type"): "BPE",
    ("model", "dropout"): None,
    ("model", "unk_token"): None,
    ("model", "continuing_subword_prefix"): None,
    ("model", "end_of_word_suffix"): None,
    ("model", "fuse_unk"): False,
    ("model", "ignore_merges"): False,
}
"""Parts of a tokenizer.json and the only value that each may have; a part that is left out has this value."""
_OF_CHARACTERS = {
    **_COMMON,
    ("pre_tokenizer",): None,
    ("post_processor",): None,
    ("decoder",): _CHARACTER_DECODER,
    ("model", "byte_fallback"): True,
    ("model", "merges"): [],
}
_OF_BYTES = {**_COMMON, ("decoder", "type"): "ByteLevel", ("model", "byte_fallback"): False}
_KNOWN = {keys[0] for keys in (*_OF_CHARACTERS, *_OF_BYTES)}
_KNOWN_OF_MODEL = {keys[1] for keys in _OF_CHARACTERS if keys[0] == "model"} | {"vocab"}


def read_tokenizer(path: Path, specials: Sequence[str]) -> tokenizers.Tokenizer:
    """The tokenizer in a file, whose first tokens must be `specials`. Raises ModelError for a file of another kind."""
    description = read_object(path, MOST_BYTES)
    try:
        return _build(description, specials)
    except ValueError as error:
        raise ModelError(f"{path} cannot be used: {one_line(error)}") from None


def check_parts(description: Mapping[str, Any], expected: Mapping[tuple[str, ...], Any]) -> None:
    """Raises ValueError for the first part whose value is not the expected one. A part may be left out."""
    for keys, wanted in expected.items():
        value: Any = description
        for key in keys:
            value = value.get(key, wanted) if isinstance(value, Mapping) else None
        if value != wanted:
            raise ValueError(f"its {'.'.join(keys)} is {one_line(repr(value), 60)}, not {wanted!r}")


def _build(description: Mapping[str, Any], specials: Sequence[str]) -> tokenizers.Tokenizer:
    model = description.get("model")
    if not isinstance(model, dict):
        raise ValueError("it has no model")
    unknown = [*(description.keys() - _KNOWN), *(f"model.{key}" for key in model.keys() - _KNOWN_OF_MODEL)]
    if unknown:
        raise ValueError(f"it has an unknown part {unknown[0][:60]!r}")
    decoder = description.get("decoder")
    by_bytes = isinstance(decoder, dict) and decoder.get("type") == "ByteLevel"
    check_parts(description, _OF_BYTES if by_bytes else _OF_CHARACTERS)
    vocabulary = _read_vocabulary(model.get("vocab"), specials)
    merges = _read_merges(model.get("merges"))
    try:
        inner = tokenizers.Tokenizer(models.BPE(vocab=vocabulary, merges=merges, byte_fallback=not by_bytes))
    except Exception as error:  # the library raises a bare Exception for a merge whose tokens the vocabulary lacks
        raise ValueError(f"its merges do not fit its vocabulary: {error}") from None
    if not by_bytes:
        _check_characters(vocabulary, specials)
        inner.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
        return inner
    _check_bytes(vocabulary)
    lead = _read_template(description.get("post_processor"), vocabulary)
    if {*specials, lead} & {left + right for left, right in merges}:
        raise ValueError("its merges make a special token out of text")
    inner.pre_tokenizer = _read_pre_tokenizer(description.get("pre_tokenizer"))
    inner.decoder = decoders.ByteLevel()
    if lead is not None:
        inner.post_processor = template(lead, vocabulary[lead])
    return inner


def template(token: str, index: int) -> processors.TemplateProcessing:
    """The post-processor that puts a token before every sentence."""
    return processors.TemplateProcessing(single=[token, "$A"], special_tokens=[(token, index)])


def _read_vocabulary(vocabulary: Any, specials: Sequence[str]) -> dict[str, int]:
    if not isinstance(vocabulary, dict) or set(map(type, vocabulary.values())) != {int}:
        raise ValueError("its vocabulary must be a table from tokens to ids")
    if sorted(vocabulary.values()) != list(range(len(vocabulary))):
        raise ValueError("the ids of its vocabulary must be 0, 1, 2 and so on, without gaps")
    if [vocabulary.get(token) for token in specials] != list(range(len(specials))):
        raise ValueError(f"the first tokens of its vocabulary must be {', '.join(specials)}")
    if any("\ud800" <= character <= "\udfff" for character in set("".join(vocabulary))):
        raise ValueError("a token has half of a surrogate pair")
    if "" in vocabulary or max(map(len, vocabulary)) > LONGEST_TOKEN:
        raise ValueError(f"a token must have 1 to {LONGEST_TOKEN} characters")
    return vocabulary


def _read_merges(merges: Any) -> list[tuple[str, str]]:
    """Pairs of tokens; older files have them as one text with a space."""
    if not isinstance(merges, list):
        raise ValueError("its merges must be a list")
    if not all(type(pair) is list and len(pair) == 2 for pair in merges):
        merges = [pair.split(" ") if isinstance(pair, str) else pair for pair in merges]
        if not all(type(pair) is list and len(pair) == 2 for pair in merges):
            raise ValueError("a merge must be two tokens")
    if not all(type(left) is type(right) is str for left, right in merges):
        raise ValueError("a merge must be two tokens")
    return list(map(tuple, merges))


def _read_pre_tokenizer(part: Any) -> pre_tokenizers.PreTokenizer:
    """A plain ByteLevel, or one without a space in front, behind a splitter of digits."""
    for prefix in (False, True):
        if part == {**_BYTE_LEVEL, "add_prefix_space": prefix}:
            return pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    if part == {"type": "Sequence", "pretokenizers": [_DIGITS, {**_BYTE_LEVEL, "add_prefix_space": False}]}:
        return pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
    raise ValueError(f"its pre_tokenizer {one_line(repr(part), 60)} is not a known one")


def _read_template(part: Any, vocabulary: Mapping[str, int]) -> str | None:
    """The token that a post-processor puts before every sentence, and nothing else; None without a post-processor."""
    if part is None:
        return None
    try:
        token = part["single"][0]["SpecialToken"]["id"]
        expected = {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": token, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {token: {"id": token, "ids": [vocabulary[token]], "tokens": [token]}},
        }
        if part == expected:
            return str(token)
    except (KeyError, IndexError, TypeError):
        pass
    raise ValueError("its post_processor does not just put one token of the vocabulary before a sentence")


def _check_bytes(vocabulary: Mapping[str, int]) -> None:
    """Every byte has a token, and every token is written in the alphabet of bytes."""
    alphabet = set(pre_tokenizers.ByteLevel.alphabet())
    if not alphabet <= vocabulary.keys():
        raise ValueError("some of the 256 bytes have no token, so not every text could be read")
    if not set("".join(vocabulary)) <= alphabet:
        strange = next(token for token in vocabulary if not set(token) <= alphabet)
        raise ValueError(f"the token {strange[:60]!r} is not written in the alphabet of byte-level BPE")


def _check_characters(vocabulary: Mapping[str, int], specials: Sequence[str]) -> None:
    """Every byte has a token, and every other token is one character."""
    known = {*specials, *BYTE_TOKENS}
    if not known <= vocabulary.keys():
        raise ValueError("some of the 256 bytes have no token, so not every text could be read")
    strange = next((token for token in vocabulary if len(token) != 1 and token not in known), None)
    if strange is not None:
        raise ValueError(f"the token {strange[:60]!r} is neither a character nor a byte")
