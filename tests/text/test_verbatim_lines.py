from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redraft.text.verbatim_lines import LineKind, find_verbatim_lines, line_kind

COMMANDS = """
$ make test
$ ./configure --prefix=/usr
user@host:~$ ls -la
>>> print(x)
C:\\> dir
PS C:\\Users> Get-Item x
pip install redraft
sudo apt-get install gcc
git push --force origin main
make -j4
find . -name x
"""
CODE = """
import os
from a.b import c
import { x } from 'y'
def f(x: int) -> str:
class Point(Base):
if x == 3:
for x in range(3):
total += price * 2
x[0] = 5
foo.bar(1, g(2));
if (x > 3) {
});
}
const a = 3;
return x;
public static void main(String[] args) {
#include <stdio.h>
"name": "redraft",
// a remark
SELECT * FROM users WHERE id = 3
@@ -1,2 +3,4 @@
diff --git a/x b/x
Traceback (most recent call last):
File "a.py", line 3, in f
at com.example.Main.run(Main.java:12)
ValueError: bad value
2024-01-02 12:00:00,123 INFO started
"""
CAPITALS = """
CHAPTER ONE
THE SOFTWARE IS PROVIDED “AS IS”, WITHOUT WARRANTY.
3. TERMS OF USE
"""
PROSE = """
This is an ordinary line
NASA
I AM
他用 NASA 的 API 数据
$ 5 is not enough
$5 million was spent
from here on, import duties rise
import duties, which rose
for people in need:
if you like it (and I do):
class of 2010:
let us go; we must
double bass; my chest is hollow
Smith (2010) said
the item(s) (see below);
(carbohydrates, lipids, proteins, and nucleic acids);
make the bond-breaking and -forming processes
find that -EOS outperforms +EOS
git is a great tool
Select one from the list
She said: "hello" and left;
... and so on
> a quotation
- an item
# A heading
return to sender
Note: this is (really) important;
"""


def lines_of(listing: str) -> list[str]:
    return listing.strip().split("\n")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        *((line, LineKind.COMMAND) for line in lines_of(COMMANDS)),
        *((line, LineKind.CODE) for line in lines_of(CODE)),
        *((line, LineKind.CAPITALS) for line in lines_of(CAPITALS)),
        *((line, None) for line in lines_of(PROSE)),
    ],
)
def test_the_kind_of_a_line(line: str, kind: LineKind | None) -> None:
    assert line_kind(line) is kind


def test_what_is_indented_deeper_behind_code_is_code() -> None:
    text = "def f(x):\n    the sum of it\n\n    a paragraph\nmore prose\n"
    assert [span.of(text) for span, _ in find_verbatim_lines(text)] == ["def f(x):", "the sum of it"]


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())) | st.text("aA$ =(){};:\n\r\t\"'->@#/*1\u2029"))
def test_spans_are_whole_lines_in_order(text: str) -> None:
    end = -1
    for span, _ in find_verbatim_lines(text):
        assert span.start > end
        assert span and span.of(text) == span.of(text).strip()
        assert len(span.of(text).splitlines()) == 1
        end = span.end


@pytest.mark.parametrize("unit", ["a(", "if ", "x = ", ") ", "{", "a.b(", "A ", "$ a -", "\t"])
def test_a_long_line_takes_little_time(unit: str) -> None:
    assert line_kind((unit * 50_000 + "x").strip()) is None
