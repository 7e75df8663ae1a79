"""Runs the application on a socket until the process is asked to stop."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import cast

import uvicorn
from fastapi import FastAPI

from redraft.server.connection import ConnectionLimits, LimitedProtocol, limited_protocol
from redraft.server.log import LogHandler
from redraft.server.settings import ServerSettings

_KEEP_ALIVE_SECONDS = 30
_SWITCH_SECONDS = 0.001
"""After this time a thread of Python lets another one run: a short request should not wait for long ones."""
_BACKLOG = 2048
"""Connections that wait in the system to be accepted."""
_ACCEPTED_AT_ONCE = 8
"""Connections that asyncio accepts before the first of them is counted; it takes the same number as the backlog."""
_OTHER_FILES = 96
"""Open files that are no connections, and connections that are not counted yet."""
_LAST_SECONDS = 1
"""Time that clients have at a stop to send the rest of a request, and to take the last answers."""


class HttpServer(uvicorn.Server):
    """A server that ends requests by itself when the time to stop is over.

    uvicorn would cancel them, print a traceback for each, and answer 500.
    """

    def __init__(self, app: FastAPI, settings: ServerSettings) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=limited_protocol(
                    ConnectionLimits(settings.connections, settings.body_seconds, settings.request_seconds)
                ),
                ws="none",
                log_config=None,
                access_log=False,  # paths of requests can hold texts
                server_header=False,
                proxy_headers=False,
                backlog=_ACCEPTED_AT_ONCE,
                timeout_keep_alive=_KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=settings.stop_seconds + 3 * _LAST_SECONDS,
            )
        )
        self._service = app.state.service
        self._stop_seconds = settings.stop_seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_BACKLOG)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        ending = asyncio.create_task(self._end_requests(self._stop_seconds))
        await super().shutdown(sockets)
        ending.cancel()
        if self.force_exit:  # by a second Ctrl-C
            await self._end_requests(0)
        for handler in logging.getLogger().handlers:
            handler.flush()

    async def _end_requests(self, seconds: float) -> None:
        """Ends half-sent requests soon, and all others after some time; then closes all connections."""
        soon = min(seconds, _LAST_SECONDS)
        await asyncio.sleep(soon)
        for connection in self._connections():
            if connection.waits_for_client:
                connection.reset()
        await asyncio.sleep(seconds - soon)
        self._service.stop()
        await _wait_for(self.server_state.tasks, _LAST_SECONDS)
        for connection in self._connections():
            connection.reset()
        await _wait_for(self.server_state.tasks, _LAST_SECONDS)

    def _connections(self) -> list[LimitedProtocol]:
        return [cast(LimitedProtocol, connection) for connection in self.server_state.connections]


async def _wait_for(tasks: Iterable[asyncio.Task[None]], seconds: float) -> None:
    if tasks := list(tasks):
        await asyncio.wait(tasks, timeout=seconds)


def run(app: FastAPI, listening: socket.socket, settings: ServerSettings) -> None:
    """Serves until SIGINT or SIGTERM, with the log on standard error."""
    logging.basicConfig(handlers=[LogHandler(sys.stderr.fileno())], level=logging.WARNING)
    settings = replace(settings, connections=_fit_open_files(settings.connections))
    sys.setswitchinterval(_SWITCH_SECONDS)
    with suppress(KeyboardInterrupt):  # uvicorn passes Ctrl-C on once it has stopped
        HttpServer(app, settings).run(sockets=[listening])


def _fit_open_files(connections: int) -> int:
    """Raises the limit of open files where it is too low, and returns the number of connections that it allows."""
    if sys.platform == "win32":
        return connections
    import resource

    wanted = connections + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return connections
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(connections, max(1, soft - _OTHER_FILES))
