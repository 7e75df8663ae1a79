"""Random requests to the API, checked against its OpenAPI description."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from served import FACE, live, make_app

from redraft.check.languages import Language
from redraft.check.options import CheckOptions
from redraft.server.schema import EXAMPLE, CheckRequest
from redraft.text.dialects import Dialect


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[schemathesis.BaseSchema]:
    with live(make_app(tmp_path_factory.mktemp("home"))) as port:
        yield schemathesis.openapi.from_url(f"http://127.0.0.1:{port}/openapi.json")


def test_the_api_conforms_to_its_openapi_description(described: schemathesis.BaseSchema) -> None:
    checks = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
    operations = []
    for found in described.get_all_operations():
        assert isinstance(found, Ok)
        operations.append(found.ok())
    for operation in operations:

        @given(operation.as_strategy())
        @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
        def hold(case: schemathesis.Case) -> None:
            case.call_and_validate(checks=checks)

        hold()
    assert {"POST /v1/check", "DELETE /v1/words", "GET /metrics"} <= {operation.label for operation in operations}


def test_options_have_their_defaults() -> None:
    request = CheckRequest(text=EXAMPLE)
    assert request.options(Language("English", "en", "en")) == CheckOptions()
    assert request.options(Language("English (GB)", "en", "en-GB")).dialect is Dialect.BRITISH
    assert CheckRequest(text="x", consistent=True).options(Language("English", "en", "en")).consistent
    assert request.offsets == "utf-16"


@pytest.mark.parametrize("text", ["", "\ud800", "\0", FACE])
def test_any_string_is_a_text(text: str) -> None:
    assert CheckRequest(text=text).text == text
