from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redraft.lab.data.readers import Faults, read_pairs
from redraft.lab.data.tokenization import curl, detokenize, split_chunk, tokenize

BOTH = [
    ("He doesn't go.", "He does n't go ."),
    ("I can't, she won't!", "I ca n't , she wo n't !"),
    ("It's John's dog (a big one).", "It 's John 's dog ( a big one ) ."),
    ('"Stop," he said.', '" Stop , " he said .'),
    ("We cannot wait...", "We can not wait ..."),
    ("A well-known fact", "A well - known fact"),
    ("It costs $5.50, or 3% more.", "It costs $ 5.50 , or 3% more ."),
    ("Mr. Smith came at 9 a.m. on Monday.", "Mr. Smith came at 9 a.m. on Monday ."),
    ("I'm gonna ask and/or write.", "I 'm gon na ask and / or write ."),
    ("Write to ann@example.org today.", "Write to ann@example.org today ."),
]


@pytest.mark.parametrize(("raw", "tokenized"), BOTH)
def test_both_spellings(raw: str, tokenized: str) -> None:
    assert tokenize(raw) == tokenized
    assert detokenize(tokenized) == raw


def test_hyphens_stay_where_asked() -> None:
    assert tokenize("A well-known fact.", split_hyphens=False) == "A well-known fact ."


@given(st.text(st.characters(exclude_categories=("Zs", "Zl", "Zp", "Cc")), min_size=1), st.booleans())
def test_tokens_make_up_the_chunk(chunk: str, split_hyphens: bool) -> None:
    tokens = split_chunk(chunk, split_hyphens)
    assert "".join(tokens) == chunk
    assert all(tokens)


@given(st.text())
def test_tokenizing_keeps_all_but_spaces(text: str) -> None:
    assert tokenize(text).replace(" ", "") == "".join(text.split())
    assert detokenize(text).replace(" ", "") == "".join(text.split())


def test_curly_quotes() -> None:
    assert curl("\"It's 'here',\" she said.") == "“It’s ‘here’,” she said."
    assert curl("don't") == "don’t"


@given(st.text())
def test_curling_keeps_the_length(text: str) -> None:
    assert len(curl(text)) == len(text)


def test_real_text_is_tokenized_as_its_corpus_is(shared_data) -> None:
    pairs = shared_data / "en" / "pairs"
    faults = Faults()
    known = {pair.target.replace(" ", ""): pair.target for pair in read_pairs(pairs / "wi.train.tok.tsv.xz", faults)}
    raw = [pair.target for _, pair in zip(range(5000), read_pairs(pairs / "wi.train.raw.tsv.xz", faults), strict=False)]
    comparable = [(tokenize(text), known[text.replace(" ", "")]) for text in raw if text.replace(" ", "") in known]
    assert len(comparable) > 3000
    assert sum(ours == theirs for ours, theirs in comparable) / len(comparable) > 0.97
