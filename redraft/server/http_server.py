"""Runs the application on a socket until the process is asked to stop."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import Iterable
from contextlib import suppress

import uvicorn
from fastapi import FastAPI

from redraft.server.header_timeout import header_timeout_protocol
from redraft.server.log import LogHandler
from redraft.server.settings import ServerSettings

_KEEP_ALIVE_SECONDS = 30
_LAST_SECONDS = 2
"""Time to send the refusals of requests that were not finished when the time to stop was over."""


class HttpServer(uvicorn.Server):
    """A server that ends requests by itself when the time to stop is over.

    uvicorn would cancel them, print a traceback for each, and answer 500.
    """

    def __init__(self, app: FastAPI, settings: ServerSettings) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=header_timeout_protocol(settings.body_seconds),
                ws="none",
                log_config=None,
                access_log=False,  # paths of requests can hold texts
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=_KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=settings.stop_seconds + 2 * _LAST_SECONDS,
            )
        )
        self._service = app.state.service
        self._stop_seconds = settings.stop_seconds

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        ending = asyncio.create_task(self._end_requests(self._stop_seconds))
        await super().shutdown(sockets)
        ending.cancel()
        if self.force_exit:  # by a second Ctrl-C
            await self._end_requests(0)
        for handler in logging.getLogger().handlers:
            handler.flush()

    async def _end_requests(self, seconds: float) -> None:
        """Refuses after some time what is not finished, and closes the connections that do not take the answer."""
        await asyncio.sleep(seconds)
        self._service.stop()
        await _wait_for(self.server_state.tasks, _LAST_SECONDS)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await _wait_for(self.server_state.tasks, _LAST_SECONDS)


async def _wait_for(tasks: Iterable[asyncio.Task[None]], seconds: float) -> None:
    if tasks := list(tasks):
        await asyncio.wait(tasks, timeout=seconds)


def run(app: FastAPI, listening: socket.socket, settings: ServerSettings) -> None:
    """Serves until SIGINT or SIGTERM, with the log on standard error."""
    logging.basicConfig(handlers=[LogHandler(sys.stderr.fileno())], level=logging.WARNING)
    with suppress(KeyboardInterrupt):  # uvicorn passes Ctrl-C on once it has stopped
        HttpServer(app, settings).run(sockets=[listening])
