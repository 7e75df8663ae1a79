from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from redraft.check.user_rules import Personal
from redraft.edits.edit import Kind
from redraft.errors import ConfigError, ModelError
from redraft.lsp.checker import Checker, Correctors, Progress, Wanted
from redraft.lsp.rules import Rules
from redraft.model.folder import ModelFolder
from redraft.settings.options import ModelOptions

TEXT = "She go to school every days. He is teacher in our town."


@pytest.fixture
def checker(tiny_model: ModelFolder) -> Iterator[Checker]:
    checker = Checker(Correctors(ModelOptions(model=str(tiny_model.path), threads=1)))
    yield checker
    checker.stop()


@pytest.fixture
def wanted(tmp_path: Path) -> Wanted:
    return Wanted("file:///letter.txt", TEXT, Rules("plain"), Personal(tmp_path))


async def check(checker: Checker, wanted: Wanted) -> list[Progress]:
    return [progress async for progress in checker.check(wanted)]


def words(progress: Progress) -> list[str]:
    return [note.edit.source for note in progress.notes]


@pytest.mark.asyncio
async def test_a_document_and_its_changes(checker: Checker, wanted: Wanted) -> None:
    first = (await check(checker, wanted))[-1]
    assert words(first) == ["go", "days", ""]
    assert first.reached > len(TEXT)
    assert first.notes[0].sentence == "She go to school every days."
    changed = replace(wanted, text=TEXT.replace("go ", "goes "))
    assert words((await check(checker, changed))[-1]) == ["days", ""]
    fewer = replace(changed, rules=Rules("plain", kinds=frozenset({Kind.ARTICLE})))
    assert words((await check(checker, fewer))[-1]) == [""]
    left_alone = replace(changed, rules=Rules("plain", words=frozenset({"days"})))
    assert words((await check(checker, left_alone))[-1]) == [""]
    checker.forget(wanted.uri)
    assert words((await check(checker, wanted))[-1]) == ["go", "days", ""]


@pytest.mark.asyncio
async def test_whoever_stops_listening_stops_the_work(checker: Checker, wanted: Wanted) -> None:
    book = "\n\n".join(f"This is sentence number {number}." for number in range(20_000))
    task = asyncio.ensure_future(check(checker, replace(wanted, uri="file:///book.txt", text=book)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert words((await check(checker, wanted))[-1]) == ["go", "days", ""]  # which would take minutes behind the book


def test_correctors_of_one_model_share_an_engine(tiny_model: ModelFolder) -> None:
    correctors = Correctors(ModelOptions(model=str(tiny_model.path), threads=1))
    usual = correctors.open()
    suffix = correctors.open(draft="suffix")
    assert suffix.engine is usual.engine
    assert suffix.options.decode.policy == "suffix"
    assert correctors.open(language="en").options == usual.options
    british = correctors.open(language="en_gb")
    assert british.engine is usual.engine and british.options.dialect == "en-GB"
    with pytest.raises(ConfigError):
        correctors.open(draft="no-such-policy")
    with pytest.raises(ModelError):
        correctors.open(language="tlh")
