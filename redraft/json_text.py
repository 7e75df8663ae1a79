"""JSON that is valid UTF-8, whatever is in its strings."""

from __future__ import annotations

import json
from typing import Any


def to_json(value: Any) -> str:
    """One line of JSON. Bytes that are not UTF-8 are escaped, so that the line is always valid."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text
