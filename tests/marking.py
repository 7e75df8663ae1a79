"""A session that doubles texts instead of correcting them, so that work done twice is noticed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from redraft.check.options import CheckOptions
from redraft.check.session import CheckSession, Text
from redraft.edits.edit import Edit
from redraft.settings.options import ModelOptions
from redraft.settings.project import SessionSetup
from redraft.text.span import Span

DEADLY, BROKEN = "deadly", "broken"


@dataclass(frozen=True)
class Doubled:
    edits: tuple[Edit, ...]


class Doubler:
    """Slow enough to be killed at it; some texts it cannot stand."""

    def check_many(self, texts: Iterable[Text]) -> Iterator[Doubled]:
        for text in texts:
            time.sleep(0.02)
            if text.source == DEADLY:
                die()
            if text.source == BROKEN:
                raise ValueError(text.source)
            yield Doubled((Edit(Span(0, 0), "", text.source),))


class GroupCounter(Doubler):
    """Inserts the number of texts that came together instead of the text."""

    def check_many(self, texts: Iterable[Text]) -> Iterator[Doubled]:
        together = list(texts)
        for _ in super().check_many(together):
            yield Doubled((Edit(Span(0, 0), "", str(len(together))),))


@dataclass(frozen=True)
class DoublingSetup(SessionSetup):
    opening: Callable[[], Any]

    def open(self) -> CheckSession:
        opened: CheckSession = self.opening()
        return opened


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def doubling(opening: Callable[[], Any] = Doubler) -> SessionSetup:
    return DoublingSetup(ModelOptions(threads=1), CheckOptions(), opening)
