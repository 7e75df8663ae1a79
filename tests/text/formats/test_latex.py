"""LaTeX as its reader sees it."""

from __future__ import annotations

import pytest

from redraft.text.markup import Role, read


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("\\documentclass{a}\n\\title{T}\n\\begin{document}Text.\\end{document}", ["Text."]),
        ("\\section{A \\emph{new} title}\\label{s}Text.", ["A new title", "Text."]),
        ("We show $x > 0$ holds~\\cite{a}, see Fig.~\\ref{f}.", ["We show X holds [1], see Fig. 1."]),
        ("\\citet[p.~3]{a} say so", ["X say so"]),
        ("a -- b --- c ``d'' 50\\% e", ["a – b — c “d” 50% e"]),
        ("text % a comment\ngoes on", ["text goes on"]),
        ("a\\footnote{A \\emph{nested} note.} word", ["a word"]),
        ("so that\n\\begin{equation}\nx\n\\end{equation}\nholds.", ["so that\nX\nholds."]),
        ("so that \\[ x. \\] Next", ["so that X. Next"]),
        ("\\[ x \\]\nText", ["Text"]),
        ("\\begin{itemize}[nosep]\\item one\\item[b] two\\end{itemize}three", ["one", "two", "three"]),
        ("\\begin{verbatim}\n$ a\n\\end{verbatim} text", ["text"]),
        ("\\begin{figure}[t]\\caption{A figure.}\\end{figure}", ["A figure."]),
        ("a \\verb|x y| b \\texttt{z} c", ["a X b X c"]),
        ("caf\\'e na\\\"{\\i}ve \\ss{} \\LaTeX{} here", ["café naïve ß LaTeX here"]),
        ("\\href{http://a}{a link} and \\textcolor{red}{red}", ["a link and red"]),
        ("one\n\ntwo \\\\ three", ["one", "two \n\n three"]),
        ("five \\$ and $never closed\n\nnext", ["five $ and Xnever closed", "next"]),
    ],
)
def test_blocks(source, expected):
    assert [placed.block.text for placed in read(source, "latex").blocks] == expected


def test_roles():
    blocks = read("\\section{A}b\n\n\\item c\n\nd", "latex").blocks
    assert [placed.block.role for placed in blocks] == [Role.TITLE, Role.PARAGRAPH, Role.ITEM, Role.PARAGRAPH]
