from __future__ import annotations

from pathlib import Path

import pytest

from redraft.lab.data.pair import Pair
from redraft.lab.tagger.labels import TagLabeller, TagLabels
from redraft.lab.tagger.tags import Action, Tag
from redraft.lab.tagger.vocabulary import TagVocabulary
from redraft.lab.train.packing import Layout
from redraft.lab.train.workers import MixSource, PairReader, WorkerPlan
from redraft.tokens.tokenizer import Tokenizer


@pytest.fixture
def tokenizer(world: Path) -> Tokenizer:
    return Tokenizer.load(world / "tokenizer.json")


def test_the_tag_lies_at_the_first_token_and_weighs_more(vocabulary: TagVocabulary, tokenizer: Tokenizer):
    labeller = TagLabeller(vocabulary, tokenizer, 3.0)
    pair = labeller.label(Pair("The  dog likes teh sea.", "The dog likes the sea."), tokenizer.encode, 0)
    assert tokenizer.decode(pair.source) == "The dog likes teh sea." and pair.target == pair.source
    assert len(pair.labels) == len(pair.weights) == len(pair.source) + 1
    before = len(tokenizer.encode("The dog likes"))
    the = vocabulary.numbers[Tag(Action.REPLACE, "the")]
    assert [slot for slot, label in enumerate(pair.labels) if label] == [before] and pair.labels[before] == the
    assert pair.weights[before] == 3.0
    assert sorted(set(pair.weights)) == [0.0, 1.0, 3.0]
    assert sum(weight > 0 for weight in pair.weights) == 7, "six words and the start of the sentence"
    assert pair.weights[-1] == 1.0


def test_every_second_pair_of_several_passes_is_that_of_the_second(vocabulary: TagVocabulary, tokenizer: Tokenizer):
    labeller = TagLabeller(vocabulary, tokenizer, 1.0)
    pair = Pair("He go a school", "He goes to the school.")
    first, second = (tokenizer.decode(labeller.label(pair, tokenizer.encode, index).source) for index in (0, 1))
    assert (first, second) == ("He go a school", "He goes the school.")
    easy = Pair("teh sea", "the sea")
    assert tokenizer.decode(labeller.label(easy, tokenizer.encode, 1).source) == "teh sea"


def test_workers_label_text_and_shards_alike(world: Path):
    def read(kind, name):
        plan = WorkerPlan(
            (MixSource(kind, (world / name,), 1.0),),
            Layout(128, 64),
            1,
            1,
            world / "tokenizer.json",
            None,
            2.0,
            labels=TagLabels(world / "tags.json"),
        )
        return {(tuple(p.source), tuple(p.labels)) for p in (PairReader(plan).read(0, 0, n) for n in range(80))}

    assert read("shards", "ids") == label_lines(world)


def label_lines(world: Path) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    tokenizer = Tokenizer.load(world / "tokenizer.json")
    labeller = TagLabels(world / "tags.json").open(tokenizer, 2.0)
    lines = (world / "pairs.tsv").read_text(encoding="utf-8").splitlines()
    pairs = (labeller.label(Pair(*line.split("\t")), tokenizer.encode, 0) for line in lines)
    return {(tuple(pair.source), tuple(pair.labels)) for pair in pairs}
