"""Real corrections from the history of git repositories."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from redraft.edits.edit import Kind
from redraft.lab.data.changed_passages import PATHS, changed_passages
from redraft.lab.data.changed_sentences import compare, is_rewritten
from redraft.lab.data.commit_message import Purpose, find_purpose
from redraft.lab.data.git_licence import find_licence
from redraft.lab.data.git_repository import Commit, FileChange, GitRepository
from redraft.lab.data.mining_rules import Dropped, Sure, Verdict, judge

COLUMNS = ("source", "target", "repository", "commit", "licence", "kinds", "sure")
RENAME = 4
"""Number of equal edits in one commit that are a rename or a change of terms, and most pairs in which one content word
is replaced by the same other word. Spelling edits of commits that correct spelling are not counted."""
SWEEP = 20
"""Number of loose edits in one commit that are a revision of the style, unless the message says otherwise."""
_WORDS_READ = 64_000_000
"""Bytes of text of the newest version from which words are counted."""
_WORD = re.compile(rb"(?<![\w/.@-])[A-Za-z]{2,40}(?![\w/@-])")
_PROSE = re.compile(r"\.(?:md|markdown|mdx|mkd|qmd|rmd|rst|rest|adoc|asciidoc|asc|tex|ltx|html?|xhtml|txt|text)$", re.I)


@dataclass(frozen=True, slots=True)
class MinedPair:
    """A sentence, its correction, and where they come from."""

    source: str
    target: str
    repository: str
    commit: str
    licence: str
    kinds: tuple[Kind, ...]
    sure: Sure

    def row(self) -> str:
        """The pair as a line of a table, with the columns of `COLUMNS`."""
        fields = (self.source, self.target, self.repository, self.commit, self.licence, "+".join(self.kinds), self.sure)
        return "\t".join(" ".join(field.split()) for field in fields)


@dataclass
class MiningReport:
    """Numbers of what was read, kept and dropped."""

    commits: int = 0
    files: int = 0
    sentences: int = 0
    kept: Counter[str] = field(default_factory=Counter)
    sure: Counter[str] = field(default_factory=Counter)
    dropped: Counter[Dropped] = field(default_factory=Counter)

    def text(self) -> str:
        lines = [
            f"{self.commits:>10,} commits with changed text files, {self.files:,} files",
            f"{self.sentences:>10,} edited sentences",
            *(f"{self.dropped[reason]:>10,} dropped: {reason}" for reason in Dropped if self.dropped[reason]),
            f"{self.sure.total():>10,} kept: {self.sure[Sure.STRICT]:,} strict, {self.sure[Sure.LOOSE]:,} loose",
            *(f"{count:>10,} with {kind}" for kind, count in self.kept.most_common()),
        ]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which pairs are asked for."""

    since: str | None = None
    """Oldest date of a commit, as git reads it."""
    kinds: frozenset[Kind] = frozenset(Kind)
    """Pairs with an edit of another kind are dropped."""
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """A repository: its name, its licence, and how often it has each word."""

    repository: str
    licence: str
    counts: Mapping[str, int]


class _ChangesOfCommit:
    """The changes up to the next commit, which is kept."""

    def __init__(self, items: Iterator[FileChange | Commit]) -> None:
        self._items = items
        self.next_commit: Commit | None = None

    def __iter__(self) -> Iterator[FileChange]:
        for item in self._items:
            if isinstance(item, Commit):
                self.next_commit = item
                return
            yield item


class Miner:
    """Finds pairs in repositories, one after another; a pair that was found in one is left out of the next."""

    def __init__(self, choice: Choice) -> None:
        self.report = MiningReport()
        self._choice = choice
        self._seen: set[int] = set()
        # Sentences that a newer commit corrected or put back, so that an older commit that wrote them is no correction.
        self._outdated: set[int] = set()
        self._replaced: Counter[tuple[str, str]] = Counter()

    def mine(self, repository: GitRepository, advance: Callable[[float], None]) -> Iterator[MinedPair]:
        """The pairs of a repository, newest first. `advance` is called with the share of the work that was done."""
        origin = Origin(repository.name, find_licence(repository), count_words(repository))
        total = max(1, repository.count_commits(PATHS, self._choice.since))
        items = repository.changes(PATHS, self._choice.since)
        commit = next(items, None)
        while isinstance(commit, Commit):
            changes = _ChangesOfCommit(items)
            yield from self.pairs_of_commit(commit, changes, origin)
            advance(1 / total)
            commit = changes.next_commit

    def pairs_of_commit(self, commit: Commit, changes: Iterable[FileChange], origin: Origin) -> Iterator[MinedPair]:
        """The pairs of a commit; commits must be given newest first."""
        self.report.commits += 1
        found = [candidate for change in changes for candidate in self._read_file(change, origin.counts)]
        yield from self._choose(found, commit, origin)

    def _read_file(self, change: FileChange, counts: Mapping[str, int]) -> Iterator[tuple[str, str, Verdict]]:
        self.report.files += 1
        purpose = find_purpose(change.commit.message)
        for passage in changed_passages(change):
            if is_rewritten(passage):
                self.report.sentences += 1
                self.report.dropped[Dropped.REWRITTEN] += 1
                continue
            compared = compare(passage)
            self.report.sentences += len(compared.pairs) + compared.rewritten
            if compared.rewritten:
                self.report.dropped[Dropped.REWRITTEN] += compared.rewritten
            for pair in compared.pairs:
                source, target = pair.old.text, pair.new.text
                if purpose is Purpose.REVERT:
                    self.report.dropped[Dropped.REVERTED] += 1
                    self._outdated.add(hash(source))
                    continue
                verdict = judge(pair, purpose, counts)
                if isinstance(verdict, Dropped):
                    self.report.dropped[verdict] += 1
                else:
                    yield source, target, verdict

    def _choose(self, found: Sequence[tuple[str, str, Verdict]], commit: Commit, origin: Origin) -> Iterator[MinedPair]:
        """The pairs of a commit that are new, and no renames or revisions of style."""
        loose = sum(verdict.sure is Sure.LOOSE for _, _, verdict in found)
        sweep = loose > SWEEP and find_purpose(commit.message) is not Purpose.CORRECTION
        repeated = Counter(edit for _, _, verdict in found for edit in set(verdict.edits))
        for source, target, verdict in found:
            is_style = sweep and verdict.sure is Sure.LOOSE
            dropped = Dropped.SWEEP if is_style else self._refuse(source, target, verdict, repeated)
            if dropped:
                self.report.dropped[dropped] += 1
                continue
            self.report.kept.update(verdict.kinds)
            self.report.sure[verdict.sure] += 1
            yield MinedPair(source, target, origin.repository, commit.name, origin.licence, verdict.kinds, verdict.sure)

    def _refuse(self, source: str, target: str, verdict: Verdict, repeated: Counter[tuple[str, str]]) -> Dropped | None:
        most = max(
            *(repeated[edit] for edit in verdict.edits),
            *(self._replaced[edit] for edit in verdict.replaced_words),
            0,
            0,
        )
        if most >= RENAME:
            return Dropped.RENAMED
        key = hash((source, target))
        if key in self._seen:
            return Dropped.DUPLICATE
        if hash(target) in self._outdated:
            return Dropped.REVERTED
        if not self._choice.kinds.issuperset(verdict.kinds):
            return Dropped.KIND
        if self._choice.strict and verdict.sure is not Sure.STRICT:
            return Dropped.LOOSE
        self._replaced.update(verdict.replaced_words)
        self._seen.add(key)
        self._outdated.add(hash(source))
        return None


def count_words(repository: GitRepository) -> Counter[str]:
    """Frequencies of the words, in lower case, in the text files of the newest version."""
    objects: list[str] = []
    room = _WORDS_READ
    for path, name, size in repository.files():
        if _PROSE.search(path) and size < 1_000_000:
            room -= size
            if room < 0:
                break
            objects.append(name)
    counts: Counter[bytes] = Counter()
    for content in repository.contents(objects):
        counts.update(_WORD.findall(content.lower()))
    return Counter({word.decode(): count for word, count in counts.items()})
