"""Puts the English training files together: real pairs in both spellings, and clean sentences set aside for checks."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from redraft.lab.data import filters
from redraft.lab.data.filters import Overlap, Sieve
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults, read_every_side, read_pairs, read_sentences
from redraft.lab.data.text_output import write_lines
from redraft.lab.data.tokenization import detokenize, tokenize

HELD_OUT = {"openstax": 1_700, "digitalgov": 1_600, "wikinews": 1_700}
"""Sentences set aside from each of the best edited files, for checks on text that training has not seen."""
_WHOLE_SENTENCE = re.compile(r"^[A-Z\"'(].*[.!?][\"')]?$")
LONGEST = 150
"""Longer pairs are whole paragraphs that no splitter would hand to the model at once."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """How many pairs each file got, and what each source lost on the way."""

    all_pairs: int
    changed_pairs: int
    write_improve_pairs: int
    held_out: int
    reports: dict[str, str]


def collect_forbidden(folder: Path, faults: Faults) -> Overlap:
    """Every sentence of the development sets under a folder, as written and as each annotator corrected it."""
    return Overlap(read_every_side(folder, faults))


def assemble(folder: Path, output: Path, faults: Faults, seed: int = 11) -> Assembly:
    """Write pairs_all.tsv, pairs_changed.tsv, wi_all.tsv (Write & Improve alone) and heldout.txt."""
    overlap = collect_forbidden(folder / "dev", faults)
    pairs = folder / "pairs"
    sieves: dict[str, Sieve] = {}
    is_new = filters.is_new()

    def sift(name: str, found: Iterable[Pair], *more: tuple[str, filters.Filter]) -> list[Pair]:
        steps = {
            **dict(more),
            "empty or too long": filters.has_length(1, LONGEST),
            "in a development set": overlap.excludes(near=False),
            "duplicate": is_new,
        }
        sieves[name] = Sieve(steps)
        return list(sieves[name].sift(found))

    write_improve = [
        *sift("W&I raw", read_pairs(pairs / "wi.train.raw.tsv.xz", faults)),
        *sift("W&I tokenized", read_pairs(pairs / "wi.train.tok.tsv.xz", faults)),
    ]
    certificate = sift("FCE raw", read_pairs(pairs / "fce.train.raw.tsv.xz", faults))
    lang8 = sift("Lang-8", _take_first(read_pairs(pairs / "lang8_sample.tok.tsv.xz", faults)), *_noisy_filters())
    everything = [
        *write_improve,
        *certificate,
        *sift("FCE tokenized", respell(certificate, tokenized=True)),
        *lang8,
        *sift("Lang-8 raw", respell(lang8, tokenized=False)),
        *sift("LanguageTool", read_pairs(pairs / "languagetool_examples.tsv.xz", faults)),
    ]
    changed = [pair for pair in everything if filters.is_changed(pair)]
    for name, chosen in (("pairs_all.tsv", everything), ("pairs_changed.tsv", changed), ("wi_all.tsv", write_improve)):
        shuffled = random.Random(seed).sample(chosen, len(chosen))
        write_lines(output / name, (f"{pair.source}\t{pair.target}" for pair in shuffled))
    held_out = hold_out(folder / "clean", overlap, faults)
    write_lines(output / "heldout.txt", held_out)
    reports = {name: sieve.report() for name, sieve in sieves.items()}
    return Assembly(len(everything), len(changed), len(write_improve), len(held_out), reports)


def _noisy_filters() -> tuple[tuple[str, filters.Filter], ...]:
    """Lang-8 was corrected by whoever came by: much is left wrong, rewritten or commented on."""
    return (
        ("unchanged", filters.is_changed),
        ("too short or too long", filters.has_length(3, 60)),
        ("lengths too far apart", filters.has_ratio(1.45)),
        ("rewritten", filters.keeps_words(0.6)),
        ("a remark, not a correction", filters.adds_no_remark),
        ("another script", filters.is_script("LATIN", 0.98)),
    )


def _take_first(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The first changed target of each source."""
    seen: set[str] = set()
    for pair in pairs:
        if pair.source not in seen:
            if filters.is_changed(pair):
                seen.add(pair.source)
            yield pair


def respell(pairs: Iterable[Pair], tokenized: bool) -> Iterator[Pair]:
    spell = tokenize if tokenized else detokenize
    return (Pair(spell(pair.source), spell(pair.target)) for pair in pairs)


def hold_out(folder: Path, overlap: Overlap, faults: Faults) -> list[str]:
    """A fixed sample of whole sentences, the same whenever the files are the same."""
    chosen: list[str] = []
    for name, count in HELD_OUT.items():
        (path,) = folder.glob(f"{name}.txt*")
        sentences = sorted(
            sentence
            for sentence in set(read_sentences(path, faults))
            if 5 <= len(sentence.split()) <= 60 and _WHOLE_SENTENCE.match(sentence) and not overlap.holds(sentence)
        )
        chosen += random.Random(f"heldout {name}").sample(sentences, min(count, len(sentences)))
    random.Random(7).shuffle(chosen)
    return chosen
