"""Client rules without a server: retries, lost answers and streams, with effects answered by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from countersign import CountersignError, operations
from countersign.error_codes import AlreadyClaimedError, UnreachableError
from countersign.event_stream import EventReader, StreamPosition
from countersign.replies import make_error, read_reply, reply_error
from countersign.retry import requested_pause
from countersign.steps import Effect, HttpReply, PauseFor, SendRequest, Steps

CALL = {"threadId": "t", "id": "c", "state": "running", "arguments": {}, "argumentsHash": "0" * 64}


def reply(status: int, body: Any, **headers: str) -> HttpReply:
    return HttpReply(status, headers, json.dumps(body).encode())


def problem(status: int, code: str, **facts: Any) -> HttpReply:
    return reply(status, {"title": "", "status": status, "code": code, "detail": code, **facts})


def answer(steps: Steps[Any], answers: list[Any]) -> tuple[Any, list[SendRequest]]:
    """Answers each request in turn, and skips the pauses. Returns the outcome and the requests."""
    sent: list[SendRequest] = []
    left = list(answers)
    try:
        effect: Effect = next(steps)
        while True:
            if isinstance(effect, PauseFor):
                effect = steps.send(None)
                continue
            assert isinstance(effect, SendRequest)
            sent.append(effect)
            given = left.pop(0)
            effect = steps.throw(given) if isinstance(given, BaseException) else steps.send(given)
    except StopIteration as end:
        assert not left
        return end.value, sent


LOST = make_error("unreachable", "the connection broke")


def test_lost_answer_to_a_claim_counts_as_claimed() -> None:
    own = problem(409, "already_claimed", execution={"executor": "me", "seq": 4})
    call, sent = answer(operations.claim("t", "c", {"executor": "me"}, None), [LOST, own, reply(200, CALL)])
    assert call["state"] == "running"
    assert [request.method for request in sent] == ["POST", "POST", "GET"]


def test_claim_of_another_executor_is_refused() -> None:
    other = problem(409, "already_claimed", execution={"executor": "other", "seq": 4})
    with pytest.raises(AlreadyClaimedError) as caught:
        answer(operations.claim("t", "c", {"executor": "me"}, None), [LOST, other])
    assert caught.value.execution is not None
    assert caught.value.execution["executor"] == "other"


def test_first_refusal_of_an_own_claim_is_an_error() -> None:
    own = problem(409, "already_claimed", execution={"executor": "me", "seq": 4})
    with pytest.raises(AlreadyClaimedError):
        answer(operations.claim("t", "c", {"executor": "me"}, None), [own])


def test_proposal_is_repeated_with_the_same_bytes() -> None:
    steps = operations.propose("t", {"id": "c", "name": "n"}, '{"a":1}')
    busy = problem(503, "database_unavailable", reason="busy")
    call, sent = answer(steps, [LOST, busy, HttpReply(502, {}, b"<html>"), reply(201, CALL)])
    assert call["id"] == "c"
    assert len({request.body for request in sent}) == 1


@pytest.mark.parametrize("code", ["call_differs", "blocked", "too_many_pending", "invalid"])
def test_refusal_is_not_repeated(code: str) -> None:
    with pytest.raises(CountersignError) as caught:
        answer(operations.propose("t", {"id": "c", "name": "n"}, "{}"), [problem(409, code)])
    assert caught.value.code == code


def test_retry_ends_with_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("countersign.retry.time.monotonic", lambda: now[0])
    steps = operations.cancel("t", "c", None)
    effect = next(steps)
    pauses = 0.0
    with pytest.raises(UnreachableError):
        while True:
            if isinstance(effect, PauseFor):
                pauses += effect.seconds
                now[0] += effect.seconds
                effect = steps.send(None)
            else:
                effect = steps.throw(LOST)
    assert 4.9 < pauses < 5.1


def test_wait_goes_on_while_the_server_is_away() -> None:
    pending = {**CALL, "state": "pending"}
    steps = operations.wait("t", "c", None)
    call, sent = answer(steps, [reply(200, pending), *[LOST] * 50, reply(200, {**CALL, "state": "allowed"})])
    assert call["state"] == "allowed"
    assert {request.headers["prefer"] for request in sent} == {"wait=25"}


def test_server_is_not_asked_sooner_than_it_wants() -> None:
    def pause(code: str, seconds: float) -> float:
        return requested_pause(make_error(code, "", status=503, retry_after=seconds))

    assert pause("too_many_requests", 7) == 7
    assert pause("not_ready", 10_000) == 30
    assert pause("shutting_down", 7) == 0


def test_pause_is_a_number_or_a_date() -> None:
    date = "Sat, 31 Jan 2026 12:00:00 GMT"

    def pause(text: str, headers: dict[str, str]) -> float | None:
        body = b'{"code": "not_ready"}'
        return reply_error(HttpReply(503, {"retry-after": text, **headers}, body)).retry_after

    assert pause("7", {}) == 7
    later = ["Sat, 31 Jan 2026 12:01:30 GMT", "Saturday, 31-Jan-26 12:01:30 GMT", "Sat Jan 31 12:01:30 2026"]
    assert [pause(text, {"date": date}) for text in later] == [90, 90, 90]
    assert pause("Sat, 31 Jan 2026 11:00:00 GMT", {"date": date}) == 0
    assert pause(date, {}) is not None, "without a date in the answer, the own clock counts"
    assert [pause(text, {"date": date}) for text in ("", "-1", "1.5", "soon", "Sat, 99 Jan 2026 12:00:00 GMT")] == [None] * 5


def test_answer_that_is_not_json_is_strange() -> None:
    for strange in (HttpReply(200, {}, b"<html>"), HttpReply(404, {}, b"not found")):
        with pytest.raises(CountersignError) as caught:
            read_reply(strange)
        assert caught.value.code == "strange_server"
        assert not caught.value.is_transient


def test_unknown_code_keeps_its_text() -> None:
    with pytest.raises(CountersignError) as caught:
        read_reply(problem(409, "from_the_future"))
    assert type(caught.value) is CountersignError
    assert caught.value.code == "from_the_future"


def event(seq: int, **data: Any) -> dict[str, Any]:
    return {"seq": seq, "threadId": "t", "type": "TOOL_CALL", "timestamp": "", "principal": "", "data": data}


def test_stream_reads_events_across_any_chunks() -> None:
    events = [event(1, text="a\u2028b\u0085c"), event(2, n=12345678901234567890)]
    text = ": hello\n\n" + "".join(
        f"id: {one['seq']}-abc\r\nevent: TOOL_CALL\r\ndata: {json.dumps(one, ensure_ascii=False)}\r\n\r\n" for one in events
    )
    data = text.encode()
    for size in (1, 7, len(data)):
        reader = EventReader()
        read = [pair for at in range(0, len(data), size) for pair in reader.feed(data[at : at + size])]
        assert [cursor for cursor, _ in read] == ["1-abc", "2-abc"]
        assert [dict(one) for _, one in read] == events


def test_stream_resumes_after_the_last_delivered_event() -> None:
    position = StreamPosition(None, (), "4-ffff", None)
    assert position.request().query == (("after", "4-ffff"),)
    position.opened()
    assert position.deliver("5-aaaa", event(5)) is not None  # type: ignore[arg-type]
    assert position.deliver("5-aaaa", event(5)) is None  # type: ignore[arg-type]
    assert position.pause_after(LOST) > 0
    request = position.request()
    assert request.headers["last-event-id"] == "5-aaaa"
    assert request.query == ()


def test_stream_ends_with_an_error_that_stays() -> None:
    position = StreamPosition(None, (), 0, None)
    with pytest.raises(CountersignError, match="bad_cursor"):
        position.pause_after(make_error("bad_cursor", "bad_cursor", status=409))


def test_silent_stream_gives_up_after_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("countersign.event_stream.time.monotonic", lambda: now[0])
    position = StreamPosition(None, (), 0, 120.0)
    position.pause_after(LOST)
    now[0] += 119
    position.pause_after(LOST)
    now[0] += 2
    with pytest.raises(UnreachableError):
        position.pause_after(LOST)
