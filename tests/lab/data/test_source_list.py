from __future__ import annotations

import re
from pathlib import Path

import pytest

from redraft.errors import ConfigError
from redraft.lab.data.source_list import OPEN, SourceList, read_source_list

RESTRICTED = (
    *("wi.train.raw.tsv.xz", "wi.A.train.m2.xz", "wi_all.tsv", "fce.train.raw.tsv.xz", "lang8_sample.tok.tsv.xz"),
    *("languagetool_examples.tsv.xz", "gmeg_wiki_dev.tok.tsv.xz", "bea19.dev.m2", "conll13.m2", "fce.dev.m2"),
    *("jfleg.dev.src", "cweb_g.dev.m2", "nucle.train.m2", "pairs_all.tsv", "pairs_changed.tsv", "corrected.txt"),
    *("personal.txt", "errors.json.gz", "tokenizer.json", "lt_confusion_sets.txt", "lt_uncountable.txt"),
    *("misspellings_birkbeck_norvig.tsv.xz", "reuters21578.txt.xz", "abc_news.txt.xz", "brown_detok.txt.xz"),
    *("gum.txt.xz", "amalgum_wikihow_NC.txt.xz", "game_dialogue_narrative.txt.xz", "blogs_orgs.txt.xz"),
    *("code_project_docs.txt.xz", "learning_sites.txt.xz", "tech_books_proposals.txt.xz"),
    *("acl_abstracts.txt.xz", "african_storybook.txt.xz", "onestopenglish.txt.xz"),
)


@pytest.fixture(scope="module")
def allowed() -> SourceList:
    return read_source_list(OPEN)


@pytest.mark.parametrize("name", RESTRICTED)
def test_the_list_of_open_sources_has_no_restricted_file(allowed: SourceList, name: str) -> None:
    assert allowed.find(Path("corpora/en") / name) is None


def test_the_list_of_open_sources_has_the_open_files(allowed: SourceList) -> None:
    names = {
        "clean/wikipedia_02.txt.xz": "wikipedia",
        "clean/openstax_ccby.txt.xz": "openstax",
        "lexicon/codespell.txt": "codespell",
        "mined/git_spell.tsv.xz": "git-history",
        "mined/eracond.tok.tsv.xz": "eracond",
    }
    assert {name: allowed.find(Path(name)) for name in names} == names


def test_every_licence_of_the_list_allows_any_use(allowed: SourceList) -> None:
    licences = [source.licence for source in allowed.sources.values()] + list(allowed.repositories.values())
    assert not [licence for licence in licences if re.search(r"\bNC\b|\bND\b|GPL|GFDL|research|unknown", licence)]


def test_no_file_belongs_to_two_sources(allowed: SourceList) -> None:
    patterns = [pattern for source in allowed.sources.values() for pattern in source.files]
    assert len(set(patterns)) == len(patterns)
    for name, source in allowed.sources.items():
        for pattern in source.files:
            assert allowed.find(Path(pattern.replace("*", "0"))) == name


def test_every_clean_file_is_judged(allowed: SourceList, shared_data: Path) -> None:
    """A new file must be added to the list or to the restricted ones above."""
    names = {path.name for path in (shared_data / "en" / "clean").iterdir()}
    assert {name for name in names if allowed.find(Path(name)) is None} == names & set(RESTRICTED)


def test_a_wrong_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sources.toml"
    with pytest.raises(ConfigError, match="no such source list"):
        read_source_list(path)
    path.write_text('licence = "MIT"\n[sources.a]\ntitle = "A"\nlicence = ""\nattribution = "B"\n')
    with pytest.raises(ConfigError, match=r"sources\.toml: sources\.a\.licence is empty"):
        read_source_list(path)
    path.write_text('licence = "MIT"\n[sources.a]\ntitle = "A"\nlicense = "MIT"\nattribution = "B"\n')
    with pytest.raises(ConfigError, match="license"):
        read_source_list(path)
    path.write_text('licence = " "\n[sources]\n')
    with pytest.raises(ConfigError, match="licence is empty"):
        read_source_list(path)
    path.write_text('licence = "MIT"\n[sources]\n[repositories]\n"a/b" = " "\n')
    with pytest.raises(ConfigError, match=r"repositories\.a/b is empty"):
        read_source_list(path)
