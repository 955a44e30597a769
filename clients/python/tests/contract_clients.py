"""The contract's clients: `Gate` and `AsyncGate` behind one blocking interface, and the outcomes of their operations
as the stories name them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from countersign import (
    AlreadyRunningError,
    AsyncEventStream,
    AsyncGate,
    CancelledCallError,
    CountersignError,
    DeniedError,
    EventStream,
    ExpiredError,
    FailedBeforeError,
    Gate,
    NotRunError,
    OutcomeUnknownError,
    StillPendingError,
    read_json,
    write_json,
)
from countersign.error_codes import ERROR_CLASSES

THREAD = "t"
PLACE = {"program": "contract"}
"""The stories play one program, whose processes are killed."""
NOT_RUN: dict[type[NotRunError], str] = {
    DeniedError: "denied",
    ExpiredError: "expired",
    CancelledCallError: "cancelled",
    StillPendingError: "still_pending",
    AlreadyRunningError: "already_running",
    OutcomeUnknownError: "outcome_unknown",
    FailedBeforeError: "failed_before",
}


class BlockingClient:
    """The synchronous client."""

    def __init__(self, url: str, token: str) -> None:
        self.gate = Gate(url, token, thread=THREAD, place=PLACE)
        self._streams: list[EventStream] = []

    def perform(self, operation: str, *args: Any, **fields: Any) -> Any:
        return getattr(self.gate, operation)(*args, **fields)

    def follow(self, **fields: Any) -> tuple[Any, Callable[[], Any]]:
        """A stream, and the function that returns its next event."""
        stream = self.gate.stream(thread=THREAD, **fields)
        self._streams.append(stream)
        return stream, lambda: next(stream)

    def close(self) -> None:
        for stream in self._streams:
            stream.close()
        self.gate.close()


class AsyncClient:
    """The asynchronous client, on an event loop in a thread of its own."""

    def __init__(self, url: str, token: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.gate = AsyncGate(url, token, thread=THREAD, place=PLACE)
        self._streams: list[AsyncEventStream] = []

    def _await(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def perform(self, operation: str, *args: Any, **fields: Any) -> Any:
        if operation == "call_tool":
            *others, run = args

            async def run_async(arguments: Any) -> Any:
                return await asyncio.to_thread(run, arguments)

            args = (*others, run_async)
        return self._await(getattr(self.gate, operation)(*args, **fields))

    def follow(self, **fields: Any) -> tuple[Any, Callable[[], Any]]:
        stream = self.gate.stream(thread=THREAD, **fields)
        self._streams.append(stream)
        return stream, lambda: self._await(anext(stream))

    def close(self) -> None:
        for stream in self._streams:
            self._await(stream.close())
        self._await(self.gate.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


CLIENTS: dict[str, type[BlockingClient] | type[AsyncClient]] = {"sync": BlockingClient, "async": AsyncClient}


class ToolFailure(Exception):
    """The error of a failing tool."""


class StoryTool:
    """A tool: it notes each run, and may wait until the story lets it go."""

    def __init__(self, runs: Path, returns: str, fails: str | None, holds: bool) -> None:
        self._runs, self._returns, self._fails = runs, returns, fails
        self.started, self.released = threading.Event(), threading.Event()
        if not holds:
            self.released.set()

    def run(self, arguments: Any) -> Any:
        with open(self._runs, "a", encoding="utf-8") as file:
            file.write(write_json(arguments) + "\n")
        self.started.set()
        self.released.wait()
        if self._fails is not None:
            raise ToolFailure(self._fails)
        return read_json(self._returns)


def outcome_of(operation: Callable[[], Any]) -> dict[str, Any]:
    """An operation's outcome as JSON: `call`, `value` and `note`, or `error`, `not_run` or `tool_error`."""
    try:
        value = operation()
    except NotRunError as error:
        return {"not_run": NOT_RUN[type(error)], "text": error.text, "call": error.call}
    except CountersignError as error:
        # A code that this version does not know has the general class.
        assert type(error) is ERROR_CLASSES.get(error.code, CountersignError), type(error)
        return {"error": error.code, "text": str(error), "shown": {**error.problem, "status": error.status}}
    except ValueError as error:
        # The client's JSON reader refuses what the story sends.
        return {"error": "invalid", "text": str(error)}
    except ToolFailure as error:
        return {"tool_error": str(error)}
    if hasattr(value, "ran_now"):
        return {"call": value.call, "value": write_json(value.value), "note": value.note}
    return {"call": value}


def call_tool(client: BlockingClient | AsyncClient, tool: StoryTool, step: dict[str, Any]) -> dict[str, Any]:
    """Makes a whole call."""
    fields = {
        "call_id": step.get("call"),
        "expires_in": step.get("expires_in"),
        "timeout": step["timeout_ms"] / 1000 if "timeout_ms" in step else None,
        "withdraw": step.get("withdraw", False),
        "lease_seconds": step.get("lease_seconds"),
    }
    return outcome_of(
        lambda: client.perform("call_tool", step["tool"], read_json(step["arguments"]), tool.run, **fields)
    )
