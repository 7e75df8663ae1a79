"""Kinds of edits of Chinese text, and their explanations in Chinese.

The kinds are those of every language, but some have another meaning: `word-form` is a structural particle, `verb-form`
an aspect particle, `agreement` a measure word, `spelling` a character instead of another that sounds alike.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from functools import cache
from pathlib import Path

from redraft.edits.edit import Kind
from redraft.text.words import word_set

_SYLLABLES = Path(__file__).with_name("syllables.txt")
"""The 4,500 commonest characters by syllable, without tones; readings are from pypinyin 0.55 (MIT)."""

_STRUCTURAL = frozenset("的地得")
_ASPECT = frozenset("了着过")
_MEASURES = frozenset("个只条张件位名本辆座把台家间所份种头匹朵棵支枝根双对套块片场次遍趟顿首篇部封幅杯瓶碗")
_PRONOUNS = word_set("我 你 您 他 她 它 我们 你们 他们 她们 它们 自己 咱们 大家 这 那 这些 那些 们")
_PREPOSITIONS = word_set(
    "在 从 自 对 对于 关于 给 向 往 跟 和 与 同 把 将 被 让 由 为 为了 以 用 按 按照 根据 于 比 除 除了 通过"
)

NAMES = {
    Kind.SPELLING: "错别字",
    Kind.DIALECT: "英美拼写",
    Kind.CASING: "大小写",
    Kind.PUNCTUATION: "标点",
    Kind.SPACING: "空格",
    Kind.ARTICLE: "冠词",
    Kind.PREPOSITION: "介词",
    Kind.PRONOUN: "代词",
    Kind.AGREEMENT: "量词",
    Kind.VERB_FORM: "动态助词",
    Kind.NOUN_NUMBER: "单复数",
    Kind.WORD_FORM: "结构助词",
    Kind.WORD_ORDER: "语序",
    Kind.WORD_CHOICE: "用词",
    Kind.MISSING_WORD: "成分残缺",
    Kind.REDUNDANCY: "成分赘余",
    Kind.OTHER: "其他",
}
"""Chinese names of the kinds."""


def classify(old: str, new: str) -> Kind:
    """Kind of the edit that replaces `old` by `new`; white space around them does not count."""
    if old.split() != new.split() and "".join(old.split()) == "".join(new.split()):
        return Kind.SPACING
    old, new = "".join(old.split()), "".join(new.split())
    if old.casefold() == new.casefold():
        return Kind.CASING
    if not _letters(old) and not _letters(new):
        return Kind.PUNCTUATION
    if sorted(old) == sorted(new):
        return Kind.WORD_ORDER
    if not old or not new:
        return _classify_addition(_letters(old or new)) or (Kind.REDUNDANCY if old else Kind.MISSING_WORD)
    return _classify_substitution(old, new)


def _classify_addition(words: str) -> Kind | None:
    if words and set(words) <= _ASPECT:
        return Kind.VERB_FORM
    if set(words) <= _STRUCTURAL:
        return Kind.WORD_FORM
    if words in _PREPOSITIONS:
        return Kind.PREPOSITION
    return Kind.PRONOUN if words in _PRONOUNS else None


def _classify_substitution(old: str, new: str) -> Kind:
    pair = {old, new}
    for kind, members in (
        (Kind.WORD_FORM, _STRUCTURAL),
        (Kind.VERB_FORM, _ASPECT),
        (Kind.PRONOUN, _PRONOUNS),
        (Kind.PREPOSITION, _PREPOSITIONS),
    ):
        if pair <= members:
            return kind
    if len(old) == len(new) and all(
        one == other or sound_alike(one, other) for one, other in zip(old, new, strict=True)
    ):
        return Kind.SPELLING
    return Kind.AGREEMENT if pair <= _MEASURES else Kind.WORD_CHOICE


def explain(kind: Kind, old: str, new: str) -> str:
    """One sentence in Chinese that says why `old` is replaced by `new`."""
    special = _SPECIAL.get((kind, new if new else old, bool(new)))
    if special:
        return special
    if kind is Kind.SPACING:
        return "此处不需要空格。" if len(new.split()) < len(old.split()) or not new else "此处需要空格。"
    if not old or not new:
        reason = f"“{_shorten(old)}”多余，应删去" if old else f"此处应补上“{_shorten(new)}”"
    elif kind is Kind.WORD_ORDER:
        reason = f"应改为“{_shorten(new)}”"
    elif kind is Kind.SPELLING and len(old) == 1:
        reason = f"“{old}”与“{new}”读音相近，此处应写“{new}”"
    else:
        reason = f"“{_shorten(old)}”应改为“{_shorten(new)}”"
    return f"{NAMES[kind]}：{reason}。"


_SPECIAL = {
    (Kind.WORD_FORM, "地", True): "结构助词：动词前的状语用“地”连接。",
    (Kind.WORD_FORM, "得", True): "结构助词：动词或形容词后的补语用“得”连接。",
    (Kind.WORD_FORM, "的", True): "结构助词：名词前的定语用“的”连接。",
    (Kind.VERB_FORM, "了", True): "动态助词：表示动作完成或出现变化，用“了”。",
    (Kind.VERB_FORM, "着", True): "动态助词：表示动作或状态持续，用“着”。",
    (Kind.VERB_FORM, "过", True): "动态助词：表示曾经有过的经历，用“过”。",
}


def sound_alike(one: str, other: str) -> bool:
    """Whether two characters have a reading in common, without tones."""
    sounds = _sounds()
    return not sounds.get(one, frozenset()).isdisjoint(sounds.get(other, ()))


@cache
def _sounds() -> dict[str, frozenset[str]]:
    sounds: defaultdict[str, set[str]] = defaultdict(set)
    for line in _SYLLABLES.read_text(encoding="utf-8").splitlines():
        syllable, characters = line.split()
        for character in characters:
            sounds[character].add(syllable)
    return {character: frozenset(heard) for character, heard in sounds.items()}


def _letters(text: str) -> str:
    return "".join(character for character in text if unicodedata.category(character)[0] in "LNM")


def _shorten(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 30 else text[:29] + "…"
