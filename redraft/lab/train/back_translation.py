"""Back-translation: a model that was trained on pairs with their sides swapped puts errors into clean text.

Such a model has learnt which errors people make in which sentences, which an error table cannot know. It is trained
with `data.reversed = true`. Each token is a sample of its distribution, with noise that is fixed for each sentence and
position, so that the same seed gives the same pairs.

    python -m redraft.lab.train.back_translation MODEL FILE... --output PAIRS

does the same as `redraft synthesize --model` on machines that have torch, numpy, tokenizers and safetensors alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import torch

from redraft.decode.loop import DecodeOptions
from redraft.engines.cuda.bulk.sampling import Sampling
from redraft.engines.torch import TorchEngine
from redraft.errors import InputError
from redraft.lab.data.readers import Faults, read_sentences
from redraft.lab.data.synthesis import cut_into_batches
from redraft.lab.data.text_output import open_output
from redraft.lab.train.bulk_teacher import BulkTeacher
from redraft.lab.train.module_command import ModelAndSources, add_model_options, run_command
from redraft.lab.train.process_group import default_device
from redraft.lab.train.progress_lines import CountProgress
from redraft.model.folder import ModelFolder

LEAST_COMMON_WORDS = 0.4
"""Share of the words of the longer side that both sides have: below it, the sample is another sentence."""
SHORT = 3
CPU_BATCH = 32
"""Sentences decoded at a time without a GPU: a call computes as many places whether sentences fill them or not."""


@dataclass(slots=True)
class BackTranslationReport:
    """Numbers of sentences."""

    read: int = 0
    unusable: int = 0
    """Too long for the model, or its output has no end."""
    too_different: int = 0
    unchanged: int = 0
    """Written too: a model must learn to leave sentences alone."""
    written: int = 0

    def __str__(self) -> str:
        return (
            f"{self.read:>10,} read\n{self.unusable:>10,} dropped: too long, or the model came to no end\n"
            f"{self.too_different:>10,} dropped: another sentence\n{self.written:>10,} written, of these\n"
            f"{self.unchanged:>10,} without errors"
        )


def open_error_writer(folder: ModelFolder, device: str = "", temperature: float = 1.0, seed: int = 0) -> BulkTeacher:
    """The model of a folder on a device, such as cuda; by default on a GPU if torch finds one."""
    chosen = device or default_device()
    on_gpu = chosen.startswith("cuda")
    sampling = Sampling(temperature, seed)
    engine = TorchEngine.load(folder, chosen, torch.float16 if on_gpu else torch.float32)
    batch = None if on_gpu else CPU_BATCH
    return BulkTeacher.open(folder, engine.model, DecodeOptions(), batch=batch, sampling=sampling)


def back_translate(
    model: BulkTeacher, sentences: Iterable[str], output: Path, advance: Callable[[], None] = lambda: None
) -> BackTranslationReport:
    """Writes a line for each clean sentence: with the model's errors, tab, without them. The output is written in one
    step; `advance` is called for each sentence."""
    report = BackTranslationReport()
    with open_output(output) as file:
        for batch in model.label_batches(cut_into_batches(sentences), advance=advance):
            lines = batch.lines.decode().splitlines()
            report.read += batch.read
            report.unusable += batch.read - len(lines)
            for line in lines:
                clean, _, noisy = line.partition("\t")
                if is_other_sentence(noisy, clean):
                    report.too_different += 1
                    continue
                report.unchanged += noisy == clean
                report.written += 1
                file.write(f"{noisy}\t{clean}\n")
        if not report.read:
            raise InputError("there is nothing to put errors into: the files contain no sentence")
    return report


def is_other_sentence(noisy: str, clean: str) -> bool:
    """Whether the sides have too few words in common. Shorter sentences are kept: one misspelling is much of them."""
    before, after = set(noisy.lower().split()), set(clean.lower().split())
    longest = max(len(before), len(after))
    return longest > SHORT and len(before & after) < LEAST_COMMON_WORDS * longest


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.train.back_translation",
        description="Put errors into clean text with a model that was trained on pairs with their sides swapped.",
    )
    parser.add_argument("model", type=Path, help="model folder, trained with data.reversed = true")
    parser.add_argument("files", type=Path, nargs="+", metavar="file", help="clean text, one sentence per line")
    parser.add_argument("--output", type=Path, required=True, help="pairs to write, a .tsv, .tsv.xz or .tsv.gz file")
    parser.add_argument("--temperature", type=float, default=1.0, help="more errors above 1; default %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="seed of the errors; default %(default)s")
    add_model_options(parser)
    options = parser.parse_args(arguments)

    def run() -> int:
        used = ModelAndSources.open(options.model, options.source_list, options.files)
        model = open_error_writer(used.folder, options.device, options.temperature, options.seed)
        faults = Faults()
        sentences = [sentence for path in options.files for sentence in read_sentences(path, faults)]
        report = back_translate(model, sentences, options.output, CountProgress("sentences", len(sentences)))
        used.record(options.output)
        print(report)  # noqa: T201
        return 0

    return run_command(run)


if __name__ == "__main__":
    sys.exit(main())
