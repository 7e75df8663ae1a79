"""LaTeX: the text of the document without commands, formulas, comments and the preamble."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from redraft.text.formats.masks import BREAK, CITATION, NUMBER, STAND_IN, Mask, cut_block
from redraft.text.marked import Placed, Role
from redraft.text.span import Span
from redraft.text.words import word_set

_TOKEN = re.compile(
    r"""
      (?P<comment>%[^\n]*+(?:\n[ \t]*+(?=\S))?)
    | (?P<blank>\n[ \t\r]*+\n\s*+)
    | (?P<environment>\\(?P<edge>begin|end)[ \t]*+\{(?P<kind>[^{}\n]{1,60}+)\})
    | (?P<display>\\\[|\$\$)
    | (?P<inline>\\\(|\$)
    | (?P<newline>\\\\\*?(?:\[[^\]\n]{0,40}+\])?)
    | (?P<verbatim>\\(?:verb|lstinline)\*?(?P<fence>[^\w\s*{])[^\n]{0,500}?(?P=fence))
    | (?P<command>\\(?P<name>[A-Za-z@]++)\*?)
    | (?P<accent>\\[`'^"~=.](?:\{\\?[A-Za-z]\}|\\?[A-Za-z]))
    | (?P<escape>\\(?P<escaped>[%&$#_{} ,;:!/-]))
    | (?P<tie>~)
    | (?P<dash>-{2,3})
    | (?P<quote>``|''|`)
    | (?P<brace>[{}])
    | (?P<column>&)
    """,
    re.VERBOSE,
)
_OPTION = re.compile(r"[ \t]*+\[[^\[\]]{0,500}+\]")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307"}
_SIGNS = {"--": "–", "---": "—", "``": "“", "''": "”", "`": "‘", "~": " ", "&": BREAK, "{": "", "}": ""}
_ESCAPED = {" ": " ", ",": " ", ";": " ", ":": " ", "!": "", "/": "", "-": ""}
_BLANK = re.compile(r"\n[ \t\r]*+(?=\n)")
_CLOSERS = {"\\[": "\\]", "$$": "$$", "\\(": "\\)", "$": "$"}
_STOPS = (".", ",", ";")
_NEAR, _FAR = 8, 200

_FORMULAS = word_set("equation align gather multline eqnarray displaymath math alignat flalign IEEEeqnarray")
_UNREAD = _FORMULAS | word_set(
    "verbatim Verbatim lstlisting minted tikzpicture pgfpicture axis algorithm algorithmic filecontents comment "
    "thebibliography tabular tabularx longtable tabu array"
)
# Commands with an argument that is a block of its own...
_TITLES = word_set(
    "part chapter section subsection subsubsection paragraph subparagraph title subtitle frametitle caption"
)
# ...those without prose in any argument, and what they read as...
_READS_AS = {
    **dict.fromkeys(word_set("ref eqref pageref cref Cref autoref nameref vref"), NUMBER),
    **dict.fromkeys(word_set("cite citep parencite autocite citeyear"), CITATION),
    **dict.fromkeys(
        word_set("citet Citet textcite citealt citeauthor url path texttt code mintinline SI num qty"), STAND_IN
    ),
    **dict.fromkeys(
        word_set(
            "footnote footnotemark footcite thanks marginpar nocite label index vspace hspace documentclass usepackage "
            "todo newcommand renewcommand providecommand def bibliography bibliographystyle input include "
            "includegraphics setlength setcounter addtocounter pagestyle thispagestyle pagenumbering hypersetup "
            "graphicspath definecolor color addbibresource newtheorem theoremstyle DeclareMathOperator phantom"
        ),
        "",
    ),
}
# ...those whose first argument is none, and those that are a sign.
_FIRST_UNREAD = word_set("href textcolor colorbox hyperref fontsize raisebox parbox multicolumn")
_LETTERS = {
    "ss": "ß",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "o": "ø",
    "O": "Ø",
    "aa": "å",
    "AA": "Å",
    "l": "ł",
} | {
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "ldots": "…",
    "dots": "…",
    "textendash": "–",
    "textemdash": "—",
    "quad": " ",
    "i": "ı",
}


def blocks(source: str) -> Iterator[Placed]:
    begin = re.search(r"\\begin[ \t]*+\{document\}", source)
    reader = _Reader(source, begin.end() if begin else 0)
    yield from reader.run()


@dataclass(slots=True)
class _Reader:
    source: str
    start: int
    """Where the current block begins."""
    masks: list[Mask] = field(default_factory=list)
    role: Role = Role.PARAGRAPH
    braces: list[bool] = field(default_factory=list)
    """For each open brace, whether it closes a title."""
    ends: dict[str, list[int]] = field(default_factory=dict)
    """Offsets of each closing sequence that was searched for."""
    blanks: list[int] | None = None
    """Offsets of the blank lines; None until they are needed."""
    closing: dict[int, int] | None = None
    """The closing brace of each opening one; None until it is needed."""

    def run(self) -> Iterator[Placed]:
        position = self.start
        while match := _TOKEN.search(self.source, position):
            yield from self._read(match)
            position = max(match.end(), self.start, self.masks[-1].end if self.masks else 0)
        yield from self._flush(len(self.source), len(self.source))

    def _read(self, match: re.Match[str]) -> Iterator[Placed]:
        token = match.lastgroup
        if token == "blank":
            yield from self._flush(match.start(), match.end())
        elif token == "environment":
            yield from self._read_environment(match, match["kind"].rstrip("*"))
        elif token in ("display", "inline"):
            yield from self._read_formula(match, _CLOSERS[match.group()])
        elif token == "command":
            yield from self._read_command(match, match["name"])
        elif token == "brace":
            yield from self._read_brace(match)
        else:
            self._mask(match, match.end(), _read_sign(match))

    def _read_environment(self, match: re.Match[str], kind: str) -> Iterator[Placed]:
        closing = f"\\end{{{match['kind']}}}"
        if match["edge"] == "begin" and kind in _FORMULAS:
            yield from self._read_formula(match, closing)
            return
        if match["edge"] == "begin" and kind in _UNREAD:
            end = self._behind(closing, match.end())
        else:
            end = self._behind_arguments(match.end())
        yield from self._flush(match.start(), end)

    def _read_formula(self, match: re.Match[str], closing: str) -> Iterator[Placed]:
        """A formula is read as a word of the sentence around it, also if it is on lines of its own."""
        end = self._behind(closing, match.end())
        if match.lastgroup == "inline" and self._has_blank_line(match.end(), end):
            # A formula cannot contain a paragraph break: the sign is not closed.
            end = match.end()
        if match.lastgroup != "inline" and not self.source[self.start : min(match.start(), self.start + _FAR)].strip():
            yield from self._flush(match.start(), end)
            return
        inside = end - len(closing)
        last = self.source[max(match.end(), inside - _NEAR) : max(match.end(), inside)].rstrip()[-1:]
        self._mask(match, end, STAND_IN + (last if last in _STOPS else ""))

    def _read_command(self, match: re.Match[str], name: str) -> Iterator[Placed]:
        source, end = self.source, match.end()
        option = _OPTION.match(source, end)
        behind_option = option.end() if option else end
        if name in _TITLES and source.startswith("{", behind_option):
            yield from self._flush(match.start(), behind_option + 1)
            self.role = Role.TITLE
            self.braces.append(True)
        elif name == "item":
            yield from self._flush(match.start(), behind_option)
            self.role = Role.ITEM
        elif name in _READS_AS:
            self._mask(match, self._behind_arguments(end), _READS_AS[name])
        elif name in _LETTERS:
            self._mask(match, end + 2 if source.startswith("{}", end) else end, _LETTERS[name])
        elif name in _FIRST_UNREAD:
            self._mask(match, self._behind_arguments(behind_option, at_most=1), "")
        else:
            # White space behind a command's name only ends the name.
            spaced = not option and source.startswith(" ", end)
            self._mask(match, end + 1 if spaced else behind_option, "")

    def _read_brace(self, match: re.Match[str]) -> Iterator[Placed]:
        if match.group() == "{":
            self.braces.append(False)
        elif self.braces and self.braces.pop():
            yield from self._flush(match.start(), match.end())
            return
        self._mask(match, match.end(), "")

    def _mask(self, match: re.Match[str], end: int, shown: str) -> None:
        self.masks.append(Mask(match.start(), end, shown))

    def _flush(self, end: int, start: int) -> Iterator[Placed]:
        """Ends the current block at `end`; the next one begins at `start`."""
        block = cut_block(self.source, Span(self.start, max(self.start, end)), self.masks, self.role, wrapped=True)
        if block:
            yield block
        self.start, self.masks = start, []
        self.role = Role.PARAGRAPH

    def _behind(self, closing: str, position: int) -> int:
        """The offset behind the next `closing`; `position` if there is none."""
        places = self.ends.get(closing)
        if places is None:
            places = self.ends[closing] = [
                found.start() for found in re.finditer(rf"(?<!\\){re.escape(closing)}", self.source)
            ]
        index = bisect_left(places, position)
        return places[index] + len(closing) if index < len(places) else position

    def _has_blank_line(self, start: int, end: int) -> bool:
        if self.blanks is None:
            self.blanks = [found.start() for found in _BLANK.finditer(self.source)]
        index = bisect_left(self.blanks, start)
        return index < len(self.blanks) and self.blanks[index] < end

    def _behind_arguments(self, position: int, at_most: int = 9) -> int:
        if self.closing is None:
            self.closing = _match_braces(self.source)
        for _ in range(at_most):
            if option := _OPTION.match(self.source, position):
                position = option.end()
            elif self.source.startswith("{", position) and position in self.closing:
                position = self.closing[position] + 1
            else:
                break
        return position


def _match_braces(source: str) -> dict[int, int]:
    """The offset of the closing brace for that of each opening one."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for match in _BRACE.finditer(source):
        if match.group() == "{":
            opened.append(match.start())
        elif match.group() == "}" and opened:
            closing[opened.pop()] = match.start()
    return closing


def _read_sign(match: re.Match[str]) -> str:
    token, sign = match.lastgroup, match.group()
    if token == "escape":
        return _ESCAPED.get(match["escaped"], match["escaped"])
    if token == "accent":
        return unicodedata.normalize("NFC", sign.rstrip("}")[-1:] + _ACCENTS[sign[1]])
    if token == "verbatim":
        return STAND_IN
    return BREAK if token == "newline" else _SIGNS.get(sign, "")
