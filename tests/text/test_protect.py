from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.text.protect import Reason, find_protected

CASES = {
    Reason.URL: ["https://a.org/b?c=d", "www.a.org", "example.com/path", "ftp://a.b/c", "10.1000/xyz123"],
    Reason.EMAIL: ["a.b@c.org", "x+y@mail.example.co.uk"],
    Reason.CODE: ["`x = 1`", "``a ` b``", "```\nfor x in y\n```"],
    Reason.TAG: ["<b>", "</b>", '<a href="x">', "&amp;"],
    Reason.PLACEHOLDER: ["{name}", "{{ user }}", "${HOME}", "%s", "%(count)d", "{0}", "[NAME]", "%PATH%"],
    Reason.PATH: [
        *("/usr/bin/env", "~/notes", "../up/one", "src/main.py", "report.pdf", "C:\\dir\\a.txt", ".gitignore"),
        *("$HOME/bin", "src/text/"),
    ],
    Reason.VERSION: ["v1.2.3", "2.0.1", "v2", "1.2.3-beta1"],
    Reason.DATE: ["12/05/2024", "2024-05-12", "31.12.1999", "2024-05-12T10:00:00Z"],
    Reason.TIME: ["3:45", "15:30:10", "3:45 pm"],
    Reason.UNIT: ["5 km", "20kg", "30 °C", "$5.50", "50%", "100 €", "5 a.m.", "16 GB", "-5 °C"],
    Reason.TELEPHONE: ["+1 (555) 123-4567", "+44 20 7946 0958"],
    Reason.NUMBER: ["7", "1,000.50", "1st", "10-12", "3/4", "1e-5"],
    Reason.COLOUR: ["#ff00aa", "#123", "#0a0a0aff"],
    Reason.HASHTAG: ["#tag", "#two_words", "#年度好书#", "#AI与人#"],
    Reason.MENTION: ["@ann", "@ann.b"],
    Reason.IDENTIFIER: [
        *("snake_case", "camelCase", "PascalCase", "MAX_SIZE", "foo()", "a.b.c()", "--flag", "--key=value", "$HOME"),
        *("__init__", "_private", "iPhone", "iOS", "JSONParser", "mp3", "H2O", "HttpClient2"),
        *("color=red", "std::vector", "node->next", "os.path.join", "\\alpha", "C++", "F#", "Ctrl+C", "ABC-123"),
        *("550e8400-e29b-41d4-a716-446655440000", "00:1B:44:11:3A:B7"),
    ],
    Reason.EMOJI: ["👍🏽", "🇺🇦", "👩‍👩‍👧‍👦", ":tada:"],
}


@pytest.mark.parametrize(("reason", "text"), [(reason, text) for reason, texts in CASES.items() for text in texts])
def test_what_is_protected_and_why(reason: Reason, text: str):
    for before, after in (("", ""), ("we saw ", " there"), ("(", ")"), ("so ", ", and"), ("it was ", ".")):
        line = before + text + after
        assert [(found.span.of(line), found.reason) for found in find_protected(line)] == [(text, reason)]


@pytest.mark.parametrize(
    "text",
    [
        "This is an ordinary sentence, isn't it?",
        "NASA and the USA are ALL CAPS",
        "Anna met O'Neill and Jean-Paul in New York",
        "he/she and/or him/her",
        "well-known facts -- and a dash – here",
        "tHe and THe are slips",
        "end.Next and I like.it",
        "Ärger, naïve, привет и 我们",
        "wait... what?! (really)",
        "a < b and c > d & e",
        "Washington, D.C. and the U.S. and A.H. too",
        "and/or/not, item(s), note: this: is, a -dash and so = or",
        "One more [sic] and [Ann] went I -I mean we- there",
    ],
)
def test_what_is_not_protected(text: str):
    assert find_protected(text) == []


def test_a_number_is_protected_but_not_the_noun_after_it():
    text = "I waited 3 hour and 5 in the morning of the 1990s and the 80s"
    assert [found.span.of(text) for found in find_protected(text) if found.reason is Reason.NUMBER] == [
        "3",
        "5",
        "1990s",
        "80s",
    ]


def test_words_of_the_dictionary():
    text = "Zorblax's and zorblax, but not zorblaxes; C3PO-like"
    found = find_protected(text, {"zorblax"})
    assert [(one.span.of(text), one.reason) for one in found[:2]] == [
        ("Zorblax", "dictionary"),
        ("zorblax", "dictionary"),
    ]
    assert not any(one.span.of(text).startswith("zorblaxes") for one in found)


def test_a_dictionary_may_hold_the_word_as_written_only():
    text = "McFoo mcfoo"
    assert [one.span.of("Wug wug") for one in find_protected("Wug wug", {"Wug"})] == ["Wug"]
    assert [one.reason for one in find_protected(text, {"mcfoo"})] == [Reason.IDENTIFIER, Reason.DICTIONARY]


ADVERSARIAL = st.text(st.characters(exclude_categories=())) | st.text(
    "aA1_./\\:@#$%{}<>`&-+,' \n👍\u200d\u0301\ud800x("
)


@settings(deadline=None)
@given(ADVERSARIAL, st.sets(st.sampled_from("aAx1"), max_size=2))
def test_spans_are_in_order_apart_and_filled(text: str, dictionary: set[str]):
    found = [one.span for one in find_protected(text, dictionary)]
    assert all(found)
    assert all(left.end <= right.start for left, right in pairwise(found))
    assert all(span.end <= len(text) for span in found)
    assert all(span.of(text) == span.of(text).strip() for span in found)


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a",
            "a.",
            "@",
            "a@",
            "1,",
            "1.",
            "1-",
            "a_",
            "_",
            "a/",
            "/a",
            "~/.",
            "./",
            "`",
            "```a",
            "<a",
            "<!--",
            "{",
            "{a",
        ),
        *(
            "%(",
            "$",
            "aB",
            "--a",
            "a1-",
            "\\\\a",
            "C:\\",
            "a.b(",
            "1:",
            "#",
            "#a1",
            "a-.",
            "&a",
            "1e",
            "$1,",
            "1'",
            "x.py(",
        ),
    ],
)
def test_a_long_run_is_read_in_one_pass(unit: str):
    text = unit * 20_000 + "x"
    assert all(one.span.end <= len(text) for one in find_protected(text))


def test_what_is_protected_in_chinese_text() -> None:
    text = "他用iPhone12看https://a.org/b，价格是3.5元，版本v1.2.3，2023年5月。"
    assert [stretch.span.of(text) for stretch in find_protected(text)] == [
        "iPhone12", "https://a.org/b", "3.5", "v1.2.3", "2023", "5",
    ]  # fmt: skip


def test_a_name_ends_where_a_space_follows_it_or_a_colon():
    for line in ("@小明 你好", "你好，@小明：你好", "你好@小明"):
        assert [found.span.of(line) for found in find_protected(line)] == ["@小明"]
    assert find_protected("@小明你今天去学校上课了吗") == []


def test_a_dictionary_holds_where_no_spaces_are():
    line = "我门去卡拉OK厅，穿T恤衫，我门人多。"
    found = find_protected(line, {"我门", "我门人", "卡拉OK厅", "T恤", "衫，"})
    assert [(stretch.span.of(line), stretch.reason) for stretch in found] == [
        (word, Reason.DICTIONARY) for word in ("我门", "卡拉OK厅", "T恤", "我门人")
    ]
    assert find_protected("我门去", {"门去公"}) == []


def test_a_short_option_is_protected():
    assert [one.span.of("run rm -f and -I") for one in find_protected("run rm -f and -I")] == ["-f"]


PASTED = """\
We started it like this:
$ make test
and it fail with
ValueError: too many value
so I looked at the code
def total(prices):
    sum of the price
x = 5
which is OK. TERMS OF USE
TERMS OF USES
are in `README.md`.
THE USER MUST READS THEM
SELECT NAME FROM USERS WHERE ID = 5
```
x = 1
not prose
```
"""


def test_lines_that_are_no_prose_are_protected_whole():
    found = {one.span.of(PASTED): one.reason for one in find_protected(PASTED)}
    assert found == {
        "$ make test": Reason.COMMAND,
        "ValueError: too many value": Reason.CODE,
        "def total(prices):": Reason.CODE,
        "sum of the price": Reason.CODE,
        "x = 5": Reason.CODE,
        "TERMS OF USES": Reason.CAPITALS,
        "`README.md`": Reason.CODE,
        "SELECT NAME FROM USERS WHERE ID = 5": Reason.CODE,
        "```\nx = 1\nnot prose\n```": Reason.CODE,
    }
