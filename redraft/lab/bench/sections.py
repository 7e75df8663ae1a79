"""What the page of benchmarks says of each measurement: figures in, Markdown out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from redraft.lab.bench import published

Figures = Mapping[str, Any]
EMBEDDED = "embedded"
"""The part of the GPU's figures about a trained model; the others are about shapes."""


def _latency(figures: Figures) -> Iterator[str]:
    yield (
        f"{figures['sentences']} sentences, one at a time, from text to edits, with the embedded model. "
        "Nothing is remembered from one to the next."
    )
    for part, title in (("by_length", "tokens"), ("by_edits", "edits")):
        rows = []
        for name, setup in figures["setups"].items():
            groups = {**setup[part], "all": setup["all"]}
            rows += [
                (name, group, str(values["sentences"]), *_times(values))
                for group, values in groups.items()
                if values["sentences"]
            ]
        yield write_table(("engine", title, "sentences", "p50 ms", "p90", "p99", "processor", "decoder calls"), rows)
    rows = []
    for name, setup in figures["setups"].items():
        start = setup["startup"]
        rows.append((name, f"{start['seconds']:.2f} s", f"{start['megabytes']:.0f} MB", *_typical(setup["typical"])))
    yield write_table(
        ("engine", "start to first answer", "memory", "unchanged sentence", "floor", "share", "share at best"), rows
    )
    yield (
        "The floor is the longer of two times: to read all weights once, and to do all multiplications "
        "with weights, both at the highest rates measured in the same run, on a block of memory as large "
        "as the weights and on square matrices. Attention, tokenizing and finding edits are not in it. "
        '"At best" is the quickest of all rounds instead of the middle.'
    )


def _times(values: Figures) -> tuple[str, ...]:
    return (
        *(f"{values[key]:.1f}" for key in ("p50", "p90", "p99", "processor")),
        f"{values['calls']:.2f}",
    )


def _typical(typical: Figures | None) -> tuple[str, ...]:
    if typical is None:
        return ("", "", "", "")
    floor = typical["floor"]["milliseconds"]
    return (
        f"{typical['milliseconds']:.1f} ms ({typical['tokens']} tokens)",
        f"{floor:.1f} ms",
        f"{typical['share']:.0%}",
        f"{typical['share_at_best']:.0%}",
    )


def _peers(figures: Figures) -> Iterator[str]:
    shape = figures["shape"]
    yield (
        f"One network of {shape['encoder_layers']}+{shape['decoder_layers']} layers, {shape['width']} wide, "
        f"{shape['vocabulary']:,} tokens, with the weights of the embedded model, in three libraries. Its "
        "rotary positions in cross-attention can be expressed in neither of the others, so all three, "
        "Redraft too, run the weights with sinusoidal positions added to the embeddings. What such a "
        "network writes by itself makes no sense: everyone is made to write what the embedded model "
        "writes. Redraft is told its predictions and makes the very decoder calls of the embedded model; "
        "in `transformers` (Pegasus, the same architecture) a logits processor forces each token; "
        "CTranslate2 cannot be forced without sparing it the work, so it writes what it likes, but as many "
        "tokens."
    )
    rows = [
        (
            name,
            f"{values['mean']:.1f}",
            *_times(values),
            *(f"{figures[ratios][name]:.1f}×" for ratios in ("times_ours", "processor_times_ours")),
        )
        for name, values in figures["methods"].items()
    ]
    columns = (
        "method",
        "mean ms",
        "p50",
        "p90",
        "p99",
        "processor",
        "decoder calls",
        "against ours",
        "processor, against ours",
    )
    yield write_table(columns, rows)
    agreement = figures["agreement"]
    yield (
        "That it is the same network: log-probabilities of what is written differ from Redraft's in single "
        f"precision by {agreement['transformers']['largest']:.0e} at most in `transformers`, and by "
        f"{agreement['ctranslate2']['mean']:.2f} on average in CTranslate2, which rounds to 8 bits."
    )


def _checkers(figures: Figures) -> Iterator[str]:
    checkers = figures["checkers"]
    if "skipped" in figures:
        yield f"harper.js is not in the table: {figures['skipped']}."
    yield (
        f"{figures['sentences']} sentences with the edits of annotators, {figures['source']}. Caught: "
        "something is said where an edit was made, each finding counting once. Mended: a suggestion makes "
        "the same text. Elsewhere: findings where no annotator changed anything, right or wrong. harper.js "
        "answers through a pipe."
    )
    rows = [
        (
            f"{name} {figures['version']}" if name == "harper.js" else name,
            *(f"{values['timing'][key]:.1f}" for key in ("p50", "p90", "p99")),
            *(f"{values[key]} of {values['edits']}" for key in ("caught", "mended")),
            f"{values['elsewhere']} of {values['findings']}",
            f"{values['clean_sentences_flagged']} of {values['clean_sentences']}",
        )
        for name, values in checkers.items()
    ]
    columns = ("checker", "p50 ms", "p90", "p99", "caught", "mended", "elsewhere", "clean sentences flagged")
    yield write_table(columns, rows)


def _paper(figures: Figures) -> Iterator[str]:
    yield (
        "The paper's figures are of Transformer-big on a V100, for 1,381 sentences of CoNLL-13; ours of "
        f"the embedded model on this CPU, for {figures['sentences']} sentences. `suffix` is the paper's "
        "rule, `realign` and `refine` are ours."
    )
    yield "### Beam, greedy, aggressive"
    yield from _decoding(figures["decoding"])
    yield "### Longest draft"
    rows = []
    for longest, seconds in published.LONGEST_DRAFTS.items():
        name = longest or "unlimited"
        pair = [figures["longest_drafts"][f"{policy} {name}"] for policy in ("suffix", "refine")]
        rows.append(
            (str(name), f"{328 / seconds:.1f}×", *(f"{one['speedup']:.1f}× ({one['calls']:.1f})" for one in pair))
        )
    yield write_table(("L_max", "paper", "suffix: speedup (calls)", "refine: speedup (calls)"), rows)
    yield "### Depths, and a CPU with one and two threads"
    yield (
        f"Models without training, {figures['width']:,} wide; the paper's are 1,024, and ten of that size "
        "are too much for a laptop. They do all the work and are told that they have written what the "
        "embedded model writes, so calls are real ones."
    )
    rows = []
    for depths, seconds in published.DEPTHS.items():
        name = f"{depths[0]}+{depths[1]}"
        rows.append(
            (
                name,
                f"{328 / seconds:.1f}×",
                *(
                    f"{figures['depths'][f'{name} {method}']['speedup']:.1f}×"
                    for method in ("greedy", "suffix", "refine")
                ),
            )
        )
    yield write_table(("encoder + decoder", "paper, greedy", "greedy", "suffix", "refine"), rows)
    yield from _processors(figures)
    yield "### The paper's examples"
    yield from _examples(figures["examples"])


def _decoding(figures: Figures) -> Iterator[str]:
    scores = figures.get("scores", {})
    rows = []
    for name, values in figures["methods"].items():
        seconds = published.DECODING.get(name)
        paper = f"{published.DECODING['beam 5'] / seconds:.1f}×" if seconds else ""
        unlike = figures["unlike_greedy"].get(name)
        score = scores.get(name)
        rows.append(
            (
                name,
                paper,
                f"{values['speedup']:.1f}×",
                f"{values['mean']:.1f}",
                f"{values['calls']:.2f}",
                "" if unlike is None else str(unlike),
                f"{100 * score['precision']:.1f} / {100 * score['recall']:.1f} / {100 * score['f']:.1f}"
                if score
                else "",
            )
        )
    columns = ("decoding", "paper", "speedup", "mean ms", "decoder calls", "unlike greedy", "P / R / F0.5 of these")
    yield write_table(columns, rows)


def _processors(figures: Figures) -> Iterator[str]:
    rows = []
    for threads, methods in figures["processors"].items():
        for depths in ("6+6", "9+3", "12+2"):
            layers = tuple(map(int, depths.split("+")))
            told = next(
                (row for (shape, count), row in published.PROCESSORS.items() if (shape, count) == (layers, 2)), {}
            )
            rows.append(
                (
                    depths,
                    threads,
                    *(
                        f"{methods[f'{depths} {name}']['speedup']:.1f}×"
                        for name in ("beam 5", "greedy", "suffix", "refine")
                    ),
                    " / ".join(f"{value}×" for value in told.values()) if threads == "2" else "",
                )
            )
    columns = ("encoder + decoder", "threads", "beam 5", "greedy", "suffix", "refine", "paper, 2 threads")
    yield "Against 6+6 with five beams and as many threads:"
    yield write_table(columns, rows)
    final = ", ".join(f"{name} {speedup}×" for name, speedup in published.FINAL.items())
    yield f"The paper's final models on a GPU, against the same baseline: {final}."
    if "chinese" in figures:
        cells = ", ".join(
            f"{name} {values['speedup']:.1f}×"
            for name, values in figures["chinese"].items()
            if not name.startswith("6+6")
        )
        yield f"In Chinese, characters as tokens, references written, against 6+6 with five beams: {cells}."


def _examples(examples: Sequence[Figures]) -> Iterator[str]:
    yield (
        "Seven sentences that the paper quotes (CC BY 4.0), with its edit ratio in our tokens. Decoder "
        "calls if the output is the paper's, and of the embedded model for its own output, block by block: "
        "what came in parallel is in brackets."
    )
    rows = []
    for example in examples:
        told, own = example["told"], example["own"]
        rows.append(
            (
                str(example["number"]),
                f"{example['edit_ratio']:.2f}",
                str(example["published"]["blocks"]),
                *(f"{calls['greedy']} / {calls['suffix']} / {calls['refine']}" for calls in (told, own)),
            )
        )
    calls = "greedy / suffix / refine"
    yield write_table(("", "edit ratio", "blocks in the paper", f"{calls}, its output", f"{calls}, our output"), rows)
    yield "\n".join(f"{example['number']}. {_blocks(example)}" for example in examples)


def _blocks(example: Figures) -> str:
    def show(policy: str) -> str:
        texts = (
            f"[{block['text'].strip()}]" if block["parallel"] else block["text"].strip() or "(end)"
            for block in example["blocks"][policy]
        )
        return " · ".join(texts)

    return f"`suffix` {show('suffix')}<br>`refine` {show('refine')}"


def _throughput(figures: Figures) -> Iterator[str]:
    same = "The output is the same for all sizes." if figures["same_output"] else "The output differs between sizes."
    yield (
        f"{figures['sentences']} sentences ({figures['tokens']:,} tokens) through `Corrector.pipe`, which "
        "sorts them by length within windows, by the number of tokens decoded side by side. The default is "
        f"{figures['default']}. {same}"
    )
    rows = [
        (
            "one sentence" if size == "1" else f"{size} tokens",
            f"{values['sentences_per_second']:.1f}",
            f"{values['tokens_per_second']:,.0f}",
        )
        for size, values in figures["sizes"].items()
    ]
    yield write_table(("side by side", "sentences a second", "tokens a second"), rows)


def _gpu(figures: Figures) -> Iterator[str]:
    yield (
        "Two shapes of the paper with random weights, and the embedded model. Random weights do all the work on real "
        "sentences and are told what they have predicted: the reference of the sentence, which has more edits than a "
        "model makes, or what the embedded model writes for it (`own`). A reference is dictated rightly even behind a "
        "wrong token, which spares `refine` some calls; what the embedded model writes depends on every token before, "
        "so calls under `own` are a trained model's. `graphs` is the engine `cuda`, `eager` is plain torch; `HF` "
        "is transformers, which writes as many tokens as the reference has. Slow methods are timed on some of the "
        "sentences, spread evenly; times as fast counts the sentences that both had. The floor is the weights through "
        "memory once for each call."
    )
    for name, part in (*find_shapes(figures), *_trained(figures)):
        launches = part["launches"]
        yield f"### {name}"
        yield (
            f"{part['weights_mb']:.0f} MB in {figures['dtype']}, a floor of {part['floor_ms']:.2f} ms. A sentence of "
            f"{launches['tokens']} tokens takes {launches['first']:.2f} ms for encoder and draft, and "
            f"{launches['later']:.2f} ms for each later call."
        )
        slowest = next(iter(part["methods"]))
        yield write_table(
            ("method", "sentences", "mean ms", "p50", "p90", "p99", "decoder calls", f"times as fast as {slowest}"),
            [
                (
                    method,
                    str(values["sentences"]),
                    *(f"{values[column]:.2f}" for column in ("mean", "p50", "p90", "p99", "calls")),
                    f"{part['speed'][method]:.1f}",
                )
                for method, values in part["methods"].items()
            ],
        )
    for _, part in _trained(figures):
        identity = part["identity"]
        same = [f"{where} {values['unlike_greedy']}" for where, values in identity.items() if isinstance(values, dict)]
        yield (
            f"Of {identity['sentences']:,} sentences, so many came out unlike greedy decoding: {', '.join(same)}. "
            f"Unlike in a batch when alone: {identity['alone unlike in a batch']}; unlike single precision: "
            f"{identity['unlike single precision']}."
        )
        rows = [(batch, f"{value:,.0f}") for batch, value in part["sentences_a_second"].items()]
        yield write_table(("sentences side by side", "sentences a second, `refine`"), rows)


def find_shapes(figures: Figures) -> list[tuple[str, Figures]]:
    return [(name, part) for name, part in figures["parts"].items() if name != EMBEDDED and "methods" in part]


def _trained(figures: Figures) -> list[tuple[str, Figures]]:
    part = figures["parts"].get(EMBEDDED, {})
    return [(f"the {EMBEDDED} model", part)] if "identity" in part else []


SECTIONS: Mapping[str, Callable[[Figures], Iterator[str]]] = {
    "latency": _latency,
    "peers": _peers,
    "checkers": _checkers,
    "paper": _paper,
    "throughput": _throughput,
    "gpu": _gpu,
}


def write_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
