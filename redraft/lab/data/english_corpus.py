"""Writes the English training files: annotated and mined pairs in both spellings, clean text, held-out sentences."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from redraft.lab.data import filters
from redraft.lab.data.english_llm import read_llm_pairs
from redraft.lab.data.english_pattern_pairs import draw_pairs
from redraft.lab.data.english_personal_sentences import choose_personal
from redraft.lab.data.filters import Overlap
from redraft.lab.data.pair import Pair
from redraft.lab.data.pair_sifter import PairSifter, respell
from redraft.lab.data.readers import Faults, read_every_side, read_pairs, read_sentences
from redraft.lab.data.text_output import write_lines

HELD_OUT = {"openstax": 1_700, "digitalgov": 1_600, "wikinews": 1_700}
"""Number of sentences held out of each of the best edited files, to test on text that training has not seen."""
MINED = ("git_typo_commits", "git_spell", "git_grammar_strict", "eracond.tok", "gmeg_wiki_dev.tok")
"""Mined pairs of which most are true corrections; the other files of the folder are mostly changes of style."""
_WHOLE_SENTENCE = re.compile(r"^[A-Z\"'(].*[.!?][\"')]?$")


@dataclass(frozen=True, slots=True)
class Assembly:
    """Numbers of pairs and sentences written, and what the filters dropped of each source."""

    all_pairs: int
    changed_pairs: int
    write_improve_pairs: int
    mined_pairs: int
    pattern_pairs: int
    llm_pairs: int
    published_pairs: int
    corrected: int
    personal: int
    held_out: int
    reports: dict[str, str]


def collect_forbidden(folder: Path, faults: Faults) -> Overlap:
    """All sentences of the dev sets in a folder: sources and the corrections of each annotator."""
    return Overlap(read_every_side(folder, faults))


def assemble(folder: Path, output: Path, faults: Faults, seed: int = 11) -> Assembly:
    """Write the training files: pairs_all, pairs_changed, wi_all (Write & Improve alone), pairs_mined, pairs_patterns,
    pairs_llm and pairs_published (.tsv), clean/corrected, clean/corrected_llm, clean/published, clean/personal and
    heldout (.txt)."""
    overlap = collect_forbidden(folder / "dev", faults)
    pairs = folder / "pairs"
    sift = PairSifter(overlap)
    write_improve_raw = sift("W&I raw", read_pairs(pairs / "wi.train.raw.tsv.xz", faults))
    write_improve = [
        *write_improve_raw,
        *sift("W&I tokenized", read_pairs(pairs / "wi.train.tok.tsv.xz", faults)),
    ]
    certificate = sift("FCE raw", read_pairs(pairs / "fce.train.raw.tsv.xz", faults))
    exams = [pair for path in pairs.glob("realec.raw.tsv*") for pair in sift("REALEC raw", read_pairs(path, faults))]
    lang8 = sift("Lang-8", _take_first(read_pairs(pairs / "lang8_sample.tok.tsv.xz", faults)), *_noisy_filters())
    everything = [
        *write_improve,
        *certificate,
        *sift("FCE tokenized", respell(certificate, tokenized=True)),
        *exams,
        *sift("REALEC tokenized", respell(exams, tokenized=True)),
        *lang8,
        *sift("Lang-8 raw", respell(lang8, tokenized=False)),
        *sift("LanguageTool", read_pairs(pairs / "languagetool_examples.tsv.xz", faults)),
    ]
    changed = [pair for pair in everything if filters.is_changed(pair)]
    mined = list(_read_mined(folder / "mined", sift, faults))
    llm = read_llm_pairs(folder / "llm", sift, faults)
    for name, chosen in (
        ("pairs_all.tsv", everything),
        ("pairs_changed.tsv", changed),
        ("wi_all.tsv", write_improve),
        ("pairs_mined.tsv", mined),
        ("pairs_llm.tsv", llm.pairs),
        ("pairs_published.tsv", llm.published),
    ):
        write_lines(output / name, _shuffle_rows(chosen, seed))
    write_lines(output / "clean" / "corrected_llm.txt", llm.corrected)
    write_lines(output / "clean" / "published.txt", llm.correct)
    held_out = hold_out(folder / "clean", overlap, faults)
    write_lines(output / "heldout.txt", held_out)
    corrected = list(dict.fromkeys(pair.target for pair in (*write_improve_raw, *certificate, *exams)))
    write_lines(output / "clean" / "corrected.txt", corrected)
    clean = sorted((folder / "clean").iterdir())
    personal = write_lines(output / "clean" / "personal.txt", choose_personal(clean, frozenset(held_out), faults))
    patterns = draw_pairs(clean, frozenset(held_out), overlap, faults)
    write_lines(output / "pairs_patterns.tsv", patterns.lines())
    return Assembly(
        all_pairs=len(everything),
        changed_pairs=len(changed),
        write_improve_pairs=len(write_improve),
        mined_pairs=len(mined),
        pattern_pairs=len(patterns.rows),
        llm_pairs=len(llm.pairs),
        published_pairs=len(llm.published),
        corrected=len(corrected),
        personal=personal,
        held_out=len(held_out),
        reports={**{name: chain.report() for name, chain in sift.chains.items()}, "patterns": patterns.report()},
    )


def _shuffle_rows(pairs: Sequence[Pair], seed: int) -> Iterator[str]:
    return (f"{pair.source}\t{pair.target}" for pair in random.Random(seed).sample(pairs, len(pairs)))


def _read_mined(folder: Path, sift: PairSifter, faults: Faults) -> Iterator[Pair]:
    """Mined pairs in both spellings; none where there is no such folder."""
    for name in MINED:
        for path in sorted(folder.glob(f"{name}.tsv*")):
            rewritten = ("rewritten", filters.keeps_words(0.6))
            kept = sift(name, read_pairs(path, faults), ("unchanged", filters.is_changed), rewritten)
            yield from kept
            yield from sift(f"{name} respelled", respell(kept, tokenized=not name.endswith(".tok")))


def _noisy_filters() -> tuple[tuple[str, filters.Filter], ...]:
    """Filters for Lang-8, which volunteers corrected: many errors are left, many sentences rewritten or annotated."""
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
