from __future__ import annotations

from redraft.server.responses import RefusedError, reply_to_mapping
from redraft.server.schema import DoneReply


def test_a_refusal_has_the_format_of_the_api_of_its_path() -> None:
    refused = RefusedError(503, "later", retry_after="1")
    assert refused.response("/v2/check").body == b"Error: later"
    assert refused.response("/v22").body == b'{"error": "later"}'
    assert refused.response("/v1/check").headers["retry-after"] == "1"


def test_optional_fields_of_a_reply_are_left_out() -> None:
    assert reply_to_mapping(DoneReply(True, 1.0, 2)) == {"done": True, "milliseconds": 1.0, "calls": 2}
