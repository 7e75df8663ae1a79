"""Hostile model folders: each has one fault, and a manifest with the right checksums unless that is the fault.

`CASES` has a function for each fault, by name; it changes a copy of the good folder that `write_good_folder` makes.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from redraft.checksum import checksum
from redraft.model.config import ModelConfig
from redraft.model.folder import CARD, CONFIG, GRAPHS, MANIFEST, TOKENIZER, WEIGHTS, ModelInfo, scale_of, write_config

VOCABULARY = 3 + 256
CONFIG_OF_GOOD = ModelConfig(
    vocabulary=VOCABULARY, width=16, ffn=16, heads=2, encoder_layers=1, decoder_layers=1, max_tokens=32
)
UP = "encoder.layers.0.ffn.up.weight"
Case = Callable[[Path], object]  # the result is not used
CASES: dict[str, Case] = {}


def write_good_folder(path: Path) -> Path:
    """A model that opens on the native engine; its weights are random."""
    path.mkdir()
    random = np.random.default_rng(1)
    tensors: dict[str, np.ndarray[Any, Any]] = {}
    for name, shape in CONFIG_OF_GOOD.tensors():
        if len(shape) == 1:
            tensors[name] = np.full(shape, name.endswith("norm.weight"), dtype=np.float32)
        else:
            tensors[name] = random.integers(-127, 128, shape, dtype=np.int8)
            tensors[scale_of(name)] = np.full(shape[0], 0.01, dtype=np.float32)
    write_weights(path, tensors)
    write_config(path, ModelInfo("good", "en"), CONFIG_OF_GOOD)
    write_json(path / TOKENIZER, good_tokenizer())
    (path / CARD).write_text("A model for tests.\n")
    write_manifest(path)
    return path


def good_tokenizer() -> dict[str, Any]:
    """Byte-level BPE without merges."""
    vocabulary = ["<pad>", "<bos>", "<eos>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    inner = tokenizers.Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(vocabulary)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    return dict(json.loads(inner.to_str()))


def write_weights(path: Path, tensors: dict[str, np.ndarray[Any, Any]], header_changes: Any = None) -> None:
    """A safetensors file; `header_changes` changes its header, a dictionary, before it is written."""
    names = {np.dtype(np.int8): "I8", np.dtype(np.float16): "F16", np.dtype(np.float32): "F32"}
    header: dict[str, Any] = {}
    offset = 0
    for name, values in tensors.items():
        end = offset + values.nbytes
        header[name] = {"dtype": names[values.dtype], "shape": list(values.shape), "data_offsets": [offset, end]}
        offset = end
    if header_changes:
        header_changes(header)
    write_raw_weights(path, json.dumps(header).encode(), b"".join(values.tobytes() for values in tensors.values()))


def write_raw_weights(path: Path, header: bytes, data: bytes, length: int | None = None) -> None:
    size = struct.pack("<Q", len(header) if length is None else length)
    (path / WEIGHTS).write_bytes(size + header + data)


def read_weights(path: Path) -> tuple[dict[str, Any], bytes]:
    raw = (path / WEIGHTS).read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    return json.loads(raw[8 : 8 + size]), raw[8 + size :]


def write_json(path: Path, values: Any) -> None:
    path.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")


def write_manifest(path: Path, **changes: Any) -> None:
    present = [name for name in (CONFIG, WEIGHTS, TOKENIZER, CARD, *_graph_names()) if (path / name).is_file()]
    write_json(path / MANIFEST, {name: checksum(path / name) for name in present} | changes)


def _graph_names() -> list[str]:
    return [name for names in GRAPHS.values() for name in (names.encoder, names.decoder)]


def _add(name: str, change: Case, sealed: bool = True) -> None:
    def apply(path: Path) -> None:
        change(path)
        if sealed:
            write_manifest(path)

    assert name not in CASES
    CASES[name] = apply


# ---- config.json ----


def _change_config(part: str, **changes: Any) -> Case:
    def change(path: Path) -> None:
        values = json.loads((path / CONFIG).read_text())
        values[part] |= changes
        write_json(path / CONFIG, values)

    return change


def _write_config_text(text: str | bytes) -> Case:
    return lambda path: (path / CONFIG).write_bytes(text.encode() if isinstance(text, str) else text)


def _replace_in_config(old: str, new: str) -> Case:
    def change(path: Path) -> None:
        text = json.dumps(json.loads((path / CONFIG).read_text()))
        assert old in text
        (path / CONFIG).write_text(text.replace(old, new, 1))

    return change


_WRONG_VALUES: dict[str, list[Any]] = {
    "vocabulary": [0, 3, -1, 2**20 + 1, 2**63, True, "259", 259.0, [259], {}],
    "width": [0, -16, 2**63, 2**64 - 1, 16.5],
    "heads": [0, -2, 3, 16, 2**40],
    "ffn": [0, -1, 10**18],
    "encoder_layers": [0, -1, 201, 10**7, 2**63],
    "decoder_layers": [0, 201, 10**7],
    "max_tokens": [0, -1, 7, 8193, 2**31, 2**63, 2**63 - 1, 2**64],
    "position_offset": [-1, 2**63],
    "norm": ["middle", 1, ["pre"], "pre\nx"],
    "activation": ["relu6", 0],
    "positions": ["guessed", True],
    "scale_embedding": [1, "true"],
    "tie_output": [0, []],
    "widht": [16],
}
for _name, _values in _WRONG_VALUES.items():
    for _value in _values:
        _add(f"config {_name} = {str(_value)[:24]!r}", _change_config("model", **{_name: _value}))
_add("config without a vocabulary", _replace_in_config('"vocabulary": 259, ', ""))
_add("config with a null vocabulary", _change_config("model", vocabulary=None))
_add("config with a null width, so the default", _change_config("model", width=None))
_add("config with another shape than the weights", _change_config("model", ffn=32))
_add("config with more layers than the weights", _change_config("model", encoder_layers=200, decoder_layers=200))
_add("config that needs learned positions", _change_config("model", positions="learned"))
for _name, _value in {
    "name": 7,
    "language": "en\u001b[31m",
    "summary": "two\nlines",
    "licence": "x" * 2000,
    "threshold": 1.5,
    "longest_new_word": -1,
    "mood": 1,
}.items():
    _add(f"config info {_name} = {str(_value)[:24]!r}", _change_config("info", **{_name: _value}))
_add("config with a threshold of NaN", _replace_in_config('"threshold": 0.0', '"threshold": NaN'))
_add("config with an infinite threshold", _replace_in_config('"threshold": 0.0', '"threshold": -Infinity'))
_add("config with a threshold beyond floats", _replace_in_config('"threshold": 0.0', '"threshold": 1e999'))
_add("config with a number of 5,000 digits", _replace_in_config('"width": 16', f'"width": {"9" * 5000}'))
_add("config with a key twice", _replace_in_config('"width": 16', '"width": 16, "width": 32'))
_add("config with a key of control characters", _replace_in_config('"width"', '"wi\\n\\u001b[2Jdth"'))
_add("config with a lone surrogate as key", _replace_in_config('"width"', '"\\ud800"'))
_add("config with a key of 50,000 letters", _replace_in_config('"width"', f'"{"k" * 50_000}"'))
_add("config with a null model", lambda path: write_json(path / CONFIG, {"format": 1, "info": {}, "model": None}))
_add("config with a list as info", _replace_in_config('"info": {', '"info": [], "old": {'))
_add("config of another format", _replace_in_config('"format": 1', '"format": 2'))
_add("config whose format is true", _replace_in_config('"format": 1', '"format": [[1]]'))
_add("config nested 30,000 deep", _write_config_text("[" * 30_000 + "]" * 30_000))
_add("config nested deep in objects", _write_config_text('{"a":' * 10_000 + "1" + "}" * 10_000))
_add("config that is a list", _write_config_text("[]"))
_add("config that is null", _write_config_text("null"))
_add("config that is empty", _write_config_text(""))
_add("config that is not UTF-8", _write_config_text(b'{"format": "\xff"}'))
_add("config of a megabyte", _write_config_text('{"format": 1}' + " " * 1_000_000))


# ---- weights.safetensors ----


def _change_header(change: Callable[[dict[str, Any]], Any]) -> Case:
    def apply(path: Path) -> None:
        header, data = read_weights(path)
        change(header)
        write_raw_weights(path, json.dumps(header).encode(), data)

    return apply


def _change_entry(**changes: Any) -> Case:
    return _change_header(lambda header: header[UP].update(changes))


def _write_header(header: bytes, data: bytes = b"", length: int | None = None) -> Case:
    return lambda path: write_raw_weights(path, header, data, length)


def _shift(header: dict[str, Any], by: int) -> None:
    header[UP]["data_offsets"] = [each + by for each in header[UP]["data_offsets"]]


def _share_data(header: dict[str, Any]) -> None:
    header["decoder.layers.0.ffn.up.weight"]["data_offsets"] = header[UP]["data_offsets"]


def _swap_shape(header: dict[str, Any]) -> None:
    header["embedding.weight"]["shape"].reverse()


def _add_long_metadata(path: Path) -> None:
    header, data = read_weights(path)
    header["__metadata__"] = {"note": "x" * 5_000_000}
    write_raw_weights(path, json.dumps(header).encode(), data)


def _change_data(path: Path, name: str, value: float) -> None:
    header, data = read_weights(path)
    start, end = header[name]["data_offsets"]
    values = np.full((end - start) // 4, value, dtype=np.float32).tobytes()
    write_raw_weights(path, json.dumps(header).encode(), data[:start] + values + data[end:])


def _grow(path: Path) -> None:
    with (path / WEIGHTS).open("r+b") as file:
        file.truncate(1 << 40)  # sparse: it takes no space on the disk


for _label, _header_change in {
    "offsets beyond the end": lambda header: _shift(header, 10**6),
    "negative offsets": lambda header: _shift(header, -(10**6)),
    "huge offsets": lambda header: _shift(header, 2**63),
    "overlapping tensors": _share_data,
    "offsets that overlap by a byte": lambda header: _shift(header, -1),
    "a gap between tensors": lambda header: _shift(header, 1),
    "a tensor that is missing": lambda header: header.pop(UP),
    "a tensor without scales": lambda header: header.pop(scale_of(UP)),
    "a matrix turned over": _swap_shape,
    "a list instead of a tensor": lambda header: header.update({UP: [1, 2, 3]}),
    "null instead of a tensor": lambda header: header.update({UP: None}),
    "a tensor of the name ../x": lambda header: header.update({"../x": header[UP]}),
    "an entry with another key": lambda header: header[UP].update(strides=[1]),
}.items():
    _add(f"weights with {_label}", _change_header(_header_change))
_CHANGED_ENTRIES: dict[str, dict[str, Any]] = {
    "reversed offsets": {"data_offsets": [100, 0]},
    "three offsets": {"data_offsets": [0, 1, 2]},
    "no offsets": {"data_offsets": None},
    "offsets of text": {"data_offsets": ["0", "1"]},
    "offsets of true and false": {"data_offsets": [False, True]},
    "fractions as offsets": {"data_offsets": [0.0, 256.0]},
    "a negative shape": {"shape": [-16, -16]},
    "a huge shape": {"shape": [2**62, 4]},
    "a shape of 100,000 dimensions": {"shape": [1] * 100_000},
    "a shape of text": {"shape": "16"},
    "an unknown type": {"dtype": "F128"},
    "a type that is no text": {"dtype": {"I8": 1}},
    "a wider type than its data": {"dtype": "F32"},
    "a type of control characters": {"dtype": "\n\u001b[2J"},
}
for _label, _entry in _CHANGED_ENTRIES.items():
    _add(f"weights with {_label}", _change_entry(**_entry))
_add("weights with a header of 16 MB", _write_header(b"{" + b" " * 15_999_998 + b"}"))
_add("weights with 5 MB of metadata", _add_long_metadata)
_add("weights with a header longer than the file", _write_header(b"{}", length=2**40))
_add("weights with a header of 2**64 - 1 bytes", _write_header(b"{}", length=2**64 - 1))
_add("weights with a header nested deep", _write_header(b'{"a":' * 100_000))
_add("weights with a tensor twice", _write_header(b'{"a": {}, "a": {}}'))
_add("weights with a header that is a list", _write_header(b"[]"))
_add("weights with a number of 5,000 digits", _write_header(b'{"a": ' + b"9" * 5000 + b"}"))
_add("weights with a header that is not UTF-8", _write_header(b'{"\xff\xfe": 1}'))
_add("weights that are empty", lambda path: (path / WEIGHTS).write_bytes(b""))
_add("weights of seven bytes", lambda path: (path / WEIGHTS).write_bytes(b"\x02" * 7))
_add("weights that are a pickle", lambda path: (path / WEIGHTS).write_bytes(b"\x80\x04." * 9))
_add("weights that end early", lambda path: os.truncate(path / WEIGHTS, (path / WEIGHTS).stat().st_size - 1))
_add("weights with a byte too much", lambda path: os.truncate(path / WEIGHTS, (path / WEIGHTS).stat().st_size + 1))
_add("weights of a terabyte", _grow, sealed=False)
_add("weights with scales of NaN", lambda path: _change_data(path, scale_of("embedding.weight"), float("nan")))
_add("weights with infinite scales", lambda path: _change_data(path, scale_of(UP), float("inf")))
_add("weights that overflow", lambda path: _change_data(path, "encoder.norm.weight", 3e38))


# ---- tokenizer.json ----


def _change_tokenizer(**changes: Any) -> Case:
    return lambda path: write_json(path / TOKENIZER, good_tokenizer() | changes)


def _change_model(**changes: Any) -> Case:
    def change(path: Path) -> None:
        description = good_tokenizer()
        description["model"] |= changes
        write_json(path / TOKENIZER, description)

    return change


def _vocabulary(**changes: int) -> dict[str, int]:
    return dict(good_tokenizer()["model"]["vocab"]) | changes


def _without(token: str) -> dict[str, int]:
    """Without a token; the ids have no gap."""
    return {each: index for index, each in enumerate(each for each in _vocabulary() if each != token)}


def _template(ids: list[int], token: str = "a") -> dict[str, Any]:
    single = [{"SpecialToken": {"id": token, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    pair = [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}]
    special = {token: {"id": token, "ids": ids, "tokens": [token] * len(ids)}}
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": special}


_ADDED = {"content": "the", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
_PADDING = {"direction": "Right", "pad_to_multiple_of": 64, "pad_id": 10**6, "pad_type_id": 0, "pad_token": "<pad>"}
_CHANGED_PARTS: dict[str, dict[str, Any]] = {
    "a normalizer": {"normalizer": {"type": "Lowercase"}},
    "a normalizer that replaces": {"normalizer": {"type": "Replace", "pattern": {"String": "a"}, "content": "bb"}},
    "a sequence of normalizers": {"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}]}},
    "padding": {"padding": {"strategy": {"Fixed": 10_000}} | _PADDING},
    "truncation": {
        "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
    },
    "an added token": {"added_tokens": [{"id": 70, "special": False} | _ADDED]},
    "an added token beyond the vocabulary": {"added_tokens": [{"id": 10**6, "special": True} | _ADDED]},
    "a template of an unknown id": {"post_processor": _template([10**6])},
    "a template of negative ids": {"post_processor": _template([-1])},
    "a template of many ids": {"post_processor": _template([67] * 10_000)},
    "a template of an unknown token": {"post_processor": _template([3], "unheard")},
    "another post-processor": {"post_processor": {"type": "BertProcessing", "sep": ["a", 67], "cls": ["b", 68]}},
    "a slow pattern as pre-tokenizer": {
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": "(a|a|a)*(a|aa)*b"},
            "behavior": "Removed",
            "invert": False,
        }
    },
    "a pre-tokenizer that drops spaces": {"pre_tokenizer": {"type": "Whitespace"}},
    "no pre-tokenizer": {"pre_tokenizer": None},
    "another decoder": {"decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True}},
    "no decoder": {"decoder": None},
    "another version": {"version": "9.0"},
    "an unknown part": {"plugins": ["x"]},
    "a null model": {"model": None},
    "a model of another type": {"model": {"type": "WordLevel", "vocab": _vocabulary(), "unk_token": "a"}},
}
for _label, _part in _CHANGED_PARTS.items():
    _add(f"tokenizer with {_label}", _change_tokenizer(**_part))
_CHANGED_MODELS: dict[str, dict[str, Any]] = {
    "dropout": {"dropout": 0.5},
    "an unknown token": {"unk_token": "a"},
    "a prefix of subwords": {"continuing_subword_prefix": "##"},
    "byte fallback": {"byte_fallback": True},
    "ignored merges": {"ignore_merges": True},
    "one token too few": {"vocab": _without("ÿ")},
    "one token too many": {"vocab": _vocabulary(aa=VOCABULARY)},
    "a gap in the ids": {"vocab": _vocabulary(ÿ=VOCABULARY)},
    "an id twice": {"vocab": _vocabulary(ÿ=0)},
    "a negative id": {"vocab": _vocabulary(ÿ=-1)},
    "a huge id": {"vocab": _vocabulary(ÿ=2**32)},
    "an id that is no number": {"vocab": {**_vocabulary(), "ÿ": "258"}},
    "no vocabulary": {"vocab": None},
    "an empty vocabulary": {"vocab": {}},
    "exchanged special tokens": {"vocab": _vocabulary(**{"<pad>": 2, "<eos>": 0})},
    "a token outside the alphabet": {"vocab": {**_without("ÿ"), "北": VOCABULARY - 1}},
    "an empty token": {"vocab": {**_without("ÿ"), "": VOCABULARY - 1}},
    "a token of a megabyte": {"vocab": {**_without("ÿ"), "a" * 10**6: VOCABULARY - 1}},
    "merges of unknown tokens": {"merges": [["a", "b"]]},
    "a merge of three tokens": {"merges": [["a", "b", "c"]]},
    "merges of numbers": {"merges": [[1, 2]]},
    "merges that are no list": {"merges": {"a": "b"}},
}
for _label, _part in _CHANGED_MODELS.items():
    _add(f"tokenizer with {_label}", _change_model(**_part))


def _write_tokenizer(text: str | bytes) -> Case:
    return lambda path: (path / TOKENIZER).write_bytes(text.encode() if isinstance(text, str) else text)


_add("tokenizer that is empty", _write_tokenizer(""))
_add("tokenizer that is an empty object", _write_tokenizer("{}"))
_add("tokenizer nested deep", _write_tokenizer('{"model": ' + "[" * 100_000))
_add("tokenizer with a key twice", _write_tokenizer('{"model": 1, "model": 2}'))
_add("tokenizer that is not UTF-8", _write_tokenizer(b'{"\xff": 1}'))
_add("tokenizer of 20 MB", _write_tokenizer(" " * 20_000_000))
_add("tokenizer with a lone surrogate", _write_tokenizer('{"model": {"type": "BPE", "vocab": {"\\ud800": 0}}}'))


# ---- manifest.json and files ----


def _change_manifest(**changes: Any) -> Case:
    return lambda path: write_manifest(path, **changes)


def _write_manifest_text(text: str) -> Case:
    return lambda path: (path / MANIFEST).write_text(text)


def _replace_by_link(name: str) -> Case:
    def change(path: Path) -> None:
        elsewhere = path.parent / f"elsewhere-{name}"
        (path / name).rename(elsewhere)
        (path / name).symlink_to(elsewhere)

    return change


def _replace_by_folder(name: str) -> Case:
    def change(path: Path) -> None:
        (path / name).unlink()
        (path / name).mkdir()

    return change


def _replace_by_pipe(name: str) -> Case:
    def change(path: Path) -> None:
        (path / name).unlink()
        os.mkfifo(path / name)

    return change


def _link_to_itself(path: Path) -> None:
    (path / CONFIG).unlink()
    (path / CONFIG).symlink_to(CONFIG)


_SHA = "0" * 64
_CHANGED_MANIFESTS: dict[str, dict[str, Any]] = {
    "a name with ..": {"../config.json": _SHA},
    "a name with .. that ends in the folder": {"../model/config.json": _SHA},
    "an absolute name": {"/etc/config.json": _SHA},
    "a name with a dot": {"./config.json": _SHA},
    "an unknown name": {"run.py": _SHA},
    "itself": {MANIFEST: _SHA},
    "a name of control characters": {"\n\u001b[2J": _SHA},
    "a graph that is not there": {GRAPHS["int8"].encoder: _SHA},
    "a checksum that is wrong": {CARD: _SHA},
    "a null checksum": {CARD: None},
    "a checksum that is a number": {CARD: 0},
    "a checksum that is a list": {CARD: [_SHA]},
    "a short checksum": {CARD: "0"},
}
for _label, _entries in _CHANGED_MANIFESTS.items():
    _add(f"manifest with {_label}", _change_manifest(**_entries), sealed=False)
_add("manifest that is empty", _write_manifest_text(""), sealed=False)
_add("manifest that is an empty object", _write_manifest_text("{}"), sealed=False)
_add("manifest that is a list", _write_manifest_text("[]"), sealed=False)
_add("manifest nested deep", _write_manifest_text("[" * 60_000), sealed=False)
_add("manifest with a key twice", _write_manifest_text('{"card.md": "", "card.md": ""}'), sealed=False)
_add("manifest of a megabyte", _write_manifest_text("{}" + " " * 10**6), sealed=False)
for _name in (MANIFEST, CONFIG, WEIGHTS, TOKENIZER, CARD):
    _add(f"link in place of {_name}", _replace_by_link(_name), sealed=False)
    _add(f"folder in place of {_name}", _replace_by_folder(_name), sealed=False)
    _add(f"pipe in place of {_name}", _replace_by_pipe(_name), sealed=False)
_add("link to itself", _link_to_itself, sealed=False)
_add("card of 100 MB", lambda path: os.truncate(path / CARD, 10**8))
_add("a pickle beside the files", lambda path: (path / "optimizer.pt").write_bytes(b"\x80\x04."))
