"""Writes the Chinese training files: pairs, clean text, correct text to be copied, and a dev set."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from redraft.edits.align import align
from redraft.edits.m2 import NOOP, M2Edit, M2Sentence
from redraft.edits.m2 import write as write_m2
from redraft.lab.data import filters
from redraft.lab.data.chinese_table import collect_forbidden, read_labelled
from redraft.lab.data.filters import FilterChain, Overlap
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults, read_lines, read_sentences
from redraft.lab.data.text_output import write_lines

LONGEST = 110
"""Characters. With errors, a sentence must fit into a window of 128 tokens."""
SHORTEST = 4
HELD_OUT = 2_000
EDITED = ("xwlb_news", "cmrc2018_wiki", "literature_prose")
"""Well edited texts, whose sentences are copied."""
MOST = {"laws": 150_000}
"""Largest number of sentences of texts that would outweigh the others."""
KEPT = 0.5
_ENDED = re.compile(r"[。！？；…”’）》]$")
_ROMAN = re.compile(r"[A-Za-z]")
_UNMARKED = {"没有错误", "无法标注"}
"""Remarks of annotators instead of a correction."""


@dataclass(frozen=True, slots=True)
class Assembly:
    all_pairs: int
    grammar_pairs: int
    clean: int
    copy: int
    held_out: int
    dev: int
    reports: dict[str, str]


def assemble(folder: Path, output: Path, faults: Faults, seed: int = 11) -> Assembly:
    """Write pairs_all.tsv, pairs_grammar.tsv, clean/, copy/, heldout.txt and dev/."""
    forbidden = collect_forbidden(folder, faults)
    steps = {
        "too short or too long": _has_length,
        "rewritten": _keeps_characters,
        "another script": filters.is_script("CJK", 0.6),
        "duplicate": filters.is_new(),
    }
    chains = {"pairs": FilterChain(dict(steps))}
    found = list(read_labelled(folder, forbidden, faults))
    kept = set(chains["pairs"].apply(labelled.pair for labelled in found))
    everything = list(dict.fromkeys(labelled.pair for labelled in found if labelled.pair in kept))
    grammar = list(dict.fromkeys(found.pair for found in found if found.kind == "grammar" and found.pair in kept))
    for name, pairs in (("pairs_all.tsv", everything), ("pairs_grammar.tsv", grammar)):
        shuffled = random.Random(seed).sample(pairs, len(pairs))
        write_lines(output / name, (f"{pair.source}\t{pair.target}" for pair in shuffled))
    held_out = hold_out(folder, forbidden, faults)
    away = Overlap(held_out)
    clean = {path.name.removeprefix("clean_").split(".")[0]: path for path in sorted(folder.glob("clean_*"))}
    texts = {name: _choose(name, path, forbidden, away, faults) for name, path in clean.items()}
    sentences = [sentence for chosen in texts.values() for sentence in chosen]
    random.Random(seed).shuffle(sentences)
    write_lines(output / "clean" / "clean.txt.xz", sentences)
    edited = [sentence for name in EDITED for sentence in texts.get(name, ())]
    random.Random(seed).shuffle(edited)
    write_lines(output / "copy" / "edited.txt.xz", edited)
    write_lines(output / "heldout.txt", held_out)
    dev = list(read_gold(folder, faults))
    write_lines(output / "dev" / "mucgec.dev.m2", (line.rstrip("\n") for line in write_m2(dev)))
    reports = {name: chain.report() for name, chain in chains.items()}
    return Assembly(len(everything), len(grammar), len(sentences), len(edited), len(held_out), len(dev), reports)


def hold_out(folder: Path, forbidden: Overlap, faults: Faults) -> list[str]:
    """A fixed sample of news sentences, to test on text that training has not seen."""
    paths = sorted(folder.glob(f"clean_{EDITED[0]}*"))
    fitting = sorted(
        {s for path in paths for s in read_sentences(path, faults) if _is_fit(s) and not forbidden.holds(s)}
    )
    return random.Random("heldout").sample(fitting, min(HELD_OUT, len(fitting)))


def read_gold(folder: Path, faults: Faults) -> Iterator[M2Sentence]:
    """The dev set in M2 form, one token per character; lines are number, source and references."""
    for path in sorted(folder.glob("mucgec.dev.txt*")):
        for number, line in read_lines(path, faults):
            _, source, *references = line.split("\t")
            if not references:
                faults.note(path, number, "expected a number, a source and references between tabs")
            elif references != ["无法标注"]:
                yield find_edits(source, references)


def find_edits(source: str, references: Iterable[str]) -> M2Sentence:
    tokens = "".join(source.split())
    edits: list[M2Edit] = []
    for annotator, reference in enumerate(references):
        target = "".join(reference.split())
        changes = [] if target in _UNMARKED else align(tokens, target)
        edits += (
            M2Edit(
                change.source.start,
                change.source.end,
                "edit",
                (" ".join(change.target.of(target)),),
                annotator=annotator,
            )
            for change in changes
        )
        if not changes:
            edits.append(M2Edit(-1, -1, NOOP, ("",), annotator=annotator))
    return M2Sentence(tuple(tokens), tuple(edits))


def _choose(name: str, path: Path, forbidden: Overlap, away: Overlap, faults: Faults) -> list[str]:
    """Complete, new sentences of a file, at most `MOST` of it."""
    fitting = [s for s in dict.fromkeys(read_sentences(path, faults)) if _is_fit(s)]
    fitting = [s for s in fitting if not forbidden.holds(s) and not away.holds(s)]
    most = MOST.get(name, len(fitting))
    return fitting if len(fitting) <= most else random.Random(name).sample(fitting, most)


def _is_fit(sentence: str) -> bool:
    roman = len(_ROMAN.findall(sentence))
    return SHORTEST <= len(sentence) <= LONGEST and _ENDED.search(sentence) is not None and 2 * roman < len(sentence)


def _has_length(pair: Pair) -> bool:
    return all(SHORTEST <= len(side) <= LONGEST for side in (pair.source, pair.target))


def _keeps_characters(pair: Pair) -> bool:
    """At least half of the characters are unchanged: rewritten sentences teach little about errors."""
    shared = sum((Counter(pair.source) & Counter(pair.target)).values())
    if shared < KEPT * max(len(pair.source), len(pair.target)):
        return False
    matcher = SequenceMatcher(None, pair.source, pair.target, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) >= KEPT * max(len(pair.source), len(pair.target))
