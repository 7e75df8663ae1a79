from __future__ import annotations

import pytest

from redraft.errors import ConfigError
from redraft.server.settings import ServerSettings


@pytest.mark.parametrize(
    ("host", "local"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False)]
)
def test_hosts_that_are_local(host: str, local: bool) -> None:
    assert ServerSettings(host=host, no_key=True).is_local is local


def test_a_server_is_local_by_default() -> None:
    assert ServerSettings().is_local
    assert not ServerSettings(host="words.example.org", no_key=True).is_local


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "words.example.org"])
def test_a_server_for_the_network_needs_a_key_or_names(host: str) -> None:
    with pytest.raises(ConfigError, match=r"REDRAFT_API_KEY.*--name.*--no-key"):
        ServerSettings(host=host)
    for allowed in ({"api_key": "secret"}, {"name": ["words.example.org"]}, {"no_key": True}):
        assert not ServerSettings(host=host, **allowed).is_local  # type: ignore[arg-type]


@pytest.mark.parametrize("origin", ["example.org", "https://", "https://example.org/page"])
def test_an_origin_is_scheme_and_host(origin: str) -> None:
    with pytest.raises(ConfigError, match="is not an origin"):
        ServerSettings(origin=[origin])


def test_an_empty_key_is_refused() -> None:
    with pytest.raises(ConfigError, match="API key is empty"):
        ServerSettings(api_key=" ")
