"""Asks another model about corrections of clean text: which of them would it make too, and which would it not?

    python -m redraft.lab.train.second_opinion MODEL PAIRS --refused FILE --confirmed FILE

PAIRS are sentences and what a model made of them. Where another model, trained on other text, finds the sentence as it
was clearly likelier, the correction is mostly wrong: such sentences are written to `--refused`, to be trained on as
correct ones. Where it finds the correction clearly likelier, the text mostly has an error: such pairs are written to
`--confirmed`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from redraft.chunks import chunks
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults, read_pairs
from redraft.lab.data.text_output import write_lines
from redraft.lab.train.agreement import CHUNK, AgreementFilter
from redraft.lab.train.module_command import ModelAndSources, add_model_options, run_command
from redraft.lab.train.progress_lines import CountProgress

MOST_REFUSED, LEAST_CONFIRMED = -1.0, 2.0
"""In nats: how much likelier than the sentence as it was the other model finds its correction."""


@dataclass
class SecondOpinion:
    """The corrections that a model refuses and those that it confirms."""

    refused: list[Pair] = field(default_factory=list)
    confirmed: list[Pair] = field(default_factory=list)
    undecided: int = 0

    def ask(self, model: AgreementFilter, pairs: Iterable[Pair], advance: Callable[[int], None]) -> None:
        """Adds the pairs that were changed. `advance` is called with the number of pairs of each batch."""
        for chunk in chunks((pair for pair in pairs if pair.source != pair.target), CHUNK):
            for pair, gain in zip(chunk, model.gains(chunk, advance), strict=True):
                if gain is not None and gain <= MOST_REFUSED:
                    self.refused.append(pair)
                elif gain is not None and gain >= LEAST_CONFIRMED:
                    self.confirmed.append(pair)
                else:
                    self.undecided += 1


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m redraft.lab.train.second_opinion", description="Ask a model about the corrections of another."
    )
    parser.add_argument("model", type=Path, help="model folder, of another model than the one that corrected")
    parser.add_argument("pairs", type=Path, help="clean sentences and their corrections: source, tab, target")
    parser.add_argument("--refused", type=Path, required=True, help="file for sentences whose correction it refuses")
    parser.add_argument("--confirmed", type=Path, required=True, help="file for pairs whose correction it confirms")
    add_model_options(parser)
    options = parser.parse_args(arguments)

    def run() -> int:
        used = ModelAndSources.open(options.model, options.source_list, [options.pairs])
        opinion = SecondOpinion()
        pairs = list(read_pairs(options.pairs, Faults()))
        model = AgreementFilter.open(used.folder, options.device)
        opinion.ask(model, pairs, CountProgress("pairs", sum(pair.source != pair.target for pair in pairs)))
        write_lines(options.refused, (pair.source for pair in opinion.refused))
        write_lines(options.confirmed, (f"{pair.source}\t{pair.target}" for pair in opinion.confirmed))
        used.record(options.refused, options.confirmed)
        print(  # noqa: T201
            f"{len(pairs):,} read; {len(opinion.refused):,} refused, {len(opinion.confirmed):,} confirmed, "
            f"{opinion.undecided:,} undecided"
        )
        return 0

    return run_command(run)


if __name__ == "__main__":
    sys.exit(main())
