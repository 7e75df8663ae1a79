from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from training_world import sentences

from redraft.lab.data.subword_dropout import SubwordDropout
from redraft.lab.tagger.slots import NONE, find_slots
from redraft.lab.tagger.words import bare, join_words, split_words
from redraft.tokens.tokenizer import Tokenizer

TOKENIZER = Tokenizer.train_bytes([*sentences(50), 'He said: "No."', "It's 7 o'clock (in 1984)."] * 3, 420)
texts = st.text(alphabet=st.sampled_from("the sea'’.,\"()17é中 -"), max_size=40) | st.sampled_from(sentences(20))


@given(texts, st.integers(0, 3))
def test_the_token_at_a_slot_has_the_first_character_of_the_word(text, seed):
    words = split_words(text)
    ids = SubwordDropout(TOKENIZER, 0.3 * (seed > 0), seed).split(TOKENIZER.encode(join_words(words)), seed)
    pieces, slots = TOKENIZER.pieces(ids), find_slots(ids, words, TOKENIZER)
    assert slots.start == len(ids) and len(slots.words) == len(words)
    place = -1
    for word, slot in zip(words, slots.words, strict=True):
        first = place + len(word) - len(bare(word))
        if slot != NONE:
            assert pieces.starts[slot] <= first < pieces.ends[slot]
        place += len(word)
    assert len(set(slots.tagged)) == len(slots.tagged)
    assert [slot for slot in slots.words if slot != NONE] == sorted(slot for slot in slots.words if slot != NONE)


def test_every_word_of_plain_text_has_a_slot():
    for text in (*sentences(20), 'He said: "No."', "It 's 7 o'clock ( in 1984 ) ."):
        words = split_words(text)
        assert NONE not in find_slots(TOKENIZER.encode(text), words, TOKENIZER).words
