"""The stream of events without input or output: reads server-sent events, and knows where to resume."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import cast

from .errors import CountersignError
from .json_text import read_json
from .operations import events_path
from .replies import make_error, problem_error
from .retry import FIRST_PAUSE, LONGEST_PAUSE, requested_pause
from .steps import SendRequest
from .types import Event

SILENCE = 45.0
"""The server sends a comment after 15 idle seconds. A connection that is silent for this long is broken."""
MAX_LINE_BYTES = 32 * 1024 * 1024
"""A longer line is not from a Countersign server, whose events have 4 MiB."""


class EventReader:
    """Reads one connection: bytes in, events with their cursors out."""

    def __init__(self) -> None:
        self._rest = b""
        self._id: str | None = None
        self._type = ""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[tuple[str | None, Event]]:
        """Returns the events that ``chunk`` completes. Raises the error that ends the stream."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > MAX_LINE_BYTES:
            raise make_error("strange_server", "a line of the stream is too long for an event")
        for line in lines:
            line = line.removesuffix(b"\r")
            if line:
                self._take_field(line)
            elif (message := self._end_message()) is not None:
                yield message

    def _take_field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"id":
            self._id = value.decode(errors="replace")
        elif name == b"event":
            self._type = value.decode(errors="replace")
        elif name == b"data":
            self._data.append(value)

    def _end_message(self) -> tuple[str | None, Event] | None:
        cursor, kind, data = self._id, self._type, b"\n".join(self._data)
        self._id, self._type, self._data = None, "", []
        if not data:
            return None
        try:
            value = read_json(data)
        except ValueError as error:
            raise make_error("strange_server", f"an event of the stream is not JSON: {error}") from error
        if kind == "error":
            raise problem_error(value)
        if not isinstance(value, dict) or not isinstance(value.get("seq"), int):
            raise make_error("strange_server", "an event of the stream has no position")
        return cursor, cast(Event, value)


class StreamPosition:
    """A stream's log position, which outlives its connections."""

    def __init__(
        self,
        thread: str | None,
        query: tuple[tuple[str, str], ...],
        after: int | str,
        give_up_after: float | None,
    ) -> None:
        self.cursor = str(after)
        """The place after the last event that the caller received. Save it to resume in another process."""
        self._thread, self._query = thread, query
        self._give_up_after = give_up_after
        self._resuming = False
        self._received = False
        self._pause = FIRST_PAUSE
        self._failing_since: float | None = None

    def request(self) -> SendRequest:
        """The request that opens the stream, or resumes it."""
        headers = {"accept": "text/event-stream"}
        query = self._query
        if self._resuming:
            headers["last-event-id"] = self.cursor
        else:
            query = (*query, ("after", self.cursor))
        return SendRequest("GET", events_path(self._thread), query, headers=headers, timeout=SILENCE)

    def deliver(self, cursor: str | None, event: Event) -> Event | None:
        """Notes that the caller receives the event. Returns ``None`` for an event that the caller has already."""
        seq = event["seq"]
        if seq <= int(self.cursor.partition("-")[0]):
            return None
        self.cursor = cursor or str(seq)
        self._received, self._pause, self._failing_since = True, FIRST_PAUSE, None
        return event

    def opened(self) -> None:
        """Notes that the server accepted the request."""
        self._resuming = True
        self._received = False

    def pause_after(self, error: CountersignError | None) -> float:
        """The seconds until the stream is opened again, after it ended with ``error``. Raises an error that will stay."""
        now = time.monotonic()
        if error is not None:
            since = self._failing_since = self._failing_since or now
            too_long = self._give_up_after is not None and now - since >= self._give_up_after
            if not error.is_transient or too_long:
                raise error
        elif self._received:
            self._failing_since = None
        pause = max(self._pause, requested_pause(error) if error else 0.0)
        self._pause = min(self._pause * 2, LONGEST_PAUSE)
        return pause
