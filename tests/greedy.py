"""Greedy decoding written out, which the decoding loop is compared with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hypothesis import strategies as st
from scripted import EOS, Letters, ScriptedEngine, ScriptedStepper, random_probability, sometimes_agrees

from redraft.decode.drafts import POLICIES
from redraft.decode.follower import Follower
from redraft.decode.loop import Decoded, DecodeOptions, SourceBatch, decode_sources, length_limit

LETTERS = Letters()
DRAFTING = [name for name in POLICIES if name != "none"]
tokens = st.integers(3, 59)
few_tokens = st.integers(3, 8)
sources = st.one_of(st.lists(tokens, max_size=20), st.lists(few_tokens, max_size=20))
choices = st.builds(sometimes_agrees, st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 0.7, 0.9, 1.0]))
probabilities = st.builds(random_probability, st.integers(0, 10**6))
thresholds = st.sampled_from([0.0, 0.3, 0.6, 0.9, 1.0])
raised_thresholds = st.dictionaries(st.integers(0, 20), st.sampled_from([0.5, 0.95, 2.0]), max_size=5)


def decode(
    engine: ScriptedEngine,
    source: Sequence[int],
    policy: str,
    raised: Mapping[int, float] | None = None,
    **options: object,
) -> Decoded:
    """`raised` has probabilities that edits need at positions of the source."""
    settings_ = DecodeOptions(policy=policy, **options)  # type: ignore[arg-type]
    limits = {position: math.log(probability) for position, probability in (raised or {}).items()}
    return decode_sources(engine, SourceBatch([source], LETTERS, settings_, [limits]))[0]


def write_greedily(
    engine: ScriptedEngine, source: Sequence[int], threshold: float = 0.0, raised: Mapping[int, float] | None = None
) -> tuple[list[int], bool]:
    """Greedy decoding with a threshold written out, without the loop under test."""
    target: list[int] = []
    follower = Follower(source, LETTERS)
    while True:
        token = engine.choose(source, target)
        in_step = follower.edit_start is None
        needed = (raised or {}).get(follower.position, threshold) if in_step else threshold
        if engine.probability(source, target) < needed and (in_step or token == EOS):
            token = source[follower.position] if follower.position < len(source) else EOS
        if token == EOS:
            return target, True
        if len(target) == length_limit(source, engine.max_tokens):
            return target, False
        target.append(token)
        follower.push(token)


def count_differences(
    policy: str, stepper: type[ScriptedStepper] = ScriptedStepper, threshold: float = 0.0, seeds: int = 30
) -> int:
    differences = 0
    for seed in range(seeds):
        engine = ScriptedEngine(sometimes_agrees(seed, 0.8), stepper=stepper, probability=random_probability(seed))
        words = 40 if seed % 2 else 9  # distinct tokens, or some that occur several times
        source = [3 + (seed * 7 + index * 5) % words for index in range(12)]
        written = decode(engine, source, policy, threshold=threshold)
        differences += written.ids != write_greedily(engine, source, threshold)[0]
    return differences
