from __future__ import annotations

import math

import pytest

from redraft.lsp.typing_state import PAUSE_SECONDS, TypingState
from redraft.text.span import Span

NOW, SOON, WHEN_IT_LEAVES = -math.inf, 10 + PAUSE_SECONDS, math.inf


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("[She go^]", WHEN_IT_LEAVES),
        ("[She go] ^", WHEN_IT_LEAVES),
        ("[She go.^]", SOON),
        ("[“She go.”^]", SOON),
        ("[She ^go.]", SOON),
        ("[She ^go]", SOON),
        ("[^She go.]", SOON),
        ("[She go.] ^", NOW),
        ("[She go]\n^", NOW),
        ("[She go]\n\nNext^", NOW),
        ("[She go] and^", NOW),
        ("^ [She go]", NOW),
        ("[She go]" + " " * 5000 + "^", NOW),
    ],
)
def test_when_findings_of_a_sentence_are_shown(text: str, when: float) -> None:
    """The sentence is in brackets, the last change ended at ^."""
    plain = text.replace("[", "").replace("]", "").replace("^", "")
    start = text.replace("^", "").index("[")
    end = text.replace("^", "").index("]") - 1
    offset = text.replace("[", "").replace("]", "").index("^")
    assert TypingState(offset, time=10).show_after(Span(start, end), plain) == when
