"""JSON that is valid UTF-8 and safe to show in a terminal, whatever is in its strings."""

from __future__ import annotations

import json
import re
from typing import Any

_CONTROL = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Characters that JSON allows unescaped, and that a terminal may take for a command."""


def to_json(value: Any) -> str:
    """One line of JSON. Bytes that are not UTF-8 are escaped, so that the line is always valid."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
