"""docs/benchmarks.md, put together from the figures that the measurements have left beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from redraft.errors import InputError
from redraft.lab.bench import plots
from redraft.lab.bench.sections import SECTIONS, Figures, find_shapes, write_table

PAGE = "benchmarks.md"
FIGURES = "benchmarks"
IMAGES = "images"

INTRODUCTION = """# Benchmarks

Every figure on this page was written by a command, which stands with its machine above the table. Whatever is compared
was measured in one run, in turns, sentence by sentence. Milliseconds are by the clock; "processor" counts those of all
threads.
"""
AGAIN = """## Measuring again

On a quiet machine, some ten minutes on two cores. Any M2 file or pairs will do; without a file, built-in sentences.

```console
$ pip install 'redraft[bench]'
$ redraft bench latency conll13.m2 --threads 2 --report docs
$ redraft bench peers bea19.dev.m2 --threads 2 --report docs
$ redraft bench paper conll13.m2 --report docs
$ redraft bench throughput bea19.dev.m2 --threads 2 --report docs
```

Two minutes on a GPU, where only torch, transformers, tokenizers and safetensors need be:

```console
$ redraft prepare conll13.m2 --out conll13.tsv
$ python -m redraft.lab.bench.gpu conll13.tsv --json docs/benchmarks/gpu.json
$ redraft bench page docs
```
"""
HEADINGS = {
    "goals": "## Goals",
    "latency": "## One sentence",
    "peers": "## The same network elsewhere",
    "checkers": "## A checker with rules",
    "paper": "## The paper's tables",
    "throughput": "## Long texts",
    "gpu": "## On a GPU",
}


def save(folder: Path, name: str, machine: Figures, figures: Figures, model: str = "") -> None:
    """Keeps the figures of one measurement under `folder` and puts the page together anew; `model` if it is not the
    main one."""
    (folder / FIGURES).mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": machine, "figures": figures}, indent=1, ensure_ascii=False)
    file = f"{name}.{model}.json" if model else f"{name}.json"
    (folder / FIGURES / file).write_text(text + "\n", encoding="utf-8")
    write(folder)


def write(folder: Path) -> None:
    """The page and its plots, from all figures there are."""
    found = read(folder)
    (folder / PAGE).write_text(assemble(found, plots.draw(found, folder / IMAGES)), encoding="utf-8")


def read(folder: Path) -> dict[str, Figures]:
    """All figures there are, by the measurement's name, or by `name.model` for another model than the main one."""
    found = {}
    for name in HEADINGS:
        main, others = folder / FIGURES / f"{name}.json", (folder / FIGURES).glob(f"{name}.*.json")
        for path in filter(Path.is_file, (main, *sorted(others))):
            try:
                found[path.stem] = json.loads(path.read_text(encoding="utf-8"))
            except ValueError as error:
                raise InputError(f"{path} is damaged ({error}); measure again: redraft bench {name}") from None
    return found


def assemble(found: Mapping[str, Figures], images: Mapping[str, str]) -> str:
    """The page as Markdown; `images` names the plots that there are."""
    parts = [INTRODUCTION]
    goals = list(_goals(found))
    if goals:
        parts += [HEADINGS["goals"], write_table(("what", "goal", "measured"), goals)]
    for name, write_section in SECTIONS.items():
        for key, measured in found.items():
            section, _, model = key.partition(".")
            if section != name:
                continue
            heading = f"{HEADINGS[name]}: the model {model}" if model else HEADINGS[name]
            parts += [heading, _origin(measured["machine"]), *write_section(measured["figures"])]
            parts += [f"![{title}]({IMAGES}/{file})" for file, title in images.items() if file.startswith(f"{key}-")]
    return "\n\n".join(part.strip() for part in (*parts, AGAIN)) + "\n"


def _origin(machine: Figures) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    where = f"{machine['processor']}, {machine['processors']} processors, {machine['system']}"
    text = f"`{machine['command']}`, {machine['date']}: {where}; {versions}."
    load = machine.get("load")
    if load is not None and load > machine["processors"] / 2:
        text += f" The machine was busy with other programs (load {load}): times are longer than on a quiet one."
    return text


def _goals(found: Mapping[str, Figures]) -> Iterator[Sequence[str]]:
    if "peers" in found:
        times = found["peers"]["figures"]["times_ours"]
        for name, least in (
            ("ctranslate2 int8 greedy", 4),
            ("ctranslate2 int8 beam 5", 6),
            ("transformers beam 5", 30),
        ):
            yield f"times as fast as {name}", f"{least}×", f"{times[name]:.1f}×"
    if "latency" in found:
        setups = found["latency"]["figures"]["setups"].items()
        # The first of those in integers is the default.
        for name, setup in [(name, setup) for name, setup in setups if name.endswith("int8") and setup["typical"]][:1]:
            tokens, share = setup["typical"]["tokens"], setup["typical"]["share"]
            what = f"share of what the hardware allows, {name}, {tokens} tokens unchanged"
            yield what, "40%", f"{share:.0%}"
    if "paper" in found:
        methods = found["paper"]["figures"]["decoding"]["methods"]
        fewer = 1 - methods["refine"]["calls"] / methods["suffix"]["calls"]
        yield "fewer decoder calls than the paper's rule", "35%", f"{fewer:.0%}"
    if "gpu" in found:
        device = found["gpu"]["machine"]["processor"]
        for name, part in find_shapes(found["gpu"]["figures"]):
            times, mean = part["speed"]["graphs refine"], part["methods"]["graphs refine"]["mean"]
            yield f"{device}, {name}: times as fast as transformers beam 5", "60×", f"{times:.0f}×"
            yield f"{device}, {name}: milliseconds a sentence, mean", "under 2", f"{mean:.2f}"
