"""Settings of the server, with their defaults."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

import typer

from redraft.errors import ConfigError

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#\s]+")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Each field is an option of `redraft serve`."""

    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen at; 0.0.0.0 for all.")] = "127.0.0.1"
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="NUMBER", help="Port; 0 for any free one.")] = 8081
    project: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder of a project whose dictionary and ignores are used too."),
    ] = None
    api_key: Annotated[
        str | None,
        typer.Option(
            envvar="REDRAFT_API_KEY",
            metavar="KEY",
            help="API key that clients must send. Set it in the environment: command lines are visible to other users.",
        ),
    ] = None
    no_key: Annotated[
        bool,
        typer.Option("--no-key", help="Start without an API key and --name even if the network can reach the server."),
    ] = False
    origin: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Origin whose web pages may use the server; repeatable."),
    ] = None
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="Another host name that requests may use; repeatable."),
    ] = None
    max_text: Annotated[int, typer.Option(min=1, metavar="CHARACTERS", help="Maximum length of a text.")] = 200_000
    max_body: Annotated[int, typer.Option(min=1, metavar="BYTES", help="Maximum size of a request.")] = 4 * 2**20
    queue: Annotated[
        int,
        typer.Option(min=1, metavar="NUMBER", help="Maximum number of requests at once; further ones get 503."),
    ] = 256
    connections: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="Maximum number of connections; a further one closes the one that waits longest for a request.",
        ),
    ] = 1024
    request_seconds: Annotated[
        float, typer.Option(min=0.001, metavar="SECONDS", help="Maximum time for a response, and to send it.")
    ] = 60.0
    body_seconds: Annotated[
        float,
        typer.Option(min=0.001, metavar="SECONDS", help="Maximum time for a client to send its request."),
    ] = 15.0
    stop_seconds: Annotated[
        int, typer.Option(min=0, metavar="SECONDS", help="Time to finish accepted requests when stopped.")
    ] = 30

    def __post_init__(self) -> None:
        if self.api_key is not None and not self.api_key.strip():
            raise ConfigError("the API key is empty; leave the option out to run without a key")
        if not (self.is_local or self.api_key or self.name or self.no_key):
            raise ConfigError(
                f"with --host {self.host}, all who reach this machine could use the server; set an API key in "
                "REDRAFT_API_KEY, or the host names that requests may use with --name, or allow it with --no-key"
            )
        for origin in self.origin or ():
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ConfigError(
                    f"{origin!r} is not an origin; give only scheme and host, such as https://example.org"
                )

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False
