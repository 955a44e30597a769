"""The effects that an operation asks its driver for.

An operation is a generator: it yields effects and receives their outcomes. The synchronous and the asynchronous client
drive the same generators, so each rule exists once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class SendRequest:
    """Send one HTTP request. The outcome is a :class:`HttpReply`, or an ``UnreachableError`` is raised."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float | None = None
    """The seconds to wait for the answer; ``None`` for the default."""


@dataclass(frozen=True)
class HttpReply:
    """The answer to a request, with the names of its headers in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class PauseFor:
    """Wait for some seconds."""

    seconds: float


@dataclass(frozen=True)
class RunTool:
    """Run the tool, and renew its lease every ``interval`` seconds. The outcome is a :class:`ToolOutcome`."""

    run: Callable[[], Any]
    renew: Callable[[], Steps[bool]]
    """Renews the lease once. Returns false if the claim is lost, so that no further renewal makes sense."""
    interval: float


@dataclass(frozen=True)
class ToolOutcome:
    """A tool's outcome: its value or its error."""

    value: Any = None
    error: Exception | None = None


Effect: TypeAlias = "SendRequest | PauseFor | RunTool"
Steps: TypeAlias = Generator[Effect, Any, T]
