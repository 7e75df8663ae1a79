"""Decoder output as suggestions: what is used, how sure it is, and what is left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from redraft.check.interpreter import STAND_IN, Interpreter, Solution, apply_suggestions
from redraft.check.reading import Form
from redraft.decode.loop import Decoded
from redraft.edits.edit import Kind
from redraft.model.folder import ModelInfo
from redraft.tokens.tokenizer import Tokenizer

SOURCE, TARGET = "She go to school every days.", "She goes to school every day."
CHINESE = ["他跑的很快。", "他跑得很快。", "妳們去學校。", "你们去学校。"]
TOKENIZER = Tokenizer.train_bytes([SOURCE, TARGET, *CHINESE], 330)


def decoded(target: str, confidences: Sequence[float] | None = None, finished: bool = True) -> Decoded:
    """The output of a decoder that writes `target`; all tokens are sure unless `confidences` says otherwise."""
    ids = TOKENIZER.encode(target)
    sure = [1.0] * (len(ids) + 1)
    return Decoded(ids, [0.0] * len(sure), list(confidences or sure), finished, [])


def interpret(source: str, output: Decoded, language: str = "en", threshold: float = 0.0, **info: int) -> Solution:
    interpreter = Interpreter(TOKENIZER, ModelInfo("scripted", language, **info))  # type: ignore[arg-type]
    reading = interpreter.read(source)
    return interpreter.combine(reading, [interpreter.interpret(reading.seen, output, "none", threshold)])


def changes(source: str, solution: Solution) -> list[tuple[str, str]]:
    return [(found.change.source.of(source).strip(), found.replacement.strip()) for found in solution.suggestions]


def test_differences_are_suggestions_with_kind_and_explanation() -> None:
    solution = interpret(SOURCE, decoded(TARGET))
    assert changes(SOURCE, solution) == [("go", "goes"), ("days", "day")]
    assert [found.kind for found in solution.suggestions] == [Kind.AGREEMENT, Kind.NOUN_NUMBER]
    assert all(found.explanation for found in solution.suggestions)
    assert (solution.trace.source, solution.trace.target, solution.trace.policy) == (SOURCE, TARGET, "none")


def test_a_sentence_that_stays_has_no_suggestions() -> None:
    assert interpret(SOURCE, decoded(SOURCE)).suggestions == ()


def test_spaces_of_the_output_are_normalized() -> None:
    assert interpret(SOURCE, decoded(f" {SOURCE.replace('to', 'to ')} ")).suggestions == ()


def test_marks_stay_beside_their_words() -> None:
    """The model knows tokenized text too, and sometimes writes it in another one."""
    source, tokenized = "She go, she sit.", "She goes , she sits ."
    solution = interpret(source, decoded(tokenized))
    assert apply_suggestions(source, solution.suggestions) == "She goes, she sits."
    assert interpret(source, decoded("She go , she sit .")).suggestions == ()
    output = decoded("She goes , she sits .", [*[0.9] * 4, *[0.7] * 20][: len(decoded(tokenized).ids) + 1])
    assert {one.confidence for one in interpret(source, output).suggestions} == {0.9, 0.7}
    separate = "She go , she sit ."
    assert apply_suggestions(separate, interpret(separate, decoded(tokenized)).suggestions) == tokenized
    german = interpret(source, decoded(tokenized), language="de")
    assert apply_suggestions(source, german.suggestions) == tokenized


def test_half_of_an_edit_is_not_made() -> None:
    """Of “days, it would” to “day will”, the second change is not sure enough."""
    source, target = "She saw days, it would rain.", "She saw day will rain."
    ids = TOKENIZER.encode(target)
    pieces = TOKENIZER.pieces(ids)
    unsure = [
        0.5 if start >= target.index(" will") and end <= target.index(" rain") else 0.95
        for start, end in zip(pieces.starts, pieces.ends, strict=True)
    ]
    assert changes(source, interpret(source, decoded(target), threshold=0.8)) == [
        ("days", "day"),
        (", it would", "will"),
    ]
    assert changes(source, interpret(source, decoded(target, [*unsure, 1.0]), threshold=0.8)) == []


@pytest.mark.parametrize(
    "output",
    [decoded(TARGET, finished=False), decoded(TARGET.replace("day", f"d{STAND_IN}y"))],
    ids=["unfinished", "not UTF-8"],
)
def test_an_unusable_output_leaves_the_sentence_alone(output: Decoded) -> None:
    solution = interpret(SOURCE, output)
    assert (solution.suggestions, solution.trace.target, solution.is_usable) == ((), SOURCE, False)


def test_an_output_that_is_used_says_so() -> None:
    assert interpret(SOURCE, decoded(TARGET)).is_usable
    assert interpret(SOURCE, decoded(SOURCE)).is_usable


def test_a_respelled_word_that_is_rare_is_surer_than_the_threshold() -> None:
    source, target = "She goes to scholl.", "She goes to schoolish."
    output = decoded(target)
    output.log_probabilities[token_at(target, target.index("schoolish") + 4)] = math.log(0.9)
    for threshold in (0.95, 0.5):  # the root of the second is 0.933
        assert interpret(source, output, threshold=threshold).suggestions == ()
    for threshold in (0.3, 0.0):
        assert len(interpret(source, output, threshold=threshold).suggestions) == 1


@pytest.mark.parametrize(
    ("source", "target", "kind", "highest"),
    [
        # The highest of the thresholds 0.3, 0.5, 0.75 and 0.9 at which a confidence of 0.9 is enough.
        ("She goes to school.", "She goes home to school.", Kind.MISSING_WORD, 0.3),
        ("She runs to school.", "She goes to school.", Kind.WORD_CHOICE, 0.3),
        ("She goes in school.", "She goes to school.", Kind.PREPOSITION, 0.75),
        ("She go to school.", "She goes to school.", Kind.AGREEMENT, 0.9),
        ("She goes to school every days.", "She goes to school every day.", Kind.NOUN_NUMBER, 0.9),
    ],
)
def test_an_edit_that_puts_other_words_is_surer_than_the_threshold(
    source: str, target: str, kind: Kind, highest: float
) -> None:
    confidences = [1.0] * (len(TOKENIZER.encode(target)) + 1)
    confidences[common_tokens(source, target)] = 0.9
    output = decoded(target, confidences)
    assert [one.kind for one in interpret(source, output).suggestions] == [kind]
    for threshold in (0.3, 0.5, 0.75, 0.9):
        assert len(interpret(source, output, threshold=threshold).suggestions) == (threshold <= highest)


def test_it_is_said_where_edits_are_left_out() -> None:
    source, target = "She runs to school.", "She goes to school."
    confidences = [1.0] * (len(TOKENIZER.encode(target)) + 1)
    confidences[token_at(target, target.index("goes"))] = 0.9
    interpreter = Interpreter(TOKENIZER, ModelInfo("scripted", "en"))
    solution = interpreter.interpret(source, decoded(target, confidences), "none", 0.8)
    assert solution.suggestions == ()
    pieces = TOKENIZER.pieces(TOKENIZER.encode(source))
    places = {(pieces.starts[index], pieces.ends[index]) for index in solution.left_out}
    assert any(start <= source.index("runs") < end for start, end in places)
    assert not any(end < source.index(" runs") or start > source.index(" to") + 1 for start, end in places)
    assert all(0.9 < math.exp(needed) < 1 for needed in solution.left_out.values())
    assert interpreter.interpret(source, decoded(target), "none", 0.8).left_out == {}


def test_a_respelled_word_reaches_the_threshold_with_all_its_tokens() -> None:
    source, target = "She goes to scool every day.", "She goes to school every day."
    output = decoded(target)
    assert len(TOKENIZER.encode("school")) == 1
    touched = [index for index, end in enumerate(TOKENIZER.pieces(output.ids).ends) if end > target.index("school")]
    output.log_probabilities[touched[0]] = math.log(0.5)
    assert len(interpret(source, output, threshold=0.4).suggestions) == 1


def test_in_a_model_by_characters_no_word_is_rare() -> None:
    tokenizer = Tokenizer.train_characters(CHINESE, 100)
    ids = tokenizer.encode(CHINESE[1])
    output = Decoded(ids, [math.log(0.82)] * (len(ids) + 1), [1.0] * (len(ids) + 1), True, [])
    interpreter = Interpreter(tokenizer, ModelInfo("scripted", "zh"))
    assert len(interpreter.interpret(CHINESE[0], output, "none", 0.8).suggestions) == 1


def test_no_part_of_an_address_is_added() -> None:
    source = "Read http://a.b every day."
    assert interpret(source, decoded(source.replace("Read ", "Read http ://"))).suggestions == ()


def common_tokens(source: str, target: str) -> int:
    """The number of tokens at the start that two texts have in common."""
    pairs = zip(TOKENIZER.encode(source), TOKENIZER.encode(target), strict=False)
    return next(index for index, (one, other) in enumerate(pairs) if one != other)


def token_at(target: str, offset: int) -> int:
    pieces = TOKENIZER.pieces(TOKENIZER.encode(target))
    return next(index for index, end in enumerate(pieces.ends) if end > offset)


def test_the_confidence_is_that_of_the_least_sure_token_of_the_change() -> None:
    confidences = [1.0] * (len(TOKENIZER.encode(TARGET)) + 1)
    confidences[token_at(TARGET, TARGET.index("goes"))] = 0.7
    confidences[token_at(TARGET, TARGET.index("school"))] = 0.1
    solution = interpret(SOURCE, decoded(TARGET, confidences))
    assert [found.confidence for found in solution.suggestions] == [0.7, 1.0]


def test_the_confidence_of_a_deletion_is_that_of_the_token_behind_it() -> None:
    source, target = "She goes very to school.", "She goes to school."
    confidences = [1.0] * (len(TOKENIZER.encode(target)) + 1)
    confidences[token_at(target, target.index(" to"))] = 0.6
    solution = interpret(source, decoded(target, confidences))
    assert changes(source, solution) == [("very", "")]
    assert solution.suggestions[0].confidence == 0.6


def test_a_deletion_at_the_end_has_the_confidence_of_the_end() -> None:
    source, target = "She goes to school every day so", "She goes to school every day"
    confidences = [*[1.0] * len(TOKENIZER.encode(target)), 0.4]
    solution = interpret(source, decoded(target, confidences))
    assert changes(source, solution) == [("so", "")]
    assert solution.suggestions[0].confidence == 0.4


def test_a_word_of_too_many_tokens_is_not_brought_in() -> None:
    target = SOURCE.replace("school", "zoology")
    tokens = len(TOKENIZER.encode("zoology"))
    assert changes(SOURCE, interpret(SOURCE, decoded(target), longest_new_word=tokens)) == [("school", "zoology")]
    assert interpret(SOURCE, decoded(target), longest_new_word=tokens - 1).suggestions == ()


def test_a_pair_of_pronouns_is_corrected_whole_or_not_at_all() -> None:
    source = "Me and him goes home."
    for wrong in ("I and I go home.", "I and him go home."):
        solution = interpret(source, decoded(wrong))
        assert all(one.replacement != "I" for one in solution.suggestions)
    assert apply_suggestions(source, interpret(source, decoded("He and I go home.")).suggestions) == "He and I go home."


def test_a_word_of_another_script_is_not_brought_in() -> None:
    assert interpret(SOURCE, decoded(SOURCE.replace("school", "школа"))).suggestions == ()
    mixed = "She go to школа."
    assert changes(mixed, interpret(mixed, decoded("She goes to школа."))) == [("go", "goes")]


def test_chinese_in_traditional_characters_is_read_and_answered_in_its_own() -> None:
    pytest.importorskip("opencc")
    source = "他們學習的很快。"
    interpreter = Interpreter(TOKENIZER, ModelInfo("scripted", "zh"))
    reading = interpreter.read(source)
    assert (reading.seen, reading.form) == ("他们学习的很快。", Form.TRADITIONAL)
    solution = interpreter.combine(reading, [interpreter.interpret(reading.seen, decoded("他们学习得很快。"), "none")])
    assert changes(source, solution) == [("的", "得")]
    simplified = interpreter.read("他们学习的很快。")
    assert (simplified.seen, simplified.form) == (simplified.sentence, Form.USUAL)


def test_without_opencc_traditional_characters_stay(without_opencc: None) -> None:
    source = "他們學習的很快。"
    interpreter = Interpreter(TOKENIZER, ModelInfo("scripted", "zh"))
    reading = interpreter.read(source)
    assert reading.seen == source
    solution = interpreter.interpret(reading.seen, decoded("他們學習得很快。"), "none")
    assert interpreter.combine(reading, [solution]).suggestions == ()


def test_a_change_that_the_decoder_made_elsewhere_has_the_confidence_of_the_nearest_edit() -> None:
    """The decoder leaves out the second word of two, the alignment may take the first: both are right."""
    source, target = "She goes goes to school every day.", "She goes to school every day."
    ids = TOKENIZER.encode(target)
    for place in range(len(ids)):
        confidences = [0.8 if index == place else 1.0 for index in range(len(ids) + 1)]
        (suggestion,) = interpret(source, decoded(target, confidences)).suggestions
        assert suggestion.confidence == 0.8


@pytest.mark.parametrize("output", [decoded(SOURCE), decoded(TARGET), decoded(TARGET, finished=False)])
def test_a_single_pass_is_the_solution(output: Decoded) -> None:
    interpreter = Interpreter(TOKENIZER, ModelInfo("scripted", "en"))
    reading = interpreter.read(SOURCE)
    solution = interpreter.interpret(reading.seen, output, "none")
    combined = interpreter.combine(reading, [replace(solution, left_out={0: -1.0})])  # built from the parts of the pass
    assert interpreter.combine(reading, [solution]) == combined == solution
