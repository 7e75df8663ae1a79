from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.edits.m2 import M2Edit, M2Sentence, read
from redraft.errors import ConfigError, InputError
from redraft.lab.evaluate import maxmatch
from redraft.lab.evaluate.maxmatch import Options, score, score_sentence
from redraft.lab.evaluate.score import Counts, read_sentences

CASES = json.loads((Path(__file__).parent / "maxmatch_cases.json").read_text())


def gold(source: str, *edits: tuple[int, int, str], annotator: int = 0) -> M2Sentence:
    """A sentence whose corrections are written as in M2 files, alternatives parted by ||."""
    gold_edits = tuple(
        M2Edit(start, end, "X", tuple(text.split("||")), annotator=annotator) for start, end, text in edits
    )
    return M2Sentence(tuple(source.split()), gold_edits)


def count(hypothesis: str, sentence: M2Sentence, **options: object) -> tuple[int, int, int]:
    counts = score([hypothesis], [sentence], Options(**options)).counts  # type: ignore[arg-type]
    return counts.correct, counts.proposed, counts.gold


@pytest.mark.parametrize("case", CASES, ids=[str(number) for number in range(len(CASES))])
def test_edits_are_those_the_official_scorer_finds(case: dict) -> None:
    edits = tuple(
        M2Edit(start, end, "X", tuple(corrections), annotator=number)
        for number, annotator in enumerate(case["annotators"])
        for start, end, corrections in annotator["gold"]
    )
    noops = tuple(M2Edit(-1, -1, "noop", ("",), annotator=number) for number in range(len(case["annotators"])))
    sentence = M2Sentence(tuple(case["source"].split()), edits + noops)
    options = Options(
        max_unchanged_words=case["max_unchanged_words"], ignore_whitespace_casing=case["ignore_whitespace_casing"]
    )
    outcomes = score_sentence(case["hypothesis"], sentence, options)
    for outcome, expected in zip(outcomes, case["annotators"], strict=True):
        proposed = [[edit.start, edit.end, edit.replacement] for edit in outcome.proposed]
        assert proposed == expected["proposed"]
        assert outcome.counts.correct == expected["correct"]


def test_an_edit_takes_the_form_of_the_gold_edit() -> None:
    hypothesis = "He has a red car ."
    assert count(hypothesis, gold("He have red car .", (1, 2, "has"), (2, 2, "a"))) == (2, 2, 2)
    assert count(hypothesis, gold("He have red car .", (1, 2, "has a"))) == (1, 1, 1)
    assert count(hypothesis, gold("He have red car .", (0, 3, "He has a red"))) == (1, 1, 1)


def test_an_edit_holds_at_most_two_unchanged_words() -> None:
    hypothesis = "b x y c"
    sentence = gold("a x y d", (0, 4, "b x y c"))
    assert count(hypothesis, sentence) == (1, 1, 1)
    assert count(hypothesis, sentence, max_unchanged_words=1) == (0, 2, 1)
    assert count("b x y z c", gold("a x y z d", (0, 5, "b x y z c"))) == (0, 2, 1)


def test_any_alternative_is_right() -> None:
    sentence = gold("I saw cat", (2, 2, "the||a"))
    assert count("I saw the cat", sentence) == (1, 1, 1)
    assert count("I saw a cat", sentence) == (1, 1, 1)
    assert count("I saw an cat", sentence) == (0, 1, 1)


def test_a_deletion_is_an_empty_correction() -> None:
    assert count("I went home", gold("I went to home", (2, 3, ""))) == (1, 1, 1)


def test_two_insertions_at_one_place_are_two_edits() -> None:
    assert count("he is very kind", gold("he kind", (1, 1, "is"), (1, 1, "very"))) == (2, 2, 2)
    assert count("he very very kind", gold("he kind", (1, 1, "very"))) == (1, 2, 1)


def test_gold_edits_are_matched_in_the_order_of_the_file() -> None:
    in_order, out_of_order = ((0, 1, "x"), (2, 3, "z")), ((2, 3, "z"), (0, 1, "x"))
    assert count("x b z", gold("a b c", *in_order)) == (2, 2, 2)
    assert count("x b z", gold("a b c", *out_of_order)) == (1, 2, 2)


def test_a_gold_edit_written_twice_counts_twice() -> None:
    assert count("x b", gold("a b", (0, 1, "x"), (0, 1, "x"))) == (2, 1, 2)


def test_case_and_spacing_may_be_ignored() -> None:
    sentence = gold("the ice cream", (0, 1, "The"))
    assert count("The icecream", sentence) == (1, 2, 1)
    assert count("The icecream", sentence, ignore_whitespace_casing=True) == (0, 0, 1)


def test_nothing_at_all() -> None:
    assert count("", gold("a b", (0, 2, ""))) == (1, 1, 1)
    assert count("a b", gold("", (0, 0, "a b"))) == (1, 1, 1)
    assert count("", gold("")) == (0, 0, 0)


def test_the_annotator_that_raises_the_running_f_is_chosen() -> None:
    changed = M2Edit(1, 2, "NN", ("dogs",), annotator=0)
    content = M2Edit(-1, -1, "noop", ("",), annotator=1)
    sentence = M2Sentence(("The", "dog", "."), (changed, content))
    report = score(["The dog .", "The dogs ."], [sentence, sentence])
    assert [outcome.annotator for outcome in report.sentences] == [1, 0]
    assert report.counts == Counts(1, 1, 1)


def test_the_choice_looks_at_all_sentences_so_far() -> None:
    # Alone, the second sentence suits annotator 1 as well as 0; after a good first one, more correct edits win.
    first = gold("a b c", (0, 1, "x"))
    second = M2Sentence(
        ("a", "b", "c", "d"),
        (M2Edit(0, 1, "X", ("x",)), M2Edit(3, 4, "X", ("z",)), M2Edit(-1, -1, "noop", ("",), annotator=1)),
    )
    report = score(["x b c", "x b c d"], [first, second])
    assert report.counts == Counts(2, 2, 3)


@pytest.mark.parametrize(("name", "figures"), [("system", (0.8, 0.8, 0.8)), ("system2", (0.75, 0.6, 0.7143))])
def test_the_official_example(shared_data: Path, name: str, figures: tuple[float, float, float]) -> None:
    folder = shared_data / "en" / "scorer"
    report = score(read_sentences(folder / name), list(read(folder / "source_gold")))
    assert (round(report.precision, 4), round(report.recall, 4), round(report.f, 4)) == figures


@pytest.mark.parametrize("system", ["lm90", "lm96", "lowresource", "neural", "restricted"])
def test_the_official_figures_on_conll13(shared_data: Path, system: str) -> None:
    folder = shared_data / "en" / "scorer"
    lines = (folder / f"conll13.{system}.eval").read_text().splitlines()
    official = [line.split(":")[1].strip() for line in lines if ":" in line]
    report = score(
        read_sentences(folder / f"conll13.{system}.out"), list(read(shared_data / "en" / "dev" / "conll13.m2"))
    )
    assert [f"{figure:.4f}" for figure in (report.precision, report.recall, report.f)] == official


Cell = tuple[int, int]
Step = tuple[Cell, Cell]


def all_shortest_steps(source: list[str], target: list[str]) -> set[Step]:
    """The steps of the shortest ways, a substitution costing one or two, from distances taken in both directions."""

    def distances(source: list[str], target: list[str], cost: int) -> dict[Cell, int]:
        table: dict[Cell, int] = {}
        for i in range(len(source) + 1):
            for j in range(len(target) + 1):
                options = [0] if i == j == 0 else []
                if i:
                    options.append(table[i - 1, j] + 1)
                if j:
                    options.append(table[i, j - 1] + 1)
                if i and j:
                    options.append(table[i - 1, j - 1] + (0 if source[i - 1] == target[j - 1] else cost))
                table[i, j] = min(options)
        return table

    steps: set[Step] = set()
    rows, columns = len(source), len(target)
    for cost in (1, 2):
        there, back = distances(source, target, cost), distances(source[::-1], target[::-1], cost)
        for i in range(rows + 1):
            for j in range(columns + 1):
                for down, right in ((1, 0), (0, 1), (1, 1)):
                    end = i + down, j + right
                    if end[0] > rows or end[1] > columns:
                        continue
                    price = 1 if down != right else 0 if source[i] == target[j] else cost
                    if there[i, j] + price + back[rows - end[0], columns - end[1]] == there[rows, columns]:
                        steps.add(((i, j), end))
    return steps


def enumerate_ways(steps: set[Step], start: Cell, end: Cell) -> Iterator[list[Cell]]:
    if start == end:
        yield [start]
    for first, second in steps:
        if first == start and second[0] <= end[0] and second[1] <= end[1]:
            for rest in enumerate_ways(steps, second, end):
                yield [start, *rest]


def best_by_definition(
    source: list[str], target: list[str], wanted: dict[tuple[int, int], str], most: int
) -> tuple[int, set[int]]:
    """Most gold edits matched, and how many edits the sequences of fewest steps among those may have."""
    steps = all_shortest_steps(source, target)
    end = len(source), len(target)
    keeps = {(a, b) for a, b in steps if b == (a[0] + 1, a[1] + 1) and source[a[0]] == target[a[1]]}
    best = (1, 0)
    edits: set[int] = set()
    for way in enumerate_ways(steps, (0, 0), end):
        moves = list(pairwise(way))
        for cut in range(2 ** max(0, len(moves) - 1)):
            groups: list[list[Step]] = []
            for index, move in enumerate(moves):
                if index and cut >> (index - 1) & 1:
                    groups[-1].append(move)
                else:
                    groups.append([move])
            changes = [group for group in groups if not all(move in keeps for move in group)]
            if any(len(group) > 1 for group in groups if group not in changes):
                continue
            if any(sum(move in keeps for move in group) > most for group in changes):
                continue
            used: set[tuple[int, int]] = set()
            length = 0
            for group in groups:
                (i, j), (i_end, j_end) = group[0][0], group[-1][1]
                span = i, i_end
                if group in changes and span not in used and wanted.get(span) == " ".join(target[j:j_end]):
                    used.add(span)
                else:
                    length += len(group)
            if (-len(used), length) < best:
                best, edits = (-len(used), length), set()
            if (-len(used), length) == best:
                edits.add(len(changes))
    return -best[0], edits


@pytest.mark.parametrize("most_vertices", [maxmatch.MAX_VERTICES, 0], ids=["listed arcs", "sweep"])
@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_the_definition_itself_agrees_on_small_sentences(most_vertices: int, data: st.DataObject) -> None:
    source = data.draw(st.lists(st.sampled_from("abc"), max_size=4))
    # New words occur once, so that an insertion has one place in the hypothesis.
    fresh = iter("uvwxyz")
    target = [
        next(fresh) if data.draw(st.integers(0, 3)) == 0 else token
        for token in data.draw(st.lists(st.sampled_from(source or ["d"]), max_size=4))
    ]
    wanted: dict[tuple[int, int], str] = {}
    for _ in range(data.draw(st.integers(0, 3))):
        start = data.draw(st.integers(0, len(source)))
        end = data.draw(st.integers(start, len(source)))
        first = data.draw(st.integers(0, len(target)))
        text = " ".join(target[first : data.draw(st.integers(first, len(target)))])
        inserted = start < end or (text and not set(text.split()) & set(source))
        if inserted and text != " ".join(source[start:end]):
            wanted[start, end] = text
    most = data.draw(st.integers(0, 2))
    edits = sorted((start, end, text) for (start, end), text in wanted.items())
    if not overlap(edits):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(maxmatch, "MAX_VERTICES", most_vertices)
            sentence = gold(" ".join(source), *edits)
            (outcome,) = score_sentence(" ".join(target), sentence, Options(max_unchanged_words=most))
        matched, proposed = best_by_definition(source, target, wanted, most)
        assert outcome.counts.correct == matched
        assert outcome.counts.proposed in proposed or source == target


def overlap(edits: list[tuple[int, int, str]]) -> bool:
    return any(first[1] > second[0] or first[:1] == second[:1] for first, second in pairwise(edits))


@st.composite
def annotated(draw: st.DrawFn) -> M2Sentence:
    """Distinct words, and edits that bring new words, far enough apart to stay apart."""
    length = draw(st.integers(4, 16))
    edits = []
    for start in range(0, length - 1, 4):
        form = draw(st.sampled_from(["keep", "replace", "insert", "delete"]))
        if form != "keep":
            end = start if form == "insert" else start + 1
            edits.append(M2Edit(start, end, form, ("" if form == "delete" else f"new{start}",)))
    return M2Sentence(tuple(f"w{number}" for number in range(length)), tuple(edits))


@given(st.lists(annotated(), min_size=1, max_size=4))
def test_the_annotators_own_text_is_perfect(sentences: list[M2Sentence]) -> None:
    report = score([" ".join(sentence.corrected()) for sentence in sentences], sentences)
    assert (report.precision, report.recall, report.f) == (1.0, 1.0, 1.0)


@given(st.lists(annotated(), min_size=1, max_size=4))
def test_the_source_itself_proposes_and_finds_nothing(sentences: list[M2Sentence]) -> None:
    report = score([" ".join(sentence.tokens) for sentence in sentences], sentences)
    assert (report.counts.correct, report.counts.proposed) == (0, 0)
    assert report.precision == 1.0
    assert report.recall == (0.0 if report.counts.gold else 1.0)


@given(annotated(), annotated(), st.randoms(use_true_random=False))
def test_the_order_of_annotators_in_the_file_changes_nothing(
    first: M2Sentence, second: M2Sentence, shuffle: random.Random
) -> None:
    tokens = max(first.tokens, second.tokens, key=len)
    ours = [M2Edit(e.start, e.end, e.kind, e.corrections, annotator=0) for e in first.edits]
    theirs = [M2Edit(e.start, e.end, e.kind, e.corrections, annotator=1) for e in second.edits]
    hypothesis = " ".join(M2Sentence(tokens, tuple(ours)).corrected())
    one = score([hypothesis], [M2Sentence(tokens, (*ours, *theirs))])
    other = score([hypothesis], [M2Sentence(tokens, (*theirs, *ours))])
    assert one == other


@given(annotated(), annotated())
def test_edits_applied_to_the_source_give_the_hypothesis(first: M2Sentence, second: M2Sentence) -> None:
    hypothesis = second.corrected()
    (outcome,) = score_sentence(" ".join(hypothesis), first, Options())
    edits = tuple(M2Edit(e.start, e.end, "X", (e.replacement,)) for e in outcome.proposed)
    assert M2Sentence(first.tokens, edits).corrected() == hypothesis


def test_processes_change_nothing() -> None:
    sentence = gold("He have red car .", (1, 2, "has"), (2, 2, "a"))
    hypotheses = ["He has a red car .", "He have red car .", "Red car he has"] * 3
    advanced: list[int] = []
    several = score(hypotheses, [sentence] * 9, jobs=2, advance=lambda: advanced.append(1))
    assert several == score(hypotheses, [sentence] * 9)
    assert len(advanced) == 9


def test_unrelated_text_is_scored_and_rebuilt() -> None:
    generator = random.Random(3)
    vocabulary = [f"w{number}" for number in range(400)]
    source, target = generator.choices(vocabulary, k=50), generator.choices(vocabulary, k=200)
    (outcome,) = score_sentence(" ".join(target), gold(" ".join(source), (0, 1, target[0])), Options())
    edits = tuple(M2Edit(e.start, e.end, "X", (e.replacement,)) for e in outcome.proposed)
    assert list(M2Sentence(tuple(source), edits).corrected()) == target
    assert outcome.counts.correct == 1


def test_a_line_too_long_to_score_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maxmatch, "MAX_CELLS", 10)
    with pytest.raises(InputError, match=r"out\.txt:2: a sentence of 3 words against 4 is too long"):
        score(["a b c", "a b c d"], [gold("a b c")] * 2, name="out.txt")


def test_a_mismatch_of_lines_is_refused() -> None:
    with pytest.raises(InputError, match="hypotheses:1: ends here, but the gold has 2 sentences"):
        score(["a"], [gold("a"), gold("b")])


@pytest.mark.parametrize("options", [{"beta": 0.0}, {"beta": -1.0}, {"max_unchanged_words": -1}])
def test_options_out_of_range_are_refused(options: dict) -> None:
    with pytest.raises(ConfigError):
        Options(**options)
