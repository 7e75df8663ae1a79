"""The followers of a batch do what `Follower` does, token by token."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import BOS, EOS

from redraft.decode.follower import Follower, find_unique_suffix
from redraft.engines.cuda.bulk.followers import NONE, Followers, find_unique
from redraft.engines.cuda.bulk.token_table import TokenTable, WordTable
from redraft.errors import ModelError

WORDS = (
    *("<pad>", "<bos>", "<eos>", " a", " A", " the", " The", "s", "ing", " go", " goes", " teacher", ".", " ,", " "),
    *("\u00a0", "é", " ß", "ss", " I", "t", "o ", " to", "\u00a0x", " x\u00a0", " straße", "STRASSE", " \u3000"),
)


class Words:
    """Tokens of all kinds: of one character and more, in both cases, white space at the ends and alone."""

    bos, eos = BOS, EOS

    def __init__(self) -> None:
        self.starts_word = [text[0] == " " or text in ".,<" for text in WORDS]

    def text_of(self, index: int, /) -> str:
        return WORDS[index]


VOCABULARY = Words()
TABLE = TokenTable.build(VOCABULARY, len(WORDS), torch.device("cpu"))
tokens = st.integers(3, len(WORDS) - 1)
sources = st.lists(tokens, max_size=12)


@settings(max_examples=100, deadline=None)
@given(batch=st.lists(st.tuples(sources, st.lists(st.one_of(st.none(), tokens), max_size=14)), min_size=1, max_size=5))
def test_every_push_moves_to_the_same_place(batch):
    """None is a copy of the expected token."""
    positions = 14
    ours = Followers(len(batch), positions, TABLE)
    theirs = [Follower(source, VOCABULARY) for source, _ in batch]
    padded = torch.tensor([source + [0] * (positions - len(source)) for source, _ in batch])
    ours.begin(torch.arange(len(batch)), padded, torch.tensor([len(source) for source, _ in batch]))
    target = torch.zeros(len(batch), 20, dtype=torch.int64)
    written = torch.zeros(len(batch), dtype=torch.int64)
    for step in range(max(len(target) for _, target in batch)):
        pushed, active = [], []
        for follower, (_, choices) in zip(theirs, batch, strict=True):
            choice = choices[step] if step < len(choices) else 0
            token = follower.expected(NONE) if choice is None else choice
            active.append(step < len(choices) and token != NONE)
            pushed.append(max(0, token))
            if active[-1]:
                follower.push(token)
        token, goes_on = torch.tensor(pushed), torch.tensor(active)
        target[torch.arange(len(batch)), written] = token
        ours.push(token, target, written, goes_on)
        written += goes_on
        found = zip(ours.position.tolist(), ours.edit_start.tolist(), ours.before_jump.tolist(), strict=True)
        assert list(found) == [
            tuple(NONE if value is None else value for value in (one.position, one.edit_start, one._before_jump))
            for one in theirs
        ]
        assert ours.in_step.tolist() == [one.in_step for one in theirs]
        assert ours.expected(EOS).tolist() == [one.expected(EOS) for one in theirs]


@settings(max_examples=80, deadline=None)
@given(source=sources)
def test_the_words_of_a_source_are_those_of_the_follower(source):
    follower = Follower(source, VOCABULARY)
    padded = torch.tensor([source + [0] * (13 - len(source))])
    words = WordTable.build(padded, torch.tensor([len(source)]), TABLE)
    for position in range(len(source) + 1):
        behind = follower._next_word(position)
        text = "".join(VOCABULARY.text_of(token) for token in source[position:behind]).strip().casefold()
        assert words.behind[0, position] == behind
        assert words.length[0, position] == len(text)
        found = [int(words.first[0, position]), int(words.second[0, position])]
        assert found == [ord(character) for character in text[:2]] + [NONE] * (2 - len(text[:2]))


@given(source=st.lists(st.integers(3, 6), max_size=10), target=st.lists(st.integers(3, 6), min_size=1, max_size=12))
def test_a_unique_suffix_is_found_at_the_same_place(source, target):
    found = find_unique(
        torch.tensor([source + [0] * (12 - len(source))]),
        torch.tensor([len(source)]),
        torch.tensor([target[:-1] + [0] * 4]),
        torch.tensor([len(target) - 1]),
        torch.tensor(target[-1:]),
    )
    expected = find_unique_suffix(source, target)
    assert found.tolist() == [NONE if expected is None else expected]


def test_a_token_without_text_is_refused():
    class Empty(Words):
        def text_of(self, index: int, /) -> str:
            return ""

    with pytest.raises(ModelError, match="token 0 has no text"):
        TokenTable.build(Empty(), 3, torch.device("cpu"))
