"""How a server is set up; the defaults stand here and nowhere else."""

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

    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; 0.0.0.0 for the whole network.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")] = 8081
    project: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Also use the words and ignores of the project this folder is in."),
    ] = None
    api_key: Annotated[
        str | None,
        typer.Option(
            envvar="REDRAFT_API_KEY",
            metavar="KEY",
            help="Answer only who sends this key; give it in the environment, not for all to see.",
        ),
    ] = None
    origin: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Web pages of this origin may use the server. May be given several times."),
    ] = None
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="Another name by which the server may be called. Likewise."),
    ] = None
    max_text: Annotated[int, typer.Option(min=1, metavar="CHARACTERS", help="The longest text.")] = 200_000
    max_body: Annotated[int, typer.Option(min=1, metavar="BYTES", help="The largest request.")] = 4 * 2**20
    queue: Annotated[int, typer.Option(min=1, metavar="NUMBER", help="Requests at once; further ones get 503.")] = 256
    request_seconds: Annotated[
        float, typer.Option(min=0.001, metavar="SECONDS", help="The longest time for an answer.")
    ] = 60.0
    body_seconds: Annotated[
        float,
        typer.Option(min=0.001, metavar="SECONDS", help="The longest time a client may take to send its request."),
    ] = 15.0
    stop_seconds: Annotated[
        int, typer.Option(min=0, metavar="SECONDS", help="When stopped, finish accepted requests for so long.")
    ] = 30

    def __post_init__(self) -> None:
        if self.api_key is not None and not self.api_key.strip():
            raise ConfigError("the API key is empty; leave it out for a server without one")
        for origin in self.origin or ():
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ConfigError(f"{origin!r} is no origin: give scheme and host alone, such as https://example.org")

    @property
    def is_local(self) -> bool:
        """Can only this machine reach the server?"""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False
