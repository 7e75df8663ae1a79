"""The tag vocabulary: the most frequent tags of some pairs, and the table of forms that they need.

python -m redraft.lab.tagger.vocabulary PAIRS.tsv … --size 5000 --output tags.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from redraft.atomic_write import atomic_write
from redraft.errors import InputError
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults, read_pairs, read_sentences
from redraft.lab.tagger.forms import FORMS, FormTable, learn_forms
from redraft.lab.tagger.tags import DELETE, KEEP, OTHER, Tag, find_tags, list_candidates
from redraft.lab.tagger.words import bare, split_words
from redraft.lab.train.module_command import run_command
from redraft.strict_json import read_object

FORMAT = 1
SIZE = 5000
"""Default number of tags."""
FIRST = (KEEP, OTHER, DELETE)
"""Tags of every vocabulary, at its start."""
_MOST_BYTES = 1 << 26


@dataclass(frozen=True)
class TagVocabulary:
    """Tags by number, KEEP first, and the forms of words."""

    tags: tuple[Tag, ...]
    forms: FormTable

    def __post_init__(self) -> None:
        if self.tags[: len(FIRST)] != FIRST or len(set(self.tags)) != len(self.tags):
            raise InputError(f"a tag vocabulary begins with {', '.join(map(str, FIRST))} and has no tag twice")

    @cached_property
    def numbers(self) -> dict[Tag, int]:
        return {tag: number for number, tag in enumerate(self.tags)}

    def choose(self, candidates: Sequence[Tag]) -> Tag:
        """The first of some tags that the vocabulary has, or OTHER."""
        return next((tag for tag in candidates if tag in self.numbers), OTHER)

    def find_tags(self, source: str, target: str) -> list[Tag]:
        """The tags of the first pass from a source to its target, as far as the vocabulary has them."""
        return find_tags(source, target, self.forms, self.choose)

    def first(self, size: int) -> TagVocabulary:
        """The most frequent tags alone."""
        return TagVocabulary(self.tags[:size], self.forms)

    def write(self, path: Path) -> None:
        paradigms = [[paradigm.get(name, "") for name in FORMS] for paradigm in self.forms.paradigms]
        values = {"format": FORMAT, "tags": list(map(str, self.tags)), "forms": paradigms}
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as partial:
            partial.write_text(json.dumps(values, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> TagVocabulary:
        """Reads a file. A wrong one is an InputError."""
        values = read_object(path, _MOST_BYTES)
        if values.keys() != {"format", "tags", "forms"} or values["format"] != FORMAT:
            raise InputError(f"{path} is no tag vocabulary of format {FORMAT}; make it again")
        try:
            tags = tuple(map(Tag.parse, values["tags"]))
            rows = [dict(zip(FORMS, row, strict=True)) for row in values["forms"]]
            paradigms = [{name: str(word) for name, word in row.items() if word} for row in rows]
            return cls(tags, FormTable(paradigms))
        except (ValueError, TypeError, AttributeError, InputError) as error:
            raise InputError(f"{path} is damaged: {error}") from None


def learn_vocabulary(pairs: Iterable[Pair], size: int, text: Iterable[str] = ()) -> TagVocabulary:
    """The most frequent tags of some pairs. `text` has more sentences to learn forms from."""
    kept = list(pairs)
    words = Counter(bare(word).lower() for pair in kept for word in split_words(pair.target))
    words.update(bare(word).lower() for sentence in text for word in split_words(sentence))
    forms = learn_forms(words)
    counts = Counter(tag for pair in kept for tag in list_candidates(pair.source, pair.target, forms))
    for tag in FIRST:
        counts.pop(tag, None)
    ordered = sorted(counts, key=lambda tag: (-counts[tag], str(tag)))
    return TagVocabulary((*FIRST, *ordered[: max(0, size - len(FIRST))]), forms)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.tagger.vocabulary", description="Learn the tags of a tagger from pairs."
    )
    parser.add_argument("pairs", type=Path, nargs="+", help="files of pairs: .tsv or .m2, compressed or not")
    parser.add_argument("--text", type=Path, nargs="*", default=[], help="text files to learn forms of words from")
    parser.add_argument("--size", type=int, default=SIZE, help=f"number of tags; default {SIZE}")
    parser.add_argument("--output", type=Path, required=True, help="vocabulary to write, a JSON file")
    options = parser.parse_args(arguments)

    def run() -> int:
        faults = Faults()
        pairs = (pair for path in options.pairs for pair in read_pairs(path, faults))
        text = (sentence for path in options.text for sentence in read_sentences(path, faults))
        vocabulary = learn_vocabulary(pairs, options.size, text)
        vocabulary.write(options.output)
        report = f"{len(vocabulary.tags)} tags, forms of {len(vocabulary.forms.paradigms)} words: {options.output}\n"
        sys.stdout.write(report)
        sys.stderr.write(faults.report())
        return 0

    return run_command(run)


if __name__ == "__main__":
    sys.exit(main())
