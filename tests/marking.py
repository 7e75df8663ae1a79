"""A stand-in for a proofreader that doubles texts, so that what is done twice shows."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from redraft.check.session import Proofreader, Text, Vouched
from redraft.edits.edit import Edit
from redraft.settings.options import ModelOptions
from redraft.settings.project import Setup
from redraft.text.span import Span

DEADLY, BROKEN = "deadly", "broken"


@dataclass(frozen=True)
class Doubled:
    edits: tuple[Edit, ...]


class Doubler:
    """Slow enough to be killed at it; some texts it cannot stand."""

    def review(self, texts: Iterable[Text]) -> Iterator[Doubled]:
        for text in texts:
            time.sleep(0.02)
            if text.source == DEADLY:
                die()
            if text.source == BROKEN:
                raise ValueError(text.source)
            yield Doubled((Edit(Span(0, 0), "", text.source),))


@dataclass(frozen=True)
class DoublingSetup(Setup):
    opening: Callable[[], Any]

    def open(self) -> Proofreader:
        opened: Proofreader = self.opening()
        return opened


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def doubling(opening: Callable[[], Any] = Doubler) -> Setup:
    return DoublingSetup(ModelOptions(threads=1), Vouched(), None, None, frozenset(), opening)
