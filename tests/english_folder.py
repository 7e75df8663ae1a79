"""A data folder in little, laid out as docs/data.md says."""

from __future__ import annotations

import lzma
from pathlib import Path

CLEAN = [
    "The children walked to the old house, and nobody saw them leave.",
    "She receives a letter from her brother every week.",
    "We cannot say why the cats are walking along the wall.",
    "Nobody goes there when it rains, because the river is high.",
    "He has written something about the history of the town.",
]
PAIRS = [
    ("He go home every days.", "He goes home every day."),
    ("She like the cats.", "She likes the cats."),
    ("I saw dog in garden.", "I saw the dog in the garden."),
    ("This one is held out.", "This one was held out."),
    ("All is well.", "All is well."),
]
M2 = """S He go home every days .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 4 5|||R:NOUN:NUM|||day|||REQUIRED|||-NONE-|||0
"""
DEV = "S This one is held out .\nA 2 3|||R:VERB:TENSE|||was|||REQUIRED|||-NONE-|||0\n"


def lay_out(folder: Path) -> Path:
    for name in ("clean", "pairs", "lexicon", "dev"):
        (folder / name).mkdir(parents=True)
    for name in ("openstax", "digitalgov", "wikinews"):
        pack(folder / "clean" / f"{name}.txt.xz", [f"{sentence}" for sentence in CLEAN])
    rows = [f"{source}\t{target}" for source, target in PAIRS]
    tokenized = [row.replace(".", " .") for row in rows]
    pairs = folder / "pairs"
    for name in ("wi.train.raw", "fce.train.raw", "languagetool_examples"):
        pack(pairs / f"{name}.tsv.xz", rows)
    for name in ("wi.train.tok", "lang8_sample.tok"):
        pack(pairs / f"{name}.tsv.xz", tokenized)
    pack(pairs / "wi.A.train.m2.xz", [M2])
    (folder / "dev" / "some.dev.m2").write_text(DEV)
    lexicon = folder / "lexicon"
    (lexicon / "codespell.txt").write_text("recieves->receives\nwal->wall, wale,\nalot->a lot\n")
    (lexicon / "toefl_spell.tsv").write_text(
        "Filename\tOffsetSpan\tMisspelling\tType\tCorrection\n1\t2\thistroy\tM\thistory\n"
    )
    (lexicon / "lt_confusion_sets.txt").write_text("# sets\nwall -> well; 10; # p=1\nriver; rover; 100\n")
    (lexicon / "lt_en-US-GB.txt").write_text("color;colour\n")
    (lexicon / "lt_uncountable.txt").write_text("#nouns\nhistory\n")
    return folder


def pack(path: Path, lines: list[str]) -> None:
    path.write_bytes(lzma.compress(("\n".join(lines) + "\n").encode()))
