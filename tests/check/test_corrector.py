"""From text to corrections, with a model whose choices the tests write, and with a real tiny one."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rewriting import TOKENIZER, corrector_that
from scripted import EOS, ScriptedEngine, ScriptedStepper
from tiny import PAIRS

import redraft
from redraft.check.corrector import Corrector
from redraft.check.solver import SentenceSolver, SolverOptions
from redraft.check.stale import Stale
from redraft.decode.stepper import Feed, Predictions
from redraft.edits.edit import Kind, apply
from redraft.model.folder import ModelFolder, ModelInfo
from redraft.text.dialects import Dialect


def replace_words(sentence: str) -> str:
    """Replaces "bad", deletes "gone", inserts a word after "one"."""
    sentence = re.sub(r"\bbad\b", "right", sentence)
    sentence = re.sub(r" ?\bgone\b", "", sentence).strip() or sentence
    return re.sub(r"\bone\b(?! two)", "one two", sentence)


WORDS = [
    "bad",
    "gone",
    "one",
    "cat",
    "the",
    "😀",
    "e\u0301",
    "שלום",
    "a\u200bb",
    "don't",
    "3.5",
    "www.a.com/bad",
    "bad.",
]
SPACES = [" ", "  ", "\n", "\r\n", "\t", "\n\n", "\u00a0", " \n "]
pieces = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(SPACES)), max_size=12)
CORRECTING = corrector_that(replace_words)
KEEPING = corrector_that(lambda sentence: sentence)


@given(pieces)
def test_edits_applied_to_the_source_give_the_text(parts):
    text = "".join(word + space for word, space in parts)
    result = CORRECTING.correct(text)
    assert apply(text, result.edits) == result.text
    assert all(edit.span.of(text) == edit.source for edit in result.edits)


@given(pieces)
@example([("cat", "\n"), ("gone", "\n"), ("cat", "\n")])
@example([("bad", "\r\n"), ("gone", "\r\n"), ("one", "\t")])
def test_line_breaks_survive_every_edit(parts):
    text = "".join(word + space for word, space in parts)
    assert CORRECTING.correct(text).text.count("\n") == text.count("\n")


def test_what_is_no_text_is_refused_in_one_line():
    with pytest.raises(TypeError, match=r"^a text to correct must be a str, not NoneType$"):
        KEEPING.correct(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^pipe takes several texts; for one text call correct$"):
        next(KEEPING.pipe("She go home."))


@given(st.text(max_size=80))
@example("a lone \ud800 surrogate")
@example("\x00\x01 control \x7f")
def test_what_the_model_leaves_alone_stays_exactly_as_it_is(text):
    result = KEEPING.correct(text)
    assert result.text == text
    assert result.edits == ()


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t \r\n"])
def test_text_without_words_needs_no_model(text):
    result = CORRECTING.correct(text)
    assert (result.text, result.trace.calls) == (text, 0)


def test_a_sentence_longer_than_the_model_takes_is_cut_and_joined_again():
    short = corrector_that(replace_words, max_tokens=30)
    text = "the bad cat sat, " * 60 + "and that was bad"
    assert short.correct(text).text == text.replace("bad", "right")


def test_where_a_sentence_was_cut_nothing_is_capitalized_or_closed():
    closing = corrector_that(lambda sentence: f"{sentence[0].upper()}{sentence[1:].rstrip('.')}.", max_tokens=30)
    text = "the cat sat on the mat, " * 20 + "and that was it"
    assert closing.correct(text).text == f"T{text[1:]}."


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("😀 I see the bad cat", "😀 I see the right cat."),
        ("I see the bad cat 🎉🎉", "I see the right cat 🎉🎉"),
        ("I see the bad cat👍", "I see the right cat👍"),
        ("• I see the bad cat ❤️ ", "• I see the right cat ❤️ "),
        ("👩‍💻 I see the bad cat\n\n😀 I see the bad cat 😀", "👩‍💻 I see the right cat.\n\n😀 I see the right cat 😀"),
    ],
)
def test_emoji_around_a_sentence_stay_and_are_not_for_the_model(text, corrected):
    """And behind a sentence they stand for its full stop."""
    seen: set[str] = set()

    def look(sentence: str) -> str:
        seen.add(sentence)
        return f"{replace_words(sentence).removesuffix('.')}."

    assert corrector_that(look).correct(text).text == corrected
    assert seen == {"I see the bad cat", "I see the right cat."}


def test_emoji_inside_a_sentence_are_not_for_the_model_either():
    """Beside one it corrects only what is wrong with a word by itself: the emoji may stand for a word."""
    seen: set[str] = set()

    def look(sentence: str) -> str:
        seen.add(sentence)
        return sentence.replace("bad", "right").replace("goes", "go").replace("and the", "and a the")

    text = "bad cats 🎉 goes home, bad 🐶 and the 🚗❤️ too😀."
    assert corrector_that(look).correct(text).text == "right cats 🎉 go home, bad 🐶 and a the 🚗❤️ too😀."
    assert seen == {"bad cats goes home, bad and the too.", "right cats go home, right and a the too."}


def test_a_long_line_without_a_space_comes_back():
    text = "x" * 20_000
    assert KEEPING.correct(text).text == text


def test_a_decoding_that_does_not_end_leaves_the_sentence_alone():
    engine = ScriptedEngine(lambda source, target: 9, 40)
    endless = Corrector(SentenceSolver(engine, TOKENIZER, ModelInfo("endless", "en")))
    assert endless.correct("the cat sat.").text == "the cat sat."


def test_a_word_in_more_pieces_than_the_model_knows_words_to_have_is_not_brought_in():
    pieces = len(TOKENIZER.encode("right"))
    careful, free = (
        corrector_that(replace_words, info=ModelInfo("scripted", "en", longest_new_word=longest))
        for longest in (pieces - 1, pieces)
    )
    assert pieces > 1 and free.correct("I see a bad cat").text == "I see a right cat"
    assert careful.correct("I see a bad cat").text == "I see a bad cat"
    assert careful.correct("it is right or bad").text == "it is right or right"  # the word was there
    assert careful.correct("I see a gone cat").text == "I see a cat"


def test_capitals_of_a_word_in_many_pieces_are_the_writer_s():
    """Whether such a word is a name, the model cannot know."""

    def capitalize(sentence: str) -> str:
        return sentence.replace("catalogue", "Catalogue")

    pieces = len(TOKENIZER.encode("Catalogue"))
    careful, free = (
        corrector_that(capitalize, info=ModelInfo("scripted", "en", longest_new_word=longest))
        for longest in (2 * pieces - 1, 2 * pieces)
    )
    assert free.correct("I see the catalogue here").text == "I see the Catalogue here"
    assert careful.correct("I see the catalogue here").text == "I see the catalogue here"


def test_edits_the_model_doubts_are_left_out():
    class Doubtful(ScriptedStepper):
        """Half sure of everything."""

        def extend(self, feeds: Sequence[Feed]) -> list[Predictions]:
            return [Predictions(answer.ids, [math.log(0.5)] * len(answer.ids)) for answer in super().extend(feeds)]

    doubting = corrector_that(replace_words, stepper=Doubtful)
    assert [edit.confidence for edit in doubting.correct("I see a bad cat").edits] == [pytest.approx(0.5)]
    assert [edit.confidence for edit in doubting.correct("I see a gone cat").edits] == [pytest.approx(0.5)]
    strict = corrector_that(replace_words, stepper=Doubtful, threshold=0.6)
    assert strict.correct("I see a bad cat").text == "I see a bad cat"
    assert corrector_that(replace_words, threshold=0.6).correct("I see a bad cat").text == "I see a right cat"


def test_what_is_no_character_is_never_replaced_by_a_guess():
    guessing = corrector_that(lambda sentence: sentence.replace("\ufffd", "é").replace("bad", "right"))
    assert guessing.correct("a caf\udce9 is bad").text == "a caf\udce9 is right"
    inventing = corrector_that(lambda sentence: sentence.replace("bad", "b\ufffdd"))
    assert inventing.correct("I see a bad cat").text == "I see a bad cat"


def test_protected_strings_and_dictionary_words_are_left_alone():
    assert CORRECTING.correct("see www.bad.com/bad or `bad`").text == "see www.bad.com/bad or `bad`"
    assert CORRECTING.correct("I see a bad cat", dictionary={"bad"}).text == "I see a bad cat"
    assert CORRECTING.correct("I see a bad cat").text == "I see a right cat"


def test_text_in_another_script_is_left_alone():
    shouting = corrector_that(str.upper)
    assert shouting.correct("Она ходит в школу.").text == "Она ходит в школу."
    assert shouting.correct("she goes").text == "SHE GOES"


@given(st.lists(pieces, max_size=8), st.integers(1, 5))
def test_pipe_keeps_order_and_agrees_with_one_by_one(batch, window):
    texts = ["".join(word + space for word, space in parts) for parts in batch]
    together = [result.text for result in CORRECTING.pipe(iter(texts), window=window)]
    assert together == [CORRECTING.correct(text).text for text in texts]


def test_pipe_takes_no_more_than_it_needs():
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield "I see a bad cat"

    results = CORRECTING.pipe(endless(), window=3)
    assert next(results).text == "I see a right cat"
    assert len(taken) == 3


def test_pipe_holds_no_more_of_an_endless_input_than_some_characters():
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield "A bad cat. " * 1000

    results = CORRECTING.pipe(endless())
    for _ in range(20):
        assert next(results).text == "A right cat. " * 1000
    assert len(taken) < 30


def test_a_sentence_seen_before_is_not_decoded_again():
    engine = ScriptedEngine(lambda source, target: source[len(target)] if len(target) < len(source) else EOS)
    solver = SentenceSolver(engine, TOKENIZER, ModelInfo("copy", "en"), SolverOptions(cached_sentences=2))
    corrector = Corrector(solver)
    corrector.correct("the cat sat.")
    first = engine.last
    corrector.correct("  the cat\nsat.  ")
    assert engine.last is first
    corrector.correct("the dog ran. the mat sat. the cat ran.")
    assert len(solver._solutions) == 2


def test_an_edit_carries_its_kind_and_an_explanation(tiny_model: ModelFolder):
    corrector = redraft.load(tiny_model.path)
    for source, target in PAIRS:
        result = corrector.correct(source)
        assert result.text == target
        assert all(edit.explanation and 0 < edit.confidence <= 1 for edit in result.edits)
    kinds = {edit.kind for source, _ in PAIRS for edit in corrector.correct(source).edits}
    assert {Kind.AGREEMENT, Kind.NOUN_NUMBER, Kind.SPELLING} <= kinds


@pytest.mark.parametrize(
    ("dialect", "text"),
    [(None, "Her colour is bad."), (Dialect.AMERICAN, "Her color is bad."), (Dialect.BRITISH, "Her colour is bad.")],
)
def test_either_spelling_is_right_until_a_dialect_is_chosen(dialect, text):
    corrector = corrector_that(lambda sentence: sentence.replace("colour", "color"), dialect=dialect)
    assert corrector.correct("Her colour is bad.").text == text


def test_the_other_spelling_is_found_without_the_model():
    corrector = corrector_that(lambda sentence: sentence, dialect=Dialect.BRITISH)
    result = corrector.correct("The color of my neighbor's gray house. We organize it on Labor Day at gray.com.")
    assert result.text == "The colour of my neighbour's grey house. We organize it on Labor Day at gray.com."
    assert {edit.kind for edit in result.edits} == {Kind.DIALECT}
    assert result.edits[0].explanation == "American spelling; British English writes “colour”."
    assert corrector.correct("A gray color.", {"gray"}).text == "A gray colour."
    assert corrector_that(lambda sentence: sentence).correct("A gray colour.").edits == ()


def test_respelled_words_and_edits_of_the_model_do_not_overlap():
    def rewrite(sentence: str) -> str:
        return sentence.replace("bad color", "good colors").replace("gray one good", "gray one two good")

    corrector = corrector_that(rewrite, dialect=Dialect.BRITISH)
    result = corrector.correct("A gray one bad color in the center.")
    assert result.text == "A grey one two good colours in the centre."
    assert apply(result.source, result.edits) == result.text


def test_an_edit_that_only_changes_the_dialect_is_not_made():
    corrector = corrector_that(lambda sentence: sentence.replace("colour,", "color,"), dialect=Dialect.BRITISH)
    assert corrector.correct("A colour, a house.").edits == ()


def test_a_text_that_mixes_spellings_gets_the_one_that_most_words_have():
    corrector = corrector_that(lambda sentence: sentence, consistent=True)
    assert corrector.correct("A color, a flavour. A harbor.").text == "A color, a flavor. A harbor."
    assert corrector.correct("A colour, a flavour. A harbor.").text == "A colour, a flavour. A harbour."
    assert corrector.correct("A colour, a flavour.").edits == ()
    chosen = corrector_that(lambda sentence: sentence, consistent=True, dialect=Dialect.AMERICAN)
    assert chosen.correct("A colour, a flavour. A harbor.").text == "A color, a flavor. A harbor."


def test_stale_work_is_given_up_between_batches():
    asked: list[str] = []

    def rewrite(sentence: str) -> str:
        asked.append(sentence)
        return sentence

    corrector = corrector_that(rewrite, batch_tokens=1)
    sentences = ["one cat.", "two cats are here.", "three cats are not here today."]
    with pytest.raises(Stale):
        corrector.solver.solve(sentences, 0.0, lambda: bool(asked))
    assert set(asked) == {sentences[0]}
    assert set(corrector.solver.solve(sentences, 0.0)) == set(sentences)
