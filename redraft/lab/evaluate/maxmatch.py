"""MaxMatch (Dahlmeier and Ng, 2012): of all shortest edit sequences, the one that matches most gold edits.

The figures are those of the official scorer (version 3.2), and they depend on how it breaks ties: on the order of its
arcs, on how often it adds a small weight to each, on a loop that skips list items while it removes others. Code below
that looks odd reproduces the official scorer; a test compares with the definition as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from redraft.edits.m2 import M2Edit, M2Sentence
from redraft.errors import ConfigError, InputError
from redraft.lab.evaluate.lattice import Arc, Cell, Lattice, LatticeEdit, build, join_steps, list_steps
from redraft.lab.evaluate.score import Counts, Report, SentenceScore, TokenEdit, check_lengths
from redraft.lab.evaluate.wide_lattice import find_best
from redraft.process_pool import open_pool

VERSION = "1"
EPSILON = 0.001
MAX_VERTICES = 700  # with more, listing all arcs takes seconds, and the official scorer takes hours
MAX_CELLS = 16_000_000
CHUNK = 64


@dataclass(frozen=True, slots=True)
class Options:
    beta: float = 0.5
    max_unchanged_words: int = 2
    ignore_whitespace_casing: bool = False

    def __post_init__(self) -> None:
        if self.beta <= 0:
            raise ConfigError("beta must be above 0; below 1 it favours precision")
        if self.max_unchanged_words < 0:
            raise ConfigError("the number of unchanged words in an edit cannot be negative")


@dataclass(frozen=True, slots=True)
class _Graph:
    """The arcs of one sentence pair in the official order, with their weights without gold edits."""

    cells: list[Cell]
    arcs: list[Arc]
    weights: list[float]
    by_span: dict[tuple[int, int], list[int]]  # source span → places of arcs, sorted by their vertices

    def text(self, arc: Arc, target: Sequence[str]) -> str:
        return " ".join(target[self.cells[arc.start][1] : self.cells[arc.end][1]])


def score(
    hypotheses: Sequence[str],
    gold: Sequence[M2Sentence],
    options: Options | None = None,
    *,
    name: str = "hypotheses",
    jobs: int = 1,
    advance: Callable[[], None] = lambda: None,
) -> Report:
    """Scores one tokenized line for each gold sentence; `advance` is called after each.

    `name` is the name of the hypotheses in messages. The number of processes (`jobs`) does not affect the result.
    """
    options = options or Options()
    check_lengths(hypotheses, name, gold, "the gold")
    return Report.choose(_score_sentences(hypotheses, gold, options, name, jobs), _rank, options.beta, advance)


def score_sentence(hypothesis: str, gold: M2Sentence, options: Options) -> list[SentenceScore]:
    """The scores of a sentence against each of its annotators."""
    target = hypothesis.split()
    annotations = gold.annotations
    if tuple(target) == gold.tokens:
        return [_outcome(annotator, (), edits) for annotator, edits in annotations.items()]
    cells = (len(gold.tokens) + 1) * (len(target) + 1)
    if cells > MAX_CELLS:
        raise InputError(
            f"a sentence of {len(gold.tokens)} words against {len(target)} is too long to score; "
            "put one sentence on each line"
        )
    lattice = build(gold.tokens, target)
    extract = _extractor(lattice, target, options.max_unchanged_words)
    scores = []
    for annotator, edits in annotations.items():
        proposed = tuple(_to_token_edit(edit, gold.tokens, target) for edit in extract(edits))
        if options.ignore_whitespace_casing:
            proposed = tuple(edit for edit in proposed if _normalize(edit.source) != _normalize(edit.replacement))
        scores.append(_outcome(annotator, proposed, edits))
    return scores


def _to_token_edit(edit: LatticeEdit, source: Sequence[str], target: Sequence[str]) -> TokenEdit:
    (start, target_start), (end, target_end) = edit.start, edit.end
    return TokenEdit(start, end, " ".join(source[start:end]), " ".join(target[target_start:target_end]))


def _extractor(
    lattice: Lattice, target: Sequence[str], max_unchanged: int
) -> Callable[[Sequence[M2Edit]], list[LatticeEdit]]:
    """A function from gold edits to the edits that match them best; the lattice is prepared once."""
    vertices = lattice.vertices()
    if len(vertices) > MAX_VERTICES:

        def search(edits: Sequence[M2Edit]) -> list[LatticeEdit]:
            wanted = [(edit.start, edit.end, edit.corrections) for edit in edits]
            return find_best(lattice, target, wanted, max_unchanged)

        return search
    steps = list_steps(lattice, vertices)
    arcs = [*steps, *join_steps(len(vertices), steps, max_unchanged)]
    graph = _weigh([(int(i), int(j)) for i, j in vertices], _drop_long_noops(arcs))

    def walk(edits: Sequence[M2Edit]) -> list[LatticeEdit]:
        return _shortest_path(graph, _prefer_gold(graph, target, edits))

    return walk


def _drop_long_noops(arcs: Iterable[Arc]) -> list[Arc]:
    """Removes arcs that only keep tokens; as in the official scorer, the arc after a removed one is not examined."""
    remaining: list[Arc] = []
    skip = False
    for arc in arcs:
        if not skip and arc.is_noop and arc.length > 1:
            skip = True
            continue
        remaining.append(arc)
        skip = False
    return remaining


def _weigh(cells: list[Cell], arcs: list[Arc]) -> _Graph:
    """The weight of an arc: its steps, plus EPSILON for each time it is listed, so that few edits are preferred."""
    listed: dict[tuple[int, int], int] = {}
    for arc in arcs:
        key = arc.start, arc.end
        listed[key] = listed.get(key, 0) + 1
    weights: list[float] = []
    by_span: dict[tuple[int, int], list[int]] = {}
    for place, arc in enumerate(arcs):
        weight: float = arc.length
        for _ in range(0 if arc.is_noop else listed[arc.start, arc.end]):
            weight += EPSILON  # added one by one, since rounding decides ties
        weights.append(weight)
        by_span.setdefault((cells[arc.start][0], cells[arc.end][0]), []).append(place)
    for places in by_span.values():
        places.sort(key=lambda place: (arcs[place].start, arcs[place].end))
    return _Graph(cells, arcs, weights, by_span)


def _prefer_gold(graph: _Graph, target: Sequence[str], gold: Sequence[M2Edit]) -> list[float]:
    """The weights with gold edits so light that each of them outweighs any detour."""
    weights = list(graph.weights)
    wanted: dict[tuple[int, int], list[M2Edit]] = {}
    for edit in gold:
        wanted.setdefault((edit.start, edit.end), []).append(edit)
    reward = -len(graph.arcs)
    for span, edits in wanted.items():
        places = graph.by_span.get(span, [])
        if span[0] == span[1]:
            for place, weight in _weigh_insertions(graph, target, places, edits).items():
                weights[place] = weight
        else:
            for place in places:
                if any(graph.text(graph.arcs[place], target) in edit.corrections for edit in edits):
                    weights[place] = reward
    return weights


def _weigh_insertions(
    graph: _Graph, target: Sequence[str], places: Sequence[int], gold: Sequence[M2Edit]
) -> dict[int, float]:
    """Weights of the arcs that insert at one position, where there may be several gold edits in a row.

    Arcs and gold edits are both used up from the two ends in turn, so that no gold edit rewards two arcs. An arc may
    be visited more than once, and is made heavier at each visit.
    """
    arcs = [graph.arcs[place] for place in places]
    texts = [graph.text(arc, target) for arc in arcs]
    keys = [(arc.start, arc.end) for arc in arcs]
    weight: dict[tuple[int, int], float] = {(arc.start, arc.end): arc.length for arc in arcs}
    left, right = 0, len(arcs) - 1
    first, last = 0, len(gold) - 1
    current = left
    while left <= right:
        from_left = current == left
        order = range(first, last + 1) if from_left else range(last, first - 1, -1)
        match = next((index for index in order if texts[current] in gold[index].corrections), None)
        if match is None:
            weight[keys[current]] += EPSILON
            if from_left:
                left, current = left + 1, right
            else:
                right, current = right - 1, left
            continue
        weight[keys[current]] = -len(graph.arcs)
        if from_left:
            first = match + 1
            left += 1
            while left < len(arcs) and arcs[left].start != arcs[current].end:
                weight[keys[left]] += EPSILON
                left += 1
            current = left
        else:
            last = match - 1
            right -= 1
            while right >= 0 and arcs[right].end != arcs[current].start:
                weight[keys[right]] += EPSILON
                right -= 1
            current = right
    return {place: weight[key] for place, key in zip(places, keys, strict=True)}


def _shortest_path(graph: _Graph, weights: Sequence[float]) -> list[LatticeEdit]:
    """The edits on the shortest path, by Bellman–Ford over the arcs in their order, which decides ties."""
    infinite = float("inf")
    distance = [infinite] * len(graph.cells)
    distance[0] = 0
    taken: dict[int, Arc] = {}
    weighed = [(arc.start, arc.end, weight, arc) for arc, weight in zip(graph.arcs, weights, strict=True)]
    changed = True
    while changed:
        changed = False
        for start, end, weight, arc in weighed:
            if distance[start] + weight < distance[end]:
                distance[end] = distance[start] + weight
                taken[end] = arc
                changed = True
    edits_found: list[LatticeEdit] = []
    vertex = len(graph.cells) - 1
    while vertex in taken:
        arc = taken[vertex]
        if not arc.is_noop:
            edits_found.append(LatticeEdit(graph.cells[arc.start], graph.cells[arc.end]))
        vertex = arc.start
    return edits_found[::-1]


def _outcome(annotator: int, proposed: tuple[TokenEdit, ...], gold: tuple[M2Edit, ...]) -> SentenceScore:
    """Matches in order: each proposed edit with the gold edits after the last match; it may match several."""
    right = [False] * len(proposed)
    found = [False] * len(gold)
    behind = 0
    for place, edit in enumerate(proposed):
        for index in range(behind, len(gold)):
            wanted = gold[index]
            if (edit.start, edit.end) == (wanted.start, wanted.end) and edit.replacement in wanted.corrections:
                right[place] = found[index] = True
                behind = index + 1
    counts = Counts(sum(found), len(proposed), len(gold))
    return SentenceScore(annotator, counts, proposed, tuple(right), gold, tuple(found))


def _rank(running: Counts, counts: Counts, beta: float) -> tuple[float, int, float]:
    """Prefers the highest F over all sentences so far, then most correct, then fewest edits."""
    weight, total = beta * beta, running + counts
    edits = weight * total.gold + total.proposed
    f = (1 + weight) * total.correct / edits if edits else 1.0
    return f, total.correct, -(total.proposed + weight * total.gold)


def _normalize(text: str) -> str:
    return text.replace(" ", "").lower()


def _score_sentences(
    hypotheses: Sequence[str], gold: Sequence[M2Sentence], options: Options, name: str, jobs: int
) -> Iterator[list[SentenceScore]]:
    work = partial(_score_numbered, options=options, name=name)
    columns = range(1, len(gold) + 1), hypotheses, gold
    if jobs <= 1:
        yield from map(work, *columns)
        return
    with open_pool(jobs) as pool:
        yield from pool.map(work, *columns, chunksize=CHUNK)


def _score_numbered(number: int, hypothesis: str, gold: M2Sentence, options: Options, name: str) -> list[SentenceScore]:
    try:
        return score_sentence(hypothesis, gold, options)
    except InputError as error:
        raise InputError(f"{name}:{number}: {error}") from error
