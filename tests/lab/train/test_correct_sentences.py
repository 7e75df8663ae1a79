from __future__ import annotations

from redraft.lab.train.correct_sentences import make_correct_sentences, shift


def test_sentences_are_whole_and_always_the_same():
    made = [each.text for each in make_correct_sentences(300)]
    assert made == [each.text for each in make_correct_sentences(300)]
    assert not any("{" in sentence or "}" in sentence for sentence in made)
    assert len(set(made)) > 250
    assert all(sentence == " ".join(sentence.split()) for sentence in made)
    assert any(not sentence.isascii() for sentence in made) and any("https://" in sentence for sentence in made)


def test_the_generated_strings_are_listed():
    for made in make_correct_sentences(100):
        assert made.strings and all(string in made.text for string in made.strings)


def test_a_shift_inserts_or_deletes_words():
    sentence = "one two three four five six seven eight"
    assert shift(sentence, 2) == "one two three one two four five six seven eight"
    assert shift(sentence, -2) == "one two three six seven eight"
    assert shift(sentence, 4).endswith("four five six seven eight")
