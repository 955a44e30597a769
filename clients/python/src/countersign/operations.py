"""The API operations, without input or output: each yields its requests to the driver."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, cast
from urllib.parse import quote

from .errors import CountersignError
from .json_text import write_json
from .replies import make_error, read_reply
from .retry import EXECUTION, INTERACTION, PROPOSAL, retry
from .steps import PauseFor, SendRequest, Steps
from .types import (
    BulkDecisionResponse,
    Call,
    CallerView,
    CallPage,
    Decision,
    EventPage,
    PendingPage,
    ReadinessReport,
)

HOLD = 25
"""The seconds that one request waits for a decision. The next request follows at once."""


def join_path(*parts: str) -> str:
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def call_path(thread: str, call_id: str, *rest: str) -> str:
    return join_path("threads", thread, "tool-calls", call_id, *rest)


def json_body(fields: Mapping[str, Any], raw: Mapping[str, str] | None = None) -> bytes:
    """The request body: the fields that are present, and ``raw`` members, which are JSON text already."""
    try:
        members = [f"{write_json(name)}:{write_json(value)}" for name, value in fields.items() if value is not None]
    except (TypeError, ValueError) as error:
        raise make_error("invalid", f"the request cannot be written as JSON: {error}") from error
    members += [f"{write_json(name)}:{text}" for name, text in (raw or {}).items()]
    return ("{" + ",".join(members) + "}").encode()


def json_text(value: object, what: str) -> str:
    """Writes a caller's value as JSON text."""
    try:
        return write_json(value)
    except (TypeError, ValueError) as error:
        raise make_error("invalid", f"{what} cannot be written as JSON: {error}") from error


def send(request: SendRequest, budget: float | None) -> Steps[Any]:
    """Sends a request that is safe to repeat, and returns its JSON answer."""

    def attempt() -> Steps[Any]:
        reply = yield request
        return read_reply(reply)

    return retry(budget, attempt)


def post(path: str, body: bytes, budget: float | None) -> Steps[Any]:
    headers = {"content-type": "application/json"}
    return send(SendRequest("POST", path, body=body, headers=headers), budget)


def propose(thread: str, fields: Mapping[str, Any], arguments: str) -> Steps[Call]:
    body = json_body(fields, {"arguments": arguments})
    return post(join_path("threads", thread, "tool-calls"), body, PROPOSAL)


def read_call(thread: str, call_id: str, budget: float = INTERACTION) -> Steps[Call]:
    return send(SendRequest("GET", call_path(thread, call_id)), budget)


def wait(thread: str, call_id: str, timeout: float | None) -> Steps[Call]:
    """Waits until the call is decided, for at most ``timeout`` seconds, also while the server restarts."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        left = None if end is None else max(end - time.monotonic(), 0.0)
        # The header takes whole seconds. With less than one second left, the request does not wait, and the pause does.
        hold = HOLD if left is None else min(int(left), HOLD)
        request = SendRequest(
            "GET", call_path(thread, call_id), headers={"prefer": f"wait={hold}"}, timeout=HOLD * 2.0
        )
        call = cast(Call, (yield from send(request, left)))
        if call["state"] != "pending" or left == 0.0:
            return call
        if hold == 0 and left is not None:
            yield PauseFor(left)


def claim(thread: str, call_id: str, fields: Mapping[str, Any], arguments: str | None) -> Steps[Call]:
    """Claims the call. If the answer to an attempt was lost, the next is refused with a claim of this executor, which
    counts as success. So each execution needs an executor name of its own."""
    body = json_body(fields, {} if arguments is None else {"arguments": arguments})
    request = SendRequest(
        "POST", call_path(thread, call_id, "claim"), body=body, headers={"content-type": "application/json"}
    )
    attempts = 0

    def attempt() -> Steps[Any]:
        nonlocal attempts
        attempts += 1
        reply = yield request
        return read_reply(reply)

    try:
        return cast(Call, (yield from retry(EXECUTION, attempt)))
    except CountersignError as error:
        holder = error.execution
        if attempts == 1 or error.code != "already_claimed" or holder is None:
            raise
        if holder["executor"] != fields["executor"]:
            raise
    return (yield from read_call(thread, call_id, EXECUTION))


def renew(thread: str, call_id: str, fields: Mapping[str, Any]) -> Steps[Call]:
    return post(call_path(thread, call_id, "claim", "renew"), json_body(fields), EXECUTION)


def finish(thread: str, call_id: str, fields: Mapping[str, Any], content: str) -> Steps[Call]:
    return post(call_path(thread, call_id, "result"), json_body(fields, {"content": content}), EXECUTION)


def cancel(thread: str, call_id: str, reason: str | None) -> Steps[Call]:
    return post(call_path(thread, call_id, "cancel"), json_body({"reason": reason}), INTERACTION)


def heartbeat(thread: str, call_id: str) -> Steps[Call]:
    return post(call_path(thread, call_id, "heartbeat"), b"{}", INTERACTION)


def decide(
    thread: str, call_id: str, decision: Decision, fields: Mapping[str, Any], arguments: str | None
) -> Steps[Call]:
    body = json_body(
        {"decision": decision, **fields}, {} if arguments is None else {"arguments": arguments}
    )
    return post(join_path("threads", thread, "approvals", call_id), body, INTERACTION)


def decide_all(decisions: Iterable[Mapping[str, Any]]) -> Steps[BulkDecisionResponse]:
    return post(join_path("approvals", "decide"), json_body({"decisions": list(decisions)}), INTERACTION)


def read_list(path: str, query: tuple[tuple[str, str], ...]) -> Steps[Any]:
    return send(SendRequest("GET", path, query), INTERACTION)


def pending(thread: str | None, query: tuple[tuple[str, str], ...]) -> Steps[PendingPage]:
    path = join_path("approvals", "pending")
    return read_list(path if thread is None else join_path("threads", thread, "approvals", "pending"), query)


def calls(thread: str | None, query: tuple[tuple[str, str], ...]) -> Steps[CallPage]:
    path = join_path("tool-calls")
    return read_list(path if thread is None else join_path("threads", thread, "tool-calls"), query)


def events(thread: str | None, query: tuple[tuple[str, str], ...]) -> Steps[EventPage]:
    return read_list(events_path(thread), query)


def events_path(thread: str | None) -> str:
    return join_path("events") if thread is None else join_path("threads", thread, "events")


def caller() -> Steps[CallerView]:
    return send(SendRequest("GET", "/v1/me"), INTERACTION)


def ready() -> Steps[ReadinessReport]:
    def attempt() -> Steps[Any]:
        reply = yield SendRequest("GET", "/readyz")
        return read_reply(reply)

    return attempt()


def list_query(**filters: object) -> tuple[tuple[str, str], ...]:
    """The query string of a list. A filter without a value is left out."""
    pairs: list[tuple[str, str]] = []
    for name, value in filters.items():
        if value is None:
            continue
        if isinstance(value, (list, tuple)):
            if value:
                pairs.append((name, ",".join(map(str, value))))
        else:
            pairs.append((name, str(value)))
    return tuple(pairs)
