"""HTTP connections with limits that uvicorn does not have: their number, and the time to receive and to send."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

ABORT = "redraft.abort"
"""Extension of a request's scope: a function that closes the connection without sending what waits to be sent."""
_LOG = logging.getLogger("redraft.server")
_NO_LINGER = struct.pack("ii", 1, 0)
_REFUSAL = b"too many connections; try again in a moment"
_REFUSED = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nRetry-After: 1\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(_REFUSAL), _REFUSAL)
)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    number: int
    """Connections that may be open at once."""
    receive_seconds: float
    """Time for the headers of a request to arrive."""
    send_seconds: float
    """Time for the client to take what is sent."""


class LimitedProtocol(H11Protocol):
    """An HTTP connection that is closed when a time limit is over, or to make room for another."""

    limits: ConnectionLimits
    _idle_since: float
    _receiving: _Timer
    _sending: _Timer

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # The transport then reports at once when a client does not take what is sent.
        transport.set_write_buffer_limits(high=0)
        self._idle_since = self.loop.time()
        self._receiving = _Timer(self.loop, self.limits.receive_seconds, self._close_idle)
        self._sending = _Timer(self.loop, self.limits.send_seconds, self.reset)
        self._update_receiving()
        if len(self.connections) > self.limits.number:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._update_receiving()

    def handle_events(self) -> None:
        super().handle_events()
        if self.scope is not None:
            self.scope["extensions"] = {ABORT: self.reset}  # type: ignore[dict-item]

    def on_response_complete(self) -> None:
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._sending.start()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._sending.stop()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._receiving.stop()
        self._sending.stop()

    def reset(self) -> None:
        """Closes the connection at once, without sending what waits to be sent, here or in the system."""
        with suppress(OSError):
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        if self.cycle is not None:
            self.cycle.disconnected = True  # otherwise a request that ends before connection_lost is logged as an error
        self.transport.abort()

    def _should_upgrade(self) -> bool:
        """Never. Java's HTTP client offers HTTP/2 in every request; uvicorn would log a warning for each."""
        return False

    @property
    def _is_idle(self) -> bool:
        """Whether no request is being received or answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def waits_for_client(self) -> bool:
        """Whether a request, or the rest of one, has yet to arrive."""
        return (self._is_idle or self.cycle.more_body) and not self.transport.get_write_buffer_size()

    def _update_receiving(self) -> None:
        """The time runs while headers are awaited, and stops while a request is answered."""
        if not self._is_idle:
            self._receiving.stop()
        elif not self.transport.is_closing():
            self._receiving.start()

    def _close_idle(self) -> None:
        if self._is_idle and not self.transport.is_closing():
            self.transport.close()

    def _make_room(self) -> None:
        """Closes the connection that has waited longest for its client; this one, if all others are being answered."""
        others = [cast(LimitedProtocol, one) for one in self.connections if one is not self]
        open_ones = [one for one in others if not one.transport.is_closing()]
        if len(open_ones) < self.limits.number:
            return
        _LOG.warning(
            "%d connections are open: one that waited for its client was closed, or a new one refused; "
            "more are allowed by --connections and the limit of open files (ulimit -n)",
            self.limits.number,
        )
        waiting = [one for one in open_ones if one.waits_for_client]
        if waiting:
            min(waiting, key=lambda one: one._idle_since).reset()
        else:
            self.transport.write(_REFUSED)
            self.transport.close()


def limited_protocol(limits: ConnectionLimits) -> type[LimitedProtocol]:
    """A protocol class with these limits; uvicorn makes an instance of it for every connection."""
    return type("Protocol", (LimitedProtocol,), {"limits": limits})


class _Timer:
    """Calls a function after some time, unless it is stopped before."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float, end: Callable[[], None]) -> None:
        self._loop = loop
        self._seconds = seconds
        self._end = end
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Lets the time run, from now unless it runs already."""
        if self._handle is None:
            self._handle = self._loop.call_later(self._seconds, self._expire)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _expire(self) -> None:
        self._handle = None
        self._end()
