"""Sentences to measure on: from a file, or built in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import TypeVar

from redraft.errors import InputError
from redraft.lab.data.pair import Pair
from redraft.lab.data.readers import Faults, Layout, detect, read_pairs, read_sentences
from redraft.lab.data.tokenization import detokenize

BUILT_IN = tuple(
    Pair(*pair)
    for pair in (
        ("He have two cat.", "He has two cats."),
        ("I am agree with you.", "I agree with you."),
        ("She do not likes coffee.", "She does not like coffee."),
        ("Where you was yesterday?", "Where were you yesterday?"),
        ("The soup smells good.", "The soup smells good."),
        ("We have moved into a smaller flat near the river.", "We have moved into a smaller flat near the river."),
        ("My brother is teacher in a small school.", "My brother is a teacher in a small school."),
        ("I look forward to meet you next week.", "I look forward to meeting you next week."),
        ("There is many reasons to learn a second language.", "There are many reasons to learn a second language."),
        ("Thank you for letting me know about the change.", "Thank you for letting me know about the change."),
        (
            "Last summer I go to Italy with my parents and we visited a lot of museum.",
            "Last summer I went to Italy with my parents and we visited a lot of museums.",
        ),
        (
            "The train was late again, so we waited in the small cafe opposite the station.",
            "The train was late again, so we waited in the small cafe opposite the station.",
        ),
        (
            "If I would have more time, I will read all the books that you have recommend me.",
            "If I had more time, I would read all the books that you have recommended to me.",
        ),
        (
            "She said me that the informations on the website was not correct.",
            "She told me that the information on the website was not correct.",
        ),
        (
            "Many people think that the weather in the north is worse than it really is.",
            "Many people think that the weather in the north is worse than it really is.",
        ),
        (
            "Because of the the heavy rain the game was canceled and everyone have to go home.",
            "Because of the heavy rain, the game was canceled and everyone had to go home.",
        ),
        (
            "My grandmother, which is ninety years old, still walks to the market by foot every mornings.",
            "My grandmother, who is ninety years old, still walks to the market on foot every morning.",
        ),
        (
            "You can leave your bicycle behind the house, where nobody will see it from the street.",
            "You can leave your bicycle behind the house, where nobody will see it from the street.",
        ),
        (
            "Nowadays the most of the students prefers to study with there phones instead of books.",
            "Nowadays most of the students prefer to study with their phones instead of books.",
        ),
        (
            "In my opinion, it is more important to understand a text than to know every single word in it.",
            "In my opinion, it is more important to understand a text than to know every single word in it.",
        ),
        (
            "The company has decided to close two of its offices, because the rents has rised too much this year.",
            "The company has decided to close two of its offices because the rents have risen too much this year.",
        ),
        (
            "After we had finished dinner, my uncle told us a long story about the winter when the lake froze over.",
            "After we had finished dinner, my uncle told us a long story about the winter when the lake froze over.",
        ),
        (
            "It depend of the teacher if the lesson is interesting or no, and not of the book that they uses.",
            "It depends on the teacher whether the lesson is interesting or not, and not on the book that they use.",
        ),
        (
            "The doctor advised him to drink more water, to sleep at least seven hours and to stop working at night.",
            "The doctor advised him to drink more water, to sleep at least seven hours and to stop working at night.",
        ),
        (
            "I have been living in this city since five years and I still not know all the streets in the center, "
            "but I like to discover new places with my friends at weekends.",
            "I have been living in this city for five years and I still do not know all the streets in the center, "
            "but I like discovering new places with my friends at weekends.",
        ),
        (
            "When the new bridge was opened, the people from both sides of the river came together, and there was "
            "music, food and dancing until late in the evening.",
            "When the new bridge was opened, the people from both sides of the river came together, and there was "
            "music, food and dancing until late in the evening.",
        ),
        (
            "One of the biggest problem of our time is that children spends too many hours in front of a screen, and "
            "parents which work all the day can not control what do they see there.",
            "One of the biggest problems of our time is that children spend too many hours in front of a screen, and "
            "parents who work all day cannot control what they see there.",
        ),
        (
            "The report that the committee published last month shows that fewer people travel by car than ten years "
            "ago, although the number of cars that are sold every year has not become smaller.",
            "The report that the committee published last month shows that fewer people travel by car than ten years "
            "ago, although the number of cars that are sold every year has not become smaller.",
        ),
        (
            "At first I was thinking that the job will be easy, but after few days I realised that I need to learn "
            "a lot of thing about the machines, the customers and even about the accounting, what I never liked.",
            "At first I thought that the job would be easy, but after a few days I realised that I needed to learn "
            "a lot of things about the machines, the customers and even about accounting, which I never liked.",
        ),
        (
            "Although it had been raining since the early morning, the old man put on his coat, took the dog by its "
            "lead and walked along the canal as he had done every single day since his wife had died.",
            "Although it had been raining since the early morning, the old man put on his coat, took the dog by its "
            "lead and walked along the canal as he had done every single day since his wife had died.",
        ),
    )
)
"""Sentences written for this purpose, from short to long; about half are correct."""

Item = TypeVar("Item")


def spread(items: Sequence[Item], count: int) -> list[Item]:
    """`count` of the items, evenly spaced; all if there are fewer."""
    if count >= len(items):
        return list(items)
    return [items[index * len(items) // count] for index in range(count)]


def read_samples(path: Path | None, count: int, raw: bool = True) -> list[Pair]:
    """`count` pairs of source and reference from an M2 file, a TSV file, or plain lines (reference = source).

    Without a file, the built-in sentences, repeated as needed. With `raw`, tokenized sentences are detokenized.
    """
    if path is None:
        return spread(BUILT_IN, count) if count < len(BUILT_IN) else list(islice(cycle(BUILT_IN), count))
    pairs = [pair for pair in _read(path) if pair.source and pair.target]
    if not pairs:
        raise InputError(
            f"{path}: no sentence in it; use an M2 file, a file with lines of source, tab and reference, or plain lines"
        )
    chosen = spread(pairs, count)
    if raw and ".m2" in path.suffixes:
        return [pair.respell(detokenize) for pair in chosen]
    return chosen


def _read(path: Path) -> list[Pair]:
    if not path.exists():
        raise InputError(f"{path}: no such file")
    faults = Faults()
    try:
        layout: Layout | None = detect(path)
    except InputError:
        layout = None
    if layout is None:
        return [Pair(sentence, sentence) for sentence in read_sentences(path, faults)]
    return list(read_pairs(path, faults, layout, every_annotator=False))
