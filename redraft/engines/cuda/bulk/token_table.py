"""What `decode.follower.Follower` asks of tokens and of words, as tensors."""

from __future__ import annotations

from dataclasses import dataclass, fields

import torch
from torch import Tensor

from redraft.decode.vocabulary import Vocabulary
from redraft.errors import ModelError

_NONE = -1


@dataclass(frozen=True, slots=True)
class TokenTable:
    """Properties of the text of each token, case ignored: (vocabulary,) each. Characters are code points, or -1."""

    starts_word: Tensor
    folded: Tensor
    """Equal for two tokens whose texts differ in case alone."""
    leading: Tensor
    """Number of white space characters before the text."""
    core: Tensor
    """Number of characters without white space at the ends."""
    trailing: Tensor
    first: Tensor
    """The first and second character without white space at the ends."""
    second: Tensor
    initial: Tensor
    """The first character, be it white space or not."""
    gap: Tensor
    """The first white space character behind the text."""

    @classmethod
    def build(cls, vocabulary: Vocabulary, size: int, device: torch.device) -> TokenTable:
        classes: dict[str, int] = {}
        rows = []
        for index in range(size):
            text = vocabulary.text_of(index)
            if not text:
                raise ModelError(f"token {index} has no text; bulk decoding needs one for each token")
            core = text.strip().casefold()
            leading = len(text) - len(text.lstrip())
            trailing = len(text) - len(text.rstrip()) if core else 0
            folded = text.casefold()
            rows.append(
                (
                    int(vocabulary.starts_word[index]),
                    classes.setdefault(folded, len(classes)),
                    *(leading, len(core), trailing),
                    *(_character(core, 0), _character(core, 1), _character(folded, 0)),
                    ord(text[-trailing]) if trailing else _NONE,
                )
            )
        # Rows of the transposed table are contiguous, as kernels need them.
        columns = torch.tensor(rows, dtype=torch.int64, device=device).T.contiguous().unbind(0)
        return cls(columns[0].bool(), *columns[1:])


def _character(text: str, index: int) -> int:
    return ord(text[index]) if index < len(text) else _NONE


@dataclass(frozen=True, slots=True)
class WordTable:
    """For each position of each source, the word that begins there: (rows, positions) each."""

    behind: Tensor
    """The start of the next word."""
    length: Tensor
    """Characters up to there, without white space at the ends."""
    first: Tensor
    """The first and second of these characters."""
    second: Tensor

    @classmethod
    def zeros(cls, rows: int, positions: int, device: torch.device) -> WordTable:
        return cls(*(torch.zeros(rows, positions, dtype=torch.int64, device=device) for _ in fields(cls)))

    @classmethod
    def build(cls, source: Tensor, lengths: Tensor, tokens: TokenTable) -> WordTable:
        """Of sources (rows, positions) of these lengths, all of them less than the number of positions."""
        positions = source.shape[1]
        place = torch.arange(positions, device=source.device)
        inside = place < lengths[:, None]
        starts = _next_true(tokens.starts_word[source] & inside)
        behind = torch.cat((starts[:, 1:], lengths[:, None]), dim=1).minimum(lengths[:, None])
        solid = (tokens.core[source] > 0) & inside
        start = _next_true(solid)
        last_solid = torch.where(solid, place, _NONE).cummax(1).values
        end = last_solid.gather(1, (behind - 1).clamp(min=0))
        exists = (start < behind) & inside
        start, end = start.clamp(max=positions - 1), end.clamp(min=0)
        sizes = tokens.leading[source] + tokens.core[source] + tokens.trailing[source]
        through = sizes.cumsum(1)
        first_token, last_token = source.gather(1, start), source.gather(1, end)
        before = through.gather(1, start) - sizes.gather(1, start)
        length = through.gather(1, end) - before - tokens.leading[first_token] - tokens.trailing[last_token]
        following = source.gather(1, (start + 1).clamp(max=positions - 1))
        beyond = torch.where(tokens.trailing[first_token] > 0, tokens.gap[first_token], tokens.initial[following])
        second = torch.where(tokens.core[first_token] > 1, tokens.second[first_token], beyond)
        second = torch.where((tokens.core[first_token] > 1) | (end > start), second, _NONE)
        return cls(
            behind,
            torch.where(exists, length, 0),
            torch.where(exists, tokens.first[first_token], _NONE),
            torch.where(exists, second, _NONE),
        )

    def store(self, rows: Tensor, new: WordTable) -> None:
        """Overwrites some rows."""
        for field in fields(self):
            getattr(self, field.name).index_copy_(0, rows, getattr(new, field.name))


def _next_true(flags: Tensor) -> Tensor:
    """For each place of a row the first place from there on with a true flag, or the row's length."""
    size = flags.shape[1]
    places = torch.where(flags, torch.arange(size, device=flags.device), size)
    return places.flip(1).cummin(1).values.flip(1)
