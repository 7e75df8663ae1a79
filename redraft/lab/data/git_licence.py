"""The licence of a repository, from its licence files."""

from __future__ import annotations

import re

from redraft.lab.data.git_repository import GitRepository

NONE = "none"
UNKNOWN = "unknown"
_FILE = re.compile(r"(?:[\w-]+[-_.])?(?:licen[cs]e|copying|unlicense)s?(?:[-_.][\w.-]+)?", re.IGNORECASE)
_NO_TEXT = re.compile(r"\.(?:py|js|rb|go|ya?ml|json|png|svg|html|template|erb)$", re.IGNORECASE)
_LARGEST = 200_000
_MOST_FILES = 4

# The first that matches names the licence: the special ones are before the general ones.
_CREATIVE_COMMONS = (
    ("CC-BY-NC-SA", r"Attribution[-\s]+Non-?Commercial[-\s]+Share-?\s?Alike|by-nc-sa"),
    ("CC-BY-NC-ND", r"Attribution[-\s]+Non-?Commercial[-\s]+No-?Derivati?ve?s?|by-nc-nd"),
    ("CC-BY-NC", r"Attribution[-\s]+Non-?Commercial|by-nc/|CC[- ]BY-NC"),
    ("CC-BY-SA", r"Attribution[-\s]+Share-?\s?Alike|by-sa/|CC[- ]BY-SA"),
    ("CC-BY-ND", r"Attribution[-\s]+No-?Derivati?ve?s?|by-nd/|CC[- ]BY-ND"),
    ("CC-BY", r"Creative Commons Attribution|Attribution \d\.\d|licenses/by/|CC[- ]BY"),
)
_VERSION = r"\b([1-4]\.[05])\b"
_TEXTS = (
    ("CC0-1.0", r"CC0|publicdomain/zero"),
    ("Unlicense", r"This is free and unencumbered software released into the public domain"),
    ("Apache-2.0", r"Apache License,?\s+Version 2\.0|apache\.org/licenses/LICENSE-2\.0"),
    ("AGPL-3.0", r"GNU AFFERO GENERAL PUBLIC LICENSE"),
    ("LGPL", r"GNU (?:LESSER|LIBRARY) GENERAL PUBLIC LICENSE"),
    ("GFDL", r"GNU Free Documentation License"),
    ("GPL-3.0", r"GNU GENERAL PUBLIC LICENSE\s+Version 3"),
    ("GPL-2.0", r"GNU GENERAL PUBLIC LICENSE\s+Version 2"),
    ("MPL-2.0", r"Mozilla Public License,?\s+(?:Version|v\.?)\s*2\.0"),
    ("BSD-3-Clause", r"Redistribution and use in source and binary forms.*Neither the name"),
    ("BSD-2-Clause", r"Redistribution and use in source and binary forms"),
    ("ISC", r"Permission to use, copy, modify, and(?:/or)? distribute this software for any purpose"),
    ("MIT", r"Permission is hereby granted, free of charge, to any person obtaining|MIT License"),
    ("public-domain", r"\bpublic domain\b"),
)


def find_licence(repository: GitRepository) -> str:
    """SPDX names of the licences in the top folder and in LICENSES; `none` without a licence file, `unknown` where the
    text is that of no usual licence. Where there are several files, each name has its file behind it."""
    found = [(path, name) for path, name, size in repository.files() if size <= _LARGEST and _is_licence_file(path)][
        :_MOST_FILES
    ]
    texts = repository.contents([name for _, name in found])
    named = [
        (path, name_licence(text.decode("utf-8", "replace"))) for (path, _), text in zip(found, texts, strict=False)
    ]
    if len({licence for _, licence in named}) <= 1:
        return named[0][1] if named else NONE
    return ", ".join(f"{licence} ({' '.join(path.split())})" for path, licence in named)


def name_licence(text: str) -> str:
    """The SPDX name of a licence text."""
    head = " ".join(text[:20_000].split())
    if re.search(r"Creative Commons|creativecommons\.org|\bCC[- ]BY", head):
        for name, pattern in _CREATIVE_COMMONS:
            if found := re.search(pattern, head[:3_000], re.IGNORECASE):
                near = head[found.start() : found.start() + 200]
                version = re.search(_VERSION, near) or re.search(
                    rf"(?:Attribution|licenses/[a-z-]+)[ /]{_VERSION}", head
                )
                return f"{name}-{version[1]}" if version else name
    return next((name for name, pattern in _TEXTS if re.search(pattern, head, re.IGNORECASE)), UNKNOWN)


def _is_licence_file(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    if folder == "LICENSES":
        return True
    return not folder and bool(_FILE.fullmatch(name)) and not _NO_TEXT.search(name)
