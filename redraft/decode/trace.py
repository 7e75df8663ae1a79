"""How sentences were decoded, call by call, as in the paper's table of examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from redraft.decode.loop import Decoded


@dataclass(frozen=True, slots=True)
class Block:
    """What one decoder call added to the target."""

    text: str
    drafted: int
    """Tokens that were guessed and verified in this call."""
    agreed: int
    """How many of them were accepted, because greedy decoding writes them too."""
    rejected: str
    """The text of the draft that was rejected."""
    own: str
    """The end of `text`: the token that follows the accepted ones; empty where the target ends."""

    @property
    def parallel(self) -> bool:
        """True if the call gave more than one token."""
        return self.agreed > 0


@dataclass(frozen=True, slots=True)
class SentenceTrace:
    source: str
    target: str
    policy: str
    blocks: tuple[Block, ...]
    tokens: int
    """Tokens of the target with <eos>: the number of calls that greedy decoding makes."""
    verified: int
    """Tokens that went through the decoder in all calls together."""
    repeats: tuple[SentenceTrace, ...] = ()
    """How the sentence was decoded again: without edits that were left out, and corrected, until it stayed the same."""

    @property
    def calls(self) -> int:
        return len(self.blocks)

    @property
    def passes(self) -> tuple[SentenceTrace, ...]:
        """This decoding and its repeats."""
        return (self, *self.repeats)

    @property
    def total_calls(self) -> int:
        return sum(one.calls for one in self.passes)

    def to_mapping(self) -> dict[str, Any]:
        blocks = [{**asdict(block), "parallel": block.parallel} for block in self.blocks]
        repeats = [repeat.to_mapping() for repeat in self.repeats]
        return {**asdict(self), "blocks": blocks, "calls": self.calls, "repeats": repeats}


@dataclass(frozen=True, slots=True)
class Trace:
    """The decodings behind one correction."""

    sentences: tuple[SentenceTrace, ...]

    @property
    def calls(self) -> int:
        return sum(sentence.total_calls for sentence in self.sentences)

    @property
    def tokens(self) -> int:
        return sum(one.tokens for sentence in self.sentences for one in sentence.passes)

    @property
    def verified(self) -> int:
        return sum(one.verified for sentence in self.sentences for one in sentence.passes)


def trace_sentence(
    source: str, target: str, policy: str, decoded: Decoded, decode: Callable[[Sequence[int]], str]
) -> SentenceTrace:
    blocks = []
    position = 0
    for call in decoded.calls:
        end = min(position + call.agreed + 1, len(decoded.ids))
        text = _text_between(decoded.ids, position, end, decode)
        own = _text_between(decoded.ids, min(position + call.agreed, end), end, decode)
        guess = [*decoded.ids[: position + call.agreed], *call.draft[call.agreed :]]
        rejected = _text_between(guess, position + call.agreed, len(guess), decode)
        blocks.append(Block(text, len(call.draft), call.agreed, rejected, own))
        position = end
    tokens = len(decoded.ids) + decoded.finished
    return SentenceTrace(source, target, policy, tuple(blocks), tokens, decoded.verified)


def _text_between(ids: Sequence[int], start: int, end: int, decode: Callable[[Sequence[int]], str]) -> str:
    """The text that tokens start…end add. A character of several tokens belongs to the last of them."""
    return decode(ids[:end])[len(decode(ids[:start])) :] if start < end else ""
