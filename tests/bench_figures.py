"""Made-up figures of every measurement, as the commands leave them."""

from __future__ import annotations

from typing import Any

from redraft.lab.bench import published

MACHINE = {
    "command": "redraft bench something",
    "date": "2030-01-02",
    "processor": "A processor",
    "processors": 2,
    "system": "Linux x86_64",
    "load": 0.1,
    "versions": {"python": "3.11"},
}
TIMES = {"sentences": 4, "seconds": 0.04, "mean": 10.0, "p50": 9.0, "p90": 12.0, "p99": 13.0, "processor": 8.0}


def timed(calls: float = 2.0, speedup: float = 1.0) -> dict[str, Any]:
    return {**TIMES, "calls": calls, "speedup": speedup}


_GPU_PART = {
    "weights_mb": 390.0,
    "floor_ms": 0.17,
    "launches": {"tokens": 23, "first": 0.6, "later": 0.3},
    "methods": {"HF beam 5": timed(25.0), "graphs refine": timed()},
    "speed": {"HF beam 5": 1.0, "graphs refine": 114.9},
}
_SETUP = {
    "all": timed(),
    "by_length": {"1 to 10": timed(), "51 and more": {"sentences": 0}},
    "by_edits": {"0": timed(), "3 and more": {"sentences": 0}},
    "points": [[5, 0, 9.0], [30, 2, 20.0]],
    "startup": {"seconds": 0.5, "megabytes": 150.0},
    "typical": {
        "tokens": 25,
        "sentences": 8,
        "milliseconds": 8.0,
        "quickest": 7.0,
        "floor": {"milliseconds": 3.4},
        "share": 0.42,
        "share_at_best": 0.48,
    },
}
_LIBRARIES = {
    "redraft int8 refine": 1.0,
    "ctranslate2 int8 greedy": 4.5,
    "ctranslate2 int8 beam 5": 6.5,
    "transformers beam 5": 33.0,
}
_CHECKER = {
    "timing": timed(),
    "edits": 9,
    "caught": 5,
    "mended": 4,
    "findings": 6,
    "elsewhere": 1,
    "clean_sentences": 3,
    "clean_sentences_flagged": 0,
}
_CALLS = {"greedy": 12, "suffix": 4, "realign": 3, "refine": 2}
_METHODS = ("beam 5", "greedy", "suffix", "refine")

FIGURES: dict[str, dict[str, Any]] = {
    "latency": {"sentences": 4, "setups": {"onnx/int8": _SETUP, "onnx/fp32": {**_SETUP, "typical": None}}},
    "peers": {
        "sentences": 4,
        "shape": {"encoder_layers": 12, "decoder_layers": 2, "width": 512, "vocabulary": 16000},
        "methods": {name: timed() for name in _LIBRARIES},
        "times_ours": _LIBRARIES,
        "processor_times_ours": _LIBRARIES,
        "agreement": {name: {"mean": 0.1, "largest": 0.00001} for name in ("redraft", "transformers", "ctranslate2")},
    },
    "checkers": {
        "sentences": 7,
        "source": "a file",
        "version": "2",
        "checkers": {"redraft": _CHECKER, "harper.js": {**_CHECKER, "megabytes": 400.0}},
    },
    "paper": {
        "sentences": 4,
        "width": 512,
        "decoding": {
            "methods": {
                "beam 5": timed(20, 1.0),
                "greedy": timed(20, 2.0),
                "suffix": timed(5, 6.0),
                "realign": timed(4, 7.0),
                "refine": timed(3, 8.0),
            },
            "unlike_greedy": {"suffix": 0, "realign": 0, "refine": 0},
            "points": [[0.0, 8.0, 9.0], [0.2, 2.0, 3.0]],
            "scores": {"greedy": {"precision": 0.5, "recall": 0.25, "f": 0.417}},
        },
        "longest_drafts": {
            f"{policy} {longest or 'unlimited'}": timed()
            for policy in ("suffix", "refine")
            for longest in published.LONGEST_DRAFTS
        },
        "depths": {
            f"{encoder}+{decoder} {method}": timed() for encoder, decoder in published.DEPTHS for method in _METHODS[1:]
        },
        "processors": {
            threads: {f"{depths} {method}": timed() for depths in ("6+6", "9+3", "12+2") for method in _METHODS}
            for threads in ("1", "2")
        },
        "chinese": {"6+6 beam 5": timed(), "9+3 suffix": timed(3, 9.0)},
        "examples": [
            {
                "number": 2,
                "source": "One two three .",
                "edit_ratio": 0.25,
                "published": {"blocks": 3, "speedup": 2.0},
                "told": _CALLS,
                "own": _CALLS,
                "blocks": {
                    policy: [{"text": "One two", "parallel": True}, {"text": "", "parallel": False}]
                    for policy in ("suffix", "refine")
                },
            }
        ],
    },
    "throughput": {
        "sentences": 4,
        "tokens": 90,
        "precision": None,
        "default": 1024,
        "same_output": True,
        "megabytes": 200.0,
        "sizes": {size: {"sentences_per_second": 20.0, "tokens_per_second": 500.0} for size in ("1", "256")},
    },
    "gpu": {
        "dtype": "float16",
        "pairs": 9,
        "kernels": {"fused": True},
        "parts": {
            "big-9+3": _GPU_PART,
            "big-6+6": {"error": "out of memory"},
            "embedded": {
                **_GPU_PART,
                "identity": {
                    "sentences": 9,
                    "alone refine": {"unlike_greedy": 0, "calls": 2.0},
                    "alone unlike in a batch": 0,
                    "unlike single precision": 1,
                },
                "sentences_a_second": {"1": 900.0, "8": 3000.0},
            },
        },
    },
}
