"""Target: model folders with a fault, sealed with a valid manifest."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import hostile

from fuzzing.inputs import mutate_value
from fuzzing.parsers import check_message
from fuzzing.runner import Target
from redraft import load
from redraft.edits.edit import apply
from redraft.errors import RedraftError
from redraft.model.folder import CARD, CONFIG, MANIFEST, TOKENIZER, WEIGHTS

_SOME_CASES = [
    name for name in hostile.CASES if "20 MB" not in name and "terabyte" not in name and "100 MB" not in name
]


class FolderTarget:
    """An input is a JSON object: a case of `hostile.CASES` by name, and changes of bytes and values on top of it."""

    def __init__(self, folder: Path) -> None:
        self._good = hostile.write_good_folder(folder / "good")
        self._copy = folder / "copy"
        self._config = json.loads((self._good / CONFIG).read_text())
        load(self._good)  # without a fault, it is a model that works

    def target(self) -> Target:
        # tests/model/test_hostile.py tries all cases; here they are mostly a start for further changes.
        return Target("folder", self.check, self.make, [json.dumps({"case": name}) for name in _SOME_CASES[::12]])

    def make(self, generator: random.Random) -> str:
        changes: dict[str, Any] = {"case": generator.choice(_SOME_CASES)} if generator.random() < 0.2 else {}
        kind = generator.random()
        if kind < 0.4:
            changes["config"] = mutate_value(generator, self._config)
        elif kind < 0.6:
            changes["tokenizer"] = mutate_value(generator, hostile.good_tokenizer())
        else:
            changes["file"] = generator.choice((WEIGHTS, WEIGHTS, CONFIG, TOKENIZER, CARD, MANIFEST))
            changes["bytes"] = [
                [generator.randrange(1 << 16), generator.randrange(256)] for _ in range(generator.randrange(1, 8))
            ]
            changes["header"] = generator.random() < 0.5
        changes["sealed"] = generator.random() < 0.9
        return json.dumps(changes)

    def check(self, text: str) -> None:
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self._good, self._copy)
        self._change(json.loads(text))
        try:
            corrector = load(self._copy)
            source = "We meet on monday. 今天 dont \ufffd"
            result = corrector.correct(source)
        except RedraftError as error:
            check_message(error)
            return
        assert apply(source, result.edits) == result.text, "the edits do not give the text"

    def _change(self, changes: dict[str, Any]) -> None:
        if "case" in changes:
            hostile.CASES[changes["case"]](self._copy)
        for name, file in {"config": CONFIG, "tokenizer": TOKENIZER}.items():
            if name in changes:
                self._write(file, json.dumps(changes[name]).encode())
        if "file" in changes and (path := self._copy / changes["file"]).is_file() and not path.is_symlink():
            data = bytearray(path.read_bytes()[: 1 << 22])
            for offset, byte in changes["bytes"] if data else []:
                data[(offset % 200 if changes["header"] else offset) % len(data)] = byte
            self._write(changes["file"], bytes(data))
        if changes.get("sealed") and (self._copy / MANIFEST).is_file() and changes.get("file") != MANIFEST:
            hostile.write_manifest(self._copy)

    def _write(self, name: str, data: bytes) -> None:
        path = self._copy / name
        if path.is_file() and not path.is_symlink():
            path.write_bytes(data)
