from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from redraft.check import alternatives
from redraft.check.options import CheckOptions
from redraft.edits.edit import Kind
from redraft.errors import ModelError
from redraft.lsp.checker import Checker, Correctors, Progress
from redraft.model.folder import ModelFolder
from redraft.settings.options import ModelOptions
from redraft.text.dialects import Dialect

TEXT = "She go to school every days. He is teacher in our town."


@pytest.fixture
def checker(tiny_model: ModelFolder) -> Iterator[Checker]:
    checker = Checker(Correctors(ModelOptions(model=str(tiny_model.path), threads=1)))
    yield checker
    checker.stop()


URI, PLAIN = "file:///letter.txt", CheckOptions()


async def check(checker: Checker, text: str, options: CheckOptions = PLAIN, uri: str = URI) -> list[Progress]:
    return [progress async for progress in checker.check(uri, text, options)]


def words(progress: Progress) -> list[str]:
    return [found.edit.source for found in progress.findings]


@pytest.mark.asyncio
async def test_a_document_and_its_changes(checker: Checker) -> None:
    first = (await check(checker, TEXT))[-1]
    assert words(first) == ["go", "days", ""]
    assert first.reached > len(TEXT)
    assert first.findings[0].sentence == "She go to school every days."
    changed = TEXT.replace("go ", "goes ")
    assert words((await check(checker, changed))[-1]) == ["days", ""]
    fewer = CheckOptions(kinds=frozenset({Kind.ARTICLE}))
    assert words((await check(checker, changed, fewer))[-1]) == [""]
    left_alone = CheckOptions(dictionary=frozenset({"days"}))
    assert words((await check(checker, changed, left_alone))[-1]) == [""]
    checker.forget(URI)
    assert words((await check(checker, TEXT))[-1]) == ["go", "days", ""]


@pytest.mark.asyncio
async def test_alternatives_of_a_finding_begin_with_its_own(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alternatives, "_FLOOR", 1e-6)  # the tiny model is sure of all it has learnt
    findings = [found.finding for found in (await check(checker, TEXT))[-1].findings]
    found = await checker.alternatives(URI, findings)
    assert [found[one][0].replacement for one in findings] == [one.edit.replacement for one in findings]
    assert any(len(others) > 1 for others in found.values())
    assert await checker.alternatives("file:///unknown.txt", findings) == {}


@pytest.mark.asyncio
async def test_a_cancelled_check_stops_the_work(checker: Checker) -> None:
    book = "\n\n".join(f"This is sentence number {number}." for number in range(20_000))
    task = asyncio.ensure_future(check(checker, book, uri="file:///book.txt"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert words((await check(checker, TEXT))[-1]) == ["go", "days", ""]  # which would take minutes behind the book


def test_a_corrector_is_opened_once(tiny_model: ModelFolder) -> None:
    correctors = Correctors(ModelOptions(model=str(tiny_model.path), threads=1))
    usual = correctors.open()
    assert correctors.open("en") is correctors.open("en_gb") is usual
    with pytest.raises(ModelError):
        correctors.open("tlh")


@pytest.mark.asyncio
async def test_a_dialect_is_that_of_the_options(checker: Checker) -> None:
    await check(checker, TEXT, CheckOptions(language="en-GB", dialect=Dialect.BRITISH))
    assert checker._documents[URI]._corrector.dialect == "en-GB"
