"""Form parameters of LanguageTool's API, from the body and the query string."""

from __future__ import annotations

from urllib.parse import parse_qsl

from redraft.server.responses import RefusedError

_MAX_FIELDS = 1000


def read_form(query: str, body: bytes) -> dict[str, str]:
    """The parameters of body and query string; the query string has precedence. The content type is ignored."""
    try:
        fields = [*_parse(body.decode("utf-8")), *_parse(query)]
    except UnicodeDecodeError:
        raise RefusedError(400, "the parameters are not UTF-8") from None
    except ValueError:
        raise RefusedError(400, f"there are more than {_MAX_FIELDS} parameters") from None
    return dict(fields)


def _parse(form: str) -> list[tuple[str, str]]:
    return parse_qsl(form, keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS)
