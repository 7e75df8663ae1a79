from __future__ import annotations

import pytest
from served import FACE

from redraft.server.form import read_form
from redraft.server.responses import RefusedError


def test_parameters_keep_their_characters() -> None:
    assert read_form("a=1%2B1", "b=Grüße+%F0%9F%98%80&empty=".encode()) == {
        "a": "1+1",
        "b": f"Grüße {FACE}",
        "empty": "",
    }


def test_the_query_string_has_precedence() -> None:
    assert read_form("a=query", b"a=body&b=body") == {"a": "query", "b": "body"}


@pytest.mark.parametrize("body", [b"a=\xff", b"a=%ff", b"&".join(b"a=1" for _ in range(2000))])
def test_unreadable_forms_are_refused(body: bytes) -> None:
    with pytest.raises(RefusedError) as refused:
        read_form("", body)
    assert refused.value.status == 400
