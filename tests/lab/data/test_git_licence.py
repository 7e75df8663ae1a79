from __future__ import annotations

from pathlib import Path

import pytest
from git_history import History

from redraft.lab.data.git_licence import find_licence, name_licence
from redraft.lab.data.git_repository import open_repository

MIT = "Permission is hereby granted, free of charge, to any\nperson obtaining a copy"
APACHE = "                       Apache License\n                 Version 2.0, January 2004\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (MIT, "MIT"),
        (APACHE, "Apache-2.0"),
        ("Attribution 4.0 International\n\nCreative Commons Corporation is not a law firm", "CC-BY-4.0"),
        ("Creative Commons Attribution-ShareAlike 4.0 International", "CC-BY-SA-4.0"),
        ("Creative Commons Attribution-NonCommercial-ShareAlike 3.0", "CC-BY-NC-SA-3.0"),
        ("https://creativecommons.org/licenses/by-sa/2.5/", "CC-BY-SA-2.5"),
        (f"Text is under CC-BY. {'More words. ' * 30} https://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0"),
        ("Creative Commons Legal Code\n\nCC0 1.0 Universal", "CC0-1.0"),
        ("GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June 2007", "GPL-3.0"),
        ("GNU Free Documentation License", "GFDL"),
        ("Redistribution and use in source and binary\nforms are permitted. Neither the name", "BSD-3-Clause"),
        ("Ask before you use this.", "unknown"),
    ],
)
def test_names(text: str, name: str) -> None:
    assert name_licence(text) == name


def find(folder: Path) -> str:
    with open_repository(folder) as repository:
        return find_licence(repository)


def test_several_files(tmp_path: Path) -> None:
    history = History(tmp_path / "a")
    history.commit("Start", {"a.md": "A", "docs/LICENSE": MIT, "license.py": MIT})
    assert find(history.folder) == "none"
    history.commit("Licence", {"LICENSE-MIT": MIT})
    assert find(history.folder) == "MIT"
    history.commit("Another", {"LICENSE-APACHE": APACHE})
    assert find(history.folder) == "Apache-2.0 (LICENSE-APACHE), MIT (LICENSE-MIT)"
