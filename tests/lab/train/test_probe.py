from __future__ import annotations

from redraft.lab.train.probe import make_probes, make_sentences, shift


def test_sentences_are_whole_and_always_the_same():
    made = make_sentences(300)
    assert made == make_sentences(300)
    assert not any("{" in sentence or "}" in sentence for sentence in made)
    assert len(set(made)) > 250
    assert all(sentence == " ".join(sentence.split()) for sentence in made)
    assert any(not sentence.isascii() for sentence in made) and any("https://" in sentence for sentence in made)


def test_the_strange_strings_are_told():
    for probe in make_probes(100):
        assert probe.strings and all(string in probe.sentence for string in probe.strings)


def test_a_shift_puts_words_in_or_takes_them_out():
    sentence = "one two three four five six seven eight"
    assert shift(sentence, 2) == "one two three one two four five six seven eight"
    assert shift(sentence, -2) == "one two three six seven eight"
    assert shift(sentence, 4).endswith("four five six seven eight")
