from __future__ import annotations

import sys
from pathlib import Path

import pytest

from redraft.edits.m2 import M2Edit, M2Sentence, read
from redraft.errors import InputError
from redraft.lab.evaluate.errant_scorer import describe_tools, load_annotator, score, score_annotated
from redraft.lab.evaluate.score import Counts, read_sentences


def sentence(*edits: tuple[int, int, str, str]) -> M2Sentence:
    gold_edits = tuple(M2Edit(start, end, kind, tuple(text.split("||"))) for start, end, kind, text in edits)
    return M2Sentence(("He", "have", "red", "car", "."), gold_edits)


def test_annotated_output_needs_no_errant() -> None:
    gold = sentence((1, 2, "R:VERB:SVA", "has"), (2, 2, "M:DET", "a"), (3, 4, "UNK", ""))
    ours = sentence((1, 2, "R:VERB:SVA", "has"), (2, 2, "M:DET", "the"))
    report = score_annotated([ours], [gold])
    assert report.counts == Counts(1, 2, 2)
    assert report.recall_by_kind()["R:VERB:SVA"].share == 1.0
    assert report.precision_by_kind()["M:DET"].share == 0.0


def test_alternatives_are_one_string_as_errant_reads_them() -> None:
    gold = sentence((2, 2, "M:DET", "a||the"))
    assert score_annotated([sentence((2, 2, "M:DET", "a"))], [gold]).counts == Counts(0, 1, 1)


def test_an_annotation_of_other_sentences_is_refused() -> None:
    with pytest.raises(InputError, match=r"out\.m2: sentence 2 differs from that of the gold"):
        score_annotated([sentence(), M2Sentence(("other",))], [sentence(), sentence()], name="out.m2")


def test_without_errant_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "errant", None)
    with pytest.raises(InputError, match="install the extra 'errant'"):
        load_annotator()


def test_without_a_model_the_message_says_how_to_get_one() -> None:
    pytest.importorskip("errant")
    with pytest.raises(InputError, match="python -m spacy download en_core_web_sm"):
        load_annotator("no_such_model")


def test_the_tools_are_named_with_their_versions() -> None:
    assert describe_tools("no_such_model").endswith("+no_such_model-none")


def test_errant_finds_and_types_edits(tmp_path: Path) -> None:
    pytest.importorskip("errant")
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    # ERRANT needs a tag on every token; which one does not matter to the spans.
    pipeline.add_pipe("attribute_ruler").add([[{}]], {"TAG": "NN", "POS": "NOUN"})
    pipeline.to_disk(tmp_path / "nouns")
    gold = [sentence((2, 2, "M:DET", "a")), sentence(), M2Sentence(())]
    report = score(["He have a red car .", "He have red car .", ""], gold, spacy_model=str(tmp_path / "nouns"))
    assert report.counts == Counts(1, 1, 1)


@pytest.mark.parametrize(("system", "official"), [("lowresource", 0.4495), ("restricted", 0.53)])
def test_figures_on_bea19_are_errants(shared_data: Path, system: str, official: float) -> None:
    pytest.importorskip("errant")
    pytest.importorskip("en_core_web_sm")
    lines = read_sentences(shared_data / "en" / "scorer" / f"bea19dev.{system}.out")
    report = score(lines, list(read(shared_data / "en" / "dev" / "bea19.dev.m2")))
    # spaCy's models differ a little from one release to the next, and ERRANT's edits with them.
    assert abs(report.f - official) < 0.005
