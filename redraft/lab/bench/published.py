"""Figures that the paper reports, for comparison.

"Instantaneous Grammatical Error Correction with Shallow Aggressive Decoding",
Xin Sun, Tao Ge, Furu Wei, Houfeng Wang, ACL 2021, CC BY 4.0. Seconds are on a V100 for the 1,381 sentences of CoNLL-13,
one at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

DECODING: Mapping[str, float] = {"beam 5": 440, "greedy": 328, "suffix": 54}
LONGEST_DRAFTS: Mapping[int | None, float] = {1: 328, 2: 208, 3: 148, 5: 109, 10: 75, 20: 64, 40: 54, None: 54}
"""Seconds by L_max, the largest number of tokens decoded in parallel; None is no limit."""
DEPTHS: Mapping[tuple[int, int], float] = {
    (6, 6): 328,
    (3, 6): 314,
    (9, 6): 345,
    (6, 3): 175,
    (6, 9): 457,
    (7, 5): 271,
    (8, 4): 240,
    (9, 3): 181,
    (10, 2): 137,
    (11, 1): 86,
}
"""Seconds of greedy decoding by layers of encoder and decoder."""
PROCESSORS: Mapping[tuple[tuple[int, int], int], Mapping[str, float]] = {
    ((6, 6), 8): {"beam 5": 1.0, "greedy": 1.6, "suffix": 6.5},
    ((9, 3), 8): {"beam 5": 1.5, "greedy": 2.5, "suffix": 8.0},
    ((6, 6), 2): {"beam 5": 1.0, "greedy": 2.1, "suffix": 6.1},
    ((9, 3), 2): {"beam 5": 1.5, "greedy": 3.1, "suffix": 7.6},
}
"""Speedup over 6+6 with five beams on a CPU, by depths and threads."""


@dataclass(frozen=True, slots=True)
class EfficientModel:
    """A row of the paper's comparison with other models: MaxMatch, and the speedup over 6+6 with five beams."""

    name: str
    precision: float
    recall: float
    f: float
    speedup: float | None
    """None where the paper has none."""
    data: str = ""
    """What it was trained on besides annotated pairs, and how."""


_SYNTHETIC, _STAGES = "synthetic pairs", "synthetic pairs, several stages"
ENGLISH = (
    EfficientModel("Transformer-big, beam 5", 60.2, 32.1, 51.2, 1.0),
    EfficientModel("Levenshtein Transformer", 53.1, 23.6, 42.5, 2.9),
    EfficientModel("LaserTagger", 50.9, 26.9, 43.2, 29.6),
    EfficientModel("Span Correction", 66.0, 24.7, 49.5, 2.6),
    EfficientModel("the paper's 9+3", 58.8, 33.1, 50.9, 10.5),
    EfficientModel("Transformer-big, beam 5", 73.0, 38.1, 61.6, 1.0, _SYNTHETIC),
    EfficientModel("PIE", 66.1, 43.0, 59.7, 10.3, _SYNTHETIC),
    EfficientModel("Span Correction", 72.6, 37.2, 61.0, 2.6, _SYNTHETIC),
    EfficientModel("the paper's 9+3", 73.3, 41.3, 63.5, 10.3, _SYNTHETIC),
    EfficientModel("Seq2Edits", 63.0, 45.6, 58.6, None, _STAGES),
    EfficientModel("GECToR, RoBERTa", 73.9, 41.5, 64.0, 12.4, _STAGES),
    EfficientModel("GECToR, XLNet", 77.5, 40.1, 65.3, None, _STAGES),
    EfficientModel("the paper's 12+2 from BART", 71.0, 52.8, 66.4, 9.6, _STAGES),
)
"""On CoNLL-14. The figures of the Levenshtein Transformer, LaserTagger, Span Correction and PIE are those of Chen et
al. (2020); the speedups of LaserTagger and PIE are from TensorFlow, the others from fairseq."""
CHINESE = (
    EfficientModel("Transformer-big, beam 5", 36.0, 17.2, 29.6, 1.0),
    EfficientModel("Levenshtein Transformer", 24.9, 15.0, 22.0, 3.1),
    EfficientModel("LaserTagger", 25.6, 10.5, 19.9, 38.0),
    EfficientModel("Span Correction", 37.3, 14.5, 28.4, 2.7),
    EfficientModel("the paper's 9+3", 33.0, 20.5, 29.4, 12.0),
)
"""On NLPCC-18."""


def speedups() -> dict[str, Any]:
    """The paper's speedups, laid out like the measured ones in the report of `redraft bench paper`."""
    baseline = LONGEST_DRAFTS[1]
    return {
        "decoding": {name: round(DECODING["beam 5"] / seconds, 1) for name, seconds in DECODING.items()},
        "longest_drafts": {
            str(longest or "unlimited"): round(baseline / seconds, 1) for longest, seconds in LONGEST_DRAFTS.items()
        },
        "depths, greedy": {name_depths(depths): round(DEPTHS[6, 6] / seconds, 1) for depths, seconds in DEPTHS.items()},
        "processors": {
            f"{name_depths(depths)}, {threads} threads": dict(row) for (depths, threads), row in PROCESSORS.items()
        },
        "efficient models, CoNLL-14": _rows(ENGLISH),
        "efficient models, NLPCC-18": _rows(CHINESE),
    }


def _rows(models: Iterable[EfficientModel]) -> dict[str, str]:
    """Precision, recall, F0.5 and speedup of each model, as text."""
    return {
        f"{model.name}{f' ({model.data})' if model.data else ''}": f"{model.precision} / {model.recall} / {model.f}, "
        + (f"{model.speedup}×" if model.speedup else "no speedup given")
        for model in models
    }


def name_depths(depths: tuple[int, int]) -> str:
    """Layers of encoder and decoder, such as `9+3`."""
    return f"{depths[0]}+{depths[1]}"


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence of CoNLL-13 with the paper's output, its number of blocks, and its speedup over greedy."""

    source: str
    output: str
    blocks: int
    speedup: float


EXAMPLES = (
    Example(
        "Personally , I think surveillance technology such as RFID ( radio-frequency identification ) should not be "
        "used to track people , for the benefit it brings to me can not match the concerns it causes .",
        "Personally , I think surveillance technology such as RFID ( radio-frequency identification ) should not be "
        "used to track people , for the benefit it brings to me can not match the concerns it causes .",
        1,
        16.7,
    ),
    Example(
        "Nowadays , people use the all-purpose smart phone for communicating .",
        "Nowadays , people use the all-purpose smart phone for communicating .",
        1,
        5.8,
    ),
    Example(
        "Because that the birth rate is reduced while the death rate is also reduced , the percentage of the elderly "
        "is increased while that of the youth is decreased .",
        "Because the birth rate is reduced while the death rate is also reduced , the percentage of the elderly "
        "is increased while that of the youth is decreased .",
        3,
        6.8,
    ),
    Example(
        "More importantly , they can share their ideas of how to keep healthy through Internet , to make more "
        "interested people get involve and find ways to make life longer and more wonderful .",
        "More importantly , they can share their ideas of how to keep healthy through the Internet , to make more "
        "interested people get involved and find ways to make life longer and more wonderful .",
        6,
        5.1,
    ),
    Example(
        "As a result , people have more time to enjoy advantage of modern life .",
        "As a result , people have more time to enjoy the advantages of modern life .",
        4,
        3.5,
    ),
    Example(
        "Nowadays , technology is more advance than the past time .",
        "Nowadays , technology is more advanced than in the past .",
        5,
        1.5,
    ),
    Example(
        "People are able to predicate some disasters like the earth quake and do the prevention beforehand .",
        "People are able to predict disasters like the earthquake and prevent them beforehand .",
        8,
        1.4,
    ),
)
"""Quoted from the paper's table of examples."""
