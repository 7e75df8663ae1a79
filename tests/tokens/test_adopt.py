from __future__ import annotations

import json
from pathlib import Path

import foreign
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Inner

from redraft.errors import InputError
from redraft.lab.train.encoding import cached_encoder
from redraft.tokens.adopt import adopt_tokenizer
from redraft.tokens.tokenizer import Tokenizer

SAMPLES = ["She goes to school.", "the café's 24 cats", "naïve  coffee", "x", "<s> and </s>", "👩‍👧 tabs\tand lines\n."]
texts = st.one_of(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.sampled_from(SAMPLES))


def order(size: int) -> list[int]:
    """BART's: <pad> is 1, the decoder begins with </s>, which is 2."""
    return [1, 2, 2, 0, *range(3, size)]


LEAD = 3


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Inner]:
    folder = tmp_path_factory.mktemp("bart")
    return folder, foreign.write_bart_tokenizer(folder)


@pytest.fixture(scope="module")
def adopted(theirs: tuple[Path, Inner], tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    folder, inner = theirs
    path = tmp_path_factory.mktemp("ours") / "tokenizer.json"
    adopt_tokenizer(folder, order(inner.get_vocab_size()), LEAD).save(path)
    return Tokenizer.load(path)


@given(text=texts)
def test_ids_are_those_of_the_source_in_our_order(theirs, adopted, text):
    inner = theirs[1]
    inner.encode_special_tokens = True  # as text: nothing typed is ever a special token here
    *expected, end = inner.encode(text).ids
    assert end == 2
    if text:
        assert [order(inner.get_vocab_size())[index] for index in adopted.encode(text)] == expected


@given(text=texts)
def test_any_text_is_decoded_exactly(adopted, text):
    ids = adopted.encode(text)
    assert adopted.decode(ids) == text
    assert adopted.encode_batch([text, ""]) == [ids, []]
    assert ids[:1] == ([LEAD] if text else [])
    assert cached_encoder(adopted)(text) == ids


@given(text=texts)
def test_pieces_have_the_right_offsets(adopted, text):
    pieces = adopted.pieces(adopted.encode(text))
    assert pieces.text == text
    if text:
        assert (pieces.starts[0], pieces.ends[0]) == (0, 0)
        assert pieces.ends[-1] == len(text)


def test_the_leading_token_has_a_name_but_no_text(adopted):
    assert adopted.text_of(LEAD) == "<s>"
    assert adopted.starts_word[LEAD]
    assert adopted.decode([LEAD, LEAD]) == ""


def test_without_a_leading_token_sentences_begin_with_their_first_word(theirs, adopted):
    folder, inner = theirs
    bare = adopt_tokenizer(folder, order(inner.get_vocab_size()), None)
    assert [LEAD, *bare.encode("the cat")] == adopted.encode("the cat")


@pytest.mark.parametrize("prefix", [False, True])
def test_vocab_and_merges_files_give_the_same_tokenizer(prefix, tmp_path):
    inner = foreign.train_bytes(foreign.BART_SPECIALS)
    foreign.write_vocabulary(inner, tmp_path / "vocab.json", tmp_path / "merges.txt")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"add_prefix_space": prefix}))
    ours = adopt_tokenizer(tmp_path, order(inner.get_vocab_size()), None)
    text = "the café goes"
    expected = inner.encode(f" {text}" if prefix else text).ids
    assert [order(inner.get_vocab_size())[index] for index in ours.encode(text)] == expected
    assert ours.decode(ours.encode(text)) == text


def test_files_written_by_transformers_are_read(tmp_path):
    inner = foreign.train_bytes(foreign.BART_SPECIALS)
    merges = json.loads(inner.to_str())["model"]["merges"]
    theirs = foreign.transformers.BartTokenizer(vocab=inner.get_vocab(), merges=[tuple(pair) for pair in merges])
    theirs.save_pretrained(tmp_path)
    ours = adopt_tokenizer(tmp_path, order(len(theirs)), LEAD)
    for text in ("She goes to school.", "the café's 24 cats"):
        assert [*(order(len(theirs))[index] for index in ours.encode(text)), 2] == theirs(text)["input_ids"]


def write_fairseq(folder: Path, dropped: int = 0) -> Inner:
    """GPT-2's files, and a dictionary of their ids in another order, without the last few tokens."""
    gpt2 = foreign.train_bytes([])
    foreign.write_vocabulary(gpt2, folder / "encoder.json", folder / "vocab.bpe")
    kept = reversed(range(gpt2.get_vocab_size() - dropped))
    entries = [*(f"{index} {100 + index}" for index in kept), "madeupword0000 0"]
    (folder / "dict.txt").write_text("\n".join(entries) + "\n")
    return gpt2


@pytest.mark.parametrize("dropped", [0, 5])
def test_a_fairseq_dictionary_lists_the_ids_of_gpt2(dropped, tmp_path):
    gpt2 = write_fairseq(tmp_path, dropped)
    count = gpt2.get_vocab_size() - dropped
    size = 4 + count + 1 + 3  # the table of embeddings may have rows to spare
    ours = adopt_tokenizer(tmp_path, order(size), None)
    assert ours.size == size + 1
    text = "the naïve café goes to school"
    assert ours.decode(ours.encode(text)) == text
    if not dropped:
        expected = [4 + count - 1 - index for index in gpt2.encode(text).ids]
        assert [order(size)[index] for index in ours.encode(text)] == expected


def test_a_fairseq_dictionary_of_something_else_is_refused(tmp_path):
    gpt2 = write_fairseq(tmp_path)
    size = 4 + gpt2.get_vocab_size() + 1
    (tmp_path / "dict.other.txt").write_text("12 3\n")
    with pytest.raises(InputError, match="different dictionaries"):
        adopt_tokenizer(tmp_path, order(size), None)
    (tmp_path / "dict.other.txt").unlink()
    (tmp_path / "dict.txt").write_text("the@@ 12\ncat 3\n")
    with pytest.raises(InputError, match=r"ids of .*encoder\.json"):
        adopt_tokenizer(tmp_path, order(size), None)
    (tmp_path / "dict.txt").write_text("70 12\n71 3\n")
    with pytest.raises(InputError, match="254 of the 256 bytes"):
        adopt_tokenizer(tmp_path, order(6), None)


@pytest.mark.parametrize("names", [(), ("source.spm", "target.spm", "vocab.json"), ("dict.txt", "bpecodes")])
def test_other_kinds_are_refused_with_what_is_missing(names, tmp_path):
    for name in names:
        (tmp_path / name).write_text("{}")
    with pytest.raises(InputError, match="no byte-level BPE"):
        adopt_tokenizer(tmp_path, [0, 1, 2], None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"normalizer": {"type": "NFKC"}}, "normalizer"),
        ({"pre_tokenizer": {"type": "Whitespace"}}, r"pre_tokenizer\.type"),
        ({"pre_tokenizer": None}, r"pre_tokenizer\.type"),
        ({"decoder": {"type": "Metaspace"}}, r"decoder\.type"),
    ],
)
def test_a_tokenizer_file_of_another_kind_is_refused(change, message, tmp_path):
    inner = foreign.write_bart_tokenizer(tmp_path)
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(InputError, match=message):
        adopt_tokenizer(tmp_path, order(inner.get_vocab_size()), None)


def test_a_token_without_weights_is_refused(tmp_path):
    inner = foreign.write_bart_tokenizer(tmp_path)
    with pytest.raises(InputError, match=r"'<mask>' is token \d+, which the weights do not have"):
        adopt_tokenizer(tmp_path, order(inner.get_vocab_size() - 1), None)
    path = tmp_path / "tokenizer.json"
    added = json.loads(path.read_text())
    added["added_tokens"][-1]["content"] = "<an odd token>"
    path.write_text(json.dumps(added))
    with pytest.raises(InputError, match="alphabet"):
        adopt_tokenizer(tmp_path, order(inner.get_vocab_size()), None)
    added["added_tokens"][-1]["content"] = "<eos>"
    path.write_text(json.dumps(added))
    with pytest.raises(InputError, match="same name"):
        adopt_tokenizer(tmp_path, order(inner.get_vocab_size()), None)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [("vocab.json", "{", "not JSON"), ("vocab.json", "[]", "object"), ("merges.txt", "a\n", r"merges\.txt:1")],
)
def test_damaged_files_are_named(name, content, message, tmp_path):
    inner = foreign.train_bytes(foreign.BART_SPECIALS)
    foreign.write_vocabulary(inner, tmp_path / "vocab.json", tmp_path / "merges.txt")
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        adopt_tokenizer(tmp_path, order(inner.get_vocab_size()), None)
