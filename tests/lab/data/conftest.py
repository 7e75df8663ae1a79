"""A small error table, written by hand, that has something of everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from redraft.lab.data.english_words import CONTEXTS, FUNCTION_WORDS, SPELLING_RULES, neighbours
from redraft.lab.data.table import Candidate, ErrorTable, Family

WORDS = (
    "the a an in on at to of and is are was he she they it cat cats dog house houses goes go went sometimes something "
    "beautiful receive believe good very with from that this not"
)


@pytest.fixture(scope="session")
def table() -> ErrorTable:
    return ErrorTable(
        language="en",
        candidates={
            "the": (Candidate("", Family.ARTICLE, 4000), Candidate("a", Family.ARTICLE, 500)),
            "a": (Candidate("an", Family.ARTICLE, 900), Candidate("", Family.ARTICLE, 2000)),
            "goes": (Candidate("go", Family.AGREEMENT, 5000, "mt"), Candidate("going", Family.VERB_FORM, 500, "+s")),
            "cats": (Candidate("cat", Family.NOUN_NUMBER, 3000), Candidate("the cats", Family.ARTICLE, 900, "+^i")),
            "house": (Candidate("houses", Family.NOUN_NUMBER, 2000), Candidate("home", Family.CHOICE, 300)),
            "in": (Candidate("on", Family.PREPOSITION, 2000), Candidate("", Family.PREPOSITION, 700)),
            ",": (Candidate("", Family.PUNCTUATION, 20000),),
            ".": (Candidate("", Family.PUNCTUATION, 2000),),
            "-": (Candidate("", Family.PUNCTUATION, 9000),),
            "went to": (Candidate("went", Family.PREPOSITION, 3000), Candidate("go to", Family.VERB, 3000)),
            ". it": (Candidate(", it", Family.PUNCTUATION, 30000),),
            "n't": (Candidate("nt", Family.PUNCTUATION, 9000),),
        },
        misspellings={"receive": (("recieve", 3.0), ("receve", 1.0)), "beautiful": (("beatiful", 1.0),)},
        ranks={word: min(place // 12, 3) for place, word in enumerate(WORDS.split())},
        contexts=CONTEXTS,
        function_words=FUNCTION_WORDS,
        splits={"something": "some thing", "sometimes": "some times"},
        spelling_rules=SPELLING_RULES,
        keyboard=neighbours(),
        density=dict.fromkeys((family.value for family in Family), 1000.0),
    )


@pytest.fixture
def table_file(table: ErrorTable, tmp_path: Path) -> Path:
    path = tmp_path / "errors.json.gz"
    table.save(path)
    return path
