from __future__ import annotations

from redraft.edits import lexicon


def test_tables_of_irregular_forms_are_read_whole():
    assert lexicon.IRREGULAR_VERBS["go"] == ("went", "gone")
    assert lexicon.IRREGULAR_VERBS["build"] == ("built", "built")
    assert lexicon.IRREGULAR_NOUNS["child"] == "children"
    assert all(form.isalpha() for base, forms in lexicon.IRREGULAR_VERBS.items() for form in (base, *forms))
    assert all(one.isalpha() and other.isalpha() for one, other in lexicon.IRREGULAR_NOUNS.items())


def test_words_are_in_lower_case():
    sets = [value for value in vars(lexicon).values() if isinstance(value, frozenset)]
    assert sets
    assert all(word == word.lower() and " " not in word for words in sets for word in words)


def test_glosses_read_on_from_the_word():
    assert all(gloss.split()[0].endswith("s") and gloss[-1] != "." for gloss in lexicon.GLOSSES.values())
