"""Words that are never suggested: slurs and swear words. A text that has them keeps them."""

from __future__ import annotations

import codecs
import re

_WORD = re.compile(r"[^\W\d_]+")
_CODED = """
nffubyr nffubyrf onfgneq onfgneqf ovgpu ovgpurf ovgpul phag phagf qvyqb qvyqbf snt snttbg
snttbgf sntf shpx shpxrq shpxre shpxref shpxvat shpxf tbbx tbbxf wnc wncf xvxr xvxrf artne arteb artebrf artebf
avttn avttnf avttre avttref cnxv cnxvf cvff cvffvat chffl ergneq ergneqf fuvg fuvgf fuvggl fyhg fyhgf fcvp fcvpf
genaavrf genaal gjng gjngf jnax jnaxre jnaxref juber juberf
"""
"""The words in ROT13, so that a reader of the code does not see them."""
OFFENSIVE = frozenset(codecs.decode(_CODED, "rot13").split())


def adds_offensive_word(old: str, new: str) -> bool:
    """Whether a replacement has such a word that the replaced text has not."""
    before = {word.lower() for word in _WORD.findall(old)}
    return any(word.lower() in OFFENSIVE and word.lower() not in before for word in _WORD.findall(new))
