"""Which sources a file was made from: a record beside the file, checked before the file is used under a source list.

The record of `tokenizer.json` is `tokenizer.json.sources.json`. It has the SHA-256 of the file, so that it says nothing
about a file that was written later under the same name.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from redraft.atomic_write import atomic_write
from redraft.checksum import checksum
from redraft.errors import InputError
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults, read_lines
from redraft.lab.data.source_list import SourceList, read_source_list

SUFFIX = ".sources.json"
REPOSITORY_COLUMN = 2


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """Names of sources and repositories, as in a source list."""

    sources: frozenset[str] = frozenset()
    repositories: frozenset[str] = frozenset()

    def __or__(self, other: SourceRecord) -> SourceRecord:
        return SourceRecord(self.sources | other.sources, self.repositories | other.repositories)

    def write(self, path: Path) -> None:
        """Write the record of the file `path`."""
        facts = {
            "sha256": checksum(path),
            "sources": sorted(self.sources),
            "repositories": sorted(self.repositories),
        }
        with atomic_write(record_of(path)) as partial:
            partial.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> SourceRecord:
        """The record of the file `path`."""
        record = record_of(path)
        try:
            facts = json.loads(record.read_text(encoding="utf-8"))
            sha256, sources, repositories = facts["sha256"], facts["sources"], facts["repositories"]
        except FileNotFoundError:
            raise InputError(
                f"{path}: it is not known what this file was made from, because {record.name} is missing; "
                "make the file again with --source-list"
            ) from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{record}: damaged ({error}); make {path.name} again with --source-list") from None
        if sha256 != checksum(path):
            raise InputError(
                f"{path}: the file has changed since {record.name} was written; make it again with --source-list"
            )
        return cls(frozenset(sources), frozenset(repositories))


def record_of(path: Path) -> Path:
    return path.with_name(path.name + SUFFIX)


def select_sources(source_list: str | None) -> SourceSelection | None:
    """What a source list allows; None without a list."""
    return None if source_list is None else SourceSelection(read_source_list(source_list))


class SourceSelection:
    """Admits what a source list allows, and keeps a record of what was used."""

    def __init__(self, allowed: SourceList) -> None:
        self.allowed = allowed
        self.record = SourceRecord()
        self.left_out: Counter[str] = Counter()
        """Number of rows left out of each repository that is not listed."""

    def use(self, *names: str) -> None:
        """Record sources that are no files."""
        for name in names:
            if name not in self.allowed.sources:
                raise InputError(f"the source list has no source called {name!r}, which this table is built from")
        self.record |= SourceRecord(frozenset(names))

    def choose(self, paths: Iterable[Path]) -> list[Path]:
        """The files that belong to a source of the list."""
        chosen = [(path, name) for path in paths if (name := self.allowed.find(path)) is not None]
        self.record |= SourceRecord(frozenset(name for _, name in chosen))
        return [path for path, _ in chosen]

    def admit(self, *paths: Path) -> None:
        """Refuse a file that neither belongs to a source of the list nor was made from such sources alone."""
        for path in paths:
            self._admit(path)

    def _admit(self, path: Path) -> None:
        name = self.allowed.find(path)
        if name is None:
            found = SourceRecord.read(path)
            unknown = [*(found.sources - self.allowed.sources.keys())]
            unknown += found.repositories - self.allowed.repositories.keys()
            if unknown:
                raise InputError(f"{path}: it was made from {min(unknown)}, which the source list does not name")
            self.record |= found
        elif self.allowed.sources[name].by_repository:
            raise InputError(
                f"{path}: some of its rows may be from repositories that the source list does not name; "
                "choose them with `redraft prepare --source-list`"
            )
        else:
            self.record |= SourceRecord(frozenset([name]))

    def admit_model(self, path: Path, licence: str) -> None:
        """Refuse a model with another licence than the list's: it was trained on other sources."""
        if licence != self.allowed.licence:
            raise InputError(
                f"{path}: its licence is {licence!r}; with this source list a model must have {self.allowed.licence!r}"
            )

    def read_rows(self, path: Path, faults: Faults) -> Iterator[tuple[int, list[str]]]:
        """Numbers and columns of the rows that may be used of a chosen file."""
        name = self.allowed.find(path)
        filtered = name is not None and self.allowed.sources[name].by_repository
        for number, line in read_lines(path, faults):
            columns = line.split("\t")
            if filtered:
                repository = columns[REPOSITORY_COLUMN] if len(columns) > REPOSITORY_COLUMN else ""
                if repository not in self.allowed.repositories:
                    self.left_out[repository or "no repository"] += 1
                    continue
                if repository not in self.record.repositories:
                    self.record |= SourceRecord(frozenset(), frozenset([repository]))
            yield number, columns

    def read_pairs(self, path: Path, faults: Faults) -> Iterator[Pair]:
        """Pairs of a chosen file of source, tab, target."""
        for number, columns in self.read_rows(path, faults):
            if len(columns) > 1:
                yield Pair(" ".join(columns[0].split()), " ".join(columns[1].split()))
            elif columns[0].strip():
                faults.note(path, number, "no tab: expected source, tab, target")


def list_credits(allowed: SourceList, record: SourceRecord) -> str:
    """Markdown tables of the sources and repositories in a record, with licence and credit of each."""
    lines = ["| source | licence | credit |", "|---|---|---|"]
    for name, source in allowed.sources.items():
        if name in record.sources:
            title = f"[{source.title}]({source.url})" if source.url else source.title
            lines.append(f"| {title} | {source.licence} | {source.attribution} |")
    if record.repositories:
        lines += ["", "| repository on GitHub | licence of its text; credit: its contributors |", "|---|---|"]
        lines += [
            f"| [{name}](https://github.com/{name}) | {licence} |"
            for name, licence in sorted(allowed.repositories.items(), key=lambda entry: entry[0].lower())
            if name in record.repositories
        ]
    return "\n".join(lines) + "\n"
